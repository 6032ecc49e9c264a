//! What is wrong with the words of a call, in one line.

use std::ffi::OsString;
use std::path::Path;

use charta::params::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::help;

/// A call that clap refused.
pub(super) struct Complaint<'a> {
    error: &'a clap::Error,
    root: Command,
    words: Vec<String>,
}

impl<'a> Complaint<'a> {
    /// About these words, of which the first is the program.
    pub(super) fn new(error: &'a clap::Error, root: Command, words: &[OsString]) -> Self {
        let words = words
            .iter()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        Self { error, root, words }
    }

    /// The line.
    pub(super) fn line(&self) -> String {
        let name = self.context(ContextKind::InvalidArg);
        let value = self.context(ContextKind::InvalidValue);
        match self.error.kind() {
            ErrorKind::InvalidSubcommand => {
                self.no_such_command(&self.context(ContextKind::InvalidSubcommand))
            }
            ErrorKind::UnknownArgument if self.is_flag(&name) => self.no_such_flag(&name),
            ErrorKind::UnknownArgument => self.one_too_many(&name),
            ErrorKind::MissingRequiredArgument => self.missing(&name),
            ErrorKind::InvalidValue if value.is_empty() => self.no_value(&name),
            ErrorKind::InvalidValue => self.not_among(&name, &value),
            ErrorKind::TooManyValues => format!("{} takes no value, got {value}", bare(&name)),
            ErrorKind::ArgumentConflict => self.conflict(&name),
            ErrorKind::InvalidUtf8 => "an argument is not valid UTF-8: rename the file".into(),
            _ => self.in_clap_words(),
        }
    }

    /// What clap knows of this, as text; of several words the first.
    fn context(&self, kind: ContextKind) -> String {
        match self.error.get(kind) {
            Some(ContextValue::String(word)) => word.clone(),
            Some(ContextValue::Strings(words)) => words.first().cloned().unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// The command that the call names, and its own command if that is named too; or else the program itself.
    fn command(&self) -> &Command {
        self.commands().last().copied().unwrap_or(&self.root)
    }

    /// The commands that the call names, each within the one before.
    fn commands(&self) -> Vec<&Command> {
        let mut found: Vec<&Command> = Vec::new();
        for word in self.words.iter().filter(|word| !word.starts_with('-')) {
            let within = found.last().copied().unwrap_or(&self.root);
            match within.find_subcommand(word) {
                Some(command) => found.push(command),
                None => break,
            }
        }
        found
    }

    /// The call as far as the command: `charta pca`.
    fn call(&self) -> String {
        let names = self.commands().into_iter().map(Command::get_name);
        std::iter::once("charta")
            .chain(names)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn usage(&self) -> String {
        let command = self.command();
        let mut usage = self.call();
        for arg in command.get_positionals() {
            usage.push_str(&format!(" {}", arg.get_id().as_str().to_uppercase()));
        }
        if command.get_arguments().any(|arg| !arg.is_positional()) {
            usage.push_str(" [OPTIONS]");
        }
        usage
    }

    /// False for what comes after `--`, whatever it looks like.
    fn is_flag(&self, word: &str) -> bool {
        let mut behind = self.words.iter().skip_while(|other| *other != "--");
        word.starts_with('-') && !behind.any(|other| other == word)
    }

    fn no_such_command(&self, word: &str) -> String {
        let within = self.command();
        let is_root = within.get_name() == self.root.get_name();
        let names: Vec<&str> = within.get_subcommands().map(Command::get_name).collect();
        let is_data_set = charta_io::data_sets().iter().any(|set| set.name == word);
        if is_data_set || Path::new(word).exists() {
            let (call, first) = match names.first() {
                Some(first) if !is_root => (self.call(), (*first).to_owned()),
                _ => ("charta".into(), help::example_method()),
            };
            let what = if is_root { "method" } else { "command" };
            return format!(
                "`{word}` is data, and the {what} comes first: `{call} {first} {word}`"
            );
        }
        let word_meant = word.replace('_', "-").to_lowercase();
        let slip = || nearest(&word_meant, names.iter().copied());
        let meant = match in_short(&word_meant, &names).or_else(slip) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("`{} --help` lists them", self.call()),
        };
        let what = if is_root { "method or tool" } else { "command" };
        format!("there is no {what} `{word}`; {meant}")
    }

    fn no_such_flag(&self, flag: &str) -> String {
        // Of `-plot`, clap names `-p` only.
        let typed = self.words.iter().find(|word| word.starts_with(flag));
        let typed = typed.and_then(|word| word.split('=').next());
        let wanted = typed
            .unwrap_or(flag)
            .trim_start_matches('-')
            .replace('_', "-");
        let call = self.call();
        let command = self.command();
        let first = command.get_name() == self.root.get_name();
        let own = if first {
            &["help", "version"][..]
        } else {
            &["help"]
        };
        let names = command.get_arguments().filter_map(Arg::get_long);
        let meant = match nearest(&wanted, names.chain(own.iter().copied())) {
            Some(name) if wanted.len() > 1 => format!("did you mean `--{name}`?"),
            _ if first => "flags come after the method or tool".into(),
            _ => format!("`{call} --help` lists them"),
        };
        let shown = typed.filter(|_| wanted.len() > 1).unwrap_or(flag);
        format!("`{call}` has no flag `{shown}`; {meant}")
    }

    fn one_too_many(&self, word: &str) -> String {
        let place = self.words.iter().position(|other| other == word);
        let before = place.and_then(|place| self.words[..place].last());
        let with_equals = |arg: &&Arg| {
            arg.is_require_equals_set()
                && before.map(|word| word.trim_start_matches('-')) == arg.get_long()
        };
        match self.command().get_arguments().find(with_equals) {
            Some(arg) => {
                let flag = format!("--{}", arg.get_long().unwrap_or_default());
                format!("a value of `{flag}` comes after `=`: `{flag}={word}`")
            }
            None => {
                let advice = if Path::new(word).exists() {
                    "to read several files as one table, quote a pattern such as 'part-*.csv', or name their folder"
                } else {
                    "a name with spaces needs quotes"
                };
                format!(
                    "`{word}` is one argument too many: `{}`; {advice}",
                    self.usage()
                )
            }
        }
    }

    fn missing(&self, name: &str) -> String {
        format!(
            "{} is missing: `{}`; see `{} --help`",
            bare(name),
            self.usage(),
            self.call()
        )
    }

    fn no_value(&self, name: &str) -> String {
        match self.choices() {
            Some(choices) => format!("{} needs a value: {choices}", bare(name)),
            None => format!(
                "{} needs a value: `{}`",
                bare(name),
                name.replace(['<', '>'], "")
            ),
        }
    }

    fn not_among(&self, name: &str, value: &str) -> String {
        let valid = self.valid_values();
        let wanted = value.replace('_', "-");
        let meant = nearest(&wanted, valid.iter().map(String::as_str))
            .map(|word| format!("; did you mean `{word}`?"));
        format!(
            "{} must be {}, got {value}{}",
            bare(name),
            self.choices().unwrap_or_default(),
            meant.unwrap_or_default()
        )
    }

    fn valid_values(&self) -> &[String] {
        match self.error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(words)) => words,
            _ => &[],
        }
    }

    /// The words that a flag takes: "`f32` or `f64`".
    fn choices(&self) -> Option<String> {
        let words: Vec<String> = self
            .valid_values()
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
        let (last, rest) = words.split_last()?;
        Some(match rest {
            [] => last.clone(),
            rest => format!("{} or {last}", rest.join(", ")),
        })
    }

    fn conflict(&self, name: &str) -> String {
        let other = self.context(ContextKind::PriorArg);
        if other == name {
            format!("{} can be given only once", bare(name))
        } else {
            format!("{} cannot go with {}", bare(name), bare(&other))
        }
    }

    fn in_clap_words(&self) -> String {
        let text = self.error.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.trim_start_matches("error: ").to_string()
    }
}

/// The name of an argument as clap shows it, without its values: `--scale` for `--scale <SCALING>`.
fn bare(shown: &str) -> String {
    match shown.strip_prefix('<') {
        // Of several values clap shows `<DATA>...`.
        Some(positional) => positional.split('>').next().unwrap_or_default().into(),
        None => {
            let end = shown.find([' ', '[', '=']).unwrap_or(shown.len());
            format!("`{}`", &shown[..end])
        }
    }
}
/// The name of several words that is meant by one of them, or by their first letters.
fn in_short<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let is_part = |name: &&&str| name.split('-').any(|part| part == word);
    let is_initials = |name: &&&str| {
        let initials: String = name
            .split('-')
            .filter_map(|part| part.chars().next())
            .collect();
        initials == word
    };
    let found = names.iter().find(is_part);
    found.or_else(|| names.iter().find(is_initials)).copied()
}
