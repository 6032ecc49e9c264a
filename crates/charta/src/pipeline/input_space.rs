//! What a fitted method looks like in the space of its input: its axes through the rows, the feet of the rows on a single axis, and a
//! coordinate over a plane of two features.

use ndarray::{Array1, Array2, Axis, stack};

use super::Fitted;
use crate::data::{Data, Features, Scaler, Scaling};
use crate::error::{Because, Error, Result, message};
use crate::method::Input;
use crate::run::Run;

/// Axes that are given at most.
const MOST_AXES: usize = 3;
/// Standard deviations that an axis reaches to both sides of the mean.
const REACH: usize = 2;
/// Rows whose perpendiculars are given at most.
const MOST_FEET: usize = 5000;
/// How much a line reaches beyond the rows, as a factor.
const BEYOND: f64 = 1.08;
/// Points of the grid on which a coordinate is evaluated, across and up.
const GRID: [usize; 2] = [96, 72];

/// Lines in the space of the features, in the units of the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureLines {
    /// The lines, those below others first.
    pub lines: Vec<FeatureLine>,
    /// What the lines are, in words; none if there are none.
    pub note: Option<String>,
}

/// A line through the features.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureLine {
    /// The coordinate that it belongs to; empty for a perpendicular.
    pub name: String,
    /// Its places, one a row, with a column for each feature.
    pub places: Array2<f64>,
    /// Whether it leads from a row to its foot on the line of the only coordinate.
    pub is_perpendicular: bool,
}

/// A coordinate on a grid over the plane of two features.
#[derive(Clone, Debug, PartialEq)]
pub struct OverPlane {
    /// First and last place across, and up.
    pub ranges: [[f64; 2]; 2],
    /// Number of places across.
    pub n_columns: usize,
    /// Values line by line, from the lowest line up, each from left to right.
    pub values: Vec<f64>,
}

impl Fitted {
    /// The axes of a linear model through the mean of the rows that were fitted, scaled as they were for the fit; with a single coordinate of two features, the line
    /// that it runs along, and the foot of each row on it. Nothing for a method without axes.
    ///
    /// ```
    /// use charta::{Data, Run, methods::find, pipeline::Fitted};
    /// let pca = find("pca")?.parse(&serde_json::json!({"n_components": 1}))?;
    /// let rows = ndarray::array![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
    /// let fitted = Fitted::fit(pca.as_ref(), &Run::new(), &Data::from(&rows), None)?;
    /// let found = fitted.feature_lines(&(&rows).into());
    /// // A foot for each row, and the line.
    /// assert_eq!(found.lines.len(), 4);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn feature_lines(&self, features: &Features<'_>) -> FeatureLines {
        let mut found = FeatureLines::default();
        let Some(axes) = self.model.axes() else {
            return found;
        };
        let by_length = |scaler: &Scaler| scaler.kind() == Scaling::UnitNorm;
        // Axes of views lie in different spaces.
        let has_views = self.model.as_views().is_some();
        if has_views || axes.ncols() != features.n_columns() || self.scaler().is_some_and(by_length)
        {
            return found;
        }
        let rows: Vec<Array1<f64>> = (0..features.n_rows())
            .map(|row| {
                Array1::from_shape_fn(features.n_columns(), |column| features.value(row, column))
            })
            .filter(|row| row.iter().all(|value| value.is_finite()))
            .collect();
        let n = rows.len() as f64;
        let mean_of_all = || {
            let sum = rows.iter().fold(
                Array1::zeros(features.n_columns()),
                |sum: Array1<f64>, row| sum + row,
            );
            sum / n
        };
        // A fit that left rows out has a mean of its own.
        let diagnostics = self.diagnostics();
        let of_fit = diagnostics.values("mean").cloned();
        let mean = of_fit
            .filter(|mean| mean.len() == features.n_columns())
            .unwrap_or_else(mean_of_all);
        let names = self.component_names();
        let is_line = self.model.n_components() == 1 && features.n_columns() == 2;
        for (axis, name) in axes.rows().into_iter().zip(names).take(MOST_AXES) {
            let length = axis.dot(&axis).sqrt();
            if !(length > 0.0 && length.is_finite()) || rows.is_empty() {
                continue;
            }
            let direction = axis.to_owned() / length;
            let along: Vec<f64> = rows
                .iter()
                .map(|row| direction.dot(&(row - &mean)))
                .collect();
            let at = |distance: f64| &mean + &(&direction * distance);
            let line = |name: String, from: &Array1<f64>, to: &Array1<f64>| FeatureLine {
                is_perpendicular: name.is_empty(),
                name,
                places: self.unscaled(
                    stack(Axis(0), &[from.view(), to.view()]).expect("both have all features"),
                ),
            };
            if is_line {
                let ends = along.iter().fold([0.0f64; 2], |[low, high], value| {
                    [low.min(*value), high.max(*value)]
                });
                let feet = rows.iter().zip(&along).take(MOST_FEET);
                let feet = feet.map(|(row, distance)| line(String::new(), row, &at(*distance)));
                found.lines.extend(feet);
                let [low, high] = ends.map(|end| at(BEYOND * end));
                found.lines.push(line(name, &low, &high));
            } else {
                let variance = along.iter().map(|value| value * value).sum::<f64>() / n;
                let reach = REACH as f64 * variance.sqrt();
                found.lines.push(line(name, &at(-reach), &at(reach)));
            }
        }
        found.note = (!found.lines.is_empty()).then(|| {
            if is_line {
                "line through the mean, with the feet of the perpendiculars".into()
            } else {
                format!("axes: mean ± {REACH} standard deviations")
            }
        });
        found
    }

    /// A coordinate, counted from 0, of new rows all over the plane of the two features of a fit, for contour lines. `ranges` is what a picture shows,
    /// across and up; `plane` says which feature lies across and which up.
    pub fn over_plane(
        &self,
        run: &Run<'_>,
        ranges: [[f64; 2]; 2],
        plane: [usize; 2],
        component: usize,
    ) -> Result<OverPlane> {
        if self.model.n_columns() != 2 {
            return Err(Error::unsupported(
                message!("a picture of a coordinate over the plane of the input"),
                message!("needs a fit to two {:columns}"),
            ));
        }
        let n_components = self.model.n_components();
        if component >= n_components {
            return Err(Error::at_most(
                "contours",
                n_components - 1,
                Because::Reason(message!(
                    "the model has {n_components} coordinates, counted from 0"
                )),
                component,
            ));
        }
        let ranges = if self.entry().info.takes(Input::Nonnegative) {
            ranges.map(|[low, high]| [low.max(0.0), high])
        } else {
            ranges
        };
        let at = |axis: usize, number: usize| {
            let ([low, high], share) = (ranges[axis], number as f64 / (GRID[axis] - 1) as f64);
            low * (1.0 - share) + high * share
        };
        let rows = Array2::from_shape_fn((GRID[0] * GRID[1], 2), |(index, column)| {
            if column == plane[0] {
                at(0, index % GRID[0])
            } else {
                at(1, index / GRID[0])
            }
        });
        let coordinates = self.transform(run, &Data::from(&rows))?;
        Ok(OverPlane {
            ranges,
            n_columns: GRID[0],
            values: coordinates.column(component).to_vec(),
        })
    }

    /// Rows of features in the units of the input.
    pub(super) fn unscaled(&self, features: Array2<f64>) -> Array2<f64> {
        match self.scaler() {
            Some(scaler) => scaler.undo(features),
            None => features,
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use serde_json::json;

    use super::*;

    fn pca(rows: &Array2<f64>, n_components: usize) -> Fitted {
        let method = crate::methods::find("pca").unwrap();
        let method = method
            .parse(&json!({"n_components": n_components}))
            .unwrap();
        Fitted::fit(method.as_ref(), &Run::new(), &Data::from(rows), None).unwrap()
    }

    #[test]
    fn feet_lie_on_the_line_and_perpendiculars_stand_on_it() {
        let rows = array![[0.0, 0.1], [1.0, 0.2], [2.0, 1.3], [3.0, 1.1], [4.0, 2.4]];
        let found = pca(&rows, 1).feature_lines(&(&rows).into());
        let (line, feet) = found.lines.split_last().unwrap();
        assert!(!line.is_perpendicular && feet.len() == 5);
        let along = &line.places.row(1) - &line.places.row(0);
        for foot in feet {
            let across = &foot.places.row(1) - &foot.places.row(0);
            assert!(foot.is_perpendicular && along.dot(&across).abs() < 1e-12);
            let from_end = &foot.places.row(1) - &line.places.row(0);
            assert!((along[0] * from_end[1] - along[1] * from_end[0]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_coordinate_over_the_plane_is_that_of_new_rows() {
        let rows = array![[0.0, 0.1], [1.0, 0.2], [2.0, 1.3], [3.0, 1.1]];
        let fitted = pca(&rows, 2);
        let over = fitted
            .over_plane(&Run::new(), [[0.0, 4.0], [-1.0, 2.0]], [0, 1], 1)
            .unwrap();
        let corner = fitted
            .transform(&Run::new(), &Data::from(&array![[4.0, -1.0]]))
            .unwrap();
        assert_eq!(over.values[over.n_columns - 1], corner[[0, 1]]);
        assert!(
            fitted
                .over_plane(&Run::new(), [[0.0, 1.0]; 2], [0, 1], 2)
                .is_err()
        );
    }
}
