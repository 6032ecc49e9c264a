//! Difficult data: no row is flung away, and threads change nothing.

use charta::data::Neighbors;
use charta::methods::umap::Umap;
use charta::random::{normal, stream};
use charta::{Data, Fit, Model, Run, Transform};
use ndarray::{Array2, Axis, s};

use super::{bits, digits, first_rows, furthest, seeded};

fn cloud(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut draw))
}

fn quick(n_components: usize) -> Umap {
    Umap {
        n_components,
        n_epochs: Some(60),
        ..Umap::default()
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    for (n_rows, n_components) in [(1797, 2), (1203, 3), (37, 2), (701, 5)] {
        let x = first_rows(&digits().0, n_rows);
        let outcome = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let model = quick(n_components).fit_with(&run, &x).unwrap();
            let placed = run.install(|| model.transform_in(&run, &Data::from(&cloud(13, 64, 1))));
            (
                bits(model.embedding().unwrap()),
                bits(placed.unwrap().view()),
            )
        };
        let one = outcome(1);
        assert!(one == outcome(2) && one == outcome(7), "{n_rows}");
    }
}

#[test]
fn no_row_is_flung_away() {
    // Every row four times; forty groups far from each other; a middle that is a neighbour of all.
    let once = cloud(250, 6, 2);
    let views = vec![once.view(); 4];
    let duplicates = ndarray::concatenate(Axis(0), &views).unwrap();
    let mut groups = cloud(800, 5, 3);
    for (row, mut values) in groups.rows_mut().into_iter().enumerate() {
        values[0] += 1000.0 * (row % 40) as f64;
    }
    let mut star = cloud(900, 40, 4);
    for mut row in star.rows_mut() {
        let length = row.dot(&row).sqrt();
        row /= length;
    }
    star.row_mut(0).fill(0.0);
    for (name, x) in [
        ("duplicates", duplicates),
        ("groups", groups),
        ("star", star),
    ] {
        for seed in 0..2 {
            let model = seeded(seed).fit(&x).unwrap();
            let far = furthest(model.embedding().unwrap());
            assert!(far < 8.0, "{name} {seed}: {far}");
        }
    }
}

#[test]
fn new_rows_do_not_depend_on_each_other_and_old_ones_stay() {
    let x = first_rows(&digits().0, 500);
    let model = quick(2).fit(&x).unwrap();
    let new = cloud(20, 64, 5).mapv(|v| 8.0 + 3.0 * v);
    let together = model.transform(&new).unwrap();
    let some = model
        .transform(&new.slice(s![7..11, ..]).to_owned())
        .unwrap();
    assert_eq!(some, together.slice(s![7..11, ..]));
    assert_eq!(model.transform(&x).unwrap(), model.embedding().unwrap());
}

#[test]
fn distances_and_neighbours_that_are_given_lead_to_the_same_map() {
    let x = first_rows(&digits().0, 200);
    let distances = Array2::from_shape_fn((200, 200), |(a, b)| {
        (&x.row(a) - &x.row(b)).mapv(|v| v * v).sum().sqrt()
    });
    let from_features = quick(2).fit(&x).unwrap();
    let given = Data::distances(distances.view()).unwrap();
    let from_distances = quick(2).fit(&given).unwrap();
    assert_eq!(
        from_features.embedding().unwrap(),
        from_distances.embedding().unwrap()
    );
    let mut order: Vec<Vec<i64>> = Vec::new();
    for row in 0..200 {
        let mut near: Vec<i64> = (0..200).filter(|&other| other != row as i64).collect();
        near.sort_by(|&a, &b| {
            let by_distance = distances[[row, a as usize]].total_cmp(&distances[[row, b as usize]]);
            by_distance.then(a.cmp(&b))
        });
        order.push(near);
    }
    let places = Array2::from_shape_fn((200, 14), |(row, k)| order[row][k]);
    let lengths = Array2::from_shape_fn((200, 14), |(row, k)| {
        distances[[row, places[[row, k]] as usize]]
    });
    let table = Neighbors::from_table(&places.view(), &lengths.view()).unwrap();
    let from_table = quick(2).fit(Data::from_neighbors(&table).unwrap()).unwrap();
    assert_eq!(
        from_features.embedding().unwrap(),
        from_table.embedding().unwrap()
    );
}
