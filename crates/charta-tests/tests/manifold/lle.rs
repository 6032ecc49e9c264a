//! Locally linear embedding, its modified and Hessian forms, and tangent space alignment.

use crate::linear_algebra::least_squares;
use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::synthetic::swiss_roll;
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::random::{stream, uniform};
use charta::{Data, Error, Event, Features, Result, Run, Warning};
use charta_io::{ReadOptions, read};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};
use serde_json::{Value as Json, json};

pub(super) const METHODS: [&str; 4] = ["lle", "modified_lle", "hessian_lle", "ltsa"];

pub(super) fn fit(method: &str, parameters: Json, data: &Data<'_>) -> Result<Fitted> {
    find(method)
        .unwrap()
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), data, None))
}

fn fit_listening(
    method: &str,
    parameters: Json,
    x: &Array2<f64>,
) -> (Result<Fitted>, Vec<Warning>) {
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let outcome = find(method)
        .unwrap()
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &Data::from(x), None));
    (outcome, warnings.into_inner().unwrap())
}

pub(super) fn embedding(fitted: &Fitted) -> Array2<f64> {
    fitted.model().embedding().unwrap().to_owned()
}

fn finite(x: &Array2<f64>) -> bool {
    x.iter().all(|value| value.is_finite())
}

/// Points of the unit square, laid flat into five dimensions.
pub(super) fn sheet(n: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let mut numbers = stream(seed, 0);
    let flat = Array2::from_shape_fn((n, 2), |_| uniform(&mut numbers));
    let axes = Array2::from_shape_fn((2, 5), |(i, j)| ((i * 5 + j) as f64 * 1.7).sin());
    let x = flat.dot(&axes) + 3.0;
    (flat, x)
}

/// The fraction of the variance of `targets` that a linear function of `given` explains.
fn explained(given: &Array2<f64>, targets: &Array2<f64>) -> f64 {
    let ones = Array2::ones((given.nrows(), 1));
    let design = concatenate![Axis(1), ones, given.view()];
    let fit = least_squares(&design.view(), &targets.view());
    let rest = targets - &design.dot(&fit);
    let centred = targets - &targets.mean_axis(Axis(0)).unwrap();
    1.0 - rest.mapv(|v| v * v).sum() / centred.mapv(|v| v * v).sum()
}

#[test]
fn a_flat_sheet_is_found_up_to_a_linear_map() {
    let (flat, x) = sheet(600, 1);
    for method in METHODS {
        let fitted = fit(method, json!({}), &Data::from(&x)).unwrap();
        let share = explained(&embedding(&fitted), &flat);
        let wanted = if method == "lle" { 0.9 } else { 1.0 - 1e-6 };
        assert!(share > wanted, "{method}: {share}");
    }
}

#[test]
fn distances_give_the_same_map_as_features() {
    let x = swiss_roll(500, 0.0, 3).unwrap();
    let rows = x.features;
    let distances = Array2::from_shape_fn((500, 500), |(i, j)| {
        let apart = &rows.row(i) - &rows.row(j);
        apart.dot(&apart).sqrt()
    });
    for method in METHODS {
        let ours = embedding(&fit(method, json!({}), &Data::from(&rows)).unwrap());
        let data = Data::distances(distances.view()).unwrap();
        let fitted = fit(method, json!({}), &data).unwrap();
        let theirs = embedding(&fitted);
        for (a, b) in ours.columns().into_iter().zip(theirs.columns()) {
            let same = a.dot(&b).abs();
            assert!((same - 1.0).abs() < 1e-4, "{method}: {same}");
        }
        let refused = fitted.transform(&Run::new(), &Data::from(&rows));
        assert!(refused.is_err());
    }
}

fn two_rolls() -> Array2<f64> {
    let one = swiss_roll(300, 0.0, 5).unwrap().features;
    let other = swiss_roll(200, 0.0, 6).unwrap().features + 1000.0;
    concatenate![Axis(0), one, other]
}

#[test]
fn rows_in_two_parts_are_joined_left_out_or_refused() {
    let x = two_rolls();
    for method in METHODS {
        let (joined, warnings) = fit_listening(method, json!({}), &x);
        let joined = joined.unwrap();
        assert!(finite(&embedding(&joined)), "{method}");
        assert!(
            warnings.iter().any(|w| matches!(
                w,
                Warning::Joined {
                    n_connected_components: 2,
                    ..
                }
            )),
            "{warnings:?}"
        );
        assert_eq!(
            joined.diagnostics().value("n_connected_components"),
            Some(2.0)
        );
        let (largest, warnings) = fit_listening(method, json!({"disconnected": "largest"}), &x);
        let largest = largest.unwrap();
        let map = embedding(&largest);
        assert!(
            map.rows()
                .into_iter()
                .take(300)
                .all(|row| row.iter().all(|v| v.is_finite()))
        );
        assert!(
            map.rows()
                .into_iter()
                .skip(300)
                .all(|row| row.iter().all(|v| v.is_nan()))
        );
        assert!(
            warnings
                .iter()
                .any(|w| matches!(w, Warning::RowsLeftOut { count: 200, .. }))
        );
        // Rows near those left out are placed by the others too.
        let new = &x + 0.01;
        let placed = largest.transform(&Run::new(), &Data::from(&new)).unwrap();
        let alone = x.slice(s![..300, ..]).to_owned();
        let alone = fit(method, json!({}), &Data::from(&alone)).unwrap();
        let want = alone.transform(&Run::new(), &Data::from(&new)).unwrap();
        let size = want.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(
            (&placed - &want).iter().all(|gap| gap.abs() < 1e-6 * size),
            "{method}"
        );
        let (refused, _) = fit_listening(method, json!({"disconnected": "error"}), &x);
        assert!(
            matches!(
                refused,
                Err(Error::Disconnected {
                    n_connected_components: 2,
                    ..
                })
            ),
            "{method}"
        );
    }
}

#[test]
fn twins_are_no_obstacle() {
    let one = swiss_roll(250, 0.0, 7).unwrap().features;
    let x = concatenate![Axis(0), one, one];
    for method in METHODS {
        let map = embedding(&fit(method, json!({"n_neighbors": 16}), &Data::from(&x)).unwrap());
        assert!(finite(&map), "{method}");
        // Twins share their neighbours, so that they lie close together.
        let size = map.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let apart = (0..250)
            .map(|i| (map[[i, 0]] - map[[i + 250, 0]]).abs() / size)
            .sum::<f64>()
            / 250.0;
        assert!(apart < 0.2, "{method}: {apart}");
    }
    // A few rows, each many times over.
    let few = Array2::from_shape_fn((60, 3), |(i, j)| ((i % 4) as f64 * (j as f64 + 1.0)).sin());
    for method in METHODS {
        if let Ok(fitted) = fit(method, json!({}), &Data::from(&few)) {
            assert!(finite(&embedding(&fitted)), "{method}");
        }
    }
}

#[test]
fn rows_on_a_line_keep_their_order() {
    let mut numbers = stream(4, 0);
    let mut places: Vec<f64> = (0..80).map(|_| uniform(&mut numbers)).collect();
    places.sort_by(f64::total_cmp);
    let x = Array2::from_shape_fn((80, 3), |(i, j)| places[i] * (j as f64 - 0.7) + 2.0);
    for method in METHODS {
        let fitted = fit(method, json!({"n_components": 1}), &Data::from(&x)).unwrap();
        let map = embedding(&fitted);
        let rises = map
            .column(0)
            .windows(2)
            .into_iter()
            .filter(|w| w[1] > w[0])
            .count();
        assert!(rises == 79 || rises == 0, "{method}: {rises} of 79 rise");
        let (two, warnings) = fit_listening(method, json!({}), &x);
        assert!(finite(&embedding(&two.unwrap())), "{method}");
        if method == "ltsa" || method == "hessian_lle" {
            assert!(
                warnings
                    .iter()
                    .any(|w| matches!(w, Warning::Doubtful { .. })),
                "{method}"
            );
        }
    }
}

#[test]
fn constant_rows_and_too_few_of_them_are_refused_clearly() {
    for method in METHODS {
        let constant = Array2::from_elem((40, 3), 2.5);
        let error = fit(method, json!({}), &Data::from(&constant)).unwrap_err();
        assert!(
            matches!(error, Error::Degenerate { .. }),
            "{method}: {error}"
        );
        let (_, few) = sheet(12, 2);
        let error = fit(method, json!({}), &Data::from(&few))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "`n_neighbors` must be at most 11, because the data has 12 rows, got 12"
        );
        let (_, tiny) = sheet(8, 2);
        let fitted = fit(method, json!({"n_neighbors": 7}), &Data::from(&tiny)).unwrap();
        assert!(finite(&embedding(&fitted)), "{method}");
        let error = fit(method, json!({"n_neighbors": 2}), &Data::from(&tiny)).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`n_neighbors` must be at least"),
            "{error}"
        );
        let error = fit(
            method,
            json!({"n_components": 6, "n_neighbors": 7}),
            &Data::from(&tiny),
        );
        let text = error.unwrap_err().to_string();
        assert!(text.contains("at most 5"), "{text}");
        let many = json!({"n_components": u64::MAX, "n_neighbors": 7});
        let error = fit(method, many, &Data::from(&tiny)).unwrap_err();
        assert!(error.to_string().contains("at most 5"), "{error}");
    }
    let (_, x) = sheet(50, 3);
    let error = fit("hessian_lle", json!({"n_neighbors": 5}), &Data::from(&x)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`n_neighbors` must be at least 6 for this number of components, got 5"
    );
}

#[test]
fn rows_with_too_few_neighbours_within_a_radius_get_their_nearest() {
    let (flat, mut x) = sheet(400, 8);
    x.row_mut(0).mapv_inplace(|v| v + 0.4);
    for method in METHODS {
        let (fitted, warnings) = fit_listening(method, json!({"radius": 0.3}), &x);
        let map = embedding(&fitted.unwrap());
        assert!(finite(&map), "{method}");
        assert!(
            warnings
                .iter()
                .any(|w| matches!(w, Warning::Doubtful { .. })),
            "{method}"
        );
        if method == "ltsa" {
            let share = explained(
                &map.slice(s![1.., ..]).to_owned(),
                &flat.slice(s![1.., ..]).to_owned(),
            );
            assert!(share > 0.9, "{share}");
        }
    }
}

pub(super) fn order_by_distance(
    from: ArrayView1<'_, f64>,
    rows: &ArrayView2<'_, f64>,
    without: Option<usize>,
) -> Vec<usize> {
    let mut list: Vec<(f64, usize)> = (0..rows.nrows())
        .filter(|&row| Some(row) != without)
        .map(|row| {
            let apart = &from - &rows.row(row);
            (apart.dot(&apart), row)
        })
        .collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    list.into_iter().map(|entry| entry.1).collect()
}

/// Trustworthiness (Venna and Kaski) of some rows against the training rows: 1 less the ranks by which neighbours on the
/// map are too far in the features.
fn trust(
    rows: &Array2<f64>,
    map: &Array2<f64>,
    known: (&Array2<f64>, &Array2<f64>),
    same: bool,
) -> f64 {
    let (k, n) = (10, known.0.nrows());
    let mut sum = 0.0;
    for i in 0..rows.nrows() {
        let own = same.then_some(i);
        let near = order_by_distance(map.row(i), &known.1.view(), own);
        let true_order = order_by_distance(rows.row(i), &known.0.view(), own);
        let mut rank = vec![0; n];
        for (place, &row) in true_order.iter().enumerate() {
            rank[row] = place + 1;
        }
        sum += near
            .iter()
            .take(k)
            .map(|&row| rank[row].saturating_sub(k) as f64)
            .sum::<f64>();
    }
    1.0 - sum * 2.0 / (rows.nrows() * k * (2 * n - 3 * k - 1)) as f64
}

/// The fraction of rows whose class is that of most of its five neighbours on the map.
fn accuracy(
    map: &Array2<f64>,
    classes: &[usize],
    known: (&Array2<f64>, &[usize]),
    same: bool,
) -> f64 {
    let right = (0..map.nrows()).filter(|&i| {
        let near = order_by_distance(map.row(i), &known.0.view(), same.then_some(i));
        let mut votes = [0; 10];
        near.iter()
            .take(5)
            .for_each(|&row| votes[known.1[row]] += 1);
        let most = votes.iter().max().unwrap();
        votes.iter().position(|vote| vote == most) == Some(classes[i])
    });
    right.count() as f64 / map.nrows() as f64
}

#[test]
fn rows_held_out_are_placed_as_well_as_fitted_ones() {
    let x = swiss_roll(1500, 0.0, 9).unwrap().features;
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..1500).partition(|row| row % 5 != 2);
    let (known, new) = (x.select(Axis(0), &inside), x.select(Axis(0), &outside));
    for method in METHODS {
        let fitted = fit(method, json!({}), &Data::from(&known)).unwrap();
        let map = embedding(&fitted);
        let placed = fitted.transform(&Run::new(), &Data::from(&new)).unwrap();
        let before = trust(&known, &map, (&known, &map), true);
        let after = trust(&new, &placed, (&known, &map), false);
        eprintln!("{method}: trustworthiness {before:.4} fitted, {after:.4} placed");
        assert!(
            after > before - 0.01,
            "{method}: {after} placed, {before} fitted"
        );
    }
}

#[test]
fn digits_held_out_are_recognised_as_well_as_fitted_ones() {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    let classes = data.classes("digits").unwrap();
    let x = data
        .features("digits")
        .unwrap()
        .dense_rows(0, data.n_rows());
    let of_row: Vec<usize> = (0..x.nrows())
        .map(|i| classes.of_row[i].unwrap() as usize)
        .collect();
    for method in METHODS {
        // Every row is held out once.
        let (mut before, mut after) = (0.0, 0.0);
        for fold in 0..5 {
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                (0..x.nrows()).partition(|row| row % 5 != fold);
            let (known, new) = (x.select(Axis(0), &inside), x.select(Axis(0), &outside));
            let pick = |rows: &[usize]| rows.iter().map(|&row| of_row[row]).collect::<Vec<usize>>();
            let (inside, outside) = (pick(&inside), pick(&outside));
            let parameters = json!({"n_components": 8, "n_neighbors": 60});
            let fitted = fit(method, parameters, &Data::from(&known)).unwrap();
            let map = embedding(&fitted);
            let placed = fitted.transform(&Run::new(), &Data::from(&new)).unwrap();
            before += accuracy(&map, &inside, (&map, &inside), true) / 5.0;
            after += accuracy(&placed, &outside, (&map, &inside), false) / 5.0;
        }
        eprintln!("{method}: accuracy {before:.4} fitted, {after:.4} placed");
        assert!(
            after > before - 0.01,
            "{method}: {after} placed, {before} fitted"
        );
    }
}

#[test]
fn threads_and_precision_do_not_matter() {
    let x = swiss_roll(1200, 0.05, 11).unwrap().features;
    let single = x.mapv(|v| v as f32);
    for method in METHODS {
        let map = |features: Features<'_>, threads: usize| {
            let run = Run::new().threads(threads).unwrap();
            let entry = find(method).unwrap();
            embedding(
                &entry
                    .parse(&json!({}))
                    .and_then(|method| {
                        Fitted::fit(method.as_ref(), &run, &Data::new(features), None)
                    })
                    .unwrap(),
            )
        };
        let one = map(Features::from(&x), 1);
        assert_eq!(one, map(Features::from(&x), 2), "{method}");
        assert_eq!(one, map(Features::from(&x), 7), "{method}");
        let other = map(Features::from(&single), 2);
        let same: Array1<f64> = (0..2)
            .map(|j| one.column(j).dot(&other.column(j)).abs())
            .collect();
        assert!(
            same.iter().all(|s| (s - 1.0).abs() < 1e-3),
            "{method}: {same}"
        );
    }
}

#[test]
fn an_embedding_of_unit_covariance_is_the_other_one_stretched() {
    let x = swiss_roll(200, 0.0, 0).unwrap().features;
    let embedding = |unit: bool| {
        let fitted = fit("lle", json!({"unit_covariance": unit}), &Data::from(&x)).unwrap();
        fitted.model().embedding().unwrap().to_owned()
    };
    let (plain, unit) = (embedding(false), embedding(true));
    assert!(
        (&plain * 200.0_f64.sqrt() - &unit)
            .iter()
            .all(|d| d.abs() < 1e-12)
    );
    let covariance = unit.t().dot(&unit) / 200.0;
    let off = (covariance - Array2::<f64>::eye(2)).mapv(f64::abs);
    assert!(off.iter().all(|d| *d < 1e-9) && unit.sum().abs() < 1e-6);
}
