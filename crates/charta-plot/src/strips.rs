//! One coordinate as a scatter plot: a strip of points for each class.

use crate::annotations::Mark;
use crate::scatter::Color;

/// The points of a single coordinate, for a [`Scatter`](crate::Scatter): a strip for each class, as wide as the points are
/// dense there.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    /// The value across, the strip up.
    pub points: Vec<[f64; 2]>,
    /// Names of the strips, for [`Scatter::levels`](crate::Scatter::levels): the first class is the highest.
    pub levels: Vec<String>,
    /// The mean of each class that has points.
    pub means: Vec<Mark>,
}

/// Half the width of a strip where it is widest; strips are 1 apart.
const HALF_WIDTH: f64 = 0.4;
/// Width of the thinnest part of a strip, as a fraction of the widest.
const THINNEST: f64 = 0.12;
/// Steps along a strip in which points are counted.
const FEWEST_STEPS: usize = 8;
const MOST_STEPS: usize = 60;
/// Multiples of this are spread evenly: the fractional part of the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Lays out a single coordinate: a strip for each class that occurs, or one for all points. The same values always give
/// the same places.
pub fn strips(values: &[f64], color: &Color<'_>) -> Strips {
    let groups = groups(values.len(), color);
    let mut points: Vec<[f64; 2]> = values.iter().map(|value| [*value, 0.0]).collect();
    let mut means = Vec::new();
    for (place, group) in groups.iter().rev().enumerate() {
        let level = place as f64;
        let own: Vec<f64> = group.rows.iter().map(|row| values[*row]).collect();
        let widths = Widths::of(&own);
        for (number, row) in group.rows.iter().enumerate() {
            let aside = 2.0 * ((number as f64 + 0.5) * GOLDEN).fract() - 1.0;
            points[*row][1] = level + HALF_WIDTH * aside * widths.at(values[*row]);
        }
        let finite: Vec<f64> = own.into_iter().filter(|value| value.is_finite()).collect();
        if let (Some(_), false) = (group.class, finite.is_empty()) {
            let mean = finite.iter().map(|value| value / finite.len() as f64).sum();
            means.push(Mark {
                name: String::new(),
                place: [mean, level],
                class: group.class,
            });
        }
    }
    Strips {
        points,
        levels: groups.into_iter().rev().map(|group| group.name).collect(),
        means,
    }
}

/// The rows of a strip.
struct Group {
    name: String,
    class: Option<usize>,
    rows: Vec<usize>,
}

/// The classes that occur, then the rows of no class; all rows if there are no classes.
fn groups(n: usize, color: &Color<'_>) -> Vec<Group> {
    let Color::Classes { names, of_row, .. } = color else {
        return vec![Group {
            name: String::new(),
            class: None,
            rows: (0..n).collect(),
        }];
    };
    let mut rows = vec![Vec::new(); names.len() + 1];
    for (row, class) in of_row.iter().enumerate().take(n) {
        let class = class.filter(|class| *class < names.len());
        rows[class.unwrap_or(names.len())].push(row);
    }
    let groups = rows.into_iter().enumerate().map(|(class, rows)| Group {
        name: names.get(class).map_or("missing", String::as_str).into(),
        class: (class < names.len()).then_some(class),
        rows,
    });
    groups.filter(|group| !group.rows.is_empty()).collect()
}

/// How wide a strip is along its values.
struct Widths {
    low: f64,
    step: f64,
    /// At the ends of the steps, as fractions of the widest.
    shares: Vec<f64>,
}

impl Widths {
    fn of(values: &[f64]) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = (
            finite().fold(f64::INFINITY, f64::min),
            finite().fold(f64::NEG_INFINITY, f64::max),
        );
        let n_steps = (2.0 * (values.len() as f64).sqrt()) as usize;
        let n_steps = n_steps.clamp(FEWEST_STEPS, MOST_STEPS);
        let step = (high / n_steps as f64 - low / n_steps as f64).max(f64::MIN_POSITIVE);
        let mut widths = Self {
            low,
            step,
            shares: vec![0.0; n_steps + 1],
        };
        let mut counts = widths.shares.clone();
        for value in finite() {
            let (before, share) = widths.locate(value);
            counts[before] += 1.0 - share;
            counts[before + 1] += share;
        }
        // Neighbours are averaged, or chance would fray the strip.
        let count =
            |place: Option<usize>| place.and_then(|place| counts.get(place)).unwrap_or(&0.0);
        let smooth: Vec<f64> = (0..counts.len())
            .map(|place| count(place.checked_sub(1)) + 2.0 * counts[place] + count(Some(place + 1)))
            .collect();
        let largest = smooth.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        widths.shares = smooth.iter().map(|width| width / largest).collect();
        widths
    }

    /// The step that a value lies in, and how far.
    fn locate(&self, value: f64) -> (usize, f64) {
        let last = self.shares.len() - 2;
        let place = ((value - self.low) / self.step).clamp(0.0, last as f64 + 1.0);
        let before = (place as usize).min(last);
        (before, place - before as f64)
    }

    fn at(&self, value: f64) -> f64 {
        if !value.is_finite() {
            return 0.0;
        }
        let (before, share) = self.locate(value);
        let width = self.shares[before] * (1.0 - share) + self.shares[before + 1] * share;
        THINNEST + (1.0 - THINNEST) * width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::scatter::Scatter;

    #[test]
    fn classes_have_strips_of_their_own_with_their_means() {
        let values = [1.0, 2.0, 3.0, 10.0, 12.0, f64::NAN, 7.0];
        let names: Vec<String> = ["low", "never", "high"].map(String::from).to_vec();
        let of_row = [Some(0), Some(0), Some(0), Some(2), Some(2), Some(2), None];
        let color = Color::Classes {
            title: "height",
            names: &names,
            of_row: &of_row,
        };
        let strips = strips(&values, &color);
        assert_eq!(strips.levels, ["missing", "high", "low"]);
        for (row, level) in [(0, 2.0), (1, 2.0), (3, 1.0), (4, 1.0), (6, 0.0)] {
            let [across, up] = strips.points[row];
            assert_eq!(across, values[row]);
            assert!((up - level).abs() <= HALF_WIDTH, "row {row} at {up}");
        }
        let means: Vec<[f64; 2]> = strips.means.iter().map(|mark| mark.place).collect();
        assert_eq!(means, [[11.0, 1.0], [2.0, 2.0]]);
        let picture = Scatter {
            color,
            levels: &strips.levels,
            marks: &strips.means,
            equal_axes: false,
            ..Scatter::new(&strips.points)
        };
        let svg = String::from_utf8(picture.draw(Format::Svg).unwrap()).unwrap();
        for name in ["low", "high", "missing"] {
            // Beside the strip, and in no legend.
            assert_eq!(svg.matches(&format!(">{name}<")).count(), 1, "{name}");
        }
        assert!(picture.draw(Format::Html).is_ok() && picture.draw(Format::Png).is_ok());
    }

    #[test]
    fn a_strip_is_wide_where_points_are_dense() {
        let values: Vec<f64> = (0..400)
            .map(|row| {
                let place = f64::from(row) / 399.0;
                (place - 0.5).powi(3)
            })
            .collect();
        let strips = strips(&values, &Color::None);
        let widest = |from: f64, to: f64| {
            let inside = strips
                .points
                .iter()
                .filter(|point| (from..to).contains(&point[0]));
            inside.map(|point| point[1].abs()).fold(0.0, f64::max)
        };
        assert!(widest(-0.02, 0.02) > 2.0 * widest(0.06, 0.13));
        assert_eq!(strips.levels, [""]);
        assert!(strips.means.is_empty());
    }

    #[test]
    fn odd_values_have_finite_strips() {
        for values in [
            vec![],
            vec![f64::NAN; 3],
            vec![5.0; 40],
            vec![f64::MAX, -f64::MAX, 0.0],
            vec![1e-310, 0.0],
        ] {
            let strips = strips(&values, &Color::None);
            assert!(
                strips.points.iter().all(|point| point[1].is_finite()),
                "{values:?}"
            );
        }
    }
}
