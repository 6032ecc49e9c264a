//! Small, flat, tiny, huge and odd data; every activation; threads, precision, ending and cancelling.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::SparseRows;
use charta::methods::autoencoder::Autoencoder;
use charta::methods::autoencoder::{Activation, Learned, Noise, Training};
use charta::model::picture::Content;
use charta::{
    Data, Error, Event, Fit, InverseTransform, Model, Observer, RowErrors, Run, Transform,
};
use ndarray::{Array2, Axis};

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut draw = charta::random::stream(5, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let turn = i as f64 / n_rows as f64 * 5.0;
        3.0 * (turn * (1.0 + j as f64 / 3.0)).sin() + 0.1 * charta::random::normal(&mut draw)
    })
}

fn quick() -> Autoencoder {
    Autoencoder {
        hidden: vec![16],
        training: Training {
            n_epochs: 30,
            batch_size: 32,
            learning_rate: 0.01,
            ..Training::default()
        },
        ..Autoencoder::default()
    }
}

#[test]
fn every_activation_option_and_depth_lowers_the_loss() {
    let x = sample(300, 6);
    let mut methods = Vec::new();
    for activation in [
        Activation::Tanh,
        Activation::Relu,
        Activation::Gelu,
        Activation::Linear,
    ] {
        for hidden in [vec![], vec![16], vec![24, 12, 8]] {
            methods.push(Autoencoder {
                activation,
                hidden,
                ..quick()
            });
        }
    }
    for noise in [Noise::Gaussian, Noise::Masking] {
        methods.push(Autoencoder { noise, ..quick() });
    }
    methods.push(Autoencoder {
        contraction: 0.01,
        ..quick()
    });
    methods.push(Autoencoder {
        contraction: 0.01,
        noise: Noise::Gaussian,
        hidden: vec![24, 12],
        ..quick()
    });
    for method in methods {
        let model = method.fit(&x).unwrap();
        let losses = &model.training_loss;
        assert!(losses[losses.len() - 1] < 0.9 * losses[0], "{method:?}");
        assert!(model.loss() < 0.9, "{method:?}: {}", model.loss());
    }
}

#[test]
fn small_batches_and_small_data_are_learned() {
    for (n_rows, n_columns) in [(2, 2), (3, 7), (9, 300), (40, 2)] {
        let x = sample(n_rows, n_columns);
        let method = Autoencoder {
            training: Training {
                batch_size: 256,
                ..quick().training
            },
            ..quick()
        };
        let model = method.fit(&x).unwrap();
        assert!(model.embedding().unwrap().iter().all(|v| v.is_finite()));
        let held_out = (n_rows as f64 * 0.1) as usize;
        assert_eq!(model.n_validation, held_out);
        assert_eq!(model.validation_loss.is_empty(), held_out == 0);
    }
}

#[test]
fn what_cannot_be_learned_is_said() {
    let problem = |method: &Autoencoder, x: &Array2<f64>| method.fit(x).unwrap_err().to_string();
    let text = problem(&quick(), &sample(1, 3));
    assert!(text.contains("at least 2 rows"), "{text}");
    let text = problem(&quick(), &Array2::from_elem((30, 3), 2.5));
    assert!(text.contains("all rows are the same"), "{text}");
    let text = problem(&quick(), &(sample(30, 3) * 1e200));
    assert!(text.contains("too large"), "{text}");
    let text = problem(&quick(), &sample(30, 1));
    assert!(text.contains("at most 1"), "{text}");
    let text = problem(
        &Autoencoder {
            hidden: vec![4, 0],
            ..quick()
        },
        &sample(30, 3),
    );
    assert!(text.starts_with("`hidden` must be"), "{text}");
    let text = problem(
        &Autoencoder {
            noise: Noise::Masking,
            noise_level: 1.0,
            ..quick()
        },
        &sample(30, 3),
    );
    assert!(text.contains("below 1"), "{text}");
    let mut hole = sample(30, 3);
    hole[[7, 1]] = f64::NAN;
    let error = quick().fit(&hole).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 7, .. }), "{error}");
}

#[test]
fn steps_that_are_too_long_are_an_error_with_advice() {
    let x = sample(100, 5);
    let method = Autoencoder {
        activation: Activation::Relu,
        hidden: vec![32, 32],
        training: Training {
            learning_rate: 1e60,
            n_epochs: 200,
            ..quick().training
        },
        ..quick()
    };
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.contains("learning_rate"), "{text}");
}

#[test]
fn the_unit_of_the_data_changes_nothing_but_the_unit() {
    let x = sample(120, 4);
    let plain = quick().fit(&x).unwrap();
    for unit in [1e-100, 1e-8, 1e8, 1e100] {
        let scaled = &x * unit;
        let model = quick().fit(&scaled).unwrap();
        assert!((model.loss() / plain.loss() - 1.0).abs() < 0.01, "{unit}");
        let back = model
            .inverse_transform(&model.embedding().unwrap())
            .unwrap();
        let largest = back.iter().fold(0.0_f64, |most, v| most.max(v.abs())) / unit;
        assert!((0.5..20.0).contains(&largest), "{unit}: {largest}");
    }
}

#[test]
fn constant_columns_come_back_as_they_were() {
    let mut x = sample(100, 5);
    x.column_mut(2).fill(7.5);
    let model = quick().fit(&x).unwrap();
    let back = model
        .inverse_transform(&model.embedding().unwrap())
        .unwrap();
    assert!(back.column(2).iter().all(|&value| value == 7.5));
}

#[test]
fn single_precision_stays_and_sparse_rows_mean_the_same() {
    let x = sample(200, 6);
    let single = x.mapv(|value| value as f32);
    let model = quick().fit(&single).unwrap();
    assert!(matches!(model.network, Learned::Single(_)));
    let double = quick().fit(&x).unwrap();
    assert!((model.loss() / double.loss() - 1.0).abs() < 0.02);
    let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
    let rows = SparseRows::from_entries(200, 6, entries).unwrap();
    assert_eq!(
        double.transform(&rows).unwrap(),
        double.embedding().unwrap()
    );
}

#[test]
fn bits_do_not_depend_on_threads_with_every_option() {
    let x = sample(500, 20).mapv(|value| value as f32);
    let method = Autoencoder {
        hidden: vec![300, 40],
        noise: Noise::Masking,
        contraction: 0.01,
        training: Training {
            n_epochs: 4,
            batch_size: 200,
            weight_decay: 0.01,
            ..quick().training
        },
        ..quick()
    };
    let model = |threads| {
        let run = Run::new().threads(threads).unwrap();
        method.fit_with(&run, &x).unwrap()
    };
    let one = model(1);
    assert!(one == model(2) && one == model(7));
}

#[test]
fn rows_unlike_the_others_have_the_largest_errors() {
    let x = sample(300, 8);
    let model = quick().fit(&x).unwrap();
    let mut odd = x.slice(ndarray::s![..20, ..]).to_owned();
    odd.row_mut(4).fill(9.0);
    let errors = model.row_errors(&odd).unwrap();
    let placed = model.transform(&odd).unwrap();
    let back = model.inverse_transform(&placed.view()).unwrap();
    let squares = (&odd - &back).mapv(|v| v * v).sum_axis(Axis(1));
    for (row, error) in errors.iter().enumerate() {
        assert!((error - squares[row]).abs() <= 1e-9 * squares[row]);
        assert!(row == 4 || *error < errors[4]);
    }
}

#[test]
fn losses_are_drawn_and_shown_while_it_runs() {
    let x = sample(200, 5);
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Iterate { step, loss, .. } = event {
            seen.lock().unwrap().push((step, loss.unwrap()));
        }
        ControlFlow::Continue(())
    };
    let model = quick().fit_with(&Run::new().observer(&listen), &x).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), model.validation_loss.len());
    assert_eq!(seen[3], (4, model.validation_loss[3]));
    let pictures = model.pictures();
    let Content::Curves(curves) = &pictures[0].content else {
        panic!("curves");
    };
    assert_eq!(curves.lines.len(), 2);
    assert_eq!(curves.chosen, Some(model.best_epoch));
}

struct EndAfter(Mutex<usize>, usize);

impl Observer for EndAfter {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        if let Event::Iterate { .. } = event {
            *self.0.lock().unwrap() += 1;
        }
        ControlFlow::Continue(())
    }

    fn wants_end(&self) -> bool {
        *self.0.lock().unwrap() >= self.1
    }
}

#[test]
fn a_training_can_be_ended_and_cancelled() {
    let x = sample(200, 5);
    let ended = EndAfter(Mutex::new(0), 3);
    let run = Run::new().observer(&ended);
    let model = quick().fit_with(&run, Data::from(&x)).unwrap();
    assert_eq!(model.training_loss.len(), 3);
    let stop = |event: Event<'_>| match event {
        Event::Iterate { step: 3, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let outcome = quick().fit_with(&Run::new().observer(&stop), &x);
    assert!(matches!(outcome, Err(Error::Cancelled)));
}
