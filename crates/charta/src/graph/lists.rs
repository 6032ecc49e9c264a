//! Neighbour lists with a connected graph: for methods that use every row's own neighbours, not edges.

use ndarray::Array2;

use super::distinct::Distinct;
use super::left_out::in_place;
use super::{Graph, Neighborhood};
use crate::data::{Data, Neighbors};
use crate::error::{Error, Result, Warning, message};
use crate::neighbors::{self, Found};
use crate::run::Run;

/// The neighbours of every row, all hanging together, and how that came about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lists {
    /// The neighbours; among `rows` only if there are any.
    pub neighbors: Neighbors,
    /// How they were found, in words.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among those found.
    pub recall: f64,
    /// Connected components before bridges were added.
    pub n_parts: usize,
    /// Pairs of neighbours that were added to join the connected components.
    pub n_bridges: usize,
    /// Neighbours that every row has at least.
    pub least: usize,
    /// The rows that were kept, if some were left out: row i here is row `rows[i]` of the data.
    pub rows: Option<Vec<u32>>,
    /// Rows that repeat others, if there are any: they have no neighbours here, and get the coordinates of the row they repeat.
    pub distinct: Option<Distinct>,
}

/// Options of neighbour lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListOptions<'a> {
    /// Neighbours that a row has at least.
    pub(super) least: usize,
    /// What the rows are called, if not by their number here.
    pub(super) originals: Option<&'a [u32]>,
}

impl Lists {
    /// The row of the data that row i is.
    pub(crate) fn row_of(&self, i: usize) -> usize {
        self.rows.as_ref().map_or(i, |rows| rows[i] as usize)
    }

    /// The same, but rows that are in no other row's neighbourhood are their own neighbours: otherwise a sum over neighbourhoods without the row itself would
    /// not contain them.
    pub(crate) fn covering(mut self) -> Self {
        let mut listed = vec![false; self.neighbors.n_rows()];
        for &index in self.neighbors.indices() {
            listed[index as usize] = true;
        }
        if !listed.iter().all(|&listed| listed) {
            let lists = &self.neighbors;
            let fill = |row: usize, list: &mut Vec<(f64, u32)>| {
                list.extend(entries(lists, row));
                if !listed[row] {
                    list.push((0.0, row as u32));
                }
            };
            self.neighbors = made(lists.n_known(), fill, lists.n_rows());
        }
        self
    }

    /// The same for data in which some rows repeat those that are here.
    pub(super) fn among_copies(mut self, distinct: Distinct) -> Self {
        self.rows = Some(match self.rows {
            None => distinct.rows.clone(),
            Some(kept) => kept
                .iter()
                .map(|&row| distinct.rows[row as usize])
                .collect(),
        });
        self.distinct = Some(distinct);
        self
    }

    /// Coordinates as those of all `n_rows` rows of the data: NaN where a row was left out, and rows that repeat others
    /// where those are.
    pub(crate) fn in_place(&self, coordinates: Array2<f64>, n_rows: usize) -> Array2<f64> {
        let mut whole = in_place(self.rows.as_deref(), coordinates, n_rows);
        let copies = self.distinct.as_ref().map(|distinct| &distinct.copies);
        for &(copy, first) in copies.into_iter().flatten() {
            let values = whole.row(first as usize).to_owned();
            whole.row_mut(copy as usize).assign(&values);
        }
        whole
    }
}

impl Neighborhood {
    /// Fails if a number of neighbours is set, and it is below `least`.
    pub(super) fn check_least(&self, least: usize) -> Result<()> {
        if self.radius.is_some() || self.n_neighbors >= least {
            return Ok(());
        }
        Err(Error::parameter(
            "n_neighbors",
            message!("be at least {least} for this number of components"),
            self.n_neighbors,
        ))
    }

    /// Fails if `n_rows` rows cannot have such neighbourhoods, of at least `least` neighbours, whatever the rows are.
    pub(crate) fn check_rows(&self, n_rows: usize, least: usize) -> Result<()> {
        self.check_least(least)?;
        match self.radius {
            Some(_) => Ok(()),
            None => neighbors::check_neighbors(self.n_neighbors, n_rows),
        }
    }

    /// The neighbours of every row, at least `least` of them, hanging together.
    pub(crate) fn lists(&self, run: &Run<'_>, data: &Data<'_>, least: usize) -> Result<Lists> {
        if data.neighbors().is_none() {
            self.check_least(least)?;
        }
        let found = self.find(run, data)?;
        let options = ListOptions {
            least,
            originals: None,
        };
        self.in_one_piece(run, data, found, options)
    }

    /// Lists of neighbours that were found, with their graph made connected.
    pub(super) fn in_one_piece(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        found: Found,
        options: ListOptions<'_>,
    ) -> Result<Lists> {
        let least = options.least;
        let mut lists = found.neighbors.clone();
        if self.mutual {
            lists = mutual(&lists);
        }
        if lists.fewest() < least {
            lists = self.filled(run, data, &lists, least)?;
        }
        if data.neighbors().is_none() && lists.distances().iter().all(|&length| length <= 0.0) {
            return Err(Error::degenerate(message!(
                "every {:row} is at distance 0 from its neighbours: the {:rows} are all the same, \
                 or so close together that their squared differences underflow"
            )));
        }
        let found = Found {
            neighbors: lists,
            ..found
        };
        let graph = Graph::union(&found.neighbors);
        let connected = self.connect(run, data, &found, graph, options.originals)?;
        let lists = found.neighbors;
        let neighbors = match &connected.rows {
            Some(rows) => among(&lists, rows),
            None => with_pairs(&lists, &connected.bridges),
        };
        Ok(Lists {
            neighbors,
            algorithm: found.algorithm,
            recall: found.recall,
            n_parts: connected.n_parts,
            n_bridges: connected.bridges.len(),
            least,
            rows: connected.rows,
            distinct: None,
        })
    }

    /// Rows with fewer than `least` neighbours get their nearest.
    fn filled(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        lists: &Neighbors,
        least: usize,
    ) -> Result<Neighbors> {
        if data.neighbors().is_some() || (self.radius.is_none() && !self.mutual) {
            return Err(Error::parameter(
                "n_neighbors",
                message!("be at least {least} for every {:row}"),
                lists.fewest(),
            ));
        }
        let nearest = neighbors::nearest(run, data, &self.search, least)?.neighbors;
        let few: Vec<bool> = (0..lists.n_rows())
            .map(|row| lists.row(row).0.len() < least)
            .collect();
        run.warn(Warning::doubtful(
            message!("neighbourhoods"),
            message!(
                "{n:rows} had {}; {} used instead; {} would avoid this",
                match least {
                    1 => "no neighbour".into(),
                    _ => format!("fewer than {least} neighbours"),
                },
                match least {
                    1 => "the nearest is".into(),
                    _ => format!("the nearest {least} are"),
                },
                match self.radius {
                    Some(_) => message!("a larger {radius:parameter}"),
                    None => message!("{mutual=false}"),
                },
                n = few.iter().filter(|few| **few).count()
            ),
        ))?;
        Ok(made(
            lists.n_known(),
            |row, list| {
                let from = if few[row] { &nearest } else { lists };
                list.extend(entries(from, row));
            },
            lists.n_rows(),
        ))
    }
}

fn entries(lists: &Neighbors, row: usize) -> impl Iterator<Item = (f64, u32)> + '_ {
    let (places, distances) = lists.row(row);
    distances.iter().copied().zip(places.iter().copied())
}

/// A table from lists that `fill` makes.
fn made(n_known: usize, fill: impl Fn(usize, &mut Vec<(f64, u32)>), n_rows: usize) -> Neighbors {
    let (mut starts, mut places, mut distances) = (vec![0], Vec::new(), Vec::new());
    let mut list = Vec::new();
    for row in 0..n_rows {
        list.clear();
        fill(row, &mut list);
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        places.extend(list.iter().map(|entry| entry.1));
        distances.extend(list.iter().map(|entry| entry.0));
        starts.push(places.len());
    }
    Neighbors::from_lists(n_known, starts, places, distances)
}

/// Only neighbours that are so in both directions.
fn mutual(lists: &Neighbors) -> Neighbors {
    let fill = |row: usize, list: &mut Vec<(f64, u32)>| {
        let back = |other: u32| lists.row(other as usize).0.contains(&(row as u32));
        list.extend(entries(lists, row).filter(|&(_, other)| back(other)));
    };
    made(lists.n_known(), fill, lists.n_rows())
}

fn with_pairs(lists: &Neighbors, pairs: &[(u32, u32, f64)]) -> Neighbors {
    if pairs.is_empty() {
        return lists.clone();
    }
    let mut added = vec![Vec::new(); lists.n_rows()];
    for &(a, b, length) in pairs {
        added[a as usize].push((length, b));
        added[b as usize].push((length, a));
    }
    let fill = |row: usize, list: &mut Vec<(f64, u32)>| {
        list.extend(entries(lists, row));
        let known: Vec<u32> = list.iter().map(|entry| entry.1).collect();
        list.extend(added[row].iter().filter(|entry| !known.contains(&entry.1)));
    };
    made(lists.n_known(), fill, lists.n_rows())
}

/// The lists of some rows, whose neighbours are all among them.
fn among(lists: &Neighbors, rows: &[u32]) -> Neighbors {
    let mut places = vec![u32::MAX; lists.n_known()];
    for (index, &row) in rows.iter().enumerate() {
        places[row as usize] = index as u32;
    }
    let fill = |row: usize, list: &mut Vec<(f64, u32)>| {
        let kept = entries(lists, rows[row] as usize);
        list.extend(kept.map(|(length, other)| (length, places[other as usize])));
    };
    made(rows.len(), fill, rows.len())
}
