use super::*;

fn numbers(sample: &Sample) -> &[f64] {
    match &sample.labels {
        Labels::Numbers(values) => values,
        Labels::Classes { .. } => panic!("numbers expected"),
    }
}

#[test]
fn the_swiss_roll_unrolls_to_its_label() {
    let roll = swiss_roll(300, 0.0, 4).unwrap();
    for (point, &angle) in roll.features.rows().into_iter().zip(numbers(&roll)) {
        assert!((point[0].hypot(point[2]) - angle).abs() < 1e-12);
        assert!((1.5 * PI..4.5 * PI).contains(&angle));
        assert!((0.0..21.0).contains(&point[1]));
    }
}

#[test]
fn the_s_curve_has_the_height_of_its_label() {
    let curve = s_curve(300, 0.0, 4).unwrap();
    for (point, &angle) in curve.features.rows().into_iter().zip(numbers(&curve)) {
        assert!((point[0] - angle.sin()).abs() < 1e-12);
        assert_eq!(point[2] >= 0.0, angle < 0.0);
    }
}

#[test]
fn spheres_have_their_radius_and_severed_ones_their_gap() {
    let norm = |sample: &Sample, row: usize| {
        sample
            .features
            .row(row)
            .dot(&sample.features.row(row))
            .sqrt()
    };
    let whole = sphere(200, 0.0, 1).unwrap();
    let severed = severed_sphere(200, 0.0, 1).unwrap();
    let two = two_spheres(201, 0.0, 1).unwrap();
    for row in 0..200 {
        assert!((norm(&whole, row) - 1.0).abs() < 1e-12);
        assert!((norm(&severed, row) - 1.0).abs() < 1e-12);
        assert!(severed.features[[row, 2]].abs() < (PI / 8.0).cos());
        assert!(numbers(&severed)[row] < 2.0 * PI - 0.55);
    }
    assert!((norm(&two, 99) - 1.0).abs() < 1e-12);
    assert!((norm(&two, 100) - 0.5).abs() < 1e-12);
    assert_eq!(
        (two.labels.text(99), two.labels.text(100)),
        ("outer".into(), "inner".into())
    );
    let far = concentric_spheres(201, 0.0, 1).unwrap();
    assert!((norm(&far, 99) - 3.0).abs() < 1e-12 && far.labels.text(99) == "outer");
    assert!((norm(&far, 100) - 1.0).abs() < 1e-12 && far.labels.text(100) == "inner");
    let noisy = concentric_spheres(201, 0.1, 1).unwrap();
    let moved = (&noisy.features - &far.features).std(0.0);
    assert!((0.09..0.11).contains(&moved), "{moved}");
}

#[test]
fn circles_and_moons_start_where_scikit_learn_starts_them() {
    let rings = circles(8, 0.0, 0).unwrap();
    assert_eq!(rings.features.row(0).to_vec(), [1.0, 0.0]);
    assert_eq!(rings.features.row(4).to_vec(), [0.8, 0.0]);
    let halves = moons(8, 0.0, 0).unwrap();
    assert_eq!(halves.features.row(4).to_vec(), [0.0, 0.5]);
    assert!((halves.features[[7, 0]] - 2.0).abs() < 1e-12);
    assert!(
        moons(1, 0.0, 0)
            .unwrap()
            .features
            .iter()
            .all(|x| x.is_finite())
    );
}

#[test]
fn every_bar_has_27_bright_pixels_in_its_direction() {
    let images = bars(50, 0.0, 2).unwrap();
    for (row, pixels) in images.features.rows().into_iter().enumerate() {
        assert_eq!(pixels.sum(), 27.0);
        let lit: Vec<usize> = (0..256).filter(|&pixel| pixels[pixel] == 1.0).collect();
        let width = lit.iter().map(|pixel| pixel % 16).max().unwrap() + 1 - lit[0] % 16;
        let expected = if width == 9 { "horizontal" } else { "vertical" };
        assert_eq!(images.labels.text(row), expected);
    }
}

#[test]
fn seeds_repeat_and_noise_moves_the_same_shape() {
    let clean = swiss_roll(50, 0.0, 3).unwrap();
    assert_eq!(clean, swiss_roll(50, 0.0, 3).unwrap());
    assert_ne!(clean, swiss_roll(50, 0.0, 4).unwrap());
    let noisy = swiss_roll(50, 0.1, 3).unwrap();
    assert_eq!(clean.labels, noisy.labels);
    let moved = (&noisy.features - &clean.features)
        .mapv(|x| x * x)
        .mean()
        .unwrap();
    assert!((0.005..0.02).contains(&moved), "{moved}");
}

#[test]
fn blobs_share_out_the_rows_and_parameters_are_checked() {
    let sample = blobs(Blobs {
        n: 7,
        centers: 3,
        columns: 4,
        ..Blobs::default()
    })
    .unwrap();
    assert_eq!(sample.features.dim(), (7, 4));
    let words: Vec<String> = (0..7).map(|row| sample.labels.text(row)).collect();
    assert_eq!(words, ["0", "0", "0", "1", "1", "2", "2"]);
    assert_eq!(Data::from(&sample).labels().map(Labels::len), Some(7));
    assert!(
        blobs(Blobs {
            centers: 0,
            ..Blobs::default()
        })
        .is_err()
    );
    assert!(swiss_roll(0, 0.0, 0).is_err());
    let error = moons(5, -1.0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`noise` must be 0 or a positive number, got -1.0"
    );
}

#[test]
fn signals_unmix_to_a_sine_a_square_wave_and_a_sawtooth() {
    let mixed = signals(2000, 0.0, 0).unwrap();
    let inverse = ndarray::arr2(&[[3.0, -1.0, -1.0], [0.5, 0.5, -0.5], [-2.5, 0.5, 1.5]]);
    let sources = mixed.features.dot(&inverse.t());
    let (sine, square) = (sources.column(0), sources.column(1));
    let time = numbers(&mixed);
    for row in 1..2000 {
        let want = (2.0 * time[row]).sin() / (2.0 * time[1]).sin() * sine[1];
        assert!((sine[row] - want).abs() < 1e-9);
        assert!((square[row].abs() - square[1].abs()).abs() < 1e-9);
    }
    for source in sources.columns() {
        assert!((source.std(0.0) - 1.0).abs() < 1e-9);
    }
    let noisy = signals(2000, 0.2, 0).unwrap();
    assert_ne!(noisy.features, mixed.features);
    assert_eq!(noisy.features, signals(2000, 0.2, 0).unwrap().features);
    assert!(
        signals(1, 0.2, 0)
            .unwrap()
            .features
            .iter()
            .all(|x| x.is_finite())
    );
}
