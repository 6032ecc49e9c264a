//! Neighbourhood preserving embedding (NPE): the linear map that best preserves reconstruction from neighbours, a linear version of LLE.
//!
//! # Idea
//! LLE reconstructs every row from its neighbours and finds coordinates with the same weights. Here the coordinates are a linear map of the columns, y = aᵀ x:
//! the linear version of that method, as LPP is of Laplacian eigenmaps.
//!
//! # Steps
//! 1. [`graph`](crate::graph): the neighbours of every row.
//! 2. `local::barycenters`: the reconstruction weights W.
//! 3. `spectral::linearized`: the smallest eigenvectors of Xᵀ M X a = λ Xᵀ X a.
//! 4. [`model::Linear`](crate::model::Linear): the linear map.
//!
//! # Objective
//! The weights of row i minimize ‖x_i − Σ w_ij x_j‖² with Σ w_ij = 1 and a ridge of `regularization` times the trace of the
//! neighbours' inner products. With M = (I − W)ᵀ(I − W), a minimizes Σ (aᵀx_i − Σ w_ij aᵀx_j)² = aᵀ Xᵀ M X a under
//! aᵀ Xᵀ X a = 1, where X holds the rows less their mean. λ is that minimum. Directions in which the rows do not vary are
//! left out first; `variance` below 1 leaves out the weakest principal components too.
//!
//! # Cost
//! The search for neighbours, then with n rows, d columns and k neighbours n k² (d + k) for the weights and n k d +
//! 2 n d² + d³ for the axes, 6 d² numbers. With fewer rows than columns everything happens among n − 1 principal components.
//!
//! # Choosing parameters
//! As for locally linear embedding: `n_neighbors` above the dimension sought, and 10 to 20 for noisy data. With many columns for the rows the reconstruction
//! is nearly exact and the weights mean little: `variance` = 0.98 helps. A disconnected graph does no harm, because the linear map is the same for all rows:
//! `disconnected` = `join` adds no edges here.
//!
//! # New points
//! y = a · (x − mean): the same map as for training rows.
//!
//! # Differences
//! tapkee 1.4.0 loses the entries of Xᵀ M X beside the diagonal and does not subtract the mean, so that its map
//! differs; the formula here was checked against a dense solution with scipy. scikit-learn has no such method.
//!
//! # References
//! He, Cai, Yan and Zhang, "Neighborhood preserving embedding", 2005. Roweis and Saul, "Nonlinear dimensionality reduction
//! by locally linear embedding", 2000.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::npe::Npe};
//! let curve = charta::data::synthetic::s_curve(300, 0.0, 0)?;
//! let model = Npe::default().fit(&curve)?;
//! assert_eq!(model.components().dim(), (2, 3));
//! assert!(model.eigenvalues()[0] <= model.eigenvalues()[1]);
//! # Ok::<(), charta::Error>(())
//! ```

use ndarray::{Array1, Array2};

use crate::data::{Data, Features};
use crate::error::{Error, Result, check_count, check_rows, message};
use crate::graph::{EmbeddedGraph, Lists, Neighborhood};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::local::Points;
use crate::local::alignment::Alignment;
use crate::method::steps::{check_column_room, check_room};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape, Step, Steps};
use crate::model::{GraphReport, LinearizedModel, LinearizedReport};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::linearized::{Forms, Options, columns, linearized, weighted};

/// A fitted neighbourhood preserving embedding.
pub type NpeModel = LinearizedModel;

/// Parameters of neighbourhood preserving embedding.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Npe {
    /// Number of components. More preserve more of the graph; 2 for a picture.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Proportion of the variance that PCA keeps beforehand; 1 keeps every direction in which rows vary. Smaller values
    /// regularize where there are many columns for the rows; usually 0.9 to 1.
    #[param(default = 1.0, above = 0.0, max = 1.0)]
    pub variance: f64,
    /// Subtract the mean of the rows first.
    #[param(default = true)]
    pub center: bool,
    /// Ridge penalty of the reconstruction weights, as a proportion of the neighbours' squared distances. Larger values make
    /// the weights more equal; usually 1e-4 to 0.1.
    #[param(default = 1e-3, above = 0.0)]
    pub regularization: f64,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
}

impl Method for Npe {
    const INFO: Info = Info {
        name: "npe",
        title: "Neighbourhood preserving embedding",
        summary: "NPE: the linear map that best preserves reconstruction from neighbours, a linear LLE",
        family: Family::Linear,
        reference: "He, Cai, Yan and Zhang 2005",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Axes,
            Capability::Loadings,
            Capability::Graph,
            Capability::Steps,
        ],
        ..Info::DEFAULT
    };

    type Model = NpeModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<NpeModel> {
        let features = data.features(Self::INFO.name)?;
        check_rows(message!("a neighbour graph"), 2, features.n_rows())?;
        check_count(self.n_components, features.n_rows(), features.n_columns())?;
        run.stage("nearest neighbours")?;
        let lists = self.neighborhood.lists_for_linear(run, data)?;
        let weights = self.weights(run, data, &lists)?;
        run.stage("eigenvectors")?;
        let mixtures = Mixtures {
            lists: &lists,
            weights: &weights,
        };
        let graph = GraphReport::of_lists(&lists, features.n_rows());
        let model = match &lists.rows {
            None => self.model(run, features, graph, &mixtures)?,
            Some(rows) => {
                let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
                let kept = features.select_rows(&rows)?;
                self.model(run, &kept.view(), graph, &mixtures)?
            }
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        let features = data.features(Self::INFO.name)?;
        check_rows(message!("a neighbour graph"), 2, features.n_rows())?;
        check_room(run, features.n_rows(), 5)?;
        check_column_room(run, features.n_columns(), 4)?;
        run.stage("nearest neighbours")?;
        let lists = self.neighborhood.lists_for_linear(run, data)?;
        let found = self.weights(run, data, &lists)?;
        let n_rows = lists.neighbors.n_rows();
        let mut weights = Array2::zeros((n_rows, n_rows));
        for (row, own) in found.iter().enumerate() {
            for (&index, &weight) in lists.neighbors.row(row).0.iter().zip(own) {
                weights[[row, index as usize]] = weight;
            }
        }
        let rest = Array2::<f64>::eye(n_rows) - &weights;
        let kept: Vec<usize> = (0..n_rows).map(|row| lists.row_of(row)).collect();
        let kept = features.select_rows(&kept)?;
        let kept = kept.view();
        let offset = self.offset(run, &kept)?.0;
        let rows = Rows::new(&kept, &offset);
        let mixtures = Mixtures {
            lists: &lists,
            weights: &found,
        };
        let matrices = vec![
            Step::new(
                "W",
                "row i: the weights that reconstruct row i from its neighbours, with sum 1",
                weights,
            ),
            Step::new("M", "(I − W)ᵀ(I − W)", product(&rest.t(), &rest.view())),
            Step::new(
                "XtMX",
                "Xᵀ M X, X the rows about the mean: what the axes make small",
                mixtures.form(run, &rows)?,
            ),
            Step::new(
                "XtX",
                "Xᵀ X: the axes are the smallest solutions of XᵀMX a = λ XᵀX a",
                weighted(run, &rows, &vec![1.0; n_rows])?,
            ),
        ];
        Ok(Steps {
            matrices,
            rows: lists.rows,
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::for_linear(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        Ok(
            Plan::of_linearized(shape, &self.neighborhood, self.n_components)?.needs(
                "neighbours and weights",
                (
                    shape.n_rows,
                    self.neighborhood.n_neighbors.min(shape.n_rows),
                ),
                3 * 50,
            ),
        )
    }
}

impl Npe {
    /// The weights that reconstruct every row from its neighbours.
    fn weights(&self, run: &Run<'_>, data: &Data<'_>, lists: &Lists) -> Result<Vec<Vec<f64>>> {
        run.stage("weights")?;
        let points = Points::of(data)?;
        let alignment = Alignment {
            points: &points,
            lists,
            with_row: false,
        };
        alignment.map(run, |_, patch| {
            patch.barycenter(self.regularization).to_vec()
        })
    }

    /// What is subtracted from every row, and the columns' standard deviations.
    fn offset(&self, run: &Run<'_>, features: &Features<'_>) -> Result<(Array1<f64>, Array1<f64>)> {
        let (mut offset, deviations) = columns(run, features, None)?;
        if !self.center {
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
        mixtures: &Mixtures<'_>,
    ) -> Result<NpeModel> {
        let (offset, deviations) = self.offset(run, features)?;
        let options = Options {
            offset: &offset,
            deviations: &deviations,
            variance: self.variance,
            count: self.n_components,
        };
        let ones = vec![1.0; features.n_rows()];
        let found = linearized(run, features, options, |rows| {
            Ok(Forms {
                left: mixtures.form(run, rows)?,
                right: weighted(run, rows, &ones)?,
            })
        })?;
        let report = LinearizedReport {
            eigenvalues: found.values,
            deviations,
            rank: found.rank,
            weights: "mixtures of neighbours".into(),
            bandwidth: None,
            graph,
        };
        NpeModel::new(offset, found.axes, report)
    }
}

/// Every row's neighbours with the weights of its mixture.
struct Mixtures<'a> {
    lists: &'a Lists,
    weights: &'a [Vec<f64>],
}

impl Mixtures<'_> {
    /// Xᵀ M X = RᵀR with R = X − W X: never below 0, whatever the rounding.
    fn form(&self, run: &Run<'_>, rows: &Rows<'_>) -> Result<Array2<f64>> {
        let width = rows.n_columns();
        rows.sum_blocks(run, (width, width), |range| {
            let mut rest = rows.block(range.clone());
            let mut mixture = vec![0.0; width];
            for (row, mut values) in range.zip(rest.rows_mut()) {
                let indices = self.lists.neighbors.row(row).0;
                rows.combination(indices, &self.weights[row], &mut mixture);
                for (value, mixed) in values.iter_mut().zip(&mixture) {
                    *value -= mixed;
                }
            }
            (rest.clone(), rest)
        })
    }
}
