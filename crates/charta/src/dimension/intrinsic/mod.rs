//! Intrinsic dimension of the data by several estimators.
//!
//! Global estimates read the number off all principal variances; they count every direction that a bent sheet
//! uses. Local ones look at each row's neighbours, where the sheet is flat.

mod correlation;
mod likelihood;
mod local;
mod ratios;

use ndarray::Array1;

pub use correlation::correlation_dimension;
pub use likelihood::{Likelihood, maximum_likelihood};
pub use local::{fukunaga_olsen, local_principal, participation_ratio};
pub use ratios::two_nn;

use crate::data::{Data, Neighbors, Source};
use crate::error::{Error, Message, Result, Warning, message};
use crate::model::Diagnostics;
use crate::neighbors::{self, Search};
use crate::run::Run;

/// How intrinsic dimension is estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct IntrinsicOptions {
    /// Maximum likelihood averages over neighbourhoods from this size …
    pub first: usize,
    /// … to this one; the correlation integral takes radii that reach as many neighbours.
    pub last: usize,
    /// Neighbours whose principal variances are counted.
    pub local: usize,
    /// The fraction of the largest ratios that TwoNN leaves out.
    pub discard: f64,
    /// How neighbours are found.
    pub search: Search,
}

impl Default for IntrinsicOptions {
    fn default() -> Self {
        Self {
            first: 10,
            last: 20,
            local: 50,
            discard: 0.1,
            search: Search::default(),
        }
    }
}

/// The result of one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct IntrinsicDimension {
    /// The estimator.
    pub name: &'static str,
    /// The dimension; `None` if the estimator does not apply.
    pub dimension: Option<f64>,
    /// Why it does not apply.
    pub problem: Option<Message>,
    /// The dimension at each row, where the estimator has one; NaN where it is undefined.
    pub of_rows: Option<Array1<f64>>,
}

/// All estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct Intrinsic {
    /// The results of all estimators.
    pub estimates: Vec<IntrinsicDimension>,
    /// Rows that lie on other rows.
    pub n_duplicates: usize,
}

/// The global number and that of each row.
pub(crate) type Found = (f64, Option<Array1<f64>>);

impl Intrinsic {
    /// Estimates the dimension by all estimators. One that does not apply gives the reason; it is an error if none does.
    ///
    /// ```
    /// use charta::dimension::{Intrinsic, IntrinsicOptions};
    /// let roll = charta::data::synthetic::swiss_roll(1000, 0.0, 0)?;
    /// let found = Intrinsic::of(&charta::Run::new(), &(&roll).into(), &IntrinsicOptions::default())?;
    /// let likely = found.get("maximum_likelihood").unwrap();
    /// assert!((likely - 2.0).abs() < 0.2);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(run: &Run<'_>, data: &Data<'_>, options: &IntrinsicOptions) -> Result<Self> {
        run.install(|| estimate(run, data, options))
    }

    /// The dimension by the estimator of that name.
    pub fn get(&self, name: &str) -> Option<f64> {
        let found = self.estimates.iter().find(|estimate| estimate.name == name);
        found.and_then(|estimate| estimate.dimension)
    }

    /// The estimates by name.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut figures = Diagnostics::new().count("n_duplicates", self.n_duplicates);
        for estimate in &self.estimates {
            if let Some(dimension) = estimate.dimension {
                figures = figures.number(estimate.name, dimension);
            }
        }
        figures
    }
}

fn estimate(run: &Run<'_>, data: &Data<'_>, options: &IntrinsicOptions) -> Result<Intrinsic> {
    let options = checked(run, data, options)?;
    run.stage("nearest neighbours")?;
    let widest = match data.source() {
        Source::Features(_) => options.last.max(options.local),
        _ => options.last,
    };
    let found = neighbors::nearest(run, data, &options.search, widest)?;
    let table = &found.neighbors;
    let n_duplicates = warn_of_duplicates(run, table)?;
    let mut estimates = Vec::new();
    if let Source::Features(features) = data.source() {
        run.stage("local variances")?;
        let local = local_principal(run, features, table, options.local);
        estimates.push(estimate_or_problem(
            "local_pca",
            local.map(|(each, mean)| (mean, Some(each))),
        )?);
    }
    run.stage("likelihood")?;
    for (name, corrected) in [
        ("maximum_likelihood", true),
        ("maximum_likelihood_mean", false),
    ] {
        let likelihood = Likelihood {
            first: options.first,
            last: options.last,
            corrected,
        };
        // Rows have the same estimates either way.
        let found = maximum_likelihood(table, &likelihood);
        let found = found.map(|(all, each)| (all, each.filter(|_| corrected)));
        estimates.push(estimate_or_problem(name, found)?);
    }
    estimates.push(estimate_or_problem(
        "two_nn",
        two_nn(table, options.discard),
    )?);
    run.stage("correlation integral")?;
    let counts = [first_radius(run, &options)?, options.last];
    let correlation = correlation_dimension(run, data, &options.search, table, counts);
    estimates.push(estimate_or_problem(
        "correlation",
        correlation.map(|dimension| (dimension, None)),
    )?);
    if estimates
        .iter()
        .all(|estimate| estimate.dimension.is_none())
    {
        let first = estimates.into_iter().find_map(|estimate| estimate.problem);
        let first = first.expect("an estimate without a dimension has a problem");
        return Err(Error::degenerate(first));
    }
    Ok(Intrinsic {
        estimates,
        n_duplicates,
    })
}

/// The result of an estimator, or the reason why it does not apply. A cancelled run ends.
fn estimate_or_problem(name: &'static str, outcome: Result<Found>) -> Result<IntrinsicDimension> {
    let (found, problem) = match outcome {
        Ok(found) => (Some(found), None),
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(Error::Degenerate { problem }) => (None, Some(problem)),
        Err(error) => (None, Some(Message::new().owned_text(error.to_string()))),
    };
    let (dimension, of_rows) = found.map_or((None, None), |(all, each)| (Some(all), each));
    Ok(IntrinsicDimension {
        name,
        dimension,
        problem,
        of_rows,
    })
}

/// The options with neighbourhoods that few rows allow.
fn checked(run: &Run<'_>, data: &Data<'_>, options: &IntrinsicOptions) -> Result<IntrinsicOptions> {
    let n_rows = data.n_rows();
    if n_rows < 4 {
        return Err(Error::too_few_rows(
            message!("intrinsic dimension"),
            4,
            n_rows,
        ));
    }
    if let Source::Kernel(_) = data.source() {
        return Err(Error::unsupported(
            message!("intrinsic dimension"),
            message!("needs features or distances, but was given a kernel matrix"),
        ));
    }
    if options.first < 2 || options.first > options.last {
        return Err(Error::parameter(
            "k",
            message!("be a range of at least 2 neighbours such as 10 to 20"),
            format!("{} to {}", options.first, options.last),
        ));
    }
    if !(0.0..1.0).contains(&options.discard) {
        return Err(Error::parameter(
            "discard",
            message!("be at least 0 and below 1"),
            options.discard,
        ));
    }
    data.check_finite()?;
    let mut options = options.clone();
    let most = n_rows - 1;
    for (name, count) in [("last", &mut options.last), ("local", &mut options.local)] {
        if *count > most {
            run.warn(Warning::adjusted(
                name,
                *count,
                most,
                message!("{:data} has {n_rows:rows}"),
            ))?;
            *count = most;
        }
    }
    if options.first > options.last {
        run.warn(Warning::adjusted(
            "first",
            options.first,
            options.last,
            message!("{:data} has {n_rows:rows}"),
        ))?;
        options.first = options.last;
    }
    Ok(options)
}

/// The neighbours that the smaller radius of the correlation integral reaches: fewer than the larger.
fn first_radius(run: &Run<'_>, options: &IntrinsicOptions) -> Result<usize> {
    if options.first < options.last {
        return Ok(options.first);
    }
    let first = options.last - 1;
    run.warn(Warning::adjusted(
        "first",
        options.first,
        first,
        message!("the correlation integral needs two radii; other estimates keep it"),
    ))?;
    Ok(first)
}

fn warn_of_duplicates(run: &Run<'_>, table: &Neighbors) -> Result<usize> {
    let on_another = |row: &usize| table.row(*row).1.first() == Some(&0.0);
    let count = (0..table.n_rows()).filter(on_another).count();
    if count > 0 {
        run.warn(Warning::doubtful(
            message!("intrinsic dimension"),
            message!(
                "{count} of {} {:rows} are duplicates: neighbours at distance 0 are ignored",
                table.n_rows()
            ),
        ))?;
    }
    Ok(count)
}

/// The distances of a row's neighbours that are not 0, at most `count`.
pub(crate) fn positive(table: &Neighbors, row: usize, count: usize) -> &[f64] {
    let (_, distances) = table.row(row);
    let zeros = distances.partition_point(|&distance| distance <= 0.0);
    let end = (zeros + count).min(distances.len());
    &distances[zeros..end]
}

pub(crate) fn all_the_same() -> Error {
    Error::degenerate(message!(
        "too few {:rows} differ from their neighbours: there is no dimension to find"
    ))
}

#[cfg(test)]
mod tests;
