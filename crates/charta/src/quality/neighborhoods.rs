//! Trustworthiness and continuity alone, without the rest of the report.

use ndarray::ArrayView2;

use super::ranks::intrusion;
use super::rows::{Compared, check_neighborhood};
use crate::data::Data;
use crate::error::Result;
use crate::neighbors::Search;
use crate::run::Run;

/// How far the `n_neighbors` rows nearest in the embedding are near in the data: 1 if all are among the nearest
/// there, about 0.5 for a random map (Venna and Kaski 2001; the normalization is scikit-learn's).
///
/// Euclidean distances on both sides, unless the data is given as distances. Rows without coordinates in the
/// embedding (NaN) are left out. Equal distances rank by the rows' order. `n_neighbors` must be less than half
/// the number of rows.
///
/// ```
/// use charta::{Data, Fit, Model, Run, methods::pca::Pca, quality};
/// let roll = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
/// let model = Pca::default().fit(&roll)?;
/// let map = model.embedding().unwrap();
/// let score = quality::trustworthiness(&Run::new(), &Data::from(&roll), &map.view(), 10)?;
/// assert!(score > 0.8 && score < 1.0);
/// # Ok::<(), charta::Error>(())
/// ```
pub fn trustworthiness(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    n_neighbors: usize,
) -> Result<f64> {
    let (trustworthiness, _) = both(run, data, embedding, n_neighbors, &Search::default())?;
    Ok(trustworthiness)
}

/// How far the `n_neighbors` rows nearest in the data are near in the embedding: the same as
/// [`trustworthiness`] with the sides exchanged.
pub fn continuity(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    n_neighbors: usize,
) -> Result<f64> {
    let (_, continuity) = both(run, data, embedding, n_neighbors, &Search::default())?;
    Ok(continuity)
}

/// Both scores at the cost of one.
pub fn trustworthiness_and_continuity(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    n_neighbors: usize,
) -> Result<(f64, f64)> {
    both(run, data, embedding, n_neighbors, &Search::default())
}

/// The same with distances in the data by a metric.
pub fn trustworthiness_and_continuity_by(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    n_neighbors: usize,
    search: &Search,
) -> Result<(f64, f64)> {
    both(run, data, embedding, n_neighbors, search)
}

fn both(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    n_neighbors: usize,
    search: &Search,
) -> Result<(f64, f64)> {
    run.install(|| {
        let compared = Compared::new(data, embedding)?;
        let n_rows = compared.rows.len();
        check_neighborhood(n_neighbors, n_rows)?;
        let spaces = compared.spaces(run, data, search)?;
        run.stage("neighbourhoods")?;
        let all: Vec<usize> = (0..n_rows).collect();
        let found = spaces.each(run, &all, |row| {
            (
                intrusion(row.data, row.embedding, n_neighbors),
                intrusion(row.embedding, row.data, n_neighbors),
            )
        })?;
        let score = |sum: u64| 1.0 - penalty(n_rows, n_neighbors) * sum as f64 / n_rows as f64;
        Ok((
            score(found.iter().map(|row| row.0).sum()),
            score(found.iter().map(|row| row.1).sum()),
        ))
    })
}

/// What one rank of intrusion takes from a row's score.
pub(super) fn penalty(n_rows: usize, n_neighbors: usize) -> f64 {
    let (n, k) = (n_rows as f64, n_neighbors as f64);
    2.0 / (k * (2.0 * n - 3.0 * k - 1.0))
}
