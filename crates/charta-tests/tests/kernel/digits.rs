//! Handwritten digits with noise: kernel PCA against the best that linear PCA can do.
//!
//! Every other digit is for training, the others are held out. Normal noise of deviation 4 (pixels are 0 to 16) is added to the rows
//! held out, and in one case to the training rows too. Both methods see the same rows with the same noise. Linear PCA may have the number of
//! components that is best for the held-out rows; kernel PCA has the default width and 32, a number
//! found beforehand on the same rows with other noise.

use charta::dimension::Components;
use charta::methods::pca::Pca;
use charta::random::{normal, stream};
use charta::{Data, Fit, Model, Run};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, s};

use super::method;

const DEVIATION: f64 = 4.0;
const N_COMPONENTS: usize = 32;

fn digits() -> Array2<f64> {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let Content::Features(features) = &table.content else {
        panic!("features expected");
    };
    features.view().dense_rows(0, table.n_rows())
}

fn noisy(x: &Array2<f64>, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    x.mapv(|value| value + DEVIATION * normal(&mut draw))
}

/// Mean squared differences from the clean rows: by the best plane of all, and by kernel PCA.
fn errors(training: &Array2<f64>, noisy: &Array2<f64>, clean: &Array2<f64>) -> (f64, f64) {
    let error = |model: &dyn Model| {
        let back = model.denoise_in(&Run::new(), &Data::from(noisy)).unwrap();
        (back - clean).mapv(|v| v * v).mean().unwrap()
    };
    let plane = (1..=clean.ncols()).map(|k| {
        let method = Pca {
            n_components: Components::Count(k),
            ..Pca::default()
        };
        error(&method.fit(training).unwrap())
    });
    let kernel = method(charta::kernel::KernelKind::Rbf, N_COMPONENTS);
    let by_kernel = error(&kernel.fit(training).unwrap());
    (plane.fold(f64::INFINITY, f64::min), by_kernel)
}

#[test]
fn noise_goes_further_by_a_kernel_than_by_the_best_plane() {
    let all = digits();
    let (training, clean) = (
        all.slice(s![..;2, ..]).to_owned(),
        all.slice(s![1..;2, ..]).to_owned(),
    );
    let held_out = noisy(&clean, 1);
    for (what, training) in [("clean", training.clone()), ("noisy", noisy(&training, 2))] {
        let (plane, kernel) = errors(&training, &held_out, &clean);
        assert!(kernel < 0.9 * plane, "{what}: {kernel} and {plane}");
    }
}
