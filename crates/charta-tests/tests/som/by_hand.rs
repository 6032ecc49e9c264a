//! One epoch, the errors and the pictures against plain loops.

use charta::methods::som::Som;
use charta::methods::som::{Cells, Initialization, Learning, Neighborhood, Schedule};
use charta::{Fit, InverseTransform, Model, RowErrors, Run, Transform};
use ndarray::{Array2, Axis, array};

use super::{built_in, errors, on_grid, sample, squared, two_nearest};

fn small(grid: Cells, toroidal: bool) -> Som {
    Som {
        width: Some(6),
        height: Some(4),
        grid,
        toroidal,
        ..Som::default()
    }
}

fn all() -> Vec<Som> {
    let mut all = Vec::new();
    for grid in [Cells::Rectangular, Cells::Hexagonal] {
        for toroidal in [false, true] {
            for neighborhood in [Neighborhood::Gaussian, Neighborhood::Bubble] {
                for start in [Initialization::Pca, Initialization::Random] {
                    all.push(Som {
                        neighborhood,
                        init: start,
                        radius: Some(1.5),
                        ..small(grid, toroidal)
                    });
                }
            }
        }
    }
    all
}

fn weight(som: &Som, squared: f64, radius: f64) -> f64 {
    match som.neighborhood {
        Neighborhood::Gaussian => (-squared / (2.0 * radius * radius)).exp(),
        Neighborhood::Bubble if squared.sqrt() <= radius + 1e-12 => 1.0,
        Neighborhood::Bubble => 0.0,
    }
}

fn largest_difference(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).iter().fold(0.0, |most: f64, d| most.max(d.abs()))
}

#[test]
fn one_batch_epoch_is_the_weighted_mean_of_all_rows() {
    let x = sample(90, 5);
    for som in all() {
        let before = Som {
            n_epochs: 0,
            ..som.clone()
        }
        .fit(&x)
        .unwrap();
        let after = Som {
            n_epochs: 1,
            ..som.clone()
        }
        .fit(&x)
        .unwrap();
        let (grid, units) = (before.grid(), before.units());
        let mut want = Array2::zeros(units.dim());
        for (unit, mut target) in want.rows_mut().into_iter().enumerate() {
            let mut total = 0.0;
            for row in x.rows() {
                let best = two_nearest(row, &units).0;
                let weight = weight(&som, on_grid(grid, unit, best), 1.5);
                target.scaled_add(weight, &row);
                total += weight;
            }
            if total > 0.0 {
                target /= total;
            } else {
                target.assign(&units.row(unit));
            }
        }
        let off = largest_difference(&after.units(), &want);
        assert!(off < 1e-10, "{som:?}: off by {off:.1e}");
    }
}

#[test]
fn three_batch_epochs_follow_the_schedule_of_the_radius() {
    let x = sample(90, 5);
    for (radius_schedule, radii) in [
        (Schedule::Linear, [2.0, 1.25, 0.5]),
        (Schedule::Exponential, [2.0, 1.0, 0.5]),
    ] {
        let som = Som {
            radius: Some(2.0),
            end_radius: 0.5,
            radius_schedule,
            n_epochs: 3,
            ..small(Cells::Rectangular, false)
        };
        let found = som.fit(&x).unwrap();
        let mut units = Som {
            n_epochs: 0,
            ..som.clone()
        }
        .fit(&x)
        .unwrap()
        .units();
        for radius in radii {
            let best: Vec<usize> = x
                .rows()
                .into_iter()
                .map(|row| two_nearest(row, &units).0)
                .collect();
            let mut next = Array2::zeros(units.dim());
            for (unit, mut target) in next.rows_mut().into_iter().enumerate() {
                let mut total = 0.0;
                for (row, best) in x.rows().into_iter().zip(&best) {
                    let weight = weight(&som, on_grid(found.grid(), unit, *best), radius);
                    target.scaled_add(weight, &row);
                    total += weight;
                }
                target /= total;
            }
            units = next;
        }
        let off = largest_difference(&found.units(), &units);
        assert!(off < 1e-10, "{radius_schedule:?}: off by {off:.1e}");
    }
}

#[test]
fn online_epochs_move_units_towards_one_row_after_the_other() {
    let x = sample(40, 4);
    for som in all() {
        let som = Som {
            learning: Learning::Online,
            n_epochs: 2,
            seed: 3,
            ..som
        };
        let mut units = Som {
            n_epochs: 0,
            ..som.clone()
        }
        .fit(&x)
        .unwrap()
        .units();
        let found = som.fit(&x).unwrap();
        let n_steps = 2 * 40;
        for epoch in 0..2_u64 {
            let mut order = charta::random::stream(3, (1 << 32) + epoch);
            let order = charta::random::permutation(&mut order, 40);
            for (step, &row) in order.iter().enumerate() {
                let share = (epoch as usize * 40 + step) as f64 / (n_steps - 1) as f64;
                let radius = 1.5 * (0.5_f64 / 1.5).powf(share);
                let rate = 0.5 + (0.01 - 0.5) * share;
                let best = two_nearest(x.row(row), &units).0;
                for (unit, mut target) in units.rows_mut().into_iter().enumerate() {
                    let part = rate * weight(&som, on_grid(found.grid(), unit, best), radius);
                    let way = &x.row(row) - &target;
                    target.scaled_add(part, &way);
                }
            }
        }
        let off = largest_difference(&found.units(), &units);
        assert!(off < 1e-10, "{som:?}: off by {off:.1e}");
    }
}

#[test]
fn errors_of_every_epoch_are_those_by_definition() {
    let x = built_in("iris");
    for grid in [Cells::Rectangular, Cells::Hexagonal] {
        for toroidal in [false, true] {
            for learning in [Learning::Batch, Learning::Online] {
                let som = Som {
                    learning,
                    n_epochs: 4,
                    ..small(grid, toroidal)
                };
                let model = som.fit(&x).unwrap();
                let (quantization, topographic) = errors(&x, &model);
                assert!((model.quantization_error() - quantization).abs() < 1e-10);
                assert_eq!(model.topographic_error(), topographic);
                let report = model.diagnostics();
                let curve = report.values("quantization_errors").unwrap();
                assert_eq!(curve.len(), 5);
                assert_eq!(report.value("quantization_error"), Some(curve[4]));
                let start = Som { n_epochs: 0, ..som }.fit(&x).unwrap();
                let (first, torn) = errors(&x, &start);
                assert!((curve[0] - first).abs() < 1e-10);
                assert_eq!(report.values("topographic_errors").unwrap()[0], torn);
            }
        }
    }
}

#[test]
fn rows_go_to_their_unit_and_back_to_its_features() {
    let x = sample(200, 6);
    for grid in [Cells::Rectangular, Cells::Hexagonal] {
        let model = small(grid, false).fit(&x).unwrap();
        let units = model.units();
        let new = sample(230, 6).slice(ndarray::s![200.., ..]).to_owned();
        let placed = model.transform(&new).unwrap();
        let back = model.inverse_transform(&placed.view()).unwrap();
        let lost = model.row_errors(&new).unwrap();
        let best = model.best_units(&Run::new(), &(&new).into()).unwrap();
        for (row, values) in new.rows().into_iter().enumerate() {
            let (want, _, apart) = two_nearest(values, &units);
            assert_eq!(best[row] as usize, want);
            assert!((lost[row] - apart).abs() < 1e-10);
            let (u, v) = super::place(model.grid(), want);
            assert!((placed[[row, 0]] - u).abs() < 1e-12 && (placed[[row, 1]] - v).abs() < 1e-12);
            assert!(squared(back.row(row), units.row(want)) < 1e-24);
        }
    }
    let model = small(Cells::Rectangular, false).fit(&x).unwrap();
    let near = model
        .inverse_transform(&array![[1.4, 2.6], [-9.0, 99.0]].view())
        .unwrap();
    assert_eq!(near.row(0), model.units().row(3 * 6 + 1));
    assert_eq!(near.row(1), model.units().row(3 * 6));
}

#[test]
fn the_u_matrix_is_the_mean_distance_to_neighbours() {
    let x = sample(150, 4);
    for grid in [Cells::Rectangular, Cells::Hexagonal] {
        for toroidal in [false, true] {
            let model = small(grid, toroidal).fit(&x).unwrap();
            let (units, found) = (model.units(), model.u_matrix());
            let most = if grid == Cells::Hexagonal { 1.01 } else { 2.01 };
            for (unit, value) in found.iter().enumerate() {
                let near: Vec<f64> = (0..24)
                    .filter(|other| *other != unit && on_grid(model.grid(), unit, *other) < most)
                    .map(|other| squared(units.row(unit), units.row(other)).sqrt())
                    .collect();
                let want = near.iter().sum::<f64>() / near.len() as f64;
                assert!((value - want).abs() < 1e-10);
            }
            assert_eq!(model.hit_map().sum(), 150.0);
            let plane = model.component_plane(2);
            let want = units.index_axis(Axis(1), 2);
            assert!(plane.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
}

#[test]
fn pictures_show_every_unit_and_every_epoch() {
    let table = charta_io::read("digits", &charta_io::ReadOptions::default()).unwrap();
    let som = Som {
        n_epochs: 3,
        ..small(Cells::Hexagonal, false)
    };
    let model = som.fit(table.data().unwrap()).unwrap();
    let pictures = model.pictures();
    assert_eq!(pictures.len(), 5);
    for picture in &pictures {
        match &picture.content {
            charta::model::picture::Content::Cells(cells) => {
                assert!(cells.hexagonal && cells.centers.len() == 24);
                assert!(cells.panels.iter().all(|panel| panel.values.len() == 24));
                let words = &cells.panels[0].words;
                assert_eq!(words.len(), if picture.name == "planes" { 0 } else { 24 });
            }
            charta::model::picture::Content::Curves(curves) => {
                assert_eq!((curves.first, curves.lines[0].values.len()), (0, 4));
            }
        }
    }
    assert!(
        pictures[2].note.contains("24 of 64"),
        "{}",
        pictures[2].note
    );
}
