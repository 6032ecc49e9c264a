//! The correlation dimension: how the number of close pairs grows with the radius.

use super::all_the_same;
use crate::data::{Data, Neighbors};
use crate::error::Result;
use crate::neighbors::{self, Search};
use crate::run::Run;

/// The slope of the correlation integral between two radii, log(C(r₂)/C(r₁)) / log(r₂/r₁), where C counts pairs
/// closer than r (Grassberger and Procaccia 1983). The radii are the medians of the rows' distances to their
/// k₁-th and k₂-th neighbours, which `table` must hold.
pub fn correlation_dimension(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    table: &Neighbors,
    counts: [usize; 2],
) -> Result<f64> {
    let radii = counts.map(|count| median_distance(table, count));
    let [Some(small), Some(large)] = radii else {
        return Err(all_the_same());
    };
    if !(small > 0.0 && large > small) {
        return Err(all_the_same());
    }
    let counts = neighbors::n_closer(run, data, search, [small, large])?;
    let total = |radius: usize| counts.iter().map(|count| count[radius]).sum::<f64>();
    let (few, many) = (total(0), total(1));
    if few == 0.0 {
        return Err(all_the_same());
    }
    Ok((many / few).ln() / (large / small).ln())
}

fn median_distance(table: &Neighbors, count: usize) -> Option<f64> {
    let at = |row: usize| table.row(row).1.get(count - 1).copied();
    let mut distances: Vec<f64> = (0..table.n_rows()).filter_map(at).collect();
    distances.sort_unstable_by(f64::total_cmp);
    let n = distances.len();
    let middle = (
        *distances.get(n.saturating_sub(1) / 2)?,
        *distances.get(n / 2)?,
    );
    Some(f64::midpoint(middle.0, middle.1))
}
