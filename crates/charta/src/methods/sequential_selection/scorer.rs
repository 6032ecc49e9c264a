//! Scorers: what learns from a set of columns on the training rows of every split and predicts the held-out rows. A
//! scorer is updated as columns are added and removed instead of fitted anew.

use ndarray::Array2;

use crate::data::ScoreFunction;
use crate::error::{Error, Result, message};
use crate::parallel;
use crate::params::Choice;
use crate::run::Run;

use super::SequentialSelection;
use super::k_nearest;
use super::linear_models::LinearModel;
use super::logistic::LogisticModel;
use super::naive_bayes::NaiveBayesModel;
use super::problem::{Kind, Problem};

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

impl SequentialSelection {
    /// What the scorer predicts.
    pub(super) fn kind(&self) -> Kind {
        match self.scorer {
            Scorer::KNearest => self.target,
            Scorer::Linear | Scorer::Ridge => Kind::Numbers,
            Scorer::Lda | Scorer::NaiveBayes | Scorer::Logistic => Kind::Classes,
        }
    }

    /// The scorer with its parameters, for the report.
    pub(super) fn scorer_title(&self) -> String {
        match self.scorer {
            Scorer::KNearest => format!("{} nearest neighbours", self.n_neighbors),
            Scorer::Linear => "linear regression".into(),
            Scorer::Ridge => format!("ridge regression, penalty {}", self.penalty),
            Scorer::Lda => "linear discriminant analysis".into(),
            Scorer::NaiveBayes => "Gaussian naive Bayes".into(),
            Scorer::Logistic => format!("logistic regression, penalty {}", self.penalty),
        }
    }

    /// The scorer of the empty set.
    pub(super) fn evaluator<'p>(
        &self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Box<dyn Evaluator + 'p>> {
        match self.scorer {
            Scorer::KNearest => k_nearest::evaluator(problem, self.n_neighbors),
            Scorer::Linear | Scorer::Lda => PerSplit::evaluator(run, problem, |split| {
                LinearModel::new(run, problem, split, 0.0)
            }),
            Scorer::Ridge => PerSplit::evaluator(run, problem, |split| {
                LinearModel::new(run, problem, split, self.penalty)
            }),
            Scorer::NaiveBayes => PerSplit::evaluator(run, problem, |split| {
                Ok(NaiveBayesModel::new(problem, split))
            }),
            Scorer::Logistic => PerSplit::evaluator(run, problem, |split| {
                Ok(LogisticModel::new(problem, split, self.penalty))
            }),
        }
    }
}

/// A change of the set: the columns of one feature, added or removed, or no columns at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change<'p> {
    pub(super) columns: &'p [usize],
    pub(super) add: bool,
}

impl Change<'_> {
    /// The set as it is.
    pub(super) const NONE: Change<'static> = Change {
        columns: &[],
        add: true,
    };

    /// The columns of a set after the change, in the order in which they were added.
    pub(super) fn after(self, set: &[usize]) -> Vec<usize> {
        if self.add {
            return [set, self.columns].concat();
        }
        let kept = set.iter().filter(|column| !self.columns.contains(column));
        kept.copied().collect()
    }

    /// True if the change leaves no column of a set.
    pub(super) fn empties(self, set: &[usize]) -> bool {
        if self.add {
            set.is_empty() && self.columns.is_empty()
        } else {
            set.len() <= self.columns.len()
        }
    }
}

/// Scores of a set of columns, empty at first, on every split.
pub(super) trait Evaluator: Send + Sync {
    /// The score of the set after each of the changes: a row per change, a column per split. The set stays as it is.
    fn scores(&self, run: &Run<'_>, changes: &[Change<'_>]) -> Result<Array2<f64>>;

    /// Changes the set.
    fn apply(&mut self, run: &Run<'_>, change: Change<'_>) -> Result<()>;
}

/// What a scorer has learned from the training rows of one split.
pub(super) trait SplitModel: Send + Sync {
    /// The score on the held-out rows after a change of the set that leaves at least one column.
    fn score(&self, set: &[usize], change: Change<'_>) -> Result<f64>;

    /// Learns a change of the set.
    fn apply(&mut self, run: &Run<'_>, set: &[usize], change: Change<'_>) -> Result<()>;
}

/// An evaluator that holds one model for every split. Without columns it scores the best constant prediction.
struct PerSplit<'p, M> {
    problem: &'p Problem,
    set: Vec<usize>,
    models: Vec<M>,
}

impl<'p, M: SplitModel + 'p> PerSplit<'p, M> {
    fn evaluator(
        run: &Run<'_>,
        problem: &'p Problem,
        model: impl Fn(usize) -> Result<M> + Sync,
    ) -> Result<Box<dyn Evaluator + 'p>> {
        Ok(Box::new(Self {
            problem,
            set: Vec::new(),
            models: parallel::try_map(run, problem.splits.len(), model)?,
        }))
    }
}

impl<M: SplitModel> Evaluator for PerSplit<'_, M> {
    fn scores(&self, run: &Run<'_>, changes: &[Change<'_>]) -> Result<Array2<f64>> {
        let (n_changes, n_splits) = (changes.len(), self.models.len());
        let scores = parallel::try_map(run, n_changes * n_splits, |job| {
            let (change, split) = (changes[job / n_splits], job % n_splits);
            if change.empties(&self.set) {
                Ok(self.problem.baseline(split))
            } else {
                self.models[split].score(&self.set, change)
            }
        })?;
        let scores = Array2::from_shape_vec((n_changes, n_splits), scores);
        Ok(scores.expect("one score per change and split"))
    }

    fn apply(&mut self, run: &Run<'_>, change: Change<'_>) -> Result<()> {
        let set = &self.set;
        parallel::try_for_each(run, &mut self.models, |_, model| {
            model.apply(run, set, change)
        })?;
        self.set = change.after(&self.set);
        Ok(())
    }
}

/// The evaluator of a score function given by the caller.
pub(super) fn custom<'p>(
    run: &Run<'_>,
    problem: &'p Problem,
    function: ScoreFunction<'p>,
) -> Result<Box<dyn Evaluator + 'p>> {
    PerSplit::evaluator(run, problem, |split| {
        Ok(CustomModel {
            problem,
            split,
            function,
        })
    })
}

/// A score function of the caller; it fits its own model for every set.
struct CustomModel<'p> {
    problem: &'p Problem,
    split: usize,
    function: ScoreFunction<'p>,
}

impl SplitModel for CustomModel<'_> {
    fn score(&self, set: &[usize], change: Change<'_>) -> Result<f64> {
        let columns = change.after(set);
        let score = self.function.of(&columns, self.split)?;
        if !score.is_finite() {
            return Err(Error::degenerate(message!(
                "the score of {:columns} {columns:?} on split {} is {score}",
                self.split
            )));
        }
        let larger_is_better = self.problem.measure.larger_is_better();
        Ok(if larger_is_better { score } else { -score })
    }

    fn apply(&mut self, _: &Run<'_>, _: &[usize], _: Change<'_>) -> Result<()> {
        Ok(())
    }
}
