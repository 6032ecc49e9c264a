//! `charta plot`, and the look of scatter plots.

use crate::call::Folder;

fn png_size(bytes: &[u8]) -> [u32; 2] {
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

#[test]
fn coordinates_are_drawn_again_without_a_fit() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-n", "3", "-o", "map.csv", "-q"]);
    folder.done(&["plot", "map.csv", "-o", "first.svg"]);
    let first = folder.text("first.svg");
    for text in [">pc1<", ">pc2<", ">setosa<", ">map.csv<"] {
        assert!(first.contains(text), "{text}");
    }
    folder.done(&[
        "plot",
        "map.csv",
        "--axes",
        "3,pc1",
        "-o",
        "other.svg",
        "--title",
        "again",
        "-q",
    ]);
    let other = folder.text("other.svg");
    assert!(other.contains(">pc3<") && other.contains(">pc1<") && !other.contains(">pc2<"));
    assert!(other.contains(">again<") && !other.contains(">map.csv<"));
    folder.done(&[
        "plot",
        "map.csv",
        "--axes",
        "2",
        "--color-by",
        "pc3",
        "-o",
        "one.html",
        "-q",
    ]);
    assert!(folder.text("one.html").contains("pc3"));
}

#[test]
fn colors_may_come_from_another_table_of_the_same_rows() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-o", "map.npy", "-q"]);
    folder.done(&["plot", "map.npy", "-o", "plain.svg", "-q"]);
    assert!(!folder.text("plain.svg").contains("setosa"));
    folder.done(&[
        "plot",
        "map.npy",
        "--table",
        "iris",
        "-o",
        "class.svg",
        "-q",
    ]);
    assert!(folder.text("class.svg").contains(">setosa<"));
    folder.done(&[
        "plot",
        "map.npy",
        "--table",
        "iris",
        "--color-by",
        "sepal_width",
        "-o",
        "width.svg",
        "-q",
    ]);
    assert!(folder.text("width.svg").contains(">sepal_width<"));
    let message = folder.fails(2, &["plot", "map.npy", "--table", "wine", "-o", "no.svg"]);
    assert!(
        message.contains("178 rows") && message.contains("150"),
        "{message}"
    );
}

#[test]
fn plots_have_the_requested_size_resolution_and_colors() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "--plot", "p.png", "--size", "640x480", "-q"]);
    assert_eq!(png_size(&folder.bytes("p.png")), [640, 480]);
    folder.done(&[
        "pca", "iris", "--plot", "p.png", "--size", "6x4in", "--dpi", "200", "-q",
    ]);
    let bytes = folder.bytes("p.png");
    assert_eq!(png_size(&bytes), [1200, 800]);
    // 200 pixels per inch are 7874 per metre.
    let at = bytes.windows(4).position(|four| four == b"pHYs").unwrap() + 4;
    assert_eq!(bytes[at..at + 9], [0, 0, 0x1e, 0xc2, 0, 0, 0x1e, 0xc2, 1]);
    folder.done(&["pca", "iris", "--plot", "safe.svg", "-q"]);
    folder.done(&[
        "pca",
        "iris",
        "--plot",
        "tab.svg",
        "--palette",
        "tab10",
        "--class-names",
        "-q",
    ]);
    let [safe, tab] = ["safe.svg", "tab.svg"].map(|name| folder.text(name));
    assert!(safe.contains("#0072b2") && !safe.contains("#1f77b4") && tab.contains("#1f77b4"));
    let names = |picture: &str| picture.matches(">setosa<").count();
    assert_eq!(names(&tab), names(&safe) + 1);
}

#[test]
fn wrong_looks_have_a_clear_line() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-o", "map.csv", "-q"]);
    for (words, expected) in [
        (
            &["--size", "12"][..],
            "`--size` must be a width and a height in pixels",
        ),
        (
            &["--size", "1x1in"],
            "`--size` must be 200 to 8000 pixels wide and high, got 150 x 150",
        ),
        (
            &["--dpi", "0"],
            "`--dpi` must be a whole number from 1 to 2400, got 0",
        ),
        (
            &["--point-size", "-1"],
            "`--point-size` must be a factor from 0.05 to 20, got -1",
        ),
        (&["--palette", "rainbow"], "rainbow"),
        (
            &["--axes", "9"],
            "`--axes` counts the columns of numbers from 1 to 2, got 9",
        ),
        (&["--axes", "1,2,1"], "`--axes` takes one or two columns"),
        (
            &["--axes", "nonsense"],
            "the columns of numbers are pc1, pc2",
        ),
    ] {
        let call = [&["plot", "map.csv", "-o", "p.png"], words].concat();
        let message = folder.fails(2, &call);
        assert!(message.contains(expected), "{message}");
    }
    let message = folder.fails(2, &["pca", "iris", "--title", "t", "-o", "x.csv"]);
    assert!(message.contains("`--title` needs a plot"), "{message}");
    let message = folder.fails(2, &["plot", "map.csv"]);
    assert!(message.contains("-o FILE"), "{message}");
}

#[test]
fn characters_that_the_font_lacks_are_noted() {
    let folder = Folder::new();
    let rows = (0..12).map(|row| format!("{row},{},{}\n", row * row % 7, ["東", "b"][row % 2]));
    folder.put("t.csv", &format!("x,y,kind\n{}", rows.collect::<String>()));
    let note = folder.done(&["plot", "t.csv", "-o", "p.png"]).errors;
    assert!(note.contains("lacks the character 東"), "{note}");
    let note = folder.done(&["plot", "t.csv", "-o", "p.svg"]).errors;
    assert!(!note.contains("lacks"), "{note}");
}
