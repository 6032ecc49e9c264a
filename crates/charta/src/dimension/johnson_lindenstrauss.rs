//! Number of random directions that preserve all distances, by the Johnson–Lindenstrauss lemma.

use crate::error::{Error, Result, message};

/// The number of random directions in which, with high probability, every squared distance between `n_rows`
/// points stays within 1 ± `distortion` of itself: 4 ln n / (ε²/2 − ε³/3), without its fraction (Dasgupta and
/// Gupta 2003). It does not depend on the number of columns.
///
/// ```
/// use charta::dimension::johnson_lindenstrauss_dimension;
/// assert_eq!(johnson_lindenstrauss_dimension(1_000_000, 0.5)?, 663);
/// # Ok::<(), charta::Error>(())
/// ```
pub fn johnson_lindenstrauss_dimension(n_rows: usize, distortion: f64) -> Result<usize> {
    if !(distortion > 0.0 && distortion < 1.0) {
        return Err(Error::parameter(
            "distortion",
            message!("be above 0 and below 1"),
            distortion,
        ));
    }
    if n_rows == 0 {
        return Err(Error::at_least("n_rows", 1, n_rows));
    }
    Ok((4.0 * (n_rows as f64).ln() / gain(distortion)) as usize)
}

/// The distortion that the lemma promises for this many directions; `None` where it promises nothing.
pub fn johnson_lindenstrauss_distortion(n_rows: usize, n_components: usize) -> Option<f64> {
    let wanted = 4.0 * (n_rows.max(1) as f64).ln() / n_components.max(1) as f64;
    if wanted >= gain(1.0) {
        return None;
    }
    // The gain rises from 0 to 1, so halving the interval finds the place.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if gain(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

fn gain(distortion: f64) -> f64 {
    distortion.powi(2) / 2.0 - distortion.powi(3) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distortion_and_dimension_are_each_others_inverse() {
        for distortion in [0.05, 0.1, 0.3, 0.9] {
            let count = johnson_lindenstrauss_dimension(5000, distortion).unwrap();
            let promised = johnson_lindenstrauss_distortion(5000, count).unwrap();
            assert!((promised - distortion).abs() < 0.01, "{promised}");
        }
        assert_eq!(johnson_lindenstrauss_distortion(5000, 2), None);
        assert_eq!(johnson_lindenstrauss_dimension(1, 0.1).unwrap(), 0);
        assert!(johnson_lindenstrauss_dimension(0, 0.1).is_err());
        assert!(johnson_lindenstrauss_dimension(10, f64::NAN).is_err());
    }
}
