//! Gradient descent with momentum and gains: early exaggeration, then the final phase.

use ndarray::{Array2, ArrayView2};

use super::Affinities;
use super::Divergence;
use super::Gradient;
use super::divergence::{divergence, of_affinities, of_pairs};
use super::gradient_step::{MomentumState, Step};
use super::repulsion::{Kernel, Repulsion};
use crate::error::{Error, Result, StepUnit, Warning, message};
use crate::morton::spatial_order;
use crate::optimize::anchored::Anchored;
use crate::run::Run;

/// Steps between two reports of the layout and its divergence.
const REPORT_INTERVAL: usize = 50;
/// With at least this many rows, they are sorted in Morton order, so that rows near each other in the embedding are so in memory.
const MIN_SORTED_ROWS: usize = 30_000;
/// Steps of a phase after which they are sorted.
const SORT_AFTER: usize = 25;

/// Steps with the same parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// How many.
    pub iterations: usize,
    /// Exaggeration: the factor of the affinities.
    pub exaggeration: f64,
    /// The learning rate; rows divided by the exaggeration if none.
    pub learning_rate: Option<f64>,
    /// Momentum: the fraction of a step that is repeated in the next.
    pub momentum: f64,
}

/// Parameters of the optimization.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimizer {
    /// The phases.
    pub phases: Vec<Phase>,
    /// How repulsion is computed.
    pub gradient: Gradient,
    /// θ of Barnes–Hut.
    pub theta: f64,
    /// Degrees of freedom α of the Student t kernel.
    pub degrees_of_freedom: f64,
    /// Steps are clipped to this length.
    pub max_step: f64,
}

/// An optimized embedding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Optimized {
    /// The coordinates.
    pub embedding: Array2<f64>,
    /// The divergence reached.
    pub divergence: Divergence,
    /// How repulsion was computed.
    pub gradient: Gradient,
    /// Steps taken.
    pub n_iterations: usize,
    /// Whether the optimization was ended on request before its last step.
    pub interrupted: bool,
}

/// Calls a function that is compiled for 1, 2, 3 and up to 32 coordinates. Coordinates beyond those requested are 0 initially, and stay so.
macro_rules! for_dimension {
    ($n:expr, $function:ident :: < D > ($($argument:expr),*)) => {
        match $n {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            _ => $function::<32>($($argument),*),
        }
    };
}
pub(super) use for_dimension;

/// Number of coordinates at most.
pub(super) const MAX_COMPONENTS: usize = 32;

impl Optimizer {
    /// Optimizes from initial coordinates, some of them pulled towards anchors.
    pub(crate) fn optimize(
        &self,
        run: &Run<'_>,
        affinities: Affinities,
        start: &ArrayView2<'_, f64>,
        anchored: Option<&Anchored>,
    ) -> Result<Optimized> {
        self.gradient.check(start.ncols())?;
        for_dimension!(
            start.ncols(),
            optimize::<D>(self, run, affinities, start, anchored)
        )
    }

    /// Steps of all phases.
    fn n_steps(&self) -> usize {
        self.phases.iter().map(|phase| phase.iterations).sum()
    }

    fn kernel(&self, n_components: usize) -> Kernel {
        Kernel {
            n_components,
            degrees_of_freedom: self.degrees_of_freedom,
            theta: self.theta,
        }
    }
}

/// Coordinates in single precision.
pub(super) fn in_single_precision<const D: usize>(layout: &ArrayView2<'_, f64>) -> Vec<[f32; D]> {
    let point = |row: ndarray::ArrayView1<'_, f64>| {
        std::array::from_fn(|axis| row.get(axis).map_or(0.0, |&value| value as f32))
    };
    layout.rows().into_iter().map(point).collect()
}

/// An optimization in progress.
struct Optimization<'a, const D: usize> {
    affinities: Affinities,
    state: MomentumState<D>,
    repulsion: Repulsion<D>,
    /// The row that each one was before they were sorted.
    order: Option<Vec<u32>>,
    /// The layout in the order of the data, as it is reported.
    layout: Array2<f64>,
    /// Σ p ln p: the part of the divergence that does not depend on the embedding.
    constant: f64,
    optimizer: &'a Optimizer,
    anchored: Option<&'a Anchored>,
}

fn optimize<const D: usize>(
    optimizer: &Optimizer,
    run: &Run<'_>,
    affinities: Affinities,
    start: &ArrayView2<'_, f64>,
    anchored: Option<&Anchored>,
) -> Result<Optimized> {
    let kernel = optimizer.kernel(start.ncols());
    let gradient = optimizer.gradient.resolve(start.nrows(), start.ncols());
    let mut optimization = Optimization::<D> {
        constant: of_affinities(&affinities),
        affinities,
        state: MomentumState::new(in_single_precision(start)),
        repulsion: Repulsion::new(gradient, kernel),
        order: None,
        layout: Array2::zeros(start.dim()),
        optimizer,
        anchored,
    };
    let n_iterations = optimization.run(run)?;
    // The grid is freed before the divergence makes its own.
    optimization.repulsion = Repulsion::new(Gradient::Exact, kernel);
    run.stage("divergence")?;
    let found = divergence(
        run,
        &optimization.affinities,
        &optimization.state.coordinates,
        gradient,
        kernel,
    )?;
    optimization.update_layout();
    Ok(Optimized {
        embedding: optimization.layout,
        divergence: found,
        gradient,
        n_iterations,
        interrupted: n_iterations < optimizer.n_steps(),
    })
}

impl<const D: usize> Optimization<'_, D> {
    /// Runs all iterations, or until the observer stops it, and counts them.
    fn run(&mut self, run: &Run<'_>) -> Result<usize> {
        let total = self.optimizer.n_steps();
        let mut done = 0;
        for phase in &self.optimizer.phases {
            for iteration in 0..phase.iterations {
                run.check()?;
                if run.wants_end() {
                    run.warn(Warning::EndedEarly {
                        step: done as u64,
                        total: total as u64,
                        unit: StepUnit::Iteration,
                    })?;
                    return Ok(done);
                }
                if iteration == SORT_AFTER && self.state.coordinates.len() >= MIN_SORTED_ROWS {
                    self.sort();
                }
                let sum = self.step(run, phase)?;
                done += 1;
                run.progress(done as u64, total as u64)?;
                if done == 1 || done % REPORT_INTERVAL == 0 {
                    self.report_layout(run, done, sum)?;
                }
            }
        }
        Ok(done)
    }

    fn step(&mut self, run: &Run<'_>, phase: &Phase) -> Result<f64> {
        let state = &mut self.state;
        let sum = self
            .repulsion
            .forces(run, &state.coordinates, &mut state.forces)?;
        let n = state.coordinates.len() as f64;
        let step = Step {
            exaggeration: phase.exaggeration as f32,
            repulsion: sum.max(f64::MIN_POSITIVE).recip().min(f64::from(f32::MAX)) as f32,
            learning_rate: phase.learning_rate.unwrap_or(n / phase.exaggeration) as f32,
            momentum: phase.momentum as f32,
            max_step: self.optimizer.max_step as f32,
            inverse: self.optimizer.degrees_of_freedom.recip() as f32,
            // Anchors say where the map is.
            centred: self.anchored.is_none(),
        };
        let finite = state.advance(&self.affinities, step);
        if let Some(anchored) = self.anchored {
            // What the attraction by neighbours comes to in a step, momentum included: the affinities of a row sum to 1 / n.
            let rate = step.learning_rate * step.exaggeration / (n as f32 * (1.0 - step.momentum));
            let order = self.order.as_deref();
            let row_of = |rank: usize| order.map_or(rank, |order| order[rank] as usize);
            anchored.pull_all(rate, &mut state.coordinates, row_of);
        }
        if finite && sum.is_finite() {
            return Ok(sum);
        }
        Err(Error::NotConverged {
            what: message!("the layout"),
            reached: message!(
                "coordinates became infinite: try a smaller {learning_rate:parameter}"
            ),
        })
    }

    /// Sorts rows in Morton order, and what belongs to them.
    fn sort(&mut self) {
        let (order, _) = spatial_order(&self.state.coordinates);
        self.state.reorder(&order);
        let affinities = std::mem::take(&mut self.affinities);
        self.affinities = affinities.reordered(&order);
        self.order = Some(match &self.order {
            Some(before) => order.iter().map(|&row| before[row as usize]).collect(),
            None => order,
        });
    }

    /// Reports the layout and its divergence, with the sum Z of the step before.
    fn report_layout(&mut self, run: &Run<'_>, done: usize, sum: f64) -> Result<()> {
        self.update_layout();
        let pairs = of_pairs(
            &self.affinities,
            &self.state.coordinates,
            self.optimizer.degrees_of_freedom,
        );
        let loss = self.constant + pairs + sum.max(f64::MIN_POSITIVE).ln();
        run.iterate(done as u64, Some(loss), Some(self.layout.view()))
    }

    fn update_layout(&mut self) {
        for (rank, point) in self.state.coordinates.iter().enumerate() {
            let row = self
                .order
                .as_ref()
                .map_or(rank, |order| order[rank] as usize);
            for (target, value) in self.layout.row_mut(row).iter_mut().zip(point) {
                *target = f64::from(*value);
            }
        }
    }
}
