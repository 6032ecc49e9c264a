//! The legend: a column to the right of the data, never on it.

use crate::calendar::date_ticks;
use crate::color::{INK, MISSING, QUIET, Rgb, diverging, sequential};
use crate::font;
use crate::frame::{Axis, TICK, outline};
use crate::palette::Shape;
use crate::scale::Range;
use crate::scene::{Area, Item, Marks, Pixels, Scene, Text};
use crate::ticks::count;

const ENTRY: f64 = 17.0;
const LINE: f64 = 26.0;
const SWATCH: f64 = 26.0;
const GAP: f64 = 24.0;
const BAR: f64 = 24.0;
/// Height that a scale of colours needs with its title.
const SHORTEST_BAR: f64 = 250.0;
const MOST_COLUMNS: usize = 3;
/// The legend's largest fraction of the picture's width.
const LARGEST_SHARE: f64 = 0.25;

/// What the colours of the points mean.
#[derive(Debug)]
pub(crate) enum Legend {
    None,
    Classes {
        title: String,
        entries: Vec<Entry>,
    },
    Numbers {
        title: String,
        range: Range,
        /// The numbers are seconds since 1970.
        dates: bool,
        missing: bool,
    },
    /// Numbers on both sides of zero, which lies in the middle of the range, or from zero on.
    Signed {
        range: Range,
        missing: bool,
    },
}

/// The colour at a fraction (0 … 1) of a range.
type Colors = fn(f64) -> Rgb;

/// A named look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) color: Rgb,
    pub(crate) shape: Shape,
}

impl Entry {
    /// The entry of points without a class or number; always the last one of a legend.
    pub(crate) fn missing() -> Self {
        Entry {
            name: "missing".into(),
            color: MISSING,
            shape: Shape::Circle,
        }
    }
}

/// Draws the legend at the right edge of an area and returns what is left of the area.
pub(crate) fn draw(scene: &mut Scene, area: Area, legend: &Legend) -> Area {
    let width = match legend {
        Legend::None => return area,
        Legend::Classes { title, entries } => draw_classes(scene, area, title, entries),
        Legend::Numbers {
            title,
            range,
            dates,
            missing,
        } => {
            let scale = NumberScale {
                title,
                range,
                dates: *dates,
                missing: *missing,
            };
            draw_numbers(scene, area, &scale, sequential)
        }
        Legend::Signed { range, missing } => {
            let colors: Colors = if range.low < 0.0 {
                |share| diverging(2.0 * share - 1.0)
            } else {
                diverging
            };
            let scale = NumberScale {
                title: "",
                range,
                dates: false,
                missing: *missing,
            };
            draw_numbers(scene, area, &scale, colors)
        }
    };
    Area {
        width: area.width - width - GAP * scene.unit,
        ..area
    }
}

/// Height of the legend, drawn at the right edge of an area.
pub(crate) fn height(legend: &Legend, area: &Area, scene: &Scene) -> f64 {
    let unit = scene.unit;
    match legend {
        Legend::None => 0.0,
        Legend::Classes { title, entries } => {
            let plan = plan_below_title(title, entries, area, scene);
            above(title, unit) + plan.rows as f64 * LINE * unit
        }
        Legend::Numbers { .. } | Legend::Signed { .. } => SHORTEST_BAR * unit,
    }
}

/// How many of its classes the legend, drawn beside an area, has no room for.
pub(crate) fn left_out(legend: &Legend, area: &Area, scene: &Scene) -> usize {
    match legend {
        Legend::Classes { title, entries } => {
            plan_below_title(title, entries, area, scene).left_out
        }
        _ => 0,
    }
}

/// What a subtitle says about classes that found no room.
pub(crate) fn note(legend: &Legend, left_out: usize) -> String {
    match legend {
        Legend::Classes { entries, .. } if left_out > 0 => format!(
            "{} of {} classes are not in the legend",
            count(left_out),
            count(entries.len())
        ),
        _ => String::new(),
    }
}

/// The plan of the entries in the part of an area below the title.
fn plan_below_title(title: &str, entries: &[Entry], area: &Area, scene: &Scene) -> Plan {
    let above = above(title, scene.unit);
    let below_title = Area {
        height: area.height - above,
        ..*area
    };
    plan(
        entries,
        &below_title,
        f64::from(scene.size.width),
        scene.unit,
    )
}

/// Height of the title of classes.
fn above(title: &str, unit: f64) -> f64 {
    if title.is_empty() { 0.0 } else { LINE * unit }
}

/// How many entries are shown, in which columns.
#[derive(Debug, PartialEq)]
struct Plan {
    rows: usize,
    column_width: f64,
    shown: Vec<Entry>,
    /// Entries for which there is no room.
    left_out: usize,
}

fn plan(entries: &[Entry], area: &Area, picture_width: f64, unit: f64) -> Plan {
    let rows = ((area.height / (LINE * unit)) as usize).max(3);
    let wanted = entries
        .iter()
        .map(|entry| font::width(&entry.name, ENTRY * unit))
        .fold(0.0, f64::max);
    let wanted = wanted + (SWATCH + 14.0) * unit;
    let room = picture_width * LARGEST_SHARE;
    let fitting =
        ((room / wanted.max(80.0 * unit)) as usize).max(entries.len().div_ceil(rows).min(2));
    let columns = entries
        .len()
        .div_ceil(rows)
        .clamp(1, fitting.clamp(1, MOST_COLUMNS));
    let column_width = wanted.min(room / columns as f64);
    // Columns of about equal length.
    let rows = rows.min(entries.len().div_ceil(columns)).max(1);
    let mut shown = entries.to_vec();
    let mut left_out = 0;
    let places = rows * columns;
    if entries.len() > places {
        // The last place says how many more there are; a missing entry keeps its own.
        let last_is_missing = usize::from(entries.last() == Some(&Entry::missing()));
        let kept = places - 1 - last_is_missing;
        left_out = entries.len() - kept - last_is_missing;
        shown.drain(kept..kept + left_out);
    }
    Plan {
        rows,
        column_width,
        shown,
        left_out,
    }
}

fn draw_classes(scene: &mut Scene, area: Area, title: &str, entries: &[Entry]) -> f64 {
    let unit = scene.unit;
    let above = above(title, unit);
    let area = Area {
        top: area.top + above,
        height: area.height - above,
        ..area
    };
    let picture_width = f64::from(scene.size.width);
    let plan = plan(entries, &area, picture_width, unit);
    let lines = plan.shown.len() + usize::from(plan.left_out > 0);
    let columns_width = plan.column_width * lines.div_ceil(plan.rows) as f64;
    let title_width = font::width(title, ENTRY * unit) + 4.0 * unit;
    let width = columns_width.max(title_width.min(picture_width * LARGEST_SHARE));
    let title = font::shorten(title, ENTRY * unit, width);
    let baseline = area.top - above + ENTRY * unit;
    scene.text(Text::new(
        title,
        [area.right() - width + 4.0 * unit, baseline],
        ENTRY * unit,
    ));
    let place = |line: usize| {
        let (column, row) = (line / plan.rows, line % plan.rows);
        [
            area.right() - width + column as f64 * plan.column_width,
            area.top + (row as f64 + 0.5) * LINE * unit,
        ]
    };
    let limit = plan.column_width - (SWATCH + 8.0) * unit;
    let names: Vec<&str> = plan.shown.iter().map(|entry| entry.name.as_str()).collect();
    let names = font::shorten_alike(&names, ENTRY * unit, limit);
    for (line, (entry, name)) in plan.shown.iter().zip(names).enumerate() {
        draw_entry(scene, place(line), entry, name);
    }
    if plan.left_out > 0 {
        let [x, y] = place(lines - 1);
        let notes = [
            format!("… and {} more", plan.left_out),
            format!("… {}", plan.left_out),
        ];
        let fits = |note: &String| font::width(note, ENTRY * unit) <= limit + 22.0 * unit;
        let note = notes.into_iter().find(fits).unwrap_or("…".into());
        let text = Text {
            color: QUIET,
            ..Text::new(note, [x + 4.0 * unit, y], ENTRY * unit)
        };
        scene.text(text.centred_vertically());
    }
    width
}

fn draw_entry(scene: &mut Scene, [x, y]: [f64; 2], entry: &Entry, name: String) {
    let unit = scene.unit;
    scene.items.push(Item::Marks(Marks {
        looks: vec![(entry.color, entry.shape)],
        radius: 6.5 * unit,
        opacity: 1.0,
        rims: Vec::new(),
        marks: vec![([x + 10.0 * unit, y], 0)],
    }));
    scene.text(Text::new(name, [x + SWATCH * unit, y], ENTRY * unit).centred_vertically());
}

/// What a scale of colours shows.
struct NumberScale<'a> {
    title: &'a str,
    range: &'a Range,
    dates: bool,
    missing: bool,
}

fn draw_numbers(scene: &mut Scene, area: Area, scale: &NumberScale<'_>, colors: Colors) -> f64 {
    let unit = scene.unit;
    let &NumberScale {
        title,
        range,
        dates,
        missing,
    } = scale;
    let height = (area.height * 0.62).max(20.0).round();
    let mut axis = Axis::new(title, *range, height, 64.0 * unit);
    if dates {
        axis.ticks = date_ticks(range, axis.ticks.len().max(2));
    }
    let below = (BAR + 10.0) * unit + axis.label_width(TICK * unit);
    let title_width = font::width(title, ENTRY * unit).min(230.0 * unit);
    // A scale with a title or an entry below needs more room than its numbers.
    let least = if title.is_empty() && !missing {
        0.0
    } else {
        110.0 * unit
    };
    let width = below.max(title_width).max(least);
    let left = (area.right() - width).round();
    let above = if title.is_empty() { 0.5 } else { 2.0 };
    let title = font::shorten(title, ENTRY * unit, width);
    scene.text(Text {
        color: INK,
        ..Text::new(title, [left, area.top + ENTRY * unit], ENTRY * unit)
    });
    let top = (area.top + above * ENTRY * unit).round();
    let bar = Area {
        left,
        top,
        width: (BAR * unit).round(),
        height,
    };
    draw_bar(scene, &bar, &axis, colors);
    if missing {
        let place = [left, bar.bottom() + LINE * unit];
        let entry = Entry::missing();
        draw_entry(scene, place, &entry, entry.name.clone());
    }
    width
}

/// The colours, with their numbers to the right.
fn draw_bar(scene: &mut Scene, bar: &Area, axis: &Axis, colors: Colors) {
    let unit = scene.unit;
    scene.items.push(Item::Image {
        area: *bar,
        pixels: bar_pixels(bar.height as usize, colors),
    });
    outline(scene, bar);
    for tick in &axis.ticks {
        let place = [
            bar.right() + 8.0 * unit,
            bar.bottom() - axis.range.share(tick.value) * bar.height,
        ];
        let text = Text {
            color: QUIET,
            ..Text::new(tick.label.clone(), place, TICK * unit)
        };
        scene.text(text.centred_vertically());
    }
}

/// One column of colours, the highest number on top.
fn bar_pixels(height: usize, colors: Colors) -> Pixels {
    let height = height.max(2);
    let rgba = (0..height).flat_map(|row| {
        let Rgb(red, green, blue) = colors(1.0 - row as f64 / (height - 1) as f64);
        [red, green, blue, 255]
    });
    Pixels {
        width: 1,
        height,
        rgba: rgba.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::look;

    fn entries(n: usize) -> Vec<Entry> {
        (0..n)
            .map(|class| Entry {
                name: format!("class {class}"),
                color: look(class).0,
                shape: look(class).1,
            })
            .collect()
    }

    const AREA: Area = Area {
        left: 0.0,
        top: 80.0,
        width: 1150.0,
        height: 790.0,
    };

    #[test]
    fn few_classes_take_one_column_and_many_are_counted() {
        let few = plan(&entries(10), &AREA, 1200.0, 1.0);
        assert_eq!((few.shown.len(), few.left_out), (10, 0));
        let some = plan(&entries(60), &AREA, 1200.0, 1.0);
        assert_eq!((some.shown.len(), some.left_out, some.rows), (60, 0, 30));
        assert_eq!(plan(&entries(33), &AREA, 1200.0, 1.0).rows, 17);
        let many = plan(&entries(500), &AREA, 1200.0, 1.0);
        // Two columns of 30, of which one place says how many more there are.
        assert_eq!((many.shown.len(), many.left_out), (59, 441));
        assert!(many.column_width * 2.0 <= 1200.0 * LARGEST_SHARE);
    }

    #[test]
    fn missing_keeps_its_place() {
        let mut all = entries(500);
        all.push(Entry::missing());
        let plan = plan(&all, &AREA, 1200.0, 1.0);
        assert_eq!(plan.shown.last(), Some(&Entry::missing()));
        assert_eq!(plan.shown.len() + plan.left_out, 501);
        assert_eq!(plan.shown.len() + 1, 60);
    }
}
