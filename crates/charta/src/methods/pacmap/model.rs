//! The model of PaCMAP: out-of-sample placement by near pairs with the nearest training rows, which are fixed.
//!
//! A row that equals a training row gets that row's coordinates. New rows do not depend on each other.

use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

use super::Pacmap;
use super::optimize::{Phases, embed_row};
use super::pairs::Counts;
use super::rows::Reduction;
use crate::data::loaded::{check_at_least, check_parameter, unfit};
use crate::data::{Data, Source};
use crate::error::Result;
use crate::model::{Diagnostics, GraphReport, Layout, LayoutFit};
use crate::run::Run;

/// A distance that is this fraction of the furthest neighbour's is none, but for rounding in single precision.
const SAME: f64 = 1e-6;

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacmapReport {
    /// The neighbours.
    pub graph: GraphReport,
    /// Near, mid-near and further pairs that each row chooses.
    pub n_pairs: [usize; 3],
    /// How the initial coordinates were found, in words.
    pub start: String,
    /// The loss at the end, with the weights of the last step.
    pub loss: f64,
    /// Steps done.
    pub n_iterations: usize,
    /// Whether the optimization was ended on request before its last step.
    #[serde(default)]
    pub interrupted: bool,
}

impl PacmapReport {
    /// A report without a loss yet.
    pub(crate) fn new(graph: GraphReport, counts: Counts, start: &str) -> Self {
        Self {
            graph,
            n_pairs: [counts.near, counts.mid_near, counts.further],
            start: start.into(),
            loss: 0.0,
            n_iterations: 0,
            interrupted: false,
        }
    }
}

/// What PaCMAP keeps beside the coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacmapFit {
    /// How rows are reduced before they are compared; the training rows kept are reduced too.
    pub reduction: Option<Reduction>,
    /// The steps that a new row takes.
    pub phases: Phases,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// How the fit went.
    pub report: PacmapReport,
}

/// A fitted PaCMAP.
pub type PacmapModel = Layout<PacmapFit>;

impl PacmapModel {
    /// How the fit went.
    pub fn report(&self) -> &PacmapReport {
        &self.fit.report
    }

    /// The loss at the end of the fit.
    pub fn loss(&self) -> f64 {
        self.fit.report.loss
    }

    /// The coordinates of a new row by its nearest training rows.
    fn row_coordinates(&self, neighbors: &[u32], distances: &[f64]) -> Vec<f64> {
        let rows: Vec<usize> = (neighbors.iter())
            .map(|&neighbor| self.training.row_of(neighbor))
            .collect();
        match (rows.first(), distances.first(), distances.last()) {
            (Some(&first), Some(nearest), Some(furthest)) if *nearest <= SAME * furthest => {
                self.embedding.row(first).to_vec()
            }
            _ => embed_row(
                &self.embedding.view(),
                &rows,
                &self.fit.phases,
                self.fit.learning_rate,
            ),
        }
    }

    /// The coordinates of new rows that are reduced already.
    fn embed(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let n_neighbors = self.fit.report.n_pairs[0];
        self.by_neighbors(
            run,
            data,
            n_neighbors,
            |neighbors, distances, mut target| {
                target.assign(&ArrayView1::from(
                    &self.row_coordinates(neighbors, distances),
                ));
            },
        )
    }
}

impl LayoutFit for PacmapFit {
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let (Source::Features(_), Some(reduction)) = (data.source(), &layout.fit.reduction) else {
            return layout.embed(run, data);
        };
        let features = data.new_rows("the model", reduction.n_columns())?;
        data.check_finite()?;
        let reduced = reduction.apply(run, features)?;
        layout.embed(run, &Data::from(&reduced))
    }

    fn diagnostics(layout: &Layout<Self>) -> Diagnostics {
        let report = &layout.fit.report;
        let [near, mid_near, further] = report.n_pairs;
        let mut figures = (layout.sizes())
            .number("loss", report.loss)
            .count("n_iterations", report.n_iterations)
            .interrupted(report.interrupted)
            .count("n_neighbors", near)
            .count("n_mid_near", mid_near)
            .count("n_further", further)
            .text("initialization", report.start.clone());
        if let Some(reduction) = &layout.fit.reduction {
            figures = figures.count("n_axes", reduction.n_axes());
        }
        report.graph.add(figures)
    }

    fn validate(layout: &Layout<Self>) -> Result<()> {
        let PacmapFit {
            reduction,
            phases,
            learning_rate,
            report,
        } = &layout.fit;
        let Phases {
            first,
            second,
            third,
        } = phases;
        check_parameter::<Pacmap>("first_phase", first)?;
        check_parameter::<Pacmap>("second_phase", second)?;
        check_parameter::<Pacmap>("third_phase", third)?;
        check_parameter::<Pacmap>("learning_rate", learning_rate)?;
        check_at_least("the number of neighbours", report.n_pairs[0], 1)?;
        match (reduction, layout.training.n_columns()) {
            (Some(reduction), Some(n_axes)) => reduction.validate(n_axes),
            (Some(_), None) => Err(unfit("the axes", "none without features", "some")),
            (None, _) => Ok(()),
        }
    }

    fn n_columns(&self) -> Option<usize> {
        self.reduction.as_ref().map(Reduction::n_columns)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("pacmap")
    }
}
