//! What the library must not do: input and output, global state, naming the linear-algebra crate outside `linalg/`.

use super::layers::LIBRARY;
use super::paths::{self, Path};
use super::tree::{File, Problem, Tree};

/// Beginnings of paths that reach the outside world.
const OUTSIDE: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "net"],
    &["std", "env"],
    &["std", "process"],
    &["std", "os"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
];

/// Words that read the clock or print, however they were imported.
const CLOCKS: &[&str] = &["Instant", "SystemTime"];
const PRINTING: &[&str] = &["println", "eprintln", "print", "eprint"];

/// Types that make a `static` changeable.
const CHANGEABLE: &[&str] = &[
    "OnceLock",
    "OnceCell",
    "LazyLock",
    "LazyCell",
    "Lazy",
    "Mutex",
    "RwLock",
    "RefCell",
    "Cell",
    "UnsafeCell",
];

/// Reports files, printing, clock, environment, network and processes in the library.
pub(crate) fn no_input_or_output(tree: &Tree) -> Vec<Problem> {
    each_path(tree, |file, path| {
        let what = outside(path)?;
        Some(file.problem(
            path.line,
            format!(
                "{what} does not belong in the library: hand data in, or report to the observer of `Run`"
            ),
        ))
    })
}

fn outside(path: &Path) -> Option<String> {
    let word = path
        .segments
        .iter()
        .find(|segment| CLOCKS.contains(&segment.as_str()));
    let reaches = OUTSIDE.iter().any(|start| path.starts_with(start));
    let prints = path.is_macro
        && path
            .segments
            .last()
            .is_some_and(|name| PRINTING.contains(&name.as_str()));
    match word {
        Some(clock) => Some(format!("the clock `{clock}`")),
        None if reaches || prints => Some(format!(
            "`{}{}`",
            path.segments.join("::"),
            if prints { "!" } else { "" }
        )),
        None => None,
    }
}

/// Reports `faer` anywhere in the library but in `linalg/`.
pub(crate) fn only_linalg_names_faer(tree: &Tree) -> Vec<Problem> {
    let home = format!("{LIBRARY}linalg");
    let named = |file: &File, path: &Path| {
        let foreign = path.segments.first().is_some_and(|first| first == "faer")
            && !file.path.starts_with(&home);
        foreign.then(|| {
            file.problem(
                path.line,
                "`faer` is named outside linalg/: give linalg/ a function that speaks ndarray",
            )
        })
    };
    each_path(tree, named)
}

fn each_path(tree: &Tree, examine: impl Fn(&File, &Path) -> Option<Problem>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust_in(LIBRARY) {
        let found = paths::all(&file.code_outside_tests());
        problems.extend(found.iter().filter_map(|path| examine(file, path)));
    }
    problems
}

/// Reports statics that can change, and storage per thread. Constant tables are allowed.
pub(crate) fn no_global_state(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust_in(LIBRARY) {
        let code = file.code_outside_tests();
        let hidden = |path: &&Path| {
            path.is_macro
                && path
                    .segments
                    .last()
                    .is_some_and(|name| name == "thread_local" || name == "lazy_static")
        };
        let paths = paths::all(&code);
        problems.extend(
            paths
                .iter()
                .filter(hidden)
                .map(|path| state(file, path.line)),
        );
        problems.extend(changeable_statics(&code).map(|line| state(file, line)));
    }
    problems
}

fn state(file: &File, line: usize) -> Problem {
    file.problem(
        line,
        "global state: keep it in `Run`, in the model or in a parameter",
    )
}

/// The lines of `static` items that are `mut` or of a type that changes behind a shared reference.
fn changeable_statics(code: &str) -> impl Iterator<Item = usize> + '_ {
    code.match_indices("static ").filter_map(|(at, _)| {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|character| character == '\'' || super::mask::is_word(character)) {
            return None;
        }
        let declared = code[at..].split(['=', ';', '{']).next().unwrap_or_default();
        let words: Vec<&str> = declared
            .split(|character| !super::mask::is_word(character))
            .collect();
        let changes = words
            .iter()
            .any(|word| *word == "mut" || CHANGEABLE.contains(word) || word.starts_with("Atomic"));
        changes.then(|| code[..at].matches('\n').count() + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    fn tree(path: &str, text: &str) -> Tree {
        Tree::of(&[(path, text)])
    }

    fn count(rule: fn(&Tree) -> Vec<Problem>, text: &str) -> usize {
        rule(&tree("crates/charta/src/data/mod.rs", text)).len()
    }

    #[test]
    fn input_and_output_are_reported() {
        for bad in [
            "use std::fs::File;",
            "use std::{fs, io};",
            "fn f() { std::env::var(\"A\") }",
            "use std::net::TcpStream;",
            "fn f() { std::process::exit(1) }",
            "use std::time::{Duration, Instant};",
            "use std::time; fn f() { time::SystemTime::now() }",
            "fn f() { println!(\"a\") }",
            "fn f() { std::eprintln!() }",
            "fn f() { std::io::stdout() }",
        ] {
            assert_eq!(count(no_input_or_output, bad), 1, "{bad}");
        }
        let found = no_input_or_output(&tree("crates/charta/src/run.rs", "\nuse std::fs;"));
        assert!(
            shown(&found)[0].starts_with("crates/charta/src/run.rs:2: `std::fs` does not belong"),
            "{found:?}"
        );
    }

    #[test]
    fn tests_comments_traits_and_fronts_may_do_more() {
        let fine = "// std::fs\nuse std::io::{Read, Write};\nuse std::time::Duration;\n#[cfg(test)]\nmod tests { use std::fs; }";
        assert_eq!(count(no_input_or_output, fine), 0);
        assert!(
            no_input_or_output(&tree("crates/charta-cli/src/main.rs", "use std::fs;")).is_empty()
        );
    }

    #[test]
    fn faer_has_one_home() {
        assert_eq!(count(only_linalg_names_faer, "use faer::Mat;"), 1);
        assert_eq!(
            count(only_linalg_names_faer, "fn f(x: faer::MatRef<'_, f64>) {}"),
            1
        );
        assert!(
            only_linalg_names_faer(&tree("crates/charta/src/linalg/svd.rs", "use faer::Mat;"))
                .is_empty()
        );
    }

    #[test]
    fn global_state_is_reported_and_constants_are_not() {
        for bad in [
            "static mut COUNT: usize = 0;",
            "static CACHE: OnceLock<u8> = OnceLock::new();",
            "static N: std::sync::atomic::AtomicUsize = AtomicUsize::new(0);",
            "thread_local! { static A: u8 = 1; }",
            "lazy_static! { static ref A: u8 = 1; }",
        ] {
            assert_eq!(count(no_global_state, bad), 1, "{bad}");
        }
        assert_eq!(
            count(
                no_global_state,
                "pub static METHODS: &[Entry] = &[];\nfn f(x: &'static str) {}\nconst A: u8 = 1;"
            ),
            0
        );
    }
}
