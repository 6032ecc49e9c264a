//! The self-organizing map against MiniSom, against plain loops, and at the edges of what it can do.

mod by_hand;
mod edges;
mod labels;
mod peer;

use charta::data::OwnedFeatures;
use charta::methods::som::SomModel;
use charta::methods::som::{Cells, Grid};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, ArrayView1};

/// Built-in data in double precision.
fn built_in(name: &str) -> Array2<f64> {
    match read(name, &ReadOptions::default()).unwrap().content {
        Content::Features(OwnedFeatures::F64(x)) => x,
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{other:?}"),
    }
}

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut stream = charta::random::stream(7, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let group = (i % 3) as f64 * 4.0 * ((j % 3) as f64 - 1.0);
        group + charta::random::normal(&mut stream)
    })
}

fn squared(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The two nearest units of a row and the squared distance to the first, by looking at all.
fn two_nearest(row: ArrayView1<'_, f64>, units: &Array2<f64>) -> (usize, usize, f64) {
    let apart: Vec<f64> = units
        .rows()
        .into_iter()
        .map(|unit| squared(row, unit))
        .collect();
    let mut order: Vec<usize> = (0..apart.len()).collect();
    order.sort_by(|&a, &b| apart[a].total_cmp(&apart[b]).then(a.cmp(&b)));
    (order[0], order[1.min(order.len() - 1)], apart[order[0]])
}

/// The place of a unit on the grid, written out anew.
fn place(grid: &Grid, unit: usize) -> (f64, f64) {
    let (row, column) = ((unit / grid.width()) as f64, (unit % grid.width()) as f64);
    match grid.cells() {
        Cells::Rectangular => (column, row),
        Cells::Hexagonal => (column + 0.5 * (row % 2.0), row * 0.75_f64.sqrt()),
    }
}

/// The squared distance of two units: the shortest over all copies of the grid on a torus.
fn on_grid(grid: &Grid, a: usize, b: usize) -> f64 {
    let ((x, y), (u, v)) = (place(grid, a), place(grid, b));
    let step = if grid.cells() == Cells::Hexagonal {
        0.75_f64.sqrt()
    } else {
        1.0
    };
    let copies: &[f64] = if grid.is_toroidal() {
        &[-1.0, 0.0, 1.0]
    } else {
        &[0.0]
    };
    let mut least = f64::INFINITY;
    for i in copies {
        for j in copies {
            let along = x - u + i * grid.width() as f64;
            let across = y - v + j * grid.height() as f64 * step;
            least = least.min(along * along + across * across);
        }
    }
    least
}

/// Quantization and topographic error by their definitions.
fn errors(x: &Array2<f64>, model: &SomModel) -> (f64, f64) {
    let (units, grid) = (model.units(), model.grid());
    let most = if grid.cells() == Cells::Hexagonal {
        1.0
    } else {
        2.0
    };
    let (mut sum, mut torn) = (0.0, 0);
    for row in x.rows() {
        let (best, second, apart) = two_nearest(row, &units);
        sum += apart.sqrt();
        torn += usize::from(on_grid(grid, best, second) > most + 1e-9);
    }
    let n = x.nrows() as f64;
    (sum / n, torn as f64 / n)
}
