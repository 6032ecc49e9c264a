//! Duplicate rows, left out of neighbourhoods: a row whose neighbours are all its copies has no local structure.
//!
//! Only rows whose features are the same count as copies, not those that a metric merely calls alike; among distances,
//! those at distance 0. The first of them represents all. Neighbours are searched for anew among the rows that are left,
//! so that the result is that of a fit without the copies. A table of neighbours given with the data is taken as it is.

use ndarray::{Array2, Axis};

use super::lists::ListOptions;
use super::{Lists, Neighborhood, Sets};
use crate::data::{Data, Neighbors, OwnedFeatures, Source};
use crate::error::{Error, Result, Warning, message};
use crate::run::Run;

/// Which rows are the same as others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// One row of each kind, the lowest, in order.
    pub rows: Vec<u32>,
    /// The others, each with the row that it repeats.
    pub copies: Vec<(u32, u32)>,
}

/// Features or distances of the distinct rows.
enum Kept {
    Features(OwnedFeatures),
    Distances(Array2<f64>),
}

impl Distinct {
    /// The data of one row of each kind, handed to `then`.
    pub fn with_data<T>(
        &self,
        data: &Data<'_>,
        then: impl FnOnce(&Data<'_>) -> Result<T>,
    ) -> Result<T> {
        let rows: Vec<usize> = self.rows.iter().map(|&row| row as usize).collect();
        let kept = match data.source() {
            Source::Features(features) => Kept::Features(features.select_rows(&rows)?),
            Source::Distances(all) => {
                Kept::Distances(all.select(Axis(0), &rows).select(Axis(1), &rows))
            }
            _ => return then(data),
        };
        match &kept {
            Kept::Features(features) => then(&Data::measured_as(features.view(), data)),
            Kept::Distances(distances) => then(&Data::distances(distances.view())?),
        }
    }

    /// The rows that repeat one of their neighbours; `None` if there are none.
    fn of(data: &Data<'_>, neighbors: &Neighbors) -> Option<Self> {
        let mut sets = Sets::new(data.n_rows());
        let mut any = false;
        let mut same = Same::new(data);
        for row in 0..neighbors.n_rows() {
            let (indices, distances) = neighbors.row(row);
            let twins = distances.iter().take_while(|&&length| length <= 0.0);
            for (&index, _) in indices.iter().zip(twins) {
                if sets.find(row as u32) != sets.find(index) && same.is(row, index as usize) {
                    any |= sets.unite(row as u32, index);
                }
            }
        }
        any.then(|| Self::of_sets(&mut sets, data.n_rows()))
    }

    fn of_sets(sets: &mut Sets, n_rows: usize) -> Self {
        let (mut rows, mut copies) = (Vec::new(), Vec::new());
        for row in 0..n_rows as u32 {
            match sets.find(row) {
                first if first == row => rows.push(row),
                first => copies.push((row, first)),
            }
        }
        Self { rows, copies }
    }

    /// The same, where some of the rows that were kept turned out to repeat others of them.
    fn further(&mut self, inner: &Self) {
        let mut first_of: Vec<u32> = (0..self.rows.len() as u32).collect();
        for &(copy, first) in &inner.copies {
            first_of[copy as usize] = first;
        }
        let index = |row: u32| {
            let found = self.rows.binary_search(&row);
            found.expect("the first of equal rows is kept")
        };
        for copy in &mut self.copies {
            copy.1 = self.rows[first_of[index(copy.1)] as usize];
        }
        let outer = |row: u32| self.rows[row as usize];
        let more = inner
            .copies
            .iter()
            .map(|pair| (outer(pair.0), outer(pair.1)));
        self.copies.extend(more);
        self.copies.sort_unstable();
        self.rows = inner.rows.iter().map(|&row| outer(row)).collect();
    }
}

/// Whether two rows at distance 0 are the same.
struct Same<'a, 'b> {
    data: &'a Data<'b>,
    one: Vec<f64>,
    other: Vec<f64>,
}

impl<'a, 'b> Same<'a, 'b> {
    fn new(data: &'a Data<'b>) -> Self {
        let width = match data.source() {
            Source::Features(features) => features.n_columns(),
            _ => 0,
        };
        Self {
            data,
            one: vec![0.0; width],
            other: vec![0.0; width],
        }
    }

    fn is(&mut self, row: usize, index: usize) -> bool {
        match self.data.source() {
            Source::Features(features) => {
                features.copy_row(row, &mut self.one);
                features.copy_row(index, &mut self.other);
                self.one == self.other
            }
            _ => true,
        }
    }
}

impl Neighborhood {
    /// As [`lists`](Self::lists), but rows that repeat others are left to those that they repeat.
    pub fn distinct_lists(&self, run: &Run<'_>, data: &Data<'_>, least: usize) -> Result<Lists> {
        if data.neighbors().is_none() {
            self.check_least(least)?;
        }
        let found = self.find(run, data)?;
        let options = ListOptions {
            least,
            originals: None,
        };
        let repeated = match data.neighbors() {
            Some(_) => None,
            None => Distinct::of(data, &found.neighbors),
        };
        match repeated {
            Some(distinct) if distinct.rows.len() > 1 => {
                self.among_distinct(run, data, distinct, least)
            }
            _ => self.in_one_piece(run, data, found, options),
        }
    }

    fn among_distinct(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        mut distinct: Distinct,
        least: usize,
    ) -> Result<Lists> {
        loop {
            self.check_distinct(&distinct, data.n_rows(), least)?;
            run.stage("neighbours among distinct rows")?;
            let outcome = distinct.with_data(data, |kept| {
                let found = self.find(run, kept)?;
                // A search that missed a copy may find it now.
                if let Some(inner) = Distinct::of(kept, &found.neighbors) {
                    return Ok(Err(inner));
                }
                run.warn(Warning::RowsRepeated {
                    count: distinct.copies.len(),
                })?;
                let options = ListOptions {
                    least,
                    originals: Some(&distinct.rows),
                };
                Ok(Ok(self.in_one_piece(run, kept, found, options)?))
            })?;
            match outcome {
                Ok(lists) => return Ok(lists.among_copies(distinct)),
                Err(inner) => distinct.further(&inner),
            }
        }
    }

    /// Fails if too few distinct rows are left.
    fn check_distinct(&self, distinct: &Distinct, n_rows: usize, least: usize) -> Result<()> {
        let n_distinct = distinct.rows.len();
        let problem = message!("only {n_distinct} of the {n_rows:rows} are distinct");
        if self.radius.is_none() && self.n_neighbors >= n_distinct {
            return Err(Error::at_most(
                "n_neighbors",
                n_distinct - 1,
                problem,
                self.n_neighbors,
            ));
        }
        if least >= n_distinct {
            return Err(Error::degenerate(message!(
                "{problem}, and this number of components needs at least {}",
                least + 1
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn copies_of_copies_lead_to_the_lowest_row() {
        let mut distinct = Distinct {
            rows: vec![0, 1, 3, 4],
            copies: vec![(2, 1), (5, 3)],
        };
        distinct.further(&Distinct {
            rows: vec![0, 1, 3],
            copies: vec![(2, 1)],
        });
        assert_eq!(distinct.rows, [0, 1, 4]);
        assert_eq!(distinct.copies, [(2, 1), (3, 1), (5, 1)]);
    }

    #[test]
    fn only_rows_that_are_the_same_are_copies() {
        let x = array![[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let data = Data::from(&x);
        // By the cosine the first three rows are at distance 0.
        let table = Neighbors::from_table(
            &array![[1, 2], [0, 2], [0, 1], [0, 1]].view(),
            &array![[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]].view(),
        )
        .unwrap();
        let distinct = Distinct::of(&data, &table).unwrap();
        assert_eq!(distinct.rows, [0, 1, 3]);
        assert_eq!(distinct.copies, [(2, 0)]);
    }
}
