//! Quality report of an embedding.

use ndarray::{Array1, Array2};

use super::co_ranking::CoRanking;
use super::distances::Distances;
use super::estimate::Estimate;
use super::labels::ClassAgreement;
use crate::model::Diagnostics;

/// Everything measured of an embedding: see [`super::measure`].
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How distances in the data were measured: a metric's name, `precomputed` or `function`.
    pub metric: String,
    /// The power of the Minkowski distance.
    pub power: Option<f64>,
    /// Rows of the data.
    pub n_rows: usize,
    /// Rows left out because they have no coordinates in the embedding.
    pub n_missing: usize,
    /// The rows measured, in order: all that have coordinates, or a sample of them.
    pub rows: Vec<usize>,
    /// Neighbourhoods of each requested size.
    pub agreements: Vec<Agreement>,
    /// Neighbourhoods of every size.
    pub co_ranking: CoRanking,
    /// Distances before and after.
    pub distances: Distances,
    /// How near the embedding is to known coordinates, if they were given.
    pub known: Option<Known>,
    /// For a Shepard diagram: some pairs' distances in the data and in the embedding.
    pub shepard: Array2<f64>,
    /// Named columns with a number for each row measured.
    pub points: Vec<(String, Array1<f64>)>,
}

/// How neighbourhoods of one size agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Their size.
    pub n_neighbors: usize,
    /// How far neighbours in the embedding are near in the data.
    pub trustworthiness: Estimate,
    /// How far neighbours in the data are near in the embedding.
    pub continuity: Estimate,
    /// The fraction of neighbours that are the same on both sides.
    pub q_nx: Estimate,
    /// The same less what chance gives: the local continuity meta-criterion.
    pub lcmc: f64,
    /// The same scaled so that chance is 0 and perfection 1.
    pub r_nx: f64,
    /// Neighbourhood hit and k-NN accuracy, if there are labels.
    pub classes: Option<ClassAgreement>,
}

/// An estimate with its name and that of its error.
type Named<'a, T> = (&'static str, &'static str, &'a dyn Fn(&T) -> Estimate);

/// The embedding aligned with known coordinates (Procrustes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The sum of squared distances left, as a fraction of the known coordinates' own: 0 is a perfect fit.
    pub disparity: f64,
    /// What the embedding was multiplied by.
    pub scale: f64,
    /// Rows that could be compared.
    pub n_rows: usize,
}

impl Report {
    /// Rows that were measured.
    pub fn n_measured(&self) -> usize {
        self.rows.len()
    }

    /// True if the rows measured are a sample.
    pub fn is_sample(&self) -> bool {
        self.rows.len() + self.n_missing < self.n_rows
    }

    /// The columns of [`Report::points`] for all rows of the data: NaN where a row was not measured.
    pub fn point_columns(&self) -> Vec<(String, Array1<f64>)> {
        let spread = |values: &Array1<f64>| {
            let mut column = Array1::from_elem(self.n_rows, f64::NAN);
            for (&row, &value) in self.rows.iter().zip(values) {
                column[row] = value;
            }
            column
        };
        let columns = self.points.iter();
        columns
            .map(|(name, values)| (name.clone(), spread(values)))
            .collect()
    }

    /// The figures by name. Standard errors are there if the rows measured are a sample.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut figures = Diagnostics::new().text("metric", &self.metric);
        if let Some(power) = self.power {
            figures = figures.number("power", power);
        }
        figures = figures
            .count("n_rows", self.n_rows)
            .count("n_missing", self.n_missing)
            .count("n_measured", self.n_measured());
        let counts = self
            .agreements
            .iter()
            .map(|of| of.n_neighbors as f64)
            .collect();
        figures = figures.vector("n_neighbors", &counts);
        let by_count: [Named<'_, Agreement>; 3] = [
            ("trustworthiness", "trustworthiness_error", &|of| {
                of.trustworthiness
            }),
            ("continuity", "continuity_error", &|of| of.continuity),
            ("q_nx", "q_nx_error", &|of| of.q_nx),
        ];
        for (name, error_name, figure) in by_count {
            figures = self.vector(figures, name, error_name, &|of| Some(figure(of)));
        }
        let plain =
            |figure: &dyn Fn(&Agreement) -> f64| self.agreements.iter().map(figure).collect();
        figures = figures
            .vector("lcmc", &plain(&|of| of.lcmc))
            .vector("r_nx", &plain(&|of| of.r_nx));
        figures = self.class_figures(figures);
        self.overall_figures(figures)
    }

    fn class_figures(&self, mut figures: Diagnostics) -> Diagnostics {
        let of_classes: [Named<'_, ClassAgreement>; 4] = [
            ("neighborhood_hit", "neighborhood_hit_error", &|of| of.hit),
            (
                "data_neighborhood_hit",
                "data_neighborhood_hit_error",
                &|of| of.data_hit,
            ),
            ("nearest_accuracy", "nearest_accuracy_error", &|of| {
                of.accuracy
            }),
            (
                "data_nearest_accuracy",
                "data_nearest_accuracy_error",
                &|of| of.data_accuracy,
            ),
        ];
        for (name, error_name, figure) in of_classes {
            figures = self.vector(figures, name, error_name, &|of| {
                of.classes.as_ref().map(figure)
            });
        }
        figures
    }

    /// Adds a figure that each size of neighbourhoods has.
    fn vector(
        &self,
        figures: Diagnostics,
        name: &'static str,
        error_name: &'static str,
        figure: &dyn Fn(&Agreement) -> Option<Estimate>,
    ) -> Diagnostics {
        let found: Vec<Estimate> = self.agreements.iter().filter_map(figure).collect();
        if found.is_empty() {
            return figures;
        }
        let figures = figures.vector(name, &found.iter().map(|of| of.value).collect());
        if !self.is_sample() {
            return figures;
        }
        figures.vector(error_name, &found.iter().map(|of| of.error).collect())
    }

    fn overall_figures(&self, figures: Diagnostics) -> Diagnostics {
        let (curves, distances) = (&self.co_ranking, &self.distances);
        let estimates = [
            ("r_nx_area", "r_nx_area_error", curves.area),
            ("pearson", "pearson_error", distances.pearson),
            ("spearman", "spearman_error", distances.spearman),
            (
                "residual_variance",
                "residual_variance_error",
                distances.residual_variance,
            ),
            ("raw_stress", "raw_stress_error", distances.raw_stress),
            ("stress_1", "stress_1_error", distances.stress_1),
            (
                "scaled_stress_1",
                "scaled_stress_1_error",
                distances.scaled_stress_1,
            ),
            (
                "sammon_stress",
                "sammon_stress_error",
                distances.sammon_stress,
            ),
        ];
        let mut figures = figures;
        for (name, error_name, estimate) in estimates {
            figures = figures.number(name, estimate.value);
            if estimate.error > 0.0 {
                figures = figures.number(error_name, estimate.error);
            }
        }
        figures = figures
            .count("k_max", curves.k_max)
            .number("lcmc_max", curves.lcmc_max)
            .number("q_local", curves.q_local)
            .number("q_global", curves.q_global)
            .count("n_pairs", distances.n_pairs);
        if let Some(known) = &self.known {
            figures = figures
                .number("procrustes_disparity", known.disparity)
                .number("procrustes_scale", known.scale)
                .count("procrustes_rows", known.n_rows);
        }
        figures
            .vector("q_nx_curve", &curves.q_nx)
            .vector("r_nx_curve", &curves.r_nx)
    }
}
