//! Several views and targets: what CCA and PLS do at the edges, and what they promise of each other.

mod canonical;
mod latent;

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::random::{normal, stream};
use charta::{Event, Run, Warning};
use ndarray::Array2;

fn noise(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    Array2::from_shape_fn((n_rows, n_columns), |_| normal(&mut draw))
}

/// What `work` returns, and the warnings that it sent.
fn warned<T>(work: impl FnOnce(&Run<'_>) -> T) -> (T, Vec<Warning>) {
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let result = work(&Run::new().observer(&listen));
    (result, seen.into_inner().unwrap())
}

fn assert_near(what: &str, a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) {
    assert_eq!(a.dim(), b.dim(), "{what}");
    let apart = (a - b).iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    assert!(apart <= tolerance, "{what}: off by {apart:.1e}");
}
