//! Names that the user may have meant.

/// Up to `limit` of the candidates that resemble `name`, the nearest first.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    // A third of the letters may be wrong: `iirs` finds `iris`, `x` does not find `y`.
    let tolerance = wanted.chars().count().div_ceil(3);
    let mut scored: Vec<(usize, &str)> = candidates
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            distance <= tolerance && distance < candidate.chars().count()
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored
        .into_iter()
        .take(limit)
        .map(|(_, name)| name)
        .collect()
}

/// How many letters to add, remove, change or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first_and_far_ones_not_at_all() {
        let names = ["iris", "digits", "irish.csv", "wine"];
        assert_eq!(nearest("iirs", names.iter().copied(), 3), ["iris"]);
        assert_eq!(nearest("digit", names.iter().copied(), 3), ["digits"]);
        assert!(nearest("x", names.iter().copied(), 3).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }
}
