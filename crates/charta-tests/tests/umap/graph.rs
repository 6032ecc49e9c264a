//! The fuzzy graph and the curve are those of umap-learn.

use charta::internals::{Curve, FuzzyGraph, Membership};
use charta::neighbors::{self, Search};
use charta::{Data, Run};
use serde_json::Value as Json;

use super::{digits, first_rows, golden, numbers};

/// Fails unless the graph has the stored edges; those below a thousandth may be missing.
pub(crate) fn same_edges(graph: &FuzzyGraph, edges: &Json, tolerance: f64) {
    let (rows, columns) = (numbers(&edges["rows"]), numbers(&edges["columns"]));
    let weights = numbers(&edges["weights"]);
    for ((&row, &column), &want) in rows.iter().zip(&columns).zip(&weights) {
        let (places, own) = graph.row(row as usize);
        let got = (places.binary_search(&(column as u32))).map_or(0.0, |place| own[place]);
        let off = (f64::from(got) - want).abs();
        assert!(off < tolerance, "{row} {column}: {got} for {want}");
    }
    assert!(graph.n_edges() >= rows.len() * 999 / 1000);
    let all: f64 = (0..graph.n_rows())
        .flat_map(|row| graph.row(row).1)
        .map(|&weight| f64::from(weight))
        .sum();
    let want = 2.0 * weights.iter().sum::<f64>();
    assert!(
        (all / want - 1.0).abs() < tolerance.max(1e-5),
        "{all} {want}"
    );
}

pub(crate) fn graph_of(count: usize, n_neighbors: usize, membership: &Membership) -> FuzzyGraph {
    let x = first_rows(&digits().0, count);
    let run = Run::new();
    let found = neighbors::nearest(&run, &Data::from(&x), &Search::default(), n_neighbors - 1);
    FuzzyGraph::of(&run, &found.unwrap().neighbors, membership).unwrap()
}

#[test]
fn the_graph_of_digits_is_the_references() {
    for record in golden()["graphs"].as_array().unwrap() {
        let membership = Membership {
            local_connectivity: record["local_connectivity"].as_f64().unwrap(),
            union_share: record["set_operation_mix_ratio"].as_f64().unwrap(),
        };
        let n_neighbors = record["n_neighbors"].as_u64().unwrap() as usize;
        let graph = graph_of(300, n_neighbors, &membership);
        same_edges(&graph, &record["edges"], 1e-5);
    }
}

#[test]
fn the_curve_is_the_references() {
    for record in golden()["curves"].as_array().unwrap() {
        let [spread, min_dist, a, b] = numbers(record)[..] else {
            panic!("four numbers expected");
        };
        let curve = Curve::fitted(min_dist, spread).unwrap();
        assert!(
            (curve.a / a - 1.0).abs() < 1e-3,
            "{spread} {min_dist} {curve:?}"
        );
        assert!(
            (curve.b / b - 1.0).abs() < 1e-3,
            "{spread} {min_dist} {curve:?}"
        );
    }
}
