//! Rotations that make loadings simple: few large entries, the others near zero.
//!
//! Orthogonal ones turn two factors at a time by the angle that is best for them (Kaiser 1958), until no
//! pair gains. Promax (Hendrickson and White 1964) lets factors correlate: it fits the turned loadings
//! to their own powers, which spread large and small entries apart.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::eigen::fix_signs;
use super::solve;
use crate::error::Result;
use crate::params::Choice;

/// Rotation of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Rotation {
    /// No rotation.
    None,
    /// Orthogonal rotation that maximizes the variance of the squared loadings within each factor: few large loadings per factor.
    Varimax,
    /// Orthogonal rotation that maximizes the variance of the squared loadings within each column: few factors per column.
    Quartimax,
    /// Oblique rotation from varimax: the factors may correlate.
    Promax,
}

/// Rounds over all pairs; ten or so are usual.
const MAX_SWEEPS: usize = 1000;
/// An angle below this is no turn.
const LEAST_ANGLE: f64 = 1e-12;

/// Loadings after a rotation.
#[derive(Clone, Debug)]
pub(crate) struct Rotated {
    /// Loadings, a row for each factor.
    pub loadings: Array2<f64>,
    /// Tᵀ · (loadings before) = loadings after, for this T.
    pub matrix: Array2<f64>,
    /// Correlations between the factors.
    pub correlations: Array2<f64>,
}

impl Rotated {
    /// The variance that each factor explains. Factors that correlate share what they explain together.
    fn explained(&self) -> Array1<f64> {
        let products = self.loadings.dot(&self.loadings.t());
        self.correlations.dot(&products).diag().to_owned()
    }

    /// The factors in the order of the variance they explain, largest first.
    pub(crate) fn sorted(self) -> Self {
        let explained = self.explained();
        let mut order: Vec<usize> = (0..explained.len()).collect();
        order.sort_by(|&a, &b| explained[b].total_cmp(&explained[a]).then(a.cmp(&b)));
        let correlations = self.correlations.select(Axis(0), &order);
        Self {
            loadings: self.loadings.select(Axis(0), &order),
            matrix: self.matrix.select(Axis(1), &order),
            correlations: correlations.select(Axis(1), &order),
        }
    }

    /// The factors with signs that make the largest loading of each positive.
    pub(crate) fn with_fixed_signs(self) -> Self {
        let mut loadings = self.loadings.clone();
        fix_signs(loadings.view_mut());
        let pairs = loadings.rows().into_iter().zip(self.loadings.rows());
        let signs: Array1<f64> = pairs
            .map(|(fixed, before)| if fixed == before { 1.0 } else { -1.0 })
            .collect();
        let down = signs.view().insert_axis(Axis(1));
        Self {
            matrix: self.matrix * &signs,
            correlations: self.correlations * &signs * down,
            loadings,
        }
    }

    /// The same with factors that are zero after them, `n_factors` in all.
    pub(crate) fn padded(self, n_factors: usize) -> Self {
        let known = self.loadings.nrows();
        let mut loadings = Array2::zeros((n_factors, self.loadings.ncols()));
        let mut matrix = Array2::eye(n_factors);
        let mut correlations = Array2::eye(n_factors);
        loadings.slice_mut(s![..known, ..]).assign(&self.loadings);
        matrix.slice_mut(s![..known, ..known]).assign(&self.matrix);
        correlations
            .slice_mut(s![..known, ..known])
            .assign(&self.correlations);
        Self {
            loadings,
            matrix,
            correlations,
        }
    }
}

/// Rotates loadings, a row for each factor. With `kaiser`, each column's loadings count as if they had
/// length 1; `power` is that of promax. The rotation does not depend on the unit of the loadings.
pub(crate) fn rotate(
    loadings: &ArrayView2<'_, f64>,
    rotation: Rotation,
    kaiser: bool,
    power: f64,
) -> Result<Rotated> {
    let n_factors = loadings.nrows();
    // Fourth and higher powers of very small or large entries overflow.
    let unit = largest_or_one(loadings.iter());
    let relative = loadings.mapv(|entry| entry / unit);
    let turn = match rotation {
        Rotation::None => Array2::eye(n_factors),
        Rotation::Quartimax => turn(&relative, 0.0, kaiser),
        Rotation::Varimax | Rotation::Promax => turn(&relative, 1.0, kaiser),
    };
    let turned = turn.t().dot(&relative);
    if rotation != Rotation::Promax {
        return Ok(Rotated {
            loadings: turned * unit,
            matrix: turn,
            correlations: Array2::eye(n_factors),
        });
    }
    let fit = towards_powers(&turned, power)?;
    let matrix = turn.dot(&fit);
    let gram = matrix.t().dot(&matrix);
    Ok(Rotated {
        loadings: fit.t().dot(&turned) * unit,
        correlations: solve::positive_definite(&gram.view(), &Array2::eye(n_factors).view())?,
        matrix,
    })
}

/// The largest size of an entry, or 1 where all are zero.
fn largest_or_one<'a>(entries: impl Iterator<Item = &'a f64>) -> f64 {
    let largest = entries.fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// The fit of turned loadings to their signed powers, scaled so that the factors have variance 1.
fn towards_powers(turned: &Array2<f64>, power: f64) -> Result<Array2<f64>> {
    let mut target = turned.clone();
    // The size of a target does not matter, because the fit is scaled after it.
    for mut factor in target.rows_mut() {
        let largest = largest_or_one(factor.iter());
        factor.mapv_inplace(|entry| entry.signum() * (entry / largest).abs().powf(power));
    }
    let mut fit = solve::least_squares(&turned.t(), &target.t())?;
    let size = fit.nrows();
    let gram = fit.t().dot(&fit);
    let inverse = solve::positive_definite(&gram.view(), &Array2::eye(size).view())?;
    for (mut column, &square) in fit.axis_iter_mut(Axis(1)).zip(inverse.diag()) {
        column *= square.sqrt();
    }
    Ok(fit)
}

/// The orthogonal T for which Tᵀ · loadings is simplest. `spread` is 1 for varimax, 0 for quartimax.
fn turn(loadings: &Array2<f64>, spread: f64, kaiser: bool) -> Array2<f64> {
    let (n_factors, n_columns) = loadings.dim();
    let mut turned = loadings.clone();
    if kaiser {
        let lengths = turned
            .columns()
            .into_iter()
            .map(|column| column.dot(&column).sqrt());
        let lengths: Array1<f64> = lengths
            .map(|length| if length > 0.0 { length } else { 1.0 })
            .collect();
        turned /= &lengths;
    }
    let mut matrix = Array2::<f64>::eye(n_factors);
    let weight = spread / n_columns as f64;
    for _ in 0..MAX_SWEEPS {
        let mut largest = 0.0_f64;
        for first in 0..n_factors {
            for second in first + 1..n_factors {
                let angle = best_angle(&turned, first, second, weight);
                largest = largest.max(angle.abs());
                turn_pair(&mut turned, first, second, angle);
                turn_pair(&mut matrix, first, second, angle);
            }
        }
        if largest < LEAST_ANGLE {
            break;
        }
    }
    matrix.reversed_axes()
}

/// The angle by which the pair must turn: a quarter of that of the sums' fourth powers.
fn best_angle(loadings: &Array2<f64>, first: usize, second: usize, weight: f64) -> f64 {
    let (mut even, mut odd, mut even_squares, mut odd_squares) = (0.0, 0.0, 0.0, 0.0);
    for (&x, &y) in loadings.row(first).iter().zip(loadings.row(second)) {
        let (u, v) = (x * x - y * y, 2.0 * x * y);
        even += u;
        odd += v;
        even_squares += u * u - v * v;
        odd_squares += 2.0 * u * v;
    }
    let across = odd_squares - weight * 2.0 * even * odd;
    let along = even_squares - weight * (even * even - odd * odd);
    // Equal fourth powers at every angle: nothing to gain.
    if across.abs() <= f64::EPSILON * even_squares.abs().max(odd_squares.abs()) && along >= 0.0 {
        return 0.0;
    }
    across.atan2(along) / 4.0
}

/// Turns two rows by an angle.
fn turn_pair(rows: &mut Array2<f64>, first: usize, second: usize, angle: f64) {
    if angle == 0.0 {
        return;
    }
    let (sine, cosine) = angle.sin_cos();
    let (mut x, mut y) = rows.multi_slice_mut((s![first, ..], s![second, ..]));
    ndarray::Zip::from(&mut x).and(&mut y).for_each(|x, y| {
        let turned = cosine * *x + sine * *y;
        *y = cosine * *y - sine * *x;
        *x = turned;
    });
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn example() -> Array2<f64> {
        array![
            [0.8, 0.7, 0.9, 0.1, 0.0, 0.2],
            [0.1, 0.0, 0.2, 0.9, 0.8, 0.6]
        ]
    }

    fn mixed() -> Array2<f64> {
        let (s, c) = 0.6_f64.sin_cos();
        array![[c, s], [-s, c]].dot(&example())
    }

    fn criterion(loadings: &Array2<f64>, spread: f64) -> f64 {
        let of_row = |row: ndarray::ArrayView1<'_, f64>| {
            let second: f64 = row.iter().map(|v| v * v).sum();
            let fourth: f64 = row.iter().map(|v| v.powi(4)).sum();
            fourth - spread * second * second / row.len() as f64
        };
        loadings.rows().into_iter().map(of_row).sum()
    }

    #[test]
    fn no_other_angle_is_better() {
        for (rotation, spread) in [(Rotation::Varimax, 1.0), (Rotation::Quartimax, 0.0)] {
            let rotated = rotate(&mixed().view(), rotation, false, 4.0).unwrap();
            let best = criterion(&rotated.loadings, spread);
            for step in 0..180 {
                let (s, c) = (f64::from(step) / 90.0 * std::f64::consts::PI).sin_cos();
                let other = array![[c, s], [-s, c]].dot(&rotated.loadings);
                assert!(criterion(&other, spread) <= best + 1e-12);
            }
            let again = rotated.matrix.t().dot(&mixed());
            assert!((again - &rotated.loadings).iter().all(|d| d.abs() < 1e-14));
            let unit = rotated.matrix.t().dot(&rotated.matrix);
            assert!(
                (unit - Array2::<f64>::eye(2))
                    .iter()
                    .all(|d| d.abs() < 1e-14)
            );
        }
    }

    #[test]
    fn promax_keeps_the_covariance_and_gives_factors_variance_one() {
        let rotated = rotate(&mixed().view(), Rotation::Promax, true, 4.0).unwrap();
        let (phi, loadings) = (&rotated.correlations, &rotated.loadings);
        let covariance = loadings.t().dot(&phi.dot(loadings));
        let before = mixed().t().dot(&mixed());
        assert!((covariance - before).iter().all(|d| d.abs() < 1e-12));
        assert!(phi.diag().iter().all(|entry| (entry - 1.0).abs() < 1e-12));
        assert!(phi[[0, 1]].abs() > 0.05);
    }

    #[test]
    fn order_signs_and_padding_keep_the_covariance() {
        let weak_first = array![[-0.1, 0.2, 0.1, 0.0], [-0.9, 0.8, 0.7, -0.6]];
        let rotated = rotate(&weak_first.view(), Rotation::Promax, false, 4.0).unwrap();
        let kept = rotated.sorted().with_fixed_signs().padded(3);
        let explained = kept.explained();
        assert!(explained[0] > explained[1] && explained[2] == 0.0);
        for row in kept.loadings.rows() {
            let most = row.iter().fold(f64::MIN, |most, &entry| most.max(entry));
            assert!(row.iter().all(|entry| entry.abs() <= most));
        }
        let covariance = kept
            .loadings
            .t()
            .dot(&kept.correlations.dot(&kept.loadings));
        let before = weak_first.t().dot(&weak_first);
        assert!((covariance - before).iter().all(|d| d.abs() < 1e-12));
        let turned = kept.matrix.slice(s![..2, ..2]).t().dot(&weak_first);
        let loadings = kept.loadings.slice(s![..2, ..]);
        assert!((turned - loadings).iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn the_rotation_does_not_depend_on_the_unit() {
        let rotations = [Rotation::Varimax, Rotation::Quartimax, Rotation::Promax];
        for (rotation, kaiser) in rotations.into_iter().flat_map(|r| [(r, false), (r, true)]) {
            let plain = rotate(&mixed().view(), rotation, kaiser, 4.0).unwrap();
            for unit in [1e-80, 1e-9, 1e9, 1e80] {
                let other = rotate(&(mixed() * unit).view(), rotation, kaiser, 4.0).unwrap();
                let same = |a: &Array2<f64>, b: &Array2<f64>| {
                    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
                };
                assert!(same(&plain.matrix, &other.matrix), "{rotation} {unit}");
                assert!(same(&plain.correlations, &other.correlations));
                assert!(same(&plain.loadings, &(other.loadings / unit)));
            }
        }
    }

    #[test]
    fn a_factor_alone_stays() {
        let one = array![[0.3, -0.4, 0.5]];
        let rotated = rotate(&one.view(), Rotation::Promax, false, 4.0).unwrap();
        assert!((rotated.loadings - one).iter().all(|d| d.abs() < 1e-14));
    }
}
