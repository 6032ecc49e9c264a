//! Coordinates from a weighted graph: the eigenvectors of its Laplacian with the smallest eigenvalues, without
//! the constant one.

use ndarray::{Array1, Array2, Axis};

use crate::error::{Error, Result, Warning, counted, message};
use crate::graph::{Sets, Weights};
use crate::linalg::smallest::{Found, SmallestOptions, smallest};
use crate::params::Choice;
use crate::run::Run;

/// Weights that a row has at least, all together, before they are lifted.
const LEAST_DEGREE: f64 = 1e-8;
/// What weights are lifted to where a row has less, or where parts of a graph are joined by almost no weight.
const LIFTED: f64 = 1e-10;

/// Normalization of the graph Laplacian whose eigenvectors are the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Normalization {
    /// Unnormalized Laplacian: L y = λ y with L = D − W and yᵀ y = 1.
    Unnormalized,
    /// Generalized eigenproblem L y = λ D y, with yᵀ D y = 1.
    Normalized,
    /// Random-walk Laplacian D⁻¹ L y = λ y with yᵀ y = 1: eigenvalues and directions as `normalized`, with vectors of
    /// length 1.
    RandomWalk,
}

/// The eigenvectors, and how good they are.
#[derive(Clone, Debug)]
pub(crate) struct Eigenmaps {
    /// Eigenvalues, smallest first, without the 0 of the constant vector.
    pub values: Array1<f64>,
    /// The coordinates: a row for each row of the graph.
    pub coordinates: Array2<f64>,
    /// The largest residual ‖L y − λ D y‖, as a fraction of the size of L.
    pub residual: f64,
    /// How they were found, in words.
    pub route: String,
}

/// The `count` smallest eigenvectors of a connected graph's Laplacian, without the constant one.
pub(crate) fn eigenmaps(
    run: &Run<'_>,
    weights: &Weights,
    count: usize,
    normalization: Normalization,
    seed: u64,
) -> Result<Eigenmaps> {
    check_count(count, weights.n_rows())?;
    let lifted = lift(run, weights)?;
    let weights = lifted.as_ref().unwrap_or(weights);
    eigenmaps_unlifted(run, weights, count, normalization, seed)
}

/// The same with weights as they are. Of a graph in several parts, vectors that are constant on each come first; a row without edges
/// counts as one of degree 1.
pub(crate) fn eigenmaps_unlifted(
    run: &Run<'_>,
    weights: &Weights,
    count: usize,
    normalization: Normalization,
    seed: u64,
) -> Result<Eigenmaps> {
    check_count(count, weights.n_rows())?;
    let laplacian = weights.laplacian(run)?;
    let constant = Array2::ones((1, weights.n_rows()));
    let alone = |sum: f64| if sum > 0.0 { sum } else { 1.0 };
    let degrees: Vec<f64> = weights.degrees.iter().map(|&sum| alone(sum)).collect();
    let options = SmallestOptions {
        right: match normalization {
            Normalization::Unnormalized => None,
            _ => Some(&degrees),
        },
        known_null: Some(&constant),
        seed,
        ..SmallestOptions::default()
    };
    let found = smallest(run, &laplacian, count, &options)?;
    let found = found.checked(run, message!("the eigenvectors of the graph Laplacian"))?;
    Ok(finished(found, normalization))
}

fn finished(found: Found, normalization: Normalization) -> Eigenmaps {
    let residual = found.residual();
    let mut vectors = found.eigen.vectors;
    if normalization == Normalization::RandomWalk {
        for mut vector in vectors.axis_iter_mut(Axis(0)) {
            let length = vector.dot(&vector).sqrt();
            vector /= length;
        }
    }
    Eigenmaps {
        values: found.eigen.values.mapv(|value| value.max(0.0)),
        coordinates: vectors.t().as_standard_layout().into_owned(),
        residual,
        route: found.route.to_string(),
    }
}

/// Fails unless a graph of this many rows has this many eigenvectors besides the constant one.
pub(crate) fn check_count(count: usize, n_rows: usize) -> Result<()> {
    if n_rows < 2 {
        return Err(Error::too_few_rows(
            message!("a neighbour graph"),
            2,
            n_rows,
        ));
    }
    if count < n_rows {
        return Ok(());
    }
    Err(Error::at_most(
        "n_components",
        n_rows - 1,
        message!(
            "the Laplacian of a graph of {n_rows:rows} has no more eigenvectors besides the \
             constant one"
        ),
        count,
    ))
}

/// Weights that keep every row connected to the others, where some row's are as good as nothing, or all between some
/// parts of the graph are: then they are lost beside the others, and every part has a constant vector of its own.
pub(crate) fn lift(run: &Run<'_>, weights: &Weights) -> Result<Option<Weights>> {
    let weak: Vec<usize> = (0..weights.n_rows())
        .filter(|&row| weights.degrees[row] < LEAST_DEGREE)
        .collect();
    let Some(&first) = weak.first() else {
        return lift_between(run, weights);
    };
    run.warn(Warning::doubtful(
        message!("the weights of {n:rows}", n = weak.len()),
        message!(
            "they are nearly 0, because the bandwidth is small compared with the distances of \
             their neighbours (the first is {first:row}): raised to {LIFTED:.0e}; use a larger \
             {bandwidth:parameter}, or {bandwidth=self_tuned}"
        ),
    ))?;
    Ok(Some(weights.at_least(LIFTED)))
}

/// The same where weights vanish between parts of the graph only, as those of long bridges do.
pub(crate) fn lift_between(run: &Run<'_>, weights: &Weights) -> Result<Option<Weights>> {
    let n_parts = |least: f64| {
        let mut sets = Sets::new(weights.n_rows());
        let mut count = weights.n_rows();
        for row in 0..weights.n_rows() {
            let (indices, values) = weights.matrix.row(row);
            for (&index, &value) in indices.iter().zip(values) {
                if value >= least && sets.unite(row as u32, index) {
                    count -= 1;
                }
            }
        }
        count
    };
    let (tied, all) = (n_parts(f64::EPSILON), n_parts(0.0));
    if tied == all {
        return Ok(None);
    }
    run.warn(Warning::doubtful(
        message!("the weights between {}", counted(tied, "part")),
        message!(
            "they are 0, because the bandwidth is small compared with the distances between the connected components: raised to {LIFTED:.0e}; use a larger {bandwidth:parameter}, or {bandwidth=self_tuned}"
        ),
    ))?;
    Ok(Some(weights.at_least(LIFTED)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Bandwidth, Graph, Weighting};
    use crate::linalg::eigen;

    fn ring(n: u32) -> Graph {
        let edges: Vec<_> = (0..n)
            .flat_map(|i| {
                [
                    (i, (i + 1) % n, 1.0),
                    (i, (i + 5) % n, 2.0 + f64::from(i % 3)),
                ]
            })
            .collect();
        Graph::from_edges(n as usize, &edges)
    }

    #[test]
    fn each_normalization_satisfies_its_equation() {
        for n in [40, 400] {
            let weights = Weighting::heat(Bandwidth::Given(6.0)).of(&ring(n)).unwrap();
            let run = Run::new();
            let l = weights.laplacian(&run).unwrap().dense();
            let d = Array1::from(weights.degrees.clone());
            for normalization in [
                Normalization::Unnormalized,
                Normalization::Normalized,
                Normalization::RandomWalk,
            ] {
                let found = eigenmaps(&run, &weights, 3, normalization, 0).unwrap();
                for (y, &value) in found.coordinates.columns().into_iter().zip(&found.values) {
                    let right = match normalization {
                        Normalization::Unnormalized => y.to_owned(),
                        _ => &y * &d,
                    };
                    let rest = l.dot(&y) - &right * value;
                    assert!(rest.iter().all(|r| r.abs() < 1e-10), "{normalization:?}");
                    let size = match normalization {
                        Normalization::Normalized => y.dot(&right),
                        _ => y.dot(&y),
                    };
                    assert!((size - 1.0).abs() < 1e-10, "{normalization:?}: {size}");
                }
            }
        }
    }

    #[test]
    fn normalized_eigenvalues_are_those_of_the_symmetric_laplacian() {
        let weights = Weighting::default().of(&ring(60)).unwrap();
        let run = Run::new();
        let found = eigenmaps(&run, &weights, 5, Normalization::Normalized, 0).unwrap();
        let roots = Array1::from(weights.degrees.clone()).mapv(f64::sqrt);
        let shares = weights.matrix.dense() / &roots / roots.view().insert_axis(Axis(1));
        let symmetric = Array2::<f64>::eye(60) - shares;
        let all = eigen::symmetric_values(&symmetric.view()).unwrap();
        for k in 0..5 {
            assert!((found.values[k] - all[60 - 2 - k]).abs() < 1e-12);
        }
    }

    #[test]
    fn weights_that_vanish_are_lifted_and_counts_checked() {
        let weights = Weighting::heat(Bandwidth::Given(1e-9))
            .of(&ring(30))
            .unwrap();
        let found = eigenmaps(&Run::new(), &weights, 2, Normalization::Normalized, 0).unwrap();
        assert!(lift(&Run::new(), &weights).unwrap().is_some());
        assert!(found.coordinates.iter().all(|value| value.is_finite()));
        let error = eigenmaps(&Run::new(), &weights, 30, Normalization::Normalized, 0).unwrap_err();
        assert!(error.to_string().contains("at most 29"), "{error}");
    }

    #[test]
    fn a_bridge_without_weight_is_lifted_too() {
        let mut edges: Vec<(u32, u32, f64)> = Vec::new();
        for part in 0..3 {
            edges.extend((0..9).map(|i| (10 * part + i, 10 * part + i + 1, 1.0)));
        }
        let bridged = [(9, 10, 1e4), (19, 20, 1e4)];
        let apart = Graph::from_edges(30, &edges);
        edges.extend(bridged);
        let weights = Weighting::heat(Bandwidth::Given(1.0));
        let joined = weights.of(&Graph::from_edges(30, &edges)).unwrap();
        let found = eigenmaps(&Run::new(), &joined, 1, Normalization::Normalized, 0).unwrap();
        assert!(lift(&Run::new(), &joined).unwrap().is_some());
        // The middle part lies in the middle, because bridges lead through it.
        let y = found.coordinates.column(0);
        assert!(y[4].signum() != y[24].signum() && y[14].abs() < 1e-3 * y[4].abs());
        // What no edge joins stays apart.
        assert!(
            lift(&Run::new(), &weights.of(&apart).unwrap())
                .unwrap()
                .is_none()
        );
    }
}
