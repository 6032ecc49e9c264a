//! Names, parameters, bounds.

use super::*;

#[test]
fn names_are_unique_and_everything_is_said() {
    for_each(|entry| {
        let info = &entry.info;
        let same = METHODS.iter().filter(|other| other.info.name == info.name);
        assert_eq!(same.count(), 1);
        assert!(
            info.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        );
        for text in [info.title, info.summary, info.reference] {
            assert!(!text.is_empty());
        }
        assert!(!info.summary.ends_with('.'));
        for spec in entry.specs() {
            assert!(spec.doc.ends_with('.'), "{}: {}", spec.name, spec.doc);
        }
        assert_eq!(
            find(&info.name.replace('_', "-")).unwrap().info.name,
            info.name
        );
        let json = entry.to_json();
        assert_eq!(json["name"], info.name);
        assert_eq!(json["family_title"], info.family.title());
        assert_eq!(json["takes"].as_array().unwrap().len(), info.takes.len());
        assert_eq!(json["offers"].as_array().unwrap().len(), info.offers.len());
        assert_eq!(
            json["parameters"].as_array().unwrap().len(),
            entry.specs().len()
        );
    });
    let error = find("pcaa").unwrap_err().to_string();
    assert!(error.contains("did you mean"), "{error}");
}

#[test]
fn parameters_survive_json_and_defaults_are_valid() {
    for_each(|entry| {
        let defaults = entry.parse(&json!({})).unwrap().to_json();
        assert_eq!(entry.parse(&defaults).unwrap().to_json(), defaults);
        for spec in entry.specs() {
            assert_eq!(defaults[spec.name], spec.default);
            let text = charta::params::show(&spec.default);
            assert_eq!(spec.kind.parse(&text), spec.default, "{}", spec.name);
            let typo = format!("{}x", spec.name);
            let error = entry.parse(&json!({ typo: 1 })).unwrap_err();
            assert!(matches!(
                error,
                Error::UnknownParameter {
                    nearest: Some(_),
                    ..
                }
            ));
        }
    });
}

/// Values just outside a range.
fn outside(range: &Range) -> Vec<f64> {
    let below = [range.min.map(|min| min - 1.0), range.above];
    let above = [range.max.map(|max| max + 1.0), range.below];
    below.into_iter().chain(above).flatten().collect()
}

fn wrong_values(kind: &Kind) -> Vec<Json> {
    match kind {
        Kind::Whole(range) => {
            let mut values = vec![json!(-1), json!(1.5), json!("many"), json!([1])];
            values.extend(outside(range).into_iter().map(|value| json!(value as i64)));
            values
        }
        Kind::Number(range) => {
            let mut values = vec![json!("much"), json!(true), json!(null)];
            values.extend(outside(range).into_iter().map(Json::from));
            values
        }
        Kind::Boolean => vec![json!("maybe"), json!(3)],
        Kind::Choice(alternatives) => {
            let mut values = vec![json!("no such word"), json!(null)];
            let admits = |range: &Range| range.min.is_some_and(|least| least <= -3.0);
            if !alternatives
                .iter()
                .any(|of| matches!(&of.form, Form::Number(range) if admits(range)))
            {
                values.push(json!(-3));
            }
            for alternative in alternatives {
                if let Form::Whole(range) = &alternative.form {
                    values.extend(outside(range).into_iter().map(|value| json!(value as i64)));
                }
            }
            values
        }
        Kind::Text => vec![json!(1)],
        Kind::Optional(inner) => {
            let mut values = wrong_values(inner);
            values.retain(|value| !value.is_null());
            values
        }
        Kind::List(inner) => wrong_values(inner)
            .into_iter()
            .map(|v| json!([v]))
            .collect(),
    }
}

#[test]
fn bounds_are_enforced_and_the_message_names_the_parameter() {
    for_each(|entry| {
        for spec in entry.specs() {
            for value in wrong_values(&spec.kind) {
                let error = entry.parse(&json!({ spec.name: value })).unwrap_err();
                assert!(error.is_usage());
                let text = error.to_string();
                assert!(
                    text.starts_with(&format!("`{}` must be", spec.name)),
                    "{text}"
                );
            }
        }
    });
}

#[test]
fn too_many_components_are_there_or_an_error_that_says_the_limit() {
    for_each(|entry| {
        if !entry.specs().iter().any(|spec| spec.name == "n_components") {
            return;
        }
        let x = sample_for(entry, 20, 4);
        let parameters = json!({"n_components": 1000});
        let outcome = entry.parse(&parameters).and_then(|method| {
            Fitted::fit(method.as_ref(), &Run::new(), &labelled(entry, &x), None)
        });
        match outcome {
            // Methods that can have more components than the data has columns have as many as requested.
            Ok(fitted) => assert_eq!(fitted.model().n_components(), 1000),
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("at most") && text.contains("1000"), "{text}");
            }
        }
    });
}
