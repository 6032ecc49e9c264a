//! A picture as a list of shapes in pixels, before it becomes PNG or SVG.

use crate::color::{INK, Rgb};
use crate::error::{Error, Result};
use crate::font::{self, CAPITAL_HEIGHT};
use crate::format::{Format, Size};
use crate::frame::MARGIN;
use crate::palette::Shape;
use crate::{png_file, svg};

/// Width of the white rim around letters, as a fraction of the font size.
pub(crate) const HALO: f64 = 0.16;

/// A place in the picture: pixels from the left and from the top.
pub(crate) type Place = [f64; 2];

/// Shapes in the order in which they are painted, on white.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) size: Size,
    /// Factor of lengths such as font sizes, which are stated for the default size.
    pub(crate) unit: f64,
    /// Pixels per inch that a PNG file states.
    pub(crate) dpi: Option<u32>,
    pub(crate) items: Vec<Item>,
}

/// One thing to paint.
#[derive(Debug)]
pub(crate) enum Item {
    Polygon {
        corners: Vec<Place>,
        color: Rgb,
    },
    Line {
        places: Vec<Place>,
        width: f64,
        color: Rgb,
        dashed: bool,
    },
    /// Many short lines of one look.
    Segments {
        segments: Vec<[Place; 2]>,
        width: f64,
        color: Rgb,
    },
    Text(Text),
    Marks(Marks),
    Image {
        area: Area,
        pixels: Pixels,
    },
}

/// A line of text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Where the baseline meets the anchor.
    pub(crate) place: Place,
    pub(crate) size: f64,
    pub(crate) color: Rgb,
    pub(crate) anchor: Anchor,
    /// Written from the bottom to the top.
    pub(crate) upward: bool,
    /// A white rim keeps the letters readable on points and lines.
    pub(crate) halo: bool,
}

/// The part of a text that lies at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Many markers that share size and opacity.
#[derive(Debug)]
pub(crate) struct Marks {
    pub(crate) looks: Vec<(Rgb, Shape)>,
    pub(crate) radius: f64,
    pub(crate) opacity: f64,
    /// Which of the markers have a thin white rim, which keeps touching ones apart; empty for none.
    pub(crate) rims: Vec<bool>,
    /// Where, and which of the looks.
    pub(crate) marks: Vec<(Place, usize)>,
}

/// A block of pixels with opacity: red, green, blue, alpha.
#[derive(Debug)]
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgba: Vec<u8>,
}

/// A rectangle along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(crate) fn overlap(&self, other: &Area) -> f64 {
        let across = self.right().min(other.right()) - self.left.max(other.left);
        let down = self.bottom().min(other.bottom()) - self.top.max(other.top);
        across.max(0.0) * down.max(0.0)
    }

    pub(crate) fn corners(&self) -> Vec<Place> {
        let (right, bottom) = (self.right(), self.bottom());
        vec![
            [self.left, self.top],
            [right, self.top],
            [right, bottom],
            [self.left, bottom],
        ]
    }
}

impl Text {
    /// Dark text that starts at a place.
    pub(crate) fn new(text: impl Into<String>, place: Place, size: f64) -> Self {
        Text {
            text: text.into(),
            place,
            size,
            color: INK,
            anchor: Anchor::Start,
            upward: false,
            halo: false,
        }
    }

    /// Width of the white rim around the letters.
    pub(crate) fn halo_width(&self) -> f64 {
        HALO * self.size
    }

    /// Moves the baseline so that capital letters are centred on the place.
    pub(crate) fn centred_vertically(mut self) -> Self {
        self.place[1] += self.size * CAPITAL_HEIGHT / 2.0;
        self
    }
}

impl Scene {
    pub(crate) fn new(size: Size) -> Result<Self> {
        size.check()?;
        Ok(Scene {
            size,
            unit: size.unit(),
            dpi: None,
            items: Vec::new(),
        })
    }

    /// Cuts the canvas below and to the right of what is drawn, whose right lower end is given; titles keep their room.
    pub(crate) fn cut(&mut self, [right, bottom]: Place) {
        let ends = self.items.iter().filter_map(|item| match item {
            Item::Text(text) if text.anchor == Anchor::Start && !text.upward => {
                Some(text.place[0] + font::width(&text.text, text.size))
            }
            _ => None,
        });
        let right = ends.fold(right, f64::max);
        let margin = MARGIN * self.unit;
        let slack = [
            f64::from(self.size.width) - right - margin,
            f64::from(self.size.height) - bottom - margin,
        ];
        self.size = self
            .size
            .without(slack.map(|slack| slack.max(0.0)), self.size);
    }

    pub(crate) fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.items.push(Item::Text(text));
        }
    }

    pub(crate) fn line(&mut self, places: Vec<Place>, width: f64, color: Rgb) {
        self.items.push(Item::Line {
            places,
            width,
            color,
            dashed: false,
        });
    }

    pub(crate) fn fill(&mut self, area: Area, color: Rgb) {
        self.items.push(Item::Polygon {
            corners: area.corners(),
            color,
        });
    }

    /// The bytes of the picture; `picture` names its kind in the error for HTML, which is not a drawing of shapes.
    pub(crate) fn encode(&self, format: Format, picture: &'static str) -> Result<Vec<u8>> {
        match format {
            Format::Png => png_file::scene(self),
            Format::Svg => Ok(svg::render(self)?.into_bytes()),
            Format::Html => Err(Error::UnsupportedFormat { picture, format }),
        }
    }
}
