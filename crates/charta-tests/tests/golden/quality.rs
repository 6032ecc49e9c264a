//! Quality measures against scikit-learn, scipy and a co-ranking matrix in numpy.

use charta::data::synthetic::swiss_roll;
use charta::quality::{self, Agreement, Options, Report, Sample};
use charta::{Data, Labels, Run};
use ndarray::{Array2, s};
use serde_json::Value as Json;

use crate::support::{
    built_in, check_same_data, close, dense, golden, indices, matrix, number, vector,
};

fn rows(name: &str, reference: &Json) -> Array2<f64> {
    let rows = match name {
        "digits" => dense("digits"),
        _ => matrix(&golden(&format!("points_{name}.json"))["points"]),
    };
    check_same_data(&rows, reference);
    rows
}

fn measured(name: &str) -> (Report, Json, Array2<f64>) {
    let reference = golden(&format!("quality_{name}.json"));
    let rows = rows(name, &reference);
    let embedding = matrix(&reference["embedding"]);
    let table = built_in("digits");
    let options = Options {
        n_neighbors: reference["by_count"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| number(&record["k"]) as usize)
            .collect(),
        labels: (name == "digits").then(|| table.labels.as_ref().unwrap().1.reborrow()),
        ..Options::default()
    };
    let report = quality::measure(&Run::new(), &Data::from(&rows), &embedding.view(), &options);
    (report.unwrap(), reference, rows)
}

#[test]
fn neighbourhoods_are_those_of_the_reference() {
    for name in ["digits", "swiss_roll"] {
        let (report, reference, _) = measured(name);
        let points = indices(&reference["points"]);
        for (record, found) in reference["by_count"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&report.agreements)
        {
            let k = found.n_neighbors;
            let what = |measure: &str| format!("{name}, {measure} of {k}");
            close(
                &what("trustworthiness"),
                found.trustworthiness.value,
                number(&record["trustworthiness"]),
                1e-12,
            );
            close(
                &what("continuity"),
                found.continuity.value,
                number(&record["continuity"]),
                1e-12,
            );
            close(
                &what("q_nx"),
                found.q_nx.value,
                number(&record["q_nx"]),
                1e-12,
            );
            // scikit-learn leaves the order of equal distances open.
            close(
                &what("sklearn"),
                found.trustworthiness.value,
                number(&record["sklearn_trustworthiness"]),
                1e-4,
            );
            for measure in ["trustworthiness", "continuity"] {
                let column = &report
                    .points
                    .iter()
                    .find(|(title, _)| *title == format!("{measure}_{k}"))
                    .unwrap()
                    .1;
                let theirs = vector(&record[format!("{measure}_of_points").as_str()]);
                for (&point, theirs) in points.iter().zip(theirs) {
                    close(&what(measure), column[point], theirs, 1e-12);
                }
            }
            if let Some(classes) = &found.classes {
                close(
                    &what("hit"),
                    classes.hit.value,
                    number(&record["neighborhood_hit"]),
                    1e-12,
                );
            }
            assert_eq!(found.trustworthiness.error, 0.0);
        }
    }
}

#[test]
fn curves_are_those_of_a_co_ranking_matrix() {
    for name in ["digits", "swiss_roll"] {
        let (report, reference, _) = measured(name);
        let (ours, theirs) = (&report.co_ranking, &reference["co_ranking"]);
        for (place, k) in indices(&theirs["counts"]).into_iter().enumerate() {
            close(
                "q_nx",
                ours.q_nx[k - 1],
                vector(&theirs["q_nx"])[place],
                1e-12,
            );
            close(
                "r_nx",
                ours.r_nx[k - 1],
                vector(&theirs["r_nx"])[place],
                1e-12,
            );
        }
        close("area", ours.area.value, number(&theirs["r_nx_area"]), 1e-11);
        assert_eq!(ours.k_max as f64, number(&theirs["lcmc_best_count"]));
        close("lcmc", ours.lcmc_max, number(&theirs["lcmc_best"]), 1e-12);
        close("local", ours.q_local, number(&theirs["q_local"]), 1e-12);
        close("global", ours.q_global, number(&theirs["q_global"]), 1e-12);
    }
}

#[test]
fn distances_are_those_of_scipy() {
    for name in ["digits", "swiss_roll"] {
        let (report, reference, rows) = measured(name);
        let (ours, theirs) = (&report.distances, &reference["distances"]);
        for (what, found, key) in [
            ("pearson", ours.pearson, "pearson"),
            ("spearman", ours.spearman, "spearman"),
            (
                "residual variance",
                ours.residual_variance,
                "residual_variance",
            ),
            ("raw stress", ours.raw_stress, "raw_stress"),
            ("stress-1", ours.stress_1, "stress_1_over_embedded"),
            (
                "scaled",
                ours.scaled_stress_1,
                "stress_1_over_given_at_best_scale",
            ),
            ("sammon", ours.sammon_stress, "sammon"),
        ] {
            close(what, found.value, number(&theirs[key]), 1e-9);
        }
        assert_eq!(ours.n_pairs as f64, number(&theirs["n_pairs"]));
        let varying: Vec<usize> = (0..rows.ncols())
            .filter(|&column| {
                rows.column(column)
                    .iter()
                    .any(|value| *value != rows[[0, column]])
            })
            .take(2)
            .collect();
        let known = rows.select(ndarray::Axis(1), &varying);
        let options = Options {
            known: Some(known.view()),
            ..Options::default()
        };
        let embedding = matrix(&reference["embedding"]);
        let report =
            quality::measure(&Run::new(), &Data::from(&rows), &embedding.view(), &options).unwrap();
        let disparity = report.known.unwrap().disparity;
        close(
            "procrustes",
            disparity,
            number(&theirs["procrustes_with_first_two_varying_columns"]),
            1e-9,
        );
    }
}

#[test]
fn trustworthiness_alone_is_that_of_the_report() {
    let reference = golden("quality_swiss_roll.json");
    let rows = rows("swiss_roll", &reference);
    let embedding = matrix(&reference["embedding"]);
    for record in reference["by_count"].as_array().unwrap() {
        let k = number(&record["k"]) as usize;
        let (data, run) = (Data::from(&rows), Run::new());
        let trusted = quality::trustworthiness(&run, &data, &embedding.view(), k).unwrap();
        let continuous = quality::continuity(&run, &data, &embedding.view(), k).unwrap();
        close(
            "trustworthiness",
            trusted,
            number(&record["trustworthiness"]),
            1e-12,
        );
        close(
            "continuity",
            continuous,
            number(&record["continuity"]),
            1e-12,
        );
    }
}

#[test]
fn a_sample_is_near_the_whole_by_its_error_and_right_on_average() {
    let roll = swiss_roll(1200, 0.0, 3).unwrap();
    let map = roll.features.slice(s![.., ..2]).to_owned();
    let report = |sample: Sample, seed: u64| {
        let options = Options {
            sample,
            seed,
            n_neighbors: vec![10],
            ..Options::default()
        };
        quality::measure(
            &Run::new(),
            &Data::from(&roll.features),
            &map.view(),
            &options,
        )
        .unwrap()
    };
    let whole = report(Sample::All, 0);
    type Figure = (&'static str, fn(&Report) -> quality::Estimate);
    let figures: [Figure; 4] = [
        ("trustworthiness", |of| of.agreements[0].trustworthiness),
        ("area", |of| of.co_ranking.area),
        ("pearson", |of| of.distances.pearson),
        ("scaled stress", |of| of.distances.scaled_stress_1),
    ];
    let samples: Vec<Report> = (0..40)
        .map(|seed| report(Sample::Count(100), seed))
        .collect();
    for (name, figure) in figures {
        let truth = figure(&whole).value;
        let off: Vec<f64> = samples
            .iter()
            .map(|of| (figure(of).value - truth) / figure(of).error)
            .collect();
        let mean = off.iter().sum::<f64>() / 40.0;
        let spread = (off.iter().map(|z| z * z).sum::<f64>() / 40.0).sqrt();
        assert!(mean.abs() < 0.6, "{name}: on average off by {mean} errors");
        assert!(
            (0.6..1.5).contains(&spread),
            "{name}: off by {spread} errors"
        );
        assert!(figure(&whole).error == 0.0 && samples[0].is_sample());
    }
}

#[test]
fn rows_without_a_place_are_left_out_and_equal_distances_rank_by_order() {
    let roll = swiss_roll(80, 0.0, 3).unwrap().features;
    let mut map = roll.slice(s![.., ..2]).to_owned();
    for row in [3, 40, 79] {
        map[[row, 1]] = f64::NAN;
    }
    let kept: Vec<usize> = (0..80).filter(|row| ![3, 40, 79].contains(row)).collect();
    let options = Options {
        n_neighbors: vec![7],
        ..Options::default()
    };
    let of = |rows: &Array2<f64>, map: &Array2<f64>| {
        quality::measure(&Run::new(), &Data::from(rows), &map.view(), &options).unwrap()
    };
    let with = of(&roll, &map);
    let without = of(
        &roll.select(ndarray::Axis(0), &kept),
        &map.select(ndarray::Axis(0), &kept),
    );
    assert_eq!((with.n_missing, with.n_measured()), (3, 77));
    assert_eq!(with.agreements, without.agreements);
    assert_eq!(with.distances, without.distances);
    let column = &with.point_columns()[0].1;
    assert!(column[40].is_nan() && column[41].is_finite());

    // On a grid, most distances have equals: a brute-force count with the stated order.
    let grid = Array2::from_shape_fn(
        (36, 2),
        |(row, axis)| if axis == 0 { row / 6 } else { row % 6 } as f64,
    );
    let line = grid.slice(s![.., ..1]).to_owned();
    let found = of(&grid, &line);
    let scores = &found.agreements[0];
    close(
        "ties",
        scores.trustworthiness.value,
        brute_force(&grid, &line, 7),
        1e-14,
    );
    close(
        "ties",
        scores.continuity.value,
        brute_force(&line, &grid, 7),
        1e-14,
    );
}

fn brute_force(truth: &Array2<f64>, seen: &Array2<f64>, k: usize) -> f64 {
    let n = truth.nrows();
    let order = |x: &Array2<f64>, row: usize| {
        let apart = |other: usize| (&x.row(row) - &x.row(other)).mapv(|d| d * d).sum();
        let mut others: Vec<usize> = (0..n).filter(|&other| other != row).collect();
        others.sort_by(|&a, &b| apart(a).total_cmp(&apart(b)).then(a.cmp(&b)));
        others
    };
    let mut sum = 0;
    for row in 0..n {
        let right = order(truth, row);
        for place in &order(seen, row)[..k] {
            let rank = right.iter().position(|other| other == place).unwrap() + 1;
            sum += rank.saturating_sub(k);
        }
    }
    1.0 - 2.0 / (n * k * (2 * n - 3 * k - 1)) as f64 * sum as f64
}

#[test]
fn distances_given_and_any_number_of_threads_change_nothing() {
    let x = built_in("wine");
    let data = x.data().unwrap();
    let features = data.features("wine").unwrap().dense_rows(0, 178);
    let map = features.slice(s![.., ..3]).to_owned();
    let with = |threads: usize, data: &Data<'_>| {
        let run = Run::new().threads(threads).unwrap();
        let options = Options {
            labels: x.labels.as_ref().map(|(_, labels)| labels.reborrow()),
            ..Options::default()
        };
        quality::measure(&run, data, &map.view(), &options).unwrap()
    };
    let one = with(1, &Data::from(&features));
    assert!(one.agreements[0].classes.is_some());
    for threads in [2, 7] {
        assert_eq!(one, with(threads, &Data::from(&features)));
    }
    let distances = Array2::from_shape_fn((178, 178), |(i, j)| {
        let apart = &features.row(i) - &features.row(j);
        apart.dot(&apart).sqrt()
    });
    let given = with(2, &Data::distances(distances.view()).unwrap());
    let trusted = |report: &Report| {
        report
            .agreements
            .iter()
            .map(|of: &Agreement| of.trustworthiness.value)
            .collect::<Vec<_>>()
    };
    assert_eq!(trusted(&given), trusted(&one));
    close(
        "pearson",
        given.distances.pearson.value,
        one.distances.pearson.value,
        1e-10,
    );
}

#[test]
fn mistakes_are_named() {
    let x = swiss_roll(30, 0.0, 0).unwrap().features;
    let error_of = |map: &Array2<f64>, options: &Options<'_>| {
        quality::measure(&Run::new(), &Data::from(&x), &map.view(), options)
            .unwrap_err()
            .to_string()
    };
    let plain = Options::default();
    let short = x.slice(s![..29, ..2]).to_owned();
    assert_eq!(
        error_of(&short, &plain),
        "rows of the embedding: expected 30, as the data has, got 29"
    );
    let many = Options {
        n_neighbors: vec![15],
        ..Options::default()
    };
    assert_eq!(
        error_of(&x, &many),
        "`n_neighbors` must be from 1 to 14, because it must be less than half of 30 rows, got 15"
    );
    assert!(error_of(&Array2::zeros((30, 2)), &plain).contains("embedding are the same"));
    assert!(error_of(&Array2::from_elem((30, 2), f64::INFINITY), &plain).contains("infinite"));
    assert!(error_of(&Array2::from_elem((30, 2), f64::NAN), &plain).contains("at least 3 rows"));
    let numbers = Options {
        labels: Some(Labels::numbers(vec![0.5; 30])),
        ..Options::default()
    };
    assert!(error_of(&x, &numbers).contains("numbers such as 0.5"));
    let other = Array2::zeros((29, 2));
    let known = Options {
        known: Some(other.view()),
        ..Options::default()
    };
    assert!(error_of(&x, &known).contains("known coordinates"));
}
