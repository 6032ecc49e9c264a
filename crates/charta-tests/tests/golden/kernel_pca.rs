//! Kernel PCA against scikit-learn's numbers: every kernel, held-out rows, errors and distances in feature space.

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, indices, matrix, number,
    turned, vector,
};
use charta::dimension::ComponentCount;
use charta::kernel::{Dictionary, Gamma, Kernel, KernelKind, PreimageOptions, PreimageRule};
use charta::methods::kernel_pca::KernelPca;
use charta::model::KernelMap;
use charta::{Data, Fit, InverseTransform, Model, Run, Transform};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde_json::Value as Json;

const SETS: [&str; 3] = ["digits", "iris", "wine"];

pub(crate) fn rows_of(name: &str, reference: &Json) -> Array2<f64> {
    let x = dense(name);
    let n_rows = number(&reference["data"]["n_rows"]) as usize;
    let x = x.slice(s![..n_rows, ..]).to_owned();
    check_same_data(&x, reference);
    x
}

/// The rows fitted, and every fifth, held out.
pub(crate) fn split(x: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let (out, inside): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
    (x.select(Axis(0), &inside), x.select(Axis(0), &out))
}

/// The kernel that a reference names; none for one that is given as a matrix.
pub(crate) fn kernel(fit: &Json) -> Option<Kernel> {
    let kind = match fit["kernel"].as_str().unwrap() {
        "linear" => KernelKind::Linear,
        "polynomial" => KernelKind::Polynomial,
        "rbf" => KernelKind::Rbf,
        "laplacian" => KernelKind::Laplacian,
        "sigmoid" => KernelKind::Sigmoid,
        "cosine" => KernelKind::Cosine,
        _ => return None,
    };
    let given = &fit["parameters"];
    let default = Kernel::default();
    Some(Kernel {
        kernel: kind,
        gamma: given["gamma"].as_f64().map_or(Gamma::Columns, Gamma::Value),
        degree: given["degree"]
            .as_u64()
            .map_or(default.degree, |d| d as usize),
        coef0: given["coef0"].as_f64().unwrap_or(default.coef0),
        sigma: None,
    })
}

fn method(n_components: &Json, kernel: Option<Kernel>) -> KernelPca {
    KernelPca {
        n_components: ComponentCount::Count(number(n_components) as usize),
        kernel: kernel.unwrap_or_default(),
        dictionary: Dictionary::All,
        ..KernelPca::default()
    }
}

/// The kernel that references take as a matrix: sums of the smaller numbers.
fn intersection(left: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((left.nrows(), right.nrows()), |(i, j)| {
        let pairs = left.row(i).into_iter().zip(right.row(j));
        pairs.map(|(a, b)| a.min(*b)).sum()
    })
}

/// A fit with the coordinates and the errors of the rows fitted and of those held out.
struct Fitted {
    model: KernelMap,
    placed: Array2<f64>,
    known_errors: Array1<f64>,
    new_errors: Array1<f64>,
}

fn fitted(fit: &Json, n_components: &Json, x: &Array2<f64>) -> Fitted {
    let (known, new) = split(x);
    match kernel(fit) {
        Some(kernel) => {
            let model = method(n_components, Some(kernel)).fit(&known).unwrap();
            finished(model, Data::from(&known), Data::from(&new))
        }
        None => {
            let matrix = intersection(&known, &known);
            let across = intersection(&new, &known);
            let (own, new_own) = (known.sum_axis(Axis(1)), new.sum_axis(Axis(1)));
            let given = Data::kernel(matrix.view()).unwrap();
            let model = method(n_components, None).fit(given).unwrap();
            let known = Data::kernel_to(matrix.view())
                .and_then(|data| data.with_own_kernel(own.view()))
                .unwrap();
            let new = Data::kernel_to(across.view())
                .and_then(|data| data.with_own_kernel(new_own.view()))
                .unwrap();
            finished(model, known, new)
        }
    }
}

fn finished(model: KernelMap, known: Data<'_>, new: Data<'_>) -> Fitted {
    let run = Run::new();
    let errors = model.as_row_errors().unwrap();
    let known_errors = errors.row_errors_in(&run, &known).unwrap();
    let new_errors = errors.row_errors_in(&run, &new).unwrap();
    let placed = model.transform(new).unwrap();
    Fitted {
        model,
        placed,
        known_errors,
        new_errors,
    }
}

/// The first rows as stored, and the sums of squares over all of them.
fn check_coordinates(what: &str, ours: &ArrayView2<'_, f64>, rows: &Json, squares: &Json) {
    let theirs = matrix(rows);
    let first = turned(&ours.slice(s![..theirs.nrows(), ..]), &theirs);
    close_whole(what, &first.view(), &theirs.view(), 1e-7);
    let sums = ours.mapv(|value| value * value).sum_axis(Axis(0));
    close_each(what, &sums, &vector(squares), 1e-6);
}

/// Errors agree to a fraction of the scale.
fn check_errors(what: &str, ours: &Array1<f64>, stored: &Json, mean: &Json, scale: f64) {
    let theirs = vector(stored);
    for (place, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        let apart = (a - b.max(0.0)).abs();
        assert!(
            apart <= 1e-9 * scale,
            "{what}: error {place}: {a} against {b}"
        );
    }
    let apart = (ours.mean().unwrap() - number(mean)).abs();
    assert!(apart <= 1e-9 * scale, "{what}: mean error off by {apart}");
}

#[test]
fn every_kernel_agrees_with_scikit_learn() {
    for name in SETS {
        let reference = golden(&format!("kernel_pca_{name}.json"));
        let x = rows_of(name, &reference);
        for fit in reference["fits"].as_array().unwrap() {
            let what = format!("{name}, {}", fit["kernel"]);
            let found = fitted(fit, &reference["n_components"], &x);
            let values = found.model.eigenvalues();
            close_each(&what, values, &vector(&fit["eigenvalues"]), 1e-9);
            let map = found.model.embedding().unwrap();
            check_coordinates(
                &what,
                &map,
                &fit["embedding"],
                &fit["embedding_sum_of_squares"],
            );
            let placed = found.placed.view();
            check_coordinates(
                &what,
                &placed,
                &fit["transform"],
                &fit["transform_sum_of_squares"],
            );
        }
    }
}

#[test]
fn errors_in_feature_space_agree_with_their_definition() {
    for name in SETS {
        let reference = golden(&format!("kernel_pca_{name}.json"));
        let x = rows_of(name, &reference);
        for fit in reference["fits"].as_array().unwrap() {
            // Of a kernel that is no inner product, an error may be negative.
            if fit["kernel"] == "sigmoid" {
                continue;
            }
            let what = format!("{name}, {}", fit["kernel"]);
            let found = fitted(fit, &reference["n_components"], &x);
            // Errors are differences of squared lengths, whose sum is the trace.
            let scale = number(&fit["spectrum"]["trace"]);
            let stored = &fit["feature_errors"];
            check_errors(
                &what,
                &found.known_errors,
                &stored["training"],
                &stored["training_mean"],
                scale,
            );
            check_errors(
                &what,
                &found.new_errors,
                &stored["held_out"],
                &stored["held_out_mean"],
                scale,
            );
            let figures = found.model.diagnostics();
            let mean = figures.value("mean_reconstruction_error").unwrap();
            close(&what, mean, number(&stored["training_mean"]), 1e-6);
            let loss = figures.value("distance_loss").unwrap();
            let theirs = number(&fit["distances"]["mean_difference_of_squares"]);
            close(&what, loss, theirs, 1e-6);
        }
    }
}

#[test]
fn an_indefinite_kernel_is_reported_on() {
    for name in SETS {
        let reference = golden(&format!("kernel_pca_{name}.json"));
        let x = rows_of(name, &reference);
        let stored = &reference["indefinite"];
        let model = method(&reference["n_components"], kernel(stored))
            .fit(&x)
            .unwrap();
        let theirs = vector(&stored["eigenvalues"]);
        close_each(name, model.eigenvalues(), &theirs, 1e-9);
        let share = model.diagnostics().value("negative_fraction").unwrap();
        let theirs = number(&stored["sum_of_negative"]) / number(&stored["sum_of_absolute"]);
        close(name, share, theirs, 1e-6);
        let theirs = matrix(&stored["embedding"]);
        let map = model.embedding().unwrap();
        let ours = turned(&map.slice(s![..theirs.nrows(), ..]), &theirs);
        close_whole(name, &ours.view(), &theirs.view(), 1e-7);
    }
}

#[test]
fn pre_images_by_ridge_agree_with_scikit_learn() {
    for name in SETS {
        let reference = golden(&format!("kernel_pca_{name}.json"));
        let x = rows_of(name, &reference);
        let (known, new) = split(&x);
        let columns = indices(&reference["columns"]);
        for fit in reference["fits"].as_array().unwrap() {
            for stored in fit["inverse"].as_array().unwrap() {
                let what = format!("{name}, {}, alpha {}", fit["kernel"], stored["alpha"]);
                let method = KernelPca {
                    pre_image: PreimageOptions {
                        pre_image: PreimageRule::Ridge,
                        alpha: number(&stored["alpha"]),
                    },
                    ..method(&reference["n_components"], kernel(fit))
                };
                let model = method.fit(&known).unwrap();
                let placed = model.transform(&new).unwrap();
                let back = model.inverse_transform(&placed.view()).unwrap();
                // A sum written out in another order is this far from scikit-learn's.
                let certain = stored["own_sum_apart"].as_f64().unwrap_or(0.0);
                let tolerance = 1e-6_f64.max(10.0 * certain);
                let theirs = matrix(&stored["rows"]);
                let ours = back
                    .slice(s![..theirs.nrows(), ..])
                    .select(Axis(1), &columns);
                close_whole(&what, &ours.view(), &theirs.view(), tolerance);
                let error = (&back - &new).mapv(|rest| rest * rest).mean().unwrap();
                let theirs = number(&stored["mean_squared_error"]);
                close(&what, error, theirs, 1e-5_f64.max(100.0 * certain));
            }
        }
    }
}
