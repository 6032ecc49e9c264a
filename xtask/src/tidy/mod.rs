//! `cargo xtask tidy`: the project's own rules, which no compiler knows.
//!
//! A rule is a function from the tracked files to the problems it sees; a new rule is one more entry of [`RULES`]. Every rule has
//! tests that show it fail on a bad example.

mod architecture;
mod files;
mod fronts;
mod layers;
mod mask;
mod methods;
mod paths;
mod text;
mod tree;

use crate::Outcome;
use crate::workspace::Workspace;
use tree::{Problem, Tree};

type Rule = fn(&Tree) -> Vec<Problem>;

/// All rules with the names they are reported under.
const RULES: &[(&str, Rule)] = &[
    ("layers point down", layers::point_down),
    ("no method imports another method", methods::stand_alone),
    ("methods are registered", methods::are_registered),
    (
        "methods are documented under the agreed headings",
        methods::are_documented,
    ),
    ("no front names a method", fronts::name_no_method),
    (
        "the library does no input or output",
        architecture::no_input_or_output,
    ),
    (
        "only linalg names faer",
        architecture::only_linalg_names_faer,
    ),
    ("no global state", architecture::no_global_state),
    ("crates have a module doc", files::crates_are_documented),
    ("modules have telling names", files::telling_names),
    ("nothing is left unfinished", text::nothing_unfinished),
    ("no paths of one machine", text::no_machine_paths),
    ("no package registry is named", text::no_registry_hosts),
    ("no banner comments", text::no_banners),
];

/// Checks all rules and prints every problem.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let tree = Tree::tracked(workspace.root())?;
    let mut found = 0;
    for (name, rule) in RULES {
        let problems = rule(&tree);
        for problem in &problems {
            println!("{problem}  [{name}]");
        }
        found += problems.len();
    }
    if found == 0 {
        println!(
            "tidy: {} files keep {} rules",
            tree.files().len(),
            RULES.len()
        );
        return Ok(());
    }
    Err(format!(
        "tidy: {found} problem{} above",
        if found == 1 { "" } else { "s" }
    ))
}
