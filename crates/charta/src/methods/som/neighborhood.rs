//! The neighbourhood function of a self-organizing map and the schedules of its radius and of the learning rate.

use super::Grid;
use super::grid::Offsets;
use crate::params::Choice;

/// What a radius may fall short of a distance by rounding.
const ROUNDING: f64 = 1e-9;

/// The neighbourhood function: how much a row updates the units around its best-matching one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Neighborhood {
    /// exp(−d²/2r²) at grid distance d and radius r.
    Gaussian,
    /// 1 up to the radius, 0 beyond.
    Bubble,
}

/// How a number goes from its first to its last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Schedule {
    /// Exponential decay: by the same factor at every step.
    Exponential,
    /// Linear: by the same difference at every step.
    Linear,
    /// Inverse in time: fast at first, slow later.
    Inverse,
}

impl Schedule {
    /// The value at step `step` of `n_steps`, counted from 0: the last one is `last`.
    pub(crate) fn value(self, first: f64, last: f64, step: usize, n_steps: usize) -> f64 {
        let share = match n_steps {
            0 | 1 => 0.0,
            _ => step as f64 / (n_steps - 1) as f64,
        };
        match self {
            Self::Linear => first + (last - first) * share,
            Self::Exponential => first * (last / first).powf(share),
            Self::Inverse => first / (1.0 + (first / last - 1.0) * share),
        }
    }
}

/// A neighbourhood with its radius.
pub(super) struct Weights {
    neighborhood: Neighborhood,
    most: f64,
    offsets: Offsets,
}

impl Weights {
    pub(super) fn new(grid: &Grid, neighborhood: Neighborhood, radius: f64) -> Self {
        let fall = -0.5 / (radius * radius);
        // The Gaussian is the product of two; the bubble compares a sum.
        let offsets = match neighborhood {
            Neighborhood::Gaussian => grid.offsets(|x, y| ((fall * x).exp(), (fall * y).exp())),
            Neighborhood::Bubble => grid.offsets(|x, y| (x, y)),
        };
        Self {
            neighborhood,
            most: radius * radius * (1.0 + ROUNDING),
            offsets,
        }
    }

    /// Hands the weights of a unit and all units, in order, to `take`.
    pub(super) fn each(&self, unit: usize, mut take: impl FnMut(usize, f64)) {
        match self.neighborhood {
            Neighborhood::Gaussian => self.offsets.each(unit, |other, x, y| take(other, x * y)),
            Neighborhood::Bubble => self.offsets.each(unit, |other, x, y| {
                take(other, if x + y <= self.most { 1.0 } else { 0.0 });
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::som::Cells;

    #[test]
    fn weights_follow_the_distance_on_the_grid() {
        for cells in [Cells::Rectangular, Cells::Hexagonal] {
            for toroidal in [false, true] {
                let grid = Grid::new(5, 4, cells, toroidal).unwrap();
                for radius in [0.3, 1.0, 2.5] {
                    let gaussian = Weights::new(&grid, Neighborhood::Gaussian, radius);
                    let bubble = Weights::new(&grid, Neighborhood::Bubble, radius);
                    for unit in 0..20 {
                        gaussian.each(unit, |other, weight| {
                            let d = grid.squared_distance(unit, other);
                            let want = (-d / (2.0 * radius * radius)).exp();
                            assert!((weight - want).abs() < 1e-14);
                        });
                        bubble.each(unit, |other, weight| {
                            let d = grid.squared_distance(unit, other).sqrt();
                            assert_eq!(weight == 1.0, d <= radius + 1e-9);
                        });
                    }
                }
            }
        }
    }

    #[test]
    fn schedules_begin_and_end_where_asked() {
        for schedule in [Schedule::Linear, Schedule::Exponential, Schedule::Inverse] {
            let at = |step| schedule.value(8.0, 0.5, step, 5);
            assert_eq!(at(0), 8.0);
            assert!((at(4) - 0.5).abs() < 1e-12);
            assert_eq!(schedule.value(8.0, 0.5, 0, 1), 8.0);
        }
        assert_eq!(Schedule::Linear.value(8.0, 0.5, 2, 5), 4.25);
        assert!((Schedule::Exponential.value(8.0, 0.5, 2, 5) - 2.0).abs() < 1e-12);
        assert!((Schedule::Inverse.value(3.0, 1.0, 2, 5) - 1.5).abs() < 1e-12);
    }
}
