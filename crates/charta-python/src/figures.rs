//! Pictures of results: variances, curves, bars, loadings, cells, maps side by side, images.

use charta_plot::{
    Bars, CellPanel, Cells, Curve, ImageGrid, ImageRow, ImageRows, Line, Loadings, Panel, Panels,
    Scree, Size, strips,
};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::pictures::{Colors, bytes, format_of, ink_of};

/// Title, subtitle and size of a picture, and the format of its file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Page {
    title: String,
    subtitle: String,
    size: Option<[u32; 2]>,
    format: String,
}

impl Page {
    fn size(&self, usual: Size) -> Size {
        self.size
            .map_or(usual, |[width, height]| Size { width, height })
    }
}

/// Variances of components with their running total. `suggestions` are numbers of components by rules.
#[pyfunction]
pub(crate) fn scree_picture<'py>(
    py: Python<'py>,
    variances: Vec<f64>,
    total: Option<f64>,
    chosen: usize,
    chosen_name: &str,
    suggestions: Vec<(String, usize)>,
    shown: Option<usize>,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let picture = Scree {
        total_variance: total,
        chosen,
        chosen_name,
        suggestions: &suggestions,
        shown,
        title: page.title.clone(),
        size: page.size(Size::default()),
        ..Scree::new(&variances, 0.0)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// Lines over whole numbers: name, values and spread of each.
#[pyfunction]
pub(crate) fn curve<'py>(
    py: Python<'py>,
    lines: Vec<(String, Vec<f64>, Vec<f64>)>,
    axes: [String; 2],
    first: usize,
    chosen: Option<usize>,
    logarithmic: bool,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let lines: Vec<Line<'_>> = (lines.iter())
        .map(|(name, values, spread)| Line {
            spread,
            ..Line::new(name.clone(), values)
        })
        .collect();
    let picture = Curve {
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        axes,
        first,
        chosen,
        logarithmic,
        size: page.size(Size::default()),
        ..Curve::new(&lines)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// A lying bar for each value.
#[pyfunction]
pub(crate) fn bars<'py>(
    py: Python<'py>,
    names: Vec<String>,
    values: Vec<f64>,
    axis: String,
    range: Option<[f64; 2]>,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let picture = Bars {
        names: &names,
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        axis,
        range,
        horizontal: true,
        size: page.size(Size::default()),
        ..Bars::new(&values)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// Features by components as a table of colours.
#[pyfunction]
pub(crate) fn loadings<'py>(
    py: Python<'py>,
    components: PyReadonlyArray2<'py, f64>,
    feature_names: Vec<String>,
    component_names: Vec<String>,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let components = vectors(&components);
    let picture = Loadings {
        component_names: &component_names,
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        size: page.size(Size::default()),
        ..Loadings::new(&components, &feature_names)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// The cells of a grid in panels: title, values and words of each.
#[pyfunction]
pub(crate) fn cells<'py>(
    py: Python<'py>,
    centers: Vec<[f64; 2]>,
    hexagonal: bool,
    panels: Vec<(String, Vec<f64>, Vec<String>)>,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let panels: Vec<CellPanel<'_>> = (panels.iter())
        .map(|(title, values, words)| CellPanel {
            title: title.clone(),
            values,
            words,
        })
        .collect();
    let picture = Cells {
        hexagonal,
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        size: page.size(Size::default()),
        ..Cells::new(&centers, &panels)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// Several maps of the same rows: points of one column or two, title and notes of each.
#[pyfunction]
pub(crate) fn panels<'py>(
    py: Python<'py>,
    maps: Vec<(PyReadonlyArray2<'py, f64>, String, Vec<String>)>,
    colors: Option<Colors>,
    glyphs: bool,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let color = Colors::color(&colors);
    let points: Vec<(Vec<[f64; 2]>, bool)> = (maps.iter())
        .map(|(map, ..)| {
            let map = map.as_array();
            if map.ncols() < 2 {
                let values: Vec<f64> = map.iter().copied().collect();
                return (strips(&values, &color).points, false);
            }
            let places = map.rows().into_iter().map(|row| [row[0], row[1]]);
            (places.collect(), true)
        })
        .collect();
    let panels: Vec<Panel<'_>> = (maps.iter().zip(&points))
        .map(|((_, title, notes), (points, in_plane))| Panel {
            points,
            title: title.clone(),
            notes: notes.clone(),
            equal_axes: *in_plane,
        })
        .collect();
    let usual = Panels::new(&panels);
    let picture = Panels {
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        color,
        glyphs,
        size: page.size(usual.size),
        ..usual
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// Images in a grid, each on a scale of its own; `shape` is height, width and channels. `signed` images are blue, white and red.
#[pyfunction]
pub(crate) fn image_grid<'py>(
    py: Python<'py>,
    images: PyReadonlyArray2<'py, f64>,
    shape: [usize; 3],
    captions: Vec<String>,
    signed: bool,
    ink: &str,
    mean: Option<Vec<f64>>,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let [height, width, channels] = shape;
    let images = vectors(&images);
    let picture = ImageGrid {
        channels,
        captions: &captions,
        signed,
        ink: ink_of(ink)?,
        mean: mean.as_deref(),
        title: page.title.clone(),
        size: page.size(Size::default()),
        ..ImageGrid::new(&images, height, width)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// Rows of images below each other, on one scale: title and images of each.
#[pyfunction]
pub(crate) fn image_rows<'py>(
    py: Python<'py>,
    rows: Vec<(String, PyReadonlyArray2<'py, f64>)>,
    shape: [usize; 3],
    ink: &str,
    range: Option<[f64; 2]>,
    width_of_picture: u32,
    page: Page,
) -> PyResult<Bound<'py, PyBytes>> {
    let [height, width, channels] = shape;
    let images: Vec<Vec<Vec<f64>>> = rows.iter().map(|(_, images)| vectors(images)).collect();
    let rows: Vec<ImageRow<'_>> = (rows.iter().zip(&images))
        .map(|((title, _), images)| ImageRow {
            title: title.clone(),
            images,
        })
        .collect();
    let picture = ImageRows {
        channels,
        ink: ink_of(ink)?,
        range,
        title: page.title.clone(),
        subtitle: page.subtitle.clone(),
        width_of_picture,
        ..ImageRows::new(&rows, height, width)
    };
    bytes(py, picture.draw(format_of(&page.format)))
}

/// The rows of an array.
fn vectors(array: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    let rows = array.as_array();
    rows.rows().into_iter().map(|row| row.to_vec()).collect()
}
