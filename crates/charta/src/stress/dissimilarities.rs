//! Distances to preserve: some may be missing, some may count more than others.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::gradient::{PairWeights, Target};
use crate::error::{Error, Message, Result, check_rows, counted, message};
use crate::graph::{Graph, Paths, Sets};
use crate::linalg::cholesky::Cholesky;
use crate::run::Run;

/// How far a weight may differ from the one the other way, as a fraction of the largest.
const UNEVEN: f64 = 1e-8;
/// Connected components that are listed when the distances are disconnected.
const NAMED: usize = 5;
/// Rows from which one job seeks the ways to others.
const SOURCES: usize = 16;

/// Distances between all rows, divided by a power of two so that their squares are harmless numbers; and their weights.
#[derive(Clone, Debug)]
pub struct Dissimilarities {
    distances: Array2<f64>,
    weights: Option<Array2<f64>>,
    scale: f64,
    /// What the weights were divided by.
    weight_scale: f64,
}

impl Dissimilarities {
    /// From a symmetric matrix; missing distances are NaN. Without weights all known distances count the same.
    pub fn new(distances: Array2<f64>, weights: Option<ArrayView2<'_, f64>>) -> Result<Self> {
        let mut distances = in_standard_layout(distances);
        let n_rows = distances.nrows();
        check_rows(message!("scaling of distances"), 2, n_rows)?;
        let missing = distances.iter().any(|distance| distance.is_nan());
        let (mut weights, weight_scale) = match weights {
            Some(given) => {
                let (weights, scale) = even(&given.as_standard_layout().view())?;
                (Some(weights), scale)
            }
            None if missing => (Some(Array2::ones(distances.dim())), 1.0),
            None => (None, 1.0),
        };
        if let Some(weights) = &mut weights {
            weights.diag_mut().fill(0.0);
            clear_missing(&mut distances, weights);
            check_connected(weights)?;
        }
        let largest = distances.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return Err(Error::degenerate(message!(
                "all {:rows} are the same: every distance is 0, so there is nothing to scale"
            )));
        }
        let scale = power_of_two(largest);
        distances.par_mapv_inplace(|distance| distance / scale);
        make_symmetric(&mut distances);
        Ok(Self {
            distances,
            weights,
            scale,
            weight_scale,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.distances.nrows()
    }

    /// What the distances were divided by.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The distances divided by the [scale](Self::scale); 0 where they are not known.
    pub fn distances(&self) -> &Array2<f64> {
        &self.distances
    }

    /// What raw stress of the scaled distances and weights is multiplied with to be that of the given ones.
    pub(crate) fn stress_scale(&self) -> f64 {
        self.scale * self.scale * self.weight_scale
    }

    /// What the stress of disparities, which have no unit, is multiplied with.
    pub(crate) fn weight_scale(&self) -> f64 {
        self.weight_scale
    }

    /// The weights divided by a power of two, if they are not all the same.
    pub fn weights(&self) -> Option<&Array2<f64>> {
        self.weights.as_ref()
    }

    /// The weight of a pair.
    pub(crate) fn weight(&self, row: usize, other: usize) -> f64 {
        self.weights
            .as_ref()
            .map_or(1.0, |weights| weights[[row, other]])
    }

    pub(crate) fn weighting(&self) -> PairWeights<'_> {
        match &self.weights {
            Some(weights) => PairWeights::Given(weights),
            None => PairWeights::Equal,
        }
    }

    /// These distances as the target of a layout.
    pub(crate) fn target_distances(&self) -> Target<'_> {
        Target {
            distances: &self.distances,
            weighting: self.weighting(),
            curved: false,
        }
    }

    /// The distances with the missing ones filled in by the shortest path over other rows.
    pub(crate) fn filled(&self, run: &Run<'_>) -> Result<Array2<f64>> {
        let mut filled = self.distances.clone();
        let Some(weights) = &self.weights else {
            return Ok(filled);
        };
        let paths = self.paths();
        (filled.axis_chunks_iter_mut(Axis(0), SOURCES))
            .into_par_iter()
            .enumerate()
            .try_for_each(|(chunk, mut lines)| {
                let mut search = paths.search();
                for (place, mut line) in lines.rows_mut().into_iter().enumerate() {
                    run.check()?;
                    let row = chunk * SOURCES + place;
                    let is_missing = |other: &usize| weights[[row, *other]] <= 0.0;
                    let missing: Vec<usize> = (0..row).filter(is_missing).collect();
                    if missing.is_empty() {
                        continue;
                    }
                    search.start([(row as u32, 0.0)]);
                    for other in missing {
                        line[other] = search.length(other as u32);
                    }
                }
                Ok(())
            })?;
        // The same in the other direction, to the last bit.
        for row in 0..filled.nrows() {
            for other in 0..row {
                filled[[other, row]] = filled[[row, other]];
            }
        }
        Ok(filled)
    }

    /// The known distances as edges of a graph.
    fn paths(&self) -> Paths {
        let n_rows = self.n_rows();
        let edges: Vec<(u32, u32, f64)> = (0..n_rows)
            .flat_map(|row| (0..row).map(move |other| (row, other)))
            .filter(|&(row, other)| self.weight(row, other) > 0.0)
            .map(|(row, other)| (row as u32, other as u32, self.distances[[row, other]]))
            .collect();
        Paths::of(&Graph::from_edges(n_rows, &edges))
    }
}

/// The power of two at or below a positive number.
pub(crate) fn power_of_two(value: f64) -> f64 {
    let power = value.log2().floor().clamp(-1022.0, 1023.0);
    power.exp2()
}

/// The weights, checked to be symmetric and made so to the last bit, divided by a power of two; and that.
fn in_standard_layout(matrix: Array2<f64>) -> Array2<f64> {
    if matrix.is_standard_layout() {
        return matrix;
    }
    matrix.as_standard_layout().into_owned()
}

fn even(given: &ArrayView2<'_, f64>) -> Result<(Array2<f64>, f64)> {
    let largest = given.iter().copied().fold(0.0, f64::max);
    let uneven = given
        .indexed_iter()
        .find(|((i, j), weight)| (**weight - given[[*j, *i]]).abs() > UNEVEN * largest);
    if let Some(((i, j), weight)) = uneven {
        return Err(Error::shape(
            message!("the weight of the distance between {i:row} and {j:row}"),
            "the same in both directions",
            message!("{weight} and {}", given[[j, i]]),
        ));
    }
    let mut weights = given.to_owned();
    make_symmetric(&mut weights);
    let scale = power_of_two(largest.max(f64::MIN_POSITIVE));
    Ok((weights / scale, scale))
}

fn make_symmetric(matrix: &mut Array2<f64>) {
    for row in 0..matrix.nrows() {
        matrix[[row, row]] = 0.0;
        for other in 0..row {
            let mean = 0.5 * matrix[[row, other]] + 0.5 * matrix[[other, row]];
            matrix[[row, other]] = mean;
            matrix[[other, row]] = mean;
        }
    }
}

/// A missing distance has no weight, and one without weight is 0.
fn clear_missing(distances: &mut Array2<f64>, weights: &mut Array2<f64>) {
    ndarray::Zip::from(distances)
        .and(weights)
        .for_each(|distance, weight| {
            if distance.is_nan() || *weight <= 0.0 {
                (*distance, *weight) = (0.0, 0.0);
            }
        });
}

/// Fails if the known distances do not connect all rows, and lists the connected components.
fn check_connected(weights: &Array2<f64>) -> Result<()> {
    let n_rows = weights.nrows();
    let mut sets = Sets::new(n_rows);
    for (row, line) in weights.rows().into_iter().enumerate() {
        for (other, _) in (line.iter().take(row).enumerate()).filter(|pair| *pair.1 > 0.0) {
            sets.unite(row as u32, other as u32);
        }
    }
    let roots: Vec<u32> = (0..n_rows as u32).map(|row| sets.find(row)).collect();
    let firsts: Vec<u32> = (0..n_rows as u32)
        .filter(|&row| roots[row as usize] == row)
        .collect();
    if firsts.len() == 1 {
        return Ok(());
    }
    let mut named = Message::new();
    for (place, &first) in firsts.iter().take(NAMED).enumerate() {
        let size = roots.iter().filter(|&&root| root == first).count();
        let comma = if place == 0 { "" } else { ", " };
        named = message!(
            "{named}{comma}{size:rows} from {row:row} on",
            row = first as usize
        );
    }
    let more = if firsts.len() > NAMED { ", …" } else { "" };
    Err(Error::degenerate(message!(
        "the known distances do not connect all {:rows}: there are {} ({named}{more}), \
         whose relative positions cannot be determined; give at least one distance with a \
         weight above 0 between them, or fit them one by one",
        counted(firsts.len(), "connected component")
    )))
}

/// Solves V x = b for right-hand sides whose columns sum to 0, where V is the Laplacian of the weights.
#[derive(Debug)]
pub(crate) enum Laplacian {
    /// All weights are 1: V = n I − 1 1ᵀ.
    Equal(usize),
    /// The factor of V + c 1 1ᵀ, which has the same solution.
    Factored(Cholesky),
}

impl Laplacian {
    pub(crate) fn of(dissimilarities: &Dissimilarities) -> Result<Self> {
        let n_rows = dissimilarities.n_rows();
        let Some(weights) = dissimilarities.weights() else {
            return Ok(Self::Equal(n_rows));
        };
        let mut matrix = -weights;
        let total: f64 = weights.sum();
        for row in 0..n_rows {
            matrix[[row, row]] = weights.row(row).sum();
        }
        matrix += total / (n_rows * n_rows) as f64;
        let factor = Cholesky::of(&matrix.view()).ok_or_else(|| {
            Error::degenerate(message!(
                "the weights of the distances are so uneven that the linear system is singular: \
                 make the smallest of them larger, or 0"
            ))
        })?;
        Ok(Self::Factored(factor))
    }

    pub(crate) fn solve(&self, right: &Array2<f64>) -> Array2<f64> {
        match self {
            Self::Equal(n_rows) => right / *n_rows as f64,
            Self::Factored(factor) => factor.solve_upper(&factor.solve_lower(&right.view()).view()),
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn missing_distances_are_the_shortest_way_round_and_parts_are_named() {
        let gap = f64::NAN;
        let chain = array![
            [0.0, 1.0, gap, gap],
            [1.0, 0.0, 2.0, gap],
            [gap, 2.0, 0.0, 4.0],
            [gap, gap, 4.0, 0.0]
        ];
        let known = Dissimilarities::new(chain, None).unwrap();
        let filled = known.filled(&Run::new()).unwrap() * known.scale();
        assert_eq!(filled[[0, 3]], 7.0);
        assert_eq!(filled[[2, 0]], 3.0);
        let apart = array![[0.0, 1.0, gap], [1.0, 0.0, gap], [gap, gap, 0.0]];
        let text = Dissimilarities::new(apart, None).unwrap_err().to_string();
        assert!(
            text.contains("2 connected components") && text.contains("1 row from row 2"),
            "{text}"
        );
    }

    #[test]
    fn a_way_over_more_rows_is_taken_if_it_is_shorter() {
        // A–B–C–D by steps of 1; A–E–D by two of 100.
        let mut detour = Array2::from_elem((5, 5), f64::NAN);
        for (a, b, length) in [
            (0, 1, 1.0),
            (1, 2, 1.0),
            (2, 3, 1.0),
            (0, 4, 100.0),
            (4, 3, 100.0),
        ] {
            (detour[[a, b]], detour[[b, a]]) = (length, length);
        }
        detour.diag_mut().fill(0.0);
        let known = Dissimilarities::new(detour, None).unwrap();
        let filled = known.filled(&Run::new()).unwrap() * known.scale();
        assert_eq!((filled[[0, 3]], filled[[3, 0]]), (3.0, 3.0));
        assert_eq!((filled[[1, 4]], filled[[4, 0]]), (101.0, 100.0));
    }

    #[test]
    fn the_laplacian_is_inverted_on_centred_columns() {
        let weights = array![
            [0.0, 1.0, 0.0, 2.0],
            [1.0, 0.0, 3.0, 0.0],
            [0.0, 3.0, 0.0, 1.0],
            [2.0, 0.0, 1.0, 0.0]
        ];
        let distances = Array2::ones((4, 4));
        let some = Dissimilarities::new(distances, Some(weights.view())).unwrap();
        let weights = some.weights().unwrap();
        let mut matrix = -weights;
        for row in 0..4 {
            matrix[[row, row]] = weights.row(row).sum();
        }
        let x = array![[1.0], [-2.0], [0.5], [0.5]];
        let found = Laplacian::of(&some).unwrap().solve(&matrix.dot(&x));
        assert!((found - x).iter().all(|d| d.abs() < 1e-14));
    }

    #[test]
    fn distances_column_by_column_are_those_row_by_row() {
        let distances = array![[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [2.0, 4.0, 0.0]];
        let weights = array![[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]];
        let layout = array![[0.0], [1.0], [5.0]];
        let stress = |distances: Array2<f64>, weights: ArrayView2<'_, f64>| {
            let known = Dissimilarities::new(distances, Some(weights)).unwrap();
            let state = known.target_distances().stress(&Run::new(), layout.clone());
            state.unwrap().value
        };
        let turned = distances.clone().reversed_axes();
        let by_row = stress(distances, weights.view());
        assert!(by_row > 0.0);
        assert_eq!(stress(turned, weights.t()), by_row);
    }

    #[test]
    fn uneven_weights_and_rows_in_one_place_are_refused() {
        let weights = array![[0.0, 1.0], [2.0, 0.0]];
        let error = Dissimilarities::new(Array2::ones((2, 2)), Some(weights.view())).unwrap_err();
        assert!(error.to_string().contains("same in both directions"));
        let nothing = Dissimilarities::new(Array2::zeros((3, 3)), None);
        assert!(matches!(nothing, Err(Error::Degenerate { .. })));
    }
}
