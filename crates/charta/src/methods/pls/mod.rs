//! Partial least squares (PLS): directions of the features of largest covariance with a target; regression and classification.
//!
//! # Idea
//! Regression on many correlated columns is unstable, and PCA finds directions of large variance without regard to the target. PLS takes the direction of the
//! features whose covariance with the target is largest, deflates by it, and repeats. A few such scores show the rows in relation to the target, and predict
//! it: a number, several numbers (a second view), or classes.
//!
//! # Steps
//! 1. [`data::columns`](crate::data::columns): means and deviations of features and target.
//! 2. `methods::pls::solver`: the components, one pass over the rows for each.
//! 3. [`methods::pls::PlsModel`](crate::methods::pls::PlsModel): scores, predictions, inverse transform.
//!
//! # Objective
//! With X and Y centred and scaled, the first pair of unit vectors maximizes wᵀ Xᵀ Y c: singular vectors of Xᵀ Y.
//! The score is t = X w, its loadings p = Xᵀ t / tᵀ t. Then X ← X − t pᵀ, and Y ← Y − t tᵀY / tᵀt (`mode = regression`)
//! or Y ← Y − u qᵀ with its own score u = Y c (`mode = canonical`). With rotations R = W (Pᵀ W)⁻¹, all scores are T = X R
//! and the prediction is T Qᵀ, Q the target's loadings. With as many components as the rank of X, `regression` is
//! ordinary least squares.
//!
//! # Cost
//! With n rows, d columns, q targets, k components: about n d (q + 2 k) time in k + 4 passes over the rows,
//! and d (q + 6 k) numbers besides the data. Nothing of size d² or n² is made.
//!
//! # Choosing parameters
//! `n_components` by cross-validation; 2 for a map. `mode = canonical` treats both tables symmetrically and is descriptive: it predicts poorly by
//! construction. `standardize` unless columns have the same unit and their size
//! means something. Whole numbers that name groups are better given as classes.
//!
//! # New points
//! z = R (x − m) / s; the target's prediction is linear in z. Classes: each class has a response, 1 for its rows and 0 for
//! the others when fitting; the largest decides, and probabilities are the responses, below 0 taken as 0, divided by their sum
//! (PLS discriminant analysis). They rank well and are not calibrated. The inverse transform is m + s · P z.
//!
//! # Differences
//! From scikit-learn 1.9 (`PLSRegression`, `PLSCanonical`): no iteration, hence no `max_iter` and `tol`; matrices have a row
//! for each component; components beyond the rank are zero, with a warning; a constant target is an error; classes and missing labels are supported.
//! `intercept` is as there the prediction at the mean of the rows: y = intercept + coefficients · (x − mean).
//! For one constant target among several, its R² is 0.
//!
//! # References
//! Wold, "Soft modelling by latent variables: the non-linear iterative partial least squares approach", 1975. Wold, Sjöström
//! and Eriksson, "PLS-regression: a basic tool of chemometrics", 2001. Dayal and MacGregor, "Improved PLS algorithms", 1997.
//! Barker and Rayens, "Partial least squares for discrimination", 2003.
//!
//! # Example
//! Fifty columns, two hidden numbers behind them; only the weaker one matters for the target.
//! ```
//! use charta::{Data, Fit, Labels, Model, Predict, Prediction, methods::pls::Pls};
//! use charta::random::{normal, stream};
//! use ndarray::Array2;
//!
//! let mut draw = stream(4, 0);
//! let hidden = Array2::from_shape_fn((200, 2), |_| normal(&mut draw));
//! let mixing = Array2::from_shape_fn((2, 50), |(i, _)| (3.0 - 2.0 * i as f64) * normal(&mut draw));
//! let noise = Array2::from_shape_fn((200, 50), |_| normal(&mut draw));
//! let x = hidden.dot(&mixing) + noise;
//! let y: Vec<f64> = hidden.column(1).iter().map(|h| 10.0 + 2.0 * h).collect();
//!
//! let data = Data::from(&x).with_labels(Labels::numbers(y))?;
//! let model = Pls::default().fit(&data)?;
//! assert!(model.diagnostics().value("r_squared").unwrap() > 0.95);
//! let Prediction::Numbers { values, .. } = model.predict(&x)? else { unreachable!() };
//! assert_eq!(values.dim(), (200, 1));
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
mod solver;

pub use model::{PlsModel, PlsReport, Target};
pub use solver::Mode;

use ndarray::{Array1, Array2, Axis};

use self::solver::{Latent, Totals};
use crate::data::columns::{Columns, warn_constant};
use crate::data::{Classes, Data, Features, Labels, OwnedFeatures, SparseRows};
use crate::dimension::ComponentCount;
use crate::error::{Because, Error, Result, Warning, check_rows, counted, message};
use crate::linalg::operator::Rows;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::DECIDED_AT_ONCE;
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of partial least squares.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Pls {
    /// Number of components. More fit the training rows better and may overfit; choose by cross-validation, usually 2 to 10.
    #[param(default = ComponentCount::Auto)]
    pub n_components: ComponentCount,
    /// Deflation of the target after each component: by the scores of the features (`regression`) or by its own
    /// (`canonical`).
    #[param(default = Mode::Regression)]
    pub mode: Mode,
    /// Divide each column of features and target by its standard deviation first, with divisor n − 1 as scikit-learn does. For columns in different units.
    #[param(default = true)]
    pub standardize: bool,
}

impl Method for Pls {
    const INFO: Info = Info {
        name: "pls",
        title: "Partial least squares",
        summary: "PLS: directions of the features of largest covariance with a target; regression and classification",
        family: Family::Linear,
        reference: "Wold 1975; Wold, Sjöström and Eriksson 2001",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Inverse,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
            Capability::Predicts,
        ],
        labels: LabelUse::Target,
        ..Info::DEFAULT
    };

    type Model = PlsModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PlsModel> {
        run.stage("columns")?;
        if let Some(error) = data.not_finite_in_views(None) {
            return Err(error);
        }
        let views = data.views(Self::INFO.name)?;
        match views.as_slice() {
            [features] => self.fit_labels(run, data, features),
            [features, target] => {
                let names = Target::Numbers(target_names(data, features, target));
                let model = self.model(run, data, features, target, names)?;
                run.stage("projection")?;
                model.embed(run, &Data::new(features.reborrow()))
            }
            _ => Err(Error::unsupported(
                message!("{'pls':method}"),
                message!(
                    "takes features and one further view as its target, and was given {} views",
                    views.len()
                ),
            )),
        }
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let k = self.n_components.at_most(n.min(d));
        Ok(Plan::new("components of the deflated cross-product")
            .needs("rows in blocks", (8192.min(n), d), 8)
            .needs("cross-products", (16 * 4, d), 8)
            .needs("components", (k, d), 8 * 8)
            .needs("target and embedding", (n, k.saturating_add(2)), 2 * 8)
            .advice(message!("use fewer {:rows}, {:columns} or components")))
    }
}

/// A target made from labels.
struct Labelled {
    /// A row for each row that has a label.
    values: OwnedFeatures,
    /// Those rows.
    rows: Vec<usize>,
    target: Target,
    classes: Option<Vec<Option<u32>>>,
}

impl Labelled {
    fn of(labels: &Labels<'_>, name: Option<&str>) -> Result<Self> {
        match labels {
            Labels::Numbers(values) => {
                let rows: Vec<usize> = (0..values.len())
                    .filter(|&row| !values[row].is_nan())
                    .collect();
                Ok(Self {
                    values: rows
                        .iter()
                        .map(|&row| values[row])
                        .collect::<Array1<_>>()
                        .insert_axis(Axis(1))
                        .into(),
                    rows,
                    target: Target::Numbers(vec![name.unwrap_or("target").into()]),
                    classes: None,
                })
            }
            Labels::Classes { .. } => {
                let classes = Classes::of(labels, Pls::INFO.name)?;
                let labelled = classes.of_row.iter().enumerate();
                let labelled: Vec<(usize, u32)> = labelled
                    .filter_map(|(row, class)| class.map(|class| (row, class)))
                    .collect();
                // A one in the column of each row's class; the zeros are not stored.
                let values = SparseRows::new(
                    classes.len(),
                    (0..=labelled.len()).collect(),
                    labelled.iter().map(|&(_, class)| class).collect(),
                    vec![1.0; labelled.len()],
                )?;
                Ok(Self {
                    values: OwnedFeatures::SparseF64(values),
                    rows: labelled.into_iter().map(|(row, _)| row).collect(),
                    target: Target::Classes(classes.names),
                    classes: Some(classes.of_row),
                })
            }
        }
    }
}

impl Pls {
    fn fit_labels(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<PlsModel> {
        let labelled = Labelled::of(data.required_labels(Self::INFO.name)?, data.label_name())?;
        let target = labelled.values.view();
        let n_left_out = data.n_rows() - labelled.rows.len();
        let mut model = if n_left_out == 0 {
            self.model(run, data, features, &target, labelled.target)?
        } else {
            run.warn(Warning::RowsLeftOut {
                count: n_left_out,
                reason: message!("their label is missing"),
            })?;
            let kept = features.select_rows(&labelled.rows)?;
            self.model(run, data, &kept.view(), &target, labelled.target)?
        };
        run.stage("projection")?;
        model.report_mut().n_left_out = n_left_out;
        model.embed_classes(run, data, labelled.classes.as_deref())
    }

    /// The model of features and target; `data` gives the columns' names.
    fn model(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        target: &Features<'_>,
        names: Target,
    ) -> Result<PlsModel> {
        let most = self.most(features, target)?;
        self.check_memory(run, data, target.n_columns())?;
        let (ours, theirs) = (Columns::of(features), Columns::of(target));
        if !finite(&ours) || !finite(&theirs) {
            return Err(data.bad_view_values(None));
        }
        check_varying(&ours, &theirs, &names)?;
        warn_constant(run, data, &ours.spreads.view())?;
        let (factors, target_factors) = (self.factors(&ours), self.factors(&theirs));
        let left = Rows::new(features, &ours.means).scaled(Some(&factors));
        let right = Rows::new(target, &theirs.means).scaled(Some(&target_factors));
        let spread = (&ours.spreads * &factors.mapv(|f| f * f)).sum();
        let target_spreads = &theirs.spreads * &target_factors.mapv(|f| f * f);
        let totals = Totals {
            features: spread,
            target: target_spreads.sum(),
        };
        run.stage("components")?;
        let mut found = solver::components(run, &left, &right, totals, self.mode, most)?;
        self.check_rank(run, &mut found, most)?;
        let known = Known {
            mean: ours.means,
            scale: factors.mapv(f64::recip),
            spread,
            target_mean: theirs.means,
            target_scale: target_factors.mapv(f64::recip),
            target_spreads,
            n_rows: features.n_rows(),
        };
        self.finished(found, known, names)
    }

    /// Fails if the targets, whose number the plan does not know, need more memory than there is.
    fn check_memory(&self, run: &Run<'_>, data: &Data<'_>, n_targets: usize) -> Result<()> {
        let shape = Shape::of(data);
        let k = self.n_components.at_most(shape.n_rows.min(shape.n_columns));
        let further = n_targets.saturating_sub(64);
        self.plan(&shape)?
            .needs(
                "cross-products with further targets",
                (further, shape.n_columns.saturating_add(k)),
                8 * 8,
            )
            .needs(
                "responses of some rows",
                (DECIDED_AT_ONCE.min(shape.n_rows), further),
                2 * 8,
            )
            .advice(message!(
                "use fewer targets or classes, or fewer {:columns}"
            ))
            .check(&shape, run.memory())
    }

    /// Components to look for.
    fn most(&self, features: &Features<'_>, target: &Features<'_>) -> Result<usize> {
        let (n, d, q) = (features.n_rows(), features.n_columns(), target.n_columns());
        check_rows(message!("partial least squares"), 2, n)?;
        let sizes = Because::Size {
            rows: n,
            columns: d,
        };
        match self.mode {
            Mode::Regression => self.n_components.of(n.min(d), sizes),
            Mode::Canonical => {
                let because = message!(
                    "{:data} has {n:rows}, {d:columns} and {}",
                    counted(q, "target")
                );
                self.n_components.of(n.min(d).min(q), because)
            }
        }
    }

    fn factors(&self, columns: &Columns) -> Array1<f64> {
        if !self.standardize {
            return Array1::ones(columns.means.len());
        }
        columns.deviations(1.0).mapv(|deviation| {
            if deviation > 0.0 {
                deviation.recip()
            } else {
                1.0
            }
        })
    }

    /// What to do where there are fewer components than were looked for.
    fn check_rank(&self, run: &Run<'_>, found: &mut Latent, requested: usize) -> Result<()> {
        if found.rank == 0 {
            return Err(Error::degenerate(message!(
                "the features and the target are uncorrelated: there is nothing to predict"
            )));
        }
        if found.rank < requested {
            if matches!(self.n_components, ComponentCount::Count(_)) {
                run.warn(Warning::RankDeficient {
                    requested,
                    rank: found.rank,
                })?;
            } else {
                found.truncate(found.rank);
            }
        }
        Ok(())
    }

    fn finished(&self, found: Latent, known: Known, target: Target) -> Result<PlsModel> {
        let divisor = (known.n_rows - 1) as f64;
        let squared = |matrix: &Array2<f64>| matrix.mapv(|value| value * value).sum_axis(Axis(1));
        let explained = squared(&found.features.loadings) * &found.squares / known.spread;
        let inverse = found
            .squares
            .mapv(|s| if s > 0.0 { s.recip() } else { 0.0 });
        let target_explained = squared(&found.across) * inverse / known.target_spreads.sum();
        let report = PlsReport {
            r_squared: r_squared(&found, &known.target_spreads),
            variances: &found.squares / divisor,
            explained,
            target_explained,
            scale: known.scale,
            target_mean: known.target_mean,
            target_scale: known.target_scale,
            weights: found.features.weights,
            loadings: found.features.loadings,
            target_weights: found.target.weights,
            target_loadings: found.target.loadings,
            target_rotations: found.target.rotations,
            target,
            canonical: self.mode == Mode::Canonical,
            rank: found.rank,
            n_rows: known.n_rows,
            n_left_out: 0,
            accuracy: None,
        };
        PlsModel::new(known.mean, found.features.rotations, report)
    }
}

/// What is known of the tables before their components; sums of squares are of scaled columns.
struct Known {
    mean: Array1<f64>,
    scale: Array1<f64>,
    spread: f64,
    target_mean: Array1<f64>,
    target_scale: Array1<f64>,
    target_spreads: Array1<f64>,
    n_rows: usize,
}

/// 1 − ‖y − T q‖² / ‖y‖² for each target, from inner products alone: scores are orthogonal.
fn r_squared(found: &Latent, spreads: &Array1<f64>) -> Array1<f64> {
    let loadings = &found.target.loadings;
    let squares = found.squares.view().insert_axis(Axis(1));
    let gained = (&found.across * loadings * 2.0 - loadings * loadings * squares).sum_axis(Axis(0));
    gained
        .iter()
        .zip(spreads)
        .map(|(&gain, &spread)| if spread > 0.0 { gain / spread } else { 0.0 })
        .collect()
}

fn finite(columns: &Columns) -> bool {
    let sums = columns.means.iter().chain(&columns.spreads);
    sums.copied().all(f64::is_finite)
}

fn check_varying(features: &Columns, target: &Columns, names: &Target) -> Result<()> {
    if features.spreads.iter().all(|&spread| spread == 0.0) {
        return Err(crate::spectral::principal::constant_data());
    }
    if target.spreads.iter().any(|&spread| spread > 0.0) {
        return Ok(());
    }
    let problem = match names.names() {
        [one] => message!("{one} is {} in every {:row}", target.means[0]),
        several => message!("none of the {} targets varies", several.len()),
    };
    Err(Error::degenerate(message!(
        "there is nothing to predict: {problem}"
    )))
}

/// Names of a second view's columns: its own where all columns have names, else numbered.
fn target_names(data: &Data<'_>, features: &Features<'_>, target: &Features<'_>) -> Vec<String> {
    let start = features.n_columns();
    let end = start + target.n_columns();
    match data.column_names().and_then(|names| names.get(start..end)) {
        Some(names) => names.to_vec(),
        None => (1..=target.n_columns())
            .map(|number| format!("target{number}"))
            .collect(),
    }
}
