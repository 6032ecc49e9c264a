//! Scores of sets of columns given by the caller: for feature selection.

use std::fmt;

use super::Data;
use crate::error::{Error, Result, message};

/// Scores a set of columns on one split of the rows, given by the caller: higher is better.
#[derive(Clone, Copy)]
pub struct ScoreFunction<'a>(&'a (dyn Fn(&[usize], usize) -> Result<f64> + Sync));

impl ScoreFunction<'_> {
    /// How good the columns are on the split of that number.
    pub(crate) fn of(&self, columns: &[usize], split: usize) -> Result<f64> {
        (self.0)(columns, split)
    }
}

impl fmt::Debug for ScoreFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScoreFunction(a function)")
    }
}

impl<'a> Data<'a> {
    /// Sets a function that scores columns on a split, by its number, instead of the method's scorer: higher is better.
    ///
    /// ```
    /// use charta::methods::sequential_selection::SequentialSelection;
    /// use charta::{Data, Fit, Labels};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [2.0, 2.0, 2.0], [1.0, 0.0, 1.0]];
    /// let last = |columns: &[usize], _: usize| Ok(columns.iter().sum::<usize>() as f64);
    /// let data = Data::from(&x)
    ///     .with_labels(Labels::from_words(&["a", "b", "a", "b"]))?
    ///     .with_score(&last)
    ///     .with_splits(vec![(vec![0, 1], vec![2, 3]), (vec![2, 3], vec![0, 1])])?;
    /// let method = SequentialSelection { n_components: 2.into(), ..SequentialSelection::default() };
    /// assert_eq!(method.fit(&data)?.columns(), [1, 2]);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_score(
        mut self,
        score: &'a (dyn Fn(&[usize], usize) -> Result<f64> + Sync),
    ) -> Self {
        self.score = Some(ScoreFunction(score));
        self
    }

    /// The score function of the caller, if there is one.
    pub(crate) fn score(&self) -> Option<ScoreFunction<'a>> {
        self.score
    }

    /// Sets the training and held-out rows of each split.
    pub fn with_splits(mut self, splits: Vec<(Vec<usize>, Vec<usize>)>) -> Result<Self> {
        let n_rows = self.n_rows();
        for (number, (train, test)) in splits.iter().enumerate() {
            if train.is_empty() || test.is_empty() {
                return Err(Error::degenerate(message!(
                    "split {number} has no training {:row} or no held-out {:row}"
                )));
            }
            if let Some(row) = train.iter().chain(test).find(|&&row| row >= n_rows) {
                let what = message!("{:rows} of split {number}");
                return Err(Error::shape(what, message!("below {n_rows}"), row));
            }
        }
        self.splits = (!splits.is_empty()).then_some(splits);
        Ok(self)
    }

    /// The training and held-out rows of each split, if they were given.
    pub(crate) fn splits(&self) -> Option<&[(Vec<usize>, Vec<usize>)]> {
        self.splits.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn splits_must_have_rows_that_exist() {
        let x = array![[1.0], [2.0], [3.0]];
        let data = Data::from(&x);
        assert!(data.clone().with_splits(vec![(vec![0], vec![3])]).is_err());
        assert!(data.clone().with_splits(vec![(vec![], vec![1])]).is_err());
        let data = data.with_splits(vec![(vec![0, 1], vec![2])]).unwrap();
        assert_eq!(data.splits().unwrap().len(), 1);
    }
}
