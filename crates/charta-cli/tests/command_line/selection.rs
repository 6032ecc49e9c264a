//! Columns chosen from a file: their names, the picture, groups by name.

use crate::call::Folder;

#[test]
fn chosen_columns_keep_their_names_and_the_error_is_drawn() {
    let folder = Folder::new();
    let words = [
        "sequential-selection",
        "iris",
        "--scorer",
        "lda",
        "--n-components",
        "best",
        "-o",
        "chosen.csv",
        "--plot",
        "errors.svg",
        "-q",
    ];
    folder.done(&words);
    let header = folder
        .text("chosen.csv")
        .lines()
        .next()
        .unwrap_or_default()
        .to_string();
    assert!(header.contains("petal_"), "{header}");
    let drawn = folder.text("errors.svg");
    assert!(
        drawn.contains("error against the number of features"),
        "{drawn}"
    );
    assert!(drawn.contains("accuracy"));
}

#[test]
fn columns_of_one_name_enter_together() {
    let folder = Folder::new();
    let mut table = String::from("colour=red,colour=blue,size,weight,class\n");
    for row in 0..60 {
        let class = ["a", "b"][row % 2];
        let (red, noise) = (row % 2, (row * 7) % 11);
        table += &format!("{red},{},{noise},{},{class}\n", 1 - red, (row * 5) % 7);
    }
    folder.put("table.csv", &table);
    let words = [
        "sequential-selection",
        "table.csv",
        "--label",
        "class",
        "--separator",
        "=",
        "--n-components",
        "1",
        "-o",
        "chosen.csv",
        "-q",
    ];
    folder.done(&words);
    let text = folder.text("chosen.csv");
    let header = text.lines().next().unwrap_or_default();
    assert!(
        header.contains("colour=red") && header.contains("colour=blue"),
        "{header}"
    );
    assert!(!header.contains("size"), "{header}");
}
