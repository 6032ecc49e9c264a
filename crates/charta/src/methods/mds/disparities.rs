//! Disparities of non-metric MDS: the isotonic regression of embedded distances on the order of the given ones.

use ndarray::Array2;
use rayon::prelude::*;

use crate::error::{Error, Result, message};
use crate::optimize::isotonic::{Curve, Ties, regress_by};
use crate::stress::dissimilarities::Dissimilarities;

/// Pairs that one job measures.
const PAIRS: usize = 1 << 14;

/// Pairs of rows in the order of their distances: the same for every initialization.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pairs: Vec<(u32, u32)>,
    distances: Vec<f64>,
    weights: Option<Vec<f64>>,
    ties: Ties,
    /// Σ w over pairs, which Σ w disparity² is kept at.
    total: f64,
    n_rows: usize,
}

/// A disparity for each pair of rows.
#[derive(Clone, Debug)]
pub(crate) struct Disparities<'a> {
    sorted: &'a Sorted,
    matrix: Array2<f64>,
}

impl Sorted {
    /// Sorts the known distances.
    pub(crate) fn of(known: &Dissimilarities, ties: Ties) -> Self {
        let n_rows = known.n_rows();
        let distance = |pair: &(u32, u32)| known.distances()[[pair.0 as usize, pair.1 as usize]];
        let weight = |pair: &(u32, u32)| known.weight(pair.0 as usize, pair.1 as usize);
        let mut pairs: Vec<(u32, u32)> = (0..n_rows as u32)
            .flat_map(|row| (0..row).map(move |other| (row, other)))
            .filter(|pair| weight(pair) > 0.0)
            .collect();
        pairs.par_sort_unstable_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        let distances = pairs.iter().map(distance).collect();
        let weights: Option<Vec<f64>> =
            (known.weights()).map(|_| pairs.iter().map(weight).collect());
        let total = match &weights {
            Some(weights) => weights.iter().sum(),
            None => pairs.len() as f64,
        };
        Self {
            pairs,
            distances,
            weights,
            ties,
            total,
            n_rows,
        }
    }

    /// The function from distances to the disparities nearest to a layout.
    pub(crate) fn curve(&self, layout: &Array2<f64>) -> Curve {
        let mut values = self.regressed(layout);
        let factor = self.factor(&values);
        values.iter_mut().for_each(|value| *value *= factor);
        if self.ties == Ties::Primary {
            // A function has one value where ties were broken; means of neighbours never fall, but their order within a tie may.
            regress_by(
                &self.distances,
                &mut values,
                self.weights.as_deref(),
                Ties::Secondary,
            );
        }
        Curve::through(&self.distances, &values)
    }

    fn regressed(&self, layout: &Array2<f64>) -> Vec<f64> {
        let width = layout.ncols();
        let layout = layout.as_standard_layout();
        let places = layout.as_slice().expect("its layout is the standard one");
        let of = |row: u32| &places[row as usize * width..][..width];
        let mut values = vec![0.0; self.pairs.len()];
        (values
            .par_chunks_mut(PAIRS)
            .zip(self.pairs.par_chunks(PAIRS)))
        .for_each(|(values, pairs)| {
            for (value, &(row, other)) in values.iter_mut().zip(pairs) {
                let squares = of(row)
                    .iter()
                    .zip(of(other))
                    .map(|(a, b)| (a - b) * (a - b));
                *value = squares.sum::<f64>().sqrt();
            }
        });
        regress_by(
            &self.distances,
            &mut values,
            self.weights.as_deref(),
            self.ties,
        );
        values
    }

    /// What disparities are multiplied with to have a mean square of 1.
    fn factor(&self, values: &[f64]) -> f64 {
        let squares: f64 = match &self.weights {
            None => values.iter().map(|value| value * value).sum(),
            Some(weights) => values.iter().zip(weights).map(|(v, w)| w * v * v).sum(),
        };
        (self.total / squares).sqrt()
    }
}

impl<'a> Disparities<'a> {
    /// None yet.
    pub(crate) fn of(sorted: &'a Sorted) -> Self {
        Self {
            sorted,
            matrix: Array2::zeros((sorted.n_rows, sorted.n_rows)),
        }
    }

    /// The disparities of all pairs, both ways.
    pub(crate) fn matrix(&self) -> &Array2<f64> {
        &self.matrix
    }

    /// Takes the distances themselves for disparities.
    pub(crate) fn take_distances(&mut self) -> Result<()> {
        let values = self.sorted.distances.clone();
        self.write(values)
    }

    /// The disparities nearest to the distances of a layout.
    pub(crate) fn fit(&mut self, layout: &Array2<f64>) -> Result<()> {
        let values = self.sorted.regressed(layout);
        self.write(values)
    }

    fn write(&mut self, values: Vec<f64>) -> Result<()> {
        let factor = self.sorted.factor(&values);
        if !factor.is_finite() {
            return Err(Error::degenerate(message!(
                "all {:rows} collapsed to one point: there is no order of distances to preserve; \
                 try another initialization"
            )));
        }
        for (&(row, other), value) in self.sorted.pairs.iter().zip(values) {
            let (row, other) = (row as usize, other as usize);
            self.matrix[[row, other]] = value * factor;
            self.matrix[[other, row]] = value * factor;
        }
        Ok(())
    }
}
