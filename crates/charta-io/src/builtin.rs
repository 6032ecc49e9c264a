//! The data sets stored in the binary.

use std::io::Read;

use charta::Labels;
use charta::data::{OwnedFeatures, Precision};
use charta::random::{normal, stream};
use flate2::read::ZlibDecoder;
use ndarray::Array2;

use crate::arrange::arranged;
use crate::block::{Lines, Values};
use crate::collect::{as_kind, collect};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::{Kind, LabelKind, ReadOptions};
use crate::suggest::nearest;
use crate::table::{Content, ImageShape, Table};
use crate::text::TextTable;

const DIGITS: &[u8] = include_bytes!("../assets/digits.deflate");
const IRIS: &[u8] = include_bytes!("../assets/iris.csv.gz");
const WINE: &[u8] = include_bytes!("../assets/wine.csv.gz");
const BREAST_CANCER: &[u8] = include_bytes!("../assets/breast-cancer.csv.gz");
const DIABETES: &[u8] = include_bytes!("../assets/diabetes.csv.gz");
const LINNERUD: &[u8] = include_bytes!("../assets/linnerud.csv.gz");
const EUROPE: &[u8] = include_bytes!("../assets/europe.csv.gz");
const EURODIST: &[u8] = include_bytes!("../assets/eurodist.csv.gz");

/// Names of the parameters that a stored data set takes after a colon.
const PARAMETERS: [&str; 3] = ["class", "noise", "seed"];

/// What is done to a stored data set: `digits:class=2,noise=4,seed=1`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changes {
    /// The label of the rows that are kept; all rows if not given.
    class: Option<String>,
    /// Standard deviation of the normal noise that is added to every feature.
    noise: f64,
    seed: u64,
}

impl Changes {
    /// Reads what stands behind the colon.
    pub(crate) fn parse(set: &str, text: &str) -> Result<Self> {
        let mut changes = Self::default();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            let wrong = |requirement: &str| Error::option(key, requirement, format!("{value:?}"));
            match key {
                "class" if value.is_empty() => {
                    return Err(wrong("must be a label of the data set"));
                }
                "class" => changes.class = Some(value.into()),
                "noise" => {
                    let noise = value.parse::<f64>().ok();
                    changes.noise = noise
                        .filter(|noise| *noise >= 0.0 && noise.is_finite())
                        .ok_or_else(|| wrong("must be 0 or a positive number"))?;
                }
                "seed" => {
                    changes.seed = value.parse().map_err(|_| wrong("must be a whole number"))?;
                }
                _ => return Err(unknown(set, key)),
            }
        }
        Ok(changes)
    }

    /// True if the data set stays as it is stored.
    pub(crate) fn is_none(&self) -> bool {
        self.class.is_none() && self.noise == 0.0
    }

    /// The table with noise, and of the class only.
    fn apply(&self, mut table: Table) -> Result<Table> {
        if self.is_none() {
            return Ok(table);
        }
        let Content::Features(features) = &table.content else {
            return Err(Error::content(
                &table.name,
                "distances take neither `class` nor `noise`",
            ));
        };
        // Noise belongs to the rows as they are stored: a class has the same values alone and among all rows.
        let noisy = self.with_noise(features);
        table.content = Content::Features(noisy);
        match &self.class {
            Some(class) => only(table, class),
            None => Ok(table),
        }
    }

    fn with_noise(&self, features: &OwnedFeatures) -> OwnedFeatures {
        let view = features.view();
        if self.noise == 0.0 {
            return features.clone();
        }
        let mut values: Array2<f64> = view.dense_rows(0, view.n_rows());
        for (row, mut point) in values.rows_mut().into_iter().enumerate() {
            let mut draw = stream(self.seed, row as u64);
            point.mapv_inplace(|x| x + self.noise * normal(&mut draw));
        }
        match view.precision() {
            Precision::Single => values.mapv(|value| value as f32).into(),
            Precision::Double => values.into(),
        }
    }
}

/// The rows of one class.
fn only(mut table: Table, class: &str) -> Result<Table> {
    let Some((title, labels)) = &table.labels else {
        return Err(Error::content(
            &table.name,
            format!("the data set has no labels, so none is {class:?}"),
        ));
    };
    let rows: Vec<usize> = (0..labels.len())
        .filter(|&row| labels.text(row) == class)
        .collect();
    if rows.is_empty() {
        let known = match labels {
            Labels::Classes { names, .. } => names.join(", "),
            Labels::Numbers(_) => "numbers".into(),
        };
        return Err(Error::option(
            "class",
            format!("must be one of the labels of {}: {known}", table.name),
            format!("{class:?}"),
        ));
    }
    if let Content::Features(features) = &table.content {
        let kept = features.view().select_rows(&rows);
        table.content = Content::Features(kept.map_err(|error| Error::data(&table.name, error))?);
    }
    let labels = match labels {
        Labels::Classes { .. } => Labels::from_words(&vec![class; rows.len()]),
        Labels::Numbers(values) => {
            Labels::numbers(rows.iter().map(|&row| values[row]).collect::<Vec<_>>())
        }
    };
    table.labels = Some((title.clone(), labels));
    table.row_names = table
        .row_names
        .map(|names| rows.iter().map(|&row| names[row].clone()).collect());
    table.lines = Lines::default();
    Ok(table)
}

fn unknown(set: &str, key: &str) -> Error {
    Error::Column {
        file: set.into(),
        problem: format!("no parameter {key:?}, there are {}", PARAMETERS.join(", ")),
        suggestions: nearest(key, PARAMETERS.into_iter(), 1)
            .into_iter()
            .map(String::from)
            .collect(),
    }
}

/// Reads the stored data set called `name`, changed as required.
pub(crate) fn read(name: &'static str, changes: &Changes, options: &ReadOptions) -> Result<Table> {
    changes.apply(as_stored(name, options)?)
}

fn as_stored(name: &'static str, options: &ReadOptions) -> Result<Table> {
    match name {
        "iris" => table(name, IRIS, labelled("class", options)),
        "wine" => table(name, WINE, labelled("class", options)),
        "breast-cancer" => table(name, BREAST_CANCER, labelled("class", options)),
        "diabetes" => table(name, DIABETES, labelled("progression", options)),
        "linnerud" => table(name, LINNERUD, options.clone()),
        "europe" => {
            let mut options = options.clone();
            if options.columns.is_empty() {
                options.columns = vec!["east".into(), "north".into()];
            }
            if options.id.is_none() {
                options.id = Some("city".into());
            }
            table(name, EUROPE, options)
        }
        "eurodist" => {
            let options = ReadOptions {
                kind: Kind::Distances,
                ..options.clone()
            };
            as_kind(table(name, EURODIST, options)?, Kind::Distances)
        }
        _ => arranged(digits(options)?, options),
    }
}

/// Takes the known label column, unless another is requested.
fn labelled(label: &str, options: &ReadOptions) -> ReadOptions {
    let mut options = options.clone();
    if options.label.is_none() && options.id.as_deref() != Some(label) {
        options.label = Some(label.into());
    }
    options
}

fn table(name: &'static str, bytes: &'static [u8], options: ReadOptions) -> Result<Table> {
    let source = TextTable::open(Input::bytes(name, bytes.to_vec()), &options)?;
    let table = collect(Box::new(source), &options)?;
    // The user has no file whose lines could be named.
    Ok(Table {
        lines: Lines::default(),
        ..table
    })
}

/// 1,797 images of 64 bytes, then 1,797 labels of one byte.
fn digits(options: &ReadOptions) -> Result<Table> {
    const ROWS: usize = 1797;
    const SIDE: usize = 8;
    let mut bytes = Vec::with_capacity(ROWS * (SIDE * SIDE + 1));
    ZlibDecoder::new(DIGITS)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io("digits", "cannot unpack", &error))?;
    let (pixels, labels) = bytes.split_at(ROWS * SIDE * SIDE);
    let values = match options.precision {
        Some(Precision::Single) => Values::Single(pixels.iter().map(|&p| f32::from(p)).collect()),
        _ => Values::Double(pixels.iter().map(|&p| f64::from(p)).collect()),
    };
    let Some(features) = values.into_features(ROWS, SIDE * SIDE) else {
        return Err(Error::content("digits", "the stored data set is damaged"));
    };
    let mut table = Table::new("digits", features);
    table.column_names = Some(
        (0..SIDE * SIDE)
            .map(|p| format!("pixel_{}_{}", p / SIDE, p % SIDE))
            .collect(),
    );
    table.image = Some(ImageShape {
        height: SIDE,
        width: SIDE,
        channels: 1,
    });
    let digits = match options.label_kind {
        LabelKind::Numbers => Labels::numbers(
            labels
                .iter()
                .map(|&digit| f64::from(digit))
                .collect::<Vec<_>>(),
        ),
        _ => Labels::from_words(&labels.iter().map(ToString::to_string).collect::<Vec<_>>()),
    };
    table.labels = Some(("digit".into(), digits));
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(table: &Table, row: usize, column: usize) -> f64 {
        match &table.content {
            Content::Features(features) => features.view().value(row, column),
            Content::Distances(matrix) | Content::Kernel(matrix) => matrix[[row, column]],
        }
    }

    fn sum(table: &Table) -> f64 {
        (0..table.n_rows())
            .flat_map(|row| (0..table.n_columns()).map(move |column| (row, column)))
            .map(|(row, column)| value(table, row, column))
            .sum()
    }

    #[test]
    fn every_stored_set_has_the_shape_and_the_sum_of_its_source() {
        // The sums are those of scikit-learn's arrays and of R's eurodist.
        for (name, rows, columns, expected, classes) in [
            ("digits", 1797, 64, 561_718.0, 10),
            ("iris", 150, 4, 2078.7, 3),
            ("wine", 178, 13, 159_975.296, 3),
            ("breast-cancer", 569, 30, 1_056_474.46, 2),
            ("diabetes", 442, 10, 276_404.233_6, 0),
            ("linnerud", 20, 6, 9908.0, 0),
            ("eurodist", 21, 21, 632_162.0, 0),
            ("europe", 21, 2, -6519.1, 0),
        ] {
            let table = as_stored(name, &ReadOptions::default()).unwrap();
            assert_eq!(
                (table.n_rows(), table.n_columns()),
                (rows, columns),
                "{name}"
            );
            assert!(
                (sum(&table) - expected).abs() < 0.01,
                "{name}: {}",
                sum(&table)
            );
            let found = match &table.labels {
                Some((_, Labels::Classes { names, .. })) => names.len(),
                _ => 0,
            };
            assert_eq!(found, classes, "{name}");
            table.data().unwrap().check_finite().unwrap();
        }
    }

    fn changed(name: &'static str, text: &str) -> Result<Table> {
        let changes = Changes::parse(name, text)?;
        read(name, &changes, &ReadOptions::default())
    }

    #[test]
    fn a_class_is_taken_from_a_set_and_its_noise_is_that_of_all_rows() {
        let all = changed("digits", "noise=4,seed=1").unwrap();
        let twos = changed("digits", "class=2, noise=4, seed=1").unwrap();
        assert_eq!((twos.n_rows(), twos.n_columns()), (177, 64));
        assert_eq!(twos.labels.as_ref().unwrap().1.text(176), "2");
        // The third image is the first 2.
        let (mut sum, mut squares) = (0.0, 0.0);
        for column in 0..64 {
            assert_eq!(value(&twos, 0, column), value(&all, 2, column));
        }
        let plain = as_stored("digits", &ReadOptions::default()).unwrap();
        for row in 0..1797 {
            for column in 0..64 {
                let noise = value(&all, row, column) - value(&plain, row, column);
                sum += noise;
                squares += noise * noise;
            }
        }
        let count = 1797.0 * 64.0;
        let deviation = (squares / count).sqrt();
        assert!((deviation - 4.0).abs() < 0.05, "{deviation}");
        assert!((sum / count).abs() < 0.05, "{}", sum / count);
    }

    #[test]
    fn wrong_parameters_of_a_stored_set_are_named() {
        let message = |name: &'static str, text: &str| changed(name, text).unwrap_err().to_string();
        assert_eq!(
            message("wine", "class=7"),
            "`class` must be one of the labels of wine: class_0, class_1, class_2, got \"7\""
        );
        assert_eq!(
            message("iris", "noise=-1"),
            "`noise` must be 0 or a positive number, got \"-1\""
        );
        assert!(message("iris", "nose=1").contains("did you mean \"noise\"?"));
        assert!(message("linnerud", "class=a").contains("has no labels"));
        assert!(message("eurodist", "noise=1").contains("distances take neither"));
    }

    #[test]
    fn the_label_of_diabetes_is_numbers_and_another_can_be_chosen() {
        let table = as_stored("diabetes", &ReadOptions::default()).unwrap();
        let Some((title, Labels::Numbers(numbers))) = &table.labels else {
            panic!("the label should be numbers: {:?}", table.labels);
        };
        assert_eq!(
            (title.as_str(), numbers[0], numbers.iter().sum()),
            ("progression", 151.0, 67_243.0)
        );
        let options = ReadOptions {
            label: Some("sex".into()),
            ..ReadOptions::default()
        };
        let table = as_stored("diabetes", &options).unwrap();
        assert_eq!(table.labels.as_ref().unwrap().0, "sex");
        assert_eq!(table.n_columns(), 10);
    }

    #[test]
    fn the_cities_of_europe_are_those_of_eurodist_and_may_be_in_degrees() {
        let roads = as_stored("eurodist", &ReadOptions::default()).unwrap();
        let places = as_stored("europe", &ReadOptions::default()).unwrap();
        assert_eq!(roads.row_names, places.row_names);
        // Roads are longer than straight lines, except for five pairs of the table: the ferries from Rome to Athens and
        // four whose figures are too small, as from Hook of Holland to Copenhagen.
        let is_shorter = |row: usize, other: usize| {
            let [east, north] = [0, 1].map(|c| value(&places, row, c) - value(&places, other, c));
            value(&roads, row, other) < east.hypot(north)
        };
        let pairs = (0..21).flat_map(|row| (0..row).map(move |other| (row, other)));
        let n_shorter = pairs.filter(|pair| is_shorter(pair.0, pair.1)).count();
        assert_eq!(n_shorter, 5);
        let options = ReadOptions {
            columns: vec!["latitude".into()],
            ..ReadOptions::default()
        };
        assert_eq!(value(&as_stored("europe", &options).unwrap(), 0, 0), 37.98);
    }

    #[test]
    fn eurodist_is_symmetric_and_named() {
        let table = as_stored("eurodist", &ReadOptions::default()).unwrap();
        assert!(matches!(table.content, Content::Distances(_)));
        let names = table.row_names.as_ref().unwrap();
        let city = |name: &str| names.iter().position(|city| city == name).unwrap();
        assert_eq!(value(&table, city("Athens"), city("Barcelona")), 3313.0);
        assert_eq!(value(&table, city("Stockholm"), city("Vienna")), 2105.0);
        for row in 0..21 {
            for column in 0..21 {
                assert_eq!(value(&table, row, column), value(&table, column, row));
            }
        }
    }
}
