//! Rows known by sparse features, distances, or neighbours alone.

use charta::data::SparseRows;
use charta::methods::pacmap::Pacmap;
use charta::metric::{Comparison, Metric};
use charta::neighbors::{Search, nearest};
use charta::{Data, Fit, Model, Run, Transform};
use ndarray::{Array2, ArrayView2, s};

use super::{digits, sample};

/// The fraction of rows whose nearest other row in the map is of the same class.
fn agreement(map: &ArrayView2<'_, f64>, classes: &[u32]) -> f64 {
    let right = (0..map.nrows()).filter(|&row| {
        let squared = |other: &usize| {
            let apart = &map.row(row) - &map.row(*other);
            apart.dot(&apart)
        };
        let others = (0..map.nrows()).filter(|&other| other != row);
        let nearest = others.min_by(|a, b| squared(a).total_cmp(&squared(b)));
        nearest.is_some_and(|other| classes[other] == classes[row])
    });
    right.count() as f64 / map.nrows() as f64
}

fn some_digits() -> (Array2<f64>, Vec<u32>) {
    let (rows, classes) = digits();
    (
        rows.slice(s![..700, ..]).to_owned(),
        classes[..700].to_vec(),
    )
}

#[test]
fn distances_and_neighbours_suffice() {
    let (x, classes) = some_digits();
    let run = Run::new();
    let data = Data::from(&x);
    let distances = Comparison::default().between(&run, &data).unwrap();
    let table = nearest(&run, &data, &Search::default(), 60)
        .unwrap()
        .neighbors;
    let given = Data::distances(distances.view()).unwrap();
    let named = Data::from_neighbors(&table).unwrap();
    let model = Pacmap::default().fit(given).unwrap();
    for (what, share) in [
        (
            "features",
            agreement(
                &Pacmap::default().fit(&x).unwrap().embedding().unwrap(),
                &classes,
            ),
        ),
        (
            "distances",
            agreement(&model.embedding().unwrap(), &classes),
        ),
        (
            "table",
            agreement(
                &Pacmap::default().fit(named).unwrap().embedding().unwrap(),
                &classes,
            ),
        ),
    ] {
        eprintln!("{what}: {share:.4}");
        assert!(share > 0.93, "{what}: {share}");
    }
    let few = distances.slice(s![..5, ..]);
    let placed = model.transform(Data::distances_to(few).unwrap()).unwrap();
    assert_eq!(placed, model.embedding().unwrap().slice(s![..5, ..]));
}

#[test]
fn neighbours_given_with_features_are_taken() {
    let x = sample(90, 5);
    let run = Run::new();
    let exact = nearest(&run, &Data::from(&x), &Search::default(), 60)
        .unwrap()
        .neighbors;
    let own = Pacmap::default().fit(&x).unwrap();
    let given = Data::from(&x).with_neighbors(&exact).unwrap();
    let model = Pacmap::default().fit(given).unwrap();
    assert_eq!(model.embedding(), own.embedding());
    assert_eq!(model.report().graph.search, "given");
}

#[test]
fn wide_sparse_rows_are_reduced_as_dense_ones_are() {
    let (x, classes) = some_digits();
    // Twice the columns, the second half empty in most rows.
    let wide = Array2::from_shape_fn((700, 128), |(i, j)| if j < 64 { x[[i, j]] } else { 0.0 });
    let entries = wide
        .indexed_iter()
        .filter(|(_, value)| **value != 0.0)
        .map(|((i, j), value)| (i, j, *value));
    let sparse = SparseRows::from_entries(700, 128, entries.collect()).unwrap();
    let model = Pacmap::default().fit(sparse.view()).unwrap();
    assert_eq!(model.diagnostics().value("n_axes"), Some(100.0));
    assert!(agreement(&model.embedding().unwrap(), &classes) > 0.93);
    let placed = model.transform(sparse.view()).unwrap();
    assert_eq!(placed, model.embedding().unwrap());
}

#[test]
fn other_metrics_and_functions_are_taken() {
    let (x, classes) = some_digits();
    let cosine = Pacmap {
        search: Search {
            metric: Metric::Cosine,
            ..Search::default()
        },
        ..Pacmap::default()
    };
    let model = cosine.fit(&x).unwrap();
    assert!(agreement(&model.embedding().unwrap(), &classes) > 0.93);
    let blocks = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum();
    let data = Data::from(&x).with_distance(&blocks);
    let model = Pacmap::default().fit(data).unwrap();
    assert!(agreement(&model.embedding().unwrap(), &classes) > 0.93);
}
