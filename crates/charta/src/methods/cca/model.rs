//! The model of several views of the same rows: coordinates of each, and what one view says of another.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::{Data, Features};
use crate::error::{Error, Result};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::linalg::solve::pseudo_inverse;
use crate::message;
use crate::model::{Diagnostics, Model, Transform, Views, arrays};
use crate::run::Run;

/// What the model is made of. Columns are those of all views side by side, and so are coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CcaParts {
    /// Columns of each view.
    pub widths: Vec<usize>,
    /// Mean of every column.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// Variance of every column.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Weights, a row for each coordinate: zero outside the coordinate's own view.
    #[serde(with = "arrays::matrix")]
    pub weights: Array2<f64>,
    /// Covariances of coordinates (rows) and columns.
    #[serde(with = "arrays::matrix")]
    pub covariances: Array2<f64>,
    /// All eigenvalues of the block problem, largest first.
    #[serde(with = "arrays::vector")]
    pub spectrum: Array1<f64>,
    /// Directions in which each view varies.
    pub ranks: Vec<usize>,
    /// What was added to the variances of each view.
    pub ridges: Vec<f64>,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// The route that was taken.
    pub solver: String,
}

/// A fitted model of several views.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CcaModel {
    parts: CcaParts,
    /// Covariances between coordinates.
    #[serde(with = "arrays::matrix")]
    between: Array2<f64>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl CcaModel {
    /// A model from its parts. The embedding is not there until [`CcaModel::embed`].
    pub fn new(parts: CcaParts) -> Self {
        let between = product(&parts.covariances.view(), &parts.weights.t());
        Self {
            parts,
            between,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &CcaParts {
        &self.parts
    }

    /// Number of views.
    pub fn n_views(&self) -> usize {
        self.parts.widths.len()
    }

    /// Coordinates that each view has.
    pub fn per_view(&self) -> usize {
        self.parts.weights.nrows() / self.n_views()
    }

    /// The weights of a view in its columns' own units: a row for each component.
    pub fn weights(&self, view: usize) -> ArrayView2<'_, f64> {
        let (rows, columns) = (self.coordinates(view), self.columns(view));
        self.parts.weights.slice(s![rows, columns])
    }

    /// Structure correlations: between every coordinate (rows) and every column of every view.
    pub fn loadings(&self) -> Array2<f64> {
        let columns = self.parts.variances.mapv(inverse_root);
        let rows = self.between.diag().mapv(inverse_root);
        let scaled = &self.parts.covariances * &columns * rows.insert_axis(Axis(1));
        scaled.mapv(|value| value.clamp(-1.0, 1.0))
    }

    /// Correlations of the views' coordinates: a row for each component, a column for each pair of
    /// views (1 and 2, 1 and 3, …, 2 and 3, …).
    pub fn pairwise_correlations(&self) -> Array2<f64> {
        self.pairs_of(&self.between)
    }

    /// The mean over all pairs of views of each component's correlations: for two views, the canonical
    /// correlations.
    pub fn correlations(&self) -> Array1<f64> {
        means(&self.pairwise_correlations())
    }

    /// The same for other rows, such as those held out.
    pub fn correlations_of(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        Ok(means(&self.pairwise_correlations_of(run, data)?))
    }

    /// The correlations of every pair of views, for other rows.
    pub fn pairwise_correlations_of(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let placed = run.install(|| self.transform_in(run, data))?;
        let Some(mean) = placed.mean_axis(Axis(0)).filter(|_| placed.nrows() > 1) else {
            return Err(Error::too_few_rows(
                message!("a correlation"),
                2,
                placed.nrows(),
            ));
        };
        let centred = placed - &mean;
        Ok(self.pairs_of(&product(&centred.t(), &centred.view())))
    }

    /// The share of each view's variance (of standardised columns) that each of its own coordinates
    /// carries: a row for each view.
    pub fn explained_variance_ratio(&self) -> Array2<f64> {
        let loadings = self.loadings();
        Array2::from_shape_fn((self.n_views(), self.per_view()), |(view, component)| {
            let row = self.coordinates(view).start + component;
            let columns = self.columns(view);
            let varying = self.parts.variances.slice(s![columns.clone()]);
            let count = varying.iter().filter(|&&variance| variance > 0.0).count();
            let own = loadings.slice(s![row, columns]);
            own.dot(&own) / count.max(1) as f64
        })
    }

    /// Redundancy: the share of each view's variance that the other views' coordinates explain (for more
    /// than two views, the mean over them). A row for each view.
    pub fn redundancy(&self) -> Array2<f64> {
        let mut shares = self.explained_variance_ratio();
        let pairs = self.pairwise_correlations();
        let others = (self.n_views() - 1) as f64;
        for ((view, component), share) in shares.indexed_iter_mut() {
            let squares: f64 = (0..self.n_views())
                .filter(|&other| other != view)
                .map(|other| pairs[[component, self.pair(view, other)]].powi(2))
                .sum();
            *share *= squares / others;
        }
        shares
    }

    /// The linear map from the coordinates of view `from` to the features of view `to`, about its mean:
    /// a row for each component.
    fn regression(&self, from: usize, to: usize) -> Result<Array2<f64>> {
        let (rows, columns) = (self.coordinates(from), self.columns(to));
        let own = self.between.slice(s![rows.clone(), rows.clone()]);
        let across = self.parts.covariances.slice(s![rows, columns]);
        Ok(product(&pseudo_inverse(&own)?.view(), &across))
    }

    fn coordinates(&self, view: usize) -> std::ops::Range<usize> {
        view * self.per_view()..(view + 1) * self.per_view()
    }

    fn columns(&self, view: usize) -> std::ops::Range<usize> {
        let start: usize = self.parts.widths[..view].iter().sum();
        start..start + self.parts.widths[view]
    }

    /// The place of a pair of views among the pairs.
    fn pair(&self, one: usize, other: usize) -> usize {
        let (low, high) = (one.min(other), one.max(other));
        let before: usize = (0..low).map(|view| self.n_views() - 1 - view).sum();
        before + high - low - 1
    }

    fn pairs_of(&self, between: &Array2<f64>) -> Array2<f64> {
        let (n_views, count) = (self.n_views(), self.per_view());
        let mut result = Array2::zeros((count, n_views * (n_views - 1) / 2));
        for component in 0..count {
            for low in 0..n_views {
                for high in low + 1..n_views {
                    let (a, b) = (low * count + component, high * count + component);
                    let sizes = inverse_root(between[[a, a]]) * inverse_root(between[[b, b]]);
                    result[[component, self.pair(low, high)]] =
                        (between[[a, b]] * sizes).clamp(-1.0, 1.0);
                }
            }
        }
        result
    }

    fn check_view(&self, view: usize) -> Result<()> {
        if view < self.n_views() {
            return Ok(());
        }
        let most = self.n_views() - 1;
        Err(Error::at_most(
            "view",
            most,
            message!("views are counted from 0"),
            view,
        ))
    }

    fn place(&self, run: &Run<'_>, view: usize, features: &Features<'_>) -> Result<Array2<f64>> {
        let offset = self.parts.mean.slice(s![self.columns(view)]).to_owned();
        Rows::new(features, &offset).times(run, &self.weights(view).t())
    }
}

/// 1/√value; 0 for what does not vary.
fn inverse_root(value: f64) -> f64 {
    if value > 0.0 {
        value.sqrt().recip()
    } else {
        0.0
    }
}

fn means(pairs: &Array2<f64>) -> Array1<f64> {
    pairs.mean_axis(Axis(1)).unwrap_or_default()
}

fn is_finite(values: &Array2<f64>) -> bool {
    values.iter().all(|value| value.is_finite())
}

impl Transform for CcaModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let views = data.new_views("this model", &self.parts.widths)?;
        let mut placed = Array2::zeros((data.n_rows(), self.parts.weights.nrows()));
        for (view, features) in views.iter().enumerate() {
            let part = self.place(run, view, features)?;
            placed
                .slice_mut(s![.., self.coordinates(view)])
                .assign(&part);
        }
        if is_finite(&placed) {
            return Ok(placed);
        }
        Err(data.bad_view_values(None))
    }
}

impl Views for CcaModel {
    fn widths(&self) -> &[usize] {
        &self.parts.widths
    }

    fn transform_view_in(
        &self,
        run: &Run<'_>,
        view: usize,
        data: &Data<'_>,
    ) -> Result<Array2<f64>> {
        self.check_view(view)?;
        let features = data.new_rows("this view", self.parts.widths[view])?;
        let placed = self.place(run, view, features)?;
        if is_finite(&placed) {
            return Ok(placed);
        }
        Err(data.bad_values(None))
    }

    fn predict_view_in(
        &self,
        run: &Run<'_>,
        from: usize,
        to: usize,
        data: &Data<'_>,
    ) -> Result<Array2<f64>> {
        self.check_view(to)?;
        let placed = self.transform_view_in(run, from, data)?;
        let mean: ArrayView1<'_, f64> = self.parts.mean.slice(s![self.columns(to)]);
        Ok(product(&placed.view(), &self.regression(from, to)?.view()) + mean)
    }
}

impl Model for CcaModel {
    fn n_components(&self) -> usize {
        self.parts.weights.nrows()
    }

    fn n_columns(&self) -> usize {
        self.parts.weights.ncols()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let counts = |values: &[usize]| values.iter().map(|&value| value as f64).collect();
        let kept = parts.spectrum.slice(s![..self.per_view()]).to_owned();
        let mut report = Diagnostics::new()
            .count("n_components", self.per_view())
            .count("n_views", self.n_views())
            .text("solver", parts.solver.clone())
            .count("n_rows", parts.n_rows)
            .vector("view_columns", &counts(&parts.widths))
            .vector("view_ranks", &counts(&parts.ranks))
            .vector("ridge", &Array1::from_vec(parts.ridges.clone()))
            .per_component("correlations", &self.correlations())
            .per_component("eigenvalues", &kept);
        if self.n_views() > 2 {
            report = report.matrix("pairwise_correlations", &self.pairwise_correlations());
        }
        report
            .vector("spectrum", &parts.spectrum)
            .matrix("explained_variance_ratio", &self.explained_variance_ratio())
            .matrix("redundancy", &self.redundancy())
            .vector("mean", &parts.mean)
            .matrix("weights", &parts.weights)
            .matrix("loadings", &self.loadings())
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.weights.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn as_views(&self) -> Option<&dyn Views> {
        Some(self)
    }

    fn component_names(&self) -> Option<Vec<String>> {
        let count = self.per_view();
        let name = |place| format!("view{}_{}", place / count + 1, place % count + 1);
        Some((0..self.parts.weights.nrows()).map(name).collect())
    }
}
