//! What a scatter plot shows, and where.

use super::*;
use crate::color::{MISSING, Rgb, sequential};
use crate::palette::look;
use crate::png_file::decode;
use crate::scene::{Item, Text};

pub(super) const NAMES: [&str; 3] = ["setosa", "versicolor", "virginica"];

pub(super) fn names(of: &[&str]) -> Vec<String> {
    of.iter().map(|name| (*name).to_owned()).collect()
}

/// Points on a spiral: spread, and the same every time.
pub(super) fn spiral(n: usize) -> Vec<[f64; 2]> {
    let point = |i: usize| {
        let angle = i as f64 * 2.399_963;
        let radius = (i as f64 / n as f64).sqrt();
        [radius * angle.cos(), radius * angle.sin()]
    };
    (0..n).map(point).collect()
}

pub(super) fn texts(scene: &Scene) -> Vec<&Text> {
    scene
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

fn is_shaded(scene: &Scene) -> bool {
    scene
        .items
        .iter()
        .any(|item| matches!(item, Item::Image { area, .. } if area.width > 300.0))
}

#[test]
fn class_colors_appear_in_the_panel_and_the_legend_lies_outside() {
    let points = spiral(300);
    let names = names(&NAMES);
    let of_row: Vec<Option<usize>> = (0..300)
        .map(|row| (row % 10 > 0).then_some(row % 3))
        .collect();
    let scatter = Scatter {
        color: Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        },
        ..Scatter::new(&points)
    };
    let (width, height, pixels) = decode(&scatter.draw(Format::Png).unwrap());
    assert_eq!((width, height), (1200, 900));
    let scene = scatter.scene().unwrap();
    let area = frame::header(&mut Scene::new(scatter.size).unwrap(), "", "");
    let left_of_legend = legend::draw(
        &mut Scene::new(scatter.size).unwrap(),
        area,
        &scatter.legend(),
    );
    let (panel, ..) = scatter.axes(left_of_legend);
    for name in NAMES.iter().chain(&["missing"]) {
        let text = texts(&scene)
            .into_iter()
            .find(|text| text.text == *name)
            .unwrap();
        assert!(
            text.place[0] > panel.right() + 10.0,
            "{name} at {:?}",
            text.place
        );
    }
    let painted = |color: Rgb, columns: std::ops::Range<usize>| {
        let near = |pixel: &Rgb| {
            // Markers are a little translucent.
            [(pixel.0, color.0), (pixel.1, color.1), (pixel.2, color.2)]
                .iter()
                .all(|(a, b)| a.abs_diff(*b) < 24)
        };
        (0..height)
            .map(|y| {
                columns
                    .clone()
                    .filter(|x| near(&pixels[y * width + x]))
                    .count()
            })
            .sum::<usize>()
    };
    for color in [look(0).0, look(1).0, look(2).0, MISSING] {
        assert!(
            painted(color, panel.left as usize..panel.right() as usize) > 300,
            "{color:?}"
        );
        assert!(
            painted(color, panel.right() as usize + 10..width) > 60,
            "{color:?}"
        );
    }
}

#[test]
fn a_point_is_painted_where_its_coordinates_say() {
    let points = [
        [0.0, 0.0],
        [10.0, 0.0],
        [0.0, 10.0],
        [10.0, 10.0],
        [7.0, 2.0],
    ];
    let values = [0.0, 0.0, 0.0, 0.0, 1.0];
    let scatter = Scatter {
        color: Color::Numbers {
            title: "v",
            values: &values,
        },
        equal_axes: false,
        ..Scatter::new(&points)
    };
    let scene = scatter.scene().unwrap();
    let marks = scene.items.iter().find_map(|item| match item {
        Item::Marks(marks) if marks.marks.len() == 5 => Some(marks),
        _ => None,
    });
    let marks = marks.unwrap();
    let yellow = marks
        .marks
        .iter()
        .find(|(_, look)| marks.looks[*look].0 == sequential(1.0))
        .unwrap()
        .0;
    let xs: Vec<f64> = marks.marks.iter().map(|(place, _)| place[0]).collect();
    let ys: Vec<f64> = marks.marks.iter().map(|(place, _)| place[1]).collect();
    let (low_x, high_x) = (
        xs.iter().copied().fold(f64::MAX, f64::min),
        xs.iter().copied().fold(0.0, f64::max),
    );
    let (low_y, high_y) = (
        ys.iter().copied().fold(f64::MAX, f64::min),
        ys.iter().copied().fold(0.0, f64::max),
    );
    assert!(((yellow[0] - low_x) / (high_x - low_x) - 0.7).abs() < 1e-9);
    assert!(((high_y - yellow[1]) / (high_y - low_y) - 0.2).abs() < 1e-9);
    let (width, _, pixels) = decode(&scatter.draw(Format::Png).unwrap());
    let painted = pixels[yellow[1] as usize * width + yellow[0] as usize];
    assert!(painted.0 > 230 && painted.2 < 90, "{painted:?}");
}

#[test]
fn crowds_become_density_and_few_points_stay_markers() {
    let (few, many) = (spiral(2_000), spiral(40_000));
    assert!(!is_shaded(&Scatter::new(&few).scene().unwrap()));
    assert!(is_shaded(&Scatter::new(&many).scene().unwrap()));
    let heap: Vec<[f64; 2]> = spiral(5_000)
        .iter()
        .enumerate()
        .map(|(i, [x, y])| {
            if i >= 4_990 {
                [*x, *y]
            } else {
                [x * 0.02, y * 0.02]
            }
        })
        .collect();
    assert!(
        is_shaded(&Scatter::new(&heap).scene().unwrap()),
        "5000 points on one spot hide each other"
    );
    let svg = String::from_utf8(Scatter::new(&many).draw(Format::Svg).unwrap()).unwrap();
    assert!(svg.contains("data:image/png;base64,") && !svg.contains("<use "));
    let svg = String::from_utf8(Scatter::new(&few).draw(Format::Svg).unwrap()).unwrap();
    assert_eq!(svg.matches("<use ").count(), 2_000);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for points in [spiral(500), spiral(40_000)] {
        let values: Vec<f64> = points.iter().map(|point| point[0]).collect();
        let scatter = Scatter {
            color: Color::Numbers {
                title: "x",
                values: &values,
            },
            ..Scatter::new(&points)
        };
        for format in [Format::Png, Format::Svg, Format::Html] {
            assert_eq!(scatter.draw(format).unwrap(), scatter.draw(format).unwrap());
        }
    }
}

#[test]
fn equal_axes_keep_angles_unless_one_range_is_tiny() {
    let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]];
    let area = Area {
        left: 0.0,
        top: 0.0,
        width: 1000.0,
        height: 700.0,
    };
    let (panel, x, y) = Scatter::new(&points).axes(area);
    assert!((x.range.half() / panel.width / (y.range.half() / panel.height) - 1.0).abs() < 1e-9);
    let flat = [[0.0, 0.0], [4.0, 1e-9]];
    let scatter = Scatter::new(&flat);
    let (_, _, y) = scatter.axes(area);
    assert!(y.range.half() < 1e-8);
    assert!(scatter.notes().contains("axes not to the same scale"));
}

#[test]
fn edges_lie_below_the_points_and_paths_above_them() {
    use crate::lines::{Stroke, StrokeLook};
    use crate::scene::Item;
    let points = [[0.0, 0.0], [1.0, 1.0], [f64::NAN, 0.0], [2.0, 0.0]];
    let edges = [[0, 1], [1, 2], [1, 3]];
    let stroke = |look: StrokeLook, places: &[[f64; 2]]| Stroke {
        name: String::new(),
        places: places.to_vec(),
        look,
    };
    let strokes = [
        stroke(StrokeLook::Path, &points[..2]),
        stroke(StrokeLook::Perpendicular, &[[0.0, 0.0], [5.0, 5.0]]),
        // Not finite: left out.
        stroke(StrokeLook::Chord, &points[1..3]),
    ];
    let scatter = Scatter {
        edges: &edges,
        strokes: &strokes,
        ..Scatter::new(&points)
    };
    let scene = scatter.scene().unwrap();
    let place = |wanted: &dyn Fn(&Item) -> bool| scene.items.iter().position(wanted).unwrap();
    let segments =
        place(&|item| matches!(item, Item::Segments { segments, .. } if segments.len() == 2));
    let marks = place(&|item| matches!(item, Item::Marks(_)));
    let line = |look: StrokeLook| {
        place(&|item| matches!(item, Item::Line { color, .. } if *color == look.color()))
    };
    assert!(segments < marks && line(StrokeLook::Perpendicular) < marks);
    assert!(line(StrokeLook::Path) > marks);
    assert!(scatter.shown().unwrap()[0][1] > 5.0);
    let wrong = [[0, 4]];
    let scatter = Scatter {
        edges: &wrong,
        ..Scatter::new(&points)
    };
    assert!(
        scatter
            .draw(Format::Png)
            .unwrap_err()
            .to_string()
            .contains("only 4 rows")
    );
}

#[test]
fn canvas_that_stays_empty_is_cut_if_no_size_is_requested() {
    let points = |across: f64, up: f64| -> Vec<[f64; 2]> {
        (0..60)
            .map(|i| f64::from(i) * 0.7)
            .map(|angle| [across * angle.sin(), up * angle.cos()])
            .collect()
    };
    let size = |points: &[[f64; 2]], fit: bool| {
        let scatter = Scatter {
            title: "a title of some words".into(),
            fit,
            ..Scatter::new(points)
        };
        let (width, height, _) = decode(&scatter.draw(Format::Png).unwrap());
        (scatter.shown().unwrap(), [width, height])
    };
    let (flat, tall) = (points(5.0, 1.0), points(1.0, 3.5));
    for points in [&flat, &tall] {
        assert_eq!(size(points, false).1, [1200, 900]);
    }
    let (ranges, [width, height]) = size(&flat, true);
    assert!(width == 1200 && height < 480, "{width} {height}");
    // What is shown reaches hardly further than the points.
    assert!(ranges[1][1] < 1.6, "{ranges:?}");
    let (ranges, [width, height]) = size(&tall, true);
    assert!(height == 900 && width < 600, "{width} {height}");
    assert!(ranges[0][1] < 2.0, "{ranges:?}");
    // Axes without a common unit fill any canvas.
    assert_eq!(size(&points(100.0, 1.0), true).1, [1200, 900]);
}
