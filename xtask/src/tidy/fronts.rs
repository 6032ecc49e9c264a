//! No front names a method: commands, classes and forms follow from the registry, or the next method would be missing there.

use super::mask::{self, is_word};
use super::tree::{File, Problem, Tree};
use super::{methods, paths};

/// The source folders of the fronts.
const FRONTS: &[&str] = &[
    "crates/charta-cli/src/",
    "crates/charta-python/src/",
    "crates/charta-explorer/src/",
    "python/charta/",
];

/// The one file that names methods: what other packages call them.
const NAMES: &str = "python/charta/_names.py";

/// Modules of what single classes share with other packages, besides names.
const PEERS: &[&str] = &["python/charta/_peers/", "crates/charta-python/src/peers.rs"];

/// Decks of lectures: what they hold are commands and code for the reader.
fn is_deck(path: &str) -> bool {
    let number = path
        .strip_prefix("crates/charta-cli/src/lecture/deck")
        .and_then(|rest| rest.strip_suffix(".rs"));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit())
    })
}

/// Reports identifiers and string literals that name a method. `charta pca` in a literal is an example and allowed.
pub(crate) fn name_no_method(tree: &Tree) -> Vec<Problem> {
    let names: Vec<String> = methods::defined(tree)
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect();
    let classes = tree.file(NAMES).map(classes).unwrap_or_default();
    let python_names: Vec<String> = names.iter().cloned().chain(classes).collect();
    let files = tree
        .files()
        .iter()
        .filter(|file| FRONTS.iter().any(|front| file.path.starts_with(front)))
        .filter(|file| !is_deck(&file.path))
        .filter(|file| !PEERS.iter().any(|place| file.path.starts_with(place)));
    files
        .flat_map(|file| match file.path.rsplit('.').next() {
            Some("rs") => {
                let mut found = identifiers(file, &names);
                found.extend(in_literals(file, &names));
                found
            }
            Some("py") if file.path != NAMES => in_python(file, &python_names),
            _ => Vec::new(),
        })
        .collect()
}

/// Names of classes and functions in the table of names: the keys of its tables from `CLASSES` on, and the aliases.
fn classes(file: &File) -> Vec<String> {
    let tables = file
        .text
        .split_once("\nCLASSES = {")
        .map_or("", |(_, tables)| tables);
    let mut names = Vec::new();
    for line in tables.lines() {
        let quoted = || line.split('"').skip(1).step_by(2);
        if line.starts_with("    \"") {
            names.extend(quoted().next().map(str::to_owned));
        }
        if line.trim_start().starts_with("\"aliases\"") {
            names.extend(quoted().skip(1).map(str::to_owned));
        }
    }
    names
}

/// Names of methods and classes in Python code and in strings of one line. Documentation and comments may have examples.
fn in_python(file: &File, names: &[String]) -> Vec<Problem> {
    let (code, literals) = mask::python(&file.text);
    let mut problems = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let named = names.iter().find(|name| names_it(line, name));
        problems.extend(named.map(|name| problem(file, at + 1, name)));
    }
    for literal in literals {
        let named = names.iter().find(|name| names_it(&literal.text, name));
        problems.extend(named.map(|name| problem(file, literal.line, name)));
    }
    problems
}

fn identifiers(file: &File, names: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for path in paths::all(&file.code_outside_tests()) {
        let named = path.segments.iter().find_map(|word| {
            names
                .iter()
                .find(|name| *word == **name || *word == type_name(name))
        });
        problems.extend(named.map(|name| problem(file, path.line, name)));
    }
    problems
}

fn in_literals(file: &File, names: &[String]) -> Vec<Problem> {
    let outside_tests = file.code_outside_tests();
    let mut problems = Vec::new();
    for literal in mask::literals(&file.text) {
        let is_in_tests = !outside_tests
            .lines()
            .nth(literal.line - 1)
            .is_some_and(|line| line.contains('"'));
        let named = names
            .iter()
            .find(|name| !is_in_tests && names_it(&literal.text, name));
        problems.extend(named.map(|name| problem(file, literal.line, name)));
    }
    problems
}

fn problem(file: &File, line: usize, name: &str) -> Problem {
    file.problem(
        line,
        format!("a front names the method `{name}`: take it from the registry"),
    )
}

/// Whether the text holds the name as a whole word that is not part of an example command.
fn names_it(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word) && !before.ends_with("charta ")
    })
}

/// The struct's name that goes with a method's name: `truncated_svd` is `TruncatedSvd`.
fn type_name(name: &str) -> String {
    let capital = |word: &str| {
        word.chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .chain(word.chars().skip(1))
            .collect::<String>()
    };
    name.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    fn problems(text: &str) -> Vec<String> {
        let methods = [
            ("crates/charta/src/methods/pca.rs", ""),
            ("crates/charta/src/methods/truncated_svd.rs", ""),
        ];
        shown(&name_no_method(&Tree::of(&[
            methods[0],
            methods[1],
            ("crates/charta-cli/src/main.rs", text),
        ])))
    }

    #[test]
    fn names_in_code_and_in_literals_are_reported() {
        for bad in [
            "if method == \"pca\" {}",
            "use charta::methods::pca;",
            "let m = charta::TruncatedSvd::default();",
            "fn pca() {}",
            "f(\"choose truncated_svd here\")",
        ] {
            assert_eq!(problems(&format!("\n{bad}")).len(), 1, "{bad}");
        }
        let found = problems("\n\"pca\"");
        assert_eq!(
            found,
            [
                "crates/charta-cli/src/main.rs:2: a front names the method `pca`: take it from the registry"
            ]
        );
    }

    #[test]
    fn decks_hold_commands_but_their_engine_does_not() {
        let found = |path: &str| {
            let files = [
                ("crates/charta/src/methods/pca.rs", ""),
                (path, "\nlet command = \"pca iris\";"),
            ];
            shown(&name_no_method(&Tree::of(&files))).len()
        };
        assert_eq!(found("crates/charta-cli/src/lecture/deck1.rs"), 0);
        assert_eq!(found("crates/charta-cli/src/lecture/deck.rs"), 1);
        assert_eq!(found("crates/charta-cli/src/lecture/rebuild.rs"), 1);
    }

    fn python_problems(text: &str) -> Vec<String> {
        let names = "PARAMETERS = {\n    \"tol\": \"tolerance\",\n}\n\nCLASSES = {\n    \"TruncatedSVD\": {\n        \"method\": \"truncated_svd\",\n        \"aliases\": [\"LSA\"],\n    },\n}\n";
        shown(&name_no_method(&Tree::of(&[
            ("crates/charta/src/methods/pca.rs", ""),
            ("crates/charta/src/methods/truncated_svd.rs", ""),
            (NAMES, names),
            ("python/charta/_estimator.py", text),
        ])))
    }

    #[test]
    fn names_in_python_are_reported() {
        for bad in [
            "if method == \"pca\":",
            "x = CLASSES['TruncatedSVD']",
            "def pca(): pass",
            "made = TruncatedSVD()",
            "alias = \"LSA\"",
        ] {
            let found = python_problems(&format!("\n{bad}\n"));
            assert_eq!(found.len(), 1, "{bad}: {found:?}");
            assert!(found[0].starts_with("python/charta/_estimator.py:2: a front names"));
        }
    }

    #[test]
    fn examples_comments_and_parameters_in_python_are_fine() {
        assert!(python_problems("\"\"\"Like\n>>> charta.TruncatedSVD(2)\n\"\"\"\n").is_empty());
        assert!(python_problems("x = 1  # as pca does\nslot = \"X_pca\"\n").is_empty());
        assert!(python_problems("tol = \"it's fine\" + 'a \\' b'\n").is_empty());
    }

    #[test]
    fn comments_tests_examples_and_longer_words_are_fine() {
        assert!(problems("//! charta pca x\n/// like pca\nlet pcap = \"capca pca_x\";").is_empty());
        assert!(problems("const HELP: &str = \"Example: charta pca data.csv\";").is_empty());
        assert!(problems("#[cfg(test)]\nmod tests {\n fn f() { g(\"pca\"); }\n}").is_empty());
    }
}
