//! Tails of the normal and the χ² distribution.

use crate::special::ln_gamma;

/// Terms of a series or a fraction at most: as many as a shape of about 10¹⁰ needs.
const MOST: usize = 1_000_000;

/// The probability that a χ² variable with this many degrees of freedom is larger than `x`.
pub(super) fn chi_square_tail(x: f64, degrees: f64) -> f64 {
    upper_gamma(degrees / 2.0, x / 2.0)
}

/// The probability that a standard normal variable is farther from 0 than `z`.
pub(super) fn normal_tails(z: f64) -> f64 {
    upper_gamma(0.5, z * z / 2.0)
}

/// The regularized upper incomplete gamma function Q(a, x): a series below its middle, a continued fraction above.
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..MOST {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return (1.0 - front * sum).max(0.0);
    }
    // Lentz's evaluation of 1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− …))).
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..MOST {
        let factor = -(n as f64) * (n as f64 - a);
        b += 2.0;
        d = 1.0 / nonzero(factor * d + b);
        c = nonzero(b + factor / c);
        let step = d * c;
        fraction *= step;
        if (step - 1.0).abs() < 4.0 * f64::EPSILON {
            break;
        }
    }
    (front * fraction).clamp(0.0, 1.0)
}

fn nonzero(value: f64) -> f64 {
    if value == 0.0 {
        f64::MIN_POSITIVE
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_known_values() {
        // Two degrees of freedom: exp(−x/2). Textbook quantiles otherwise.
        for x in [0.1_f64, 1.0, 5.0, 60.0] {
            let exact = (-x / 2.0).exp();
            assert!((chi_square_tail(x, 2.0) - exact).abs() < 1e-14 * (1.0 + exact));
        }
        assert!((chi_square_tail(3.841_458_820_694_124, 1.0) - 0.05).abs() < 1e-13);
        assert!((chi_square_tail(18.307_038_053_275_146, 10.0) - 0.05).abs() < 1e-13);
        assert!((normal_tails(1.959_963_984_540_054) - 0.05).abs() < 1e-13);
        assert!((normal_tails(-1.0) - 0.317_310_507_862_914_1).abs() < 1e-13);
        assert_eq!(chi_square_tail(0.0, 3.0), 1.0);
        // The mean of many degrees of freedom is near their median.
        assert!((chi_square_tail(20_000.0, 20_000.0) - 0.498_67).abs() < 1e-4);
    }
}
