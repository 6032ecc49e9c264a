//! Every direction against the exhaustive search, and against each other.

use super::super::path::SearchPath;
use super::*;

fn options(direction: Direction, size: Option<usize>, choose_best: bool) -> SearchOptions {
    SearchOptions {
        direction,
        size,
        epsilon: None,
        choose_best,
        plus: 2,
        minus: 1,
    }
}

fn path_of(case: Case, problem: &Problem, options: &SearchOptions) -> SearchPath {
    let evaluator = case.evaluator(problem).unwrap();
    search(&Run::new(), problem, evaluator, options).unwrap()
}

const DIRECTIONS: [Direction; 5] = [
    Direction::Forward,
    Direction::Backward,
    Direction::FloatingForward,
    Direction::FloatingBackward,
    Direction::PlusMinus,
];

#[test]
fn all_sets_are_a_lower_bound_of_every_path() {
    let (x, classes) = sample(60, 7);
    for scorer in classifiers() {
        let target = class_target(&classes);
        let problem = problem_of(Features::from(&x), target, Measure::LogLoss, None);
        let exhaustive = options(Direction::Exhaustive, None, true);
        let all = path_of(scorer, &problem, &exhaustive);
        assert_eq!(all.by_size.len(), 7);
        assert_eq!(all.n_evaluated, 1 << 7);
        for direction in DIRECTIONS {
            let path = path_of(scorer, &problem, &options(direction, None, true));
            let tolerance = scorer.tolerance();
            assert!(
                all.chosen.error <= path.chosen.error + tolerance,
                "{direction}"
            );
            for found in &path.by_size {
                let best = &all.by_size[found.features.len() - 1];
                assert!(
                    best.error <= found.error + tolerance,
                    "{} {direction} {:?}",
                    scorer.scorer,
                    found.features
                );
            }
        }
        let exhaustive = options(Direction::Exhaustive, Some(3), false);
        let three = path_of(scorer, &problem, &exhaustive);
        assert_eq!(three.n_evaluated, 1 + 35);
        assert_eq!(three.chosen.features.len(), 3);
        assert!((three.chosen.error - all.by_size[2].error).abs() < 1e-6);
    }
}

#[test]
fn floating_is_never_worse_and_sizes_are_kept() {
    let (x, _) = sample(60, 7);
    let problem = problem_of(
        Features::from(&x),
        number_target(&x),
        Measure::RSquared,
        None,
    );
    let scorer = case(Scorer::Linear);
    for size in 1..=7 {
        let of = |direction| path_of(scorer, &problem, &options(direction, Some(size), false));
        for direction in DIRECTIONS {
            let path = of(direction);
            assert_eq!(path.chosen.features.len(), size, "{direction}");
            let mut set: Vec<usize> = Vec::new();
            if !path.steps.first().is_some_and(|step| step.added) {
                set = (0..7).collect();
            }
            for step in &path.steps {
                assert_eq!(set.contains(&step.feature), !step.added);
                set = after(&set, Change::of(step.feature, step.added));
                assert_eq!(set.len(), step.size);
            }
        }
        let (plain, floating) = (of(Direction::Forward), of(Direction::FloatingForward));
        assert!(floating.chosen.error <= plain.chosen.error);
    }
}

#[test]
fn a_step_that_does_not_pay_ends_the_search() {
    let (x, _) = sample(90, 7);
    let problem = problem_of(
        Features::from(&x),
        number_target(&x),
        Measure::RSquared,
        None,
    );
    let scorer = case(Scorer::Linear);
    for direction in DIRECTIONS {
        let options = SearchOptions {
            epsilon: Some(0.02),
            ..options(direction, None, false)
        };
        let path = path_of(scorer, &problem, &options);
        let size = path.chosen.features.len();
        assert!(
            (1..7).contains(&size),
            "{direction}: {:?}",
            path.chosen.features
        );
        assert!(
            path.chosen.features.contains(&1) && path.chosen.features.contains(&2),
            "{direction}"
        );
        if direction == Direction::Forward {
            let gains = path.steps.iter().map(|step| step.before - step.after);
            assert!(gains.skip(1).all(|gain| gain > 0.02));
        }
    }
}

#[test]
fn equal_features_go_by_the_lowest() {
    let mut x = Array2::zeros((40, 4));
    for row in 0..40 {
        let noise = ((row * 7) % 11) as f64 / 64.0;
        x[[row, 1]] = (row % 2) as f64 + noise;
        x[[row, 3]] = (row % 2) as f64 + noise;
    }
    let classes: Vec<u32> = (0..40).map(|row| (row % 2) as u32).collect();
    for scorer in classifiers() {
        let target = Target::Classes {
            of_row: classes.clone(),
            names: vec!["a".into(), "b".into()],
        };
        let problem = problem_of(Features::from(&x), target, Measure::Accuracy, None);
        for (direction, want) in [(Direction::Forward, 1), (Direction::Backward, 3)] {
            let path = path_of(scorer, &problem, &options(direction, Some(1), false));
            assert_eq!(path.chosen.features, [want], "{}", scorer.scorer);
        }
    }
}

#[test]
fn more_neighbours_than_training_rows_are_refused() {
    let (x, classes) = sample(60, 21);
    let problem = problem_of(
        Features::from(&x),
        class_target(&classes),
        Measure::Accuracy,
        None,
    );
    let many = Case {
        n_neighbors: 46,
        ..case(Scorer::KNearest)
    };
    let error = many.evaluator(&problem).err().unwrap();
    assert!(error.to_string().contains("at most 45"), "{error}");
}
