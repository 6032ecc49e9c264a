//! k-means and spectral clustering against scikit-learn.

use charta::Fit;
use charta::cluster::adjusted_rand;
use charta::data::synthetic::{Circles, circles_of, moons};
use charta::graph::Neighborhood;
use charta::methods::kmeans::KMeans;
use charta::methods::spectral_clustering::{ClusterCount, SpectralClustering};
use ndarray::Array2;
use serde_json::Value;

use crate::support::{check_same_data, dense, golden, indices, matrix, number};

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
        let model = parameters.fit(&rows).unwrap();
        let share = model.inertia() / number(&record["best"]);
        assert!(share < 1.005, "{name} {n_clusters}: {share}");
        let by_hand: f64 = (rows.rows().into_iter().zip(model.labels()))
            .map(|(row, &label)| {
                let apart = &row - &model.centers().row(label as usize);
                apart.dot(&apart)
            })
            .sum();
        assert!((by_hand / model.inertia() - 1.0).abs() < 1e-9);
    }
}

fn reference_labels(record: &Value) -> Vec<u32> {
    let labels = indices(&record["labels"]);
    labels.iter().map(|&label| label as u32).collect()
}

#[test]
fn spectral_clustering_of_curves_agrees_with_the_reference() {
    for record in golden("cluster.json")["shapes"].as_array().unwrap() {
        let rows = matrix(&record["rows"]);
        let parameters = SpectralClustering {
            n_clusters: ClusterCount::Count(2),
            ..Default::default()
        };
        let ours = labels(&rows, &parameters);
        let agreement = adjusted_rand(&ours, &reference_labels(record)).unwrap();
        assert_eq!(agreement, 1.0, "{}", record["name"]);
    }
}

fn labels(rows: &Array2<f64>, parameters: &SpectralClustering) -> Vec<u32> {
    parameters.fit(rows).unwrap().labels().to_vec()
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
                n_clusters: ClusterCount::Count(2),
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
        let plain = plain.fit(&sample.features).unwrap();
        let index = adjusted_rand(plain.labels(), &truth).unwrap();
        assert!(index < 0.6, "{name}: {index}");
    }
}

#[test]
fn spectral_clustering_of_digits_agrees_with_the_reference() {
    let reference = golden("cluster.json");
    let record = &reference["spectral"][0];
    let rows = dense("digits");
    check_same_data(&rows, record);
    let parameters = SpectralClustering {
        n_clusters: ClusterCount::Count(10),
        neighborhood: Neighborhood::nearest(10),
        ..Default::default()
    };
    let ours = labels(&rows, &parameters);
    let agreement = adjusted_rand(&ours, &reference_labels(record)).unwrap();
    // Their graph counts a row among its own neighbours and gives half weight to edges named once.
    assert!(agreement > 0.75, "{agreement}");
}
