use ndarray::{Array1, Array2};

use super::*;
use crate::data::Data;
use crate::neighbors;
use crate::random::{below, normal, stream};

/// Overlapping clusters, more spread in the first columns.
fn mixture(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    let centres = Array2::from_shape_simple_fn((8, n_columns), || normal(&mut draw));
    let mut rows = Array2::zeros((n_rows, n_columns));
    for mut row in rows.rows_mut() {
        let centre = below(&mut draw, 8);
        for (j, value) in row.iter_mut().enumerate() {
            let spread = (1.0 + j as f64 / 4.0).powf(-0.5);
            *value = spread * (centres[[centre, j]] + normal(&mut draw)) + 3.0;
        }
    }
    rows
}

fn search(metric: Metric) -> Search {
    Search {
        search: Algorithm::Approximate,
        metric,
        ..Search::default()
    }
}

/// The squared distances of a row to all, by definition; infinite to itself.
fn by_definition(x: &Array2<f64>, row: usize, metric: Metric) -> Vec<f64> {
    let turned = |row: usize| -> Array1<f64> {
        let row = x.row(row).to_owned();
        let row = match metric {
            Metric::Correlation => &row - row.mean().unwrap(),
            _ => row,
        };
        match metric {
            Metric::Euclidean => row,
            _ => &row / row.dot(&row).sqrt(),
        }
    };
    let own = turned(row);
    (0..x.nrows())
        .map(|other| {
            let apart = &turned(other) - &own;
            if other == row {
                f64::INFINITY
            } else {
                apart.dot(&apart)
            }
        })
        .collect()
}

/// The fraction of neighbours found, of 60 rows, after checks of every table.
fn share(x: &Array2<f64>, found: &Found, metric: Metric, count: usize) -> f64 {
    let mut good = 0;
    let rows = strided(x.nrows(), 60);
    for row in 0..x.nrows() {
        let (indices, distances) = found.neighbors.row(row);
        assert_eq!(indices.len(), count);
        assert!(
            !indices.contains(&(row as u32)),
            "a row is its own neighbour"
        );
        assert!(distances.windows(2).all(|pair| pair[0] <= pair[1]));
        let mut sorted = indices.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), count, "a neighbour comes twice");
    }
    for &row in &rows {
        let all = by_definition(x, row, metric);
        let mut order = all.clone();
        order.sort_unstable_by(f64::total_cmp);
        let (indices, distances) = found.neighbors.row(row);
        for (&index, &distance) in indices.iter().zip(distances) {
            let squared = all[index as usize];
            let want = match metric {
                Metric::Euclidean => squared.sqrt(),
                _ => squared / 2.0,
            };
            assert!(
                (distance - want).abs() < 1e-4 * want + 1e-6,
                "{distance} {want}"
            );
            good += usize::from(squared <= order[count - 1] * (1.0 + 1e-5) + 1e-9);
        }
    }
    good as f64 / (rows.len() * count) as f64
}

fn find(x: &Array2<f64>, metric: Metric, count: usize) -> Found {
    let features = Features::from(x);
    let run = Run::new();
    nearest(&run, &features, &search(metric), count)
        .unwrap()
        .unwrap()
}

#[test]
fn the_wanted_share_is_found_and_reported() {
    for (metric, n_columns) in [
        (Metric::Euclidean, 12),
        (Metric::Euclidean, 300),
        (Metric::Cosine, 300),
        (Metric::Correlation, 24),
    ] {
        let x = mixture(3000, n_columns, 1);
        let found = find(&x, metric, 10);
        let share = share(&x, &found, metric, 10);
        assert!(
            found.recall >= 0.977,
            "{metric:?} {n_columns}: {}",
            found.recall
        );
        assert!(share >= 0.96, "{metric:?} {n_columns}: {share}");
        assert!(found.algorithm.starts_with("approximate"));
    }
}

#[test]
fn single_precision_finds_what_double_does() {
    let x = mixture(2500, 40, 2);
    let narrow = x.mapv(|value| value as f32);
    let found = nearest(
        &Run::new(),
        &Features::from(&narrow),
        &search(Metric::Euclidean),
        15,
    );
    let found = found.unwrap().unwrap();
    assert!(share(&x, &found, Metric::Euclidean, 15) >= 0.96);
}

#[test]
fn every_stage_gives_the_same_bits_for_any_number_of_threads() {
    let x = mixture(3000, 200, 3).mapv(|value| value as f32);
    let stages = |n_threads: usize| {
        let run = Run::new().threads(n_threads).unwrap();
        run.install(|| {
            let search = search(Metric::Euclidean);
            let features = Features::from(&x);
            let points = Points::new(&run, x.view(), search.metric).unwrap().unwrap();
            let frame = Frame::of(&points);
            let sample = strided(3000, 2 * CALIBRATION_ROWS);
            let truth = Truth::of(&run, &features, search.metric, &sample, 10).unwrap();
            let (setting, _) = truth.unwrap().split();
            let attempt = Attempt {
                points: &points,
                frame: &frame,
                width: 48,
                search: &search,
                count: 10,
            };
            let (projected, cells) = attempt.prepare(&run, &setting).unwrap().unwrap();
            let rows = projected.rows.view();
            let calibration = Calibration::of(&run, &points, &cells, &rows, &setting, 160).unwrap();
            let effort = calibration.effort(0.5).unwrap();
            let joined = attempt.join(&run, &cells, &rows, effort).unwrap();
            let found = nearest(&run, &features, &search, 10).unwrap().unwrap();
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            (
                bits(projected.rows.as_slice().unwrap()),
                bits(&projected.additions),
                bits(cells.centres.rows.as_slice().unwrap()),
                cells.homes.clone(),
                format!("{effort:?}"),
                joined,
                found,
            )
        })
    };
    let one = stages(1);
    for n_threads in [2, 7] {
        let many = stages(n_threads);
        assert!(one.0 == many.0, "projection");
        assert!(one.1 == many.1, "additions");
        assert!(one.2 == many.2, "centres");
        assert!(one.3 == many.3, "cells");
        assert_eq!(one.4, many.4);
        assert!(one.5 == many.5, "join");
        assert!(one.6 == many.6, "result");
    }
}

#[test]
fn bytes_and_near_cells_find_what_is_wanted_for_any_number_of_threads() {
    let x = mixture(6000, 30, 5);
    let search = search(Metric::Euclidean);
    let found = |n_threads: usize| {
        let run = Run::new().threads(n_threads).unwrap();
        run.install(|| {
            let points = Points::new(&run, x.view(), search.metric).unwrap().unwrap();
            let features = Features::from(&x);
            let sample = strided(6000, 2 * CALIBRATION_ROWS);
            let truth = Truth::of(&run, &features, search.metric, &sample, 10).unwrap();
            let (setting, judging) = truth.unwrap().split();
            let frame = Frame::of(&points);
            let attempt = Attempt {
                points: &points,
                frame: &frame,
                width: 30,
                search: &search,
                count: 10,
            };
            let projected = Projected::of(&run, &points, &frame, 30, 0)
                .unwrap()
                .unwrap();
            let cells = Cells::of(&run, &projected, 150, Packing::Bytes, 0).unwrap();
            let rows = projected.rows.view();
            let calibration = Calibration::of(&run, &points, &cells, &rows, &setting, 160).unwrap();
            let effort = calibration.effort(0.98).unwrap();
            assert!(effort.n_candidates < 20 && calibration.pays(effort));
            let all = attempt.join(&run, &cells, &rows, effort).unwrap();
            let few = Effort {
                n_near: 100,
                ..effort
            };
            let near = attempt.join(&run, &cells, &rows, few).unwrap();
            assert!(recall(&judging, &all) > 0.97);
            assert!(recall(&judging, &near) > recall(&judging, &all) - 0.01);
            (cells.homes, format!("{effort:?}"), all, near)
        })
    };
    let one = found(1);
    assert!(found(2) == one && found(7) == one);
}

#[test]
fn equal_rows_find_each_other() {
    let mut x = mixture(4000, 20, 4);
    let first = x.row(0).to_owned();
    for row in 0..1000 {
        x.row_mut(row * 4).assign(&first);
    }
    let found = find(&x, Metric::Euclidean, 15);
    assert!(share(&x, &found, Metric::Euclidean, 15) >= 0.96);
    for row in 0..1000 {
        let (indices, distances) = found.neighbors.row(row * 4);
        assert!(distances.iter().all(|&distance| distance == 0.0));
        assert!(indices.iter().all(|index| index % 4 == 0));
    }
}

#[test]
fn rows_that_are_all_equal_have_neighbours_at_no_distance() {
    let x = Array2::from_elem((600, 5), 2.5);
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Correlation] {
        let data = Data::new(&x);
        let found = neighbors::nearest(&Run::new(), &data, &search(metric), 7).unwrap();
        for row in 0..600 {
            let (indices, distances) = found.neighbors.row(row);
            assert!(indices.len() == 7 && !indices.contains(&(row as u32)));
            assert!(distances.iter().all(|&distance| distance.abs() < 1e-12));
        }
    }
}

#[test]
fn tight_clusters_far_apart_keep_their_digits() {
    let mut x = mixture(3000, 16, 5);
    for (row, mut values) in x.rows_mut().into_iter().enumerate() {
        let cluster = row % 20;
        for (j, value) in values.iter_mut().enumerate() {
            *value += 3e3 * f64::from(u8::try_from((cluster * 7 + j * 13) % 11).unwrap());
        }
    }
    let found = find(&x, Metric::Euclidean, 10);
    assert!(
        found.algorithm.starts_with("approximate"),
        "{}",
        found.algorithm
    );
    assert!(share(&x, &found, Metric::Euclidean, 10) >= 0.96);
}

#[test]
fn few_rows_wide_rows_and_nearly_all_neighbours_work() {
    for (n_rows, n_columns, count) in [
        (12, 3, 4),
        (40, 2, 39),
        (300, 6, 299),
        (150, 700, 5),
        (2, 1, 1),
    ] {
        let x = mixture(n_rows, n_columns, 6);
        let data = Data::new(&x);
        let run = Run::new();
        let found = neighbors::nearest(&run, &data, &search(Metric::Euclidean), count).unwrap();
        let share = share(&x, &found, Metric::Euclidean, count);
        assert!(share >= 0.96, "{n_rows} {n_columns} {count}: {share}");
    }
}

#[test]
fn rows_without_direction_are_near_each_other() {
    let mut x = mixture(1500, 10, 7);
    for row in 0..40 {
        x.row_mut(row * 30).fill(0.0);
    }
    let found = find(&x, Metric::Cosine, 8);
    for row in 0..40 {
        assert!(
            found
                .neighbors
                .row(row * 30)
                .1
                .iter()
                .all(|&distance| distance == 0.0)
        );
    }
}

#[test]
fn the_rule_asks_for_rows_columns_metric_and_share() {
    let usual = Search::default();
    assert!(pays(70_000, 784, &usual, 15));
    assert!(pays(100_000, 50, &usual, 15));
    assert!(!pays(4_000, 784, &usual, 15));
    assert!(!pays(20_000, 10, &usual, 15));
    let manhattan = Search {
        metric: Metric::Manhattan,
        ..Search::default()
    };
    assert!(!pays(70_000, 784, &manhattan, 15));
    let all = Search {
        recall: 1.0,
        ..Search::default()
    };
    assert!(!pays(70_000, 784, &all, 15));
    assert!(bytes(70_000, 784, 15) < 70_000 * 784 * 4);
}
