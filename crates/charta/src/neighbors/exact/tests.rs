use ndarray::{Array2, Axis, concatenate};

use super::*;
use crate::random::{normal, stream};

const METRICS: [Metric; 4] = [
    Metric::Euclidean,
    Metric::Cosine,
    Metric::Correlation,
    Metric::InnerProduct,
];

fn draw(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut numbers = stream(seed, 0);
    Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut numbers))
}

/// The distance by its formula.
fn distance(metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    let squares =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum() };
    let direction = |row: &[f64], centred: bool| -> Option<Vec<f64>> {
        let mean = if centred {
            row.iter().sum::<f64>() / row.len() as f64
        } else {
            0.0
        };
        let own: Vec<f64> = row.iter().map(|v| v - mean).collect();
        let length = own.iter().map(|v| v * v).sum::<f64>().sqrt();
        (length > 1e-12).then(|| own.iter().map(|v| v / length).collect())
    };
    match metric {
        Metric::Euclidean => squares(a, b).sqrt(),
        Metric::InnerProduct => -a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>(),
        _ => {
            let centred = metric == Metric::Correlation;
            match (direction(a, centred), direction(b, centred)) {
                (Some(a), Some(b)) => 0.5 * squares(&a, &b),
                (None, None) => 0.0,
                _ => 1.0,
            }
        }
    }
}

/// Compares with measuring all pairs in double precision. Where indices differ, distances must be the same.
fn check(known: &Features<'_>, rows: Option<&Features<'_>>, metric: Metric, count: usize) {
    let run = Run::new();
    let found = find(&run, known, rows, metric, count).unwrap().unwrap();
    let its = known.dense_rows(0, known.n_rows());
    let query = rows.map_or_else(|| known.reborrow(), Features::reborrow);
    let own = query.dense_rows(0, query.n_rows());
    assert_eq!(
        (found.n_rows(), found.n_known()),
        (own.nrows(), its.nrows())
    );
    for (row, a) in own.rows().into_iter().enumerate() {
        let a = a.to_vec();
        let mut all: Vec<(f64, u32)> = (its.rows().into_iter().enumerate())
            .filter(|&(place, _)| rows.is_some() || place != row)
            .map(|(place, b)| (distance(metric, &a, &b.to_vec()), place as u32))
            .collect();
        all.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        all.truncate(count);
        let (indices, distances) = found.row(row);
        assert_eq!(indices.len(), all.len(), "{metric:?} row {row}");
        for (index, want) in all.iter().enumerate() {
            let got = distances[index];
            let close = 1e-9 * want.0.abs() + 1e-13;
            assert!(
                (got - want.0).abs() <= close,
                "{metric:?} row {row}: {got} {want:?}"
            );
            let real = distance(metric, &a, &its.row(indices[index] as usize).to_vec());
            assert!(
                (real - got).abs() <= close,
                "{metric:?} row {row}: not its distance"
            );
        }
        let mut different = indices.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), indices.len());
        assert!(rows.is_some() || !indices.contains(&(row as u32)));
    }
}

/// In both precisions, among themselves and for other rows.
fn check_all(x: &Array2<f64>, metric: Metric, count: usize) {
    let single = x.mapv(|v| v as f32);
    let (half, other) = (x.nrows() / 2, count.min(x.nrows() / 2));
    let double = Features::F64(x.view());
    let single = Features::F32(single.view());
    for features in [double, single] {
        check(&features, None, metric, count.min(x.nrows() - 1));
        let (known, rows) = (features.rows(0, half), features.rows(half, x.nrows()));
        check(&known, Some(&rows), metric, other);
    }
}

#[test]
fn neighbours_are_those_of_all_pairs_for_any_shape() {
    for (n_rows, n_columns) in [(2, 3), (5, 1), (33, 7), (130, 1), (401, 17), (700, 67)] {
        let x = draw(n_rows, n_columns, n_rows as u64) + 0.5;
        for metric in METRICS {
            if n_columns > 1 || metric == Metric::Euclidean {
                check_all(&x, metric, 12);
            }
        }
    }
}

#[test]
fn whole_numbers_have_the_same_neighbours() {
    for (most, n_columns) in [(255.0, 30), (1.0, 9), (16.0, 64), (2000.0, 5)] {
        let x = draw(500, n_columns, 3).mapv(|v| ((v + 2.0) * most / 4.0).clamp(0.0, most).round());
        check_all(&(x - 7.0), Metric::Euclidean, 10);
    }
}

/// Distances of such numbers are exact, so that ties are ties: of them the first rows are the neighbours.
fn check_ties(what: &str, x: &Array2<f64>, count: usize) {
    let single = x.mapv(|v| v as f32);
    let half = x.nrows() / 2;
    for features in [Features::F64(x.view()), Features::F32(single.view())] {
        let all = features.reborrow();
        let (known, rows) = (features.rows(0, half), features.rows(half, x.nrows()));
        for (known, rows) in [(&all, None), (&known, Some(&rows))] {
            let found = find(&Run::new(), known, rows, Metric::Euclidean, count);
            let found = found.unwrap().unwrap();
            let first = if rows.is_some() { half } else { 0 };
            for row in 0..found.n_rows() {
                let own = x.row(first + row).to_vec();
                let others = (0..known.n_rows()).filter(|&place| rows.is_some() || place != row);
                let mut all: Vec<(f64, u32)> = others
                    .map(|place| {
                        let its = x.row(place).to_vec();
                        (distance(Metric::Euclidean, &own, &its), place as u32)
                    })
                    .collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let want: Vec<u32> = all[..count].iter().map(|entry| entry.1).collect();
                assert_eq!(found.row(row).0, want, "{what}, {count}, row {row}");
            }
        }
    }
}

#[test]
fn of_rows_at_the_same_distance_the_first_are_neighbours() {
    let of_few = |most: f64, n_columns| {
        draw(600, n_columns, 21).mapv(|v| ((v + 2.0) * most / 4.0).clamp(0.0, most).round())
    };
    let mut blob = of_few(200.0, 6);
    for row in (0..600).filter(|row| row % 3 > 0) {
        blob.row_mut(row).fill(100.0);
    }
    for (what, x) in [
        ("bits", of_few(1.0, 7)),
        ("bytes", of_few(255.0, 2)),
        ("halves", of_few(6.0, 3) * 0.5),
        ("blob", blob.clone()),
        ("blob of halves", blob * 0.5),
    ] {
        for count in [1, 5, 30] {
            check_ties(what, &x, count);
        }
    }
}

#[test]
fn twins_are_neighbours_and_many_of_them_no_burden() {
    let x = draw(300, 20, 5);
    let duplicates = concatenate![
        Axis(0),
        x,
        x,
        x.slice(ndarray::s![..1, ..]).broadcast((600, 20)).unwrap()
    ];
    for metric in METRICS {
        check_all(&duplicates, metric, 5);
    }
    let features = Features::F64(duplicates.view());
    let found = find(&Run::new(), &features, None, Metric::Euclidean, 3)
        .unwrap()
        .unwrap();
    assert_eq!((found.row(7).0[0], found.row(7).1[0]), (307, 0.0));
    assert_eq!(found.row(0).1, [0.0; 3]);
}

#[test]
fn rows_far_from_the_origin_and_from_each_other_keep_their_neighbours() {
    let far = draw(500, 10, 6) + 1e6;
    check_all(&far, Metric::Euclidean, 8);
    // Two tight clusters: a score of single precision tells nothing within one.
    let mut apart = draw(400, 10, 7) * 1e-3;
    for row in (0..400).step_by(2) {
        apart.row_mut(row).mapv_inplace(|v| v + 300.0);
    }
    for metric in METRICS {
        check_all(&apart, metric, 8);
    }
    // Directions in a narrow cone.
    check_all(&(draw(300, 12, 8) * 1e-4 + 1.0), Metric::Cosine, 6);
}

#[test]
fn rows_without_direction_are_near_each_other_only() {
    let mut x = draw(120, 6, 9);
    for row in 0..5 {
        x.row_mut(row * 7).fill(0.0);
        x.row_mut(row * 11 + 1).fill(2.5);
    }
    check_all(&x, Metric::Cosine, 7);
    check_all(&x, Metric::Correlation, 12);
}

#[test]
fn rows_in_any_layout_have_the_same_neighbours() {
    let x = draw(150, 9, 10);
    let turned = x.t().as_standard_layout().into_owned();
    for metric in METRICS {
        let plain = find(&Run::new(), &Features::F64(x.view()), None, metric, 4).unwrap();
        let other = find(&Run::new(), &Features::F64(turned.t()), None, metric, 4).unwrap();
        assert_eq!(plain, other);
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let x = draw(1500, 24, 11);
    let bytes = x.mapv(|v| (v * 40.0 + 100.0).clamp(0.0, 255.0).round() as f32);
    for features in [Features::F64(x.view()), Features::F32(bytes.view())] {
        for metric in METRICS {
            let found = [1, 2, 7].map(|threads| {
                let run = Run::new().threads(threads).unwrap();
                run.install(|| find(&run, &features, None, metric, 10))
                    .unwrap()
            });
            assert!(found[0].is_some() && found[0] == found[1] && found[0] == found[2]);
        }
    }
}

#[test]
fn numbers_without_squares_are_left_to_others() {
    for huge in [1e30, 1e-30] {
        let x = draw(50, 3, 12).mapv(|v| (v * huge) as f32);
        let found = find(
            &Run::new(),
            &Features::F32(x.view()),
            None,
            Metric::Euclidean,
            3,
        );
        assert!(found.unwrap().is_none());
    }
}

#[test]
fn a_search_can_be_stopped() {
    let stop = |event: crate::Event<'_>| match event {
        crate::Event::Progress { .. } => std::ops::ControlFlow::Break(()),
        _ => std::ops::ControlFlow::Continue(()),
    };
    let run = Run::new().observer(&stop);
    let x = draw(1000, 5, 13);
    let found = find(&run, &Features::F64(x.view()), None, Metric::Euclidean, 3);
    assert_eq!(found, Err(crate::Error::Cancelled));
}
