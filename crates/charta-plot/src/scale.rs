//! Ranges of numbers, safe for every finite input.

/// A range of numbers: both ends finite, the lower one truly lower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Ranges narrower than this fraction of their largest number count as one number: rounding would hide their differences.
const NARROWEST: f64 = 1e-10;
/// Ranges narrower than this cannot be divided into ticks any more.
const SMALLEST: f64 = 1e-303;
/// Axes do not share one unit if one of them would take less than this part of the picture's usual side.
const MOST_UNEQUAL: f64 = 5.0;
/// Width and height of the usual picture, as far as they matter here.
const USUAL_SHAPE: [f64; 2] = [4.0, 3.0];

impl Range {
    /// The range of the finite values, widened around a single value; −1 … 1 if there are none.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Range {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold(start, |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            Range {
                low: -1.0,
                high: 1.0,
            }
        } else {
            Range { low, high }.widened()
        }
    }

    fn widened(self) -> Range {
        let largest = self.low.abs().max(self.high.abs());
        if largest < SMALLEST * 10.0 {
            return Range {
                low: -1.0,
                high: 1.0,
            };
        }
        if self.half() > NARROWEST * largest {
            return self;
        }
        self.grown_to(0.1 * largest)
    }

    /// Half the width. The whole may be larger than the largest number.
    pub(crate) fn half(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// The range with the same middle and another half width, cut at the largest numbers.
    pub(crate) fn grown_to(&self, half: f64) -> Range {
        let middle = self.low / 2.0 + self.high / 2.0;
        Range {
            low: (middle - half).max(-f64::MAX),
            high: (middle + half).min(f64::MAX),
        }
    }

    /// The range with a margin on both sides, as a fraction of its width.
    pub(crate) fn padded(&self, share: f64) -> Range {
        self.grown_to(self.half() * (1.0 + 2.0 * share))
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (value / 2.0 - self.low / 2.0) / self.half()
    }
}

/// True if one unit can be equally long on both axes without leaving most of a picture empty.
pub(crate) fn can_share_a_unit([x, y]: [Range; 2]) -> bool {
    let (unit_x, unit_y) = (x.half() / USUAL_SHAPE[0], y.half() / USUAL_SHAPE[1]);
    unit_x.max(unit_y) <= MOST_UNEQUAL * unit_x.min(unit_y)
}

/// Grows one of two ranges so that one pixel means the same on both axes.
pub(crate) fn equalized([x, y]: [Range; 2], [width, height]: [f64; 2]) -> [Range; 2] {
    let unit = (x.half() / width).max(y.half() / height);
    [x.grown_to(unit * width), y.grown_to(unit * height)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_never_empty() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![0.0],
            vec![5.0, 5.0],
            vec![1e300],
            vec![-1e-300],
            vec![1e-320, 0.0],
            vec![f64::MAX],
        ] {
            let range = Range::of(values.iter().copied());
            assert!(
                range.low < range.high && range.low.is_finite() && range.high.is_finite(),
                "{values:?}: {range:?}"
            );
            for value in values.iter().filter(|value| value.is_finite()) {
                assert!(
                    (0.0..=1.0).contains(&range.share(*value)),
                    "{values:?}: {range:?}"
                );
            }
        }
    }

    #[test]
    fn the_widest_range_does_not_overflow() {
        let range = Range::of([-f64::MAX, f64::MAX].into_iter()).padded(0.05);
        assert_eq!(
            (
                range.share(-f64::MAX),
                range.share(0.0),
                range.share(f64::MAX)
            ),
            (0.0, 0.5, 1.0)
        );
    }

    #[test]
    fn equal_axes_share_a_unit() {
        let ranges = [
            Range {
                low: 0.0,
                high: 10.0,
            },
            Range {
                low: -1.0,
                high: 1.0,
            },
        ];
        let [x, y] = equalized(ranges, [800.0, 600.0]);
        assert_eq!(x, ranges[0]);
        assert!((x.half() / 800.0 - y.half() / 600.0).abs() < 1e-12);
        assert!((y.low + y.high).abs() < 1e-12);
        assert!(can_share_a_unit(ranges));
        let stretched = |width: f64, height: f64| {
            let range = |high: f64| Range { low: 0.0, high };
            can_share_a_unit([range(width), range(height)])
        };
        assert!(stretched(6.0, 1.0) && !stretched(7.0, 1.0));
        assert!(stretched(1.0, 3.0) && !stretched(1.0, 4.0));
    }
}
