//! Every scorer against itself learned anew, and against formulas written out.

mod ways;

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
fn incremental_is_anew(scorer: &dyn Scorer, problem: &Problem) {
    // Logistic regression ends where the slope is small, wherever it began.
    let tolerance = if scorer.name().contains("logistic") {
        1e-6
    } else {
        1e-9
    };
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
            incremental_is_anew(scorer.as_ref(), &problem);
        }
        let problem = problem_of(
            Features::from(&single),
            class_target(&classes),
            measure,
            None,
        );
        incremental_is_anew(&KNearest { n_neighbors: 5 }, &problem);
    }
    let measures = [
        Measure::RSquared,
        Measure::MeanSquaredError,
        Measure::MeanAbsoluteError,
    ];
    for measure in measures {
        for scorer in regressors() {
            let problem = problem_of(Features::from(&x), number_target(&x), measure, None);
            incremental_is_anew(scorer.as_ref(), &problem);
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
        incremental_is_anew(scorer.as_ref(), &problem);
    }
    for scorer in regressors() {
        let target = number_target(&x);
        let problem = problem_of(
            Features::from(&x),
            target,
            Measure::RSquared,
            Some(units.clone()),
        );
        incremental_is_anew(scorer.as_ref(), &problem);
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
