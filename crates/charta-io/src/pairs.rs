//! Distances between rows in any form: a square, the half of one in a row, a list of pairs.

use std::collections::HashMap;

use charta::data::OwnedFeatures;
use ndarray::Array2;

use crate::block::{Block, Heading, LabelColumn};
use crate::error::{Error, Result};
use crate::table::{Content, Table};
use crate::wording::count;

/// How far a distance may differ from the one the other way, as a fraction of the larger.
const TOLERANCE: f64 = 1e-5;

/// The number of rows that have this many pairs; `None` if no number has.
pub(crate) fn rows_of_pairs(n_pairs: usize) -> Option<usize> {
    let rows = ((1.0 + (1.0 + 8.0 * n_pairs as f64).sqrt()) / 2.0).round() as usize;
    (n_pairs > 0 && rows.checked_mul(rows - 1) == n_pairs.checked_mul(2)).then_some(rows)
}

/// A square matrix from the pairs above its diagonal, row by row, as SciPy's `pdist` gives them.
pub(crate) fn from_condensed(file: &str, features: &OwnedFeatures) -> Result<Array2<f64>> {
    let view = features.view();
    let numbers = view.dense_rows(0, view.n_rows());
    let length = numbers.len();
    let Some(n_rows) = rows_of_pairs(length) else {
        return Err(no_rows_for(file, length));
    };
    let mut matrix = Array2::zeros((n_rows, n_rows));
    let mut numbers = numbers.iter();
    for row in 0..n_rows {
        for (other, &number) in (row + 1..n_rows).zip(numbers.by_ref()) {
            matrix[[row, other]] = number;
            matrix[[other, row]] = number;
        }
    }
    Ok(matrix)
}

pub(crate) fn no_rows_for(file: &str, length: usize) -> Error {
    let below = (1..)
        .take_while(|rows| rows * (rows - 1) / 2 <= length)
        .last();
    let below = below.unwrap_or(1);
    let pairs = |rows: usize| count(rows * (rows - 1) / 2, "pair");
    Error::content(
        file,
        format!(
            "{} in one line, where the distances between all pairs of rows are expected: {} have {}, {} have {}",
            count(length, "number"),
            count(below, "row"),
            pairs(below),
            count(below + 1, "row"),
            pairs(below + 1)
        ),
    )
}

/// Takes a distance that is missing one way from the other way, and one of a row to itself for 0. Returns how many were.
pub(crate) fn mend(matrix: &mut Array2<f64>) -> Option<String> {
    let mut n_taken = 0;
    for row in 0..matrix.nrows() {
        if matrix[[row, row]].is_nan() {
            matrix[[row, row]] = 0.0;
        }
        for other in 0..row {
            let (one, back) = (matrix[[row, other]], matrix[[other, row]]);
            if one.is_nan() != back.is_nan() {
                let known = if one.is_nan() { back } else { one };
                matrix[[row, other]] = known;
                matrix[[other, row]] = known;
                n_taken += 1;
            }
        }
    }
    (n_taken > 0).then(|| {
        format!(
            "{} given one way only: the other way is the same",
            count(n_taken, "distance")
        )
    })
}

/// The pairs of a list, by the places of their rows.
pub(crate) struct Pairs {
    names: Vec<String>,
    /// Two rows, their distance and its weight.
    pairs: Vec<(usize, usize, f64, f64)>,
    weighted: bool,
    by_number: bool,
}

impl Pairs {
    /// The pairs of a table whose id and label columns are the two rows, and whose numbers are the distance and
    /// perhaps the weight.
    pub(crate) fn of(all: Block, heading: &Heading) -> Result<Self> {
        let first = all.ids.unwrap_or_default();
        let second = all.labels.map_or(Vec::new(), LabelColumn::into_words);
        let features = all.values.into_features(all.rows, heading.n_columns);
        let numbers = features.map(|features| features.view().dense_rows(0, all.rows));
        let (Some(numbers), true) = (numbers, first.len() == second.len()) else {
            return Err(Error::content(
                &heading.name,
                "the pairs do not all have two rows",
            ));
        };
        let names = Names::of(first.iter().zip(&second), &heading.name)?;
        let weighted = heading.n_columns > 1;
        let pairs = first.iter().zip(&second).zip(numbers.rows());
        let pairs = pairs.map(|((first, second), numbers)| {
            let weight = if weighted { numbers[1] } else { 1.0 };
            (
                names.places[first.as_str()],
                names.places[second.as_str()],
                numbers[0],
                weight,
            )
        });
        Ok(Self {
            pairs: pairs.collect(),
            by_number: names.by_number,
            names: names.in_order,
            weighted,
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.names.len()
    }

    /// The table of distances, with weights if there are any. Pairs that are not listed are missing.
    pub(crate) fn table(self, mut heading: Heading) -> Result<Table> {
        let n_rows = self.n_rows();
        let mut matrix = Array2::from_elem((n_rows, n_rows), f64::NAN);
        let mut weights = self.weighted.then(|| matrix.clone());
        for &(one, other, distance, weight) in &self.pairs {
            self.check(&heading.name, one, other, distance, matrix[[one, other]])?;
            // A blank one way does not take back what the other way gave.
            if !distance.is_nan() {
                matrix[[one, other]] = distance;
                matrix[[other, one]] = distance;
            }
            if let Some(weights) = &mut weights {
                self.check_weight(&heading.name, one, other, weight, weights[[one, other]])?;
                weights[[one, other]] = weight;
                weights[[other, one]] = weight;
            }
        }
        matrix.diag_mut().fill(0.0);
        if let Some(weights) = &mut weights {
            weights.mapv_inplace(|weight| if weight.is_nan() { 0.0 } else { weight });
        }
        let order = if self.by_number {
            "in the order of their numbers"
        } else {
            "in the order in which they are first named"
        };
        heading.notes.push(format!(
            "a list of {}: {} {order}",
            count(self.pairs.len(), "pair"),
            count(n_rows, "row")
        ));
        let mut table = Table::new(heading.name, Array2::<f64>::zeros((0, 0)));
        table.n_missing = matrix.iter().filter(|value| value.is_nan()).count() / 2;
        table.content = Content::Distances(matrix);
        table.pair_weights = weights;
        table.row_names = Some(self.names);
        table.id_title = Some("row".into());
        table.notes = heading.notes;
        Ok(table)
    }

    fn between(&self, one: usize, other: usize) -> String {
        format!("{:?} and {:?}", self.names[one], self.names[other])
    }

    fn check(
        &self,
        file: &str,
        one: usize,
        other: usize,
        distance: f64,
        before: f64,
    ) -> Result<()> {
        let wrong = |problem: String| Err(Error::content(file, problem));
        if distance < 0.0 || distance.is_infinite() {
            return wrong(format!(
                "the distance between {} is {distance}: a finite number of at least 0 was expected",
                self.between(one, other)
            ));
        }
        if one == other && distance > 0.0 {
            return wrong(format!(
                "the distance from {:?} to itself is {distance}: 0 was expected",
                self.names[one]
            ));
        }
        let allowed = TOLERANCE * distance.max(before);
        if (distance - before).abs() > allowed {
            return wrong(format!(
                "the distance between {} is given twice and differs: {before} and {distance}",
                self.between(one, other)
            ));
        }
        Ok(())
    }

    fn check_weight(
        &self,
        file: &str,
        one: usize,
        other: usize,
        weight: f64,
        before: f64,
    ) -> Result<()> {
        let problem = if !(weight >= 0.0 && weight.is_finite()) {
            format!(
                "the weight of the pair {} is {weight}: a finite number of at least 0 was expected",
                self.between(one, other)
            )
        } else if (weight - before).abs() > TOLERANCE * weight.max(before) {
            format!(
                "the weight of the pair {} is given twice and differs: {before} and {weight}",
                self.between(one, other)
            )
        } else {
            return Ok(());
        };
        Err(Error::content(file, problem))
    }
}

/// The rows that a list of pairs names.
struct Names {
    in_order: Vec<String>,
    places: HashMap<String, usize>,
    /// All are whole numbers, and ordered as such.
    by_number: bool,
}

impl Names {
    fn of<'a>(pairs: impl Iterator<Item = (&'a String, &'a String)>, file: &str) -> Result<Self> {
        let mut in_order: Vec<String> = Vec::new();
        let mut places = HashMap::new();
        for (line, (first, second)) in pairs.enumerate() {
            for name in [first, second] {
                if name.is_empty() {
                    return Err(Error::content(
                        file,
                        format!("pair {line}, counted from 0, names one row only"),
                    ));
                }
                if !places.contains_key(name) {
                    places.insert(name.clone(), in_order.len());
                    in_order.push(name.clone());
                }
            }
        }
        let numbers: Option<Vec<i64>> = in_order.iter().map(|name| name.parse().ok()).collect();
        let by_number = numbers.is_some();
        if by_number {
            in_order.sort_by_key(|name| name.parse::<i64>().unwrap_or(i64::MAX));
            places = in_order.iter().cloned().zip(0..).collect();
        }
        Ok(Self {
            in_order,
            places,
            by_number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_triangular_numbers_are_the_pairs_of_rows() {
        assert_eq!(rows_of_pairs(1), Some(2));
        assert_eq!(rows_of_pairs(6), Some(4));
        assert_eq!(rows_of_pairs(210), Some(21));
        assert_eq!(rows_of_pairs(49_995_000), Some(10_000));
        for wrong in [0, 2, 4, 5, 7, 211] {
            assert_eq!(rows_of_pairs(wrong), None, "{wrong}");
        }
        let message = no_rows_for("d.npy", 7).to_string();
        assert!(
            message.contains("7 numbers") && message.contains("4 rows have 6 pairs"),
            "{message}"
        );
    }

    #[test]
    fn what_is_given_one_way_holds_both_ways() {
        let gap = f64::NAN;
        let mut matrix = ndarray::array![[gap, gap, gap], [1.0, 0.0, gap], [gap, 2.0, 0.0]];
        assert!(mend(&mut matrix).unwrap().starts_with("2 distances"));
        assert_eq!(matrix[[0, 1]], 1.0);
        assert!(matrix[[0, 2]].is_nan() && matrix[[2, 0]].is_nan());
        assert_eq!(matrix[[0, 0]], 0.0);
        assert!(mend(&mut matrix).is_none());
    }
}
