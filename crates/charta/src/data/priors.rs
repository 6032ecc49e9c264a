//! Prior probabilities of classes.

use ndarray::Array1;

use super::Classes;
use crate::error::{Error, Result, message};
use crate::params::Choice;

/// How far the sum of given priors may be from 1.
const ROUNDING: f64 = 1e-5;

/// The prior probabilities of the classes.
#[derive(Clone, Debug, PartialEq, Choice)]
pub enum Priors {
    /// The frequencies of the classes in the data.
    Data,
    /// Equal for all classes.
    Equal,
    /// Given probabilities, in the order of the classes, with sum 1.
    #[choice(above = 0.0, max = 1.0)]
    Given(Vec<f64>),
}

impl Priors {
    /// A prior for each class, together exactly 1 but for rounding.
    pub(crate) fn of(&self, classes: &Classes) -> Result<Array1<f64>> {
        match self {
            Self::Data => Ok(Array1::from_vec(classes.shares())),
            Self::Equal => Ok(Array1::from_elem(classes.len(), 1.0 / classes.len() as f64)),
            Self::Given(values) => self.given(values, classes),
        }
    }

    fn given(&self, values: &[f64], classes: &Classes) -> Result<Array1<f64>> {
        if values.len() != classes.len() {
            let rule = message!(
                "be {} numbers, one for each class ({})",
                classes.len(),
                listed(&classes.names)
            );
            return Err(Error::parameter("priors", rule, self.clone()));
        }
        let sum: f64 = values.iter().sum();
        if (sum - 1.0).abs() > ROUNDING {
            let rule = message!("add up to 1 (these add up to {sum})");
            return Err(Error::parameter("priors", rule, self.clone()));
        }
        Ok(values.iter().map(|value| value / sum).collect())
    }
}

/// The first names, for a message.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;

    #[test]
    fn priors_are_shares_equal_or_given_and_checked() {
        let classes = Classes::of(&Labels::from_words(&["a", "b", "b", "b"]), "lda").unwrap();
        assert_eq!(Priors::Data.of(&classes).unwrap().to_vec(), [0.25, 0.75]);
        assert_eq!(Priors::Equal.of(&classes).unwrap().to_vec(), [0.5, 0.5]);
        let given = Priors::Given(vec![0.1, 0.9]).of(&classes).unwrap();
        assert_eq!(given.to_vec(), [0.1, 0.9]);
        let error = Priors::Given(vec![0.1, 0.8]).of(&classes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`priors` must add up to 1 (these add up to 0.9), got 0.1,0.8"
        );
        let error = Priors::Given(vec![1.0]).of(&classes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`priors` must be 2 numbers, one for each class (a, b), got 1.0"
        );
    }
}
