//! Named steps that run one after another: each says its name, command and seconds, and the first failure ends the run.

use crate::Outcome;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a step does.
pub(crate) enum Action<'a> {
    /// Runs a program; a nonzero exit code is a failure.
    Program(Command),
    /// Calls a function of this program.
    Call(Box<dyn FnOnce() -> Outcome + 'a>),
}

/// One named step of a task.
pub(crate) struct Step<'a> {
    name: &'static str,
    action: Action<'a>,
}

impl<'a> Step<'a> {
    /// A step that runs a program.
    pub(crate) fn program(name: &'static str, command: Command) -> Self {
        Self {
            name,
            action: Action::Program(command),
        }
    }

    /// A step that calls a function.
    pub(crate) fn call(name: &'static str, function: impl FnOnce() -> Outcome + 'a) -> Self {
        Self {
            name,
            action: Action::Call(Box::new(function)),
        }
    }
}

/// Runs the steps in order, then prints how long each took; a failure stops at once and names its step.
pub(crate) fn run_all(steps: Vec<Step<'_>>) -> Outcome {
    let mut taken = Vec::new();
    for step in steps {
        let name = step.name;
        let start = Instant::now();
        let outcome = run_one(step);
        taken.push((name, start.elapsed()));
        println!("    {name}: {:.1} s", start.elapsed().as_secs_f64());
        outcome.map_err(|reason| format!("FAILED at step `{name}`: {reason}"))?;
    }
    print!("{}", table(&taken));
    Ok(())
}

fn run_one(step: Step<'_>) -> Outcome {
    match step.action {
        Action::Program(mut command) => {
            println!("==> {}: {}", step.name, shown(&command));
            status(&mut command)
        }
        Action::Call(function) => {
            println!("==> {}: in this program", step.name);
            function()
        }
    }
}

/// Runs a program with its own output let through.
pub(crate) fn status(command: &mut Command) -> Outcome {
    let status = command
        .status()
        .map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` ended with {status}", shown(command)))
    }
}

/// Runs a program with its own output let through, and counts the lines of it that are requested.
pub(crate) fn count_lines(
    command: &mut Command,
    is_counted: impl Fn(&str) -> bool,
) -> Outcome<usize> {
    let started = command.stdout(Stdio::piped()).spawn();
    let mut program =
        started.map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    let output = program.stdout.take().expect("standard output is piped");
    let mut count = 0;
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        count += usize::from(is_counted(&line));
    }
    let status = program.wait().map_err(|error| error.to_string())?;
    if status.success() {
        Ok(count)
    } else {
        Err(format!("`{}` ended with {status}", shown(command)))
    }
}

/// The command as a person would type it: the variables it sets, the program, the arguments.
pub(crate) fn shown(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={:?}", text(name), text(value?))));
    let words = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(text);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

fn table(taken: &[(&str, Duration)]) -> String {
    let width = taken
        .iter()
        .map(|(name, _)| name.len())
        .chain(["all".len()])
        .max()
        .unwrap_or(0);
    let total: Duration = taken.iter().map(|(_, time)| time).sum();
    let row = |name: &str, time: Duration| format!("{name:width$}  {:7.1} s\n", time.as_secs_f64());
    let rows: String = taken.iter().map(|&(name, time)| row(name, time)).collect();
    format!("\n{rows}{}", row("all", total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_failure_stops_the_run_and_names_its_step() {
        let seen = RefCell::new(Vec::new());
        let step = |name: &'static str, outcome: Outcome| {
            let seen = &seen;
            Step::call(name, move || {
                seen.borrow_mut().push(name);
                outcome
            })
        };
        let error = run_all(vec![
            step("first", Ok(())),
            step("second", Err("broken".into())),
            step("third", Ok(())),
        ]);
        assert_eq!(error, Err("FAILED at step `second`: broken".into()));
        assert_eq!(*seen.borrow(), ["first", "second"]);
    }

    #[test]
    fn a_program_that_fails_is_an_error() {
        assert!(run_all(vec![Step::program("no", Command::new("false"))]).is_err());
        assert!(
            run_all(vec![Step::program(
                "none",
                Command::new("no-such-program-anywhere")
            )])
            .is_err()
        );
        assert!(run_all(vec![Step::program("yes", Command::new("true"))]).is_ok());
    }

    #[test]
    fn lines_are_counted_and_a_failure_is_still_one() {
        let mut command = Command::new("printf");
        command.arg("test a ... ignored, no data\\ntest b ... ok\\n");
        let counted = count_lines(&mut command, |line| line.contains("... ignored"));
        assert_eq!(counted, Ok(1));
        assert!(count_lines(&mut Command::new("false"), |_| true).is_err());
    }

    #[test]
    fn commands_are_shown_with_their_variables() {
        let mut command = Command::new("cargo");
        command
            .args(["doc", "--locked"])
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            shown(&command),
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc --locked"
        );
    }

    #[test]
    fn the_table_lines_up_and_sums() {
        let text = table(&[
            ("format", Duration::from_millis(1500)),
            ("a", Duration::from_secs(12)),
        ]);
        assert_eq!(
            text,
            "\nformat      1.5 s\na          12.0 s\nall        13.5 s\n"
        );
    }
}
