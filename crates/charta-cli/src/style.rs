//! How scatter plots look, in a plane, in space and in a matrix: size, resolution, title, markers, colours.

use charta_plot::{Pairs, Palette, Scatter, Size, Space};
use clap::ArgMatches;

use crate::failure::{Failure, Outcome};
use crate::input::{switch, text};

/// Pixels per inch where lengths are given and no resolution.
const USUAL_DPI: u32 = 150;
/// The highest resolution.
const MOST_DPI: u32 = 2400;

/// What the call requests of the look of its scatter plots.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Style {
    /// The size that the call chooses.
    size: Option<Size>,
    dpi: Option<u32>,
    title: Option<String>,
    point_size: f64,
    palette: Palette,
    pub(crate) class_names: bool,
    /// The first option that was given, if any: it needs a scatter plot.
    pub(crate) flag: Option<&'static str>,
}

impl Style {
    /// Reads the options of a call.
    pub(crate) fn new(given: &ArgMatches) -> Outcome<Self> {
        let dpi = text(given, "dpi").map(|text| dpi(&text)).transpose()?;
        let size = text(given, "size").map(|text| size(&text, dpi.unwrap_or(USUAL_DPI)));
        let (size, dpi) = match size.transpose()? {
            Some(Requested::Lengths(size)) => (Some(size), Some(dpi.unwrap_or(USUAL_DPI))),
            Some(Requested::Pixels(size)) => (Some(size), dpi),
            None => (None, dpi),
        };
        Ok(Self {
            size,
            dpi,
            title: text(given, "title"),
            point_size: text(given, "point-size").map_or(Ok(1.0), |text| point_size(&text))?,
            palette: text(given, "palette")
                .and_then(|name| Palette::ALL.into_iter().find(|one| one.name() == name))
                .unwrap_or_default(),
            class_names: switch(given, "class-names"),
            flag: flag(given),
        })
    }

    /// The same picture in this style.
    pub(crate) fn apply<'a>(&self, scatter: Scatter<'a>) -> Scatter<'a> {
        Scatter {
            size: self.size.unwrap_or(scatter.size),
            fit: self.size.is_none(),
            dpi: self.dpi,
            title: self.title.clone().unwrap_or(scatter.title),
            point_size: self.point_size,
            palette: self.palette,
            class_names: self.class_names,
            ..scatter
        }
    }

    /// The same points in space in this style.
    pub(crate) fn apply_to_space<'a>(&self, space: Space<'a>) -> Space<'a> {
        Space {
            size: self.size.unwrap_or(space.size),
            fit: self.size.is_none(),
            dpi: self.dpi,
            title: self.title.clone().unwrap_or(space.title),
            point_size: self.point_size,
            palette: self.palette,
            class_names: self.class_names,
            ..space
        }
    }

    /// The same matrix of scatter plots in this style.
    pub(crate) fn apply_to_pairs<'a>(&self, pairs: Pairs<'a>) -> Pairs<'a> {
        Pairs {
            size: self.size.unwrap_or(pairs.size),
            fit: self.size.is_none(),
            dpi: self.dpi,
            title: self.title.clone().unwrap_or(pairs.title),
            point_size: self.point_size,
            palette: self.palette,
            ..pairs
        }
    }
}

fn flag(given: &ArgMatches) -> Option<&'static str> {
    let values = ["size", "dpi", "title", "point-size", "palette"];
    let given_value = values.into_iter().find(|name| text(given, name).is_some());
    given_value.or(switch(given, "class-names").then_some("class-names"))
}

/// A size in pixels, as given or as lengths make it at a resolution.
#[derive(Debug, PartialEq)]
enum Requested {
    Pixels(Size),
    Lengths(Size),
}

fn size(text: &str, dpi: u32) -> Outcome<Requested> {
    let wrong = || {
        Failure::Usage(format!(
            "`--size` must be a width and a height in pixels, such as 1600x1200, or with a unit, such as 16x12cm, \
             160x120mm or 6x4in; got {text}"
        ))
    };
    let units = [("cm", 2.54), ("mm", 25.4), ("in", 1.0)];
    let unit = units.into_iter().find(|(unit, _)| text.ends_with(unit));
    let numbers = unit.map_or(text, |(unit, _)| &text[..text.len() - unit.len()]);
    let (width, height) = numbers.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let pixels = |text: &str| {
        let length: f64 = text.trim().parse().map_err(|_| wrong())?;
        let pixels = unit.map_or(length, |(_, per_inch)| length / per_inch * f64::from(dpi));
        // The picture itself checks its limits.
        if pixels.is_finite() && pixels >= 1.0 && (unit.is_some() || pixels.fract() == 0.0) {
            Ok(pixels.round().min(f64::from(u32::MAX)) as u32)
        } else {
            Err(wrong())
        }
    };
    let size = Size {
        width: pixels(width)?,
        height: pixels(height)?,
    };
    if !(Size::MIN..=Size::MAX).contains(&size.width)
        || !(Size::MIN..=Size::MAX).contains(&size.height)
    {
        return Err(Failure::Usage(format!(
            "`--size` must be {} to {} pixels wide and high, got {} x {}",
            Size::MIN,
            Size::MAX,
            size.width,
            size.height
        )));
    }
    Ok(if unit.is_some() {
        Requested::Lengths(size)
    } else {
        Requested::Pixels(size)
    })
}

fn dpi(text: &str) -> Outcome<u32> {
    match text.parse() {
        Ok(dpi) if (1..=MOST_DPI).contains(&dpi) => Ok(dpi),
        _ => Err(Failure::Usage(format!(
            "`--dpi` must be a whole number from 1 to {MOST_DPI}, got {text}"
        ))),
    }
}

fn point_size(text: &str) -> Outcome<f64> {
    match text.parse::<f64>() {
        Ok(factor) if (0.05..=20.0).contains(&factor) => Ok(factor),
        _ => Err(Failure::Usage(format!(
            "`--point-size` must be a factor from 0.05 to 20, got {text}"
        ))),
    }
}

/// The note about characters that PNG pictures cannot show, if there are any among the texts.
pub(crate) fn missing_characters<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const SHOWN: usize = 8;
    let missing = charta_plot::missing_characters(texts);
    missing.first()?;
    let more = missing.len() > SHOWN;
    let shown: String = missing.iter().take(SHOWN).collect();
    let noun = if missing.len() == 1 {
        "character"
    } else {
        "characters"
    };
    Some(format!(
        "the font of PNG pictures lacks the {noun} {shown}{}: boxes are drawn in their place; .svg and .html use the fonts \
         of the reader",
        if more { "…" } else { "" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(width: u32, height: u32) -> Size {
        Size { width, height }
    }

    #[test]
    fn sizes_are_pixels_or_lengths() {
        assert_eq!(
            size("1600x1200", 150).unwrap(),
            Requested::Pixels(pixels(1600, 1200))
        );
        assert_eq!(
            size("6x4in", 300).unwrap(),
            Requested::Lengths(pixels(1800, 1200))
        );
        assert_eq!(
            size("25.4x12.7cm", 100).unwrap(),
            Requested::Lengths(pixels(1000, 500))
        );
        for wrong in [
            "1600",
            "ax3",
            "10.5x800",
            "-4x900",
            "NaNx900",
            "1x1in",
            "90000x900",
            "xcm",
        ] {
            assert!(size(wrong, 150).is_err(), "{wrong}");
        }
    }

    #[test]
    fn wrong_numbers_are_refused() {
        assert!(dpi("0").is_err() && dpi("300").is_ok() && dpi("a").is_err());
        assert!(point_size("0").is_err() && point_size("NaN").is_err() && point_size("2").is_ok());
    }

    #[test]
    fn characters_without_a_glyph_are_named() {
        assert_eq!(missing_characters(["plain"]), None);
        assert!(
            missing_characters(["東"])
                .unwrap()
                .contains("the character 東:")
        );
    }
}
