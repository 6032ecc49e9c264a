//! Few rows, equal rows, huge numbers; new rows one by one; an early end.

use std::ops::ControlFlow;
use std::sync::Mutex;

use charta::error::StepUnit;
use charta::methods::pacmap::{NeighborCount, Pacmap};
use charta::{Event, Fit, Model, Observer, Run, Transform, Warning};
use ndarray::{Array2, Axis, s};

use super::{bits, sample};

fn is_a_map(x: &Array2<f64>, what: &str) -> Array2<f64> {
    let model = Pacmap::default()
        .fit(x)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let map = model.embedding().unwrap().to_owned();
    assert_eq!(map.dim(), (x.nrows(), 2), "{what}");
    assert!(map.iter().all(|value| value.is_finite()), "{what}");
    let extent = map
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(extent > 0.0 && extent < 1e4, "{what}: {extent}");
    map
}

#[test]
fn few_rows_give_maps() {
    for n_rows in (2..20).chain([35, 36, 59, 60, 61]) {
        is_a_map(&sample(n_rows, 4), &format!("{n_rows} rows"));
    }
    let alone = Pacmap::default().fit(&sample(1, 4)).unwrap_err();
    assert!(alone.to_string().contains("at least 2 rows"), "{alone}");
}

#[test]
fn fewer_neighbours_are_said() {
    let seen = Mutex::new(Vec::new());
    let listen = |event: Event<'_>| {
        if let Event::Warning(Warning::Adjusted { name, from, to, .. }) = event {
            seen.lock().unwrap().push(format!("{name} {from} {to}"));
        }
        ControlFlow::Continue(())
    };
    let run = Run::new().observer(&listen);
    Pacmap::default().fit_with(&run, &sample(20, 4)).unwrap();
    Pacmap::default().fit_with(&run, &sample(200, 4)).unwrap();
    assert_eq!(*seen.lock().unwrap(), ["n_neighbors 10 5"]);
}

#[test]
fn equal_rows_and_constant_data_give_maps() {
    let base = sample(40, 4);
    let twins = Array2::from_shape_fn((200, 4), |(i, j)| base[[i % 4, j]]);
    let map = is_a_map(&twins, "four rows, fifty times each");
    // Copies of a row stay nearer to each other than to the other rows, on the whole.
    let (mut within, mut between) = (0.0, 0.0);
    for i in 0..200 {
        for j in 0..i {
            let apart = &map.row(i) - &map.row(j);
            let distance = apart.dot(&apart).sqrt();
            if i % 4 == j % 4 {
                within += distance / (4.0 * 49.0 * 25.0);
            } else {
                between += distance / (6.0 * 50.0 * 50.0);
            }
        }
    }
    assert!(within < 0.5 * between, "{within} {between}");
    is_a_map(&Array2::from_elem((50, 3), 7.0), "constant data");
    is_a_map(&Array2::zeros((3, 3)), "three zeros");
}

#[test]
fn the_scale_of_the_data_does_not_matter() {
    // A power of two changes no digit.
    let x = sample(150, 6);
    let map = is_a_map(&x, "as it is");
    for power in [-300, -60, 60, 300] {
        let scaled = is_a_map(&(&x * 2.0_f64.powi(power)), "scaled");
        assert!(map == scaled, "2^{power}");
    }
    is_a_map(&(&x * 1e200), "huge values");
    is_a_map(&(&x * 1e-200), "tiny values");
}

#[test]
fn any_number_of_coordinates_is_found() {
    let x = sample(120, 6);
    for n_components in [1, 3, 4, 9] {
        let model = Pacmap {
            n_components,
            ..Pacmap::default()
        }
        .fit(&x)
        .unwrap();
        let map = model.embedding().unwrap();
        assert_eq!(map.ncols(), n_components);
        for column in map.axis_iter(Axis(1)) {
            assert!(column.std(0.0) > 0.1, "{n_components}");
        }
    }
}

#[test]
fn more_rows_get_more_neighbours_where_that_is_wanted() {
    let auto = Pacmap {
        n_neighbors: NeighborCount::Auto,
        ..Pacmap::default()
    };
    let model = auto.fit(&sample(300, 4)).unwrap();
    assert_eq!(model.diagnostics().value("n_neighbors"), Some(10.0));
}

#[test]
fn new_rows_do_not_know_of_each_other() {
    for n_columns in [6, 130] {
        let x = sample(301, n_columns);
        let known = x.slice(s![..250, ..]);
        let new = x.slice(s![250.., ..]);
        let model = Pacmap::default().fit(known).unwrap();
        let all = model.transform(new).unwrap();
        let some = [40, 3, 17];
        let alone = model.transform(&new.select(Axis(0), &some)).unwrap();
        for (place, row) in some.into_iter().enumerate() {
            assert_eq!(alone.row(place), all.row(row), "{n_columns} columns");
        }
        let again = model.transform(known).unwrap();
        assert_eq!(again, model.embedding().unwrap(), "{n_columns} columns");
    }
}

/// Ends a layout at a step.
struct Content(u64, Mutex<u64>, Mutex<Vec<Warning>>);

impl Observer for Content {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Iterate { step, layout, .. } => {
                assert!(layout.is_some());
                *self.1.lock().unwrap() = step;
            }
            Event::Warning(warning) => self.2.lock().unwrap().push(warning.clone()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn wants_end(&self) -> bool {
        *self.1.lock().unwrap() >= self.0
    }
}

#[test]
fn a_layout_can_be_ended_early() {
    let content = Content(50, Mutex::new(0), Mutex::new(Vec::new()));
    let run = Run::new().observer(&content);
    let x = sample(100, 4);
    let early = Pacmap::default().fit_with(&run, &x).unwrap();
    assert_eq!(early.diagnostics().value("n_iterations"), Some(50.0));
    let warnings = content.2.lock().unwrap();
    assert_eq!(
        *warnings,
        [Warning::EndedEarly {
            step: 50,
            total: 450,
            unit: StepUnit::Iteration
        }]
    );
    assert_ne!(bits(&early), bits(&Pacmap::default().fit(&x).unwrap()));
}
