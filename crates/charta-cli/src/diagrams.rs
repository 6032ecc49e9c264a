//! Pictures of what a model reports: how much each component carries, what it is made of.

mod of_model;

use charta::dimension::residual_elbow;
use charta::method::{Capability, Info};
use charta::model::Diagnostics;
use charta::pipeline::Fitted;
use charta_io::ImageShape;
use charta_plot::{Bars, Curve, Format, ImageGrid, Ink, Line, Loadings, Scree, Size};
use ndarray::{Array2, Axis};

use crate::failure::{Failure, Outcome};
use crate::format;
use crate::output::Outputs;
use crate::picture::titles;
use crate::result::{Facts, Finished, feature_names};

/// A figure that bars show where there are no variances: its numbers lie between −1 and 1.
struct Share {
    name: &'static str,
    /// A figure that goes with it.
    beside: &'static str,
    /// What the bars are.
    title: &'static str,
    /// What the numbers are.
    axis: &'static str,
}

/// The first that a model reports is shown.
const SHARES: [Share; 3] = [
    Share {
        name: "correlations",
        beside: "n_views",
        title: "correlations",
        axis: "correlation between the views",
    },
    Share {
        name: "explained_variance_ratio",
        beside: "separation",
        title: "separation of the classes",
        axis: "proportion of the separation by all components",
    },
    Share {
        name: "explained_variance_ratio",
        beside: "explained_variance_ratio",
        title: "explained variance",
        axis: "proportion of variance",
    },
];
/// One minus the squared correlation of distances, with one, two … dimensions.
const RESIDUAL: &str = "residual_variance";
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
    let diagnostics = finished.fitted.diagnostics();
    let Some(kept) = diagnostics.values("explained_variance") else {
        return match diagnostics.values(RESIDUAL) {
            Some(residuals) => residual_curve(finished, &residuals.to_vec(), format),
            None => shares(finished, format),
        };
    };
    let variances = diagnostics.values("spectrum").unwrap_or(kept).to_vec();
    let picture = Scree {
        chosen: finished.fitted.model().n_components(),
        total_variance: total_variance(&diagnostics),
        title: title(finished, "variance of the components"),
        ..Scree::new(&variances, 0.0)
    };
    Ok(picture.draw(format)?)
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

/// The variance of all that was fitted: as reported, or as the components and their proportions imply it.
fn total_variance(diagnostics: &Diagnostics) -> Option<f64> {
    let implied = || {
        let kept = diagnostics.values("explained_variance")?.sum();
        let share = diagnostics.values("explained_variance_ratio")?.sum();
        Some(kept / share).filter(|total| total.is_finite())
    };
    diagnostics.value("total_variance").or_else(implied)
}

fn shares(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    let diagnostics = finished.fitted.diagnostics();
    let known = |share: &'static Share| {
        diagnostics.get(share.beside)?;
        Some((diagnostics.values(share.name)?, share))
    };
    let Some((values, share)) = SHARES.iter().find_map(known) else {
        let info = &finished.fitted.entry().info;
        return Err(nothing_to_draw(info, "--scree-plot", NO_SPECTRUM));
    };
    let values = values.to_vec();
    let mut names = finished.fitted.component_names();
    if names.len() != values.len() {
        let numbers = 1..=values.len();
        names = numbers
            .map(|number| format!("component {number}"))
            .collect();
    }
    let from = if values.iter().any(|value| *value < 0.0) {
        -1.0
    } else {
        0.0
    };
    let picture = Bars {
        names: &names,
        title: title(finished, share.title),
        subtitle: finished.facts.size(),
        axis: share.axis.into(),
        range: Some([from, 1.0]),
        horizontal: true,
        size: bars_size(values.len()),
        ..Bars::new(&values)
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
    let mean = mean_of_rows(&finished.fitted, axes.ncols())
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

/// The mean of the rows that a model was fitted to, in their own units, if it reports one.
fn mean_of_rows(fitted: &Fitted, n_columns: usize) -> Option<Vec<f64>> {
    let diagnostics = fitted.diagnostics();
    let mean = diagnostics.values("mean")?;
    if mean.len() != n_columns {
        return None;
    }
    let mean = mean.clone().insert_axis(Axis(0));
    let in_units = match fitted.scaler() {
        Some(scaler) => scaler.undo(mean),
        None => mean,
    };
    Some(in_units.into_iter().collect())
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
