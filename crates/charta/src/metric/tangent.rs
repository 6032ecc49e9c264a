//! The tangent distance between images (Simard, LeCun and Denker 1993).
//!
//! Small deformations of an image x move it along a curved surface, which near x is the plane x + T a: a column of T
//! for each deformation. The distance between two images is that between their planes,
//!
//! d² = min over a, b of ‖(x + Tₓ a) − (y + T_y b)‖² + r ‖(a, b)‖²,
//!
//! with both images free to move (two-sided), so that it is symmetric. r is a millionth of the mean squared length of
//! the deformations of both images: it keeps the system solvable where they repeat each other.
//!
//! With horizontal and vertical derivatives p and q of the image, taken over the eight pixels around each (central
//! differences, smoothed across with weights 1, 2, 1), and u, v the pixel's place from the middle of the image in
//! units of half its larger side, the deformations are shifts p and q, turning v p − u q, scaling u p + v q, two
//! stretches u p − v q and v p + u q, and line thickness p² + q². Outside the image pixels are 0.
//!
//! Blocks of images are compared by one matrix product of all images and deformations; a system of 14 unknowns
//! remains for every pair. Pairs so near that the product has lost their digits are measured once more, directly.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, s};

use super::Measure;
use crate::data::Features;
use crate::error::{Error, Result, message};
use crate::linalg::product::product_into;

/// Deformations.
const COUNT: usize = 7;
/// An image and its deformations.
const GROUP: usize = COUNT + 1;
/// Unknowns of a pair.
const SIZE: usize = 2 * COUNT;
/// The fraction of the deformations' squared length that is added to the diagonal.
const RIDGE: f64 = 1e-6;
/// The fraction of the squared lengths below which a squared distance is measured directly.
const NEAR: f64 = 1e-6;

/// The images of two tables, compared by their deformations.
pub(crate) struct Tangents<'a> {
    rows: Features<'a>,
    known: Features<'a>,
    width: usize,
}

/// Images with their deformations.
pub(crate) struct Images {
    /// A group of [`GROUP`] lines for each image: itself, then its deformations.
    lines: Array2<f64>,
    /// For each image the products of its lines.
    products: Vec<[[f64; GROUP]; GROUP]>,
}

impl<'a> Tangents<'a> {
    /// Compares images whose lines have `width` columns; without a width, images are square.
    pub(crate) fn new(
        rows: Features<'a>,
        known: Features<'a>,
        width: Option<usize>,
    ) -> Result<Self> {
        let n_columns = known.n_columns();
        let width = match width {
            Some(width) => width,
            None => square_width(n_columns)?,
        };
        if width < 2 || !n_columns.is_multiple_of(width) || n_columns / width < 2 {
            return Err(Error::parameter(
                "image_width",
                message!("divide the {n_columns:columns} into lines of an image"),
                width,
            ));
        }
        Ok(Self { rows, known, width })
    }

    /// The distance between two images, a row each.
    pub(crate) fn between(
        a: ArrayView2<'a, f64>,
        b: ArrayView2<'a, f64>,
        width: Option<usize>,
    ) -> Result<f64> {
        let pair = Self::new(Features::F64(a), Features::F64(b), width)?;
        let mut number = [0.0];
        pair.fill(&pair.queries(0..1), &pair.known(0..1), &mut number)?;
        Ok(pair.distance(number[0]))
    }

    fn images(&self, features: &Features<'_>, range: Range<usize>) -> Images {
        let pixels = features.dense_rows(range.start, range.end);
        let mut lines = Array2::zeros((pixels.nrows() * GROUP, pixels.ncols()));
        for (i, image) in pixels.rows().into_iter().enumerate() {
            let group = deformed(&image, self.width);
            lines
                .slice_mut(s![i * GROUP..(i + 1) * GROUP, ..])
                .assign(&group);
        }
        let products = (0..pixels.nrows())
            .map(|i| {
                let own = lines.slice(s![i * GROUP..(i + 1) * GROUP, ..]);
                let product = own.dot(&own.t());
                std::array::from_fn(|a| std::array::from_fn(|b| product[[a, b]]))
            })
            .collect();
        Images { lines, products }
    }
}

/// The width of square images.
fn square_width(n_columns: usize) -> Result<usize> {
    let width = (n_columns as f64).sqrt().round() as usize;
    if width * width == n_columns {
        return Ok(width);
    }
    Err(Error::parameter(
        "image_width",
        message!(
            "be given and divide the {n_columns:columns} into lines of an image, because they \
             make no square image"
        ),
        "none",
    ))
}

/// An image and its deformations, a line each.
fn deformed(image: &ArrayView1<'_, f64>, width: usize) -> Array2<f64> {
    let height = image.len() / width;
    let pixel = |line: isize, column: isize| {
        let inside = (0..height as isize).contains(&line) && (0..width as isize).contains(&column);
        if inside {
            image[line as usize * width + column as usize]
        } else {
            0.0
        }
    };
    let half = 0.5 * width.max(height) as f64;
    let mut group = Array2::zeros((GROUP, image.len()));
    for (index, &value) in image.iter().enumerate() {
        let (line, column) = ((index / width) as isize, (index % width) as isize);
        let across = |line| 0.5 * (pixel(line, column + 1) - pixel(line, column - 1));
        let down = |column| 0.5 * (pixel(line + 1, column) - pixel(line - 1, column));
        let p = 0.25 * (across(line - 1) + 2.0 * across(line) + across(line + 1));
        let q = 0.25 * (down(column - 1) + 2.0 * down(column) + down(column + 1));
        let u = (column as f64 - 0.5 * (width - 1) as f64) / half;
        let v = (line as f64 - 0.5 * (height - 1) as f64) / half;
        let moves = [
            p,
            q,
            v * p - u * q,
            u * p + v * q,
            u * p - v * q,
            v * p + u * q,
            p * p + q * q,
        ];
        group[[0, index]] = value;
        for (deformation, change) in moves.into_iter().enumerate() {
            group[[deformation + 1, index]] = change;
        }
    }
    // The thickness is measured in squared values: brought to the size of the others, it weighs as they do.
    let length = |line: usize| group.row(line).dot(&group.row(line)).sqrt();
    let (shift, thickness) = (length(1).max(length(2)), length(COUNT));
    if thickness > 0.0 {
        group
            .row_mut(COUNT)
            .mapv_inplace(|value| value * (shift / thickness));
    }
    group
}

/// What is to be solved for a pair: products of its deformations (the second image's with the other sign), and of
/// those with the difference of the images.
struct System {
    matrix: [[f64; SIZE]; SIZE],
    right: [f64; SIZE],
    /// The squared Euclidean distance.
    square: f64,
}

impl System {
    /// From the products within and between the two groups of lines.
    fn of(
        first: &[[f64; GROUP]; GROUP],
        second: &[[f64; GROUP]; GROUP],
        cross: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let mut matrix = [[0.0; SIZE]; SIZE];
        let mut right = [0.0; SIZE];
        for i in 0..COUNT {
            for j in 0..COUNT {
                matrix[i][j] = first[i + 1][j + 1];
                matrix[COUNT + i][COUNT + j] = second[i + 1][j + 1];
                let between = cross(i + 1, j + 1);
                matrix[i][COUNT + j] = -between;
                matrix[COUNT + j][i] = -between;
            }
            right[i] = first[i + 1][0] - cross(i + 1, 0);
            right[COUNT + i] = second[i + 1][0] - cross(0, i + 1);
        }
        let square = first[0][0] + second[0][0] - 2.0 * cross(0, 0);
        Self {
            matrix,
            right,
            square,
        }
    }

    /// The smallest value of the objective: the square less rᵀ (M + ridge)⁻¹ r, by a Cholesky factor.
    fn least(mut self) -> f64 {
        let trace: f64 = (0..SIZE).map(|i| self.matrix[i][i]).sum();
        let ridge = RIDGE * trace / SIZE as f64;
        if ridge <= 0.0 {
            return self.square.max(0.0);
        }
        for i in 0..SIZE {
            self.matrix[i][i] += ridge;
            for j in 0..=i {
                let mut sum = self.matrix[i][j];
                for k in 0..j {
                    sum -= self.matrix[i][k] * self.matrix[j][k];
                }
                self.matrix[i][j] = if i == j {
                    sum.max(0.5 * ridge).sqrt()
                } else {
                    sum / self.matrix[j][j]
                };
            }
            let mut sum = self.right[i];
            for k in 0..i {
                sum -= self.matrix[i][k] * self.right[k];
            }
            self.right[i] = sum / self.matrix[i][i];
        }
        self.square - self.right.iter().map(|v| v * v).sum::<f64>()
    }
}

/// The squared distance of two groups of lines, from the difference of the images itself.
fn direct(first: &ArrayView2<'_, f64>, second: &ArrayView2<'_, f64>) -> f64 {
    let apart = &first.row(0) - &second.row(0);
    let within = |lines: &ArrayView2<'_, f64>| {
        let product = lines.dot(&lines.t());
        std::array::from_fn(|a| std::array::from_fn(|b| product[[a, b]]))
    };
    let cross = first.dot(&second.t());
    let mut system = System::of(&within(first), &within(second), |a, b| cross[[a, b]]);
    for i in 0..COUNT {
        system.right[i] = first.row(i + 1).dot(&apart);
        system.right[COUNT + i] = -second.row(i + 1).dot(&apart);
    }
    system.square = apart.dot(&apart);
    let square = system.square;
    system.least().clamp(0.0, square)
}

impl Measure for Tangents<'_> {
    type Queries = Images;
    type Known = Images;

    fn queries(&self, rows: Range<usize>) -> Images {
        self.images(&self.rows, rows)
    }

    fn known(&self, rows: Range<usize>) -> Images {
        self.images(&self.known, rows)
    }

    fn fill(&self, queries: &Images, known: &Images, target: &mut [f64]) -> Result<()> {
        let mut cross = Array2::zeros((queries.lines.nrows(), known.lines.nrows()));
        product_into(cross.view_mut(), &queries.lines.view(), &known.lines.t());
        let lines = target.chunks_exact_mut(known.products.len());
        for (i, (first, line)) in queries.products.iter().zip(lines).enumerate() {
            for (j, (second, number)) in known.products.iter().zip(line).enumerate() {
                let at = |a: usize, b: usize| cross[[i * GROUP + a, j * GROUP + b]];
                let square = System::of(first, second, at).least();
                if !square.is_finite() {
                    return Err(Error::too_large());
                }
                let size = first[0][0] + second[0][0];
                let group = |images: &'_ Images, i: usize| {
                    images
                        .lines
                        .slice(s![i * GROUP..(i + 1) * GROUP, ..])
                        .to_owned()
                };
                *number = if square < NEAR * size {
                    direct(&group(queries, i).view(), &group(known, j).view())
                } else {
                    square
                };
            }
        }
        Ok(())
    }

    fn distance(&self, number: f64) -> f64 {
        number.sqrt()
    }

    fn bound(&self, distance: f64) -> f64 {
        distance * distance * (1.0 + 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Axis, concatenate};

    use super::*;
    use crate::linalg::solve::least_squares;
    use crate::random::{stream, uniform};

    const WIDTH: usize = 12;
    const HEIGHT: usize = 10;

    /// A bar and a spot, moved across and down.
    fn image(across: f64, down: f64) -> Array1<f64> {
        Array1::from_shape_fn(WIDTH * HEIGHT, |index| {
            let u = (index % WIDTH) as f64 - 5.0 - across;
            let v = (index / WIDTH) as f64 - 4.5 - down;
            (-(u * u) / 3.0 - v * v / 9.0).exp()
                + 0.7 * (-(u - 2.0).powi(2) / 2.0 - (v + 1.0).powi(2)).exp()
        })
    }

    fn table(images: &[Array1<f64>]) -> Array2<f64> {
        let views: Vec<_> = images
            .iter()
            .map(|image| image.view().insert_axis(Axis(0)))
            .collect();
        concatenate(Axis(0), &views).unwrap()
    }

    fn all(x: &Array2<f64>) -> Array2<f64> {
        let tangents = Tangents::new(x.into(), x.into(), Some(WIDTH)).unwrap();
        let mut numbers = vec![0.0; x.nrows() * x.nrows()];
        let (rows, known) = (tangents.queries(0..x.nrows()), tangents.known(0..x.nrows()));
        tangents.fill(&rows, &known, &mut numbers).unwrap();
        numbers
            .iter_mut()
            .for_each(|number| *number = tangents.distance(*number));
        Array2::from_shape_vec((x.nrows(), x.nrows()), numbers).unwrap()
    }

    /// The objective's least value by a dense least squares solution, the ridge as further equations.
    fn by_definition(x: &ArrayView1<'_, f64>, y: &ArrayView1<'_, f64>) -> f64 {
        let (first, second) = (deformed(x, WIDTH), deformed(y, WIDTH));
        let of = |group: &Array2<f64>, sign: f64| group.slice(s![1.., ..]).t().to_owned() * sign;
        let planes = concatenate![Axis(1), of(&first, 1.0), of(&second, -1.0)];
        let ridge = RIDGE * planes.iter().map(|v| v * v).sum::<f64>() / SIZE as f64;
        let matrix = concatenate![Axis(0), planes, Array2::eye(SIZE) * ridge.sqrt()];
        let apart = (x - y).insert_axis(Axis(1));
        let right = concatenate![Axis(0), -apart, Array2::zeros((SIZE, 1))];
        let solution = least_squares(&matrix.view(), &right.view()).unwrap();
        (matrix.dot(&solution) - right)
            .iter()
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt()
    }

    #[test]
    fn distances_are_the_least_squares_of_both_planes() {
        let mut numbers = stream(1, 0);
        let mut images = vec![image(0.0, 0.0), image(0.6, -0.3), image(2.0, 1.0)];
        for _ in 0..3 {
            images.push(Array1::from_shape_fn(WIDTH * HEIGHT, |_| {
                uniform(&mut numbers)
            }));
        }
        let x = table(&images);
        let got = all(&x);
        for i in 0..x.nrows() {
            for j in 0..x.nrows() {
                let want = by_definition(&x.row(i), &x.row(j));
                assert!(
                    (got[[i, j]] - want).abs() < 1e-7 * (1.0 + want),
                    "{} for {want}",
                    got[[i, j]]
                );
                assert!((got[[i, j]] - got[[j, i]]).abs() < 1e-9);
            }
            assert_eq!(got[[i, i]], 0.0);
        }
    }

    #[test]
    fn small_shifts_hardly_count_and_blank_images_are_measured() {
        let x = table(&[
            image(0.0, 0.0),
            image(0.7, 0.4),
            Array1::zeros(WIDTH * HEIGHT),
        ]);
        let got = all(&x);
        let straight = (&x.row(0) - &x.row(1))
            .iter()
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt();
        assert!(
            got[[0, 1]] < 0.2 * straight,
            "{} of {straight}",
            got[[0, 1]]
        );
        assert_eq!(got[[2, 2]], 0.0);
        assert!(got[[0, 2]] > 0.5 * straight);
    }

    #[test]
    fn widths_must_divide_the_columns() {
        let x = Array2::<f64>::zeros((2, 24));
        let of = |width| Tangents::new((&x).into(), (&x).into(), width);
        assert!(of(Some(6)).is_ok());
        assert!(of(Some(7)).is_err() && of(Some(24)).is_err() && of(None).is_err());
    }
}
