//! The averaged scatter within classes, in coordinates where it is small and well scaled.
//!
//! | route | coordinates | when |
//! |---|---|---|
//! | scatter | the columns, divided by their deviation within classes | at least as many rows as columns |
//! | triangle | the same, as a triangular factor that does not square the condition | the same, on request |
//! | span | an orthonormal basis of the differences between rows | fewer rows than columns |

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::principal::{self, constant_data};
use crate::data::{Classes, Data, Features};
use crate::error::{Result, Warning};
use crate::linalg::moments::GroupMoments;
use crate::linalg::operator::Rows;
use crate::linalg::orthogonal::TallFactor;
use crate::linalg::product::product;
use crate::linalg::shrinkage::ClassColumns;
use crate::parallel::blocks;
use crate::run::Run;

/// What the covariance within classes is an average of.
#[derive(Clone, Debug)]
pub(crate) struct Average {
    /// What each class's sum of squares is multiplied by.
    pub weights: Array1<f64>,
    /// Added to the diagonal.
    pub added: Array1<f64>,
    /// Avoid squares, at a higher price.
    pub triangle: bool,
}

/// Coordinates as a linear map of the columns.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// Columns that vary.
    columns: Vec<usize>,
    /// All columns.
    n_columns: usize,
    /// What each column that varies is multiplied by.
    scale: Array1<f64>,
    /// An orthonormal basis in those units, one vector a row.
    basis: Option<Array2<f64>>,
}

impl Coordinates {
    /// The columns that vary, scaled.
    fn of_varying(scales: &Array1<f64>) -> Self {
        let columns: Vec<usize> = (0..scales.len()).filter(|&j| scales[j] > 0.0).collect();
        Self {
            scale: columns.iter().map(|&j| scales[j]).collect(),
            columns,
            n_columns: scales.len(),
            basis: None,
        }
    }

    /// How many.
    pub(crate) fn size(&self) -> usize {
        match &self.basis {
            Some(basis) => basis.nrows(),
            None => self.columns.len(),
        }
    }

    /// Columns that vary.
    pub(crate) fn n_varying(&self) -> usize {
        self.scale.iter().filter(|&&scale| scale > 0.0).count()
    }

    /// Rows of column values as rows of coordinates: also axes in columns, turned into coordinates.
    pub(crate) fn project(&self, rows: &ArrayView2<'_, f64>) -> Array2<f64> {
        let scaled = rows.select(Axis(1), &self.columns) * &self.scale;
        match &self.basis {
            Some(basis) => product(&scaled.view(), &basis.t()),
            None => scaled,
        }
    }

    /// Axes in coordinates, one a row, as axes in columns.
    pub(crate) fn axes(&self, axes: &ArrayView2<'_, f64>) -> Array2<f64> {
        let scaled = match &self.basis {
            Some(basis) => product(axes, &basis.view()),
            None => axes.to_owned(),
        } * &self.scale;
        let mut whole = Array2::zeros((axes.nrows(), self.n_columns));
        for (project, &column) in self.columns.iter().enumerate() {
            whole.column_mut(column).assign(&scaled.column(project));
        }
        whole
    }
}

/// The covariance within classes.
#[derive(Clone, Debug)]
pub(crate) enum Within {
    /// As it is.
    Covariance(Array2<f64>),
    /// As R with RᵀR the covariance.
    Root(Array2<f64>),
}

/// The classes' means, and the covariance within them.
#[derive(Clone, Debug)]
pub(crate) struct ClassScatter {
    /// The coordinates of `within`.
    pub coordinates: Coordinates,
    /// The mean of each class, a row each, in columns.
    pub means: Array2<f64>,
    /// The averaged covariance within classes.
    pub within: Within,
    /// The variance of each column within classes.
    pub variances: Array1<f64>,
    /// The fraction of the covariance's trace below which an eigenvalue is no more than rounding.
    pub rounding: f64,
    /// Something was added to the whole diagonal, so that nothing is singular.
    pub regular: bool,
    /// The route taken.
    pub route: &'static str,
}

impl ClassScatter {
    /// By the route that fits the shape.
    pub(crate) fn of(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        average: &Average,
    ) -> Result<Self> {
        run.stage("scatter within classes")?;
        if classes.n_labelled() >= features.n_columns() && !average.triangle {
            return Self::by_scatter(run, data, features, classes, average);
        }
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let columns = ClassColumns::of(run, features, classes)?;
        let variances = average.weights.dot(&columns.spreads) + &average.added;
        if !variances.iter().all(|variance| variance.is_finite()) {
            return Err(data.bad_values(None));
        }
        let means = columns.means;
        if classes.n_labelled() < features.n_columns() {
            return Self::by_span(run, data, features, classes, average, means, variances);
        }
        Self::by_triangle(run, data, features, classes, average, means, variances)
    }

    /// With a covariance within classes that is given, in place of the rows' own.
    pub(crate) fn of_given(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        covariance: &ArrayView2<'_, f64>,
    ) -> Result<Self> {
        run.stage("means of the classes")?;
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let means = ClassColumns::of(run, features, classes)?.means;
        let variances = covariance.diag().to_owned();
        let scales = variances.mapv(|variance| {
            if variance > 0.0 {
                variance.sqrt().recip()
            } else {
                0.0
            }
        });
        let coordinates = Coordinates::of_varying(&scales);
        let (columns, scale) = (&coordinates.columns, &coordinates.scale);
        let within = Array2::from_shape_fn((columns.len(), columns.len()), |(i, j)| {
            covariance[[columns[i], columns[j]]] * scale[i] * scale[j]
        });
        Ok(Self {
            within: Within::Covariance(within),
            rounding: double_rounding(features),
            coordinates,
            means,
            variances,
            regular: false,
            route: "given covariance within classes",
        })
    }

    fn by_scatter(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        average: &Average,
    ) -> Result<Self> {
        let mut moments = GroupMoments::weighted(average.weights.clone(), features.n_columns());
        moments.add(run, features, &classes.of_row)?;
        if !moments.is_finite() {
            return Err(data.bad_values(None));
        }
        let mut within = moments.within().clone();
        within
            .diag_mut()
            .zip_mut_with(&average.added, |entry, added| *entry += added);
        let variances = within.diag().to_owned();
        let own = &variances - &average.added;
        let scales = scales(run, data, moments.means(), &own, &variances)?;
        let coordinates = Coordinates::of_varying(&scales);
        let (columns, scale) = (&coordinates.columns, &coordinates.scale);
        let within = Array2::from_shape_fn((columns.len(), columns.len()), |(i, j)| {
            within[[columns[i], columns[j]]] * scale[i] * scale[j]
        });
        Ok(Self {
            means: moments.means().clone(),
            rounding: moments.rounding(),
            within: Within::Covariance(within),
            coordinates,
            variances,
            regular: is_regular(average),
            route: "scatter within classes",
        })
    }

    fn by_triangle(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        average: &Average,
        means: Array2<f64>,
        variances: Array1<f64>,
    ) -> Result<Self> {
        let own = &variances - &average.added;
        let scales = scales(run, data, &means, &own, &variances)?;
        let coordinates = Coordinates::of_varying(&scales);
        let size = coordinates.size();
        let mut factor = TallFactor::new(size);
        let mut done = 0;
        for (class, rows) in classes.rows().iter().enumerate() {
            let weight = average.weights[class].sqrt();
            for part in blocks(rows.len(), (4 * size).max(512)) {
                done += part.len();
                let block = features.select_rows(&rows[part])?;
                let block = block.view().dense_rows(0, block.view().n_rows());
                let centred = (block - means.row(class)) * weight;
                factor.add(&coordinates.project(&centred.view()).view());
                run.progress(done as u64, classes.n_labelled() as u64)?;
            }
        }
        if average.added.iter().any(|&added| added > 0.0) {
            let extra = Array2::from_diag(&average.added.mapv(f64::sqrt));
            factor.add(&coordinates.project(&extra.view()).view());
        }
        Ok(Self {
            within: Within::Root(factor.triangle()),
            rounding: double_rounding(features),
            coordinates,
            means,
            variances,
            regular: is_regular(average),
            route: "singular values",
        })
    }

    fn by_span(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        average: &Average,
        means: Array2<f64>,
        variances: Array1<f64>,
    ) -> Result<Self> {
        let regular = is_regular(average);
        // What is added to the diagonal must not lead out of the span: in units where it is the
        // identity it does not.
        let units = if regular { &average.added } else { &variances };
        let own = &variances - &average.added;
        let scales = scales(run, data, &means, &own, units)?;
        let span = Span::of(run, features, classes, Some(&scales), average.triangle)?;
        let coordinates = Coordinates {
            columns: (0..features.n_columns()).collect(),
            n_columns: features.n_columns(),
            scale: scales,
            basis: Some(span.basis),
        };
        let size = coordinates.size();
        let centred = weighted_about_means(&span.rows, &span.classes, &average.weights);
        let within = if average.triangle {
            let mut factor = TallFactor::new(size);
            factor.add(&centred.view());
            if regular {
                factor.add(&Array2::eye(size).view());
            }
            Within::Root(factor.triangle())
        } else {
            let mut within = product(&centred.t(), &centred.view());
            if regular {
                within.diag_mut().mapv_inplace(|entry| entry + 1.0);
            }
            Within::Covariance(within)
        };
        Ok(Self {
            within,
            coordinates,
            means,
            variances,
            rounding: double_rounding(features),
            regular,
            route: "span of the rows",
        })
    }

    /// The covariance within classes in the columns' own units, where the coordinates are columns.
    pub(crate) fn covariance(&self) -> Option<Array2<f64>> {
        if self.coordinates.basis.is_some() {
            return None;
        }
        let scaled = match &self.within {
            Within::Covariance(within) => within.clone(),
            Within::Root(root) => root.t().dot(root),
        };
        let (columns, scale) = (&self.coordinates.columns, &self.coordinates.scale);
        let size = self.coordinates.n_columns;
        let mut whole = Array2::zeros((size, size));
        for ((i, j), entry) in scaled.indexed_iter() {
            whole[[columns[i], columns[j]]] = entry / (scale[i] * scale[j]);
        }
        Some(whole)
    }
}

/// The directions in which some rows differ, and the rows in terms of them.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Orthonormal directions in scaled columns, one a row.
    pub basis: Array2<f64>,
    /// The rows that have a class.
    pub rows: Array2<f64>,
    /// Their classes.
    pub classes: Classes,
}

impl Span {
    /// The span of the rows with a class, about their mean, columns multiplied by `scale`.
    pub(crate) fn of(
        run: &Run<'_>,
        features: &Features<'_>,
        classes: &Classes,
        scale: Option<&Array1<f64>>,
        by_svd: bool,
    ) -> Result<Self> {
        let labelled: Vec<usize> = (0..features.n_rows())
            .filter(|&row| classes.of_row[row].is_some())
            .collect();
        let selected;
        let view = if labelled.len() == features.n_rows() {
            features.reborrow()
        } else {
            selected = features.select_rows(&labelled)?;
            selected.view()
        };
        let mean = crate::data::columns::Columns::of(&view).means;
        let rows = Rows::new(&view, &mean).scaled(scale);
        run.stage("row space")?;
        let axes = if by_svd {
            principal::by_svd(run, &rows, None)?
        } else {
            principal::dual(run, &rows, None)?
        };
        if axes.total <= 0.0 {
            return Err(constant_data());
        }
        let basis = axes.vectors.slice(s![..axes.rank(), ..]).to_owned();
        Ok(Self {
            rows: rows.times_wide(run, &basis.t())?,
            classes: Classes {
                of_row: labelled.iter().map(|&row| classes.of_row[row]).collect(),
                ..classes.clone()
            },
            basis,
        })
    }
}

fn is_regular(average: &Average) -> bool {
    average.added.iter().all(|&added| added > 0.0)
}

/// Rounding of sums in double precision.
fn double_rounding(features: &Features<'_>) -> f64 {
    features.n_rows().max(features.n_columns()) as f64 * f64::EPSILON
}

/// The rows about their class's mean, multiplied by the root of its weight.
pub(crate) fn weighted_about_means(
    rows: &Array2<f64>,
    classes: &Classes,
    weights: &Array1<f64>,
) -> Array2<f64> {
    let mut centred = rows.clone();
    for (members, &weight) in classes.rows().iter().zip(weights) {
        let mut mean = Array1::<f64>::zeros(rows.ncols());
        for &row in members {
            mean.scaled_add(1.0 / members.len() as f64, &rows.row(row));
        }
        for &row in members {
            let mut row = centred.row_mut(row);
            row -= &mean;
            row *= weight.sqrt();
        }
    }
    centred
}

/// What each column is multiplied by: the inverse of its deviation in `units`. A column that differs
/// between classes only is measured by that; one that is constant is named, and gets 0.
fn scales(
    run: &Run<'_>,
    data: &Data<'_>,
    means: &Array2<f64>,
    variances: &Array1<f64>,
    units: &Array1<f64>,
) -> Result<Array1<f64>> {
    let scales: Array1<f64> = (0..means.ncols())
        .map(|j| {
            let column = means.column(j);
            let middle = column.sum() / column.len() as f64;
            let apart = |mean: &f64| (mean - middle).abs();
            let between = column.iter().map(apart).fold(0.0, f64::max);
            let size = column
                .iter()
                .fold(0.0_f64, |size, mean| size.max(mean.abs()));
            let rounding = 4.0 * f64::EPSILON * size;
            if variances[j].sqrt() > rounding {
                units[j].sqrt().recip()
            } else if between > rounding {
                between.recip()
            } else {
                0.0
            }
        })
        .collect();
    let n_constant = scales.iter().filter(|&&scale| scale == 0.0).count();
    if n_constant == scales.len() {
        return Err(constant_data());
    }
    if let Some(first) = scales.iter().position(|&scale| scale == 0.0) {
        run.warn(Warning::ConstantColumns {
            count: n_constant,
            first: data.column(first),
        })?;
    }
    Ok(scales)
}
