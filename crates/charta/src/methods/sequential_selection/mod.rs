//! Sequential feature selection: the columns that predict a label best, found by adding and removing one at a time.
//!
//! # Idea
//! Many columns say the same, or nothing, about what is to be predicted. There are 2ᵈ sets of d columns, too many to try;
//! but from a set that is good one gets to a better one by a single column more or fewer. How good a set is, rows tell
//! that were held out while the others were learned from. What comes out are columns as they were measured, with their
//! names, not mixtures of all.
//!
//! # Steps
//! 1. [`methods::sequential_selection::Splitting`](crate::methods::sequential_selection::Splitting): the rows to learn from and those held out.
//! 2. [`methods::sequential_selection::Scorer`](crate::methods::sequential_selection::Scorer): learns from the one and predicts the other, for every set that differs by
//!    one feature from the set at hand, by an update where there is one.
//! 3. [`methods::sequential_selection::search`](crate::methods::sequential_selection::search()): takes the best change, again and again.
//! 4. [`methods::sequential_selection::SelectionModel`](crate::methods::sequential_selection::SelectionModel): the columns, and the whole path.
//!
//! # Objective
//! The `measure` of the held-out rows, averaged over the splits. Errors are made small: a log loss, a mean squared or
//! absolute error as it is, an accuracy or R² as what it lacks to 1. Forward adds the feature with the lowest error,
//! backward removes the one without which it is lowest. Of equal ones the first column wins, whatever the number of
//! threads.
//!
//! # Cost
//! About d k − k²/2 sets are judged on the way to k of d features, d²/2 for the best of the whole path. A set costs, with n
//! rows and s splits that hold out n/s each: `k_nearest` n²(1 − 1/s) additions and comparisons at most, and mostly much fewer,
//! because squared distances of the set at hand are kept and rows that are too far by them are not looked at again (up
//! to 1 GiB; beyond that they are summed anew in each step); `linear` and `ridge` a handful of operations, with one pass
//! over a d × d matrix for each step and split; `lda` and `naive_bayes` n times the number of classes; `logistic` a fit,
//! from the last set's weights.
//!
//! # Choosing parameters
//! `floating_forward` finds better sets than `forward` for a few times the cost; `backward` is for sets of which little is to
//! be left out. `n_components = best` goes all the way and takes the best set on it; `epsilon` stops as soon as a step does
//! not pay. `k_nearest` asks little of the data, but columns should be scaled alike (`--scale z-score`); `linear` and `lda`
//! are the quickest. `n_repeats` steadies the choice where there are few rows. The error of the chosen set is the best of
//! many, and so too good: new rows tell the true one. A column of words becomes one of zeros and ones for each word, and
//! those are one feature by `separator`, or by [`Data::with_column_groups`](crate::Data::with_column_groups); rows that belong
//! together stay on one side of every split by [`Data::with_row_groups`](crate::Data::with_row_groups).
//!
//! # New points
//! The chosen columns of the new rows. The way back has the training rows' mean in all other columns.
//!
//! # Differences
//! With `shuffle = false`, folds are those of scikit-learn's `StratifiedKFold` and `KFold`, and forward and backward choose
//! what its `SequentialFeatureSelector` chooses with the same estimator. scikit-learn does not say which of equally distant
//! neighbours it takes; here it is the first row. By default rows are shuffled, which scikit-learn does not do. `epsilon`
//! stops where a step gains no more than that, as the lectures have it; scikit-learn's `tol` stops below it. The floating
//! directions are those of mlxtend: a step back must also improve on the set it starts from, where Pudil, Novovičová and
//! Kittler ask only for the best set of its size. Least squares gives a column that is a combination of others no weight;
//! scikit-learn spreads it.
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
//! // The third column tells the classes apart, the others are noise.
//! let x = Array2::from_shape_fn((60, 4), |(i, j)| match j {
//!     2 => (i % 2) as f64 + 0.001 * i as f64,
//!     _ => ((i * (7 + j * 3)) % 11) as f64,
//! });
//! let words: Vec<&str> = (0..60).map(|i| ["a", "b"][i % 2]).collect();
//! let data = Data::from(&x).with_labels(Labels::from_words(&words))?;
//! let model = SequentialSelection { n_components: 1.into(), ..SequentialSelection::default() }.fit(&data)?;
//! assert_eq!(model.columns(), [2]);
//! assert_eq!(model.chosen().error, 0.0);
//! # Ok::<(), charta::Error>(())
//! ```

mod descent;
mod discriminant;
mod exhaustive;
mod judge;
mod k_nearest;
mod linear;
mod logistic;
mod measure;
mod model;
mod naive_bayes;
mod nearest_rows;
mod problem;
mod scorer;
mod search;
mod splits;
mod sweep;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod told;

pub use discriminant::LinearDiscriminant;
pub use judge::Judge;
pub use k_nearest::{KNearest, kept_bytes};
pub use linear::LinearRegression;
pub use logistic::LogisticRegression;
pub use measure::Measure;
pub use model::{SelectionModel, SelectionParts};
pub use naive_bayes::NaiveBayes;
pub use problem::{Columns as CandidateColumns, Problem};
pub use scorer::{Change, Evaluator, Scorer};
pub use search::{Direction, Found, MOST_FOR_ALL, Path, Step, Stop, search};
pub use splits::{Split, Splitting, Validation};
pub use target::{Kind, Target};
pub use told::{Told, given_splits};

use std::collections::BTreeMap;

use ndarray::Array1;

use crate::data::columns::{Columns, warn_constant};
use crate::data::{Data, Features};
use crate::error::{Because, Error, Result, Warning};
use crate::message;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};

use crate::params::{Choice, Parameters};
use crate::run::Run;

/// How many features to keep.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Kept {
    /// Half of them; with `epsilon`, as many as that gives; the best set of all if all are looked at.
    Auto,
    /// The best set of the whole path.
    Best,
    /// Exactly so many.
    #[choice(min = 1)]
    Count(usize),
    /// This share of them.
    #[choice(above = 0.0, below = 1.0)]
    Share(f64),
}

impl From<usize> for Kept {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

/// Parameters of sequential feature selection.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct SequentialSelection {
    /// How many features to keep: a number, a share of them, or a rule.
    #[param(default = Kept::Auto)]
    pub n_components: Kept,
    /// How the set of features changes.
    #[param(default = Direction::Forward)]
    pub direction: Direction,
    /// Stop when a step lowers the error by no more than this; backward, when it raises it by as much.
    #[param(default = None)]
    pub epsilon: Option<f64>,
    /// Features added in each turn of `plus_minus`.
    #[param(default = 2, min = 1)]
    pub plus: usize,
    /// Features removed in each turn of `plus_minus`.
    #[param(default = 1, min = 1)]
    pub minus: usize,
    /// What learns from a set of features and predicts.
    #[param(default = Judge::KNearest)]
    pub scorer: Judge,
    /// How its predictions are measured.
    #[param(default = Measure::Auto)]
    pub measure: Measure,
    /// What the labels are taken for, by a scorer that can predict either.
    #[param(default = Kind::Auto)]
    pub target: Kind,
    /// Neighbours of `k_nearest`.
    #[param(default = 5, min = 1)]
    pub n_neighbors: usize,
    /// Penalty of `ridge` and `logistic` on the squared coefficients.
    #[param(default = 1.0, above = 0.0)]
    pub penalty: f64,
    /// Held-out rows: a number of folds, or a share of the rows.
    #[param(default = Validation::Folds(5))]
    pub validation: Validation,
    /// How often the rows are split anew.
    #[param(default = 1, min = 1)]
    pub n_repeats: usize,
    /// Hold out rows of each class in the same proportion.
    #[param(default = true)]
    pub stratify: bool,
    /// Hold out rows at random, not in their order.
    #[param(default = true)]
    pub shuffle: bool,
    /// Columns whose names share what stands before this are one feature: `=` for `colour=red` and `colour=blue`.
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
        summary: "The columns that predict a label best, added and removed one at a time",
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
        let (target, rows) = self.target(data)?;
        let n_left_out = data.n_rows() - rows.len();
        if n_left_out > 0 {
            run.warn(Warning::RowsLeftOut {
                count: n_left_out,
                reason: message!("their label is missing"),
            })?;
        }
        let units = units(data, features.n_columns(), self.separator.as_deref())?;
        let means = means(run, data, features)?;
        let stop = self.stop(units.len())?;
        let splits = match data.splits() {
            Some(splits) => given_splits(splits, &rows)?,
            None => self.splits(data, &target, &rows)?,
        };
        let problem = Problem::new(
            features,
            &rows,
            units.clone(),
            (target, self.measure),
            splits,
        )?;
        let scorer = match data.score() {
            Some(score) => Box::new(Told(score)),
            None => self.scorer.scorer(self.n_neighbors, self.penalty),
        };
        run.stage("search")?;
        let path = search(run, scorer.as_ref(), &problem, self.direction, stop)?;
        let model = SelectionModel::new(SelectionParts {
            column_names: data.column_names().map(<[String]>::to_vec),
            means,
            units,
            path,
            measure: problem.measure(),
            scorer: scorer.name(),
            direction: self.direction.to_string(),
            n_splits: problem.splits().len(),
            n_rows: rows.len(),
            n_left_out,
        });
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let (share, n_splits) = match self.validation {
            Validation::Folds(count) => (1.0 / count as f64, count),
            Validation::HoldOut(share) => (share, 1),
        };
        let n_splits = n_splits.saturating_mul(self.n_repeats);
        let held = ((n as f64 * share) as usize).saturating_add(1).min(n);
        let bytes = shape.precision.bytes();
        let plan = Plan::new("the best change of one feature, step by step")
            .needs("columns", (n, d), bytes)
            .needs(
                "embedding and blocks of rows",
                (n.saturating_add(1024), d),
                8,
            )
            .advice(message!(
                "use fewer {:rows} or {:columns}, fewer folds, or another scorer"
            ));
        Ok(match self.scorer {
            Judge::KNearest => {
                let kept = kept_bytes(n, share, n_splits, bytes);
                plan.needs("columns of a split", (n, d), bytes).needs(
                    "squared distances",
                    (kept as usize, 1),
                    1,
                )
            }
            Judge::Linear | Judge::Ridge => plan
                .needs(
                    "scatter of each split",
                    (d.saturating_mul(n_splits), d),
                    2 * 8,
                )
                .needs("held-out rows", (held.saturating_mul(2), d), 8),
            Judge::Lda => plan
                .needs("scatter of each split", (d.saturating_mul(n_splits), d), 8)
                .needs(
                    "held-out rows of each split",
                    (held.saturating_mul(n_splits), d),
                    2 * 8,
                ),
            Judge::NaiveBayes => plan.needs(
                "held-out rows of each split",
                (held.saturating_mul(n_splits), d),
                8,
            ),
            Judge::Logistic => plan.needs("rows of each split", (n.saturating_mul(n_splits), d), 8),
        })
    }
}

impl SequentialSelection {
    /// What is to be predicted, and the rows that have it.
    fn target(&self, data: &Data<'_>) -> Result<(Target, Vec<usize>)> {
        let kind = self.scorer.kind(self.target);
        Target::of(
            data.required_labels(Self::INFO.name)?,
            kind,
            Self::INFO.name,
        )
    }

    fn splits(&self, data: &Data<'_>, target: &Target, rows: &[usize]) -> Result<Vec<Split>> {
        let groups = data.row_groups();
        let groups: Option<Vec<u32>> =
            groups.map(|groups| rows.iter().map(|&row| groups[row]).collect());
        Splitting {
            validation: self.validation,
            n_repeats: self.n_repeats,
            shuffle: self.shuffle,
            stratify: self.stratify,
            seed: self.seed,
            groups: groups.as_deref(),
        }
        .of(target)
    }

    /// Where the search ends among so many features.
    fn stop(&self, n_units: usize) -> Result<Stop> {
        let all = self.direction == Direction::Exhaustive;
        if all && n_units > MOST_FOR_ALL {
            return Err(Error::not(
                "direction",
                message!(
                    "there are {n_units} features, and all subsets are tried for {MOST_FOR_ALL} at most"
                ),
                self.direction,
            ));
        }
        let (size, best) = match self.n_components {
            Kept::Best => (None, true),
            Kept::Auto if all => (None, true),
            Kept::Auto if self.epsilon.is_some() => (None, false),
            Kept::Auto => (Some((n_units / 2).max(1)), false),
            Kept::Share(share) => {
                let count = (share * n_units as f64) as usize;
                (Some(count.max(1)), false)
            }
            Kept::Count(count) if count > n_units => {
                return Err(Error::at_most(
                    "n_components",
                    n_units,
                    Because::Columns(n_units),
                    count,
                ));
            }
            Kept::Count(count) => (Some(count), false),
        };
        Ok(Stop {
            size,
            epsilon: self.epsilon,
            best,
            plus_minus: (self.plus, self.minus),
        })
    }
}

/// The columns of each feature, by their first column: groups of the data, or of names.
fn units(data: &Data<'_>, n_columns: usize, separator: Option<&str>) -> Result<Vec<Vec<usize>>> {
    let keys: Vec<String> = match (data.column_groups(), separator, data.column_names()) {
        (Some(groups), _, _) => groups.iter().map(ToString::to_string).collect(),
        (None, None, _) => return Ok((0..n_columns).map(|column| vec![column]).collect()),
        (None, Some(separator), Some(names)) if !separator.is_empty() => {
            let places = names.iter().enumerate();
            let key = |(place, name): (usize, &String)| match name.split_once(separator) {
                Some((stem, _)) => stem.to_string(),
                None => format!("{place}{separator}"),
            };
            places.map(key).collect()
        }
        (None, Some(separator), names) => {
            let rule = match names {
                None => message!("be none, because the {:columns} have no names"),
                Some(_) => message!("be at least one letter"),
            };
            return Err(Error::parameter(
                "separator",
                rule,
                format!("{separator:?}"),
            ));
        }
    };
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut units: Vec<Vec<usize>> = Vec::new();
    for (column, key) in keys.into_iter().enumerate() {
        let place = *places.entry(key).or_insert(units.len());
        if place == units.len() {
            units.push(Vec::new());
        }
        units[place].push(column);
    }
    Ok(units)
}

/// The columns' means; constant ones are told of.
fn means(run: &Run<'_>, data: &Data<'_>, features: &Features<'_>) -> Result<Array1<f64>> {
    let columns = Columns::of(features);
    warn_constant(run, data, &columns.spreads.view())?;
    // The sum of the largest numbers is none: their mean is then told by the ends.
    let ends = &columns.least / 2.0 + &columns.greatest / 2.0;
    let pairs = columns.means.iter().zip(&ends);
    Ok(pairs
        .map(|(&mean, &end)| if mean.is_finite() { mean } else { end })
        .collect())
}
