//! Ctrl-C: the first asks the run to stop, the second ends the process at once. While a map is being improved one comes before
//! them, which asks for the map as it is.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Outcome};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicBool = AtomicBool::new(false);
/// Whether there is a map that could be kept.
static HAS_MAP: AtomicBool = AtomicBool::new(false);

/// How long a wait lasts before it looks at the flag again.
const GLANCE: Duration = Duration::from_millis(50);

/// Starts to listen for Ctrl-C and for requests to end.
pub(crate) fn listen() {
    let heard = || {
        if HAS_MAP.load(Ordering::SeqCst) && !ENDING.swap(true, Ordering::SeqCst) {
            say("ending with the map as it is; press Ctrl-C again to stop without it");
            return;
        }
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            // Output files are written under hidden names first, so that ending here spoils none.
            std::process::exit(i32::from(Failure::Cancelled.code()));
        }
        say("stopping; press Ctrl-C again to stop at once");
    };
    // Where signals cannot be had, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(heard);
}

fn say(line: &str) {
    let mut screen = std::io::stderr();
    if screen.is_terminal() {
        let _ = writeln!(screen, "\n{line}");
    }
}

/// Notes whether there is a map that could be kept as it is.
pub(crate) fn has_map(there: bool) {
    HAS_MAP.store(there, Ordering::SeqCst);
}

/// True once the user is content with the map as it is.
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
        match receiver.recv_timeout(GLANCE) {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
