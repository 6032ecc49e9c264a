//! The co-ranking family: how many of each row's K nearest are the same on both sides, for every K.
//!
//! With ρ the rank of a row around another in the data and r the same in the embedding, both are among the K
//! nearest exactly if max(ρ, r) ≤ K. So a count of max(ρ, r) over all pairs holds all that the co-ranking matrix
//! (Lee and Verleysen 2009) of neighbourhoods of equal size.

use ndarray::Array1;

use super::estimate::Estimate;

/// Agreement of neighbourhoods of every size.
#[derive(Clone, Debug, PartialEq)]
pub struct CoRanking {
    /// Q_NX(K) for K from 1 to n − 2: the fraction of the K nearest rows that are the same on both sides.
    pub q_nx: Array1<f64>,
    /// R_NX(K) for the same K: 0 for a random map, 1 for a perfect one (Lee et al. 2013).
    pub r_nx: Array1<f64>,
    /// The mean of R_NX with weights 1/K: the area below it over a logarithmic axis.
    pub area: Estimate,
    /// The K with the largest local continuity meta-criterion, Q_NX(K) − K/(n − 1): where local ends.
    pub k_max: usize,
    /// The largest local continuity meta-criterion (Chen and Buja 2009).
    pub lcmc_max: f64,
    /// The mean of Q_NX up to that K.
    pub q_local: f64,
    /// The mean of Q_NX from that K on, to K = n − 1, where it is 1.
    pub q_global: f64,
}

impl CoRanking {
    /// From the count of pairs with each max(ρ, r), `counts[m − 1]`, over this many rows, and the rows' own areas.
    pub(super) fn new(counts: &[u64], n_measured: usize, areas: &[f64]) -> Self {
        let n_rows = counts.len();
        let others = (n_rows - 1) as f64;
        let mut within = 0;
        let q_nx: Array1<f64> = (1..n_rows - 1)
            .map(|k| {
                within += counts[k - 1];
                within as f64 / (k * n_measured) as f64
            })
            .collect();
        let gain = |(index, q): (usize, &f64)| {
            let k = (index + 1) as f64;
            (others * q - k) / (others - k)
        };
        let r_nx = q_nx.iter().enumerate().map(gain).collect();
        let (mut k_max, mut lcmc_max) = (1, f64::NEG_INFINITY);
        for (index, q) in q_nx.iter().enumerate() {
            let lcmc = q - (index + 1) as f64 / others;
            if lcmc > lcmc_max {
                (k_max, lcmc_max) = (index + 1, lcmc);
            }
        }
        let local = q_nx.iter().take(k_max).sum::<f64>();
        let global = q_nx.iter().skip(k_max - 1).sum::<f64>() + 1.0;
        Self {
            r_nx,
            area: Estimate::mean(areas, n_rows),
            k_max,
            lcmc_max,
            q_local: local / k_max as f64,
            q_global: global / (n_rows - k_max) as f64,
            q_nx,
        }
    }
}

/// What a pair with a certain max(ρ, r) adds to the area of its row: the area is linear in the counts.
pub(super) struct Area {
    gains: Vec<f64>,
    of_chance: f64,
}

impl Area {
    pub(super) fn new(n_rows: usize) -> Self {
        let others = (n_rows - 1) as f64;
        let weights: f64 = (1..n_rows - 1).map(|k| 1.0 / k as f64).sum();
        let mut gains = vec![0.0; n_rows];
        let mut of_chance = 0.0;
        for k in (1..n_rows - 1).rev() {
            let left = others - k as f64;
            gains[k - 1] = gains[k] + others / (k as f64 * k as f64 * left) / weights;
            of_chance += 1.0 / left / weights;
        }
        Self { gains, of_chance }
    }

    /// The area of one row from the larger rank of each other row.
    pub(super) fn of_row(&self, larger: impl Iterator<Item = u32>) -> f64 {
        let sum: f64 = larger.map(|rank| self.gains[rank as usize - 1]).sum();
        sum - self.of_chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_map_has_area_one() {
        let n = 40;
        let area = Area::new(n).of_row(1..n as u32);
        assert!((area - 1.0).abs() < 1e-12, "{area}");
        let mut counts = vec![n as u64; n];
        counts[n - 1] = 0;
        let found = CoRanking::new(&counts, n, &vec![area; n]);
        assert!(found.r_nx.iter().all(|r| (r - 1.0).abs() < 1e-12));
        assert_eq!(found.k_max, 1);
        assert!((found.q_local - 1.0).abs() < 1e-12 && (found.q_global - 1.0).abs() < 1e-12);
    }
}
