//! `charta predict`: labels, or one view from another, by a saved model.

use std::path::Path;

use charta::Labels;
use charta::data::Precision;
use charta::model::Prediction;
use charta::pipeline::Fitted;
use charta_io::Table;
use clap::ArgMatches;
use ndarray::{Array2, Axis, concatenate};
use serde_json::{Value as Json, json};

use crate::cli::command_name;
use crate::console;
use crate::evaluation::{self, Evaluation};
use crate::failure::{Failure, Outcome};
use crate::format::{counted, wrap};
use crate::input::{Input, switch, text};
use crate::output::Outputs;
use crate::plan::Size;
use crate::result::Facts;
use crate::session::{Session, whole};
use crate::summary;
use crate::transform::{Needs, guard};
use crate::view_prediction::{self, Pair};
use crate::{clusters, model_file, signals, views};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let input = Input::new(given)?;
    let outputs = Outputs {
        content: "predictions",
        ..Outputs::new(given)?
    };
    outputs.check(&input.files(Some(&model_path)))?;
    let pair = pair(given)?;
    let session = Session::new(given)?;
    let fitted = model_file::read(&model_path)?.fitted;
    let decisions = switch(given, "decisions");
    check(&fitted, pair, decisions)?;
    let size = Size::of(&input, &session.progress)?;
    let needs = Needs {
        n_numbers: fitted.model().n_components(),
        advice: "give fewer rows at a time",
    };
    guard(&fitted, size, &session, &needs)?;
    let done = predict(fitted, &input, pair, &session)?;
    if let Some(path) = &outputs.table {
        done.check_format(path)?;
        session.progress.stage("writing");
        done.write(path, decisions)?;
    }
    session.progress.finish();
    done.show(&outputs, &session)
}

/// The views to predict from and to, if the call names them.
fn pair(given: &ArgMatches) -> Outcome<Option<Pair>> {
    let view = |name: &str| {
        let view = text(given, name).map(|text| whole(name, &text));
        view.transpose()
    };
    match (view("from")?, view("to")?) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) if from == to => Err(Failure::Usage(format!(
            "`--from {from}` and `--to {to}` are the same view: nothing is to be predicted"
        ))),
        (Some(from), Some(to)) => Ok(Some(Pair {
            from: from - 1,
            to: to - 1,
        })),
        _ => Err(Failure::usage("`--from VIEW` and `--to VIEW` go together")),
    }
}

/// Fails if the model cannot predict what is requested.
fn check(fitted: &Fitted, pair: Option<Pair>, decisions: bool) -> Outcome {
    let name = command_name(fitted.entry().info.name);
    let model = fitted.model();
    let problem = match (pair, model.as_predict(), model.as_views()) {
        (Some(_), _, _) if decisions => {
            "`--decisions` are those of classes: they cannot go with `--from` and `--to`".into()
        }
        (Some(pair), _, Some(views)) => return pair.check(views.widths().len()),
        (Some(_), _, None) => {
            format!("this model of `{name}` has no views: leave out `--from` and `--to`")
        }
        (None, Some(_), _) => return Ok(()),
        (None, None, Some(_)) => format!(
            "this model of `{name}` predicts one view from another: choose them with `--from 1 --to 2`"
        ),
        (None, None, None) => {
            format!(
                "a model of `{name}` predicts nothing: `charta transform` gives the coordinates of new rows"
            )
        }
    };
    Err(Failure::Usage(problem))
}

/// What was predicted, for which rows, and its evaluation where the data has labels.
struct Predicted {
    fitted: Fitted,
    table: Table,
    facts: Facts,
    prediction: Prediction,
    evaluation: Option<Evaluation>,
}

fn predict(
    fitted: Fitted,
    input: &Input,
    pair: Option<Pair>,
    session: &Session,
) -> Outcome<Predicted> {
    let run = session.run();
    let (table, prediction) = match pair {
        Some(pair) => {
            let table = view_prediction::read(&fitted, pair, input, &session.progress)?;
            session.progress.stage("predicting");
            let prediction = view_prediction::predict(&fitted, pair, &run, &table)?;
            (table, prediction)
        }
        None => {
            let table = views::read_like(&fitted, input, &session.progress)?;
            session.progress.stage("predicting");
            let prediction = fitted
                .predict(&run, &table.data()?)
                .map_err(|error| Failure::of_data(error, &table))?;
            (table, prediction)
        }
    };
    Ok(Predicted {
        facts: Facts::of(&input.source, &table),
        evaluation: evaluation::of(&prediction, &table),
        fitted,
        table,
        prediction,
    })
}

impl Predicted {
    /// Fails if the file could not hold what was predicted.
    fn check_format(&self, path: &Path) -> Outcome {
        let is_named = matches!(
            self.prediction,
            Prediction::Classes { .. } | Prediction::Clusters { .. }
        );
        if !is_named || charta_io::OutputFormat::of_path(path)?.carries_names() {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{}: this format holds numbers only, and classes or clusters were predicted: write .csv, .parquet or .npz",
            path.display()
        )))
    }

    fn write(&self, path: &Path, decisions: bool) -> Outcome {
        signals::check()?;
        let table = &self.table;
        let (labels, names, values) = self.columns(decisions)?;
        let output = charta_io::Output {
            names,
            values: values.view(),
            single: table.precision() == Precision::Single,
            row_names: table.row_names.as_deref(),
            id_title: table.id_title.as_deref(),
            predicted: labels.as_ref().map(|labels| (self.title(), labels)),
            labels: table
                .labels
                .as_ref()
                .map(|(title, labels)| (title.as_str(), labels)),
        };
        Ok(charta_io::write(path, &output)?)
    }

    /// Title of the column of predicted classes or clusters.
    fn title(&self) -> &'static str {
        match self.prediction {
            Prediction::Clusters { .. } => clusters::COLUMN,
            _ => "predicted",
        }
    }

    /// The predicted classes, if they are classes, and the numbers beside them with their names.
    fn columns(&self, decisions: bool) -> Outcome<Columns> {
        match &self.prediction {
            Prediction::Classes {
                names,
                of_row,
                probabilities,
                decisions: compared,
            } => {
                let of_row: Vec<Option<u32>> = of_row.iter().copied().map(Some).collect();
                let labels = Labels::Classes {
                    names: names.clone().into(),
                    of_row: of_row.into(),
                };
                let titled = |stem: char| names.iter().map(move |name| format!("{stem}_{name}"));
                if !decisions {
                    return Ok((Some(labels), titled('p').collect(), probabilities.clone()));
                }
                let both = concatenate(Axis(1), &[probabilities.view(), compared.view()]).map_err(
                    |error| Failure::Run(format!("the predictions do not fit: {error}")),
                )?;
                Ok((Some(labels), titled('p').chain(titled('d')).collect(), both))
            }
            Prediction::Numbers { names, values } => {
                let names = names.iter().map(|name| format!("predicted_{name}"));
                Ok((None, names.collect(), values.clone()))
            }
            Prediction::Clusters { n_clusters, of_row } => {
                let of_row: Vec<Option<u32>> = of_row.iter().copied().map(Some).collect();
                let none = Array2::zeros((of_row.len(), 0));
                let labels = clusters::classes(*n_clusters, of_row);
                Ok((Some(labels), Vec::new(), none))
            }
            _ => Err(Failure::Run(
                "this kind of prediction cannot be written".into(),
            )),
        }
    }

    fn show(&self, outputs: &Outputs, session: &Session) -> Outcome {
        if outputs.json.is_some() {
            return console::print_json(&self.to_json(outputs, session));
        }
        if session.quiet || outputs.to_standard_output() {
            return Ok(());
        }
        let mut text = format!(
            "{}\npredicted by {}: {}\n\n",
            self.facts.sentence(),
            self.fitted.entry().info.title,
            wrap(&self.in_short(), 78, 2)
        );
        match &self.evaluation {
            Some(evaluation) => text.push_str(&evaluation.in_words()),
            None => text.push_str(&evaluation::counts(&self.prediction)),
        }
        text.push_str(&summary::ending(outputs, session));
        if outputs.is_empty() {
            text.push_str("\nThe predictions are not kept: write them with `-o FILE`.\n");
        }
        console::print(&text)
    }

    fn in_short(&self) -> String {
        match &self.prediction {
            Prediction::Classes { names, .. } if names.len() == 1 => "1 class".into(),
            Prediction::Classes { names, .. } => format!("{} classes", names.len()),
            Prediction::Numbers { names, .. } => {
                format!("{}: {}", counted(names.len(), "number"), names.join(", "))
            }
            Prediction::Clusters { n_clusters, .. } => counted(*n_clusters, "cluster"),
            _ => String::new(),
        }
    }

    fn to_json(&self, outputs: &Outputs, session: &Session) -> Json {
        let (kind, names) = match &self.prediction {
            Prediction::Classes { names, .. } => ("classes", names.as_slice()),
            Prediction::Numbers { names, .. } => ("numbers", names.as_slice()),
            Prediction::Clusters { .. } => ("clusters", &[][..]),
            _ => ("other", &[][..]),
        };
        json!({
            "charta_version": env!("CARGO_PKG_VERSION"),
            "method": self.fitted.entry().info.name,
            "data": self.facts.to_json(),
            "predicts": kind,
            "names": names,
            "evaluation": self.evaluation.as_ref().map(Evaluation::to_json),
            "warnings": session.progress.warnings(),
            "notes": session.progress.notes(),
            "seconds": session.progress.seconds(),
            "files": outputs.file_names(),
        })
    }
}

/// Predicted classes, names of numbers, numbers.
type Columns = (Option<Labels<'static>>, Vec<String>, Array2<f64>);
