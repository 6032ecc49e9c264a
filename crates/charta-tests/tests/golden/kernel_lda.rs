//! Kernel discriminant analysis against plain discriminant analysis in explicit features of the kernel.

use super::kernel_pca::{kernel, rows_of, split};
use crate::support::{
    built_in, close, close_each, close_whole, golden, matrix, number, turned, vector,
};
use charta::data::Labels;
use charta::dimension::ComponentCount;
use charta::kernel::Dictionary;
use charta::methods::kernel_lda::KernelLda;
use charta::{Data, Fit, Model, Transform};
use ndarray::{Array2, s};

/// The classes of the rows fitted.
fn labels(name: &str, n_rows: usize) -> Labels<'static> {
    let table = built_in(name);
    let given = &table.labels.as_ref().unwrap().1;
    let fitted = (0..n_rows).filter(|row| row % 5 != 4);
    Labels::from_words(&fitted.map(|row| given.text(row)).collect::<Vec<_>>())
}

#[test]
fn discriminant_axes_agree_with_explicit_features() {
    for name in ["iris", "wine", "digits"] {
        let reference = golden(&format!("kernel_lda_{name}.json"));
        let x = rows_of(name, &reference);
        let (known, new): (Array2<f64>, Array2<f64>) = split(&x);
        for fit in reference["fits"].as_array().unwrap() {
            let what = format!("{name}, {}, {}", fit["kernel"], fit["regularization"]);
            let method = KernelLda {
                n_components: ComponentCount::All,
                kernel: kernel(fit).unwrap(),
                regularization: number(&fit["regularization"]),
                dictionary: Dictionary::All,
                ..KernelLda::default()
            };
            let data = Data::from(&known)
                .with_labels(labels(name, x.nrows()))
                .unwrap();
            let model = method.fit(data).unwrap();
            let figures = model.diagnostics();
            close(
                &what,
                figures.value("ridge").unwrap(),
                number(&fit["ridge"]),
                1e-9,
            );
            let values = figures.values("separation").unwrap();
            close_each(&what, values, &vector(&fit["separation"]), 1e-6);
            let right = number(&fit["n_right_training"]) / known.nrows() as f64;
            close(&what, model.training_accuracy(), right, 1e-12);
            for (ours, theirs) in [
                (
                    model.embedding().unwrap().to_owned(),
                    matrix(&fit["embedding"]),
                ),
                (model.transform(&new).unwrap(), matrix(&fit["transform"])),
            ] {
                let ours = turned(&ours.slice(s![..theirs.nrows(), ..]), &theirs);
                close_whole(&what, &ours.view(), &theirs.view(), 1e-5);
            }
        }
    }
}
