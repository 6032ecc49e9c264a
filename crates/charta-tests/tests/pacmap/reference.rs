//! Against pacmap, by stored numbers.

use charta::data::Neighbors;
use charta::internals::near;
use charta::quality::{nearest_accuracy, trustworthiness};
use charta::{Data, Fit, Model, Run, Transform};
use ndarray::{Array2, ArrayView2, s};
use serde_json::Value as Json;

use super::{digits, seeded};

/// How much lower than pacmap's a mean of three maps may be.
const MARGIN: f64 = 0.005;

fn golden() -> Json {
    crate::support::golden("pacmap_digits.json")
}

fn table(json: &Json) -> Array2<i64> {
    let rows: Vec<Vec<i64>> = serde_json::from_value(json.clone()).unwrap();
    let width = rows[0].len();
    Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap()
}

fn mean(golden: &Json, name: &str) -> f64 {
    let runs = golden["quality"].as_array().unwrap();
    let sum: f64 = runs.iter().map(|run| run[name].as_f64().unwrap()).sum();
    sum / runs.len() as f64
}

/// The fraction of rows whose ten nearest others vote for their class.
fn accuracy_of_others(map: &ArrayView2<'_, f64>, classes: &[u32]) -> f64 {
    let right = (0..map.nrows()).filter(|&row| {
        let mut others: Vec<(f64, usize)> = (0..map.nrows())
            .filter(|&other| other != row)
            .map(|other| {
                let apart = &map.row(row) - &map.row(other);
                (apart.dot(&apart), other)
            })
            .collect();
        others.select_nth_unstable_by(9, |a, b| a.0.total_cmp(&b.0));
        let mut votes = [0; 10];
        for (_, other) in &others[..10] {
            votes[classes[*other] as usize] += 1;
        }
        let most = votes.iter().max();
        votes.iter().position(|vote| Some(vote) == most) == Some(classes[row] as usize)
    });
    right.count() as f64 / map.nrows() as f64
}

#[test]
fn near_pairs_are_those_of_the_reference() {
    let golden = &golden()["near_pairs"];
    let (places, squares) = (table(&golden["places"]), table(&golden["squares"]));
    let distances = squares.mapv(|square| (square as f64).sqrt());
    let neighbors = Neighbors::from_table(&places.view(), &distances.view()).unwrap();
    let pairs = near(&Run::new(), &neighbors, 10).unwrap();
    let wanted = table(&golden["near"]);
    let mut differing = Vec::new();
    for (row, wanted) in wanted.rows().into_iter().enumerate() {
        let mut ours: Vec<i64> = pairs
            .row(row)
            .iter()
            .map(|&place| i64::from(place))
            .collect();
        let mut theirs = wanted.to_vec();
        ours.sort_unstable();
        theirs.sort_unstable();
        if ours != theirs {
            differing.push(row);
        }
    }
    assert!(differing.is_empty(), "rows {differing:?}");
}

#[test]
fn maps_of_digits_are_as_good_as_the_reference() {
    let golden = golden();
    let (rows, classes) = digits();
    let (mut trust, mut accuracy) = (0.0, 0.0);
    for seed in 0..3 {
        let model = seeded(seed).fit(&rows).unwrap();
        let map = model.embedding().unwrap();
        trust += trustworthiness(&Run::new(), &Data::from(&rows), &map, 15).unwrap() / 3.0;
        accuracy += accuracy_of_others(&map, &classes) / 3.0;
    }
    let want = [
        mean(&golden, "trustworthiness_15"),
        mean(&golden, "accuracy_10"),
    ];
    eprintln!("trustworthiness {trust:.4} for {:.4}", want[0]);
    eprintln!("accuracy {accuracy:.4} for {:.4}", want[1]);
    assert!(trust >= want[0] - MARGIN && accuracy >= want[1] - MARGIN);
}

#[test]
fn rows_held_out_are_placed_as_well_as_by_the_reference() {
    let golden = golden();
    let n_trained = golden["n_trained"].as_u64().unwrap() as usize;
    let (rows, classes) = digits();
    let (known, new) = (
        rows.slice(s![..n_trained, ..]),
        rows.slice(s![n_trained.., ..]),
    );
    let mut accuracy = 0.0;
    for seed in 0..3 {
        let model = seeded(seed).fit(known).unwrap();
        let placed = model.transform(new).unwrap();
        let map = model.embedding().unwrap();
        let share = nearest_accuracy(
            &Run::new(),
            &map,
            &classes[..n_trained],
            &placed.view(),
            &classes[n_trained..],
            10,
        );
        accuracy += share.unwrap() / 3.0;
    }
    let want = mean(&golden, "held_out_accuracy_10");
    eprintln!("held out {accuracy:.4} for {want:.4}");
    assert!(accuracy >= want - MARGIN);
}
