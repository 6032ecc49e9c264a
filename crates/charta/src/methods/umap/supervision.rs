//! Supervised UMAP: labels weaken the edges between rows whose labels differ.
//!
//! Classes: an edge between two classes is multiplied by exp(−`far`), one to a row without a class by exp(−1). Numbers: the labels have a fuzzy graph
//! of their own, and the two graphs are multiplied, each to a power. Afterwards every row's strongest edge is certain again.
//!
//! The rules are those of umap-learn.

use ndarray::{Array2, Axis};

use super::fuzzy_graph::{FuzzyGraph, Membership};
use crate::data::{Classes, Data, Labels};
use crate::error::{Error, Result, counted, message};
use crate::neighbors::{Search, nearest};
use crate::params::Choice;
use crate::run::Run;

/// How far a row without a label is from all others.
const UNKNOWN: f64 = 1.0;
/// How far classes are apart where labels and features count the same, times two.
const APART: f64 = 2.5;
/// The weight of an edge that a graph does not have, at least and at most.
const MIN_MISSING_WEIGHT: f32 = 1e-8;
const MAX_MISSING_WEIGHT: f32 = 1e-4;

/// Type of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum TargetMetric {
    /// Classes if they are text or few distinct whole numbers, otherwise numbers.
    Auto,
    /// Classes: categorical.
    Classes,
    /// Numbers: regression targets.
    Numbers,
    /// Numbers on a scale: two of them differ by the share of their range that lies between.
    Ordinal,
    /// Counts: two of them differ by the logarithms of the Poisson probabilities of the counts between.
    Count,
    /// Text: two of them differ by the number of characters to replace, insert or delete (Levenshtein).
    Text,
}

/// How labels take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// What they mean.
    pub metric: TargetMetric,
    /// Weight of the labels: 0 ignores them, 1 ignores the features.
    pub weight: f64,
    /// Neighbours among numbers, the row itself counted.
    pub n_neighbors: usize,
}

impl Target {
    /// The intersection of the graph with the labels.
    pub fn intersect(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        labels: &Labels<'_>,
    ) -> Result<FuzzyGraph> {
        if let TargetMetric::Ordinal | TargetMetric::Count | TargetMetric::Text = self.metric {
            let met = self.by_differences(run, graph, labels)?;
            return met.with_certain_edges(run);
        }
        let classes = match (self.metric, labels) {
            (TargetMetric::Numbers, _) => None,
            (TargetMetric::Auto, Labels::Numbers(_)) => Classes::of(labels, "umap").ok(),
            _ => Some(Classes::of(labels, "umap")?),
        };
        let met = match (classes, labels) {
            (Some(classes), _) => self.by_classes(run, graph, &classes)?,
            (None, Labels::Numbers(values)) => self.by_numbers(run, graph, values)?,
            (None, Labels::Classes { .. }) => {
                return Err(Error::Labels {
                    problem: message!("{target_metric=numbers} was set, but they are text"),
                });
            }
        };
        met.with_certain_edges(run)
    }

    /// Every edge weakened by how much the labels of its rows differ: on average about as much as classes do.
    fn by_differences(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        labels: &Labels<'_>,
    ) -> Result<FuzzyGraph> {
        let far = if self.weight < 1.0 {
            APART / (1.0 - self.weight)
        } else {
            f64::INFINITY
        };
        // 0 · ∞ is no number: equal labels keep their edge.
        let weakened = |weight: f32, difference: f64| match difference {
            same if same <= 0.0 => weight,
            other => weight * (-far * other).exp() as f32,
        };
        let unknown = (-UNKNOWN).exp() as f32;
        if self.metric == TargetMetric::Text {
            let classes = Classes::of(labels, "umap")?;
            let letters: Vec<Vec<char>> = (classes.names.iter())
                .map(|name| name.chars().collect())
                .collect();
            let longest = letters.iter().map(Vec::len).max().unwrap_or(0).max(1);
            let unit = longest as f64 / 3.0;
            return graph.map(run, |a, b, weight| {
                match (classes.of_row[a], classes.of_row[b]) {
                    (Some(a), Some(b)) if a == b => weight,
                    (Some(a), Some(b)) => {
                        let edits = edits(&letters[a as usize], &letters[b as usize]);
                        weakened(weight, edits as f64 / unit)
                    }
                    _ => weight * unknown,
                }
            });
        }
        let Labels::Numbers(values) = labels else {
            return Err(Error::Labels {
                problem: message!(
                    "{target_metric=ordinal} or {target_metric=count} was set, but they are text"
                ),
            });
        };
        let scale = if self.metric == TargetMetric::Ordinal {
            LabelScale::range(values)
        } else {
            LabelScale::counts(values)?
        };
        graph.map(run, |a, b, weight| {
            if values[a].is_nan() || values[b].is_nan() {
                return weight * unknown;
            }
            weakened(weight, scale.difference(values[a], values[b]))
        })
    }

    fn by_classes(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        classes: &Classes,
    ) -> Result<FuzzyGraph> {
        let far = if self.weight < 1.0 {
            APART / (1.0 - self.weight)
        } else {
            f64::INFINITY
        };
        let (other, unknown) = ((-far).exp() as f32, (-UNKNOWN).exp() as f32);
        // Among whole numbers −1 is the usual word for none.
        let none = classes.names.iter().position(|name| name == "-1");
        let class = |row: usize| classes.of_row[row].filter(|&class| Some(class as usize) != none);
        graph.map(run, |a, b, weight| match (class(a), class(b)) {
            (Some(a), Some(b)) if a == b => weight,
            (Some(_), Some(_)) => weight * other,
            _ => weight * unknown,
        })
    }

    fn by_numbers(&self, run: &Run<'_>, graph: &FuzzyGraph, values: &[f64]) -> Result<FuzzyGraph> {
        let labels = self.graph_of(run, values)?;
        let own_least = (graph.smallest() / 2.0).max(MIN_MISSING_WEIGHT);
        let label_least = (labels.smallest() / 2.0).clamp(MIN_MISSING_WEIGHT, MAX_MISSING_WEIGHT);
        let unknown = (-UNKNOWN).exp() as f32;
        graph.combined(run, &labels, |a, b, [own, label]| {
            if values[a].is_nan() || values[b].is_nan() {
                return own * unknown;
            }
            let (own, label) = (own.max(own_least), label.max(label_least));
            self.mixed(f64::from(own), f64::from(label)) as f32
        })
    }

    fn mixed(&self, own: f64, label: f64) -> f64 {
        let weight = self.weight;
        if weight < 0.5 {
            own * label.powf(weight / (1.0 - weight))
        } else {
            own.powf((1.0 - weight) / weight) * label
        }
    }

    /// The fuzzy graph of numbers, among the rows that have one.
    fn graph_of(&self, run: &Run<'_>, values: &[f64]) -> Result<FuzzyGraph> {
        let labelled: Vec<usize> = (0..values.len())
            .filter(|&row| !values[row].is_nan())
            .collect();
        if labelled.len() < 2 {
            return Err(Error::Labels {
                problem: message!(
                    "{'umap':method} needs at least 2 numbers to learn from, but there is {}",
                    counted(labelled.len(), "number")
                ),
            });
        }
        let column: Vec<f64> = labelled.iter().map(|&row| values[row]).collect();
        let column = ndarray::Array1::from(column).insert_axis(Axis(1));
        let column: Array2<f64> = column.into_owned();
        let count = (self.n_neighbors.min(labelled.len()) - 1).max(1);
        let found = nearest(run, &Data::from(&column), &Search::default(), count)?;
        let membership = Membership {
            local_connectivity: 1.0,
            union_share: 1.0,
        };
        let graph = FuzzyGraph::of(run, &found.neighbors, &membership)?;
        let mut rows = vec![Vec::new(); values.len()];
        for (index, &row) in labelled.iter().enumerate() {
            let (neighbors, weights) = graph.row(index);
            let named = neighbors
                .iter()
                .map(|&other| labelled[other as usize] as u32);
            rows[row] = named.zip(weights.iter().copied()).collect();
        }
        Ok(FuzzyGraph::from_rows(rows))
    }
}

/// The most distinct counts whose probabilities are tabulated.
const MOST_COUNTS: f64 = 1e6;

/// How much numbers differ, so that the smallest and the largest differ by 2.
struct LabelScale {
    low: f64,
    /// Of counts: the sums of the logarithms of the probabilities of all counts from the smallest on.
    sums: Option<Vec<f64>>,
    /// The difference of the smallest and the largest, before it is made 2.
    range: f64,
}

impl LabelScale {
    /// By the range between two numbers.
    fn range(values: &[f64]) -> Self {
        let (low, high) = limits(values);
        Self {
            low,
            sums: None,
            range: high - low,
        }
    }

    /// By Poisson probabilities with the mean count.
    fn counts(values: &[f64]) -> Result<Self> {
        let (low, high) = limits(values);
        let known = || values.iter().filter(|value| !value.is_nan());
        let is_count = |value: &f64| (0.0..=MOST_COUNTS).contains(value) && value.fract() == 0.0;
        if !known().all(is_count) {
            return Err(Error::Labels {
                problem: message!("{target_metric=count} needs whole numbers from 0 to a million"),
            });
        }
        let n = known().count().max(1) as f64;
        let mean = known().sum::<f64>() / n;
        let log_mean = mean.max(f64::MIN_POSITIVE).ln();
        let mut log_factorial: f64 = (2..=low as u64).map(|k| (k as f64).ln()).sum();
        let (mut sum, mut sums) = (0.0, vec![0.0]);
        for count in low as u64..high as u64 {
            // A probability is at most 1: what is less than 0 is rounding.
            sum += (log_factorial + mean - count as f64 * log_mean).max(0.0);
            sums.push(sum);
            log_factorial += (count as f64 + 1.0).ln();
        }
        Ok(Self {
            low,
            range: sum,
            sums: Some(sums),
        })
    }

    fn difference(&self, a: f64, b: f64) -> f64 {
        let place = |value: f64| match &self.sums {
            Some(sums) => sums[(value - self.low) as usize],
            None => value,
        };
        if self.range > 0.0 {
            2.0 * (place(a) - place(b)).abs() / self.range
        } else {
            0.0
        }
    }
}

/// The smallest and the largest of numbers, some of which may be missing.
fn limits(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

/// The fewest characters to replace, insert or delete (Wagner and Fischer 1974).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, x) in a.iter().enumerate() {
        let mut diagonal = above[0];
        above[0] = row + 1;
        for (column, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = above[column + 1];
            above[column + 1] = replaced.min(diagonal + 1).min(above[column] + 1);
        }
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| {
            let letters = |word: &str| word.chars().collect::<Vec<_>>();
            edits(&letters(a), &letters(b))
        };
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("same", "same"), 0);
    }

    #[test]
    fn the_smallest_and_the_largest_number_differ_by_two() {
        let values = [3.0, 1.0, f64::NAN, 9.0, 4.0];
        for scale in [
            LabelScale::range(&values),
            LabelScale::counts(&values).unwrap(),
        ] {
            assert!((scale.difference(1.0, 9.0) - 2.0).abs() < 1e-12);
            assert_eq!(scale.difference(4.0, 4.0), 0.0);
            assert!(scale.difference(1.0, 3.0) < scale.difference(1.0, 4.0));
        }
        // Far counts are rarer, and further apart.
        let counts = LabelScale::counts(&values).unwrap();
        assert!(counts.difference(8.0, 9.0) > counts.difference(4.0, 5.0));
        assert!(LabelScale::counts(&[0.5, 1.0]).is_err());
        assert_eq!(
            LabelScale::counts(&[0.0, 0.0])
                .unwrap()
                .difference(0.0, 0.0),
            0.0
        );
    }

    #[test]
    fn labels_that_differ_more_weaken_an_edge_more() {
        let run = Run::new();
        let graph = FuzzyGraph::from_rows(vec![
            vec![(1, 1.0), (2, 1.0)],
            vec![(0, 1.0), (2, 1.0)],
            vec![(0, 1.0), (1, 1.0)],
        ]);
        let names: Vec<String> = ["cat", "cap", "dog"].map(String::from).into();
        let of_row = vec![Some(0), Some(1), Some(2)];
        let text = Labels::Classes {
            names: (&names).into(),
            of_row: (&of_row).into(),
        };
        let numbers = Labels::numbers(vec![0.0, 1.0, 9.0]);
        for (metric, labels) in [
            (TargetMetric::Text, text),
            (TargetMetric::Ordinal, numbers.reborrow()),
            (TargetMetric::Count, numbers.reborrow()),
        ] {
            let target = Target {
                metric,
                weight: 0.5,
                n_neighbors: 3,
            };
            let met = target.by_differences(&run, &graph, &labels).unwrap();
            let weights = met.row(0).1;
            assert!(weights[0] > weights[1], "{metric:?}: {weights:?}");
        }
    }
}
