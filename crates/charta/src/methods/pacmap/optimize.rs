//! Optimization of PaCMAP by Adam in three phases: near and mid-near pairs attract, further ones repel.
//!
//! Wang, Huang, Rudin and Shaposhnik, "Understanding how dimension reduction tools work", 2021, section 4. Kingma and Ba,
//! "Adam: a method for stochastic optimization", 2015.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::gradient::{BLOCK, Coordinates, Forces, PairLists};
use crate::error::{Result, StepUnit, Warning};
use crate::optimize::adam::{Adam, Update};
use crate::optimize::anchored::Anchored;
use crate::run::Run;

/// Steps between two reports of the loss and the layout.
const REPORT_INTERVAL: usize = 50;
/// The weight of mid-near pairs at the first step.
const MID_NEAR_FIRST: f64 = 1000.0;
/// And from the end of the first phase on.
const MID_NEAR_SECOND: f64 = 3.0;

/// The steps of the three phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases {
    /// Mid-near pairs fall in weight from 1000 to 3: the coarse arrangement.
    pub first: usize,
    /// All kinds count: neighbourhoods become right.
    pub second: usize,
    /// Near and further pairs alone: clusters become clear.
    pub third: usize,
}

/// The weights of the kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of near pairs.
    pub near: f64,
    /// Of mid-near pairs.
    pub mid_near: f64,
    /// Of further pairs.
    pub further: f64,
}

impl Phases {
    /// Steps in all.
    pub fn total(&self) -> usize {
        self.first
            .saturating_add(self.second)
            .saturating_add(self.third)
    }

    /// The weights at a step, counted from 0.
    pub fn weights(&self, step: usize) -> Weights {
        let (from, to) = (MID_NEAR_FIRST, MID_NEAR_SECOND);
        let (near, mid_near) = if step < self.first {
            let done = step as f64 / self.first as f64;
            (2.0, (1.0 - done) * from + done * to)
        } else if step < self.first.saturating_add(self.second) {
            (3.0, to)
        } else {
            (1.0, 0.0)
        };
        Weights {
            near,
            mid_near,
            further: 1.0,
        }
    }
}

/// An optimization in progress.
pub(super) struct Optimizer<'a> {
    pairs: &'a PairLists,
    phases: Phases,
    learning_rate: f64,
    layout: Coordinates,
    /// The gradient, and then the coordinates after the step.
    next: Coordinates,
    /// Adam's means of the gradient and of its square.
    means: [Vec<f32>; 2],
    anchored: Option<&'a Anchored>,
}

/// An optimized layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Optimized {
    /// The coordinates.
    pub embedding: Array2<f64>,
    /// Their loss, with the weights of the last step.
    pub loss: f64,
    /// Steps done.
    pub n_steps: usize,
    /// Whether the optimization was ended on request before its last step.
    pub interrupted: bool,
}

impl<'a> Optimizer<'a> {
    /// From initial coordinates.
    pub(super) fn new(
        pairs: &'a PairLists,
        start: Coordinates,
        phases: Phases,
        learning_rate: f64,
    ) -> Self {
        let zeros = vec![0.0; start.values.len()];
        Self {
            pairs,
            phases,
            learning_rate,
            next: start.clone(),
            layout: start,
            means: [zeros.clone(), zeros],
            anchored: None,
        }
    }

    /// The same, with rows that are pulled towards anchors.
    pub(super) fn anchored(self, anchored: Option<&'a Anchored>) -> Self {
        Self { anchored, ..self }
    }

    /// Runs all iterations, or until the observer stops it.
    pub(super) fn run(mut self, run: &Run<'_>) -> Result<Optimized> {
        let total = self.phases.total();
        let mut n_steps = 0;
        while n_steps < total {
            run.check()?;
            if run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: n_steps as u64,
                    total: total as u64,
                    unit: StepUnit::Iteration,
                })?;
                break;
            }
            self.step(n_steps);
            n_steps += 1;
            if n_steps == 1 || n_steps % REPORT_INTERVAL == 0 {
                let weights = self.phases.weights(n_steps - 1);
                let loss = self.pairs.loss(run, &self.layout, weights)?;
                let layout = self.layout.to_f64()?;
                run.iterate(n_steps as u64, Some(loss), Some(layout.view()))?;
            }
            run.progress(n_steps as u64, total as u64)?;
        }
        let weights = self.phases.weights(n_steps.saturating_sub(1));
        Ok(Optimized {
            loss: self.pairs.loss(run, &self.layout, weights)?,
            embedding: self.layout.to_f64()?,
            n_steps,
            interrupted: n_steps < total,
        })
    }

    /// Moves all rows once.
    fn step(&mut self, step: usize) {
        let forces = Forces::new(self.pairs, &self.layout, self.phases.weights(step));
        let adam = Adam::efficient(self.learning_rate, step + 1);
        let size = BLOCK * self.layout.width;
        let anchored = self
            .anchored
            .map(|anchored| (anchored, forces.attraction()));
        let [first, second] = &mut self.means;
        let coordinates = self.layout.values.par_chunks(size);
        (self.next.values.par_chunks_mut(size))
            .zip(first.par_chunks_mut(size).zip(second.par_chunks_mut(size)))
            .zip(coordinates)
            .enumerate()
            .for_each(|(block, ((next, (first, second)), coordinates))| {
                forces.sum(block * BLOCK, next);
                if let Some((anchored, strength)) = anchored {
                    anchored.add_gradient(block * BLOCK, strength, coordinates, next);
                }
                Update {
                    from: coordinates,
                    gradient_to_next: next,
                    mean: first,
                    square: second,
                }
                .step(adam);
            });
        std::mem::swap(&mut self.layout, &mut self.next);
    }
}

/// Out-of-sample placement of a new row: from the mean of its nearest training rows, Adam on the loss of its near pairs while these rows are fixed.
pub(super) fn embed_row(
    embedding: &ArrayView2<'_, f64>,
    neighbors: &[usize],
    phases: &Phases,
    learning_rate: f64,
) -> Vec<f64> {
    let width = embedding.ncols();
    let share = 1.0 / neighbors.len().max(1) as f64;
    let mut point = vec![0.0; width];
    for &neighbor in neighbors {
        for (point, &value) in point.iter_mut().zip(embedding.row(neighbor)) {
            *point += share * value;
        }
    }
    let (mut first, mut second) = (vec![0.0; width], vec![0.0; width]);
    let mut gradient = vec![0.0; width];
    for step in 0..phases.total() {
        gradient.fill(0.0);
        let weight = phases.weights(step).near;
        for &neighbor in neighbors {
            let other = embedding.row(neighbor);
            let squared: f64 = point.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum();
            let pull = 20.0 * weight / (11.0 + squared).powi(2);
            for ((gradient, a), b) in gradient.iter_mut().zip(&point).zip(other) {
                *gradient += pull * (a - b);
            }
        }
        let adam = Adam::efficient(learning_rate, step + 1);
        for k in 0..width {
            point[k] = adam.moved(point[k], gradient[k], &mut first[k], &mut second[k]);
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::pacmap::gradient::tests::{pairs, scattered};

    #[test]
    fn the_weights_are_those_of_the_paper() {
        let phases = Phases {
            first: 100,
            second: 100,
            third: 250,
        };
        let of = |step| {
            let weights = phases.weights(step);
            (weights.near, weights.mid_near, weights.further)
        };
        assert_eq!(of(0), (2.0, 1000.0, 1.0));
        assert_eq!(of(50), (2.0, 501.5, 1.0));
        assert_eq!(of(100), (3.0, 3.0, 1.0));
        assert_eq!(of(200), (1.0, 0.0, 1.0));
        assert_eq!(phases.total(), 450);
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let pairs = pairs(1537);
        let phases = Phases {
            first: 5,
            second: 5,
            third: 10,
        };
        for width in [2, 3, 4] {
            let start = scattered(1537, width) * 0.01;
            let outcome = |threads| {
                let run = Run::new().threads(threads).unwrap();
                let optimizer =
                    Optimizer::new(&pairs, Coordinates::new(&start.view()), phases, 1.0);
                run.install(|| optimizer.run(&run)).unwrap()
            };
            let one = outcome(1);
            assert!(one == outcome(2) && one == outcome(7));
            assert_eq!(one.n_steps, 20);
        }
    }

    #[test]
    fn a_new_row_goes_where_its_loss_is_least() {
        // Three neighbours at one point and one far away: the far one hardly counts.
        let map = ndarray::array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [60.0, 2.0]];
        let phases = Phases {
            first: 100,
            second: 100,
            third: 250,
        };
        let point = embed_row(&map.view(), &[0, 1, 2, 3], &phases, 1.0);
        assert!((point[0] - 1.0).abs() < 0.5, "{point:?}");
        assert!((point[1] - 2.0).abs() < 1e-6, "{point:?}");
    }
}
