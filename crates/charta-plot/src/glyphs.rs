//! Points drawn as the names of their classes, such as digits, in place of markers.

use crate::palette::Palette;
use crate::scatter::Color;
use crate::scene::{Anchor, Place, Scene, Text};

/// Letters of a class's name, at most.
const LONGEST: usize = 2;
/// Points drawn so, at most: more would be a blot.
const MOST: usize = 4_000;

/// Whether points of these classes can be drawn as names: all names are short, and the points not too many.
pub(crate) fn are_possible(color: &Color<'_>, n_points: usize) -> bool {
    let is_short = |name: &String| (1..=LONGEST).contains(&name.chars().count());
    match color {
        Color::Classes { names, .. } => n_points <= MOST && names.iter().all(is_short),
        _ => false,
    }
}

/// Draws the name of each row's class at its place, in its colour of the palette; `size` is that of the letters.
pub(crate) fn draw(
    scene: &mut Scene,
    color: &Color<'_>,
    palette: Palette,
    places: impl Iterator<Item = (usize, Place)>,
    size: f64,
) {
    let Color::Classes { names, of_row, .. } = color else {
        return;
    };
    for (row, place) in places {
        let Some(class) = of_row[row] else { continue };
        let text = Text {
            color: palette.look(class).0,
            anchor: Anchor::Middle,
            ..Text::new(names[class].clone(), place, size)
        };
        scene.text(text.centred_vertically());
    }
}

/// Size of the letters for so many points, at the default picture size.
pub(crate) fn size(n_points: usize) -> f64 {
    (20.0 * (n_points.max(1) as f64 / 100.0).powf(-0.2)).clamp(9.0, 20.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_names_of_not_too_many_points_are_drawn() {
        let names = ["0".to_owned(), "12".to_owned()];
        let color = |names| Color::Classes {
            title: "",
            names,
            of_row: &[],
        };
        assert!(are_possible(&color(&names), 100));
        assert!(!are_possible(&color(&names), 100_000));
        let long = ["setosa".to_owned()];
        assert!(!are_possible(&color(&long), 100));
        assert!(!are_possible(&Color::None, 100));
    }
}
