use super::*;
use crate::png_file::decode;

fn columns(n: usize, n_rows: usize) -> Vec<Vec<f64>> {
    let value = |column: usize, row: usize| {
        let angle = row as f64 * (0.37 + 0.11 * column as f64);
        (column + 1) as f64 * angle.sin() + (row % 3) as f64
    };
    (0..n)
        .map(|column| (0..n_rows).map(|row| value(column, row)).collect())
        .collect()
}

fn svg(pairs: &Pairs<'_>) -> String {
    String::from_utf8(pairs.draw(Format::Svg).unwrap()).unwrap()
}

#[test]
fn every_pair_has_a_panel_and_every_coordinate_a_name_on_both_sides() {
    let columns = columns(4, 150);
    let names: Vec<String> = ["a", "b"].map(String::from).to_vec();
    let of_row: Vec<Option<usize>> = (0..150).map(|row| Some(row % 2)).collect();
    let pairs = Pairs {
        title: "four".into(),
        color: Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        },
        ..Pairs::new(&columns)
    };
    let scene = pairs.scene().unwrap();
    let panels = scene.items.iter().filter_map(|item| match item {
        crate::scene::Item::Marks(marks) if marks.marks.len() == 150 => Some(marks),
        _ => None,
    });
    assert_eq!(panels.count(), 12);
    let picture = svg(&pairs);
    for number in 1..=4 {
        let name = format!(">dimension {number}<");
        assert_eq!(picture.matches(&name).count(), 2, "{name}");
    }
    assert_eq!(picture.matches(">class<").count(), 1);
    assert_eq!(picture, svg(&pairs));
}

#[test]
fn histograms_count_every_complete_point_once() {
    let mut columns = columns(2, 60);
    columns[1][5] = f64::NAN;
    let of_row: Vec<Option<usize>> = (0..60).map(|row| (row % 3 > 0).then_some(0)).collect();
    let names = ["only".to_owned()];
    let pairs = Pairs {
        color: Color::Classes {
            title: "",
            names: &names,
            of_row: &of_row,
        },
        ..Pairs::new(&columns)
    };
    assert!(svg(&pairs).contains("1 of 60 points left out"));
    let complete: Vec<usize> = (0..60).filter(|row| *row != 5).collect();
    let mut scene = Scene::new(pairs.size).unwrap();
    let area = Area {
        left: 100.0,
        top: 100.0,
        width: 400.0,
        height: 460.0,
    };
    let range = pairs.axes(&complete)[0];
    let axis = Axis::new("", range, 400.0, 80.0);
    pairs.draw_histogram(&mut scene, &area, &axis, 0, &complete);
    let mut areas = [0.0; 2];
    for item in &scene.items {
        if let crate::scene::Item::Polygon { corners, color } = item {
            let place = pairs.looks().iter().position(|look| look == color).unwrap();
            areas[place] += (corners[1][0] - corners[0][0]) * (corners[2][1] - corners[1][1]);
        }
    }
    // Of 59 points every third has no class.
    let share = areas[1] / (areas[0] + areas[1]);
    assert!((share - 20.0 / 59.0).abs() < 0.03, "{share}");
}

#[test]
fn panels_are_square_unless_a_size_is_requested() {
    let columns = columns(3, 50);
    let pairs = Pairs::new(&columns);
    let (width, height, _) = decode(&pairs.draw(Format::Png).unwrap());
    // Without a legend the room for one is cut.
    assert!(width < pairs.size.width as usize, "{width}");
    let numbers: Vec<f64> = (0..50).map(f64::from).collect();
    let colored = Pairs {
        color: Color::Numbers {
            title: "age",
            values: &numbers,
        },
        ..pairs.clone()
    };
    let (wider, as_high, _) = decode(&colored.draw(Format::Png).unwrap());
    assert!(wider > width + 80 && as_high.abs_diff(height) < 40);
    let fixed = Pairs {
        size: Size {
            width: 1500,
            height: 700,
        },
        fit: false,
        ..pairs
    };
    let (width, height, _) = decode(&fixed.draw(Format::Png).unwrap());
    assert_eq!((width, height), (1500, 700));
}

#[test]
fn wrong_numbers_of_coordinates_and_lengths_are_refused() {
    for n in [0, 1, 9] {
        let columns = columns(n, 10);
        assert!(matches!(
            Pairs::new(&columns).draw(Format::Png),
            Err(Error::BadColumnCount { got }) if got == n
        ));
    }
    let mut uneven = columns(3, 10);
    uneven[2].pop();
    assert!(matches!(
        Pairs::new(&uneven).draw(Format::Png),
        Err(Error::LengthMismatch { got: 9, .. })
    ));
    let columns = columns(8, 10);
    let tiny = Pairs {
        size: Size {
            width: 300,
            height: 300,
        },
        ..Pairs::new(&columns)
    };
    assert!(matches!(tiny.draw(Format::Png), Err(Error::BadSize { .. })));
    let html = Pairs::new(&columns).draw(Format::Html);
    assert!(matches!(html, Err(Error::UnsupportedFormat { .. })));
}

#[test]
fn any_numbers_can_be_drawn() {
    for columns in [
        vec![vec![], vec![]],
        vec![vec![1.0], vec![f64::NAN]],
        vec![vec![1e300, -1e300], vec![0.0, 1e-320]],
        vec![vec![-f64::MAX, f64::MAX, 0.0], vec![5.0; 3]],
    ] {
        for format in [Format::Png, Format::Svg] {
            Pairs::new(&columns).draw(format).unwrap();
        }
    }
}
