//! L-BFGS: the inverse Hessian of a smooth function, approximated from the last few steps.
//!
//! Each pair of a step s and the change y of the gradient along it gives one curvature, sᵀy. [`History`] keeps the last pairs and applies the inverse
//! Hessian that they imply to a gradient, by the two-loop recursion (Nocedal, "Updating quasi-Newton matrices with limited storage", 1980;
//! Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.4). The initial Hessian H₀ is given by the caller, so that a preconditioner can take its place.
//! Sums are taken in the order of the numbers: the result does not depend on the number of threads.
//!
//! [`LBfgs`] minimizes an [`Objective`] with it, by a backtracking line search (algorithm 3.1 of the same book).

use std::collections::VecDeque;

use ndarray::{Array, Array1, Dimension, Ix1};

use crate::error::Result;

/// Pairs whose curvature sᵀy is below this fraction of |s| |y| are not kept: the function is not convex along them, or rounding prevails.
const LEAST_CURVATURE: f64 = 1e-10;

/// The sufficient decrease constant of the Armijo condition.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Times that the line search halves a step.
const MAX_HALVINGS: usize = 40;
/// Relative changes of the value below this are rounding.
const ROUNDING: f64 = 1e-15;

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

/// A smooth function to minimize.
pub(crate) trait Objective {
    /// The value at `x`; the gradient is written.
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

/// The options of L-BFGS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LBfgs {
    /// Past steps that approximate the inverse Hessian.
    pub(crate) memory: usize,
    /// Iterations at most.
    pub(crate) max_iterations: usize,
    /// Converged when no entry of the gradient exceeds this in size.
    pub(crate) gradient_tolerance: f64,
}

impl LBfgs {
    /// The minimum found from `start`: where the gradient is within the tolerance, or no step lowers the value.
    pub(crate) fn minimize(
        &self,
        objective: &mut impl Objective,
        start: Vec<f64>,
    ) -> Result<Vec<f64>> {
        let mut current = Point::at(objective, start.into())?;
        let mut history = History::<Ix1>::new(self.memory);
        for _ in 0..self.max_iterations {
            let gradient = &current.gradient;
            if gradient.iter().all(|g| g.abs() <= self.gradient_tolerance) {
                break;
            }
            let mut direction = -history.apply(gradient, Clone::clone);
            let mut slope = dot(&direction, gradient);
            if slope >= 0.0 {
                history.clear();
                direction = -gradient;
                slope = -dot(gradient, gradient);
            }
            let first_length = if history.is_empty() {
                1.0 / dot(gradient, gradient).sqrt().max(1.0)
            } else {
                1.0
            };
            let next = line_search(objective, &current, &direction, slope, first_length)?;
            let Some(next) = next else { break };
            history.push(&next.x - &current.x, &next.gradient - &current.gradient);
            current = next;
        }
        Ok(current.x.to_vec())
    }
}

struct Point {
    x: Array1<f64>,
    gradient: Array1<f64>,
    value: f64,
}

impl Point {
    fn at(objective: &mut impl Objective, x: Array1<f64>) -> Result<Self> {
        let mut gradient = vec![0.0; x.len()];
        let point = x.as_slice().expect("an owned vector is contiguous");
        let value = objective.value_and_gradient(point, &mut gradient)?;
        Ok(Self {
            x,
            gradient: gradient.into(),
            value,
        })
    }
}

/// Halves the step until the Armijo condition holds; `None` if it never does.
fn line_search(
    objective: &mut impl Objective,
    current: &Point,
    direction: &Array1<f64>,
    slope: f64,
    first_length: f64,
) -> Result<Option<Point>> {
    let mut length = first_length;
    for _ in 0..MAX_HALVINGS {
        let next = Point::at(objective, &current.x + &(direction * length))?;
        let decreased = next.value <= current.value + SUFFICIENT_DECREASE * length * slope;
        // Near the minimum the decrease is lost in rounding, and the slope still shows whether the step helps.
        let flatter = next.value <= current.value + current.value.abs() * ROUNDING
            && dot(&next.gradient, direction).abs() < slope.abs();
        if decreased || flatter {
            return Ok(Some(next));
        }
        length *= 0.5;
    }
    Ok(None)
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
        // The secant equation: the last change of the gradient maps to the last step.
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

    /// Σ c (x − 1)² + (x − 1)⁴ with curvatures c of 1 to 10⁴.
    struct IllConditioned;

    impl Objective for IllConditioned {
        fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
            let mut value = 0.0;
            for (i, (&x, slope)) in x.iter().zip(gradient).enumerate() {
                let (c, d) = (10.0_f64.powi(i as i32), x - 1.0);
                value += c * d * d + d.powi(4);
                *slope = 2.0 * c * d + 4.0 * d.powi(3);
            }
            Ok(value)
        }
    }

    #[test]
    fn the_minimum_of_an_ill_conditioned_function_is_found() {
        let options = LBfgs {
            memory: 10,
            max_iterations: 1000,
            gradient_tolerance: 1e-10,
        };
        let start = vec![-3.0, 8.0, 2.0, 0.0, 5.0];
        let found = options.minimize(&mut IllConditioned, start).unwrap();
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-9), "{found:?}");
    }
}
