//! A scene as SVG text.

use std::fmt::Write;

use crate::base64;
use crate::error::Result;
use crate::palette::Shape;
use crate::png_file;
use crate::scene::{Anchor, Area, Item, Marks, Place, Scene, Text};

/// The scene as an SVG document. Blocks of pixels are embedded as PNG.
pub(crate) fn render(scene: &Scene) -> Result<String> {
    let (width, height) = (scene.size.width, scene.size.height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (number, item) in scene.items.iter().enumerate() {
        match item {
            Item::Polygon { corners, color } => {
                let (path, color) = (path(corners), color.hex());
                push(
                    &mut svg,
                    format_args!("<path d=\"{path}Z\" fill=\"{color}\"/>\n"),
                );
            }
            Item::Line {
                places,
                width,
                color,
                dashed,
            } => {
                let dashes = [4.0, 3.0].map(|times| short(times * width)).join(" ");
                let dash = if *dashed {
                    format!(" stroke-dasharray=\"{dashes}\"")
                } else {
                    String::new()
                };
                let (path, color, width) = (path(places), color.hex(), short(*width));
                let stroke = format!(
                    "stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}"
                );
                push(
                    &mut svg,
                    format_args!("<path d=\"{path}\" fill=\"none\" {stroke}/>\n"),
                );
            }
            Item::Segments {
                segments,
                width,
                color,
            } => {
                let path: String = segments.iter().map(|segment| path(segment)).collect();
                let (color, width) = (color.hex(), short(*width));
                push(
                    &mut svg,
                    format_args!(
                        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>\n"
                    ),
                );
            }
            Item::Text(text) => write_text(&mut svg, text),
            Item::Marks(marks) => write_marks(&mut svg, marks, number),
            Item::Image { area, pixels } => write_image(&mut svg, area, &png_file::pixels(pixels)?),
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn push(svg: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = svg.write_fmt(arguments);
}

fn write_image(svg: &mut String, area: &Area, png: &[u8]) {
    let [x, y, width, height] =
        [area.left, area.top, area.width, area.height].map(|length| short(length.round()));
    let data = base64::encode(png);
    let style = "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"";
    let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
    push(
        svg,
        format_args!("<image {place} {style} href=\"data:image/png;base64,{data}\"/>\n"),
    );
}

fn write_text(svg: &mut String, text: &Text) {
    let [x, y] = text.place.map(short);
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let turn = if text.upward {
        format!(" transform=\"rotate(-90 {x} {y})\"")
    } else {
        String::new()
    };
    let halo = if text.halo {
        let width = short(2.0 * text.halo_width());
        format!(
            " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"{width}\" stroke-linejoin=\"round\""
        )
    } else {
        String::new()
    };
    push(
        svg,
        format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\"{turn}{halo}>{}</text>\n",
            short(text.size),
            text.color.hex(),
            escape(&text.text)
        ),
    );
}

/// Each look is defined once and used by every marker, which keeps thousands of markers small.
fn write_marks(svg: &mut String, marks: &Marks, number: usize) {
    svg.push_str("<defs>\n");
    for (look, (color, shape)) in marks.looks.iter().enumerate() {
        let start = format!(
            "id=\"m{number}-{look}\" fill=\"{}\" fill-opacity=\"{}\"",
            color.hex(),
            short(marks.opacity)
        );
        if *shape == Shape::Circle {
            push(
                svg,
                format_args!("<circle {start} r=\"{}\"/>\n", short(marks.radius)),
            );
        } else {
            let corners: Vec<Place> = shape
                .corners()
                .iter()
                .map(|corner| corner.map(|c| c * marks.radius))
                .collect();
            push(
                svg,
                format_args!("<path {start} d=\"{}Z\"/>\n", path(&corners)),
            );
        }
    }
    let has_rims = marks.rims.contains(&true);
    svg.push_str(if has_rims {
        "</defs>\n<g stroke=\"#ffffff\" stroke-width=\"0.9\">\n"
    } else {
        "</defs>\n<g>\n"
    });
    for (mark, (place, look)) in marks.marks.iter().enumerate() {
        let [x, y] = place.map(short);
        let bare = if has_rims && marks.rims.get(mark) != Some(&true) {
            " stroke=\"none\""
        } else {
            ""
        };
        push(
            svg,
            format_args!("<use href=\"#m{number}-{look}\" x=\"{x}\" y=\"{y}\"{bare}/>\n"),
        );
    }
    svg.push_str("</g>\n");
}

fn path(places: &[Place]) -> String {
    let mut path = String::new();
    for (i, place) in places.iter().enumerate() {
        let [x, y] = place.map(short);
        push(
            &mut path,
            format_args!("{}{x} {y}", if i == 0 { 'M' } else { 'L' }),
        );
    }
    path
}

/// At most two decimals, without needless zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// Text that is safe between tags and inside quoted attributes. Control characters, which XML forbids, become spaces.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push(' ');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Rgb;
    use crate::format::Size;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (1.0, "1"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.33"),
            (-0.001, "0"),
            (120.0, "120"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            escape("a<b & \"c\"\u{0}'é"),
            "a&lt;b &amp; &quot;c&quot; &#39;é"
        );
        let items = vec![Item::Text(Text::new(
            "<script>x</script>",
            [1.0, 2.0],
            12.0,
        ))];
        let svg = render(&Scene {
            unit: 1.0,
            dpi: None,
            size: Size::default(),
            items,
        })
        .unwrap();
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"));
    }

    #[test]
    fn markers_are_used_once_each() {
        let looks = vec![(Rgb(1, 2, 3), Shape::Circle), (Rgb(4, 5, 6), Shape::Star)];
        let marks = vec![([1.25, 2.0], 0), ([3.0, 4.0], 1), ([5.0, 6.0], 1)];
        let item = Item::Marks(Marks {
            looks,
            radius: 2.0,
            opacity: 0.5,
            rims: vec![true, false, true],
            marks,
        });
        let svg = render(&Scene {
            unit: 1.0,
            dpi: None,
            size: Size::default(),
            items: vec![item],
        })
        .unwrap();
        assert_eq!(svg.matches("<use ").count(), 3);
        assert!(svg.contains("<use href=\"#m0-0\" x=\"1.25\" y=\"2\"/>"));
        assert!(svg.contains("x=\"3\" y=\"4\" stroke=\"none\"/>"));
        assert!(svg.contains("fill=\"#010203\" fill-opacity=\"0.5\""));
    }
}
