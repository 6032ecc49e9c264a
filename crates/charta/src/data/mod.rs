//! Input data: features, distances or a kernel, with labels and names beside them.
//!
//! [`Data`] only borrows. Dense `f32`, dense `f64` and sparse rows are taken as they are; nothing is
//! copied to another precision as a whole.

mod anchors;
pub(crate) mod arrays;
pub mod batches;
pub(crate) mod classes;
pub mod columns;
mod distances;
pub(crate) mod features;
mod folds;
mod groups;
mod initial;
mod kernels;
pub mod labels;
pub(crate) mod loaded;
mod neighbors;
mod nonnegative;
pub(crate) mod priors;
pub mod scaling;
mod scores;
pub mod sparse;
pub mod synthetic;
mod views;

use std::borrow::Cow;

use ndarray::{Array2, ArrayView1, ArrayView2};

pub(crate) use anchors::Anchors;
pub use batches::{Batches, RowBatches};
pub use classes::Classes;
pub use distances::Distance;
pub use features::{Features, OwnedFeatures, Precision};
pub(crate) use folds::Fold;
pub use kernels::KernelFunction;
pub use labels::Labels;
pub use neighbors::Neighbors;
pub(crate) use nonnegative::Extent;
pub use priors::Priors;
pub use scaling::{Scaler, Scaling};
pub use scores::ScoreFunction;
pub use sparse::{SparseRows, SparseView};

use crate::error::{Column, Error, Message, Result, message, subject};

/// What the numbers of a [`Data`] mean.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// A row per thing, a column per feature.
    Features(Features<'a>),
    /// Distances between every two rows: square, symmetric, zero diagonal.
    Distances(ArrayView2<'a, f64>),
    /// A kernel (inner products in some space) between every two rows: square, symmetric.
    Kernel(ArrayView2<'a, f64>),
    /// Distances from new rows to all rows that a model was fitted on.
    DistancesTo(ArrayView2<'a, f64>),
    /// A kernel between new rows and all rows that a model was fitted on.
    KernelTo(ArrayView2<'a, f64>),
    /// Nothing but some rows near each row.
    Neighbors(&'a Neighbors),
}

impl Source<'_> {
    /// What it is, in a sentence.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Features(_) => "features",
            Self::Distances(_) => "distances",
            Self::Kernel(_) => "a kernel",
            Self::DistancesTo(_) => "distances to the training data",
            Self::KernelTo(_) => "a kernel to the training data",
            Self::Neighbors(_) => "a table of neighbours",
        }
    }
}

/// Everything a method may learn from, borrowed from its owner.
///
/// ```
/// use charta::Data;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]];
/// let names = ["height".to_string(), "weight".to_string()];
/// let data = Data::from(&x).with_column_names(&names)?;
/// assert_eq!((data.n_rows(), data.n_columns()), (3, 2));
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Data<'a> {
    source: Source<'a>,
    labels: Option<Labels<'a>>,
    label_name: Option<Cow<'a, str>>,
    views: Vec<Features<'a>>,
    widths: Vec<usize>,
    row_names: Option<Cow<'a, [String]>>,
    column_names: Option<Cow<'a, [String]>>,
    neighbors: Option<&'a Neighbors>,
    distance: Option<Distance<'a>>,
    kernel_function: Option<KernelFunction<'a>>,
    own_kernel: Option<ArrayView1<'a, f64>>,
    pair_weights: Option<ArrayView2<'a, f64>>,
    row_weights: Option<ArrayView1<'a, f64>>,
    initial_embedding: Option<ArrayView2<'a, f64>>,
    initial_components: Option<ArrayView2<'a, f64>>,
    anchors: Option<Anchors<'a>>,
    n_missing_distances: usize,
    covariance: Option<ArrayView2<'a, f64>>,
    row_groups: Option<Cow<'a, [u32]>>,
    column_groups: Option<Cow<'a, [u32]>>,
    score: Option<ScoreFunction<'a>>,
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
}

impl<'a> Data<'a> {
    /// Data from features.
    pub fn new(features: impl Into<Features<'a>>) -> Self {
        Self::from_source(Source::Features(features.into()))
    }

    fn from_source(source: Source<'a>) -> Self {
        Self {
            source,
            labels: None,
            label_name: None,
            views: Vec::new(),
            widths: Vec::new(),
            row_names: None,
            column_names: None,
            neighbors: None,
            distance: None,
            kernel_function: None,
            own_kernel: None,
            pair_weights: None,
            row_weights: None,
            initial_embedding: None,
            initial_components: None,
            anchors: None,
            n_missing_distances: 0,
            covariance: None,
            row_groups: None,
            column_groups: None,
            score: None,
            splits: None,
        }
    }

    /// Adds a label for every row.
    pub fn with_labels(mut self, labels: impl Into<Labels<'a>>) -> Result<Self> {
        let labels = labels.into();
        labels.check(self.n_rows())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// Sets the name of the labels.
    pub fn with_label_name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.label_name = Some(name.into());
        self
    }

    /// Adds a name for every row.
    pub fn with_row_names(mut self, names: impl Into<Cow<'a, [String]>>) -> Result<Self> {
        let names = names.into();
        if names.len() != self.n_rows() {
            return Err(Error::shape(
                message!("number of {:row} names"),
                self.n_rows(),
                names.len(),
            ));
        }
        self.row_names = Some(names);
        Ok(self)
    }

    /// Adds a name for every column.
    pub fn with_column_names(mut self, names: impl Into<Cow<'a, [String]>>) -> Result<Self> {
        let names = names.into();
        if names.len() != self.n_columns() {
            return Err(Error::shape(
                message!("number of {:column} names"),
                self.n_columns(),
                names.len(),
            ));
        }
        self.column_names = Some(names);
        Ok(self)
    }

    /// The same data with other features in place of its own, such as scaled ones: as many rows and columns, and all that is known of
    /// them stays.
    ///
    /// ```
    /// use charta::Data;
    /// use charta::data::{Scaler, Scaling};
    /// let x = ndarray::array![[1.0, 20.0], [3.0, 40.0]];
    /// let data = Data::from(&x).with_row_names(vec!["a".to_string(), "b".to_string()])?;
    /// let scaler = Scaler::fit(Scaling::MinMax, data.features("an example")?)?;
    /// let scaled = scaler.scaled(data.features("an example")?)?;
    /// assert_eq!(data.with_features(scaled.view())?.row_names(), data.row_names());
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_features<'b>(&'b self, features: impl Into<Features<'b>>) -> Result<Data<'b>> {
        let features = features.into();
        let shape = (features.n_rows(), features.n_columns());
        if shape != (self.n_rows(), self.n_columns()) {
            return Err(Error::shape(
                message!("{:rows} and {:columns} of the other features"),
                format!("{} × {}", self.n_rows(), self.n_columns()),
                format!("{} × {}", shape.0, shape.1),
            ));
        }
        // Every field by its name, so that the compiler reports one that is added.
        Ok(Data {
            source: Source::Features(features),
            labels: self.labels.as_ref().map(Labels::reborrow),
            label_name: self.label_name.as_deref().map(Cow::Borrowed),
            views: self.views.iter().map(Features::reborrow).collect(),
            widths: self.widths.clone(),
            row_names: self.row_names.as_deref().map(Cow::Borrowed),
            column_names: self.column_names.as_deref().map(Cow::Borrowed),
            neighbors: self.neighbors,
            distance: self.distance,
            kernel_function: self.kernel_function,
            own_kernel: self.own_kernel.as_ref().map(|own| own.view()),
            pair_weights: self.pair_weights.as_ref().map(|weights| weights.view()),
            row_weights: self.row_weights(),
            initial_embedding: self.initial_embedding(),
            initial_components: self.initial_components(),
            anchors: self.anchors.as_ref().map(Anchors::reborrow),
            n_missing_distances: self.n_missing_distances,
            covariance: self.covariance.as_ref().map(|matrix| matrix.view()),
            row_groups: self.row_groups.as_deref().map(Cow::Borrowed),
            column_groups: self.column_groups.as_deref().map(Cow::Borrowed),
            score: self.score,
            splits: self.splits.clone(),
        })
    }

    /// What the numbers are.
    pub fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match &self.source {
            Source::Features(features) => features.n_rows(),
            Source::Distances(x)
            | Source::Kernel(x)
            | Source::DistancesTo(x)
            | Source::KernelTo(x) => x.nrows(),
            Source::Neighbors(table) => table.n_rows(),
        }
    }

    /// Number of columns: of features, or of rows that distances, kernel or neighbours refer to.
    pub fn n_columns(&self) -> usize {
        match &self.source {
            Source::Features(features) => features.n_columns(),
            Source::Distances(x)
            | Source::Kernel(x)
            | Source::DistancesTo(x)
            | Source::KernelTo(x) => x.ncols(),
            Source::Neighbors(table) => table.n_known(),
        }
    }

    /// The features, for a method that needs them: at least one row and one column.
    pub fn features(&self, method: &str) -> Result<&Features<'a>> {
        match &self.source {
            Source::Features(features) => {
                if features.n_rows() == 0 || features.n_columns() == 0 {
                    return Err(Error::Empty {
                        rows: features.n_rows(),
                        columns: features.n_columns(),
                    });
                }
                Ok(features)
            }
            other => Err(Error::unsupported(
                subject(method),
                message!("needs features, but was given {}", other.title()),
            )),
        }
    }

    /// The features of a model's new rows: as many columns as it was fitted on.
    pub fn new_rows(&self, method: &str, n_columns: usize) -> Result<&Features<'a>> {
        let features = self.features(method)?;
        if features.n_columns() != n_columns {
            return Err(Error::shape(
                message!("number of {:columns} of the new {:rows}"),
                n_columns,
                features.n_columns(),
            ));
        }
        Ok(features)
    }

    /// The labels, if there are any.
    pub fn labels(&self) -> Option<&Labels<'a>> {
        self.labels.as_ref()
    }

    /// What the labels are called, if that is known.
    pub(crate) fn label_name(&self) -> Option<&str> {
        self.label_name.as_deref()
    }

    /// The labels, for a method that cannot do without.
    pub(crate) fn required_labels(&self, method: &str) -> Result<&Labels<'a>> {
        self.labels.as_ref().ok_or_else(|| Error::LabelsMissing {
            method: method.into(),
        })
    }

    /// The classes of the rows, for a method that cannot do without.
    pub fn classes(&self, method: &str) -> Result<Classes> {
        Classes::of(self.required_labels(method)?, method)
    }

    /// The rows' names, if they have any.
    pub fn row_names(&self) -> Option<&[String]> {
        self.row_names.as_deref()
    }

    /// The columns' names, if they have any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.column_names.as_deref()
    }

    /// How to call column `index` in a message.
    pub fn column(&self, index: usize) -> Column {
        Column::new(index, self.column_names())
    }

    /// The error for a value that is not finite, found by scanning. `None` if all are finite.
    pub(crate) fn not_finite(&self, hint: Option<Message>) -> Option<Error> {
        let found = match &self.source {
            Source::Features(features) => features.find_not_finite(),
            Source::Distances(x)
            | Source::Kernel(x)
            | Source::DistancesTo(x)
            | Source::KernelTo(x) => Features::F64(x.view()).find_not_finite(),
            Source::Neighbors(_) => None,
        }?;
        Some(Error::NotFinite {
            row: found.row,
            column: self.column(found.column),
            value: format!("{}", found.value),
            count: found.count,
            hint,
        })
    }

    /// The error for numbers that made a computation fail: one that is not finite, or, if all are, some
    /// whose squares leave the range of their type.
    pub(crate) fn bad_values(&self, hint: Option<Message>) -> Error {
        self.not_finite(hint).unwrap_or_else(Error::too_large)
    }

    /// Fails if any value is not finite.
    pub fn check_finite(&self) -> Result<()> {
        self.not_finite(None).map_or(Ok(()), Err)
    }
}

impl<'a> From<Features<'a>> for Data<'a> {
    fn from(features: Features<'a>) -> Self {
        Self::new(features)
    }
}

impl<'a> From<&'a OwnedFeatures> for Data<'a> {
    fn from(features: &'a OwnedFeatures) -> Self {
        Self::new(features.view())
    }
}

impl<'a> From<&Data<'a>> for Data<'a> {
    fn from(data: &Data<'a>) -> Self {
        data.clone()
    }
}

macro_rules! from_arrays {
    ($($real:ty),*) => {$(
        impl<'a> From<ArrayView2<'a, $real>> for Data<'a> {
            fn from(array: ArrayView2<'a, $real>) -> Self {
                Self::new(array)
            }
        }
        impl<'a> From<&'a Array2<$real>> for Data<'a> {
            fn from(array: &'a Array2<$real>) -> Self {
                Self::new(array.view())
            }
        }
        impl<'a> From<SparseView<'a, $real>> for Data<'a> {
            fn from(rows: SparseView<'a, $real>) -> Self {
                Self::new(rows)
            }
        }
        impl<'a> From<&'a SparseRows<$real>> for Data<'a> {
            fn from(rows: &'a SparseRows<$real>) -> Self {
                Self::new(rows.view())
            }
        }
    )*};
}
from_arrays!(f32, f64);

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn names_and_labels_must_have_the_right_length() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let data = Data::from(&x);
        let error = data
            .clone()
            .with_column_names(vec!["a".to_string()])
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "number of column names: expected 2, got 1"
        );
        assert!(data.with_labels(Labels::numbers(vec![1.0])).is_err());
    }

    #[test]
    fn other_features_keep_all_that_is_known_of_the_rows() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let names = |stem: &str, count: usize| -> Vec<String> {
            (0..count).map(|at| format!("{stem}{at}")).collect()
        };
        let indices = array![[1], [2], [1]];
        let apart = array![[2.0], [2.0], [2.0]];
        let table = Neighbors::from_table(&indices.view(), &apart.view()).unwrap();
        let weights = ndarray::Array2::ones((3, 3));
        let distance = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
        let data = Data::from(&x)
            .with_labels(Labels::numbers(vec![1.0, 2.0, 3.0]))
            .and_then(|data| data.with_label_name("weight").with_row_names(names("r", 3)))
            .and_then(|data| data.with_column_names(names("c", 2)))
            .and_then(|data| data.with_neighbors(&table))
            .and_then(|data| data.with_pair_weights(weights.view()))
            .and_then(|data| data.with_row_groups(vec![0, 0, 1]))
            .and_then(|data| data.with_column_groups(vec![4, 5]))
            .and_then(|data| data.with_view_widths(&[1, 1]))
            .unwrap()
            .with_distance(&distance);
        let doubled = &x * 2.0;
        let other = data.with_features(&doubled).unwrap();
        // Both are shown with everything they have, so that a field added later is compared too.
        let shown = |data: &Data<'_>| format!("{data:?}");
        let back = other.with_features(&x).unwrap();
        assert_ne!(shown(&other), shown(&data));
        assert_eq!(shown(&back), shown(&data));
        assert!(data.with_features(array![[1.0, 2.0]].view()).is_err());
    }

    #[test]
    fn the_first_value_that_is_not_finite_is_named() {
        let x = array![[1.0, 2.0], [3.0, f64::NAN], [f64::INFINITY, 6.0]];
        let names = vec!["a".to_string(), "b".to_string()];
        let data = Data::from(&x).with_column_names(names).unwrap();
        assert_eq!(
            data.check_finite().unwrap_err().to_string(),
            "row 1, column 1 (\"b\"): found no value (NaN) where a finite number was expected, and 1 more like it"
        );
    }

    #[test]
    fn distances_must_be_square() {
        let matrix = array![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]];
        assert!(Data::distances(matrix.view()).is_err());
        let matrix = array![[0.0, 1.0], [1.0, 0.0]];
        let data = Data::distances(matrix.view()).unwrap();
        assert!(
            data.features("pca")
                .unwrap_err()
                .to_string()
                .contains("distances")
        );
    }
}
