//! PLS against scikit-learn's numbers: both modes, scaled and not, numbers, several numbers, classes.

use crate::support::{
    built_in, check_same_data, close_whole, dense, golden, indices, matrix, number, vector,
};
use charta::dimension::ComponentCount;
use charta::methods::pls::Mode;
use charta::methods::pls::Pls;
use charta::methods::pls::PlsModel;
use charta::{Data, Fit, InverseTransform, Labels, Model, Predict, Prediction, Run, Transform};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde_json::{Value as Json, json};

fn labels(name: &str) -> Labels<'static> {
    let table = built_in(name);
    let data = table.data().unwrap();
    data.labels().unwrap().reborrow().into_owned()
}

fn one_hot(labels: &Labels<'_>) -> Array2<f64> {
    let Labels::Classes { names, of_row } = labels else {
        panic!("classes expected");
    };
    let mut y = Array2::zeros((of_row.len(), names.len()));
    for (row, class) in of_row.iter().enumerate() {
        y[[row, class.unwrap() as usize]] = 1.0;
    }
    y
}

struct Case<'a> {
    title: String,
    x: Array2<f64>,
    y: Array2<f64>,
    /// Labels that mean the same as `y`.
    labels: Option<Labels<'static>>,
    stored: &'a Json,
}

/// Theirs are columns by components, ours components by columns.
fn transposed(json: &Json) -> Array2<f64> {
    matrix(json).reversed_axes()
}

impl Case<'_> {
    fn check(&self, tolerance: f64) {
        for (table, title) in [(&self.x, "x"), (&self.y, "y")] {
            check_same_data(table, &json!({ "data": self.stored[title] }));
        }
        for fit in self.stored["fits"].as_array().unwrap() {
            let pls = self.method(fit);
            let title = format!("{}, {pls:?}", self.title);
            let data = Data::from(&self.x).with_view(&self.y).unwrap();
            let model = pls.fit(data).unwrap();
            self.check_parts(&title, &model, fit, tolerance);
            self.check_rows(&title, &model, fit, tolerance);
            if let Some(labels) = &self.labels {
                let data = Data::from(&self.x).with_labels(labels.reborrow()).unwrap();
                let other = pls.fit(data).unwrap();
                // Classes are summed without their zeros: the same up to the order of additions.
                let (ours, theirs) = (other.coefficients(), model.coefficients());
                close_whole(&title, &ours.view(), &theirs.view(), 1e-12);
                let (ours, theirs) = (other.embedding().unwrap(), model.embedding().unwrap());
                close_whole(&title, &ours, &theirs, 1e-12);
            }
        }
    }

    fn method(&self, fit: &Json) -> Pls {
        Pls {
            n_components: ComponentCount::Count(number(&fit["n_components"]) as usize),
            mode: match fit["kind"].as_str().unwrap() {
                "PLSRegression" => Mode::Regression,
                _ => Mode::Canonical,
            },
            standardize: fit["scale"].as_bool().unwrap(),
        }
    }

    fn check_parts(&self, title: &str, model: &PlsModel, fit: &Json, tolerance: f64) {
        let report = model.report();
        for (name, ours) in [
            ("x_weights", &report.weights),
            ("x_loadings", &report.loadings),
            ("x_rotations", model.components()),
            ("y_weights", &report.target_weights),
            ("y_loadings", &report.target_loadings),
            ("y_rotations", &report.target_rotations),
        ] {
            let theirs = transposed(&fit[name]);
            let title = format!("{title}: {name}");
            close_whole(&title, &ours.view(), &theirs.view(), tolerance);
        }
        let theirs = matrix(&fit["coef"]);
        let ours = model.coefficients();
        close_whole(
            &format!("{title}: coef"),
            &ours.view(),
            &theirs.view(),
            tolerance,
        );
        let means = |values: &Array1<f64>| values.clone().insert_axis(Axis(0));
        let theirs = vector(&fit["intercept"]);
        let ours = means(model.intercept());
        assert!((&ours - &means(&theirs)).iter().all(|d| d.abs() < 1e-12));
        let ours = model.diagnostics().value("r_squared").unwrap();
        let theirs = number(&fit["score"]);
        let error = (ours - theirs).abs() / theirs.abs().max(1.0);
        assert!(error < tolerance, "{title}: R² {ours} against {theirs}");
    }

    fn check_rows(&self, title: &str, model: &PlsModel, fit: &Json, tolerance: f64) {
        let rows = indices(&self.stored["rows"]);
        let run = Run::new();
        let near = |name: &str, ours: ArrayView2<'_, f64>| {
            let theirs = matrix(&fit[name]);
            close_whole(
                &format!("{title}: {name}"),
                &ours,
                &theirs.view(),
                tolerance,
            );
        };
        let (x, y) = (self.x.select(Axis(0), &rows), self.y.select(Axis(0), &rows));
        let scores = model.embedding().unwrap().select(Axis(0), &rows);
        near("x_scores", scores.view());
        near("x_transform", model.transform(&x).unwrap().view());
        let (new, target) = (Data::from(&x), Data::from(&y));
        near(
            "y_transform",
            model.transform_target(&run, &target).unwrap().view(),
        );
        near(
            "y_scores",
            model.target_scores(&run, &new, &target).unwrap().view(),
        );
        near(
            "inverse_transform",
            model.inverse_transform(&scores.view()).unwrap().view(),
        );
        let Prediction::Numbers { values, .. } = model.predict(&x).unwrap() else {
            panic!("numbers expected");
        };
        near("predict", values.view());
    }
}

#[test]
fn linnerud() {
    let reference = golden("pls_linnerud.json");
    let all = dense("linnerud");
    Case {
        title: "linnerud".into(),
        x: all.slice(s![.., ..3]).to_owned(),
        y: all.slice(s![.., 3..]).to_owned(),
        labels: None,
        stored: &reference["cases"]["exercise_to_physiology"],
    }
    .check(1e-8);
}

#[test]
fn diabetes_to_its_progression() {
    let reference = golden("pls_diabetes.json");
    let labels = labels("diabetes");
    let y: Vec<f64> = (0..labels.len())
        .map(|row| labels.text(row).parse().unwrap())
        .collect();
    Case {
        title: "diabetes".into(),
        x: dense("diabetes"),
        y: Array1::from_vec(y.clone()).insert_axis(Axis(1)),
        labels: Some(Labels::numbers(y)),
        stored: &reference["cases"]["columns_to_progression"],
    }
    .check(1e-8);
}

#[test]
fn diabetes_half_to_half() {
    let reference = golden("pls_diabetes.json");
    let x = dense("diabetes");
    Case {
        title: "halves of diabetes".into(),
        y: x.slice(s![.., 5..]).to_owned(),
        x: x.slice(s![.., ..5]).to_owned(),
        labels: None,
        stored: &reference["cases"]["columns_0_to_4_to_columns_5_to_9"],
    }
    .check(1e-8);
}

#[test]
fn classes_of_wine_and_iris() {
    for name in ["wine", "iris"] {
        let reference = golden(&format!("pls_{name}.json"));
        let labels = labels(name);
        Case {
            title: name.into(),
            x: dense(name),
            y: one_hot(&labels),
            labels: Some(labels),
            stored: &reference["cases"]["columns_to_one_hot_classes"],
        }
        .check(1e-8);
    }
}
