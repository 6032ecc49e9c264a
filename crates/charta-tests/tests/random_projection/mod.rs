//! Random projection: the rules against scikit-learn's numbers, the distances against what is promised.

use crate::linear_algebra::pseudo_inverse;
use charta::data::{OwnedFeatures, RowBatches, SparseRows};
use charta::dimension::johnson_lindenstrauss_dimension;
use charta::methods::random_projection::{Count, Density, Kind, RandomProjection};
use charta::{Data, Fit, InverseTransform, Model, Run, Transform};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, ArrayView2, s};
use serde_json::Value as Json;

fn golden() -> Json {
    crate::support::golden("random_projection.json")
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap()
}

/// Matrices agree to a fraction of the reference's largest entry.
fn near(ours: &ArrayView2<'_, f64>, theirs: &ArrayView2<'_, f64>, tolerance: f64) {
    assert_eq!(ours.dim(), theirs.dim());
    let scale = theirs.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    for ((place, a), b) in ours.indexed_iter().zip(theirs) {
        assert!(
            (a - b).abs() <= tolerance * scale,
            "{place:?}: {a} against {b}"
        );
    }
}

fn digits() -> Array2<f64> {
    let Content::Features(OwnedFeatures::F64(x)) =
        read("digits", &ReadOptions::default()).unwrap().content
    else {
        panic!("digits are in double precision");
    };
    x
}

#[test]
fn dimensions_are_those_of_the_reference() {
    let reference = golden();
    let cases = reference["dimensions"].as_array().unwrap();
    assert_eq!(cases.len(), 90);
    for case in cases {
        let n_rows = number(&case["n_rows"]) as usize;
        let distortion = number(&case["eps"]);
        let count = johnson_lindenstrauss_dimension(n_rows, distortion).unwrap();
        assert_eq!(count as f64, number(&case["n_components"]), "{case}");
    }
}

#[test]
fn densities_and_entries_are_those_of_the_reference() {
    let reference = golden();
    let cases = reference["densities"].as_array().unwrap();
    assert_eq!(cases.len(), 12);
    for case in cases {
        let n_columns = number(&case["n_columns"]) as usize;
        let density = Density::Auto.of(n_columns);
        assert!((density - number(&case["density"])).abs() <= 1e-15);
        if n_columns < 10 {
            continue;
        }
        let method = RandomProjection {
            n_components: Count::Exactly(10),
            kind: Kind::Sparse,
            ..RandomProjection::default()
        };
        let model = method.fit(&Array2::<f64>::ones((3, n_columns))).unwrap();
        let entries = model.components();
        let largest = entries.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!((largest / number(&case["entry"]) - 1.0).abs() < 1e-14);
        assert!(entries.iter().all(|v| *v == 0.0 || v.abs() == largest));
    }
}

/// Ratios of squared distances of all pairs, over several seeds.
fn ratios(x: &Array2<f64>, method: &RandomProjection, n_seeds: u64) -> Vec<f64> {
    let mut ratios = Vec::new();
    for seed in 0..n_seeds {
        let method = RandomProjection {
            seed,
            ..method.clone()
        };
        let z = method.fit(x).unwrap().embedding().unwrap().to_owned();
        for i in 0..x.nrows() {
            for j in 0..i {
                let before = &x.row(i) - &x.row(j);
                let after = &z.row(i) - &z.row(j);
                ratios.push(after.dot(&after) / before.dot(&before));
            }
        }
    }
    ratios
}

#[test]
fn distances_scatter_as_those_of_the_reference() {
    let reference = golden();
    let x = digits().slice(s![..200, ..]).to_owned();
    assert_eq!(x.sum(), number(&reference["data"]["sum"]));
    for case in reference["distortions"].as_array().unwrap() {
        let kind = if case["kind"] == "GaussianRandomProjection" {
            Kind::Gaussian
        } else {
            Kind::Sparse
        };
        let method = RandomProjection {
            n_components: Count::Exactly(number(&case["n_components"]) as usize),
            kind,
            ..RandomProjection::default()
        };
        let ratios = ratios(&x, &method, number(&case["n_seeds"]) as u64);
        let n = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / n;
        let deviation = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n).sqrt();
        // The pairs of one matrix move together: twenty matrices leave a few per cent.
        assert!((mean - 1.0).abs() < 0.1, "{case}: {mean}");
        let theirs = number(&case["deviation"]);
        assert!(
            (deviation / theirs - 1.0).abs() < 0.25,
            "{deviation} {theirs}"
        );
    }
}

#[test]
fn the_distortion_promised_is_kept_for_every_pair() {
    let few = digits().slice(s![..60, ..]).to_owned();
    // Every column four times over, so that there is room for the directions requested.
    let x = Array2::from_shape_fn((60, 64 * 4), |(i, j)| few[[i, j % 64]]);
    for kind in [Kind::Gaussian, Kind::Sparse] {
        let method = RandomProjection {
            n_components: Count::JohnsonLindenstrauss,
            distortion: 0.5,
            kind,
            ..RandomProjection::default()
        };
        let model = method.fit(&x).unwrap();
        let count = johnson_lindenstrauss_dimension(60, 0.5).unwrap();
        assert_eq!(model.n_components(), count);
        assert!((model.promised.unwrap() - 0.5).abs() < 0.01);
        let all = ratios(&x, &method, 3);
        assert!(all.iter().all(|ratio| (ratio - 1.0).abs() < 0.5));
        let measured = model.measured.unwrap();
        assert_eq!(measured.n_pairs, 1000);
        let same = |bound: f64, ratio: f64| (bound - ratio).abs() < 1e-9;
        assert!(all.iter().any(|&ratio| same(measured.smallest, ratio)));
        assert!(all.iter().any(|&ratio| same(measured.largest, ratio)));
        assert!(measured.smallest < measured.mean && measured.mean < measured.largest);
    }
}

#[test]
fn more_directions_than_columns_are_refused_with_the_way_out() {
    let x = digits();
    let method = RandomProjection {
        n_components: Count::JohnsonLindenstrauss,
        ..RandomProjection::default()
    };
    assert_eq!(
        method.fit(&x).unwrap_err().to_string(),
        "`n_components` must be at most 64, because the data has 64 columns, but 1797 rows with \
         `distortion = 0.1` need 6423: allow a larger `distortion`, or give a number, got johnson_lindenstrauss"
    );
}

#[test]
fn the_way_back_is_the_pseudo_inverse() {
    let x = digits().slice(s![..100, ..]).to_owned();
    for (kind, count) in [
        (Kind::Gaussian, 20),
        (Kind::Sparse, 20),
        (Kind::Gaussian, 64),
    ] {
        let method = RandomProjection {
            n_components: Count::Exactly(count),
            kind,
            ..RandomProjection::default()
        };
        let model = method.fit(&x).unwrap();
        let z = model.embedding().unwrap();
        let back = model.inverse_transform(&z).unwrap();
        let inverse = pseudo_inverse(&model.components().view());
        let want = z.dot(&inverse.t());
        near(&back.view(), &want.view(), 1e-7);
        let again = model.transform(&back).unwrap();
        near(&again.view(), &z, 1e-7);
        if count == 64 {
            near(&back.view(), &x.view(), 1e-7);
        }
    }
}

#[test]
fn sparse_matrices_take_sparse_rows_both_precisions_and_any_number_of_threads() {
    let x = digits();
    let entries = x
        .indexed_iter()
        .filter(|(_, value)| **value != 0.0)
        .map(|((i, j), value)| (i, j, *value))
        .collect();
    let rows = SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap();
    let single = x.mapv(|value| value as f32);
    let method = RandomProjection {
        n_components: Count::Exactly(16),
        kind: Kind::Sparse,
        density: Density::Achlioptas,
        ..RandomProjection::default()
    };
    let fit = |data: Data<'_>, threads: usize| {
        let run = Run::new().threads(threads).unwrap();
        let model = method.fit_with(&run, data).unwrap();
        model.embedding().unwrap().to_owned()
    };
    let want = fit(Data::from(&x), 1);
    assert_eq!(fit(Data::from(&x), 3), want);
    near(&fit(Data::from(&rows), 2).view(), &want.view(), 1e-12);
    // Pixels are small whole numbers: exact in both precisions.
    assert_eq!(fit(Data::from(&single), 2), want);
    let mut holes = x.clone();
    holes[[7, 0]] = f64::NAN;
    let error = method.fit(&holes).unwrap_err().to_string();
    assert!(error.contains("row 7, column 0"), "{error}");
}

#[test]
fn batches_need_a_number_of_rows_for_the_rule_only() {
    struct Endless;
    impl charta::Batches for Endless {
        fn n_columns(&self) -> usize {
            5000
        }
        fn next_batch(&mut self) -> charta::Result<Option<Data<'_>>> {
            panic!("no rows are needed")
        }
    }
    let run = Run::new();
    let rule = RandomProjection {
        n_components: Count::JohnsonLindenstrauss,
        distortion: 0.3,
        ..RandomProjection::default()
    };
    let error = rule.fit_batches(&run, &mut Endless).unwrap_err();
    assert!(error.to_string().contains("must be a number"), "{error}");
    let number = RandomProjection {
        n_components: Count::Exactly(7),
        ..rule.clone()
    };
    let model = number.fit_batches(&run, &mut Endless).unwrap();
    assert_eq!((model.n_components(), model.n_columns()), (7, 5000));
    let x = Array2::<f64>::zeros((40, 5000));
    let model = rule
        .fit_batches(&run, &mut RowBatches::new(&x, 10))
        .unwrap();
    assert_eq!(model.n_components(), 409);
}
