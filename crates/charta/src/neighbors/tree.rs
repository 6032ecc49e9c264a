//! A k-d tree, for dense rows of few columns.
//!
//! Rows are halved again and again at the middle of the column that spreads most, down to leaves of 32 rows. All
//! leaves but the last are full, so that the tree needs no pointers: a node of m leaves has its left child next to it
//! and the right one behind the left one's nodes. A leaf holds its rows side by side; every node knows the box around
//! its rows. A search goes down to the nearer box first and leaves out boxes farther away than what it has found.
//! Rows are looked up in the order of the leaves, so that the same leaves are visited again while they are near.
//!
//! Distances are summed as by the comparison of all rows, with the same bits.

use std::ops::Range;

use ndarray::ArrayView2;

use super::Algorithm;
use super::lists::{Lists, NeighborQuery, order};
use super::task::Task;
use crate::data::{Features, Neighbors};
use crate::error::{Error, Result};
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};
use crate::metric::{Cubes, Largest, Metric, Numbers, Op, Scale, Sizes, Squares, largest};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows of a leaf.
const LEAF: usize = 32;
/// Rows above which both halves are built at once.
const TOGETHER: usize = 4096;
/// Leaves, or as many rows, that one job looks up.
const JOB: usize = 8;
/// The largest number of neighbours that are kept in order while they are found.
const IN_ORDER: usize = 64;

/// Columns up to which the tree beats the comparison of all rows, and rows from which it does. Measured on 8,000 rows
/// of independent normal columns, the worst case: 0.15 of the time with 4 columns, 0.56 with 8, 0.89 with 12, 1.2 with 16.
pub(super) const MOST_COLUMNS: usize = 12;
const FEWEST_ROWS: usize = 256;

pub(super) fn takes(task: &Task<'_>) -> bool {
    let metric = matches!(
        task.metric,
        Metric::Euclidean | Metric::Manhattan | Metric::Chebyshev
    ) || (task.metric == Metric::Minkowski && task.power == 3.0);
    let requested = task.search.search == Algorithm::Tree;
    let size = task.known.n_columns() <= MOST_COLUMNS
        && task.known.n_rows() >= FEWEST_ROWS
        && task.n_rows() >= FEWEST_ROWS / 8;
    metric && !task.known.is_sparse() && (requested || size)
}

pub(super) fn find(run: &Run<'_>, task: &Task<'_>) -> Result<Neighbors> {
    match (&task.rows, &task.known) {
        (Some(Features::F32(rows)), Features::F32(known)) => {
            by_metric(run, task, Some(rows), known)
        }
        (Some(Features::F64(rows)), Features::F64(known)) => {
            by_metric(run, task, Some(rows), known)
        }
        (None, Features::F32(known)) => by_metric(run, task, None, known),
        (None, Features::F64(known)) => by_metric(run, task, None, known),
        _ => Err(task.of_two_kinds()),
    }
}

fn by_metric<T: Real>(
    run: &Run<'_>,
    task: &Task<'_>,
    rows: Option<&ArrayView2<'_, T>>,
    known: &ArrayView2<'_, T>,
) -> Result<Neighbors> {
    match task.metric {
        Metric::Manhattan => by_tree(run, task, rows, known, Sizes),
        Metric::Chebyshev => by_tree(run, task, rows, known, Largest),
        Metric::Minkowski => by_tree(run, task, rows, known, Cubes),
        _ => by_tree(run, task, rows, known, Squares),
    }
}

fn by_tree<T: Real, O: Op>(
    run: &Run<'_>,
    task: &Task<'_>,
    rows: Option<&ArrayView2<'_, T>>,
    known: &ArrayView2<'_, T>,
    op: O,
) -> Result<Neighbors> {
    let most = largest(&task.rows()).max(largest(&task.known));
    let numbers = Numbers {
        metric: task.metric,
        scale: Scale::of::<T>(most, O::POWER),
        n_columns: known.ncols(),
    };
    let tree = Tree::new(scaled(known, numbers.scale), known.ncols());
    run.check()?;
    let rows = rows.map(|rows| scaled(rows, numbers.scale));
    let look_up = |indices: Range<usize>| -> Result<Lists> {
        run.check()?;
        let mut lists = Lists::new(task.wanted);
        for found in wide::run(LookUp {
            tree: &tree,
            rows: rows.as_deref(),
            indices,
            op,
            limit: Limit::new(task.wanted, &numbers),
        }) {
            lists.push(&finished(found, task.wanted, &numbers)?);
        }
        Ok(lists)
    };
    let parts = map_blocks(run, task.n_rows(), JOB * LEAF, look_up)?;
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    run.progress(task.n_rows() as u64, task.n_rows() as u64)?;
    Ok(match rows {
        Some(_) => Lists::join(known.nrows(), parts),
        None => Lists::join_in_order(known.nrows(), &parts, &tree.order),
    })
}

/// The rows one after the other, at a scale.
fn scaled<T: Real>(x: &ArrayView2<'_, T>, scale: Scale) -> Vec<T> {
    if scale == Scale::ONE {
        return x.iter().copied().collect();
    }
    x.iter()
        .map(|value| T::of(value.wide() * scale.factor()))
        .collect()
}

/// Numbers as distances, in order.
fn finished<T: Real>(
    found: Vec<(T, u32)>,
    wanted: NeighborQuery,
    numbers: &Numbers,
) -> Result<Vec<(f64, u32)>> {
    let mut list: Vec<(f64, u32)> = (found.into_iter())
        .map(|(number, index)| (numbers.distance(number.wide()), index))
        .collect();
    if let Some(radius) = wanted.radius() {
        list.retain(|entry| entry.0 <= radius);
    }
    if list.iter().any(|entry| !entry.0.is_finite()) {
        return Err(Error::too_large());
    }
    list.sort_unstable_by(order);
    Ok(list)
}

struct Tree<T> {
    n_columns: usize,
    n_leaves: usize,
    /// The rows in the order of the leaves.
    order: Vec<u32>,
    /// For each leaf its rows side by side, column after column.
    leaves: Vec<T>,
    /// For each node the least values of its rows, then the greatest.
    boxes: Vec<T>,
}

impl<T: Real> Tree<T> {
    fn new(values: Vec<T>, n_columns: usize) -> Self {
        let n_rows = values.len() / n_columns;
        let n_leaves = n_rows.div_ceil(LEAF);
        let mut order: Vec<u32> = (0..n_rows as u32).collect();
        let mut boxes = vec![T::of(0.0); (2 * n_leaves - 1) * 2 * n_columns];
        split(&values, n_columns, &mut order, &mut boxes);
        let mut leaves = vec![T::of(0.0); n_leaves * LEAF * n_columns];
        for (index, &row) in order.iter().enumerate() {
            let start = index / LEAF * LEAF * n_columns + index % LEAF;
            let own = &values[row as usize * n_columns..][..n_columns];
            for (target, value) in leaves[start..].iter_mut().step_by(LEAF).zip(own) {
                *target = *value;
            }
        }
        Self {
            n_columns,
            n_leaves,
            order,
            leaves,
            boxes,
        }
    }

    /// The coordinates of the row at an index in the order of the leaves.
    fn copy_place(&self, index: usize, target: &mut [T]) {
        let start = index / LEAF * LEAF * self.n_columns + index % LEAF;
        for (target, value) in target
            .iter_mut()
            .zip(self.leaves[start..].iter().step_by(LEAF))
        {
            *target = *value;
        }
    }
}

/// Leaves of the left child.
#[inline(always)]
fn left(n_leaves: usize) -> usize {
    n_leaves.div_ceil(2)
}

/// Puts rows in the order of the leaves, and writes the boxes of their nodes.
fn split<T: Real>(values: &[T], n_columns: usize, order: &mut [u32], boxes: &mut [T]) {
    let (own, below) = boxes.split_at_mut(2 * n_columns);
    let (least, greatest) = own.split_at_mut(n_columns);
    let row = |index: u32| &values[index as usize * n_columns..][..n_columns];
    least.copy_from_slice(row(order[0]));
    greatest.copy_from_slice(row(order[0]));
    for &index in order.iter() {
        for ((least, greatest), &value) in least.iter_mut().zip(greatest.iter_mut()).zip(row(index))
        {
            *least = if value < *least { value } else { *least };
            *greatest = if value > *greatest { value } else { *greatest };
        }
    }
    let n_leaves = order.len().div_ceil(LEAF);
    if n_leaves == 1 {
        return;
    }
    let spread = |column: &usize| (greatest[*column] - least[*column]).wide();
    let widest = (0..n_columns)
        .rev()
        .max_by(|a, b| spread(a).total_cmp(&spread(b)))
        .unwrap_or(0);
    let middle = left(n_leaves) * LEAF;
    let value = |index: &u32| values[*index as usize * n_columns + widest].wide();
    order.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    let (first, second) = order.split_at_mut(middle);
    let nodes = 2 * left(n_leaves) - 1;
    let (before, behind) = below.split_at_mut(nodes * 2 * n_columns);
    if n_leaves * LEAF < TOGETHER {
        split(values, n_columns, first, before);
        split(values, n_columns, second, behind);
    } else {
        rayon::join(
            || split(values, n_columns, first, before),
            || split(values, n_columns, second, behind),
        );
    }
}

/// How far a search has to look.
#[derive(Clone, Copy)]
struct Limit<T> {
    count: usize,
    most: T,
}

impl<T: Real> Limit<T> {
    fn new(wanted: NeighborQuery, numbers: &Numbers) -> Self {
        match wanted {
            NeighborQuery::Nearest(count) => Self {
                count,
                most: T::infinity(),
            },
            NeighborQuery::Within(radius) | NeighborQuery::Closer([_, radius]) => Self {
                count: usize::MAX,
                most: T::of(numbers.bound(radius)),
            },
        }
    }
}

/// The nearest rows seen so far.
struct Best<T> {
    limit: Limit<T>,
    entries: Vec<(T, u32)>,
}

impl<T: Real> Best<T> {
    #[inline(always)]
    fn keep(&mut self, number: T, index: u32) {
        let count = self.limit.count;
        if count > IN_ORDER {
            self.entries.push((number, index));
            if count != usize::MAX && self.entries.len() >= count + count / 2 {
                self.shrink();
            }
            return;
        }
        if self.entries.len() == count {
            // The last is at the limit: of equal ones the later row goes.
            let last = self.entries[count - 1];
            if number == last.0 && index > last.1 {
                return;
            }
            self.entries.pop();
        }
        let mut at = self.entries.len();
        self.entries.push((number, index));
        while at > 0 && before((number, index), self.entries[at - 1]) {
            self.entries[at] = self.entries[at - 1];
            at -= 1;
        }
        self.entries[at] = (number, index);
        if self.entries.len() == count {
            self.limit.most = self.entries[count - 1].0;
        }
    }

    #[cold]
    fn shrink(&mut self) {
        let count = self.limit.count;
        if count < self.entries.len() {
            let compare =
                |a: &(T, u32), b: &(T, u32)| a.0.wide().total_cmp(&b.0.wide()).then(a.1.cmp(&b.1));
            self.entries.select_nth_unstable_by(count - 1, compare);
            self.entries.truncate(count);
            self.limit.most = self.entries[count - 1].0;
        }
    }
}

#[inline(always)]
fn before<T: Real>(a: (T, u32), b: (T, u32)) -> bool {
    a.0 < b.0 || (a.0 == b.0 && a.1 < b.1)
}

/// A node to visit: its number, its first leaf, its leaves, and the number of its box.
type Visit<T> = (usize, usize, usize, T);

/// Looks up some rows: new ones, or those at some indices of the tree.
struct LookUp<'a, T, O> {
    tree: &'a Tree<T>,
    rows: Option<&'a [T]>,
    indices: Range<usize>,
    op: O,
    limit: Limit<T>,
}

impl<T: Real, O: Op> Loop for LookUp<'_, T, O> {
    type Output = Vec<Vec<(T, u32)>>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Output {
        let tree = self.tree;
        let mut query = vec![T::of(0.0); tree.n_columns];
        let mut stack: Vec<Visit<T>> = Vec::new();
        let mut found = Vec::with_capacity(self.indices.len());
        for index in self.indices.clone() {
            let itself = match self.rows {
                Some(rows) => {
                    query.copy_from_slice(&rows[index * tree.n_columns..][..tree.n_columns]);
                    u32::MAX
                }
                None => {
                    tree.copy_place(index, &mut query);
                    tree.order[index]
                }
            };
            let mut best = Best {
                limit: self.limit,
                entries: Vec::with_capacity(self.limit.count.min(IN_ORDER)),
            };
            stack.push((0, 0, tree.n_leaves, T::of(0.0)));
            while let Some((mut node, mut first, mut n_leaves, number)) = stack.pop() {
                if number > best.limit.most {
                    continue;
                }
                while n_leaves > 1 {
                    let half = left(n_leaves);
                    let near = (node + 1, first, half, self.gap::<FUSED>(&query, node + 1));
                    let other = node + 2 * half;
                    let far = (
                        other,
                        first + half,
                        n_leaves - half,
                        self.gap::<FUSED>(&query, other),
                    );
                    let (near, far) = if far.3 < near.3 {
                        (far, near)
                    } else {
                        (near, far)
                    };
                    if far.3 <= best.limit.most {
                        stack.push(far);
                    }
                    (node, first, n_leaves) = (near.0, near.1, near.2);
                    if near.3 > best.limit.most {
                        n_leaves = 0;
                    }
                }
                if n_leaves == 1 {
                    self.leaf::<FUSED>(&query, first, itself, &mut best);
                }
            }
            best.shrink();
            found.push(best.entries);
        }
        found
    }
}

impl<T: Real, O: Op> LookUp<'_, T, O> {
    /// The number of the way to a node's box: rounded as those of its rows are, so that it exceeds none of them.
    #[inline(always)]
    fn gap<const FUSED: bool>(&self, query: &[T], node: usize) -> T {
        let n_columns = self.tree.n_columns;
        let own = &self.tree.boxes[node * 2 * n_columns..][..2 * n_columns];
        let (least, greatest) = own.split_at(n_columns);
        let mut sum = T::of(0.0);
        for ((&value, &least), &greatest) in query.iter().zip(least).zip(greatest) {
            let below = if value < least { least } else { value };
            let inside = if below > greatest { greatest } else { below };
            sum = self.op.add::<T, FUSED>(sum, value, inside);
        }
        sum
    }

    /// Looks at the rows of a leaf.
    #[inline(always)]
    fn leaf<const FUSED: bool>(&self, query: &[T], leaf: usize, itself: u32, best: &mut Best<T>) {
        let n_columns = self.tree.n_columns;
        let lanes = &self.tree.leaves[leaf * LEAF * n_columns..][..LEAF * n_columns];
        let mut numbers = [T::of(0.0); LEAF];
        for (&value, lane) in query.iter().zip(lanes.as_chunks::<LEAF>().0) {
            for (number, &its) in numbers.iter_mut().zip(lane) {
                *number = self.op.add::<T, FUSED>(*number, value, its);
            }
        }
        let end = (leaf * LEAF + LEAF).min(self.tree.order.len());
        for (&number, &row) in numbers.iter().zip(&self.tree.order[leaf * LEAF..end]) {
            if number <= best.limit.most && row != itself {
                best.keep(number, row);
            }
        }
    }
}
