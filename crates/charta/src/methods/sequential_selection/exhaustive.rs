//! All sets of features, each reached from one with a feature fewer.

use crate::error::{Error, Result};

use super::search::Walk;

/// Judges all sets, or those of one size.
pub(super) fn look(walk: &mut Walk<'_>, size: Option<usize>) -> Result<()> {
    let total = 1_u64 << walk.n_units();
    let mut seen = 0;
    deeper(walk, 0, size, &mut (&mut seen, total))?;
    if seen == 0 {
        return Err(Error::Empty {
            rows: 0,
            columns: walk.n_units(),
        });
    }
    walk.run.progress(total, total)
}

/// Judges the set with each feature from `first` on, then goes on from each of those sets.
fn deeper(
    walk: &mut Walk<'_>,
    first: usize,
    size: Option<usize>,
    seen: &mut (&mut u64, u64),
) -> Result<()> {
    let n_units = walk.n_units();
    let units: Vec<usize> = (first..n_units).collect();
    if units.is_empty() {
        return Ok(());
    }
    let next = walk.size() + 1;
    if size.is_none_or(|size| size == next) {
        walk.judge_with(&units)?;
        *seen.0 += units.len() as u64;
        walk.run.progress((*seen.0).min(seen.1), seen.1)?;
    }
    for unit in units {
        // Enough features must be left to reach the size.
        let short = size.is_some_and(|size| next + (n_units - unit - 1) < size);
        if unit + 1 == n_units || size.is_some_and(|size| next >= size) || short {
            break;
        }
        walk.silently(unit, true)?;
        deeper(walk, unit + 1, size, seen)?;
        walk.silently(unit, false)?;
    }
    Ok(())
}
