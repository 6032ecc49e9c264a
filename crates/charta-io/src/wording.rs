//! How messages put names and counts.

/// Letters of a name that a message shows.
const SHOWN: usize = 40;

/// A name from a file in quotes, shortened, with everything escaped that a terminal might obey.
pub(crate) fn quoted(name: &str) -> String {
    format!("{:?}", shortened(name))
}

/// The same without the quotes.
pub(crate) fn plain(name: &str) -> String {
    shortened(name).escape_debug().to_string()
}

/// The first letters of a text.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// True if a name can stand in a command line as it is.
pub(crate) fn can_be_typed(name: &str) -> bool {
    let hinders = |letter: char| letter.is_control() || "'\"\\,*?!".contains(letter);
    !name.is_empty() && name.chars().count() <= SHOWN && !name.contains(hinders)
}

/// `1 row`, `2 rows`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_escaped_and_counts_agree_with_their_noun() {
        assert_eq!(quoted("a\u{1b}[31m"), "\"a\\u{1b}[31m\"");
        assert_eq!(quoted(&"é".repeat(41)), format!("\"{}…\"", "é".repeat(40)));
        assert_eq!(plain("x\ny"), "x\\ny");
        assert_eq!(
            (count(1, "row"), count(2, "row")),
            ("1 row".into(), "2 rows".into())
        );
        assert!(can_be_typed("sepal length (cm)"));
        assert!(!can_be_typed("it's") && !can_be_typed("a\u{7}") && !can_be_typed(""));
    }
}
