//! Laplacians of weighted graphs.
//!
//! With weights W and degrees D, D − W is the unnormalized one, I − D^−½ W D^−½ the symmetric one and
//! I − D⁻¹ W that of the random walk, where D⁻¹ W holds the chances to step from row to row. A row without
//! weights takes part in none of them: its row and column are zero.
//!
//! Chung, "Spectral graph theory", 1997; von Luxburg, "A tutorial on spectral clustering", 2007.

use super::Weights;
use crate::error::Result;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;

impl Weights {
    /// D − W: its quadratic form is Σ w (y_i − y_j)² over all edges.
    ///
    /// ```
    /// use charta::Run;
    /// use charta::graph::{Graph, Weighting};
    /// use ndarray::array;
    /// let graph = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]);
    /// let laplacian = Weighting::default().of(&graph)?.laplacian(&Run::new())?;
    /// assert_eq!(laplacian.dense(), array![[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn laplacian(&self, run: &Run<'_>) -> Result<SparseSymmetric> {
        self.less(run, |row| self.degrees[row], |_, _, weight| weight)
    }

    /// I − D^−½ W D^−½.
    pub fn symmetric_laplacian(&self, run: &Run<'_>) -> Result<SparseSymmetric> {
        let roots: Vec<f64> = (self.degrees.iter())
            .map(|&degree| if degree > 0.0 { degree.sqrt() } else { 1.0 })
            .collect();
        let diagonal = |row: usize| f64::from(u8::from(self.degrees[row] > 0.0));
        self.less(run, diagonal, |row, other, weight| {
            weight / (roots[row] * roots[other])
        })
    }

    /// D⁻¹ W, entry by entry in the order of the weights: the chances of a random walk's steps.
    pub fn steps(&self) -> Vec<f64> {
        let mut steps = Vec::with_capacity(self.matrix.n_stored());
        for row in 0..self.n_rows() {
            let degree = self.degrees[row];
            let weights = self.matrix.row(row).1;
            steps.extend(weights.iter().map(
                |&weight| {
                    if degree > 0.0 { weight / degree } else { 0.0 }
                },
            ));
        }
        steps
    }

    /// A diagonal less the weights, changed.
    fn less(
        &self,
        run: &Run<'_>,
        diagonal: impl Fn(usize) -> f64 + Sync,
        change: impl Fn(usize, usize, f64) -> f64 + Sync,
    ) -> Result<SparseSymmetric> {
        SparseSymmetric::from_rows(run, self.n_rows(), |row, list| {
            list.push((row as u32, diagonal(row)));
            let (targets, weights) = self.matrix.row(row);
            for (&target, &weight) in targets.iter().zip(weights) {
                list.push((target, -change(row, target as usize, weight)));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::graph::{Bandwidth, Graph, Weighting};

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

    #[test]
    fn the_normalized_ones_follow_their_definitions_and_leave_isolated_rows_out() {
        let weights = example();
        let symmetric = weights.symmetric_laplacian(&Run::new()).unwrap().dense();
        let w = weights.matrix.dense();
        let d: Array1<f64> = w.sum_axis(ndarray::Axis(1));
        assert_eq!(d[4], 0.0);
        let steps = weights.steps();
        let mut walk = Array2::<f64>::zeros((5, 5));
        let mut next = steps.iter();
        for i in 0..5 {
            for &j in weights.matrix.row(i).0 {
                walk[[i, j as usize]] = *next.next().unwrap();
            }
        }
        for i in 0..4 {
            assert!((walk.row(i).sum() - 1.0).abs() < 1e-15);
            for j in 0..4 {
                let own = f64::from(u8::from(i == j));
                assert!((symmetric[[i, j]] - own + w[[i, j]] / (d[i] * d[j]).sqrt()).abs() < 1e-15);
                assert!((walk[[i, j]] - w[[i, j]] / d[i]).abs() < 1e-15);
            }
        }
        assert!(symmetric.row(4).iter().all(|&value| value == 0.0));
    }
}
