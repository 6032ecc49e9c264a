//! Principal components in the feature space of a kernel: from the kernel matrix of all rows, or by the Nyström method
//! from a dictionary of some.
//!
//! Exact: the eigenpairs (λ, v) of J K J, with J = I − 1/n, give the training rows the coordinates √λ v. A row x has
//! Σⱼ k(x, xⱼ) vⱼ / √λ less the same for the mean, because v is orthogonal to the vector of ones.
//!
//! Nyström: with W = U L Uᵀ the kernels between the rows of a dictionary D, a row has the features
//! Φ(x) = k(x, D) U L^(−½): what the span of D holds of φ(x). The principal components of Φ follow from the mean and
//! the scatter of the lines k(x, D), which are summed in batches of rows, so that memory does not grow with them.
//!
//! Schölkopf, Smola and Müller 1998; Williams and Seeger, "Using the Nyström method to speed up kernel machines", 2001.

use ndarray::{Array1, Array2, Axis, s};

use crate::data::Data;
use crate::error::{Error, Result, Warning, message};
use crate::kernel::{Centred, KernelMatrix, KernelRows, Refined, RoughlyCentred};
use crate::linalg::block_krylov::{Effort, Symmetric, largest_from, random_start};
use crate::linalg::eigen::{self, Eigen, largest};
use crate::linalg::moments::Moments;
use crate::linalg::partial_eigen::leading;
use crate::linalg::product::{product, product_into};
use crate::parallel::{blocks, stack_rows};
use crate::random::{permutation, stream};
use crate::run::Run;

/// Up to this many rows the centred matrix is formed and all its eigenvalues are found.
const DENSE: usize = 512;
/// Residuals, as a fraction of the largest eigenvalue, down to which products in single precision lead.
const ROUGH: f64 = 1e-5;
/// Residuals below which kernels in single precision, of seven digits, carry no more information about the eigenvectors.
const SINGLE: f64 = 3e-8;
/// Negative eigenvalues below this fraction of the sum of all absolute values are rounding, and would be shown as 0.00 %.
const MIN_NEGATIVE_SHARE: f64 = 5e-5;
/// If less than this fraction of all sizes is left in the trace, a sampled fraction of negative ones does not determine the sizes.
const MOST_CANCELLED: f64 = 0.2;
/// Rows whose kernels with the dictionary are summed at once.
const BATCH: usize = 2048;

/// Options of kernel principal components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentOptions {
    /// Components.
    pub n_components: usize,
    /// Of these, only those that carry anything.
    pub all: bool,
    /// Residuals of the eigenpairs, as a fraction of the largest eigenvalue.
    pub tolerance: f64,
    /// Whether the kernel is positive semidefinite.
    pub semidefinite: bool,
    /// Seed of the random initialization.
    pub seed: u64,
}

/// Components, and how they came about. See [`KernelMap`](crate::model::KernelMap) for the letters.
#[derive(Clone, Debug)]
pub struct Components {
    /// The largest eigenvalues of the centred matrix, those beyond the rank 0.
    pub values: Array1<f64>,
    /// The coefficients A.
    pub coefficients: Array2<f64>,
    /// The offsets b.
    pub offsets: Array1<f64>,
    /// The weights w of the mean.
    pub mean_weights: Array1<f64>,
    /// The squared length of the mean.
    pub mean_square: f64,
    /// Coordinates of the training rows.
    pub embedding: Array2<f64>,
    /// The trace of the centred matrix.
    pub trace: f64,
    /// The sum of the sizes of its eigenvalues: the trace, unless some are negative. `None` if too many of them are,
    /// so that a sample does not determine it.
    pub sizes: Option<f64>,
    /// Components that carry anything.
    pub rank: usize,
    /// The negative eigenvalues' fraction of the sum of all sizes.
    pub negative_share: f64,
    /// The largest residual of the eigenpairs, as a fraction of the largest eigenvalue.
    pub residual: Option<f64>,
    /// The mean of the training rows' squared distances from their projections.
    pub mean_error: f64,
    /// The fraction of the rows' squared lengths that is outside the span of the landmarks.
    pub dictionary_error: Option<f64>,
    /// How the eigenpairs were found.
    pub route: String,
}

/// Eigenpairs of the centred matrix, with what else was found on the way.
struct Pairs {
    eigen: Eigen,
    /// The sum of the sizes of all eigenvalues, if all were found.
    sizes: Option<f64>,
    residual: Option<f64>,
    negative_share: f64,
    route: String,
}

/// The components of the rows between which `matrix` holds the kernels.
pub(crate) fn exact(
    run: &Run<'_>,
    matrix: &KernelMatrix<'_>,
    options: ComponentOptions,
) -> Result<Components> {
    let size = matrix.n_rows();
    let own = matrix.diagonal();
    let means = matrix.row_means(run)?;
    let mean_square = means.mean().unwrap_or(0.0);
    let floor = floor(matrix, &own);
    let pairs = if size <= DENSE {
        dense(matrix, &means, options, floor)?
    } else {
        iterative(run, matrix, options, floor)?
    };
    let (rank, n_components) = checked_rank(run, &pairs.eigen.values, floor, options)?;
    warn_of_negative(run, pairs.negative_share)?;
    let mut values = Array1::zeros(n_components);
    let mut coefficients = Array2::zeros((size, n_components));
    let mut embedding = coefficients.clone();
    for index in 0..rank {
        let (value, vector) = (pairs.eigen.values[index], pairs.eigen.vectors.row(index));
        // Rounding apart, it is orthogonal to the vector of ones.
        let vector = &vector - vector.mean().unwrap_or(0.0);
        values[index] = value;
        embedding
            .column_mut(index)
            .assign(&(&vector * value.sqrt()));
        coefficients
            .column_mut(index)
            .assign(&(vector / value.sqrt()));
    }
    let errors = (own.iter().zip(&means)).zip(embedding.rows());
    let errors = errors
        .map(|((own, mean), point)| (own - 2.0 * mean + mean_square - point.dot(&point)).max(0.0));
    let mean_error = errors.sum::<f64>() / size as f64;
    let trace = own.sum() - size as f64 * mean_square;
    Ok(Components {
        values,
        offsets: means.dot(&coefficients),
        coefficients,
        mean_weights: Array1::from_elem(size, 1.0 / size as f64),
        mean_square,
        trace,
        sizes: pairs.sizes.or(sizes(trace, pairs.negative_share)),
        embedding,
        rank,
        negative_share: pairs.negative_share,
        residual: pairs.residual,
        mean_error,
        dictionary_error: None,
        route: pairs.route,
    })
}

/// Eigenvalues below this are rounding.
fn floor(matrix: &KernelMatrix<'_>, own: &Array1<f64>) -> f64 {
    let scale = largest(own.view()).abs();
    let size = own.len() as f64;
    match matrix {
        // Independent roundings of n² entries have eigenvalues of √n times their size.
        KernelMatrix::Single(_) => 4.0 * size.sqrt() * f64::from(f32::EPSILON) * scale,
        _ => size * f64::EPSILON * scale,
    }
}

/// How many components carry anything, and how many are kept; with a warning if more are requested than have a nonzero eigenvalue.
fn checked_rank(
    run: &Run<'_>,
    values: &Array1<f64>,
    floor: f64,
    options: ComponentOptions,
) -> Result<(usize, usize)> {
    let first = values.first().copied().unwrap_or(0.0);
    if first <= floor {
        return Err(Error::degenerate(message!(
            "the centred kernel matrix has no positive eigenvalue: all {:rows} look alike to \
             this kernel; try another {gamma:parameter} or another kernel"
        )));
    }
    let floor = floor.max(first * values.len() as f64 * f64::EPSILON);
    let real = values.iter().take(options.n_components);
    let rank = real.take_while(|&&value| value > floor).count();
    if options.all {
        return Ok((rank, rank));
    }
    if rank < options.n_components {
        run.warn(Warning::RankDeficient {
            requested: options.n_components,
            rank,
        })?;
    }
    Ok((rank, options.n_components))
}

fn warn_of_negative(run: &Run<'_>, share: f64) -> Result<()> {
    if share < MIN_NEGATIVE_SHARE {
        return Ok(());
    }
    run.warn(Warning::doubtful(
        message!("the kernel"),
        message!(
            "it is not positive semidefinite: negative eigenvalues are {:.2} % of the sum of all \
             absolute values, and coordinates leave them out",
            100.0 * share
        ),
    ))
}

fn dense(
    matrix: &KernelMatrix<'_>,
    means: &Array1<f64>,
    options: ComponentOptions,
    floor: f64,
) -> Result<Pairs> {
    let (eigen, all) = leading(&centred(matrix.wide(), means).view(), options.n_components)?;
    Ok(Pairs {
        eigen,
        sizes: Some(all.iter().map(|value| value.abs()).sum()),
        residual: None,
        negative_share: negative_share(&all, floor),
        route: "all eigenvalues of the centred matrix".into(),
    })
}

/// J K J, formed.
fn centred(kernel: Array2<f64>, means: &Array1<f64>) -> Array2<f64> {
    let mean = means.mean().unwrap_or(0.0);
    let columns = means.clone().insert_axis(Axis(1));
    let centred = kernel - means - &columns + mean;
    (&centred + &centred.t()) * 0.5
}

/// The sum P + N of all sizes, from the trace P − N and the fraction N / (P + N).
fn sizes(trace: f64, negative_share: f64) -> Option<f64> {
    let left = 1.0 - 2.0 * negative_share;
    (left > MOST_CANCELLED && trace > 0.0).then(|| trace / left)
}

fn negative_share(values: &Array1<f64>, floor: f64) -> f64 {
    let sizes: f64 = values.iter().map(|value| value.abs()).sum();
    let negative = values.iter().filter(|value| **value < -floor);
    let negative: f64 = negative.map(|value| value.abs()).sum();
    if sizes > 0.0 { negative / sizes } else { 0.0 }
}

fn iterative(
    run: &Run<'_>,
    matrix: &KernelMatrix<'_>,
    options: ComponentOptions,
    floor: f64,
) -> Result<Pairs> {
    let effort = Effort {
        tolerance: match matrix {
            KernelMatrix::Single(_) => options.tolerance.max(SINGLE),
            _ => options.tolerance,
        },
        max_products: 300,
        seed: options.seed,
    };
    let mut start = random_start(matrix.n_rows(), options.n_components, options.seed);
    let mut n_rough = 0;
    let mut refined = None;
    if let KernelMatrix::Single(numbers) = matrix {
        let rough = Effort {
            tolerance: options.tolerance.max(ROUGH),
            max_products: 30,
            ..effort
        };
        let operator = RoughlyCentred(numbers);
        let (found, next) = largest_from(run, &operator, options.n_components, start, &rough)?;
        (start, n_rough) = (next, found.n_products);
        refined = Refined::new(matrix).filter(|_| found.converged);
        run.stage("eigenvectors in double precision")?;
    }
    let wide = Centred(matrix);
    let operator: &dyn Symmetric = match &refined {
        Some(refined) => refined,
        None => &wide,
    };
    let (found, _) = largest_from(run, operator, options.n_components, start, &effort)?;
    if !found.converged {
        run.warn(Warning::NotConverged {
            what: message!("the eigenvectors of the centred kernel"),
            reached: message!("the residual is {:.1e}", found.residual),
        })?;
    }
    Ok(Pairs {
        eigen: found.eigen,
        sizes: None,
        residual: Some(found.residual),
        negative_share: if options.semidefinite {
            0.0
        } else {
            sampled_negative_share(matrix, options.seed, floor)?
        },
        route: format!(
            "block Krylov with products of the centred matrix ({} of them)",
            n_rough + found.n_products
        ),
    })
}

/// The fraction among the kernels between some rows.
fn sampled_negative_share(matrix: &KernelMatrix<'_>, seed: u64, floor: f64) -> Result<f64> {
    let mut indices = permutation(&mut stream(seed, 1), matrix.n_rows());
    indices.truncate(DENSE);
    indices.sort_unstable();
    let among = matrix.among(&indices);
    let means = among.mean_axis(Axis(1)).expect("a kernel has rows");
    let values = eigen::symmetric_values(&centred(among, &means).view())?;
    Ok(negative_share(&values, floor))
}

/// The components of all rows of `data`, as far as the span of the rows of a dictionary holds them.
pub(crate) fn by_dictionary(
    run: &Run<'_>,
    data: &Data<'_>,
    dictionary: &KernelRows,
    options: ComponentOptions,
) -> Result<Components> {
    let n = data.n_rows() as f64;
    run.stage("kernels of the landmarks")?;
    let among = KernelMatrix::of(run, dictionary, data)?;
    let diagonal = among.diagonal();
    let floor = floor(&among, &diagonal);
    let spectrum = eigen::symmetric(&among.wide().view())?;
    let share = if options.semidefinite {
        0.0
    } else {
        negative_share(&spectrum.values, floor)
    };
    warn_of_negative(run, share)?;
    let basis = whitening(&spectrum, floor)?;
    let moments = summed(run, data, dictionary)?;
    run.stage("eigenvectors")?;
    let scatter = product(&moments.scatter().view(), &basis.view());
    let scatter = product(&basis.t(), &scatter.view());
    let (pairs, all) = leading(&scatter.view(), options.n_components)?;
    let (rank, n_components) = checked_rank(run, &pairs.values, floor, options)?;
    let directions = pairs.vectors.slice(s![..rank, ..]);
    let mut coefficients = Array2::zeros((dictionary.n_rows(), n_components));
    coefficients
        .slice_mut(s![.., ..rank])
        .assign(&product(&basis.view(), &directions.t()));
    let mut values = Array1::zeros(n_components);
    values
        .slice_mut(s![..rank])
        .assign(&pairs.values.slice(s![..rank]));
    run.stage("coordinates")?;
    let mut embedding = embed_rows(run, data, dictionary, &coefficients)?;
    fix_signs(&mut coefficients, &mut embedding);
    let offsets = moments.mean().dot(&coefficients);
    embedding -= &offsets;
    let middle = moments.mean().dot(&basis);
    let mean_square = middle.dot(&middle);
    let squares = dictionary.own(run, data)?.sum();
    let within = all.sum() + n * mean_square;
    let trace = squares - n * mean_square;
    Ok(Components {
        mean_error: ((trace - values.sum()) / n).max(0.0),
        dictionary_error: Some(if squares > 0.0 {
            ((squares - within) / squares).max(0.0)
        } else {
            0.0
        }),
        values,
        coefficients,
        offsets,
        mean_weights: basis.dot(&middle),
        mean_square,
        embedding,
        trace,
        sizes: sizes(trace, share),
        rank,
        negative_share: share,
        residual: None,
        route: format!("Nyström features of {} rows", dictionary.n_rows()),
    })
}

/// U L^(−½) of the eigenvalues that are not rounding.
fn whitening(spectrum: &Eigen, floor: f64) -> Result<Array2<f64>> {
    let first = spectrum.values.first().copied().unwrap_or(0.0);
    let floor = floor.max(first * spectrum.values.len() as f64 * f64::EPSILON);
    let kept = spectrum.values.iter().take_while(|&&v| v > floor).count();
    if kept == 0 {
        return Err(Error::degenerate(message!(
            "the kernel matrix of the landmarks has no positive eigenvalue"
        )));
    }
    let roots = spectrum.values.slice(s![..kept]).mapv(f64::sqrt);
    Ok(&spectrum.vectors.slice(s![..kept, ..]).t() / &roots)
}

/// Mean and scatter of the kernels of all rows with the dictionary.
fn summed(run: &Run<'_>, data: &Data<'_>, dictionary: &KernelRows) -> Result<Moments> {
    run.stage("kernels of all rows")?;
    let mut moments = Moments::new(dictionary.n_rows());
    // Progress is reported over all batches, not within each.
    let quiet = Run::new();
    for rows in blocks(data.n_rows(), BATCH) {
        let end = rows.end as u64;
        let batch = dictionary.batch(run, data, rows)?;
        moments.add(&quiet, &batch.view())?;
        run.progress(end, data.n_rows() as u64)?;
    }
    if moments.is_finite() {
        Ok(moments)
    } else {
        Err(Error::too_large())
    }
}

/// k(x, D) A for all rows.
fn embed_rows(
    run: &Run<'_>,
    data: &Data<'_>,
    dictionary: &KernelRows,
    coefficients: &Array2<f64>,
) -> Result<Array2<f64>> {
    let width = coefficients.ncols();
    let parts = dictionary.map(run, data, |_, kernels| {
        let mut part = Array2::zeros((kernels.nrows(), width));
        product_into(part.view_mut(), &kernels.view(), &coefficients.view());
        part
    })?;
    Ok(stack_rows(&parts, width))
}

/// Makes the coordinate of largest size, about the mean, positive in every component: as it is for eigenvectors.
fn fix_signs(coefficients: &mut Array2<f64>, embedding: &mut Array2<f64>) {
    for (mut coefficient, mut column) in coefficients
        .columns_mut()
        .into_iter()
        .zip(embedding.columns_mut())
    {
        let mean = column.mean().unwrap_or(0.0);
        if largest((&column - mean).view()) < 0.0 {
            coefficient.mapv_inplace(|v| -v);
            column.mapv_inplace(|v| -v);
        }
    }
}
