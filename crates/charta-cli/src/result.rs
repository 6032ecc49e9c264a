//! What a run leaves: the data's facts, the model, the files.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta::data::Precision;
use charta::pipeline::Fitted;
use charta_io::{Content, ImageShape, Table};
use serde_json::{Value as Json, json};

use crate::failure::{Failure, Outcome};
use crate::format::{count, counted};
use crate::neighbor_graph::PathFigures;
use crate::output::Outputs;
use crate::quality_report::Quality;
use crate::row_errors::RowErrorFigures;
use crate::session::Session;

/// A source's name in sentences and titles: that of the file, without its folder.
pub(crate) fn short_name(source: &str) -> String {
    let name = Path::new(source).file_name();
    name.map_or(source.into(), |name| name.to_string_lossy().into_owned())
}

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Relation {
    /// Columns of each row.
    Columns,
    /// Distances between every two rows.
    Distances,
    /// A kernel of every two rows.
    Kernel,
}

/// What there is to know about the data that was read.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The source as the user wrote it.
    pub(crate) source: String,
    /// Its name in sentences.
    pub(crate) name: String,
    pub(crate) n_rows: usize,
    pub(crate) n_columns: usize,
    pub(crate) precision: Precision,
    /// The label column's title, and the number of classes if they are classes.
    pub(crate) label: Option<(String, Option<usize>)>,
    pub(crate) n_missing: usize,
    pub(crate) relation: Relation,
    pub(crate) image: Option<ImageShape>,
}

impl Facts {
    /// The facts of a table.
    pub(crate) fn of(source: &str, table: &Table) -> Self {
        let classes = |labels: &Labels<'_>| match labels {
            Labels::Classes { names, .. } => Some(names.len()),
            Labels::Numbers(_) => None,
        };
        Self {
            source: source.into(),
            name: short_name(&table.name),
            n_rows: table.n_rows(),
            n_columns: table.n_columns(),
            precision: table.precision(),
            label: table
                .labels
                .as_ref()
                .map(|(title, labels)| (title.clone(), classes(labels))),
            n_missing: table.n_missing,
            relation: match &table.content {
                Content::Features(_) => Relation::Columns,
                Content::Distances(_) => Relation::Distances,
                Content::Kernel(_) => Relation::Kernel,
            },
            image: table.image,
        }
    }

    /// Rows and columns, or distances, in words.
    pub(crate) fn size(&self) -> String {
        let rows = counted(self.n_rows, "row");
        match self.relation {
            Relation::Columns => format!("{rows} × {}", counted(self.n_columns, "column")),
            Relation::Kernel => format!("kernel of {rows}"),
            Relation::Distances => {
                let pairs = self.n_rows * self.n_rows.saturating_sub(1) / 2;
                match self.n_missing {
                    0 => format!("{} between {rows}", counted(pairs, "distance")),
                    missing => format!(
                        "{} of {} between {rows}",
                        count(pairs.saturating_sub(missing)),
                        counted(pairs, "distance")
                    ),
                }
            }
        }
    }

    /// Everything in a sentence.
    pub(crate) fn sentence(&self) -> String {
        let mut text = format!(
            "{}: {}, {}",
            self.name,
            self.size(),
            type_name(self.precision)
        );
        match &self.label {
            Some((title, Some(classes))) => {
                let noun = if *classes == 1 { "class" } else { "classes" };
                text.push_str(&format!(
                    ", label {title:?} with {} {noun}",
                    count(*classes)
                ));
            }
            Some((title, None)) => text.push_str(&format!(", label {title:?}")),
            None => {}
        }
        // The size of distances counts them already.
        if self.n_missing > 0 && self.relation != Relation::Distances {
            text.push_str(&format!(", {}", counted(self.n_missing, "missing value")));
        }
        text
    }

    /// The facts as JSON.
    pub(crate) fn to_json(&self) -> Json {
        json!({
            "source": self.source,
            "name": self.name,
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "precision": type_name(self.precision),
            "label": self.label.as_ref().map(|(title, _)| title),
            "n_classes": self.label.as_ref().and_then(|(_, classes)| *classes),
            "n_missing": self.n_missing,
        })
    }
}

/// Names of the columns that a model was fitted on; numbers where they have none.
pub(crate) fn feature_names(fitted: &Fitted) -> Vec<String> {
    match fitted.column_names() {
        Some(names) => names.to_vec(),
        None => (0..fitted.model().n_columns())
            .map(|place| format!("x{place}"))
            .collect(),
    }
}

/// A number type as users write it.
pub(crate) fn type_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "f32",
        Precision::Double => "f64",
    }
}

/// A fit, or new rows transformed by one.
pub(crate) struct Finished {
    pub(crate) fitted: Fitted,
    pub(crate) facts: Facts,
    /// True if the rows went by in batches.
    pub(crate) streaming: bool,
    /// Pictures that turned out to be impossible.
    pub(crate) not_drawn: Vec<(PathBuf, Failure)>,
    /// What was measured of the map, if requested.
    pub(crate) quality: Option<Quality>,
    /// Names of the rows, where they have some.
    pub(crate) row_names: Option<Vec<String>>,
    /// Rows that have no coordinates.
    pub(crate) n_without_coordinates: usize,
    /// Reconstruction errors of the rows, if requested.
    pub(crate) errors: Option<RowErrorFigures>,
    /// The shortest path between two rows, if requested.
    pub(crate) path: Option<PathFigures>,
}

impl Finished {
    /// What is known right after a fit or a transform.
    pub(crate) fn new(fitted: Fitted, facts: Facts) -> Self {
        Self {
            fitted,
            facts,
            streaming: false,
            not_drawn: Vec::new(),
            quality: None,
            row_names: None,
            n_without_coordinates: 0,
            errors: None,
            path: None,
        }
    }

    /// Fails at the end of a run for a picture that could not be drawn, and for a fit that a signal ended early.
    pub(crate) fn check(self, session: &Session) -> Outcome {
        if let Some((_, failure)) = self.not_drawn.into_iter().next() {
            return Err(failure);
        }
        if session.progress.ended_early() {
            return Err(Failure::Partial);
        }
        Ok(())
    }

    /// What is written of what was requested.
    pub(crate) fn written(&self, outputs: &Outputs) -> Outputs {
        let mut written = outputs.clone();
        for picture in written.pictures() {
            if self
                .not_drawn
                .iter()
                .any(|(path, _)| picture.as_ref() == Some(path))
            {
                *picture = None;
            }
        }
        written
    }
}
