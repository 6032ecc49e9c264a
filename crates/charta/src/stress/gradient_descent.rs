//! Going down a stress: steps that never raise it, plain or with a memory of the slope.
//!
//! The plain step follows the slope, as an objective conditions it: for stress that is the Guttman transform, which never raises it.
//! With a memory, the last steps and what they did to the slope correct its direction, as in the limited-memory method of
//! Broyden, Fletcher, Goldfarb and Shanno (Nocedal, "Updating quasi-Newton matrices with limited storage", 1980); a step
//! that does not lower the stress enough is shortened, and the plain one taken where that does not help.

use std::collections::VecDeque;

use ndarray::Array2;

use super::gradient::State;
use crate::error::{Result, Warning, counted};
use crate::message;
use crate::run::Run;

/// Times that a step with a memory is halved before the plain one is taken.
const SHORTENED: usize = 3;
/// Times that the plain step is halved.
const HALVED: usize = 40;
/// The share of the promised gain that a step with a memory must bring.
const ENOUGH: f64 = 1e-4;
/// How much longer the plain step becomes after a success, where its length is free.
const LONGER: f64 = 1.5;
/// Without a step that lowers the stress, this much relative gain still promised is rounding.
const ROUNDING: f64 = 1e-9;

/// What is to be made small.
pub(crate) trait Objective {
    /// The value at a layout, and its slope.
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State>;

    /// The step against `forces`: their inverse curvature, exact or bounded from above.
    fn condition(&self, state: &State, forces: &Array2<f64>) -> Array2<f64>;
}

/// How to go down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descent {
    pub(crate) max_iterations: usize,
    /// Stops when the stress falls by no more than this share of the map's squared distances.
    pub(crate) tolerance: f64,
    /// Steps remembered; 0 for plain ones.
    pub(crate) memory: usize,
    /// Length of the first plain step.
    pub(crate) first_step: f64,
}

/// Why a descent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The value fell no further.
    Converged,
    /// The steps were used up.
    Limit,
    /// No step led down, though the slope promised one.
    Stuck,
}

impl End {
    /// Warns of a map that is not the lowest, after so many steps.
    pub(crate) fn warn(self, run: &Run<'_>, n_iterations: usize) -> Result<()> {
        let steps = counted(n_iterations, "step");
        let reached = match self {
            Self::Converged => return Ok(()),
            Self::Limit => {
                message!(
                    "the stress was still decreasing after {steps}; allow more, or a larger \
                     {tolerance:parameter}"
                )
            }
            Self::Stuck => message!(
                "no step decreased the stress after {steps}, though its gradient is not 0; try \
                 another initialization"
            ),
        };
        run.warn(Warning::NotConverged {
            what: message!("the map"),
            reached,
        })
    }
}

/// Where it ended.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub(crate) state: State,
    pub(crate) n_iterations: usize,
    pub(crate) end: End,
    /// The value at the start and after every iteration.
    pub(crate) values: Vec<f64>,
}

impl Descent {
    /// Goes down from a start. `report` is told the iterations done.
    pub(crate) fn from(
        &self,
        run: &Run<'_>,
        objective: &mut impl Objective,
        start: Array2<f64>,
        report: impl Fn(usize) -> Result<()>,
    ) -> Result<Reached> {
        let state = objective.at(run, start)?;
        let mut way = Way {
            values: vec![state.value],
            state,
            memory: Memory::new(self.memory),
            step: self.first_step,
        };
        let mut end = End::Limit;
        while way.values.len() <= self.max_iterations && end == End::Limit {
            let plain = objective.condition(&way.state, &way.state.forces);
            let promised = dot(&plain, &way.state.forces);
            if self.memory > 0 && promised <= self.tolerance * way.state.squares {
                end = End::Converged;
                break;
            }
            let Some(next) = way.next(run, objective, &plain)? else {
                end = match promised <= ROUNDING * way.state.squares {
                    true => End::Converged,
                    false => End::Stuck,
                };
                break;
            };
            let fallen = way.state.value - next.value;
            if self.memory == 0 && fallen <= self.tolerance * next.squares {
                end = End::Converged;
            }
            way.advance(next);
            report(way.values.len() - 1)?;
        }
        Ok(Reached {
            n_iterations: way.values.len() - 1,
            state: way.state,
            end,
            values: way.values,
        })
    }
}

struct Way {
    state: State,
    values: Vec<f64>,
    memory: Memory,
    step: f64,
}

impl Way {
    /// A lower place; `None` if none is found.
    fn next(
        &mut self,
        run: &Run<'_>,
        objective: &mut impl Objective,
        plain: &Array2<f64>,
    ) -> Result<Option<State>> {
        if !self.memory.is_empty() {
            let state = &self.state;
            let corrected =
                (self.memory).corrected(&state.forces, |q| objective.condition(state, q));
            let slope = 2.0 * dot(&corrected, &state.forces);
            let mut length = 1.0;
            for _ in 0..=SHORTENED {
                let trial = objective.at(run, &state.layout - &(&corrected * length))?;
                if slope > 0.0 && trial.value <= state.value - ENOUGH * length * slope {
                    return Ok(Some(trial));
                }
                length *= 0.5;
            }
            self.memory.clear();
        }
        let first = self.step;
        for _ in 0..=HALVED {
            let trial = objective.at(run, &self.state.layout - &(plain * self.step))?;
            if trial.value < self.state.value {
                if self.step == first {
                    self.step = (self.step * LONGER).min(1.0);
                }
                return Ok(Some(trial));
            }
            self.step *= 0.5;
        }
        Ok(None)
    }

    fn advance(&mut self, next: State) {
        // What was wanted at the start may be provisional, so its slope is not remembered.
        if self.values.len() > 1 {
            let step = &next.layout - &self.state.layout;
            let change = &next.forces - &self.state.forces;
            self.memory.add(step, change);
        }
        self.values.push(next.value);
        self.state = next;
    }
}

/// The last steps, and how they changed the slope.
struct Memory {
    size: usize,
    pairs: VecDeque<(Array2<f64>, Array2<f64>, f64)>,
}

impl Memory {
    fn new(size: usize) -> Self {
        Self {
            size,
            pairs: VecDeque::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn clear(&mut self) {
        self.pairs.clear();
    }

    fn add(&mut self, step: Array2<f64>, change: Array2<f64>) {
        let product = dot(&step, &change);
        let sizes = (dot(&step, &step) * dot(&change, &change)).sqrt();
        if self.size == 0 || product.is_nan() || product <= 1e-10 * sizes {
            return;
        }
        if self.pairs.len() == self.size {
            self.pairs.pop_front();
        }
        self.pairs.push_back((step, change, product));
    }

    /// The step against `forces`, corrected by what is remembered: Nocedal's two loops about `condition`.
    fn corrected(
        &self,
        forces: &Array2<f64>,
        condition: impl Fn(&Array2<f64>) -> Array2<f64>,
    ) -> Array2<f64> {
        let mut rest = forces.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, product) in self.pairs.iter().rev() {
            let share = dot(step, &rest) / product;
            rest.scaled_add(-share, change);
            shares.push(share);
        }
        let mut found = condition(&rest);
        if let Some((_, change, product)) = self.pairs.back() {
            let length = dot(change, &condition(change));
            if length > 0.0 {
                found *= product / length;
            }
        }
        for ((step, change, product), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let other = dot(change, &found) / product;
            found.scaled_add(share - other, step);
        }
        found
    }
}

/// Σ a b, in order.
fn dot(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
