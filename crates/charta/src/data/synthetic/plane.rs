//! Shapes in the plane: a line, a curve, a ring, a square, and two normal clouds.

use super::{Rows, Sample, along, parts};
use crate::error::Result;
use crate::random::{Stream, uniform};

/// A straight line through the origin with slope ½; the label is the position along it, from −1 to 1.
///
/// ```
/// let line = charta::data::synthetic::line(200, 0.03, 0)?;
/// # Ok::<(), charta::Error>(())
/// ```
pub fn line(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let t = between_ones(draw);
        (t, [t, 0.5 * t])
    })
}

/// The parabola y = x²; the label is x, from −1 to 1.
pub fn curve(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let t = between_ones(draw);
        (t, [t, t * t])
    })
}

/// The unit circle; the label is the angle.
pub fn ring(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let angle = 2.0 * std::f64::consts::PI * uniform(draw);
        (angle, [angle.cos(), angle.sin()])
    })
}

/// The square from −1 to 1, evenly covered; the label is x.
pub fn square(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let point = [between_ones(draw), between_ones(draw)];
        (point[0], point)
    })
}

/// Two round normal clouds on the diagonal; the label says which. Half of the rows belong to each, the lower one first.
///
/// Their centres are ±(0.2477, 0.2477). With `spread` 0.147, the standard deviation of each cloud, the covariance of both together has the
/// eigenvalues 0.1443 and 0.0216, with the first axis along the diagonal.
pub fn gaussian_pair(n: usize, spread: f64, seed: u64) -> Result<Sample> {
    const CENTER: f64 = 0.2477;
    let n_lower = n / 2;
    let rows = Rows {
        n,
        noise: spread,
        seed,
    };
    parts(rows, "cloud", &["lower", "upper"], |row, _| {
        let is_upper = row >= n_lower;
        let place = if is_upper { CENTER } else { -CENTER };
        (u32::from(is_upper), [place, place])
    })
}

fn between_ones(draw: &mut Stream) -> f64 {
    2.0 * uniform(draw) - 1.0
}
