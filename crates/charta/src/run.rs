//! Runs: threads, memory limit, and the observer of progress and warnings.
//!
//! A [`Run`] is passed down through every stage. Stages report their progress to it; it reports to the
//! [`Observer`], whose answer can stop the run.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::ArrayView2;

use crate::error::{Error, Result, Warning};

/// Something that happened during a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage begins.
    Stage {
        /// What it does, in a few words: "covariance", "eigenvectors".
        name: &'a str,
    },
    /// The current stage has done `done` of `total` steps. Never falls within a stage.
    Progress {
        /// Steps done.
        done: u64,
        /// Steps in all.
        total: u64,
    },
    /// An iterative method has a new state.
    Iterate {
        /// Which iteration, counted from 1.
        step: u64,
        /// The value of what is minimized, where known.
        loss: Option<f64>,
        /// The layout as it stands, where there is one.
        layout: Option<ArrayView2<'a, f64>>,
    },
    /// The result will exist, but the user should know this.
    Warning(&'a Warning),
}

/// Whoever watches a run. Answering [`ControlFlow::Break`] stops it with [`Error::Cancelled`].
pub trait Observer: Sync {
    /// Takes one event.
    fn event(&self, event: Event<'_>) -> ControlFlow<()>;

    /// True once the run should stop. Asked often, by any thread, also where there is nothing to
    /// report.
    fn wants_stop(&self) -> bool {
        false
    }

    /// True once an iterative fit should end with what it has reached. Asked between two steps of those methods that are
    /// [interruptible](crate::method::Capability::Interruptible); the result is a model like any other, with a warning.
    fn wants_end(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: Event<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Passes nothing on, and stops when another run does: for fits within a fit, whose stages and warnings are not the user's
/// concern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet<'a, 'b>(pub(crate) &'a Run<'b>);

impl Observer for Quiet<'_, '_> {
    fn event(&self, _: Event<'_>) -> ControlFlow<()> {
        if self.wants_stop() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn wants_stop(&self) -> bool {
        self.0.check().is_err()
    }

    fn wants_end(&self) -> bool {
        self.0.wants_end()
    }
}

impl<F: Fn(Event<'_>) -> ControlFlow<()> + Sync> Observer for F {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// Threads, memory limit and observer of one execution.
///
/// ```
/// use charta::{Fit, Run, methods::pca::Pca};
/// let data = charta::data::synthetic::swiss_roll(100, 0.0, 0)?;
/// let run = Run::new().threads(2)?;
/// let model = Pca::default().fit_with(&run, &data.features)?;
/// # Ok::<(), charta::Error>(())
/// ```
pub struct Run<'a> {
    pool: Option<Arc<rayon::ThreadPool>>,
    observer: &'a dyn Observer,
    memory_limit: Option<u64>,
    stopped: AtomicBool,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("threads", &self.n_threads())
            .field("memory_limit", &self.memory_limit)
            .finish_non_exhaustive()
    }
}

impl<'a> Run<'a> {
    /// A run on all cores without an observer.
    pub fn new() -> Self {
        Self {
            pool: None,
            observer: &Silent,
            memory_limit: None,
            stopped: AtomicBool::new(false),
        }
    }

    /// Uses this many threads. The result does not depend on it.
    pub fn threads(mut self, n_threads: usize) -> Result<Self> {
        if n_threads == 0 {
            return Err(Error::at_least("threads", 1, 0_usize));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .map_err(|error| Error::Threads {
                count: n_threads,
                problem: error.to_string(),
            })?;
        self.pool = Some(Arc::new(pool));
        Ok(self)
    }

    /// Sends events to `observer`.
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Refuses to start what is predicted to need more bytes than this.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The bytes this run may use, if limited.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.memory_limit
    }

    /// How many threads the run uses.
    pub fn n_threads(&self) -> usize {
        match &self.pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        }
    }

    /// Does `work` on the run's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// A stage begins.
    pub fn stage(&self, name: &str) -> Result<()> {
        self.send(Event::Stage { name })
    }

    /// The stage has done `done` of `total` steps.
    pub fn progress(&self, done: u64, total: u64) -> Result<()> {
        self.send(Event::Progress { done, total })
    }

    /// An iteration is over.
    pub(crate) fn iterate(
        &self,
        step: u64,
        loss: Option<f64>,
        layout: Option<ArrayView2<'_, f64>>,
    ) -> Result<()> {
        self.send(Event::Iterate { step, loss, layout })
    }

    /// Something is doubtful.
    pub fn warn(&self, warning: Warning) -> Result<()> {
        self.send(Event::Warning(&warning))
    }

    /// Fails once the observer has cancelled the run: for inner loops that have nothing to report.
    pub fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) || self.observer.wants_stop() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// True once the observer is content with the layout as it is.
    pub fn wants_end(&self) -> bool {
        self.observer.wants_end()
    }

    fn send(&self, event: Event<'_>) -> Result<()> {
        self.check()?;
        match self.observer.event(event) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                self.stopped.store(true, Ordering::Relaxed);
                Err(Error::Cancelled)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn breaking_once_stops_the_run_for_good() {
        let calls = AtomicU64::new(0);
        let observer = |_: Event<'_>| {
            calls.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Break(())
        };
        let run = Run::new().observer(&observer);
        assert_eq!(run.stage("a"), Err(Error::Cancelled));
        assert_eq!(run.progress(1, 2), Err(Error::Cancelled));
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn zero_threads_is_an_error() {
        assert!(Run::new().threads(0).is_err());
        assert_eq!(Run::new().threads(3).unwrap().n_threads(), 3);
    }
}
