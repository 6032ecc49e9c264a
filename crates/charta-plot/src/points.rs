//! The points of a scatter plot: as markers while these can be told apart, else as density.

use crate::color::{MISSING, Rgb, sequential};
use crate::density::{self, Ink};
use crate::labels::{LabelRequest, MOST_NAMED};
use crate::legend::Legend;
use crate::palette::{PLAIN, Shape};
use crate::scale::Range;
use crate::scatter::{Color, Scatter};
use crate::scene::{Area, Item, Marks, Place, Scene};

/// More points than this are always drawn as density.
pub(crate) const MOST_MARKERS: usize = 30_000;
/// Fewer points than this are always drawn as markers.
const FEWEST_SHADED: usize = 3_000;
/// Markers that cover more than this many others on average become density.
const MOST_CROWDED: f64 = 6.0;
/// Up to this many markers have a white rim.
const MOST_RIMMED: usize = 3_000;
/// Markers crowd if more others than this have their middle nearer to theirs than so many radii.
const MOST_NEAR: usize = 3;
const NEAR: f64 = 2.1;
/// Different colours of numbers among markers.
const SHADES: usize = 256;

/// Draws the points of one scatter plot into its panel.
pub(crate) struct Painter<'a> {
    scatter: &'a Scatter<'a>,
    panel: Area,
    rows: Vec<usize>,
    /// All looks that occur; the last one is that of missing classes and numbers.
    pub(crate) looks: Vec<(Rgb, Shape)>,
    numbers: Option<Range>,
    unit: f64,
}

impl<'a> Painter<'a> {
    pub(crate) fn new(scatter: &'a Scatter<'a>, panel: Area) -> Self {
        let numbers = match scatter.legend() {
            Legend::Numbers { range, .. } => Some(range),
            _ => None,
        };
        let mut looks: Vec<(Rgb, Shape)> = match scatter.color {
            Color::None => vec![(PLAIN, Shape::Circle)],
            Color::Classes { names, .. } => (0..names.len())
                .map(|class| scatter.palette.look(class))
                .collect(),
            Color::Numbers { .. } | Color::Times { .. } => (0..SHADES)
                .map(|shade| {
                    (
                        sequential(shade as f64 / (SHADES - 1) as f64),
                        Shape::Circle,
                    )
                })
                .collect(),
        };
        looks.push((MISSING, Shape::Circle));
        Painter {
            scatter,
            panel,
            rows: scatter.rows().collect(),
            looks,
            numbers,
            unit: scatter.size.unit(),
        }
    }

    /// Draws all points and returns their names, if they are not too many; `place` says where a point lies.
    pub(crate) fn draw(
        &self,
        scene: &mut Scene,
        place: impl Fn([f64; 2]) -> Place,
    ) -> Vec<LabelRequest<'a>> {
        let places: Vec<Place> = self
            .rows
            .iter()
            .map(|row| place(self.scatter.points[*row]))
            .collect();
        let radius = marker_radius(self.rows.len()) * self.unit * self.scatter.point_size;
        scene.items.push(if self.is_crowded(&places, radius) {
            self.shading(&places)
        } else {
            self.markers(&places, radius)
        });
        // Only names look for places beside the points, and not beside too many.
        let rows = if places.len() > MOST_NAMED {
            &[][..]
        } else {
            &self.rows
        };
        let wanted = |(row, place): (&usize, &Place)| LabelRequest {
            place: *place,
            name: self.scatter.row_names.map_or("", |names| &names[*row]),
            radius,
            shaft_from: None,
        };
        rows.iter().zip(&places).map(wanted).collect()
    }

    fn is_crowded(&self, places: &[Place], radius: f64) -> bool {
        let n = places.len();
        let inside = places.iter().map(|place| self.inside(*place));
        n > MOST_MARKERS
            || n >= FEWEST_SHADED
                && density::crowding(inside, [self.panel.width, self.panel.height], radius)
                    > MOST_CROWDED
    }

    fn inside(&self, [x, y]: Place) -> Place {
        [x - self.panel.left, y - self.panel.top]
    }

    fn shading(&self, places: &[Place]) -> Item {
        let inks: Vec<[f64; 3]> = self.looks.iter().map(|(color, _)| color.linear()).collect();
        let ink = |row: usize| match (self.scatter.color, &self.numbers) {
            (Color::Numbers { values, .. } | Color::Times { values, .. }, Some(range))
                if values[row].is_finite() =>
            {
                Ink::Number(range.share(values[row]))
            }
            (Color::Numbers { .. } | Color::Times { .. }, _) => Ink::Missing,
            _ => Ink::Color(inks[self.look(row)]),
        };
        let points = self
            .rows
            .iter()
            .zip(places)
            .map(|(row, place)| (self.inside(*place), ink(*row)));
        let block = [self.panel.width as usize, self.panel.height as usize];
        let pixels = density::shade(
            points,
            block,
            spot_radius(places.len()) * self.unit * self.scatter.point_size,
        );
        Item::Image {
            area: self.panel,
            pixels,
        }
    }

    fn markers(&self, places: &[Place], radius: f64) -> Item {
        let n = places.len();
        let rims = rims(places, radius);
        let marks = mixed_order(n)
            .map(|i| (places[i], self.look(self.rows[i])))
            .collect();
        Item::Marks(Marks {
            looks: self.looks.clone(),
            radius,
            opacity: marker_opacity(n),
            rims: mixed_order(n).map(|i| rims.get(i) == Some(&true)).collect(),
            marks,
        })
    }

    /// Which of the looks a row has.
    pub(crate) fn look(&self, row: usize) -> usize {
        let missing = self.looks.len() - 1;
        match (self.scatter.color, &self.numbers) {
            (Color::Classes { of_row, .. }, _) => of_row[row].unwrap_or(missing),
            (Color::Numbers { values, .. } | Color::Times { values, .. }, Some(range))
                if values[row].is_finite() =>
            {
                (range.share(values[row]) * (SHADES - 1) as f64).round() as usize
            }
            (Color::Numbers { .. } | Color::Times { .. }, _) => missing,
            (Color::None, _) => 0,
        }
    }
}

/// Which of the markers have a white rim: those in no crowd and at the edge of none, or dense spots would turn into froth. None if
/// there are too many.
pub(crate) fn rims(places: &[Place], radius: f64) -> Vec<bool> {
    if places.len() > MOST_RIMMED {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a][0].total_cmp(&places[*b][0]));
    let reach = NEAR * radius;
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for (number, &one) in order.iter().enumerate() {
        let [x, y] = places[one];
        let others = order[number + 1..].iter();
        for &other in others.take_while(|other| places[**other][0] - x <= reach) {
            if (places[other][0] - x).hypot(places[other][1] - y) <= reach {
                near[one].push(other);
                near[other].push(one);
            }
        }
    }
    let crowds = |row: &usize| near[*row].len() > MOST_NEAR;
    (0..places.len())
        .map(|row| !crowds(&row) && !near[row].iter().any(crowds))
        .collect()
}

/// Radius of the markers at the default picture size.
pub(crate) fn marker_radius(n: usize) -> f64 {
    (6.5 * (n.max(1) as f64 / 50.0).powf(-0.22)).clamp(1.4, 6.5)
}

fn marker_opacity(n: usize) -> f64 {
    (0.92 - 0.18 * (n.max(1) as f64 / 1000.0).log10().max(0.0)).max(0.6)
}

/// Radius of the spots of density shading at the default picture size.
fn spot_radius(n: usize) -> f64 {
    (1.6 * (n.max(1) as f64 / 30_000.0).powf(-0.25)).clamp(0.6, 1.6)
}

/// Every number below `n` once, in an order that mixes rows from all over: rows are often sorted by class, and the last
/// class must not cover the others.
fn mixed_order(n: usize) -> impl Iterator<Item = usize> {
    let greatest_common_divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // Steps of a golden-ratio fraction of n spread evenly; a step without a common divisor visits every row.
    let golden = (n as f64 * 0.618_034) as usize;
    let step = (golden.max(1)..)
        .find(|step| greatest_common_divisor(*step, n) == 1)
        .unwrap_or(1);
    (0..n).map(move |i| i * step % n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixed_order_visits_every_row_once_and_mixes() {
        for n in [0, 1, 2, 3, 10, 100, 1001, 4096] {
            let mut order: Vec<usize> = mixed_order(n).collect();
            if n >= 100 {
                let first_half = order[..n / 2].iter().filter(|row| **row < n / 2).count();
                assert!(first_half.abs_diff(n / 4) < n / 20);
            }
            order.sort_unstable();
            assert_eq!(order, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn markers_that_crowd_have_no_rim() {
        let mut places: Vec<Place> = (0..9)
            .map(|i| [f64::from(i % 3), f64::from(i / 3)])
            .collect();
        places.extend([[100.0, 0.0], [104.0, 0.0], [50.0, f64::from(u16::MAX)]]);
        let rims = super::rims(&places, 5.0);
        assert_eq!(rims[..9], [false; 9]);
        assert_eq!(rims[9..], [true; 3]);
        assert!(super::rims(&vec![[0.0, 0.0]; 5_000], 5.0).is_empty());
    }

    #[test]
    fn more_points_are_smaller_and_fainter() {
        let sizes = [1, 50, 1_000, 10_000, 30_000];
        for pair in sizes.windows(2) {
            assert!(marker_radius(pair[0]) >= marker_radius(pair[1]));
            assert!(marker_opacity(pair[0]) >= marker_opacity(pair[1]));
        }
        assert!(marker_radius(30_000) >= 1.4 && spot_radius(10_000_000) >= 0.6);
    }
}
