//! Kernels between rows, given as numbers or as a function.

use std::fmt;

use ndarray::{ArrayView1, ArrayView2};

use super::distances::square;
use super::{Data, Source};
use crate::error::{Error, Result, message};

/// How far a kernel may differ from the one the other way, as a fraction of the largest: what products in single
/// precision leave.
const TOLERANCE: f64 = 1e-5;

/// A kernel of two rows, given by the caller.
#[derive(Clone, Copy)]
pub struct KernelFunction<'a>(&'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync));

impl KernelFunction<'_> {
    /// The kernel of two rows.
    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        (self.0)(a, b)
    }
}

impl fmt::Debug for KernelFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KernelFunction(a function)")
    }
}

impl<'a> Data<'a> {
    /// Data from a square kernel matrix: finite and symmetric.
    pub fn kernel(kernel: ArrayView2<'a, f64>) -> Result<Self> {
        square("the kernel matrix", &kernel)?;
        let data = Self::from_source(Source::Kernel(kernel));
        data.check_finite()?;
        let largest = kernel.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let uneven = kernel
            .indexed_iter()
            .find(|((i, j), value)| (**value - kernel[[*j, *i]]).abs() > TOLERANCE * largest);
        match uneven {
            None => Ok(data),
            Some(((i, j), value)) => Err(Error::shape(
                message!("the kernel between {i:row} and {j:row}"),
                "the same in both directions",
                message!("{value} and {}", kernel[[j, i]]),
            )),
        }
    }

    /// New rows by their kernel with the rows that a model was fitted on: a row for each, a column for each training row,
    /// in the order of the fit.
    ///
    /// ```
    /// use charta::Data;
    /// use ndarray::array;
    /// let (to_known, own) = (array![[0.5, 0.1, 0.9]], array![1.0]);
    /// let data = Data::kernel_to(to_known.view())?.with_own_kernel(own.view())?;
    /// assert_eq!((data.n_rows(), data.n_columns()), (1, 3));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn kernel_to(kernel: ArrayView2<'a, f64>) -> Result<Self> {
        let data = Self::from_source(Source::KernelTo(kernel));
        data.check_finite()?;
        Ok(data)
    }

    /// Adds the kernel of every new row with itself: what a reconstruction error needs besides.
    pub fn with_own_kernel(mut self, own: ArrayView1<'a, f64>) -> Result<Self> {
        if own.len() != self.n_rows() {
            return Err(Error::shape(
                message!("kernels of the {:rows} with themselves"),
                self.n_rows(),
                own.len(),
            ));
        }
        let bad = own.iter().enumerate().find(|(_, value)| !value.is_finite());
        if let Some((row, value)) = bad {
            return Err(Error::shape(
                message!("the kernel of {row:row} with itself"),
                "a finite number",
                value,
            ));
        }
        self.own_kernel = Some(own);
        Ok(self)
    }

    /// The kernel of every new row with itself, if it was given.
    pub(crate) fn own_kernel(&self) -> Option<&ArrayView1<'a, f64>> {
        self.own_kernel.as_ref()
    }

    /// Compares rows by a kernel of the caller, whatever the kernel parameter. It must be symmetric, and
    /// should be positive semidefinite. A model fitted so needs the function again with the new rows.
    ///
    /// ```
    /// use charta::{Data, Fit, Model, methods::kernel_pca::KernelPca};
    /// use ndarray::array;
    /// let x = array![[1.0, 2.0], [3.0, 4.0], [2.0, 7.0]];
    /// let shared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x.min(*y)).sum();
    /// let model = KernelPca::default().fit(&Data::from(&x).with_kernel(&shared))?;
    /// assert_eq!(model.embedding().unwrap().nrows(), 3);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_kernel(mut self, kernel: &'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync)) -> Self {
        self.kernel_function = Some(KernelFunction(kernel));
        self
    }

    /// The kernel that compares the rows, if one was given as a function.
    pub(crate) fn kernel_function(&self) -> Option<KernelFunction<'a>> {
        self.kernel_function
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_kernel_matrix_is_looked_at_before_it_is_believed() {
        let complaint = |matrix: ndarray::Array2<f64>| {
            let error = Data::kernel(matrix.view()).unwrap_err();
            error.to_string()
        };
        assert!(complaint(array![[1.0, 0.5, 0.1], [0.5, 1.0, 0.1]]).contains("2 × 3"));
        assert!(complaint(array![[1.0, 0.5], [0.4, 1.0]]).contains("between row 0 and row 1"));
        assert!(complaint(array![[1.0, f64::NAN], [0.4, 1.0]]).contains("row 0, column 1"));
        let negative = array![[-1.0, 0.5], [0.5, -1.0]];
        assert!(Data::kernel(negative.view()).is_ok());
        let to = array![[1.0, 2.0]];
        let data = Data::kernel_to(to.view()).unwrap();
        let (two, bad) = (array![1.0, 2.0], array![f64::NAN]);
        assert!(data.clone().with_own_kernel(two.view()).is_err());
        assert!(data.with_own_kernel(bad.view()).is_err());
    }
}
