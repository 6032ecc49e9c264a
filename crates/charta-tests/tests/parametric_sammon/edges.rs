//! Small, repeated, flat, tiny and huge data; other metrics and weightings; threads; cancelling.

use std::ops::ControlFlow;

use charta::data::SparseRows;
use charta::methods::parametric_sammon::Weighting;
use charta::methods::parametric_sammon::{Activation, Training};
use charta::methods::parametric_sammon::{Map, ParametricSammon};
use charta::metric::{Comparison, Metric};
use charta::{Data, Error, Event, Fit, Model, Run, Transform};
use ndarray::{Array2, Axis, concatenate};

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut draw = charta::random::stream(2, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let bend = (i as f64 / n_rows as f64 * 6.0 + j as f64).sin();
        3.0 * bend + 0.3 * charta::random::normal(&mut draw)
    })
}

/// A curve that winds through all columns, so that no plane comes near it.
fn winding(n_rows: usize, n_columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let turn = i as f64 / n_rows as f64 * 6.0;
        3.0 * (turn * (1.0 + j as f64 / 2.0) + j as f64).sin()
    })
}

fn quick(map: Map) -> ParametricSammon {
    ParametricSammon {
        map,
        hidden: vec![16, 16],
        training: Training {
            n_epochs: 20,
            batch_size: 64,
            learning_rate: 0.01,
            ..Training::default()
        },
        ..ParametricSammon::default()
    }
}

#[test]
fn data_in_the_plane_is_kept_as_it_is() {
    let x = sample(80, 2);
    for map in [Map::Linear, Map::Network] {
        let model = quick(map).fit(&x).unwrap();
        assert!(model.first_stress < 1e-20);
        assert!(model.stress() < 1e-20);
        let z = model.embedding().unwrap();
        let length = |x: ndarray::ArrayView2<'_, f64>| {
            let apart = &x.row(7) - &x.row(70);
            apart.dot(&apart).sqrt()
        };
        assert!((length(z) / length(x.view()) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn repeated_rows_share_a_place() {
    let x = sample(60, 5);
    let twice = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    for map in [Map::Linear, Map::Network] {
        let model = quick(map).fit(&twice).unwrap();
        let z = model.embedding().unwrap();
        for row in 0..60 {
            let apart = &z.row(row) - &z.row(row + 60);
            assert!(apart.iter().all(|value| value.abs() < 1e-9));
        }
        let pairs = model.diagnostics().value("n_pairs_measured");
        assert_eq!(pairs, Some(f64::from(120 * 119 / 2 - 60)));
    }
}

#[test]
fn few_rows_and_wide_rows_are_placed() {
    for (n_rows, n_columns) in [(2, 2), (3, 7), (9, 300)] {
        let x = sample(n_rows, n_columns);
        for map in [Map::Linear, Map::Network] {
            let model = quick(map).fit(&x).unwrap();
            assert!(model.embedding().unwrap().iter().all(|v| v.is_finite()));
            assert!(model.stress() <= model.first_stress);
        }
    }
    let alone = sample(1, 3);
    let error = quick(Map::Linear).fit(&alone).unwrap_err();
    assert!(
        matches!(error, Error::TooFewRows { needed: 2, .. }),
        "{error}"
    );
}

#[test]
fn flat_data_has_no_map_and_says_so() {
    let flat = Array2::from_elem((40, 3), 2.5);
    let error = quick(Map::Network).fit(&flat).unwrap_err();
    assert!(
        error.to_string().contains("all rows are the same"),
        "{error}"
    );
}

#[test]
fn the_unit_of_the_data_is_the_unit_of_the_map() {
    let x = sample(100, 5);
    let plain = quick(Map::Network).fit(&x).unwrap();
    for unit in [1e-60, 1e60] {
        let scaled = &x * unit;
        let model = quick(Map::Network).fit(&scaled).unwrap();
        assert!((model.stress() / plain.stress() - 1.0).abs() < 1e-3);
        let ratio = model.embedding().unwrap()[[3, 0]] / plain.embedding().unwrap()[[3, 0]];
        assert!((ratio / unit - 1.0).abs() < 0.05, "{ratio}");
    }
    let huge = &x * 1e200;
    assert!(quick(Map::Network).fit(&huge).is_err());
}

#[test]
fn every_metric_weighting_and_activation_lowers_the_stress() {
    let x = winding(150, 6);
    let lowers = |method: ParametricSammon| {
        let model = method.fit(&x).unwrap();
        let (first, last) = (model.first_stress, model.stress());
        // A linear map may begin at its least stress.
        let lower = last < first || (method.map == Map::Linear && last == first);
        assert!(lower, "{method:?}: {first} to {last}");
    };
    for metric in [
        Metric::Manhattan,
        Metric::Cosine,
        Metric::Correlation,
        Metric::Chebyshev,
        Metric::Mahalanobis,
    ] {
        lowers(ParametricSammon {
            comparison: Comparison {
                metric,
                ..Comparison::default()
            },
            ..quick(Map::Network)
        });
    }
    for weighting in [Weighting::Sammon, Weighting::Relative, Weighting::Uniform] {
        for map in [Map::Linear, Map::Network] {
            lowers(ParametricSammon {
                weighting,
                ..quick(map)
            });
        }
    }
    for activation in [Activation::Tanh, Activation::Relu, Activation::Gelu] {
        lowers(ParametricSammon {
            activation,
            ..quick(Map::Network)
        });
    }
    let no_distance = ParametricSammon {
        comparison: Comparison {
            metric: Metric::InnerProduct,
            ..Comparison::default()
        },
        ..quick(Map::Network)
    };
    let error = no_distance.fit(&x).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
}

#[test]
fn a_function_of_the_user_is_minimized() {
    let x = sample(80, 4);
    let first = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
    let data = Data::from(&x).with_distance(&first);
    let mut method = quick(Map::Linear);
    method.training.n_epochs = 200;
    method.training.learning_rate = 0.03;
    let model = method.fit(data).unwrap();
    let first = model.first_stress;
    assert!(
        model.stress() < 0.5 * first,
        "{first} to {}",
        model.stress()
    );
}

#[test]
fn bits_do_not_depend_on_threads_and_new_rows_may_be_sparse() {
    let x = sample(400, 12);
    let model = |threads| {
        let run = Run::new().threads(threads).unwrap();
        quick(Map::Network).fit_with(&run, &x).unwrap()
    };
    let one = model(1);
    assert!(one == model(2) && one == model(5));
    let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
    let rows = SparseRows::from_entries(400, 12, entries).unwrap();
    let placed = one.transform(&rows).unwrap();
    assert_eq!(placed, one.embedding().unwrap());
}

#[test]
fn large_data_is_measured_on_a_sample_and_steps_too_long_are_undone() {
    let x = sample(3500, 3);
    let method = ParametricSammon {
        training: Training {
            n_epochs: 1,
            learning_rate: 50.0,
            ..Training::default()
        },
        ..quick(Map::Network)
    };
    let warned = std::sync::Mutex::new(String::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warned.lock().unwrap().push_str(&warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let model = method.fit_with(&run, &x).unwrap();
    assert_eq!(model.stress(), model.first_stress);
    assert!(warned.lock().unwrap().contains("learning_rate"));
    let text = format!("{:?}", model.diagnostics().get("stress_measured_on"));
    assert!(text.contains("2000 rows"), "{text}");
}

#[test]
fn cancelling_leaves_nothing() {
    let x = sample(300, 6);
    let stop = |event: Event<'_>| match event {
        Event::Iterate { step: 3, loss, .. } => {
            assert!(loss.unwrap() > 0.0);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    let run = Run::new().observer(&stop);
    let outcome = quick(Map::Network).fit_with(&run, &x);
    assert!(matches!(outcome, Err(Error::Cancelled)));
}
