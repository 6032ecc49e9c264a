//! What can be wrong with a requested picture.

use crate::format::Format;

/// Result of a drawing step.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong with a requested picture, and what was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path has no extension, or one of a format that cannot be drawn.
    #[error("cannot tell the picture format of `{path}`: its name must end in .png, .svg or .html")]
    UnknownFormat {
        /// The path as given.
        path: String,
    },
    /// This kind of picture cannot be drawn in this format.
    #[error("{picture} cannot be drawn as {format}: choose .png or .svg")]
    UnsupportedFormat {
        /// The kind of picture.
        picture: &'static str,
        /// The requested format.
        format: Format,
    },
    /// The picture is too small to hold its text, or too large to hold in memory.
    #[error(
        "the picture must be {} to {} pixels wide and high, got {width} x {height}",
        crate::Size::MIN,
        crate::Size::MAX
    )]
    BadSize {
        /// The requested width in pixels.
        width: u32,
        /// The requested height in pixels.
        height: u32,
    },
    /// A slice that goes with the points, components or images has another length.
    #[error("`{name}` must have one entry for each {unit}: expected {expected}, got {got}")]
    LengthMismatch {
        /// The slice.
        name: &'static str,
        /// What one entry stands for.
        unit: &'static str,
        /// The length needed.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A matrix of scatter plots has too few coordinates, or too many for their panels to be seen.
    #[error(
        "a matrix of scatter plots shows 2 to {} coordinates, got {got}",
        crate::Pairs::MOST
    )]
    BadColumnCount {
        /// How many coordinates there are.
        got: usize,
    },
    /// A row belongs to a class that has no name.
    #[error("row {row} is of class {class}, but only {n_classes} classes have names")]
    UnknownClass {
        /// The row.
        row: usize,
        /// Its class.
        class: usize,
        /// How many classes have names.
        n_classes: usize,
    },
    /// An edge leads to a row that is not there.
    #[error("edge {edge} leads to row {row}, but there are only {n_rows} rows")]
    UnknownRow {
        /// The edge.
        edge: usize,
        /// The row.
        row: usize,
        /// How many rows there are.
        n_rows: usize,
    },
    /// A mark belongs to a class that has no name.
    #[error("mark {mark} is of class {class}, but only {n_classes} classes have names")]
    UnknownMarkClass {
        /// The mark, counted from 0.
        mark: usize,
        /// Its class.
        class: usize,
        /// How many classes have names.
        n_classes: usize,
    },
    /// An image has no pixels, or a number of channels other than one or three.
    #[error(
        "images must be at least 1 x 1 pixels with 1 or 3 channels, got {height} x {width} with {channels}"
    )]
    BadImageShape {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// Numbers in a pixel.
        channels: usize,
    },
    /// A number that must be finite (and where said, positive) is not.
    #[error("`{name}` must be {requirement}, got {value}")]
    BadNumber {
        /// The field.
        name: &'static str,
        /// What it must be.
        requirement: &'static str,
        /// The value given.
        value: f64,
    },
    /// The ends of a requested range are not finite, or the lower one is not lower.
    #[error("`range` must go from a finite number up to a larger one, got {low} to {high}")]
    BadRange {
        /// The lower end given.
        low: f64,
        /// The upper end given.
        high: f64,
    },
    /// The data of a page could not be written as JSON.
    #[error("the data of the page could not be written: {0}")]
    Page(#[from] serde_json::Error),
    /// The picture could not be compressed.
    #[error("the picture could not be encoded as PNG: {0}")]
    Encoding(#[from] png::EncodingError),
}
