//! Features, dense and sparse, in both precisions, by every algorithm.

use super::*;

#[test]
fn every_metric_is_that_of_its_formula() {
    for metric in METRICS {
        for (kind, x) in [
            ("normal", normals(150, 20, 1)),
            ("counts", counts(150, 20, 2)),
        ] {
            let what = format!("{metric:?} of {kind}");
            let all = all_by_formula(metric, &x, &x);
            let found = nearest(&x, &search(metric), 7);
            check(&what, &found.neighbors, &all, 7, true, 1e-10);
            let single = x.mapv(|value| value as f32);
            let wide = single.mapv(f64::from);
            let all = all_by_formula(metric, &wide, &wide);
            let found = nearest(&single, &search(metric), 7);
            check(
                &format!("{what}, single"),
                &found.neighbors,
                &all,
                7,
                true,
                2e-5,
            );
        }
    }
}

#[test]
fn sparse_rows_have_the_neighbours_of_dense_ones() {
    for metric in METRICS {
        for share in [3, 40] {
            // Few and many values stored: by lists of columns, and by blocks made dense.
            let mut x = counts(120, 60, 3);
            let mut numbers = stream(4, 0);
            x.mapv_inplace(|value| value * f64::from(u8::from(below(&mut numbers, 40) < share)));
            let rows = sparse(&x);
            let (a, b) = (
                nearest(&rows, &search(metric), 9),
                nearest(&x, &search(metric), 9),
            );
            let all = all_by_formula(metric, &x, &x);
            check(
                &format!("{metric:?}, sparse, {share}"),
                &a.neighbors,
                &all,
                9,
                true,
                1e-9,
            );
            // Lengths are rounded otherwise: what is as near may come in another order.
            let rounded = [Metric::Mahalanobis, Metric::Cosine, Metric::Correlation];
            if !rounded.contains(&metric) {
                assert_eq!(
                    a.neighbors.indices(),
                    b.neighbors.indices(),
                    "{metric:?}, {share}"
                );
            }
            let radius = all.mean().unwrap();
            let (a, b) = (
                neighbors::within(&Run::new(), &Data::from(&rows), &search(metric), radius)
                    .unwrap(),
                neighbors::within(&Run::new(), &Data::from(&x), &search(metric), radius).unwrap(),
            );
            assert_eq!(
                a.neighbors.starts(),
                b.neighbors.starts(),
                "{metric:?}, {share}"
            );
        }
    }
    let few = sparse(&counts(50, 4, 1).mapv(|value: f64| value.max(1.0) - 1.0));
    assert_eq!(
        nearest(&few, &search(Metric::Jaccard), 3).algorithm,
        "brute force"
    );
}

/// The same search by the tree and by all distances.
fn both(x: &Array2<f64>, metric: Metric, count: usize) -> (Found, Found) {
    let by = |algorithm| {
        let search = Search {
            search: algorithm,
            ..search(metric)
        };
        nearest(x, &search, count)
    };
    (by(Algorithm::Tree), by(Algorithm::Exact))
}

#[test]
fn the_tree_finds_what_all_distances_find_ties_included() {
    let line = Array2::from_shape_fn((500, 3), |(i, _)| i as f64);
    let twins = Array2::from_shape_fn((400, 2), |(i, j)| ((i / 10 + j) % 7) as f64);
    let constant = Array2::from_elem((300, 2), 0.1);
    let grid = Array2::from_shape_fn((900, 2), |(i, j)| {
        if j == 0 {
            (i / 30) as f64
        } else {
            (i % 30) as f64
        }
    });
    let samples = [
        ("normal", normals(1000, 3, 5)),
        ("wide", normals(700, 12, 6)),
        ("line", line),
        ("twins", twins),
        ("constant", constant),
        ("grid", grid),
        ("counts", counts(600, 4, 7)),
        ("one column", normals(333, 1, 8)),
        ("few", normals(5, 2, 9)),
    ];
    for (name, x) in samples {
        for metric in [
            Metric::Euclidean,
            Metric::Manhattan,
            Metric::Chebyshev,
            Metric::Minkowski,
        ] {
            for count in [1, 12, 100] {
                let count = count.min(x.nrows() - 1);
                let (tree, all) = both(&x, metric, count);
                assert_eq!(tree.algorithm, "k-d tree");
                let (tree, all) = (tree.neighbors, all.neighbors);
                assert!(
                    tree.indices() == all.indices(),
                    "{name}, {metric:?}, {count}"
                );
                // Each adds up the columns in its own order.
                let pairs = tree.distances().iter().zip(all.distances());
                let apart = pairs.map(|(a, b)| (a - b).abs() / b.max(1e-300));
                assert!(
                    apart.fold(0.0, f64::max) < 1e-14,
                    "{name}, {metric:?}, {count}"
                );
            }
            let radius = 1.0;
            let within = |algorithm| {
                let search = Search {
                    search: algorithm,
                    ..search(metric)
                };
                neighbors::within(&Run::new(), &Data::from(&x), &search, radius)
                    .unwrap()
                    .neighbors
            };
            assert_eq!(
                within(Algorithm::Tree),
                within(Algorithm::Exact),
                "{name}, {metric:?}"
            );
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let x = normals(1500, 3, 10);
    let wide = normals(300, 40, 11);
    let rows = sparse(&counts(300, 80, 12).mapv(|value: f64| value.max(1.0) - 1.0));
    for metric in METRICS {
        let with = |threads: usize| {
            let run = Run::new().threads(threads).unwrap();
            let find = |data: Data<'_>| {
                run.install(|| neighbors::nearest(&run, &data, &search(metric), 11))
                    .unwrap()
            };
            [
                find(Data::from(&x)),
                find(Data::from(&wide)),
                find(Data::from(&rows)),
            ]
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(7));
    }
}

#[test]
fn radii_include_their_border_and_rows_may_be_alone() {
    let x = array![[0.0], [1.0], [2.0], [10.0]];
    let found = neighbors::within(&Run::new(), &Data::from(&x), &Search::default(), 1.0).unwrap();
    assert_eq!(found.neighbors.row(1).0, [0, 2]);
    assert!(found.neighbors.row(3).0.is_empty());
    let error = neighbors::within(&Run::new(), &Data::from(&x), &Search::default(), f64::NAN);
    assert!(matches!(error, Err(Error::Parameter { .. })));
}

#[test]
fn twins_are_neighbours_at_distance_zero() {
    let mut x = normals(400, 30, 13);
    for i in 0..200 {
        let row = x.row(i).to_owned();
        x.row_mut(200 + i).assign(&row);
    }
    let single = x.mapv(|value| value as f32);
    for metric in METRICS.into_iter().filter(|m| *m != Metric::InnerProduct) {
        for found in [
            nearest(&x, &search(metric), 1),
            nearest(&single, &search(metric), 1),
        ] {
            for i in 0..400 {
                let (places, distances) = found.neighbors.row(i);
                assert_eq!(distances, [0.0], "{metric:?}");
                if ![Metric::Jaccard, Metric::Hamming].contains(&metric) {
                    assert_eq!(places, [(i as u32 + 200) % 400], "{metric:?}");
                }
            }
        }
    }
}

#[test]
fn huge_and_tiny_values_are_measured_or_refused() {
    for factor in [1e300, 1e-290, 1.0] {
        let x = normals(300, 3, 14) * factor;
        for metric in METRICS
            .into_iter()
            .filter(|m| *m != Metric::InnerProduct && *m != Metric::Mahalanobis)
        {
            for algorithm in [Algorithm::Auto, Algorithm::Exact] {
                let search = Search {
                    search: algorithm,
                    ..search(metric)
                };
                let usual = nearest(&(&x / factor), &search, 5).neighbors;
                let found = nearest(&x, &search, 5).neighbors;
                assert_eq!(found.indices(), usual.indices(), "{metric:?} at {factor:e}");
                assert!(found.distances().iter().all(|d| d.is_finite()));
            }
        }
    }
    let single = normals(300, 5, 15).mapv(|value| value as f32 * 1e30);
    let found = nearest(&single, &search(Metric::Euclidean), 3).neighbors;
    assert!(found.distances().iter().all(|d| d.is_finite() && *d > 1e28));
    let x = array![[1e308, 1e308], [-1e308, -1e308], [1e308, 0.0]];
    let error = neighbors::nearest(&Run::new(), &Data::from(&x), &search(Metric::Manhattan), 2);
    assert!(matches!(error, Err(Error::Degenerate { .. })), "{error:?}");
    let far = sparse(&array![[1e300, 0.0], [0.0, 1e300], [0.0, 2e300]]);
    assert_eq!(
        nearest(&far, &search(Metric::Euclidean), 1)
            .neighbors
            .row(1)
            .1,
        [1e300]
    );
}

#[test]
fn mistakes_are_told() {
    let mut x = normals(40, 3, 16);
    let error_of = |x: &Array2<f64>, search: &Search, count| {
        neighbors::nearest(&Run::new(), &Data::from(x), search, count)
            .unwrap_err()
            .to_string()
    };
    assert!(error_of(&x, &Search::default(), 40).contains("must be at most 39"));
    assert!(error_of(&x, &Search::default(), 0).contains("at least 1"));
    let tree = Search {
        search: Algorithm::Tree,
        ..search(Metric::Cosine)
    };
    assert!(
        error_of(&x, &tree, 3).contains("`search` must be `auto` or `exact`"),
        "{}",
        error_of(&x, &tree, 3)
    );
    assert!(error_of(&x, &search(Metric::Tangent), 3).contains("image_width"));
    x[[7, 2]] = f64::NAN;
    assert!(error_of(&x, &Search::default(), 3).contains("row 7, column 2: found no value (NaN)"));
}
