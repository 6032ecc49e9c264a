//! Locality preserving projections (LPP): the linear map that best preserves the neighbour graph, a linear version of Laplacian eigenmaps.
//!
//! # Idea
//! Laplacian eigenmaps finds coordinates of the training rows in which neighbours stay close. Here the coordinates are a linear map of the columns, y = aᵀ x:
//! less flexible, but defined for all rows, with axes that can be interpreted and drawn like those of PCA. Where PCA keeps the directions of largest variance,
//! LPP keeps those in which neighbours differ least relative to the variance.
//!
//! # Steps
//! 1. [`graph`](crate::graph): the neighbours of every row; with `supervised` those of its own class only.
//! 2. [`graph::Weighting`](crate::graph::Weighting): binary or heat weights W of its edges.
//! 3. `spectral::linearized`: the smallest eigenvectors of Xᵀ L X a = λ Xᵀ D X a.
//! 4. [`model::Linear`](crate::model::Linear): the linear map.
//!
//! # Objective
//! a minimizes Σ w_ij (aᵀx_i − aᵀx_j)² / 2 = aᵀ Xᵀ L X a with L = D − W under aᵀ Xᵀ D X a = 1, where X holds the rows
//! less their mean and D the sums of W. λ is that minimum. Directions in which the rows do not vary are left out
//! first, which is what PCA beforehand would do; `variance` below 1 leaves out the weakest principal components too.
//!
//! # Cost
//! The search for neighbours, then with n rows, d columns and k neighbours n k d + 2 n d² + d³ time and 6 d² numbers.
//! With fewer rows than columns everything happens among n − 1 principal components: d n² + n³ and 3 n d + 6 n².
//!
//! # Choosing parameters
//! With many columns for the rows the axes overfit the graph: `variance` = 0.98 is usual for images. `supervised` keeps only the edges within classes, which
//! brings the map close to linear
//! discriminant analysis. A disconnected graph does no harm, because the linear map is the same for all rows: `disconnected` = `join` adds no edges here.
//! `centering` hardly matters unless degrees vary much; `none` is the formula as printed.
//!
//! # New points
//! y = a · (x − mean): the same map as for training rows.
//!
//! # Differences
//! The paper does not say about which point rows are measured in Xᵀ D X, and projects to principal components
//! first, which subtracts their mean, as here. tapkee 1.4.0 fills one triangle of both matrices and its dense
//! solver reads the other, so that its coordinates are single columns of the data; it cannot serve as a reference.
//!
//! # References
//! He and Niyogi, "Locality preserving projections", 2003. He, Yan, Hu, Niyogi and Zhang, "Face recognition using
//! Laplacianfaces", 2005.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::lpp::Lpp};
//! // Two moons far apart along a column that neighbours differ little in.
//! let moons = charta::data::synthetic::moons(200, 0.02, 0)?;
//! let model = Lpp::default().fit(&moons)?;
//! assert_eq!(model.embedding().unwrap().dim(), (200, 2));
//! assert!(model.eigenvalues()[0] <= model.eigenvalues()[1]);
//! # Ok::<(), charta::Error>(())
//! ```

use ndarray::{Array1, Array2};

use crate::data::{Classes, Data, Features};
use crate::error::{Error, Result, Warning, check_count, check_rows, message};
use crate::graph::{Connected, EmbeddedGraph, Neighborhood, Weighting, Weights};
use crate::linalg::operator::Rows;
use crate::method::steps::{check_column_room, check_room};
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape, Step, Steps};
use crate::model::{GraphReport, LinearizedModel, LinearizedReport};
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::linearized::{Forms, Options, columns, linearized, quadratic, weighted};

/// About which point rows are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Centering {
    /// The mean of the rows.
    Mean,
    /// The mean weighted by the degrees of the rows in the graph: coordinates then have weighted mean 0.
    Degrees,
    /// Nothing is subtracted.
    None,
}

/// A fitted locality preserving projection.
pub type LppModel = LinearizedModel;

/// Parameters of locality preserving projections.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Lpp {
    /// Number of components. More preserve more of the graph; 2 for a picture.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Proportion of the variance that PCA keeps beforehand; 1 keeps every direction in which rows vary. Smaller values
    /// regularize where there are many columns for the rows; usually 0.9 to 1.
    #[param(default = 1.0, above = 0.0, max = 1.0)]
    pub variance: f64,
    /// Centring: subtract the mean of the rows, their mean weighted by degrees, or nothing.
    #[param(default = Centering::Mean)]
    pub centering: Centering,
    /// Keep only edges between rows of the same class, which brings the map close to LDA; rows without a class keep theirs.
    #[param(default = false)]
    pub supervised: bool,
    /// Weights of the edges.
    #[param(flatten)]
    pub weighting: Weighting,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
}

impl Method for Lpp {
    const INFO: Info = Info {
        name: "lpp",
        title: "Locality preserving projections",
        summary: "LPP: the linear map that best preserves the neighbour graph, a linear Laplacian eigenmap",
        family: Family::Linear,
        reference: "He and Niyogi 2003",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Axes,
            Capability::Loadings,
            Capability::Graph,
            Capability::Steps,
        ],
        labels: LabelUse::Optional,
        ..Info::DEFAULT
    };

    type Model = LppModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LppModel> {
        let features = data.features(Self::INFO.name)?;
        check_rows(message!("a neighbour graph"), 2, features.n_rows())?;
        check_count(self.n_components, features.n_rows(), features.n_columns())?;
        run.stage("nearest neighbours")?;
        let (connected, weights) = self.weights(run, data)?;
        run.stage("eigenvectors")?;
        let graph = GraphReport::of(&connected, features.n_rows());
        let model = match &connected.rows {
            None => self.model(run, features, graph, &weights)?,
            Some(rows) => {
                let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
                let kept = features.select_rows(&rows)?;
                self.model(run, &kept.view(), graph, &weights)?
            }
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        let features = data.features(Self::INFO.name)?;
        check_rows(message!("a neighbour graph"), 2, features.n_rows())?;
        check_room(run, features.n_rows(), 4)?;
        check_column_room(run, features.n_columns(), 4)?;
        run.stage("nearest neighbours")?;
        let (connected, weights) = self.weights(run, data)?;
        let kept: Vec<usize> = match &connected.rows {
            None => (0..features.n_rows()).collect(),
            Some(rows) => rows.iter().map(|&row| row as usize).collect(),
        };
        let kept = features.select_rows(&kept)?;
        let kept = kept.view();
        let offset = self.offset(run, &kept, &weights)?.0;
        let rows = Rows::new(&kept, &offset);
        let laplacian = weights.laplacian(run)?;
        let degrees = Array2::from_diag(&Array1::from(weights.degrees.clone()));
        let matrices = vec![
            Step::new(
                "W",
                "the weights of the edges of the neighbour graph",
                weights.matrix.dense(),
            ),
            Step::new("D", "diagonal: the sum of the weights of each row", degrees),
            Step::new("L", "D − W", laplacian.dense()),
            Step::new(
                "XtLX",
                "Xᵀ L X, X the rows about the centre: what the axes make small",
                quadratic(run, &rows, &laplacian)?,
            ),
            Step::new(
                "XtDX",
                "Xᵀ D X: the axes are the smallest solutions of XᵀLX a = λ XᵀDX a",
                weighted(run, &rows, &weights.degrees)?,
            ),
        ];
        Ok(Steps {
            matrices,
            rows: connected.rows,
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::for_linear(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        Ok(
            Plan::of_linearized(shape, &self.neighborhood, self.n_components)?.needs(
                "neighbours and graph",
                (
                    shape.n_rows,
                    self.neighborhood.n_neighbors.min(shape.n_rows),
                ),
                2 * 60,
            ),
        )
    }
}

impl Lpp {
    /// The graph and its weights, within classes only if that is requested.
    fn weights(&self, run: &Run<'_>, data: &Data<'_>) -> Result<(Connected, Weights)> {
        if !self.supervised {
            let connected = self.neighborhood.graph_for_linear(run, data)?;
            connected.check_components(self.n_components)?;
            connected.check_lengths(data)?;
            let weights = self.weighting.of(&connected.graph)?;
            return Ok((connected, weights));
        }
        let classes = data.classes(Self::INFO.name)?;
        let connected = self.neighborhood.loose_graph(run, data)?;
        connected.check_lengths(data)?;
        let weights = self.weighting.of(&connected.graph)?;
        let weights = weights.only(|row, other| same_class(&classes, row, other))?;
        let n_alone = weights.degrees.iter().filter(|&&sum| sum <= 0.0).count();
        if n_alone > 0 {
            run.warn(Warning::RowsLeftOut {
                count: n_alone,
                reason: message!("none of their neighbours is of their class; use more neighbours"),
            })?;
        }
        Ok((connected, weights))
    }

    /// What is subtracted from every row, and the columns' standard deviations.
    fn offset(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        weights: &Weights,
    ) -> Result<(Array1<f64>, Array1<f64>)> {
        let by = (self.centering == Centering::Degrees).then_some(weights.degrees.as_slice());
        let (mut offset, deviations) = columns(run, features, by)?;
        if self.centering == Centering::None {
            offset = Array1::zeros(features.n_columns());
        }
        if !deviations.iter().all(|value| value.is_finite()) {
            return Err(Error::too_large());
        }
        Ok((offset, deviations))
    }

    fn model(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        graph: GraphReport,
        weights: &Weights,
    ) -> Result<LppModel> {
        let (offset, deviations) = self.offset(run, features, weights)?;
        if weights.degrees.iter().all(|&sum| sum <= 0.0) {
            return Err(Error::degenerate(message!(
                "all edge weights are 0: the bandwidth is too small for the distances between \
                 neighbours, or all neighbours have different classes; use a larger \
                 {bandwidth:parameter}, {bandwidth=self_tuned}, or more neighbours"
            )));
        }
        let laplacian = weights.laplacian(run)?;
        let options = Options {
            offset: &offset,
            deviations: &deviations,
            variance: self.variance,
            count: self.n_components,
        };
        let found = linearized(run, features, options, |rows| {
            Ok(Forms {
                left: quadratic(run, rows, &laplacian)?,
                right: weighted(run, rows, &weights.degrees)?,
            })
        })?;
        let report = LinearizedReport {
            eigenvalues: found.values,
            deviations,
            rank: found.rank,
            weights: weights.kernel.name().into(),
            bandwidth: weights.kernel.bandwidth(),
            graph,
        };
        LppModel::new(offset, found.axes, report)
    }
}

fn same_class(classes: &Classes, row: usize, other: usize) -> bool {
    match (classes.of_row[row], classes.of_row[other]) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}
