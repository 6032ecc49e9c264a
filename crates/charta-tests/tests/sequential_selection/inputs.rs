//! Inputs, messages, and results that do not depend on the number of threads.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::methods::find;
use charta::methods::sequential_selection::{Direction, Kind, Measure, Scorer, Validation};
use charta::methods::sequential_selection::{FeatureCount, SequentialSelection};
use charta::pipeline::Fitted;
use charta::{Data, Error, Event, Fit, Labels, Model, Run, Transform, Warning};
use ndarray::{Array2, Axis, array};
use serde_json::json;

use super::{labelled, method, sample};

const SCORERS: [Scorer; 6] = [
    Scorer::KNearest,
    Scorer::Linear,
    Scorer::Ridge,
    Scorer::Lda,
    Scorer::NaiveBayes,
    Scorer::Logistic,
];

const DIRECTIONS: [Direction; 6] = [
    Direction::Forward,
    Direction::Backward,
    Direction::FloatingForward,
    Direction::FloatingBackward,
    Direction::PlusMinus,
    Direction::Exhaustive,
];

/// Classes for those that predict them, numbers for the others.
fn labels_for(scorer: Scorer, x: &Array2<f64>, classes: &Labels<'static>) -> Labels<'static> {
    match scorer {
        Scorer::Linear | Scorer::Ridge => {
            let rows = x.rows().into_iter();
            Labels::numbers(
                rows.map(|row| row[0] - 2.0 * row[2] + 0.1 * row[1])
                    .collect::<Vec<_>>(),
            )
        }
        _ => classes.clone(),
    }
}

#[test]
fn every_scorer_and_direction_finds_the_informative_columns() {
    let (x, classes) = sample(90, 6);
    for scorer in SCORERS {
        let labels = labels_for(scorer, &x, &classes);
        for direction in DIRECTIONS {
            let method = SequentialSelection {
                scorer,
                direction,
                n_components: 2.into(),
                ..method()
            };
            let model = method.fit(labelled(&x, &labels)).unwrap();
            assert_eq!(model.columns(), [0, 2], "{scorer} {direction}");
            assert!(model.chosen().error < 0.3, "{scorer} {direction}");
            assert_eq!(model.chosen().errors.len(), 5);
        }
    }
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads() {
    let (x, classes) = sample(150, 8);
    let single = x.mapv(|value| value as f32);
    for scorer in SCORERS {
        let labels = labels_for(scorer, &x, &classes);
        for direction in [Direction::FloatingForward, Direction::Backward] {
            let method = SequentialSelection {
                scorer,
                direction,
                n_components: FeatureCount::Best,
                n_repeats: 2,
                ..method()
            };
            for narrow in [false, true] {
                let report = |threads| {
                    let run = Run::new().threads(threads).unwrap();
                    let data = if narrow {
                        Data::from(&single)
                    } else {
                        Data::from(&x)
                    };
                    let data = data.with_labels(labels.clone()).unwrap();
                    method
                        .fit_with(&run, &data)
                        .unwrap()
                        .diagnostics()
                        .to_json()
                        .to_string()
                };
                let one = report(1);
                assert_eq!(one, report(2), "{scorer} {direction}");
                assert_eq!(one, report(7), "{scorer} {direction}");
            }
        }
    }
}

#[test]
fn the_report_has_the_whole_path_by_name() {
    let (x, labels) = sample(90, 4);
    let names: Vec<String> = ["age", "noise", "height", "weight"]
        .map(String::from)
        .to_vec();
    let data = labelled(&x, &labels).with_column_names(names).unwrap();
    let model = SequentialSelection {
        n_components: FeatureCount::Best,
        ..method()
    };
    let model = model.fit(&data).unwrap();
    let report = model.diagnostics().to_json();
    assert_eq!(report["n_features"], 4);
    assert_eq!(report["measure"], "1 − accuracy");
    assert_eq!(report["path"].as_array().unwrap().len(), 4);
    assert_eq!(report["path_size"], json!([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(report["sizes"], json!([1.0, 2.0, 3.0, 4.0]));
    let first = report["path"][0].as_str().unwrap();
    assert!(first == "+age" || first == "+height", "{first}");
    let (errors, before) = (&report["path_error"], &report["path_error_before"]);
    assert_eq!(errors[0], before[1]);
    let least = (0..4)
        .map(|i| errors[i].as_f64().unwrap())
        .fold(f64::INFINITY, f64::min);
    assert_eq!(report["error"].as_f64().unwrap(), least);
    assert_eq!(model.component_names().unwrap(), model.names());
    // Knowing nothing, a third of the rows is right.
    assert!((before[0].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
}

/// The built-in wine data: 5 features have a lower error than the 6 that are half of them.
#[test]
fn the_best_number_of_features_is_kept_and_a_worse_one_warned_of() {
    let (x, table) = super::built_in("wine");
    let data = labelled(&x, &table.labels.as_ref().unwrap().1);
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let best = method().fit_with(&run, &data).unwrap();
    let report = best.diagnostics().to_json();
    assert_eq!(best.by_size().len(), 13);
    assert_eq!(best.chosen(), best.best());
    assert_eq!(report["best_error"], report["error"]);
    assert_eq!(report["best_n_features"], best.columns().len());
    let errors = best.by_size().iter().map(|subset| subset.error);
    assert_eq!(best.chosen().error, errors.fold(f64::INFINITY, f64::min));
    assert!(warnings.lock().unwrap().is_empty());
    let half = SequentialSelection {
        n_components: FeatureCount::Half,
        ..method()
    };
    let half = half.fit_with(&run, &data).unwrap();
    let report = half.diagnostics().to_json();
    assert_eq!(half.columns().len(), 6);
    assert_eq!(report["best_n_features"], 5);
    assert!(half.best().error < half.chosen().error);
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("6 features kept is 0.0560"),
        "{warnings:?}"
    );
    assert!(warnings[0].contains("with 5 only 0.0448"), "{warnings:?}");
}

/// With `epsilon` the search ends by itself: the last set is kept, not the best of the path.
#[test]
fn with_epsilon_the_set_at_which_the_search_ends_is_kept() {
    let (x, labels) = sample(90, 6);
    for n_components in [FeatureCount::Auto, FeatureCount::Half] {
        let method = SequentialSelection {
            n_components,
            epsilon: Some(0.05),
            direction: Direction::Backward,
            scorer: Scorer::Lda,
            ..method()
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        let last = model.steps().last().unwrap();
        assert_eq!(model.chosen().features.len(), last.size);
        assert_eq!(model.columns(), [0, 2]);
    }
}

#[test]
fn new_rows_keep_the_columns_and_the_inverse_transform_has_means() {
    let (x, labels) = sample(60, 4);
    let model = SequentialSelection {
        n_components: 2.into(),
        ..method()
    };
    let model = model.fit(labelled(&x, &labels)).unwrap();
    let new = array![[1.0, 2.0, 3.0, 4.0]];
    let placed = model.transform(&new).unwrap();
    assert_eq!(placed, array![[1.0, 3.0]]);
    let back = charta::InverseTransform::inverse_transform(&model, &placed.view()).unwrap();
    assert_eq!((back[[0, 0]], back[[0, 2]]), (1.0, 3.0));
    assert!((back[[0, 1]] - x.column(1).mean().unwrap()).abs() < 1e-12);
}

#[test]
fn columns_of_a_group_come_and_go_together() {
    let (x, labels) = sample(90, 6);
    // The telling columns 0 and 2 are in groups with noise.
    for scorer in [Scorer::KNearest, Scorer::Lda, Scorer::NaiveBayes] {
        let data = labelled(&x, &labels)
            .with_column_groups(vec![4, 4, 9, 1, 9, 2])
            .unwrap();
        let method = SequentialSelection {
            scorer,
            n_components: 2.into(),
            ..method()
        };
        let model = method.fit(&data).unwrap();
        assert_eq!(model.columns(), [0, 1, 2, 4], "{scorer}");
        assert_eq!(model.diagnostics().to_json()["n_features"], 4);
    }
}

#[test]
fn columns_of_one_name_are_one_feature() {
    let (x, labels) = sample(90, 6);
    let names = [
        "size=s",
        "size=l",
        "colour_red=1",
        "size=m",
        "weight",
        "age",
    ];
    let names = names.map(String::from).to_vec();
    let data = labelled(&x, &labels).with_column_names(names).unwrap();
    let by_name = SequentialSelection {
        separator: Some("=".into()),
        n_components: 2.into(),
        ..method()
    };
    let model = by_name.fit(&data).unwrap();
    assert_eq!(model.columns(), [0, 1, 2, 3]);
    assert_eq!(model.names(), ["size", "colour_red=1"]);
    let error = by_name.fit(labelled(&x, &labels)).unwrap_err().to_string();
    assert!(error.contains("columns have no names"), "{error}");
}

#[test]
fn rows_of_a_group_stay_on_one_side() {
    // Each row comes three times: without groups its copies give its class away, even by noise.
    let (base, _) = sample(40, 3);
    let x = Array2::from_shape_fn((120, 1), |(i, _)| base[[i / 3, 1]]);
    let words: Vec<String> = (0..120).map(|i| format!("{}", (i / 3) % 2)).collect();
    let labels = Labels::from_words(&words);
    let method = SequentialSelection {
        n_neighbors: 1,
        ..method()
    };
    let data = labelled(&x, &labels);
    let reported = method.fit(&data).unwrap().chosen().error;
    let groups: Vec<u32> = (0..120).map(|i| i / 3).collect();
    let honest = method
        .fit(data.with_row_groups(groups).unwrap())
        .unwrap()
        .chosen()
        .error;
    assert!(reported < 0.1 && honest > 0.25, "{reported} {honest}");
}

#[test]
fn splits_can_be_given() {
    let (x, labels) = sample(30, 4);
    let data = labelled(&x, &labels);
    let train: Vec<usize> = (0..20).collect();
    let given = |test: Vec<usize>| data.clone().with_splits(vec![(train.clone(), test)]);
    let model = method().fit(given((20..30).collect()).unwrap()).unwrap();
    let held = SequentialSelection {
        validation: Validation::HoldOut(1.0 / 3.0),
        shuffle: false,
        ..method()
    };
    assert_eq!(model.chosen(), held.fit(&data).unwrap().chosen());
    assert_eq!(model.chosen().standard_deviation, 0.0);
    let error = given(vec![30]).unwrap_err();
    assert!(error.to_string().contains("below 30"), "{error}");
}

#[test]
fn mistakes_are_named() {
    let (x, labels) = sample(30, 4);
    let said =
        |method: SequentialSelection, data: Data<'_>| method.fit(data).unwrap_err().to_string();
    let data = || labelled(&x, &labels);
    assert!(matches!(
        method().fit(&x).unwrap_err(),
        Error::LabelsMissing { .. }
    ));
    let many = SequentialSelection {
        n_components: 5.into(),
        ..method()
    };
    assert!(said(many, data()).contains("at most 4"));
    let folds = SequentialSelection {
        validation: Validation::Folds(31),
        ..method()
    };
    assert!(said(folds, data()).contains("at most 30, because 30 rows have a label"));
    let neighbors = SequentialSelection {
        n_neighbors: 25,
        ..method()
    };
    assert!(said(neighbors, data()).contains("at most 24"));
    let linear = SequentialSelection {
        scorer: Scorer::Linear,
        ..method()
    };
    assert!(said(linear, data()).contains("labels are classes"));
    let measure = SequentialSelection {
        measure: Measure::RSquared,
        ..method()
    };
    assert!(said(measure, data()).contains(
        "must be `accuracy`, `balanced_accuracy` or `log_loss`, because the labels are classes"
    ));
    let turns = SequentialSelection {
        direction: Direction::PlusMinus,
        minus: 2,
        ..method()
    };
    assert!(said(turns, data()).contains("neither grow nor shrink"));
    let words: Vec<&str> = (0..30).map(|i| if i == 7 { "b" } else { "a" }).collect();
    let one = Labels::from_words(&words);
    assert!(said(method(), labelled(&x, &one)).contains("single class"));
    let lda = SequentialSelection {
        scorer: Scorer::Lda,
        ..method()
    };
    let halves = Labels::numbers((0..30).map(|i| i as f64 + 0.5).collect::<Vec<_>>());
    assert!(said(lda, labelled(&x, &halves)).contains("numbers such as"));
    let same = Labels::numbers(vec![0.5; 30]);
    assert!(said(method(), labelled(&x, &same)).contains("nothing to predict"));
    let wide = Array2::<f64>::zeros((30, 21));
    let all = SequentialSelection {
        direction: Direction::Exhaustive,
        ..method()
    };
    assert!(said(all, labelled(&wide, &labels)).contains("for 20 at most"));
}

#[test]
fn missing_labels_and_constant_columns_are_warned_of() {
    let (mut x, _) = sample(60, 4);
    x.column_mut(3).fill(1.0);
    let numbers: Vec<f64> = (0..60)
        .map(|i| {
            if i % 7 == 0 {
                f64::NAN
            } else {
                x[[i, 0]] + 0.3 * x[[i, 1]]
            }
        })
        .collect();
    let said = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            said.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    for scorer in [Scorer::KNearest, Scorer::Linear, Scorer::Ridge] {
        said.lock().unwrap().clear();
        let method = SequentialSelection {
            scorer,
            target: Kind::Numbers,
            n_components: FeatureCount::Half,
            ..method()
        };
        let data = Data::from(&x)
            .with_labels(Labels::numbers(numbers.clone()))
            .unwrap();
        let model = method.fit_with(&run, &data).unwrap();
        assert_eq!(model.columns(), [0, 1], "{scorer}");
        assert_eq!(model.embedding().unwrap().nrows(), 60);
        let said = said.lock().unwrap();
        assert!(
            matches!(said[0], Warning::RowsLeftOut { count: 9, .. }),
            "{said:?}"
        );
        assert!(
            matches!(said[1], Warning::ConstantColumns { count: 1, .. }),
            "{said:?}"
        );
    }
}

#[test]
fn constant_copied_huge_and_tiny_columns_give_finite_results() {
    let (base, classes) = sample(60, 5);
    let mut copies = base.clone();
    for column in 1..5 {
        let copy = base.column(0).to_owned() * column as f64;
        copies.column_mut(column).assign(&copy);
    }
    let cases = [
        copies,
        Array2::from_elem((60, 5), f64::MAX),
        &base * 1e200,
        &base * 1e-200,
        &base + 1e8,
        Array2::zeros((60, 5)),
    ];
    for x in &cases {
        for scorer in SCORERS {
            let labels = labels_for(scorer, &base, &classes);
            for direction in [Direction::Forward, Direction::Backward] {
                let method = SequentialSelection {
                    scorer,
                    direction,
                    n_components: FeatureCount::Half,
                    ..method()
                };
                let model = method.fit(labelled(x, &labels)).unwrap();
                let values = model
                    .steps()
                    .iter()
                    .flat_map(|step| [step.before, step.after, step.standard_deviation]);
                assert!(
                    values.into_iter().all(f64::is_finite),
                    "{scorer} {direction}"
                );
                assert_eq!(model.columns().len(), 2);
            }
        }
    }
}

#[test]
fn scale_does_not_change_what_neighbours_and_lines_choose() {
    let (x, classes) = sample(90, 6);
    for scorer in [
        Scorer::KNearest,
        Scorer::Linear,
        Scorer::Lda,
        Scorer::NaiveBayes,
    ] {
        let labels = labels_for(scorer, &x, &classes);
        let method = SequentialSelection {
            scorer,
            n_components: FeatureCount::Best,
            ..method()
        };
        let plain = method.fit(labelled(&x, &labels)).unwrap();
        for scale in [2.0_f64.powi(500), 2.0_f64.powi(-500)] {
            let scaled = &x * scale;
            let model = method.fit(labelled(&scaled, &labels)).unwrap();
            assert_eq!(model.columns(), plain.columns(), "{scorer}");
            assert!((model.chosen().error - plain.chosen().error).abs() < 1e-9);
        }
    }
}

#[test]
fn a_saved_selection_keeps_its_path() {
    let (x, labels) = sample(60, 5);
    let entry = find("sequential-selection").unwrap();
    let data = labelled(&x, &labels);
    let fitted = entry
        .parse(&json!({"n_components": 0.5}))
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), &data, None))
        .unwrap();
    let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.diagnostics(), fitted.diagnostics());
    assert_eq!(loaded.component_names(), ["column_0", "column_2"]);
    let rows = x.select(Axis(0), &[3, 5]);
    assert_eq!(
        loaded.transform(&Run::new(), &Data::from(&rows)).unwrap(),
        rows.select(Axis(1), &[0, 2])
    );
}
