//! Methods in the space of a kernel, against computations by their formulas.

mod digits;
mod exact;
mod fisher;
mod nystrom;
mod preimages;
mod spheres;

use charta::dimension::ComponentCount;
use charta::kernel::{Kernel, KernelKind};
use charta::methods::kernel_pca::KernelPca;
use charta::random::{normal, stream};
use ndarray::{Array1, Array2, Axis};

/// Rows of a normal distribution whose columns differ in scale.
pub(crate) fn cloud(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
        normal(&mut draw) * (1.0 + j as f64) / n_columns as f64
    })
}

/// Kernel PCA with this many components.
pub(crate) fn method(kind: KernelKind, n_components: usize) -> KernelPca {
    KernelPca {
        n_components: ComponentCount::Count(n_components),
        kernel: Kernel {
            kernel: kind,
            ..Kernel::default()
        },
        ..KernelPca::default()
    }
}

/// J K J by its definition.
pub(crate) fn centred(kernel: &Array2<f64>) -> Array2<f64> {
    let n = kernel.nrows();
    let centre = Array2::eye(n) - Array2::from_elem((n, n), 1.0 / n as f64);
    centre.dot(kernel).dot(&centre)
}

/// The largest difference of two tables, after the columns of the first are turned to the second's signs.
pub(crate) fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    let mut most: f64 = 0.0;
    for (a, b) in a.columns().into_iter().zip(b.columns()) {
        let sign = a.dot(&b).signum();
        let difference = a.iter().zip(b).map(|(x, y)| (sign * x - y).abs());
        most = most.max(difference.fold(0.0, f64::max));
    }
    most
}

/// The squared length of every row.
pub(crate) fn squares(x: &Array2<f64>) -> Array1<f64> {
    x.map_axis(Axis(1), |row| row.dot(&row))
}
