//! What the programs of the benchmarks measure of their own process.

/// Why a measurement failed.
pub type Failure = Box<dyn std::error::Error>;

/// A line of the process's own status, in bytes.
pub fn memory(name: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .ok_or("no such line in the status")?;
    let kilobytes: u64 = line
        .split_whitespace()
        .nth(1)
        .ok_or("an empty line in the status")?
        .parse()?;
    Ok(kilobytes * 1024)
}

/// Processor time of all threads so far.
pub fn processor_seconds() -> Result<f64, Failure> {
    let mut total = 0.0;
    for task in std::fs::read_dir("/proc/self/task")? {
        // A thread may end between the listing and the reading.
        if let Ok(text) = std::fs::read_to_string(task?.path().join("schedstat")) {
            let own = text.split_whitespace().next().ok_or("no times")?;
            total += own.parse::<f64>()?;
        }
    }
    Ok(total / 1e9)
}
