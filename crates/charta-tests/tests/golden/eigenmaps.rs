//! Laplacian eigenmaps and diffusion maps against dense solutions by scipy.

use charta::methods::find;
use charta::pipeline::Fitted;
use charta::{Data, Run};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde_json::{Value as Json, json};

use crate::support::{check_same_data, close, close_whole, dense, golden, matrix, number, vector};

const DATA: [&str; 4] = ["swiss_roll", "s_curve", "severed_sphere", "digits"];

fn rows_of(name: &str) -> Array2<f64> {
    if name == "digits" {
        dense("digits")
    } else {
        matrix(&golden(&format!("points_{name}.json"))["points"])
    }
}

fn fit(method: &str, parameters: &Json, rows: &Array2<f64>) -> Fitted {
    let entry = find(method).unwrap();
    entry
        .parse(parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), &Data::from(rows), None))
        .unwrap()
}

/// Every fifth row, held out, and the others.
fn split(rows: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let part = |held: bool| {
        let places: Vec<usize> = (0..rows.nrows()).filter(|i| (i % 5 == 4) == held).collect();
        rows.select(Axis(0), &places)
    };
    (part(false), part(true))
}

/// Our columns with the signs of theirs.
fn signed(ours: ArrayView2<'_, f64>, theirs: &Array2<f64>) -> (Array2<f64>, Array1<f64>) {
    let pairs = ours.columns().into_iter().zip(theirs.columns());
    let signs: Array1<f64> = pairs.map(|(a, b)| a.dot(&b).signum()).collect();
    (&ours * &signs, signs)
}

fn values_agree(fitted: &Fitted, theirs: &Array1<f64>) {
    let report = fitted.diagnostics();
    let ours = report.values("eigenvalues").unwrap();
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() < 1e-10 * b.abs().max(1e-2), "{a} against {b}");
    }
}

#[test]
fn laplacian_eigenmaps_equal_the_dense_solution() {
    for name in DATA {
        let reference = golden(&format!("laplacian_eigenmaps_{name}.json"));
        let rows = rows_of(name);
        check_same_data(&rows, &reference);
        for graph in reference["graphs"].as_array().unwrap() {
            for form in graph["forms"].as_array().unwrap() {
                eprintln!("{name} {} {}", graph["weights"], form["form"]);
                let mut parameters = json!({ "n_neighbors": 10, "weights": graph["weights"] });
                if !graph["bandwidth"].is_null() {
                    parameters["bandwidth"] = graph["bandwidth"].clone();
                }
                let unnormalized = form["form"] == "unnormalized";
                parameters["normalization"] = json!(if unnormalized {
                    "unnormalized"
                } else {
                    "normalized"
                });
                let fitted = fit("laplacian_eigenmaps", &parameters, &rows);
                let report = fitted.diagnostics();
                assert_eq!(report.value("n_edges"), graph["n_edges"].as_f64());
                assert_eq!(
                    report.value("n_connected_components"),
                    graph["n_parts"].as_f64()
                );
                values_agree(
                    &fitted,
                    &vector(&form["eigenvalues"]).slice(s![1..]).to_owned(),
                );
                let theirs = matrix(&form["embedding"]);
                let embedding = fitted.model().embedding().unwrap().to_owned();
                let (ours, _) = signed(embedding.view(), &theirs);
                close_whole("embedding", &ours.view(), &theirs.view(), 1e-7);
                held_out("laplacian_eigenmaps", &parameters, &rows, &form["held_out"]);
                if !unnormalized {
                    check_random_walk(&parameters, &rows, &embedding);
                }
            }
        }
    }
}

fn held_out(method: &str, parameters: &Json, rows: &Array2<f64>, record: &Json) {
    let (inside, outside) = split(rows);
    let fitted = fit(method, parameters, &inside);
    values_agree(
        &fitted,
        &vector(&record["eigenvalues"]).slice(s![1..]).to_owned(),
    );
    let theirs = matrix(&record["transform"]);
    let placed = fitted
        .transform(&Run::new(), &Data::from(&outside))
        .unwrap();
    let (ours, _) = signed(placed.view(), &theirs);
    close_whole("held out", &ours.view(), &theirs.view(), 1e-7);
}

/// The same vectors and eigenvalues, at length 1.
fn check_random_walk(parameters: &Json, rows: &Array2<f64>, normalized: &Array2<f64>) {
    let mut parameters = parameters.clone();
    parameters["normalization"] = json!("random_walk");
    let fitted = fit("laplacian_eigenmaps", &parameters, rows);
    let walk = fitted.model().embedding().unwrap();
    for (a, b) in walk.columns().into_iter().zip(normalized.columns()) {
        close("length", a.dot(&a), 1.0, 1e-9);
        let cosine = a.dot(&b) / b.dot(&b).sqrt();
        close("direction", cosine.abs(), 1.0, 1e-9);
    }
}

#[test]
fn diffusion_maps_equal_the_dense_solution() {
    for name in DATA {
        let reference = golden(&format!("diffusion_maps_{name}.json"));
        let mut rows = rows_of(name);
        if name == "digits" {
            rows = rows.slice(s![..600, ..]).to_owned();
        }
        check_same_data(&rows, &reference);
        for record in reference["fits"].as_array().unwrap() {
            let full = record["n_neighbors"].is_null();
            eprintln!("{name} {} full: {full}", record["alpha"]);
            let mut parameters = json!({
                "alpha": record["alpha"], "bandwidth": reference["bandwidth"], "full": full, "time": 0.0,
            });
            let values = vector(&record["eigenvalues"]);
            let theirs = matrix(&record["eigenvectors"]);
            let fitted = fit("diffusion_maps", &parameters, &rows);
            values_agree(&fitted, &values.slice(s![1..]).to_owned());
            let (ours, signs) = signed(fitted.model().embedding().unwrap(), &theirs);
            close_whole("eigenvectors", &ours.view(), &theirs.view(), 1e-7);
            for (time, first) in record["first_rows_by_time"].as_object().unwrap() {
                parameters["time"] = json!(time.parse::<f64>().unwrap());
                let fitted = fit("diffusion_maps", &parameters, &rows);
                let ours = &fitted.model().embedding().unwrap().slice(s![..5, ..]) * &signs;
                close_whole("rows by time", &ours.view(), &matrix(first).view(), 1e-6);
            }
            if full {
                parameters["time"] = json!(1.0);
                held_out("diffusion_maps", &parameters, &rows, &record["held_out"]);
            }
        }
    }
}

#[test]
fn the_full_kernel_places_training_rows_as_fitted() {
    let rows = rows_of("s_curve").slice(s![..300, ..]).to_owned();
    let parameters = json!({ "full": true, "bandwidth": 0.1 });
    let fitted = fit("diffusion_maps", &parameters, &rows);
    // So near that the extension has to do it, not the rule for equal rows.
    let moved = &rows + 1e-7;
    let placed = fitted.transform(&Run::new(), &Data::from(&moved)).unwrap();
    let embedding = fitted.model().embedding().unwrap();
    close_whole("moved", &placed.view(), &embedding, 1e-5);
    let report = fitted.diagnostics();
    close(
        "bandwidth",
        report.value("bandwidth").unwrap(),
        number(&json!(0.1)),
        1e-12,
    );
}
