//! The ways from one set of features to the next.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::message;
use crate::params::Choice;
use crate::run::Run;

use super::Problem;
use super::exhaustive;
use super::scorer::start;
use super::{Change, Evaluator, Scorer};

/// Features of which all sets can be looked at, at most.
pub const MOST_FOR_ALL: usize = 20;

/// How the set of features changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Direction {
    /// Starts with none and adds the best, one by one.
    Forward,
    /// Starts with all and removes the least useful, one by one.
    Backward,
    /// As forward, but after each step features are removed while that gives the best set of its size so far.
    FloatingForward,
    /// As backward, but after each step features are added again while that gives the best set of its size so far.
    FloatingBackward,
    /// Adds `plus` and removes `minus`, again and again; from all features, the other way round, if `minus` is larger.
    PlusMinus,
    /// Looks at all sets, for up to 20 features.
    Exhaustive,
}

/// Where the search ends and what is taken from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// So many features; if none is said, the path goes on to its end.
    pub size: Option<usize>,
    /// Ends when a step improves the error by no more than this; backward, when it raises it by as much.
    pub epsilon: Option<f64>,
    /// Takes the best set of the whole path, the smallest of several; otherwise that of `size`, or the last.
    pub best: bool,
    /// Features added and removed in turns.
    pub plus_minus: (usize, usize),
}

/// A step of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The feature.
    pub unit: usize,
    /// True if it was added, false if it was removed.
    pub added: bool,
    /// Features after the step.
    pub size: usize,
    /// The error before.
    pub before: f64,
    /// The error after.
    pub after: f64,
    /// Its standard deviation over the splits.
    pub spread: f64,
}

/// A set of features that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The features, in ascending order.
    pub units: Vec<usize>,
    /// The error.
    pub error: f64,
    /// Its standard deviation over the splits.
    pub spread: f64,
    /// The error of each split.
    pub errors: Vec<f64>,
}

/// What a search leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The steps, in order; none if all sets were looked at.
    pub steps: Vec<Step>,
    /// The best set of each size that was looked at, in ascending order of size.
    pub by_size: Vec<Found>,
    /// The set chosen.
    pub chosen: Found,
    /// Sets that were judged.
    pub n_judged: usize,
}

/// Searches in a direction. Of equally good changes that of the lowest feature is taken.
pub fn search(
    run: &Run<'_>,
    scorer: &dyn Scorer,
    problem: &Problem,
    direction: Direction,
    stop: Stop,
) -> Result<Path> {
    let mut walk = Walk::new(run, scorer, problem)?;
    let n_units = problem.n_units();
    match direction {
        Direction::Forward => walk.straight(true, &stop, false)?,
        Direction::Backward => walk.straight(false, &stop, false)?,
        Direction::FloatingForward => walk.straight(true, &stop, true)?,
        Direction::FloatingBackward => walk.straight(false, &stop, true)?,
        Direction::PlusMinus => walk.in_turns(&stop)?,
        Direction::Exhaustive if n_units > MOST_FOR_ALL => {
            return Err(Error::unsupported(
                message!("{direction=exhaustive}"),
                message!(
                    "looks at all sets of up to {MOST_FOR_ALL} features, and there are {n_units}: \
                     choose another direction"
                ),
            ));
        }
        Direction::Exhaustive => exhaustive::look(&mut walk, stop.size)?,
    }
    walk.finish(&stop)
}

/// The measure of a set.
#[derive(Clone, Debug)]
struct Judged {
    values: Vec<f64>,
    mean: f64,
}

/// The best set of its size so far.
struct Record {
    members: Vec<bool>,
    judged: Judged,
}

/// A set on its way.
pub(super) struct Walk<'a> {
    pub(super) run: &'a Run<'a>,
    problem: &'a Problem,
    evaluator: Box<dyn Evaluator + 'a>,
    members: Vec<bool>,
    current: Judged,
    records: Vec<Option<Record>>,
    steps: Vec<Step>,
    n_judged: usize,
    /// What was last said of the progress, which never falls.
    told: u64,
}

impl<'a> Walk<'a> {
    fn new(run: &'a Run<'a>, scorer: &'a dyn Scorer, problem: &'a Problem) -> Result<Self> {
        let n_units = problem.n_units();
        let mut walk = Self {
            run,
            problem,
            evaluator: start(run, scorer, problem)?,
            members: vec![false; n_units],
            current: Judged {
                values: Vec::new(),
                mean: f64::NAN,
            },
            records: (0..=n_units).map(|_| None).collect(),
            steps: Vec::new(),
            n_judged: 0,
            told: 0,
        };
        walk.current = walk.judge(&[Change::Keep])?.remove(0);
        Ok(walk)
    }

    pub(super) fn n_units(&self) -> usize {
        self.members.len()
    }

    pub(super) fn size(&self) -> usize {
        self.members.iter().filter(|member| **member).count()
    }

    fn judge(&mut self, changes: &[Change]) -> Result<Vec<Judged>> {
        let values = self.evaluator.changed(self.run, changes)?;
        self.n_judged += changes.len();
        Ok(values
            .rows()
            .into_iter()
            .map(|values| {
                let values = values.to_vec();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                Judged { values, mean }
            })
            .collect())
    }

    /// Adds all features at once.
    fn fill(&mut self) -> Result<()> {
        for unit in 0..self.n_units() {
            self.evaluator.apply(self.run, Change::Add(unit))?;
            self.members[unit] = true;
        }
        self.current = self.judge(&[Change::Keep])?.remove(0);
        self.record();
        Ok(())
    }

    /// The best change of one feature among those that may be added or removed; the lowest of several.
    fn best(&mut self, adding: bool, but: Option<usize>) -> Result<Option<(usize, Judged)>> {
        let units = 0..self.n_units();
        let units: Vec<usize> = units
            .filter(|&unit| self.members[unit] != adding && Some(unit) != but)
            .collect();
        let changes: Vec<Change> = units.iter().map(|&unit| change(unit, adding)).collect();
        if changes.is_empty() {
            return Ok(None);
        }
        let judged = self.judge(&changes)?;
        let mut best: Option<(usize, Judged)> = None;
        for (unit, judged) in units.into_iter().zip(judged) {
            let better = best
                .as_ref()
                .is_none_or(|(_, best)| self.problem.is_better(judged.mean, best.mean));
            if better {
                best = Some((unit, judged));
            }
        }
        match &best {
            Some((unit, judged)) if !judged.mean.is_finite() => Err(Error::degenerate(message!(
                "no subset of features could be scored: with feature {unit} the {} is {}",
                self.problem.measure(),
                judged.mean
            ))),
            _ => Ok(best),
        }
    }

    fn take(&mut self, unit: usize, adding: bool, judged: Judged) -> Result<()> {
        self.evaluator.apply(self.run, change(unit, adding))?;
        self.members[unit] = adding;
        let measure = self.problem.measure();
        self.steps.push(Step {
            unit,
            added: adding,
            size: self.size(),
            before: measure.error(self.current.mean),
            after: measure.error(judged.mean),
            spread: self.spread(&judged),
        });
        self.current = judged;
        self.record();
        Ok(())
    }

    /// Remembers the set if it is the best of its size.
    fn record(&mut self) {
        let size = self.size();
        let better = self.records[size].as_ref().is_none_or(|record| {
            self.problem
                .is_better(self.current.mean, record.judged.mean)
        });
        if better {
            self.records[size] = Some(Record {
                members: self.members.clone(),
                judged: self.current.clone(),
            });
        }
    }

    /// The standard deviation of the errors over the splits.
    fn spread(&self, judged: &Judged) -> f64 {
        let count = judged.values.len() as f64;
        if count < 2.0 {
            return 0.0;
        }
        let squares = judged.values.iter().map(|v| (v - judged.mean).powi(2));
        (squares.sum::<f64>() / (count - 1.0)).sqrt()
    }

    fn tell(&mut self, done: usize, total: usize) -> Result<()> {
        self.told = self.told.max(done.min(total) as u64);
        self.run.progress(self.told, total as u64)
    }

    /// One feature after the other, forward or backward; floating takes steps back where they pay.
    fn straight(&mut self, forward: bool, stop: &Stop, floating: bool) -> Result<()> {
        let n_units = self.n_units();
        if !forward {
            self.fill()?;
        }
        let last = stop.size.unwrap_or(if forward { n_units } else { 1 });
        let total = if forward { last } else { n_units - last };
        while self.size() != last {
            let Some((unit, judged)) = self.best(forward, None)? else {
                break;
            };
            if self.ends(&judged, forward, stop.epsilon) {
                break;
            }
            self.take(unit, forward, judged)?;
            if floating {
                self.float(unit, forward)?;
            }
            let size = self.size();
            self.tell(if forward { size } else { n_units - size }, total)?;
        }
        Ok(())
    }

    /// True if a step does not pay. The first feature is always taken, the last never removed.
    fn ends(&self, judged: &Judged, forward: bool, epsilon: Option<f64>) -> bool {
        let Some(epsilon) = epsilon else { return false };
        let measure = self.problem.measure();
        let gained = measure.error(self.current.mean) - measure.error(judged.mean);
        if forward {
            self.size() > 0 && gained <= epsilon
        } else {
            self.size() == 1 || -gained >= epsilon
        }
    }

    /// Steps back while each gives a better set than the one at hand, and than any of its size before.
    fn float(&mut self, newest: usize, forward: bool) -> Result<()> {
        let n_units = self.n_units();
        loop {
            let taken = if forward {
                self.size()
            } else {
                n_units - self.size()
            };
            if taken <= 2 {
                return Ok(());
            }
            let Some((unit, judged)) = self.best(!forward, Some(newest))? else {
                return Ok(());
            };
            let size = if forward {
                self.size() - 1
            } else {
                self.size() + 1
            };
            let beats_record = self.records[size]
                .as_ref()
                .is_none_or(|record| self.problem.is_better(judged.mean, record.judged.mean));
            if !beats_record || !self.problem.is_better(judged.mean, self.current.mean) {
                return Ok(());
            }
            self.take(unit, !forward, judged)?;
        }
    }

    /// So many more, so many fewer, until the size is reached or passed; what is too much then goes one by one.
    fn in_turns(&mut self, stop: &Stop) -> Result<()> {
        let (plus, minus) = stop.plus_minus;
        if plus == minus {
            return Err(Error::not(
                "minus",
                message!(
                    "{plus:parameter} has the same value, so the set would neither grow nor shrink"
                ),
                minus,
            ));
        }
        let (n_units, forward) = (self.n_units(), plus > minus);
        let (first, second) = if forward {
            (plus, minus)
        } else {
            (minus, plus)
        };
        if !forward {
            self.fill()?;
        }
        let last = stop.size.unwrap_or(if forward { n_units } else { 1 });
        let total = if forward { last } else { n_units - last };
        let beyond = |size: usize| if forward { size >= last } else { size <= last };
        while !beyond(self.size()) {
            let before = (self.members.clone(), self.current.clone());
            self.several(first, forward)?;
            let at_end = self.size() == if forward { n_units } else { 1 };
            if !(at_end && beyond(self.size())) {
                self.several(second, !forward)?;
            }
            if before.0.contains(&true) && self.was_in_vain(&before.1, forward, stop.epsilon) {
                (self.members, self.current) = before;
                break;
            }
            let size = self.size();
            self.tell(if forward { size } else { n_units - size }, total)?;
        }
        while stop.size.is_some() && beyond(self.size()) && self.size() != last {
            self.several(1, !forward)?;
        }
        Ok(())
    }

    /// True if the way from the set judged before to the one at hand did not pay.
    fn was_in_vain(&self, before: &Judged, forward: bool, epsilon: Option<f64>) -> bool {
        let Some(epsilon) = epsilon else { return false };
        let measure = self.problem.measure();
        let gained = measure.error(before.mean) - measure.error(self.current.mean);
        if forward {
            gained <= epsilon
        } else {
            -gained >= epsilon
        }
    }

    fn several(&mut self, count: usize, adding: bool) -> Result<()> {
        for _ in 0..count {
            if !adding && self.size() == 1 {
                break;
            }
            let Some((unit, judged)) = self.best(adding, None)? else {
                break;
            };
            self.take(unit, adding, judged)?;
        }
        Ok(())
    }

    fn finish(self, stop: &Stop) -> Result<Path> {
        let by_size: Vec<Found> = self
            .records
            .iter()
            .skip(1)
            .flatten()
            .map(|record| self.found(&record.members, &record.judged))
            .collect();
        let of_size = |size: usize| by_size.iter().find(|found| found.units.len() == size);
        let chosen = if stop.best {
            let better = |found: &Found, best: &Found| found.error < best.error;
            let first = by_size.first();
            first.map(|first| {
                let all = by_size.iter();
                all.fold(
                    first,
                    |best, found| if better(found, best) { found } else { best },
                )
            })
        } else {
            stop.size.and_then(of_size)
        };
        let chosen = match chosen {
            Some(found) => found.clone(),
            None => self.found(&self.members, &self.current),
        };
        Ok(Path {
            chosen,
            by_size,
            steps: self.steps,
            n_judged: self.n_judged,
        })
    }

    fn found(&self, members: &[bool], judged: &Judged) -> Found {
        let measure = self.problem.measure();
        Found {
            units: (0..members.len()).filter(|&unit| members[unit]).collect(),
            error: measure.error(judged.mean),
            spread: self.spread(judged),
            errors: judged
                .values
                .iter()
                .map(|&value| measure.error(value))
                .collect(),
        }
    }

    /// Judges the set with each of some features added, and remembers those that are the best of their size.
    pub(super) fn judge_with(&mut self, units: &[usize]) -> Result<()> {
        let changes: Vec<Change> = units.iter().map(|&unit| Change::Add(unit)).collect();
        let judged = self.judge(&changes)?;
        let before = self.current.clone();
        for (&unit, judged) in units.iter().zip(judged) {
            self.members[unit] = true;
            self.current = judged;
            self.record();
            self.members[unit] = false;
        }
        self.current = before;
        Ok(())
    }

    /// Adds or removes a feature without a word of it in the path.
    pub(super) fn silently(&mut self, unit: usize, adding: bool) -> Result<()> {
        self.evaluator.apply(self.run, change(unit, adding))?;
        self.members[unit] = adding;
        Ok(())
    }
}

fn change(unit: usize, adding: bool) -> Change {
    if adding {
        Change::Add(unit)
    } else {
        Change::Remove(unit)
    }
}
