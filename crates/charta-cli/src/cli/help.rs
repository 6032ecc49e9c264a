//! The first page of help: methods by family, then the tools, then examples.

use std::fmt::Write;

use charta::method::{Family, Input, LabelUse};
use charta::methods::METHODS;

use super::{method, tools};
use crate::format;

const WIDTH: usize = 80;
const HEADING: &str = "\x1b[1m\x1b[4m";
const STRONG: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// The method that examples use: the first of the registry that needs nothing but rows.
pub(crate) fn example_method() -> String {
    METHODS
        .iter()
        .find(|entry| entry.info.labels == LabelUse::Ignored && !entry.info.takes(Input::Views))
        .map(|entry| method::command_name(entry.info.name))
        .unwrap_or_default()
}

/// Methods that an example compares: the first of each of three families.
pub(super) fn example_methods() -> String {
    let families = [Family::Linear, Family::Manifold, Family::Neighbor];
    let first = |family: &Family| METHODS.iter().find(|entry| entry.info.family == *family);
    let names = families.iter().filter_map(first);
    let names: Vec<String> = names
        .map(|entry| method::command_name(entry.info.name))
        .collect();
    names.join(",")
}

/// The page as a template that clap fills in.
pub(crate) fn template() -> String {
    let mut page = format!(
        "{{about}}\n\n{HEADING}Usage:{PLAIN} {STRONG}charta{PLAIN} METHOD DATA [OPTIONS]\n       \
         {STRONG}charta{PLAIN} TOOL …\n"
    );
    let names = METHODS
        .iter()
        .map(|entry| method::command_name(entry.info.name));
    let tools = tools::commands();
    let width = names
        .chain(tools.iter().map(|tool| tool.get_name().to_string()))
        .map(|name| name.len())
        .max()
        .unwrap_or(0);
    let mut family = None;
    for entry in METHODS {
        if family != Some(entry.info.family) {
            family = Some(entry.info.family);
            let _ = write!(
                page,
                "\n{HEADING}Methods: {}{PLAIN}\n",
                entry.info.family.title()
            );
        }
        line(
            &mut page,
            &method::command_name(entry.info.name),
            entry.info.summary,
            width,
        );
    }
    let _ = write!(page, "\n{HEADING}Tools{PLAIN}\n");
    for tool in &tools {
        let about = tool
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        line(&mut page, tool.get_name(), &about, width);
    }
    let _ = write!(
        page,
        "\n{HEADING}Options{PLAIN}\n{{options}}\n\n{}",
        examples()
    );
    page
}

fn line(page: &mut String, name: &str, about: &str, width: usize) {
    let indent = width + 4;
    let about = format::wrap(about, WIDTH - indent, indent);
    let _ = writeln!(page, "  {STRONG}{name:width$}{PLAIN}  {about}");
}

fn examples() -> String {
    let name = example_method();
    format!(
        "{HEADING}Examples{PLAIN}\n  \
         charta {name} iris --plot iris.png\n  \
         charta {name} table.csv --label species -o coordinates.csv --save model.charta\n  \
         charta transform model.charta new.csv -o new-coordinates.csv\n\n\
         `charta METHOD --help` lists a method's parameters. DATA is a table (CSV, TSV,\n\
         Parquet, Arrow, NPY, NPZ, IDX, MatrixMarket .mtx), a folder of parts of a\n\
         table or a pattern such as 'part-*.parquet', a folder of images, a text file\n\
         that lists images, `-` for standard input, or a data set of `charta data`.\n\
         Exit codes: 0 done, 1 the run failed, 2 the call was wrong, 130 interrupted\n\
         (143 by SIGTERM, 129 by SIGHUP).\n"
    )
}
