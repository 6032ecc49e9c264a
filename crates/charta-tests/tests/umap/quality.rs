//! Maps as good as the reference's.

use charta::quality::trustworthiness;
use charta::{Data, Fit, Model, Run, Transform};
use ndarray::{Array2, ArrayView2, Axis};

use super::{digits, golden, seeded};

/// The class that most of the ten nearest have, the lowest of equal ones.
fn vote(
    places: &ArrayView2<'_, f64>,
    classes: &[u32],
    at: ndarray::ArrayView1<'_, f64>,
    own: Option<usize>,
) -> u32 {
    let mut near: Vec<(f64, usize)> = (places.rows().into_iter().enumerate())
        .filter(|(row, _)| Some(*row) != own)
        .map(|(row, place)| ((&place - &at).mapv(|v| v * v).sum(), row))
        .collect();
    near.select_nth_unstable_by(10, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut votes = [0; 10];
    for (_, row) in &near[..10] {
        votes[classes[*row] as usize] += 1;
    }
    let most = votes.iter().max().unwrap();
    votes.iter().position(|count| count == most).unwrap() as u32
}

/// Share of rows whose ten nearest others have their class.
pub(crate) fn accuracy(places: &ArrayView2<'_, f64>, classes: &[u32]) -> f64 {
    let right = (0..classes.len())
        .filter(|&row| vote(places, classes, places.row(row), Some(row)) == classes[row])
        .count();
    right as f64 / classes.len() as f64
}

fn mean(name: &str) -> f64 {
    let golden = golden();
    let records = golden["quality"].as_array().unwrap();
    let sum: f64 = records
        .iter()
        .map(|record| record[name].as_f64().unwrap())
        .sum();
    sum / records.len() as f64
}

#[test]
fn maps_of_digits_are_as_good_as_the_references() {
    let (x, classes) = digits();
    let run = Run::new();
    let (mut trusted, mut right) = (0.0, 0.0);
    for seed in 0..3 {
        let model = seeded(seed).fit(&x).unwrap();
        let places = model.embedding().unwrap();
        let trust = trustworthiness(&run, &Data::from(&x), &places, 15).unwrap();
        trusted += trust / 3.0;
        right += accuracy(&places, &classes) / 3.0;
    }
    assert!(trusted >= mean("trustworthiness") - 0.005, "{trusted}");
    assert!(right >= mean("accuracy") - 0.005, "{right}");
}

#[test]
fn held_out_rows_are_placed_as_well_as_by_the_reference() {
    let (x, classes) = digits();
    let (held, kept): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 == 4);
    let select = |rows: &[usize]| -> (Array2<f64>, Vec<u32>) {
        let labels = rows.iter().map(|&row| classes[row]).collect();
        (x.select(Axis(0), rows), labels)
    };
    let ((known, labels), (new, wanted)) = (select(&kept), select(&held));
    let mut right = 0.0;
    for seed in 0..3 {
        let model = seeded(seed).fit(&known).unwrap();
        let placed = model.transform(&new).unwrap();
        let map = model.embedding().unwrap();
        let count = (placed.rows().into_iter().zip(&wanted))
            .filter(|(at, class)| vote(&map, &labels, *at, None) == **class)
            .count();
        right += count as f64 / wanted.len() as f64 / 3.0;
    }
    assert!(right >= mean("held_out_accuracy") - 1e-9, "{right}");
}
