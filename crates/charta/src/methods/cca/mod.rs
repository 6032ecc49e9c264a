//! Canonical correlation analysis (CCA): directions of largest correlation between two or more views of the same rows.
//!
//! # Idea
//! The same rows are described twice, or more often: a body by its measures and by its performance, a
//! digit by the left and by the right half of its image. CCA finds a weighted sum of the columns of each
//! view such that these sums correlate as strongly as they can; then the next such sums among all that
//! correlate with none before; and so on. What is specific to one view, however large its variance, is left out.
//!
//! # Steps
//! 1. `linalg::moments`: the covariances within and across all views, in one pass.
//! 2. `methods::cca::solver`: whiten each view by the eigenvectors of its own
//!    covariance, those that carry variance. Two views: singular vectors of the whitened cross-covariance.
//!    More: eigenvectors of the whitened covariance of all.
//! 3. [`methods::cca::CcaModel`](crate::methods::cca::CcaModel): coordinates of every view, and prediction across.
//!
//! # Objective
//! With Cᵢⱼ the covariance between views i and j (divisor n − 1), maximize Σ over all i, j of
//! tr(Wᵢᵀ Cᵢⱼ Wⱼ) where Σ tr(Wᵢᵀ (Cᵢᵢ + rᵢ I) Wᵢ) is fixed: A w = λ B w, A with all blocks and B with
//! those on the diagonal plus ridge. For two views λ = 1 + ρ, ρ the canonical correlation. Scaling: for two
//! views wᵢᵀ(Cᵢᵢ + rᵢ I)wᵢ = 1, so that without ridge coordinates have variance 1 (divisor n − 1); for m
//! views these terms add up to m. With ridge, two views maximize w₁ᵀ C₁₂ w₂ under that constraint (Vinod),
//! and `correlations` are those that the coordinates of the training rows have.
//!
//! # Cost
//! With n rows and d columns in all: n d² for the covariances, d³ for the rest, about 6 d² numbers besides
//! the data. Time beyond the one pass does not depend on n.
//!
//! # Choosing parameters
//! `ridge` where a view has nearly as many columns as there are rows, or more: without it, the correlations
//! of the training rows are then 1 whatever the data, and a warning says so. It is added to each
//! column's variance, in the units of the columns that `standardize` leaves: 0.1 is a tenth of a standardized
//! column's variance. A list gives each view its own. Choose it by the correlations of held-out rows:
//! [`CcaModel::correlations_of`](crate::methods::cca::CcaModel::correlations_of). Without ridge `standardize` does
//! not matter. `tolerance` leaves out directions of a view that hardly vary.
//!
//! # New points
//! zᵢ = Wᵢᵀ(xᵢ − mᵢ), for all views or for one alone ([`Views`](crate::model::Views)). The prediction of view j from view i is the regression on its
//! coordinates: mⱼ + Cⱼᵢ Wᵢ (Wᵢᵀ Cᵢᵢ Wᵢ)⁺ zᵢ. For two views
//! without ridge this is mⱼ + Cⱼⱼ Wⱼ diag(ρ) zᵢ: each coordinate counts as much as it correlates. With all
//! components it is least squares.
//!
//! # Differences
//! From scikit-learn 1.9: its weights have length 1 in the scaled and deflated columns, and its scores are not
//! of variance 1; its `x_rotations` divided by the deviation of the columns are our weights up to a factor for
//! each component, namely the standard deviation of its scores: ours = its scores / their deviation. Its
//! `predict` puts the x scores in the place of the y scores, which overstates the prediction when correlations are small; ours is the least squares regression
//! described above. More than two views and `ridge` are not
//! in scikit-learn. Columns that depend on each other are no error: of all weights that give the same
//! coordinates, the shortest for standardized columns are taken.
//!
//! # References
//! Hotelling, "Relations between two sets of variates", 1936. Kettenring, "Canonical analysis of several sets of
//! variables", 1971. Vinod, "Canonical ridge and econometrics of joint production", 1976. Stewart and Love, "A
//! general canonical correlation index", 1968.
//!
//! # Example
//! Two views share one hidden number, buried in each under noise of its own.
//! ```
//! use charta::{Data, Fit, Model, Run, Views, methods::cca::Cca};
//! use charta::random::{normal, stream};
//! use ndarray::Array2;
//!
//! let mut draw = stream(1, 0);
//! let mut x = Array2::from_shape_fn((400, 7), |_| normal(&mut draw));
//! for mut row in x.rows_mut() {
//!     let hidden = normal(&mut draw);
//!     row[1] += 2.0 * hidden;                       // the first view: columns 0 to 3
//!     row[5] -= 2.0 * hidden;                       // the second view: columns 4 to 6
//! }
//! let data = Data::from(&x).with_view_widths(&[4, 3])?;
//! let model = Cca::default().fit(&data)?;
//! let correlations = model.correlations();
//! assert!(correlations[0] > 0.75 && correlations[1] < 0.3);
//! assert_eq!(model.component_names().unwrap(), ["view1_1", "view1_2", "view2_1", "view2_2"]);
//!
//! // What the first view alone lets expect of the second.
//! let first = x.slice(ndarray::s![.., ..4]);
//! let expected = model.predict_view_in(&Run::new(), 0, 1, &Data::from(first))?;
//! assert_eq!(expected.dim(), (400, 3));
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
mod solver;

pub use model::{CcaModel, CcaReport};

use ndarray::{Array2, s};

use crate::data::columns::{Columns, warn_constant};
use crate::data::{Data, Features};
use crate::dimension::ComponentCount;
use crate::error::{Error, Message, Result, Warning, check_rows, counted, message};
use crate::linalg::moments::Moments;
use crate::linalg::product::product;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::solver::{Directions, Whiten, Whitening, ranges};
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of canonical correlation analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Cca {
    /// Number of components to keep, at most the smallest rank of a view. Their correlations decrease from one to the next.
    #[param(default = ComponentCount::Auto)]
    pub n_components: ComponentCount,
    /// Ridge penalty added to the columns' variances: one number for all views, or one for each. Larger values regularize more;
    /// usually 0 to 1 for standardized columns, above 0 where a view has nearly as many columns as rows.
    #[param(default = vec![0.0], min = 0.0)]
    pub ridge: Vec<f64>,
    /// Divide each column by its standard deviation first, with divisor n − 1 as scikit-learn does. It matters only with `ridge`, which is then in units of a variance.
    #[param(default = true)]
    pub standardize: bool,
    /// Rank tolerance: directions of a view whose variance is below this proportion of the largest are left out. Larger values
    /// regularize more; usually 0 to 0.01.
    #[param(default = 0.0, min = 0.0, below = 1.0)]
    pub tolerance: f64,
}

impl Method for Cca {
    const INFO: Info = Info {
        name: "cca",
        title: "Canonical correlation analysis",
        summary: "CCA: directions of largest correlation between two or more views of the same rows",
        family: Family::Linear,
        reference: "Hotelling 1936; Kettenring 1971",
        takes: &[Input::Views],
        offers: &[Capability::Axes, Capability::Loadings, Capability::Spectrum],
        ..Info::DEFAULT
    };

    type Model = CcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<CcaModel> {
        let widths = data.view_widths();
        let ridges = self.ridges(widths.len())?;
        check_rows(message!("a correlation"), 2, data.n_rows())?;
        run.stage("covariance")?;
        let views = data.views(Self::INFO.name)?;
        let moments = if widths.iter().sum::<usize>() == data.n_columns() {
            Moments::of(run, data.features(Self::INFO.name)?)?
        } else {
            Moments::of_views(run, &views)?
        };
        if !moments.is_finite() {
            return Err(data.bad_view_values(None));
        }
        let covariance = covariance(&moments, &views);
        warn_constant(run, data, &covariance.diag())?;
        run.stage("whitening")?;
        let whitened = self.whitened(&covariance, &moments, &widths, &ridges)?;
        let count = self.count(run, &whitened, &ridges, moments.count())?;
        run.stage("directions")?;
        let (found, solver) = directions(&covariance, &whitened, count)?;
        let weights = block_diagonal(&found.weights, &widths);
        let report = CcaReport {
            widths,
            variances: covariance.diag().to_owned(),
            covariances: product(&weights.view(), &covariance.view()),
            spectrum: found.spectrum,
            ranks: whitened.iter().map(|view| view.variances.len()).collect(),
            ridges,
            n_rows: moments.count(),
            solver: solver.into(),
            between: Array2::zeros((0, 0)),
        };
        let model = CcaModel::new(moments.mean().clone(), weights, report)?;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let kept = self.n_components.at_most((d / 2).max(1));
        Ok(Plan::new("whitened covariances of all views")
            .needs("covariances and eigenvectors", (d, d), 6 * 8)
            .needs("rows side by side, in blocks", (2048.min(n), d), 2 * 8)
            .needs("weights and loadings", (kept.saturating_mul(2), d), 4 * 8)
            .needs("embedding", (n, kept.saturating_mul(2)), 2 * 8)
            .advice(message!("use fewer {:columns}")))
    }
}

impl Cca {
    /// The ridge of each view.
    fn ridges(&self, n_views: usize) -> Result<Vec<f64>> {
        match self.ridge.as_slice() {
            [one] => Ok(vec![*one; n_views]),
            several if several.len() == n_views => Ok(several.to_vec()),
            _ => Err(Error::parameter(
                "ridge",
                message!("be one number, or one for each of the {n_views} views"),
                self.ridge.clone(),
            )),
        }
    }

    fn whitened(
        &self,
        covariance: &Array2<f64>,
        moments: &Moments,
        widths: &[usize],
        ridges: &[f64],
    ) -> Result<Vec<Whitening>> {
        ranges(widths)
            .into_iter()
            .zip(ridges)
            .enumerate()
            .map(|(view, (columns, &ridge))| {
                let how = Whiten {
                    ridge,
                    standardize: self.standardize,
                    rounding: moments.rounding(),
                    tolerance: self.tolerance,
                };
                let whitening = how.apply(&covariance.slice(s![columns.clone(), columns]))?;
                if whitening.variances.is_empty() {
                    return Err(Error::degenerate(message!(
                        "view {} does not vary: all its {:rows} are the same",
                        view + 1
                    )));
                }
                Ok(whitening)
            })
            .collect()
    }

    /// The number of components, with a warning where the rows are too few for meaningful correlations.
    fn count(
        &self,
        run: &Run<'_>,
        views: &[Whitening],
        ridges: &[f64],
        n_rows: usize,
    ) -> Result<usize> {
        let ranks: Vec<usize> = views.iter().map(|view| view.variances.len()).collect();
        let (index, most) = (0..ranks.len()).fold((0, usize::MAX), |least, view| {
            if ranks[view] < least.1 {
                (view, ranks[view])
            } else {
                least
            }
        });
        let directions = counted(most, "direction");
        let because = message!("view {} varies in {directions}", index + 1);
        let count = self.n_components.of(most, because)?;
        let free: Vec<usize> = (0..ranks.len())
            .filter(|&view| ridges[view] == 0.0)
            .map(|view| ranks[view])
            .collect();
        if let Some(certain) = certain(&free, n_rows) {
            run.warn(Warning::doubtful(
                sure_correlations(certain.min(most), views.len()),
                message!(
                    "two views together have more dimensions than {n_rows:rows} can determine; use \
                     {ridge:parameter}, fewer {:columns} or more {:rows}"
                ),
            ))?;
        }
        Ok(count)
    }
}

/// How many correlations are 1 because two views have too many directions for the rows.
fn certain(ranks: &[usize], n_rows: usize) -> Option<usize> {
    let mut falling = ranks.to_vec();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    match falling.as_slice() {
        [first, second, ..] if first + second > n_rows - 1 => Some(first + second - (n_rows - 1)),
        _ => None,
    }
}

/// Which correlations are meaningless.
fn sure_correlations(count: usize, n_views: usize) -> Message {
    match (count, n_views) {
        (1, 2) => message!("the first correlation is 1 whatever the data"),
        (_, 2) => message!("the first {count} correlations are 1 whatever the data"),
        _ => message!("correlations of two of the views are 1 whatever the data"),
    }
}

/// The covariance with divisor n − 1. Columns of a single value are cleared, and those whose spread is no
/// more than what rounding of the mean in double precision, in which spreads are summed, can make.
fn covariance(moments: &Moments, views: &[Features<'_>]) -> Array2<f64> {
    let n = moments.count() as f64;
    let mut covariance = moments.scatter() / (n - 1.0);
    let mut start = 0;
    for view in views {
        let columns = Columns::of(view);
        for own in 0..view.n_columns() {
            let j = start + own;
            let rounding = (8.0 * f64::EPSILON * moments.mean()[j]).powi(2);
            if columns.is_constant(own) || covariance[[j, j]] <= rounding {
                covariance.row_mut(j).fill(0.0);
                covariance.column_mut(j).fill(0.0);
            }
        }
        start += view.n_columns();
    }
    covariance
}

/// The directions, by the solver for the number of views.
fn directions(
    covariance: &Array2<f64>,
    views: &[Whitening],
    count: usize,
) -> Result<(Directions, &'static str)> {
    if views.len() == 2 {
        let found = solver::of_two(&covariance.view(), views, count)?;
        Ok((found, "svd of the whitened cross-covariance"))
    } else {
        let found = solver::of_several(&covariance.view(), views, count)?;
        Ok((found, "eigenvectors of the whitened covariance"))
    }
}

/// Weights of all views in one matrix, zero outside each one's own columns.
fn block_diagonal(weights: &[Array2<f64>], widths: &[usize]) -> Array2<f64> {
    let count = weights.first().map_or(0, Array2::nrows);
    let mut whole = Array2::zeros((count * weights.len(), widths.iter().sum()));
    for (view, (own, columns)) in weights.iter().zip(ranges(widths)).enumerate() {
        let rows = view * count..(view + 1) * count;
        whole.slice_mut(s![rows, columns]).assign(own);
    }
    whole
}
