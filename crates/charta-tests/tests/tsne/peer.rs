//! Digits, against openTSNE (`golden/tsne_digits.json`).

use charta::methods::tsne::Ties;
use charta::neighbors::Search;
use charta_io::{ReadOptions, read};
use serde_json::Value as Json;

use super::*;

fn golden() -> Json {
    crate::support::golden("tsne_digits.json")
}

fn digits() -> (Array2<f64>, Vec<usize>) {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    let features = data.features("digits").unwrap();
    let x = features.dense_rows(0, features.n_rows());
    let labels = data.labels().unwrap();
    let number = |row| labels.text(row).parse::<f64>().unwrap() as usize;
    (x, (0..1797).map(number).collect())
}

fn numbers(json: &Json) -> Vec<f64> {
    let list = json.as_array().unwrap();
    list.iter().map(|value| value.as_f64().unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn affinities_are_those_of_opentsne() {
    let (x, _) = digits();
    let reference = golden();
    for (name, affinity, perplexities, tolerance) in [
        ("perplexity_30", Affinity::Perplexity, vec![30.0], 1e-5),
        (
            "perplexities_10_50",
            Affinity::Perplexity,
            vec![10.0, 50.0],
            1e-5,
        ),
        // One over the number of pairs: 36,624 or 36,620, by which of the neighbours at the same distance are taken.
        ("uniform_15", Affinity::Uniform, vec![15.0], 2e-4),
    ] {
        let ties = Ties {
            affinity,
            perplexities,
            search: Search::default(),
        };
        let tied = ties.of(&Run::new(), &Data::from(&x)).unwrap();
        let (mut n_entries, mut n_missing) = (0, 0);
        for line in reference[name].as_array().unwrap() {
            let row = line["row"].as_u64().unwrap() as usize;
            let (columns, values) = tied.affinities.row(row);
            let most = values.iter().fold(0f32, |most, &value| most.max(value));
            for (column, want) in numbers(&line["columns"])
                .into_iter()
                .zip(numbers(&line["values"]))
            {
                n_entries += 1;
                match columns.binary_search(&(column as u32)) {
                    Ok(place) => {
                        let got = f64::from(values[place]);
                        // Of neighbours at the same distance the last may be another.
                        let close = (got - want).abs() < tolerance * want + 1e-9 * f64::from(most);
                        n_missing += usize::from(!close);
                    }
                    Err(_) => n_missing += 1,
                }
            }
        }
        assert!(n_entries > 300);
        assert!(
            n_missing * 100 < n_entries,
            "{name}: {n_missing} of {n_entries}"
        );
    }
}

#[test]
fn the_divergence_is_true_and_not_above_that_of_opentsne() {
    let (x, _) = digits();
    let theirs = mean(&numbers(&golden()["kl_divergences"]));
    for gradient in [Gradient::Auto, Gradient::Exact, Gradient::Tree] {
        let method = Tsne {
            gradient,
            ..Tsne::default()
        };
        let model = method.fit(&x).unwrap();
        let ours = model.kl_divergence();
        eprintln!("{gradient:?}: {ours}, openTSNE {theirs}");
        assert!(
            ours <= 1.01 * theirs,
            "{gradient:?}: {ours} against {theirs}"
        );
        let written_out = divergence(&x, &model.embedding().unwrap());
        assert!(
            (ours - written_out).abs() < 1e-5,
            "{ours} for {written_out}"
        );
    }
}

/// KL over all pairs, in double precision.
fn divergence(x: &Array2<f64>, map: &ArrayView2<'_, f64>) -> f64 {
    let ties = Ties {
        affinity: Affinity::Perplexity,
        perplexities: vec![30.0],
        search: Search::default(),
    };
    let affinities = ties.of(&Run::new(), &Data::from(x)).unwrap().affinities;
    let near = |i: usize, j: usize| {
        let apart = [map[[i, 0]] - map[[j, 0]], map[[i, 1]] - map[[j, 1]]];
        1.0 / (1.0 + apart[0] * apart[0] + apart[1] * apart[1])
    };
    let n = map.nrows();
    let mut all = 0.0;
    for i in 0..n {
        for j in 0..i {
            all += 2.0 * near(i, j);
        }
    }
    let mut sum = 0.0;
    for i in 0..n {
        let (columns, values) = affinities.row(i);
        for (&column, &p) in columns.iter().zip(values) {
            let p = f64::from(p);
            if p > 0.0 {
                sum += p * (p / (near(i, column as usize) / all)).ln();
            }
        }
    }
    sum
}

#[test]
fn rows_held_out_are_placed_as_well_as_by_opentsne() {
    let (x, labels) = digits();
    let reference = golden();
    let every = reference["held_out_every"].as_u64().unwrap() as usize;
    let (new, known): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % every == 0);
    let theirs = mean(&numbers(&reference["held_out_accuracies"]));
    let model = Tsne::default().fit(&x.select(Axis(0), &known)).unwrap();
    let placed = model.transform(&x.select(Axis(0), &new)).unwrap();
    let embedding = model.embedding().unwrap();
    let mut right = 0;
    for (place, &row) in placed.rows().into_iter().zip(&new) {
        let mut near: Vec<(f64, usize)> = (embedding.rows().into_iter().zip(&known))
            .map(|(other, &row)| {
                let apart = &other - &place;
                (apart.dot(&apart), labels[row])
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut votes = [0; 10];
        for (_, label) in &near[..10] {
            votes[*label] += 1;
        }
        let chosen = (0..10)
            .max_by_key(|&label| (votes[label], 10 - label))
            .unwrap();
        right += usize::from(chosen == labels[row]);
    }
    let ours = right as f64 / new.len() as f64;
    eprintln!("held out: {ours}, openTSNE {theirs}");
    assert!(ours >= theirs - 1e-9, "{ours} against {theirs}");
}
