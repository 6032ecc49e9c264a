//! Pictures of what a model reports: how much each component carries, what it is made of.

use charta_io::ImageShape;
use charta_plot::{Bars, Format, ImageGrid, Loadings, Scree};
use ndarray::Array2;

use crate::failure::{Failure, Outcome};
use crate::picture::titles;
use crate::result::{Facts, Finished, feature_names};
use crate::wording;

/// Figures that bars show where there are no variances, with the title of the axis: all lie between −1 and 1.
const SHARES: [(&str, &str); 2] = [
    ("correlations", "correlation"),
    ("explained_variance_ratio", "share"),
];

/// How much each component carries: variances with their sum, correlations, or shares.
pub(crate) fn scree(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    let diagnostics = finished.fitted.diagnostics();
    let Some(kept) = diagnostics.values("explained_variance") else {
        return shares(finished, format);
    };
    let variances = diagnostics.values("spectrum").unwrap_or(kept).to_vec();
    let total = diagnostics
        .value("total_variance")
        .unwrap_or_else(|| variances.iter().sum());
    let picture = Scree {
        chosen: finished.fitted.model().n_components(),
        title: title(finished),
        ..Scree::new(&variances, total)
    };
    Ok(picture.draw(format)?)
}

fn shares(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    let diagnostics = finished.fitted.diagnostics();
    let known = |(name, axis): &(&str, &'static str)| Some((diagnostics.values(name)?, *axis));
    let Some((values, axis)) = SHARES.iter().find_map(known) else {
        return Err(Failure::Usage(format!(
            "`{}` reports neither variances nor correlations: `--scree-plot` has nothing to draw",
            finished.fitted.entry().info.name
        )));
    };
    let (values, names) = (values.to_vec(), finished.fitted.component_names());
    let from = if values.iter().any(|value| *value < 0.0) {
        -1.0
    } else {
        0.0
    };
    let picture = Bars {
        names: if names.len() == values.len() {
            &names
        } else {
            &[]
        },
        title: title(finished),
        subtitle: finished.facts.size(),
        axis: axis.into(),
        range: Some([from, 1.0]),
        ..Bars::new(&values)
    };
    Ok(picture.draw(format)?)
}

/// How much each feature weighs in each component.
pub(crate) struct FeatureLoadings {
    /// A row for each component.
    pub(crate) weights: Array2<f64>,
    /// The features.
    pub(crate) names: Vec<String>,
}

/// The loadings, for the picture that `flag` asks for.
pub(crate) fn feature_loadings(finished: &Finished, flag: &str) -> Outcome<FeatureLoadings> {
    let Some(weights) = finished.fitted.model().feature_loadings() else {
        return Err(Failure::Usage(format!(
            "`{}` gives the features no loadings: `{flag}` has nothing to draw",
            finished.fitted.entry().info.name
        )));
    };
    let mut names = feature_names(&finished.fitted);
    // A model may weigh columns beyond those it places rows by.
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

/// The components as images, where the rows are images.
pub(crate) fn components(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
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
        signed: axes.iter().any(|value| *value < 0.0),
        title: format!(
            "{}: components of {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
        ..ImageGrid::new(&images, shape.height, shape.width)
    };
    Ok(picture.draw(format)?)
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

fn title(finished: &Finished) -> String {
    format!(
        "{}: {}",
        finished.fitted.entry().info.title,
        finished.facts.name
    )
}
