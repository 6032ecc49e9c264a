//! Images that are drawn: bars, a face that moves over a noisy background, a head that turns in changing light.

use ndarray::Array2;

use super::{Known, Rows, Sample, at_least, at_least_one};
use crate::data::Labels;
use crate::error::Result;
use crate::random::{Stream, below, normal, stream, uniform};

/// Images of one bar each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    /// Number of images.
    pub n: usize,
    /// Pixels along each side, 4 at least.
    pub side: usize,
    /// Standard deviation of the noise of every pixel.
    pub noise: f64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for Bars {
    fn default() -> Self {
        Self {
            n: 1000,
            side: 40,
            noise: 0.0,
            seed: 0,
        }
    }
}

/// Images of 40 × 40 pixels, each with one bright bar, horizontal or vertical, at a random place; the label says which.
///
/// See [`bars_of`] for images of another size.
pub fn bars(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    bars_of(Bars {
        n,
        noise,
        seed,
        ..Bars::default()
    })
}

/// Images with one bright bar each, horizontal or vertical, at a random place; the label says which.
///
/// Bars are 3/16 of the side thick and 9/16 of it long; pixels are 1 on the bar and 0 elsewhere.
pub fn bars_of(parameters: Bars) -> Result<Sample> {
    let Bars {
        n,
        side,
        noise,
        seed,
    } = parameters;
    let rows = Rows { n, noise, seed };
    rows.check()?;
    at_least("side", 4, side)?;
    let (thick, long) = ((3 * side / 16).max(1), 9 * side / 16);
    let mut of_row = Vec::with_capacity(n);
    let mut features = Array2::zeros((n, side * side));
    for (row, mut pixels) in features.rows_mut().into_iter().enumerate() {
        let mut draw = rows.stream(row);
        let is_vertical = uniform(&mut draw) < 0.5;
        let (height, width) = if is_vertical {
            (long, thick)
        } else {
            (thick, long)
        };
        let top = below(&mut draw, side - height + 1);
        let left = below(&mut draw, side - width + 1);
        for y in top..top + height {
            for x in left..left + width {
                pixels[y * side + x] = 1.0;
            }
        }
        of_row.push(Some(u32::from(is_vertical)));
    }
    rows.add_noise(&mut features);
    let names: Vec<String> = ["horizontal", "vertical"].map(String::from).to_vec();
    let labels = Labels::Classes {
        names: names.into(),
        of_row: of_row.into(),
    };
    Ok(image_sample(features, side, "bar", labels, Vec::new()))
}

/// Images of `side` × `side` pixels of one face, moved over a background of noise; the label is its position across, and its position
/// down is [known](Sample::known) too. Positions cover a square evenly, from 0 to 1.
///
/// `noise` is the standard deviation of the background, which is different in every image; the face itself is always the same.
pub fn moved_face(n: usize, side: usize, noise: f64, seed: u64) -> Result<Sample> {
    /// Half the height of the face, as a fraction of the side.
    const SIZE: f64 = 0.22;
    let rows = Rows { n, noise, seed };
    rows.check()?;
    at_least("side", 8, side)?;
    let positions = even_positions::<2>(rows);
    let mut features = Array2::zeros((n, side * side));
    for (row, mut pixels) in features.rows_mut().into_iter().enumerate() {
        let mut draw = stream(seed, 2 * row as u64 + 1);
        let middle = positions[row].map(|place| SIZE + (1.0 - 2.0 * SIZE) * place);
        for (place, pixel) in pixels.iter_mut().enumerate() {
            let point = [place % side, place / side].map(|p| (p as f64 + 0.5) / side as f64);
            let from_middle = [0, 1].map(|axis| (point[axis] - middle[axis]) / SIZE);
            let blur = 1.0 / (SIZE * side as f64);
            let (value, cover) = face(from_middle, blur);
            *pixel = cover * value + (1.0 - cover) * noise * normal(&mut draw);
        }
    }
    let column = |axis: usize| {
        positions
            .iter()
            .map(|position| position[axis])
            .collect::<Vec<f64>>()
    };
    let labels = Labels::numbers(column(0));
    Ok(image_sample(
        features,
        side,
        "across",
        labels,
        vec![("down", column(1))],
    ))
}

/// A face from −1 to 1 in both directions: its brightness at a point, and how much it covers there.
fn face(point: [f64; 2], blur: f64) -> (f64, f64) {
    // How far a point is inside an ellipse, from 0 to 1 over a border of two pixels.
    let within = |middle: [f64; 2], radii: [f64; 2]| {
        let scaled = [0, 1].map(|axis| (point[axis] - middle[axis]) / radii[axis]);
        let outside = (scaled[0].hypot(scaled[1]) - 1.0) * radii[0].min(radii[1]);
        (0.5 - outside / (2.0 * blur)).clamp(0.0, 1.0)
    };
    let cover = within([0.0, 0.0], [0.78, 1.0]);
    let dark = within([-0.32, -0.25], [0.15, 0.12])
        .max(within([0.32, -0.25], [0.15, 0.12]))
        .max(within([0.0, 0.5], [0.36, 0.11]))
        .max(0.5 * within([0.0, 0.1], [0.1, 0.2]));
    (1.0 - 0.9 * dark, cover)
}

/// Largest turn of the head to the left and right, in degrees.
const LEFT_RIGHT: f64 = 60.0;
/// Largest turn up and down, in degrees.
const UP_DOWN: f64 = 22.0;
/// Largest angle of the light from the front, in degrees.
const LIGHT: f64 = 75.0;
/// The names of the three angles.
const ANGLES: [&str; 3] = ["left_right", "up_down", "light"];

/// Images of `side` × `side` pixels of a head, in every pose and light; the label is its turn to the left and right in degrees, and
/// its turn up and down and the angle of the light are [known](Sample::known) too.
///
/// The head is made of ellipsoids, seen from far away, with Lambert's shading by a light that moves from left to right. The three
/// angles cover their ranges evenly: ±60°, ±22°, ±75°. It stands for the 698 faces of Tenenbaum, de Silva and Langford (2000).
pub fn head(n: usize, side: usize, noise: f64, seed: u64) -> Result<Sample> {
    let rows = Rows { n, noise, seed };
    rows.check()?;
    at_least("side", 8, side)?;
    let angles = head_angles(rows);
    let mut features = Array2::zeros((n, side * side));
    for (row, mut pixels) in features.rows_mut().into_iter().enumerate() {
        let image = render(angles[row].map(f64::to_radians), side);
        for (pixel, value) in pixels.iter_mut().zip(image) {
            *pixel = value;
        }
    }
    rows.add_noise(&mut features);
    let column = |axis: usize| {
        angles
            .iter()
            .map(|angles| angles[axis])
            .collect::<Vec<f64>>()
    };
    Ok(image_sample(
        features,
        side,
        ANGLES[0],
        Labels::numbers(column(0)),
        vec![(ANGLES[1], column(1)), (ANGLES[2], column(2))],
    ))
}

/// The three angles of the images of [`head`] with the same seed, as columns.
pub fn head_pose(n: usize, seed: u64) -> Result<Sample> {
    at_least_one("n", n)?;
    let angles = head_angles(Rows {
        n,
        noise: 0.0,
        seed,
    });
    let first: Vec<f64> = angles.iter().map(|angles| angles[0]).collect();
    Ok(Sample {
        features: Array2::from_shape_fn((n, 3), |(row, axis)| angles[row][axis]),
        labels: Labels::numbers(first),
        label_title: "turn",
        column_names: ANGLES.map(String::from).to_vec(),
        image: None,
        known: Vec::new(),
    })
}

fn head_angles(rows: Rows) -> Vec<[f64; 3]> {
    let limits = [LEFT_RIGHT, UP_DOWN, LIGHT];
    let positions = even_positions::<3>(rows).into_iter();
    positions
        .map(|position| [0, 1, 2].map(|axis| (2.0 * position[axis] - 1.0) * limits[axis]))
        .collect()
}

/// An ellipsoid of the head: x to its left, y up, z to the front.
struct Ellipsoid {
    middle: [f64; 3],
    radii: [f64; 3],
    /// The fraction of the light that it reflects.
    albedo: f64,
}

const fn ellipsoid(middle: [f64; 3], radii: [f64; 3], albedo: f64) -> Ellipsoid {
    Ellipsoid {
        middle,
        radii,
        albedo,
    }
}

/// Skull, hair, nose, eyes, mouth and ears.
const HEAD: [Ellipsoid; 8] = [
    ellipsoid([0.0, 0.0, 0.0], [0.72, 0.95, 0.82], 0.85),
    ellipsoid([0.0, 0.18, -0.16], [0.76, 0.86, 0.80], 0.1),
    ellipsoid([0.0, -0.08, 0.80], [0.14, 0.24, 0.24], 0.95),
    ellipsoid([-0.29, 0.17, 0.64], [0.15, 0.10, 0.16], 0.05),
    ellipsoid([0.29, 0.17, 0.64], [0.15, 0.10, 0.16], 0.05),
    ellipsoid([0.0, -0.47, 0.60], [0.26, 0.08, 0.16], 0.1),
    ellipsoid([-0.74, -0.02, -0.05], [0.09, 0.20, 0.14], 0.8),
    ellipsoid([0.74, -0.02, -0.05], [0.09, 0.20, 0.14], 0.8),
];

/// The image of the head for its turn, its nod and the angle of the light, in radians.
fn render([turn, nod, light]: [f64; 3], side: usize) -> Vec<f64> {
    /// Half the height of what is seen.
    const SEEN: f64 = 1.15;
    /// Light from everywhere.
    const AMBIENT: f64 = 0.35;
    /// Rays along each side of the image, at least: a pixel is the mean of those that meet it.
    const RAYS: usize = 64;
    let to_head = |[x, y, z]: [f64; 3]| {
        // The inverse of a turn about the vertical axis followed by a nod.
        let (y, z) = (y * nod.cos() + z * nod.sin(), z * nod.cos() - y * nod.sin());
        [
            x * turn.cos() - z * turn.sin(),
            y,
            x * turn.sin() + z * turn.cos(),
        ]
    };
    let direction = to_head([0.0, 0.0, -1.0]);
    let towards_light = to_head([light.sin(), 0.0, light.cos()]);
    let n_rays = side * RAYS.div_ceil(side);
    let mut seen: Vec<f64> = vec![0.0; n_rays * n_rays];
    for (place, brightness) in seen.iter_mut().enumerate() {
        let [x, y] = [place % n_rays, place / n_rays]
            .map(|p| SEEN * (2.0 * (p as f64 + 0.5) / n_rays as f64 - 1.0));
        let origin = to_head([x, -y, 5.0]);
        *brightness = ray(origin, direction, towards_light, AMBIENT);
    }
    let per_pixel = n_rays / side;
    let mean = |pixel: usize| {
        let (top, left) = (pixel / side * per_pixel, pixel % side * per_pixel);
        let rays = (0..per_pixel).flat_map(|y| (0..per_pixel).map(move |x| (y, x)));
        let sum: f64 = rays.map(|(y, x)| seen[(top + y) * n_rays + left + x]).sum();
        sum / (per_pixel * per_pixel) as f64
    };
    (0..side * side).map(mean).collect()
}

/// The brightness of what a ray meets first; 0 if it meets nothing.
fn ray(origin: [f64; 3], direction: [f64; 3], towards_light: [f64; 3], ambient: f64) -> f64 {
    let product = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut nearest = f64::INFINITY;
    let mut brightness = 0.0;
    for part in &HEAD {
        let scaled = |point: [f64; 3]| [0, 1, 2].map(|axis| point[axis] / part.radii[axis]);
        let start = scaled([0, 1, 2].map(|axis| origin[axis] - part.middle[axis]));
        let step = scaled(direction);
        let (a, b, c) = (
            product(step, step),
            product(start, step),
            product(start, start) - 1.0,
        );
        let discriminant = b * b - a * c;
        if discriminant <= 0.0 {
            continue;
        }
        let distance = (-b - discriminant.sqrt()) / a;
        if distance >= nearest {
            continue;
        }
        nearest = distance;
        let normal = scaled([0, 1, 2].map(|axis| start[axis] + distance * step[axis]));
        let lit = product(normal, towards_light) / product(normal, normal).sqrt();
        brightness = part.albedo * (ambient + (1.0 - ambient) * lit.max(0.0));
    }
    brightness
}

/// Points that cover the unit cube of D dimensions evenly, whatever their number: multiples of powers of the root of x^(D+1) = x + 1, shifted at
/// random (Roberts' sequence, a generalization of the golden ratio).
fn even_positions<const D: usize>(rows: Rows) -> Vec<[f64; D]> {
    let mut root: f64 = 1.5;
    for _ in 0..60 {
        root = (1.0 + root).powf(1.0 / (D as f64 + 1.0));
    }
    let mut draw: Stream = rows.shared_stream();
    let mut steps = [[0.0; 2]; D];
    for (axis, step) in steps.iter_mut().enumerate() {
        *step = [root.powi(-(axis as i32 + 1)), uniform(&mut draw)];
    }
    (0..rows.n)
        .map(|row| steps.map(|[step, shift]| (shift + row as f64 * step).fract()))
        .collect()
}

fn image_sample(
    features: Array2<f64>,
    side: usize,
    label_title: &'static str,
    labels: Labels<'static>,
    known: Vec<Known>,
) -> Sample {
    Sample {
        features,
        labels,
        label_title,
        column_names: (0..side * side)
            .map(|pixel| format!("pixel_{}_{}", pixel / side, pixel % side))
            .collect(),
        image: Some((side, side)),
        known,
    }
}
