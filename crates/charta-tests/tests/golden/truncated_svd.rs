//! The truncated SVD against scikit-learn's numbers, and numpy's: every solver, dense and sparse.

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, indices, matrix, number, signs,
    vector,
};
use charta::data::SparseRows;
use charta::methods::truncated_svd::Solver;
use charta::methods::truncated_svd::{TruncatedSvd, TruncatedSvdModel};
use charta::{Data, Features, Fit, InverseTransform, Model, Transform};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value as Json;

const SETS: [&str; 4] = ["digits", "wine", "breast_cancer", "diabetes"];
const SOLVERS: [Solver; 5] = [
    Solver::Auto,
    Solver::Covariance,
    Solver::Dual,
    Solver::Svd,
    Solver::Randomized,
];

fn stored<'a>(reference: &'a Json, algorithm: &str, input: &str) -> &'a Json {
    reference["fits"]
        .as_array()
        .unwrap()
        .iter()
        .find(|fit| fit["algorithm"] == algorithm && fit["input"] == input)
        .unwrap_or_else(|| panic!("no {algorithm} {input}"))
}

fn fit(solver: Solver, fit: &Json, data: &Data<'_>) -> TruncatedSvdModel {
    let svd = TruncatedSvd {
        n_components: number(&fit["n_components"]) as usize,
        solver,
        tolerance: 1e-12,
        ..TruncatedSvd::default()
    };
    svd.fit(data).unwrap()
}

fn check(model: &TruncatedSvdModel, x: &Array2<f64>, reference: &Json, fit: &Json, tolerance: f64) {
    let name = reference["data"]["name"].as_str().unwrap();
    let all = vector(&reference["all_singular_values"]);
    let kept = all.slice(s![..model.n_components()]).to_owned();
    close_each(name, model.singular_values(), &kept, tolerance);
    close_each(
        name,
        model.explained_variance(),
        &vector(&fit["explained_variance"]),
        tolerance,
    );
    close_each(
        name,
        &model.explained_variance_ratio(),
        &vector(&fit["explained_variance_ratio"]),
        tolerance,
    );
    let subset = &reference["subset"];
    let columns = indices(&subset["columns"]);
    let theirs = matrix(&fit["components"]);
    let count = theirs.nrows();
    let ours = model
        .components()
        .slice(s![..count, ..])
        .select(Axis(1), &columns);
    let signs = signs(&ours, &theirs).insert_axis(Axis(1));
    close_whole(
        name,
        &(&ours * &signs).view(),
        &theirs.view(),
        100.0 * tolerance,
    );
    let rows = x.select(Axis(0), &indices(&subset["rows"]));
    let placed = model
        .transform(&rows)
        .unwrap()
        .slice(s![.., ..count])
        .to_owned();
    close_whole(
        name,
        &(&placed * &signs.t()).view(),
        &matrix(&fit["transform"]).view(),
        100.0 * tolerance,
    );
    let back = model
        .inverse_transform(&model.transform(x).unwrap().view())
        .unwrap();
    let lost: f64 = (x - &back).iter().map(|d| d * d).sum();
    close(name, lost, number(&fit["error_sum_of_squares"]), 1e-6);
}

#[test]
fn every_solver_gives_numpys_singular_values() {
    for name in SETS {
        let x = dense(name);
        let reference = golden(&format!("truncated_svd_{name}.json"));
        check_same_data(&x, &reference);
        let theirs = stored(&reference, "arpack", "dense");
        for solver in SOLVERS {
            eprintln!("{name} {solver}");
            check(
                &fit(solver, theirs, &Data::from(&x)),
                &x,
                &reference,
                theirs,
                1e-6,
            );
        }
    }
}

#[test]
fn single_precision_agrees_to_its_digits() {
    for name in SETS {
        let x = dense(name);
        let single = x.mapv(|value| value as f32);
        let reference = golden(&format!("truncated_svd_{name}.json"));
        let theirs = stored(&reference, "arpack", "dense");
        let model = fit(Solver::Auto, theirs, &Data::from(&single));
        let all = vector(&reference["all_singular_values"]);
        let kept = all.slice(s![..model.n_components()]).to_owned();
        close_each(name, model.singular_values(), &kept, 1e-4);
    }
}

#[test]
fn sparse_rows_give_the_same() {
    for name in ["digits", "diabetes"] {
        let x = dense(name);
        let entries: Vec<(usize, usize, f64)> = x
            .indexed_iter()
            .filter(|(_, value)| **value != 0.0)
            .map(|((row, column), value)| (row, column, *value))
            .collect();
        let rows = SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap();
        let reference = golden(&format!("truncated_svd_{name}.json"));
        let features = Features::from(rows.view());
        assert_eq!(
            features.n_stored() as f64,
            number(&reference["n_stored_entries"])
        );
        let theirs = stored(&reference, "arpack", "csr");
        for solver in SOLVERS {
            let model = fit(solver, theirs, &Data::new(features.reborrow()));
            check(&model, &x, &reference, theirs, 1e-6);
        }
    }
}

#[test]
fn the_rank_limits_what_is_found() {
    let column = Array1::from_shape_fn(30, |i| 1.0 + i as f64);
    let row = ndarray::array![1.0, -2.0, 0.5, 0.0];
    let x = Array2::from_shape_fn((30, 4), |(i, j)| column[i] * row[j]);
    let svd = TruncatedSvd {
        n_components: 3,
        ..TruncatedSvd::default()
    };
    let model = svd.fit(&x).unwrap();
    let length = (column.dot(&column) * row.dot(&row)).sqrt();
    close(
        "the only singular value",
        model.singular_values()[0],
        length,
        1e-12,
    );
    assert_eq!(
        model.singular_values().slice(s![1..]),
        ndarray::aview1(&[0.0, 0.0])
    );
    let embedding = model.embedding().unwrap();
    assert!(
        embedding
            .slice(s![.., 1..])
            .iter()
            .all(|&value| value == 0.0)
    );
    let zeros = Array2::<f64>::zeros((5, 4));
    assert!(
        svd.fit(&zeros)
            .unwrap_err()
            .to_string()
            .contains("all values are zero")
    );
}

#[test]
fn a_random_start_is_reproducible() {
    let x = dense("digits");
    let randomized = |seed| {
        let svd = TruncatedSvd {
            n_components: 5,
            solver: Solver::Randomized,
            seed,
            ..TruncatedSvd::default()
        };
        svd.fit(&x).unwrap()
    };
    assert_eq!(randomized(3).components(), randomized(3).components());
    assert_ne!(randomized(3).components(), randomized(4).components());
}

#[test]
fn single_precision_with_a_large_column_keeps_the_small_components() {
    let mut numbers = charta::random::stream(4, 0);
    let x = Array2::from_shape_fn((1000, 4), |(_, j)| {
        let noise = charta::random::normal(&mut numbers) as f32;
        if j == 3 {
            2000.0 + noise
        } else {
            noise / (1 + j) as f32
        }
    });
    let svd = TruncatedSvd {
        n_components: 4,
        ..TruncatedSvd::default()
    };
    let single = svd.fit(&x).unwrap();
    let double = svd.fit(&x.mapv(f64::from)).unwrap();
    close_each(
        "singular values",
        single.singular_values(),
        double.singular_values(),
        1e-4,
    );
}
