//! What graph methods say: of maps that mean nothing, and of wishes that cannot be granted.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::synthetic::{s_curve, swiss_roll};
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::{Data, Error, Event, Result, Run};
use charta_io::{ReadOptions, read};
use ndarray::{Array2, Axis, array, concatenate};
use serde_json::{Value as Json, json};

const LOCAL: [&str; 4] = ["lle", "modified_lle", "hessian_lle", "ltsa"];
const ALL: [&str; 9] = [
    "isomap",
    "laplacian_eigenmaps",
    "diffusion_maps",
    "lle",
    "modified_lle",
    "hessian_lle",
    "ltsa",
    "lpp",
    "npe",
];

fn fit(method: &str, parameters: Json, x: &Array2<f64>) -> (Result<Fitted>, Vec<String>) {
    let warnings = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            warnings.lock().unwrap().push(warning.to_string());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let outcome = find(method)
        .unwrap()
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &Data::from(x), None));
    (outcome, warnings.into_inner().unwrap())
}

fn refusal(method: &str, parameters: Json, x: &Array2<f64>) -> String {
    fit(method, parameters, x).0.unwrap_err().to_string()
}

fn table(name: &str) -> Array2<f64> {
    let table = read(name, &ReadOptions::default()).unwrap();
    let data = table.data().unwrap();
    data.features("test").unwrap().dense_rows(0, data.n_rows())
}

fn degenerate(warnings: &[String]) -> bool {
    warnings
        .iter()
        .any(|message| message.starts_with("the map: ") && message.contains("larger radius"))
}

#[test]
fn a_map_that_few_rows_hold_is_doubtful_and_others_are_not() {
    let (fitted, warnings) = fit("ltsa", json!({"radius": 0.5}), &table("iris"));
    assert!(degenerate(&warnings), "{warnings:?}");
    // Indeed most rows are at one point.
    let fitted = fitted.unwrap();
    let map = fitted.model().embedding().unwrap();
    let column = map.column(0);
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    let size = sorted[149] - sorted[0];
    assert!(sorted[120] - sorted[30] < 0.1 * size);
    let tables = [
        swiss_roll(1000, 0.0, 0).unwrap().features,
        s_curve(1000, 0.05, 0).unwrap().features,
        table("digits"),
    ];
    for method in LOCAL {
        for x in &tables {
            let (fitted, warnings) = fit(method, json!({}), x);
            assert!(fitted.is_ok());
            assert!(!degenerate(&warnings), "{method}: {warnings:?}");
        }
    }
}

#[test]
fn one_row_is_too_few() {
    for method in ALL {
        let error = fit(method, json!({}), &array![[1.0, 2.0, 3.0]])
            .0
            .unwrap_err();
        assert!(
            matches!(
                error,
                Error::TooFewRows {
                    needed: 2,
                    given: 1,
                    ..
                }
            ),
            "{method}: {error}"
        );
    }
}

fn two_rolls() -> Array2<f64> {
    let one = swiss_roll(150, 0.0, 1).unwrap().features;
    let other = &one + 500.0;
    concatenate![Axis(0), one, other]
}

#[test]
fn parts_come_with_the_remedy_that_fits() {
    let x = two_rolls();
    for method in ALL.into_iter().take(7) {
        for (parameters, remedy) in [
            (
                json!({"n_neighbors": 20}),
                "; more neighbours may connect the graph",
            ),
            (
                json!({"radius": 30.0}),
                "; a larger `radius` may connect the graph",
            ),
            (
                json!({"n_neighbors": 20, "mutual": true}),
                "; `mutual = false` may connect the graph",
            ),
        ] {
            let message = fit(method, parameters, &x).1;
            assert!(
                message.iter().any(|message| message.contains(remedy)),
                "{method}: {message:?}"
            );
        }
    }
    for method in ["lpp", "npe"] {
        let message = fit(method, json!({}), &x).1;
        assert!(
            message.iter().any(|message| message.starts_with(
                "the neighbour graph: it has 2 connected components; a linear map needs no edges"
            )),
            "{method}: {message:?}"
        );
    }
}

#[test]
fn lonely_rows_are_counted_in_plain_words() {
    let mut x = swiss_roll(150, 0.0, 1).unwrap().features;
    x.row_mut(0).mapv_inplace(|value| value + 200.0);
    let message = fit("npe", json!({"radius": 12.0}), &x).1;
    let wanted = "neighbourhoods: 1 row had no neighbour; the nearest is used instead; a larger `radius` would avoid this";
    assert!(
        message.iter().any(|message| message == wanted),
        "{message:?}"
    );
}

#[test]
fn a_largest_part_that_is_too_small_is_named() {
    let x = Array2::from_shape_fn((30, 3), |(i, j)| (i * i + i * (1 + j)) as f64);
    let mut x = concatenate![Axis(0), x, Array2::from_elem((1, 3), -5.0)];
    let near = &x.row(0) + 0.001;
    x.row_mut(1).assign(&near);
    let parameters = json!({"radius": 0.01, "disconnected": "largest"});
    for method in ["isomap", "laplacian_eigenmaps", "diffusion_maps", "lpp"] {
        assert_eq!(
            refusal(method, parameters.clone(), &x),
            "the largest connected component of the neighbour graph has only 2 rows, too few for 2 components: \
             increase the radius or the number of neighbours",
            "{method}"
        );
    }
}

#[test]
fn inner_products_make_no_graph() {
    let x = swiss_roll(60, 0.0, 1).unwrap().features;
    for method in ALL {
        let message = refusal(method, json!({"metric": "inner_product"}), &x);
        assert!(
            message.starts_with("`metric` must be `euclidean`, `manhattan`")
                && message.ends_with("or `tangent`, got inner_product"),
            "{method}: {message}"
        );
    }
}

#[test]
fn images_without_a_width_must_be_square() {
    let x = Array2::from_shape_fn((40, 12), |(i, j)| ((i * 12 + j) as f64).sin());
    let message = refusal("isomap", json!({"metric": "tangent"}), &x);
    assert!(
        message.starts_with("`image_width` must be given and divide the 12 columns"),
        "{message}"
    );
    let given = json!({"metric": "tangent", "image_width": 4});
    assert!(fit("isomap", given, &x).0.is_ok());
}
