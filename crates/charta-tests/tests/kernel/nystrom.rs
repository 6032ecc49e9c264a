//! Kernel PCA on a dictionary.

use charta::kernel::{Dictionary, DictionaryChoice, KernelKind};
use charta::methods::kernel_pca::KernelPca;
use charta::model::RowErrors;
use charta::{Data, Fit, Model, Run, Transform};

use super::{apart, cloud, method, squares};

fn by_dictionary(count: usize, choice: DictionaryChoice) -> KernelPca {
    KernelPca {
        dictionary: Dictionary::Count(count),
        dictionary_choice: choice,
        ..method(KernelKind::Rbf, 3)
    }
}

#[test]
fn a_dictionary_of_all_rows_is_exact() {
    let (x, new) = (cloud(150, 5, 1), cloud(12, 5, 2));
    for kind in [KernelKind::Rbf, KernelKind::Polynomial, KernelKind::Linear] {
        let exact = method(kind, 3).fit(&x).unwrap();
        let all = KernelPca {
            dictionary: Dictionary::Count(150),
            ..method(kind, 3)
        };
        let model = all.fit(&x).unwrap();
        let size = exact.eigenvalues()[0];
        let gap = (model.eigenvalues() - exact.eigenvalues()).mapv(f64::abs);
        assert!(gap.iter().all(|&v| v < 1e-8 * size), "{kind:?}");
        let embedding = exact.embedding().unwrap().to_owned();
        assert!(apart(&model.embedding().unwrap().to_owned(), &embedding) < 1e-6);
        let (ours, theirs) = (
            model.transform(&new).unwrap(),
            exact.transform(&new).unwrap(),
        );
        assert!(apart(&ours, &theirs) < 1e-6, "{kind:?}");
        let errors = &model.row_errors(&new).unwrap() - &exact.row_errors(&new).unwrap();
        assert!(errors.iter().all(|v| v.abs() < 1e-6), "{kind:?}");
        for name in ["mean_reconstruction_error", "distance_loss"] {
            let reported = |model: &dyn Model| model.diagnostics().value(name).unwrap();
            assert!(
                (reported(&model) - reported(&exact)).abs() < 1e-7 * size,
                "{kind:?} {name}"
            );
        }
        assert!(model.diagnostics().value("nystrom_error").unwrap() < 1e-8);
    }
}

#[test]
fn more_rows_leave_less_out_however_they_are_chosen() {
    let x = cloud(600, 4, 3);
    let exact = method(KernelKind::Rbf, 3).fit(&x).unwrap();
    for choice in [
        DictionaryChoice::Random,
        DictionaryChoice::KMeans,
        DictionaryChoice::Leverage,
    ] {
        let mut before = (1.0, f64::INFINITY);
        for count in [10, 40, 160] {
            let model = by_dictionary(count, choice).fit(&x).unwrap();
            let left_out = model.diagnostics().value("nystrom_error").unwrap();
            let embedding = model.embedding().unwrap().to_owned();
            let gap = apart(&embedding, &exact.embedding().unwrap().to_owned());
            assert!(left_out < before.0 && gap < before.1, "{choice:?} {count}");
            before = (left_out, gap);
            assert!(apart(&model.transform(&x).unwrap(), &embedding) < 1e-9);
            let sums = squares(&embedding).sum();
            assert!((sums - model.eigenvalues().sum()).abs() < 1e-8 * sums);
            let mean = model.row_errors(&x).unwrap().mean().unwrap();
            let reported = model
                .diagnostics()
                .value("mean_reconstruction_error")
                .unwrap();
            assert!(
                (mean - reported).abs() < 1e-8,
                "{choice:?} {count}: {mean} {reported}"
            );
        }
        assert!(before.0 < 0.01 && before.1 < 0.02, "{choice:?} {before:?}");
    }
}

#[test]
fn single_precision_is_as_good_and_threads_do_not_matter() {
    let x = cloud(3000, 20, 4);
    let single = x.mapv(|v| v as f32);
    let want = by_dictionary(100, DictionaryChoice::Random)
        .fit(&x)
        .unwrap();
    let one = Run::new().threads(1).unwrap();
    let seven = Run::new().threads(7).unwrap();
    let fit = |run: &Run<'_>| {
        let method = by_dictionary(100, DictionaryChoice::Leverage);
        method.fit_with(run, &single).unwrap()
    };
    assert_eq!(fit(&one), fit(&seven));
    let model = by_dictionary(100, DictionaryChoice::Random)
        .fit(&single)
        .unwrap();
    let gap = apart(
        &model.embedding().unwrap().to_owned(),
        &want.embedding().unwrap().to_owned(),
    );
    assert!(gap < 1e-3, "{gap}");
}

#[test]
fn kernel_matrices_have_dictionaries_but_no_centres() {
    let x = cloud(90, 3, 5);
    let want = by_dictionary(30, DictionaryChoice::Random).fit(&x).unwrap();
    let spec = *want.kernel();
    let kernel = ndarray::Array2::from_shape_fn((90, 90), |(i, j)| {
        spec.between(&x.row(i).to_vec(), &x.row(j).to_vec())
    });
    let data = Data::kernel(kernel.view()).unwrap();
    let model = by_dictionary(30, DictionaryChoice::Random)
        .fit(data.clone())
        .unwrap();
    let embedding = want.embedding().unwrap().to_owned();
    assert!(apart(&model.embedding().unwrap().to_owned(), &embedding) < 1e-7);
    let to = Data::kernel_to(kernel.view()).unwrap();
    assert!(apart(&model.transform(to).unwrap(), &embedding) < 1e-7);
    let reported = by_dictionary(30, DictionaryChoice::KMeans)
        .fit(data)
        .unwrap_err();
    assert!(reported.to_string().contains("k_means"), "{reported}");
}

#[test]
fn plans_count_the_sample_of_the_centres_and_take_given_matrices_whole() {
    use charta::Method;
    use charta::method::Shape;
    let shape = Shape::dense(100_000, 500, charta::data::Precision::Double);
    let random = by_dictionary(1000, DictionaryChoice::Random);
    let centres = by_dictionary(1000, DictionaryChoice::KMeans);
    let bytes = |method: &KernelPca| method.plan(&shape).unwrap().bytes();
    assert_eq!(bytes(&centres) - bytes(&random), 20_000 * 500 * 8);
    let given = Shape {
        features: false,
        ..Shape::dense(12_000, 12_000, charta::data::Precision::Double)
    };
    let plan = method(KernelKind::Rbf, 2).plan(&given).unwrap();
    assert!(format!("{plan:?}").contains("between all rows"), "{plan:?}");
}
