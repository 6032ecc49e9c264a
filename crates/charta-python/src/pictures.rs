//! Pictures drawn by the same crate as those of the command line.

use charta_plot::{Color, Format, Palette, Scatter, Size, strips};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What the colours of the points mean, as Python gives it.
#[derive(FromPyObject)]
pub(crate) enum Colors {
    /// Title, names of the classes, class of each sample.
    Classes(String, Vec<String>, Vec<Option<usize>>),
    /// Title and number of each sample.
    Numbers(String, Vec<f64>),
}

/// The look of a picture.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Look {
    title: String,
    subtitle: String,
    axes: [String; 2],
    row_names: Option<Vec<String>>,
    label_points: bool,
    class_names: bool,
    palette: String,
    point_size: f64,
    size: [u32; 2],
    dpi: Option<u32>,
}

/// A scatter plot of one or two columns as the bytes of a file: `format` is png, svg or html.
#[pyfunction]
pub(crate) fn scatter<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f64>,
    colors: Option<Colors>,
    look: Look,
    format: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = points.as_array().to_owned();
    let format = match format {
        "png" => Format::Png,
        "svg" => Format::Svg,
        _ => Format::Html,
    };
    let palette = Palette::ALL
        .into_iter()
        .find(|palette| palette.name() == look.palette)
        .ok_or_else(|| {
            let names = Palette::ALL.map(Palette::name).join(", ");
            PyValueError::new_err(format!(
                "`palette` must be one of {names}, got {:?}",
                look.palette
            ))
        })?;
    let drawn = py.detach(|| {
        let color = match &colors {
            None => Color::None,
            Some(Colors::Classes(title, names, of_row)) => Color::Classes {
                title,
                names,
                of_row,
            },
            Some(Colors::Numbers(title, values)) => Color::Numbers { title, values },
        };
        let [width, height] = look.size;
        let common = |scatter: Scatter<'_>| {
            Scatter {
                title: look.title.clone(),
                subtitle: look.subtitle.clone(),
                axes: look.axes.clone(),
                color,
                row_names: look.row_names.as_deref(),
                label_points: look.label_points,
                class_names: look.class_names,
                palette,
                point_size: look.point_size,
                size: Size { width, height },
                dpi: look.dpi,
                ..scatter
            }
            .draw(format)
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
        common(Scatter::new(&places))
    });
    match drawn {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

/// The characters of texts that PNG pictures cannot show.
#[pyfunction]
pub(crate) fn missing_characters(texts: Vec<String>) -> Vec<char> {
    charta_plot::missing_characters(texts.iter().map(String::as_str))
}
