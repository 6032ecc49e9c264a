//! The choices of scikit-learn's and mlxtend's selectors, with their folds and estimators.

use charta::methods::sequential_selection::SelectionModel;
use charta::methods::sequential_selection::SequentialSelection;
use charta::methods::sequential_selection::{Direction, Judge, Kind, Measure};
use charta::{Data, Fit, Labels};
use ndarray::{Array2, Axis};
use serde_json::Value as Json;

use super::{built_in, method};

fn golden() -> Json {
    crate::support::golden("sequential_selection.json")
}

fn indices(json: &Json) -> Vec<usize> {
    let numbers = json.as_array().unwrap().iter();
    numbers
        .map(|number| number.as_u64().unwrap() as usize)
        .collect()
}

fn numbers(json: &Json) -> Vec<f64> {
    json.as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

/// Every value moved by up to 1e−4 of its column's width, as the reference was.
fn moved(x: &Array2<f64>) -> Array2<f64> {
    let ends = x.columns().into_iter().map(|column| {
        column
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| {
                (a.min(v), b.max(v))
            })
    });
    let widths: Vec<f64> = ends.map(|(least, most)| most - least).collect();
    Array2::from_shape_fn(x.dim(), |(i, j)| {
        let place = (i * x.ncols() + j) as u64;
        let share = (place.wrapping_mul(2_654_435_761) % (1 << 32)) as f64 / 4_294_967_296.0;
        x[[i, j]] + (widths[j] * 1e-4) * share
    })
}

/// Rows and labels of a case; classes get scikit-learn's numbers.
fn data_of(case: &Json) -> (Array2<f64>, Labels<'static>) {
    let name = case["data"].as_str().unwrap();
    let (mut x, table) = built_in(name);
    if name == "diabetes" {
        for mut column in x.columns_mut() {
            let mean = column.sum() / column.len() as f64;
            column -= mean;
            let length = column.dot(&column).sqrt();
            column /= length;
        }
    }
    let given = &table.labels.as_ref().unwrap().1;
    let labels = match given {
        Labels::Numbers(values) => values.to_vec(),
        Labels::Classes { of_row, names } => {
            let number = |class: u32| match names[class as usize].as_str() {
                // scikit-learn has malignant before benign.
                "malignant" => 0.0,
                "benign" => 1.0,
                _ => f64::from(class),
            };
            of_row.iter().map(|class| number(class.unwrap())).collect()
        }
    };
    if case["scorer"].as_str().unwrap().starts_with("k_nearest") {
        x = moved(&x);
    }
    if let Some(columns) = case.get("columns") {
        x = x.select(Axis(1), &indices(columns));
    }
    (x, Labels::numbers(labels))
}

fn selected(case: &Json, measure: Measure) -> SelectionModel {
    let (x, labels) = data_of(case);
    let direction = match case["direction"].as_str().unwrap() {
        "forward" => Direction::Forward,
        "backward" => Direction::Backward,
        "floating_forward" => Direction::FloatingForward,
        _ => Direction::FloatingBackward,
    };
    let (scorer, target) = match case["scorer"].as_str().unwrap() {
        "linear" => (Judge::Linear, Kind::Auto),
        "lda" => (Judge::Lda, Kind::Auto),
        "k_nearest_numbers" => (Judge::KNearest, Kind::Numbers),
        _ => (Judge::KNearest, Kind::Classes),
    };
    let method = SequentialSelection {
        n_components: (case["n_features"].as_u64().unwrap() as usize).into(),
        direction,
        scorer,
        target,
        measure,
        shuffle: false,
        ..method()
    };
    method
        .fit(Data::from(&x).with_labels(labels).unwrap())
        .unwrap()
}

fn title(case: &Json) -> String {
    format!(
        "{}, {}, {}",
        case["data"], case["scorer"], case["direction"]
    )
}

#[test]
fn forward_and_backward_choose_as_scikit_learn() {
    let reference = golden();
    let cases = reference["choices"].as_array().unwrap();
    assert_eq!(cases.len(), 22);
    let mut apart = Vec::new();
    for case in cases {
        let model = selected(case, Measure::Auto);
        if model.columns() != indices(&case["kept"]) {
            apart.push(format!(
                "{}: {:?} for {}",
                title(case),
                model.columns(),
                case["kept"]
            ));
            continue;
        }
        // Some pixels of digits are combinations of others: scikit-learn spreads their weights, which new rows feel.
        let is_singular = case["data"] == "digits" && case["scorer"] == "linear";
        let tolerance = if is_singular { 1e-3 } else { 1e-9 };
        for (error, score) in model.chosen().errors.iter().zip(numbers(&case["scores"])) {
            let off = (1.0 - error - score).abs();
            if off > tolerance {
                apart.push(format!("{}: off by {off:.1e}", title(case)));
            }
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}

#[test]
fn floating_finds_the_sets_of_mlxtend() {
    let reference = golden();
    let cases = reference["floating"].as_array().unwrap();
    assert_eq!(cases.len(), 10);
    let mut n_back = 0;
    for case in cases {
        let measure = match case["measure"].as_str().unwrap() {
            "r2" => Measure::RSquared,
            "neg_log_loss" => Measure::LogLoss,
            "neg_mean_absolute_error" => Measure::MeanAbsoluteError,
            _ => Measure::MeanSquaredError,
        };
        let model = selected(case, measure);
        assert_eq!(model.columns(), indices(&case["kept"]), "{}", title(case));
        let sizes = indices(&case["sizes"]);
        assert_eq!(model.by_size().len(), sizes.len(), "{}", title(case));
        for (place, found) in model.by_size().iter().enumerate() {
            assert_eq!(
                found.units,
                indices(&case["sets"][place]),
                "{}",
                title(case)
            );
            for (error, score) in found.errors.iter().zip(numbers(&case["scores"][place])) {
                let theirs = if measure == Measure::RSquared {
                    1.0 - score
                } else {
                    -score
                };
                let off = (error - theirs).abs() / theirs.abs().max(1.0);
                assert!(
                    off < 1e-8,
                    "{}, {:?}: off by {off:.1e}",
                    title(case),
                    found.units
                );
            }
        }
        let forward = case["direction"] == "floating_forward";
        n_back += model
            .steps()
            .iter()
            .filter(|step| step.added != forward)
            .count();
    }
    assert!(n_back > 0, "no case took a step back");
}
