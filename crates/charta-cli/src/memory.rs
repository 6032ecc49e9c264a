//! How much memory a run may use.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// The memory a run may use, and where that number comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// Bytes; `None` if nothing is known.
    pub(crate) bytes: Option<u64>,
    /// Where the number comes from.
    pub(crate) reason: &'static str,
}

impl Limit {
    /// The limit that the user gave.
    pub(crate) fn given(text: &str) -> Outcome<Self> {
        match parse_size(text) {
            Some(bytes) => Ok(Self {
                bytes: Some(bytes),
                reason: "--max-memory",
            }),
            None => Err(Failure::Usage(format!(
                "`--max-memory` must be a size such as 500MiB or 4GiB, got {text}"
            ))),
        }
    }
}

/// A number of bytes: `1024`, `1.5G`, `500 MiB`. Without an `i`, `MB` counts in thousands.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().ok()?;
    let (letter, rest) = text[split..].split_at(usize::from(split < text.len()));
    let power = match letter {
        "" | "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let base: f64 = match (letter, rest) {
        ("b", "") | (_, "" | "ib") => 1024.0,
        (_, "b") => 1000.0,
        _ => return None,
    };
    let bytes = number * base.powi(power);
    (bytes >= 1.0 && bytes.is_finite()).then_some(bytes as u64)
}

/// The memory that is free now: the system's, or that of the control group if it is less.
pub(crate) fn available() -> Limit {
    let system = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| mem_available(&text));
    let system = Limit {
        bytes: system,
        reason: "free memory",
    };
    match (system.bytes, group_available()) {
        (Some(system_bytes), Some(group)) if system_bytes <= group => system,
        (_, Some(group)) => Limit {
            bytes: Some(group),
            reason: "free memory of the control group",
        },
        _ => system,
    }
}

fn mem_available(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// What the process's control group still allows, and each group around it.
fn group_available() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let inner = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = Path::new("/sys/fs/cgroup");
    let folder = top.join(inner);
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(top))
        .filter_map(free_in)
        .min()
}

fn free_in(folder: &Path) -> Option<u64> {
    let number =
        |file: PathBuf| -> Option<u64> { fs::read_to_string(file).ok()?.trim().parse().ok() };
    // The file says `max` where there is no limit.
    let limit = number(folder.join("memory.max"))?;
    let used = number(folder.join("memory.current"))?;
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cache = statistics
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "))
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0);
    // Cached file pages are given up when memory is needed.
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_all_common_spellings() {
        for (text, bytes) in [
            ("1024", 1024),
            ("4GiB", 4 << 30),
            ("1.5 g", 3 << 29),
            ("2k", 2048),
            ("2kB", 2000),
            ("7 b", 7),
        ] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "much", "-3", "4 GX", "0", "3 giga"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn free_memory_is_read_from_the_system() {
        assert_eq!(
            mem_available("MemFree: 1 kB\nMemAvailable:    2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(mem_available("nothing"), None);
    }
}
