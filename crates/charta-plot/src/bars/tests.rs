use super::*;
use crate::scene::Item;

fn bars_of(bars: &Bars<'_>) -> Vec<Area> {
    let filled = |item: &Item| match item {
        Item::Polygon { corners, color } if *color == PLAIN => Some(Area {
            left: corners[0][0],
            top: corners[0][1],
            width: corners[2][0] - corners[0][0],
            height: corners[2][1] - corners[0][1],
        }),
        _ => None,
    };
    let scene = bars.scene().unwrap();
    scene.items.iter().filter_map(filled).collect()
}

fn texts_of(bars: &Bars<'_>) -> Vec<Text> {
    let items = bars.scene().unwrap().items.into_iter();
    items
        .filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

#[test]
fn bars_are_as_long_as_their_values_and_lie_in_order() {
    for horizontal in [false, true] {
        let bars = Bars {
            horizontal,
            ..Bars::new(&[0.8, 0.4, 0.2])
        };
        let drawn = bars_of(&bars);
        let length = |bar: &Area| if horizontal { bar.width } else { bar.height };
        let middle = |bar: &Area| if horizontal { bar.top } else { bar.left };
        assert_eq!(drawn.len(), 3);
        assert!((length(&drawn[0]) / length(&drawn[1]) - 2.0).abs() < 1e-9);
        assert!((length(&drawn[0]) / length(&drawn[2]) - 4.0).abs() < 1e-9);
        assert!(middle(&drawn[0]) < middle(&drawn[1]) && middle(&drawn[1]) < middle(&drawn[2]));
        let texts = texts_of(&bars);
        for number in ["0.800", "0.400", "0.200", "1", "2", "3"] {
            assert!(texts.iter().any(|text| text.text == number), "{number}");
        }
    }
}

#[test]
fn a_fixed_range_sets_the_axis_and_cuts_bars() {
    let bars = Bars {
        range: Some([0.0, 1.0]),
        ..Bars::new(&[1.0, 0.5, 7.0])
    };
    let drawn = bars_of(&bars);
    assert_eq!(drawn[0].height, drawn[2].height);
    assert!((drawn[0].height / drawn[1].height - 2.0).abs() < 1e-9);
    // No room above a full bar: the number is white inside it.
    let number = texts_of(&bars);
    let number = number.iter().find(|text| text.text == "1.00").unwrap();
    assert_eq!(number.color, WHITE);
    assert!(number.place[1] > drawn[0].top && number.place[1] < drawn[0].bottom());
}

#[test]
fn negative_bars_go_the_other_way_from_zero() {
    let bars = Bars {
        horizontal: true,
        ..Bars::new(&[2.0, -1.0])
    };
    let drawn = bars_of(&bars);
    assert!((drawn[1].right() - drawn[0].left).abs() < 1e-9);
    assert!((drawn[0].width / drawn[1].width - 2.0).abs() < 1e-9);
}

#[test]
fn more_than_forty_bars_are_cut_and_the_subtitle_says_so() {
    let values: Vec<f64> = (0..120).map(|i| 1.0 / f64::from(i + 1)).collect();
    let bars = Bars {
        subtitle: "made up".into(),
        ..Bars::new(&values)
    };
    assert_eq!(bars_of(&bars).len(), 40);
    assert_eq!(bars.notes(), "made up · the first 40 of 120");
}

#[test]
fn texts_stay_inside_the_picture_and_numbers_apart() {
    let values: Vec<f64> = (0..40).map(|i| 1.0 - f64::from(i) / 41.0).collect();
    let long = "a name that is too long to be written beside its bar in full ".repeat(3);
    let names: Vec<String> = (0..40).map(|i| format!("{long}{i}")).collect();
    for horizontal in [false, true] {
        for (width, height) in [(1200, 900), (500, 300), (200, 200)] {
            let bars = Bars {
                names: &names,
                horizontal,
                range: Some([0.0, 1.0]),
                axis: "canonical correlation".into(),
                size: Size { width, height },
                ..Bars::new(&values)
            };
            for text in texts_of(&bars) {
                let length = font::width(&text.text, text.size);
                let before = match text.anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => length / 2.0,
                    Anchor::End => length,
                };
                let [x, y] = text.place;
                let [left, top] = if text.upward {
                    [x - text.size, y - length + before]
                } else {
                    [x - before, y - text.size]
                };
                let [across, down] = if text.upward {
                    [text.size, length]
                } else {
                    [length, text.size]
                };
                assert!(
                    left >= 0.0
                        && top >= 0.0
                        && left + across <= f64::from(width)
                        && top + down <= f64::from(height) + 1.0,
                    "{text:?} in {width} x {height}"
                );
            }
        }
    }
}

#[test]
fn odd_inputs_give_pictures_or_errors() {
    for values in [
        &[][..],
        &[0.0],
        &[5.0],
        &[f64::MAX, -f64::MAX],
        &[-3.0, -1.0],
        &[5e-324, 0.0],
        &[1e300, 1e-300],
        &[-1e-320],
    ] {
        for horizontal in [false, true] {
            let bars = Bars {
                horizontal,
                ..Bars::new(values)
            };
            assert_eq!(
                bars.draw(Format::Png).unwrap(),
                bars.draw(Format::Png).unwrap()
            );
            let svg = String::from_utf8(bars.draw(Format::Svg).unwrap()).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}");
        }
    }
    let message = |bars: Bars<'_>| bars.draw(Format::Png).unwrap_err().to_string();
    assert_eq!(
        message(Bars::new(&[1.0, f64::NAN])),
        "`values` must be finite, got NaN"
    );
    assert_eq!(
        message(Bars {
            names: &["a".to_owned()],
            ..Bars::new(&[1.0, 2.0])
        }),
        "`names` must have one entry for each bar: expected 2, got 1"
    );
    assert_eq!(
        message(Bars {
            range: Some([1.0, 1.0]),
            ..Bars::new(&[1.0])
        }),
        "`range` must go from a finite number up to a larger one, got 1 to 1"
    );
    let error = Bars::new(&[1.0]).draw(Format::Html).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a bar chart cannot be drawn as HTML")
    );
}
