//! Discriminants in the space of a kernel: against their definition, and against the linear ones.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::linear_algebra::{smallest_generalized, symmetric};
use charta::data::synthetic::{Blobs, blobs, concentric_spheres};
use charta::data::{Labels, Priors};
use charta::dimension::ComponentCount;
use charta::kernel::{Dictionary, Gamma, Kernel, KernelKind};
use charta::methods::kernel_lda::KernelLda;
use charta::methods::kernel_lda::KernelLdaModel;
use charta::methods::lda::Lda;
use charta::random::{normal, stream};
use charta::{Data, Event, Fit, Model, Predict, Prediction, Run, Transform};
use ndarray::{Array1, Array2, Axis, s};

use super::apart;

fn sample() -> charta::data::synthetic::Sample {
    blobs(Blobs {
        n: 90,
        centers: 4,
        columns: 3,
        spread: 3.0,
        seed: 2,
    })
    .unwrap()
}

fn of(labels: &Labels<'_>) -> Vec<usize> {
    (0..labels.len())
        .map(|row| labels.text(row).parse().unwrap())
        .collect()
}

fn separation(model: &KernelLdaModel) -> Array1<f64> {
    model.diagnostics().values("separation").unwrap().clone()
}

/// Means of the classes, and the covariance within them averaged with the priors.
fn scatter(z: &Array2<f64>, of_row: &[usize], priors: &Array1<f64>) -> (Array2<f64>, Array2<f64>) {
    let mut means = Array2::zeros((priors.len(), z.ncols()));
    let mut within = Array2::zeros((z.ncols(), z.ncols()));
    for (class, &prior) in priors.iter().enumerate() {
        let rows: Vec<usize> = (0..z.nrows()).filter(|&row| of_row[row] == class).collect();
        let part = z.select(Axis(0), &rows);
        let mean = part.mean_axis(Axis(0)).unwrap();
        let rest = part - &mean;
        within = within + rest.t().dot(&rest) * (prior / rows.len() as f64);
        means.row_mut(class).assign(&mean);
    }
    (means, within)
}

#[test]
fn separations_and_axes_are_those_of_the_definition() {
    let sample = sample();
    let of_row = of(&sample.labels);
    for given in [Priors::Data, Priors::Given(vec![0.4, 0.3, 0.2, 0.1])] {
        for kind in [KernelKind::Rbf, KernelKind::Polynomial] {
            let method = KernelLda {
                kernel: Kernel {
                    kernel: kind,
                    ..Kernel::default()
                },
                n_components: ComponentCount::All,
                priors: given.clone(),
                ..KernelLda::default()
            };
            let model = method.fit(&sample).unwrap();
            let spec = model.map().kernel();
            let x = &sample.features;
            let kernel = Array2::from_shape_fn((90, 90), |(i, j)| {
                spec.between(&x.row(i).to_vec(), &x.row(j).to_vec())
            });
            // Rows with these coordinates have these kernels: the feature space, as far as the rows reach.
            let whole = symmetric(&kernel.view());
            let rank = whole
                .values
                .iter()
                .take_while(|v| **v > 1e-12 * whole.values[0])
                .count();
            let roots = whole.values.slice(s![..rank]).mapv(f64::sqrt);
            let z = whole.vectors.slice(s![..rank, ..]).t().to_owned() * &roots;
            let (means, mut within) = scatter(&z, &of_row, model.priors());
            let ridge = 1e-3 * within.diag().sum();
            assert!((model.ridge() - ridge).abs() < 1e-8 * ridge);
            within.diag_mut().mapv_inplace(|v| v + ridge);
            let apart_from = &means - model.priors().dot(&means);
            let weighted = &apart_from * &model.priors().view().insert_axis(Axis(1));
            let between = apart_from.t().dot(&weighted);
            let found = smallest_generalized(&(-&between).view(), &within.view(), 3);
            let ratios = separation(&model);
            assert_eq!(ratios.len(), 3);
            for (ratio, value) in ratios.iter().zip(&found.values) {
                assert!(
                    (ratio + value).abs() < 1e-6 * ratio,
                    "{kind:?}: {ratio} {value}"
                );
            }
            let middle = model.priors().dot(&means);
            let want = (&z - &middle).dot(&found.vectors.t());
            let embedding = model.embedding().unwrap().to_owned();
            let far = apart(&embedding, &want);
            assert!(far < 1e-5, "{kind:?}: {far:e}");
        }
    }
}

#[test]
fn the_linear_kernel_gives_the_linear_axes() {
    let sample = sample();
    let linear = Lda {
        n_components: ComponentCount::All,
        ..Lda::default()
    };
    let linear = linear.fit(&sample).unwrap();
    let method = KernelLda {
        kernel: Kernel {
            kernel: KernelKind::Linear,
            ..Kernel::default()
        },
        n_components: ComponentCount::All,
        regularization: 1e-7,
        ..KernelLda::default()
    };
    let model = method.fit(&sample).unwrap();
    let (ours, theirs) = (
        model.embedding().unwrap().to_owned(),
        linear.embedding().unwrap().to_owned(),
    );
    let far = apart(&ours, &theirs);
    assert!(far < 1e-5, "{far:e}");
    assert_eq!(Some(model.training_accuracy()), linear.training_accuracy());
    let (
        Prediction::Classes {
            probabilities: p, ..
        },
        Prediction::Classes {
            probabilities: q, ..
        },
    ) = (
        model.predict(&sample).unwrap(),
        linear.predict(&sample).unwrap(),
    )
    else {
        panic!("classes expected");
    };
    assert!((p - q).iter().all(|d| d.abs() < 1e-5));
}

#[test]
fn a_gaussian_kernel_parts_the_spheres_for_new_rows_too() {
    let known = concentric_spheres(300, 0.1, 1).unwrap();
    let new = concentric_spheres(400, 0.1, 2).unwrap();
    for dictionary in [Dictionary::All, Dictionary::Count(60)] {
        let method = KernelLda {
            dictionary,
            ..KernelLda::default()
        };
        let model = method.fit(&known).unwrap();
        let Prediction::Classes { names, of_row, .. } = model.predict(&new).unwrap() else {
            panic!("classes expected");
        };
        let predicted = of_row.iter().enumerate();
        let right = predicted
            .filter(|(row, class)| names[**class as usize] == new.labels.text(*row))
            .count();
        assert!(right > 396, "{dictionary:?}: {right}");
    }
}

#[test]
fn a_dictionary_of_all_rows_is_exact_and_rows_without_class_only_placed() {
    let sample = sample();
    let narrow = Kernel {
        gamma: Gamma::Value(0.05),
        ..Kernel::default()
    };
    let exact = KernelLda {
        kernel: narrow.clone(),
        ..KernelLda::default()
    };
    let all = KernelLda {
        dictionary: Dictionary::Count(90),
        ..exact.clone()
    };
    let one = exact.fit(&sample).unwrap();
    let two = all.fit(&sample).unwrap();
    let far = apart(
        &one.embedding().unwrap().to_owned(),
        &two.embedding().unwrap().to_owned(),
    );
    assert!(far < 1e-5, "{far:e}");
    let words: Vec<String> = (0..90)
        .map(|row| {
            if row % 7 == 0 {
                String::new()
            } else {
                sample.labels.text(row)
            }
        })
        .collect();
    let data = Data::from(&sample.features)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let model = exact.fit(data).unwrap();
    assert_eq!(model.embedding().unwrap().nrows(), 90);
    assert_eq!(model.map().n_basis_rows(), 77);
    let kept: Vec<usize> = (0..90).filter(|row| row % 7 != 0).collect();
    let words: Vec<String> = kept.iter().map(|&row| sample.labels.text(row)).collect();
    let rows = sample.features.select(Axis(0), &kept);
    let kernel = Kernel {
        gamma: Gamma::Value(model.map().kernel().gamma),
        ..narrow
    };
    let alone = KernelLda {
        kernel,
        ..exact.clone()
    }
    .fit(
        Data::from(&rows)
            .with_labels(Labels::from_words(&words))
            .unwrap(),
    )
    .unwrap();
    let placed = alone.transform(&sample.features).unwrap();
    assert!(apart(&model.embedding().unwrap().to_owned(), &placed) < 1e-9);
    let two = KernelLda {
        n_components: ComponentCount::Count(5),
        ..exact
    };
    assert!(two.fit(&sample).is_err());
}

/// What is warned of while fitting.
fn warnings_of(method: &KernelLda, data: Data<'_>) -> Vec<String> {
    let warnings = Mutex::new(Vec::new());
    let observer = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&observer);
    method.fit_with(&run, data).unwrap();
    warnings.into_inner().unwrap()
}

#[test]
fn a_space_that_separates_any_classes_makes_training_accuracy_meaningless() {
    let mut numbers = stream(12, 0);
    // The classes have nothing to do with the columns.
    let noise = Array2::from_shape_fn((120, 100), |_| normal(&mut numbers));
    let words: Vec<String> = (0..120).map(|i| (i % 2).to_string()).collect();
    let of_noise = || {
        Data::from(&noise)
            .with_labels(Labels::from_words(&words))
            .unwrap()
    };
    let landmarks = |count| KernelLda {
        dictionary: Dictionary::Count(count),
        ..KernelLda::default()
    };
    let ridged = KernelLda {
        regularization: 10.0,
        ..KernelLda::default()
    };
    for method in [KernelLda::default(), landmarks(100), ridged] {
        let accuracy = method.fit(of_noise()).unwrap().training_accuracy();
        assert!(accuracy > 0.9, "{accuracy}");
        let warnings = warnings_of(&method, of_noise());
        let [text] = warnings.as_slice() else {
            panic!("{warnings:?}");
        };
        for part in [
            "meaningless",
            "120 rows of 2 classes",
            "`gamma`",
            "`regularization`",
            "cross-validate",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
    assert!(warnings_of(&landmarks(20), of_noise()).is_empty());
    let sample = sample();
    let with_kernel = |kernel| KernelLda {
        kernel: Kernel {
            kernel,
            ..Kernel::default()
        },
        ..KernelLda::default()
    };
    for kind in [KernelKind::Linear, KernelKind::Rbf, KernelKind::Polynomial] {
        let warnings = warnings_of(&with_kernel(kind), Data::from(&sample));
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}
