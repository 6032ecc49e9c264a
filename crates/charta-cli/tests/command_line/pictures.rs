//! Pictures of what a model knows about features and components.

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
        let words = [
            &*name, "iris", "--plot", "p.svg", "--save", "m.charta", "-q",
        ];
        folder.done(&[&words, &*views(entry, "iris")].concat());
        let fitted = Fitted::from_bytes(&folder.bytes("m.charta")).unwrap();
        let marks = fitted.model().marks().len();
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
