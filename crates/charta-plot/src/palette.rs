//! Looks of classes: a colour and a marker shape each.
//!
//! The first six colours are those of Okabe and Ito (*Color Universal Design*, 2008) that stand out on white, the other
//! four come from Paul Tol's *muted*, *bright* and *dark* schemes (technical note SRON/EPS/TN/09-002). After ten classes the shape
//! changes too, and the colours turn darker, then lighter, so that classes stay apart by shape in markers and by colour in
//! density shading.

use crate::color::{Rgb, WHITE};

/// Colour of the points when there are no classes.
pub(crate) const PLAIN: Rgb = Rgb(0, 114, 178);

const SAFE: [Rgb; 10] = [
    PLAIN,
    Rgb(213, 94, 0),
    Rgb(0, 158, 115),
    Rgb(204, 121, 167),
    Rgb(230, 159, 0),
    Rgb(86, 180, 233),
    Rgb(51, 34, 136),
    Rgb(136, 34, 85),
    Rgb(204, 187, 68),
    Rgb(102, 102, 51),
];

/// The colours of matplotlib's and Vega's default scheme for categories, made by Tableau.
const TAB10: [Rgb; 10] = [
    Rgb(31, 119, 180),
    Rgb(255, 127, 14),
    Rgb(44, 160, 44),
    Rgb(214, 39, 40),
    Rgb(148, 103, 189),
    Rgb(140, 86, 75),
    Rgb(227, 119, 194),
    Rgb(127, 127, 127),
    Rgb(188, 189, 34),
    Rgb(23, 190, 207),
];

/// ColorBrewer's scheme Dark2 (Apache licence 2.0).
const DARK2: [Rgb; 8] = [
    Rgb(27, 158, 119),
    Rgb(217, 95, 2),
    Rgb(117, 112, 179),
    Rgb(231, 41, 138),
    Rgb(102, 166, 30),
    Rgb(230, 171, 2),
    Rgb(166, 118, 29),
    Rgb(102, 102, 102),
];

/// Greys that stay apart in print; shapes tell further classes from these.
const GREY: [Rgb; 4] = [
    Rgb(30, 30, 30),
    Rgb(150, 150, 150),
    Rgb(90, 90, 90),
    Rgb(195, 195, 195),
];

/// The colours of classes. Numbers are always shown by viridis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Palette {
    /// Ten colours that colour-blind readers can tell apart.
    #[default]
    Safe,
    /// The ten colours that matplotlib takes by default.
    Tab10,
    /// ColorBrewer's eight dark colours.
    Dark2,
    /// Four greys, for print.
    Grey,
}

impl Palette {
    /// Every palette.
    pub const ALL: [Palette; 4] = [Palette::Safe, Palette::Tab10, Palette::Dark2, Palette::Grey];

    /// The palette's name, such as `tab10`.
    pub fn name(self) -> &'static str {
        match self {
            Palette::Safe => "safe",
            Palette::Tab10 => "tab10",
            Palette::Dark2 => "dark2",
            Palette::Grey => "grey",
        }
    }

    fn colors(self) -> &'static [Rgb] {
        match self {
            Palette::Safe => &SAFE,
            Palette::Tab10 => &TAB10,
            Palette::Dark2 => &DARK2,
            Palette::Grey => &GREY,
        }
    }

    /// Colour and shape of a class. Those of the default palette repeat only after 270 classes.
    pub(crate) fn look(self, class: usize) -> (Rgb, Shape) {
        let colors = self.colors();
        let round = class / colors.len();
        let base = colors[class % colors.len()];
        // Shapes and shades have a common factor: a shift every nine rounds makes all 9 × 3 pairs appear.
        let color = match (round + round / Shape::ALL.len()) % 3 {
            0 => base,
            1 => base.mix(Rgb(0, 0, 0), 0.4),
            _ => base.mix(WHITE, 0.36),
        };
        (color, Shape::ALL[round % Shape::ALL.len()])
    }
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Circle,
    Triangle,
    Square,
    Diamond,
    Cross,
    TriangleDown,
    Plus,
    Star,
    Hexagon,
}

/// Colour and shape of a class in the default palette.
pub(crate) fn look(class: usize) -> (Rgb, Shape) {
    Palette::Safe.look(class)
}

impl Shape {
    /// Every shape, in the order in which classes take them.
    pub(crate) const ALL: [Shape; 9] = [
        Shape::Circle,
        Shape::Triangle,
        Shape::Square,
        Shape::Diamond,
        Shape::Cross,
        Shape::TriangleDown,
        Shape::Plus,
        Shape::Star,
        Shape::Hexagon,
    ];

    /// Corners of the marker of radius 1 around the origin; y points down. All shapes look about equally large.
    pub(crate) fn corners(self) -> Vec<[f64; 2]> {
        match self {
            Shape::Circle => ring(28, 0.0, &[1.0]),
            Shape::Triangle => ring(3, -90.0, &[1.3]),
            Shape::TriangleDown => ring(3, 90.0, &[1.3]),
            Shape::Square => ring(4, 45.0, &[1.25]),
            Shape::Diamond => ring(4, 0.0, &[1.35]),
            Shape::Star => ring(10, -90.0, &[1.45, 0.62]),
            Shape::Hexagon => ring(6, 0.0, &[1.12]),
            Shape::Plus => plus(0.0),
            Shape::Cross => plus(45.0),
        }
    }
}

/// Corners on circles whose radii take turns.
fn ring(n: usize, first_degrees: f64, radii: &[f64]) -> Vec<[f64; 2]> {
    (0..n)
        .map(|corner| {
            let angle = (first_degrees + 360.0 * corner as f64 / n as f64).to_radians();
            let radius = radii[corner % radii.len()];
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect()
}

fn plus(degrees: f64) -> Vec<[f64; 2]> {
    let (arm, half) = (1.3, 0.42);
    let quarter = [[half, -half], [half, -arm], [-half, -arm]];
    (0..4)
        .flat_map(|turn| quarter.map(|corner| rotate(corner, degrees - 90.0 * f64::from(turn))))
        .collect()
}

fn rotate([x, y]: [f64; 2], degrees: f64) -> [f64; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::MISSING;
    use std::collections::HashSet;

    fn distance(a: Rgb, b: Rgb) -> f64 {
        let square = |a: u8, b: u8| (f64::from(a) - f64::from(b)).powi(2);
        (square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)).sqrt()
    }

    #[test]
    fn colors_of_thirty_classes_differ_from_each_other_and_from_missing() {
        for first in 0..30 {
            for second in 0..first {
                let apart = distance(look(first).0, look(second).0);
                assert!(
                    apart > if first < 10 { 50.0 } else { 15.0 },
                    "classes {first} and {second}: {apart}"
                );
            }
            assert!(
                distance(look(first).0, MISSING) > 25.0,
                "class {first} looks missing"
            );
        }
    }

    #[test]
    fn colors_within_each_palette_differ() {
        for palette in Palette::ALL {
            let colors = palette.colors();
            for (place, first) in colors.iter().enumerate() {
                for second in &colors[..place] {
                    assert!(distance(*first, *second) > 50.0, "{}", palette.name());
                }
            }
            assert_eq!(palette.look(colors.len()).1, Shape::ALL[1]);
        }
    }

    #[test]
    fn looks_do_not_repeat_for_270_classes() {
        let looks: HashSet<_> = (0..270).map(look).collect();
        assert_eq!(looks.len(), 270);
        assert_eq!(look(270), look(0));
    }

    #[test]
    fn shapes_have_similar_areas_and_are_not_self_crossing() {
        for shape in Shape::ALL {
            let corners = shape.corners();
            let area: f64 = (0..corners.len())
                .map(|i| {
                    let ([x0, y0], [x1, y1]) = (corners[i], corners[(i + 1) % corners.len()]);
                    0.5 * (x0 * y1 - x1 * y0)
                })
                .sum();
            assert!((1.8..3.7).contains(&area.abs()), "{shape:?}: {area}");
        }
    }
}
