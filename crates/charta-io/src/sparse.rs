//! What the sparse formats share: a size that is checked before memory is set aside for it.

use charta::data::{OwnedFeatures, Precision, SparseRows};

use crate::error::{Error, Result};
use crate::options::ReadOptions;

/// Fails for sizes that sparse rows cannot have: column numbers take four bytes.
pub(crate) fn check_size(file: &str, rows: usize, columns: usize) -> Result<()> {
    for (size, noun) in [(rows, "rows"), (columns, "columns")] {
        if size > u32::MAX as usize {
            return Err(Error::content(
                file,
                format!(
                    "{size} {noun}, where a sparse matrix has at most 2^32 − 1 = {}",
                    u32::MAX
                ),
            ));
        }
    }
    // Rows without entries take memory too, and only the header vouches for them.
    if Vec::<usize>::new().try_reserve_exact(rows + 1).is_err() {
        return Err(Error::content(
            file,
            format!("there is no memory for a sparse matrix of {rows} rows"),
        ));
    }
    Ok(())
}

/// Fails if something was requested that a sparse matrix does not have.
pub(crate) fn refuse_choices(file: &str, format: &str, options: &ReadOptions) -> Result<()> {
    if options.chooses() {
        return Err(Error::unsupported(
            file,
            format!("columns, views, label and id cannot be chosen from {format}"),
        ));
    }
    Ok(())
}

/// Sparse rows of a checked size in the precision requested.
pub(crate) fn features(
    file: &str,
    rows: usize,
    columns: usize,
    entries: Vec<(usize, usize, f64)>,
    precision: Option<Precision>,
) -> Result<OwnedFeatures> {
    let failed = |error| Error::data(file, error);
    if precision == Some(Precision::Single) {
        let entries = entries.into_iter();
        let single = entries
            .map(|(row, column, value)| (row, column, value as f32))
            .collect();
        return Ok(SparseRows::from_entries(rows, columns, single)
            .map_err(failed)?
            .into());
    }
    Ok(SparseRows::from_entries(rows, columns, entries)
        .map_err(failed)?
        .into())
}
