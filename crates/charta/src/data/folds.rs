//! Held-out rows: the data in two parts, one to fit and one to transform.

use ndarray::{Array2, Axis};

use super::{Data, Features, OwnedFeatures, Source};
use crate::error::{Error, Result, message};

/// Data without some of its rows, and those rows.
#[derive(Clone, Debug)]
pub(crate) struct Fold<'a, 'b> {
    /// The rows kept, in ascending order.
    pub inside: Vec<usize>,
    /// The held-out rows, in ascending order.
    pub outside: Vec<usize>,
    kept: Kept,
    held_out: OwnedFeatures,
    /// The data, for how its rows are measured.
    data: &'a Data<'b>,
}

#[derive(Clone, Debug)]
enum Kept {
    Features(OwnedFeatures),
    Distances(Array2<f64>),
}

impl<'a, 'b> Fold<'a, 'b> {
    /// Holds out every `n_folds`-th of the rows as they come in `order`, starting with that of `number`.
    pub(crate) fn of(
        data: &'a Data<'b>,
        order: &[usize],
        number: usize,
        n_folds: usize,
    ) -> Result<Self> {
        let rows = |out: bool| {
            let indices = order.iter().enumerate();
            let chosen = indices.filter(|(index, _)| (index % n_folds == number) == out);
            let mut rows: Vec<usize> = chosen.map(|(_, &row)| row).collect();
            rows.sort_unstable();
            rows
        };
        let (inside, outside) = (rows(false), rows(true));
        let (kept, held_out) = match data.source() {
            Source::Features(features) => (
                Kept::Features(features.select_rows(&inside)?),
                features.select_rows(&outside)?,
            ),
            Source::Distances(matrix) => {
                let columns = matrix.select(Axis(1), &inside);
                (
                    Kept::Distances(columns.select(Axis(0), &inside)),
                    columns.select(Axis(0), &outside).into(),
                )
            }
            Source::Kernel(_)
            | Source::DistancesTo(_)
            | Source::KernelTo(_)
            | Source::Neighbors(_)
            | Source::Affinities(_)
            | Source::AffinitiesTo(_) => {
                return Err(Error::unsupported(
                    message!("holding out {:rows}"),
                    message!("needs features or distances between all {:rows}"),
                ));
            }
        };
        Ok(Self {
            inside,
            outside,
            kept,
            held_out,
            data,
        })
    }

    /// The rows kept, measured as those of the data.
    pub(crate) fn kept(&self) -> Result<Data<'_>> {
        match &self.kept {
            Kept::Features(features) => Ok(Data::measured_as(features.view(), self.data)),
            Kept::Distances(matrix) => Data::distances(matrix.view()),
        }
    }

    /// The held-out rows: their features, measured as those of the data, or their distances to the rows kept.
    pub(crate) fn held_out(&self) -> Data<'_> {
        Data::measured_as(self.held_out.view(), self.data)
    }

    /// The features of the held-out rows, or their distances to the rows kept.
    pub(crate) fn held_out_features(&self) -> Features<'_> {
        self.held_out.view()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn every_n_th_row_of_the_order_is_held_out() {
        let x = array![[1.0], [2.0], [3.0], [4.0]];
        let data = Data::from(&x);
        let fold = Fold::of(&data, &[3, 1, 0, 2], 1, 2).unwrap();
        assert_eq!((fold.inside, fold.outside), (vec![0, 3], vec![1, 2]));
    }

    #[test]
    fn distances_held_out_lead_to_the_rows_kept() {
        let distances = array![[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
        let data = Data::distances(distances.view()).unwrap();
        let fold = Fold::of(&data, &[1, 0, 2], 0, 3).unwrap();
        assert_eq!(
            (fold.outside.clone(), fold.inside.clone()),
            (vec![1], vec![0, 2])
        );
        assert_eq!(
            fold.held_out_features().dense_rows(0, 1),
            array![[1.0, 3.0]]
        );
        assert_eq!(fold.kept().unwrap().n_rows(), 2);
        assert!(matches!(
            fold.kept().unwrap().source(),
            Source::Distances(_)
        ));
    }

    #[test]
    fn both_parts_are_measured_as_the_data() {
        let x = array![[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [4.0, 1.0]];
        let covariance = array![[2.0, 0.5], [0.5, 1.0]];
        let function = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
        let data = Data::from(&x).with_distance(&function);
        let data = data.with_covariance(covariance.view()).unwrap();
        let fold = Fold::of(&data, &[1, 0, 2, 3], 0, 2).unwrap();
        for part in [fold.kept().unwrap(), fold.held_out()] {
            assert!(part.distance().is_some());
            assert_eq!(part.covariance().unwrap(), covariance);
        }
    }
}
