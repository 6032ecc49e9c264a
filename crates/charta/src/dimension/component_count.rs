//! Number of components, limited by the data.

use crate::error::{Because, Error, Result};

use crate::params::Choice;

/// Number of components to keep, of those that the data allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ComponentCount {
    /// 2, or 1 where the data allows no more.
    Auto,
    /// As many as the data allows.
    All,
    /// Exactly this number.
    #[choice(min = 1)]
    Count(usize),
}

impl ComponentCount {
    /// The number to keep where there are `most`; `because` is the reason of that limit.
    pub(crate) fn of(self, most: usize, because: impl Into<Because>) -> Result<usize> {
        match self {
            Self::Auto => Ok(most.min(2)),
            Self::All => Ok(most),
            Self::Count(count) if count > most => {
                Err(Error::at_most("n_components", most, because, count))
            }
            Self::Count(count) => Ok(count),
        }
    }

    /// The number to keep where there are at most `most`, for predictions.
    pub(crate) fn at_most(self, most: usize) -> usize {
        match self {
            Self::Auto => most.min(2),
            Self::All => most,
            Self::Count(count) => count.min(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_are_is_an_error_that_says_why() {
        assert_eq!(ComponentCount::Auto.of(1, Because::Rows(9)).unwrap(), 1);
        assert_eq!(ComponentCount::All.of(9, Because::Rows(9)).unwrap(), 9);
        assert_eq!(ComponentCount::Count(3).of(9, Because::Rows(9)).unwrap(), 3);
        let error = ComponentCount::Count(3)
            .of(2, Because::Classes(3))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`n_components` must be at most 2, because there are 3 classes, got 3"
        );
    }
}
