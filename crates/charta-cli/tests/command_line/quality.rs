//! How good a map is and of how many dimensions the data is, from the command line.

use charta::method::{Input, LabelUse};
use charta::methods::METHODS;

use crate::call::{Folder, method_names, numbers};

/// The plane of two measured columns of iris, with names and labels beside them.
fn with_map() -> Folder {
    let folder = Folder::new();
    let method = "pca";
    folder.done(&[method, "iris", "-o", "map.csv", "-q"]);
    folder
}

#[test]
fn a_map_is_measured_in_words_json_rows_and_pictures() {
    let folder = with_map();
    let call = [
        "quality",
        "iris",
        "map.csv",
        "--n-neighbors",
        "5,15",
        "-o",
        "rows.csv",
        "--plot",
        "curve.png",
    ];
    let text = folder
        .done(&[&call[..], &["--shepard-plot", "shepard.svg"]].concat())
        .text;
    for word in [
        "trustworthiness",
        "R_NX",
        "Pearson",
        "Spearman",
        "stress-1",
        "150 rows measured",
        "map.csv: 2 coordinates",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(folder.bytes("curve.png").starts_with(b"\x89PNG"));
    assert!(
        folder
            .text("shepard.svg")
            .contains("distance in the embedding")
    );
    let rows = folder.text("rows.csv");
    assert!(
        rows.starts_with("trustworthiness_5,continuity_5,q_nx_5,hit_5,trustworthiness_15,"),
        "{rows}"
    );
    assert_eq!(rows.lines().count(), 151);
    let report = folder
        .done(&[
            "quality",
            "iris",
            "map.csv",
            "--n-neighbors",
            "5,15",
            "--json",
        ])
        .json();
    let mean = numbers(&rows).iter().map(|row| row[0]).sum::<f64>() / 150.0;
    let reported = report["quality"]["trustworthiness"][0].as_f64().unwrap();
    assert!(
        (reported - mean).abs() < 1e-9 && reported > 0.95,
        "{reported} {mean}"
    );
    assert!(report["quality"]["nearest_accuracy"][1].as_f64().unwrap() > 0.9);
    assert_eq!(report["quality"]["n_measured"], 150);
}

#[test]
fn a_fit_measures_its_own_map() {
    let folder = with_map();
    let method = "pca";
    let text = folder.done(&[method, "iris", "--quality"]).text;
    assert!(
        text.contains("Quality, 150 rows measured:") && text.contains("trustworthiness"),
        "{text}"
    );
    let fitted = folder.done(&[method, "iris", "--quality", "--json"]).json();
    let measured = folder
        .done(&["quality", "iris", "map.csv", "--json"])
        .json();
    let score =
        |report: &serde_json::Value| report["quality"]["trustworthiness"][0].as_f64().unwrap();
    assert!((score(&fitted) - score(&measured)).abs() < 1e-6);
    assert_eq!(fitted["n_without_coordinates"], 0);
}

#[test]
fn a_sample_states_its_size_and_its_errors() {
    let folder = with_map();
    let text = folder
        .done(&["quality", "iris", "map.csv", "--sample", "60"])
        .text;
    assert!(
        text.contains("60 of 150 rows measured against all others") && text.contains(" ± "),
        "{text}"
    );
    let report = folder
        .done(&["quality", "iris", "map.csv", "--sample", "60", "--json"])
        .json();
    assert!(
        report["quality"]["trustworthiness_error"][0]
            .as_f64()
            .unwrap()
            > 0.0
    );
    folder.done(&[
        "quality", "iris", "map.csv", "--sample", "60", "-o", "rows.csv", "-q",
    ]);
    let empty = folder
        .text("rows.csv")
        .lines()
        .skip(1)
        .filter(|line| line.starts_with(','))
        .count();
    assert_eq!(empty, 90);
    folder.fails(2, &["quality", "iris", "map.csv", "--sample", "1"]);
    folder.fails(2, &["quality", "iris", "map.csv", "--sample", "some"]);
}

#[test]
fn rows_are_matched_by_name_and_those_without_a_place_are_left_out() {
    let folder = Folder::new();
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let (mut data, mut map, mut turned) = (
        String::from("name,x,y,z\n"),
        String::from("name,u,v\n"),
        String::from("name,u,v\n"),
    );
    for (row, letter) in letters.iter().enumerate() {
        let (x, y) = (row as f64, ((row * row) % 7) as f64);
        data.push_str(&format!("{letter},{x},{y},0.5\n"));
        map.push_str(&format!("{letter},{x},{y}\n"));
    }
    for line in map.lines().skip(1).collect::<Vec<_>>().iter().rev() {
        turned.push_str(&format!("{line}\n"));
    }
    folder.put("data.csv", &data);
    folder.put("map.csv", &map);
    folder.put("turned.csv", &turned);
    folder.put("holes.csv", &map.replace("c,2,4", "c,,"));
    folder.put("other.csv", &map.replace("c,2,4", "k,2,4"));
    folder.put("short.csv", &map.replace("c,2,4\n", ""));
    let area = |name: &str| {
        let report = folder
            .done(&["quality", "data.csv", name, "--id", "name", "--json"])
            .json();
        (
            report["quality"]["r_nx_area"].as_f64().unwrap(),
            report["quality"]["n_missing"].as_u64().unwrap(),
        )
    };
    let (whole, missing) = area("map.csv");
    assert!((whole - 1.0).abs() < 1e-9 && missing == 0, "{whole}");
    assert_eq!(area("turned.csv"), (whole, 0));
    assert_eq!(area("holes.csv").1, 1);
    let message = folder
        .done(&["quality", "data.csv", "holes.csv", "--id", "name"])
        .text;
    assert!(
        message.contains("7 rows measured, 1 row without coordinates left out"),
        "{message}"
    );
    let message = folder.fails(1, &["quality", "data.csv", "other.csv", "--id", "name"]);
    assert!(
        message.contains("the data's row \"c\" is not in the embedding"),
        "{message}"
    );
    let message = folder.fails(1, &["quality", "data.csv", "short.csv", "--id", "name"]);
    assert!(
        message.contains("data.csv has 8 rows, and the embedding short.csv has 7 rows"),
        "{message}"
    );
    let report = folder
        .done(&[
            "quality",
            "data.csv",
            "map.csv",
            "--id",
            "name",
            "--known",
            "turned.csv",
            "--json",
        ])
        .json();
    assert!(report["quality"]["procrustes_disparity"].as_f64().unwrap() < 1e-9);
    let message = folder.fails(
        2,
        &[
            "quality",
            "data.csv",
            "map.csv",
            "--id",
            "name",
            "--n-neighbors",
            "4",
        ],
    );
    assert!(
        message.contains("`--n-neighbors` must be from 1 to 3"),
        "{message}"
    );
    folder.fails(
        2,
        &["quality", "data.csv", "map.csv", "--n-neighbors", "five"],
    );
    folder.fails(2, &["quality", "data.csv", "map.csv", "--metric", "crow"]);
    folder.fails(2, &["quality", "data.csv"]);
    folder.fails(2, &["quality", "data.csv", "map.csv", "-o", "map.csv"]);
}

#[test]
fn the_label_is_a_known_coordinate_where_it_is_listed() {
    let folder = Folder::new();
    folder.done(&["data", "s-curve:300", "-o", "sheet.csv"]);
    folder.done(&["isomap", "s-curve:300", "-k", "8", "-o", "map.csv"]);
    let disparity = |columns: &str| {
        let call = [
            "quality",
            "s-curve:300",
            "map.csv",
            "--known",
            "sheet.csv",
            "--known-columns",
            columns,
            "--json",
        ];
        folder.done(&call).json()["quality"]["procrustes_disparity"]
            .as_f64()
            .unwrap()
    };
    // Position and height are the coordinates on the sheet; position is also the label of the data.
    assert!(
        disparity("position,y") < 0.02,
        "{}",
        disparity("position,y")
    );
    assert!(disparity("3,1") < 0.02, "{}", disparity("3,1"));
    assert!(disparity("x,z") > 0.3, "{}", disparity("x,z"));
}

#[test]
fn the_dimension_is_estimated_in_every_way() {
    let folder = Folder::new();
    let call = [
        "dimension",
        "swiss-roll:800",
        "-o",
        "rows.csv",
        "--plot",
        "dimension.png",
    ];
    let text = folder.done(&call).text;
    for word in [
        "maximum likelihood",
        "two nn",
        "correlation",
        "participation ratio",
        "parallel",
        "elbow",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(folder.bytes("dimension.png").starts_with(b"\x89PNG"));
    assert_eq!(folder.text("rows.csv").lines().count(), 801);
    let report = folder
        .done(&["dimension", "swiss-roll:800", "--json"])
        .json();
    let estimates = report["estimates"].as_array().unwrap();
    let likelihood = estimates
        .iter()
        .find(|of| of["estimator"] == "maximum likelihood")
        .unwrap();
    assert!((likelihood["dimension"].as_f64().unwrap() - 2.0).abs() < 0.2);
    assert_eq!(report["rules"].as_array().unwrap().len(), 6);
    let text = folder.done(&["dimension", "eurodist", "--distances"]).text;
    assert!(
        text.contains("maximum likelihood") && !text.contains("elbow"),
        "{text}"
    );
    folder.fails(2, &["dimension", "iris", "--n-neighbors", "1-5"]);
    folder.fails(2, &["dimension", "iris", "--discard", "1"]);
}

#[test]
fn the_quality_of_a_scaled_fit_is_that_of_the_scaled_data() {
    let folder = Folder::new();
    let fit = [
        "pca",
        "iris",
        "-n",
        "2",
        "--scale",
        "z_score",
        "-o",
        "map.csv",
        "--quality",
        "--json",
    ];
    let of_fit = folder.done(&fit).json();
    let scaled = ["quality", "iris", "map.csv", "--scale", "z_score", "--json"];
    let measured = folder.done(&scaled).json();
    assert_eq!(of_fit["quality"], measured["quality"]);
    let plain = folder
        .done(&["quality", "iris", "map.csv", "--json"])
        .json();
    assert_ne!(of_fit["quality"], plain["quality"]);
    let one = folder
        .done(&["dimension", "iris", "--scale", "z_score", "--json"])
        .json();
    let other = folder.done(&["dimension", "iris", "--json"]).json();
    assert_ne!(one["estimates"], other["estimates"]);
}

#[test]
fn a_map_that_unrolls_is_not_taken_for_a_failure() {
    let folder = Folder::new();
    let text = folder.done(&["isomap", "swiss-roll:400", "--quality"]).text;
    assert!(text.contains("compare distances as they are"), "{text}");
    assert!(text.contains("residual variance by coordinates"), "{text}");
    assert!(text.contains("as the embedding is"), "{text}");
    assert!(!text.contains("bridges"), "{text}");
    let text = folder.done(&["lle", "swiss-roll:400", "--quality"]).text;
    assert!(!text.contains("as the embedding is"), "{text}");
    assert!(text.contains("at the best scale"), "{text}");
}

#[test]
fn files_that_hold_no_coordinates_are_named_for_what_they_are() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "--save", "m.charta", "--plot", "m.png"]);
    folder.done(&["pca", "iris", "-o", "map.csv", "-q"]);
    let errors = folder.fails(2, &["quality", "iris", "map.csv", "--known", "m.charta"]);
    assert!(errors.contains("m.charta is a saved model"), "{errors}");
    let errors = folder.fails(2, &["quality", "iris", "m.png"]);
    assert!(errors.contains("m.png is a picture"), "{errors}");
    folder.done(&["data", "iris", "-o", "same.csv"]);
    let answer = folder.done(&["quality", "iris", "same.csv"]);
    assert!(
        answer
            .errors
            .contains("columns of the data are among the coordinates")
    );
}

#[test]
fn a_map_is_judged_by_the_metric_of_its_fit() {
    let folder = Folder::new();
    let score =
        |report: &serde_json::Value| report["quality"]["trustworthiness"][0].as_f64().unwrap();
    let call = [
        "umap",
        "iris",
        "--metric",
        "cosine",
        "--quality",
        "-o",
        "map.csv",
    ];
    let fitted = folder.done(&[&call[..], &["--json"]].concat()).json();
    assert_eq!(fitted["quality"]["metric"], "cosine");
    let evaluate = ["quality", "iris", "map.csv", "--json"];
    let cosine = folder
        .done(&[&evaluate[..], &["--metric", "cosine"]].concat())
        .json();
    let euclidean = folder.done(&evaluate).json();
    assert_eq!(euclidean["quality"]["metric"], "euclidean");
    assert!((score(&fitted) - score(&cosine)).abs() < 1e-6);
    assert!(score(&fitted) > score(&euclidean) + 0.02);
    assert!(
        folder
            .done(&call)
            .text
            .contains("distances in the data: cosine\n")
    );
    let power = ["isomap", "iris", "--metric", "minkowski", "--power", "4"];
    let fitted = folder
        .done(&[&power[..], &["--quality", "--json"]].concat())
        .json();
    assert_eq!(fitted["quality"]["metric"], "minkowski");
    assert_eq!(fitted["quality"]["power"], 4.0);
    let distances = folder.done(&["mds", "eurodist", "--quality", "--json"]);
    assert_eq!(distances.json()["quality"]["metric"], "precomputed");
}

#[test]
fn every_method_with_a_metric_is_judged_by_it() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let has_metric = entry.specs().iter().any(|spec| spec.name == "metric");
        if entry.info.takes(Input::Views) || entry.info.labels == LabelUse::Required {
            continue;
        }
        let mut call = vec![name.as_str(), "swiss-roll:60", "--quality", "--json", "-q"];
        let mut metric = "euclidean";
        if has_metric {
            metric = "manhattan";
            call.extend(["--metric", metric]);
        }
        let answer = folder.call(&call);
        if answer.code == 0 && !answer.json()["quality"].is_null() {
            assert_eq!(answer.json()["quality"]["metric"], metric, "{name}");
        } else {
            assert!(!has_metric, "{name}: {}", answer.errors);
        }
    }
}

#[test]
fn a_model_is_judged_by_its_own_metric_and_scaling() {
    let folder = Folder::new();
    let call = [
        "umap", "wine", "--metric", "cosine", "--scale", "z-score", "--save", "m.charta",
    ];
    let fitted = folder
        .done(&[&call[..], &["--quality", "--json"]].concat())
        .json();
    let evaluated = folder
        .done(&["quality", "wine", "m.charta", "--json"])
        .json();
    for figure in ["metric", "trustworthiness", "continuity", "q_nx"] {
        assert_eq!(
            fitted["quality"][figure], evaluated["quality"][figure],
            "{figure}"
        );
    }
    assert_eq!(evaluated["quality"]["metric"], "cosine");
    let other = [
        "quality",
        "wine",
        "m.charta",
        "--metric",
        "manhattan",
        "--json",
    ];
    assert_eq!(folder.done(&other).json()["quality"]["metric"], "manhattan");
    // Other rows are transformed first.
    folder.done(&["data", "wine", "-o", "wine.csv", "-q"]);
    let text = folder.text("wine.csv");
    let some: Vec<&str> = text.lines().take(60).collect();
    folder.put("some.csv", &(some.join("\n") + "\n"));
    let report = folder
        .done(&["quality", "some.csv", "m.charta", "--json"])
        .json();
    assert_eq!(report["quality"]["n_measured"], 59);
}
