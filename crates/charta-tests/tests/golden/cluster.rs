//! k-means and spectral clustering against scikit-learn.

use charta::cluster::{KMeans, SpectralClustering, adjusted_rand};
use charta::data::synthetic::{Circles, circles_of, moons};
use charta::graph::Neighborhood;
use charta::{Data, Run};
use ndarray::Array2;

use crate::support::{check_same_data, dense, golden, indices, number};

#[test]
fn k_means_ends_no_higher_than_the_reference() {
    for record in golden("cluster.json")["k_means"].as_array().unwrap() {
        let name = record["data"]["name"].as_str().unwrap();
        let rows = dense(name);
        check_same_data(&rows, record);
        let n_clusters = number(&record["n_clusters"]) as usize;
        let parameters = KMeans {
            n_clusters,
            ..KMeans::default()
        };
        let found = parameters.fit(&Run::new(), &Data::from(&rows)).unwrap();
        let share = found.inertia / number(&record["best"]);
        eprintln!(
            "{name} {n_clusters}: {} is {share} of the reference's",
            found.inertia
        );
        assert!(
            found.converged && share < 1.005,
            "{name} {n_clusters}: {share}"
        );
        let by_hand: f64 = (rows.rows().into_iter().zip(&found.labels))
            .map(|(row, &label)| {
                let apart = &row - &found.centers.row(label as usize);
                apart.dot(&apart)
            })
            .sum();
        assert!((by_hand / found.inertia - 1.0).abs() < 1e-9);
    }
}

fn labels(rows: &Array2<f64>, parameters: &SpectralClustering) -> Vec<u32> {
    let found = parameters.fit(&Run::new(), &Data::from(rows)).unwrap();
    found.labels.iter().map(|label| label.unwrap()).collect()
}

#[test]
fn spectral_clustering_tells_moons_and_circles_apart() {
    let truth: Vec<u32> = (0..600).map(|row| u32::from(row >= 300)).collect();
    let near = Circles {
        n: 600,
        factor: 0.8,
        noise: 0.02,
        seed: 1,
    };
    for (name, sample) in [
        ("moons", moons(600, 0.05, 1).unwrap()),
        ("circles", circles_of(near).unwrap()),
    ] {
        for unit_rows in [false, true] {
            let parameters = SpectralClustering {
                n_clusters: 2,
                unit_rows,
                ..Default::default()
            };
            let index = adjusted_rand(&labels(&sample.features, &parameters), &truth).unwrap();
            assert!(index >= 0.99, "{name}: {index}");
        }
        let plain = KMeans {
            n_clusters: 2,
            ..KMeans::default()
        };
        let plain = plain
            .fit(&Run::new(), &Data::from(&sample.features))
            .unwrap();
        assert!(
            adjusted_rand(&plain.labels, &truth).unwrap() < 0.6,
            "{name}"
        );
    }
}

#[test]
fn spectral_clustering_of_digits_agrees_with_the_reference() {
    let reference = golden("cluster.json");
    let record = &reference["spectral"][0];
    let rows = dense("digits");
    check_same_data(&rows, record);
    let parameters = SpectralClustering {
        n_clusters: 10,
        neighborhood: Neighborhood::nearest(10),
        ..Default::default()
    };
    let ours = labels(&rows, &parameters);
    let theirs: Vec<u32> = indices(&record["labels"])
        .iter()
        .map(|&label| label as u32)
        .collect();
    let agreement = adjusted_rand(&ours, &theirs).unwrap();
    // Their graph counts a row among its own neighbours and gives half weight to edges named once.
    eprintln!("adjusted Rand index with the reference: {agreement}");
    assert!(agreement > 0.75, "{agreement}");
}
