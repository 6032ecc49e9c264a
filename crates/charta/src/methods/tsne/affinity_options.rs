//! From data to affinities: the nearest-neighbour search, its size by the perplexity, and warnings where there are too few rows.

use super::{Affinities, Affinity};
use crate::data::Data;
use crate::error::{Error, Result, Warning, counted, message};
use crate::graph::Neighborhood;
use crate::neighbors::Search;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// Neighbours for every unit of perplexity: further ones have next to no affinity.
const NEIGHBORS_PER_PERPLEXITY: f64 = 3.0;

/// How affinities are made from data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AffinityOptions {
    /// How affinities are computed.
    pub affinity: Affinity,
    /// The perplexities whose affinities are averaged.
    pub perplexities: Vec<f64>,
    /// Nearest-neighbour search.
    pub search: Search,
}

/// Affinities, and how they came about.
#[derive(Clone, Debug)]
pub struct FoundAffinities {
    /// The affinities.
    pub affinities: Affinities,
    /// The perplexities used.
    pub perplexities: Vec<f64>,
    /// Neighbours of each row.
    pub n_neighbors: usize,
    /// How they were found, in words.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among them.
    pub recall: f64,
}

impl AffinityOptions {
    /// Neighbours that rows of this many would have.
    pub fn n_neighbors(&self, n_rows: usize) -> usize {
        let most = self
            .perplexities
            .iter()
            .fold(1.0, |most: f64, &p| most.max(p));
        let wanted = match self.affinity {
            Affinity::Uniform => most.round(),
            _ => NEIGHBORS_PER_PERPLEXITY * most,
        };
        (wanted as usize).clamp(1, n_rows.saturating_sub(1).max(1))
    }

    /// The affinities of the rows of `data`.
    pub fn of(&self, run: &Run<'_>, data: &Data<'_>) -> Result<FoundAffinities> {
        if data.n_rows() < 2 {
            return Err(Error::too_few_rows(message!("t-SNE"), 2, data.n_rows()));
        }
        if self.affinity == Affinity::Precomputed {
            run.stage("affinities")?;
            let affinities = Affinities::given(run, data)?;
            return Ok(FoundAffinities {
                n_neighbors: affinities.n_stored().div_ceil(data.n_rows()),
                affinities,
                perplexities: Vec::new(),
                algorithm: "given".into(),
                recall: 1.0,
            });
        }
        let perplexities = self.allowed(run, data)?;
        let n_neighbors = self.n_neighbors(data.n_rows());
        run.stage("nearest neighbours")?;
        let neighborhood = Neighborhood {
            search: self.search.clone(),
            ..Neighborhood::nearest(n_neighbors)
        };
        let found = neighborhood.find(run, data)?;
        let fewest = found.neighbors.fewest();
        if fewest < n_neighbors {
            run.warn(Warning::doubtful(
                message!("the affinities"),
                message!(
                    "some {:rows} have only {} in the table given; {n_neighbors} are needed for this perplexity",
                    counted(fewest, "neighbour")
                ),
            ))?;
        }
        run.stage("affinities")?;
        let affinities = match self.affinity {
            Affinity::Uniform => Affinities::uniform(run, found.neighbors)?,
            _ => Affinities::of_perplexities(run, found.neighbors, &perplexities)?,
        };
        Ok(FoundAffinities {
            affinities,
            perplexities,
            n_neighbors,
            algorithm: found.algorithm,
            recall: found.recall,
        })
    }

    /// The perplexities, as far as there are rows for them.
    fn allowed(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Vec<f64>> {
        let n_rows = data.n_rows();
        let others = (n_rows - 1) as f64;
        let most = match self.affinity {
            Affinity::Uniform => others,
            _ => (others / NEIGHBORS_PER_PERPLEXITY).max(1.0),
        };
        let allowed: Vec<f64> = self.perplexities.iter().map(|p| p.min(most)).collect();
        for (wanted, used) in self.perplexities.iter().zip(&allowed) {
            if used < wanted {
                // Data that cannot be fitted at all is refused first.
                data.check_finite()?;
                run.warn(Warning::adjusted(
                    "perplexity",
                    *wanted,
                    (used * 1000.0).round() / 1000.0,
                    message!(
                        "{:data} has {n_rows:rows}, and each needs three times as many neighbours as the perplexity"
                    ),
                ))?;
            }
        }
        Ok(allowed)
    }
}
