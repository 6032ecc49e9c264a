//! The embedded font: widths of texts for the layout, outlines of glyphs for PNG.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve};

/// Height of capital letters and digits as a fraction of the font size.
pub(crate) const CAPITAL_HEIGHT: f64 = 0.727;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(include_bytes!("../assets/sans.otf"))
        .expect("the embedded font is valid, as a test checks")
});

/// Width of a text in pixels at a font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|letter| advance(glyph(letter)))
        .sum::<f64>()
        * size
}

/// The characters of texts that the embedded font lacks, each once, in their order: PNG pictures show a box in their place.
/// SVG and HTML use the fonts of the reader.
pub fn missing_characters<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<char> {
    let mut missing = Vec::new();
    for letter in texts.into_iter().flat_map(str::chars) {
        if glyph(letter) == GlyphId(0) && !missing.contains(&letter) {
            missing.push(letter);
        }
    }
    missing
}

/// The text itself if it fits into a width, else its beginning and an ellipsis.
pub(crate) fn shorten(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut room = limit - width("…", size);
    let kept = text.chars().take_while(|letter| {
        room -= advance(glyph(*letter)) * size;
        room >= 0.0
    });
    kept.collect::<String>().trim_end().to_owned() + "…"
}

/// Like [`shorten`], but the middle is left out: names that begin alike often differ at their ends.
pub(crate) fn shorten_middle(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let half = (limit - width("…", size)) / 2.0;
    let mut room = half;
    let fits = |letter: &char| {
        room -= advance(glyph(*letter)) * size;
        room >= 0.0
    };
    let end: String = text.chars().rev().take_while(fits).collect();
    let end: String = end.chars().rev().collect();
    shorten(text, size, limit - width(&end, size)) + &end
}

/// Names that fit into a width, shortened where they are alike: those too long keep what comes after their common
/// beginning, or before their common end.
pub(crate) fn shorten_alike(names: &[&str], size: f64, limit: f64) -> Vec<String> {
    let long: Vec<Vec<char>> = names
        .iter()
        .filter(|name| width(name, size) > limit)
        .map(|name| name.chars().collect())
        .collect();
    let [prefix, suffix] = common_ends(&long);
    let shortened = |name: &&str| {
        let letters = name.chars().count();
        if width(name, size) <= limit || letters <= prefix + suffix {
            return shorten_middle(name, size, limit);
        }
        let rest: String = name.chars().skip(prefix).collect();
        let own = name.chars().skip(prefix).take(letters - prefix - suffix);
        // The own part comes whole if it can, with an ellipsis on either side; the alike parts take the rest.
        let needed = width(&own.collect::<String>(), size) + width("……", size);
        let tail_room = needed.max(0.6 * limit).min(limit);
        let tail = if suffix > 0 {
            shorten(&rest, size, tail_room)
        } else {
            shorten_middle(&rest, size, tail_room - width("…", size))
        };
        if prefix == 0 {
            return shorten(&rest, size, limit);
        }
        let head: String = name.chars().take(prefix).collect();
        let room = limit - width(&tail, size);
        let head = if room < width("…", size) {
            String::new()
        } else {
            shorten(&(head + "…"), size, room)
        };
        head + &tail
    };
    match prefix + suffix {
        0 => names
            .iter()
            .map(|name| shorten_middle(name, size, limit))
            .collect(),
        _ => names.iter().map(shortened).collect(),
    }
}

/// How many letters all names have in common at their beginnings and, beyond these, at their ends.
fn common_ends(names: &[Vec<char>]) -> [usize; 2] {
    let [first, others @ ..] = names else {
        return [0; 2];
    };
    let alike = |one: &mut dyn Iterator<Item = &char>, other: &mut dyn Iterator<Item = &char>| {
        one.zip(other)
            .take_while(|(one, other)| one == other)
            .count()
    };
    let [mut prefix, mut suffix] = [if others.is_empty() { 0 } else { first.len() }; 2];
    for other in others {
        prefix = prefix.min(alike(&mut first.iter(), &mut other.iter()));
    }
    for other in others {
        let most = first.len().min(other.len()) - prefix;
        let same = alike(&mut first.iter().rev(), &mut other.iter().rev());
        suffix = suffix.min(same).min(most);
    }
    [prefix, suffix]
}

/// Calls `draw` with the pieces of every letter's outline, at font size 1 with the text's baseline starting at the origin
/// and y pointing down. A letter that the font lacks becomes its box for missing letters.
pub(crate) fn outlines(text: &str, mut draw: impl FnMut(&[OutlineCurve], f64)) {
    let mut offset = 0.0;
    for letter in text.chars() {
        let id = glyph(letter);
        if let Some(outline) = FONT.outline(id) {
            draw(&outline.curves, offset);
        }
        offset += advance(id);
    }
}

/// Font units in one font size.
pub(crate) fn units() -> f64 {
    FONT.units_per_em().map_or(1000.0, f64::from)
}

fn glyph(letter: char) -> GlyphId {
    // Line breaks and tabs in names would show as boxes.
    FONT.glyph_id(if letter.is_whitespace() { ' ' } else { letter })
}

fn advance(id: GlyphId) -> f64 {
    f64::from(FONT.h_advance_unscaled(id)) / units()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_holds_every_sign_that_ticks_and_notes_use() {
        for letter in "0123456789−×⁰¹²³⁴⁵⁶⁷⁸⁹⁻.,…%()λΩжßÉœ–".chars()
        {
            assert_ne!(FONT.glyph_id(letter), GlyphId(0), "{letter}");
        }
        assert!(
            (FONT
                .outline(FONT.glyph_id('H'))
                .unwrap()
                .bounds
                .height()
                .abs() as f64
                / units()
                - CAPITAL_HEIGHT)
                .abs()
                < 0.01
        );
    }

    #[test]
    fn missing_letters_and_line_breaks_have_a_width_and_do_not_crash() {
        assert!(width("名\u{1F600}\n\u{0}", 20.0) > 10.0);
        outlines("名\u{1F600}\n\u{0}", |_, _| {});
    }

    #[test]
    fn characters_that_the_font_lacks_are_listed_once() {
        assert!(missing_characters(["Zürich", "naïve\tλ"]).is_empty());
        assert_eq!(missing_characters(["東京", "京都 a"]), ['東', '京', '都']);
    }

    #[test]
    fn long_texts_are_shortened_to_the_limit() {
        let text = "a name that is far too long for the column";
        let short = shorten(text, 20.0, 200.0);
        assert!(
            short.ends_with('…') && width(&short, 20.0) <= 200.0 && width(&short, 20.0) > 150.0
        );
        let middle = shorten_middle(text, 20.0, 200.0);
        assert!(
            middle.starts_with("a na")
                && middle.ends_with("column")
                && width(&middle, 20.0) <= 200.0,
            "{middle}"
        );
        assert_eq!(shorten("brief", 20.0, 200.0), "brief");
        assert_eq!(shorten("anything", 20.0, 1.0), "…");
    }

    #[test]
    fn names_that_are_alike_are_shortened_where_they_are() {
        let check = |names: &[&str], different: &[&str]| {
            let short = shorten_alike(names, 17.0, 180.0);
            for (short, different) in short.iter().zip(different) {
                assert!(
                    short.contains(different) && width(short, 17.0) <= 180.0,
                    "{short}"
                );
                assert!(short.contains('…'), "{short}");
            }
        };
        let before = "patients of the long study in ";
        check(
            &[
                &format!("{before}Bern in spring"),
                &format!("{before}Oslo in autumn"),
            ],
            &["Bern", "Oslo"],
        );
        let behind = " and a very long remark that all have";
        check(
            &[&format!("red{behind}"), &format!("blue{behind}")],
            &["red…", "blue…"].map(|name| &name[..3]),
        );
        check(
            &[
                &format!("{before}Bern{behind}"),
                &format!("{before}Oslo{behind}"),
            ],
            &["Bern", "Oslo"],
        );
        let same = [before.repeat(3), before.repeat(3)];
        assert_eq!(
            shorten_alike(&[&same[0], "b"], 17.0, 180.0)[1],
            "b".to_owned()
        );
        let both = shorten_alike(&[&same[0], &same[1]], 17.0, 180.0);
        assert!(both.iter().all(|name| width(name, 17.0) <= 180.0));
    }
}
