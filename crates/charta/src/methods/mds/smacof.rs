//! SMACOF: metric and non-metric multidimensional scaling by majorization (Guttman transforms), optionally with L-BFGS.
//!
//! With target distances δ, weights w and the layout's distances d, raw stress is σ(X) = Σ w (δ − d(X))² over pairs. By the
//! inequality of Cauchy and Schwarz, d(X) is at least the inner product of x_i − x_j with the unit vector along y_i − y_j for any layout Y, so that σ
//! lies below a quadratic function of X which touches it at Y. Its minimum is the Guttman transform G(Y) = V⁺ B(Y) Y, with V the
//! Laplacian of the weights and B(Y) that of w δ / d(Y): σ(G(Y)) ≤ σ(Y). Here the same is written as Y − V⁺ F(Y) with the
//! forces F(Y) = (V − B(Y)) Y, half the gradient of σ, which is what L-BFGS needs.
//!
//! Non-metric scaling takes the order of the distances only: δ is replaced by disparities, the isotonic regression of d on δ, whose weighted mean square
//! is kept at 1. Between the two the stress falls as well, so that one alternates.
//!
//! De Leeuw, "Applications of convex analysis to multidimensional scaling", 1977. De Leeuw and Heiser, "Multidimensional scaling
//! with restrictions on the configuration", 1980. Borg and Groenen, "Modern multidimensional scaling", 2005, chapters 8 and 9.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use super::disparities::{Disparities, Sorted};
use crate::error::{Error, Result};
use crate::optimize::isotonic::{Curve, Ties};
use crate::params::Choice;
use crate::run::Run;
use crate::stress::dissimilarities::{Dissimilarities, Laplacian};
use crate::stress::gradient::{State, Target};
use crate::stress::gradient_descent::{End, Minimizer, Minimum, Objective};
use crate::stress::initialization::check_initial;

/// Steps in the history of L-BFGS.
const MEMORY: usize = 10;
/// Initializations that are minimized in parallel.
pub(crate) const AT_ONCE: usize = 4;

/// How the stress is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Steps {
    /// SMACOF: Guttman transforms alone, as in the literature.
    Majorization,
    /// L-BFGS with the Guttman transform as preconditioner: the same minimum in fewer iterations.
    QuasiNewton,
}

/// What is to be kept of the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The distances themselves.
    Distances,
    /// Their order.
    Order(Ties),
}

/// How distances are scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smacof {
    /// Distances, or their order.
    pub kept: Kept,
    /// How the stress is minimized.
    pub steps: Steps,
    /// Steps at most.
    pub max_iterations: usize,
    /// Stops when a step lowers the raw stress by no more than this fraction of the map's weighted squared distances; a quasi-Newton
    /// descent, when a plain step would.
    pub tolerance: f64,
}

impl Default for Smacof {
    fn default() -> Self {
        Self {
            kept: Kept::Distances,
            steps: Steps::Majorization,
            max_iterations: 300,
            tolerance: 1e-6,
        }
    }
}

/// An embedding of distances.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The coordinates.
    pub layout: Array2<f64>,
    /// Raw stress: Σ w (δ − d)² over pairs; of disparities for non-metric scaling. Infinite where its square units are too large for
    /// a number, unlike the normalized stress.
    pub stress: f64,
    /// Kruskal's stress 1: √(raw / Σ w d²).
    pub normalized_stress: f64,
    /// Σⱼ w (δ − d)² of each row: twice the raw stress in all.
    pub stress_per_row: Array1<f64>,
    /// Steps taken.
    pub n_iterations: usize,
    /// Whether the stress stopped falling before the limit.
    pub converged: bool,
    /// Why the minimization ended.
    pub end: End,
    /// The raw stress initially and after every step.
    pub stresses: Vec<f64>,
    /// The disparity of every distance, for non-metric scaling.
    pub curve: Option<Curve>,
}

impl Smacof {
    /// Minimizes from one layout, which has a row for each row of the distances.
    pub fn from(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        start: Array2<f64>,
    ) -> Result<Scaling> {
        let problem = Problem::of(known, self.kept)?;
        let (unit, area) = (problem.unit(), problem.area());
        let report = |done: usize, state: &State| {
            let layout = &state.layout * unit;
            let stress = in_units(state.value, area);
            run.iterate(done as u64, Some(stress), Some(layout.view()))?;
            run.progress(done as u64, self.max_iterations as u64)
        };
        let minimum = self.minimize(run, &problem, start, report)?;
        problem.finished(minimum)
    }

    /// Minimizes from several initializations, in parallel, and takes the lowest result: of equal ones, the first. Also the raw stress from
    /// each initialization, and which was taken. Ended on request, it takes the best of those done.
    pub fn best(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        n_starts: usize,
        start: impl Fn(usize) -> Result<Array2<f64>> + Sync,
    ) -> Result<(Scaling, Array1<f64>, usize)> {
        if n_starts <= 1 {
            let only = self.from(run, known, start(0)?)?;
            let stresses = Array1::from_elem(1, only.stress);
            return Ok((only, stresses, 0));
        }
        let problem = Problem::of(known, self.kept)?;
        let mut best: Option<(Minimum, usize)> = None;
        let mut interrupted = false;
        let mut stresses = Vec::with_capacity(n_starts);
        let numbers: Vec<usize> = (0..n_starts).collect();
        for wave in numbers.chunks(AT_ONCE) {
            let ends: Vec<Minimum> = (wave.par_iter())
                .map(|&number| self.minimize(run, &problem, start(number)?, |_, _| run.check()))
                .collect::<Result<_>>()?;
            for (&number, end) in wave.iter().zip(ends) {
                stresses.push(in_units(end.state.value, problem.area()));
                // Before the scale of the distances comes in, by which the stress may overflow.
                let is_lower = |best: &(Minimum, usize)| end.state.value < best.0.state.value;
                if best.as_ref().is_none_or(is_lower) {
                    best = Some((end, number));
                }
            }
            if let Some((best, _)) = &best {
                let layout = &best.state.layout * problem.unit();
                let stress = in_units(best.state.value, problem.area());
                run.iterate(stresses.len() as u64, Some(stress), Some(layout.view()))?;
            }
            run.progress(stresses.len() as u64, n_starts as u64)?;
            if run.wants_end() {
                interrupted = stresses.len() < n_starts;
                break;
            }
        }
        match best {
            Some((mut best, number)) => {
                if interrupted {
                    best.end = End::Interrupted;
                }
                Ok((problem.finished(best)?, stresses.into(), number))
            }
            None => Err(Error::too_large()),
        }
    }

    fn minimize(
        &self,
        run: &Run<'_>,
        problem: &Problem<'_>,
        start: Array2<f64>,
        report: impl Fn(usize, &State) -> Result<()>,
    ) -> Result<Minimum> {
        let Problem {
            known,
            laplacian,
            sorted,
        } = problem;
        check_initial(&start, known.n_rows())?;
        let mut start = start / known.scale();
        // Guttman transforms are centred, and forces do not move the centre.
        if let Some(centre) = start.mean_axis(Axis(0)) {
            start -= &centre;
        }
        let minimizer = Minimizer {
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            memory: match self.steps {
                Steps::Majorization => 0,
                Steps::QuasiNewton => MEMORY,
            },
            first_step: 1.0,
        };
        match sorted {
            None => minimizer.minimize(run, &mut Metric { known, laplacian }, start, report),
            Some(sorted) => {
                let mut ordered = NonMetric {
                    known,
                    laplacian,
                    disparities: Disparities::of(sorted),
                    begun: false,
                };
                minimizer.minimize(run, &mut ordered, start, report)
            }
        }
    }
}

/// The distances and what all initializations need of them.
struct Problem<'a> {
    known: &'a Dissimilarities,
    laplacian: Laplacian,
    /// The order of the distances, where that is what is kept.
    sorted: Option<Sorted>,
}

impl<'a> Problem<'a> {
    fn of(known: &'a Dissimilarities, kept: Kept) -> Result<Self> {
        Ok(Self {
            known,
            laplacian: Laplacian::of(known)?,
            sorted: match kept {
                Kept::Distances => None,
                Kept::Order(ties) => Some(Sorted::of(known, ties)),
            },
        })
    }

    /// What a layout is multiplied with to have the units of the given distances; non-metric layouts have none.
    fn unit(&self) -> f64 {
        match self.sorted {
            None => self.known.scale(),
            Some(_) => 1.0,
        }
    }

    /// What the stress is multiplied with to have the units of the given distances; disparities have none.
    fn area(&self) -> f64 {
        match self.sorted {
            None => self.known.stress_scale(),
            Some(_) => self.known.weight_scale(),
        }
    }

    fn finished(&self, minimum: Minimum) -> Result<Scaling> {
        let (state, area) = (minimum.state, self.area());
        let curve = (self.sorted.as_ref())
            .map(|sorted| sorted.curve(&state.layout).stretched(self.known.scale()));
        let layout = match curve {
            None => state.layout * self.known.scale(),
            Some(_) => state.layout,
        };
        if layout.iter().any(|value| !value.is_finite()) {
            return Err(Error::too_large());
        }
        let relative = state.value / state.squares;
        Ok(Scaling {
            layout,
            stress: in_units(state.value, area),
            normalized_stress: if state.squares > 0.0 {
                relative.sqrt()
            } else {
                1.0
            },
            stress_per_row: state.per_row.mapv(|part| in_units(part, area)),
            n_iterations: minimum.n_iterations,
            converged: minimum.end == End::Converged,
            end: minimum.end,
            stresses: (minimum.values.iter())
                .map(|value| in_units(*value, area))
                .collect(),
            curve,
        })
    }
}

/// A stress in the units of the distances. Nothing stays nothing even where the units overflow.
fn in_units(value: f64, area: f64) -> f64 {
    if value > 0.0 { value * area } else { value }
}

/// The stress of the distances themselves.
struct Metric<'a> {
    known: &'a Dissimilarities,
    laplacian: &'a Laplacian,
}

impl Objective for Metric<'_> {
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        self.known.target_distances().stress(run, layout)
    }

    fn condition(&self, _: &State, forces: &Array2<f64>) -> Array2<f64> {
        self.laplacian.solve(forces)
    }
}

/// The stress of the disparities that suit a layout best.
struct NonMetric<'a> {
    known: &'a Dissimilarities,
    laplacian: &'a Laplacian,
    disparities: Disparities<'a>,
    begun: bool,
}

impl Objective for NonMetric<'_> {
    /// The initial layout is compared with the distances themselves: it may be random, with a meaningless order.
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        if self.begun {
            self.disparities.fit(&layout)?;
        } else {
            self.disparities.take_distances()?;
        }
        self.begun = true;
        let target_distances = Target {
            distances: self.disparities.matrix(),
            weighting: self.known.weighting(),
            curved: false,
        };
        target_distances.stress(run, layout)
    }

    fn condition(&self, _: &State, forces: &Array2<f64>) -> Array2<f64> {
        self.laplacian.solve(forces)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_triangle_is_drawn_exactly() {
        let triangle = array![[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]];
        let known = Dissimilarities::new(triangle, None).unwrap();
        let start = array![[0.1, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let smacof = Smacof {
            tolerance: 0.0,
            ..Smacof::default()
        };
        let map = smacof.from(&Run::new(), &known, start).unwrap();
        assert!(map.stress < 1e-12, "{}", map.stress);
    }
}
