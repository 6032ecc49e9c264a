//! The scree plot: variance per component, its running total, and how many components to keep.

use crate::color::{INK, QUIET, Rgb, WHITE};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, Axis, LABEL, TICK};
use crate::palette::{PLAIN, Shape, look};
use crate::scale::Range;
use crate::scene::{Anchor, Area, Item, Marks, Place, Scene, Text};
use crate::ticks::whole_ticks;

/// Variance per component as bars, their cumulative proportion of the total as a line on the right-hand axis, and the chosen
/// number of components marked.
#[derive(Clone, Debug)]
pub struct Scree<'a> {
    /// Variance along each component, in their order.
    pub variances: &'a [f64],
    /// Variance of the whole data, of which the components may hold only a part; `None` if it is not known, and then no
    /// proportions are shown.
    pub total_variance: Option<f64>,
    /// How many components are kept; 0 marks none.
    pub chosen: usize,
    /// What the kept components are called: "chosen".
    pub chosen_name: &'a str,
    /// Other numbers of components to mark, with the rule that suggests them.
    pub suggestions: &'a [(String, usize)],
    /// Components drawn at most; `None` for those after which little happens: twice those kept, and somewhat more than those
    /// with a hundredth of the largest variance, but no fewer than 40.
    pub shown: Option<usize>,
    /// What is shown.
    pub title: String,
    /// Width and height in pixels.
    pub size: Size,
}

/// A run of components, counted from 0.
type Run = std::ops::Range<usize>;

const BARS: Rgb = Rgb(120, 176, 214);
const CHOSEN_BARS: Rgb = PLAIN;
/// Bars narrower than this many pixels are drawn as one shape.
const NARROWEST_BAR: f64 = 4.0;
/// A variance that is little beside the largest one, as a fraction of it.
const LITTLE: f64 = 0.01;
/// Fewer components than this are all shown.
const FEWEST_SHOWN: usize = 40;
/// Up to this many components, the running total has a dot at each.
const MOST_DOTS: usize = 100;

impl<'a> Scree<'a> {
    /// A scree plot without title, chosen number and suggestions, in the default size.
    pub fn new(variances: &'a [f64], total_variance: f64) -> Self {
        Scree {
            variances,
            total_variance: Some(total_variance),
            chosen: 0,
            chosen_name: "chosen",
            suggestions: &[],
            shown: None,
            title: String::new(),
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a scree plot")
    }

    fn check(&self) -> Result<()> {
        if let Some(value) = self
            .variances
            .iter()
            .find(|value| !(value.is_finite() && **value >= 0.0))
        {
            return Err(Error::BadNumber {
                name: "variances",
                requirement: "finite and not negative",
                value: *value,
            });
        }
        if let Some(value) = self
            .total_variance
            .filter(|total| !(total.is_finite() && *total >= 0.0))
        {
            return Err(Error::BadNumber {
                name: "total_variance",
                requirement: "finite and not negative",
                value,
            });
        }
        Ok(())
    }

    /// Proportion of the total variance in the first components: one entry for each number of components, none if the total is
    /// not known.
    fn cumulative(&self) -> Vec<f64> {
        let total = match self.total_variance {
            Some(total) if total > 0.0 => total,
            Some(_) => f64::INFINITY,
            None => return Vec::new(),
        };
        let mut share = 0.0;
        let add = |variance: &f64| {
            share += variance / total;
            // Rounding may pass the whole by a hair.
            f64::min(share, 1.0)
        };
        self.variances.iter().map(add).collect()
    }

    /// The numbers of components to mark, the largest first, each with the names of all rules that suggest it.
    fn marks(&self) -> Vec<(usize, String)> {
        let n = self.variances.len();
        let chosen = Some((self.chosen_name.to_owned(), self.chosen)).into_iter();
        let mut marks: Vec<(usize, String)> = Vec::new();
        for (name, k) in chosen
            .chain(self.suggestions.iter().cloned())
            .filter(|(_, k)| (1..=n).contains(k))
        {
            match marks.iter_mut().find(|mark| mark.0 == k) {
                Some(mark) => mark.1 = format!("{}, {name}", mark.1),
                None => marks.push((k, name)),
            }
        }
        // From the top row down, so that a line drops left of the names below it.
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.0));
        marks
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let unit = self.size.unit();
        let area = frame::header(&mut scene, &self.title, &self.subtitle());
        let marks = self.marks();
        let above = marks.len() as f64 * (TICK + 8.0) * unit + 6.0 * unit;
        let (panel, x, y) = self.axes(&area, above);
        frame::draw_axes(&mut scene, &panel, &x, &y);
        self.draw_bars(&mut scene, &panel, &x, &y);
        if self.total_variance.is_some() {
            self.draw_cumulative(&mut scene, &panel, &x);
        }
        self.draw_marks(&mut scene, &panel, &x, &marks);
        Ok(scene)
    }

    /// Components drawn.
    fn n_shown(&self) -> usize {
        let n = self.variances.len();
        let shown = self.shown.unwrap_or_else(|| self.n_eventful());
        shown.clamp(1, n.max(1)).min(n)
    }

    /// Components after which little happens.
    fn n_eventful(&self) -> usize {
        let largest = self.variances.iter().copied().fold(0.0, f64::max);
        let last = (self.variances.iter()).rposition(|variance| *variance > LITTLE * largest);
        let tall = last.map_or(0, |place| place + 1);
        FEWEST_SHOWN
            .max(2 * self.chosen.min(self.variances.len()))
            .max(tall + tall / 4)
    }

    fn subtitle(&self) -> String {
        let n = self.variances.len();
        if self.n_shown() < n {
            let cut = format!("the first {} are drawn", self.n_shown());
            return format!("{} · {cut}", self.numbers());
        }
        self.numbers()
    }

    fn numbers(&self) -> String {
        match (
            self.variances.len(),
            self.cumulative().get(self.chosen.wrapping_sub(1)),
        ) {
            (0, _) => "no components".into(),
            (n, Some(share)) => format!(
                "{} of {n} components hold {} of the variance",
                self.chosen,
                percent(*share)
            ),
            (n, None) => format!("{n} components"),
        }
    }

    fn axes(&self, area: &Area, above: f64) -> (Area, Axis, Axis) {
        let unit = self.size.unit();
        let top = (area.top + above).round();
        let height = (area.bottom() - top - frame::bottom_space("component", unit))
            .max(40.0)
            .round();
        let largest = self.variances.iter().copied().fold(0.0, f64::max);
        let y_range = Range {
            low: 0.0,
            high: if largest > 1e-300 {
                (largest * 1.06).min(f64::MAX)
            } else {
                1.0
            },
        };
        let y = Axis::new("variance", y_range, height, 80.0 * unit);
        let left = (area.left + frame::side_space(&y, unit)).round();
        let right_space = match self.total_variance {
            Some(_) => font::width("100 %", TICK * unit) + (LABEL + 26.0) * unit,
            None => 10.0 * unit,
        };
        let width = (area.right() - left - right_space).max(40.0).round();
        let x_range = Range {
            low: 0.5,
            high: self.n_shown().max(1) as f64 + 0.5,
        };
        let wanted = ((width / (70.0 * unit)) as usize).clamp(2, 20);
        let x = Axis {
            title: "component".into(),
            range: x_range,
            ticks: whole_ticks(&x_range, 1, wanted),
        };
        (
            Area {
                left,
                top,
                width,
                height,
            },
            x,
            y,
        )
    }

    fn draw_bars(&self, scene: &mut Scene, panel: &Area, x: &Axis, y: &Axis) {
        let shown = self.n_shown();
        let slot = panel.width / shown.max(1) as f64;
        if slot < NARROWEST_BAR {
            let chosen = self.chosen.min(shown);
            self.draw_steps(scene, panel, x, y, 0..chosen, CHOSEN_BARS);
            return self.draw_steps(scene, panel, x, y, chosen..shown, BARS);
        }
        let wide = (slot * 0.78).min(70.0 * self.size.unit());
        for (component, variance) in self.variances[..shown].iter().enumerate() {
            let middle = panel.left + x.range.share(component as f64 + 1.0) * panel.width;
            let height = y.range.share(*variance) * panel.height;
            let bar = Area {
                left: middle - wide / 2.0,
                top: panel.bottom() - height,
                width: wide,
                height,
            };
            scene.fill(
                bar,
                if component < self.chosen {
                    CHOSEN_BARS
                } else {
                    BARS
                },
            );
        }
    }

    /// Many bars as one stepped shape: edges between bars thinner than a pixel would flicker.
    fn draw_steps(
        &self,
        scene: &mut Scene,
        panel: &Area,
        x: &Axis,
        y: &Axis,
        components: Run,
        color: Rgb,
    ) {
        let across = |component: f64| panel.left + x.range.share(component) * panel.width;
        let mut corners = vec![[across(components.start as f64 + 0.5), panel.bottom()]];
        for component in components.clone() {
            let up = panel.bottom() - y.range.share(self.variances[component]) * panel.height;
            corners.extend([
                [across(component as f64 + 0.5), up],
                [across(component as f64 + 1.5), up],
            ]);
        }
        corners.push([across(components.end as f64 + 0.5), panel.bottom()]);
        scene.items.push(Item::Polygon { corners, color });
    }

    fn draw_cumulative(&self, scene: &mut Scene, panel: &Area, x: &Axis) {
        let unit = self.size.unit();
        let color = look(1).0;
        let place = |(component, share): (usize, &f64)| -> Place {
            [
                panel.left + x.range.share(component as f64 + 1.0) * panel.width,
                panel.bottom() - share * panel.height,
            ]
        };
        let mut cumulative = self.cumulative();
        cumulative.truncate(self.n_shown());
        let places: Vec<Place> = cumulative.iter().enumerate().map(place).collect();
        scene.line(places.clone(), 2.5 * unit, color);
        if places.len() <= MOST_DOTS {
            let marks: Vec<(Place, usize)> = places.into_iter().map(|place| (place, 0)).collect();
            let looks = vec![(color, Shape::Circle)];
            scene.items.push(Item::Marks(Marks {
                looks,
                radius: 4.0 * unit,
                opacity: 1.0,
                rims: vec![true; marks.len()],
                marks,
            }));
        }
        for percent in (0..=100).step_by(20) {
            let place = [
                panel.right() + 8.0 * unit,
                panel.bottom() - f64::from(percent) / 100.0 * panel.height,
            ];
            let text = Text {
                color,
                ..Text::new(format!("{percent} %"), place, TICK * unit)
            };
            scene.text(text.centred_vertically());
        }
        let across = panel.right() + font::width("100 %", TICK * unit) + (LABEL + 16.0) * unit;
        frame::draw_side_title(scene, panel, "cumulative proportion of variance", across);
    }

    /// Each mark has its own row above the panel, so that names never meet, and a dashed line down to the axis.
    fn draw_marks(&self, scene: &mut Scene, panel: &Area, x: &Axis, marks: &[(usize, String)]) {
        let unit = self.size.unit();
        let size = TICK * unit;
        let color = |k: usize| if k == self.chosen { INK } else { QUIET };
        let shown = self.n_shown();
        let place = |row: usize, k: usize| {
            // What lies beyond the panel is named at its edge.
            let share = x.range.share(k.min(shown) as f64);
            let across = frame::crisp(panel.left + share * panel.width);
            [across, panel.top - (row as f64 + 0.5) * (size + 8.0 * unit)]
        };
        for (row, (k, _)) in marks.iter().enumerate().filter(|(_, mark)| mark.0 <= shown) {
            let [across, down] = place(row, *k);
            let places = vec![[across, down - size / 2.0], [across, panel.bottom()]];
            let width = if *k == self.chosen { 2.0 } else { 1.0 } * unit;
            scene.items.push(Item::Line {
                places,
                width,
                color: color(*k),
                dashed: true,
            });
        }
        let cumulative = self.cumulative();
        for (row, (k, names)) in marks.iter().enumerate() {
            let share = cumulative.get(k - 1);
            let share = share.map(|share| format!(" ({})", percent(*share)));
            let beyond = if *k > shown { " →" } else { "" };
            let label = format!("{names}: {k}{}{beyond}", share.unwrap_or_default());
            let text = Text {
                color: color(*k),
                ..Text::new(label, place(row, *k), size)
            };
            draw_mark_name(scene, panel, text);
        }
    }
}

/// Writes a name to the right of its place, or to the left if the panel ends before it.
fn draw_mark_name(scene: &mut Scene, panel: &Area, mut text: Text) {
    let gap = 0.5 * text.size;
    let width = font::width(&text.text, text.size) + gap;
    let [across, down] = text.place;
    let fits_right = across + width + gap < panel.right();
    text.anchor = if fits_right {
        Anchor::Start
    } else {
        Anchor::End
    };
    text.place[0] += if fits_right { gap } else { -gap };
    // Another mark's line may pass here.
    let left = if fits_right {
        across + 0.5 * gap
    } else {
        across - 0.5 * gap - width
    };
    scene.fill(
        Area {
            left,
            top: down - 0.6 * text.size,
            width,
            height: 1.2 * text.size,
        },
        WHITE,
    );
    scene.text(text.centred_vertically());
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests;
