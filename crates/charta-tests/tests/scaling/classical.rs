//! Classical scaling against PCA, by landmarks, and for new rows.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::dimension::Components;
use charta::graph::{LandmarkChoice, Landmarks};
use charta::method::Shape;
use charta::methods::classical_mds::ClassicalMds;
use charta::methods::pca::Pca;
use charta::metric::{Comparison, Metric};
use charta::quality::procrustes;
use charta::{Data, Error, Event, Fit, Model, Run, Transform, Warning};
use ndarray::{Array2, s};

fn cloud(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut stream = charta::random::stream(5, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
        7.0 + charta::random::normal(&mut stream) / (1.0 + j as f64)
    })
}

fn distances(x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        let apart = &x.row(i) - &y.row(j);
        apart.dot(&apart).sqrt()
    })
}

fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let most = |x: &Array2<f64>| x.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    most(&(a - b)) / most(b)
}

/// Every coordinate with the sign of another map's.
fn signed_like(map: &Array2<f64>, other: &Array2<f64>) -> Array2<f64> {
    let mut map = map.clone();
    for (mut column, other) in map.columns_mut().into_iter().zip(other.columns()) {
        let sign = column.dot(&other).signum();
        column.mapv_inplace(|value| sign * value);
    }
    map
}

#[test]
fn straight_lines_give_the_scores_of_pca_in_both_precisions_and_from_distances() {
    for n_rows in [60, 400] {
        let x = cloud(n_rows, 12);
        let pca = Pca {
            n_components: Components::Count(3),
            ..Pca::default()
        };
        let scores = pca.fit(&x).unwrap().embedding().unwrap().to_owned();
        let method = ClassicalMds {
            n_components: 3,
            ..ClassicalMds::default()
        };
        let model = method.fit(&x).unwrap();
        let map = model.embedding().unwrap().to_owned();
        assert!(apart(&signed_like(&map, &scores), &scores) < 1e-8);
        assert!(model.fidelity().negative_share < 1e-9);
        let narrow = x.mapv(|value| value as f32);
        let single = method.fit(&narrow).unwrap().embedding().unwrap().to_owned();
        assert!(apart(&signed_like(&single, &scores), &scores) < 1e-4);
        let given = distances(&x, &x);
        let model = method.fit(Data::distances(given.view()).unwrap()).unwrap();
        let known = model.embedding().unwrap().to_owned();
        assert!(apart(&signed_like(&known, &scores), &scores) < 1e-8);
    }
}

#[test]
fn landmarks_place_flat_rows_where_all_distances_do() {
    let mut x = cloud(700, 20);
    x.slice_mut(s![.., 3..]).fill(2.0);
    let exact = ClassicalMds {
        n_components: 3,
        ..ClassicalMds::default()
    };
    let map = exact.fit(&x).unwrap().embedding().unwrap().to_owned();
    let given = distances(&x, &x);
    for choice in [LandmarkChoice::Random, LandmarkChoice::Maxmin] {
        let method = ClassicalMds {
            landmarks: Landmarks::Count(40),
            landmark_choice: choice,
            ..exact.clone()
        };
        for data in [Data::from(&x), Data::distances(given.view()).unwrap()] {
            let placed = method.fit(&data).unwrap().embedding().unwrap().to_owned();
            let laid = procrustes::align(&placed.view(), &map.view()).unwrap();
            assert!(laid.disparity < 1e-12, "{choice:?}: {}", laid.disparity);
        }
    }
}

#[test]
fn new_rows_keep_their_distances_by_features_and_by_distances() {
    let x = cloud(80, 3);
    let new = cloud(95, 3).slice(s![80.., ..]).to_owned();
    let method = ClassicalMds {
        n_components: 3,
        ..ClassicalMds::default()
    };
    let want = distances(&new, &x);
    let model = method.fit(&x).unwrap();
    let map = model.embedding().unwrap().to_owned();
    let placed = model.transform(&new).unwrap();
    assert!(apart(&distances(&placed, &map), &want) < 1e-8);
    let given = distances(&x, &x);
    let model = method.fit(Data::distances(given.view()).unwrap()).unwrap();
    let placed = model
        .transform(Data::distances_to(want.view()).unwrap())
        .unwrap();
    let map = model.embedding().unwrap().to_owned();
    assert!(apart(&distances(&placed, &map), &want) < 1e-8);
    assert!(model.transform(&new).is_err());
    let mut holes = want.clone();
    holes[[1, 4]] = f64::NAN;
    let holes = Data::some_distances_to(holes.view()).unwrap();
    assert!(matches!(
        model.transform(&holes),
        Err(Error::NotFinite { row: 1, .. })
    ));
}

#[test]
fn other_metrics_are_taken_and_place_their_own_rows() {
    let x = cloud(90, 10);
    for metric in [Metric::Manhattan, Metric::Cosine, Metric::Mahalanobis] {
        let method = ClassicalMds {
            comparison: Comparison {
                metric,
                ..Comparison::default()
            },
            landmarks: Landmarks::Count(30),
            landmark_choice: LandmarkChoice::Maxmin,
            ..ClassicalMds::default()
        };
        let model = method.fit(&x).unwrap();
        let again = model.transform(&x).unwrap();
        assert!(apart(&again, &model.embedding().unwrap().to_owned()) < 1e-9);
    }
}

#[test]
fn distances_far_from_straight_are_warned_of_and_missing_ones_are_named() {
    // A star of equal arms with a ring around it.
    let n = 12;
    let matrix = Array2::from_shape_fn((n, n), |(i, j)| match (i == j, i % 2 == j % 2) {
        (true, _) => 0.0,
        (_, true) => 10.0,
        _ => 1.0,
    });
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning @ Warning::Doubtful { .. }) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let data = Data::distances(matrix.view()).unwrap();
    ClassicalMds::default().fit_with(&run, data).unwrap();
    assert!(warnings.lock().unwrap()[0].contains("not Euclidean"));
    let mut holes = matrix.clone();
    holes[[2, 7]] = f64::NAN;
    holes[[7, 2]] = f64::NAN;
    let names: Vec<String> = (0..n).map(|row| format!("r{row}")).collect();
    let data = Data::some_distances(holes.view()).unwrap();
    let data = data.with_row_names(names).unwrap();
    let error = ClassicalMds::default().fit(data).unwrap_err().to_string();
    assert!(error.contains("1 distance is missing"), "{error}");
    assert!(
        error.contains("row 2 (\"r2\") and row 7 (\"r7\")"),
        "{error}"
    );
}

#[test]
fn many_rows_get_landmarks_and_the_plan_says_so() {
    use charta::Method;
    use charta::data::Precision;
    let plan = |n_rows| {
        let shape = Shape::dense(n_rows, 50, Precision::Double);
        ClassicalMds::default().plan(&shape).unwrap()
    };
    assert!(plan(12_000).bytes() > 12_000 * 12_000 * 8);
    let many = plan(100_000);
    assert!(many.algorithm.contains("2000 landmarks") || many.algorithm.contains("2,000"));
    assert!(many.bytes() < 1 << 30);
}
