//! k-nearest-neighbour classification accuracy.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::error::{Error, Result, Rule, message};
use crate::linalg::product::product_into;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows whose distances one job holds at once.
const BLOCK: usize = 64;

/// The class of each row of `rows` by the vote of its `n_neighbors` nearest rows of `known`, in Euclidean
/// distance. Equal distances go to the earlier row, equal votes to the class with the smaller number.
pub fn nearest_classes(
    run: &Run<'_>,
    known: &ArrayView2<'_, f64>,
    classes: &[u32],
    rows: &ArrayView2<'_, f64>,
    n_neighbors: usize,
) -> Result<Vec<u32>> {
    check(known, classes, rows, n_neighbors)?;
    let lengths = squared_lengths(known);
    let parts: Vec<Vec<u32>> = run.install(|| {
        map_blocks(run, rows.nrows(), BLOCK, |block| {
            let block = rows.slice(s![block, ..]);
            let mut products = Array2::zeros((block.nrows(), known.nrows()));
            product_into(products.view_mut(), &block, &known.t());
            products
                .rows()
                .into_iter()
                .map(|products| {
                    // The row's own length is the same for all: it does not change the order.
                    let distances = &lengths - &(2.0 * &products);
                    vote(&nearest(&distances, n_neighbors), classes)
                })
                .collect()
        })
    })?;
    Ok(parts.concat())
}

/// k-NN accuracy: the fraction of rows whose class is the majority among their nearest rows of `known`.
pub fn nearest_accuracy(
    run: &Run<'_>,
    known: &ArrayView2<'_, f64>,
    known_classes: &[u32],
    rows: &ArrayView2<'_, f64>,
    classes: &[u32],
    n_neighbors: usize,
) -> Result<f64> {
    if rows.nrows() != classes.len() {
        return Err(Error::shape(
            message!("classes of the {:rows}"),
            rows.nrows(),
            classes.len(),
        ));
    }
    let found = nearest_classes(run, known, known_classes, rows, n_neighbors)?;
    let right = found.iter().zip(classes).filter(|(a, b)| a == b).count();
    Ok(right as f64 / classes.len() as f64)
}

fn check(
    known: &ArrayView2<'_, f64>,
    classes: &[u32],
    rows: &ArrayView2<'_, f64>,
    n_neighbors: usize,
) -> Result<()> {
    if known.nrows() != classes.len() {
        return Err(Error::shape(
            message!("classes of the reference {:rows}"),
            known.nrows(),
            classes.len(),
        ));
    }
    if known.ncols() != rows.ncols() {
        return Err(Error::shape(
            message!("{:columns} of the {:rows}"),
            known.ncols(),
            rows.ncols(),
        ));
    }
    if rows.is_empty() || known.is_empty() {
        return Err(Error::Empty {
            rows: rows.nrows().min(known.nrows()),
            columns: rows.ncols(),
        });
    }
    if !(1..=known.nrows()).contains(&n_neighbors) {
        return Err(Error::parameter(
            "n_neighbors",
            Rule::Between {
                least: 1.into(),
                most: known.nrows().into(),
                because: Some(
                    message!("there are {n:rows} to compare with", n = known.nrows()).into(),
                ),
            },
            n_neighbors,
        ));
    }
    Ok(())
}

fn squared_lengths(rows: &ArrayView2<'_, f64>) -> Array1<f64> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// The indices of the smallest distances.
fn nearest(distances: &Array1<f64>, count: usize) -> Vec<usize> {
    let order = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b));
    let mut indices: Vec<usize> = (0..distances.len()).collect();
    if count < indices.len() {
        indices.select_nth_unstable_by(count - 1, order);
        indices.truncate(count);
    }
    indices
}

fn vote(indices: &[usize], classes: &[u32]) -> u32 {
    let mut votes: Vec<u32> = indices.iter().map(|&index| classes[index]).collect();
    votes.sort_unstable();
    let mut best = (0, 0);
    for group in votes.chunk_by(|a, b| a == b) {
        if group.len() > best.0 {
            best = (group.len(), group[0]);
        }
    }
    best.1
}

/// How many of the new rows with a class are classified correctly by the nearest `voters` reference rows. Rows without coordinates do not count.
pub(crate) fn n_right(
    run: &Run<'_>,
    known: &ArrayView2<'_, f64>,
    known_classes: &[Option<u32>],
    new: &ArrayView2<'_, f64>,
    new_classes: &[Option<u32>],
    voters: usize,
) -> Result<f64> {
    let labelled = |coordinates: &ArrayView2<'_, f64>, classes: &[Option<u32>]| {
        let usable = |row: &usize| classes[*row].is_some() && !coordinates[[*row, 0]].is_nan();
        let rows: Vec<usize> = (0..classes.len()).filter(usable).collect();
        let kept: Vec<u32> = rows.iter().filter_map(|&row| classes[row]).collect();
        (coordinates.select(Axis(0), &rows), kept)
    };
    let (known, known_classes) = labelled(known, known_classes);
    let (new, new_classes) = labelled(new, new_classes);
    if new_classes.is_empty() || known_classes.is_empty() {
        return Ok(0.0);
    }
    let voters = voters.min(known_classes.len());
    let share = nearest_accuracy(
        run,
        &known.view(),
        &known_classes,
        &new.view(),
        &new_classes,
        voters,
    )?;
    Ok(share * new_classes.len() as f64)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_nearest_rows_vote_and_ties_go_to_the_smaller_class() {
        let known = array![[0.0], [1.0], [1.2], [9.0], [10.0]];
        let classes = [1, 2, 2, 0, 0];
        let rows = array![[0.1], [1.1], [9.4], [5.0]];
        let found = |k| nearest_classes(&Run::new(), &known.view(), &classes, &rows.view(), k);
        assert_eq!(found(1).unwrap(), [1, 2, 0, 2]);
        assert_eq!(found(3).unwrap(), [2, 2, 0, 2]);
        assert_eq!(found(2).unwrap()[0], 1);
        assert!(found(6).unwrap_err().to_string().contains("from 1 to 5"));
    }

    #[test]
    fn accuracy_is_the_share_told_right() {
        let known = array![[0.0, 0.0], [4.0, 0.0]];
        let rows = array![[1.0, 0.0], [3.0, 1.0], [0.5, 0.0], [9.0, 9.0]];
        let classes = [0, 1, 1, 1];
        let share = nearest_accuracy(
            &Run::new(),
            &known.view(),
            &[0, 1],
            &rows.view(),
            &classes,
            1,
        );
        assert_eq!(share.unwrap(), 0.75);
    }
}
