//! All rules for the number of components side by side.

use ndarray::Array1;
use serde_json::{Value as Json, json};

use super::parallel::ParallelAnalysis;
use super::spectrum::{elbow, minka, proportion};
use crate::data::Data;
use crate::error::{Error, Message, Result, Vocabulary, message};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::run::Run;
use crate::spectral::principal::{Axes, Solver, constant_data, dual, from_moments};

/// Components that a picture shows at least, if there are as many.
const FEWEST_SHOWN: usize = 40;

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
    /// One number of components, and why.
    pub recommendation: Recommendation,
}

/// The number of components to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// How many components.
    pub n_components: usize,
    /// The rule it follows.
    pub rule: &'static str,
    /// Why this rule.
    pub reason: Message,
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

    /// Components up to which something happens, for pictures: twice those recommended, four times those before the elbow.
    pub fn n_shown(&self) -> usize {
        let elbow = self.suggestions.iter().find(|rule| rule.rule == "elbow");
        let elbow = elbow.and_then(|rule| rule.n_components).unwrap_or(1);
        (2 * self.recommendation.n_components)
            .max(4 * elbow)
            .max(FEWEST_SHOWN)
    }

    /// Everything as JSON, with sentences in the words of a front.
    pub fn to_json(&self, words: &dyn Vocabulary) -> Json {
        let rules: Vec<Json> = self
            .suggestions
            .iter()
            .map(|rule| json!({"rule": rule.rule, "n_components": rule.n_components, "problem": rule.problem}))
            .collect();
        // A fit keeps at least one component.
        let agreement = self
            .agreement()
            .map(|(least, most)| [least.max(1), most.max(1)]);
        json!({
            "variances": self.variances.to_vec(),
            "total_variance": self.total,
            "rules": rules,
            "parallel_analysis": self.parallel_json(),
            "agreement": agreement,
            "recommendation": self.recommendation.to_json(words),
        })
    }

    /// How far the answer of parallel analysis is certain, as JSON.
    pub(crate) fn parallel_json(&self) -> Json {
        json!({
            "repetitions": self.repetitions,
            "first_rejected": self.rejected.map(|rejected| json!({
                "component": rejected.component,
                "variance": rejected.variance,
                "threshold": rejected.threshold,
                "threshold_error": rejected.threshold_error,
            })),
        })
    }
}

impl Recommendation {
    /// The number, the rule and the reason as JSON.
    pub fn to_json(&self, words: &dyn Vocabulary) -> Json {
        json!({
            "n_components": self.n_components,
            "rule": self.rule,
            "reason": self.reason.render(words),
        })
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
    // Random eigenvalues are those of correlation matrices, the variances those of columns divided with n.
    let unit = if options.standardize {
        n_rows as f64 / divisor
    } else {
        1.0
    };
    let comparable: Vec<f64> = real.iter().map(|variance| variance / unit).collect();
    let compared = analysis.compare(run, n_rows, &column_variances, &comparable)?;
    let n_above = compared.n_above;
    let rejected = compared.next.map(|(threshold, threshold_error)| Rejected {
        component: n_above + 1,
        variance: real[n_above],
        threshold: threshold * unit,
        threshold_error: threshold_error * unit,
    });
    let suggestions = vec![
        suggestion("proportion 0.8", Ok(proportion(real, total, 0.8))),
        suggestion("proportion 0.9", Ok(proportion(real, total, 0.9))),
        suggestion("proportion 0.95", Ok(proportion(real, total, 0.95))),
        suggestion("elbow", Ok(elbow(real))),
        suggestion("parallel", above_random(n_above, options.standardize)),
        suggestion("mle", minka(real, n_rows)),
    ];
    let recommendation = recommend(real, total, n_above);
    Ok(Scree {
        variances,
        total,
        recommendation,
        suggestions,
        repetitions: analysis.repetitions,
        rejected,
    })
}

/// The components above those of random data. Without standardizing, independent columns of these variances look the same as data whose variance lies in few columns:
/// none above them does not mean that there is nothing to keep.
fn above_random(n_above: usize, standardize: bool) -> Result<usize> {
    if n_above > 0 || standardize {
        return Ok(n_above);
    }
    Err(Error::degenerate(message!(
        "no component varies more than {:columns} of these variances would if they were independent: standardize \
         to compare correlations"
    )))
}

/// Parallel analysis, if it keeps any component; otherwise the fewest that hold 90 % of the variance.
fn recommend(variances: &[f64], total: f64, n_above: usize) -> Recommendation {
    if n_above > 0 {
        let share = variances[..n_above].iter().sum::<f64>() / total;
        let all = n_above == variances.len();
        let others = if all {
            Message::new()
        } else {
            message!("; the others do not differ from noise")
        };
        return Recommendation {
            n_components: n_above,
            rule: "parallel",
            reason: message!(
                "{} more than those of random data of this size (parallel analysis) and {} {:.1} % of the variance{others}",
                if n_above == 1 {
                    "it varies"
                } else {
                    "these vary"
                },
                if n_above == 1 { "holds" } else { "hold" },
                100.0 * share
            ),
        };
    }
    Recommendation {
        n_components: proportion(variances, total, 0.9),
        rule: "proportion 0.9",
        reason: message!(
            "the fewest that hold 90 % of the variance; parallel analysis finds no correlation beyond chance between the {:columns}"
        ),
    }
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
        return Ok(with_all(dual(run, &rows, Some(1))?));
    }
    let mut moments = Moments::of(run, features)?;
    if let Some(factors) = factors {
        moments.scale_scatter(factors);
    }
    run.stage("eigenvalues")?;
    Ok(with_all(from_moments(&moments, Some(1))?))
}

/// The scatters along all axes, of which no vectors are needed.
fn with_all(mut axes: Axes) -> Axes {
    if let Some(all) = axes.spectrum.take() {
        axes.scatters = all;
    }
    axes
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
