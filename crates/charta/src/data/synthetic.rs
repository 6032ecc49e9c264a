//! Data sets made from a formula and a seed: the shapes on which methods are tried.
//!
//! Every row draws from a random stream of its own, so the first 100 rows are the same whether 100
//! or 100,000 are requested (except where the shape has parts, whose rows depend on how many there
//! are, or a length of time to fill). The formulas are those of scikit-learn's generators where it has one; the
//! random numbers are not, so the values differ from its values.
//!
//! `noise` is the standard deviation of normal noise added to every coordinate; 0 adds none.

use std::borrow::Cow;
use std::f64::consts::PI;

use ndarray::Array2;

use super::{Data, Labels};
use crate::error::{Error, Result, message};
use crate::random::{Stream, normal, stream, uniform};

mod images;
mod plane;

pub use images::{Bars, bars, bars_of, head, head_pose, moved_face};
pub use plane::{curve, gaussian_pair, line, ring, square};

/// A generated data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// A row per point.
    pub features: Array2<f64>,
    /// The position along the shape, or the part of it that a row belongs to.
    pub labels: Labels<'static>,
    /// What the labels are: "position", "moon".
    pub label_title: &'static str,
    /// The columns' names.
    pub column_names: Vec<String>,
    /// Height and width, when a row is an image.
    pub image: Option<(usize, usize)>,
    /// What else is known of the rows: further columns that could be labels.
    pub known: Vec<Known>,
}

/// A name, and a number for each row.
pub type Known = (&'static str, Vec<f64>);

impl<'a> From<&'a Sample> for Data<'a> {
    fn from(sample: &'a Sample) -> Self {
        let data = Data::from(&sample.features);
        // The lengths fit unless a caller changed the public fields, who then loses the labels.
        data.clone()
            .with_labels(sample.labels.reborrow())
            .and_then(|data| data.with_column_names(sample.column_names.as_slice()))
            .unwrap_or(data)
    }
}

/// A sheet rolled up in three dimensions; the label is the angle along the roll.
///
/// ```
/// let roll = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
/// # Ok::<(), charta::Error>(())
/// ```
pub fn swiss_roll(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let angle = 1.5 * PI * (1.0 + 2.0 * uniform(draw));
        let height = 21.0 * uniform(draw);
        (angle, [angle * angle.cos(), height, angle * angle.sin()])
    })
}

/// A sheet bent to an S in three dimensions; the label is the position along the S.
pub fn s_curve(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let angle = 3.0 * PI * (uniform(draw) - 0.5);
        let width = 2.0 * uniform(draw);
        let bend = angle.signum() * (angle.cos() - 1.0);
        (angle, [angle.sin(), width, bend])
    })
}

/// The unit sphere, evenly covered; the label is the height.
pub fn sphere(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let point = on_sphere(draw);
        (point[2], point)
    })
}

/// The unit sphere with its poles and a thin slice from pole to pole cut away; the label is the
/// longitude.
pub fn severed_sphere(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    along(n, noise, seed, |draw| {
        let longitude = uniform(draw) * (2.0 * PI - 0.55);
        let colatitude = loop {
            let angle = uniform(draw) * PI;
            if angle > PI / 8.0 && angle < PI - PI / 8.0 {
                break angle;
            }
        };
        let point = [
            colatitude.sin() * longitude.cos(),
            colatitude.sin() * longitude.sin(),
            colatitude.cos(),
        ];
        (longitude, point)
    })
}

/// Two spheres around the same centre, of radius 1 and 0.5; the label says which. Half of the rows
/// lie on each, the outer one first.
pub fn two_spheres(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    spheres(Rows { n, noise, seed }, [1.0, 0.5])
}

/// Two spheres around the same centre, of radius 3 and 1; the label says which. Half of the rows lie on each, the
/// outer one first.
///
/// They are not linearly separable; a Gaussian kernel separates them.
pub fn concentric_spheres(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    spheres(Rows { n, noise, seed }, [3.0, 1.0])
}

/// Two spheres of these radii, the outer one first.
fn spheres(rows: Rows, radii: [f64; 2]) -> Result<Sample> {
    let n_outer = rows.n / 2;
    let sample = |row: usize, draw: &mut Stream| {
        let inner = row >= n_outer;
        let radius = radii[usize::from(inner)];
        (u32::from(inner), on_sphere(draw).map(|x| radius * x))
    };
    parts(rows, "sphere", &["outer", "inner"], sample)
}

/// Two circles around the same centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circles {
    /// Number of rows, half of them on each circle.
    pub n: usize,
    /// Radius of the inner circle, between 0 and 1, that of the outer one.
    pub factor: f64,
    /// Standard deviation of the noise of every coordinate.
    pub noise: f64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for Circles {
    fn default() -> Self {
        Self {
            n: 1000,
            factor: 0.3,
            noise: 0.0,
            seed: 0,
        }
    }
}

/// Two circles around the same centre, of radius 1 and 0.3, in the plane; the label says which.
///
/// Kernel PCA with a Gaussian kernel separates them. See [`circles_of`] for other radii.
pub fn circles(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    circles_of(Circles {
        n,
        noise,
        seed,
        ..Circles::default()
    })
}

/// Two circles around the same centre, in the plane; the label says which.
pub fn circles_of(parameters: Circles) -> Result<Sample> {
    let Circles {
        n,
        factor,
        noise,
        seed,
    } = parameters;
    if !(0.0..1.0).contains(&factor) {
        return Err(Error::parameter(
            "factor",
            message!("be at least 0 and below 1"),
            factor,
        ));
    }
    let n_outer = n / 2;
    let n_inner = n - n_outer;
    let sample = |row: usize, _: &mut Stream| {
        let inner = row >= n_outer;
        let (step, of, radius) = if inner {
            (row - n_outer, n_inner, factor)
        } else {
            (row, n_outer, 1.0)
        };
        let angle = 2.0 * PI * step as f64 / of as f64;
        (
            u32::from(inner),
            [radius * angle.cos(), radius * angle.sin()],
        )
    };
    parts(
        Rows { n, noise, seed },
        "circle",
        &["outer", "inner"],
        sample,
    )
}

/// Two half circles that reach into each other, in the plane; the label says which.
pub fn moons(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    let n_outer = n / 2;
    let n_inner = n - n_outer;
    let sample = |row: usize, _: &mut Stream| {
        let inner = row >= n_outer;
        let (step, of) = if inner {
            (row - n_outer, n_inner)
        } else {
            (row, n_outer)
        };
        let angle = PI * step as f64 / (of.max(2) - 1) as f64;
        let point = if inner {
            [1.0 - angle.cos(), 0.5 - angle.sin()]
        } else {
            [angle.cos(), angle.sin()]
        };
        (u32::from(inner), point)
    };
    parts(Rows { n, noise, seed }, "moon", &["outer", "inner"], sample)
}

/// Normal clouds around random centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blobs {
    /// Number of rows, shared out evenly, centre by centre.
    pub n: usize,
    /// Number of clouds.
    pub centers: usize,
    /// Number of columns.
    pub columns: usize,
    /// Standard deviation of each cloud.
    pub spread: f64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for Blobs {
    fn default() -> Self {
        Self {
            n: 1000,
            centers: 5,
            columns: 10,
            spread: 1.0,
            seed: 0,
        }
    }
}

/// Normal clouds around centres drawn evenly from −10 to 10; the label is the cloud's number.
pub fn blobs(parameters: Blobs) -> Result<Sample> {
    let Blobs {
        n,
        centers,
        columns,
        spread,
        seed,
    } = parameters;
    let rows = Rows {
        n,
        noise: spread,
        seed,
    };
    rows.check()?;
    at_least_one("centers", centers)?;
    at_least_one("columns", columns)?;
    let mut draw = rows.shared_stream();
    let middles =
        Array2::from_shape_simple_fn((centers, columns), || 20.0 * uniform(&mut draw) - 10.0);
    let mut of_row = Vec::with_capacity(n);
    let mut features = Array2::zeros((n, columns));
    for (row, mut point) in features.rows_mut().into_iter().enumerate() {
        let center = row * centers / n;
        of_row.push(Some(center as u32));
        point.assign(&middles.row(center));
    }
    rows.add_noise(&mut features);
    Ok(Sample {
        features,
        labels: Labels::Classes {
            names: (0..centers).map(|center| center.to_string()).collect(),
            of_row: of_row.into(),
        },
        label_title: "blob",
        column_names: (0..columns).map(|column| format!("x{column}")).collect(),
        image: None,
        known: Vec::new(),
    })
}

/// A sine, a square wave and a sawtooth over eight seconds, with noise, each with variance 1, mixed in three
/// columns; the label is the time.
///
/// Noise is added to the sources, before they are mixed by the rows of `1 1 1`, `½ 2 1` and `1½ 1 2`.
pub fn signals(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    const SECONDS: f64 = 8.0;
    const MIXING: [[f64; 3]; 3] = [[1.0, 1.0, 1.0], [0.5, 2.0, 1.0], [1.5, 1.0, 2.0]];
    let rows = Rows { n, noise, seed };
    rows.check()?;
    let times: Vec<f64> = (0..n)
        .map(|row| SECONDS * row as f64 / (n.max(2) - 1) as f64)
        .collect();
    let mut sources = Array2::from_shape_fn((n, 3), |(row, source)| match source {
        0 => (2.0 * times[row]).sin(),
        1 if times[row] == 0.0 => 0.0,
        1 => (3.0 * times[row]).sin().signum(),
        _ => 2.0 * times[row].fract() - 1.0,
    });
    rows.add_noise(&mut sources);
    for mut source in sources.columns_mut() {
        let deviation = source.std(0.0);
        if deviation > 0.0 {
            source /= deviation;
        }
    }
    Ok(Sample {
        features: sources.dot(&ndarray::arr2(&MIXING).t()),
        labels: Labels::numbers(times),
        label_title: "time",
        column_names: (0..3).map(|column| format!("mixture_{column}")).collect(),
        image: None,
        known: Vec::new(),
    })
}

/// How many rows, how noisy, from which seed.
#[derive(Clone, Copy)]
struct Rows {
    n: usize,
    noise: f64,
    seed: u64,
}

impl Rows {
    fn check(self) -> Result<()> {
        at_least_one("n", self.n)?;
        if self.noise >= 0.0 && self.noise.is_finite() {
            return Ok(());
        }
        Err(Error::parameter(
            "noise",
            message!("be 0 or a positive number"),
            self.noise,
        ))
    }

    /// The stream of one row.
    fn stream(self, row: usize) -> Stream {
        stream(self.seed, 2 * row as u64)
    }

    /// A stream that no row uses, for what is drawn once for all.
    fn shared_stream(self) -> Stream {
        stream(self.seed, u64::MAX)
    }

    /// Noise has streams of its own, so that the same seed with and without it gives the same shape.
    fn add_noise(self, features: &mut Array2<f64>) {
        if self.noise == 0.0 {
            return;
        }
        for (row, mut point) in features.rows_mut().into_iter().enumerate() {
            let mut draw = stream(self.seed, 2 * row as u64 + 1);
            point.mapv_inplace(|x| x + self.noise * normal(&mut draw));
        }
    }
}

/// A shape whose label is a position along it.
fn along<const D: usize>(
    n: usize,
    noise: f64,
    seed: u64,
    sample: impl Fn(&mut Stream) -> (f64, [f64; D]),
) -> Result<Sample> {
    let rows = Rows { n, noise, seed };
    rows.check()?;
    let mut positions = Vec::with_capacity(n);
    let mut features = Array2::zeros((n, D));
    for (row, mut target) in features.rows_mut().into_iter().enumerate() {
        let (position, point) = sample(&mut rows.stream(row));
        positions.push(position);
        target
            .iter_mut()
            .zip(point)
            .for_each(|(to, from)| *to = from);
    }
    rows.add_noise(&mut features);
    Ok(Sample {
        features,
        labels: Labels::numbers(positions),
        label_title: "position",
        column_names: axes(D),
        image: None,
        known: Vec::new(),
    })
}

/// A shape whose label is the part that a row belongs to.
fn parts<const D: usize>(
    rows: Rows,
    label_title: &'static str,
    names: &[&str],
    sample: impl Fn(usize, &mut Stream) -> (u32, [f64; D]),
) -> Result<Sample> {
    rows.check()?;
    let mut of_row = Vec::with_capacity(rows.n);
    let mut features = Array2::zeros((rows.n, D));
    for (row, mut target) in features.rows_mut().into_iter().enumerate() {
        let (part, point) = sample(row, &mut rows.stream(row));
        of_row.push(Some(part));
        target
            .iter_mut()
            .zip(point)
            .for_each(|(to, from)| *to = from);
    }
    rows.add_noise(&mut features);
    let names: Cow<'static, [String]> = names.iter().map(ToString::to_string).collect();
    Ok(Sample {
        features,
        labels: Labels::Classes {
            names,
            of_row: of_row.into(),
        },
        label_title,
        column_names: axes(D),
        image: None,
        known: Vec::new(),
    })
}

/// A point drawn evenly from the unit sphere: a normal point, divided by its length.
fn on_sphere(draw: &mut Stream) -> [f64; 3] {
    loop {
        let point = [normal(draw), normal(draw), normal(draw)];
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-9 {
            return point.map(|x| x / length);
        }
    }
}

fn axes(columns: usize) -> Vec<String> {
    ["x", "y", "z"]
        .iter()
        .take(columns)
        .map(ToString::to_string)
        .collect()
}

fn at_least_one(name: &str, given: usize) -> Result<()> {
    at_least(name, 1, given)
}

fn at_least(name: &str, least: usize, given: usize) -> Result<()> {
    if given >= least {
        return Ok(());
    }
    Err(Error::at_least(name, least, given))
}

#[cfg(test)]
mod tests;
