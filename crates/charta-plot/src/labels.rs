//! Names beside points, placed where they cover neither each other nor the points.

use crate::font;
use crate::scene::{Anchor, Area, Place, Text};

/// Up to this many points, every name is written even where it must touch another.
const ALWAYS_NAMED: usize = 60;
/// The most points that get names: the search for places compares every name with every point.
pub(crate) const MOST_NAMED: usize = 2000;

/// Font size and distances for the names.
pub(crate) struct Style {
    pub(crate) size: f64,
    /// Radius of a marker.
    pub(crate) radius: f64,
}

/// The names that have room, near their points and inside the panel.
pub(crate) fn place(points: &[(Place, &str)], panel: &Area, style: &Style) -> Vec<Text> {
    if points.len() > MOST_NAMED {
        return Vec::new();
    }
    let markers: Vec<Area> = points
        .iter()
        .map(|(place, _)| around(*place, style.radius + 0.3 * style.size))
        .collect();
    let mut taken: Vec<Area> = Vec::new();
    let mut texts = Vec::new();
    for (own, (place, name)) in points
        .iter()
        .enumerate()
        .filter(|(_, (_, name))| !name.is_empty())
    {
        let name = font::shorten(name, style.size, panel.width / 3.0);
        let best = candidates(*place, &name, style)
            .into_iter()
            .map(|(text, area)| {
                (
                    cost(&area, panel, &taken) + covered(&area, &markers, own),
                    text,
                    area,
                )
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((cost, text, area)) = best
            && (cost == 0.0 || points.len() <= ALWAYS_NAMED)
        {
            taken.push(area);
            texts.push(text);
        }
    }
    texts
}

/// Where a name may stand, the most usual place first: right, left, above, below, then the corners.
fn candidates([x, y]: Place, name: &str, style: &Style) -> Vec<(Text, Area)> {
    let width = font::width(name, style.size);
    let (aside, apart) = (
        style.radius + 0.4 * style.size,
        style.radius + 0.8 * style.size,
    );
    let places = [
        (Anchor::Start, aside, 0.0),
        (Anchor::End, -aside, 0.0),
        (Anchor::Middle, 0.0, -apart),
        (Anchor::Middle, 0.0, apart),
        (Anchor::Start, 0.6 * aside, -apart),
        (Anchor::Start, 0.6 * aside, apart),
        (Anchor::End, -0.6 * aside, -apart),
        (Anchor::End, -0.6 * aside, apart),
    ];
    let text = |(anchor, across, down): (Anchor, f64, f64)| {
        let text = Text {
            anchor,
            ..Text::new(name, [x + across, y + down], style.size)
        };
        let left = x + across
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
        let area = Area {
            left,
            top: y + down - 0.55 * style.size,
            width,
            height: 1.1 * style.size,
        };
        (text.centred_vertically(), area)
    };
    places.into_iter().map(text).collect()
}

/// How much of other things a name would cover; names outside the panel are the worst.
fn cost(area: &Area, panel: &Area, taken: &[Area]) -> f64 {
    let outside = area.width * area.height - area.overlap(panel);
    let covered: f64 = taken.iter().map(|other| area.overlap(other)).sum();
    covered + if outside > 1e-6 { 10.0 * outside } else { 0.0 }
}

/// How much of the space around other points a name would take: so near, it would seem to be theirs.
fn covered(area: &Area, markers: &[Area], own: usize) -> f64 {
    let others = markers
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != own);
    others.map(|(_, marker)| area.overlap(marker)).sum()
}

fn around([x, y]: Place, radius: f64) -> Area {
    Area {
        left: x - radius,
        top: y - radius,
        width: 2.0 * radius,
        height: 2.0 * radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: Area = Area {
        left: 0.0,
        top: 0.0,
        width: 600.0,
        height: 400.0,
    };
    const STYLE: Style = Style {
        size: 16.0,
        radius: 5.0,
    };

    #[test]
    fn a_lone_name_stands_to_the_right_and_at_the_edge_to_the_left() {
        let texts = place(
            &[([100.0, 100.0], "Bern"), ([595.0, 300.0], "Oslo")],
            &PANEL,
            &STYLE,
        );
        assert_eq!(
            (texts[0].anchor, texts[1].anchor),
            (Anchor::Start, Anchor::End)
        );
    }

    #[test]
    fn neighbours_do_not_cover_each_other() {
        let points = [
            ([100.0, 100.0], "first"),
            ([112.0, 100.0], "second"),
            ([100.0, 112.0], "third"),
        ];
        let texts = place(&points, &PANEL, &STYLE);
        let area = |text: &Text| {
            let width = font::width(&text.text, text.size);
            let left = text.place[0] - [0.0, width / 2.0, width][text.anchor as usize];
            Area {
                left,
                top: text.place[1] - 0.7 * text.size,
                width,
                height: 0.7 * text.size,
            }
        };
        for first in 0..3 {
            for second in 0..first {
                assert_eq!(
                    area(&texts[first]).overlap(&area(&texts[second])),
                    0.0,
                    "{first} and {second}"
                );
            }
        }
    }

    #[test]
    fn in_a_crowd_only_names_with_room_are_written() {
        let points: Vec<(Place, &str)> = (0..500)
            .map(|i| ([300.0 + f64::from(i % 7), 200.0], "name"))
            .collect();
        assert!(place(&points, &PANEL, &STYLE).len() < 20);
    }
}
