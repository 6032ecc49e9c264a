//! Canonical correlations.

use crate::linear_algebra::least_squares;
use charta::dimension::ComponentCount;
use charta::methods::cca::Cca;
use charta::{Data, Error, Fit, Model, Run, Transform, Views, Warning};
use ndarray::{Array1, Array2, Axis, s};

use super::{assert_near, noise, warned};

/// Views that share two hidden numbers.
fn views(n_rows: usize) -> [Array2<f64>; 3] {
    let hidden = noise(n_rows, 2, 1);
    [(4, 2), (3, 3), (5, 4)].map(|(width, seed)| {
        hidden.dot(&noise(2, width, seed + 10)) + noise(n_rows, width, seed) * 0.7
    })
}

fn two(views: &[Array2<f64>]) -> Data<'_> {
    Data::from(&views[0]).with_view(&views[1]).unwrap()
}

fn all() -> Cca {
    Cca {
        n_components: ComponentCount::All,
        ..Cca::default()
    }
}

#[test]
fn coordinates_have_variance_one_and_the_correlations_promised() {
    let views = views(300);
    let model = all().fit(two(&views)).unwrap();
    let placed = model.embedding().unwrap();
    let centred = &placed - &placed.mean_axis(Axis(0)).unwrap();
    let between = centred.t().dot(&centred) / 299.0;
    let correlations = model.correlations();
    for i in 0..6 {
        for j in 0..6 {
            let want = match (i == j, i % 3 == j % 3) {
                (true, _) => 1.0,
                (_, true) => correlations[i % 3],
                _ => 0.0,
            };
            assert!((between[[i, j]] - want).abs() < 1e-11, "{i} {j}");
        }
    }
    let held_out = model.correlations_of(&Run::new(), &two(&views)).unwrap();
    assert!((held_out - &correlations).iter().all(|d| d.abs() < 1e-11));
}

#[test]
fn units_and_mixtures_of_columns_change_nothing() {
    let views = views(200);
    let want = all().fit(two(&views)).unwrap();
    let mixed = [
        views[0].dot(&noise(4, 4, 90)) * 1e-6 + 3.0,
        &views[1] * &Array1::from(vec![1e5, 1.0, 1e-4]),
    ];
    let found = all().fit(two(&mixed)).unwrap();
    let apart = found.correlations() - want.correlations();
    assert!(apart.iter().all(|d| d.abs() < 1e-9), "{apart}");
}

#[test]
fn prediction_with_all_components_is_least_squares() {
    let views = views(150);
    let model = all().fit(two(&views)).unwrap();
    let run = Run::new();
    for (from, to) in [(0, 1), (1, 0)] {
        let mean = views[from].mean_axis(Axis(0)).unwrap();
        let centred = &views[from] - &mean;
        let target_mean = views[to].mean_axis(Axis(0)).unwrap();
        let solved = least_squares(&centred.view(), &(&views[to] - &target_mean).view());
        let want = centred.dot(&solved) + &target_mean;
        let found = model
            .predict_view_in(&run, from, to, &Data::from(&views[from]))
            .unwrap();
        assert_near("prediction", &found, &want, 1e-10);
    }
    let other = model.predict_view_in(&run, 0, 2, &Data::from(&views[0]));
    assert!(matches!(other, Err(Error::Parameter { .. })));
}

#[test]
fn three_views_are_placed_by_all_columns_or_one_by_one() {
    let views = views(120);
    let data = two(&views).with_view(&views[2]).unwrap();
    let model = Cca::default().fit(data).unwrap();
    assert_eq!(model.widths(), [4, 3, 5]);
    assert_eq!(model.n_columns(), 12);
    assert_eq!(
        model.component_names().unwrap(),
        [
            "view1_1", "view1_2", "view2_1", "view2_2", "view3_1", "view3_2"
        ]
    );
    let side_by_side = ndarray::concatenate![Axis(1), views[0], views[1], views[2]];
    let placed = model.transform(&side_by_side).unwrap();
    assert_near(
        "side by side",
        &placed,
        &model.embedding().unwrap().to_owned(),
        1e-12,
    );
    let run = Run::new();
    for (view, rows) in views.iter().enumerate() {
        let alone = model
            .transform_view_in(&run, view, &Data::from(rows))
            .unwrap();
        let part = placed.slice(s![.., view * 2..view * 2 + 2]).to_owned();
        assert_near("one view", &alone, &part, 1e-12);
    }
    let figures = model.diagnostics();
    let pairs = model.pairwise_correlations();
    assert_eq!(pairs.dim(), (2, 3));
    let means = pairs.mean_axis(Axis(1)).unwrap();
    assert_eq!(figures.values("correlations"), Some(&means));
    assert!(means[0] > 0.7, "{means}");
    // The pair in the middle is that of views 1 and 3.
    let column = |view: usize| placed.column(view * 2).to_owned();
    let (a, c) = (column(0), column(2));
    let (a, c) = (&a - a.mean().unwrap(), &c - c.mean().unwrap());
    let want = a.dot(&c) / (a.dot(&a) * c.dot(&c)).sqrt();
    assert!((pairs[[0, 1]] - want).abs() < 1e-12);
}

#[test]
fn redundancy_is_explained_variance_times_squared_correlation() {
    let views = views(100);
    let model = all().fit(two(&views)).unwrap();
    let loadings = model.loadings();
    let shares = model.explained_variance_ratio();
    let own: f64 = (4..7).map(|column| loadings[[3, column]].powi(2)).sum();
    assert!((shares[[1, 0]] - own / 3.0).abs() < 1e-14);
    // All coordinates of a view that has as many as columns explain all of it.
    assert!((shares.row(1).sum() - 1.0).abs() < 1e-10);
    let want = shares[[1, 0]] * model.correlations()[0].powi(2);
    assert!((model.redundancy()[[1, 0]] - want).abs() < 1e-14);
    // Loadings across views are loadings times correlation.
    let across = loadings[[0, 5]] / loadings[[3, 5]];
    assert!((across - model.correlations()[0]).abs() < 1e-10);
}

#[test]
fn identical_views_correlate_perfectly() {
    let x = noise(50, 3, 5);
    let model = all().fit(Data::from(&x).with_view(&x).unwrap()).unwrap();
    let correlations = model.correlations();
    assert!(correlations.iter().all(|&r| r <= 1.0 && r > 1.0 - 1e-12));
    let data = Data::from(&x).with_view(&x).unwrap().with_view(&x).unwrap();
    let model = all().fit(data).unwrap();
    assert!(
        model
            .correlations()
            .iter()
            .all(|&r| r <= 1.0 && r > 1.0 - 1e-12)
    );
    assert!((model.diagnostics().values("eigenvalues").unwrap()[0] - 3.0).abs() < 1e-12);
}

#[test]
fn one_column_a_view_is_the_plain_correlation() {
    let x = noise(80, 2, 6);
    let y = &x.column(0) * -2.0 + x.column(1);
    let y = y.insert_axis(Axis(1));
    let first = x.slice(s![.., ..1]);
    let data = Data::from(first).with_view(&y).unwrap();
    let model = Cca::default().fit(data).unwrap();
    let centre = |v: ndarray::ArrayView1<'_, f64>| &v - v.mean().unwrap();
    let (a, b) = (centre(first.column(0)), centre(y.column(0)));
    let want = (a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()).abs();
    assert_eq!(model.n_components(), 2);
    assert!((model.correlations()[0] - want).abs() < 1e-14);
}

#[test]
fn dependent_and_constant_columns_are_left_out_and_said() {
    let mut views = views(90);
    let want = Cca::default().fit(two(&views)).unwrap().correlations();
    let extra = views[0].column(0).to_owned() - views[0].column(2);
    let flat = Array1::from_elem(90, 0.1);
    views[0].push_column(extra.view()).unwrap();
    views[0].push_column(flat.view()).unwrap();
    for standardize in [true, false] {
        let cca = Cca {
            standardize,
            ..Cca::default()
        };
        let (model, warnings) = warned(|run| cca.fit_with(run, two(&views)).unwrap());
        assert_eq!(model.diagnostics().values("view_ranks").unwrap()[0], 4.0);
        assert!(
            (model.correlations() - &want)
                .iter()
                .all(|d| d.abs() < 1e-10)
        );
        assert_eq!(
            warnings,
            [Warning::ConstantColumns {
                count: 1,
                first: 5.into()
            }]
        );
        assert!(model.weights(0).column(5).iter().all(|&w| w == 0.0));
    }
    let cca = Cca {
        n_components: ComponentCount::Count(4),
        ..Cca::default()
    };
    let error = cca.fit(two(&views)).unwrap_err().to_string();
    assert_eq!(
        error,
        "`n_components` must be at most 3, because view 2 varies in 3 directions, got 4"
    );
    views[1].fill(2.5);
    let error = Cca::default().fit(two(&views)).unwrap_err().to_string();
    assert!(error.starts_with("view 2 does not vary"), "{error}");
}

#[test]
fn more_directions_than_rows_allow_are_a_warning_that_ridge_answers() {
    let (x, y) = (noise(30, 40, 7), noise(30, 20, 8));
    let data = Data::from(&x).with_view(&y).unwrap();
    let (model, warnings) = warned(|run| Cca::default().fit_with(run, &data).unwrap());
    assert!(model.correlations().iter().all(|&r| r > 1.0 - 1e-9));
    let [warning @ Warning::Doubtful { .. }] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    let text = warning.to_string();
    assert!(
        text.starts_with("the first 20 correlations are 1 whatever the data")
            && text.contains("`ridge`"),
        "{text}"
    );
    let ridge = Cca {
        ridge: vec![1.0],
        ..Cca::default()
    };
    let (model, warnings) = warned(|run| ridge.fit_with(run, &data).unwrap());
    assert_eq!(warnings, []);
    let (new_x, new_y) = (noise(200, 40, 9), noise(200, 20, 10));
    let new = Data::from(&new_x).with_view(&new_y).unwrap();
    let held_out = model.correlations_of(&Run::new(), &new).unwrap();
    assert!(held_out.iter().all(|r| r.abs() < 0.3), "{held_out}");
    // A tall ridge leads to directions of largest covariance.
    assert!(model.correlations()[0] < 1.0);
}

#[test]
fn ridge_is_one_number_or_one_for_each_view() {
    let views = views(60);
    let with = |ridge: &[f64]| Cca {
        ridge: ridge.to_vec(),
        ..Cca::default()
    };
    let error = with(&[0.1, 0.2, 0.3])
        .fit(two(&views))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "`ridge` must be one number, or one for each of the 2 views, got 0.1,0.2,0.3"
    );
    assert!(with(&[]).fit(two(&views)).is_err());
    let uneven = with(&[0.0, 2.0]).fit(two(&views)).unwrap();
    let weights = uneven.weights(1);
    let y = &views[1] - &views[1].mean_axis(Axis(0)).unwrap();
    let deviations = views[1].std_axis(Axis(0), 1.0);
    let y = y / &deviations;
    let c = y.t().dot(&y) / 59.0 + Array2::<f64>::eye(3) * 2.0;
    let w = &weights.row(0) * &deviations;
    assert!((w.dot(&c.dot(&w)) - 1.0).abs() < 1e-12);
}

#[test]
fn tolerance_leaves_out_weak_directions() {
    let mut views = views(100);
    let weak = views[0].column(0).to_owned() + noise(100, 1, 77).column(0).to_owned() * 1e-4;
    views[0].column_mut(1).assign(&weak);
    let rank = |tolerance| {
        let cca = Cca {
            tolerance,
            ..Cca::default()
        };
        let model = cca.fit(two(&views)).unwrap();
        model.diagnostics().values("view_ranks").unwrap()[0]
    };
    assert_eq!((rank(0.0), rank(1e-6)), (4.0, 3.0));
}

#[test]
fn values_that_are_not_finite_are_found_in_any_view() {
    let mut views = views(40);
    views[1][[7, 2]] = f64::INFINITY;
    let error = Cca::default().fit(two(&views)).unwrap_err();
    assert!(
        matches!(&error, Error::NotFinite { row: 7, column, .. } if column.index == 6),
        "{error}"
    );
    views[1][[7, 2]] = 0.0;
    let model = Cca::default().fit(two(&views)).unwrap();
    views[1][[3, 0]] = f64::NAN;
    let error = model.transform(two(&views)).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 3, .. }), "{error}");
    let run = Run::new();
    let alone = model.transform_view_in(&run, 1, &Data::from(&views[1]));
    assert!(matches!(alone, Err(Error::NotFinite { row: 3, .. })));
    let [x, y] = [&views[0], &views[2]].map(|view| view.slice(s![..1, ..]));
    let one = Data::from(x).with_view(y).unwrap();
    assert!(matches!(
        Cca::default().fit(one),
        Err(Error::TooFewRows { .. })
    ));
}

#[test]
fn single_precision_far_from_zero_varies_all_the_same() {
    let near = views(400);
    let far: Vec<Array2<f32>> = near
        .iter()
        .map(|view| view.mapv(|value| (1e7 + 3.0 * value) as f32))
        .collect();
    let (model, warnings) = warned(|run| {
        let data = Data::from(&far[0]).with_view(&far[1]).unwrap();
        Cca::default().fit_with(run, data).unwrap()
    });
    assert!(warnings.is_empty(), "{warnings:?}");
    let want = Cca::default().fit(two(&near)).unwrap().correlations();
    let apart = (model.correlations() - want).mapv(f64::abs);
    // Values are rounded to whole numbers: a tenth of their deviation.
    assert!(apart.iter().all(|&d| d < 0.05), "{apart}");
}
