//! What canonical correlation analysis reports beyond mean and weights: correlations, and prediction across views.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_dim, check_length};
use crate::data::{Data, Features};
use crate::error::{Error, Result, check_rows, message};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::linalg::solve::pseudo_inverse;
use crate::model::{Diagnostics, Linear, Model, Report, Transform, Views, arrays};
use crate::run::Run;

/// What is known besides the mean and the weights. Columns are those of all views side by side, and so are coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CcaReport {
    /// Columns of each view.
    pub widths: Vec<usize>,
    /// Variance of every column.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Covariances of coordinates (rows) and columns.
    #[serde(with = "arrays::matrix")]
    pub covariances: Array2<f64>,
    /// All eigenvalues of the block problem, largest first.
    #[serde(with = "arrays::vector")]
    pub spectrum: Array1<f64>,
    /// The rank of each view.
    pub ranks: Vec<usize>,
    /// What was added to the variances of each view.
    pub ridges: Vec<f64>,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// The solver.
    pub solver: String,
    /// Covariances between coordinates.
    #[serde(skip)]
    pub between: Array2<f64>,
}

/// A fitted model of several views. Its components are the weights, a row for each coordinate: zero outside the
/// coordinate's own view.
pub type CcaModel = Linear<CcaReport>;

impl Report for CcaReport {
    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let (n_coordinates, n_columns) = components.dim();
        let n_views = self.widths.len();
        let per_view = n_coordinates.checked_div(n_views).unwrap_or(0);
        if n_views < 2 {
            return Err(Error::shape(message!("views"), "at least 2", n_views));
        }
        let total = self
            .widths
            .iter()
            .try_fold(0_usize, |sum, &width| sum.checked_add(width));
        check_length("the views' columns", total.unwrap_or(usize::MAX), n_columns)?;
        check_length("the coordinates", per_view * n_views, n_coordinates)?;
        check_length("the variances", self.variances.len(), n_columns)?;
        check_dim("the covariances", self.covariances.dim(), components.dim())?;
        check_length("the views' ranks", self.ranks.len(), n_views)?;
        check_length("the ridges", self.ridges.len(), n_views)?;
        if self.spectrum.len() < per_view {
            let expected = format!("at least {per_view}");
            return Err(Error::shape(
                message!("the spectrum"),
                expected,
                self.spectrum.len(),
            ));
        }
        Ok(())
    }

    fn derive(&mut self, _mean: &Array1<f64>, components: &Array2<f64>) -> Result<()> {
        self.between = product(&self.covariances.view(), &components.t());
        Ok(())
    }

    fn transform_in(model: &CcaModel, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let views = data.new_views("this model", &model.report().widths)?;
        let mut coordinates = Array2::zeros((data.n_rows(), model.n_components()));
        for (view, features) in views.iter().enumerate() {
            let own = model.encode_view(run, view, features)?;
            coordinates
                .slice_mut(s![.., model.coordinates(view)])
                .assign(&own);
        }
        if is_finite(&coordinates) {
            return Ok(coordinates);
        }
        Err(data.bad_view_values(None))
    }

    fn diagnostics(model: &CcaModel) -> Diagnostics {
        let report = model.report();
        let counts = |values: &[usize]| values.iter().map(|&value| value as f64).collect();
        let kept = report.spectrum.slice(s![..model.per_view()]).to_owned();
        let mut figures = Diagnostics::new()
            .count("n_components", model.per_view())
            .count("n_views", model.n_views())
            .text("solver", report.solver.clone())
            .count("n_rows", report.n_rows)
            .vector("view_columns", &counts(&report.widths))
            .vector("view_ranks", &counts(&report.ranks))
            .vector("ridge", &Array1::from_vec(report.ridges.clone()))
            .per_component("correlations", &model.correlations())
            .per_component("eigenvalues", &kept);
        if model.n_views() > 2 {
            figures = figures.matrix("pairwise_correlations", &model.pairwise_correlations());
        }
        figures
            .vector("spectrum", &report.spectrum)
            .matrix(
                "explained_variance_ratio",
                &model.explained_variance_ratio(),
            )
            .matrix("redundancy", &model.redundancy())
            .vector("mean", model.mean())
            .matrix("weights", model.components())
            .matrix("loadings", &model.loadings())
    }

    fn feature_loadings(model: &CcaModel) -> Array2<f64> {
        model.loadings()
    }

    fn as_views(model: &CcaModel) -> Option<&dyn Views> {
        Some(model)
    }

    fn component_names(model: &CcaModel) -> Option<Vec<String>> {
        let count = model.per_view();
        let name = |index| format!("view{}_{}", index / count + 1, index % count + 1);
        Some((0..model.n_components()).map(name).collect())
    }
}

impl CcaModel {
    /// Number of views.
    pub fn n_views(&self) -> usize {
        self.report().widths.len()
    }

    /// Coordinates that each view has.
    pub fn per_view(&self) -> usize {
        self.n_components() / self.n_views()
    }

    /// The weights of a view in its columns' own units: a row for each component.
    pub fn weights(&self, view: usize) -> ArrayView2<'_, f64> {
        let (rows, columns) = (self.coordinates(view), self.columns(view));
        self.components().slice(s![rows, columns])
    }

    /// Structure correlations: between every coordinate (rows) and every column of every view.
    pub fn loadings(&self) -> Array2<f64> {
        let columns = self.report().variances.mapv(inverse_root);
        let rows = self.report().between.diag().mapv(inverse_root);
        let scaled = &self.report().covariances * &columns * rows.insert_axis(Axis(1));
        scaled.mapv(|value| value.clamp(-1.0, 1.0))
    }

    /// Correlations of the views' coordinates: a row for each component, a column for each pair of
    /// views (1 and 2, 1 and 3, …, 2 and 3, …).
    pub fn pairwise_correlations(&self) -> Array2<f64> {
        self.pairs_of(&self.report().between)
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
        check_rows(message!("a correlation"), 2, data.n_rows())?;
        let coordinates = run.install(|| self.transform_in(run, data))?;
        let mean = coordinates
            .mean_axis(Axis(0))
            .expect("there are at least two rows");
        let centred = coordinates - &mean;
        Ok(self.pairs_of(&product(&centred.t(), &centred.view())))
    }

    /// The fraction of each view's variance (of standardized columns) that each of its own coordinates
    /// carries: a row for each view.
    pub fn explained_variance_ratio(&self) -> Array2<f64> {
        let loadings = self.loadings();
        Array2::from_shape_fn((self.n_views(), self.per_view()), |(view, component)| {
            let row = self.coordinates(view).start + component;
            let columns = self.columns(view);
            let varying = self.report().variances.slice(s![columns.clone()]);
            let count = varying.iter().filter(|&&variance| variance > 0.0).count();
            let own = loadings.slice(s![row, columns]);
            own.dot(&own) / count.max(1) as f64
        })
    }

    /// Redundancy: the fraction of each view's variance that the other views' coordinates explain (for more
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
        let own = self.report().between.slice(s![rows.clone(), rows.clone()]);
        let across = self.report().covariances.slice(s![rows, columns]);
        Ok(product(&pseudo_inverse(&own)?.view(), &across))
    }

    fn coordinates(&self, view: usize) -> Range<usize> {
        view * self.per_view()..(view + 1) * self.per_view()
    }

    fn columns(&self, view: usize) -> Range<usize> {
        let start: usize = self.report().widths[..view].iter().sum();
        start..start + self.report().widths[view]
    }

    /// The index of a pair of views among the pairs.
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

    fn encode_view(
        &self,
        run: &Run<'_>,
        view: usize,
        features: &Features<'_>,
    ) -> Result<Array2<f64>> {
        let offset = self.mean().slice(s![self.columns(view)]).to_owned();
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
    pairs
        .mean_axis(Axis(1))
        .expect("two views make at least one pair")
}

fn is_finite(values: &Array2<f64>) -> bool {
    values.iter().all(|value| value.is_finite())
}

impl Views for CcaModel {
    fn widths(&self) -> &[usize] {
        &self.report().widths
    }

    fn transform_view_in(
        &self,
        run: &Run<'_>,
        view: usize,
        data: &Data<'_>,
    ) -> Result<Array2<f64>> {
        self.check_view(view)?;
        let features = data.new_rows("this view", self.report().widths[view])?;
        let coordinates = self.encode_view(run, view, features)?;
        if is_finite(&coordinates) {
            return Ok(coordinates);
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
        let coordinates = self.transform_view_in(run, from, data)?;
        let mean: ArrayView1<'_, f64> = self.mean().slice(s![self.columns(to)]);
        Ok(product(&coordinates.view(), &self.regression(from, to)?.view()) + mean)
    }
}
