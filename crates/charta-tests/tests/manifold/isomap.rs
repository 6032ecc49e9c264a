//! Isomap: the swiss roll, the faces, held-out rows, landmarks, classes, graphs in parts.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::Neighbors;
use charta::data::synthetic::swiss_roll;
use charta::graph::{Disconnected, LandmarkChoice, Landmarks, Neighborhood};
use charta::methods::isomap::{ClassWeight, Isomap};
use charta::methods::isomap::{IsomapModel, Placement};
use charta::quality::nearest_accuracy;
use charta::{Data, Error, Event, Fit, Labels, Model, Result, Run, Transform, Warning};
use charta_io::{ReadOptions, read};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, array, concatenate, s};

fn isomap(n_neighbors: usize) -> Isomap {
    Isomap {
        neighborhood: Neighborhood::nearest(n_neighbors),
        ..Isomap::default()
    }
}

fn correlation(a: &ArrayView1<'_, f64>, b: &ArrayView1<'_, f64>) -> f64 {
    let centre = |x: &ArrayView1<'_, f64>| x.to_owned() - x.mean().unwrap();
    let (a, b) = (centre(a), centre(b));
    a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()
}

/// The largest size of a correlation of `truth` with an axis.
fn best(truth: &ArrayView1<'_, f64>, places: &ArrayView2<'_, f64>) -> f64 {
    let sizes = places
        .columns()
        .into_iter()
        .map(|axis| correlation(truth, &axis).abs());
    sizes.fold(0.0, f64::max)
}

struct Roll {
    x: Array2<f64>,
    /// Length along the roll, and height.
    truth: Array2<f64>,
}

fn roll(n_rows: usize, seed: u64) -> Roll {
    let sample = swiss_roll(n_rows, 0.0, seed).unwrap();
    let Labels::Numbers(angles) = &sample.labels else {
        panic!("the roll's labels are angles");
    };
    let mut truth = Array2::zeros((n_rows, 2));
    for (row, angle) in angles.iter().enumerate() {
        truth[[row, 0]] = (angle * (1.0 + angle * angle).sqrt() + angle.asinh()) / 2.0;
        truth[[row, 1]] = sample.features[[row, 1]];
    }
    Roll {
        x: sample.features,
        truth,
    }
}

fn outside(name: &str, array: &str) -> Array2<f64> {
    let path = crate::support::outside_data(name);
    let options = ReadOptions {
        array: Some(array.into()),
        ..ReadOptions::default()
    };
    let table = read(path.to_str().unwrap(), &options).unwrap();
    let data = table.data().unwrap();
    let features = data.features("test").unwrap();
    features.dense_rows(0, features.n_rows())
}

/// The result of a fit, and the warnings it gave.
fn fit(method: &Isomap, data: &Data<'_>) -> (Result<IsomapModel>, Vec<Warning>) {
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let outcome = method.fit_with(&Run::new().observer(&listen), data);
    (outcome, warnings.into_inner().unwrap())
}

/// Correlations of the axes with length and height.
fn along_axes(model: &IsomapModel, truth: &Array2<f64>) -> [f64; 2] {
    let places = model.embedding().unwrap();
    [0, 1].map(|axis| correlation(&places.column(axis), &truth.column(axis)).abs())
}

#[test]
fn the_swiss_roll_is_straightened_and_its_residual_variance_bends_at_two() {
    // scikit-learn's Isomap, to whose numbers ours agree, reaches 0.980 to 0.991 for the height of rolls of
    // 1,000 points with 7 neighbours: paths from neighbour to neighbour wind more across so sparse a roll.
    let sparse = roll(1000, 0);
    let model = isomap(7).fit(&sparse.x).unwrap();
    let [length, height] = along_axes(&model, &sparse.truth);
    assert!(length > 0.999 && height > 0.98, "{length} and {height}");
    let fuller = roll(2500, 0);
    let [length, height] = along_axes(&isomap(10).fit(&fuller.x).unwrap(), &fuller.truth);
    assert!(length > 0.999 && height > 0.99, "{length} and {height}");
    let figures = model.diagnostics();
    let residual = figures.values("residual_variance").unwrap();
    assert_eq!(residual.len(), 10);
    let falls: Vec<f64> = residual
        .windows(2)
        .into_iter()
        .map(|pair| pair[0] - pair[1])
        .collect();
    assert!(falls[0] > 10.0 * falls[1].max(1e-6), "{residual}");
    assert!(figures.value("negative_fraction").unwrap() > 0.0);
    assert_eq!(figures.value("n_landmarks"), Some(1000.0));
}

#[test]
#[ignore = "needs data outside the project: isomap_faces.npz"]
fn faces_are_ordered_by_pose_and_light() {
    let x = outside("isomap_faces.npz", "X");
    let truth = outside("isomap_faces.npz", "light_pan_tilt");
    let method = Isomap {
        n_components: 3,
        ..isomap(6)
    };
    let model = method.fit(&x).unwrap();
    let places = model.embedding().unwrap();
    for (column, name, floor) in [(1, "pan", 0.985), (2, "tilt", 0.90), (0, "light", 0.92)] {
        let r = best(&truth.column(column), &places);
        eprintln!("{name}: {r:.4}");
        assert!(r >= floor, "{name}: {r}");
    }
}

#[test]
fn rows_held_out_of_the_roll_land_where_they_belong() {
    let Roll { x, truth } = roll(1500, 1);
    let (out, inside): (Vec<usize>, Vec<usize>) = (0..1500).partition(|row| row % 5 == 4);
    let known = x.select(Axis(0), &inside);
    let new = x.select(Axis(0), &out);
    for placement in [Placement::Geodesic, Placement::Interpolation] {
        let method = Isomap {
            placement,
            ..isomap(10)
        };
        let model = method.fit(&known).unwrap();
        let fitted = model.embedding().unwrap();
        let placed = model.transform(&new).unwrap();
        for axis in 0..2 {
            let of = |places: &ArrayView2<'_, f64>, rows: &[usize]| {
                let truth = truth.column(axis).select(Axis(0), rows);
                correlation(&places.column(axis), &truth.view()).abs()
            };
            let (known, new) = (of(&fitted, &inside), of(&placed.view(), &out));
            assert!(
                new > known - 0.01,
                "{placement:?}, axis {axis}: {new} after {known}"
            );
        }
    }
}

#[test]
fn rows_held_out_of_digits_keep_their_class() {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    let x = data.features("test").unwrap().dense_rows(0, data.n_rows());
    let classes = data.classes("test").unwrap();
    let classes: Vec<u32> = classes.of_row.iter().map(|class| class.unwrap()).collect();
    let (out, inside): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
    let pick = |rows: &[usize]| rows.iter().map(|&row| classes[row]).collect::<Vec<u32>>();
    let method = Isomap {
        n_components: 5,
        ..isomap(10)
    };
    let run = Run::new();
    let accuracy = |known: &ArrayView2<'_, f64>, new: &ArrayView2<'_, f64>| {
        let (known_classes, new_classes) = (pick(&inside), pick(&out));
        nearest_accuracy(&run, known, &known_classes, new, &new_classes, 5).unwrap()
    };
    let together = method.fit(&x).unwrap();
    let places = together.embedding().unwrap();
    let fitted = accuracy(
        &places.select(Axis(0), &inside).view(),
        &places.select(Axis(0), &out).view(),
    );
    let model = method.fit(&x.select(Axis(0), &inside)).unwrap();
    let placed = model.transform(&x.select(Axis(0), &out)).unwrap();
    let held_out = accuracy(&model.embedding().unwrap(), &placed.view());
    eprintln!("fitted {fitted:.4}, held out {held_out:.4}");
    assert!(
        held_out > fitted - 0.01 && fitted > 0.9,
        "{held_out} after {fitted}"
    );
}

#[test]
fn landmarks_give_nearly_the_same_map_with_the_same_bits_for_any_number_of_threads() {
    let x = roll(2000, 2).x;
    let full = isomap(10).fit(&x).unwrap();
    for landmark_choice in [LandmarkChoice::Random, LandmarkChoice::Maxmin] {
        let method = Isomap {
            landmarks: Landmarks::Count(150),
            landmark_choice,
            ..isomap(10)
        };
        let outcome = |threads: usize| {
            let run = Run::new().threads(threads).unwrap();
            let model = method.fit_with(&run, &x).unwrap();
            let bits = |x: ArrayView2<'_, f64>| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let placed = model.transform_in(&run, &Data::from(&x)).unwrap();
            let figures = model.diagnostics().to_json().to_string();
            (
                bits(model.embedding().unwrap()),
                bits(placed.view()),
                figures,
            )
        };
        let one = outcome(1);
        assert!(one == outcome(2) && one == outcome(7));
        let model = method.fit(&x).unwrap();
        assert_eq!(model.diagnostics().value("n_landmarks"), Some(150.0));
        let places = model.embedding().unwrap();
        for axis in 0..2 {
            let r = best(&full.embedding().unwrap().column(axis), &places);
            eprintln!("{landmark_choice:?}, axis {axis}: {r}");
            assert!(r > 0.99, "{landmark_choice:?}, axis {axis}: {r}");
        }
        let placed = model.transform(&x).unwrap();
        let apart = (&placed - &places)
            .iter()
            .fold(0.0_f64, |most, d| most.max(d.abs()));
        assert!(apart < 1e-9, "{apart}");
    }
}

/// Two strips side by side and three lonely rows.
fn three_parts() -> Array2<f64> {
    let strip = |offset: f64, n: usize| {
        Array2::from_shape_fn((n, 2), |(i, j)| if j == 0 { i as f64 } else { offset })
    };
    let lonely = array![[100.0, 0.0], [101.0, 0.0], [102.0, 0.0]];
    concatenate![Axis(0), strip(0.0, 30), strip(20.0, 20), lonely]
}

#[test]
fn parts_are_joined_by_their_shortest_bridges() {
    let x = three_parts();
    let (model, warnings) = fit(&isomap(1), &Data::from(&x));
    let figures = model.unwrap().diagnostics();
    let n_parts = figures.value("n_connected_components").unwrap();
    assert!(n_parts >= 3.0);
    assert_eq!(figures.value("n_bridges").unwrap(), n_parts - 1.0);
    assert!(
        matches!(&warnings[..], [Warning::Joined { .. }, ..]),
        "{warnings:?}"
    );

    let found = Neighborhood::nearest(2)
        .graph(&Run::new(), &Data::from(&x))
        .unwrap();
    let lengths: Vec<f64> = found.bridges.iter().map(|bridge| bridge.2).collect();
    // Each strip is one chain; they are 20 apart, and the lonely rows 71 from the end of the longer.
    assert_eq!(found.n_parts, 3, "{:?}", found.bridges);
    assert!(
        lengths.contains(&20.0) && lengths.contains(&71.0),
        "{lengths:?}"
    );
}

#[test]
fn bridges_are_a_minimum_spanning_tree_over_the_parts() {
    let roll = roll(300, 3).x;
    // Blobs far from each other, of different sizes.
    let mut x = Array2::zeros((300, 3));
    for (row, mut line) in x.rows_mut().into_iter().enumerate() {
        let blob = (row * row) % 7;
        line.assign(&(&roll.row(row) * 0.05));
        line[blob % 3] += 40.0 * blob as f64;
    }
    let data = Data::from(&x);
    let found = Neighborhood::nearest(3).graph(&Run::new(), &data).unwrap();
    assert!(found.n_parts > 2);
    let distances = Array2::from_shape_fn((300, 300), |(i, j)| {
        let apart = &x.row(i) - &x.row(j);
        apart.dot(&apart).sqrt()
    });
    let by_distances = Data::distances(distances.view()).unwrap();
    let again = Neighborhood::nearest(3)
        .graph(&Run::new(), &by_distances)
        .unwrap();
    let total = |bridges: &[(u32, u32, f64)]| bridges.iter().map(|b| b.2).sum::<f64>();
    assert!((total(&found.bridges) - total(&again.bridges)).abs() < 1e-9);
    // Kruskal's algorithm over all pairs, with the edges of the graph for nothing.
    let mut all: Vec<(f64, usize, usize)> = (0..300)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| {
            let edge = found.graph.row(i).0.contains(&(j as u32))
                && !found
                    .bridges
                    .iter()
                    .any(|b| (b.1, b.0) == (i as u32, j as u32));
            (if edge { 0.0 } else { distances[[i, j]] }, i, j)
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut set: Vec<usize> = (0..300).collect();
    let mut sum = 0.0;
    for (length, i, j) in all {
        if set[i] != set[j] {
            let (from, to) = (set[i], set[j]);
            set.iter_mut()
                .filter(|name| **name == from)
                .for_each(|name| *name = to);
            sum += length;
        }
    }
    assert!((sum - total(&found.bridges)).abs() < 1e-9, "{sum}");
}

#[test]
fn the_largest_part_is_kept_and_the_others_get_no_place() {
    let x = three_parts();
    let mut method = isomap(2);
    method.neighborhood.disconnected = Disconnected::Largest;
    let (model, warnings) = fit(&method, &Data::from(&x));
    let model = model.unwrap();
    assert!(
        matches!(&warnings[0], Warning::RowsLeftOut { count: 23, reason } if reason.render(&charta::error::Library).contains("row 30, row 31, row 32")),
        "{warnings:?}"
    );
    let places = model.embedding().unwrap();
    assert_eq!(places.dim(), (53, 2));
    assert!(places.slice(s![..30, ..]).iter().all(|v| v.is_finite()));
    assert!(places.slice(s![30.., ..]).iter().all(|v| v.is_nan()));
    assert_eq!(model.diagnostics().value("n_left_out"), Some(23.0));
    let placed = model.transform(&x.slice(s![..30, ..]).to_owned()).unwrap();
    let apart = &placed - &places.slice(s![..30, ..]);
    assert!(apart.iter().all(|d| d.abs() < 1e-8));

    method.neighborhood.disconnected = Disconnected::Error;
    let error = fit(&method, &Data::from(&x)).0.unwrap_err();
    assert!(
        matches!(&error, Error::Disconnected { n_connected_components: 3, sizes } if sizes == &[30, 20, 3])
    );
    assert!(error.to_string().contains("30, 20, 3 rows"), "{error}");
}

#[test]
fn rows_that_are_the_same_get_the_same_place() {
    let x = roll(300, 4).x;
    let twice = concatenate![Axis(0), x, x];
    let model = isomap(10).fit(&twice).unwrap();
    let places = model.embedding().unwrap();
    let apart = &places.slice(s![..300, ..]) - &places.slice(s![300.., ..]);
    let size = places.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(apart.iter().all(|d| d.abs() < 1e-7 * size));
    assert_eq!(
        model.diagnostics().value("n_connected_components"),
        Some(1.0)
    );
}

#[test]
fn degenerate_data_gives_the_right_answer_or_a_clear_message() {
    let line = Array2::from_shape_fn((40, 3), |(i, j)| i as f64 * (j + 1) as f64);
    let (model, warnings) = fit(&isomap(3), &Data::from(&line));
    let places = model.unwrap().embedding().unwrap().to_owned();
    let step = 14.0_f64.sqrt();
    let straight: Array1<f64> = (0..40).map(|i| (i as f64 - 19.5) * step).collect();
    let r = correlation(&places.column(0), &straight.view());
    assert!((r.abs() - 1.0).abs() < 1e-12);
    assert!(places.column(1).iter().all(|&v| v == 0.0));
    assert_eq!(
        warnings,
        [Warning::RankDeficient {
            requested: 2,
            rank: 1
        }]
    );

    let error_of = |x: &Array2<f64>, k: usize| isomap(k).fit(x).unwrap_err().to_string();
    assert!(error_of(&Array2::from_elem((20, 3), 2.0), 5).contains("the same"));
    assert!(error_of(&Array2::zeros((1, 3)), 5).contains("at least 2 rows"));
    assert!(error_of(&roll(3, 0).x, 3).contains("`n_neighbors` must be at most 2"));
    assert!(error_of(&roll(2, 0).x, 1).contains("`n_components` must be at most 1"));
    let two = Isomap {
        n_components: 1,
        ..isomap(1)
    };
    let places = two
        .fit(&array![[0.0], [3.0]])
        .unwrap()
        .embedding()
        .unwrap()
        .to_owned();
    assert!(((places[[0, 0]] - places[[1, 0]]).abs() - 3.0).abs() < 1e-12);
    let three = isomap(2)
        .fit(&array![[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
        .unwrap();
    let places = three.embedding().unwrap();
    let apart = &places.row(1) - &places.row(2);
    assert!((apart.dot(&apart).sqrt() - 5.0).abs() < 1e-12);
}

#[test]
fn neighbours_within_a_radius_and_mutual_neighbours_make_graphs_too() {
    let Roll { x, truth } = roll(1500, 5);
    let mut by_radius = isomap(10);
    by_radius.neighborhood.radius = Some(2.5);
    let mut mutual = isomap(14);
    mutual.neighborhood.mutual = true;
    for method in [by_radius, mutual] {
        let model = method.fit(&x).unwrap();
        let places = model.embedding().unwrap();
        assert!(best(&truth.column(0), &places) > 0.99);
        let placed = model.transform(&x).unwrap();
        for axis in 0..2 {
            let r = correlation(&placed.column(axis), &places.column(axis));
            assert!(r > 0.999, "{r}");
        }
    }
}

#[test]
fn distances_that_are_negative_are_refused() {
    let table = array![[0.0, 1.0, -2.0], [1.0, 0.0, 1.0], [-2.0, 1.0, 0.0]];
    let error = Data::distances(table.view()).unwrap_err();
    assert!(error.to_string().contains("at least 0"));
    let kernel = Array2::<f64>::eye(5);
    let none = Neighbors::from_table(
        &Array2::from_elem((5, 1), -1).view(),
        &Array2::zeros((5, 1)).view(),
    );
    let none = none.unwrap();
    let data = Data::kernel(kernel.view())
        .unwrap()
        .with_neighbors(&none)
        .unwrap();
    let error = Neighborhood::default()
        .graph(&Run::new(), &data)
        .unwrap_err();
    assert!(
        error.to_string().contains("needs features or distances"),
        "{error}"
    );
}

/// Three classes that overlap in 2 of 8 columns and are noise in the others.
fn noisy_classes() -> (Array2<f64>, Vec<String>) {
    let mut stream = charta::random::stream(8, 0);
    let x = Array2::from_shape_fn((300, 8), |(i, j)| {
        let own = if j < 2 { [0.0, 2.5, 5.0][i % 3] } else { 0.0 };
        own + charta::random::normal(&mut stream)
    });
    (x, (0..300).map(|i| format!("class {}", i % 3)).collect())
}

#[test]
fn classes_pull_their_rows_together_as_far_as_held_out_rows_allow() {
    let (x, words) = noisy_classes();
    let data = Data::from(&x)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let weighted = |alpha: ClassWeight| Isomap { alpha, ..isomap(8) };
    let plain = weighted(ClassWeight::None).fit(&data).unwrap();
    let zero = weighted(ClassWeight::Weight(0.0)).fit(&data).unwrap();
    let apart = &plain.embedding().unwrap() - &zero.embedding().unwrap();
    assert!(apart.iter().all(|d| d.abs() < 1e-7));
    let chosen = weighted(ClassWeight::Auto).fit(&data).unwrap();
    let figures = chosen.diagnostics();
    let accuracies = figures.values("accuracies").unwrap();
    let alpha = figures.value("alpha").unwrap();
    eprintln!("alpha {alpha}, accuracies {accuracies}");
    assert_eq!(accuracies.len(), 10);
    let most = accuracies.iter().fold(0.0_f64, |most, &v| most.max(v));
    let place = figures
        .values("alphas_tried")
        .unwrap()
        .iter()
        .position(|&v| v == alpha);
    assert!((accuracies[place.unwrap()] - most).abs() < 1e-12);
    // The spread within classes against that of all rows falls as classes count more.
    let spread = |model: &IsomapModel| {
        let places = model.embedding().unwrap();
        let means: Vec<Array1<f64>> = (0..3)
            .map(|class| places.slice(s![class..;3, ..]).mean_axis(Axis(0)).unwrap())
            .collect();
        let within: f64 = (0..300)
            .map(|row| {
                let apart = &places.row(row) - &means[row % 3];
                apart.dot(&apart)
            })
            .sum();
        within / places.iter().map(|v| v * v).sum::<f64>()
    };
    let strong = weighted(ClassWeight::Weight(0.8)).fit(&data).unwrap();
    assert!(spread(&strong) < 0.5 * spread(&plain));
    let error = weighted(ClassWeight::Auto).fit(&x).unwrap_err();
    assert!(matches!(error, Error::LabelsMissing { .. }));
}

#[test]
fn a_turned_head_is_laid_out_by_pose_and_light() {
    let head = charta::data::synthetic::head(698, 32, 0.0, 0).unwrap();
    let pose = charta::data::synthetic::head_pose(698, 0).unwrap();
    let method = Isomap {
        n_components: 3,
        ..isomap(6)
    };
    let model = method.fit(&head.features).unwrap();
    let embedding = model.embedding().unwrap();
    let found: Vec<f64> = (0..3)
        .map(|angle| best(&pose.features.column(angle), &embedding))
        .collect();
    eprintln!(
        "head: left-right {:.3}, up-down {:.3}, light {:.3}",
        found[0], found[1], found[2]
    );
    assert!(
        found[0] >= 0.98 && found[1] >= 0.90 && found[2] >= 0.92,
        "{found:?}"
    );
}
