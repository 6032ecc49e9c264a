//! Maps of units: their grid, their pictures, what they tell of new rows and the inverse transform.

use crate::call::{Folder, numbers};

#[test]
fn a_map_of_units_is_drawn_saved_and_asked() {
    let folder = Folder::new();
    let words = [
        "som",
        "iris",
        "--width",
        "7",
        "--height",
        "6",
        "--grid",
        "hexagonal",
        "--save",
        "m.charta",
        "--plot",
        "u.svg",
        "--picture",
        "hits=h.svg",
        "--picture",
        "planes=p.svg",
        "-o",
        "map.csv",
        "--json",
    ];
    let report = folder.done(&words).json();
    let figures = &report["diagnostics"];
    assert_eq!(figures["n_units"], 42);
    assert!(figures["quantization_error"].as_f64().unwrap() < 0.4);
    assert!(figures["topographic_error"].as_f64().unwrap() < 0.2);
    let hits = folder.text("h.svg");
    assert!(hits.contains("setosa") && hits.contains("virginica"));
    assert!(folder.text("u.svg").contains("setosa"));
    assert!(folder.text("p.svg").contains("petal_length"));

    let step = 0.75_f64.sqrt();
    for place in numbers(&folder.text("map.csv")) {
        let row = (place[1] / step).round();
        assert!((place[1] - row * step).abs() < 1e-5 && (0.0..=5.0).contains(&row));
        let shift = if row % 2.0 == 1.0 { 0.5 } else { 0.0 };
        assert_eq!((place[0] - shift).fract(), 0.0);
    }

    folder.done(&["transform", "m.charta", "iris", "-o", "again.csv", "-q"]);
    let first = |name: &str| numbers(&folder.text(name))[0][..2].to_vec();
    assert_eq!(first("again.csv"), first("map.csv"));
    folder.put("place.csv", "som1,som2\n0,0\n100,100\n");
    folder.done(&["inverse", "m.charta", "place.csv", "-o", "back.csv", "-q"]);
    let back = numbers(&folder.text("back.csv"));
    assert_eq!((back.len(), back[0].len()), (2, 4));
    let reported = folder
        .done(&["predict", "m.charta", "iris", "--json"])
        .json();
    assert!(reported["evaluation"]["accuracy"].as_f64().unwrap() > 0.9);
}

#[test]
fn grids_that_cannot_be_are_explained() {
    let folder = Folder::new();
    let words = [
        "som",
        "iris",
        "--height",
        "5",
        "--grid",
        "hexagonal",
        "--toroidal",
    ];
    let errors = folder.fails(2, &words);
    assert!(
        errors.contains("must be even on a hexagonal torus"),
        "{errors}"
    );
}
