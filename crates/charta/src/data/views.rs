//! Several views of the same rows: parts of the columns, or features of their own.

use ndarray::{Axis, Slice};

use super::{Data, Features};
use crate::error::{Column, Error, Message, Result, message, subject};

impl<'a> Data<'a> {
    /// Adds a further view: other features of the same rows.
    pub fn with_view(mut self, view: impl Into<Features<'a>>) -> Result<Self> {
        let view = view.into();
        if view.n_rows() != self.n_rows() {
            return Err(Error::shape(
                message!("number of {:rows} of the further view"),
                self.n_rows(),
                view.n_rows(),
            ));
        }
        self.views.push(view);
        Ok(self)
    }

    /// Splits the columns into several views with these numbers of columns.
    pub fn with_view_widths(mut self, widths: &[usize]) -> Result<Self> {
        let total: usize = widths.iter().sum();
        if total != self.n_columns() {
            return Err(Error::shape(
                message!("number of {:columns} of all views together"),
                self.n_columns(),
                total,
            ));
        }
        if let Some(empty) = widths.iter().position(|&width| width == 0) {
            return Err(Error::shape(
                message!("{:columns} of view {}", empty + 1),
                "at least 1",
                0,
            ));
        }
        self.widths = widths.to_vec();
        Ok(self)
    }

    /// Columns of each view; one view by default.
    pub(crate) fn view_widths(&self) -> Vec<usize> {
        let mut widths = self.widths.clone();
        if widths.is_empty() {
            widths.push(self.n_columns());
        }
        widths.extend(self.views.iter().map(Features::n_columns));
        widths
    }

    /// Every view, without copying.
    pub fn views(&self, method: &str) -> Result<Vec<Features<'_>>> {
        let features = self.features(method)?;
        let mut views = Vec::new();
        if self.widths.len() > 1 {
            let mut start = 0;
            for &width in &self.widths {
                views.push(columns(features, start, start + width, method)?);
                start += width;
            }
        } else {
            views.push(features.reborrow());
        }
        views.extend(self.views.iter().map(Features::reborrow));
        Ok(views)
    }

    /// The views of a model's new rows: given as views, or as the columns of all of them side by side.
    pub fn new_views(&self, method: &str, widths: &[usize]) -> Result<Vec<Features<'_>>> {
        if self.view_widths() == widths {
            return self.views(method);
        }
        let total: usize = widths.iter().sum();
        if !self.views.is_empty() || self.n_columns() != total {
            return Err(Error::shape(
                message!("{:columns} of the new {:rows}, view by view"),
                listed(widths),
                listed(&self.view_widths()),
            ));
        }
        let features = self.features(method)?;
        let mut start = 0;
        let mut views = Vec::new();
        for &width in widths {
            views.push(columns(features, start, start + width, method)?);
            start += width;
        }
        Ok(views)
    }

    /// The error for a value that is not finite in any view, found by scanning: columns count over all
    /// views. `None` if all are finite.
    pub(crate) fn not_finite_in_views(&self, hint: Option<Message>) -> Option<Error> {
        if let Some(error) = self.not_finite(hint.clone()) {
            return Some(error);
        }
        let mut before = self.n_columns();
        for view in &self.views {
            if let Some(found) = view.find_not_finite() {
                return Some(Error::NotFinite {
                    row: found.row,
                    column: Column::from(before + found.column),
                    value: found.value.to_string(),
                    count: found.count,
                    hint,
                });
            }
            before += view.n_columns();
        }
        None
    }

    /// The error for numbers in any view that made a computation fail.
    pub(crate) fn bad_view_values(&self, hint: Option<Message>) -> Error {
        self.not_finite_in_views(hint.clone())
            .unwrap_or_else(|| self.bad_values(hint))
    }
}

fn listed(widths: &[usize]) -> String {
    let words: Vec<String> = widths.iter().map(usize::to_string).collect();
    words.join(" + ")
}

fn columns<'b>(
    features: &'b Features<'_>,
    start: usize,
    end: usize,
    method: &str,
) -> Result<Features<'b>> {
    let slice = Slice::from(start..end);
    match features {
        Features::F32(x) => Ok(Features::F32(x.slice_axis(Axis(1), slice))),
        Features::F64(x) => Ok(Features::F64(x.slice_axis(Axis(1), slice))),
        _ => Err(Error::unsupported(
            subject(method),
            message!("cannot cut sparse {:rows} into views: give each view as features of its own"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn views_are_parts_of_the_columns_or_features_of_their_own() {
        let x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let y = array![[7.0_f32], [8.0]];
        let data = Data::from(&x)
            .with_view_widths(&[1, 2])
            .unwrap()
            .with_view(&y)
            .unwrap();
        assert_eq!(data.view_widths(), [1, 2, 1]);
        let views = data.views("cca").unwrap();
        assert_eq!(views[1].value(1, 0), 5.0);
        assert_eq!(views[2].value(1, 0), 8.0);
        assert_eq!(Data::from(&x).views("cca").unwrap().len(), 1);
    }

    #[test]
    fn new_rows_come_as_views_or_side_by_side() {
        let x = array![[1.0, 2.0, 3.0]];
        let side_by_side = Data::from(&x);
        let views = side_by_side.new_views("this model", &[2, 1]).unwrap();
        assert_eq!(views[1].value(0, 0), 3.0);
        let error = side_by_side.new_views("this model", &[2, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "columns of the new rows, view by view: expected 2 + 2, got 3"
        );
    }

    #[test]
    fn a_bad_value_is_found_in_any_view() {
        let x = array![[1.0, 2.0], [3.0, 4.0]];
        let y = array![[7.0, 1.0], [8.0, f64::NAN]];
        let data = Data::from(&x).with_view(&y).unwrap();
        let error = data.bad_view_values(None).to_string();
        assert!(
            error.starts_with("row 1, column 3: found no value (NaN)"),
            "{error}"
        );
    }

    #[test]
    fn widths_must_add_up_and_rows_must_agree() {
        let x = array![[1.0, 2.0, 3.0]];
        assert!(Data::from(&x).with_view_widths(&[1, 1]).is_err());
        assert!(Data::from(&x).with_view_widths(&[3, 0]).is_err());
        let other = array![[1.0], [2.0]];
        assert!(Data::from(&x).with_view(&other).is_err());
    }
}
