//! Discriminant analysis against scikit-learn's numbers: every solver, shrinkage and prior.

use crate::support::{
    built_in, check_same_data, close, close_each, close_whole, dense, golden, indices, matrix,
    number, outside_data, signs, vector,
};
use charta::data::{Labels, OwnedFeatures, Priors};
use charta::dimension::ComponentCount;
use charta::methods::lda::LdaModel;
use charta::methods::lda::Shrinkage;
use charta::methods::lda::Singular;
use charta::methods::lda::{Lda, Pooling, Solver};
use charta::{Data, Fit, Model, Predict, Prediction, Transform};
use charta_io::{Content, ReadOptions, Table, read};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value as Json;

/// A class for every row, in the order of the reference: that of its counts.
fn labels(table: &Table, counts: Option<&Json>) -> Labels<'static> {
    let given = &table.labels.as_ref().unwrap().1;
    let words: Vec<String> = (0..given.len()).map(|row| given.text(row)).collect();
    let Labels::Classes { names, of_row } = Labels::from_words(&words) else {
        panic!("no classes");
    };
    let count = |class| of_row.iter().filter(|of| **of == Some(class)).count();
    let ours: Vec<usize> = (0..names.len() as u32).map(count).collect();
    let Some(counts) = counts.map(indices).filter(|counts| *counts != ours) else {
        return Labels::Classes { names, of_row };
    };
    // Names that are words may sort the other way round.
    assert_eq!(counts, ours.iter().rev().copied().collect::<Vec<_>>());
    let last = names.len() as u32 - 1;
    Labels::Classes {
        names: names.iter().rev().cloned().collect(),
        of_row: of_row.iter().map(|of| of.map(|of| last - of)).collect(),
    }
}

fn outside(name: &str) -> (Array2<f64>, Labels<'static>) {
    let path = outside_data(name);
    let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    let labels = labels(&table, None);
    match table.content {
        Content::Features(OwnedFeatures::F64(x)) => (x, labels),
        Content::Features(OwnedFeatures::F32(x)) => (x.mapv(f64::from), labels),
        other => panic!("{name}: {other:?}"),
    }
}

/// The method that a stored fit was made with, in our words.
fn method(fit: &Json) -> Lda {
    let priors = match fit["given_priors"].as_array() {
        Some(_) => Priors::Given(vector(&fit["given_priors"]).to_vec()),
        None => Priors::Data,
    };
    let shrinkage = match &fit["shrinkage"] {
        Json::Null => Shrinkage::None,
        Json::String(_) => Shrinkage::Auto,
        share => Shrinkage::Share(number(share)),
    };
    Lda {
        n_components: ComponentCount::All,
        shrinkage,
        priors,
        pooling: if fit["solver"] == "svd" {
            Pooling::Rows
        } else {
            Pooling::Priors
        },
        singular: Singular::PseudoInverse,
        ..Lda::default()
    }
}

/// Columns of classes less that of the first class: what does not depend on the zero point. Two
/// classes are stored as their difference already.
fn against_first(values: &Array2<f64>) -> Array2<f64> {
    if values.ncols() == 1 {
        return values.clone();
    }
    let first = values.slice(s![.., ..1]);
    (&values.slice(s![.., 1..]) - &first).to_owned()
}

fn matrix_or_column(json: &Json) -> Array2<f64> {
    match json[0].as_array() {
        Some(_) => matrix(json),
        None => vector(json).insert_axis(Axis(1)),
    }
}

struct Case<'a> {
    title: String,
    fit: &'a Json,
    tolerance: f64,
}

impl Case<'_> {
    fn compare(&self, what: &str, ours: &Array2<f64>, theirs: &Array2<f64>) {
        let title = format!("{}, {what}", self.title);
        close_whole(&title, &ours.view(), &theirs.view(), self.tolerance);
    }

    /// Decisions, probabilities and classes of some rows.
    fn check_prediction(&self, model: &LdaModel, rows: &Array2<f64>, stored: &Json) {
        let Prediction::Classes {
            of_row,
            probabilities,
            decisions,
            ..
        } = model.predict(rows).unwrap()
        else {
            panic!("no classes");
        };
        let of_row: Vec<usize> = of_row.iter().map(|&class| class as usize).collect();
        assert_eq!(of_row, indices(&stored["predict"]), "{}", self.title);
        self.compare(
            "probabilities",
            &probabilities,
            &matrix(&stored["predict_proba"]),
        );
        let theirs = against_first(&matrix_or_column(&stored["decision_function"]));
        self.compare("decisions", &against_first(&decisions), &theirs);
        if self.fit["solver"] == "svd" && decisions.ncols() > 2 {
            let theirs = matrix(&stored["decision_function"]);
            self.compare("decisions as they are", &decisions, &theirs);
        }
    }

    /// Weights and constants of the decision functions.
    fn check_functions(&self, model: &LdaModel, columns: &[usize]) {
        let (weights, constants) = model.decision_functions();
        let ours = weights.select(Axis(1), columns);
        let theirs = matrix(&self.fit["coef"]);
        let theirs = if theirs.nrows() == 1 {
            theirs
        } else {
            against_first(&theirs.reversed_axes()).reversed_axes()
        };
        let ours = against_first(&ours.reversed_axes()).reversed_axes();
        self.compare("weights", &ours, &theirs);
        let theirs = vector(&self.fit["intercept"]).insert_axis(Axis(0));
        let ours = against_first(&constants.insert_axis(Axis(0)));
        self.compare("constants", &ours, &against_first(&theirs));
    }

    /// Axes and coordinates, up to sign; only where both maximize the same.
    fn check_axes(&self, model: &LdaModel, columns: &[usize], rows: &Array2<f64>) {
        let theirs = matrix(&self.fit["scalings"]).reversed_axes();
        let count = model.n_components().min(theirs.nrows());
        let theirs = theirs.slice(s![..count, ..]).to_owned();
        let ours = model.components().select(Axis(1), columns);
        let ours = ours.slice(s![..count, ..]).to_owned();
        let signs = signs(&ours, &theirs);
        let column = signs.view().insert_axis(Axis(1));
        self.compare("axes", &(&ours * &column), &theirs);
        let ratios = vector(&self.fit["explained_variance_ratio"]);
        let kept = model.explained_variance_ratio();
        let length = kept.len().min(ratios.len());
        close_each(
            &format!("{}, ratios", self.title),
            &kept.slice(s![..length]).to_owned(),
            &ratios.slice(s![..length]).to_owned(),
            self.tolerance,
        );
        let placed = model
            .transform(rows)
            .unwrap()
            .slice(s![.., ..count])
            .to_owned()
            * &signs;
        let mut theirs = matrix(&self.fit["transform"])
            .slice(s![.., ..count])
            .to_owned();
        let mut placed = placed;
        if self.fit["solver"] != "svd" {
            // Its other solvers do not subtract the mean: compare differences between rows.
            let (first, ours) = (theirs.row(0).to_owned(), placed.row(0).to_owned());
            theirs -= &first;
            placed -= &ours;
        }
        self.compare("coordinates", &placed, &theirs);
    }
}

fn check_fit(name: &str, x: &Array2<f64>, labels: &Labels<'_>, subset: &Json, fit: &Json) {
    if !fit["refused"].is_null() {
        return;
    }
    let (rows, columns) = (indices(&subset["rows"]), indices(&subset["columns"]));
    let chosen = x.select(Axis(0), &rows);
    for solver in [Solver::Eigen, Solver::Svd] {
        let lda = Lda {
            solver,
            ..method(fit)
        };
        let data = Data::from(x).with_labels(labels.reborrow()).unwrap();
        let model = lda.fit(&data).unwrap();
        let case = Case {
            title: format!(
                "{name} {solver} against {} shrinkage {} priors {}",
                fit["solver"], fit["shrinkage"], fit["given_priors"]
            ),
            fit,
            // Its least squares work in the columns' own units, whose condition is far worse.
            tolerance: if fit["solver"] == "lsqr" { 1e-7 } else { 1e-8 },
        };
        case.check_prediction(&model, &chosen, fit);
        case.check_functions(&model, &columns);
        let right = model.training_accuracy().unwrap();
        close(&case.title, right, number(&fit["score"]), 1e-12);
        close_each(
            &case.title,
            &model.report().priors,
            &vector(&fit["priors"]),
            1e-12,
        );
        // With shrinkage or given priors its `eigen` maximizes something else: see the README.
        let same = fit["shrinkage"].is_null()
            && (fit["solver"] == "svd"
                || (fit["solver"] == "eigen" && fit["given_priors"].is_null()));
        if same {
            case.check_axes(&model, &columns, &chosen);
        }
    }
}

fn check_data_set(name: &str) {
    let reference = golden(&format!("lda_{name}.json"));
    let x = dense(name);
    check_same_data(&x, &reference);
    let labels = labels(&built_in(name), Some(&reference["class_summary"]["counts"]));
    let mut checked = 0;
    for list in ["fits", "fits_with_given_priors"] {
        for fit in reference[list].as_array().unwrap() {
            check_fit(name, &x, &labels, &reference["subset"], fit);
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked} fits");
    let part = &reference["without_constant_columns"];
    if !part.is_null() {
        let kept = x.select(Axis(1), &indices(&part["kept_columns"]));
        for fit in part["fits"].as_array().unwrap() {
            check_fit(name, &kept, &labels, &part["subset"], fit);
        }
    }
}

#[test]
fn digits_agree() {
    check_data_set("digits");
}

#[test]
fn wine_agrees() {
    check_data_set("wine");
}

#[test]
fn breast_cancer_agrees() {
    check_data_set("breast_cancer");
}

#[test]
fn iris_agrees() {
    check_data_set("iris");
}

/// The rows and labels of some rows.
fn part<'a>(x: &'a Array2<f64>, labels: &Labels<'_>, rows: &[usize]) -> (Array2<f64>, Labels<'a>) {
    let words: Vec<String> = rows.iter().map(|&row| labels.text(row)).collect();
    (x.select(Axis(0), rows), Labels::from_words(&words))
}

fn n_right(model: &LdaModel, x: &Array2<f64>, labels: &Labels<'_>) -> usize {
    let Prediction::Classes { names, of_row, .. } = model.predict(x).unwrap() else {
        panic!("no classes");
    };
    of_row
        .iter()
        .enumerate()
        .filter(|(row, class)| names[**class as usize] == labels.text(*row))
        .count()
}

fn check_held_out(
    reference: &Json,
    x: &Array2<f64>,
    labels: &Labels<'_>,
    train: &[usize],
    test: &[usize],
) {
    check_same_data(x, reference);
    let (training, training_labels) = part(x, labels, train);
    let (new, new_labels) = part(x, labels, test);
    let chosen = new.select(Axis(0), &indices(&reference["subset"]["test_rows"]));
    for fit in reference["held_out"].as_array().unwrap() {
        for solver in [Solver::Eigen, Solver::Svd] {
            let lda = Lda {
                solver,
                ..method(fit)
            };
            let data = Data::from(&training)
                .with_labels(training_labels.reborrow())
                .unwrap();
            let model = lda.fit(&data).unwrap();
            let case = Case {
                title: format!("{solver} against {} {}", fit["solver"], fit["shrinkage"]),
                fit,
                tolerance: 1e-8,
            };
            case.check_prediction(&model, &chosen, &fit["test"]);
            let right = n_right(&model, &training, &training_labels);
            assert_eq!(
                right as f64,
                number(&fit["n_correct_train"]),
                "{}",
                case.title
            );
            let right = n_right(&model, &new, &new_labels);
            assert_eq!(
                right as f64,
                number(&fit["n_correct_test"]),
                "{}",
                case.title
            );
            if fit["solver"] == "svd" {
                let ratios = vector(&fit["explained_variance_ratio"]);
                close_each(
                    &case.title,
                    &model.explained_variance_ratio(),
                    &ratios,
                    1e-7,
                );
            }
        }
    }
}

#[test]
#[ignore = "needs data outside the project: optdigits.npz"]
fn optdigits_held_out_agree() {
    let (x, labels) = outside("optdigits.npz");
    let reference = golden("lda_optdigits.json");
    let rows: Vec<usize> = (0..x.nrows()).collect();
    check_held_out(&reference, &x, &labels, &rows[..3823], &rows[3823..]);
}

#[test]
#[ignore = "needs data outside the project: olivetti.npz"]
fn olivetti_with_fewer_rows_than_columns_agree() {
    let (x, labels) = outside("olivetti.npz");
    let reference = golden("lda_olivetti.json");
    let (train, test): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 10 < 7);
    check_held_out(&reference, &x, &labels, &train, &test);
    let fit = &reference["whole"];
    let chosen = x.select(Axis(0), &indices(&reference["subset"]["rows"]));
    let data = Data::from(&x).with_labels(labels.reborrow()).unwrap();
    let model = method(fit).fit(&data).unwrap();
    let case = Case {
        title: "all of olivetti".into(),
        fit,
        tolerance: 1e-8,
    };
    case.check_prediction(&model, &chosen, fit);
    case.check_axes(&model, &indices(&reference["subset"]["columns"]), &chosen);
}

#[test]
fn single_precision_agrees_with_double() {
    for name in ["digits", "wine", "iris"] {
        let x = dense(name);
        let labels = labels(&built_in(name), None);
        let single = x.mapv(|value| value as f32);
        let fit = |data: Data<'_>| {
            let data = data.with_labels(labels.clone()).unwrap();
            Lda::default().fit(data).unwrap()
        };
        let (ours, want) = (fit(Data::from(&single)), fit(Data::from(&x)));
        close_whole(
            name,
            &ours.embedding().unwrap(),
            &want.embedding().unwrap(),
            1e-3,
        );
        let ratios: Array1<f64> = want.explained_variance_ratio();
        close_each(name, &ours.explained_variance_ratio(), &ratios, 1e-3);
    }
}
