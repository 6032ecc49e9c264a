//! t-SNE: against openTSNE's numbers on digits, the same bits for any number of threads, ends, further steps, odd data.

mod odd;
mod peer;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use charta::data::Neighbors;
use charta::error::StepUnit;
use charta::method::{Fit, Method, Shape};
use charta::methods::tsne::Tsne;
use charta::methods::tsne::TsneModel;
use charta::methods::tsne::{Affinity, Gradient, Initialization};
use charta::model::{Model, More, Transform};
use charta::pipeline::{Fitted, load, save};
use charta::random::{normal, stream};
use charta::run::Observer;
use charta::{Data, Error, Event, Run, Warning};
use ndarray::{Array2, ArrayView2, Axis};
use serde_json::json;

/// Groups of rows.
fn groups(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut draw = stream(3, 0);
    let centres = Array2::from_shape_simple_fn((6, n_columns), || 4.0 * normal(&mut draw));
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        centres[[i % 6, j]] + normal(&mut draw)
    })
}

fn short() -> Tsne {
    Tsne {
        perplexity: 10.0,
        early_iterations: 60,
        iterations: 150,
        ..Tsne::default()
    }
}

fn bits(x: &ArrayView2<'_, f64>) -> Vec<u64> {
    x.iter().map(|value| value.to_bits()).collect()
}

fn finite(model: &TsneModel) {
    assert!(model.embedding().unwrap().iter().all(|v| v.is_finite()));
    assert!(model.kl_divergence().is_finite());
}

/// Keeps the warnings of a run, and ends the layout once it has been shown, if that is wanted.
struct Watch {
    ends: bool,
    shown: AtomicBool,
    warnings: Mutex<Vec<Warning>>,
    losses: Mutex<Vec<f64>>,
}

impl Watch {
    fn new(ends: bool) -> Self {
        Self {
            ends,
            shown: AtomicBool::new(false),
            warnings: Mutex::new(Vec::new()),
            losses: Mutex::new(Vec::new()),
        }
    }
}

impl Observer for Watch {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Warning(warning) => self.warnings.lock().unwrap().push(warning.clone()),
            Event::Iterate { loss, layout, .. } => {
                assert!(layout.unwrap().iter().all(|v| v.is_finite()));
                self.losses.lock().unwrap().push(loss.unwrap());
                self.shown.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn wants_end(&self) -> bool {
        self.ends && self.shown.load(Ordering::Relaxed)
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let all = groups(5003, 7);
    let new = groups(131, 7);
    for (n_components, gradient) in [
        (2, Gradient::Exact),
        (2, Gradient::Tree),
        (2, Gradient::Grid),
        (3, Gradient::Tree),
        (1, Gradient::Tree),
        (5, Gradient::Exact),
    ] {
        let method = Tsne {
            n_components,
            gradient,
            early_iterations: 20,
            iterations: 45,
            ..short()
        };
        let n_rows = if gradient == Gradient::Exact {
            1203
        } else {
            5003
        };
        let x = all.slice(ndarray::s![..n_rows, ..]).to_owned();
        let outcome = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let model = method.fit_with(&run, &x).unwrap();
            let placed = run.install(|| model.transform_in(&run, &Data::from(&new)));
            (
                bits(&model.embedding().unwrap()),
                model.diagnostics().to_json().to_string(),
                bits(&placed.unwrap().view()),
            )
        };
        let one = outcome(1);
        assert!(one == outcome(2), "{gradient:?}: 2 threads differ");
        assert!(one == outcome(7), "{gradient:?}: 7 threads differ");
    }
}

#[test]
fn bits_do_not_depend_on_threads_where_rows_are_sorted() {
    let x = groups(30_011, 3);
    let method = Tsne {
        perplexity: 4.0,
        early_iterations: 40,
        iterations: 80,
        ..Tsne::default()
    };
    let outcome = |threads| {
        let run = Run::new().threads(threads).unwrap();
        let model = method.fit_with(&run, &x).unwrap();
        assert!(
            model
                .diagnostics()
                .to_json()
                .to_string()
                .contains("approximate")
        );
        (
            bits(&model.embedding().unwrap()),
            model.kl_divergence().to_bits(),
        )
    };
    let one = outcome(1);
    assert!(one == outcome(2) && one == outcome(7));
}

#[test]
fn all_gradients_lead_to_maps_as_good() {
    let x = groups(1601, 12);
    let reached = |gradient| {
        let method = Tsne {
            gradient,
            ..Tsne::default()
        };
        method.fit(&x).unwrap().kl_divergence()
    };
    let exact = reached(Gradient::Exact);
    for gradient in [Gradient::Tree, Gradient::Grid] {
        let other = reached(gradient);
        assert!(
            (other - exact).abs() < 0.02 * exact,
            "{gradient:?}: {other} for {exact}"
        );
    }
}

#[test]
fn every_number_of_coordinates_works() {
    let x = groups(400, 9);
    let mut before = f64::INFINITY;
    for n_components in [1, 2, 3, 4, 9] {
        let method = Tsne {
            n_components,
            ..Tsne::default()
        };
        let model = method.fit(&x).unwrap();
        finite(&model);
        assert_eq!(model.embedding().unwrap().ncols(), n_components);
        // More room, less divergence; beyond three there is hardly any left to gain.
        assert!(model.kl_divergence() < before + 0.02, "{n_components}");
        before = model.kl_divergence();
    }
    let method = Tsne {
        n_components: 3,
        gradient: Gradient::Grid,
        ..Tsne::default()
    };
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.starts_with("`gradient` must be"), "{text}");
}

#[test]
fn a_layout_can_be_ended_and_is_told_while_it_moves() {
    let x = groups(500, 5);
    let watch = Watch::new(true);
    let model = Tsne::default()
        .fit_with(&Run::new().observer(&watch), &x)
        .unwrap();
    finite(&model);
    assert_eq!(model.report().n_iterations, 1);
    let warnings = watch.warnings.lock().unwrap();
    assert_eq!(
        *warnings,
        [Warning::EndedEarly {
            step: 1,
            total: 750,
            unit: StepUnit::Iteration
        }]
    );
    let watch = Watch::new(false);
    let model = Tsne::default()
        .fit_with(&Run::new().observer(&watch), &x)
        .unwrap();
    let losses = watch.losses.lock().unwrap();
    assert_eq!(losses.len(), 16);
    let last = losses[losses.len() - 1];
    assert!((last - model.kl_divergence()).abs() < 0.01 * last);
    assert!(losses[0] > 2.0 * last);
}

#[test]
fn a_layout_that_ends_in_the_early_exaggeration_is_warned_of() {
    let x = groups(200, 5);
    let warnings = |method: Tsne| {
        let watch = Watch::new(false);
        method.fit_with(&Run::new().observer(&watch), &x).unwrap();
        watch.warnings.into_inner().unwrap()
    };
    for iterations in [40, 60] {
        let found = warnings(Tsne {
            iterations,
            ..short()
        });
        let [warning] = &found[..] else {
            panic!("{found:?}");
        };
        let text = warning.to_string();
        for part in [
            "early exaggeration",
            &format!("`iterations = {iterations}`"),
            "`early_iterations = 60`",
            "use more `iterations`",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
    let longer = Tsne {
        iterations: 61,
        ..short()
    };
    let alike = Tsne {
        iterations: 40,
        early_exaggeration: 1.0,
        ..short()
    };
    let none = Tsne {
        iterations: 0,
        ..short()
    };
    for method in [longer, alike, none] {
        assert_eq!(warnings(method), []);
    }
}

#[test]
fn a_saved_model_takes_further_steps() {
    let x = groups(700, 8);
    let run = Run::new();
    let entry = charta::methods::find("tsne").unwrap();
    let parameters = json!({"iterations": 300});
    let fitted = entry
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &Data::from(&x), None))
        .unwrap();
    let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    let further = loaded.continued(&run, &More::iterations(300)).unwrap();
    let value = |fitted: &Fitted, name: &str| fitted.diagnostics().value(name).unwrap();
    assert_eq!(value(&further, "n_iterations"), 600.0);
    let (before, after) = (
        value(&fitted, "kl_divergence"),
        value(&further, "kl_divergence"),
    );
    assert!(after < 0.99 * before, "{after} after {before}");
    let whole = entry
        .parse(&json!({"iterations": 600}))
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &Data::from(&x), None));
    let whole = value(&whole.unwrap(), "kl_divergence");
    assert!((after - whole).abs() < 0.02 * whole, "{after} for {whole}");
    let again = Fitted::from_bytes(&further.to_bytes().unwrap()).unwrap();
    assert_eq!(again.diagnostics(), further.diagnostics());
    let compact = More {
        iterations: 100,
        exaggeration: Some(4.0),
    };
    let compact = further.continued(&run, &compact).unwrap();
    let size = |fitted: &Fitted| {
        let map = fitted.model().embedding().unwrap().to_owned();
        map.mapv(|v| v * v).sum()
    };
    assert!(size(&compact) < size(&further));
    let pca = charta::methods::find("pca").unwrap();
    let pca = pca
        .parse(&json!({}))
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &Data::from(&x), None))
        .unwrap();
    let refused = pca.continued(&run, &More::iterations(1));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    let distances = Array2::from_shape_fn((60, 60), |(i, j)| (i as f64 - j as f64).abs());
    let data = Data::distances(distances.view()).unwrap();
    let model = short().fit(data).unwrap();
    let refused = model.continued(&run, &More::iterations(1));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}

#[test]
fn new_rows_are_placed_one_by_one() {
    let x = groups(1000, 6);
    let new = groups(1200, 6).slice_move(ndarray::s![1000.., ..]);
    for gradient in [Gradient::Exact, Gradient::Tree, Gradient::Grid] {
        let model = Tsne {
            gradient,
            ..short()
        }
        .fit(&x)
        .unwrap();
        let all = model.transform(&new).unwrap();
        assert!(all.iter().all(|v| v.is_finite()));
        let some = new.select(Axis(0), &[5, 77, 3]);
        let placed = model.transform(&some).unwrap();
        for (row, place) in [5, 77, 3].into_iter().zip(placed.rows()) {
            // A search for few rows may round the last digit of a distance otherwise.
            for (a, b) in all.row(row).iter().zip(place) {
                assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{gradient:?}");
            }
        }
        let known = model.transform(&x).unwrap();
        assert_eq!(known, model.embedding().unwrap());
        // Rows of a group come to lie among the group, but for a few between two.
        let embedding = model.embedding().unwrap();
        let mut astray = 0;
        for (row, place) in all.rows().into_iter().enumerate() {
            let away = |other: usize| {
                let apart = &embedding.row(other) - &place;
                apart.dot(&apart)
            };
            let nearest = (0..1000)
                .min_by(|&a, &b| away(a).total_cmp(&away(b)))
                .unwrap();
            astray += usize::from(nearest % 6 != (1000 + row) % 6);
        }
        assert!(astray <= 6, "{gradient:?}: {astray} of 200");
    }
    let (method, model) = (short(), short().fit(&x).unwrap());
    let bytes = save(&method, &model).unwrap();
    assert_eq!(load::<Tsne>(&bytes).unwrap(), (method, model));
}

#[test]
fn a_million_rows_fit_into_six_gibibytes_by_the_plan() {
    let shape = Shape::dense(1_000_000, 50, charta::data::Precision::Single);
    let plan = Tsne::default().plan(&shape).unwrap();
    let bytes = plan.bytes() + shape.bytes();
    assert!(
        bytes < 6 << 30,
        "{:.2} GiB: {:?}",
        bytes as f64 / f64::from(1 << 30),
        plan.memory
    );
    assert!(bytes > 2 << 30);
}
