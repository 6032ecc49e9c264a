//! Landmarks: rows from which distances to all others are computed.

use super::Paths;
use crate::error::{Because, Error, Result};
use crate::params::Choice;
use crate::random::{below, permutation, stream};
use crate::run::Run;

/// Rows up to which all of them are landmarks by default.
const ALL: usize = 12_000;
/// Landmarks chosen for more rows, at least.
const FEWEST: usize = 1000;
/// Rows for every landmark.
const ROWS_PER_LANDMARK: usize = 50;

/// Number of landmarks: rows from which distances are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Landmarks {
    /// All rows up to 12,000; beyond, one row in 50, at least 1,000.
    Auto,
    /// All rows: exact.
    All,
    /// This number of rows.
    #[choice(min = 1)]
    Count(usize),
}

/// Choice of the landmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum LandmarkChoice {
    /// Uniformly at random.
    Random,
    /// Farthest-point sampling (maxmin): each is the row farthest from those chosen before.
    Maxmin,
}

impl Landmarks {
    /// How many of this many rows.
    pub(crate) fn count(self, n_rows: usize) -> usize {
        match self {
            Self::Auto if n_rows > ALL => FEWEST.max(n_rows / ROWS_PER_LANDMARK),
            Self::Auto | Self::All => n_rows,
            Self::Count(count) => count.min(n_rows),
        }
    }

    /// Fails unless there are more landmarks among this many rows than components wanted.
    pub(crate) fn check_components(self, count: usize, n_rows: usize) -> Result<()> {
        let n_landmarks = self.count(n_rows);
        if count < n_landmarks {
            return Ok(());
        }
        let because = if n_landmarks == n_rows {
            Because::Rows(n_landmarks)
        } else {
            Because::Landmarks(n_landmarks)
        };
        Err(Error::at_most(
            "n_components",
            n_landmarks - 1,
            because,
            count,
        ))
    }

    /// The landmarks among the rows of a graph, in ascending order; distances are those along the graph.
    pub(crate) fn choose(
        self,
        run: &Run<'_>,
        paths: &Paths,
        choice: LandmarkChoice,
        seed: u64,
    ) -> Result<Vec<u32>> {
        let mut search = paths.search();
        self.choose_by(run, paths.n_rows(), choice, seed, |row, nearest| {
            search.start([(row, 0.0)]);
            for (other, nearest) in nearest.iter_mut().enumerate() {
                *nearest = nearest.min(search.length(other as u32));
            }
            Ok(())
        })
    }

    /// The landmarks among this many rows, in ascending order. `approach` lowers, for every row, the distance to the
    /// nearest landmark to that from the row given, if that is less.
    pub(crate) fn choose_by(
        self,
        run: &Run<'_>,
        n_rows: usize,
        choice: LandmarkChoice,
        seed: u64,
        approach: impl FnMut(u32, &mut [f64]) -> Result<()>,
    ) -> Result<Vec<u32>> {
        let count = self.count(n_rows);
        let mut stream = stream(seed, 2);
        let mut chosen: Vec<u32> = if count == n_rows {
            (0..n_rows as u32).collect()
        } else if choice == LandmarkChoice::Random {
            let order = permutation(&mut stream, n_rows);
            order[..count].iter().map(|&row| row as u32).collect()
        } else {
            run.stage("landmarks")?;
            let first = below(&mut stream, n_rows) as u32;
            farthest(run, n_rows, count, first, approach)?
        };
        chosen.sort_unstable();
        Ok(chosen)
    }
}

/// Rows, each as far as possible from those before it.
fn farthest(
    run: &Run<'_>,
    n_rows: usize,
    count: usize,
    first: u32,
    mut approach: impl FnMut(u32, &mut [f64]) -> Result<()>,
) -> Result<Vec<u32>> {
    let mut nearest = vec![f64::INFINITY; n_rows];
    // Less than any distance: chosen already.
    nearest[first as usize] = -1.0;
    let mut chosen = vec![first];
    while chosen.len() < count {
        approach(chosen[chosen.len() - 1], &mut nearest)?;
        let mut next = (0, -1.0);
        for (row, &nearest) in nearest.iter().enumerate() {
            if nearest > next.1 {
                next = (row, nearest);
            }
        }
        nearest[next.0] = -1.0;
        chosen.push(next.0 as u32);
        run.progress(chosen.len() as u64, count as u64)?;
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn the_farthest_rows_of_a_chain_are_its_ends_and_twins_count_once() {
        let chain: Vec<_> = (0..9u32).map(|row| (row, row + 1, 1.0)).collect();
        let paths = Paths::of(&Graph::from_edges(10, &chain));
        let run = Run::new();
        let maxmin = LandmarkChoice::Maxmin;
        let chosen = (Landmarks::Count(3).choose(&run, &paths, maxmin, 0)).unwrap();
        assert!(chosen.contains(&0) && chosen.contains(&9), "{chosen:?}");
        let positions = [0.0, 0.0, 0.0, 1.0_f64];
        let chosen = farthest(&run, 4, 4, 1, |row, nearest| {
            for (nearest, position) in nearest.iter_mut().zip(positions) {
                *nearest = nearest.min((position - positions[row as usize]).abs());
            }
            Ok(())
        });
        let mut chosen = chosen.unwrap();
        assert_eq!(chosen[..2], [1, 3]);
        chosen.sort_unstable();
        assert_eq!(chosen, [0, 1, 2, 3]);
    }

    #[test]
    fn many_rows_get_landmarks_by_themselves() {
        assert_eq!(Landmarks::Auto.count(12_000), 12_000);
        assert_eq!(Landmarks::Auto.count(12_001), 1000);
        assert_eq!(Landmarks::Auto.count(100_000), 2000);
        assert_eq!(Landmarks::Count(7).count(5), 5);
    }
}
