//! Predictions for new rows: classes, numbers, clusters.

use ndarray::{Array2, ArrayView1, ArrayView2, s};

use crate::data::Data;
use crate::error::Result;
use crate::parallel::blocks;
use crate::run::Run;

/// Training rows whose decisions are held at once.
pub(crate) const DECIDED_AT_ONCE: usize = 256;

/// A prediction for each of several rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prediction {
    /// A class for every row.
    Classes {
        /// The classes' names.
        names: Vec<String>,
        /// The class of each row as an index into `names`.
        of_row: Vec<u32>,
        /// The probability of each class, a row each.
        probabilities: Array2<f64>,
        /// The value of each class that was compared, a row each: larger is likelier.
        decisions: Array2<f64>,
    },
    /// One number or several for every row.
    Numbers {
        /// What the numbers are.
        names: Vec<String>,
        /// A row for each row, a column for each name.
        values: Array2<f64>,
    },
    /// A cluster for every row.
    Clusters {
        /// Number of clusters.
        n_clusters: usize,
        /// The cluster of each row, counted from 0.
        of_row: Vec<u32>,
    },
}

/// The column of the largest entry, the first of equal ones.
fn likeliest(row: ArrayView1<'_, f64>) -> u32 {
    let better = |best, class| if row[class] > row[best] { class } else { best };
    (0..row.len()).fold(0, better) as u32
}

/// The class of every row by its decisions, the largest of which decides; `None` if one of them is not
/// finite.
pub(crate) fn decided(decisions: &ArrayView2<'_, f64>) -> Option<Vec<u32>> {
    let finite = decisions.iter().all(|decision| decision.is_finite());
    finite.then(|| decisions.rows().into_iter().map(likeliest).collect())
}

/// How many rows get their own class, decided in blocks: there may be as many classes as rows. `None` if a decision
/// is not finite.
pub(crate) fn n_correct(
    run: &Run<'_>,
    coordinates: &Array2<f64>,
    of_row: &[Option<u32>],
    decisions: impl Fn(&ArrayView2<'_, f64>) -> Array2<f64>,
) -> Result<Option<usize>> {
    let mut correct = 0;
    for rows in blocks(coordinates.nrows(), DECIDED_AT_ONCE) {
        run.check()?;
        let decisions = decisions(&coordinates.slice(s![rows.clone(), ..]));
        let Some(predicted) = decided(&decisions.view()) else {
            return Ok(None);
        };
        let pairs = of_row[rows].iter().zip(&predicted);
        correct += pairs
            .filter(|(class, predicted)| **class == Some(**predicted))
            .count();
    }
    Ok(Some(correct))
}

/// Predicts what the labels were, for new rows.
pub trait Predict: Send + Sync {
    /// Predictions for the rows of `data`.
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction>;

    /// Predictions for the rows of `data`, on all cores.
    fn predict<'a>(&self, data: impl Into<Data<'a>>) -> Result<Prediction>
    where
        Self: Sized,
    {
        self.predict_in(&Run::new(), &data.into())
    }
}

/// A model of several views of the same rows, each of which can be used without the others.
pub trait Views: Send + Sync {
    /// Columns of each view.
    fn widths(&self) -> &[usize];

    /// Coordinates of rows of which one view is given; views count from 0.
    fn transform_view_in(&self, run: &Run<'_>, view: usize, data: &Data<'_>)
    -> Result<Array2<f64>>;

    /// The features of view `to` that the features of view `from` let expect.
    fn predict_view_in(
        &self,
        run: &Run<'_>,
        from: usize,
        to: usize,
        data: &Data<'_>,
    ) -> Result<Array2<f64>>;
}

/// A named point among the coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name, such as that of a class.
    pub name: String,
    /// Its coordinates.
    pub place: Vec<f64>,
}

/// Makes probabilities of log-probabilities that lack a constant.
pub(crate) fn normalize(row: &mut ndarray::ArrayViewMut1<'_, f64>) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.mapv_inplace(|value| (value - largest).exp());
    let sum = row.sum();
    row.mapv_inplace(|value| value / sum);
}
