//! Writing to standard output without falling over a closed pipe, and to standard error.

use std::io::{self, Write};

use crate::failure::{Failure, Outcome};

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Outcome {
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| Failure::of_standard_output(&error))
}

/// Writes a value as indented JSON to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> Outcome {
    print(&format!("{value:#}\n"))
}

/// Writes a line to standard error. A closed stream is no reason to fail.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
