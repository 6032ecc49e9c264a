//! The cells of a grid, coloured by a number each: the units of a self-organizing map.

use crate::color::{INK, QUIET, Rgb, WHITE, sequential};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, TICK};
use crate::scale::Range;
use crate::scene::{Anchor, Area, Item, Pixels, Place, Scene, Text};
use crate::ticks::{count, rounded};

/// One picture of all cells.
#[derive(Clone, Debug)]
pub struct CellPanel<'a> {
    /// What the numbers are.
    pub title: String,
    /// A number for each cell.
    pub values: &'a [f64],
    /// A word in each cell; empty for none at all.
    pub words: &'a [String],
}

/// Panels that show the same cells, each scaled by its own range of values, with the scale of colours below it.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    /// The centres of the cells, whose neighbours are 1 apart; the second coordinate grows upwards.
    pub centers: &'a [[f64; 2]],
    /// The cells have six sides, two of them upright, not four.
    pub hexagonal: bool,
    /// The panels.
    pub panels: &'a [CellPanel<'a>],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Width and height in pixels, at most: canvas beside and below the panels is cut.
    pub size: Size,
}

/// Colour of a cell whose number is not finite: found nowhere in the scale.
const NOT_FINITE: Rgb = Rgb(204, 204, 204);
const GAP: f64 = 22.0;
/// Distance between panels, at most, in gaps.
const MOST_GAP: f64 = 3.0;
/// Height of a scale of colours, and its shortest length, at the default picture size.
const BAR: f64 = 11.0;
const SHORTEST_BAR: f64 = 28.0;
/// Its greatest length, in heights of the letters beside it.
const MOST_BAR: f64 = 16.0;
/// Colours of a scale.
const SHADES: usize = 128;
/// Smallest longer side of a panel, at the default picture size.
const SMALLEST_PANEL: f64 = 70.0;
/// Smallest letters in a cell, at the default picture size.
const SMALLEST_LETTERS: f64 = 7.0;

impl<'a> Cells<'a> {
    /// Square cells without a title, in the default size.
    pub fn new(centers: &'a [[f64; 2]], panels: &'a [CellPanel<'a>]) -> Self {
        Cells {
            centers,
            hexagonal: false,
            panels,
            title: String::new(),
            subtitle: String::new(),
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a grid of cells")
    }

    fn check(&self) -> Result<()> {
        let expected = self.centers.len();
        for panel in self.panels {
            let words = (!panel.words.is_empty()).then_some(("words", panel.words.len()));
            let parts = [Some(("values", panel.values.len())), words];
            let wrong = parts
                .into_iter()
                .flatten()
                .find(|(_, got)| *got != expected);
            if let Some((name, got)) = wrong {
                return Err(Error::LengthMismatch {
                    name,
                    unit: "cell",
                    expected,
                    got,
                });
            }
        }
        let coordinates = self.centers.iter().flatten();
        if let Some(value) = coordinates.copied().find(|value| !value.is_finite()) {
            return Err(Error::BadNumber {
                name: "centers",
                requirement: "finite",
                value,
            });
        }
        Ok(())
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let room = f64::from(self.size.height) - 140.0 * self.size.unit();
        let shown = self.n_shown(room);
        let area = frame::header(&mut scene, &self.title, &self.notes(shown));
        if self.centers.is_empty() || shown == 0 {
            return Ok(scene);
        }
        let grid = self.arrange(&area, shown);
        for (number, panel) in self.panels.iter().take(shown).enumerate() {
            self.draw_panel(&mut scene, panel, &grid, number);
        }
        let last_row = (shown - 1) / grid.columns * grid.columns;
        let right = grid.corner((grid.columns - 1).min(shown - 1))[0] + grid.panel[0];
        let bottom = grid.corner(last_row)[1] + grid.panel[1] + self.caption();
        scene.cut([right, bottom]);
        Ok(scene)
    }

    fn notes(&self, shown: usize) -> String {
        let mut notes = vec![self.subtitle.clone()];
        let n = self.panels.len();
        if shown < n {
            notes.push(format!("the first {} of {} panels", count(shown), count(n)));
        }
        if self.centers.is_empty() || n == 0 {
            notes.push("no cells".into());
        } else if n > 1 {
            notes.push("each panel has its own scale".into());
        }
        let values = self.panels.iter().flat_map(|panel| panel.values);
        let bad = values.filter(|value| !value.is_finite()).count();
        if bad > 0 {
            notes.push(format!("{} without a number (grey)", count(bad)));
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" · ")
    }

    /// Corners of a cell around its centre, upwards as in [`Self::centers`].
    fn corners(&self) -> Vec<[f64; 2]> {
        if !self.hexagonal {
            return vec![[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]];
        }
        let radius = 1.0 / 3f64.sqrt();
        (0..6)
            .map(|corner| std::f64::consts::FRAC_PI_3 * (f64::from(corner) + 0.5))
            .map(|angle| [radius * angle.cos(), radius * angle.sin()])
            .collect()
    }

    /// What the cells cover: left and right, bottom and top.
    fn extent(&self) -> [Range; 2] {
        let corners = self.corners();
        [0, 1].map(|axis| {
            let reach = corners
                .iter()
                .map(|corner| corner[axis])
                .fold(0.0, f64::max);
            let along = self.centers.iter().map(|center| center[axis]);
            let Range { low, high } = ends(along).unwrap_or(Range {
                low: 0.0,
                high: 0.0,
            });
            Range {
                low: low - reach,
                high: high + reach,
            }
        })
    }

    /// How many panels find room.
    fn n_shown(&self, room: f64) -> usize {
        let unit = self.size.unit();
        let [width, height] = self.extent().map(|range| range.high - range.low);
        let longest = width.max(height);
        let fit = |room: f64, side: f64, below: f64| {
            let side = SMALLEST_PANEL * unit * side / longest;
            ((room + GAP * unit) / (side + GAP * unit + below)).max(1.0) as usize
        };
        let across = f64::from(self.size.width) - 2.0 * frame::MARGIN * unit;
        let most = fit(across, width, 0.0) * fit(room, height, self.caption());
        self.panels.len().min(most)
    }

    fn caption(&self) -> f64 {
        3.6 * TICK * self.size.unit()
    }

    /// The arrangement with the largest cells.
    fn arrange(&self, area: &Area, shown: usize) -> Arrangement {
        let (gap, caption) = (GAP * self.size.unit(), self.caption());
        let [columns_range, rows_range] = self.extent();
        let [width, height] = [columns_range, rows_range].map(|range| range.high - range.low);
        let zoom = |columns: usize| {
            let rows = shown.div_ceil(columns) as f64;
            let by_width = ((area.width + gap) / columns as f64 - gap) / width;
            by_width.min(((area.height + gap) / rows - gap - caption) / height)
        };
        let columns = (1..=shown)
            .max_by(|a, b| zoom(*a).total_cmp(&zoom(*b)).then(b.cmp(a)))
            .unwrap_or(1);
        let zoom = zoom(columns).max(0.5);
        let across = (area.width / columns as f64).min(zoom * width + MOST_GAP * gap);
        let step = [across, zoom * height + gap + caption];
        // Captions reach as far to both sides of their panels.
        let aside = (step[0] - zoom * width) / 2.0 - gap / 2.0;
        let left = area.left + if columns > 1 { aside.max(0.0) } else { 0.0 };
        Arrangement {
            columns,
            zoom,
            step,
            origin: [left, area.top],
            panel: [zoom * width, zoom * height],
            lowest: [columns_range.low, rows_range.low],
        }
    }

    fn draw_panel(
        &self,
        scene: &mut Scene,
        panel: &CellPanel<'_>,
        grid: &Arrangement,
        number: usize,
    ) {
        let range = ends(panel.values.iter().copied());
        let corners = self.corners();
        for (cell, (center, value)) in self.centers.iter().zip(panel.values).enumerate() {
            let color = shade(*value, range.as_ref());
            let corners = corners
                .iter()
                .map(|[x, y]| grid.place(number, [center[0] + x, center[1] + y]))
                .collect();
            scene.items.push(Item::Polygon { corners, color });
            if let Some(word) = panel.words.get(cell) {
                self.draw_word(scene, word, grid.place(number, *center), grid.zoom, color);
            }
        }
        self.draw_caption(scene, panel, grid, number, range);
    }

    fn draw_word(&self, scene: &mut Scene, word: &str, place: Place, zoom: f64, color: Rgb) {
        let size = (0.5 * zoom).min(TICK * self.size.unit());
        if size < SMALLEST_LETTERS * self.size.unit() {
            return;
        }
        let text = Text {
            color: if is_dark(color) { WHITE } else { INK },
            anchor: Anchor::Middle,
            ..Text::new(font::shorten(word, size, 0.92 * zoom), place, size)
        };
        scene.text(text.centred_vertically());
    }

    fn draw_caption(
        &self,
        scene: &mut Scene,
        panel: &CellPanel<'_>,
        grid: &Arrangement,
        number: usize,
        range: Option<Range>,
    ) {
        let size = TICK * self.size.unit();
        let corner = grid.corner(number);
        let place = [
            corner[0] + grid.panel[0] / 2.0,
            corner[1] + grid.panel[1] + 1.4 * size,
        ];
        let text = |text: &str, place: Place, anchor: Anchor| Text {
            color: QUIET,
            anchor,
            ..Text::new(text, place, size)
        };
        let caption = font::shorten(&panel.title, size, grid.step[0] - 6.0);
        scene.text(text(&caption, place, Anchor::Middle));
        let Some(range) = range else {
            return;
        };
        let mut ends = rounded(&[range.low, range.high]);
        ends.dedup();
        // Without a title its line is free for the scale.
        let line = if caption.is_empty() { 0.9 } else { 2.3 };
        let middle = corner[1] + grid.panel[1] + (line + 0.1) * size;
        let (width, gap) = (grid.panel[0], 0.4 * size);
        let numbers: Vec<f64> = ends.iter().map(|end| font::width(end, size)).collect();
        let length = (width - numbers.iter().sum::<f64>() - 2.0 * gap).min(MOST_BAR * size);
        let [low, high] = match ends.as_slice() {
            [low, high] if length >= SHORTEST_BAR * self.size.unit() => [low, high],
            ends => {
                let words = font::shorten(&ends.join(" – "), size, grid.step[0] - 6.0);
                let place = [corner[0] + width / 2.0, middle];
                return scene.text(text(&words, place, Anchor::Middle).centred_vertically());
            }
        };
        let used = length + numbers.iter().sum::<f64>() + 2.0 * gap;
        let left = corner[0] + (width - used) / 2.0 + numbers[0] + gap;
        let height = (BAR * self.size.unit()).round();
        let bar = Area {
            left: left.round(),
            top: (middle - height / 2.0).round(),
            width: length.round(),
            height,
        };
        scene.items.push(Item::Image {
            area: bar,
            pixels: shades(),
        });
        frame::outline(scene, &bar);
        let place = [bar.left - gap, middle];
        scene.text(text(low, place, Anchor::End).centred_vertically());
        let place = [bar.right() + gap, middle];
        scene.text(text(high, place, Anchor::Start).centred_vertically());
    }
}

/// The scale of colours from low to high.
fn shades() -> Pixels {
    let rgba = (0..SHADES).flat_map(|shade| {
        let Rgb(red, green, blue) = sequential(shade as f64 / (SHADES - 1) as f64);
        [red, green, blue, 255]
    });
    Pixels {
        width: SHADES,
        height: 1,
        rgba: rgba.collect(),
    }
}

/// Lowest and highest of the finite numbers.
fn ends(values: impl Iterator<Item = f64>) -> Option<Range> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |ends: Option<Range>, value| {
        Some(Range {
            low: ends.map_or(value, |ends| ends.low.min(value)),
            high: ends.map_or(value, |ends| ends.high.max(value)),
        })
    })
}

/// Colour of a number; the middle of the scale if all are the same.
fn shade(value: f64, range: Option<&Range>) -> Rgb {
    match range {
        Some(range) if value.is_finite() && range.low < range.high => {
            sequential(range.share(value))
        }
        Some(_) if value.is_finite() => sequential(0.5),
        _ => NOT_FINITE,
    }
}

/// Whether light letters read better on a colour.
fn is_dark(color: Rgb) -> bool {
    let [red, green, blue] = color.linear();
    0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.25
}

/// Where the panels lie.
struct Arrangement {
    columns: usize,
    /// Pixels for a unit.
    zoom: f64,
    step: [f64; 2],
    origin: Place,
    panel: [f64; 2],
    /// The left and lower end of what the cells cover.
    lowest: [f64; 2],
}

impl Arrangement {
    /// The left upper corner of a panel.
    fn corner(&self, number: usize) -> Place {
        [
            self.origin[0] + (number % self.columns) as f64 * self.step[0],
            self.origin[1] + (number / self.columns) as f64 * self.step[1],
        ]
    }

    /// Where a point of the grid lies in a panel.
    fn place(&self, number: usize, point: [f64; 2]) -> Place {
        let [left, top] = self.corner(number);
        [
            left + (point[0] - self.lowest[0]) * self.zoom,
            top + self.panel[1] - (point[1] - self.lowest[1]) * self.zoom,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: usize, height: usize) -> Vec<[f64; 2]> {
        (0..height)
            .flat_map(|row| (0..width).map(move |column| [column as f64, row as f64]))
            .collect()
    }

    fn polygons(cells: &Cells<'_>) -> Vec<(Vec<Place>, Rgb)> {
        let items = cells.scene().unwrap().items.into_iter();
        items
            .filter_map(|item| match item {
                Item::Polygon { corners, color } => Some((corners, color)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn every_cell_is_drawn_once_a_panel_and_the_first_row_lies_below() {
        let centers = grid(4, 3);
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let panel = |title: &str| CellPanel {
            title: title.into(),
            values: &values,
            words: &[],
        };
        let panels = [panel("first"), panel("second")];
        let cells = Cells::new(&centers, &panels);
        let drawn = polygons(&cells);
        assert_eq!(drawn.len(), 24);
        assert_eq!(drawn[0].1, sequential(0.0));
        assert_eq!(drawn[11].1, sequential(1.0));
        assert!(drawn[0].0[0][1] > drawn[11].0[0][1], "row 0 is the lowest");
        let page = f64::from(cells.size.width);
        let inside = |place: &Place| place[0] >= 0.0 && place[0] <= page;
        assert!(drawn.iter().flat_map(|(corners, _)| corners).all(inside));
    }

    #[test]
    fn each_panel_has_a_scale_of_colours_with_its_ends_unless_all_cells_are_the_same() {
        let centers = grid(4, 3);
        let (values, same): (Vec<f64>, _) =
            ((0..12).map(|i| f64::from(i) / 2.0).collect(), [2.0; 12]);
        let panel = |values| CellPanel {
            title: "weight".into(),
            values,
            words: &[],
        };
        let panels = [panel(&values), panel(&same)];
        let scene = Cells::new(&centers, &panels).scene().unwrap();
        let is_bar = |item: &&Item| matches!(item, Item::Image { .. });
        assert_eq!(scene.items.iter().filter(is_bar).count(), 1);
        let texts: Vec<&str> = (scene.items.iter())
            .filter_map(|item| match item {
                Item::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        for expected in ["weight", "0.00", "5.50", "2.00"] {
            assert!(texts.contains(&expected), "{expected}: {texts:?}");
        }
        assert!(f64::from(scene.size.height) < 900.0);
    }

    #[test]
    fn hexagons_touch_their_neighbours() {
        let centers = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.75f64.sqrt()]];
        let values = [0.0, 1.0, f64::NAN];
        let panels = [CellPanel {
            title: "x".into(),
            values: &values,
            words: &[],
        }];
        let cells = Cells {
            hexagonal: true,
            ..Cells::new(&centers, &panels)
        };
        let drawn = polygons(&cells);
        assert!(drawn.iter().all(|(corners, _)| corners.len() == 6));
        assert_eq!(drawn[2].1, NOT_FINITE);
        let near = |a: &Place, b: &Place| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-6;
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let shared = drawn[one].0.iter();
            let shared = shared.filter(|corner| drawn[other].0.iter().any(|b| near(corner, b)));
            assert_eq!(shared.count(), 2, "cells {one} and {other} share a side");
        }
    }

    #[test]
    fn wrong_lengths_and_empty_grids() {
        let centers = grid(2, 2);
        let values = [1.0; 3];
        let panels = [CellPanel {
            title: String::new(),
            values: &values,
            words: &[],
        }];
        assert!(Cells::new(&centers, &panels).draw(Format::Svg).is_err());
        assert!(Cells::new(&[], &[]).draw(Format::Svg).is_ok());
    }
}
