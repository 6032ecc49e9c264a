//! The contract: every method of the registry passes every check. Exceptions are fields of `Info`.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use charta::data::{Batches, RowBatches, Scaler, Scaling, SparseRows};
use charta::method::{LabelUse, Shape};
use charta::methods::{METHODS, find};
use charta::params::{Form, Kind, Range};
use charta::pipeline::{Fitted, fit_scaled};
use charta::registry::Entry;
use charta::{Data, Error, Event, Features, Labels, Result, Run, Warning};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder};
use serde_json::{Value as Json, json};

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut stream = charta::random::stream(11, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let group = (i % 3) as f64 * 4.0;
        group * ((j % 3) as f64 - 1.0)
            + (1.0 + j as f64 / 4.0) * charta::random::normal(&mut stream)
    })
}

fn labels(n_rows: usize) -> Labels<'static> {
    let words: Vec<String> = (0..n_rows).map(|i| format!("group {}", i % 3)).collect();
    Labels::from_words(&words)
}

fn labelled<'a>(features: impl Into<Features<'a>>) -> Data<'a> {
    let data = Data::new(features);
    let n_rows = data.n_rows();
    data.with_labels(labels(n_rows)).unwrap()
}

fn fit(entry: &'static Entry, run: &Run<'_>, data: &Data<'_>) -> Result<Fitted> {
    Fitted::fit(entry, &json!({}), run, data, None)
}

fn bits(x: ArrayView2<'_, f64>) -> Vec<u64> {
    x.iter().map(|value| value.to_bits()).collect()
}

fn largest(x: ArrayView2<'_, f64>) -> f64 {
    x.iter()
        .fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Runs a check for every method and names the one that fails.
fn for_each(check: impl Fn(&'static Entry)) {
    assert!(!METHODS.is_empty());
    for entry in METHODS {
        println!("method {}", entry.info.name);
        check(entry);
    }
}

#[test]
fn names_are_unique_and_everything_is_said() {
    for_each(|entry| {
        let info = &entry.info;
        let same = METHODS.iter().filter(|other| other.info.name == info.name);
        assert_eq!(same.count(), 1);
        assert!(
            info.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        );
        for text in [info.title, info.summary, info.reference] {
            assert!(!text.is_empty());
        }
        assert!(!info.summary.ends_with('.'));
        for spec in entry.specs() {
            assert!(spec.doc.ends_with('.'), "{}: {}", spec.name, spec.doc);
        }
        assert_eq!(
            find(&info.name.replace('_', "-")).unwrap().info.name,
            info.name
        );
        assert!(entry.to_json()["parameters"].as_array().is_some());
    });
    let error = find("pcaa").unwrap_err().to_string();
    assert!(error.contains("did you mean"), "{error}");
}

#[test]
fn parameters_survive_json_and_defaults_are_valid() {
    for_each(|entry| {
        let defaults = entry.resolve(&json!({})).unwrap();
        assert_eq!(entry.resolve(&defaults).unwrap(), defaults);
        for spec in entry.specs() {
            assert_eq!(defaults[spec.name], spec.default);
            let text = charta::params::show(&spec.default);
            assert_eq!(spec.kind.parse(&text), spec.default, "{}", spec.name);
            let typo = format!("{}x", spec.name);
            let error = entry.resolve(&json!({ typo: 1 })).unwrap_err();
            assert!(matches!(
                error,
                Error::UnknownParameter {
                    nearest: Some(_),
                    ..
                }
            ));
        }
    });
}

/// Values just outside a range.
fn outside(range: &Range) -> Vec<f64> {
    let below = [range.min.map(|min| min - 1.0), range.above];
    let above = [range.max.map(|max| max + 1.0), range.below];
    below.into_iter().chain(above).flatten().collect()
}

fn wrong_values(kind: &Kind) -> Vec<Json> {
    match kind {
        Kind::Whole(range) => {
            let mut values = vec![json!(-1), json!(1.5), json!("many"), json!([1])];
            values.extend(outside(range).into_iter().map(|value| json!(value as i64)));
            values
        }
        Kind::Number(range) => {
            let mut values = vec![json!("much"), json!(true), json!(null)];
            values.extend(outside(range).into_iter().map(Json::from));
            values
        }
        Kind::Boolean => vec![json!("maybe"), json!(3)],
        Kind::Choice(alternatives) => {
            let mut values = vec![json!("no such word"), json!(null), json!(-3)];
            for alternative in alternatives {
                if let Form::Whole(range) = &alternative.form {
                    values.extend(outside(range).into_iter().map(|value| json!(value as i64)));
                }
            }
            values
        }
        Kind::Text => vec![json!(1)],
        Kind::Optional(inner) => {
            let mut values = wrong_values(inner);
            values.retain(|value| !value.is_null());
            values
        }
        Kind::List(inner) => wrong_values(inner)
            .into_iter()
            .map(|v| json!([v]))
            .collect(),
    }
}

#[test]
fn bounds_are_enforced_and_the_message_names_the_parameter() {
    for_each(|entry| {
        for spec in entry.specs() {
            for value in wrong_values(&spec.kind) {
                let error = entry.resolve(&json!({ spec.name: value })).unwrap_err();
                assert!(error.is_usage());
                let text = error.to_string();
                assert!(
                    text.starts_with(&format!("`{}` must be", spec.name)),
                    "{text}"
                );
            }
        }
    });
}

#[test]
fn the_embedding_is_finite_and_has_the_right_shape() {
    for_each(|entry| {
        let x = sample(120, 9);
        let before = bits(x.view());
        let fitted = fit(entry, &Run::new(), &labelled(&x)).unwrap();
        let embedding = fitted.model().embedding().unwrap();
        assert_eq!(embedding.dim(), (120, fitted.model().n_components()));
        assert_eq!(
            fitted.component_names().len(),
            fitted.model().n_components()
        );
        assert_eq!(fitted.model().n_columns(), 9);
        assert!(embedding.iter().all(|value| value.is_finite()));
        assert!(largest(embedding) > 0.0);
        assert_eq!(bits(x.view()), before, "the input was changed");
    });
}

#[test]
fn the_bits_are_the_same_for_1_2_and_7_threads() {
    let double = sample(2300, 40);
    let single = double.mapv(|value| value as f32);
    let sparse = sparse(&double);
    for_each(|entry| {
        let mut inputs = vec![Features::from(&double), Features::from(&single)];
        if entry.info.sparse {
            inputs.push(Features::from(sparse.view()));
        }
        for features in inputs {
            let outcome = |threads| {
                let run = Run::new().threads(threads).unwrap();
                let fitted = fit(entry, &run, &labelled(features.reborrow())).unwrap();
                let embedding = bits(fitted.model().embedding().unwrap());
                (embedding, fitted.diagnostics().to_json().to_string())
            };
            let one = outcome(1);
            assert!(one == outcome(1), "not repeatable");
            assert!(one == outcome(2), "2 threads differ");
            assert!(one == outcome(7), "7 threads differ");
        }
    });
}

fn sparse(x: &Array2<f64>) -> SparseRows<f64> {
    let entries = x
        .indexed_iter()
        .filter(|((i, j), _)| (i * 7 + j) % 3 == 0)
        .map(|((i, j), value)| (i, j, *value))
        .collect();
    SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap()
}

fn dense(rows: &SparseRows<f64>) -> Array2<f64> {
    let features = Features::from(rows.view());
    features.dense_rows(0, features.n_rows())
}

fn near(what: &str, a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, tolerance: f64) {
    assert_eq!(a.dim(), b.dim(), "{what}");
    let apart = (&a - &b).iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    let share = apart / largest(b).max(f64::MIN_POSITIVE);
    assert!(share <= tolerance, "{what}: off by {share:.1e}");
}

#[test]
fn sparse_rows_are_taken_where_promised_and_mean_the_same() {
    let rows = sparse(&sample(200, 12));
    let filled = dense(&rows);
    for_each(|entry| {
        let run = Run::new();
        let outcome = fit(entry, &run, &labelled(rows.view()));
        if entry.info.sparse {
            let other = fit(entry, &run, &labelled(&filled)).unwrap();
            let ours = outcome.unwrap();
            near(
                "sparse against dense",
                ours.model().embedding().unwrap(),
                other.model().embedding().unwrap(),
                1e-6,
            );
        } else {
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
    });
}

#[test]
fn the_layout_and_precision_of_the_input_do_not_change_the_result() {
    let x = sample(150, 8);
    let mut columns_first = Array2::zeros((150, 8).f());
    columns_first.assign(&x);
    let single = x.mapv(|value| value as f32);
    for_each(|entry| {
        let run = Run::new();
        let rows_first = fit(entry, &run, &labelled(&x)).unwrap();
        let want = rows_first.model().embedding().unwrap();
        let other = fit(entry, &run, &labelled(&columns_first)).unwrap();
        near(
            "column order",
            other.model().embedding().unwrap(),
            want,
            1e-9,
        );
        let other = fit(entry, &run, &labelled(&single)).unwrap();
        near(
            "single precision",
            other.model().embedding().unwrap(),
            want,
            1e-3,
        );
    });
}

#[test]
fn saved_models_load_and_place_rows_bit_for_bit() {
    let x = sample(100, 6);
    let new = sample(30, 6);
    let names: Vec<String> = (0..6).map(|j| format!("column {j}")).collect();
    for_each(|entry| {
        let run = Run::new();
        let data = labelled(&x).with_column_names(names.clone()).unwrap();
        let scaler = Scaler::fit(Scaling::ZScore, &Features::from(&x)).unwrap();
        for fitted in [
            fit(entry, &run, &data).unwrap(),
            fit_scaled(entry, &json!({}), &run, &data, scaler).unwrap(),
        ] {
            let bytes = fitted.to_bytes().unwrap();
            let loaded = Fitted::from_bytes(&bytes).unwrap();
            assert_eq!(loaded.parameters(), fitted.parameters());
            assert_eq!(loaded.column_names(), Some(names.as_slice()));
            assert_eq!(loaded.scaler(), fitted.scaler());
            assert_eq!(loaded.diagnostics(), fitted.diagnostics());
            let place = |model: &Fitted| model.transform(&run, &Data::from(&new)).unwrap();
            assert_eq!(bits(place(&fitted).view()), bits(place(&loaded).view()));
            let cut = Fitted::from_bytes(&bytes[..bytes.len() / 2]);
            assert!(matches!(cut, Err(Error::ModelFile { .. })));
        }
    });
}

#[test]
fn training_rows_are_placed_near_their_embedding() {
    let x = sample(150, 7);
    for_each(|entry| {
        let run = Run::new();
        let fitted = fit(entry, &run, &labelled(&x)).unwrap();
        let placed = fitted.transform(&run, &Data::from(&x)).unwrap();
        near(
            "transform of the training rows",
            placed.view(),
            fitted.model().embedding().unwrap(),
            entry.info.transform_error,
        );
        let wrong = sample(5, 4);
        let error = fitted.transform(&run, &Data::from(&wrong)).unwrap_err();
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        let mut holes = sample(5, 7);
        holes[[2, 3]] = f64::NAN;
        let outcome = fitted.transform(&run, &Data::from(&holes));
        assert!(matches!(outcome, Err(Error::NotFinite { row: 2, .. })));
    });
}

#[test]
fn columns_are_found_by_name() {
    let x = sample(60, 4);
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
    let order = [2, 0, 3, 1];
    let shuffled = x.select(Axis(1), &order);
    let other: Vec<String> = order.iter().map(|&j| names[j].clone()).collect();
    for_each(|entry| {
        let run = Run::new();
        let data = labelled(&x).with_column_names(names.clone()).unwrap();
        let fitted = fit(entry, &run, &data).unwrap();
        let want = fitted.transform(&run, &data).unwrap();
        let given = Data::from(&shuffled)
            .with_column_names(other.clone())
            .unwrap();
        assert_eq!(
            bits(fitted.transform(&run, &given).unwrap().view()),
            bits(want.view())
        );
    });
}

#[test]
fn the_way_back_exists_where_promised() {
    let x = sample(80, 5);
    for_each(|entry| {
        let run = Run::new();
        let fitted = fit(entry, &run, &labelled(&x)).unwrap();
        let embedding = fitted.model().embedding().unwrap();
        let outcome = fitted.inverse_transform(&run, &embedding);
        if !entry.info.inverse {
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
            return;
        }
        let back = outcome.unwrap();
        assert_eq!(back.dim(), (80, 5));
        assert!(back.iter().all(|value| value.is_finite()));
        let wide = Array2::zeros((3, fitted.model().n_components() + 1));
        let error = fitted.inverse_transform(&run, &wide.view()).unwrap_err();
        assert!(matches!(error, Error::Shape { .. }));
    });
}

#[test]
fn cancelling_at_any_event_stops_with_that_error() {
    let x = sample(3000, 10);
    for_each(|entry| {
        let seen = AtomicUsize::new(0);
        let count = |_: Event<'_>| {
            seen.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        fit(entry, &Run::new().observer(&count), &labelled(&x)).unwrap();
        let total = seen.load(Ordering::Relaxed);
        assert!(total >= 2, "only {total} events");
        for stop_at in [1, 10.min(total), total] {
            let seen = AtomicUsize::new(0);
            let stop = |_: Event<'_>| {
                if seen.fetch_add(1, Ordering::Relaxed) + 1 == stop_at {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let outcome = fit(entry, &Run::new().observer(&stop), &labelled(&x));
            assert!(
                matches!(outcome, Err(Error::Cancelled)),
                "at event {stop_at}"
            );
            assert_eq!(
                seen.load(Ordering::Relaxed),
                stop_at,
                "events after the stop"
            );
        }
    });
}

#[test]
fn progress_never_falls_within_a_stage() {
    let x = sample(5000, 10);
    for_each(|entry| {
        let last = Mutex::new((0, 0));
        let stages = AtomicUsize::new(0);
        let watch = |event: Event<'_>| {
            let mut last = last.lock().unwrap();
            match event {
                Event::Stage { name } => {
                    assert!(!name.is_empty());
                    stages.fetch_add(1, Ordering::Relaxed);
                    *last = (0, 0);
                }
                Event::Progress { done, total } => {
                    assert!(done <= total, "{done} of {total}");
                    assert!(done >= last.0, "{done} after {}", last.0);
                    *last = (done, total);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        };
        fit(entry, &Run::new().observer(&watch), &labelled(&x)).unwrap();
        assert!(stages.load(Ordering::Relaxed) >= 1);
    });
}

/// A clear error, or a finite result.
fn sane(entry: &'static Entry, what: &str, x: &Array2<f64>) {
    match fit(entry, &Run::new(), &labelled(x)) {
        Ok(fitted) => {
            let embedding = fitted.model().embedding().unwrap();
            assert!(
                embedding.iter().all(|v| v.is_finite()),
                "{what}: not finite"
            );
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() > 10 && !text.contains("NaN,"), "{what}: {text}");
        }
    }
}

#[test]
fn nasty_inputs_give_a_clear_error_or_a_finite_result() {
    let base = sample(50, 5);
    let mut constant_column = base.clone();
    constant_column.column_mut(2).fill(7.0);
    let mut far_outlier = base.clone();
    far_outlier[[3, 3]] = 1e9;
    let duplicates = Array2::from_shape_fn((50, 5), |(i, j)| base[[i % 2, j]]);
    let cases = [
        ("one row", sample(1, 5)),
        ("two rows", sample(2, 5)),
        ("three rows", sample(3, 5)),
        ("one column", sample(50, 1)),
        ("one row, one column", sample(1, 1)),
        ("constant column", constant_column),
        ("constant data", Array2::from_elem((50, 5), 3.5)),
        ("zeros", Array2::zeros((50, 5))),
        ("duplicates", duplicates),
        ("more columns than rows", sample(6, 40)),
        ("far outlier", far_outlier),
        ("tiny values", &base * 1e-200),
        ("small values", &base * 1e-30),
        ("large values", &base * 1e30),
        ("huge values", &base * 1e200),
        ("values at the limit", Array2::from_elem((50, 5), f64::MAX)),
        ("large offset", &base + 1e8),
    ];
    for_each(|entry| {
        for (what, x) in &cases {
            println!("  {what}");
            sane(entry, what, x);
        }
    });
}

#[test]
fn values_that_are_not_finite_are_named() {
    for_each(|entry| {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = sample(60, 4);
            x[[41, 2]] = bad;
            let error = fit(entry, &Run::new(), &labelled(&x)).unwrap_err();
            assert!(
                matches!(&error, Error::NotFinite { row: 41, column, count: 1, .. } if column == "2"),
                "{error}"
            );
        }
    });
}

#[test]
fn empty_data_is_an_error() {
    for_each(|entry| {
        for (n_rows, n_columns) in [(0, 4), (4, 0), (0, 0)] {
            let x = Array2::<f64>::zeros((n_rows, n_columns));
            let error = fit(entry, &Run::new(), &Data::from(&x)).unwrap_err();
            assert!(matches!(error, Error::Empty { .. }), "{error}");
        }
    });
}

#[test]
fn too_many_components_are_an_error_that_says_the_limit() {
    for_each(|entry| {
        if !entry.specs().iter().any(|spec| spec.name == "n_components") {
            return;
        }
        let x = sample(20, 4);
        let parameters = json!({"n_components": 1000});
        let outcome = Fitted::fit(entry, &parameters, &Run::new(), &labelled(&x), None);
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("at most") && text.contains("1000"), "{text}");
    });
}

#[test]
fn distances_and_kernels_are_refused_where_they_make_no_sense() {
    let x = Array2::<f64>::eye(12);
    for_each(|entry| {
        let run = Run::new();
        if !entry.info.distances {
            let outcome = fit(entry, &run, &Data::distances(x.view()).unwrap());
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
        if !entry.info.kernel {
            let outcome = fit(entry, &run, &Data::kernel(x.view()).unwrap());
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
    });
}

#[test]
fn labels_are_asked_for_where_they_are_needed() {
    let x = sample(40, 4);
    for_each(|entry| {
        let outcome = fit(entry, &Run::new(), &Data::from(&x));
        match entry.info.labels {
            LabelUse::Required => assert!(matches!(outcome, Err(Error::LabelsMissing { .. }))),
            _ => assert!(outcome.is_ok()),
        }
    });
}

#[test]
fn batches_give_the_same_model_where_promised() {
    let x = sample(700, 6);
    for_each(|entry| {
        let run = Run::new();
        let whole = fit(entry, &run, &labelled(&x)).unwrap();
        for size in [1, 64, 700, 10_000] {
            let mut batches = RowBatches::new(&x, size);
            assert_eq!(batches.n_rows(), Some(700));
            let outcome = Fitted::fit_batches(entry, &json!({}), &run, &mut batches);
            if !entry.info.streams {
                assert!(matches!(outcome, Err(Error::Unsupported { .. })));
                continue;
            }
            let placed = outcome.unwrap().transform(&run, &Data::from(&x)).unwrap();
            near(
                "batches",
                placed.view(),
                whole.model().embedding().unwrap(),
                1e-9,
            );
        }
    });
}

#[test]
fn memory_is_predicted_and_a_limit_is_kept() {
    let x = sample(300, 20);
    for_each(|entry| {
        let shape = Shape::of(&Data::from(&x));
        let plan = entry.plan(&json!({}), &shape).unwrap();
        assert!(!plan.algorithm.is_empty() && plan.bytes() > 0);
        let larger = Shape {
            n_rows: 30_000,
            n_stored: 600_000,
            ..shape
        };
        assert!(entry.plan(&json!({}), &larger).unwrap().bytes() >= plan.bytes());
        let run = Run::new().memory_limit(1000);
        let error = fit(entry, &run, &labelled(&x)).unwrap_err();
        assert!(
            matches!(error, Error::Memory { limit: 1000, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("may use 1000 B"), "{error}");
        let run = Run::new().memory_limit(plan.bytes() + shape.bytes());
        fit(entry, &run, &labelled(&x)).unwrap();
    });
}

#[test]
fn asking_for_more_than_the_rank_warns() {
    let mut x = sample(60, 5);
    for j in 1..5 {
        let copy = x.column(0).to_owned() * (j as f64 + 1.0);
        x.column_mut(j).assign(&copy);
    }
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let fitted = fit(find("pca").unwrap(), &run, &labelled(&x)).unwrap();
    assert_eq!(
        *warnings.lock().unwrap(),
        [Warning::RankDeficient { asked: 2, rank: 1 }]
    );
    let second = fitted.model().embedding().unwrap().column(1).to_owned();
    assert!(second.iter().all(|&value| value == 0.0));
}
