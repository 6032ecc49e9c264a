//! Small networks of dense layers, and how they are trained.
//!
//! | part | what it does |
//! |---|---|
//! | [`Standardization`] | puts columns on one scale before they enter, kept with the network |
//! | [`Network`] | layers of any widths, perhaps a linear shortcut past them; places rows in blocks |
//! | [`Trainer`] | forward, backward and a step of Adam for one batch |
//! | [`Training`] | the parameters: epochs, batches, rate and its schedule, decay, seed |
//!
//! What is minimised is told by whoever trains: a function from a batch's outputs to their loss and its gradient. Everything
//! is generic over the precision. A batch is cut into fixed blocks of rows; what they add to the gradient is summed in their
//! order, so that the bits are the same for any number of threads. Buffers are made once and used for all batches.

mod activation;
mod network;
mod space;
mod standardization;
mod trainer;
mod training;

pub use activation::Activation;
pub use network::{Design, Layer, Network};
pub use standardization::Standardization;
pub use trainer::Trainer;
pub use training::{Schedule, Training};
