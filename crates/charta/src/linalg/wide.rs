//! Plain loops, compiled for the widest registers that the processor turns out to have.
//!
//! A program is built for every processor of its kind, which on x86-64 means 128-bit registers and no fused
//! multiply–add. A loop that is handed over here is compiled three times, and the best form is taken when it
//! runs. The forms with fused steps give the same bits.

use super::real::Real;
use super::scatter_kernel::Level;

/// A loop without calls, over numbers side by side.
pub(crate) trait Loop {
    /// What it leaves.
    type Output;

    /// Runs it; marked `#[inline(always)]`, so that it is compiled for its caller's processor. `FUSED` is for
    /// [`step`].
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// a · b + c, rounded once where that is one instruction.
#[inline(always)]
pub(crate) fn step<T: Real, const FUSED: bool>(a: T, b: T, c: T) -> T {
    if FUSED {
        num_traits::Float::mul_add(a, b, c)
    } else {
        a * b + c
    }
}

/// Runs a loop in the best form for this processor.
pub(crate) fn run<L: Loop>(work: L) -> L::Output {
    match Level::detect() {
        // SAFETY: the level was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::avx512(work) },
        // SAFETY: the level was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::avx2(work) },
        Level::Portable if cfg!(any(target_arch = "aarch64", target_feature = "fma")) => {
            work.run::<true>()
        }
        Level::Portable => work.run::<false>(),
    }
}

/// True if there are 32 registers of 512 bits.
pub(super) fn has_many_registers() -> bool {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => true,
        _ => false,
    }
}

/// Runs a loop that needs many registers, where they are; elsewhere, in the plainest form.
pub(super) fn run_widest<L: Loop>(work: L) -> L::Output {
    match Level::detect() {
        // SAFETY: the level was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::avx512(work) },
        _ => work.run::<false>(),
    }
}

/// Prefetches numbers that will be needed soon: without it, reading rows from memory made the products of
/// `narrow` a third slower.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, on every processor of this kind, and the place is borrowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Loop;

    /// # Safety
    /// The processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn avx512<L: Loop>(work: L) -> L::Output {
        work.run::<true>()
    }

    /// # Safety
    /// The processor must have AVX2 and fused multiply–add.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn avx2<L: Loop>(work: L) -> L::Output {
        work.run::<true>()
    }
}

/// The sum of all lanes: halves onto each other, always in the same order.
#[inline(always)]
pub(crate) fn total<T: Real, const L: usize>(mut lanes: [T; L]) -> T {
    let mut width = L / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}
