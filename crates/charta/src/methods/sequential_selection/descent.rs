//! The minimum of a smooth convex function by a limited memory of its curvature.

use std::collections::VecDeque;

/// Steps whose curvature is remembered.
const MEMORY: usize = 10;
/// Steps at most.
const STEPS: usize = 1000;
/// The share of the fall promised by the slope that a step must bring.
const SUFFICIENT: f64 = 1e-4;

/// A function to be made small.
pub(super) trait Objective {
    /// The value at a place; the gradient is written.
    fn at(&self, place: &[f64], gradient: &mut [f64]) -> f64;
}

/// The lowest place found from `start`: where no part of the gradient exceeds `tolerance`, or no step leads lower
/// (Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.4).
pub(super) fn minimize(objective: &dyn Objective, start: Vec<f64>, tolerance: f64) -> Vec<f64> {
    let mut place = start;
    let mut gradient = vec![0.0; place.len()];
    let mut value = objective.at(&place, &mut gradient);
    let mut memory: VecDeque<Pair> = VecDeque::new();
    for _ in 0..STEPS {
        if gradient.iter().all(|slope| slope.abs() <= tolerance) {
            break;
        }
        let mut direction = downhill(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            memory.clear();
            direction = gradient.iter().map(|slope| -slope).collect();
            slope = -dot(&gradient, &gradient);
        }
        let first = if memory.is_empty() {
            1.0 / dot(&gradient, &gradient).sqrt().max(1.0)
        } else {
            1.0
        };
        let Some(next) = search(objective, (&place, value), (&direction, slope), first) else {
            break;
        };
        let pair = Pair::of(&place, &gradient, &next);
        if pair.curvature > 0.0 {
            memory.push_back(pair);
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (place, gradient, value) = (next.place, next.gradient, next.value);
    }
    place
}

/// A place that a step led to.
struct Reached {
    place: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// A step and how the gradient changed on it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

impl Pair {
    fn of(place: &[f64], gradient: &[f64], next: &Reached) -> Self {
        let minus =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let step = minus(&next.place, place);
        let change = minus(&next.gradient, gradient);
        let curvature = dot(&step, &change);
        Self {
            step,
            change,
            curvature,
        }
    }
}

/// Halves the step until it leads low enough; none if nothing does.
fn search(
    objective: &dyn Objective,
    (place, value): (&[f64], f64),
    (direction, slope): (&[f64], f64),
    first: f64,
) -> Option<Reached> {
    let mut length = first;
    for _ in 0..40 {
        let next: Vec<f64> = place
            .iter()
            .zip(direction)
            .map(|(x, d)| x + length * d)
            .collect();
        let mut gradient = vec![0.0; next.len()];
        let reached = objective.at(&next, &mut gradient);
        // Near the minimum the fall drowns in rounding, and the gradient still tells.
        let flat =
            reached <= value + value.abs() * 1e-15 && dot(&gradient, direction).abs() < slope.abs();
        if reached <= value + SUFFICIENT * length * slope || flat {
            return Some(Reached {
                place: next,
                gradient,
                value: reached,
            });
        }
        length *= 0.5;
    }
    None
}

/// Minus the gradient, times the remembered inverse curvature.
fn downhill(gradient: &[f64], memory: &VecDeque<Pair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let share = dot(&pair.step, &direction) / pair.curvature;
        add(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(last) = memory.back() {
        let scale = last.curvature / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = dot(&pair.change, &direction) / pair.curvature;
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, from)| *to += factor * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ c (x − 1)² + (x − 1)⁴.
    struct Bowl;

    impl Objective for Bowl {
        fn at(&self, place: &[f64], gradient: &mut [f64]) -> f64 {
            let mut value = 0.0;
            for (i, (&x, slope)) in place.iter().zip(gradient).enumerate() {
                let (c, d) = (10.0_f64.powi(i as i32), x - 1.0);
                value += c * d * d + d.powi(4);
                *slope = 2.0 * c * d + 4.0 * d.powi(3);
            }
            value
        }
    }

    #[test]
    fn the_bottom_of_a_stretched_bowl_is_found() {
        let found = minimize(&Bowl, vec![-3.0, 8.0, 2.0, 0.0, 5.0], 1e-10);
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-9), "{found:?}");
    }
}
