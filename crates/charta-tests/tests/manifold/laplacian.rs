//! Laplacian eigenmaps, diffusion maps and their linear kin: shapes that are known, held-out rows, data that is nasty.

use charta::data::synthetic::{Sample, bars, s_curve, swiss_roll};
use charta::data::{Labels, Neighbors, SparseRows};
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::quality::nearest_accuracy;
use charta::{Data, Result, Run};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, ArrayView1, Axis, concatenate, s};
use serde_json::{Value as Json, json};

const EIGENMAPS: [&str; 2] = ["laplacian_eigenmaps", "diffusion_maps"];
const LINEAR: [&str; 2] = ["lpp", "npe"];

fn all() -> impl Iterator<Item = &'static str> {
    EIGENMAPS.into_iter().chain(LINEAR)
}

fn fit(method: &str, parameters: &Json, data: &Data<'_>) -> Result<Fitted> {
    find(method)
        .unwrap()
        .parse(parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &Run::new(), data, None))
}

fn embedding(fitted: &Fitted) -> Array2<f64> {
    fitted.model().embedding().unwrap().to_owned()
}

fn classes(sample: &Sample) -> Vec<u32> {
    match &sample.labels {
        Labels::Classes { of_row, .. } => of_row.iter().map(|class| class.unwrap()).collect(),
        Labels::Numbers(_) => panic!("no classes"),
    }
}

fn correlation(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    let (a, b) = (&a - a.mean().unwrap(), &b - b.mean().unwrap());
    a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()
}

/// The fraction of rows whose class is the majority among their nearest neighbours.
fn knn_accuracy(map: &Array2<f64>, classes: &[u32]) -> f64 {
    let half = map.nrows() / 2;
    let (known, asked) = (map.slice(s![..half, ..]), map.slice(s![half.., ..]));
    let (left, right) = classes.split_at(half);
    nearest_accuracy(&Run::new(), &known, left, &asked, right, 5).unwrap()
}

/// The fraction of rows whose class is predicted by the sign of the first coordinate.
fn parted(map: &Array2<f64>, classes: &[u32]) -> f64 {
    let rows = map.column(0);
    let right = rows
        .iter()
        .zip(classes)
        .filter(|(y, class)| (**y > 0.0) == (**class == 1));
    let share = right.count() as f64 / classes.len() as f64;
    share.max(1.0 - share)
}

#[test]
fn bars_are_told_apart_by_eigenmaps_and_not_by_principal_components() {
    let sample = bars(1000, 0.0, 0).unwrap();
    assert_eq!(sample.image, Some((40, 40)));
    let classes = classes(&sample);
    let data = Data::from(&sample.features);
    let map = embedding(&fit("laplacian_eigenmaps", &json!({"n_neighbors": 14}), &data).unwrap());
    let flat = embedding(&fit("pca", &json!({}), &data).unwrap());
    let (parted, straight) = (parted(&map, &classes), parted(&flat, &classes));
    eprintln!("bars: {parted:.3} by the sign of eigenmaps, {straight:.3} of principal components");
    assert!(parted > 0.99 && straight < 0.7);
    assert!(knn_accuracy(&map, &classes) > 0.99);
}

#[test]
fn the_first_coordinate_runs_along_the_s() {
    let sample = s_curve(1000, 0.0, 0).unwrap();
    let Labels::Numbers(places) = &sample.labels else {
        panic!("no positions");
    };
    for method in EIGENMAPS {
        let map = embedding(&fit(method, &json!({}), &Data::from(&sample.features)).unwrap());
        let mut order: Vec<usize> = (0..1000).collect();
        order.sort_by(|&a, &b| map[[a, 0]].total_cmp(&map[[b, 0]]));
        let ranks: Vec<f64> = order.iter().map(|&row| places[row]).collect();
        let steps: Vec<f64> = (0..1000).map(f64::from).collect();
        let along = correlation(ArrayView1::from(&ranks), ArrayView1::from(&steps)).abs();
        assert!(along > 0.99, "{method}: {along}");
    }
}

/// How many of each row's 10 nearest among the training rows are kept, on average.
fn kept(x: (&Array2<f64>, &Array2<f64>), y: (&Array2<f64>, &Array2<f64>)) -> f64 {
    let nearest = |known: &Array2<f64>, row: ArrayView1<'_, f64>| {
        let mut order: Vec<(f64, usize)> = (known.rows().into_iter().enumerate())
            .map(|(place, other)| ((&other - &row).mapv(|v| v * v).sum(), place))
            .collect();
        order.sort_by(|a, b| a.partial_cmp(b).unwrap());
        order
            .iter()
            .map(|entry| entry.1)
            .filter(|_| true)
            .take(11)
            .collect::<Vec<_>>()
    };
    let mut shared = 0;
    for (row, place) in x.1.rows().into_iter().zip(y.1.rows()) {
        let (before, after) = (nearest(x.0, row), nearest(y.0, place));
        shared += before.iter().filter(|row| after.contains(row)).count();
    }
    shared as f64 / (11 * x.1.nrows()) as f64
}

fn parts(x: &Array2<f64>) -> (Vec<usize>, Vec<usize>) {
    (0..x.nrows()).partition(|i| i % 5 != 4)
}

#[test]
fn rows_held_out_fall_where_they_would_have_been_fitted() {
    let roll = swiss_roll(1500, 0.0, 3).unwrap().features;
    let (inside, outside) = parts(&roll);
    let (known, new) = (
        roll.select(Axis(0), &inside),
        roll.select(Axis(0), &outside),
    );
    for method in EIGENMAPS {
        let whole = embedding(&fit(method, &json!({}), &Data::from(&roll)).unwrap());
        let fitted = fit(method, &json!({}), &Data::from(&known)).unwrap();
        let placed = fitted.transform(&Run::new(), &Data::from(&new)).unwrap();
        let by_fit = kept(
            (&known, &new),
            (
                &whole.select(Axis(0), &inside),
                &whole.select(Axis(0), &outside),
            ),
        );
        let by_transform = kept((&known, &new), (&embedding(&fitted), &placed));
        eprintln!("{method}: neighbours kept {by_fit:.4} fitted, {by_transform:.4} placed");
        assert!(by_transform > by_fit - 0.01, "{method}");
    }
}

#[test]
fn digits_held_out_are_told_as_well_as_when_fitted() {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    let of_row = data.classes("digits").unwrap().of_row;
    let classes: Vec<u32> = of_row.iter().map(|class| class.unwrap()).collect();
    let x = match &table.content {
        Content::Features(features) => features.view().dense_rows(0, 1797),
        other => panic!("{other:?}"),
    };
    let of = |rows: &[usize]| rows.iter().map(|&row| classes[row]).collect::<Vec<u32>>();
    for method in all() {
        let (mut all_fit, mut all_placed) = (0.0, 0.0);
        let parameters = json!({"n_components": 9});
        let whole = embedding(&fit(method, &parameters, &Data::from(&x)).unwrap());
        for fold in 0..5 {
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                (0..1797).partition(|i| i % 5 != fold);
            let (left, right) = (of(&inside), of(&outside));
            let accuracy = |known: &Array2<f64>, new: &Array2<f64>| {
                nearest_accuracy(&Run::new(), &known.view(), &left, &new.view(), &right, 5).unwrap()
            };
            let by_fit = accuracy(
                &whole.select(Axis(0), &inside),
                &whole.select(Axis(0), &outside),
            );
            let fitted = fit(
                method,
                &parameters,
                &Data::from(&x.select(Axis(0), &inside)),
            )
            .unwrap();
            let placed = fitted
                .transform(&Run::new(), &Data::from(&x.select(Axis(0), &outside)))
                .unwrap();
            let by_transform = accuracy(&embedding(&fitted), &placed);
            all_fit += by_fit / 5.0;
            all_placed += by_transform / 5.0;
        }
        eprintln!("{method}: accuracy {all_fit:.4} fitted, {all_placed:.4} placed");
        assert!(
            all_placed > all_fit - 0.01,
            "{method}: {all_fit} {all_placed}"
        );
    }
}

#[test]
fn classes_make_linear_maps_part_them() {
    let table = read("wine", &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    let report = |parameters: Json| {
        let fitted = fit("lpp", &parameters, &data).unwrap();
        let of_row = data.classes("wine").unwrap().of_row;
        let classes: Vec<u32> = of_row.iter().map(|class| class.unwrap()).collect();
        let map = embedding(&fitted);
        // Every other row is asked, so that all classes are on both sides.
        let order: Vec<usize> = (0..178).step_by(2).chain((1..178).step_by(2)).collect();
        let sorted: Vec<u32> = order.iter().map(|&row| classes[row]).collect();
        knn_accuracy(&map.select(Axis(0), &order), &sorted)
    };
    let (without, with) = (report(json!({})), report(json!({"supervised": true})));
    eprintln!("wine: {without:.3} without classes, {with:.3} with");
    assert!(with > 0.95 && with >= without);
    let x = Array2::from_shape_fn((30, 3), |(i, j)| ((i * 3 + j) as f64).sin());
    let error = fit("lpp", &json!({"supervised": true}), &Data::from(&x)).unwrap_err();
    assert!(error.to_string().contains("labels"), "{error}");
}

fn two_clouds() -> Array2<f64> {
    let roll = swiss_roll(120, 0.0, 5).unwrap().features;
    let far = &roll.slice(s![..40, ..]) + 500.0;
    concatenate(Axis(0), &[roll.view(), far.view()]).unwrap()
}

#[test]
fn graphs_in_parts_are_joined_cut_or_refused() {
    let x = two_clouds();
    for method in all() {
        let refused = fit(method, &json!({"disconnected": "error"}), &Data::from(&x)).unwrap_err();
        assert!(
            refused.to_string().contains("2 connected components"),
            "{method}: {refused}"
        );
        let joined = fit(method, &json!({}), &Data::from(&x)).unwrap();
        assert!(
            embedding(&joined).iter().all(|value| value.is_finite()),
            "{method}"
        );
        assert_eq!(
            joined.diagnostics().value("n_connected_components"),
            Some(2.0),
            "{method}"
        );
        let cut = fit(method, &json!({"disconnected": "largest"}), &Data::from(&x)).unwrap();
        assert_eq!(
            cut.diagnostics().value("n_left_out"),
            Some(40.0),
            "{method}"
        );
        let map = embedding(&cut);
        let linear = LINEAR.contains(&method);
        assert!(
            map.slice(s![..120, ..])
                .iter()
                .all(|value| value.is_finite())
        );
        assert!(
            map.slice(s![120.., ..])
                .iter()
                .all(|value| value.is_nan() != linear)
        );
        // Rows near those left out are placed by the others too.
        let new = &x + 0.01;
        let placed = cut.transform(&Run::new(), &Data::from(&new)).unwrap();
        let alone = fit(method, &json!({}), &Data::from(x.slice(s![..120, ..]))).unwrap();
        let want = alone.transform(&Run::new(), &Data::from(&new)).unwrap();
        near(method, &placed, &want);
        if !linear {
            let distances = |from: &Array2<f64>| {
                Array2::from_shape_fn((160, 160), |(i, j)| {
                    (&from.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt()
                })
            };
            let (known, new) = (distances(&x), distances(&new));
            let data = Data::distances(known.view()).unwrap();
            let cut = fit(method, &json!({"disconnected": "largest"}), &data).unwrap();
            let data = Data::distances_to(new.view()).unwrap();
            near(method, &cut.transform(&Run::new(), &data).unwrap(), &want);
        }
    }
}

fn near(what: &str, got: &Array2<f64>, want: &Array2<f64>) {
    let size = want.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let apart = (got - want)
        .iter()
        .fold(0.0_f64, |most, gap| most.max(gap.abs()));
    assert!(apart < 1e-6 * size, "{what}: {apart:e} of {size:e}");
    assert!(got.iter().all(|value| value.is_finite()), "{what}");
}

#[test]
fn a_constant_column_changes_no_linear_map() {
    let roll = swiss_roll(300, 0.0, 4).unwrap().features;
    let mut wider = Array2::from_elem((300, 4), 0.1);
    wider.slice_mut(s![.., ..3]).assign(&roll);
    for method in LINEAR {
        let want = embedding(&fit(method, &json!({}), &Data::from(&roll)).unwrap());
        let fitted = fit(method, &json!({}), &Data::from(&wider)).unwrap();
        near(method, &embedding(&fitted), &want);
        assert_eq!(fitted.diagnostics().value("rank"), Some(3.0), "{method}");
    }
}

#[test]
fn what_is_no_length_is_refused() {
    let x = swiss_roll(60, 0.0, 1).unwrap().features;
    for method in all() {
        let parameters = json!({"metric": "inner_product"});
        let error = fit(method, &parameters, &Data::from(&x)).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("or `tangent`, got inner_product"),
            "{method}: {error}"
        );
    }
}

#[test]
fn nasty_shapes_give_a_clear_error_or_a_finite_map() {
    let line = Array2::from_shape_fn((60, 3), |(i, j)| i as f64 * (j + 1) as f64);
    let roll = swiss_roll(60, 0.0, 1).unwrap().features;
    let twice = concatenate(Axis(0), &[roll.view(), roll.view()]).unwrap();
    for method in all() {
        for weights in ["binary", "heat"] {
            for bandwidth in [json!("median"), json!("self_tuned"), json!(1e-6)] {
                let mut parameters = json!({"n_components": 1, "bandwidth": bandwidth});
                if method == "npe" {
                    parameters = json!({"n_components": 1});
                } else if method != "diffusion_maps" {
                    parameters["weights"] = json!(weights);
                }
                for (what, x) in [("line", &line), ("twice", &twice)] {
                    let fitted = match fit(method, &parameters, &Data::from(x)) {
                        Ok(fitted) => fitted,
                        Err(error) => {
                            let text = error.to_string();
                            assert!(text.contains("bandwidth"), "{method} {what}: {text}");
                            assert_eq!(bandwidth, json!(1e-6));
                            continue;
                        }
                    };
                    let map = embedding(&fitted);
                    assert!(map.iter().all(|value| value.is_finite()), "{method} {what}");
                    let placed = fitted.transform(&Run::new(), &Data::from(x)).unwrap();
                    assert!(
                        placed.iter().all(|value| value.is_finite()),
                        "{method} {what}"
                    );
                }
            }
        }
        let same = Array2::from_elem((40, 3), 2.5);
        let error = fit(method, &json!({}), &Data::from(&same))
            .unwrap_err()
            .to_string();
        assert!(error.contains("the same"), "{method}: {error}");
        let few = roll.slice(s![..6, ..]);
        let error = fit(method, &json!({}), &Data::from(few))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`n_neighbors` must be at most 5"),
            "{method}: {error}"
        );
        let small = fit(
            method,
            &json!({"n_neighbors": 2, "n_components": 1}),
            &Data::from(roll.slice(s![..3, ..])),
        );
        assert!(
            embedding(&small.unwrap())
                .iter()
                .all(|value| value.is_finite()),
            "{method}"
        );
        let many = json!({"n_components": u64::MAX, "seed": u64::MAX});
        let error = fit(method, &many, &Data::from(&roll))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`n_components` must be at most"),
            "{method}: {error}"
        );
        let error = fit(method, &json!({}), &Data::from(roll.slice(s![..1, ..]))).unwrap_err();
        assert!(error.to_string().len() > 10, "{method}: {error}");
    }
}

#[test]
fn a_line_is_laid_out_in_order() {
    let line = Array2::from_shape_fn((80, 3), |(i, j)| {
        (i * i) as f64 / 80.0 + i as f64 * (j + 1) as f64
    });
    for method in EIGENMAPS {
        let map = embedding(&fit(method, &json!({"n_components": 1}), &Data::from(&line)).unwrap());
        let up = map[[79, 0]] > map[[0, 0]];
        // The eigenvector of a path is half a cosine: strictly in order but for its flat ends.
        for i in 5..74 {
            assert_eq!(map[[i + 1, 0]] > map[[i, 0]], up, "{method} {i}");
        }
    }
}

#[test]
fn distances_and_tables_of_neighbours_give_the_same_map() {
    let x = s_curve(150, 0.0, 2).unwrap().features;
    let distances = Array2::from_shape_fn((150, 150), |(i, j)| {
        (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt()
    });
    let (mut places, mut lengths) = (Array2::zeros((150, 20)), Array2::zeros((150, 20)));
    for i in 0..150 {
        let mut order: Vec<usize> = (0..150).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| {
            distances[[i, a]]
                .total_cmp(&distances[[i, b]])
                .then(a.cmp(&b))
        });
        for (k, &j) in order.iter().take(20).enumerate() {
            places[[i, k]] = j as i64;
            lengths[[i, k]] = distances[[i, j]];
        }
    }
    let table = Neighbors::from_table(&places.view(), &lengths.view()).unwrap();
    for method in all() {
        let want = embedding(&fit(method, &json!({}), &Data::from(&x)).unwrap());
        let near = |what: &str, got: Array2<f64>| {
            let apart = (&got - &want)
                .iter()
                .fold(0.0_f64, |most, gap| most.max(gap.abs()));
            assert!(apart < 1e-6, "{method} by {what}: {apart}");
        };
        let data = Data::from(&x).with_neighbors(&table).unwrap();
        near("table", embedding(&fit(method, &json!({}), &data).unwrap()));
        if EIGENMAPS.contains(&method) {
            let data = Data::distances(distances.view()).unwrap();
            near(
                "distances",
                embedding(&fit(method, &json!({}), &data).unwrap()),
            );
        }
    }
}

/// exp(−d²/t) of all pairs, without the diagonal.
fn heat(x: &Array2<f64>, t: f64) -> SparseRows<f64> {
    let entries = (0..x.nrows()).flat_map(|i| {
        (0..x.nrows()).filter(move |&j| j != i).map(move |j| {
            let apart = (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum();
            (i, j, (-apart / t).exp())
        })
    });
    SparseRows::from_entries(x.nrows(), x.nrows(), entries.collect::<Vec<_>>()).unwrap()
}

#[test]
fn given_affinities_have_the_map_of_the_same_weights() {
    let x = swiss_roll(300, 0.0, 3).unwrap().features;
    let affinities = heat(&x, 30.0);
    let data = Data::affinities(affinities.view()).unwrap();
    let given = fit("laplacian_eigenmaps", &json!({"n_components": 3}), &data).unwrap();
    // The largest radius: all pairs of rows are neighbours.
    let all = json!({"n_components": 3, "weights": "heat", "bandwidth": 30.0, "radius": f64::MAX});
    let whole = fit("laplacian_eigenmaps", &all, &Data::from(&x)).unwrap();
    let signs = (&embedding(&given) * &embedding(&whole))
        .sum_axis(Axis(0))
        .mapv(f64::signum);
    near(
        "all pairs",
        &(embedding(&given) * &signs),
        &embedding(&whole),
    );
    // Each training row satisfies the equation by which new rows are placed.
    let rows = affinities.view().select_rows(&[4, 9, 200]).unwrap();
    let placed = given
        .transform(&Run::new(), &Data::affinities_to(rows.view()).unwrap())
        .unwrap();
    near(
        "placed",
        &placed,
        &embedding(&given).select(Axis(0), &[4, 9, 200]),
    );
    let error = given.transform(&Run::new(), &Data::from(&x)).unwrap_err();
    assert!(error.to_string().contains("affinities"), "{error}");
    for method in ["isomap", "pca", "lpp"] {
        let error = fit(method, &json!({}), &data).unwrap_err().to_string();
        assert!(error.contains("was given affinities"), "{error}");
    }
}

#[test]
fn affinities_in_parts_tell_the_parts_apart() {
    let entries = (0..40).flat_map(|i| {
        (0..40)
            .filter(move |&j| j != i && (i < 15) == (j < 15))
            .map(move |j| (i, j, 1.0 + ((i * j) % 5) as f64))
    });
    let affinities = SparseRows::from_entries(40, 40, entries.collect::<Vec<_>>()).unwrap();
    let data = Data::affinities(affinities.view()).unwrap();
    let map = embedding(&fit("laplacian_eigenmaps", &json!({"n_components": 1}), &data).unwrap());
    assert!((0..40).all(|row| (map[[row, 0]] > 0.0) == (map[[0, 0]] > 0.0) || row >= 15));
    assert!((15..40).all(|row| (map[[row, 0]] > 0.0) != (map[[0, 0]] > 0.0)));
    for assignment in ["k_means", "discretize", "cluster_qr"] {
        let parameters = json!({"n_clusters": 2, "assignment": assignment});
        let fitted = fit("spectral_clustering", &parameters, &data).unwrap();
        let clusters = fitted.model().clusters().unwrap();
        assert!(
            (0..40).all(|row| (clusters[row] == clusters[0]) == (row < 15)),
            "{assignment}"
        );
    }
}

#[test]
fn the_mean_of_both_directions_leaves_connected_components_apart() {
    let x = two_clouds();
    let parameters = json!({"n_components": 1, "weights": "average"});
    let fitted = fit("laplacian_eigenmaps", &parameters, &Data::from(&x)).unwrap();
    let map = embedding(&fitted);
    let diagnostics = fitted.diagnostics();
    assert_eq!(diagnostics.value("n_connected_components"), Some(2.0));
    assert_eq!(diagnostics.value("n_bridges"), Some(0.0));
    for rows in [0..120, 120..160] {
        let part = map.slice(s![rows, 0]);
        assert!(
            part.iter()
                .all(|value| (value - part[0_usize]).abs() < 1e-9)
        );
    }
    assert!(map[[0, 0]] * map[[150, 0]] < 0.0);
}

#[test]
fn heat_weights_of_all_pairs_need_no_neighbour_graph_in_one_piece() {
    let x = two_clouds();
    let all = json!({"n_components": 1, "weights": "heat", "bandwidth": 100.0, "radius": f64::MAX});
    let fitted = fit("laplacian_eigenmaps", &all, &Data::from(&x)).unwrap();
    let map = embedding(&fitted);
    assert!((0..160).all(|row| (map[[row, 0]] > 0.0) == (map[[0, 0]] > 0.0) || row >= 120));
    let again = fitted
        .transform(&Run::new(), &Data::from(&x.slice(s![..5, ..]).to_owned()))
        .unwrap();
    near("training rows", &again, &map.slice(s![..5, ..]).to_owned());
}
