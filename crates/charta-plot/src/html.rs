//! The scatter plot as one HTML file that needs no network: hover, zoom, pan, classes to hide.
//!
//! Coordinates travel as 32-bit fractions of their range in base64, which is small and precise at any scale; texts travel as
//! JSON. The page's script is `assets/scatter.js` and its continuations.

use serde::Serialize;

use crate::annotations::{Mark, drawable_marks};
use crate::base64;
use crate::color::{MISSING, sequential_stops};
use crate::error::Result;
use crate::palette::{PLAIN, Shape};
use crate::scale::Range;
use crate::scatter::{Color, Scatter};
use crate::svg::escape;

const TEMPLATE: &str = include_str!("../assets/scatter.html");
const STYLE: &str = include_str!("../assets/scatter.css");
const SCRIPT: &str = concat!(
    include_str!("../assets/scatter.js"),
    include_str!("../assets/scatter-draw.js"),
    include_str!("../assets/scatter-marks.js"),
    include_str!("../assets/scatter-page.js")
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
        values: String,
        stops: Vec<String>,
    },
}

/// The whole page.
pub(crate) fn page(scatter: &Scatter<'_>) -> Result<String> {
    let data = serde_json::to_string(&contents(scatter))?;
    let title = if scatter.title.is_empty() {
        "scatter plot"
    } else {
        &scatter.title
    };
    let parts = [
        ("<!--title-->", escape(title)),
        ("<!--style-->", STYLE.to_owned()),
        ("<!--data-->", script_safe(&data)),
        ("<!--script-->", SCRIPT.to_owned()),
    ];
    let mut page =
        String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + data.len() + 1000);
    let mut rest = TEMPLATE;
    // One pass over the template alone: a mark inside a user's text is not filled in.
    for (mark, content) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&content);
        rest = after;
    }
    Ok(page + rest)
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
        color: color(scatter, &rows),
        missing: MISSING.hex(),
        plain: PLAIN.hex(),
        shapes: Shape::ALL
            .iter()
            .map(|shape| {
                if *shape == Shape::Circle {
                    Vec::new()
                } else {
                    shape.corners()
                }
            })
            .collect(),
    }
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
        Color::Numbers { title, values } => {
            let range = Range::of(rows.iter().map(|row| values[*row]));
            let share = |row: &usize| {
                if values[*row].is_finite() {
                    range.share(values[*row])
                } else {
                    f64::NAN
                }
            };
            let stops = sequential_stops().iter().map(|stop| stop.hex()).collect();
            PageColor::Numbers {
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
