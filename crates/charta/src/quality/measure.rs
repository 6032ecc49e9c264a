//! All quality measures of an embedding in one pass over its rows.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::co_ranking::{Area, CoRanking};
use super::distances::{Distances, Pairs, Sums};
use super::estimate::{Estimate, Sample};
use super::labels::{self, ClassAgreement, LabelScores};
use super::neighborhoods::penalty;
use super::ranks::Order;
use super::report::{Agreement, Known, Report};
use super::rows::{Compared, Row, Spaces, check_neighborhood};
use crate::data::{Data, Labels, Source};
use crate::error::{Error, Result, Warning, message};
use crate::linalg::procrustes;
use crate::metric::Metric;
use crate::neighbors::Search;
use crate::params::{Json, Parameters, show};
use crate::run::Run;

/// Default neighbourhood size.
const NEIGHBORS: usize = 15;
/// Pairs kept for a Shepard diagram.
const SHOWN_PAIRS: usize = 20_000;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Sizes of the neighbourhoods; none means 15, or as many as few rows allow.
    pub n_neighbors: Vec<usize>,
    /// How many rows are measured.
    pub sample: Sample,
    /// Seed of the sample.
    pub seed: u64,
    /// How distances in the data are measured.
    pub search: Search,
    /// The rows' labels, to see whether classes stay together.
    pub labels: Option<Labels<'a>>,
    /// Coordinates that the embedding should have, up to shift, turn and scale.
    pub known: Option<ArrayView2<'a, f64>>,
}

impl Options<'_> {
    /// Options that compare rows by the distances that a fit with these parameters compared them by: its `metric` with what
    /// belongs to it, or Euclidean distances if the method has no such parameter.
    pub fn of_fit(parameters: &Json) -> Result<Self> {
        let mut options = Self::default();
        if parameters.get("metric").is_none() {
            return Ok(options);
        }
        for name in ["metric", "power", "image_width"] {
            if let Some(value) = parameters.get(name).filter(|value| !value.is_null()) {
                options.search.set(name, value)?;
            }
        }
        Ok(options)
    }
}

/// Measures how an embedding shows its data.
///
/// Distances in the embedding are Euclidean; those in the data by the metric of the options, or as given. Each row
/// measured is ranked against all others, of which equally distant ones rank by their order. Rows without
/// coordinates (NaN) are left out and counted. Time grows with rows measured × rows; memory with the rows.
///
/// ```
/// use charta::{Data, Fit, Model, Run, methods::pca::Pca, quality};
/// let roll = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
/// let model = Pca::default().fit(&roll)?;
/// let map = model.embedding().unwrap();
/// let report = quality::measure(&Run::new(), &Data::from(&roll), &map.view(), &quality::Options::default())?;
/// println!("{:.3}", report.agreements[0].trustworthiness.value);
/// # Ok::<(), charta::Error>(())
/// ```
pub fn measure(
    run: &Run<'_>,
    data: &Data<'_>,
    embedding: &ArrayView2<'_, f64>,
    options: &Options<'_>,
) -> Result<Report> {
    run.install(|| {
        let compared = Compared::new(data, embedding)?;
        let measurement = Measurement::new(data, &compared, options)?;
        measurement.report(run, data, &compared, options)
    })
}

/// What is settled before the rows are met.
struct Measurement {
    counts: Vec<usize>,
    classes: Option<Vec<Option<u32>>>,
    measured: Vec<usize>,
    area: Area,
}

/// The measures of one row.
struct Scores {
    by_count: Vec<Counted>,
    area: f64,
    sums: Sums,
}

/// The measures of one row for one neighbourhood size.
struct Counted {
    trustworthiness: f64,
    continuity: f64,
    overlap: f64,
    label_scores: Option<(LabelScores, LabelScores)>,
}

impl Measurement {
    fn new(data: &Data<'_>, compared: &Compared, options: &Options<'_>) -> Result<Self> {
        let n_rows = compared.rows.len();
        let mut counts = options.n_neighbors.clone();
        if counts.is_empty() {
            counts.push(NEIGHBORS.min(n_rows.saturating_sub(1) / 2));
        }
        for &count in &counts {
            check_neighborhood(count, n_rows)?;
        }
        let classes = options
            .labels
            .as_ref()
            .map(|labels| labels::of_rows(labels, &compared.rows, data.n_rows()));
        Ok(Self {
            counts,
            classes: classes.transpose()?,
            measured: options.sample.draw(n_rows, options.seed),
            area: Area::new(n_rows),
        })
    }

    fn report(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        compared: &Compared,
        options: &Options<'_>,
    ) -> Result<Report> {
        let n_missing = data.n_rows() - compared.rows.len();
        if n_missing > 0 {
            run.warn(Warning::RowsLeftOut {
                count: n_missing,
                reason: message!("they have no coordinates in the embedding"),
            })?;
        }
        let known = options.known.as_ref();
        let known = known.map(|known| against(compared, known)).transpose()?;
        let spaces = compared.spaces(run, data, &options.search)?;
        run.stage("ranks")?;
        let mut larger = vec![0_u64; compared.rows.len()];
        let rows = spaces.each_with_counts(run, &self.measured, &mut larger, |row, counts| {
            self.scores(&spaces, row, counts)
        })?;
        let sums: Vec<Sums> = rows.iter().map(|row| row.sums).collect();
        check_spread(&Sums::total(&sums))?;
        run.stage("distances of pairs")?;
        let pairs = Pairs::of(run, &spaces, options.seed)?;
        let n_rows = compared.rows.len();
        let areas: Vec<f64> = rows.iter().map(|row| row.area).collect();
        let co_ranking = CoRanking::new(&larger, rows.len(), &areas);
        let (metric, power) = metric_of(data, &options.search);
        Ok(Report {
            metric,
            power,
            n_rows: data.n_rows(),
            n_missing,
            rows: self
                .measured
                .iter()
                .map(|&index| compared.rows[index])
                .collect(),
            agreements: self.agreements(&rows, &co_ranking, n_rows),
            distances: Distances::new(run, &sums, &pairs, n_rows)?,
            co_ranking,
            shepard: thinned(&pairs.distances),
            points: self.points(&rows, known.as_ref()),
            known: known.map(|known| known.0),
        })
    }

    fn scores(&self, spaces: &Spaces<'_>, row: &Row<'_>, larger_counts: &mut [u32]) -> Scores {
        let (data, embedding) = (Order::of(row.data), Order::of(row.embedding));
        let pairs = data.ranks.iter().zip(&embedding.ranks).enumerate();
        let larger = pairs
            .filter(|(index, _)| *index != row.index)
            .map(|(_, (&a, &b))| a.max(b));
        let area = self.area.of_row(larger.clone());
        for rank in larger {
            larger_counts[rank as usize - 1] += 1;
        }
        let by_count = self
            .counts
            .iter()
            .map(|&count| self.counted(&data, &embedding, row.index, count))
            .collect();
        Scores {
            by_count,
            area,
            sums: Sums::of(spaces, row),
        }
    }

    fn counted(&self, data: &Order, embedding: &Order, index: usize, count: usize) -> Counted {
        let near = |order: &Order| order.indices[..count].to_vec();
        // Ranks beyond the neighbourhood on the other side, and how many are within.
        let beyond = |nearest: &[u32], ranks: &[u32]| {
            let ranks = nearest.iter().map(|&index| ranks[index as usize] as usize);
            let sum: usize = ranks.clone().map(|rank| rank.saturating_sub(count)).sum();
            (sum as f64, ranks.filter(|rank| *rank <= count).count())
        };
        let (in_data, in_embedding) = (near(data), near(embedding));
        let (intruders, shared) = beyond(&in_embedding, &data.ranks);
        let (lost, _) = beyond(&in_data, &embedding.ranks);
        let penalty = penalty(data.ranks.len(), count);
        let label_scores = self.classes.as_ref().and_then(|classes| {
            let ask = |near: &[u32]| labels::label_scores_of(near, classes, index);
            Some((ask(&in_embedding)?, ask(&in_data)?))
        });
        Counted {
            trustworthiness: 1.0 - penalty * intruders,
            continuity: 1.0 - penalty * lost,
            overlap: shared as f64 / count as f64,
            label_scores,
        }
    }

    fn agreements(&self, rows: &[Scores], curves: &CoRanking, n_rows: usize) -> Vec<Agreement> {
        let labelled = self.classes.iter().flatten().flatten().count();
        let of_count = |(index, &n_neighbors): (usize, &usize)| {
            let mean = |figure: &dyn Fn(&Counted) -> f64| {
                let values: Vec<f64> = rows
                    .iter()
                    .map(|row| figure(&row.by_count[index]))
                    .collect();
                Estimate::mean(&values, n_rows)
            };
            let label_scores: Vec<(LabelScores, LabelScores)> = rows
                .iter()
                .filter_map(|row| row.by_count[index].label_scores)
                .collect();
            let q_nx = mean(&|row| row.overlap);
            Agreement {
                n_neighbors,
                trustworthiness: mean(&|row| row.trustworthiness),
                continuity: mean(&|row| row.continuity),
                lcmc: q_nx.value - n_neighbors as f64 / (n_rows - 1) as f64,
                r_nx: curves.r_nx[n_neighbors - 1],
                q_nx,
                classes: ClassAgreement::new(&label_scores, labelled),
            }
        };
        self.counts.iter().enumerate().map(of_count).collect()
    }

    /// Columns with a number for each row measured.
    fn points(
        &self,
        rows: &[Scores],
        known: Option<&(Known, Vec<f64>)>,
    ) -> Vec<(String, Array1<f64>)> {
        let column =
            |figure: &dyn Fn(&Scores) -> f64| rows.iter().map(figure).collect::<Array1<f64>>();
        let mut columns = Vec::new();
        for (index, count) in self.counts.iter().enumerate() {
            let of = |figure: &dyn Fn(&Counted) -> f64| column(&|row| figure(&row.by_count[index]));
            columns.push((
                format!("trustworthiness_{count}"),
                of(&|row| row.trustworthiness),
            ));
            columns.push((format!("continuity_{count}"), of(&|row| row.continuity)));
            columns.push((format!("q_nx_{count}"), of(&|row| row.overlap)));
            if self.classes.is_some() {
                let hit = |row: &Counted| {
                    row.label_scores
                        .map_or(f64::NAN, |label_scores| label_scores.0.hit)
                };
                columns.push((format!("hit_{count}"), of(&hit)));
            }
        }
        columns.push(("r_nx_area".into(), column(&|row| row.area)));
        let pearson = |row: &Scores| row.sums.pearson().unwrap_or(0.0);
        columns.push(("distance_correlation".into(), column(&pearson)));
        if let Some((_, apart)) = known {
            let of_place = |&index: &usize| apart[index];
            columns.push((
                "known_distance".into(),
                self.measured.iter().map(of_place).collect(),
            ));
        }
        columns
    }
}

/// What the distances in the data are called, and their power if they have one.
fn metric_of(data: &Data<'_>, search: &Search) -> (String, Option<f64>) {
    if data.distance().is_some() {
        return ("function".into(), None);
    }
    if !matches!(data.source(), Source::Features(_)) {
        return ("precomputed".into(), None);
    }
    let name = search
        .get("metric")
        .expect("`metric` is a parameter of the search");
    let power = (search.metric == Metric::Minkowski).then_some(search.power);
    (show(&name), power)
}

/// Fails if all rows are at one point on either side.
fn check_spread(total: &Sums) -> Result<()> {
    let what = match total.is_collapsed() {
        (true, _) => "data",
        (_, true) => "embedding",
        _ => return Ok(()),
    };
    Err(Error::degenerate(message!(
        "all {:rows} of the {what} are the same: there is nothing to compare"
    )))
}

/// Some pairs, evenly taken.
fn thinned(pairs: &[[f64; 2]]) -> Array2<f64> {
    let step = pairs.len().div_ceil(SHOWN_PAIRS).max(1);
    let kept: Vec<[f64; 2]> = pairs.iter().step_by(step).copied().collect();
    Array2::from(kept)
}

/// Aligns the embedding with known coordinates; with the distance left of each row compared, NaN where it is not
/// known.
fn against(compared: &Compared, known: &ArrayView2<'_, f64>) -> Result<(Known, Vec<f64>)> {
    if known.nrows() != compared.embedding.nrows() {
        return Err(Error::shape(
            message!("{:rows} of the known coordinates"),
            compared.embedding.nrows(),
            known.nrows(),
        ));
    }
    let is_known = |row: usize| known.row(row).iter().all(|value| value.is_finite());
    let indices: Vec<usize> = (0..compared.rows.len())
        .filter(|&index| is_known(compared.rows[index]))
        .collect();
    if indices.len() < 2 || known.ncols() == 0 {
        return Err(Error::too_few_rows(
            message!("Procrustes superposition on known coordinates"),
            2,
            indices.len(),
        ));
    }
    let rows: Vec<usize> = indices.iter().map(|&index| compared.rows[index]).collect();
    let width = known.ncols().max(compared.embedding.ncols());
    let moved = widened(&compared.embedding.view(), &rows, width);
    let target = widened(known, &rows, width);
    let fit = procrustes::align(&moved.view(), &target.view())?;
    let mut apart = vec![f64::NAN; compared.rows.len()];
    for (line, &index) in indices.iter().enumerate() {
        let left = &fit.aligned.row(line) - &target.row(line);
        apart[index] = left.dot(&left).sqrt();
    }
    let result = Known {
        disparity: fit.disparity,
        scale: fit.scale,
        n_rows: rows.len(),
    };
    Ok((result, apart))
}

/// Some rows, with columns of zeros up to a width.
fn widened(points: &ArrayView2<'_, f64>, rows: &[usize], width: usize) -> Array2<f64> {
    let mut wide = Array2::zeros((rows.len(), width));
    for (mut target, &row) in wide.rows_mut().into_iter().zip(rows) {
        target
            .slice_mut(s![..points.ncols()])
            .assign(&points.row(row));
    }
    wide
}
