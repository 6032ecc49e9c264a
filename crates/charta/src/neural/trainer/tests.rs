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
    for ((index, &output), slot) in outputs.indexed_iter().zip(gradient.iter_mut()) {
        let apart = output.wide() - ((index.0 * 2 + index.1) as f64).sin();
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
    let indices: Vec<usize> = (0..150).collect();
    for (activation, last) in ALL.iter().flat_map(|a| ALL.map(|last| (*a, last))) {
        let mut trainer = Trainer::new(network::<f64>(&x, activation, last), 150, 0.0);
        // Biases of 0 would put rows exactly at the bend of the rectifier.
        let mut draw = stream(23, 0);
        for numbers in trainer.network.parameters_mut() {
            numbers.mapv_inplace(|number| number + 0.1 * normal(&mut draw));
        }
        trainer.load(&features, &indices).unwrap();
        let loss_of_step = trainer.step(0.0, |o, g| Ok(loss(o, g)));
        assert!(loss_of_step.unwrap().is_finite());
        let matrices = trainer.network.parameters().len();
        for matrix in 0..matrices {
            let (n_rows, n_columns) = trainer.network.parameters()[matrix].dim();
            for index in [(0, 0), (n_rows - 1, n_columns - 1), (n_rows / 2, 0)] {
                let got = trainer.gradient[matrix][index];
                let mut value_at = |step: f64| {
                    let before = trainer.network.parameters()[matrix][index];
                    trainer.network.parameters_mut()[matrix][index] = before + step;
                    let value = trainer.evaluate(|_, o, g| Ok(loss(o, g))).unwrap();
                    trainer.network.parameters_mut()[matrix][index] = before;
                    value
                };
                let step = 1e-6;
                let want = (value_at(step) - value_at(-step)) / (2.0 * step);
                let apart = (got - want).abs() / want.abs().max(1.0);
                assert!(
                    apart < 1e-6,
                    "{activation:?}, {last:?}, matrix {matrix} at {index:?}: {got} for {want}"
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
        let loss_of_step = trainer.step(0.1, |outputs, mut gradient| {
            gradient.fill(slope);
            Ok(outputs.sum())
        });
        assert!(loss_of_step.unwrap().is_finite());
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

/// The gradient of all numbers against differences of the loss, the penalty included. Every evaluation draws the same directions.
#[test]
fn gradients_of_contractions_are_those_of_finite_differences() {
    let x = rows(100, 4);
    let indices: Vec<usize> = (0..100).collect();
    for (activation, n_layers) in [
        (Activation::Tanh, 2),
        (Activation::Gelu, 2),
        (Activation::Relu, 1),
        (Activation::Linear, 1),
        (Activation::Linear, 2),
    ] {
        let contraction = Contraction {
            n_layers,
            weight: 0.7,
            seed: 3,
        };
        let network = network::<f64>(&x, activation, Activation::Linear);
        let mut trainer = Trainer::new(network, 100, 0.0)
            .contracting(contraction)
            .unwrap();
        let mut draw = stream(29, 0);
        for numbers in trainer.network.parameters_mut() {
            numbers.mapv_inplace(|number| number + 0.1 * normal(&mut draw));
        }
        trainer.load(&Features::from(&x), &indices).unwrap();
        trainer.step(0.0, |o, g| Ok(loss(o, g))).unwrap();
        // The same step once more draws the same directions.
        trainer.n_steps = 0;
        for matrix in 0..trainer.network.parameters().len() {
            for index in [(0, 0), (0, 1)] {
                let got = trainer.gradient[matrix][index];
                let mut value_at = |step: f64| {
                    let before = trainer.network.parameters()[matrix][index];
                    trainer.network.parameters_mut()[matrix][index] = before + step;
                    let value = trainer.evaluate(|_, o, g| Ok(loss(o, g))).unwrap();
                    trainer.network.parameters_mut()[matrix][index] = before;
                    value
                };
                let step = 1e-6;
                let want = (value_at(step) - value_at(-step)) / (2.0 * step);
                let apart = (got - want).abs() / want.abs().max(1.0);
                assert!(
                    apart < 2e-6,
                    "{activation:?}, {n_layers} layers, matrix {matrix} at {index:?}: {got} for {want}"
                );
            }
        }
    }
}

/// The Jacobian of a network with one hidden layer of tanh units is W₁ diag(1 − h²) W₂.
#[test]
fn the_penalty_is_the_squared_norm_of_the_jacobian_on_average() {
    let x = rows(60, 4);
    let design = Design {
        widths: vec![4, 6, 2, 4],
        activation: Activation::Tanh,
        last: Activation::Linear,
    };
    let network = Network::<f64>::new(Standardization::none(4), &design, 5).unwrap();
    let network = network.with_activation(1, Activation::Linear);
    let hidden = network.part(0..1).unwrap().forward(&x.view());
    let mut want = 0.0;
    for row in hidden.rows() {
        let slopes = row.mapv(|h| 1.0 - h * h).insert_axis(ndarray::Axis(1));
        let jacobian = network.weights(0).dot(&(&network.weights(1) * &slopes));
        want += jacobian.iter().map(|j| j * j).sum::<f64>() / 60.0;
    }
    let contraction = Contraction {
        n_layers: 2,
        weight: 1.0,
        seed: 1,
    };
    let all = Contraction {
        n_layers: 3,
        ..contraction
    };
    assert!(
        Trainer::new(network.clone(), 60, 0.0)
            .contracting(all)
            .is_err()
    );
    let mut trainer = Trainer::new(network, 60, 0.0)
        .contracting(contraction)
        .unwrap();
    let indices: Vec<usize> = (0..60).collect();
    trainer.load(&Features::from(&x), &indices).unwrap();
    let mut mean = 0.0;
    for step in 0..400 {
        trainer.n_steps = step;
        mean += trainer.evaluate(|_, _, _| Ok(0.0)).unwrap() / 400.0;
    }
    assert!((mean / want - 1.0).abs() < 0.02, "{mean} for {want}");
}

#[test]
fn exclusive_or_is_learned() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let target = array![[0.0], [1.0], [1.0], [0.0]];
    let features = Features::from(&x);
    let design = Design {
        widths: vec![2, 8, 1],
        activation: Activation::Tanh,
        last: Activation::Linear,
    };
    let network = Network::<f64>::new(Standardization::by_column(&features), &design, 0).unwrap();
    let mut trainer = Trainer::new(network, 4, 0.0);
    let mut loss = 1.0;
    for _ in 0..500 {
        trainer.load(&features, &[0, 1, 2, 3]).unwrap();
        loss = trainer
            .step(0.03, |outputs, mut gradient| {
                gradient.assign(&(outputs - &target));
                Ok(0.5 * gradient.iter().map(|error| error * error).sum::<f64>())
            })
            .unwrap();
    }
    assert!(loss < 1e-3, "{loss}");
}
