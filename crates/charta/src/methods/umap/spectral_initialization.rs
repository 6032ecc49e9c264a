//! Spectral initialization: Laplacian eigenvectors of the fuzzy graph to a few digits, by Chebyshev-filtered subspace iteration.
//!
//! They are the eigenvectors of D^-½ W D^-½ with the largest eigenvalues below 1. A block of vectors is multiplied by Chebyshev
//! polynomials of the matrix, which dampen everything but the largest eigenvalues, and replaced by the Ritz vectors of its span (Rayleigh–Ritz), until the
//! residuals are small enough. All in single precision, in fixed blocks of rows.
//!
//! Zhou, Saad, Tiago and Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace iteration", 2006.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use super::fuzzy_graph::FuzzyGraph;
use super::optimize::LANES;
use crate::error::Result;
use crate::linalg::eigen::{self, fix_signs};
use crate::linalg::wide::{self, Loop, step};
use crate::parallel::map_blocks;
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 1024;
/// Up to this many rows a dense eigensolver is used.
const DENSE: usize = 256;
/// Vectors beyond those requested, at least.
const EXTRA: usize = 6;
/// Degree of the first polynomial, from a random initialization.
const FIRST_DEGREE: usize = 12;
/// Degree of the others.
const DEGREE: usize = 24;
/// Products at most.
const MAX_PRODUCTS: usize = 400;
/// Residuals must fall to this fraction of the distance of the eigenvalue from 1.
const TOLERANCE: f64 = 0.02;
/// The first polynomial dampens eigenvalues below this.
const FIRST_CUT: f64 = 0.7;

/// The `count` leading eigenvectors, of length 1, of one connected component of a graph, without the trivial one √D. `rows` are those of the component, and
/// `number` has for each row of the graph its number among those of its component.
pub(super) fn spectral_vectors(
    run: &Run<'_>,
    graph: &FuzzyGraph,
    rows: &[u32],
    number: &[u32],
    count: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let matrix = Normalized::of(graph, rows, number);
    let mut vectors = if rows.len() <= DENSE {
        matrix.dense(count)?
    } else {
        matrix.filtered(run, count, seed)?
    };
    fix_signs(vectors.view_mut().reversed_axes());
    Ok(vectors)
}

/// D^-½ W D^-½ among some rows.
struct Normalized {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    /// √D, of length 1: the trivial eigenvector, of eigenvalue 1.
    trivial: Vec<f64>,
}

impl Normalized {
    fn of(graph: &FuzzyGraph, rows: &[u32], number: &[u32]) -> Self {
        let degree = |row: u32| -> f64 {
            let weights = graph.row(row as usize).1;
            weights.iter().map(|&weight| f64::from(weight)).sum()
        };
        let roots: Vec<f64> = rows.iter().map(|&row| degree(row).sqrt()).collect();
        let mut matrix = Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            trivial: Vec::new(),
        };
        for (own, &row) in rows.iter().enumerate() {
            let (targets, weights) = graph.row(row as usize);
            for (&target, &weight) in targets.iter().zip(weights) {
                let target = number[target as usize];
                let value = f64::from(weight) / (roots[own] * roots[target as usize]);
                matrix.columns.push(target);
                matrix.values.push(value as f32);
            }
            matrix.starts.push(matrix.columns.len());
        }
        let length = roots.iter().map(|root| root * root).sum::<f64>().sqrt();
        matrix.trivial = roots.iter().map(|root| root / length).collect();
        matrix
    }

    fn n(&self) -> usize {
        self.trivial.len()
    }

    /// By a dense eigensolver.
    fn dense(&self, count: usize) -> Result<Array2<f64>> {
        let n = self.n();
        let trivial = Array1::from(self.trivial.clone()).insert_axis(Axis(1));
        let mut matrix = -2.0 * trivial.dot(&trivial.t());
        for row in 0..n {
            for entry in self.starts[row]..self.starts[row + 1] {
                matrix[[row, self.columns[entry] as usize]] += f64::from(self.values[entry]);
            }
        }
        let found = eigen::symmetric_largest(&matrix.view(), count)?;
        Ok(found.vectors.t().as_standard_layout().into_owned())
    }

    /// By Chebyshev-filtered subspace iteration.
    fn filtered(&self, run: &Run<'_>, count: usize, seed: u64) -> Result<Array2<f64>> {
        let width = (count + EXTRA).next_multiple_of(LANES);
        let mut draw = stream(seed, 3);
        let mut vectors: Vec<f32> = (0..self.n() * width)
            .map(|_| normal(&mut draw) as f32)
            .collect();
        let (mut cut, mut degree, mut products) = (FIRST_CUT, FIRST_DEGREE, 0);
        loop {
            self.filter(run, &mut vectors, width, degree, cut)?;
            let best = self.best(run, &mut vectors, width)?;
            products += degree + 1;
            let enough = (0..count)
                .all(|k| best.residuals[k] <= TOLERANCE * (1.0 - best.values[k]).max(1e-6));
            if enough || products >= MAX_PRODUCTS {
                break;
            }
            cut = best.values[width - 1].clamp(0.0, 0.999_9);
            degree = DEGREE;
        }
        Ok(Array2::from_shape_fn((self.n(), count), |(row, k)| {
            f64::from(vectors[row * width + k])
        }))
    }

    /// Multiplies vectors by the Chebyshev polynomial that is at most 1 from −1 to `cut`.
    fn filter(
        &self,
        run: &Run<'_>,
        vectors: &mut Vec<f32>,
        width: usize,
        degree: usize,
        cut: f64,
    ) -> Result<()> {
        let (centre, half) = ((cut - 1.0) / 2.0, (cut + 1.0) / 2.0);
        let mut before = vec![0.0; vectors.len()];
        for number in 0..degree {
            run.check()?;
            let twice = if number == 0 { 1.0 } else { 2.0 };
            let factors = [
                (twice / half) as f32,
                (-twice * centre / half) as f32,
                if number == 0 { 0.0 } else { -1.0 },
            ];
            self.times(vectors, &mut before, width, factors);
            std::mem::swap(vectors, &mut before);
        }
        Ok(())
    }

    /// `target` becomes a · matrix · `vectors` + b · `vectors` + c · `target`.
    fn times(&self, vectors: &[f32], target: &mut [f32], width: usize, factors: [f32; 3]) {
        let blocks = target.par_chunks_mut(BLOCK * width).enumerate();
        blocks.for_each(|(block, target)| {
            wide::run(Product {
                matrix: self,
                first: block * BLOCK,
                vectors,
                target,
                width,
                factors,
            });
        });
    }

    /// Rayleigh–Ritz: replaces the vectors by the best approximations of eigenvectors in their span, largest eigenvalue first.
    fn best(&self, run: &Run<'_>, vectors: &mut [f32], width: usize) -> Result<Best> {
        self.without_trivial(run, vectors, width)?;
        self.orthonormalize(run, vectors, width)?;
        let mut images = vec![0.0; vectors.len()];
        self.times(vectors, &mut images, width, [1.0, 0.0, 0.0]);
        let small = products(run, vectors, &images, width)?;
        let small = (&small + &small.t()) / 2.0;
        let found = eigen::symmetric_largest(&small.view(), width)?;
        let rotation = found.vectors.t().to_owned();
        combine(vectors, &rotation);
        combine(&mut images, &rotation);
        let residuals = map_blocks(run, self.n(), BLOCK, |rows| {
            let mut sums = Array1::<f64>::zeros(width);
            for row in rows {
                for k in 0..width {
                    let entry = row * width + k;
                    let rest =
                        f64::from(images[entry]) - found.values[k] * f64::from(vectors[entry]);
                    sums[k] += rest * rest;
                }
            }
            sums
        })?;
        let mut sums = Array1::zeros(width);
        for part in &residuals {
            sums += part;
        }
        Ok(Best {
            values: found.values,
            residuals: sums.mapv(f64::sqrt),
        })
    }

    /// Takes √D out of the vectors.
    fn without_trivial(&self, run: &Run<'_>, vectors: &mut [f32], width: usize) -> Result<()> {
        let parts = map_blocks(run, self.n(), BLOCK, |rows| {
            let mut sums = vec![0.0; width];
            for row in rows {
                for (sum, &value) in sums
                    .iter_mut()
                    .zip(&vectors[row * width..(row + 1) * width])
                {
                    *sum += self.trivial[row] * f64::from(value);
                }
            }
            sums
        })?;
        let mut shares = vec![0.0; width];
        for part in &parts {
            for (share, value) in shares.iter_mut().zip(part) {
                *share += value;
            }
        }
        for (row, values) in vectors.chunks_mut(width).enumerate() {
            for (value, share) in values.iter_mut().zip(&shares) {
                *value -= (self.trivial[row] * share) as f32;
            }
        }
        Ok(())
    }

    /// Makes vectors orthonormal; twice, because they may be nearly dependent.
    fn orthonormalize(&self, run: &Run<'_>, vectors: &mut [f32], width: usize) -> Result<()> {
        for _ in 0..2 {
            let gram = products(run, vectors, vectors, width)?;
            let lengths = gram
                .diag()
                .mapv(|square| square.sqrt().max(f64::MIN_POSITIVE));
            let unit = &gram / &lengths / lengths.view().insert_axis(Axis(1));
            let found = eigen::symmetric(&unit.view())?;
            let mut rotation = found.vectors.t().to_owned();
            for (mut column, &value) in rotation.columns_mut().into_iter().zip(&found.values) {
                column /= value.max(1e-10).sqrt();
            }
            rotation /= &lengths.insert_axis(Axis(1));
            combine(vectors, &rotation);
        }
        Ok(())
    }
}

/// Approximate eigenvalues, largest first, and how far their vectors are from eigenvectors.
struct Best {
    values: Array1<f64>,
    residuals: Array1<f64>,
}

/// leftᵀ · right, both of `width` columns.
fn products(run: &Run<'_>, left: &[f32], right: &[f32], width: usize) -> Result<Array2<f64>> {
    let parts = map_blocks(run, left.len() / width, BLOCK, |rows| {
        let range = rows.start * width..rows.end * width;
        let mut sums = vec![0.0; width * width];
        wide::run(Products {
            left: &left[range.clone()],
            right: &right[range],
            sums: &mut sums,
            width,
        });
        sums
    })?;
    let mut sums = Array2::zeros((width, width));
    for part in parts {
        for (sum, value) in sums.iter_mut().zip(part) {
            *sum += value;
        }
    }
    Ok(sums)
}

/// The sum of the outer products of rows.
struct Products<'a> {
    left: &'a [f32],
    right: &'a [f32],
    sums: &'a mut [f64],
    width: usize,
}

impl Loop for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let rows = (self.left.chunks_exact(self.width)).zip(self.right.chunks_exact(self.width));
        for (left, right) in rows {
            for (&value, sums) in left.iter().zip(self.sums.chunks_exact_mut(self.width)) {
                for (sum, &other) in sums.iter_mut().zip(right) {
                    *sum = step::<f64, FUSED>(f64::from(value), f64::from(other), *sum);
                }
            }
        }
    }
}

/// Replaces every row by the row times a matrix.
fn combine(vectors: &mut [f32], rotation: &Array2<f64>) {
    let width = rotation.nrows();
    let rotation = rotation.mapv(|value| value as f32);
    let rotation = rotation.as_standard_layout();
    let rotation = rotation.as_slice().expect("it is in standard layout");
    vectors.par_chunks_mut(BLOCK * width).for_each(|rows| {
        wide::run(Rotation {
            rows,
            rotation,
            width,
        });
    });
}

struct Rotation<'a> {
    rows: &'a mut [f32],
    rotation: &'a [f32],
    width: usize,
}

impl Loop for Rotation<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let mut rotated = vec![0.0; self.width];
        for row in self.rows.chunks_exact_mut(self.width) {
            rotated.fill(0.0);
            for (&value, factors) in row.iter().zip(self.rotation.chunks_exact(self.width)) {
                for (sum, &factor) in rotated.iter_mut().zip(factors) {
                    *sum = step::<f32, FUSED>(value, factor, *sum);
                }
            }
            row.copy_from_slice(&rotated);
        }
    }
}

/// Some rows of a product with the matrix.
struct Product<'a> {
    matrix: &'a Normalized,
    first: usize,
    vectors: &'a [f32],
    target: &'a mut [f32],
    width: usize,
    factors: [f32; 3],
}

impl Loop for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let [a, b, c] = self.factors;
        let matrix = self.matrix;
        for (number, target) in self.target.chunks_exact_mut(self.width).enumerate() {
            let row = self.first + number;
            let range = matrix.starts[row]..matrix.starts[row + 1];
            let (columns, values) = (&matrix.columns[range.clone()], &matrix.values[range]);
            for (part, target) in target.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let mut sums = [0.0; LANES];
                for (&column, &value) in columns.iter().zip(values) {
                    let from = column as usize * self.width + part * LANES;
                    let other = &self.vectors[from..from + LANES];
                    for l in 0..LANES {
                        sums[l] = step::<f32, FUSED>(value, other[l], sums[l]);
                    }
                }
                let from = row * self.width + part * LANES;
                let own = &self.vectors[from..from + LANES];
                for l in 0..LANES {
                    target[l] = a * sums[l] + b * own[l] + c * target[l];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::s;

    use super::*;

    /// A strip of points, whose smoothest vectors are known to differ clearly.
    fn strip(n: u32) -> FuzzyGraph {
        let rows = (0..n)
            .map(|i| {
                let near = [-7i64, -3, -1, 1, 3, 7]
                    .iter()
                    .map(|step| i64::from(i) + step);
                near.filter(|&j| (0..i64::from(n)).contains(&j))
                    .map(|j| (j as u32, 0.3 + 0.1 * ((i64::from(i) + j) % 5) as f32))
                    .collect()
            })
            .collect();
        FuzzyGraph::from_rows(rows)
    }

    #[test]
    fn filtered_vectors_are_near_those_of_the_dense_matrix() {
        let graph = strip(400);
        let rows: Vec<u32> = (0..400).collect();
        let matrix = Normalized::of(&graph, &rows, &rows);
        let want = matrix.dense(3).unwrap();
        let got = matrix.filtered(&Run::new(), 3, 0).unwrap();
        for k in 0..3 {
            let cosine = want.column(k).dot(&got.column(k));
            assert!(cosine.abs() > 0.99, "{k} {cosine}");
        }
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let graph = strip(3001);
        let rows: Vec<u32> = (0..3001).collect();
        let bits = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let found = run.install(|| spectral_vectors(&run, &graph, &rows, &rows, 2, 5));
            let found = found.unwrap();
            assert!((found.slice(s![.., 0]).mapv(|v| v * v).sum() - 1.0).abs() < 1e-4);
            found.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(7));
    }
}
