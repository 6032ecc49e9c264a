//! The curvature of the likelihood in the logarithms of the noise variances, from all eigenpairs.
//!
//! Minus the mean log-likelihood has the second derivatives (Clarke 1970)
//!
//! ½ [ P ∘ B + Σ v vᵀ ∘ C ],  P = Σ w wᵀ,  B = Σ s w wᵀ,  C = Σ w wᵀ (1 − s)(t + s)/(t − s),
//!
//! where the outer sum is over the pairs t, v kept, the inner ones are over the pairs s, w left out, and ∘
//! multiplies entry by entry. Far from the maximum this may bend the wrong way; ½ P ∘ P, which it
//! comes to where the model fits (Jöreskog 1967), never does.

use ndarray::{Array1, Array2, Axis, s};

use super::{LEAST_EXCESS, Point};
use crate::linalg::product::product;
use crate::linalg::solve;

/// Added to the diagonal of ½ P ∘ P, as a fraction of the largest entry, where it is almost singular.
const RIDGE: f64 = 1e-8;

/// The Newton direction over the free logarithms; `None` where not all eigenpairs are known.
pub(super) fn direction(point: &Point, slope: &Array1<f64>, free: &[bool]) -> Option<Array1<f64>> {
    let all = point.all.as_ref()?;
    let indices: Vec<usize> = (0..free.len()).filter(|&j| free[j]).collect();
    let right = -slope.select(Axis(0), &indices).insert_axis(Axis(1));
    let kept = point.rank();
    let left_out = all.vectors.slice(s![kept.., ..]).to_owned();
    let values = all.values.slice(s![kept..]).to_owned();
    let projection = product(&left_out.t(), &left_out.view());
    let part = |matrix: &Array2<f64>| matrix.select(Axis(0), &indices).select(Axis(1), &indices);
    let exact = part(&exact(point, &left_out, &values, &projection));
    let solution = solve::positive_definite(&exact.view(), &right.view()).or_else(|_| {
        let mut rough = part(&projection).mapv(|entry| 0.5 * entry * entry);
        let largest = rough.diag().iter().fold(0.0_f64, |a, &b| a.max(b));
        rough
            .diag_mut()
            .mapv_inplace(|entry| entry + RIDGE * largest);
        solve::positive_definite(&rough.view(), &right.view())
    });
    let solution = solution.ok()?;
    let mut direction = Array1::zeros(free.len());
    for (&index, &entry) in indices.iter().zip(&solution) {
        direction[index] = entry;
    }
    direction
        .iter()
        .all(|entry: &f64| entry.is_finite())
        .then_some(direction)
}

/// The second derivatives of minus the mean log-likelihood.
fn exact(
    point: &Point,
    left_out: &Array2<f64>,
    values: &Array1<f64>,
    projection: &Array2<f64>,
) -> Array2<f64> {
    let weighted = |weights: Array1<f64>| {
        let scaled = left_out * &weights.insert_axis(Axis(1));
        product(&left_out.t(), &scaled.view())
    };
    let mut curvature = projection * &weighted(values.clone());
    let vectors = point.all.iter().flat_map(|all| all.vectors.rows());
    for (&large, vector) in point.eigenvalues.iter().zip(vectors) {
        if large <= 1.0 + LEAST_EXCESS {
            break;
        }
        let gap = |small: f64| (large - small).max(LEAST_EXCESS * large);
        let weights = values.mapv(|small| (1.0 - small) * (large + small) / gap(small));
        let mut outer = weighted(weights);
        for ((i, j), entry) in outer.indexed_iter_mut() {
            *entry *= vector[i] * vector[j];
        }
        curvature += &outer;
    }
    curvature * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::factor_analysis::likelihood::{Likelihood, Source};
    use crate::run::Run;

    #[test]
    fn the_curvature_is_the_derivative_of_the_slope() {
        let matrix = Array2::from_shape_fn((7, 7), |(i, j)| {
            let apart = (i as f64 - j as f64).abs();
            if i == j {
                1.0
            } else {
                0.8_f64.powf(apart) - 0.1
            }
        });
        let mut likelihood = Likelihood::new(Source::Matrix(matrix), vec![true; 7], 2, 1e-6, 0);
        let run = Run::new();
        let trial = Array1::from_shape_fn(7, |j| -1.0 - j as f64 / 10.0);
        let here = likelihood.at(&run, trial.clone()).unwrap();
        let all = here.all.as_ref().unwrap();
        let left_out = all.vectors.slice(s![2.., ..]).to_owned();
        let values = all.values.slice(s![2..]).to_owned();
        let projection = left_out.t().dot(&left_out);
        let curvature = exact(&here, &left_out, &values, &projection);
        for j in 0..7 {
            let mut moved = trial.clone();
            moved[j] += 1e-5;
            let above = likelihood.at(&run, moved.clone()).unwrap().slope;
            moved[j] -= 2e-5;
            let below = likelihood.at(&run, moved).unwrap().slope;
            let change = (above - below) / 2e-5;
            for i in 0..7 {
                assert!((change[i] - curvature[[i, j]]).abs() < 1e-7, "{i} {j}");
            }
        }
    }
}
