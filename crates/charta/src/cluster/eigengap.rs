//! The number of clusters by the eigengap of a graph Laplacian.

/// Eigenvalues below this fraction of the largest one considered count as this fraction: they are those of parts without an edge between them.
const FLOOR: f64 = 1e-4;
/// The gap after an eigenvalue is divided by this power of the next one. With 0 it is the plain gap, which on curves, whose eigenvalues
/// grow with the square of their rank, always prefers the last; with 1 the relative gap, which splits off whatever is furthest first.
const POWER: f64 = 0.85;

/// The number of clusters k ≥ 2 with the largest gap between the k-th and the (k+1)-th smallest eigenvalue of a normalized Laplacian (von Luxburg 2007,
/// section 8.3), relative to the size of the latter. `eigenvalues` come smallest first, without the 0 of the constant vector; `None` if there are fewer than two. A graph that had
/// `n_parts` connected components before bridges joined them has as many eigenvalues of 0 but for the bridges: no smaller number is proposed.
pub(crate) fn eigengap(eigenvalues: &[f64], n_parts: usize) -> Option<usize> {
    let least = n_parts.saturating_sub(1).clamp(1, eigenvalues.len().max(1));
    let floor = FLOOR * eigenvalues.last()?;
    let gap = |place: usize| {
        let value = |place: usize| match place {
            place if place + 1 < n_parts => floor,
            place => eigenvalues[place].max(floor),
        };
        let (before, after) = (value(place - 1), value(place));
        if after > 0.0 {
            (after - before) / after.powf(POWER)
        } else {
            0.0
        }
    };
    let better = |best: usize, place: usize| {
        if gap(place) > gap(best) { place } else { best }
    };
    // The value at place p follows p others and the 0 of the constant: a gap before it means p + 1 clusters.
    match eigenvalues.len() {
        0 | 1 => None,
        n if least >= n => Some(n + 1),
        n => Some((least + 1..n).fold(least, better) + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_follows_the_clusters() {
        // Three groups with few edges between them.
        assert_eq!(eigengap(&[0.001, 0.002, 0.28, 0.29, 0.3], 1), Some(3));
        // Three parts without any edge between them.
        assert_eq!(eigengap(&[0.0, 1e-17, 0.28, 0.29, 0.3], 1), Some(3));
        // Two curves: pairs of eigenvalues that grow with the square of their number.
        let curves = [1e-5, 0.001, 0.001, 0.004, 0.004, 0.009, 0.009, 0.016];
        assert_eq!(eigengap(&curves, 1), Some(2));
        // The same where the bridge between them is as strong as the curves.
        let bridged = [5e-4, 0.001, 0.001, 0.004, 0.004, 0.009, 0.009, 0.016];
        assert_eq!(eigengap(&bridged, 1), Some(4));
        assert_eq!(eigengap(&bridged, 2), Some(2));
        assert_eq!(eigengap(&bridged, 40), Some(9));
        assert_eq!(eigengap(&[0.1], 1), None);
        assert_eq!(eigengap(&[0.0, 0.0], 1), Some(2));
    }
}
