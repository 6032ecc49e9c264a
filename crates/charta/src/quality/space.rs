//! Distances from some rows to all rows, in blocks: never all of them at once.
//!
//! Euclidean distances are computed by products in double precision, [`Panel`] by panel.

use ndarray::{Array2, ArrayView2, s};

use crate::data::{Data, Features, Source};
use crate::error::{Error, Result, message};
use crate::metric::{
    Between, FEW_COLUMNS, Metric, PANEL, Panel, largest_square, row_in_the_middle, squared,
};
use crate::neighbors::Search;
use crate::parallel::blocks;
use crate::run::Run;

/// Rows between which distances are measured: those of `rows`, numbered anew from 0.
pub(super) struct Space<'a> {
    kind: Kind<'a>,
    rows: &'a [usize],
}

/// What measures two rows.
type Compare<'a> = dyn Fn(&[f64], &[f64]) -> Result<f64> + 'a;

enum Kind<'a> {
    /// Euclidean distances by products: the features, and the row subtracted from all.
    Products(Features<'a>, Vec<f64>),
    /// Euclidean distances by differences.
    Differences(Features<'a>),
    /// Any other metric.
    Metric(Features<'a>, Box<Between<'a>>),
    /// Distances as they were given.
    Given(ArrayView2<'a, f64>),
}

impl<'a> Space<'a> {
    /// The space of the data, for the rows given. The data must be finite.
    pub(super) fn new(
        run: &Run<'_>,
        data: &'a Data<'_>,
        search: &Search,
        rows: &'a [usize],
    ) -> Result<Self> {
        match data.source() {
            Source::Features(features)
                if search.metric != Metric::Euclidean || data.distance().is_some() =>
            {
                let between =
                    Between::of(run, data, search.metric, search.power, search.image_width)?;
                let kind = Kind::Metric(features.reborrow(), Box::new(between));
                Ok(Self { kind, rows })
            }
            Source::Features(features) => Self::straight(run, features.reborrow(), rows),
            Source::Distances(matrix) => Ok(Self {
                kind: Kind::Given(matrix.view()),
                rows,
            }),
            Source::Kernel(_) => Err(Error::unsupported(
                message!("quality"),
                message!("compares distances, and was given a kernel"),
            )),
            Source::DistancesTo(_)
            | Source::KernelTo(_)
            | Source::Neighbors(_)
            | Source::Affinities(_)
            | Source::AffinitiesTo(_) => Err(Error::unsupported(
                message!("quality"),
                message!("compares distances between all {:rows}, and was not given them"),
            )),
        }
    }

    /// Feature space with Euclidean distances.
    pub(super) fn straight(
        run: &Run<'_>,
        features: Features<'a>,
        rows: &'a [usize],
    ) -> Result<Self> {
        if features.n_columns() <= FEW_COLUMNS {
            let kind = Kind::Differences(features);
            return Ok(Self { kind, rows });
        }
        let centre = row_in_the_middle(&features, rows.iter().copied());
        if !largest_square(run, &features, &centre, rows)?.is_finite() {
            return Err(Error::too_large());
        }
        let kind = Kind::Products(features, centre);
        Ok(Self { kind, rows })
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// How far the rows at `indices` are from every row: distances, or their squares if Euclidean. A row is infinitely far from itself, so that it is not its
    /// own neighbour.
    pub(super) fn proximities(&self, indices: &[usize]) -> Result<Array2<f64>> {
        let mut block = Array2::zeros((indices.len(), self.len()));
        match &self.kind {
            Kind::Products(features, centre) => {
                let taken = indices.iter().map(|&index| self.rows[index]);
                let own = Panel::<f64>::of(features, centre, taken);
                for panel in blocks(self.len(), PANEL) {
                    let rows = self.rows[panel.clone()].iter().copied();
                    let others = Panel::of(features, centre, rows);
                    own.squares(&others, block.slice_mut(s![.., panel]));
                }
            }
            Kind::Differences(features) => {
                let between = |a: &[f64], b: &[f64]| Ok(squared(a, b));
                self.one_by_one(features, indices, &mut block, |row| row, between)?;
            }
            Kind::Metric(features, between) => {
                let distance = |a: &[f64], b: &[f64]| between.checked(a, b);
                let ready = |row| between.ready(row);
                self.one_by_one(features, indices, &mut block, ready, distance)?;
            }
            Kind::Given(matrix) => {
                for (mut target, &index) in block.rows_mut().into_iter().zip(indices) {
                    let from = matrix.row(self.rows[index]);
                    for (to, &row) in target.iter_mut().zip(self.rows) {
                        *to = from[row];
                    }
                }
            }
        }
        // Ranks would have no order.
        if block.iter().any(|proximity| !proximity.is_finite()) {
            return Err(Error::too_large());
        }
        for (mut target, &index) in block.rows_mut().into_iter().zip(indices) {
            target[index] = f64::INFINITY;
        }
        Ok(block)
    }

    /// Turns what [`Space::proximities`] gives into distances.
    pub(super) fn distance(&self, proximity: f64) -> f64 {
        match &self.kind {
            Kind::Products(..) | Kind::Differences(_) => proximity.sqrt(),
            Kind::Metric(..) | Kind::Given(_) => proximity,
        }
    }

    /// The distance between two rows.
    pub(super) fn between(&self, a: usize, b: usize) -> Result<f64> {
        let (a, b) = (self.rows[a], self.rows[b]);
        let pair = |features: &Features<'_>, f: &Compare<'_>| {
            let mut left = vec![0.0; features.n_columns()];
            let mut right = left.clone();
            features.copy_row(a, &mut left);
            features.copy_row(b, &mut right);
            f(&left, &right)
        };
        match &self.kind {
            Kind::Products(features, ..) | Kind::Differences(features) => {
                let distance = pair(features, &|a, b| Ok(squared(a, b)))?.sqrt();
                if !distance.is_finite() {
                    return Err(Error::too_large());
                }
                Ok(distance)
            }
            Kind::Metric(features, between) => pair(features, &|a, b| {
                let ready = |row: &[f64]| between.ready(row.to_vec());
                between.checked(&ready(a), &ready(b))
            }),
            Kind::Given(matrix) => Ok(matrix[[a, b]]),
        }
    }

    fn one_by_one(
        &self,
        features: &Features<'_>,
        indices: &[usize],
        block: &mut Array2<f64>,
        ready: impl Fn(Vec<f64>) -> Vec<f64>,
        between: impl Fn(&[f64], &[f64]) -> Result<f64>,
    ) -> Result<()> {
        let taken = |row: usize| {
            let mut values = vec![0.0; features.n_columns()];
            features.copy_row(row, &mut values);
            ready(values)
        };
        let own: Vec<Vec<f64>> = indices
            .iter()
            .map(|&index| taken(self.rows[index]))
            .collect();
        for (column, &row) in self.rows.iter().enumerate() {
            let other = taken(row);
            for (line, own) in own.iter().enumerate() {
                if self.rows[indices[line]] != row {
                    block[[line, column]] = between(own, &other)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::random::{normal, stream};

    fn sample(n: usize, columns: usize, offset: f64) -> Array2<f64> {
        let mut draw = stream(4, 0);
        let mut x = Array2::from_shape_simple_fn((n, columns), || offset + normal(&mut draw));
        let copy = x.row(3).to_owned();
        x.row_mut(n - 1).assign(&copy);
        x
    }

    #[test]
    fn products_give_the_distances_also_far_from_the_origin_and_for_equal_rows() {
        let x = sample(600, 20, 1e7);
        let data = Data::from(&x);
        let rows: Vec<usize> = (0..600).filter(|row| row % 7 != 1).collect();
        let space = Space::new(&Run::new(), &data, &Search::default(), &rows).unwrap();
        let last = rows.len() - 1;
        let block = space.proximities(&[3, 200, last]).unwrap();
        for (line, index) in [(0, 3), (1, 200), (2, last)] {
            assert_eq!(block[[line, index]], f64::INFINITY);
            for other in (0..rows.len()).filter(|&other| other != index) {
                let want = space.between(index, other).unwrap();
                let got = space.distance(block[[line, other]]);
                assert!((got - want).abs() <= 1e-7 * want, "{got} {want}");
            }
        }
        let twin = rows.iter().position(|&row| row == 3).unwrap();
        assert_eq!(block[[2, twin]], 0.0);
    }

    #[test]
    fn what_is_no_distance_is_told() {
        let rows = [0, 1, 2];
        let x = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]];
        let nothing = |_: &[f64], _: &[f64]| f64::NAN;
        let data = Data::from(&x).with_distance(&nothing);
        let space = Space::new(&Run::new(), &data, &Search::default(), &rows).unwrap();
        let error = space.proximities(&[0, 1]).unwrap_err().to_string();
        assert!(
            error.contains("the value of the distance function"),
            "{error}"
        );
        assert!(space.between(0, 2).is_err());
        let huge = x * 1e160;
        let data = Data::from(&huge);
        let space = Space::new(&Run::new(), &data, &Search::default(), &rows).unwrap();
        let error = space.proximities(&[0, 1]).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
        assert!(space.between(0, 2).is_err());
    }
}
