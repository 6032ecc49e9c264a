//! The model of a self-organizing map: a row gets the grid coordinates of its best-matching unit, and the inverse transform of grid coordinates is the nearest unit.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{Cells, Grid, Learning, Matching, Neighborhood, Space, UnitLabels};
use crate::data::Data;
use crate::data::loaded::{check_counts, check_dim, check_finite, check_length};
use crate::error::{Error, Result, message};
use crate::model::picture;
use crate::model::picture::{Content, Curve, Curves, Panel};
use crate::model::predict::decided;
use crate::model::{
    Diagnostics, InverseTransform, Model, Picture, Predict, Prediction, RowErrors, Transform,
    arrays, check_embedding,
};
use crate::run::Run;

/// Columns whose planes are drawn, at most.
const DRAWN: usize = 24;

/// A fitted self-organizing map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SomModel {
    /// The grid of the units.
    pub(super) grid: Grid,
    /// The space in which rows and units are compared.
    pub(super) space: Space,
    /// The units in that space, one a row.
    #[serde(with = "arrays::matrix")]
    pub(super) units: Array2<f64>,
    /// Batch or online.
    pub(super) learning: Learning,
    /// The neighbourhood function.
    pub(super) neighborhood: Neighborhood,
    /// The neighbourhood radius of the first epoch.
    pub(super) first_radius: f64,
    /// The neighbourhood radius of the last epoch done.
    pub(super) last_radius: f64,
    /// Whether the training was ended on request before its last epoch.
    #[serde(default)]
    pub(super) interrupted: bool,
    /// Rows whose best-matching unit is each unit.
    pub(super) hits: Vec<usize>,
    /// The mean distance of rows to their best-matching units, before the training and after every epoch.
    #[serde(with = "arrays::vector")]
    pub(super) quantization_errors: Array1<f64>,
    /// The fraction of rows whose two best-matching units are not adjacent, before the training and after every epoch.
    #[serde(with = "arrays::vector")]
    pub(super) topographic_errors: Array1<f64>,
    /// Names of the columns, where they have any.
    pub(super) columns: Option<Vec<String>>,
    /// The labels of the rows at each unit.
    pub(super) labels: Option<UnitLabels>,
    /// The fraction of labelled rows that have the class of their unit.
    pub(super) accuracy: Option<f64>,
    /// Coordinates of the training rows; not saved.
    #[serde(skip)]
    pub(super) embedding: Option<Array2<f64>>,
}

impl SomModel {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The units as features, one a row, row after row of the grid.
    pub fn units(&self) -> Array2<f64> {
        self.space.features_of(&self.units.view())
    }

    /// The mean distance of the training rows to their units.
    pub fn quantization_error(&self) -> f64 {
        last(&self.quantization_errors)
    }

    /// The fraction of the training rows whose two nearest units are no neighbours on the grid.
    pub fn topographic_error(&self) -> f64 {
        last(&self.topographic_errors)
    }

    /// The mean distance of every unit to its neighbours on the grid, in the unit of the features: a row for each row of the grid.
    pub fn u_matrix(&self) -> Array2<f64> {
        let (grid, units) = (&self.grid, &self.units);
        let distance = |a: usize, b: usize| {
            let pairs = units.row(a).into_iter().zip(units.row(b));
            let squares: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
            squares.sqrt() / self.space.factor()
        };
        self.on_grid(|unit| {
            let near = grid.neighbors(unit);
            let sum: f64 = near.iter().map(|other| distance(unit, *other)).sum();
            sum / near.len().max(1) as f64
        })
    }

    /// How many training rows fall to each unit: a row for each row of the grid.
    pub fn hit_map(&self) -> Array2<f64> {
        self.on_grid(|unit| self.hits[unit] as f64)
    }

    /// One column of the units: a row for each row of the grid.
    pub fn component_plane(&self, column: usize) -> Array2<f64> {
        let space = &self.space;
        let middle = space.middle()[column];
        self.on_grid(|unit| self.units[[unit, column]] / space.factor() + middle)
    }

    /// The unit nearest to each row: an index, row after row of the grid.
    pub fn best_units(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Vec<u32>> {
        Ok(self.matching(run, data)?.best)
    }

    fn on_grid(&self, value: impl Fn(usize) -> f64) -> Array2<f64> {
        let (width, height) = (self.grid.width(), self.grid.height());
        Array2::from_shape_fn((height, width), |(row, column)| value(row * width + column))
    }

    fn matching(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Matching> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.check_finite()?;
        run.install(|| Matching::of(run, &self.space, features, &self.units))
    }

    /// The name of the class with the most rows at each unit; empty where there is none.
    fn unit_names(&self) -> Option<Vec<String>> {
        let labels = self.labels.as_ref()?;
        let UnitLabels::Classes { names, .. } = labels else {
            return None;
        };
        let name = |class: Option<usize>| class.map_or(String::new(), |class| names[class].clone());
        Some(labels.majority().into_iter().map(name).collect())
    }
}

impl SomModel {
    fn cells(&self, name: &'static str, title: &str, panels: Vec<Panel>) -> Picture {
        let grid = &self.grid;
        let places = (0..grid.n_units()).map(|unit| grid.coordinates(unit).into());
        Picture {
            name,
            title: title.into(),
            note: String::new(),
            content: Content::Cells(picture::Cells {
                centers: places.collect(),
                hexagonal: grid.cells() == Cells::Hexagonal,
                panels,
            }),
        }
    }

    /// The planes of the columns in which units differ most.
    fn planes(&self) -> Picture {
        let (units, names) = (&self.units, &self.columns);
        let spreads = units.var_axis(ndarray::Axis(0), 0.0);
        let mut columns: Vec<usize> = (0..self.n_columns()).collect();
        columns.sort_by(|&a, &b| spreads[b].total_cmp(&spreads[a]));
        columns.truncate(DRAWN);
        columns.sort_unstable();
        let title = |column: usize| {
            let name = names.as_ref().and_then(|names| names.get(column));
            name.map_or_else(|| format!("column {column}"), Clone::clone)
        };
        let panels = columns.iter().map(|&column| Panel {
            title: title(column),
            values: self.component_plane(column).into_iter().collect(),
            words: Vec::new(),
        });
        let mut picture = self.cells("planes", "columns of the units", panels.collect());
        if self.n_columns() > DRAWN {
            picture.note = format!(
                "the {DRAWN} of {} columns in which units differ most",
                self.n_columns()
            );
        }
        picture
    }
}

fn error_curve(name: &'static str, title: &str, values: &Array1<f64>) -> Picture {
    Picture {
        name,
        title: format!("{title} over the epochs"),
        note: String::new(),
        content: Content::Curves(Curves {
            axes: ["epoch".into(), title.into()],
            first: 0,
            lines: vec![Curve {
                name: title.into(),
                values: values.to_vec(),
                spread: Vec::new(),
            }],
            chosen: None,
            logarithmic: false,
        }),
    }
}

fn last(values: &Array1<f64>) -> f64 {
    values.last().copied().unwrap_or(0.0)
}

impl Transform for SomModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        Ok(self.matching(run, data)?.coordinates(&self.grid))
    }
}

impl InverseTransform for SomModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        let mut chosen = Array2::zeros((embedding.nrows(), self.n_columns()));
        for (place, mut target) in embedding.rows().into_iter().zip(chosen.rows_mut()) {
            let unit = self.grid.nearest(place[0], place[1]);
            target.assign(&self.units.row(unit));
        }
        Ok(self.space.features_of(&chosen.view()))
    }
}

impl RowErrors for SomModel {
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let factor = self.space.factor();
        let apart = self.matching(run, data)?.apart;
        let lost: Array1<f64> = apart
            .into_iter()
            .map(|apart| apart / factor / factor)
            .collect();
        if lost.iter().all(|lost| lost.is_finite()) {
            Ok(lost)
        } else {
            Err(Error::too_large())
        }
    }
}

impl Predict for SomModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let Some(labels) = &self.labels else {
            return Err(Error::unsupported(
                message!("the model"),
                message!("was fitted without labels: it has no classes or numbers to predict"),
            ));
        };
        let answers = labels.answers(&self.grid);
        let best = self.matching(run, data)?.best;
        let mut predicted = Array2::zeros((best.len(), answers.ncols()));
        for (mut to, &unit) in predicted.rows_mut().into_iter().zip(&best) {
            to.assign(&answers.row(unit as usize));
        }
        Ok(match labels {
            UnitLabels::Numbers { name, .. } => Prediction::Numbers {
                names: vec![name.clone()],
                values: predicted,
            },
            UnitLabels::Classes { names, .. } => Prediction::Classes {
                names: names.clone(),
                of_row: decided(&predicted.view()).ok_or_else(Error::too_large)?,
                probabilities: predicted.clone(),
                decisions: predicted,
            },
        })
    }
}

impl Model for SomModel {
    fn n_components(&self) -> usize {
        2
    }

    fn n_columns(&self) -> usize {
        self.space.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let grid = &self.grid;
        let edges = if grid.is_toroidal() {
            "toroidal"
        } else {
            "planar"
        };
        let mut report = Diagnostics::new()
            .count("n_components", 2)
            .text("grid", format!("{}, {edges}", grid.cells()))
            .count("width", grid.width())
            .count("height", grid.height())
            .count("n_units", grid.n_units())
            .count("n_rows", self.hits.iter().sum())
            .number("quantization_error", self.quantization_error())
            .number("topographic_error", self.topographic_error())
            .count(
                "n_empty_units",
                self.hits.iter().filter(|&&n| n == 0).count(),
            )
            .text("learning", self.learning.to_string())
            .text("neighborhood", self.neighborhood.to_string())
            .number("initial_radius", self.first_radius)
            .number("final_radius", self.last_radius)
            .count("n_epochs", self.quantization_errors.len().saturating_sub(1))
            .interrupted(self.interrupted)
            .vector("quantization_errors", &self.quantization_errors)
            .vector("topographic_errors", &self.topographic_errors);
        if let Some(accuracy) = self.accuracy {
            report = report.number("training_accuracy", accuracy);
        }
        if let Some(UnitLabels::Classes { names, .. }) = &self.labels {
            report = report.words("classes", names);
        }
        if let Some(names) = self.unit_names() {
            report = report.words("unit_labels", &names);
        }
        report
            .matrix("hits", &self.hit_map())
            .matrix("u_matrix", &self.u_matrix())
            .matrix("units", &self.units())
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        Some(self)
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        self.labels.as_ref().map(|_| self as &dyn Predict)
    }

    fn pictures(&self) -> Vec<Picture> {
        let words = self.unit_names().unwrap_or_default();
        let panel = |title: &str, values: Array2<f64>| {
            vec![Panel {
                title: title.into(),
                values: values.into_iter().collect(),
                words: words.clone(),
            }]
        };
        let apart = panel("mean distance", self.u_matrix());
        let hits = panel("rows", self.hit_map());
        vec![
            self.cells("u_matrix", "distances between neighbouring units", apart),
            self.cells("hits", "rows at each unit", hits),
            self.planes(),
            error_curve(
                "quantization_error",
                "quantization error",
                &self.quantization_errors,
            ),
            error_curve(
                "topographic_error",
                "topographic error",
                &self.topographic_errors,
            ),
        ]
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("som")
    }

    fn validate(&self) -> Result<()> {
        let Self {
            grid,
            space,
            units,
            learning: _,
            neighborhood: _,
            first_radius: _,
            last_radius: _,
            interrupted: _,
            hits,
            quantization_errors: _,
            topographic_errors: _,
            columns,
            labels,
            accuracy: _,
            embedding: _,
        } = self;
        grid.validate()?;
        space.validate()?;
        let (n_units, n_columns) = (grid.n_units(), space.n_columns());
        check_dim("the units", units.dim(), (n_units, n_columns))?;
        check_finite("the units", units)?;
        check_length("the hits", hits.len(), n_units)?;
        check_counts("the hits", hits)?;
        if let Some(columns) = columns {
            check_length("the names of columns", columns.len(), n_columns)?;
        }
        match labels {
            Some(labels) => labels.validate(n_units),
            None => Ok(()),
        }
    }
}
