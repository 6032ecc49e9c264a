//! Discriminant analysis and the Karhunen–Loève expansion: worked by hand, by definition, at the
//! edges.

mod by_definition;
mod by_hand;
mod edges;

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::Priors;
use charta::dimension::ComponentCount;
use charta::methods::karhunen_loeve::{KarhunenLoeve, Kept};
use charta::methods::lda::LdaModel;
use charta::methods::lda::Shrinkage;
use charta::methods::lda::Singular;
use charta::methods::lda::{Centre, Lda, Pooling, Solver};
use charta::random::{normal, stream};
use charta::{
    Data, Event, Fit, InverseTransform, Labels, Model, Predict, Prediction, Result, Run, Transform,
    Warning,
};
use ndarray::{Array1, Array2, Axis, array};

fn near(what: &str, ours: &Array2<f64>, want: &Array2<f64>, tolerance: f64) {
    assert_eq!(ours.dim(), want.dim(), "{what}");
    for (place, entry) in ours.indexed_iter() {
        let error = (entry - want[place]).abs();
        assert!(
            error <= tolerance,
            "{what}{place:?}: {entry} against {}",
            want[place]
        );
    }
}

fn row(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((1, values.len()), values.to_vec()).unwrap()
}

/// Classes `0`, `1`, … in turn, each with a mean and a scatter of its own.
fn sample(n_rows: usize, n_columns: usize, n_classes: usize) -> (Array2<f64>, Labels<'static>) {
    let mut numbers = stream(3, 0);
    let x = Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let class = (i % n_classes) as f64;
        let mean = 2.0 * ((class + 1.0) * (j as f64 + 1.0)).sin();
        mean + (1.0 + 0.2 * class + 0.1 * j as f64) * normal(&mut numbers)
    });
    let words: Vec<String> = (0..n_rows).map(|i| (i % n_classes).to_string()).collect();
    (x, Labels::from_words(&words))
}

fn labelled<'a>(x: &'a Array2<f64>, labels: &'a Labels<'_>) -> Data<'a> {
    Data::from(x).with_labels(labels.reborrow()).unwrap()
}

/// The outcome of a fit, with its warnings.
fn watched<M: Fit>(method: &M, data: &Data<'_>) -> (Result<M::Model>, Vec<Warning>) {
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let outcome = method.fit_with(&Run::new().observer(&listen), data);
    (outcome, warnings.into_inner().unwrap())
}

fn probabilities(model: &LdaModel, x: &Array2<f64>) -> (Vec<u32>, Array2<f64>, Array2<f64>) {
    match model.predict(x).unwrap() {
        Prediction::Classes {
            of_row,
            probabilities,
            decisions,
            ..
        } => (of_row, probabilities, decisions),
        other => panic!("{other:?}"),
    }
}
