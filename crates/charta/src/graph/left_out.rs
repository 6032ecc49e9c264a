//! Rows that were left out of a graph have no coordinates in its embedding.

use ndarray::Array2;

use super::{Connected, Neighborhood};
use crate::data::Data;
use crate::error::{Error, Result, counted, message};

impl Connected {
    /// Coordinates of the graph's rows as coordinates of all `n_rows` rows of the data: NaN where a row was
    /// left out.
    pub(crate) fn in_place(&self, coordinates: Array2<f64>, n_rows: usize) -> Array2<f64> {
        in_place(self.rows.as_deref(), coordinates, n_rows)
    }

    /// Fails if rows were left out and the others are too few for this many components.
    pub(crate) fn check_components(&self, count: usize) -> Result<()> {
        let n_rows = self.graph.n_rows();
        if self.rows.is_none() || count < n_rows {
            return Ok(());
        }
        Err(Error::degenerate(message!(
            "the largest connected component of the neighbour graph has only {n_rows:rows}, too \
             few for {}: increase the radius or the number of neighbours",
            counted(count, "component")
        )))
    }

    /// Fails if all rows are the same. Given neighbours may have no distances.
    pub(crate) fn check_lengths(&self, data: &Data<'_>) -> Result<()> {
        if data.neighbors().is_some() || self.graph.lengths.iter().any(|&length| length > 0.0) {
            return Ok(());
        }
        Err(Error::degenerate(message!(
            "every {:row} is at distance 0 from its neighbours: the {:rows} are all the same, \
             or so close together that their squared differences underflow"
        )))
    }
}

impl Neighborhood {
    /// How many training rows a new row may have as neighbours: as many as a training row, or within a radius as many
    /// as the row that has most.
    pub(crate) fn of_new_rows(&self, connected: &Connected) -> usize {
        if self.radius.is_none() {
            return self.n_neighbors;
        }
        let counts = connected.graph.starts.windows(2);
        counts.map(|pair| pair[1] - pair[0]).max().unwrap_or(0) + 1
    }
}

/// Coordinates of some rows, if not all, as those of all `n_rows` rows.
pub(super) fn in_place(
    rows: Option<&[u32]>,
    coordinates: Array2<f64>,
    n_rows: usize,
) -> Array2<f64> {
    let Some(rows) = rows else {
        return coordinates;
    };
    let mut whole = Array2::from_elem((n_rows, coordinates.ncols()), f64::NAN);
    for (&row, values) in rows.iter().zip(coordinates.rows()) {
        whole.row_mut(row as usize).assign(&values);
    }
    whole
}
