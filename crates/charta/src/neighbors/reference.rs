//! Reference rows, kept so that the nearest of them can be found for new rows.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::{NeighborQuery, Search, Task, among_features, check_radius, scan, search_features};
use crate::data::loaded::{check_at_least, check_features};
use crate::data::{Data, Features, Neighbors, OwnedFeatures, Source};
use crate::error::{Error, Result, message};
use crate::metric::{Metric, Whitening, check_function};
use crate::parallel::blocks;
use crate::run::Run;

/// Values of new rows that are brought to the reference rows' precision at once.
const CONVERTED: usize = 1 << 22;

/// The rows a model was fitted on, as far as embedding new rows needs them: in their own precision, sparse if they were.
///
/// ```
/// use charta::{Data, Run, neighbors::{Reference, Search}};
/// use ndarray::array;
/// let known = Reference::new(&Data::from(&array![[0.0, 0.0], [3.0, 4.0]]), &Search::default())?;
/// let found = known.nearest(&Run::new(), &Data::from(&array![[3.0, 0.0]]), 2)?;
/// assert_eq!(found.row(0), ([0, 1].as_slice(), [3.0, 4.0].as_slice()));
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    rows: Kept,
    whitening: Option<Whitening>,
    by_function: bool,
    search: Search,
}

/// What is kept of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kept {
    /// Their features.
    Features(OwnedFeatures),
    /// Nothing but their number: they are known by distances or neighbours only.
    Number(usize),
}

impl Reference {
    /// Keeps the rows of `data`, or nothing but their number if they are known by distances or neighbours only.
    pub fn new(data: &Data<'_>, search: &Search) -> Result<Self> {
        let rows = match data.source() {
            Source::Features(features) => Kept::Features(features.to_features()),
            _ => Kept::Number(data.n_rows()),
        };
        Self::keeping(data, rows, search)
    }

    /// Keeps some rows of `data`, which are compared as they are among all of them.
    pub fn of_rows(data: &Data<'_>, rows: &[u32], search: &Search) -> Result<Self> {
        let indices: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let kept = match data.source() {
            Source::Features(features) => Kept::Features(features.select_rows(&indices)?),
            _ => Kept::Number(rows.len()),
        };
        Self::keeping(data, kept, search)
    }

    fn keeping(data: &Data<'_>, rows: Kept, search: &Search) -> Result<Self> {
        let mut reference = Self {
            rows,
            whitening: None,
            by_function: data.distance().is_some(),
            search: search.clone(),
        };
        if reference.is_whitened() {
            // Warnings about the covariance were given at the first search.
            reference.whitening = Some(Whitening::of(&Run::new(), data, search.metric)?);
        }
        Ok(reference)
    }

    fn is_whitened(&self) -> bool {
        let by_metric = self.search.metric.is_whitened() && !self.by_function;
        by_metric && self.features().is_some()
    }

    /// Fails if what was loaded does not fit together.
    pub(crate) fn validate(&self) -> Result<()> {
        match &self.rows {
            Kept::Features(features) => check_features("the reference rows", features)?,
            Kept::Number(number) => check_at_least("the number of reference rows", *number, 1)?,
        }
        Whitening::validate_stored(
            self.whitening.as_ref(),
            self.is_whitened(),
            self.n_columns(),
        )
    }

    /// Number of reference rows.
    pub fn n_rows(&self) -> usize {
        match &self.rows {
            Kept::Features(features) => features.view().n_rows(),
            Kept::Number(number) => *number,
        }
    }

    /// Number of columns of the reference rows' features, or of the distances that new rows need.
    pub fn n_columns(&self) -> usize {
        self.features()
            .map_or(self.n_rows(), |features| features.n_columns())
    }

    /// The reference rows; `None` if they are known by distances or neighbours only.
    pub fn features(&self) -> Option<Features<'_>> {
        match &self.rows {
            Kept::Features(features) => Some(features.view()),
            Kept::Number(_) => None,
        }
    }

    /// How rows are compared.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The `count` reference rows nearest to each row of `data`: to its features, or by its distances to all
    /// reference rows. A reference row that is the same is at distance 0.
    pub fn nearest(&self, run: &Run<'_>, data: &Data<'_>, count: usize) -> Result<Neighbors> {
        if count == 0 {
            return Err(Error::at_least("n_neighbors", 1, 0_usize));
        }
        self.find(run, data, NeighborQuery::Nearest(count.min(self.n_rows())))
    }

    /// The reference rows within `radius` of each row of `data`. A row may have none.
    pub fn within(&self, run: &Run<'_>, data: &Data<'_>, radius: f64) -> Result<Neighbors> {
        check_radius(radius)?;
        self.find(run, data, NeighborQuery::Within(radius))
    }

    fn find(&self, run: &Run<'_>, data: &Data<'_>, wanted: NeighborQuery) -> Result<Neighbors> {
        if let Source::DistancesTo(distances) = data.source() {
            return self.in_distances(run, distances, wanted);
        }
        let Some(known) = self.features() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!(
                    "was fitted to distances or neighbours: give the distances of the new \
                     {:rows} to all of them ({DistancesTo:input})"
                ),
            ));
        };
        check_function(self.by_function, data)?;
        let rows = data.new_rows("the search for neighbours", known.n_columns())?;
        data.check_finite()?;
        // Reference rows are many: they are whitened once, however many blocks of new ones there are.
        let whitened = match &self.whitening {
            Some(whitening) => Some((whitening, whitening.apply(run, &known)?)),
            None => None,
        };
        let near = |rows: &Features<'_>| -> Result<Neighbors> {
            let Some((whitening, known)) = &whitened else {
                let task = Task {
                    rows: Some(rows.reborrow()),
                    ..Task::new(known.reborrow(), &self.search, wanted)
                };
                return Ok(among_features(run, task, data, None)?.neighbors);
            };
            let rows = whitening.apply(run, rows)?;
            let task = Task {
                rows: Some(rows.view()),
                metric: Metric::Euclidean,
                ..Task::new(known.view(), &self.search, wanted)
            };
            Ok(search_features(run, &task)?.neighbors)
        };
        if rows.is_kind_of(&known) {
            return near(rows);
        }
        let mut parts = Vec::new();
        let size = (CONVERTED / known.n_columns()).clamp(1, rows.n_rows());
        for range in blocks(rows.n_rows(), size) {
            let converted = rows.rows(range.start, range.end).to_kind_of(&known)?;
            Data::from(&converted).check_finite()?;
            parts.push(near(&converted.view())?);
        }
        Ok(Neighbors::one_after_the_other(&parts))
    }

    fn in_distances(
        &self,
        run: &Run<'_>,
        distances: &ArrayView2<'_, f64>,
        wanted: NeighborQuery,
    ) -> Result<Neighbors> {
        if distances.ncols() != self.n_rows() {
            return Err(Error::shape(
                message!("distances of a new {:row} to the training {:rows}"),
                self.n_rows(),
                distances.ncols(),
            ));
        }
        scan::in_matrix(
            run,
            distances.nrows(),
            distances.ncols(),
            wanted,
            false,
            |a, b| distances[[a, b]],
        )
    }
}
