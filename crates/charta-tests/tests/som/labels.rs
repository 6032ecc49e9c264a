//! What labels say of units, and units of new rows.

use charta::methods::som::Som;
use charta::{Data, Fit, Labels, Model, Predict, Prediction};
use charta_io::{ReadOptions, read};

use super::{built_in, sample, two_nearest};

#[test]
fn classes_are_told_by_the_majority_of_a_unit() {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let labels = table.labels.as_ref().unwrap().1.reborrow();
    let x = built_in("digits");
    let (fitted, held_out): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|row| row % 5 != 4);
    let words =
        |rows: &[usize]| -> Vec<String> { rows.iter().map(|row| labels.text(*row)).collect() };
    let (known, expected) = (words(&fitted), words(&held_out));
    let rows = x.select(ndarray::Axis(0), &fitted);
    let data = Data::from(&rows)
        .with_labels(Labels::from_words(&known))
        .unwrap();
    let model = Som::default().fit(data).unwrap();
    let new = x.select(ndarray::Axis(0), &held_out);
    let Prediction::Classes {
        names,
        of_row,
        probabilities,
        ..
    } = model.predict(&new).unwrap()
    else {
        panic!("classes expected");
    };
    let units = model.units();
    let mut votes = vec![vec![0; names.len()]; units.nrows()];
    for (row, word) in rows.rows().into_iter().zip(&known) {
        let class = names.iter().position(|name| name == word).unwrap();
        votes[two_nearest(row, &units).0][class] += 1;
    }
    let mut right = 0;
    for (place, row) in new.rows().into_iter().enumerate() {
        let own = &votes[two_nearest(row, &units).0];
        let class = of_row[place] as usize;
        if own.iter().sum::<usize>() > 0 {
            assert_eq!(own[class], *own.iter().max().unwrap());
            let share = own[class] as f64 / own.iter().sum::<usize>() as f64;
            assert!((probabilities[[place, class]] - share).abs() < 1e-12);
        }
        assert!((probabilities.row(place).sum() - 1.0).abs() < 1e-12);
        right += usize::from(names[class] == expected[place]);
    }
    let accuracy = right as f64 / held_out.len() as f64;
    assert!(accuracy > 0.9, "{accuracy}");
    let accuracy = model.diagnostics().value("training_accuracy").unwrap();
    assert!(accuracy > 0.9, "{accuracy}");
}

#[test]
fn measured_numbers_are_averaged_and_odd_labels_do_no_harm() {
    let x = sample(90, 4);
    let numbers: Vec<f64> = x.column(0).to_vec();
    let data = Data::from(&x)
        .with_labels(Labels::numbers(numbers.clone()))
        .unwrap();
    let model = Som::default().fit(data).unwrap();
    let Prediction::Numbers { values, .. } = model.predict(&x).unwrap() else {
        panic!("numbers expected");
    };
    let spread = |of: &dyn Fn(usize) -> f64| (0..90).map(|row| of(row).powi(2)).sum::<f64>();
    let mean = numbers.iter().sum::<f64>() / 90.0;
    let rest = spread(&|row| values[[row, 0]] - numbers[row]);
    assert!(rest < 0.3 * spread(&|row| numbers[row] - mean));
    for words in [vec!["a"; 90], vec![""; 90]] {
        let data = Data::from(&x)
            .with_labels(Labels::from_words(&words))
            .unwrap();
        let model = Som::default().fit(data).unwrap();
        assert!(model.as_predict().is_none());
        assert!(model.predict(&x).is_err());
    }
}
