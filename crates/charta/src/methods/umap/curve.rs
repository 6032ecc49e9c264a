//! The low-dimensional similarity curve 1 / (1 + a d^2b) of distances d in the embedding.
//!
//! a and b are fitted by least squares at 300 points (Levenberg–Marquardt) to the target: 1 up to `min_dist`, then falling by the factor e
//! with every `spread`. McInnes, Healy and Melville, "UMAP", 2018, section 3.2.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Limit, Result, Rule};

/// Points at which the curve is compared with the target.
const N_POINTS: usize = 300;
/// Iterations of the fit at most; ten are usual.
const MAX_ITERATIONS: usize = 500;

/// 1 / (1 + a d^2b).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// How steep it falls.
    pub a: f64,
    /// Half the power of the distance.
    pub b: f64,
}

impl Curve {
    /// The curve that is as near as possible to 1 up to `min_dist` and to exp(−(d − `min_dist`) / `spread`) beyond.
    pub fn fitted(min_dist: f64, spread: f64) -> Result<Self> {
        if min_dist > spread {
            return Err(Error::parameter(
                "min_dist",
                Rule::AtMost {
                    limit: Limit::Parameter("spread", spread),
                    because: None,
                },
                min_dist,
            ));
        }
        // In units of the spread: a curve of a wider spread is the same with a divided by spread^2b.
        let nearest = min_dist / spread;
        let unit = fit(&target(nearest));
        Ok(Self {
            a: unit.a / spread.powf(2.0 * unit.b),
            b: unit.b,
        })
    }

    /// The similarity at a squared distance.
    pub fn at(&self, squared: f64) -> f64 {
        1.0 / (1.0 + self.a * squared.powf(self.b))
    }
}

/// Distances and their target similarities.
fn target(nearest: f64) -> Vec<(f64, f64)> {
    (0..N_POINTS)
        .map(|point| 3.0 * point as f64 / (N_POINTS - 1) as f64)
        .map(|x| {
            (
                x,
                if x < nearest {
                    1.0
                } else {
                    (nearest - x).exp()
                },
            )
        })
        .collect()
}

/// Levenberg–Marquardt from a = b = 1.
fn fit(target: &[(f64, f64)]) -> Curve {
    let mut curve = Curve { a: 1.0, b: 1.0 };
    let mut error = squares(&curve, target);
    let mut damping = 1e-3;
    for _ in 0..MAX_ITERATIONS {
        let ([[aa, ab], [_, bb]], [ra, rb]) = normal_equations(&curve, target);
        let (aa, bb) = (aa * (1.0 + damping), bb * (1.0 + damping));
        let determinant = aa * bb - ab * ab;
        let step = [
            (bb * ra - ab * rb) / determinant,
            (aa * rb - ab * ra) / determinant,
        ];
        let next = Curve {
            a: curve.a + step[0],
            b: curve.b + step[1],
        };
        let reached = squares(&next, target);
        if next.a > 0.0 && next.b > 0.0 && reached <= error {
            let small = step[0].abs() < 1e-12 * next.a && step[1].abs() < 1e-12 * next.b;
            (curve, error, damping) = (next, reached, damping * 0.1);
            if small {
                break;
            }
        } else {
            damping *= 10.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    curve
}

fn squares(curve: &Curve, target: &[(f64, f64)]) -> f64 {
    let off = |&(x, y): &(f64, f64)| y - curve.at(x * x);
    target.iter().map(|point| off(point).powi(2)).sum()
}

/// JᵀJ and Jᵀr, with r what is missing.
fn normal_equations(curve: &Curve, target: &[(f64, f64)]) -> ([[f64; 2]; 2], [f64; 2]) {
    let (mut left, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
    for &(x, y) in target.iter().filter(|point| point.0 > 0.0) {
        let power = x.powf(2.0 * curve.b);
        let value = 1.0 / (1.0 + curve.a * power);
        let slope = [
            -value * value * power,
            -value * value * curve.a * power * 2.0 * x.ln(),
        ];
        for i in 0..2 {
            right[i] += slope[i] * (y - value);
            for j in 0..2 {
                left[i][j] += slope[i] * slope[j];
            }
        }
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `umap.umap_.find_ab_params` of umap-learn 0.5.12, by scipy's `curve_fit`.
    #[test]
    fn the_numbers_are_those_of_the_reference() {
        for (spread, min_dist, a, b) in GOLDEN {
            let curve = Curve::fitted(*min_dist, *spread).unwrap();
            assert!(
                (curve.a / a - 1.0).abs() < 2e-4,
                "{spread} {min_dist} {curve:?}"
            );
            assert!(
                (curve.b / b - 1.0).abs() < 2e-4,
                "{spread} {min_dist} {curve:?}"
            );
        }
        assert!(Curve::fitted(1.5, 1.0).is_err());
    }

    const GOLDEN: &[(f64, f64, f64, f64)] = &[
        (1.0, 0.1, 1.576_943, 0.895_061),
        (1.0, 0.0, 1.932_808, 0.790_495),
        (1.0, 0.5, 0.583_030, 1.334_167),
        (2.0, 0.1, 0.544_661, 0.842_055),
        (0.5, 0.25, 3.706_290, 1.334_167),
    ];
}
