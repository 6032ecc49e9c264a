//! Rows kept to be compared by a kernel with new ones.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use super::tiles::{BLOCK, Tiles};
use super::{KernelKind, KernelSpec};
use crate::data::loaded::{check_at_least, check_features, check_indices, unfit};
use crate::data::{Data, Features, KernelFunction, OwnedFeatures, Source};
use crate::error::{Error, Result, message};
use crate::metric::{Table, largest};
use crate::parallel::{blocks, map_blocks, stack_rows, try_for_each};
use crate::run::Run;

/// New rows that are brought to the precision of the reference rows at a time.
const BATCH: usize = 4096;

/// Kernels of some rows, a line each, with all reference rows, in the precision in which they were computed.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Single precision.
    Single(Array2<f32>),
    /// Double precision.
    Double(Array2<f64>),
}

impl Block {
    /// The kernels in double precision.
    pub(crate) fn wide(self) -> Array2<f64> {
        match self {
            Self::Single(x) => x.mapv(f64::from),
            Self::Double(x) => x,
        }
    }

    /// The kernels as features: a column for every reference row.
    pub(crate) fn view(&self) -> Features<'_> {
        match self {
            Self::Single(x) => Features::F32(x.view()),
            Self::Double(x) => Features::F64(x.view()),
        }
    }
}

/// Rows that new ones are compared with by a kernel, kept in their own precision; nothing but their number if they are known by
/// a kernel matrix only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KernelRows {
    rows: Kept,
    by_function: bool,
    spec: KernelSpec,
}

/// What is kept of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kept {
    /// Their features.
    Features(OwnedFeatures),
    /// Rows of a kernel matrix.
    Matrix {
        /// Number of rows of the matrix.
        n_fitted: usize,
        /// Which of them they are, if not all.
        indices: Option<Vec<u32>>,
    },
}

impl KernelRows {
    /// Keeps all rows of `data`.
    pub(crate) fn new(data: &Data<'_>, spec: KernelSpec) -> Self {
        let rows = match data.source() {
            Source::Features(features) => Kept::Features(canonical(features.to_features())),
            _ => Kept::Matrix {
                n_fitted: data.n_rows(),
                indices: None,
            },
        };
        Self::with(data, rows, spec)
    }

    /// Keeps some rows of `data`.
    pub(crate) fn of_rows(data: &Data<'_>, indices: &[u32], spec: KernelSpec) -> Result<Self> {
        let chosen: Vec<usize> = indices.iter().map(|&index| index as usize).collect();
        let rows = match data.source() {
            Source::Features(features) => Kept::Features(canonical(features.select_rows(&chosen)?)),
            _ => Kept::Matrix {
                n_fitted: data.n_rows(),
                indices: Some(indices.to_vec()),
            },
        };
        Ok(Self::with(data, rows, spec))
    }

    /// Keeps other rows than those of `data`, compared in the same way and brought to the same kind: means of groups, for one.
    pub(crate) fn of_others(
        data: &Data<'_>,
        others: &Features<'_>,
        spec: KernelSpec,
    ) -> Result<Self> {
        let features = data.features("the kernel")?;
        let rows = Kept::Features(canonical(others.to_kind_of(features)?));
        Ok(Self::with(data, rows, spec))
    }

    fn with(data: &Data<'_>, rows: Kept, spec: KernelSpec) -> Self {
        Self {
            rows,
            by_function: data.kernel_function().is_some(),
            spec,
        }
    }

    /// Fails if what was loaded does not fit together.
    pub(crate) fn validate(&self) -> Result<()> {
        check_at_least("the number of reference rows", self.n_rows(), 1)?;
        match &self.rows {
            Kept::Features(rows) => {
                check_features("the reference rows", rows)?;
                if !is_canonical(rows) {
                    return Err(unfit("the reference rows", "columns in order", "others"));
                }
            }
            Kept::Matrix { n_fitted, indices } => {
                let indices = indices.iter().flatten();
                check_indices("the reference rows' indices", indices, *n_fitted)?;
            }
        }
        self.spec.validate()
    }

    /// Number of reference rows.
    pub(crate) fn n_rows(&self) -> usize {
        match &self.rows {
            Kept::Features(rows) => rows.view().n_rows(),
            Kept::Matrix { n_fitted, indices } => indices.as_ref().map_or(*n_fitted, Vec::len),
        }
    }

    /// Number of columns of the reference rows' features, or of the kernels that new rows need.
    pub(crate) fn n_columns(&self) -> usize {
        match &self.rows {
            Kept::Features(rows) => rows.view().n_columns(),
            Kept::Matrix { n_fitted, .. } => *n_fitted,
        }
    }

    /// Which rows of the kernel matrix they are, if not all.
    fn indices(&self) -> Option<&[u32]> {
        match &self.rows {
            Kept::Features(_) => None,
            Kept::Matrix { indices, .. } => indices.as_deref(),
        }
    }

    /// The reference rows; `None` if they are known by a kernel matrix only.
    pub(crate) fn features(&self) -> Option<Features<'_>> {
        match &self.rows {
            Kept::Features(rows) => Some(rows.view()),
            Kept::Matrix { .. } => None,
        }
    }

    /// The kernel that compares them, unless [a function does](Self::by_function).
    pub(crate) fn spec(&self) -> &KernelSpec {
        &self.spec
    }

    /// True if they are compared by a function of the caller, which comes with the data.
    pub(crate) fn by_function(&self) -> bool {
        self.by_function
    }

    /// What compares the rows, in a word.
    pub(crate) fn title(&self) -> String {
        match (&self.rows, self.by_function) {
            (Kept::Matrix { .. }, _) => "precomputed".into(),
            (_, true) => "function".into(),
            _ => self.spec.kind.to_string(),
        }
    }

    /// The kernels of all rows of `data`, a row each, with all reference rows, a column each.
    pub(crate) fn between(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = self.map(run, data, |_, block| block)?;
        Ok(stack_rows(&parts, self.n_rows()))
    }

    /// Does `work` on blocks of rows of `data`, in parallel: it gets the range of rows and their kernels with all known
    /// rows, a row each. Results come in the order of the rows.
    pub(crate) fn map<R: Send>(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        work: impl Fn(Range<usize>, Array2<f64>) -> R + Sync,
    ) -> Result<Vec<R>> {
        self.check(data)?;
        let mut results = Vec::new();
        for batch in blocks(data.n_rows(), BATCH) {
            let part = self.paired(data, batch.clone(), |pairing| {
                let parts = map_blocks(run, batch.len(), BLOCK, |rows| {
                    let block = pairing.block(rows.clone(), self.n_rows())?;
                    let indices = batch.start + rows.start..batch.start + rows.end;
                    Ok(work(indices, block.wide()))
                })?;
                parts.into_iter().collect::<Result<Vec<R>>>()
            })?;
            results.extend(part);
        }
        Ok(results)
    }

    /// The kernels of some rows of `data` with all reference rows.
    pub(crate) fn batch(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        rows: Range<usize>,
    ) -> Result<Block> {
        let width = self.n_rows();
        let count = rows.len();
        self.paired(data, rows, |pairing| match pairing {
            Pairing::Single(tiles) => Ok(Block::Single(filled(run, tiles, count, width)?)),
            Pairing::Double(tiles) => Ok(Block::Double(filled(run, tiles, count, width)?)),
            other => {
                let parts = map_blocks(run, count, BLOCK, |rows| other.block(rows, width))?;
                let parts: Vec<Array2<f64>> = parts
                    .into_iter()
                    .map(|part| Ok(part?.wide()))
                    .collect::<Result<_>>()?;
                Ok(Block::Double(stack_rows(&parts, width)))
            }
        })
    }

    /// The kernel of every row of `data` with itself.
    pub(crate) fn own(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        match data.source() {
            Source::Kernel(matrix) => Ok(matrix.diag().to_owned()),
            Source::KernelTo(_) => match data.own_kernel() {
                Some(own) => Ok(own.to_owned()),
                None => Err(Error::unsupported(
                    message!("the error of a new {:row}"),
                    message!("needs its kernel with itself as well ({OwnKernel:input})"),
                )),
            },
            _ => {
                let features = data.new_rows("the kernel", self.n_columns())?;
                let function = data.kernel_function();
                let parts = map_blocks(run, features.n_rows(), BLOCK, |rows| {
                    let block = features.dense_rows(rows.start, rows.end);
                    let own = block.rows().into_iter().map(|row| match &function {
                        Some(function) => function.between(&row.to_vec(), &row.to_vec()),
                        // Squares of small values may vanish, and all that counts is whether there are any.
                        None if self.spec.kind == KernelKind::Cosine => {
                            let largest = |most: f64, value: &f64| most.max(value.abs());
                            self.spec.own(row.iter().fold(0.0, largest))
                        }
                        None => self.spec.own(row.dot(&row)),
                    });
                    own.collect::<Vec<f64>>()
                })?;
                let own: Array1<f64> = parts.into_iter().flatten().collect();
                if own.iter().all(|value| value.is_finite()) {
                    Ok(own)
                } else {
                    Err(Error::too_large())
                }
            }
        }
    }

    /// Fails if the rows of `data` cannot be compared with the reference rows.
    pub(crate) fn check(&self, data: &Data<'_>) -> Result<()> {
        match (data.source(), &self.rows) {
            (Source::Kernel(matrix) | Source::KernelTo(matrix), Kept::Matrix { n_fitted, .. }) => {
                if matrix.ncols() == *n_fitted {
                    return Ok(());
                }
                return Err(Error::shape(
                    message!("kernel values of each new {:row} with the {:rows} of the fit"),
                    *n_fitted,
                    matrix.ncols(),
                ));
            }
            (Source::Kernel(_) | Source::KernelTo(_), Kept::Features(_)) => {
                return Err(Error::unsupported(
                    message!("the model"),
                    message!(
                        "was fitted to features: give the features of the new {:rows}, not a kernel matrix"
                    ),
                ));
            }
            (_, Kept::Matrix { .. }) => {
                return Err(Error::unsupported(
                    message!("the model"),
                    message!(
                        "was fitted to a kernel matrix: give the kernels of the new {:rows} \
                         with all of them ({KernelTo:input})"
                    ),
                ));
            }
            _ => {}
        }
        data.new_rows("the kernel", self.n_columns())?;
        data.check_finite()?;
        let problem = match (self.by_function, data.kernel_function().is_some()) {
            (true, false) => {
                message!(
                    "was fitted with a kernel function: give the same function with the new {:rows} \
                     ({KernelFunction:input})"
                )
            }
            (false, true) => {
                message!("was fitted without a kernel function, but the new {:rows} come with one")
            }
            _ => return Ok(()),
        };
        Err(Error::unsupported(message!("the model"), problem))
    }

    /// Does `work` with some rows of `data` and all reference rows paired.
    fn paired<R>(
        &self,
        data: &Data<'_>,
        rows: Range<usize>,
        work: impl FnOnce(&Pairing<'_>) -> Result<R>,
    ) -> Result<R> {
        if let Source::Kernel(matrix) | Source::KernelTo(matrix) = data.source() {
            let part = matrix.slice(s![rows, ..]);
            return work(&Pairing::Given(part, self.indices()));
        }
        let (Some(known), Source::Features(features)) = (self.features(), data.source()) else {
            return Err(Error::unsupported(
                message!("the kernel"),
                message!("needs features or a kernel matrix"),
            ));
        };
        let part = features.rows(rows.start, rows.end);
        if let Some(function) = data.kernel_function() {
            return work(&Pairing::Function(part, known, function));
        }
        if part.is_kind_of(&known) {
            return work(&Pairing::of(&part, &known, self.spec)?);
        }
        let converted = part.to_kind_of(&known)?;
        work(&Pairing::of(&converted.view(), &known, self.spec)?)
    }

    /// Does `work` with the reference rows paired with themselves.
    pub(super) fn among<R>(
        &self,
        data: &Data<'_>,
        work: impl FnOnce(&Pairing<'_>) -> Result<R>,
    ) -> Result<R> {
        match (self.features(), data.kernel_function(), data.source()) {
            (Some(known), Some(function), _) => {
                work(&Pairing::Function(known.clone(), known, function))
            }
            (Some(known), None, _) => work(&Pairing::of(&known, &known, self.spec)?),
            (None, _, Source::Kernel(matrix)) => match self.indices() {
                None => work(&Pairing::Given(matrix.view(), None)),
                Some(indices) => {
                    let chosen: Vec<usize> = indices.iter().map(|&index| index as usize).collect();
                    let lines = matrix.select(Axis(0), &chosen);
                    work(&Pairing::Given(lines.view(), Some(indices)))
                }
            },
            _ => Err(Error::unsupported(
                message!("the kernel"),
                message!("needs features or a kernel matrix"),
            )),
        }
    }
}

/// Rows and reference rows, ready to be compared.
pub(super) enum Pairing<'a> {
    Single(Tiles<'a, f32>),
    Double(Tiles<'a, f64>),
    Function(Features<'a>, Features<'a>, KernelFunction<'a>),
    /// Kernels of the rows with all training rows, of which these are the reference rows.
    Given(ArrayView2<'a, f64>, Option<&'a [u32]>),
}

impl<'a> Pairing<'a> {
    fn of(rows: &Features<'a>, known: &Features<'a>, spec: KernelSpec) -> Result<Self> {
        let most = largest(rows).max(largest(known));
        let (dense, sparse) = (Table::Dense, Table::Sparse);
        Ok(match (rows.clone(), known.clone()) {
            (Features::F32(a), Features::F32(b)) => {
                Self::Single(Tiles::new(dense(a), dense(b), spec, most)?)
            }
            (Features::F64(a), Features::F64(b)) => {
                Self::Double(Tiles::new(Table::Dense(a), Table::Dense(b), spec, most)?)
            }
            (Features::SparseF32(a), Features::SparseF32(b)) => {
                Self::Single(Tiles::new(sparse(a), sparse(b), spec, most)?)
            }
            (Features::SparseF64(a), Features::SparseF64(b)) => {
                Self::Double(Tiles::new(Table::Sparse(a), Table::Sparse(b), spec, most)?)
            }
            _ => {
                return Err(Error::unsupported(
                    message!("the comparison of {:rows}"),
                    message!("needs {:rows} of the same kind and precision"),
                ));
            }
        })
    }

    /// The kernels of some rows with all reference rows, in one thread.
    pub(super) fn block(&self, rows: Range<usize>, width: usize) -> Result<Block> {
        let shape = (rows.len(), width);
        match self {
            Self::Single(tiles) => {
                let mut block = Array2::zeros(shape);
                tiles.fill(rows, 0..width, block.view_mut())?;
                Ok(Block::Single(block))
            }
            Self::Double(tiles) => {
                let mut block = Array2::zeros(shape);
                tiles.fill(rows, 0..width, block.view_mut())?;
                Ok(Block::Double(block))
            }
            Self::Function(features, known, function) => Ok(Block::Double(by_function(
                features, known, *function, rows,
            )?)),
            Self::Given(matrix, None) => Ok(Block::Double(matrix.slice(s![rows, ..]).to_owned())),
            Self::Given(matrix, Some(indices)) => {
                let chosen: Vec<usize> = indices.iter().map(|&index| index as usize).collect();
                let part = matrix.slice(s![rows, ..]);
                Ok(Block::Double(part.select(Axis(1), &chosen)))
            }
        }
    }
}

fn filled<T: crate::linalg::Exponential>(
    run: &Run<'_>,
    tiles: &Tiles<'_, T>,
    count: usize,
    width: usize,
) -> Result<Array2<T>> {
    let mut block = Array2::from_elem((count, width), T::of(0.0));
    try_for_each(
        run,
        block.axis_chunks_iter_mut(Axis(0), BLOCK),
        |index, lines| {
            let rows = index * BLOCK..index * BLOCK + lines.nrows();
            tiles.fill(rows, 0..width, lines)
        },
    )?;
    Ok(block)
}

fn by_function(
    features: &Features<'_>,
    known: &Features<'_>,
    function: KernelFunction<'_>,
    rows: Range<usize>,
) -> Result<Array2<f64>> {
    let lines = features.dense_rows(rows.start, rows.end);
    let mut block = Array2::zeros((rows.len(), known.n_rows()));
    for panel in blocks(known.n_rows(), BLOCK) {
        let others = known.dense_rows(panel.start, panel.end);
        for (line, mut target) in lines.rows().into_iter().zip(block.rows_mut()) {
            for (index, other) in panel.clone().zip(others.rows()) {
                const ROW_ORDER: &str = "blocks of rows are in row order";
                let a = line.as_slice().expect(ROW_ORDER);
                let b = other.as_slice().expect(ROW_ORDER);
                let value = function.between(a, b);
                if !value.is_finite() {
                    return Err(Error::shape(
                        message!("the value of the kernel function"),
                        "a finite number",
                        value,
                    ));
                }
                target[index] = value;
            }
        }
    }
    Ok(block)
}

/// Sparse rows in which every position is stored once.
fn canonical(features: OwnedFeatures) -> OwnedFeatures {
    if is_canonical(&features) {
        return features;
    }
    match features {
        OwnedFeatures::SparseF32(rows) => OwnedFeatures::SparseF32(rows.view().sorted()),
        OwnedFeatures::SparseF64(rows) => OwnedFeatures::SparseF64(rows.view().sorted()),
        other => other,
    }
}

fn is_canonical(features: &OwnedFeatures) -> bool {
    match features {
        OwnedFeatures::SparseF32(rows) => rows.view().is_sorted(),
        OwnedFeatures::SparseF64(rows) => rows.view().is_sorted(),
        _ => true,
    }
}
