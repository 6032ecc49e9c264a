//! The bar chart: one value for each component, such as canonical correlations.

use crate::color::{FRAME, INK, QUIET, WHITE};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, Axis, TICK};
use crate::palette::PLAIN;
use crate::scale::Range;
use crate::scene::{Anchor, Area, Scene, Text};
use crate::ticks::{count, rounded};

/// A bar for each value, from zero, with the value written at its end. Of many, only the first 40 are drawn.
#[derive(Clone, Debug)]
pub struct Bars<'a> {
    /// The values, in the order of the bars.
    pub values: &'a [f64],
    /// Name of each bar; empty for their numbers, from 1.
    pub names: &'a [String],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// What the values are.
    pub axis: String,
    /// Ends of the axis of the values, such as 0 and 1; `None` takes them from the values. Bars are cut there.
    pub range: Option<[f64; 2]>,
    /// Bars lie below each other, with long names beside them, instead of standing beside each other.
    pub horizontal: bool,
    /// Width and height in pixels.
    pub size: Size,
}

/// More bars than this have no room for names and values.
const MOST_BARS: usize = 40;
/// Width of a bar, as a fraction of its slot and at most in pixels at the default picture size.
const BAR_SHARE: f64 = 0.74;
const WIDEST_BAR: f64 = 64.0;

impl<'a> Bars<'a> {
    /// Standing bars without title and names, in the default size.
    pub fn new(values: &'a [f64]) -> Self {
        Bars {
            values,
            names: &[],
            title: String::new(),
            subtitle: String::new(),
            axis: String::new(),
            range: None,
            horizontal: false,
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a bar chart")
    }

    fn check(&self) -> Result<()> {
        if let Some(value) = self.values.iter().find(|value| !value.is_finite()) {
            return Err(Error::BadNumber {
                name: "values",
                requirement: "finite",
                value: *value,
            });
        }
        let (expected, got) = (self.values.len(), self.names.len());
        if got != 0 && got != expected {
            return Err(Error::LengthMismatch {
                name: "names",
                unit: "bar",
                expected,
                got,
            });
        }
        match self.range {
            Some([low, high]) if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(Error::BadRange { low, high })
            }
            _ => Ok(()),
        }
    }

    fn shown(&self) -> &'a [f64] {
        &self.values[..self.values.len().min(MOST_BARS)]
    }

    fn notes(&self) -> String {
        let n = self.values.len();
        let note = match n {
            0 => "no values".to_owned(),
            n if n > MOST_BARS => format!("the first {MOST_BARS} of {}", count(n)),
            _ => String::new(),
        };
        let notes = [self.subtitle.clone(), note];
        notes
            .into_iter()
            .filter(|note| !note.is_empty())
            .collect::<Vec<_>>()
            .join(" · ")
    }

    /// The ends of the axis: those requested, or zero and the values with room for a number beyond the longest bar.
    fn value_range(&self) -> Range {
        if let Some([low, high]) = self.range {
            return Range { low, high };
        }
        if self.shown().iter().all(|value| value.abs() < 1e-300) {
            return Range {
                low: 0.0,
                high: 1.0,
            };
        }
        let all = Range::of(self.shown().iter().copied().chain([0.0]));
        let room = 0.24 * all.half();
        Range {
            low: if all.low < 0.0 {
                (all.low - room).max(-f64::MAX)
            } else {
                0.0
            },
            high: if all.high > 0.0 {
                (all.high + room).min(f64::MAX)
            } else {
                0.0
            },
        }
    }

    fn names(&self) -> Vec<String> {
        let number = |bar: usize| (bar + 1).to_string();
        (0..self.shown().len())
            .map(|bar| self.names.get(bar).cloned().unwrap_or_else(|| number(bar)))
            .collect()
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let area = frame::header(&mut scene, &self.title, &self.notes());
        let layout = Layout::new(self, &area);
        layout.draw_axis(&mut scene);
        let numbers = rounded(self.shown());
        let names = self.names();
        for (bar, value) in self.shown().iter().enumerate() {
            let area = layout.bar(bar, *value);
            scene.fill(area, PLAIN);
            layout.draw_number(&mut scene, &area, *value, &numbers[bar]);
            layout.draw_name(&mut scene, bar, &names[bar]);
        }
        layout.draw_zero(&mut scene);
        Ok(scene)
    }
}

/// Where the bars lie.
struct Layout {
    panel: Area,
    axis: Axis,
    n: usize,
    horizontal: bool,
    /// Names of standing bars are written upward if one of them is wider than its slot.
    upward_names: bool,
    /// Room for a name beside a lying bar or, upward, below a standing one.
    name_room: f64,
    unit: f64,
}

impl Layout {
    fn new(bars: &Bars<'_>, area: &Area) -> Self {
        let size = TICK * bars.size.unit();
        let names = bars.names();
        let widest = names.iter().map(|name| font::width(name, size));
        let widest = widest.fold(0.0, f64::max);
        if bars.horizontal {
            Layout::lying(bars, area, widest)
        } else {
            Layout::standing(bars, area, widest)
        }
    }

    fn lying(bars: &Bars<'_>, area: &Area, widest: f64) -> Self {
        let unit = bars.size.unit();
        let name_room = widest.min(0.35 * area.width);
        let left = (area.left + name_room + 12.0 * unit).round();
        let top = (area.top + 6.0 * unit).round();
        // The last number of the axis may stick out by half its width.
        let width = (area.right() - left - 14.0 * unit).max(40.0).round();
        let below = frame::bottom_space(&bars.axis, unit);
        let height = (area.bottom() - top - below).max(40.0).round();
        let axis = |spacing: f64| Axis::new(&bars.axis, bars.value_range(), width, spacing * unit);
        let near = axis(110.0);
        Layout {
            panel: Area {
                left,
                top,
                width,
                height,
            },
            axis: if near.is_crowded(width, unit) {
                axis(200.0)
            } else {
                near
            },
            n: bars.shown().len().max(1),
            horizontal: true,
            upward_names: false,
            name_room,
            unit,
        }
    }

    fn standing(bars: &Bars<'_>, area: &Area, widest: f64) -> Self {
        let unit = bars.size.unit();
        let n = bars.shown().len().max(1);
        let axis = |height: f64| Axis::new(&bars.axis, bars.value_range(), height, 80.0 * unit);
        let top = (area.top + 6.0 * unit).round();
        let name_room = widest.min(0.3 * area.height);
        // The width of the axis depends on its height, and whether names fit on its width: each is found in turn.
        let beside = frame::side_space(&axis(area.bottom() - top - name_room), unit);
        let left = (area.left + beside).round();
        let width = (area.right() - left - 4.0 * unit).max(40.0).round();
        let upward_names = widest > width / (n as f64 + 0.5) - 6.0 * unit;
        let below = if upward_names { name_room } else { TICK * unit } + 14.0 * unit;
        let height = (area.bottom() - top - below).max(40.0).round();
        Layout {
            panel: Area {
                left,
                top,
                width,
                height,
            },
            axis: axis(height),
            n,
            horizontal: false,
            upward_names,
            name_room: if upward_names { name_room } else { widest },
            unit,
        }
    }

    /// The axis of the values; the bars have names instead of ticks.
    fn draw_axis(&self, scene: &mut Scene) {
        let plain = Axis {
            title: String::new(),
            range: Range {
                low: 0.0,
                high: 1.0,
            },
            ticks: Vec::new(),
        };
        let [x, y] = if self.horizontal {
            [&self.axis, &plain]
        } else {
            [&plain, &self.axis]
        };
        frame::draw_axes(scene, &self.panel, x, y);
    }

    /// Where a value lies along the bars, kept inside the panel.
    fn along(&self, value: f64) -> f64 {
        let share = self.axis.range.share(value).clamp(0.0, 1.0);
        if self.horizontal {
            self.panel.left + share * self.panel.width
        } else {
            self.panel.bottom() - share * self.panel.height
        }
    }

    fn slot(&self) -> f64 {
        let across = if self.horizontal {
            self.panel.height
        } else {
            self.panel.width
        };
        // Half a slot stays free, so that nothing touches the frame.
        across / (self.n as f64 + 0.5)
    }

    /// The middle of a bar's slot.
    fn middle(&self, bar: usize) -> f64 {
        let start = if self.horizontal {
            self.panel.top
        } else {
            self.panel.left
        };
        start + (bar as f64 + 0.75) * self.slot()
    }

    fn bar(&self, bar: usize, value: f64) -> Area {
        let wide = (self.slot() * BAR_SHARE).min(WIDEST_BAR * self.unit);
        let side = self.middle(bar) - wide / 2.0;
        let (zero, end) = (self.along(0.0), self.along(value));
        let (start, length) = (zero.min(end), (zero - end).abs());
        if self.horizontal {
            Area {
                left: start,
                top: side,
                width: length,
                height: wide,
            }
        } else {
            Area {
                left: side,
                top: start,
                width: wide,
                height: length,
            }
        }
    }

    /// The value beyond the end of its bar, or white inside the bar if the panel ends there.
    fn draw_number(&self, scene: &mut Scene, bar: &Area, value: f64, number: &str) {
        let size = (TICK * self.unit).min(1.1 * self.slot());
        let width = font::width(number, size);
        let upward = !self.horizontal && width > self.slot() - 3.0 * self.unit;
        let long = if self.horizontal || upward {
            width
        } else {
            size * font::CAPITAL_HEIGHT
        };
        let gap = 6.0 * self.unit;
        let (low, high, length) = if self.horizontal {
            (self.panel.left, self.panel.right(), bar.width)
        } else {
            (self.panel.top, self.panel.bottom(), bar.height)
        };
        let outward = if (value >= 0.0) == self.horizontal {
            1.0
        } else {
            -1.0
        };
        let end = self.along(value);
        let fits = (low..=high).contains(&(end + outward * (gap + long)));
        let inside = !fits && length > long + 2.0 * gap;
        // Where there is room neither beyond nor inside, the number leans back over the bar.
        let outward = if fits { outward } else { -outward };
        let start = end + outward * gap;
        let place = if self.horizontal {
            [start, bar.top + bar.height / 2.0]
        } else {
            [bar.left + bar.width / 2.0, start]
        };
        let text = Text {
            color: if inside { WHITE } else { INK },
            halo: !inside,
            upward,
            ..Text::new(number, place, size)
        };
        self.write_number(scene, text, outward);
    }

    /// Writes a number so that it extends from its place in a direction along the bars.
    fn write_number(&self, scene: &mut Scene, mut text: Text, outward: f64) {
        let capital = text.size * font::CAPITAL_HEIGHT;
        if self.horizontal {
            text.anchor = if outward > 0.0 {
                Anchor::Start
            } else {
                Anchor::End
            };
            return scene.text(text.centred_vertically());
        }
        if text.upward {
            text.anchor = if outward < 0.0 {
                Anchor::Start
            } else {
                Anchor::End
            };
            text.place[0] += capital / 2.0;
        } else {
            text.anchor = Anchor::Middle;
            text.place[1] += if outward < 0.0 { 0.0 } else { capital };
        }
        scene.text(text);
    }

    fn draw_name(&self, scene: &mut Scene, bar: usize, name: &str) {
        let size = (TICK * self.unit).min(1.1 * self.slot());
        let name = font::shorten_middle(name, size, self.name_room.max(size));
        let mut text = Text {
            color: QUIET,
            anchor: Anchor::End,
            ..Text::new(name, [0.0, 0.0], size)
        };
        if self.horizontal {
            text.place = [self.panel.left - 8.0 * self.unit, self.middle(bar)];
            return scene.text(text.centred_vertically());
        }
        let capital = size * font::CAPITAL_HEIGHT;
        let below = self.panel.bottom() + 8.0 * self.unit;
        if self.upward_names {
            text.upward = true;
            text.place = [self.middle(bar) + capital / 2.0, below];
        } else {
            text.anchor = Anchor::Middle;
            text.place = [self.middle(bar), below + capital + 2.0 * self.unit];
        }
        scene.text(text);
    }

    /// The line where bars begin, if it is not an edge of the panel.
    fn draw_zero(&self, scene: &mut Scene) {
        if !(self.axis.range.low < 0.0 && self.axis.range.high > 0.0) {
            return;
        }
        let at = frame::crisp(self.along(0.0));
        let places = if self.horizontal {
            vec![[at, self.panel.top], [at, self.panel.bottom()]]
        } else {
            vec![[self.panel.left, at], [self.panel.right(), at]]
        };
        scene.line(places, self.unit, FRAME);
    }
}

#[cfg(test)]
mod tests;
