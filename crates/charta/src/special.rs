//! Special functions.

use std::f64::consts::PI;

/// The logarithm of Γ, by Stirling's series from 12 upwards and the recurrence below.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (mut z, mut lower) = (x, 1.0);
    while z < 12.0 {
        lower *= z;
        z += 1.0;
    }
    let inverse = 1.0 / z;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square * (1.0 / 1188.0)))));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + series - f64::ln(lower)
}

/// The logarithm of the beta function.
pub(crate) fn ln_beta(x: f64, y: f64) -> f64 {
    ln_gamma(x) + ln_gamma(y) - ln_gamma(x + y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_and_beta_have_their_known_values() {
        assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-14);
        assert!((ln_gamma(10.0) - 362_880.0_f64.ln()).abs() < 1e-13);
        assert!(ln_gamma(1.0).abs() < 1e-14 && ln_gamma(2.0).abs() < 1e-14);
        assert!((ln_beta(2.0, 3.0) + 12.0_f64.ln()).abs() < 1e-13);
    }
}
