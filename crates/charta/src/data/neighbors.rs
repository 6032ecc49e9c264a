//! Tables of neighbours: for every row the rows nearest to it, with their distances.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, message};

/// For every row, some rows near it and how far they are, nearest first. Rows may have different numbers of
/// neighbours, as within a radius.
///
/// ```
/// use charta::data::Neighbors;
/// use ndarray::array;
/// let table = Neighbors::from_table(&array![[1, 2], [0, 2], [1, 0]].view(), &array![[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]].view())?;
/// let (indices, distances) = table.row(2);
/// assert_eq!((indices, distances), ([1, 0].as_slice(), [2.0, 3.0].as_slice()));
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbors {
    n_known: usize,
    starts: Vec<usize>,
    #[serde(rename = "places")]
    indices: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighbors {
    /// A table from lists one after the other: row i has those from `starts[i]` to `starts[i + 1]`. The lists
    /// are sorted by distance, then index.
    pub(crate) fn from_lists(
        n_known: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        distances: Vec<f64>,
    ) -> Self {
        debug_assert_eq!(indices.len(), distances.len());
        debug_assert_eq!(starts.last(), Some(&indices.len()));
        Self {
            n_known,
            starts,
            indices,
            distances,
        }
    }

    /// A table with the same number of neighbours for every row, which were found elsewhere. Negative indices
    /// are empty, and a row is not its own neighbour: both are left out. Rows are put in order of distance.
    pub fn from_table(
        indices: &ArrayView2<'_, i64>,
        distances: &ArrayView2<'_, f64>,
    ) -> Result<Self> {
        if indices.dim() != distances.dim() {
            return Err(Error::shape(
                message!("distances of the neighbours"),
                message!("{} × {}", indices.nrows(), indices.ncols()),
                message!("{} × {}", distances.nrows(), distances.ncols()),
            ));
        }
        let n_known = indices.nrows();
        let mut table = Self::from_lists(n_known, vec![0], Vec::new(), Vec::new());
        for (row, (indices, distances)) in
            indices.rows().into_iter().zip(distances.rows()).enumerate()
        {
            let mut list = Vec::with_capacity(indices.len());
            for (&index, &distance) in indices.iter().zip(distances) {
                if index < 0 || index as usize == row {
                    continue;
                }
                check_entry(row, index, distance, n_known)?;
                list.push((distance, index as u32));
            }
            table.push(list);
        }
        Ok(table)
    }

    /// Adds a row with its neighbours, in any order; of an index named twice the shorter distance stays.
    fn push(&mut self, mut list: Vec<(f64, u32)>) {
        list.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
        list.dedup_by_key(|entry| entry.1);
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (distance, index) in list {
            self.indices.push(index);
            self.distances.push(distance);
        }
        self.starts.push(self.indices.len());
    }

    /// Rows that have neighbours.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows among which the neighbours are.
    pub(crate) fn n_known(&self) -> usize {
        self.n_known
    }

    /// Neighbours in all.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// True if no row has a neighbour.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The neighbours of a row and their distances, nearest first.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &self.distances[range])
    }

    /// Where the neighbours of each row begin among all of them, and where the last end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The neighbours of all rows, row after row.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Their distances.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Where the neighbours of each row begin, and the neighbours, without their distances.
    pub(crate) fn into_places(self) -> (Vec<usize>, Vec<u32>) {
        (self.starts, self.indices)
    }

    /// The smallest number of neighbours that a row has.
    pub fn fewest(&self) -> usize {
        let counts = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        counts.min().unwrap_or(0)
    }

    /// The same with at most `count` neighbours a row: the nearest.
    pub fn nearest(&self, count: usize) -> Self {
        let mut table = Self::from_lists(self.n_known, vec![0], Vec::new(), Vec::new());
        for row in 0..self.n_rows() {
            let (indices, distances) = self.row(row);
            let kept = count.min(indices.len());
            table.indices.extend_from_slice(&indices[..kept]);
            table.distances.extend_from_slice(&distances[..kept]);
            table.starts.push(table.indices.len());
        }
        table
    }
}

impl Neighbors {
    /// Fails unless distances are lengths: finite, and not negative.
    pub(crate) fn check_lengths(&self) -> Result<()> {
        let bad = |length: &&f64| !(length.is_finite() && **length >= 0.0);
        match self.distances.iter().find(bad) {
            None => Ok(()),
            Some(length) if length.is_finite() => Err(Error::degenerate(message!(
                "the distance between two neighbours is {length}: distances must be at least 0"
            ))),
            Some(_) => Err(Error::too_large()),
        }
    }

    /// The same with the neighbours up to a distance only.
    pub(crate) fn within(&self, radius: f64) -> Self {
        let mut table = Self::from_lists(self.n_known, vec![0], Vec::new(), Vec::new());
        for row in 0..self.n_rows() {
            let (indices, distances) = self.row(row);
            let kept = distances.partition_point(|distance| *distance <= radius);
            table.indices.extend_from_slice(&indices[..kept]);
            table.distances.extend_from_slice(&distances[..kept]);
            table.starts.push(table.indices.len());
        }
        table
    }

    /// The rows of several tables, one after the other, that refer to the same training rows.
    pub(crate) fn one_after_the_other(tables: &[Self]) -> Self {
        let n_known = tables.iter().map(|table| table.n_known).max().unwrap_or(0);
        let mut whole = Self::from_lists(n_known, vec![0], Vec::new(), Vec::new());
        for table in tables {
            let before = whole.indices.len();
            let ends = table.starts[1..].iter().map(|end| before + end);
            whole.starts.extend(ends);
            whole.indices.extend_from_slice(&table.indices);
            whole.distances.extend_from_slice(&table.distances);
        }
        whole
    }
}

fn check_entry(row: usize, index: i64, distance: f64, n_known: usize) -> Result<()> {
    if index as usize >= n_known {
        return Err(Error::shape(
            message!("a neighbour of {row:row}"),
            message!("a {:row} from 0 to {}", n_known.saturating_sub(1)),
            index,
        ));
    }
    if !(distance.is_finite() && distance >= 0.0) {
        return Err(Error::shape(
            message!("the distance of {row:row} to its neighbour {index}"),
            "a number of at least 0",
            distance,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_table_is_put_in_order_without_the_row_itself_and_without_gaps() {
        let indices = array![[0, 2, 1], [1, 0, -1], [0, 2, 0]];
        let distances = array![[0.0, 5.0, 1.0], [0.0, 1.0, 9.0], [5.0, 0.0, 4.0]];
        let table = Neighbors::from_table(&indices.view(), &distances.view()).unwrap();
        assert_eq!(table.row(0), ([1, 2].as_slice(), [1.0, 5.0].as_slice()));
        assert_eq!(table.row(1).0, [0]);
        assert_eq!(table.row(2), ([0].as_slice(), [4.0].as_slice()));
        assert_eq!((table.fewest(), table.len()), (1, 4));
        assert_eq!(table.nearest(1).row(0).0, [1]);
    }

    #[test]
    fn places_and_distances_that_cannot_be_are_refused() {
        let table = |index: i64, distance: f64| {
            Neighbors::from_table(
                &array![[index], [0]].view(),
                &array![[distance], [1.0]].view(),
            )
        };
        assert!(table(1, 1.0).is_ok());
        assert!(table(2, 1.0).unwrap_err().to_string().contains("0 to 1"));
        assert!(
            table(1, -1.0)
                .unwrap_err()
                .to_string()
                .contains("at least 0")
        );
        assert!(table(1, f64::NAN).is_err());
    }
}
