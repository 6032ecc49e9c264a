use super::*;
use crate::png_file::decode;

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("feature {i}")).collect()
}

fn texts_of(loadings: &Loadings<'_>) -> Vec<Text> {
    let items = loadings.scene().unwrap().items.into_iter();
    items
        .filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

fn block_of(loadings: &Loadings<'_>) -> (Area, Vec<u8>) {
    let items = loadings.scene().unwrap().items.into_iter();
    let mut blocks = items.filter_map(|item| match item {
        Item::Image { area, pixels } => Some((area, pixels.rgba)),
        _ => None,
    });
    // The colour legend comes first.
    blocks.next_back().unwrap()
}

#[test]
fn cells_have_the_color_and_number_of_their_loading() {
    let components = vec![vec![1.0, 0.0, -0.5], vec![-1.0, f64::NAN, 0.25]];
    let features = names(3);
    let component_names = ["PC1".to_owned(), "PC2".to_owned()];
    let loadings = Loadings {
        component_names: &component_names,
        ..Loadings::new(&components, &features)
    };
    let (area, _) = block_of(&loadings);
    let (width, _, pixels) = decode(&loadings.draw(Format::Png).unwrap());
    let painted = |row: f64, column: f64| {
        // A corner of the cell, where no number is written.
        let x = area.left + (column + 0.1) / 2.0 * area.width;
        let y = area.top + (row + 0.1) / 3.0 * area.height;
        pixels[y as usize * width + x as usize]
    };
    assert_eq!(painted(0.0, 0.0), diverging(1.0));
    assert_eq!(painted(0.0, 1.0), diverging(-1.0));
    // The feature without a loading on either comes last.
    assert_eq!(painted(1.0, 0.0), diverging(-0.5));
    assert_eq!(painted(2.0, 0.0), diverging(0.0));
    assert_eq!(painted(2.0, 1.0), MISSING);
    let texts = texts_of(&loadings);
    for text in [
        "feature 0",
        "feature 2",
        "PC1",
        "PC2",
        "−0.50",
        "0.25",
        "missing",
    ] {
        assert!(texts.iter().any(|found| found.text == text), "{text}");
    }
    let place = |name: &str| texts.iter().find(|text| text.text == name).unwrap().place;
    assert!(place("feature 0")[0] < area.left && place("PC1")[1] < area.top);
    assert!(place("feature 0")[1] < place("feature 2")[1] && place("PC1")[0] < place("PC2")[0]);
}

#[test]
fn of_many_features_those_with_the_largest_loadings_are_shown_by_component_and_size() {
    let loading = |feature: u32| f64::from(feature * 37 % 64) / 64.0;
    // Every third feature weighs more on the second component.
    let second =
        |feature: u32| loading(feature) * if feature.is_multiple_of(3) { 1.5 } else { -0.5 };
    let components: Vec<Vec<f64>> = vec![
        (0..64).map(loading).collect(),
        (0..64).map(second).collect(),
    ];
    let features = names(64);
    let loadings = Loadings {
        subtitle: "made up".into(),
        ..Loadings::new(&components, &features)
    };
    let shown = loadings.shown_features();
    assert_eq!(shown.len(), 40);
    let largest = |feature: usize| components[0][feature].max(components[1][feature]);
    let least = shown
        .iter()
        .map(|feature| largest(*feature))
        .fold(f64::MAX, f64::min);
    for feature in (0..64).filter(|feature| !shown.contains(feature)) {
        assert!(largest(feature) <= least);
    }
    let (first, second) =
        shown.split_at(shown.iter().position(|feature| feature % 3 == 0).unwrap());
    assert!(!first.is_empty() && second.iter().all(|feature| feature % 3 == 0));
    for group in [first, second] {
        assert!(
            group
                .windows(2)
                .all(|pair| largest(pair[0]) >= largest(pair[1]))
        );
    }
    assert_eq!(
        loadings.notes(),
        "made up · the 40 of 64 features with the largest loadings, 24 left out · ordered by the component of the largest \
         loading"
    );
}

#[test]
fn numbers_are_left_out_where_they_have_no_room() {
    let components = vec![vec![0.5; 40]; 30];
    let features = names(40);
    let small = Loadings {
        size: Size {
            width: 300,
            height: 300,
        },
        ..Loadings::new(&components, &features)
    };
    assert!(texts_of(&small).iter().all(|text| text.text != "0.500"));
    let few = vec![vec![0.5; 40]; 3];
    let large = Loadings::new(&few, &features);
    let written = texts_of(&large);
    assert_eq!(
        written.iter().filter(|text| text.text == "0.500").count(),
        120
    );
}

#[test]
fn the_block_stays_inside_the_picture() {
    for (n_features, n_components) in [(1, 1), (2, 30), (40, 2), (40, 30), (500, 64)] {
        for (width, height) in [(1200, 900), (200, 200), (1600, 300)] {
            let components = vec![vec![0.1; n_features]; n_components];
            let features: Vec<String> = (0..n_features)
                .map(|i| format!("{}{i}", "a long name of a feature ".repeat(5)))
                .collect();
            let loadings = Loadings {
                size: Size { width, height },
                ..Loadings::new(&components, &features)
            };
            let (area, rgba) = block_of(&loadings);
            assert!(
                area.left >= 0.0 && area.right() <= f64::from(width),
                "{area:?}"
            );
            assert!(
                area.top >= 0.0 && area.bottom() <= f64::from(height),
                "{area:?}"
            );
            assert_eq!(rgba.len(), 4 * n_features.min(40) * n_components.min(30));
        }
    }
}

#[test]
fn odd_inputs_give_pictures_or_errors() {
    let features = names(2);
    for components in [
        vec![],
        vec![vec![0.0; 2]],
        vec![vec![f64::NAN, f64::INFINITY]],
        vec![vec![f64::MAX, -f64::MAX], vec![5e-324, 1.0]],
        vec![vec![1e-320, 0.0]],
    ] {
        let loadings = Loadings::new(&components, &features);
        let png = loadings.draw(Format::Png).unwrap();
        assert_eq!(png, loadings.draw(Format::Png).unwrap());
        let svg = String::from_utf8(loadings.draw(Format::Svg).unwrap()).unwrap();
        assert!(
            !svg.contains("NaN") && !svg.contains(">inf"),
            "{components:?}"
        );
    }
    assert!(
        Loadings::new(&[vec![], vec![]], &[])
            .draw(Format::Png)
            .is_ok()
    );
    let wrong = vec![vec![1.0, 2.0], vec![1.0]];
    let error = Loadings::new(&wrong, &features)
        .draw(Format::Png)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`components` must have one entry for each feature: expected 2, got 1"
    );
    let component_names = names(3);
    let loadings = Loadings {
        component_names: &component_names,
        ..Loadings::new(&wrong[..1], &features)
    };
    let error = loadings.draw(Format::Svg).unwrap_err().to_string();
    assert!(error.contains("expected 1, got 3"), "{error}");
    let html = Loadings::new(&[], &features)
        .draw(Format::Html)
        .unwrap_err();
    assert!(html.to_string().contains("cannot be drawn as HTML"));
}

#[test]
fn without_negative_numbers_the_scale_begins_at_zero() {
    let features = names(3);
    let scale = |components: &[Vec<f64>]| {
        let texts = texts_of(&Loadings::new(components, &features));
        let is_number = |text: &&Text| text.text.trim_start_matches('−').parse::<f64>().is_ok();
        let is_left = |text: &&Text| text.anchor == Anchor::Start;
        let numbers = texts.iter().filter(is_number).filter(is_left);
        numbers.map(|text| text.text.clone()).collect::<Vec<_>>()
    };
    let one_sided = scale(&[vec![0.0, 2.0, 4.0]]);
    let has = |wanted: f64| one_sided.iter().any(|text| text.parse() == Ok(wanted));
    assert!(has(0.0) && has(4.0), "{one_sided:?}");
    assert!(!one_sided.iter().any(|text| text.starts_with('−')));
    assert!(
        scale(&[vec![-1.0, 2.0, 4.0]])
            .iter()
            .any(|text| text.starts_with('−'))
    );
}

#[test]
fn a_single_column_has_its_scale_beside_it() {
    let (features, components) = (names(4), [vec![1.0, -1.0, 0.5, 0.2]]);
    let loadings = Loadings::new(&components, &features);
    let (cells, _) = block_of(&loadings);
    let items = loadings.scene().unwrap().items.into_iter();
    let bar = items.into_iter().find_map(|item| match item {
        Item::Image { area, .. } => Some(area),
        _ => None,
    });
    let gap = bar.unwrap().left - cells.right();
    assert!((1.0..60.0).contains(&gap), "{gap}");
}
