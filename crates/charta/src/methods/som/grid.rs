//! The grid of units: where they stand, how far apart, which are neighbours.
//!
//! Units are numbered row by row. Neighbours stand 1 apart: on a rectangular grid along the sides, on a hexagonal one in all six
//! directions, because its odd rows are shifted by half a step and rows are √3/2 apart. On a torus the grid goes on at the
//! opposite side, and distances are the shorter way round.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, message};
use crate::params::Choice;

/// Units of a grid, at most: this many can be counted in single precision.
const MOST_UNITS: usize = 1 << 24;
/// How much longer than wide a grid that is chosen can be.
const MOST_STRETCHED: f64 = 3.0;
/// How far apart rows of a hexagonal grid are.
const HEXAGONAL_STEP: f64 = 0.866_025_403_784_438_6;
/// What distances of neighbours may exceed by rounding.
const ROUNDING: f64 = 1e-9;

/// How units stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Cells {
    /// Rectangular grid; eight neighbours.
    Rectangular,
    /// Hexagonal grid; six neighbours.
    Hexagonal,
}

/// Units in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    width: usize,
    height: usize,
    cells: Cells,
    toroidal: bool,
}

/// The shape of a grid: the sides that are not given are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GridOptions {
    /// Units in a row.
    pub width: Option<usize>,
    /// Rows.
    pub height: Option<usize>,
    /// How units stand.
    pub cells: Cells,
    /// Sides meet.
    pub toroidal: bool,
}

impl GridOptions {
    /// The grid for this many rows of data, `stretch` times as wide in one principal direction as in the other. About 5 √n units (Vesanto), but no
    /// more than there are rows, where the sides are not given.
    pub(super) fn grid(&self, n_rows: usize, stretch: f64) -> Result<Grid> {
        let wanted = (5.0 * (n_rows as f64).sqrt())
            .min(n_rows as f64)
            .clamp(1.0, MOST_UNITS as f64 / 4.0);
        let stretch = if stretch.is_finite() { stretch } else { 1.0 };
        let stretch = stretch.clamp(1.0, MOST_STRETCHED) * self.row_step();
        let rounded = |side: f64| (side.round() as usize).max(1);
        let (width, height) = match (self.width, self.height) {
            (Some(width), Some(height)) => (width, height),
            (Some(width), None) => (width, self.rows(wanted / width as f64)),
            (None, Some(height)) => (rounded(wanted / height as f64), height),
            (None, None) => {
                let width = rounded((wanted * stretch).sqrt());
                (width, self.rows(wanted / width as f64))
            }
        };
        Grid::new(width, height, self.cells, self.toroidal)
    }

    /// Units of the grid for this many rows of data, at most.
    pub(super) fn most_units(&self, n_rows: usize) -> usize {
        let chosen = 5.0 * (n_rows as f64).sqrt();
        let chosen = 2 * (chosen as usize).min(n_rows).saturating_add(8);
        match (self.width, self.height) {
            (Some(width), Some(height)) => width.saturating_mul(height),
            (Some(side), None) | (None, Some(side)) => {
                chosen.saturating_add(side.saturating_mul(2))
            }
            (None, None) => chosen,
        }
    }

    fn row_step(&self) -> f64 {
        match self.cells {
            Cells::Rectangular => 1.0,
            Cells::Hexagonal => HEXAGONAL_STEP,
        }
    }

    /// A number of rows that can be: even on a hexagonal torus.
    fn rows(&self, wanted: f64) -> usize {
        if self.toroidal && self.cells == Cells::Hexagonal {
            2 * ((wanted / 2.0).round() as usize).max(1)
        } else {
            (wanted.round() as usize).max(1)
        }
    }
}

impl Grid {
    /// A grid of `height` rows of `width` units.
    pub fn new(width: usize, height: usize, cells: Cells, toroidal: bool) -> Result<Self> {
        for (name, side) in [("width", width), ("height", height)] {
            if side == 0 {
                return Err(Error::at_least(name, 1, side));
            }
        }
        if width.saturating_mul(height) > MOST_UNITS {
            return Err(Error::parameter(
                "width",
                message!("be at most {MOST_UNITS} when multiplied by {height:parameter}"),
                format!("{width} × {height}"),
            ));
        }
        if toroidal && cells == Cells::Hexagonal && height % 2 == 1 {
            return Err(Error::parameter(
                "height",
                message!(
                    "be even on a hexagonal torus, because lines of units are shifted alternately"
                ),
                height,
            ));
        }
        Ok(Self {
            width,
            height,
            cells,
            toroidal,
        })
    }

    /// Fails if what was loaded is no grid.
    pub(super) fn validate(&self) -> Result<()> {
        Self::new(self.width, self.height, self.cells, self.toroidal).map(|_| ())
    }

    /// Units in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How units stand.
    pub fn cells(&self) -> Cells {
        self.cells
    }

    /// Whether sides meet.
    pub fn is_toroidal(&self) -> bool {
        self.toroidal
    }

    /// Number of units.
    pub fn n_units(&self) -> usize {
        self.width * self.height
    }

    /// How far apart rows are.
    pub(crate) fn row_step(&self) -> f64 {
        match self.cells {
            Cells::Rectangular => 1.0,
            Cells::Hexagonal => HEXAGONAL_STEP,
        }
    }

    /// How far the units reach along both coordinates.
    pub(crate) fn extent(&self) -> (f64, f64) {
        let shift = (self.half_steps(self.width) % 2) as f64 / 2.0;
        let shift = if self.height > 1 { shift } else { 0.0 };
        let wide = (self.width - 1) as f64 + shift;
        (wide, (self.height - 1) as f64 * self.row_step())
    }

    /// The coordinates of a unit; the first stands at the origin.
    pub fn coordinates(&self, unit: usize) -> (f64, f64) {
        let row = unit / self.width;
        let along = self.half_steps(unit) as f64 / 2.0;
        (along, row as f64 * self.row_step())
    }

    /// Half steps from the left side to a unit.
    fn half_steps(&self, unit: usize) -> usize {
        let (row, column) = (unit / self.width, unit % self.width);
        2 * column + usize::from(self.is_shifted(row))
    }

    /// Whether a row is shifted by half a step.
    fn is_shifted(&self, row: usize) -> bool {
        self.cells == Cells::Hexagonal && row % 2 == 1
    }

    /// Half steps along rows, the shorter way round on a torus.
    fn wrapped_along(&self, along: usize) -> usize {
        if self.toroidal {
            along.min(2 * self.width - along)
        } else {
            along
        }
    }

    /// Between two units: half steps along rows, and rows; the shorter way round on a torus.
    fn apart(&self, a: usize, b: usize) -> (usize, usize) {
        let along = self.half_steps(a).abs_diff(self.half_steps(b));
        let across = (a / self.width).abs_diff(b / self.width);
        let across = if self.toroidal {
            across.min(self.height - across)
        } else {
            across
        };
        (self.wrapped_along(along), across)
    }

    /// The squared distance between two units.
    pub(crate) fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let (along, across) = self.apart(a, b);
        let (along, across) = (along as f64 / 2.0, across as f64 * self.row_step());
        along * along + across * across
    }

    /// Whether two units are neighbours: those at corners count on a rectangular grid.
    pub(crate) fn are_neighbors(&self, a: usize, b: usize) -> bool {
        let most = match self.cells {
            Cells::Rectangular => 2.0,
            Cells::Hexagonal => 1.0,
        };
        a != b && self.squared_distance(a, b) <= most + ROUNDING
    }

    /// The neighbours of a unit, in order.
    pub fn neighbors(&self, unit: usize) -> Vec<usize> {
        let (row, column) = (unit / self.width, unit % self.width);
        let around = |place: usize, side: usize| -> Vec<usize> {
            let near = [place.checked_sub(1), Some(place), Some(place + 1)];
            let inside = near.into_iter().flatten().filter(|near| *near < side);
            let mut places: Vec<usize> = inside.collect();
            if self.toroidal {
                places.extend([(place + side - 1) % side, (place + 1) % side]);
            }
            places
        };
        let columns = around(column, self.width);
        let rows = around(row, self.height).into_iter();
        let mut near: Vec<usize> = rows
            .flat_map(|row| columns.iter().map(move |column| row * self.width + column))
            .filter(|other| self.are_neighbors(unit, *other))
            .collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// The unit nearest to some coordinates.
    pub fn nearest(&self, x: f64, y: f64) -> usize {
        let (width, height) = (self.width as f64, self.height as f64);
        let (x, y) = if self.toroidal {
            (
                x.rem_euclid(width),
                y.rem_euclid(height * self.row_step()).max(0.0),
            )
        } else {
            // Far away the squares of distances would not differ any more.
            (
                x.clamp(-1.0, width + 1.0),
                y.clamp(-1.0, height * self.row_step() + 1.0),
            )
        };
        let level = y / self.row_step();
        let level = if self.toroidal {
            level
        } else {
            level.clamp(0.0, height - 1.0)
        };
        let mut best = (f64::INFINITY, 0);
        // Beside the grid the row above or below may reach further out.
        for row in [
            level.floor() - 1.0,
            level.floor(),
            level.ceil(),
            level.ceil() + 1.0,
        ] {
            let row = if self.toroidal {
                row.rem_euclid(height)
            } else {
                row.clamp(0.0, height - 1.0)
            };
            let first = row as usize * self.width;
            let column = (x - self.coordinates(first).0).round();
            let column = if self.toroidal {
                column.rem_euclid(width)
            } else {
                column.clamp(0.0, width - 1.0)
            };
            let unit = first + (column as usize).min(self.width - 1);
            let apart = self.squared_distance_to(unit, x, y);
            if apart < best.0 || (apart == best.0 && unit < best.1) {
                best = (apart, unit);
            }
        }
        best.1
    }

    /// The squared distance from a unit to some coordinates.
    fn squared_distance_to(&self, unit: usize, x: f64, y: f64) -> f64 {
        let place = self.coordinates(unit);
        let (mut along, mut across) = ((place.0 - x).abs(), (place.1 - y).abs());
        if self.toroidal {
            along = along.min((self.width as f64 - along).abs());
            across = across.min((self.height as f64 * self.row_step() - across).abs());
        }
        along * along + across * across
    }

    /// What depends on distance alone, as a table: see [`Offsets`].
    pub(super) fn offsets(&self, of: impl Fn(f64, f64) -> (f64, f64)) -> Offsets {
        let along = 0..2 * self.width;
        let across = 0..self.height;
        Offsets {
            grid: *self,
            along: along.map(|k| of((k as f64 / 2.0).powi(2), 0.0).0).collect(),
            across: across
                .map(|k| of(0.0, (k as f64 * self.row_step()).powi(2)).1)
                .collect(),
        }
    }
}

/// Two numbers for every two units: one of their distance along rows, one of that across.
pub(super) struct Offsets {
    grid: Grid,
    along: Vec<f64>,
    across: Vec<f64>,
}

impl Offsets {
    /// Hands the numbers of a unit and all units, in order, to `take`.
    pub(super) fn each(&self, unit: usize, mut take: impl FnMut(usize, f64, f64)) {
        let (grid, own) = (&self.grid, self.grid.half_steps(unit));
        let mut other = 0;
        for row in 0..grid.height {
            let across = self.across[grid.apart(unit, other).1];
            let shift = usize::from(grid.is_shifted(row));
            for column in 0..grid.width {
                let along = grid.wrapped_along(own.abs_diff(2 * column + shift));
                take(other, self.along[along], across);
                other += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
