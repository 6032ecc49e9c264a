//! Out-of-sample placement: each new row goes where the stress of its own distances is smallest, while the training rows stay where they are.
//!
//! With the distances δ of a new row to the training rows and their weights w, its coordinates z minimize Σ w (δ − |z − x|)². Newton's step is
//! taken where the second derivative is positive definite and the stress falls by it; elsewhere the step of majorization, which never
//! raises the stress: z becomes the mean of the points at distance δ from each x towards z.

use ndarray::{Array2, ArrayView2};

use super::dissimilarities::power_of_two;
use crate::linalg::small::solve_in_place;

/// Steps at most.
const MAX_STEPS: usize = 200;
/// Nearest rows whose mean is the second initialization.
const NEAREST: usize = 5;
/// A step below this fraction of the map's size ends the search.
const TOLERANCE: f64 = 1e-13;

/// The coordinates of the training rows, among which new rows are embedded.
#[derive(Clone, Debug)]
pub(crate) struct PlacementMap {
    coordinates: Array2<f64>,
    scale: f64,
}

/// The distances that a new row should have to the training rows, and their weights. A distance that is not known has the weight 0.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    /// The distances.
    pub distances: Vec<f64>,
    /// Their weights, not all 0.
    pub weights: Vec<f64>,
}

impl PlacementMap {
    /// From the coordinates of the training rows.
    pub(crate) fn new(coordinates: &ArrayView2<'_, f64>) -> Self {
        let largest = coordinates
            .iter()
            .fold(0.0, |most: f64, v| most.max(v.abs()));
        let scale = if largest > 0.0 {
            power_of_two(largest)
        } else {
            1.0
        };
        Self {
            coordinates: coordinates.mapv(|value| value / scale),
            scale,
        }
    }

    /// The coordinates of a new row, from the better of two initializations: those of the nearest row, and a mean of some nearest; where these
    /// lead nowhere, also a point beside the nearest row. A row at distance 0 from one of the map starts there alone. `None` if nothing is known of the row, or its distances are too large.
    pub(crate) fn embed(&self, mut targets: Targets) -> Option<Vec<f64>> {
        let most = targets.weights.iter().copied().fold(0.0, f64::max);
        for (distance, weight) in targets.distances.iter_mut().zip(&mut targets.weights) {
            *weight /= most;
            *distance /= self.scale;
        }
        let order = nearest(&targets);
        let (&first, same) = (order.first()?, |row: &usize| targets.distances[*row] == 0.0);
        let mut best = self.descend(&targets, self.coordinates.row(first).to_vec());
        if !same(&first) {
            let other = self.descend(&targets, self.mean(&targets, &order));
            if other.stress < best.stress {
                best = other;
            }
        }
        if !same(&first) && self.is_stuck(&targets, first) {
            let other = self.descend(&targets, self.beside(first, targets.distances[first]));
            if other.stress < best.stress {
                best = other;
            }
        }
        let place: Vec<f64> = best.place.iter().map(|place| place * self.scale).collect();
        let finite = best.stress.is_finite() && place.iter().all(|value| value.is_finite());
        finite.then_some(place)
    }

    /// True if the forces at a row cannot lead everywhere: the training rows are too few, or pull nowhere.
    fn is_stuck(&self, targets: &Targets, row: usize) -> bool {
        let n_known = targets
            .weights
            .iter()
            .filter(|weight| **weight > 0.0)
            .count();
        let forces = || {
            self.derivatives(targets, &self.coordinates.row(row).to_vec())
                .forces
        };
        n_known <= self.coordinates.ncols() || forces().iter().all(|force| *force == 0.0)
    }

    /// A point at a distance from a row, always in the same direction, which is along no axis.
    fn beside(&self, row: usize, distance: f64) -> Vec<f64> {
        let width = self.coordinates.ncols();
        let along: Vec<f64> = (0..width).map(|column| 1.0 / (column + 1) as f64).collect();
        let length = along.iter().map(|v| v * v).sum::<f64>().sqrt();
        (self.coordinates.row(row).iter().zip(along))
            .map(|(place, along)| place + distance * along / length)
            .collect()
    }

    /// The mean of rows, the nearer the more.
    fn mean(&self, targets: &Targets, rows: &[usize]) -> Vec<f64> {
        let shares: Vec<f64> = rows
            .iter()
            .map(|&row| 1.0 / targets.distances[row])
            .collect();
        let total: f64 = shares.iter().sum();
        let mut mean = vec![0.0; self.coordinates.ncols()];
        for (&row, share) in rows.iter().zip(&shares) {
            for (mean, place) in mean.iter_mut().zip(self.coordinates.row(row)) {
                *mean += share / total * place;
            }
        }
        mean
    }

    fn descend(&self, targets: &Targets, start: Vec<f64>) -> Found {
        let mut derivatives = self.derivatives(targets, &start);
        let mut found = Found {
            stress: derivatives.stress,
            place: start,
        };
        for _ in 0..MAX_STEPS {
            let Some((place, next)) = self.lower(targets, &found.place, derivatives) else {
                break;
            };
            let moved = (place.iter().zip(&found.place))
                .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            found = Found {
                stress: next.stress,
                place,
            };
            derivatives = next;
            if moved <= TOLERANCE {
                break;
            }
        }
        found
    }

    /// A point of lower stress and the derivatives there, by Newton's step or by majorization; `None` if neither leads down.
    fn lower(
        &self,
        targets: &Targets,
        place: &[f64],
        derivatives: Derivatives,
    ) -> Option<(Vec<f64>, Derivatives)> {
        let Derivatives {
            stress,
            forces,
            mut curvature,
            weight,
        } = derivatives;
        let mut newton = forces.clone();
        let tried = solve_in_place(&mut curvature, &mut newton).then_some(newton);
        let majorized = forces.iter().map(|force| force / weight).collect();
        [tried, Some(majorized)]
            .into_iter()
            .flatten()
            .find_map(|step: Vec<f64>| {
                let next: Vec<f64> = place.iter().zip(&step).map(|(z, step)| z - step).collect();
                let there = self.derivatives(targets, &next);
                (there.stress < stress).then_some((next, there))
            })
    }

    fn derivatives(&self, targets: &Targets, place: &[f64]) -> Derivatives {
        let width = place.len();
        let mut derivatives = Derivatives {
            stress: 0.0,
            forces: vec![0.0; width],
            curvature: vec![0.0; width * width],
            weight: 0.0,
        };
        let mut apart = vec![0.0; width];
        let pairs = targets.distances.iter().zip(&targets.weights);
        for (row, (&target, &weight)) in self.coordinates.rows().into_iter().zip(pairs) {
            if weight <= 0.0 {
                continue;
            }
            for ((apart, z), x) in apart.iter_mut().zip(place).zip(row) {
                *apart = z - x;
            }
            derivatives.add(&apart, target, weight);
        }
        derivatives
    }
}

/// The rows with a known distance that are nearest, some of them, in order.
fn nearest(targets: &Targets) -> Vec<usize> {
    let mut order: Vec<usize> = (0..targets.distances.len())
        .filter(|&row| targets.weights[row] > 0.0)
        .collect();
    let compare = |a: &usize, b: &usize| {
        let (x, y) = (targets.distances[*a], targets.distances[*b]);
        x.total_cmp(&y).then(a.cmp(b))
    };
    if order.len() > NEAREST {
        order.select_nth_unstable_by(NEAREST - 1, compare);
        order.truncate(NEAREST);
    }
    order.sort_unstable_by(compare);
    order
}

struct Found {
    stress: f64,
    place: Vec<f64>,
}

/// The stress at a point, half its gradient and half its second derivatives.
struct Derivatives {
    stress: f64,
    forces: Vec<f64>,
    curvature: Vec<f64>,
    weight: f64,
}

impl Derivatives {
    fn add(&mut self, apart: &[f64], target: f64, weight: f64) {
        let width = apart.len();
        let distance = apart.iter().map(|v| v * v).sum::<f64>().sqrt();
        let inverse = if distance > 0.0 { 1.0 / distance } else { 0.0 };
        let ratio = weight * target * inverse;
        let turn = ratio * inverse * inverse;
        self.stress += weight * (target - distance) * (target - distance);
        self.weight += weight;
        for (i, a) in apart.iter().enumerate() {
            self.forces[i] += (weight - ratio) * a;
            self.curvature[i * width + i] += weight - ratio;
            for (j, b) in apart.iter().take(i + 1).enumerate() {
                self.curvature[i * width + j] += turn * a * b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream};

    #[test]
    fn rows_go_where_their_distances_say_whatever_the_scale_and_what_is_missing() {
        let mut draw = stream(1, 0);
        for scale in [1.0, 1e-200, 1e200] {
            let points = Array2::from_shape_simple_fn((30, 2), || scale * normal(&mut draw));
            let map = PlacementMap::new(&points.view());
            for _ in 0..20 {
                let truth = [scale * normal(&mut draw), scale * normal(&mut draw)];
                let distances = points
                    .rows()
                    .into_iter()
                    .map(|row| (row[0] - truth[0]).hypot(row[1] - truth[1]))
                    .collect();
                let mut weights = vec![1.0; 30];
                weights[..10].fill(0.0);
                let transformed = map.embed(Targets { distances, weights }).unwrap();
                let off = (transformed[0] - truth[0]).hypot(transformed[1] - truth[1]);
                assert!(off < 1e-9 * scale, "{off}");
            }
            let nothing = Targets {
                distances: vec![1.0; 30],
                weights: vec![0.0; 30],
            };
            assert!(map.embed(nothing).is_none());
        }
    }

    #[test]
    fn a_row_with_one_known_distance_keeps_it_and_huge_ones_are_refused() {
        let apart = |a: &[f64], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let points = ndarray::array![[0.0, 0.0], [0.0, 0.0], [4.0, 0.0]];
        let map = PlacementMap::new(&points.view());
        let place = |distances: [f64; 3], weights: [f64; 3]| {
            map.embed(Targets {
                distances: distances.to_vec(),
                weights: weights.to_vec(),
            })
        };
        let one = place([3.0, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap();
        assert!((apart(&one, [0.0, 0.0]) - 3.0).abs() < 1e-12, "{one:?}");
        let together = place([3.0, 3.0, 0.0], [1.0, 1.0, 0.0]).unwrap();
        assert!((apart(&together, [0.0, 0.0]) - 3.0).abs() < 1e-12);
        // The corner of a triangle of sides 3, 4 and 5.
        let corner = place([0.0, 3.0, 5.0], [0.0, 1.0, 1.0]).unwrap();
        assert!(
            (apart(&corner, [0.0, 0.0]) - 3.0).abs() < 1e-6,
            "{corner:?}"
        );
        assert!(
            (apart(&corner, [4.0, 0.0]) - 5.0).abs() < 1e-6,
            "{corner:?}"
        );
        assert!(place([1e200, 2e200, 1e200], [1.0; 3]).is_none());
    }
}
