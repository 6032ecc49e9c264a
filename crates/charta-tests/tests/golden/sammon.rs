//! Sammon's map against the minimum that scipy finds, and against R's printed figure.

use super::scaling::{between, distances_of, not_above, pairs, rows_of};
use crate::support::{close, golden, number};
use charta::methods::sammon::Sammon;
use charta::{Data, Fit, Model};

#[test]
fn sammons_stress_is_not_above_the_converged_references() {
    for name in ["eurodist", "swiss", "iris", "digits"] {
        let reference = golden(&format!("sammon_{name}.json"));
        let rows = rows_of(name);
        let data = match name {
            "eurodist" => Data::distances(rows.view()).unwrap(),
            _ => Data::from(&rows),
        };
        let model = Sammon::default().fit(data).unwrap();
        let wanted = pairs(&distances_of(name, &reference));
        let found = pairs(&between(&model.embedding().unwrap()));
        let ours = sammons_stress(&wanted, &found);
        let theirs = number(&reference["classical"]["stress"]);
        not_above(name, ours, theirs, 1e-3);
        let reported = model.diagnostics().value("stress").unwrap();
        close("reported", reported, ours, 1e-9);
        if name == "eurodist" {
            // Printed with five decimals.
            let printed = number(&reference["by_r"]["stress_after_20"]);
            assert!(ours < printed + 5e-6, "R's figure: {ours}");
        }
    }
}

fn sammons_stress(wanted: &[f64], found: &[f64]) -> f64 {
    let misfit: f64 = (wanted.iter().zip(found))
        .map(|(a, b)| (a - b) * (a - b) / a)
        .sum();
    misfit / wanted.iter().sum::<f64>()
}
