//! Non-negative factorization against scikit-learn's numbers: errors of both losses, penalties, the start,
//! and new rows, for which the exact answer is known.

use crate::support::{
    built_in, close, close_each, close_whole, golden, indices, matrix, number, outside_data,
};
use charta::data::OwnedFeatures;
use charta::internals::{InitialFactors, Scaled};
use charta::methods::nmf::Nmf;
use charta::methods::nmf::{Initialization, Loss, NmfModel};
use charta::{Data, Features, Fit, InverseTransform, Model, Run, Transform};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, Axis, s};
use serde_json::Value as Json;

/// Our error may be this share above theirs: local optima differ.
const ABOVE: f64 = 0.01;

struct Sample {
    reference: Json,
    train: Array2<f64>,
    test: Array2<f64>,
}

impl Sample {
    fn digits() -> Self {
        let x = wide(built_in("digits").content);
        Self {
            reference: golden("nmf_digits.json"),
            train: x.slice(s![..1500, ..]).to_owned(),
            test: x.slice(s![1500.., ..]).to_owned(),
        }
        .checked()
    }

    fn olivetti() -> Self {
        let path = outside_data("olivetti.npz");
        let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        let x = wide(table.content) / 255.0;
        let (test, train): (Vec<usize>, Vec<usize>) = (0..400).partition(|row| row % 10 == 9);
        Self {
            reference: golden("nmf_olivetti.json"),
            train: x.select(Axis(0), &train),
            test: x.select(Axis(0), &test),
        }
        .checked()
    }

    fn checked(self) -> Self {
        for (x, name) in [(&self.train, "data"), (&self.test, "held_out_data")] {
            let data = &self.reference[name];
            close("sum of the data", x.sum(), number(&data["sum"]), 1e-6);
        }
        self
    }

    fn fits(&self) -> &[Json] {
        self.reference["fits"].as_array().unwrap()
    }
}

fn wide(content: Content) -> Array2<f64> {
    match content {
        Content::Features(OwnedFeatures::F64(x)) => x,
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{other:?}"),
    }
}

/// The method with the settings of a stored fit.
fn method(fit: &Json) -> Nmf {
    let start = match fit["init"].as_str().unwrap() {
        "nndsvd" | "nndsvd_exact" => Initialization::Nndsvd,
        "random" => Initialization::Random,
        _ => Initialization::Nndsvda,
    };
    let optional = |name: &str| fit.get(name).map_or(0.0, number);
    Nmf {
        n_components: number(&fit["n_components"]) as usize,
        loss: if fit["beta_loss"] == "frobenius" {
            Loss::Frobenius
        } else {
            Loss::KullbackLeibler
        },
        init: start,
        tolerance: number(&fit["tol"]),
        max_iterations: number(&fit["max_iter"]) as usize,
        alpha_w: optional("alpha_W"),
        alpha_h: Some(optional("alpha_H")),
        l1_ratio: optional("l1_ratio"),
        ..Nmf::default()
    }
}

fn title(fit: &Json) -> String {
    format!(
        "{} {} {} {} alpha {}",
        fit["init"], fit["solver"], fit["beta_loss"], fit["tol"], fit["alpha_W"]
    )
}

fn frobenius(x: &Array2<f64>) -> f64 {
    x.iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn divergence(x: &Array2<f64>, image: &Array2<f64>) -> f64 {
    let known = x.iter().zip(image).filter(|(x, _)| **x > 0.0);
    let sum: f64 = known.map(|(x, y)| x * (x / y.max(f64::EPSILON)).ln()).sum();
    sum - x.sum() + image.sum()
}

fn image(model: &NmfModel) -> Array2<f64> {
    model
        .inverse_transform(&model.embedding().unwrap())
        .unwrap()
}

/// Half the squared error and the penalties, as scikit-learn scales them.
fn objective(method: &Nmf, x: &Array2<f64>, model: &NmfModel) -> f64 {
    let weights = model.embedding().unwrap();
    let penalty = |alpha: f64, sum: f64, squares: f64| {
        alpha * (method.l1_ratio * sum + 0.5 * (1.0 - method.l1_ratio) * squares)
    };
    let squares = |table: &Array2<f64>| frobenius(table).powi(2);
    let parts = model.components();
    0.5 * squares(&(x - &image(model)))
        + penalty(
            method.alpha_w * x.ncols() as f64,
            weights.sum(),
            squares(&weights.to_owned()),
        )
        + penalty(
            method.alpha_h.unwrap() * x.nrows() as f64,
            parts.sum(),
            squares(&parts),
        )
}

fn not_above(what: &str, ours: f64, theirs: f64) {
    eprintln!(
        "{what}: {ours:.6} against {theirs:.6}, {:+.4} %",
        100.0 * (ours / theirs - 1.0)
    );
    assert!(
        ours <= theirs * (1.0 + ABOVE),
        "{what}: {ours} above {theirs}"
    );
}

/// The best of some seeds where the start is random, else the one there is.
fn best(method: &Nmf, x: &Array2<f64>) -> NmfModel {
    let several = method.init == Initialization::Random && method.loss == Loss::Frobenius;
    let n_seeds = if several { 3 } else { 1 };
    let models = (0..n_seeds).map(|seed| {
        Nmf {
            seed,
            ..method.clone()
        }
        .fit(x)
        .unwrap()
    });
    models
        .min_by(|a, b| {
            let error = |model: &NmfModel| model.reconstruction_error().unwrap();
            error(a).total_cmp(&error(b))
        })
        .unwrap()
}

fn check_errors(sample: &Sample) {
    for fit in sample.fits() {
        let method = method(fit);
        let model = best(&method, &sample.train);
        check_new_rows(sample, fit, &model);
        let title = title(fit);
        let ours = model.reconstruction_error().unwrap();
        let apart = &sample.train - &image(&model);
        if method.loss == Loss::Frobenius {
            close("error reported", ours, frobenius(&apart), 1e-9);
            not_above(&title, ours, number(&fit["error"]));
            if method.alpha_w > 0.0 {
                let objective = objective(&method, &sample.train, &model);
                not_above("objective", objective, number(&fit["objective"]));
            }
        } else {
            let exact = divergence(&sample.train, &image(&model));
            close("divergence reported", ours, (2.0 * exact).sqrt(), 1e-9);
            not_above(&title, ours, number(&fit["reconstruction_err"]));
        }
    }
}

fn check_new_rows(sample: &Sample, fit: &Json, model: &NmfModel) {
    let weights = model.transform(&sample.test).unwrap();
    let image = model.inverse_transform(&weights.view()).unwrap();
    let theirs = &fit["held_out"];
    // Another local optimum describes new rows a little better or worse.
    if fit["beta_loss"] == "frobenius" {
        let ours = frobenius(&(&sample.test - &image));
        not_above("new rows", ours, 1.01 * number(&theirs["error"]));
    } else {
        let ours = divergence(&sample.test, &image);
        not_above("new rows", ours, 1.01 * number(&theirs["divergence"]));
    }
}

fn check_start(sample: &Sample) {
    let stored = &sample.reference["exact_start"];
    let subset = &sample.reference["subset"];
    let features = Features::from(&sample.train);
    let count = number(&sample.fits()[0]["n_components"]) as usize;
    let initial = InitialFactors {
        start: Initialization::Nndsvd,
        n_components: count,
        mean: sample.train.mean().unwrap(),
        seed: 0,
    };
    let scaled = Scaled::new(&features, 16.0);
    let ((weights, columns), rank) = initial.factors(&Run::new(), &scaled).unwrap();
    assert_eq!(rank, count);
    let (weights, columns) = (weights * 4.0, columns * 4.0);
    let error = frobenius(&(&sample.train - &weights.dot(&columns.t())));
    close("error of the start", error, number(&stored["error"]), 1e-6);
    let ours = weights.select(Axis(0), &indices(&subset["rows"]));
    let theirs = matrix(&stored["weights"]);
    close_whole("start of the weights", &ours.view(), &theirs.view(), 1e-5);
    let sums = (ours.sum_axis(Axis(1)), theirs.sum_axis(Axis(1)));
    close_each("sums of the start's rows", &sums.0, &sums.1, 1e-5);
    let ours = columns.select(Axis(0), &indices(&subset["columns"]));
    let theirs = matrix(&stored["components"]);
    close_whole("start of the parts", &ours.t(), &theirs.view(), 1e-5);
}

#[test]
fn digits_are_described_as_well_as_by_scikit_learn() {
    check_errors(&Sample::digits());
}

#[test]
fn the_start_of_digits_is_that_of_exact_singular_vectors() {
    check_start(&Sample::digits());
}

#[test]
#[ignore = "needs data outside the project: olivetti.npz"]
fn the_start_of_faces_is_that_of_exact_singular_vectors() {
    check_start(&Sample::olivetti());
}

#[test]
#[ignore = "needs data outside the project: olivetti.npz"]
fn faces_are_described_as_well_as_by_scikit_learn() {
    check_errors(&Sample::olivetti());
}

/// From the same start and with one sweep in an update, our iterations are theirs.
#[test]
fn as_many_iterations_lead_to_the_same_parts() {
    let sample = Sample::digits();
    let columns = indices(&sample.reference["subset"]["columns"]);
    let same =
        |fit: &&Json| fit["solver"] == "cd" && fit["init"].as_str().unwrap().ends_with("_exact");
    let mut n_compared = 0;
    for fit in sample.fits().iter().filter(same) {
        let method = Nmf {
            sweeps: 1,
            tolerance: 0.0,
            max_iterations: number(&fit["n_iter"]) as usize,
            ..method(fit)
        };
        let model = method.fit(&sample.train).unwrap();
        let ours = model.components().select(Axis(1), &columns);
        for part in matrix(&fit["components"]).rows() {
            let alike = ours
                .rows()
                .into_iter()
                .map(|own| part.dot(&own) / (part.dot(&part) * own.dot(&own)).sqrt());
            let best = alike.fold(0.0, f64::max);
            assert!(best > 1.0 - 1e-6, "{}: alike by {best} only", title(fit));
        }
        let placed = model.transform(&sample.test).unwrap();
        let image = model.inverse_transform(&placed.view()).unwrap();
        let held_out = &fit["held_out"];
        let exact = held_out.get("exact_error").unwrap_or(&held_out["error"]);
        let error = frobenius(&(&sample.test - &image));
        close(
            &format!("{}: new rows", title(fit)),
            error,
            number(exact),
            1e-6,
        );
        n_compared += 1;
    }
    assert_eq!(n_compared, 5);
}

#[test]
fn single_precision_and_sparse_rows_give_the_same_error() {
    let sample = Sample::digits();
    for loss in [Loss::Frobenius, Loss::KullbackLeibler] {
        let method = Nmf {
            n_components: 10,
            loss,
            ..Nmf::default()
        };
        let double = method.fit(&sample.train).unwrap();
        let single = method
            .fit(&sample.train.mapv(|value| value as f32))
            .unwrap();
        let entries = sample
            .train
            .indexed_iter()
            .filter(|(_, value)| **value > 0.0);
        let entries = entries.map(|((i, j), value)| (i, j, *value)).collect();
        let rows = charta::data::SparseRows::from_entries(1500, 64, entries).unwrap();
        let sparse = method.fit(Data::from(&rows)).unwrap();
        let want = double.reconstruction_error().unwrap();
        close("single", single.reconstruction_error().unwrap(), want, 1e-4);
        close("sparse", sparse.reconstruction_error().unwrap(), want, 1e-6);
    }
}
