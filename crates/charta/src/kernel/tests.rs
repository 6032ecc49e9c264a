//! Every kernel against its formula, pair by pair.

use ndarray::{Array2, ArrayView1};

use super::*;
use crate::data::{Data, SparseRows};
use crate::linalg::block_krylov::Symmetric;
use crate::random::{normal, stream, uniform};
use crate::run::Run;

const KINDS: [KernelKind; 6] = [
    KernelKind::Linear,
    KernelKind::Polynomial,
    KernelKind::Rbf,
    KernelKind::Laplacian,
    KernelKind::Sigmoid,
    KernelKind::Cosine,
];

fn spec(kind: KernelKind) -> KernelSpec {
    Kernel {
        kernel: kind,
        ..Kernel::default()
    }
    .with_gamma(0.07)
}

/// Rows with many zeros, of which the last repeats the fourth and the first is zero.
fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut draw = stream(8, n_rows as u64);
    let mut x = Array2::from_shape_simple_fn((n_rows, n_columns), || {
        let value = normal(&mut draw);
        if uniform(&mut draw) < 0.6 { 0.0 } else { value }
    });
    let copy = x.row(3).to_owned();
    x.row_mut(n_rows - 1).assign(&copy);
    x.row_mut(0).fill(0.0);
    x
}

fn sparse(x: &Array2<f64>) -> SparseRows<f64> {
    let entries = x.indexed_iter().filter(|(_, v)| **v != 0.0);
    // Every value in two halves: a position may be stored twice.
    let entries = entries.flat_map(|((i, j), v)| [(i, j, 0.25 * v), (i, j, 0.75 * v)]);
    SparseRows::from_entries(x.nrows(), x.ncols(), entries.collect()).unwrap()
}

fn formula(spec: &KernelSpec, a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let row = |x: ArrayView1<'_, f64>| x.to_vec();
    Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
        spec.between(&row(a.row(i)), &row(b.row(j)))
    })
}

fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    (a - b).iter().fold(0.0, |most, v| most.max(v.abs()))
}

#[test]
fn matrices_are_those_of_the_formulas_in_every_form_of_the_rows() {
    let run = Run::new();
    let (x, new) = (sample(300, 17), sample(40, 17));
    let single = x.mapv(|v| v as f32);
    let thin = sparse(&x);
    for kind in KINDS {
        let spec = spec(kind);
        let want = formula(&spec, &x, &x);
        for (data, limit) in [
            (Data::from(&x), 1e-12),
            (Data::from(&single), 2e-5),
            (Data::from(&thin), 1e-12),
        ] {
            let rows = KernelRows::new(&data, spec);
            let matrix = KernelMatrix::of(&run, &rows, &data).unwrap();
            let got = matrix.wide();
            assert!(apart(&got, &want) < limit, "{kind:?}");
            assert_eq!(got, got.t(), "{kind:?}");
            let own = rows.own(&run, &data).unwrap();
            let own = (&own - &matrix.diagonal()).mapv(f64::abs);
            assert!(own.iter().all(|&d| d < limit), "{kind:?}");
            let between = rows.between(&run, &Data::from(&new)).unwrap();
            assert!(
                apart(&between, &formula(&spec, &new, &x)) < limit,
                "{kind:?}"
            );
            let some = KernelRows::of_rows(&data, &[299, 4], spec).unwrap();
            let batch = some.batch(&run, &data, 100..300).unwrap().wide();
            assert!((batch[[7, 1]] - want[[107, 4]]).abs() < limit, "{kind:?}");
            if kind.has_width() {
                assert!((0..300).all(|row| got[[row, row]] == 1.0), "{kind:?}");
                assert_eq!(got[[299, 3]], 1.0, "{kind:?}");
                assert!(got.iter().all(|&v| v <= 1.0), "{kind:?}");
                assert_eq!(between[[0, 0]], 1.0, "{kind:?}");
            }
        }
    }
}

#[test]
fn rows_far_from_the_origin_keep_their_kernels() {
    let run = Run::new();
    let x = sample(200, 9) + 1e6;
    let single = x.mapv(|v| v as f32);
    let spec = spec(KernelKind::Rbf);
    for (data, x) in [
        (Data::from(&x), x.clone()),
        (Data::from(&single), single.mapv(f64::from)),
    ] {
        let rows = KernelRows::new(&data, spec);
        let got = KernelMatrix::of(&run, &rows, &data).unwrap().wide();
        assert!(apart(&got, &formula(&spec, &x, &x)) < 1e-5);
        assert_eq!(got[[199, 3]], 1.0);
    }
}

#[test]
fn functions_and_given_matrices_are_looked_up() {
    let run = Run::new();
    let x = sample(30, 5);
    let shared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x.min(*y)).sum();
    let data = Data::from(&x).with_kernel(&shared);
    let spec = spec(KernelKind::Rbf);
    let rows = KernelRows::new(&data, spec);
    let matrix = KernelMatrix::of(&run, &rows, &data).unwrap().wide();
    let want = shared(&x.row(2).to_vec(), &x.row(9).to_vec());
    assert_eq!(matrix[[2, 9]], want);
    assert!(rows.between(&run, &Data::from(&x)).is_err());
    let given = Data::kernel(matrix.view()).unwrap();
    let some = KernelRows::of_rows(&given, &[9, 2], spec).unwrap();
    let among = KernelMatrix::of(&run, &some, &given).unwrap().wide();
    assert_eq!(among[[0, 1]], want);
    let to = Data::kernel_to(matrix.view()).unwrap();
    assert_eq!(some.between(&run, &to).unwrap()[[2, 0]], want);
    assert!(some.own(&run, &to).is_err());
    assert!(some.between(&run, &Data::from(&x)).is_err());
    let nothing = |_: &[f64], _: &[f64]| f64::NAN;
    let data = Data::from(&x).with_kernel(&nothing);
    assert!(KernelMatrix::of(&run, &rows, &data).is_err());
}

#[test]
fn values_too_large_for_products_are_told() {
    let run = Run::new();
    let x = (sample(30, 5) * 1e20).mapv(|v| v as f32);
    for kind in [KernelKind::Linear, KernelKind::Rbf, KernelKind::Polynomial] {
        let data = Data::from(&x);
        let rows = KernelRows::new(&data, spec(kind));
        assert!(KernelMatrix::of(&run, &rows, &data).is_err());
    }
    let large = sample(30, 5) * 1e150;
    let data = Data::from(&large);
    let rows = KernelRows::new(&data, spec(KernelKind::Polynomial));
    assert!(KernelMatrix::of(&run, &rows, &data).is_err());
}

#[test]
fn products_are_those_of_the_centred_matrix() {
    let run = Run::new();
    let x = sample(1200, 4);
    let single = x.mapv(|v| v as f32);
    let right = Array2::from_shape_fn((1200, 3), |(i, j)| ((i * 3 + j) as f64).cos());
    for data in [Data::from(&x), Data::from(&single)] {
        let rows = KernelRows::new(&data, spec(KernelKind::Rbf));
        let matrix = KernelMatrix::of(&run, &rows, &data).unwrap();
        let centre = Array2::<f64>::eye(1200) - 1.0 / 1200.0;
        let want = centre.dot(&matrix.wide()).dot(&centre).dot(&right);
        assert!(apart(&Centred(&matrix).times(&run, &right).unwrap(), &want) < 1e-9);
        if let KernelMatrix::Single(numbers) = &matrix {
            let rough = RoughlyCentred(numbers).times(&run, &right).unwrap();
            assert!(apart(&rough, &want) < 1e-3);
        }
        let means = matrix.row_means(&run).unwrap();
        assert!((means[77] - matrix.wide().row(77).mean().unwrap()).abs() < 1e-12);
    }
}

#[test]
fn tiny_rows_in_single_precision_keep_their_kernels() {
    let run = Run::new();
    let mut draw = stream(5, 0);
    let x = Array2::from_shape_simple_fn((60, 4), || (normal(&mut draw) * 1e-25) as f32);
    let wide = x.mapv(f64::from);
    let data = Data::from(&x);
    let kinds = [KernelKind::Rbf, KernelKind::Laplacian, KernelKind::Cosine];
    for kind in kinds {
        let kernel = Kernel {
            kernel: kind,
            ..Kernel::default()
        };
        let spec = kernel.resolve(&run, &data).unwrap();
        let rows = KernelRows::new(&data, spec);
        let matrix = KernelMatrix::of(&run, &rows, &data).unwrap();
        let got = matrix.wide();
        assert!(
            apart(&got, &formula(&spec, &wide, &wide)) < 2e-5,
            "{kind:?}"
        );
        let own = &rows.own(&run, &data).unwrap() - &matrix.diagonal();
        assert!(own.iter().all(|gap| gap.abs() < 1e-6), "{kind:?}");
        let thin = sparse(&wide);
        let rows = KernelRows::new(&Data::from(&thin), spec);
        let got = rows.between(&run, &Data::from(&thin)).unwrap();
        assert!(
            apart(&got, &formula(&spec, &wide, &wide)) < 1e-9,
            "{kind:?}"
        );
    }
}
