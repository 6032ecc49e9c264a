use charta::{Data, Event, Fit, Model, Run, methods::isomap::Isomap};
use charta_io::{ReadOptions, read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;
fn main() {
    for (file, repeat) in [("optdigits.npz", 2), ("swiss_roll_5k.npz", 2)] {
        let options = ReadOptions {
            array: Some("X".into()),
            ..ReadOptions::default()
        };
        let table = read(&format!("/work/shared/data/{file}"), &options).unwrap();
        let data = table.data().unwrap();
        let x = data.features("x").unwrap().dense_rows(0, data.n_rows());
        for _ in 0..repeat {
            let t0 = Instant::now();
            let last = Mutex::new((String::new(), Instant::now(), 0u64));
            let listen = |event: Event<'_>| {
                let mut last = last.lock().unwrap();
                match event {
                    Event::Stage { name } => {
                        println!(
                            "   {} {:.3} s ({})",
                            last.0,
                            last.1.elapsed().as_secs_f64(),
                            last.2
                        );
                        *last = (name.to_string(), Instant::now(), 0);
                    }
                    Event::Progress { done, .. } => last.2 = done,
                    Event::Warning(w) => println!("{w}"),
                    _ => {}
                }
                ControlFlow::Continue(())
            };
            let run = Run::new().observer(&listen);
            let model = Isomap::default().fit_with(&run, Data::from(&x)).unwrap();
            let l = last.lock().unwrap();
            println!("   {} {:.3} s", l.0, l.1.elapsed().as_secs_f64());
            println!(
                "{file} {:.3} s, error {:?}, residual {:?}",
                t0.elapsed().as_secs_f64(),
                model.diagnostics().value("reconstruction_error"),
                model.diagnostics().values("residual_variance")
            );
        }
    }
}
