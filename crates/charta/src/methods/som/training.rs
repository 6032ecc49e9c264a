//! The whole training: epoch after epoch, with a radius that shrinks, and how good the map is after each.

use ndarray::{Array1, Array2};

use super::Grid;
use super::Matching;
use super::Space;
use super::neighborhood::Weights;
use super::{Neighborhood, Schedule};
use super::{batch, online};
use crate::data::{Features, Precision};
use crate::error::{Result, Warning};
use crate::params::Choice;
use crate::run::Run;

/// How units learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Learning {
    /// From all rows at once, in every epoch.
    Batch,
    /// From one row after the other.
    Online,
}

/// How units are trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// The units' places.
    pub grid: Grid,
    /// From all rows at once or one after the other.
    pub learning: Learning,
    /// How often all rows are gone through.
    pub n_epochs: usize,
    /// How much a row moves the units around its own.
    pub neighborhood: Neighborhood,
    /// The first and the last radius.
    pub radius: (f64, f64),
    /// How the radius shrinks.
    pub radius_schedule: Schedule,
    /// The first and the last share of the way that a unit moves towards a row; online only.
    pub rates: (f64, f64),
    /// How the rate falls.
    pub rate_schedule: Schedule,
    /// Seed of the order of rows.
    pub seed: u64,
}

/// Units after training, and how they came there.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The units in the space of rows, one a row.
    pub units: Array2<f64>,
    /// Which units the rows fall to.
    pub matching: Matching,
    /// The quantization error at the start and after every epoch.
    pub quantization_errors: Array1<f64>,
    /// The topographic error at the start and after every epoch.
    pub topographic_errors: Array1<f64>,
}

impl Training {
    pub(super) fn rate(&self, step: usize, n_steps: usize) -> f64 {
        self.rate_schedule.value(self.rates, step, n_steps)
    }

    pub(super) fn weights(&self, step: usize, n_steps: usize) -> Weights {
        let radius = self.radius_schedule.value(self.radius, step, n_steps);
        Weights::new(&self.grid, self.neighborhood, radius)
    }

    /// Trains units from where they begin. Ends early, with a warning, when the observer is content.
    pub fn train(
        &self,
        run: &Run<'_>,
        (space, features): (&Space, &Features<'_>),
        mut units: Array2<f64>,
    ) -> Result<Trained> {
        let rows = (space, features);
        let mut matching = Matching::of(run, rows, &units)?;
        let mut errors = vec![matching.quantization_error(space)];
        let mut torn = vec![matching.topographic_error(&self.grid)];
        for epoch in 0..self.n_epochs {
            self.epoch(run, rows, &matching, epoch, &mut units)?;
            matching = Matching::of(run, rows, &units)?;
            let error = matching.quantization_error(space);
            errors.push(error);
            torn.push(matching.topographic_error(&self.grid));
            let (done, total) = (epoch as u64 + 1, self.n_epochs as u64);
            run.progress(done, total)?;
            let layout = matching.places(&self.grid);
            run.iterate(done, Some(error), Some(layout.view()))?;
            if done < total && run.wants_end() {
                run.warn(Warning::EndedEarly { step: done, total })?;
                break;
            }
        }
        Ok(Trained {
            units,
            matching,
            quantization_errors: errors.into(),
            topographic_errors: torn.into(),
        })
    }

    fn epoch(
        &self,
        run: &Run<'_>,
        rows: (&Space, &Features<'_>),
        matching: &Matching,
        epoch: usize,
        units: &mut Array2<f64>,
    ) -> Result<()> {
        match (self.learning, rows.1.precision()) {
            (Learning::Batch, _) => {
                let weights = self.weights(epoch, self.n_epochs);
                batch::step(run, rows, matching, &weights, units)
            }
            (Learning::Online, Precision::Single) => {
                online::epoch::<f32>(run, rows, self, epoch, units)
            }
            (Learning::Online, Precision::Double) => {
                online::epoch::<f64>(run, rows, self, epoch, units)
            }
        }
    }
}
