use ndarray::{Array2, array};

use super::*;
use crate::data::synthetic::{Sample, s_curve, sphere, swiss_roll};
use crate::dimension::{Scree, ScreeOptions};
use crate::random::{normal, stream};

fn found(x: &Array2<f64>) -> Result<Intrinsic> {
    Intrinsic::of(&Run::new(), &Data::from(x), &IntrinsicOptions::default())
}

#[test]
fn sheets_have_two_dimensions_where_principal_components_see_three() {
    let sheets: [Sample; 3] = [
        swiss_roll(5000, 0.0, 1).unwrap(),
        s_curve(5000, 0.0, 1).unwrap(),
        sphere(5000, 0.0, 1).unwrap(),
    ];
    for sheet in &sheets {
        let found = found(&sheet.features).unwrap();
        for (name, allowed) in [
            ("maximum_likelihood", 0.15),
            ("two_nn", 0.15),
            ("correlation", 0.3),
            ("local_pca", 0.3),
        ] {
            let dimension = found.get(name).unwrap();
            assert!((dimension - 2.0).abs() < allowed, "{name}: {dimension}");
        }
        let scree = Scree::of(&Run::new(), &Data::from(sheet), &ScreeOptions::default()).unwrap();
        let variances = scree.variances.to_vec();
        assert_eq!(fukunaga_olsen(&variances), 3);
        assert!(participation_ratio(&variances) > 1.5);
        let of_rows = found.estimates[1].of_rows.as_ref().unwrap();
        assert_eq!(of_rows.len(), 5000);
        assert!(of_rows.iter().all(|dimension| dimension.is_finite()));
    }
}

#[test]
fn duplicates_are_passed_over_with_a_warning() {
    let mut draw = stream(5, 0);
    let single = Array2::from_shape_simple_fn((300, 2), || normal(&mut draw));
    let mut doubled = Array2::zeros((600, 2));
    for (row, mut line) in doubled.rows_mut().into_iter().enumerate() {
        line.assign(&single.row(row / 2));
    }
    let result = found(&doubled).unwrap();
    assert_eq!(result.n_duplicates, 600);
    // TwoNN counts each point once: its estimate is that of the distinct rows.
    let (once, twice) = (found(&single).unwrap().get("two_nn"), result.get("two_nn"));
    assert!((once.unwrap() - twice.unwrap()).abs() < 1e-9);
    for estimate in &result.estimates {
        let dimension = estimate.dimension.unwrap();
        // Every distance comes twice, which the likelihood does not expect.
        assert!(
            (dimension - 2.0).abs() < 0.7,
            "{}: {dimension}",
            estimate.name
        );
    }
}

#[test]
fn a_single_size_is_kept_and_two_radii_are_told() {
    let roll = swiss_roll(300, 0.0, 0).unwrap().features;
    let warnings = std::sync::Mutex::new(Vec::new());
    let observer = |event: crate::run::Event<'_>| {
        if let crate::run::Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        std::ops::ControlFlow::Continue(())
    };
    let run = Run::new().observer(&observer);
    let options = IntrinsicOptions {
        first: 10,
        last: 10,
        ..IntrinsicOptions::default()
    };
    let found = Intrinsic::of(&run, &Data::from(&roll), &options).unwrap();
    let table = neighbors::nearest(&Run::new(), &Data::from(&roll), &options.search, 10);
    let table = table.unwrap().neighbors;
    let mut inverses = 0.0;
    for row in 0..300 {
        let distances = table.row(row).1;
        let logs: f64 = distances.iter().map(|d| (distances[9] / d).ln()).sum();
        inverses += logs / 9.0 / 300.0;
    }
    let got = found.get("maximum_likelihood").unwrap();
    assert!((got - 1.0 / inverses).abs() < 1e-9, "{got}");
    assert!(found.get("correlation").is_some());
    let warnings = warnings.into_inner().unwrap();
    assert!(
        warnings.iter().any(|words| words.contains("two radii")),
        "{warnings:?}"
    );
}

#[test]
fn pairs_are_counted_as_they_would_be_listed() {
    let mut draw = stream(9, 0);
    let narrow = Array2::from_shape_simple_fn((400, 3), || normal(&mut draw));
    let wide = Array2::from_shape_simple_fn((150, 30), || normal(&mut draw));
    for (x, radii) in [(narrow, [0.3, 1.1]), (wide, [6.0, 7.5])] {
        let (run, data, search) = (Run::new(), Data::from(&x), Search::default());
        let counts = neighbors::n_closer(&run, &data, &search, radii).unwrap();
        let listed = neighbors::within(&run, &data, &search, radii[1]).unwrap();
        assert!(listed.neighbors.len() > 100);
        for (row, count) in counts.iter().enumerate() {
            let distances = listed.neighbors.row(row).1;
            let want = radii.map(|r| distances.iter().filter(|d| **d < r).count() as f64);
            assert_eq!(*count, want);
        }
    }
}

#[test]
fn what_has_no_dimension_is_an_error_and_few_rows_are_enough_for_a_warning() {
    let error = found(&Array2::ones((50, 3))).unwrap_err();
    assert!(
        error.to_string().contains("no dimension to find"),
        "{error}"
    );
    let error = found(&array![[0.0], [1.0], [2.0]]).unwrap_err();
    assert!(error.to_string().contains("at least 4 rows"), "{error}");
    let few = array![
        [0.0, 0.1],
        [1.0, 0.0],
        [2.1, 0.3],
        [3.3, 0.2],
        [4.6, 1.0],
        [0.2, 3.0]
    ];
    let result = found(&few).unwrap();
    for estimate in &result.estimates {
        assert!(
            estimate.dimension.is_none_or(f64::is_finite),
            "{}",
            estimate.name
        );
    }
    let nan = array![[0.0], [f64::NAN], [2.0], [3.0], [5.0]];
    assert!(found(&nan).is_err());
}

#[test]
fn distances_are_enough_for_all_but_local_variances() {
    let roll = swiss_roll(300, 0.0, 0).unwrap().features;
    let distances = Array2::from_shape_fn((300, 300), |(i, j)| {
        let apart = &roll.row(i) - &roll.row(j);
        apart.dot(&apart).sqrt()
    });
    let options = IntrinsicOptions::default();
    let by_distances = Data::distances(distances.view()).unwrap();
    let by_distances = Intrinsic::of(&Run::new(), &by_distances, &options).unwrap();
    let by_features = found(&roll).unwrap();
    assert_eq!(by_distances.get("local_pca"), None);
    for name in ["maximum_likelihood", "two_nn", "correlation"] {
        let (a, b) = (
            by_distances.get(name).unwrap(),
            by_features.get(name).unwrap(),
        );
        assert!((a - b).abs() < 1e-9, "{name}: {a} {b}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let roll = swiss_roll(400, 0.05, 0).unwrap().features;
    let with = |threads: usize| {
        let run = Run::new().threads(threads).unwrap();
        Intrinsic::of(&run, &Data::from(&roll), &IntrinsicOptions::default()).unwrap()
    };
    let one = with(1);
    for threads in [2, 7] {
        assert_eq!(one, with(threads));
    }
}
