//! Where PCA could go wrong in silence: constant columns, units, rounding, far rows, batches.

use super::*;

#[test]
fn constant_columns_stay_constant_on_every_route() {
    let base = sample(331, 3);
    for constant in [0.3, 0.7, 3.3, 1e-3, 1234.567] {
        let mut x = base.clone();
        x.column_mut(2).fill(constant);
        let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
        let sparse = charta::data::SparseRows::from_entries(331, 3, entries).unwrap();
        for solver in SOLVERS {
            let method = Pca {
                standardize: true,
                solver,
                ..pca(2)
            };
            for data in [Data::from(&x), Data::from(&sparse)] {
                let total = method.fit(&data).unwrap().report().total_variance;
                let want = 2.0 * 331.0 / 330.0;
                assert!((total - want).abs() < 1e-9, "{constant} {solver}: {total}");
            }
        }
    }
}

#[test]
fn missing_values_of_standardised_columns_do_not_depend_on_units() {
    let mut x = sample(120, 4);
    for i in 0..120 {
        x[[i, (i * 5) % 4]] = if i % 2 == 0 { f64::NAN } else { 1.0 };
    }
    let method = Pca {
        missing: Missing::Em,
        standardize: true,
        ..pca(1)
    };
    let want = method.fit(&x).unwrap();
    let mut other = x.clone();
    other.column_mut(2).mapv_inplace(|value| value * 1000.0);
    let model = method.fit(&other).unwrap();
    assert!(apart(&embedding(&model), &embedding(&want)) < 1e-6);
    let ruled = Pca {
        n_components: Components::Proportion(0.9),
        ..method
    };
    let model = ruled.fit(&x).unwrap();
    assert!(apart(&model.transform(&x).unwrap(), &embedding(&model)) < 1e-12);
}

#[test]
fn the_rank_of_single_precision_is_not_its_rounding() {
    let mut numbers = stream(6, 0);
    let hidden = Array2::from_shape_fn((1000, 3), |_| normal(&mut numbers));
    let mixing = Array2::from_shape_fn((3, 8), |_| normal(&mut numbers));
    let x = hidden.dot(&mixing).mapv(|value| value as f32);
    for solver in SOLVERS {
        let model = Pca { solver, ..pca(6) }.fit(&x).unwrap();
        let real = model
            .explained_variance()
            .iter()
            .filter(|v| **v > 0.0)
            .count();
        assert_eq!(real, 3, "{solver}");
    }
}

#[test]
fn trimming_counts_the_rows_it_keeps() {
    let x = sample(10, 8);
    let method = Pca {
        trim: 0.5,
        ..pca(8)
    };
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.contains("at most 5"), "{text}");
    let method = Pca {
        trim: 0.2,
        ..pca(2)
    };
    let warnings = warnings_of(&method, &x);
    assert!(matches!(
        &warnings[0],
        Warning::RowsLeftOut { count: 2, .. }
    ));
}

#[test]
fn rows_of_batches_are_counted_from_the_first_batch() {
    let mut x = sample(1000, 3);
    x[[640, 1]] = f64::NAN;
    for entry in charta::methods::METHODS
        .iter()
        .filter(|entry| entry.info.offers(charta::method::Capability::Streams))
    {
        let mut batches = charta::data::RowBatches::new(&x, 100);
        let method = entry.parse(&serde_json::json!({})).unwrap();
        // A method that learns nothing from the rows meets the value when it places them.
        let outcome = match method.fit_batches(&Run::new(), &mut batches) {
            Ok(model) => model.transform_in(&Run::new(), &Data::from(&x)).map(|_| ()),
            Err(error) => Err(error),
        };
        assert!(matches!(
            outcome,
            Err(Error::NotFinite {
                row: 640,
                hint: None,
                ..
            })
        ));
    }
    let method = Pca {
        missing: Missing::Em,
        ..pca(1)
    };
    let model = method.fit(&sample(50, 3)).unwrap();
    let mut new = sample(2000, 3);
    new[[1500, 2]] = f64::INFINITY;
    let outcome = model.transform(&new);
    assert!(matches!(outcome, Err(Error::NotFinite { row: 1500, .. })));
}

/// Wants to stop after being asked a number of times.
struct Impatient(std::sync::atomic::AtomicUsize);

impl charta::Observer for Impatient {
    fn event(&self, _: Event<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_stop(&self) -> bool {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 40
    }
}

#[test]
fn a_wish_to_stop_is_heard_between_events() {
    let x = sample(200, 60);
    let method = Pca {
        n_components: Components::Parallel,
        repetitions: 100_000,
        ..Pca::default()
    };
    let observer = Impatient(Default::default());
    let run = Run::new().observer(&observer);
    assert!(matches!(method.fit_with(&run, &x), Err(Error::Cancelled)));
}

#[test]
fn the_plan_counts_columns_and_missing_values_and_never_overflows() {
    use charta::Method;
    use charta::data::Precision;
    use charta::method::Shape;

    let bytes = |method: &Pca, n_rows, n_columns| {
        let shape = Shape::dense(n_rows, n_columns, Precision::Single);
        method.plan(&shape).unwrap().bytes()
    };
    // The mean alone is eight bytes a column, however few the rows.
    assert!(bytes(&pca(1), 3, 1_000_000) > 8_000_000);
    assert_eq!(bytes(&pca(1), usize::MAX / 4, usize::MAX / 4), u64::MAX);
    let em = Pca {
        missing: Missing::Em,
        ..pca(1)
    };
    // Rows with missing values are held in double precision.
    assert!(bytes(&em, 10_000, 100) > bytes(&pca(1), 10_000, 100) + 10_000 * 100 * 8);
}

#[test]
fn errors_of_rows_are_squared_distances_to_the_plane() {
    let x = sample(90, 6);
    let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
    let sparse = charta::data::SparseRows::from_entries(90, 6, entries).unwrap();
    for (standardize, whiten) in [(false, false), (false, true), (true, true)] {
        let method = Pca {
            standardize,
            whiten,
            ..pca(2)
        };
        let model = method.fit(&x).unwrap();
        let mut apart = &x - model.mean();
        if standardize {
            apart /= &x.std_axis(Axis(0), 0.0);
        }
        let axes = model.components();
        let inside = apart.dot(&axes.t()).dot(axes);
        let want: Array1<f64> = (apart - inside).map_axis(Axis(1), |row| row.dot(&row));
        for data in [Data::from(&x), Data::from(&sparse)] {
            let errors = model.row_errors(data).unwrap();
            let largest = (errors - &want)
                .mapv(f64::abs)
                .fold(0.0, |a: f64, b| a.max(*b));
            assert!(largest < 1e-10, "{largest}");
        }
    }
    let model = pca(2).fit(&x).unwrap();
    let lost = model.diagnostics().value("reconstruction_error").unwrap();
    let mean = model.row_errors(&x).unwrap().mean().unwrap();
    assert!((mean - lost).abs() < 1e-9 * lost);
    let mut holes = x.clone();
    holes[[3, 1]] = f64::NAN;
    assert!(model.row_errors(&holes).is_err());
    let filling = Pca {
        missing: Missing::Em,
        ..pca(2)
    };
    let errors = filling.fit(&x).unwrap().row_errors(&holes).unwrap();
    assert!(errors.iter().all(|error| error.is_finite()));
}

#[test]
fn values_whose_squares_leave_the_range_of_numbers_are_said_to_be_too_large() {
    for scale in [3e153, 1e200, 1e306] {
        let x = sample(40, 3).mapv(|value| value * scale / 10.0);
        for solver in SOLVERS {
            let error = Pca { solver, ..pca(2) }.fit(&x).unwrap_err().to_string();
            assert!(error.contains("too large"), "{scale:e} {solver}: {error}");
            assert!(error.contains("rescale"), "{scale:e} {solver}: {error}");
        }
        let error = IncrementalPca::default().fit(&x).unwrap_err().to_string();
        assert!(error.contains("too large"), "{scale:e}: {error}");
    }
}

#[test]
fn a_model_file_stores_the_axes_once() {
    let x = sample(400, 60);
    for whiten in [false, true] {
        let method = Pca {
            whiten,
            standardize: whiten,
            ..pca(50)
        };
        let model = method.fit(&x).unwrap();
        let bytes = charta::pipeline::save(&method, &model).unwrap();
        let axes = model.components().len() * 8;
        assert!(bytes.len() < axes * 3 / 2, "{} against {axes}", bytes.len());
        let (_, loaded) = charta::pipeline::load::<Pca>(&bytes).unwrap();
        let (ours, want) = (loaded.transform(&x).unwrap(), embedding(&model));
        assert_eq!(ours, want);
        let back = model.inverse_transform(&want.view()).unwrap();
        assert_eq!(loaded.inverse_transform(&want.view()).unwrap(), back);
    }
}
