//! Autoencoder: a neural network that compresses rows to a few coordinates and reconstructs them.
//!
//! # Idea
//! An encoder maps a row to a few coordinates, a decoder maps them back to a row, and both are trained together to minimize the reconstruction error. Linear
//! layers find the subspace of PCA; nonlinear ones find curved manifolds, with a smaller error for the same number of coordinates.
//!
//! # Steps
//! 1. `neural::Standardization`: rows are centred, and divided by one number for all columns.
//! 2. [`neural::Noise`](crate::neural::Noise) corrupts them, for denoising.
//! 3. `neural::Trainer`: forward through all layers, the reconstruction error of the clean rows, backpropagation, and a step of
//!    Adam; `neural::Contraction` is added to the loss, with `contraction`.
//! 4. After every epoch the validation loss of held-out rows is computed. The weights with the lowest are kept.
//! 5. [`AutoencoderModel`]: encoder, decoder, reconstruction errors.
//!
//! # Objective
//! With f the encoder and g the decoder, the mean over rows of ‖x − g(f(x̃))‖² as a fraction of their variance, plus `contraction` times
//! ‖∂f/∂x‖², the squared Frobenius norm of the Jacobian: x̃ is the row, or the corrupted row. A loss of 1 is that of the mean of all rows.
//! With linear layers and neither noise nor contraction the minimum loss is that of PCA, and f spans the principal subspace, though its coordinates may be any
//! in that subspace.
//!
//! # Cost
//! 6 n times the number of weights an epoch, in the precision of the features. Memory: five numbers for every weight, and of a batch the
//! rows and three numbers for every unit of every layer.
//!
//! # Choosing parameters
//! `hidden` gives the widths between the rows and the coordinates; the decoder has the same in reverse. Two layers that narrow
//! step by step are enough for most tables; `hidden = []` with `activation = linear` is equivalent to PCA. `gelu` and `tanh` are smooth, `relu` is piecewise
//! linear. If the validation loss turns while the training loss falls, the network overfits:
//! take fewer units, `weight_decay`, `noise` or `contraction`. If the loss jumps or grows, take a smaller `learning_rate`; if it still falls at
//! the end, more `n_epochs`. The picture `loss` shows both losses. Columns of different units should be scaled first.
//!
//! # New points
//! z = f(x), and the inverse transform is g(z). The coordinates of training rows are computed in the same way. The squared distance between a row
//! and g(f(x)) is its reconstruction error: it is large for rows unlike the training rows.
//!
//! # Differences
//! The bottleneck layer and the last one are linear in every network, so that coordinates are unbounded. Initial weights are random, as in Glorot and Bengio
//! 2010 and He et al. 2015; there is no training layer by layer as in Hinton and Salakhutdinov 2006, and encoder and decoder share no weights. Masking puts a
//! column's mean in the place of a value, not 0. The Jacobian's norm is exact for one layer;
//! through several it is estimated along a random direction for every row in every step. Columns are not scaled one by one: the loss is
//! the same as PCA's.
//!
//! # References
//! Rumelhart, Hinton and Williams, "Learning internal representations by error propagation", 1986. Baldi and Hornik, "Neural networks
//! and principal component analysis", 1989. Hinton and Salakhutdinov, "Reducing the dimensionality of data with neural networks", 2006.
//! Vincent et al., "Stacked denoising autoencoders", 2010. Rifai et al., "Contractive auto-encoders", 2011. Kingma and Ba, "Adam: a
//! method for stochastic optimization", 2015. Prechelt, "Early stopping — but when?", 1998.
//!
//! # Example
//! ```
//! use charta::{Fit, InverseTransform, Model, methods::autoencoder::Autoencoder, methods::pca::Pca};
//! let roll = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = Autoencoder::default().fit(&roll)?;
//! let pca = Pca::default().fit(&roll)?;
//! let lost = |report: charta::model::Diagnostics| report.value("reconstruction_error");
//! assert!(lost(model.diagnostics()) < lost(pca.diagnostics()));
//! let back = model.inverse_transform(&model.embedding().unwrap())?;
//! assert_eq!(back.dim(), (500, 3));
//! # Ok::<(), charta::Error>(())
//! ```

mod model;

pub use model::AutoencoderModel;

use ndarray::Array2;

use crate::data::columns::Columns;
use crate::data::{Data, Features, Precision};
use crate::error::{Because, Error, Result, Rule, StepUnit, Warning, check_rows, message};
use crate::linalg::Exponential;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::neural::reconstruction::mean_loss;
pub use crate::neural::{Activation, Learned, Noise, Schedule, Training};
use crate::neural::{Contraction, Design, Network, Standardization, Trainer, reconstruction};
use crate::params::Parameters;
use crate::random::{permutation, stream};
use crate::run::Run;
use crate::spectral::principal;

/// The stream that draws the held-out rows; those of the network and the orders are others.
const HELD_OUT: u64 = 1 << 49;

/// Parameters of the autoencoder.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Autoencoder {
    /// Number of dimensions of the embedding: the width of the bottleneck layer. More reconstruct the rows better; usually 2 for pictures, 8 to 64 for compression.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Widths of the hidden layers of the encoder; the decoder has the same in reverse. Wider or deeper networks fit more closely and train
    /// longer; usually one to three layers of 16 to 512 units.
    #[param(default = vec![128, 32], min = 1)]
    pub hidden: Vec<usize>,
    /// Activation function of the hidden layers: `gelu` and `tanh` give smooth maps, `relu` piecewise linear ones, `linear` linear ones.
    #[param(default = Activation::Gelu)]
    pub activation: Activation,
    /// Denoising: corrupt the inputs with noise, and train the network to restore the clean rows. It makes the coordinates more robust.
    #[param(default = Noise::None)]
    pub noise: Noise,
    /// Amount of noise: its standard deviation in standard deviations of the data (`gaussian`), or the fraction of values that are masked
    /// (`masking`). More noise gives more robust coordinates and coarser reconstructions; usually 0.1 to 0.5.
    #[param(default = 0.2, min = 0.0)]
    pub noise_level: f64,
    /// Contractive penalty: weight of the squared Frobenius norm of the encoder's Jacobian. Larger values make the coordinates less sensitive to the inputs; 0 turns it off.
    #[param(default = 0.0, min = 0.0)]
    pub contraction: f64,
    /// Fraction of the rows held out for validation; the weights with the lowest validation loss are kept. Larger values stop more reliably
    /// and leave fewer rows for training; usually 0.05 to 0.3, 0 turns early stopping off.
    #[param(default = 0.1, min = 0.0, below = 1.0)]
    pub validation_share: f64,
    /// Early stopping: epochs without a lower validation loss after which the training ends. Larger values train longer and end too early
    /// less often; usually 5 to 50.
    #[param(default = 20, min = 1)]
    pub patience: usize,
    /// Training of the network.
    #[param(flatten, default = Training { learning_rate: 3e-3, batch_size: 128, ..Training::default() })]
    pub training: Training,
}

impl Method for Autoencoder {
    const INFO: Info = Info {
        name: "autoencoder",
        title: "Autoencoder",
        summary: "A neural network that compresses rows to a few coordinates and reconstructs them",
        family: Family::Learned,
        reference: "Hinton and Salakhutdinov 2006",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Interruptible,
        ],
        many_minima: true,
        pictures: &["loss"],
        ..Info::DEFAULT
    };

    type Model = AutoencoderModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<AutoencoderModel> {
        let features = data.features(Self::INFO.name)?;
        self.check_shape(features.n_rows(), features.n_columns())?;
        data.check_finite()?;
        let input = standardization(features)?;
        match features.precision() {
            Precision::Single => self.fit_as::<f32>(run, features, input),
            Precision::Double => self.fit_as::<f64>(run, features, input),
        }
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        self.check_shape(n, d)?;
        let (design, bytes) = (self.design(d), shape.precision.bytes());
        let units = design
            .widths
            .iter()
            .fold(0_usize, |sum, width| sum.saturating_add(*width));
        let batch = self.training.batch_size.min(n);
        let doubled = if self.contraction > 0.0 { 2 } else { 1 };
        Ok(
            Plan::new("Adam on the reconstruction error of mini-batches")
                .needs(
                    "weights, averages and gradient",
                    (design.n_weights(), 6),
                    bytes,
                )
                .needs(
                    "layers of a batch",
                    (batch, units.saturating_mul(3 * doubled + 1)),
                    bytes,
                )
                .needs(
                    "rows being transformed",
                    (1024.min(n), units.saturating_mul(3)),
                    8,
                )
                .needs("orders", (n, 2), 8)
                .needs(
                    "embedding and errors",
                    (n, self.n_components.saturating_mul(2).saturating_add(2)),
                    8,
                )
                .advice(message!(
                    "use fewer or narrower hidden layers, or smaller batches"
                )),
        )
    }
}

/// How the training went.
struct History {
    training: Vec<f64>,
    validation: Vec<f64>,
    best_epoch: usize,
    /// Whether the training was ended on request before its last epoch.
    interrupted: bool,
}

/// The rows that are learned from, and those that are not.
struct Split {
    training: Vec<usize>,
    validation: Vec<usize>,
}

impl Autoencoder {
    fn check_shape(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        check_rows(message!("an autoencoder"), 2, n_rows)?;
        if self.n_components > n_columns {
            return Err(Error::at_most(
                "n_components",
                n_columns,
                Because::Columns(n_columns),
                self.n_components,
            ));
        }
        if self.noise == Noise::Masking && self.noise_level >= 1.0 {
            return Err(Error::parameter(
                "noise_level",
                Rule::Below {
                    limit: 1.0.into(),
                    because: Some(message!("masking would leave nothing of a {:row}").into()),
                },
                self.noise_level,
            ));
        }
        Ok(())
    }

    fn design(&self, n_columns: usize) -> Design {
        let mut widths = vec![n_columns];
        widths.extend(&self.hidden);
        widths.push(self.n_components);
        widths.extend(self.hidden.iter().rev());
        widths.push(n_columns);
        Design {
            widths,
            activation: self.activation,
            last: Activation::Linear,
        }
    }

    fn n_encoding(&self) -> usize {
        self.hidden.len() + 1
    }

    fn fit_as<T: Exponential>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        input: Standardization,
    ) -> Result<AutoencoderModel>
    where
        Learned: From<Network<T>>,
    {
        let varying = input.factors().iter().filter(|factor| **factor > 0.0);
        let factor = varying
            .clone()
            .fold(0.0_f64, |most, &factor| most.max(factor));
        let unit = varying.count() as f64;
        let design = self.design(features.n_columns());
        let network = Network::<T>::new(input, &design, self.training.seed)?
            .with_activation(self.n_encoding() - 1, Activation::Linear);
        let split = self.split(features.n_rows());
        run.stage("training")?;
        // On a thread of the pool, so that the many short steps need not wake it each time.
        let trained = rayon::scope(|_| self.train(run, features, network, &split, unit));
        let (network, history) = trained?;
        run.stage("embedding")?;
        let network = Learned::from(network);
        let embedding = network.apply_first(run, features, self.n_encoding())?;
        let errors = network.row_errors(run, features)?;
        let error = errors.mean().unwrap_or(f64::NAN);
        let loss = error * factor * factor / unit;
        if !loss.is_finite() || embedding.iter().any(|value| !value.is_finite()) {
            return Err(diverged(history.training.len()));
        }
        self.warn(run, loss)?;
        Ok(AutoencoderModel {
            network,
            n_encoding: self.n_encoding(),
            activation: self.activation,
            noise: self.noise,
            n_rows: features.n_rows(),
            n_validation: split.validation.len(),
            training_loss: history.training.into(),
            validation_loss: history.validation.into(),
            best_epoch: history.best_epoch,
            interrupted: history.interrupted,
            reconstruction_error: error,
            loss,
            embedding: Some(embedding),
        })
    }

    fn split(&self, n_rows: usize) -> Split {
        let count = (self.validation_share * n_rows as f64) as usize;
        let mut order = permutation(&mut stream(self.training.seed, HELD_OUT), n_rows);
        let validation = order.split_off(n_rows - count.min(n_rows - 1));
        Split {
            training: order,
            validation,
        }
    }

    /// The network with the least validation loss, or the last one without held-out rows.
    fn train<T: Exponential>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        network: Network<T>,
        split: &Split,
        unit: f64,
    ) -> Result<(Network<T>, History)> {
        let training = &self.training;
        let mut trainer = self.trainer(network, split.training.len())?;
        let mut history = History {
            training: Vec::new(),
            validation: Vec::new(),
            best_epoch: 0,
            interrupted: false,
        };
        let mut best: Option<(f64, Network<T>)> = None;
        for epoch in 0..training.n_epochs {
            let loss = self.epoch(run, features, &mut trainer, epoch, split, unit)?;
            history.training.push(loss);
            let mut shown = loss;
            if !split.validation.is_empty() {
                let rows = &split.validation;
                shown = mean_loss(run, trainer.network(), features, rows, unit)?;
                history.validation.push(shown);
                if best.as_ref().is_none_or(|(least, _)| shown < *least) {
                    best = Some((shown, trainer.network().clone()));
                    history.best_epoch = epoch + 1;
                }
            } else {
                history.best_epoch = epoch + 1;
            }
            if !shown.is_finite() {
                return Err(diverged(epoch + 1));
            }
            let (done, total) = (epoch as u64 + 1, training.n_epochs as u64);
            run.iterate(done, Some(shown), None)?;
            run.progress(done, total)?;
            if done < total && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done,
                    total,
                    unit: StepUnit::Epoch,
                })?;
                history.interrupted = true;
                break;
            }
            if epoch + 1 - history.best_epoch >= self.patience {
                break;
            }
        }
        let network = best.map_or_else(|| trainer.into_network(), |(_, network)| network);
        Ok((network, history))
    }

    fn trainer<T: Exponential>(&self, network: Network<T>, n_rows: usize) -> Result<Trainer<T>> {
        let most_rows = self.training.most_rows(n_rows);
        let trainer = Trainer::new(network, most_rows, self.training.weight_decay);
        if self.contraction == 0.0 {
            return Ok(trainer);
        }
        trainer.contracting(Contraction {
            n_layers: self.n_encoding(),
            weight: self.contraction,
            seed: self.training.seed,
        })
    }

    /// One epoch over the training rows; returns the mean loss of the batches.
    fn epoch<T: Exponential>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        trainer: &mut Trainer<T>,
        epoch: usize,
        split: &Split,
        unit: f64,
    ) -> Result<f64> {
        let (training, n_rows) = (&self.training, split.training.len());
        let batches = training.batches(n_rows);
        let n_steps = training.n_steps(n_rows);
        let order = training.order(epoch, n_rows);
        let (mut sum, mut rows) = (0.0, Vec::new());
        for (index, batch) in batches.iter().enumerate() {
            run.check()?;
            rows.clear();
            rows.extend(
                order[batch.clone()]
                    .iter()
                    .map(|&index| split.training[index]),
            );
            trainer.load(features, &rows)?;
            let step = epoch * batches.len() + index;
            let clean = self.corrupt(trainer, step);
            let rate = training.rate(step, n_steps);
            let loss = trainer.step_from_inputs(rate, |inputs, outputs, gradient| {
                let wanted = clean.as_ref().map_or(inputs.view(), |clean| clean.view());
                Ok(reconstruction(&wanted, outputs, unit, gradient))
            })?;
            if !loss.is_finite() {
                return Err(diverged(epoch + 1));
            }
            sum += loss * batch.len() as f64;
        }
        Ok(sum / n_rows as f64)
    }

    /// Corrupts the batch and returns it as it was; `None` without noise.
    fn corrupt<T: Exponential>(&self, trainer: &mut Trainer<T>, step: usize) -> Option<Array2<T>> {
        if self.noise == Noise::None || self.noise_level == 0.0 {
            return None;
        }
        let clean = trainer.inputs().to_owned();
        let inputs = trainer.inputs_mut();
        self.noise
            .corrupt(inputs, self.noise_level, self.training.seed, step);
        Some(clean)
    }

    fn warn(&self, run: &Run<'_>, loss: f64) -> Result<()> {
        if loss < 1.0 {
            return Ok(());
        }
        run.warn(Warning::NotConverged {
            what: message!("the training"),
            reached: message!(
                "the reconstruction loses {:.0} % of the variance, no better than the mean of all \
                 {:rows}: try another {learning_rate:parameter} or more {n_epochs:parameter}",
                100.0 * loss
            ),
        })
    }
}

/// The scale of the columns; fails if no column varies.
fn standardization(features: &Features<'_>) -> Result<Standardization> {
    let input = Standardization::together(features);
    if input.factors().iter().any(|factor| *factor > 0.0) {
        return Ok(input);
    }
    let columns = Columns::of(features);
    let finite = columns.spreads.iter().all(|spread| spread.is_finite());
    if finite && columns.means.iter().all(|mean| mean.is_finite()) {
        Err(principal::constant_data())
    } else {
        Err(Error::too_large())
    }
}

fn diverged(epoch: usize) -> Error {
    Error::NotConverged {
        what: message!("the training"),
        reached: message!(
            "the loss became NaN in epoch {epoch}: try a smaller {learning_rate:parameter}"
        ),
    }
}
