//! Initialization of the embedding: Laplacian eigenmaps of the fuzzy graph (component by component), principal components, or random coordinates.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::fuzzy_graph::FuzzyGraph;
use super::spectral_initialization::spectral_vectors;
use crate::data::columns::Columns;
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result, message};
use crate::graph::Components;
use crate::linalg::block_krylov::Effort;
use crate::linalg::eigen;
use crate::linalg::operator::Rows;
use crate::params::Choice;
use crate::random::{normal, stream, uniform};
use crate::run::Run;
use crate::spectral::principal;

/// The side of the square that the initial coordinates fill.
const SIDE: f64 = 10.0;
/// Standard deviation of the noise added to spectral and PCA coordinates, on that scale.
const JITTER: f64 = 1e-4;
/// Relative accuracy of the principal components.
const PCA_TOLERANCE: f64 = 1e-3;
/// Products with the data that they may take.
const PCA_PRODUCTS: usize = 20;
/// Connected components whose means are compared; where there are more, all are put at random positions.
const MAX_COMPONENTS_COMPARED: usize = 1000;

/// Initialization of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// Laplacian eigenmaps of the fuzzy graph, for each connected component separately.
    Spectral,
    /// Principal components.
    Pca,
    /// Uniformly random coordinates.
    Random,
}

impl Initialization {
    /// The initial coordinates of all rows, from 0 to 10 along every axis.
    pub(crate) fn coordinates(
        self,
        run: &Run<'_>,
        data: &Data<'_>,
        graph: &FuzzyGraph,
        n_components: usize,
        seed: u64,
    ) -> Result<Array2<f64>> {
        let mut draw = stream(seed, 4);
        let shape = (graph.n_rows(), n_components);
        let mut coordinates = match self {
            Self::Random => Array2::from_shape_simple_fn(shape, || SIDE * uniform(&mut draw)),
            Self::Pca => principal_components(run, data, n_components, seed)?,
            Self::Spectral => spectral(run, data, graph, n_components, seed)?,
        };
        if self == Self::Random {
            return Ok(coordinates);
        }
        let most = coordinates
            .iter()
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        let factor = if most > 0.0 { SIDE / most } else { 1.0 };
        coordinates.mapv_inplace(|value| value * factor + JITTER * normal(&mut draw));
        rescale(&mut coordinates);
        Ok(coordinates)
    }
}

/// Coordinates that were given in place of an initialization, from 0 to 10 along every axis; noise separates rows that coincide.
pub(crate) fn of_given(given: ArrayView2<'_, f64>, seed: u64) -> Array2<f64> {
    let most = given.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    // So that no difference overflows.
    let mut coordinates = given.mapv(|value| value / most.max(f64::MIN_POSITIVE));
    rescale(&mut coordinates);
    let mut bits: Vec<Vec<u64>> = (coordinates.rows().into_iter())
        .map(|row| row.iter().map(|value| (value + 0.0).to_bits()).collect())
        .collect();
    bits.sort_unstable();
    if bits.windows(2).any(|pair| pair[0] == pair[1]) {
        let mut draw = stream(seed, 4);
        coordinates.mapv_inplace(|value| value + JITTER * normal(&mut draw));
    }
    coordinates
}

/// Moves and stretches every coordinate to the range from 0 to 10.
fn rescale(coordinates: &mut Array2<f64>) {
    for mut column in coordinates.columns_mut() {
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
            "init",
            &["spectral", "random"],
            message!("{:data} has no features"),
            "pca",
        ));
    };
    let wanted = n_components.min(features.n_columns());
    let mean = Columns::of(features).means;
    let rows = Rows::new(features, &mean);
    let effort = Effort {
        tolerance: PCA_TOLERANCE,
        max_products: PCA_PRODUCTS,
        seed,
    };
    let axes = principal::randomized(run, &rows, wanted, &effort)?;
    let mut coordinates = Array2::zeros((features.n_rows(), n_components));
    let found = rows.times(run, &axes.vectors.t())?;
    coordinates
        .slice_mut(s![.., ..found.ncols()])
        .assign(&found);
    Ok(coordinates)
}

fn spectral(
    run: &Run<'_>,
    data: &Data<'_>,
    graph: &FuzzyGraph,
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let components = graph.components();
    let (members, number_in_component) = members(&components);
    if let [rows] = members.as_slice()
        && rows.len() > n_components + 1
    {
        return spectral_vectors(run, graph, rows, &number_in_component, n_components, seed);
    }
    let centres = centres(data, &components, n_components, seed)?;
    let reaches = reaches(&centres);
    let mut coordinates = Array2::zeros((graph.n_rows(), n_components));
    let mut draw = stream(seed, 5);
    for (part, rows) in members.iter().enumerate() {
        run.check()?;
        let own = if rows.len() < (2 * n_components).max(n_components + 2) {
            Array2::from_shape_simple_fn((rows.len(), n_components), || {
                2.0 * uniform(&mut draw) - 1.0
            })
        } else {
            spectral_vectors(run, graph, rows, &number_in_component, n_components, seed)?
        };
        let most = own.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let factor = reaches[part] / most.max(f64::MIN_POSITIVE);
        for (&row, own) in rows.iter().zip(own.rows()) {
            let point = &centres.row(part) + &(&own * factor);
            coordinates.row_mut(row as usize).assign(&point);
        }
    }
    Ok(coordinates)
}

/// The rows of every connected component, and the number of each row among those of its component.
fn members(components: &Components) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut members: Vec<Vec<u32>> = components
        .sizes
        .iter()
        .map(|&n| Vec::with_capacity(n))
        .collect();
    let mut index = Vec::with_capacity(components.of_row.len());
    for (row, &part) in components.of_row.iter().enumerate() {
        index.push(members[part as usize].len() as u32);
        members[part as usize].push(row as u32);
    }
    (members, index)
}

/// Where the components go: along the axes if they are few, by the principal components of their means if there are features, or at random.
fn centres(
    data: &Data<'_>,
    components: &Components,
    n_components: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let count = components.len();
    if count <= 2 * n_components {
        return Ok(Array2::from_shape_fn((count, n_components), |(part, c)| {
            if part % n_components != c {
                0.0
            } else if part < n_components {
                1.0
            } else {
                -1.0
            }
        }));
    }
    if let (Source::Features(features), true) = (data.source(), count <= MAX_COMPONENTS_COMPARED) {
        let means = means(features, components);
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

/// The mean of every component, and all of them centred.
fn means(features: &Features<'_>, components: &Components) -> Array2<f64> {
    let mut means = Array2::zeros((components.len(), features.n_columns()));
    let mut row_values = vec![0.0; features.n_columns()];
    for (row, &part) in components.of_row.iter().enumerate() {
        features.copy_row(row, &mut row_values);
        let share = 1.0 / components.sizes[part as usize] as f64;
        let mut mean = means.row_mut(part as usize);
        mean.scaled_add(share, &Array1::from_vec(row_values.clone()));
    }
    if let Some(centre) = means.mean_axis(Axis(0)) {
        means -= &centre;
    }
    means
}

/// How far the rows of each component may lie from its centre: half the way to the nearest other centre.
fn reaches(centres: &Array2<f64>) -> Vec<f64> {
    let least = 0.1 / (centres.nrows() as f64).sqrt();
    if centres.nrows() > MAX_COMPONENTS_COMPARED {
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
            if nearest.is_finite() {
                (nearest / 2.0).max(least)
            } else {
                1.0
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn given_coordinates_fill_the_square() {
        let found = of_given(array![[-1e308, 2.0], [1e308, 2.5], [0.0, 4.0]].view(), 0);
        let want = array![[0.0, 0.0], [10.0, 2.5], [5.0, 10.0]];
        assert!(
            found.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-9),
            "{found}"
        );
        // Equal rows are moved apart a little.
        let found = of_given(array![[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]].view(), 0);
        assert_ne!(found.row(1), found.row(2));
        assert!(found.row(1).iter().all(|value| (value - 10.0).abs() < 1e-2));
        assert!(
            of_given(ndarray::Array2::zeros((3, 2)).view(), 0)
                .iter()
                .all(|v| v.is_finite())
        );
    }
}
