//! Cells to numbers, fast for the short ones that fill most files.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// The number that a cell holds, spaces around it aside; `None` if it is none.
pub(crate) fn number(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    let cell = cell.trim_ascii();
    let mark = if decimal_comma { b',' } else { b'.' };
    short_decimal(cell, mark).or_else(|| any_number(cell, decimal_comma))
}

/// Up to 15 digits with at most one decimal mark. Both the digits and the power of ten are exact, so
/// the one division rounds correctly.
fn short_decimal(cell: &[u8], mark: u8) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut whole: u64 = 0;
    let mut n_digits = 0;
    let mut decimals = None;
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                whole = whole * 10 + u64::from(byte - b'0');
                n_digits += 1;
                decimals = decimals.map(|count: usize| count + 1);
            }
            _ if byte == mark && decimals.is_none() => decimals = Some(0),
            _ => return None,
        }
    }
    if n_digits == 0 || n_digits > 15 {
        return None;
    }
    let value = whole as f64 / POWERS[decimals.unwrap_or(0)];
    Some(if negative { -value } else { value })
}

fn any_number(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    if !decimal_comma {
        return text.parse().ok();
    }
    if text.contains('.') {
        return None;
    }
    text.replace(',', ".").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_as_the_standard_parser_makes_them() {
        let texts = [
            "0",
            "-0",
            "12",
            "3.14",
            ".5",
            "5.",
            "-17.25",
            "0.1",
            "123456789.012345",
            "1e5",
            "+3",
            "-1E-7",
            "99999999999999.9",
            "1234567890123456789",
            "0.30000000000000004",
            "inf",
            "-inf",
        ];
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            let found = number(format!(" {text}\t").as_bytes(), false).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
        assert!(number(b"NaN", false).unwrap().is_nan());
    }

    #[test]
    fn words_and_half_numbers_are_none() {
        for text in ["", "-", ".", "abc", "1,5", "1.2.3", "12a", "1 2", "0x10"] {
            assert_eq!(number(text.as_bytes(), false), None, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_replaces_the_point() {
        assert_eq!(number(b"-1,5", true), Some(-1.5));
        assert_eq!(number(b"1,5e3", true), Some(1500.0));
        assert_eq!(number(b"1.5", true), None);
        assert_eq!(number(b"1,5,2", true), None);
    }
}
