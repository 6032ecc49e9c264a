//! Minimization of Sammon's stress by diagonal Newton steps or L-BFGS.
//!
//! The stress is E = (1/Σδ) Σ (δ − d)²/δ over pairs; with the weights of relative errors, (1/N) Σ (δ − d)²/δ² over the N pairs. Sammon's steps divide the gradient by the size of the second derivative, coordinate by
//! coordinate, times a factor below 1, the "magic factor". Here a step that would raise the stress is halved until it does
//! not, and a good one lengthens the next. `quasi_newton` corrects the direction of these steps by L-BFGS.
//!
//! A distance of 0 between two rows would weigh infinitely much: it gets the weight of the smallest distance above 0. So does
//! a distance that is hardly more than 0.
//!
//! Sammon, "A nonlinear mapping for data structure analysis", 1969.

use ndarray::{Array1, Array2, ArrayView1, Zip};

use crate::error::{Error, Result, message};
use crate::params::Choice;
use crate::run::Run;
use crate::stress::dissimilarities::Dissimilarities;
use crate::stress::gradient::{PairWeights, State, Target};
use crate::stress::gradient_descent::{End, Minimizer, Objective};
use crate::stress::initialization::check_initial;

/// Steps in the history of L-BFGS.
const MEMORY: usize = 10;
/// Second derivatives count as at least this fraction of the largest of their row: a row that lies flat one way would leap that way. From 0.15
/// to 1 the same minima are reached on the Swiss provinces, digits and irises; below 0.1, higher ones.
const LEAST: f64 = 0.4;
/// Distances below this fraction of the mean count as 0: their weights would drown all others in rounding.
const NOTHING: f64 = 1e-8;

/// How steps are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Steps {
    /// Sammon's diagonal Newton steps: the gradient over the second derivative, coordinate by coordinate.
    Newton,
    /// L-BFGS with Sammon's step as preconditioner: the same minimum in fewer iterations.
    QuasiNewton,
}

/// Weights of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Weighting {
    /// 1/δ: near pairs count more (Sammon 1969).
    Sammon,
    /// 1/δ²: relative errors count (Alpaydin 2014, equation 6.43).
    Relative,
}

/// How Sammon's stress is made small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sammon {
    /// Weights of the pairs.
    pub weighting: Weighting,
    /// How steps are made.
    pub steps: Steps,
    /// Length of the first step, as a fraction of Newton's: the "magic factor".
    pub magic_factor: f64,
    /// Steps at most.
    pub max_iterations: usize,
    /// Stops when a step lowers the stress by no more than this fraction of the map's weighted squared distances; a quasi-Newton descent,
    /// when one of Newton's steps would.
    pub tolerance: f64,
}

/// An embedding by Sammon's stress.
#[derive(Clone, Debug)]
pub(super) struct SammonMap {
    /// The coordinates.
    pub layout: Array2<f64>,
    /// Sammon's stress E.
    pub stress: f64,
    /// That of the initialization.
    pub start_stress: f64,
    /// The part of each row in E: twice E in all.
    pub stress_per_row: Array1<f64>,
    /// Steps taken.
    pub n_iterations: usize,
    /// Whether the stress stopped falling before the limit.
    pub converged: bool,
    /// Why the minimization ended.
    pub end: End,
    /// The distance below which all weigh the same: the smallest that counts as above 0.
    pub least: f64,
    /// Pairs of rows at distance 0, or hardly more than that: 1e-8 of the mean.
    pub n_coincident: usize,
}

impl Sammon {
    /// Minimizes from a layout, which has a row for each row of the distances. All distances must be known, with equal weights.
    pub(super) fn from(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        start: Array2<f64>,
    ) -> Result<SammonMap> {
        if known.weights().is_some() {
            return Err(Error::unsupported(
                message!("Sammon's stress"),
                message!("needs all distances, and makes their weights itself"),
            ));
        }
        check_initial(&start, known.n_rows())?;
        let pairs = Pairs::of(known, self.weighting);
        let mut objective = Curved {
            known,
            weighting: match self.weighting {
                Weighting::Sammon => PairWeights::Inverse(pairs.least),
                Weighting::Relative => PairWeights::InverseSquare(pairs.least),
            },
        };
        let minimizer = Minimizer {
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            memory: match self.steps {
                Steps::Newton => 0,
                Steps::QuasiNewton => MEMORY,
            },
            first_step: self.magic_factor,
        };
        let start = start / known.scale();
        let report = |done: usize, state: &State| {
            let layout = &state.layout * known.scale();
            run.iterate(
                done as u64,
                Some(state.value / pairs.total),
                Some(layout.view()),
            )?;
            run.progress(done as u64, self.max_iterations as u64)
        };
        let reached = minimizer.minimize(run, &mut objective, start, report)?;
        let layout = reached.state.layout * known.scale();
        if layout.iter().any(|value| !value.is_finite()) {
            return Err(Error::too_large());
        }
        let first = reached
            .values
            .first()
            .copied()
            .unwrap_or(reached.state.value);
        Ok(SammonMap {
            layout,
            stress: reached.state.value / pairs.total,
            start_stress: first / pairs.total,
            stress_per_row: reached.state.per_row / pairs.total,
            n_iterations: reached.n_iterations,
            converged: reached.end == End::Converged,
            end: reached.end,
            least: pairs.least * known.scale(),
            n_coincident: pairs.n_coincident,
        })
    }
}

/// What there is to know of the distances between different rows.
struct Pairs {
    /// The weighted sum of the squared distances.
    total: f64,
    least: f64,
    n_coincident: usize,
}

impl Pairs {
    fn of(known: &Dissimilarities, weighting: Weighting) -> Self {
        let lines = || known.distances().rows().into_iter().enumerate();
        let below = |(row, line): (usize, ArrayView1<'_, f64>)| line.iter().take(row).sum::<f64>();
        let total: f64 = lines().map(below).sum();
        let n_rows = known.n_rows() as f64;
        let nothing = NOTHING * total / (0.5 * n_rows * (n_rows - 1.0));
        let mut pairs = Self {
            total,
            least: f64::INFINITY,
            n_coincident: 0,
        };
        for (row, line) in lines() {
            for &distance in line.iter().take(row) {
                if distance > nothing {
                    pairs.least = pairs.least.min(distance);
                } else {
                    pairs.n_coincident += 1;
                }
            }
        }
        if weighting == Weighting::Relative {
            // Every distance above 0 contributes δ²/δ².
            pairs.total = (0.5 * n_rows * (n_rows - 1.0) - pairs.n_coincident as f64).max(1.0);
        }
        pairs
    }
}

/// Sammon's stress, times the weighted sum of all squared distances.
struct Curved<'a> {
    known: &'a Dissimilarities,
    weighting: PairWeights<'a>,
}

impl Objective for Curved<'_> {
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        let target_distances = Target {
            distances: self.known.distances(),
            weighting: self.weighting,
            curved: true,
        };
        target_distances.stress(run, layout)
    }

    /// Divides by the size of the second derivative.
    fn condition(&self, state: &State, forces: &Array2<f64>) -> Array2<f64> {
        let mut step = forces.clone();
        if let Some(curvature) = &state.curvature {
            for (mut step, curvature) in step.rows_mut().into_iter().zip(curvature.rows()) {
                let largest = curvature.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
                let least = LEAST * largest;
                Zip::from(&mut step).and(curvature).for_each(|step, bend| {
                    let size = bend.abs().max(least);
                    *step = if size > 0.0 { *step / size } else { 0.0 };
                });
            }
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_of_another_size_is_refused() {
        let known = Dissimilarities::new(Array2::ones((4, 4)), None).unwrap();
        let sammon = Sammon {
            weighting: Weighting::Sammon,
            steps: Steps::Newton,
            magic_factor: 0.3,
            max_iterations: 5,
            tolerance: 0.0,
        };
        for start in [Array2::zeros((3, 2)), Array2::zeros((4, 0))] {
            let outcome = sammon.from(&Run::new(), &known, start);
            assert!(matches!(outcome, Err(Error::Shape { .. })));
        }
    }
}
