//! Where it could go wrong in silence.

use super::*;
use charta::method::Shape;
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::{Error, Method};
use serde_json::json;

#[test]
fn more_axes_than_classes_allow_is_an_error_that_names_them() {
    let (x, labels) = sample(60, 5, 3);
    let method = Lda {
        n_components: ComponentCount::Count(3),
        ..Lda::default()
    };
    let text = method.fit(labelled(&x, &labels)).unwrap_err().to_string();
    assert_eq!(
        text,
        "`n_components` must be at most 2, because there are 3 classes, got 3"
    );
    let one = x.select(Axis(1), &[0]);
    let method = Lda {
        n_components: ComponentCount::Count(2),
        ..Lda::default()
    };
    let text = method.fit(labelled(&one, &labels)).unwrap_err().to_string();
    assert!(
        text.contains("there are 3 classes and the data has 1 column"),
        "{text}"
    );
}

#[test]
fn classes_with_equal_means_span_fewer_axes() {
    // Rows of classes 0 and 1 are the same, so their means are.
    let (mut x, labels) = sample(90, 4, 3);
    for i in (0..90).step_by(3) {
        let copy = x.row(i).to_owned();
        x.row_mut(i + 1).assign(&copy);
    }
    let model = Lda::default().fit(labelled(&x, &labels)).unwrap();
    assert_eq!(model.n_components(), 1);
    let method = Lda {
        n_components: ComponentCount::Count(2),
        ..Lda::default()
    };
    let text = method.fit(labelled(&x, &labels)).unwrap_err().to_string();
    assert!(
        text.contains("at most 1") && text.contains("3 classes"),
        "{text}"
    );
    // All means equal: nothing to separate.
    let rows: Vec<usize> = (0..90).filter(|i| i % 3 < 2).collect();
    let two = x.select(Axis(0), &rows);
    let words: Vec<String> = (0..60).map(|i| (i % 2).to_string()).collect();
    let labels = Labels::from_words(&words);
    let error = Lda::default().fit(labelled(&two, &labels)).unwrap_err();
    assert!(error.to_string().contains("the same mean"), "{error}");
}

#[test]
fn one_column_and_classes_of_one_row_are_enough() {
    let x = array![[0.0], [2.0], [7.0]];
    let labels = Labels::from_words(&["low", "low", "high"]);
    let (model, warnings) = watched(&Lda::default(), &labelled(&x, &labels));
    let lonely = Warning::SingleRowClasses {
        count: 1,
        first: "high".into(),
    };
    assert_eq!(warnings, [lonely]);
    // Squares within: 2, over 3 rows; the axis has length √(3/2).
    near(
        "axis",
        model.unwrap().components(),
        &array![[1.5_f64.sqrt()]],
        1e-14,
    );
    let (_, warnings) = watched(
        &KarhunenLoeve {
            n_components: Kept::Count(1),
            ..KarhunenLoeve::default()
        },
        &labelled(&x, &labels),
    );
    let expected = Warning::SingleRowClasses {
        count: 1,
        first: "high".into(),
    };
    assert_eq!(warnings, [expected]);
    let labels = Labels::from_words(&["a", "b", "c"]);
    let error = Lda::default().fit(labelled(&x, &labels)).unwrap_err();
    assert!(
        error.to_string().contains("no scatter within classes"),
        "{error}"
    );
}

#[test]
fn constant_columns_are_named_and_change_nothing() {
    let (x, labels) = sample(80, 4, 3);
    let mut wider = Array2::from_elem((80, 6), 0.3);
    for (from, to) in [(0, 0), (1, 2), (2, 3), (3, 5)] {
        wider.column_mut(to).assign(&x.column(from));
    }
    let want = Lda::default().fit(labelled(&x, &labels)).unwrap();
    let expected = Warning::ConstantColumns {
        count: 2,
        first: 1.into(),
    };
    for solver in [Solver::Eigen, Solver::Svd] {
        for shrinkage in [Shrinkage::None, Shrinkage::Auto] {
            let method = Lda {
                solver,
                shrinkage,
                ..Lda::default()
            };
            let (model, warnings) = watched(&method, &labelled(&wider, &labels));
            assert_eq!(
                warnings,
                std::slice::from_ref(&expected),
                "{solver} {shrinkage}"
            );
            let model = model.unwrap();
            assert!(
                model
                    .components()
                    .column(1)
                    .iter()
                    .all(|&entry| entry == 0.0)
            );
            if shrinkage == Shrinkage::None {
                let (ours, want) = (model.embedding().unwrap(), want.embedding().unwrap());
                near("embedding", &ours.to_owned(), &want.to_owned(), 1e-10);
            }
        }
    }
}

#[test]
fn a_singular_scatter_is_met_as_asked() {
    // The fourth column is the sum of the others.
    let (mut x, labels) = sample(100, 4, 3);
    for i in 0..100 {
        x[[i, 3]] = x[[i, 0]] + x[[i, 1]] + x[[i, 2]];
    }
    let three = x.select(Axis(1), &[0, 1, 2]);
    let want = Lda::default().fit(labelled(&three, &labels)).unwrap();
    for solver in [Solver::Eigen, Solver::Svd] {
        for singular in [Singular::Pca, Singular::PseudoInverse] {
            let method = Lda {
                solver,
                singular,
                ..Lda::default()
            };
            let (model, warnings) = watched(&method, &labelled(&x, &labels));
            assert!(
                matches!(&warnings[..], [Warning::Singular { size: 4, rank: 3, remedy, .. }]
                    if remedy.render(&charta::error::Library).contains('3')),
                "{warnings:?}"
            );
            let model = model.unwrap();
            assert_eq!(model.diagnostics().value("rank_within"), Some(3.0));
            // The fourth column adds nothing: the classes are told apart as by the first three.
            near(
                "probabilities",
                &probabilities(&model, &x).1,
                &probabilities(&want, &three).1,
                1e-9,
            );
        }
        let method = Lda {
            solver,
            singular: Singular::Error,
            ..Lda::default()
        };
        let text = method.fit(labelled(&x, &labels)).unwrap_err().to_string();
        assert!(text.contains("rank is 3, and 4 columns"), "{text}");
    }
}

#[test]
fn a_column_that_only_separates_is_no_scatter_to_measure_by() {
    // Constant within each class, different between them.
    let (mut x, labels) = sample(60, 3, 2);
    for i in 0..60 {
        x[[i, 1]] = (i % 2) as f64;
    }
    for singular in [Singular::Pca, Singular::PseudoInverse] {
        let method = Lda {
            singular,
            ..Lda::default()
        };
        let (model, warnings) = watched(&method, &labelled(&x, &labels));
        assert!(matches!(
            warnings[..],
            [Warning::Singular {
                size: 3,
                rank: 2,
                ..
            }]
        ));
        let embedding = model.unwrap().embedding().unwrap().to_owned();
        assert!(embedding.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn almost_as_many_columns_as_rows_make_training_accuracy_meaningless() {
    let mut numbers = stream(12, 0);
    // The classes have nothing to do with the columns.
    let x = Array2::from_shape_fn((120, 100), |_| normal(&mut numbers));
    let words: Vec<String> = (0..120).map(|i| (i % 2).to_string()).collect();
    let labels = Labels::from_words(&words);
    let (model, warnings) = watched(&Lda::default(), &labelled(&x, &labels));
    assert!(model.unwrap().training_accuracy().unwrap() > 0.95);
    let expected = Warning::Separable {
        rows: 120,
        columns: 100,
        classes: 2,
    };
    assert_eq!(warnings, [expected]);
    let text = warnings[0].to_string();
    for part in [
        "meaningless",
        "shrinkage",
        "principal components",
        "cross-validate",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let shrunk = Lda {
        shrinkage: Shrinkage::Auto,
        ..Lda::default()
    };
    assert!(watched(&shrunk, &labelled(&x, &labels)).1.is_empty());
    let few = x.slice(ndarray::s![.., ..20]).to_owned();
    assert!(
        watched(&Lda::default(), &labelled(&few, &labels))
            .1
            .is_empty()
    );
}

#[test]
fn fewer_rows_than_columns_work_in_their_span() {
    let (x, labels) = sample(30, 200, 3);
    for solver in [Solver::Eigen, Solver::Svd] {
        for singular in [Singular::Pca, Singular::PseudoInverse] {
            let method = Lda {
                solver,
                singular,
                ..Lda::default()
            };
            let (model, warnings) = watched(&method, &labelled(&x, &labels));
            // 30 rows less 3 means.
            assert!(matches!(
                warnings[..],
                [
                    Warning::Separable {
                        rows: 30,
                        columns: 200,
                        classes: 3
                    },
                    Warning::Singular {
                        size: 200,
                        rank: 27,
                        ..
                    }
                ]
            ));
            let model = model.unwrap();
            let placed = model.transform(&x).unwrap();
            near(
                "placed",
                &placed,
                &model.embedding().unwrap().to_owned(),
                1e-9,
            );
            // Variance 1 within classes along each axis.
            let classes = charta::data::Classes::of(&labels, "test").unwrap();
            let mut squares = Array1::<f64>::zeros(2);
            for rows in classes.rows() {
                let part = placed.select(Axis(0), &rows);
                let mean = part.mean_axis(Axis(0)).unwrap();
                squares += &(&part - &mean).mapv(|v| v * v).sum_axis(Axis(0));
            }
            near(
                "within",
                &(squares / 30.0).insert_axis(Axis(0)),
                &row(&[1.0, 1.0]),
                1e-8,
            );
        }
    }
}

#[test]
fn singular_values_see_what_squares_lose() {
    let (mut x, labels) = sample(100, 3, 2);
    for i in 0..100 {
        x[[i, 2]] = x[[i, 0]] + 1e-7 * x[[i, 2]];
    }
    let rank = |solver| {
        let method = Lda {
            solver,
            tolerance: 1e-9,
            ..Lda::default()
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        model.diagnostics().value("rank_within").unwrap()
    };
    assert_eq!(rank(Solver::Svd), 3.0);
    assert_eq!(rank(Solver::Eigen), 2.0);
}

#[test]
fn units_do_not_matter() {
    let (x, labels) = sample(90, 4, 3);
    let units = array![1e-6, 1.0, 1e5, 300.0];
    let want = Lda::default().fit(labelled(&x, &labels)).unwrap();
    let other = &x * &units;
    let model = Lda::default().fit(labelled(&other, &labels)).unwrap();
    let ours = model.components() * &units;
    let signs: Array1<f64> = ours
        .rows()
        .into_iter()
        .zip(want.components().rows())
        .map(|(a, b)| a.dot(&b).signum())
        .collect();
    near(
        "axes",
        &(ours * signs.insert_axis(Axis(1))),
        want.components(),
        1e-10,
    );
}

#[test]
fn rows_without_a_class_are_as_if_they_were_not_there() {
    let (x, labels) = sample(90, 4, 3);
    let words: Vec<String> = (0..90)
        .map(|i| {
            if i < 60 {
                labels.text(i)
            } else {
                String::new()
            }
        })
        .collect();
    let part = x.slice(ndarray::s![..60, ..]).to_owned();
    let fewer = Labels::from_words(&words[..60]);
    let want = Lda::default().fit(labelled(&part, &fewer)).unwrap();
    let all = Labels::from_words(&words);
    let (model, warnings) = watched(&Lda::default(), &labelled(&x, &all));
    assert!(matches!(
        &warnings[..],
        [Warning::RowsLeftOut { count: 30, .. }]
    ));
    let model = model.unwrap();
    near("axes", model.components(), want.components(), 1e-12);
    assert_eq!(model.embedding().unwrap().nrows(), 90);
    assert_eq!(model.training_accuracy(), want.training_accuracy());
    // The same in the span of few rows.
    let (x, labels) = sample(30, 50, 3);
    let words: Vec<String> = (0..30)
        .map(|i| {
            if i < 24 {
                labels.text(i)
            } else {
                String::new()
            }
        })
        .collect();
    let part = x.slice(ndarray::s![..24, ..]).to_owned();
    let fewer = Labels::from_words(&words[..24]);
    let method = KarhunenLoeve::default();
    let want = method.fit(labelled(&part, &fewer)).unwrap();
    let model = method
        .fit(labelled(&x, &Labels::from_words(&words)))
        .unwrap();
    near("axes", model.components(), want.components(), 1e-10);
}

#[test]
fn priors_shift_the_decision_and_are_checked() {
    let (x, labels) = sample(60, 3, 2);
    let given = |priors: Vec<f64>| Lda {
        priors: Priors::Given(priors),
        ..Lda::default()
    };
    let model = given(vec![0.9, 0.1]).fit(labelled(&x, &labels)).unwrap();
    let even = given(vec![0.5, 0.5]).fit(labelled(&x, &labels)).unwrap();
    let (_, _, ours) = probabilities(&model, &x);
    let (_, _, other) = probabilities(&even, &x);
    for (a, b) in ours.rows().into_iter().zip(other.rows()) {
        let shift = (a[0] - a[1]) - (b[0] - b[1]);
        assert!((shift - 9.0_f64.ln()).abs() < 1e-10, "{shift}");
    }
    for wrong in [vec![0.5, 0.4], vec![1.0], vec![0.3, 0.3, 0.4]] {
        let error = given(wrong).fit(labelled(&x, &labels)).unwrap_err();
        assert!(error.to_string().starts_with("`priors` must"), "{error}");
        assert!(error.is_usage());
    }
    assert!(given(vec![1.0, 0.0]).fit(labelled(&x, &labels)).is_err());
}

#[test]
fn the_bits_do_not_depend_on_threads_on_any_route() {
    let (tall, tall_labels) = sample(1500, 260, 3);
    let (wide, wide_labels) = sample(60, 500, 3);
    for (x, labels) in [(&tall, &tall_labels), (&wide, &wide_labels)] {
        for solver in [Solver::Eigen, Solver::Svd] {
            for shrinkage in [Shrinkage::None, Shrinkage::Auto] {
                let method = Lda {
                    solver,
                    shrinkage,
                    orthogonal: true,
                    ..Lda::default()
                };
                let bits = |threads| {
                    let run = Run::new().threads(threads).unwrap();
                    let model = method.fit_with(&run, labelled(x, labels)).unwrap();
                    model.embedding().unwrap().mapv(f64::to_bits)
                };
                assert_eq!(bits(1), bits(3), "{solver} {shrinkage}");
            }
        }
        let bits = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let model = KarhunenLoeve::default()
                .fit_with(&run, labelled(x, labels))
                .unwrap();
            model.embedding().unwrap().mapv(f64::to_bits)
        };
        assert_eq!(bits(1), bits(3));
    }
}

#[test]
fn parameters_come_from_json_and_predictions_survive_a_file() {
    let (x, labels) = sample(90, 4, 3);
    let parameters = json!({"priors": [0.2, 0.3, 0.5], "shrinkage": "auto", "n_components": "all"});
    let run = Run::new();
    let fitted = find("lda")
        .unwrap()
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &labelled(&x, &labels), None))
        .unwrap();
    let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    let predict = |fitted: &Fitted| {
        let model = fitted.model().as_predict().unwrap();
        model.predict_in(&run, &Data::from(&x)).unwrap()
    };
    assert_eq!(predict(&fitted), predict(&loaded));
    assert_eq!(fitted.model().marks(), loaded.model().marks());
}

#[test]
fn rules_choose_how_much_of_the_averaged_variance_is_kept() {
    let mut numbers = stream(5, 0);
    let deviations = [10.0, 5.0, 0.5, 0.4, 0.3];
    let x = Array2::from_shape_fn((200, 5), |(i, j)| {
        100.0 * (i % 2) as f64 + deviations[j] * normal(&mut numbers)
    });
    let words: Vec<String> = (0..200).map(|i| (i % 2).to_string()).collect();
    let labels = Labels::from_words(&words);
    for kept in [Kept::Proportion(0.95), Kept::Elbow] {
        let method = KarhunenLoeve {
            n_components: kept,
            ..KarhunenLoeve::default()
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        assert_eq!(model.n_components(), 2, "{kept}");
        // The offset between the classes is not among what varies within them.
        assert!(model.explained_variance()[0] < 150.0);
        assert!(model.explained_variance_ratio().sum() > 0.95);
    }
}

#[test]
fn values_whose_squares_vanish_are_said_to_be_too_close() {
    let x = Array2::from_shape_fn((30, 3), |(i, j)| ((i * 3 + j) as f64).sin() * 1e-200);
    let words: Vec<String> = (0..30).map(|i| (i % 3).to_string()).collect();
    let error = Lda::default()
        .fit(labelled(&x, &Labels::from_words(&words)))
        .unwrap_err();
    assert!(
        error.to_string().contains("squared differences underflow"),
        "{error}"
    );
}

#[test]
fn rows_too_large_to_be_judged_are_refused() {
    let (mut x, labels) = sample(60, 3, 3);
    // Means far apart: coordinates of a large row are finite, and their products with the means are not.
    for (row, mut values) in x.rows_mut().into_iter().enumerate() {
        values += 1000.0 * (row % 3) as f64;
    }
    let model = Lda::default().fit(labelled(&x, &labels)).unwrap();
    for size in [1e307, -1e307] {
        let far = Array2::from_elem((2, 3), size);
        assert!(model.transform(&far).is_ok());
        let error = model.predict(&far).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
    }
}

#[test]
fn many_classes_are_counted_before_memory_is_taken() {
    let (x, labels) = sample(2000, 4, 1000);
    let data = labelled(&x, &labels);
    let plan = Lda::default().plan(&Shape::of(&data)).unwrap();
    let limit = plan.bytes() + Shape::of(&data).bytes();
    let run = Run::new().memory_limit(limit);
    let error = Lda::default().fit_with(&run, &data).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    // Far less than a decision of every class for every row.
    let run = Run::new().memory_limit(limit + 2000 * 1000 * 8 / 2);
    Lda::default().fit_with(&run, &data).unwrap();
}
