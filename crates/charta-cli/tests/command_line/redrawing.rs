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
fn all_pairs_of_coordinates_are_a_matrix_of_scatter_plots() {
    let folder = Folder::new();
    let words = [
        "pca", "iris", "-n", "4", "--plot", "p.svg", "--pairs", "-o", "map.csv", "-q",
    ];
    folder.done(&words);
    let fit = folder.text("p.svg");
    for number in 1..=4 {
        // Below its column and beside its row.
        let name = format!(">pc{number} (");
        assert_eq!(fit.matches(&name).count(), 2, "{name}");
    }
    assert_eq!(fit.matches(">setosa<").count(), 1);
    let words = ["pca", "iris", "-n", "4", "--plot", "p.svg", "--pairs", "-q"];
    folder.done(&[&words, &["--axes", "4,1,2"][..]].concat());
    let three = folder.text("p.svg");
    assert!(three.contains(">pc4 (") && !three.contains(">pc3 ("));
    assert!(three.contains("coordinates 4, 1 and 2 of 4"));
    folder.done(&["plot", "map.csv", "--pairs", "-o", "again.svg", "-q"]);
    let again = folder.text("again.svg");
    assert_eq!(again.matches(">pc4<").count(), 2);
    let words = [
        "plot", "map.csv", "--pairs", "--axes", "2,pc3", "-o", "two.svg", "-q",
    ];
    folder.done(&words);
    let two = folder.text("two.svg");
    assert_eq!(two.matches(">pc3<").count(), 2);
    assert!(!two.contains(">pc1<"));
    let words = ["pca", "iris", "--streaming", "--plot", "s.png", "--pairs"];
    folder.done(&[&words, &["--size", "1000x700", "-q"][..]].concat());
    assert_eq!(png_size(&folder.bytes("s.png")), [1000, 700]);
    folder.done(&["pca", "iris", "--save", "m.charta", "-q"]);
    folder.done(&[
        "transform",
        "m.charta",
        "iris",
        "--plot",
        "t.svg",
        "--pairs",
        "-q",
    ]);
    assert!(folder.text("t.svg").contains(">pc2 ("));
    folder.done(&[
        "cca", "iris", "--view", "0,1", "--view", "2,3", "--plot", "v.svg", "--pairs", "-q",
    ]);
    let views = folder.text("v.svg");
    assert!(views.contains(">view1_1<") && views.contains(">view2_2<"));
}

#[test]
fn matrices_that_cannot_be_drawn_are_refused_before_the_fit() {
    let folder = Folder::new();
    for (words, expected) in [
        (&["--pairs"][..], "add `--plot FILE`"),
        (
            &["--pairs", "--plot", "p.html"],
            "`--pairs` is drawn as .png or .svg",
        ),
        (
            &["--pairs", "--plot", "p.svg", "-n", "1"],
            "`--pairs` needs two coordinates at least",
        ),
        (
            &["--pairs", "--plot", "p.svg", "--class-names"],
            "`--class-names`: the panels of `--pairs` have no room for names",
        ),
        (
            &["--pairs", "--plot", "p.svg", "--axes", "1,2,9"],
            "there is no coordinate 9",
        ),
        (
            &["--pairs", "--plot", "p.svg", "--axes", "1"],
            "`--axes` with `--pairs` takes 2 to 8 different coordinates",
        ),
        (
            &["--plot", "p.svg", "--axes", "1,2,3,4"],
            "(with `--pairs` up to 8)",
        ),
    ] {
        let message = folder.fails(2, &[&["pca", "iris"], words].concat());
        assert!(message.contains(expected), "{words:?}: {message}");
    }
    let words = ["isomap", "iris", "--plot", "p.svg", "--pairs", "--graph"];
    let message = folder.fails(2, &words);
    assert!(
        message.contains("not into the panels of `--pairs`"),
        "{message}"
    );
    folder.put("one.csv", "x,name\n1,a\n2,b\n3,a\n");
    let message = folder.fails(2, &["plot", "one.csv", "--pairs", "-o", "p.svg"]);
    assert!(
        message.contains("`--pairs` needs two columns of numbers at least, and there is 1"),
        "{message}"
    );
    assert_eq!(folder.names(), ["one.csv"]);
}

#[test]
fn three_coordinates_are_drawn_in_space_and_obey_the_options_of_looks() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-n", "3", "-o", "map.csv", "-q"]);
    let look = [
        "--palette",
        "tab10",
        "--title",
        "in space",
        "--size",
        "700x600",
        "--dpi",
        "300",
    ];
    let again = [
        "plot",
        "map.csv",
        "--axes",
        "1,2,3",
        "--point-size",
        "2",
        "-q",
    ];
    folder.done(&[&again, &look[..], &["-o", "space.png"]].concat());
    let bytes = folder.bytes("space.png");
    assert_eq!(png_size(&bytes), [700, 600]);
    assert!(bytes.windows(4).any(|four| four == b"pHYs"));
    let fit = ["pca", "iris", "-n", "3", "--axes", "1,2,3", "-q"];
    for call in [
        [&again, &look[..], &["-o", "space.svg"]].concat(),
        [&fit, &look[..], &["--plot", "space.svg"]].concat(),
    ] {
        folder.done(&call);
        let svg = folder.text("space.svg");
        assert!(svg.contains(">in space<") && svg.contains("#1f77b4") && !svg.contains("#0072b2"));
    }
    folder.done(&[&again, &["-o", "space.html"][..]].concat());
    let page = folder.text("space.html");
    assert!(page.contains("\"size\":2.0") && page.contains("pc3"));
    // A box that is not square leaves part of the usual canvas empty.
    folder.done(&["plot", "map.csv", "--axes", "1,2,3", "-o", "fit.png", "-q"]);
    let [width, height] = png_size(&folder.bytes("fit.png"));
    assert!(width < 1200 || height < 900, "{width} x {height}");
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
        (&["--axes", "1,2,1"], "`--axes` takes different columns"),
        (
            &["--axes", "1,2,1,2"],
            "`--axes` takes one to three columns, such as 1,3 or umap1,umap2, and up to 8 with `--pairs`",
        ),
        (
            &["--pairs", "--axes", "1"],
            "`--axes` with `--pairs` takes 2 to 8 columns",
        ),
        (
            &["--pairs", "--label-points"],
            "`--label-points`: the panels of `--pairs` have no room for names",
        ),
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

#[test]
fn the_label_that_a_fit_wrote_gives_the_colors_also_if_it_is_numbers() {
    let folder = Folder::new();
    folder.done(&["pca", "digits", "-o", "map.csv", "-q"]);
    let note = folder.done(&["plot", "map.csv", "-o", "p.svg"]).errors;
    assert!(
        note.contains("column \"digit\" follows the coordinates"),
        "{note}"
    );
    let picture = folder.text("p.svg");
    assert!(picture.contains(">digit<") && picture.contains(">9<"));
    // It is no coordinate of a matrix, unless it is requested.
    folder.done(&["plot", "map.csv", "--pairs", "-o", "p.svg", "-q"]);
    assert_eq!(folder.text("p.svg").matches(">digit<").count(), 1);
    folder.done(&["plot", "map.csv", "--axes", "1,digit", "-o", "p.svg", "-q"]);
    let picture = folder.text("p.svg");
    // Once beside the axis, and no legend.
    assert_eq!(picture.matches(">digit<").count(), 1);
    folder.done(&["pca", "iris", "-n", "3", "-o", "three.npy", "-q"]);
    folder.done(&["plot", "three.npy", "--pairs", "-o", "p.svg", "-q"]);
    assert_eq!(folder.text("p.svg").matches(">coordinate 3<").count(), 2);
}

#[test]
fn names_of_rows_beside_a_label_need_no_option() {
    let folder = Folder::new();
    let row = |row: usize| {
        format!(
            "r{row},{row},{},{}\n",
            row * row % 7,
            ["cat", "dog"][row % 2]
        )
    };
    let rows: String = (0..12).map(row).collect();
    folder.put("t.csv", &format!("name,x,y,species\n{rows}"));
    let note = folder.done(&["plot", "t.csv", "-o", "p.svg"]).errors;
    assert!(note.contains("is taken as the names of the rows"), "{note}");
    let picture = folder.text("p.svg");
    assert!(picture.contains(">cat<") && picture.contains(">r3<") && picture.contains(">species<"));
    folder.put("u.csv", &format!("kind,x,y,species\n{rows}"));
    let message = folder.fails(1, &["plot", "u.csv", "-o", "p.svg"]);
    assert!(message.contains("hold text, not numbers"), "{message}");
}

#[test]
fn subtitles_of_distances_count_the_pairs() {
    let folder = Folder::new();
    folder.done(&["classical-mds", "eurodist", "--plot", "p.svg", "-q"]);
    assert!(
        folder
            .text("p.svg")
            .contains(">210 distances between 21 rows<")
    );
    let pairs = "from,to,distance\na,b,1\na,c,2\nb,c,1.5\na,d,2\nb,d,2.5\n";
    folder.put("pairs.csv", pairs);
    folder.done(&["mds", "pairs.csv", "--distances", "--plot", "p.svg", "-q"]);
    let picture = folder.text("p.svg");
    assert!(picture.contains("5 of 6 distances between 4 rows"));
}

#[test]
fn columns_of_dates_are_a_scale_of_time() {
    let folder = Folder::new();
    let row = |row: usize| format!("{row},{},2024-{:02}-15\n", row * row % 7, 1 + row % 12);
    let rows: String = (0..40).map(row).collect();
    folder.put("t.csv", &format!("x,y,day\n{rows}"));
    folder.done(&["pca", "t.csv", "--plot", "p.svg", "-q"]);
    let picture = folder.text("p.svg");
    assert!(
        picture.contains(">day<") && picture.contains(">2024-04<"),
        "{picture}"
    );
    assert!(!picture.contains(">2024-03-15<"));
    let words = ["plot", "t.csv", "--color-by", "day", "-q"];
    folder.done(&[&words, &["-o", "p.html"][..]].concat());
    assert!(folder.text("p.html").contains("\"2024-04\""));
    folder.done(&[&words, &["--pairs", "-o", "p.svg"][..]].concat());
    assert!(folder.text("p.svg").contains(">2024-04<"));
}
