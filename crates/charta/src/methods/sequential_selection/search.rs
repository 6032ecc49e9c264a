//! The search for a set of features: forward, backward, floating, plus-l-minus-r and exhaustive.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, counted, message};
use crate::params::Choice;
use crate::run::Run;

use super::measure::Measure;
use super::problem::Problem;
use super::scorer::{Change, Evaluator};
use super::{FeatureCount, SequentialSelection};

/// The most features for an exhaustive search.
const MAX_EXHAUSTIVE: usize = 20;

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

impl SequentialSelection {
    /// Searches for a set of features. Of equally good changes that of the lowest feature is taken.
    pub(super) fn search<'a>(
        &'a self,
        run: &'a Run<'a>,
        problem: &'a Problem,
        evaluator: Box<dyn Evaluator + 'a>,
    ) -> Result<SearchPath> {
        let (size, choose_best) = self.size_to_reach(problem.features.len())?;
        let mut search = Search::new(self, run, problem, evaluator, size)?;
        match self.direction {
            Direction::Forward | Direction::Backward => search.sequential(false)?,
            Direction::FloatingForward | Direction::FloatingBackward => search.sequential(true)?,
            Direction::PlusMinus => search.plus_minus()?,
            Direction::Exhaustive => {
                search.exhaustive(0)?;
                let total = 1_u64 << search.n_features();
                run.progress(total, total)?;
            }
        }
        Ok(search.finish(choose_best))
    }

    /// The number of features to reach, if not the end of the path; and whether the best set on the path is chosen,
    /// rather than that of the size, or the last.
    fn size_to_reach(&self, n_features: usize) -> Result<(Option<usize>, bool)> {
        let exhaustive = self.direction == Direction::Exhaustive;
        if exhaustive && n_features > MAX_EXHAUSTIVE {
            return Err(Error::not(
                "direction",
                message!(
                    "there are {n_features} features, and all subsets are tried for {MAX_EXHAUSTIVE} at most"
                ),
                self.direction,
            ));
        }
        let ends_by_epsilon = self.epsilon.is_some() && !exhaustive;
        Ok(match self.n_components {
            FeatureCount::Best => (None, true),
            FeatureCount::Auto => (None, !ends_by_epsilon),
            FeatureCount::Half if ends_by_epsilon => (None, false),
            FeatureCount::Half => (Some((n_features / 2).max(1)), false),
            FeatureCount::Share(share) => {
                let count = (share * n_features as f64) as usize;
                (Some(count.max(1)), false)
            }
            FeatureCount::Count(count) if count > n_features => {
                return Err(Error::at_most(
                    "n_components",
                    n_features,
                    message!("{:data} has {}", counted(n_features, "feature")),
                    count,
                ));
            }
            FeatureCount::Count(count) => (Some(count), false),
        })
    }
}

/// A set of features with its scores.
#[derive(Clone)]
struct ScoredSet {
    /// The features, in ascending order.
    features: Vec<usize>,
    /// The score on each split.
    scores: Vec<f64>,
    mean: f64,
}

impl ScoredSet {
    fn new(features: Vec<usize>, scores: Vec<f64>) -> Self {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        Self {
            features,
            scores,
            mean,
        }
    }

    fn size(&self) -> usize {
        self.features.len()
    }

    fn standard_deviation(&self) -> f64 {
        let count = self.scores.len() as f64;
        if count < 2.0 {
            return 0.0;
        }
        let squares = self.scores.iter().map(|v| (v - self.mean).powi(2));
        (squares.sum::<f64>() / (count - 1.0)).sqrt()
    }

    fn to_subset(&self, measure: Measure) -> Subset {
        Subset {
            features: self.features.clone(),
            error: measure.error(self.mean),
            standard_deviation: self.standard_deviation(),
            errors: self.scores.iter().map(|&v| measure.error(v)).collect(),
        }
    }
}

struct Search<'a> {
    parameters: &'a SequentialSelection,
    run: &'a Run<'a>,
    problem: &'a Problem,
    evaluator: Box<dyn Evaluator + 'a>,
    /// True if the search adds more features than it removes.
    forward: bool,
    /// The number of features to reach, if not the end of the path.
    size: Option<usize>,
    /// Features to add in all, or to remove if the search goes backward.
    n_to_change: usize,
    current: ScoredSet,
    /// The best set of each size so far.
    best_of_size: Vec<Option<ScoredSet>>,
    steps: Vec<Step>,
    n_evaluated: usize,
    /// The progress last reported, which never falls.
    progress: u64,
}

impl<'a> Search<'a> {
    /// Starts with no feature, or backward with all.
    fn new(
        parameters: &'a SequentialSelection,
        run: &'a Run<'a>,
        problem: &'a Problem,
        evaluator: Box<dyn Evaluator + 'a>,
        size: Option<usize>,
    ) -> Result<Self> {
        let (plus, minus) = (parameters.plus, parameters.minus);
        let forward = match parameters.direction {
            Direction::Forward | Direction::FloatingForward | Direction::Exhaustive => true,
            Direction::Backward | Direction::FloatingBackward => false,
            Direction::PlusMinus if plus == minus => {
                return Err(Error::not(
                    "minus",
                    message!(
                        "{plus:parameter} has the same value, so the set would neither grow nor shrink"
                    ),
                    minus,
                ));
            }
            Direction::PlusMinus => plus > minus,
        };
        let n_features = problem.features.len();
        let mut search = Self {
            parameters,
            run,
            problem,
            evaluator,
            forward,
            size,
            n_to_change: if forward {
                size.unwrap_or(n_features)
            } else {
                n_features - size.unwrap_or(1)
            },
            current: ScoredSet::new(Vec::new(), Vec::new()),
            best_of_size: vec![None; n_features + 1],
            steps: Vec::new(),
            n_evaluated: 0,
            progress: 0,
        };
        search.score_current()?;
        if !forward {
            for feature in 0..n_features {
                search.change(feature, true)?;
            }
            search.score_current()?;
            search.keep_if_best_of_size(search.current.clone());
        }
        Ok(search)
    }

    fn n_features(&self) -> usize {
        self.problem.features.len()
    }

    /// The current features and one more, or without one of them.
    fn changed(&self, feature: usize, add: bool) -> Vec<usize> {
        let mut features = self.current.features.clone();
        if add {
            features.push(feature);
            features.sort_unstable();
        } else {
            features.retain(|&other| other != feature);
        }
        features
    }

    fn change_of(&self, feature: usize, add: bool) -> Change<'a> {
        let columns = &self.problem.features[feature];
        Change { columns, add }
    }

    fn score_current(&mut self) -> Result<()> {
        let scores = self.evaluator.scores(self.run, &[Change::NONE])?;
        self.n_evaluated += 1;
        let features = std::mem::take(&mut self.current.features);
        self.current = ScoredSet::new(features, scores.row(0).to_vec());
        Ok(())
    }

    /// The sets that one of some features more, or one fewer, makes of the current one.
    fn evaluate(&mut self, features: &[usize], add: bool) -> Result<Vec<ScoredSet>> {
        let changes = features.iter().map(|&f| self.change_of(f, add));
        let changes: Vec<Change<'_>> = changes.collect();
        let scores = self.evaluator.scores(self.run, &changes)?;
        self.n_evaluated += features.len();
        let scored = features.iter().zip(scores.rows());
        Ok(scored
            .map(|(&feature, scores)| ScoredSet::new(self.changed(feature, add), scores.to_vec()))
            .collect())
    }

    /// Changes the set without a step on the path.
    fn change(&mut self, feature: usize, add: bool) -> Result<()> {
        self.evaluator
            .apply(self.run, self.change_of(feature, add))?;
        self.current.features = self.changed(feature, add);
        Ok(())
    }

    /// The best addition or removal of one feature; the lowest of several. `None` if no feature is left.
    fn best_change(
        &mut self,
        add: bool,
        except: Option<usize>,
    ) -> Result<Option<(usize, ScoredSet)>> {
        let current = &self.current.features;
        let features: Vec<usize> = (0..self.n_features())
            .filter(|feature| current.contains(feature) != add && Some(*feature) != except)
            .collect();
        if features.is_empty() {
            return Ok(None);
        }
        let measure = self.problem.measure;
        let sets = self.evaluate(&features, add)?;
        let best = features.into_iter().zip(sets).reduce(|best, other| {
            if measure.is_better(other.1.mean, best.1.mean) {
                other
            } else {
                best
            }
        });
        match &best {
            Some((feature, set)) if !set.mean.is_finite() => Err(Error::degenerate(message!(
                "no set of features could be scored: with feature {feature} the {measure} is {}",
                set.mean
            ))),
            _ => Ok(best),
        }
    }

    fn take_step(&mut self, feature: usize, add: bool, set: ScoredSet) -> Result<()> {
        self.change(feature, add)?;
        let measure = self.problem.measure;
        self.steps.push(Step {
            feature,
            added: add,
            size: set.size(),
            before: measure.error(self.current.mean),
            after: measure.error(set.mean),
            standard_deviation: set.standard_deviation(),
        });
        self.current = set.clone();
        self.keep_if_best_of_size(set);
        Ok(())
    }

    fn keep_if_best_of_size(&mut self, set: ScoredSet) {
        if self.is_best_of_size(&set) {
            let size = set.size();
            self.best_of_size[size] = Some(set);
        }
    }

    fn is_best_of_size(&self, set: &ScoredSet) -> bool {
        let best = self.best_of_size[set.size()].as_ref();
        best.is_none_or(|best| self.problem.measure.is_better(set.mean, best.mean))
    }

    /// Features added so far, or removed if the search goes backward.
    fn n_changed(&self) -> usize {
        if self.forward {
            self.current.size()
        } else {
            self.n_features() - self.current.size()
        }
    }

    fn report_progress(&mut self) -> Result<()> {
        let done = self.n_changed().min(self.n_to_change);
        self.progress = self.progress.max(done as u64);
        self.run.progress(self.progress, self.n_to_change as u64)
    }

    /// True if going from one score to another does not lower the error by more than `epsilon`; backward, if it raises
    /// it by as much.
    fn gains_too_little(&self, before: f64, after: f64) -> bool {
        let Some(epsilon) = self.parameters.epsilon else {
            return false;
        };
        let measure = self.problem.measure;
        let gained = measure.error(before) - measure.error(after);
        if self.forward {
            gained <= epsilon
        } else {
            -gained >= epsilon
        }
    }

    /// One feature after the other, forward or backward; floating takes steps back where they improve.
    fn sequential(&mut self, floating: bool) -> Result<()> {
        while self.n_changed() != self.n_to_change {
            let Some((feature, set)) = self.best_change(self.forward, None)? else {
                break;
            };
            // With `epsilon` the first feature is always added.
            let is_first = self.current.size() == 0;
            if !is_first && self.gains_too_little(self.current.mean, set.mean) {
                break;
            }
            self.take_step(feature, self.forward, set)?;
            if floating {
                self.float(feature)?;
            }
            self.report_progress()?;
        }
        Ok(())
    }

    /// Steps back while each gives a better set than the current one and than any of its size before.
    fn float(&mut self, newest: usize) -> Result<()> {
        while self.n_changed() > 2 {
            let Some((feature, set)) = self.best_change(!self.forward, Some(newest))? else {
                break;
            };
            let improves = self.problem.measure.is_better(set.mean, self.current.mean);
            if !improves || !self.is_best_of_size(&set) {
                break;
            }
            self.take_step(feature, !self.forward, set)?;
        }
        Ok(())
    }

    /// Plus-l-minus-r until the size is reached or passed; a surplus is then undone step by step.
    fn plus_minus(&mut self) -> Result<()> {
        let (plus, minus) = (self.parameters.plus, self.parameters.minus);
        while self.n_changed() < self.n_to_change {
            let before = self.current.clone();
            self.take_steps(plus.max(minus), self.forward)?;
            let end_of_path = if self.forward { self.n_features() } else { 1 };
            if self.current.size() != end_of_path {
                self.take_steps(plus.min(minus), !self.forward)?;
            }
            if before.size() > 0 && self.gains_too_little(before.mean, self.current.mean) {
                self.current = before;
                break;
            }
            self.report_progress()?;
        }
        while self.n_changed() > self.n_to_change {
            self.take_steps(1, !self.forward)?;
        }
        Ok(())
    }

    /// The best additions or removals, this many one after the other. The last feature stays.
    fn take_steps(&mut self, count: usize, add: bool) -> Result<()> {
        for _ in 0..count {
            if !add && self.current.size() == 1 {
                break;
            }
            let Some((feature, set)) = self.best_change(add, None)? else {
                break;
            };
            self.take_step(feature, add, set)?;
        }
        Ok(())
    }

    /// Evaluates all sets, or those of the size to reach, that add features from `first` on to the current set.
    fn exhaustive(&mut self, first: usize) -> Result<()> {
        let n_features = self.n_features();
        let next_size = self.current.size() + 1;
        if self.size.is_none_or(|size| size == next_size) && first < n_features {
            let features: Vec<usize> = (first..n_features).collect();
            for set in self.evaluate(&features, true)? {
                self.keep_if_best_of_size(set);
            }
            // The empty set, evaluated first, does not count.
            let (done, total) = (self.n_evaluated as u64 - 1, 1 << n_features);
            self.run.progress(done.min(total), total)?;
        }
        if self.size.is_some_and(|size| next_size >= size) {
            return Ok(());
        }
        for feature in first..n_features {
            let n_left = n_features - feature - 1;
            if n_left == 0 || self.size.is_some_and(|size| next_size + n_left < size) {
                break;
            }
            self.change(feature, true)?;
            self.exhaustive(feature + 1)?;
            self.change(feature, false)?;
        }
        Ok(())
    }

    fn finish(self, choose_best: bool) -> SearchPath {
        let measure = self.problem.measure;
        let sets = self.best_of_size.iter().skip(1).flatten();
        let by_size: Vec<Subset> = sets.map(|set| set.to_subset(measure)).collect();
        let chosen = if choose_best {
            best_subset(&by_size)
        } else {
            by_size
                .iter()
                .find(|subset| Some(subset.features.len()) == self.size)
        };
        let last = || self.current.to_subset(measure);
        SearchPath {
            chosen: chosen.cloned().unwrap_or_else(last),
            by_size,
            steps: self.steps,
            n_evaluated: self.n_evaluated,
        }
    }
}
