//! Few rows, equal rows, large and small numbers, threads, and being stopped.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::data::SparseRows;
use charta::error::StepUnit;
use charta::methods::som::Som;
use charta::methods::som::{Cells, Initialization, Learning, Neighborhood};
use charta::{
    Data, Error, Event, Features, Fit, Model, Observer, RowErrors, Run, Transform, Warning,
};
use ndarray::{Array2, Axis};

use super::{built_in, sample};

fn grid(width: usize, height: usize) -> Som {
    Som {
        width: Some(width),
        height: Some(height),
        ..Som::default()
    }
}

fn warnings(som: &Som, x: &Array2<f64>) -> Vec<Warning> {
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(warning) = event {
            seen.lock().unwrap().push(warning.clone());
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    let model = som.fit_with(&run, x).unwrap();
    assert!(
        model
            .embedding()
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
    assert!(model.units().iter().all(|value| value.is_finite()));
    assert!(model.quantization_error().is_finite());
    seen.into_inner().unwrap()
}

#[test]
fn fewer_rows_than_units_are_mapped_and_said() {
    let x = sample(5, 3);
    for learning in [Learning::Batch, Learning::Online] {
        for start in [Initialization::Pca, Initialization::Random] {
            for neighborhood in [Neighborhood::Gaussian, Neighborhood::Bubble] {
                let som = Som {
                    learning,
                    init: start,
                    neighborhood,
                    ..grid(10, 10)
                };
                let found = warnings(&som, &x);
                assert!(
                    matches!(found.as_slice(), [Warning::Doubtful { .. }]),
                    "{found:?}"
                );
            }
        }
    }
    for n_rows in 1..8 {
        assert!(warnings(&Som::default(), &sample(n_rows, 3)).is_empty());
        assert!(warnings(&Som::default(), &sample(n_rows, 1)).is_empty());
    }
    let row = sample(1, 4);
    let model = grid(3, 3).fit(&row).unwrap();
    assert_eq!(model.quantization_error(), 0.0);
    let apart = &model.units().row(0) - &row.row(0);
    assert!(apart.iter().all(|d| d.abs() < 1e-12));
}

#[test]
fn equal_rows_fall_to_one_unit_and_that_is_said() {
    for value in [0.0, 3.5, -1e30] {
        let x = Array2::from_elem((50, 4), value);
        for learning in [Learning::Batch, Learning::Online] {
            let found = warnings(
                &Som {
                    learning,
                    ..grid(4, 3)
                },
                &x,
            );
            assert!(
                matches!(found.as_slice(), [Warning::Doubtful { .. }]),
                "{found:?}"
            );
        }
    }
    let two = sample(2, 4).select(Axis(0), &(0..60).map(|i| i % 2).collect::<Vec<_>>());
    let model = grid(4, 3).fit(&two).unwrap();
    let map = model.embedding().unwrap();
    assert_ne!(map.row(0), map.row(1));
    assert!(
        map.rows()
            .into_iter()
            .enumerate()
            .all(|(row, place)| place == map.row(row % 2))
    );
}

#[test]
fn the_scale_of_the_data_does_not_change_the_map() {
    let x = sample(80, 4);
    for learning in [Learning::Batch, Learning::Online] {
        let som = Som {
            learning,
            n_epochs: 10,
            ..grid(5, 4)
        };
        let want = som.fit(&x).unwrap();
        // Powers of two change no digit.
        for power in [-900, -500, -40, 40, 500, 900] {
            let factor = 2.0_f64.powi(power);
            let found = som.fit(&(&x * factor)).unwrap();
            assert_eq!(found.embedding(), want.embedding(), "{power}");
            let share = found.quantization_error() / factor / want.quantization_error();
            assert!((share - 1.0).abs() < 1e-12, "{power}: {share}");
        }
        let moved = som.fit(&(&x + 1e8)).unwrap();
        let share = moved.quantization_error() / want.quantization_error();
        assert!((share - 1.0).abs() < 1e-3, "{share}");
    }
    // Distances are still numbers there, their squares are none.
    let model = grid(5, 4).fit(&(&x * 1e200)).unwrap();
    let error = model.row_errors(&(&x * 1e200)).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    let huge = Array2::from_shape_fn((20, 2), |(i, j)| {
        if (i + j) % 2 == 0 {
            f64::MAX
        } else {
            -f64::MAX
        }
    });
    let error = Som::default().fit(&huge).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn new_rows_beyond_all_numbers_are_an_error() {
    let x = sample(60, 3);
    let model = Som::default().fit(&x).unwrap();
    let mut far = sample(4, 3);
    far[[2, 1]] = 1e300;
    let error = model.transform(&far).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    far[[2, 1]] = 1e100;
    assert!(
        model
            .transform(&far)
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
}

#[test]
fn grids_that_cannot_be_are_refused() {
    let x = sample(30, 3);
    let hexagonal = Som {
        grid: Cells::Hexagonal,
        toroidal: true,
        ..grid(4, 3)
    };
    let error = hexagonal.fit(&x).unwrap_err();
    assert!(
        matches!(&error, Error::Parameter { name, .. } if name == "height"),
        "{error}"
    );
    assert!(error.to_string().contains("must be even"), "{error}");
    let error = grid(1 << 13, 1 << 13).fit(&x).unwrap_err();
    assert!(matches!(&error, Error::Parameter { .. }), "{error}");
    let run = Run::new().memory_limit(100 << 20);
    let error = grid(4000, 4000).fit_with(&run, &x).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

#[test]
fn the_bits_are_the_same_for_1_2_and_7_threads() {
    for (n_rows, n_columns) in [(17, 3), (701, 5), (1537, 130)] {
        let x = sample(n_rows, n_columns);
        let single = x.mapv(|value| value as f32);
        for learning in [Learning::Batch, Learning::Online] {
            for features in [Features::from(&x), Features::from(&single)] {
                let som = Som {
                    learning,
                    n_epochs: 5,
                    init: Initialization::Random,
                    ..Som::default()
                };
                let outcome = |threads| {
                    let run = Run::new().threads(threads).unwrap();
                    let model = som.fit_with(&run, features.reborrow()).unwrap();
                    let bits: Vec<u64> =
                        model.units().iter().map(|value| value.to_bits()).collect();
                    bits
                };
                let one = outcome(1);
                assert!(
                    one == outcome(2) && one == outcome(7),
                    "{n_rows} rows, {learning:?}"
                );
            }
        }
    }
}

#[test]
fn sparse_rows_mean_the_same_as_dense_ones() {
    let mut x = built_in("digits").slice(ndarray::s![..400, ..]).to_owned();
    x.mapv_inplace(|value| if value < 6.0 { 0.0 } else { value });
    let entries = x.indexed_iter().filter(|(_, value)| **value != 0.0);
    let entries = entries.map(|((i, j), value)| (i, j, *value)).collect();
    let sparse = SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap();
    for learning in [Learning::Batch, Learning::Online] {
        let som = Som {
            learning,
            n_epochs: 8,
            ..grid(7, 6)
        };
        let (a, b) = (som.fit(&x).unwrap(), som.fit(&sparse).unwrap());
        let share = a.quantization_error() / b.quantization_error();
        assert!((share - 1.0).abs() < 1e-6, "{learning:?}: {share}");
        // Each model takes rows of the other kind.
        for model in [&a, &b] {
            let (one, other) = (
                model.transform(&x).unwrap(),
                model.transform(&sparse).unwrap(),
            );
            assert_eq!(one, other);
        }
    }
}

/// Wants the end after some epochs.
struct Content(u64, Mutex<(u64, Vec<Warning>)>);

impl Observer for Content {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        let mut seen = self.1.lock().unwrap();
        match event {
            Event::Iterate { step, loss, layout } => {
                assert!(loss.unwrap() > 0.0);
                assert_eq!(layout.unwrap().dim(), (300, 2));
                seen.0 = step;
            }
            Event::Warning(warning) => seen.1.push(warning.clone()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn wants_end(&self) -> bool {
        self.1.lock().unwrap().0 >= self.0
    }
}

#[test]
fn whoever_watches_can_end_it_early() {
    let x = sample(300, 4);
    for learning in [Learning::Batch, Learning::Online] {
        let observer = Content(7, Mutex::default());
        let run = Run::new().observer(&observer);
        let model = Som {
            learning,
            ..Som::default()
        }
        .fit_with(&run, &x)
        .unwrap();
        let figures = model.diagnostics();
        assert_eq!(figures.value("n_epochs"), Some(7.0));
        assert!(figures.get("interrupted").is_some());
        // The radius of the seventh epoch, not the last of the schedule.
        let (first, last) = (
            figures.value("initial_radius"),
            figures.value("final_radius"),
        );
        assert!(last > Some(0.5) && last < first, "{last:?} of {first:?}");
        let seen = observer.1.into_inner().unwrap();
        assert_eq!(
            seen.1,
            [Warning::EndedEarly {
                step: 7,
                total: 50,
                unit: StepUnit::Epoch
            }]
        );
    }
}

#[test]
fn the_shape_of_the_grid_follows_the_data() {
    let mut x = sample(400, 3);
    x.column_mut(0).mapv_inplace(|value| value * 10.0);
    let model = Som::default().fit(&x).unwrap();
    assert!(model.grid().width() > 2 * model.grid().height());
    assert!((80..=125).contains(&model.grid().n_units()));
    let tall = Som {
        height: Some(20),
        ..Som::default()
    }
    .fit(Data::from(&x))
    .unwrap();
    assert_eq!((tall.grid().width(), tall.grid().height()), (5, 20));
}
