//! Density shading: how dense points are drawn where single markers would hide each other.
//!
//! Every point is spread over a few pixels. A pixel's colour is the mean of its points (class colours in linear light, or
//! the colour of the mean number), its opacity grows with the logarithm of how many there are.

use crate::color::{MISSING, Rgb, sequential};
use crate::scene::{Pixels, Place};

/// What one point adds to the colour of its pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ink {
    /// A class, in linear light.
    Color([f64; 3]),
    /// A number as a fraction of the range.
    Number(f64),
    /// No number: grey, unless other points of the pixel have one.
    Missing,
}

/// Opacity of a pixel that holds one whole point.
const FAINTEST: f64 = 0.38;
/// Pixels denser than this quantile are all opaque, so that one heavy pixel does not fade the rest.
const OPAQUE_QUANTILE: f64 = 0.99;

/// Sums of one pixel.
#[derive(Clone, Copy, Default)]
struct Cell {
    ink: [f32; 3],
    /// Weight of the points that have a colour or number.
    inked: f32,
    weight: f32,
}

/// Shades points given in pixels from the top left corner of a block of `width` × `height` pixels.
pub(crate) fn shade(
    points: impl Iterator<Item = (Place, Ink)>,
    [width, height]: [usize; 2],
    radius: f64,
) -> Pixels {
    let mut cells = vec![Cell::default(); width * height];
    let reach = radius.ceil() as i64;
    let mut numbers = false;
    for ([x, y], ink) in points {
        numbers |= !matches!(ink, Ink::Color(_));
        for row in (y.floor() as i64 - reach)..=(y.floor() as i64 + reach) {
            for column in (x.floor() as i64 - reach)..=(x.floor() as i64 + reach) {
                if row < 0 || column < 0 || row >= height as i64 || column >= width as i64 {
                    continue;
                }
                let distance = (column as f64 + 0.5 - x).hypot(row as f64 + 0.5 - y);
                let weight = (radius + 0.5 - distance).clamp(0.0, 1.0) as f32;
                if weight > 0.0 {
                    cells[row as usize * width + column as usize].add(ink, weight);
                }
            }
        }
    }
    let full = quantile(&cells).ln_1p();
    let rgba = cells
        .iter()
        .flat_map(|cell| cell.rgba(full, numbers))
        .collect();
    Pixels {
        width,
        height,
        rgba,
    }
}

impl Cell {
    fn add(&mut self, ink: Ink, weight: f32) {
        self.weight += weight;
        let sums = match ink {
            Ink::Color(color) => color,
            Ink::Number(share) => [share, 0.0, 0.0],
            Ink::Missing => return,
        };
        self.inked += weight;
        for (sum, value) in self.ink.iter_mut().zip(sums) {
            *sum += value as f32 * weight;
        }
    }

    fn rgba(&self, full: f64, numbers: bool) -> [u8; 4] {
        if self.weight == 0.0 {
            return [0; 4];
        }
        let mean = self.ink.map(|sum| f64::from(sum / self.inked));
        let Rgb(red, green, blue) = match (self.inked > 0.0, numbers) {
            (false, _) => MISSING,
            (true, true) => sequential(mean[0]),
            (true, false) => Rgb::from_linear(mean),
        };
        let weight = f64::from(self.weight);
        // The first point counts in full at the edge of its spot; further points add by their logarithm.
        let crowd = (weight.ln_1p() - 2f64.ln()).max(0.0) / (full - 2f64.ln()).max(1e-9);
        let opacity = weight.min(1.0) * (FAINTEST + (1.0 - FAINTEST) * crowd.min(1.0));
        [red, green, blue, (opacity * 255.0).round() as u8]
    }
}

/// The weight of a dense pixel, at least 3 so that lone points stay lighter than crowds.
fn quantile(cells: &[Cell]) -> f64 {
    let mut weights: Vec<f32> = cells
        .iter()
        .map(|cell| cell.weight)
        .filter(|weight| *weight >= 1.0)
        .collect();
    if weights.is_empty() {
        return 3.0;
    }
    let rank = ((weights.len() - 1) as f64 * OPAQUE_QUANTILE) as usize;
    let (_, weight, _) = weights.select_nth_unstable_by(rank, f32::total_cmp);
    f64::from(*weight).max(3.0)
}

/// How many other points the marker of an average point covers, at least in part: above a few, markers hide each other.
pub(crate) fn crowding(
    points: impl Iterator<Item = Place>,
    [width, height]: [f64; 2],
    radius: f64,
) -> f64 {
    let side = 2.0 * radius;
    let columns = (width / side) as usize + 1;
    let mut counts = vec![0_u32; columns * ((height / side) as usize + 1)];
    let mut n = 0_u32;
    for [x, y] in points {
        let cell = (y / side) as usize * columns + (x / side) as usize;
        if let Some(count) = counts.get_mut(cell) {
            *count += 1;
            n += 1;
        }
    }
    let pairs: f64 = counts
        .iter()
        .map(|count| f64::from(*count) * (f64::from(*count) - 1.0))
        .sum();
    pairs / f64::from(n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(pixels: &Pixels, x: usize, y: usize) -> [u8; 4] {
        let start = (y * pixels.width + x) * 4;
        [0, 1, 2, 3].map(|channel| pixels.rgba[start + channel])
    }

    #[test]
    fn crowds_are_more_opaque_and_classes_mix_by_share() {
        let (red, blue) = (
            Ink::Color(Rgb(255, 0, 0).linear()),
            Ink::Color(Rgb(0, 0, 255).linear()),
        );
        let mut points = vec![([2.5, 2.5], red)];
        points.extend(vec![([10.5, 2.5], red); 30]);
        points.extend(vec![([10.5, 2.5], blue); 10]);
        let pixels = shade(points.into_iter(), [20, 6], 0.5);
        let (lone, crowd) = (pixel(&pixels, 2, 2), pixel(&pixels, 10, 2));
        assert_eq!(lone[..3], [255, 0, 0]);
        assert!((80..120).contains(&lone[3]), "{lone:?}");
        assert_eq!(crowd[3], 255);
        assert_eq!(crowd[..3], [225, 0, 137]);
        assert_eq!(pixel(&pixels, 15, 2), [0; 4]);
    }

    #[test]
    fn numbers_average_and_missing_yields() {
        let points = [
            ([1.5, 1.5], Ink::Number(0.0)),
            ([1.5, 1.5], Ink::Number(1.0)),
            ([1.5, 1.5], Ink::Missing),
            ([4.5, 1.5], Ink::Missing),
        ];
        let pixels = shade(points.into_iter(), [6, 3], 0.5);
        let Rgb(red, green, blue) = sequential(0.5);
        assert_eq!(pixel(&pixels, 1, 1)[..3], [red, green, blue]);
        assert_eq!(pixel(&pixels, 4, 1)[..3], [MISSING.0, MISSING.1, MISSING.2]);
    }

    #[test]
    fn points_at_the_edges_do_not_crash() {
        let ink = Ink::Number(0.5);
        let corners = [[0.0, 0.0], [4.0, 3.0], [-5.0, 1.0], [1e18, -1e18]];
        assert_eq!(
            shade(corners.into_iter().map(|place| (place, ink)), [4, 3], 1.6)
                .rgba
                .len(),
            48
        );
    }

    #[test]
    fn crowding_counts_neighbours() {
        assert_eq!(
            crowding([[1.0, 1.0]; 5].into_iter(), [100.0, 100.0], 2.0),
            4.0
        );
        assert_eq!(
            crowding(
                (0..20).map(|i| [f64::from(i) * 5.0, 3.0]),
                [100.0, 100.0],
                2.0
            ),
            0.0
        );
    }
}
