//! All that is found of the dimension of data: the estimates, the rules for the number of components, and one verdict.

use serde_json::{Value as Json, json};

use super::intrinsic::{Intrinsic, IntrinsicOptions, fukunaga_olsen, participation_ratio};
use super::scree::{Scree, ScreeOptions};
use super::verdict::Verdict;
use crate::data::{Data, Source};
use crate::error::{Message, Result, Vocabulary, message};
use crate::run::Run;

/// The dimension of data by every estimator and rule, with the verdict on them.
#[derive(Clone, Debug)]
pub struct Report {
    /// The estimators by neighbours.
    pub intrinsic: Intrinsic,
    /// The variances of the principal components, of data that has features.
    pub scree: Option<Scree>,
    /// One dimension, and why.
    pub verdict: Verdict,
}

/// What an estimator found.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The estimator, in words.
    pub name: String,
    /// The dimension; none if the estimator does not apply.
    pub dimension: Option<f64>,
    /// The median over the rows, where rows have a number each.
    pub of_rows: Option<f64>,
    /// Why it does not apply, or a remark.
    pub note: Option<Message>,
}

impl Report {
    /// Estimates the dimension of data in every way that it allows.
    ///
    /// ```
    /// use charta::dimension::{IntrinsicOptions, Report, ScreeOptions};
    /// let roll = charta::data::synthetic::swiss_roll(1000, 0.0, 0)?;
    /// let options = IntrinsicOptions::default();
    /// let report = Report::of(&charta::Run::new(), &(&roll).into(), &options, &ScreeOptions::default())?;
    /// assert_eq!(report.verdict.dimension, 2);
    /// assert!(report.estimates().iter().any(|estimate| estimate.name == "two nn"));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(
        run: &Run<'_>,
        data: &Data<'_>,
        options: &IntrinsicOptions,
        scree_options: &ScreeOptions,
    ) -> Result<Self> {
        let intrinsic = Intrinsic::of(run, data, options)?;
        let scree = match data.source() {
            Source::Features(_) => Some(Scree::of(run, data, scree_options)?),
            _ => None,
        };
        let verdict = Verdict::of(run, data, &intrinsic, scree.as_ref(), options)?;
        Ok(Self {
            intrinsic,
            scree,
            verdict,
        })
    }

    /// The result of each estimator: those by neighbours, then those of all principal variances.
    pub fn estimates(&self) -> Vec<Estimate> {
        let by_neighbors = self.intrinsic.estimates.iter().map(|estimate| Estimate {
            name: estimate.name.replace('_', " "),
            dimension: estimate.dimension,
            of_rows: (estimate.of_rows.as_ref()).and_then(|each| median(each.iter().copied())),
            note: estimate.problem.clone(),
        });
        let mut estimates: Vec<Estimate> = by_neighbors.collect();
        if let Some(scree) = &self.scree {
            let variances = scree.variances.to_vec();
            let global = |name: &str, dimension: f64| Estimate {
                name: name.into(),
                dimension: Some(dimension),
                of_rows: None,
                note: Some(message!("all {:rows} at once")),
            };
            estimates.push(global(
                "eigenvalues above 5 % of the largest (Fukunaga–Olsen)",
                fukunaga_olsen(&variances) as f64,
            ));
            estimates.push(global(
                "participation ratio",
                participation_ratio(&variances),
            ));
        }
        estimates
    }

    /// The number of components that each rule keeps.
    pub fn rules(&self) -> Vec<(String, Option<usize>)> {
        let rules = self.scree.iter().flat_map(|scree| &scree.suggestions);
        rules
            .map(|rule| (rule.rule.clone(), rule.n_components))
            .collect()
    }

    /// Everything as JSON, with sentences in the words of a front.
    pub fn to_json(&self, words: &dyn Vocabulary) -> Json {
        let estimates: Vec<Json> = self
            .estimates()
            .into_iter()
            .map(|of| {
                json!({
                    "estimator": of.name,
                    "dimension": of.dimension,
                    "median_of_rows": of.of_rows,
                    "note": of.note.map_or_else(String::new, |note| note.render(words)),
                })
            })
            .collect();
        let rules: Vec<Json> = self
            .rules()
            .into_iter()
            .map(|(rule, kept)| json!({"rule": rule, "n_components": kept}))
            .collect();
        let scree = self.scree.as_ref();
        json!({
            "verdict": self.verdict.to_json(words),
            "estimates": estimates,
            "rules": rules,
            "recommendation": scree.map(|scree| scree.recommendation.to_json(words)),
            "parallel_analysis": scree.map(Scree::parallel_json),
            "n_duplicates": self.intrinsic.n_duplicates,
        })
    }
}

/// The median of the finite values.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    let (low, high) = (values.get(n.saturating_sub(1) / 2)?, values.get(n / 2)?);
    Some(f64::midpoint(*low, *high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_finite_values_only() {
        assert_eq!(
            median([3.0, f64::NAN, 1.0, 2.0, 10.0].into_iter()),
            Some(2.5)
        );
        assert_eq!(median([f64::NAN].into_iter()), None);
    }
}
