//! How far a map can be trusted.

mod nearest;

pub use nearest::{nearest_accuracy, nearest_classes};
