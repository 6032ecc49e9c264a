//! Classical MDS of a matrix of squared distances, exact or with landmarks.
//!
//! With S the squared distances between landmarks and J = I − 1/n, the eigenpairs (λ, v) of −½ J S J give a
//! landmark the coordinates √λ v. Any row, by its squared distances s to the landmarks, gets
//! ½ vᵀ (m − s) / √λ, where m are the means of S: for a landmark that is the same. De Silva and Tenenbaum,
//! "Sparse multidimensional scaling using landmark points", 2004; Bengio et al., "Out-of-sample extensions",
//! 2004, arrive at the same formula for new rows.

use ndarray::{Array1, Array2, Axis, s};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::squares::Squares;
use crate::data::arrays;
use crate::error::{Error, Result, Warning, message};
use crate::linalg::block_krylov::{Effort, largest_from, random_start};
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::partial_eigen::leading;
use crate::random::{permutation, stream};
use crate::run::Run;

/// Up to this many landmarks the centred matrix is formed and decomposed whole.
const DENSE: usize = 256;
/// Landmarks among which residual variances are measured, at most.
pub(crate) const MEASURED: usize = 2048;
/// Landmarks whose whole spectrum is computed, at most.
pub(crate) const WHOLE_SPECTRUM: usize = 512;
/// Steps towards the additive constant, at most; a handful is usual.
const MAX_STEPS: usize = 50;
/// Coordinates for which residual variances are reported, at least.
const REPORTED: usize = 10;

/// Why there are means.
const SOME_ROWS: &str = "there are rows to scale";

/// The scaling of landmarks, and how well it went.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// The largest eigenvalues, for coordinates and some more.
    pub values: Array1<f64>,
    /// What squared distances to the landmarks are multiplied with: a row for each landmark, a column for
    /// each coordinate.
    pub weights: Array2<f64>,
    /// The mean squared distance of each landmark from all of them.
    pub means: Array1<f64>,
    /// Coordinates of the landmarks, a row each, and as many columns as there are values.
    pub coordinates: Array2<f64>,
    /// Coordinates that carry anything.
    pub rank: usize,
}

/// Options of classical scaling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalingOptions {
    /// Coordinates.
    pub n_components: usize,
    /// Residuals of the eigenpairs relative to the largest eigenvalue.
    pub tolerance: f64,
    /// Whether a few more coordinates are computed, less exactly, for the report.
    pub report: bool,
    /// Seed of the random initialization.
    pub seed: u64,
}

/// Scales the landmarks of `squares`, whose columns must be the landmarks too.
pub(crate) fn scale(run: &Run<'_>, squares: &Squares, options: ScalingOptions) -> Result<Scaled> {
    let size = squares.n_sources();
    let means = squares.row_means(run)?;
    if means.iter().any(|mean| !mean.is_finite()) {
        return Err(Error::too_large());
    }
    let more = if options.report { REPORTED } else { 0 };
    let count = options.n_components.max(more).min(size);
    let pairs = if size <= DENSE {
        dense(squares, count)?
    } else {
        iterated(run, squares, count, options)?
    };
    let largest = pairs.values.first().copied().unwrap_or(0.0);
    let scale = means.iter().copied().fold(0.0, f64::max);
    if largest <= f64::EPSILON * scale {
        return Err(Error::degenerate(message!(
            "all {:rows} are the same, or so close together that their squared distances \
             underflow: there is nothing to scale"
        )));
    }
    let floor = largest * size as f64 * f64::EPSILON;
    let real = pairs.values.iter().take_while(|&&value| value > floor);
    let rank = real.count();
    if rank < options.n_components {
        run.warn(Warning::RankDeficient {
            requested: options.n_components,
            rank,
        })?;
    }
    Ok(scaled(&pairs, means, rank, options.n_components))
}

fn scaled(pairs: &Eigen, means: Array1<f64>, rank: usize, n_components: usize) -> Scaled {
    let root = |index: usize| {
        let value = pairs.values.get(index).copied().unwrap_or(0.0);
        if index < rank { value.sqrt() } else { 0.0 }
    };
    let size = means.len();
    let width = pairs.values.len().max(n_components);
    let mut coordinates = Array2::zeros((size, width));
    let mut weights = Array2::zeros((size, n_components));
    for (index, vector) in pairs.vectors.rows().into_iter().enumerate() {
        coordinates
            .column_mut(index)
            .assign(&(&vector * root(index)));
        if index < n_components.min(rank) {
            weights.column_mut(index).assign(&(&vector / root(index)));
        }
    }
    Scaled {
        values: pairs.values.clone(),
        weights,
        means,
        coordinates,
        rank,
    }
}

fn dense(squares: &Squares, count: usize) -> Result<Eigen> {
    eigen::symmetric_largest(&centred(&squares.among_sources()).view(), count)
}

/// −½ J S J, formed.
fn centred(squares: &Array2<f64>) -> Array2<f64> {
    let means = |axis: usize| squares.mean_axis(Axis(axis)).expect(SOME_ROWS);
    let (rows, columns) = (means(1), means(0));
    let mean = rows.mean().expect(SOME_ROWS);
    let centred = squares - &columns - &rows.insert_axis(Axis(1)) + mean;
    (&centred + &centred.t()) * -0.25
}

/// The eigenpairs of the coordinates to the tolerance, then those only reported on, from where the first
/// search ended.
fn iterated(
    run: &Run<'_>,
    squares: &Squares,
    count: usize,
    options: ScalingOptions,
) -> Result<Eigen> {
    let start = random_start(squares.n_sources(), count, options.seed);
    let effort = Effort {
        tolerance: options.tolerance,
        max_products: 300,
        seed: options.seed,
    };
    let (found, next) = largest_from(run, squares, options.n_components, start, &effort)?;
    if !found.converged {
        run.warn(Warning::NotConverged {
            what: message!("the eigenvectors of the centred distances"),
            reached: message!("the residual is {:.1e}", found.residual),
        })?;
    }
    if count <= options.n_components {
        return Ok(found.eigen);
    }
    run.stage("further eigenvectors")?;
    let rough = Effort {
        tolerance: 1e-6,
        max_products: 30,
        ..effort
    };
    let mut all = largest_from(run, squares, count, next, &rough)?.0.eigen;
    let exact = s![..options.n_components, ..];
    all.vectors.slice_mut(exact).assign(&found.eigen.vectors);
    let exact = s![..options.n_components];
    all.values.slice_mut(exact).assign(&found.eigen.values);
    Ok(all)
}

/// The square of a distance to which a constant is added.
pub(crate) fn squared_with(distance: f64, constant: f64) -> f64 {
    (distance + constant) * (distance + constant)
}

/// The least constant that, added to all distances between two rows, makes them distances of points in some space.
///
/// With B(c) the centred matrix of the distances with c added, vᵀ B(c) v is a parabola in c for every v. From the vector
/// of the smallest eigenvalue at one c, the larger root of its parabola is the next c: every step is a lower bound, and
/// they rise to the constant. Cailliez, "The analytical solution of the additive constant problem", 1983, shows that
/// nothing above the constant fails.
pub(crate) fn additive_constant(run: &Run<'_>, distances: &Array2<f64>) -> Result<f64> {
    let plain = centred(distances);
    let squares = centred(&distances.mapv(|distance| distance * distance));
    let size = distances.nrows();
    let scale = distances.iter().copied().fold(0.0, f64::max);
    let mut constant = 0.0;
    for _ in 0..MAX_STEPS {
        run.check()?;
        let mut matrix = &squares * -1.0;
        matrix.scaled_add(-2.0 * constant, &plain);
        matrix
            .diag_mut()
            .mapv_inplace(|entry| entry - constant * constant / 2.0);
        // On vectors with mean 0, J is the identity; the constant vector must not be found.
        let lift = constant * constant / 2.0 / size as f64;
        matrix.mapv_inplace(|entry| entry + lift);
        let (lowest, _) = leading(&matrix.view(), 1)?;
        let vector = lowest.vectors.row(0);
        let (a, b) = (
            vector.dot(&squares.dot(&vector)),
            vector.dot(&plain.dot(&vector)),
        );
        // a + 2 b c + c² / 2 = 0.
        let next = -2.0 * b + (4.0 * b * b - 2.0 * a).max(0.0).sqrt();
        if next <= constant + 1e-12 * scale {
            break;
        }
        constant = next;
    }
    Ok(constant)
}

/// How well coordinates keep the distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// 1 − r² between distances and the distances of the first 1, 2, … coordinates.
    #[serde(with = "arrays::vector")]
    pub residual_variance: Array1<f64>,
    /// Landmarks between which it was measured.
    pub n_measured: usize,
    /// The size of what the coordinates leave out: ‖B − B'‖ / n for the centred matrix B and its approximation.
    pub reconstruction_error: f64,
    /// The negative eigenvalues' fraction of the sum of all sizes: what no coordinates could keep.
    pub negative_share: f64,
    /// How many of their eigenvalues are negative by more than rounding.
    #[serde(default)]
    pub n_negative: usize,
    /// Landmarks whose spectrum that is.
    pub n_spectrum: usize,
    /// The size of the centred matrix: ‖B‖ / n.
    #[serde(default)]
    pub matrix_size: f64,
}

impl Fidelity {
    /// The fraction of the centred matrix that the coordinates leave out: ‖B − B'‖² / ‖B‖².
    pub fn strain(&self) -> f64 {
        let share = self.reconstruction_error / self.matrix_size;
        share * share
    }

    /// Two goodnesses of fit, for the sum of the eigenvalues kept and the trace of the centred matrix: their fractions of
    /// the sizes of all eigenvalues, and of the positive ones. Mardia, Kent and Bibby, "Multivariate analysis", 1979,
    /// section 14.4. Of a sample's spectrum they are estimates.
    pub fn goodness_of_fit(&self, kept: f64, trace: f64) -> [f64; 2] {
        // With the fraction r of the negative ones, the trace is 1 − 2 r of the sum of sizes.
        let sizes = trace / (1.0 - 2.0 * self.negative_share);
        let positive = sizes * (1.0 - self.negative_share);
        [kept / sizes, kept / positive].map(|share| share.clamp(0.0, 1.0))
    }
}

/// Measures a scaling of `squares`, on a sample of the landmarks where they are many.
pub(crate) fn fidelity(
    run: &Run<'_>,
    squares: &Squares,
    scaled: &Scaled,
    options: ScalingOptions,
) -> Result<Fidelity> {
    let size = squares.n_sources();
    let kept = scaled
        .values
        .iter()
        .take(options.n_components.min(scaled.rank));
    let explained: f64 = kept.map(|value| value * value).sum();
    let whole = squares.centred_square_sum(run)?;
    let order = permutation(&mut stream(options.seed, 1), size);
    let chosen = |most: usize| {
        let mut indices = order[..most.min(size)].to_vec();
        indices.sort_unstable();
        indices
    };
    let measured = chosen(MEASURED);
    let coordinates = scaled.coordinates.select(Axis(0), &measured);
    let residual_variance = residual_variances(&squares.among(&measured), &coordinates);
    let spectrum = chosen(WHOLE_SPECTRUM);
    let values = eigen::symmetric_values(&centred(&squares.among(&spectrum)).view())?;
    let sizes: f64 = values.iter().map(|value| value.abs()).sum();
    let largest = values.first().map_or(0.0, |value| value.abs());
    let rounding = 1e-12_f64.max(spectrum.len() as f64 * f64::EPSILON) * largest;
    let negative: f64 = values.iter().map(|value| value.min(0.0).abs()).sum();
    Ok(Fidelity {
        residual_variance,
        n_measured: measured.len(),
        reconstruction_error: (whole - explained).max(0.0).sqrt() / size as f64,
        negative_share: if sizes > 0.0 { negative / sizes } else { 0.0 },
        n_negative: values.iter().filter(|value| **value < -rounding).count(),
        n_spectrum: spectrum.len(),
        matrix_size: whole.sqrt() / size as f64,
    })
}

/// 1 − r² between distances and those of the first 1, 2, … columns of `coordinates`, over all pairs.
fn residual_variances(squares: &Array2<f64>, coordinates: &Array2<f64>) -> Array1<f64> {
    let n_rows = squares.nrows();
    let width = coordinates.ncols();
    let pairs = (n_rows * n_rows.saturating_sub(1) / 2).max(1) as f64;
    let mean = (0..n_rows)
        .map(|row| {
            (0..row)
                .map(|other| squares[[row, other]].sqrt())
                .sum::<f64>()
        })
        .sum::<f64>()
        / pairs;
    let columns = coordinates.t().as_standard_layout().into_owned();
    // For each number of columns: the sums of y, y², and (x − mean) y; then the sum of (x − mean)².
    let rows: Vec<Array2<f64>> = (0..n_rows)
        .into_par_iter()
        .map(|row| {
            let centred = |square: &f64| square.sqrt() - mean;
            let x: Vec<f64> = squares.row(row).iter().take(row).map(centred).collect();
            let mut spans = vec![0.0; row];
            let mut sums = Array2::zeros((width, 4));
            for (column, mut sums) in columns.rows().into_iter().zip(sums.rows_mut()) {
                let own = column[row];
                let mut total = [0.0; 4];
                for ((span, &other), x) in spans.iter_mut().zip(column).zip(&x) {
                    *span += (own - other) * (own - other);
                    let y = span.sqrt();
                    total[0] += y;
                    total[1] += *span;
                    total[2] += x * y;
                    total[3] += x * x;
                }
                sums.assign(&ndarray::aview1(&total));
            }
            sums
        })
        .collect();
    let mut sums = Array2::zeros((width, 4));
    for row in rows {
        sums += &row;
    }
    let residual = |sums: ndarray::ArrayView1<'_, f64>| {
        let spread = sums[1] - sums[0] * sums[0] / pairs;
        if spread > 0.0 && sums[3] > 0.0 {
            1.0 - sums[2] * sums[2] / (spread * sums[3])
        } else {
            1.0
        }
    };
    sums.rows().into_iter().map(residual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::normal;

    fn cloud(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut stream = stream(3, 0);
        Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
            normal(&mut stream) / (j + 1) as f64
        })
    }

    fn squares(x: &Array2<f64>) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
            let apart = &x.row(i) - &x.row(j);
            apart.dot(&apart)
        })
    }

    fn options() -> ScalingOptions {
        ScalingOptions {
            n_components: 3,
            tolerance: 1e-10,
            report: true,
            seed: 0,
        }
    }

    #[test]
    fn flat_points_come_back_with_their_distances_by_either_solver() {
        for n_rows in [50, 400] {
            let x = cloud(n_rows, 3);
            let between = Squares::between(squares(&x));
            let run = Run::new();
            let scaled = scale(&run, &between, options()).unwrap();
            let again = squares(&scaled.coordinates.slice(s![.., ..3]).to_owned());
            let apart = (&again - &squares(&x)).mapv(f64::abs);
            assert!(apart.iter().all(|&d| d < 1e-8), "{n_rows} rows");
            let transformed = between
                .coordinates(&run, &scaled.means, &scaled.weights.view())
                .unwrap();
            let apart = &transformed - &scaled.coordinates.slice(s![.., ..3]);
            assert!(apart.iter().all(|d| d.abs() < 1e-8));
            let measured = fidelity(&run, &between, &scaled, options()).unwrap();
            assert!(measured.residual_variance[2].abs() < 1e-9);
            assert!(measured.residual_variance[1] > 1e-3);
            assert!(measured.negative_share < 1e-9 && measured.reconstruction_error < 1e-6);
        }
    }

    #[test]
    fn rows_in_one_place_are_refused_and_a_line_has_one_coordinate() {
        let run = Run::new();
        let nothing = Squares::between(Array2::zeros((20, 20)));
        assert!(matches!(
            scale(&run, &nothing, options()),
            Err(Error::Degenerate { .. })
        ));
        let line = Squares::between(squares(&cloud(20, 1)));
        let scaled = scale(&run, &line, options()).unwrap();
        assert_eq!(scaled.rank, 1);
        assert!(scaled.coordinates.column(1).iter().all(|&v| v == 0.0));
        assert!(scaled.weights.iter().all(|v| v.is_finite()));
    }
}
