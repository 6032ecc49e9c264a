//! `charta inverse` and `charta denoise`: features that a saved model reconstructs, from coordinates or from the rows themselves.

use std::path::Path;

use charta::data::OwnedFeatures;
use charta::pipeline::Fitted;
use charta_io::{Content, ImageShape, Table};
use charta_plot::{Format, ImageGrid};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::format::{counted, in_short, number};
use crate::input::{Input, switch, text};
use crate::output::{self, Outputs};
use crate::plan::Size;
use crate::result::{Facts, feature_names};
use crate::session::Session;
use crate::transform::{Needs, guard};
use crate::{console, diagrams, model_file, summary, views};

/// Rows that are drawn.
const MOST_DRAWN: usize = 40;

/// Carries out `charta inverse`.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let call = Call::new(given)?;
    let table = call.read_coordinates()?;
    let facts = Facts::of(&call.input.source, &table);
    let coordinates = coordinates(&table)?;
    call.session.progress.stage("inverse transform");
    let features = call
        .fitted
        .inverse_transform(&call.session.run(), &coordinates.view())
        .map_err(|error| Failure::of_data(error, &facts.name))?;
    let sentence = format!(
        "inverse transform to {} by {}",
        counted(call.fitted.model().n_columns(), "feature"),
        call.fitted.entry().info.title
    );
    call.conclude(Reconstructed {
        facts,
        table,
        features,
        change: None,
        sentence,
    })
}

/// Carries out `charta denoise`.
pub(crate) fn denoise(given: &ArgMatches) -> Outcome {
    let call = Call::new(given)?;
    let (fitted, session) = (&call.fitted, &call.session);
    let needs = Needs {
        n_numbers: fitted.model().n_components() + fitted.model().n_columns(),
        advice: "give fewer rows at a time",
    };
    guard(
        fitted,
        Size::of(&call.input, &session.progress)?,
        session,
        &needs,
    )?;
    let table = views::read_like(fitted, &call.input, &session.progress)?;
    let facts = Facts::of(&call.input.source, &table);
    diagrams::check_images(&call.outputs, &facts)?;
    session.progress.stage("denoising");
    let features = fitted
        .denoise(&session.run(), &table.data()?)
        .map_err(|error| Failure::of_data(error, &facts.name))?;
    let sentence = format!(
        "{} {}, {}",
        if call.residual {
            "residuals: rows minus their reconstructions by"
        } else {
            "denoised by"
        },
        fitted.entry().info.title,
        counted(fitted.model().n_components(), "coordinate")
    );
    let change = mean_squared_change(fitted, &table, &features);
    call.conclude(Reconstructed {
        facts,
        table,
        features,
        change,
        sentence,
    })
}

/// Rows minus their reconstructions; fails if their columns are not those of the model one by one.
fn residuals(fitted: &Fitted, table: &Table, clean: &Array2<f64>) -> Outcome<Array2<f64>> {
    match &table.content {
        Content::Features(features) if in_order(fitted, table, clean) => {
            Ok(features.view().dense_rows(0, clean.nrows()) - clean)
        }
        _ => Err(Failure::Usage(format!(
            "{}: `--residual` needs the columns of the model in its order: name them with `--columns`",
            table.name
        ))),
    }
}

/// What both commands are given.
struct Call {
    input: Input,
    outputs: Outputs,
    session: Session,
    fitted: Fitted,
    /// Rows minus reconstructions are written, not these.
    residual: bool,
}

/// Features that were reconstructed, with the rows or coordinates that they come from.
struct Reconstructed {
    facts: Facts,
    table: Table,
    features: Array2<f64>,
    /// Mean of the squared differences from the rows, where they can be compared.
    change: Option<f64>,
    sentence: String,
}

impl Call {
    fn new(given: &ArgMatches) -> Outcome<Self> {
        let model_path = text(given, "model").unwrap_or_default();
        let input = Input::new(given)?;
        let residual = switch(given, "residual");
        let outputs = Outputs {
            content: if residual { "residuals" } else { "features" },
            ..Outputs::new(given)?
        };
        outputs.check(&input.files(Some(&model_path)))?;
        let session = Session::new(given)?;
        let fitted = model_file::read(&model_path)?.fitted;
        if fitted.model().as_inverse().is_none() {
            return Err(Failure::Usage(format!(
                "{model_path}: `{}` has no inverse transform",
                fitted.entry().info.name
            )));
        }
        Ok(Self {
            input,
            outputs,
            session,
            fitted,
            residual,
        })
    }

    /// Takes the columns that are named as the model's coordinates, where there are any: a table written
    /// by this program has names and labels beside them.
    fn read_coordinates(&self) -> Outcome<Table> {
        let (input, progress) = (&self.input, &self.session.progress);
        if input.options.columns.is_empty() && !input.is_read_once() {
            let mut named = input.clone();
            named.options.columns = self.fitted.component_names();
            if charta_io::describe(&named.source, &named.options).is_ok() {
                return named.read(progress);
            }
        }
        let table = input.read(progress)?;
        let n_components = self.fitted.model().n_components();
        if table.n_columns() == n_components || !input.options.columns.is_empty() {
            return Ok(table);
        }
        Err(Failure::Run(format!(
            "{}: the model's {}, {}, were looked for, and {} of numbers found; choose others with `--columns`",
            table.name,
            counted(n_components, "coordinate"),
            in_short(&self.fitted.component_names()),
            counted(table.n_columns(), "column")
        )))
    }

    /// Draws, writes and reports.
    fn conclude(&self, done: Reconstructed) -> Outcome {
        let (outputs, progress) = (&self.outputs, &self.session.progress);
        let drawn = match &outputs.images_plot {
            Some(path) => {
                progress.stage("drawing");
                Some((path, self.draw(&done, path)?))
            }
            None => None,
        };
        progress.stage("writing");
        if let Some(path) = &outputs.table {
            let names = feature_names(&self.fitted);
            if self.residual {
                let residuals = residuals(&self.fitted, &done.table, &done.features)?;
                output::write_table(path, &done.table, names, residuals.view())?;
            } else {
                output::write_table(path, &done.table, names, done.features.view())?;
            }
        }
        if let Some((path, bytes)) = drawn {
            charta_io::write_atomically(path, &bytes)?;
        }
        progress.finish();
        self.show(&done)
    }

    /// The first rows as images: the originals above, the reconstructions below, both on the scale of the latter.
    fn draw(&self, done: &Reconstructed, path: &Path) -> Outcome<Vec<u8>> {
        let Content::Features(originals) = &done.table.content else {
            return Err(Failure::usage("`--images-plot` needs rows of features"));
        };
        let flag = "--images-plot";
        let shape = diagrams::image_shape(&done.facts, done.features.ncols(), flag)?;
        let shown = done.features.nrows().min(MOST_DRAWN);
        let before = originals.view().dense_rows(0, shown);
        let image = |rows: &Array2<f64>, row: usize| {
            diagrams::by_rows(rows.row(row).to_vec(), shape, self.outputs.by_columns)
        };
        // A reconstruction may fall below the lowest number of the rows, which is that of paper.
        let originals: Vec<Vec<f64>> = (0..shown).map(|row| image(&before, row)).collect();
        let ink = self.outputs.ink.for_images(&originals);
        let images: Vec<Vec<f64>> = (0..shown)
            .map(|row| one_above_other(image(&before, row), &image(&done.features, row), shape))
            .collect();
        let captions: Vec<String> = (0..shown)
            .map(|row| match &done.table.row_names {
                Some(names) => names[row].clone(),
                None => row.to_string(),
            })
            .collect();
        let picture = ImageGrid {
            channels: shape.channels,
            captions: &captions,
            ink,
            unit: "pair",
            title: format!(
                "{}: {}, original above, denoised below",
                self.fitted.entry().info.title,
                done.facts.name
            ),
            ..ImageGrid::new(&images, 2 * shape.height + 1, shape.width)
        };
        Ok(picture.draw(Format::from_path(path)?)?)
    }

    fn show(&self, done: &Reconstructed) -> Outcome {
        let (outputs, session) = (&self.outputs, &self.session);
        if outputs.json.is_some() {
            return console::print_json(&json!({
                "method": self.fitted.entry().info.name,
                "data": done.facts.to_json(),
                "n_components": self.fitted.model().n_components(),
                "n_features": self.fitted.model().n_columns(),
                "mean_squared_change": done.change,
                "warnings": session.progress.warnings(),
                "notes": session.progress.notes(),
                "seconds": session.progress.seconds(),
                "files": outputs.file_names(),
            }));
        }
        if session.quiet || outputs.to_standard_output() {
            return Ok(());
        }
        let mut text = format!("{}\n{}\n", done.facts.sentence(), done.sentence);
        if let Some(change) = done.change {
            text.push_str(&format!("mean squared change: {}\n", number(change)));
        }
        text.push_str(&summary::ending(outputs, session));
        if outputs.is_empty() {
            text.push_str("\nThe features are not kept: write them with `-o FILE`.\n");
        }
        console::print(&text)
    }
}

fn coordinates(table: &Table) -> Outcome<Array2<f64>> {
    match &table.content {
        Content::Features(OwnedFeatures::F64(values)) => Ok(values.clone()),
        Content::Features(features) => Ok(features.view().dense_rows(0, table.n_rows())),
        _ => Err(Failure::Usage(format!(
            "{}: coordinates were expected, not distances",
            table.name
        ))),
    }
}

/// Two images of one shape as one, with a line between them. The lower one sets the scale: noise of the upper one that goes beyond is
/// drawn as the ends of the scale, so that it does not turn what was denoised grey.
fn one_above_other(above: Vec<f64>, below: &[f64], shape: ImageShape) -> Vec<f64> {
    let finite = || below.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let mut both = above;
    if low < high {
        both.iter_mut()
            .for_each(|value| *value = value.clamp(low, high));
    }
    let gap = both.iter().copied().fold(low, f64::min);
    let gap = if gap.is_finite() { gap } else { 0.0 };
    both.extend(std::iter::repeat_n(gap, shape.width * shape.channels));
    both.extend_from_slice(below);
    both
}

/// How far values moved; none if the columns are not those of the model one by one.
fn mean_squared_change(fitted: &Fitted, table: &Table, clean: &Array2<f64>) -> Option<f64> {
    const AT_ONCE: usize = 1024;
    let Content::Features(features) = &table.content else {
        return None;
    };
    if !in_order(fitted, table, clean) {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0_usize);
    for start in (0..clean.nrows()).step_by(AT_ONCE) {
        let end = clean.nrows().min(start + AT_ONCE);
        let before = features.view().dense_rows(start, end);
        for (before, after) in before
            .rows()
            .into_iter()
            .zip(clean.rows().into_iter().skip(start))
        {
            for (before, after) in before.iter().zip(after) {
                // Values that were missing have nothing to be compared with.
                if before.is_finite() {
                    sum += (before - after).powi(2);
                    count += 1;
                }
            }
        }
    }
    (count > 0).then(|| sum / count as f64)
}

/// True if the columns of the rows are those of the reconstructions one by one.
fn in_order(fitted: &Fitted, table: &Table, clean: &Array2<f64>) -> bool {
    let same_names = match (fitted.column_names(), &table.column_names) {
        (Some(ours), Some(theirs)) => ours == theirs.as_slice(),
        _ => true,
    };
    same_names && table.n_columns() == clean.ncols()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_image_sets_the_scale_of_a_pair() {
        let shape = ImageShape {
            height: 1,
            width: 3,
            channels: 1,
        };
        let pair = one_above_other(vec![-9.0, 0.5, 9.0], &[0.0, 1.0, 0.25], shape);
        assert_eq!(pair, [0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.25]);
        // A reconstruction without contrast has no scale to offer.
        let flat = one_above_other(vec![-9.0, 0.5, 9.0], &[1.0; 3], shape);
        assert_eq!(flat[..4], [-9.0, 0.5, 9.0, -9.0]);
        let missing = one_above_other(vec![f64::NAN; 3], &[f64::NAN; 3], shape);
        assert_eq!(missing[3], 0.0);
    }
}
