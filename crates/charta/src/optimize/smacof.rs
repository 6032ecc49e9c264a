//! Metric and non-metric scaling by majorization: coordinates whose distances are as near as possible to given ones.
//!
//! With wanted distances δ, weights w and the layout's distances d, raw stress is σ(X) = Σ w (δ − d(X))² over pairs. By the
//! inequality of Cauchy and Schwarz, d(X) is at least the inner product of x_i − x_j with the unit vector along y_i − y_j for any layout Y, so that σ
//! lies below a quadratic function of X which touches it at Y. Its minimum is the Guttman transform G(Y) = V⁺ B(Y) Y, with V the
//! Laplacian of the weights and B(Y) that of w δ / d(Y): σ(G(Y)) ≤ σ(Y). Here the same is written as Y − V⁺ F(Y) with the
//! forces F(Y) = (V − B(Y)) Y, half the slope of σ, which is what quasi-Newton steps need.
//!
//! Non-metric scaling takes the order of the distances only: δ is replaced by disparities, the isotonic regression of d on δ, whose weighted mean square
//! is kept at 1. Between the two the stress falls as well, so that one alternates.
//!
//! De Leeuw, "Applications of convex analysis to multidimensional scaling", 1977. De Leeuw and Heiser, "Multidimensional scaling
//! with restrictions on the configuration", 1980. Borg and Groenen, "Modern multidimensional scaling", 2005, chapters 8 and 9.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use super::descent::{Descent, Objective, Reached};
use super::disparities::Disparities;
use super::dissimilarities::{Dissimilarities, Laplacian};
use super::isotonic::{Curve, Ties};
use super::stress::{State, Wanted};
use crate::error::{Error, Result};
use crate::params::Choice;
use crate::run::Run;

/// Steps that a quasi-Newton descent remembers.
const MEMORY: usize = 10;
/// Starts that are followed at the same time.
const AT_ONCE: usize = 4;

/// How a stress is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Steps {
    /// By Guttman transforms alone, as in the literature.
    Majorization,
    /// By Guttman transforms corrected by a memory of the slope: the same minimum in fewer steps.
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
    /// How the stress is made small.
    pub steps: Steps,
    /// Steps at most.
    pub max_iterations: usize,
    /// Stops when a step lowers the raw stress by no more than this share of the map's weighted squared distances; a quasi-Newton
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

/// A map of distances.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The coordinates.
    pub layout: Array2<f64>,
    /// Raw stress: Σ w (δ − d)² over pairs; of disparities for non-metric scaling.
    pub stress: f64,
    /// Kruskal's stress 1: √(raw / Σ w d²).
    pub normalized_stress: f64,
    /// Σⱼ w (δ − d)² of each row: twice the raw stress in all.
    pub stress_per_row: Array1<f64>,
    /// Steps taken.
    pub n_iterations: usize,
    /// Whether the stress stopped falling before the limit.
    pub converged: bool,
    /// The raw stress at the start and after every step.
    pub stresses: Vec<f64>,
    /// The disparity of every distance, for non-metric scaling.
    pub curve: Option<Curve>,
}

impl Smacof {
    /// Goes down from one start, which has a row for each row of the distances.
    ///
    /// ```
    /// use charta::{Run, optimize::{dissimilarities::Dissimilarities, smacof::Smacof}};
    /// use ndarray::array;
    /// let triangle = array![[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]];
    /// let known = Dissimilarities::new(triangle, None)?;
    /// let start = array![[0.1, 0.0], [1.0, 0.0], [0.0, 1.0]];
    /// let map = Smacof { tolerance: 0.0, ..Smacof::default() }.from(&Run::new(), &known, start)?;
    /// assert!(map.stress < 1e-12);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn from(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        start: Array2<f64>,
    ) -> Result<Scaling> {
        let total = self.max_iterations as u64;
        let laplacian = Laplacian::of(known)?;
        self.go_down(run, known, &laplacian, start, |done| {
            run.progress(done as u64, total)
        })
    }

    /// Goes down from several starts, in parallel, and takes the lowest end: of equal ones, the first. Also the raw stress from
    /// each start, and which was taken.
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
        let laplacian = Laplacian::of(known)?;
        let mut best: Option<(Scaling, usize)> = None;
        let mut stresses = Vec::with_capacity(n_starts);
        let numbers: Vec<usize> = (0..n_starts).collect();
        for wave in numbers.chunks(AT_ONCE) {
            let ends: Vec<Scaling> = (wave.par_iter())
                .map(|&number| {
                    self.go_down(run, known, &laplacian, start(number)?, |_| run.check())
                })
                .collect::<Result<_>>()?;
            for (&number, end) in wave.iter().zip(ends) {
                stresses.push(end.stress);
                if best.as_ref().is_none_or(|best| end.stress < best.0.stress) {
                    best = Some((end, number));
                }
            }
            run.progress(stresses.len() as u64, n_starts as u64)?;
        }
        match best {
            Some((best, number)) => Ok((best, stresses.into(), number)),
            None => Err(Error::too_large()),
        }
    }

    fn go_down(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        laplacian: &Laplacian,
        start: Array2<f64>,
        report: impl Fn(usize) -> Result<()>,
    ) -> Result<Scaling> {
        check_start(&start, known.n_rows())?;
        let mut start = start / known.scale();
        // Guttman transforms are centred, and forces do not move the centre.
        if let Some(centre) = start.mean_axis(Axis(0)) {
            start -= &centre;
        }
        let descent = Descent {
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            memory: match self.steps {
                Steps::Majorization => 0,
                Steps::QuasiNewton => MEMORY,
            },
            first_step: 1.0,
        };
        match self.kept {
            Kept::Distances => {
                let mut metric = Metric { known, laplacian };
                let reached = descent.from(run, &mut metric, start, report)?;
                finished(reached, (known.scale(), known.stress_scale()), None)
            }
            Kept::Order(ties) => {
                let mut ordered = Ordered {
                    known,
                    laplacian,
                    disparities: Disparities::of(known, ties)?,
                    begun: false,
                };
                let reached = descent.from(run, &mut ordered, start, report)?;
                let curve = ordered
                    .disparities
                    .curve(&reached.state.layout)
                    .stretched(known.scale());
                finished(reached, (1.0, known.weight_scale()), Some(curve))
            }
        }
    }
}

fn check_start(start: &Array2<f64>, n_rows: usize) -> Result<()> {
    if start.nrows() != n_rows || start.ncols() == 0 {
        return Err(Error::shape(
            "rows of the start",
            n_rows,
            format!("{} × {}", start.nrows(), start.ncols()),
        ));
    }
    if start.iter().any(|value| !value.is_finite()) {
        return Err(Error::shape("the start", "finite numbers", "others"));
    }
    Ok(())
}

fn finished(reached: Reached, (scale, area): (f64, f64), curve: Option<Curve>) -> Result<Scaling> {
    let state = reached.state;
    let layout = state.layout * scale;
    if layout.iter().any(|value| !value.is_finite()) {
        return Err(Error::too_large());
    }
    let relative = state.value / state.squares;
    Ok(Scaling {
        layout,
        stress: state.value * area,
        normalized_stress: if state.squares > 0.0 {
            relative.sqrt()
        } else {
            1.0
        },
        stress_per_row: state.per_row * area,
        n_iterations: reached.n_iterations,
        converged: reached.converged,
        stresses: reached.values.iter().map(|value| value * area).collect(),
        curve,
    })
}

/// The stress of the distances themselves.
struct Metric<'a> {
    known: &'a Dissimilarities,
    laplacian: &'a Laplacian,
}

impl Objective for Metric<'_> {
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        self.known.wanted().stress(run, layout)
    }

    fn condition(&self, _: &State, forces: &Array2<f64>) -> Array2<f64> {
        self.laplacian.solve(forces)
    }
}

/// The stress of the disparities that suit a layout best.
struct Ordered<'a> {
    known: &'a Dissimilarities,
    laplacian: &'a Laplacian,
    disparities: Disparities,
    begun: bool,
}

impl Objective for Ordered<'_> {
    /// The first layout is held against the distances themselves: it may be a random one, whose order says nothing.
    fn at(&mut self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        match self.begun {
            true => self.disparities.fit(&layout)?,
            false => self.disparities.take_distances()?,
        }
        self.begun = true;
        let wanted = Wanted {
            distances: self.disparities.matrix(),
            weighting: self.known.weighting(),
            curved: false,
        };
        wanted.stress(run, layout)
    }

    fn condition(&self, _: &State, forces: &Array2<f64>) -> Array2<f64> {
        self.laplacian.solve(forces)
    }
}
