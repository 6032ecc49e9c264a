//! Self-organising maps: units on a grid that learn to stand where the rows are, neighbours on the grid near each other.
//!
//! | part | what it does |
//! |---|---|
//! | [`Grid`] | rectangular or hexagonal, planar or toroidal: places, distances, neighbours |
//! | [`Space`] | rows about a middle and on one scale, in their own precision |
//! | [`Plane`] | the first two principal axes: the shape of the grid, and where units begin |
//! | [`Matching`] | the two nearest units of every row; quantization and topographic error |
//! | [`Training`] | epochs in batch or online, the radius that shrinks |
//! | [`UnitLabels`] | the labels of rows at their units: votes or means |
//!
//! Rows are compared with units in blocks of a fixed size, and the rows of a unit are added up in their order, so that the bits are
//! the same for any number of threads.

mod batch;
mod grid;
mod labels;
mod matching;
mod neighborhood;
mod online;
mod space;
mod start;
mod training;

pub use grid::{Cells, Grid, GridWish};
pub use labels::UnitLabels;
pub use matching::{Matching, rows_at_once};
pub use neighborhood::{Neighborhood, Schedule};
pub use space::Space;
pub use start::{Plane, Start, drawn};
pub use training::{Learning, Trained, Training};
