use super::*;
use crate::error::Result;
use crate::format::{Format, Size};
use crate::palette::look;
use crate::scatter::Color;
use crate::scene::Text;

const SQUARE: [[f64; 2]; 4] = [[-3.0, -4.0], [3.0, -4.0], [-3.0, 4.0], [3.0, 4.0]];

fn arrow(name: &str, vector: [f64; 2]) -> Arrow {
    Arrow {
        name: name.into(),
        vector,
    }
}

fn mark(name: &str, place: [f64; 2], class: Option<usize>) -> Mark {
    Mark {
        name: name.into(),
        place,
        class,
    }
}

fn draw_all(scatter: &Scatter<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for format in [Format::Png, Format::Svg, Format::Html] {
        let drawn = scatter.draw(format)?;
        assert_eq!(drawn, scatter.draw(format)?);
        bytes.extend(drawn);
    }
    Ok(bytes)
}

fn texts(scatter: &Scatter<'_>) -> Vec<Text> {
    let items = scatter.scene().unwrap().items.into_iter();
    items
        .filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

#[test]
fn arrows_share_one_factor_and_the_longest_reaches_four_fifths() {
    let arrows = [
        arrow("short", [0.1, 0.0]),
        arrow("long", [0.0, 0.5]),
        arrow("slanted", [-0.3, 0.3]),
    ];
    let scatter = Scatter {
        arrows: &arrows,
        ..Scatter::new(&SQUARE)
    };
    // The corners are 5 from the origin: 0.8 × 5 / 0.5.
    let drawn = scatter.arrows();
    assert_eq!(
        drawn.tips.iter().map(|tip| tip.0).collect::<Vec<_>>(),
        ["long", "slanted", "short"]
    );
    for (tip, wanted) in drawn.tips.iter().zip([[0.0, 4.0], [-2.4, 2.4], [0.8, 0.0]]) {
        assert!((tip.1[0] - wanted[0]).abs() < 1e-12 && (tip.1[1] - wanted[1]).abs() < 1e-12);
    }
    assert_eq!(scatter.notes(), "arrows × 8.00");
    draw_all(&scatter).unwrap();
}

#[test]
fn axes_of_different_units_measure_arrows_each_by_its_own() {
    let points = [[-100.0, -0.5], [100.0, 0.5]];
    let arrows = [arrow("across", [1.0, 0.0]), arrow("up", [0.0, 0.01])];
    let scatter = Scatter {
        arrows: &arrows,
        ..Scatter::new(&points)
    };
    let tips = scatter.arrows().tips;
    assert_eq!((tips[0].0, tips[1].0), ("up", "across"));
    assert!((tips[0].1[1] - 0.4).abs() < 1e-12 && (tips[1].1[0] - 40.0).abs() < 1e-9);
}

#[test]
fn only_the_thirty_longest_arrows_are_drawn_and_the_subtitle_says_so() {
    let mut arrows: Vec<Arrow> = (0..64)
        .map(|i| {
            let angle = f64::from(i);
            let length = 1.0 + angle;
            arrow(
                &format!("f{i}"),
                [length * angle.cos(), length * angle.sin()],
            )
        })
        .collect();
    arrows.push(arrow("zero", [0.0, 0.0]));
    arrows.push(arrow("lost", [f64::NAN, 1.0]));
    let scatter = Scatter {
        arrows: &arrows,
        ..Scatter::new(&SQUARE)
    };
    let notes = scatter.notes();
    assert!(
        notes.starts_with(
            "1 of 66 arrows left out: zero · 1 of 66 arrows left out: not finite · the 30 longest of 64 arrows"
        ),
        "{notes}"
    );
    let names: Vec<&str> = scatter.arrows().tips.iter().map(|tip| tip.0).collect();
    assert_eq!((names.len(), names[0], names[29]), (30, "f63", "f34"));
    let texts = texts(&scatter);
    let written = names
        .iter()
        .filter(|name| texts.iter().any(|text| text.text == **name))
        .count();
    assert_eq!(written, 30);
}

#[test]
fn the_axes_hold_origin_tips_and_marks() {
    let points = [[4.0, 4.0], [5.0, 6.0]];
    let (arrows, marks) = ([arrow("a", [-1.0, 0.0])], [mark("m", [9.0, 5.0], None)]);
    let scatter = Scatter {
        arrows: &arrows,
        marks: &marks,
        ..Scatter::new(&points)
    };
    let [x, y] = scatter.ranges();
    let tip = scatter.arrows().tips[0].1;
    assert!(tip[0] < -6.0 && x.low < tip[0] && x.high > 9.0);
    assert!(y.low < 0.0 && y.high > 6.0);
}

#[test]
fn marks_have_the_color_of_their_class_and_their_name_beside_them() {
    let names: Vec<String> = ["one", "two"].map(str::to_owned).to_vec();
    let of_row = [Some(0), Some(0), Some(1), Some(1)];
    let marks = [
        mark("mean of two", [0.0, 4.0], Some(1)),
        mark("centre", [0.0, 0.0], None),
        mark("lost", [f64::INFINITY, 0.0], None),
    ];
    let scatter = Scatter {
        color: Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        },
        marks: &marks,
        ..Scatter::new(&SQUARE)
    };
    assert_eq!(scatter.notes(), "1 of 3 marks left out: not finite");
    let scene = scatter.scene().unwrap();
    let found = |color: Rgb| {
        let single = |item: &Item| match item {
            Item::Marks(marks) if marks.radius == MARK_RADIUS && marks.looks[0].0 == color => {
                Some(marks.marks[0].0)
            }
            _ => None,
        };
        scene.items.iter().find_map(single).unwrap()
    };
    let (two, centre) = (found(look(1).0), found(INK));
    assert!((two[0] - centre[0]).abs() < 1e-9 && two[1] < centre[1]);
    let texts = texts(&scatter);
    let name = texts.iter().find(|text| text.text == "centre").unwrap();
    assert!(name.halo && (name.place[0] - centre[0]).abs() < 40.0);
    assert!((name.place[1] - centre[1]).abs() < 40.0);
    assert!(texts.iter().all(|text| text.text != "lost"));
}

#[test]
fn a_mark_of_an_unknown_class_is_an_error() {
    let marks = [mark("m", [0.0, 0.0], None), mark("n", [0.0, 0.0], Some(2))];
    let scatter = Scatter {
        marks: &marks,
        ..Scatter::new(&SQUARE)
    };
    assert_eq!(
        scatter.draw(Format::Png).unwrap_err().to_string(),
        "mark 1 is of class 2, but only 0 classes have names"
    );
}

#[test]
fn extreme_numbers_give_pictures() {
    let extremes = [f64::MAX, -1e300, 1e-300, 5e-324, 0.0, 1.0, f64::NAN];
    let pairs = || extremes.iter().flat_map(|a| extremes.map(|b| [*a, b]));
    let arrows: Vec<Arrow> = pairs().map(|vector| arrow("a", vector)).collect();
    let marks: Vec<Mark> = pairs().map(|place| mark("m", place, None)).collect();
    let mut inputs: Vec<Vec<[f64; 2]>> = pairs().map(|point| vec![point, [1.0, 1.0]]).collect();
    inputs.extend([
        vec![],
        vec![[0.0, 0.0]],
        vec![[f64::MAX; 2], [-f64::MAX; 2]],
    ]);
    for points in inputs {
        for n in [1, arrows.len()] {
            for marks in [&marks[..], &[]] {
                let size = Size {
                    width: 240,
                    height: 200,
                };
                let scatter = Scatter {
                    arrows: &arrows[..n],
                    marks,
                    size,
                    ..Scatter::new(&points)
                };
                let svg = String::from_utf8(scatter.draw(Format::Svg).unwrap()).unwrap();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}");
                assert!(scatter.draw(Format::Png).is_ok() && scatter.draw(Format::Html).is_ok());
            }
        }
    }
}

#[test]
fn hundreds_of_marks_are_drawn_and_those_with_room_are_named() {
    let marks: Vec<Mark> = (0..300)
        .map(|i| {
            mark(
                &format!("mark-{i}"),
                [f64::from(i % 20), f64::from(i / 20)],
                None,
            )
        })
        .collect();
    let scatter = Scatter {
        marks: &marks,
        ..Scatter::new(&SQUARE)
    };
    let named = texts(&scatter)
        .iter()
        .filter(|text| text.text.starts_with("mark-"))
        .count();
    assert!((1..300).contains(&named), "{named}");
}
