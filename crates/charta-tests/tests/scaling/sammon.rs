//! Sammon's mapping.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::methods::mds::Initialization;
use charta::methods::sammon::Sammon;
use charta::methods::sammon::Steps;
use charta::model::Transform;
use charta::params::Parameters;
use charta::{Data, Event, Fit, Model, Run};
use ndarray::{Array2, Axis, s};

use super::{cloud, distances, threads, unlike};

/// Sammon's stress by its definition.
fn sammon_stress(wanted: &Array2<f64>, map: &Array2<f64>) -> f64 {
    let apart = distances(map);
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..map.nrows() {
        for j in 0..i {
            let target = wanted[[i, j]];
            sum += (target - apart[[i, j]]).powi(2) / target;
            total += target;
        }
    }
    sum / total
}

#[test]
fn the_map_is_a_stationary_point_no_worse_than_its_start() {
    let x = cloud(80, 6, 1);
    let wanted = distances(&x);
    for steps in [Steps::QuasiNewton, Steps::Newton] {
        for start in [Initialization::Classical, Initialization::Random] {
            let sammon = Sammon {
                steps,
                init: start,
                max_iterations: 5000,
                tolerance: if steps == Steps::Newton { 1e-14 } else { 1e-12 },
                ..Sammon::default()
            };
            let model = sammon.fit(&x).unwrap();
            let map = model.embedding().unwrap().to_owned();
            let value = sammon_stress(&wanted, &map);
            let report = model.report();
            assert!(
                report.converged,
                "{steps:?} {start:?}: {}",
                report.n_iterations
            );
            assert!((report.stress - value).abs() < 1e-12 * value);
            assert!(report.stress <= report.start_stress);
            for place in [[0, 0], [41, 1], [79, 0]] {
                let moved = |by: f64| {
                    let mut map = map.clone();
                    map[place] += by;
                    sammon_stress(&wanted, &map)
                };
                let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                assert!(slope.abs() < 1e-4 * value, "{slope} of {value}");
            }
        }
    }
}

#[test]
fn points_of_a_plane_are_found_again() {
    let truth = cloud(60, 2, 2);
    let model = Sammon::default().fit(&truth).unwrap();
    assert!(unlike(model.embedding().unwrap(), &truth) < 1e-12);
    assert!(model.report().stress < 1e-12);
}

#[test]
fn rows_at_the_same_place_are_told_and_stay_together() {
    let mut x = cloud(50, 5, 3);
    let copy = x.slice(s![..5, ..]).to_owned();
    x.slice_mut(s![45.., ..]).assign(&copy);
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let model = Sammon::default().fit_with(&run, &x).unwrap();
    let map = model.embedding().unwrap();
    for row in 0..5 {
        let apart = &map.row(row) - &map.row(45 + row);
        assert!(apart.dot(&apart).sqrt() < 0.05, "{apart}");
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("5 pairs of rows at distance 0"));
}

#[test]
fn a_pair_that_is_very_near_does_not_hold_the_others() {
    let alone = cloud(60, 4, 5);
    let without = Sammon::default().fit(&alone).unwrap();
    let least = without.report().stress;
    for shift in [1e-4, 1e-6, 1e-7, 1e-9, 1e-12] {
        let mut near = alone.row(0).to_owned();
        near[0] += shift;
        let x = ndarray::concatenate![Axis(0), alone, near.insert_axis(Axis(0))];
        for steps in [Steps::QuasiNewton, Steps::Newton] {
            let sammon = Sammon {
                steps,
                max_iterations: 2000,
                ..Sammon::default()
            };
            let model = sammon.fit(&x).unwrap();
            let report = model.report();
            let summary = format!("{shift:e} {steps:?}: {report:?} against {least}");
            assert!(report.stress < 1.02 * least, "{summary}");
            assert!(report.stress < 0.8 * report.start_stress);
        }
    }
}

#[test]
fn steps_have_words_of_their_own() {
    let words = Sammon::specs()
        .into_iter()
        .find(|spec| spec.name == "steps");
    let text = format!("{words:?}");
    assert!(
        text.contains("newton") && text.contains("quasi_newton"),
        "{text}"
    );
    assert!(
        !text.contains("majorization") && !text.contains("Guttman"),
        "{text}"
    );
}

#[test]
fn rows_known_come_back_and_threads_change_nothing() {
    let x = cloud(100, 6, 4);
    let one = Sammon::default().fit_with(&threads(1), &x).unwrap();
    for count in [2, 7] {
        let other = Sammon::default().fit_with(&threads(count), &x).unwrap();
        assert_eq!(other, one);
    }
    let map = one.embedding().unwrap();
    let off = &one.transform(&x).unwrap() - &map;
    let largest = map.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let off = off.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    assert!(off < 1e-3 * largest, "{off} of {largest}");
    let gaps = Array2::from_elem((100, 100), f64::NAN);
    let mut matrix = distances(&x);
    matrix
        .slice_mut(s![..1, 1..2])
        .assign(&gaps.slice(s![..1, ..1]));
    matrix
        .slice_mut(s![1..2, ..1])
        .assign(&gaps.slice(s![..1, ..1]));
    let outcome = Sammon::default().fit(Data::some_distances(matrix.view()).unwrap());
    assert!(outcome.unwrap_err().to_string().contains("missing"));
}

/// The stress of relative errors by its definition.
fn relative_stress(wanted: &Array2<f64>, map: &Array2<f64>) -> f64 {
    let apart = distances(map);
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..map.nrows() {
        for j in 0..i {
            sum += ((wanted[[i, j]] - apart[[i, j]]) / wanted[[i, j]]).powi(2);
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn relative_errors_are_weighted_as_alpaydin_prints_them() {
    use charta::methods::sammon::Weighting;
    let x = cloud(60, 5, 4) * 37.0;
    let wanted = distances(&x);
    let map = |weighting: Weighting| {
        let sammon = Sammon {
            weighting,
            ..Sammon::default()
        };
        sammon.fit(&x).unwrap()
    };
    let (plain, relative) = (map(Weighting::Sammon), map(Weighting::Relative));
    let embedding = relative.embedding().unwrap().to_owned();
    let value = relative_stress(&wanted, &embedding);
    assert!((relative.report().stress - value).abs() < 1e-10 * value);
    assert!(value < relative_stress(&wanted, &plain.embedding().unwrap().to_owned()));
    for place in [[0, 0], [33, 1]] {
        let moved = |by: f64| {
            let mut map = embedding.clone();
            map[place] += by;
            relative_stress(&wanted, &map)
        };
        assert!(moved(0.5) > value && moved(-0.5) > value);
    }
    // New rows have the same weights: those of the fit return to their places.
    let again = relative
        .transform(&x.slice(s![..5, ..]).to_owned())
        .unwrap();
    let off = (&again - &embedding.slice(s![..5, ..])).mapv(f64::abs);
    assert!(off.iter().all(|d| *d < 1e-3 * 37.0), "{off}");
}
