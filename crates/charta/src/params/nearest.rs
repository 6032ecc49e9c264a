//! The name that was probably meant.

/// What other packages call a value, and its name here.
const SYNONYMS: [(&str, &str); 13] = [
    ("l1", "manhattan"),
    ("cityblock", "manhattan"),
    ("city_block", "manhattan"),
    ("l2", "euclidean"),
    ("gauss", "rbf"),
    ("gauss", "gaussian"),
    ("gaussian", "rbf"),
    ("poly", "polynomial"),
    ("standard", "z_score"),
    ("standardize", "z_score"),
    ("standard_scaler", "z_score"),
    ("normalize", "unit_norm"),
    ("l2_norm", "unit_norm"),
];

/// The candidate that other packages call `name`, or the closest one, if any is close enough to be a slip of the fingers: one wrong
/// letter in three, and one more if the first is right.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let alike = |a: &str, b: &str| a.replace('-', "_") == b;
    let synonym = SYNONYMS.iter().find_map(|&(other, ours)| {
        let is_named = alike(&name, other);
        let mut found = candidates.iter().copied();
        is_named.then(|| found.find(|candidate| alike(candidate, ours)))?
    });
    if synonym.is_some() {
        return synonym;
    }
    let allowed = |candidate: &str| {
        let same_start = candidate.chars().next() == name.chars().next();
        (name.chars().count() / 3).max(1) + usize::from(same_start)
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replace.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let names = ["pca", "isomap", "umap", "n_components"];
        assert_eq!(nearest("pac", names), Some("pca"));
        assert_eq!(nearest("isomp", names), Some("isomap"));
        assert_eq!(nearest("n_component", names), Some("n_components"));
        assert_eq!(nearest("random_forest", names), None);
        assert_eq!(nearest("foo", ["som", "tsne"]), None);
        assert_eq!(nearest("tcsh", ["bash", "zsh", "fish"]), None);
    }

    #[test]
    fn values_are_known_by_the_names_of_other_packages() {
        let metrics = ["euclidean", "manhattan", "inner_product"];
        assert_eq!(nearest("L2", metrics), Some("euclidean"));
        assert_eq!(nearest("cityblock", metrics), Some("manhattan"));
        assert_eq!(nearest("standard", ["z-score", "min-max"]), Some("z-score"));
        assert_eq!(nearest("gauss", ["linear", "rbf"]), Some("rbf"));
        assert_eq!(nearest("gauss", ["uniform", "gaussian"]), Some("gaussian"));
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
