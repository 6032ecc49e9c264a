//! Preservation of distances: correlations and stresses.

use rayon::prelude::*;

use super::estimate::Estimate;
use super::rows::{Row, Spaces};
use crate::error::{Result, Warning, message};
use crate::parallel::map_blocks;
use crate::random::{below, stream};
use crate::run::Run;

/// Pairs up to which all are ranked.
const ALL_PAIRS: usize = 2_000_000;
/// Pairs ranked of more than that.
const DRAWN_PAIRS: usize = 500_000;
/// Pairs that one job draws.
const PAIRS_PER_JOB: usize = 4096;

/// How the distances of the embedding follow those of the data, over pairs of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// Pearson's correlation: the linearity of the Shepard diagram.
    pub pearson: Estimate,
    /// Spearman's correlation of ranks, equal distances at their middle rank.
    pub spearman: Estimate,
    /// 1 less the square of Pearson's correlation (Tenenbaum et al. 2000).
    pub residual_variance: Estimate,
    /// The sum of squared differences over all pairs.
    pub raw_stress: Estimate,
    /// The root of the raw stress as a fraction of the squared distances in the embedding (Kruskal 1964).
    pub stress_1: Estimate,
    /// The same after the embedding is scaled as it fits best: for maps whose scale means nothing.
    pub scaled_stress_1: Estimate,
    /// Squared differences in units of the data's distances, as a fraction of those (Sammon 1969); pairs at
    /// distance 0 are left out.
    pub sammon_stress: Estimate,
    /// Pairs for Spearman's correlation.
    pub n_pairs: usize,
}

/// Sums over pairs of a distance in the data, x, and in the embedding, y.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
    apart: f64,
    relative: f64,
}

impl Sums {
    /// The sums over one row's pairs.
    pub(super) fn of(spaces: &Spaces<'_>, row: &Row<'_>) -> Self {
        let mut sums = Self::default();
        for (index, (&x, &y)) in row.data.iter().zip(row.embedding).enumerate() {
            if index != row.index {
                sums.add_pair(spaces.data.distance(x), spaces.embedding.distance(y));
            }
        }
        sums
    }

    fn add_pair(&mut self, x: f64, y: f64) {
        let apart = (x - y) * (x - y);
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
        self.apart += apart;
        self.relative += if x > 0.0 { apart / x } else { 0.0 };
    }

    fn combine(&self, other: &Self, sign: f64) -> Self {
        Self {
            count: self.count + sign * other.count,
            x: self.x + sign * other.x,
            y: self.y + sign * other.y,
            xx: self.xx + sign * other.xx,
            yy: self.yy + sign * other.yy,
            xy: self.xy + sign * other.xy,
            apart: self.apart + sign * other.apart,
            relative: self.relative + sign * other.relative,
        }
    }

    /// All rows together.
    pub(super) fn total(rows: &[Self]) -> Self {
        let mut total = Self::default();
        for row in rows {
            total = total.combine(row, 1.0);
        }
        total
    }

    /// True if all distances of one side are 0.
    pub(super) fn is_collapsed(&self) -> (bool, bool) {
        (self.xx <= 0.0, self.yy <= 0.0)
    }

    /// Pearson's correlation; `None` if the distances of one side are all the same.
    pub(super) fn pearson(&self) -> Option<f64> {
        let covariance = self.xy - self.x * self.y / self.count;
        let x = self.xx - self.x * self.x / self.count;
        let y = self.yy - self.y * self.y / self.count;
        let is_flat = x <= 1e-14 * self.xx || y <= 1e-14 * self.yy;
        (!is_flat).then(|| (covariance / (x * y).sqrt()).clamp(-1.0, 1.0))
    }

    pub(super) fn stress_1(&self) -> f64 {
        (self.apart / self.yy).sqrt()
    }

    fn scaled_stress_1(&self) -> f64 {
        let congruence = self.xy * self.xy / (self.xx * self.yy);
        (1.0 - congruence).max(0.0).sqrt()
    }

    fn sammon(&self) -> f64 {
        self.relative / self.x
    }
}

impl Distances {
    /// From the sums of the rows measured, of `population`, and pairs.
    pub(super) fn new(
        run: &Run<'_>,
        rows: &[Sums],
        pairs: &Pairs,
        population: usize,
    ) -> Result<Self> {
        let total = Sums::total(rows);
        let estimate = |figure: &dyn Fn(&Sums) -> f64| {
            let without: Vec<f64> = if rows.len() < population {
                rows.iter()
                    .map(|row| figure(&total.combine(row, -1.0)))
                    .collect()
            } else {
                vec![0.0; rows.len()]
            };
            Estimate::jackknife(figure(&total), &without, population)
        };
        if total.pearson().is_none() {
            run.warn(Warning::doubtful(
                message!("correlation of distances"),
                message!("all distances of one side are the same: it is given as 0"),
            ))?;
        }
        let pearson = |sums: &Sums| sums.pearson().unwrap_or(0.0);
        // Every pair is met from both its rows.
        let pairs_in_all = population as f64 * (population as f64 - 1.0) / 2.0;
        Ok(Self {
            pearson: estimate(&pearson),
            spearman: pairs.spearman(),
            residual_variance: estimate(&|sums| 1.0 - pearson(sums).powi(2)),
            raw_stress: estimate(&|sums| sums.apart / sums.count * pairs_in_all),
            stress_1: estimate(&Sums::stress_1),
            scaled_stress_1: estimate(&Sums::scaled_stress_1),
            sammon_stress: estimate(&Sums::sammon),
            n_pairs: pairs.distances.len(),
        })
    }
}

/// Pairs of rows: all of them, or drawn at random.
pub(super) struct Pairs {
    /// Distances in the data and in the embedding.
    pub(super) distances: Vec<[f64; 2]>,
    is_sample: bool,
}

impl Pairs {
    pub(super) fn of(run: &Run<'_>, spaces: &Spaces<'_>, seed: u64) -> Result<Self> {
        let n_rows = spaces.data.len();
        if n_rows * (n_rows - 1) / 2 <= ALL_PAIRS {
            return Self::all(run, spaces);
        }
        let parts = map_blocks(run, DRAWN_PAIRS, PAIRS_PER_JOB, |range| {
            let mut draw = stream(seed, 1 + range.start as u64);
            range
                .map(|_| {
                    let a = below(&mut draw, n_rows);
                    let b = (a + 1 + below(&mut draw, n_rows - 1)) % n_rows;
                    let (data, embedding) = (&spaces.data, &spaces.embedding);
                    Ok([data.between(a, b)?, embedding.between(a, b)?])
                })
                .collect::<Result<Vec<_>>>()
        })?;
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Self {
            distances: parts.concat(),
            is_sample: true,
        })
    }

    fn all(run: &Run<'_>, spaces: &Spaces<'_>) -> Result<Self> {
        let indices: Vec<usize> = (0..spaces.data.len()).collect();
        let parts = spaces.each(run, &indices, |row| {
            let later = row.index + 1;
            let pairs = row.data[later..].iter().zip(&row.embedding[later..]);
            pairs
                .map(|(&x, &y)| [spaces.data.distance(x), spaces.embedding.distance(y)])
                .collect::<Vec<_>>()
        })?;
        Ok(Self {
            distances: parts.concat(),
            is_sample: false,
        })
    }

    /// Spearman's correlation. Its error is that of independent pairs.
    fn spearman(&self) -> Estimate {
        let ranks = |side: usize| {
            let values: Vec<f64> = self.distances.iter().map(|pair| pair[side]).collect();
            middle_ranks(&values)
        };
        let (x, y) = (ranks(0), ranks(1));
        let mut sums = Sums::default();
        let centre = (x.len() as f64 + 1.0) / 2.0;
        for (x, y) in x.iter().zip(&y) {
            sums.add_pair(x - centre, y - centre);
        }
        let value = sums.pearson().unwrap_or(0.0);
        let error = (1.0 - value * value) / (x.len() as f64).sqrt();
        Estimate {
            value,
            error: if self.is_sample { error } else { 0.0 },
        }
    }
}

/// Ranks from 1; equal values share the middle of their ranks.
fn middle_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.par_sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| values[a as usize] == values[b as usize]) {
        let middle = before as f64 + (group.len() as f64 + 1.0) / 2.0;
        for &index in group {
            ranks[index as usize] = middle;
        }
        before += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_middle_rank() {
        assert_eq!(middle_ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn sums_give_correlation_and_stress() {
        let mut sums = Sums::default();
        for (x, y) in [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)] {
            sums.add_pair(x, y);
        }
        assert!((sums.pearson().unwrap() - 1.0).abs() < 1e-12);
        assert!((sums.stress_1() - 0.5).abs() < 1e-12);
        assert!(sums.scaled_stress_1() < 1e-7);
        assert!((sums.sammon() - 1.0).abs() < 1e-12);
        let mut flat = Sums::default();
        flat.add_pair(1.0, 2.0);
        flat.add_pair(1.0, 3.0);
        assert_eq!(flat.pearson(), None);
    }
}
