//! Distances in every form, their weights, and the map that comes of them.

use charta::method::{Capability, Input};
use charta::methods::METHODS;

use crate::call::{Folder, difference};

/// The command of a method that takes distances and needs all of them.
fn method() -> String {
    let entry = METHODS
        .iter()
        .find(|entry| entry.info.takes(Input::Distances) && entry.info.offers(Capability::Spectrum))
        .unwrap();
    entry.info.name.replace('_', "-")
}

const SQUARE: &str = "city,a,b,c,d\na,0,3,4,5\nb,3,0,5,4\nc,4,5,0,3\nd,5,4,3,0\n";
const PAIRS: &str = "from,to,distance\na,b,3\na,c,4\na,d,5\nb,c,5\nb,d,4\nc,d,3\n";

#[test]
fn all_forms_of_distances_give_the_same_map() {
    let folder = Folder::new();
    let method = method();
    folder.put("square.csv", SQUARE);
    folder.put("line.csv", "3\n4\n5\n5\n4\n3\n");
    folder.put("pairs.csv", PAIRS);
    folder.put("other.csv", &PAIRS.replace("from,to,distance", "x,y,km"));
    let map = |source: &str, words: &[&str]| {
        let mut call = vec![method.as_str(), source, "-o", "map.csv"];
        call.extend(words);
        folder.done(&call);
        folder.text("map.csv")
    };
    let square = map("square.csv", &["--distances"]);
    assert!(square.contains("\na,"), "{square}");
    let same = |other: String| {
        let bare = |text: &str| -> String {
            let cut = |line: &str| {
                let cells: Vec<&str> = line.split(',').collect();
                cells[cells.len() - 2..].join(",") + "\n"
            };
            text.lines().map(cut).collect()
        };
        assert!(difference(&bare(&square), &bare(&other)) < 1e-9, "{other}");
    };
    same(map("line.csv", &["--distances"]));
    same(map("pairs.csv", &["--distances"]));
    same(map("other.csv", &["--edges", "x,y,km"]));
    let plan = folder.done(&[&method, "pairs.csv", "--distances", "--plan", "--json"]);
    assert_eq!(plan.json()["plan"]["n_rows"], 4);
    let plan = folder.done(&[&method, "line.csv", "--distances", "--plan", "--json"]);
    assert_eq!(plan.json()["plan"]["n_rows"], 4);
}

#[test]
fn missing_distances_are_told_with_their_number_and_a_pair() {
    let folder = Folder::new();
    let method = method();
    folder.put("pairs.csv", &PAIRS.replace("a,d,5\n", ""));
    let error = folder.fails(2, &[&method, "pairs.csv", "--distances"]);
    assert!(error.contains("1 distance is missing"), "{error}");
    assert!(error.contains("row 0 (\"a\") and row 3 (\"d\")"), "{error}");
    folder.put("bad.csv", "city,a,b,c\na,0,1,3\nb,2,0,3\nc,3,3,0\n");
    let error = folder.fails(1, &[&method, "bad.csv", "--distances"]);
    assert!(
        error.contains("line 2 (\"a\") and line 3 (\"b\")"),
        "{error}"
    );
    folder.put("four.csv", "1\n2\n3\n4\n");
    let error = folder.fails(1, &[&method, "four.csv", "--distances"]);
    assert!(error.contains("4 numbers in one line"), "{error}");
}

#[test]
fn weights_of_a_list_are_not_used_where_the_method_takes_none() {
    let folder = Folder::new();
    let weighted: String = PAIRS
        .lines()
        .enumerate()
        .map(|(line, text)| format!("{text},{}\n", if line == 0 { "weight" } else { "2" }))
        .collect();
    folder.put("pairs.csv", &weighted);
    let answer = folder.done(&[&method(), "pairs.csv", "--distances"]);
    assert!(
        answer.errors.contains("takes no weights"),
        "{}",
        answer.errors
    );
}

#[test]
fn the_map_of_europe_names_its_cities() {
    let folder = Folder::new();
    let method = method();
    folder.done(&[
        &method,
        "eurodist",
        "--plot",
        "europe.svg",
        "--scree-plot",
        "scree.svg",
    ]);
    let picture = folder.text("europe.svg");
    for city in ["Stockholm", "Hook of Holland", "Lisbon", "Athens"] {
        assert!(picture.contains(city), "{city}");
    }
    // New rows by their distances to all cities.
    folder.done(&[&method, "eurodist", "--save", "m.charta", "-o", "map.csv"]);
    folder.done(&["data", "eurodist", "-o", "roads.csv"]);
    folder.done(&[
        "transform",
        "m.charta",
        "roads.csv",
        "--distances",
        "-o",
        "again.csv",
    ]);
    assert!(difference(&folder.text("map.csv"), &folder.text("again.csv")) < 1e-6);
}

#[test]
fn kernel_matrices_have_a_switch_of_their_own() {
    let folder = Folder::new();
    let help = folder.done(&["transform", "--help"]).text;
    assert!(help.contains("--kernel-matrix"), "{help}");
    for entry in METHODS
        .iter()
        .filter(|entry| entry.info.takes(Input::Kernel))
    {
        let name = entry.info.name.replace('_', "-");
        let help = folder.done(&[&name, "--help"]).text;
        assert!(help.contains("--kernel-matrix"), "{name}");
    }
}

#[test]
fn what_looks_like_distances_is_noted_once() {
    let folder = Folder::new();
    folder.put("square.csv", "0,7,2,3\n7,0,4,5\n2,4,0,6\n3,5,6,0\n");
    let errors = folder.done(&["pca", "square.csv"]).errors;
    assert_eq!(
        errors.matches("if these are distances").count(),
        1,
        "{errors}"
    );
}
