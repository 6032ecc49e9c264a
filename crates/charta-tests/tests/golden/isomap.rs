//! Isomap against scikit-learn's numbers: geodesics, spectra, maps, held-out rows, parts joined.

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, matrix, number, turned, vector,
};
use charta::graph::Neighborhood;
use charta::internals::Paths;
use charta::methods::isomap::Isomap;
use charta::methods::isomap::IsomapModel;
use charta::{Data, Fit, Model, Run, Transform};
use ndarray::{Array2, Axis, s};
use serde_json::Value as Json;

/// The rows that a reference was made of.
fn rows_of(name: &str) -> Array2<f64> {
    match name {
        "digits" => dense("digits"),
        "s_curve_in_two" => {
            let points = golden("points_s_curve.json");
            let colour = vector(&points["colour"]);
            let kept: Vec<usize> = (0..colour.len())
                .filter(|&row| colour[row].abs() > 0.3)
                .collect();
            matrix(&points["points"]).select(Axis(0), &kept)
        }
        _ => matrix(&golden(&format!("points_{name}.json"))["points"]),
    }
}

fn method(fit: &Json) -> Isomap {
    Isomap {
        n_components: number(&fit["n_components"]) as usize,
        neighborhood: neighborhood(fit),
        ..Isomap::default()
    }
}

fn neighborhood(fit: &Json) -> Neighborhood {
    Neighborhood::nearest(number(&fit["n_neighbors"]) as usize)
}

fn check_geodesics(what: &str, x: &Array2<f64>, fit: &Json) {
    let run = Run::new();
    let connected = neighborhood(fit).graph(&run, &Data::from(x)).unwrap();
    assert_eq!(connected.n_parts as f64, number(&fit["n_parts"]), "{what}");
    let rows: Vec<u32> = (0..x.nrows() as u32).collect();
    let lengths = Paths::of(&connected.graph)
        .from_rows(&run, &rows, |length| length)
        .unwrap();
    let stored = &fit["geodesic"];
    close(what, lengths.sum(), number(&stored["sum"]), 1e-11);
    let squares: f64 = lengths.iter().map(|v| v * v).sum();
    close(what, squares, number(&stored["sum_of_squares"]), 1e-11);
    let largest = lengths.iter().fold(0.0_f64, |most, &v| most.max(v));
    close(what, largest, number(&stored["largest"]), 1e-12);
    let row = number(&stored["row"]) as usize;
    let theirs = vector(&stored["distances_of_row"]).insert_axis(Axis(0));
    close_whole(
        what,
        &lengths.slice(s![row..=row, ..]),
        &theirs.view(),
        1e-9,
    );
}

fn check_fit(what: &str, model: &IsomapModel, fit: &Json) {
    let figures = model.diagnostics();
    let error = figures.value("reconstruction_error").unwrap();
    close(what, error, number(&fit["reconstruction_error"]), 1e-9);
    let values = figures.values("eigenvalues").unwrap();
    close_each(what, values, &vector(&fit["kernel_eigenvalues"]), 1e-10);
    // Those beyond the coordinates are only reported on.
    let spectrum = figures
        .values("spectrum")
        .unwrap()
        .slice(s![..6])
        .to_owned();
    close_each(what, &spectrum, &vector(&fit["first_eigenvalues"]), 1e-7);
    let residual = figures.values("residual_variance").unwrap();
    let residual = residual.slice(s![..6]).to_owned();
    close_each(what, &residual, &vector(&fit["residual_variances"]), 1e-4);
    let theirs = matrix(&fit["embedding"]);
    let ours = turned(&model.embedding().unwrap(), &theirs);
    close_whole(what, &ours.view(), &theirs.view(), 1e-8);
}

fn check_held_out(what: &str, x: &Array2<f64>, fit: &Json) {
    let (out, inside): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
    let stored = &fit["held_out"];
    let known = x.select(Axis(0), &inside);
    let model = method(fit).fit(&known).unwrap();
    let figures = model.diagnostics();
    let error = figures.value("reconstruction_error").unwrap();
    close(what, error, number(&stored["reconstruction_error"]), 1e-9);
    let placed = model.transform(&x.select(Axis(0), &out)).unwrap();
    let theirs = matrix(&stored["transform"]);
    let ours = turned(&placed.view(), &theirs);
    close_whole(what, &ours.view(), &theirs.view(), 1e-8);
}

#[test]
fn isomap_agrees_with_scikit_learn() {
    for name in [
        "swiss_roll",
        "s_curve",
        "severed_sphere",
        "digits",
        "s_curve_in_two",
    ] {
        let reference = golden(&format!("isomap_{name}.json"));
        let x = rows_of(name);
        check_same_data(&x, &reference);
        for fit in reference["fits"].as_array().unwrap() {
            let what = format!("{name}, {} neighbours", fit["n_neighbors"]);
            eprintln!("{what}");
            check_geodesics(&what, &x, fit);
            check_fit(&what, &method(fit).fit(&x).unwrap(), fit);
            check_held_out(&what, &x, fit);
        }
    }
}

#[test]
fn distances_and_neighbours_given_beforehand_lead_to_the_same_map() {
    let reference = golden("isomap_swiss_roll.json");
    let fit = &reference["fits"][0];
    let x = rows_of("swiss_roll");
    let distances = Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let apart = &x.row(i) - &x.row(j);
        apart.dot(&apart).sqrt()
    });
    let isomap = method(fit);
    let by_distances = isomap
        .fit(Data::distances(distances.view()).unwrap())
        .unwrap();
    check_fit("distances", &by_distances, fit);
    let found = isomap
        .neighborhood
        .find(&Run::new(), &Data::from(&x))
        .unwrap();
    let given = Data::from(&x).with_neighbors(&found.neighbors).unwrap();
    check_fit("neighbours", &isomap.fit(given).unwrap(), fit);

    let (out, inside): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
    let known = distances.select(Axis(0), &inside).select(Axis(1), &inside);
    let new = distances.select(Axis(0), &out).select(Axis(1), &inside);
    let model = isomap.fit(Data::distances(known.view()).unwrap()).unwrap();
    let theirs = matrix(&fit["held_out"]["transform"]);
    let ours = turned(&model.transform(&new).unwrap().view(), &theirs);
    close_whole("new distances", &ours.view(), &theirs.view(), 1e-8);
}
