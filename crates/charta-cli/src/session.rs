//! One run of the program: threads, memory limit, progress.

use charta::Run;
use clap::ArgMatches;

use crate::failure::{Failure, Outcome};
use crate::input::{switch, text};
use crate::memory::{self, Limit};
use crate::progress::Progress;
use crate::signals;

/// What every command that computes has around it.
pub(crate) struct Session {
    /// Shows where the run is, and collects warnings.
    pub(crate) progress: Progress,
    /// The memory that may be used.
    pub(crate) limit: Limit,
    /// Neither progress nor summary.
    pub(crate) quiet: bool,
}

impl Session {
    /// Reads the run options and sets the number of threads.
    pub(crate) fn new(given: &ArgMatches) -> Outcome<Self> {
        let quiet = given.get_flag("quiet");
        if let Some(text) = given.get_one::<String>("threads") {
            set_threads(text)?;
        }
        // Only the commands of fits that can be ended early have the flag.
        if given.try_contains_id("keep-partial").is_ok() {
            signals::may_keep_partial(switch(given, "keep-partial"));
        }
        let limit = match given.get_one::<String>("max-memory") {
            Some(text) => Limit::given(text)?,
            None => memory::available(),
        };
        Ok(Self {
            progress: Progress::new(quiet),
            limit,
            quiet,
        })
    }

    /// The run for the library.
    pub(crate) fn run(&self) -> Run<'_> {
        let run = Run::new().observer(&self.progress);
        match self.limit.bytes {
            Some(bytes) => run.memory_limit(bytes),
            None => run,
        }
    }
}

/// Sets the threads of the whole process, so that reading and writing keep to them too.
fn set_threads(text: &str) -> Outcome {
    let threads = whole("threads", text)?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| Failure::Run(format!("cannot start {threads} threads: {error}")))
}

/// The seed of a call.
pub(crate) fn seed(given: &ArgMatches) -> Outcome<u64> {
    let text = text(given, "seed").unwrap_or_default();
    text.parse().map_err(|_| {
        Failure::Usage(format!(
            "`--seed` must be a whole number of at least 0, got {text}"
        ))
    })
}

/// A whole number of at least 1.
pub(crate) fn whole(name: &str, text: &str) -> Outcome<usize> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(Failure::Usage(format!(
            "`--{name}` must be a whole number of at least 1, got {text}"
        ))),
    }
}
