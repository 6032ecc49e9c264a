//! The model of linear maps that keep neighbours together.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::linear::LinearMap;
use super::{Diagnostics, GraphReport, Mapped, Model, Transform, arrays};
use crate::data::Data;
use crate::error::Result;
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreservingParts {
    /// Names of the coordinates, before they get a number.
    pub stem: Stem,
    /// What is subtracted from every row.
    #[serde(with = "arrays::vector")]
    pub offset: Array1<f64>,
    /// The axes, one a row; zero beyond the rank.
    #[serde(with = "arrays::matrix")]
    pub axes: Array2<f64>,
    /// The quotient that each axis makes small.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// Standard deviation of every column.
    #[serde(with = "arrays::vector")]
    pub deviations: Array1<f64>,
    /// Directions among which the axes were sought.
    pub rank: usize,
    /// How neighbours were weighted, in words.
    pub weights: String,
    /// The bandwidth of heat weights, where there is one.
    pub bandwidth: Option<f64>,
    /// How the graph came about.
    pub graph: GraphReport,
}

/// Whose coordinates they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stem {
    /// Locality preserving projections.
    Lpp,
    /// Neighbourhood preserving embedding.
    Npe,
}

/// A fitted linear map that keeps neighbours together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preserving {
    parts: PreservingParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl Preserving {
    /// A model from its parts. The embedding is not there until [`Preserving::embed`].
    pub fn new(parts: PreservingParts) -> Self {
        let map = LinearMap {
            offset: parts.offset.clone(),
            encoder: parts.axes.clone(),
            decoder: None,
        };
        Self {
            parts,
            map,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &PreservingParts {
        &self.parts
    }

    /// The axes, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.axes
    }

    /// The quotient that each axis makes small.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.parts.eigenvalues
    }
}

impl Mapped for Preserving {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Model for Preserving {
    fn n_components(&self) -> usize {
        self.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_columns", self.n_columns())
            .per_component("eigenvalues", &parts.eigenvalues)
            .count("rank", parts.rank)
            .text("weights", parts.weights.clone());
        if let Some(bandwidth) = parts.bandwidth {
            report = report.number("bandwidth", bandwidth);
        }
        (parts.graph.add(report))
            .vector("mean", &parts.offset)
            .matrix("components", &parts.axes)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.axes.clone())
    }

    /// How far one standard deviation of each column moves each coordinate.
    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(&self.parts.axes * &self.parts.deviations)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some(match self.parts.stem {
            Stem::Lpp => "lpp",
            Stem::Npe => "npe",
        })
    }
}
