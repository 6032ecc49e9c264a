//! How good predictions are, where the data has the true labels.

use charta::Labels;
use charta::cluster::adjusted_rand;
use charta::model::Prediction;
use charta_io::{Content, Table};
use ndarray::{Array2, ArrayView1, Axis};
use serde_json::{Value as Json, json};

use crate::class_order;
use crate::format::{Side, count, counted, number, percent, table};

/// Classes up to which all mistakes are shown.
const MOST_CLASSES: usize = 12;
/// Of more classes, the kinds of mistakes shown.
const MOST_MISTAKES: usize = 10;

/// How good predictions are.
pub(crate) enum Evaluation {
    Classes(Confusion),
    Numbers(Vec<Fit>),
    Clusters(Agreement),
}

/// How far clusters agree with the classes of their rows.
pub(crate) struct Agreement {
    adjusted_rand: f64,
    /// The classes, in natural order.
    names: Vec<String>,
    /// A row for each class, a column for each cluster.
    counts: Array2<usize>,
}

/// How often each class was taken for each other.
pub(crate) struct Confusion {
    /// The classes of the model and those that only the data has, in natural order.
    names: Vec<String>,
    /// A row for each true class, a column for each predicted one.
    counts: Array2<usize>,
    n_unknown: usize,
}

/// How near predicted numbers are to the true ones.
pub(crate) struct Fit {
    name: String,
    n_rows: usize,
    r_squared: f64,
    mean_absolute_error: f64,
}

/// Evaluates predictions by the labels of the data, or by columns of the predicted names.
pub(crate) fn of(prediction: &Prediction, table: &Table) -> Option<Evaluation> {
    match prediction {
        Prediction::Classes { names, of_row, .. } => {
            let (_, labels) = table.labels.as_ref()?;
            Some(Evaluation::Classes(Confusion::of(names, of_row, labels)))
        }
        Prediction::Numbers { names, values } => {
            let fits: Vec<Fit> = names
                .iter()
                .zip(values.columns())
                .filter_map(|(name, predicted)| {
                    let known = truth(table, name, names.len() == 1)?;
                    Fit::of(name, &predicted, &known)
                })
                .collect();
            (!fits.is_empty()).then_some(Evaluation::Numbers(fits))
        }
        Prediction::Clusters { n_clusters, of_row } => {
            let (_, labels) = table.labels.as_ref()?;
            Agreement::of(*n_clusters, of_row, labels).map(Evaluation::Clusters)
        }
        _ => None,
    }
}

/// How often each class or cluster was predicted, where there are no labels.
pub(crate) fn counts(prediction: &Prediction) -> String {
    let numbers: Vec<String>;
    let (names, of_row) = match prediction {
        Prediction::Classes { names, of_row, .. } => (names, of_row),
        Prediction::Clusters { n_clusters, of_row } => {
            numbers = (0..*n_clusters)
                .map(|number| format!("cluster {number}"))
                .collect();
            (&numbers, of_row)
        }
        _ => return String::new(),
    };
    let rows: Vec<Vec<String>> = names
        .iter()
        .enumerate()
        .map(|(class, name)| {
            let rows = of_row.iter().filter(|&&row| row as usize == class).count();
            vec![name.clone(), count(rows)]
        })
        .collect();
    table(2, &[Side::Left, Side::Right], &rows) + "\n"
}

/// The true numbers: a column of that name, or the labels if only one thing is predicted.
fn truth(table: &Table, name: &str, alone: bool) -> Option<Vec<f64>> {
    let names = table.column_names.as_deref().unwrap_or_default();
    if let (Some(place), Content::Features(features)) =
        (names.iter().position(|own| own == name), &table.content)
    {
        let view = features.view();
        return Some(
            (0..view.n_rows())
                .map(|row| view.value(row, place))
                .collect(),
        );
    }
    let (title, labels) = table.labels.as_ref()?;
    if !alone && title != name {
        return None;
    }
    match labels {
        Labels::Numbers(values) => Some(values.to_vec()),
        classes => {
            let number = |row| match classes.text(row) {
                text if text.is_empty() => Some(f64::NAN),
                text => text.parse().ok(),
            };
            (0..classes.len()).map(number).collect()
        }
    }
}

impl Confusion {
    fn of(classes: &[String], of_row: &[u32], labels: &Labels<'_>) -> Self {
        let mut names = classes.to_vec();
        let mut pairs = Vec::with_capacity(of_row.len());
        let mut n_unknown = 0;
        for (row, &predicted) in of_row.iter().enumerate() {
            let text = labels.text(row);
            if text.is_empty() {
                n_unknown += 1;
                continue;
            }
            let place = names.iter().position(|name| *name == text);
            let place = place.unwrap_or_else(|| {
                names.push(text);
                names.len() - 1
            });
            pairs.push((place, predicted as usize));
        }
        let mut counts: Array2<usize> = Array2::zeros((names.len(), names.len()));
        for pair in pairs {
            counts[pair] += 1;
        }
        let order = class_order::order(&names);
        Self {
            names: order.iter().map(|&class| names[class].clone()).collect(),
            counts: counts.select(Axis(0), &order).select(Axis(1), &order),
            n_unknown,
        }
    }

    fn n_rows(&self) -> usize {
        self.counts.sum()
    }

    fn n_right(&self) -> usize {
        self.counts.diag().sum()
    }

    fn accuracy(&self) -> f64 {
        self.n_right() as f64 / self.n_rows() as f64
    }

    fn in_words(&self) -> String {
        if self.n_rows() == 0 {
            return "no row has a label to compare with\n\n".into();
        }
        let mut text = format!(
            "accuracy {} ({} of {})\n\n",
            percent(self.accuracy()),
            count(self.n_right()),
            count(self.n_rows())
        );
        if self.n_unknown > 0 {
            text.push_str(&format!(
                "not counted: {} without a label\n\n",
                counted(self.n_unknown, "row")
            ));
        }
        if self.names.len() <= MOST_CLASSES {
            text.push_str(&self.all_counts());
        } else {
            text.push_str(&self.mistakes());
        }
        text + "\n"
    }

    /// A row for each true class, a column for each predicted one.
    fn all_counts(&self) -> String {
        let mut heading = vec!["true \\ predicted".to_string()];
        heading.extend(self.names.iter().cloned());
        let mut rows = vec![heading];
        for (name, counts) in self.names.iter().zip(self.counts.rows()) {
            let mut row = vec![name.clone()];
            row.extend(counts.iter().map(|&number| count(number)));
            rows.push(row);
        }
        let mut sides = vec![Side::Right; self.names.len() + 1];
        sides[0] = Side::Left;
        table(2, &sides, &rows)
    }

    /// The most frequent mistakes.
    fn mistakes(&self) -> String {
        let mut mistakes: Vec<(usize, usize, usize)> = self
            .counts
            .indexed_iter()
            .filter(|((known, predicted), number)| known != predicted && **number > 0)
            .map(|((known, predicted), &number)| (number, known, predicted))
            .collect();
        mistakes.sort_by_key(|&(number, known, predicted)| {
            (std::cmp::Reverse(number), known, predicted)
        });
        let mut rows = vec![["true", "predicted", "rows"].map(String::from).to_vec()];
        for &(number, known, predicted) in mistakes.iter().take(MOST_MISTAKES) {
            let name = |place: usize| self.names[place].clone();
            rows.push(vec![name(known), name(predicted), count(number)]);
        }
        if mistakes.len() > MOST_MISTAKES {
            rows.push(vec![format!("… {} more", mistakes.len() - MOST_MISTAKES)]);
        }
        table(2, &[Side::Left, Side::Left, Side::Right], &rows)
    }
}

impl Agreement {
    /// `None` if the labels are numbers, or no row has one.
    fn of(n_clusters: usize, of_row: &[u32], labels: &Labels<'_>) -> Option<Self> {
        let Labels::Classes {
            names,
            of_row: classes,
        } = labels
        else {
            return None;
        };
        let known = classes.iter().zip(of_row);
        let pairs: Vec<(u32, u32)> = known
            .filter_map(|(class, &cluster)| Some(((*class)?, cluster)))
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let mut counts: Array2<usize> = Array2::zeros((names.len(), n_clusters));
        for &(class, cluster) in &pairs {
            counts[[class as usize, cluster as usize]] += 1;
        }
        let (classes, clusters): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let order = class_order::order(names);
        Some(Self {
            adjusted_rand: adjusted_rand(&classes, &clusters)
                .expect("a class and a cluster for each row"),
            names: order.iter().map(|&class| names[class].clone()).collect(),
            counts: counts.select(Axis(0), &order),
        })
    }

    fn in_words(&self) -> String {
        let mut rows = vec![vec!["class \\ cluster".to_string()]];
        rows[0].extend((0..self.counts.ncols()).map(|cluster| cluster.to_string()));
        for (name, counts) in self.names.iter().zip(self.counts.rows()) {
            let mut row = vec![name.clone()];
            row.extend(counts.iter().map(|&number| count(number)));
            rows.push(row);
        }
        let mut sides = vec![Side::Right; self.counts.ncols() + 1];
        sides[0] = Side::Left;
        format!(
            "agreement with the labels: adjusted Rand index {} (1: the same groups, 0: chance)\n\n{}\n",
            number(self.adjusted_rand),
            table(2, &sides, &rows)
        )
    }

    fn to_json(&self) -> Json {
        let counts: Vec<Vec<usize>> = self
            .counts
            .rows()
            .into_iter()
            .map(|row| row.to_vec())
            .collect();
        json!({
            "adjusted_rand": self.adjusted_rand,
            "n_rows": self.counts.sum(),
            "classes": self.names,
            "clusters_of_classes": counts,
        })
    }
}

impl Fit {
    /// `None` if no row has a true number.
    fn of(name: &str, predicted: &ArrayView1<'_, f64>, known: &[f64]) -> Option<Self> {
        let pairs: Vec<(f64, f64)> = predicted
            .iter()
            .zip(known)
            .map(|(&predicted, &known)| (predicted, known))
            .filter(|(_, known)| known.is_finite())
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let n_rows = pairs.len() as f64;
        let mean = pairs.iter().map(|(_, known)| known).sum::<f64>() / n_rows;
        let total: f64 = pairs.iter().map(|(_, known)| (known - mean).powi(2)).sum();
        let left: f64 = pairs
            .iter()
            .map(|(predicted, known)| (predicted - known).powi(2))
            .sum();
        let absolute: f64 = pairs
            .iter()
            .map(|(predicted, known)| (predicted - known).abs())
            .sum();
        Some(Self {
            name: name.into(),
            n_rows: pairs.len(),
            r_squared: 1.0 - left / total,
            mean_absolute_error: absolute / n_rows,
        })
    }
}

impl Evaluation {
    /// For people.
    pub(crate) fn in_words(&self) -> String {
        let fits = match self {
            Self::Classes(confusion) => return confusion.in_words(),
            Self::Clusters(agreement) => return agreement.in_words(),
            Self::Numbers(fits) => fits,
        };
        let heading = ["number", "R²", "mean absolute error", "rows"];
        let mut rows = vec![heading.map(String::from).to_vec()];
        for fit in fits {
            rows.push(vec![
                fit.name.clone(),
                number(fit.r_squared),
                number(fit.mean_absolute_error),
                count(fit.n_rows),
            ]);
        }
        let sides = [Side::Left, Side::Right, Side::Right, Side::Right];
        table(2, &sides, &rows) + "\n"
    }

    /// For programs.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Classes(confusion) => {
                let counts: Vec<Json> = confusion
                    .counts
                    .rows()
                    .into_iter()
                    .map(|row| json!(row.to_vec()))
                    .collect();
                json!({
                    "accuracy": confusion.accuracy(),
                    "n_rows": confusion.n_rows(),
                    "n_right": confusion.n_right(),
                    "classes": confusion.names,
                    "confusion": counts,
                })
            }
            Self::Clusters(agreement) => agreement.to_json(),
            Self::Numbers(fits) => {
                let fits: Vec<Json> = fits
                    .iter()
                    .map(|fit| {
                        json!({
                            "name": fit.name,
                            "n_rows": fit.n_rows,
                            "r_squared": fit.r_squared,
                            "mean_absolute_error": fit.mean_absolute_error,
                        })
                    })
                    .collect();
                json!({ "numbers": fits })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn mistakes_are_counted_and_rows_without_a_label_are_not() {
        let classes = ["a".to_string(), "b".to_string()];
        let words = ["a", "b", "b", "", "c"].map(String::from);
        let confusion = Confusion::of(&classes, &[0, 1, 0, 0, 1], &Labels::from_words(&words));
        assert_eq!(confusion.counts, array![[1, 0, 0], [1, 1, 0], [0, 1, 0]]);
        assert_eq!((confusion.n_right(), confusion.n_rows()), (2, 4));
        let text = confusion.in_words();
        assert!(text.contains("accuracy 50.0 % (2 of 4)"), "{text}");
        assert!(
            text.contains("not counted: 1 row without a label"),
            "{text}"
        );
    }

    #[test]
    fn of_many_classes_the_most_frequent_mistakes_are_shown() {
        let classes: Vec<String> = (0..20).map(|class| format!("c{class}")).collect();
        let of_row: Vec<u32> = (0..60)
            .map(|row| if row < 5 { 1 } else { row % 20 })
            .collect();
        let words: Vec<String> = (0..60).map(|row| format!("c{}", row % 20)).collect();
        let confusion = Confusion::of(&classes, &of_row, &Labels::from_words(&words));
        let text = confusion.in_words();
        assert!(text.contains("c0    c1            1"), "{text}");
        assert_eq!(text.matches("    c1 ").count(), 4, "{text}");
    }

    #[test]
    fn clusters_agree_with_classes_up_to_their_names() {
        let labels = Labels::from_words(&["a", "a", "b", "b", ""]);
        let agreement = Agreement::of(2, &[1, 1, 0, 0, 0], &labels).unwrap();
        assert_eq!(agreement.adjusted_rand, 1.0);
        assert_eq!(agreement.counts, array![[0, 2], [2, 0]]);
        assert!(agreement.in_words().contains("adjusted Rand index 1.000"));
        let mixed = Agreement::of(2, &[0, 1, 0, 1, 0], &labels).unwrap();
        assert!(mixed.adjusted_rand < 0.0, "{}", mixed.adjusted_rand);
        assert!(Agreement::of(1, &[0], &Labels::numbers(vec![1.0])).is_none());
    }

    #[test]
    fn numbers_are_judged_by_what_they_explain() {
        let fit = Fit::of("y", &array![1.0, 2.0, 4.0].view(), &[1.0, 2.0, 3.0]).unwrap();
        assert!((fit.r_squared - 0.5).abs() < 1e-15);
        assert!((fit.mean_absolute_error - 1.0 / 3.0).abs() < 1e-15);
        assert!(Fit::of("y", &array![1.0].view(), &[f64::NAN]).is_none());
    }
}
