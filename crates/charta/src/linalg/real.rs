//! The two precisions.

use std::fmt::{Debug, Display};

use faer::traits::RealField;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`: what stages are generic over. Public signatures name the types instead.
pub trait Real:
    sealed::Sealed
    + RealField
    + num_traits::Float
    + num_traits::FromPrimitive
    + Copy
    + Send
    + Sync
    + Debug
    + Display
    + 'static
{
    /// Rounds to this precision.
    fn of(value: f64) -> Self;

    /// Widens to double precision.
    fn wide(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
}
