//! One run on behalf of Python: other threads of Python go on meanwhile, Ctrl-C stops it, and events are reported.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use charta::{Event, Observer, Run, Warning};
use numpy::ToPyArray;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{EngineMessage, exception, panicked};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(20);
/// Progress is reported no more often than this.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// What Python requests of a run.
pub(crate) struct Session {
    threads: Option<usize>,
    memory: Option<u64>,
    /// Called with (stage, done, total, step, loss, layout); a true answer ends a layout where it is.
    listener: Option<Py<PyAny>>,
    /// Called with (kind, message) for each warning.
    warn: Option<Py<PyAny>>,
}

impl Session {
    pub(crate) fn of(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let item = |name: &str| -> PyResult<_> {
            Ok(given.get_item(name)?.filter(|value| !value.is_none()))
        };
        Ok(Self {
            threads: item("threads")?.map(|value| value.extract()).transpose()?,
            memory: item("memory")?.map(|value| value.extract()).transpose()?,
            listener: item("listener")?.map(Bound::unbind),
            warn: item("warn")?.map(Bound::unbind),
        })
    }

    /// Works on threads of its own, and lets go of Python until that is done or a signal came.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Run<'_>) -> charta::Result<T> + Send,
    ) -> PyResult<T> {
        let watch = Watch::new(
            self.listener
                .as_ref()
                .map(|listener| listener.clone_ref(py)),
        );
        let (threads, memory) = (self.threads(), self.memory);
        let outcome = py.detach(|| {
            supervised(&watch, move |watch: &Watch| {
                // A pool for each run: one that lived longer would not survive a fork of the process.
                let mut run = Run::new().threads(threads)?.observer(watch);
                if let Some(bytes) = memory {
                    run = run.memory_limit(bytes);
                }
                work(&run)
            })
        });
        let (failure, warnings) = watch.into_parts();
        if let Some(failure) = failure {
            return Err(failure);
        }
        for warning in warnings {
            self.tell(py, &warning)?;
        }
        outcome?.map_err(|error| exception(&error))
    }

    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, Into::into);
        self.threads.unwrap_or_else(all)
    }

    fn tell(&self, py: Python<'_>, warning: &Warning) -> PyResult<()> {
        let Some(warn) = &self.warn else {
            return Ok(());
        };
        let kind = match warning {
            Warning::NotConverged { .. } => "convergence",
            Warning::MoreComponents { .. } => "dimensionality",
            _ => "other",
        };
        warn.call1(py, (kind, EngineMessage::from(warning.clone())))
            .map(drop)
    }
}

/// Runs `work` on another thread and looks for signals on this one.
fn supervised<T: Send>(
    watch: &Watch,
    work: impl FnOnce(&Watch) -> charta::Result<T> + Send,
) -> PyResult<charta::Result<T>> {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let worker = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(watch)));
            // The receiver waits for this alone.
            let _ = sender.send(outcome);
        };
        std::thread::Builder::new()
            .name("charta".into())
            .spawn_scoped(scope, worker)
            .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(Ok(outcome)) => return Ok(outcome),
                Ok(Err(cause)) => return Err(panicked(cause.as_ref())),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(signal) = Python::attach(|py| -> PyResult<()> { py.check_signals() })
                    {
                        watch.fail(signal);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the run ended without a result"));
                }
            }
        }
    })
}

/// Observes a run: passes on events, and stops it on request.
struct Watch {
    listener: Option<Py<PyAny>>,
    stage: Mutex<(String, Option<Instant>)>,
    warnings: Mutex<Vec<Warning>>,
    failure: Mutex<Option<PyErr>>,
    stop: AtomicBool,
    end: AtomicBool,
}

impl Watch {
    fn new(listener: Option<Py<PyAny>>) -> Self {
        Self {
            listener,
            stage: Mutex::default(),
            warnings: Mutex::default(),
            failure: Mutex::default(),
            stop: AtomicBool::new(false),
            end: AtomicBool::new(false),
        }
    }

    fn fail(&self, error: PyErr) {
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
        self.stop.store(true, Ordering::Relaxed);
    }

    fn into_parts(self) -> (Option<PyErr>, Vec<Warning>) {
        let failure = self.failure.into_inner().unwrap_or_default();
        (failure, self.warnings.into_inner().unwrap_or_default())
    }

    /// True if it is time to report progress again.
    fn is_time(&self, last: bool) -> bool {
        let Ok(mut stage) = self.stage.lock() else {
            return false;
        };
        let now = Instant::now();
        let early = stage.1.is_some_and(|before| now - before < REPORT_INTERVAL);
        if early && !last {
            return false;
        }
        stage.1 = Some(now);
        true
    }

    fn tell(&self, listener: &Py<PyAny>, event: &Event<'_>) -> PyResult<()> {
        if let Event::Stage { name } = event
            && let Ok(mut stage) = self.stage.lock()
        {
            *stage = (name.to_string(), None);
        }
        if let Event::Progress { done, total } = event
            && !self.is_time(done == total)
        {
            return Ok(());
        }
        let stage = self
            .stage
            .lock()
            .map(|stage| stage.0.clone())
            .unwrap_or_default();
        Python::attach(|py| {
            let none = py.None();
            let answer = match event {
                Event::Progress { done, total } => {
                    listener.call1(py, (stage, *done, *total, &none, &none, &none))?
                }
                Event::Iterate { step, loss, layout } => {
                    let layout = layout.as_ref().map(|layout| layout.to_pyarray(py));
                    listener.call1(py, (stage, &none, &none, *step, *loss, layout))?
                }
                _ => listener.call1(py, (stage, &none, &none, &none, &none, &none))?,
            };
            if answer.is_truthy(py)? {
                self.end.store(true, Ordering::Relaxed);
            }
            Ok(())
        })
    }
}

impl Observer for Watch {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        if let Event::Warning(warning) = event {
            if let Ok(mut warnings) = self.warnings.lock() {
                warnings.push(warning.clone());
            }
        } else if let Some(listener) = &self.listener
            && let Err(error) = self.tell(listener, &event)
        {
            self.fail(error);
        }
        if self.wants_stop() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn wants_end(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }
}
