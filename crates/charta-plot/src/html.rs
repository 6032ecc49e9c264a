//! The scatter plot as one HTML file that needs no network: hover, zoom, pan, classes to hide.
//!
//! Coordinates travel as 32-bit fractions of their range in base64, which is small and precise at any scale; texts travel as
//! JSON. The page's script is `assets/scatter.js` and its continuations.

use serde::Serialize;

use crate::annotations::{Mark, drawable_marks};
use crate::base64;
use crate::calendar::date_ticks;
use crate::color::{MISSING, sequential_stops};
use crate::error::Result;
use crate::lines::{Stroke, drawable};
use crate::palette::{PLAIN, Shape};
use crate::scale::Range;
use crate::scatter::{Color, Scatter};
use crate::space::{Further, Space};
use crate::svg::escape;

const TEMPLATE: &str = include_str!("../assets/scatter.html");
const STYLE: &str = include_str!("../assets/scatter.css");
const SCRIPT: &str = concat!(
    include_str!("../assets/base.js"),
    include_str!("../assets/legend.js"),
    include_str!("../assets/scatter.js"),
    include_str!("../assets/scatter-draw.js"),
    include_str!("../assets/scatter-lines.js"),
    include_str!("../assets/scatter-marks.js"),
    include_str!("../assets/scatter-page.js")
);
const SPACE_SCRIPT: &str = concat!(
    include_str!("../assets/base.js"),
    include_str!("../assets/legend.js"),
    include_str!("../assets/space.js"),
    include_str!("../assets/space-page.js")
);
/// Class of a row that has none.
const NO_CLASS: u32 = u32::MAX;

/// What the script reads.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    notes: String,
    axes: &'a [String; 2],
    /// Names of the whole numbers on the axis up.
    levels: &'a [String],
    ranges: [[f64; 2]; 2],
    /// Range of x over range of y if one unit is equally long on both axes, else 0.
    aspect: f64,
    x: String,
    y: String,
    /// Row numbers, if some rows are left out.
    rows: Option<String>,
    names: Option<Vec<&'a str>>,
    label: bool,
    /// Factor of the markers' size.
    size: f64,
    marks: Vec<PageMark<'a>>,
    /// Where the arrows begin.
    origin: PagePlace,
    arrows: Vec<PageArrow<'a>>,
    /// Places of both ends of each edge among the points that are drawn.
    edges: String,
    strokes: Vec<PageStroke<'a>>,
    contours: Vec<PageContour<'a>>,
    color: PageColor<'a>,
    missing: String,
    plain: String,
    /// Corners of each marker shape; none for the circle.
    shapes: Vec<Vec<[f64; 2]>>,
}

/// A place as fractions of both ranges.
#[derive(Serialize)]
struct PagePlace {
    x: f64,
    y: f64,
}

#[derive(Serialize)]
struct PageMark<'a> {
    name: &'a str,
    x: f64,
    y: f64,
    look: Option<usize>,
}

#[derive(Serialize)]
struct PageArrow<'a> {
    name: &'a str,
    x: f64,
    y: f64,
}

/// A line, whose places are shares of the ranges one after the other.
#[derive(Serialize)]
struct PageStroke<'a> {
    name: &'a str,
    places: Vec<f64>,
    color: String,
    width: f64,
    dashed: bool,
    below: bool,
}

#[derive(Serialize)]
struct PageContour<'a> {
    label: &'a str,
    color: String,
    lines: Vec<Vec<f64>>,
}

/// What the script of points in space reads.
#[derive(Serialize)]
struct SpacePage<'a> {
    title: &'a str,
    notes: String,
    axes: &'a [String; 3],
    ranges: [[f64; 2]; 3],
    /// Half the sides of the box.
    sides: [f64; 3],
    /// Azimuth and elevation in degrees.
    view: [f64; 2],
    x: String,
    y: String,
    z: String,
    rows: Option<String>,
    names: Option<Vec<&'a str>>,
    label: bool,
    /// Factor of the markers' size.
    size: f64,
    edges: String,
    strokes: Vec<PageStroke<'a>>,
    further: Vec<PageFurther<'a>>,
    color: PageColor<'a>,
    missing: String,
    plain: String,
    stops: Vec<String>,
    shapes: Vec<Vec<[f64; 2]>>,
}

/// Further numbers of the rows, as shares of their range.
#[derive(Serialize)]
struct PageFurther<'a> {
    name: &'a str,
    range: [f64; 2],
    values: String,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum PageColor<'a> {
    None,
    Classes {
        title: &'a str,
        names: &'a [String],
        of: String,
        colors: Vec<String>,
        shapes: Vec<usize>,
    },
    Numbers {
        title: &'a str,
        range: [f64; 2],
        /// Where dates stand on the scale, and how they are written; none if it shows numbers.
        dates: Option<Vec<(f64, String)>>,
        values: String,
        stops: Vec<String>,
    },
}

/// The whole page.
pub(crate) fn page(scatter: &Scatter<'_>) -> Result<String> {
    let data = serde_json::to_string(&contents(scatter))?;
    Ok(filled(&scatter.title, &data, SCRIPT))
}

/// The whole page of points in space; `scatter` is their projection.
pub(crate) fn space_page(space: &Space<'_>, scatter: &Scatter<'_>) -> Result<String> {
    let data = serde_json::to_string(&space_contents(space, scatter))?;
    Ok(filled(&space.title, &data, SPACE_SCRIPT))
}

/// The template with its parts in place.
fn filled(title: &str, data: &str, script: &str) -> String {
    let title = if title.is_empty() {
        "scatter plot"
    } else {
        title
    };
    let parts = [
        ("<!--title-->", escape(title)),
        ("<!--style-->", STYLE.to_owned()),
        ("<!--data-->", script_safe(data)),
        ("<!--script-->", script.to_owned()),
    ];
    let mut page =
        String::with_capacity(TEMPLATE.len() + STYLE.len() + script.len() + data.len() + 1000);
    let mut rest = TEMPLATE;
    // One pass over the template alone: a mark inside a user's text is not filled in.
    for (mark, content) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&content);
        rest = after;
    }
    page + rest
}

/// JSON that cannot end or open a tag inside a script element.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn contents<'a>(scatter: &'a Scatter<'a>) -> Page<'a> {
    let rows: Vec<usize> = scatter.rows().collect();
    let ranges = scatter.ranges();
    let shares = |axis: usize| {
        floats(
            rows.iter()
                .map(|row| ranges[axis].share(scatter.points[*row][axis])),
        )
    };
    let place = |[x, y]: [f64; 2]| PagePlace {
        x: ranges[0].share(x),
        y: ranges[1].share(y),
    };
    let equal = scatter.shares_a_unit();
    Page {
        title: &scatter.title,
        notes: scatter.notes(),
        axes: &scatter.axes,
        levels: scatter.levels,
        ranges: ranges.map(|range| [range.low, range.high]),
        aspect: if equal {
            ranges[0].half() / ranges[1].half()
        } else {
            0.0
        },
        x: shares(0),
        y: shares(1),
        rows: (rows.len() < scatter.points.len())
            .then(|| integers(rows.iter().map(|row| *row as u32))),
        names: scatter
            .row_names
            .map(|names| rows.iter().map(|row| names[*row].as_str()).collect()),
        label: scatter.label_points,
        size: scatter.point_size,
        marks: marks(scatter, place),
        origin: place([0.0, 0.0]),
        arrows: arrows(scatter, place),
        edges: edges(scatter.edges, &rows, scatter.points.len()),
        strokes: strokes(scatter.strokes, &ranges),
        contours: contours(scatter, &ranges),
        color: color(scatter, &rows),
        missing: MISSING.hex(),
        plain: PLAIN.hex(),
        shapes: shapes(),
    }
}

fn space_contents<'a>(space: &'a Space<'a>, scatter: &'a Scatter<'a>) -> SpacePage<'a> {
    let rows: Vec<usize> = scatter.rows().collect();
    let ranges = space.ranges();
    let shares = |axis: usize| {
        let values = rows.iter().map(|row| space.points[*row][axis]);
        floats(values.map(|value| ranges[axis].share(value)))
    };
    let further = |further: &'a Further| {
        let range = Range::of(rows.iter().map(|row| further.values[*row]));
        PageFurther {
            name: &further.name,
            range: [range.low, range.high],
            values: floats(rows.iter().map(|row| range.share(further.values[*row]))),
        }
    };
    SpacePage {
        title: &space.title,
        notes: scatter.notes(),
        axes: &space.axes,
        ranges: ranges.map(|range| [range.low, range.high]),
        sides: space.sides(),
        view: crate::space::VIEW,
        x: shares(0),
        y: shares(1),
        z: shares(2),
        rows: (rows.len() < space.points.len())
            .then(|| integers(rows.iter().map(|row| *row as u32))),
        names: space
            .row_names
            .map(|names| rows.iter().map(|row| names[*row].as_str()).collect()),
        label: space.label_points,
        size: space.point_size,
        edges: edges(space.edges, &rows, space.points.len()),
        strokes: strokes(space.strokes, &ranges),
        further: space.further.iter().map(further).collect(),
        color: color(scatter, &rows),
        missing: MISSING.hex(),
        plain: PLAIN.hex(),
        stops: sequential_stops().iter().map(|stop| stop.hex()).collect(),
        shapes: shapes(),
    }
}

/// Corners of each marker shape; none for the circle.
fn shapes() -> Vec<Vec<[f64; 2]>> {
    let corners = |shape: &Shape| {
        if *shape == Shape::Circle {
            Vec::new()
        } else {
            shape.corners()
        }
    };
    Shape::ALL.iter().map(corners).collect()
}

/// Edges by the places of their ends among the rows that are drawn.
fn edges(edges: &[[usize; 2]], rows: &[usize], n_points: usize) -> String {
    let mut place = vec![None; n_points];
    for (number, &row) in rows.iter().enumerate() {
        place[row] = Some(number as u32);
    }
    let drawn = edges
        .iter()
        .filter_map(|[from, to]| Some([place[*from]?, place[*to]?]));
    integers(drawn.flatten())
}

fn strokes<'a, const N: usize>(
    strokes: &'a [Stroke<N>],
    ranges: &[Range; N],
) -> Vec<PageStroke<'a>> {
    let shares = |place: &[f64; N]| -> Vec<f64> {
        let values = place.iter().zip(ranges);
        values.map(|(value, range)| range.share(*value)).collect()
    };
    drawable(strokes)
        .map(|stroke| PageStroke {
            name: &stroke.name,
            places: stroke.places.iter().flat_map(shares).collect(),
            color: stroke.look.color().hex(),
            width: stroke.look.width(),
            dashed: stroke.look.is_dashed(),
            below: stroke.look.is_below(),
        })
        .collect()
}

fn contours<'a>(scatter: &'a Scatter<'a>, ranges: &[Range; 2]) -> Vec<PageContour<'a>> {
    let shares = |place: &[f64; 2]| [0, 1].map(|axis| ranges[axis].share(place[axis]));
    let line = |line: &Vec<[f64; 2]>| line.iter().flat_map(shares).collect();
    (scatter.contours.iter())
        .map(|contour| PageContour {
            label: &contour.label,
            color: contour.color().hex(),
            lines: contour.lines.iter().map(line).collect(),
        })
        .collect()
}

fn marks<'a>(scatter: &'a Scatter<'a>, place: impl Fn([f64; 2]) -> PagePlace) -> Vec<PageMark<'a>> {
    let mark = |mark: &'a Mark| {
        let PagePlace { x, y } = place(mark.place);
        PageMark {
            name: &mark.name,
            x,
            y,
            look: mark.class,
        }
    };
    drawable_marks(scatter.marks).map(mark).collect()
}

fn arrows<'a>(
    scatter: &'a Scatter<'a>,
    place: impl Fn([f64; 2]) -> PagePlace,
) -> Vec<PageArrow<'a>> {
    let arrow = |(name, tip): (&'a str, [f64; 2])| {
        let PagePlace { x, y } = place(tip);
        PageArrow { name, x, y }
    };
    scatter.arrows().tips.into_iter().map(arrow).collect()
}

fn color<'a>(scatter: &'a Scatter<'a>, rows: &[usize]) -> PageColor<'a> {
    match scatter.color {
        Color::None => PageColor::None,
        Color::Classes {
            title,
            names,
            of_row,
        } => PageColor::Classes {
            title,
            names,
            of: integers(
                rows.iter()
                    .map(|row| of_row[*row].map_or(NO_CLASS, |class| class as u32)),
            ),
            colors: (0..names.len())
                .map(|class| scatter.palette.look(class).0.hex())
                .collect(),
            shapes: (0..names.len())
                .map(|class| scatter.palette.look(class).1 as usize)
                .collect(),
        },
        Color::Numbers { title, values } | Color::Times { title, values } => {
            let range = Range::of(rows.iter().map(|row| values[*row]));
            let share = |row: &usize| {
                if values[*row].is_finite() {
                    range.share(values[*row])
                } else {
                    f64::NAN
                }
            };
            let stops = sequential_stops().iter().map(|stop| stop.hex()).collect();
            let dates = matches!(scatter.color, Color::Times { .. }).then(|| {
                let ticks = date_ticks(&range, 6).into_iter();
                ticks
                    .map(|tick| (range.share(tick.value), tick.label))
                    .collect()
            });
            PageColor::Numbers {
                dates,
                title,
                range: [range.low, range.high],
                values: floats(rows.iter().map(share)),
                stops,
            }
        }
    }
}

fn floats(values: impl Iterator<Item = f64>) -> String {
    base64::encode(
        &values
            .flat_map(|value| (value as f32).to_le_bytes())
            .collect::<Vec<u8>>(),
    )
}

fn integers(values: impl Iterator<Item = u32>) -> String {
    base64::encode(&values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::Arrow;

    fn data_of(page: &str) -> serde_json::Value {
        let (_, rest) = page
            .split_once("<script type=\"application/json\" id=\"data\">")
            .unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn nasty_names_neither_end_the_script_nor_change() {
        let nasty = [
            "</script><script>alert(1)</script>",
            "<!--script-->",
            "\"quotes\" 'and' \\",
            "名前 \u{2028} é",
            "&amp;<b>",
        ];
        let names: Vec<String> = nasty.map(str::to_owned).to_vec();
        let points = vec![[0.0, 1.0]; 5];
        let of_row: Vec<Option<usize>> = (0..5).map(Some).collect();
        let scatter = Scatter {
            title: "</title><script>x</script>".into(),
            subtitle: nasty[0].into(),
            row_names: Some(&names),
            color: Color::Classes {
                title: nasty[0],
                names: &names,
                of_row: &of_row,
            },
            ..Scatter::new(&points)
        };
        let page = page(&scatter).unwrap();
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</title>").count(), 1);
        let data = data_of(&page);
        assert_eq!(
            data["names"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap())
                .collect::<Vec<_>>(),
            nasty
        );
        assert_eq!(data["color"]["names"][0], nasty[0]);
        assert_eq!(data["color"]["title"], nasty[0]);
        assert_eq!(data["title"], "</title><script>x</script>");
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let page = page(&Scatter::new(&[[0.0, 0.0]])).unwrap();
        // The only address is the name space of SVG, which is a name and not loaded.
        assert_eq!(
            page.matches("http").count(),
            page.matches("http://www.w3.org/2000/svg").count()
        );
        assert!(!page.contains("<!--") && !page.contains(" src="));
    }

    #[test]
    fn rows_left_out_keep_the_numbers_of_the_others() {
        let points = [[0.0, 0.0], [f64::NAN, 1.0], [1.0, 1.0]];
        let data = data_of(&page(&Scatter::new(&points)).unwrap());
        assert_eq!(data["rows"], integers([0, 2].into_iter()));
        assert_eq!(data["x"].as_str().unwrap().len(), 12);
        assert!(
            data["notes"]
                .as_str()
                .unwrap()
                .contains("1 of 3 points left out")
        );
    }

    #[test]
    fn marks_and_arrows_travel_as_shares_of_the_ranges() {
        let points = [[-2.0, -2.0], [2.0, 2.0]];
        let mark = |name: &str, x: f64| Mark {
            name: name.into(),
            place: [x, 0.0],
            class: None,
        };
        let marks = [mark("</script>", 2.0), mark("lost", f64::NAN)];
        let arrows = [Arrow {
            name: "<a>".into(),
            vector: [3.0, 0.0],
        }];
        let scatter = Scatter {
            marks: &marks,
            arrows: &arrows,
            ..Scatter::new(&points)
        };
        let page = page(&scatter).unwrap();
        assert_eq!(page.matches("</script>").count(), 2);
        let data = data_of(&page);
        assert_eq!(data["marks"].as_array().unwrap().len(), 1);
        assert_eq!(data["marks"][0]["name"], "</script>");
        let share = |value: &serde_json::Value| value.as_f64().unwrap();
        let [low, high] = [0, 1].map(|end| share(&data["ranges"][0][end]));
        let across = |part: &serde_json::Value| low + (high - low) * share(&part["x"]);
        assert!((across(&data["marks"][0]) - 2.0).abs() < 1e-12);
        assert!(across(&data["origin"]).abs() < 1e-12);
        assert!((across(&data["arrows"][0]) - 0.8 * 8f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn any_scale_gives_finite_numbers() {
        for points in [
            vec![],
            vec![[1e300, 1e-300]],
            vec![[-f64::MAX, 0.0], [f64::MAX, 1e-320]],
        ] {
            let data = data_of(&page(&Scatter::new(&points)).unwrap());
            assert!(
                data["aspect"].is_number()
                    && data["ranges"][0][0].is_number()
                    && data["ranges"][1][1].is_number(),
                "{data}"
            );
        }
    }
}
