//! Pictures of what a model knows about features and components.

use charta::method::{Capability, Input};
use charta::methods::METHODS;
use charta::pipeline::Fitted;

use crate::call::{Folder, method_names, views};

#[test]
fn a_biplot_has_an_arrow_for_each_feature() {
    let folder = Folder::new();
    folder.done(&[
        "pca",
        "iris",
        "--biplot",
        "b.svg",
        "--loadings-plot",
        "l.svg",
        "--color-by",
        "class",
        "-q",
    ]);
    for name in ["b.svg", "l.svg"] {
        let picture = folder.text(name);
        for feature in ["sepal_width", "petal_length"] {
            assert!(
                picture.contains(&format!(">{feature}<")),
                "{name}: {feature}"
            );
        }
    }
    folder.done(&[
        "pca",
        "iris",
        "--biplot",
        "b.html",
        "--loadings-plot",
        "l.png",
        "-q",
    ]);
    assert!(folder.text("b.html").contains("petal_length"));
    assert!(folder.bytes("l.png").starts_with(b"\x89PNG"));
    folder.done(&["pca", "iris", "--streaming", "--biplot", "s.svg", "-q"]);
    assert!(folder.text("s.svg").contains(">sepal_width<"));
}

#[test]
fn the_places_that_a_model_names_are_marked() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if entry.info.first_picture {
            continue;
        }
        let words = [
            &*name, "iris", "--plot", "p.svg", "--save", "m.charta", "-q",
        ];
        folder.done(&[&words, &*views(entry, "iris")].concat());
        let fitted = Fitted::from_bytes(&folder.bytes("m.charta")).unwrap();
        // Means of clusters are named otherwise.
        let marks = fitted
            .model()
            .marks()
            .iter()
            .filter(|mark| mark.name == "setosa")
            .count();
        // Each class stands in the legend, and a second time beside its mark.
        let written = folder.text("p.svg").matches(">setosa<").count();
        assert_eq!(written, 1 + usize::from(marks > 0), "{name}");
    }
}

#[test]
fn every_method_draws_what_it_has_or_says_what_it_lacks() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let views = views(entry, "iris");
        for flag in ["--plot", "--biplot", "--loadings-plot", "--scree-plot"] {
            let answer = folder.call(&[&[&*name, "iris", flag, "p.svg", "-q"], &*views].concat());
            match answer.code {
                0 => assert!(folder.text("p.svg").contains("<svg"), "{name} {flag}"),
                code => {
                    assert_eq!(code, 2, "{name} {flag}: {}", answer.errors);
                    assert!(
                        answer.errors.contains("has nothing to draw"),
                        "{}",
                        answer.errors
                    );
                    assert_ne!(flag, "--plot");
                }
            }
        }
    }
}

#[test]
fn pictures_that_cannot_be_drawn_are_refused() {
    let folder = Folder::new();
    for (words, message) in [
        (
            &["-n", "1", "--biplot", "b.png"][..],
            "needs two coordinates",
        ),
        (&["--loadings-plot", "l.html"], ".png or .svg"),
        (&["--biplot", "b.pdf"], ".png, .svg or .html"),
        (
            &["--loadings-plot", "l.png", "--color-by", "class"],
            "add `--plot FILE`",
        ),
        (
            &["--biplot", "b.png", "--plot", "b.png"],
            "two outputs have this name",
        ),
    ] {
        let errors = folder.fails(2, &[&["pca", "iris"], words].concat());
        assert!(errors.contains(message), "{words:?}: {errors}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn pictures_that_a_method_never_has_are_refused_before_reading_and_not_listed() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let info = &entry.info;
        let help = folder.done(&[&name, "--help"]).text;
        for (flag, has) in [
            ("--biplot", info.offers(Capability::Loadings)),
            ("--loadings-plot", info.offers(Capability::Loadings)),
            ("--scree-plot", info.offers(Capability::Spectrum)),
            ("--components-plot", info.offers(Capability::Axes)),
        ] {
            assert_eq!(help.contains(flag), has, "{name} {flag}");
            if !has {
                let views = views(entry, "iris");
                let words = [&[&*name, "no-such-file.csv", flag, "p.svg"], &*views].concat();
                let errors = folder.fails(2, &words);
                assert!(errors.contains("has nothing to draw"), "{errors}");
            }
        }
    }
}

#[test]
fn pictures_of_models_are_drawn_by_their_names() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let views = views(entry, "iris");
        let call = |words: &[&str]| {
            let words = [&[&*name, "iris"], words, &*views].concat();
            words.into_iter().map(String::from).collect::<Vec<_>>()
        };
        if entry.info.pictures.is_empty() {
            let errors = folder.fails(2, &borrowed(&call(&["--picture", "loss=p.svg"])));
            assert!(
                errors.contains("has no pictures besides its map"),
                "{errors}"
            );
            continue;
        }
        for picture in entry.info.pictures {
            let wanted = format!("{picture}={name}-{picture}.svg");
            folder.done(&borrowed(&call(&["--picture", &wanted, "-q"])));
            let drawn = folder.text(&format!("{name}-{picture}.svg"));
            assert!(drawn.contains(entry.info.title), "{name} {picture}");
        }
        let errors = folder.fails(2, &borrowed(&call(&["--picture", "no=p.svg"])));
        assert!(errors.contains("has no picture named \"no\""), "{errors}");
        let errors = folder.fails(2, &borrowed(&call(&["--picture", entry.info.pictures[0]])));
        assert!(errors.contains("lacks a file"), "{errors}");
    }
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Iris without its third class.
fn two_classes(folder: &Folder) {
    folder.done(&["data", "iris", "-o", "all.csv", "-q"]);
    let all = folder.text("all.csv");
    let kept: Vec<&str> = all.lines().take(101).collect();
    folder.put("two.csv", &(kept.join("\n") + "\n"));
}

#[test]
fn an_impossible_picture_does_not_lose_the_other_outputs() {
    let folder = Folder::new();
    two_classes(&folder);
    let outputs = ["--biplot", "b.svg", "-o", "o.csv", "--save", "m.charta"];
    let answer = folder.call(&[&["lda", "two.csv", "--json"], &outputs[..]].concat());
    assert_eq!(answer.code, 2, "{}", answer.errors);
    assert!(answer.errors.contains("needs two coordinates at least"));
    let files = answer.json()["files"].to_string();
    assert!(files.contains("o.csv") && files.contains("m.charta") && !files.contains("b.svg"));
    assert_eq!(folder.names(), ["all.csv", "m.charta", "o.csv", "two.csv"]);
}

#[test]
fn a_single_coordinate_is_drawn_as_strips_with_the_means_of_the_classes() {
    let folder = Folder::new();
    two_classes(&folder);
    folder.done(&["lda", "two.csv", "--plot", "p.svg", "-q"]);
    let picture = folder.text("p.svg");
    for name in ["setosa", "versicolor", "class"] {
        assert_eq!(picture.matches(&format!(">{name}<")).count(), 1, "{name}");
    }
    assert!(picture.contains("ringed: means of the classes"));
    assert!(!picture.contains(">row<"));
    for (name, color_by) in [("n.svg", "petal_width"), ("n.html", "petal_width")] {
        folder.done(&[
            "lda",
            "two.csv",
            "--plot",
            name,
            "--color-by",
            color_by,
            "-q",
        ]);
        assert!(folder.text(name).contains(color_by));
    }
    folder.done(&["pca", "two.csv", "-n", "1", "--plot", "o.png", "-q"]);
    assert!(folder.bytes("o.png").starts_with(b"\x89PNG"));
}

#[test]
fn views_are_drawn_against_each_other_however_many_components() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.takes(Input::Views) {
            continue;
        }
        let draw = |n: &str| {
            let views = views(entry, "iris");
            let words = [&*name, "iris", "-n", n, "--plot", "p.svg", "-q"];
            folder.done(&[&words, &*views].concat());
            folder.text("p.svg")
        };
        let one = draw("1");
        assert!(one.contains("correlation 0.94"), "{name}");
        assert!(one.contains(">view1_1<") && one.contains(">view2_1<"));
        assert_eq!(one, draw("2"), "{name}");
        let views = views(entry, "iris");
        folder.done(&[&[&*name, "iris", "--biplot", "b.svg", "-q"], &*views].concat());
        let biplot = folder.text("b.svg");
        assert!(biplot.contains("features of view 1") && biplot.contains(">sepal_width<"));
        assert!(!biplot.contains(">petal_width<"));
    }
}

#[test]
fn a_scree_plot_claims_the_share_that_is_reported() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.offers(Capability::Spectrum) {
            continue;
        }
        let views = views(entry, "iris");
        let words = [&*name, "iris", "--scree-plot", "s.svg", "--json"];
        let report = folder.done(&[&words, &*views].concat()).json();
        let picture = folder.text("s.svg");
        let Some((_, claim)) = picture.split_once("components hold ") else {
            continue;
        };
        let claim: f64 = claim.split_once(" %").unwrap().0.parse().unwrap();
        let shares = report["diagnostics"]["explained_variance_ratio"].as_array();
        let share: f64 = shares
            .unwrap()
            .iter()
            .filter_map(serde_json::Value::as_f64)
            .sum();
        assert!(
            (claim - 100.0 * share).abs() < 0.051,
            "{name}: {claim} {share}"
        );
    }
}

#[test]
fn shares_stand_on_axes_only_where_they_fall() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let views = views(entry, "wine");
        let words = [&*name, "wine", "--plot", "p.svg", "--json"];
        let report = folder.done(&[&words, &*views].concat()).json();
        let shares: Option<Vec<f64>> = report["diagnostics"]["explained_variance_ratio"]
            .as_array()
            .and_then(|shares| shares.iter().map(serde_json::Value::as_f64).collect());
        let falls = shares.is_some_and(|shares| shares.windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(folder.text("p.svg").contains(" %)<"), falls, "{name}");
    }
}

#[test]
fn rows_that_are_images_are_drawn_on_the_map() {
    let folder = Folder::new();
    folder.done(&["pca", "digits", "--images-plot", "map.svg", "-q"]);
    assert!(folder.text("map.svg").contains(" rows as images"));
    folder.done(&["data", "digits", "-o", "digits.csv", "-q"]);
    let table = ["pca", "digits.csv", "--label", "digit", "--images-plot"];
    let call = |rest: &[&'static str]| [&table[..], &["t.png"], rest].concat();
    assert!(folder.fails(2, &call(&[])).contains("--image-size WxH"));
    let errors = folder.fails(2, &call(&["--image-size", "8x9"]));
    assert!(
        errors.contains("images of 8x9 pixels have 72 columns"),
        "{errors}"
    );
    folder.done(&call(&["--image-size", "8x8", "-q"]));
    assert!(folder.bytes("t.png").starts_with(b"\x89PNG"));
}

#[test]
fn images_are_light_or_dark_and_turned_as_asked() {
    let folder = Folder::new();
    let draw = |words: &[&str]| {
        let call = ["pca", "digits", "-n", "2", "--images-plot", "map.png", "-q"];
        folder.done(&[&call, words].concat());
        folder.bytes("map.png")
    };
    let plain = draw(&[]);
    assert_eq!(
        plain,
        draw(&["--image-ink", "dark", "--image-order", "rows"])
    );
    assert_ne!(plain, draw(&["--image-ink", "light"]));
    assert_ne!(plain, draw(&["--image-order", "columns"]));
    let errors = folder.fails(2, &["pca", "digits", "--image-ink", "light"]);
    assert!(errors.contains("--images-plot"), "{errors}");
    let errors = folder.fails(
        2,
        &["isomap", "digits", "-n", "1", "--images-plot", "a.png"],
    );
    assert!(errors.contains("two coordinates"), "{errors}");
    assert!(!errors.contains("neighbours"), "it ran: {errors}");
}

#[test]
fn classes_stand_in_natural_order_in_legends_and_tables_of_mistakes() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..36)
        .map(|row| format!("{},{},class {}", row % 12, (row * row) % 7, row % 12 + 1))
        .collect();
    folder.put("t.csv", &format!("x,y,kind\n{}\n", rows.join("\n")));
    let in_order = |text: &str| {
        let places: Vec<usize> = (1..=12)
            .map(|class| text.find(&format!("class {class}<")).unwrap())
            .collect();
        assert!(places.is_sorted(), "{places:?}");
    };
    let words = ["t.csv", "--label", "kind", "-q"];
    for (flag, name) in [("--plot", "p.svg"), ("--plot", "s.svg")] {
        let streaming: &[&str] = if name == "s.svg" {
            &["--streaming"]
        } else {
            &[]
        };
        folder.done(&[&["pca", flag, name], &words[..], streaming].concat());
        in_order(&folder.text(name));
    }
    folder.done(&[&["pca", "--plot", "p.html"], &words[..]].concat());
    let page = folder.text("p.html");
    let at = |class: usize| page.find(&format!("\"class {class}\"")).unwrap();
    assert!((1..12).all(|class| at(class) < at(class + 1)));
    folder.done(&[&["lda", "--save", "m.charta"], &words[..]].concat());
    let text = folder
        .done(&["predict", "m.charta", "t.csv", "--label", "kind"])
        .text;
    let heading = text
        .lines()
        .find(|line| line.contains("true \\ predicted"))
        .unwrap();
    let places: Vec<usize> = (1..=12)
        .map(|class| {
            format!("{heading}  ")
                .find(&format!("class {class} "))
                .unwrap()
        })
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn residual_variances_are_drawn_as_a_curve_with_its_elbow() {
    let folder = Folder::new();
    let words = [
        "isomap",
        "swiss-roll:500",
        "-k",
        "8",
        "--scree-plot",
        "s.svg",
    ];
    let text = folder.done(&words).text;
    assert!(text.contains("(elbow") && text.contains("at 2)"), "{text}");
    let picture = folder.text("s.svg");
    assert!(picture.contains("elbow at 2 dimensions"), "{picture}");
    assert!(picture.contains(">number of dimensions<"));
}

#[test]
fn components_follow_the_mean_in_the_colours_requested() {
    let folder = Folder::new();
    let draw = |words: &[&str]| {
        let call = [
            "pca",
            "digits",
            "-n",
            "3",
            "--components-plot",
            "c.svg",
            "-q",
        ];
        folder.done(&[&call, words].concat());
        folder.text("c.svg")
    };
    let plain = draw(&[]);
    assert!(plain.contains(">mean<") && plain.contains("blue is negative"));
    assert_eq!(plain, draw(&["--components-color", "diverging"]));
    assert!(draw(&["--components-color", "grey"]).contains("lighter is more"));
    let dark = draw(&["--components-colour", "gray", "--image-ink", "dark"]);
    assert!(dark.contains("darker is more"));
    // The mean is that of the rows, not of what they were scaled to.
    let scaled = draw(&["--scale", "min-max"]);
    assert!(scaled.contains(">mean<"));
    let errors = folder.fails(2, &["pca", "digits", "--components-color", "grey"]);
    assert!(errors.contains("--components-plot"), "{errors}");
}

#[test]
fn names_lie_across_images_only_if_requested() {
    let folder = Folder::new();
    folder.done(&["data", "head:20,side=8", "-o", "head.csv", "-q"]);
    let name = folder.text("head.csv").lines().nth(1).unwrap().to_string();
    let name = name.rsplit_once(',').unwrap().1.to_string();
    let words = [
        "--id",
        "left_right",
        "--image-size",
        "8x8",
        "--images-plot",
        "m.svg",
        "-q",
    ];
    let call = [&["pca", "head.csv"], &words[..]].concat();
    folder.done(&call);
    assert!(!folder.text("m.svg").contains(&format!(">{name}<")));
    folder.done(&[&call[..], &["--label-points"]].concat());
    assert!(folder.text("m.svg").contains(">-") || folder.text("m.svg").contains(&name));
}
