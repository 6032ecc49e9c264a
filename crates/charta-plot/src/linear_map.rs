//! What a matrix does to the points of a plane: a cloud, its image, the eigenvectors and theirs.

use crate::error::{Error, Result};
use crate::format::{Format, Size};
use crate::lines::{Stroke, StrokeLook};
use crate::scatter::{Color, Scatter};

/// A linear map of the plane: points x, their images A x, and vectors v with their images A v, drawn from the origin. An
/// eigenvector and its image lie on one line.
///
/// ```
/// use charta_plot::{Format, LinearMap};
/// let points = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]];
/// let vectors = [[0.7071, 0.7071], [0.7071, -0.7071]];
/// let picture = LinearMap { points: &points, vectors: &vectors, ..LinearMap::new([[3.0, 4.0], [4.0, 3.0]]) };
/// let svg = picture.draw(Format::Svg)?;
/// assert!(String::from_utf8_lossy(&svg).contains("A v1"));
/// # Ok::<(), charta_plot::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearMap<'a> {
    /// A, row by row.
    pub matrix: [[f64; 2]; 2],
    /// The points x.
    pub points: &'a [[f64; 2]],
    /// The vectors v.
    pub vectors: &'a [[f64; 2]],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Width and height in pixels.
    pub size: Size,
}

impl LinearMap<'_> {
    /// A matrix without points and vectors, in the default size.
    pub fn new(matrix: [[f64; 2]; 2]) -> Self {
        Self {
            matrix,
            points: &[],
            vectors: &[],
            title: String::new(),
            subtitle: String::new(),
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        let entries = self.matrix.iter().chain(self.vectors).flatten();
        if let Some(&value) = entries.clone().find(|value| !value.is_finite()) {
            return Err(Error::BadNumber {
                name: "matrix",
                requirement: "finite",
                value,
            });
        }
        let images = self.points.iter().map(|point| self.image(point));
        let points: Vec<[f64; 2]> = self.points.iter().copied().chain(images).collect();
        let names = ["x", "A x"].map(String::from);
        let n = self.points.len();
        let of_row: Vec<Option<usize>> =
            (0..2 * n).map(|row| Some(usize::from(row >= n))).collect();
        let strokes = self.strokes();
        let scatter = Scatter {
            title: self.title.clone(),
            subtitle: self.subtitle.clone(),
            axes: ["x1".into(), "x2".into()],
            color: Color::Classes {
                title: "",
                names: &names,
                of_row: &of_row,
            },
            strokes: &strokes,
            size: self.size,
            ..Scatter::new(&points)
        };
        scatter.draw(format)
    }

    fn image(&self, [x, y]: &[f64; 2]) -> [f64; 2] {
        self.matrix.map(|[a, b]| a * x + b * y)
    }

    /// The images first: an eigenvector that is shorter than its own must lie above it.
    fn strokes(&self) -> Vec<Stroke> {
        let from_origin = |name: String, tip: [f64; 2], look| Stroke {
            name,
            places: vec![[0.0, 0.0], tip],
            look,
        };
        let numbered = || self.vectors.iter().enumerate();
        let images = numbered().map(|(index, vector)| {
            let name = format!("A v{}", index + 1);
            from_origin(name, self.image(vector), StrokeLook::Image)
        });
        let own = numbered().map(|(index, vector)| {
            from_origin(format!("v{}", index + 1), *vector, StrokeLook::Vector)
        });
        images.chain(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_vectors_are_mapped() {
        let map = LinearMap {
            vectors: &[[0.5, 1.0]],
            ..LinearMap::new([[3.0, 5.0], [2.0, 1.0]])
        };
        assert_eq!(map.image(&[1.0, -1.0]), [-2.0, 1.0]);
        let strokes = map.strokes();
        assert_eq!(strokes[0].places[1], [6.5, 2.0]);
        assert_eq!(strokes[1].places[1], [0.5, 1.0]);
    }

    #[test]
    fn a_picture_names_all_and_numbers_must_be_finite() {
        let map = LinearMap {
            points: &[[1.0, 2.0], [0.0, 1.0]],
            vectors: &[[1.0, 0.0], [0.0, 1.0]],
            title: "A".into(),
            ..LinearMap::new([[2.0, 0.0], [0.0, 3.0]])
        };
        let svg = String::from_utf8(map.draw(Format::Svg).unwrap()).unwrap();
        for name in [">A x<", ">v1<", ">A v2<"] {
            assert!(svg.contains(name), "{name}");
        }
        let wrong = LinearMap::new([[f64::NAN, 0.0], [0.0, 1.0]]);
        assert!(wrong.draw(Format::Svg).is_err());
    }
}
