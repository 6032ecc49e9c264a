//! Rows held out: learned maps place them about as well as free layouts do.

use charta::methods::parametric_sammon::ParametricSammon;
use charta::methods::sammon::Sammon;
use charta::methods::umap::Umap;
use charta::{Data, Error, Fit, Labels, Model, Run, Transform};
use ndarray::{Array2, ArrayView2, Axis};

use super::{digits, table};

/// The fraction of new rows whose class is that of most of their 10 nearest known ones; the nearest decides between equals.
fn accuracy(
    known: &ArrayView2<'_, f64>,
    known_labels: &[String],
    new: &ArrayView2<'_, f64>,
    new_labels: &[String],
) -> f64 {
    const NEAREST: usize = 10;
    let hits = new
        .rows()
        .into_iter()
        .zip(new_labels)
        .filter(|(row, label)| {
            let mut order: Vec<(f64, usize)> = (known.rows().into_iter().enumerate())
                .map(|(place, other)| {
                    let pairs = row.iter().zip(other);
                    (pairs.map(|(a, b)| (a - b).powi(2)).sum(), place)
                })
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let near = || order[..NEAREST].iter().map(|(_, i)| &known_labels[*i]);
            let votes = |label: &String| near().filter(|other| *other == label).count();
            // The last of equal maxima is taken, so the nearest comes last.
            let nearest: Vec<&String> = near().collect();
            let best = nearest.into_iter().rev().max_by_key(|label| votes(label));
            best == Some(label)
        });
    hits.count() as f64 / new.nrows() as f64
}

/// Every third row is new; of the digits, in an order that mixes their writers.
struct Split {
    known: Array2<f64>,
    new: Array2<f64>,
    known_labels: Vec<String>,
    new_labels: Vec<String>,
}

impl Split {
    fn of_digits(seed: u64) -> Self {
        let (x, table) = (digits(), table());
        let data = table.data().unwrap();
        let mut order = charta::random::permutation(&mut charta::random::stream(seed, 9), 1797);
        let new = order.split_off(1200);
        let labels = |rows: &[usize]| -> Vec<String> {
            rows.iter()
                .map(|&row| data.labels().unwrap().text(row))
                .collect()
        };
        Self {
            known: x.select(Axis(0), &order),
            new: x.select(Axis(0), &new),
            known_labels: labels(&order),
            new_labels: labels(&new),
        }
    }

    /// The accuracy of held-out rows in the map of a model.
    fn accuracy(&self, model: &impl Model) -> f64 {
        let placed = model
            .transform_in(&Run::new(), &Data::from(&self.new))
            .unwrap();
        accuracy(
            &model.embedding().unwrap(),
            &self.known_labels,
            &placed.view(),
            &self.new_labels,
        )
    }
}

fn parametric() -> Umap {
    let mut method = Umap::default();
    method.network.parametric = true;
    method
}

#[test]
fn parametric_umap_places_held_out_digits_nearly_as_well_as_umap() {
    let split = Split::of_digits(1);
    let free = Umap::default().fit(&split.known).unwrap();
    let learned = parametric().fit(&split.known).unwrap();
    let (by_layout, by_network) = (split.accuracy(&free), split.accuracy(&learned));
    let report = learned.diagnostics();
    eprintln!(
        "held-out digits: UMAP {by_layout:.4}, parametric {by_network:.4}; losses {:?} and {:?}",
        free.diagnostics().value("loss"),
        report.value("loss")
    );
    let losses = report.values("training_loss").unwrap();
    assert!(losses[losses.len() - 1] < losses[0]);
    assert!(
        by_network >= by_layout - 0.03,
        "{by_network} beside {by_layout}"
    );
}

#[test]
fn parametric_sammon_places_held_out_digits_nearly_as_well_as_sammon() {
    let split = Split::of_digits(1);
    let free = Sammon::default().fit(&split.known).unwrap();
    let learned = ParametricSammon::default().fit(&split.known).unwrap();
    let (by_layout, by_network) = (split.accuracy(&free), split.accuracy(&learned));
    eprintln!("held-out digits: Sammon {by_layout:.4}, parametric {by_network:.4}");
    assert!(
        by_network >= by_layout - 0.03,
        "{by_network} beside {by_layout}"
    );
}

fn quick() -> Umap {
    let mut method = parametric();
    method.network.hidden = vec![32];
    method.network.training_epochs = Some(10);
    method
}

#[test]
fn a_parametric_map_is_the_same_for_any_threads_saved_and_for_old_rows() {
    let x = digits().slice_move(ndarray::s![..400, ..]);
    let single = x.mapv(|value| value as f32);
    let fit = |threads| quick().fit_with(&Run::new().threads(threads).unwrap(), &single);
    let one = fit(1).unwrap();
    assert!(one == fit(2).unwrap() && one == fit(7).unwrap());
    let placed = one.transform(&single).unwrap();
    assert_eq!(placed, one.embedding().unwrap());
    let bytes = charta::model::ErasedModel::body(&one).unwrap();
    assert!(!bytes.is_empty());
    let back = charta::InverseTransform::inverse_transform(&one, &placed.view()).unwrap();
    assert_eq!(back.dim(), (400, 64));
}

#[test]
fn labels_take_part_and_what_makes_no_sense_is_said() {
    let x = digits().slice_move(ndarray::s![..300, ..]);
    let words: Vec<String> = (0..300).map(|i| format!("{}", i % 2)).collect();
    let data = Data::from(&x)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let method = Umap {
        supervised: true,
        ..quick()
    };
    assert!(method.fit(data).is_ok());
    let method = Umap {
        densmap: true,
        ..quick()
    };
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.starts_with("`densmap` must be"), "{text}");
    let apart = Array2::from_shape_fn((40, 40), |(i, j)| (i as f64 - j as f64).abs());
    let outcome = quick().fit(Data::distances(apart.view()).unwrap());
    assert!(matches!(outcome, Err(Error::Unsupported { .. })));
    let mut method = quick();
    method.network.training_rate = 1e60;
    let text = method.fit(&x).unwrap_err().to_string();
    assert!(text.contains("training_rate"), "{text}");
    let few = x.slice(ndarray::s![..5, ..]).to_owned();
    assert!(quick().fit(&few).is_ok());
}
