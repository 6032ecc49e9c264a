//! Where a run is: a bar on a terminal; elsewhere warnings and notes only; warnings only if asked.

use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use charta::error::Warning;
use charta::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::complain;
use crate::error_wording::Words;
use crate::{format, signals};

/// Milliseconds between two updates of the screen.
const PAUSE: u64 = 50;
/// Stages shorter than this leave no line on a terminal: the summary has their times.
const WORTH_A_LINE: f64 = 0.5;

/// A stage that is over.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// What it did.
    pub(crate) name: String,
    /// How long.
    pub(crate) seconds: f64,
}

/// Watches a run.
pub(crate) struct Progress {
    display: Display,
    state: Mutex<State>,
    started: Instant,
    /// Milliseconds from the start to the last update of the bar, and of the text beside it.
    moved: AtomicU64,
    worded: AtomicU64,
}

enum Display {
    Warnings,
    Messages,
    Bar(ProgressBar),
}

#[derive(Default)]
struct State {
    stage: Option<(String, Instant)>,
    has_length: bool,
    done: Vec<Stage>,
    warnings: Vec<String>,
    notes: Vec<String>,
    ended_early: bool,
}

impl Progress {
    /// Shows on standard error what suits it.
    pub(crate) fn new(quiet: bool) -> Self {
        let display = if quiet {
            Display::Warnings
        } else if stderr().is_terminal() {
            Display::Bar(ProgressBar::with_draw_target(
                Some(0),
                ProgressDrawTarget::stderr(),
            ))
        } else {
            Display::Messages
        };
        let started = Instant::now();
        Self {
            display,
            state: Mutex::default(),
            started,
            moved: AtomicU64::new(0),
            worded: AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage begins; the one before is over.
    pub(crate) fn stage(&self, name: &str) {
        let mut state = self.state();
        self.end_stage(&mut state);
        state.stage = Some((name.into(), Instant::now()));
        state.has_length = false;
        if let Display::Bar(bar) = &self.display {
            bar.set_style(style("{spinner} {prefix} {elapsed}  {msg}"));
            bar.set_prefix(name.to_string());
            bar.set_message("");
            bar.reset();
            bar.enable_steady_tick(Duration::from_millis(100));
            // What the new stage reports first is shown at once.
            self.moved.store(0, Ordering::Relaxed);
            self.worded.store(0, Ordering::Relaxed);
        }
    }

    fn end_stage(&self, state: &mut State) {
        let Some((name, began)) = state.stage.take() else {
            return;
        };
        let seconds = began.elapsed().as_secs_f64();
        if let Display::Bar(bar) = &self.display
            && seconds >= WORTH_A_LINE
        {
            bar.suspend(|| complain(&format!("✓ {name}  {}", format::seconds(seconds))));
        }
        match state.done.last_mut() {
            // A method that goes back and forth within a stage has done one thing.
            Some(last) if last.name == name => last.seconds += seconds,
            _ => state.done.push(Stage { name, seconds }),
        }
    }

    /// The current stage has come so far.
    pub(crate) fn advance(&self, done: u64, total: u64) {
        let Display::Bar(bar) = &self.display else {
            return;
        };
        if done < total && self.too_soon(&self.moved) {
            return;
        }
        let mut state = self.state();
        if !state.has_length && total > 0 {
            state.has_length = true;
            bar.set_style(style(
                "{spinner} {prefix} {bar:30.cyan/dim} {percent:>3} %  {elapsed}  {msg}",
            ));
        }
        bar.set_length(total);
        bar.set_position(done);
    }

    fn too_soon(&self, updated: &AtomicU64) -> bool {
        let now = self.started.elapsed().as_millis() as u64;
        let last = updated.load(Ordering::Relaxed);
        if last > 0 && now < last + PAUSE {
            return true;
        }
        updated.store(now, Ordering::Relaxed);
        false
    }

    fn iterate(&self, step: u64, loss: Option<f64>) {
        let Display::Bar(bar) = &self.display else {
            return;
        };
        if !self.too_soon(&self.worded) {
            let loss = loss.map(|loss| format!(", loss {}", format::number(loss)));
            bar.set_message(format!("iteration {step}{}", loss.unwrap_or_default()));
        }
    }

    /// Something is doubtful: shown at once, even when all else is quiet.
    pub(crate) fn warn(&self, warning: String) {
        self.say(&format!("warning: {warning}"));
        self.state().warnings.push(warning);
    }

    /// Something was decided automatically.
    pub(crate) fn note(&self, note: &str) {
        if !matches!(self.display, Display::Warnings) {
            self.say(&format!("note: {note}"));
        }
        self.state().notes.push(note.into());
    }

    fn say(&self, line: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| complain(line)),
            _ => complain(line),
        }
    }

    /// The last stage is over, and so is the display.
    pub(crate) fn finish(&self) {
        self.end_stage(&mut self.state());
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    /// The stages that are over.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        self.state().done.clone()
    }

    /// All warnings so far.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.state().warnings.clone()
    }

    /// All notes so far.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.state().notes.clone()
    }

    /// True if the fit ended before its last iteration because a signal came.
    pub(crate) fn ended_early(&self) -> bool {
        self.state().ended_early
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl Drop for Progress {
    /// Whatever ends the run, the screen is left clean.
    fn drop(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Stage { name } => {
                signals::has_iterated(false);
                self.stage(name);
            }
            Event::Progress { done, total } => self.advance(done, total),
            Event::Iterate { step, loss, .. } => {
                signals::has_iterated(true);
                self.iterate(step, loss);
            }
            Event::Warning(warning) => {
                if let Warning::EndedEarly { .. } = warning {
                    self.state().ended_early = true;
                }
                self.warn(Words::plain(|words| warning.render(words)));
            }
            _ => {}
        }
        if signals::interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn wants_stop(&self) -> bool {
        signals::interrupted()
    }

    fn wants_end(&self) -> bool {
        signals::ending()
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸─")
}
