//! What no tracked text may hold: unfinished work, paths of one machine, package registries, banners.
//!
//! The words looked for are put together with `concat!`, so that these rules do not report their own source.

use super::mask::is_word;
use super::paths;
use super::tree::{File, Problem, Tree};

/// Macros that stand for work not done or not cleaned up.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];
const MARK: &str = concat!("FIX", "ME");
const IGNORED: &str = concat!("#[", "ignore");
/// The one reason for which a test may be left out: the summary counts these, and a run that has the data takes them in.
const WITHOUT_DATA: &str = "needs data outside the project";

/// Folders that exist on one machine only.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

/// Hosts and options that tie a build to one package registry. A lock file's canonical name of an index is no host.
const REGISTRIES: &[&str] = &[
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi.", "org"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("--index", "-url"),
    concat!("--extra-index", "-url"),
    concat!("--find", "-links"),
];
const CANONICAL_INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Reports placeholders, debugging leftovers and tests that never run.
pub(crate) fn nothing_unfinished(tree: &Tree) -> Vec<Problem> {
    let mut problems = lines_where(
        tree,
        |_| true,
        |line| line.contains(MARK),
        "unfinished: do it, or take the mark out",
    );
    for file in tree.rust_in("") {
        let code = file.code();
        for path in paths::all(&code).iter().filter(|path| path.is_macro) {
            let named = path
                .segments
                .last()
                .filter(|name| UNFINISHED.contains(&name.as_str()));
            problems.extend(
                named.map(|name| file.problem(path.line, format!("`{name}!` is left in the code"))),
            );
        }
        let ignored = code
            .lines()
            .zip(file.text.lines())
            .enumerate()
            .filter(|(_, (code, text))| code.contains(IGNORED) && !text.contains(WITHOUT_DATA));
        problems.extend(ignored.map(|(at, _)| {
            file.problem(at + 1, "an ignored test tests nothing: run it or delete it")
        }));
    }
    problems
}

/// Reports absolute paths of somebody's machine.
pub(crate) fn no_machine_paths(tree: &Tree) -> Vec<Problem> {
    lines_where(
        tree,
        |_| true,
        has_machine_path,
        "a path of one machine: write it from the workspace's root",
    )
}

fn has_machine_path(line: &str) -> bool {
    MACHINE_PATHS.iter().any(|path| {
        let starts_there = |at: usize| {
            !line[..at].ends_with(|before: char| is_word(before) || ".-/~}".contains(before))
        };
        line.match_indices(path).any(|(at, _)| starts_there(at))
    })
}

/// Reports package registries: whoever builds brings their own.
pub(crate) fn no_registry_hosts(tree: &Tree) -> Vec<Problem> {
    let what_to_do = "a package registry is named: leave that to the settings of whoever builds";
    let mut problems = lines_where(
        tree,
        |_| true,
        |line| REGISTRIES.iter().any(|host| line.contains(host)),
        what_to_do,
    );
    let foreign = |line: &str| line.contains("registry+") && !line.contains(CANONICAL_INDEX);
    problems.extend(lines_where(
        tree,
        |file| file.path.ends_with("Cargo.lock"),
        foreign,
        what_to_do,
    ));
    problems
}

/// Reports comments that are drawn rather than written.
pub(crate) fn no_banners(tree: &Tree) -> Vec<Problem> {
    const ENDS: &[&str] = &[
        ".rs", ".py", ".pyi", ".toml", ".sh", ".yml", ".yaml", ".js", ".ts", ".css",
    ];
    let is_code = |file: &File| ENDS.iter().any(|end| file.path.ends_with(end));
    lines_where(
        tree,
        is_code,
        is_banner,
        "a banner: a module or a function is the better divider",
    )
}

fn is_banner(line: &str) -> bool {
    let line = line.trim_start();
    let Some(comment) = ["//", "#", "/*"]
        .iter()
        .find_map(|start| line.strip_prefix(start))
    else {
        return false;
    };
    let drawn = comment.trim_start_matches(['/', '!', '#']).trim_start();
    ["----", "====", "****", "####", "~~~~", "____"]
        .iter()
        .any(|stroke| drawn.starts_with(stroke) || comment.trim().starts_with(stroke))
}

fn lines_where(
    tree: &Tree,
    files: impl Fn(&File) -> bool,
    bad: impl Fn(&str) -> bool,
    message: &str,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| files(file)) {
        let found = file.text.lines().enumerate().filter(|(_, line)| bad(line));
        problems.extend(found.map(|(at, _)| file.problem(at + 1, message)));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    fn count(rule: fn(&Tree) -> Vec<Problem>, path: &str, text: &str) -> usize {
        rule(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn unfinished_work_is_reported() {
        for bad in [
            format!("// {MARK} later"),
            "fn f() { todo!() }".into(),
            "std::unimplemented!()".into(),
            "dbg!(x)".into(),
        ] {
            assert_eq!(count(nothing_unfinished, "a.rs", &bad), 1, "{bad}");
        }
        let ignored = format!("\n#[test]\n{IGNORED} = \"slow\"]\nfn f() {{}}");
        let found = shown(&nothing_unfinished(&Tree::of(&[("a.rs", &ignored)])));
        assert_eq!(
            found,
            ["a.rs:3: an ignored test tests nothing: run it or delete it"]
        );
        let without_data = ignored.replace("slow", &format!("{WITHOUT_DATA}: a.npz"));
        assert_eq!(count(nothing_unfinished, "a.rs", &without_data), 0);
        assert_eq!(
            count(
                nothing_unfinished,
                "a.rs",
                "// todo!() is forbidden\nlet todo = \"dbg!\";"
            ),
            0
        );
    }

    #[test]
    fn machine_paths_are_reported_and_web_addresses_are_not() {
        for path in MACHINE_PATHS {
            assert_eq!(
                count(no_machine_paths, "a.md", &format!("see `{path}x`")),
                1
            );
            assert_eq!(
                count(
                    no_machine_paths,
                    "a.md",
                    &format!("https://example.org{path}x")
                ),
                0
            );
        }
    }

    #[test]
    fn registries_are_reported() {
        for host in REGISTRIES {
            assert_eq!(count(no_registry_hosts, "a.toml", host), 1, "{host}");
        }
        assert_eq!(
            count(
                no_registry_hosts,
                "Cargo.lock",
                &format!("source = \"{CANONICAL_INDEX}\"")
            ),
            0
        );
        assert_eq!(
            count(
                no_registry_hosts,
                "Cargo.lock",
                "source = \"registry+https://mirror.example/index\""
            ),
            1
        );
    }

    #[test]
    fn banners_are_reported_and_tables_are_not() {
        for stroke in ["-", "=", "*", "#", "~"] {
            assert_eq!(
                count(no_banners, "a.rs", &format!("  // {}", stroke.repeat(4))),
                1,
                "{stroke}"
            );
            assert_eq!(
                count(no_banners, "a.py", &format!("# {} Part", stroke.repeat(10))),
                1,
                "{stroke}"
            );
        }
        assert_eq!(
            count(
                no_banners,
                "a.rs",
                "//! |---|---|\n// - a list\n/// # Heading\nlet x = 1; // fine"
            ),
            0
        );
        assert_eq!(count(no_banners, "a.md", "# ----"), 0);
    }
}
