//! Lines over whole numbers: how a loss goes over iterations, an error over sizes.

use crate::color::{QUIET, WHITE};
use crate::error::{Error, Result};
use crate::format::{Format, Size};
use crate::frame::{self, Axis};
use crate::legend::{self, Entry, Legend};
use crate::palette::{Shape, look};
use crate::scale::Range;
use crate::scene::{Area, Item, Marks, Place, Scene};
use crate::ticks::{count, logarithmic_ticks, whole_ticks};

/// One line of a [`Curve`].
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// What it is, for the legend.
    pub name: String,
    /// Its value at each iteration.
    pub values: &'a [f64],
    /// How far each value spreads up and down, drawn as a band; empty for none.
    pub spread: &'a [f64],
}

impl<'a> Line<'a> {
    /// A line without a spread.
    pub fn new(name: impl Into<String>, values: &'a [f64]) -> Self {
        Line {
            name: name.into(),
            values,
            spread: &[],
        }
    }
}

/// One or several lines over iterations, which are counted from 1, or other whole numbers.
///
/// Values that are not finite, or on a logarithmic axis not positive, leave gaps, and the subtitle says how many.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// The lines; a legend names them if there are several.
    pub lines: &'a [Line<'a>],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Names of the two axes.
    pub axes: [String; 2],
    /// The whole number of the first values.
    pub first: usize,
    /// A whole number pointed out by an upright line.
    pub chosen: Option<usize>,
    /// The values' axis has powers of ten at equal distances.
    pub logarithmic: bool,
    /// So has the axis of the iterations.
    pub logarithmic_steps: bool,
    /// Width and height in pixels.
    pub size: Size,
}

/// Lines of up to this many values have a dot at each.
const MOST_DOTS: usize = 60;
/// Space above and below the lines, as a fraction of the range.
const PADDING: f64 = 0.04;

impl<'a> Curve<'a> {
    /// Lines without title on a plain axis, in the default size.
    pub fn new(lines: &'a [Line<'a>]) -> Self {
        Curve {
            lines,
            title: String::new(),
            subtitle: String::new(),
            axes: ["iteration".into(), String::new()],
            first: 1,
            chosen: None,
            logarithmic: false,
            logarithmic_steps: false,
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.size.check()?;
        self.check_spread()?;
        if self.logarithmic && self.heights().all(|height| height.is_none()) {
            // An axis without any power of ten to show says nothing.
            if let Some(value) = self.lines.iter().flat_map(|line| line.values).next() {
                return Err(Error::BadNumber {
                    name: "values",
                    requirement: "finite and positive at least once on a logarithmic axis",
                    value: *value,
                });
            }
        }
        self.scene()?.encode(format, "a curve")
    }

    fn check_spread(&self) -> Result<()> {
        let mut wrong = self
            .lines
            .iter()
            .filter(|line| !line.spread.is_empty() && line.spread.len() != line.values.len());
        wrong.next().map_or(Ok(()), |line| {
            Err(Error::LengthMismatch {
                name: "spread",
                unit: "value of its line",
                expected: line.values.len(),
                got: line.spread.len(),
            })
        })
    }

    /// Where a value lies on the values' axis, if it does.
    fn height(&self, value: f64) -> Option<f64> {
        match (value.is_finite(), self.logarithmic) {
            (true, false) => Some(value),
            (true, true) if value > 0.0 => Some(value.log10()),
            _ => None,
        }
    }

    /// Where a whole number lies on its axis.
    fn across(&self, number: usize) -> f64 {
        if self.logarithmic_steps {
            (number as f64).log10()
        } else {
            number as f64
        }
    }

    /// Where the ends of the spread around a value lie, if all three do.
    fn ends(&self, line: &Line<'_>, place: usize) -> Option<[f64; 2]> {
        let (value, spread) = (line.values[place], *line.spread.get(place)?);
        self.height(value)?;
        Some([self.height(value + spread)?, self.height(value - spread)?])
    }

    /// All ends of spreads.
    fn all_ends(&self) -> impl Iterator<Item = f64> + '_ {
        let of_line = move |line: &'a Line<'a>| {
            (0..line.values.len()).filter_map(move |place| self.ends(line, place))
        };
        self.lines.iter().flat_map(of_line).flatten()
    }

    fn heights(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        let values = self.lines.iter().flat_map(|line| line.values);
        values.map(|value| self.height(*value))
    }

    fn notes(&self) -> String {
        let mut notes = vec![self.subtitle.clone()];
        let gaps = self.heights().filter(Option::is_none).count();
        if self.heights().next().is_none() {
            notes.push("no values".into());
        }
        if gaps > 0 {
            let reason = if self.logarithmic {
                "not finite or not positive"
            } else {
                "not finite"
            };
            notes.push(format!("{} values left out: {reason}", count(gaps)));
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" · ")
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let area = frame::header(&mut scene, &self.title, &self.notes());
        let area = legend::draw(&mut scene, area, &self.legend());
        let (panel, x, y) = self.axes(&area);
        frame::draw_axes(&mut scene, &panel, &x, &y);
        let place = |place: usize, height: f64| {
            [
                panel.left + x.range.share(self.across(self.first + place)) * panel.width,
                panel.bottom() - y.range.share(height) * panel.height,
            ]
        };
        for (number, line) in self.lines.iter().enumerate() {
            self.draw_band(&mut scene, number, &place);
            if let (0, Some(chosen)) = (number, self.chosen) {
                let across = panel.left + x.range.share(self.across(chosen)) * panel.width;
                draw_chosen(&mut scene, &panel, across);
            }
            let points: Vec<Option<Place>> = line
                .values
                .iter()
                .enumerate()
                .map(|(step, value)| Some(place(step, self.height(*value)?)))
                .collect();
            self.draw_line(&mut scene, number, &points);
        }
        Ok(scene)
    }

    fn legend(&self) -> Legend {
        if self.lines.len() < 2 {
            return Legend::None;
        }
        let entry = |(number, line): (usize, &Line<'_>)| Entry {
            name: line.name.clone(),
            color: look(number).0,
            shape: look(number).1,
        };
        Legend::Classes {
            title: String::new(),
            entries: self.lines.iter().enumerate().map(entry).collect(),
        }
    }

    fn axes(&self, area: &Area) -> (Area, Axis, Axis) {
        let unit = self.size.unit();
        let top = (area.top + 6.0 * unit).round();
        let below = frame::bottom_space(&self.axes[0], unit);
        let height = (area.bottom() - top - below).max(40.0).round();
        let heights = self.heights().flatten().chain(self.all_ends());
        let range = Range::of(heights).padded(PADDING);
        let mut y = Axis::new(&self.axes[1], range, height, 80.0 * unit);
        if self.logarithmic {
            y.ticks = logarithmic_ticks(&range, y.ticks.len().max(2));
        }
        let left = (area.left + frame::side_space(&y, unit)).round();
        let width = (area.right() - left - 14.0 * unit).max(40.0).round();
        let x = self.step_axis(width);
        let panel = Area {
            left,
            top,
            width,
            height,
        };
        (panel, x, y)
    }

    fn step_axis(&self, width: f64) -> Axis {
        let longest = self.lines.iter().map(|line| line.values.len()).max();
        let range = Range {
            low: self.across(self.first),
            high: self.across(self.first + longest.unwrap_or(1).max(2) - 1),
        };
        let wanted = ((width / (90.0 * self.size.unit())) as usize).clamp(2, 12);
        let ticks = if self.logarithmic_steps {
            logarithmic_ticks(&range, wanted)
        } else {
            whole_ticks(&range, self.first, wanted)
        };
        Axis {
            title: self.axes[0].clone(),
            range: range.padded(0.015),
            ticks,
        }
    }

    /// Draws the spread around the unbroken runs of a line.
    fn draw_band(&self, scene: &mut Scene, number: usize, place: &dyn Fn(usize, f64) -> Place) {
        let line = &self.lines[number];
        let ends: Vec<Option<[Place; 2]>> = (0..line.values.len())
            .map(|step| Some(self.ends(line, step)?.map(|height| place(step, height))))
            .collect();
        for run in ends.split(Option::is_none) {
            let above = run.iter().flatten().map(|[above, _]| *above);
            let below = run.iter().rev().flatten().map(|[_, below]| *below);
            let corners: Vec<Place> = above.chain(below).collect();
            if corners.len() > 2 {
                let color = look(number).0.mix(WHITE, 0.8);
                scene.items.push(Item::Polygon { corners, color });
            }
        }
    }

    /// Draws the unbroken runs of a line, with dots if the values are few or stand alone.
    fn draw_line(&self, scene: &mut Scene, number: usize, points: &[Option<Place>]) {
        let unit = self.size.unit();
        let (color, shape) = look(number);
        let few = points.len() <= MOST_DOTS;
        let mut dots = Vec::new();
        for run in points.split(Option::is_none) {
            let places: Vec<Place> = run.iter().copied().flatten().collect();
            if few || places.len() == 1 {
                dots.extend(places.iter().map(|place| (*place, 0)));
            }
            if places.len() > 1 {
                scene.line(thinned(places), 2.2 * unit, color);
            }
        }
        if !dots.is_empty() {
            scene.items.push(Item::Marks(Marks {
                looks: vec![(color, if few { shape } else { Shape::Circle })],
                radius: 4.0 * unit,
                opacity: 1.0,
                rims: vec![true; dots.len()],
                marks: dots,
            }));
        }
    }
}

/// An upright line at the number that is pointed out.
fn draw_chosen(scene: &mut Scene, panel: &Area, across: f64) {
    scene.items.push(Item::Line {
        places: vec![[across, panel.top], [across, panel.bottom()]],
        width: 1.4 * scene.unit,
        color: QUIET,
        dashed: true,
    });
}

/// A line of far more places than pixels: of the places in each half pixel across, the first, the lowest, the highest and
/// the last, which look the same.
fn thinned(places: Vec<Place>) -> Vec<Place> {
    let width = places.last().map_or(0.0, |last| last[0] - places[0][0]);
    if (places.len() as f64) < 8.0 * width.max(100.0) {
        return places;
    }
    let column = |place: &Place| (2.0 * place[0]).floor();
    let mut kept = Vec::new();
    for run in places.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &&Place, b: &&Place| a[1].total_cmp(&b[1]);
        let ends = [run.iter().min_by(by_height), run.iter().max_by(by_height)];
        kept.extend(run.first());
        kept.extend(ends.into_iter().flatten());
        kept.extend(run.last());
    }
    kept
}

#[cfg(test)]
mod tests;
