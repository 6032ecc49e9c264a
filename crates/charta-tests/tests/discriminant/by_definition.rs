//! Against the definition, formed in full: shrinkage, priors, fewer rows than columns.

use super::*;
use crate::linear_algebra::least_squares;
use charta::data::Classes;

struct Formed {
    within: Array2<f64>,
    means: Array2<f64>,
}

/// Σ w [(1 − a) S + a (trace S / d) I] and the classes' means, entry by entry.
fn formed(x: &Array2<f64>, classes: &Classes, weights: &[f64], share: f64) -> Formed {
    let d = x.ncols();
    let mut within = Array2::zeros((d, d));
    let mut means = Array2::zeros((classes.len(), d));
    for (class, rows) in classes.rows().iter().enumerate() {
        let part = x.select(Axis(0), rows);
        let mean = part.mean_axis(Axis(0)).unwrap();
        let centred = &part - &mean;
        let covariance = centred.t().dot(&centred) / rows.len() as f64;
        let identity = Array2::<f64>::eye(d) * (share * covariance.diag().sum() / d as f64);
        within = within + ((1.0 - share) * covariance + identity) * weights[class];
        means.row_mut(class).assign(&mean);
    }
    Formed { within, means }
}

/// Weights of the decision functions against the first class: W⁻¹ (m − m₁).
fn check_weights(what: &str, model: &LdaModel, formed: &Formed, tolerance: f64) {
    let apart = &formed.means - &formed.means.row(0);
    let want = least_squares(&formed.within.view(), &apart.t());
    let (weights, _) = model.decision_functions();
    let ours = &weights - &weights.row(0);
    near(what, &ours, &want.reversed_axes(), tolerance);
}

#[test]
fn shrinkage_in_the_span_of_few_rows_is_that_of_all_columns() {
    let (x, labels) = sample(24, 40, 3);
    let classes = Classes::of(&labels, "test").unwrap();
    let priors = [0.2, 0.3, 0.5];
    let formed = formed(&x, &classes, &priors, 0.3);
    for solver in [Solver::Eigen, Solver::Svd] {
        let method = Lda {
            solver,
            shrinkage: Shrinkage::Share(0.3),
            priors: Priors::Given(priors.to_vec()),
            ..Lda::default()
        };
        let (model, warnings) = watched(&method, &labelled(&x, &labels));
        assert_eq!(warnings, []);
        check_weights(&format!("{solver}"), &model.unwrap(), &formed, 1e-11);
    }
}

#[test]
fn automatic_shrinkage_is_the_same_in_the_span_and_in_columns() {
    // The same rows with the columns repeated until they outnumber the rows, each with its own
    // noise, once by the span and once by the full matrix of the definition.
    let (x, labels) = sample(24, 40, 3);
    let method = Lda {
        shrinkage: Shrinkage::Auto,
        ..Lda::default()
    };
    let model = method.fit(labelled(&x, &labels)).unwrap();
    let classes = Classes::of(&labels, "test").unwrap();
    let shares = classes.shares();
    let intensities = model.diagnostics().values("shrinkage").unwrap().clone();
    let mut within = Array2::<f64>::zeros((40, 40));
    let plain = formed(&x, &classes, &shares, 0.0);
    for (class, rows) in classes.rows().iter().enumerate() {
        let part = x.select(Axis(0), rows);
        let centred = &part - &part.mean_axis(Axis(0)).unwrap();
        let covariance = centred.t().dot(&centred) / rows.len() as f64;
        // Standardized columns have mean variance 1, so that the target is diag S.
        let target = Array2::from_diag(&covariance.diag());
        let a = intensities[class];
        assert!(a > 0.1 && a < 1.0, "{a}");
        within = within + ((1.0 - a) * covariance + a * target) * shares[class];
    }
    let whole = Formed { within, ..plain };
    check_weights("auto", &model, &whole, 1e-11);
    let by_svd = Lda {
        solver: Solver::Svd,
        ..method
    };
    check_weights(
        "svd",
        &by_svd.fit(labelled(&x, &labels)).unwrap(),
        &whole,
        1e-11,
    );
}

#[test]
fn axes_solve_the_eigenproblem_with_any_priors_centre_and_shrinkage() {
    let (x, labels) = sample(200, 6, 4);
    let classes = Classes::of(&labels, "test").unwrap();
    let priors = [0.1, 0.2, 0.3, 0.4];
    let formed = formed(&x, &classes, &priors, 0.2);
    for centre in [Centre::Grand, Centre::Classes] {
        let method = Lda {
            n_components: ComponentCount::All,
            shrinkage: Shrinkage::Share(0.2),
            priors: Priors::Given(priors.to_vec()),
            centre,
            ..Lda::default()
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        let middle = match centre {
            Centre::Grand => Array1::from(priors.to_vec()).dot(&formed.means),
            Centre::Classes => formed.means.mean_axis(Axis(0)).unwrap(),
        };
        let apart = &formed.means - &middle;
        let weights = Array1::from(priors.to_vec()).insert_axis(Axis(1));
        let between = apart.t().dot(&(&apart * &weights));
        let axes = model.components();
        assert_eq!(axes.nrows(), 3);
        let values = model.report().eigenvalues.clone().insert_axis(Axis(1));
        let left = axes.dot(&between);
        let right = axes.dot(&formed.within) * &values;
        near("eigenproblem", &left, &right, 1e-11);
        let inside = axes.dot(&formed.within).dot(&axes.t());
        near("within", &inside, &Array2::eye(3), 1e-12);
    }
}

#[test]
fn orthogonal_axes_are_each_the_best_that_is_left() {
    let (x, labels) = sample(200, 6, 4);
    let classes = Classes::of(&labels, "test").unwrap();
    let formed = formed(&x, &classes, &classes.shares(), 0.0);
    let method = Lda {
        n_components: ComponentCount::All,
        orthogonal: true,
        ..Lda::default()
    };
    let model = method.fit(labelled(&x, &labels)).unwrap();
    let axes = model.components();
    near("orthonormal", &axes.dot(&axes.t()), &Array2::eye(3), 1e-12);
    let apart = &formed.means - model.mean();
    let weights = Array1::from(classes.shares()).insert_axis(Axis(1));
    let between = apart.t().dot(&(&apart * &weights));
    let ratio = |w: &Array1<f64>| w.dot(&between.dot(w)) / w.dot(&formed.within.dot(w));
    let mut numbers = stream(8, 0);
    for j in 0..3 {
        let axis = axes.row(j).to_owned();
        assert!((ratio(&axis) - model.report().ratios[j]).abs() < 1e-10);
        for _ in 0..200 {
            // A step aside that stays orthogonal to the axes before.
            let mut other: Array1<f64> = (0..6).map(|_| normal(&mut numbers)).collect();
            for before in axes.rows().into_iter().take(j) {
                let share = before.dot(&other);
                other.scaled_add(-share, &before);
            }
            let aside = &axis + &(other * 0.05);
            assert!(ratio(&aside) <= ratio(&axis) + 1e-12, "axis {j}");
        }
    }
}

#[test]
fn karhunen_loeve_in_the_span_is_that_of_all_columns() {
    let (x, labels) = sample(24, 40, 3);
    let classes = Classes::of(&labels, "test").unwrap();
    let formed = formed(&x, &classes, &[0.2, 0.3, 0.5], 0.0);
    let method = KarhunenLoeve {
        n_components: Kept::Count(21),
        priors: Priors::Given(vec![0.2, 0.3, 0.5]),
        population: true,
        ..KarhunenLoeve::default()
    };
    let (model, warnings) = watched(&method, &labelled(&x, &labels));
    assert_eq!(warnings, []);
    let model = model.unwrap();
    let axes = model.components();
    let left = axes.dot(&formed.within);
    let right = axes * &model.explained_variance().clone().insert_axis(Axis(1));
    near("eigenproblem", &left, &right, 1e-12);
    near("orthonormal", &axes.dot(&axes.t()), &Array2::eye(21), 1e-12);
    // 24 rows of 3 classes vary in 21 directions: one more is zero, and said to be.
    let method = KarhunenLoeve {
        n_components: Kept::Count(22),
        ..method
    };
    let (model, warnings) = watched(&method, &labelled(&x, &labels));
    assert_eq!(
        warnings,
        [Warning::RankDeficient {
            requested: 22,
            rank: 21
        }]
    );
    let model = model.unwrap();
    assert!(
        model
            .embedding()
            .unwrap()
            .column(21)
            .iter()
            .all(|&z| z == 0.0)
    );
}
