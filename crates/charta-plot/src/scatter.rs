//! The scatter plot: the points of an embedding, coloured by class or by number.

use crate::annotations::{self, Arrow, Arrows, Mark, drawable_marks};
use crate::color::Rgb;
use crate::contours::Contour;
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, Axis};
use crate::glyphs;
use crate::html;
use crate::labels::{LabelRequest, Labels};
use crate::legend::{self, Entry, Legend};
use crate::lines::{self, Stroke, drawable};
use crate::palette::{Palette, Shape};
use crate::points::{MOST_MARKERS, Painter};
use crate::scale::{Range, can_share_a_unit, equalized};
use crate::scene::{Area, Scene};
use crate::thumbnails::{self, Thumbnails};
use crate::ticks::{Tick, count};

/// What the colours of the points mean.
#[derive(Clone, Copy, Debug, Default)]
pub enum Color<'a> {
    /// All points look the same.
    #[default]
    None,
    /// Each point belongs to a class; `None` is drawn grey and named "missing".
    Classes {
        /// What the classes are; empty for a legend without a title.
        title: &'a str,
        /// Name of each class.
        names: &'a [String],
        /// Class of each point.
        of_row: &'a [Option<usize>],
    },
    /// Each point has a number; one that is not finite is drawn grey and named "missing".
    Numbers {
        /// What the numbers are.
        title: &'a str,
        /// Number of each point.
        values: &'a [f64],
    },
    /// Each point has a time, and the scale of colours shows dates; one that is not finite is drawn grey and named "missing".
    Times {
        /// What the times are.
        title: &'a str,
        /// Seconds since the beginning of 1970 in UTC, of each point.
        values: &'a [f64],
    },
}

/// A scatter plot. Points whose coordinates are not finite are left out, and the subtitle says how many.
///
/// Up to some ten thousand points are drawn as markers; beyond, or where markers would hide each other, as density.
#[derive(Clone, Debug)]
pub struct Scatter<'a> {
    /// Coordinates of the points: across and up.
    pub points: &'a [[f64; 2]],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Names of the two axes.
    pub axes: [String; 2],
    /// What the colours mean.
    pub color: Color<'a>,
    /// Name of each point, for labels and for the hover text of HTML.
    pub row_names: Option<&'a [String]>,
    /// Write each row's name, if there are names, beside its point: all of a few points, those that have room of some
    /// hundred, none of more than 2000 (HTML shows them in a closer view).
    pub label_points: bool,
    /// Named points on top of the others, such as the means of the classes.
    pub marks: &'a [Mark],
    /// Directions from the origin, for a biplot. All are scaled by one factor, so that the longest reaches most of the way
    /// to the farthest point; the subtitle says the factor. Of many, only the 30 longest are drawn.
    pub arrows: &'a [Arrow],
    /// Pairs of rows that are joined by thin lines below the points, such as the edges of a neighbour graph.
    pub edges: &'a [[usize; 2]],
    /// Lines in the units of the points, such as a path or an axis.
    pub strokes: &'a [Stroke],
    /// Contour lines below the points.
    pub contours: &'a [Contour],
    /// The images that the rows are: as many as find room are drawn at their points.
    pub thumbnails: Option<Thumbnails<'a>>,
    /// One unit is equally long on both axes, unless that would leave most of the picture empty; the subtitle then says
    /// so.
    pub equal_axes: bool,
    /// Names of the whole numbers from 0 on the axis up, as [`strips`](crate::strips) has them; empty if it shows numbers.
    pub levels: &'a [String],
    /// Colours of the classes.
    pub palette: Palette,
    /// Factor of the size of the markers.
    pub point_size: f64,
    /// Draw classes with names of one or two letters as these names in place of markers, where there are not too many points.
    pub glyphs: bool,
    /// Write the name of each class at the median of its points. Names are written in any case where the legend has no room
    /// for all classes.
    pub class_names: bool,
    /// Width and height in pixels.
    pub size: Size,
    /// Cut canvas that stays empty where axes share a unit, or strips are few: the picture is then at most as large as
    /// `size`.
    pub fit: bool,
    /// Pixels per inch that a PNG file states, for programs that print it or place it in a text.
    pub dpi: Option<u32>,
}

/// The smallest and the largest factor of the markers' size.
const POINT_SIZES: [f64; 2] = [0.05, 20.0];
/// Space between the points and the frame, as a fraction of the range.
const PADDING: f64 = 0.04;
/// Distance of ticks at the default picture size: the same on both axes, so that equal axes have equal steps.
const SPACING: f64 = 100.0;
/// Font size of names among the points, at the default picture size.
const NAME: f64 = 15.5;

/// Width and height of the smallest panel of a canvas that is cut, at the default picture size.
const SMALLEST_PANEL: [f64; 2] = [360.0, 220.0];
/// Height of a strip of points on such a canvas.
const HIGHEST_STRIP: f64 = 230.0;

/// A canvas with title and legend, and where the panel lies on it.
struct Layout {
    scene: Scene,
    panel: Area,
    x: Axis,
    y: Axis,
    /// Classes for which the legend has no room.
    left_out: usize,
    /// Height beside the legend that it does not need.
    spare: f64,
}

impl<'a> Scatter<'a> {
    /// A scatter plot without title and colours, with equal axes, in the default size.
    pub fn new(points: &'a [[f64; 2]]) -> Self {
        Scatter {
            points,
            title: String::new(),
            subtitle: String::new(),
            axes: ["dimension 1".into(), "dimension 2".into()],
            color: Color::None,
            row_names: None,
            label_points: false,
            marks: &[],
            arrows: &[],
            edges: &[],
            strokes: &[],
            contours: &[],
            thumbnails: None,
            equal_axes: true,
            levels: &[],
            palette: Palette::default(),
            point_size: 1.0,
            glyphs: false,
            class_names: false,
            size: Size::default(),
            fit: false,
            dpi: None,
        }
    }

    /// The bytes of the picture as a file.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        match format {
            Format::Html if self.thumbnails.is_some() => Err(Error::UnsupportedFormat {
                picture: "a map with images",
                format,
            }),
            Format::Html => Ok(html::page(self)?.into_bytes()),
            Format::Png | Format::Svg => self.scene()?.encode(format, "a scatter plot"),
        }
    }

    /// What the axes of a still picture reach over: lowest and highest number across, and up.
    pub fn shown(&self) -> Result<[[f64; 2]; 2]> {
        self.check()?;
        let Layout { x, y, .. } = self.layout("")?;
        Ok([x.range, y.range].map(|range| [range.low, range.high]))
    }

    /// How many points are left out because a coordinate is not finite.
    pub fn n_left_out(&self) -> usize {
        self.points.len() - self.rows().count()
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.size.check()?;
        if !(POINT_SIZES[0]..=POINT_SIZES[1]).contains(&self.point_size) {
            return Err(Error::BadNumber {
                name: "point_size",
                requirement: "a factor from 0.05 to 20",
                value: self.point_size,
            });
        }
        let same_length = |name: &'static str, got: usize| match self.points.len() {
            expected if expected == got => Ok(()),
            expected => Err(Error::LengthMismatch {
                name,
                unit: "point",
                expected,
                got,
            }),
        };
        if let Some(names) = self.row_names {
            same_length("row_names", names.len())?;
        }
        if let Some(thumbnails) = self.thumbnails {
            thumbnails.check()?;
        }
        self.check_marks()?;
        check_edges(self.edges, self.points.len())?;
        match self.color {
            Color::None => Ok(()),
            Color::Numbers { values, .. } | Color::Times { values, .. } => {
                same_length("values", values.len())
            }
            Color::Classes { names, of_row, .. } => {
                same_length("of_row", of_row.len())?;
                let n_classes = names.len();
                let unknown = of_row.iter().enumerate().find_map(|(row, class)| {
                    Some((row, (*class)?)).filter(|(_, class)| *class >= n_classes)
                });
                unknown.map_or(Ok(()), |(row, class)| {
                    Err(Error::UnknownClass {
                        row,
                        class,
                        n_classes,
                    })
                })
            }
        }
    }

    fn check_marks(&self) -> Result<()> {
        let n_classes = match self.color {
            Color::Classes { names, .. } => names.len(),
            _ => 0,
        };
        let unknown = self.marks.iter().enumerate().find_map(|(number, mark)| {
            Some((number, mark.class?)).filter(|(_, class)| *class >= n_classes)
        });
        unknown.map_or(Ok(()), |(mark, class)| {
            Err(Error::UnknownMarkClass {
                mark,
                class,
                n_classes,
            })
        })
    }

    /// The rows that can be drawn.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.points.len()).filter(|row| self.points[*row].iter().all(|value| value.is_finite()))
    }

    /// The ranges of both axes over all that is drawn, with some space around it.
    pub(crate) fn ranges(&self) -> [Range; 2] {
        let arrows = self.arrows();
        // Arrows begin at the origin.
        let origin = (!arrows.tips.is_empty()).then_some([0.0, 0.0]);
        [0, 1].map(|axis| {
            if axis == 1 && !self.levels.is_empty() {
                let high = self.levels.len() as f64 - 0.5;
                return Range { low: -0.5, high };
            }
            let tips = arrows.tips.iter().map(|(_, tip)| tip[axis]);
            let strokes = drawable(self.strokes).flat_map(|stroke| &stroke.places);
            let values = (self.values(axis).chain(tips)).chain(strokes.map(|place| place[axis]));
            Range::of(values.chain(origin.map(|place| place[axis]))).padded(PADDING)
        })
    }

    /// The colour of a row's class, if it has one.
    pub(crate) fn class_color(&self, row: usize) -> Option<Rgb> {
        match self.color {
            Color::Classes { of_row, .. } => of_row[row].map(|class| self.palette.look(class).0),
            _ => None,
        }
    }

    /// The ranges with room for half an image beyond the outermost points, on panels of these sides.
    fn with_images(&self, ranges: [Range; 2], sides: [f64; 2]) -> [Range; 2] {
        let Some(images) = self.thumbnails else {
            return ranges;
        };
        let tile = images.tile(self.size.unit());
        [0, 1].map(|axis| {
            let room = (sides[axis] - 1.1 * tile[axis]).max(sides[axis] / 4.0);
            let half = Range::of(self.values(axis)).half() * sides[axis] / room;
            if half > ranges[axis].half() {
                Range::of(self.values(axis)).grown_to(half)
            } else {
                ranges[axis]
            }
        })
    }

    /// True if one unit is equally long on both axes. What is drawn beside the points has no say in it.
    pub(crate) fn shares_a_unit(&self) -> bool {
        self.equal_axes && can_share_a_unit([0, 1].map(|axis| Range::of(self.values(axis))))
    }

    /// The arrows as they are drawn.
    pub(crate) fn arrows(&self) -> Arrows<'a> {
        if self.arrows.is_empty() {
            return Arrows::default();
        }
        Arrows::of(self, [0, 1].map(|axis| Range::of(self.values(axis))))
    }

    /// The coordinates of points and marks on one axis.
    fn values(&self, axis: usize) -> impl Iterator<Item = f64> + '_ {
        let marks = drawable_marks(self.marks).map(move |mark| mark.place[axis]);
        self.rows()
            .map(move |row| self.points[row][axis])
            .chain(marks)
    }

    /// The subtitle, followed by what the reader must know about this drawing.
    pub(crate) fn notes(&self) -> String {
        let mut notes = vec![self.subtitle.clone()];
        let (n, left_out) = (self.points.len(), self.n_left_out());
        if left_out > 0 {
            notes.push(format!(
                "{} of {} points left out: without coordinates",
                count(left_out),
                count(n)
            ));
        } else if n == 0 {
            notes.push("no points".into());
        }
        let marks_left_out = self.marks.len() - drawable_marks(self.marks).count();
        if marks_left_out > 0 {
            notes.push(format!(
                "{} of {} marks left out: not finite",
                count(marks_left_out),
                count(self.marks.len())
            ));
        }
        notes.extend(self.arrows().notes);
        if self.equal_axes && n > left_out && !self.shares_a_unit() {
            notes.push("axes not to the same scale".into());
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" · ")
    }

    /// What the colours mean, for the points that can be drawn.
    pub(crate) fn legend(&self) -> Legend {
        match self.color {
            Color::None => Legend::None,
            Color::Numbers { title, values } | Color::Times { title, values } => {
                let range = Range::of(self.rows().map(|row| values[row]));
                Legend::Numbers {
                    title: title.to_owned(),
                    range,
                    dates: matches!(self.color, Color::Times { .. }),
                    missing: self.rows().any(|row| !values[row].is_finite()),
                }
            }
            Color::Classes {
                title,
                names,
                of_row,
            } => {
                let mut present = vec![false; names.len() + 1];
                self.rows()
                    .for_each(|row| present[of_row[row].unwrap_or(names.len())] = true);
                // Density has no shapes.
                let shaded = self.points.len() > MOST_MARKERS;
                let look = |class: usize| self.palette.look(class);
                let shape = |class: usize| if shaded { Shape::Circle } else { look(class).1 };
                let entry = |class: usize| Entry {
                    name: names[class].clone(),
                    color: look(class).0,
                    shape: shape(class),
                };
                let missing = present[names.len()].then(Entry::missing);
                let entries = (0..names.len())
                    .filter(|class| present[*class])
                    .map(entry)
                    .chain(missing);
                Legend::Classes {
                    title: title.to_owned(),
                    entries: entries.collect(),
                }
            }
        }
    }

    pub(crate) fn scene(&self) -> Result<Scene> {
        let mut note = String::new();
        // How many names find room depends on the room that the note about it takes: it settles after a try or two.
        for _ in 0..2 {
            let (scene, left_out) = self.scene_with(&note)?;
            if left_out == note {
                return Ok(scene);
            }
            note = left_out;
        }
        self.scene_with(&note).map(|(scene, _)| scene)
    }

    /// The canvas with title and legend, and where the panel lies on it; `note` is one more note.
    fn layout(&self, note: &str) -> Result<Layout> {
        let mut layout = self.layout_on(self.size, note)?;
        if self.fit {
            // A narrower canvas may break the title into more lines: it settles after a few tries.
            for _ in 0..3 {
                layout = self.layout_on(self.fitting(&layout), note)?;
            }
        }
        Ok(layout)
    }

    fn layout_on(&self, canvas: Size, note: &str) -> Result<Layout> {
        let mut scene = Scene::new(canvas)?;
        // Letters do not shrink with a canvas that is cut.
        scene.unit = self.size.unit();
        scene.dpi = self.dpi;
        let notes = [&self.notes(), note].map(str::to_owned);
        let notes: Vec<String> = notes.into_iter().filter(|note| !note.is_empty()).collect();
        let area = frame::header(&mut scene, &self.title, &notes.join(" · "));
        // Strips have their classes' names beside them.
        let legend = match (self.color, self.levels) {
            (Color::Classes { .. }, [_, ..]) => Legend::None,
            _ => self.legend(),
        };
        let left_out = legend::left_out(&legend, &area, &scene);
        let legend_height = legend::height(&legend, &area, &scene);
        let area = legend::draw(&mut scene, area, &legend);
        let (panel, x, y) = self.axes(area);
        Ok(Layout {
            scene,
            panel,
            x,
            y,
            left_out,
            spare: area.height - legend_height,
        })
    }

    /// The canvas without what stays empty.
    fn fitting(&self, layout: &Layout) -> Size {
        let (panel, unit) = (layout.panel, self.size.unit());
        let wanted = if !self.levels.is_empty() {
            [panel.width, HIGHEST_STRIP * unit * self.levels.len() as f64]
        } else if self.shares_a_unit() {
            let raw = self.with_images(self.ranges(), [panel.width, panel.height]);
            let halves = raw.map(|range| range.half());
            let zoom = (panel.width / halves[0]).min(panel.height / halves[1]);
            halves.map(|half| half * zoom)
        } else {
            [panel.width, panel.height]
        };
        let slack = [
            panel.width - wanted[0].max(SMALLEST_PANEL[0] * unit),
            (panel.height - wanted[1].max(SMALLEST_PANEL[1] * unit)).min(layout.spare),
        ];
        (layout.scene.size).without(slack.map(|slack| slack.max(0.0)), self.size)
    }

    /// The picture with one more note; and the note about the images in it and the names that found no room.
    fn scene_with(&self, note: &str) -> Result<(Scene, String)> {
        let Layout {
            mut scene,
            panel,
            x,
            y,
            left_out,
            ..
        } = self.layout(note)?;
        frame::draw_axes(&mut scene, &panel, &x, &y);
        let place = |[across, up]: [f64; 2]| {
            [
                panel.left + x.range.share(across) * panel.width,
                panel.bottom() - y.range.share(up) * panel.height,
            ]
        };
        lines::draw_contours(&mut scene, self.contours, place);
        let row_place = |row: usize| {
            let point = self.points[row];
            let finite = point.iter().all(|value| value.is_finite());
            finite.then(|| place(point))
        };
        lines::draw_edges(&mut scene, self.edges, row_place);
        lines::draw_strokes(&mut scene, self.strokes, true, place);
        let n_points = self.rows().count();
        let points = if self.glyphs && glyphs::are_possible(&self.color, n_points) {
            let places = self.rows().map(|row| (row, place(self.points[row])));
            let size = glyphs::size(n_points) * self.size.unit() * self.point_size;
            glyphs::draw(&mut scene, &self.color, self.palette, places, size);
            Vec::new()
        } else {
            Painter::new(self, panel).draw(&mut scene, place)
        };
        let strokes = lines::draw_strokes(&mut scene, self.strokes, false, place);
        let mut notes = vec![legend::note(&self.legend(), left_out)];
        if let Some(images) = self.thumbnails {
            let shown = images.draw(&mut scene, self, &panel, place)?;
            notes.push(thumbnails::note(shown, self.rows().count()));
        }
        let arrows = self.arrows();
        let mut annotations = annotations::draw_arrows(&mut scene, &arrows, place);
        let too_short = arrows.tips.len() - annotations.len();
        let marks = annotations::draw_marks(&mut scene, self, place);
        annotations.splice(0..0, marks);
        if self.class_names || left_out > 0 {
            annotations.extend(self.class_names(place));
        }
        annotations.extend(strokes);
        let mut labels = Labels::new(panel, NAME * self.size.unit());
        labels.add_annotations(&annotations, &points);
        if self.label_points && self.row_names.is_some() {
            labels.add_points(&points, self.rows().count());
        }
        notes.push(labels.left_out(too_short));
        notes.retain(|note| !note.is_empty());
        labels.texts.into_iter().for_each(|text| scene.text(text));
        Ok((scene, notes.join(" · ")))
    }

    /// The names of the classes at the medians of their points, those of large classes first; classes that a mark names
    /// already are left out.
    pub(crate) fn class_names(
        &self,
        place: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Vec<LabelRequest<'a>> {
        let Color::Classes { names, of_row, .. } = self.color else {
            return Vec::new();
        };
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        for row in self.rows() {
            if let Some(class) = of_row[row] {
                rows[class].push(row);
            }
        }
        let median = |rows: &[usize], axis: usize| {
            let mut values: Vec<f64> = rows.iter().map(|row| self.points[*row][axis]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let marked = |class: usize| self.marks.iter().any(|mark| mark.class == Some(class));
        let mut classes: Vec<usize> = (0..names.len())
            .filter(|class| !rows[*class].is_empty() && !marked(*class))
            .collect();
        classes.sort_by_key(|class| std::cmp::Reverse(rows[*class].len()));
        classes
            .into_iter()
            .map(|class| LabelRequest {
                place: place([0, 1].map(|axis| median(&rows[class], axis))),
                name: &names[class],
                radius: 0.0,
                shaft_from: None,
            })
            .collect()
    }

    /// The names of the levels, as many as there is room for.
    fn level_ticks(&self, height: f64, width: f64) -> Vec<Tick> {
        let size = frame::TICK * self.size.unit();
        let room = (height / (1.4 * size)).max(1.0);
        let step = (self.levels.len() as f64 / room).ceil().max(1.0) as usize;
        let levels = self.levels.iter().enumerate().rev().step_by(step);
        levels
            .map(|(level, name)| Tick {
                value: level as f64,
                label: font::shorten_middle(name, size, 0.25 * width),
            })
            .collect()
    }

    /// The panel of the points inside an area, with its axes.
    fn axes(&self, area: Area) -> (Area, Axis, Axis) {
        let unit = self.size.unit();
        let raw = self.ranges();
        let top = (area.top + 6.0 * unit).round();
        let height = (area.bottom() - top - frame::bottom_space(&self.axes[0], unit))
            .max(40.0)
            .round();
        let axes = |width: f64| {
            let raw = self.with_images(raw, [width, height]);
            let [x, y] = if self.shares_a_unit() {
                equalized(raw, [width, height])
            } else {
                raw
            };
            let x_axis = |spacing: f64| Axis::new(&self.axes[0], x, width, spacing * unit);
            let near = x_axis(SPACING);
            let x = if near.is_crowded(width, unit) {
                x_axis(1.8 * SPACING)
            } else {
                near
            };
            let mut y = Axis::new(&self.axes[1], y, height, SPACING * unit);
            if !self.levels.is_empty() {
                y.ticks = self.level_ticks(height, area.width);
            }
            (x, y)
        };
        // The labels' width depends on the ranges, which depend on the panel's width: a guess, then the true one.
        let (_, guess) = axes(area.width - 90.0 * unit);
        let left = (area.left + frame::side_space(&guess, unit)).round();
        // The last label of the lower axis may stick out by half its width.
        let width = (area.right() - left - 10.0 * unit).max(40.0).round();
        let (x, y) = axes(width);
        let panel = Area {
            left,
            top,
            width,
            height,
        };
        (panel, x, y)
    }
}

/// Fails if an edge leads to a row that is not there.
pub(crate) fn check_edges(edges: &[[usize; 2]], n_rows: usize) -> Result<()> {
    let wrong = |(edge, rows): (usize, &[usize; 2])| {
        let row = *rows.iter().find(|row| **row >= n_rows)?;
        Some(Error::UnknownRow { edge, row, n_rows })
    };
    edges.iter().enumerate().find_map(wrong).map_or(Ok(()), Err)
}

#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod tests;
