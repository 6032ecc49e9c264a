//! L-BFGS: the inverse Hessian of a smooth function, approximated from the last few steps.
//!
//! Each pair of a step s and the change y of the gradient along it tells one curvature, sᵀy. [`History`] keeps the last pairs and applies the inverse
//! Hessian that they imply to a gradient, by the two-loop recursion (Nocedal, "Updating quasi-Newton matrices with limited storage", 1980;
//! Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.4). The initial Hessian H₀ is given by the caller, so that a preconditioner can take its place.
//! Sums are taken in the order of the numbers: the result does not depend on the number of threads.

use std::collections::VecDeque;

use ndarray::{Array, Dimension};

/// Pairs whose curvature sᵀy is below this share of |s| |y| are not kept: the function is not convex along them, or rounding prevails.
const LEAST_CURVATURE: f64 = 1e-10;

/// One step and the change of the gradient along it.
struct Pair<D: Dimension> {
    step: Array<f64, D>,
    change: Array<f64, D>,
    /// stepᵀ change.
    curvature: f64,
}

/// The last steps of a minimization, at most `size` of them.
pub(crate) struct History<D: Dimension> {
    size: usize,
    pairs: VecDeque<Pair<D>>,
}

impl<D: Dimension> History<D> {
    /// An empty history that will keep at most `size` pairs.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            pairs: VecDeque::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Adds a step and the change of the gradient along it, unless their curvature is not clearly positive; the oldest pair goes if there are too many.
    pub(crate) fn push(&mut self, step: Array<f64, D>, change: Array<f64, D>) {
        let curvature = dot(&step, &change);
        let sizes = (dot(&step, &step) * dot(&change, &change)).sqrt();
        if self.size == 0 || curvature.is_nan() || curvature <= LEAST_CURVATURE * sizes {
            return;
        }
        if self.pairs.len() == self.size {
            self.pairs.pop_front();
        }
        self.pairs.push_back(Pair {
            step,
            change,
            curvature,
        });
    }

    /// The inverse Hessian times a gradient. `precondition` applies H₀, which is then scaled to the curvature of the last pair.
    pub(crate) fn apply(
        &self,
        gradient: &Array<f64, D>,
        precondition: impl Fn(&Array<f64, D>) -> Array<f64, D>,
    ) -> Array<f64, D> {
        let mut rest = gradient.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.step, &rest) / pair.curvature;
            rest.scaled_add(-share, &pair.change);
            shares.push(share);
        }
        let mut direction = precondition(&rest);
        if let Some(last) = self.pairs.back() {
            let length = dot(&last.change, &precondition(&last.change));
            if length > 0.0 {
                direction *= last.curvature / length;
            }
        }
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let other = dot(&pair.change, &direction) / pair.curvature;
            direction.scaled_add(share - other, &pair.step);
        }
        direction
    }
}

/// Σ a b, in the order of the numbers.
pub(crate) fn dot<D: Dimension>(a: &Array<f64, D>, b: &Array<f64, D>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::*;

    /// With as many independent steps as there are numbers, the inverse Hessian of a quadratic function is found exactly along them.
    #[test]
    fn the_curvature_along_known_steps_is_exact() {
        let hessian = array![[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]];
        let mut history = History::new(3);
        let mut last = Array1::zeros(3);
        for step in [
            array![1.0, 0.0, 0.0],
            array![0.2, 1.0, 0.0],
            array![-0.4, 0.3, 1.0],
        ] {
            last = hessian.dot(&step);
            history.push(step, last.clone());
        }
        // The secant equation: the last change leads back to the last step.
        let found = history.apply(&last, Clone::clone);
        let wanted = array![-0.4, 0.3, 1.0];
        assert!(
            (found - wanted).iter().all(|off: &f64| off.abs() < 1e-12),
            "secant equation"
        );
    }

    #[test]
    fn steps_without_positive_curvature_are_not_kept() {
        let mut history = History::new(2);
        history.push(array![1.0, 0.0], array![-1.0, 0.0]);
        history.push(array![1.0, 0.0], array![f64::NAN, 0.0]);
        assert!(history.is_empty());
        for _ in 0..3 {
            history.push(array![1.0, 0.0], array![2.0, 0.0]);
        }
        assert_eq!(history.pairs.len(), 2);
    }
}
