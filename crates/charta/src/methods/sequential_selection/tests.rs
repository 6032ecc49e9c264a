//! Every scorer against itself fitted from scratch, and against formulas written out.

mod directions;

use ndarray::{Array2, Axis};

use super::scorer::{Change, Evaluator};
use super::*;
use crate::data::Features;
use crate::linalg::cholesky::Cholesky;
use crate::random::{Stream, below, normal, stream};
use crate::run::Run;

/// Rows of three classes in `d` columns: the first ones tell them apart, one is a copy, one constant.
pub(super) fn sample(n: usize, d: usize) -> (Array2<f64>, Vec<u32>) {
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

pub(super) fn class_target(classes: &[u32]) -> Target {
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

pub(super) fn problem_of(
    x: Features<'_>,
    target: Target,
    measure: Measure,
    features: Option<Vec<Vec<usize>>>,
) -> Problem {
    let splits = CrossValidation {
        validation: Validation::Folds(4),
        n_repeats: 1,
        shuffle: true,
        stratify: true,
        seed: 1,
        groups: None,
    };
    let rows: Vec<usize> = (0..x.n_rows()).collect();
    let single = || (0..x.n_columns()).map(|column| vec![column]).collect();
    let features = features.unwrap_or_else(single);
    let splits = splits.splits(&target).unwrap();
    let candidates = Candidates::new(&x, &rows, features);
    Problem::new(candidates, target, measure, splits).unwrap()
}

/// A scorer with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) scorer: Scorer,
    n_neighbors: usize,
    penalty: f64,
}

impl Case {
    pub(super) fn evaluator<'p>(&self, problem: &'p Problem) -> Result<Box<dyn Evaluator + 'p>> {
        (self.scorer).evaluator(&Run::new(), problem, self.n_neighbors, self.penalty)
    }

    /// Scores of a set on all splits, fitted from scratch.
    fn refitted(&self, problem: &Problem, features: &[usize]) -> Vec<f64> {
        let run = Run::new();
        let mut evaluator = self.evaluator(problem).unwrap();
        for &feature in features {
            evaluator.apply(&run, Change::Add(feature)).unwrap();
        }
        let scores = evaluator.scores(&run, &[Change::Keep]).unwrap();
        scores.row(0).to_vec()
    }

    /// L-BFGS ends where the gradient is small, wherever it began.
    fn tolerance(&self) -> f64 {
        if self.scorer == Scorer::Logistic {
            1e-6
        } else {
            1e-9
        }
    }
}

fn case(scorer: Scorer) -> Case {
    Case {
        scorer,
        n_neighbors: 5,
        penalty: 1.0,
    }
}

fn classifiers() -> [Case; 4] {
    [
        Scorer::KNearest,
        Scorer::Lda,
        Scorer::NaiveBayes,
        Scorer::Logistic,
    ]
    .map(case)
}

fn ridge(penalty: f64) -> Case {
    Case {
        penalty,
        ..case(Scorer::Ridge)
    }
}

fn regressors() -> [Case; 3] {
    let three_neighbors = Case {
        n_neighbors: 3,
        ..case(Scorer::KNearest)
    };
    [three_neighbors, case(Scorer::Linear), ridge(2.0)]
}

/// Walks at random through sets, and compares every change with a fit from scratch.
fn updates_equal_fits(case: Case, problem: &Problem) {
    let run = Run::new();
    let mut evaluator = case.evaluator(problem).unwrap();
    let mut members: Vec<usize> = Vec::new();
    let mut numbers: Stream = stream(8, 8);
    let mut n_compared = 0;
    for step in 0..14 {
        let mut changes = vec![Change::Keep];
        let features = 0..problem.n_features();
        changes.extend(features.map(|f| Change::of(f, !members.contains(&f))));
        let scores = evaluator.scores(&run, &changes).unwrap();
        for (&change, scores) in changes.iter().zip(scores.rows()) {
            let wanted = case.refitted(problem, &after(&members, change));
            for (split, (&score, &want)) in scores.iter().zip(&wanted).enumerate() {
                assert!(
                    (score - want).abs() <= case.tolerance() * want.abs().max(1.0),
                    "{} by {}, step {step}, {change:?} of {members:?}, split {split}: {score} for {want}",
                    case.scorer,
                    problem.measure,
                );
                n_compared += 1;
            }
        }
        let pick = if step < 6 {
            // Fill up first, then wander.
            1 + (0..problem.n_features())
                .find(|feature| !members.contains(feature))
                .unwrap_or(0)
        } else {
            1 + below(&mut numbers, problem.n_features())
        };
        evaluator.apply(&run, changes[pick]).unwrap();
        members = after(&members, changes[pick]);
    }
    assert!(n_compared > 300);
}

/// Features after a change, in the order in which they were added.
fn after(members: &[usize], change: Change) -> Vec<usize> {
    let mut members = members.to_vec();
    match change {
        Change::Keep => {}
        Change::Add(feature) => members.push(feature),
        Change::Remove(feature) => members.retain(|&member| member != feature),
    }
    members
}

#[test]
fn every_update_equals_a_fit_from_scratch() {
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
            updates_equal_fits(scorer, &problem);
        }
        let problem = problem_of(
            Features::from(&single),
            class_target(&classes),
            measure,
            None,
        );
        updates_equal_fits(case(Scorer::KNearest), &problem);
    }
    let measures = [
        Measure::RSquared,
        Measure::MeanSquaredError,
        Measure::MeanAbsoluteError,
    ];
    for measure in measures {
        for scorer in regressors() {
            let problem = problem_of(Features::from(&x), number_target(&x), measure, None);
            updates_equal_fits(scorer, &problem);
        }
    }
}

#[test]
fn groups_of_columns_enter_together() {
    let (x, classes) = sample(90, 9);
    let features = vec![vec![0, 3], vec![1], vec![2, 4, 5], vec![6, 7], vec![8]];
    for scorer in classifiers() {
        let target = class_target(&classes);
        let problem = problem_of(
            Features::from(&x),
            target,
            Measure::Accuracy,
            Some(features.clone()),
        );
        updates_equal_fits(scorer, &problem);
    }
    for scorer in regressors() {
        let target = number_target(&x);
        let problem = problem_of(
            Features::from(&x),
            target,
            Measure::RSquared,
            Some(features.clone()),
        );
        updates_equal_fits(scorer, &problem);
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
    let mut evaluator = case(Scorer::Linear).evaluator(&problem).unwrap();
    for feature in 0..24 {
        evaluator.apply(&run, Change::Add(feature)).unwrap();
    }
    let values = evaluator
        .scores(&run, &[Change::Keep, Change::Remove(0), Change::Remove(23)])
        .unwrap();
    assert!(values.iter().all(|value| value.is_finite()), "{values}");
    let problem = problem_of(
        Features::from(&x),
        class_target(&classes),
        Measure::Accuracy,
        None,
    );
    let mut evaluator = case(Scorer::Lda).evaluator(&problem).unwrap();
    for feature in 0..24 {
        evaluator.apply(&run, Change::Add(feature)).unwrap();
    }
    let values = evaluator
        .scores(&run, &[Change::Keep, Change::Remove(3)])
        .unwrap();
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn nearest_rows_are_those_of_a_sort() {
    let (x, classes) = sample(90, 7);
    let target = class_target(&classes);
    let problem = problem_of(Features::from(&x), target, Measure::Accuracy, None);
    for columns in [vec![1], vec![0, 4], vec![2, 3, 1, 6]] {
        let scores = case(Scorer::KNearest).refitted(&problem, &columns);
        for (number, split) in problem.splits.iter().enumerate() {
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
            assert_eq!(scores[number], want);
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
    for (penalty, columns) in [(0.0, vec![1]), (0.0, vec![3, 0, 2]), (2.0, vec![6, 1, 2])] {
        for measure in [Measure::MeanSquaredError, Measure::MeanAbsoluteError] {
            let problem = problem_of(Features::from(&x), target.clone(), measure, None);
            let scorer = if penalty > 0.0 {
                ridge(penalty)
            } else {
                case(Scorer::Linear)
            };
            let scores = scorer.refitted(&problem, &columns);
            for (number, split) in problem.splits.iter().enumerate() {
                let left = residuals(&x, &y, split, &columns, penalty);
                let losses = left.iter().map(|r| match measure {
                    Measure::MeanAbsoluteError => r.abs(),
                    _ => r * r,
                });
                let want = losses.sum::<f64>() / left.len() as f64;
                let got = scores[number];
                assert!((got - want).abs() < 1e-10 * want, "{got} for {want}");
            }
        }
    }
}
