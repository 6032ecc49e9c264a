//! Where a layout by neighbours begins: at the smoothest vectors of its graph, at the principal components, or at random.

use ndarray::{Array1, Array2, Axis, s};

use super::fuzzy_graph::FuzzyGraph;
use super::spectral_initialization::smoothest;
use crate::data::columns::Columns;
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result};
use crate::graph::Components;
use crate::linalg::eigen;
use crate::linalg::krylov::Effort;
use crate::linalg::operator::Rows;
use crate::message;
use crate::params::Choice;
use crate::random::{normal, stream, uniform};
use crate::run::Run;
use crate::spectral::principal;

/// The side of the square in which a layout begins.
const SIDE: f64 = 10.0;
/// How far rows are shaken, on that scale.
const SHAKEN: f64 = 1e-4;
/// How exact principal components are, and products at most.
const EXACT: (f64, usize) = (1e-3, 20);
/// Parts whose means are compared; where there are more, all are placed at random.
const MOST_PARTS: usize = 1000;

/// Where a layout begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Start {
    /// At the smoothest eigenvectors of the graph; each part of a graph in parts by itself.
    Spectral,
    /// At the principal components.
    Pca,
    /// At random places.
    Random,
}

impl Start {
    /// The first places of all rows, from 0 to 10 along every coordinate.
    pub fn places(
        self,
        run: &Run<'_>,
        (data, graph): (&Data<'_>, &FuzzyGraph),
        n_components: usize,
        seed: u64,
    ) -> Result<Array2<f64>> {
        let mut draw = stream(seed, 4);
        let shape = (graph.n_rows(), n_components);
        let mut places = match self {
            Self::Random => Array2::from_shape_simple_fn(shape, || SIDE * uniform(&mut draw)),
            Self::Pca => principal_components(run, data, n_components, seed)?,
            Self::Spectral => spectral(run, (data, graph), n_components, seed)?,
        };
        if self == Self::Random {
            return Ok(places);
        }
        let most = places.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let factor = if most > 0.0 { SIDE / most } else { 1.0 };
        places.mapv_inplace(|value| value * factor + SHAKEN * normal(&mut draw));
        spread(&mut places);
        Ok(places)
    }
}

/// Moves and stretches every coordinate to the range from 0 to 10.
fn spread(places: &mut Array2<f64>) {
    for mut column in places.columns_mut() {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high > low {
            column.mapv_inplace(|value| SIDE * (value - low) / (high - low));
        }
    }
}

fn principal_components(
    run: &Run<'_>,
    data: &Data<'_>,
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let Source::Features(features) = data.source() else {
        return Err(Error::one_of(
            "start",
            &["spectral", "random"],
            message!("{:data} has no features"),
            "pca",
        ));
    };
    let wanted = n_components.min(features.n_columns());
    let mean = Columns::of(features).means;
    let rows = Rows::new(features, &mean);
    let effort = Effort {
        tolerance: EXACT.0,
        max_products: EXACT.1,
        seed,
    };
    let axes = principal::randomized(run, &rows, wanted, &effort)?;
    let mut places = Array2::zeros((features.n_rows(), n_components));
    let found = rows.times(run, &axes.vectors.t())?;
    places.slice_mut(s![.., ..found.ncols()]).assign(&found);
    Ok(places)
}

fn spectral(
    run: &Run<'_>,
    (data, graph): (&Data<'_>, &FuzzyGraph),
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let parts = graph.components();
    let (members, place) = members(&parts);
    if let [rows] = members.as_slice()
        && rows.len() > n_components + 1
    {
        return smoothest(run, graph, (rows, &place), (n_components, seed));
    }
    let centres = centres(data, &parts, n_components, seed)?;
    let reaches = reaches(&centres);
    let mut places = Array2::zeros((graph.n_rows(), n_components));
    let mut draw = stream(seed, 5);
    for (part, rows) in members.iter().enumerate() {
        run.check()?;
        let own = match rows.len() < (2 * n_components).max(n_components + 2) {
            true => Array2::from_shape_simple_fn((rows.len(), n_components), || {
                2.0 * uniform(&mut draw) - 1.0
            }),
            false => smoothest(run, graph, (rows, &place), (n_components, seed))?,
        };
        let most = own.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let factor = reaches[part] / most.max(f64::MIN_POSITIVE);
        for (&row, own) in rows.iter().zip(own.rows()) {
            let place = &centres.row(part) + &(&own * factor);
            places.row_mut(row as usize).assign(&place);
        }
    }
    Ok(places)
}

/// The rows of every part, and where each row is among those of its part.
fn members(parts: &Components) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut members: Vec<Vec<u32>> = parts.sizes.iter().map(|&n| Vec::with_capacity(n)).collect();
    let mut place = Vec::with_capacity(parts.of_row.len());
    for (row, &part) in parts.of_row.iter().enumerate() {
        place.push(members[part as usize].len() as u32);
        members[part as usize].push(row as u32);
    }
    (members, place)
}

/// Where the parts go: along the axes if they are few, by the principal components of their means if there are features, or at random.
fn centres(
    data: &Data<'_>,
    parts: &Components,
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let count = parts.len();
    if count <= 2 * n_components {
        return Ok(Array2::from_shape_fn(
            (count, n_components),
            |(part, c)| match part % n_components == c {
                true if part < n_components => 1.0,
                true => -1.0,
                false => 0.0,
            },
        ));
    }
    if let (Source::Features(features), true) = (data.source(), count <= MOST_PARTS) {
        let means = means(features, parts);
        let mut products = means.dot(&means.t());
        let most = products.diag().iter().copied().fold(0.0, f64::max);
        if most > 0.0 && most.is_finite() {
            products /= most;
            let found = eigen::symmetric_largest(&products.view(), n_components)?;
            let mut centres = found.vectors.t().to_owned();
            for (mut column, value) in centres.columns_mut().into_iter().zip(&found.values) {
                column *= value.max(0.0).sqrt();
            }
            let largest = centres.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            return Ok(centres / largest.max(f64::MIN_POSITIVE));
        }
    }
    let mut draw = stream(seed, 6);
    Ok(Array2::from_shape_simple_fn((count, n_components), || {
        2.0 * uniform(&mut draw) - 1.0
    }))
}

/// The mean of every part, and all of them centred.
fn means(features: &Features<'_>, parts: &Components) -> Array2<f64> {
    let mut means = Array2::zeros((parts.len(), features.n_columns()));
    let mut row_values = vec![0.0; features.n_columns()];
    for (row, &part) in parts.of_row.iter().enumerate() {
        features.copy_row(row, &mut row_values);
        let share = 1.0 / parts.sizes[part as usize] as f64;
        let mut mean = means.row_mut(part as usize);
        mean.scaled_add(share, &Array1::from_vec(row_values.clone()));
    }
    if let Some(centre) = means.mean_axis(Axis(0)) {
        means -= &centre;
    }
    means
}

/// How far the rows of each part may lie from its middle: half the way to the nearest other middle.
fn reaches(centres: &Array2<f64>) -> Vec<f64> {
    let least = 0.1 / (centres.nrows() as f64).sqrt();
    if centres.nrows() > MOST_PARTS {
        return vec![least; centres.nrows()];
    }
    centres
        .rows()
        .into_iter()
        .enumerate()
        .map(|(part, centre)| {
            let others = centres.rows().into_iter().enumerate();
            let nearest = others
                .filter(|(other, _)| *other != part)
                .map(|(_, other)| (&other - &centre).mapv(|v| v * v).sum().sqrt())
                .fold(f64::INFINITY, f64::min);
            match nearest.is_finite() {
                true => (nearest / 2.0).max(least),
                false => 1.0,
            }
        })
        .collect()
}
