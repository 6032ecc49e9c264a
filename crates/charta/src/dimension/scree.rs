//! All rules for the number of components side by side.

use ndarray::Array1;

use super::parallel::ParallelAnalysis;
use super::spectrum::{elbow, minka, proportion};
use crate::data::Data;
use crate::error::{Error, Result, message};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::run::Run;
use crate::spectral::principal::{Axes, Solver, constant_data, dual, from_moments};

/// The number of components by one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The rule.
    pub rule: String,
    /// How many components it would keep; `None` if it does not apply.
    pub n_components: Option<usize>,
    /// Why it does not apply.
    pub problem: Option<String>,
}

/// The variances along all principal axes, and what each rule reads from them.
#[derive(Clone, Debug)]
pub struct Scree {
    /// Variances, largest first.
    pub variances: Array1<f64>,
    /// Their sum.
    pub total: f64,
    /// The numbers of components by all rules.
    pub suggestions: Vec<Suggestion>,
    /// Random data sets drawn for parallel analysis.
    pub repetitions: usize,
    /// The first component that parallel analysis does not keep; none if it keeps all.
    pub rejected: Option<Rejected>,
}

/// A component that varies no more than those of random data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rejected {
    /// Which one, counted from 1.
    pub component: usize,
    /// Its variance.
    pub variance: f64,
    /// What it would have to be above.
    pub threshold: f64,
    /// The Monte Carlo standard error of the threshold.
    pub threshold_error: f64,
}

/// How the variances are analysed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreeOptions {
    /// Divide columns by their standard deviations (with divisor n) first: the eigenvalues are those of the correlation
    /// matrix times n / (n − 1).
    pub standardize: bool,
    /// Random data sets for parallel analysis; none for [`ParallelAnalysis::repetitions_for`].
    pub repetitions: Option<usize>,
    /// Seed of the random data.
    pub seed: u64,
}

impl Scree {
    /// Analyses features.
    pub fn of(run: &Run<'_>, data: &Data<'_>, options: &ScreeOptions) -> Result<Self> {
        run.install(|| analyse(run, data, options))
    }

    /// The smallest and the largest number suggested.
    pub fn agreement(&self) -> Option<(usize, usize)> {
        let counts = || self.suggestions.iter().filter_map(|s| s.n_components);
        Some((counts().min()?, counts().max()?))
    }
}

fn analyse(run: &Run<'_>, data: &Data<'_>, options: &ScreeOptions) -> Result<Scree> {
    let features = data.features("a scree plot")?;
    let n_rows = features.n_rows();
    if n_rows < 2 {
        return Err(Error::too_few_rows(message!("a scree graph"), 2, n_rows));
    }
    data.check_finite()?;
    run.stage("covariance")?;
    let columns = crate::data::columns::Columns::of(features);
    let divisor = (n_rows - 1) as f64;
    let factors = options
        .standardize
        .then(|| inverse_deviations(&columns.deviations(0.0)));
    let axes = spectrum(run, features, &columns.means, factors.as_ref())?;
    if axes.total <= 0.0 {
        return Err(constant_data());
    }
    let variances = axes.scatters.mapv(|scatter| scatter / divisor);
    let total = axes.total / divisor;
    let n_real = axes.rank();
    let real = &variances.as_slice().expect("a vector is one slice")[..n_real];

    run.stage("parallel analysis")?;
    let by_size = ParallelAnalysis::repetitions_for(n_rows, features.n_columns());
    let analysis = ParallelAnalysis {
        correlation: options.standardize,
        seed: options.seed,
        repetitions: options.repetitions.unwrap_or(by_size),
        ..ParallelAnalysis::default()
    };
    let column_variances = columns.spreads.mapv(|spread| spread / divisor);
    let mut thresholds = analysis.thresholds_with_errors(run, n_rows, &column_variances)?;
    if options.standardize {
        // Random correlation matrices, in the units of columns divided with n.
        let factor = n_rows as f64 / divisor;
        for value in thresholds.values.iter_mut().chain(&mut thresholds.errors) {
            *value *= factor;
        }
    }
    let n_above = ParallelAnalysis::count(real, &thresholds.values);
    let rejected = real.get(n_above).map(|&variance| Rejected {
        component: n_above + 1,
        variance,
        threshold: thresholds.values[n_above],
        threshold_error: thresholds.errors[n_above],
    });
    let suggestions = vec![
        suggestion("proportion 0.8", Ok(proportion(real, total, 0.8))),
        suggestion("proportion 0.9", Ok(proportion(real, total, 0.9))),
        suggestion("proportion 0.95", Ok(proportion(real, total, 0.95))),
        suggestion("elbow", Ok(elbow(real))),
        suggestion("parallel", Ok(n_above)),
        suggestion("mle", minka(real, n_rows)),
    ];
    Ok(Scree {
        variances,
        total,
        suggestions,
        repetitions: analysis.repetitions,
        rejected,
    })
}

fn inverse_deviations(deviations: &Array1<f64>) -> Array1<f64> {
    deviations.mapv(|deviation| {
        if deviation > 0.0 {
            deviation.recip()
        } else {
            1.0
        }
    })
}

fn spectrum(
    run: &Run<'_>,
    features: &crate::data::Features<'_>,
    means: &Array1<f64>,
    factors: Option<&Array1<f64>>,
) -> Result<Axes> {
    let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
    if Solver::Auto.resolve(n_rows, n_columns, None) == Solver::Dual {
        let rows = Rows::new(features, means).scaled(factors);
        return dual(run, &rows, None);
    }
    let mut moments = Moments::of(run, features)?;
    if let Some(factors) = factors {
        moments.scale_scatter(factors);
    }
    run.stage("eigenvalues")?;
    from_moments(&moments, None)
}

fn suggestion(rule: &str, outcome: Result<usize>) -> Suggestion {
    let (n_components, problem) = match outcome {
        Ok(count) => (Some(count), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Suggestion {
        rule: rule.into(),
        n_components,
        problem,
    }
}
