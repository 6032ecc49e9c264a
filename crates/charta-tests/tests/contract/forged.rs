//! Model files that somebody made on purpose: an error, or a model that works, and never a panic.

use charta::method::Family;
use charta::model::file::{pack, unpack};

use super::*;

/// Changed copies of every body.
const COPIES: usize = 400;

/// Everything that a front may do with a loaded model.
fn use_all(fitted: &Fitted, new: &Array2<f64>) {
    let run = Run::new().threads(1).unwrap();
    let data = Data::from(new);
    let _ = fitted.diagnostics().to_json();
    let _ = fitted.component_names();
    let _ = fitted.transform(&run, &data);
    let _ = fitted.predict(&run, &data);
    let _ = fitted.denoise(&run, &data);
    let _ = fitted.row_errors(&run, &data);
    let _ = fitted.log_likelihoods(&run, &data);
    let model = fitted.model();
    let _ = (model.axes(), model.feature_loadings(), model.marks());
    if let Some(views) = model.as_views() {
        for view in 0..3 {
            let _ = views.transform_view_in(&run, view, &data);
            let _ = views.predict_view_in(&run, view, 1, &data);
        }
    }
}

#[test]
fn bodies_changed_on_purpose_are_errors_or_work() {
    let names = ["nmf"];
    for entry in METHODS {
        if entry.info.family != Family::Linear || names.contains(&entry.info.name) {
            continue;
        }
        eprintln!("method {}", entry.info.name);
        let x = sample_for(entry, 40, 5);
        let new = sample_for(entry, 6, 5);
        let fitted = fit(entry, &Run::new(), &labelled(entry, &x)).unwrap();
        let bytes = fitted.to_bytes().unwrap();
        let (header, body) = unpack(&bytes).unwrap();
        let mut draw = charta::random::stream(5, 0);
        let mut n_refused = 0;
        for copy in 0..COPIES {
            let mut body = body.to_vec();
            for _ in 0..1 + copy % 3 {
                let place = charta::random::below(&mut draw, body.len());
                // Small numbers are sizes that nearly fit; the others may be anything.
                body[place] = match copy % 2 {
                    0 => charta::random::below(&mut draw, 8) as u8,
                    _ => charta::random::below(&mut draw, 256) as u8,
                };
            }
            match Fitted::from_bytes(&pack(&header, &body)) {
                Ok(forged) => use_all(&forged, &new),
                Err(error) => {
                    n_refused += 1;
                    assert!(matches!(error, Error::ModelFile { .. }), "{error}");
                }
            }
        }
        assert!(n_refused > 0, "{}", entry.info.name);
    }
}

#[test]
fn a_scaling_of_other_columns_is_refused() {
    let entry = find("pca").unwrap();
    let x = sample_for(entry, 40, 5);
    let fitted = fit(entry, &Run::new(), &labelled(entry, &x)).unwrap();
    let bytes = fitted.to_bytes().unwrap();
    let (mut header, body) = unpack(&bytes).unwrap();
    header["scaler"] = json!({"kind": "z_score", "offset": [0.0, 0.0], "factor": [1.0]});
    let error = Fitted::from_bytes(&pack(&header, body)).unwrap_err();
    assert!(error.to_string().contains("scaling"), "{error}");
}
