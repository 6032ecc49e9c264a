//! Rows that repeat others, in methods that look at neighbourhoods: the map is that of the distinct rows.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::synthetic::swiss_roll;
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::random::{stream, uniform};
use charta::{Data, Error, Event, Result, Run, Warning};
use ndarray::{Array2, Axis, concatenate, s};
use serde_json::{Value as Json, json};

const METHODS: [&str; 4] = ["lle", "modified_lle", "hessian_lle", "ltsa"];

fn fit(method: &str, parameters: Json, data: &Data<'_>) -> (Result<Fitted>, Vec<Warning>) {
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let outcome = find(method)
        .unwrap()
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, data, None));
    (outcome, warnings.into_inner().unwrap())
}

fn map(method: &str, data: &Data<'_>) -> Array2<f64> {
    let fitted = fit(method, json!({}), data).0.unwrap();
    fitted.model().embedding().unwrap().to_owned()
}

fn bent_sheet(n: usize) -> Array2<f64> {
    let mut numbers = stream(3, 0);
    let flat = Array2::from_shape_fn((n, 2), |_| uniform(&mut numbers));
    Array2::from_shape_fn((n, 3), |(i, j)| match j {
        0 => flat[[i, 0]].cos(),
        1 => flat[[i, 0]].sin(),
        _ => flat[[i, 1]],
    })
}

/// The rows, and the sixth twenty times more.
fn with_copies(x: &Array2<f64>) -> Array2<f64> {
    concatenate![Axis(0), x.view(), x.select(Axis(0), &[5; 20])]
}

fn distances(x: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let apart = &x.row(i) - &x.row(j);
        apart.dot(&apart).sqrt()
    })
}

#[test]
fn the_map_is_that_of_the_distinct_rows() {
    let alone = bent_sheet(400);
    let x = with_copies(&alone);
    for method in METHODS {
        let want = map(method, &Data::from(&alone));
        let (fitted, warnings) = fit(method, json!({}), &Data::from(&x));
        let fitted = fitted.unwrap();
        let got = fitted.model().embedding().unwrap().to_owned();
        assert_eq!(got.slice(s![..400, ..]), want, "{method}");
        for copy in 400..420 {
            assert_eq!(got.row(copy), want.row(5), "{method}");
        }
        assert_eq!(warnings, [Warning::RowsRepeated { count: 20 }], "{method}");
        assert_eq!(fitted.diagnostics().value("n_duplicates"), Some(20.0));
        assert_eq!(fitted.diagnostics().value("n_left_out"), Some(0.0));
        // Copies do not crowd out the neighbours of a new row either.
        let new = &alone + 1e-3;
        let model = fit(method, json!({}), &Data::from(&alone)).0.unwrap();
        let (run, new) = (Run::new(), Data::from(&new));
        let placed = fitted.transform(&run, &new).unwrap();
        assert_eq!(placed, model.transform(&run, &new).unwrap(), "{method}");
        assert_eq!(fitted.transform(&run, &Data::from(&x)).unwrap(), got);
    }
}

#[test]
fn distances_and_functions_of_the_caller_are_kept() {
    let alone = bent_sheet(300);
    let x = with_copies(&alone);
    let (few, all) = (distances(&alone), distances(&x));
    let apart = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum() };
    for method in METHODS {
        let want = map(method, &Data::distances(few.view()).unwrap());
        let got = map(method, &Data::distances(all.view()).unwrap());
        assert_eq!(got.slice(s![..300, ..]), want, "{method}");
        assert_eq!(got.row(310), want.row(5), "{method}");
        let want = map(method, &Data::from(&alone).with_distance(&apart));
        let got = map(method, &Data::from(&x).with_distance(&apart));
        assert_eq!(got.slice(s![..300, ..]), want, "{method}");
        assert_ne!(got, map(method, &Data::from(&x)), "{method}");
    }
}

#[test]
fn too_few_distinct_rows_are_refused() {
    let ten = bent_sheet(10);
    let x = concatenate![Axis(0), ten, ten, ten, ten, ten, ten];
    for method in METHODS {
        let error = fit(method, json!({}), &Data::from(&x)).0.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`n_neighbors` must be at most 9, because only 10 of the 60 rows are distinct, got 12"
        );
        let radius = json!({"radius": 0.5, "n_components": 3});
        let three = x.slice(s![..3, ..]);
        let few = concatenate![Axis(0), three, three, three];
        let error = fit(method, radius, &Data::from(&few)).0.unwrap_err();
        assert!(matches!(error, Error::Degenerate { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("only 3 of the 9 rows are distinct"),
            "{error}"
        );
    }
}

#[test]
fn copies_of_rows_left_out_have_no_place() {
    let one = swiss_roll(300, 0.0, 5).unwrap().features;
    let other = swiss_roll(100, 0.0, 6).unwrap().features + 1000.0;
    // Copies first, so that rows of the data and distinct rows have different numbers.
    let x = concatenate![
        Axis(0),
        one.slice(s![..4, ..]),
        one,
        other,
        other.slice(s![..2, ..])
    ];
    for method in METHODS {
        let (fitted, warnings) = fit(method, json!({"disconnected": "largest"}), &Data::from(&x));
        let fitted = fitted.unwrap();
        let got = fitted.model().embedding().unwrap().to_owned();
        for (row, place) in got.rows().into_iter().enumerate() {
            assert_eq!(place[0].is_nan(), row >= 304, "{method}: {row}");
        }
        assert_eq!(got.row(1), got.row(5));
        assert_eq!(fitted.diagnostics().value("n_left_out"), Some(102.0));
        let messages: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert!(
            messages[0].starts_with("6 rows are duplicates"),
            "{messages:?}"
        );
        assert!(
            messages[1].contains("row 304, row 305, row 306"),
            "{messages:?}"
        );
    }
}
