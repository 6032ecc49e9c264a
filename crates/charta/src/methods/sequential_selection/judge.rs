//! The scorers by name.

use crate::params::Choice;

use super::KNearest;
use super::Kind;
use super::LinearDiscriminant;
use super::LinearRegression;
use super::LogisticRegression;
use super::NaiveBayes;
use super::Scorer;

/// What judges a set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Judge {
    /// The nearest rows: their vote for classes, their mean for numbers.
    KNearest,
    /// Least squares, for numbers.
    Linear,
    /// Least squares with a penalty, for numbers.
    Ridge,
    /// Linear discriminant analysis, for classes.
    Lda,
    /// Normal densities of independent columns, for classes.
    NaiveBayes,
    /// Logistic regression with a penalty, for classes.
    Logistic,
}

impl Judge {
    /// The scorer with its parameters.
    pub fn scorer(self, n_neighbors: usize, penalty: f64) -> Box<dyn Scorer> {
        match self {
            Self::KNearest => Box::new(KNearest { n_neighbors }),
            Self::Linear => Box::new(LinearRegression { penalty: 0.0 }),
            Self::Ridge => Box::new(LinearRegression { penalty }),
            Self::Lda => Box::new(LinearDiscriminant),
            Self::NaiveBayes => Box::new(NaiveBayes),
            Self::Logistic => Box::new(LogisticRegression { penalty }),
        }
    }

    /// What it takes labels for, where one that predicts either is asked for `wanted`.
    pub fn kind(self, wanted: Kind) -> Kind {
        match self {
            Self::KNearest => wanted,
            Self::Linear | Self::Ridge => Kind::Numbers,
            Self::Lda | Self::NaiveBayes | Self::Logistic => Kind::Classes,
        }
    }
}
