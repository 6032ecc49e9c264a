//! Factor analysis against scikit-learn's numbers, a maximum found by another road, and rotations.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::support::{
    built_in, close, close_each, close_whole, golden, indices, matrix, number, outside_data, vector,
};
use charta::data::OwnedFeatures;
use charta::methods::factor_analysis::FactorAnalysisModel;
use charta::methods::factor_analysis::NoiseStart;
use charta::methods::factor_analysis::Rotation;
use charta::methods::factor_analysis::{FactorAnalysis, Solver};
use charta::{Data, Event, Fit, Model, Run, Warning};
use charta_io::Content;
use ndarray::{Array1, Array2, Axis};
use serde_json::Value as Json;

fn features(name: &str) -> Array2<f64> {
    match built_in(name).content {
        Content::Features(OwnedFeatures::F64(x)) => x,
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{name}: {other:?}"),
    }
}

/// The data that the reference was made from.
fn sample(name: &str, reference: &Json) -> Array2<f64> {
    let x = features(name);
    let x = match reference["kept_columns"].as_array() {
        Some(_) => x.select(Axis(1), &indices(&reference["kept_columns"])),
        None => x,
    };
    close(
        "sum of the data",
        x.sum(),
        number(&reference["data"]["sum"]),
        1e-9,
    );
    x
}

/// The reference's fit that went on to the end.
fn tight(fits: &Json) -> &Json {
    let fits = fits.as_array().unwrap().iter();
    fits.min_by(|a, b| number(&a["tol"]).total_cmp(&number(&b["tol"])))
        .unwrap()
}

fn method(reference: &Json, standardize: bool) -> FactorAnalysis {
    FactorAnalysis {
        n_components: number(&reference["raw"][0]["n_components"]) as usize,
        standardize,
        tolerance: 1e-13,
        ..FactorAnalysis::default()
    }
}

/// Signs that make our loadings those of the reference.
fn signs(ours: &Array2<f64>, theirs: &Array2<f64>) -> Array1<f64> {
    let rows = ours.rows().into_iter().zip(theirs.rows());
    rows.map(|(a, b)| a.dot(&b).signum()).collect()
}

/// Our factors in the reference's order, with its signs.
fn matched(ours: &Array2<f64>, theirs: &Array2<f64>) -> Array2<f64> {
    let mut result = Array2::zeros(theirs.dim());
    for (mut target, row) in result.rows_mut().into_iter().zip(theirs.rows()) {
        let likeness = |i: &usize| ours.row(*i).dot(&row).abs();
        let best = (0..ours.nrows()).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let best = ours.row(best.unwrap());
        target.assign(&(&best * best.dot(&row).signum()));
    }
    result
}

fn check_fit(model: &FactorAnalysisModel, x: &Array2<f64>, subset: &Json, fit: &Json) {
    // The reference's steps crawl: on wine its noise is still on the way in the third digit.
    let tolerance = 4e-3;
    let (rows, columns) = (indices(&subset["rows"]), indices(&subset["columns"]));
    let run = Run::new();
    let data = Data::from(x);
    let score = number(&fit["score"]);
    close("score", model.score(&run, &data).unwrap(), score, 1e-7);
    close("log-likelihood", model.log_likelihood(), score, 1e-7);
    let samples = model.score_samples(&run, &data).unwrap();
    let theirs = vector(&fit["score_samples"]);
    close_each(
        "score of rows",
        &samples.select(Axis(0), &rows),
        &theirs,
        1e-4,
    );
    let noise = model.noise_variance();
    let theirs = vector(&fit["noise_variance"]);
    close_each(
        "noise",
        &noise.select(Axis(0), &columns),
        &theirs,
        tolerance,
    );
    close(
        "all noise",
        noise.sum(),
        number(&fit["noise_variance_sum"]),
        1e-4,
    );
    let loadings = model.loadings().select(Axis(1), &columns);
    let theirs = matrix(&fit["components"]);
    let signs = signs(&loadings, &theirs);
    let ours = &loadings * &signs.view().insert_axis(Axis(1));
    close_whole("loadings", &ours.view(), &theirs.view(), tolerance);
    let scores = model.embedding().unwrap().select(Axis(0), &rows) * &signs;
    close_whole(
        "scores",
        &scores.view(),
        &matrix(&fit["transform"]).view(),
        tolerance,
    );
    let corner = indices(&subset["corner"]);
    for (what, whole) in [
        ("covariance_corner", model.covariance()),
        ("precision_corner", model.precision()),
    ] {
        let ours = whole.select(Axis(0), &corner).select(Axis(1), &corner);
        close_whole(what, &ours.view(), &matrix(&fit[what]).view(), tolerance);
    }
}

#[test]
fn fits_at_the_maximum_agree_in_every_number() {
    for (name, raw_too) in [("wine", false), ("digits", true)] {
        let reference = golden(&format!("factor_analysis_{name}.json"));
        let x = sample(name, &reference);
        let model = method(&reference, true).fit(&x).unwrap();
        let fit = tight(&reference["standardised"]["fits"]);
        check_fit(&model, &x, &reference["subset"], fit);
        let best = &reference["independent_maximum_of_standardised"];
        let noise = vector(&best["noise_variance"]);
        close_each("noise at the maximum", model.noise_variance(), &noise, 1e-4);
        let best = number(&best["mean_log_likelihood"]);
        close("the maximum", model.log_likelihood(), best, 1e-9);
        // The model does not depend on units: likelihoods differ by the units' logarithms.
        let raw = method(&reference, false).fit(&x).unwrap();
        let apart = raw.log_likelihood() - model.log_likelihood();
        let want = number(&reference["score_of_raw_less_standardised"]);
        close("raw less standardised", apart, want, 1e-9);
        if raw_too {
            check_fit(&raw, &x, &reference["subset"], tight(&reference["raw"]));
        }
    }
}

#[test]
fn the_default_tolerance_is_no_worse_than_the_reference_anywhere() {
    for name in ["wine", "digits", "breast_cancer"] {
        let reference = golden(&format!("factor_analysis_{name}.json"));
        let x = sample(name, &reference);
        for solver in [Solver::Exact, Solver::Randomized] {
            for (standardize, fits) in [
                (false, &reference["raw"]),
                (true, &reference["standardised"]["fits"]),
            ] {
                let method = FactorAnalysis {
                    solver,
                    ..FactorAnalysis {
                        tolerance: FactorAnalysis::default().tolerance,
                        ..method(&reference, standardize)
                    }
                };
                let ours = method.fit(&x).unwrap().log_likelihood();
                for fit in fits.as_array().unwrap() {
                    // A Heywood case with several maxima: the reference's long run may end at another.
                    if name == "breast_cancer" && number(&fit["tol"]) < 1e-3 {
                        continue;
                    }
                    let theirs = number(&fit["score"]);
                    assert!(
                        ours >= theirs - 1e-6 * theirs.abs(),
                        "{name} {solver} {standardize}: {ours} against {theirs}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_first_steps_are_those_of_expectation_maximisation() {
    for name in ["wine", "digits", "breast_cancer"] {
        let reference = golden(&format!("factor_analysis_{name}.json"));
        let x = sample(name, &reference);
        let fit = FactorAnalysis {
            noise_start: NoiseStart::Share(1.0),
            ..method(&reference, true)
        };
        let model = fit.fit(&x).unwrap();
        let theirs = vector(&reference["standardised"]["fits"][0]["loglike_first"]);
        for step in 0..5 {
            let ours = model.report().trace[step] * x.nrows() as f64;
            close("trace", ours, theirs[step], 1e-10);
        }
    }
}

#[test]
fn rotations_agree_with_those_carried_to_the_end() {
    for name in ["wine", "digits"] {
        let reference = golden(&format!("factor_analysis_{name}.json"));
        let x = sample(name, &reference);
        let stored = &reference["rotations_of_standardised"];
        for (rotation, word) in [
            (Rotation::Varimax, "varimax"),
            (Rotation::Quartimax, "quartimax"),
        ] {
            for tight in stored[word]["tight"].as_array().unwrap() {
                let model = rotated(&reference, &x, rotation, tight);
                let theirs = matrix(&tight["components"]);
                let ours = matched(model.loadings(), &theirs);
                close_whole(word, &ours.view(), &theirs.view(), 2e-4);
            }
        }
        for promax in stored["promax"].as_array().unwrap() {
            let model = rotated(&reference, &x, Rotation::Promax, promax);
            check_promax(&model, promax);
        }
    }
}

fn rotated(
    reference: &Json,
    x: &Array2<f64>,
    rotation: Rotation,
    stored: &Json,
) -> FactorAnalysisModel {
    let method = FactorAnalysis {
        rotation,
        kaiser: stored["kaiser_normalisation"].as_bool().unwrap(),
        ..method(reference, true)
    };
    let model = method.fit(x).unwrap();
    let explained = model.explained_variance();
    let falls = |pair: ndarray::ArrayView1<'_, f64>| pair[0] >= pair[1];
    assert!(explained.windows(2).into_iter().all(falls));
    model
}

fn check_promax(model: &FactorAnalysisModel, stored: &Json) {
    let theirs = matrix(&stored["components"]);
    let ours = matched(model.loadings(), &theirs);
    close_whole("promax", &ours.view(), &theirs.view(), 2e-4);
    // Sorted, so that order and signs do not matter.
    let sorted = |matrix: &Array2<f64>| {
        let mut values: Vec<f64> = matrix.iter().map(|value| value.abs()).collect();
        values.sort_by(f64::total_cmp);
        Array1::from_vec(values)
    };
    let correlations = sorted(&model.report().correlations);
    let theirs = sorted(&matrix(&stored["factor_correlation"]));
    for (ours, theirs) in correlations.iter().zip(&theirs) {
        assert!((ours - theirs).abs() < 2e-4, "{ours} against {theirs}");
    }
    // Oblique scores have the covariance that the posterior mean of such factors must have.
    let phi = &model.report().correlations;
    let again = model.loadings().t().dot(&phi.dot(model.loadings()));
    let unrotated = &model.report().unrotated;
    let common = unrotated.t().dot(unrotated);
    close_whole("common part", &again.view(), &common.view(), 1e-10);
}

#[test]
fn rotated_scores_agree_with_the_reference() {
    let reference = golden("factor_analysis_wine.json");
    let x = sample("wine", &reference);
    let rows = indices(&reference["subset"]["rows"]);
    let stored = &reference["rotations_of_standardised"]["varimax"];
    let method = FactorAnalysis {
        rotation: Rotation::Varimax,
        ..method(&reference, true)
    };
    let model = method.fit(&x).unwrap();
    let scores = model.embedding().unwrap().select(Axis(0), &rows);
    let theirs = matrix(&stored["transform"]);
    let ours = matched(&scores.t().to_owned(), &theirs.t().to_owned());
    close_whole("varimax scores", &ours.t(), &theirs.view(), 1e-3);
}

#[test]
fn constant_columns_are_named_and_left_out() {
    let reference = golden("factor_analysis_digits.json");
    let x = features("digits");
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(Warning::ConstantColumns { count, .. }) = event {
            seen.lock().unwrap().push(*count);
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let model = method(&reference, false).fit_with(&run, &x).unwrap();
    assert_eq!(*seen.lock().unwrap(), [3]);
    let theirs = number(&tight(&reference["raw"])["score"]);
    close("score without them", model.log_likelihood(), theirs, 1e-6);
    let score = model.score(&Run::new(), &Data::from(&x)).unwrap();
    close("score of the rows", score, theirs, 1e-6);
    let constant: Vec<usize> = (0..64)
        .filter(|j| !indices(&reference["kept_columns"]).contains(j))
        .collect();
    for j in constant {
        assert_eq!(model.noise_variance()[j], 0.0);
        assert!(model.loadings().column(j).iter().all(|&entry| entry == 0.0));
    }
}

#[test]
fn a_heywood_case_is_said_and_finite() {
    let reference = golden("factor_analysis_breast_cancer.json");
    let x = sample("breast_cancer", &reference);
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let mut doubled = x.select(Axis(1), &[0, 1, 2, 4, 5, 6, 0]);
    doubled.column_mut(6).mapv_inplace(|value| 3.0 * value);
    let method = FactorAnalysis::default();
    let model = method.fit_with(&run, &doubled).unwrap();
    assert!(model.log_likelihood().is_finite());
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().any(|text| text.contains("Heywood")), "{seen:?}");
}

#[test]
fn few_iterations_are_reported() {
    let x = features("wine");
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let method = FactorAnalysis {
        max_iterations: 3,
        ..FactorAnalysis::default()
    };
    let run = Run::new().observer(&listen);
    let model = method.fit_with(&run, &x).unwrap();
    assert_eq!(model.diagnostics().value("n_iterations"), Some(3.0));
    let seen = seen.into_inner().unwrap();
    assert!(seen[0].contains("after 3 iterations"), "{seen:?}");
}

#[test]
#[ignore = "needs data outside the project: fashion_mnist.npz"]
fn images_in_single_precision_converge_in_a_few_iterations() {
    let path = outside_data("fashion_mnist.npz");
    let table = charta_io::read(path.to_str().unwrap(), &Default::default()).unwrap();
    let Content::Features(OwnedFeatures::F32(x)) = table.content else {
        panic!("single precision expected");
    };
    let method = FactorAnalysis {
        n_components: 20,
        ..FactorAnalysis::default()
    };
    let model = method.fit(&x).unwrap();
    assert!(model.report().converged);
    // The maximum that scipy's L-BFGS finds from the same moments in double precision.
    close("maximum", model.log_likelihood(), -3828.48597691, 1e-6);
}
