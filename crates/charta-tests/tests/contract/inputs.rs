//! What goes in: nasty, missing, of the wrong kind.

use charta::error::Library;
use charta::params;
use ndarray::Array1;

use super::*;

/// A clear error, or a finite result.
fn sane(entry: &'static Entry, what: &str, x: &Array2<f64>) {
    match fit(entry, &Run::new(), &labelled(entry, x)) {
        Ok(fitted) => {
            let embedding = fitted.model().embedding().unwrap();
            assert!(
                embedding.iter().all(|v| v.is_finite()),
                "{what}: not finite"
            );
        }
        Err(error) => clear(&error, what),
    }
}

/// An error whose message names the parameter or the place, the limit, and the value.
fn clear(error: &Error, what: &str) {
    let text = error.to_string();
    let mut named: Vec<String> = Vec::new();
    match error {
        Error::Parameter { name, rule, given } => {
            named.extend([format!("`{name}`"), params::show(given)]);
            named.extend(rule.limits());
        }
        Error::TooFewRows { needed, given, .. } => {
            named.extend([needed.to_string(), given.to_string()]);
        }
        Error::NotFinite {
            row, column, value, ..
        }
        | Error::Negative {
            row, column, value, ..
        } => named.extend([
            format!("row {row}"),
            format!("column {}", column.index),
            value.clone(),
        ]),
        Error::Shape {
            expected, given, ..
        } => named.extend([expected.render(&Library), given.render(&Library)]),
        Error::Disconnected {
            n_connected_components,
            sizes,
        } => {
            named.extend([n_connected_components.to_string(), sizes[0].to_string()]);
        }
        Error::Empty { rows, columns } => named.extend([rows.to_string(), columns.to_string()]),
        Error::LabelsMissing { method } | Error::ViewsMissing { method } => {
            named.push(format!("`{method}`"));
        }
        Error::Degenerate { problem } | Error::Labels { problem } => {
            assert!(
                problem.pieces().len() > 1 || text.contains(' '),
                "{what}: {text}"
            );
        }
        Error::Unsupported {
            what: who, problem, ..
        } => named.extend([who.render(&Library), problem.render(&Library)]),
        Error::NotConverged {
            what: who, reached, ..
        } => named.extend([who.render(&Library), reached.render(&Library)]),
        other => panic!("{what}: not an error of data: {other:?}"),
    }
    for part in named {
        assert!(
            !part.is_empty() && text.contains(&part),
            "{what}: {part:?} is not in {text:?}"
        );
    }
    assert!(text.split(' ').count() >= 4, "{what}: {text}");
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
            eprintln!("  {what}");
            sane(entry, what, x);
            sane(entry, what, &suited(entry, x));
        }
    });
}

#[test]
fn values_that_are_not_finite_are_named() {
    for_each(|entry| {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = sample_for(entry, 60, 4);
            x[[41, 2]] = bad;
            let error = fit(entry, &Run::new(), &labelled(entry, &x)).unwrap_err();
            assert!(
                matches!(&error, Error::NotFinite { row: 41, column, count: 1, .. } if column.index == 2),
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

/// Whether the method takes such input; for what it cannot do without, whether it refuses any other.
fn takes(entry: &'static Entry, input: Input) -> bool {
    let run = Run::new();
    let features = sample_for(entry, 40, 4);
    let apart = Array2::from_shape_fn((40, 40), |(i, j)| {
        let difference = &features.row(i) - &features.row(j);
        difference.dot(&difference).sqrt()
    });
    let taken = |data: Data<'_>| {
        let data = data.with_labels(labels(40)).unwrap();
        !matches!(fit(entry, &run, &data), Err(Error::Unsupported { .. }))
    };
    match input {
        Input::Sparse => taken(viewed(entry, sparse(&features).view())),
        Input::Distances => taken(Data::distances(apart.view()).unwrap()),
        Input::MissingDistances => {
            let mut some = apart.clone();
            (some[[1, 2]], some[[2, 1]]) = (f64::NAN, f64::NAN);
            taken(Data::some_distances(some.view()).unwrap())
        }
        Input::PairWeights => {
            let weights = Array2::ones((40, 40));
            let data = Data::distances(apart.view()).unwrap();
            taken(data.with_pair_weights(weights.view()).unwrap())
        }
        Input::RowWeights => {
            let weights = Array1::from_shape_fn(40, |i| 1.0 + (i % 3) as f64);
            taken(
                viewed(entry, &features)
                    .with_row_weights(weights.view())
                    .unwrap(),
            )
        }
        Input::InitialEmbedding => {
            // Of the wrong width where it is taken: another error.
            let initial = Array2::ones((40, 39));
            taken(
                viewed(entry, &features)
                    .with_initial_embedding(initial.view())
                    .unwrap(),
            )
        }
        Input::InitialComponents => {
            let initial = Array2::ones((39, 39));
            taken(
                viewed(entry, &features)
                    .with_initial_components(initial.view())
                    .unwrap(),
            )
        }
        Input::Anchors => {
            let (anchors, weights) = (Array2::ones((40, 39)), Array1::ones(40));
            taken(
                viewed(entry, &features)
                    .with_anchors(anchors.view(), weights.view())
                    .unwrap(),
            )
        }
        Input::Kernel => taken(Data::kernel(features.dot(&features.t()).view()).unwrap()),
        Input::Neighbors => {
            let places = Array2::from_shape_fn((40, 3), |(i, j)| ((i + j + 1) % 40) as i64);
            let ones = Array2::ones((40, 3));
            let table = Neighbors::from_table(&places.view(), &ones.view()).unwrap();
            taken(Data::from_neighbors(&table).unwrap())
        }
        Input::Views => {
            let data = Data::from(&features).with_labels(labels(40)).unwrap();
            matches!(fit(entry, &run, &data), Err(Error::ViewsMissing { .. }))
        }
        Input::Nonnegative => fit(entry, &run, &labelled(entry, &sample(40, 4))).is_err(),
        other => panic!("{other:?} is not checked"),
    }
}

#[test]
fn a_method_takes_what_it_promises_and_nothing_else() {
    let to_known = Array2::<f64>::eye(12);
    for_each(|entry| {
        for &input in Input::ALL {
            assert_eq!(takes(entry, input), entry.info.takes(input), "{input:?}");
        }
        for data in [
            Data::distances_to(to_known.view()).unwrap(),
            Data::kernel_to(to_known.view()).unwrap(),
        ] {
            let outcome = fit(entry, &Run::new(), &data);
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
    });
}

#[test]
fn labels_are_asked_for_where_they_are_needed() {
    for_each(|entry| {
        let x = sample_for(entry, 40, 4);
        let outcome = fit(entry, &Run::new(), &viewed(entry, &x));
        match entry.info.labels {
            LabelUse::Required | LabelUse::Target => {
                assert!(matches!(outcome, Err(Error::LabelsMissing { .. })));
            }
            _ => assert!(outcome.is_ok()),
        }
    });
}

#[test]
fn views_are_asked_for_where_they_are_needed() {
    for_each(|entry| {
        let x = sample_for(entry, 40, 4);
        let data = Data::from(&x).with_labels(labels(40)).unwrap();
        let outcome = fit(entry, &Run::new(), &data);
        if entry.info.takes(Input::Views) {
            assert!(matches!(outcome, Err(Error::ViewsMissing { .. })));
        } else {
            assert!(outcome.is_ok());
        }
    });
}

#[test]
fn a_second_view_can_be_the_target() {
    let both = sample(60, 6);
    for_each(|entry| {
        if entry.info.labels != LabelUse::Target {
            return;
        }
        let run = Run::new();
        let data = Data::from(&both).with_view_widths(&[4, 2]).unwrap();
        let fitted = fit(entry, &run, &data).unwrap();
        assert_eq!(fitted.model().n_columns(), 4);
        let first = both.slice(ndarray::s![.., ..4]);
        let placed = fitted.transform(&run, &Data::from(first)).unwrap();
        near(
            "first view",
            placed.view(),
            fitted.model().embedding().unwrap(),
            1e-9,
        );
    });
}

#[test]
fn rows_without_a_label_are_placed_and_said() {
    for_each(|entry| {
        if entry.info.labels != LabelUse::Required {
            return;
        }
        let x = sample_for(entry, 60, 4);
        let words: Vec<String> = (0..60)
            .map(|i| {
                if i % 10 == 3 {
                    String::new()
                } else {
                    format!("group {}", i % 3)
                }
            })
            .collect();
        let seen = Mutex::new(Vec::new());
        let listen = |event: Event<'_>| {
            if let Event::Warning(Warning::RowsLeftOut { count, .. }) = event {
                seen.lock().unwrap().push(*count);
            }
            ControlFlow::Continue(())
        };
        let data = viewed(entry, &x)
            .with_labels(Labels::from_words(&words))
            .unwrap();
        let fitted = fit(entry, &Run::new().observer(&listen), &data).unwrap();
        assert_eq!(fitted.model().embedding().unwrap().nrows(), 60);
        assert_eq!(*seen.lock().unwrap(), [6]);
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
    let fitted = fit(find("pca").unwrap(), &run, &Data::from(&x)).unwrap();
    assert_eq!(
        *warnings.lock().unwrap(),
        [Warning::RankDeficient {
            requested: 2,
            rank: 1
        }]
    );
    let second = fitted.model().embedding().unwrap().column(1).to_owned();
    assert!(second.iter().all(|&value| value == 0.0));
}
