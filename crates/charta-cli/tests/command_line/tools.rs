//! The tools that need no model: lists, data sets, the scree.

use charta::methods::METHODS;

use crate::call::{Folder, method_names};

#[test]
fn methods_are_listed_in_words_and_as_json() {
    let folder = Folder::new();
    let text = folder.done(&["methods"]).text;
    for name in method_names() {
        assert!(text.contains(&name));
    }
    let list = folder.done(&["methods", "--json"]).json();
    assert_eq!(list.as_array().unwrap().len(), METHODS.len());
    assert_eq!(list[0]["name"], METHODS[0].info.name);
    assert!(
        list[0]["parameters"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
}

#[test]
fn every_data_set_is_listed_described_and_written() {
    let folder = Folder::new();
    let text = folder.done(&["data"]).text;
    let list = folder.done(&["data", "--json"]).json();
    for set in list.as_array().unwrap() {
        let name = set["name"].as_str().unwrap();
        assert!(text.contains(name));
        assert!(folder.done(&["data", name]).text.contains("licence"));
        folder.done(&["data", name, "-o", "set.csv", "-q"]);
        let rows = folder.text("set.csv").lines().count() - 1;
        assert_eq!(rows as u64, set["n_rows"].as_u64().unwrap(), "{name}");
    }
    folder.done(&["data", "swiss-roll:20,noise=0.1", "-o", "roll.csv", "-q"]);
    assert_eq!(folder.text("roll.csv").lines().count(), 21);
    assert!(
        folder
            .fails(2, &["data", "swissroll"])
            .contains("swiss-roll")
    );
    folder.fails(2, &["data", "-o", "x.csv"]);
}

#[test]
fn the_scree_sets_the_rules_side_by_side() {
    let folder = Folder::new();
    let text = folder
        .done(&["scree", "wine", "--scale", "z-score", "--plot", "s.png"])
        .text;
    for rule in ["elbow", "parallel", "mle", "proportion 0.9"] {
        assert!(text.contains(rule), "{text}");
    }
    assert!(folder.bytes("s.png").starts_with(b"\x89PNG"));
    let report = folder.done(&["scree", "wine", "--json"]).json();
    assert_eq!(report["variances"].as_array().unwrap().len(), 13);
    assert_eq!(report["rules"].as_array().unwrap().len(), 6);
    folder.fails(2, &["scree", "eurodist"]);
}

#[test]
fn the_scree_scales_as_a_fit_does_and_states_the_error_of_parallel_analysis() {
    let folder = Folder::new();
    let scree = |more: &[&str]| {
        let call = [&["scree", "wine", "--json"], more].concat();
        folder.done(&call).json()
    };
    let scaled = scree(&["--scale", "z-score"]);
    assert_eq!(
        scaled["variances"],
        scree(&["--scale", "z_score"])["variances"]
    );
    let fitted = folder.done(&["pca", "wine", "-n", "13", "--scale", "z-score", "--json"]);
    let variances = fitted.json()["diagnostics"]["explained_variance"].clone();
    for (ours, theirs) in variances
        .as_array()
        .unwrap()
        .iter()
        .zip(scaled["variances"].as_array().unwrap())
    {
        assert!((ours.as_f64().unwrap() - theirs.as_f64().unwrap()).abs() < 1e-9);
    }
    // Thirteen columns of variance 1 with n, which is n / (n − 1) with n − 1.
    let total = scaled["total_variance"].as_f64().unwrap();
    assert!((total - 13.0 * 178.0 / 177.0).abs() < 1e-9, "{total}");
    let analysis = &scaled["parallel_analysis"];
    assert_eq!(analysis["repetitions"], 200);
    let error = analysis["first_rejected"]["threshold_error"]
        .as_f64()
        .unwrap();
    assert!(error > 0.0 && error < 0.05, "{error}");
    assert_eq!(
        scree(&["--repetitions", "10"])["parallel_analysis"]["repetitions"],
        10
    );
    let text = folder.done(&["scree", "wine"]).text;
    assert!(
        text.contains("200 random data sets") && text.contains("Monte Carlo"),
        "{text}"
    );
    folder.fails(2, &["scree", "wine", "--repetitions", "0"]);
    folder.fails(2, &["scree", "wine", "--standardize"]);
}

#[test]
fn parallel_analysis_that_keeps_nothing_says_so_and_another_rule_decides() {
    let folder = Folder::new();
    // All directions alike: no variance stands out from chance.
    folder.put(
        "cube.csv",
        "a,b,c\n0,0,0\n0,0,1\n0,1,0\n0,1,1\n1,0,0\n1,0,1\n1,1,0\n1,1,1\n",
    );
    let text = folder.done(&["scree", "cube.csv"]).text;
    let verdict = "Recommended: 3 components (rule `proportion 0.9`)";
    assert!(text.contains(verdict), "{text}");
    assert!(text.contains("no component varies more"), "{text}");
    let report = folder.done(&["scree", "cube.csv", "--json"]).json();
    assert_eq!(report["agreement"], serde_json::json!([1, 3]));
    assert_eq!(report["recommendation"]["n_components"], 3);
    let parallel = report["rules"].as_array().unwrap().iter();
    let parallel = parallel.filter(|rule| rule["rule"] == "parallel");
    assert!(
        parallel
            .map(|rule| &rule["n_components"])
            .eq([&serde_json::Value::Null])
    );
}
