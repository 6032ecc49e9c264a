//! Monotone regression and SMACOF against scikit-learn's numbers, from the same starts.

use crate::support::{check_same_data, close, dense, golden, matrix, number, vector};
use charta::Run;
use charta::internals::{Dissimilarities, Kept, Scaling, Smacof, regress, regress_by};
use charta::methods::mds::{Steps, Ties};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde_json::Value as Json;

/// The rows of a reference, or the distances of the cities.
pub(crate) fn rows_of(name: &str) -> Array2<f64> {
    match name {
        "eurodist" => matrix(&golden("classical_mds_eurodist.json")["distances"]),
        "swiss" => matrix(&golden("sammon_swiss.json")["rows"]),
        "iris" => unique(&dense("iris").mapv(|value| (10.0 * value).round())),
        _ => dense("digits").slice(s![..150, ..]).to_owned(),
    }
}

/// The rows without repetitions, each where it stands first.
fn unique(x: &Array2<f64>) -> Array2<f64> {
    let first = |row: &usize| (0..*row).all(|before| x.row(before) != x.row(*row));
    let kept: Vec<usize> = (0..x.nrows()).filter(first).collect();
    x.select(Axis(0), &kept)
}

pub(crate) fn between(x: &ArrayView2<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let apart = &x.row(i) - &x.row(j);
        apart.dot(&apart).sqrt()
    })
}

pub(crate) fn distances_of(name: &str, reference: &Json) -> Array2<f64> {
    let rows = rows_of(name);
    check_same_data(&rows, reference);
    match name {
        "eurodist" => rows,
        _ => between(&rows.view()),
    }
}

/// The pairs of a square matrix, row by row above the diagonal.
pub(crate) fn pairs(square: &Array2<f64>) -> Vec<f64> {
    let n = square.nrows();
    (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .map(|place| square[place])
        .collect()
}

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().unwrap().iter()
}

#[test]
fn monotone_regression_agrees_with_scikit_learn() {
    let reference = golden("isotonic.json");
    for case in list(&reference["ordered"]) {
        let mut values = vector(&case["values"]).to_vec();
        let weights = vector(&case["weights"]).to_vec();
        regress(&mut values, Some(&weights));
        near(&case["name"], &values, &vector(&case["fitted"]));
    }
    for case in list(&reference["tied"]) {
        let (keys, given) = (vector(&case["order"]), vector(&case["values"]));
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        let taken = |from: &Array1<f64>| order.iter().map(|&place| from[place]).collect::<Vec<_>>();
        let (sorted, weights) = (taken(&keys), taken(&vector(&case["weights"])));
        for (ties, name) in [(Ties::Secondary, "together"), (Ties::Primary, "apart")] {
            let mut values = taken(&given);
            regress_by(&sorted, &mut values, Some(&weights), ties);
            let theirs = taken(&vector(&case[name]));
            near(&case["name"], &values, &theirs.into());
        }
    }
}

fn near(what: &Json, ours: &[f64], theirs: &Array1<f64>) {
    for (place, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() < 1e-12, "{what}[{place}]: {a} against {b}");
    }
}

fn scaled(
    kept: Kept,
    n_iter: &Json,
    known: &Dissimilarities,
    start: &Json,
    n_rows: usize,
) -> Scaling {
    let smacof = Smacof {
        kept,
        steps: Steps::Majorization,
        max_iterations: number(n_iter) as usize,
        tolerance: 0.0,
    };
    let start = matrix(start).slice(s![..n_rows, ..]).to_owned();
    smacof.from(&Run::new(), known, start).unwrap()
}

/// Ours is not above theirs.
pub(crate) fn not_above(what: &str, ours: f64, theirs: f64, slack: f64) {
    assert!(
        ours <= theirs * (1.0 + slack),
        "{what}: {ours} above {theirs} by {:.1e}",
        ours / theirs - 1.0
    );
}

#[test]
fn metric_stress_is_not_above_scikit_learns_from_the_same_starts() {
    for name in ["iris", "digits", "eurodist"] {
        let reference = golden(&format!("smacof_{name}.json"));
        let distances = distances_of(name, &reference);
        let known = Dissimilarities::new(distances.clone(), None).unwrap();
        for (place, runs) in list(&reference["metric"]).enumerate() {
            let start = &reference["starts"][place];
            for run in list(runs) {
                let what = format!("{name}, start {place}, {} steps", run["n_iter"]);
                let n_rows = distances.nrows();
                let ours = scaled(Kept::Distances, &run["n_iter"], &known, start, n_rows);
                let theirs = number(&run["stress"]);
                not_above(&what, ours.stress, theirs, 1e-9);
                // The same steps, so the same stress.
                close(&what, ours.stress, theirs, 1e-7);
                let brute = raw_stress(&pairs(&distances), &ours.layout);
                close(&what, ours.stress, brute, 1e-10);
            }
        }
    }
}

fn raw_stress(wanted: &[f64], layout: &Array2<f64>) -> f64 {
    let found = pairs(&between(&layout.view()));
    wanted
        .iter()
        .zip(&found)
        .map(|(a, b)| (a - b) * (a - b))
        .sum()
}

/// Kruskal's first stress of a layout, with its own best monotone distances.
fn stress_1(wanted: &[f64], layout: &Array2<f64>, ties: Ties) -> f64 {
    let found = pairs(&between(&layout.view()));
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let keys: Vec<f64> = order.iter().map(|&place| wanted[place]).collect();
    let sorted: Vec<f64> = order.iter().map(|&place| found[place]).collect();
    let mut best = sorted.clone();
    regress_by(&keys, &mut best, None, ties);
    let rest: f64 = sorted
        .iter()
        .zip(&best)
        .map(|(a, b)| (a - b) * (a - b))
        .sum();
    (rest / sorted.iter().map(|d| d * d).sum::<f64>()).sqrt()
}

#[test]
fn non_metric_stress_is_not_above_scikit_learns_from_the_same_starts() {
    for name in ["iris", "digits", "eurodist"] {
        let reference = golden(&format!("smacof_{name}.json"));
        let distances = distances_of(name, &reference);
        let known = Dissimilarities::new(distances.clone(), None).unwrap();
        let wanted = pairs(&distances);
        for (place, runs) in list(&reference["nonmetric"]).enumerate() {
            let start = &reference["starts"][place];
            for run in list(runs) {
                let what = format!("{name}, start {place}, {} steps", run["n_iter"]);
                let kept = Kept::Order(Ties::Secondary);
                let ours = scaled(kept, &run["n_iter"], &known, start, distances.nrows());
                let stress = stress_1(&wanted, &ours.layout, Ties::Secondary);
                let theirs = number(&run["stress_1"]["together"]);
                not_above(&what, stress, theirs, 1e-9);
            }
        }
    }
}

#[test]
fn non_metric_scaling_of_the_cities_is_below_rs() {
    let reference = golden("smacof_eurodist.json");
    let distances = distances_of("eurodist", &reference);
    let known = Dissimilarities::new(distances.clone(), None).unwrap();
    let kept = Kept::Order(Ties::Primary);
    let n_iter = serde_json::json!(300);
    let start = &reference["starts"][0];
    let ours = scaled(kept, &n_iter, &known, start, distances.nrows());
    let stress = stress_1(&pairs(&distances), &ours.layout, Ties::Primary);
    let printed = number(&reference["by_r"]["stress_per_cent"]) / 100.0;
    not_above("R's isoMDS", stress, printed, 0.0);
}

/// The weights of the reference: 0 stands for a missing distance.
fn weights(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| {
        let (i, j) = (i.min(j), i.max(j));
        match (i + 2 * j) % 7 {
            _ if i == j => 0.0,
            0 => 0.0,
            _ => 1.0 + ((7 * i + 3 * j) % 5) as f64 / 2.0,
        }
    })
}

#[test]
fn weighted_stress_with_missing_distances_agrees_with_the_formulas() {
    for name in ["iris", "digits"] {
        let reference = golden(&format!("smacof_{name}.json"));
        let distances = distances_of(name, &reference);
        for (place, record) in list(&reference["weighted"]).enumerate() {
            let n = number(&record["n_rows"]) as usize;
            let weights = weights(n);
            let mut given = distances.slice(s![..n, ..n]).to_owned();
            given.zip_mut_with(&weights, |distance, &weight| {
                if weight == 0.0 && *distance != 0.0 {
                    *distance = f64::NAN;
                }
            });
            let known = Dissimilarities::new(given, Some(weights.view())).unwrap();
            for run in list(&record["runs"]) {
                let what = format!("{name}, start {place}, {} steps", run["n_iter"]);
                let start = &reference["starts"][place];
                let ours = scaled(Kept::Distances, &run["n_iter"], &known, start, n);
                let wanted = distances.slice(s![..n, ..n]).to_owned();
                let rest = &wanted - &between(&ours.layout.view());
                let stress = (&rest * &rest * &weights).sum() / 2.0;
                close(&what, stress, number(&run["stress"]), 1e-7);
            }
        }
    }
}
