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
    assert_eq!(rings.features.row(4).to_vec(), [0.3, 0.0]);
    let factor = |factor: f64| {
        circles_of(Circles {
            n: 8,
            factor,
            ..Circles::default()
        })
    };
    assert_eq!(factor(0.8).unwrap().features.row(4).to_vec(), [0.8, 0.0]);
    assert!(factor(1.0).is_err() && factor(f64::NAN).is_err());
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
fn every_bar_has_its_size_in_its_direction() {
    for (side, thick, long) in [(16, 3, 9), (40, 7, 22)] {
        let images = bars_of(Bars {
            n: 50,
            side,
            seed: 2,
            ..Bars::default()
        })
        .unwrap();
        assert_eq!(images.image, Some((side, side)));
        for (row, pixels) in images.features.rows().into_iter().enumerate() {
            assert_eq!(pixels.sum(), (thick * long) as f64);
            let lit: Vec<usize> = (0..side * side).filter(|&p| pixels[p] == 1.0).collect();
            let width = lit.iter().map(|p| p % side).max().unwrap() + 1 - lit[0] % side;
            let expected = if width == long {
                "horizontal"
            } else {
                "vertical"
            };
            assert_eq!(images.labels.text(row), expected);
        }
    }
    let tiny = Bars {
        side: 3,
        ..Bars::default()
    };
    assert!(bars_of(tiny).is_err());
}

#[test]
fn shapes_in_the_plane_follow_their_formulas() {
    let on = |sample: Sample, is_on: fn(f64, f64) -> f64| {
        let rows = sample.features.rows();
        rows.into_iter()
            .all(|row| is_on(row[0], row[1]).abs() < 1e-12)
    };
    assert!(on(line(99, 0.0, 1).unwrap(), |x, y| y - x / 2.0));
    assert!(on(curve(99, 0.0, 1).unwrap(), |x, y| y - x * x));
    assert!(on(ring(99, 0.0, 1).unwrap(), |x, y| x.hypot(y) - 1.0));
    let area = square(2000, 0.0, 1).unwrap().features;
    assert!(area.iter().all(|value| value.abs() <= 1.0));
    assert!((area.var(0.0) - 1.0 / 3.0).abs() < 0.02);
}

#[test]
fn the_pair_of_clouds_has_the_eigenvalues_it_announces() {
    let x = gaussian_pair(1800, 0.147, 0).unwrap().features;
    let mean = x.mean_axis(ndarray::Axis(0)).unwrap();
    let centred = &x - &mean;
    let s = centred.t().dot(&centred) / 1800.0;
    let (half, root) = (
        (s[[0, 0]] + s[[1, 1]]) / 2.0,
        ((s[[0, 0]] - s[[1, 1]]).powi(2) / 4.0 + s[[0, 1]].powi(2)).sqrt(),
    );
    assert!((half + root - 0.1443).abs() < 0.006, "{}", half + root);
    assert!((half - root - 0.0216).abs() < 0.002, "{}", half - root);
}

#[test]
fn faces_move_and_heads_turn_as_their_labels_say() {
    let faces = moved_face(40, 24, 0.1, 3).unwrap();
    assert_eq!((faces.label_title, faces.known[0].0), ("across", "down"));
    for (row, (pixels, &across)) in faces
        .features
        .rows()
        .into_iter()
        .zip(numbers(&faces))
        .enumerate()
    {
        // The mean place of bright pixels.
        let bright: Vec<usize> = (0..576).filter(|&p| pixels[p] > 0.6).collect();
        let x = bright.iter().map(|p| (p % 24) as f64 + 0.5).sum::<f64>() / bright.len() as f64;
        assert!(
            (x / 24.0 - (0.22 + 0.56 * across)).abs() < 0.04,
            "{row}: {x} {across}"
        );
    }
    let heads = head(60, 16, 0.0, 0).unwrap();
    let pose = head_pose(60, 0).unwrap();
    assert_eq!(pose.features.column(0).to_vec(), numbers(&heads));
    assert_eq!(pose.features.column(2).to_vec(), heads.known[1].1);
    // Light from the left makes the left half brighter.
    let lightest = |sign: f64| {
        let light = &heads.known[1].1;
        let row = (0..60).max_by(|a, b| (sign * light[*a]).total_cmp(&(sign * light[*b])));
        let pixels = heads.features.row(row.unwrap());
        let sum = |left: bool| {
            let half = (0..256).filter(|p| (p % 16 < 8) == left);
            half.map(|p| pixels[p]).sum::<f64>()
        };
        sum(false) / sum(true)
    };
    assert!(lightest(1.0) > lightest(-1.0));
    assert!(
        heads
            .features
            .iter()
            .all(|value| (0.0..=1.0).contains(value))
    );
    assert!(head(5, 7, 0.0, 0).is_err() && moved_face(0, 24, 0.1, 0).is_err());
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
