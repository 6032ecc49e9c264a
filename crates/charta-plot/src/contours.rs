//! Contour lines of a function on a grid, by marching squares.
//!
//! Every cell of the grid whose corners lie on both sides of a level holds a piece of its line, with ends on the cell's sides
//! found by linear interpolation. A saddle, with opposite corners alike, is decided by the mean of the four. Pieces that share
//! an end are joined into lines.

use std::collections::HashMap;

use crate::color::{Rgb, sequential};
use crate::scale::Range;
use crate::ticks::ticks;

/// A function on a grid of points.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// First and last place across, and up.
    pub ranges: [[f64; 2]; 2],
    /// Number of points across.
    pub n_columns: usize,
    /// Values line by line, from the lowest line up, each from left to right. Those that are not finite leave a gap.
    pub values: &'a [f64],
}

/// The lines on which a function has one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// The value.
    pub level: f64,
    /// The value as it is written.
    pub label: String,
    /// The lines, each a list of places; a closed one ends where it begins.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Where the level lies among all: 0 for the lowest, 1 for the highest.
    pub share: f64,
}

impl Contour {
    pub(crate) fn color(&self) -> Rgb {
        // The light end of the colours vanishes on white.
        sequential(0.8 * self.share)
    }
}

/// A side of a cell, named by the two grid points it joins.
type Side = (usize, usize);

impl Grid<'_> {
    /// Contour lines at about `wanted` round levels.
    ///
    /// ```
    /// use charta_plot::Grid;
    /// // The function x + 2 y on a grid of 3 × 2 points.
    /// let values = [0.0, 1.0, 2.0, 2.0, 3.0, 4.0];
    /// let grid = Grid { ranges: [[0.0, 2.0], [0.0, 1.0]], n_columns: 3, values: &values };
    /// let contours = grid.contours(3);
    /// assert!(contours.iter().any(|contour| contour.level == 2.0));
    /// ```
    pub fn contours(&self, wanted: usize) -> Vec<Contour> {
        let finite = || {
            self.values
                .iter()
                .copied()
                .filter(|value| value.is_finite())
        };
        let (low, high) = finite()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        // A constant function has no lines.
        if self.n_columns < 2 || self.values.len() < 2 * self.n_columns || low >= high {
            return Vec::new();
        }
        let range = Range::of(finite());
        let levels: Vec<_> = (ticks(&range, wanted).into_iter())
            .filter(|tick| tick.value > low && tick.value < high)
            .collect();
        let last = levels.len().saturating_sub(1).max(1) as f64;
        let contour = |(number, tick): (usize, crate::ticks::Tick)| Contour {
            lines: self.lines(tick.value),
            level: tick.value,
            label: tick.label,
            share: number as f64 / last,
        };
        levels.into_iter().enumerate().map(contour).collect()
    }

    /// The lines of one level.
    fn lines(&self, level: f64) -> Vec<Vec<[f64; 2]>> {
        let (width, height) = (self.n_columns, self.values.len() / self.n_columns);
        let mut pieces: Vec<[Side; 2]> = Vec::new();
        for row in 0..height - 1 {
            for column in 0..width - 1 {
                let corner = row * width + column;
                // Around the cell, from the lower left.
                let corners = [corner, corner + 1, corner + width + 1, corner + width];
                pieces.extend(self.pieces(corners, level));
            }
        }
        let places = |line: Vec<Side>| {
            line.into_iter()
                .map(|side| self.place(side, level))
                .collect()
        };
        joined(&pieces).into_iter().map(places).collect()
    }

    /// The pieces of a line inside a cell.
    fn pieces(&self, corners: [usize; 4], level: f64) -> Vec<[Side; 2]> {
        let values = corners.map(|corner| self.values[corner]);
        if !values.iter().all(|value| value.is_finite()) {
            return Vec::new();
        }
        let above = values.map(|value| value >= level);
        let side = |from: usize| {
            let (a, b) = (corners[from], corners[(from + 1) % 4]);
            (a.min(b), a.max(b))
        };
        let crossed: Vec<usize> = (0..4)
            .filter(|&from| above[from] != above[(from + 1) % 4])
            .collect();
        match crossed[..] {
            [one, other] => vec![[side(one), side(other)]],
            [_, _, _, _] => {
                let middle = values.iter().map(|value| value / 4.0).sum::<f64>() >= level;
                // The corners that differ from the middle are cut off.
                if above[0] == middle {
                    vec![[side(0), side(1)], [side(2), side(3)]]
                } else {
                    vec![[side(3), side(0)], [side(1), side(2)]]
                }
            }
            _ => Vec::new(),
        }
    }

    /// Where the level crosses a side.
    fn place(&self, (from, to): Side, level: f64) -> [f64; 2] {
        let (low, high) = (self.values[from], self.values[to]);
        let share = ((level / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0);
        let (a, b) = (self.point(from), self.point(to));
        [0, 1].map(|axis| a[axis] * (1.0 - share) + b[axis] * share)
    }

    fn point(&self, index: usize) -> [f64; 2] {
        let height = self.values.len() / self.n_columns;
        let at = |[low, high]: [f64; 2], number: usize, count: usize| {
            let share = number as f64 / (count - 1) as f64;
            low * (1.0 - share) + high * share
        };
        [
            at(self.ranges[0], index % self.n_columns, self.n_columns),
            at(self.ranges[1], index / self.n_columns, height),
        ]
    }
}

/// Joins pieces that share an end into lines: open ones from end to end, then closed ones.
fn joined(pieces: &[[Side; 2]]) -> Vec<Vec<Side>> {
    let mut at: HashMap<Side, Vec<usize>> = HashMap::new();
    for (number, ends) in pieces.iter().enumerate() {
        for end in ends {
            at.entry(*end).or_default().push(number);
        }
    }
    let mut used = vec![false; pieces.len()];
    let mut lines = Vec::new();
    let starts = |open: bool, at: &HashMap<Side, Vec<usize>>| -> Vec<(usize, usize)> {
        let ends = (0..pieces.len()).flat_map(|number| [(number, 0), (number, 1)]);
        ends.filter(|(number, end)| (at[&pieces[*number][*end]].len() == 1) == open)
            .collect()
    };
    for (number, end) in starts(true, &at).into_iter().chain(starts(false, &at)) {
        if used[number] {
            continue;
        }
        let mut line = vec![pieces[number][end]];
        let (mut number, mut end) = (number, end);
        loop {
            used[number] = true;
            let next = pieces[number][1 - end];
            line.push(next);
            let Some(&following) = at[&next].iter().find(|piece| !used[**piece]) else {
                break;
            };
            end = usize::from(pieces[following][0] != next);
            number = following;
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize, function: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let at = |number: usize| -2.0 + 4.0 * number as f64 / (n - 1) as f64;
        (0..n * n)
            .map(|index| function(at(index % n), at(index / n)))
            .collect()
    }

    const RANGES: [[f64; 2]; 2] = [[-2.0, 2.0]; 2];

    #[test]
    fn circles_are_single_closed_lines_of_their_radius() {
        let values = grid(81, |x, y| x * x + y * y);
        let grid = Grid {
            ranges: RANGES,
            n_columns: 81,
            values: &values,
        };
        let lines = grid.lines(1.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for [x, y] in &lines[0] {
            assert!((x.hypot(*y) - 1.0).abs() < 1e-3, "{x} {y}");
        }
        let length: f64 = (lines[0].windows(2))
            .map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]))
            .sum();
        assert!((length - std::f64::consts::TAU).abs() < 0.01);
    }

    #[test]
    fn a_plane_has_one_straight_line_for_each_level() {
        let values = grid(21, |x, y| x + 2.0 * y);
        let grid = Grid {
            ranges: RANGES,
            n_columns: 21,
            values: &values,
        };
        let contours = grid.contours(8);
        assert!(contours.len() >= 5, "{}", contours.len());
        for contour in &contours {
            assert_eq!(contour.lines.len(), 1);
            for [x, y] in &contour.lines[0] {
                assert!((x + 2.0 * y - contour.level).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn saddles_gaps_and_constants_do_no_harm() {
        let values = grid(20, |x, y| x * y);
        let saddle = Grid {
            ranges: RANGES,
            n_columns: 20,
            values: &values,
        };
        // Between grid points, so that the middle cell is a saddle.
        assert_eq!(
            saddle.lines(0.0).iter().map(Vec::len).sum::<usize>(),
            2 * 20
        );
        assert_eq!(saddle.lines(1.0).len(), 2);
        let values = grid(20, |x, y| if x > 0.0 { f64::NAN } else { y });
        let gap = Grid {
            ranges: RANGES,
            n_columns: 20,
            values: &values,
        };
        for [x, _] in gap.lines(0.3).concat() {
            assert!(x <= 0.0);
        }
        let flat = [7.0; 9];
        assert!(
            Grid {
                ranges: RANGES,
                n_columns: 3,
                values: &flat
            }
            .contours(5)
            .is_empty()
        );
        let nothing = [f64::NAN; 9];
        assert!(
            Grid {
                ranges: RANGES,
                n_columns: 3,
                values: &nothing
            }
            .contours(5)
            .is_empty()
        );
    }
}
