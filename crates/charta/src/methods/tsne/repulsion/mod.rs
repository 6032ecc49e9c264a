//! Repulsion between all rows: exact, by Barnes–Hut trees, or by FIt-SNE interpolation.
//!
//! With the Student t kernel k(s) = (1 + s/α)^−α of squared distances s, a row at y has the potential φ(y) = Σ_j k(|y − y_j|²), and the force on it is
//! −½ ∇φ = Σ_j (1 + s/α)^(−α−1) (y − y_j). The sum of all potentials, less that of each row on itself, is Z. With α = 1, Student's t
//! distribution with one degree of freedom, these are the terms of the paper.
//!
//! | what computes it | cost | error of the pushes | taken |
//! |---|---|---|---|
//! | [`exact`] | n² | rounding | few rows, or more than 3 coordinates |
//! | [`interpolation`] | n + area log area | below 1 % | 2 coordinates |
//! | [`barnes_hut`] | n log n | about 1 % | 1 and 3 coordinates |

mod barnes_hut;
mod exact;
mod interpolation;
mod mesh;

use crate::error::{Error, Result, message};
use crate::params::Choice;
use crate::run::Run;

pub(super) use barnes_hut::Tree;
pub(super) use exact::Exact;
pub(super) use interpolation::Grid;

/// Rows up to which all pairs are computed, with 2 coordinates.
const MAX_EXACT_PLANE: usize = 1500;
/// And with any other number of coordinates.
const MAX_EXACT: usize = 3000;
/// How far beyond the outermost row new ones may go before all rows count as one body, as a fraction of the embedding.
const MARGIN: f64 = 0.05;
/// Coordinates up to which there are Barnes–Hut trees.
const MAX_TREE_COMPONENTS: usize = 3;

/// How the rows' repulsion is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Gradient {
    /// Exact for few rows or more than 3 coordinates; otherwise FIt-SNE interpolation in 2 dimensions, Barnes–Hut in 1 and 3.
    Auto,
    /// All pairs of rows.
    Exact,
    /// Barnes–Hut: distant cells of a space-partitioning tree count as one row each.
    Tree,
    /// FIt-SNE: interpolation on a grid and fast Fourier transforms, in 2 dimensions.
    Grid,
}

impl Gradient {
    /// What is taken for this many rows and coordinates.
    pub(crate) fn resolve(self, n_rows: usize, n_components: usize) -> Self {
        let few = if n_components == 2 {
            MAX_EXACT_PLANE
        } else {
            MAX_EXACT
        };
        match self {
            Self::Auto if n_components > MAX_TREE_COMPONENTS || n_rows <= few => Self::Exact,
            Self::Auto if n_components == 2 => Self::Grid,
            Self::Auto => Self::Tree,
            chosen => chosen,
        }
    }

    /// Fails if there is no such computation for this many coordinates.
    pub(crate) fn check(self, n_components: usize) -> Result<()> {
        let (values, because): (&[&'static str], _) = match self {
            Self::Grid if n_components != 2 => (
                &["auto", "exact", "tree"],
                message!("the grid has 2 dimensions, and there are {n_components} components"),
            ),
            Self::Tree if n_components > MAX_TREE_COMPONENTS => (
                &["auto", "exact"],
                message!(
                    "the tree has {MAX_TREE_COMPONENTS} dimensions at most, and there are {n_components} \
                     components"
                ),
            ),
            _ => return Ok(()),
        };
        Err(Error::one_of("gradient", values, because, self))
    }

    /// In a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exact => "all pairs",
            Self::Tree => "tree",
            Self::Grid => "grid",
        }
    }
}

/// The Student t kernel, and how coarse a tree may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kernel {
    /// Number of coordinates that are not always 0.
    pub(super) n_components: usize,
    /// Degrees of freedom α.
    pub(super) degrees_of_freedom: f64,
    /// θ of Barnes–Hut: cells that are smaller than this fraction of their distance count as one row.
    pub(super) theta: f64,
}

/// The repulsion of fixed rows at any point.
#[derive(Debug)]
pub(super) enum Repulsion<const D: usize> {
    /// All pairs.
    Exact(Exact<D>),
    /// A tree.
    Tree(Tree<D>),
    /// A grid; D is 2. The tree takes its place while the map is too wide for its number of rows.
    Grid {
        grid: Box<Grid>,
        tree: Tree<D>,
        wide: bool,
    },
}

impl<const D: usize> Repulsion<D> {
    /// The computation chosen; `gradient` is resolved.
    pub(super) fn new(gradient: Gradient, kernel: Kernel) -> Self {
        Self::reaching(gradient, kernel, 0.0)
    }

    /// The computation chosen, for points beyond the outermost row too.
    pub(super) fn for_new_rows(gradient: Gradient, kernel: Kernel) -> Self {
        Self::reaching(gradient, kernel, MARGIN)
    }

    fn reaching(gradient: Gradient, kernel: Kernel, margin: f64) -> Self {
        match gradient {
            Gradient::Grid if D == 2 => Self::Grid {
                grid: Box::new(Grid::new(kernel.degrees_of_freedom, margin)),
                tree: Tree::new(kernel),
                wide: false,
            },
            Gradient::Tree => Self::Tree(Tree::new(kernel)),
            _ => Self::Exact(Exact::new(kernel)),
        }
    }

    /// The force on every row, and Z.
    pub(super) fn forces(
        &mut self,
        run: &Run<'_>,
        coordinates: &[[f32; D]],
        forces: &mut [[f32; D]],
    ) -> Result<f64> {
        run.check()?;
        self.set_rows(coordinates)?;
        Ok(match self {
            Self::Exact(exact) => exact.forces(coordinates, forces),
            Self::Tree(tree)
            | Self::Grid {
                tree, wide: true, ..
            } => tree.forces(forces),
            Self::Grid { grid, .. } => {
                let coordinates = coordinates.as_flattened().as_chunks().0;
                grid.forces(coordinates, forces.as_flattened_mut().as_chunks_mut().0)
            }
        })
    }

    /// Sets the coordinates of the rows.
    pub(super) fn set_rows(&mut self, coordinates: &[[f32; D]]) -> Result<()> {
        match self {
            Self::Exact(exact) => exact.set_rows(coordinates),
            Self::Tree(tree) => tree.set_rows(coordinates),
            Self::Grid { grid, tree, wide } => {
                *wide = !grid.set_rows(coordinates.as_flattened().as_chunks().0)?;
                if *wide {
                    tree.set_rows(coordinates);
                }
            }
        }
        Ok(())
    }

    /// The potential at a point where no row is, and the force there.
    pub(super) fn at(&self, point: &[f32; D]) -> (f64, [f64; D]) {
        match self {
            Self::Exact(exact) => exact.at(point),
            Self::Tree(tree)
            | Self::Grid {
                tree, wide: true, ..
            } => tree.at(point, None),
            Self::Grid { grid, .. } => {
                let (potential, push) = grid.at([point[0], point[D - 1]]);
                (potential, std::array::from_fn(|axis| push[axis.min(1)]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream};

    /// Some clusters, about as a map looks in its last steps.
    fn clusters<const D: usize>(n: usize, spread: f64) -> Vec<[f32; D]> {
        let mut draw = stream(5, D as u64);
        let centres: Vec<[f64; D]> = (0..7)
            .map(|_| std::array::from_fn(|_| spread * normal(&mut draw)))
            .collect();
        (0..n)
            .map(|row| {
                let centre = centres[row % 7];
                centre.map(|c| (c + 0.3 * spread * normal(&mut draw)) as f32)
            })
            .collect()
    }

    /// Pushes and Z by the definition, in double precision.
    fn brute<const D: usize>(
        coordinates: &[[f32; D]],
        degrees_of_freedom: f64,
    ) -> (Vec<[f64; D]>, f64) {
        let mut sum = 0.0;
        let forces = (0..coordinates.len())
            .map(|i| {
                let mut push = [0.0; D];
                for j in (0..coordinates.len()).filter(|&j| j != i) {
                    let apart: [f64; D] = std::array::from_fn(|d| {
                        f64::from(coordinates[i][d]) - f64::from(coordinates[j][d])
                    });
                    let squares: f64 = apart.iter().map(|a| a * a).sum();
                    let base = 1.0 + squares / degrees_of_freedom;
                    sum += base.powf(-degrees_of_freedom);
                    for d in 0..D {
                        push[d] += base.powf(-degrees_of_freedom - 1.0) * apart[d];
                    }
                }
                push
            })
            .collect();
        (forces, sum)
    }

    fn errors<const D: usize>(
        gradient: Gradient,
        kernel: Kernel,
        coordinates: &[[f32; D]],
    ) -> (f64, f64) {
        let mut forces = vec![[0.0; D]; coordinates.len()];
        let mut repulsion = Repulsion::new(gradient, kernel);
        let run = Run::new();
        let sum = repulsion.forces(&run, coordinates, &mut forces).unwrap();
        let (want, whole) = brute(coordinates, kernel.degrees_of_freedom);
        let (mut off, mut all) = (0.0, 0.0);
        for (got, want) in forces.iter().zip(&want) {
            for (g, w) in got.iter().zip(want) {
                off += (f64::from(*g) - w).powi(2);
                all += w * w;
            }
        }
        ((off / all).sqrt(), (sum / whole - 1.0).abs())
    }

    #[test]
    fn all_ways_give_the_pushes_of_the_definition() {
        for degrees_of_freedom in [1.0, 0.6, 2.0] {
            let kernel = Kernel {
                n_components: 8,
                degrees_of_freedom,
                theta: 0.5,
            };
            let fine = Kernel {
                theta: 0.25,
                ..kernel
            };
            for spread in [1e-4, 2.0, 8.0] {
                let plane = clusters::<2>(1003, spread);
                let space = clusters::<3>(1003, spread);
                let line = clusters::<1>(1003, spread);
                let many = clusters::<8>(203, spread);
                for (what, (force, sum), limit) in [
                    ("pairs", errors(Gradient::Exact, kernel, &plane), 1e-5),
                    ("pairs of 8", errors(Gradient::Exact, kernel, &many), 1e-5),
                    ("grid", errors(Gradient::Grid, kernel, &plane), 1e-2),
                    ("tree", errors(Gradient::Tree, kernel, &plane), 3e-2),
                    ("fine tree", errors(Gradient::Tree, fine, &plane), 5e-3),
                    ("octree", errors(Gradient::Tree, kernel, &space), 3e-2),
                    ("line", errors(Gradient::Tree, kernel, &line), 3e-2),
                ] {
                    assert!(
                        force < limit && sum < limit,
                        "{what}, {degrees_of_freedom}, {spread}: pushes {force:.1e}, sum {sum:.1e}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_place_is_pushed_as_a_row_there_would_be() {
        let kernel = Kernel {
            n_components: 2,
            degrees_of_freedom: 1.0,
            theta: 0.5,
        };
        let mut coordinates = clusters::<2>(900, 10.0);
        let probes: Vec<[f32; 2]> = vec![[0.5, -3.0], [14.0, 2.0], [400.0, -900.0]];
        for gradient in [Gradient::Exact, Gradient::Tree, Gradient::Grid] {
            let mut repulsion = Repulsion::for_new_rows(gradient, kernel);
            repulsion.set_rows(&coordinates).unwrap();
            for probe in &probes {
                let (potential, push) = repulsion.at(probe);
                coordinates.push(*probe);
                let want = brute(&coordinates, 1.0).0[coordinates.len() - 1];
                coordinates.pop();
                let size = want[0].hypot(want[1]);
                let off = (push[0] - want[0]).hypot(push[1] - want[1]);
                assert!(off < 0.03 * size, "{gradient:?}: {push:?} for {want:?}");
                assert!(potential > 0.0);
            }
        }
    }

    #[test]
    fn rows_in_one_place_and_far_apart_are_finite() {
        let kernel = Kernel {
            n_components: 2,
            degrees_of_freedom: 1.0,
            theta: 0.5,
        };
        let mut far = clusters::<2>(600, 1.0);
        far[3] = [1e6, -1e6];
        for coordinates in [vec![[0.25, -1.0]; 600], far] {
            for gradient in [Gradient::Exact, Gradient::Tree, Gradient::Grid] {
                let (_, sum) = errors(gradient, kernel, &coordinates);
                assert!(sum < 0.05, "{gradient:?}: {sum}");
            }
        }
    }
}
