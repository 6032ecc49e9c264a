//! Lines of a scatter plot: edges of a graph below the points, paths and axes above them, contour lines.

use crate::color::{INK, QUIET, Rgb, WHITE};
use crate::contours::Contour;
use crate::font;
use crate::labels::LabelRequest;
use crate::scene::{Anchor, Item, Place, Scene, Text};

/// A line in the units of the points, in a plane or in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke<const N: usize = 2> {
    /// Written at its end; empty for none.
    pub name: String,
    /// The points that it joins.
    pub places: Vec<[f64; N]>,
    /// What it is.
    pub look: StrokeLook,
}

/// What a line shows, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrokeLook {
    /// A path from point to point: red.
    Path,
    /// The straight line between two points: blue and dashed.
    Chord,
    /// An axis or another line through the points: dark.
    Axis,
    /// From a point to its foot on a line: thin and grey, below the points.
    Perpendicular,
    /// A vector from the origin: blue.
    Vector,
    /// What a matrix makes of a vector: magenta.
    Image,
}

/// Edges of a graph.
const EDGE: Rgb = Rgb(190, 196, 205);
const PATH: Rgb = Rgb(206, 24, 38);
const CHORD: Rgb = Rgb(28, 84, 200);
const IMAGE: Rgb = Rgb(190, 0, 150);

impl StrokeLook {
    pub(crate) fn color(self) -> Rgb {
        match self {
            StrokeLook::Path => PATH,
            StrokeLook::Chord | StrokeLook::Vector => CHORD,
            StrokeLook::Image => IMAGE,
            StrokeLook::Axis => INK,
            StrokeLook::Perpendicular => QUIET,
        }
    }

    /// Width at the default picture size.
    pub(crate) fn width(self) -> f64 {
        match self {
            StrokeLook::Path | StrokeLook::Vector => 3.4,
            StrokeLook::Chord => 2.6,
            StrokeLook::Axis | StrokeLook::Image => 2.4,
            StrokeLook::Perpendicular => 1.0,
        }
    }

    pub(crate) fn is_dashed(self) -> bool {
        self == StrokeLook::Chord
    }

    /// True if points cover it.
    pub(crate) fn is_below(self) -> bool {
        self == StrokeLook::Perpendicular
    }
}

impl<const N: usize> Stroke<N> {
    /// True if it can be drawn.
    pub(crate) fn is_drawable(&self) -> bool {
        let finite = |place: &[f64; N]| place.iter().all(|value| value.is_finite());
        self.places.len() > 1 && self.places.iter().all(finite)
    }
}

/// The lines that can be drawn.
pub(crate) fn drawable<const N: usize>(strokes: &[Stroke<N>]) -> impl Iterator<Item = &Stroke<N>> {
    strokes.iter().filter(|stroke| stroke.is_drawable())
}

/// Width of the edges at the default picture size: many are thinner.
pub(crate) fn edge_width(n: usize) -> f64 {
    (1.3 * (n.max(1) as f64 / 1000.0).powf(-0.12)).clamp(0.5, 1.3)
}

/// Draws the edges between points; `place` says where a row's point lies, if it is drawn.
pub(crate) fn draw_edges(
    scene: &mut Scene,
    edges: &[[usize; 2]],
    place: impl Fn(usize) -> Option<Place>,
) {
    let segment = |[from, to]: &[usize; 2]| Some([place(*from)?, place(*to)?]);
    let segments: Vec<[Place; 2]> = edges.iter().filter_map(segment).collect();
    if !segments.is_empty() {
        let width = edge_width(segments.len()) * scene.unit;
        scene.items.push(Item::Segments {
            segments,
            width,
            color: EDGE,
        });
    }
}

/// Draws lines, all below the points or all above; returns the names requested at their ends.
pub(crate) fn draw_strokes<'a, const N: usize>(
    scene: &mut Scene,
    strokes: &'a [Stroke<N>],
    below: bool,
    place: impl Fn([f64; N]) -> Place,
) -> Vec<LabelRequest<'a>> {
    let unit = scene.unit;
    let drawn: Vec<(&Stroke<N>, Vec<Place>)> = drawable(strokes)
        .filter(|stroke| stroke.look.is_below() == below)
        .map(|stroke| (stroke, stroke.places.iter().map(|at| place(*at)).collect()))
        .collect();
    if !below {
        for (stroke, places) in &drawn {
            scene.line(places.clone(), (stroke.look.width() + 3.0) * unit, WHITE);
        }
    }
    for (stroke, places) in &drawn {
        scene.items.push(Item::Line {
            places: places.clone(),
            width: stroke.look.width() * unit,
            color: stroke.look.color(),
            dashed: stroke.look.is_dashed(),
        });
    }
    drawn
        .iter()
        .filter(|(stroke, _)| !stroke.name.is_empty())
        .map(|(stroke, places)| LabelRequest {
            place: places[places.len() - 1],
            name: &stroke.name,
            radius: 4.0 * unit,
            shaft_from: None,
        })
        .collect()
}

/// Draws contour lines with their levels.
pub(crate) fn draw_contours(
    scene: &mut Scene,
    contours: &[Contour],
    place: impl Fn([f64; 2]) -> Place,
) {
    let unit = scene.unit;
    let size = 14.0 * unit;
    let mut texts = Vec::new();
    for contour in contours {
        let color = contour.color();
        let lines: Vec<Vec<Place>> = (contour.lines.iter())
            .map(|line| line.iter().map(|at| place(*at)).collect())
            .collect();
        if let Some(longest) = lines.iter().max_by_key(|line| line.len())
            && length(longest) > 3.0 * font::width(&contour.label, size)
        {
            let text = Text {
                color,
                anchor: Anchor::Middle,
                halo: true,
                ..Text::new(&contour.label, longest[longest.len() / 2], size)
            };
            texts.push(text.centred_vertically());
        }
        for places in lines {
            scene.line(places, 1.5 * unit, color);
        }
    }
    texts.into_iter().for_each(|text| scene.text(text));
}

fn length(places: &[Place]) -> f64 {
    let steps = places.windows(2);
    steps
        .map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]))
        .sum()
}
