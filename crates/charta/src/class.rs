//! What a method is called where methods are classes: in Python, by the names of the package whose users know it.
//!
//! Every method says in its [`Info`](crate::method::Info) which [`Class`]es it has there. Parameters keep their names and defaults but for
//! those that are named here; so nothing is stated twice.

use serde_json::{Value as Json, json};

use crate::params::{Kind, Spec};

/// Parameters that are called otherwise in every class: ours, theirs.
const COMMON: &[(&str, &str)] = &[
    ("seed", "random_state"),
    ("max_iterations", "max_iter"),
    ("tolerance", "tol"),
    ("start", "init"),
    ("power", "p"),
    ("standardize", "scale"),
];

/// Defaults that differ in every class: what other packages have there.
const COMMON_DEFAULTS: &[(&str, &str)] = &[("p", "2.0"), ("random_state", "null")];

/// Values of our parameters that are called otherwise in every class: our parameter, their value, ours.
const COMMON_VALUES: &[(&str, &str, &str)] = &[
    ("metric", "cityblock", "manhattan"),
    ("metric", "l1", "manhattan"),
    ("metric", "l2", "euclidean"),
];

/// One class of a method.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// The parameter that may be given without its name.
    pub first: &'static str,
    /// Other names of the same class.
    pub aliases: &'static [&'static str],
    /// Parameters with another name there: ours, theirs.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Values that are called otherwise there: their parameter, their value, ours.
    pub values: &'static [(&'static str, &'static str, &'static str)],
    /// Defaults that users of that class count on: their parameter, its value. `null` for a count that must be given is as many
    /// as the data allows.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Parameters of ours that make it this class, and that it therefore does not have.
    pub fixed: &'static [(&'static str, &'static str)],
    /// A parameter that chooses among methods, with its words and the method of each; the first is this one.
    pub variants: Option<(&'static str, &'static [(&'static str, &'static str)])>,
    /// Steps in all, from which those of another parameter are taken: theirs for ours, the other of ours.
    pub total: Option<(&'static str, &'static str)>,
    /// Their parameters that change nothing here, with blanks between them.
    pub harmless: &'static str,
    /// Their parameters that are accepted as long as they ask for nothing, with blanks between them: `name`, or `name=word` for the word
    /// that asks for nothing.
    pub absent: &'static str,
    /// Fitted attributes with a name of their own: theirs without the last underscore, our figure. A `'` at the end turns rows into columns.
    pub attributes: &'static [(&'static str, &'static str)],
}

impl Class {
    /// A class that has nothing but the method's own names: for `..Class::DEFAULT`.
    pub const DEFAULT: Self = Self {
        name: "",
        first: "n_components",
        aliases: &[],
        parameters: &[],
        values: &[],
        defaults: &[],
        fixed: &[],
        variants: None,
        total: None,
        harmless: "",
        absent: "",
        attributes: &[],
    };

    /// What a parameter of ours is called there.
    fn theirs(&self, ours: &'static str) -> &'static str {
        let own = self.parameters.iter().chain(COMMON);
        let mut named = own.filter(|(name, _)| *name == ours);
        named.next().map_or(ours, |(_, theirs)| *theirs)
    }

    fn default(&self, theirs: &str) -> Option<Json> {
        let own = self.defaults.iter().chain(COMMON_DEFAULTS);
        let mut given = own.filter(|(name, _)| *name == theirs);
        given.next().map(|(_, text)| parsed(text))
    }

    /// The class as JSON for the front that makes it: its parameters with their names, ours and theirs, kinds and defaults.
    pub fn to_json(&self, specs: &[Spec]) -> Json {
        let fixed = |spec: &&Spec| !self.fixed.iter().any(|(name, _)| *name == spec.name);
        let own = specs.iter().filter(fixed).map(|spec| self.parameter(spec));
        let absent = self.absent.split_whitespace().map(|given| {
            let (name, word) = given.split_once('=').unzip();
            json!([name.unwrap_or(given), word])
        });
        let variants = self.variants.map(|(name, words)| {
            let methods = words.iter().map(|(word, method)| json!([word, method]));
            json!({"name": name, "methods": methods.collect::<Vec<_>>()})
        });
        let has = |name: &str| specs.iter().any(|spec| spec.name == name);
        let common = COMMON_VALUES.iter().filter(|(ours, ..)| has(ours));
        let common = common.map(|&(ours, theirs, value)| (self.theirs(ours), theirs, value));
        let values = self.values.iter().copied().chain(common);
        let values: Vec<Json> = values
            .map(|(name, theirs, ours)| json!([name, parsed(theirs), parsed(ours)]))
            .collect();
        json!({
            "name": self.name,
            "first": self.first,
            "aliases": self.aliases,
            "parameters": own.collect::<Vec<_>>(),
            "values": values,
            "fixed": by_name(self.fixed),
            "variants": variants,
            "total": self.total.map(|(name, other)| json!([self.theirs(name), name, other])),
            "harmless": self.harmless.split_whitespace().collect::<Vec<_>>(),
            "absent": absent.collect::<Vec<_>>(),
            "attributes": self.attributes,
        })
    }

    fn parameter(&self, spec: &Spec) -> Json {
        let name = self.theirs(spec.name);
        let kind = match (spec.name, &spec.kind) {
            // A seed may be left out.
            ("seed", kind) => Kind::Optional(Box::new(kind.clone())),
            (_, kind) => kind.clone(),
        };
        json!({
            "name": name,
            "ours": spec.name,
            "doc": spec.doc,
            "kind": kind.to_json(),
            "values": kind.describe(),
            "default": self.default(name).unwrap_or_else(|| spec.default.clone()),
            "group": spec.group,
        })
    }
}

fn by_name(values: &[(&'static str, &'static str)]) -> Json {
    let values = values
        .iter()
        .map(|(name, text)| json!([name, parsed(text)]));
    Json::Array(values.collect())
}

/// A value that a class states: JSON, or a word without quotation marks.
fn parsed(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| Json::from(text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::methods::{METHODS, find};

    #[test]
    fn every_method_has_classes_whose_names_are_its_own() {
        let mut names = BTreeSet::new();
        for entry in METHODS {
            assert!(!entry.info.classes.is_empty(), "{}", entry.info.name);
            for class in entry.info.classes {
                for name in class.aliases.iter().chain([&class.name]) {
                    assert!(names.insert(*name), "{name} twice");
                }
            }
        }
    }

    #[test]
    fn a_class_names_only_what_its_method_has() {
        for entry in METHODS {
            let specs = entry.specs();
            let has = |name: &str| specs.iter().any(|spec| spec.name == name);
            for class in entry.info.classes {
                let title = class.name;
                assert!(
                    class.parameters.iter().all(|(ours, _)| has(ours)),
                    "{title}"
                );
                assert!(class.fixed.iter().all(|(ours, _)| has(ours)), "{title}");
                let json = class.to_json(&specs);
                let theirs: Vec<&str> = json["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|parameter| parameter["name"].as_str().unwrap())
                    .collect();
                let mut all: Vec<&str> = theirs.clone();
                all.extend(class.harmless.split_whitespace());
                let absent = class.absent.split_whitespace();
                all.extend(absent.map(|name| name.split('=').next().unwrap()));
                all.extend(class.variants.map(|(name, _)| name));
                let distinct: BTreeSet<&str> = all.iter().copied().collect();
                assert_eq!(
                    distinct.len(),
                    all.len(),
                    "{title} has a parameter twice: {all:?}"
                );
                for (name, _) in class.defaults {
                    assert!(theirs.contains(name), "{title}: {name}");
                }
                for (name, _, _) in class.values {
                    assert!(theirs.contains(name), "{title}: {name}");
                }
                if let Some((ours, other)) = class.total {
                    assert!(has(ours) && has(other), "{title}");
                }
            }
        }
    }

    #[test]
    fn values_that_stand_for_others_are_taken_by_the_method() {
        for entry in METHODS {
            let specs = entry.specs();
            for class in entry.info.classes {
                let fixed = class.fixed.iter().map(|(name, text)| (*name, *text));
                let translated = class.values.iter().map(|(theirs, _, value)| {
                    let ours = specs.iter().find(|spec| class.theirs(spec.name) == *theirs);
                    (ours.unwrap().name, *value)
                });
                for (name, text) in fixed.chain(translated) {
                    if (name, text) == ("n_components", "null") {
                        continue;
                    }
                    let value = json!({name: parsed(text)});
                    assert!(entry.resolve(&value).is_ok(), "{}: {value}", class.name);
                }
                for (_, method) in class.variants.map_or(&[][..], |(_, methods)| methods) {
                    assert!(find(method).is_ok(), "{method}");
                }
            }
        }
    }
}
