//! A scene as pixels: exact-area antialiasing of polygons, lines, markers and letters.

use ab_glyph::OutlineCurve;
use ab_glyph_rasterizer::{Point, Rasterizer, point};

use crate::color::{Rgb, WHITE};
use crate::font;
use crate::scene::{Anchor, Area, Item, Marks, Pixels, Place, Scene, Text};

/// Paints every item of a scene, in order, on white.
pub(crate) fn render(scene: &Scene) -> Canvas {
    let (width, height) = (scene.size.width as usize, scene.size.height as usize);
    let mut canvas = Canvas {
        width,
        height,
        rgb: vec![255; width * height * 3],
        rasterizer: Rasterizer::new(0, 0),
    };
    for item in &scene.items {
        match item {
            Item::Polygon { corners, color } => canvas.polygon(corners, *color, 1.0),
            Item::Line {
                places,
                width,
                color,
                dashed,
            } => canvas.line(places, *width, *color, *dashed),
            Item::Segments {
                segments,
                width,
                color,
            } => {
                for segment in segments {
                    canvas.line(segment, *width, *color, false);
                }
            }
            Item::Text(text) => canvas.text(text),
            Item::Marks(marks) => canvas.marks(marks),
            Item::Image { area, pixels } => canvas.image(area, pixels),
        }
    }
    canvas
}

/// Opaque pixels being painted.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
    rasterizer: Rasterizer,
}

impl Canvas {
    fn blend(&mut self, x: i64, y: i64, color: Rgb, opacity: f64) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let start = (y as usize * self.width + x as usize) * 3;
        let under = Rgb(self.rgb[start], self.rgb[start + 1], self.rgb[start + 2]);
        let Rgb(red, green, blue) = under.mix(color, opacity.clamp(0.0, 1.0));
        self.rgb[start..start + 3].copy_from_slice(&[red, green, blue]);
    }

    /// Fills whatever outline `draw` gives to the rasterizer inside the box around `low` … `high`; `draw` also gets the
    /// corner to subtract from its places.
    fn fill(
        &mut self,
        [low, high]: [Place; 2],
        color: Rgb,
        opacity: f64,
        draw: impl FnOnce(&mut Rasterizer, Place),
    ) {
        // A letter without an outline has no box.
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            return;
        }
        let corner = low.map(f64::floor);
        let (width, height) = (
            high[0].ceil() - corner[0] + 1.0,
            high[1].ceil() - corner[1] + 1.0,
        );
        let mut rasterizer = std::mem::replace(&mut self.rasterizer, Rasterizer::new(0, 0));
        rasterizer.reset(width as usize, height as usize);
        draw(&mut rasterizer, corner);
        rasterizer.for_each_pixel_2d(|x, y, coverage| {
            // Rounding leaves crumbs of coverage along the rows of an outline.
            if coverage > 0.002 {
                let (x, y) = (
                    i64::from(x) + corner[0] as i64,
                    i64::from(y) + corner[1] as i64,
                );
                self.blend(x, y, color, f64::from(coverage) * opacity);
            }
        });
        self.rasterizer = rasterizer;
    }

    fn polygon(&mut self, corners: &[Place], color: Rgb, opacity: f64) {
        self.fill(
            bounds(corners.iter().copied()),
            color,
            opacity,
            |rasterizer, corner| {
                for (i, from) in corners.iter().enumerate() {
                    let to = corners[(i + 1) % corners.len()];
                    rasterizer.draw_line(relative(*from, corner), relative(to, corner));
                }
            },
        );
    }

    fn line(&mut self, places: &[Place], width: f64, color: Rgb, dashed: bool) {
        for pair in places.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let along = [to[0] - from[0], to[1] - from[1]];
            let length = along[0].hypot(along[1]);
            if length == 0.0 {
                continue;
            }
            let dash = if dashed { 4.0 * width } else { length };
            let mut start = 0.0;
            while start < length {
                let end = (start + dash).min(length);
                let at = |distance: f64| {
                    [
                        from[0] + along[0] * distance / length,
                        from[1] + along[1] * distance / length,
                    ]
                };
                self.polygon(&thick(at(start), at(end), width), color, 1.0);
                start = end + if dashed { 3.0 * width } else { 0.0 };
            }
        }
        // Round joints close the gaps between the segments of a curve.
        if width > 1.5 {
            for place in places.iter().skip(1).take(places.len().saturating_sub(2)) {
                let circle = crate::palette::Shape::Circle.corners();
                let joint: Vec<Place> = circle
                    .iter()
                    .map(|[x, y]| [place[0] + x * width / 2.0, place[1] + y * width / 2.0])
                    .collect();
                self.polygon(&joint, color, 1.0);
            }
        }
    }

    fn text(&mut self, text: &Text) {
        if text.halo {
            // White copies all around the letters grow them by the width of the rim.
            let width = text.halo_width();
            for [x, y] in crate::palette::Shape::Circle.corners().iter().step_by(2) {
                let mut moved = text.clone();
                moved.place = [text.place[0] + x * width, text.place[1] + y * width];
                self.letters(&moved, WHITE);
            }
        }
        self.letters(text, text.color);
    }

    fn letters(&mut self, text: &Text, color: Rgb) {
        let shift = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * font::width(&text.text, text.size),
            Anchor::End => -font::width(&text.text, text.size),
        };
        let scale = text.size / font::units();
        font::outlines(&text.text, |curves, offset| {
            let start = shift + offset * text.size;
            let place = |p: Point| {
                let (along, up) = (start + f64::from(p.x) * scale, f64::from(p.y) * scale);
                let [x, y] = text.place;
                if text.upward {
                    [x - up, y - along]
                } else {
                    [x + along, y - up]
                }
            };
            let controls = curves.iter().flat_map(controls).map(place);
            self.fill(bounds(controls), color, 1.0, |rasterizer, corner| {
                for curve in curves {
                    trace(rasterizer, curve, |p| relative(place(p), corner));
                }
            });
        });
    }

    fn marks(&mut self, marks: &Marks) {
        let outlines: Vec<Vec<Place>> = marks
            .looks
            .iter()
            .map(|(_, shape)| shape.corners())
            .collect();
        let sized = |look: usize, [x, y]: Place, radius: f64| -> Vec<Place> {
            outlines[look]
                .iter()
                .map(|[across, down]| [x + across * radius, y + down * radius])
                .collect()
        };
        for (number, (place, look)) in marks.marks.iter().enumerate() {
            if marks.rims.get(number) == Some(&true) {
                self.polygon(
                    &sized(*look, *place, marks.radius + 0.9),
                    WHITE,
                    marks.opacity,
                );
            }
            self.polygon(
                &sized(*look, *place, marks.radius),
                marks.looks[*look].0,
                marks.opacity,
            );
        }
    }

    /// Scales by repeating pixels, so that small images stay crisp.
    fn image(&mut self, area: &Area, pixels: &Pixels) {
        let (left, top) = (area.left.round() as i64, area.top.round() as i64);
        let (width, height) = (area.width.round() as i64, area.height.round() as i64);
        for y in 0..height {
            let row = (y as usize * pixels.height) / height as usize;
            for x in 0..width {
                let start = (row * pixels.width + (x as usize * pixels.width) / width as usize) * 4;
                let [red, green, blue, alpha] =
                    [0, 1, 2, 3].map(|channel| pixels.rgba[start + channel]);
                if alpha > 0 {
                    self.blend(
                        left + x,
                        top + y,
                        Rgb(red, green, blue),
                        f64::from(alpha) / 255.0,
                    );
                }
            }
        }
    }
}

/// The corners of a straight line of some width.
fn thick(from: Place, to: Place, width: f64) -> [Place; 4] {
    let along = [to[0] - from[0], to[1] - from[1]];
    let half = width / 2.0 / along[0].hypot(along[1]);
    let aside = [-along[1] * half, along[0] * half];
    [
        [from[0] + aside[0], from[1] + aside[1]],
        [to[0] + aside[0], to[1] + aside[1]],
        [to[0] - aside[0], to[1] - aside[1]],
        [from[0] - aside[0], from[1] - aside[1]],
    ]
}

fn controls(curve: &OutlineCurve) -> Vec<Point> {
    match *curve {
        OutlineCurve::Line(a, b) => vec![a, b],
        OutlineCurve::Quad(a, b, c) => vec![a, b, c],
        OutlineCurve::Cubic(a, b, c, d) => vec![a, b, c, d],
    }
}

fn trace(rasterizer: &mut Rasterizer, curve: &OutlineCurve, place: impl Fn(Point) -> Point) {
    match *curve {
        OutlineCurve::Line(a, b) => rasterizer.draw_line(place(a), place(b)),
        OutlineCurve::Quad(a, b, c) => rasterizer.draw_quad(place(a), place(b), place(c)),
        OutlineCurve::Cubic(a, b, c, d) => {
            rasterizer.draw_cubic(place(a), place(b), place(c), place(d));
        }
    }
}

fn relative([x, y]: Place, corner: Place) -> Point {
    point((x - corner[0]) as f32, (y - corner[1]) as f32)
}

fn bounds(places: impl Iterator<Item = Place>) -> [Place; 2] {
    let start = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    places.fold(start, |[low, high], place| {
        [
            [low[0].min(place[0]), low[1].min(place[1])],
            [high[0].max(place[0]), high[1].max(place[1])],
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Size;
    use crate::palette::Shape;

    const RED: Rgb = Rgb(255, 0, 0);

    fn draw(items: Vec<Item>) -> Vec<Rgb> {
        let scene = Scene {
            unit: 1.0,
            dpi: None,
            size: Size {
                width: 200,
                height: 200,
            },
            items,
        };
        crate::png_file::decode(&crate::png_file::scene(&scene).unwrap()).2
    }

    #[test]
    fn polygons_cover_the_right_pixels_by_the_right_share() {
        let area = Area {
            left: 10.0,
            top: 20.0,
            width: 5.5,
            height: 3.0,
        };
        let pixels = draw(vec![Item::Polygon {
            corners: area.corners(),
            color: RED,
        }]);
        assert_eq!(pixels[20 * 200 + 10], RED);
        assert_eq!(pixels[22 * 200 + 14], RED);
        assert_eq!(pixels[22 * 200 + 9], WHITE);
        assert_eq!(pixels[23 * 200 + 12], WHITE);
        let half = pixels[21 * 200 + 15];
        assert!(half.0 == 255 && (126..=129).contains(&half.1), "{half:?}");
    }

    #[test]
    fn every_shape_covers_its_centre_and_stays_within_its_radius() {
        for class in (0..90).step_by(10) {
            let (color, shape) = crate::palette::look(class);
            let marks = vec![([100.0, 100.0], 0)];
            let item = Marks {
                looks: vec![(color, shape)],
                radius: 20.0,
                opacity: 1.0,
                rims: Vec::new(),
                marks,
            };
            let pixels = draw(vec![Item::Marks(item)]);
            assert_eq!(pixels[100 * 200 + 100], color, "{shape:?}");
            let painted: Vec<usize> = (0..pixels.len()).filter(|i| pixels[*i] != WHITE).collect();
            assert!(
                (700..1600).contains(&painted.len()),
                "{shape:?}: {}",
                painted.len()
            );
            assert!(
                painted
                    .iter()
                    .all(|i| (i / 200).abs_diff(100) <= 31 && (i % 200).abs_diff(100) <= 31),
                "{shape:?}"
            );
        }
        assert_eq!(crate::palette::look(0).1, Shape::Circle);
    }

    #[test]
    fn upward_text_is_the_turned_text() {
        let across = Text::new("Fe", [50.0, 100.0], 30.0);
        let upward = Text {
            upward: true,
            place: [100.0, 150.0],
            ..across.clone()
        };
        let (across, upward) = (
            draw(vec![Item::Text(across)]),
            draw(vec![Item::Text(upward)]),
        );
        let ink = |pixels: &[Rgb]| {
            pixels
                .iter()
                .map(|pixel| 255 - i64::from(pixel.0))
                .sum::<i64>()
        };
        assert!(ink(&across) > 20_000);
        assert!((ink(&across) - ink(&upward)).abs() < ink(&across) / 50);
        for (x, y) in (50..90).flat_map(|x| (70..100).map(move |y| (x, y))) {
            let (a, b) = (across[y * 200 + x], upward[(149 + 50 - x) * 200 + y]);
            assert!(a.0.abs_diff(b.0) <= 3, "{x} {y}: {a:?} {b:?}");
        }
    }

    #[test]
    fn shapes_beyond_the_edge_are_cut_off() {
        let area = Area {
            left: -10.0,
            top: 195.0,
            width: 20.0,
            height: 50.0,
        };
        let pixels = draw(vec![
            Item::Polygon {
                corners: area.corners(),
                color: RED,
            },
            Item::Text(Text::new("far outside", [500.0, -20.0], 30.0)),
        ]);
        assert_eq!(pixels[199 * 200], RED);
        assert_eq!(pixels[199 * 200 + 9], RED);
        assert_eq!(pixels[199 * 200 + 10], WHITE);
    }
}
