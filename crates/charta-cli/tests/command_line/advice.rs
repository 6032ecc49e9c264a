//! Advice and comparisons: what they say, what they write, and that every command they name can be run.

use crate::call::Folder;

#[test]
fn every_recommended_command_runs() {
    let folder = Folder::new();
    folder.put("my table.csv", &table());
    for source in ["iris", "eurodist", "my table.csv"] {
        let mut words = vec!["advise", source, "--json"];
        if source.ends_with(".csv") {
            words.extend(["--label", "kind"]);
        }
        let advice = folder.done(&words).json();
        let list = advice["recommendations"].as_array().unwrap();
        assert!(!list.is_empty(), "{source}");
        for advised in list {
            let command = advised["command"].as_str().unwrap();
            assert!(command.starts_with("charta "), "{command}");
            let output = std::process::Command::new("sh")
                .args(["-c", &command.replacen("charta", "\"$CHARTA\"", 1)])
                .env("CHARTA", env!("CARGO_BIN_EXE_charta"))
                .current_dir(folder.path(""))
                .output()
                .unwrap();
            assert!(output.status.success(), "{command}");
        }
    }
}

#[test]
fn advice_is_worded_and_repeats_the_options_of_the_input() {
    let folder = Folder::new();
    folder.put("my table.csv", &table());
    let text = folder
        .done(&["advise", "my table.csv", "--label", "kind"])
        .text;
    assert!(
        text.contains("charta lda 'my table.csv' --label kind"),
        "{text}"
    );
    folder.put("one.csv", "a\n1\n2\n3\n");
    let text = folder.done(&["advise", "one.csv"]).text;
    assert!(
        text.contains("No method is recommended") && text.contains("one column"),
        "{text}"
    );
}

#[test]
fn methods_and_maps_are_compared_in_one_table_and_one_picture() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-o", "map.csv", "-q"]);
    let words = [
        "compare",
        "iris",
        "map.csv",
        "--methods",
        "pca,lda:n_components=1,isomap:n_neighbors=12",
        "--plot",
        "panels.svg",
        "-o",
        "table.csv",
    ];
    let text = folder.done(&words).text;
    assert!(
        text.contains("isomap n_neighbors=12") && text.contains("k-NN accuracy"),
        "{text}"
    );
    let svg = folder.text("panels.svg");
    assert!(svg.contains("trustworthiness") && svg.contains("setosa"));
    let table = folder.text("table.csv");
    assert!(table.starts_with("map,seconds,trustworthiness,continuity,nearest_accuracy"));
    assert_eq!(table.lines().count(), 5);
    let maps = folder
        .done(&["compare", "iris", "map.csv", "--methods", "pca", "--json"])
        .json()["maps"]
        .clone();
    assert_eq!(maps[0]["trustworthiness"], maps[1]["trustworthiness"]);
    assert!(maps[1]["seconds"].is_null());
}

#[test]
fn a_method_that_fails_is_reported_beside_the_others() {
    let folder = Folder::new();
    let list = folder
        .done(&["compare", "swiss-roll:60", "--methods", "pca,nmf", "--json"])
        .json();
    assert!(list["maps"][0]["problem"].is_null());
    assert!(
        list["maps"][1]["problem"]
            .as_str()
            .unwrap()
            .contains("0 or more")
    );
    assert_eq!(
        folder
            .call(&["compare", "swiss-roll:60", "--methods", "nmf"])
            .code,
        1
    );
    for wrong in [
        vec!["compare", "iris"],
        vec!["compare", "iris", "--methods", "nothing"],
        vec!["compare", "iris", "--methods", "pca:no_such=3"],
        vec!["compare", "iris", "--methods", "pca", "--glyphs"],
        vec!["compare", "iris", "--methods", "pca", "--plot", "a.html"],
    ] {
        assert_eq!(folder.call(&wrong).code, 2, "{wrong:?}");
    }
}

/// Two classes apart, three columns.
fn table() -> String {
    let mut text = "a,b,c,kind\n".to_owned();
    for row in 0..80_u32 {
        let (noise, kind) = (f64::from(row * 37 % 19) / 10.0, row % 2);
        let third = f64::from(row * 53 % 29) / 10.0;
        text.push_str(&format!(
            "{},{},{third},k{kind}\n",
            noise + f64::from(4 * kind),
            noise - third
        ));
    }
    text
}
