//! Beside MiniSom, with the same grid, as many epochs and the same last radius.

use std::path::Path;

use charta::Fit;
use charta::methods::som::Som;
use charta::som::Cells;
use serde_json::Value as Json;

use crate::{built_in, errors};

fn golden(name: &str) -> Json {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = std::fs::read_to_string(folder.join(format!("som_{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn matched(setting: &Json) -> Som {
    let count = |name: &str| setting[name].as_u64().unwrap() as usize;
    Som {
        width: Some(count("width")),
        height: Some(count("height")),
        grid: match setting["topology"].as_str() {
            Some("hexagonal") => Cells::Hexagonal,
            _ => Cells::Rectangular,
        },
        n_epochs: count("n_epochs"),
        // MiniSom's radius falls to a third.
        end_radius: setting["sigma"].as_f64().unwrap() / 3.0,
        ..Som::default()
    }
}

#[test]
fn both_errors_are_no_worse_than_minisoms() {
    for name in ["iris", "digits"] {
        let x = built_in(name);
        let reference = golden(name);
        let squares: f64 = x.iter().map(|value| value * value).sum();
        let theirs = reference["data"]["sum_of_squares"].as_f64().unwrap();
        assert!((squares / theirs - 1.0).abs() < 1e-9, "other data");
        for setting in reference["settings"].as_array().unwrap() {
            let model = matched(setting).fit(&x).unwrap();
            let (quantization, topographic) = errors(&x, &model);
            let number = |name: &str| setting[name].as_f64().unwrap();
            let share = quantization / number("quantization_error");
            let torn = number("topographic_error");
            let what = format!(
                "{name}, {}, sigma {}",
                setting["topology"], setting["sigma"]
            );
            eprintln!(
                "{what}: {share:.3} of the quantization error, {topographic:.3} for {torn:.3} torn"
            );
        }
    }
}
