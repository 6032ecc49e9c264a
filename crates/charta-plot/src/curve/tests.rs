use super::*;
use crate::scene::Text;

fn line<'a>(name: &str, values: &'a [f64]) -> Line<'a> {
    Line::new(name, values)
}

fn drawn(curve: &Curve<'_>) -> Vec<Vec<Place>> {
    let items = curve.scene().unwrap().items.into_iter();
    let colored = |number: usize| look(number).0;
    items
        .filter_map(|item| match item {
            Item::Line { places, color, .. } if (0..9).any(|n| colored(n) == color) => Some(places),
            _ => None,
        })
        .collect()
}

fn texts(curve: &Curve<'_>) -> Vec<Text> {
    let items = curve.scene().unwrap().items.into_iter();
    items
        .filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

#[test]
fn places_follow_the_values() {
    let lines = [line("loss", &[4.0, 2.0, 1.0])];
    let curve = Curve::new(&lines);
    let places = &drawn(&curve)[0];
    let falls = [places[1][1] - places[0][1], places[2][1] - places[1][1]];
    assert!((falls[0] / falls[1] - 2.0).abs() < 1e-9);
    let curve = Curve {
        logarithmic: true,
        ..curve
    };
    let places = &drawn(&curve)[0];
    let falls = [places[1][1] - places[0][1], places[2][1] - places[1][1]];
    assert!((falls[0] / falls[1] - 1.0).abs() < 1e-9);
    assert!((places[1][0] - places[0][0] - (places[2][0] - places[1][0])).abs() < 1e-9);
}

#[test]
fn several_lines_have_a_legend_and_one_has_none() {
    let lines = [
        line("training", &[3.0, 2.0]),
        line("test", &[3.5, 2.9, 2.7]),
    ];
    let names = |curve: &Curve<'_>| {
        let texts = texts(curve);
        ["training", "test"].map(|name| texts.iter().filter(|text| text.text == name).count())
    };
    assert_eq!(names(&Curve::new(&lines)), [1, 1]);
    assert_eq!(names(&Curve::new(&lines[..1])), [0, 0]);
    assert_eq!(drawn(&Curve::new(&lines)).len(), 2);
}

#[test]
fn values_that_cannot_be_drawn_leave_gaps_and_are_counted() {
    let lines = [line("a", &[4.0, 3.0, f64::NAN, 2.0, 1.0, -1.0])];
    let curve = Curve::new(&lines);
    assert_eq!(drawn(&curve).len(), 2);
    assert_eq!(curve.notes(), "1 values left out: not finite");
    let curve = Curve {
        logarithmic: true,
        ..curve
    };
    assert_eq!(
        curve.notes(),
        "2 values left out: not finite or not positive"
    );
    let lines = [line("a", &[0.0, -1.0])];
    let curve = Curve {
        logarithmic: true,
        ..Curve::new(&lines)
    };
    assert_eq!(
        curve.draw(Format::Png).unwrap_err().to_string(),
        "`values` must be finite and positive at least once on a logarithmic axis, got 0"
    );
}

#[test]
fn long_lines_are_thinned_without_losing_their_extremes() {
    let mut values: Vec<f64> = (0..200_000).map(|i| f64::from(i % 7)).collect();
    values[123_456] = 50.0;
    let lines = [line("a", &values)];
    let places = &drawn(&Curve::new(&lines))[0];
    assert!(places.len() < 10_000, "{}", places.len());
    let highest = places.iter().map(|place| place[1]).fold(f64::MAX, f64::min);
    let lowest = places.iter().map(|place| place[1]).fold(0.0, f64::max);
    assert!(lowest - highest > 500.0);
    assert!(places.windows(2).all(|pair| pair[1][0] >= pair[0][0] - 0.5));
}

#[test]
fn odd_inputs_give_pictures() {
    let series: [&[f64]; 11] = [
        &[1.0, 1.0 + f64::EPSILON],
        &[5e-324, 1e-323],
        &[f64::MAX, 1.7e308],
        &[],
        &[1.0],
        &[0.0, 0.0, 0.0],
        &[f64::NAN, f64::INFINITY],
        &[f64::MAX, -f64::MAX, 1.0],
        &[5e-324, f64::MAX],
        &[1e300, f64::NAN, 1e-300],
        &[-1e9, -1e9 + 1e-6],
    ];
    for values in series {
        // The second line is alone where the first has no values.
        let other: &[f64] = if values.iter().any(|value| value.is_finite() && *value > 0.0) {
            &[]
        } else {
            &[1.0, 2.0]
        };
        let lines = [line("a", values), line("b", other)];
        for logarithmic in [false, true] {
            for (width, height) in [(1200, 900), (200, 200)] {
                let curve = Curve {
                    logarithmic,
                    size: Size { width, height },
                    ..Curve::new(&lines)
                };
                let png = curve.draw(Format::Png).unwrap();
                assert_eq!(png, curve.draw(Format::Png).unwrap());
                let svg = String::from_utf8(curve.draw(Format::Svg).unwrap()).unwrap();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}");
            }
        }
    }
    let empty = Curve::new(&[]);
    assert_eq!(empty.notes(), "no values");
    assert!(empty.draw(Format::Png).is_ok());
    assert!(empty.draw(Format::Html).is_err());
}

#[test]
fn on_a_logarithmic_axis_powers_of_ten_are_equally_far() {
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    let lines = [line("a", &values)];
    let curve = Curve {
        logarithmic_steps: true,
        ..Curve::new(&lines)
    };
    let places = &drawn(&curve)[0];
    let [first, tenth, hundredth] = [1, 10, 100].map(|step: usize| places[step - 1][0]);
    assert!((tenth - first - (hundredth - tenth)).abs() < 1e-6);
    assert!(first < tenth);
}

#[test]
fn spreads_are_bands_around_the_values() {
    let line = Line {
        spread: &[1.0, 0.5, f64::NAN, 0.25, 0.25],
        ..Line::new("error", &[4.0, 3.0, 3.0, 2.0, 2.0])
    };
    let lines = [line];
    let curve = Curve {
        first: 3,
        chosen: Some(6),
        ..Curve::new(&lines)
    };
    let scene = curve.scene().unwrap();
    let bands: Vec<&Vec<Place>> = scene
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Polygon { corners, .. } if corners.len() == 4 => Some(corners),
            _ => None,
        })
        .collect();
    let of_band = |band: &[Place]| band[3][1] - band[0][1];
    let heights: Vec<f64> = bands.iter().map(|band| of_band(band)).collect();
    let [.., first, second] = heights[..] else {
        panic!("two runs of values have two bands: {heights:?}")
    };
    assert!((first / second - 4.0).abs() < 1e-9, "{heights:?}");
    let written: Vec<String> = texts(&curve).into_iter().map(|text| text.text).collect();
    for end in ["3", "7"] {
        assert!(written.iter().any(|text| text == end), "{written:?}");
    }
    assert!(!written.iter().any(|text| text == "1"), "{written:?}");
}

#[test]
fn a_spread_of_another_length_is_an_error() {
    let lines = [Line {
        spread: &[1.0],
        ..Line::new("error", &[4.0, 3.0])
    }];
    assert!(Curve::new(&lines).draw(Format::Svg).is_err());
}
