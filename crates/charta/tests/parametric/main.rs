//! Parametric Sammon mapping on the digits: stress against PCA and each other, rows held out, edges.

use charta::data::OwnedFeatures;
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::{Data, Run};
use charta_io::{Content, ReadOptions, read};
use ndarray::Array2;

fn digits() -> Array2<f64> {
    let Content::Features(OwnedFeatures::F64(x)) =
        read("digits", &ReadOptions::default()).unwrap().content
    else {
        panic!("digits are in double precision");
    };
    x
}

#[test]
fn explore() {
    let Ok(text) = std::env::var("SAMMON") else {
        return;
    };
    let x = digits();
    let train = x.slice(ndarray::s![..1200, ..]).to_owned();
    let test = x.slice(ndarray::s![1200.., ..]).to_owned();
    for text in text.split(';') {
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let clock = std::time::Instant::now();
        let fitted = Fitted::fit(
            find("parametric_sammon").unwrap(),
            &json,
            &Run::new(),
            &Data::from(&x),
            None,
        )
        .unwrap();
        let time = clock.elapsed().as_secs_f64();
        let d = fitted.diagnostics();
        let half = Fitted::fit(
            find("parametric_sammon").unwrap(),
            &json,
            &Run::new(),
            &Data::from(&train),
            None,
        )
        .unwrap();
        let z = half.transform(&Run::new(), &Data::from(&test)).unwrap();
        println!(
            "{text}: first {:.5} stress {:.5} in {time:.2} s; train {:.5} test {:.5}",
            d.value("first_stress").unwrap(),
            d.value("stress").unwrap(),
            half.diagnostics().value("stress").unwrap(),
            stress(&test, &z)
        );
    }
}

fn apart(x: &Array2<f64>, i: usize, j: usize) -> f64 {
    x.row(i)
        .iter()
        .zip(x.row(j))
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}

/// Sammon's stress by its definition.
fn stress(x: &Array2<f64>, z: &Array2<f64>) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for i in 0..x.nrows() {
        for j in 0..i {
            let wanted = apart(x, i, j);
            if wanted > 0.0 {
                above += (wanted - apart(z, i, j)).powi(2) / wanted;
                below += wanted;
            }
        }
    }
    above / below
}
