//! Two spheres around one centre: what a plane, a Gaussian and a polynomial make of them.

use charta::data::synthetic::concentric_spheres;
use charta::dimension::ComponentCount;
use charta::kernel::{Gamma, Kernel, KernelKind};
use charta::methods::kernel_pca::KernelPca;
use charta::methods::lda::Lda;
use charta::methods::pca::Pca;
use charta::{Data, Fit, Model};
use ndarray::ArrayView2;

/// How many rows a linear classifier of these coordinates tells rightly, as a fraction.
fn accuracy(coordinates: ArrayView2<'_, f64>, labels: &charta::Labels<'_>) -> f64 {
    let data = Data::new(coordinates).with_labels(labels.clone()).unwrap();
    let model = Lda::default().fit(data).unwrap();
    model.training_accuracy().unwrap()
}

fn of_kernel(kernel: Kernel) -> f64 {
    let spheres = concentric_spheres(600, 0.1, 3).unwrap();
    let method = KernelPca {
        n_components: ComponentCount::Count(2),
        kernel,
        ..KernelPca::default()
    };
    let model = method.fit(&spheres).unwrap();
    accuracy(model.embedding().unwrap(), &spheres.labels)
}

#[test]
fn principal_components_mix_the_spheres() {
    let spheres = concentric_spheres(600, 0.1, 3).unwrap();
    let model = Pca::default().fit(&spheres).unwrap();
    let share = accuracy(model.embedding().unwrap(), &spheres.labels);
    assert!(share < 0.7, "{share}");
}

#[test]
fn two_components_of_a_gaussian_kernel_part_them() {
    for gamma in [0.25, 0.3, 0.4] {
        let share = of_kernel(Kernel {
            gamma: Gamma::Value(gamma),
            ..Kernel::default()
        });
        assert!(share > 0.99, "{gamma}: {share}");
    }
}

#[test]
fn two_components_of_a_polynomial_of_degree_5_do_not() {
    for (gamma, coef0) in [
        (Gamma::Columns, 0.0),
        (Gamma::Columns, 1.0),
        (Gamma::Value(1.0), 1.0),
    ] {
        let share = of_kernel(Kernel {
            kernel: KernelKind::Polynomial,
            degree: 5,
            gamma,
            coef0,
            ..Kernel::default()
        });
        assert!(share < 0.9, "{gamma:?} {coef0}: {share}");
    }
}
