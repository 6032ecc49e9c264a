//! The way back from the space of a kernel, against scikit-learn's ridge and the equations of the fixed point.

use charta::data::SparseRows;
use charta::kernel::{Dictionary, Gamma, Kernel, KernelKind, PreimageOptions, PreimageRule};
use charta::methods::kernel_pca::KernelPca;
use charta::methods::pca::Pca;
use charta::model::KernelMap;
use charta::{Data, Error, Fit, InverseTransform, Model, Run, Transform};
use ndarray::{Array2, ArrayView1, Axis, concatenate, s};

use super::{cloud, method};

/// Rows that any language makes alike.
fn waves(from: usize, to: usize) -> Array2<f64> {
    Array2::from_shape_fn((to - from, 3), |(i, j)| {
        let (i, j) = ((from + i) as f64, j as f64);
        (1.3 * i + 0.7 * j * j + 1.0).sin() + 0.01 * i * j
    })
}

/// `inverse_transform` of `transform` of rows 20 and 21 of the waves by scikit-learn 1.9.1: `KernelPCA(2, gamma=0.4, degree=3,
/// coef0=1, fit_inverse_transform=True, alpha=…)` fitted to rows 0 to 13.
const LED_BACK: [(KernelKind, f64, [f64; 6]); 10] = [
    (
        KernelKind::Linear,
        1.0,
        [
            0.817_218_665_841,
            0.693_629_578_563,
            -0.753_588_859_340,
            -0.121_627_675_772,
            -0.376_631_283_399,
            -0.035_502_695_506,
        ],
    ),
    (
        KernelKind::Linear,
        0.05,
        [
            0.858_124_657_425,
            0.738_553_175_499,
            -0.785_798_804_778,
            -0.121_331_369_478,
            -0.450_951_749_257,
            -0.076_051_773_738,
        ],
    ),
    (
        KernelKind::Polynomial,
        1.0,
        [
            0.806_526_203_188,
            0.754_044_017_093,
            -0.628_238_436_843,
            -0.082_259_330_645,
            -0.334_476_990_790,
            0.025_470_656_184,
        ],
    ),
    (
        KernelKind::Polynomial,
        0.05,
        [
            0.809_613_027_382,
            0.807_366_052_516,
            -0.680_215_641_495,
            -0.113_276_602_361,
            -0.361_551_076_179,
            0.064_259_223_728,
        ],
    ),
    (
        KernelKind::Rbf,
        1.0,
        [
            0.611_819_838_144,
            0.537_527_063_783,
            -0.467_537_851_254,
            -0.153_485_830_478,
            -0.281_102_039_682,
            0.156_302_765_513,
        ],
    ),
    (
        KernelKind::Rbf,
        0.05,
        [
            0.878_876_593_857,
            0.803_088_340_415,
            -0.687_953_100_613,
            -0.212_814_855_627,
            -0.577_118_059_926,
            0.088_823_990_491,
        ],
    ),
    (
        KernelKind::Sigmoid,
        1.0,
        [
            0.312_973_472_914,
            0.290_820_336_686,
            -0.187_926_106_198,
            -0.055_328_050_665,
            -0.033_363_577_402,
            0.145_756_248_173,
        ],
    ),
    (
        KernelKind::Sigmoid,
        0.05,
        [
            0.794_987_547_122,
            0.705_889_979_658,
            -0.620_263_078_744,
            -0.131_999_804_968,
            -0.250_724_715_093,
            0.139_736_234_489,
        ],
    ),
    (
        KernelKind::Cosine,
        1.0,
        [
            0.757_746_953_541,
            0.646_877_968_695,
            -0.693_644_588_457,
            -0.486_375_277_796,
            -0.871_106_503_872,
            0.201_322_404_123,
        ],
    ),
    (
        KernelKind::Cosine,
        0.05,
        [
            0.828_326_351_670,
            0.718_107_774_465,
            -0.752_380_378_988,
            -0.531_050_769_800,
            -1.026_969_589_568,
            0.179_235_080_563,
        ],
    ),
];

fn with(kind: KernelKind, rule: PreimageRule, alpha: f64) -> KernelPca {
    KernelPca {
        kernel: Kernel {
            kernel: kind,
            gamma: Gamma::Value(0.4),
            ..Kernel::default()
        },
        pre_image: PreimageOptions {
            pre_image: rule,
            alpha,
        },
        ..method(kind, 2)
    }
}

fn largest(x: &Array2<f64>) -> f64 {
    x.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

fn denoised(model: &KernelMap, x: &Array2<f64>) -> Array2<f64> {
    model.denoise_in(&Run::new(), &Data::from(x)).unwrap()
}

#[test]
fn ridge_is_that_of_scikit_learn() {
    for (kind, alpha, want) in LED_BACK {
        let method = with(kind, PreimageRule::Ridge, alpha);
        let model = method.fit(&waves(0, 14)).unwrap();
        let placed = model.transform(&waves(20, 22)).unwrap();
        let back = model.inverse_transform(&placed.view()).unwrap();
        let want = Array2::from_shape_vec((2, 3), want.to_vec()).unwrap();
        let apart = largest(&(back - &want));
        assert!(apart < 1e-6, "{kind:?} {alpha}: {apart:e}");
        // Denoising is both, one after the other.
        let apart = largest(&(denoised(&model, &waves(20, 22)) - &want));
        assert!(apart < 1e-6, "{kind:?} {alpha}: {apart:e}");
    }
}

#[test]
fn the_fixed_point_of_the_linear_kernel_is_the_plane() {
    let x = cloud(90, 5, 1) + 3.0;
    let model = method(KernelKind::Linear, 2).fit(&x).unwrap();
    let plane = Pca::default().fit(&x).unwrap();
    let new = cloud(20, 5, 2) + 3.0;
    let want = plane.denoise_in(&Run::new(), &Data::from(&new)).unwrap();
    assert!(largest(&(denoised(&model, &new) - &want)) < 1e-8);
    let placed = model.transform(&new).unwrap();
    let back = model.inverse_transform(&placed.view()).unwrap();
    assert!(largest(&(back - &want)) < 1e-8);
}

/// The right side of the fixed-point equation at `z`, and how near `z` comes, by their formulas.
fn by_formula(
    model: &KernelMap,
    x: &Array2<f64>,
    z: ArrayView1<'_, f64>,
    c: ArrayView1<'_, f64>,
) -> (Vec<f64>, f64) {
    let spec = model.kernel();
    let z = z.to_vec();
    let mut mean = vec![0.0; z.len()];
    let (mut below, mut gain) = (0.0, -spec.between(&z, &z));
    for (row, &c) in x.rows().into_iter().zip(c) {
        let row = row.to_vec();
        let value = spec.between(&z, &row);
        let product: f64 = z.iter().zip(&row).map(|(a, b)| a * b).sum();
        let slope = match spec.kind {
            KernelKind::Rbf => value,
            _ => (spec.gamma * product + spec.coef0).powi(spec.degree as i32 - 1),
        };
        gain += 2.0 * c * value;
        below += c * slope;
        for (mean, x) in mean.iter_mut().zip(&row) {
            *mean += c * slope * x;
        }
    }
    if spec.kind == KernelKind::Polynomial {
        let own: f64 = z.iter().map(|v| v * v).sum();
        below = (spec.gamma * own + spec.coef0).powi(spec.degree as i32 - 1);
    }
    (mean.iter().map(|v| v / below).collect(), gain)
}

#[test]
fn pre_images_solve_the_equation_and_beat_every_training_row() {
    let x = cloud(80, 3, 4);
    let new = cloud(15, 3, 5);
    for kind in [KernelKind::Rbf, KernelKind::Polynomial] {
        let method = with(kind, PreimageRule::FixedPoint, 1.0);
        let model = method.fit(&x).unwrap();
        let placed = model.transform(&new).unwrap();
        let weights = model.expansions(&placed.view());
        let from_places = model.inverse_transform(&placed.view()).unwrap();
        for (found, all) in [(from_places, true), (denoised(&model, &new), false)] {
            for (line, z) in found.rows().into_iter().enumerate() {
                let (right, gain) = by_formula(&model, &x, z, weights.row(line));
                let apart = right.iter().zip(z).map(|(a, b)| (a - b).abs());
                let apart = apart.fold(0.0, f64::max);
                assert!(apart < 1e-3, "{kind:?} row {line}: {apart:e}");
                let best = x
                    .rows()
                    .into_iter()
                    .map(|row| by_formula(&model, &x, row, weights.row(line)).1);
                let best = best.fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    !all || gain >= best - 1e-9,
                    "{kind:?} row {line}: {gain} {best}"
                );
            }
        }
    }
}

#[test]
fn rows_far_away_find_back_and_threads_change_no_bit() {
    let x = cloud(120, 4, 6);
    let model = method(KernelKind::Rbf, 3).fit(&x).unwrap();
    let far = Array2::from_elem((2, 4), 1e4);
    let new = concatenate(Axis(0), &[far.view(), cloud(140, 4, 7).view()]).unwrap();
    let results = [1, 2, 7].map(|threads| {
        let run = Run::new().threads(threads).unwrap();
        run.install(|| {
            let clean = model.denoise_in(&run, &Data::from(&new)).unwrap();
            let placed = model.transform_in(&run, &Data::from(&new)).unwrap();
            let back = model.inverse_transform_in(&run, &placed.view()).unwrap();
            (clean, back)
        })
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let (clean, _) = &results[0];
    assert!(largest(&clean.slice(s![..2, ..]).to_owned()) < 10.0);
}

#[test]
fn sparse_rows_single_precision_and_dictionaries_lead_back_too() {
    let x = cloud(100, 4, 8);
    let new = cloud(10, 4, 9);
    let exact = method(KernelKind::Rbf, 3);
    let want = denoised(&exact.fit(&x).unwrap(), &new);
    let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
    let sparse = SparseRows::from_entries(100, 4, entries).unwrap();
    let model = exact.fit(Data::from(&sparse)).unwrap();
    assert!(largest(&(denoised(&model, &new) - &want)) < 1e-4);
    let single = x.mapv(|value| value as f32);
    let model = exact.fit(&single).unwrap();
    assert!(largest(&(denoised(&model, &new) - &want)) < 1e-2);
    for rule in [PreimageRule::FixedPoint, PreimageRule::Ridge] {
        let method = KernelPca {
            dictionary: Dictionary::Count(40),
            pre_image: PreimageOptions {
                pre_image: rule,
                alpha: 0.01,
            },
            ..exact.clone()
        };
        let model = method.fit(&x).unwrap();
        let placed = model.transform(&new).unwrap();
        let back = model.inverse_transform(&placed.view()).unwrap();
        let error = (&back - &new).mapv(|v| v * v).mean().unwrap();
        let spread = new.mapv(|v| v * v).mean().unwrap();
        assert!(error < 0.7 * spread, "{rule:?}: {error} of {spread}");
    }
}

#[test]
fn what_has_no_way_back_says_so() {
    let x = cloud(20, 3, 1);
    let kernel = x.dot(&x.t());
    let auto = method(KernelKind::Rbf, 2);
    let given = auto.fit(Data::kernel(kernel.view()).unwrap()).unwrap();
    assert!(given.as_inverse().is_none());
    assert!(
        given
            .denoise_in(&Run::new(), &Data::kernel(kernel.view()).unwrap())
            .is_err()
    );
    for (kind, rule) in [
        (KernelKind::Laplacian, PreimageRule::FixedPoint),
        (KernelKind::Cosine, PreimageRule::FixedPoint),
    ] {
        let error = with(kind, rule, 1.0).fit(&x).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
    let error = with(KernelKind::Rbf, PreimageRule::Ridge, 1.0)
        .fit(Data::kernel(kernel.view()).unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("kernel matrix"), "{error}");
    let none = with(KernelKind::Rbf, PreimageRule::None, 1.0)
        .fit(&x)
        .unwrap();
    assert!(none.as_inverse().is_none());
    let laplacian = with(KernelKind::Laplacian, PreimageRule::Auto, 1.0)
        .fit(&x)
        .unwrap();
    let report = laplacian.diagnostics();
    assert!(laplacian.as_inverse().is_some() && report.get("pre_image").is_some());
}

#[test]
fn coordinates_that_pull_no_start_are_told() {
    let model = method(KernelKind::Rbf, 2).fit(&cloud(40, 3, 21)).unwrap();
    let far = Array2::from_elem((1, 2), f64::MAX);
    let warnings = std::sync::Mutex::new(Vec::new());
    let observer = |event: charta::Event<'_>| {
        if let charta::Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        std::ops::ControlFlow::Continue(())
    };
    let run = Run::new().observer(&observer);
    let back = model.inverse_transform_in(&run, &far.view());
    let warnings = warnings.into_inner().unwrap();
    assert!(
        back.is_err()
            || warnings
                .iter()
                .any(|text| text.contains("no iteration moves")),
        "{warnings:?}"
    );
}
