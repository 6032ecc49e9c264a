//! Curvature by the angle sums of geodesic triangles.
//!
//! A triangle of shortest lines has an angle sum of 180° in a plane, more where a surface is curved like a sphere, less where it
//! is curved like a saddle; the excess is the curvature summed over its area (Gauss–Bonnet). Lengths are those of shortest paths
//! along the neighbour graph. A path itself turns from row to row; the direction in which it leaves a corner is therefore taken
//! from the gradient of the distance to its other end, fitted to the distances of all neighbours of the corner in its tangent
//! space.

use ndarray::{Array1, Array2};

use crate::data::{Data, Features};
use crate::error::{Error, Result, check_rows, message};
use crate::graph::{Connected, Graph, Neighborhood, Paths};
use crate::linalg::{solve, svd};
use crate::parallel::try_map;
use crate::params::Parameters;
use crate::random::{Stream, below, stream};
use crate::run::Run;

/// Corners that are tried for a triangle before it is given up.
const TRIES: usize = 20;
/// A distance whose gradient is shorter says nothing about its direction; that of a smooth one has length 1.
const SHORTEST_GRADIENT: f64 = 0.3;

/// How triangles are drawn.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Triangles")]
pub struct AngleOptions {
    /// Number of triangles. Larger values give a smaller standard error and cost three searches for shortest paths each.
    #[param(default = 200, min = 1)]
    pub n_triangles: usize,
    /// Longest side of a triangle, as a fraction of the distance from its first corner to the farthest row; its sides are at least half as long. Smaller values measure the curvature more locally, with more noise.
    #[param(default = 0.5, above = 0.0, max = 1.0)]
    pub triangle_size: f64,
    /// Dimension of the manifold, to which tangent spaces are fitted: 2 for a surface.
    #[param(default = 2, min = 2)]
    pub dimension: usize,
    /// Random seed of the triangles.
    #[param(default = 0)]
    pub seed: u64,
    /// The neighbour graph, whose neighbourhoods also give the tangent spaces.
    #[param(flatten)]
    pub neighborhood: Neighborhood,
}

/// A triangle of shortest paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangle {
    /// The rows that are its corners.
    pub corners: [usize; 3],
    /// The lengths of the sides opposite to them.
    pub sides: [f64; 3],
    /// The angles at them, in degrees.
    pub angles: [f64; 3],
}

impl Triangle {
    /// The sum of its angles in degrees.
    pub fn angle_sum(&self) -> f64 {
        self.angles.iter().sum()
    }

    /// The area of the flat triangle with the same sides.
    pub fn flat_area(&self) -> f64 {
        let mut sides = self.sides;
        sides.sort_by(|a, b| b.total_cmp(a));
        let [a, b, c] = sides;
        // Kahan's order of Heron's formula, which loses no digits for needle-like triangles.
        let product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
        product.max(0.0).sqrt() / 4.0
    }
}

/// What the detours of paths along a graph may add to an angle sum, or take from it, in degrees.
const DETOURS: f64 = 5.0;

/// What the angle sums say of the curvature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Curvature {
    /// More than 180°, as on a sphere.
    Positive,
    /// 180° within the error of the estimate, as in a plane or a rolled sheet.
    Flat,
    /// Less than 180°, as on a saddle.
    Negative,
}

/// The angle sums of triangles drawn at random.
#[derive(Clone, Debug, PartialEq)]
pub struct AngleSums {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// Triangles that were given up: no corners at such distances, or no direction at one.
    pub n_failed: usize,
    /// Mean angle sum in degrees.
    pub mean: f64,
    /// Standard deviation of the sums.
    pub deviation: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// A quarter, half and three quarters of the sums are below these.
    pub quartiles: [f64; 3],
    /// Curvature in units of 1 / length²: the sum of all excesses in radians by the sum of the flat areas. On a sphere 1 / r² for small
    /// triangles, some more for large ones, whose area is larger than the flat one.
    pub curvature: f64,
    /// How the neighbours were found.
    pub algorithm: String,
}

impl AngleSums {
    /// Draws triangles and measures their angles.
    ///
    /// ```
    /// use charta::dimension::{AngleOptions, AngleSums};
    /// use charta::{Data, Run};
    /// let mut stream = charta::random::stream(11, 0);
    /// let plane = ndarray::Array2::from_shape_fn((1500, 2), |_| 2.0 * charta::random::uniform(&mut stream) - 1.0);
    /// let found = AngleSums::of(&Run::new(), &Data::from(&plane), &AngleOptions::default())?;
    /// assert!((found.mean - 180.0).abs() < 5.0);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(run: &Run<'_>, data: &Data<'_>, options: &AngleOptions) -> Result<Self> {
        options.check()?;
        let features = data.features("the angles of triangles")?;
        data.check_finite()?;
        let n_columns = features.n_columns();
        if options.dimension > n_columns {
            let because = crate::error::Because::Columns(n_columns);
            return Err(Error::at_most(
                "dimension",
                n_columns,
                because,
                options.dimension,
            ));
        }
        check_rows(
            message!("triangles with neighbourhoods of this dimension"),
            options.dimension + 4,
            features.n_rows(),
        )?;
        run.install(|| {
            run.stage("neighbours")?;
            let connected = options.neighborhood.graph(run, data)?;
            run.stage("triangles")?;
            let world = World::of(features, &connected, options);
            let drawn = try_map(run, options.n_triangles, |index| world.triangle(index))?;
            let triangles: Vec<Triangle> = drawn.into_iter().flatten().collect();
            Self::summarize(triangles, options, connected.algorithm.clone())
        })
    }

    fn summarize(
        triangles: Vec<Triangle>,
        options: &AngleOptions,
        algorithm: String,
    ) -> Result<Self> {
        let count = triangles.len();
        if count < 2 {
            return Err(Error::degenerate(message!(
                "{count} of {} triangles could be measured, and 2 are needed: the neighbour graph has too few edges at its \
                 {:rows}, or its {:rows} are too far apart; raise {n_neighbors:parameter}",
                options.n_triangles
            )));
        }
        let mut sums: Vec<f64> = triangles.iter().map(Triangle::angle_sum).collect();
        let n = count as f64;
        let mean = sums.iter().sum::<f64>() / n;
        let squares: f64 = sums.iter().map(|sum| (sum - mean).powi(2)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        sums.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (n - 1.0);
            let (low, part) = (place as usize, place.fract());
            sums[low] * (1.0 - part) + sums[(low + 1).min(count - 1)] * part
        };
        let area: f64 = triangles.iter().map(Triangle::flat_area).sum();
        Ok(Self {
            n_failed: options.n_triangles - count,
            mean,
            deviation,
            standard_error: deviation / n.sqrt(),
            quartiles: [quantile(0.25), quantile(0.5), quantile(0.75)],
            curvature: n * (mean - 180.0).to_radians() / area,
            algorithm,
            triangles,
        })
    }

    /// Whether the mean differs from 180° by more than three standard errors and by more than 5°, which the graph's detours alone
    /// may cost.
    pub fn verdict(&self) -> Curvature {
        let excess = self.mean - 180.0;
        if excess.abs() <= f64::max(3.0 * self.standard_error, DETOURS) {
            Curvature::Flat
        } else if excess > 0.0 {
            Curvature::Positive
        } else {
            Curvature::Negative
        }
    }
}

/// Everything that a triangle is measured by.
struct World<'a> {
    features: Features<'a>,
    graph: &'a Graph,
    /// The row of the data that each row of the graph is, where some were left out.
    rows: Option<&'a [u32]>,
    paths: Paths,
    options: &'a AngleOptions,
}

impl<'a> World<'a> {
    fn of(features: &'a Features<'_>, connected: &'a Connected, options: &'a AngleOptions) -> Self {
        Self {
            features: features.reborrow(),
            graph: &connected.graph,
            rows: connected.rows.as_deref(),
            paths: Paths::of(&connected.graph),
            options,
        }
    }

    /// The triangle of this number: the same whatever thread draws it.
    fn triangle(&self, index: usize) -> Result<Option<Triangle>> {
        let mut stream = stream(self.options.seed, index as u64);
        for _ in 0..TRIES {
            let Some((corners, lengths)) = self.corners(&mut stream) else {
                continue;
            };
            if let Some(triangle) = self.measure(corners, &lengths)? {
                return Ok(Some(triangle));
            }
        }
        Ok(None)
    }

    /// Three corners, and the distances of all rows from each.
    fn corners(&self, stream: &mut Stream) -> Option<([usize; 3], [Vec<f64>; 3])> {
        let n_rows = self.graph.n_rows();
        let first = below(stream, n_rows);
        let from_first = self.lengths(first);
        let reached = from_first
            .iter()
            .copied()
            .filter(|length| length.is_finite());
        let longest = self.options.triangle_size * reached.fold(0.0, f64::max);
        let proper = |length: f64| length > 0.0 && (longest / 2.0..=longest).contains(&length);
        let choose = |stream: &mut Stream, from: &[&[f64]]| {
            let among: Vec<usize> = (0..n_rows)
                .filter(|&row| from.iter().all(|lengths| proper(lengths[row])))
                .collect();
            (!among.is_empty()).then(|| among[below(stream, among.len())])
        };
        let second = choose(stream, &[&from_first])?;
        let from_second = self.lengths(second);
        let third = choose(stream, &[&from_first, &from_second])?;
        let from_third = self.lengths(third);
        Some((
            [first, second, third],
            [from_first, from_second, from_third],
        ))
    }

    fn lengths(&self, row: usize) -> Vec<f64> {
        let mut search = self.paths.search();
        search.start([(row as u32, 0.0)]);
        let rows = 0..self.graph.n_rows() as u32;
        rows.map(|other| search.length(other)).collect()
    }

    fn measure(&self, corners: [usize; 3], lengths: &[Vec<f64>; 3]) -> Result<Option<Triangle>> {
        let mut angles = [0.0; 3];
        for corner in 0..3 {
            let (next, last) = ((corner + 1) % 3, (corner + 2) % 3);
            let ends = [&lengths[next], &lengths[last]];
            match self.angle(corners[corner], ends)? {
                Some(angle) => angles[corner] = angle.to_degrees(),
                None => return Ok(None),
            }
        }
        let called = |row: usize| self.rows.map_or(row, |rows| rows[row] as usize);
        let side = |a: usize, b: usize| lengths[a][corners[b]];
        Ok(Some(Triangle {
            corners: corners.map(called),
            sides: [side(1, 2), side(2, 0), side(0, 1)],
            angles,
        }))
    }

    /// The angle at a row between the shortest lines to two others, of which the distances of all rows are given.
    fn angle(&self, row: usize, lengths: [&Vec<f64>; 2]) -> Result<Option<f64>> {
        let near: Vec<usize> = std::iter::once(row)
            .chain(self.graph.row(row).0.iter().map(|&other| other as usize))
            .collect();
        let dimension = self.options.dimension;
        if near.len() < dimension + 2 {
            return Ok(None);
        }
        let Some(tangent) = self.tangent(&near)? else {
            return Ok(None);
        };
        let changes = Array2::from_shape_fn((near.len(), 2), |(i, end)| lengths[end][near[i]]);
        if changes.iter().any(|length| !length.is_finite()) {
            return Ok(None);
        }
        let mut design = Array2::ones((near.len(), dimension + 1));
        design.slice_mut(ndarray::s![.., 1..]).assign(&tangent);
        let fitted = solve::least_squares(&design.view(), &changes.view())?;
        let slope = |end: usize| fitted.slice(ndarray::s![1.., end]).to_owned();
        let (a, b): (Array1<f64>, Array1<f64>) = (slope(0), slope(1));
        let (long, wide) = (a.dot(&a).sqrt(), b.dot(&b).sqrt());
        if long.min(wide) < SHORTEST_GRADIENT {
            return Ok(None);
        }
        Ok(Some((a.dot(&b) / (long * wide)).clamp(-1.0, 1.0).acos()))
    }

    /// Coordinates of rows in the directions in which they vary most; `None` if they vary in fewer.
    fn tangent(&self, near: &[usize]) -> Result<Option<Array2<f64>>> {
        let mut block = Array2::zeros((near.len(), self.features.n_columns()));
        for (&row, mut target) in near.iter().zip(block.rows_mut()) {
            let row = self.rows.map_or(row, |rows| rows[row] as usize);
            let target = target.as_slice_mut().expect("a new array is in row order");
            self.features.copy_row(row, target);
        }
        let mean = &block.sum_axis(ndarray::Axis(0)) / near.len() as f64;
        block -= &mean;
        let parts = svd::thin(&block.view())?;
        let dimension = self.options.dimension;
        let least = parts.values[0] * 1e-9;
        if parts.values.len() < dimension || parts.values[dimension - 1] <= least {
            return Ok(None);
        }
        let axes = parts.right.slice(ndarray::s![..dimension, ..]);
        Ok(Some(block.dot(&axes.t())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, uniform};

    fn of(rows: &Array2<f64>) -> AngleSums {
        let options = AngleOptions::default();
        AngleSums::of(&Run::new(), &Data::from(rows), &options).unwrap()
    }

    fn square(n_rows: usize) -> Array2<f64> {
        let mut stream = stream(11, 0);
        Array2::from_shape_fn((n_rows, 2), |_| 2.0 * uniform(&mut stream) - 1.0)
    }

    #[test]
    fn a_plane_and_a_rolled_sheet_are_flat() {
        let flat = square(1500);
        let found = of(&flat);
        assert!(
            (found.mean - 180.0).abs() < 2.0,
            "{} ± {}",
            found.mean,
            found.standard_error
        );
        assert_eq!(found.verdict(), Curvature::Flat);
        let rolled = Array2::from_shape_fn((1500, 3), |(i, j)| match j {
            0 => (1.5 * flat[[i, 0]]).cos(),
            1 => (1.5 * flat[[i, 0]]).sin(),
            _ => 1.5 * flat[[i, 1]],
        });
        let found = of(&rolled);
        assert!(
            (found.mean - 180.0).abs() < 3.0,
            "{} ± {}",
            found.mean,
            found.standard_error
        );
        assert_eq!(found.verdict(), Curvature::Flat);
    }

    #[test]
    fn a_sphere_has_more_and_its_radius_is_found() {
        for radius in [1.0, 3.0] {
            let mut stream = stream(12, 0);
            let mut rows = Array2::from_shape_fn((1500, 3), |_| normal(&mut stream));
            for mut row in rows.rows_mut() {
                let length = row.dot(&row).sqrt();
                row.mapv_inplace(|value| radius * value / length);
            }
            let found = of(&rows);
            assert_eq!(found.verdict(), Curvature::Positive);
            assert!(
                found.mean > 200.0,
                "{} ± {}",
                found.mean,
                found.standard_error
            );
            let by_radius = found.curvature * radius * radius;
            assert!((0.8..1.5).contains(&by_radius), "{by_radius}");
        }
    }

    #[test]
    fn a_saddle_has_less() {
        let flat = square(1500);
        let rows = Array2::from_shape_fn((1500, 3), |(i, j)| match j {
            2 => flat[[i, 0]].powi(2) - flat[[i, 1]].powi(2),
            _ => flat[[i, j]],
        });
        let found = of(&rows);
        assert_eq!(found.verdict(), Curvature::Negative);
        assert!(
            found.mean < 172.0,
            "{} ± {}",
            found.mean,
            found.standard_error
        );
        assert!(found.curvature < -0.1);
    }

    #[test]
    fn heron_and_limits() {
        let right = Triangle {
            corners: [0, 1, 2],
            sides: [3.0, 4.0, 5.0],
            angles: [36.87, 53.13, 90.0],
        };
        assert!((right.flat_area() - 6.0).abs() < 1e-12);
        let options = AngleOptions {
            dimension: 3,
            ..AngleOptions::default()
        };
        let flat = square(100);
        let error = AngleSums::of(&Run::new(), &Data::from(&flat), &options).unwrap_err();
        assert!(error.to_string().contains("dimension"), "{error}");
        let line = Array2::from_shape_fn((50, 2), |(i, _)| i as f64);
        assert!(AngleSums::of(&Run::new(), &Data::from(&line), &AngleOptions::default()).is_err());
    }
}
