//! Rows measured in the user's own way, neighbours that were given, and what memory is predicted.

use charta::data::{Neighbors, Precision};
use charta::graph::{Disconnected, Neighborhood};
use charta::method::Shape;
use charta::methods::find;
use charta::methods::isomap::{ClassWeight, Isomap};
use charta::metric::Metric;
use charta::neighbors::{Reference, Search};
use charta::pipeline::Fitted;
use charta::{Data, Error, Fit, Labels, Model, Run, Transform};
use ndarray::{Array2, array, s};
use serde_json::json;

/// Two lines of 40 and 20 rows, far from each other in the first column; the second is noise.
fn lines() -> Array2<f64> {
    let mut stream = charta::random::stream(5, 0);
    Array2::from_shape_fn((60, 2), |(i, j)| match (i, j) {
        (_, 1) => 50.0 * charta::random::normal(&mut stream),
        (..40, _) => i as f64,
        _ => 1000.0 + i as f64,
    })
}

/// The distance in the first column alone.
fn first_column(a: &[f64], b: &[f64]) -> f64 {
    (a[0] - b[0]).abs()
}

#[test]
fn the_largest_part_keeps_the_measure_of_the_data() {
    let x = lines();
    let data = Data::from(&x).with_distance(&first_column);
    let mut method = Isomap {
        n_components: 1,
        neighborhood: Neighborhood::nearest(3),
        ..Isomap::default()
    };
    method.neighborhood.disconnected = Disconnected::Largest;
    let model = method.fit(&data).unwrap();
    let places = model.embedding().unwrap().to_owned();
    let new = array![[7.0, 1e6], [30.0, -1e6]];
    let new = Data::from(&new).with_distance(&first_column);
    let placed = model.transform(&new).unwrap();
    for (line, row) in [(0, 7), (1, 30)] {
        assert!((placed[[line, 0]] - places[[row, 0]]).abs() < 1e-6);
    }
}

#[test]
fn some_rows_are_whitened_as_all_are() {
    let x = lines();
    let search = Search {
        metric: Metric::Mahalanobis,
        ..Search::default()
    };
    let rows: Vec<u32> = (0..40).collect();
    let some = Reference::of_rows(&Data::from(&x), &rows, &search).unwrap();
    let all = Reference::new(&Data::from(&x), &search).unwrap();
    let new = x.slice(s![5..9, ..]).to_owned() + 0.3;
    let single = new.mapv(|value| value as f32);
    let near = some.nearest(&Run::new(), &Data::from(&new), 3).unwrap();
    let whole = all.nearest(&Run::new(), &Data::from(&new), 60).unwrap();
    let converted = some.nearest(&Run::new(), &Data::from(&single), 3).unwrap();
    assert_eq!(some.n_rows(), 40);
    for row in 0..4 {
        let (places, distances) = whole.row(row);
        let kept = places.iter().zip(distances).filter(|pair| *pair.0 < 40);
        let (places, distances): (Vec<u32>, Vec<f64>) = kept.take(3).unzip();
        assert_eq!(near.row(row).0, places);
        let apart = near.row(row).1.iter().zip(&distances);
        assert!(apart.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(converted.row(row).0, places);
    }
}

#[test]
fn the_weight_of_classes_is_chosen_by_the_measure_of_the_data_and_of_few_rows() {
    // The classes are plain in the first column, and the second hides them unless it does not count.
    let mut x = lines();
    for row in 0..60 {
        x[[row, 0]] = (row % 3) as f64 * 10.0 + row as f64 * 0.01;
        x[[row, 1]] *= 100.0;
    }
    let words: Vec<String> = (0..60).map(|row| format!("class {}", row % 3)).collect();
    let method = Isomap {
        alpha: ClassWeight::Auto,
        n_components: 1,
        neighborhood: Neighborhood::nearest(10),
        ..Isomap::default()
    };
    let data = Data::from(&x).with_distance(&first_column);
    let model = method.fit(data.with_labels(Labels::from_words(&words)).unwrap());
    let figures = model.unwrap().diagnostics();
    assert_eq!(figures.values("accuracies").unwrap()[0], 1.0);
    let few = x.slice(s![..12, ..]);
    let few = Data::from(few).with_labels(Labels::from_words(&words[..12]));
    method.fit(few.unwrap()).unwrap();
    let few = x.slice(s![..6, ..]);
    let few = Data::from(few).with_labels(Labels::from_words(&words[..6]));
    let many = Isomap {
        n_components: 4,
        neighborhood: Neighborhood::nearest(2),
        ..method
    };
    let error = many.fit(few.unwrap()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooFewRows {
                needed: 7,
                given: 6,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_radius_cuts_neighbours_that_were_given() {
    let x = Array2::from_shape_fn((30, 1), |(i, _)| i as f64);
    let run = Run::new();
    let table = charta::neighbors::nearest(&run, &Data::from(&x), &Search::default(), 10);
    let table: Neighbors = table.unwrap().neighbors;
    let data = Data::from(&x).with_neighbors(&table).unwrap();
    let neighborhood = Neighborhood {
        radius: Some(2.0),
        ..Neighborhood::default()
    };
    let found = neighborhood.find(&run, &data).unwrap().neighbors;
    assert_eq!(found.row(15).0, [14, 16, 13, 17]);
    let full = json!({ "full": true });
    let entry = find("diffusion_maps").unwrap();
    let error = entry
        .parse(&full)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &data, None))
        .unwrap_err();
    assert!(error.to_string().contains("leave out one"), "{error}");
}

#[test]
fn plans_count_the_search_the_factor_and_the_rows_as_they_are() {
    let names = [
        "isomap",
        "lle",
        "modified_lle",
        "hessian_lle",
        "ltsa",
        "laplacian_eigenmaps",
        "diffusion_maps",
        "lpp",
        "npe",
    ];
    for name in names {
        let entry = find(name).unwrap();
        let of = |shape: &Shape, what: &str| -> u64 {
            let plan = entry.parse(&json!({})).unwrap().plan(shape).unwrap();
            let named = plan.memory.iter().filter(|part| part.0.contains(what));
            named.map(|part| part.1).sum()
        };
        let single = Shape::dense(50_000, 100, Precision::Single);
        let double = Shape::dense(50_000, 100, Precision::Double);
        assert!(of(&single, "search for neighbours") > 1 << 24, "{name}");
        let kept = |shape: &Shape| of(shape, "training rows");
        if name != "lpp" && name != "npe" {
            assert_eq!(
                (kept(&single), kept(&double)),
                (20_000_000, 40_000_000),
                "{name}"
            );
            let distances = Array2::<f64>::zeros((40, 40));
            let distances = Shape::of(&Data::distances(distances.view()).unwrap());
            assert_eq!(kept(&distances), 0, "{name}");
            assert_eq!(of(&distances, "search for neighbours"), 0, "{name}");
            if name != "isomap" {
                assert_eq!(of(&single, "factor of the"), 1_280_000_000, "{name}");
                let small = Shape::dense(1000, 3, Precision::Double);
                assert_eq!(of(&small, "factor of the"), 1000 * 1001 / 2 * 8, "{name}");
            }
        }
        let most = json!({ "n_components": u64::MAX, "n_neighbors": u64::MAX });
        let most = entry.parse(&most).unwrap();
        assert!(most.plan(&double).is_err(), "{name}");
    }
}
