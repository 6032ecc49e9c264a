//! Calibration: the search effort that reaches the required recall, on a sample of rows whose true neighbours are known.

use ndarray::ArrayView2;

use super::MANY;
use super::cells::{Cells, Packing};
use super::join::{Effort, candidates, row_of};
use super::points::Points;
use super::truth::Truth;
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job evaluates.
const BLOCK: usize = 24;
/// Margins and numbers of cells that are tried.
const TRIALS: usize = 24;

/// Nanoseconds of a number in a product, with what goes with it.
const PRODUCT: f64 = 0.03;
/// The same of a byte in a quad.
const QUARTER: f64 = 0.01;
/// Of many rows, cells that the rows of one may look into: this many times those that a row looks into at most.
const NEAR_CELLS: usize = 4;
/// The same, at least.
const LEAST_NEAR_CELLS: usize = 128;
/// Nanoseconds of a byte of a row whose distance is measured.
const BYTE: f64 = 0.03;
/// Nanoseconds of a candidate besides.
const CANDIDATE: f64 = 60.0;

/// A true neighbour, as the search sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Candidates that score better.
    rank: usize,
    /// How much worse its cell scores than the best.
    margin: f32,
    /// How many cells score better than its own.
    index: usize,
}

/// The cells as a row sees them: margins, rising, and rows in the cells so far.
#[derive(Debug)]
struct View {
    margins: Vec<f32>,
    n_rows: Vec<usize>,
}

impl View {
    /// Cells that the row looks into.
    fn n_cells(&self, effort: Effort) -> usize {
        let within = |&margin: &f32| margin <= effort.margin;
        let within = self.margins.partition_point(within);
        within.min(effort.n_cells).max(1)
    }
}

/// What some rows see of their true neighbours.
#[derive(Debug)]
pub(super) struct Calibration {
    seen: Vec<Seen>,
    views: Vec<View>,
    /// True neighbours in all.
    n_true: usize,
    /// Neighbours requested.
    count: usize,
    /// True if there are so many rows that not all cells are ranked for each.
    many: bool,
    /// Columns of the projection.
    width: usize,
    /// Nanoseconds of a row in a cell.
    row_cost: f64,
    /// Nanoseconds of a candidate.
    candidate_cost: f64,
}

impl Calibration {
    /// Looks for the true neighbours among the best `most` candidates in all cells.
    pub(super) fn of<T: Measure>(
        run: &Run<'_>,
        points: &Points<'_, T>,
        cells: &Cells,
        projected: &ArrayView2<'_, f32>,
        truth: &Truth,
        most: usize,
    ) -> Result<Self> {
        let everywhere = Effort {
            margin: f32::INFINITY,
            n_cells: cells.centres.count(),
            n_near: usize::MAX,
            n_candidates: most,
        };
        let parts = map_blocks(run, truth.rows.len(), BLOCK, |range| {
            let rows = &truth.rows[range.clone()];
            let lists = candidates(cells, projected, rows, everywhere);
            let numbers: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            let scores = cells
                .centres
                .scores(&projected.select(ndarray::Axis(0), &numbers).view());
            let (mut seen, mut views) = (Vec::new(), Vec::new());
            for (local, index) in range.enumerate() {
                let scores = scores.row(local);
                let scores = scores.to_slice().expect("scores are in row order");
                let order = Order::of(cells, scores);
                let good = good(points, &lists[local], truth, index);
                seen.extend(good.into_iter().map(|(rank, row)| {
                    let index = order.indices[cells.homes[row as usize] as usize];
                    Seen {
                        rank,
                        margin: order.view.margins[index],
                        index,
                    }
                }));
                views.push(order.view);
            }
            (seen, views)
        })?;
        let (seen, views): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let bytes = points.n_columns() * size_of::<T>();
        let product = match cells.packing {
            Packing::Bytes => QUARTER,
            _ => PRODUCT,
        };
        Ok(Self {
            seen: seen.into_iter().flatten().collect(),
            views: views.into_iter().flatten().collect(),
            n_true: truth.rows.len() * truth.count,
            count: truth.count,
            many: points.n_rows() > MANY,
            width: projected.ncols(),
            row_cost: product * projected.ncols() as f64,
            candidate_cost: BYTE * bytes as f64 + CANDIDATE,
        })
    }

    /// The least effort that finds the fraction `target` of the true neighbours; `None` if none does.
    pub(super) fn effort(&self, target: f64) -> Option<Effort> {
        let needed = ((target * self.n_true as f64).ceil() as usize).clamp(1, self.n_true.max(1));
        let mut margins: Vec<f32> = self.seen.iter().map(|seen| seen.margin).collect();
        let mut indices: Vec<usize> = self.seen.iter().map(|seen| seen.index).collect();
        margins.sort_unstable_by(f32::total_cmp);
        indices.sort_unstable();
        let enough = needed
            .checked_sub(1)
            .filter(|&index| index < margins.len())?;
        let mut best: Option<(f64, Effort)> = None;
        for trial in 0..=TRIALS {
            let index = enough + (margins.len() - 1 - enough) * trial / TRIALS;
            for (margin, n_cells) in [
                (margins[index], usize::MAX),
                (self.widest(indices[index]), indices[index] + 1),
            ] {
                let inside = |seen: &&Seen| seen.margin <= margin && seen.index < n_cells;
                let mut ranks: Vec<usize> = self
                    .seen
                    .iter()
                    .filter(inside)
                    .map(|seen| seen.rank)
                    .collect();
                if ranks.len() < needed {
                    continue;
                }
                let (_, &mut rank, _) = ranks.select_nth_unstable(needed - 1);
                let effort = Effort {
                    margin,
                    n_cells,
                    n_near: usize::MAX,
                    n_candidates: (rank + 1).max(self.count),
                };
                let cost = self.cost(effort);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, effort));
                }
            }
        }
        best.map(|(_, effort)| Effort {
            n_near: self.near(effort),
            ..effort
        })
    }

    /// True if the effort costs less than it would with real numbers at best: these need as many candidates as neighbours are requested.
    pub(super) fn pays(&self, effort: Effort) -> bool {
        let reals = self.scanned(effort) * PRODUCT * self.width as f64;
        self.cost(effort) < reals + self.count as f64 * self.candidate_cost
    }

    /// Cells that the rows of one cell may look into.
    fn near(&self, effort: Effort) -> usize {
        if !self.many {
            return usize::MAX;
        }
        let cells = self.views.iter().map(|view| view.n_cells(effort));
        (NEAR_CELLS * cells.max().unwrap_or(0)).max(LEAST_NEAR_CELLS)
    }

    /// The largest margin of the cell at an index: beyond it no cell need be ranked.
    fn widest(&self, index: usize) -> f32 {
        let margins = self.views.iter().filter_map(|view| view.margins.get(index));
        margins.fold(0.0, |most, &margin| most.max(margin))
    }

    /// Nanoseconds of a row.
    fn cost(&self, effort: Effort) -> f64 {
        self.scanned(effort) * self.row_cost + effort.n_candidates as f64 * self.candidate_cost
    }

    /// Rows that a row is scored with.
    fn scanned(&self, effort: Effort) -> f64 {
        let views = self.views.iter();
        let scanned: usize = views
            .map(|view| view.n_rows[view.n_cells(effort) - 1])
            .sum();
        scanned as f64 / self.views.len().max(1) as f64
    }
}

/// The cells in the order of their scores, and the index of each cell in it.
struct Order {
    view: View,
    indices: Vec<usize>,
}

impl Order {
    fn of(cells: &Cells, scores: &[f32]) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let most = order.first().map_or(0.0, |&cell| scores[cell]);
        let mut indices = vec![0; scores.len()];
        let (mut margins, mut n_rows, mut total) = (Vec::new(), Vec::new(), 0);
        for (index, &cell) in order.iter().enumerate() {
            indices[cell] = index;
            total += cells.size(cell);
            margins.push(most - scores[cell]);
            n_rows.push(total);
        }
        Self {
            view: View { margins, n_rows },
            indices,
        }
    }
}

/// The candidates that are as near as true neighbours, with their ranks: at most as many as those, because
/// rows at equal distances stand for each other.
fn good<T: Measure>(
    points: &Points<'_, T>,
    keys: &[u64],
    truth: &Truth,
    index: usize,
) -> Vec<(usize, u32)> {
    let (row, width) = (truth.rows[index], points.n_columns());
    let (mut own, mut space) = (vec![T::of(0.0); width], vec![T::of(0.0); width]);
    points.write(row as usize, &mut own);
    let ranked = keys.iter().map(|&key| row_of(key)).enumerate();
    let good = ranked.filter(|&(_, other)| {
        let squared = T::squared_distance(&own, points.read(other as usize, &mut space));
        truth.holds(index, points.distance(points.squared(row, other, squared)))
    });
    good.take(truth.count).collect()
}
