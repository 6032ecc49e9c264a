//! Maps by neighbours: rows that are near each other attract, all others repel, step by step.
//!
//! No two threads ever write to the same row, and no sum depends on who computed it: within a step every row reads positions that
//! stand still and writes its own, so that the same data gives the same bits for any number of threads.

mod attraction;
pub mod curve;
pub mod density;
pub mod fuzzy;
pub mod loss;
pub mod pair_descent;
pub mod pair_forces;
pub mod pair_rows;
pub mod pairs;
pub mod parametric;
pub mod sampled;
mod schedule;
mod smooth;
mod spatial;
pub mod start;
pub mod still;
pub mod target;
pub mod tsne;
mod window;
