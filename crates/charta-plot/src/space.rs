//! Points in three dimensions: a projection with the box of the axes behind it, or a page on which it is turned by hand.
//!
//! The projection is orthographic. With azimuth a and elevation e, a point (x, y, z) lies at
//! across = −x sin a + y cos a, up = −(x cos a + y sin a) sin e + z cos e, and its distance toward the viewer is
//! (x cos a + y sin a) cos e + z sin e.

use crate::color::{FRAME, GRID, QUIET, Rgb, WHITE};
use crate::error::Result;
use crate::format::{Format, Size};
use crate::frame::{self, LABEL, TICK};
use crate::html;
use crate::labels::{LabelRequest, Labels, MOST_NAMED};
use crate::legend;
use crate::lines::{self, Stroke, drawable};
use crate::palette::{Palette, Shape};
use crate::points::{Painter, marker_radius, rims};
use crate::scale::Range;
use crate::scatter::{Color, Scatter, check_edges};
use crate::scene::{Anchor, Area, Item, Marks, Place, Scene, Text};
use crate::ticks::{Tick, ticks};
use crate::{Error, font};

/// Points in three dimensions. Points whose coordinates are not finite are left out, and the subtitle says how many.
#[derive(Clone, Debug)]
pub struct Space<'a> {
    /// Coordinates of the points.
    pub points: &'a [[f64; 3]],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Names of the three axes.
    pub axes: [String; 3],
    /// What the colours mean.
    pub color: Color<'a>,
    /// Name of each point, for labels and for the hover text of HTML.
    pub row_names: Option<&'a [String]>,
    /// Write each row's name, if there are names, beside its point, where there is room.
    pub label_points: bool,
    /// Pairs of rows that are joined by thin lines below the points.
    pub edges: &'a [[usize; 2]],
    /// Lines in the units of the points, such as a path or an axis.
    pub strokes: &'a [Stroke<3>],
    /// Numbers of the rows that are not drawn: in HTML points are filtered and coloured by them.
    pub further: &'a [Further],
    /// One unit is equally long on all axes, unless that would make the box flat; the subtitle then says so.
    pub equal_axes: bool,
    /// Colours of the classes.
    pub palette: Palette,
    /// Factor of the size of the markers.
    pub point_size: f64,
    /// Write the name of each class at the median of its points, as seen. Names are written in any case where the legend has no
    /// room for all classes.
    pub class_names: bool,
    /// Width and height in pixels.
    pub size: Size,
    /// Cut canvas that stays empty: the picture is then at most as large as `size`.
    pub fit: bool,
    /// Pixels per inch that a PNG file states.
    pub dpi: Option<u32>,
}

/// A number for each point besides its coordinates in space, such as a further coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Further {
    /// What it is.
    pub name: String,
    /// The number of each point.
    pub values: Vec<f64>,
}

/// Directions from which a still picture is seen: azimuth and elevation in degrees. The page begins with the same.
pub(crate) const VIEW: [f64; 2] = [-58.0, 24.0];
/// The longest side of the box over the shortest, up to which axes share a unit.
const MOST_UNEQUAL: f64 = 6.0;
/// Space between the points and the box, as a fraction of the range.
const PADDING: f64 = 0.03;
/// Points fade with their distance in so many steps.
const FADES: usize = 6;
/// How much the farthest points are mixed with white.
const FARTHEST: f64 = 0.55;
/// Room around the box for numbers and titles, across and up, at the default picture size.
const ROOM: [f64; 2] = [80.0, 42.0];

impl<'a> Space<'a> {
    /// A picture without title and colours, with equal axes, in the default size.
    pub fn new(points: &'a [[f64; 3]]) -> Self {
        Space {
            points,
            title: String::new(),
            subtitle: String::new(),
            axes: [1, 2, 3].map(|number| format!("dimension {number}")),
            color: Color::None,
            row_names: None,
            label_points: false,
            edges: &[],
            strokes: &[],
            further: &[],
            equal_axes: true,
            palette: Palette::default(),
            point_size: 1.0,
            class_names: false,
            size: Size::default(),
            fit: false,
            dpi: None,
        }
    }

    /// The bytes of the picture as a file.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        check_edges(self.edges, self.points.len())?;
        for further in self.further {
            if further.values.len() != self.points.len() {
                return Err(Error::LengthMismatch {
                    name: "further",
                    unit: "point",
                    expected: self.points.len(),
                    got: further.values.len(),
                });
            }
        }
        let projection = Projection::of(self);
        let flat: Vec<[f64; 2]> = (self.points.iter())
            .map(|point| projection.flat(*point))
            .collect();
        let scatter = self.scatter(&flat);
        scatter.check()?;
        match format {
            Format::Html => Ok(html::space_page(self, &scatter)?.into_bytes()),
            Format::Png | Format::Svg => {
                let scene = self.scene(&projection, &scatter)?;
                scene.encode(format, "points in space")
            }
        }
    }

    /// The projected points, with what a scatter plot knows of legends and looks.
    fn scatter<'b>(&self, flat: &'b [[f64; 2]]) -> Scatter<'b>
    where
        'a: 'b,
    {
        let unequal = self.equal_axes && !flat.is_empty() && !self.shares_a_unit();
        let notes = [
            self.subtitle.as_str(),
            if unequal {
                "axes not to the same scale"
            } else {
                ""
            },
        ];
        let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
        Scatter {
            title: self.title.clone(),
            subtitle: notes.join(" · "),
            color: self.color,
            row_names: self.row_names,
            label_points: self.label_points,
            equal_axes: false,
            palette: self.palette,
            point_size: self.point_size,
            size: self.size,
            ..Scatter::new(flat)
        }
    }

    /// The ranges of the axes over all that is drawn.
    pub(crate) fn ranges(&self) -> [Range; 3] {
        let finite = |point: &&[f64; 3]| point.iter().all(|value| value.is_finite());
        [0, 1, 2].map(|axis| {
            let points = self.points.iter().filter(finite);
            let strokes = drawable(self.strokes).flat_map(|stroke| &stroke.places);
            let values = points.chain(strokes).map(|place| place[axis]);
            Range::of(values).padded(PADDING)
        })
    }

    fn shares_a_unit(&self) -> bool {
        let halves = self.ranges().map(|range| range.half());
        let (low, high) = (
            halves.iter().copied().fold(f64::INFINITY, f64::min),
            halves.iter().copied().fold(0.0, f64::max),
        );
        self.equal_axes && high <= MOST_UNEQUAL * low
    }

    /// Half the sides of the box, the longest 1.
    pub(crate) fn sides(&self) -> [f64; 3] {
        if !self.shares_a_unit() {
            return [1.0; 3];
        }
        let halves = self.ranges().map(|range| range.half());
        let longest = halves.iter().copied().fold(0.0, f64::max);
        halves.map(|half| half / longest)
    }

    fn scene(&self, projection: &Projection, scatter: &Scatter<'_>) -> Result<Scene> {
        let unit = self.size.unit();
        let Layout {
            mut scene,
            area,
            fit,
            left_out,
        } = self.layout(projection, scatter)?;
        draw_box(&mut scene, projection, &fit, &self.axes);
        let place = |point: [f64; 3]| fit.place(projection.flat(point));
        let row_place = |row: usize| {
            let [x, y] = scatter.points[row];
            (x.is_finite() && y.is_finite()).then(|| fit.place([x, y]))
        };
        lines::draw_edges(&mut scene, self.edges, row_place);
        lines::draw_strokes(&mut scene, self.strokes, true, place);
        let radius = self.draw_points(&mut scene, projection, scatter, &fit, area);
        let mut names = lines::draw_strokes(&mut scene, self.strokes, false, place);
        if self.class_names || left_out > 0 {
            names.extend(scatter.class_names(|flat| fit.place(flat)));
        }
        let mut labels = Labels::new(area, 15.5 * unit);
        let rows: Vec<usize> = scatter.rows().take(MOST_NAMED + 1).collect();
        let named = if rows.len() > MOST_NAMED {
            &[]
        } else {
            &rows[..]
        };
        let points: Vec<LabelRequest<'_>> = (named.iter())
            .map(|&row| LabelRequest {
                place: fit.place(scatter.points[row]),
                name: self.row_names.map_or("", |names| &names[row]),
                radius,
                shaft_from: None,
            })
            .collect();
        labels.add_annotations(&names, &points);
        if self.label_points && self.row_names.is_some() {
            labels.add_points(&points, scatter.rows().count());
        }
        labels.texts.into_iter().for_each(|text| scene.text(text));
        Ok(scene)
    }

    /// The canvas with title and legend, and the plane of the projection on it.
    fn layout(&self, projection: &Projection, scatter: &Scatter<'_>) -> Result<Layout> {
        let (legend, unit) = (scatter.legend(), self.size.unit());
        let on = |canvas: Size, note: &str| -> Result<(Layout, Size)> {
            let mut scene = Scene::new(canvas)?;
            scene.unit = unit;
            scene.dpi = self.dpi;
            let notes = [scatter.notes(), note.to_owned()];
            let notes: Vec<String> = notes.into_iter().filter(|note| !note.is_empty()).collect();
            let whole = frame::header(&mut scene, &self.title, &notes.join(" · "));
            let left_out = legend::left_out(&legend, &whole, &scene);
            let spare = whole.height - legend::height(&legend, &whole, &scene);
            let area = legend::draw(&mut scene, whole, &legend);
            let fit = Fit::new(projection, area, ROOM.map(|room| room * unit));
            let slack = [
                area.width - fit.extent[0] - 2.0 * ROOM[0] * unit,
                (area.height - fit.extent[1] - 2.0 * ROOM[1] * unit).min(spare),
            ];
            let smaller = canvas.without(slack.map(|slack| slack.max(0.0)), self.size);
            let layout = Layout {
                scene,
                area,
                fit,
                left_out,
            };
            Ok((layout, smaller))
        };
        let (mut layout, mut smaller) = on(self.size, "")?;
        // A narrower canvas may break the title into more lines: it settles after a few tries.
        for _ in 0..3 {
            let canvas = if self.fit { smaller } else { self.size };
            let note = legend::note(&legend, layout.left_out);
            (layout, smaller) = on(canvas, &note)?;
        }
        Ok(layout)
    }

    /// Draws the points, the farthest first and faintest; returns their radius.
    fn draw_points(
        &self,
        scene: &mut Scene,
        projection: &Projection,
        scatter: &Scatter<'_>,
        fit: &Fit,
        panel: Area,
    ) -> f64 {
        let painter = Painter::new(scatter, panel);
        let mut rows: Vec<(f64, usize)> = scatter
            .rows()
            .map(|row| (projection.nearness(self.points[row]), row))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let depths = Range::of(rows.iter().map(|row| row.0));
        let looks: Vec<(Rgb, Shape)> = (0..FADES)
            .flat_map(|fade| {
                let white = FARTHEST * (1.0 - fade as f64 / (FADES - 1) as f64);
                (painter.looks.iter()).map(move |(color, shape)| (color.mix(WHITE, white), *shape))
            })
            .collect();
        let radius = marker_radius(rows.len()) * self.size.unit() * self.point_size;
        let places: Vec<Place> = (rows.iter())
            .map(|(_, row)| fit.place(scatter.points[*row]))
            .collect();
        let marks = rows.iter().map(|&(depth, row)| {
            let fade = (depths.share(depth) * (FADES - 1) as f64).round() as usize;
            let look = fade.min(FADES - 1) * painter.looks.len() + painter.look(row);
            (fit.place(scatter.points[row]), look)
        });
        let marks = Marks {
            looks,
            radius,
            opacity: 1.0,
            rims: rims(&places, radius),
            marks: marks.collect(),
        };
        scene.items.push(Item::Marks(marks));
        radius
    }
}

/// Where points of space lie in the plane of the picture, in units of the box.
struct Projection {
    ranges: [Range; 3],
    sides: [f64; 3],
    across: [f64; 3],
    up: [f64; 3],
    toward: [f64; 3],
}

impl Projection {
    fn of(space: &Space<'_>) -> Self {
        let [azimuth, elevation] = VIEW.map(f64::to_radians);
        let ((sin_a, cos_a), (sin_e, cos_e)) = (azimuth.sin_cos(), elevation.sin_cos());
        Projection {
            ranges: space.ranges(),
            sides: space.sides(),
            across: [-sin_a, cos_a, 0.0],
            up: [-cos_a * sin_e, -sin_a * sin_e, cos_e],
            toward: [cos_a * cos_e, sin_a * cos_e, sin_e],
        }
    }

    /// A point in the box, whose middle is 0.
    fn inside(&self, point: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| (2.0 * self.ranges[axis].share(point[axis]) - 1.0) * self.sides[axis])
    }

    fn flat(&self, point: [f64; 3]) -> [f64; 2] {
        self.flat_inside(self.inside(point))
    }

    fn flat_inside(&self, inside: [f64; 3]) -> [f64; 2] {
        [dot(self.across, inside), dot(self.up, inside)]
    }

    fn nearness(&self, point: [f64; 3]) -> f64 {
        dot(self.toward, self.inside(point))
    }

    /// A corner of the box: on each axis the side toward the viewer or away from it.
    fn corner(&self, near: [bool; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            let toward = if self.toward[axis] < 0.0 { -1.0 } else { 1.0 };
            self.sides[axis] * if near[axis] { toward } else { -toward }
        })
    }

    fn ticks(&self, axis: usize) -> Vec<Tick> {
        let wanted = (6.0 * self.sides[axis]).round().max(2.0) as usize;
        ticks(&self.ranges[axis], wanted)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A canvas with title and legend, and what lies where on it.
struct Layout {
    scene: Scene,
    area: Area,
    fit: Fit,
    /// Classes for which the legend has no room.
    left_out: usize,
}

/// The plane of the projection in pixels.
struct Fit {
    middle: Place,
    /// Width and height of the box.
    extent: [f64; 2],
    /// What lies in the middle.
    center: [f64; 2],
    scale: f64,
}

impl Fit {
    /// The whole box, with room for labels around it.
    fn new(projection: &Projection, area: Area, room: [f64; 2]) -> Self {
        let corners = (0..8).map(|number| [0, 1, 2].map(|axis| number >> axis & 1 == 1));
        let flat: Vec<[f64; 2]> = corners
            .map(|near| projection.flat_inside(projection.corner(near)))
            .collect();
        let ranges = [0, 1].map(|axis| Range::of(flat.iter().map(|place| place[axis])));
        let sides = [0, 1].map(|axis| {
            let side = [area.width, area.height][axis];
            (side - 2.0 * room[axis]).max(40.0) / 2.0
        });
        let halves = ranges.map(|range| range.half());
        let scale = (sides[0] / halves[0]).min(sides[1] / halves[1]);
        Fit {
            middle: [area.left + area.width / 2.0, area.top + area.height / 2.0],
            extent: halves.map(|half| 2.0 * half * scale),
            center: ranges.map(|range| range.low / 2.0 + range.high / 2.0),
            scale,
        }
    }

    fn place(&self, [across, up]: [f64; 2]) -> Place {
        [
            self.middle[0] + (across - self.center[0]) * self.scale,
            self.middle[1] - (up - self.center[1]) * self.scale,
        ]
    }
}

/// The three sides of the box behind the points with their grid, and the axes with ticks in front.
fn draw_box(scene: &mut Scene, projection: &Projection, fit: &Fit, titles: &[String; 3]) {
    let unit = scene.unit;
    let place = |inside: [f64; 3]| fit.place(projection.flat_inside(inside));
    let back = projection.corner([false; 3]);
    let front = projection.corner([true; 3]);
    let with = |mut inside: [f64; 3], axis: usize, value: f64| {
        inside[axis] = value;
        inside
    };
    let at = |axis: usize, tick: &Tick| {
        let mut point = [0, 1, 2].map(|axis| projection.ranges[axis].low);
        point[axis] = tick.value;
        projection.inside(point)[axis]
    };
    for axis in 0..3 {
        for tick in projection.ticks(axis) {
            let from = with(back, axis, at(axis, &tick));
            for other in [(axis + 1) % 3, (axis + 2) % 3] {
                let line = vec![place(from), place(with(from, other, front[other]))];
                scene.line(line, unit, GRID);
            }
        }
    }
    for axis in 0..3 {
        // The edges of the back sides: from the back corner, and around the sides.
        let from = with(back, axis, front[axis]);
        scene.line(vec![place(back), place(from)], unit, FRAME);
        for other in [(axis + 1) % 3, (axis + 2) % 3] {
            let to = with(from, other, front[other]);
            scene.line(vec![place(from), place(to)], unit, FRAME);
        }
    }
    let middle = place([0.0; 3]);
    for (axis, title) in titles.iter().enumerate() {
        let start = axis_edge(projection, axis);
        let ends = [back, front].map(|corner| place(with(start, axis, corner[axis])));
        let half = [0, 1].map(|side| (ends[0][side] + ends[1][side]) / 2.0);
        let outward = outward(ends, half, middle);
        let text = |label: &str, [x, y]: Place, size: f64, away: f64| {
            let anchor = match outward[0] {
                side if side > 0.35 => Anchor::Start,
                side if side < -0.35 => Anchor::End,
                _ => Anchor::Middle,
            };
            let place = [x + outward[0] * away, y + outward[1] * away];
            Text {
                color: QUIET,
                anchor,
                ..Text::new(label, place, size)
            }
            .centred_vertically()
        };
        let labels: Vec<(Tick, Place)> = (projection.ticks(axis).into_iter())
            .map(|tick| {
                let place = place(with(start, axis, at(axis, &tick)));
                (tick, place)
            })
            .collect();
        let mut widest = 0.0f64;
        for (tick, place) in &labels {
            widest = widest.max(font::width(&tick.label, TICK * unit));
            let away = 11.0 * unit + 0.3 * TICK * unit * outward[1].abs();
            scene.text(text(&tick.label, *place, TICK * unit, away));
        }
        let away = (32.0 + LABEL * outward[1].abs()) * unit + widest * outward[0].abs();
        let title = font::shorten(title, LABEL * unit, 0.4 * f64::from(scene.size.width));
        if axis == 2 {
            let above = if ends[0][1] < ends[1][1] {
                ends[0]
            } else {
                ends[1]
            };
            let place = [above[0], above[1] - 1.2 * LABEL * unit];
            scene.text(Text {
                anchor: Anchor::Middle,
                // The upper edge of the box passes here.
                halo: true,
                ..Text::new(title, place, LABEL * unit)
            });
        } else {
            let mut title = text(&title, half, LABEL * unit, away);
            title.color = crate::color::INK;
            scene.text(title);
        }
    }
}

/// A corner on the edge of the box that carries an axis: the lower front edges for the first two, the left edge for the third.
fn axis_edge(projection: &Projection, axis: usize) -> [f64; 3] {
    let mut near = [true; 3];
    if axis < 2 {
        near[2] = projection.toward[2] < 0.0;
        return projection.corner(near);
    }
    let sides = [[false, true, true], [true, false, true]].map(|near| projection.corner(near));
    if dot(projection.across, sides[0]) < dot(projection.across, sides[1]) {
        sides[0]
    } else {
        sides[1]
    }
}

/// The direction at right angles to an edge, away from the middle of the box.
fn outward(ends: [Place; 2], half: Place, middle: Place) -> Place {
    let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    let length = along[0].hypot(along[1]).max(1e-9);
    let normal = [-along[1] / length, along[0] / length];
    let away = normal[0] * (half[0] - middle[0]) + normal[1] * (half[1] - middle[1]);
    if away < 0.0 {
        normal.map(|part| -part)
    } else {
        normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::StrokeLook;

    fn helix() -> Vec<[f64; 3]> {
        let at = |i: usize| f64::from(i as u32) / 20.0;
        (0..200)
            .map(|i| [at(i).cos(), at(i).sin(), at(i) / 5.0])
            .collect()
    }

    #[test]
    fn the_projection_keeps_lengths_seen_from_the_front_and_sorts_by_depth() {
        let points = helix();
        let projection = Projection::of(&Space::new(&points));
        for (one, other) in [
            (projection.across, projection.up),
            (projection.up, projection.toward),
            (projection.toward, projection.across),
        ] {
            assert!(dot(one, other).abs() < 1e-12 && (dot(one, one) - 1.0).abs() < 1e-12);
        }
        let space = Space::new(&points);
        let [x, y] = projection.flat(points[7]);
        assert!(x.abs() < 2.0 && y.abs() < 2.0);
        assert_eq!(space.sides().into_iter().fold(0.0, f64::max), 1.0);
    }

    #[test]
    fn near_points_are_painted_after_far_ones() {
        let points = helix();
        let space = Space::new(&points);
        let projection = Projection::of(&space);
        let flat: Vec<[f64; 2]> = points.iter().map(|point| projection.flat(*point)).collect();
        let scene = space.scene(&projection, &space.scatter(&flat)).unwrap();
        let marks = scene.items.iter().find_map(|item| match item {
            Item::Marks(marks) => Some(marks),
            _ => None,
        });
        let fades: Vec<usize> = marks.unwrap().marks.iter().map(|mark| mark.1 / 2).collect();
        assert!(fades.is_sorted() && fades[0] == 0 && fades[199] == FADES - 1);
    }

    #[test]
    fn graph_and_path_are_drawn_and_rows_that_are_not_there_refused() {
        let points = helix();
        let edges: Vec<[usize; 2]> = (1..200).map(|i| [i - 1, i]).collect();
        let strokes = [Stroke {
            name: String::new(),
            places: points.clone(),
            look: StrokeLook::Path,
        }];
        let space = Space {
            edges: &edges,
            strokes: &strokes,
            ..Space::new(&points)
        };
        let svg = String::from_utf8(space.draw(Format::Svg).unwrap()).unwrap();
        assert!(svg.contains("#ce1826") && svg.contains(">dimension 3<"));
        assert!(space.draw(Format::Png).unwrap().starts_with(b"\x89PNG"));
        assert_eq!(svg.as_bytes(), space.draw(Format::Svg).unwrap());
        let wrong = [[0, 200]];
        let space = Space {
            edges: &wrong,
            ..Space::new(&points)
        };
        assert!(matches!(
            space.draw(Format::Svg),
            Err(Error::UnknownRow { row: 200, .. })
        ));
    }

    #[test]
    fn size_resolution_palette_markers_and_names_of_classes_are_obeyed() {
        let points = helix();
        let names = ["left".to_owned(), "right".to_owned()];
        let of_row: Vec<Option<usize>> = (0..200).map(|row| Some(row % 2)).collect();
        let plain = Space {
            color: Color::Classes {
                title: "side",
                names: &names,
                of_row: &of_row,
            },
            ..Space::new(&points)
        };
        let other = Space {
            palette: Palette::Tab10,
            point_size: 2.0,
            class_names: true,
            size: Size {
                width: 1600,
                height: 1200,
            },
            dpi: Some(300),
            ..plain.clone()
        };
        let svg = |space: &Space<'_>| String::from_utf8(space.draw(Format::Svg).unwrap()).unwrap();
        let [plain_svg, other_svg] = [&plain, &other].map(svg);
        assert!(plain_svg.contains("#0072b2") && !other_svg.contains("#0072b2"));
        assert!(other_svg.contains("#1f77b4") && other_svg.contains("width=\"1600\""));
        let written = |svg: &str| svg.matches(">left<").count();
        assert_eq!(written(&plain_svg) + 1, written(&other_svg));
        let radius = |space: &Space<'_>| {
            let projection = Projection::of(space);
            let flat: Vec<[f64; 2]> = points.iter().map(|point| projection.flat(*point)).collect();
            let scene = space.scene(&projection, &space.scatter(&flat)).unwrap();
            let radii = scene.items.iter().map(|item| match item {
                Item::Marks(marks) => marks.radius,
                _ => 0.0,
            });
            radii.fold(0.0, f64::max) / scene.unit
        };
        // The markers of the legend have a radius of 6.5.
        assert!((radius(&plain) - 6.5).abs() < 1e-9);
        assert!((radius(&other) - 2.0 * marker_radius(200)).abs() < 1e-9);
        let png = other.draw(Format::Png).unwrap();
        assert!(png.windows(4).any(|four| four == b"pHYs"));
        let fit = Space { fit: true, ..plain };
        let (width, height, _) = crate::png_file::decode(&fit.draw(Format::Png).unwrap());
        assert!(width < 1200 || height < 900, "{width} {height}");
        let wrong = Space {
            point_size: 0.0,
            ..Space::new(&points)
        };
        assert!(matches!(
            wrong.draw(Format::Html),
            Err(Error::BadNumber {
                name: "point_size",
                ..
            })
        ));
    }

    #[test]
    fn any_points_can_be_drawn() {
        for points in [
            vec![],
            vec![[1.0, 2.0, 3.0]],
            vec![[f64::NAN, 0.0, 0.0], [1e300, -1e300, 1e-300]],
            vec![[0.0, 0.0, 0.0], [1.0, 1000.0, 1e-6]],
        ] {
            for format in [Format::Png, Format::Svg, Format::Html] {
                Space::new(&points).draw(format).unwrap();
            }
        }
    }
}
