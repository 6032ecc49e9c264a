//! Locally linear embedding and its kin against scikit-learn, and Hessian eigenmaps against a direct computation.

use charta::data::synthetic;
use charta::methods::find;
use charta::model::LleModel;
use charta::pipeline::Fitted;
use charta::{Data, Fit, Model, Run};
use ndarray::{Array2, ArrayView2, Axis};
use serde_json::{Value as Json, json};

use crate::support::{check_same_data, close, close_whole, dense, golden, matrix, number, vector};

const METHODS: [&str; 4] = ["lle", "modified_lle", "ltsa", "hessian_lle"];
const DATA: [&str; 4] = ["swiss_roll", "s_curve", "severed_sphere", "digits"];

fn rows_of(name: &str) -> Array2<f64> {
    if name == "digits" {
        dense("digits")
    } else {
        matrix(&golden(&format!("points_{name}.json"))["points"])
    }
}

fn fit(method: &str, rows: &Array2<f64>) -> Fitted {
    let parameters = json!({"n_neighbors": 12, "n_components": 2});
    let entry = find(method).unwrap();
    entry
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), &Data::from(rows), None))
        .unwrap()
}

/// Our columns with the signs of theirs.
fn signed(ours: ArrayView2<'_, f64>, theirs: &Array2<f64>) -> (Array2<f64>, Vec<f64>) {
    let mut turned = ours.to_owned();
    let mut signs = Vec::new();
    for (mut column, their) in turned.columns_mut().into_iter().zip(theirs.columns()) {
        let sign = column.dot(&their).signum();
        column *= sign;
        signs.push(sign);
    }
    (turned, signs)
}

fn check(method: &str, rows: &Array2<f64>, reference: &Json) {
    let fitted = fit(method, rows);
    let model: &LleModel = fitted.model().as_any().downcast_ref().unwrap();
    // Eigenvalues are known to a rounding of the matrix's size, which is about 1.
    let slack = |value: f64| 1e-5 + 3e-15 / value;
    let error = number(&reference["reconstruction_error"]);
    close(
        "reconstruction error",
        model.reconstruction_error(),
        error,
        slack(error),
    );
    let values = vector(&reference["eigenvalues"]);
    for (ours, theirs) in model.eigenvalues().iter().zip(values.iter().skip(1)) {
        close("eigenvalue", *ours, *theirs, slack(*theirs));
    }
    let theirs = matrix(&reference["embedding"]);
    let (ours, _) = signed(model.embedding().unwrap(), &theirs);
    close_whole("embedding", &ours.view(), &theirs.view(), 1e-5);
}

#[test]
fn maps_and_errors_are_those_of_the_references() {
    for name in DATA {
        let rows = rows_of(name);
        for method in METHODS {
            eprintln!("{method} of {name}");
            let reference = golden(&format!("{method}_{name}.json"));
            check_same_data(&rows, &reference);
            if reference.get("embedding").is_some() {
                check(method, &rows, &reference);
            } else {
                // Rows that are nobody's neighbour leave the reference without a result; here they are tied.
                assert!(number(&reference["n_zero_rows"]) > 0.0);
                let fitted = fit(method, &rows);
                let model: &LleModel = fitted.model().as_any().downcast_ref().unwrap();
                let widest = model
                    .embedding()
                    .unwrap()
                    .iter()
                    .fold(0.0_f64, |m, v| m.max(v.abs()));
                assert!(widest < 0.9, "{method}: a row by itself");
            }
        }
    }
}

#[test]
fn rows_held_out_are_placed_by_the_same_weights() {
    for name in DATA {
        let rows = rows_of(name);
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..rows.nrows()).partition(|row| row % 5 != 4);
        for method in ["lle", "modified_lle"] {
            let reference = golden(&format!("{method}_{name}.json"));
            let held = &reference["held_out"];
            let fitted = fit(method, &rows.select(Axis(0), &inside));
            let new = rows.select(Axis(0), &outside);
            let placed = fitted.transform(&Run::new(), &Data::from(&new)).unwrap();
            let theirs = matrix(&held["transform"]);
            let (ours, _) = signed(placed.view(), &theirs);
            close_whole(
                &format!("{method} of {name}"),
                &ours.view(),
                &theirs.view(),
                2e-5,
            );
        }
    }
}

/// The Hessian form is not the tangent form, though scikit-learn's two are the same.
#[test]
fn hessian_eigenmaps_are_not_tangent_space_alignment() {
    let rows = rows_of("swiss_roll");
    let reference = golden("hessian_lle_swiss_roll.json");
    let theirs =
        number(&reference["comparison_with_sklearn"]["sklearn_hessian_reconstruction_error"]);
    let hessian = fit("hessian_lle", &rows)
        .diagnostics()
        .value("reconstruction_error")
        .unwrap();
    let tangent = fit("ltsa", &rows)
        .diagnostics()
        .value("reconstruction_error")
        .unwrap();
    close("scikit-learn's Hessian form", tangent, theirs, 1e-5);
    assert!(hessian < 0.8 * tangent);
    let sheet = synthetic::swiss_roll(300, 0.0, 1).unwrap();
    let model = charta::methods::hessian_lle::HessianLle::default()
        .fit(&sheet.features)
        .unwrap();
    assert!(model.reconstruction_error() > 0.0);
}
