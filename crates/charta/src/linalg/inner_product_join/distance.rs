//! Sums over two rows: squared distances and products, with a fixed order of the sums.
//!
//! Numbers are added in 64 lanes (32 in double precision) that are then added up halves onto each other, so
//! that AVX2 and AVX-512 give the same bits. Left to the compiler, the loop took 15 times as long.

use crate::linalg::Real;
use crate::linalg::scatter_kernel::Level;
use crate::linalg::wide::{step, total};

/// A precision with its sums over two rows.
pub(crate) trait Measure: Real {
    /// The squared distance between two rows of the same length, in this precision.
    fn squared_distance(a: &[Self], b: &[Self]) -> Self;

    /// The squared distance, summed in double precision.
    fn squared_distance_wide(a: &[Self], b: &[Self]) -> f64;

    /// The product, summed in double precision.
    fn product_wide(a: &[Self], b: &[Self]) -> f64;
}

/// The step of a squared distance.
#[inline(always)]
fn square<T: Real, const FUSED: bool>(a: T, b: T, sum: T) -> T {
    let apart = a - b;
    step::<T, FUSED>(apart, apart, sum)
}

/// Sums in plain Rust: `4 L` lanes in which `add` takes numbers of both rows and a sum.
#[inline(always)]
fn plain<T: Real, S: Real, const L: usize>(
    a: &[T],
    b: &[T],
    widen: impl Fn(T) -> S,
    add: impl Fn(S, S, S) -> S,
) -> S {
    let mut sums = [[S::of(0.0); L]; 4];
    for (a, b) in a.chunks(4 * L).zip(b.chunks(4 * L)) {
        let pairs = a.iter().zip(b);
        for (sum, (&a, &b)) in sums.as_flattened_mut().iter_mut().zip(pairs) {
            *sum = add(widen(a), widen(b), *sum);
        }
    }
    let [mut first, second, third, fourth] = sums;
    for (lane, sum) in first.iter_mut().enumerate() {
        *sum = (*sum + second[lane]) + (third[lane] + fourth[lane]);
    }
    total(first)
}

/// Chooses the form of a sum for this processor.
macro_rules! sum {
    ($level:expr, $a:ident, $b:ident, $name:ident, $lanes:literal, $widen:expr, $add:ident) => {{
        assert!($a.len() == $b.len(), "rows of different lengths");
        match $level {
            // SAFETY: the level was detected.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86::$name::wide($a, $b) },
            // SAFETY: the level was detected.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86::$name::narrow($a, $b) },
            Level::Portable if cfg!(any(target_arch = "aarch64", target_feature = "fma")) => {
                plain::<_, _, $lanes>($a, $b, $widen, $add::<_, true>)
            }
            Level::Portable => plain::<_, _, $lanes>($a, $b, $widen, $add::<_, false>),
        }
    }};
}

macro_rules! measure {
    ($real:ty, $lanes:literal, $distance:ident, $wide:ident, $product:ident) => {
        impl Measure for $real {
            fn squared_distance(a: &[Self], b: &[Self]) -> Self {
                sum!(
                    Level::detect(),
                    a,
                    b,
                    $distance,
                    $lanes,
                    |x: Self| x,
                    square
                )
            }

            fn squared_distance_wide(a: &[Self], b: &[Self]) -> f64 {
                sum!(
                    Level::detect(),
                    a,
                    b,
                    $wide,
                    8,
                    |x: Self| f64::from(x),
                    square
                )
            }

            fn product_wide(a: &[Self], b: &[Self]) -> f64 {
                sum!(
                    Level::detect(),
                    a,
                    b,
                    $product,
                    8,
                    |x: Self| f64::from(x),
                    step
                )
            }
        }
    };
}
measure!(
    f32,
    16,
    single_distance,
    single_distance_wide,
    single_product
);
measure!(f64, 8, double_distance, double_distance, double_product);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// A sum with four registers of 512 bits, or eight of 256.
    macro_rules! sum {
        (
            $name:ident, $number:ty, $sum:ty, $lanes:literal,
            $mask:ty, $some512:expr, $load512:expr, $zero512:expr, $step512:expr, $add512:expr, $store512:expr,
            $load256:expr, $zero256:expr, $step256:expr, $add256:expr, $store256:expr
        ) => {
            pub(super) mod $name {
                use super::super::total;
                use super::*;

                const LANES: usize = 4 * $lanes;

                /// # Safety
                /// The processor must have AVX-512.
                #[target_feature(enable = "avx512f")]
                pub(in super::super) unsafe fn wide(a: &[$number], b: &[$number]) -> $sum {
                    let mut sums = [$zero512(); 4];
                    let (whole, rest) = a.as_chunks::<LANES>();
                    let (its, others) = b.as_chunks::<LANES>();
                    for (a, b) in whole.iter().zip(its) {
                        for (part, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: the part is within the lanes.
                            let (a, b) = unsafe {
                                (
                                    $load512(a.as_ptr().add(part * $lanes)),
                                    $load512(b.as_ptr().add(part * $lanes)),
                                )
                            };
                            *sum = $step512(a, b, *sum);
                        }
                    }
                    if !rest.is_empty() {
                        for (part, sum) in sums.iter_mut().enumerate() {
                            let left = rest.len().saturating_sub(part * $lanes).min($lanes);
                            let mask = ((1_u32 << left) - 1) as $mask;
                            let from = (part * $lanes).min(rest.len());
                            // SAFETY: only as many numbers as are left are read.
                            let (a, b) = unsafe {
                                (
                                    $some512(mask, rest.as_ptr().add(from)),
                                    $some512(mask, others.as_ptr().add(from)),
                                )
                            };
                            *sum = $step512(a, b, *sum);
                        }
                    }
                    let [first, second, third, fourth] = sums;
                    let mut lanes = [0.0; $lanes];
                    // SAFETY: there is room for a register.
                    unsafe {
                        $store512(
                            lanes.as_mut_ptr(),
                            $add512($add512(first, second), $add512(third, fourth)),
                        )
                    };
                    total(lanes)
                }

                /// # Safety
                /// The processor must have AVX2 and fused multiply–add.
                #[target_feature(enable = "avx2,fma")]
                pub(in super::super) unsafe fn narrow(a: &[$number], b: &[$number]) -> $sum {
                    const HALF: usize = $lanes / 2;
                    let mut sums = [$zero256(); 8];
                    let (whole, rest) = a.as_chunks::<LANES>();
                    let (its, others) = b.as_chunks::<LANES>();
                    for (a, b) in whole.iter().zip(its) {
                        for (part, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: the part is within the lanes.
                            let (a, b) = unsafe {
                                (
                                    $load256(a.as_ptr().add(part * HALF)),
                                    $load256(b.as_ptr().add(part * HALF)),
                                )
                            };
                            *sum = $step256(a, b, *sum);
                        }
                    }
                    if !rest.is_empty() {
                        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
                        a[..rest.len()].copy_from_slice(rest);
                        b[..others.len()].copy_from_slice(others);
                        for (part, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: as above.
                            let (a, b) = unsafe {
                                (
                                    $load256(a.as_ptr().add(part * HALF)),
                                    $load256(b.as_ptr().add(part * HALF)),
                                )
                            };
                            *sum = $step256(a, b, *sum);
                        }
                    }
                    let mut lanes = [0.0; $lanes];
                    for half in 0..2 {
                        let low = $add256(sums[half], sums[half + 2]);
                        let high = $add256(sums[half + 4], sums[half + 6]);
                        // SAFETY: there is room for two registers.
                        unsafe {
                            $store256(lanes.as_mut_ptr().add(half * HALF), $add256(low, high))
                        };
                    }
                    total(lanes)
                }
            }
        };
    }

    sum!(
        single_distance,
        f32,
        f32,
        16,
        __mmask16,
        |some, at: *const f32| _mm512_maskz_loadu_ps(some, at),
        |at: *const f32| _mm512_loadu_ps(at),
        || _mm512_setzero_ps(),
        |a, b, sum| {
            let apart = _mm512_sub_ps(a, b);
            _mm512_fmadd_ps(apart, apart, sum)
        },
        |a, b| _mm512_add_ps(a, b),
        |to: *mut f32, from| _mm512_storeu_ps(to, from),
        |at: *const f32| _mm256_loadu_ps(at),
        || _mm256_setzero_ps(),
        |a, b, sum| {
            let apart = _mm256_sub_ps(a, b);
            _mm256_fmadd_ps(apart, apart, sum)
        },
        |a, b| _mm256_add_ps(a, b),
        |to: *mut f32, from| _mm256_storeu_ps(to, from)
    );
    sum!(
        single_distance_wide,
        f32,
        f64,
        8,
        __mmask8,
        |some, at: *const f32| _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(
            u16::from(some),
            at
        ))),
        |at: *const f32| _mm512_cvtps_pd(_mm256_loadu_ps(at)),
        || _mm512_setzero_pd(),
        |a, b, sum| {
            let apart = _mm512_sub_pd(a, b);
            _mm512_fmadd_pd(apart, apart, sum)
        },
        |a, b| _mm512_add_pd(a, b),
        |to: *mut f64, from| _mm512_storeu_pd(to, from),
        |at: *const f32| _mm256_cvtps_pd(_mm_loadu_ps(at)),
        || _mm256_setzero_pd(),
        |a, b, sum| {
            let apart = _mm256_sub_pd(a, b);
            _mm256_fmadd_pd(apart, apart, sum)
        },
        |a, b| _mm256_add_pd(a, b),
        |to: *mut f64, from| _mm256_storeu_pd(to, from)
    );
    sum!(
        single_product,
        f32,
        f64,
        8,
        __mmask8,
        |some, at: *const f32| _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(
            u16::from(some),
            at
        ))),
        |at: *const f32| _mm512_cvtps_pd(_mm256_loadu_ps(at)),
        || _mm512_setzero_pd(),
        |a, b, sum| _mm512_fmadd_pd(a, b, sum),
        |a, b| _mm512_add_pd(a, b),
        |to: *mut f64, from| _mm512_storeu_pd(to, from),
        |at: *const f32| _mm256_cvtps_pd(_mm_loadu_ps(at)),
        || _mm256_setzero_pd(),
        |a, b, sum| _mm256_fmadd_pd(a, b, sum),
        |a, b| _mm256_add_pd(a, b),
        |to: *mut f64, from| _mm256_storeu_pd(to, from)
    );
    sum!(
        double_distance,
        f64,
        f64,
        8,
        __mmask8,
        |some, at: *const f64| _mm512_maskz_loadu_pd(some, at),
        |at: *const f64| _mm512_loadu_pd(at),
        || _mm512_setzero_pd(),
        |a, b, sum| {
            let apart = _mm512_sub_pd(a, b);
            _mm512_fmadd_pd(apart, apart, sum)
        },
        |a, b| _mm512_add_pd(a, b),
        |to: *mut f64, from| _mm512_storeu_pd(to, from),
        |at: *const f64| _mm256_loadu_pd(at),
        || _mm256_setzero_pd(),
        |a, b, sum| {
            let apart = _mm256_sub_pd(a, b);
            _mm256_fmadd_pd(apart, apart, sum)
        },
        |a, b| _mm256_add_pd(a, b),
        |to: *mut f64, from| _mm256_storeu_pd(to, from)
    );
    sum!(
        double_product,
        f64,
        f64,
        8,
        __mmask8,
        |some, at: *const f64| _mm512_maskz_loadu_pd(some, at),
        |at: *const f64| _mm512_loadu_pd(at),
        || _mm512_setzero_pd(),
        |a, b, sum| _mm512_fmadd_pd(a, b, sum),
        |a, b| _mm512_add_pd(a, b),
        |to: *mut f64, from| _mm512_storeu_pd(to, from),
        |at: *const f64| _mm256_loadu_pd(at),
        || _mm256_setzero_pd(),
        |a, b, sum| _mm256_fmadd_pd(a, b, sum),
        |a, b| _mm256_add_pd(a, b),
        |to: *mut f64, from| _mm256_storeu_pd(to, from)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream};

    fn agree<T: Measure>(exact: f64, all: impl Fn(Level, &[T], &[T]) -> [f64; 3]) {
        let mut draw = stream(5, 0);
        for length in [0, 1, 7, 31, 32, 33, 64, 100, 784] {
            let mut row = || -> Vec<T> { (0..length).map(|_| T::of(normal(&mut draw))).collect() };
            let (a, b) = (row(), row());
            let pairs = || a.iter().zip(&b).map(|(&a, &b)| (a.wide(), b.wide()));
            let distance: f64 = pairs().map(|(a, b)| (a - b) * (a - b)).sum();
            let product: f64 = pairs().map(|(a, b)| a * b).sum();
            let mut fused = Vec::new();
            for level in crate::linalg::scatter_kernel::tests::levels() {
                let got = all(level, &a, &b);
                assert!(
                    (got[0] - distance).abs() <= exact * (1.0 + distance),
                    "{level:?}"
                );
                assert!(
                    (got[1] - distance).abs() <= 1e-13 * (1.0 + distance),
                    "{level:?}"
                );
                assert!(
                    (got[2] - product).abs() <= 1e-13 * (1.0 + distance),
                    "{level:?}"
                );
                if level != Level::Portable {
                    fused.push(got);
                }
            }
            assert!(
                fused.windows(2).all(|pair| pair[0] == pair[1]),
                "other bits"
            );
        }
    }

    #[test]
    fn every_level_gives_the_sums_and_fused_ones_the_same_bits() {
        agree::<f32>(1e-6, |level, a, b| {
            [
                f64::from(sum!(level, a, b, single_distance, 16, |x: f32| x, square)),
                sum!(
                    level,
                    a,
                    b,
                    single_distance_wide,
                    8,
                    |x: f32| f64::from(x),
                    square
                ),
                sum!(level, a, b, single_product, 8, |x: f32| f64::from(x), step),
            ]
        });
        agree::<f64>(1e-13, |level, a, b| {
            let distance = sum!(level, a, b, double_distance, 8, |x: f64| x, square);
            [
                distance,
                distance,
                sum!(level, a, b, double_product, 8, |x: f64| x, step),
            ]
        });
    }
}
