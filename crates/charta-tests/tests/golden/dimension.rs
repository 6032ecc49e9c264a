//! Intrinsic dimension against scikit-dimension.

use charta::dimension::{
    Likelihood, Scree, ScreeOptions, correlation_dimension, fukunaga_olsen, local_principal,
    maximum_likelihood, participation_ratio, two_nn,
};
use charta::neighbors::{Search, nearest};
use charta::{Data, Run};
use charta_io::{ReadOptions, read};
use ndarray::Array2;
use serde_json::Value as Json;

use crate::support::{
    check_same_data, close, dense, golden, indices, matrix, number, outside_data, vector,
};

fn rows(name: &str) -> Array2<f64> {
    let (file, count) = match name {
        "digits" => return dense("digits"),
        "fashion_5k" => ("fashion_mnist.npz", 5000),
        "swiss_roll_5k" => ("swiss_roll_5k.npz", 5000),
        _ => return matrix(&golden(&format!("points_{name}.json"))["points"]),
    };
    let options = ReadOptions {
        array: Some("X".into()),
        ..ReadOptions::default()
    };
    let table = read(outside_data(file).to_str().unwrap(), &options).unwrap();
    let data = table.data().unwrap();
    data.features("dimension").unwrap().dense_rows(0, count)
}

fn check(name: &str) {
    let x = rows(name);
    let reference = golden(&format!("intrinsic_dimension_{name}.json"));
    check_same_data(&x, &reference);
    let (run, data, search) = (Run::new(), Data::from(&x), Search::default());
    let found = nearest(&run, &data, &search, 50).unwrap();
    let table = &found.neighbors;
    let points = indices(&reference["points"]);
    for record in records(&reference["maximum_likelihood"]) {
        let k = number(&record["n_neighbors"]) as usize;
        for (corrected, key) in [(true, "harmonic_mean"), (false, "mean")] {
            let likelihood = Likelihood {
                first: k,
                last: k,
                corrected,
            };
            let (overall, each) = maximum_likelihood(table, &likelihood).unwrap();
            close(
                &format!("{name}, {key} of {k}"),
                overall,
                number(&record[key]),
                1e-9,
            );
            let each = each.unwrap();
            for (&point, theirs) in points.iter().zip(vector(&record["of_points"])) {
                close("at a point", each[point], theirs, 1e-9);
            }
        }
    }
    for record in records(&reference["two_nn"])
        .iter()
        .filter(|record| !record["linear"].is_null())
    {
        let (overall, _) = two_nn(table, number(&record["discard_fraction"])).unwrap();
        close(
            &format!("{name}, TwoNN"),
            overall,
            number(&record["linear"]),
            1e-9,
        );
    }
    for record in records(&reference["correlation"]) {
        let counts = ["k1", "k2"].map(|key| number(&record[key]) as usize);
        let overall = correlation_dimension(&run, &data, &search, table, counts).unwrap();
        // The package sees a pair at the radius itself on one side or the other; its formula in numpy does not.
        let what = format!("{name}, correlation");
        close(&what, overall, number(&record["own_dimension"]), 1e-9);
        close(&what, overall, number(&record["dimension"]), 1e-3);
    }
    principal(name, &x, &reference);
    if let Some(record) = reference["local_principal_components"].get(0) {
        let (each, mean) =
            local_principal(&run, data.features("dimension").unwrap(), table, 50).unwrap();
        close(
            &format!("{name}, local"),
            mean,
            number(&record["mean"]),
            1e-9,
        );
        for (&point, theirs) in points.iter().zip(vector(&record["of_points"])) {
            assert_eq!(each[point], theirs);
        }
    }
}

fn records(json: &Json) -> &[Json] {
    json.as_array().unwrap()
}

fn principal(name: &str, x: &Array2<f64>, reference: &Json) {
    if name == "fashion_5k" {
        // The random data of the scree's parallel rule takes long with 784 columns.
        return;
    }
    let scree = Scree::of(&Run::new(), &Data::from(x), &ScreeOptions::default()).unwrap();
    let variances = scree.variances.to_vec();
    let theirs = &reference["principal_components"];
    assert_eq!(
        fukunaga_olsen(&variances) as f64,
        number(&theirs["FO"]),
        "{name}"
    );
    close(
        name,
        participation_ratio(&variances),
        number(&theirs["participation_ratio"]),
        1e-9,
    );
}

#[test]
fn estimates_of_the_clouds_are_those_of_the_reference() {
    for name in ["swiss_roll", "s_curve", "severed_sphere"] {
        check(name);
    }
}

#[test]
fn estimates_of_digits_are_those_of_the_reference() {
    check("digits");
}

#[test]
#[ignore = "needs data outside the project: swiss_roll_5k.npz"]
fn estimates_of_5000_points_are_those_of_the_reference() {
    check("swiss_roll_5k");
}

#[test]
#[ignore = "needs data outside the project: fashion_mnist.npz"]
fn estimates_of_5000_images_are_those_of_the_reference() {
    check("fashion_5k");
}
