//! Small networks of dense layers, and how they are trained.
//!
//! | part | what it does |
//! |---|---|
//! | [`Standardization`] | puts columns on one scale before they enter, kept with the network |
//! | [`Network`] | layers of any widths, perhaps a linear shortcut past them; embeds rows in blocks |
//! | [`Trainer`] | forward, backward and a step of Adam for one batch |
//! | [`Training`] | the parameters: epochs, batches, rate and its schedule, decay, seed |
//! | [`Noise`], [`Contraction`] | regularization against overfitting: input noise, contractive penalty |
//! | [`reconstruction()`] | the loss of a network that is to give back what enters |
//! | [`Learned`] | a trained network in either precision |
//!
//! The caller supplies the loss: a function from a batch's outputs to their loss and its gradient. Everything
//! is generic over the precision. A batch goes forward and back in fixed blocks of rows, and the gradient of every weight is one sum over
//! the whole batch, so that the bits are the same for any number of threads. Buffers are made once and used for all batches.

mod activation;
mod contraction;
mod learned;
mod network;
mod noise;
mod pass;
pub(crate) mod reconstruction;
mod standardization;
mod trainer;
mod training;

pub use activation::Activation;
pub(crate) use contraction::Contraction;
pub use learned::Learned;
pub(crate) use network::{Design, Network};
pub use noise::Noise;
pub(crate) use reconstruction::reconstruction;
pub(crate) use standardization::Standardization;
pub(crate) use trainer::Trainer;
pub use training::{Schedule, Training};
