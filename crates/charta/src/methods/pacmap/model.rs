//! The model of maps by pairs: new rows go where their nearest known rows pull them, with the map held still.
//!
//! A row that equals a training row gets that row's place. Every new row is placed by itself.

use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use super::optimize::{Phases, place};
use super::pairs::Counts;
use super::rows::Reduction;
use crate::data::{Data, Source};
use crate::error::Result;
use crate::model::{Diagnostics, GraphReport, Known, Model, Transform, arrays};
use crate::parallel::map_rows;
use crate::run::Run;

/// New rows that one job places.
const BLOCK: usize = 16;
/// A distance that is this share of the furthest neighbour's is none, but for rounding in single precision.
const SAME: f64 = 1e-6;

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacmapReport {
    /// The neighbours.
    pub graph: GraphReport,
    /// Near, mid-near and further pairs that a row begins.
    pub n_pairs: [usize; 3],
    /// How the start came about, in words.
    pub start: String,
    /// The loss at the end, with the weights of the last step.
    pub loss: f64,
    /// Steps done.
    pub n_iterations: usize,
}

impl PacmapReport {
    /// A report without a loss yet.
    pub fn new(graph: GraphReport, counts: Counts, start: &str) -> Self {
        Self {
            graph,
            n_pairs: [counts.near, counts.mid_near, counts.further],
            start: start.into(),
            loss: 0.0,
            n_iterations: 0,
        }
    }
}

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacmapParts {
    /// The training rows, reduced if they were.
    pub known: Known,
    /// How rows are reduced before they are compared.
    pub reduction: Option<Reduction>,
    /// Number of columns the model was fitted on.
    pub n_columns: usize,
    /// The steps that a new row goes.
    pub phases: Phases,
    /// How far it goes in one.
    pub learning_rate: f64,
    /// Places of the training rows.
    #[serde(with = "arrays::matrix")]
    pub embedding: Array2<f64>,
    /// How the fit went.
    pub report: PacmapReport,
}

/// A fitted map by pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacmapModel {
    parts: PacmapParts,
}

impl PacmapModel {
    /// A model from its parts.
    pub fn new(parts: PacmapParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &PacmapParts {
        &self.parts
    }

    /// The loss at the end of the fit.
    pub fn loss(&self) -> f64 {
        self.parts.report.loss
    }

    fn place(&self, (places, distances): (&[u32], &[f64])) -> Vec<f64> {
        let parts = &self.parts;
        let rows: Vec<usize> = (places.iter())
            .map(|&place| parts.known.row_of(place))
            .collect();
        match (rows.first(), distances.first(), distances.last()) {
            (Some(&first), Some(nearest), Some(furthest)) if *nearest <= SAME * furthest => {
                parts.embedding.row(first).to_vec()
            }
            _ => place(
                &parts.embedding.view(),
                &rows,
                &parts.phases,
                parts.learning_rate,
            ),
        }
    }

    fn placed(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let found = (self.parts.known).nearest(run, data, self.parts.report.n_pairs[0])?;
        let size = (found.n_rows(), self.n_components());
        map_rows(run, size, BLOCK, |row, mut target| {
            target.assign(&ArrayView1::from(&self.place(found.row(row))));
        })
    }
}

impl Transform for PacmapModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let (Source::Features(_), Some(reduction)) = (data.source(), &self.parts.reduction) else {
            return self.placed(run, data);
        };
        let features = data.new_rows("the model", reduction.n_columns())?;
        data.check_finite()?;
        let reduced = reduction.apply(run, features)?;
        self.placed(run, &Data::from(&reduced))
    }
}

impl Model for PacmapModel {
    fn n_components(&self) -> usize {
        self.parts.embedding.ncols()
    }

    fn n_columns(&self) -> usize {
        self.parts.n_columns
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.parts.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let (parts, report) = (&self.parts, &self.parts.report);
        let [near, mid_near, further] = report.n_pairs;
        let figures = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.embedding.nrows())
            .count("n_columns", self.n_columns())
            .number("loss", report.loss)
            .count("n_iterations", report.n_iterations)
            .count("n_neighbors", near)
            .count("n_mid_near", mid_near)
            .count("n_further", further)
            .text("start", report.start.clone());
        let figures = match &parts.reduction {
            Some(reduction) => figures.count("n_axes", reduction.n_axes()),
            None => figures,
        };
        report.graph.add(figures)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("pacmap")
    }
}
