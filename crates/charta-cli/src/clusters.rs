//! The clusters of rows: a column of the table, and the colours of a plot without labels.

use std::path::Path;

use charta::method::{Capability, Info};
use charta::pipeline::Fitted;
use charta::{Labels, Prediction};
use charta_io::Table;

use crate::color::Colors;
use crate::failure::{Failure, Outcome};
use crate::session::Session;

/// The column's name.
pub(crate) const COLUMN: &str = "cluster";

/// The clusters of some rows as classes, named by their numbers.
pub(crate) fn classes(n_clusters: usize, of_row: Vec<Option<u32>>) -> Labels<'static> {
    let names: Vec<String> = (0..n_clusters).map(|number| number.to_string()).collect();
    Labels::Classes {
        names: names.into(),
        of_row: of_row.into(),
    }
}

/// The clusters of the rows of a fit, where the method finds clusters.
pub(crate) fn of_fit(fitted: &Fitted) -> Option<Labels<'static>> {
    let of_row = fitted.model().clusters()?;
    let n_clusters = of_row.iter().flatten().max().map_or(0, |&last| last + 1);
    Some(classes(n_clusters as usize, of_row))
}

/// The clusters of new rows, where the method finds clusters.
pub(crate) fn of_new(
    fitted: &Fitted,
    table: &Table,
    session: &Session,
) -> Outcome<Option<Labels<'static>>> {
    if !fitted.entry().info.offers(Capability::Clusters) {
        return Ok(None);
    }
    let predicted = fitted
        .predict(&session.run(), &table.data()?)
        .map_err(|error| Failure::of_data(error, table))?;
    Ok(of_prediction(predicted))
}

/// The clusters of a prediction, if it is one of clusters.
pub(crate) fn of_prediction(prediction: Prediction) -> Option<Labels<'static>> {
    match prediction {
        Prediction::Clusters { n_clusters, of_row } => {
            Some(classes(n_clusters, of_row.into_iter().map(Some).collect()))
        }
        _ => None,
    }
}

/// True if the clusters are what a plot is to be coloured by: they are known after the fit only.
pub(crate) fn are_colors(info: &Info, color_by: Option<&str>) -> bool {
    info.offers(Capability::Clusters) && color_by == Some(COLUMN)
}

/// The colours of a plot: those found, or the clusters where there are none.
pub(crate) fn or_colors(colors: Colors, clusters: Option<&Labels<'static>>) -> Colors {
    colors.or_else(|| Some((COLUMN.into(), clusters?.clone())))
}

/// The clusters, if the file can hold them; a note if it cannot.
pub(crate) fn for_file<'a>(
    path: &Path,
    clusters: Option<&'a Labels<'static>>,
    session: &Session,
) -> Outcome<Option<(&'static str, &'a Labels<'static>)>> {
    let Some(clusters) = clusters else {
        return Ok(None);
    };
    if charta_io::OutputFormat::of_path(path)?.carries_names() {
        return Ok(Some((COLUMN, clusters)));
    }
    session.progress.note(&format!(
        "{}: this format holds numbers of one kind only, and the clusters are left out: write .csv, .parquet or .npz",
        path.display()
    ));
    Ok(None)
}
