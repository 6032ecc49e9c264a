//! What comes out: the same bits, saved, placed again, led back.

use super::runs::Ends;
use super::*;

#[test]
fn the_embedding_is_finite_and_has_the_right_shape() {
    for_each(|entry| {
        let x = sample_for(entry, 120, 9);
        let before = bits(x.view());
        let fitted = fit(entry, &Run::new(), &labelled(entry, &x)).unwrap();
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
    for_each(|entry| {
        let double = sample_for(entry, 2300, 40);
        let single = double.mapv(|value| value as f32);
        let sparse = sparse(&double);
        let mut inputs = vec![Features::from(&double), Features::from(&single)];
        if entry.info.takes(Input::Sparse) {
            inputs.push(Features::from(sparse.view()));
        }
        for features in inputs {
            let outcome = |threads| {
                let run = Run::new().threads(threads).unwrap();
                let fitted = fit(entry, &run, &labelled(entry, features.reborrow())).unwrap();
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

#[test]
fn sparse_rows_are_taken_where_promised_and_mean_the_same() {
    for_each(|entry| {
        let rows = sparse(&sample_for(entry, 200, 12));
        let filled = dense(&rows);
        let run = Run::new();
        let outcome = fit(entry, &run, &labelled(entry, rows.view()));
        if entry.info.takes(Input::Sparse) {
            let other = fit(entry, &run, &labelled(entry, &filled)).unwrap();
            let ours = outcome.unwrap();
            alike("sparse against dense", &ours, &other, 1e-6);
        } else {
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
    });
}

#[test]
fn the_layout_and_precision_of_the_input_do_not_change_the_result() {
    for_each(|entry| {
        let x = sample_for(entry, 150, 8);
        let mut columns_first = Array2::zeros((150, 8).f());
        columns_first.assign(&x);
        let single = x.mapv(|value| value as f32);
        let run = Run::new();
        let rows_first = fit(entry, &run, &labelled(entry, &x)).unwrap();
        let want = rows_first.model().embedding().unwrap();
        let other = fit(entry, &run, &labelled(entry, &columns_first)).unwrap();
        near(
            "column order",
            other.model().embedding().unwrap(),
            want,
            1e-9,
        );
        let other = fit(entry, &run, &labelled(entry, &single)).unwrap();
        alike("single precision", &other, &rows_first, 1e-3);
    });
}

#[test]
fn saved_models_load_and_place_rows_bit_for_bit() {
    let names: Vec<String> = (0..6).map(|j| format!("column {j}")).collect();
    for_each(|entry| {
        let x = sample_for(entry, 100, 6);
        let new = sample_for(entry, 30, 6);
        let run = Run::new();
        let data = labelled(entry, &x)
            .with_column_names(names.clone())
            .unwrap();
        let scaling = if entry.info.takes(Input::Nonnegative) {
            Scaling::MinMax
        } else {
            Scaling::ZScore
        };
        let scaler = Scaler::fit(scaling, &Features::from(&x)).unwrap();
        let scaled = scaler.scaled(&Features::from(&x)).unwrap();
        let scaled = data.with_features(scaled.view()).unwrap();
        let method = entry.parse(&json!({})).unwrap();
        for fitted in [
            fit(entry, &run, &data).unwrap(),
            Fitted::fit(method.as_ref(), &run, &scaled, Some(scaler)).unwrap(),
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
    for_each(|entry| {
        let x = sample_for(entry, 150, 7);
        let run = Run::new();
        let fitted = fit(entry, &run, &labelled(entry, &x)).unwrap();
        let placed = fitted.transform(&run, &Data::from(&x)).unwrap();
        near(
            "transform of the training rows",
            placed.view(),
            fitted.model().embedding().unwrap(),
            entry.info.transform_error,
        );
        let wrong = sample_for(entry, 5, 4);
        let error = fitted.transform(&run, &Data::from(&wrong)).unwrap_err();
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        let mut holes = sample_for(entry, 5, 7);
        holes[[2, 3]] = f64::NAN;
        let outcome = fitted.transform(&run, &Data::from(&holes));
        assert!(matches!(outcome, Err(Error::NotFinite { row: 2, .. })));
    });
}

fn named(entry: &Entry, x: &Array2<f64>, names: &[&str]) -> Data<'static> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let owned: &'static Array2<f64> = Box::leak(Box::new(x.clone()));
    labelled(entry, owned).with_column_names(names).unwrap()
}

#[test]
fn columns_are_found_by_name() {
    for_each(|entry| {
        let x = sample_for(entry, 60, 4);
        let shuffled = x.select(Axis(1), &[2, 0, 3, 1]);
        let named = |x: &Array2<f64>, names: &[&str]| named(entry, x, names);
        let run = Run::new();
        let data = named(&x, &["a", "b", "c", "d"]);
        let fitted = fit(entry, &run, &data).unwrap();
        let want = bits(fitted.transform(&run, &data).unwrap().view());
        let place = |data| fitted.transform(&run, &data).map(|z| bits(z.view()));
        assert_eq!(
            place(named(&shuffled, &["c", "a", "d", "b"])).unwrap(),
            want
        );
        assert_eq!(
            place(named(&x, &["p", "q", "r", "s"])).unwrap(),
            want,
            "other names"
        );
        let partly = place(named(&x, &["x", "c", "b", "d"])).unwrap_err();
        assert!(partly.to_string().contains("no column \"a\""), "{partly}");
    });
}

#[test]
fn columns_of_the_same_name_keep_their_order() {
    for_each(|entry| {
        let x = sample_for(entry, 60, 3);
        let shuffled = x.select(Axis(1), &[2, 0, 1]);
        let named = |x: &Array2<f64>, names: &[&str]| named(entry, x, names);
        let run = Run::new();
        let data = named(&x, &["a", "a", "b"]);
        let fitted = fit(entry, &run, &data).unwrap();
        let want = fitted.transform(&run, &data).unwrap();
        let placed = fitted
            .transform(&run, &named(&shuffled, &["b", "a", "a"]))
            .unwrap();
        assert_eq!(bits(placed.view()), bits(want.view()));
    });
}

#[test]
fn the_way_back_exists_where_promised() {
    for_each(|entry| {
        let x = sample_for(entry, 80, 5);
        let run = Run::new();
        let fitted = fit(entry, &run, &labelled(entry, &x)).unwrap();
        let embedding = fitted.model().embedding().unwrap();
        let outcome = fitted.inverse_transform(&run, &embedding);
        if !entry.info.offers(Capability::Inverse) {
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
fn errors_of_rows_are_there_where_promised() {
    for_each(|entry| {
        let x = sample_for(entry, 80, 6);
        let run = Run::new();
        let data = labelled(entry, &x);
        let fitted = fit(entry, &run, &data).unwrap();
        let outcome = fitted.row_errors(&run, &data);
        if !entry.info.offers(Capability::RowErrors) {
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
            return;
        }
        let errors = outcome.unwrap();
        assert_eq!(errors.len(), 80);
        assert!(
            errors
                .iter()
                .all(|error| error.is_finite() && *error >= 0.0)
        );
        let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
        assert_eq!(errors, loaded.row_errors(&run, &data).unwrap());
        let wide = Array2::<f64>::zeros((3, 7));
        assert!(fitted.row_errors(&run, &Data::from(&wide)).is_err());
    });
}

/// Whether the method, fitted to data with labels, has a capability.
fn has(capability: Capability, fitted: &Fitted, data: &Data<'_>) -> bool {
    let (model, run) = (fitted.model(), Run::new());
    let method = fitted.entry().parse(fitted.parameters()).unwrap();
    let n_columns = data.n_columns();
    match capability {
        Capability::Streams => {
            let batch = Shape::dense(64, n_columns, Precision::Double);
            method.plan_batches(&batch).is_ok()
        }
        Capability::Partial => method.partial(n_columns).is_ok(),
        Capability::Inverse => model.as_inverse().is_some(),
        Capability::RowErrors => model.as_row_errors().is_some(),
        Capability::Likelihood => {
            let likely = model.as_log_likelihood().is_some();
            assert_eq!(fitted.log_likelihoods(&run, data).is_ok(), likely);
            likely
        }
        Capability::Samples => {
            let drawn = fitted.sample(&run, 7, 3);
            let samples = model.as_sample().is_some();
            assert_eq!(drawn.is_ok(), samples);
            if let Ok(rows) = drawn {
                assert_eq!(rows.dim(), (7, model.n_columns()));
                assert!(rows.iter().all(|value| value.is_finite()));
                // Fewer rows are the first of more.
                let fewer = fitted.sample(&run, 4, 3).unwrap();
                assert_eq!(fewer, rows.slice(ndarray::s![..4, ..]));
            }
            samples
        }
        Capability::Axes => model.axes().is_some(),
        Capability::Loadings => model.feature_loadings().is_some(),
        Capability::Spectrum => {
            let report = fitted.diagnostics();
            let drawn = [
                "explained_variance",
                "explained_variance_ratio",
                "correlations",
            ];
            drawn.iter().any(|name| report.is_per_component(name))
                || report.values("residual_variance").is_some()
        }
        Capability::Predicts => model.as_predict().is_some(),
        Capability::Clusters => {
            let clusters = model.clusters();
            let named = clusters.as_ref().map(Vec::len);
            assert!(named.is_none_or(|n_rows| n_rows == data.n_rows()));
            clusters.is_some()
        }
        Capability::Continues => model.as_continue().is_some(),
        Capability::Interruptible => {
            let observer = Ends::default();
            fit(fitted.entry(), &run.observer(&observer), data).unwrap();
            observer.ended.load(Ordering::Relaxed)
        }
        Capability::Graph => {
            let Ok(embedded) = fitted.embedded_graph(data.n_rows()) else {
                return false;
            };
            let graph = embedded.graph(&run, data).unwrap();
            assert_eq!(graph.n_rows(), data.n_rows());
            graph.n_edges() > 0
        }
        Capability::Steps => {
            let Ok(steps) = fitted.steps(&run, data) else {
                return false;
            };
            let names: Vec<&str> = steps.matrices.iter().map(|step| step.name).collect();
            for (place, step) in steps.matrices.iter().enumerate() {
                assert!(!names[..place].contains(&step.name), "{}", step.name);
                assert!(
                    !step.formula.is_empty() && !step.matrix.is_empty(),
                    "{}",
                    step.name
                );
                assert!(
                    step.matrix.iter().all(|value| value.is_finite()),
                    "{}",
                    step.name
                );
            }
            !steps.matrices.is_empty()
        }
        other => panic!("{other:?} is not checked"),
    }
}

#[test]
fn a_method_offers_what_its_models_have_and_nothing_else() {
    for_each(|entry| {
        let x = sample_for(entry, 80, 6);
        let data = labelled(entry, &x);
        let fitted = fit(entry, &Run::new(), &data).unwrap();
        for &capability in Capability::ALL {
            let offered = entry.info.offers(capability);
            assert_eq!(has(capability, &fitted, &data), offered, "{capability:?}");
        }
    });
}

#[test]
fn pictures_and_figures_are_there_where_promised() {
    for_each(|entry| {
        let x = sample_for(entry, 80, 6);
        let data = labelled(entry, &x);
        let fitted = fit(entry, &Run::new(), &data).unwrap();
        let model = fitted.model();
        if let (Some(axes), Some(loadings)) = (model.axes(), model.feature_loadings()) {
            assert_eq!(axes.dim(), loadings.dim());
            assert_eq!(axes.dim(), (model.n_components(), model.n_columns()));
        }
        let report = fitted.diagnostics();
        let n_components = report.value("n_components");
        for (name, figure) in report
            .iter()
            .filter(|(name, _)| report.is_per_component(name))
        {
            let Figure::Vector(values) = figure else {
                panic!("{name} is no vector");
            };
            assert_eq!(Some(values.len() as f64), n_components, "{name}");
        }
        for mark in model.marks() {
            assert_eq!(mark.place.len(), model.n_components());
        }
        let pictures = model.pictures();
        let names: Vec<&str> = pictures.iter().map(|picture| picture.name).collect();
        assert_eq!(names, entry.info.pictures);
        assert!(!entry.info.first_picture || !names.is_empty());
    });
}

#[test]
fn batches_give_the_same_model_where_promised() {
    for_each(|entry| {
        let x = sample_for(entry, 700, 6);
        let run = Run::new();
        let whole = fit(entry, &run, &labelled(entry, &x)).unwrap();
        for size in [1, 64, 700, 10_000] {
            let mut batches = RowBatches::new(&x, size);
            assert_eq!(batches.n_rows(), Some(700));
            let outcome = entry
                .parse(&json!({}))
                .and_then(|method| Fitted::fit_batches(method.as_ref(), &run, &mut batches));
            if !entry.info.offers(Capability::Streams) {
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
