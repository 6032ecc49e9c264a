//! Layers point down: a stage of the library may use those beside and below it, never those above.

use super::paths::{self, Path};
use super::tree::{File, Problem, Tree};
use std::collections::HashMap;

/// The library's source.
pub(crate) const LIBRARY: &str = "crates/charta/src/";

/// The library's modules from the ground up. A new folder or file in `src` takes its place here.
const LAYERS: &[&[&str]] = &[
    &[
        "data", "params", "run", "error", "random", "parallel", "special",
    ],
    &["linalg"],
    &["metric"],
    &["neighbors"],
    &["graph", "kernel", "local", "morton", "optimize"],
    &["model", "spectral", "stress", "neural"],
    &[
        "method",
        "registry",
        "quality",
        "dimension",
        "cluster",
        "linear",
    ],
    &["methods"],
    &["pipeline", "advice", "alignment", "lib"],
];

/// Reports every path that points up, and every module that has no place in the table.
pub(crate) fn point_down(tree: &Tree) -> Vec<Problem> {
    let exports = exports(tree);
    tree.rust_in(LIBRARY)
        .flat_map(|file| check(file, &exports))
        .collect()
}

fn check(file: &File, exports: &HashMap<String, String>) -> Vec<Problem> {
    let module = module(&file.path);
    let Some(layer) = layer(module) else {
        return vec![file.problem(
            1,
            format!("module `{module}` has no layer: add it to LAYERS in xtask/src/tidy/layers.rs"),
        )];
    };
    let code = file.code_outside_tests();
    paths::all(&code)
        .iter()
        .filter_map(|path| examine(file, layer, path, exports))
        .collect()
}

fn examine(
    file: &File,
    layer: usize,
    path: &Path,
    exports: &HashMap<String, String>,
) -> Option<Problem> {
    let supers = path
        .segments
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    if supers > 0 && supers >= depth(&file.path) && path.segments.len() > supers {
        return Some(file.problem(
            path.line,
            "`super::` leads out of the stage: write `crate::`, so that the layer can be seen",
        ));
    }
    if !path.starts_with(&["crate"]) && !path.starts_with(&["charta"]) {
        return None;
    }
    let name = path.segments.get(1)?;
    let is_module = self::layer(name).is_some();
    let target = exports.get(name).filter(|_| !is_module).unwrap_or(name);
    let message = match self::layer(target) {
        None => format!(
            "`crate::{name}` is in no layer: use its module's path, or add the module to LAYERS in xtask/src/tidy/layers.rs"
        ),
        Some(below) if below > layer => {
            format!(
                "`{}` must not use `crate::{name}`, which is in a layer above: move the shared part down",
                module(&file.path)
            )
        }
        Some(_) => return None,
    };
    Some(file.problem(path.line, message))
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The first folder or file below `src`.
fn module(path: &str) -> &str {
    let inside = path.strip_prefix(LIBRARY).unwrap_or(path);
    let first = inside.split('/').next().unwrap_or(inside);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// How many `super` lead from the file's module to the crate's root: 1 for `src/error.rs` and `src/data/mod.rs`.
fn depth(path: &str) -> usize {
    let inside = path.strip_prefix(LIBRARY).unwrap_or(path);
    let words = inside.split('/').count();
    words - usize::from(inside.ends_with("/mod.rs"))
}

/// The names that `lib.rs` brings to the crate's root, and the module that each comes from.
fn exports(tree: &Tree) -> HashMap<String, String> {
    let Some(root) = tree.file(&format!("{LIBRARY}lib.rs")) else {
        return HashMap::new();
    };
    let code = root.code_outside_tests();
    let modules = paths::all(&code).into_iter().filter_map(|path| {
        let words: Vec<String> = path
            .segments
            .into_iter()
            .filter(|word| word != "crate" && word != "self")
            .collect();
        (words.len() > 1).then(|| (words[words.len() - 1].clone(), words[0].clone()))
    });
    modules.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let root = (
            "crates/charta/src/lib.rs",
            "pub mod methods;\npub use error::{Error, Result};\npub use methods::METHODS;",
        );
        shown(&point_down(&Tree::of(&[root, (path, text)])))
    }

    #[test]
    fn down_and_sideways_is_allowed() {
        assert!(
            problems(
                "crates/charta/src/methods/pca.rs",
                "use crate::linalg::svd;\nuse crate::{Result, data::Data};"
            )
            .is_empty()
        );
        assert!(
            problems(
                "crates/charta/src/graph/build.rs",
                "use super::weights;\nuse crate::kernel::gaussian;"
            )
            .is_empty()
        );
    }

    #[test]
    fn up_is_reported_with_its_line() {
        let found = problems(
            "crates/charta/src/linalg/svd.rs",
            "//! Doc\nuse crate::data::Data;\nuse crate::methods::pca;",
        );
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with(
                "crates/charta/src/linalg/svd.rs:3: `linalg` must not use `crate::methods`"
            ),
            "{found:?}"
        );
    }

    #[test]
    fn up_is_seen_inline_in_groups_and_through_the_root() {
        assert_eq!(
            problems(
                "crates/charta/src/data/mod.rs",
                "fn f() { crate::linalg::svd() }"
            )
            .len(),
            1
        );
        assert_eq!(
            problems(
                "crates/charta/src/data/mod.rs",
                "use crate::{error::Error,\n graph::build};"
            )
            .len(),
            1
        );
        assert_eq!(
            problems("crates/charta/src/model/mod.rs", "use crate::METHODS;").len(),
            1
        );
        assert_eq!(
            problems("crates/charta/src/model/mod.rs", "use charta::METHODS;").len(),
            1
        );
        assert_eq!(
            problems("crates/charta/src/data/mod.rs", "use super::linalg::svd;").len(),
            1
        );
        assert_eq!(
            problems(
                "crates/charta/src/data/labels.rs",
                "use super::super::linalg::svd;"
            )
            .len(),
            1
        );
    }

    #[test]
    fn comments_and_tests_may_look_up() {
        let text = "/// See [`crate::methods::pca`].\nfn f() {}\n#[cfg(test)]\nmod tests { use crate::methods::pca; use super::*; }";
        assert!(problems("crates/charta/src/linalg/svd.rs", text).is_empty());
    }

    #[test]
    fn an_unknown_module_asks_for_its_place() {
        assert!(problems("crates/charta/src/magic/mod.rs", "")[0].contains("add it to LAYERS"));
        assert!(
            problems("crates/charta/src/data/mod.rs", "use crate::magic::Wand;")[0]
                .contains("add the module to LAYERS")
        );
    }
}
