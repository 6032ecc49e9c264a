//! Discriminant axes in the feature space of a kernel.
//!
//! The axes are the w with the largest wᵀ B w / wᵀ (S + λ I) w, where S = Σ_c p_c cov_c is the covariance within classes in the
//! feature space and B = M Mᵀ that between them: the columns of M are √p_c (m_c − m), p the priors and m = Σ p_c m_c.
//! With M of few columns, w = (S + λ)⁻¹ M v, where v are eigenvectors of the small Mᵀ (S + λ)⁻¹ M.
//!
//! Exact: S = HᵀH with a row √(p_c / n_c) (φ(x) − m_c) of H for every row x. Then (S + λ)⁻¹ M = (M − Hᵀ (HHᵀ + λ)⁻¹ H M) / λ,
//! where HHᵀ and H M are kernels, centred within classes: one Cholesky factor of the size of the rows.
//!
//! By a dictionary D: S and M in the Nyström features k(x, D) U L^(−½), with U L Uᵀ the kernels between its rows.
//!
//! Mika et al., "Fisher discriminant analysis with kernels", 1999; Baudat and Anouar, "Generalized discriminant
//! analysis using a kernel approach", 2000.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::data::{Classes, Data};
use crate::error::{Error, Result, message};
use crate::kernel::{KernelMatrix, KernelRows};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::eigen::{fix_signs, symmetric};
use crate::linalg::product::product;
use crate::parallel::blocks;
use crate::random::{below, stream};
use crate::run::Run;

/// Rows whose kernels with the dictionary are summed at once.
const BATCH: usize = 2048;
/// Separations below this fraction of the largest are none.
const NOTHING: f64 = 1e-10;
/// Vectors of random signs that estimate a trace.
const DRAWS: usize = 16;

/// Rows in classes.
pub(super) struct Grouped<'a> {
    /// The classes of all rows of the data.
    pub classes: &'a Classes,
    /// Their priors.
    pub priors: &'a Array1<f64>,
    /// The ridge λ as a fraction of the trace of the covariance within classes.
    pub regularization: f64,
}

/// Axes in the space of a kernel. See [`KernelMap`](crate::model::KernelMap) for the letters.
#[derive(Clone, Debug)]
pub(super) struct KernelAxes {
    /// Variance between classes over variance within, ridge included, largest first.
    pub ratios: Array1<f64>,
    /// The coefficients A.
    pub coefficients: Array2<f64>,
    /// The offsets b.
    pub offsets: Array1<f64>,
    /// The weights of the basis rows in the mean m.
    pub mean_weights: Array1<f64>,
    /// The squared length of the mean.
    pub mean_square: f64,
    /// The ridge λ.
    pub ridge: f64,
    /// The effective dimension of the feature space.
    pub effective_dimension: f64,
}

impl Grouped<'_> {
    /// The axes by all rows with a class, which `rows` are, in their order.
    pub(super) fn exact(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        rows: &KernelRows,
    ) -> Result<KernelAxes> {
        run.stage("kernel matrix")?;
        let matrix = KernelMatrix::of(run, rows, data)?.wide();
        run.stage("discriminant axes")?;
        let of_row: Vec<usize> = self.labelled().collect();
        let to_classes = self.class_means(&matrix.view(), &of_row);
        let among = self.class_means(&to_classes.t(), &of_row);
        let middle = to_classes.dot(self.priors);
        let roots = self.priors.mapv(f64::sqrt);
        // K F, where the columns of F are the weights of the rows in the columns of M.
        let apart = (&to_classes - &middle.view().insert_axis(Axis(1))) * &roots;
        let within = self.within(matrix, &to_classes, &among, &of_row);
        let ridge = self.ridge(within.diag().sum(), || {
            let own = among.diag().to_owned();
            self.priors.dot(&own) - self.priors.dot(&among.dot(self.priors))
        })?;
        run.check()?;
        let (factor, effective_dimension) = factored(within, ridge)?;
        let scales = self.scales(&of_row).insert_axis(Axis(1));
        let right = self.less_class_means(&apart, &of_row) * &scales;
        let solved = factor.solve_upper(&factor.solve_lower(&right.view()).view()) * &scales;
        let mut weights = Array2::zeros(apart.dim());
        for (mut line, &class) in weights.rows_mut().into_iter().zip(&of_row) {
            let share = 1.0 / self.classes.counts[class] as f64;
            for (other, weight) in line.iter_mut().enumerate() {
                let own = f64::from(u8::from(other == class)) - self.priors[class];
                *weight = share * own * roots[other];
            }
        }
        let answer = (weights - self.less_class_means(&solved, &of_row)) / ridge;
        let (ratios, turns) = small(&product(&apart.t(), &answer.view()))?;
        let coefficients = product(&answer.view(), &turns.view());
        let mean_weights: Array1<f64> = of_row
            .iter()
            .map(|&class| self.priors[class] / self.classes.counts[class] as f64)
            .collect();
        Ok(KernelAxes {
            offsets: middle.dot(&coefficients),
            mean_square: self.priors.dot(&among.dot(self.priors)),
            ratios,
            coefficients,
            mean_weights,
            ridge,
            effective_dimension,
        })
    }

    /// The axes in the span of a dictionary.
    pub(super) fn by_dictionary(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        rows: &KernelRows,
    ) -> Result<KernelAxes> {
        run.stage("means of the classes")?;
        let means = self.means_of_kernels(run, data, rows)?;
        run.stage("scatter within classes")?;
        let scatter = self.scatter_of_kernels(run, data, rows, &means)?;
        run.stage("discriminant axes")?;
        let among = symmetric(&KernelMatrix::of(run, rows, data)?.wide().view())?;
        let floor =
            among.values.first().copied().unwrap_or(0.0) * among.values.len() as f64 * f64::EPSILON;
        let rank = among.values.iter().take_while(|&&v| v > floor).count();
        let roots = among.values.slice(s![..rank]).mapv(f64::sqrt);
        let basis = &among.vectors.slice(s![..rank, ..]) / &roots.insert_axis(Axis(1));
        let inside = product(&product(&basis.view(), &scatter.view()).view(), &basis.t());
        let middle = self.priors.dot(&means);
        let weights = self.priors.mapv(f64::sqrt).insert_axis(Axis(1));
        let apart = product(&basis.view(), &((&means - &middle) * weights).t());
        let ridge = self.ridge(inside.diag().sum(), || apart.iter().map(|v| v * v).sum())?;
        let (factor, effective_dimension) = factored(inside, ridge)?;
        let answer = factor.solve_upper(&factor.solve_lower(&apart.view()).view());
        let (ratios, turns) = small(&product(&apart.t(), &answer.view()))?;
        let axes = product(&answer.view(), &turns.view());
        let coefficients = product(&basis.t(), &axes.view());
        let projected = basis.dot(&middle);
        Ok(KernelAxes {
            offsets: middle.dot(&coefficients),
            mean_square: projected.dot(&projected),
            mean_weights: basis.t().dot(&projected),
            ratios,
            coefficients,
            ridge,
            effective_dimension,
        })
    }

    /// The classes of the rows that have one.
    fn labelled(&self) -> impl Iterator<Item = usize> {
        self.classes.of_row.iter().flatten().map(|&c| c as usize)
    }

    /// √(p / n) of the class of every row.
    fn scales(&self, of_row: &[usize]) -> Array1<f64> {
        let scale =
            |&class: &usize| (self.priors[class] / self.classes.counts[class] as f64).sqrt();
        of_row.iter().map(scale).collect()
    }

    /// The means of the columns of each class, in every line.
    fn class_means(&self, lines: &ArrayView2<'_, f64>, of_row: &[usize]) -> Array2<f64> {
        let mut means = Array2::zeros((lines.nrows(), self.classes.len()));
        means
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .zip(lines.axis_iter(Axis(0)))
            .for_each(|(mut mean, line)| {
                for (&value, &class) in line.iter().zip(of_row) {
                    mean[class] += value;
                }
                for (mean, &count) in mean.iter_mut().zip(&self.classes.counts) {
                    *mean /= count as f64;
                }
            });
        means
    }

    /// Every line less the mean of the lines of its class.
    fn less_class_means(&self, lines: &Array2<f64>, of_row: &[usize]) -> Array2<f64> {
        let means = self.class_means(&lines.t(), of_row);
        let mut rest = lines.clone();
        for (mut line, &class) in rest.rows_mut().into_iter().zip(of_row) {
            line -= &means.column(class);
        }
        rest
    }

    /// HHᵀ: kernels centred within classes, in the place of the kernels.
    fn within(
        &self,
        mut matrix: Array2<f64>,
        to_classes: &Array2<f64>,
        among: &Array2<f64>,
        of_row: &[usize],
    ) -> Array2<f64> {
        let scales = self.scales(of_row);
        matrix
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .enumerate()
            .for_each(|(row, mut line)| {
                let own = of_row[row];
                for (column, value) in line.iter_mut().enumerate() {
                    let other = of_row[column];
                    let means = to_classes[[row, other]] + to_classes[[column, own]];
                    let centred = *value - means + among[[own, other]];
                    *value = centred * scales[row] * scales[column];
                }
            });
        matrix
    }

    /// λ: a fraction of the variance within classes, or of that between them where there is none within.
    fn ridge(&self, within: f64, between: impl Fn() -> f64) -> Result<f64> {
        let between = between();
        let most = if within > NOTHING * between {
            within
        } else {
            between
        };
        let ridge = self.regularization * most;
        if ridge.is_finite() && ridge > 0.0 {
            Ok(ridge)
        } else {
            Err(same_means())
        }
    }

    /// The mean of the kernels with the dictionary, of each class.
    fn means_of_kernels(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        rows: &KernelRows,
    ) -> Result<Array2<f64>> {
        rows.check(data)?;
        let mut sums = Array2::<f64>::zeros((self.classes.len(), rows.n_rows()));
        for batch in blocks(data.n_rows(), BATCH) {
            let lines = rows.batch(run, data, batch.clone())?.wide();
            for (row, line) in batch.zip(lines.rows()) {
                if let Some(class) = self.classes.of_row[row] {
                    let mut sum = sums.row_mut(class as usize);
                    sum += &line;
                }
            }
            run.check()?;
        }
        for (mut sum, &count) in sums.rows_mut().into_iter().zip(&self.classes.counts) {
            sum /= count as f64;
        }
        Ok(sums)
    }

    /// Σ p cov of the kernels with the dictionary.
    fn scatter_of_kernels(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        rows: &KernelRows,
        means: &Array2<f64>,
    ) -> Result<Array2<f64>> {
        let mut scatter = Array2::zeros((rows.n_rows(), rows.n_rows()));
        let n_rows = data.n_rows();
        for batch in blocks(n_rows, BATCH) {
            let mut lines = rows.batch(run, data, batch.clone())?.wide();
            for (row, mut line) in batch.clone().zip(lines.rows_mut()) {
                match self.classes.of_row[row].map(|class| class as usize) {
                    Some(class) => {
                        let share = self.priors[class] / self.classes.counts[class] as f64;
                        line -= &means.row(class);
                        line *= share.sqrt();
                    }
                    None => line.fill(0.0),
                }
            }
            scatter += &product(&lines.t(), &lines.view());
            run.progress(batch.end as u64, n_rows as u64)?;
        }
        Ok(scatter)
    }
}

/// The factor of a covariance within classes with a ridge, and the effective dimension.
fn factored(mut matrix: Array2<f64>, ridge: f64) -> Result<(Cholesky, f64)> {
    let signs = random_signs(matrix.nrows());
    let times_signs = product(&matrix.view(), &signs.view());
    matrix.diag_mut().mapv_inplace(|entry| entry + ridge);
    let factor = Cholesky::of(&matrix.view()).ok_or_else(|| {
        Error::degenerate(message!(
            "the scatter within classes is not positive definite in the feature space of the kernel, as \
             that of a kernel with negative eigenvalues may be: use a larger \
             {regularization:parameter}, or another kernel"
        ))
    })?;
    let dimension = effective_dimension(&factor, &signs, &times_signs);
    Ok((factor, dimension))
}

/// How many directions of the feature space a fit to the classes uses: (tr A)² / tr A², with A = S (S + λ)⁻¹ the matrix that
/// fits values at the rows by ridge regression. It is the rank of S where λ is 0. A row's own class decides on its fitted
/// value rather than those of the other rows where the square of an entry of A's diagonal is larger than the squares of
/// the rest of its line, on average: where twice this dimension is more than the rows, as for `lda` without a ridge.
///
/// Both traces are estimated from the products with random signs Z (Hutchinson 1989), given with S Z.
fn effective_dimension(factor: &Cholesky, signs: &Array2<f64>, times_signs: &Array2<f64>) -> f64 {
    let fitted = factor.solve_upper(&factor.solve_lower(&times_signs.view()).view());
    let n_draws = signs.ncols() as f64;
    let trace = (signs * &fitted).sum() / n_draws;
    let of_square = fitted.iter().map(|value| value * value).sum::<f64>() / n_draws;
    if of_square > 0.0 {
        trace * trace / of_square
    } else {
        0.0
    }
}

fn random_signs(n_rows: usize) -> Array2<f64> {
    let mut numbers = stream(0, 0);
    Array2::from_shape_fn((n_rows, DRAWS), |_| {
        if below(&mut numbers, 2) == 0 {
            1.0
        } else {
            -1.0
        }
    })
}

/// The eigenvalues of a small symmetric matrix that are not rounding, and its eigenvectors divided by their roots, a column
/// each.
fn small(matrix: &Array2<f64>) -> Result<(Array1<f64>, Array2<f64>)> {
    let found = symmetric(&((matrix + &matrix.t()) * 0.5).view())?;
    let first = found.values.first().copied().unwrap_or(0.0);
    let most = found.values.len().saturating_sub(1);
    let real = |value: &&f64| **value > NOTHING * first && **value > f64::MIN_POSITIVE;
    let count = found.values.iter().take(most).take_while(real).count();
    if count == 0 {
        return Err(same_means());
    }
    let ratios = found.values.slice(s![..count]).to_owned();
    let mut vectors = found.vectors.slice(s![..count, ..]).to_owned();
    fix_signs(vectors.view_mut());
    let turns = vectors / &ratios.mapv(f64::sqrt).insert_axis(Axis(1));
    Ok((ratios, turns.reversed_axes()))
}

fn same_means() -> Error {
    Error::degenerate(message!(
        "the classes have the same mean in the feature space of the kernel, so no axis separates them"
    ))
}
