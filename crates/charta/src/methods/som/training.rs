//! Training of a self-organizing map: batch or online epochs with a shrinking neighbourhood radius, and the errors after each.

use ndarray::{Array1, Array2};

use super::Grid;
use super::Matching;
use super::Space;
use super::neighborhood::Weights;
use super::{Neighborhood, Schedule};
use super::{batch, online};
use crate::data::{Features, Precision};
use crate::error::{Result, StepUnit, Warning};
use crate::params::Choice;
use crate::run::Run;

/// How units learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Learning {
    /// Batch: each epoch updates all units from all rows at once.
    Batch,
    /// Online: units are updated after each row.
    Online,
}

/// How units are trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Training {
    /// The grid of the units.
    pub grid: Grid,
    /// From all rows at once or one after the other.
    pub learning: Learning,
    /// How often all rows are gone through.
    pub n_epochs: usize,
    /// The neighbourhood function.
    pub neighborhood: Neighborhood,
    /// The initial neighbourhood radius.
    pub first_radius: f64,
    /// The final one.
    pub last_radius: f64,
    /// How the radius shrinks.
    pub radius_schedule: Schedule,
    /// The initial learning rate: the fraction of the way that a unit moves towards a row; online only.
    pub first_rate: f64,
    /// The final one.
    pub last_rate: f64,
    /// How the rate falls.
    pub rate_schedule: Schedule,
    /// Seed of the order of rows.
    pub seed: u64,
}

/// Units after training, and how they came there.
#[derive(Clone, Debug)]
pub(super) struct Trained {
    /// The units in the space of rows, one a row.
    pub units: Array2<f64>,
    /// The best-matching units of the rows.
    pub matching: Matching,
    /// The neighbourhood radius of the last epoch done.
    pub last_radius: f64,
    /// Whether the training was ended on request before its last epoch.
    pub interrupted: bool,
    /// The quantization error initially and after every epoch.
    pub quantization_errors: Array1<f64>,
    /// The topographic error initially and after every epoch.
    pub topographic_errors: Array1<f64>,
}

impl Training {
    pub(super) fn rate(&self, step: usize, n_steps: usize) -> f64 {
        (self.rate_schedule).value(self.first_rate, self.last_rate, step, n_steps)
    }

    pub(super) fn weights(&self, step: usize, n_steps: usize) -> Weights {
        let radius = self.radius(step, n_steps);
        Weights::new(&self.grid, self.neighborhood, radius)
    }

    fn radius(&self, step: usize, n_steps: usize) -> f64 {
        (self.radius_schedule).value(self.first_radius, self.last_radius, step, n_steps)
    }

    /// The neighbourhood radius of the last of this many epochs done, for this many rows.
    fn radius_reached(&self, n_done: usize, n_rows: usize) -> f64 {
        if n_done >= self.n_epochs {
            return self.last_radius;
        }
        let steps_per_epoch = match self.learning {
            Learning::Batch => 1,
            Learning::Online => n_rows.max(1),
        };
        let last = (n_done * steps_per_epoch).saturating_sub(1);
        self.radius(last, self.n_epochs * steps_per_epoch)
    }

    /// Trains units from their initial values. Ends early, with a warning, when the observer requests it.
    pub(super) fn train(
        &self,
        run: &Run<'_>,
        space: &Space,
        features: &Features<'_>,
        mut units: Array2<f64>,
    ) -> Result<Trained> {
        let mut matching = Matching::of(run, space, features, &units)?;
        let mut errors = vec![matching.quantization_error(space)];
        let mut torn = vec![matching.topographic_error(&self.grid)];
        for epoch in 0..self.n_epochs {
            self.epoch(run, space, features, &matching, epoch, &mut units)?;
            matching = Matching::of(run, space, features, &units)?;
            let error = matching.quantization_error(space);
            errors.push(error);
            torn.push(matching.topographic_error(&self.grid));
            let (done, total) = (epoch as u64 + 1, self.n_epochs as u64);
            run.progress(done, total)?;
            let layout = matching.coordinates(&self.grid);
            run.iterate(done, Some(error), Some(layout.view()))?;
            if done < total && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done,
                    total,
                    unit: StepUnit::Epoch,
                })?;
                break;
            }
        }
        let n_done = errors.len() - 1;
        Ok(Trained {
            units,
            last_radius: self.radius_reached(n_done, features.n_rows()),
            interrupted: n_done < self.n_epochs,
            matching,
            quantization_errors: errors.into(),
            topographic_errors: torn.into(),
        })
    }

    fn epoch(
        &self,
        run: &Run<'_>,
        space: &Space,
        features: &Features<'_>,
        matching: &Matching,
        epoch: usize,
        units: &mut Array2<f64>,
    ) -> Result<()> {
        match (self.learning, features.precision()) {
            (Learning::Batch, _) => {
                let weights = self.weights(epoch, self.n_epochs);
                batch::step(run, space, features, matching, &weights, units)
            }
            (Learning::Online, Precision::Single) => {
                online::epoch::<f32>(run, space, features, self, epoch, units)
            }
            (Learning::Online, Precision::Double) => {
                online::epoch::<f64>(run, space, features, self, epoch, units)
            }
        }
    }
}
