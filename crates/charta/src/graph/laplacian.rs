//! The Laplacian of a weighted graph: D − W, with weights W and degrees D. The row and column of a row without
//! weights are zero. Its normalized forms are eigenproblems with D on the right side.
//!
//! Chung, "Spectral graph theory", 1997; von Luxburg, "A tutorial on spectral clustering", 2007.

use super::Weights;
use crate::error::Result;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;

impl Weights {
    /// D − W: its quadratic form is Σ w (y_i − y_j)² over all edges.
    pub(crate) fn laplacian(&self, run: &Run<'_>) -> Result<SparseSymmetric> {
        SparseSymmetric::from_rows(run, self.n_rows(), |row, list| {
            list.push((row as u32, self.degrees[row]));
            let (targets, weights) = self.matrix.row(row);
            list.extend(
                targets
                    .iter()
                    .zip(weights)
                    .map(|(&target, &weight)| (target, -weight)),
            );
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::*;
    use crate::graph::{Bandwidth, Graph, Weighting};

    #[test]
    fn a_path_of_three_rows_has_the_laplacian_of_the_books() {
        let graph = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]);
        let weights = Weighting::default().of(&graph).unwrap();
        assert_eq!(
            weights.laplacian(&Run::new()).unwrap().dense(),
            array![[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
        );
    }

    /// A square with a diagonal, and row 4 apart.
    fn example() -> Weights {
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 1.0),
            (0, 3, 2.0),
            (0, 2, 1.5),
        ];
        let graph = Graph::from_edges(5, &edges);
        Weighting::heat(Bandwidth::Given(2.0)).of(&graph).unwrap()
    }

    #[test]
    fn the_quadratic_form_is_the_sum_over_edges() {
        let weights = example();
        let laplacian = weights.laplacian(&Run::new()).unwrap().dense();
        let y = Array1::from(vec![0.3, -1.0, 2.0, 0.7, 9.0]);
        let w = weights.matrix.dense();
        let mut want = 0.0;
        for i in 0..5 {
            for j in 0..i {
                want += w[[i, j]] * (y[i] - y[j]) * (y[i] - y[j]);
            }
        }
        assert!((y.dot(&laplacian.dot(&y)) - want).abs() < 1e-12);
    }
}
