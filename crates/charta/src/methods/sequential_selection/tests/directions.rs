//! Every direction against the exhaustive search, and against each other.

use super::super::search::SearchPath;
use super::*;

const DIRECTIONS: [Direction; 5] = [
    Direction::Forward,
    Direction::Backward,
    Direction::FloatingForward,
    Direction::FloatingBackward,
    Direction::PlusMinus,
];

fn path(
    method: &SequentialSelection,
    problem: &Problem,
    direction: Direction,
    n_components: FeatureCount,
) -> SearchPath {
    let method = SequentialSelection {
        direction,
        n_components,
        ..method.clone()
    };
    let run = Run::new();
    let evaluator = method.evaluator(&run, problem).unwrap();
    method.search(&run, problem, evaluator).unwrap()
}

#[test]
fn all_sets_are_a_lower_bound_of_every_path() {
    let (x, classes) = sample(60, 7);
    let problem = problem(&x, class_target(&classes), Measure::LogLoss);
    for method in &classifiers() {
        let all = path(method, &problem, Direction::Exhaustive, FeatureCount::Best);
        assert_eq!(all.by_size.len(), 7);
        assert_eq!(all.n_evaluated, 1 << 7);
        let tolerance = tolerance(method.scorer);
        for direction in DIRECTIONS {
            let path = path(method, &problem, direction, FeatureCount::Best);
            let name = format!("{} {direction}", method.scorer);
            assert!(all.chosen.error <= path.chosen.error + tolerance, "{name}");
            for found in &path.by_size {
                let best = &all.by_size[found.features.len() - 1];
                let features = &found.features;
                assert!(best.error <= found.error + tolerance, "{name} {features:?}");
            }
        }
        let three = path(method, &problem, Direction::Exhaustive, 3.into());
        assert_eq!(three.n_evaluated, 1 + 35);
        assert_eq!(three.chosen.features.len(), 3);
        assert!((three.chosen.error - all.by_size[2].error).abs() < 1e-6);
    }
}

#[test]
fn floating_is_never_worse_and_sizes_are_kept() {
    let (x, _) = sample(60, 7);
    let problem = problem(&x, number_target(&x), Measure::RSquared);
    let method = with_scorer(Scorer::Linear);
    for size in 1..=7 {
        let of = |direction| path(&method, &problem, direction, size.into());
        for direction in DIRECTIONS {
            let path = of(direction);
            assert_eq!(path.chosen.features.len(), size, "{direction}");
            let mut set: Vec<usize> = Vec::new();
            if !path.steps.first().is_some_and(|step| step.added) {
                set = (0..7).collect();
            }
            for step in &path.steps {
                assert_eq!(set.contains(&step.feature), !step.added);
                set = after(&set, step.feature, step.added);
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
    let problem = problem(&x, number_target(&x), Measure::RSquared);
    let method = SequentialSelection {
        epsilon: Some(0.02),
        ..with_scorer(Scorer::Linear)
    };
    for direction in DIRECTIONS {
        let path = path(&method, &problem, direction, FeatureCount::Auto);
        let features = &path.chosen.features;
        assert!(
            (1..7).contains(&features.len()),
            "{direction}: {features:?}"
        );
        assert!(
            features.contains(&1) && features.contains(&2),
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
    let problem = problem(&x, class_target(&classes), Measure::Accuracy);
    for method in &classifiers() {
        for (direction, want) in [(Direction::Forward, 1), (Direction::Backward, 3)] {
            let path = path(method, &problem, direction, 1.into());
            assert_eq!(path.chosen.features, [want], "{}", method.scorer);
        }
    }
}

#[test]
fn more_neighbours_than_training_rows_are_refused() {
    let (x, classes) = sample(60, 21);
    let problem = problem(&x, class_target(&classes), Measure::Accuracy);
    let many = SequentialSelection {
        n_neighbors: 46,
        ..with_scorer(Scorer::KNearest)
    };
    let error = many.evaluator(&Run::new(), &problem).err().unwrap();
    assert!(error.to_string().contains("at most 45"), "{error}");
}
