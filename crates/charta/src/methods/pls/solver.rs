//! Latent components of two tables: pairs of directions of largest covariance, one after the other.
//!
//! What NIPALS finds by iterating over deflated tables is found here without deflating them. With rotations
//! R, loadings P and weights W, the deflated table is X·(I − Σ r pᵀ), so only the cross-product XᵀY is
//! deflated, and each component costs one product with XᵀX and one small decomposition.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::error::Result;
use crate::linalg::eigen::largest;
use crate::linalg::operator::Rows;
use crate::linalg::solve::pseudo_inverse;
use crate::linalg::svd;
use crate::params::Choice;
use crate::run::Run;

/// What is taken out of the second table after each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Mode {
    /// Deflation of the target by the scores of the features: for prediction.
    Regression,
    /// Deflation of the target by its own scores: symmetric in features and target.
    Canonical,
}

/// One table's side of the components, one a row.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Directions in the deflated table.
    pub weights: Array2<f64>,
    /// What a score adds to the table.
    pub loadings: Array2<f64>,
    /// Directions in the table itself: scores = table · rotationsᵀ.
    pub rotations: Array2<f64>,
}

/// Components of two tables.
#[derive(Clone, Debug)]
pub(super) struct Latent {
    /// The features' side.
    pub features: Side,
    /// The target's side.
    pub target: Side,
    /// Sum of squares of the features' scores; 0 beyond the rank.
    pub squares: Array1<f64>,
    /// Inner products of the features' scores (rows) and the target's columns.
    pub across: Array2<f64>,
    /// Components found before nothing was left.
    pub rank: usize,
}

impl Latent {
    /// Keeps the first `count` components.
    pub(super) fn truncate(&mut self, count: usize) {
        for matrix in [
            &mut self.features.weights,
            &mut self.features.loadings,
            &mut self.features.rotations,
            &mut self.target.weights,
            &mut self.target.loadings,
            &mut self.target.rotations,
            &mut self.across,
        ] {
            *matrix = matrix.slice(s![..count, ..]).to_owned();
        }
        self.squares = self.squares.slice(s![..count]).to_owned();
    }
}

/// Sums of squares of the centred and scaled tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    /// Of the features.
    pub features: f64,
    /// Of the target.
    pub target: f64,
}

/// Finds components of centred and scaled tables.
pub(super) fn components(
    run: &Run<'_>,
    features: &Rows<'_>,
    target: &Rows<'_>,
    totals: Totals,
    mode: Mode,
    count: usize,
) -> Result<Latent> {
    let cross = features.transposed_times_rows(run, target)?;
    let mut finder = Finder {
        rounding: rounding(features),
        total: totals.features,
        total_target: totals.target,
        left: Growing::new(features.n_columns(), count),
        right: Growing::new(target.n_columns(), count),
        squares: Array1::zeros(count),
        remaining: cross.clone(),
        mode,
        rank: 0,
    };
    while finder.rank < count && finder.step(run, features, target)? {
        run.progress(finder.rank as u64, count as u64)?;
    }
    finder.finish(&cross)
}

/// The fraction of a table's sum of squares below which there is only rounding.
fn rounding(rows: &Rows<'_>) -> f64 {
    rows.n_rows().max(rows.n_columns()) as f64 * f64::EPSILON
}

/// Weights, loadings and rotations found so far, one a row.
struct Growing {
    weights: Array2<f64>,
    loadings: Array2<f64>,
    rotations: Array2<f64>,
}

impl Growing {
    fn new(n_columns: usize, count: usize) -> Self {
        Self {
            weights: Array2::zeros((count, n_columns)),
            loadings: Array2::zeros((count, n_columns)),
            rotations: Array2::zeros((count, n_columns)),
        }
    }

    /// The direction in the table itself that `weight` is in the deflated one: w − Σ r (pᵀw).
    fn rotation(&self, weight: &Array1<f64>, found: usize) -> Array1<f64> {
        let shares = self.loadings.slice(s![..found, ..]).dot(weight);
        weight - &self.rotations.slice(s![..found, ..]).t().dot(&shares)
    }

    /// Takes what earlier components explain out of an inner product of the table and a score: v − Σ p (rᵀv).
    fn deflated(&self, product: Array1<f64>, found: usize) -> Array1<f64> {
        let shares = self.rotations.slice(s![..found, ..]).dot(&product);
        let explained = self.loadings.slice(s![..found, ..]).t().dot(&shares);
        product - &explained
    }

    fn keep(&mut self, index: usize, parts: [&Array1<f64>; 3]) {
        self.weights.row_mut(index).assign(parts[0]);
        self.loadings.row_mut(index).assign(parts[1]);
        self.rotations.row_mut(index).assign(parts[2]);
    }
}

struct Finder {
    rounding: f64,
    total: f64,
    total_target: f64,
    left: Growing,
    right: Growing,
    squares: Array1<f64>,
    /// The cross-product of the deflated tables.
    remaining: Array2<f64>,
    mode: Mode,
    rank: usize,
}

impl Finder {
    /// Finds one more component; false where nothing is left.
    fn step(&mut self, run: &Run<'_>, features: &Rows<'_>, target: &Rows<'_>) -> Result<bool> {
        run.check()?;
        let Some((weight, partner)) = self.directions()? else {
            return Ok(false);
        };
        let rotation = self.left.rotation(&weight, self.rank);
        let image = gram(run, features, &rotation)?;
        let square = rotation.dot(&image);
        if square <= self.rounding * self.total {
            return Ok(false);
        }
        let loading = self.left.deflated(image, self.rank) / square;
        // The regression of the deflated target on the scores.
        let along = self.remaining.t().dot(&weight) / square;
        match self.mode {
            Mode::Regression => self.right.keep(self.rank, [&along; 3]),
            Mode::Canonical => {
                let rotation = self.right.rotation(&partner, self.rank);
                let image = gram(run, target, &rotation)?;
                let square = rotation.dot(&image);
                if square <= self.rounding * self.total_target {
                    return Ok(false);
                }
                let loading = self.right.deflated(image, self.rank) / square;
                self.right.keep(self.rank, [&partner, &loading, &rotation]);
                let shares = self.remaining.dot(&partner);
                subtract_outer(&mut self.remaining, &shares, &loading);
            }
        }
        let shares = self.remaining.t().dot(&weight);
        subtract_outer(&mut self.remaining, &loading, &shares);
        self.left.keep(self.rank, [&weight, &loading, &rotation]);
        self.squares[self.rank] = square;
        self.rank += 1;
        self.clean();
        Ok(true)
    }

    /// The pair of unit directions of largest covariance left, the largest entry of the first positive.
    fn directions(&self) -> Result<Option<(Array1<f64>, Array1<f64>)>> {
        let parts = svd::thin(&self.remaining.view())?;
        let least = self.rounding * (self.total * self.total_target).sqrt();
        if parts.values.first().is_none_or(|&value| value <= least) {
            return Ok(None);
        }
        let (weight, partner) = (parts.left.row(0).to_owned(), parts.right.row(0).to_owned());
        Ok(Some(if largest(weight.view()) < 0.0 {
            (-weight, -partner)
        } else {
            (weight, partner)
        }))
    }

    /// In exact arithmetic what remains is orthogonal to earlier weights; rounding is taken out.
    fn clean(&mut self) {
        let weights = self.left.weights.slice(s![..self.rank, ..]);
        let shares = weights.dot(&self.remaining);
        self.remaining -= &weights.t().dot(&shares);
        if self.mode == Mode::Canonical {
            let weights = self.right.weights.slice(s![..self.rank, ..]);
            let shares = self.remaining.dot(&weights.t());
            self.remaining -= &shares.dot(&weights);
        }
    }

    fn finish(self, cross: &Array2<f64>) -> Result<Latent> {
        let mut target = side(self.right);
        // The target's own weights may depend on each other: there can be fewer targets than components.
        if self.mode == Mode::Regression {
            target.rotations = rotations(&target.weights, &target.loadings)?;
        }
        let features = side(self.left);
        Ok(Latent {
            across: features.rotations.dot(cross),
            features,
            target,
            squares: self.squares,
            rank: self.rank,
        })
    }
}

fn side(growing: Growing) -> Side {
    Side {
        weights: growing.weights,
        loadings: growing.loadings,
        rotations: growing.rotations,
    }
}

/// C (Qᵀ C)⁺ for weights C and loadings Q, which may depend on each other.
fn rotations(weights: &Array2<f64>, loadings: &Array2<f64>) -> Result<Array2<f64>> {
    let inner = loadings.dot(&weights.t());
    Ok(pseudo_inverse(&inner.view())?.t().dot(weights))
}

fn gram(run: &Run<'_>, rows: &Rows<'_>, direction: &Array1<f64>) -> Result<Array1<f64>> {
    let column: ArrayView2<'_, f64> = direction.view().insert_axis(Axis(1));
    Ok(rows.gram_times(run, &column)?.column(0).to_owned())
}

fn subtract_outer(matrix: &mut Array2<f64>, left: &Array1<f64>, right: &Array1<f64>) {
    for (mut row, &share) in matrix.rows_mut().into_iter().zip(left) {
        row.scaled_add(-share, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;
    use crate::random::{normal, stream};

    fn tables() -> (Array2<f64>, Array2<f64>) {
        let mut stream = stream(9, 0);
        let x = Array2::from_shape_fn((40, 5), |_| normal(&mut stream));
        let mixing = Array2::from_shape_fn((5, 3), |_| normal(&mut stream));
        let noise = Array2::from_shape_fn((40, 3), |_| normal(&mut stream));
        let y = x.dot(&mixing) + noise;
        let centre = |table: Array2<f64>| &table - &table.mean_axis(Axis(0)).unwrap();
        (centre(x), centre(y))
    }

    fn found(x: &Array2<f64>, y: &Array2<f64>, mode: Mode, count: usize) -> Latent {
        let (zero_x, zero_y) = (Array1::zeros(x.ncols()), Array1::zeros(y.ncols()));
        let (left, right) = (Features::from(x), Features::from(y));
        let (left, right) = (Rows::new(&left, &zero_x), Rows::new(&right, &zero_y));
        let total = |table: &Array2<f64>| table.iter().map(|value| value * value).sum();
        let totals = Totals {
            features: total(x),
            target: total(y),
        };
        components(&Run::new(), &left, &right, totals, mode, count).unwrap()
    }

    /// The definition: tables are deflated, and the leading pair is found anew.
    fn by_deflating(mut x: Array2<f64>, mut y: Array2<f64>, mode: Mode, count: usize) -> Side {
        let mut side = side(Growing::new(x.ncols(), count));
        for index in 0..count {
            let parts = svd::thin(&x.t().dot(&y).view()).unwrap();
            let sign = largest(parts.left.row(0)).signum();
            let (w, c) = (&parts.left.row(0) * sign, &parts.right.row(0) * sign);
            let t = x.dot(&w);
            let p = x.t().dot(&t) / t.dot(&t);
            let u = if mode == Mode::Regression {
                t.clone()
            } else {
                y.dot(&c)
            };
            let q = y.t().dot(&u) / u.dot(&u);
            subtract_outer(&mut x, &t, &p);
            subtract_outer(&mut y, &u, &q);
            side.weights.row_mut(index).assign(&w);
            side.loadings.row_mut(index).assign(&p);
        }
        side
    }

    #[test]
    fn components_are_those_of_deflated_tables() {
        let (x, y) = tables();
        for mode in [Mode::Regression, Mode::Canonical] {
            let ours = found(&x, &y, mode, 3);
            let theirs = by_deflating(x.clone(), y.clone(), mode, 3);
            let near = |a: &Array2<f64>, b: &Array2<f64>| {
                assert!((a - b).iter().all(|d| d.abs() < 1e-11), "{a} against {b}");
            };
            near(&ours.features.weights, &theirs.weights);
            near(&ours.features.loadings, &theirs.loadings);
            let inverse = rotations(&theirs.weights, &theirs.loadings).unwrap();
            near(&ours.features.rotations, &inverse);
        }
    }

    #[test]
    fn components_end_with_the_rank_and_the_rest_is_zero() {
        let (mut x, y) = tables();
        for j in 2..5 {
            let copy = &x.column(0) * j as f64 + x.column(1);
            x.column_mut(j).assign(&copy);
        }
        let latent = found(&x, &y, Mode::Regression, 4);
        assert_eq!(latent.rank, 2);
        assert_eq!(latent.squares.slice(s![2..]).sum(), 0.0);
        let rest = latent.features.rotations.slice(s![2.., ..]).to_owned();
        assert!(rest.iter().all(|&entry| entry == 0.0));
    }
}
