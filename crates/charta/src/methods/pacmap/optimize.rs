//! A map by pairs on its way down: near and mid-near pairs attract, further ones repel, and Adam moves all rows at once.
//!
//! Wang, Huang, Rudin and Shaposhnik, "Understanding how dimension reduction tools work", 2021, section 4. Kingma and Ba,
//! "Adam: a method for stochastic optimization", 2015.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::gradient::{BLOCK, Forces, Map, Mates};
use crate::error::{Result, Warning};
use crate::linalg::wide::{self, Loop};
use crate::run::Run;

/// Steps between two looks at the loss and the map.
const REPORT: usize = 50;
/// Decay of Adam's mean of the gradient, and of its square.
const DECAY: [f64; 2] = [0.9, 0.999];
/// Keeps Adam's division finite.
const EPSILON: f64 = 1e-7;
/// The weight of mid-near pairs at the first step, and when the first phase ends.
const MID_NEAR: [f64; 2] = [1000.0, 3.0];

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
        let [from, to] = MID_NEAR;
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

/// How far Adam goes at a step, counted from 0: the rate with the means' bias taken out.
fn rate(learning_rate: f64, step: usize) -> f64 {
    let bias = DECAY.map(|decay| 1.0 - decay.powf(step as f64 + 1.0));
    learning_rate * bias[1].sqrt() / bias[0]
}

/// A map on its way down.
pub struct Descent<'a> {
    mates: &'a Mates,
    phases: Phases,
    learning_rate: f64,
    map: Map,
    /// Where the rows go next.
    next: Map,
    /// Adam's means of the gradient and of its square.
    means: [Vec<f32>; 2],
}

/// Where a descent ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Descended {
    /// The places of the rows.
    pub places: Array2<f64>,
    /// Their loss, with the weights of the last step.
    pub loss: f64,
    /// Steps done.
    pub n_steps: usize,
}

impl<'a> Descent<'a> {
    /// A descent from a start.
    pub fn new(mates: &'a Mates, start: Map, phases: Phases, learning_rate: f64) -> Self {
        let zeros = vec![0.0; start.places.len()];
        Self {
            mates,
            phases,
            learning_rate,
            next: start.clone(),
            map: start,
            means: [zeros.clone(), zeros],
        }
    }

    /// Goes all steps, or until whoever watches is content.
    pub fn run(mut self, run: &Run<'_>) -> Result<Descended> {
        let total = self.phases.total();
        let mut n_steps = 0;
        while n_steps < total {
            run.check()?;
            if run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: n_steps as u64,
                    total: total as u64,
                })?;
                break;
            }
            self.step(n_steps);
            n_steps += 1;
            if n_steps == 1 || n_steps % REPORT == 0 {
                let weights = self.phases.weights(n_steps - 1);
                let loss = self.mates.loss(run, &self.map, weights)?;
                let places = self.map.to_places()?;
                run.iterate(n_steps as u64, Some(loss), Some(places.view()))?;
            }
            run.progress(n_steps as u64, total as u64)?;
        }
        let weights = self.phases.weights(n_steps.saturating_sub(1));
        Ok(Descended {
            loss: self.mates.loss(run, &self.map, weights)?,
            places: self.map.to_places()?,
            n_steps,
        })
    }

    /// Moves all rows once.
    fn step(&mut self, step: usize) {
        let forces = Forces::new(self.mates, &self.map, self.phases.weights(step));
        let rate = rate(self.learning_rate, step) as f32;
        let size = BLOCK * self.map.width;
        let [first, second] = &mut self.means;
        let places = self.map.places.par_chunks(size);
        (self.next.places.par_chunks_mut(size))
            .zip(first.par_chunks_mut(size).zip(second.par_chunks_mut(size)))
            .zip(places)
            .enumerate()
            .for_each(|(block, ((next, (first, second)), places))| {
                forces.sum(block * BLOCK, next);
                wide::run(Adam {
                    rate,
                    places,
                    next,
                    means: [first, second],
                });
            });
        std::mem::swap(&mut self.map, &mut self.next);
    }
}

/// Adam's step for some rows: `next` holds their gradient, and then where they go.
struct Adam<'a> {
    rate: f32,
    places: &'a [f32],
    next: &'a mut [f32],
    means: [&'a mut [f32]; 2],
}

impl Loop for Adam<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let [first, second] = self.means;
        let shares = DECAY.map(|decay| (1.0 - decay) as f32);
        let states = first.iter_mut().zip(second.iter_mut());
        for ((next, place), (first, second)) in self.next.iter_mut().zip(self.places).zip(states) {
            let gradient = *next;
            *first += shares[0] * (gradient - *first);
            *second += shares[1] * (gradient * gradient - *second);
            *next = place - self.rate * *first / (second.sqrt() + EPSILON as f32);
        }
    }
}

/// Where a new row goes among known ones that stand still: from the mean of its near mates down the loss of its near pairs.
pub fn place(
    map: &ArrayView2<'_, f64>,
    mates: &[usize],
    phases: &Phases,
    learning_rate: f64,
) -> Vec<f64> {
    let width = map.ncols();
    let share = 1.0 / mates.len().max(1) as f64;
    let mut place = vec![0.0; width];
    for &mate in mates {
        for (place, &value) in place.iter_mut().zip(map.row(mate)) {
            *place += share * value;
        }
    }
    let (mut first, mut second) = (vec![0.0; width], vec![0.0; width]);
    let mut gradient = vec![0.0; width];
    for step in 0..phases.total() {
        gradient.fill(0.0);
        let weight = phases.weights(step).near;
        for &mate in mates {
            let other = map.row(mate);
            let squared: f64 = place.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum();
            let pull = 20.0 * weight / (11.0 + squared).powi(2);
            for ((gradient, a), b) in gradient.iter_mut().zip(&place).zip(other) {
                *gradient += pull * (a - b);
            }
        }
        let rate = rate(learning_rate, step);
        for axis in 0..width {
            first[axis] += (1.0 - DECAY[0]) * (gradient[axis] - first[axis]);
            second[axis] += (1.0 - DECAY[1]) * (gradient[axis].powi(2) - second[axis]);
            place[axis] -= rate * first[axis] / (second[axis].sqrt() + EPSILON);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::pacmap::gradient::tests::{mates, scattered};

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
        let mates = mates(1537);
        let phases = Phases {
            first: 5,
            second: 5,
            third: 10,
        };
        for width in [2, 3, 4] {
            let start = scattered(1537, width) * 0.01;
            let outcome = |threads| {
                let run = Run::new().threads(threads).unwrap();
                let descent = Descent::new(&mates, Map::new(&start.view()), phases, 1.0);
                run.install(|| descent.run(&run)).unwrap()
            };
            let one = outcome(1);
            assert!(one == outcome(2) && one == outcome(7));
            assert_eq!(one.n_steps, 20);
        }
    }

    #[test]
    fn a_new_row_goes_where_its_loss_is_least() {
        // Three mates in one place and one far away: the far one hardly counts.
        let map = ndarray::array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [60.0, 2.0]];
        let phases = Phases {
            first: 100,
            second: 100,
            third: 250,
        };
        let place = place(&map.view(), &[0, 1, 2, 3], &phases, 1.0);
        assert!((place[0] - 1.0).abs() < 0.5, "{place:?}");
        assert!((place[1] - 2.0).abs() < 1e-6, "{place:?}");
    }
}
