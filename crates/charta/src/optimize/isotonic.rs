//! Isotonic regression: the numbers nearest to given ones that never fall, by pooling adjacent violators.
//!
//! Wherever a number is below the one before it, both are replaced by their weighted mean, and the mean is compared
//! with what comes before, until nothing falls. One pass from left to right is enough. Barlow, Bartholomew, Bremner and Brunk,
//! "Statistical inference under order restrictions", 1972; the two ways with ties are Kruskal's, "Nonmetric multidimensional
//! scaling: a numerical method", 1964.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::arrays;
use crate::data::loaded::{check_at_least, check_finite, check_length};
use crate::error::Result;
use crate::params::Choice;
use ndarray::Array1;

/// Treatment of ties (equal distances) in non-metric MDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Ties {
    /// Primary approach: tied distances may become different in the embedding.
    Primary,
    /// Secondary approach: tied distances stay equal.
    Secondary,
}

/// Replaces `values` by the nearest numbers that never fall, in the sense of weighted least squares. Weights are positive, one a
/// value, all the same if there are none.
pub fn regress(values: &mut [f64], weights: Option<&[f64]>) {
    let mut pools: Vec<Pool> = Vec::new();
    for (index, &value) in values.iter().enumerate() {
        let mut pool = Pool {
            mean: value,
            weight: weights.map_or(1.0, |weights| weights[index]),
            count: 1,
        };
        while let Some(before) = pools.last().filter(|before| before.mean >= pool.mean) {
            pool = before.joined(&pool);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut start = 0;
    for pool in pools {
        values[start..start + pool.count].fill(pool.mean);
        start += pool.count;
    }
}

/// Neighbouring values that share a mean.
#[derive(Clone, Copy)]
struct Pool {
    mean: f64,
    weight: f64,
    count: usize,
}

impl Pool {
    fn joined(&self, next: &Self) -> Self {
        let weight = self.weight + next.weight;
        Self {
            // Written as a change of the mean, so that equal means stay as they are.
            mean: self.mean + (next.mean - self.mean) * (next.weight / weight),
            weight,
            count: self.count + next.count,
        }
    }
}

/// Regresses `values` that belong to `keys`, which never fall, so that larger keys never get smaller values. Equal keys are `ties`.
/// `weights` go with the values.
pub fn regress_by(keys: &[f64], values: &mut [f64], weights: Option<&[f64]>, ties: Ties) {
    let groups = tied(keys);
    if groups.len() == keys.len() {
        return regress(values, weights);
    }
    match ties {
        Ties::Primary => primary(&groups, values, weights),
        Ties::Secondary => secondary(&groups, values, weights),
    }
}

/// The stretches of equal keys.
fn tied(keys: &[f64]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if keys[group.start] == *key => group.end = index + 1,
            _ => groups.push(index..index + 1),
        }
    }
    groups
}

/// Within a tie the values are taken in their own order, which then costs nothing.
fn primary(groups: &[Range<usize>], values: &mut [f64], weights: Option<&[f64]>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    for group in groups.iter().filter(|group| group.len() > 1) {
        order[group.clone()]
            .sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    }
    let mut sorted: Vec<f64> = order.iter().map(|&index| values[index]).collect();
    let weights: Option<Vec<f64>> =
        weights.map(|weights| order.iter().map(|&index| weights[index]).collect());
    regress(&mut sorted, weights.as_deref());
    for (&index, value) in order.iter().zip(sorted) {
        values[index] = value;
    }
}

/// A tie is one value, the mean, with the weight of all.
fn secondary(groups: &[Range<usize>], values: &mut [f64], weights: Option<&[f64]>) {
    let weight = |index: usize| weights.map_or(1.0, |weights| weights[index]);
    let totals: Vec<f64> = (groups.iter())
        .map(|group| group.clone().map(weight).sum())
        .collect();
    let mut means: Vec<f64> = (groups.iter().zip(&totals))
        .map(|(group, total)| {
            let sum: f64 = group
                .clone()
                .map(|index| weight(index) * values[index])
                .sum();
            sum / total
        })
        .collect();
    regress(&mut means, Some(&totals));
    for (group, mean) in groups.iter().zip(means) {
        values[group.clone()].fill(mean);
    }
}

/// A rising function found by regression: constant over intervals of keys, linear between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    #[serde(with = "arrays::vector")]
    lower: Array1<f64>,
    #[serde(with = "arrays::vector")]
    upper: Array1<f64>,
    #[serde(with = "arrays::vector")]
    values: Array1<f64>,
}

impl Curve {
    /// The function through values that never fall, at keys that never fall. Of several values of a key the mean is taken. From 0 to
    /// the first key it rises from 0.
    pub fn through(keys: &[f64], values: &[f64]) -> Self {
        let (mut lower, mut upper, mut heights) = (vec![0.0], vec![0.0], vec![0.0]);
        for group in tied(keys) {
            let key = keys[group.start];
            let mean = values[group.clone()].iter().sum::<f64>() / group.len() as f64;
            let last = heights.len() - 1;
            if key == 0.0 {
                continue;
            } else if last > 0 && heights[last] == mean {
                upper[last] = key;
            } else {
                lower.push(key);
                upper.push(key);
                heights.push(mean);
            }
        }
        Self {
            lower: lower.into(),
            upper: upper.into(),
            values: heights.into(),
        }
    }

    /// Fails if what was loaded does not fit together.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self {
            lower,
            upper,
            values,
        } = self;
        check_at_least("the intervals of disparities", values.len(), 1)?;
        check_length("the intervals of disparities", lower.len(), values.len())?;
        check_length("the intervals of disparities", upper.len(), values.len())?;
        check_finite("the intervals of disparities", lower)?;
        check_finite("the intervals of disparities", upper)?;
        check_finite("the disparities", values)
    }

    /// The value at a key; beyond the last key, that of the last.
    pub fn at(&self, key: f64) -> f64 {
        let (lower, upper, values) = (&self.lower, &self.upper, &self.values);
        let slice = lower.as_slice().expect("a vector is one slice");
        let stretch = slice
            .partition_point(|&start| start <= key)
            .saturating_sub(1);
        let next = stretch + 1;
        if key <= upper[stretch] || next >= values.len() {
            return values[stretch];
        }
        let share = (key - upper[stretch]) / (lower[next] - upper[stretch]);
        values[stretch] + share * (values[next] - values[stretch])
    }

    /// The same function of keys multiplied by `factor`.
    pub fn stretched(mut self, factor: f64) -> Self {
        self.lower *= factor;
        self.upper *= factor;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream, uniform};

    #[test]
    fn values_that_fall_are_pooled() {
        let mut values = [1.0, 3.0, 2.0, 5.0];
        regress(&mut values, None);
        assert_eq!(values, [1.0, 2.5, 2.5, 5.0]);
    }

    /// The regression by its min–max formula: the value at i is the least over ends b ≥ i of the largest mean of a..=b over a ≤ i.
    fn by_formula(values: &[f64], weights: &[f64]) -> Vec<f64> {
        let mean = |a: usize, b: usize| {
            let sum: f64 = (a..=b).map(|i| weights[i] * values[i]).sum();
            sum / weights[a..=b].iter().sum::<f64>()
        };
        (0..values.len())
            .map(|i| {
                (i..values.len())
                    .map(|b| (0..=i).map(|a| mean(a, b)).fold(f64::MIN, f64::max))
                    .fold(f64::MAX, f64::min)
            })
            .collect()
    }

    #[test]
    fn pools_agree_with_the_formula() {
        let mut draw = stream(2, 0);
        for size in [1, 2, 7, 40] {
            let values: Vec<f64> = (0..size).map(|_| normal(&mut draw)).collect();
            let weights: Vec<f64> = (0..size).map(|_| 0.1 + uniform(&mut draw)).collect();
            let mut found = values.clone();
            regress(&mut found, Some(&weights));
            for (a, b) in found.iter().zip(by_formula(&values, &weights)) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
    }

    #[test]
    fn ties_are_broken_or_kept() {
        let keys = [1.0, 2.0, 2.0, 2.0, 3.0];
        let mut broken = [0.0, 4.0, 1.0, 2.0, 3.0];
        let mut kept = broken;
        regress_by(&keys, &mut broken, None, Ties::Primary);
        assert_eq!(broken, [0.0, 3.5, 1.0, 2.0, 3.5]);
        regress_by(&keys, &mut kept, None, Ties::Secondary);
        let mean = 7.0 / 3.0;
        assert_eq!(kept, [0.0, mean, mean, mean, 3.0]);
    }

    #[test]
    fn curves_pass_through_their_values_and_stay_flat_beyond() {
        let curve = Curve::through(&[1.0, 2.0, 3.0, 5.0], &[0.5, 2.0, 2.0, 4.0]);
        for (key, value) in [
            (0.0, 0.0),
            (0.5, 0.25),
            (1.0, 0.5),
            (2.5, 2.0),
            (4.0, 3.0),
            (9.0, 4.0),
        ] {
            assert_eq!(curve.at(key), value, "at {key}");
        }
        assert_eq!(curve.stretched(10.0).at(40.0), 3.0);
    }
}
