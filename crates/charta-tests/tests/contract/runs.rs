//! While it runs: cancelling, progress, memory.

use std::sync::atomic::AtomicBool;

use charta::Observer;

use super::*;

#[test]
fn cancelling_at_any_event_stops_with_that_error() {
    for_each(|entry| {
        let x = sample_for(entry, 3000, 10);
        let seen = AtomicUsize::new(0);
        let count = |_: Event<'_>| {
            seen.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        fit(entry, &Run::new().observer(&count), &labelled(entry, &x)).unwrap();
        let total = seen.load(Ordering::Relaxed);
        assert!(total >= 2, "only {total} events");
        for stop_at in [1, 10.min(total), total] {
            let seen = AtomicUsize::new(0);
            let stop = |_: Event<'_>| {
                if seen.fetch_add(1, Ordering::Relaxed) + 1 == stop_at {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let outcome = fit(entry, &Run::new().observer(&stop), &labelled(entry, &x));
            assert!(
                matches!(outcome, Err(Error::Cancelled)),
                "at event {stop_at}"
            );
            assert_eq!(
                seen.load(Ordering::Relaxed),
                stop_at,
                "events after the stop"
            );
        }
    });
}

/// Asks to end after the first iteration, and notes whether the method did.
#[derive(Default)]
pub(super) struct Ends {
    iterated: AtomicBool,
    pub(super) ended: AtomicBool,
}

impl Observer for Ends {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Iterate { .. } => self.iterated.store(true, Ordering::Relaxed),
            Event::Warning(Warning::EndedEarly { .. }) => self.ended.store(true, Ordering::Relaxed),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn wants_end(&self) -> bool {
        self.iterated.load(Ordering::Relaxed)
    }
}

#[test]
fn a_fit_that_was_ended_on_request_says_so() {
    for_each(|entry| {
        let x = sample_for(entry, 300, 6);
        let observer = Ends::default();
        let run = Run::new().observer(&observer);
        let fitted = fit(entry, &run, &labelled(entry, &x)).unwrap();
        let ended = observer.ended.load(Ordering::Relaxed);
        assert_eq!(ended, entry.info.offers(Capability::Interruptible));
        let marked = |fitted: &Fitted| {
            let figures = fitted.model().diagnostics();
            figures.get("interrupted") == Some(&Figure::Flag(true))
        };
        assert_eq!(marked(&fitted), ended);
        let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
        assert_eq!(marked(&loaded), ended, "after loading");
    });
}

#[test]
fn progress_never_falls_within_a_stage() {
    for_each(|entry| {
        let x = sample_for(entry, 5000, 10);
        let last = Mutex::new((0, 0));
        let stages = AtomicUsize::new(0);
        let watch = |event: Event<'_>| {
            let mut last = last.lock().unwrap();
            match event {
                Event::Stage { name } => {
                    assert!(!name.is_empty());
                    stages.fetch_add(1, Ordering::Relaxed);
                    *last = (0, 0);
                }
                Event::Progress { done, total } => {
                    assert!(done <= total, "{done} of {total}");
                    assert!(done >= last.0, "{done} after {}", last.0);
                    *last = (done, total);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        };
        fit(entry, &Run::new().observer(&watch), &labelled(entry, &x)).unwrap();
        assert!(stages.load(Ordering::Relaxed) >= 1);
    });
}

#[test]
fn memory_is_predicted_and_a_limit_is_kept() {
    for_each(|entry| {
        let x = sample_for(entry, 300, 20);
        let shape = Shape::of(&Data::from(&x));
        let method = entry.parse(&json!({})).unwrap();
        let plan = method.plan(&shape).unwrap();
        assert!(!plan.algorithm.is_empty() && plan.bytes() > 0);
        let larger = Shape {
            n_rows: 30_000,
            n_stored: 600_000,
            ..shape
        };
        assert!(method.plan(&larger).unwrap().bytes() >= plan.bytes());
        let run = Run::new().memory_limit(1000);
        let error = fit(entry, &run, &labelled(entry, &x)).unwrap_err();
        assert!(
            matches!(error, Error::Memory { limit: 1000, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("may use 1000 B"), "{error}");
        let run = Run::new().memory_limit(plan.bytes() + shape.bytes());
        fit(entry, &run, &labelled(entry, &x)).unwrap();
    });
}
