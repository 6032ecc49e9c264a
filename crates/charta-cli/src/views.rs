//! Several views of the same rows: what a call says about them, and the columns of a model's views.

use charta::data::{OwnedFeatures, Scaler, Scaling};
use charta::method::{self, Info, LabelUse};
use charta::pipeline::Fitted;
use charta_io::Table;
use ndarray::{Array2, Axis, Slice};

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::progress::Progress;

/// True if a method takes views: as what it compares, or as what is to be predicted.
pub(crate) fn takes(info: &Info) -> bool {
    info.takes(method::Input::Views) || info.labels == LabelUse::Target
}

/// How views are given, for messages.
pub(crate) const ADVICE: &str =
    "`--view LIST` for each chooses columns of one file, and of several files each is a view";

/// Fails if a method that compares views is given one.
pub(crate) fn check(info: &Info, input: &Input) -> Outcome {
    let n_views = input.sources.len().max(input.options.views.len());
    if !info.takes(method::Input::Views) || n_views > 1 {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "`{}` compares views of the same rows, and is given only one: {ADVICE}",
        info.name
    )))
}

/// Fails if views are to come in batches.
pub(crate) fn check_streaming(input: &Input) -> Outcome {
    if !input.has_views() {
        return Ok(());
    }
    let what = if input.options.views.is_empty() {
        "several files need"
    } else {
        "`--view` needs"
    };
    Err(Failure::Usage(format!(
        "{what} all rows at once and cannot go with `--streaming`"
    )))
}

/// Scales the first view in place and leaves the others, which are to be predicted, in their own units.
pub(crate) fn scale_first(
    kind: Scaling,
    features: &mut OwnedFeatures,
    width: usize,
) -> Outcome<Scaler> {
    let columns: Vec<usize> = (0..width).collect();
    let mut first = features.view().select_columns(&columns)?;
    let scaler = Scaler::fit(kind, &first.view())?;
    scaler.apply(&mut first)?;
    let part = Slice::from(0..width);
    match (features, first) {
        (OwnedFeatures::F32(all), OwnedFeatures::F32(first)) => {
            all.slice_axis_mut(Axis(1), part).assign(&first);
        }
        (OwnedFeatures::F64(all), OwnedFeatures::F64(first)) => {
            all.slice_axis_mut(Axis(1), part).assign(&first);
        }
        _ => return Err(Failure::usage("sparse rows have no views")),
    }
    Ok(scaler)
}

/// Reads new rows for a model, whose columns' names may have their file's name before them.
pub(crate) fn read_like(fitted: &Fitted, input: &Input, progress: &Progress) -> Outcome<Table> {
    input.read_with(progress, |tables| {
        let known = names_of_views(fitted, tables.len());
        if fitted.model().as_views().is_none() && tables.len() == 1 {
            return;
        }
        for (table, known) in tables.iter_mut().zip(&known) {
            name_like(table, known);
        }
    })
}

/// The names of the columns of each view, or of all if there are not as many views.
fn names_of_views(fitted: &Fitted, n_tables: usize) -> Vec<Vec<String>> {
    let names = fitted.column_names().unwrap_or_default();
    match fitted.model().as_views().map(charta::model::Views::widths) {
        Some(widths) if widths.len() == n_tables => {
            let mut rest = names;
            let mut views = Vec::with_capacity(widths.len());
            for &width in widths {
                let (view, others) = rest.split_at(width.min(rest.len()));
                views.push(view.to_vec());
                rest = others;
            }
            views
        }
        _ => vec![names.to_vec(); n_tables],
    }
}

/// Gives columns the names that a model has for them, where it knows them by their file's name too: `pulse` becomes
/// `body_pulse` if the model has no `pulse` and only one name that ends so.
pub(crate) fn name_like(table: &mut Table, known: &[String]) {
    let Some(names) = &mut table.column_names else {
        return;
    };
    let taken = names.clone();
    for name in names {
        let ending = format!("_{name}");
        let mut alike = known.iter().filter(|known| known.ends_with(&ending));
        if let (false, Some(only), None) = (known.contains(name), alike.next(), alike.next())
            && !taken.contains(only)
        {
            name.clone_from(only);
        }
    }
}

/// The place of a view among the columns of all.
pub(crate) fn range(widths: &[usize], view: usize) -> std::ops::Range<usize> {
    let start: usize = widths[..view].iter().sum();
    start..start + widths[view]
}

/// Puts the columns of one view among those of all, which are zero.
pub(crate) fn among_all(values: &Array2<f64>, widths: &[usize], view: usize) -> Array2<f64> {
    let mut all = Array2::zeros((values.nrows(), widths.iter().sum()));
    let part = Slice::from(range(widths, view));
    all.slice_axis_mut(Axis(1), part).assign(values);
    all
}

/// The columns of one view.
pub(crate) fn of_all(all: &Array2<f64>, widths: &[usize], view: usize) -> Array2<f64> {
    let part = Slice::from(range(widths, view));
    all.slice_axis(Axis(1), part).to_owned()
}
