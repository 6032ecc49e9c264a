//! Learned maps on the digits: the autoencoder beside PCA, parametric maps beside free ones, edges.

mod edges;
mod held_out;

use charta::data::OwnedFeatures;
use charta::dimension::Components;
use charta::methods::autoencoder::Autoencoder;
use charta::methods::autoencoder::{Activation, Learned, Noise, Training};
use charta::methods::pca::Pca;
use charta::{Data, Fit, InverseTransform, Model, RowErrors, Transform};
use charta_io::{Content, ReadOptions, Table, read};
use ndarray::{Array2, ArrayView2, Axis};

fn table() -> Table {
    read("digits", &ReadOptions::default()).unwrap()
}

fn digits() -> Array2<f64> {
    let Content::Features(OwnedFeatures::F64(x)) = table().content else {
        panic!("digits are in double precision");
    };
    x
}

/// The mean squared distance between rows, by its definition.
fn mean_square(x: &ArrayView2<'_, f64>, y: &ArrayView2<'_, f64>) -> f64 {
    (x - y).mapv(|apart| apart * apart).sum() / x.nrows() as f64
}

fn straight(n_components: usize) -> Autoencoder {
    Autoencoder {
        n_components,
        hidden: vec![],
        activation: Activation::Linear,
        validation_share: 0.0,
        training: Training {
            n_epochs: 150,
            batch_size: 128,
            learning_rate: 0.03,
            ..Training::default()
        },
        ..Autoencoder::default()
    }
}

/// Columns of unit length at right angles, by Gram and Schmidt, twice.
fn orthonormal(columns: &Array2<f64>) -> Array2<f64> {
    let mut basis = columns.clone();
    for j in 0..basis.ncols() {
        for _ in 0..2 {
            for i in 0..j {
                let share = basis.column(i).dot(&basis.column(j));
                let other = basis.column(i).to_owned();
                basis.column_mut(j).scaled_add(-share, &other);
            }
        }
        let length = basis.column(j).dot(&basis.column(j)).sqrt();
        basis.column_mut(j).mapv_inplace(|value| value / length);
    }
    basis
}

/// The sine of the largest angle between two planes of orthonormal columns: no vector of one is further from the other.
fn largest_sine(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let apart = a - &b.dot(&b.t().dot(a));
    // The square root of the largest eigenvalue of apartᵀ apart, by powers.
    let gram = apart.t().dot(&apart);
    let mut vector = Array2::ones((gram.nrows(), 1));
    let mut value = 0.0;
    for _ in 0..200 {
        let next = gram.dot(&vector);
        value = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        if value == 0.0 {
            break;
        }
        vector = next / value;
    }
    value.sqrt()
}

#[test]
fn a_straight_one_reaches_pca_and_spans_its_plane() {
    let x = digits();
    for n_components in [2_usize, 10] {
        let pca = Pca {
            n_components: Components::Count(n_components),
            ..Pca::default()
        };
        let pca = pca.fit(&x).unwrap();
        let back = pca.inverse_transform(&pca.embedding().unwrap()).unwrap();
        let least = mean_square(&x.view(), &back.view());
        let model = straight(n_components).fit(&x).unwrap();
        let back = model
            .inverse_transform(&model.embedding().unwrap())
            .unwrap();
        let reached = mean_square(&x.view(), &back.view());
        let Learned::Double(network) = &model.network else {
            panic!("double precision");
        };
        let axes = pca.axes().unwrap().t().to_owned();
        // The decoder's weights span the plane that rows are led back to; the coordinates span those of PCA.
        let decoder = orthonormal(&network.weights(1).t().to_owned());
        let sine = largest_sine(&decoder, &axes);
        let centred = |z: ArrayView2<'_, f64>| &z - &z.mean_axis(Axis(0)).unwrap();
        let own = orthonormal(&centred(model.embedding().unwrap()));
        let other = largest_sine(&own, &orthonormal(&centred(pca.embedding().unwrap())));
        eprintln!(
            "{n_components} components: PCA {least:.4}, straight {reached:.4} ({:.3} %), sines of the largest angles {sine:.4} \
             and {other:.4}",
            100.0 * (reached / least - 1.0)
        );
        assert!(reached < 1.01 * least && reached > least * (1.0 - 1e-9));
        assert!(sine < 0.1 && other < 0.1);
    }
}

#[test]
fn a_bent_one_loses_less_than_pca() {
    let x = digits();
    let pca = Pca::default().fit(&x).unwrap();
    let pca = pca.diagnostics().value("reconstruction_error").unwrap();
    let method = Autoencoder {
        hidden: vec![32],
        ..Autoencoder::default()
    };
    let model = method.fit(&x).unwrap();
    let report = model.diagnostics();
    let error = report.value("reconstruction_error").unwrap();
    let back = model
        .inverse_transform(&model.embedding().unwrap())
        .unwrap();
    let measured = mean_square(&x.view(), &back.view());
    assert!((measured / error - 1.0).abs() < 1e-9);
    let rows = model.row_errors(&x).unwrap();
    assert!((rows.mean().unwrap() / error - 1.0).abs() < 1e-9);
    let variance = x.var_axis(Axis(0), 0.0).sum();
    assert!((model.loss() / (error / variance) - 1.0).abs() < 1e-9);
    eprintln!(
        "64-32-2 on digits: {error:.2}, PCA {pca:.2}: {:.3} of it; loss {:.3}, epochs {:?}, best {:?}",
        error / pca,
        model.loss(),
        report.value("n_epochs"),
        report.value("best_epoch"),
    );
    assert!(error < 0.75 * pca);
}

#[test]
fn losses_are_those_of_rows_not_seen_and_the_best_weights_are_kept() {
    let x = digits();
    let method = Autoencoder {
        hidden: vec![256],
        n_components: 8,
        patience: 5,
        validation_share: 0.5,
        training: Training {
            n_epochs: 200,
            batch_size: 64,
            learning_rate: 0.01,
            ..Training::default()
        },
        ..Autoencoder::default()
    };
    let model = method.fit(&x).unwrap();
    let parts = &model;
    let losses = &parts.validation_loss;
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(losses[parts.best_epoch - 1], least);
    assert_eq!(parts.n_validation, 898);
    let done = parts.training_loss.len();
    assert!(done == 200 || done == parts.best_epoch + 5, "{done}");
    assert!(parts.training_loss[parts.best_epoch - 1] < least);
    eprintln!(
        "ended after {done} epochs, best {}: {least:.4} for rows not seen, {:.4} for those of the training",
        parts.best_epoch,
        parts.training_loss[parts.best_epoch - 1]
    );
}

#[test]
fn noise_is_taken_away_better_by_those_that_were_trained_on_it() {
    let x = digits();
    let noisy = |x: &ArrayView2<'_, f64>| {
        let mut draw = charta::random::stream(77, 0);
        x.mapv(|value| value + 4.0 * charta::random::normal(&mut draw))
    };
    let (known, new) = x.view().split_at(Axis(0), 1300);
    let corrupted = noisy(&new);
    let restored = |noise: Noise| {
        let method = Autoencoder {
            hidden: vec![128],
            n_components: 32,
            noise,
            // 4 of the digits' usual deviation of 4.4.
            noise_level: if noise == Noise::Gaussian { 0.9 } else { 0.3 },
            ..Autoencoder::default()
        };
        let model = method.fit(Data::from(known)).unwrap();
        let back = model.denoise_in(&charta::Run::new(), &Data::from(&corrupted));
        mean_square(&new, &back.unwrap().view())
    };
    let (plain, gaussian, masking) = (
        restored(Noise::None),
        restored(Noise::Gaussian),
        restored(Noise::Masking),
    );
    let before = mean_square(&new, &corrupted.view());
    eprintln!("noise {before:.0}: plain {plain:.0}, Gaussian {gaussian:.0}, masking {masking:.0}");
    assert!(gaussian < 0.8 * plain && masking < plain && plain < before);
}

/// The mean squared norm of the Jacobian, by differences of what is placed.
fn steepness(model: &charta::methods::autoencoder::AutoencoderModel, x: &Array2<f64>) -> f64 {
    let step = 1e-4;
    let placed = model.transform(x).unwrap();
    let mut sum = 0.0;
    for column in 0..x.ncols() {
        let mut moved = x.clone();
        moved.column_mut(column).mapv_inplace(|value| value + step);
        let apart = (model.transform(&moved).unwrap() - &placed) / step;
        sum += apart.mapv(|value| value * value).sum() / x.nrows() as f64;
    }
    sum
}

#[test]
fn contraction_flattens_the_map() {
    let x = digits().slice_move(ndarray::s![..600, ..]);
    for hidden in [vec![], vec![32]] {
        let with = |contraction: f64| {
            let method = Autoencoder {
                hidden: hidden.clone(),
                contraction,
                ..Autoencoder::default()
            };
            method.fit(&x).unwrap()
        };
        let (free, held) = (with(0.0), with(0.1));
        let (steep, flat) = (steepness(&free, &x), steepness(&held, &x));
        eprintln!(
            "hidden {hidden:?}: steepness {steep:.5} and {flat:.5}, losses {:.3} and {:.3}",
            free.loss(),
            held.loss()
        );
        assert!(flat < 0.5 * steep);
        assert!(held.loss() < 1.0);
    }
}
