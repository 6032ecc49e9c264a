//! A block Krylov space: an orthonormal basis, its images under an operator, and what the operator is in the basis.

use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, concatenate, s};

use crate::error::Result;
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::orthogonal::{orthonormal_columns, remove_span};
use crate::linalg::product::product;
use crate::random::{normal, stream};

/// The basis with its images.
pub(in crate::linalg) struct Space {
    basis: Columns,
    images: Columns,
    /// Vectors from which the images come, where they are not the images themselves.
    from: Option<Columns>,
    /// What the operator is in the basis.
    small: Array2<f64>,
}

/// Columns one after the other, with room for more.
struct Columns {
    room: Array2<f64>,
    used: usize,
}

impl Columns {
    fn new(size: usize, room: usize) -> Self {
        Self {
            room: Array2::zeros((size, room).f()),
            used: 0,
        }
    }

    fn view(&self) -> ArrayView2<'_, f64> {
        self.room.slice(s![.., ..self.used])
    }

    fn push(&mut self, block: &Array2<f64>) {
        let end = self.used + block.ncols();
        self.room.slice_mut(s![.., self.used..end]).assign(block);
        self.used = end;
    }

    fn replace(&mut self, block: &Array2<f64>) {
        self.used = 0;
        self.push(block);
    }
}

impl Space {
    /// An empty space for vectors of this size, with room for this many.
    pub(in crate::linalg) fn new(size: usize, room: usize) -> Self {
        Self {
            basis: Columns::new(size, room),
            images: Columns::new(size, room),
            from: None,
            small: Array2::zeros((0, 0)),
        }
    }

    /// Vectors in the basis.
    pub(in crate::linalg) fn width(&self) -> usize {
        self.basis.used
    }

    /// Length of a vector.
    pub(in crate::linalg) fn size(&self) -> usize {
        self.basis.room.nrows()
    }

    pub(in crate::linalg) fn basis(&self) -> ArrayView2<'_, f64> {
        self.basis.view()
    }

    pub(in crate::linalg) fn images(&self) -> ArrayView2<'_, f64> {
        self.images.view()
    }

    /// Vectors from which the images come, where they are not the images themselves.
    pub(in crate::linalg) fn from(&self) -> Option<ArrayView2<'_, f64>> {
        self.from.as_ref().map(Columns::view)
    }

    /// The operator within the basis.
    pub(in crate::linalg) fn small(&self) -> ArrayView2<'_, f64> {
        self.small.view()
    }

    /// Adds vectors, orthonormal and clear of the basis, with their images.
    pub(in crate::linalg) fn grow(
        &mut self,
        block: &Array2<f64>,
        images: &Array2<f64>,
        from: Option<&Array2<f64>>,
    ) {
        let known = self.width();
        self.basis.push(block);
        self.images.push(images);
        if let Some(from) = from {
            let room = self.basis.room.dim();
            let columns = self
                .from
                .get_or_insert_with(|| Columns::new(room.0, room.1));
            columns.push(from);
        }
        let beside = product(&self.basis().t(), &images.view());
        let mut small = Array2::zeros((self.width(), self.width()));
        small.slice_mut(s![..known, ..known]).assign(&self.small);
        small.slice_mut(s![.., known..]).assign(&beside);
        let corner = beside.slice(s![known.., ..]);
        let corner = (&corner + &corner.t()) * 0.5;
        small.slice_mut(s![known.., known..]).assign(&corner);
        let above = beside.slice(s![..known, ..]);
        small.slice_mut(s![known.., ..known]).assign(&above.t());
        self.small = small;
    }

    /// All Rayleigh–Ritz pairs, largest first, in the coordinates of the basis.
    pub(in crate::linalg) fn pairs(&self) -> Result<Eigen> {
        eigen::symmetric(&self.small.view())
    }

    /// Keeps the span of the leading vectors of the Rayleigh–Ritz pairs only. Their images need no new product.
    pub(in crate::linalg) fn restart(&mut self, pairs: &Eigen, width: usize) {
        let turn = pairs.vectors.slice(s![..width, ..]);
        let turned = |columns: &Columns| product(&columns.view(), &turn.t());
        let (basis, images) = (turned(&self.basis), turned(&self.images));
        let from = self.from.as_ref().map(turned);
        self.clear();
        self.grow(&basis, &images, from.as_ref());
    }

    /// Leaves no vector.
    pub(in crate::linalg) fn clear(&mut self) {
        let none = Array2::zeros((self.size(), 0));
        self.basis.replace(&none);
        self.images.replace(&none);
        self.from = None;
        self.small = Array2::zeros((0, 0));
    }

    /// At most `most` next directions: the newest images, less `besides` and what the basis already holds. Projecting once
    /// more after the first orthonormalization keeps directions that were almost nothing clean.
    pub(in crate::linalg) fn next_block(
        &self,
        mut images: Array2<f64>,
        most: usize,
        besides: &ArrayView2<'_, f64>,
    ) -> Array2<f64> {
        if most < images.ncols() {
            images = images.slice(s![.., ..most]).to_owned();
        }
        for _ in 0..2 {
            if besides.ncols() > 0 {
                remove_span(&mut images, besides);
            }
            remove_span(&mut images, &self.basis());
            images = orthonormal_columns(&images.view());
        }
        images
    }

    /// A block that had too little room gets random directions beside it, now that there is more.
    pub(in crate::linalg) fn widen(
        &self,
        block: Array2<f64>,
        width: usize,
        seed: u64,
    ) -> Array2<f64> {
        let missing = width
            .min(self.size() - self.width())
            .saturating_sub(block.ncols());
        if missing == 0 {
            return block;
        }
        let mut stream = stream(seed, 1);
        let mut added = Array2::from_shape_fn((self.size(), missing), |_| normal(&mut stream));
        let known = beside(&self.basis(), &block);
        for _ in 0..2 {
            remove_span(&mut added, &known.view());
            added = orthonormal_columns(&added.view());
        }
        beside(&block.view(), &added)
    }
}

/// Columns of two matrices side by side.
pub(in crate::linalg) fn beside(left: &ArrayView2<'_, f64>, right: &Array2<f64>) -> Array2<f64> {
    concatenate(Axis(1), &[left.view(), right.view()])
        .expect("both have as many rows as the operator")
}
