//! Sequential feature selection: the columns that predict a label best, found by adding and removing one at a time.
//!
//! # Idea
//! Many columns are redundant or irrelevant for the prediction of a label. There are 2ᵈ sets of d columns, too many to
//! try; but a good set can be improved by a single column more or fewer. A set is scored by cross-validation: a predictor
//! learns from the training rows and predicts the held-out rows. The result are columns as they were measured, with their
//! names, not mixtures of all.
//!
//! # Steps
//! 1. Split the rows into training and held-out rows, by k-fold cross-validation or a hold-out fraction ([`Validation`]).
//! 2. Score every set that differs by one feature from the current one: a [`Scorer`] learns from the training rows and
//!    predicts the held-out rows, by an update of its state for the current set.
//! 3. Take the best change, again and again, in the given [`Direction`].
//! 4. Keep the best set on the path, or that of the requested size, with the whole path ([`SelectionModel`]).
//!
//! # Objective
//! The `measure` on the held-out rows, averaged over the splits. Errors are minimized: a log loss, a mean squared or
//! absolute error as it is, an accuracy or R² as 1 minus it. Forward adds the feature with the lowest error, backward
//! removes the one without which it is lowest. Of equal ones the first column is taken, whatever the number of threads.
//!
//! # Cost
//! About d²/2 sets are evaluated on a path through all d features, d k − k²/2 on the way to k of them. A set costs, with n
//! rows and s splits that hold out n/s each: `k_nearest` n²(1 − 1/s) additions and comparisons at most, and mostly much
//! fewer, because squared distances of the current set are stored and rows that are too far by them are not compared again
//! (up to 1 GiB; beyond that they are summed anew in each step); `linear` and `ridge` a handful of operations, with one
//! pass over a d × d matrix for each step and split; `lda` and `naive_bayes` n times the number of classes; `logistic` a
//! fit by L-BFGS, started from the weights of the current set.
//!
//! # Choosing parameters
//! `floating_forward` finds better sets than `forward` for a few times the cost; `backward` suits sets from which little is
//! removed. By default the whole path is searched and the set with the lowest cross-validation error kept; the report has
//! the best number of features in any case (`best_n_features`, `best_error`), and a warning says if fewer features than
//! the ones kept had a lower error. `epsilon` ends the search as soon as a step gains too little. `k_nearest` needs
//! columns of the same scale (`--scale z-score`); `linear` and `lda` are the fastest. `n_repeats` makes the choice more
//! stable where there are few rows. The error of the chosen set is the lowest of many, and so optimistic: estimate it on
//! new rows. Text columns become one column of zeros and ones for each word, and those are one feature by `separator`, or
//! by [`Data::with_column_groups`](crate::Data::with_column_groups); rows that belong together are held out together by
//! [`Data::with_row_groups`](crate::Data::with_row_groups).
//!
//! # New points
//! The chosen columns of the new rows. The inverse transform has the training rows' mean in all other columns.
//!
//! # Differences
//! With `shuffle = false`, folds are those of scikit-learn's `StratifiedKFold` and `KFold`, and forward and backward choose
//! what its `SequentialFeatureSelector` chooses with the same estimator. scikit-learn does not say which of equally distant
//! neighbours it takes; here it is the first row. By default rows are shuffled, which scikit-learn does not do, and the
//! best set on the path is kept, where scikit-learn keeps half of the features (`n_components = half`). `epsilon`
//! stops where a step gains no more than that; scikit-learn's `tol` stops below it. The floating directions are those of
//! mlxtend: a step back must also improve on the current set, where Pudil, Novovičová and Kittler ask only for the best set
//! of its size. Least squares gives a column that is a linear combination of others no weight; scikit-learn spreads it.
//!
//! # References
//! Whitney, "A direct method of nonparametric measurement selection", 1971. Marill and Green, "On the effectiveness of
//! receptors in recognition systems", 1963. Pudil, Novovičová and Kittler, "Floating search methods in feature selection",
//! 1994. Beaton, "The use of special matrix operators in statistical calculus", 1964.
//!
//! # Example
//! ```
//! use charta::methods::sequential_selection::SequentialSelection;
//! use charta::{Data, Fit, Labels};
//! use ndarray::Array2;
//! // The third column separates the classes, the others are noise.
//! let x = Array2::from_shape_fn((60, 4), |(i, j)| match j {
//!     2 => (i % 2) as f64 + 0.001 * i as f64,
//!     _ => ((i * (7 + j * 3)) % 11) as f64,
//! });
//! let words: Vec<&str> = (0..60).map(|i| ["a", "b"][i % 2]).collect();
//! let data = Data::from(&x).with_labels(Labels::from_words(&words))?;
//! let model = SequentialSelection::default().fit(&data)?;
//! assert_eq!(model.columns(), [2]);
//! assert_eq!(model.chosen().error, 0.0);
//! # Ok::<(), charta::Error>(())
//! ```

mod cross_validation;
mod features;
mod k_nearest;
mod linear_models;
mod logistic;
mod measure;
mod model;
mod naive_bayes;
mod neighbor_search;
mod problem;
mod scorer;
mod search;
mod sweep;
#[cfg(test)]
mod tests;

pub use cross_validation::Validation;
pub use measure::Measure;
pub use model::SelectionModel;
pub use problem::Kind;
pub use scorer::Scorer;
pub use search::{Direction, Step, Subset};

use ndarray::Array1;

use self::cross_validation::given_splits;
use self::features::{column_groups, feature_name};
use self::k_nearest::stored_bytes;
use self::problem::{Columns, Problem, Target};
use crate::data::columns::{Columns as ColumnStatistics, warn_constant};
use crate::data::{Data, Features};
use crate::error::{Result, Warning, counted, message};
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::Transform;
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// The number of features to keep.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum FeatureCount {
    /// The set with the lowest cross-validation error on the search path; with `epsilon`, the set at which the search ends.
    Auto,
    /// The set with the lowest cross-validation error on the search path, also with `epsilon`.
    Best,
    /// Half of the features; with `epsilon`, the set at which the search ends. This is scikit-learn's `auto`.
    Half,
    /// Exactly this number of features.
    #[choice(min = 1)]
    Count(usize),
    /// This fraction of the features.
    #[choice(above = 0.0, below = 1.0)]
    Share(f64),
}

impl From<usize> for FeatureCount {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

/// Parameters of sequential feature selection.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct SequentialSelection {
    /// Number of features to keep: a number, a fraction of the features, or a rule. Fewer are easier to interpret and overfit less, too few
    /// lose accuracy.
    #[param(default = FeatureCount::Auto)]
    pub n_components: FeatureCount,
    /// Direction of the search. `forward` is the fastest for few features, the floating directions find better sets for a few times the cost.
    #[param(default = Direction::Forward)]
    pub direction: Direction,
    /// Minimum improvement of the error in a step: the search ends when a step lowers the error by no more than this, or, backward, raises it by at least this. Larger values keep fewer features forward and backward.
    #[param(default = None)]
    pub epsilon: Option<f64>,
    /// Number of features added in each turn of `plus_minus`. Larger values explore more sets; usually 1 to 5.
    #[param(default = 2, min = 1)]
    pub plus: usize,
    /// Number of features removed in each turn of `plus_minus`. Larger values explore more sets; usually 1 to 5, and never the same as `plus`.
    #[param(default = 1, min = 1)]
    pub minus: usize,
    /// Predictor that learns from the training rows and predicts the held-out rows.
    #[param(default = Scorer::KNearest)]
    pub scorer: Scorer,
    /// Measure of the predictions for the held-out rows.
    #[param(default = Measure::Auto)]
    pub measure: Measure,
    /// Whether labels are classes or numbers, for a scorer that can predict either.
    #[param(default = Kind::Auto)]
    pub target: Kind,
    /// Number of nearest neighbours of the scorer `k_nearest`. Larger values smooth the predictions; usually 3 to 15.
    #[param(default = 5, min = 1)]
    pub n_neighbors: usize,
    /// L2 penalty of the scorers `ridge` and `logistic`. Larger values shrink the coefficients more; usually 0.001 to 1000.
    #[param(default = 1.0, above = 0.0)]
    pub penalty: f64,
    /// Cross-validation: a number of folds, or a fraction of the rows to hold out. More folds train on more rows and cost more time; usually 5 or 10.
    #[param(default = Validation::Folds(5))]
    pub validation: Validation,
    /// Number of times that cross-validation is repeated with other splits. More repetitions make the choice more stable and cost proportionally more time; usually 1 to 10.
    #[param(default = 1, min = 1)]
    pub n_repeats: usize,
    /// Stratify the splits: hold out rows of each class in the same proportion.
    #[param(default = true)]
    pub stratify: bool,
    /// Shuffle the rows before they are split. Without, folds are consecutive rows.
    #[param(default = true)]
    pub shuffle: bool,
    /// Columns whose names agree up to this text are one feature: `=` for `colour=red` and `colour=blue`.
    #[param(default = None)]
    pub separator: Option<String>,
    /// Seed of the splits.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for SequentialSelection {
    const INFO: Info = Info {
        name: "sequential_selection",
        title: "Sequential feature selection",
        summary: "The columns that predict a label best, by forward, backward, floating or exhaustive search with cross-validation",
        family: Family::Selection,
        reference: "Whitney 1971; Pudil, Novovičová and Kittler 1994",
        takes: &[Input::Sparse],
        offers: &[Capability::Inverse],
        labels: LabelUse::Required,
        pictures: &["errors"],
        first_picture: true,
        ..Info::DEFAULT
    };

    type Model = SelectionModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SelectionModel> {
        run.stage("columns")?;
        let features = data.features(Self::INFO.name)?;
        data.check_finite()?;
        let (target, rows) = self.target(run, data)?;
        let means = means(run, data, features)?;
        let groups = column_groups(data, features.n_columns(), self.separator.as_deref())?;
        let splits = match (data.splits(), data.row_groups()) {
            (Some(splits), _) => given_splits(splits, &rows, &target)?,
            (None, Some(groups)) => {
                let groups: Vec<u32> = rows.iter().map(|&row| groups[row]).collect();
                self.splits(&target, Some(&groups))?
            }
            (None, None) => self.splits(&target, None)?,
        };
        let (columns, scale) = Columns::of(features, &rows);
        let problem = Problem {
            columns,
            scale,
            features: groups,
            measure: self.measure.resolve(&target)?,
            target,
            splits,
        };
        run.stage("search")?;
        let (scorer, evaluator) = match data.score() {
            Some(function) => (
                "a function".into(),
                scorer::custom(run, &problem, function)?,
            ),
            None => (self.scorer_title(), self.evaluator(run, &problem)?),
        };
        let path = self.search(run, &problem, evaluator)?;
        let names = data.column_names();
        let features = problem.features;
        let chosen = path.chosen.features.iter();
        let mut columns: Vec<usize> = chosen.flat_map(|&f| features[f].iter().copied()).collect();
        columns.sort_unstable();
        let mut model = SelectionModel {
            columns,
            column_names: names.map(<[String]>::to_vec),
            means,
            feature_names: features.iter().map(|f| feature_name(names, f)).collect(),
            features,
            steps: path.steps,
            by_size: path.by_size,
            chosen: path.chosen,
            n_evaluated: path.n_evaluated,
            measure: problem.measure,
            scorer,
            direction: self.direction.to_string(),
            n_splits: problem.splits.len(),
            n_rows: rows.len(),
            n_left_out: data.n_rows() - rows.len(),
            embedding: None,
        };
        warn_if_smaller_is_better(run, &model)?;
        model.embedding = Some(model.transform_in(run, data)?);
        Ok(model)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let (share, n_splits) = match self.validation {
            Validation::Folds(count) => (1.0 / count as f64, count),
            Validation::HoldOut(share) => (share, 1),
        };
        let n_splits = n_splits.saturating_mul(self.n_repeats);
        let n_held_out = ((n as f64 * share) as usize).saturating_add(1).min(n);
        let scatter = (d.saturating_mul(n_splits), d);
        let held_out = (n_held_out.saturating_mul(n_splits), d);
        let bytes = shape.precision.bytes();
        let blocks = (n.saturating_add(1024), d);
        let plan = Plan::new("sequential search with cross-validation")
            .needs("columns", (n, d), bytes)
            .needs("embedding and blocks of rows", blocks, 8)
            .advice(message!(
                "use fewer {:rows} or {:columns}, fewer folds, or another scorer"
            ));
        Ok(match self.scorer {
            Scorer::KNearest => {
                let stored = stored_bytes(n, share, n_splits, bytes) as usize;
                plan.needs("columns of a split", (n, d), bytes).needs(
                    "squared distances",
                    (stored, 1),
                    1,
                )
            }
            Scorer::Linear | Scorer::Ridge => plan
                .needs("scatter of each split", scatter, 2 * 8)
                .needs("held-out rows", (n_held_out.saturating_mul(2), d), 8),
            Scorer::Lda => plan.needs("scatter of each split", scatter, 8).needs(
                "held-out rows of each split",
                held_out,
                2 * 8,
            ),
            Scorer::NaiveBayes => plan.needs("held-out rows of each split", held_out, 8),
            Scorer::Logistic => {
                plan.needs("rows of each split", (n.saturating_mul(n_splits), d), 8)
            }
        })
    }
}

impl SequentialSelection {
    /// The target and the rows that have a label.
    fn target(&self, run: &Run<'_>, data: &Data<'_>) -> Result<(Target, Vec<usize>)> {
        let labels = data.required_labels(Self::INFO.name)?;
        let (target, rows) = Target::of(labels, self.kind(), Self::INFO.name)?;
        if rows.len() < data.n_rows() {
            run.warn(Warning::RowsLeftOut {
                count: data.n_rows() - rows.len(),
                reason: message!("their label is missing"),
            })?;
        }
        Ok((target, rows))
    }
}

/// Warns if a smaller set on the path has a lower error than the one kept.
fn warn_if_smaller_is_better(run: &Run<'_>, model: &SelectionModel) -> Result<()> {
    let (chosen, best) = (model.chosen(), model.best());
    if best.features.len() >= chosen.features.len() || best.error >= chosen.error {
        return Ok(());
    }
    run.warn(Warning::doubtful(
        message!("the number of features"),
        message!(
            "the {} of the {} kept is {:.4}, and with {} only {:.4}; {n_components=best} keeps those",
            model.measure().title(),
            counted(chosen.features.len(), "feature"),
            chosen.error,
            best.features.len(),
            best.error
        ),
    ))
}

/// The columns' means; warns of constant columns.
fn means(run: &Run<'_>, data: &Data<'_>, features: &Features<'_>) -> Result<Array1<f64>> {
    let columns = ColumnStatistics::of(features);
    warn_constant(run, data, &columns.spreads.view())?;
    // Where the sum overflows, the middle of the range stands for the mean.
    let middles = &columns.least / 2.0 + &columns.greatest / 2.0;
    let pairs = columns.means.iter().zip(&middles);
    Ok(pairs
        .map(|(&mean, &middle)| if mean.is_finite() { mean } else { middle })
        .collect())
}
