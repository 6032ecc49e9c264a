//! The search path: where a search goes, its steps, and the sets of features it finds.

use serde::{Deserialize, Serialize};

use crate::params::Choice;

/// The most features for an exhaustive search.
pub(super) const MAX_EXHAUSTIVE: usize = 20;

/// The direction of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Direction {
    /// Forward selection: starts with no feature and adds the best one by one.
    Forward,
    /// Backward elimination: starts with all features and removes the least useful one by one.
    Backward,
    /// Floating forward selection: after each addition, features are removed while that improves on the best set of that size.
    FloatingForward,
    /// Floating backward elimination: after each removal, features are added again while that improves on the best set of that size.
    FloatingBackward,
    /// Plus-l-minus-r: adds `plus` and removes `minus` features in turns, starting with all features if `minus` is larger.
    PlusMinus,
    /// Evaluates all subsets of up to 20 features.
    Exhaustive,
}

/// Where a search goes and where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchOptions {
    pub(super) direction: Direction,
    /// The number of features to reach; to the end of the path if there is none.
    pub(super) size: Option<usize>,
    /// Ends when a step lowers the error by no more than this; backward, when it raises it by as much.
    pub(super) epsilon: Option<f64>,
    /// Choose the best set on the path, the smallest of several; otherwise that of `size`, or the last.
    pub(super) choose_best: bool,
    pub(super) plus: usize,
    pub(super) minus: usize,
}

/// A step of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The feature added or removed.
    pub feature: usize,
    /// True if it was added, false if it was removed.
    pub added: bool,
    /// Number of features after the step.
    pub size: usize,
    /// The error before.
    pub before: f64,
    /// The error after.
    pub after: f64,
    /// The standard deviation of the error after, over the splits.
    pub standard_deviation: f64,
}

/// A set of features and its cross-validation error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subset {
    /// The features, in ascending order.
    pub features: Vec<usize>,
    /// The mean error over the splits.
    pub error: f64,
    /// Its standard deviation over the splits.
    pub standard_deviation: f64,
    /// The error of each split.
    pub errors: Vec<f64>,
}

/// The path of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SearchPath {
    /// The steps, in order; none for an exhaustive search.
    pub(super) steps: Vec<Step>,
    /// The best set of each size that was evaluated, in ascending order of size.
    pub(super) by_size: Vec<Subset>,
    pub(super) chosen: Subset,
    /// Sets evaluated.
    pub(super) n_evaluated: usize,
}

/// The set with the lowest error, the smallest of several.
pub(super) fn best_subset(by_size: &[Subset]) -> Option<&Subset> {
    by_size.iter().reduce(|best, subset| {
        if subset.error < best.error {
            subset
        } else {
            best
        }
    })
}
