//! File formats and picture sizes.

use std::fmt;
use std::path::Path;

use crate::base64;
use crate::error::{Error, Result};

/// The file format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Pixels.
    Png,
    /// Vector graphics.
    Svg,
    /// A web page that needs no network: zoom, pan, hover.
    Html,
}

impl Format {
    /// The format that the extension of a path asks for: `.png`, `.svg`, `.html` or `.htm`, in upper or lower case.
    pub fn from_path(path: &Path) -> Result<Format> {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("png") => Ok(Format::Png),
            Some("svg") => Ok(Format::Svg),
            Some("html" | "htm") => Ok(Format::Html),
            _ => Err(Error::UnknownFormat {
                path: path.display().to_string(),
            }),
        }
    }

    /// A file of this format as a `data:` address, which a page can hold in place of a link.
    pub fn data_url(self, bytes: &[u8]) -> String {
        let kind = match self {
            Format::Png => "image/png",
            Format::Svg => "image/svg+xml",
            Format::Html => "text/html;charset=utf-8",
        };
        format!("data:{kind};base64,{}", base64::encode(bytes))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Format::Png => "PNG",
            Format::Svg => "SVG",
            Format::Html => "HTML",
        })
    }
}

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Size {
            width: 1200,
            height: 900,
        }
    }
}

impl Size {
    /// The smallest width or height that still leaves room for text.
    pub const MIN: u32 = 200;
    /// The largest width or height: a square of it takes up to two gigabytes while it is drawn.
    pub const MAX: u32 = 8_000;

    /// The fraction of the canvas's sides that is left where most of it stays empty: titles need some room.
    const SMALLEST_SHARE: f64 = 0.4;

    pub(crate) fn check(self) -> Result<()> {
        let allowed = Size::MIN..=Size::MAX;
        if allowed.contains(&self.width) && allowed.contains(&self.height) {
            return Ok(());
        }
        Err(Error::BadSize {
            width: self.width,
            height: self.height,
        })
    }

    /// A canvas without what stays empty on it, across and down; not smaller than [`Self::SMALLEST_SHARE`] of the largest
    /// one, and no larger.
    pub(crate) fn without(self, slack: [f64; 2], largest: Size) -> Size {
        let side = |now: u32, slack: f64, largest: u32| {
            let least = (Size::SMALLEST_SHARE * f64::from(largest)).ceil() as u32;
            let cut = (f64::from(now) - slack).round().max(0.0) as u32;
            cut.clamp(least.max(Size::MIN).min(largest), largest)
        };
        Size {
            width: side(self.width, slack[0], largest.width),
            height: side(self.height, slack[1], largest.height),
        }
    }

    /// Lengths such as font sizes are stated for the default size and multiplied by this.
    pub(crate) fn unit(self) -> f64 {
        // A low picture needs smaller letters only where a few lines of them would fill it.
        let ratio = (f64::from(self.width) / 1200.0).min(f64::from(self.height) / 480.0);
        // Text of small pictures shrinks less than they do, or it would be illegible.
        if ratio < 1.0 { ratio.sqrt() } else { ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        assert_eq!(
            Format::from_path(Path::new("a/b.PNG")).unwrap(),
            Format::Png
        );
        assert_eq!(
            Format::from_path(Path::new("b.tar.svg")).unwrap(),
            Format::Svg
        );
        assert_eq!(Format::from_path(Path::new("b.htm")).unwrap(), Format::Html);
        for path in ["picture", "picture.pdf", ".png", ""] {
            let message = Format::from_path(Path::new(path)).unwrap_err().to_string();
            assert!(
                message.contains(".png, .svg or .html") && message.contains(path),
                "{message}"
            );
        }
    }

    #[test]
    fn sizes_have_limits() {
        assert!(Size::default().check().is_ok());
        for (width, height) in [(0, 900), (1200, 100), (20_000, 900)] {
            assert!(Size { width, height }.check().is_err());
        }
    }
}
