//! How groups of rows are separated: by a linear rule, by neighbours, and in the map of a kernel.

use ndarray::{Array2, ArrayView2};
use serde::Serialize;

use super::sample::{Sampled, half, half_of};
use super::trial::{coordinates, possible};
use crate::Model;
use crate::data::{Data, Labels};
use crate::dimension::ComponentCount;
use crate::error::Result;
use crate::graph::Components;
use crate::kernel::{Gamma, Kernel};
use crate::method::Fit;
use crate::methods::kernel_pca::KernelPca;
use crate::methods::lda::Lda;
use crate::methods::pls::Pls;
use crate::model::{Predict, Prediction};
use crate::quality::nearest_classes;
use crate::run::Run;

/// Neighbours that vote.
const VOTERS: usize = 5;
/// Fewest rows that are divided into two halves.
const FEWEST: usize = 30;
/// Parts of the neighbour graph that count as groups: at most so many, each with this proportion of the rows at least.
const MOST_PARTS: usize = 10;
const SMALLEST_PART: f64 = 0.05;
/// Rows of the search for a kernel's width.
const MOST_FOR_WIDTH: usize = 400;
/// Widths tried, as powers of 2 times the median heuristic.
const POWERS: std::ops::RangeInclusive<i32> = -2..=8;

/// What the groups are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Groups {
    /// The classes of the labels.
    Classes,
    /// Connected components of the neighbour graph.
    Graph,
    /// Numbers as labels, for which accuracies are proportions of explained variance.
    Numbers,
}

/// How well groups are predicted from half of the sample, for the other half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Separation {
    /// What the groups are.
    pub groups: Groups,
    /// Accuracy of a linear rule.
    pub linear: f64,
    /// Accuracy of the nearest neighbours.
    pub nearest: f64,
    /// The width of a kernel in whose map a linear rule separates the groups, where no linear rule does so in the data.
    pub kernel: Option<KernelWidth>,
}

/// A kernel's width, and what a linear rule achieves in its map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KernelWidth {
    /// Coefficient γ.
    pub gamma: f64,
    /// Accuracy of a linear rule on the first two kernel principal components.
    pub accuracy: f64,
}

impl Separation {
    /// Accuracy by which the linear rule may fall behind the neighbours and still counts as sufficient.
    const TOLERANCE: f64 = 0.05;

    /// True if a linear rule separates the groups about as well as neighbours do.
    pub fn is_linear(&self) -> bool {
        self.linear >= self.nearest - Self::TOLERANCE
    }

    /// The separation of the classes, or of the parts of the neighbour graph; none where there are none or too few rows.
    pub(super) fn of(
        run: &Run<'_>,
        sampled: &Sampled,
        parts: Option<&Components>,
    ) -> Result<Option<Self>> {
        let Some(rows) = sampled.dense().filter(|rows| rows.nrows() >= FEWEST) else {
            return Ok(None);
        };
        let (groups, classes) = match &sampled.labels {
            Some(Labels::Classes { of_row, .. }) => (Groups::Classes, of_row.to_vec()),
            Some(Labels::Numbers(values)) => return of_numbers(run, &rows, values),
            None => match parts.filter(|parts| are_groups(parts)) {
                Some(parts) => (Groups::Graph, of_parts(parts)),
                None => return Ok(None),
            },
        };
        let Some((rows, classes)) = known(&rows, &classes) else {
            return Ok(None);
        };
        // Classes around one centre have no discriminant axis at all: then the rule is the largest class.
        let linear = possible(linear_accuracy(run, &rows.view(), &classes))?;
        let linear = linear.unwrap_or_else(|| largest_share(&classes));
        let found = nearest_classes(
            run,
            &half(&rows.view(), 0).view(),
            &half_of(&classes, 0),
            &half(&rows.view(), 1).view(),
            VOTERS,
        );
        let Some(found) = possible(found)? else {
            return Ok(None);
        };
        let nearest = agreement(&found, &half_of(&classes, 1));
        let mut separation = Self {
            groups,
            linear,
            nearest,
            kernel: None,
        };
        if !separation.is_linear() {
            separation.kernel = width(run, &rows.view(), &classes)?;
        }
        Ok(Some(separation))
    }
}

fn are_groups(parts: &Components) -> bool {
    let n_rows = parts.of_row.len() as f64;
    (2..=MOST_PARTS).contains(&parts.sizes.len())
        && (parts.sizes.iter()).all(|&size| size as f64 >= SMALLEST_PART * n_rows)
}

fn of_parts(parts: &Components) -> Vec<Option<u32>> {
    parts.of_row.iter().map(|&part| Some(part)).collect()
}

/// The rows that have a class.
fn known(rows: &ArrayView2<'_, f64>, classes: &[Option<u32>]) -> Option<(Array2<f64>, Vec<u32>)> {
    let places: Vec<usize> = (0..classes.len())
        .filter(|&row| classes[row].is_some())
        .collect();
    let chosen = rows.select(ndarray::Axis(0), &places);
    (places.len() >= FEWEST).then(|| (chosen, classes.iter().filter_map(|class| *class).collect()))
}

/// Accuracy of a discriminant rule that is fitted to every second row, on the others.
fn linear_accuracy(run: &Run<'_>, rows: &ArrayView2<'_, f64>, classes: &[u32]) -> Result<f64> {
    let n_classes = classes.iter().max().map_or(0, |most| *most as usize + 1);
    let names: Vec<String> = (0..n_classes).map(|class| class.to_string()).collect();
    let known: Vec<Option<u32>> = half_of(classes, 0).into_iter().map(Some).collect();
    let (fitted, held_out) = (half(rows, 0), half(rows, 1));
    let labels = Labels::Classes {
        names: names.into(),
        of_row: known.into(),
    };
    let model = Lda::default().fit_with(run, Data::from(&fitted).with_labels(labels)?)?;
    let Prediction::Classes { names, of_row, .. } =
        model.predict_in(run, &Data::from(&held_out))?
    else {
        return Ok(0.0);
    };
    let number = |class: &u32| names[*class as usize].parse().unwrap_or(u32::MAX);
    let found: Vec<u32> = of_row.iter().map(number).collect();
    Ok(agreement(&found, &half_of(classes, 1)))
}

fn largest_share(classes: &[u32]) -> f64 {
    let n_classes = classes.iter().max().map_or(0, |most| *most as usize + 1);
    let mut counts = vec![0_usize; n_classes];
    for class in classes {
        counts[*class as usize] += 1;
    }
    let most = counts.into_iter().max().unwrap_or(0);
    most as f64 / classes.len().max(1) as f64
}

fn agreement(found: &[u32], classes: &[u32]) -> f64 {
    let right = found.iter().zip(classes).filter(|(a, b)| a == b).count();
    right as f64 / classes.len().max(1) as f64
}

/// The width that lets a linear rule separate the groups best; the widest of equally good ones.
fn width(
    run: &Run<'_>,
    rows: &ArrayView2<'_, f64>,
    classes: &[u32],
) -> Result<Option<KernelWidth>> {
    let step = rows.nrows().div_ceil(MOST_FOR_WIDTH).max(1);
    let places: Vec<usize> = (0..rows.nrows()).step_by(step).collect();
    let rows = rows.select(ndarray::Axis(0), &places);
    let classes: Vec<u32> = places.iter().map(|&row| classes[row]).collect();
    let data = Data::from(&rows);
    let Some(usual) = possible(Kernel::default().resolve(run, &data))? else {
        return Ok(None);
    };
    let mut best: Option<KernelWidth> = None;
    for power in POWERS {
        let gamma = rounded(usual.gamma * 2.0_f64.powi(power));
        let method = with_width(gamma);
        let map = possible(coordinates(run, &data, &method))?;
        let Some(map) = map else { continue };
        let accuracy = possible(linear_accuracy(run, &map.view(), &classes))?.unwrap_or(0.0);
        if best.is_none_or(|best| accuracy > best.accuracy) {
            best = Some(KernelWidth { gamma, accuracy });
        }
    }
    Ok(best)
}

/// Kernel principal components in the plane, for a Gaussian kernel of this width.
pub(super) fn with_width(gamma: f64) -> KernelPca {
    KernelPca {
        n_components: ComponentCount::Count(2),
        kernel: Kernel {
            gamma: Gamma::Value(gamma),
            ..Kernel::default()
        },
        ..KernelPca::default()
    }
}

/// A number with two digits that count.
fn rounded(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// Explained variance of numbers: by a linear model, and by the mean of the nearest neighbours.
fn of_numbers(
    run: &Run<'_>,
    rows: &ArrayView2<'_, f64>,
    values: &[f64],
) -> Result<Option<Separation>> {
    let places: Vec<usize> = (0..values.len())
        .filter(|&row| values[row].is_finite())
        .collect();
    if places.len() < FEWEST {
        return Ok(None);
    }
    let rows = rows.select(ndarray::Axis(0), &places);
    let values: Vec<f64> = places.iter().map(|&row| values[row]).collect();
    let held_out = half_of(&values, 1);
    let linear = possible(linear_prediction(run, &rows.view(), &values))?;
    let nearest = nearest_prediction(&rows.view(), &values);
    Ok(linear.map(|linear| Separation {
        groups: Groups::Numbers,
        linear: explained(&linear, &held_out),
        nearest: explained(&nearest, &held_out),
        kernel: None,
    }))
}

fn linear_prediction(
    run: &Run<'_>,
    rows: &ArrayView2<'_, f64>,
    values: &[f64],
) -> Result<Vec<f64>> {
    let (fitted, held_out) = (half(rows, 0), half(rows, 1));
    let known = Labels::numbers(half_of(values, 0));
    let model = Pls::default().fit_with(run, Data::from(&fitted).with_labels(known)?)?;
    let predictor = model
        .as_predict()
        .expect("partial least squares predicts labels");
    match predictor.predict_in(run, &Data::from(&held_out))? {
        Prediction::Numbers { values, .. } => Ok(values.column(0).to_vec()),
        _ => Ok(Vec::new()),
    }
}

/// The mean label of the nearest rows of the first half, for each row of the second.
fn nearest_prediction(rows: &ArrayView2<'_, f64>, values: &[f64]) -> Vec<f64> {
    let (fitted, known) = (half(rows, 0), half_of(values, 0));
    let predict = |row: ndarray::ArrayView1<'_, f64>| {
        let distance = |other: ndarray::ArrayView1<'_, f64>| -> f64 {
            row.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut near: Vec<(f64, usize)> =
            fitted.rows().into_iter().map(distance).zip(0..).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let near = &near[..VOTERS.min(near.len())];
        near.iter().map(|(_, row)| known[*row]).sum::<f64>() / near.len() as f64
    };
    half(rows, 1).rows().into_iter().map(predict).collect()
}

/// The proportion of the variance that predictions explain; 0 if they are worse than the mean.
fn explained(found: &[f64], values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let left: f64 = found.iter().zip(values).map(|(a, b)| (a - b).powi(2)).sum();
    if total > 0.0 {
        (1.0 - left / total).max(0.0)
    } else {
        0.0
    }
}
