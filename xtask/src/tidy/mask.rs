//! Blanks the parts of Rust source that a rule must not read: comments, the insides of literals, test sections.
//!
//! Every blanked character becomes a space and every line break stays, so that positions and line numbers hold.

/// A literal string of the source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The line it starts on, counted from 1.
    pub(crate) line: usize,
    /// What stands between the quotes, escapes as written.
    pub(crate) text: String,
}

/// The source without comments and without the insides of string and character literals.
pub(crate) fn code(source: &str) -> String {
    Scanner::new(source).run().0
}

/// All string literals outside comments.
pub(crate) fn literals(source: &str) -> Vec<Literal> {
    Scanner::new(source).run().1
}

/// Python source without comments and strings, and its strings of one line: documentation, in three quotes, is left out.
pub(crate) fn python(source: &str) -> (String, Vec<Literal>) {
    let characters: Vec<char> = source.chars().collect();
    let (mut code, mut literals) = (String::new(), Vec::new());
    let (mut at, mut line) = (0, 1);
    while let Some(&character) = characters.get(at) {
        let start = at;
        match character {
            '#' => {
                while characters.get(at).is_some_and(|&next| next != '\n') {
                    at += 1;
                }
            }
            '"' | '\'' => {
                let is_long = characters[at..].starts_with(&[character; 3]);
                let quotes = if is_long { 3 } else { 1 };
                at += quotes;
                while at < characters.len()
                    && !characters[at..].starts_with(&vec![character; quotes])
                {
                    at += if characters[at] == '\\' { 2 } else { 1 };
                }
                at = (at + quotes).min(characters.len());
                if !is_long {
                    let text = characters[start + 1..at].iter().collect();
                    literals.push(Literal { line, text });
                }
            }
            _ => {
                code.push(character);
                line += usize::from(character == '\n');
                at += 1;
                continue;
            }
        }
        let breaks = characters[start..at].iter().filter(|&&c| c == '\n').count();
        code.push(' ');
        code.extend(std::iter::repeat_n('\n', breaks));
        line += breaks;
    }
    (code, literals)
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    line: usize,
    code: String,
    literals: Vec<Literal>,
}

impl Scanner {
    fn new(source: &str) -> Self {
        Self {
            characters: source.chars().collect(),
            at: 0,
            line: 1,
            code: String::new(),
            literals: Vec::new(),
        }
    }

    fn run(mut self) -> (String, Vec<Literal>) {
        while let Some(character) = self.peek(0) {
            match (character, self.peek(1)) {
                ('/', Some('/')) => self.line_comment(),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(0, true),
                ('\'', _) => self.quote(),
                _ if is_word(character) => self.word(),
                _ => self.keep(),
            }
        }
        (self.code, self.literals)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        if let Some(character) = self.peek(0) {
            self.line += usize::from(character == '\n');
            self.code.push(character);
            self.at += 1;
        }
    }

    fn blank(&mut self) {
        if let Some(character) = self.peek(0) {
            self.line += usize::from(character == '\n');
            self.code.push(if character == '\n' { '\n' } else { ' ' });
            self.at += 1;
        }
    }

    fn blank_many(&mut self, count: usize) {
        (0..count).for_each(|_| self.blank());
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|character| character != '\n') {
            self.blank();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.blank();
                    continue;
                }
            }
            self.blank_many(2);
            if depth == 0 {
                return;
            }
        }
    }

    /// A word, which may turn out to be the prefix of a raw string: `r"`, `br#"`, `cr#"`.
    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.keep();
        }
        let word: String = self.characters[start..self.at].iter().collect();
        if matches!(word.as_str(), "r" | "br" | "cr") {
            let hashes = self.characters[self.at..]
                .iter()
                .take_while(|&&character| character == '#')
                .count();
            if self.peek(hashes) == Some('"') {
                self.blank_many(hashes);
                self.string(hashes, false);
            }
        }
    }

    /// A string from its opening quote on; `hashes` close it after the quote, `escapes` says whether a backslash hides one.
    fn string(&mut self, hashes: usize, escapes: bool) {
        let line = self.line;
        self.keep();
        let start = self.at;
        while let Some(character) = self.peek(0) {
            let closes =
                character == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            if closes {
                break;
            }
            self.blank_many(if escapes && character == '\\' { 2 } else { 1 });
        }
        let text = self.characters[start..self.at].iter().collect();
        self.literals.push(Literal { line, text });
        self.keep();
        self.blank_many(hashes);
    }

    /// A character literal, or a lifetime, which is kept.
    fn quote(&mut self) {
        let escaped = self.peek(1) == Some('\\');
        if !escaped && self.peek(2) != Some('\'') {
            return self.keep();
        }
        self.blank_many(if escaped { 3 } else { 2 });
        while self.peek(0).is_some_and(|character| character != '\'') {
            self.blank();
        }
        self.blank();
    }
}

/// Whether the character can be part of an identifier.
pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Masked code without the items under `#[cfg(test)]`.
pub(crate) fn without_tests(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for mark in ["#[cfg(test)]", "#[cfg(all(test"] {
        let mut from = 0;
        while let Some(found) = code[from..].find(mark) {
            let start = from + found;
            let end = item_end(code, start + mark.len());
            bytes[start..end]
                .iter_mut()
                .filter(|byte| **byte != b'\n')
                .for_each(|byte| *byte = b' ');
            from = end;
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where the item that starts at `from` ends: after its closing brace, or after its semicolon.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0;
    for (offset, character) in code[from..].char_indices() {
        let after = from + offset + character.len_utf8();
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return after,
            '}' => depth -= 1,
            ';' if depth == 0 => return after,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_vanish_and_lines_stay() {
        let source = "a // b\nc /* d /* e */ f\n */ g";
        let kept = code(source);
        assert_eq!(kept.len(), source.len());
        assert_eq!(
            kept.lines().map(str::trim).collect::<Vec<_>>(),
            ["a", "c", "g"]
        );
    }

    #[test]
    fn the_insides_of_literals_vanish() {
        assert_eq!(
            code(r#"f("a // \" b", 'x', '\'', '"')"#),
            r#"f("         ",    ,     ,    )"#
        );
        assert_eq!(
            code("r#\"a \" b\"#; r\"\\\"; r#type"),
            "r \"     \" ; r\" \"; r#type"
        );
    }

    #[test]
    fn lifetimes_are_no_literals() {
        assert_eq!(
            code("fn f<'a>(x: &'a str) // '"),
            "fn f<'a>(x: &'a str)     "
        );
    }

    #[test]
    fn literals_are_found_with_their_lines() {
        let found = literals("// \"no\"\nf(\"yes\", r#\"raw\"#)\n\"two\nlines\"\n\"last\"");
        let found: Vec<_> = found
            .iter()
            .map(|literal| (literal.line, literal.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [(2, "yes"), (2, "raw"), (3, "two\nlines"), (5, "last")]
        );
    }

    #[test]
    fn python_strings_and_comments_are_told_from_code() {
        let source = "\"\"\"Doc\n'x'\"\"\"\na = 'b' # c\nd = \"e\\\"f\"\n";
        let (code, literals) = python(source);
        assert_eq!(code.lines().count(), source.lines().count());
        assert_eq!(code.split_whitespace().collect::<String>(), "a=d=");
        let found: Vec<_> = literals
            .iter()
            .map(|literal| (literal.line, literal.text.trim_end_matches(['"', '\''])))
            .collect();
        assert_eq!(found, [(3, "b"), (4, "e\\\"f")]);
    }

    #[test]
    fn test_sections_vanish_and_what_follows_stays() {
        let source =
            "a();\n#[cfg(test)]\nmod tests { fn b() { c(); } }\nd();\n#[cfg(test)]\nuse e;\nf();";
        let kept = without_tests(source);
        assert_eq!(kept.lines().count(), source.lines().count());
        assert_eq!(
            kept.split_whitespace().collect::<Vec<_>>(),
            ["a();", "d();", "f();"]
        );
    }
}
