//! Choosing features: sets of columns that grow and shrink, judged by how well they predict rows held out.
//!
//! A [`Problem`] holds the columns, what they are to predict and the [splits](Split) of the rows. A [`Scorer`] judges sets of features;
//! its [`Evaluator`] knows a set, and tells what each change by one feature would be worth. [`search`] walks
//! from set to set.

mod descent;
mod discriminant;
mod exhaustive;
mod judge;
mod k_nearest;
mod linear;
mod logistic;
mod measure;
mod naive_bayes;
mod nearest_rows;
mod problem;
mod scorer;
mod search;
mod splits;
mod sweep;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod told;

pub use discriminant::LinearDiscriminant;
pub use judge::Judge;
pub use k_nearest::{KNearest, kept_bytes};
pub use linear::LinearRegression;
pub use logistic::LogisticRegression;
pub use measure::Measure;
pub use naive_bayes::NaiveBayes;
pub use problem::{Columns, Problem};
pub use scorer::{Change, Evaluator, Scorer};
pub use search::{Direction, Found, MOST_FOR_ALL, Path, Step, Stop, search};
pub use splits::{Split, Splitting, Validation};
pub use target::{Kind, Target};
pub use told::{Told, given_splits};
