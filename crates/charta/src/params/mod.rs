//! Parameters: declared once in a method's struct, understood by every front.
//!
//! `#[derive(Parameters)]` gives a struct its [`Spec`]s: name, help text, [`Kind`], default. Checking,
//! parsing a flag, JSON and error messages all work from the specs.

mod kind;
mod nearest;

use std::fmt::Debug;

pub use charta_macros::{Choice, Parameters};
pub use kind::{Alternative, Form, Kind, Range};
pub use nearest::nearest;
/// For the code that the derives write.
#[doc(hidden)]
pub use serde;
/// A value as the fronts pass it.
pub use serde_json::Value as Json;

use crate::error::{Error, Result, Rule, message};

/// One parameter of a method, as the fronts see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Name of the parameter and of the struct's field.
    pub name: &'static str,
    /// Help text.
    pub doc: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// Its default.
    pub default: Json,
    /// The group it belongs to, where a method has many.
    pub group: Option<&'static str>,
}

impl Spec {
    /// The help text's first sentence or line.
    pub fn summary(&self) -> &'static str {
        self.doc.split("\n\n").next().unwrap_or(self.doc)
    }

    /// The spec as JSON, for fronts in other languages.
    pub fn to_json(&self) -> Json {
        serde_json::json!({
            "name": self.name,
            "doc": self.doc,
            "kind": self.kind.to_json(),
            "values": self.kind.describe(),
            "default": self.default,
            "group": self.group,
        })
    }

    fn check(&self, value: &Json) -> Result<()> {
        self.kind
            .check(value)
            .map_err(|rule| Error::parameter(self.name, rule, value))
    }
}

/// The parameters of a method. Derive it.
pub trait Parameters: Default + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Every parameter, in order.
    fn specs() -> Vec<Spec>;

    /// The documentation of the module that declares the parameters, in Markdown: for a method, its explanation.
    fn module_doc() -> &'static str;

    /// The value of a parameter.
    fn get(&self, name: &str) -> Option<Json>;

    /// Stores a value without checking its range; false if the name or the type is wrong.
    #[doc(hidden)]
    fn put(&mut self, name: &str, value: &Json) -> bool;

    /// Sets a parameter, after checking name, type and range.
    fn set(&mut self, name: &str, value: &Json) -> Result<()> {
        let specs = Self::specs();
        let spec = find(&specs, name)?;
        spec.check(value)?;
        if self.put(spec.name, value) {
            Ok(())
        } else {
            Err(Error::parameter(
                spec.name,
                Rule::Kind(spec.kind.clone()),
                value,
            ))
        }
    }

    /// Fails unless a value is one that the parameter of this name takes.
    fn check_value(name: &str, value: &Json) -> Result<()> {
        find(&Self::specs(), name)?.check(value)
    }

    /// Fails if any value is outside its range.
    fn check(&self) -> Result<()> {
        for spec in Self::specs() {
            spec.check(&self.get(spec.name).unwrap_or(Json::Null))?;
        }
        Ok(())
    }

    /// All values, by name.
    fn to_json(&self) -> Json {
        let values = Self::specs()
            .iter()
            .filter_map(|spec| Some((spec.name.to_string(), self.get(spec.name)?)))
            .collect();
        Json::Object(values)
    }

    /// Parameters from values by name; those not named keep their defaults.
    fn from_json(values: &Json) -> Result<Self> {
        let Json::Object(values) = values else {
            return Err(Error::parameter(
                "parameters",
                message!("be values by name"),
                values,
            ));
        };
        let mut parameters = Self::default();
        for (name, value) in values {
            parameters.set(name, value)?;
        }
        Ok(parameters)
    }
}

fn find<'a>(specs: &'a [Spec], name: &str) -> Result<&'a Spec> {
    let wanted = name.replace('-', "_");
    specs
        .iter()
        .find(|spec| spec.name == wanted)
        .ok_or_else(|| Error::UnknownParameter {
            method: None,
            name: name.into(),
            nearest: nearest(&wanted, specs.iter().map(|spec| spec.name)).map(String::from),
        })
}

/// A type that a parameter can have.
pub trait Value: Sized {
    /// The values it takes.
    fn kind() -> Kind;

    /// The value as JSON.
    fn to_json(&self) -> Json;

    /// The value from JSON; `None` if it is of another type.
    fn from_json(value: &Json) -> Option<Self>;
}

macro_rules! whole_numbers {
    ($($whole:ty),*) => {$(
        impl Value for $whole {
            fn kind() -> Kind {
                Kind::Whole(Range::default())
            }
            fn to_json(&self) -> Json {
                Json::from(*self)
            }
            fn from_json(value: &Json) -> Option<Self> {
                value.as_u64().and_then(|value| value.try_into().ok())
            }
        }
    )*};
}
whole_numbers!(usize, u64, u32);

impl Value for f64 {
    fn kind() -> Kind {
        Kind::Number(Range::default())
    }

    fn to_json(&self) -> Json {
        // JSON has no NaN; as a word it is refused by name.
        if self.is_finite() {
            Json::from(*self)
        } else {
            Json::from(self.to_string())
        }
    }

    fn from_json(value: &Json) -> Option<Self> {
        value.as_f64()
    }
}

impl Value for bool {
    fn kind() -> Kind {
        Kind::Boolean
    }

    fn to_json(&self) -> Json {
        Json::from(*self)
    }

    fn from_json(value: &Json) -> Option<Self> {
        value.as_bool()
    }
}

impl Value for String {
    fn kind() -> Kind {
        Kind::Text
    }

    fn to_json(&self) -> Json {
        Json::from(self.as_str())
    }

    fn from_json(value: &Json) -> Option<Self> {
        value.as_str().map(String::from)
    }
}

impl<T: Value> Value for Option<T> {
    fn kind() -> Kind {
        Kind::Optional(Box::new(T::kind()))
    }

    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::to_json)
    }

    fn from_json(value: &Json) -> Option<Self> {
        if value.is_null() {
            Some(None)
        } else {
            T::from_json(value).map(Some)
        }
    }
}

impl<T: Value> Value for Vec<T> {
    fn kind() -> Kind {
        Kind::List(Box::new(T::kind()))
    }

    fn to_json(&self) -> Json {
        Json::Array(self.iter().map(T::to_json).collect())
    }

    fn from_json(value: &Json) -> Option<Self> {
        value.as_array()?.iter().map(T::from_json).collect()
    }
}

/// A value as a user would write it.
pub fn show(value: &Json) -> String {
    match value {
        Json::Null => "none".into(),
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(show).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// True if `value` is `word`; hyphens and underscores are the same.
pub fn is_word(value: &Json, word: &str) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.replace('-', "_").eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many.
    #[derive(Clone, Copy, Debug, PartialEq, Choice)]
    enum Amount {
        /// This many.
        #[choice(min = 1)]
        Count(usize),
        /// This fraction.
        #[choice(above = 0.0, below = 1.0)]
        Share(f64),
        /// As many as it takes.
        AsNeeded,
    }

    /// How much for each.
    #[derive(Clone, Debug, PartialEq, Choice)]
    enum Shares {
        /// The same.
        Equal,
        /// These.
        #[choice(above = 0.0, max = 1.0)]
        Given(Vec<f64>),
    }

    #[derive(Clone, Debug, PartialEq, Parameters)]
    struct Example {
        /// How many to keep.
        #[param(default = Amount::Count(2))]
        amount: Amount,
        /// How fast.
        #[param(default = 0.5, above = 0.0, max = 1.0)]
        rate: f64,
        /// How often.
        #[param(default = 3, min = 1)]
        rounds: usize,
        /// A limit, if any.
        limit: Option<f64>,
    }

    #[derive(Clone, Debug, PartialEq, Parameters)]
    struct Outer {
        /// Its name.
        #[param(default = "outer".to_string())]
        name: String,
        /// The rest.
        #[param(flatten, default = Example { rounds: 7, ..Example::default() })]
        rest: Example,
    }

    #[test]
    fn a_group_of_parameters_is_taken_in_with_the_defaults_given_to_it() {
        let mut outer = Outer::default();
        let names: Vec<&str> = Outer::specs().iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["name", "amount", "rate", "rounds", "limit"]);
        assert_eq!(Outer::specs()[3].default, Json::from(7));
        outer.set("rounds", &Json::from(9)).unwrap();
        assert_eq!(outer.rest.rounds, 9);
        assert!(outer.set("rounds", &Json::from(0)).is_err());
        assert_eq!(Outer::from_json(&outer.to_json()).unwrap(), outer);
    }

    fn set(name: &str, value: Json) -> Result<Example> {
        let mut example = Example::default();
        example.set(name, &value)?;
        Ok(example)
    }

    #[test]
    fn one_declaration_gives_defaults_specs_and_json() {
        let example = Example::default();
        assert_eq!(example.rounds, 3);
        let specs = Example::specs();
        assert_eq!(specs[1].name, "rate");
        assert_eq!(specs[1].doc, "How fast.");
        assert_eq!(specs[0].default, Json::from(2));
        let json = example.to_json();
        assert_eq!(json["rate"], 0.5);
        assert_eq!(Example::from_json(&json).unwrap(), example);
        let text = serde_json::to_string(&example).unwrap();
        assert_eq!(serde_json::from_str::<Example>(&text).unwrap(), example);
    }

    #[test]
    fn a_choice_is_a_number_a_proportion_or_a_word() {
        assert_eq!(
            set("amount", Json::from(5)).unwrap().amount,
            Amount::Count(5)
        );
        assert_eq!(
            set("amount", Json::from(0.9)).unwrap().amount,
            Amount::Share(0.9)
        );
        assert_eq!(
            set("amount", Json::from("as-needed")).unwrap().amount,
            Amount::AsNeeded
        );
        assert_eq!(
            set("amount", Json::from(1.0)).unwrap_err().to_string(),
            "`amount` must be a whole number of at least 1, a number above 0 and below 1 or \
             `as_needed`, got 1.0"
        );
        assert!(set("amount", Json::from(0)).is_err());
        assert!(set("amount", Json::from("all")).is_err());
    }

    #[test]
    fn a_choice_can_be_a_list_of_numbers() {
        let kind = Shares::kind();
        let given = kind.parse("0.25, 0.75");
        assert_eq!(given, serde_json::json!([0.25, 0.75]));
        assert_eq!(
            Shares::from_json(&given),
            Some(Shares::Given(vec![0.25, 0.75]))
        );
        assert_eq!(Shares::Given(vec![0.25, 0.75]).to_string(), "0.25,0.75");
        assert_eq!(Shares::from_json(&kind.parse("equal")), Some(Shares::Equal));
        assert_eq!(
            kind.check(&kind.parse("0.25,half"))
                .unwrap_err()
                .render("shares", &crate::error::Library),
            "must be `equal` or numbers with commas between them, each above 0 and at most 1"
        );
        assert!(kind.check(&serde_json::json!([0.5, 0.0])).is_err());
        assert_eq!(Shares::from_json(&serde_json::json!([2.0])), None);
    }

    #[test]
    fn ranges_are_enforced_with_the_limit_in_the_message() {
        assert_eq!(
            set("rounds", Json::from(0)).unwrap_err().to_string(),
            "`rounds` must be at least 1, got 0"
        );
        assert_eq!(
            set("rate", Json::from(0.0)).unwrap_err().to_string(),
            "`rate` must be above 0 and at most 1, got 0.0"
        );
        assert_eq!(
            set("rate", Json::from("fast")).unwrap_err().to_string(),
            "`rate` must be a number above 0 and at most 1, got fast"
        );
        let example = Example {
            rate: f64::NAN,
            ..Example::default()
        };
        assert!(
            example
                .check()
                .unwrap_err()
                .to_string()
                .ends_with("got NaN")
        );
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let error = set("round", Json::from(1)).unwrap_err();
        assert!(error.to_string().contains("did you mean `rounds`?"));
        assert_eq!(set("limit", Json::Null).unwrap().limit, None);
        assert_eq!(set("limit", Json::from(2.5)).unwrap().limit, Some(2.5));
    }
}
