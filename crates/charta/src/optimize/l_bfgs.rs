//! L-BFGS: minimises a smooth function by quasi-Newton steps from a limited memory of past steps, with a backtracking
//! line search (Nocedal and Wright, "Numerical optimization", 2006, algorithms 7.4 and 3.1).

use std::collections::VecDeque;

use crate::error::Result;

/// The sufficient decrease constant of the Armijo condition.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Times that the line search halves a step.
const MAX_HALVINGS: usize = 40;
/// Relative changes of the value below this are rounding.
const ROUNDING: f64 = 1e-15;

/// A smooth function to minimise.
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
        let mut gradient = vec![0.0; start.len()];
        let value = objective.value_and_gradient(&start, &mut gradient)?;
        let mut current = Point {
            x: start,
            gradient,
            value,
        };
        let mut memory: VecDeque<Correction> = VecDeque::new();
        for _ in 0..self.max_iterations {
            let gradient = &current.gradient;
            if gradient.iter().all(|g| g.abs() <= self.gradient_tolerance) {
                break;
            }
            let mut direction = quasi_newton_direction(gradient, &memory);
            let mut slope = dot(&direction, gradient);
            if slope >= 0.0 {
                memory.clear();
                direction = gradient.iter().map(|g| -g).collect();
                slope = -dot(gradient, gradient);
            }
            let first_length = if memory.is_empty() {
                1.0 / dot(gradient, gradient).sqrt().max(1.0)
            } else {
                1.0
            };
            let next = line_search(objective, &current, &direction, slope, first_length)?;
            let Some(next) = next else { break };
            let correction = Correction::between(&current, &next);
            if correction.curvature > 0.0 {
                memory.push_back(correction);
                if memory.len() > self.memory {
                    memory.pop_front();
                }
            }
            current = next;
        }
        Ok(current.x)
    }
}

struct Point {
    x: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// A past step and how the gradient changed along it: s, y and sᵀy.
struct Correction {
    step: Vec<f64>,
    gradient_change: Vec<f64>,
    curvature: f64,
}

impl Correction {
    fn between(current: &Point, next: &Point) -> Self {
        let step = difference(&next.x, &current.x);
        let gradient_change = difference(&next.gradient, &current.gradient);
        Self {
            curvature: dot(&step, &gradient_change),
            step,
            gradient_change,
        }
    }
}

/// Halves the step until the Armijo condition holds; `None` if it never does.
fn line_search(
    objective: &mut impl Objective,
    current: &Point,
    direction: &[f64],
    slope: f64,
    first_length: f64,
) -> Result<Option<Point>> {
    let mut length = first_length;
    for _ in 0..MAX_HALVINGS {
        let mut x = current.x.clone();
        add_multiple(&mut x, length, direction);
        let mut gradient = vec![0.0; x.len()];
        let value = objective.value_and_gradient(&x, &mut gradient)?;
        let decreased = value <= current.value + SUFFICIENT_DECREASE * length * slope;
        // Near the minimum the decrease is lost in rounding, and the slope still shows whether the step helps.
        let flatter = value <= current.value + current.value.abs() * ROUNDING
            && dot(&gradient, direction).abs() < slope.abs();
        if decreased || flatter {
            return Ok(Some(Point { x, gradient, value }));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// Minus the approximate inverse Hessian times the gradient: the two-loop recursion.
fn quasi_newton_direction(gradient: &[f64], memory: &VecDeque<Correction>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(memory.len());
    for correction in memory.iter().rev() {
        let alpha = dot(&correction.step, &direction) / correction.curvature;
        add_multiple(&mut direction, -alpha, &correction.gradient_change);
        alphas.push(alpha);
    }
    if let Some(last) = memory.back() {
        let scale = last.curvature / dot(&last.gradient_change, &last.gradient_change);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (correction, alpha) in memory.iter().zip(alphas.into_iter().rev()) {
        let beta = dot(&correction.gradient_change, &direction) / correction.curvature;
        add_multiple(&mut direction, alpha - beta, &correction.step);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn add_multiple(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, from)| *to += factor * from);
}

#[cfg(test)]
mod tests {
    use super::*;

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
