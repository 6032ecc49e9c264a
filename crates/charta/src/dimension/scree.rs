//! All rules for the number of components side by side.

use ndarray::Array1;

use super::parallel::ParallelAnalysis;
use super::spectrum::{elbow, minka, proportion};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::message;
use crate::run::Run;
use crate::spectral::principal::{Axes, Solver, constant_data, dual, from_moments};

/// What one rule says.
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
    /// What the rules say.
    pub suggestions: Vec<Suggestion>,
}

impl Scree {
    /// Analyses features; with `standardize`, their correlations.
    pub fn of(run: &Run<'_>, data: &Data<'_>, standardize: bool, seed: u64) -> Result<Self> {
        run.install(|| analyse(run, data, standardize, seed))
    }

    /// The smallest and the largest number suggested.
    pub fn agreement(&self) -> Option<(usize, usize)> {
        let counts = || self.suggestions.iter().filter_map(|s| s.n_components);
        Some((counts().min()?, counts().max()?))
    }
}

fn analyse(run: &Run<'_>, data: &Data<'_>, standardize: bool, seed: u64) -> Result<Scree> {
    let features = data.features("a scree plot")?;
    let n_rows = features.n_rows();
    if n_rows < 2 {
        return Err(Error::too_few_rows(message!("a scree graph"), 2, n_rows));
    }
    data.check_finite()?;
    run.stage("moments")?;
    let columns = crate::data::columns::Columns::of(features);
    let divisor = (n_rows - 1) as f64;
    let factors = standardize.then(|| inverse_deviations(&columns.deviations(1.0)));
    let axes = spectrum(run, features, &columns.means, factors.as_ref())?;
    if axes.total <= 0.0 {
        return Err(constant_data());
    }
    let variances = axes.scatters.mapv(|scatter| scatter / divisor);
    let total = axes.total / divisor;
    let n_real = axes.rank();
    let real = &variances.as_slice().unwrap_or(&[])[..n_real];

    run.stage("parallel analysis")?;
    let analysis = ParallelAnalysis {
        correlation: standardize,
        seed,
        ..ParallelAnalysis::default()
    };
    let column_variances = columns.spreads.mapv(|spread| spread / divisor);
    let thresholds = analysis.thresholds(run, n_rows, &column_variances)?;
    let suggestions = vec![
        suggestion("proportion 0.8", Ok(proportion(real, total, 0.8))),
        suggestion("proportion 0.9", Ok(proportion(real, total, 0.9))),
        suggestion("proportion 0.95", Ok(proportion(real, total, 0.95))),
        suggestion("elbow", Ok(elbow(real))),
        suggestion("parallel", Ok(ParallelAnalysis::count(real, &thresholds))),
        suggestion("mle", minka(real, n_rows)),
    ];
    Ok(Scree {
        variances,
        total,
        suggestions,
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
