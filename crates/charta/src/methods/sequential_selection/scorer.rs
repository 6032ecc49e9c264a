//! Scorers: what learns from a set of features on the training rows of every cross-validation split and predicts the
//! held-out rows. A scorer is updated as single features are added and removed instead of fitted anew.

use ndarray::Array2;
use rayon::prelude::*;

use crate::data::ScoreFunction;
use crate::error::{Error, Result, message};
use crate::params::Choice;
use crate::run::Run;

use super::k_nearest;
use super::linear_models::LinearModel;
use super::logistic::LogisticModel;
use super::naive_bayes::NaiveBayesModel;
use super::problem::Problem;
use super::target::Kind;

/// The predictor whose held-out error decides between sets of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Scorer {
    /// k nearest neighbours: their majority vote for classes, their mean for numbers.
    KNearest,
    /// Least squares, for numbers.
    Linear,
    /// Ridge regression, for numbers.
    Ridge,
    /// Linear discriminant analysis, for classes.
    Lda,
    /// Gaussian naive Bayes, for classes.
    NaiveBayes,
    /// Logistic regression with an L2 penalty, for classes. Refitted from the previous solution.
    Logistic,
}

impl Scorer {
    /// What it predicts, where `wanted` is requested of one that predicts either.
    pub(super) fn kind(self, wanted: Kind) -> Kind {
        match self {
            Self::KNearest => wanted,
            Self::Linear | Self::Ridge => Kind::Numbers,
            Self::Lda | Self::NaiveBayes | Self::Logistic => Kind::Classes,
        }
    }

    /// Its name with its parameters, for the report.
    pub(super) fn title(self, n_neighbors: usize, penalty: f64) -> String {
        match self {
            Self::KNearest => format!("{n_neighbors} nearest neighbours"),
            Self::Linear => "linear regression".into(),
            Self::Ridge => format!("ridge regression, penalty {penalty}"),
            Self::Lda => "linear discriminant analysis".into(),
            Self::NaiveBayes => "Gaussian naive Bayes".into(),
            Self::Logistic => format!("logistic regression, penalty {penalty}"),
        }
    }

    /// The scorer of the empty set.
    pub(super) fn evaluator<'p>(
        self,
        run: &Run<'_>,
        problem: &'p Problem,
        n_neighbors: usize,
        penalty: f64,
    ) -> Result<Box<dyn Evaluator + 'p>> {
        match self {
            Self::KNearest => k_nearest::evaluator(problem, n_neighbors),
            Self::Linear | Self::Lda => PerSplit::of(run, problem, |split| {
                LinearModel::new(run, problem, split, 0.0)
            }),
            Self::Ridge => PerSplit::of(run, problem, |split| {
                LinearModel::new(run, problem, split, penalty)
            }),
            Self::NaiveBayes => PerSplit::of(run, problem, |split| {
                Ok(NaiveBayesModel::new(problem, split))
            }),
            Self::Logistic => PerSplit::of(run, problem, |split| {
                Ok(LogisticModel::new(problem, split, penalty))
            }),
        }
    }
}

/// A change of the set by at most one feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Keep,
    Add(usize),
    Remove(usize),
}

impl Change {
    pub(super) fn of(feature: usize, add: bool) -> Self {
        if add {
            Self::Add(feature)
        } else {
            Self::Remove(feature)
        }
    }

    pub(super) fn adds(self) -> bool {
        matches!(self, Self::Add(_))
    }
}

/// A set of features, in the order in which they were added.
#[derive(Clone, Debug)]
pub(super) struct FeatureSet<'p> {
    pub(super) problem: &'p Problem,
    features: Vec<usize>,
}

impl<'p> FeatureSet<'p> {
    pub(super) fn empty(problem: &'p Problem) -> Self {
        Self {
            problem,
            features: Vec::new(),
        }
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Keep => {}
            Change::Add(feature) => self.features.push(feature),
            Change::Remove(feature) => self.features.retain(|&member| member != feature),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// True if a change leaves no feature.
    pub(super) fn is_empty_after(&self, change: Change) -> bool {
        match change {
            Change::Keep => self.is_empty(),
            Change::Add(_) => false,
            Change::Remove(feature) => self.features.iter().all(|&member| member == feature),
        }
    }

    /// The columns of the set, in the order of its features.
    pub(super) fn columns(&self) -> Vec<usize> {
        let features = self.features.iter();
        features
            .flat_map(|&feature| self.problem.columns_of(feature).iter().copied())
            .collect()
    }

    /// The columns of the set after a change.
    pub(super) fn columns_after(&self, change: Change) -> Vec<usize> {
        let mut after = self.clone();
        after.apply(change);
        after.columns()
    }

    /// The columns that a change adds or removes.
    pub(super) fn changed_columns(&self, change: Change) -> &'p [usize] {
        match change {
            Change::Keep => &[],
            Change::Add(feature) | Change::Remove(feature) => self.problem.columns_of(feature),
        }
    }
}

/// Scores of a set of features that changes by one feature at a time, on every split.
pub(super) trait Evaluator: Send + Sync {
    /// The score of the set after each of the changes: a row per change, a column per split. The set stays as it is.
    fn scores(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>>;

    /// Changes the set, which is empty at first.
    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()>;
}

/// What a scorer has learned from the training rows of one split.
pub(super) trait SplitModel: Send + Sync {
    /// The score on the held-out rows after a change that leaves at least one feature.
    fn score(&self, set: &FeatureSet<'_>, change: Change) -> Result<f64>;

    /// Learns a change of the set; `set` is the one before it.
    fn apply(&mut self, run: &Run<'_>, set: &FeatureSet<'_>, change: Change) -> Result<()>;
}

/// An evaluator that holds one model for every split. Without features it scores the best constant prediction.
struct PerSplit<'p, M> {
    set: FeatureSet<'p>,
    models: Vec<M>,
}

impl<'p, M: SplitModel + 'p> PerSplit<'p, M> {
    fn of(
        run: &Run<'_>,
        problem: &'p Problem,
        model: impl Fn(usize) -> Result<M> + Sync,
    ) -> Result<Box<dyn Evaluator + 'p>> {
        let models = (0..problem.splits.len())
            .into_par_iter()
            .map(|split| {
                run.check()?;
                model(split)
            })
            .collect::<Result<_>>()?;
        let set = FeatureSet::empty(problem);
        Ok(Box::new(Self { set, models }))
    }
}

impl<M: SplitModel> Evaluator for PerSplit<'_, M> {
    fn scores(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        let size = (changes.len(), self.models.len());
        let scores = (0..size.0 * size.1).into_par_iter().map(|job| {
            run.check()?;
            let (change, split) = (changes[job / size.1], job % size.1);
            if self.set.is_empty_after(change) {
                Ok(self.set.problem.baseline(split))
            } else {
                self.models[split].score(&self.set, change)
            }
        });
        let scores = scores.collect::<Result<Vec<f64>>>()?;
        Ok(Array2::from_shape_vec(size, scores).expect("one score per change and split"))
    }

    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        self.models.par_iter_mut().try_for_each(|model| {
            run.check()?;
            model.apply(run, &self.set, change)
        })?;
        self.set.apply(change);
        Ok(())
    }
}

/// The evaluator of a score function given by the caller.
pub(super) fn custom<'p>(
    run: &Run<'_>,
    problem: &'p Problem,
    function: ScoreFunction<'p>,
) -> Result<Box<dyn Evaluator + 'p>> {
    PerSplit::of(run, problem, |split| Ok(CustomModel { function, split }))
}

/// A score function of the caller; it fits its own model for every set.
struct CustomModel<'a> {
    function: ScoreFunction<'a>,
    split: usize,
}

impl SplitModel for CustomModel<'_> {
    fn score(&self, set: &FeatureSet<'_>, change: Change) -> Result<f64> {
        let columns = set.columns_after(change);
        let score = self.function.of(&columns, self.split)?;
        if !score.is_finite() {
            return Err(Error::degenerate(message!(
                "the score of {:columns} {columns:?} on split {} is {score}",
                self.split
            )));
        }
        let larger_is_better = set.problem.measure.larger_is_better();
        Ok(if larger_is_better { score } else { -score })
    }

    fn apply(&mut self, _run: &Run<'_>, _set: &FeatureSet<'_>, _change: Change) -> Result<()> {
        Ok(())
    }
}
