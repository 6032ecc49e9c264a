//! What a scree plot of a fitted method shows.

use ndarray::Axis;

use super::Fitted;
use crate::model::Diagnostics;

/// How much each component of a fitted method carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Spectrum {
    /// Variances of components, with their sum.
    Variances {
        /// The variances, of all components where they are known, else of those kept.
        values: Vec<f64>,
        /// The variance of all that was fitted, if it is known.
        total: Option<f64>,
        /// How many components are kept.
        n_kept: usize,
    },
    /// One minus the squared correlation of distances, with one, two … dimensions.
    Residuals(Vec<f64>),
    /// A number between −1 and 1 for each component.
    Shares {
        /// The numbers.
        values: Vec<f64>,
        /// The components.
        names: Vec<String>,
        /// What is shown, as the end of a title.
        title: &'static str,
        /// What the numbers are.
        axis: &'static str,
    },
}

/// A figure that is shown where there are no variances: its numbers lie between −1 and 1.
struct Share {
    name: &'static str,
    /// A figure that goes with it.
    beside: &'static str,
    title: &'static str,
    axis: &'static str,
}

/// The first that a model reports is shown.
const SHARES: [Share; 3] = [
    Share {
        name: "correlations",
        beside: "n_views",
        title: "correlations",
        axis: "correlation between the views",
    },
    Share {
        name: "explained_variance_ratio",
        beside: "separation",
        title: "separation of the classes",
        axis: "proportion of the separation by all components",
    },
    Share {
        name: "explained_variance_ratio",
        beside: "explained_variance_ratio",
        title: "explained variance",
        axis: "proportion of variance",
    },
];

impl Fitted {
    /// Variances, residual variances or other numbers of the components, as a scree plot shows them; none for a method that reports no such numbers.
    ///
    /// ```
    /// use charta::{Data, Run, methods::find, pipeline::{Fitted, Spectrum}};
    /// let pca = find("pca")?.parse(&serde_json::json!({"n_components": 1}))?;
    /// let rows = ndarray::array![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
    /// let fitted = Fitted::fit(pca.as_ref(), &Run::new(), &Data::from(&rows), None)?;
    /// assert!(matches!(fitted.spectrum(), Some(Spectrum::Variances { n_kept: 1, .. })));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn spectrum(&self) -> Option<Spectrum> {
        let diagnostics = self.diagnostics();
        if let Some(kept) = diagnostics.values("explained_variance") {
            return Some(Spectrum::Variances {
                values: diagnostics.values("spectrum").unwrap_or(kept).to_vec(),
                total: total_variance(&diagnostics),
                n_kept: self.model.n_components(),
            });
        }
        if let Some(residuals) = diagnostics.values("residual_variance") {
            return Some(Spectrum::Residuals(residuals.to_vec()));
        }
        let known = |share: &'static Share| {
            diagnostics.get(share.beside)?;
            Some((diagnostics.values(share.name)?.to_vec(), share))
        };
        let (values, share) = SHARES.iter().find_map(known)?;
        let mut names = self.component_names();
        if names.len() != values.len() {
            let numbers = 1..=values.len();
            names = numbers
                .map(|number| format!("component {number}"))
                .collect();
        }
        Some(Spectrum::Shares {
            values,
            names,
            title: share.title,
            axis: share.axis,
        })
    }

    /// The mean of the rows of the fit, in their own units, if the method reports one.
    pub fn mean_of_rows(&self) -> Option<Vec<f64>> {
        let diagnostics = self.diagnostics();
        let mean = diagnostics.values("mean")?;
        if mean.len() != self.model.n_columns() {
            return None;
        }
        let mean = self.unscaled(mean.clone().insert_axis(Axis(0)));
        Some(mean.into_iter().collect())
    }
}

/// The variance of all that was fitted: as reported, or as the components and their proportions imply it.
fn total_variance(diagnostics: &Diagnostics) -> Option<f64> {
    let implied = || {
        let kept = diagnostics.values("explained_variance")?.sum();
        let share = diagnostics.values("explained_variance_ratio")?.sum();
        Some(kept / share).filter(|total| total.is_finite())
    };
    diagnostics.value("total_variance").or_else(implied)
}
