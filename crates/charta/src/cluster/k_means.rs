//! k-means (Lloyd's algorithm): rows are assigned to the nearest of a few centres, which are the means of their rows.
//!
//! The sum of squared distances to the centres (the inertia) falls at every step until nothing moves. It
//! ends in one of many local optima, so the fit starts several times from rows far apart
//! and keeps the best. Distances come from matrix products of rows about their common mean, in the
//! features' precision; means and inertia are summed in double precision.
//!
//! Lloyd, "Least squares quantization in PCM", 1982. A centre to which nothing falls moves to the row
//! furthest from its own centre, as in scikit-learn.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};
use serde::{Deserialize, Serialize};

use super::points::{BLOCK, Points, Stored, centers_of};
use super::seeding::{first_centers, random_centers};
use crate::data::loaded::{check_at_least, check_counts, check_dim, check_finite, check_length};
use crate::data::{Data, Features, arrays};
use crate::error::{Because, Error, Result, Warning, counted, message};
use crate::parallel::{blocks, map, map_blocks};
use crate::params::Choice;
use crate::random::stream;
use crate::run::Run;

/// A squared distance below this fraction of the squared lengths it is the difference of is computed from differences.
const CANCELLED: f64 = 1e-3;
/// Partial sums that wait for their turn at once.
const WAVE: usize = 16;

/// Initialization of the centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// k-means++: rows far from each other, drawn with a probability proportional to the squared distance from the centres so far.
    KMeansPlusPlus,
    /// Rows drawn at random, all with the same probability.
    Random,
}

/// How k-means is run.
///
/// ```
/// use charta::cluster::KMeansOptions;
/// use charta::{Data, Run};
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]];
/// let clusters = KMeansOptions { n_clusters: 2, ..KMeansOptions::default() }.fit(&Run::new(), &Data::from(&x))?;
/// assert_eq!(clusters.inertia, 1.0);
/// assert_eq!(clusters.labels[0], clusters.labels[1]);
/// assert_ne!(clusters.labels[0], clusters.labels[2]);
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansOptions {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Initialization of the centres.
    pub init: Initialization,
    /// Initializations, of which the one with the lowest inertia is kept.
    pub n_init: usize,
    /// Iterations of each initialization, at most.
    pub max_iterations: usize,
    /// The iterations end when the squared shifts of all centres together are no more than this proportion of the mean variance of the columns.
    pub tolerance: f64,
    /// Seed of the initializations.
    pub seed: u64,
}

impl Default for KMeansOptions {
    fn default() -> Self {
        Self {
            n_clusters: 8,
            init: Initialization::KMeansPlusPlus,
            n_init: 10,
            max_iterations: 300,
            tolerance: 1e-4,
            seed: 0,
        }
    }
}

/// Centres, and which rows fall to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clusters {
    /// The centres, one a row.
    #[serde(with = "arrays::matrix")]
    pub centers: Array2<f64>,
    /// The nearest centre of every row.
    pub labels: Vec<u32>,
    /// Rows that fall to each centre.
    pub counts: Vec<usize>,
    /// The sum of squared distances from the rows to their centres, times their weights.
    pub inertia: f64,
    /// The same at the end of every start.
    pub inertias: Vec<f64>,
    /// Steps of the start that was kept.
    pub n_iter: usize,
    /// Whether it ended by itself.
    pub converged: bool,
    /// What distances are measured about, so that large values common to all rows do no harm.
    #[serde(with = "arrays::vector")]
    middle: Array1<f64>,
}

impl KMeansOptions {
    /// Finds the clusters of the rows of `data`, which count by their weights if they have some. From initial components, which are
    /// then the initial centres, Lloyd's algorithm runs once.
    pub fn fit(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Clusters> {
        let features = self.checked(data)?;
        if let Some(centers) = data.initial_components_of(self.n_clusters, features.n_columns())? {
            return self.fit_from(run, data, &centers.to_owned());
        }
        let weights = data.row_weights();
        let found = run.install(|| match features {
            Features::F32(_) => self.best::<f32>(run, features, weights),
            _ => self.best::<f64>(run, features, weights),
        })?;
        self.warn(run, &found)?;
        Ok(found)
    }

    /// The same from centres that are given, one a row: a single run of Lloyd's algorithm.
    pub fn fit_from(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        centers: &Array2<f64>,
    ) -> Result<Clusters> {
        let features = self.checked(data)?;
        if centers.dim() != (self.n_clusters, features.n_columns()) {
            return Err(Error::shape(
                message!("{:rows} and {:columns} of the initial centres"),
                format!("{} × {}", self.n_clusters, features.n_columns()),
                format!("{} × {}", centers.nrows(), centers.ncols()),
            ));
        }
        Data::from(centers).check_finite()?;
        let weights = data.row_weights();
        let found = run.install(|| match features {
            Features::F32(_) => self.one::<f32>(run, features, weights, centers),
            _ => self.one::<f64>(run, features, weights, centers),
        })?;
        self.warn(run, &found)?;
        Ok(found)
    }

    fn checked<'a, 'b>(&self, data: &'a Data<'b>) -> Result<&'a Features<'b>> {
        let features = data.features("kmeans")?;
        if self.n_clusters > features.n_rows() {
            return Err(Error::at_most(
                "n_clusters",
                features.n_rows(),
                Because::Rows(features.n_rows()),
                self.n_clusters,
            ));
        }
        data.check_finite()?;
        Ok(features)
    }

    fn one<T: Stored>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        weights: Option<ArrayView1<'_, f64>>,
        centers: &Array2<f64>,
    ) -> Result<Clusters> {
        let points = Points::<T>::new(run, features, weights)?;
        let start = centers - &points.mean;
        let mut found = self.descend(run, &points, start)?;
        found.inertias = vec![found.inertia];
        Ok(found)
    }

    fn warn(&self, run: &Run<'_>, found: &Clusters) -> Result<()> {
        if !found.converged {
            run.warn(Warning::NotConverged {
                what: message!("k-means"),
                reached: message!("the centres still moved after {} iterations", found.n_iter),
            })?;
        }
        let n_empty = found.counts.iter().filter(|&&count| count == 0).count();
        if n_empty > 0 {
            run.warn(Warning::NotConverged {
                what: message!("k-means to {} clusters", found.n_clusters()),
                reached: message!(
                    "{}, because fewer {:rows} are distinct than there are clusters: use fewer clusters",
                    counted(n_empty, "empty cluster")
                ),
            })?;
        }
        Ok(())
    }

    fn best<T: Stored>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        weights: Option<ArrayView1<'_, f64>>,
    ) -> Result<Clusters> {
        let points = Points::<T>::new(run, features, weights)?;
        let mut best: Option<Clusters> = None;
        let mut inertias = Vec::with_capacity(self.n_init);
        for start in 0..self.n_init {
            let mut draw = stream(self.seed, start as u64);
            let centers = match self.init {
                Initialization::KMeansPlusPlus => {
                    first_centers(run, &points, self.n_clusters, &mut draw)?
                }
                Initialization::Random => random_centers(&points, self.n_clusters, &mut draw),
            };
            let found = self.descend(run, &points, centers)?;
            inertias.push(found.inertia);
            if best
                .as_ref()
                .is_none_or(|best| found.inertia < best.inertia)
            {
                best = Some(found);
            }
            run.progress(start as u64 + 1, self.n_init as u64)?;
        }
        let mut best = best.ok_or_else(|| Error::at_least("n_init", 1, 0_usize))?;
        best.inertias = inertias;
        Ok(best)
    }

    /// Moves centres to the means of what falls to them until they stay.
    fn descend<T: Stored>(
        &self,
        run: &Run<'_>,
        points: &Points<'_, T>,
        mut centers: Array2<f64>,
    ) -> Result<Clusters> {
        let enough = self.tolerance * points.variance;
        let mut labels = vec![u32::MAX; points.n_rows()];
        let (mut n_iter, mut converged) = (0, false);
        while n_iter < self.max_iterations && !converged {
            let mut step = Assigned::of(run, points, &centers, true)?;
            step.fill_empty(points);
            let next = step.means(&centers);
            let moved: f64 = (&next - &centers).iter().map(|move_| move_ * move_).sum();
            converged = moved <= enough || step.labels == labels;
            (centers, labels) = (next, step.labels);
            n_iter += 1;
        }
        let last = Assigned::of(run, points, &centers, false)?;
        let inertia = inertia(run, points, &centers, &last.labels)?;
        Ok(Clusters {
            centers: centers + &points.mean,
            labels: last.labels,
            counts: last.counts,
            inertia,
            inertias: Vec::new(),
            n_iter,
            converged,
            middle: points.mean.clone(),
        })
    }
}

impl Clusters {
    /// Clusters of rows that were assigned otherwise: their centres are the means of their rows, 0 where there are none.
    pub(crate) fn of_labels(
        rows: &ArrayView2<'_, f64>,
        labels: Vec<u32>,
        n_clusters: usize,
        n_iter: usize,
    ) -> Self {
        let mut centers = Array2::zeros((n_clusters, rows.ncols()));
        let mut counts = vec![0; n_clusters];
        for (row, &label) in rows.rows().into_iter().zip(&labels) {
            let mut center = centers.row_mut(label as usize);
            center += &row;
            counts[label as usize] += 1;
        }
        for (mut center, &count) in centers.rows_mut().into_iter().zip(&counts) {
            center /= count.max(1) as f64;
        }
        let inertia = (rows.rows().into_iter().zip(&labels))
            .map(|(row, &label)| {
                let apart = &row - &centers.row(label as usize);
                apart.dot(&apart)
            })
            .sum();
        Self {
            middle: Array1::zeros(rows.ncols()),
            centers,
            labels,
            counts,
            inertia,
            inertias: vec![inertia],
            n_iter,
            converged: true,
        }
    }

    /// The nearest centre of each row of `data`.
    pub fn predict(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Vec<u32>> {
        let features = data.new_rows("this model", self.centers.ncols())?;
        data.check_finite()?;
        let centers = &self.centers - &self.middle;
        run.install(|| match features {
            Features::F32(_) => self.nearest::<f32>(run, features, &centers),
            _ => self.nearest::<f64>(run, features, &centers),
        })
    }

    fn nearest<T: Stored>(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        centers: &Array2<f64>,
    ) -> Result<Vec<u32>> {
        let points = Points::<T>::about(run, features, self.middle.clone())?;
        Ok(Assigned::of(run, &points, centers, false)?.labels)
    }

    /// The distance of each row of `data` to every centre.
    pub(crate) fn distances(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.centers.ncols())?;
        data.check_finite()?;
        let centers = &self.centers - &self.middle;
        run.install(|| distances(run, features, &self.middle, &centers))
    }

    /// Fails if what was loaded does not fit together.
    pub(crate) fn validate(&self, n_columns: usize) -> Result<()> {
        let Self {
            centers,
            labels: _,
            counts,
            inertia: _,
            inertias: _,
            n_iter: _,
            converged: _,
            middle,
        } = self;
        check_at_least("the number of clusters", centers.nrows(), 1)?;
        check_dim("the centres", centers.dim(), (centers.nrows(), n_columns))?;
        check_finite("the centres", centers)?;
        check_length("the sizes of the clusters", counts.len(), centers.nrows())?;
        check_counts("the sizes of the clusters", counts)?;
        check_length("the middle", middle.len(), n_columns)?;
        check_finite("the middle", middle)
    }

    /// Number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.centers.nrows()
    }
}

/// Distances of rows to centres, both about `middle`, in double precision. Where a product of two lengths leaves few digits of their
/// difference, it is computed from differences.
fn distances(
    run: &Run<'_>,
    features: &Features<'_>,
    middle: &Array1<f64>,
    centers: &Array2<f64>,
) -> Result<Array2<f64>> {
    let points = Points::<f64>::about(run, features, middle.clone())?;
    let prepared = centers_of::<f64>(centers);
    let parts = map_blocks(run, points.n_rows(), BLOCK, |rows| {
        let block = points.block(rows.clone());
        let lengths = &points.lengths[rows];
        let mut table = prepared.distances(&block, lengths);
        for ((row, mut apart), length) in
            block.rows().into_iter().zip(table.rows_mut()).zip(lengths)
        {
            for ((apart, center), other) in
                apart.iter_mut().zip(centers.rows()).zip(&prepared.lengths)
            {
                if *apart < CANCELLED * (length + other) {
                    *apart = (row.iter().zip(center)).map(|(a, b)| (a - b).powi(2)).sum();
                }
                *apart = apart.sqrt();
            }
        }
        table
    })?;
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    Ok(concatenate(Axis(0), &views).expect("all blocks have a column for each centre"))
}

/// Which centre each row falls to, and the sums of what falls to each.
struct Assigned {
    labels: Vec<u32>,
    counts: Vec<usize>,
    /// Rows of a weight above 0 that fall to each centre.
    counted: Vec<usize>,
    /// The sum of the weights of the rows that fall to each centre.
    masses: Vec<f64>,
    /// Weighted sums of rows about the points' mean; zero where they were not requested.
    sums: Array2<f64>,
    /// Squared distance of every row to its centre.
    apart: Vec<f64>,
}

impl Assigned {
    fn of<T: Stored>(
        run: &Run<'_>,
        points: &Points<'_, T>,
        centers: &Array2<f64>,
        with_sums: bool,
    ) -> Result<Self> {
        let mut whole = Self {
            labels: Vec::with_capacity(points.n_rows()),
            counts: vec![0; centers.nrows()],
            counted: vec![0; centers.nrows()],
            masses: vec![0.0; centers.nrows()],
            sums: Array2::zeros(centers.dim()),
            apart: Vec::with_capacity(points.n_rows()),
        };
        let centers = centers_of::<T>(centers);
        for wave in blocks(points.n_rows(), BLOCK).chunks(WAVE) {
            run.check()?;
            let parts: Vec<Self> = map(wave.len(), |index| {
                let rows = wave[index].clone();
                let block = points.block(rows.clone());
                let table = centers.distances(&block, &points.lengths[rows.clone()]);
                let weights = points.weights().map(|all| all.slice(s![rows]));
                Self::of_block(&block, &table, weights, with_sums)
            });
            for part in parts {
                whole.add(part);
            }
        }
        Ok(whole)
    }

    fn of_block<T: Stored>(
        block: &Array2<T>,
        table: &Array2<T>,
        weights: Option<ArrayView1<'_, f64>>,
        with_sums: bool,
    ) -> Self {
        let mut part = Self {
            labels: Vec::with_capacity(block.nrows()),
            counts: vec![0; table.ncols()],
            counted: vec![0; table.ncols()],
            masses: vec![0.0; table.ncols()],
            sums: Array2::zeros((if with_sums { table.ncols() } else { 0 }, block.ncols())),
            apart: Vec::with_capacity(block.nrows()),
        };
        for (index, (row, distances)) in block.rows().into_iter().zip(table.rows()).enumerate() {
            let weight = weights.map_or(1.0, |all| all[index]);
            let mut best = 0;
            for (index, &apart) in distances.iter().enumerate() {
                if apart < distances[best] {
                    best = index;
                }
            }
            part.labels.push(best as u32);
            part.apart.push(distances[best].wide());
            part.counts[best] += 1;
            part.counted[best] += usize::from(weight > 0.0);
            part.masses[best] += weight;
            if with_sums {
                let mut sum = part.sums.row_mut(best);
                sum.zip_mut_with(&row, |sum, value| *sum += weight * value.wide());
            }
        }
        part
    }

    fn add(&mut self, part: Self) {
        self.labels.extend(part.labels);
        self.apart.extend(part.apart);
        for (sum, count) in self.counts.iter_mut().zip(part.counts) {
            *sum += count;
        }
        for (sum, count) in self.counted.iter_mut().zip(part.counted) {
            *sum += count;
        }
        for (sum, mass) in self.masses.iter_mut().zip(part.masses) {
            *sum += mass;
        }
        if !part.sums.is_empty() {
            self.sums += &part.sums;
        }
    }

    /// Gives every centre to which nothing of weight falls the row furthest from its own centre.
    fn fill_empty<T: Stored>(&mut self, points: &Points<'_, T>) {
        let empty: Vec<usize> = (0..self.counted.len())
            .filter(|&index| self.counted[index] == 0)
            .collect();
        if empty.is_empty() {
            return;
        }
        let weight = |row: usize| points.weights().map_or(1.0, |all| all[row]);
        let mut order: Vec<usize> = (0..self.apart.len())
            .filter(|&row| weight(row) > 0.0)
            .collect();
        order.sort_by(|&a, &b| self.apart[b].total_cmp(&self.apart[a]).then(a.cmp(&b)));
        for (index, row) in empty.into_iter().zip(order) {
            let from = self.labels[row] as usize;
            if self.apart[row] <= 0.0 || self.counted[from] < 2 {
                continue;
            }
            let values = points.row(row).mapv(|value| weight(row) * value.wide());
            self.sums
                .row_mut(from)
                .zip_mut_with(&values, |sum, value| *sum -= value);
            self.sums.slice_mut(s![index, ..]).assign(&values);
            self.masses[from] -= weight(row);
            self.masses[index] = weight(row);
            self.counted[from] -= 1;
            self.counted[index] = 1;
            self.counts[from] -= 1;
            self.counts[index] += 1;
            self.labels[row] = index as u32;
        }
    }

    /// The mean of what falls to each centre; a centre to which nothing falls stays.
    fn means(&self, centers: &Array2<f64>) -> Array2<f64> {
        let mut means = self.sums.clone();
        for (index, mut mean) in means.rows_mut().into_iter().enumerate() {
            match self.counted[index] {
                0 => mean.assign(&centers.row(index)),
                _ => mean /= self.masses[index],
            }
        }
        means
    }
}

/// The weighted sum of squared distances, from differences: exact where rows sit on their centres.
fn inertia<T: Stored>(
    run: &Run<'_>,
    points: &Points<'_, T>,
    centers: &Array2<f64>,
    labels: &[u32],
) -> Result<f64> {
    let parts = map_blocks(run, points.n_rows(), BLOCK, |rows| {
        let block = points.block(rows.clone());
        let mut sum = 0.0;
        for (index, row) in rows.zip(block.rows()) {
            let center = centers.row(labels[index] as usize);
            let apart: f64 = (row.iter().zip(center))
                .map(|(value, middle)| (value.wide() - middle).powi(2))
                .sum();
            sum += points.weight(index) * apart;
        }
        sum
    })?;
    Ok(parts.iter().sum())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::synthetic::{Blobs, blobs};

    fn of(n_clusters: usize) -> KMeansOptions {
        KMeansOptions {
            n_clusters,
            ..KMeansOptions::default()
        }
    }

    #[test]
    fn the_best_of_all_ways_to_part_a_line_is_found() {
        let x = array![[0.0], [1.0], [1.5], [6.0], [7.0], [7.2], [20.0]];
        let found = of(3).fit(&Run::new(), &Data::from(&x)).unwrap();
        // Every way to cut the sorted line in three.
        let spread = |part: &[f64]| {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            part.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
        };
        let line: Vec<f64> = x.iter().copied().collect();
        let mut best = f64::INFINITY;
        for a in 1..6 {
            for b in a + 1..7 {
                best = best.min(spread(&line[..a]) + spread(&line[a..b]) + spread(&line[b..]));
            }
        }
        assert!((found.inertia - best).abs() < 1e-12, "{}", found.inertia);
        assert_eq!(
            found.predict(&Run::new(), &Data::from(&x)).unwrap(),
            found.labels
        );
        assert_eq!(found.counts.iter().sum::<usize>(), 7);
    }

    #[test]
    fn random_centres_are_different_rows_and_given_ones_are_followed() {
        let x = array![[0.0], [1.0], [5.0], [6.0]];
        let options = KMeansOptions {
            init: Initialization::Random,
            ..of(4)
        };
        let found = options.fit(&Run::new(), &Data::from(&x)).unwrap();
        assert_eq!((found.inertia, found.counts), (0.0, vec![1; 4]));
        // A poor start ends in the local minimum that belongs to it.
        let start = array![[0.0], [1.0], [5.5]];
        let found = of(3)
            .fit_from(&Run::new(), &Data::from(&x), &start)
            .unwrap();
        assert_eq!(found.centers, array![[0.0], [1.0], [5.5]]);
        let short = of(2).fit_from(&Run::new(), &Data::from(&x), &start);
        assert!(short.is_err());
    }

    #[test]
    fn distances_to_centres_are_exact_where_rows_lie_on_them() {
        let x = array![[1e6, 1e6], [1e6 + 1e-3, 1e6], [2e6, 1e6], [2e6, 1e6]];
        let found = of(2).fit(&Run::new(), &Data::from(&x)).unwrap();
        let apart = found.distances(&Run::new(), &Data::from(&x)).unwrap();
        let own = |row: usize| apart[[row, found.labels[row] as usize]];
        assert!((own(0) - 5e-4).abs() < 1e-9 && own(2) == 0.0, "{apart}");
    }

    #[test]
    fn a_large_offset_and_single_precision_change_little() {
        let sample = blobs(Blobs {
            n: 3000,
            centers: 6,
            columns: 5,
            spread: 0.5,
            seed: 3,
        })
        .unwrap();
        let want = of(6)
            .fit(&Run::new(), &Data::from(&sample.features))
            .unwrap();
        let moved = &sample.features + 1e6;
        let found = of(6).fit(&Run::new(), &Data::from(&moved)).unwrap();
        assert!((found.inertia / want.inertia - 1.0).abs() < 1e-6);
        let single = sample.features.mapv(|value| value as f32);
        let found = of(6).fit(&Run::new(), &Data::from(&single)).unwrap();
        assert!((found.inertia / want.inertia - 1.0).abs() < 1e-5);
        for cluster in 0..6 {
            let own: Vec<u32> = (0..3000)
                .filter(|i| i * 6 / 3000 == cluster)
                .map(|i| found.labels[i])
                .collect();
            assert!(own.iter().all(|label| *label == own[0]));
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_threads() {
        let sample = blobs(Blobs {
            n: 5000,
            spread: 4.0,
            ..Blobs::default()
        })
        .unwrap();
        let fit = |threads| {
            let run = Run::new().threads(threads).unwrap();
            of(7).fit(&run, &Data::from(&sample.features)).unwrap()
        };
        let one = fit(1);
        assert_eq!(one, fit(2));
        assert_eq!(one, fit(7));
    }

    #[test]
    fn fewer_different_rows_than_clusters_are_warned_of() {
        let x = array![[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0]];
        let warnings = std::sync::Mutex::new(Vec::new());
        let listen = |event: crate::run::Event<'_>| {
            if let crate::run::Event::Warning(warning) = event {
                warnings.lock().unwrap().push(warning.to_string());
            }
            std::ops::ControlFlow::Continue(())
        };
        let run = Run::new().observer(&listen);
        let found = of(3).fit(&run, &Data::from(&x)).unwrap();
        assert_eq!(found.inertia, 0.0);
        assert!(warnings.lock().unwrap()[0].contains("use fewer clusters"));
        let error = of(5).fit(&run, &Data::from(&x)).unwrap_err().to_string();
        assert_eq!(
            error,
            "`n_clusters` must be at most 4, because the data has 4 rows, got 5"
        );
        let one = of(1).fit(&run, &Data::from(&x)).unwrap();
        assert_eq!(one.centers, array![[1.5, 1.5]]);
    }

    #[test]
    fn a_weight_counts_as_many_rows() {
        let sample = blobs(Blobs {
            n: 120,
            centers: 3,
            spread: 2.0,
            ..Blobs::default()
        })
        .unwrap();
        let weights = Array1::from_shape_fn(120, |row| (row % 4) as f64);
        let repeated: Vec<usize> = (0..120).flat_map(|row| vec![row; row % 4]).collect();
        let repeated = sample.features.select(Axis(0), &repeated);
        let start = sample.features.slice(s![1..4, ..]).to_owned();
        let weighted = Data::from(&sample.features)
            .with_row_weights(weights.view())
            .unwrap();
        let found = of(3).fit_from(&Run::new(), &weighted, &start).unwrap();
        let want = (of(3).fit_from(&Run::new(), &Data::from(&repeated), &start)).unwrap();
        assert!(
            (&found.centers - &want.centers)
                .iter()
                .all(|d| d.abs() < 1e-9)
        );
        assert!((found.inertia / want.inertia - 1.0).abs() < 1e-12);
        assert_eq!(found.n_iter, want.n_iter);
        // The same weight for all changes nothing but the unit of the inertia.
        let twice = Array1::from_elem(120, 2.0);
        let weighted = Data::from(&sample.features)
            .with_row_weights(twice.view())
            .unwrap();
        let plain = of(3)
            .fit(&Run::new(), &Data::from(&sample.features))
            .unwrap();
        let found = of(3).fit(&Run::new(), &weighted).unwrap();
        assert_eq!(found.centers, plain.centers);
        assert!((found.inertia / plain.inertia - 2.0).abs() < 1e-12);
    }

    #[test]
    fn rows_of_weight_0_are_no_initial_centres() {
        let x = Array2::from_shape_fn((40, 2), |(i, j)| {
            ((i * 7 + j * 3) % 11) as f64 + 0.01 * i as f64
        });
        let weights = Array1::from_shape_fn(40, |row| (row % 2) as f64);
        let data = Data::from(&x).with_row_weights(weights.view()).unwrap();
        for init in [Initialization::KMeansPlusPlus, Initialization::Random] {
            let options = KMeansOptions {
                init,
                n_init: 1,
                ..of(20)
            };
            let found = options.fit(&Run::new(), &data).unwrap();
            // As many clusters as rows with weight: each is one of them.
            assert_eq!(found.inertia, 0.0);
        }
    }

    #[test]
    fn initial_components_are_the_initial_centres() {
        let x = array![[0.0], [1.0], [5.0], [6.0]];
        let start = array![[0.0], [1.0], [5.5]];
        let data = Data::from(&x)
            .with_initial_components(start.view())
            .unwrap();
        let found = of(3).fit(&Run::new(), &data).unwrap();
        assert_eq!((found.centers, found.inertias.len()), (start.clone(), 1));
        assert!(of(2).fit(&Run::new(), &data).is_err());
    }

    #[test]
    fn values_that_are_not_finite_or_too_large_are_refused() {
        let mut x = Array2::<f64>::zeros((9, 2));
        x[[3, 1]] = f64::NAN;
        let error = of(2).fit(&Run::new(), &Data::from(&x)).unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 3, .. }));
        x[[3, 1]] = 1e200;
        assert!(of(2).fit(&Run::new(), &Data::from(&x)).is_err());
    }
}
