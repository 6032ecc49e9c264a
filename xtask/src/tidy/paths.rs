//! Reads the paths (`a::b::c`) out of masked Rust code, with `use a::{b, c::d}` taken apart.

use super::mask::is_word;

/// One path, such as `std::fs::File`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// The line of its first word, counted from 1; within braces, that of its last branch.
    pub(crate) line: usize,
    /// Its words.
    pub(crate) segments: Vec<String>,
    /// Whether it calls a macro: the path is followed by `!`.
    pub(crate) is_macro: bool,
}

impl Path {
    /// Whether it begins with these words.
    pub(crate) fn starts_with(&self, words: &[&str]) -> bool {
        self.segments.len() >= words.len()
            && self
                .segments
                .iter()
                .zip(words)
                .all(|(segment, word)| segment == word)
    }
}

/// All paths of masked code, single words among them, in order.
pub(crate) fn all(code: &str) -> Vec<Path> {
    let mut reader = Reader {
        tokens: tokens(code),
        at: 0,
        paths: Vec::new(),
    };
    while reader.at < reader.tokens.len() {
        if matches!(reader.tokens[reader.at].1, Token::Word(_)) {
            reader.path(&[]);
        } else {
            reader.at += 1;
        }
    }
    reader.paths
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Separator,
    Sign(char),
}

fn tokens(code: &str) -> Vec<(usize, Token)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = code.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' => line += 1,
            ':' if rest.next_if_eq(&':').is_some() => found.push((line, Token::Separator)),
            _ if is_word(character) => {
                let mut word = String::from(character);
                while let Some(next) = rest.next_if(|&next| is_word(next)) {
                    word.push(next);
                }
                found.push((line, Token::Word(word)));
            }
            _ if character.is_whitespace() => {}
            _ => found.push((line, Token::Sign(character))),
        }
    }
    found
}

struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
    paths: Vec<Path>,
}

impl Reader {
    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(_, token)| token)
    }

    /// Reads the path that starts here and remembers it, or each branch of it, behind the words of `prefix`.
    fn path(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let mut line = self.tokens[self.at].0;
        while let Some(Token::Word(word)) = self.token(0) {
            segments.push(word.clone());
            line = if prefix.is_empty() {
                line
            } else {
                self.tokens[self.at].0
            };
            self.at += 1;
            match (self.token(0), self.token(1)) {
                (Some(Token::Separator), Some(Token::Word(_))) => self.at += 1,
                (Some(Token::Separator), Some(Token::Sign('{'))) => {
                    self.at += 2;
                    return self.branches(&segments);
                }
                (Some(Token::Separator), Some(Token::Sign('*'))) => {
                    self.at += 2;
                    segments.push("*".into());
                    break;
                }
                _ => break,
            }
        }
        let is_macro =
            self.token(0) == Some(&Token::Sign('!')) && self.token(1) != Some(&Token::Sign('='));
        self.paths.push(Path {
            line,
            segments,
            is_macro,
        });
    }

    /// Reads `b, c::d}` behind the words of `prefix`.
    fn branches(&mut self, prefix: &[String]) {
        while let Some(token) = self.token(0) {
            match token {
                Token::Sign('}') => {
                    self.at += 1;
                    return;
                }
                Token::Word(word) if word == "as" => self.at += 2,
                Token::Word(_) => self.path(prefix),
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str) -> Vec<String> {
        all(code)
            .iter()
            .map(|path| {
                format!(
                    "{}:{}{}",
                    path.line,
                    path.segments.join("::"),
                    if path.is_macro { "!" } else { "" }
                )
            })
            .collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let code = "use crate::{data::Data,\n linalg::{self, svd::*}, error as e};\nx";
        assert_eq!(
            shown(code),
            [
                "1:use",
                "1:crate::data::Data",
                "2:crate::linalg::self",
                "2:crate::linalg::svd::*",
                "2:crate::error",
                "3:x"
            ]
        );
    }

    #[test]
    fn inline_paths_and_macros_are_found() {
        assert_eq!(
            shown("a::b(c::<d::E>())\n println!(f) != g"),
            ["1:a::b", "1:c", "1:d::E", "2:println!", "2:f", "2:g"]
        );
    }

    #[test]
    fn an_unequal_sign_is_no_macro() {
        assert_eq!(shown("a != b"), ["1:a", "1:b"]);
    }

    #[test]
    fn a_path_knows_its_beginning() {
        let path = &all("std::fs::read(x)")[0];
        assert!(
            path.starts_with(&["std", "fs"])
                && !path.starts_with(&["std", "io"])
                && !path.starts_with(&["fs"])
        );
    }
}
