//! Partial least squares.

use crate::linear_algebra::least_squares;
use charta::dimension::ComponentCount;
use charta::method::Shape;
use charta::methods::pls::Mode;
use charta::methods::pls::Pls;
use charta::{Data, Error, Fit, InverseTransform, Labels, Model, Predict, Prediction, Transform};
use charta::{Method, Run, Warning};
use ndarray::{Array1, Array2, Axis, s};

use super::{assert_near, noise, warned};

fn tables() -> (Array2<f64>, Array1<f64>) {
    let x = noise(100, 6, 20);
    let y = &x.column(0) * 3.0 - x.column(4) + noise(100, 1, 21).column(0).to_owned() * 0.5 + 7.0;
    (x, y)
}

fn numbers(values: &Array1<f64>) -> Labels<'static> {
    Labels::numbers(values.to_vec())
}

fn predicted(model: &impl Predict, x: &Array2<f64>) -> Array2<f64> {
    match model.predict_in(&Run::new(), &Data::from(x)).unwrap() {
        Prediction::Numbers { values, .. } => values,
        other => panic!("numbers expected: {other:?}"),
    }
}

#[test]
fn all_components_are_least_squares_and_lead_back_exactly() {
    let (x, y) = tables();
    let pls = Pls {
        n_components: ComponentCount::All,
        ..Pls::default()
    };
    let data = Data::from(&x).with_labels(numbers(&y)).unwrap();
    let model = pls.fit(data).unwrap();
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let target = (&y - y.mean().unwrap()).insert_axis(Axis(1));
    let solved = least_squares(&centred.view(), &target.view());
    let want = centred.dot(&solved) + y.mean().unwrap();
    let found = predicted(&model, &x);
    assert_near("prediction", &found, &want, 1e-10);
    let rest = &y - &found.column(0);
    let r_squared = 1.0 - rest.dot(&rest) / target.iter().map(|v| v * v).sum::<f64>();
    let reported = model.diagnostics().value("r_squared").unwrap();
    assert!((reported - r_squared).abs() < 1e-12);
    let back = model
        .inverse_transform(&model.embedding().unwrap())
        .unwrap();
    assert_near("way back", &back, &x, 1e-10);
    let by_hand = (&x - model.mean()).dot(&model.coefficients().t()) + model.intercept();
    assert_near("coefficients", &by_hand, &found, 1e-11);
}

#[test]
fn rows_without_a_label_are_left_out_and_placed() {
    let (x, mut y) = tables();
    let kept: Vec<usize> = (0..100).filter(|row| row % 9 != 4).collect();
    let inner = x.select(Axis(0), &kept);
    let inner_y = y.select(Axis(0), &kept);
    let want = Pls::default()
        .fit(Data::from(&inner).with_labels(numbers(&inner_y)).unwrap())
        .unwrap();
    for row in (0..100).filter(|row| row % 9 == 4) {
        y[row] = f64::NAN;
    }
    let data = Data::from(&x).with_labels(numbers(&y)).unwrap();
    let (model, warnings) = warned(|run| Pls::default().fit_with(run, &data).unwrap());
    assert!(matches!(
        warnings.as_slice(),
        [Warning::RowsLeftOut { count: 11, .. }]
    ));
    assert_eq!(model.coefficients(), want.coefficients());
    assert_eq!(model.embedding().unwrap().nrows(), 100);
    assert_eq!(model.diagnostics().value("n_rows_left_out"), Some(11.0));
    let words: Vec<String> = (0..100)
        .map(|row| match row % 10 {
            3 => String::new(),
            _ if x[[row, 0]] > 0.0 => "high".into(),
            _ => "low".into(),
        })
        .collect();
    let data = Data::from(&x)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let (model, warnings) = warned(|run| Pls::default().fit_with(run, &data).unwrap());
    assert!(matches!(
        warnings.as_slice(),
        [Warning::RowsLeftOut { count: 10, .. }]
    ));
    let Prediction::Classes {
        names,
        of_row,
        probabilities,
        decisions,
    } = model.predict(&x).unwrap()
    else {
        panic!("classes expected");
    };
    assert_eq!(names, ["high", "low"]);
    assert!(probabilities.iter().all(|&p| (0.0..=1.0).contains(&p)));
    // One-hot responses add up to 1, whatever the row.
    assert!(
        decisions
            .sum_axis(Axis(1))
            .iter()
            .all(|s| (s - 1.0).abs() < 1e-12)
    );
    let labelled = (0..100).filter(|row| !words[*row].is_empty());
    let right = labelled.filter(|&row| names[of_row[row] as usize] == words[row]);
    let accuracy = right.count() as f64 / 90.0;
    assert_eq!(model.diagnostics().value("accuracy"), Some(accuracy));
    assert!(accuracy > 0.9, "{accuracy}");
}

#[test]
fn an_exhausted_rank_is_said_and_the_rest_is_zero() {
    let (mut x, y) = tables();
    for column in 2..6 {
        let copy = &x.column(0) - &x.column(1) * column as f64;
        x.column_mut(column).assign(&copy);
    }
    let data = Data::from(&x).with_labels(numbers(&y)).unwrap();
    let pls = Pls {
        n_components: ComponentCount::Count(4),
        ..Pls::default()
    };
    let (model, warnings) = warned(|run| pls.fit_with(run, &data).unwrap());
    assert_eq!(
        warnings,
        [Warning::RankDeficient {
            requested: 4,
            rank: 2
        }]
    );
    let placed = model.embedding().unwrap();
    assert!(placed.slice(s![.., 2..]).iter().all(|&value| value == 0.0));
    let all = Pls {
        n_components: ComponentCount::All,
        ..Pls::default()
    };
    let model = all.fit(&data).unwrap();
    assert_eq!(model.n_components(), 2);
}

#[test]
fn wide_data_is_fitted_exactly_and_placed() {
    let x = noise(12, 300, 30);
    let y = noise(12, 1, 31);
    let data = Data::from(&x).with_view(&y).unwrap();
    let pls = Pls {
        n_components: ComponentCount::Count(11),
        ..Pls::default()
    };
    let model = pls.fit(&data).unwrap();
    assert_near("exact fit", &predicted(&model, &x), &y, 1e-9);
    let single = x.mapv(|value| value as f32);
    let data = Data::from(&single).with_view(&y).unwrap();
    let placed = Pls::default()
        .fit(data)
        .unwrap()
        .transform(&single)
        .unwrap();
    assert_eq!(placed.dim(), (12, 2));
    assert!(placed.iter().all(|value| value.is_finite()));
}

#[test]
fn constant_columns_weigh_nothing_and_a_constant_target_is_an_error() {
    let (mut x, y) = tables();
    x.column_mut(3).fill(0.1);
    let data = Data::from(&x).with_labels(numbers(&y)).unwrap();
    let (model, warnings) = warned(|run| Pls::default().fit_with(run, &data).unwrap());
    assert!(matches!(
        warnings.as_slice(),
        [Warning::ConstantColumns { count: 1, first }] if first.index == 3
    ));
    assert!(model.coefficients().column(3).iter().all(|&c| c == 0.0));
    let flat = numbers(&Array1::from_elem(100, 4.5));
    let error = Pls::default().fit(Data::from(&x).with_labels(flat).unwrap());
    assert_eq!(
        error.unwrap_err().to_string(),
        "there is nothing to predict: target is 4.5 in every row"
    );
    let target = Array2::from_elem((100, 2), 1.0);
    let error = Pls::default().fit(Data::from(&x).with_view(&target).unwrap());
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("none of the 2 targets varies")
    );
}

#[test]
fn a_constant_target_among_others_keeps_its_value() {
    let (x, y) = tables();
    let mut both = Array2::from_elem((100, 2), 2.5);
    both.column_mut(0).assign(&y);
    for mode in [Mode::Regression, Mode::Canonical] {
        let pls = Pls {
            mode,
            n_components: ComponentCount::Count(1),
            ..Pls::default()
        };
        let model = pls.fit(Data::from(&x).with_view(&both).unwrap()).unwrap();
        assert!(predicted(&model, &x).column(1).iter().all(|&v| v == 2.5));
        assert_eq!(model.report().r_squared[1], 0.0);
    }
}

#[test]
fn limits_and_wrong_targets_are_named() {
    let (x, y) = tables();
    let pls = Pls {
        n_components: ComponentCount::Count(2),
        mode: Mode::Canonical,
        ..Pls::default()
    };
    let data = Data::from(&x).with_labels(numbers(&y)).unwrap();
    let error = pls.fit(&data).unwrap_err().to_string();
    assert_eq!(
        error,
        "`n_components` must be at most 1, because the data has 100 rows, 6 columns and 1 \
         target, got 2"
    );
    let three = Data::from(&x).with_view_widths(&[2, 2, 2]).unwrap();
    let error = Pls::default().fit(three).unwrap_err().to_string();
    assert!(error.contains("was given 3 views"), "{error}");
    let mut holes = noise(100, 2, 40);
    holes[[5, 1]] = f64::NAN;
    let error = Pls::default().fit(Data::from(&x).with_view(&holes).unwrap());
    let error = error.unwrap_err();
    assert!(
        matches!(&error, Error::NotFinite { row: 5, column, .. } if column.index == 7),
        "{error}"
    );
    // Labels and a second view: the view is the target.
    let data = data.with_view_widths(&[4, 2]).unwrap();
    let model = Pls::default().fit(data).unwrap();
    assert_eq!(model.diagnostics().value("n_targets"), Some(2.0));
}

#[test]
fn many_classes_are_counted_before_memory_is_taken() {
    let x = noise(2000, 4, 5);
    let words: Vec<String> = (0..2000).map(|row| format!("c{}", row % 1000)).collect();
    let data = Data::from(&x)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let plan = Pls::default().plan(&Shape::of(&data)).unwrap();
    let limit = plan.bytes() + Shape::of(&data).bytes();
    let run = Run::new().memory_limit(limit);
    let error = Pls::default().fit_with(&run, &data).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    // Far less than a response of every class for every row.
    let run = Run::new().memory_limit(limit + 2000 * 1000 * 8 / 2);
    Pls::default().fit_with(&run, &data).unwrap();
}

#[test]
fn rows_too_large_for_a_prediction_are_refused() {
    let (x, y) = tables();
    let far = y.mapv(|value| 1e100 * value);
    let model = Pls::default()
        .fit(Data::from(&x).with_labels(numbers(&far)).unwrap())
        .unwrap();
    let rows = Array2::from_elem((1, x.ncols()), 1e250);
    let error = model.predict(&rows).unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
}
