//! The words of the Python package for what errors and warnings are made of: keywords, samples and features.

use std::collections::HashMap;

use charta::Error;
use charta::error::{Column, Input, Noun, Vocabulary};
use charta::params::Json;

/// How the package words messages for its users. A class may have other names for parameters, and take further values.
#[derive(Default)]
pub(crate) struct Words {
    /// The class's names for parameters and for its method.
    pub(crate) names: HashMap<String, String>,
    /// Values that the class takes besides those of the library: the class's name of the parameter, and the value.
    pub(crate) further: Vec<(String, String)>,
}

impl Words {
    fn name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }
}

impl Vocabulary for Words {
    fn parameter(&self, name: &str) -> String {
        format!("`{}`", self.name(name))
    }

    fn setting(&self, name: &str, value: &Json) -> String {
        format!("`{}={}`", self.name(name), written(value))
    }

    fn value(&self, value: &Json) -> String {
        written(value)
    }

    fn given(&self, _parameter: &str, value: &Json) -> String {
        match value {
            // What is not a word describes what was given: "an array of shape (150, 2)".
            Json::String(text) if text.contains(' ') => text.clone(),
            other => written(other),
        }
    }

    fn further_values(&self, parameter: &str) -> Vec<String> {
        let name = self.name(parameter);
        let ours = self.further.iter().filter(|(of, _)| of == name);
        ours.map(|(_, value)| value.clone()).collect()
    }

    fn method(&self, name: &str) -> String {
        format!("`{}`", self.name(name))
    }

    fn noun(&self, noun: Noun) -> &'static str {
        match noun {
            Noun::Row => "sample",
            Noun::Rows => "samples",
            Noun::Column => "feature",
            Noun::Columns => "features",
            Noun::Data => "X",
        }
    }

    fn column(&self, column: &Column) -> String {
        match &column.name {
            Some(name) => format!("feature {} ('{name}')", column.index),
            None => format!("feature {}", column.index),
        }
    }

    fn input(&self, input: Input) -> String {
        match input {
            Input::DistancesTo | Input::KernelTo | Input::AffinitiesTo => "as `X`",
            Input::OwnKernel => "as `own_kernel`",
            Input::Batches => "`partial_fit`",
            Input::DistanceFunction => "as `metric`",
            Input::ClassNames => "as strings",
            Input::Scaled => "`sklearn.preprocessing.MinMaxScaler`",
            _ => "as `kernel`",
        }
        .into()
    }

    fn opening(&self, error: &Error) -> Option<String> {
        matches!(error, Error::Negative { .. }).then(|| "Negative values in data: ".into())
    }
}

/// A value as Python writes it.
fn written(value: &Json) -> String {
    match value {
        Json::Null => "None".into(),
        Json::Bool(true) => "True".into(),
        Json::Bool(false) => "False".into(),
        Json::String(word) if matches!(word.as_str(), "none") => "None".into(),
        Json::String(word) if matches!(word.as_str(), "NaN" | "inf" | "-inf") => word.clone(),
        Json::String(word) => format!("'{word}'"),
        Json::Array(values) => {
            let values: Vec<String> = values.iter().map(written).collect();
            format!("[{}]", values.join(", "))
        }
        other => other.to_string(),
    }
}
