//! Sammon's stress of an embedding over the pairs of a mini-batch: value and gradient, and its measurement over many rows in blocks.
//!
//! With distances δ in the data and d in the map, the stress is Σ w (δ − d)² / Σ w δ², over pairs i < j with δ > 0. Its gradient
//! by the coordinates z of row i is 2 Σ w (d − δ) / d · (z − z') / Σ w δ², over the other rows.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use crate::error::Result;
use crate::metric::Among;
use crate::parallel::blocks;
use crate::params::Choice;
use crate::run::Run;

/// Rows that one job looks at.
const BLOCK: usize = 32;
/// Rows whose distances to all others are held at once.
const HELD: usize = 256;
/// Pairs nearer than this fraction of the unit are taken for the same row.
const SAME: f64 = 1e-12;

/// How much a pair counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Weighting {
    /// 1/δ: near pairs count more (Sammon 1969).
    Sammon,
    /// 1/δ²: relative errors count (Alpaydin 2014, equation 6.43).
    Relative,
    /// 1 for all pairs, so that large distances dominate (raw stress, Kruskal 1964).
    Uniform,
}

impl Weighting {
    fn of(self, distance: f64) -> f64 {
        match self {
            Self::Sammon => distance.recip(),
            Self::Relative => distance.powi(2).recip(),
            Self::Uniform => 1.0,
        }
    }
}

/// Sums over pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PairSums {
    /// Pairs with a distance.
    pub n_pairs: u64,
    /// Σ δ.
    pub lengths: f64,
    /// Σ w δ².
    pub data: f64,
    /// Σ w δ d.
    pub both: f64,
    /// Σ w d².
    pub map: f64,
    /// Σ w (δ − d)².
    pub apart: f64,
}

impl PairSums {
    /// The stress; 0 where there are no pairs.
    pub(super) fn stress(&self) -> f64 {
        if self.data > 0.0 {
            self.apart / self.data
        } else {
            0.0
        }
    }

    /// What the map has to be multiplied with for the least stress.
    pub(super) fn best_scale(&self) -> f64 {
        if self.map > 0.0 {
            self.both / self.map
        } else {
            1.0
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        self.n_pairs += other.n_pairs;
        self.lengths += other.lengths;
        self.data += other.data;
        self.both += other.both;
        self.map += other.map;
        self.apart += other.apart;
        self
    }
}

/// The stress, with distances of the data in a unit of their own, so that weights neither vanish nor overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairStress {
    /// How much a pair counts.
    pub weighting: Weighting,
    /// The distance that counts as 1. Maps are measured in it already.
    pub unit: f64,
}

impl PairStress {
    /// The stress of all pairs of some rows, given the distances between them, a pair's fraction of Σ w δ², and their coordinates; its
    /// gradient by the coordinates goes into the last argument.
    pub(super) fn gradient(
        &self,
        distances: &ArrayView2<'_, f64>,
        share: f64,
        coordinates: &ArrayView2<'_, f64>,
        mut gradient: ArrayViewMut2<'_, f64>,
    ) -> f64 {
        let n_rows = coordinates.nrows();
        let n_pairs = n_rows.saturating_sub(1) as f64 * n_rows as f64 / 2.0;
        let size = (share * n_pairs).recip();
        if n_rows < 2 || !size.is_finite() {
            gradient.fill(0.0);
            return 0.0;
        }
        // Coordinate by coordinate, so that the rows lie side by side.
        let columns = coordinates.t().as_standard_layout().into_owned();
        let parts: Vec<f64> = gradient
            .axis_chunks_iter_mut(Axis(0), BLOCK)
            .into_par_iter()
            .zip(distances.axis_chunks_iter(Axis(0), BLOCK).into_par_iter())
            .enumerate()
            .map(|(block, (mut gradient, distances))| {
                let mut pulls = vec![0.0; n_rows];
                let mut sum = 0.0;
                let rows = gradient.rows_mut().into_iter().zip(distances.rows());
                for (offset, (mut target, distances)) in rows.enumerate() {
                    let row = block * BLOCK + offset;
                    sum += self.pulls(&distances, &columns, row, &mut pulls);
                    for (target, column) in target.iter_mut().zip(columns.rows()) {
                        let own = column[row];
                        let moves = column.iter().zip(&pulls).map(|(z, pull)| pull * (own - z));
                        *target = 2.0 * size * moves.sum::<f64>();
                    }
                }
                sum
            })
            .collect();
        // Each pair was met twice.
        0.5 * size * parts.iter().sum::<f64>()
    }

    /// For every other row w (d − δ) / d; returns the sum of w (d − δ)².
    fn pulls(
        &self,
        distances: &ArrayView1<'_, f64>,
        columns: &Array2<f64>,
        row: usize,
        pulls: &mut [f64],
    ) -> f64 {
        pulls.fill(0.0);
        for column in columns.rows() {
            let own = column[row];
            for (pull, z) in pulls.iter_mut().zip(column) {
                *pull += (own - z) * (own - z);
            }
        }
        let mut sum = 0.0;
        for (pull, distance) in pulls.iter_mut().zip(distances) {
            let (wanted, found) = (distance / self.unit, pull.sqrt());
            if wanted <= SAME {
                *pull = 0.0;
                continue;
            }
            let weight = self.weighting.of(wanted);
            let apart = found - wanted;
            sum += weight * apart * apart;
            *pull = if found > 0.0 {
                weight * apart / found
            } else {
                0.0
            };
        }
        sum
    }

    /// The sums over all pairs of the rows named, for several maps of them (each has a row for every one of `rows`). Distances
    /// are held for a few hundred rows at a time.
    pub(super) fn measure(
        &self,
        run: &Run<'_>,
        among: &Among<'_, '_>,
        rows: &[usize],
        maps: &[ArrayView2<'_, f64>],
    ) -> Result<Vec<PairSums>> {
        let mut sums = vec![PairSums::default(); maps.len()];
        for block in blocks(rows.len(), HELD) {
            // Of every pair once: the rows of the block with those that follow.
            let later = block.start;
            let distances = among.distances(run, &rows[block], &rows[later..])?;
            for (sums, map) in sums.iter_mut().zip(maps) {
                *sums = sums.merge(&self.sums_of(&distances, map, later));
            }
        }
        Ok(sums)
    }

    /// Sums over pairs of rows, from distances of the rows from `first` on to all from `first` on.
    fn sums_of(
        &self,
        distances: &Array2<f64>,
        map: &ArrayView2<'_, f64>,
        first: usize,
    ) -> PairSums {
        let parts: Vec<PairSums> = distances
            .axis_chunks_iter(Axis(0), BLOCK)
            .into_par_iter()
            .enumerate()
            .map(|(block, lines)| {
                let mut sums = PairSums::default();
                for (offset, line) in lines.rows().into_iter().enumerate() {
                    let row = block * BLOCK + offset;
                    let own = map.row(first + row);
                    for (other, distance) in line.iter().enumerate().skip(row + 1) {
                        let point = map.row(first + other);
                        let square: f64 = own.iter().zip(point).map(|(a, b)| (a - b).powi(2)).sum();
                        self.add(&mut sums, distance / self.unit, square.sqrt());
                    }
                }
                sums
            })
            .collect();
        let start = PairSums::default();
        parts.iter().fold(start, PairSums::merge)
    }

    fn add(&self, sums: &mut PairSums, wanted: f64, found: f64) {
        if wanted <= SAME {
            return;
        }
        let weight = self.weighting.of(wanted);
        sums.n_pairs += 1;
        sums.lengths += wanted;
        sums.data += weight * wanted * wanted;
        sums.both += weight * wanted * found;
        sums.map += weight * found * found;
        sums.apart += weight * (wanted - found).powi(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::metric::Comparison;
    use crate::random::{normal, stream};

    const ALL: [Weighting; 3] = [Weighting::Sammon, Weighting::Relative, Weighting::Uniform];

    fn drawn(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut draw = stream(4, n_columns as u64);
        let mut x = Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut draw));
        let twin = x.row(0).to_owned();
        x.row_mut(n_rows - 1).assign(&twin);
        x
    }

    fn apart(x: &Array2<f64>, i: usize, j: usize) -> f64 {
        let squares = x
            .row(i)
            .into_iter()
            .zip(x.row(j))
            .map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// The stress by its definition.
    fn by_hand(x: &Array2<f64>, z: &Array2<f64>, power: i32) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for i in 0..x.nrows() {
            for j in 0..i {
                let wanted = apart(x, i, j);
                if wanted > 0.0 {
                    above += (wanted - apart(z, i, j)).powi(2) / wanted.powi(power);
                    below += wanted.powi(2 - power);
                }
            }
        }
        above / below
    }

    #[test]
    fn values_follow_the_published_formulas_in_any_unit() {
        let (x, z) = (drawn(300, 5), drawn(300, 2));
        let (run, data) = (Run::new(), Data::from(&x));
        let among = Among::new(&run, &data, &Comparison::default()).unwrap();
        let rows: Vec<usize> = (0..300).collect();
        for (weighting, power) in ALL.into_iter().zip([1, 2, 0]) {
            let want = by_hand(&x, &z, power);
            for unit in [1.0, 2.5] {
                let stress = PairStress { weighting, unit };
                let scaled = &z / unit;
                let sums = stress
                    .measure(&run, &among, &rows, &[scaled.view()])
                    .unwrap()[0];
                assert_eq!(sums.n_pairs, 300 * 299 / 2 - 1);
                assert!((sums.stress() / want - 1.0).abs() < 1e-12);
                let best = &z * sums.best_scale();
                assert!(by_hand(&x, &best, power) <= want);
                assert!(by_hand(&x, &(&best * 1.001), power) > by_hand(&x, &best, power));
            }
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (x, z) = (drawn(70, 5), drawn(70, 3));
        let (run, data) = (Run::new(), Data::from(&x));
        let distances = Comparison::default().between(&run, &data).unwrap();
        for weighting in ALL {
            let stress = PairStress {
                weighting,
                unit: 1.7,
            };
            let value = |z: &Array2<f64>| {
                let mut gradient = Array2::zeros(z.dim());
                let coordinates = z.view();
                let value =
                    stress.gradient(&distances.view(), 0.8, &coordinates, gradient.view_mut());
                (value, gradient)
            };
            let (_, gradient) = value(&z);
            for point in [(0, 0), (33, 2), (69, 1)] {
                let step = 1e-6;
                let (mut up, mut down) = (z.clone(), z.clone());
                up[point] += step;
                down[point] -= step;
                let want = (value(&up).0 - value(&down).0) / (2.0 * step);
                let apart = (gradient[point] - want).abs();
                assert!(
                    apart < 1e-7 * want.abs().max(1e-2),
                    "{weighting:?}: {apart}"
                );
            }
        }
    }
}
