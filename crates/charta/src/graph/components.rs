//! Connected components of a graph.

use super::Graph;

/// Sets that can be united: each is named by its smallest member.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    /// Every row by itself.
    pub(crate) fn new(n_rows: usize) -> Self {
        Self {
            parents: (0..n_rows as u32).collect(),
        }
    }

    /// The smallest row of the set that a row is in.
    pub(crate) fn find(&mut self, row: u32) -> u32 {
        let mut at = row;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Unites the sets of two rows; false if they were one already.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}

/// The connected components of a graph, largest first; of equal ones that with the lowest row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each row.
    pub of_row: Vec<u32>,
    /// Rows in each component.
    pub sizes: Vec<usize>,
}

impl Components {
    /// The connected components of `graph`.
    pub fn of(graph: &Graph) -> Self {
        let mut sets = Sets::new(graph.n_rows());
        for (a, b, _) in graph.edges() {
            sets.unite(a, b);
        }
        Self::of_sets(&mut sets)
    }

    pub(crate) fn of_sets(sets: &mut Sets) -> Self {
        let n_rows = sets.parents.len();
        let roots: Vec<u32> = (0..n_rows as u32).map(|row| sets.find(row)).collect();
        let mut counts = vec![0usize; n_rows];
        for &root in &roots {
            counts[root as usize] += 1;
        }
        let mut order: Vec<u32> = (0..n_rows as u32)
            .filter(|&row| counts[row as usize] > 0)
            .collect();
        order.sort_by_key(|&root| std::cmp::Reverse(counts[root as usize]));
        let mut number = vec![0; n_rows];
        for (index, &root) in order.iter().enumerate() {
            number[root as usize] = index as u32;
        }
        Self {
            of_row: roots.iter().map(|&root| number[root as usize]).collect(),
            sizes: order.iter().map(|&root| counts[root as usize]).collect(),
        }
    }

    /// Number of connected components.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The rows of a component, in ascending order.
    pub fn rows(&self, part: usize) -> Vec<u32> {
        let rows = 0..self.of_row.len() as u32;
        rows.filter(|&row| self.of_row[row as usize] as usize == part)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_from_the_largest() {
        let graph = Graph::from_edges(7, &[(0, 1, 1.0), (2, 5, 1.0), (5, 6, 0.0)]);
        let parts = Components::of(&graph);
        assert_eq!(parts.sizes, [3, 2, 1, 1]);
        assert_eq!(parts.of_row, [1, 1, 0, 2, 3, 0, 0]);
        assert_eq!(parts.rows(0), [2, 5, 6]);
    }

    #[test]
    fn a_long_chain_is_one_part() {
        let edges: Vec<_> = (0..9999u32).rev().map(|row| (row, row + 1, 1.0)).collect();
        assert_eq!(Components::of(&Graph::from_edges(10_000, &edges)).len(), 1);
    }
}
