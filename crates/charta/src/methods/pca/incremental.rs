//! Principal component analysis by batches, with partial fits that can be merged.
//!
//! # Idea
//! Everything PCA needs of the rows is their count, mean and scatter. These can be collected batch by
//! batch, on several machines if need be, and added up: the result is that of one fit to all rows.
//!
//! # Steps
//! 1. `linalg::moments`: mean and scatter of each batch, merged.
//! 2. `spectral::principal`: axes of the scatter.
//! 3. [`dimension`](crate::dimension): how many to keep.
//!
//! # Objective
//! That of [`pca`](crate::methods::pca): the axes of largest variance.
//!
//! # Cost
//! n d² + d³ time; about 4 d² numbers and one batch of memory, however many rows there are.
//!
//! # Choosing parameters
//! `batch_size` only trades memory for speed: the result does not depend on it beyond rounding.
//!
//! # New points
//! z = Wᵀ(x − m), divided by √λ with `whiten`; the inverse transform is m + W z.
//!
//! # Differences
//! scikit-learn's `IncrementalPCA` keeps k axes between batches and updates them, which is an
//! approximation that depends on the order and size of the batches. Here the partial fits keep the
//! scatter: more memory for many columns, and exact.
//!
//! # References
//! Chan, Golub and LeVeque, "Algorithms for computing the sample variance: analysis and
//! recommendations", 1983.
//!
//! # Example
//! ```
//! use charta::{Data, methods::pca::incremental::IncrementalPca};
//! let sample = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let features = charta::Features::from(&sample.features);
//! let method = IncrementalPca::default();
//! let mut morning = method.partial(3);
//! let mut evening = method.partial(3);
//! morning.add(&Data::new(features.rows(0, 100)))?;
//! evening.add(&Data::new(features.rows(100, 300)))?;
//! morning.merge(&evening)?;
//! let model = morning.model()?;
//! assert_eq!(model.report().n_rows, 300);
//! # Ok::<(), charta::Error>(())
//! ```

use super::{Pca, PcaModel};
use crate::data::{Batches, Data};
use crate::dimension::Components;
use crate::error::{Error, Result, message};
use crate::linalg::moments::Moments;
use crate::method::{self, Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::ErasedModel;
use crate::parallel::blocks;
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of PCA by batches.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct IncrementalPca {
    /// Number of components to keep: a count, a proportion of the variance between 0 and 1, or a rule (`elbow`,
    /// `parallel`, `mle`). More components keep more variance; 2 or 3 for a picture, 0.9 to 0.99 before another method.
    #[param(default = Components::Count(2))]
    pub n_components: Components,
    /// Number of rows in a batch. Larger batches are faster and take more memory; the result is the same.
    #[param(default = 4096, min = 1)]
    pub batch_size: usize,
    /// Divide each coordinate by its standard deviation, so that all components have variance 1. Useful before methods
    /// that compare distances; it also amplifies noise in the last components.
    #[param(default = false)]
    pub whiten: bool,
    /// Divide by n instead of n − 1 in variances: maximum likelihood instead of unbiased estimates.
    #[param(default = false)]
    pub population: bool,
    /// Number of random data sets for the rule `parallel`. More make its thresholds less random; usually 100 to 1000.
    #[param(default = 200, min = 10)]
    pub repetitions: usize,
    /// Seed of the random numbers. The same seed gives the same result; another shows how much depends on chance.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for IncrementalPca {
    const INFO: Info = Info {
        name: "incremental_pca",
        title: "Incremental PCA",
        summary: "PCA from batches of rows, exact, with partial fits that can be merged",
        family: Family::Linear,
        reference: "Chan, Golub and LeVeque 1983",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Streams,
            Capability::Partial,
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Likelihood,
            Capability::Samples,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
        ],
        ..Info::DEFAULT
    };

    type Model = PcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PcaModel> {
        let features = data.features(Self::INFO.name)?;
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        self.pca().check_size(n_rows, n_columns)?;
        run.stage("covariance")?;
        let mut partial = self.partial(n_columns);
        for rows in blocks(n_rows, self.batch_size) {
            let end = rows.end;
            partial.take(&Data::new(features.rows(rows.start, rows.end)))?;
            run.progress(end as u64, n_rows as u64)?;
        }
        if !partial.moments.is_finite() {
            return Err(data.bad_values(None));
        }
        let model = partial.finish(run)?;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let k = self.pca().fixed_count().unwrap_or(shape.n_columns);
        Ok(self
            .plan_batches(shape)?
            .needs("embedding", (shape.n_rows, k), 8)
            .advice(message!("use fewer {:columns}"))
            .or_batches())
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        self.pca().plan_batches(batch)
    }

    fn fit_batches_in(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<PcaModel> {
        run.stage("covariance")?;
        let total = batches.n_rows().unwrap_or(0) as u64;
        let mut partial = self.partial(batches.n_columns());
        while let Some(batch) = batches.next_batch()? {
            let before = partial.moments.count();
            run.install(|| partial.add(&batch))
                .map_err(|error| error.further_on(before))?;
            let done = partial.moments.count() as u64;
            run.progress(done, total.max(done))?;
        }
        run.install(|| partial.finish(run))
    }

    fn partial(&self, n_columns: usize) -> Result<Box<dyn method::PartialFit>> {
        self.check()?;
        Ok(Box::new(self.partial(n_columns)))
    }
}

impl IncrementalPca {
    /// A fit that is given its rows batch by batch.
    pub fn partial(&self, n_columns: usize) -> PartialFit {
        PartialFit {
            method: self.clone(),
            moments: Moments::new(n_columns),
        }
    }

    /// The same of all rows at once.
    fn pca(&self) -> Pca {
        Pca {
            n_components: self.n_components,
            repetitions: self.repetitions,
            population: self.population,
            whiten: self.whiten,
            seed: self.seed,
            ..Pca::default()
        }
    }
}

impl method::PartialFit for PartialFit {
    fn add(&mut self, run: &Run<'_>, data: &Data<'_>) -> Result<()> {
        run.install(|| self.add(data))
    }

    fn model(&self, run: &Run<'_>) -> Result<Box<dyn ErasedModel>> {
        Ok(Box::new(run.install(|| self.finish(run))?))
    }

    fn copy(&self) -> Box<dyn method::PartialFit> {
        Box::new(self.clone())
    }
}

/// A fit under way: what has been seen so far.
#[derive(Clone, Debug)]
pub struct PartialFit {
    method: IncrementalPca,
    moments: Moments,
}

impl PartialFit {
    /// Takes in further rows. Rows with values that are not finite are refused as a whole batch.
    pub fn add(&mut self, data: &Data<'_>) -> Result<()> {
        let before = self.moments.clone();
        self.take(data)?;
        if !self.moments.is_finite() {
            self.moments = before;
            return Err(data.bad_values(None));
        }
        Ok(())
    }

    /// Takes in what another partial fit has seen.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let (ours, theirs) = (self.moments.mean().len(), other.moments.mean().len());
        if ours != theirs {
            return Err(Error::shape(
                message!("{:columns} of the partial fit"),
                ours,
                theirs,
            ));
        }
        self.moments.merge(&other.moments);
        Ok(())
    }

    /// The model of all rows seen so far; more may follow.
    pub fn model(&self) -> Result<PcaModel> {
        self.method.check()?;
        self.finish(&Run::new())
    }

    fn take(&mut self, data: &Data<'_>) -> Result<()> {
        let features = data.new_rows(IncrementalPca::INFO.name, self.moments.mean().len())?;
        self.moments.add(&Run::new(), features)
    }

    fn finish(&self, run: &Run<'_>) -> Result<PcaModel> {
        let moments = self.moments.clone();
        self.method.pca().fit_moments(run, moments, None)
    }
}
