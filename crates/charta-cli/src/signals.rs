//! Interrupts: Ctrl-C (SIGINT), SIGTERM and SIGHUP. The first asks the run to stop, the second ends the process at once. With
//! `--keep-partial`, one that comes between the iterations of a fit keeps what they have reached.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Outcome};

/// The exit code of the first signal: 128 and its number, as shells count. 0 while there was none.
static CODE: AtomicU8 = AtomicU8::new(0);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicBool = AtomicBool::new(false);
/// Whether the fit has done an iteration, whose result could be kept.
static HAS_ITERATED: AtomicBool = AtomicBool::new(false);
/// Whether the command can keep an unfinished result.
static CAN_KEEP_PARTIAL: AtomicBool = AtomicBool::new(false);
/// Whether the user requests to keep it.
static KEEP_PARTIAL: AtomicBool = AtomicBool::new(false);

/// How long a wait lasts before it looks at the flag again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The exit code of SIGINT.
const OF_CTRL_C: u8 = 130;

/// Starts to listen for interrupts. Must come before any other thread is started.
#[cfg(unix)]
pub(crate) fn listen() {
    use nix::sys::signal::{SigSet, Signal};

    let ignored = ignored_signals();
    let mut awaited = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        if ignored & (1 << (signal as u64 - 1)) == 0 {
            awaited.add(signal);
        }
    }
    // All threads inherit the mask, so that the one below receives the signals. Where that fails, a signal ends the process
    // as it always does.
    if awaited.thread_block().is_ok() {
        thread::spawn(move || {
            while let Ok(signal) = awaited.wait() {
                received(128 + signal as u8);
            }
        });
    }
}

/// Starts to listen for interrupts.
#[cfg(not(unix))]
pub(crate) fn listen() {
    // Where signals cannot be had, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(|| received(OF_CTRL_C));
}

/// The signals that the caller wants ignored, a bit each: SIGHUP of `nohup`, SIGINT of a script's background jobs.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn received(code: u8) {
    let _ = CODE.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst);
    let keeps = KEEP_PARTIAL.load(Ordering::SeqCst) && HAS_ITERATED.load(Ordering::SeqCst);
    if keeps && !ENDING.swap(true, Ordering::SeqCst) {
        say("stopping with the unfinished embedding; press Ctrl-C again to stop without it");
        return;
    }
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        // Output files are written under hidden names first, so that ending here damages none.
        std::process::exit(i32::from(exit_code()));
    }
    say("stopping; press Ctrl-C again to stop at once");
}

fn say(line: &str) {
    let mut screen = std::io::stderr();
    if screen.is_terminal() {
        let _ = writeln!(screen, "\n{line}");
    }
}

/// The exit code of a run that was interrupted.
pub(crate) fn exit_code() -> u8 {
    match CODE.load(Ordering::SeqCst) {
        0 => OF_CTRL_C,
        code => code,
    }
}

/// Notes that an interrupted fit can be kept unfinished, and whether it is to be.
pub(crate) fn may_keep_partial(requested: bool) {
    CAN_KEEP_PARTIAL.store(true, Ordering::SeqCst);
    KEEP_PARTIAL.store(requested, Ordering::SeqCst);
}

/// Notes whether the current stage has done an iteration.
pub(crate) fn has_iterated(there: bool) {
    HAS_ITERATED.store(there, Ordering::SeqCst);
}

/// What to say of a run that a signal stopped.
pub(crate) fn cancelled() -> &'static str {
    let [can_keep, requested] =
        [&CAN_KEEP_PARTIAL, &KEEP_PARTIAL].map(|flag| flag.load(Ordering::SeqCst));
    match (can_keep, requested, ending()) {
        (true, false, _) => {
            "cancelled: nothing was written (`--keep-partial` writes the unfinished embedding)"
        }
        (true, true, false) => {
            "cancelled before there was an unfinished embedding: nothing was written"
        }
        _ => "cancelled: nothing was written",
    }
}

/// True once a fit should end as it is.
pub(crate) fn ending() -> bool {
    ENDING.load(Ordering::Relaxed)
}

/// True once the user has asked to stop.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Fails once the user has asked to stop.
pub(crate) fn check() -> Outcome {
    if interrupted() {
        Err(Failure::Cancelled)
    } else {
        Ok(())
    }
}

/// Does work that cannot be stopped from inside on a thread of its own, and stops waiting for it when
/// the user asks to stop.
pub(crate) fn stoppable<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Outcome<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    wait(&receiver)?.ok_or_else(|| Failure::Run("the work ended without a result".into()))
}

/// Waits for a message; `None` if there will be no more.
pub(crate) fn wait<T>(receiver: &mpsc::Receiver<T>) -> Outcome<Option<T>> {
    loop {
        check()?;
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
