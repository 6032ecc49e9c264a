//! What is drawn on top of the points of a scatter plot: named marks, and the arrows of a biplot.

use crate::color::{INK, Rgb, WHITE};
use crate::labels::LabelRequest;
use crate::palette::Shape;
use crate::points::MOST_MARKERS;
use crate::scale::Range;
use crate::scatter::Scatter;
use crate::scene::{Item, Marks, Place, Scene};
use crate::ticks::{count, rounded};

/// A named point among the others, such as the mean of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Written beside the mark.
    pub name: String,
    /// Across and up, in the units of the points.
    pub place: [f64; 2],
    /// The class whose colour and shape the mark has; a mark of no class is dark.
    pub class: Option<usize>,
}

/// A direction from the origin, such as the weights of one feature on the two components of a biplot.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Written at the tip.
    pub name: String,
    /// Across and up. All arrows are scaled by one factor.
    pub vector: [f64; 2],
}

/// More arrows than this hide each other and the points.
const MOST_ARROWS: usize = 30;
/// Length of the shortest arrow that has a name, at the default picture size.
const SHORTEST_NAMED: f64 = 14.0;
/// Length of the longest arrow as a fraction of the extent of the points.
const REACH: f64 = 0.8;
/// Radius of a mark at the default picture size.
const MARK_RADIUS: f64 = 8.5;

/// The arrows of a scatter plot as they are drawn.
#[derive(Debug, Default)]
pub(crate) struct Arrows<'a> {
    /// Name and tip, in the units of the points; the longest first.
    pub(crate) tips: Vec<(&'a str, [f64; 2])>,
    /// What the subtitle says about them.
    pub(crate) notes: Vec<String>,
}

impl<'a> Arrows<'a> {
    /// Chooses and scales the arrows for points in these ranges, which have no padding.
    pub(crate) fn of(scatter: &Scatter<'a>, ranges: [Range; 2]) -> Self {
        let largest = |vector: &[f64; 2]| vector[0].abs().max(vector[1].abs());
        let drawable: Vec<&Arrow> = scatter
            .arrows
            .iter()
            .filter(|arrow| arrow.vector.iter().all(|part| part.is_finite()))
            .filter(|arrow| largest(&arrow.vector) > 0.0)
            .collect();
        let unit = drawable
            .iter()
            .map(|arrow| largest(&arrow.vector))
            .fold(0.0, f64::max);
        let extent = extent(scatter, ranges);
        // Parts are taken relative to the largest one, so that no length overflows.
        let relative = |arrow: &Arrow| arrow.vector.map(|part| part / unit);
        let smaller = extent[0].min(extent[1]);
        let length = |arrow: &Arrow| {
            let [across, up] = relative(arrow);
            (across * (smaller / extent[0])).hypot(up * (smaller / extent[1]))
        };
        let mut chosen: Vec<(f64, &Arrow)> = drawable
            .iter()
            .map(|arrow| (length(arrow), *arrow))
            .collect();
        chosen.sort_by(|a, b| b.0.total_cmp(&a.0));
        chosen.truncate(MOST_ARROWS);
        let longest = chosen.first().map_or(1.0, |first| first.0);
        // Axes of very different units may make every length zero.
        let factor = (REACH * smaller / longest.max(f64::MIN_POSITIVE)).min(f64::MAX);
        let tip = |arrow: &Arrow| {
            let [across, up] = relative(arrow);
            [(across, extent[0]), (up, extent[1])]
                .map(|(part, extent)| (part * factor).clamp(-REACH * extent, REACH * extent))
        };
        Arrows {
            tips: chosen
                .iter()
                .map(|(_, arrow)| (arrow.name.as_str(), tip(arrow)))
                .collect(),
            notes: notes(scatter.arrows, drawable.len(), factor / unit),
        }
    }
}

/// How far the points reach from the origin on each axis: as far on both if these share a unit of length.
fn extent(scatter: &Scatter<'_>, ranges: [Range; 2]) -> [f64; 2] {
    let sides = ranges.map(|range| range.low.abs().max(range.high.abs()));
    if !scatter.shares_a_unit() {
        return sides;
    }
    let radius = scatter
        .rows()
        .map(|row| scatter.points[row][0].hypot(scatter.points[row][1]))
        .fold(0.0, f64::max);
    // A single point at the origin has a range around it, but no distance from it.
    let radius = if radius > 0.0 { radius } else { sides[0] };
    [radius.min(f64::MAX / 2.0); 2]
}

fn notes(arrows: &[Arrow], drawable: usize, factor: f64) -> Vec<String> {
    let mut notes = Vec::new();
    let is_zero = |arrow: &&Arrow| arrow.vector == [0.0, 0.0];
    let n_zero = arrows.iter().filter(is_zero).count();
    for (n, why) in [
        (n_zero, "zero"),
        (arrows.len() - drawable - n_zero, "not finite"),
    ] {
        if n > 0 {
            let (n, of) = (count(n), count(arrows.len()));
            notes.push(format!("{n} of {of} arrows left out: {why}"));
        }
    }
    if drawable > MOST_ARROWS {
        notes.push(format!(
            "the {MOST_ARROWS} longest of {} arrows",
            count(drawable)
        ));
    }
    // A factor that needs an exponent tells the reader nothing.
    if drawable > 0 && (1e-3..1e5).contains(&factor) {
        notes.push(format!("arrows × {}", rounded(&[factor])[0]));
    }
    notes
}

/// The marks that can be drawn.
pub(crate) fn drawable_marks(marks: &[Mark]) -> impl Iterator<Item = &Mark> {
    marks
        .iter()
        .filter(|mark| mark.place.iter().all(|value| value.is_finite()))
}

/// Colour and shape of a mark.
pub(crate) fn mark_look(scatter: &Scatter<'_>, mark: &Mark) -> (Rgb, Shape) {
    let look = |class: usize| scatter.palette.look(class);
    match mark.class {
        // Density has no shapes.
        Some(class) if scatter.points.len() > MOST_MARKERS => (look(class).0, Shape::Circle),
        Some(class) => look(class),
        None => (INK, Shape::Circle),
    }
}

/// Draws the arrows; returns the names requested at their tips. `place` says where a point of the data lies.
pub(crate) fn draw_arrows<'a>(
    scene: &mut Scene,
    arrows: &Arrows<'a>,
    place: impl Fn([f64; 2]) -> Place,
) -> Vec<LabelRequest<'a>> {
    let unit = scene.unit;
    let origin = place([0.0, 0.0]);
    let tips: Vec<(Place, &str)> = arrows
        .tips
        .iter()
        .map(|(name, tip)| (place(*tip), *name))
        .collect();
    // All white rims lie below all arrows, so that no arrow cuts another.
    for (tip, _) in &tips {
        draw_arrow(scene, [origin, *tip], 4.5 * unit, 2.0 * unit, WHITE);
    }
    for (tip, _) in &tips {
        draw_arrow(scene, [origin, *tip], 1.8 * unit, 0.0, INK);
    }
    let wanted = |(tip, name): (Place, &'a str)| LabelRequest {
        place: tip,
        name,
        radius: 4.5 * unit,
        shaft_from: Some(origin),
    };
    // A name without an arrow to be seen would seem to be a point's.
    let is_seen = |(tip, _): &(Place, &str)| {
        (tip[0] - origin[0]).hypot(tip[1] - origin[1]) >= SHORTEST_NAMED * unit
    };
    tips.into_iter().filter(is_seen).map(wanted).collect()
}

/// A line with a head at its end; `grown` widens the head on all sides.
fn draw_arrow(scene: &mut Scene, [from, to]: [Place; 2], width: f64, grown: f64, color: Rgb) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    // Shorter than a pixel: nothing to see, and no direction.
    if length < 1.0 {
        return;
    }
    let unit = scene.unit;
    let direction = along.map(|part| part / length);
    let at = |ahead: f64, aside: f64| {
        [
            to[0] + direction[0] * ahead - direction[1] * aside,
            to[1] + direction[1] * ahead + direction[0] * aside,
        ]
    };
    let (head, half) = (
        (13.0 * unit).min(0.6 * length),
        (4.8 * unit).min(0.25 * length),
    );
    scene.line(vec![from, at(-0.7 * head, 0.0)], width, color);
    scene.items.push(Item::Polygon {
        corners: vec![
            at(1.6 * grown, 0.0),
            at(-head - grown, half + grown),
            at(-0.75 * head - grown, 0.0),
            at(-head - grown, -half - grown),
        ],
        color,
    });
}

/// Draws the marks as ringed symbols; returns the names requested beside them.
pub(crate) fn draw_marks<'a>(
    scene: &mut Scene,
    scatter: &Scatter<'a>,
    place: impl Fn([f64; 2]) -> Place,
) -> Vec<LabelRequest<'a>> {
    let unit = scene.unit;
    let drawn: Vec<(&'a Mark, Place)> = drawable_marks(scatter.marks)
        .map(|mark| (mark, place(mark.place)))
        .collect();
    for (mark, place) in &drawn {
        let (color, shape) = mark_look(scatter, mark);
        for (grown, color) in [(4.6, WHITE), (3.2, INK), (1.5, WHITE), (0.0, color)] {
            scene.items.push(Item::Marks(Marks {
                looks: vec![(color, shape)],
                radius: (MARK_RADIUS + grown) * unit,
                opacity: 1.0,
                rims: Vec::new(),
                marks: vec![(*place, 0)],
            }));
        }
    }
    let wanted = |(mark, place): (&'a Mark, Place)| LabelRequest {
        place,
        name: &mark.name,
        radius: (MARK_RADIUS + 5.0) * unit,
        shaft_from: None,
    };
    drawn.into_iter().map(wanted).collect()
}

#[cfg(test)]
mod tests;
