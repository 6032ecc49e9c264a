//! Parametric Sammon mapping on the digits: its stress against PCA's and Sammon's, held-out rows, edges.

mod edges;

use charta::data::OwnedFeatures;
use charta::methods::parametric_sammon::ParametricSammonModel;
use charta::methods::parametric_sammon::{Map, ParametricSammon};
use charta::methods::pca::Pca;
use charta::{Data, Fit, Model, Transform};
use charta_io::{Content, ReadOptions, Table, read};
use ndarray::{Array2, ArrayView2, s};

fn table() -> Table {
    read("digits", &ReadOptions::default()).unwrap()
}

fn digits() -> Array2<f64> {
    let Content::Features(OwnedFeatures::F64(x)) = table().content else {
        panic!("digits are in double precision");
    };
    x
}

fn apart(x: &ArrayView2<'_, f64>, i: usize, j: usize) -> f64 {
    let squares = x
        .row(i)
        .into_iter()
        .zip(x.row(j))
        .map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Sammon's stress by its definition.
fn stress(x: &ArrayView2<'_, f64>, z: &ArrayView2<'_, f64>) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for i in 0..x.nrows() {
        for j in 0..i {
            let wanted = apart(x, i, j);
            if wanted > 0.0 {
                above += (wanted - apart(z, i, j)).powi(2) / wanted;
                below += wanted;
            }
        }
    }
    above / below
}

fn fit(map: Map, x: &ArrayView2<'_, f64>) -> ParametricSammonModel {
    let method = ParametricSammon {
        map,
        ..ParametricSammon::default()
    };
    method.fit(Data::from(*x)).unwrap()
}

#[test]
fn the_linear_map_is_below_pca_and_the_network_below_it() {
    let x = digits();
    let x = x.view();
    let pca = Pca::default().fit(Data::from(x)).unwrap();
    let pca = stress(&x, &pca.embedding().unwrap());
    // Converged values of L-BFGS (SciPy) on the same stress, from the same start: places that move freely, a linear map.
    let (free, straight) = (0.116_64, 0.123_07);
    let linear = fit(Map::Linear, &x);
    let network = fit(Map::Network, &x);
    eprintln!(
        "stress: PCA {pca:.5}, scaled {:.5}, linear {:.5}, network {:.5}",
        linear.first_stress,
        linear.stress(),
        network.stress()
    );
    assert!((pca - 0.301_950_519).abs() < 1e-6);
    assert!((linear.first_stress - 0.140_320_238).abs() < 1e-3);
    assert!(linear.stress() < straight * 1.003);
    assert!(network.stress() < linear.stress() * 0.97);
    assert!(network.stress() < free * 1.015);
    for model in [linear, network] {
        let measured = stress(&x, &model.embedding().unwrap());
        assert!((model.stress() - measured).abs() < 1e-9);
        let losses = &model.losses;
        assert_eq!(losses.len(), 50);
        assert!(losses[49] < losses[0]);
    }
}

/// The fraction of rows whose class is that of most of the `k` nearest known ones; the nearest decides between equals.
fn accuracy(known: &ArrayView2<'_, f64>, new: &ArrayView2<'_, f64>, labels: &[String]) -> f64 {
    const NEAREST: usize = 10;
    let n_known = known.nrows();
    let hits = new.rows().into_iter().enumerate().filter(|(place, row)| {
        let distance = |other: usize| -> f64 {
            let pairs = row.iter().zip(known.row(other));
            pairs.map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut order: Vec<(f64, usize)> = (0..n_known).map(|i| (distance(i), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let votes = |label: &str| {
            let near = order[..NEAREST].iter();
            near.filter(|(_, i)| labels[*i] == label).count()
        };
        let nearest = order[..NEAREST].iter().map(|(_, i)| &labels[*i]);
        // The last of equal maxima is taken, so the nearest comes last.
        let best = nearest.rev().max_by_key(|label| votes(label)).unwrap();
        *best == labels[n_known + place]
    });
    hits.count() as f64 / new.nrows() as f64
}

#[test]
fn rows_held_out_are_placed_as_well_as_the_others_nearly() {
    let table = table();
    let x = digits();
    let data = table.data().unwrap();
    let labels: Vec<String> = (0..1797).map(|i| data.labels().unwrap().text(i)).collect();
    let (known, new) = (x.slice(s![..1200, ..]), x.slice(s![1200.., ..]));
    let pca = Pca::default().fit(Data::from(known)).unwrap();
    let by_pca = pca.transform(Data::from(new)).unwrap();
    let base = accuracy(&pca.embedding().unwrap(), &by_pca.view(), &labels);
    for (map, most) in [(Map::Linear, 0.127), (Map::Network, 0.125)] {
        let model = fit(map, &known);
        let placed = model.transform(Data::from(new)).unwrap();
        let held_out = stress(&new, &placed.view());
        let hit = accuracy(&model.embedding().unwrap(), &placed.view(), &labels);
        eprintln!(
            "{map:?}: stress {:.5}, held out {held_out:.5}; accuracy {hit:.4}, PCA's {base:.4}",
            model.stress()
        );
        assert!(held_out < most, "{held_out}");
        assert!(hit > base - 0.01, "{hit} against {base}");
    }
}
