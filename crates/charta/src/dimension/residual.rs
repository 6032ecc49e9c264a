//! The number of dimensions by the residual variance of an embedding of distances.

/// Fraction of the whole decrease that further dimensions may bring together.
const REMAINING: f64 = 0.1;
/// Residual variances that differ by less are the same.
const SAME: f64 = 5e-4;

/// The elbow of residual variances with 1, 2, … dimensions: the least number after which all further ones together lower the residual
/// variance by a tenth of its whole decrease at most (Tenenbaum, de Silva and Langford 2000 look for it by eye). `None` of no values, or if one is not a number.
///
/// ```
/// assert_eq!(charta::dimension::residual_elbow(&[0.0173, 0.0012, 0.0011, 0.0011]), Some(2));
/// ```
pub fn residual_elbow(residuals: &[f64]) -> Option<usize> {
    let first = *residuals.first()?;
    if residuals.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let least = residuals.iter().copied().fold(first, f64::min);
    let allowed = (REMAINING * (first - least)).max(SAME);
    let is_enough = |value: &f64| value - least <= allowed;
    residuals.iter().position(is_enough).map(|place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elbow_is_where_the_residual_variance_stops_falling() {
        assert_eq!(residual_elbow(&[0.4, 0.2, 0.02, 0.018, 0.017]), Some(3));
        // One dimension is enough: what follows is rounding.
        assert_eq!(residual_elbow(&[2e-4, 1e-4, 0.5e-4]), Some(1));
        assert_eq!(residual_elbow(&[0.3]), Some(1));
        assert_eq!(residual_elbow(&[]), None);
        assert_eq!(residual_elbow(&[0.3, f64::NAN]), None);
    }
}
