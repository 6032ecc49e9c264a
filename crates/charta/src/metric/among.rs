//! Distances between any rows of the same data, computed on demand: for methods that never hold them all.

use ndarray::Array2;

use super::filled::Compared;
use super::{Comparison, Whitening};
use crate::data::{Data, Features};
use crate::error::Result;
use crate::run::Run;

/// The rows of some data, ready to be compared with each other.
#[derive(Clone, Debug)]
pub(crate) struct Among<'a, 'd> {
    data: &'a Data<'d>,
    features: &'a Features<'d>,
    whitening: Option<Whitening>,
    comparison: Comparison,
}

impl<'a, 'd> Among<'a, 'd> {
    /// Prepares the rows of `data`, which must be finite.
    pub(crate) fn new(run: &Run<'_>, data: &'a Data<'d>, comparison: &Comparison) -> Result<Self> {
        let whitened = comparison.metric.is_whitened() && data.distance().is_none();
        Ok(Self {
            data,
            features: data.features("distances between rows")?,
            whitening: whitened
                .then(|| Whitening::of(run, data, comparison.metric))
                .transpose()?,
            comparison: comparison.clone(),
        })
    }

    /// The distances of some rows, a row each, to others, a column each.
    pub(crate) fn distances(
        &self,
        run: &Run<'_>,
        rows: &[usize],
        others: &[usize],
    ) -> Result<Array2<f64>> {
        let (left, right) = (
            self.features.select_rows(rows)?,
            self.features.select_rows(others)?,
        );
        self.compared().between(run, &left.view(), &right.view())
    }

    /// The distances of some rows to each other.
    pub(crate) fn between(&self, run: &Run<'_>, rows: &[usize]) -> Result<Array2<f64>> {
        let rows = self.features.select_rows(rows)?;
        self.compared().among(run, &rows.view())
    }

    fn compared(&self) -> Compared<'_> {
        Compared {
            comparison: &self.comparison,
            whitening: self.whitening.as_ref(),
            function: self.data.distance(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::random::{normal, stream};

    #[test]
    fn distances_between_some_rows_and_others() {
        let x = ndarray::array![[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]];
        let (run, data) = (Run::new(), Data::from(&x));
        let among = Among::new(&run, &data, &Comparison::default()).unwrap();
        let found = among.distances(&run, &[2], &[0, 1]).unwrap();
        assert_eq!(found, ndarray::array![[10.0, 5.0]]);
    }

    #[test]
    fn some_rows_are_compared_as_all_are() {
        let mut draw = stream(8, 0);
        let x = Array2::from_shape_simple_fn((40, 6), || normal(&mut draw));
        let run = Run::new();
        let twice = |a: &[f64], b: &[f64]| 2.0 * (a[1] - b[1]).abs();
        let rows = [3, 39, 0];
        for (metric, by_function) in [
            (Metric::Euclidean, false),
            (Metric::Cosine, false),
            (Metric::Mahalanobis, false),
            (Metric::Euclidean, true),
        ] {
            let data = if by_function {
                Data::from(&x).with_distance(&twice)
            } else {
                Data::from(&x)
            };
            let comparison = Comparison {
                metric,
                ..Comparison::default()
            };
            let all = comparison.between(&run, &data).unwrap();
            let among = Among::new(&run, &data, &comparison).unwrap();
            let some = among.distances(&run, &rows, &[7, 3]).unwrap();
            for (index, &row) in rows.iter().enumerate() {
                assert!(
                    (some[[index, 0]] - all[[row, 7]]).abs() < 1e-12,
                    "{metric:?}"
                );
            }
            assert_eq!(some[[0, 1]], 0.0);
            let indices: Vec<usize> = (0..200).map(|index| index * 7 % 40).collect();
            let each = among.between(&run, &indices).unwrap();
            assert_eq!(each, each.t());
            for (index, &row) in indices.iter().enumerate() {
                let want = all[[row, indices[5]]];
                assert!((each[[index, 5]] - want).abs() < 1e-12, "{metric:?}");
            }
        }
    }
}
