//! The shortest bridges between the connected components of a disconnected graph.

use super::components::{Components, Sets};
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result, message};
use crate::metric::Between;
use crate::neighbors::Search;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows whose nearest row elsewhere one job finds.
const BLOCK: usize = 64;

/// A possible bridge: its length, its lower and its higher row.
type Bridge = (f64, u32, u32);

/// The edges that join the connected components into one graph, of the least total length: a minimum spanning tree over the
/// parts, whose distance is that of their closest rows.
///
/// Borůvka's rounds: every component but the largest takes its shortest outgoing edge. Each of these edges belongs to the tree
/// whatever the others do, so the largest component, which would cost most, never has to search.
pub(crate) fn bridges(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    parts: &Components,
) -> Result<Vec<(u32, u32, f64)>> {
    let mut found = Vec::new();
    let mut parts = parts.clone();
    let mut sets = Sets::new(data.n_rows());
    let mut first: Vec<Option<u32>> = vec![None; parts.len()];
    for (row, &part) in (0..).zip(&parts.of_row) {
        let first = *first[part as usize].get_or_insert(row);
        sets.unite(first, row);
    }
    while parts.len() > 1 {
        for (length, low, high) in outgoing_edges(run, data, search, &parts)? {
            if sets.unite(low, high) {
                found.push((low, high, length));
            }
        }
        parts = Components::of_sets(&mut sets);
    }
    found.sort_by_key(|bridge| (bridge.0, bridge.1));
    Ok(found)
}

/// The shortest outgoing edge of every component but the largest.
fn outgoing_edges(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    parts: &Components,
) -> Result<Vec<Bridge>> {
    let rows: Vec<u32> = (0..data.n_rows() as u32)
        .filter(|&row| parts.of_row[row as usize] != 0)
        .collect();
    let between = match data.source() {
        Source::Features(_) => Some(Between::of(
            run,
            data,
            search.metric,
            search.power,
            search.image_width,
        )?),
        _ => None,
    };
    let nearest = map_blocks(run, rows.len(), BLOCK, |range| {
        let rows = &rows[range];
        match (data.source(), &between) {
            (Source::Features(features), Some(between)) => {
                by_features(features, between, parts, rows)
            }
            (Source::Distances(matrix), _) => Ok(by_distances(parts, rows, |row, other| {
                matrix[[row, other]].min(matrix[[other, row]])
            })),
            _ => Err(Error::unsupported(
                message!("{disconnected=join}"),
                message!(
                    "needs features or distances to measure the distances between connected components"
                ),
            )),
        }
    })?;
    let mut best: Vec<Option<Bridge>> = vec![None; parts.len()];
    let nearest = nearest.into_iter().collect::<Result<Vec<_>>>()?;
    for (row, bridge) in rows.iter().zip(nearest.into_iter().flatten()) {
        let part = &mut best[parts.of_row[*row as usize] as usize];
        if part.is_none_or(|known| shorter(&bridge, &known)) {
            *part = Some(bridge);
        }
    }
    Ok(best.into_iter().flatten().collect())
}

fn shorter(a: &Bridge, b: &Bridge) -> bool {
    let order = a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)));
    order.is_lt()
}

fn bridge(length: f64, a: u32, b: u32) -> Bridge {
    (length, a.min(b), a.max(b))
}

fn by_distances(
    parts: &Components,
    rows: &[u32],
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<Bridge> {
    let mut best = vec![(f64::INFINITY, u32::MAX, u32::MAX); rows.len()];
    for (&row, best) in rows.iter().zip(&mut best) {
        for other in 0..parts.of_row.len() {
            if parts.of_row[other] != parts.of_row[row as usize] {
                let length = distance(row as usize, other);
                let candidate = bridge(length, row, other as u32);
                if shorter(&candidate, best) {
                    *best = candidate;
                }
            }
        }
    }
    best
}

fn by_features(
    features: &Features<'_>,
    between: &Between<'_>,
    parts: &Components,
    rows: &[u32],
) -> Result<Vec<Bridge>> {
    let ready = |row: usize| {
        let mut own = vec![0.0; features.n_columns()];
        features.copy_row(row, &mut own);
        between.ready(own)
    };
    let own: Vec<Vec<f64>> = rows.iter().map(|&row| ready(row as usize)).collect();
    let mut best = vec![(f64::INFINITY, u32::MAX, u32::MAX); rows.len()];
    for other in 0..features.n_rows() {
        let its = ready(other);
        let there = parts.of_row[other];
        for ((&row, own), best) in rows.iter().zip(&own).zip(&mut best) {
            if parts.of_row[row as usize] != there {
                let length = between.checked(own, &its)?;
                let candidate = bridge(length, row, other as u32);
                if shorter(&candidate, best) {
                    *best = candidate;
                }
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::graph::Graph;

    #[test]
    fn a_function_that_gives_no_distance_is_told() {
        let x = Array2::from_shape_fn((6, 1), |(i, _)| i as f64);
        let graph = Graph::from_edges(6, &[(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0)]);
        let parts = Components::of(&graph);
        for value in [f64::NAN, f64::INFINITY] {
            let function = move |_: &[f64], _: &[f64]| value;
            let data = Data::from(&x).with_distance(&function);
            let found = bridges(&Run::new(), &data, &Search::default(), &parts);
            assert!(found.is_err(), "{found:?}");
        }
    }

    #[test]
    fn very_many_parts_are_joined() {
        let n_rows = 500;
        let x = Array2::from_shape_fn((n_rows, 1), |(i, _)| (i * i) as f64);
        let parts = Components::of(&Graph::from_edges(n_rows, &[]));
        let found = bridges(&Run::new(), &Data::from(&x), &Search::default(), &parts);
        let found = found.unwrap();
        assert_eq!(found.len(), n_rows - 1);
        assert!(found.iter().all(|edge| edge.1 == edge.0 + 1));
    }
}
