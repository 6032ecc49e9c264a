//! Distance parameters, and the block distance function for them.

use super::{
    Cubes, Dense, Differing, Form, Largest, Measure, Metric, Op, Overlap, Pairs, Products, Scale,
    Sizes, Squares, Table, Tangents, formulas, largest, minkowski,
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

/// Finds the measure of rows and reference rows, which are of the same kind and precision, and hands it on. Mahalanobis and standardized
/// Euclidean distances are taken for the straight line: whiten first.
pub(crate) fn measured<V: Visit>(
    rows: &Features<'_>,
    known: &Features<'_>,
    comparison: &Comparison,
    visitor: V,
) -> Result<V::Output> {
    let sides = Sides {
        rows,
        known,
        comparison,
    };
    match (rows.reborrow(), known.reborrow()) {
        (Features::F32(a), Features::F32(b)) => {
            sides.by_metric(Table::Dense(a), Table::Dense(b), visitor)
        }
        (Features::F64(a), Features::F64(b)) => {
            sides.by_metric(Table::Dense(a), Table::Dense(b), visitor)
        }
        (Features::SparseF32(a), Features::SparseF32(b)) => {
            sides.by_metric(Table::Sparse(a), Table::Sparse(b), visitor)
        }
        (Features::SparseF64(a), Features::SparseF64(b)) => {
            sides.by_metric(Table::Sparse(a), Table::Sparse(b), visitor)
        }
        _ => Err(Error::unsupported(
            message!("the comparison of {:rows}"),
            message!("needs {:rows} of the same kind and precision"),
        )),
    }
}

/// What is compared, and how.
struct Sides<'a, 'b, 'c> {
    rows: &'a Features<'b>,
    known: &'a Features<'c>,
    comparison: &'a Comparison,
}

impl Sides<'_, '_, '_> {
    /// The same rows as tables of their precision.
    fn by_metric<'t, T: Real, V: Visit>(
        &self,
        rows: Table<'t, T>,
        known: Table<'t, T>,
        visitor: V,
    ) -> Result<V::Output> {
        let power = self.comparison.power;
        let metric = match self.comparison.metric.named(power) {
            whitened if whitened.is_whitened() => Metric::Euclidean,
            other => other,
        };
        if formulas::has(metric) {
            formulas::check(metric, self.rows)?;
            formulas::check(metric, self.known)?;
            return visitor.visit(&Pairs {
                rows: self.rows.reborrow(),
                known: self.known.reborrow(),
                between: |a: &[f64], b: &[f64]| Ok(formulas::between(metric, a, b)),
            });
        }
        let both = Both {
            most: largest(self.rows).max(largest(self.known)),
            rows,
            known,
            metric,
        };
        match metric {
            Metric::Euclidean => both.sums(Squares, visitor),
            Metric::Cosine => both.measured(Form::Unit, Squares, visitor),
            Metric::Correlation => both.measured(Form::Centred, Squares, visitor),
            Metric::Manhattan => both.sums(Sizes, visitor),
            Metric::Chebyshev => both.sums(Largest, visitor),
            Metric::Hamming => both.sums(Differing, visitor),
            Metric::Jaccard => both.sums(Overlap, visitor),
            Metric::InnerProduct => both.sums(Products, visitor),
            Metric::Minkowski if power == 3.0 => both.sums(Cubes, visitor),
            Metric::Minkowski => visitor.visit(&Pairs {
                rows: self.rows.reborrow(),
                known: self.known.reborrow(),
                between: |a: &[f64], b: &[f64]| Ok(minkowski(a, b, power)),
            }),
            Metric::Tangent => {
                let (rows, known) = (self.rows.reborrow(), self.known.reborrow());
                visitor.visit(&Tangents::new(rows, known, self.comparison.image_width)?)
            }
            other => unreachable!("{other:?} has a formula, or is whitened"),
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
