//! Layouts that are improved step by step: continued, ended early, made from the first command of all.

use crate::call::{Folder, numbers};

#[test]
fn a_saved_layout_is_improved_by_further_steps() {
    let folder = Folder::new();
    folder.done(&["data", "iris", "-o", "iris.csv", "-q"]);
    let fit = [
        "tsne",
        "iris.csv",
        "--label",
        "class",
        "--scale",
        "z_score",
        "--iterations",
        "310",
        "--save",
        "m.charta",
    ];
    let divergence = |words: &[&str]| {
        let report = folder.done(&[words, &["--json"]].concat()).json();
        report["diagnostics"]["kl_divergence"].as_f64().unwrap()
    };
    let before = divergence(&fit);
    let further = [
        "continue",
        "m.charta",
        "iris.csv",
        "--label",
        "class",
        "--iterations",
        "400",
        "-o",
        "map.csv",
        "--save",
        "n.charta",
        "--plot",
        "map.png",
    ];
    let after = divergence(&further);
    assert!(after < before, "{after} for {before}");
    let map = folder.text("map.csv");
    assert!(map.starts_with("tsne1,tsne2,class\n"), "{map}");
    assert_eq!(numbers(&map).len(), 150);
    let placed = folder.done(&[
        "transform",
        "n.charta",
        "iris.csv",
        "--label",
        "class",
        "-o",
        "p.csv",
    ]);
    assert!(placed.text.contains("150 rows"), "{}", placed.text);
}

#[test]
fn what_cannot_be_continued_is_told() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "--save", "pca.charta", "-q"]);
    folder.done(&[
        "tsne",
        "iris",
        "--iterations",
        "255",
        "--save",
        "m.charta",
        "-q",
    ]);
    let errors = folder.fails(2, &["continue", "pca.charta", "iris", "--save", "n.charta"]);
    assert!(errors.contains("cannot be continued"), "{errors}");
    // That comes before what would be needed for a model that can.
    let errors = folder.fails(2, &["continue", "pca.charta", "iris"]);
    assert!(
        errors.contains("a model of `pca` cannot be continued"),
        "{errors}"
    );
    let errors = folder.fails(1, &["continue", "m.charta", "wine", "--save", "n.charta"]);
    assert!(errors.contains("wine"), "{errors}");
    let errors = folder.fails(2, &["continue", "m.charta", "iris"]);
    assert!(errors.contains("nothing would be kept"), "{errors}");
    for bad in ["0", "-3", "many"] {
        let words = ["continue", "m.charta", "iris", "--save", "n.charta"];
        folder.fails(2, &[&words[..], &[&format!("--iterations={bad}")]].concat());
        folder.fails(
            2,
            &[&words[..], &[&format!("--exaggeration={bad}")]].concat(),
        );
    }
    assert_eq!(folder.names(), ["m.charta", "pca.charta"]);
}

/// Writes the nearest rows of every row of iris, and their distances, counted without the library.
fn put_neighbors(folder: &Folder, count: usize) {
    let table = charta_io::read("iris", &charta_io::ReadOptions::default()).unwrap();
    let charta_io::Content::Features(features) = &table.content else {
        panic!("iris has no features");
    };
    let rows = features.view().dense_rows(0, 150);
    let (mut indices, mut distances) = (String::new(), String::new());
    for own in 0..150 {
        let mut others: Vec<(f64, usize)> = (0..150)
            .filter(|&other| other != own)
            .map(|other| {
                let apart = &rows.row(own) - &rows.row(other);
                (apart.dot(&apart).sqrt(), other)
            })
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let line = |text: &dyn Fn(&(f64, usize)) -> String| {
            let words: Vec<String> = others[..count].iter().map(text).collect();
            format!("{}\n", words.join(","))
        };
        indices.push_str(&line(&|near| near.1.to_string()));
        distances.push_str(&line(&|near| near.0.to_string()));
    }
    folder.put("indices.csv", &indices);
    folder.put("distances.csv", &distances);
}

#[test]
fn neighbours_found_elsewhere_are_taken() {
    let folder = Folder::new();
    put_neighbors(&folder, 40);
    let table = ["--neighbors", "indices.csv,distances.csv"];
    for method in [
        &["umap", "iris", "--n-epochs", "30"][..],
        &["tsne", "iris", "--iterations", "260", "--perplexity", "10"],
        &["pacmap", "iris"],
        &["isomap", "iris", "-k", "15"],
    ] {
        let report = folder
            .done(&[method, &table, &["-o", "z.csv", "--json"]].concat())
            .json();
        let search = report["diagnostics"]["search"].as_str().unwrap_or("given");
        assert!(search.contains("given"), "{method:?}: {search}");
        assert_eq!(numbers(&folder.text("z.csv")).len(), 150);
    }
    folder.done(&["umap", "iris", "--n-epochs", "30", "-o", "own.csv", "-q"]);
    let umap = ["umap", "iris", "--n-epochs", "30", "-o", "z.csv", "-q"];
    folder.done(&[&umap[..], &table].concat());
    assert_eq!(
        numbers(&folder.text("own.csv")).len(),
        numbers(&folder.text("z.csv")).len()
    );
    let errors = folder.fails(1, &["umap", "wine", table[0], table[1]]);
    assert!(errors.contains("178 rows"), "{errors}");
    let errors = folder.fails(1, &["umap", "iris", "--neighbors", "indices.csv"]);
    assert!(errors.contains("`indices` and `distances`"), "{errors}");
    // A file that is read is not written.
    let errors = folder.fails(
        2,
        &["umap", "iris", table[0], table[1], "-o", "distances.csv"],
    );
    assert!(errors.contains("distances.csv"), "{errors}");
    let errors = folder.fails(2, &["pca", "iris", table[0], table[1]]);
    assert!(errors.contains("--neighbors"), "{errors}");
}

#[test]
fn a_layout_starts_from_the_coordinates_of_a_file() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-n", "2", "-o", "start.npy", "-q"]);
    for method in [
        &["umap", "iris", "--n-epochs", "30"][..],
        &["tsne", "iris", "--iterations", "260"],
        &["pacmap", "iris"],
    ] {
        folder.done(&[method, &["-o", "plain.csv", "-q"]].concat());
        for (start, same) in [("start.npy", false), ("random", false)] {
            let words = ["--init", start, "-o", "map.csv", "-q"];
            folder.done(&[method, &words].concat());
            let is_same = folder.text("map.csv") == folder.text("plain.csv");
            assert_eq!(is_same, same, "{method:?} from {start}");
        }
        folder.put("short.csv", "x,y\n0,1\n1,0\n");
        let errors = folder.fails(1, &[method, &["--init", "short.csv"]].concat());
        assert!(errors.contains("150 rows"), "{errors}");
        let errors = folder.fails(2, &[method, &["--init", "rndom"]].concat());
        assert!(errors.contains("random"), "{errors}");
        let errors = folder.fails(1, &[method, &["--init", "missing.csv"]].concat());
        assert!(errors.contains("missing.csv"), "{errors}");
    }
    let errors = folder.fails(2, &["nmf", "iris", "--init", "start.npy"]);
    assert!(errors.contains("--init"), "{errors}");
}

#[test]
fn rows_stay_near_their_places_in_earlier_maps() {
    let folder = Folder::new();
    let mut days = [String::from("name,a,b,c\n"), String::from("name,a,b,c\n")];
    for row in 0..90 {
        let at = f64::from(row);
        let line = format!("r{row},{},{},{}\n", at.sin(), (0.3 * at).cos(), at / 30.0);
        if row < 60 {
            days[0].push_str(&line);
        }
        if row >= 30 {
            days[1].push_str(&line);
        }
    }
    folder.put("one.csv", &days[0]);
    folder.put("two.csv", &days[1]);
    for method in [
        &["umap", "--n-epochs", "50"][..],
        &["tsne", "--iterations", "260", "--perplexity", "10"],
        &["pacmap"],
    ] {
        folder.done(&[method, &["one.csv", "-o", "map1.csv", "-q"]].concat());
        let align = ["two.csv", "--align-to", "map1.csv", "-o", "map2.csv", "-q"];
        folder.done(&[method, &align[..]].concat());
        let strong = ["--alignment-regularization", "1000"];
        folder.done(&[method, &align[..], &strong[..]].concat());
        let (first, second) = (
            numbers(&folder.text("map1.csv")),
            numbers(&folder.text("map2.csv")),
        );
        let size = first
            .iter()
            .flatten()
            .fold(0.0, |most: f64, v| most.max(v.abs()));
        for (before, after) in first[30..].iter().zip(&second) {
            for (a, b) in before.iter().zip(after) {
                assert!((a - b).abs() < 0.05 * size, "{method:?}: {a} became {b}");
            }
        }
    }
    let errors = folder.fails(1, &["umap", "iris", "--align-to", "map1.csv"]);
    assert!(errors.contains("names"), "{errors}");
    let errors = folder.fails(2, &["umap", "one.csv", "--alignment-window-size", "2"]);
    assert!(errors.contains("--align-to"), "{errors}");
    let errors = folder.fails(2, &["pca", "one.csv", "--align-to", "map1.csv"]);
    assert!(errors.contains("--align-to"), "{errors}");
}
