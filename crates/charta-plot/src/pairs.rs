//! A matrix of scatter plots: every pair of several coordinates, with their histograms on the diagonal.

use crate::color::{FRAME, MISSING, Rgb};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, Axis, LABEL, MARGIN, TICK};
use crate::legend::{self, Legend};
use crate::palette::{PLAIN, Palette};
use crate::points::Painter;
use crate::scale::Range;
use crate::scatter::{Color, Scatter};
use crate::scene::{Anchor, Area, Scene, Text};

/// Scatter plots of all pairs of coordinates, and a histogram of each on the diagonal. Every column of panels shares the
/// coordinate across, every row the one up, each with a scale of its own.
///
/// Points with a coordinate that is not finite are left out of all panels, and the subtitle says how many.
///
/// ```
/// use charta_plot::{Format, Pairs};
/// let columns = [vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 1.0], vec![5.0, 3.0, 4.0]];
/// let png = Pairs::new(&columns).draw(Format::Png)?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), charta_plot::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    /// The values of each coordinate: one number for each point.
    pub columns: &'a [Vec<f64>],
    /// Names of the coordinates.
    pub names: Vec<String>,
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// What the colours mean. Histograms of classes are stacked; with numbers they are grey.
    pub color: Color<'a>,
    /// Colours of the classes.
    pub palette: Palette,
    /// Factor of the size of the markers.
    pub point_size: f64,
    /// Width and height in pixels.
    pub size: Size,
    /// Panels are square, and canvas that stays empty is cut: the picture is then at most as large as `size`.
    pub fit: bool,
    /// Pixels per inch that a PNG file states.
    pub dpi: Option<u32>,
}

/// Side of all panels together in a picture of the usual size, for one coordinate; it grows with the root of their number.
const SIDE: f64 = 480.0;
/// What surrounds the panels in such a picture: axes and legend, title and axes.
const AROUND: [f64; 2] = [280.0, 170.0];
/// Distance between panels.
const GAP: f64 = 10.0;
/// Distance of ticks.
const SPACING: f64 = 78.0;
/// The smallest side of a panel, in pixels.
const SMALLEST: f64 = 40.0;
/// Space between the points and the frame, as a fraction of the range.
const PADDING: f64 = 0.05;
/// The fraction of a panel's height that the longest bar of a histogram takes.
const LONGEST_BAR: f64 = 0.92;
/// Bars of a histogram, at least and at most.
const BARS: [usize; 2] = [6, 30];

impl<'a> Pairs<'a> {
    /// The number of coordinates that there is room for.
    pub const MOST: usize = 8;

    /// A matrix without title and colours, with numbered names, in a size that suits the number of coordinates.
    pub fn new(columns: &'a [Vec<f64>]) -> Self {
        let usual = usual_size(columns.len());
        let pixels = |length: f64| (length as u32).clamp(Size::MIN, Size::MAX);
        Pairs {
            columns,
            names: (1..=columns.len())
                .map(|number| format!("dimension {number}"))
                .collect(),
            title: String::new(),
            subtitle: String::new(),
            color: Color::None,
            palette: Palette::default(),
            point_size: 1.0,
            size: Size {
                width: pixels(usual[0]),
                height: pixels(usual[1]),
            },
            fit: true,
            dpi: None,
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a matrix of scatter plots")
    }

    fn check(&self) -> Result<()> {
        let n = self.columns.len();
        if !(2..=Self::MOST).contains(&n) {
            return Err(Error::BadColumnCount { got: n });
        }
        if self.names.len() != n {
            return Err(Error::LengthMismatch {
                name: "names",
                unit: "coordinate",
                expected: n,
                got: self.names.len(),
            });
        }
        let expected = self.columns[0].len();
        if let Some(column) = self.columns.iter().find(|column| column.len() != expected) {
            return Err(Error::LengthMismatch {
                name: "columns",
                unit: "point",
                expected,
                got: column.len(),
            });
        }
        self.scatter(&self.points([0, 1]), self.size).check()
    }

    /// Two of the coordinates; not a number for a point that lacks any of them.
    fn points(&self, [across, up]: [usize; 2]) -> Vec<[f64; 2]> {
        let point = |row: usize| {
            let complete = (self.columns.iter()).all(|column| column[row].is_finite());
            if complete {
                [self.columns[across][row], self.columns[up][row]]
            } else {
                [f64::NAN; 2]
            }
        };
        (0..self.columns[0].len()).map(point).collect()
    }

    /// One panel as a scatter plot, for its points and the legend.
    fn scatter<'b>(&self, points: &'b [[f64; 2]], size: Size) -> Scatter<'b>
    where
        'a: 'b,
    {
        Scatter {
            subtitle: self.subtitle.clone(),
            color: self.color,
            palette: self.palette,
            point_size: self.point_size,
            equal_axes: false,
            size,
            ..Scatter::new(points)
        }
    }

    fn scene(&self) -> Result<Scene> {
        let points = self.points([0, 1]);
        let first = self.scatter(&points, self.size);
        let (legend, notes) = (first.legend(), first.notes());
        let complete: Vec<usize> = first.rows().collect();
        let axes = self.axes(&complete);
        let mut layout = Layout::new(self, self.size, &legend, &notes, &axes)?;
        // A narrower canvas may break the title into more lines: it settles after a few tries.
        for _ in 0..3 {
            let size = if self.fit {
                layout.fitting()
            } else {
                self.size
            };
            let more = legend::note(&legend, layout.left_out);
            let notes = [notes.as_str(), &more].map(str::to_owned);
            let notes: Vec<String> = notes.into_iter().filter(|note| !note.is_empty()).collect();
            layout = Layout::new(self, size, &legend, &notes.join(" · "), &axes)?;
        }
        let Layout {
            mut scene,
            origin,
            panel,
            ..
        } = layout;
        let (unit, n) = (scene.unit, self.columns.len());
        let area = |row: usize, column: usize| Area {
            left: (origin[0] + column as f64 * (panel[0] + GAP * unit)).round(),
            top: (origin[1] + row as f64 * (panel[1] + GAP * unit)).round(),
            width: panel[0].round(),
            height: panel[1].round(),
        };
        let axes = self.axes_with_ticks(&axes, panel, unit);
        let side_title = origin[0] - Layout::numbers(&axes, unit) - 20.0 * unit;
        for row in 0..n {
            for column in 0..n {
                let area = area(row, column);
                if row == column {
                    self.draw_histogram(&mut scene, &area, &axes[row].x, row, &complete);
                } else {
                    frame::grid(&mut scene, &area, &axes[column].x, &axes[row].y);
                    frame::outline(&mut scene, &area);
                    self.draw_points(&mut scene, area, [column, row], &axes);
                }
            }
            frame::draw_left_axis(&mut scene, &area(row, 0), &axes[row].y);
            frame::draw_bottom_axis(&mut scene, &area(n - 1, row), &axes[row].x);
            let name = &self.names[row];
            frame::draw_side_title(&mut scene, &area(row, 0), name, side_title);
            let below = area(n - 1, row);
            let place = [
                below.left + below.width / 2.0,
                below.bottom() + (TICK + LABEL + 16.0) * unit,
            ];
            let name = font::shorten(name, LABEL * unit, below.width);
            scene.text(Text {
                anchor: Anchor::Middle,
                ..Text::new(name, place, LABEL * unit)
            });
        }
        Ok(scene)
    }

    /// The ranges of the coordinates.
    fn axes(&self, complete: &[usize]) -> Vec<Range> {
        let range = |column: &Vec<f64>| Range::of(complete.iter().map(|row| column[*row]));
        self.columns
            .iter()
            .map(|column| range(column).padded(PADDING))
            .collect()
    }

    fn axes_with_ticks(&self, ranges: &[Range], panel: [f64; 2], unit: f64) -> Vec<PairAxes> {
        let axes = |range: &Range| {
            let axis = |length: f64| Axis::new("", *range, length, SPACING * unit);
            let mut x = axis(panel[0]);
            while x.ticks.len() > 1 && x.is_crowded(panel[0], unit) {
                x.ticks = x.ticks.into_iter().step_by(2).collect();
            }
            let mut y = axis(panel[1]);
            // A number at the edge of a panel would meet that of the next one.
            let size = TICK * unit;
            blank_edges(&mut x, panel[0], GAP * unit, |label| {
                font::width(label, size)
            });
            blank_edges(&mut y, panel[1], GAP * unit, |_| size);
            PairAxes { x, y }
        };
        ranges.iter().map(axes).collect()
    }

    fn draw_points(&self, scene: &mut Scene, area: Area, axes: [usize; 2], scales: &[PairAxes]) {
        let points = self.points(axes);
        let size = Size {
            width: area.width as u32,
            height: area.height as u32,
        };
        let scatter = self.scatter(&points, size);
        let [x, y] = [scales[axes[0]].x.range, scales[axes[1]].y.range];
        Painter::new(&scatter, area).draw(scene, |[across, up]| {
            [
                area.left + x.share(across) * area.width,
                area.bottom() - y.share(up) * area.height,
            ]
        });
    }

    /// How many points lie in each part of the range, by classes on top of each other.
    fn draw_histogram(
        &self,
        scene: &mut Scene,
        area: &Area,
        axis: &Axis,
        column: usize,
        complete: &[usize],
    ) {
        let bare = Axis {
            ticks: Vec::new(),
            ..axis.clone()
        };
        frame::grid(scene, area, axis, &bare);
        let values = &self.columns[column];
        let range = Range::of(complete.iter().map(|row| values[*row]));
        let n_bars = (2.0 * (complete.len() as f64).cbrt()) as usize;
        let n_bars = n_bars.clamp(BARS[0], BARS[1]);
        let looks = self.looks();
        let mut counts = vec![vec![0_usize; looks.len()]; n_bars];
        for row in complete {
            let bar = (range.share(values[*row]) * n_bars as f64) as usize;
            counts[bar.min(n_bars - 1)][self.look(*row)] += 1;
        }
        let longest = counts.iter().map(|bar| bar.iter().sum::<usize>()).max();
        let step = LONGEST_BAR * area.height / longest.unwrap_or(0).max(1) as f64;
        let across = |bar: usize| {
            let width = 2.0 * range.half() * (bar as f64 / n_bars as f64);
            (area.left + axis.range.share(range.low + width) * area.width).round()
        };
        for (bar, counts) in counts.iter().enumerate() {
            // Whole pixels: between edges that share a pixel the ground would shine through.
            let mut below = 0;
            for (count, color) in counts.iter().zip(&looks).filter(|(count, _)| **count > 0) {
                let [bottom, top] = [below, below + count]
                    .map(|count| (area.bottom() - count as f64 * step).round());
                let block = Area {
                    left: across(bar),
                    top,
                    width: across(bar + 1) - across(bar),
                    height: bottom - top,
                };
                scene.fill(block, *color);
                below += count;
            }
        }
        frame::outline(scene, area);
    }

    /// The colours of the parts of a bar.
    fn looks(&self) -> Vec<Rgb> {
        match self.color {
            Color::None => vec![PLAIN],
            Color::Numbers { .. } | Color::Times { .. } => vec![FRAME],
            Color::Classes { names, .. } => (0..names.len())
                .map(|class| self.palette.look(class).0)
                .chain([MISSING])
                .collect(),
        }
    }

    /// Which of them a row has.
    fn look(&self, row: usize) -> usize {
        match self.color {
            Color::Classes { names, of_row, .. } => of_row[row].unwrap_or(names.len()),
            _ => 0,
        }
    }
}

/// Width and height of the usual picture of so many coordinates.
fn usual_size(n: usize) -> [f64; 2] {
    AROUND.map(|around| SIDE * (n.max(1) as f64).sqrt() + around)
}

/// Removes the numbers that reach further beyond the ends of an axis than half a gap.
fn blank_edges(axis: &mut Axis, length: f64, gap: f64, extent: impl Fn(&str) -> f64) {
    let range = axis.range;
    for tick in &mut axis.ticks {
        let middle = range.share(tick.value) * length;
        let beyond = extent(&tick.label) / 2.0 - middle.min(length - middle);
        if beyond > 0.4 * gap {
            tick.label.clear();
        }
    }
}

/// A coordinate across and up.
struct PairAxes {
    x: Axis,
    y: Axis,
}

/// A canvas with title and legend, and where the panels lie on it.
struct Layout {
    scene: Scene,
    origin: [f64; 2],
    /// Width and height of a panel.
    panel: [f64; 2],
    n: usize,
    largest: Size,
    /// Height that the legend needs.
    legend_height: f64,
    /// Classes for which it has no room.
    left_out: usize,
}

impl Layout {
    fn new(
        pairs: &Pairs<'_>,
        canvas: Size,
        legend: &Legend,
        notes: &str,
        ranges: &[Range],
    ) -> Result<Self> {
        let mut scene = Scene::new(canvas)?;
        let n = ranges.len();
        let usual = usual_size(n);
        let ratio =
            (f64::from(pairs.size.width) / usual[0]).min(f64::from(pairs.size.height) / usual[1]);
        scene.unit = if ratio < 1.0 { ratio.sqrt() } else { ratio };
        scene.dpi = pairs.dpi;
        let unit = scene.unit;
        let area = frame::header(&mut scene, &pairs.title, notes);
        let inner = legend::draw(&mut scene, area, legend);
        let gaps = (n - 1) as f64 * GAP * unit;
        let below = frame::bottom_space("named", unit);
        let top = (area.top + 6.0 * unit).round();
        let height = (area.bottom() - top - below - gaps) / n as f64;
        // The width of the numbers beside the panels depends on the panels' height, which is known.
        let guess = [height.max(SMALLEST); 2];
        let axes = pairs.axes_with_ticks(ranges, guess, unit);
        let beside = Self::numbers(&axes, unit) + (26.0 + LABEL) * unit;
        let left = (area.left + beside).round();
        let width = (inner.right() - left - gaps - 10.0 * unit) / n as f64;
        if width < SMALLEST || height < SMALLEST {
            return Err(Error::BadSize {
                width: pairs.size.width,
                height: pairs.size.height,
            });
        }
        Ok(Layout {
            origin: [left, top],
            panel: [width, height],
            n,
            largest: pairs.size,
            legend_height: legend::height(legend, &area, &scene),
            left_out: legend::left_out(legend, &area, &scene),
            scene,
        })
    }

    /// Width of the numbers beside the panels.
    fn numbers(axes: &[PairAxes], unit: f64) -> f64 {
        let widths = axes.iter().map(|axes| axes.y.label_width(TICK * unit));
        widths.fold(0.0, f64::max)
    }

    /// The canvas on which the panels are square.
    fn fitting(&self) -> Size {
        let side = self.panel[0].min(self.panel[1]).floor();
        let n = self.n as f64;
        let bottom = f64::from(self.scene.size.height) - MARGIN * self.scene.unit;
        let room = (bottom - self.origin[1] - self.legend_height).max(0.0);
        let slack = [
            (self.panel[0] - side) * n,
            ((self.panel[1] - side) * n).min(room),
        ];
        self.scene.size.without(slack, self.largest)
    }
}

#[cfg(test)]
mod tests;
