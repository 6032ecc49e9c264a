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
