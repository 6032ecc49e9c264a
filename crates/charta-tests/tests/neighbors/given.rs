//! Distances, kernels, tables and functions that the caller gives.

use super::*;

#[test]
fn given_distances_are_looked_up() {
    let x = normals(80, 5, 20);
    let all = all_by_formula(Metric::Euclidean, &x, &x);
    let data = Data::distances(all.view()).unwrap();
    let found = nearest(&data, &Search::default(), 6);
    check("given", &found.neighbors, &all, 6, true, 1e-15);
    let near = neighbors::within(&Run::new(), &data, &Search::default(), 2.0).unwrap();
    let right = all.iter().filter(|distance| **distance <= 2.0).count() - 80;
    assert_eq!(near.neighbors.len(), right);
    let kernel = x.dot(&x.t());
    let found = nearest(Data::kernel(kernel.view()).unwrap(), &Search::default(), 6);
    check("kernel", &found.neighbors, &all, 6, true, 1e-7);
}

#[test]
fn a_table_alone_gives_its_neighbours() {
    let x = normals(60, 5, 21);
    let table = nearest(&x, &Search::default(), 10).neighbors;
    let data = Data::from_neighbors(&table).unwrap();
    assert_eq!((data.n_rows(), data.neighbors()), (60, Some(&table)));
    assert_eq!(
        nearest(&data, &Search::default(), 4).neighbors,
        table.nearest(4)
    );
    assert!(
        data.features("pca")
            .unwrap_err()
            .to_string()
            .contains("table of neighbours")
    );
}

#[test]
fn a_function_overrides_the_metric() {
    let x = normals(90, 6, 22);
    let manhattan = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>();
    let all = all_by_formula(Metric::Manhattan, &x, &x);
    let single = x.mapv(|value| value as f32);
    let cosine = search(Metric::Cosine);
    let found = nearest(Data::from(&x).with_distance(&manhattan), &cosine, 5);
    check("function", &found.neighbors, &all, 5, true, 1e-14);
    let found = nearest(Data::from(&single).with_distance(&manhattan), &cosine, 5);
    check("function, single", &found.neighbors, &all, 5, true, 1e-5);
    let broken = |_: &[f64], _: &[f64]| f64::NAN;
    let data = Data::from(&x).with_distance(&broken);
    let error = neighbors::nearest(&Run::new(), &data, &cosine, 5).unwrap_err();
    assert!(error.to_string().contains("distance function"), "{error}");
}

#[test]
fn a_covariance_that_is_given_is_taken() {
    let x = normals(70, 3, 23);
    let scales = [4.0, 1.0, 0.25];
    let covariance = Array2::from_diag(&ndarray::arr1(&scales));
    let data = Data::from(&x).with_covariance(covariance.view()).unwrap();
    let found = nearest(&data, &search(Metric::Mahalanobis), 5);
    let scaled = Array2::from_shape_fn(x.dim(), |(i, j)| x[[i, j]] / scales[j].sqrt());
    let all = all_by_formula(Metric::Euclidean, &scaled, &scaled);
    check("covariance", &found.neighbors, &all, 5, true, 1e-13);
}
