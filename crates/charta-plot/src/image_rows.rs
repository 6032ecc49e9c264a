//! Several rows of images on one grey scale, such as originals above their reconstructions by several methods.

use crate::color::QUIET;
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, LABEL};
use crate::scene::{Area, Item, Scene, Text};
use crate::thumbnails::{Ink, Shades};
use crate::ticks::{count, rounded};

/// One row of images.
#[derive(Clone, Debug)]
pub struct ImageRow<'a> {
    /// Written before the images.
    pub title: String,
    /// The images: rows from the top, pixels from the left, then the channels of a pixel.
    pub images: &'a [Vec<f64>],
}

/// Rows of images below each other, all of one shape and on one scale, so that they can be compared.
///
/// ```
/// use charta_plot::{Format, ImageRow, ImageRows};
/// let (clean, noisy) = ([vec![0.0, 1.0, 1.0, 0.0]], [vec![0.1, 0.8, 1.2, -0.1]]);
/// let row = |title: &str, images| ImageRow { title: title.into(), images };
/// let png = ImageRows::new(&[row("clean", &clean), row("noisy", &noisy)], 2, 2).draw(Format::Png)?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), charta_plot::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageRows<'a> {
    /// The rows, from the top.
    pub rows: &'a [ImageRow<'a>],
    /// Rows of pixels in an image.
    pub height: usize,
    /// Columns of pixels in an image.
    pub width: usize,
    /// Numbers in a pixel: 1, or 3 for red, green and blue.
    pub channels: usize,
    /// Whether high numbers of grey images are dark. [`Auto`](Ink::Auto) decides by the first row.
    pub ink: Ink,
    /// The numbers at the ends of the scale; `None` for the lowest and the highest of the first row. Numbers beyond have the colours of the ends.
    pub range: Option<[f64; 2]>,
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Width of the picture in pixels; its height is that of the rows.
    pub width_of_picture: u32,
}

/// Gap between images at the default picture size.
const GAP: f64 = 8.0;
/// The part of the picture that titles of rows take at most.
const MOST_TITLE: f64 = 0.25;
/// Longer side of an image, at the default picture size: the smallest, beyond which images are left out, and the largest.
const SIDES: [f64; 2] = [28.0, 150.0];

impl<'a> ImageRows<'a> {
    /// Grey rows without a title, in the default width.
    pub fn new(rows: &'a [ImageRow<'a>], height: usize, width: usize) -> Self {
        ImageRows {
            rows,
            height,
            width,
            channels: 1,
            ink: Ink::Auto,
            range: None,
            title: String::new(),
            subtitle: String::new(),
            width_of_picture: Size::default().width,
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "rows of images")
    }

    fn check(&self) -> Result<()> {
        if self.height == 0 || self.width == 0 || !matches!(self.channels, 1 | 3) {
            return Err(Error::BadImageShape {
                height: self.height,
                width: self.width,
                channels: self.channels,
            });
        }
        let expected = self.height * self.width * self.channels;
        let images = self.rows.iter().flat_map(|row| row.images);
        if let Some(got) = images.map(Vec::len).find(|length| *length != expected) {
            return Err(Error::LengthMismatch {
                name: "images",
                unit: "number of an image",
                expected,
                got,
            });
        }
        if let Some([low, high]) = self.range
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            return Err(Error::BadRange { low, high });
        }
        Ok(())
    }

    /// Images in the longest row.
    fn longest(&self) -> usize {
        (self.rows.iter().map(|row| row.images.len()))
            .max()
            .unwrap_or(0)
    }

    fn scene(&self) -> Result<Scene> {
        // The unit is that of a picture of the usual proportions.
        let usual = Size {
            width: self.width_of_picture,
            height: self.width_of_picture.saturating_mul(3) / 4,
        };
        usual.check()?;
        let unit = usual.unit();
        let gap = GAP * unit;
        let titles = (self.rows.iter()).map(|row| font::width(&row.title, LABEL * unit));
        let beside = titles.fold(0.0, f64::max);
        let inside = f64::from(usual.width) - 2.0 * frame::MARGIN * unit;
        let beside = beside.min(MOST_TITLE * inside) + if beside > 0.0 { 2.0 * gap } else { 0.0 };
        let longest = self.width.max(self.height) as f64;
        let room = inside - beside;
        let across = |side: f64| side * unit * self.width as f64 / longest;
        let most = ((room + gap) / (across(SIDES[0]) + gap)).max(1.0) as usize;
        let shown = self.longest().min(most).max(1);
        let tile_width = ((room + gap) / shown as f64 - gap).min(across(SIDES[1]));
        // Whole numbers of screen pixels for each image pixel look even.
        let zoom = tile_width / self.width as f64;
        let zoom = if zoom >= 2.0 { zoom.floor() } else { zoom };
        let tile = [self.width, self.height].map(|pixels| (pixels as f64 * zoom).round().max(1.0));
        let notes = self.notes(shown);
        // Letters keep the size that they have in a picture of the usual proportions, whatever the height.
        let mut header = Scene::new(usual)?;
        let laid_out = frame::header(&mut header, &self.title, &notes);
        let n_rows = self.rows.len() as f64;
        let height = laid_out.top + n_rows * (tile[1] + gap) - gap + frame::MARGIN * unit;
        let size = Size {
            width: usual.width,
            height: (height.ceil() as u32).clamp(Size::MIN, Size::MAX),
        };
        if height > f64::from(Size::MAX) {
            return Err(Error::BadSize {
                width: size.width,
                height: height.ceil() as u32,
            });
        }
        let mut scene = Scene::new(size)?;
        scene.items = header.items;
        let shades = self.shades();
        for (number, row) in self.rows.iter().enumerate() {
            let top = (laid_out.top + number as f64 * (tile[1] + gap)).round();
            if beside > 0.0 {
                let size = LABEL * unit;
                let text = font::shorten(&row.title, size, beside - 2.0 * gap);
                let place = [laid_out.left, top + tile[1] / 2.0];
                let text = Text {
                    color: QUIET,
                    ..Text::new(text, place, size)
                };
                scene.text(text.centred_vertically());
            }
            for (place, image) in row.images.iter().take(shown).enumerate() {
                let area = Area {
                    left: (laid_out.left + beside + place as f64 * (tile[0] + gap)).round(),
                    top,
                    width: tile[0],
                    height: tile[1],
                };
                scene.items.push(Item::Image {
                    area,
                    pixels: shades.pixels(image, [self.width, self.height], self.channels),
                });
                frame::outline(
                    &mut scene,
                    &Area {
                        width: tile[0] - 1.0,
                        height: tile[1] - 1.0,
                        ..area
                    },
                );
            }
        }
        Ok(scene)
    }

    /// The scale that all images share.
    fn shades(&self) -> Shades {
        let first = self.rows.first().map_or(&[][..], |row| row.images);
        let shades = Shades::of(first, self.ink, self.channels);
        match self.range {
            Some(range) => shades.over(range),
            None => shades,
        }
    }

    fn notes(&self, shown: usize) -> String {
        let mut notes = vec![self.subtitle.clone()];
        let shades = self.shades();
        let more = match (self.channels, shades.is_ink()) {
            (3, _) => "",
            (_, true) => "darker is more; ",
            _ => "lighter is more; ",
        };
        let [low, high] = shades.range();
        if low < high {
            let ends = rounded(&[low, high]);
            let [low, high] = [&ends[0], &ends[1]].map(|text| without_zeros(text));
            notes.push(format!("{more}one scale, from {low} to {high}"));
        }
        if shown < self.longest() {
            notes.push(format!(
                "the first {} of {} images",
                count(shown),
                count(self.longest())
            ));
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" · ")
    }
}

/// A number without decimals that are all zero.
fn without_zeros(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, decimals)) if decimals.chars().all(|digit| digit == '0') => whole,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture<'a>(rows: &'a [ImageRow<'a>]) -> ImageRows<'a> {
        ImageRows {
            title: "denoising".into(),
            ..ImageRows::new(rows, 2, 2)
        }
    }

    #[test]
    fn all_rows_have_the_scale_of_the_first() {
        let (first, second) = ([vec![0.0, 4.0, 2.0, 0.0]], [vec![-4.0, 8.0, 2.0, 1.0]]);
        let row = |title: &str, images| ImageRow {
            title: title.into(),
            images,
        };
        let rows = [row("clean", &first), row("noisy", &second)];
        let picture = picture(&rows);
        let scene = picture.scene().unwrap();
        let pixels: Vec<Vec<u8>> = (scene.items.iter())
            .filter_map(|item| match item {
                Item::Image { pixels, .. } => {
                    Some(pixels.rgba.iter().step_by(4).copied().collect())
                }
                _ => None,
            })
            .collect();
        // Half of the numbers are the lowest: ink on paper. Numbers beyond the scale have the colours of its ends.
        assert_eq!(pixels, [[255, 0, 127, 255], [255, 0, 127, 191]]);
        let svg = String::from_utf8(picture.draw(Format::Svg).unwrap()).unwrap();
        for text in ["clean", "noisy", "denoising", "one scale, from 0 to 4"] {
            assert!(svg.contains(text), "{text}");
        }
        let narrow = ImageRows {
            range: Some([0.0, 8.0]),
            ink: Ink::Light,
            ..picture
        };
        assert!(
            narrow
                .notes(1)
                .contains("lighter is more; one scale, from 0 to 8")
        );
    }

    #[test]
    fn the_picture_is_as_high_as_its_rows() {
        let images = vec![vec![0.0, 1.0, 0.5, 0.2]; 5];
        let row = ImageRow {
            title: String::new(),
            images: &images,
        };
        let heights =
            [1, 2, 4].map(|n| picture(&vec![row.clone(); n]).scene().unwrap().size.height);
        assert!(heights[0] < heights[1] && heights[1] < heights[2]);
        assert!(heights[2] < 900);
    }

    #[test]
    fn wrong_shapes_and_ranges_are_errors() {
        let images = [vec![0.0; 3]];
        let rows = [ImageRow {
            title: String::new(),
            images: &images,
        }];
        assert!(picture(&rows).draw(Format::Png).is_err());
        let wrong = ImageRows {
            range: Some([1.0, 1.0]),
            ..ImageRows::new(&[], 2, 2)
        };
        assert!(wrong.draw(Format::Png).is_err());
        assert!(picture(&[]).draw(Format::Png).is_ok());
    }
}
