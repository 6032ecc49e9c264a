//! The neighbour graph, paths along it, plots of the input, and plots in space.

use charta::method::Capability;
use charta::methods::METHODS;

use crate::call::{Folder, method_names, views};

/// Rows of a table without a label.
fn table(rows: &[Vec<f64>]) -> String {
    let names: Vec<String> = (0..rows[0].len())
        .map(|column| format!("v{column}"))
        .collect();
    let line = |row: &Vec<f64>| {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:?}")).collect();
        cells.join(",") + "\n"
    };
    names.join(",") + "\n" + &rows.iter().map(line).collect::<String>()
}

fn ring(n: usize) -> Vec<Vec<f64>> {
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
    (0..n)
        .map(|i| vec![angle(i).cos(), angle(i).sin()])
        .collect()
}

/// Points on a rolled-up strip, in an order that says nothing about neighbours.
fn roll(n: usize) -> Vec<Vec<f64>> {
    let point = |i: usize| {
        let share = |step: f64| (i as f64 * step).fract();
        let (turn, across) = (4.5 + 9.0 * share(0.618_034), 8.0 * share(0.754_877));
        vec![turn * turn.cos(), across, turn * turn.sin()]
    };
    (0..n).map(point).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The length of the shortest path between two rows by relaxing all edges until nothing changes.
fn relaxed(rows: &[Vec<f64>], n_neighbors: usize, from: usize, to: usize) -> f64 {
    let mut edges = Vec::new();
    for (row, here) in rows.iter().enumerate() {
        let mut others: Vec<(f64, usize)> = (0..rows.len())
            .filter(|other| *other != row)
            .map(|other| (distance(here, &rows[other]), other))
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        edges.extend(
            others[..n_neighbors]
                .iter()
                .map(|&(length, other)| (row, other, length)),
        );
    }
    let mut lengths = vec![f64::INFINITY; rows.len()];
    lengths[from] = 0.0;
    loop {
        let before = lengths.clone();
        for &(a, b, length) in &edges {
            lengths[b] = lengths[b].min(lengths[a] + length);
            lengths[a] = lengths[a].min(lengths[b] + length);
        }
        if lengths == before {
            return lengths[to];
        }
    }
}

#[test]
fn a_path_on_a_ring_is_a_sum_of_chords() {
    let folder = Folder::new();
    folder.put("ring.csv", &table(&ring(60)));
    let words = [
        "isomap",
        "ring.csv",
        "-k",
        "2",
        "--path",
        "55,15",
        "--graph",
        "--plot",
        "map.svg",
        "--input-plot",
        "input.svg",
        "--json",
    ];
    let path = &folder.done(&words).json()["path"];
    let chord = |steps: f64| 2.0 * (std::f64::consts::PI * steps / 60.0).sin();
    let figure = |name: &str| path[name].as_f64().unwrap();
    assert_eq!(path["n_edges"], 20);
    assert_eq!(path["rows"][5], 0);
    assert!((figure("length") - 20.0 * chord(1.0)).abs() < 1e-9);
    assert!((figure("input_distance") - chord(20.0)).abs() < 1e-9);
    for name in ["map.svg", "input.svg"] {
        let picture = folder.text(name);
        assert!(
            picture.contains("60 edges of the neighbour graph"),
            "{name}"
        );
        // The path, the straight line and the edges.
        for part in [
            "stroke=\"#ce1826\"",
            "stroke=\"#1c54c8\"",
            "stroke=\"#bec4cd\"",
        ] {
            assert_eq!(picture.matches(part).count(), 1, "{name} {part}");
        }
    }
    let text = folder.done(&words[..words.len() - 1]).text;
    assert!(text.contains("length 2.093, 20 edges"), "{text}");
    assert!(
        text.contains("straight line in the input 1.732, in the map"),
        "{text}"
    );
}

#[test]
fn a_path_on_a_roll_is_the_shortest_there_is() {
    let folder = Folder::new();
    let rows = roll(300);
    folder.put("roll.csv", &table(&rows));
    for (method, flags) in [
        ("isomap", ["-k", "8"]),
        ("lle", ["-k", "8"]),
        // Its neighbours count the row itself.
        ("umap", ["-k", "9"]),
    ] {
        let words = [
            method, "roll.csv", flags[0], flags[1], "--path", "3,250", "--json",
        ];
        let report = folder.done(&words).json();
        let figure = |name: &str| report["path"][name].as_f64().unwrap();
        let expected = relaxed(&rows, 8, 3, 250);
        assert!(
            (figure("length") - expected).abs() < 1e-9 * expected,
            "{method}"
        );
        let straight = distance(&rows[3], &rows[250]);
        assert!(
            (figure("input_distance") - straight).abs() < 1e-9,
            "{method}"
        );
        assert!(figure("length") > straight);
    }
    // In the scaled columns, in which neighbours are found.
    let words = [
        "isomap", "roll.csv", "--scale", "z-score", "--path", "3,250", "--json",
    ];
    let scaled = folder.done(&words).json()["path"]["input_distance"].as_f64();
    assert!(scaled.unwrap() < 4.0, "{scaled:?}");
}

#[test]
fn rows_of_a_path_may_be_named_and_must_be_there_and_connected() {
    let folder = Folder::new();
    folder.put(
        "towns.csv",
        "town,x,y\n\"Here, north\",0,0\nThere,1,0.1\nBetween,0.5,0\nFar,90,90\nFarther,91,90\n",
    );
    let call = |path: &'static str| {
        [
            "umap",
            "towns.csv",
            "--id",
            "town",
            "-k",
            "2",
            "--path",
            path,
            "--json",
        ]
    };
    let rows = &folder.done(&call("Here, north,There")).json()["path"]["rows"];
    assert_eq!(*rows, serde_json::json!([0, 2, 1]));
    assert_eq!(folder.done(&call("0,1")).json()["path"]["n_edges"], 2);
    let errors = folder.fails(1, &call("There,Far"));
    assert!(
        errors.contains("different connected components"),
        "{errors}"
    );
    assert!(errors.contains("\"There\" (row 1)"), "{errors}");
    for (path, message) in [
        ("There,Nowhere", "no row \"Nowhere\""),
        ("0,5", "a number from 0 to 4"),
        ("There", "two different rows"),
        ("1,1", "two different rows"),
    ] {
        let errors = folder.fails(2, &call(path));
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn every_method_draws_its_graph_or_says_that_it_has_none() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let words = [&*name, "iris", "--plot", "p.svg", "--graph", "-q"];
        let answer = folder.call(&[&words, &*views(entry, "iris")].concat());
        let help = folder.done(&[&name, "--help"]).text;
        let offers = entry.info.offers(Capability::Graph);
        assert_eq!(help.contains("--graph"), offers, "{name}");
        if offers {
            assert_eq!(answer.code, 0, "{name}: {}", answer.errors);
            assert!(
                folder
                    .text("p.svg")
                    .contains("edges of the neighbour graph")
            );
        } else {
            assert_eq!(answer.code, 2, "{name}");
            assert!(
                answer.errors.contains("has no neighbour graph"),
                "{}",
                answer.errors
            );
        }
    }
}

#[test]
fn axes_choose_the_coordinates_and_the_subtitle_names_them() {
    let folder = Folder::new();
    let draw = |name: &str, words: &[&str]| {
        folder.done(&[&["pca", "iris", "-n", "4", "--plot", name, "-q"], words].concat());
        folder.text(name)
    };
    let usual = draw("p.svg", &[]);
    assert!(usual.contains("coordinates 1 and 2 of 4") && usual.contains(">pc1 ("));
    assert_eq!(usual, draw("p.svg", &["--axes", "1,2"]));
    let others = draw("p.svg", &["--axes", "4,2"]);
    assert!(others.contains("coordinates 4 and 2 of 4") && others.contains(">pc4 ("));
    let space = draw("p.svg", &["--axes", "1,2,3"]);
    assert!(space.contains("coordinates 1, 2 and 3 of 4") && space.contains(">pc3 ("));
    assert_eq!(space, draw("p.svg", &["--axes", "1,2,3"]));
    let page = draw("p.html", &["--axes", "1,2,3"]);
    assert!(page.contains("drag to turn") && page.contains("\"further\":[{\"name\":\"pc4 ("));
    draw("b.svg", &["--axes", "3,4", "--biplot", "biplot.svg"]);
    assert!(
        folder
            .text("biplot.svg")
            .contains("coordinates 1 and 2 of 4")
    );
    // With batches, and for new rows.
    assert_eq!(
        space.len(),
        draw("p.svg", &["--axes", "1,2,3", "--streaming"]).len()
    );
    folder.done(&["pca", "iris", "-n", "4", "--save", "m.charta", "-q"]);
    folder.done(&[
        "transform",
        "m.charta",
        "iris",
        "--axes",
        "2,3",
        "--plot",
        "t.svg",
        "-q",
    ]);
    assert!(folder.text("t.svg").contains("coordinates 2 and 3 of 4"));
    for (words, message) in [
        (&["--axes", "1,5", "--plot", "p.png"][..], "no coordinate 5"),
        (&["--axes", "0,1", "--plot", "p.png"], "counted from 1"),
        (&["--axes", "1", "--plot", "p.png"], "two or three"),
        (
            &["--axes", "1,1", "--plot", "p.png"],
            "two or three different",
        ),
        (&["--axes", "1,2"], "add `--plot FILE`"),
    ] {
        let errors = folder.fails(2, &[&["pca", "iris", "-n", "4"], words].concat());
        assert!(errors.contains(message), "{words:?}: {errors}");
    }
    let errors = folder.fails(2, &["som", "iris", "--axes", "1,2", "--plot", "p.png"]);
    assert!(errors.contains("shows no coordinates"), "{errors}");
}

/// The ends of the dark lines of a picture.
fn dark_lines(picture: &str) -> Vec<[[f64; 2]; 2]> {
    lines_of(picture, "#1c2026")
}

/// The ends of the lines of a picture that have this colour.
fn lines_of(picture: &str, color: &str) -> Vec<[[f64; 2]; 2]> {
    let stroke = format!("stroke=\"{color}\"");
    let lines = picture.lines().filter(|line| line.contains(&stroke));
    lines
        .map(|line| {
            let path = line
                .split_once("d=\"M")
                .unwrap()
                .1
                .split_once('"')
                .unwrap()
                .0;
            let numbers: Vec<f64> = path
                .split(['L', ' '])
                .map(|number| number.parse().unwrap())
                .collect();
            [[numbers[0], numbers[1]], [numbers[2], numbers[3]]]
        })
        .collect()
}

#[test]
fn principal_axes_cross_at_right_angles_and_a_single_one_has_feet() {
    let folder = Folder::new();
    let cloud: Vec<Vec<f64>> = roll(80)
        .iter()
        .map(|row| vec![0.3 * row[0], 0.2 * row[0] + 0.1 * row[1]])
        .collect();
    folder.put("cloud.csv", &table(&cloud));
    folder.done(&["pca", "cloud.csv", "--input-plot", "i.svg", "-q"]);
    let axes = dark_lines(&folder.text("i.svg"));
    assert_eq!(axes.len(), 2);
    let along = |[from, to]: [[f64; 2]; 2]| [to[0] - from[0], to[1] - from[1]];
    let [one, other] = [along(axes[0]), along(axes[1])];
    let product = one[0] * other[0] + one[1] * other[1];
    assert!(product.abs() < 0.01 * one[0].hypot(one[1]) * other[0].hypot(other[1]));
    let middle = |[from, to]: [[f64; 2]; 2]| [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
    assert!(distance(&middle(axes[0]), &middle(axes[1])) < 0.1);
    folder.done(&["pca", "cloud.csv", "-n", "1", "--input-plot", "i.svg", "-q"]);
    let picture = folder.text("i.svg");
    assert_eq!(dark_lines(&picture).len(), 1);
    assert!(picture.contains("feet of the perpendiculars"));
    assert_eq!(picture.matches("stroke=\"#545a64\"").count(), 80);
}

#[test]
fn an_axis_goes_through_the_mean_of_the_rows_that_were_fitted() {
    let folder = Folder::new();
    let mut rows: Vec<Vec<f64>> = (0..40)
        .map(|row| vec![f64::from(row), 0.5 * f64::from(row)])
        .collect();
    rows.extend([vec![0.0, 60.0], vec![1.0, 61.0]]);
    folder.put("far.csv", &table(&rows));
    let call = ["pca", "far.csv", "-n", "1", "--trim", "0.05"];
    folder.done(&[&call[..], &["--input-plot", "i.svg", "-q"]].concat());
    let feet = lines_of(&folder.text("i.svg"), "#545a64");
    let long = feet.iter().filter(|[row, foot]| distance(row, foot) > 1.0);
    assert_eq!((feet.len(), long.count()), (42, 2));
}

#[test]
fn contours_are_drawn_over_two_columns_and_no_others() {
    let folder = Folder::new();
    folder.put("ring.csv", &table(&ring(40)));
    for words in [
        &["pca"][..],
        &["kernel-pca", "--gamma", "1"],
        &["lle", "-k", "5"],
    ] {
        let words = [
            words,
            &["ring.csv", "--input-plot", "c.svg", "--contours", "-q"],
        ]
        .concat();
        folder.done(&words);
        let picture = folder.text("c.svg");
        assert!(picture.contains("contour lines of"), "{words:?}");
        assert!(
            picture.matches("stroke-width=\"1.5\"").count() >= 5,
            "{words:?}"
        );
    }
    folder.done(&[
        "pca",
        "ring.csv",
        "--input-plot",
        "c.html",
        "--contours=2",
        "-q",
    ]);
    assert!(folder.text("c.html").contains("contour lines of pc2"));
    for (words, message) in [
        (
            &["pca", "iris", "--contours"][..],
            "add `--input-plot FILE`",
        ),
        (
            &[
                "pca",
                "iris",
                "--input-plot",
                "i.png",
                "--input-axes",
                "0,1",
                "--contours",
            ],
            "two input columns",
        ),
        (
            &[
                "pca",
                "ring.csv",
                "--input-plot",
                "i.png",
                "--contours",
                "3",
            ],
            "has 2 coordinates",
        ),
        (
            &[
                "pca",
                "ring.csv",
                "--input-plot",
                "i.png",
                "--contours",
                "0",
            ],
            "counted from 1",
        ),
        (
            &["pca", "iris", "--input-plot", "i.png"],
            "`--input-axes NAME,NAME` chooses them",
        ),
        (
            &[
                "pca",
                "iris",
                "--input-plot",
                "i.png",
                "--input-axes",
                "0,nothing",
            ],
            "no column \"nothing\"",
        ),
        (
            &["mds", "eurodist", "--input-plot", "i.png"],
            "draws columns",
        ),
        (
            &["pca", "ring.csv", "--input-plot", "i.png", "--streaming"],
            "cannot go with `--streaming`",
        ),
        (&["isomap", "ring.csv", "--graph"], "add `--plot FILE`"),
    ] {
        let errors = folder.fails(2, words);
        assert!(errors.contains(message), "{words:?}: {errors}");
    }
}

#[test]
fn inputs_are_drawn_in_every_format_and_in_space() {
    let folder = Folder::new();
    folder.put("roll.csv", &table(&roll(120)));
    for (name, start) in [
        ("i.png", &b"\x89PNG"[..]),
        ("i.svg", b"<svg"),
        ("i.html", b"<!doctype"),
    ] {
        let words = ["isomap", "roll.csv", "-k", "6", "--graph", "--path", "0,60"];
        folder.done(&[&words, &["--input-plot", name, "-q"][..]].concat());
        assert!(folder.bytes(name).starts_with(start), "{name}");
    }
    let picture = folder.text("i.svg");
    assert!(
        ["v0", "v1", "v2"]
            .iter()
            .all(|axis| picture.contains(&format!(">{axis}<")))
    );
    folder.done(&[
        "lda",
        "iris",
        "--input-plot",
        "i.svg",
        "--input-axes",
        "petal_width,0",
        "-q",
    ]);
    assert!(folder.text("i.svg").contains(">petal_width<"));
}
