//! The model of metric and non-metric MDS and of Sammon's mapping: a layout that minimizes a stress, and out-of-sample placement where a new row's own stress is smallest.

use ndarray::{Array1, Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

use super::out_of_sample::{PlacementMap, Targets};
use crate::data::loaded::{check_at_least, check_finite, check_length, check_positive};
use crate::data::{Data, Source};
use crate::error::{Error, Result, message};
use crate::metric::ReferenceRows;
use crate::model::{Diagnostics, Model, Transform, arrays};
use crate::optimize::isotonic::Curve;
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// New rows whose distances are in memory at once.
const AT_ONCE: usize = 1024;
/// New rows that one job embeds.
const BLOCK: usize = 8;

/// What the stress of a new row is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum StressRule {
    /// Distances, with the weights that come with them.
    Distances,
    /// Disparities: a rising function of the distances.
    Order(Curve),
    /// Distances, with one over them for weights: at least this much counts.
    Sammon(f64),
    /// Distances, with one over their squares for weights: at least this much counts.
    Relative(f64),
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StressReport {
    /// The stress: raw, or Sammon's. Raw stress is infinite where its squares are too large for a number.
    pub stress: f64,
    /// Kruskal's stress 1.
    pub normalized_stress: Option<f64>,
    /// The initial stress, for a single initialization.
    pub start_stress: f64,
    /// The stress of each row.
    #[serde(with = "arrays::vector")]
    pub stress_per_row: Array1<f64>,
    /// The stress of every initialization.
    #[serde(with = "arrays::vector")]
    pub stress_of_starts: Array1<f64>,
    /// The initialization that led to the embedding.
    pub best_start: usize,
    /// Steps taken.
    pub n_iterations: usize,
    /// Whether the stress stopped falling before the limit.
    pub converged: bool,
    /// Whether the fit was ended on request before it converged.
    #[serde(default)]
    pub interrupted: bool,
    /// Distances that were missing.
    pub n_missing: usize,
}

/// A fitted embedding that preserves distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StressModel {
    known: ReferenceRows,
    rule: StressRule,
    #[serde(with = "arrays::matrix")]
    embedding: Array2<f64>,
    report: StressReport,
}

impl StressModel {
    /// A model from the training rows, what the stress is made of, the map, and how the fit went.
    pub(crate) fn new(
        known: ReferenceRows,
        rule: StressRule,
        embedding: Array2<f64>,
        report: StressReport,
    ) -> Self {
        Self {
            known,
            rule,
            embedding,
            report,
        }
    }

    /// How the fit went.
    pub fn report(&self) -> &StressReport {
        &self.report
    }

    /// The coordinates of new rows by their distances to all training rows; `first` is the number of the first new row, for messages.
    fn embed_block(
        &self,
        run: &Run<'_>,
        map: &PlacementMap,
        distances: &Array2<f64>,
        weights: Option<ArrayView2<'_, f64>>,
        first: usize,
    ) -> Result<Array2<f64>> {
        let parts = map_blocks(run, distances.nrows(), BLOCK, |rows| {
            rows.map(|row| {
                let weights = weights.as_ref().map(|weights| weights.row(row).to_vec());
                let targets = self.targets(distances.row(row).to_vec(), weights);
                map.embed(targets).ok_or(first + row)
            })
            .collect::<std::result::Result<Vec<_>, usize>>()
        })?;
        let mut coordinates = Array2::zeros((distances.nrows(), self.n_components()));
        let mut lines = coordinates.rows_mut().into_iter();
        for part in parts {
            let found = part.map_err(cannot_transform)?;
            for (place, mut line) in found.into_iter().zip(&mut lines) {
                line.assign(&Array1::from(place));
            }
        }
        Ok(coordinates)
    }

    fn targets(&self, mut distances: Vec<f64>, weights: Option<Vec<f64>>) -> Targets {
        let mut weights = weights.unwrap_or_else(|| vec![1.0; distances.len()]);
        for (distance, weight) in distances.iter_mut().zip(&mut weights) {
            if distance.is_nan() {
                (*distance, *weight) = (0.0, 0.0);
                continue;
            }
            match &self.rule {
                StressRule::Distances => {}
                StressRule::Order(curve) => *distance = curve.at(*distance),
                // Relative to the smallest, so that it cannot overflow.
                StressRule::Sammon(least) => *weight = least / distance.max(*least),
                StressRule::Relative(least) => *weight = (least / distance.max(*least)).powi(2),
            }
        }
        Targets { distances, weights }
    }

    fn weights<'a>(&self, data: &'a Data<'_>) -> Result<Option<ArrayView2<'a, f64>>> {
        let Some(weights) = data.pair_weights() else {
            return Ok(None);
        };
        let known = self.embedding.nrows();
        if weights.ncols() != known || self.rule.is_sammon() {
            let problem = if self.rule.is_sammon() {
                message!("takes no weights of distances")
            } else {
                message!(
                    "needs {known} weights for each new {:row}, but was given {}",
                    weights.ncols()
                )
            };
            return Err(Error::unsupported(message!("the model"), problem));
        }
        Ok(Some(weights.view()))
    }
}

impl StressRule {
    fn is_sammon(&self) -> bool {
        matches!(self, Self::Sammon(_) | Self::Relative(_))
    }
}

fn cannot_transform(row: usize) -> Error {
    Error::degenerate(message!(
        "new {row:row} cannot be transformed: it has no known distance with a weight above \
         0, or its distances are too large"
    ))
}

impl Transform for StressModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        run.install(|| {
            let map = PlacementMap::new(&self.embedding.view());
            let weights = self.weights(data)?;
            let (Source::Features(features), Some(_)) = (data.source(), self.known.features())
            else {
                let distances = self.known.distances(run, data)?;
                return self.embed_block(run, &map, &distances, weights, 0);
            };
            data.new_rows("the model", self.n_columns())?;
            let mut coordinates = Array2::zeros((data.n_rows(), self.n_components()));
            for rows in blocks(data.n_rows(), AT_ONCE) {
                let some = Data::measured_as(features.rows(rows.start, rows.end), data);
                let distances = self
                    .known
                    .distances(run, &some)
                    .map_err(|error| match error {
                        Error::NotFinite { .. } => data.bad_values(None),
                        other => other,
                    })?;
                let weights = weights.map(|weights| weights.slice_move(s![rows.clone(), ..]));
                let embed_block = self.embed_block(run, &map, &distances, weights, rows.start)?;
                coordinates.slice_mut(s![rows, ..]).assign(&embed_block);
            }
            Ok(coordinates)
        })
    }
}

impl Model for StressModel {
    fn n_components(&self) -> usize {
        self.embedding.ncols()
    }

    fn n_columns(&self) -> usize {
        self.known.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let report = &self.report;
        let mut figures = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns());
        // Raw stress has the square of the distances' unit, and may be too large for a number.
        let figure = |figures: Diagnostics, name, value: f64| {
            if value.is_finite() {
                figures.number(name, value)
            } else {
                figures
            }
        };
        let parts = |figures: Diagnostics, name, values: &Array1<f64>| {
            if values.iter().all(|value| value.is_finite()) {
                figures.vector(name, values)
            } else {
                figures
            }
        };
        figures = figure(figures, "stress", report.stress);
        if let Some(normalized) = report.normalized_stress {
            figures = figures.number("normalized_stress", normalized);
        }
        figures = figure(figures, "initial_stress", report.start_stress);
        figures = parts(
            figures,
            "stress_of_initializations",
            &report.stress_of_starts,
        );
        figures = figures
            .count("best_initialization", report.best_start)
            .count("n_iterations", report.n_iterations)
            .interrupted(report.interrupted)
            .text("converged", if report.converged { "yes" } else { "no" })
            .count("n_missing_distances", report.n_missing);
        parts(figures, "stress_per_row", &report.stress_per_row)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            known,
            rule,
            embedding,
            report: _,
        } = self;
        known.validate(embedding.nrows())?;
        check_length("the reference rows", known.n_rows(), embedding.nrows())?;
        check_at_least("the columns of the embedding", embedding.ncols(), 1)?;
        check_finite("the embedding", embedding)?;
        match rule {
            StressRule::Distances => Ok(()),
            StressRule::Order(curve) => curve.validate(),
            StressRule::Sammon(least) | StressRule::Relative(least) => {
                check_positive("the least distance", [least])
            }
        }
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some(if self.rule.is_sammon() {
            "sammon"
        } else {
            "mds"
        })
    }
}
