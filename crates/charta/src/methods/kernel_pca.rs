//! Kernel PCA: principal components in the feature space of a kernel, for nonlinear structure.
//!
//! # Idea
//! A kernel is the inner product of two rows after a map φ into a high-dimensional feature space. Principal components there are found from
//! the kernels between rows alone, without ever computing φ. Linear functions in that space are nonlinear in the features: with a Gaussian kernel, the first
//! components separate two concentric rings.
//!
//! # Steps
//! 1. [`kernel::Kernel`](crate::kernel::Kernel): the kernel with its width.
//! 2. `kernel::KernelMatrix`: kernels between all rows, or
//!    [`kernel::Dictionary`](crate::kernel::Dictionary): landmarks of the Nyström approximation.
//! 3. `kernel::components`: the leading eigenpairs of the centred matrix,
//!    or of the scatter of the Nyström features.
//! 4. [`model::KernelMap`](crate::model::KernelMap): new rows by their kernels with the landmarks.
//!
//! # Objective
//! Minimize the mean of ‖φ(x) − Π φ(x)‖² over planes Π of k dimensions through the mean of the feature space. With (λ, v) the largest
//! eigenpairs of J K J, J = I − 1/n, the training rows have the coordinates √λ v. `mean_reconstruction_error` is that minimum,
//! `explained_variance_ratio` is λ over the sum of the sizes of all eigenvalues of J K J (its trace, unless the kernel has negative
//! ones), and `distance_loss` is the mean over all pairs of rows of d² − d̂², with d the distance in the feature space and d̂ that
//! between coordinates: both squared, which makes it
//! 2 (trace(J K J) − Σ λ) / (n − 1). With landmarks the trace is n times the mean of k(x, x) − ‖Pμ‖², with Pμ the part of the mean μ
//! in the span of the landmarks: not less than the exact one, so that `distance_loss` is an upper bound.
//!
//! # Cost
//! With n rows and d columns, exact: n² d / 2 for the kernels, n² numbers in the precision of the features, then about ten products of
//! the matrix with k + 8 vectors; up to 512 rows all eigenvalues are found instead. With m landmarks: n m d twice and n m² / 2
//! for kernels and scatter, m³ for eigenpairs; memory for m² numbers and the embedding, whatever n.
//!
//! # Choosing parameters
//! `gamma` makes the kernel narrow or wide; for the Gaussian kernel `sigma` may be given in its place, γ = 1/(2σ²). By default it is 1 / median of the squared distances (for `laplacian`, of the sums of
//! differences) between all pairs of up to 512 rows. Too narrow, and every row is far from all others, with a flat spectrum; too wide,
//! and the result is that of linear PCA. `gamma = validated` tries 9 values around it, powers of 2 from 1/16 to
//! 16 times, on up to 1,000 rows in 3 folds. If the rows have labels, the criterion is the accuracy of a linear classifier (LDA) of the coordinates on held-out rows:
//! nearest neighbours would find classes in linear PCA already, where one ring surrounds another. Without labels it
//! is the squared reconstruction error of held-out rows, after projection and pre-image (Alam and Fukumizu 2014): errors in feature spaces cannot be compared
//! between widths. `dictionary`
//! bounds memory; `nystrom_error` is the fraction of the rows' squared norms in the feature space that it does not represent. `k_means` needs
//! fewer rows for the same error than `random`, and more time; `leverage` is for data with a few outlying rows. On 600
//! images of Fashion-MNIST 50 rows left 0.225 more error than all rows if `random`, 0.249 by `leverage` and 0.031 by `k_means`; 300 rows
//! left 0.0221, 0.0214 and 0.003.
//!
//! # New points
//! y = k(x, D) A − b, with D the landmarks, or all rows. The reconstruction error ‖φ(x) − Π φ(x)‖² of any row is known too, as a novelty score. The inverse
//! transform is a pre-image (`kernel::Preimage`): a row whose image is nearest to the projection,
//! by the fixed-point iteration of Mika et al. (each step halved until the error decreases), or ridge regression of the features on the coordinates, as
//! scikit-learn's `fit_inverse_transform`. Denoising is projection and pre-image, with the row itself as initialization. A kernel
//! function must be given again with new rows; a model of a kernel matrix takes kernels with all training rows.
//!
//! # Differences
//! From the paper: components beyond the rank are zero, with a warning, and negative eigenvalues (of kernels that are no inner products)
//! are reported as a fraction. From scikit-learn: the default kernel is `rbf` with the median heuristic, where scikit-learn's is `linear`
//! and 1 / columns (here `gamma = columns`); the sign of a component makes its largest coordinate positive; few eigenpairs come from
//! block Krylov with residuals checked, not from ARPACK or a randomized solver.
//!
//! # References
//! - Schölkopf, Smola, Müller: Nonlinear component analysis as a kernel eigenvalue problem. Neural Computation, 1998.
//! - Williams, Seeger: Using the Nyström method to speed up kernel machines. NIPS, 2001.
//! - Zhang, Tsang, Kwok: Improved Nyström low-rank approximation and error analysis. ICML, 2008. (k-means)
//! - Musco, Musco: Recursive sampling for the Nyström method. NIPS, 2017. (leverage)
//! - Alam, Fukumizu: Hyperparameter selection in kernel principal component analysis. Journal of Computer Science, 2014.
//! - Mika, Schölkopf, Smola, Müller, Scholz, Rätsch: Kernel PCA and de-noising in feature spaces. NIPS, 1999.
//! - Bakır, Weston, Schölkopf: Learning to find pre-images. NIPS, 2004.
//! - Hoffmann: Kernel PCA for novelty detection. Pattern Recognition, 2007.
//!
//! # Example
//! ```
//! use charta::dimension::ComponentCount;
//! use charta::methods::kernel_pca::KernelPca;
//! use charta::{Fit, Model};
//!
//! let data = charta::data::synthetic::swiss_roll(200, 0.1, 0)?;
//! let model = KernelPca { n_components: ComponentCount::Count(3), ..KernelPca::default() }.fit(&data)?;
//! let errors = model.as_row_errors().unwrap().row_errors_in(&charta::Run::new(), &(&data).into())?;
//! assert_eq!(model.embedding().unwrap().dim(), (200, 3));
//! assert!(errors.iter().all(|&error| error < 1.0));
//! # Ok::<(), charta::Error>(())
//! ```

use crate::cluster::KMeansOptions;
use crate::data::{Classes, Data, Features, Fold, Source};
use crate::dimension::ComponentCount;
use crate::error::{Because, Error, Result, Warning, counted, message};
use crate::kernel::components::{ComponentOptions, by_dictionary, exact};
use crate::kernel::{
    Dictionary, DictionaryChoice, Gamma, Kernel, KernelMatrix, KernelRows, KernelSpec,
    PreimageOptions, leverage_rows, random_rows,
};
use crate::linalg::centred::doubly_centred;
use crate::method::steps::check_room;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape, Step, Steps};
use crate::model::{KernelMap, KernelReport, Model, Transform};
use crate::params::Parameters;
use crate::quality::n_right_linearly;
use crate::random::{permutation, stream};
use crate::run::{Quiet, Run};

/// Folds of the cross-validation of γ.
const FOLDS: usize = 3;
/// Rows of the cross-validation, at most.
const MAX_VALIDATED: usize = 1000;
/// Iterations of k-means, at most: a dictionary needs no better centres.
const K_MEANS_ITERATIONS: usize = 10;

/// Parameters of kernel PCA.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct KernelPca {
    /// Number of principal components to keep; usually 2 or 3 for a picture, more as features for other methods.
    #[param(default = ComponentCount::Count(2))]
    pub n_components: ComponentCount,
    /// The kernel.
    #[param(flatten, default = Kernel::default())]
    pub kernel: Kernel,
    /// Number of landmarks of the Nyström approximation. More landmarks are closer to exact kernel PCA and cost more time and memory; usually 500 to 5000.
    #[param(default = Dictionary::Auto)]
    pub dictionary: Dictionary,
    /// How the landmarks are chosen. `random` is the fastest; `k_means` and `leverage` approximate the kernel better with the same number
    /// of landmarks.
    #[param(default = DictionaryChoice::Random)]
    pub dictionary_choice: DictionaryChoice,
    /// How pre-images are found for the inverse transform.
    #[param(flatten, default = PreimageOptions::default())]
    pub pre_image: PreimageOptions,
    /// Convergence tolerance of the eigenvectors: their residual relative to the largest eigenvalue. Larger values are faster and less exact; usually 1e-12 to 1e-4. For features in single precision it is at least 3e-8.
    #[param(default = 1e-10, above = 0.0, max = 0.01)]
    pub tolerance: f64,
    /// Seed of the random initialization, the landmarks and the folds.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for KernelPca {
    const INFO: Info = Info {
        name: "kernel_pca",
        title: "Kernel PCA",
        summary: "Kernel PCA: principal components in the feature space of a kernel, for nonlinear structure",
        family: Family::Kernel,
        reference: "Schölkopf, Smola and Müller 1998",
        takes: &[Input::Sparse, Input::Kernel],
        offers: &[
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Spectrum,
            Capability::Steps,
        ],
        labels: LabelUse::Optional,
        transform_error: 1e-6,
        ..Info::DEFAULT
    };

    type Model = KernelMap;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KernelMap> {
        data.check_finite()?;
        self.size(&Shape::of(data))?;
        let mut report = KernelReport::default();
        let spec = self.spec(run, data, &mut report)?;
        self.model(run, data, spec, report)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        data.check_finite()?;
        self.size(&Shape::of(data))?;
        check_room(run, data.n_rows(), 4)?;
        let spec = self.spec(run, data, &mut KernelReport::default())?;
        run.stage("kernel matrix")?;
        let rows = KernelRows::new(data, spec);
        let kernel = KernelMatrix::of(run, &rows, data)?.wide();
        let centred = doubly_centred(kernel.clone());
        Ok(Steps::of_all(vec![
            Step::new(
                "K",
                "the kernel between all rows, also where the fit uses landmarks only",
                kernel,
            ),
            Step::new(
                "K_centred",
                "J K J with J = I − 1/n: the kernel of the rows about their mean, whose largest eigenvectors are the map",
                centred,
            ),
        ]))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, q) = (shape.n_rows, self.size(shape)?);
        let width = q.saturating_add(8);
        let plan = match self.n_kept(shape) {
            None => {
                let plan = Plan::new("eigenvectors of the kernel between all rows");
                let plan = if shape.features {
                    plan.needs("kernel matrix", (n, n), shape.precision.bytes())
                } else {
                    plan
                };
                plan.needs(
                    "whole spectrum of few rows",
                    (n.min(512), n.min(512)),
                    8 * 8,
                )
                .needs("vectors of the iteration", (n, width.saturating_mul(16)), 8)
                .needs_rows("training rows", shape)
            }
            Some(m) => Plan::new(format!("Nyström features of {}", counted(m, "row")))
                .needs("kernels and scatter of the landmarks", (m, m), 10 * 8)
                .needs("kernels of a batch of rows", (4096.min(n), m), 2 * 8)
                .needs("landmarks", (m, shape.n_columns), 2 * 8)
                .needs("coefficients", (m, q), 3 * 8)
                .needs(
                    "sample for the centres",
                    (self.dictionary_choice.n_sampled(m).min(n), shape.n_columns),
                    shape.precision.bytes(),
                ),
        };
        Ok(plan.needs("embedding", (n, q), 3 * 8).advice(message!(
            "set {dictionary:parameter} to a number of {:rows}, such as 2000"
        )))
    }
}

impl KernelPca {
    /// Number of landmarks; `None` if all rows are taken.
    fn n_kept(&self, shape: &Shape) -> Option<usize> {
        let dictionary = self.dictionary.of_matrix(!shape.features);
        dictionary.count(shape.n_rows, shape.precision.bytes())
    }

    /// The kernel with its parameters, chosen by cross-validation if that is requested.
    fn spec(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        report: &mut KernelReport,
    ) -> Result<KernelSpec> {
        match self.kernel.gamma {
            Gamma::Validated if self.kernel.sigma.is_none() => {
                self.cross_validated(run, data, report)
            }
            _ => self.kernel.resolve(run, data),
        }
    }

    /// The number of components, at most: with all that carry anything, there may be fewer.
    fn size(&self, shape: &Shape) -> Result<usize> {
        let n = shape.n_rows;
        if n < 2 {
            return Err(Error::too_few_rows(message!("kernel PCA"), 2, n));
        }
        let basis = self.n_kept(shape);
        let (most, because) = match basis {
            Some(m) if m < n => (m, message!("there are {m} landmarks").into()),
            _ => (n - 1, Because::Rows(n)),
        };
        self.n_components.of(most, because)
    }

    fn model(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        spec: KernelSpec,
        mut report: KernelReport,
    ) -> Result<KernelMap> {
        let by_spec =
            matches!(data.source(), Source::Features(_)) && data.kernel_function().is_none();
        let options = ComponentOptions {
            n_components: self.size(&Shape::of(data))?,
            all: self.n_components == ComponentCount::All,
            tolerance: self.tolerance,
            semidefinite: by_spec && spec.is_semidefinite(),
            seed: self.seed,
        };
        let (rows, found) = match self.n_kept(&Shape::of(data)) {
            None => {
                run.stage("kernel matrix")?;
                let rows = KernelRows::new(data, spec);
                let matrix = KernelMatrix::of(run, &rows, data)?;
                run.stage("eigenvectors")?;
                let found = exact(run, &matrix, options)?;
                (rows, found)
            }
            Some(count) => {
                run.stage("landmarks")?;
                let rows = self.dictionary_rows(run, data, spec, count)?;
                let found = by_dictionary(run, data, &rows, options)?;
                (rows, found)
            }
        };
        report.note(&found, data.n_rows());
        let preimage = self.pre_image.choose(&rows)?;
        Ok(KernelMap {
            rows,
            coefficients: found.coefficients,
            offsets: found.offsets,
            mean_weights: found.mean_weights,
            mean_square: found.mean_square,
            orthonormal: true,
            values: found.values,
            embedding: found.embedding,
            preimage,
            report,
        })
    }

    /// The landmarks.
    fn dictionary_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        spec: KernelSpec,
        count: usize,
    ) -> Result<KernelRows> {
        let rows = match self.dictionary_choice {
            _ if count == data.n_rows() => random_rows(count, count, self.seed),
            DictionaryChoice::Random => random_rows(data.n_rows(), count, self.seed),
            DictionaryChoice::Leverage => leverage_rows(run, data, spec, count, self.seed)?,
            DictionaryChoice::KMeans => return self.k_means_centres(run, data, spec, count),
        };
        KernelRows::of_rows(data, &rows, spec)
    }

    fn k_means_centres(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        spec: KernelSpec,
        count: usize,
    ) -> Result<KernelRows> {
        let Source::Features(features) = data.source() else {
            return Err(Error::unsupported(
                message!("{dictionary_choice=k_means}"),
                message!(
                    "needs features, but was given a kernel matrix: choose {'random'} or {'leverage'}"
                ),
            ));
        };
        let sample = random_rows(
            features.n_rows(),
            self.dictionary_choice.n_sampled(count),
            self.seed.wrapping_add(1),
        );
        let sample: Vec<usize> = sample.into_iter().map(|row| row as usize).collect();
        let sample = features.select_rows(&sample)?;
        let method = KMeansOptions {
            n_clusters: count,
            n_init: 1,
            max_iterations: K_MEANS_ITERATIONS,
            seed: self.seed,
            ..KMeansOptions::default()
        };
        let watched = Quiet(run);
        let within = Run::new().observer(&watched);
        let found = method.fit(&within, &Data::new(sample.view()))?;
        KernelRows::of_others(data, &Features::from(&found.centers), spec)
    }

    /// The kernel with the γ that scores best on held-out rows; all scores are reported.
    fn cross_validated(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        report: &mut KernelReport,
    ) -> Result<KernelSpec> {
        self.check_validation(data)?;
        run.stage("choice of gamma")?;
        let middle = self.kernel.resolve(run, data)?;
        // Labels that are numbers are no classes.
        let classes = data.classes(Self::INFO.name).ok();
        let mut order = permutation(&mut stream(self.seed, 3), data.n_rows());
        order.truncate(MAX_VALIDATED);
        let mut tried: Vec<(f64, f64)> = (-4..=4)
            .map(|power| (middle.gamma * 2.0_f64.powi(power), 0.0))
            .collect();
        let watched = Quiet(run);
        let within = Run::new().observer(&watched);
        let total = (FOLDS * tried.len()) as u64;
        for number in 0..FOLDS {
            let fold = Fold::of(data, &order, number, FOLDS)?;
            for (place, (gamma, score)) in tried.iter_mut().enumerate() {
                let spec = self.kernel.with_gamma(*gamma);
                let found = match self.score(&within, &fold, spec, classes.as_ref()) {
                    // A width at which all rows look alike.
                    Err(Error::Degenerate { .. }) if classes.is_some() => 0.0,
                    Err(Error::Degenerate { .. }) => f64::INFINITY,
                    found => found?,
                };
                *score += found / order.len() as f64;
                run.progress((number * 9 + place + 1) as u64, total)?;
            }
        }
        // Accuracies should be high, errors low; of equal ones the widest kernel.
        let sign = if classes.is_some() { -1.0 } else { 1.0 };
        let best = tried
            .iter()
            .min_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))
            .map_or(middle.gamma, |best| best.0);
        report.criterion = Some(match classes {
            Some(_) => "accuracy of a linear classifier on held-out rows".into(),
            None => {
                "mean squared reconstruction error of held-out rows, by their pre-images".into()
            }
        });
        let at_the_edge = tried.first().is_some_and(|first| first.0 == best)
            || tried.last().is_some_and(|last| last.0 == best);
        if at_the_edge {
            run.warn(Warning::doubtful(
                message!("{gamma:setting}", gamma = best),
                message!(
                    "the best value is at the end of the range tried: values beyond it may be better"
                ),
            ))?;
        }
        report.tried = tried;
        Ok(self.kernel.with_gamma(best))
    }

    fn check_validation(&self, data: &Data<'_>) -> Result<()> {
        let features = matches!(data.source(), Source::Features(_));
        if !features || data.kernel_function().is_some() {
            return Err(Error::unsupported(
                message!("{gamma=validated}"),
                message!(
                    "tries kernels of features, but was given a kernel matrix or function: choose \
                     {'auto'}"
                ),
            ));
        }
        if !self.kernel.kernel.has_gamma() {
            return Err(Error::one_of(
                "gamma",
                &["auto"],
                message!("this kernel has no width to choose"),
                "validated",
            ));
        }
        let needed = 2 * FOLDS;
        if data.n_rows() >= needed {
            return Ok(());
        }
        Err(Error::too_few_rows(
            message!("{gamma=validated}, which holds out a third of the {:rows},"),
            needed,
            data.n_rows(),
        ))
    }

    /// The number of held-out rows classified correctly, or the sum of their squared reconstruction errors.
    fn score(
        &self,
        run: &Run<'_>,
        fold: &Fold<'_, '_>,
        spec: KernelSpec,
        classes: Option<&Classes>,
    ) -> Result<f64> {
        let data = fold.kept()?;
        let mut fitted = self.clone();
        fitted.dictionary = Dictionary::All;
        if let ComponentCount::Count(count) = self.n_components {
            fitted.n_components = ComponentCount::Count(count.min(data.n_rows() - 1));
        }
        let model = fitted.model(run, &data, spec, KernelReport::default())?;
        let new = fold.held_out();
        let Some(classes) = classes else {
            // From the coordinates alone: an iteration that starts at the held-out row would know it.
            let Some(inverse) = model.as_inverse() else {
                return Err(Error::not(
                    "pre_image",
                    message!(
                        "{gamma=validated} without labels compares pre-images with the {:rows}"
                    ),
                    "none",
                ));
            };
            let coordinates = model.transform_in(run, &new)?;
            let back = inverse.inverse_transform_in(run, &coordinates.view())?;
            let given = fold.held_out_features().dense_rows(0, back.nrows());
            return Ok((back - given).iter().map(|v| v * v).sum());
        };
        let of = |rows: &[usize]| {
            rows.iter()
                .map(|&row| classes.of_row[row])
                .collect::<Vec<_>>()
        };
        let (known, unknown) = (of(&fold.inside), of(&fold.outside));
        let coordinates = model.transform_in(run, &new)?;
        let embedding = &model.embedding;
        n_right_linearly(&embedding.view(), &known, &coordinates.view(), &unknown)
    }
}
