//! Pictures of what a model reports: how much each component carries, what it is made of.

mod of_model;

use charta::dimension::residual_elbow;
use charta::method::{Capability, Info};
use charta::pipeline::Spectrum;
use charta_io::ImageShape;
use charta_plot::{Bars, Curve, Format, ImageGrid, Ink, Line, Loadings, Scree, Size};
use ndarray::Array2;

use crate::failure::{Failure, Outcome};
use crate::format;
use crate::output::Outputs;
use crate::picture::titles;
use crate::result::{Facts, Finished, feature_names};

/// Height of a picture of bars: without them, and for each.
const BARS_HEIGHT: [u32; 2] = [230, 56];

pub(crate) use of_model::{first as first_of_model, named as of_model};

/// Fails if a picture is requested that no model of the method can have.
pub(crate) fn check(info: &Info, outputs: &Outputs) -> Outcome {
    let wanted = [
        (
            &outputs.biplot,
            info.offers(Capability::Loadings),
            "--biplot",
            NO_LOADINGS,
        ),
        (
            &outputs.loadings_plot,
            info.offers(Capability::Loadings),
            "--loadings-plot",
            NO_LOADINGS,
        ),
        (
            &outputs.scree_plot,
            info.offers(Capability::Spectrum),
            "--scree-plot",
            NO_SPECTRUM,
        ),
        (
            &outputs.components_plot,
            info.offers(Capability::Axes),
            "--components-plot",
            NO_AXES,
        ),
    ];
    of_model::check(info, outputs)?;
    let impossible = wanted.iter().find(|(path, has, ..)| path.is_some() && !has);
    impossible.map_or(Ok(()), |(_, _, flag, problem)| {
        Err(nothing_to_draw(info, flag, problem))
    })
}

const NO_LOADINGS: &str = "gives the features no loadings";
const NO_SPECTRUM: &str = "reports no variances, correlations or residual variances";
const NO_AXES: &str = "has no axes in feature space";

fn nothing_to_draw(info: &Info, flag: &str, problem: &str) -> Failure {
    let name = info.name;
    Failure::Usage(format!("`{name}` {problem}: `{flag}` has nothing to draw"))
}

/// How much each component carries: variances with their sum, correlations, or proportions.
pub(crate) fn scree(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    match finished.fitted.spectrum() {
        Some(Spectrum::Variances {
            values,
            total,
            n_kept,
        }) => {
            let picture = Scree {
                chosen: n_kept,
                total_variance: total,
                title: title(finished, "variance of the components"),
                ..Scree::new(&values, 0.0)
            };
            Ok(picture.draw(format)?)
        }
        Some(Spectrum::Residuals(residuals)) => residual_curve(finished, &residuals, format),
        Some(Spectrum::Shares {
            values,
            names,
            title: what,
            axis,
        }) => {
            let picture = Bars {
                names: &names,
                title: title(finished, what),
                subtitle: finished.facts.size(),
                axis: axis.into(),
                range: Some([
                    if values.iter().any(|value| *value < 0.0) {
                        -1.0
                    } else {
                        0.0
                    },
                    1.0,
                ]),
                horizontal: true,
                size: bars_size(values.len()),
                ..Bars::new(&values)
            };
            Ok(picture.draw(format)?)
        }
        None => {
            let info = &finished.fitted.entry().info;
            Err(nothing_to_draw(info, "--scree-plot", NO_SPECTRUM))
        }
    }
}

/// The residual variance against the number of dimensions, with its elbow marked.
fn residual_curve(finished: &Finished, residuals: &[f64], format: Format) -> Outcome<Vec<u8>> {
    let lines = [Line::new("residual variance", residuals)];
    let advised = residual_elbow(residuals);
    let picture = Curve {
        title: title(finished, "residual variance"),
        subtitle: match advised {
            Some(k) => format!(
                "{} · elbow at {}, marked",
                finished.facts.size(),
                format::counted(k, "dimension")
            ),
            None => finished.facts.size(),
        },
        axes: ["number of dimensions".into(), "residual variance".into()],
        chosen: advised,
        ..Curve::new(&lines)
    };
    Ok(picture.draw(format)?)
}

/// A page that a few bars do not leave empty.
fn bars_size(n: usize) -> Size {
    let usual = Size::default();
    let [around, each] = BARS_HEIGHT;
    let height = around.saturating_add(each.saturating_mul(n.min(40) as u32));
    Size {
        height: height.min(usual.height),
        ..usual
    }
}

/// How much each feature weighs in each component.
pub(crate) struct FeatureLoadings {
    /// A row for each component.
    pub(crate) weights: Array2<f64>,
    /// The features.
    pub(crate) names: Vec<String>,
}

/// The loadings, for the picture that `flag` requests.
pub(crate) fn feature_loadings(finished: &Finished, flag: &str) -> Outcome<FeatureLoadings> {
    let Some(weights) = finished.fitted.model().feature_loadings() else {
        let info = &finished.fitted.entry().info;
        return Err(nothing_to_draw(info, flag, NO_LOADINGS));
    };
    let mut names = feature_names(&finished.fitted);
    // A model may weigh columns beyond those it embeds rows by.
    let unnamed = names.len()..weights.ncols();
    names.extend(unnamed.map(|place| format!("x{place}")));
    names.truncate(weights.ncols());
    Ok(FeatureLoadings { weights, names })
}

/// The loadings as a table of colours.
pub(crate) fn loadings(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    let FeatureLoadings { weights, names } = feature_loadings(finished, "--loadings-plot")?;
    let components: Vec<Vec<f64>> = weights.rows().into_iter().map(|row| row.to_vec()).collect();
    let titles = titles(&finished.fitted);
    let picture = Loadings {
        component_names: if titles.len() == components.len() {
            &titles
        } else {
            &[]
        },
        title: format!(
            "{}: loadings of {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
        ..Loadings::new(&components, &names)
    };
    Ok(picture.draw(format)?)
}

/// The components as images, where the rows are images, after the mean of the rows.
pub(crate) fn components(
    finished: &Finished,
    outputs: &Outputs,
    format: Format,
) -> Outcome<Vec<u8>> {
    let Some(axes) = finished.fitted.model().axes() else {
        let info = &finished.fitted.entry().info;
        return Err(nothing_to_draw(info, "--components-plot", NO_AXES));
    };
    let shape = image_shape(&finished.facts, axes.ncols(), "--components-plot")?;
    let images: Vec<Vec<f64>> = axes
        .rows()
        .into_iter()
        .map(|row| by_rows(row.to_vec(), shape, outputs.by_columns))
        .collect();
    let captions = titles(&finished.fitted);
    let has_negative = axes.iter().any(|value| *value < 0.0);
    let is_grey = outputs.grey_components.unwrap_or(!has_negative);
    let ink = match outputs.ink {
        // Parts that are added are ink on paper; the mean of rows is as they are.
        Ink::Auto if is_grey && has_negative => Ink::Light,
        Ink::Auto if is_grey => Ink::Dark,
        ink => ink,
    };
    let mean = (finished.fitted.mean_of_rows())
        .filter(|mean| mean.len() == axes.ncols())
        .map(|mean| by_rows(mean, shape, outputs.by_columns));
    let picture = ImageGrid {
        channels: shape.channels,
        captions: &captions,
        signed: !is_grey,
        ink,
        mean: mean.as_deref(),
        title: format!(
            "{}: components of {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
        ..ImageGrid::new(&images, shape.height, shape.width)
    };
    Ok(picture.draw(format)?)
}

/// The pixels of an image row by row, if they were stored column by column.
pub(crate) fn by_rows(pixels: Vec<f64>, shape: ImageShape, by_columns: bool) -> Vec<f64> {
    if !by_columns {
        return pixels;
    }
    let places =
        (0..shape.height).flat_map(|row| (0..shape.width).map(move |column| (row, column)));
    let start = |(row, column)| (column * shape.height + row) * shape.channels;
    places
        .flat_map(|place| &pixels[start(place)..start(place) + shape.channels])
        .copied()
        .collect()
}

/// The shape of the images that the rows are, for the picture that `flag` requests.
pub(crate) fn image_shape(facts: &Facts, n_columns: usize, flag: &str) -> Outcome<ImageShape> {
    match facts.image {
        Some(shape) if shape.len() == n_columns => Ok(shape),
        Some(shape) => Err(Failure::Usage(format!(
            "`{flag}` needs all {} pixels of the images, and only {} came in",
            shape.len(),
            format::counted(n_columns, "column")
        ))),
        None => Err(Failure::Usage(format!(
            "{}: the rows are not known to be images, which `{flag}` draws: `--image-size WxH` gives their width and height",
            facts.name
        ))),
    }
}

/// Fails if a picture of images is requested, and the rows are none.
pub(crate) fn check_images(outputs: &Outputs, facts: &Facts) -> Outcome {
    for (path, flag) in [
        (&outputs.components_plot, "--components-plot"),
        (&outputs.images_plot, "--images-plot"),
    ] {
        if path.is_some() {
            image_shape(facts, facts.n_columns, flag)?;
        }
    }
    Ok(())
}

fn title(finished: &Finished, what: &str) -> String {
    let method = finished.fitted.entry().info.title;
    format!("{method}: {what}, {}", finished.facts.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_stored_by_columns_are_turned() {
        let shape = ImageShape {
            height: 2,
            width: 3,
            channels: 1,
        };
        let stored = vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
        assert_eq!(by_rows(stored.clone(), shape, false), stored);
        assert_eq!(by_rows(stored, shape, true), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}
