//! Models kept, used on new rows, led back, looked at.

use charta::method::Input;
use charta::methods::METHODS;

use crate::call::{Folder, difference, largest, method_names, views};

#[test]
fn a_saved_model_places_the_training_rows_where_the_fit_did() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        // A standardized column has negative values.
        let scales: &[&str] = if entry.info.takes(Input::Nonnegative) {
            &["none", "min_max"]
        } else {
            &["none", "z_score", "min_max"]
        };
        for scale in scales {
            let words = [
                &*name, "wine", "--scale", scale, "-o", "fit.csv", "--save", "m.charta", "-q",
            ];
            folder.done(&[&words, &*views(entry, "wine")].concat());
            folder.done(&["transform", "m.charta", "wine", "-o", "new.csv", "-q"]);
            let (fit, new) = (folder.text("fit.csv"), folder.text("new.csv"));
            assert_eq!(fit.lines().next(), new.lines().next());
            let limit = entry.info.transform_error.max(1e-9) * largest(&fit).max(1.0);
            assert!(difference(&fit, &new) <= limit, "{name} {scale}");
        }
    }
}

#[test]
fn columns_of_new_rows_are_found_by_name() {
    let folder = Folder::new();
    folder.put("a.csv", "x,y,z\n1,2,3\n4,1,2\n7,5,5\n2,8,1\n");
    folder.put("b.csv", "z,more,x,y\n3,0,1,2\n2,0,4,1\n5,0,7,5\n1,0,2,8\n");
    folder.done(&[
        "pca",
        "a.csv",
        "-o",
        "a.out.csv",
        "--save",
        "m.charta",
        "-q",
    ]);
    folder.done(&[
        "transform",
        "m.charta",
        "b.csv",
        "-o",
        "b.out.csv",
        "--plot",
        "b.png",
        "-q",
    ]);
    assert!(difference(&folder.text("a.out.csv"), &folder.text("b.out.csv")) < 1e-12);
    folder.put("c.csv", "x,z\n1,2\n");
    let errors = folder.fails(1, &["transform", "m.charta", "c.csv", "-q"]);
    assert!(errors.contains("no column \"y\""), "{errors}");
}

#[test]
fn all_coordinates_lead_back_to_the_features() {
    let folder = Folder::new();
    folder.done(&["data", "iris", "-o", "iris.csv", "-q"]);
    folder.done(&[
        "pca", "iris.csv", "-n", "4", "--label", "class", "--scale", "min_max", "-o", "e.csv",
        "--save", "m.charta", "-q",
    ]);
    folder.done(&["inverse", "m.charta", "e.csv", "-o", "back.csv", "-q"]);
    let header = folder.text("back.csv").lines().next().unwrap().to_string();
    assert_eq!(header, "sepal_length,sepal_width,petal_length,petal_width");
    assert!(difference(&folder.text("iris.csv"), &folder.text("back.csv")) < 1e-10);
    let errors = folder.fails(
        1,
        &["inverse", "m.charta", "iris.csv", "--columns", "0-2", "-q"],
    );
    assert!(errors.contains("expected 4, got 3"), "{errors}");
}

#[test]
fn a_model_tells_what_it_is() {
    let folder = Folder::new();
    folder.done(&[
        "pca", "iris", "--scale", "center", "--save", "m.charta", "-q",
    ]);
    let text = folder.done(&["inspect", "m.charta"]).text;
    for part in [
        "`pca`",
        env!("CARGO_PKG_VERSION"),
        "n_components=2",
        "center",
        "petal_width",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = folder.done(&["inspect", "m.charta", "--json"]).json();
    assert_eq!(report["method"], "pca");
    assert_eq!(report["n_columns"], 4);
    assert_eq!(report["charta_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["diagnostics"]["n_rows"], 150);
}

#[test]
fn what_is_not_a_model_is_refused() {
    let folder = Folder::new();
    folder.fails(2, &["inspect", "none.charta"]);
    folder.put("text.charta", "this is not a model");
    let errors = folder.fails(1, &["transform", "text.charta", "iris"]);
    assert!(
        errors.contains("text.charta: not a readable charta model"),
        "{errors}"
    );
    folder.done(&["pca", "iris", "--save", "m.charta", "-q"]);
    let bytes = folder.bytes("m.charta");
    std::fs::write(folder.path("cut.charta"), &bytes[..bytes.len() / 2]).unwrap();
    folder.fails(1, &["inspect", "cut.charta"]);
}

#[test]
fn models_of_distances_take_distances_of_new_rows() {
    let folder = Folder::new();
    let places: Vec<f64> = (0..30).map(|i| f64::from(i * i) / 30.0).collect();
    let table = |rows: &[f64]| -> String {
        let line = |row: &f64| {
            let cells: Vec<String> = places
                .iter()
                .map(|to| (row - to).abs().to_string())
                .collect();
            cells.join(",") + "\n"
        };
        rows.iter().map(line).collect()
    };
    folder.put("all.csv", &table(&places));
    folder.put("new.csv", &table(&[0.5, 7.25]));
    for method in ["isomap", "laplacian-eigenmaps"] {
        let fit = [
            method,
            "all.csv",
            "--no-header",
            "--distances",
            "-k",
            "4",
            "-n",
            "1",
            "--save",
            "m.charta",
        ];
        folder.done(&fit);
        let place = [
            "transform",
            "m.charta",
            "new.csv",
            "--no-header",
            "--distances",
            "-o",
            "placed.csv",
        ];
        folder.done(&place);
        assert_eq!(folder.text("placed.csv").lines().count(), 3, "{method}");
    }
    folder.put("bad.csv", "0,1,2\n1,0,3\n2,4,0\n");
    let errors = folder.fails(
        1,
        &[
            "isomap",
            "bad.csv",
            "--no-header",
            "--distances",
            "-k",
            "1",
            "-n",
            "1",
        ],
    );
    assert!(
        errors.contains("bad.csv: ") && errors.contains("line "),
        "{errors}"
    );
}
