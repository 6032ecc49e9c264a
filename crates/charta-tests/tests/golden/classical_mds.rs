//! Classical scaling against scikit-learn's and R's numbers: spectra, maps, held-out rows, landmarks, the additive constant.

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, matrix, number, turned, vector,
};
use charta::graph::Landmarks;
use charta::methods::classical_mds::ClassicalMds;
use charta::metric::{Comparison, Metric};
use charta::{Data, Fit, Model, Transform};
use ndarray::{Array2, Axis, s};
use serde_json::Value as Json;

fn method(metric: Metric, reference: &Json) -> ClassicalMds {
    ClassicalMds {
        n_components: number(&reference["n_components"]) as usize,
        comparison: Comparison {
            metric,
            ..Comparison::default()
        },
        landmarks: Landmarks::All,
        ..ClassicalMds::default()
    }
}

/// The fit itself: eigenvalues, shares of the spectrum, the first rows of the map.
fn check_fit(what: &str, model: &impl Model, fit: &Json) {
    let figures = model.diagnostics();
    let values = figures.values("eigenvalues").unwrap();
    close_each(what, values, &vector(&fit["eigenvalues"]), 1e-9);
    let (negative, sizes) = (&fit["sum_of_negative"], &fit["sum_of_absolute"]);
    let share = figures.value("negative_fraction").unwrap();
    let apart = (share - number(negative) / number(sizes)).abs();
    assert!(apart < 1e-9, "{what}: share of the negative off by {apart}");
    let good = vector(&fit["goodness_of_fit"]);
    let ours = figures.value("goodness_of_fit").unwrap();
    close(what, ours, good[0], 1e-9);
    let ours = figures.value("goodness_of_fit_positive").unwrap();
    close(what, ours, good[1], 1e-9);
    let theirs = matrix(&fit["embedding"]);
    let map = model.embedding().unwrap();
    let ours = turned(&map.slice(s![..theirs.nrows(), ..]), &theirs);
    close_whole(what, &ours.view(), &theirs.view(), 1e-8);
}

#[test]
fn classical_scaling_of_features_agrees_with_scikit_learn() {
    let reference = golden("classical_mds_digits.json");
    let x = dense("digits").slice(s![..200, ..]).to_owned();
    check_same_data(&x, &reference);
    for (metric, fit) in [Metric::Euclidean, Metric::Manhattan]
        .into_iter()
        .zip(reference["fits"].as_array().unwrap())
    {
        let what = format!("digits, {}", fit["metric"]);
        let scaling = method(metric, &reference);
        check_fit(&what, &scaling.fit(&x).unwrap(), fit);

        let (out, inside): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
        let model = scaling.fit(&x.select(Axis(0), &inside)).unwrap();
        let placed = model.transform(&x.select(Axis(0), &out)).unwrap();
        let theirs = matrix(&fit["held_out"]);
        let ours = turned(&placed.slice(s![..theirs.nrows(), ..]), &theirs);
        close_whole(&what, &ours.view(), &theirs.view(), 1e-8);

        // Rows placed by landmarks are rows new to a map of the landmarks.
        let stored = &fit["landmarks"];
        let every = number(&stored["every"]) as usize;
        let chosen: Vec<usize> = (0..x.nrows()).step_by(every).collect();
        let model = scaling.fit(&x.select(Axis(0), &chosen)).unwrap();
        let placed = model.transform(&x).unwrap();
        let theirs = matrix(&stored["points"]);
        let ours = turned(&placed.slice(s![..theirs.nrows(), ..]), &theirs);
        close_whole(&what, &ours.view(), &theirs.view(), 1e-8);
    }
}

fn cities() -> (Array2<f64>, Json) {
    let reference = golden("classical_mds_eurodist.json");
    (matrix(&reference["distances"]), reference)
}

#[test]
fn classical_scaling_of_road_distances_agrees_with_scikit_learn_and_r() {
    let (distances, reference) = cities();
    let fit = &reference["fits"][0];
    let scaling = method(Metric::Euclidean, &reference);
    let model = scaling
        .fit(Data::distances(distances.view()).unwrap())
        .unwrap();
    check_fit("cities", &model, fit);

    let flat = ClassicalMds {
        n_components: 2,
        ..scaling
    };
    let model = flat
        .fit(Data::distances(distances.view()).unwrap())
        .unwrap();
    let printed = matrix(&reference["by_r"]["points_of_first_cities"]);
    let map = model.embedding().unwrap();
    let ours = turned(&map.slice(s![..printed.nrows(), ..]), &printed);
    // R prints seven significant digits.
    close_whole("R's map", &ours.view(), &printed.view(), 1e-8);
    let good = vector(&reference["by_r"]["goodness_of_fit"]);
    let figures = model.diagnostics();
    for (name, theirs) in ["goodness_of_fit", "goodness_of_fit_positive"]
        .into_iter()
        .zip(good)
    {
        close(name, figures.value(name).unwrap(), theirs, 1e-7);
    }
}

#[test]
fn distances_of_new_cities_place_them() {
    let (distances, reference) = cities();
    let (out, inside): (Vec<usize>, Vec<usize>) =
        (0..distances.nrows()).partition(|row| row % 5 == 4);
    let known = distances.select(Axis(0), &inside).select(Axis(1), &inside);
    let new = distances.select(Axis(0), &out).select(Axis(1), &inside);
    let model = method(Metric::Euclidean, &reference)
        .fit(Data::distances(known.view()).unwrap())
        .unwrap();
    let theirs = matrix(&reference["fits"][0]["held_out"]);
    let new = Data::distances_to(new.view()).unwrap();
    let ours = turned(&model.transform(new).unwrap().view(), &theirs);
    close_whole("new cities", &ours.view(), &theirs.view(), 1e-8);
}

#[test]
fn the_additive_constant_is_the_least_one() {
    let (distances, reference) = cities();
    let stored = &reference["fits"][0]["additive"];
    let scaling = ClassicalMds {
        additive: true,
        ..method(Metric::Euclidean, &reference)
    };
    let model = scaling
        .fit(Data::distances(distances.view()).unwrap())
        .unwrap();
    let figures = model.diagnostics();
    let constant = figures.value("additive_constant").unwrap();
    close("constant", constant, number(&stored["constant"]), 1e-7);
    let values = figures.values("eigenvalues").unwrap();
    close_each("raised", values, &vector(&stored["eigenvalues"]), 1e-7);
}
