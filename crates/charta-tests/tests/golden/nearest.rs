//! Accuracy of the nearest neighbour on the optical digits: the published figures, and scikit-learn's.

use charta::methods::find;
use charta::pipeline::Fitted;
use charta::quality::nearest_accuracy;
use charta::{Data, Labels, Run};
use charta_io::{ReadOptions, read};
use ndarray::{Array2, s};
use serde_json::json;

use crate::support::{check_same_data, golden, number, outside_data};

const N_TRAINING: usize = 3823;
/// One row of the 1,797 may fall to the other side by rounding.
const ONE_ROW: f64 = 1.5 / 1797.0;

struct Digits {
    rows: Array2<f64>,
    classes: Vec<u32>,
}

fn digits() -> Digits {
    let path = outside_data("optdigits.npz");
    let array = |name: &str| {
        let options = ReadOptions {
            array: Some(name.into()),
            ..ReadOptions::default()
        };
        let table = read(path.to_str().unwrap(), &options).unwrap();
        let data = table.data().unwrap();
        let features = data.features("digits").unwrap();
        features.dense_rows(0, features.n_rows())
    };
    let classes = array("y").column(0).mapv(|class| class as u32).to_vec();
    Digits {
        rows: array("X"),
        classes,
    }
}

fn accuracy(rows: &Array2<f64>, classes: &[u32], n_neighbors: usize) -> f64 {
    let (known, asked) = (
        rows.slice(s![..N_TRAINING, ..]),
        rows.slice(s![N_TRAINING.., ..]),
    );
    let (left, right) = classes.split_at(N_TRAINING);
    nearest_accuracy(&Run::new(), &known, left, &asked, right, n_neighbors).unwrap()
}

#[test]
#[ignore = "needs data outside the project: optdigits.npz"]
fn all_columns_give_the_published_accuracies() {
    let digits = digits();
    // The notes of the data set, in percent, for 1, 3, 5, 7 and 11 neighbours.
    for (n_neighbors, published) in [(1, 98.00), (3, 97.83), (5, 97.89), (7, 97.66), (11, 97.89)] {
        let found = 100.0 * accuracy(&digits.rows, &digits.classes, n_neighbors);
        assert!((found - published).abs() < 0.006, "{n_neighbors}: {found}");
    }
}

#[test]
#[ignore = "needs data outside the project: optdigits.npz"]
fn a_few_coordinates_give_the_accuracies_of_the_reference() {
    let digits = digits();
    let reference = golden("nearest_optdigits.json");
    check_same_data(&digits.rows, &reference);
    let training = digits.rows.slice(s![..N_TRAINING, ..]);
    let numbers: Vec<f64> = digits.classes[..N_TRAINING]
        .iter()
        .map(|&c| f64::from(c))
        .collect();
    for record in reference["coordinates"].as_array().unwrap() {
        for method in ["pca", "ica", "karhunen_loeve", "lda"] {
            if record[method].is_null() {
                continue;
            }
            let run = Run::new();
            let data = Data::from(training)
                .with_labels(Labels::numbers(numbers.clone()))
                .unwrap();
            let parameters = json!({ "n_components": record["n_components"] });
            let fitted = find(method)
                .unwrap()
                .parse(&parameters)
                .and_then(|method| Fitted::fit(method.as_ref(), &run, &data, None))
                .unwrap();
            let placed = fitted.transform(&run, &Data::from(&digits.rows)).unwrap();
            let found = accuracy(&placed, &digits.classes, 1);
            let apart = (found - number(&record[method])).abs();
            assert!(apart <= ONE_ROW, "{method}, {parameters}: {found}");
        }
    }
}
