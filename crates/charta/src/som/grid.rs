//! The grid of units: where they stand, how far apart, which are neighbours.
//!
//! Units are numbered row by row. Neighbours stand 1 apart: on a rectangular grid along the sides, on a hexagonal one in all six
//! directions, because its odd rows are shifted by half a step and rows are √3/2 apart. On a torus the grid goes on at the
//! opposite side, and distances are the shorter way round.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::params::Choice;

/// Units of a grid, at most: so many can be counted in single precision.
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
    /// In rows and columns; eight neighbours.
    Rectangular,
    /// In rows that are shifted by half a step in turn; six neighbours.
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

/// What is wished of a grid: the sides that are not given are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridWish {
    /// Units in a row.
    pub width: Option<usize>,
    /// Rows.
    pub height: Option<usize>,
    /// How units stand.
    pub cells: Cells,
    /// Sides meet.
    pub toroidal: bool,
}

impl GridWish {
    /// The grid for so many rows of data, `stretch` times as wide in one principal direction as in the other. About 5 √n units (Vesanto), but no
    /// more than there are rows, where the sides are not given.
    pub fn grid(&self, n_rows: usize, stretch: f64) -> Result<Grid> {
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

    /// Units of the grid for so many rows of data, at most.
    pub fn most_units(&self, n_rows: usize) -> usize {
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
        match self.toroidal && self.cells == Cells::Hexagonal {
            true => 2 * ((wanted / 2.0).round() as usize).max(1),
            false => (wanted.round() as usize).max(1),
        }
    }
}

impl Grid {
    /// A grid of `height` rows of `width` units.
    pub fn new(width: usize, height: usize, cells: Cells, toroidal: bool) -> Result<Self> {
        for (name, side) in [("width", width), ("height", height)] {
            if side == 0 {
                return Err(Error::parameter(name, "must be at least 1", side));
            }
        }
        if width.saturating_mul(height) > MOST_UNITS {
            return Err(Error::parameter(
                "width",
                format!("must be at most {MOST_UNITS} when multiplied with `height`"),
                format!("{width} × {height}"),
            ));
        }
        if toroidal && cells == Cells::Hexagonal && height % 2 == 1 {
            return Err(Error::parameter(
                "height",
                "must be even on a hexagonal torus, where the last row is shifted against the first",
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
    pub fn row_step(&self) -> f64 {
        match self.cells {
            Cells::Rectangular => 1.0,
            Cells::Hexagonal => HEXAGONAL_STEP,
        }
    }

    /// How far the units reach along both coordinates.
    pub fn extent(&self) -> (f64, f64) {
        let shift = (self.half_steps(self.width) % 2) as f64 / 2.0;
        let shift = if self.height > 1 { shift } else { 0.0 };
        let wide = (self.width - 1) as f64 + shift;
        (wide, (self.height - 1) as f64 * self.row_step())
    }

    /// The coordinates of a unit; the first stands at the origin.
    pub fn place(&self, unit: usize) -> (f64, f64) {
        let row = unit / self.width;
        let along = self.half_steps(unit) as f64 / 2.0;
        (along, row as f64 * self.row_step())
    }

    /// Half steps from the left side to a unit.
    fn half_steps(&self, unit: usize) -> usize {
        let (row, column) = (unit / self.width, unit % self.width);
        let shifted = self.cells == Cells::Hexagonal && row % 2 == 1;
        2 * column + usize::from(shifted)
    }

    /// Between two units: half steps along rows, and rows; the shorter way round on a torus.
    fn apart(&self, a: usize, b: usize) -> (usize, usize) {
        let along = self.half_steps(a).abs_diff(self.half_steps(b));
        let across = (a / self.width).abs_diff(b / self.width);
        match self.toroidal {
            false => (along, across),
            true => (
                along.min(2 * self.width - along),
                across.min(self.height - across),
            ),
        }
    }

    /// The squared distance between two units.
    pub fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let (along, across) = self.apart(a, b);
        let (along, across) = (along as f64 / 2.0, across as f64 * self.row_step());
        along * along + across * across
    }

    /// Whether two units are neighbours: those at corners count on a rectangular grid.
    pub fn are_neighbors(&self, a: usize, b: usize) -> bool {
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
        let (x, y) = match self.toroidal {
            true => (
                x.rem_euclid(width),
                y.rem_euclid(height * self.row_step()).max(0.0),
            ),
            // Far away the squares of distances would tell nothing any more.
            false => (
                x.clamp(-1.0, width + 1.0),
                y.clamp(-1.0, height * self.row_step() + 1.0),
            ),
        };
        let level = y / self.row_step();
        let mut best = (f64::INFINITY, 0);
        for row in [level.floor(), level.ceil()] {
            let row = match self.toroidal {
                true => row.rem_euclid(height),
                false => row.clamp(0.0, height - 1.0),
            };
            let first = row as usize * self.width;
            let column = (x - self.place(first).0).round();
            let column = match self.toroidal {
                true => column.rem_euclid(width),
                false => column.clamp(0.0, width - 1.0),
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
        let place = self.place(unit);
        let (mut along, mut across) = ((place.0 - x).abs(), (place.1 - y).abs());
        if self.toroidal {
            along = along.min((self.width as f64 - along).abs());
            across = across.min((self.height as f64 * self.row_step() - across).abs());
        }
        along * along + across * across
    }

    /// What depends on distance alone, as a table: see [`Offsets`].
    pub(super) fn offsets(&self, of: impl Fn(f64, f64) -> (f64, f64)) -> Offsets {
        let along = 0..2 * self.width + 2;
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
        let mut other = 0;
        for row in 0..self.grid.height {
            let (_, across) = self.grid.apart(unit, row * self.grid.width);
            let across = self.across[across];
            for _ in 0..self.grid.width {
                let (along, _) = self.grid.apart(unit, other);
                take(other, self.along[along], across);
                other += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Grid> {
        let mut grids = Vec::new();
        for (width, height) in [
            (1, 1),
            (1, 2),
            (2, 2),
            (3, 4),
            (5, 6),
            (7, 2),
            (4, 5),
            (6, 1),
        ] {
            for cells in [Cells::Rectangular, Cells::Hexagonal] {
                for toroidal in [false, true] {
                    grids.extend(Grid::new(width, height, cells, toroidal));
                }
            }
        }
        assert!(grids.len() > 25);
        grids
    }

    /// The shortest way over nine copies of the grid.
    fn by_copies(grid: &Grid, (x, y): (f64, f64), unit: usize) -> f64 {
        let (u, v) = grid.place(unit);
        let (wide, high) = (grid.width() as f64, grid.height() as f64 * grid.row_step());
        let copies: &[f64] = if grid.is_toroidal() {
            &[-1.0, 0.0, 1.0]
        } else {
            &[0.0]
        };
        let mut least = f64::INFINITY;
        for i in copies {
            for j in copies {
                least = least.min((u + i * wide - x).powi(2) + (v + j * high - y).powi(2));
            }
        }
        least
    }

    #[test]
    fn distances_and_neighbours_are_those_of_all_copies_of_the_grid() {
        for grid in all() {
            for a in 0..grid.n_units() {
                let mut near = Vec::new();
                for b in 0..grid.n_units() {
                    let want = by_copies(&grid, grid.place(a), b);
                    let found = grid.squared_distance(a, b);
                    assert!(
                        (found - want).abs() < 1e-12,
                        "{grid:?} {a} {b}: {found} for {want}"
                    );
                    let most = if grid.cells() == Cells::Hexagonal {
                        1.01
                    } else {
                        2.01
                    };
                    if a != b && want < most {
                        near.push(b);
                    }
                }
                assert_eq!(grid.neighbors(a), near, "{grid:?} {a}");
            }
        }
    }

    #[test]
    fn inner_units_of_a_hexagonal_grid_have_six_neighbours_at_distance_one() {
        let grid = Grid::new(5, 5, Cells::Hexagonal, false).unwrap();
        for unit in [6, 12, 17] {
            let near = grid.neighbors(unit);
            assert_eq!(near.len(), 6);
            for other in near {
                assert!((grid.squared_distance(unit, other) - 1.0).abs() < 1e-12);
            }
        }
        let torus = Grid::new(4, 4, Cells::Hexagonal, true).unwrap();
        assert!((0..16).all(|unit| torus.neighbors(unit).len() == 6));
        assert!(Grid::new(4, 3, Cells::Hexagonal, true).is_err());
    }

    #[test]
    fn the_nearest_unit_is_found_for_any_coordinates() {
        let mut draw = crate::random::stream(5, 0);
        for grid in all() {
            for unit in 0..grid.n_units() {
                let (x, y) = grid.place(unit);
                assert_eq!(grid.nearest(x, y), unit, "{grid:?}");
            }
            let (wide, high) = grid.extent();
            for _ in 0..200 {
                let mut within = |side: f64| (side + 2.0) * crate::random::uniform(&mut draw) - 1.0;
                let (x, y) = (within(wide), within(high));
                let least = (0..grid.n_units())
                    .map(|unit| by_copies(&grid, (x, y), unit))
                    .fold(f64::INFINITY, f64::min);
                let found = by_copies(&grid, (x, y), grid.nearest(x, y));
                assert!(
                    found <= least + 1e-9,
                    "{grid:?} at {x}, {y}: {found} for {least}"
                );
            }
        }
    }

    #[test]
    fn sizes_follow_the_rows_and_their_shape() {
        let wish = GridWish {
            width: None,
            height: None,
            cells: Cells::Rectangular,
            toroidal: false,
        };
        let sides = |wish: GridWish, n, stretch| {
            let grid = wish.grid(n, stretch).unwrap();
            assert!(grid.n_units() <= wish.most_units(n), "{grid:?}");
            (grid.width(), grid.height())
        };
        assert_eq!(sides(wish, 150, 1.0), (8, 8));
        assert_eq!(sides(wish, 150, 2.0), (11, 6));
        assert_eq!(sides(wish, 150, 1e9), sides(wish, 150, 3.0));
        assert_eq!(sides(wish, 150, f64::NAN), (8, 8));
        assert_eq!(sides(wish, 1, 1.0), (1, 1));
        assert_eq!(sides(wish, 3, 5.0), (3, 1));
        assert_eq!(
            sides(
                GridWish {
                    width: Some(20),
                    ..wish
                },
                150,
                1.0
            ),
            (20, 3)
        );
        assert_eq!(
            sides(
                GridWish {
                    height: Some(100),
                    ..wish
                },
                5,
                1.0
            ),
            (1, 100)
        );
        let hexagonal = GridWish {
            cells: Cells::Hexagonal,
            toroidal: true,
            ..wish
        };
        for n in 1..50 {
            assert_eq!(sides(hexagonal, n, 1.3).1 % 2, 0);
        }
        let large = GridWish {
            width: Some(1 << 13),
            height: Some(1 << 13),
            ..wish
        };
        assert!(large.grid(10, 1.0).is_err());
    }
}
