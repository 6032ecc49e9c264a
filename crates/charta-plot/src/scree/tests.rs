use super::*;
use crate::png_file::decode;

const VARIANCES: [f64; 4] = [4.0, 3.0, 2.0, 1.0];

#[test]
fn shares_are_of_the_total_variance() {
    let shares = Scree::new(&VARIANCES, 20.0).cumulative();
    assert!(
        shares
            .iter()
            .zip([0.2, 0.35, 0.45, 0.5])
            .all(|(share, wanted)| (share - wanted).abs() < 1e-12)
    );
    assert_eq!(Scree::new(&VARIANCES, 0.0).cumulative(), [0.0; 4]);
    let unknown = Scree {
        chosen: 2,
        total_variance: None,
        ..Scree::new(&VARIANCES, 20.0)
    };
    assert_eq!(unknown.subtitle(), "4 components");
    let svg = String::from_utf8(unknown.draw(Format::Svg).unwrap()).unwrap();
    assert!(!svg.contains(" %") && svg.contains("chosen: 2<"));
    let scree = Scree {
        chosen: 2,
        ..Scree::new(&VARIANCES, 20.0)
    };
    assert_eq!(
        scree.subtitle(),
        "2 of 4 components hold 35.0 % of the variance"
    );
}

#[test]
fn marks_with_the_same_number_share_a_line_and_impossible_ones_are_dropped() {
    let suggestions = [
        ("elbow".to_owned(), 3),
        ("rule".to_owned(), 2),
        ("never".to_owned(), 9),
        ("none".to_owned(), 0),
    ];
    let scree = Scree {
        chosen: 2,
        suggestions: &suggestions,
        ..Scree::new(&VARIANCES, 10.0)
    };
    assert_eq!(
        scree.marks(),
        [(3, "elbow".to_owned()), (2, "chosen, rule".to_owned())]
    );
}

#[test]
fn bars_have_the_height_of_their_variance() {
    let scree = Scree {
        chosen: 1,
        ..Scree::new(&[8.0, 4.0], 12.0)
    };
    let bars: Vec<(f64, Rgb)> = scree
        .scene()
        .unwrap()
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Polygon { corners, color } if *color != WHITE => {
                Some((corners[2][1] - corners[1][1], *color))
            }
            _ => None,
        })
        .collect();
    assert_eq!(bars.len(), 2);
    assert!((bars[0].0 / bars[1].0 - 2.0).abs() < 1e-9);
    assert_eq!((bars[0].1, bars[1].1), (CHOSEN_BARS, BARS));
    let (_, _, pixels) = decode(&scree.draw(Format::Png).unwrap());
    let count = |color: Rgb| pixels.iter().filter(|pixel| **pixel == color).count() as f64;
    assert!(
        (1.6..2.3).contains(&(count(CHOSEN_BARS) / count(BARS))),
        "{} {}",
        count(CHOSEN_BARS),
        count(BARS)
    );
}

#[test]
fn odd_inputs_give_pictures_or_errors() {
    let long: Vec<f64> = (0..2000).map(|i| 1.0 / f64::from(i + 1)).collect();
    for variances in [
        &[][..],
        &[0.0, 0.0],
        &[5.0],
        &[1e300, 1e-300],
        &[1e-320],
        &long,
    ] {
        let scree = Scree {
            chosen: 7,
            ..Scree::new(variances, variances.iter().sum())
        };
        assert_eq!(
            scree.draw(Format::Png).unwrap(),
            scree.draw(Format::Png).unwrap()
        );
        let svg = String::from_utf8(scree.draw(Format::Svg).unwrap()).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
    assert!(
        Scree::new(&[1.0, f64::NAN], 1.0)
            .draw(Format::Png)
            .unwrap_err()
            .to_string()
            .contains("`variances` must be finite")
    );
    assert!(
        Scree::new(&[1.0], -1.0)
            .draw(Format::Png)
            .unwrap_err()
            .to_string()
            .contains("got -1")
    );
    assert_eq!(
        Scree::new(&[1.0], 1.0)
            .draw(Format::Html)
            .unwrap_err()
            .to_string(),
        "a scree plot cannot be drawn as HTML: choose .png or .svg"
    );
}

#[test]
fn components_after_which_little_happens_are_left_out() {
    let variances: Vec<f64> = (0..2000).map(|k| 0.9_f64.powi(k)).collect();
    let scree = Scree {
        chosen: 5,
        ..Scree::new(&variances, 10.0)
    };
    // 0.9⁴³ is the last above a hundredth.
    assert_eq!(scree.n_shown(), 44 + 11);
    assert!(scree.subtitle().contains("the first 55 are drawn"));
    let many = Scree {
        chosen: 100,
        ..scree.clone()
    };
    assert_eq!(many.n_shown(), 200);
    let flat = vec![1.0; 300];
    assert_eq!(Scree::new(&flat, 300.0).n_shown(), 300);
    assert_eq!(Scree::new(&variances[..30], 10.0).n_shown(), 30);
    let all = Scree {
        shown: Some(usize::MAX),
        ..scree
    };
    assert_eq!(all.n_shown(), 2000);
}
