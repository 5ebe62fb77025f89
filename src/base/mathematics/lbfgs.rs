//! Minimisation of smooth functions of many variables.

use std::collections::VecDeque;

/// Number of previous steps in the memory.
const MEMORY: usize = 12;
/// Minimum fraction of the predicted decrease that a step must achieve (Armijo condition).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Maximum number of times that a step is halved.
const HALVINGS: usize = 30;

/// The result of a minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The function's value at the minimum.
    pub value: f64,
    /// Number of steps taken.
    pub steps: usize,
}

/// Minimises a function by limited-memory BFGS (Nocedal & Wright 2006, algorithms 7.4 and 7.5) with backtracking.
///
/// `function` returns the value at a point and writes its gradient. A step to a point where the value is not finite is
/// shortened. `x` contains the starting point. On return, it contains the minimum. Stops after `max_steps` steps, or
/// when a step decreases the value by at most `min_decrease` times max(|value|, 1).
pub fn minimise(
    x: &mut [f64],
    max_steps: usize,
    min_decrease: f64,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Minimum {
    let n = x.len();
    let (mut gradient, mut next_gradient, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = function(x, &mut gradient);
    // Each entry contains a step, the change of the gradient, and the inverse of the dot product of the two.
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::with_capacity(MEMORY);
    let mut steps = 0;
    while steps < max_steps && value.is_finite() {
        let mut direction = descent(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        if !(slope < 0.0 && slope.is_finite()) {
            memory.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        if slope.is_nan() || slope >= 0.0 {
            break;
        }
        // Without previous steps, the scale of the function is unknown, so the length of the first step is at most one.
        let mut length = if memory.is_empty() { 1.0_f64.min(1.0 / (-slope).sqrt()) } else { 1.0 };
        let mut accepted = None;
        for _ in 0..HALVINGS {
            next.iter_mut().zip(x.iter()).zip(&direction).for_each(|((n, x), d)| *n = x + length * d);
            let next_value = function(&next, &mut next_gradient);
            if next_value <= value + SUFFICIENT_DECREASE * length * slope {
                accepted = Some(next_value);
                break;
            }
            length *= 0.5;
        }
        let Some(next_value) = accepted else {
            // The previous steps may result in a bad direction, so try the negative gradient alone.
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        steps += 1;
        let step: Vec<f64> = next.iter().zip(x.iter()).map(|(n, x)| n - x).collect();
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(n, g)| n - g).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-10 * (dot(&step, &step) * dot(&change, &change)).sqrt() {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back((step, change, 1.0 / curvature));
        }
        x.copy_from_slice(&next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        let decrease = value - next_value;
        value = next_value;
        if decrease <= min_decrease * value.abs().max(1.0) {
            break;
        }
    }
    Minimum { value, steps }
}

/// Returns the descent direction −H ∇f, computed by the two-loop recursion.
fn descent(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(memory.len());
    for (step, change, inverse) in memory.iter().rev() {
        let alpha = inverse * dot(step, &d);
        d.iter_mut().zip(change).for_each(|(d, c)| *d -= alpha * c);
        alphas.push(alpha);
    }
    if let Some((_, change, inverse)) = memory.back() {
        let scale = 1.0 / (inverse * dot(change, change));
        d.iter_mut().for_each(|d| *d *= scale);
    }
    for ((step, change, inverse), alpha) in memory.iter().zip(alphas.into_iter().rev()) {
        let beta = inverse * dot(change, &d);
        d.iter_mut().zip(step).for_each(|(d, s)| *d += (alpha - beta) * s);
    }
    d
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's function in several dimensions.
    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut sum = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            sum += a * a + 100.0 * b * b;
            gradient[i] += -2.0 * a - 400.0 * x[i] * b;
            gradient[i + 1] += 200.0 * b;
        }
        sum
    }

    #[test]
    fn rosenbrocks_function_is_minimised() {
        let mut x = vec![-1.2, 1.0, 0.5, -0.7, 2.0];
        let found = minimise(&mut x, 500, 0.0, rosenbrock);
        assert!(found.value < 1e-12 && found.steps < 200, "{found:?}");
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5), "{x:?}");
    }

    #[test]
    fn values_that_are_not_finite_are_avoided() {
        let mut x = vec![3.0];
        let found = minimise(&mut x, 10, 0.0, |_, g| {
            g.fill(f64::NAN);
            f64::NAN
        });
        assert_eq!((x, found.steps), (vec![3.0], 0));
        // The function is finite only for positive x.
        let mut x = vec![0.5];
        minimise(&mut x, 100, 0.0, |x, g| {
            g[0] = -1.0 / x[0] + 0.01;
            if x[0] > 0.0 { -x[0].ln() + 0.01 * x[0] } else { f64::NAN }
        });
        assert!((x[0] - 100.0).abs() < 1.0, "{x:?}");
    }
}
