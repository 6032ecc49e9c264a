//! New rows, looked up among known ones.

use super::*;

fn saved(reference: &Reference) -> Reference {
    let json = serde_json::to_vec(reference).unwrap();
    let back: Reference = serde_json::from_slice(&json).unwrap();
    assert_eq!(&back, reference);
    back
}

#[test]
fn new_rows_find_their_neighbours_in_every_metric() {
    let (known, rows) = (counts(300, 8, 30), counts(70, 8, 31));
    for metric in METRICS {
        let reference = saved(&Reference::new(&Data::from(&known), &search(metric)).unwrap());
        let found = reference
            .nearest(&Run::new(), &Data::from(&rows), 6)
            .unwrap();
        let all = all_by_formula(metric, &rows, &known);
        check(&format!("{metric:?}"), &found, &all, 6, false, 1e-9);
        let sorted = sparse(&rows);
        let other = reference
            .nearest(&Run::new(), &Data::from(&sorted), 6)
            .unwrap();
        assert_eq!(found, other, "{metric:?}: sparse rows among dense ones");
        let of_sparse = Reference::new(&Data::from(&sparse(&known)), &search(metric)).unwrap();
        let found = saved(&of_sparse)
            .nearest(&Run::new(), &Data::from(&rows), 6)
            .unwrap();
        check(&format!("{metric:?}, sparse"), &found, &all, 6, false, 1e-9);
        let radius = all.mean().unwrap();
        let near = reference
            .within(&Run::new(), &Data::from(&rows), radius)
            .unwrap();
        let right = all.iter().filter(|distance| **distance <= radius).count();
        assert!(
            near.len().abs_diff(right) <= right / 50,
            "{metric:?}: {} for {right}",
            near.len()
        );
    }
}

#[test]
fn a_known_row_is_its_own_neighbour_and_rows_keep_their_precision() {
    let known = normals(200, 4, 32).mapv(|value| value as f32);
    let reference = saved(&Reference::new(&Data::from(&known), &Search::default()).unwrap());
    assert!(matches!(
        reference.features(),
        Some(charta::Features::F32(_))
    ));
    let wide = known.mapv(f64::from);
    for data in [Data::from(&known), Data::from(&wide)] {
        let found = reference.nearest(&Run::new(), &data, 1).unwrap();
        let places: Vec<u32> = (0..200).collect();
        assert_eq!(found.indices(), places);
        assert!(found.distances().iter().all(|d| *d == 0.0));
    }
    let all = reference
        .nearest(&Run::new(), &Data::from(&known), 1000)
        .unwrap();
    assert_eq!(all.fewest(), 200);
}

#[test]
fn rows_known_by_distances_need_distances() {
    let x = normals(30, 3, 33);
    let rows = normals(5, 3, 34);
    let all = all_by_formula(Metric::Euclidean, &x, &x);
    let reference =
        saved(&Reference::new(&Data::distances(all.view()).unwrap(), &Search::default()).unwrap());
    assert!(reference.features().is_none());
    let to_known = all_by_formula(Metric::Euclidean, &rows, &x);
    let data = Data::distances_to(to_known.view()).unwrap();
    let found = reference.nearest(&Run::new(), &data, 4).unwrap();
    check(
        "distances to training rows",
        &found,
        &to_known,
        4,
        false,
        1e-15,
    );
    let error = reference
        .nearest(&Run::new(), &Data::from(&rows), 4)
        .unwrap_err();
    assert!(error.to_string().contains("Data::distances_to"), "{error}");
    let short = Array2::<f64>::zeros((2, 29));
    let error = reference.nearest(&Run::new(), &Data::distances_to(short.view()).unwrap(), 4);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("expected 30, got 29")
    );
}

#[test]
fn a_function_must_come_again() {
    let x = normals(30, 3, 35);
    let own = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
    let reference =
        saved(&Reference::new(&Data::from(&x).with_distance(&own), &Search::default()).unwrap());
    let found = reference
        .nearest(&Run::new(), &Data::from(&x).with_distance(&own), 2)
        .unwrap();
    assert_eq!(found.row(3).0[0], 3);
    let error = reference
        .nearest(&Run::new(), &Data::from(&x), 2)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("fitted with a distance function"),
        "{error}"
    );
}
