//! Pictures: the coordinates, the variances, the components.

use std::path::Path;

use charta::Labels;
use charta::pipeline::Fitted;
use charta_io::ImageShape;
use charta_plot::{Colour, Format, ImageGrid, Scatter, Scree};
use ndarray::ArrayView2;

use crate::color::Colours;
use crate::failure::{Failure, Outcome};
use crate::output::Outputs;
use crate::result::{Facts, Finished};
use crate::wording;

/// The first two coordinates of all rows, with what is drawn beside them.
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) places: Vec<[f64; 2]>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) colours: Colours,
}

impl Points {
    /// Adds rows. A single coordinate is drawn against the row's number.
    pub(crate) fn extend(&mut self, coordinates: &ArrayView2<'_, f64>) {
        let flat = coordinates.ncols() == 1;
        for row in coordinates.rows() {
            let place = if flat {
                [self.places.len() as f64, row[0]]
            } else {
                [row[0], row[1]]
            };
            self.places.push(place);
        }
    }
}

/// A picture ready to be written.
pub(crate) type Picture<'a> = (&'a Path, Vec<u8>);

/// Draws every picture of a fit.
pub(crate) fn draw_all<'a>(
    outputs: &'a Outputs,
    finished: &Finished,
    points: &Points,
) -> Outcome<Vec<Picture<'a>>> {
    let mut pictures = Vec::new();
    if let Some(path) = &outputs.plot {
        let bytes = scatter(
            path,
            &finished.fitted,
            &finished.facts,
            points,
            outputs.label_points,
        )?;
        pictures.push((path.as_path(), bytes));
    }
    if let Some(path) = &outputs.scree_plot {
        pictures.push((path.as_path(), scree(path, finished)?));
    }
    if let Some(path) = &outputs.components_plot {
        pictures.push((path.as_path(), components(path, finished)?));
    }
    Ok(pictures)
}

/// The scatter plot.
pub(crate) fn scatter(
    path: &Path,
    fitted: &Fitted,
    facts: &Facts,
    points: &Points,
    label_points: bool,
) -> Outcome<Vec<u8>> {
    let titles = titles(fitted);
    let axes = match titles.as_slice() {
        [first, second, ..] => [first.clone(), second.clone()],
        [only] => ["row".into(), only.clone()],
        [] => return Err(Failure::Run("the model has no coordinates to draw".into())),
    };
    let classes = classes(points.colours.as_ref());
    let picture = Scatter {
        title: format!("{}: {}", fitted.entry().info.title, facts.name),
        subtitle: facts.size(),
        axes,
        colour: colour(points.colours.as_ref(), &classes),
        row_names: points.row_names.as_deref(),
        label_points,
        equal_axes: titles.len() > 1,
        ..Scatter::new(&points.places)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}

/// The coordinates' names, with the share of the variance where it is known.
fn titles(fitted: &Fitted) -> Vec<String> {
    let diagnostics = fitted.diagnostics();
    let shares = diagnostics.values("explained_variance_ratio");
    let names = fitted.component_names().into_iter().enumerate();
    names
        .map(
            |(place, name)| match shares.and_then(|shares| shares.get(place)) {
                Some(share) => format!("{name} ({})", wording::percent(*share)),
                None => name,
            },
        )
        .collect()
}

fn classes(colours: Option<&(String, Labels<'static>)>) -> Vec<Option<usize>> {
    match colours {
        Some((_, Labels::Classes { of_row, .. })) => of_row
            .iter()
            .map(|class| class.map(|class| class as usize))
            .collect(),
        _ => Vec::new(),
    }
}

fn colour<'a>(
    colours: Option<&'a (String, Labels<'static>)>,
    classes: &'a [Option<usize>],
) -> Colour<'a> {
    match colours {
        Some((_, Labels::Classes { names, .. })) => Colour::Classes {
            names,
            of_row: classes,
        },
        Some((title, Labels::Numbers(values))) => Colour::Numbers { title, values },
        None => Colour::None,
    }
}

fn scree(path: &Path, finished: &Finished) -> Outcome<Vec<u8>> {
    let diagnostics = finished.fitted.diagnostics();
    let known = diagnostics
        .values("spectrum")
        .or_else(|| diagnostics.values("explained_variance"));
    let Some(variances) = known else {
        return Err(Failure::Usage(format!(
            "`{}` reports no variances: `--scree-plot` has nothing to draw",
            finished.fitted.entry().info.name
        )));
    };
    let variances = variances.to_vec();
    let total = diagnostics
        .value("total_variance")
        .unwrap_or_else(|| variances.iter().sum());
    let picture = Scree {
        chosen: finished.fitted.model().n_components(),
        title: format!(
            "{}: {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
        ..Scree::new(&variances, total)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}

fn components(path: &Path, finished: &Finished) -> Outcome<Vec<u8>> {
    let name = finished.fitted.entry().info.name;
    let Some(axes) = finished.fitted.model().axes() else {
        return Err(Failure::Usage(format!(
            "`{name}` has no axes in the space of the features: `--components-plot` has nothing to draw"
        )));
    };
    let shape = image_shape(&finished.facts, axes.ncols())?;
    let images: Vec<Vec<f64>> = axes.rows().into_iter().map(|row| row.to_vec()).collect();
    let captions = titles(&finished.fitted);
    let picture = ImageGrid {
        channels: shape.channels,
        captions: &captions,
        signed: true,
        title: format!(
            "{}: components of {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
        ..ImageGrid::new(&images, shape.height, shape.width)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}

/// The shape of the images that the rows are.
pub(crate) fn image_shape(facts: &Facts, n_columns: usize) -> Outcome<ImageShape> {
    match facts.image {
        Some(shape) if shape.len() == n_columns => Ok(shape),
        Some(shape) => Err(Failure::Usage(format!(
            "`--components-plot` needs all {} pixels of the images, and only {} came in",
            shape.len(),
            wording::counted(n_columns, "column")
        ))),
        None => Err(Failure::Usage(format!(
            "{}: the rows are not known to be images, so `--components-plot` cannot draw components as \
             images",
            facts.name
        ))),
    }
}
