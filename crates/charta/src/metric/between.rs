//! Any two rows compared as a search compares them: for the few pairs that no search comes across.

use ndarray::{ArrayView1, ArrayView2};

use super::{Metric, Tangents, Whitening};
use crate::data::{Data, Distance};
use crate::error::{Error, Result, message};
use crate::run::Run;

/// How two rows in double precision are compared: by a metric, after whitening, or by the user's function.
#[derive(Clone, Debug)]
pub(crate) struct Between<'a> {
    metric: Metric,
    power: f64,
    image_width: Option<usize>,
    whitening: Option<Whitening>,
    function: Option<Distance<'a>>,
}

impl<'a> Between<'a> {
    /// For rows of `data`, which has features.
    pub(crate) fn of(
        run: &Run<'_>,
        data: &Data<'a>,
        metric: Metric,
        power: f64,
        image_width: Option<usize>,
    ) -> Result<Self> {
        let function = data.distance();
        let whitening = match metric {
            whitened if whitened.is_whitened() && function.is_none() => {
                Some(Whitening::of(run, data, metric)?)
            }
            Metric::Tangent if function.is_none() => {
                let features = data.features("the tangent distance")?;
                Tangents::new(features.reborrow(), features.reborrow(), image_width)?;
                None
            }
            _ => None,
        };
        Ok(Self {
            metric,
            power,
            image_width,
            whitening,
            function,
        })
    }

    /// What is compared in a row's place.
    pub(crate) fn ready(&self, row: Vec<f64>) -> Vec<f64> {
        match &self.whitening {
            Some(whitening) => whitening.row(&ArrayView1::from(&row)),
            None => row,
        }
    }

    /// The distance between two rows that are ready.
    pub(crate) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        if let Some(function) = self.function {
            return function.between(a, b);
        }
        if self.metric != Metric::Tangent {
            return self.metric.between(a, b, self.power);
        }
        let image = |row| ArrayView2::from_shape((1, a.len()), row).expect("rows are as wide");
        let distance = Tangents::between(image(a), image(b), self.image_width);
        distance.expect("the width of the images was checked")
    }

    /// The same; fails if the user's function gives no distance, or if the distance overflows.
    pub(crate) fn checked(&self, a: &[f64], b: &[f64]) -> Result<f64> {
        let distance = self.distance(a, b);
        match self.function {
            Some(_) if !(distance >= 0.0 && distance.is_finite()) => Err(no_distance(distance)),
            None if !distance.is_finite() => Err(Error::too_large()),
            _ => Ok(distance),
        }
    }
}

/// The error for a function that gives no distance.
pub(crate) fn no_distance(value: f64) -> Error {
    Error::shape(
        message!("the value of the distance function"),
        "a finite number of at least 0",
        value,
    )
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::{Search, nearest};

    #[test]
    fn pairs_are_compared_as_the_search_compares_them() {
        let mut stream = crate::random::stream(3, 0);
        let x = Array2::from_shape_fn((30, 16), |_| crate::random::normal(&mut stream));
        for metric in [
            Metric::Euclidean,
            Metric::Manhattan,
            Metric::Minkowski,
            Metric::Cosine,
            Metric::Correlation,
            Metric::Mahalanobis,
            Metric::Tangent,
        ] {
            let search = Search {
                metric,
                ..Search::default()
            };
            let (run, data) = (Run::new(), Data::from(&x));
            let found = nearest(&run, &data, &search, 5).unwrap().neighbors;
            let between = Between::of(&run, &data, metric, search.power, None).unwrap();
            let ready = |row: usize| between.ready(x.row(row).to_vec());
            for row in 0..30 {
                let (indices, distances) = found.row(row);
                for (&index, &distance) in indices.iter().zip(distances) {
                    let here = between.distance(&ready(row), &ready(index as usize));
                    assert!((here - distance).abs() < 1e-9 * distance, "{metric:?}");
                }
            }
        }
    }
}
