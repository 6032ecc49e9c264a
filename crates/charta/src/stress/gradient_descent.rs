//! Minimization of a stress: preconditioned gradient steps that never raise it, plain or corrected by L-BFGS.
//!
//! The plain step is the gradient, preconditioned by the objective: for raw stress that is the Guttman transform, which never raises it. With L-BFGS
//! the last steps correct its direction (L-BFGS); a step that does not lower the stress enough (Armijo's condition) is halved, and the
//! plain one is taken where that does not help.

use ndarray::{Array2, Ix2};

use super::gradient::State;
use crate::error::{Result, StepUnit, Warning, counted, message};
use crate::optimize::l_bfgs::{History, dot};
use crate::run::Run;

/// Times that an L-BFGS step is halved before the plain one is taken.
const MAX_BACKTRACKS: usize = 3;
/// Times that the plain step is halved.
const MAX_HALVINGS: usize = 40;
/// Armijo's condition: the fraction of the decrease predicted by the gradient that an L-BFGS step must bring.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// How much longer the plain step becomes after a success, where its length is free.
const STEP_GROWTH: f64 = 1.5;
/// Without a step that lowers the stress, a predicted relative decrease below this is rounding.
const ROUNDING: f64 = 1e-9;

/// A stress to be minimized.
pub(crate) trait Objective {
    /// The value at a layout, and its gradient.
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State>;

    /// The preconditioned gradient: `forces` times an inverse Hessian, exact or bounded from above.
    fn condition(&self, state: &State, forces: &Array2<f64>) -> Array2<f64>;
}

/// How a stress is minimized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minimizer {
    pub(crate) max_iterations: usize,
    /// Stops when the stress falls by no more than this fraction of the map's squared distances.
    pub(crate) tolerance: f64,
    /// Steps in the history of L-BFGS; 0 for plain ones.
    pub(crate) memory: usize,
    /// Length of the first plain step.
    pub(crate) first_step: f64,
}

/// Why a minimization ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The value fell no further.
    Converged,
    /// The iterations were used up.
    Limit,
    /// No step lowered the value, though the gradient predicted one.
    Stuck,
    /// The observer stopped the optimization early.
    Interrupted,
}

impl End {
    /// Warns of a layout that is not a minimum, after this many of at most `max_iterations` steps.
    pub(crate) fn warn(
        self,
        run: &Run<'_>,
        n_iterations: usize,
        max_iterations: usize,
    ) -> Result<()> {
        let steps = counted(n_iterations, "step");
        let reached = match self {
            Self::Converged => return Ok(()),
            Self::Interrupted => {
                return run.warn(Warning::EndedEarly {
                    step: n_iterations as u64,
                    total: max_iterations as u64,
                    unit: StepUnit::Iteration,
                });
            }
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

/// The layout that a minimization ended at.
#[derive(Clone, Debug)]
pub(crate) struct Minimum {
    pub(crate) state: State,
    pub(crate) n_iterations: usize,
    pub(crate) end: End,
    /// The value initially and after every iteration.
    pub(crate) values: Vec<f64>,
}

impl Minimizer {
    /// Minimizes from a layout. `report` gets the number of iterations done and the state that they led to.
    pub(crate) fn minimize(
        &self,
        run: &Run<'_>,
        objective: &mut impl Objective,
        start: Array2<f64>,
        report: impl Fn(usize, &State) -> Result<()>,
    ) -> Result<Minimum> {
        let state = objective.at(run, start)?;
        let mut descent = Descent {
            values: vec![state.value],
            state,
            history: History::new(self.memory),
            step: self.first_step,
        };
        let mut end = End::Limit;
        while descent.values.len() <= self.max_iterations && end == End::Limit {
            if descent.values.len() > 1 && run.wants_end() {
                end = End::Interrupted;
                break;
            }
            let plain = objective.condition(&descent.state, &descent.state.forces);
            let predicted = dot(&plain, &descent.state.forces);
            if self.memory > 0 && predicted <= self.tolerance * descent.state.squares {
                end = End::Converged;
                break;
            }
            let Some(next) = descent.next(run, objective, &plain)? else {
                end = if predicted <= ROUNDING * descent.state.squares {
                    End::Converged
                } else {
                    End::Stuck
                };
                break;
            };
            let decrease = descent.state.value - next.value;
            if self.memory == 0 && decrease <= self.tolerance * next.squares {
                end = End::Converged;
            }
            descent.advance(next);
            report(descent.values.len() - 1, &descent.state)?;
        }
        Ok(Minimum {
            n_iterations: descent.values.len() - 1,
            state: descent.state,
            end,
            values: descent.values,
        })
    }
}

/// A minimization under way.
struct Descent {
    state: State,
    values: Vec<f64>,
    history: History<Ix2>,
    /// Length of the plain step.
    step: f64,
}

impl Descent {
    /// A layout of lower stress; `None` if none is found.
    fn next(
        &mut self,
        run: &Run<'_>,
        objective: &mut impl Objective,
        plain: &Array2<f64>,
    ) -> Result<Option<State>> {
        if !self.history.is_empty() {
            let state = &self.state;
            let direction =
                (self.history).apply(&state.forces, |forces| objective.condition(state, forces));
            let slope = 2.0 * dot(&direction, &state.forces);
            let mut length = 1.0;
            for _ in 0..=MAX_BACKTRACKS {
                let trial = objective.at(run, &state.layout - &(&direction * length))?;
                if slope > 0.0 && trial.value <= state.value - SUFFICIENT_DECREASE * length * slope
                {
                    return Ok(Some(trial));
                }
                length *= 0.5;
            }
            self.history.clear();
        }
        let first = self.step;
        for _ in 0..=MAX_HALVINGS {
            let trial = objective.at(run, &self.state.layout - &(plain * self.step))?;
            if trial.value < self.state.value {
                if self.step == first {
                    self.step = (self.step * STEP_GROWTH).min(1.0);
                }
                return Ok(Some(trial));
            }
            self.step *= 0.5;
        }
        Ok(None)
    }

    fn advance(&mut self, next: State) {
        // The target of the first step may be provisional (distances in place of disparities), so its gradient is not kept.
        if self.values.len() > 1 {
            let step = &next.layout - &self.state.layout;
            let change = &next.forces - &self.state.forces;
            self.history.push(step, change);
        }
        self.values.push(next.value);
        self.state = next;
    }
}
