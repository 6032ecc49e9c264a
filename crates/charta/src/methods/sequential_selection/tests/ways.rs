//! Every direction against all sets, and against each other.

use super::*;

fn stop(size: Option<usize>, best: bool) -> Stop {
    Stop {
        size,
        epsilon: None,
        best,
        plus_minus: (2, 1),
    }
}

const WAYS: [Direction; 5] = [
    Direction::Forward,
    Direction::Backward,
    Direction::FloatingForward,
    Direction::FloatingBackward,
    Direction::PlusMinus,
];

#[test]
fn all_sets_are_a_lower_bound_of_every_path() {
    let (x, classes) = sample(60, 7);
    let run = Run::new();
    for scorer in classifiers() {
        let target = class_target(&classes);
        let problem = problem_of(Features::from(&x), target, Measure::LogLoss, None);
        let all = search(
            &run,
            scorer.as_ref(),
            &problem,
            Direction::Exhaustive,
            stop(None, true),
        );
        let all = all.unwrap();
        assert_eq!(all.by_size.len(), 7);
        assert_eq!(all.n_judged, 1 << 7);
        for way in WAYS {
            let path = search(&run, scorer.as_ref(), &problem, way, stop(None, true)).unwrap();
            // As near as logistic regression comes to its minimum from different sets.
            let tolerance = if scorer.name().contains("logistic") {
                1e-6
            } else {
                1e-9
            };
            assert!(all.chosen.error <= path.chosen.error + tolerance, "{way}");
            for found in &path.by_size {
                let best = &all.by_size[found.units.len() - 1];
                assert!(
                    best.error <= found.error + tolerance,
                    "{} {way} {:?}",
                    scorer.name(),
                    found.units
                );
            }
        }
        let three = search(
            &run,
            scorer.as_ref(),
            &problem,
            Direction::Exhaustive,
            stop(Some(3), false),
        );
        let three = three.unwrap();
        assert_eq!(three.n_judged, 1 + 35);
        assert_eq!(three.chosen.units.len(), 3);
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
    let run = Run::new();
    let scorer = LinearRegression { penalty: 0.0 };
    for size in 1..=7 {
        let of = |way| search(&run, &scorer, &problem, way, stop(Some(size), false)).unwrap();
        for way in WAYS {
            let path = of(way);
            assert_eq!(path.chosen.units.len(), size, "{way}");
            let mut set: Vec<usize> = Vec::new();
            if !path.steps.first().is_some_and(|step| step.added) {
                set = (0..7).collect();
            }
            for step in &path.steps {
                assert_eq!(set.contains(&step.unit), !step.added);
                let change = if step.added {
                    Change::Add(step.unit)
                } else {
                    Change::Remove(step.unit)
                };
                scorer::change_members(&mut set, change);
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
    let run = Run::new();
    let scorer = LinearRegression { penalty: 0.0 };
    for way in WAYS {
        let stop = Stop {
            epsilon: Some(0.02),
            ..stop(None, false)
        };
        let path = search(&run, &scorer, &problem, way, stop).unwrap();
        let size = path.chosen.units.len();
        assert!((1..7).contains(&size), "{way}: {:?}", path.chosen.units);
        assert!(
            path.chosen.units.contains(&1) && path.chosen.units.contains(&2),
            "{way}"
        );
        if way == Direction::Forward {
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
    let run = Run::new();
    for scorer in classifiers() {
        let target = Target::Classes {
            of_row: classes.clone(),
            names: vec!["a".into(), "b".into()],
        };
        let problem = problem_of(Features::from(&x), target, Measure::Accuracy, None);
        let path = search(
            &run,
            scorer.as_ref(),
            &problem,
            Direction::Forward,
            stop(Some(1), false),
        );
        assert_eq!(path.unwrap().chosen.units, [1], "{}", scorer.name());
        let path = search(
            &run,
            scorer.as_ref(),
            &problem,
            Direction::Backward,
            stop(Some(1), false),
        );
        assert_eq!(path.unwrap().chosen.units, [3], "{}", scorer.name());
    }
}

#[test]
fn too_many_features_for_all_sets_and_too_many_neighbours_are_refused() {
    let (x, classes) = sample(60, 21);
    let run = Run::new();
    let problem = problem_of(
        Features::from(&x),
        class_target(&classes),
        Measure::Accuracy,
        None,
    );
    let scorer = KNearest { n_neighbors: 5 };
    let all = search(
        &run,
        &scorer,
        &problem,
        Direction::Exhaustive,
        stop(None, true),
    );
    assert!(all.unwrap_err().to_string().contains("up to 20 features"));
    let scorer = KNearest { n_neighbors: 46 };
    let many = search(
        &run,
        &scorer,
        &problem,
        Direction::Forward,
        stop(Some(1), true),
    );
    assert!(many.unwrap_err().to_string().contains("at most 45"));
}
