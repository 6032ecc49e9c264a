//! The scores of a panel and a group, in the registers that the processor has.

use std::fmt::Debug;

use super::{GROUP, Own};
use crate::linalg::scatter_kernel::Level;

/// The widest panel.
const WIDEST: usize = 32;

/// What scores are counted in.
pub(crate) trait Sum: Copy + PartialOrd + Debug + Send + Sync + 'static {
    /// Below every score.
    const LEAST: Self;
    /// Above every score.
    const MOST: Self;

    /// a + b.
    fn plus(self, other: Self) -> Self;

    /// a − b.
    fn less(self, other: Self) -> Self;

    /// In double precision.
    fn double(self) -> f64;
}

macro_rules! sum {
    ($sum:ty, $least:expr, $most:expr) => {
        impl Sum for $sum {
            const LEAST: Self = $least;
            const MOST: Self = $most;

            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn less(self, other: Self) -> Self {
                self - other
            }

            fn double(self) -> f64 {
                f64::from(self)
            }
        }
    };
}
sum!(f32, f32::NEG_INFINITY, f32::INFINITY);
sum!(f64, f64::NEG_INFINITY, f64::INFINITY);
// Far enough from the ends for a few sums of scores, which stay below 2²⁹.
sum!(i32, -(1 << 30), 1 << 30);

/// A number that products are made of.
pub(crate) trait Score: Copy + Debug + Send + Sync + 'static {
    /// What scores are counted in.
    type Sum: Sum;
    /// Rows of a panel.
    const WIDTH: usize;
    /// Nothing.
    const ZERO: Self;

    /// The scores that are above a threshold.
    fn tile(level: Level, tile: &Tile<'_, Self>, found: &mut Survivors<Self::Sum>);
}

/// Four columns of small whole numbers: bytes with a sign in a panel, without one in a group. Scores are
/// exact as long as they stay below 2²⁹.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quad(u32);

impl Quad {
    /// For a group: numbers from 0 to 255.
    pub(crate) fn query(numbers: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(numbers))
    }

    /// For a panel: the same numbers; what enters the products is 128 less.
    pub(crate) fn known(numbers: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(numbers) ^ 0x8080_8080)
    }

    /// True if this processor multiplies four at a time.
    pub(crate) fn is_fast() -> bool {
        #[cfg(target_arch = "x86_64")]
        return is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    fn product(group: Self, panel: Self) -> i32 {
        let pairs = group.0.to_le_bytes().into_iter().zip(panel.0.to_le_bytes());
        pairs.map(|(a, b)| i32::from(a) * i32::from(b as i8)).sum()
    }
}

/// What a group's rows add, and the thresholds of a panel's rows.
type Back<'a, S> = (&'a [S; GROUP], &'a [S]);

/// One panel and one group.
pub(crate) struct Tile<'a, T: Score> {
    pub(super) panel: &'a [T],
    pub(super) own: &'a [Own<T::Sum>],
    pub(super) group: &'a [T],
    pub(super) width: usize,
    pub(super) thresholds: &'a [T::Sum; GROUP],
    /// What the group's rows add, and the thresholds of the panel's rows.
    pub(super) back: Option<Back<'a, T::Sum>>,
}

impl<T: Score> Tile<'_, T> {
    /// Fails if the loops below would leave the numbers; the number of columns.
    fn check(&self) -> usize {
        let n_columns = self.panel.len() / T::WIDTH;
        assert!(matches!(self.width, 4 | 8 | 12));
        assert!(self.panel.len() == n_columns * T::WIDTH);
        assert!(self.group.len() == n_columns * self.width);
        assert!(self.own.len() == T::WIDTH && T::WIDTH <= WIDEST);
        assert!(self.back.is_none_or(|back| back.1.len() == T::WIDTH));
        n_columns
    }

    fn starts(&self) -> [T::Sum; WIDEST] {
        let mut starts = [T::Sum::LEAST; WIDEST];
        for (start, own) in starts.iter_mut().zip(self.own) {
            *start = own.start;
        }
        starts
    }
}

/// Scores above a threshold: a row of bits for each row of the group, and the scores of rows with a bit.
pub(crate) struct Survivors<S> {
    masks: [u32; GROUP],
    scores: [[S; WIDEST]; GROUP],
}

impl<S: Sum> Survivors<S> {
    pub(super) fn new() -> Self {
        Self {
            masks: [0; GROUP],
            scores: [[S::LEAST; WIDEST]; GROUP],
        }
    }

    /// Calls `work` with the row, the index in the panel and the score.
    #[inline]
    pub(super) fn each(&self, n_rows: usize, mut work: impl FnMut(usize, usize, S)) {
        for (row, &mask) in self.masks.iter().enumerate().take(n_rows) {
            let mut mask = mask;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                work(row, lane, self.scores[row][lane]);
            }
        }
    }
}

/// The tile in plain Rust; `step` is a · b + c.
#[inline(always)]
fn plain<T: Score>(
    tile: &Tile<'_, T>,
    found: &mut Survivors<T::Sum>,
    step: impl Fn(T, T, T::Sum) -> T::Sum,
) {
    tile.check();
    let starts = tile.starts();
    for row in 0..tile.width {
        let mut scores = starts;
        let ones = tile.group.iter().skip(row).step_by(tile.width);
        for (&one, panel) in ones.zip(tile.panel.chunks_exact(T::WIDTH)) {
            for (score, &number) in scores.iter_mut().zip(panel) {
                *score = step(one, number, *score);
            }
        }
        let mut mask = 0;
        for (lane, &score) in scores[..T::WIDTH].iter().enumerate() {
            let back = (tile.back).is_some_and(|(turns, back)| score > back[lane].less(turns[row]));
            mask |= u32::from(score > tile.thresholds[row] || back) << lane;
        }
        found.masks[row] = mask;
        found.scores[row] = scores;
    }
}

macro_rules! real {
    ($real:ty, $width:literal, $avx512:ident, $avx2:ident) => {
        impl Score for $real {
            type Sum = $real;
            const WIDTH: usize = $width;
            const ZERO: Self = 0.0;

            fn tile(level: Level, tile: &Tile<'_, Self>, found: &mut Survivors<Self>) {
                match level {
                    // SAFETY: the level was detected.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => unsafe { x86::$avx512::all(tile, found) },
                    // SAFETY: the level was detected.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => unsafe { x86::$avx2::all(tile, found) },
                    Level::Portable
                        if cfg!(any(target_arch = "aarch64", target_feature = "fma")) =>
                    {
                        plain(tile, found, <$real>::mul_add);
                    }
                    Level::Portable => plain(tile, found, |a, b, c| a * b + c),
                }
            }
        }
    };
}
real!(f32, 32, single512, single256);
real!(f64, 16, double512, double256);

impl Score for Quad {
    type Sum = i32;
    const WIDTH: usize = 32;
    const ZERO: Self = Self(0);

    fn tile(level: Level, tile: &Tile<'_, Self>, found: &mut Survivors<i32>) {
        match level {
            // SAFETY: both were detected.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if Self::is_fast() => unsafe { x86::quads512::all(tile, found) },
            // SAFETY: the level was detected, and AVX-512 includes AVX2.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Avx2 => unsafe { x86::quads256::all(tile, found) },
            _ => plain(tile, found, |a, b, c| c + Self::product(a, b)),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    /// A module with the tile of one kind of number: two registers across, `$most` rows at a time.
    macro_rules! tile {
        (
            $name:ident, $number:ty, $sum:ty, $features:literal, $lanes:literal, $sizes:tt,
            $load:expr, $load_sum:expr, $spread:expr, $spread_sum:expr,
            $step:expr, $less:expr, $above:expr, $store:expr
        ) => {
            pub(in super::super) mod $name {
                use std::arch::x86_64::*;

                use super::super::*;

                /// # Safety
                /// The processor must have the features.
                #[target_feature(enable = $features)]
                pub(in super::super) unsafe fn all(
                    tile: &Tile<'_, $number>,
                    found: &mut Survivors<$sum>,
                ) {
                    let n_columns = tile.check();
                    let starts = tile.starts();
                    found.masks = [0; GROUP];
                    for first in (0..<$number>::WIDTH).step_by(2 * $lanes) {
                        // SAFETY: the features are there, and the indices were checked.
                        unsafe {
                            super::rows!(
                                $sizes,
                                tile.width,
                                part,
                                (tile, n_columns, first, &starts, found)
                            );
                        }
                    }
                }

                /// `R` rows from `top` on with two registers of the panel.
                ///
                /// # Safety
                /// The processor must have the features, and the indices must have been checked.
                #[target_feature(enable = $features)]
                unsafe fn part<const R: usize>(
                    top: usize,
                    tile: &Tile<'_, $number>,
                    n_columns: usize,
                    first: usize,
                    starts: &[$sum; WIDEST],
                    found: &mut Survivors<$sum>,
                ) {
                    // SAFETY: all indices were checked to be within the numbers.
                    unsafe {
                        let from = starts.as_ptr().add(first);
                        let begin = [$load_sum(from), $load_sum(from.add($lanes))];
                        let mut chains = [begin; R];
                        let mut a = tile.group.as_ptr().add(top);
                        let mut b = tile.panel.as_ptr().add(first);
                        for _ in 0..n_columns {
                            let (low, high) = ($load(b), $load(b.add($lanes)));
                            for (r, chain) in chains.iter_mut().enumerate() {
                                let one = $spread(a.add(r));
                                chain[0] = $step(one, low, chain[0]);
                                chain[1] = $step(one, high, chain[1]);
                            }
                            // After the last column they would lie beyond the numbers, where `add` may not go.
                            a = a.wrapping_add(tile.width);
                            b = b.wrapping_add(<$number>::WIDTH);
                        }
                        for (r, chain) in chains.iter().enumerate() {
                            let row = top + r;
                            let own = $spread_sum(tile.thresholds[row]);
                            let mut mask = $above(chain[0], own) | $above(chain[1], own) << $lanes;
                            if let Some((turns, back)) = tile.back {
                                let (back, turn) =
                                    (back.as_ptr().add(first), $spread_sum(turns[row]));
                                mask |= $above(chain[0], $less($load_sum(back), turn));
                                mask |= $above(chain[1], $less($load_sum(back.add($lanes)), turn))
                                    << $lanes;
                            }
                            if mask != 0 {
                                found.masks[row] |= mask << first;
                                let to = found.scores[row].as_mut_ptr().add(first);
                                $store(to, chain[0]);
                                $store(to.add($lanes), chain[1]);
                            }
                        }
                    }
                }
            }
        };
    }

    /// Calls a part for all rows of a group, with as many at a time as there are registers for.
    macro_rules! rows {
        (many, $width:expr, $part:ident, ($($argument:expr),*)) => {
            match $width {
                12 => $part::<12>(0, $($argument),*),
                8 => $part::<8>(0, $($argument),*),
                _ => $part::<4>(0, $($argument),*),
            }
        };
        (few, $width:expr, $part:ident, ($($argument:expr),*)) => {
            match $width {
                12 => {
                    $part::<6>(0, $($argument),*);
                    $part::<6>(6, $($argument),*);
                }
                8 => {
                    $part::<4>(0, $($argument),*);
                    $part::<4>(4, $($argument),*);
                }
                _ => $part::<4>(0, $($argument),*),
            }
        };
    }
    use rows;

    tile!(
        single512,
        f32,
        f32,
        "avx512f",
        16,
        many,
        |at: *const f32| _mm512_loadu_ps(at),
        |at: *const f32| _mm512_loadu_ps(at),
        |at: *const f32| _mm512_set1_ps(*at),
        |one: f32| _mm512_set1_ps(one),
        |a, b, c| _mm512_fmadd_ps(a, b, c),
        |a, b| _mm512_sub_ps(a, b),
        |a, b| u32::from(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b)),
        |to: *mut f32, from| _mm512_storeu_ps(to, from)
    );
    tile!(
        double512,
        f64,
        f64,
        "avx512f",
        8,
        many,
        |at: *const f64| _mm512_loadu_pd(at),
        |at: *const f64| _mm512_loadu_pd(at),
        |at: *const f64| _mm512_set1_pd(*at),
        |one: f64| _mm512_set1_pd(one),
        |a, b, c| _mm512_fmadd_pd(a, b, c),
        |a, b| _mm512_sub_pd(a, b),
        |a, b| u32::from(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b)),
        |to: *mut f64, from| _mm512_storeu_pd(to, from)
    );
    tile!(
        single256,
        f32,
        f32,
        "avx2,fma",
        8,
        few,
        |at: *const f32| _mm256_loadu_ps(at),
        |at: *const f32| _mm256_loadu_ps(at),
        |at: *const f32| _mm256_set1_ps(*at),
        |one: f32| _mm256_set1_ps(one),
        |a, b, c| _mm256_fmadd_ps(a, b, c),
        |a, b| _mm256_sub_ps(a, b),
        |a, b| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a, b)) as u32,
        |to: *mut f32, from| _mm256_storeu_ps(to, from)
    );
    tile!(
        double256,
        f64,
        f64,
        "avx2,fma",
        4,
        few,
        |at: *const f64| _mm256_loadu_pd(at),
        |at: *const f64| _mm256_loadu_pd(at),
        |at: *const f64| _mm256_set1_pd(*at),
        |one: f64| _mm256_set1_pd(one),
        |a, b, c| _mm256_fmadd_pd(a, b, c),
        |a, b| _mm256_sub_pd(a, b),
        |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a, b)) as u32,
        |to: *mut f64, from| _mm256_storeu_pd(to, from)
    );
    tile!(
        quads512,
        Quad,
        i32,
        "avx512f,avx512vnni",
        16,
        many,
        |at: *const Quad| _mm512_loadu_si512(at.cast()),
        |at: *const i32| _mm512_loadu_si512(at.cast()),
        |at: *const Quad| _mm512_set1_epi32((*at).0 as i32),
        |one: i32| _mm512_set1_epi32(one),
        |a, b, c| _mm512_dpbusd_epi32(c, a, b),
        |a, b| _mm512_sub_epi32(a, b),
        |a, b| u32::from(_mm512_cmpgt_epi32_mask(a, b)),
        |to: *mut i32, from| _mm512_storeu_si512(to.cast(), from)
    );
    // Products of bytes two by two would overflow their sums: even and odd bytes go each by themselves, as halves of words.
    tile!(
        quads256,
        Quad,
        i32,
        "avx2",
        8,
        few,
        |at: *const Quad| _mm256_loadu_si256(at.cast()),
        |at: *const i32| _mm256_loadu_si256(at.cast()),
        |at: *const Quad| _mm256_set1_epi32((*at).0 as i32),
        |one: i32| _mm256_set1_epi32(one),
        |a, b, c| {
            let even = _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(b));
            let even = _mm256_madd_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), even);
            let odd = _mm256_madd_epi16(_mm256_srli_epi16::<8>(a), _mm256_srai_epi16::<8>(b));
            _mm256_add_epi32(c, _mm256_add_epi32(even, odd))
        },
        |a, b| _mm256_sub_epi32(a, b),
        |a, b| _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))) as u32,
        |to: *mut i32, from| _mm256_storeu_si256(to.cast(), from)
    );
}
