//! The median heuristic for the width of a kernel.

use super::KernelKind;
use crate::data::Data;
use crate::error::{Error, Result, message};
use crate::metric::{Comparison, Metric};
use crate::random::{permutation, stream};
use crate::run::Run;

/// Rows between which distances are measured, at most.
const MEASURED: usize = 512;

/// γ by the median heuristic: 1 / median of ‖a − b‖² for `rbf`, 1 / median of Σ |a − b| for `laplacian`.
///
/// The median is that of all pairs of up to 512 rows: all rows, or the first of a permutation that depends on their
/// number alone. It is the middle one of an odd number of distances, the larger of the two middle ones otherwise. If it is 0,
/// because most rows are the same, the mean takes its place.
pub(crate) fn median_gamma(run: &Run<'_>, data: &Data<'_>, kind: KernelKind) -> Result<f64> {
    let features = data.features("the kernel")?;
    let mut order = permutation(&mut stream(0, 0), features.n_rows());
    order.truncate(MEASURED);
    order.sort_unstable();
    let rows = features.select_rows(&order)?;
    let comparison = Comparison {
        metric: match kind {
            KernelKind::Laplacian => Metric::Manhattan,
            _ => Metric::Euclidean,
        },
        ..Comparison::default()
    };
    let distances = comparison.between(run, &Data::new(rows.view()))?;
    let mut apart = Vec::with_capacity(order.len() * order.len() / 2);
    for (index, line) in distances.rows().into_iter().enumerate() {
        apart.extend(line.iter().take(index).map(|&distance| match kind {
            KernelKind::Laplacian => distance,
            _ => distance * distance,
        }));
    }
    if apart.iter().any(|distance| !distance.is_finite()) {
        return Err(Error::too_large());
    }
    let mean = apart.iter().sum::<f64>() / apart.len().max(1) as f64;
    let middle = apart.len() / 2;
    let median = if apart.is_empty() {
        0.0
    } else {
        *apart.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    let width = if median > 0.0 { median } else { mean };
    if width.is_normal() {
        Ok(1.0 / width)
    } else {
        Err(Error::degenerate(message!(
            "the median distance of the sampled {:rows} is 0, so {gamma:parameter} cannot be \
             found from it: set {gamma:parameter} to a number"
        )))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_width_is_that_of_the_pair_in_the_middle() {
        let x = array![[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]];
        let data = Data::from(&x);
        let run = Run::new();
        assert_eq!(median_gamma(&run, &data, KernelKind::Rbf).unwrap(), 0.25);
        assert_eq!(
            median_gamma(&run, &data, KernelKind::Laplacian).unwrap(),
            0.5
        );
        let same = array![[1.0], [1.0]];
        assert!(median_gamma(&run, &Data::from(&same), KernelKind::Rbf).is_err());
    }
}
