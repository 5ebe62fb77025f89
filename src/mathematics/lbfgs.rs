//! The least of a smooth function of many unknowns.

use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 12;
/// Share of the descent that the slope promises which a step must keep (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step before it is given up.
const HALVINGS: usize = 30;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Minimum {
    /// The function there.
    pub(crate) value: f64,
    /// Steps taken.
    pub(crate) steps: usize,
}

/// Limited-memory BFGS (Nocedal & Wright 2006, algorithms 7.4 and 7.5) with backtracking. `function` gives the value at
/// a place and writes its gradient; where it is not finite the step is too long. Ends after `most` steps, or where a
/// step gains less than `gain` of the value's size. `x` is where it starts, then where the function was least.
pub(crate) fn minimise(
    x: &mut [f64],
    most: usize,
    gain: f64,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Minimum {
    let n = x.len();
    let (mut gradient, mut next_gradient, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = function(x, &mut gradient);
    // Steps, changes of the gradient, and the inverse of their product.
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::with_capacity(MEMORY);
    let mut steps = 0;
    while steps < most && value.is_finite() {
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
        // Without a memory nothing tells how far: no unknown moves by more than one.
        let mut length = if memory.is_empty() { 1.0_f64.min(1.0 / (-slope).sqrt()) } else { 1.0 };
        let mut found = None;
        for _ in 0..HALVINGS {
            next.iter_mut().zip(x.iter()).zip(&direction).for_each(|((n, x), d)| *n = x + length * d);
            let there = function(&next, &mut next_gradient);
            if there <= value + SUFFICIENT * length * slope {
                found = Some(there);
                break;
            }
            length *= 0.5;
        }
        let Some(there) = found else {
            // What is remembered may mislead; the gradient alone does not.
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
        let gained = value - there;
        value = there;
        if gained <= gain * value.abs().max(1.0) {
            break;
        }
    }
    Minimum { value, steps }
}

/// The two-loop recursion: −H ∇f.
fn descent(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (step, change, inverse) in memory.iter().rev() {
        let share = inverse * dot(step, &d);
        d.iter_mut().zip(change).for_each(|(d, c)| *d -= share * c);
        shares.push(share);
    }
    if let Some((_, change, inverse)) = memory.back() {
        let scale = 1.0 / (inverse * dot(change, change));
        d.iter_mut().for_each(|d| *d *= scale);
    }
    for ((step, change, inverse), share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = inverse * dot(change, &d);
        d.iter_mut().zip(step).for_each(|(d, s)| *d += (share - back) * s);
    }
    d
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley in several dimensions.
    fn valley(x: &[f64], gradient: &mut [f64]) -> f64 {
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
    fn a_curved_valley_is_walked_to_its_end() {
        let mut x = vec![-1.2, 1.0, 0.5, -0.7, 2.0];
        let found = minimise(&mut x, 500, 0.0, valley);
        assert!(found.value < 1e-12 && found.steps < 200, "{found:?}");
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5), "{x:?}");
    }

    #[test]
    fn what_is_not_finite_ends_the_search_where_it_is() {
        let mut x = vec![3.0];
        let found = minimise(&mut x, 10, 0.0, |_, g| {
            g.fill(f64::NAN);
            f64::NAN
        });
        assert_eq!((x, found.steps), (vec![3.0], 0));
        // A wall beyond which nothing is finite.
        let mut x = vec![0.5];
        minimise(&mut x, 100, 0.0, |x, g| {
            g[0] = -1.0 / x[0] + 0.01;
            if x[0] > 0.0 { -x[0].ln() + 0.01 * x[0] } else { f64::NAN }
        });
        assert!((x[0] - 100.0).abs() < 1.0, "{x:?}");
    }
}
