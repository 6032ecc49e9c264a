//! Pictures of embeddings without a browser: PNG and SVG, plus a self-contained HTML scatter.
//!
//! Each picture takes plain slices and returns the bytes of a file; writing them is left to the caller.
//! - [`Scatter`]: the points of an embedding, colored by class or number, with a [`Mark`] at points such as class means
//!   and an [`Arrow`] for each feature of a biplot.
//!   [`Thumbnails`] are rows that are images, drawn at their points.
//!   Edges join points below them, a [`Stroke`] is a path or an axis, and a [`Grid`] gives [contour](Contour) lines.
//! - [`Space`]: points in three dimensions, as a projection, or turned by hand in HTML.
//! - [`Pairs`]: a matrix of scatter plots, one for every pair of several coordinates, with their histograms.
//! - [`Panels`]: several maps of the same rows side by side, with one legend.
//! - [`strips`]: a single coordinate, laid out for a [`Scatter`] with a strip of points for each class.
//! - [`Scree`]: variance per component, and how many components to keep.
//! - [`Bars`]: one value per component, such as canonical correlations.
//! - [`LinearMap`]: a cloud in the plane and its image under a matrix, with eigenvectors and theirs.
//! - [`Loadings`]: features by components as a heat map of signed numbers.
//! - [`ImageGrid`]: components shown as small images.
//! - [`ImageRows`]: rows of images on one scale, to compare reconstructions with originals.
//! - [`Cells`]: the units of a grid, coloured by a number each, in panels.
//! - [`Curve`]: one or several lines over iterations, such as a likelihood or a loss, perhaps with their spread.
//!
//! ```
//! use charta_plot::{Format, Scatter};
//! let points = [[0.0, 1.0], [2.0, 3.0]];
//! let png = Scatter { title: "two points".into(), ..Scatter::new(&points) }.draw(Format::Png)?;
//! assert!(png.starts_with(b"\x89PNG"));
//! # Ok::<(), charta_plot::Error>(())
//! ```
//!
//! A biplot shows points and features at once: the arrows share one factor, which the subtitle states.
//!
//! ```
//! use charta_plot::{Arrow, Format, Scatter};
//! let scores = [[-3.0, 0.5], [0.0, -1.0], [3.0, 0.5]];
//! let arrows = [Arrow { name: "petal length".into(), vector: [0.86, 0.17] }];
//! let svg = Scatter { arrows: &arrows, ..Scatter::new(&scores) }.draw(Format::Svg)?;
//! assert!(String::from_utf8_lossy(&svg).contains("petal length"));
//! # Ok::<(), charta_plot::Error>(())
//! ```
//!
//! # How a picture is made
//! A picture is first laid out as a `Scene`, a list of lines, texts, markers and pixel blocks in pixel units. One renderer
//! turns a scene into PNG with exact-area antialiasing and an embedded font, the other into SVG; both therefore show the
//! same picture. The same input always gives the same bytes.

mod annotations;
mod bars;
mod base64;
mod calendar;
mod cells;
mod color;
mod contours;
mod curve;
mod density;
mod error;
mod font;
mod format;
mod frame;
mod glyphs;
mod html;
mod image_grid;
mod image_rows;
mod labels;
mod legend;
mod linear_map;
mod lines;
mod loadings;
mod pairs;
mod palette;
mod panels;
mod png_file;
mod points;
mod raster;
mod scale;
mod scatter;
mod scene;
mod scree;
mod space;
mod strips;
mod svg;
mod thumbnails;
mod ticks;

pub use annotations::{Arrow, Mark};
pub use bars::Bars;
pub use calendar::seconds_of_day;
pub use cells::{CellPanel, Cells};
pub use contours::{Contour, Grid};
pub use curve::{Curve, Line};
pub use error::{Error, Result};
pub use font::missing_characters;
pub use format::{Format, Size};
pub use image_grid::ImageGrid;
pub use image_rows::{ImageRow, ImageRows};
pub use linear_map::LinearMap;
pub use lines::{Stroke, StrokeLook};
pub use loadings::Loadings;
pub use pairs::Pairs;
pub use palette::Palette;
pub use panels::{Panel, Panels};
pub use scatter::{Color, Scatter};
pub use scree::Scree;
pub use space::{Further, Space};
pub use strips::{Strips, strips};
pub use thumbnails::{Ink, Thumbnails};
