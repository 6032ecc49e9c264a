//! Rows as a model remembers them, and what it loses of them.

use charta::method::Capability;
use charta::methods::METHODS;

use crate::call::{Folder, difference, method_names, numbers, views};

#[test]
fn denoising_is_placing_and_leading_back() {
    let folder = Folder::new();
    folder.done(&["data", "iris", "-o", "iris.csv", "-q"]);
    folder.done(&[
        "pca", "iris.csv", "--label", "class", "--scale", "z_score", "-o", "e.csv", "--save",
        "m.charta", "-q",
    ]);
    folder.done(&[
        "inverse", "m.charta", "e.csv", "--label", "class", "-o", "back.csv", "-q",
    ]);
    let text = folder
        .done(&[
            "denoise",
            "m.charta",
            "iris.csv",
            "--label",
            "class",
            "-o",
            "clean.csv",
        ])
        .text;
    assert!(text.contains("denoised by"), "{text}");
    assert!(text.contains("mean squared change"), "{text}");
    assert!(difference(&folder.text("back.csv"), &folder.text("clean.csv")) < 1e-10);
    let header = folder.text("clean.csv").lines().next().unwrap().to_string();
    assert!(header.starts_with("sepal_length,sepal_width,petal_length,petal_width,class"));
    let report = folder
        .done(&["denoise", "m.charta", "iris", "--json"])
        .json();
    assert_eq!(report["method"], "pca");
    let change = report["mean_squared_change"].as_f64().unwrap();
    let (before, after) = (
        numbers(&folder.text("iris.csv")),
        numbers(&folder.text("clean.csv")),
    );
    let squares = before.iter().zip(&after).flat_map(|(a, b)| {
        a.iter()
            .zip(b)
            .take(4)
            .map(|(a, b)| (a - b).powi(2))
            .collect::<Vec<f64>>()
    });
    let mean = squares.sum::<f64>() / 600.0;
    assert!((change - mean).abs() < 1e-9, "{change} {mean}");
}

#[test]
fn images_are_drawn_above_what_became_of_them() {
    let folder = Folder::new();
    folder.done(&["pca", "digits", "-n", "10", "--save", "m.charta", "-q"]);
    for picture in ["rows.png", "rows.svg"] {
        folder.done(&[
            "denoise",
            "m.charta",
            "digits",
            "--images-plot",
            picture,
            "-q",
        ]);
    }
    assert!(folder.text("rows.svg").contains("denoised below"));
    assert!(folder.bytes("rows.png").starts_with(b"\x89PNG"));
    let errors = folder.fails(
        2,
        &[
            "denoise",
            "m.charta",
            "digits",
            "--images-plot",
            "rows.html",
        ],
    );
    assert!(errors.contains(".png or .svg"), "{errors}");
    folder.done(&["pca", "iris", "--save", "i.charta", "-q"]);
    let errors = folder.fails(
        2,
        &["denoise", "i.charta", "iris", "--images-plot", "i.png"],
    );
    assert!(errors.contains("not known to be images"), "{errors}");
}

#[test]
fn a_model_without_a_way_back_cannot_denoise() {
    let folder = Folder::new();
    folder.done(&["lle", "iris", "--save", "m.charta", "-q"]);
    let errors = folder.fails(2, &["denoise", "m.charta", "iris"]);
    assert!(
        errors.contains("`lle` has no inverse transform"),
        "{errors}"
    );
}

#[test]
fn errors_of_rows_stand_beside_the_coordinates_where_there_are_any() {
    let folder = Folder::new();
    folder.done(&["data", "wine", "-o", "wine.csv", "-q"]);
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let words = [
            &*name, "wine", "--errors", "-o", "fit.csv", "--save", "m.charta", "--json",
        ];
        let words = [&words, &*views(entry, "wine")].concat();
        if !entry.info.offers(Capability::RowErrors) {
            let errors = folder.fails(2, &words);
            assert!(errors.contains("`--errors` has nothing"), "{errors}");
            assert!(!folder.done(&[&name, "--help"]).text.contains("--errors"));
            continue;
        }
        let report = folder.done(&words).json();
        let fit = folder.text("fit.csv");
        assert!(
            fit.lines()
                .next()
                .unwrap()
                .contains(",reconstruction_error")
        );
        let n_components = report["coordinates"].as_array().unwrap().len();
        let errors: Vec<f64> = numbers(&fit).iter().map(|row| row[n_components]).collect();
        let reported = &report["reconstruction_error"];
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let largest = errors.iter().fold(0.0_f64, |a, b| a.max(*b));
        assert!((reported["mean"].as_f64().unwrap() - mean).abs() < 1e-9 * mean);
        assert!((reported["largest"].as_f64().unwrap() - largest).abs() < 1e-9 * largest);
        let row = reported["row"].as_u64().unwrap() as usize;
        assert!((errors[row] - largest).abs() < 1e-9 * largest);
        folder.done(&[
            "transform",
            "m.charta",
            "wine",
            "--errors",
            "-o",
            "new.csv",
            "-q",
        ]);
        assert!(difference(&fit, &folder.text("new.csv")) < 1e-6 * largest);
        let text = folder
            .done(&["transform", "m.charta", "wine", "--errors"])
            .text;
        assert!(
            text.contains("Reconstruction error of the rows: mean"),
            "{text}"
        );
    }
    let streamed = [
        "pca",
        "wine.csv",
        "--label",
        "class",
        "--streaming",
        "--batch-rows",
        "50",
        "--errors",
        "-o",
        "batches.csv",
        "-q",
    ];
    folder.done(&streamed);
    folder.done(&[
        "pca",
        "wine.csv",
        "--label",
        "class",
        "--errors",
        "-o",
        "whole.csv",
        "-q",
    ]);
    assert!(difference(&folder.text("batches.csv"), &folder.text("whole.csv")) < 1e-6);
}

#[test]
fn errors_of_rows_are_told_without_any_file() {
    let folder = Folder::new();
    let text = folder.done(&["pca", "iris", "--errors"]).text;
    assert!(
        text.contains("Reconstruction error of the rows: mean"),
        "{text}"
    );
    folder.done(&["isomap", "iris", "--save", "m.charta", "-q"]);
    let errors = folder.fails(2, &["transform", "m.charta", "iris", "--errors"]);
    assert!(
        errors.contains("`isomap` has no reconstruction errors"),
        "{errors}"
    );
}

#[test]
fn photographs_are_not_drawn_as_negatives() {
    let folder = Folder::new();
    let draw = |data: &str, words: &[&str]| {
        folder.done(&["pca", data, "-n", "5", "--save", "m.charta", "-q"]);
        let call = [
            "denoise",
            "m.charta",
            data,
            "--images-plot",
            "rows.svg",
            "-q",
        ];
        folder.done(&[&call, words].concat());
        folder.text("rows.svg")
    };
    // Faces over a grey background have no paper; digits have.
    assert!(draw("moved-face:60", &[]).contains("lighter is more"));
    assert!(draw("digits", &[]).contains("darker is more"));
    assert!(draw("digits", &["--image-ink", "light"]).contains("lighter is more"));
    assert!(draw("moved-face:60", &["--image-ink", "dark"]).contains("darker is more"));
}

#[test]
fn residuals_and_reconstructions_add_up_to_the_rows() {
    let folder = Folder::new();
    folder.done(&["data", "iris", "-o", "iris.csv", "-q"]);
    folder.done(&[
        "pca", "iris", "--scale", "z_score", "--save", "m.charta", "-q",
    ]);
    folder.done(&["denoise", "m.charta", "iris", "-o", "clean.csv", "-q"]);
    let call = [
        "denoise",
        "m.charta",
        "iris",
        "--residual",
        "-o",
        "rest.csv",
    ];
    let text = folder.done(&call).text;
    assert!(text.contains("residuals: rows minus"), "{text}");
    let read = |name: &str| numbers(&folder.text(name));
    let (rows, clean, rest) = (read("iris.csv"), read("clean.csv"), read("rest.csv"));
    for row in 0..150 {
        for column in 0..4 {
            let sum = clean[row][column] + rest[row][column];
            assert!((sum - rows[row][column]).abs() < 1e-12);
        }
    }
}
