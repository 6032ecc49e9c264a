//! Several maps of the same rows side by side, with the same colours and one legend.

use crate::color::QUIET;
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame;
use crate::glyphs;
use crate::legend::{self, Legend};
use crate::palette::Palette;
use crate::points::Painter;
use crate::scale::{Range, can_share_a_unit, equalized};
use crate::scatter::{Color, Scatter};
use crate::scene::{Area, Scene, Text};

/// Space between the points and the frame, as a fraction of the range.
const PADDING: f64 = 0.05;
/// Sizes of text and gaps at the default picture size.
const TITLE: f64 = 20.0;
const NOTE: f64 = 15.5;
const GAP: f64 = 24.0;
/// Width and height of a panel in a picture of the default size for its number of panels.
const PANEL: [u32; 2] = [460, 420];
/// Width of the legend, and height of title and subtitle, in such a picture.
const BESIDE: u32 = 180;
const ABOVE: u32 = 100;
/// Columns of panels, at most.
const MOST_COLUMNS: usize = 4;

/// One of several maps.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// Coordinates of the points: across and up.
    pub points: &'a [[f64; 2]],
    /// What it shows.
    pub title: String,
    /// Lines below it.
    pub notes: Vec<String>,
    /// One unit is equally long on both axes, unless that would leave most of the panel empty.
    pub equal_axes: bool,
}

/// Several maps of the same rows in a grid. Points whose coordinates are not finite are left out.
///
/// ```
/// use charta_plot::{Color, Format, Panel, Panels};
/// let (one, other) = ([[0.0, 1.0], [2.0, 3.0]], [[1.0, 1.0], [5.0, 2.0]]);
/// let panel = |points, title: &str| Panel { points, title: title.into(), notes: vec![], equal_axes: true };
/// let png = Panels::new(&[panel(&one, "one"), panel(&other, "other")]).draw(Format::Png)?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), charta_plot::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Panels<'a> {
    /// The maps, row by row of the grid.
    pub panels: &'a [Panel<'a>],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// What the colours mean, for the points of every panel.
    pub color: Color<'a>,
    /// Draw classes with names of one or two letters as these names, where there are not too many points.
    pub glyphs: bool,
    /// Width and height in pixels.
    pub size: Size,
}

impl<'a> Panels<'a> {
    /// Panels without title and colours, in a size that suits their number.
    pub fn new(panels: &'a [Panel<'a>]) -> Self {
        let columns = n_columns(panels.len());
        let rows = panels.len().div_ceil(columns).max(1);
        let pixels = |count: usize, each: u32, more: u32| {
            let wanted = (count as u32).saturating_mul(each).saturating_add(more);
            wanted.clamp(Size::MIN, Size::MAX)
        };
        Panels {
            panels,
            title: String::new(),
            subtitle: String::new(),
            color: Color::None,
            glyphs: false,
            size: Size {
                width: pixels(columns, PANEL[0], BESIDE),
                height: pixels(rows, PANEL[1], ABOVE),
            },
        }
    }

    /// The bytes of the picture as a file: PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        for panel in self.panels {
            self.scatter(panel, self.size).check()?;
        }
        self.scene()?.encode(format, "maps side by side")
    }

    /// One panel as a scatter plot, for its points, ranges and legend.
    fn scatter(&self, panel: &'a Panel<'a>, size: Size) -> Scatter<'a> {
        Scatter {
            color: self.color,
            equal_axes: panel.equal_axes,
            size,
            ..Scatter::new(panel.points)
        }
    }

    /// Lengths are those of a single picture of the same letters.
    fn unit(&self) -> f64 {
        let columns = n_columns(self.panels.len()) as f64;
        let usual = columns * f64::from(PANEL[0]) + f64::from(BESIDE);
        let ratio = f64::from(self.size.width) / usual;
        if ratio < 1.0 { ratio.sqrt() } else { ratio }
    }

    fn scene(&self) -> Result<Scene> {
        // The legend of the panel with most points that can be drawn: others lack some.
        let shown = |panel: &&'a Panel<'a>| {
            panel.points.len() - self.scatter(panel, self.size).n_left_out()
        };
        let legend = match self.panels.iter().max_by_key(shown) {
            Some(panel) => self.scatter(panel, self.size).legend(),
            None => Legend::None,
        };
        let on_canvas = |note: &str| -> Result<(Scene, Area)> {
            let mut scene = Scene::new(self.size)?;
            let notes = [self.subtitle.as_str(), note];
            let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
            let area = frame::header(&mut scene, &self.title, &notes.join(" · "));
            Ok((scene, area))
        };
        let (scene, area) = on_canvas("")?;
        let note = legend::note(&legend, legend::left_out(&legend, &area, &scene));
        let (mut scene, area) = on_canvas(&note)?;
        let area = legend::draw(&mut scene, area, &legend);
        let unit = self.unit();
        let columns = n_columns(self.panels.len());
        let rows = self.panels.len().div_ceil(columns).max(1);
        let gap = GAP * unit;
        let width = (area.width - gap * (columns - 1) as f64) / columns as f64;
        let height = (area.height - gap * (rows - 1) as f64) / rows as f64;
        if width < 60.0 || height < 60.0 {
            return Err(Error::BadSize {
                width: self.size.width,
                height: self.size.height,
            });
        }
        for (place, panel) in self.panels.iter().enumerate() {
            let cell = Area {
                left: area.left + (place % columns) as f64 * (width + gap),
                top: area.top + (place / columns) as f64 * (height + gap),
                width,
                height,
            };
            self.draw_panel(&mut scene, panel, &cell, unit);
        }
        Ok(scene)
    }

    fn draw_panel(&self, scene: &mut Scene, panel: &'a Panel<'a>, cell: &Area, unit: f64) {
        let (title, note) = (TITLE * unit, NOTE * unit);
        let lines = self.notes(panel);
        let below = lines.len() as f64 * 1.35 * note + 4.0 * unit;
        let frame = Area {
            left: cell.left.round(),
            top: (cell.top + 1.5 * title).round(),
            width: cell.width.round(),
            height: (cell.height - 1.5 * title - below).max(30.0).round(),
        };
        let text = font::shorten(&panel.title, title, cell.width);
        scene.text(Text::new(text, [frame.left, cell.top + title], title));
        frame::outline(scene, &frame);
        for (line, text) in lines.iter().enumerate() {
            let baseline = frame.bottom() + (line as f64 * 1.35 + 1.2) * note;
            let text = font::shorten(text, note, cell.width);
            scene.text(Text {
                color: QUIET,
                ..Text::new(text, [frame.left, baseline], note)
            });
        }
        self.draw_points(scene, panel, frame, unit);
    }

    fn draw_points(&self, scene: &mut Scene, panel: &'a Panel<'a>, frame: Area, unit: f64) {
        let size = Size {
            width: frame.width as u32,
            height: frame.height as u32,
        };
        let scatter = self.scatter(panel, size);
        let values = |axis: usize| scatter.rows().map(move |row| panel.points[row][axis]);
        let raw = [0, 1].map(|axis| Range::of(values(axis)));
        let padded = raw.map(|range| range.padded(PADDING));
        let [x, y] = if panel.equal_axes && can_share_a_unit(raw) {
            equalized(padded, [frame.width, frame.height])
        } else {
            padded
        };
        let place = |[across, up]: [f64; 2]| {
            [
                frame.left + x.share(across) * frame.width,
                frame.bottom() - y.share(up) * frame.height,
            ]
        };
        let n_points = scatter.rows().count();
        if self.glyphs && glyphs::are_possible(&self.color, n_points) {
            let places = scatter.rows().map(|row| (row, place(panel.points[row])));
            glyphs::draw(
                scene,
                &self.color,
                Palette::default(),
                places,
                0.8 * glyphs::size(n_points) * unit,
            );
        } else {
            Painter::new(&scatter, frame).draw(scene, place);
        }
    }

    /// What stands below a panel, with what the reader must know about its drawing.
    fn notes(&self, panel: &'a Panel<'a>) -> Vec<String> {
        let mut notes = panel.notes.clone();
        let left_out = self.scatter(panel, self.size).n_left_out();
        if left_out > 0 {
            notes.push(format!("{left_out} points left out: without coordinates"));
        }
        notes
    }
}

/// Columns of the grid: about as many as rows, one more where the panels are not a square.
fn n_columns(n_panels: usize) -> usize {
    let columns = (n_panels as f64).sqrt().ceil() as usize;
    if n_panels == 3 {
        3
    } else {
        columns.clamp(1, MOST_COLUMNS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["0", "1"].map(String::from).to_vec()
    }

    #[test]
    fn the_grid_is_about_square() {
        let columns: Vec<usize> = [0, 1, 2, 3, 4, 5, 9, 30].map(n_columns).to_vec();
        assert_eq!(columns, [1, 1, 2, 3, 2, 3, 3, 4]);
    }

    #[test]
    fn panels_share_one_legend_and_have_titles_and_notes() {
        let points = [[0.0, 0.0], [1.0, 2.0], [f64::NAN, 1.0]];
        let panel = |title: &str| Panel {
            points: &points,
            title: title.into(),
            notes: vec!["0.1 s".into()],
            equal_axes: true,
        };
        let panels = [panel("first"), panel("second")];
        let (names, of_row) = (names(), [Some(0), Some(1), Some(1)]);
        let picture = Panels {
            title: "data".into(),
            color: Color::Classes {
                title: "class",
                names: &names,
                of_row: &of_row,
            },
            ..Panels::new(&panels)
        };
        let svg = String::from_utf8(picture.draw(Format::Svg).unwrap()).unwrap();
        for text in ["first", "second", "0.1 s", "1 points left out"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches(">class<").count(), 1);
        assert!(picture.draw(Format::Html).is_err());
        let glyphs = Panels {
            glyphs: true,
            ..picture
        };
        let svg = String::from_utf8(glyphs.draw(Format::Svg).unwrap()).unwrap();
        // Once in the legend and once in each panel.
        assert_eq!(svg.matches(">0<").count(), 3);
    }

    #[test]
    fn wrong_lengths_are_errors() {
        let points = [[0.0, 0.0]];
        let panels = [Panel {
            points: &points,
            title: String::new(),
            notes: Vec::new(),
            equal_axes: true,
        }];
        let picture = Panels {
            color: Color::Numbers {
                title: "",
                values: &[],
            },
            ..Panels::new(&panels)
        };
        assert!(picture.draw(Format::Png).is_err());
        assert!(Panels::new(&[]).draw(Format::Png).is_ok());
    }
}
