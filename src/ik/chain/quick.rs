//! The other methods on a [`Chain`] of free, rigid joints. The algorithms are those of the methods' own files,
//! applied directly to the vectors.

use glam::{DQuat, DVec3};

use crate::ik::methods::limb::{Limb, LimbGoal, solve_limb};
use crate::ik::rotation::{any_perpendicular, shortest_arc};

use super::{Chain, ChainOutcome};

/// Number of iterations without a gain of one percent after which a chain counts as stuck.
const STALL_ITERATIONS: usize = 16;
/// Sweeps over the springs between two checks of the error.
const SWEEPS: usize = 8;
/// The closed form is skipped if the target is nearer to the base than this fraction of the reach and the end is
/// nearer to the target than [`CLOSE`]. The closed form would then turn the chain strongly for a small gain.
const NEAR: f64 = 0.25;
/// Distance of the end from the target, as a fraction of the reach, below which the closed form can be skipped
/// ([`NEAR`]).
const CLOSE: f64 = 0.1;

/// Detects when iterations no longer reduce the error.
struct StallDetector {
    mark: f64,
    iterations: usize,
}

impl StallDetector {
    fn new() -> Self {
        Self { mark: f64::INFINITY, iterations: 0 }
    }

    fn is_stalled(&mut self, error: f64) -> bool {
        if error < 0.99 * self.mark {
            (self.mark, self.iterations) = (error, 0);
        }
        self.iterations += 1;
        self.iterations > STALL_ITERATIONS
    }
}

impl Chain {
    /// Runs cyclic coordinate descent. The sweep from the end to the base updates only the position of the end. The
    /// sweep back from the base applies the turns of the joints above to each joint. `target` is relative to the
    /// base.
    pub(in crate::ik) fn descend(
        &mut self,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
    ) -> ChainOutcome {
        let mut stall = StallDetector::new();
        for iteration in 0..=iterations {
            let end = self.measure_arms();
            let error = end.distance(target);
            self.record_error(error);
            if error <= tolerance {
                return ChainOutcome::Reached(iteration);
            }
            if stall.is_stalled(error) {
                return ChainOutcome::Stuck;
            }
            let mut effector = end;
            for (arm, arc) in self.arms.iter().zip(&mut self.arcs).rev() {
                let joint = end - *arm;
                let (from, to) = (effector - joint, target - joint);
                let (from2, to2) = (from.length_squared(), to.length_squared());
                let lengths = (from2 * to2).sqrt();
                let w = lengths + from.dot(to);
                if w > 1e-9 * lengths {
                    // |(w, from × to)|² = 2 w |from| |to|.
                    let scale = 1.0 / (2.0 * w * lengths).sqrt();
                    *arc = DQuat::from_vec4((from.cross(to) * scale).extend(w * scale));
                    effector = joint + to * (from2 / to2).sqrt();
                } else {
                    *arc = shortest_arc(from, to, any_perpendicular(from));
                    effector = joint + *arc * from;
                }
            }
            let mut carried = DQuat::IDENTITY;
            for ((vector, spin), arc) in self.vectors.iter_mut().zip(&mut self.spins).zip(&self.arcs) {
                carried *= *arc;
                *vector = carried * *vector;
                *spin = carried * *spin;
            }
        }
        ChainOutcome::Stuck
    }

    /// Runs forward and backward reaching.
    pub(in crate::ik) fn reach_both_ways(
        &mut self,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
    ) -> ChainOutcome {
        let error = |chain: &Self| chain.points.last().map_or(f64::NAN, |end| end.distance(target));
        self.move_points(tolerance, iterations, error, |chain| {
            chain.backward(target);
            chain.forward();
        })
    }

    /// Runs iterations on the points of the joints and the end, and fits the joints to them once the error is within
    /// tolerance. If two points coincide, the error is NaN and the chain is stuck.
    fn move_points(
        &mut self,
        tolerance: f64,
        iterations: usize,
        error: impl Fn(&Self) -> f64,
        iterate: impl Fn(&mut Self),
    ) -> ChainOutcome {
        self.place_points();
        let mut stall = StallDetector::new();
        for iteration in 0..=iterations {
            let error = error(self);
            self.record_error(error);
            if error <= tolerance {
                self.fit_points();
                return ChainOutcome::Reached(iteration);
            }
            if error.is_nan() || stall.is_stalled(error) {
                return ChainOutcome::Stuck;
            }
            iterate(self);
        }
        ChainOutcome::Stuck
    }

    fn backward(&mut self, target: DVec3) {
        let mut end = target;
        let (points, lengths) = (&mut self.points, &self.lengths);
        let Some(last) = points.last_mut() else { return };
        *last = target;
        for (point, length) in points[..lengths.len()].iter_mut().zip(lengths).rev() {
            let way = *point - end;
            end += way * (length / way.length());
            *point = end;
        }
    }

    fn forward(&mut self) {
        let mut start = DVec3::ZERO;
        let (points, lengths) = (&mut self.points, &self.lengths);
        if let Some(first) = points.first_mut() {
            *first = start;
        }
        for (point, length) in points[1..].iter_mut().zip(lengths) {
            let way = *point - start;
            start += way * (length / way.length());
            *point = start;
        }
    }

    /// Runs particle inverse kinematics. The square root in a spring's length is approximated to first order
    /// (Jakobsen 2001). This becomes exact as the springs relax to their lengths.
    pub(in crate::ik) fn relax(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let error = |chain: &Self| chain.straight_ends().distance(target);
        self.move_points(tolerance, iterations, error, |chain| {
            for _ in 0..SWEEPS {
                if let Some(end) = chain.points.last_mut() {
                    *end = target;
                }
                let springs = chain.lengths.len();
                (0..springs).rev().for_each(|i| chain.relax_spring(i));
                (0..springs).for_each(|i| chain.relax_spring(i));
            }
        })
    }

    fn relax_spring(&mut self, i: usize) {
        let spring = self.points[i + 1] - self.points[i];
        let length2 = self.lengths[i] * self.lengths[i];
        // ½ (l / |d| − 1) to first order about |d| = l.
        let half = spring * (length2 / (spring.length_squared() + length2) - 0.5);
        if i == 0 {
            self.points[1] += half * 2.0;
        } else {
            self.points[i] -= half;
            self.points[i + 1] += half;
        }
    }

    /// Returns the position that the end has if every link keeps its length and has the direction from one of its
    /// points to the other. The result is NaN if two points coincide.
    fn straight_ends(&self) -> DVec3 {
        let ways = self.points.windows(2).zip(&self.lengths);
        ways.map(|(p, length)| (p[1] - p[0]) * (length / (p[1] - p[0]).length())).sum()
    }

    /// Places points at the joints and the end, relative to the base.
    fn place_points(&mut self) {
        self.points.clear();
        let mut here = DVec3::ZERO;
        self.points.push(here);
        for vector in &self.vectors {
            here += *vector;
            self.points.push(here);
        }
    }

    /// Turns each joint, starting at the base, by the shortest arc that aligns its link with its points.
    fn fit_points(&mut self) {
        let (mut carried, hint) = (DQuat::IDENTITY, self.bend_now());
        let links = self.vectors.iter_mut().zip(&mut self.spins).zip(self.points.windows(2));
        for (((vector, spin), points), length) in links.zip(&self.lengths) {
            let now = carried * *vector;
            let way = points[1] - points[0];
            carried = shortest_arc(now, way, hint) * carried;
            *spin = carried * *spin;
            *vector = way * (length / way.length().max(f64::MIN_POSITIVE));
        }
    }

    /// Runs the fused method: the closed form with the two halves as the bones of a limb, then damped least squares
    /// for the remaining error.
    pub(in crate::ik) fn fuse(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let end = self.end_now;
        self.record_error(end.distance(target));
        if end.distance_squared(target) <= tolerance * tolerance {
            return ChainOutcome::Reached(0);
        }
        let small = NEAR * NEAR * self.reach * self.reach;
        let is_near = target.length_squared() < small
            && end.distance_squared(target) < CLOSE * CLOSE * self.reach * self.reach;
        if !is_near
            && self.solve_halves(target, end)
            && self.end_now.distance_squared(target) <= tolerance * tolerance
        {
            self.record_error(self.end_now.distance(target));
            return ChainOutcome::Reached(1);
        }
        match self.damped(target, tolerance, iterations) {
            ChainOutcome::Reached(more) => ChainOutcome::Reached((more + 1).min(iterations)),
            ChainOutcome::Stuck => ChainOutcome::Stuck,
        }
    }

    /// Moves the end to the target by turning the two halves of the chain like the bones of a limb. The limb keeps
    /// its bend direction, and a straight one bends as the chain does at rest. Returns false if the lengths of the
    /// halves do not allow it.
    fn solve_halves(&mut self, target: DVec3, end: DVec3) -> bool {
        let upper: DVec3 = self.vectors[..self.middle].iter().sum();
        let lower = end - upper;
        let (a2, b2, d2) = (upper.length_squared(), lower.length_squared(), target.length_squared());
        let along = 0.5 * (d2 + a2 - b2);
        if a2 * d2 <= along * along {
            return false;
        }
        let limb = Limb { upper, lower, bend: self.bend_now() };
        let [first, second] = solve_limb(&limb, &LimbGoal { target, pole: DVec3::ZERO });
        self.turn_all(0..self.middle, first);
        self.turn_all(self.middle..self.vectors.len(), second);
        self.end_now = self.vectors.iter().sum();
        true
    }
}
