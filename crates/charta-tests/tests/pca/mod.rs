//! What PCA promises beyond agreeing with a reference: every route, every option, every invariance.

mod edges;

use crate::linear_algebra::orthonormal_columns;
use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::{OwnedFeatures, Scaler, Scaling};
use charta::dimension::{Components, Scree, ScreeOptions};
use charta::methods::pca::incremental::IncrementalPca;
use charta::methods::pca::{Missing, Pca, Solver};
use charta::random::{normal, stream};
use charta::{
    Data, Error, Event, Features, Fit, InverseTransform, Model, RowErrors, Run, Transform, Warning,
};
use ndarray::{Array1, Array2, Axis, s};

const SOLVERS: [Solver; 4] = [
    Solver::Covariance,
    Solver::Dual,
    Solver::Svd,
    Solver::Randomized,
];

/// Rows with a few strong directions among weaker ones.
fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut numbers = stream(3, 0);
    let mixing = Array2::from_shape_fn((n_columns, n_columns), |_| normal(&mut numbers));
    let sources = Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
        normal(&mut numbers) * 5.0 / (1.0 + j as f64)
    });
    sources.dot(&mixing) + 2.0
}

fn pca(n_components: usize) -> Pca {
    Pca {
        n_components: Components::Count(n_components),
        ..Pca::default()
    }
}

/// The largest difference, as a fraction of the largest entry.
fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let largest = |x: &Array2<f64>| x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    largest(&(a - b)) / largest(b)
}

fn embedding(model: &impl Model) -> Array2<f64> {
    model.embedding().unwrap().to_owned()
}

fn warnings_of(pca: &Pca, x: &Array2<f64>) -> Vec<Warning> {
    let heard = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            heard.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    pca.fit_with(&Run::new().observer(&listen), x).unwrap();
    heard.into_inner().unwrap()
}

#[test]
fn every_route_gives_the_same_bits_for_any_number_of_threads() {
    // Large enough that factorizations and products run in parallel inside.
    for (n_rows, n_columns) in [(700, 260), (240, 420)] {
        let double = sample(n_rows, n_columns);
        let single = double.mapv(|value| value as f32);
        for solver in SOLVERS {
            let method = Pca { solver, ..pca(5) };
            let bits = |threads: usize, data: Data<'_>| {
                let run = Run::new().threads(threads).unwrap();
                let model = method.fit_with(&run, &data).unwrap();
                let figures = model.diagnostics().to_json().to_string();
                (embedding(&model).mapv(f64::to_bits), figures)
            };
            for threads in [2, 3, 7] {
                assert!(bits(1, Data::from(&double)) == bits(threads, Data::from(&double)));
                assert!(bits(1, Data::from(&single)) == bits(threads, Data::from(&single)));
            }
        }
    }
}

#[test]
fn the_routes_agree_with_each_other() {
    for (n_rows, n_columns) in [(300, 40), (40, 300)] {
        let x = sample(n_rows, n_columns);
        let want = pca(6).fit(&x).unwrap();
        for solver in SOLVERS {
            let model = Pca { solver, ..pca(6) }.fit(&x).unwrap();
            assert!(
                apart(&embedding(&model), &embedding(&want)) < 1e-7,
                "{solver}"
            );
            assert!(
                apart(model.components(), want.components()) < 1e-7,
                "{solver}"
            );
        }
    }
}

#[test]
fn moving_and_turning_the_data_moves_and_turns_the_axes_only() {
    let x = sample(200, 8);
    let model = pca(3).fit(&x).unwrap();
    let moved = pca(3).fit(&(&x + 1e3)).unwrap();
    assert!(apart(&embedding(&moved), &embedding(&model)) < 1e-9);
    let stretched = pca(3).fit(&(&x * 7.0)).unwrap();
    assert!(apart(&(embedding(&stretched) / 7.0), &embedding(&model)) < 1e-12);
    let turn = orthonormal_columns(&sample(8, 8));
    let turned = pca(3).fit(&x.dot(&turn)).unwrap();
    let lengths = |m: &Array2<f64>| m.mapv(f64::abs);
    assert!(apart(&lengths(&embedding(&turned)), &lengths(&embedding(&model))) < 1e-10);
    let order: Vec<usize> = (0..200).rev().collect();
    let reversed = pca(3).fit(&x.select(Axis(0), &order)).unwrap();
    assert!(
        apart(
            &embedding(&reversed).select(Axis(0), &order),
            &embedding(&model)
        ) < 1e-10
    );
}

#[test]
fn all_components_lead_back_to_the_data() {
    let x = sample(100, 7);
    for whiten in [false, true] {
        for standardize in [false, true] {
            let method = Pca {
                whiten,
                standardize,
                ..pca(7)
            };
            let model = method.fit(&x).unwrap();
            let back = model
                .inverse_transform(&model.embedding().unwrap())
                .unwrap();
            assert!(apart(&back, &x) < 1e-10);
            let errors = model.row_errors(&x).unwrap();
            assert!(errors.iter().all(|error| *error < 1e-12));
        }
    }
}

#[test]
fn whitened_coordinates_have_variance_one_and_population_divides_by_n() {
    let x = sample(150, 6);
    let whitened = Pca {
        whiten: true,
        ..pca(4)
    };
    let map = embedding(&whitened.fit(&x).unwrap());
    for variance in map.var_axis(Axis(0), 1.0) {
        assert!((variance - 1.0).abs() < 1e-10);
    }
    let sample_variance = pca(4).fit(&x).unwrap().explained_variance().clone();
    let population = Pca {
        population: true,
        ..pca(4)
    };
    let ours = population.fit(&x).unwrap().explained_variance() * (150.0 / 149.0);
    assert!((ours - sample_variance).iter().all(|d| d.abs() < 1e-10));
}

#[test]
fn standardised_variances_add_up_to_the_columns_and_constant_ones_are_named() {
    let mut x = sample(80, 5);
    x.column_mut(3).fill(0.1);
    let method = Pca {
        standardize: true,
        ..pca(5)
    };
    let model = method.fit(&x).unwrap();
    // Columns are divided with n, variances with n − 1, as scikit-learn's StandardScaler and PCA do.
    assert!((model.report().total_variance - 4.0 * 80.0 / 79.0).abs() < 1e-10);
    let population = Pca {
        population: true,
        ..method.clone()
    };
    let model = population.fit(&x).unwrap();
    assert!((model.report().total_variance - 4.0).abs() < 1e-10);
    let warnings = warnings_of(&method, &x);
    assert!(
        warnings
            .iter()
            .any(|w| matches!(w, Warning::ConstantColumns { count: 1, first } if first.index == 3))
    );
    assert!(warnings.contains(&Warning::RankDeficient {
        requested: 5,
        rank: 4
    }));
}

#[test]
fn standardising_gives_the_coordinates_of_z_scores_and_loadings_that_are_correlations() {
    let x = sample(80, 5);
    let scaler = Scaler::fit(Scaling::ZScore, &Features::from(&x)).unwrap();
    let mut scaled = OwnedFeatures::F64(x.clone());
    scaler.apply(&mut scaled).unwrap();
    for solver in SOLVERS {
        let plain = Pca { solver, ..pca(3) };
        let method = Pca {
            standardize: true,
            ..plain.clone()
        };
        let model = method.fit(&x).unwrap();
        let map = embedding(&model);
        let want = embedding(&plain.fit(&scaled).unwrap());
        assert!(apart(&map, &want) < 1e-10, "{solver}");
        let centred = |v: ndarray::ArrayView1<'_, f64>| &v - v.mean().unwrap();
        for (k, coordinates) in map.columns().into_iter().enumerate() {
            for (j, column) in x.columns().into_iter().enumerate() {
                let (a, b) = (centred(column), centred(coordinates));
                let correlation = a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt();
                let loading = model.loadings()[[k, j]];
                assert!(
                    (loading - correlation).abs() < 1e-9,
                    "{loading} {correlation}"
                );
            }
        }
    }
}

#[test]
fn trimming_takes_the_axes_back_from_a_few_far_rows() {
    let clean = sample(300, 5);
    let want = pca(2).fit(&clean).unwrap();
    let mut corrupted = clean.clone();
    let mut numbers = stream(8, 0);
    for i in (0..300).step_by(30) {
        for j in 0..5 {
            corrupted[[i, j]] = 1e4 * normal(&mut numbers);
        }
    }
    let turned = |model: &charta::methods::pca::PcaModel| {
        let same = model.components().row(0).dot(&want.components().row(0));
        same.abs()
    };
    assert!(turned(&pca(2).fit(&corrupted).unwrap()) < 0.95);
    let trimmed = Pca {
        trim: 0.05,
        ..pca(2)
    };
    let model = trimmed.fit(&corrupted).unwrap();
    assert!(turned(&model) > 0.99, "{}", turned(&model));
    assert_eq!(model.report().rows_left_out.len(), 15);
    assert_eq!(embedding(&model).nrows(), 300);
}

#[test]
fn missing_values_are_estimated_close_to_the_truth() {
    let mut numbers = stream(4, 0);
    // Two strong directions and little noise: what is missing can be told from the rest.
    let hidden = Array2::from_shape_fn((250, 2), |_| normal(&mut numbers));
    let mixing = Array2::from_shape_fn((2, 8), |_| normal(&mut numbers));
    let noise = Array2::from_shape_fn((250, 8), |_| 0.01 * normal(&mut numbers));
    let truth = hidden.dot(&mixing) + noise + 3.0;
    let mut holes = truth.clone();
    for i in 0..250 {
        if i % 2 == 0 {
            holes[[i, (i * 7) % 8]] = f64::NAN;
            holes[[i, (i * 3 + 1) % 8]] = f64::NAN;
        }
    }
    let error = pca(2).fit(&holes).unwrap_err();
    assert!(error.to_string().contains("missing = em"), "{error}");
    let method = Pca {
        missing: Missing::Em,
        ..pca(2)
    };
    let model = method.fit(&holes).unwrap();
    let whole = pca(2).fit(&truth).unwrap();
    assert!(apart(&embedding(&model), &embedding(&whole)) < 0.02);
    assert_eq!(
        model.report().n_missing,
        holes.iter().filter(|v| v.is_nan()).count()
    );
    let placed = model
        .transform(&holes.slice(s![..10, ..]).to_owned())
        .unwrap();
    assert!(apart(&placed, &embedding(&model).slice(s![..10, ..]).to_owned()) < 1e-9);
    let bytes = charta::pipeline::save(&method, &model).unwrap();
    let (again, loaded) = charta::pipeline::load::<Pca>(&bytes).unwrap();
    assert_eq!(again, method);
    assert_eq!(
        loaded.transform(&holes).unwrap(),
        model.transform(&holes).unwrap()
    );
}

#[test]
fn a_column_or_a_table_without_any_value_is_an_error() {
    let mut x = sample(20, 3);
    x.column_mut(1).fill(f64::NAN);
    let method = Pca {
        missing: Missing::Em,
        ..pca(1)
    };
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.contains("column 1 has no values"), "{text}");
    x.column_mut(1).fill(f64::INFINITY);
    assert!(method.fit(&x).is_err());
}

#[test]
fn what_cannot_be_combined_says_so() {
    let x = sample(50, 6);
    let ruled = Pca {
        n_components: Components::Elbow,
        solver: Solver::Randomized,
        ..Pca::default()
    };
    assert!(matches!(ruled.fit(&x), Err(Error::Parameter { .. })));
    let trimmed = Pca {
        trim: 0.1,
        ..pca(2)
    };
    let mut batches = charta::data::RowBatches::new(&x, 10);
    let error = trimmed.fit_batches(&Run::new(), &mut batches).unwrap_err();
    assert!(error.to_string().contains("`trim`"), "{error}");
    let text = pca(7).fit(&x).unwrap_err().to_string();
    assert_eq!(
        text,
        "`n_components` must be at most 6, because the data has 50 rows and 6 columns, got 7"
    );
}

#[test]
fn partial_fits_merge_to_the_whole_in_any_order() {
    let x = sample(500, 6);
    let features = Features::from(&x);
    let method = IncrementalPca {
        n_components: Components::Count(3),
        ..IncrementalPca::default()
    };
    let mut parts: Vec<_> = [(300, 500), (0, 120), (120, 300)]
        .map(|(start, end)| {
            let mut part = method.partial(6);
            part.add(&Data::new(features.rows(start, end))).unwrap();
            part
        })
        .to_vec();
    let mut whole = parts.remove(0);
    for part in &parts {
        whole.merge(part).unwrap();
    }
    let want = pca(3).fit(&x).unwrap();
    let model = whole.model().unwrap();
    assert!(apart(model.components(), want.components()) < 1e-10);
    let mut bad = x.slice(s![..4, ..]).to_owned();
    bad[[2, 1]] = f64::NAN;
    assert!(whole.add(&Data::from(&bad)).is_err());
    assert_eq!(
        whole.model().unwrap().report().n_rows,
        500,
        "a bad batch must not count"
    );
    assert!(whole.merge(&method.partial(5)).is_err());
}

#[test]
fn batches_in_single_precision_stay_exact() {
    let x = sample(3000, 20).mapv(|value| value as f32);
    let want = pca(4).fit(&x).unwrap();
    let mut batches = charta::data::RowBatches::new(&x, 333);
    let model = pca(4).fit_batches(&Run::new(), &mut batches).unwrap();
    let ours: &Array1<f64> = model.explained_variance();
    let ratio = ours / want.explained_variance();
    assert!(ratio.iter().all(|r| (r - 1.0).abs() < 1e-6), "{ratio}");
}

#[test]
fn the_scree_report_puts_the_rules_side_by_side() {
    let x = sample(400, 12);
    let report = Scree::of(&Run::new(), &Data::from(&x), &ScreeOptions::default()).unwrap();
    assert_eq!(report.variances.len(), 12);
    assert!((report.variances.sum() - report.total).abs() < 1e-9 * report.total);
    let of_rule = |rule: &str| {
        let found = report.suggestions.iter().find(|s| s.rule == rule);
        found.unwrap().n_components.unwrap()
    };
    for (rule, n_components) in [
        ("proportion 0.9", Components::Proportion(0.9)),
        ("elbow", Components::Elbow),
        ("parallel", Components::Parallel),
        ("mle", Components::Mle),
    ] {
        let method = Pca {
            n_components,
            ..Pca::default()
        };
        assert_eq!(
            of_rule(rule),
            method.fit(&x).unwrap().n_components(),
            "{rule}"
        );
    }
    let (least, most) = report.agreement().unwrap();
    assert!(least >= 1 && most <= 12);
}
