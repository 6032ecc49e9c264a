//! Components shown as small images, such as eigenfaces.

use crate::colour::{QUIET, Rgb, diverging};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, TICK};
use crate::scene::{Anchor, Area, Item, Pixels, Scene, Text};

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
    /// Zero is nearly white, negative blue and positive red, for components. Otherwise from black (lowest) to white.
    pub signed: bool,
    /// What is shown.
    pub title: String,
    /// Width and height in pixels.
    pub size: Size,
}

/// Colour of a pixel that is not a finite number: found in neither scale.
const NOT_FINITE: Rgb = Rgb(255, 0, 255);
const GAP: f64 = 16.0;

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
        if let Some(got) = self
            .images
            .iter()
            .map(Vec::len)
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
        for (number, image) in self.images.iter().enumerate() {
            let tile = grid.tile(number);
            scene.items.push(Item::Image {
                area: tile,
                pixels: self.pixels(image),
            });
            frame::outline(
                &mut scene,
                &Area {
                    width: tile.width - 1.0,
                    height: tile.height - 1.0,
                    ..tile
                },
            );
            if let Some(caption) = self.captions.get(number) {
                let size = TICK * unit;
                let place = [
                    tile.left + tile.width / 2.0,
                    tile.bottom() + size + 3.0 * unit,
                ];
                let caption = font::shorten(caption, size, grid.step[0] - 4.0 * unit);
                scene.text(Text {
                    colour: QUIET,
                    anchor: Anchor::Middle,
                    ..Text::new(caption, place, size)
                });
            }
        }
        Ok(scene)
    }

    fn notes(&self) -> String {
        let mut notes = Vec::new();
        if self.images.is_empty() {
            notes.push("no images".to_owned());
        } else if self.signed && self.channels == 1 {
            notes.push("blue is negative, red positive; each image has its own scale".into());
        } else if self.signed {
            notes.push("middle grey is zero; each image has its own scale".into());
        }
        let bad = self
            .images
            .iter()
            .flatten()
            .filter(|value| !value.is_finite())
            .count();
        if bad > 0 {
            notes.push(format!(
                "{} numbers are not finite (magenta)",
                crate::ticks::count(bad)
            ));
        }
        notes.join(" · ")
    }

    /// The arrangement with the largest images.
    fn arrange(&self, area: &Area) -> Arrangement {
        let unit = self.size.unit();
        let caption = if self.captions.is_empty() {
            0.0
        } else {
            (TICK + 8.0) * unit
        };
        let gap = GAP * unit;
        let n = self.images.len().max(1);
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
        let rows = n.div_ceil(columns) as f64;
        let spare = [
            area.width + gap - columns as f64 * step[0],
            area.height + gap - rows * step[1],
        ];
        // Room that is left goes between the columns, up to a point, and around the grid.
        let step = [
            step[0] + (spare[0] / columns as f64).clamp(0.0, 2.0 * gap),
            step[1],
        ];
        let used = columns as f64 * step[0] - (step[0] - tile[0]);
        let origin = [
            area.left + ((area.width - used) / 2.0).max(0.0),
            area.top + (spare[1] / 2.0).clamp(0.0, 40.0 * unit),
        ];
        Arrangement {
            columns,
            tile,
            step,
            origin: origin.map(f64::round),
        }
    }

    fn pixels(&self, image: &[f64]) -> Pixels {
        let finite = || image.iter().copied().filter(|value| value.is_finite());
        let largest = finite()
            .map(f64::abs)
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE);
        let (low, high) = finite()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        // A flat image is middle grey. Halves, since the whole range may overflow.
        let half = high / 2.0 - low / 2.0;
        let share = |value: f64| {
            if half > 0.0 {
                (value / 2.0 - low / 2.0) / half
            } else {
                0.5
            }
        };
        let level = |value: f64| {
            let share = if self.signed {
                0.5 + 0.5 * value / largest
            } else {
                share(value)
            };
            (share * 255.0).round() as u8
        };
        let colour = |pixel: &[f64]| match pixel {
            pixel if pixel.iter().any(|value| !value.is_finite()) => NOT_FINITE,
            [value] if self.signed => diverging(value / largest),
            [value] => Rgb(level(*value), level(*value), level(*value)),
            pixel => Rgb(level(pixel[0]), level(pixel[1]), level(pixel[2])),
        };
        let rgba = image
            .chunks(self.channels)
            .map(colour)
            .flat_map(|Rgb(red, green, blue)| [red, green, blue, 255]);
        Pixels {
            width: self.width,
            height: self.height,
            rgba: rgba.collect(),
        }
    }
}

/// Where the images lie.
struct Arrangement {
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
mod tests {
    use super::*;
    use crate::png_file::decode;

    /// The colour painted at a pixel of an image, in the middle of its square.
    fn painted(grid: &ImageGrid<'_>, number: usize, row: usize, column: usize) -> Rgb {
        let mut scene = Scene::new(grid.size).unwrap();
        let tile = grid
            .arrange(&frame::header(&mut scene, &grid.title, &grid.notes()))
            .tile(number);
        let x = tile.left + (column as f64 + 0.5) / grid.width as f64 * tile.width;
        let y = tile.top + (row as f64 + 0.5) / grid.height as f64 * tile.height;
        let (width, _, pixels) = decode(&grid.draw(Format::Png).unwrap());
        pixels[y as usize * width + x as usize]
    }

    #[test]
    fn values_become_the_right_pixels() {
        let images = vec![
            vec![0.0, 0.25, 0.5, 0.75, 1.0, 0.0],
            vec![5.0, 7.0, 9.0, 5.0, 5.0, 5.0],
        ];
        let captions = ["first".to_owned(), "second".to_owned()];
        let grid = ImageGrid {
            captions: &captions,
            title: "two".into(),
            ..ImageGrid::new(&images, 2, 3)
        };
        assert_eq!(painted(&grid, 0, 0, 0), Rgb(0, 0, 0));
        assert_eq!(painted(&grid, 0, 0, 1), Rgb(64, 64, 64));
        assert_eq!(painted(&grid, 0, 1, 0), Rgb(191, 191, 191));
        assert_eq!(painted(&grid, 0, 1, 1), Rgb(255, 255, 255));
        assert_eq!(painted(&grid, 1, 0, 1), Rgb(128, 128, 128));
    }

    #[test]
    fn signed_images_are_blue_below_and_red_above_zero() {
        let images = vec![vec![-2.0, 0.0, 1.0, 2.0]];
        let grid = ImageGrid {
            signed: true,
            ..ImageGrid::new(&images, 2, 2)
        };
        assert_eq!(painted(&grid, 0, 0, 0), diverging(-1.0));
        assert_eq!(painted(&grid, 0, 0, 1), Rgb(247, 247, 247));
        assert_eq!(painted(&grid, 0, 1, 0), diverging(0.5));
        assert_eq!(painted(&grid, 0, 1, 1), diverging(1.0));
    }

    #[test]
    fn three_channels_are_red_green_blue() {
        let images = vec![vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.5, f64::NAN, 0.0, 0.0]];
        let grid = ImageGrid {
            channels: 3,
            ..ImageGrid::new(&images, 1, 3)
        };
        assert_eq!(painted(&grid, 0, 0, 0), Rgb(255, 0, 0));
        assert_eq!(painted(&grid, 0, 0, 1), Rgb(0, 255, 128));
        assert_eq!(painted(&grid, 0, 0, 2), NOT_FINITE);
        assert!(grid.notes().contains("1 numbers"));
    }

    #[test]
    fn images_lie_apart_and_inside_the_picture() {
        for n in [1, 2, 7, 12, 64, 500] {
            let images = vec![vec![0.5; 28 * 28]; n];
            let captions = vec!["name".to_owned(); n];
            let grid = ImageGrid {
                captions: &captions,
                ..ImageGrid::new(&images, 28, 28)
            };
            let area = frame::header(&mut Scene::new(grid.size).unwrap(), "", "");
            let arrangement = grid.arrange(&area);
            let tiles: Vec<Area> = (0..n).map(|number| arrangement.tile(number)).collect();
            assert!(
                tiles.iter().all(|tile| tile.right() <= 1200.0
                    && tile.bottom() <= 900.0
                    && tile.left >= 0.0),
                "{n}"
            );
            assert!(
                tiles
                    .iter()
                    .skip(1)
                    .all(|tile| tile.overlap(&tiles[0]) == 0.0),
                "{n}"
            );
        }
    }

    #[test]
    fn flat_huge_and_empty_images_do_not_crash_and_mistakes_are_named() {
        let images = vec![
            vec![3.0; 4],
            vec![f64::MAX, f64::MIN, 0.0, 1.0],
            vec![f64::NAN; 4],
        ];
        for signed in [false, true] {
            assert!(
                ImageGrid {
                    signed,
                    ..ImageGrid::new(&images, 2, 2)
                }
                .draw(Format::Png)
                .is_ok()
            );
        }
        assert!(ImageGrid::new(&[], 2, 2).draw(Format::Svg).is_ok());
        let message = ImageGrid::new(&images, 3, 2)
            .draw(Format::Png)
            .unwrap_err()
            .to_string();
        assert!(message.contains("expected 6, got 4"), "{message}");
        let message = ImageGrid {
            channels: 2,
            ..ImageGrid::new(&images, 1, 2)
        }
        .draw(Format::Png)
        .unwrap_err()
        .to_string();
        assert!(message.contains("1 x 2 with 2"), "{message}");
    }
}
