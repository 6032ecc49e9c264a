//! Data sets made on demand: `swiss-roll`, `swiss-roll:5000`, `swiss-roll:5000,noise=0.1,seed=3`.

use charta::Labels;
use charta::data::synthetic::{self, Bars, Blobs, Circles, Sample};
use charta::data::{OwnedFeatures, Precision};

use crate::arrange::arranged;
use crate::catalogue::find;
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::suggest::nearest;
use crate::table::{ImageShape, Table};

/// Options of a generated data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameters {
    pub(crate) n: usize,
    noise: Option<f64>,
    seed: u64,
    centers: usize,
    columns: usize,
    factor: f64,
    side: Option<usize>,
}

/// Pixels along a side of the images of faces and heads.
const FACE_SIDE: usize = 32;

/// Parameters that only the set of this name has.
pub(crate) fn own_parameters(name: &str) -> &'static [&'static str] {
    match name {
        "blobs" => &["centers", "columns"],
        "circles" => &["factor"],
        "bars" | "moved-face" | "head" => &["side"],
        _ => &[],
    }
}

impl Parameters {
    /// Reads what stands behind the colon; what is not said there comes from the options.
    pub(crate) fn parse(name: &str, text: Option<&str>, options: &ReadOptions) -> Result<Self> {
        let blobs = Blobs::default();
        let mut parameters = Self {
            n: options
                .n
                .unwrap_or_else(|| find(name).map_or(1000, |set| set.rows)),
            noise: options.noise,
            seed: options.seed.unwrap_or(0),
            centers: blobs.centers,
            columns: blobs.columns,
            factor: Circles::default().factor,
            side: None,
        };
        for part in text
            .unwrap_or("")
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (key, value) = part.split_once('=').unwrap_or(("n", part));
            parameters.set(name, key.trim(), value.trim())?;
        }
        Ok(parameters)
    }

    fn set(&mut self, name: &str, key: &str, value: &str) -> Result<()> {
        let whole = || {
            value
                .replace('_', "")
                .parse::<usize>()
                .map_err(|_| Error::option(key, "must be a whole number", format!("{value:?}")))
        };
        let number = || {
            value
                .parse::<f64>()
                .map_err(|_| Error::option(key, "must be a number", format!("{value:?}")))
        };
        match key {
            "n" => self.n = whole()?,
            "seed" => self.seed = whole()? as u64,
            "noise" => self.noise = Some(number()?),
            key if !own_parameters(name).contains(&key) => return Err(unknown(name, key)),
            "centers" => self.centers = whole()?,
            "columns" => self.columns = whole()?,
            "factor" => self.factor = number()?,
            _ => self.side = Some(whole()?),
        }
        Ok(())
    }
}

fn unknown(name: &str, key: &str) -> Error {
    let mut known = vec!["n", "noise", "seed"];
    known.extend(own_parameters(name));
    Error::Column {
        file: name.into(),
        problem: format!("no parameter {key:?}, there are {}", known.join(", ")),
        suggestions: nearest(key, known.into_iter(), 1)
            .into_iter()
            .map(String::from)
            .collect(),
    }
}

/// Makes the data set called `name`.
pub(crate) fn make(
    name: &'static str,
    parameters: &Parameters,
    options: &ReadOptions,
) -> Result<Table> {
    let sample = sample(name, parameters).map_err(|error| Error::data(name, error))?;
    let features: OwnedFeatures = match options.precision {
        Some(Precision::Single) => sample.features.mapv(|value| value as f32).into(),
        _ => sample.features.into(),
    };
    let mut table = Table::new(name, features);
    table.column_names = Some(sample.column_names);
    let chosen = sample
        .known
        .into_iter()
        .find(|(title, _)| options.label.as_deref() == Some(*title));
    table.labels = Some(match chosen {
        Some((title, values)) => (title.into(), Labels::numbers(values)),
        None => (sample.label_title.into(), sample.labels),
    });
    table.image = sample.image.map(|(height, width)| ImageShape {
        height,
        width,
        channels: 1,
    });
    arranged(table, options)
}

/// Columns of the data set called `name` that the options leave: they do not depend on the rows.
pub(crate) fn n_columns(
    name: &'static str,
    parameters: &Parameters,
    options: &ReadOptions,
) -> Result<usize> {
    const ENOUGH_ROWS: usize = 100;
    let few = Parameters {
        n: parameters.n.min(ENOUGH_ROWS),
        ..parameters.clone()
    };
    Ok(make(name, &few, options)?.n_columns())
}

impl Parameters {
    /// Columns of the data set called `name`; `None` for as many as its entry says.
    pub(crate) fn columns_of(&self, name: &str) -> Option<usize> {
        match name {
            "blobs" => Some(self.columns),
            _ => self.side.map(|side| side.saturating_mul(side)),
        }
    }
}

fn sample(name: &str, parameters: &Parameters) -> charta::Result<Sample> {
    let Parameters {
        n,
        noise,
        seed,
        centers,
        columns,
        factor,
        side,
    } = *parameters;
    let noise_or = |default: f64| noise.unwrap_or(default);
    match name {
        "swiss-roll" => synthetic::swiss_roll(n, noise_or(0.0), seed),
        "s-curve" => synthetic::s_curve(n, noise_or(0.0), seed),
        "sphere" => synthetic::sphere(n, noise_or(0.0), seed),
        "severed-sphere" => synthetic::severed_sphere(n, noise_or(0.0), seed),
        "two-spheres" => synthetic::two_spheres(n, noise_or(0.0), seed),
        "concentric-spheres" => synthetic::concentric_spheres(n, noise_or(0.0), seed),
        "line" => synthetic::line(n, noise_or(0.03), seed),
        "curve" => synthetic::curve(n, noise_or(0.03), seed),
        "ring" => synthetic::ring(n, noise_or(0.03), seed),
        "square" => synthetic::square(n, noise_or(0.0), seed),
        "gaussian-pair" => synthetic::gaussian_pair(n, noise_or(0.147), seed),
        "circles" => synthetic::circles_of(Circles {
            n,
            factor,
            noise: noise_or(0.0),
            seed,
        }),
        "moons" => synthetic::moons(n, noise_or(0.0), seed),
        "bars" => synthetic::bars_of(Bars {
            n,
            side: side.unwrap_or(Bars::default().side),
            noise: noise_or(0.0),
            seed,
        }),
        "moved-face" => synthetic::moved_face(n, side.unwrap_or(FACE_SIDE), noise_or(0.1), seed),
        "head" => synthetic::head(n, side.unwrap_or(FACE_SIDE), noise_or(0.0), seed),
        "head-pose" => synthetic::head_pose(n, seed),
        "signals" => synthetic::signals(n, noise_or(0.2), seed),
        _ => synthetic::blobs(Blobs {
            n,
            centers,
            columns,
            spread: noise_or(1.0),
            seed,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_set_has_the_shape_it_announces() {
        for set in crate::data_sets().iter().filter(|set| set.generated) {
            let options = ReadOptions::default();
            let parameters = Parameters::parse(set.name, None, &options).unwrap();
            let table = make(set.name, &parameters, &options).unwrap();
            assert_eq!(
                (table.n_rows(), table.n_columns()),
                (set.rows, set.columns),
                "{}",
                set.name
            );
            assert_eq!(
                table.data().unwrap().labels().map(charta::Labels::len),
                Some(set.rows)
            );
        }
    }

    #[test]
    fn parameters_are_read_and_wrong_ones_named() {
        let options = ReadOptions {
            seed: Some(9),
            ..ReadOptions::default()
        };
        let parse = |name: &str, text: &str| Parameters::parse(name, Some(text), &options);
        let parameters = parse("blobs", "5_000, noise=0.1, centers=3").unwrap();
        assert_eq!(
            (parameters.n, parameters.noise, parameters.seed),
            (5000, Some(0.1), 9)
        );
        assert_eq!(parameters.centers, 3);
        let message = |text: &str| parse("moons", text).unwrap_err().to_string();
        assert_eq!(
            message("n=many"),
            "`n` must be a whole number, got \"many\""
        );
        assert!(message("centers=2").contains("no parameter \"centers\""));
        assert!(message("nois=2").contains("did you mean \"noise\"?"));
        let none = Parameters { n: 0, ..parameters };
        assert!(make("moons", &none, &options).unwrap_err().is_usage());
    }
}
