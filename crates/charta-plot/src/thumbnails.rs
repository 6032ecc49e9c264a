//! Rows that are images, drawn small at their coordinates on a map.

use std::fmt;

use crate::color::{FRAME, Rgb};
use crate::error::{Error, Result};
use crate::frame::crisp;
use crate::scatter::Scatter;
use crate::scene::{Area, Item, Pixels, Place, Scene};
use crate::ticks::count;

/// Longer side of an image at the default picture size.
const SIDE: f64 = 62.0;
/// Width of the frame that shows an image's class.
const CLASS_FRAME: f64 = 2.5;
/// Distance between the centres of images that lie side by side, in sides.
const SPACING: f64 = 1.12;
/// The fraction of pixels at the lowest number above which images are ink on paper, not light on black: half of the pixels
/// of drawn digits are paper, and a quarter of those of faces before a black wall.
const PAPER_SHARE: f64 = 0.4;
/// The fraction of the numbers' range that counts as the lowest number.
const LOWEST: f64 = 0.02;

/// Whether high numbers are dark, as ink is on paper, or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Dark if many pixels are at the lowest number, as the paper around a drawing is; else light.
    #[default]
    Auto,
    /// High numbers are dark.
    Dark,
    /// High numbers are light.
    Light,
}

impl Ink {
    /// Dark or light for these images, whichever [`Auto`](Self::Auto) means for them.
    pub fn for_images(self, images: &[Vec<f64>]) -> Self {
        match self {
            Self::Auto if is_drawn(images) => Self::Dark,
            Self::Auto => Self::Light,
            ink => ink,
        }
    }
}

/// The images that the rows of a scatter plot are.
#[derive(Clone, Copy)]
pub struct Thumbnails<'a> {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// 1 for grey, 3 for red, green and blue of each pixel together.
    pub channels: usize,
    /// Whether high numbers of grey images are dark.
    pub ink: Ink,
    /// The numbers of a row's image, row by row of pixels. Only those of images that are drawn are requested.
    pub image: &'a dyn Fn(usize) -> Vec<f64>,
}

impl fmt::Debug for Thumbnails<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thumbnails")
            .field("height", &self.height)
            .field("width", &self.width)
            .field("channels", &self.channels)
            .finish_non_exhaustive()
    }
}

impl Thumbnails<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        if self.height == 0 || self.width == 0 || !matches!(self.channels, 1 | 3) {
            return Err(Error::BadImageShape {
                height: self.height,
                width: self.width,
                channels: self.channels,
            });
        }
        Ok(())
    }

    /// Draws as many images as find room without hiding each other, each with its middle at its point. Returns how many.
    pub(crate) fn draw(
        &self,
        scene: &mut Scene,
        scatter: &Scatter<'_>,
        panel: &Area,
        place: impl Fn([f64; 2]) -> Place,
    ) -> Result<usize> {
        let places: Vec<(usize, Place)> = scatter
            .rows()
            .map(|row| (row, place(scatter.points[row])))
            .collect();
        let tile = self.tile(scene.unit);
        let chosen = choose(&places, panel, tile);
        let images: Vec<Vec<f64>> = chosen.iter().map(|(row, _)| (self.image)(*row)).collect();
        let expected = self.height * self.width * self.channels;
        if let Some(wrong) = images.iter().find(|image| image.len() != expected) {
            return Err(Error::LengthMismatch {
                name: "images",
                unit: "number of an image",
                expected,
                got: wrong.len(),
            });
        }
        let shades = Shades::of(&images, self.ink, self.channels);
        for ((row, [x, y]), image) in chosen.iter().zip(&images) {
            let area = Area {
                left: (x - tile[0] / 2.0).round(),
                top: (y - tile[1] / 2.0).round(),
                width: tile[0],
                height: tile[1],
            };
            scene.items.push(Item::Image {
                area,
                pixels: shades.pixels(image, [self.width, self.height], self.channels),
            });
            outline(scene, &area, scatter.class_color(*row));
        }
        Ok(images.len())
    }

    /// Width and height of an image in the picture.
    pub(crate) fn tile(&self, unit: f64) -> [f64; 2] {
        let zoom = SIDE * unit / self.width.max(self.height) as f64;
        // Whole numbers of screen pixels for each image pixel look even; there is no such choice below one.
        let zoom = if zoom >= 2.0 { zoom.floor() } else { zoom };
        [self.width, self.height].map(|pixels| (pixels as f64 * zoom).round().max(1.0))
    }
}

/// How many rows are shown as images, in words.
pub(crate) fn note(shown: usize, of: usize) -> String {
    format!("{} of {} rows as images", count(shown), count(of))
}

/// How numbers become light: the same for all images, so that they can be compared.
pub(crate) struct Shades {
    low: f64,
    high: f64,
    /// High is dark, as ink is on paper.
    ink: bool,
}

impl Shades {
    pub(crate) fn of(images: &[Vec<f64>], ink: Ink, channels: usize) -> Self {
        let finite = || images.iter().flatten().filter(|value| value.is_finite());
        let low = finite().fold(f64::INFINITY, |low, value| low.min(*value));
        let high = finite().fold(f64::NEG_INFINITY, |high, value| high.max(*value));
        let ink = match ink {
            Ink::Auto => is_drawn(images),
            ink => ink == Ink::Dark,
        };
        let ink = channels == 1 && ink;
        Self { low, high, ink }
    }

    /// The same over another range of numbers.
    pub(crate) fn over(self, [low, high]: [f64; 2]) -> Self {
        Self { low, high, ..self }
    }

    /// The numbers at both ends.
    pub(crate) fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// True if high numbers are dark.
    pub(crate) fn is_ink(&self) -> bool {
        self.ink
    }

    /// An image of this width and height.
    pub(crate) fn pixels(
        &self,
        image: &[f64],
        [width, height]: [usize; 2],
        channels: usize,
    ) -> Pixels {
        let color = |pixel: &[f64]| match pixel {
            [value] => Rgb(self.level(*value), self.level(*value), self.level(*value)),
            pixel => Rgb(
                self.level(pixel[0]),
                self.level(pixel[1]),
                self.level(pixel[2]),
            ),
        };
        let rgb = image.chunks(channels).map(color);
        Pixels {
            width,
            height,
            rgba: rgb
                .flat_map(|Rgb(red, green, blue)| [red, green, blue, 255])
                .collect(),
        }
    }

    fn level(&self, value: f64) -> u8 {
        // Halves, since the whole range may overflow.
        let half = self.high / 2.0 - self.low / 2.0;
        let share = if half > 0.0 {
            (value / 2.0 - self.low / 2.0) / half
        } else {
            0.5
        };
        let level = (share * 255.0).round() as u8;
        if self.ink { 255 - level } else { level }
    }
}

/// True if many pixels are at the lowest number, as the paper around a drawing is.
pub(crate) fn is_drawn(images: &[Vec<f64>]) -> bool {
    let finite = || images.iter().flatten().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, |low, value| low.min(*value));
    let high = finite().fold(f64::NEG_INFINITY, |high, value| high.max(*value));
    // Halves, since the whole range may overflow.
    let lowest = LOWEST * (high / 2.0 - low / 2.0);
    let paper = finite().filter(|value| *value / 2.0 - low / 2.0 <= lowest);
    paper.count() as f64 > PAPER_SHARE * finite().count() as f64
}

/// Rows whose images do not hide each other: of the points in each cell of a grid, the one nearest its middle, if
/// there is room for it beside those chosen before.
fn choose(places: &[(usize, Place)], panel: &Area, tile: [f64; 2]) -> Vec<(usize, Place)> {
    let step = tile.map(|side| side * SPACING);
    let n_columns = (panel.width / step[0]).ceil().max(1.0) as usize;
    let n_rows = (panel.height / step[1]).ceil().max(1.0) as usize;
    let mut best: Vec<Option<(f64, usize)>> = vec![None; n_columns * n_rows];
    for (number, (_, [x, y])) in places.iter().enumerate() {
        let [across, down] = [(x - panel.left) / step[0], (y - panel.top) / step[1]];
        let column = (across.max(0.0) as usize).min(n_columns - 1);
        let row = (down.max(0.0) as usize).min(n_rows - 1);
        let apart = (across - column as f64 - 0.5).hypot(down - row as f64 - 0.5);
        let cell = &mut best[row * n_columns + column];
        if cell.is_none_or(|(nearest, _)| apart < nearest) {
            *cell = Some((apart, number));
        }
    }
    // The best centred first: they are least in the way of others.
    let mut candidates: Vec<(f64, usize)> = best.into_iter().flatten().collect();
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<(usize, Place)> = Vec::new();
    for (_, number) in candidates {
        let (row, [x, y]) = places[number];
        let free = chosen.iter().all(|(_, [other_x, other_y])| {
            (x - other_x).abs() >= tile[0] || (y - other_y).abs() >= tile[1]
        });
        if free {
            chosen.push((row, [x, y]));
        }
    }
    chosen
}

/// A frame around an image, in the colour of its class if it has one.
fn outline(scene: &mut Scene, area: &Area, class: Option<Rgb>) {
    let [left, top] = [area.left, area.top].map(crisp);
    let [right, bottom] = [area.right() - 1.0, area.bottom() - 1.0].map(crisp);
    let unit = scene.unit;
    let corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [left, top],
    ];
    match class {
        Some(color) => scene.line(corners.to_vec(), CLASS_FRAME * unit, color),
        None => scene.line(corners.to_vec(), unit, FRAME),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    const PANEL: Area = Area {
        left: 0.0,
        top: 0.0,
        width: 200.0,
        height: 100.0,
    };

    #[test]
    fn chosen_images_never_hide_each_other() {
        let places: Vec<(usize, Place)> = (0..500)
            .map(|i| (i, [(i * 37 % 200) as f64, (i * 61 % 100) as f64]))
            .collect();
        let chosen = choose(&places, &PANEL, [20.0, 20.0]);
        assert!(chosen.len() > 15, "{}", chosen.len());
        for (i, (_, a)) in chosen.iter().enumerate() {
            for (_, b) in &chosen[..i] {
                assert!((a[0] - b[0]).abs() >= 20.0 || (a[1] - b[1]).abs() >= 20.0);
            }
        }
    }

    #[test]
    fn rows_without_a_place_have_no_image() {
        let points = [[0.0, 0.0], [f64::NAN, 1.0], [1.0, 1.0]];
        let asked = std::sync::Mutex::new(Vec::new());
        let image = |row: usize| {
            asked.lock().unwrap().push(row);
            vec![0.0, 1.0, 2.0, 3.0]
        };
        let thumbnails = Thumbnails {
            height: 2,
            width: 2,
            channels: 1,
            ink: Ink::Auto,
            image: &image,
        };
        let scatter = Scatter {
            thumbnails: Some(thumbnails),
            ..Scatter::new(&points)
        };
        let picture = String::from_utf8(scatter.draw(Format::Svg).unwrap()).unwrap();
        assert!(picture.contains("2 of 2 rows as images"), "{picture}");
        assert!(
            picture.contains("left out: without coordinates"),
            "{picture}"
        );
        assert!(scatter.draw(Format::Html).is_err());
        let mut asked = asked.lock().unwrap().clone();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked, [0, 2]);
    }

    #[test]
    fn an_image_of_the_wrong_size_is_refused() {
        let points = [[0.0, 0.0]];
        let image = |_: usize| vec![0.0];
        let thumbnails = |width| Thumbnails {
            height: 2,
            width,
            channels: 1,
            ink: Ink::Auto,
            image: &image,
        };
        let draw = |width| {
            let scatter = Scatter {
                thumbnails: Some(thumbnails(width)),
                ..Scatter::new(&points)
            };
            scatter.draw(Format::Png)
        };
        assert!(matches!(draw(2), Err(Error::LengthMismatch { .. })));
        assert!(matches!(draw(0), Err(Error::BadImageShape { .. })));
    }

    #[test]
    fn mostly_low_images_are_ink_on_paper() {
        let levels = |image: [f64; 4], ink: Ink| {
            let shades = Shades::of(&[image.to_vec()], ink, 1);
            (shades.level(image[0]), shades.level(image[3]))
        };
        let drawing = [0.0, 0.0, 0.1, 9.0];
        assert_eq!(levels(drawing, Ink::Auto), (255, 0));
        assert_eq!(levels(drawing, Ink::Light), (0, 255));
        // Dark as it is on average, a photograph has no paper.
        let photograph = [0.0, 1.0, 2.0, 9.0];
        assert_eq!(levels(photograph, Ink::Auto), (0, 255));
        assert_eq!(levels(photograph, Ink::Dark), (255, 0));
    }
}
