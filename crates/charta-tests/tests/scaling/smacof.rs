//! Metric and non-metric scaling.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::Precision;
use charta::internals::{Dissimilarities, Kept, Scaling, Smacof};
use charta::method::{Method, Shape};
use charta::methods::mds::{Initialization, Mds, Steps, StressModel, Ties};
use charta::model::Transform;
use charta::{Data, Error, Event, Fit, Model, Run};
use ndarray::{Array2, array, s};

use super::{between, cloud, distances, threads, unlike};

fn from(smacof: Smacof, matrix: &Array2<f64>, start: &Array2<f64>) -> Scaling {
    let known = Dissimilarities::new(matrix.clone(), None).unwrap();
    smacof.from(&Run::new(), &known, start.clone()).unwrap()
}

fn fit(mds: Mds, matrix: &Array2<f64>) -> StressModel {
    mds.fit(Data::some_distances(matrix.view()).unwrap())
        .unwrap()
}

/// A step of majorization by its matrices: X ← B(X) X / n.
fn guttman(wanted: &Array2<f64>, x: &Array2<f64>) -> Array2<f64> {
    let n = x.nrows();
    let apart = distances(x);
    let mut b = Array2::zeros((n, n));
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            b[[i, j]] = -wanted[[i, j]] / apart[[i, j]];
            b[[i, i]] -= b[[i, j]];
        }
    }
    b.dot(x) / n as f64
}

fn stress(wanted: &Array2<f64>, x: &Array2<f64>) -> f64 {
    (wanted - &distances(x)).mapv(|d| d * d).sum() / 2.0
}

#[test]
fn steps_are_those_of_the_matrices() {
    let wanted = distances(&cloud(40, 5, 1));
    let mut x = cloud(40, 2, 2);
    let smacof = Smacof {
        max_iterations: 25,
        tolerance: 0.0,
        ..Smacof::default()
    };
    let found = from(smacof, &wanted, &x);
    for iteration in 0..=25 {
        let want = stress(&wanted, &x);
        assert!((found.stresses[iteration] - want).abs() < 1e-10 * want);
        if iteration < 25 {
            x = guttman(&wanted, &x);
        }
    }
    assert!((&found.layout - &x).iter().all(|d| d.abs() < 1e-10));
    let squares = distances(&x).mapv(|d| d * d).sum() / 2.0;
    let normalized = (found.stress / squares).sqrt();
    assert!((found.normalized_stress - normalized).abs() < 1e-12);
}

#[test]
fn the_stress_never_rises_and_a_memory_reaches_the_bottom_sooner() {
    let wanted = distances(&cloud(90, 6, 3));
    let start = cloud(90, 2, 4);
    let kinds = [
        Kept::Distances,
        Kept::Order(Ties::Primary),
        Kept::Order(Ties::Secondary),
    ];
    for kept in kinds {
        for steps in [Steps::Majorization, Steps::QuasiNewton] {
            let smacof = Smacof {
                kept,
                steps,
                max_iterations: 400,
                tolerance: 1e-12,
            };
            let found = from(smacof, &wanted, &start);
            let falls = found.stresses.windows(2).all(|pair| pair[1] < pair[0]);
            assert!(falls, "{kept:?} {steps:?}");
        }
    }
    let steps = |steps| {
        let smacof = Smacof {
            steps,
            max_iterations: 3000,
            tolerance: 1e-13,
            ..Smacof::default()
        };
        from(smacof, &wanted, &start).n_iterations
    };
    let (plain, quick) = (steps(Steps::Majorization), steps(Steps::QuasiNewton));
    assert!(2 * quick < plain, "{quick} against {plain} steps");
}

#[test]
fn points_of_a_plane_are_found_again_also_without_a_third_of_their_distances() {
    let truth = cloud(60, 2, 5);
    let mut matrix = distances(&truth);
    let model = fit(Mds::default(), &matrix);
    assert!(unlike(model.embedding().unwrap(), &truth) < 1e-12);
    assert!(model.diagnostics().value("normalized_stress").unwrap() < 1e-6);
    let holes = cloud(60, 60, 6);
    for i in 0..60 {
        for j in 0..i {
            if holes[[i, j]] < -0.52 {
                matrix[[i, j]] = f64::NAN;
                matrix[[j, i]] = f64::NAN;
            }
        }
    }
    let model = fit(Mds::default(), &matrix);
    let missing = model.diagnostics().value("n_missing_distances").unwrap();
    assert!(missing > 450.0, "{missing}");
    assert!(unlike(model.embedding().unwrap(), &truth) < 1e-9);
}

#[test]
fn a_pair_without_weight_has_no_say_and_weights_have_theirs() {
    let truth = cloud(30, 2, 7);
    let mut matrix = distances(&truth);
    let mut weights = cloud(30, 30, 8).mapv(|v| 0.1 + v * v);
    weights = &weights + &weights.t();
    (weights[[3, 9]], weights[[9, 3]]) = (0.0, 0.0);
    let scaled = |matrix: &Array2<f64>| {
        let data = Data::distances(matrix.view()).unwrap();
        let data = data.with_pair_weights(weights.view()).unwrap();
        Mds::default().fit(data).unwrap()
    };
    let right = scaled(&matrix);
    (matrix[[3, 9]], matrix[[9, 3]]) = (77.0, 77.0);
    let wrong = scaled(&matrix);
    assert_eq!(right.embedding(), wrong.embedding());
    assert!(unlike(wrong.embedding().unwrap(), &truth) < 1e-9);
    // The slope of the weighted stress vanishes at its minimum, where no map is exact.
    let matrix = distances(&cloud(30, 5, 9));
    let data = Data::distances(matrix.view()).unwrap();
    let data = data.with_pair_weights(weights.view()).unwrap();
    let model = Mds::default().fit(data).unwrap();
    let map = model.embedding().unwrap().to_owned();
    let weighted = |map: &Array2<f64>| {
        let apart = &matrix - &distances(map);
        (&weights * &apart * &apart).sum() / 2.0
    };
    let value = weighted(&map);
    assert!((model.report().stress - value).abs() < 1e-9 * value);
    for place in [[0, 0], [7, 1], [29, 0]] {
        let moved = |by: f64| {
            let mut map = map.clone();
            map[place] += by;
            weighted(&map)
        };
        let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        assert!(slope.abs() < 1e-4 * value, "{slope} of {value}");
    }
}

#[test]
fn parts_without_a_distance_between_them_are_named() {
    let mut matrix = distances(&cloud(8, 2, 10));
    matrix.slice_mut(s![..3, 3..]).fill(f64::NAN);
    matrix.slice_mut(s![3.., ..3]).fill(f64::NAN);
    let outcome = Mds::default().fit(Data::some_distances(matrix.view()).unwrap());
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.contains("2 connected components") && text.contains("5 rows from row 3"),
        "{text}"
    );
}

#[test]
fn bent_distances_give_a_map_of_the_same_order() {
    let truth = cloud(40, 2, 11);
    let bent = distances(&truth).mapv(|d| d.powi(3) + 0.1 * d);
    let order = |matrix: &Array2<f64>| {
        let mut pairs: Vec<(usize, usize)> =
            (0..40).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        pairs.sort_by(|a, b| matrix[*a].total_cmp(&matrix[*b]));
        pairs
    };
    let mds = |nonmetric| Mds {
        nonmetric,
        max_iterations: 5000,
        tolerance: 1e-16,
        ..Mds::default()
    };
    let model = fit(mds(true), &bent);
    let map = model.embedding().unwrap().to_owned();
    let apart = distances(&map);
    let sorted: Vec<f64> = order(&bent).iter().map(|&pair| apart[pair]).collect();
    let largest = sorted.iter().copied().fold(0.0, f64::max);
    let fall = (sorted.windows(2)).fold(0.0, |most: f64, pair| most.max(pair[0] - pair[1]));
    assert!(fall < 1e-3 * largest, "order broken by {fall}");
    assert!(unlike(map.view(), &truth) < 1e-2);
    let metric = fit(mds(false), &bent);
    let value = |model: &StressModel| model.diagnostics().value("normalized_stress").unwrap();
    assert!(value(&model) < 1e-3 && value(&metric) > 0.05);
}

#[test]
fn ties_are_kept_or_broken() {
    // Marks from 1 to 4, as people give them.
    let marks = distances(&cloud(25, 2, 12)).mapv(f64::ceil);
    let mut marks = marks;
    marks.diag_mut().fill(0.0);
    let scaled = |ties| {
        let mds = Mds {
            nonmetric: true,
            ties,
            ..Mds::default()
        };
        fit(mds, &marks)
    };
    let spread = |model: &StressModel| {
        let apart = distances(&model.embedding().unwrap().to_owned());
        let tied = marks.indexed_iter().filter(|(_, mark)| **mark == 2.0);
        let lengths: Vec<f64> = tied.map(|(pair, _)| apart[pair]).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        lengths
            .iter()
            .map(|l| (l / mean - 1.0).powi(2))
            .sum::<f64>()
            / lengths.len() as f64
    };
    let value = |model: &StressModel| model.diagnostics().value("normalized_stress").unwrap();
    let (broken, kept) = (scaled(Ties::Primary), scaled(Ties::Secondary));
    assert!(value(&broken) < 0.5 * value(&kept));
    assert!(spread(&broken) > spread(&kept));
}

#[test]
fn new_points_land_where_they_belong() {
    let truth = cloud(50, 2, 13);
    let new = cloud(20, 2, 14);
    let model = fit(Mds::default(), &distances(&truth));
    let mut to_known = between(&new, &truth);
    to_known.slice_mut(s![.., ..20]).fill(f64::NAN);
    let placed = model
        .transform(Data::some_distances_to(to_known.view()).unwrap())
        .unwrap();
    let both = ndarray::concatenate![ndarray::Axis(0), model.embedding().unwrap(), placed];
    let all = ndarray::concatenate![ndarray::Axis(0), truth, new];
    assert!(unlike(both.view(), &all) < 1e-9);
    let nothing = Array2::from_elem((1, 50), f64::NAN);
    let outcome = model.transform(Data::some_distances_to(nothing.view()).unwrap());
    assert!(outcome.unwrap_err().to_string().contains("new row 0"));
}

#[test]
fn rows_known_come_back_to_their_places() {
    let x = cloud(120, 5, 15);
    for nonmetric in [false, true] {
        let mds = Mds {
            nonmetric,
            ..Mds::default()
        };
        let model = mds.fit(&x).unwrap();
        let map = model.embedding().unwrap();
        let off = &model.transform(&x).unwrap() - &map;
        let largest = map.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let off = off.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(
            off < 1e-3 * largest,
            "non-metric {nonmetric}: {off} of {largest}"
        );
    }
}

#[test]
fn several_starts_find_the_best_and_threads_change_nothing() {
    let x = cloud(70, 6, 16);
    for nonmetric in [false, true] {
        let mds = Mds {
            n_starts: 6,
            init: Initialization::Random,
            nonmetric,
            max_iterations: 60,
            ..Mds::default()
        };
        let one = mds.fit_with(&threads(1), &x).unwrap();
        for count in [2, 7] {
            assert_eq!(mds.fit_with(&threads(count), &x).unwrap(), one);
        }
        let report = one.report();
        let least = report
            .stress_of_starts
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        assert_eq!(report.stress_of_starts.len(), 6);
        assert_eq!(report.stress, least);
        assert_eq!(report.stress_of_starts[report.best_start], least);
    }
}

#[test]
fn odd_distances_give_finite_maps_or_clear_errors() {
    // A point in the middle that no plane can hold, and all the same distance.
    let simplex = Array2::from_shape_fn((6, 6), |(i, j)| f64::from(u8::from(i != j)));
    let model = fit(Mds::default(), &simplex);
    assert!(model.report().stress > 0.0 && model.report().stress.is_finite());
    let zeros = Array2::zeros((5, 5));
    let outcome = Mds::default().fit(Data::distances(zeros.view()).unwrap());
    assert!(matches!(outcome, Err(Error::Degenerate { .. })));
    let two = array![[0.0, 2.0], [2.0, 0.0]];
    let one = Mds {
        n_components: 1,
        ..Mds::default()
    };
    let map = fit(one, &two);
    let map = map.embedding().unwrap();
    assert!(((map[[0, 0]] - map[[1, 0]]).abs() - 2.0).abs() < 1e-9);
    let outcome = Mds::default().fit(Data::distances(two.view()).unwrap());
    assert!(outcome.unwrap_err().to_string().contains("at most 1"));
    // Rows on a line that comes back: the third coordinate of the start is empty, and needed.
    let ring = Array2::from_shape_fn((12, 12), |(i, j)| {
        let apart = i.abs_diff(j);
        apart.min(12 - apart) as f64
    });
    for scale in [1e-300, 1.0, 1e300] {
        let model = fit(Mds::default(), &(&ring * scale));
        let map = model.embedding().unwrap();
        assert!(map.iter().all(|v| v.is_finite()));
        let value = model.diagnostics().value("normalized_stress").unwrap();
        assert!((0.01..0.3).contains(&value), "{value}");
    }
}

#[test]
fn the_best_of_several_starts_is_taken_also_where_raw_stress_overflows() {
    let matrix = distances(&cloud(30, 6, 17));
    let mds = Mds {
        n_starts: 6,
        init: Initialization::Random,
        max_iterations: 40,
        ..Mds::default()
    };
    let (plain, huge) = (
        fit(mds.clone(), &matrix),
        fit(mds.clone(), &(&matrix * 2_f64.powi(700))),
    );
    assert_eq!(huge.report().best_start, plain.report().best_start);
    assert_ne!(plain.report().best_start, 0);
    let figures = huge.diagnostics();
    assert_eq!(figures.value("stress"), None);
    assert_eq!(figures.value("initial_stress"), None);
    let normalized = |model: &StressModel| model.diagnostics().value("normalized_stress");
    assert_eq!(normalized(&huge), normalized(&plain));
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let matrix = matrix * 1e200;
    mds.fit_with(&run, Data::distances(matrix.view()).unwrap())
        .unwrap();
    let seen = seen.lock().unwrap();
    assert!(
        seen.iter().any(|text| text.contains("raw stress")),
        "{seen:?}"
    );
}

#[test]
fn starts_followed_at_once_are_counted_in_the_plan() {
    let shape = Shape::dense(2000, 5, Precision::Double);
    let bytes = |n_starts| {
        let mds = Mds {
            n_starts,
            nonmetric: true,
            ..Mds::default()
        };
        mds.plan(&shape).unwrap().bytes()
    };
    // Each has a matrix of disparities, and a value for every pair.
    assert!(bytes(4) >= bytes(1) + 3 * 2000 * 2000 * 12);
    assert_eq!(bytes(4), bytes(9));
}

#[test]
fn distances_and_weights_in_column_order_give_the_same_map() {
    let matrix = distances(&cloud(30, 4, 3));
    let weights = Array2::from_shape_fn((30, 30), |(i, j)| 1.0 + ((i + j) % 3) as f64);
    let map = |matrix: &Array2<f64>, weights: &Array2<f64>| {
        let data = Data::distances(matrix.view()).unwrap();
        let data = data.with_pair_weights(weights.view()).unwrap();
        let model = Mds::default().fit(data).unwrap();
        model.embedding().unwrap().to_owned()
    };
    let by_columns = (matrix.t().to_owned(), weights.t().to_owned());
    assert!(!by_columns.0.is_standard_layout());
    assert_eq!(map(&by_columns.0, &by_columns.1), map(&matrix, &weights));
}
