//! Model files that somebody made on purpose: an error, or a model that works; never a panic, and never without end.

mod tree;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use charta::model::More;
use charta::model::file::{pack, unpack};

use super::*;
use tree::{Node, read};

/// Rows of a fit, and of what a forged model is tried with.
const N_ROWS: usize = 40;
const N_NEW: usize = 5;
const N_COLUMNS: usize = 5;
/// Copies of a model in which bytes are changed, whatever they mean.
const COPIES: usize = 200;
/// What its results may take, in bytes.
const MEMORY: u64 = 1 << 28;
/// A forged model must have done all it can by then.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Parameters by which models hold something else than with the defaults.
const VARIANTS: &[(&str, &str)] = &[
    ("classical_mds", r#"{"landmarks": 12}"#),
    ("classical_mds", r#"{"metric": "mahalanobis"}"#),
    ("isomap", r#"{"landmarks": 12}"#),
    ("isomap", r#"{"placement": "interpolation"}"#),
    ("isomap", r#"{"alpha": 0.5}"#),
    ("kernel_pca", r#"{"kernel": "laplacian"}"#),
    ("kernel_pca", r#"{"kernel": "polynomial"}"#),
    ("kernel_pca", r#"{"dictionary": 12}"#),
    (
        "laplacian_eigenmaps",
        r#"{"weights": "heat", "bandwidth": "self_tuned"}"#,
    ),
    ("mds", r#"{"nonmetric": true}"#),
    ("nmf", r#"{"loss": "kullback_leibler"}"#),
    ("pacmap", r#"{"reduced_columns": 3}"#),
    ("pca", r#"{"missing": "em", "whiten": true}"#),
    ("random_projection", r#"{"kind": "sparse"}"#),
    (
        "spectral_clustering",
        r#"{"n_clusters": 3, "unit_rows": true}"#,
    ),
    ("tsne", r#"{"gradient": "grid"}"#),
    ("tsne", r#"{"gradient": "tree"}"#),
    ("umap", r#"{"metric": "mahalanobis"}"#),
    ("umap", r#"{"parametric": true, "n_epochs": 2}"#),
];

/// What a model is fitted to, and new rows of the same kind.
struct Inputs {
    dense: Array2<f64>,
    new: Array2<f64>,
    sparse: SparseRows<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Dense,
    Sparse,
    Distances,
    Kernel,
}

impl Inputs {
    fn of(entry: &Entry) -> Self {
        let dense = sample_for(entry, N_ROWS, N_COLUMNS);
        let new =
            sample_for(entry, N_ROWS + N_NEW, N_COLUMNS).slice_move(ndarray::s![N_ROWS.., ..]);
        Self {
            sparse: sparse(&dense),
            new,
            dense,
        }
    }

    /// The distances of rows to those of the fit, or their kernel.
    fn matrix(&self, rows: &Array2<f64>, given: Given) -> Array2<f64> {
        Array2::from_shape_fn((rows.nrows(), N_ROWS), |(i, j)| {
            let (a, b) = (rows.row(i), self.dense.row(j));
            match given {
                Given::Kernel => a.dot(&b),
                _ => (&a - &b).mapv(|apart| apart * apart).sum().sqrt(),
            }
        })
    }

    /// Does `work` with what a model is fitted to, where the method takes it.
    fn known<T>(&self, entry: &Entry, given: Given, work: impl Fn(&Data<'_>) -> T) -> Option<T> {
        let matrix = self.matrix(&self.dense, given);
        let input = match given {
            Given::Dense => return Some(work(&labelled(entry, &self.dense))),
            Given::Sparse => Input::Sparse,
            Given::Distances => Input::Distances,
            Given::Kernel => Input::Kernel,
        };
        let data = match given {
            Given::Distances => Data::distances(matrix.view()).unwrap(),
            Given::Kernel => Data::kernel(matrix.view()).unwrap(),
            _ => Data::from(self.sparse.view()),
        };
        let data = data.with_labels(labels(N_ROWS)).unwrap();
        entry.info.takes(input).then(|| work(&data))
    }

    /// Does `work` with new rows.
    fn new_rows(&self, given: Given, work: impl Fn(&Data<'_>)) {
        let matrix = self.matrix(&self.new, given);
        match given {
            Given::Dense | Given::Sparse => work(&Data::from(&self.new)),
            Given::Distances => work(&Data::distances_to(matrix.view()).unwrap()),
            Given::Kernel => work(&Data::kernel_to(matrix.view()).unwrap()),
        }
    }
}

/// Everything that a front may do with a loaded model.
fn use_all(fitted: &Fitted, data: &Data<'_>) {
    let run = Run::new().threads(1).unwrap().memory_limit(MEMORY);
    let _ = fitted.diagnostics().to_json().to_string();
    let names = fitted.component_names();
    let _ = fitted.transform(&run, data);
    let _ = fitted.predict(&run, data);
    let _ = fitted.denoise(&run, data);
    let _ = fitted.row_errors(&run, data);
    let _ = fitted.log_likelihoods(&run, data);
    let _ = fitted.sample(&run, 3, 0);
    let places = Array2::from_shape_fn((3, names.len().min(100)), |(i, j)| i as f64 - j as f64);
    let _ = fitted.inverse_transform(&run, &places.view());
    let _ = fitted.continued(&run, &More::iterations(3));
    let model = fitted.model();
    let _ = (model.axes(), model.feature_loadings(), model.marks());
    let _ = (model.pictures(), model.clusters(), fitted.to_bytes());
    if let Some(views) = model.as_views() {
        for view in 0..3 {
            let _ = views.transform_view_in(&run, view, data);
            let _ = views.predict_view_in(&run, view, 1, data);
        }
    }
}

/// What became of a forged model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Refused,
    Used,
    Panicked,
    Endless,
}

fn tried(bytes: Vec<u8>, entry: &'static Entry, given: Given) -> Outcome {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| match Fitted::from_bytes(&bytes) {
            Ok(forged) => {
                Inputs::of(entry).new_rows(given, |data| use_all(&forged, data));
                Outcome::Used
            }
            Err(Error::ModelFile { problem }) => {
                assert!(problem.contains("damaged or was not made"), "{problem}");
                Outcome::Refused
            }
            Err(other) => panic!("{other}"),
        }));
        // Nobody waits any more if it took too long.
        let _ = send.send(outcome.unwrap_or(Outcome::Panicked));
    });
    match receive.recv_timeout(TIME_LIMIT) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => Outcome::Endless,
        Err(RecvTimeoutError::Disconnected) => Outcome::Panicked,
    }
}

/// Puts other values in the place of every value of a model, one at a time; a line for each that the loaded model does not survive.
fn check(entry: &'static Entry, parameters: &Json, given: Given) -> Vec<String> {
    let method = entry.parse(parameters).unwrap();
    let saved = Inputs::of(entry).known(entry, given, |data| {
        let fitted = Fitted::fit(method.as_ref(), &Run::new(), data, None).unwrap();
        fitted.to_bytes().unwrap()
    });
    let Some(bytes) = saved else {
        return Vec::new();
    };
    let (header, body) = unpack(&bytes).unwrap();
    let mut tree = read(&mut &*body);
    let written = |tree: &Node| {
        let mut body = Vec::new();
        tree.write(&mut body);
        pack(&header, &body)
    };
    assert_eq!(tried(written(&tree), entry, given), Outcome::Used);
    let mut failed = Vec::new();
    let (mut n_forged, mut n_refused) = (0, 0);
    for way in tree.ways() {
        for other in tree.at(&way).0.forged() {
            let label: String = format!("{other:?}").chars().take(60).collect();
            let mut forged = tree.clone();
            let (node, names) = forged.at(&way);
            *node = other;
            n_forged += 1;
            match tried(written(&forged), entry, given) {
                Outcome::Refused => n_refused += 1,
                Outcome::Used => {}
                outcome => {
                    let method = entry.info.name;
                    let what = format!("{method} {parameters} {given:?}: {names}");
                    failed.push(format!("{what} {label}: {outcome:?}"));
                }
            }
        }
    }
    eprintln!("{n_refused} of {n_forged} refused");
    assert!(n_refused > 0, "{}", entry.info.name);
    failed
}

#[test]
fn models_forged_field_by_field_are_errors_or_work() {
    let all: Vec<(&'static Entry, Json, Given)> = METHODS
        .iter()
        .map(|entry| (entry, json!({}), Given::Dense))
        .collect();
    survive(&all);
}

#[test]
fn forged_models_of_other_inputs_and_parameters_are_errors_or_work() {
    let mut all = Vec::new();
    for entry in METHODS {
        for given in [Given::Sparse, Given::Distances, Given::Kernel] {
            all.push((entry, json!({}), given));
        }
    }
    for (name, parameters) in VARIANTS {
        let parameters = serde_json::from_str(parameters).unwrap();
        all.push((find(name).unwrap(), parameters, Given::Dense));
    }
    survive(&all);
}

fn survive(all: &[(&'static Entry, Json, Given)]) {
    let mut failed = Vec::new();
    for (entry, parameters, given) in all {
        eprintln!("method {} {parameters} {given:?}", entry.info.name);
        failed.extend(check(entry, parameters, *given));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn bodies_of_other_bytes_are_errors_or_work() {
    for_each(|entry| {
        let inputs = Inputs::of(entry);
        let fitted = fit(entry, &Run::new(), &labelled(entry, &inputs.dense)).unwrap();
        let bytes = fitted.to_bytes().unwrap();
        let (header, body) = unpack(&bytes).unwrap();
        let mut draw = charta::random::stream(5, 0);
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
            let outcome = tried(pack(&header, &body), entry, Given::Dense);
            assert!(
                matches!(outcome, Outcome::Refused | Outcome::Used),
                "{outcome:?}"
            );
        }
    });
}

#[test]
fn headers_that_do_not_fit_their_bodies_are_refused() {
    let entry = find("pca").unwrap();
    let x = sample_for(entry, 40, 5);
    let fitted = fit(entry, &Run::new(), &labelled(entry, &x)).unwrap();
    let bytes = fitted.to_bytes().unwrap();
    let (header, body) = unpack(&bytes).unwrap();
    let scaling = json!({"kind": "z_score", "offset": [0.0, 0.0], "factor": [1.0]});
    for (field, value, named) in [
        ("scaler", scaling, "the scaling"),
        ("column_names", json!(["a", "b"]), "the names of columns"),
        ("parameters", json!({"n_components": -3}), "n_components"),
        ("parameters", json!(null), "parameters"),
        ("source", json!(7), "the source"),
    ] {
        let mut forged = header.clone();
        forged[field] = value;
        let error = Fitted::from_bytes(&pack(&forged, body)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("damaged or was not made by charta"), "{text}");
        assert!(text.contains(named), "{text}");
    }
}
