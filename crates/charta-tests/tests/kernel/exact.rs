//! Exact kernel PCA.

use crate::linear_algebra::symmetric;
use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::SparseRows;
use charta::kernel::{Gamma, KernelKind};
use charta::methods::pca::Pca;
use charta::model::RowErrors;
use charta::{Data, Error, Event, Fit, Model, Run, Transform, Warning};
use ndarray::{Array2, Axis, array, s};

use super::{apart, centred, cloud, method, squares};

/// The kernel matrix of a model, by the formula.
fn formula(model: &charta::model::KernelMap, a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let spec = model.kernel();
    Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
        spec.between(&a.row(i).to_vec(), &b.row(j).to_vec())
    })
}

#[test]
fn coordinates_and_errors_follow_from_the_centred_matrix() {
    let (x, new) = (cloud(120, 6, 1), cloud(9, 6, 2));
    for kind in [
        KernelKind::Linear,
        KernelKind::Polynomial,
        KernelKind::Rbf,
        KernelKind::Laplacian,
        KernelKind::Cosine,
    ] {
        let model = method(kind, 3).fit(&x).unwrap();
        let kernel = formula(&model, &x, &x);
        let all = symmetric(&centred(&kernel).view());
        let figures = model.diagnostics();
        let trace: f64 = all.values.sum();
        for place in 0..3 {
            let value = model.eigenvalues()[place];
            assert!((value - all.values[place]).abs() < 1e-10 * all.values[0]);
            let share = figures.values("explained_variance_ratio").unwrap()[place];
            assert!((share - value / trace).abs() < 1e-9);
        }
        let vectors = all.vectors.slice(s![..3, ..]).t().to_owned();
        let want = &vectors * &all.values.slice(s![..3]).mapv(f64::sqrt);
        let embedding = model.embedding().unwrap().to_owned();
        assert!(apart(&embedding, &want) < 1e-9, "{kind:?}");
        assert!(apart(&model.transform(&x).unwrap(), &embedding) < 1e-9);

        // The centred kernels of new rows by Schölkopf's formula, K' − 1'K − K'1 + 1'K1.
        let to = formula(&model, &new, &x);
        let means = kernel.mean_axis(Axis(0)).unwrap();
        let own = to.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
        let to_centred = &to - &means - &own + kernel.mean().unwrap();
        let weights = &vectors / &all.values.slice(s![..3]).mapv(f64::sqrt);
        let placed = model.transform(&new).unwrap();
        assert!(apart(&placed, &to_centred.dot(&weights)) < 1e-9, "{kind:?}");
        let errors = model.row_errors(&new).unwrap();
        for row in 0..9 {
            let line = new.row(row).to_vec();
            let spec = model.kernel();
            let length = spec.between(&line, &line) - 2.0 * own[[row, 0]] + kernel.mean().unwrap();
            let want = length - squares(&placed)[row];
            assert!((errors[row] - want).abs() < 1e-9, "{kind:?}");
        }
        let mean = model.row_errors(&x).unwrap().mean().unwrap();
        assert!((figures.value("mean_reconstruction_error").unwrap() - mean).abs() < 1e-9);
        assert!((mean - (trace - model.eigenvalues().sum()) / 120.0).abs() < 1e-9);
    }
}

#[test]
fn distances_are_lost_by_the_mean_over_all_pairs() {
    let x = cloud(60, 4, 3);
    let model = method(KernelKind::Rbf, 2).fit(&x).unwrap();
    let kernel = formula(&model, &x, &x);
    let embedding = model.embedding().unwrap();
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..60 {
        for j in 0..i {
            let apart = &embedding.row(i) - &embedding.row(j);
            sum += kernel[[i, i]] + kernel[[j, j]] - 2.0 * kernel[[i, j]] - apart.dot(&apart);
            count += 1.0;
        }
    }
    let reported = model.diagnostics().value("distance_loss").unwrap();
    assert!((reported - sum / count).abs() < 1e-10);
}

#[test]
fn a_power_of_two_is_pca_of_all_products_of_two_columns() {
    let x = cloud(200, 3, 4);
    let mut square = method(KernelKind::Polynomial, 4);
    (square.kernel.degree, square.kernel.gamma) = (2, Gamma::Value(1.0));
    let model = square.fit(&x).unwrap();
    // (a·b + 1)² is the inner product of 1, √2 aᵢ, aᵢ², √2 aᵢ aⱼ.
    let features = Array2::from_shape_fn((200, 9), |(row, column)| {
        let a = x.row(row);
        let root = 2.0_f64.sqrt();
        match column {
            0..3 => root * a[column],
            3..6 => a[column - 3] * a[column - 3],
            _ => root * a[column - 6] * a[(column - 5) % 3],
        }
    });
    let pca = Pca {
        n_components: charta::dimension::Components::Count(4),
        ..Pca::default()
    };
    let want = pca.fit(&features).unwrap();
    let embedding = model.embedding().unwrap().to_owned();
    assert!(apart(&embedding, &want.embedding().unwrap().to_owned()) < 1e-9);
    let lengths = squares(&(&features - &features.mean_axis(Axis(0)).unwrap()));
    let left = lengths - squares(&embedding);
    let errors = model.row_errors(&x).unwrap();
    assert!((&errors - &left).iter().all(|v| v.abs() < 1e-9));
}

#[test]
fn errors_of_the_linear_kernel_are_the_residuals_of_pca() {
    let (x, new) = (cloud(700, 5, 5) + 3.0, cloud(20, 5, 6));
    let model = method(KernelKind::Linear, 2).fit(&x).unwrap();
    let pca = Pca::default().fit(&x).unwrap();
    use charta::InverseTransform;
    let back = pca
        .inverse_transform(&pca.transform(&new).unwrap().view())
        .unwrap();
    let want = squares(&(&new - &back));
    let errors = model.row_errors(&new).unwrap();
    assert!((&errors - &want).iter().all(|v| v.abs() < 1e-8));
    assert!(
        apart(
            &model.transform(&new).unwrap(),
            &pca.transform(&new).unwrap()
        ) < 1e-8
    );
}

#[test]
fn many_rows_single_precision_and_sparse_rows_agree() {
    let x = cloud(900, 8, 7).mapv(|v| if v.abs() < 0.2 { 0.0 } else { v });
    let want = method(KernelKind::Rbf, 4).fit(&x).unwrap();
    let embedding = want.embedding().unwrap().to_owned();
    let all = symmetric(&centred(&formula(&want, &x, &x)).view());
    let gap = (&all.values.slice(s![..4]) - want.eigenvalues()).mapv(f64::abs);
    assert!(gap.iter().all(|&v| v < 1e-9));
    let single = x.mapv(|v| v as f32);
    let model = method(KernelKind::Rbf, 4).fit(&single).unwrap();
    assert!(apart(&model.embedding().unwrap().to_owned(), &embedding) < 1e-4);
    let entries = x.indexed_iter().filter(|(_, v)| **v != 0.0);
    let entries = entries.map(|((i, j), v)| (i, j, *v)).collect();
    let sparse = SparseRows::from_entries(900, 8, entries).unwrap();
    let model = method(KernelKind::Rbf, 4).fit(&sparse).unwrap();
    assert!(apart(&model.embedding().unwrap().to_owned(), &embedding) < 1e-7);
    assert!(apart(&model.transform(&x).unwrap(), &embedding) < 1e-7);
}

#[test]
fn matrices_and_functions_give_what_their_kernel_gives() {
    let (x, new) = (cloud(80, 4, 8), cloud(5, 4, 9));
    let want = method(KernelKind::Rbf, 3).fit(&x).unwrap();
    let placed = want.transform(&new).unwrap();
    let errors = want.row_errors(&new).unwrap();
    let (kernel, to) = (formula(&want, &x, &x), formula(&want, &new, &x));
    let given = Data::kernel(kernel.view()).unwrap();
    let model = method(KernelKind::Linear, 3).fit(given).unwrap();
    let ones = ndarray::Array1::ones(5);
    let rows = Data::kernel_to(to.view()).unwrap();
    assert!(apart(&model.transform(rows.clone()).unwrap(), &placed) < 1e-9);
    assert!(model.row_errors(rows.clone()).is_err());
    let rows = rows.with_own_kernel(ones.view()).unwrap();
    let reported = model.row_errors(rows).unwrap();
    assert!((&reported - &errors).iter().all(|v| v.abs() < 1e-9));
    assert!(model.transform(&new).is_err());

    let spec = *want.kernel();
    let function = move |a: &[f64], b: &[f64]| spec.between(a, b);
    let data = Data::from(&x).with_kernel(&function);
    let model = method(KernelKind::Linear, 3).fit(data).unwrap();
    let rows = Data::from(&new).with_kernel(&function);
    assert!(apart(&model.transform(rows.clone()).unwrap(), &placed) < 1e-9);
    let reported = model.row_errors(rows).unwrap();
    assert!((&reported - &errors).iter().all(|v| v.abs() < 1e-9));
    assert!(model.transform(&new).is_err());
}

fn warnings<T>(work: impl FnOnce(&Run<'_>) -> T) -> (T, Vec<Warning>) {
    let seen = Mutex::new(Vec::new());
    let observer = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let result = work(&Run::new().observer(&observer));
    (result, seen.into_inner().unwrap())
}

#[test]
fn components_beyond_the_rank_are_zero_and_indefinite_kernels_are_told() {
    let x = cloud(40, 2, 10);
    let (model, seen) = warnings(|run| method(KernelKind::Linear, 5).fit_with(run, &x).unwrap());
    assert!(matches!(
        seen[0],
        Warning::RankDeficient {
            requested: 5,
            rank: 2
        }
    ));
    let embedding = model.embedding().unwrap();
    assert!(embedding.slice(s![.., 2..]).iter().all(|&v| v == 0.0));
    assert!(
        model
            .transform(&x)
            .unwrap()
            .slice(s![.., 2..])
            .iter()
            .all(|&v| v == 0.0)
    );
    assert!(model.row_errors(&x).unwrap().iter().all(|&v| v < 1e-9));
    for n in [40, 900] {
        // The eigenvalues of the matrix are 1 and −1 on two halves of an orthogonal basis.
        let signs = Array2::from_shape_fn((n, n), |(i, j)| match (i == j, i < n / 2) {
            (true, true) => 2.0,
            (true, false) => -1.0,
            _ => 0.0,
        });
        let data = Data::kernel(signs.view()).unwrap();
        let (model, seen) =
            warnings(|run| method(KernelKind::Linear, 2).fit_with(run, data).unwrap());
        let share = model.diagnostics().value("negative_fraction").unwrap();
        assert!((share - 1.0 / 3.0).abs() < 0.05, "{share}");
        assert!(
            seen.iter()
                .any(|w| w.to_string().contains("not positive semidefinite"))
        );
    }
}

#[test]
fn rows_that_are_the_same_are_refused() {
    let x = Array2::<f64>::ones((10, 3));
    let mut rbf = method(KernelKind::Rbf, 1);
    assert!(matches!(rbf.fit(&x), Err(Error::Degenerate { .. })));
    rbf.kernel.gamma = Gamma::Value(1.0);
    assert!(matches!(rbf.fit(&x), Err(Error::Degenerate { .. })));
    let one = array![[1.0, 2.0]];
    assert!(matches!(rbf.fit(&one), Err(Error::TooFewRows { .. })));
    let x = cloud(10, 2, 1);
    let reported = method(KernelKind::Rbf, 10).fit(&x).unwrap_err().to_string();
    assert!(reported.contains("at most 9"), "{reported}");
}

#[test]
fn two_rings_fall_apart_under_a_gaussian_and_gamma_is_validated_by_classes() {
    let ring = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 3.0 };
    let x = Array2::from_shape_fn((300, 2), |(i, j)| {
        let angle = i as f64 * 2.399_963;
        ring(i) * if j == 0 { angle.cos() } else { angle.sin() }
    });
    let classes: Vec<i64> = (0..300).map(|i| i % 2).collect();
    let data = Data::from(&x).with_labels(charta::Labels::numbers(
        classes.iter().map(|&c| c as f64).collect::<Vec<f64>>(),
    ));
    let mut rbf = method(KernelKind::Rbf, 2);
    rbf.kernel.gamma = Gamma::Validated;
    let model = rbf.fit(data.unwrap()).unwrap();
    let figures = model.diagnostics();
    assert_eq!(figures.values("gammas_tried").unwrap().len(), 9);
    let best = figures
        .values("scores")
        .unwrap()
        .iter()
        .copied()
        .fold(0.0, f64::max);
    assert!(best > 0.99, "{best}");
    let chosen = figures.value("gamma").unwrap();
    let tried = figures.values("gammas_tried").unwrap();
    let place = tried.iter().position(|&gamma| gamma == chosen).unwrap();
    assert_eq!(figures.values("scores").unwrap()[place], best);
}

#[test]
fn gamma_is_validated_by_pre_images_without_classes() {
    // A noisy ring in five columns.
    let noise = cloud(150, 5, 11) * 0.1;
    let x = Array2::from_shape_fn((150, 5), |(i, j)| {
        let angle = i as f64 * 2.399_963;
        noise[[i, j]] + [angle.cos(), angle.sin(), 0.0, 0.0, 0.0][j]
    });
    let mut rbf = method(KernelKind::Rbf, 4);
    rbf.kernel.gamma = Gamma::Validated;
    let model = rbf.fit(&x).unwrap();
    let figures = model.diagnostics();
    let (tried, scores) = (
        figures.values("gammas_tried").unwrap(),
        figures.values("scores").unwrap(),
    );
    let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let place = scores.iter().position(|&score| score == best).unwrap();
    assert_eq!(figures.value("gamma").unwrap(), tried[place]);
    // The best width keeps most of the ring: its rows have squared length 1.
    assert!(best < 0.2 && best < scores[8], "{scores}");
    assert!(matches!(
        figures.get("criterion"),
        Some(charta::model::Figure::Text(text)) if text.contains("pre-image")
    ));
    rbf.kernel.kernel = KernelKind::Linear;
    assert!(rbf.fit(&x).is_err());
}

#[test]
fn a_matrix_not_quite_the_same_both_ways_is_evened_out() {
    let x = cloud(700, 5, 12);
    let spec = *(method(KernelKind::Rbf, 3).fit(&x).unwrap()).kernel();
    let rows: Vec<Vec<f64>> = x.rows().into_iter().map(|row| row.to_vec()).collect();
    let noise = cloud(700, 700, 13);
    let kernel = Array2::from_shape_fn((700, 700), |(i, j)| {
        spec.between(&rows[i], &rows[j]) + 1e-7 * noise[[i, j]]
    });
    let data = Data::kernel(kernel.view()).unwrap();
    let (model, seen) = warnings(|run| method(KernelKind::Linear, 3).fit_with(run, data).unwrap());
    assert!(seen.is_empty(), "{seen:?}");
    let even = (&kernel + &kernel.t()) * 0.5;
    let all = symmetric(&centred(&even).view());
    for place in 0..3 {
        let gap = (model.eigenvalues()[place] - all.values[place]).abs();
        assert!(gap < 1e-9 * all.values[0], "{gap}");
    }
    assert!(model.diagnostics().value("residual").unwrap() < 1e-9);
}

#[test]
fn shares_of_indefinite_kernels_are_shares() {
    let kernel = array![
        [0.0, 1.0, -1.0, -1.0],
        [1.0, 0.0, -1.0, -1.0],
        [-1.0, -1.0, 0.0, 1.0],
        [-1.0, -1.0, 1.0, 0.0]
    ];
    let data = Data::kernel(kernel.view()).unwrap();
    let model = method(KernelKind::Linear, 1).fit(data).unwrap();
    // The eigenvalues of the centred matrix are 3, −1, −1 and 0.
    let figures = model.diagnostics();
    let share = figures.values("explained_variance_ratio").unwrap()[0];
    assert!((share - 0.6).abs() < 1e-12, "{share}");
    // Of many rows a sample tells: half of the directions count 2, and half −1.
    let signs = Array2::from_diag(&ndarray::Array1::from_shape_fn(900, |i| {
        if i % 2 == 0 { 2.0 } else { -1.0 }
    }));
    let data = Data::kernel(signs.view()).unwrap();
    let model = method(KernelKind::Linear, 2).fit(data).unwrap();
    let figures = model.diagnostics();
    let share = figures.values("explained_variance_ratio").unwrap()[0];
    assert!((share - 2.0 / 1350.0).abs() < 2e-4, "{share}");
}

#[test]
fn the_validated_width_separates_spheres_circles_and_moons() {
    use charta::data::synthetic::{circles, concentric_spheres, moons};
    for (name, sample, least) in [
        ("spheres", concentric_spheres(300, 0.0, 0).unwrap(), 0.99),
        ("circles", circles(300, 0.0, 0).unwrap(), 0.99),
        ("moons", moons(300, 0.0, 0).unwrap(), 0.9),
    ] {
        let mut rbf = method(KernelKind::Rbf, 2);
        rbf.kernel.gamma = Gamma::Validated;
        let model = rbf.fit(&sample).unwrap();
        let figures = model.diagnostics();
        let scores = figures.values("scores").unwrap();
        let best = scores.iter().copied().fold(0.0, f64::max);
        assert!(best > least, "{name}: {scores}");
        // The widest kernel, nearly plain PCA, does not.
        assert!(scores[0] < best - 0.03, "{name}: {scores}");
        let (chosen, tried) = (
            figures.value("gamma"),
            figures.values("gammas_tried").unwrap(),
        );
        assert!(chosen.unwrap() > 1.9 * tried[3], "{name}");
    }
}

#[test]
fn sigma_is_another_way_to_say_gamma() {
    let x = cloud(40, 3, 5);
    let fit = |gamma: Gamma, sigma: Option<f64>| {
        let mut rbf = method(KernelKind::Rbf, 2);
        rbf.kernel.gamma = gamma;
        rbf.kernel.sigma = sigma;
        rbf.fit(&x)
    };
    let by_sigma = fit(Gamma::Auto, Some(2.0)).unwrap();
    assert_eq!(by_sigma.kernel().gamma, 0.125);
    let by_gamma = fit(Gamma::Value(0.125), None).unwrap();
    assert_eq!(by_sigma.embedding(), by_gamma.embedding());
    let reported = fit(Gamma::Value(1.0), Some(2.0)).unwrap_err().to_string();
    assert!(
        reported.contains("sigma") && reported.contains("gamma"),
        "{reported}"
    );
    assert!(fit(Gamma::Auto, Some(1e-200)).is_err());
    let mut other = method(KernelKind::Laplacian, 2);
    other.kernel.sigma = Some(1.0);
    assert!(other.fit(&x).unwrap_err().to_string().contains("rbf"));
}
