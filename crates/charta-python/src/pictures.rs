//! Scatter plots drawn by the same crate as those of the command line, in the plane and in space.

use charta_plot::{
    Arrow, Color, Contour, Format, Further, Grid, Ink, Mark, Pairs, Palette, Scatter, Size, Space,
    Stroke, StrokeLook, Thumbnails, strips,
};
use ndarray::Array2;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Levels of contour lines, about.
const LEVELS: usize = 11;

/// What the colours of the points mean, as Python gives it.
#[derive(FromPyObject)]
pub(crate) enum Colors {
    /// Title, names of the classes, class of each sample.
    Classes(String, Vec<String>, Vec<Option<usize>>),
    /// Title, numbers of each sample, and whether they are seconds since 1970.
    Times(String, Vec<f64>, bool),
    /// Title and number of each sample.
    Numbers(String, Vec<f64>),
}

impl Colors {
    pub(crate) fn color(colors: &Option<Self>) -> Color<'_> {
        match colors {
            None => Color::None,
            Some(Self::Classes(title, names, of_row)) => Color::Classes {
                title,
                names,
                of_row,
            },
            Some(Self::Times(title, values, true)) => Color::Times { title, values },
            Some(Self::Times(title, values, false) | Self::Numbers(title, values)) => {
                Color::Numbers { title, values }
            }
        }
    }
}

/// The look of a picture.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Look {
    title: String,
    subtitle: String,
    axes: Vec<String>,
    row_names: Option<Vec<String>>,
    label_points: bool,
    class_names: bool,
    glyphs: bool,
    palette: String,
    point_size: f64,
    /// Width and height; without them the usual ones, less canvas that stays empty.
    size: Option<[u32; 2]>,
    dpi: Option<u32>,
}

/// What is drawn besides the points.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Overlay {
    /// Pairs of rows.
    edges: Vec<[usize; 2]>,
    /// Name, places and kind of each line.
    strokes: Vec<(String, Vec<Vec<f64>>, String)>,
    /// Name, place and class of named points.
    marks: Vec<(String, [f64; 2], Option<usize>)>,
    /// Name and direction of arrows.
    arrows: Vec<(String, [f64; 2])>,
    /// Ranges across and up, places across, and values of a function on a grid.
    contours: Option<([[f64; 2]; 2], usize, Vec<f64>)>,
    /// Name and values of further coordinates, by which points in space are filtered.
    further: Vec<(String, Vec<f64>)>,
    /// Height, width, channels and ink of the rows as images.
    images: Option<(usize, usize, usize, String)>,
}

/// The format of that name.
pub(crate) fn format_of(name: &str) -> Format {
    match name {
        "png" => Format::Png,
        "svg" => Format::Svg,
        _ => Format::Html,
    }
}

/// Whether high numbers are dark, by its name.
pub(crate) fn ink_of(name: &str) -> PyResult<Ink> {
    match name {
        "auto" => Ok(Ink::Auto),
        "dark" => Ok(Ink::Dark),
        "light" => Ok(Ink::Light),
        _ => Err(PyValueError::new_err(format!(
            "`ink` must be one of auto, dark, light, got {name:?}"
        ))),
    }
}

/// The bytes of a picture, or what is wrong with it.
pub(crate) fn bytes(
    py: Python<'_>,
    drawn: charta_plot::Result<Vec<u8>>,
) -> PyResult<Bound<'_, PyBytes>> {
    match drawn {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

impl Look {
    fn palette(&self) -> PyResult<Palette> {
        let mut all = Palette::ALL.into_iter();
        all.find(|palette| palette.name() == self.palette)
            .ok_or_else(|| {
                let names = Palette::ALL.map(Palette::name).join(", ");
                PyValueError::new_err(format!(
                    "`palette` must be one of {names}, got {:?}",
                    self.palette
                ))
            })
    }

    fn axis(&self, place: usize) -> String {
        self.axes.get(place).cloned().unwrap_or_default()
    }

    fn size(&self) -> Size {
        self.size_or(Size::default())
    }

    fn size_or(&self, usual: Size) -> Size {
        self.size
            .map_or(usual, |[width, height]| Size { width, height })
    }
}

impl Overlay {
    fn strokes<const N: usize>(&self) -> Vec<Stroke<N>> {
        let look = |kind: &str| match kind {
            "path" => StrokeLook::Path,
            "chord" => StrokeLook::Chord,
            "perpendicular" => StrokeLook::Perpendicular,
            _ => StrokeLook::Axis,
        };
        let at = |place: &Vec<f64>, axis: usize| place.get(axis).copied().unwrap_or(0.0);
        let strokes = self.strokes.iter();
        strokes
            .map(|(name, places, kind)| Stroke {
                name: name.clone(),
                places: (places.iter())
                    .map(|place| std::array::from_fn(|axis| at(place, axis)))
                    .collect(),
                look: look(kind),
            })
            .collect()
    }

    fn marks(&self) -> Vec<Mark> {
        let marks = self.marks.iter();
        marks
            .map(|(name, place, class)| Mark {
                name: name.clone(),
                place: *place,
                class: *class,
            })
            .collect()
    }

    fn contours(&self) -> Vec<Contour> {
        let Some((ranges, n_columns, values)) = &self.contours else {
            return Vec::new();
        };
        let grid = Grid {
            ranges: *ranges,
            n_columns: *n_columns,
            values,
        };
        grid.contours(LEVELS)
    }
}

/// Lays out points in a plane, or of a single column as strips, and hands the picture on.
fn in_plane<T>(
    rows: &Array2<f64>,
    images: Option<&Array2<f64>>,
    colors: &Option<Colors>,
    (look, overlay): (&Look, &Overlay),
    palette: Palette,
    then: impl FnOnce(&Scatter<'_>) -> charta_plot::Result<T>,
) -> charta_plot::Result<T> {
    let color = Colors::color(colors);
    let (strokes, contours, marks) = (overlay.strokes(), overlay.contours(), overlay.marks());
    let arrows: Vec<Arrow> = (overlay.arrows.iter())
        .map(|(name, vector)| Arrow {
            name: name.clone(),
            vector: *vector,
        })
        .collect();
    let image = |row: usize| images.map_or_else(Vec::new, |images| images.row(row).to_vec());
    let thumbnails = overlay
        .images
        .as_ref()
        .map(|(height, width, channels, ink)| Thumbnails {
            height: *height,
            width: *width,
            channels: *channels,
            ink: ink_of(ink).unwrap_or_default(),
            image: &image,
        });
    let common = |scatter: Scatter<'_>| {
        then(&Scatter {
            title: look.title.clone(),
            subtitle: look.subtitle.clone(),
            axes: [look.axis(0), look.axis(1)],
            color,
            row_names: look.row_names.as_deref(),
            label_points: look.label_points,
            class_names: look.class_names,
            glyphs: look.glyphs,
            edges: &overlay.edges,
            strokes: &strokes,
            contours: &contours,
            arrows: &arrows,
            thumbnails,
            palette,
            point_size: look.point_size,
            size: look.size(),
            fit: look.size.is_none(),
            dpi: look.dpi,
            ..scatter
        })
    };
    if rows.ncols() < 2 {
        let values: Vec<f64> = rows.column(0).to_vec();
        let strips = strips(&values, &color);
        return common(Scatter {
            marks: &strips.means,
            equal_axes: false,
            levels: &strips.levels,
            ..Scatter::new(&strips.points)
        });
    }
    let places: Vec<[f64; 2]> = rows
        .rows()
        .into_iter()
        .map(|row| [row[0], row[1]])
        .collect();
    common(Scatter {
        marks: &marks,
        ..Scatter::new(&places)
    })
}

/// Points in the space of three columns.
fn in_space(
    rows: &Array2<f64>,
    colors: &Option<Colors>,
    (look, overlay): (&Look, &Overlay),
    palette: Palette,
    format: Format,
) -> charta_plot::Result<Vec<u8>> {
    let places: Vec<[f64; 3]> = rows
        .rows()
        .into_iter()
        .map(|row| [row[0], row[1], row[2]])
        .collect();
    let further: Vec<Further> = (overlay.further.iter())
        .map(|(name, values)| Further {
            name: name.clone(),
            values: values.clone(),
        })
        .collect();
    let picture = Space {
        title: look.title.clone(),
        subtitle: look.subtitle.clone(),
        axes: [0, 1, 2].map(|place| look.axis(place)),
        color: Colors::color(colors),
        row_names: look.row_names.as_deref(),
        label_points: look.label_points,
        edges: &overlay.edges,
        strokes: &overlay.strokes(),
        further: &further,
        palette,
        point_size: look.point_size,
        class_names: look.class_names,
        size: look.size(),
        fit: look.size.is_none(),
        dpi: look.dpi,
        ..Space::new(&places)
    };
    picture.draw(format)
}

/// A scatter plot of one, two or three columns as the bytes of a file: `format` is png, svg or html. `images` has the pixels of each row.
#[pyfunction]
pub(crate) fn scatter<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f64>,
    images: Option<PyReadonlyArray2<'py, f64>>,
    colors: Option<Colors>,
    look: Look,
    overlay: Overlay,
    format: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = points.as_array().to_owned();
    let images = images.map(|images| images.as_array().to_owned());
    let (format, palette) = (format_of(format), look.palette()?);
    if let Some((.., ink)) = &overlay.images {
        ink_of(ink)?;
    }
    let drawn = py.detach(|| {
        let what = (&look, &overlay);
        if rows.ncols() == 3 {
            return in_space(&rows, &colors, what, palette, format);
        }
        in_plane(&rows, images.as_ref(), &colors, what, palette, |picture| {
            picture.draw(format)
        })
    });
    bytes(py, drawn)
}

/// Scatter plots of all pairs of columns, with histograms, as the bytes of a file.
#[pyfunction]
pub(crate) fn pairs<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f64>,
    colors: Option<Colors>,
    look: Look,
    format: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let columns: Vec<Vec<f64>> = (points.as_array().columns().into_iter())
        .map(|column| column.to_vec())
        .collect();
    let usual = Pairs::new(&columns);
    let picture = Pairs {
        names: look.axes.clone(),
        title: look.title.clone(),
        subtitle: look.subtitle.clone(),
        color: Colors::color(&colors),
        palette: look.palette()?,
        point_size: look.point_size,
        size: look.size_or(usual.size),
        fit: look.size.is_none(),
        dpi: look.dpi,
        ..usual
    };
    let format = format_of(format);
    let drawn = py.detach(|| picture.draw(format));
    bytes(py, drawn)
}

/// What the axes of a scatter plot of two columns reach over: lowest and highest number across, and up.
#[pyfunction]
pub(crate) fn shown(
    points: PyReadonlyArray2<'_, f64>,
    colors: Option<Colors>,
    look: Look,
    overlay: Overlay,
) -> PyResult<[[f64; 2]; 2]> {
    let rows = points.as_array().to_owned();
    let what = (&look, &overlay);
    let shown = in_plane(&rows, None, &colors, what, look.palette()?, |picture| {
        picture.shown()
    });
    shown.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The characters of texts that PNG pictures cannot show.
#[pyfunction]
pub(crate) fn missing_characters(texts: Vec<String>) -> Vec<char> {
    charta_plot::missing_characters(texts.iter().map(String::as_str))
}
