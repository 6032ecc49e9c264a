//! The search for a set of features: forward, backward, floating, plus-l-minus-r and exhaustive.

use crate::error::{Error, Result, message};
use crate::run::Run;

use super::path::{Direction, SearchOptions, SearchPath, Step, Subset, best_subset};
use super::problem::Problem;
use super::scorer::{Change, Evaluator};

/// Searches for a set of features. Of equally good changes that of the lowest feature is taken.
pub(super) fn search<'a>(
    run: &'a Run<'a>,
    problem: &'a Problem,
    evaluator: Box<dyn Evaluator + 'a>,
    options: &SearchOptions,
) -> Result<SearchPath> {
    let mut search = Search::new(run, problem, evaluator)?;
    match options.direction {
        Direction::Forward => search.sequential(true, false, options)?,
        Direction::Backward => search.sequential(false, false, options)?,
        Direction::FloatingForward => search.sequential(true, true, options)?,
        Direction::FloatingBackward => search.sequential(false, true, options)?,
        Direction::PlusMinus => search.plus_minus(options)?,
        Direction::Exhaustive => {
            search.exhaustive(0, options.size)?;
            let total = 1_u64 << search.n_features();
            run.progress(total, total)?;
        }
    }
    Ok(search.finish(options))
}

/// The scores of a set on all splits.
#[derive(Clone, Debug)]
struct Scores {
    values: Vec<f64>,
    mean: f64,
}

impl Scores {
    fn of(values: Vec<f64>) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { values, mean }
    }

    fn standard_deviation(&self) -> f64 {
        let count = self.values.len() as f64;
        if count < 2.0 {
            return 0.0;
        }
        let squares = self.values.iter().map(|v| (v - self.mean).powi(2));
        (squares.sum::<f64>() / (count - 1.0)).sqrt()
    }
}

/// A set of features with its scores.
#[derive(Clone)]
struct ScoredSet {
    members: Vec<bool>,
    scores: Scores,
}

impl ScoredSet {
    fn size(&self) -> usize {
        self.members.iter().filter(|member| **member).count()
    }
}

struct Search<'a> {
    run: &'a Run<'a>,
    problem: &'a Problem,
    evaluator: Box<dyn Evaluator + 'a>,
    current: ScoredSet,
    /// The best set of each size so far.
    best_of_size: Vec<Option<ScoredSet>>,
    steps: Vec<Step>,
    n_evaluated: usize,
    /// The progress last reported, which never falls.
    progress: u64,
}

impl<'a> Search<'a> {
    fn new(
        run: &'a Run<'a>,
        problem: &'a Problem,
        evaluator: Box<dyn Evaluator + 'a>,
    ) -> Result<Self> {
        let n_features = problem.n_features();
        let mut search = Self {
            run,
            problem,
            evaluator,
            current: ScoredSet {
                members: vec![false; n_features],
                scores: Scores::of(Vec::new()),
            },
            best_of_size: vec![None; n_features + 1],
            steps: Vec::new(),
            n_evaluated: 0,
            progress: 0,
        };
        search.current.scores = search.evaluate(&[Change::Keep])?.remove(0);
        Ok(search)
    }

    fn n_features(&self) -> usize {
        self.current.members.len()
    }

    fn size(&self) -> usize {
        self.current.size()
    }

    fn evaluate(&mut self, changes: &[Change]) -> Result<Vec<Scores>> {
        let scores = self.evaluator.scores(self.run, changes)?;
        self.n_evaluated += changes.len();
        let rows = scores.rows().into_iter();
        Ok(rows.map(|row| Scores::of(row.to_vec())).collect())
    }

    /// Changes the set without a step on the path.
    fn change(&mut self, feature: usize, add: bool) -> Result<()> {
        self.evaluator.apply(self.run, Change::of(feature, add))?;
        self.current.members[feature] = add;
        Ok(())
    }

    /// Starts with all features.
    fn add_all(&mut self) -> Result<()> {
        for feature in 0..self.n_features() {
            self.change(feature, true)?;
        }
        self.current.scores = self.evaluate(&[Change::Keep])?.remove(0);
        self.keep_if_best_of_size();
        Ok(())
    }

    /// The best addition or removal of one feature; the lowest of several. `None` if no feature is left.
    fn best_change(&mut self, add: bool, except: Option<usize>) -> Result<Option<(usize, Scores)>> {
        let features: Vec<usize> = (0..self.n_features())
            .filter(|&feature| self.current.members[feature] != add && Some(feature) != except)
            .collect();
        if features.is_empty() {
            return Ok(None);
        }
        let changes: Vec<Change> = features.iter().map(|&f| Change::of(f, add)).collect();
        let scores = self.evaluate(&changes)?;
        let best = features.into_iter().zip(scores).reduce(|best, other| {
            if self.problem.is_better(other.1.mean, best.1.mean) {
                other
            } else {
                best
            }
        });
        match &best {
            Some((feature, scores)) if !scores.mean.is_finite() => {
                Err(Error::degenerate(message!(
                    "no set of features could be scored: with feature {feature} the {} is {}",
                    self.problem.measure,
                    scores.mean
                )))
            }
            _ => Ok(best),
        }
    }

    fn take_step(&mut self, feature: usize, add: bool, scores: Scores) -> Result<()> {
        self.change(feature, add)?;
        let measure = self.problem.measure;
        self.steps.push(Step {
            feature,
            added: add,
            size: self.size(),
            before: measure.error(self.current.scores.mean),
            after: measure.error(scores.mean),
            standard_deviation: scores.standard_deviation(),
        });
        self.current.scores = scores;
        self.keep_if_best_of_size();
        Ok(())
    }

    fn keep_if_best_of_size(&mut self) {
        if self.is_best_of_size(self.size(), &self.current.scores) {
            let size = self.size();
            self.best_of_size[size] = Some(self.current.clone());
        }
    }

    fn is_best_of_size(&self, size: usize, scores: &Scores) -> bool {
        self.best_of_size[size]
            .as_ref()
            .is_none_or(|best| self.problem.is_better(scores.mean, best.scores.mean))
    }

    /// The number of features to end with.
    fn last_size(&self, forward: bool, options: &SearchOptions) -> usize {
        let end_of_path = if forward { self.n_features() } else { 1 };
        options.size.unwrap_or(end_of_path)
    }

    /// Features added so far, or removed if the search goes backward.
    fn n_changed(&self, size: usize, forward: bool) -> usize {
        if forward {
            size
        } else {
            self.n_features() - size
        }
    }

    fn report_progress(&mut self, forward: bool, last_size: usize) -> Result<()> {
        let done = self.n_changed(self.size(), forward);
        let total = self.n_changed(last_size, forward);
        self.progress = self.progress.max(done.min(total) as u64);
        self.run.progress(self.progress, total as u64)
    }

    /// True if going from one score to another does not lower the error by more than `epsilon`; backward, if it raises
    /// it by as much.
    fn gains_too_little(
        &self,
        before: f64,
        after: f64,
        forward: bool,
        epsilon: Option<f64>,
    ) -> bool {
        let Some(epsilon) = epsilon else { return false };
        let measure = self.problem.measure;
        let gained = measure.error(before) - measure.error(after);
        if forward {
            gained <= epsilon
        } else {
            -gained >= epsilon
        }
    }

    /// One feature after the other, forward or backward; floating takes steps back where they improve.
    fn sequential(&mut self, forward: bool, floating: bool, options: &SearchOptions) -> Result<()> {
        if !forward {
            self.add_all()?;
        }
        let last_size = self.last_size(forward, options);
        while self.size() != last_size {
            let Some((feature, scores)) = self.best_change(forward, None)? else {
                break;
            };
            // With `epsilon` the first feature is always added and the last never removed.
            let (before, after) = (self.current.scores.mean, scores.mean);
            let little = self.gains_too_little(before, after, forward, options.epsilon);
            let ends = if forward {
                self.size() > 0 && little
            } else {
                little || (self.size() == 1 && options.epsilon.is_some())
            };
            if ends {
                break;
            }
            self.take_step(feature, forward, scores)?;
            if floating {
                self.float(feature, forward)?;
            }
            self.report_progress(forward, last_size)?;
        }
        Ok(())
    }

    /// Steps back while each gives a better set than the current one and than any of its size before.
    fn float(&mut self, newest: usize, forward: bool) -> Result<()> {
        while self.n_changed(self.size(), forward) > 2 {
            let Some((feature, scores)) = self.best_change(!forward, Some(newest))? else {
                break;
            };
            let size = if forward {
                self.size() - 1
            } else {
                self.size() + 1
            };
            let improves = self
                .problem
                .is_better(scores.mean, self.current.scores.mean);
            if !improves || !self.is_best_of_size(size, &scores) {
                break;
            }
            self.take_step(feature, !forward, scores)?;
        }
        Ok(())
    }

    /// Plus-l-minus-r until the size is reached or passed; a surplus is then undone step by step.
    fn plus_minus(&mut self, options: &SearchOptions) -> Result<()> {
        let (plus, minus) = (options.plus, options.minus);
        if plus == minus {
            return Err(Error::not(
                "minus",
                message!(
                    "{plus:parameter} has the same value, so the set would neither grow nor shrink"
                ),
                minus,
            ));
        }
        let forward = plus > minus;
        let (onward, back) = (plus.max(minus), plus.min(minus));
        if !forward {
            self.add_all()?;
        }
        let last_size = self.last_size(forward, options);
        let end_of_path = if forward { self.n_features() } else { 1 };
        let reached = |size: usize| {
            if forward {
                size >= last_size
            } else {
                size <= last_size
            }
        };
        while !reached(self.size()) {
            let before = self.current.clone();
            self.take_steps(onward, forward)?;
            if !(self.size() == end_of_path && reached(self.size())) {
                self.take_steps(back, !forward)?;
            }
            let (old, new) = (before.scores.mean, self.current.scores.mean);
            if before.size() > 0 && self.gains_too_little(old, new, forward, options.epsilon) {
                self.current = before;
                break;
            }
            self.report_progress(forward, last_size)?;
        }
        while options.size.is_some() && reached(self.size()) && self.size() != last_size {
            self.take_steps(1, !forward)?;
        }
        Ok(())
    }

    /// The best additions or removals, this many one after the other. The last feature stays.
    fn take_steps(&mut self, count: usize, add: bool) -> Result<()> {
        for _ in 0..count {
            if !add && self.size() == 1 {
                break;
            }
            let Some((feature, scores)) = self.best_change(add, None)? else {
                break;
            };
            self.take_step(feature, add, scores)?;
        }
        Ok(())
    }

    /// Evaluates all sets, or those of one size, that add features from `first` on to the current set.
    fn exhaustive(&mut self, first: usize, size: Option<usize>) -> Result<()> {
        let n_features = self.n_features();
        let next_size = self.size() + 1;
        if size.is_none_or(|size| size == next_size) {
            self.evaluate_additions(first)?;
        }
        if size.is_some_and(|size| next_size >= size) {
            return Ok(());
        }
        for feature in first..n_features {
            let n_left = n_features - feature - 1;
            if n_left == 0 || size.is_some_and(|size| next_size + n_left < size) {
                break;
            }
            self.change(feature, true)?;
            self.exhaustive(feature + 1, size)?;
            self.change(feature, false)?;
        }
        Ok(())
    }

    /// Evaluates the current set with each feature from `first` on added, and keeps the best of its size.
    fn evaluate_additions(&mut self, first: usize) -> Result<()> {
        let changes: Vec<Change> = (first..self.n_features()).map(Change::Add).collect();
        if changes.is_empty() {
            return Ok(());
        }
        let scores = self.evaluate(&changes)?;
        let before = self.current.clone();
        for (feature, scores) in (first..).zip(scores) {
            self.current.members[feature] = true;
            self.current.scores = scores;
            self.keep_if_best_of_size();
            self.current.members[feature] = false;
        }
        self.current = before;
        // The empty set, evaluated first, does not count.
        let (done, total) = (self.n_evaluated as u64 - 1, 1 << self.n_features());
        self.run.progress(done.min(total), total)
    }

    fn finish(self, options: &SearchOptions) -> SearchPath {
        let sets = self.best_of_size.iter().skip(1).flatten();
        let by_size: Vec<Subset> = sets.map(|set| self.subset(set)).collect();
        let chosen = if options.choose_best {
            best_subset(&by_size)
        } else {
            let of_size = |size| by_size.iter().find(|subset| subset.features.len() == size);
            options.size.and_then(of_size)
        };
        let chosen = chosen.cloned();
        SearchPath {
            chosen: chosen.unwrap_or_else(|| self.subset(&self.current)),
            by_size,
            steps: self.steps,
            n_evaluated: self.n_evaluated,
        }
    }

    fn subset(&self, set: &ScoredSet) -> Subset {
        let measure = self.problem.measure;
        let scores = &set.scores;
        Subset {
            features: (0..set.members.len())
                .filter(|&feature| set.members[feature])
                .collect(),
            error: measure.error(scores.mean),
            standard_deviation: scores.standard_deviation(),
            errors: scores.values.iter().map(|&v| measure.error(v)).collect(),
        }
    }
}
