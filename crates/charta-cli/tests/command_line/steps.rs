//! `--steps`: the matrices of a fit; `charta sample`: rows of a model's distribution.

use std::fs;

use crate::call::Folder;

/// Coordinates of a table as columns, each about its mean and of length 1.
fn axes(text: &str) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .filter_map(|cell| cell.parse().ok())
                .collect()
        })
        .collect();
    (0..2)
        .map(|axis| {
            let column: Vec<f64> = rows.iter().map(|row| row[axis]).collect();
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            let length = column
                .iter()
                .map(|value| (value - mean).powi(2))
                .sum::<f64>()
                .sqrt();
            column.iter().map(|value| (value - mean) / length).collect()
        })
        .collect()
}

#[test]
fn manifold_methods_are_kernel_pca_with_the_kernel_of_their_steps() {
    let folder = Folder::new();
    folder.done(&["data", "swiss-roll:300,seed=2", "-o", "roll.csv", "-q"]);
    let calls: [&[&str]; 3] = [
        &["isomap"],
        &["lle"],
        &["laplacian-eigenmaps", "--normalization", "unnormalized"],
    ];
    for words in calls {
        let method = words[0];
        let fit = [
            words,
            &[
                "roll.csv",
                "--columns",
                "0-2",
                "-o",
                "map.csv",
                "--steps",
                method,
                "-q",
            ],
        ]
        .concat();
        folder.done(&fit);
        let kernel = format!("{method}/kernel.npy");
        let again = [
            "kernel-pca",
            &kernel,
            "--kernel-matrix",
            "-o",
            "again.csv",
            "-q",
        ];
        folder.done(&again);
        for (a, b) in axes(&folder.text("map.csv"))
            .iter()
            .zip(axes(&folder.text("again.csv")))
        {
            let cosine: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!(1.0 - cosine.abs() < 1e-6, "{method}: {cosine}");
        }
        let list: serde_json::Value =
            serde_json::from_str(&folder.text(&format!("{method}/steps.json"))).unwrap();
        assert_eq!(list["method"], method.replace('-', "_"));
        for matrix in list["matrices"].as_array().unwrap() {
            let file = folder.bytes(&format!("{method}/{}", matrix["file"].as_str().unwrap()));
            assert!(file.starts_with(b"\x93NUMPY"));
            assert_eq!(matrix["shape"], serde_json::json!([300, 300]));
        }
    }
}

#[test]
fn steps_are_refused_where_there_are_none_or_no_room() {
    let folder = Folder::new();
    let errors = folder.fails(2, &["umap", "iris", "--steps", "matrices"]);
    assert!(
        errors.contains("`umap`") && errors.contains("`lle`"),
        "{errors}"
    );
    assert!(!folder.path("matrices").exists());
    folder.put("taken", "");
    assert!(
        folder
            .fails(2, &["pca", "iris", "--steps", "taken"])
            .contains("taken")
    );
    assert!(
        folder
            .fails(2, &["pca", "iris", "--streaming", "--steps", "m"])
            .contains("--steps")
    );
    let text = folder
        .done(&["pca", "iris", "--steps", "deep/matrices"])
        .text;
    assert!(text.contains("matrices of the fit"), "{text}");
    assert!(folder.path("deep/matrices/covariance.npy").exists());
    let words = ["linear", "covariance", "iris", "-o", "c.npy", "-q"];
    folder.done(&words);
    assert_eq!(
        folder.bytes("c.npy"),
        fs::read(folder.path("deep/matrices/covariance.npy")).unwrap()
    );
}

#[test]
fn rows_are_drawn_from_models_with_a_distribution_only() {
    let folder = Folder::new();
    folder.done(&[
        "factor-analysis",
        "iris",
        "-n",
        "2",
        "--save",
        "fa.charta",
        "-q",
    ]);
    folder.done(&[
        "sample",
        "fa.charta",
        "--rows",
        "20000",
        "--seed",
        "3",
        "-o",
        "rows.csv",
        "-q",
    ]);
    let text = folder.text("rows.csv");
    assert_eq!(text.lines().count(), 20_001);
    assert!(text.starts_with("sepal"), "{}", &text[..60]);
    let covariance = |file: &str| {
        let json = folder
            .done(&["linear", "covariance", file, "--json"])
            .json();
        json["matrix"].clone()
    };
    let (drawn, data) = (covariance("rows.csv"), covariance("iris"));
    for j in 0..4 {
        let (a, b) = (drawn[j][j].as_f64().unwrap(), data[j][j].as_f64().unwrap());
        assert!((a / b - 1.0).abs() < 0.05, "{j}: {a} {b}");
    }
    // Fewer rows are the first of more.
    let few = folder
        .done(&["sample", "fa.charta", "--rows", "3", "--seed", "3"])
        .text;
    assert!(text.starts_with(&few));
    folder.done(&["isomap", "iris", "--save", "isomap.charta", "-q"]);
    let errors = folder.fails(2, &["sample", "isomap.charta", "--rows", "3"]);
    assert!(
        errors.contains("`isomap`") && errors.contains("`factor-analysis`"),
        "{errors}"
    );
    assert!(
        folder
            .fails(2, &["sample", "fa.charta", "--rows", "0"])
            .contains("--rows")
    );
}
