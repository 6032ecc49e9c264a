//! What is measured of the data.

use ndarray::ArrayView2;
use serde::Serialize;

use super::sample::Sampled;
use super::separation::Separation;
use super::trial::{self, Trial, possible};
use super::{Options, rules};
use crate::Model;
use crate::data::columns::Columns;
use crate::data::{Data, Features, Labels, Neighbors, Scaling, Source};
use crate::dimension::{Components as ComponentRule, Likelihood, maximum_likelihood};
use crate::error::Result;
use crate::graph::{Components, Graph};
use crate::method::Fit;
use crate::methods::pca::Pca;
use crate::neighbors::{self, Search};
use crate::run::{Quiet, Run};

/// Proportion of the variance that components are to carry.
pub(super) const PROPORTION: f64 = 0.9;
/// Neighbours of the graph.
pub(super) const NEIGHBORS: usize = 15;
/// Neighbours over which the intrinsic dimension is averaged.
const FIRST: usize = 10;
const LAST: usize = 20;
/// Standard deviations that differ by more than this have different units.
const DIFFERENT: f64 = 5.0;
/// Successive rows whose correlation is looked at.
const MOST_SERIAL: usize = 2_000;
/// Features of signals, at most.
const MOST_SIGNALS: usize = 50;
/// Different distances counted, at most.
const MOST_DISTINCT: usize = 20;

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Features.
    Features,
    /// Distances.
    Distances,
    /// A kernel matrix.
    Kernel,
    /// A table of neighbours.
    Neighbors,
}

/// What the labels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LabelFacts {
    /// Classes.
    Classes {
        /// Classes that have rows.
        n_classes: usize,
        /// Classes with fewer than three rows.
        n_small: usize,
        /// Rows without a class.
        n_missing: usize,
    },
    /// Numbers.
    Numbers {
        /// Rows without a number.
        n_missing: usize,
    },
}

/// The features column by column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ColumnFacts {
    /// Missing values.
    pub n_missing: usize,
    /// Rows that have missing values.
    pub n_incomplete: usize,
    /// Columns whose values do not differ.
    pub n_constant: usize,
    /// No value is below 0.
    pub nonnegative: bool,
    /// Proportion of values that are 0.
    pub zeros: f64,
    /// Standard deviation of a large column, as a multiple of that of a small one: ninth and first decile.
    pub scale_ratio: f64,
    /// Smallest correlation of successive values of a column; none where that means nothing.
    pub serial_correlation: Option<f64>,
}

/// The principal components.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaneFacts {
    /// Proportion of the variance along the first two.
    pub proportion: f64,
    /// Components that carry 90 % of the variance.
    pub n_components: usize,
}

/// The neighbour graph of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GraphFacts {
    /// Neighbours of each row.
    pub n_neighbors: usize,
    /// Connected components.
    pub n_components: usize,
    /// Proportion of the rows in the largest.
    pub largest: f64,
    /// Proportion of the rows that equal another.
    pub duplicates: f64,
}

/// Everything that is measured of the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// What the numbers are.
    pub source: SourceKind,
    /// Rows.
    pub n_rows: usize,
    /// Features.
    pub n_columns: usize,
    /// Views of the rows.
    pub n_views: usize,
    /// Sparse rows.
    pub sparse: bool,
    /// The rows are images.
    pub images: bool,
    /// What the labels are, if there are any.
    pub labels: Option<LabelFacts>,
    /// Distances that are missing.
    pub n_missing_distances: usize,
    /// Different values of the distances, if they are few.
    pub n_distinct_distances: Option<usize>,
    /// The features column by column.
    pub columns: Option<ColumnFacts>,
    /// How the features should be scaled.
    pub scaling: Scaling,
    /// Rows that all facts from here on were measured on.
    pub n_sampled: usize,
    /// The principal components.
    pub plane: Option<PlaneFacts>,
    /// Intrinsic dimension by maximum likelihood.
    pub intrinsic_dimension: Option<f64>,
    /// The neighbour graph.
    pub graph: Option<GraphFacts>,
    /// How the classes, or the parts of the graph, are separated.
    pub separation: Option<Separation>,
    /// Trustworthiness of candidate methods.
    pub trials: Vec<Trial>,
}

/// Measures everything.
pub(super) fn gather(run: &Run<'_>, data: &Data<'_>, options: &Options) -> Result<Facts> {
    let mut facts = of_size(data, options);
    match data.source() {
        Source::Distances(distances) => facts.n_distinct_distances = n_distinct(distances),
        Source::Features(features) if facts.n_rows > 0 && facts.n_columns > 0 => {
            of_features(run, data, features, &mut facts)?;
        }
        _ => {}
    }
    Ok(facts)
}

fn of_size(data: &Data<'_>, options: &Options) -> Facts {
    let source = match data.source() {
        Source::Features(_) => SourceKind::Features,
        Source::Distances(_) | Source::DistancesTo(_) => SourceKind::Distances,
        Source::Kernel(_) | Source::KernelTo(_) => SourceKind::Kernel,
        Source::Neighbors(_) | Source::Affinities(_) | Source::AffinitiesTo(_) => {
            SourceKind::Neighbors
        }
    };
    Facts {
        source,
        n_rows: data.n_rows(),
        n_columns: data.n_columns(),
        n_views: data.view_widths().len(),
        sparse: matches!(data.source(), Source::Features(features) if features.is_sparse()),
        images: options.images,
        labels: data.labels().map(of_labels),
        n_missing_distances: data.n_missing_distances(),
        n_distinct_distances: None,
        columns: None,
        scaling: Scaling::None,
        n_sampled: 0,
        plane: None,
        intrinsic_dimension: None,
        graph: None,
        separation: None,
        trials: Vec::new(),
    }
}

fn of_labels(labels: &Labels<'_>) -> LabelFacts {
    match labels {
        Labels::Classes { names, of_row } => {
            let mut counts = vec![0_usize; names.len()];
            for class in of_row.iter().flatten() {
                counts[*class as usize] += 1;
            }
            LabelFacts::Classes {
                n_classes: counts.iter().filter(|&&count| count > 0).count(),
                n_small: counts
                    .iter()
                    .filter(|&&count| (1..3).contains(&count))
                    .count(),
                n_missing: labels.n_missing(),
            }
        }
        Labels::Numbers(_) => LabelFacts::Numbers {
            n_missing: labels.n_missing(),
        },
    }
}

/// Different values above the diagonal; none if they are more than a few.
fn n_distinct(distances: &ArrayView2<'_, f64>) -> Option<usize> {
    let mut values: Vec<f64> = Vec::new();
    for (row, line) in distances.rows().into_iter().enumerate() {
        for &distance in line.iter().skip(row + 1).filter(|value| value.is_finite()) {
            if !values.contains(&distance) {
                values.push(distance);
            }
            if values.len() > MOST_DISTINCT {
                return None;
            }
        }
    }
    Some(values.len())
}

fn of_features(
    run: &Run<'_>,
    data: &Data<'_>,
    features: &Features<'_>,
    facts: &mut Facts,
) -> Result<()> {
    run.stage("columns")?;
    let columns = Columns::of(features);
    let is_infinite =
        |values: &ndarray::Array1<f64>| values.iter().any(|value| value.is_infinite());
    let empty = columns.counts.iter().any(|count| *count == 0.0);
    if !empty && (is_infinite(&columns.least) || is_infinite(&columns.greatest)) {
        data.check_finite()?;
    }
    let found = of_columns(features, &columns);
    facts.columns = Some(found);
    facts.scaling = scaling(facts, &columns, &found);
    if facts.n_rows < 3 || facts.n_columns < 2 || found.n_constant == facts.n_columns {
        return Ok(());
    }
    let watch = Quiet(run);
    let quiet = Run::new().observer(&watch);
    let sampled = Sampled::of(data, features, &columns, facts.scaling)?;
    facts.n_sampled = sampled.n_rows;
    let rows = sampled.data();
    run.stage("spectrum")?;
    facts.plane = possible(plane(&quiet, &rows))?;
    run.stage("neighbours")?;
    let wanted = NEIGHBORS.max(LAST).min(facts.n_sampled - 1);
    let table = neighbors::nearest(&quiet, &rows, &Search::default(), wanted);
    let table = possible(table)?.map(|found| found.neighbors);
    let parts = table.as_ref().map(|table| {
        let nearest = table.nearest(NEIGHBORS.min(wanted));
        (
            Components::of(&Graph::union(&nearest)),
            NEIGHBORS.min(wanted),
        )
    });
    if let (Some(table), Some((parts, n_neighbors))) = (&table, &parts) {
        facts.graph = Some(GraphFacts {
            n_neighbors: *n_neighbors,
            n_components: parts.sizes.len(),
            largest: parts.sizes[0] as f64 / facts.n_sampled as f64,
            duplicates: duplicates(table),
        });
        facts.intrinsic_dimension = dimension(table, wanted);
    }
    run.stage("separation")?;
    let parts = parts.as_ref().map(|(parts, _)| parts);
    facts.separation = Separation::of(&quiet, &sampled, parts)?;
    run.stage("trials")?;
    let plain = Data::new(match rows.source() {
        Source::Features(features) => features.reborrow(),
        _ => return Ok(()),
    });
    facts.trials = trial::of_all(&quiet, &plain, &rules::candidates(facts))?;
    Ok(())
}

fn plane(run: &Run<'_>, data: &Data<'_>) -> Result<PlaneFacts> {
    let fit = |n_components| {
        Pca {
            n_components,
            ..Pca::default()
        }
        .fit_with(run, data.clone())
    };
    let most = data.n_rows().min(data.n_columns());
    let first = fit(ComponentRule::Count(most.min(2)))?;
    let enough = fit(ComponentRule::Proportion(PROPORTION))?;
    Ok(PlaneFacts {
        proportion: first.explained_variance_ratio().sum(),
        n_components: enough.n_components(),
    })
}

fn dimension(table: &Neighbors, wanted: usize) -> Option<f64> {
    let last = LAST.min(wanted);
    let likelihood = Likelihood {
        first: FIRST.min(last).max(2),
        last: last.max(2),
        corrected: true,
    };
    let found = maximum_likelihood(table, &likelihood).ok();
    found
        .map(|(dimension, _)| dimension)
        .filter(|dimension| dimension.is_finite())
}

fn duplicates(table: &Neighbors) -> f64 {
    let on_another = |row: &usize| table.row(*row).1.first() == Some(&0.0);
    let count = (0..table.n_rows()).filter(on_another).count();
    count as f64 / table.n_rows().max(1) as f64
}

fn of_columns(features: &Features<'_>, columns: &Columns) -> ColumnFacts {
    let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
    let n_missing: f64 = columns
        .counts
        .iter()
        .map(|count| n_rows as f64 - count)
        .sum();
    let (n_incomplete, zeros) = if features.is_sparse() {
        let stored = features.n_stored() as f64;
        (0, 1.0 - stored / (n_rows as f64 * n_columns as f64))
    } else {
        incomplete_and_zeros(features)
    };
    let varying = || (0..n_columns).filter(|&column| !columns.is_constant(column));
    let deviations = columns.deviations(0.0);
    let mut spread: Vec<f64> = varying().map(|column| deviations[column]).collect();
    spread.sort_by(f64::total_cmp);
    let at = |share: f64| spread[((spread.len() - 1) as f64 * share).round() as usize];
    let scale_ratio = if spread.is_empty() {
        1.0
    } else {
        at(0.9) / at(0.1).max(f64::MIN_POSITIVE)
    };
    ColumnFacts {
        n_missing: n_missing as usize,
        n_incomplete,
        n_constant: n_columns - varying().count(),
        nonnegative: columns.least.iter().all(|least| *least >= 0.0),
        zeros,
        scale_ratio,
        serial_correlation: serial_correlation(features, columns),
    }
}

/// Rows with missing values, and the proportion of zeros.
fn incomplete_and_zeros(features: &Features<'_>) -> (usize, f64) {
    let n_columns = features.n_columns();
    let mut row = vec![0.0; n_columns];
    let (mut incomplete, mut zeros) = (0, 0_usize);
    for number in 0..features.n_rows() {
        features.copy_row(number, &mut row);
        incomplete += usize::from(row.iter().any(|value| value.is_nan()));
        zeros += row.iter().filter(|value| **value == 0.0).count();
    }
    (
        incomplete,
        zeros as f64 / (features.n_rows() as f64 * n_columns as f64),
    )
}

/// The smallest correlation, over the columns, of each value with the next.
fn serial_correlation(features: &Features<'_>, columns: &Columns) -> Option<f64> {
    let n = features.n_rows().min(MOST_SERIAL);
    let n_columns = features.n_columns();
    if features.is_sparse() || !(2..=MOST_SIGNALS).contains(&n_columns) || n < 10 * n_columns {
        return None;
    }
    let block = features.dense_rows(0, n);
    let correlations = (0..n_columns).map(|column| {
        let values = block.column(column);
        let mean = columns.means[column];
        let product = |lag: usize| -> f64 {
            (0..n - 1)
                .map(|row| (values[row] - mean) * (values[row + lag] - mean))
                .sum()
        };
        let own = product(0);
        if own > 0.0 {
            product(1) / own
        } else {
            f64::NAN
        }
    });
    let least = correlations.fold(f64::INFINITY, |least, value| {
        if value.is_nan() {
            f64::NAN
        } else {
            least.min(value)
        }
    });
    least.is_finite().then_some(least)
}

/// Features of different units are standardized. Images, counts and sparse rows have one unit.
fn scaling(facts: &Facts, columns: &Columns, found: &ColumnFacts) -> Scaling {
    let varies = |column: &usize| !columns.is_constant(*column);
    let places: Vec<usize> = (0..facts.n_columns).filter(varies).collect();
    let from_zero = places
        .iter()
        .filter(|&&column| columns.least[column] == 0.0);
    let mut highest: Vec<f64> = places
        .iter()
        .map(|&column| columns.greatest[column])
        .collect();
    highest.sort_by(f64::total_cmp);
    // Pixels and the like: nearly all columns begin at 0 and most reach the same height.
    let one_unit = found.nonnegative
        && 2 * from_zero.count() > places.len()
        && highest
            .last()
            .is_some_and(|last| highest[highest.len() / 2] >= 0.5 * last);
    let counts = found.nonnegative && found.zeros > 0.5;
    if facts.sparse || facts.images || one_unit || counts || facts.n_views > 1 {
        return Scaling::None;
    }
    if found.scale_ratio > DIFFERENT {
        Scaling::ZScore
    } else {
        Scaling::None
    }
}
