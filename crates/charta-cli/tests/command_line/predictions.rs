//! What a model says about new rows besides their coordinates.

use charta::method::{Capability, Input};
use charta::methods::METHODS;

use charta::registry::Entry;

use crate::call::{Folder, difference, method_names};

/// Whether a method's model predicts clusters, which have no names.
fn predicts_clusters(entry: &Entry) -> bool {
    entry.info.offers(Capability::Clusters)
}

/// Fits a method to iris or linnerud and tells what the saved model can predict.
fn saved(folder: &Folder, words: &[&str]) -> serde_json::Value {
    folder.done(&[words, &["--save", "m.charta", "-q"]].concat());
    folder.done(&["inspect", "m.charta", "--json"]).json()
}

#[test]
fn models_that_learned_classes_predict_them() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if entry.info.takes(Input::Views)
            || predicts_clusters(entry)
            || saved(&folder, &[&name, "iris"])["predicts"] == false
        {
            continue;
        }
        let words = ["predict", "m.charta", "iris", "-o", "p.csv"];
        let text = folder.done(&words).text;
        assert!(
            text.contains("accuracy ") && text.contains("true \\ predicted"),
            "{text}"
        );
        let table = folder.text("p.csv");
        let header = "predicted,p_setosa,p_versicolor,p_virginica,class";
        assert_eq!(table.lines().next(), Some(header));
        let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
        assert_eq!((row[0], row[4]), ("setosa", "setosa"));
        let sum: f64 = row[1..4]
            .iter()
            .map(|cell| cell.parse::<f64>().unwrap())
            .sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");

        let report = folder
            .done(&["predict", "m.charta", "iris", "--json"])
            .json();
        let evaluation = &report["evaluation"];
        let right = table.lines().skip(1).filter(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[0] == cells[4]
        });
        assert_eq!(evaluation["n_right"], right.count());
        assert!(evaluation["accuracy"].as_f64().unwrap() > 0.7, "{name}");
        assert_eq!(evaluation["confusion"].as_array().unwrap().len(), 3);

        folder.done(&[
            "predict",
            "m.charta",
            "iris",
            "--decisions",
            "-o",
            "d.csv",
            "-q",
        ]);
        let again = folder.done(&[
            "pca",
            "d.csv",
            "--columns",
            "d_*",
            "--label",
            "predicted",
            "--json",
        ]);
        assert_eq!(again.json()["data"]["n_columns"], 3);
    }
}

#[test]
fn rows_without_labels_are_counted_by_class() {
    let folder = Folder::new();
    folder.put(
        "new.csv",
        "sepal_width,sepal_length,petal_width,petal_length\n3.5,5.1,0.2,1.4\n3,5.9,1.8,5.1\n",
    );
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if entry.info.takes(Input::Views)
            || predicts_clusters(entry)
            || saved(&folder, &[&name, "iris"])["predicts"] == false
        {
            continue;
        }
        let text = folder.done(&["predict", "m.charta", "new.csv"]).text;
        assert!(
            text.contains("setosa      1") && text.contains("-o FILE"),
            "{text}"
        );
        folder.put("three.csv", "sepal_width,sepal_length,petal_width\n1,2,3\n");
        let errors = folder.fails(1, &["predict", "m.charta", "three.csv"]);
        assert!(errors.contains("no column \"petal_length\""), "{errors}");
        let errors = folder.fails(
            2,
            &["predict", "m.charta", "iris", "--from", "1", "--to", "2"],
        );
        assert!(errors.contains("has no views"), "{errors}");
    }
}

#[test]
fn models_that_learned_clusters_predict_them() {
    let folder = Folder::new();
    folder.put(
        "new.csv",
        "sepal_width,sepal_length,petal_width,petal_length\n3.5,5.1,0.2,1.4\n3,5.9,1.8,5.1\n",
    );
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !predicts_clusters(entry) {
            continue;
        }
        let report = saved(&folder, &[&name, "iris", "--n-clusters", "2"]);
        assert_eq!(report["predicts"], true, "{name}");
        let text = folder.done(&["predict", "m.charta", "new.csv"]).text;
        assert!(
            text.contains("cluster 0  1\n  cluster 1  1\n") && text.contains("-o FILE"),
            "{name}: {text}"
        );
        folder.done(&["predict", "m.charta", "iris", "-o", "p.csv", "-q"]);
        let clusters: Vec<String> = (folder.text("p.csv").lines().skip(1))
            .map(|line| line.split(',').next().unwrap().to_string())
            .collect();
        // Setosa lies apart from the other two species.
        let first = &clusters[0];
        let same = clusters.iter().filter(|cluster| *cluster == first).count();
        assert!((50..=53).contains(&same), "{name}: {same}");
        assert!(
            clusters[..50].iter().all(|cluster| cluster == first),
            "{name}"
        );
        folder.put("three.csv", "sepal_width,sepal_length,petal_width\n1,2,3\n");
        let errors = folder.fails(1, &["predict", "m.charta", "three.csv"]);
        assert!(errors.contains("no column \"petal_length\""), "{errors}");
    }
}

#[test]
fn a_view_is_predicted_from_another() {
    let folder = Folder::new();
    folder.done(&["data", "linnerud", "-o", "both.csv", "-q"]);
    folder.put("one.csv", &{
        let both = folder.text("both.csv");
        let first = both.lines().map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[..3].join(",") + "\n"
        });
        first.collect::<String>()
    });
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.takes(Input::Views) {
            continue;
        }
        let views = ["--view", "0-2", "--view", "3-5"];
        let mut tables = Vec::new();
        for scale in ["none", "z_score"] {
            let words = [&[&*name, "both.csv", "--scale", scale], &views[..]].concat();
            assert_eq!(saved(&folder, &words)["views"], serde_json::json!([3, 3]));
            let predict = ["predict", "m.charta", "one.csv", "--from", "1", "--to", "2"];
            folder.done(&[&predict[..], &["-o", "p.csv", "-q"]].concat());
            tables.push(folder.text("p.csv"));
        }
        let header = "predicted_weight,predicted_waist,predicted_pulse";
        assert_eq!(tables[0].lines().next(), Some(header));
        // In the units of the columns, however they were scaled.
        assert!(difference(&tables[0], &tables[1]) < 1e-6, "{name}");
        let words = [
            "predict", "m.charta", "both.csv", "--from", "1", "--to", "2",
        ];
        let text = folder.done(&words).text;
        assert!(text.contains("R²") && text.contains("waist"), "{text}");
        for (words, message) in [
            (&["--from", "1"][..], "go together"),
            (&["--from", "1", "--to", "1"], "the same view"),
            (&["--from", "1", "--to", "3"], "from 1 to 2, got 3"),
            (&[], "choose them with `--from 1 --to 2`"),
        ] {
            let errors = folder.fails(2, &[&["predict", "m.charta", "both.csv"], words].concat());
            assert!(errors.contains(message), "{errors}");
        }
        let words = ["predict", "m.charta", "one.csv", "--from", "2", "--to", "1"];
        let errors = folder.fails(1, &words);
        assert!(
            errors.contains("no column \"weight\", which view 2 needs"),
            "{errors}"
        );
    }
}

#[test]
fn a_model_that_predicts_nothing_says_so() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "--save", "m.charta", "-q"]);
    let errors = folder.fails(2, &["predict", "m.charta", "iris", "-o", "p.csv"]);
    assert!(
        errors.contains("a model of `pca` predicts nothing: `charta transform` gives the coordinates of new rows"),
        "{errors}"
    );
    assert_eq!(folder.names(), ["m.charta"]);
    let errors = folder.fails(2, &["predict", "m.charta"]);
    assert!(errors.contains("DATA is missing"), "{errors}");
}
