//! CCA against scikit-learn's numbers, and against the direct solutions: two views, three views, ridge.

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, indices, matrix, number, signs,
    vector,
};
use charta::dimension::ComponentCount;
use charta::methods::cca::Cca;
use charta::methods::cca::CcaModel;
use charta::{Data, Fit, Model, Run, Transform, Views};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use serde_json::{Value as Json, json};

/// The two views of a stored reference.
fn views(name: &str, reference: &Json) -> [Array2<f64>; 2] {
    let (x, y) = match name {
        "linnerud" => (vec![0, 1, 2], vec![3, 4, 5]),
        "breast_cancer" => ((0..10).collect(), (10..20).collect()),
        _ => (
            indices(&reference["x_columns"]),
            indices(&reference["y_columns"]),
        ),
    };
    let all = dense(name);
    let pair = [all.select(Axis(1), &x), all.select(Axis(1), &y)];
    for (view, title) in pair.iter().zip(["x", "y"]) {
        check_same_data(view, &json!({ "data": reference[title] }));
    }
    pair
}

fn data<'a>(views: &'a [Array2<f64>]) -> Data<'a> {
    views[1..].iter().fold(Data::from(&views[0]), |data, view| {
        data.with_view(view).unwrap()
    })
}

fn fitted(views: &[Array2<f64>], count: usize, change: impl Fn(&mut Cca)) -> CcaModel {
    let mut cca = Cca {
        n_components: ComponentCount::Count(count),
        ..Cca::default()
    };
    change(&mut cca);
    cca.fit(data(views)).unwrap()
}

fn near(what: &str, ours: ArrayView2<'_, f64>, theirs: &Array2<f64>, tolerance: f64) {
    let signs = signs(&ours.to_owned(), theirs).insert_axis(Axis(1));
    close_whole(what, &(&ours * &signs).view(), &theirs.view(), tolerance);
}

fn transposed(json: &Json) -> Array2<f64> {
    matrix(json).reversed_axes()
}

fn deviations(view: &Array2<f64>) -> Array1<f64> {
    view.std_axis(Axis(0), 1.0)
}

const NAMES: [&str; 3] = ["linnerud", "breast_cancer", "digits"];

fn each(check: impl Fn(&str, &Json, &[Array2<f64>])) {
    for name in NAMES {
        let reference = golden(&format!("cca_{name}.json"));
        let views = views(name, &reference);
        check(name, &reference, &views);
    }
}

#[test]
fn correlations_and_directions_are_those_of_the_direct_solution() {
    each(|name, reference, views| {
        let direct = &reference["direct"];
        let rows = indices(&reference["rows"]);
        let count = transposed(&direct["x_directions"]).nrows();
        let model = fitted(views, count, |_| ());
        let all = model.diagnostics().values("spectrum").unwrap() - 1.0;
        let theirs = vector(&direct["canonical_correlations"]);
        close_each(&format!("{name}, all correlations"), &all, &theirs, 1e-9);
        let kept = theirs.slice(s![..count]).to_owned();
        close_each(name, &model.correlations(), &kept, 1e-9);
        for (view, title) in ["x", "y"].into_iter().enumerate() {
            let directions = transposed(&direct[format!("{title}_directions")]);
            near(name, model.weights(view), &directions, 1e-8);
            let scores = transposed(&direct[format!("{title}_scores")]);
            let part = view * count..(view + 1) * count;
            let ours = model.embedding().unwrap();
            let ours = ours.select(Axis(0), &rows).slice(s![.., part]).to_owned();
            near(name, ours.t(), &scores, 1e-8);
        }
    });
}

#[test]
fn scores_of_scikit_learn_are_ours_times_their_deviation() {
    each(|name, reference, views| {
        let rows = indices(&reference["rows"]);
        for fit in reference["fits"].as_array().unwrap() {
            let scale = fit["scale"].as_bool().unwrap();
            let count = number(&fit["n_components"]) as usize;
            let model = fitted(views, count, |cca| cca.standardize = scale);
            let theirs = vector(&fit["canonical_correlations"]);
            close_each(name, &model.correlations(), &theirs, 1e-9);
            for (view, title) in ["x", "y"].into_iter().enumerate() {
                let own = deviations(&views[view]);
                let units = if scale { own } else { Array1::ones(own.len()) };
                // Their rotations in the columns' own units give their scores; the scores' deviations
                // follow from all rows.
                let rotations = transposed(&fit[format!("{title}_rotations")]) / &units;
                let mean = views[view].mean_axis(Axis(0)).unwrap();
                let sizes = deviations(&(&views[view] - &mean).dot(&rotations.t()));
                let ours = &model.weights(view) * &sizes.view().insert_axis(Axis(1));
                near(&format!("{name} rotations"), ours.view(), &rotations, 1e-6);
                let part = view * count..(view + 1) * count;
                let placed = model.embedding().unwrap();
                let placed = placed.select(Axis(0), &rows).slice(s![.., part]).to_owned();
                let scores = transposed(&fit[format!("{title}_scores")]);
                near(name, (placed * &sizes).t(), &scores, 1e-6);
                // Their loadings regress the view on its scores; ours are correlations.
                let loadings = transposed(&fit[format!("{title}_loadings")]);
                let all = model.loadings();
                let own_columns = match view {
                    0 => 0..views[0].ncols(),
                    _ => views[0].ncols()..all.ncols(),
                };
                let ours = all
                    .slice(s![view * count..(view + 1) * count, own_columns])
                    .to_owned();
                let ours =
                    ours * &(deviations(&views[view]) / &units) / &sizes.insert_axis(Axis(1));
                near(&format!("{name} loadings"), ours.view(), &loadings, 1e-6);
            }
        }
    });
}

#[test]
fn their_prediction_is_ours_without_the_correlation() {
    each(|name, reference, views| {
        let rows = indices(&reference["rows"]);
        let fit = &reference["fits"][0];
        let count = number(&fit["n_components"]) as usize;
        let model = fitted(views, count, |_| ());
        let run = Run::new();
        let chosen = views[0].select(Axis(0), &rows);
        let placed = model
            .transform_view_in(&run, 0, &Data::from(&chosen))
            .unwrap();
        let back = model
            .predict_view_in(&run, 0, 1, &Data::from(&chosen))
            .unwrap();
        let mean = views[1].mean_axis(Axis(0)).unwrap();
        // cov(y, own scores) of ours, and the sizes of their scores.
        let y_map = &model
            .report()
            .covariances
            .slice(s![count.., views[0].ncols()..]);
        let explained = (&placed * &model.correlations()).dot(y_map) + &mean;
        close_whole(name, &back.view(), &explained.view(), 1e-9);
        let sizes: Vec<Array1<f64>> = ["x", "y"]
            .into_iter()
            .zip(views)
            .map(|(title, view)| {
                let rotations = transposed(&fit[format!("{title}_rotations")]) / &deviations(view);
                deviations(&(view - &view.mean_axis(Axis(0)).unwrap()).dot(&rotations.t()))
            })
            .collect();
        let theirs = (&placed * &(&sizes[0] / &sizes[1])).dot(y_map) + &mean;
        close_whole(
            &format!("{name} prediction"),
            &theirs.view(),
            &matrix(&fit["predict"]).view(),
            1e-6,
        );
    });
}

#[test]
fn ridge_follows_the_direct_solution() {
    each(|name, reference, views| {
        let stored = &reference["regularised_standardised"];
        let ridge = number(&stored["ridge"]);
        let theirs = transposed(&stored["x_directions"]);
        let model = fitted(views, theirs.nrows(), |cca| cca.ridge = vec![ridge]);
        let values = model.diagnostics().values("spectrum").unwrap() - 1.0;
        close_each(name, &values, &vector(&stored["singular_values"]), 1e-9);
        for (view, title) in ["x", "y"].into_iter().enumerate() {
            let theirs = transposed(&stored[format!("{title}_directions")]);
            let ours = &model.weights(view) * &deviations(&views[view]);
            near(name, ours.view(), &theirs, 1e-8);
        }
        let other = fitted(views, theirs.nrows(), |cca| cca.ridge = vec![ridge; 2]);
        assert_eq!(other.report(), model.report());
    });
}

#[test]
fn three_views_follow_the_dense_block_problem() {
    for name in ["breast_cancer", "digits"] {
        let reference = golden(&format!("cca_{name}.json"));
        let all = dense(name);
        let stored = &reference["three_views"];
        let columns: Vec<Vec<usize>> = stored["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(indices)
            .collect();
        let views: Vec<Array2<f64>> = columns.iter().map(|c| all.select(Axis(1), c)).collect();
        for kind in ["raw", "standardised"] {
            for case in stored[kind].as_array().unwrap() {
                check_three(name, kind, &views, case, &indices(&reference["rows"]));
            }
        }
    }
}

fn check_three(name: &str, kind: &str, views: &[Array2<f64>], case: &Json, rows: &[usize]) {
    let standardize = kind == "standardised";
    let ridge = number(&case["ridge"]);
    let title = format!("{name}, {kind}, ridge {ridge}");
    let model = fitted(views, 3, |cca| {
        cca.standardize = standardize;
        cca.ridge = vec![ridge];
    });
    let all = model.diagnostics().values("spectrum").unwrap().clone();
    let theirs = vector(&case["eigenvalues"]);
    let scale = theirs[0];
    assert_eq!(all.len(), theirs.len(), "{title}");
    for (a, b) in all.iter().zip(&theirs) {
        assert!((a - b).abs() < 1e-9 * scale, "{title}: {a} against {b}");
    }
    // Theirs: Σ wᵀBw = 1 over all views; ours: 3. The sign is common to all views.
    let units: Vec<Array1<f64>> = views
        .iter()
        .map(|view| {
            if standardize {
                deviations(view)
            } else {
                Array1::ones(view.ncols())
            }
        })
        .collect();
    let gather = |parts: Vec<Array2<f64>>| {
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        concatenate(Axis(1), &views).unwrap()
    };
    let ours = gather(
        (0..3)
            .map(|view| &model.weights(view) * &units[view] / 3.0_f64.sqrt())
            .collect(),
    );
    let directions = case["directions"].as_array().unwrap();
    let theirs = gather(directions.iter().map(transposed).collect());
    near(&title, ours.view(), &theirs, 1e-7);
    let placed = model.transform(data(views)).unwrap().select(Axis(0), rows);
    let ours = gather(
        (0..3)
            .map(|view| {
                let part = placed.slice(s![.., view * 3..view * 3 + 3]).to_owned();
                part.reversed_axes() / 3.0_f64.sqrt()
            })
            .collect(),
    );
    let scores = case["scores"].as_array().unwrap();
    let theirs = gather(scores.iter().map(transposed).collect());
    near(&title, ours.view(), &theirs, 1e-7);
}

#[test]
fn single_precision_comes_close() {
    let reference = golden("cca_digits.json");
    let [x, y] = views("digits", &reference).map(|view| view.mapv(|value| value as f32));
    let data = Data::from(&x).with_view(&y).unwrap();
    let model = Cca::default().fit(data).unwrap();
    let theirs = vector(&reference["direct"]["canonical_correlations"]);
    for (ours, theirs) in model.correlations().iter().zip(&theirs) {
        close("single precision", *ours, *theirs, 1e-4);
    }
}
