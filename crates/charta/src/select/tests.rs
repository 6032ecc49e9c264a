//! Every scorer against itself learned anew, and against formulas written out; every direction against all sets.

use ndarray::{Array2, Axis};

use super::*;
use crate::data::Features;
use crate::linalg::cholesky::Cholesky;
use crate::random::{Stream, below, normal, stream};
use crate::run::Run;

/// Rows of three classes in `d` columns: the first ones tell them apart, one is a copy, one constant.
fn sample(n: usize, d: usize) -> (Array2<f64>, Vec<u32>) {
    let mut numbers = stream(21, 0);
    let classes: Vec<u32> = (0..n).map(|row| (row % 3) as u32).collect();
    let mut x = Array2::from_shape_fn((n, d), |(i, j)| {
        f64::from(classes[i]) * [1.1, -0.7, 0.4, 0.0, 0.2][j % 5] + normal(&mut numbers)
    });
    if d > 5 {
        let copy = x.column(0).to_owned();
        x.column_mut(4).assign(&copy);
        x.column_mut(5).fill(2.5);
    }
    (x, classes)
}

fn class_target(classes: &[u32]) -> Target {
    Target::Classes {
        of_row: classes.to_vec(),
        names: ["a", "b", "c"].map(String::from).to_vec(),
    }
}

fn number_target(x: &Array2<f64>) -> Target {
    let mut numbers = stream(22, 0);
    let rows = x.rows().into_iter();
    Target::Numbers(
        rows.map(|row| 3.0 * row[1] - 2.0 * row[2] + row[0] * row[3] + 40.0 + normal(&mut numbers))
            .collect(),
    )
}

fn problem_of(
    x: Features<'_>,
    target: Target,
    measure: Measure,
    units: Option<Vec<Vec<usize>>>,
) -> Problem {
    let splits = Splitting {
        validation: Validation::Folds(4),
        n_repeats: 1,
        shuffle: true,
        stratify: true,
        seed: 1,
        groups: None,
    };
    let rows: Vec<usize> = (0..x.n_rows()).collect();
    let units = units.unwrap_or_else(|| (0..x.n_columns()).map(|column| vec![column]).collect());
    let splits = splits.of(&target).unwrap();
    Problem::new(&x, &rows, units, (target, measure), splits).unwrap()
}

fn classifiers() -> Vec<Box<dyn Scorer>> {
    vec![
        Box::new(KNearest { n_neighbors: 5 }),
        Box::new(LinearDiscriminant),
        Box::new(NaiveBayes),
        Box::new(LogisticRegression { penalty: 1.0 }),
    ]
}

fn regressors() -> Vec<Box<dyn Scorer>> {
    vec![
        Box::new(KNearest { n_neighbors: 3 }),
        Box::new(LinearRegression { penalty: 0.0 }),
        Box::new(LinearRegression { penalty: 2.0 }),
    ]
}

/// Walks at random through sets, and compares every change with everything learned anew.
fn incremental_is_anew(scorer: &dyn Scorer, problem: &Problem, tolerance: f64) {
    let run = Run::new();
    let mut set = scorer::start(&run, scorer, problem).unwrap();
    let mut members: Vec<usize> = Vec::new();
    let mut numbers: Stream = stream(8, 8);
    let mut n_compared = 0;
    for step in 0..14 {
        let mut changes = vec![Change::Keep];
        changes.extend((0..problem.n_units()).map(|unit| {
            if members.contains(&unit) {
                Change::Remove(unit)
            } else {
                Change::Add(unit)
            }
        }));
        let values = set.changed(&run, &changes).unwrap();
        for (&change, values) in changes.iter().zip(values.rows()) {
            let mut after = members.clone();
            scorer::change_members(&mut after, change);
            let columns = scorer::columns_of(problem, &after);
            for (split, &value) in values.iter().enumerate() {
                let want = scorer.score(&run, problem, split, &columns).unwrap();
                assert!(
                    (value - want).abs() <= tolerance * want.abs().max(1.0),
                    "{} by {}, step {step}, {change:?} of {members:?}, split {split}: {value} for {want}",
                    scorer.name(),
                    problem.measure(),
                );
                n_compared += 1;
            }
        }
        let pick = if step < 6 {
            // Fill up first, then wander.
            1 + (0..problem.n_units())
                .find(|unit| !members.contains(unit))
                .unwrap_or(0)
        } else {
            1 + below(&mut numbers, problem.n_units())
        };
        set.apply(&run, changes[pick]).unwrap();
        scorer::change_members(&mut members, changes[pick]);
    }
    assert!(n_compared > 300);
}

#[test]
fn every_update_gives_what_learning_anew_gives() {
    let (x, classes) = sample(90, 7);
    let single = x.mapv(|value| value as f32);
    let measures = [
        Measure::Accuracy,
        Measure::BalancedAccuracy,
        Measure::LogLoss,
    ];
    for measure in measures {
        for scorer in classifiers() {
            let problem = problem_of(Features::from(&x), class_target(&classes), measure, None);
            incremental_is_anew(scorer.as_ref(), &problem, 1e-9);
        }
        let problem = problem_of(
            Features::from(&single),
            class_target(&classes),
            measure,
            None,
        );
        incremental_is_anew(&KNearest { n_neighbors: 5 }, &problem, 1e-9);
    }
    let measures = [
        Measure::RSquared,
        Measure::MeanSquaredError,
        Measure::MeanAbsoluteError,
    ];
    for measure in measures {
        for scorer in regressors() {
            let problem = problem_of(Features::from(&x), number_target(&x), measure, None);
            incremental_is_anew(scorer.as_ref(), &problem, 1e-9);
        }
    }
}

#[test]
fn groups_of_columns_enter_together() {
    let (x, classes) = sample(90, 9);
    let units = vec![vec![0, 3], vec![1], vec![2, 4, 5], vec![6, 7], vec![8]];
    for scorer in classifiers() {
        let target = class_target(&classes);
        let problem = problem_of(
            Features::from(&x),
            target,
            Measure::Accuracy,
            Some(units.clone()),
        );
        incremental_is_anew(scorer.as_ref(), &problem, 1e-9);
    }
    for scorer in regressors() {
        let target = number_target(&x);
        let problem = problem_of(
            Features::from(&x),
            target,
            Measure::RSquared,
            Some(units.clone()),
        );
        incremental_is_anew(scorer.as_ref(), &problem, 1e-9);
    }
}

/// More columns than rows to learn from: some are always combinations of others.
#[test]
fn combinations_of_columns_are_taken_out_and_in_rightly() {
    let (x, classes) = sample(21, 24);
    let problem = problem_of(
        Features::from(&x),
        number_target(&x),
        Measure::RSquared,
        None,
    );
    let run = Run::new();
    let scorer = LinearRegression { penalty: 0.0 };
    let mut set = scorer::start(&run, &scorer, &problem).unwrap();
    for unit in 0..24 {
        set.apply(&run, Change::Add(unit)).unwrap();
    }
    let values = set
        .changed(&run, &[Change::Keep, Change::Remove(0), Change::Remove(23)])
        .unwrap();
    assert!(values.iter().all(|value| value.is_finite()), "{values}");
    let problem = problem_of(
        Features::from(&x),
        class_target(&classes),
        Measure::Accuracy,
        None,
    );
    let mut set = scorer::start(&run, &LinearDiscriminant, &problem).unwrap();
    for unit in 0..24 {
        set.apply(&run, Change::Add(unit)).unwrap();
    }
    let values = set
        .changed(&run, &[Change::Keep, Change::Remove(3)])
        .unwrap();
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn nearest_rows_are_those_of_a_sort() {
    let (x, classes) = sample(90, 7);
    let target = class_target(&classes);
    let problem = problem_of(Features::from(&x), target, Measure::Accuracy, None);
    let run = Run::new();
    for columns in [vec![1], vec![0, 4], vec![2, 3, 1, 6]] {
        for (number, split) in problem.splits().iter().enumerate() {
            let right = split.test.iter().filter(|&&row| {
                let mut apart: Vec<(f64, usize)> = split
                    .train
                    .iter()
                    .map(|&other| {
                        let squares = columns
                            .iter()
                            .map(|&c| (x[[row, c]] - x[[other, c]]).powi(2));
                        (squares.sum(), other)
                    })
                    .collect();
                apart.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let mut votes = [0; 3];
                apart[..5]
                    .iter()
                    .for_each(|(_, other)| votes[classes[*other] as usize] += 1);
                let guess = (0..3).rev().max_by_key(|&class| votes[class]).unwrap();
                guess == classes[row] as usize
            });
            let want = right.count() as f64 / split.test.len() as f64;
            let scorer = KNearest { n_neighbors: 5 };
            assert_eq!(
                scorer.score(&run, &problem, number, &columns).unwrap(),
                want
            );
        }
    }
}

/// Coefficients by the normal equations of rows with a column of ones.
fn residuals(
    x: &Array2<f64>,
    y: &[f64],
    split: &Split,
    columns: &[usize],
    penalty: f64,
) -> Vec<f64> {
    let table = |rows: &[usize]| {
        let part = x.select(Axis(0), rows).select(Axis(1), columns);
        let mut table = Array2::ones((rows.len(), columns.len() + 1));
        table.slice_mut(ndarray::s![.., 1..]).assign(&part);
        table
    };
    let (train, test) = (table(&split.train), table(&split.test));
    let mut gram = train.t().dot(&train);
    for column in 1..=columns.len() {
        gram[[column, column]] += penalty;
    }
    let known: ndarray::Array1<f64> = split.train.iter().map(|&row| y[row]).collect();
    let right = train.t().dot(&known).insert_axis(Axis(1));
    let factor = Cholesky::of(&gram.view()).unwrap();
    let found = factor.solve_upper(&factor.solve_lower(&right.view()).view());
    let guessed = test.dot(&found.column(0));
    split
        .test
        .iter()
        .zip(&guessed)
        .map(|(&row, guess)| y[row] - guess)
        .collect()
}

#[test]
fn regressions_are_those_of_the_normal_equations() {
    let (x, _) = sample(90, 7);
    let target = number_target(&x);
    let Target::Numbers(y) = target.clone() else {
        panic!("numbers expected");
    };
    let run = Run::new();
    for (penalty, columns) in [(0.0, vec![1]), (0.0, vec![3, 0, 2]), (2.0, vec![6, 1, 2])] {
        for measure in [Measure::MeanSquaredError, Measure::MeanAbsoluteError] {
            let problem = problem_of(Features::from(&x), target.clone(), measure, None);
            for (number, split) in problem.splits().iter().enumerate() {
                let left = residuals(&x, &y, split, &columns, penalty);
                let losses = left.iter().map(|r| match measure {
                    Measure::MeanAbsoluteError => r.abs(),
                    _ => r * r,
                });
                let want = losses.sum::<f64>() / left.len() as f64;
                let scorer = LinearRegression { penalty };
                let got = scorer.score(&run, &problem, number, &columns).unwrap();
                assert!((got - want).abs() < 1e-10 * want, "{got} for {want}");
            }
        }
    }
}

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
            assert!(all.chosen.error <= path.chosen.error + 1e-9, "{way}");
            for found in &path.by_size {
                let best = &all.by_size[found.units.len() - 1];
                assert!(best.error <= found.error + 1e-9, "{way} {:?}", found.units);
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
        assert_eq!(three.chosen.units, all.by_size[2].units);
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
        x[[row, 1]] = (row % 2) as f64;
        x[[row, 3]] = (row % 2) as f64;
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
