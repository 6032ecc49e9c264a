//! Lists of names between commas, where a name may hold commas itself.

/// The places of the names in a list, each the longest that `find` knows; or the part that it does not know.
pub(crate) fn places(
    list: &str,
    find: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<usize>, String> {
    let words: Vec<&str> = list.split(',').collect();
    let mut places = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let longest = (start + 1..=words.len()).rev().find_map(|end| {
            let name = words[start..end].join(",");
            Some((end, find(name.trim())?))
        });
        let Some((end, place)) = longest else {
            return Err(words[start].trim().to_owned());
        };
        places.push(place);
        start = end;
    }
    Ok(places)
}

/// A row or column by its name, or by its number counted from 0.
pub(crate) fn place(names: Option<&[String]>, count: usize, word: &str) -> Option<usize> {
    let named = names.and_then(|names| names.iter().position(|name| name == word));
    named.or_else(|| word.parse().ok().filter(|number| *number < count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_commas_and_numbers_count_from_0() {
        let names: Vec<String> = ["a", "b, c", "2"].map(String::from).to_vec();
        let find = |word: &str| place(Some(&names), 3, word);
        assert_eq!(places("a,b, c", find), Ok(vec![0, 1]));
        assert_eq!(places("b, c, 0", find), Ok(vec![1, 0]));
        // A name goes before a number.
        assert_eq!(places("2,1", find), Ok(vec![2, 1]));
        assert_eq!(places("a,d", find), Err("d".into()));
        assert_eq!(places("a,", find), Err(String::new()));
        assert_eq!(place(None, 3, "3"), None);
    }
}
