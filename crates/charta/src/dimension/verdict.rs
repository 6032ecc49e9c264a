//! One dimension of the data, and the reasons for it.
//!
//! Noise adds directions to small neighbourhoods and curvature to large ones, so the dimension is looked for at several scales. Around some rows of a sample, the nearest k rows
//! are taken for k from 8 to a third of the sample; the directions that count are those whose variance is above an eighth of the largest (from the doubly centred squared distances, so
//! that distances are enough). The mean over the rows falls where k passes the scale of the noise and rises where the shape bends: its minimum is the dimension. Scales beyond a gap between groups of rows, where
//! the neighbourhoods' radius jumps, are left out, and so are those with too few rows for the directions found. Where the minimum is above 3.5, variances of so few rows say little,
//! and the median of it and the estimators by neighbours takes its place.
//!
//! Little, Maggioni and Rosasco, "Multiscale geometric methods for data sets I: multiscale SVD, noise and curvature", 2017.

use ndarray::{Array2, Axis};
use serde_json::{Value as Json, json};

use super::intrinsic::{Intrinsic, IntrinsicOptions};
use super::scree::Scree;
use super::spectrum::proportion;
use crate::data::{Data, Source};
use crate::error::{Message, Result, Vocabulary, message};
use crate::linalg::eigen::symmetric_values;
use crate::metric::Metric;
use crate::neighbors::{self, Algorithm, Search};
use crate::parallel::map_blocks;
use crate::random::{permutation, stream};
use crate::run::Run;

/// Rows that are looked at, so that scales are fractions of the whole.
const SAMPLE: usize = 1000;
/// Rows around which directions are counted, while neighbourhoods are no larger than `FULL`; fewer around larger ones, which overlap, so that their eigenvalues do not take long.
const CENTERS: usize = 200;
const FULL: usize = 64;
/// The smallest neighbourhood.
const SMALLEST: usize = 8;
/// The largest, as a fraction of the sample.
const LARGEST: f64 = 1.0 / 3.0;
/// A direction counts if its variance is above this fraction of the largest.
const COUNTS: f64 = 0.125;
/// Rows that a neighbourhood must have for each direction that is found in it.
const ROWS_PER_DIRECTION: f64 = 4.0;
/// Below this exponent of growth the radius jumps: neighbourhoods reach across a gap.
const GAP: f64 = 0.6;
/// Up to here variances around a row decide alone.
const FEW_DIRECTIONS: f64 = 3.5;
/// A change of the number of directions from one scale to another that is worth a sentence.
const CHANGE: f64 = 0.4;
/// The fraction of the variance that counts as all of it.
const NEARLY_ALL: f64 = 0.95;
/// Estimators by nearest neighbours that take part.
const ESTIMATORS: [&str; 3] = ["maximum_likelihood", "two_nn", "correlation"];
/// Columns up to which variances are taken from features.
const FEW_COLUMNS: usize = 100;
/// Centres of one job.
const BLOCK: usize = 8;

/// Neighbourhoods of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Neighbours of a row.
    pub n_neighbors: usize,
    /// The median distance to the furthest of them.
    pub radius: f64,
    /// Directions in which they vary, a mean over rows.
    pub directions: f64,
    /// The exponent with which the number of neighbours grows with the radius.
    pub growth: f64,
}

/// The dimension of the data, and the reasons for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The dimension.
    pub dimension: usize,
    /// Neighbourhoods from small to large, within a sample of at most 1,000 distinct rows.
    pub scales: Vec<Scale>,
    /// The one whose number of directions was taken; none if the sample is too small.
    pub chosen: Option<usize>,
    /// The fewest principal components that hold more than 95 % of the variance; none without features.
    pub n_linear: Option<usize>,
    /// The proportion of the variance in as many principal components as the dimension.
    pub linear_share: Option<f64>,
    /// The smallest and the largest dimension by an estimator.
    pub range: Option<[f64; 2]>,
    /// Whether all estimators round to the dimension.
    pub agreed: bool,
    /// Why, in sentences.
    pub reasons: Vec<Message>,
}

impl Verdict {
    /// Weighs estimates of the same data. The variances of all principal components are there if the data has features.
    ///
    /// ```
    /// use charta::dimension::{Intrinsic, IntrinsicOptions, Verdict};
    /// let (run, options) = (charta::Run::new(), IntrinsicOptions::default());
    /// let roll = charta::data::synthetic::swiss_roll(1000, 0.0, 0)?;
    /// let found = Intrinsic::of(&run, &(&roll).into(), &options)?;
    /// assert_eq!(Verdict::of(&run, &(&roll).into(), &found, None, &options)?.dimension, 2);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(
        run: &Run<'_>,
        data: &Data<'_>,
        estimates: &Intrinsic,
        scree: Option<&Scree>,
        options: &IntrinsicOptions,
    ) -> Result<Self> {
        run.stage("scales")?;
        let scales = run.install(|| scales(run, data, &options.search))?;
        Ok(weigh(scales, estimates, scree))
    }
}

fn weigh(scales: Vec<Scale>, estimates: &Intrinsic, scree: Option<&Scree>) -> Verdict {
    let chosen = choose(&scales);
    let by_neighbors: Vec<f64> = ESTIMATORS
        .iter()
        .filter_map(|name| estimates.get(name))
        .collect();
    let local = chosen.map(|place| scales[place].directions);
    let dimension = match local {
        Some(directions) if directions < FEW_DIRECTIONS => directions,
        _ => median(by_neighbors.iter().copied().chain(local)).unwrap_or(1.0),
    };
    let dimension = (dimension.round() as usize).max(1);
    let all = || by_neighbors.iter().copied().chain(local);
    let range = all().fold(None, |range: Option<[f64; 2]>, value| {
        let [low, high] = range.unwrap_or([value; 2]);
        Some([low.min(value), high.max(value)])
    });
    let linear = scree.map(|scree| {
        let variances = scree.variances.to_vec();
        let share = variances.iter().take(dimension).sum::<f64>() / scree.total;
        (proportion(&variances, scree.total, NEARLY_ALL), share)
    });
    let mut verdict = Verdict {
        dimension,
        chosen,
        n_linear: linear.map(|(count, _)| count),
        linear_share: linear.map(|(_, share)| share),
        range,
        agreed: all().all(|value| value.round() as usize == dimension),
        scales,
        reasons: Vec::new(),
    };
    verdict.reasons = verdict.in_sentences();
    verdict
}

/// The first scale with the fewest directions, among those that have enough rows for them and reach across no gap.
fn choose(scales: &[Scale]) -> Option<usize> {
    let before_gap = scales.iter().take_while(|scale| scale.growth >= GAP);
    let enough = |(_, scale): &(usize, &Scale)| {
        scale.n_neighbors as f64 >= ROWS_PER_DIRECTION * scale.directions
    };
    let fewer = |best: Option<(usize, f64)>, (place, scale): (usize, &Scale)| match best {
        Some((_, least)) if least <= scale.directions => best,
        _ => Some((place, scale.directions)),
    };
    let best = before_gap.enumerate().filter(enough).fold(None, fewer);
    best.map(|(place, _)| place)
}

impl Verdict {
    /// Everything as JSON, with sentences in the words of a front.
    pub fn to_json(&self, words: &dyn Vocabulary) -> Json {
        let scales: Vec<Json> = self
            .scales
            .iter()
            .map(|scale| {
                json!({
                    "n_neighbors": scale.n_neighbors,
                    "radius": scale.radius,
                    "directions": scale.directions,
                    "growth": scale.growth,
                })
            })
            .collect();
        let reasons = self.reasons.iter();
        let reasons: Vec<String> = reasons.map(|reason| reason.render(words)).collect();
        json!({
            "dimension": self.dimension,
            "agreed": self.agreed,
            "range": self.range,
            "n_linear": self.n_linear,
            "linear_share": self.linear_share,
            "chosen_scale": self.chosen,
            "scales": scales,
            "reasons": reasons,
        })
    }

    /// Whether the directions around rows decided alone.
    fn is_local(&self) -> bool {
        let chosen = self.chosen.map(|place| self.scales[place].directions);
        chosen.is_some_and(|directions| directions < FEW_DIRECTIONS)
    }

    fn in_sentences(&self) -> Vec<Message> {
        let mut reasons = Vec::new();
        if let Some(place) = self.chosen {
            let (scale, first) = (self.scales[place], self.scales[0]);
            reasons.push(message!(
                "around a {:row}, its nearest {} {:rows} (of at most 1,000 drawn; radius {:.3}) vary in {:.1} directions: the fewest of {} scales",
                scale.n_neighbors,
                scale.radius,
                scale.directions,
                self.scales.len()
            ));
            if first.directions - scale.directions > CHANGE {
                reasons.push(message!(
                    "the nearest {} vary in {:.1}: below that scale noise adds directions, and estimates from nearest neighbours count them",
                    first.n_neighbors,
                    first.directions
                ));
            }
            let last = self.scales[self.scales.len() - 1];
            if last.growth >= GAP && last.directions - scale.directions > CHANGE {
                reasons.push(message!(
                    "the nearest {} vary in {:.1}: at that scale the shape is curved or has several parts",
                    last.n_neighbors,
                    last.directions
                ));
            }
        }
        if !self.is_local() {
            reasons.push(message!(
                "so few {:rows} do not show so many directions: this is the median of the estimates"
            ));
        }
        if let (Some(count), Some(share)) = (self.n_linear, self.linear_share) {
            reasons.push(if count <= self.dimension {
                message!(
                    "linear: {} {:.1} % of the variance, so that PCA with as many is enough",
                    components(self.dimension, "holds", "hold"),
                    100.0 * share
                )
            } else {
                message!(
                    "not linear: {} {:.1} % of the variance, and {count} are needed for 95 %: the data is curved, or noise fills the other directions",
                    components(self.dimension, "holds", "hold"),
                    100.0 * share
                )
            });
        }
        if let Some([low, high]) = self.range {
            reasons.push(if self.agreed {
                message!("all estimates, from {low:.1} to {high:.1}, round to this number")
            } else {
                message!(
                    "the estimates differ, from {low:.1} to {high:.1}: take the number as a guide"
                )
            });
        }
        reasons
    }
}

fn components(count: usize, holds: &str, hold: &str) -> String {
    match count {
        1 => format!("the first principal component {holds}"),
        _ => format!("the first {count} principal components {hold}"),
    }
}

/// The neighbourhoods of a sample, from small to large; none of a sample that is too small.
fn scales(run: &Run<'_>, data: &Data<'_>, search: &Search) -> Result<Vec<Scale>> {
    let Some(sample) = Sample::of(run, data, search)? else {
        return Ok(Vec::new());
    };
    let n = sample.squares.nrows();
    let most = (n as f64 * LARGEST) as usize;
    let order = orders(run, &sample.squares)?;
    let mut draw = stream(search.seed, 1);
    let mut centers = permutation(&mut draw, n);
    centers.truncate(CENTERS);
    let mut scales = Vec::new();
    let mut size = SMALLEST as f64;
    while most >= SMALLEST && size as usize <= most {
        scales.push(scale(run, &sample, &order, &centers, size as usize)?);
        // The last step ends at the largest.
        let next = size * std::f64::consts::SQRT_2;
        size = if (size as usize) < most && next > most as f64 {
            most as f64
        } else {
            next
        };
    }
    Ok(scales)
}

/// Distinct rows drawn from the data.
struct Sample {
    /// Their squared distances.
    squares: Array2<f64>,
    /// Their features, where the distances are Euclidean: with few columns, variances take less time from them.
    features: Option<Array2<f64>>,
}

impl Sample {
    /// At most a fixed number of rows; none if they have no distances.
    fn of(run: &Run<'_>, data: &Data<'_>, search: &Search) -> Result<Option<Self>> {
        let mut chosen = permutation(&mut stream(search.seed, 0), data.n_rows());
        chosen.truncate(SAMPLE);
        chosen.sort_unstable();
        let n = chosen.len();
        let mut features_of_sample = None;
        let distances = match data.source() {
            Source::Distances(matrix) => matrix.select(Axis(0), &chosen).select(Axis(1), &chosen),
            Source::Features(features) => {
                let exact = Search {
                    search: Algorithm::Exact,
                    ..search.clone()
                };
                let rows = features.select_rows(&chosen)?;
                let sample = Data::measured_as(rows.view(), data);
                if search.metric == Metric::Euclidean
                    && data.distance().is_none()
                    && features.n_columns() <= FEW_COLUMNS
                {
                    features_of_sample = Some(rows.view().dense_rows(0, n));
                }
                let table = neighbors::nearest(run, &sample, &exact, n - 1)?.neighbors;
                let mut distances = Array2::zeros((n, n));
                for row in 0..n {
                    let (indices, apart) = table.row(row);
                    for (&other, &apart) in indices.iter().zip(apart) {
                        distances[[row, other as usize]] = apart;
                    }
                }
                distances
            }
            _ => return Ok(None),
        };
        let mut distinct: Vec<usize> = Vec::with_capacity(n);
        for row in 0..n {
            if distinct.iter().all(|&other| distances[[row, other]] > 0.0) {
                distinct.push(row);
            }
        }
        let distances = distances
            .select(Axis(0), &distinct)
            .select(Axis(1), &distinct);
        let squares = distances.mapv(|apart| apart * apart);
        let largest = squares
            .iter()
            .fold(0.0, |most: f64, &square| most.max(square));
        if !(largest > f64::MIN_POSITIVE && largest.is_finite()) {
            return Ok(None);
        }
        let features = features_of_sample.map(|rows| rows.select(Axis(0), &distinct));
        Ok(Some(Self { squares, features }))
    }

    /// Directions in which some of the rows vary.
    fn directions(&self, rows: &[usize]) -> Result<f64> {
        let products = match &self.features {
            Some(features) if features.ncols() < rows.len() => {
                let mut near = features.select(Axis(0), rows);
                let mean = near.mean_axis(Axis(0)).expect("a neighbourhood has rows");
                near -= &mean;
                near.t().dot(&near)
            }
            _ => centred_products(&self.squares, rows),
        };
        let values = symmetric_values(&products.view())?;
        let largest = values[0];
        let counts = values.iter().filter(|&&value| value > COUNTS * largest);
        Ok(counts.count() as f64)
    }
}

/// All rows by their distance from each row, itself first.
fn orders(run: &Run<'_>, squares: &Array2<f64>) -> Result<Vec<Vec<usize>>> {
    let n = squares.nrows();
    let parts = map_blocks(run, n, BLOCK, |rows| {
        rows.map(|row| {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| {
                let nearer = squares[[row, a]].total_cmp(&squares[[row, b]]);
                nearer.then((a != row).cmp(&(b != row))).then(a.cmp(&b))
            });
            order
        })
        .collect::<Vec<_>>()
    })?;
    Ok(parts.concat())
}

fn scale(
    run: &Run<'_>,
    sample: &Sample,
    order: &[Vec<usize>],
    centers: &[usize],
    size: usize,
) -> Result<Scale> {
    let n_centers = (CENTERS * FULL / size).min(centers.len());
    let centers = &centers[..n_centers];
    let parts = map_blocks(run, centers.len(), BLOCK, |some| {
        some.map(|place| sample.directions(&order[centers[place]][..=size]))
            .sum::<Result<f64>>()
    })?;
    let mut directions = 0.0;
    for part in parts {
        directions += part?;
    }
    let squares = &sample.squares;
    let radius = |row: usize, count: usize| squares[[row, order[row][count]]].sqrt();
    let half = size / 2;
    let n = squares.nrows();
    let steps: f64 = (0..n)
        .map(|row| (radius(row, size) / radius(row, half)).ln())
        .sum();
    Ok(Scale {
        n_neighbors: size,
        radius: median((0..n).map(|row| radius(row, size))).unwrap_or(0.0),
        directions: directions / centers.len() as f64,
        growth: (size as f64 / half as f64).ln() / (steps / n as f64),
    })
}

/// Inner products of some rows about their mean, from squared distances.
fn centred_products(squares: &Array2<f64>, rows: &[usize]) -> Array2<f64> {
    let n = rows.len();
    let mut products = Array2::from_shape_fn((n, n), |(i, j)| -0.5 * squares[[rows[i], rows[j]]]);
    let means = products
        .mean_axis(Axis(1))
        .expect("a neighbourhood has rows");
    let mean = means.mean().expect("a neighbourhood has rows");
    for ((i, j), entry) in products.indexed_iter_mut() {
        *entry += mean - means[i] - means[j];
    }
    products
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    let (low, high) = (values.get(n.saturating_sub(1) / 2)?, values.get(n / 2)?);
    Some(f64::midpoint(*low, *high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::{circles, swiss_roll};
    use crate::dimension::ScreeOptions;
    use crate::random::{normal, uniform};

    fn verdict(x: &Array2<f64>) -> Verdict {
        let (run, options) = (Run::new(), IntrinsicOptions::default());
        let data = Data::from(x);
        let found = Intrinsic::of(&run, &data, &options).unwrap();
        let scree = Scree::of(&run, &data, &ScreeOptions::default()).unwrap();
        Verdict::of(&run, &data, &found, Some(&scree), &options).unwrap()
    }

    fn sentences(verdict: &Verdict) -> Vec<String> {
        let reasons = verdict.reasons.iter();
        reasons
            .map(|reason| reason.render(&crate::error::Library))
            .collect()
    }

    fn noisy(n: usize, seed: u64, sd: f64, shape: impl Fn(f64, f64) -> [f64; 2]) -> Array2<f64> {
        let mut draw = stream(seed, 7);
        let mut x = Array2::zeros((n, 2));
        for mut row in x.rows_mut() {
            let place = shape(uniform(&mut draw), uniform(&mut draw));
            for (value, place) in row.iter_mut().zip(place) {
                *value = place + sd * normal(&mut draw);
            }
        }
        x
    }

    #[test]
    fn noise_does_not_change_the_dimension_of_simple_shapes() {
        let turn = std::f64::consts::TAU;
        for n in [300, 1000] {
            for sd in [0.0, 0.01, 0.02] {
                for seed in 0..2 {
                    let dimension = |shape: &dyn Fn(f64, f64) -> [f64; 2]| {
                        verdict(&noisy(n, seed, sd, shape)).dimension
                    };
                    let case = format!("{n} rows, noise {sd}, seed {seed}");
                    assert_eq!(dimension(&|t, _| [t, 0.0]), 1, "line, {case}");
                    assert_eq!(dimension(&|t, _| [t, 0.5 * t]), 1, "slope, {case}");
                    let curve = |t: f64, _| [t, (2.0 * t - 1.0).powi(2) / 2.0];
                    assert_eq!(dimension(&curve), 1, "curve, {case}");
                    let ring = |t: f64, _| [(turn * t).cos() / 2.0, (turn * t).sin() / 2.0];
                    assert_eq!(dimension(&ring), 1, "ring, {case}");
                    assert_eq!(dimension(&|t, u| [t, u]), 2, "square, {case}");
                }
            }
        }
    }

    #[test]
    fn a_roll_is_curved_and_a_line_is_linear() {
        let roll = swiss_roll(1000, 0.3, 0).unwrap();
        let found = verdict(&roll.features);
        assert_eq!((found.dimension, found.n_linear), (2, Some(3)));
        let text: Vec<String> = sentences(&found);
        assert!(
            text.iter().any(|text| text.starts_with("not linear")),
            "{text:?}"
        );
        let line = verdict(&noisy(300, 0, 0.01, |t, _| [t, 0.0]));
        let text: Vec<String> = sentences(&line);
        assert!(
            text.iter().any(|text| text.starts_with("linear")),
            "{text:?}"
        );
        assert!(
            text.iter().any(|text| text.contains("noise adds")),
            "{text:?}"
        );
        assert!(line.linear_share.unwrap() > 0.99);
    }

    #[test]
    fn even_spacing_duplicates_and_few_rows_have_a_verdict() {
        let rings = circles(500, 0.0, 0).unwrap();
        assert_eq!(verdict(&rings.features).dimension, 1);
        let mut doubled = noisy(300, 3, 0.0, |t, u| [t, u]);
        for row in 0..150 {
            let copy = doubled.row(row).to_owned();
            doubled.row_mut(row + 150).assign(&copy);
        }
        assert_eq!(verdict(&doubled).dimension, 2);
        let few = noisy(9, 1, 0.0, |t, u| [t, u]);
        let found = verdict(&few);
        assert!(found.scales.is_empty() && found.dimension >= 1);
        let groups = noisy(300, 5, 0.0, |t, u| {
            [(10.0 * t).floor() * 50.0 + u, (7.0 * t).fract()]
        });
        assert_eq!(
            verdict(&groups).dimension,
            2,
            "{:?}",
            verdict(&groups).scales
        );
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits_and_distances_the_same_verdict() {
        let x = noisy(400, 2, 0.01, |t, u| [t, u]);
        let options = IntrinsicOptions::default();
        let with = |threads: usize, data: &Data<'_>| {
            let run = Run::new().threads(threads).unwrap();
            let found = Intrinsic::of(&run, data, &options).unwrap();
            Verdict::of(&run, data, &found, None, &options).unwrap()
        };
        let one = with(1, &Data::from(&x));
        assert_eq!(one, with(2, &Data::from(&x)));
        assert_eq!(one, with(7, &Data::from(&x)));
        let apart = Array2::from_shape_fn((400, 400), |(i, j)| {
            let apart = &x.row(i) - &x.row(j);
            apart.dot(&apart).sqrt()
        });
        let by_distances = with(2, &Data::distances(apart.view()).unwrap());
        assert_eq!(by_distances.dimension, 2);
    }
}
