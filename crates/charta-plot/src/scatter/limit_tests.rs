//! Odd, extreme and wrong inputs of a scatter plot.

use super::tests::{NAMES, names, spiral, texts};
use super::*;
use crate::color::WHITE;
use crate::png_file::decode;

#[test]
fn degenerate_points_give_pictures() {
    let extremes = [
        f64::MAX,
        f64::MIN,
        1e300,
        1e-300,
        -1e-300,
        5e-324,
        0.0,
        f64::NAN,
        f64::INFINITY,
    ];
    let mut inputs: Vec<Vec<[f64; 2]>> = vec![
        vec![],
        vec![[3.0, 3.0]; 50],
        vec![[f64::NAN; 2]; 3],
        vec![[1.0, 1.0 + 1e-15], [1.0, 1.0]],
    ];
    inputs.extend(
        extremes
            .iter()
            .flat_map(|a| extremes.iter().map(move |b| vec![[*a, *b], [*b, 1.0]])),
    );
    for points in inputs {
        let values: Vec<f64> = points.iter().map(|point| point[1]).collect();
        let size = Size {
            width: 300,
            height: 200,
        };
        let scatter = Scatter {
            color: Color::Numbers {
                title: "y",
                values: &values,
            },
            size,
            ..Scatter::new(&points)
        };
        for format in [Format::Png, Format::Svg, Format::Html] {
            let bytes = scatter.draw(format).unwrap();
            assert!(!bytes.is_empty());
            if format == Format::Svg {
                let svg = String::from_utf8(bytes).unwrap();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}");
            }
        }
    }
}

#[test]
fn points_left_out_are_counted() {
    let points = [
        [0.0, 0.0],
        [f64::NAN, 0.0],
        [1.0, f64::INFINITY],
        [2.0, 1.0],
    ];
    let scatter = Scatter {
        subtitle: "kept".into(),
        ..Scatter::new(&points)
    };
    assert_eq!(scatter.n_left_out(), 2);
    assert_eq!(
        scatter.notes(),
        "kept · 2 of 4 points left out: without coordinates"
    );
}

#[test]
fn mistakes_are_named() {
    let points = spiral(3);
    let names = names(&NAMES);
    let draw = |color| {
        Scatter {
            color,
            ..Scatter::new(&points)
        }
        .draw(Format::Png)
        .unwrap_err()
        .to_string()
    };
    let wrong = [Some(0), Some(3), None];
    assert_eq!(
        draw(Color::Classes {
            title: "class",
            names: &names,
            of_row: &wrong
        }),
        "row 1 is of class 3, but only 3 classes have names"
    );
    assert_eq!(
        draw(Color::Numbers {
            title: "v",
            values: &[1.0]
        }),
        "`values` must have one entry for each point: expected 3, got 1"
    );
    let size = Size {
        width: 10,
        height: 900,
    };
    let message = Scatter {
        size,
        ..Scatter::new(&points)
    }
    .draw(Format::Html)
    .unwrap_err()
    .to_string();
    assert_eq!(
        message,
        "the picture must be 200 to 8000 pixels wide and high, got 10 x 900"
    );
}

#[test]
fn nothing_but_white_lies_at_the_edge() {
    let points = spiral(200);
    let names = names(
        &["a class with a name that is much too long for any legend that leaves room for the data";
            40],
    );
    let of_row: Vec<Option<usize>> = (0..200).map(|row| Some(row % 40)).collect();
    let color = Color::Classes {
        title: "class",
        names: &names,
        of_row: &of_row,
    };
    let title = "a title that goes on and on and on ".repeat(20);
    let axes = [title.clone(), title.clone()];
    for size in [
        Size::default(),
        Size {
            width: 400,
            height: 300,
        },
        Size {
            width: 2400,
            height: 900,
        },
    ] {
        let scatter = Scatter {
            title: title.clone(),
            subtitle: title.clone(),
            axes: axes.clone(),
            color,
            size,
            ..Scatter::new(&points)
        };
        let (width, height, pixels) = decode(&scatter.draw(Format::Png).unwrap());
        let at_edge = |i: &usize| {
            i % width < 3 || i % width >= width - 3 || i / width < 3 || i / width >= height - 3
        };
        assert!(
            (0..pixels.len())
                .filter(at_edge)
                .all(|i| pixels[i] == WHITE),
            "{size:?}"
        );
    }
}

#[test]
fn the_smallest_pictures_hold_whatever_fits() {
    let points = spiral(40);
    let names = names(&["class"; 40]);
    let of_row: Vec<Option<usize>> = (0..40).map(Some).collect();
    let values: Vec<f64> = (0..40).map(f64::from).collect();
    let size = Size {
        width: Size::MIN,
        height: Size::MIN,
    };
    let title = "a title that goes on ".repeat(20);
    let colors = [
        Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        },
        Color::Numbers {
            title: &title,
            values: &values,
        },
    ];
    for color in colors {
        let scatter = Scatter {
            title: title.clone(),
            subtitle: title.clone(),
            color,
            size,
            ..Scatter::new(&points)
        };
        assert!(scatter.draw(Format::Png).is_ok() && scatter.draw(Format::Svg).is_ok());
    }
}

#[test]
fn names_stand_beside_few_points_and_are_refused_for_many() {
    let labels = |n: usize| {
        let points = spiral(n);
        let names: Vec<String> = (0..n).map(|row| format!("row-{row}")).collect();
        let scatter = Scatter {
            row_names: Some(&names),
            label_points: true,
            ..Scatter::new(&points)
        };
        let scene = scatter.scene().unwrap();
        let texts = texts(&scene);
        let named = texts
            .iter()
            .filter(|text| text.text.starts_with("row-"))
            .count();
        (
            named,
            texts
                .iter()
                .any(|text| text.text == "too many points for names"),
        )
    };
    assert_eq!(labels(21), (21, false));
    assert_eq!(labels(2_001), (0, true));
}
