//! All distances between some rows and others, as a matrix; rows kept to be compared with new ones.

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use super::filled::Compared;
use super::{Comparison, Whitening};
use crate::data::loaded::{check_at_least, check_features, check_indices, check_length};
use crate::data::{Data, Features, OwnedFeatures, Source};
use crate::error::{Error, Result, message};
use crate::run::Run;

impl Comparison {
    /// The distances between all rows of `data`: those given, or those of its features. Missing ones are NaN.
    ///
    /// ```
    /// use charta::{Data, Run, metric::Comparison};
    /// use ndarray::array;
    /// let x = array![[0.0, 0.0], [3.0, 4.0]];
    /// let distances = Comparison::default().between(&Run::new(), &Data::from(&x))?;
    /// assert_eq!(distances, array![[0.0, 5.0], [5.0, 0.0]]);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn between(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        match data.source() {
            Source::Distances(matrix) => Ok(matrix.as_standard_layout().into_owned()),
            Source::Features(features) => {
                data.check_finite()?;
                let by_function = data.distance().is_some();
                let whitened = self.metric.is_whitened() && !by_function;
                let whitening = whitened.then(|| Whitening::of(run, data, self.metric));
                let whitening = whitening.transpose()?;
                let pair = Compared {
                    comparison: self,
                    whitening: whitening.as_ref(),
                    function: data.distance(),
                };
                pair.among(run, features)
            }
            other => Err(Error::unsupported(
                message!("a matrix of distances"),
                message!(
                    "needs features or distances, and was given {}",
                    other.title()
                ),
            )),
        }
    }
}

/// Rows that new ones are compared with, kept in their own precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReferenceRows {
    rows: Kept,
    whitening: Option<Whitening>,
    by_function: bool,
    comparison: Comparison,
}

/// What is kept of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kept {
    /// The features of all rows.
    All(OwnedFeatures),
    /// Nothing but the number of all rows: they are known by distances only.
    Number(usize),
    /// Some of the rows.
    Chosen {
        /// Their features; `None` if they are known by distances only.
        rows: Option<OwnedFeatures>,
        /// Which rows of the data they are.
        indices: Vec<u32>,
        /// Number of all rows.
        n_fitted: usize,
    },
}

impl ReferenceRows {
    /// Keeps all rows of `data`, or nothing but their number if they are known by distances only.
    pub(crate) fn new(run: &Run<'_>, data: &Data<'_>, comparison: &Comparison) -> Result<Self> {
        let rows = match data.source() {
            Source::Features(features) => Kept::All(features.to_features()),
            _ => Kept::Number(data.n_rows()),
        };
        Self::keeping(run, data, rows, comparison)
    }

    /// Keeps some rows of `data`, which are compared as they are among all of them.
    pub(crate) fn of_rows(
        run: &Run<'_>,
        data: &Data<'_>,
        indices: &[u32],
        comparison: &Comparison,
    ) -> Result<Self> {
        let chosen: Vec<usize> = indices.iter().map(|&index| index as usize).collect();
        let rows = match data.source() {
            Source::Features(features) => Some(features.select_rows(&chosen)?),
            _ => None,
        };
        let chosen = Kept::Chosen {
            rows,
            indices: indices.to_vec(),
            n_fitted: data.n_rows(),
        };
        Self::keeping(run, data, chosen, comparison)
    }

    fn keeping(
        run: &Run<'_>,
        data: &Data<'_>,
        rows: Kept,
        comparison: &Comparison,
    ) -> Result<Self> {
        let mut reference = Self {
            rows,
            whitening: None,
            by_function: data.distance().is_some(),
            comparison: comparison.clone(),
        };
        if reference.is_whitened() {
            reference.whitening = Some(Whitening::of(run, data, comparison.metric)?);
        }
        Ok(reference)
    }

    fn is_whitened(&self) -> bool {
        let by_metric = self.comparison.metric.is_whitened() && !self.by_function;
        by_metric && self.features().is_some()
    }

    /// Fails if what was loaded does not fit together, or to an embedding of this many rows.
    pub(crate) fn validate(&self, n_fitted: usize) -> Result<()> {
        check_length("the rows of the fit", self.n_fitted(), n_fitted)?;
        check_at_least("the number of reference rows", self.n_rows(), 1)?;
        match &self.rows {
            Kept::All(rows) => check_features("the reference rows", rows)?,
            Kept::Number(_) => {}
            Kept::Chosen { rows, indices, .. } => {
                check_indices("the reference rows' indices", indices, n_fitted)?;
                if let Some(rows) = rows {
                    check_features("the reference rows", rows)?;
                    let given = rows.view().n_rows();
                    check_length("the reference rows", given, indices.len())?;
                }
            }
        }
        Whitening::validate_stored(
            self.whitening.as_ref(),
            self.is_whitened(),
            self.n_columns(),
        )
    }

    /// Number of reference rows.
    pub(crate) fn n_rows(&self) -> usize {
        match &self.rows {
            Kept::Chosen { indices, .. } => indices.len(),
            _ => self.n_fitted(),
        }
    }

    /// Number of rows of the fit.
    fn n_fitted(&self) -> usize {
        match &self.rows {
            Kept::All(rows) => rows.view().n_rows(),
            Kept::Number(n_fitted) | Kept::Chosen { n_fitted, .. } => *n_fitted,
        }
    }

    /// Which rows of the data they are, if not all.
    fn indices(&self) -> Option<Vec<usize>> {
        match &self.rows {
            Kept::Chosen { indices, .. } => {
                Some(indices.iter().map(|&index| index as usize).collect())
            }
            _ => None,
        }
    }

    /// Number of columns of the reference rows' features, or of the distances that new rows need.
    pub(crate) fn n_columns(&self) -> usize {
        self.features()
            .map_or(self.n_fitted(), |features| features.n_columns())
    }

    /// The reference rows; `None` if they are known by distances only.
    pub(crate) fn features(&self) -> Option<Features<'_>> {
        match &self.rows {
            Kept::All(rows) => Some(rows.view()),
            Kept::Number(_) => None,
            Kept::Chosen { rows, .. } => rows.as_ref().map(OwnedFeatures::view),
        }
    }

    /// The distances of the rows of `data`, a row each, to all reference rows, a column each. Missing ones are NaN.
    pub(crate) fn distances(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        if let Source::DistancesTo(matrix) | Source::Distances(matrix) = data.source() {
            return self.looked_up(&matrix.view());
        }
        let Some(known) = self.features() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!(
                    "was fitted to distances: give the distances of the new {:rows} to all \
                     of them ({DistancesTo:input})"
                ),
            ));
        };
        check_function(self.by_function, data)?;
        let rows = data.new_rows("the matrix of distances", known.n_columns())?;
        data.check_finite()?;
        let converted = if rows.is_kind_of(&known) {
            None
        } else {
            Some(rows.to_kind_of(&known)?)
        };
        let rows = converted
            .as_ref()
            .map_or(rows.reborrow(), OwnedFeatures::view);
        let compared = Compared {
            comparison: &self.comparison,
            whitening: self.whitening.as_ref(),
            function: data.distance(),
        };
        compared.between(run, &rows, &known)
    }

    /// The distances between the reference rows, which are rows of `data`: symmetric. Missing ones are NaN.
    pub(crate) fn among(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        if let Some(known) = self.features() {
            check_function(self.by_function, data)?;
            data.check_finite()?;
            let compared = Compared {
                comparison: &self.comparison,
                whitening: self.whitening.as_ref(),
                function: data.distance(),
            };
            return compared.among(run, &known);
        }
        let all = self.distances(run, data)?;
        Ok(match self.indices() {
            None => all,
            Some(indices) => all.select(Axis(0), &indices),
        })
    }

    fn looked_up(&self, matrix: &ndarray::ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if matrix.ncols() != self.n_fitted() {
            return Err(Error::shape(
                message!("distances of a new {:row} to the {:rows} fitted"),
                self.n_fitted(),
                matrix.ncols(),
            ));
        }
        Ok(match self.indices() {
            None => matrix.to_owned(),
            Some(indices) => matrix.select(Axis(1), &indices),
        })
    }
}

/// Fails if rows that were fitted with a distance function are compared with new ones without it, or the other way round.
pub(crate) fn check_function(by_function: bool, data: &Data<'_>) -> Result<()> {
    let problem = match (by_function, data.distance().is_some()) {
        (true, false) => {
            message!(
                "was fitted with a distance function: give the same function with the new {:rows} \
                 ({DistanceFunction:input})"
            )
        }
        (false, true) => {
            message!("was fitted without a distance function, but the new {:rows} come with one")
        }
        _ => return Ok(()),
    };
    Err(Error::unsupported(message!("the model"), problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::random::{normal, stream};

    #[test]
    fn given_distances_come_out_in_row_order_whatever_their_own() {
        let matrix = Array2::from_shape_fn((5, 5), |(i, j)| (i as f64 - j as f64).abs());
        let by_columns = matrix.t().to_owned();
        assert!(!by_columns.is_standard_layout());
        let data = Data::distances(by_columns.view()).unwrap();
        let found = Comparison::default().between(&Run::new(), &data).unwrap();
        assert!(found.is_standard_layout());
        assert_eq!(found, matrix);
    }

    #[test]
    fn matrices_hold_the_distances_of_the_definition_for_new_rows_too() {
        let mut draw = stream(5, 0);
        let x = Array2::from_shape_simple_fn((70, 9), || normal(&mut draw));
        let new = Array2::from_shape_simple_fn((5, 9), || normal(&mut draw));
        let run = Run::new();
        for metric in [
            Metric::Euclidean,
            Metric::Manhattan,
            Metric::Minkowski,
            Metric::Cosine,
            Metric::Hamming,
        ] {
            let comparison = Comparison {
                metric,
                ..Comparison::default()
            };
            let data = Data::from(&x);
            let all = comparison.between(&run, &data).unwrap();
            let known = ReferenceRows::of_rows(&run, &data, &[3, 60], &comparison).unwrap();
            let to_new = known.distances(&run, &Data::from(&new)).unwrap();
            let want = |a: ndarray::ArrayView1<'_, f64>, b: ndarray::ArrayView1<'_, f64>| {
                metric.between(&a.to_vec(), &b.to_vec(), comparison.power)
            };
            for row in 0..70 {
                for other in 0..70 {
                    let apart = all[[row, other]] - want(x.row(row), x.row(other));
                    assert!(apart.abs() < 1e-12, "{metric:?}");
                }
            }
            for row in 0..5 {
                assert!((to_new[[row, 1]] - want(new.row(row), x.row(60))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn inner_products_are_no_distances() {
        let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
        let comparison = Comparison {
            metric: Metric::InnerProduct,
            ..Comparison::default()
        };
        let error = comparison
            .between(&Run::new(), &Data::from(&x))
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`metric` cannot be `inner_product`, because distances are needed"),
            "{error}"
        );
    }
}
