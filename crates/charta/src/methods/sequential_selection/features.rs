//! Candidate features: one or more columns each, and their names.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::error::{Error, Result, message};

/// The columns of each feature, in the order of their first columns: by groups of the data, or by names.
pub(super) fn column_groups(
    data: &Data<'_>,
    n_columns: usize,
    separator: Option<&str>,
) -> Result<Vec<Vec<usize>>> {
    let keys: Vec<String> = match (data.column_groups(), separator, data.column_names()) {
        (Some(groups), _, _) => groups.iter().map(ToString::to_string).collect(),
        (None, None, _) => return Ok((0..n_columns).map(|column| vec![column]).collect()),
        (None, Some(""), Some(_)) => {
            let requirement = message!("have at least one letter");
            return Err(Error::parameter("separator", requirement, ""));
        }
        (None, Some(separator), None) => {
            let requirement = message!("be none, because the {:columns} have no names");
            return Err(Error::parameter("separator", requirement, separator));
        }
        (None, Some(separator), Some(names)) => {
            let numbered = names.iter().enumerate();
            numbered
                .map(|(index, name)| match name.split_once(separator) {
                    Some((stem, _)) => stem.to_string(),
                    None => format!("{index}{separator}"),
                })
                .collect()
        }
    };
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut features: Vec<Vec<usize>> = Vec::new();
    for (column, key) in keys.into_iter().enumerate() {
        let index = *indices.entry(key).or_insert(features.len());
        if index == features.len() {
            features.push(Vec::new());
        }
        features[index].push(column);
    }
    Ok(features)
}

/// The name of a feature: of its column, or of several columns their common prefix or all of them.
pub(super) fn feature_name(names: Option<&[String]>, columns: &[usize]) -> String {
    let name = |&column: &usize| match names {
        Some(names) => names[column].clone(),
        None => format!("column_{column}"),
    };
    let all: Vec<String> = columns.iter().map(name).collect();
    let stem = common_prefix(&all);
    if all.len() > 1 && names.is_some() && !stem.is_empty() {
        stem.into()
    } else {
        all.join("+")
    }
}

/// The longest common prefix of all words, up to its last letter or digit.
fn common_prefix(words: &[String]) -> &str {
    let Some((first, others)) = words.split_first() else {
        return "";
    };
    let mut prefix = first.as_str();
    for word in others {
        while !word.starts_with(prefix) {
            let mut letters = prefix.chars();
            letters.next_back();
            prefix = letters.as_str();
        }
    }
    prefix.trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_by_their_columns() {
        let names = ["size", "colour=red", "colour=blue", "x"].map(String::from);
        assert_eq!(feature_name(Some(&names), &[0]), "size");
        assert_eq!(feature_name(Some(&names), &[1]), "colour=red");
        assert_eq!(feature_name(Some(&names), &[1, 2]), "colour");
        assert_eq!(feature_name(Some(&names), &[0, 3]), "size+x");
        assert_eq!(feature_name(None, &[3]), "column_3");
        assert_eq!(feature_name(None, &[3, 5]), "column_3+column_5");
    }
}
