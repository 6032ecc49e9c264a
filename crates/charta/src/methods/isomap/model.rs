//! The model of Isomap: out-of-sample placement by geodesic distances to the landmarks.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{
    check_at_least, check_at_most, check_dim, check_finite, check_indices, check_length,
    check_not_negative,
};
use crate::data::{Data, Features, Neighbors, Source};
use crate::error::{Error, Message, Result, message};
use crate::graph::{Graph, Paths};
use crate::linalg::product::product_into;
use crate::local::Patch;
use crate::model::{Diagnostics, Model, Transform, arrays};
use crate::neighbors::Reference;
use crate::parallel::{map_blocks, stack_rows};
use crate::params::Choice;
use crate::run::Run;
use crate::spectral::classical_scaling::{Fidelity, Scaled};
use crate::spectral::squares::ClassMix;

/// New rows that one job embeds.
const BLOCK: usize = 16;
/// What is added to the diagonal of the neighbours' inner products, as a fraction of their trace.
const REGULARIZATION: f64 = 1e-3;

/// Out-of-sample placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Placement {
    /// By their geodesic distances (along the graph) to the landmarks, as in landmark MDS.
    Geodesic,
    /// Interpolation: the weights that reconstruct the row from its neighbours (as in LLE) are applied to their coordinates.
    Interpolation,
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IsomapReport {
    /// How neighbours were found.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among them.
    pub recall: f64,
    /// Connected components before bridges were added.
    pub n_parts: usize,
    /// Edges added to join them.
    pub n_bridges: usize,
    /// How well the coordinates keep the distances.
    pub fidelity: Fidelity,
    /// Weights of the classes that were tried, and the k-NN accuracy of rows held
    /// out.
    pub tried: Vec<(f64, f64)>,
}

/// A fitted Isomap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IsomapModel {
    /// The rows of the graph; `None` if they are known by distances only.
    pub(super) reference: Option<Reference>,
    /// The graph of neighbours.
    pub(super) graph: Graph,
    /// Which rows of the data its rows are, if some were left out.
    pub(super) rows: Option<Vec<u32>>,
    /// Nearest rows that a new row takes for neighbours.
    pub(super) n_neighbors: usize,
    /// How far they may be away, except for the nearest.
    pub(super) radius: Option<f64>,
    /// The rows to which distances are measured.
    pub(super) landmarks: Vec<u32>,
    /// Out-of-sample placement.
    pub(super) placement: Placement,
    /// How the fit went.
    pub(super) report: IsomapReport,
    /// How distances are mixed with those between classes, if they are.
    pub(super) mix: Option<ClassMix>,
    /// Eigenvalues of the coordinates, and some more.
    #[serde(with = "arrays::vector")]
    pub(super) values: Array1<f64>,
    /// What centred squared distances to the landmarks are multiplied by.
    #[serde(with = "arrays::matrix")]
    pub(super) weights: Array2<f64>,
    /// Mean squared distances of the landmarks.
    #[serde(with = "arrays::vector")]
    pub(super) means: Array1<f64>,
    /// Coordinates of the data's rows; NaN for rows left out.
    #[serde(with = "arrays::matrix")]
    pub(super) embedding: Array2<f64>,
}

/// Coordinates of the rows of a graph as rows of the data, of which some may have been left out.
pub(super) fn in_data_order(
    coordinates: &ArrayView2<'_, f64>,
    rows: Option<&[u32]>,
    n_rows: usize,
) -> Array2<f64> {
    let mut embedding = Array2::from_elem((n_rows, coordinates.ncols()), f64::NAN);
    match rows {
        None => embedding.assign(coordinates),
        Some(rows) => {
            for (&row, coordinates) in rows.iter().zip(coordinates.rows()) {
                embedding.row_mut(row as usize).assign(&coordinates);
            }
        }
    }
    embedding
}

impl IsomapModel {
    /// The same graph under another scaling.
    pub(super) fn rescaled(
        self,
        mix: Option<ClassMix>,
        scaled: Scaled,
        coordinates: &ArrayView2<'_, f64>,
    ) -> Self {
        let n_rows = self.embedding.nrows();
        Self {
            mix,
            values: scaled.values,
            weights: scaled.weights,
            means: scaled.means,
            embedding: in_data_order(coordinates, self.rows.as_deref(), n_rows),
            ..self
        }
    }

    /// How the fit went.
    pub fn report(&self) -> &IsomapReport {
        &self.report
    }

    /// The graph of neighbours.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The largest eigenvalues of the centred matrix: those of the coordinates, and some more.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.values
    }

    /// The training rows that are nearest to each new row.
    fn entries(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Neighbors> {
        match &self.reference {
            Some(reference) => reference.nearest(run, data, self.n_neighbors),
            None => self.entries_by_distances(data),
        }
    }

    fn entries_by_distances(&self, data: &Data<'_>) -> Result<Neighbors> {
        let distances = match data.source() {
            Source::Features(features) => features.reborrow(),
            Source::Distances(matrix) | Source::DistancesTo(matrix) => Features::F64(matrix.view()),
            Source::Kernel(_) | Source::KernelTo(_) => {
                return Err(needs(message!("distances, but was given a kernel matrix")));
            }
            Source::Neighbors(_) => {
                return Err(needs(message!("distances, but was given neighbours")));
            }
            Source::Affinities(_) | Source::AffinitiesTo(_) => {
                return Err(needs(message!("distances, but was given affinities")));
            }
        };
        if distances.n_columns() != self.n_columns() {
            return Err(Error::shape(
                message!("distances of a new {:row} to the training {:rows}"),
                self.n_columns(),
                distances.n_columns(),
            ));
        }
        if data.n_missing_distances() == 0 {
            data.check_finite()?;
        }
        let mut table = (vec![0], Vec::new(), Vec::new());
        let mut line = vec![0.0; distances.n_columns()];
        for row in 0..distances.n_rows() {
            distances.copy_row(row, &mut line);
            for (distance, index) in self.nearest_by(&line)? {
                table.1.push(index);
                table.2.push(distance);
            }
            table.0.push(table.1.len());
        }
        let n_known = self.graph.n_rows();
        Ok(Neighbors::from_lists(n_known, table.0, table.1, table.2))
    }

    /// The rows of the graph that are nearest by a line of distances to all rows of the data.
    fn nearest_by(&self, line: &[f64]) -> Result<Vec<(f64, u32)>> {
        if let Some(distance) = line.iter().find(|distance| **distance < 0.0) {
            return Err(Error::shape(
                message!("distances of a new {:row} to the training {:rows}"),
                "numbers of at least 0",
                distance,
            ));
        }
        let mut list: Vec<(f64, u32)> = match &self.rows {
            None => line.iter().copied().zip(0..).collect(),
            Some(rows) => rows
                .iter()
                .map(|&row| line[row as usize])
                .zip(0..)
                .collect(),
        };
        // Of a graph given without distances between all rows, those that are no neighbours are missing.
        list.retain(|entry| !entry.0.is_nan());
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.truncate(self.n_neighbors);
        if list.is_empty() {
            return Err(Error::shape(
                message!("distances of a new {:row} to the training {:rows}"),
                "at least one",
                "none, all are missing",
            ));
        }
        Ok(list)
    }

    /// The distances along the graph from some new rows to the landmarks, and the rows' classes by the vote
    /// of their neighbours, if classes matter.
    fn landmark_distances(
        &self,
        paths: &Paths,
        entries: &Neighbors,
        rows: Range<usize>,
    ) -> LandmarkDistances {
        let mut search = paths.search();
        let mut lengths = Array2::zeros((rows.len(), self.landmarks.len()));
        let mut classes = Vec::with_capacity(rows.len());
        for (row, mut line) in rows.zip(lengths.rows_mut()) {
            let seeds = self.seeds(entries, row);
            search.start(seeds.iter().copied());
            for (to, &landmark) in line.iter_mut().zip(&self.landmarks) {
                *to = search.length(landmark);
            }
            let mix = self.mix.as_ref();
            classes.push(mix.and_then(|mix| vote(&mix.of_row, &seeds)));
        }
        LandmarkDistances { lengths, classes }
    }

    /// The neighbours of a new row that count.
    fn seeds(&self, entries: &Neighbors, row: usize) -> Vec<(u32, f64)> {
        let (indices, distances) = entries.row(row);
        let pairs = indices.iter().copied().zip(distances.iter().copied());
        let near = |pair: &(usize, (u32, f64))| {
            pair.0 == 0 || self.radius.is_none_or(|radius| pair.1.1 <= radius)
        };
        pairs.enumerate().filter(near).map(|pair| pair.1).collect()
    }

    /// The distances of new rows to the landmarks, to embed them under several scalings.
    pub(crate) fn distances_to_landmarks(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
    ) -> Result<LandmarkDistances> {
        let entries = self.entries(run, data)?;
        let paths = Paths::of(&self.graph);
        let parts = map_blocks(run, entries.n_rows(), BLOCK, |rows| {
            self.landmark_distances(&paths, &entries, rows)
        })?;
        let lengths = parts.iter().map(|part| &part.lengths);
        let lengths = stack_rows(lengths, self.landmarks.len());
        let classes = parts.iter().flat_map(|part| part.classes.clone()).collect();
        Ok(LandmarkDistances { lengths, classes })
    }

    /// Coordinates by distances to the landmarks: ½ (means − squares) · weights.
    pub(crate) fn embed(&self, landmark_distances: &LandmarkDistances) -> Array2<f64> {
        let mut squares = landmark_distances.lengths.clone();
        for (mut line, &own) in squares
            .rows_mut()
            .into_iter()
            .zip(&landmark_distances.classes)
        {
            let columns = self.landmarks.iter().zip(&self.means);
            for (value, (&landmark, mean)) in line.iter_mut().zip(columns) {
                let length = match &self.mix {
                    Some(mix) => mix.mixed(*value, own, mix.of_row[landmark as usize]),
                    None => *value,
                };
                *value = (mean - length * length) / 2.0;
            }
        }
        let mut transformed = Array2::zeros((squares.nrows(), self.weights.ncols()));
        product_into(
            transformed.view_mut(),
            &squares.view(),
            &self.weights.view(),
        );
        transformed
    }

    fn by_geodesics(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let entries = self.entries(run, data)?;
        let paths = Paths::of(&self.graph);
        let parts = map_blocks(run, entries.n_rows(), BLOCK, |rows| {
            self.embed(&self.landmark_distances(&paths, &entries, rows))
        })?;
        Ok(stack_rows(&parts, self.weights.ncols()))
    }

    fn by_interpolation(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let reference = self.reference.as_ref();
        let known = reference.and_then(Reference::features).ok_or_else(|| {
            needs(message!(
                "features to interpolate, but was fitted to distances: set {placement=geodesic}"
            ))
        })?;
        let entries = self.entries(run, data)?;
        let new = data.features("isomap")?;
        let parts = map_blocks(run, entries.n_rows(), BLOCK, |rows| {
            let mut transformed = Array2::zeros((rows.len(), self.weights.ncols()));
            let mut patch = Patch::default();
            let mut own = vec![0.0; new.n_columns()];
            for (row, mut point) in rows.zip(transformed.rows_mut()) {
                let seeds = self.seeds(&entries, row);
                if let Some(same) = seeds.iter().find(|seed| seed.1 == 0.0) {
                    point.assign(&self.coordinates_of(same.0));
                    continue;
                }
                new.copy_row(row, &mut own);
                patch.look_from(&known, &own, seeds.iter().map(|seed| seed.0 as usize))?;
                for (weight, seed) in patch.barycenter(REGULARIZATION).iter().zip(&seeds) {
                    point.scaled_add(*weight, &self.coordinates_of(seed.0));
                }
            }
            Ok(transformed)
        })?;
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(stack_rows(&parts, self.weights.ncols()))
    }

    /// The coordinates of a row of the graph.
    fn coordinates_of(&self, row: u32) -> ArrayView1<'_, f64> {
        let rows = self.rows.as_ref();
        let row = rows.map_or(row, |rows| rows[row as usize]);
        self.embedding.row(row as usize)
    }
}

/// Distances of new rows to the landmarks along the graph, and the rows' likely classes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LandmarkDistances {
    lengths: Array2<f64>,
    classes: Vec<Option<u32>>,
}

fn needs(problem: Message) -> Error {
    Error::unsupported(
        message!("this {'isomap':method} model"),
        message!("needs {problem}"),
    )
}

/// The class that most of the rows have, of equal ones that of the nearest.
fn vote(of_row: &[Option<u32>], seeds: &[(u32, f64)]) -> Option<u32> {
    let classes: Vec<u32> = (seeds.iter())
        .filter_map(|seed| of_row[seed.0 as usize])
        .collect();
    let votes = |class: u32| classes.iter().filter(|&&other| other == class).count();
    let most = classes.iter().map(|&class| votes(class)).max()?;
    classes.iter().copied().find(|&class| votes(class) == most)
}

impl Transform for IsomapModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        run.install(|| match self.placement {
            Placement::Geodesic => self.by_geodesics(run, data),
            Placement::Interpolation => self.by_interpolation(run, data),
        })
    }
}

impl Model for IsomapModel {
    fn n_components(&self) -> usize {
        self.weights.ncols()
    }

    /// Rows without features are known by their distances to all rows.
    fn n_columns(&self) -> usize {
        let features = self.reference.as_ref().and_then(Reference::features);
        features.map_or(self.embedding.nrows(), |features| features.n_columns())
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let report = &self.report;
        let kept = self.values.len().min(self.n_components());
        let mut values = Array1::zeros(self.n_components());
        values
            .slice_mut(s![..kept])
            .assign(&self.values.slice(s![..kept]));
        let mut figures = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns())
            .text("search", report.algorithm.clone())
            .number("recall", report.recall)
            .count("n_edges", self.graph.n_edges())
            .count("n_connected_components", report.n_parts)
            .count("n_bridges", report.n_bridges)
            .count("n_left_out", self.embedding.nrows() - self.graph.n_rows())
            .count("n_landmarks", self.landmarks.len())
            .number("reconstruction_error", report.fidelity.reconstruction_error)
            .vector("residual_variance", &report.fidelity.residual_variance)
            .count("n_rows_measured", report.fidelity.n_measured)
            .number("negative_fraction", report.fidelity.negative_share)
            .count("n_rows_of_negative_fraction", report.fidelity.n_spectrum)
            .per_component("eigenvalues", &values)
            .vector("spectrum", &self.values);
        if let Some(mix) = &self.mix {
            figures = figures.number("alpha", mix.alpha);
        }
        if !report.tried.is_empty() {
            let (tried, right): (Vec<f64>, Vec<f64>) = report.tried.iter().copied().unzip();
            figures = figures
                .vector("alphas_tried", &tried.into())
                .vector("accuracies", &right.into());
        }
        figures
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("isomap")
    }

    fn validate(&self) -> Result<()> {
        let Self {
            reference,
            graph,
            rows,
            n_neighbors,
            radius,
            landmarks,
            placement: _,
            report: _,
            mix,
            values,
            weights,
            means,
            embedding,
        } = self;
        let (n_rows, n_components) = embedding.dim();
        let (n_graph, n_landmarks) = (graph.n_rows(), landmarks.len());
        graph.validate()?;
        match rows {
            None => check_length("the rows of the graph", n_graph, n_rows)?,
            Some(rows) => {
                check_length("the rows of the graph", n_graph, rows.len())?;
                check_indices("the indices of the graph's rows", rows, n_rows)?;
                check_at_most("the rows of the graph", n_graph, n_rows)?;
            }
        }
        if let Some(reference) = reference {
            reference.validate()?;
            check_length("the reference rows", reference.n_rows(), n_graph)?;
        }
        check_at_least("the number of neighbours", *n_neighbors, 1)?;
        check_not_negative("the radius", radius)?;
        check_indices("the landmarks", landmarks, n_graph)?;
        check_at_least("the columns of the embedding", n_components, 1)?;
        check_dim("the weights", weights.dim(), (n_landmarks, n_components))?;
        check_length("the means", means.len(), n_landmarks)?;
        check_finite("the eigenvalues", values)?;
        check_finite("the weights", weights)?;
        check_finite("the means", means)?;
        for row in 0..n_graph as u32 {
            check_finite("the embedding", self.coordinates_of(row))?;
        }
        match mix {
            Some(mix) => mix.validate(n_graph),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Fit;
    use crate::methods::isomap::Isomap;

    /// Numbers of rows and shapes that a forged file may hold are errors, not panics.
    #[test]
    fn a_model_that_does_not_fit_together_is_refused() {
        let roll = crate::data::synthetic::swiss_roll(150, 0.0, 0).unwrap();
        let model = Isomap::default().fit(&roll).unwrap();
        model.validate().unwrap();
        let refused = |change: &dyn Fn(&mut IsomapModel)| {
            let mut forged = model.clone();
            change(&mut forged);
            let body = rmp_serde::to_vec_named(&forged).unwrap();
            let loaded: IsomapModel = rmp_serde::from_slice(&body).unwrap();
            assert!(loaded.validate().is_err());
        };
        refused(&|model| model.graph.targets[7] = 161);
        refused(&|model| model.graph.starts[3] = 1_000_000);
        refused(&|model| model.graph.lengths.truncate(9));
        refused(&|model| model.landmarks[0] = 150);
        refused(&|model| {
            model.rows = Some(vec![0; 150]).map(|mut rows| {
                rows[4] = 900;
                rows
            });
        });
        refused(&|model| model.means = Array1::zeros(3));
        refused(&|model| model.weights = Array2::zeros((150, 5)));
    }
}
