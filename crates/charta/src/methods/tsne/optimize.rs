//! The descent: phases of steps from a start to a map.

use ndarray::{Array2, ArrayView2};

use super::Affinities;
use super::Divergence;
use super::Gradient;
use super::divergence::{divergence, of_affinities, of_pairs};
use super::gradient_step::{Motion, Step};
use super::repulsion::{Kernel, Repulsion};
use crate::error::{Error, Result, Warning};
use crate::message;
use crate::morton::spatial_order;
use crate::run::Run;

/// Steps between two looks at the map.
const LOOK: usize = 50;
/// Rows from which they are sorted by their places, so that those near each other in the map are so in memory.
const MANY: usize = 30_000;
/// Steps of a phase after which they are.
const SETTLED: usize = 25;

/// Steps under the same rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// How many.
    pub iterations: usize,
    /// What affinities are multiplied by.
    pub exaggeration: f64,
    /// The learning rate; rows divided by the exaggeration if none.
    pub learning_rate: Option<f64>,
    /// The share of a step that is repeated in the next.
    pub momentum: f64,
}

/// How a map is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// The phases.
    pub phases: Vec<Phase>,
    /// How repulsion is computed.
    pub gradient: Gradient,
    /// How coarse a tree is.
    pub theta: f64,
    /// Degrees of freedom α of the map's kernel.
    pub freedom: f64,
    /// The furthest that a row moves in a step.
    pub longest_step: f64,
}

/// A map, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Descended {
    /// The coordinates.
    pub embedding: Array2<f64>,
    /// The divergence reached.
    pub divergence: Divergence,
    /// How repulsion was computed.
    pub gradient: Gradient,
    /// Steps taken.
    pub n_iterations: usize,
}

/// Does something for the number of coordinates, rounded up to one for which it is compiled. Coordinates beyond those wanted are 0 in
/// the start, and stay so.
macro_rules! for_dimension {
    ($n:expr, $function:ident :: < D > ($($argument:expr),*)) => {
        match $n {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4..=8 => $function::<8>($($argument),*),
            _ => $function::<32>($($argument),*),
        }
    };
}
pub(super) use for_dimension;

/// Coordinates, at most.
pub const MOST_COMPONENTS: usize = 32;

impl Descent {
    /// Descends from `start`.
    pub fn from(
        &self,
        run: &Run<'_>,
        affinities: Affinities,
        start: &ArrayView2<'_, f64>,
    ) -> Result<Descended> {
        self.gradient.check(start.ncols())?;
        for_dimension!(start.ncols(), descend::<D>(self, run, affinities, start))
    }

    fn kernel(&self) -> Kernel {
        Kernel {
            freedom: self.freedom,
            theta: self.theta,
        }
    }
}

/// Rows as they are computed with.
pub(super) fn narrowed<const D: usize>(layout: &ArrayView2<'_, f64>) -> Vec<[f32; D]> {
    let place = |row: ndarray::ArrayView1<'_, f64>| {
        std::array::from_fn(|axis| row.get(axis).map_or(0.0, |&value| value as f32))
    };
    layout.rows().into_iter().map(place).collect()
}

/// A descent under way.
struct Under<'a, const D: usize> {
    affinities: Affinities,
    motion: Motion<D>,
    repulsion: Repulsion<D>,
    /// The row that each one was before they were sorted.
    order: Option<Vec<u32>>,
    /// The layout as it is told to whoever watches.
    shown: Array2<f64>,
    /// The part of the divergence that the map cannot change.
    constant: f64,
    rule: &'a Descent,
}

fn descend<const D: usize>(
    rule: &Descent,
    run: &Run<'_>,
    affinities: Affinities,
    start: &ArrayView2<'_, f64>,
) -> Result<Descended> {
    let gradient = rule.gradient.resolve(start.nrows(), start.ncols());
    let mut under = Under::<D> {
        constant: of_affinities(&affinities),
        affinities,
        motion: Motion::new(narrowed(start)),
        repulsion: Repulsion::new(gradient, rule.kernel()),
        order: None,
        shown: Array2::zeros(start.dim()),
        rule,
    };
    let n_iterations = under.run(run)?;
    // The grid goes before the divergence makes its own.
    under.repulsion = Repulsion::new(Gradient::Exact, rule.kernel());
    run.stage("divergence")?;
    let found = divergence(
        run,
        &under.affinities,
        &under.motion.places,
        (gradient, rule.kernel()),
    )?;
    under.show();
    Ok(Descended {
        embedding: under.shown,
        divergence: found,
        gradient,
        n_iterations,
    })
}

impl<const D: usize> Under<'_, D> {
    /// Takes all steps, or as many as are wanted, and counts them.
    fn run(&mut self, run: &Run<'_>) -> Result<usize> {
        let total: usize = self.rule.phases.iter().map(|phase| phase.iterations).sum();
        let mut done = 0;
        for phase in &self.rule.phases {
            for iteration in 0..phase.iterations {
                run.check()?;
                if run.wants_end() {
                    run.warn(Warning::EndedEarly {
                        step: done as u64,
                        total: total as u64,
                    })?;
                    return Ok(done);
                }
                if iteration == SETTLED && self.motion.places.len() >= MANY {
                    self.sort();
                }
                let sum = self.step(run, phase)?;
                done += 1;
                run.progress(done as u64, total as u64)?;
                if done == 1 || done % LOOK == 0 {
                    self.look(run, done, sum)?;
                }
            }
        }
        Ok(done)
    }

    fn step(&mut self, run: &Run<'_>, phase: &Phase) -> Result<f64> {
        let motion = &mut self.motion;
        let sum = self
            .repulsion
            .forces(run, &motion.places, &mut motion.forces)?;
        let n = motion.places.len() as f64;
        let step = Step {
            exaggeration: phase.exaggeration as f32,
            repulsion: sum.max(f64::MIN_POSITIVE).recip().min(f64::from(f32::MAX)) as f32,
            learning_rate: phase.learning_rate.unwrap_or(n / phase.exaggeration) as f32,
            momentum: phase.momentum as f32,
            longest: self.rule.longest_step as f32,
            inverse: self.rule.freedom.recip() as f32,
        };
        if motion.advance(&self.affinities, step) && sum.is_finite() {
            return Ok(sum);
        }
        Err(Error::NotConverged {
            what: message!("the layout"),
            reached: message!(
                "coordinates became infinite: try a smaller {learning_rate:parameter}"
            ),
        })
    }

    /// Sorts rows by their places, and what belongs to them.
    fn sort(&mut self) {
        let (order, _) = spatial_order(&self.motion.places);
        self.motion.reorder(&order);
        let affinities = std::mem::take(&mut self.affinities);
        self.affinities = affinities.reordered(&order);
        self.order = Some(match &self.order {
            Some(before) => order.iter().map(|&row| before[row as usize]).collect(),
            None => order,
        });
    }

    /// Tells the layout and its divergence, with the sum of the step before.
    fn look(&mut self, run: &Run<'_>, done: usize, sum: f64) -> Result<()> {
        self.show();
        let pairs = of_pairs(&self.affinities, &self.motion.places, self.rule.freedom);
        let loss = self.constant + pairs + sum.max(f64::MIN_POSITIVE).ln();
        run.iterate(done as u64, Some(loss), Some(self.shown.view()))
    }

    fn show(&mut self) {
        for (rank, place) in self.motion.places.iter().enumerate() {
            let row = self
                .order
                .as_ref()
                .map_or(rank, |order| order[rank] as usize);
            for (target, value) in self.shown.row_mut(row).iter_mut().zip(place) {
                *target = f64::from(*value);
            }
        }
    }
}
