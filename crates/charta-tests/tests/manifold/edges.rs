//! Neighbourhoods at the edge of what is possible: too few rows, a radius, numbers too large.

use crate::linear_algebra::least_squares;
use charta::data::Neighbors;
use charta::{Data, Error, Run};
use ndarray::{Array2, Axis, s};
use serde_json::json;

use super::lle::{METHODS, embedding, fit, order_by_distance, sheet};

#[test]
fn tangents_ask_for_two_neighbours_more_than_directions() {
    let (_, x) = sheet(60, 4);
    let error = fit("ltsa", json!({"n_neighbors": 3}), &Data::from(&x)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`n_neighbors` must be at least 4 for this number of components, got 3"
    );
}

#[test]
fn new_rows_have_the_neighbours_within_the_radius() {
    let (_, x) = sheet(400, 8);
    let radius = 0.25;
    let parameters = json!({"radius": radius, "regularization": 1e-2});
    let fitted = fit("lle", parameters, &Data::from(&x)).unwrap();
    let new = &x.slice(s![..20, ..]) + 0.01;
    let placed = fitted.transform(&Run::new(), &Data::from(&new)).unwrap();
    let map = embedding(&fitted);
    let mut counts = Vec::new();
    for (row, place) in new.rows().into_iter().zip(placed.rows()) {
        let apart = &x - &row;
        let lengths = apart.mapv(|v| v * v).sum_axis(Axis(1)).mapv(f64::sqrt);
        let mut near = order_by_distance(row, &x.view(), None);
        let within = lengths.iter().filter(|&&length| length <= radius).count();
        near.truncate(within.max(3));
        counts.push(near.len());
        let apart = apart.select(Axis(0), &near);
        let mut gram = apart.dot(&apart.t());
        let ridge = 1e-2 * gram.diag().sum();
        gram.diag_mut().mapv_inplace(|v| v + ridge);
        let ones = Array2::ones((near.len(), 1));
        let fit = least_squares(&gram.view(), &ones.view());
        let weights = fit.column(0).to_owned() / fit.sum();
        let want = weights.dot(&map.select(Axis(0), &near));
        assert!(
            (&place - &want).iter().all(|gap| gap.abs() < 1e-9),
            "{place} {want}"
        );
    }
    assert!(counts.iter().min() != counts.iter().max(), "{counts:?}");
}

#[test]
fn differences_that_leave_the_range_of_numbers_are_refused_and_do_not_hang() {
    let (n, k) = (60, 12);
    let x = Array2::from_shape_fn((n, 3), |(i, j)| {
        let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
        sign * 1e308 * (1.0 + i as f64 / 100.0)
    });
    let places = Array2::from_shape_fn((n, k), |(i, j)| ((i + j + 1) % n) as i64);
    let lengths = Array2::from_shape_fn((n, k), |(_, j)| 1.0 + j as f64);
    let table = Neighbors::from_table(&places.view(), &lengths.view()).unwrap();
    let data = Data::from(&x).with_neighbors(&table).unwrap();
    for method in METHODS.into_iter().chain(["npe"]) {
        let error = fit(method, json!({}), &data).unwrap_err().to_string();
        assert!(error.contains("too large"), "{method}: {error}");
    }
    // Rows that can be compared with each other, and a new one that cannot be with them.
    let close = x.mapv(f64::abs);
    let data = Data::from(&close).with_neighbors(&table).unwrap();
    let fitted = fit("lle", json!({"metric": "hamming"}), &data).unwrap();
    let far = Array2::from_elem((1, 3), -1.5e308);
    let error = fitted
        .transform(&Run::new(), &Data::from(&far))
        .unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    // A value that is no number, where no search looks at it.
    let mut corrupted = close.clone();
    corrupted[[7, 1]] = f64::NAN;
    let data = Data::from(&corrupted).with_neighbors(&table).unwrap();
    for method in METHODS {
        let error = fit(method, json!({}), &data).unwrap_err();
        assert!(
            matches!(error, Error::NotFinite { row: 7, .. }),
            "{method}: {error}"
        );
    }
}
