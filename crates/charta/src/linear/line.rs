//! A line through data, chosen or best: what its points miss of the rows.

use ndarray::{Array1, Array2, ArrayView1};

use super::check_memory;
use crate::data::{Data, Features};
use crate::error::{Error, Result, check_rows, message};
use crate::linalg::eigen::symmetric_largest;
use crate::linalg::moments::Moments;
use crate::run::Run;

/// Rows that are read at once.
const BLOCK: usize = 1024;

/// A line b + α v, and the points on it that are nearest to the rows: the feet of their perpendiculars, x̂ = b + v vᵀ(x − b).
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// b: a point of the line.
    pub through: Array1<f64>,
    /// v: its direction, of length 1.
    pub direction: Array1<f64>,
    /// α = vᵀ(x − b) of each row.
    pub positions: Array1<f64>,
    /// ‖x − x̂‖² of each row.
    pub squared_distances: Array1<f64>,
    /// Their sum: the squared reconstruction error of the line.
    pub error: f64,
}

impl Line {
    /// The feet of the perpendiculars, one a row.
    pub fn feet(&self) -> Array2<f64> {
        let shape = (self.positions.len(), self.direction.len());
        Array2::from_shape_fn(shape, |(row, column)| {
            self.through[column] + self.positions[row] * self.direction[column]
        })
    }

    fn of(
        run: &Run<'_>,
        features: &Features<'_>,
        through: Array1<f64>,
        direction: Array1<f64>,
    ) -> Result<Self> {
        let parts = crate::parallel::map_blocks(run, features.n_rows(), BLOCK, |rows| {
            let mut centred = features.dense_rows(rows.start, rows.end);
            centred -= &through;
            let positions = centred.dot(&direction);
            let squares: Vec<f64> = centred
                .rows()
                .into_iter()
                .zip(&positions)
                .map(|(row, &position)| missed(&row, &direction, position))
                .collect();
            (positions, squares)
        })?;
        let positions = parts.iter().flat_map(|part| part.0.iter().copied());
        let squares: Array1<f64> = parts
            .iter()
            .flat_map(|part| part.1.iter().copied())
            .collect();
        Ok(Self {
            positions: positions.collect(),
            error: squares.sum(),
            squared_distances: squares,
            through,
            direction,
        })
    }
}

fn missed(row: &ArrayView1<'_, f64>, direction: &Array1<f64>, position: f64) -> f64 {
    let entries = row.iter().zip(direction);
    entries
        .map(|(value, along)| (value - position * along).powi(2))
        .sum()
}

/// A line that was chosen beside the best one, which goes through the mean in the direction of the first principal component.
#[derive(Clone, Debug, PartialEq)]
pub struct LineFit {
    /// The chosen line.
    pub chosen: Line,
    /// The line with the smallest squared error of all.
    pub best: Line,
    /// Σ ‖x − m‖²: the squared error of the mean alone.
    pub total: f64,
}

impl LineFit {
    /// Measures the line of this direction, of any length, through a point, or through the mean of the rows.
    ///
    /// ```
    /// use charta::linear::LineFit;
    /// use charta::{Data, Run};
    /// let x = ndarray::array![[0.0, 0.0], [2.0, 0.0], [1.0, 0.3]];
    /// let fit = LineFit::of(&Run::new(), &Data::from(&x), &[1.0, 0.3], None)?;
    /// assert!(fit.best.error <= fit.chosen.error && fit.chosen.error <= fit.total);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(
        run: &Run<'_>,
        data: &Data<'_>,
        direction: &[f64],
        through: Option<&[f64]>,
    ) -> Result<Self> {
        let features = data.features("a line")?;
        let n_columns = features.n_columns();
        check_rows(message!("a line"), 2, features.n_rows())?;
        data.check_finite()?;
        let direction = unit(direction, n_columns)?;
        let through = through
            .map(|point| vector("through", point, n_columns))
            .transpose()?;
        let size = n_columns as u64;
        check_memory(
            run,
            size.saturating_mul(size).saturating_mul(8 * 4),
            message!("choose some of the {:columns}"),
        )?;
        run.install(|| {
            run.stage("lines")?;
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(None));
            }
            let first = symmetric_largest(&moments.scatter().view(), 1)?;
            let mean = moments.mean().clone();
            let best = first.vectors.row(0).to_owned();
            let through = through.unwrap_or_else(|| mean.clone());
            Ok(Self {
                chosen: Line::of(run, features, through, direction)?,
                best: Line::of(run, features, mean, best)?,
                total: moments.spreads().sum(),
            })
        })
    }

    /// The angle between both lines, in degrees from 0 to 90.
    pub fn angle(&self) -> f64 {
        let (a, b) = (&self.chosen.direction, &self.best.direction);
        let cosine = a.dot(b);
        let across = (a - &(b * cosine)).mapv(|value| value * value).sum().sqrt();
        across.atan2(cosine.abs()).to_degrees()
    }
}

fn unit(direction: &[f64], n_columns: usize) -> Result<Array1<f64>> {
    let direction = vector("direction", direction, n_columns)?;
    let largest = direction.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        let because = message!("a direction needs a length");
        return Err(Error::not("direction", because, direction.to_vec()));
    }
    let scaled = direction / largest;
    let length = scaled.dot(&scaled).sqrt();
    Ok(scaled / length)
}

fn vector(name: &'static str, values: &[f64], n_columns: usize) -> Result<Array1<f64>> {
    if values.len() != n_columns {
        return Err(Error::shape(
            message!("the numbers of {name:parameter}, one for each {:column}"),
            n_columns,
            values.len(),
        ));
    }
    if !values.iter().all(|value| value.is_finite()) {
        let because = message!("its numbers must be finite");
        return Err(Error::not(name, because, values.to_vec()));
    }
    Ok(Array1::from(values.to_vec()))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::random::{normal, stream};

    fn rows() -> Array2<f64> {
        let mut stream = stream(3, 0);
        Array2::from_shape_fn((3000, 2), |(_, j)| {
            normal(&mut stream) * if j == 0 { 3.0 } else { 1.0 } + 5.0
        })
    }

    #[test]
    fn the_best_line_is_better_than_any_other_and_feet_are_perpendicular() {
        let x = rows();
        for angle in 0..12 {
            let angle = f64::from(angle) * std::f64::consts::PI / 12.0;
            let direction = [7.0 * angle.cos(), 7.0 * angle.sin()];
            let fit = LineFit::of(&Run::new(), &Data::from(&x), &direction, None).unwrap();
            assert!(fit.best.error <= fit.chosen.error);
            let explained = fit
                .chosen
                .positions
                .mapv(|position| position * position)
                .sum();
            assert!((fit.total - fit.chosen.error - explained).abs() < 1e-8 * fit.total);
            let apart = &x - &fit.chosen.feet();
            let along = apart.dot(&fit.chosen.direction);
            assert!(along.iter().all(|value| value.abs() < 1e-12));
            let squares = apart.mapv(|value| value * value).sum();
            assert!((squares - fit.chosen.error).abs() < 1e-8 * squares);
        }
    }

    #[test]
    fn a_line_beside_the_mean_misses_more() {
        let x = rows();
        let data = Data::from(&x);
        let through_mean = LineFit::of(&Run::new(), &data, &[1.0, 0.3], None).unwrap();
        let beside = LineFit::of(&Run::new(), &data, &[1.0, 0.3], Some(&[0.0, 0.0])).unwrap();
        let v = &beside.chosen.direction;
        let mean = &through_mean.chosen.through;
        let across = mean - &(v * mean.dot(v));
        let expected = through_mean.chosen.error + 3000.0 * across.dot(&across);
        assert!((beside.chosen.error - expected).abs() < 1e-7 * expected);
        assert!((through_mean.angle() - 16.7).abs() < 3.0);
    }

    #[test]
    fn a_direction_without_length_or_of_another_width_is_refused() {
        let x = array![[0.0, 1.0], [2.0, 3.0], [1.0, 1.0]];
        let line = |v: &[f64]| LineFit::of(&Run::new(), &Data::from(&x), v, None).map(|_| ());
        assert!(
            line(&[0.0, 0.0])
                .unwrap_err()
                .to_string()
                .contains("direction")
        );
        assert!(
            line(&[1.0])
                .unwrap_err()
                .to_string()
                .contains("expected 2, got 1")
        );
        assert!(line(&[1.0, f64::NAN]).is_err());
        assert!(line(&[1e-200, 1e-200]).is_ok());
    }
}
