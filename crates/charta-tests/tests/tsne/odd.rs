//! Few rows, equal rows, sizes at the limits, and what takes the place of features.

use super::*;

#[test]
fn few_rows_lower_the_perplexity_and_say_so() {
    let x = groups(40, 4);
    for n in [2, 3, 4, 10, 40] {
        let watch = Watch::new(false);
        let rows = x.slice(ndarray::s![..n, ..]).to_owned();
        let run = Run::new().observer(&watch);
        let model = Tsne::default().fit_with(&run, &rows).unwrap();
        finite(&model);
        let warnings = watch.warnings.lock().unwrap();
        assert!(
            matches!(&warnings[0], Warning::Adjusted { name, from, .. } if name == "perplexity" && *from == 30.0),
            "{warnings:?}"
        );
    }
    let one = x.slice(ndarray::s![..1, ..]).to_owned();
    assert!(matches!(
        Tsne::default().fit(&one),
        Err(Error::TooFewRows { .. })
    ));
}

#[test]
fn equal_rows_and_constant_data_have_places() {
    let base = groups(30, 5);
    let repeated = Array2::from_shape_fn((300, 5), |(i, j)| base[[i % 30, j]]);
    let constant = Array2::from_elem((200, 3), 2.5);
    for gradient in [Gradient::Exact, Gradient::Tree, Gradient::Grid] {
        let method = Tsne {
            gradient,
            ..short()
        };
        finite(&method.fit(&repeated).unwrap());
        finite(&method.fit(&constant).unwrap());
    }
}

#[test]
fn the_map_does_not_depend_on_the_scale_of_the_data() {
    let x = groups(300, 5);
    let plain = short().fit(&x).unwrap();
    for scale in [1e-100, 1e-30, 1e30] {
        let scaled = short().fit(&(&x * scale)).unwrap();
        let (a, b) = (scaled.kl_divergence(), plain.kl_divergence());
        assert!((a - b).abs() < 0.02 * b, "{scale}: {a} for {b}");
    }
}

#[test]
fn distances_tables_and_affinities_take_the_place_of_features() {
    let x = groups(240, 5);
    let distances = Array2::from_shape_fn((240, 240), |(i, j)| {
        let apart = &x.row(i) - &x.row(j);
        apart.dot(&apart).sqrt()
    });
    let run = Run::new();
    let plain = Tsne::default().fit(&x).unwrap().kl_divergence();
    let data = Data::distances(distances.view()).unwrap();
    let by_distances = Tsne::default().fit_with(&run, data).unwrap();
    let reached = by_distances.kl_divergence();
    // The starts are not the same, and so the minima are not.
    assert!(
        (reached - plain).abs() < 0.05 * plain,
        "{reached} for {plain}"
    );
    let to_known = Data::distances_to(distances.view()).unwrap();
    let placed = by_distances.transform(to_known).unwrap();
    assert_eq!(placed, by_distances.embedding().unwrap());
    let mut places = Array2::zeros((240, 90));
    let mut lengths = Array2::zeros((240, 90));
    for row in 0..240 {
        let mut order: Vec<usize> = (0..240).filter(|&other| other != row).collect();
        order.sort_by(|&a, &b| distances[[row, a]].total_cmp(&distances[[row, b]]));
        for (place, &other) in order.iter().take(90).enumerate() {
            places[[row, place]] = other as i64;
            lengths[[row, place]] = distances[[row, other]];
        }
    }
    let table = Neighbors::from_table(&places.view(), &lengths.view()).unwrap();
    let by_table = Tsne::default()
        .fit(Data::from_neighbors(&table).unwrap())
        .unwrap();
    let reached = by_table.kl_divergence();
    // The starts are not the same, and so the minima are not.
    assert!(
        (reached - plain).abs() < 0.05 * plain,
        "{reached} for {plain}"
    );
    let affinity = distances.mapv(|d| if d > 0.0 && d < 4.0 { (-d).exp() } else { 0.0 });
    let given = Tsne {
        affinity: Affinity::Precomputed,
        ..short()
    };
    let model = given
        .fit(Data::distances(affinity.view()).unwrap())
        .unwrap();
    finite(&model);
    let text = given.fit(&x).unwrap_err().to_string();
    assert!(text.starts_with("`affinity` must be"), "{text}");
}

#[test]
fn starts_tails_and_kinds_of_affinity_give_maps() {
    let x = groups(500, 6);
    let plain = Tsne::default().fit(&x).unwrap().kl_divergence();
    let spectral = Tsne {
        init: Initialization::Spectral,
        ..Tsne::default()
    };
    let reached = spectral.fit(&x).unwrap().kl_divergence();
    assert!(reached < 1.1 * plain, "spectral: {reached} for {plain}");
    for method in [
        Tsne {
            init: Initialization::Random,
            ..short()
        },
        Tsne {
            dof: 0.5,
            ..short()
        },
        Tsne {
            dof: 0.5,
            gradient: Gradient::Grid,
            ..short()
        },
        Tsne {
            affinity: Affinity::Uniform,
            ..short()
        },
        Tsne {
            perplexities: vec![5.0, 40.0],
            ..short()
        },
        Tsne {
            exaggeration: 3.0,
            ..short()
        },
    ] {
        finite(&method.fit(&x).unwrap());
    }
}

#[test]
fn a_learning_rate_that_is_too_large_is_an_error_or_a_map() {
    let x = groups(300, 5);
    let method = Tsne {
        learning_rate: Some(1e30),
        max_step: 1e30,
        ..short()
    };
    match method.fit(&x) {
        Ok(model) => finite(&model),
        Err(error) => assert!(
            error.to_string().contains("learning_rate") || error.to_string().contains("large"),
            "{error}"
        ),
    }
}
