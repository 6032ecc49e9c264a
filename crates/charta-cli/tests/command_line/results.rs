//! What a fit gives: summaries, JSON, pictures, the same bytes every time.

use charta::method::Input;
use charta::methods::METHODS;

use crate::call::{Folder, method_names, views};

#[test]
fn every_method_runs_and_tells_what_it_did() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let views = views(entry, "iris");
        let answer = folder.done(&[&[&*name, "iris"], &*views].concat());
        assert!(
            answer.text.contains("iris: 150 rows × 4 columns"),
            "{}",
            answer.text
        );
        assert!(answer.text.contains(entry.info.title));
        assert!(
            answer.text.contains("-o FILE"),
            "a hint how to keep the result"
        );
        // Without a terminal, stages are not shown.
        assert!(!answer.errors.contains("reading"), "{}", answer.errors);
    }
}

#[test]
fn the_json_report_is_whole_and_alone() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let words = [&*name, "digits", "--json", "--save", "m.charta"];
        let report = folder
            .done(&[&words, &*views(entry, "digits")].concat())
            .json();
        assert_eq!(report["method"], entry.info.name);
        assert_eq!(report["data"]["n_rows"], 1797);
        assert_eq!(report["files"][0]["what"], "model");
        for spec in entry.specs() {
            assert_eq!(
                report["parameters"][spec.name], spec.default,
                "{}",
                spec.name
            );
        }
        assert!(report["seconds"].as_f64().unwrap() > 0.0);
        assert!(report["stages"].as_array().unwrap().len() > 1);
    }
}

#[test]
fn large_tables_are_in_the_full_report_only() {
    let folder = Folder::new();
    let brief = folder.done(&["pca", "digits", "-n", "20", "--json"]).json();
    assert!(brief["diagnostics"]["components"].is_null());
    let left_out = brief["diagnostics"]["left_out"].to_string();
    assert!(left_out.contains("components"), "{left_out}");
    let full = folder
        .done(&["pca", "digits", "-n", "20", "--json=full"])
        .json();
    assert_eq!(
        full["diagnostics"]["components"].as_array().unwrap().len(),
        20
    );
}

#[test]
fn quiet_is_quiet() {
    let folder = Folder::new();
    let answer = folder.done(&["pca", "iris", "-o", "out.csv", "--quiet"]);
    assert_eq!((answer.text.as_str(), answer.errors.as_str()), ("", ""));
    assert_eq!(folder.names(), ["out.csv"]);
}

#[test]
fn pictures_are_drawn_in_every_format() {
    let folder = Folder::new();
    folder.done(&[
        "pca",
        "digits",
        "-n",
        "9",
        "--plot",
        "p.png",
        "--scree-plot",
        "s.svg",
        "--components-plot",
        "c.png",
        "-q",
    ]);
    folder.done(&[
        "pca",
        "iris",
        "--plot",
        "p.svg",
        "--color-by",
        "petal_length",
        "-q",
    ]);
    folder.done(&["pca", "digits", "--plot", "p.html", "-q"]);
    folder.done(&["pca", "digits", "-n", "1", "--plot", "flat.png", "-q"]);
    folder.put("t.csv", "a,b,kind\n1,2,x\n3,5,y\n4,4,x\n0,1,y\n");
    folder.done(&[
        "pca",
        "t.csv",
        "--columns",
        "a,b",
        "--plot",
        "k.svg",
        "--color-by",
        "kind",
        "-q",
    ]);
    assert!(folder.bytes("p.png").starts_with(b"\x89PNG"));
    assert!(folder.bytes("c.png").starts_with(b"\x89PNG"));
    assert!(folder.text("p.svg").contains("petal_length"));
    assert!(folder.text("p.svg").contains("pc1 (92.5 %)"));
    assert!(folder.text("s.svg").contains("<svg"));
    assert!(folder.text("p.html").contains("<html"));
    assert!(folder.text("k.svg").contains(">x<"));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        for precision in ["f32", "f64"] {
            let output = |threads: &str| {
                let words = [
                    &*name,
                    "digits",
                    "--precision",
                    precision,
                    "--threads",
                    threads,
                    "-o",
                    "out.npy",
                    "--save",
                    "m.charta",
                    "-q",
                ];
                folder.done(&[&words, &*views(entry, "digits")].concat());
                (folder.bytes("out.npy"), folder.bytes("m.charta"))
            };
            assert!(output("1") == output("2"), "{name} {precision}");
        }
    }
}

#[test]
fn scaling_changes_the_result_and_is_reported() {
    let folder = Folder::new();
    let plain = folder.done(&["pca", "wine", "--json"]).json();
    let scaled = folder
        .done(&["pca", "wine", "--scale", "z-score", "--json"])
        .json();
    assert_eq!(scaled["scaling"], "z_score");
    assert_ne!(
        plain["diagnostics"]["total_variance"],
        scaled["diagnostics"]["total_variance"]
    );
    let text = folder.done(&["pca", "wine", "--scale", "z_score"]).text;
    assert!(text.contains("scaled by `z-score`"), "{text}");
    // Two words for one thing: both divide by the standard deviation with divisor n.
    let standardized = folder
        .done(&["pca", "wine", "--standardize", "--json"])
        .json();
    let first = |report: &serde_json::Value| {
        let variances = &report["diagnostics"]["explained_variance"];
        variances[0].as_f64().unwrap()
    };
    assert!((first(&scaled) - first(&standardized)).abs() < 1e-12);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::new();
    for words in [
        &["methods"][..],
        &["pca", "swiss-roll:200000", "-o", "-", "-q"],
    ] {
        let mut child = folder
            .command(words)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.status.success());
    }
}

#[test]
fn the_table_of_components_holds_what_is_declared_of_each() {
    let folder = Folder::new();
    for name in ["nmf", "pca"] {
        let text = folder.done(&[name, "digits", "-n", "16"]).text;
        assert!(
            text.contains("  component ") && text.contains("… 6 more"),
            "{text}"
        );
    }
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.takes(Input::Views) {
            continue;
        }
        let views = views(entry, "iris");
        let text = folder.done(&[&[&*name, "iris"], &*views].concat()).text;
        assert!(text.contains("2 components in each of 2 views"), "{text}");
        let rows: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("  component "))
            .collect();
        assert!(
            rows[1].starts_with("  1 ") && rows[1].contains("0.94"),
            "{text}"
        );
        assert!(rows[2].starts_with("  2 ") && rows[3].is_empty(), "{text}");
    }
}

#[test]
fn a_brief_report_leaves_out_tables_and_keeps_vectors() {
    let folder = Folder::new();
    let report = folder.done(&["pca", "wine", "--json"]).json();
    let left_out = report["diagnostics"]["left_out"].to_string();
    assert!(left_out.contains("components"), "{left_out}");
    assert!(report["diagnostics"]["explained_variance_ratio"].is_array());
}

#[test]
fn without_a_terminal_only_warnings_and_notes_go_to_standard_error() {
    let folder = Folder::new();
    assert_eq!(folder.done(&["pca", "iris"]).errors, "");
    folder.put("names.csv", "who,a,b\nx,1,2\ny,3,5\nz,4,4\n");
    let errors = folder.done(&["pca", "names.csv"]).errors;
    assert!(
        errors.starts_with("note: ") && errors.lines().count() == 1,
        "{errors}"
    );
}

#[test]
fn rows_that_a_trimmed_fit_leaves_out_are_named_and_have_coordinates() {
    let folder = Folder::new();
    let rows = (0..40).map(|row| format!("r{row},{},{}\n", row % 7, row % 5));
    let table = format!(
        "name,x,y\n{}far,900,-700\nfarther,-800,950\n",
        rows.collect::<String>()
    );
    folder.put("t.csv", &table);
    let words = [
        "pca", "t.csv", "--id", "name", "--trim", "0.05", "-o", "e.csv",
    ];
    let text = folder.done(&words).text;
    assert!(text.contains("rows left out of the fit  2"), "{text}");
    assert!(text.contains("far, farther"), "{text}");
    assert!(!text.contains("no coordinates"), "{text}");
    let written = folder.text("e.csv");
    assert_eq!(written.lines().count(), 43);
    assert!(written.lines().all(|line| !line.ends_with(',')));
    let report = folder
        .done(&["pca", "t.csv", "--id", "name", "--trim", "0.05", "--json"])
        .json();
    assert_eq!(
        report["diagnostics"]["rows_left_out"],
        serde_json::json!([40.0, 41.0])
    );
}
