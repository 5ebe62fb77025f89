//! Posture interpolation by target: blends examples that nearly meet the goals.
//!
//! Rose, Sloan & Cohen 2001, "Artist-directed inverse kinematics using radial basis function interpolation": postures
//! are functions of the positions of their effectors, composed of radial functions centred on the examples (section 3).
//! This implementation uses φ(r) = r for the nearest examples only, and adds a constant instead of a linear polynomial.
//! A few neighbours do not determine a slope in every direction, and a constant needs no slopes. A solver removes the
//! error that remains, as in section 4.

use glam::{DQuat, DVec2, DVec3};

use crate::posture::{Placement, align};
use crate::rotation::rotation_vector;
use crate::{Body, Goal, Posture, posture};

mod solve;

/// Default for the maximum number of blended examples.
pub const DEFAULT_NEAREST: usize = 10;
/// Minimum distance between blended examples: the larger of a fraction of the nearest example's error and a length in
/// metres. Examples that are closer to each other add no information.
const MIN_DISTANCE: (f64, f64) = (1.0, 0.003);
/// Number of times that the mean of rotations is refined.
const AVERAGES: usize = 3;
/// A smaller pivot means that two examples have the same points.
const PIVOT: f64 = 1e-12;

/// Example postures to blend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    /// The postures. All have the same joints.
    pub postures: Vec<Posture>,
    /// Maximum number of blended examples, [`DEFAULT_NEAREST`] by default.
    pub nearest: usize,
}

/// An example, rotated and shifted on the ground so that its points are as near as possible to their targets.
struct Candidate {
    example: usize,
    place: Placement,
    residual: f64,
}

impl Examples {
    /// Creates a set of examples. At most [`DEFAULT_NEAREST`] examples are blended.
    pub fn new(postures: Vec<Posture>) -> Self {
        Self { postures, nearest: DEFAULT_NEAREST }
    }

    /// Poses the body in a blend of the examples. No solve follows, so the goals are not met exactly.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
    /// use sinew_ik::{Body, Examples, Goal, Link, LinkIndex, Posture};
    ///
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::X), Link::child(LinkIndex(1), DVec3::X)];
    /// let mut arm = Body::new(links, DAffine3::IDENTITY)?;
    /// let mut postures = Vec::new();
    /// for angle in [0.0, 0.5, 1.0] {
    ///     arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(angle));
    ///     postures.push(Posture::of(&arm));
    /// }
    ///
    /// // The target is the hand's position in the second example.
    /// let goal = Goal::position(LinkIndex(2), DVec3::new(1.0 + 0.5_f64.cos(), 0.5_f64.sin(), 0.0));
    /// let joints = [Some(0), Some(1), Some(2)];
    /// Examples::new(postures).blend(&mut arm, &joints, &[goal], false);
    /// assert!(arm.rotations()[1].angle_between(DQuat::from_rotation_z(0.5)) < 1e-3);
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn blend(&self, body: &mut Body, joints: &[Option<usize>], goals: &[Goal], moves: bool) {
        let mut posed = body.clone();
        let base = posture::base_position(body);
        let here =
            Placement { heading: posture::heading_and_tilt(body).0, ground: DVec2::new(base.x, base.z) };
        let mut all: Vec<Candidate> = (0..self.postures.len())
            .map(|example| {
                self.postures[example].apply(&mut posed, joints, here, moves);
                let (place, residual) = align(&posed, here.heading, goals, moves);
                posed.set_root(body.root());
                Candidate { example, place, residual }
            })
            .collect();
        all.sort_by(|a, b| a.residual.total_cmp(&b.residual).then(a.example.cmp(&b.example)));
        let Some(least) = all.first().map(|c| c.residual) else { return };
        let apart = MIN_DISTANCE.1.max(MIN_DISTANCE.0 * least);
        let targets: Vec<DVec3> =
            goals.iter().filter_map(|g| Some(g.whole_position()? * weight_root(g.weight))).collect();
        let (mut near, mut points): (Vec<&Candidate>, Vec<Vec<DVec3>>) = (Vec::new(), Vec::new());
        for candidate in &all {
            if near.len() >= self.nearest.max(1) {
                break;
            }
            posed.set_root(body.root());
            self.postures[candidate.example].apply(&mut posed, joints, candidate.place, moves);
            let there = effectors(&posed, goals);
            if points.iter().all(|p| distance(p, &there) > apart * (there.len() as f64).sqrt()) {
                near.push(candidate);
                points.push(there);
            }
        }
        let weights = blend_weights(&points, &targets);
        let examples: Vec<(&Posture, Placement, f64)> = near
            .iter()
            .zip(weights)
            .map(|(c, weight)| (&self.postures[c.example], c.place, weight))
            .collect();
        let (blend, place) = blend_postures(&examples);
        blend.apply(body, joints, place, moves);
    }
}

fn weight_root(weight: f64) -> f64 {
    weight.max(0.0).sqrt()
}

/// Returns the point positions of all goals whose target positions have no free axes, each multiplied by the square root of the goal's
/// weight.
fn effectors(body: &Body, goals: &[Goal]) -> Vec<DVec3> {
    let point = |g: &Goal| {
        g.whole_position()?;
        Some(body.world_from_link(g.link)?.transform_point3(g.offset) * weight_root(g.weight))
    };
    goals.iter().filter_map(point).collect()
}

fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}

/// Returns the blend weights of the examples, which sum to one. If the targets are the effector positions of an
/// example, that example receives all the weight.
fn blend_weights(points: &[Vec<DVec3>], targets: &[DVec3]) -> Vec<f64> {
    let n = points.len();
    // Σ wⱼ φ(|pᵢ − pⱼ|) + c = φ(|pᵢ − target|), Σ wⱼ = 1.
    let mut rows: Vec<Vec<f64>> = points
        .iter()
        .map(|p| {
            let mut row: Vec<f64> = points.iter().map(|q| distance(p, q)).collect();
            row.extend([1.0, distance(p, targets)]);
            row
        })
        .collect();
    let mut last = vec![1.0; n + 2];
    last[n] = 0.0;
    rows.push(last);
    let mut found = eliminate(rows).filter(|w| w.iter().all(|w| w.is_finite()));
    found.iter_mut().for_each(|w| w.truncate(n));
    // If there is no solution, the nearest example receives all the weight.
    found.unwrap_or_else(|| (0..n).map(|i| f64::from(u8::from(i == 0))).collect())
}

/// Solves a system of equations by elimination with partial pivoting. The right side is the last entry of each row.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let row = &above[column];
        if row[column].abs() < PIVOT {
            return None;
        }
        for other in below {
            let factor = other[column] / row[column];
            other[column..].iter_mut().zip(&row[column..]).for_each(|(o, r)| *o -= factor * r);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    Some(x)
}

/// Blends postures and placements by weights that sum to one. Rotations are averaged as rotation vectors from their
/// mean.
fn blend_postures(examples: &[(&Posture, Placement, f64)]) -> (Posture, Placement) {
    let Some((first, at, _)) = examples.first() else {
        return (Posture { rotations: Vec::new(), height: 0.0 }, Placement::default());
    };
    // The world rotation of the base, relative to the heading of the first example.
    let rotation = |p: &Posture, of: &Placement, joint: usize| {
        let turned = p.rotations.get(joint).copied();
        turned.map(|q| if joint == 0 { DQuat::from_rotation_y(of.heading - at.heading) * q } else { q })
    };
    let average = |joint: usize| {
        let mut mean = first.rotations[joint];
        for _ in 0..AVERAGES {
            let away = |(p, at, weight): &(&Posture, Placement, f64)| {
                let turned = rotation(p, at, joint);
                turned.map_or(DVec3::ZERO, |q| rotation_vector(mean.conjugate() * q)) * *weight
            };
            let step: DVec3 = examples.iter().map(away).sum();
            mean = (mean * DQuat::from_scaled_axis(step)).normalize();
        }
        mean
    };
    let ground = examples.iter().map(|(_, at, weight)| at.ground * *weight).sum();
    let height = examples.iter().map(|(p, _, weight)| p.height * weight).sum();
    let rotations = (0..first.rotations.len()).map(average).collect();
    (Posture { rotations, height }, Placement { heading: at.heading, ground })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posture::tests::figure;
    use crate::{LinkIndex, Options, Report, Solver};

    /// Returns postures in which two arms swing as a function of one parameter.
    fn postures() -> Vec<Posture> {
        let posture = |i: usize| {
            let mut body = figure();
            let swing = 0.25 * i as f64;
            for link in [2, 4] {
                body.set_rotation(
                    LinkIndex(link),
                    body.rotations()[link] * DQuat::from_rotation_z(0.9 * swing.sin()),
                );
                body.set_rotation(
                    LinkIndex(link + 1),
                    body.rotations()[link + 1] * DQuat::from_rotation_x(swing),
                );
            }
            Posture::of(&body)
        };
        (0..12).map(posture).collect()
    }

    fn goals(body: &Body) -> [Goal; 2] {
        [3, 5].map(|l| {
            Goal::position(LinkIndex(l), body.world_from_link(LinkIndex(l)).unwrap_or_default().translation)
        })
    }

    #[test]
    fn blend_at_an_example_is_that_example() {
        let (examples, joints) = (Examples::new(postures()), (0..6).map(Some).collect::<Vec<_>>());
        let mut truth = figure();
        let place = Placement { heading: 1.0, ground: DVec2::new(2.0, 3.0) };
        examples.postures[5].apply(&mut truth, &joints, place, true);
        let mut body = figure();
        examples.blend(&mut body, &joints, &goals(&truth), true);
        for link in 0..6 {
            let (a, b) = (body.world_from_link(LinkIndex(link)), truth.world_from_link(LinkIndex(link)));
            assert!(a.zip(b).is_some_and(|(a, b)| a.abs_diff_eq(b, 1e-6)), "{link}");
        }
    }

    #[test]
    fn blend_between_examples_meets_the_goals_and_interpolates() {
        let all = postures();
        let joints: Vec<_> = (0..6).map(Some).collect();
        let examples = Examples::new(all.iter().step_by(2).cloned().collect());
        let mut truth = figure();
        let here = Placement { heading: 0.4, ground: DVec2::new(0.5, 0.1) };
        all[5].apply(&mut truth, &joints, here, true);
        let goals = goals(&truth);
        let mut body = figure();
        let options = Options { root_motion: true, ..Options::default() };
        let mut solver = Solver::default();
        let report = examples.solve(&mut solver, &mut body, &joints, &goals, &options);
        assert!(report.is_ok_and(Report::reached));
        for link in 0..6 {
            let at = |b: &Body| b.world_from_link(LinkIndex(link)).unwrap_or_default().translation;
            assert!(at(&body).distance(at(&truth)) < 0.02, "{link}: {}", at(&body).distance(at(&truth)));
        }
    }

    #[test]
    fn blend_weights_sum_to_one() {
        let points: Vec<Vec<DVec3>> =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].into_iter().map(|p| vec![p]).collect();
        let of = |p: DVec3| blend_weights(&points, &[p]);
        let inside = of(DVec3::splat(0.2));
        assert!((inside.iter().sum::<f64>() - 1.0).abs() < 1e-12 && inside[0] > inside[1]);
        assert!((of(DVec3::Y)[2] - 1.0).abs() < 1e-12);
        assert_eq!(blend_weights(&[vec![DVec3::X], vec![DVec3::X]], &[DVec3::Y]), [1.0, 0.0]);
    }

    #[test]
    fn missing_or_mismatched_examples_are_rejected() {
        let mut body = figure();
        let goals = goals(&body);
        let (joints, mut solver) = (vec![None; 6], Solver::default());
        let solve = |examples: Examples, joints: &[Option<usize>], solver: &mut Solver, body: &mut Body| {
            examples.solve(solver, body, joints, &goals, &Options::default()).err()
        };
        let none = solve(Examples::default(), &joints, &mut solver, &mut body);
        assert!(none.is_some_and(|e| e.to_string().contains("no examples")));
        let short = solve(Examples::new(postures()), &joints[1..], &mut solver, &mut body);
        assert!(short.is_some_and(|e| e.to_string().contains("different number of links")));
    }
}
