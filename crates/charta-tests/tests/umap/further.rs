//! Densities, the inverse transform, several coordinates, other starts and metrics.

use charta::methods::umap::Initialization;
use charta::methods::umap::Umap;
use charta::metric::Metric;
use charta::{Fit, InverseTransform, Model, Transform};
use ndarray::s;

use super::quality::accuracy;
use super::{digits, first_rows, golden, seeded};

#[test]
fn densities_are_kept_as_well_as_by_the_reference() {
    let (x, _) = digits();
    let correlation = |dens_lambda: f64| {
        let method = Umap {
            densmap: true,
            dens_lambda,
            ..seeded(0)
        };
        let report = method.fit(&x).unwrap().diagnostics();
        report.value("density_correlation").unwrap()
    };
    let (with, without) = (correlation(2.0), correlation(0.0));
    let want = golden()["further"]["density_correlation"].as_f64().unwrap();
    assert!(
        with >= want - 0.01 && with > without + 0.2,
        "{with} {without} {want}"
    );
}

#[test]
fn the_way_back_is_as_near_as_the_references() {
    let (x, _) = digits();
    let model = seeded(0).fit(&first_rows(&x, 1500)).unwrap();
    let new = x.slice(s![1500..1600, ..]).to_owned();
    let back = model
        .inverse_transform(&model.transform(&new).unwrap().view())
        .unwrap();
    let error = (&back - &new).mapv(|v| v * v).mean().unwrap();
    let want = golden()["further"]["inverse_error"].as_f64().unwrap();
    assert!(error <= want, "{error} {want}");
}

#[test]
fn other_starts_metrics_and_counts_of_coordinates_lead_to_good_maps() {
    let (x, classes) = digits();
    let (x, classes) = (first_rows(&x, 900), &classes[..900]);
    let plain = Umap {
        n_epochs: Some(200),
        ..Umap::default()
    };
    let with_metric = |metric| {
        let mut method = plain.clone();
        method.search.metric = metric;
        method
    };
    let start = |start| Umap {
        init: start,
        ..plain.clone()
    };
    let components = |n_components| Umap {
        n_components,
        ..plain.clone()
    };
    let cases = [
        ("pca", start(Initialization::Pca)),
        ("random", start(Initialization::Random)),
        ("cosine", with_metric(Metric::Cosine)),
        ("manhattan", with_metric(Metric::Manhattan)),
        ("1", components(1)),
        ("3", components(3)),
        ("10", components(10)),
    ];
    for (name, method) in cases {
        let model = method.fit(&x).unwrap();
        let right = accuracy(&model.embedding().unwrap(), classes);
        let least = if name == "1" { 0.85 } else { 0.94 };
        assert!(right > least, "{name}: {right}");
    }
}
