//! The search for the smallest eigenpairs: a block Krylov space of the inverse, or of a polynomial, of a sparse matrix.

use ndarray::Array2;

use super::problem::{Pairs, Problem};
use super::{Found, Route, signed};
use crate::error::{Error, Result};
use crate::linalg::block_krylov::{Space, Symmetric};
use crate::linalg::eigen;
use crate::linalg::orthogonal::{orthonormal_columns, remove_span};
use crate::linalg::product::product;
use crate::linalg::shift_invert::{Engine, Filter};
use crate::random::{normal, stream};
use crate::run::Run;

/// Vectors beyond those requested in each block, at least; blocks are multiples of `MULTIPLE`, for the solver.
const EXTRA: usize = 2;
const MULTIPLE: usize = 4;
/// The basis restarts at this many blocks.
const MAX_BLOCKS: usize = 8;

/// Builds the space until the pairs are good enough.
pub(super) fn search(
    run: &Run<'_>,
    problem: &Problem<'_>,
    engine: &mut Engine<'_>,
) -> Result<Found> {
    let width = (problem.count + EXTRA).next_multiple_of(MULTIPLE);
    let room = problem.n_positive() - problem.null.ncols();
    let width = width.min(room);
    let mut block = random_block(problem, width);
    let mut space = Space::new(problem.matrix.n(), MAX_BLOCKS * width);
    let mut last = f64::INFINITY;
    let total = problem.options.max_rounds;
    for round in 1..=total {
        let (images, from) = engine.apply(run, &block)?;
        run.progress(round as u64, total as u64)?;
        space.grow(&block, &images, from.as_ref());
        let pairs = pairs(&space, problem)?;
        let excess = pairs.excess(problem);
        let stuck = excess > 0.5 * last && pairs.is_rounding(problem);
        let complete = space.width() >= room;
        if excess <= 1.0 || stuck || complete || round == total {
            let converged = excess <= 1.0 || complete || pairs.is_rounding(problem);
            return Ok(found(problem, pairs, converged, round, engine.route()));
        }
        last = excess;
        block = space.next_block(images, room - space.width(), &problem.null.view());
        if space.width() + width > MAX_BLOCKS * width {
            let kept = eigen::symmetric_largest(&space.small(), width)?;
            space.restart(&kept, width);
            if let Engine::Filter(filter) = engine {
                block = refiltered(&mut space, problem, filter)?;
            }
        }
    }
    Err(Error::at_least("max_rounds", 1, total))
}

fn random_block(problem: &Problem<'_>, width: usize) -> Array2<f64> {
    let mut stream = stream(problem.options.seed, 0);
    let x = Array2::from_shape_fn((problem.matrix.n(), width), |_| normal(&mut stream));
    let mut y = problem.rooted(&x);
    remove_span(&mut y, &problem.null.view());
    orthonormal_columns(&y.view())
}

/// The best pairs in the space: the images of its leading vectors, a step of the operator further on.
fn pairs(space: &Space, problem: &Problem<'_>) -> Result<Pairs> {
    let leading = eigen::symmetric_largest(&space.small(), problem.count)?;
    let x = match space.from() {
        Some(from) => product(&from, &leading.vectors.t()),
        None => problem.unscaled(product(&space.images(), &leading.vectors.t())),
    };
    problem.refine(&x)
}

/// Starts anew from the vectors of a space that was restarted, with a polynomial cut where their eigenvalues end.
fn refiltered(
    space: &mut Space,
    problem: &Problem<'_>,
    filter: &mut Filter,
) -> Result<Array2<f64>> {
    let mut block = space.basis().to_owned();
    let images = filter.matrix.times(&Run::new(), &block)?;
    let small = product(&block.t(), &images.view());
    let values = eigen::symmetric_values(&((&small + &small.t()) * 0.5).view())?;
    // Not below what can be told from 0, nor so high that the polynomial has nothing left to press down.
    filter.cut = values[0].clamp(1e-10 * filter.bound, filter.bound / 2.0);
    remove_span(&mut block, &problem.null.view());
    space.clear();
    Ok(orthonormal_columns(&block.view()))
}

fn found(
    problem: &Problem<'_>,
    pairs: Pairs,
    converged: bool,
    n_rounds: usize,
    route: Route,
) -> Found {
    Found {
        eigen: signed(pairs.values, &pairs.vectors),
        residuals: pairs.residuals / problem.bound.max(f64::MIN_POSITIVE),
        converged,
        route,
        n_rounds,
    }
}
