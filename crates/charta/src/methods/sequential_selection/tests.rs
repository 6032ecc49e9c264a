//! Every scorer against itself fitted from scratch, and against formulas written out.

mod directions;

use ndarray::{Array1, Array2, Axis};

use super::cross_validation::Split;
use super::scorer::{Change, Evaluator};
use super::*;
use crate::linalg::cholesky::Cholesky;
use crate::random::{below, normal, stream};

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
        n_classes: classes.iter().max().map_or(0, |most| *most as usize + 1),
    }
}

fn numbers_to_predict(x: &Array2<f64>) -> Vec<f64> {
    let mut numbers = stream(22, 0);
    let rows = x.rows().into_iter();
    rows.map(|row| 3.0 * row[1] - 2.0 * row[2] + row[0] * row[3] + 40.0 + normal(&mut numbers))
        .collect()
}

fn number_target(x: &Array2<f64>) -> Target {
    Target::Numbers(numbers_to_predict(x))
}

/// Four shuffled folds, every column a feature.
pub(super) fn problem<'a>(x: impl Into<Features<'a>>, target: Target, measure: Measure) -> Problem {
    let x = x.into();
    let folds = SequentialSelection {
        validation: Validation::Folds(4),
        seed: 1,
        ..SequentialSelection::default()
    };
    let rows: Vec<usize> = (0..x.n_rows()).collect();
    let (columns, scale) = Columns::of(&x, &rows);
    Problem {
        columns,
        scale,
        features: (0..x.n_columns()).map(|column| vec![column]).collect(),
        splits: folds.splits(&target, None).unwrap(),
        target,
        measure,
    }
}

fn with_scorer(scorer: Scorer) -> SequentialSelection {
    SequentialSelection {
        scorer,
        ..SequentialSelection::default()
    }
}

fn ridge(penalty: f64) -> SequentialSelection {
    SequentialSelection {
        penalty,
        ..with_scorer(Scorer::Ridge)
    }
}

fn classifiers() -> [SequentialSelection; 4] {
    [
        Scorer::KNearest,
        Scorer::Lda,
        Scorer::NaiveBayes,
        Scorer::Logistic,
    ]
    .map(with_scorer)
}

fn regressors() -> [SequentialSelection; 3] {
    let three_neighbors = SequentialSelection {
        n_neighbors: 3,
        ..with_scorer(Scorer::KNearest)
    };
    [three_neighbors, with_scorer(Scorer::Linear), ridge(2.0)]
}

/// L-BFGS ends where the gradient is small, wherever it began.
fn tolerance(scorer: Scorer) -> f64 {
    if scorer == Scorer::Logistic {
        1e-6
    } else {
        1e-9
    }
}

fn change(problem: &Problem, feature: usize, add: bool) -> Change<'_> {
    Change {
        columns: &problem.features[feature],
        add,
    }
}

/// The scorer at a set of features.
fn at_set<'p>(
    method: &SequentialSelection,
    problem: &'p Problem,
    features: &[usize],
) -> Box<dyn Evaluator + 'p> {
    let run = Run::new();
    let mut evaluator = method.evaluator(&run, problem).unwrap();
    for &feature in features {
        evaluator
            .apply(&run, change(problem, feature, true))
            .unwrap();
    }
    evaluator
}

/// Scores of a set on all splits, fitted from scratch.
fn refitted(method: &SequentialSelection, problem: &Problem, features: &[usize]) -> Vec<f64> {
    let evaluator = at_set(method, problem, features);
    let scores = evaluator.scores(&Run::new(), &[Change::NONE]).unwrap();
    scores.row(0).to_vec()
}

/// The features after one was added or removed, in the order in which they were added.
fn after(members: &[usize], feature: usize, add: bool) -> Vec<usize> {
    let columns = &[feature];
    Change { columns, add }.after(members)
}

/// Walks at random through sets, and compares every change with a fit from scratch.
fn updates_equal_fits(method: &SequentialSelection, problem: &Problem) {
    let run = Run::new();
    let n_features = problem.features.len();
    let mut evaluator = method.evaluator(&run, problem).unwrap();
    let mut members: Vec<usize> = Vec::new();
    let mut numbers = stream(8, 8);
    let mut n_compared = 0;
    for step in 0..14 {
        let adds = |feature: usize| !members.contains(&feature);
        let mut changes = vec![Change::NONE];
        changes.extend((0..n_features).map(|f| change(problem, f, adds(f))));
        let mut sets = vec![members.clone()];
        sets.extend((0..n_features).map(|f| after(&members, f, adds(f))));
        let scores = evaluator.scores(&run, &changes).unwrap();
        for (set, scores) in sets.iter().zip(scores.rows()) {
            let wanted = refitted(method, problem, set);
            for (split, (&score, &want)) in scores.iter().zip(&wanted).enumerate() {
                assert!(
                    (score - want).abs() <= tolerance(method.scorer) * want.abs().max(1.0),
                    "{} by {}, step {step}, {members:?} to {set:?}, split {split}: {score} for {want}",
                    method.scorer,
                    problem.measure,
                );
                n_compared += 1;
            }
        }
        let feature = if step < 6 {
            // Fill up first, then wander.
            (0..n_features).find(|&f| adds(f)).unwrap_or(0)
        } else {
            below(&mut numbers, n_features)
        };
        evaluator.apply(&run, changes[1 + feature]).unwrap();
        members = sets.swap_remove(1 + feature);
    }
    assert!(n_compared > 300);
}

#[test]
fn every_update_equals_a_fit_from_scratch() {
    let (x, classes) = sample(90, 7);
    let single = x.mapv(|value| value as f32);
    for measure in [
        Measure::Accuracy,
        Measure::BalancedAccuracy,
        Measure::LogLoss,
    ] {
        for method in &classifiers() {
            let problem = problem(&x, class_target(&classes), measure);
            updates_equal_fits(method, &problem);
        }
        let problem = problem(&single, class_target(&classes), measure);
        updates_equal_fits(&with_scorer(Scorer::KNearest), &problem);
    }
    for measure in [
        Measure::RSquared,
        Measure::MeanSquaredError,
        Measure::MeanAbsoluteError,
    ] {
        for method in &regressors() {
            updates_equal_fits(method, &problem(&x, number_target(&x), measure));
        }
    }
}

#[test]
fn groups_of_columns_enter_together() {
    let (x, classes) = sample(90, 9);
    let grouped = |target: Target, measure: Measure| Problem {
        features: vec![vec![0, 3], vec![1], vec![2, 4, 5], vec![6, 7], vec![8]],
        ..problem(&x, target, measure)
    };
    for method in &classifiers() {
        let problem = grouped(class_target(&classes), Measure::Accuracy);
        updates_equal_fits(method, &problem);
    }
    for method in &regressors() {
        let problem = grouped(number_target(&x), Measure::RSquared);
        updates_equal_fits(method, &problem);
    }
}

/// More columns than rows to learn from: some are always combinations of others.
#[test]
fn combinations_of_columns_are_taken_out_and_in_rightly() {
    let (x, classes) = sample(21, 24);
    let all: Vec<usize> = (0..24).collect();
    let scores = |scorer: Scorer, problem: Problem, removed: &[usize]| {
        let removals = removed.iter().map(|&f| change(&problem, f, false));
        let changes: Vec<_> = [Change::NONE].into_iter().chain(removals).collect();
        let evaluator = at_set(&with_scorer(scorer), &problem, &all);
        evaluator.scores(&Run::new(), &changes).unwrap()
    };
    let regression = problem(&x, number_target(&x), Measure::RSquared);
    let values = scores(Scorer::Linear, regression, &[0, 23]);
    assert!(values.iter().all(|value| value.is_finite()), "{values}");
    let classification = problem(&x, class_target(&classes), Measure::Accuracy);
    let values = scores(Scorer::Lda, classification, &[3]);
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn nearest_rows_are_those_of_a_sort() {
    let (x, classes) = sample(90, 7);
    let problem = problem(&x, class_target(&classes), Measure::Accuracy);
    for columns in [vec![1], vec![0, 4], vec![2, 3, 1, 6]] {
        let scores = refitted(&with_scorer(Scorer::KNearest), &problem, &columns);
        let squared_distance = |row: usize, other: usize| -> f64 {
            let differences = columns.iter().map(|&c| x[[row, c]] - x[[other, c]]);
            differences.map(|difference| difference.powi(2)).sum()
        };
        for (split, score) in problem.splits.iter().zip(scores) {
            let right = split.test.iter().filter(|&&row| {
                let mut nearest = split.train.clone();
                nearest.sort_by(|&a, &b| {
                    squared_distance(row, a).total_cmp(&squared_distance(row, b))
                });
                let mut votes = [0; 3];
                for &other in &nearest[..5] {
                    votes[classes[other] as usize] += 1;
                }
                let guess = (0..3).rev().max_by_key(|&class| votes[class]).unwrap();
                guess == classes[row] as usize
            });
            let want = right.count() as f64 / split.test.len() as f64;
            assert_eq!(score, want);
        }
    }
}

/// Residuals of the held-out rows by the normal equations of rows with a column of ones.
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
    let known: Array1<f64> = split.train.iter().map(|&row| y[row]).collect();
    let right = train.t().dot(&known).insert_axis(Axis(1));
    let factor = Cholesky::of(&gram.view()).unwrap();
    let found = factor.solve_upper(&factor.solve_lower(&right.view()).view());
    let predicted = test.dot(&found.column(0));
    let rows = split.test.iter().zip(&predicted);
    rows.map(|(&row, predicted)| y[row] - predicted).collect()
}

#[test]
fn regressions_are_those_of_the_normal_equations() {
    let (x, _) = sample(90, 7);
    let y = numbers_to_predict(&x);
    for (penalty, columns) in [(0.0, vec![1]), (0.0, vec![3, 0, 2]), (2.0, vec![6, 1, 2])] {
        for measure in [Measure::MeanSquaredError, Measure::MeanAbsoluteError] {
            let problem = problem(&x, Target::Numbers(y.clone()), measure);
            let method = if penalty > 0.0 {
                ridge(penalty)
            } else {
                with_scorer(Scorer::Linear)
            };
            let scores = refitted(&method, &problem, &columns);
            for (split, score) in problem.splits.iter().zip(scores) {
                let left = residuals(&x, &y, split, &columns, penalty);
                let losses = left.iter().map(|r| match measure {
                    Measure::MeanAbsoluteError => r.abs(),
                    _ => r * r,
                });
                let want = losses.sum::<f64>() / left.len() as f64;
                assert!((score - want).abs() < 1e-10 * want, "{score} for {want}");
            }
        }
    }
}
