//! From principal axes to a model: standardization of the columns before, the number of components after.

use ndarray::{Array1, s};

use super::Pca;
use super::model::{PcaModel, PcaReport};
use crate::dimension::{Components, ParallelAnalysis, elbow, minka, proportion};
use crate::error::{Column, Result, Warning, check_count, check_rows, message};
use crate::linalg::moments::Moments;
use crate::run::Run;
use crate::spectral::principal::{Axes, Solver, constant_data, from_moments};

/// What the rows are shifted and, with `standardize`, scaled by before their axes are sought.
pub(super) struct Standardization {
    /// Mean of the rows.
    pub mean: Array1<f64>,
    /// What each centred column is multiplied by; `None` without `standardize`.
    pub factors: Option<Array1<f64>>,
    /// Sum of squares of each centred column, before `factors`.
    pub sums_of_squares: Array1<f64>,
    /// Number of rows.
    pub n_rows: usize,
    /// The sum of their weights, if they have any.
    pub weight: Option<f64>,
}

impl Standardization {
    /// As how many rows they count.
    fn size(&self) -> f64 {
        self.weight.unwrap_or(self.n_rows as f64)
    }
}

/// Principal axes, with what they are axes of.
pub(super) struct Found {
    pub standardization: Standardization,
    pub axes: Axes,
    pub solver: String,
}

impl Pca {
    /// The number of components, if it is given rather than chosen by a rule.
    pub(super) fn fixed_count(&self) -> Option<usize> {
        match self.n_components {
            Components::Count(count) => Some(count),
            _ => None,
        }
    }

    /// Fails if there are too few rows, or fewer possible axes than components.
    pub(super) fn check_size(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        check_rows(message!("finding principal axes"), 2, n_rows)?;
        self.fixed_count()
            .map_or(Ok(()), |count| check_count(count, n_rows, n_columns))
    }

    /// What sums of squares of rows that count as `size` are divided by.
    fn divisor(&self, size: f64) -> f64 {
        if self.population { size } else { size - 1.0 }
    }

    /// Shift and scale from the columns' means and sums of squares, of rows that count as `size`. Standard deviations are with divisor n whatever the
    /// divisor of the variances is, so that the coordinates are those of columns scaled by
    /// [`Scaling::ZScore`](crate::data::Scaling::ZScore). Constant columns keep the factor 1, and are named in a warning.
    pub(super) fn standardization(
        &self,
        run: &Run<'_>,
        mean: Array1<f64>,
        sums_of_squares: Array1<f64>,
        size: f64,
        names: Option<&[String]>,
    ) -> Result<Standardization> {
        let constant: Vec<usize> = (0..sums_of_squares.len())
            .filter(|&column| sums_of_squares[column] == 0.0)
            .collect();
        if let Some(&first) = constant.first()
            && self.standardize
        {
            run.warn(Warning::ConstantColumns {
                count: constant.len(),
                first: Column::new(first, names),
            })?;
        }
        let factors = sums_of_squares.mapv(|sum| {
            if sum == 0.0 {
                1.0
            } else {
                (sum / size).sqrt().recip()
            }
        });
        Ok(Standardization {
            factors: self.standardize.then_some(factors),
            mean,
            sums_of_squares,
            n_rows: size as usize,
            weight: None,
        })
    }

    /// Axes by the covariance matrix.
    pub(super) fn axes_of_moments(
        &self,
        run: &Run<'_>,
        mut moments: Moments,
        names: Option<&[String]>,
    ) -> Result<Found> {
        let (mean, sums_of_squares) = (moments.mean().clone(), moments.spreads());
        let standardization =
            self.standardization(run, mean, sums_of_squares, moments.count() as f64, names)?;
        if let Some(factors) = &standardization.factors {
            moments.scale_scatter(factors);
        }
        run.stage("eigenvectors")?;
        Ok(Found {
            axes: from_moments(&moments, self.fixed_count())?,
            standardization,
            solver: Solver::Covariance.to_string(),
        })
    }

    /// The model with as many components as the rule keeps.
    pub(super) fn model(&self, run: &Run<'_>, found: Found) -> Result<PcaModel> {
        let Found {
            standardization,
            axes,
            solver,
        } = found;
        if axes.total <= 0.0 {
            return Err(constant_data());
        }
        let n_rows = standardization.n_rows;
        let divisor = self.divisor(standardization.size());
        let rank = axes.rank();
        let mut variances = axes.scatters.mapv(|scatter| scatter / divisor);
        let nonzero = variances.slice(s![..rank]).to_vec();
        let total_variance = axes.total / divisor;
        let count = self
            .count(run, &nonzero, total_variance, &standardization)?
            .min(axes.vectors.nrows());
        if count > rank {
            run.warn(Warning::RankDeficient {
                requested: count,
                rank,
            })?;
        }
        variances.slice_mut(s![rank..]).fill(0.0);
        let report = PcaReport {
            variances: variances.slice(s![..count]).to_owned(),
            spectrum: axes
                .spectrum
                .map(|all| all.mapv(|scatter| scatter / divisor)),
            total_variance,
            factors: standardization.factors,
            n_rows,
            weight: standardization.weight,
            divisor,
            whiten: self.whiten,
            filler: None,
            solver,
            rule: self.n_components.to_string(),
            residual: axes.residual,
            n_missing: 0,
            rows_left_out: Vec::new(),
        };
        let components = axes.vectors.slice(s![..count, ..]).to_owned();
        PcaModel::new(standardization.mean, components, report)
    }

    /// The number of components, from the variances along all axes that have one.
    fn count(
        &self,
        run: &Run<'_>,
        variances: &[f64],
        total_variance: f64,
        standardization: &Standardization,
    ) -> Result<usize> {
        match self.n_components {
            Components::Count(count) => Ok(count),
            Components::Proportion(share) => Ok(proportion(variances, total_variance, share)),
            Components::Elbow => Ok(elbow(variances)),
            // A single direction leaves nothing to compare.
            Components::Mle if variances.len() == 1 => Ok(1),
            Components::Mle => minka(variances, standardization.size().round() as usize),
            Components::Parallel => self.parallel_count(run, variances, standardization),
        }
    }

    /// Horn's parallel analysis: the components whose variance is above that of random data.
    fn parallel_count(
        &self,
        run: &Run<'_>,
        variances: &[f64],
        standardization: &Standardization,
    ) -> Result<usize> {
        run.stage("parallel analysis")?;
        let n_rows = standardization.n_rows;
        let analysis = ParallelAnalysis {
            repetitions: self.repetitions,
            correlation: standardization.factors.is_some(),
            seed: self.seed,
            ..ParallelAnalysis::default()
        };
        let sample = (n_rows - 1) as f64;
        let of_columns = standardization.sums_of_squares.mapv(|sum| sum / sample);
        // Random eigenvalues are those of covariances with n − 1, or of correlations: what is compared must be so too.
        let comparable = if analysis.correlation {
            n_rows as f64
        } else {
            sample
        };
        let scale = self.divisor(n_rows as f64) / comparable;
        let observed: Vec<f64> = variances.iter().map(|variance| variance * scale).collect();
        let count = analysis
            .compare(run, n_rows, &of_columns, &observed)?
            .n_above;
        if count == 0 {
            run.warn(Warning::adjusted(
                "n_components",
                0_usize,
                1_usize,
                message!("no component varies more than those of random data"),
            ))?;
        }
        Ok(count.max(1))
    }
}
