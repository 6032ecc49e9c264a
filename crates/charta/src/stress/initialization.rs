//! Initialization: classical MDS, or random coordinates.

use ndarray::{Array2, s};

use super::dissimilarities::Dissimilarities;
use crate::error::{Error, Result, message};
use crate::params::Choice;
use crate::random::{normal, stream};
use crate::run::Run;
use crate::spectral::classical_scaling::{ScalingOptions, scale};
use crate::spectral::squares::Squares;

/// Relative accuracy of the eigenvectors.
const TOLERANCE: f64 = 1e-6;
/// An initialization whose squared stress is below this fraction is the solution already.
const EXACT: f64 = 1e-12;
/// Standard deviation of the noise that separates coinciding rows, as a fraction of the layout's size.
const JITTER: f64 = 1e-3;

/// Initialization of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// Classical MDS; further initializations are random.
    Classical,
    /// Random coordinates.
    Random,
}

impl Initialization {
    /// The initial coordinates of the first start.
    pub(crate) fn coordinates(
        self,
        run: &Run<'_>,
        known: &Dissimilarities,
        n_components: usize,
        seed: u64,
    ) -> Result<Array2<f64>> {
        match self {
            Self::Classical => classical(run, known, n_components, seed),
            Self::Random => Ok(random(known, n_components, seed, 0)),
        }
    }
}

/// Fails unless initial coordinates are finite and there are this many rows.
pub(crate) fn check_initial(start: &Array2<f64>, n_rows: usize) -> Result<()> {
    if start.nrows() != n_rows || start.ncols() == 0 {
        return Err(Error::shape(
            message!("{:rows} of the initial coordinates"),
            n_rows,
            message!("{} × {}", start.nrows(), start.ncols()),
        ));
    }
    if start.iter().any(|value| !value.is_finite()) {
        return Err(Error::shape(
            message!("the initial coordinates"),
            "finite numbers",
            "others",
        ));
    }
    Ok(())
}

/// Random coordinates, about as far apart as the rows.
pub(crate) fn random(
    known: &Dissimilarities,
    n_components: usize,
    seed: u64,
    number: u64,
) -> Array2<f64> {
    let mut draw = stream(seed, number);
    let size = known.scale();
    Array2::from_shape_simple_fn((known.n_rows(), n_components), || {
        size * 0.5 * normal(&mut draw)
    })
}

/// The map of classical scaling. Missing distances are filled in by the shortest path over other rows.
///
/// Where rows with a distance between them coincide, or the map has no extent along a coordinate, no force could tell them apart: the
/// coordinates then get a little noise.
pub(crate) fn classical(
    run: &Run<'_>,
    known: &Dissimilarities,
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let mut squares = known.filled(run)?;
    squares.par_mapv_inplace(|distance| distance * distance);
    let options = ScalingOptions {
        n_components,
        tolerance: TOLERANCE,
        report: false,
        seed,
    };
    let scaled = scale(run, &Squares::between(squares), options)?;
    let mut layout = scaled.coordinates.slice(s![.., ..n_components]).to_owned();
    let flat = scaled.rank < n_components;
    if flat || shares_places(&layout, known) {
        let state = known.target_distances().stress(run, layout.clone())?;
        if state.value > EXACT * state.squares {
            let size = layout.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            let mut draw = stream(seed, 1);
            layout.mapv_inplace(|place| place + JITTER * size * normal(&mut draw));
        }
    }
    Ok(layout * known.scale())
}

/// True if two rows with a distance between them coincide.
fn shares_places(layout: &Array2<f64>, known: &Dissimilarities) -> bool {
    let mut order: Vec<usize> = (0..layout.nrows()).collect();
    let compare = |&a: &usize, &b: &usize| {
        let (a, b) = (layout.row(a), layout.row(b));
        let unequal = a.iter().zip(b).map(|(x, y)| x.total_cmp(y));
        unequal.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    order.sort_unstable_by(compare);
    order.windows(2).any(|pair| {
        compare(&pair[0], &pair[1]).is_eq() && known.distances()[[pair[0], pair[1]]] > 0.0
    })
}
