//! Rules that need the eigenvalues alone.

use std::f64::consts::PI;

use crate::error::{Error, Result, message};

/// The fewest components that explain more than the proportion `share` of the total variance.
pub fn proportion(variances: &[f64], total: f64, share: f64) -> usize {
    let mut explained = 0.0;
    for (index, variance) in variances.iter().enumerate() {
        explained += variance;
        if explained > share * total {
            return index + 1;
        }
    }
    variances.len().max(1)
}

/// The components before the elbow: the point of the scree plot farthest below the straight line
/// from its first to its last point (Satopää et al., "Finding a kneedle in a haystack", 2011).
pub fn elbow(variances: &[f64]) -> usize {
    let (Some(first), Some(last)) = (variances.first(), variances.last()) else {
        return 1;
    };
    if variances.len() < 3 || first <= last {
        return 1;
    }
    let steps = (variances.len() - 1) as f64;
    let mut farthest = (0.0, 1);
    for (index, variance) in variances.iter().enumerate() {
        // Both axes run from 0 to 1; the line falls from one corner to the other.
        let height = (variance - last) / (first - last);
        let below = 1.0 - index as f64 / steps - height;
        if below > farthest.0 {
            farthest = (below, index);
        }
    }
    farthest.1.max(1)
}

/// The number of components with the largest evidence under the probabilistic model.
pub fn minka(variances: &[f64], n_rows: usize) -> Result<usize> {
    let evidence = minka_evidence(variances, n_rows)?;
    let mut best = 0;
    for (index, value) in evidence.iter().enumerate() {
        if *value > evidence[best] {
            best = index;
        }
    }
    Ok(best + 1)
}

/// Laplace's approximation to the log-evidence of 1, 2, … d − 1 components (Minka, "Automatic choice
/// of dimensionality for PCA", 2000, equation 30). `variances` are all eigenvalues that are not zero.
pub fn minka_evidence(variances: &[f64], n_rows: usize) -> Result<Vec<f64>> {
    let size = variances.len();
    if size < 2 {
        return Err(Error::degenerate(message!(
            "the evidence compares numbers of components, and {:data} varies in one direction \
             only"
        )));
    }
    if n_rows <= size {
        return Err(Error::too_few_rows(
            message!("choosing components by {'mle'}"),
            size + 1,
            n_rows,
        ));
    }
    Ok(all_evidence(variances, n_rows as f64))
}

/// Equation 30 of all ranks. Sums over pairs of eigenvalues are carried from one rank to the next, so that the time grows with the square of
/// their number only.
fn all_evidence(variances: &[f64], n_rows: f64) -> Vec<f64> {
    let size = variances.len();
    // ln |λᵢ − λⱼ| of every pair of which one is kept and the other not, and the terms of pairs of which both are kept.
    let (mut across, mut within) = (0.0, 0.0);
    // ln p(U): the volume of the orthonormal frames.
    let mut frames = 0.0;
    let mut kept = 0.0;
    let mut sums_after = vec![0.0; size];
    for place in (1..size).rev() {
        sums_after[place - 1] = sums_after[place] + variances[place];
    }
    // Equal eigenvalues must not make every later rank infinite.
    let ln = |value: f64| value.max(f64::MIN_POSITIVE).ln();
    let mut evidence = Vec::with_capacity(size - 1);
    for rank in 1..size {
        let joins = variances[rank - 1];
        let degrees = size - rank + 1;
        frames += ln_gamma_half(degrees) - PI.ln() * degrees as f64 / 2.0 - 2.0_f64.ln();
        kept += joins.ln();
        for earlier in &variances[..rank - 1] {
            let apart = ln(earlier - joins);
            across -= apart;
            within += apart + ln(1.0 / joins - 1.0 / earlier);
        }
        across += (variances[rank..].iter())
            .map(|later| ln(joins - later))
            .sum::<f64>();
        let rest = (size - rank) as f64;
        let noise = sums_after[rank - 1] / rest;
        let precisions: f64 = (variances[..rank].iter())
            .map(|variance| ln(1.0 / noise - 1.0 / variance))
            .sum();
        let n_pairs = rank as f64 * (size as f64 - 1.0) - rank as f64 * (rank as f64 - 1.0) / 2.0;
        let hessian = within + across + rest * precisions + n_pairs * n_rows.ln();
        let free = (size * rank) as f64 - (rank * (rank + 1)) as f64 / 2.0;
        evidence.push(
            frames - n_rows / 2.0 * kept - n_rows * rest / 2.0 * noise.ln()
                + (2.0 * PI).ln() * (free + rank as f64) / 2.0
                - hessian / 2.0
                - rank as f64 * n_rows.ln() / 2.0,
        );
    }
    evidence
}

/// ln Γ(n / 2), by the recurrence from Γ(1/2) = √π or Γ(1) = 1.
fn ln_gamma_half(n: usize) -> f64 {
    let (mut argument, mut value) = if n % 2 == 1 {
        (0.5, PI.ln() / 2.0)
    } else {
        (1.0, 0.0)
    };
    while argument < n as f64 / 2.0 {
        value += f64::ln(argument);
        argument += 1.0;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proportion_is_passed_by_the_last_component_kept() {
        let variances = [5.0, 3.0, 1.5, 0.5];
        assert_eq!(proportion(&variances, 10.0, 0.49), 1);
        assert_eq!(proportion(&variances, 10.0, 0.79), 2);
        assert_eq!(proportion(&variances, 10.0, 0.81), 3);
        assert_eq!(proportion(&variances, 10.0, 0.999), 4);
    }

    #[test]
    fn the_elbow_is_where_the_graph_turns() {
        assert_eq!(elbow(&[10.0, 9.0, 1.0, 0.9, 0.8, 0.7]), 2);
        assert_eq!(elbow(&[10.0, 1.0, 0.9, 0.8, 0.7]), 1);
        assert_eq!(elbow(&[3.0, 2.0]), 1);
        assert_eq!(elbow(&[1.0, 1.0, 1.0]), 1);
    }

    #[test]
    fn gamma_of_halves() {
        assert!((ln_gamma_half(1) - 0.572_364_942_924_700_1).abs() < 1e-14);
        assert!((ln_gamma_half(10) - 24.0_f64.ln()).abs() < 1e-14);
        assert!((ln_gamma_half(5) - 1.329_340_388_179_137_f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn evidence_prefers_the_true_rank() {
        let variances = [9.0, 7.0, 5.0, 1.02, 1.0, 0.99, 0.98, 0.97];
        assert_eq!(minka(&variances, 1000).unwrap(), 3);
        assert!(minka(&variances, 8).is_err());
    }

    #[test]
    fn evidence_of_all_ranks_is_equation_30_of_each() {
        let variances = [9.0, 7.0, 5.0, 2.2, 1.3, 0.9, 0.4];
        let (size, n_rows) = (variances.len(), 60.0_f64);
        let found = minka_evidence(&variances, 60).unwrap();
        for rank in 1..size {
            let rest = (size - rank) as f64;
            let noise = variances[rank..].iter().sum::<f64>() / rest;
            let mut hessian = 0.0;
            for i in 0..rank {
                for j in i + 1..size {
                    let smoothed = if j < rank { variances[j] } else { noise };
                    let precision = 1.0 / smoothed - 1.0 / variances[i];
                    hessian += ((variances[i] - variances[j]) * precision).ln() + n_rows.ln();
                }
            }
            let frames: f64 = (1..=rank)
                .map(|i| {
                    let degrees = size - i + 1;
                    ln_gamma_half(degrees) - PI.ln() * degrees as f64 / 2.0 - 2.0_f64.ln()
                })
                .sum();
            let kept: f64 = variances[..rank].iter().map(|v| v.ln()).sum();
            let free = (size * rank) as f64 - (rank * (rank + 1)) as f64 / 2.0;
            let want = frames - n_rows / 2.0 * kept - n_rows * rest / 2.0 * noise.ln()
                + (2.0 * PI).ln() * (free + rank as f64) / 2.0
                - hessian / 2.0
                - rank as f64 * n_rows.ln() / 2.0;
            assert!((found[rank - 1] - want).abs() < 1e-9 * want.abs(), "{rank}");
        }
        assert!(
            minka_evidence(&[2.0, 1.0, 1.0, 1.0], 9)
                .unwrap()
                .iter()
                .all(|value| value.is_finite())
        );
    }
}
