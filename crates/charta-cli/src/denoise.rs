//! `charta denoise`: rows as the coordinates of a saved model remember them.

use std::path::Path;

use charta::pipeline::Fitted;
use charta_io::{Content, ImageShape, Table};
use charta_plot::{Format, ImageGrid};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::input::{Input, text};
use crate::output::{self, Outputs};
use crate::plan::Size;
use crate::result::{Facts, feature_names};
use crate::session::Session;
use crate::transform::{Needs, guard};
use crate::wording::{counted, number};
use crate::{console, diagrams, model_file, summary, views};

/// Rows that are drawn.
const MOST_DRAWN: usize = 40;

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let input = Input::new(given)?;
    let outputs = Outputs {
        content: "features",
        ..Outputs::new(given)
    };
    outputs.check(&input.files(Some(&model_path)))?;
    let session = Session::new(given)?;
    let fitted = model_file::read(&model_path)?.fitted;
    if fitted.model().as_inverse().is_none() {
        return Err(Failure::Usage(format!(
            "{model_path}: `{}` has no way back to features, so it cannot denoise",
            fitted.entry().info.name
        )));
    }
    let needs = Needs {
        n_numbers: fitted.model().n_components() + fitted.model().n_columns(),
        advice: "give fewer rows at a time",
    };
    guard(
        &fitted,
        Size::of(&input, &session.progress)?,
        &session,
        &needs,
    )?;
    let table = views::read_like(&fitted, &input, &session.progress)?;
    let facts = Facts::of(&input.source, &table);
    diagrams::check_images(&outputs, &facts)?;
    session.progress.stage("denoising");
    let clean = fitted
        .denoise(&session.run(), &table.data()?)
        .map_err(|error| Failure::of_data(error, &facts.name))?;
    let denoised = Denoised {
        change: mean_squared_change(&fitted, &table, &clean),
        fitted,
        facts,
        table,
        clean,
    };
    denoised.write(&outputs, &session)?;
    session.progress.finish();
    denoised.show(&outputs, &session)
}

/// The rows before and after.
struct Denoised {
    fitted: Fitted,
    facts: Facts,
    table: Table,
    clean: Array2<f64>,
    /// Mean of the squared differences between both, where they can be compared.
    change: Option<f64>,
}

impl Denoised {
    fn write(&self, outputs: &Outputs, session: &Session) -> Outcome {
        let drawn = match &outputs.images_plot {
            Some(path) => {
                session.progress.stage("drawing");
                Some((path, self.draw(path, outputs.by_columns)?))
            }
            None => None,
        };
        session.progress.stage("writing");
        if let Some(path) = &outputs.table {
            let names = feature_names(&self.fitted);
            output::write_table(path, &self.table, names, self.clean.view())?;
        }
        if let Some((path, bytes)) = drawn {
            charta_io::write_atomically(path, &bytes)?;
        }
        Ok(())
    }

    /// The first rows as images: as they came above, denoised below, both on one scale.
    fn draw(&self, path: &Path, by_columns: bool) -> Outcome<Vec<u8>> {
        let Content::Features(features) = &self.table.content else {
            return Err(Failure::usage("`--images-plot` needs rows of features"));
        };
        let flag = "--images-plot";
        let shape = diagrams::image_shape(&self.facts, self.clean.ncols(), flag)?;
        let shown = self.clean.nrows().min(MOST_DRAWN);
        let before = features.view().dense_rows(0, shown);
        let image = |rows: &Array2<f64>, row: usize| {
            diagrams::by_rows(rows.row(row).to_vec(), shape, by_columns)
        };
        let images: Vec<Vec<f64>> = (0..shown)
            .map(|row| one_above_other(image(&before, row), &image(&self.clean, row), shape))
            .collect();
        let captions: Vec<String> = (0..shown)
            .map(|row| match &self.table.row_names {
                Some(names) => names[row].clone(),
                None => row.to_string(),
            })
            .collect();
        let picture = ImageGrid {
            channels: shape.channels,
            captions: &captions,
            unit: "pair",
            title: format!(
                "{}: {} as they came, and denoised below",
                self.fitted.entry().info.title,
                self.facts.name
            ),
            ..ImageGrid::new(&images, 2 * shape.height + 1, shape.width)
        };
        Ok(picture.draw(Format::from_path(path)?)?)
    }

    fn show(&self, outputs: &Outputs, session: &Session) -> Outcome {
        let info = &self.fitted.entry().info;
        if outputs.json.is_some() {
            let files: Vec<String> = outputs
                .files()
                .iter()
                .map(|(_, path)| path.display().to_string())
                .collect();
            return console::print_json(&json!({
                "method": info.name,
                "data": self.facts.to_json(),
                "n_components": self.fitted.model().n_components(),
                "mean_squared_change": self.change,
                "warnings": session.progress.warnings(),
                "seconds": session.progress.seconds(),
                "files": files,
            }));
        }
        if session.quiet || outputs.to_standard_output() {
            return Ok(());
        }
        let mut text = format!(
            "{}\ndenoised by {}, {}\n",
            self.facts.sentence(),
            info.title,
            counted(self.fitted.model().n_components(), "coordinate")
        );
        if let Some(change) = self.change {
            text.push_str(&format!(
                "mean squared change of a value: {}\n",
                number(change)
            ));
        }
        text.push_str(&summary::ending(outputs, session));
        if outputs.is_empty() {
            text.push_str("\nThe features are not kept: write them with `-o FILE`.\n");
        }
        console::print(&text)
    }
}

/// Two images of one shape as one, with a line between them.
fn one_above_other(mut above: Vec<f64>, below: &[f64], shape: ImageShape) -> Vec<f64> {
    let lowest = |values: &[f64]| values.iter().fold(f64::INFINITY, |least, v| least.min(*v));
    let gap = lowest(&above).min(lowest(below));
    let gap = if gap.is_finite() { gap } else { 0.0 };
    above.extend(std::iter::repeat_n(gap, shape.width * shape.channels));
    above.extend_from_slice(below);
    above
}

/// How far values moved; none if the columns are not those of the model one by one.
fn mean_squared_change(fitted: &Fitted, table: &Table, clean: &Array2<f64>) -> Option<f64> {
    const AT_ONCE: usize = 1024;
    let Content::Features(features) = &table.content else {
        return None;
    };
    let in_order = match (fitted.column_names(), &table.column_names) {
        (Some(ours), Some(theirs)) => ours == theirs.as_slice(),
        _ => true,
    };
    if !in_order || features.view().n_columns() != clean.ncols() {
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
