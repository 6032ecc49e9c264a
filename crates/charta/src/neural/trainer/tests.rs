use ndarray::{Array2, array};

use super::*;
use crate::neural::{Activation, Design, Standardization, Training};
use crate::random::{normal, stream};

const ALL: [Activation; 4] = [
    Activation::Tanh,
    Activation::Relu,
    Activation::Gelu,
    Activation::Linear,
];

fn rows(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut draw = stream(17, 0);
    Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut draw))
}

/// A network of two hidden layers with a shortcut.
fn network<T: Exponential>(
    x: &Array2<f64>,
    activation: Activation,
    last: Activation,
) -> Network<T> {
    let input = Standardization::by_column(&Features::from(x));
    let design = Design {
        widths: vec![x.ncols(), 6, 5, 2],
        activation,
        last,
    };
    let shortcut =
        Array2::from_shape_fn((x.ncols(), 2), |(i, j)| T::of(((i + 2 * j) as f64).cos()));
    let network = Network::new(input, &design, 5).unwrap();
    network.with_shortcut(shortcut).unwrap()
}

/// Σ (o − t)² / 2 with t = sin of the place, and its gradient.
fn loss<T: Exponential>(outputs: &ArrayView2<'_, T>, mut gradient: ArrayViewMut2<'_, T>) -> f64 {
    let mut sum = 0.0;
    for ((place, &output), slot) in outputs.indexed_iter().zip(gradient.iter_mut()) {
        let apart = output.wide() - ((place.0 * 2 + place.1) as f64).sin();
        *slot = T::of(apart);
        sum += 0.5 * apart * apart;
    }
    sum
}

#[test]
fn gradients_are_those_of_finite_differences_for_every_activation() {
    // More rows than a block, so that sums over blocks are part of it.
    let x = rows(150, 4);
    let features = Features::from(&x);
    let places: Vec<usize> = (0..150).collect();
    for (activation, last) in ALL.iter().flat_map(|a| ALL.map(|last| (*a, last))) {
        let mut trainer = Trainer::new(network::<f64>(&x, activation, last), 150, 0.0);
        // Biases of 0 would put rows exactly at the bend of the rectifier.
        let mut draw = stream(23, 0);
        for numbers in trainer.network.parameters_mut() {
            numbers.mapv_inplace(|number| number + 0.1 * normal(&mut draw));
        }
        trainer.load(&features, &places).unwrap();
        trainer.forward();
        loss(&trainer.outputs.view(), trainer.gradient.view_mut());
        trainer.backward();
        let matrices = trainer.network.parameters().len();
        for matrix in 0..matrices {
            let (n_rows, n_columns) = trainer.network.parameters()[matrix].dim();
            for place in [(0, 0), (n_rows - 1, n_columns - 1), (n_rows / 2, 0)] {
                let got: f64 = trainer
                    .spaces
                    .iter()
                    .map(|s| s.gradient[matrix][place])
                    .sum();
                let mut value_at = |step: f64| {
                    let before = trainer.network.parameters()[matrix][place];
                    trainer.network.parameters_mut()[matrix][place] = before + step;
                    trainer.forward();
                    trainer.network.parameters_mut()[matrix][place] = before;
                    let mut unused = Array2::zeros((150, 2));
                    loss(&trainer.outputs.view(), unused.view_mut())
                };
                let step = 1e-6;
                let want = (value_at(step) - value_at(-step)) / (2.0 * step);
                let apart = (got - want).abs() / want.abs().max(1.0);
                assert!(
                    apart < 1e-6,
                    "{activation:?}, {last:?}, matrix {matrix} at {place:?}: {got} for {want}"
                );
            }
        }
    }
}

#[test]
fn steps_are_those_of_adam_with_decoupled_decay() {
    // One weight w with the loss w x: torch.optim.AdamW(lr=0.1, weight_decay=0.5), by its formula.
    let x = array![[2.0], [1.0]];
    let design = Design {
        widths: vec![1, 1],
        activation: Activation::Linear,
        last: Activation::Linear,
    };
    let network = Network::<f64>::new(Standardization::none(1), &design, 0)
        .and_then(|network| network.with_weights(0, array![[3.0]]))
        .unwrap();
    let mut trainer = Trainer::new(network, 2, 0.5);
    let (mut weight, mut mean, mut square) = (3.0_f64, 0.0_f64, 0.0_f64);
    for step in 1..=5 {
        let slope = f64::from(step);
        trainer.load(&Features::from(&x), &[0, 1]).unwrap();
        let told = trainer.step(0.1, |outputs, mut gradient| {
            gradient.fill(slope);
            Ok(outputs.sum())
        });
        assert!(told.unwrap().is_finite());
        let g = 3.0 * slope;
        mean = 0.9 * mean + 0.1 * g;
        square = 0.999 * square + 0.001 * g * g;
        let (m, v) = (
            mean / (1.0 - 0.9_f64.powi(step)),
            square / (1.0 - 0.999_f64.powi(step)),
        );
        weight = weight * (1.0 - 0.1 * 0.5) - 0.1 * m / (v.sqrt() + 1e-8);
        assert!((trainer.network().weights(0)[[0, 0]] - weight).abs() < 1e-9);
    }
}

#[test]
fn a_loss_that_is_not_finite_moves_nothing() {
    let x = rows(5, 3);
    let mut trainer = Trainer::new(
        network::<f64>(&x, Activation::Tanh, Activation::Linear),
        5,
        0.1,
    );
    let before = trainer.network().clone();
    trainer.load(&Features::from(&x), &[0, 1, 2]).unwrap();
    assert!(trainer.step(0.1, |_, _| Ok(f64::NAN)).unwrap().is_nan());
    assert_eq!(*trainer.network(), before);
    assert!(trainer.load(&Features::from(&x), &[0; 6]).is_err());
}

fn trained<T: Exponential>(n_threads: usize) -> Network<T> {
    let x = rows(500, 30);
    let training = Training {
        n_epochs: 3,
        batch_size: 200,
        ..Training::default()
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .unwrap();
    pool.install(|| {
        let network = network::<T>(&x, Activation::Gelu, Activation::Linear);
        let mut trainer = Trainer::new(network, training.most_rows(500), 0.01);
        for epoch in 0..training.n_epochs {
            let order = training.order(epoch, 500);
            for batch in training.batches(500) {
                trainer.load(&Features::from(&x), &order[batch]).unwrap();
                trainer.step(0.01, |o, g| Ok(loss(o, g))).unwrap();
            }
        }
        trainer.into_network()
    })
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads() {
    assert!(trained::<f64>(1) == trained::<f64>(3));
    assert!(trained::<f32>(1) == trained::<f32>(2));
}
