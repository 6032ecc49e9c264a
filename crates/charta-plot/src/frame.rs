//! What surrounds the data: title, subtitle, axes with ticks and grid.

use crate::color::{FRAME, GRID, INK, QUIET};
use crate::font;
use crate::scale::Range;
use crate::scene::{Anchor, Area, Scene, Text};
use crate::ticks::{Tick, ticks};

/// Sizes of text and gaps at the default picture size.
pub(crate) const TITLE: f64 = 28.0;
pub(crate) const SUBTITLE: f64 = 18.0;
pub(crate) const LABEL: f64 = 18.0;
pub(crate) const TICK: f64 = 16.0;
pub(crate) const MARGIN: f64 = 26.0;

/// Writes title and subtitle at the top left, over at most two lines each; returns the area left below, inside the margins.
pub(crate) fn header(scene: &mut Scene, title: &str, subtitle: &str) -> Area {
    let unit = scene.unit;
    let (width, height) = (f64::from(scene.size.width), f64::from(scene.size.height));
    let margin = MARGIN * unit;
    let mut top = margin;
    for (text, size, color) in [
        (title, TITLE * unit, INK),
        (subtitle, SUBTITLE * unit, QUIET),
    ] {
        for line in wrapped(text, size, width - 2.0 * margin) {
            top += size;
            scene.text(Text {
                color,
                ..Text::new(line, [margin, top], size)
            });
            top += 0.35 * size;
        }
    }
    if top > margin {
        top += 12.0 * unit;
    }
    Area {
        left: margin,
        top,
        width: width - 2.0 * margin,
        height: height - top - margin,
    }
}

/// Up to two lines of whole words; what does not fit is cut with an ellipsis.
fn wrapped(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut words = text.split_whitespace();
    let mut first = String::new();
    let mut rest = String::new();
    for word in &mut words {
        let longer = if first.is_empty() {
            word.to_owned()
        } else {
            format!("{first} {word}")
        };
        if !first.is_empty() && font::width(&longer, size) > limit {
            rest = std::iter::once(word)
                .chain(words)
                .collect::<Vec<_>>()
                .join(" ");
            break;
        }
        first = longer;
    }
    let lines = [first, rest].into_iter().filter(|line| !line.is_empty());
    lines
        .map(|line| font::shorten(&line, size, limit))
        .collect()
}

/// One axis: what it shows and its marks.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) title: String,
    pub(crate) range: Range,
    pub(crate) ticks: Vec<Tick>,
}

impl Axis {
    /// An axis with ticks that are about `spacing` apart on a length, both in pixels.
    pub(crate) fn new(title: &str, range: Range, length: f64, spacing: f64) -> Self {
        let wanted = ((length / spacing).round() as usize).clamp(2, 12);
        Axis {
            title: title.to_owned(),
            range,
            ticks: ticks(&range, wanted),
        }
    }

    /// Whether neighbouring labels nearly touch on a length.
    pub(crate) fn is_crowded(&self, length: f64, unit: f64) -> bool {
        let [first, second] = match self.ticks.as_slice() {
            [first, second, ..] => {
                [first, second].map(|tick| self.range.share(tick.value) * length)
            }
            _ => return false,
        };
        self.label_width(TICK * unit) + 1.2 * TICK * unit > second - first
    }

    /// Width of the widest tick label.
    pub(crate) fn label_width(&self, size: f64) -> f64 {
        self.ticks
            .iter()
            .map(|tick| font::width(&tick.label, size))
            .fold(0.0, f64::max)
    }
}

/// Space that an axis below the panel takes.
pub(crate) fn bottom_space(title: &str, unit: f64) -> f64 {
    (TICK + 12.0 + if title.is_empty() { 0.0 } else { LABEL + 12.0 }) * unit
}

/// Space that an axis beside the panel takes.
pub(crate) fn side_space(axis: &Axis, unit: f64) -> f64 {
    axis.label_width(TICK * unit)
        + (12.0
            + if axis.title.is_empty() {
                0.0
            } else {
                LABEL + 14.0
            })
            * unit
}

/// Draws grid, frame, ticks and titles of a lower and a left axis around a panel.
pub(crate) fn draw_axes(scene: &mut Scene, panel: &Area, x: &Axis, y: &Axis) {
    grid(scene, panel, x, y);
    outline(scene, panel);
    draw_bottom_axis(scene, panel, x);
    draw_left_axis(scene, panel, y);
}

/// The lines across and down a panel at the ticks.
pub(crate) fn grid(scene: &mut Scene, panel: &Area, x: &Axis, y: &Axis) {
    let unit = scene.unit;
    for tick in &x.ticks {
        let across = crisp(panel.left + x.range.share(tick.value) * panel.width);
        scene.line(
            vec![[across, panel.top], [across, panel.bottom()]],
            unit,
            GRID,
        );
    }
    for tick in &y.ticks {
        let down = crisp(panel.bottom() - y.range.share(tick.value) * panel.height);
        scene.line(vec![[panel.left, down], [panel.right(), down]], unit, GRID);
    }
}

/// The border of a panel.
pub(crate) fn outline(scene: &mut Scene, panel: &Area) {
    let unit = scene.unit;
    let [left, top, right, bottom] =
        [panel.left, panel.top, panel.right(), panel.bottom()].map(crisp);
    scene.line(
        vec![
            [left, top],
            [right, top],
            [right, bottom],
            [left, bottom],
            [left, top],
        ],
        unit,
        FRAME,
    );
}

/// Numbers and title below a panel.
pub(crate) fn draw_bottom_axis(scene: &mut Scene, panel: &Area, axis: &Axis) {
    let unit = scene.unit;
    let size = TICK * unit;
    let baseline = panel.bottom() + size + 6.0 * unit;
    for tick in &axis.ticks {
        let place = [
            panel.left + axis.range.share(tick.value) * panel.width,
            baseline,
        ];
        scene.text(Text {
            color: QUIET,
            anchor: Anchor::Middle,
            ..Text::new(tick.label.clone(), place, size)
        });
    }
    let place = [
        panel.left + panel.width / 2.0,
        baseline + (LABEL + 10.0) * unit,
    ];
    let title = font::shorten(&axis.title, LABEL * unit, panel.width);
    scene.text(Text {
        anchor: Anchor::Middle,
        ..Text::new(title, place, LABEL * unit)
    });
}

/// Numbers and title to the left of a panel.
pub(crate) fn draw_left_axis(scene: &mut Scene, panel: &Area, axis: &Axis) {
    let unit = scene.unit;
    let size = TICK * unit;
    for tick in &axis.ticks {
        let place = [
            panel.left - 8.0 * unit,
            panel.bottom() - axis.range.share(tick.value) * panel.height,
        ];
        let text = Text {
            color: QUIET,
            anchor: Anchor::End,
            ..Text::new(tick.label.clone(), place, size)
        };
        scene.text(text.centred_vertically());
    }
    let left = panel.left - axis.label_width(size) - 20.0 * unit;
    draw_side_title(scene, panel, &axis.title, left);
}

/// A title written upward beside the panel, with its baseline at `across`.
pub(crate) fn draw_side_title(scene: &mut Scene, panel: &Area, title: &str, across: f64) {
    let size = LABEL * scene.unit;
    let place = [across, panel.top + panel.height / 2.0];
    let title = font::shorten(title, size, panel.height);
    scene.text(Text {
        anchor: Anchor::Middle,
        upward: true,
        ..Text::new(title, place, size)
    });
}

/// The middle of a pixel: a line one pixel wide then fills exactly one row.
pub(crate) fn crisp(length: f64) -> f64 {
    length.floor() + 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_take_two_lines_and_are_then_cut() {
        assert_eq!(wrapped("short", 20.0, 500.0), ["short"]);
        assert!(wrapped("", 20.0, 500.0).is_empty());
        let lines = wrapped(&"word ".repeat(100), 20.0, 500.0);
        assert_eq!(lines.len(), 2);
        assert!(!lines[0].ends_with('…') && lines[1].ends_with('…'));
        assert!(lines.iter().all(|line| font::width(line, 20.0) <= 500.0));
    }
}
