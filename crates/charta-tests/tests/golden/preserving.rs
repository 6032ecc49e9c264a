//! Locality and neighbourhood preserving maps against dense solutions by scipy.

use charta::methods::find;
use charta::pipeline::Fitted;
use charta::{Data, Run};
use ndarray::{Array2, s};
use serde_json::{Value as Json, json};

use crate::support::{check_same_data, close, close_whole, dense, golden, matrix, number, vector};

fn table(name: &str) -> Array2<f64> {
    let rows = dense(name);
    if name == "iris" {
        rows.mapv(|value| (value * 10.0).round())
    } else {
        rows
    }
}

fn check(method: &str, parameters: &Json, rows: &Array2<f64>, record: &Json) {
    let entry = find(method).unwrap();
    let fitted = entry
        .parse(parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), &Data::from(rows), None))
        .unwrap();
    let report = fitted.diagnostics();
    close(
        "rank",
        report.value("rank").unwrap(),
        number(&record["rank"]),
        0.0,
    );
    let values = vector(&record["eigenvalues"]);
    for (ours, theirs) in report.values("eigenvalues").unwrap().iter().zip(&values) {
        close("eigenvalue", *ours, *theirs, 1e-8);
    }
    let theirs = matrix(&record["axes"]).t().to_owned();
    let mut ours = fitted.model().axes().unwrap();
    let signs = crate::support::signs(&ours, &theirs);
    for (mut axis, sign) in ours.rows_mut().into_iter().zip(&signs) {
        axis *= *sign;
    }
    close_whole("axes", &ours.view(), &theirs.view(), 1e-6);
    let first = &fitted.model().embedding().unwrap().slice(s![..5, ..]) * &signs;
    close_whole(
        "first rows",
        &first.view(),
        &matrix(&record["first_rows"]).view(),
        1e-6,
    );
}

#[test]
fn locality_preserving_projections_equal_the_dense_solution() {
    for name in ["iris", "wine", "digits"] {
        let reference = golden(&format!("lpp_{name}.json"));
        let rows = table(name);
        check_same_data(&rows, &reference);
        for graph in reference["graphs"].as_array().unwrap() {
            for record in graph["solutions"].as_array().unwrap() {
                eprintln!("{name} {} {}", graph["weights"], record["centring"]);
                let centering = match record["centring"].as_str().unwrap() {
                    "degree_mean" => "degrees",
                    other => other,
                };
                let mut parameters = json!({
                    "n_neighbors": 10, "weights": graph["weights"], "centering": centering,
                });
                if !graph["bandwidth"].is_null() {
                    parameters["bandwidth"] = graph["bandwidth"].clone();
                }
                check("lpp", &parameters, &rows, record);
            }
        }
    }
}

#[test]
fn neighbourhood_preserving_embedding_equals_the_dense_solution() {
    for name in ["iris", "wine", "digits"] {
        let reference = golden(&format!("npe_{name}.json"));
        let rows = table(name);
        check_same_data(&rows, &reference);
        for record in reference["solutions"].as_array().unwrap() {
            eprintln!("{name} {}", record["centring"]);
            let parameters = json!({
                "n_neighbors": 10,
                "center": record["centring"] == "mean",
                "regularization": reference["regularization"],
            });
            check("npe", &parameters, &rows, record);
        }
    }
}
