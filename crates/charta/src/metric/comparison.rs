//! Distance parameters, and the block distance function for them.

use super::{
    Cubes, Dense, Differing, Form, Largest, Measure, Metric, Op, Overlap, Pairs, Products, Scale,
    Sizes, Squares, Table, Tangents, largest, minkowski,
};
use crate::data::Features;
use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::params::Parameters;

/// Distance between two rows.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Distances")]
pub struct Comparison {
    /// Distance metric between rows.
    #[param(default = Metric::Euclidean, without = "inner_product")]
    pub metric: Metric,
    /// Exponent p of the Minkowski distance: 1 is Manhattan, 2 Euclidean, larger values weight the largest differences more.
    #[param(default = 2.0, min = 1.0)]
    pub power: f64,
    /// Width of the images in pixels, for the tangent distance, whose rows are images.
    #[param(min = 2)]
    pub image_width: Option<usize>,
}

/// What is done with a measure, whichever it is.
pub(crate) trait Visit {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<M: Measure>(self, measure: &M) -> Result<Self::Output>;
}

/// Finds the measure of rows and reference rows, which are of the same kind and precision, and hands it on. Mahalanobis distances are
/// taken for the straight line: whiten first.
pub(crate) fn measured<V: Visit>(
    rows: &Features<'_>,
    known: &Features<'_>,
    comparison: &Comparison,
    visitor: V,
) -> Result<V::Output> {
    let both = (rows, known);
    match (rows.reborrow(), known.reborrow()) {
        (Features::F32(a), Features::F32(b)) => by_metric(
            both,
            (Table::Dense(a), Table::Dense(b)),
            comparison,
            visitor,
        ),
        (Features::F64(a), Features::F64(b)) => by_metric(
            both,
            (Table::Dense(a), Table::Dense(b)),
            comparison,
            visitor,
        ),
        (Features::SparseF32(a), Features::SparseF32(b)) => by_metric(
            both,
            (Table::Sparse(a), Table::Sparse(b)),
            comparison,
            visitor,
        ),
        (Features::SparseF64(a), Features::SparseF64(b)) => by_metric(
            both,
            (Table::Sparse(a), Table::Sparse(b)),
            comparison,
            visitor,
        ),
        _ => Err(Error::unsupported(
            message!("the comparison of {:rows}"),
            message!("needs {:rows} of the same kind and precision"),
        )),
    }
}

fn by_metric<'a, T: Real, V: Visit>(
    features: (&'a Features<'_>, &'a Features<'_>),
    (rows, known): (Table<'a, T>, Table<'a, T>),
    comparison: &Comparison,
    visitor: V,
) -> Result<V::Output> {
    let metric = comparison.metric.named(comparison.power);
    let both = Both {
        most: largest(features.0).max(largest(features.1)),
        rows,
        known,
        metric,
    };
    match metric {
        Metric::Euclidean | Metric::Mahalanobis => both.sums(Squares, visitor),
        Metric::Cosine => both.measured(Form::Unit, Squares, visitor),
        Metric::Correlation => both.measured(Form::Centred, Squares, visitor),
        Metric::Manhattan => both.sums(Sizes, visitor),
        Metric::Chebyshev => both.sums(Largest, visitor),
        Metric::Hamming => both.sums(Differing, visitor),
        Metric::Jaccard => both.sums(Overlap, visitor),
        Metric::InnerProduct => both.sums(Products, visitor),
        Metric::Minkowski if comparison.power == 3.0 => both.sums(Cubes, visitor),
        Metric::Minkowski => visitor.visit(&Pairs {
            rows: features.0.reborrow(),
            known: features.1.reborrow(),
            between: |a: &[f64], b: &[f64]| Ok(minkowski(a, b, comparison.power)),
        }),
        Metric::Tangent => {
            let (rows, known) = (features.0.reborrow(), features.1.reborrow());
            visitor.visit(&Tangents::new(rows, known, comparison.image_width)?)
        }
    }
}

struct Both<'a, T> {
    most: f64,
    rows: Table<'a, T>,
    known: Table<'a, T>,
    metric: Metric,
}

impl<T: Real> Both<'_, T> {
    fn sums<O: Op, V: Visit>(self, op: O, visitor: V) -> Result<V::Output> {
        let form = Form::Plain(Scale::of::<T>(self.most, O::POWER));
        self.measured(form, op, visitor)
    }

    fn measured<O: Op, V: Visit>(self, form: Form, op: O, visitor: V) -> Result<V::Output> {
        visitor.visit(&Dense {
            rows: self.rows,
            known: self.known,
            metric: self.metric,
            form,
            op,
        })
    }
}
