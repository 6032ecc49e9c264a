//! Principal axes of rows with weights: those of a table in which a row of weight w is there w times.

use ndarray::{Array1, Array2, ArrayView1};

use super::selection::{Found, Standardization};
use super::{Missing, Pca, PcaModel, Solver, hint};
use crate::data::{Data, Features};
use crate::dimension::Components;
use crate::error::{Error, Result, message};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::parallel::blocks;
use crate::run::Run;
use crate::spectral::principal;

/// Values of a block of rows that is multiplied at once.
const BLOCK_VALUES: usize = 1 << 21;

impl Pca {
    pub(super) fn fit_weighted(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        weights: &ArrayView1<'_, f64>,
    ) -> Result<PcaModel> {
        self.check_weighted(weights.sum())?;
        if let Some(error) = data.not_finite(Some(hint())) {
            return Err(error);
        }
        run.stage("covariance")?;
        let kept: Vec<usize> = (0..weights.len())
            .filter(|&row| weights[row] > 0.0)
            .collect();
        self.check_size(kept.len(), features.n_columns())?;
        let model = if kept.len() == weights.len() {
            let found = self.weighted_axes(run, data, features, weights)?;
            self.model(run, found)?
        } else {
            let selected = features.select_rows(&kept)?;
            let own: Array1<f64> = kept.iter().map(|&row| weights[row]).collect();
            let found = self.weighted_axes(run, data, &selected.view(), &own.view())?;
            self.model(run, found)?
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn check_weighted(&self, total: f64) -> Result<()> {
        let because = || message!("{:rows} have weights");
        if self.trim > 0.0 {
            return Err(Error::one_of("trim", &["0"], because(), self.trim));
        }
        if self.missing == Missing::Em {
            return Err(Error::one_of(
                "missing",
                &["error"],
                because(),
                self.missing,
            ));
        }
        if self.n_components == Components::Parallel {
            return Err(Error::not(
                "n_components",
                message!("random data has no weights of {:rows} to compare with"),
                self.n_components,
            ));
        }
        if !self.population && total <= 1.0 {
            return Err(Error::degenerate(message!(
                "the weights of the {:rows} sum to {total}, and variances are divided by one less: multiply the weights, \
                 so that a {:row} of weight 2 counts as two, or use {population=true}"
            )));
        }
        Ok(())
    }

    /// Principal axes of rows of which each has a weight above 0.
    fn weighted_axes(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        weights: &ArrayView1<'_, f64>,
    ) -> Result<Found> {
        let count = self.fixed_count();
        let n_rows = features.n_rows();
        let (mean, sums_of_squares) = columns(run, features, weights)?;
        let total = weights.sum();
        let standardization = Standardization {
            weight: Some(total),
            n_rows,
            ..self.standardization(run, mean, sums_of_squares, total, data.column_names())?
        };
        let roots = weights.mapv(f64::sqrt);
        let rows = Rows::new(features, &standardization.mean)
            .scaled(standardization.factors.as_ref())
            .weighted(Some(&roots));
        run.stage("axes")?;
        let solver = self.solver.resolve(n_rows, features.n_columns(), count);
        let axes = match solver {
            Solver::Dual => principal::dual(run, &rows, count)?,
            Solver::Svd => principal::by_svd(run, &rows, count)?,
            Solver::Randomized => self.randomized(run, &rows, count)?,
            Solver::Auto | Solver::Covariance => {
                // Block by block, so that memory is that of the scatter whatever the rows are.
                let mut moments = Moments::new(features.n_columns());
                let at_once = (BLOCK_VALUES / features.n_columns()).clamp(256, 8192);
                for block in blocks(n_rows, at_once) {
                    let end = block.end as u64;
                    moments.add(run, &Features::from(&rows.block(block)))?;
                    run.progress(end, n_rows as u64)?;
                }
                if !moments.is_finite() {
                    return Err(data.bad_values(Some(hint())));
                }
                principal::from_moments(&moments.about_zero(), count)?
            }
        };
        Ok(Found {
            standardization,
            axes,
            solver: solver.to_string(),
        })
    }
}

/// The weighted mean of each column, and the weighted sum of its squared deviations from it. Summed as differences from the first row, so
/// that those of constant columns are exact.
fn columns(
    run: &Run<'_>,
    features: &Features<'_>,
    weights: &ArrayView1<'_, f64>,
) -> Result<(Array1<f64>, Array1<f64>)> {
    let mut first = Array1::zeros(features.n_columns());
    features.copy_row(0, first.as_slice_mut().expect("a new array is contiguous"));
    let column = weights.view().insert_axis(ndarray::Axis(1));
    let moved = Rows::new(features, &first).transposed_times(run, &column)?;
    let mean = first + &moved.column(0) / weights.sum();
    let about_mean = Rows::new(features, &mean);
    let shape = (features.n_columns(), 1);
    let spreads: Array2<f64> = about_mean.sum_blocks(run, shape, |rows| {
        let squares = about_mean.block(rows.clone()).mapv(|value| value * value);
        (squares, column.slice(ndarray::s![rows, ..]).to_owned())
    })?;
    Ok((mean, spreads.column(0).to_owned()))
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, Axis, concatenate};

    use super::*;
    use crate::data::SparseRows;
    use crate::model::Model;
    use crate::random::{normal, stream};
    use crate::{Fit, methods::pca::Pca};

    fn example(n_rows: usize) -> (Array2<f64>, Array1<f64>) {
        let mut draw = stream(4, 0);
        let x = Array2::from_shape_fn((n_rows, 5), |(_, j)| (j + 1) as f64 * normal(&mut draw));
        (x, Array1::from_shape_fn(n_rows, |row| (row % 4) as f64))
    }

    #[test]
    fn a_row_of_weight_two_counts_as_two() {
        for (n_rows, standardize) in [(40, false), (40, true), (6, false)] {
            let (x, weights) = example(n_rows);
            let rows: Vec<usize> = (0..n_rows)
                .flat_map(|row| std::iter::repeat_n(row, weights[row] as usize))
                .collect();
            let repeated = x.select(Axis(0), &rows);
            let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
            let sparse = SparseRows::from_entries(n_rows, 5, entries).unwrap();
            for solver in [
                Solver::Auto,
                Solver::Covariance,
                Solver::Dual,
                Solver::Svd,
                Solver::Randomized,
            ] {
                let pca = Pca {
                    solver,
                    standardize,
                    ..Pca::default()
                };
                let expected = pca.fit(&repeated).unwrap();
                for data in [Data::from(&x), Data::from(&sparse)] {
                    let model = pca
                        .fit(data.with_row_weights(weights.view()).unwrap())
                        .unwrap();
                    let close = |a: &Array1<f64>, b: &Array1<f64>| {
                        assert!(
                            (a - b).iter().all(|d| d.abs() < 1e-6),
                            "{solver}: {a} and {b}"
                        );
                    };
                    close(model.mean(), expected.mean());
                    close(model.explained_variance(), expected.explained_variance());
                    close(&model.singular_values(), &expected.singular_values());
                    let apart = model.components() - expected.components();
                    assert!(apart.iter().all(|d| d.abs() < 1e-5), "{solver}");
                    assert!(
                        (&model.loadings() - &expected.loadings())
                            .iter()
                            .all(|d| d.abs() < 1e-5)
                    );
                    assert!((model.noise_variance() - expected.noise_variance()).abs() < 1e-6);
                    assert_eq!(model.embedding().unwrap().nrows(), n_rows);
                }
            }
        }
    }

    #[test]
    fn weights_that_a_fit_cannot_use_are_refused() {
        let (x, weights) = example(20);
        let small = &weights / weights.sum();
        let fit = |pca: &Pca, weights: &Array1<f64>| {
            pca.fit(Data::from(&x).with_row_weights(weights.view()).unwrap())
        };
        assert!(fit(&Pca::default(), &small).is_err());
        let population = Pca {
            population: true,
            ..Pca::default()
        };
        assert!(fit(&population, &small).is_ok());
        let trimmed = Pca {
            trim: 0.1,
            ..Pca::default()
        };
        assert!(fit(&trimmed, &weights).is_err());
        let parallel = Pca {
            n_components: Components::Parallel,
            ..Pca::default()
        };
        assert!(fit(&parallel, &weights).is_err());
        let one = Array1::from_shape_fn(20, |row| if row == 3 { 9.0 } else { 0.0 });
        assert!(fit(&Pca::default(), &one).is_err());
    }

    #[test]
    fn a_constant_column_stays_constant_with_weights() {
        let (x, weights) = example(20);
        let x = concatenate![Axis(1), x, Array2::from_elem((20, 1), 0.3)];
        let (mean, spreads) =
            columns(&Run::new(), &Features::from(&x), &(&weights + 0.1).view()).unwrap();
        assert_eq!((mean[5], spreads[5]), (0.3, 0.0));
    }
}
