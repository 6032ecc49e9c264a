//! Maximum likelihood: expectation–maximization steps, replaced by Newton or L-BFGS steps where these rise further.
//!
//! With the best loadings put in, a step of expectation–maximization sets ψ to what the factors leave
//! of each variance; to first order it is a step of length 2 along the slope in log ψ. Where that converges slowly, a
//! Newton step goes much further: with the Hessian for few columns (Jöreskog 1967, Clarke 1970),
//! by L-BFGS for many (Nocedal 1980). It is taken only if the
//! likelihood rises by it; otherwise it is shortened, and at last the plain step is taken, which
//! cannot make the likelihood fall.

use ndarray::{Array1, Ix1};

use super::{Likelihood, NoiseStart, Point, curvature};
use crate::error::Result;
use crate::optimize::l_bfgs::History;
use crate::run::Run;

/// Initial EM steps.
const PLAIN_STEPS: usize = 5;
/// Steps that the history of L-BFGS keeps.
const MEMORY: usize = 8;
/// The fraction of the predicted gain that a step must bring.
const LEAST_SHARE: f64 = 1e-4;
/// Times that a step is shortened before the plain step is taken.
const MAX_SHORTENED: usize = 6;
/// The farthest that a logarithm moves in one step.
const FARTHEST: f64 = 3.0;
/// Small gains in a row after which it stops.
const SMALL_GAINS: usize = 2;

/// The same, where the curvature is known and a logarithm still moves more than that.
const MANY_SMALL_GAINS: usize = 30;
const STILL: f64 = 1e-8;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Two steps in a row must be predicted to gain, and gain, no more than this mean log-likelihood.
    pub tolerance: f64,
    /// Steps at most.
    pub max_iterations: usize,
}

/// The maximum found.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// What there is at the maximum.
    pub point: Point,
    /// The mean log-likelihood initially and after every step; the last is that of `point`. None is
    /// below an earlier one by more than the rounding of a value, which is a few ε of the largest of its terms:
    /// itself and the sum of 1/ψ.
    pub trace: Vec<f64>,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// What the last step gained.
    pub last_gain: f64,
    /// Columns whose noise variance ended at the floor.
    pub at_floor: Vec<usize>,
}

/// Maximizes the likelihood.
pub(crate) fn maximize(
    run: &Run<'_>,
    likelihood: &mut Likelihood<'_>,
    start: NoiseStart,
    stop: &Stop,
) -> Result<Solution> {
    let start = likelihood.first(start);
    let mut point = likelihood.at(run, start)?;
    let mut memory = Memory::new();
    let mut trace = vec![point.value];
    let mut highest = point.value;
    let (mut converged, mut n_small, mut last_gain) = (false, 0, f64::INFINITY);
    for iteration in 1..=stop.max_iterations {
        run.iterate(iteration as u64, Some(-point.value), None)?;
        let Some((next, predicted)) = step(run, likelihood, &point, highest, &mut memory)? else {
            // Not even the plain step rises: this is the top, to rounding.
            converged = true;
            break;
        };
        last_gain = next.value - point.value;
        let moved = farthest(&(&next.log_noise - &point.log_noise));
        memory.push(&point, &next);
        trace.push(next.value);
        highest = highest.max(next.value);
        point = next;
        run.progress(iteration as u64, stop.max_iterations as u64)?;
        let small = last_gain <= stop.tolerance && predicted <= stop.tolerance;
        n_small = if small { n_small + 1 } else { 0 };
        // Newton steps cost little and soon end at the maximum itself.
        let enough = match point.all {
            Some(_) if moved > STILL => MANY_SMALL_GAINS,
            _ => SMALL_GAINS,
        };
        if n_small >= enough {
            converged = true;
            break;
        }
    }
    // The small steps beyond these are optional.
    converged |= n_small >= SMALL_GAINS;
    let lowest = likelihood.floor.ln();
    let at_floor = (0..point.log_noise.len())
        .filter(|&j| likelihood.varies[j] && point.log_noise[j] <= lowest)
        .collect();
    Ok(Solution {
        point,
        trace,
        converged,
        last_gain,
        at_floor,
    })
}

impl Likelihood<'_> {
    /// Which noise variances may move: one at the floor whose gradient points below it is fixed.
    fn free(&self, point: &Point) -> Vec<bool> {
        let lowest = self.floor.ln();
        (0..point.slope.len())
            .map(|j| self.varies[j] && (point.log_noise[j] > lowest || point.slope[j] < 0.0))
            .collect()
    }
}

fn farthest(moves: &Array1<f64>) -> f64 {
    moves.iter().fold(0.0, |most, by| most.max(by.abs()))
}

/// A point higher up and the gain that was predicted, or `None` at the top. `highest` is the highest value
/// so far.
fn step(
    run: &Run<'_>,
    likelihood: &mut Likelihood<'_>,
    point: &Point,
    highest: f64,
    memory: &mut Memory,
) -> Result<Option<(Point, f64)>> {
    let free = likelihood.free(point);
    let slope = Array1::from_shape_fn(free.len(), |j| if free[j] { point.slope[j] } else { 0.0 });
    let direction = if memory.is_warm() {
        curvature::direction(point, &slope, &free).or_else(|| memory.direction(&slope))
    } else {
        None
    };
    if let Some(mut direction) = direction {
        for (entry, _) in direction.iter_mut().zip(&free).filter(|(_, free)| !**free) {
            *entry = 0.0;
        }
        let found = search(run, likelihood, point, highest, &slope, &direction)?;
        if found.is_some() {
            return Ok(found);
        }
        memory.history.clear();
    }
    let plain = Array1::from_shape_fn(slope.len(), |j| {
        if likelihood.varies[j] {
            (1.0 - point.explained(j)).max(likelihood.floor).ln()
        } else {
            0.0
        }
    });
    let predicted = -slope.dot(&(&plain - &point.log_noise));
    let next = likelihood.at(run, plain)?;
    Ok((next.value > point.value).then_some((next, predicted)))
}

/// A point higher up along a direction, shortened as often as need be, and the gain predicted.
fn search(
    run: &Run<'_>,
    likelihood: &mut Likelihood<'_>,
    point: &Point,
    highest: f64,
    slope: &Array1<f64>,
    direction: &Array1<f64>,
) -> Result<Option<(Point, f64)>> {
    let lowest = likelihood.floor.ln();
    let mut length = (FARTHEST / farthest(direction).max(f64::MIN_POSITIVE)).min(1.0);
    let predicted = -slope.dot(direction);
    if predicted <= 0.0 || predicted.is_nan() {
        return Ok(None);
    }
    let still_to_go = |slope: &Array1<f64>| {
        let moving = slope.iter().zip(direction).filter(|(_, by)| **by != 0.0);
        moving.map(|(slope, _)| slope * slope).sum::<f64>()
    };
    for _ in 0..MAX_SHORTENED {
        let trial = &point.log_noise + &(direction * length);
        let next = likelihood.at(run, trial.mapv(|value| value.clamp(lowest, 0.0)))?;
        let wanted = point.value + LEAST_SHARE * length * predicted;
        // Where the gain is below the value's rounding, the slope decides. It is compared with the highest
        // value, or else many small falls could add up.
        let flatter = still_to_go(&next.slope) < still_to_go(slope);
        let unclear = (next.value - highest).abs().max(predicted) < point.rounding;
        if next.value > wanted || (unclear && flatter) {
            return Ok(Some((next, predicted)));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// The history of L-BFGS, after the first steps.
struct Memory {
    history: History<Ix1>,
    n_steps: usize,
}

impl Memory {
    fn new() -> Self {
        Self {
            history: History::new(MEMORY),
            n_steps: 0,
        }
    }

    /// Long steps far from a maximum may lead to another, lower one: the first steps are plain.
    fn is_warm(&self) -> bool {
        self.n_steps >= PLAIN_STEPS
    }

    fn push(&mut self, from: &Point, to: &Point) {
        self.n_steps += 1;
        let step = &to.log_noise - &from.log_noise;
        let mut change = &to.slope - &from.slope;
        // Coordinates that did not move, such as a value at the floor, carry no information about the curvature.
        ndarray::Zip::from(&mut change)
            .and(&step)
            .for_each(|change, &step| {
                if step == 0.0 {
                    *change = 0.0;
                }
            });
        self.history.push(step, change);
    }

    /// Minus the inverse Hessian times the slope; `None` without a history.
    fn direction(&self, slope: &Array1<f64>) -> Option<Array1<f64>> {
        (!self.history.is_empty()).then(|| -self.history.apply(slope, Clone::clone))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis};

    use super::*;
    use crate::data::Features;
    use crate::methods::factor_analysis::likelihood::Source;
    use crate::random::{normal, stream};

    const STOP: Stop = Stop {
        tolerance: 1e-11,
        max_iterations: 500,
    };

    /// Correlations of rows drawn from a factor model, and the rows.
    fn drawn(n_rows: usize, n_columns: usize, n_factors: usize) -> (Array2<f64>, Array2<f64>) {
        let mut stream = stream(3, 0);
        let loadings = Array2::from_shape_fn((n_factors, n_columns), |_| normal(&mut stream));
        let scores = Array2::from_shape_fn((n_rows, n_factors), |_| normal(&mut stream));
        let noise = Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
            (0.3 + (j % 5) as f64 / 4.0) * normal(&mut stream)
        });
        let rows = scores.dot(&loadings) + noise;
        let centred = &rows - &rows.mean_axis(Axis(0)).unwrap();
        let lengths = (&centred * &centred).sum_axis(Axis(0)).mapv(f64::sqrt);
        let unit = &centred / &lengths;
        (unit.t().dot(&unit), rows)
    }

    fn fitted(correlations: Array2<f64>, n_factors: usize, floor: f64) -> Solution {
        let varies = vec![true; correlations.nrows()];
        let source = Source::Matrix(correlations);
        let mut likelihood = Likelihood::new(source, varies, n_factors, floor, 0);
        maximize(&Run::new(), &mut likelihood, NoiseStart::Share(0.5), &STOP).unwrap()
    }

    #[test]
    fn the_slope_is_the_derivative_of_minus_the_value() {
        let (correlations, _) = drawn(300, 9, 2);
        let mut likelihood =
            Likelihood::new(Source::Matrix(correlations), vec![true; 9], 2, 1e-6, 0);
        let run = Run::new();
        let trial = Array1::from_shape_fn(9, |j| -0.3 - j as f64 / 10.0);
        let here = likelihood.at(&run, trial.clone()).unwrap();
        for j in 0..9 {
            let mut moved = trial.clone();
            moved[j] += 1e-5;
            let above = likelihood.at(&run, moved.clone()).unwrap().value;
            moved[j] -= 2e-5;
            let below = likelihood.at(&run, moved).unwrap().value;
            let slope = (below - above) / 2e-5;
            assert!((slope - here.slope[j]).abs() < 1e-8, "{j}");
        }
    }

    #[test]
    fn the_likelihood_never_falls_and_the_slope_vanishes_at_the_end() {
        let (correlations, _) = drawn(400, 30, 3);
        let solution = fitted(correlations.clone(), 3, 1e-6);
        assert!(solution.converged);
        let mut highest = f64::NEG_INFINITY;
        for &value in &solution.trace {
            assert!(
                value > highest - solution.point.rounding,
                "{value} {highest}"
            );
            highest = highest.max(value);
        }
        let last = solution.trace[solution.trace.len() - 1];
        assert_eq!(last.to_bits(), solution.point.value.to_bits());
        assert!(solution.point.slope.iter().all(|s| s.abs() < 1e-4));
        let explained: Vec<f64> = (0..30).map(|j| solution.point.explained(j)).collect();
        for (j, explained) in explained.iter().enumerate() {
            let sum = explained + solution.point.log_noise[j].exp();
            assert!((sum - 1.0).abs() < 1e-4, "{j}: {sum}");
        }
        assert!(solution.trace.len() < 40, "{} steps", solution.trace.len());
    }

    #[test]
    fn matrix_and_rows_followed_or_not_find_the_same_maximum() {
        let (correlations, rows) = drawn(500, 220, 4);
        let features = Features::from(&rows);
        let mean = rows.mean_axis(Axis(0)).unwrap();
        let centred = &rows - &mean;
        let units = (&centred * &centred)
            .sum_axis(Axis(0))
            .mapv(|square| square.sqrt().recip());
        let by_rows = Source::Rows {
            features: features.reborrow(),
            mean: &mean,
            units,
        };
        let mut likelihood = Likelihood::new(by_rows, vec![true; 220], 4, 1e-6, 7);
        let rows = maximize(&Run::new(), &mut likelihood, NoiseStart::Share(0.5), &STOP).unwrap();
        let followed = fitted(correlations.clone(), 4, 1e-6);
        let dense = correlations.slice(ndarray::s![..150, ..150]).to_owned();
        assert!(fitted(dense, 4, 1e-6).converged);
        assert!((rows.point.value - followed.point.value).abs() < 1e-8);
        let apart = (&rows.point.loadings - &followed.point.loadings)
            .iter()
            .fold(0.0_f64, |most, d| most.max(d.abs()));
        assert!(apart < 1e-4, "{apart}");
    }

    #[test]
    fn a_column_that_is_explained_entirely_ends_at_the_floor() {
        let (_, mut rows) = drawn(200, 6, 1);
        let copy = rows.column(0).to_owned();
        rows.column_mut(1).assign(&copy);
        let centred = &rows - &rows.mean_axis(Axis(0)).unwrap();
        let lengths = (&centred * &centred).sum_axis(Axis(0)).mapv(f64::sqrt);
        let unit = &centred / &lengths;
        let solution = fitted(unit.t().dot(&unit), 1, 1e-6);
        assert_eq!(solution.at_floor, [0, 1]);
        assert!(solution.converged && solution.point.value.is_finite());
    }
}
