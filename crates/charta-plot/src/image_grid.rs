//! Components shown as small images, such as eigenfaces.

use crate::color::{QUIET, Rgb, diverging};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, TICK};
use crate::scene::{Anchor, Area, Item, Pixels, Scene, Text};
use crate::thumbnails::{Ink, is_drawn};
use crate::ticks::count;

/// A grid of small images of one shape, each scaled by its own range of values.
#[derive(Clone, Debug)]
pub struct ImageGrid<'a> {
    /// The images: rows from the top, pixels from the left, then the channels of a pixel.
    pub images: &'a [Vec<f64>],
    /// Rows of pixels in an image.
    pub height: usize,
    /// Columns of pixels in an image.
    pub width: usize,
    /// Numbers in a pixel: 1, or 3 for red, green and blue.
    pub channels: usize,
    /// A line below each image; empty for none at all.
    pub captions: &'a [String],
    /// Zero is nearly white, negative blue and positive red, for components. Otherwise grey, by the ink.
    /// Three channels are always light: red, green and blue from their lowest number to their highest.
    pub signed: bool,
    /// Whether high numbers of grey images are dark. Dark images go from white to black: white is zero
    /// if no number of an image is negative, as in the parts of a non-negative factorization, else its lowest number. Light
    /// ones go from black, their lowest number, to white.
    pub ink: Ink,
    /// An image before all others, the mean of what the components describe: always grey, by the ink.
    pub mean: Option<&'a [f64]>,
    /// What has a scale of its own, if an image is made of several.
    pub unit: &'a str,
    /// What is shown.
    pub title: String,
    /// Width and height in pixels, at most: canvas beside and below the images is cut.
    pub size: Size,
}

/// Colour of a pixel that is not a finite number: found in neither scale.
const NOT_FINITE: Rgb = Rgb(255, 0, 255);
const GAP: f64 = 16.0;
/// Caption of the mean.
const MEAN: &str = "mean";
/// Longer side of an image when there are too many to show them all, at the default picture size.
const SMALLEST_TILE: f64 = 24.0;

impl<'a> ImageGrid<'a> {
    /// A grid of grey images without captions, in the default size.
    pub fn new(images: &'a [Vec<f64>], height: usize, width: usize) -> Self {
        let size = Size::default();
        ImageGrid {
            images,
            height,
            width,
            channels: 1,
            captions: &[],
            signed: false,
            ink: Ink::Dark,
            mean: None,
            unit: "image",
            title: String::new(),
            size,
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a grid of images")
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
        let lengths = self.images.iter().map(Vec::len);
        if let Some(got) = lengths
            .chain(self.mean.map(<[f64]>::len))
            .find(|length| *length != expected)
        {
            return Err(Error::LengthMismatch {
                name: "images",
                unit: "number of an image",
                expected,
                got,
            });
        }
        if !self.captions.is_empty() && self.captions.len() != self.images.len() {
            let (expected, got) = (self.images.len(), self.captions.len());
            return Err(Error::LengthMismatch {
                name: "captions",
                unit: "image",
                expected,
                got,
            });
        }
        Ok(())
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let area = frame::header(&mut scene, &self.title, &self.notes());
        let unit = self.size.unit();
        let grid = self.arrange(&area);
        let mean = self.mean.map(|mean| self.as_mean(mean));
        let shading = self.shading(self.images);
        let pixels = mean
            .into_iter()
            .chain(self.images.iter().map(|image| self.pixels(image, shading)));
        let captions = self
            .mean
            .filter(|_| !self.captions.is_empty())
            .map(|_| MEAN)
            .into_iter()
            .chain(self.captions.iter().map(String::as_str));
        let captions: Vec<&str> = captions.collect();
        for (number, pixels) in pixels.take(grid.shown).enumerate() {
            let tile = grid.tile(number);
            scene.items.push(Item::Image { area: tile, pixels });
            frame::outline(
                &mut scene,
                &Area {
                    width: tile.width - 1.0,
                    height: tile.height - 1.0,
                    ..tile
                },
            );
            if let Some(caption) = captions.get(number) {
                let size = TICK * unit;
                let place = [
                    tile.left + tile.width / 2.0,
                    tile.bottom() + size + 3.0 * unit,
                ];
                let caption = font::shorten(caption, size, grid.step[0] - 4.0 * unit);
                scene.text(Text {
                    color: QUIET,
                    anchor: Anchor::Middle,
                    ..Text::new(caption, place, size)
                });
            }
        }
        if grid.shown > 0 && self.n_images() > 0 {
            let last = grid.tile(grid.shown - 1);
            let right = grid.tile((grid.columns - 1).min(grid.shown - 1)).right();
            scene.cut([right, last.bottom() + self.caption_height()]);
        }
        Ok(scene)
    }

    /// How many images there are, the mean included.
    fn n_images(&self) -> usize {
        self.images.len() + usize::from(self.mean.is_some())
    }

    fn notes(&self) -> String {
        let mut notes = Vec::new();
        let scale = format!("each {} has its own scale", self.unit);
        let (shown, n) = (self.n_shown(), self.n_images());
        if shown < n {
            notes.push(format!("the first {} of {} images", count(shown), count(n)));
        }
        if self.images.is_empty() {
            notes.push("no images".to_owned());
        } else if self.signed && self.channels == 1 {
            notes.push(format!("blue is negative, red positive; {scale}"));
        } else if self.channels == 1 {
            let more = match self.shading(self.images) {
                Shading::Light => "lighter is more",
                _ => "darker is more",
            };
            notes.push(format!("{more}; {scale}"));
        } else if self.signed {
            notes.push(format!("middle grey is zero; {scale}"));
        }
        let bad = self
            .images
            .iter()
            .flatten()
            .filter(|value| !value.is_finite())
            .count();
        if bad > 0 {
            notes.push(format!("{} numbers are not finite (magenta)", count(bad)));
        }
        notes.join(" · ")
    }

    /// How many images there is room for, below a header of any length.
    fn n_shown(&self) -> usize {
        let unit = self.size.unit();
        let longest = self.width.max(self.height) as f64;
        let fit = |room: f64, pixels: usize, below: f64| {
            let tile = SMALLEST_TILE * unit * pixels as f64 / longest;
            ((room + GAP * unit) / (tile + GAP * unit + below)).max(1.0) as usize
        };
        let room = [self.size.width, self.size.height]
            .map(|side| f64::from(side) - 2.0 * frame::MARGIN * unit);
        let across = fit(room[0], self.width, 0.0);
        let down = fit(room[1] - 140.0 * unit, self.height, self.caption_height());
        self.n_images().min(across * down)
    }

    fn caption_height(&self) -> f64 {
        if self.captions.is_empty() {
            0.0
        } else {
            (TICK + 8.0) * self.size.unit()
        }
    }

    /// The arrangement with the largest images.
    fn arrange(&self, area: &Area) -> Arrangement {
        let unit = self.size.unit();
        let caption = self.caption_height();
        let gap = GAP * unit;
        let n = self.n_shown().max(1);
        let zoom = |columns: usize| {
            let rows = n.div_ceil(columns) as f64;
            let across = ((area.width + gap) / columns as f64 - gap) / self.width as f64;
            let down = ((area.height + gap) / rows - gap - caption) / self.height as f64;
            across.min(down)
        };
        let columns = (1..=n)
            .max_by(|a, b| zoom(*a).total_cmp(&zoom(*b)).then(b.cmp(a)))
            .unwrap_or(1);
        let zoom = zoom(columns);
        // Whole numbers of screen pixels for each image pixel look even; there is no such choice below one.
        let zoom = if zoom >= 2.0 { zoom.floor() } else { zoom };
        let tile = [self.width, self.height].map(|pixels| (pixels as f64 * zoom).round().max(1.0));
        let step = [tile[0] + gap, tile[1] + gap + caption];
        let spare = area.width + gap - columns as f64 * step[0];
        // Room that is left goes between the columns, up to a point; the rest is cut.
        let step = [
            step[0] + (spare / columns as f64).clamp(0.0, 2.0 * gap),
            step[1],
        ];
        // A caption wider than its image reaches to both sides of it.
        let aside = if self.captions.is_empty() {
            0.0
        } else {
            (step[0] - tile[0]) / 2.0 - gap / 2.0
        };
        let origin = [area.left + aside, area.top];
        Arrangement {
            shown: n,
            columns,
            tile,
            step,
            origin: origin.map(f64::round),
        }
    }

    /// How the numbers of these images become colours.
    fn shading(&self, images: &[Vec<f64>]) -> Shading {
        let is_dark = match self.ink {
            Ink::Auto => is_drawn(images),
            ink => ink == Ink::Dark,
        };
        if self.signed {
            Shading::Diverging
        } else if is_dark {
            Shading::Dark
        } else {
            Shading::Light
        }
    }

    /// The mean, in grey whatever the components are.
    fn as_mean(&self, mean: &[f64]) -> Pixels {
        let plain = ImageGrid {
            signed: false,
            ..self.clone()
        };
        let image = [mean.to_vec()];
        plain.pixels(mean, plain.shading(&image))
    }

    fn pixels(&self, image: &[f64], shading: Shading) -> Pixels {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let finite = image.iter().filter(|value| value.is_finite());
        let (low, high) = finite.fold(start, |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let largest = low.abs().max(high.abs());
        let (low, high) = if self.signed {
            (-largest, largest)
        } else if self.channels == 1 && low > 0.0 && shading == Shading::Dark {
            (0.0, high)
        } else {
            (low, high)
        };
        // A flat image is middle grey, but one of zeros has nothing dark. Halves, since the whole range may overflow.
        let half = high / 2.0 - low / 2.0;
        let flat = if self.channels == 1 && !self.signed && largest == 0.0 {
            0.0
        } else {
            0.5
        };
        let share = |value: f64| {
            if half > 0.0 {
                (value / 2.0 - low / 2.0) / half
            } else {
                flat
            }
        };
        let level = |value: f64| (share(value) * 255.0).round() as u8;
        let color = |pixel: &[f64]| match pixel {
            pixel if pixel.iter().any(|value| !value.is_finite()) => NOT_FINITE,
            [value] if self.signed => diverging(2.0 * share(*value) - 1.0),
            [value] => {
                let light = match shading {
                    Shading::Light => level(*value),
                    _ => 255 - level(*value),
                };
                Rgb(light, light, light)
            }
            pixel => Rgb(level(pixel[0]), level(pixel[1]), level(pixel[2])),
        };
        let rgb = image.chunks(self.channels).map(color);
        let rgba = rgb
            .flat_map(|Rgb(red, green, blue)| [red, green, blue, 255])
            .collect();
        Pixels {
            width: self.width,
            height: self.height,
            rgba,
        }
    }
}

/// How numbers become colours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shading {
    /// Blue and red about zero.
    Diverging,
    /// Grey, high numbers dark.
    Dark,
    /// Grey, high numbers light.
    Light,
}

/// Where the images lie.
struct Arrangement {
    /// How many images there are places for.
    shown: usize,
    columns: usize,
    tile: [f64; 2],
    step: [f64; 2],
    origin: [f64; 2],
}

impl Arrangement {
    fn tile(&self, number: usize) -> Area {
        let (row, column) = (number / self.columns, number % self.columns);
        let left = (self.origin[0] + column as f64 * self.step[0]).round();
        let top = (self.origin[1] + row as f64 * self.step[1]).round();
        Area {
            left,
            top,
            width: self.tile[0],
            height: self.tile[1],
        }
    }
}

#[cfg(test)]
mod tests;
