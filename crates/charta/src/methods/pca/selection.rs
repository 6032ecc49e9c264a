//! From axes to a model: how many are kept, and what is known of them.

use ndarray::{Array1, s};

use super::missing::Gaussian;
use super::{PcaModel, PcaParts};

use crate::dimension::{Components, ParallelAnalysis, elbow, minka, proportion};
use crate::error::{Column, Error, Result, Warning, check_count};
use crate::linalg::moments::Moments;
use crate::message;
use crate::run::Run;
use crate::spectral::principal::{Axes, Solver, constant_data, from_moments};

/// What was fitted, besides the axes.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Mean of the rows.
    pub mean: Array1<f64>,
    /// What each column was multiplied by, for axes of the correlation.
    pub factors: Option<Array1<f64>>,
    /// The columns' own sums of squares, before any factors.
    pub spreads: Array1<f64>,
    /// Rows that were fitted.
    pub n_rows: usize,
    /// The route taken.
    pub solver: String,
    /// Missing values estimated.
    pub n_missing: usize,
    /// Rows left out.
    pub n_left_out: usize,
    /// What fills missing values of new rows, if anything.
    pub filler: Option<Gaussian>,
}

/// How the model is made from the axes.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// How many components.
    pub components: Components,
    /// Random data sets drawn for the `parallel` rule.
    pub repetitions: usize,
    /// Divide sums of squares by n instead of n − 1.
    pub population: bool,
    /// Divide coordinates by their standard deviation.
    pub whiten: bool,
    /// Divide columns by their standard deviation first.
    pub standardize: bool,
    /// Seed of the random data.
    pub seed: u64,
}

impl Keep {
    /// The number of components, if it is given and not to be found.
    pub fn wanted(&self) -> Option<usize> {
        match self.components {
            Components::Count(count) => Some(count),
            _ => None,
        }
    }

    /// What sums of squares of `n_rows` rows are divided by.
    pub fn divisor(&self, n_rows: usize) -> f64 {
        if self.population {
            n_rows as f64
        } else {
            (n_rows - 1) as f64
        }
    }

    /// Fails if there are too few rows, or fewer possible axes than wanted.
    pub fn check(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        if n_rows < 2 {
            return Err(Error::too_few_rows(
                message!("finding principal axes"),
                2,
                n_rows,
            ));
        }
        self.wanted()
            .map_or(Ok(()), |count| check_count(count, n_rows, n_columns))
    }

    /// What is known before the axes: the mean, and the factors of standardised columns. Constant
    /// columns keep the factor 1, and are named.
    pub fn fitted(
        &self,
        run: &Run<'_>,
        (mean, spreads): (Array1<f64>, Array1<f64>),
        n_rows: usize,
        names: Option<&[String]>,
    ) -> Result<Fitted> {
        let divisor = self.divisor(n_rows);
        let constant: Vec<usize> = (0..spreads.len()).filter(|&j| spreads[j] == 0.0).collect();
        if let Some(&first) = constant.first()
            && self.standardize
        {
            run.warn(Warning::ConstantColumns {
                count: constant.len(),
                first: Column::new(first, names),
            })?;
        }
        let factors = spreads.mapv(|spread| match spread {
            0.0 => 1.0,
            _ => (spread / divisor).sqrt().recip(),
        });
        Ok(Fitted {
            factors: self.standardize.then_some(factors),
            mean,
            spreads,
            n_rows,
            solver: String::new(),
            n_missing: 0,
            n_left_out: 0,
            filler: None,
        })
    }

    /// Axes from moments.
    pub fn from_moments(
        &self,
        run: &Run<'_>,
        mut moments: Moments,
        names: Option<&[String]>,
    ) -> Result<(Axes, Fitted)> {
        let known = (moments.mean().clone(), moments.spreads());
        let mut fitted = self.fitted(run, known, moments.count(), names)?;
        fitted.solver = Solver::Covariance.to_string();
        if let Some(factors) = &fitted.factors {
            moments.scale_scatter(factors);
        }
        run.stage("eigenvectors")?;
        Ok((from_moments(&moments, self.wanted())?, fitted))
    }

    /// The model with the components that the rule keeps.
    pub fn model(&self, run: &Run<'_>, axes: Axes, fitted: Fitted) -> Result<PcaModel> {
        if axes.total <= 0.0 {
            return Err(constant_data());
        }
        let divisor = self.divisor(fitted.n_rows);
        let n_real = axes.rank();
        let variances = axes.scatters.mapv(|scatter| scatter / divisor);
        let real = variances.slice(s![..n_real]).to_vec();
        let count = self.count(run, &real, axes.total / divisor, &fitted)?;
        let count = count.min(axes.vectors.nrows());
        if count > n_real {
            run.warn(Warning::RankDeficient {
                asked: count,
                rank: n_real,
            })?;
        }
        let mut kept = variances.slice(s![..count]).to_owned();
        kept.slice_mut(s![n_real.min(count)..]).fill(0.0);
        Ok(PcaModel::new(PcaParts {
            axes: axes.vectors.slice(s![..count, ..]).to_owned(),
            variances: kept,
            spectrum: axes
                .spectrum
                .map(|all| all.mapv(|scatter| scatter / divisor)),
            total_variance: axes.total / divisor,
            mean: fitted.mean,
            factors: fitted.factors,
            n_rows: fitted.n_rows,
            divisor,
            whiten: self.whiten,
            filler: fitted.filler,
            solver: fitted.solver,
            rule: self.components.to_string(),
            residual: axes.residual,
            n_missing: fitted.n_missing,
            n_left_out: fitted.n_left_out,
        }))
    }

    fn count(&self, run: &Run<'_>, real: &[f64], total: f64, fitted: &Fitted) -> Result<usize> {
        match self.components {
            Components::Count(count) => Ok(count),
            Components::Proportion(share) => Ok(proportion(real, total, share)),
            Components::Elbow => Ok(elbow(real)),
            Components::Mle => minka(real, fitted.n_rows),
            Components::Parallel => self.parallel(run, real, fitted),
        }
    }

    fn parallel(&self, run: &Run<'_>, real: &[f64], fitted: &Fitted) -> Result<usize> {
        run.stage("parallel analysis")?;
        let analysis = ParallelAnalysis {
            repetitions: self.repetitions,
            correlation: fitted.factors.is_some(),
            seed: self.seed,
            ..ParallelAnalysis::default()
        };
        // Random eigenvalues come with n − 1; what is compared must have the same divisor.
        let sample = (fitted.n_rows - 1) as f64;
        let variances = fitted.spreads.mapv(|spread| spread / sample);
        let thresholds = analysis.thresholds(run, fitted.n_rows, &variances)?;
        let scale = self.divisor(fitted.n_rows) / sample;
        let observed: Vec<f64> = real.iter().map(|variance| variance * scale).collect();
        let count = ParallelAnalysis::count(&observed, &thresholds);
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
