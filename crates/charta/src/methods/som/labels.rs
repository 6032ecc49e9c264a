//! What the labels of rows say of units: the votes of classes, or the mean of numbers.

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::Grid;
use super::Matching;
use crate::data::loaded::{check_dim, check_finite, check_length, check_not_negative};
use crate::data::{Classes, Labels, arrays};
use crate::error::Result;

/// What is known of units by the labels of their rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum UnitLabels {
    /// How many rows of each class fall to each unit.
    Classes {
        /// The classes' names.
        names: Vec<String>,
        /// A row for each unit, a column for each class.
        #[serde(with = "arrays::matrix")]
        votes: Array2<f64>,
    },
    /// The numbers of the rows that fall to each unit.
    Numbers {
        /// What the numbers are.
        name: String,
        /// Their sum, unit by unit.
        #[serde(with = "arrays::vector")]
        sums: Array1<f64>,
        /// How many there are.
        #[serde(with = "arrays::vector")]
        counts: Array1<f64>,
    },
}

impl UnitLabels {
    /// Fails if what was loaded does not fit together, or to this many units.
    pub(super) fn validate(&self, n_units: usize) -> Result<()> {
        match self {
            Self::Classes { names, votes } => {
                check_dim("the votes of classes", votes.dim(), (n_units, names.len()))?;
                check_not_negative("the votes of classes", votes)
            }
            Self::Numbers {
                name: _,
                sums,
                counts,
            } => {
                check_length("the sums of labels", sums.len(), n_units)?;
                check_length("the counts of labels", counts.len(), n_units)?;
                check_finite("the sums of labels", sums)?;
                check_not_negative("the counts of labels", counts)
            }
        }
    }

    /// Counts the labels of rows at their best units. Labels that are numbers but no classes are averaged. `None` if they carry no information:
    /// without two classes, or without any number.
    pub(super) fn of(
        matching: &Matching,
        n_units: usize,
        labels: &Labels<'_>,
        name: &str,
    ) -> Option<Self> {
        if let Ok(classes) = Classes::of(labels, "som") {
            let mut votes = Array2::zeros((n_units, classes.len()));
            for (&unit, class) in matching.best.iter().zip(&classes.of_row) {
                if let Some(class) = class {
                    votes[[unit as usize, *class as usize]] += 1.0;
                }
            }
            let names = classes.names;
            return Some(Self::Classes { names, votes });
        }
        let Labels::Numbers(values) = labels else {
            return None;
        };
        let (mut sums, mut counts) = (Array1::zeros(n_units), Array1::zeros(n_units));
        let known = matching.best.iter().zip(values.iter());
        for (&unit, value) in known.filter(|(_, value)| !value.is_nan()) {
            sums[unit as usize] += value;
            counts[unit as usize] += 1.0;
        }
        (counts.sum() > 0.0).then(|| Self::Numbers {
            name: name.to_string(),
            sums,
            counts,
        })
    }

    /// What every unit answers, a row each: the fractions of its classes, or its mean. A unit without labels answers for those that have
    /// some and are nearest on the grid.
    pub(super) fn answers(&self, grid: &Grid) -> Array2<f64> {
        let (totals, counts) = match self {
            Self::Classes { votes, .. } => (votes.clone(), votes.sum_axis(ndarray::Axis(1))),
            Self::Numbers { sums, counts, .. } => {
                (sums.clone().insert_axis(ndarray::Axis(1)), counts.clone())
            }
        };
        let voters: Vec<usize> = (0..counts.len())
            .filter(|unit| counts[*unit] > 0.0)
            .collect();
        let mut answers = Array2::zeros(totals.dim());
        for (unit, mut answer) in answers.rows_mut().into_iter().enumerate() {
            let mut total = 0.0;
            for other in voting_units(grid, unit, &voters) {
                answer += &totals.row(other);
                total += counts[other];
            }
            answer /= f64::max(total, 1.0);
        }
        answers
    }

    /// The fraction of the rows counted that have the class with the most votes at their unit; `None` for numbers.
    pub(super) fn accuracy(&self) -> Option<f64> {
        let Self::Classes { votes, .. } = self else {
            return None;
        };
        let most = |votes: ndarray::ArrayView1<'_, f64>| votes.iter().copied().fold(0.0, f64::max);
        let right: f64 = votes.rows().into_iter().map(most).sum();
        Some(right / votes.sum())
    }

    /// The class with the most votes at each unit, the first of equal ones, as an index; `None` for a unit without votes, and for numbers.
    pub(super) fn majority(&self) -> Vec<Option<usize>> {
        match self {
            Self::Classes { votes, .. } => votes
                .rows()
                .into_iter()
                .map(|votes| {
                    let most = votes.iter().copied().fold(0.0, f64::max);
                    let first = votes.iter().position(|count| *count == most);
                    first.filter(|_| most > 0.0)
                })
                .collect(),
            Self::Numbers { counts, .. } => vec![None; counts.len()],
        }
    }
}

/// The unit itself if it is among the voters; else the nearest of them.
fn voting_units(grid: &Grid, unit: usize, voters: &[usize]) -> Vec<usize> {
    if voters.binary_search(&unit).is_ok() {
        return vec![unit];
    }
    let apart: Vec<f64> = voters
        .iter()
        .map(|other| grid.squared_distance(unit, *other))
        .collect();
    let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
    let near = voters.iter().zip(&apart);
    near.filter(|(_, apart)| **apart <= least + 1e-9)
        .map(|(other, _)| *other)
        .collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::methods::som::Cells;

    fn fallen(best: &[u32]) -> Matching {
        Matching {
            best: best.to_vec(),
            second: best.to_vec(),
            apart: vec![0.0; best.len()],
        }
    }

    #[test]
    fn units_without_rows_answer_for_the_nearest_with_some() {
        let grid = Grid::new(4, 1, Cells::Rectangular, false).unwrap();
        let words = Labels::from_words(&["a", "b", "b", "", "a"]);
        let matching = fallen(&[0, 0, 0, 1, 3]);
        let labels = UnitLabels::of(&matching, 4, &words, "kind").unwrap();
        let third = 1.0 / 3.0;
        let want = array![
            [third, 2.0 * third],
            [third, 2.0 * third],
            [1.0, 0.0],
            [1.0, 0.0]
        ];
        assert!(
            (labels.answers(&grid) - want)
                .iter()
                .all(|v| v.abs() < 1e-15)
        );
        assert_eq!(labels.majority(), [Some(1), None, None, Some(0)]);
        // Both sides are equally near: their votes are counted together.
        let matching = fallen(&[0, 0, 2]);
        let words = Labels::from_words(&["a", "a", "b"]);
        let labels = UnitLabels::of(&matching, 4, &words, "kind").unwrap();
        assert!((labels.answers(&grid)[[1, 0]] - 2.0 * third).abs() < 1e-15);
    }

    #[test]
    fn numbers_are_averaged() {
        let grid = Grid::new(2, 1, Cells::Rectangular, false).unwrap();
        let numbers = Labels::numbers(vec![0.5, 1.5, f64::NAN]);
        let labels = UnitLabels::of(&fallen(&[0, 0, 1]), 2, &numbers, "size").unwrap();
        assert_eq!(labels.answers(&grid), array![[1.0], [1.0]]);
        let one = Labels::from_words(&["a", "a", "a"]);
        assert!(UnitLabels::of(&fallen(&[0, 0, 1]), 2, &one, "kind").is_none());
    }
}
