//! The numbers a model reports, by name.

use ndarray::{Array1, Array2};
use serde_json::{Map, Value as Json, json};

/// One thing reported.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A count.
    Count(usize),
    /// A number.
    Number(f64),
    /// A word or sentence.
    Text(String),
    /// True or false.
    Flag(bool),
    /// Several words or sentences.
    Words(Vec<String>),
    /// Several numbers.
    Vector(Array1<f64>),
    /// A table of numbers.
    Matrix(Array2<f64>),
}

/// Figures by name, in the order in which they were reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    figures: Vec<(&'static str, Figure)>,
    /// Names of the vectors that have one number for each component.
    per_component: Vec<&'static str>,
}

impl Diagnostics {
    /// Nothing reported yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a figure.
    pub fn with(mut self, name: &'static str, figure: Figure) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Adds a count.
    pub fn count(self, name: &'static str, value: usize) -> Self {
        self.with(name, Figure::Count(value))
    }

    /// Adds a number.
    pub fn number(self, name: &'static str, value: f64) -> Self {
        self.with(name, Figure::Number(value))
    }

    /// Adds a word.
    pub fn text(self, name: &'static str, value: impl Into<String>) -> Self {
        self.with(name, Figure::Text(value.into()))
    }

    /// Marks a fit that was ended on request before its last iteration; adds nothing to one that was not.
    pub fn interrupted(self, interrupted: bool) -> Self {
        if interrupted {
            self.with("interrupted", Figure::Flag(true))
        } else {
            self
        }
    }

    /// Adds several words.
    pub fn words(self, name: &'static str, values: &[String]) -> Self {
        self.with(name, Figure::Words(values.to_vec()))
    }

    /// Adds several numbers.
    pub fn vector(self, name: &'static str, values: &Array1<f64>) -> Self {
        self.with(name, Figure::Vector(values.clone()))
    }

    /// Adds one number for each component.
    pub(crate) fn per_component(mut self, name: &'static str, values: &Array1<f64>) -> Self {
        self.per_component.push(name);
        self.vector(name, values)
    }

    /// True if the figure of that name has one number for each component.
    pub fn is_per_component(&self, name: &str) -> bool {
        self.per_component.contains(&name)
    }

    /// Adds a table.
    pub fn matrix(self, name: &'static str, values: &Array2<f64>) -> Self {
        self.with(name, Figure::Matrix(values.clone()))
    }

    /// The figure of that name.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.figures
            .iter()
            .find(|(title, _)| *title == name)
            .map(|(_, figure)| figure)
    }

    /// The number or count of that name.
    pub fn value(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Figure::Number(value) => Some(*value),
            Figure::Count(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The numbers of that name.
    pub fn values(&self, name: &str) -> Option<&Array1<f64>> {
        match self.get(name)? {
            Figure::Vector(values) => Some(values),
            _ => None,
        }
    }

    /// All figures.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Figure)> {
        self.figures.iter().map(|(name, figure)| (*name, figure))
    }

    /// The figures as JSON. A number that is not finite becomes null.
    pub fn to_json(&self) -> Json {
        let figures: Map<String, Json> = self
            .iter()
            .map(|(name, figure)| (name.to_string(), figure.to_json()))
            .collect();
        Json::Object(figures)
    }
}

impl Figure {
    /// The figure as JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Count(value) => json!(value),
            Self::Number(value) => json!(value),
            Self::Text(value) => json!(value),
            Self::Flag(value) => json!(value),
            Self::Words(values) => json!(values),
            Self::Vector(values) => json!(values.to_vec()),
            Self::Matrix(values) => Json::Array(
                values
                    .rows()
                    .into_iter()
                    .map(|row| json!(row.to_vec()))
                    .collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn figures_are_found_by_name_and_written_in_order() {
        let report = Diagnostics::new()
            .count("rows", 3)
            .vector("variance", &array![2.0, f64::NAN]);
        assert_eq!(report.value("rows"), Some(3.0));
        assert_eq!(report.to_json()["variance"], json!([2.0, null]));
        assert!(report.get("nothing").is_none());
        let report = report.words("classes", &["a,b".to_string(), "c".to_string()]);
        assert_eq!(report.to_json()["classes"], json!(["a,b", "c"]));
        let report = report.per_component("share", &array![0.7, 0.3]);
        assert!(report.is_per_component("share") && !report.is_per_component("variance"));
        assert_eq!(
            report.clone().interrupted(true).to_json()["interrupted"],
            json!(true)
        );
        assert!(report.interrupted(false).get("interrupted").is_none());
    }
}
