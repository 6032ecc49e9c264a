//! Preservation of classes: neighbourhood hit and k-NN accuracy.

use super::estimate::Estimate;
use crate::data::{Classes, Labels};
use crate::error::{Error, Result, message};

/// Classes of the nearest rows, in the data and in the embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassAgreement {
    /// The fraction of the nearest rows of the embedding that have the row's class.
    pub hit: Estimate,
    /// The same in the data.
    pub data_hit: Estimate,
    /// Leave-one-out k-NN accuracy in the embedding: the fraction of rows whose class is the majority among their neighbours.
    pub accuracy: Estimate,
    /// The same in the data.
    pub data_accuracy: Estimate,
}

/// Neighbourhood hit and k-NN prediction of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelScores {
    pub(super) hit: f64,
    pub(super) is_right: bool,
}

/// The classes of the rows compared.
pub(super) fn of_rows(
    labels: &Labels<'_>,
    rows: &[usize],
    n_rows: usize,
) -> Result<Vec<Option<u32>>> {
    if labels.len() != n_rows {
        return Err(Error::shape(
            message!("number of labels"),
            n_rows,
            labels.len(),
        ));
    }
    let classes = Classes::of(labels, "quality")?;
    Ok(rows.iter().map(|&row| classes.of_row[row]).collect())
}

/// Neighbourhood hit and k-NN prediction of a row that has a class. Equal votes go to the class with the smaller number.
pub(super) fn label_scores_of(
    nearest: &[u32],
    classes: &[Option<u32>],
    index: usize,
) -> Option<LabelScores> {
    let own = classes[index]?;
    let mut votes: Vec<u32> = nearest
        .iter()
        .filter_map(|&near| classes[near as usize])
        .collect();
    votes.sort_unstable();
    let (mut winner, mut most, mut same) = (None, 0, 0);
    for group in votes.chunk_by(|a, b| a == b) {
        if group.len() > most {
            (winner, most) = (Some(group[0]), group.len());
        }
        if group[0] == own {
            same = group.len();
        }
    }
    Some(LabelScores {
        hit: same as f64 / nearest.len() as f64,
        is_right: winner == Some(own),
    })
}

impl ClassAgreement {
    /// From the scores of the rows, in the embedding and in the data, out of `population` that have a class;
    /// `None` if no row measured has one.
    pub(super) fn new(
        label_scores: &[(LabelScores, LabelScores)],
        population: usize,
    ) -> Option<Self> {
        if label_scores.is_empty() {
            return None;
        }
        let mean = |figure: &dyn Fn(&(LabelScores, LabelScores)) -> f64| {
            Estimate::mean(
                &label_scores.iter().map(figure).collect::<Vec<_>>(),
                population,
            )
        };
        let share = |is_right: bool| if is_right { 1.0 } else { 0.0 };
        Some(Self {
            hit: mean(&|label_scores| label_scores.0.hit),
            data_hit: mean(&|label_scores| label_scores.1.hit),
            accuracy: mean(&|label_scores| share(label_scores.0.is_right)),
            data_accuracy: mean(&|label_scores| share(label_scores.1.is_right)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_vote_and_those_without_a_class_do_not() {
        let classes = [Some(1), Some(1), Some(0), None, Some(0)];
        let label_scores = label_scores_of(&[1, 2, 3], &classes, 0).unwrap();
        assert!((label_scores.hit - 1.0 / 3.0).abs() < 1e-12);
        // One vote each: the smaller class wins.
        assert!(!label_scores.is_right);
        assert!(label_scores_of(&[2, 1], &classes, 4).unwrap().is_right);
        assert!(label_scores_of(&[1], &classes, 3).is_none());
    }
}
