//! Kernel discriminant analysis: the axes of a kernel's feature space along which classes are separated best.
//!
//! # Idea
//! Linear discriminant analysis after a map φ into the feature space of a kernel, where classes that are not linearly
//! separable may be. Only kernels between rows are computed. In a space of so high a dimension any rows can be separated,
//! so the scatter within classes is regularized by a ridge.
//!
//! # Steps
//! 1. [`kernel::Kernel`](crate::kernel::Kernel): the kernel with its width.
//! 2. `kernel::KernelMatrix` of the rows with a class, or kernels with the [landmarks](crate::kernel::Dictionary) of the
//!    Nyström approximation.
//! 3. `methods::kernel_lda::solver`: the axes.
//! 4. [`methods::kernel_lda::KernelLdaModel`](crate::methods::kernel_lda::KernelLdaModel): new rows by their kernels with the landmarks.
//!
//! # Objective
//! Maximize wᵀ B w / wᵀ (S + λ I) w over directions w of the feature space, S = Σ p_c cov_c the covariance within classes, B that
//! of the classes' means, p the priors, and λ the fraction `regularization` of the trace of S. The values are the
//! `separation`; coordinates have variance 1 within classes, ridge included.
//!
//! # Cost
//! With n rows that have a class, d columns and K classes: n² d / 2 for kernels, n³ / 3 for a Cholesky factor, three n² numbers.
//! With m landmarks: n m d twice, n m² for the scatter, m³ for eigenvectors, ten m² numbers.
//!
//! # Choosing parameters
//! `regularization` prevents overfitting: raise it if new rows are classified worse than training rows. `gamma` as
//! for kernel PCA; a narrow kernel separates any training rows and does not generalize. At most K − 1 axes
//! exist.
//!
//! # New points
//! y = k(x, D) A − b, with D the rows with a class, or the landmarks. A class is predicted by the nearest mean among the kept coordinates,
//! with log priors: normal distributions of covariance 1.
//!
//! # Differences
//! From Mika et al. and from Baudat and Anouar: the ridge is on the length of w in the feature space (λ I there, λ K among
//! coefficients), so that the result does not depend on how rows repeat; priors as [`lda`](super::lda) has them. scikit-learn has no
//! such method.
//!
//! # References
//! - Mika, Rätsch, Weston, Schölkopf, Müller: Fisher discriminant analysis with kernels. Neural Networks for Signal
//!   Processing, 1999.
//! - Baudat, Anouar: Generalized discriminant analysis using a kernel approach. Neural Computation, 2000.
//!
//! # Example
//! ```
//! use charta::methods::kernel_lda::KernelLda;
//! use charta::{Fit, Model};
//! let spheres = charta::data::synthetic::concentric_spheres(200, 0.1, 0)?;
//! let model = KernelLda::default().fit(&spheres)?;
//! assert_eq!(model.embedding().unwrap().dim(), (200, 1));
//! assert!(model.training_accuracy() > 0.99);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
mod solver;

pub use model::KernelLdaModel;

use ndarray::{Array1, Array2, s};

use self::solver::{Grouped, KernelAxes};
use crate::data::{Classes, Data, Priors};
use crate::dimension::ComponentCount;
use crate::error::{Because, Error, Result, Warning, counted, message};
use crate::kernel::{Dictionary, Gamma, Kernel, KernelRows, KernelSpec, random_rows};
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::{KernelMap, KernelReport, Transform};
use crate::params::Parameters;
use crate::run::Run;

/// Rows for each effective dimension of the feature space from which training accuracy means something, as for `lda`.
const ROWS_PER_DIMENSION: f64 = 2.0;

/// Parameters of kernel discriminant analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct KernelLda {
    /// Number of discriminant axes to keep, at most the number of classes minus one. Fewer also leave fewer for predictions.
    #[param(default = ComponentCount::Auto)]
    pub n_components: ComponentCount,
    /// The kernel.
    #[param(flatten, default = Kernel::default())]
    pub kernel: Kernel,
    /// Ridge added to the covariance within classes, relative to its trace. Larger values prevent overfitting, smaller values separate the training rows more; usually 1e-6 to 0.1.
    #[param(default = 1e-3, min = 1e-9, max = 1e6)]
    pub regularization: f64,
    /// Prior probabilities of the classes: their frequencies in the data, equal, or given. A larger prior moves the decision boundary away
    /// from its class, so that more rows are assigned to it.
    #[param(default = Priors::Data)]
    pub priors: Priors,
    /// Number of landmarks of the Nyström approximation, chosen at random. More landmarks are closer to the exact solution and cost more time and memory; usually 500 to 5000.
    #[param(default = Dictionary::Auto)]
    pub dictionary: Dictionary,
    /// Seed of the choice of the landmarks.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for KernelLda {
    const INFO: Info = Info {
        name: "kernel_lda",
        title: "Kernel discriminant analysis",
        summary: "Kernel discriminant analysis: linear discriminants in the feature space of a kernel",
        family: Family::Kernel,
        reference: "Mika et al. 1999; Baudat and Anouar 2000",
        takes: &[Input::Sparse, Input::Kernel],
        offers: &[Capability::Spectrum, Capability::Predicts],
        labels: LabelUse::Required,
        transform_error: 1e-6,
        ..Info::DEFAULT
    };

    type Model = KernelLdaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KernelLdaModel> {
        data.check_finite()?;
        let classes = data.classes(Self::INFO.name)?;
        self.n_components
            .of(classes.len() - 1, Because::Classes(classes.len()))?;
        if self.kernel.gamma == Gamma::Validated {
            return Err(Error::parameter(
                "gamma",
                message!(
                    "be {'auto'}, {'columns'} or a number: {'kernel_lda':method} does not choose it by \
                     cross-validation"
                ),
                "validated",
            ));
        }
        let priors = self.priors.of(&classes)?;
        classes.warn(run)?;
        let spec = self.kernel.resolve(run, data)?;
        let grouped = Grouped {
            classes: &classes,
            priors: &priors,
            regularization: self.regularization,
        };
        let (rows, axes, route) = self.axes(run, data, spec, &grouped)?;
        warn_separable(run, &classes, axes.effective_dimension)?;
        let count = self.n_components.of(
            axes.ratios.len(),
            message!("the class means span no more directions in the feature space of the kernel"),
        )?;
        run.stage("projection")?;
        let mut map = kernel_map(rows, &axes, count, route);
        map.embedding = map.transform_in(run, data)?;
        if !map.embedding.iter().all(|value| value.is_finite()) {
            return Err(Error::too_large());
        }
        let mut model = KernelLdaModel {
            class_means: class_means(&map.embedding, &classes),
            map,
            n_left_out: classes.n_missing(),
            priors,
            all_ratios: axes.ratios,
            ridge: axes.ridge,
            counts: classes.counts.clone(),
            classes: classes.names.clone(),
            accuracy: 0.0,
        };
        model.accuracy = model.accuracy_of(run, &classes)?;
        Ok(model)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        let plan = match self.dictionary.count(n, 8) {
            None => Plan::new("discriminant axes from the kernel between all rows")
                .needs("kernel matrix and its factor", (n, n), 3 * 8)
                .needs_rows("training rows", shape),
            Some(m) => Plan::new(format!(
                "discriminant axes by Nyström features of {}",
                counted(m, "row")
            ))
            .needs("kernels and scatter of the landmarks", (m, m), 10 * 8)
            .needs("kernels of a batch of rows", (4096.min(n), m), 3 * 8)
            .needs("landmarks", (m, shape.n_columns), 2 * 8),
        };
        Ok(plan
            .needs("embedding and means", (n, 64.min(n)), 3 * 8)
            .advice(message!(
                "set {dictionary:parameter} to a number of {:rows}, such as 2000"
            )))
    }
}

impl KernelLda {
    /// The rows kept, the axes, and how they were found.
    fn axes(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        spec: KernelSpec,
        grouped: &Grouped<'_>,
    ) -> Result<(KernelRows, KernelAxes, String)> {
        let classes = grouped.classes;
        let labelled: Vec<u32> = (0_u32..)
            .zip(&classes.of_row)
            .filter_map(|(row, class)| class.map(|_| row))
            .collect();
        match self.dictionary.count(labelled.len(), 8) {
            None => {
                let rows = match classes.n_missing() {
                    0 => KernelRows::new(data, spec),
                    _ => KernelRows::of_rows(data, &labelled, spec)?,
                };
                let axes = grouped.exact(run, data, &rows)?;
                Ok((rows, axes, "kernels between all rows".into()))
            }
            Some(count) => {
                let chosen = random_rows(labelled.len(), count, self.seed);
                let chosen: Vec<u32> = chosen.iter().map(|&row| labelled[row as usize]).collect();
                let rows = KernelRows::of_rows(data, &chosen, spec)?;
                let axes = grouped.by_dictionary(run, data, &rows)?;
                let route = format!("Nyström features of {}", counted(count, "row"));
                Ok((rows, axes, route))
            }
        }
    }
}

/// Warns where the feature space separates the training rows whatever their classes are.
fn warn_separable(run: &Run<'_>, classes: &Classes, effective_dimension: f64) -> Result<()> {
    if ROWS_PER_DIMENSION * effective_dimension < classes.n_labelled() as f64 {
        return Ok(());
    }
    run.warn(Warning::doubtful(
        message!("the training accuracy is meaningless"),
        message!(
            "in the feature space of the kernel, {n:rows} of {k} classes can be separated whatever their classes are; use a wider \
             kernel (a smaller {gamma:parameter}) or a larger {regularization:parameter}, and cross-validate",
            n = classes.n_labelled(),
            k = classes.len()
        ),
    ))
}

/// The map to the first `count` axes, without coordinates of the training rows.
fn kernel_map(rows: KernelRows, axes: &KernelAxes, count: usize, route: String) -> KernelMap {
    let ratios = axes.ratios.slice(s![..count]).to_owned();
    KernelMap {
        rows,
        coefficients: axes.coefficients.slice(s![.., ..count]).to_owned(),
        offsets: axes.offsets.slice(s![..count]).to_owned(),
        mean_weights: axes.mean_weights.clone(),
        mean_square: axes.mean_square,
        orthonormal: false,
        values: ratios.clone(),
        embedding: Array2::zeros((0, count)),
        preimage: None,
        report: KernelReport {
            route,
            explained_share: Some(ratios / axes.ratios.sum()),
            ..KernelReport::default()
        },
    }
}

/// The mean coordinates of every class.
fn class_means(embedding: &Array2<f64>, classes: &Classes) -> Array2<f64> {
    let mut sums = Array2::<f64>::zeros((classes.len(), embedding.ncols()));
    for (row, class) in embedding.rows().into_iter().zip(&classes.of_row) {
        if let Some(class) = class {
            let mut sum = sums.row_mut(*class as usize);
            sum += &row;
        }
    }
    let counts: Array1<f64> = classes.counts.iter().map(|&count| count as f64).collect();
    sums / &counts.insert_axis(ndarray::Axis(1))
}
