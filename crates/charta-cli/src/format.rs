//! Numbers, tables and paragraphs as people read them.

/// Names shown of a list.
const MOST_NAMES: usize = 8;

/// A count with thousands apart: `1,797`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 row`, `5 rows`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(number))
}

/// A number with four significant digits.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..7.0).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let decimals = (3.0 - magnitude).max(0.0) as usize;
    format!("{value:.decimals$}")
}

/// A fraction as a percentage.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.1} %", 100.0 * share);
    match text.strip_prefix('-') {
        // What is rounded to nothing has no sign.
        Some("0.0 %") => "0.0 %".into(),
        _ => text,
    }
}

/// A time in seconds, with as many digits as matter.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        _ if value < 0.095 => format!("{value:.2} s"),
        _ if value < 99.5 => format!("{value:.1} s"),
        _ => format!(
            "{:.0} min {:02.0} s",
            (value / 60.0).floor(),
            (value % 60.0).floor()
        ),
    }
}

/// The first names of a list.
pub(crate) fn in_short(names: &[String]) -> String {
    let mut shown = names[..names.len().min(MOST_NAMES)].join(", ");
    if names.len() > MOST_NAMES {
        shown.push_str(", …");
    }
    shown
}

/// How a column of a table is set.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The heading of a table of components.
pub(crate) fn component_heading() -> Vec<String> {
    ["component", "variance", "proportion", "cumulative"]
        .map(String::from)
        .to_vec()
}

/// Rows of cells as lines with aligned columns, each line indented by `indent` spaces.
pub(crate) fn table(indent: usize, sides: &[Side], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..sides.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = " ".repeat(indent);
        for (column, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let before = if column == 0 { "" } else { "  " };
            match sides[column] {
                Side::Left => line.extend([before, cell, &gap]),
                Side::Right => line.extend([before, &gap, cell]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Text broken into lines of at most `width` characters, all but the first indented.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            used = 0;
        } else if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_plain() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(123), "123");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(number(179.006_93), "179.0");
        assert_eq!(number(0.012_344), "0.01234");
        assert_eq!(number(1.5e-9), "1.500e-9");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-0.0), "0");
        assert_eq!(percent(-1e-17), "0.0 %");
        assert_eq!(percent(-0.1), "-10.0 %");
        assert_eq!(seconds(0.0123), "0.01 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
    }

    #[test]
    fn tables_align_and_paragraphs_wrap() {
        let rows = [
            vec!["a".into(), "10".into()],
            vec!["bcd".into(), "5".into()],
        ];
        assert_eq!(
            table(1, &[Side::Left, Side::Right], &rows),
            " a    10\n bcd   5\n"
        );
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
    }
}
