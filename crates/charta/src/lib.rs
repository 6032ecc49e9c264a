//! charta: many numbers per row turned into a few.
// The derives name the crate by its outside name, also within it.
#[allow(unused_extern_crates)]
extern crate self as charta;

pub mod data;
pub mod error;
pub mod linalg;
pub mod parallel;
pub mod params;
pub mod random;
pub mod run;

pub use data::{Batches, Data, Features, Labels};
pub use error::{Error, Result, Warning};
pub use run::{Event, Observer, Run};
