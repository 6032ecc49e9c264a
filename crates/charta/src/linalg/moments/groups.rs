//! Moments of groups of rows: their counts and means, and the pooled scatter about them.

use ndarray::{Array1, Array2, ArrayView1};

use super::Moments;
use crate::data::Features;
use crate::error::{Error, Result, message};
use crate::parallel::blocks;
use crate::run::Run;

/// Bytes of a group's rows that are gathered at once: every part costs a pass over the scatter.
const GATHERED: usize = 32 << 20;

/// Rows of a group that are gathered at once, for features of this many columns of `bytes` each.
pub(crate) fn rows_at_once(n_columns: usize, bytes: u64) -> usize {
    (GATHERED / (n_columns * bytes as usize).max(1)).max(512)
}

/// Counts and means of groups, and Σ w S: the scatter of each group about its own mean, weighted and
/// summed. One pass, mergeable; its memory does not grow with the number of groups times columns².
#[derive(Clone, Debug)]
pub(crate) struct GroupMoments {
    counts: Vec<usize>,
    means: Array2<f64>,
    weights: Array1<f64>,
    within: Array2<f64>,
    single: bool,
}

impl GroupMoments {
    /// No rows yet; a weight for the scatter of each group.
    pub(crate) fn weighted(weights: Array1<f64>, n_columns: usize) -> Self {
        Self {
            counts: vec![0; weights.len()],
            means: Array2::zeros((weights.len(), n_columns)),
            weights,
            within: Array2::zeros((n_columns, n_columns)),
            single: false,
        }
    }

    /// Rows of all groups.
    pub(crate) fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The mean of each group, one a row.
    pub(crate) fn means(&self) -> &Array2<f64> {
        &self.means
    }

    /// The weighted sum of the groups' scatters.
    pub(crate) fn within(&self) -> &Array2<f64> {
        &self.within
    }

    /// The fraction of the scatter below which a direction's own is no more than rounding.
    pub(crate) fn rounding(&self) -> f64 {
        if self.single {
            4.0 * f64::from(f32::EPSILON)
        } else {
            self.count().max(self.means.ncols()) as f64 * f64::EPSILON
        }
    }

    /// True if no value seen was infinite or NaN, nor a square too large.
    pub(crate) fn is_finite(&self) -> bool {
        self.means.iter().all(|value| value.is_finite())
            && self.within.iter().all(|value| value.is_finite())
    }

    /// Takes in further rows; those without a group are left out.
    pub(crate) fn add(
        &mut self,
        run: &Run<'_>,
        features: &Features<'_>,
        of_row: &[Option<u32>],
    ) -> Result<()> {
        if of_row.len() != features.n_rows() {
            return Err(Error::shape(
                message!("number of labels"),
                features.n_rows(),
                of_row.len(),
            ));
        }
        let mut rows = vec![Vec::new(); self.counts.len()];
        for (row, group) in of_row.iter().enumerate() {
            if let Some(group) = group {
                rows[*group as usize].push(row);
            }
        }
        let at_once = rows_at_once(features.n_columns(), features.precision().bytes());
        self.add_in_parts(run, features, &rows, at_once)
    }

    /// Takes in the rows of each group, this many at once.
    fn add_in_parts(
        &mut self,
        run: &Run<'_>,
        features: &Features<'_>,
        rows: &[Vec<usize>],
        at_once: usize,
    ) -> Result<()> {
        let total: usize = rows.iter().map(Vec::len).sum();
        let mut done = 0;
        // Progress is reported over all groups, not within each.
        let quiet = Run::new();
        for (group, rows) in rows.iter().enumerate() {
            for part in blocks(rows.len(), at_once) {
                let gathered = features.select_rows(&rows[part])?;
                let moments = Moments::of(&quiet, &gathered.view())?;
                self.merge_group(group, moments.count, moments.mean.view(), &moments.scatter);
                self.single |= moments.single;
                done += moments.count;
                run.progress(done as u64, total as u64)?;
            }
        }
        Ok(())
    }

    fn merge_group(
        &mut self,
        group: usize,
        count: usize,
        mean: ArrayView1<'_, f64>,
        scatter: &Array2<f64>,
    ) {
        self.within.scaled_add(self.weights[group], scatter);
        self.merge_mean(group, count, mean);
    }

    /// Joins a mean to a group's own, with the scatter between the two.
    fn merge_mean(&mut self, group: usize, count: usize, mean: ArrayView1<'_, f64>) {
        if count == 0 {
            return;
        }
        let before = self.counts[group];
        self.counts[group] = before + count;
        if before == 0 {
            self.means.row_mut(group).assign(&mean);
            return;
        }
        let (ours, theirs) = (before as f64, count as f64);
        let total = ours + theirs;
        let apart = &mean - &self.means.row(group);
        let weight = self.weights[group] * ours * theirs / total;
        for (mut row, &a) in self.within.rows_mut().into_iter().zip(&apart) {
            row.scaled_add(weight * a, &apart);
        }
        self.means.row_mut(group).scaled_add(theirs / total, &apart);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;

    fn sample(n_rows: usize) -> (Array2<f64>, Vec<Option<u32>>) {
        let x = Array2::from_shape_fn((n_rows, 4), |(i, j)| {
            ((i * 4 + j) as f64).sin() + (i % 3) as f64 * (j as f64 + 5.0)
        });
        let groups = (0..n_rows).map(|i| (i % 7 != 6).then_some((i % 3) as u32));
        (x, groups.collect())
    }

    fn naive(
        x: &Array2<f64>,
        groups: &[Option<u32>],
        weights: &[f64],
    ) -> (Array2<f64>, Array2<f64>) {
        let mut means = Array2::zeros((weights.len(), x.ncols()));
        let mut within = Array2::zeros((x.ncols(), x.ncols()));
        for (group, &weight) in weights.iter().enumerate() {
            let rows: Vec<usize> = (0..x.nrows())
                .filter(|&i| groups[i] == Some(group as u32))
                .collect();
            let part = x.select(Axis(0), &rows);
            let mean = part.mean_axis(Axis(0)).unwrap();
            let centred = &part - &mean;
            within = within + weight * centred.t().dot(&centred);
            means.row_mut(group).assign(&mean);
        }
        (means, within)
    }

    fn assert_near(a: &Array2<f64>, b: &Array2<f64>) {
        assert!((a - b).iter().all(|d| d.abs() < 1e-9), "{a} against {b}");
    }

    #[test]
    fn pooled_scatter_and_means_follow_the_definition() {
        let (x, groups) = sample(9001);
        let weights = [1.0, 0.25, 2.0];
        let mut moments = GroupMoments::weighted(Array1::from(weights.to_vec()), 4);
        moments
            .add(&Run::new(), &Features::from(&x), &groups)
            .unwrap();
        let (means, within) = naive(&x, &groups, &weights);
        assert_near(moments.means(), &means);
        assert!((moments.within() - &within).iter().all(|d| d.abs() < 1e-8));
        assert_eq!(moments.count(), groups.iter().flatten().count());
    }

    #[test]
    fn groups_larger_than_what_is_gathered_at_once_come_in_parts() {
        let (x, groups) = sample(200);
        let rows: Vec<Vec<usize>> = (0..3)
            .map(|group| (0..200).filter(|&i| groups[i] == Some(group)).collect())
            .collect();
        let weights = [1.0, 0.25, 2.0];
        let (means, within) = naive(&x, &groups, &weights);
        for at_once in [1, 7, 64] {
            let mut moments = GroupMoments::weighted(Array1::from(weights.to_vec()), 4);
            moments
                .add_in_parts(&Run::new(), &Features::from(&x), &rows, at_once)
                .unwrap();
            assert_near(moments.means(), &means);
            assert_near(moments.within(), &within);
        }
    }

    #[test]
    fn batches_give_what_one_pass_gives() {
        let (x, groups) = sample(600);
        let run = Run::new();
        let features = Features::from(&x);
        let mut whole = GroupMoments::weighted(Array1::ones(3), 4);
        whole.add(&run, &features, &groups).unwrap();
        let mut batches = GroupMoments::weighted(Array1::ones(3), 4);
        for (start, end) in [(0, 2), (2, 350), (350, 600)] {
            batches
                .add(&run, &features.rows(start, end), &groups[start..end])
                .unwrap();
        }
        assert_eq!(batches.counts, whole.counts);
        assert_near(batches.means(), whole.means());
        assert_near(batches.within(), whole.within());
    }
}
