//! The order in which classes are shown: numbers within names count as numbers, so that `class 2` comes before `class 10`. Fits
//! keep the order of the data, on which ties and rounding depend.

use std::borrow::Cow;
use std::cmp::Ordering;

use charta::Labels;

/// Compares names piece by piece: runs of digits as numbers, everything else as text.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (piece_a, piece_b) = (first_piece(rest_a), first_piece(rest_b));
        if piece_a.is_empty() || piece_b.is_empty() {
            // Names that differ only in leading zeros keep the order of texts.
            return piece_a.len().cmp(&piece_b.len()).then(a.cmp(b));
        }
        let order = match (is_digits(piece_a), is_digits(piece_b)) {
            (true, true) => of_digits(piece_a, piece_b),
            _ => piece_a.cmp(piece_b),
        };
        if order != Ordering::Equal {
            return order;
        }
        rest_a = &rest_a[piece_a.len()..];
        rest_b = &rest_b[piece_b.len()..];
    }
}

/// The same classes with names in natural order.
pub(crate) fn sorted(labels: Labels<'static>) -> Labels<'static> {
    let Labels::Classes { names, of_row } = labels else {
        return labels;
    };
    let order = order(&names);
    let mut place_of = vec![0; order.len()];
    for (place, &class) in (0_u32..).zip(&order) {
        place_of[class] = place;
    }
    Labels::Classes {
        names: Cow::Owned(order.iter().map(|&class| names[class].clone()).collect()),
        of_row: Cow::Owned(
            of_row
                .iter()
                .map(|class| class.map(|class| place_of[class as usize]))
                .collect(),
        ),
    }
}

/// The classes in natural order of their names; names that are all whole numbers in the order of these.
pub(crate) fn order(names: &[String]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    let numbers: Result<Vec<i64>, _> = names.iter().map(|name| name.parse()).collect();
    match numbers {
        Ok(numbers) => order.sort_by_key(|&class| numbers[class]),
        Err(_) => order.sort_by(|&a, &b| compare(&names[a], &names[b])),
    }
    order
}

/// The run of digits, or of everything else, that a text begins with.
fn first_piece(text: &str) -> &str {
    let digits = text.starts_with(|letter: char| letter.is_ascii_digit());
    let end = text.find(|letter: char| letter.is_ascii_digit() != digits);
    &text[..end.unwrap_or(text.len())]
}

fn is_digits(piece: &str) -> bool {
    piece.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Compares whole numbers of any length.
fn of_digits(a: &str, b: &str) -> Ordering {
    let [a, b] = [a, b].map(|digits| digits.trim_start_matches('0'));
    a.len().cmp(&b.len()).then(a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_names_are_compared_as_numbers() {
        let ordered = [
            "2 a", "10", "a", "a1b2", "a1b10", "a02", "a2", "a10", "b", "ä1",
        ];
        for (place, name) in ordered.iter().enumerate() {
            for other in &ordered[place + 1..] {
                assert_eq!(compare(name, other), Ordering::Less, "{name} {other}");
                assert_eq!(compare(other, name), Ordering::Greater, "{other} {name}");
            }
            assert_eq!(compare(name, name), Ordering::Equal);
        }
    }

    #[test]
    fn rows_keep_their_classes() {
        let words = ["c10", "", "c2", "c1", "c10"];
        let sorted = sorted(Labels::from_words(&words));
        for (row, word) in words.iter().enumerate() {
            assert_eq!(sorted.text(row), *word);
        }
        let Labels::Classes { names, .. } = sorted else {
            panic!("classes expected");
        };
        assert_eq!(*names, ["c1", "c2", "c10"]);
    }

    #[test]
    fn whole_numbers_stay_as_they_are() {
        let labels = Labels::from_words(&["-3", "-20", "5"]);
        assert_eq!(sorted(labels.clone()), labels);
    }
}
