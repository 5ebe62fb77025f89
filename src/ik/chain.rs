//! The quick way for the usual question: one position for the end of a chain of free, rigid joints.
//!
//! A chain is then no more than its links' vectors in base space. J Jᵀ is Σ |r|² I − r rᵀ over the arms r from each
//! joint to the end, a 3×3 matrix whatever the chain's length; a pass needs the arms (a running sum from the end),
//! one solution of three equations, and the turns (a running sum from the base). Rotations are carried along, and
//! become the joints' own at the end.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::rotation::{any_perpendicular, shortest_arc};
use super::{Body, Goal, Limit, Link};

/// λ² of damped least squares as a share of the squared error.
const DAMPING: f64 = 0.1;
/// Cosine of the angle beyond which a target is far to the side.
const SIDE: f64 = 0.9;
/// Square of the share of its present length that a chain may have to fold to, and still be turned as a whole.
const EXTENDS: f64 = 0.95;
/// A chain is bent before its passes if it lacks less than this share of what the target lacks of its full length.
const STRAIGHT: f64 = 1e-3;
/// Steps taken back, one after the other, until a chain counts as stuck.
const RETREATS: usize = 10;
/// A pass that leaves more than this share of the error has found no way.
const PROGRESS: f64 = 0.999_999;

/// A chain, its state, and buffers that are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// What the plan is for: it holds as long as a body's links are the same.
    shape: Option<Arc<[Link]>>,
    end: usize,
    limits: bool,
    simple: bool,
    /// Index of each joint's link, base first.
    links: Vec<usize>,
    /// The stretch to the next joint, or the end, in the joint's turned frame.
    locals: Vec<DVec3>,
    pub(super) lengths: Vec<f64>,
    pub(super) reach: f64,
    longest: f64,
    base: DVec3,
    /// The axis about which it bends at rest, in the first joint's turned frame.
    bend: DVec3,
    /// World orientation of each joint when the solve began, base space.
    spins: Vec<DQuat>,
    /// The stretches as they are, base space.
    pub(super) vectors: Vec<DVec3>,
    /// From each joint to the end, where the last step began and where it led.
    pub(super) arms: Vec<DVec3>,
    next: Vec<DVec3>,
    /// What each joint has turned since, base space; unit but for a factor.
    pub(super) turned: Vec<DQuat>,
    tip: DVec3,
    /// The joint that divides the chain's length most evenly.
    pub(super) middle: usize,
    /// Of methods that work on points, and the arcs of a sweep.
    pub(super) points: Vec<DVec3>,
    pub(super) arcs: Vec<DQuat>,
    /// Whether errors are noted.
    pub(super) record: bool,
    /// The error before the first pass and after each, base space.
    pub(super) errors: Vec<f64>,
}

/// How a chain's passes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Within tolerance, after so many passes.
    Reached(usize),
    /// Not this way.
    Stuck,
}

impl Chain {
    /// Whether the question is one for this: from the base to the goal's link every link is free, rigid and willing,
    /// and only a position is asked for.
    pub(super) fn takes(&mut self, body: &Body, goals: &[Goal], limits: bool) -> bool {
        let [goal] = goals else { return false };
        let plain = goal.position.is_some()
            && !goal.turns_own()
            && goal.pole.is_none()
            && goal.weight > 0.0
            && !goal.pinned;
        if !plain {
            return false;
        }
        let known = self.shape.as_ref().is_some_and(|s| Arc::ptr_eq(s, body.shape()));
        if !(known && self.end == goal.link && self.limits == limits) {
            (self.end, self.limits, self.shape) = (goal.link, limits, Some(Arc::clone(body.shape())));
            self.plan(body.links());
        }
        self.simple
    }

    fn plan(&mut self, links: &[Link]) {
        self.links.clear();
        self.locals.clear();
        self.simple = false;
        let mut below = self.end;
        while let Some(parent) = links[below].parent {
            self.links.push(parent);
            self.locals.push(links[below].offset);
            let link = &links[parent];
            let free = !self.limits || link.limit == Limit::Free;
            #[expect(clippy::float_cmp, reason = "set, not computed")]
            if !free || link.weight != 1.0 || link.scale != DVec3::ONE || links[below].offset == DVec3::ZERO {
                return;
            }
            below = parent;
        }
        self.links.reverse();
        self.locals.reverse();
        self.lengths.clear();
        self.lengths.extend(self.locals.iter().map(|l| l.length()));
        self.reach = self.lengths.iter().sum();
        self.longest = self.lengths.iter().copied().fold(0.0, f64::max);
        self.base = links[below].offset;
        self.simple = self.links.len() > 1;
        if self.simple {
            self.bend = self.rest_bend(links);
            let passed = self.lengths.iter().scan(0.0, |sum, length| {
                *sum += length;
                Some((*sum - 0.5 * self.reach).abs())
            });
            let off = passed.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            self.middle = off.map_or(1, |(i, _)| i + 1).clamp(1, self.links.len() - 1);
        }
    }

    /// The axis about which the rest pose bends; for a straight one some axis across its first link.
    fn rest_bend(&self, links: &[Link]) -> DVec3 {
        let (mut spin, mut before, mut normal) = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        for (i, (&link, &local)) in self.links.iter().zip(&self.locals).enumerate() {
            // In the frame of the first joint, turned.
            spin = if i == 0 { DQuat::IDENTITY } else { spin * links[link].rest };
            normal += before.cross(spin * local);
            before = spin * local;
        }
        let first = self.locals.first().copied().unwrap_or(DVec3::Y);
        let bent = normal.length() > 1e-3 * self.longest * self.longest;
        if bent { normal.normalize() } else { any_perpendicular(first) }
    }

    /// Takes over a body's pose.
    pub(super) fn load(&mut self, body: &Body) {
        let n = self.links.len();
        self.spins.clear();
        self.vectors.clear();
        self.turned.clear();
        self.turned.resize(n, DQuat::IDENTITY);
        self.arms.resize(n, DVec3::ZERO);
        self.next.resize(n, DVec3::ZERO);
        self.arcs.resize(n, DQuat::IDENTITY);
        let mut spin = DQuat::IDENTITY;
        self.tip = self.base(body);
        for (&link, &local) in self.links.iter().zip(&self.locals) {
            spin *= body.rotations()[link];
            let vector = spin * local;
            self.spins.push(spin);
            self.vectors.push(vector);
            self.tip += vector;
        }
    }

    /// Whether a target is farther than the chain is long. `target`: from the base.
    pub(super) fn too_far(&self, target: DVec3) -> bool {
        target.length() >= self.reach
    }

    /// Whether it is a limb: two joints.
    pub(super) fn is_limb(&self) -> bool {
        self.links.len() == 2
    }

    /// Where the base is, base space.
    pub(super) fn base(&self, body: &Body) -> DVec3 {
        body.root() + self.base
    }

    /// Where the end is, base space.
    pub(super) fn tip(&self) -> DVec3 {
        self.tip
    }

    /// Whether the target is nearer than the chain can fold. `target`: from the base.
    pub(super) fn too_near(&self, target: DVec3) -> bool {
        target.length() < 2.0 * self.longest - self.reach
    }

    /// Notes an error, if that is asked for.
    pub(super) fn note(&mut self, error: f64) {
        if self.record {
            self.errors.push(error);
        }
    }

    /// Damped least squares until the end is within `tolerance` of a target, both base space, the target from the
    /// base.
    pub(super) fn damped(&mut self, target: DVec3, tolerance: f64, passes: usize) -> End {
        let tip: DVec3 = self.vectors.iter().sum();
        self.note(tip.distance(target));
        if tip.distance_squared(target) <= tolerance * tolerance {
            return End::Reached(0);
        }
        self.swing(target);
        self.arch(target);
        let mut state = self.measure(target);
        let (mut boost, mut failed) = (1.0, 0);
        for pass in 0..passes {
            if state.error2 <= tolerance * tolerance {
                if pass == 0 {
                    self.note(state.error2.sqrt());
                }
                return End::Reached(pass.max(1));
            }
            std::mem::swap(&mut self.arms, &mut self.next);
            let half = state.turn_by(boost * DAMPING);
            self.turn(half);
            let now = self.measure(target);
            if now.error2 < PROGRESS * state.error2 {
                state = now;
                boost = f64::max(1.0, boost * 0.25);
                failed = 0;
            } else if failed == RETREATS {
                return End::Stuck;
            } else {
                // Too far: back, and less of it. The arms of before are still there.
                self.turn(-half);
                std::mem::swap(&mut self.arms, &mut self.next);
                boost *= 8.0;
                failed += 1;
            }
            self.note(state.error2.sqrt());
        }
        if state.error2 <= tolerance * tolerance { End::Reached(passes) } else { End::Stuck }
    }

    /// The arms, into `next`, and what a pass needs of them.
    fn measure(&mut self, target: DVec3) -> State {
        let mut arm = DVec3::ZERO;
        let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
        for (vector, out) in self.vectors.iter().zip(&mut self.next).rev() {
            arm += *vector;
            *out = arm;
            squares += arm * arm;
            products += arm * DVec3::new(arm.y, arm.z, arm.x);
        }
        let error = target - arm;
        State { squares, products, error, error2: error.length_squared() }
    }

    /// Turns the joints by the cross products of their arms with a vector.
    fn turn(&mut self, half: DVec3) {
        let mut turn = DVec3::ZERO;
        for ((vector, arm), turned) in self.vectors.iter_mut().zip(&self.arms).zip(&mut self.turned) {
            turn += arm.cross(half);
            // Cayley: the rotation by 2 atan |turn| about it, without a root.
            let scale = 2.0 / (1.0 + turn.length_squared());
            let across = turn.cross(*vector);
            *vector += (across + turn.cross(across)) * scale;
            let (v, w) = (turned.xyz(), turned.w);
            let xyz = v + turn * w + turn.cross(v);
            *turned = DQuat::from_vec4(xyz.extend(w - turn.dot(v)));
        }
    }

    /// Turns the chain as a whole about its base towards a target that is far to the side, where it must not fold for
    /// it: passes would fold and unfold it.
    fn swing(&mut self, target: DVec3) {
        let tip: DVec3 = self.vectors.iter().sum();
        let (tip2, target2) = (tip.length_squared(), target.length_squared());
        if target2 < EXTENDS * tip2 || tip.dot(target) > SIDE * (tip2 * target2).sqrt() {
            return;
        }
        let arc = shortest_arc(tip, target, any_perpendicular(tip));
        self.vectors.iter_mut().for_each(|v| *v = arc * *v);
        self.turned.iter_mut().for_each(|q| *q = arc * *q);
    }

    /// The axis about which it bends at rest, carried along with its first joint, base space.
    pub(super) fn bend_now(&self) -> DVec3 {
        self.spins.first().copied().unwrap_or(DQuat::IDENTITY) * self.bend
    }

    /// The arms, and where the end is from the base.
    pub(super) fn measure_arms(&mut self) -> DVec3 {
        let mut arm = DVec3::ZERO;
        for (vector, out) in self.vectors.iter().zip(&mut self.arms).rev() {
            arm += *vector;
            *out = arm;
        }
        arm
    }

    /// Bends a chain that is much straighter than the target lets it be into an arc of a circle: on a line no joint
    /// sees where to turn, and near one a pass sees it badly.
    fn arch(&mut self, target: DVec3) {
        let tip: DVec3 = self.vectors.iter().sum();
        let (length, distance) = (tip.length(), target.length());
        if self.reach - length > STRAIGHT * (self.reach - distance) {
            return;
        }
        let Some(way) = target.try_normalize() else { return };
        let arc = shortest_arc(tip, target, any_perpendicular(tip));
        let axis = (arc * self.bend_now()).reject_from_normalized(way);
        let Some(axis) = axis.try_normalize() else { return };
        // Half the arc's angle x from its chord: sin x / x = chord / arc, by Newton from the first term of the series.
        let chord = distance / self.reach;
        let mut x = (6.0 * (1.0 - chord)).sqrt().min(3.0);
        for _ in 0..3 {
            let (sin, cos) = x.sin_cos();
            let slope = (cos - sin / x) / x;
            x = (x - (sin / x - chord) / slope).clamp(1e-9, 3.1);
        }
        let (mut passed, across) = (0.0, axis.cross(way));
        for ((vector, turned), &length) in self.vectors.iter_mut().zip(&mut self.turned).zip(&self.lengths) {
            let angle = x * (1.0 - (2.0 * passed + length) / self.reach);
            passed += length;
            let (sin, cos) = angle.sin_cos();
            // Bending about the axis goes on from the base: the first link leans the other way.
            let there = (way * cos - across * sin) * length;
            let now = arc * *vector;
            *turned = shortest_arc(now, there, axis) * arc * *turned;
            *vector = there;
        }
    }

    /// Points every link at a target that is too far, from the base on, each by the least turn, and measures where that
    /// takes the end. `target`: from the base.
    ///
    /// Once the link before points there, its own direction is where the target is: no joint but the first needs to
    /// know how those above it are turned.
    pub(super) fn straighten(&mut self, body: &mut Body, target: DVec3) {
        self.tip = self.base(body);
        let Some(mut way) = target.try_normalize() else { return };
        let rotations = body.rotations_mut();
        let mut spin = DQuat::IDENTITY;
        for ((&link, &local), &length) in self.links.iter().zip(&self.locals).zip(&self.lengths) {
            let rotation = rotations[link];
            let now = rotation * local;
            // The shortest arc, the lengths being known.
            let w = length + now.dot(way);
            let arc = if w > 1e-9 * length {
                DQuat::from_vec4(now.cross(way).extend(w)).normalize()
            } else {
                shortest_arc(now, way, any_perpendicular(now))
            };
            rotations[link] = renormalized(arc * rotation);
            spin *= rotations[link];
            self.tip += spin * local;
            way = local / length;
        }
    }

    /// Writes the joints' rotations into the body, and measures where they take the end.
    pub(super) fn write(&mut self, body: &mut Body) {
        self.tip = self.base(body);
        let rotations = body.rotations_mut();
        let mut parent = DQuat::IDENTITY;
        for (i, &link) in self.links.iter().enumerate() {
            let spin = (self.turned[i] * self.spins[i]).normalize();
            rotations[link] = parent.conjugate() * spin;
            let vector = spin * self.locals[i];
            (self.spins[i], self.vectors[i]) = (spin, vector);
            self.tip += vector;
            parent = spin;
        }
        self.turned.fill(DQuat::IDENTITY);
    }
}

/// The error and the sums over the arms.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Σ x², y², z².
    squares: DVec3,
    /// Σ xy, yz, zx.
    products: DVec3,
    error: DVec3,
    error2: f64,
}

impl State {
    /// Half of y = (J Jᵀ + λ²I)⁻¹ e, λ² a share of the squared error.
    fn turn_by(&self, damping: f64) -> DVec3 {
        let trace = self.squares.x + self.squares.y + self.squares.z + damping * self.error2;
        solve_symmetric(DVec3::splat(trace) - self.squares, -self.products, self.error) * 0.5
    }
}

/// A quaternion that is of unit length but for rounding, at unit length to the last digits: a Newton step of 1/√x.
fn renormalized(q: DQuat) -> DQuat {
    q * (1.5 - 0.5 * q.length_squared())
}

/// Solves A x = b for a symmetric positive A with a diagonal and the entries xy, yz, zx.
fn solve_symmetric(diagonal: DVec3, off: DVec3, b: DVec3) -> DVec3 {
    let DVec3 { x: a, y: d, z: f } = diagonal;
    let DVec3 { x: xy, y: yz, z: zx } = off;
    let first = DVec3::new(d * f - yz * yz, zx * yz - xy * f, xy * yz - d * zx);
    let second = DVec3::new(first.y, a * f - zx * zx, xy * zx - a * yz);
    let third = DVec3::new(first.z, second.z, a * d - xy * xy);
    let determinant = a * first.x + xy * first.y + zx * first.z;
    DVec3::new(first.dot(b), second.dot(b), third.dot(b)) / determinant
}
