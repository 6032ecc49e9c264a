//! The data sets stored in the binary.

use std::io::Read;

use charta::Labels;
use charta::data::Precision;
use flate2::read::ZlibDecoder;

use crate::arrange::arranged;
use crate::block::{Lines, Values};
use crate::collect::{as_kind, collect};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::{Kind, LabelKind, ReadOptions};
use crate::table::{ImageShape, Table};
use crate::text::TextTable;

const DIGITS: &[u8] = include_bytes!("../assets/digits.deflate");
const IRIS: &[u8] = include_bytes!("../assets/iris.csv.gz");
const WINE: &[u8] = include_bytes!("../assets/wine.csv.gz");
const BREAST_CANCER: &[u8] = include_bytes!("../assets/breast-cancer.csv.gz");
const DIABETES: &[u8] = include_bytes!("../assets/diabetes.csv.gz");
const LINNERUD: &[u8] = include_bytes!("../assets/linnerud.csv.gz");
const EUROPE: &[u8] = include_bytes!("../assets/europe.csv.gz");
const EURODIST: &[u8] = include_bytes!("../assets/eurodist.csv.gz");

/// Reads the stored data set called `name`.
pub(crate) fn read(name: &'static str, options: &ReadOptions) -> Result<Table> {
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
    use crate::table::Content;

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
            let table = read(name, &ReadOptions::default()).unwrap();
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

    #[test]
    fn the_label_of_diabetes_is_numbers_and_another_can_be_chosen() {
        let table = read("diabetes", &ReadOptions::default()).unwrap();
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
        let table = read("diabetes", &options).unwrap();
        assert_eq!(table.labels.as_ref().unwrap().0, "sex");
        assert_eq!(table.n_columns(), 10);
    }

    #[test]
    fn the_cities_of_europe_are_those_of_eurodist_and_may_be_in_degrees() {
        let roads = read("eurodist", &ReadOptions::default()).unwrap();
        let places = read("europe", &ReadOptions::default()).unwrap();
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
        assert_eq!(value(&read("europe", &options).unwrap(), 0, 0), 37.98);
    }

    #[test]
    fn eurodist_is_symmetric_and_named() {
        let table = read("eurodist", &ReadOptions::default()).unwrap();
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
