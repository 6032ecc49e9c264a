//! Sets of columns judged by the caller, on splits of the caller's own.

use crate::data::ScoreFunction;
use crate::error::{Error, Result};
use crate::message;
use crate::run::Run;

use super::{Problem, Scorer, Split};

/// A scorer that asks the caller.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a>(pub ScoreFunction<'a>);

impl Scorer for Told<'_> {
    fn name(&self) -> String {
        "a function".into()
    }

    fn score(
        &self,
        _run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        if columns.is_empty() {
            return Ok(problem.knowing_nothing(split));
        }
        let score = self.0.of(columns, split)?;
        if !score.is_finite() {
            return Err(Error::degenerate(message!(
                "the score of {:columns} {columns:?} on split {split} is {score}"
            )));
        }
        Ok(if problem.measure().is_gain() {
            score
        } else {
            -score
        })
    }
}

/// Splits of the data's rows as splits of those rows that have a label.
pub fn given_splits(splits: &[(Vec<usize>, Vec<usize>)], labelled: &[usize]) -> Result<Vec<Split>> {
    let places = |rows: &[usize]| -> Vec<usize> {
        let mut places: Vec<usize> = rows
            .iter()
            .filter_map(|row| labelled.binary_search(row).ok())
            .collect();
        places.sort_unstable();
        places
    };
    let splits: Vec<Split> = splits
        .iter()
        .map(|(train, test)| Split {
            train: places(train),
            test: places(test),
        })
        .collect();
    if splits
        .iter()
        .any(|split| split.train.is_empty() || split.test.is_empty())
    {
        return Err(Error::Labels {
            problem: message!("a split has no {:row} with a label to learn from or to hold out"),
        });
    }
    Ok(splits)
}
