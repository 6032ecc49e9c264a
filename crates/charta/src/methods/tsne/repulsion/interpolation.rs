//! FIt-SNE interpolation in the plane: one pair of fast Fourier transforms gives the potential everywhere on a grid, and the force is its gradient.
//!
//! Nodes are 0.35 apart, or less while the map is small: with cubic splines the forces are then right to 1 %. A map that would need
//! many more nodes than it has rows, as one with a row far away does, is refused.
//!
//! Linderman et al., "Fast interpolation-based t-SNE for improved visualization of single-cell RNA-seq data", 2019, interpolate with
//! polynomials in boxes instead, and need the potentials of four charges.

use rayon::prelude::*;

use super::mesh::{Mesh, Number, padded};
use crate::error::{Error, Result};

/// Rows that are sorted, and read, together.
const BLOCK: usize = 4096;
/// Rows of nodes of a strip.
const STRIP: usize = 8;
/// Distance of the nodes in a map that has grown.
const SPACING: f64 = 0.35;
/// Nodes that a map covers at least.
const LEAST: f64 = 48.0;
/// Nodes along an axis, at most: beyond, a tree is quicker.
const MAX_NODES_AXIS: f64 = 4096.0;
/// Nodes for each row, at most, beside a constant number.
const MAX_NODES_PER_ROW: f64 = 64.0;
const MAX_NODES_CONSTANT: f64 = 131_072.0;
/// Halvings by √2 of the spaces, at most: a map as small as this is a point.
const FINEST: i32 = 80;
/// Spaces up to which the nodes are in double precision: in a small map all potentials are nearly the same.
const FINE: f64 = 0.1;
/// Spaces between the outermost rows and the edge.
const EDGE: f64 = 1.5;
/// The grid over rows of a map.
#[derive(Debug)]
pub(in crate::methods::tsne) struct Grid {
    degrees_of_freedom: f64,
    /// How far beyond the outermost row the grid reaches, as a fraction of the map.
    margin: f64,
    frame: Frame,
    field: Field,
    sorted: Sorted,
    /// The number of rows, and their mean: what is felt beyond the grid.
    body: (f64, [f64; 2]),
}

/// Where the nodes are.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    low: [f64; 2],
    high: [f64; 2],
    spacing: f64,
}

#[derive(Debug)]
enum Field {
    None,
    Single(Mesh<f32>),
    Double(Mesh<f64>),
}

/// Rows by the strip they act on, for fixed blocks of rows.
#[derive(Debug, Default)]
struct Sorted {
    n_strips: usize,
    /// Rows of each block, strip by strip.
    order: Vec<u16>,
    /// Where the strips of each block begin.
    starts: Vec<u16>,
}

impl Grid {
    pub(super) fn new(degrees_of_freedom: f64, margin: f64) -> Self {
        Self {
            degrees_of_freedom,
            margin,
            frame: Frame {
                low: [0.0; 2],
                high: [0.0; 2],
                spacing: 0.0,
            },
            field: Field::None,
            sorted: Sorted::default(),
            body: (0.0, [0.0; 2]),
        }
    }

    /// Takes in where the rows stand; false if it would take too many nodes.
    pub(super) fn set_rows(&mut self, coordinates: &[[f32; 2]]) -> Result<bool> {
        let frame = Frame::of(coordinates, self.margin)?;
        let [across, down] =
            [0, 1].map(|axis| (frame.high[axis] - frame.low[axis]) / frame.spacing);
        let most = MAX_NODES_PER_ROW * coordinates.len() as f64 + MAX_NODES_CONSTANT;
        if across.max(down) > MAX_NODES_AXIS || across * down > most {
            return Ok(false);
        }
        let sizes = frame.sizes();
        let (spacing, degrees_of_freedom) = (frame.spacing, self.degrees_of_freedom);
        let same = frame.spacing == self.frame.spacing;
        self.frame = frame;
        let kernel = move |squares: f64| {
            let base = 1.0 + squares * spacing * spacing / degrees_of_freedom;
            if degrees_of_freedom == 1.0 {
                base.recip()
            } else {
                base.powf(-degrees_of_freedom)
            }
        };
        let fits = match &self.field {
            Field::None => false,
            Field::Single(mesh) => same && mesh.sizes() == sizes,
            Field::Double(mesh) => same && mesh.sizes() == sizes,
        };
        if !fits {
            // The old one first: two at once are never needed.
            self.field = Field::None;
            self.field = if spacing > FINE {
                Field::Single(Mesh::new(sizes, kernel)?)
            } else {
                Field::Double(Mesh::new(sizes, kernel)?)
            };
        }
        match &mut self.field {
            Field::None => {}
            Field::Single(mesh) => charge(mesh, &frame, coordinates, &mut self.sorted)?,
            Field::Double(mesh) => charge(mesh, &frame, coordinates, &mut self.sorted)?,
        }
        // Rows of the map never leave the grid; new ones may.
        if self.margin > 0.0 {
            self.body = body(coordinates);
        }
        Ok(true)
    }

    /// The push on every row, and Z.
    pub(super) fn forces(&self, coordinates: &[[f32; 2]], forces: &mut [[f32; 2]]) -> f64 {
        match &self.field {
            Field::None => 0.0,
            Field::Single(mesh) => read(mesh, &self.frame, coordinates, forces),
            Field::Double(mesh) => read(mesh, &self.frame, coordinates, forces),
        }
    }

    /// The potential at any point, and the force there.
    pub(super) fn at(&self, point: [f32; 2]) -> (f64, [f64; 2]) {
        let inside = (0..2).all(|axis| {
            let at = f64::from(point[axis]);
            at >= self.frame.low[axis] && at <= self.frame.high[axis]
        });
        if !inside {
            return self.far(point);
        }
        let wide = |[potential, x, y]: [f64; 3]| (potential, [x, y]);
        match &self.field {
            Field::None => (0.0, [0.0; 2]),
            Field::Single(mesh) => {
                wide(slope(mesh, &Lattice::of(&self.frame), point).map(f64::from))
            }
            Field::Double(mesh) => wide(slope(mesh, &Lattice::of(&self.frame), point)),
        }
    }

    /// Beyond the grid all rows count as one body.
    fn far(&self, point: [f32; 2]) -> (f64, [f64; 2]) {
        let (count, centre) = self.body;
        let apart = [
            f64::from(point[0]) - centre[0],
            f64::from(point[1]) - centre[1],
        ];
        let base = 1.0 + (apart[0] * apart[0] + apart[1] * apart[1]) / self.degrees_of_freedom;
        let potential = count * base.powf(-self.degrees_of_freedom);
        (potential, apart.map(|side| potential / base * side))
    }
}

/// The number of rows and their mean.
fn body(coordinates: &[[f32; 2]]) -> (f64, [f64; 2]) {
    let count = coordinates.len() as f64;
    let mut sums = [0.0; 2];
    for point in coordinates {
        sums[0] += f64::from(point[0]);
        sums[1] += f64::from(point[1]);
    }
    (count, sums.map(|sum| sum / count.max(1.0)))
}

impl Frame {
    fn of(coordinates: &[[f32; 2]], margin: f64) -> Result<Self> {
        let none = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        let (low, high) = coordinates
            .par_iter()
            .with_min_len(BLOCK)
            .fold(
                || none,
                |(low, high), point| {
                    let low = std::array::from_fn(|axis| point[axis].min(low[axis]));
                    let high = std::array::from_fn(|axis| point[axis].max(high[axis]));
                    (low, high)
                },
            )
            // Least and most do not depend on the order.
            .reduce(
                || none,
                |a, b| {
                    let low = std::array::from_fn(|axis| a.0[axis].min(b.0[axis]));
                    let high = std::array::from_fn(|axis| a.1[axis].max(b.1[axis]));
                    (low, high)
                },
            );
        let (low, high) = (low.map(f64::from), high.map(f64::from));
        let span = (high[0] - low[0]).max(high[1] - low[1]);
        if !span.is_finite() {
            return Err(Error::too_large());
        }
        let edge = margin * span;
        let span = span + 2.0 * edge;
        let mut spacing = SPACING;
        let step = std::f64::consts::SQRT_2;
        let mut halvings = 0;
        while spacing * LEAST > span && halvings < FINEST {
            spacing /= step;
            halvings += 1;
        }
        Ok(Self {
            low: low.map(|value| value - edge),
            high: high.map(|value| value + edge),
            spacing,
        })
    }

    /// Padded sizes of a mesh with a node wherever a spline needs one.
    fn sizes(&self) -> [usize; 2] {
        std::array::from_fn(|axis| {
            let spaces = (self.high[axis] - self.low[axis]) / self.spacing;
            padded((spaces + 2.0 * EDGE) as usize + 4)
        })
    }
}

/// From coordinates to nodes, in the precision of the mesh.
#[derive(Clone, Copy)]
struct Lattice<T> {
    origin: [T; 2],
    inverse: T,
}

impl<T: Number> Lattice<T> {
    fn of(frame: &Frame) -> Self {
        Self {
            origin: frame.low.map(|low| T::of(low - EDGE * frame.spacing)),
            inverse: T::of(1.0 / frame.spacing),
        }
    }

    /// The first of the four nodes along an axis that a point acts on, and how far beyond the second it is.
    #[inline(always)]
    fn cell(&self, point: &[f32; 2], axis: usize) -> (usize, T) {
        let at = (T::of(f64::from(point[axis])) - self.origin[axis]) * self.inverse;
        // Never negative, so that cutting off is rounding down; `floor` would be a call on old processors.
        let node = at.wide() as i32;
        (node as usize - 1, at - T::of(f64::from(node)))
    }
}

/// Values of the cubic B-spline at the four nodes around a point.
#[inline(always)]
fn spline<T: Number>(t: T) -> [T; 4] {
    let sixth = T::of(1.0 / 6.0);
    let rest = T::of(1.0) - t;
    let (square, other) = (t * t, rest * rest);
    [
        other * rest * sixth,
        T::of(2.0 / 3.0) - square * (T::of(1.0) - t * T::of(0.5)),
        T::of(2.0 / 3.0) - other * (T::of(1.0) - rest * T::of(0.5)),
        square * t * sixth,
    ]
}

/// And its derivatives.
#[inline(always)]
fn slopes<T: Number>(t: T) -> [T; 4] {
    let half = T::of(0.5);
    let rest = T::of(1.0) - t;
    [
        -(half * rest * rest),
        t * (T::of(1.5) * t - T::of(2.0)),
        rest * (T::of(2.0) - T::of(1.5) * rest),
        half * t * t,
    ]
}

impl Sorted {
    /// Sorts each block by strips of nodes; the order of rows stays within a strip.
    fn fill<T: Number>(&mut self, lattice: &Lattice<T>, coordinates: &[[f32; 2]], n_strips: usize) {
        self.n_strips = n_strips;
        self.order.resize(coordinates.len(), 0);
        self.starts.clear();
        self.starts
            .resize(coordinates.len().div_ceil(BLOCK) * (n_strips + 1), 0);
        self.order
            .par_chunks_mut(BLOCK)
            .zip(self.starts.par_chunks_mut(n_strips + 1))
            .zip(coordinates.par_chunks(BLOCK))
            .for_each(|((order, starts), coordinates)| {
                let strip = |point| lattice.cell(point, 1).0 / STRIP;
                for point in coordinates {
                    starts[strip(point) + 1] += 1;
                }
                for strip in 0..n_strips {
                    starts[strip + 1] += starts[strip];
                }
                let mut next = starts.to_vec();
                for (row, point) in coordinates.iter().enumerate() {
                    let at = &mut next[strip(point)];
                    order[usize::from(*at)] = row as u16;
                    *at += 1;
                }
            });
    }

    /// The rows of a strip within a block.
    fn rows(&self, block: usize, strip: usize) -> &[u16] {
        let starts = &self.starts[block * (self.n_strips + 1)..];
        let first = block * BLOCK;
        &self.order[first + usize::from(starts[strip])..first + usize::from(starts[strip + 1])]
    }
}

/// Puts a charge for every row on the nodes, and convolves.
///
/// A strip spills over into the three rows of nodes after it: strips of one parity never meet, so that all of them can be filled at
/// once, and every node adds up its charges in the order of blocks and rows.
fn charge<T: Number>(
    mesh: &mut Mesh<T>,
    frame: &Frame,
    coordinates: &[[f32; 2]],
    sorted: &mut Sorted,
) -> Result<()> {
    let lattice = Lattice::of(frame);
    let stride = mesh.sizes()[0];
    let n_strips = mesh.sizes()[1] / 2 / STRIP + 1;
    sorted.fill(&lattice, coordinates, n_strips);
    let n_blocks = coordinates.len().div_ceil(BLOCK);
    for parity in 0..2 {
        mesh.nodes[parity * STRIP * stride..]
            .par_chunks_mut(2 * STRIP * stride)
            .enumerate()
            .for_each(|(pair, nodes)| {
                if parity == 0 {
                    nodes.fill(T::of(0.0));
                }
                let strip = 2 * pair + parity;
                if strip >= n_strips {
                    return;
                }
                for block in 0..n_blocks {
                    for &row in sorted.rows(block, strip) {
                        let point = &coordinates[block * BLOCK + usize::from(row)];
                        let (column, across) = lattice.cell(point, 0);
                        let (line, down) = lattice.cell(point, 1);
                        let start = (line - strip * STRIP) * stride + column;
                        spread(&mut nodes[start..], stride, across, down);
                    }
                }
            });
    }
    mesh.convolve()
}

/// Adds one charge to sixteen nodes.
#[inline(always)]
fn spread<T: Number>(nodes: &mut [T], stride: usize, across: T, down: T) {
    let (across, down) = (spline(across), spline(down));
    for (row, factor) in down.into_iter().enumerate() {
        let nodes = &mut nodes[row * stride..row * stride + 4];
        for (node, weight) in nodes.iter_mut().zip(across) {
            *node += factor * weight;
        }
    }
}

/// The potential at a point and the force there, −½ of its gradient.
#[inline(always)]
fn slope<T: Number>(mesh: &Mesh<T>, lattice: &Lattice<T>, point: [f32; 2]) -> [T; 3] {
    let stride = mesh.sizes()[0];
    let (column, across) = lattice.cell(&point, 0);
    let (line, down) = lattice.cell(&point, 1);
    let (weights, steep) = (spline(down), slopes(down));
    let (mut values, mut changes) = ([T::of(0.0); 4], [T::of(0.0); 4]);
    for row in 0..4 {
        let start = (line + row) * stride + column;
        let nodes = &mesh.nodes[start..start + 4];
        for lane in 0..4 {
            values[lane] += weights[row] * nodes[lane];
            changes[lane] += steep[row] * nodes[lane];
        }
    }
    let (weights, steep) = (spline(across), slopes(across));
    let mut found = [T::of(0.0); 3];
    for lane in 0..4 {
        found[0] += weights[lane] * values[lane];
        found[1] += steep[lane] * values[lane];
        found[2] += weights[lane] * changes[lane];
    }
    let factor = -(lattice.inverse * T::of(0.5));
    [found[0], found[1] * factor, found[2] * factor]
}

/// The push on every row, and Z.
fn read<T: Number>(
    mesh: &Mesh<T>,
    frame: &Frame,
    coordinates: &[[f32; 2]],
    forces: &mut [[f32; 2]],
) -> f64 {
    let lattice = Lattice::of(frame);
    let parts: Vec<f64> = coordinates
        .par_chunks(BLOCK)
        .zip(forces.par_chunks_mut(BLOCK))
        .map(|(coordinates, forces)| {
            let mut sum = 0.0;
            for (point, force) in coordinates.iter().zip(forces) {
                let [potential, x, y] = slope(mesh, &lattice, *point);
                sum += potential.wide();
                *force = [x.wide() as f32, y.wide() as f32];
            }
            sum
        })
        .collect();
    parts.iter().sum::<f64>() - coordinates.len() as f64
}
