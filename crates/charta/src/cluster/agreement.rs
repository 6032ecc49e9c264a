//! Agreement of two clusterings: the adjusted Rand index.

use std::collections::BTreeMap;

use crate::error::{Error, Result, message};

/// The adjusted Rand index of two groupings of the same rows: 1 if they are the same but for names, about 0 if they
/// have no more in common than chance (Hubert and Arabie, "Comparing partitions", 1985).
///
/// ```
/// use charta::cluster::adjusted_rand;
/// assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[7, 7, 3, 3])?, 1.0);
/// assert!(adjusted_rand(&[0, 0, 1, 1], &[0, 1, 0, 1])? < 0.0);
/// # Ok::<(), charta::Error>(())
/// ```
pub fn adjusted_rand(first: &[u32], second: &[u32]) -> Result<f64> {
    if first.len() != second.len() {
        return Err(Error::shape(
            message!("{:rows} of the second grouping"),
            first.len(),
            second.len(),
        ));
    }
    let pairs = |count: &u64| (count * count.saturating_sub(1)) as f64 / 2.0;
    let (mut both, mut left, mut right) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (&a, &b) in first.iter().zip(second) {
        *both.entry((a, b)).or_insert(0_u64) += 1;
        *left.entry(a).or_insert(0_u64) += 1;
        *right.entry(b).or_insert(0_u64) += 1;
    }
    let together: f64 = both.values().map(pairs).sum();
    let (in_left, in_right): (f64, f64) = (
        left.values().map(pairs).sum(),
        right.values().map(pairs).sum(),
    );
    let all = pairs(&(first.len() as u64));
    let expected = if all > 0.0 {
        in_left * in_right / all
    } else {
        0.0
    };
    let most = f64::midpoint(in_left, in_right);
    // Both put everything together, or everything apart: nothing is left to chance.
    if most <= expected {
        return Ok(1.0);
    }
    Ok((together - expected) / (most - expected))
}
