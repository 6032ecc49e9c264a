//! charta on the command line: reduce, plot, transform new rows, evaluate.
//!
//! The commands follow from the library's registry. Exit codes: 0 done, 1 the run failed, 2 the call
//! was wrong, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).

mod advise;
mod class_order;
mod cli;
mod clusters;
mod color;
mod compare;
mod completions;
mod console;
mod continued;
mod data_sets;
mod dates;
mod diagrams;
mod dimension;
mod error_wording;
mod evaluation;
mod explain;
mod failure;
mod fit;
mod format;
mod input;
mod input_plot;
mod inspect;
mod inverse;
mod lecture;
mod linear;
mod listing;
mod memory;
mod model_file;
mod neighbor_graph;
mod output;
mod picture;
mod plan;
mod predict;
mod progress;
mod quality;
mod quality_report;
mod read_ahead;
mod redraw;
mod report;
mod result;
mod row_errors;
mod sample;
mod scree;
mod session;
mod signals;
mod steps;
mod streaming;
mod style;
mod summary;
mod transform;
mod view_prediction;
mod views;
mod word_list;

use std::process::ExitCode;

fn main() -> ExitCode {
    signals::listen();
    match cli::call(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                console::complain(&message);
            }
            ExitCode::from(failure.code())
        }
    }
}
