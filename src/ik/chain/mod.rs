//! Fast solvers for the most common problem: one target position for the end of a chain of free, rigid joints.
//!
//! Such a chain is a list of vectors in base space. The solvers also turn the orientations of the joints, and convert
//! them to local rotations at the end.

mod ccd;
mod damped;
mod fabrik;
mod fused;
mod particle;
mod points;
mod pose;
mod solve;
mod stall;

use glam::{DQuat, DVec3};

use super::body::Shape;
use super::methods::fused::{FusedSteps, middle};
use super::rotation::{BENT, any_perpendicular};
use super::{Body, Goal, Limit, Link};
pub(super) use stall::{STALL_ITERATIONS, STALL_RATIO};

/// A link shorter than this fraction of the reach has no usable direction.
const SHORTEST: f64 = 1e-9;

/// A free chain with its current pose and reusable buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeChain {
    /// The shape of the body for which the fields from `end` to `bend` and `middle` were computed. They remain valid
    /// while the body has this shape.
    shape: Option<Shape>,
    end: usize,
    /// The point of the end's link that must reach the target, in the link's frame.
    offset: DVec3,
    limits: bool,
    simple: bool,
    /// Whether any joint has a budget for cyclic coordinate descent.
    has_ccd_budgets: bool,
    /// Upper bound for the distance by which the rounding errors of the links' scales move the end, in base space. Zero
    /// if every scale is exactly uniform.
    unevenness: f64,
    /// Index of each joint's link, base first.
    links: Vec<usize>,
    /// The vector from each joint to the next joint or the end, in the joint's turned frame.
    locals: Vec<DVec3>,
    lengths: Vec<f64>,
    pub(super) reach: f64,
    longest: f64,
    base: DVec3,
    /// The axis about which the rest pose bends, in the first joint's turned frame.
    bend: DVec3,
    /// Whether the orientations and vectors below belong to the last solution.
    is_current: bool,
    /// Orientation of each joint in base space. The quaternions can have any length.
    orientations: Vec<DQuat>,
    /// The current vectors from joint to joint in base space, and their sum, which is the position of the end
    /// relative to the base.
    vectors: Vec<DVec3>,
    end_now: DVec3,
    /// Buffers of damped least squares: the running sums of the arms from each joint to the end, and the turns and
    /// vectors of a tentative step.
    passed: Vec<DVec3>,
    turns: Vec<DVec3>,
    next: Vec<DVec3>,
    /// The arm from each joint to the end, and the arcs of a sweep.
    arms: Vec<DVec3>,
    arcs: Vec<DQuat>,
    /// State and buffers of the fused method: the orientations before its last step, and the joints' rest rotations.
    fused: FusedSteps,
    orientations_before: Vec<DQuat>,
    rests: Vec<DQuat>,
    /// Buffer of the methods that work on points.
    points: Vec<DVec3>,
    /// The joint that divides the chain's length most evenly.
    middle: usize,
    pub(super) record: bool,
    /// The errors before the first iteration and after each iteration, in base space.
    pub(super) errors: Vec<f64>,
}

/// The outcome of a fast solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainOutcome {
    /// The end is within tolerance after this number of iterations.
    Reached(usize),
    /// The solver made no progress, so the general solver must take over.
    Stuck,
}

impl FreeChain {
    /// Returns whether this chain can solve the problem. All links from the base to the goal's link must be free and of
    /// weight one, and their scales must be uniform. The only goal must be an unpinned position goal without a pole.
    pub(super) fn supports(&mut self, body: &Body, goals: &[Goal], limits: bool) -> bool {
        let [goal] = goals else { return false };
        let plain = goal.position.is_some()
            && goal.orientation.is_none()
            && goal.aim.is_none()
            && goal.pole.is_none()
            && goal.weight > 0.0
            && goal.axes.position.is_plain()
            && !goal.pinned;
        if !plain {
            return false;
        }
        let known = self.shape == Some(body.shape());
        if !(known && self.end == goal.link.0 && self.offset == goal.offset && self.limits == limits) {
            (self.end, self.offset, self.limits) = (goal.link.0, goal.offset, limits);
            self.shape = Some(body.shape());
            self.plan(body.links());
        }
        self.simple
    }

    /// Records an error if recording is enabled.
    pub(super) fn record_error(&mut self, error: f64) {
        if self.record {
            self.errors.push(error);
        }
    }

    /// Returns the distance from the end to a target. `target` is relative to the base.
    pub(super) fn distance_to(&self, target: DVec3) -> f64 {
        self.end_now.distance(target)
    }

    /// Collects the links of the chain. Sets `simple` if all of them are free and rigid.
    fn plan(&mut self, links: &[Link]) {
        (self.simple, self.is_current, self.has_ccd_budgets) = (false, false, false);
        self.links.clear();
        self.locals.clear();
        if matches!(links[self.end].limit, Limit::Prismatic { .. }) {
            return;
        }
        // Turning a link moves the points on the link, but not its own joint.
        let (mut next, mut local) = if self.offset == DVec3::ZERO {
            (links[self.end].parent_index(), links[self.end].offset)
        } else {
            (Some(self.end), self.offset)
        };
        self.base = local;
        while let Some(link) = next {
            let Link { parent, offset, scale, weight, limit, ccd_budget, .. } = links[link];
            self.has_ccd_budgets |= ccd_budget.is_finite();
            // A prismatic joint keeps its displacement even if limits are off.
            let is_bound = limit != Limit::Free && (self.limits || matches!(limit, Limit::Prismatic { .. }));
            #[expect(clippy::float_cmp, reason = "set, not computed")]
            if weight != 1.0 || is_bound || !(scale.min_element() > 0.0 && links[link].is_scaled_evenly()) {
                return;
            }
            self.links.push(link);
            self.locals.push(local);
            self.base = offset;
            (next, local) = (parent.map(|parent| parent.0), offset);
        }
        self.links.reverse();
        self.locals.reverse();
        self.apply_scales(links);
        self.lengths.clear();
        self.lengths.extend(self.locals.iter().map(|l| l.length()));
        self.reach = self.lengths.iter().sum();
        self.longest = self.lengths.iter().copied().fold(0.0, f64::max);
        let shortest = self.lengths.iter().copied().fold(f64::INFINITY, f64::min);
        if self.links.len() < 2 || !(shortest > SHORTEST * self.reach && self.reach.is_finite()) {
            return;
        }
        self.simple = true;
        self.resize_buffers();
        self.bend = self.rest_bend(links);
        let last = self.lengths.len() - 1;
        self.middle = middle(self.lengths[..last].iter().copied(), self.reach);
    }

    /// Multiplies the vectors between joints by the scales of the links above these vectors. A uniform scale commutes
    /// with rotations, so the chain remains rigid.
    fn apply_scales(&mut self, links: &[Link]) {
        let (mut product, mut uneven) = (1.0, 0.0);
        self.unevenness = 0.0;
        for (&link, local) in self.links.iter().zip(&mut self.locals) {
            let scale = links[link].scale;
            product *= scale.element_sum() / 3.0;
            uneven += 1.0 - scale.min_element() / scale.max_element();
            *local *= product;
            self.unevenness += uneven * local.length();
        }
    }

    fn resize_buffers(&mut self) {
        let n = self.links.len();
        for vectors in [&mut self.vectors, &mut self.passed, &mut self.turns, &mut self.next, &mut self.arms]
        {
            vectors.resize(n, DVec3::ZERO);
        }
        for turns in [&mut self.orientations, &mut self.arcs] {
            turns.resize(n, DQuat::IDENTITY);
        }
    }

    /// Returns the axis about which the rest pose bends. For a straight rest pose, this axis is perpendicular to the
    /// first link.
    fn rest_bend(&self, links: &[Link]) -> DVec3 {
        let (mut orientation, mut before, mut normal) = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        for (i, (&link, &local)) in self.links.iter().zip(&self.locals).enumerate() {
            // `orientation` and `normal` are in the turned frame of the first joint.
            orientation = if i == 0 { DQuat::IDENTITY } else { orientation * links[link].rest };
            normal += before.cross(orientation * local);
            before = orientation * local;
        }
        let first = self.locals.first().copied().unwrap_or(DVec3::Y);
        let bent = normal.length() > BENT * self.longest * self.longest;
        if bent { normal.normalize() } else { any_perpendicular(first) }
    }

    /// Returns whether a target is out of the chain's reach. `target` is relative to the base.
    pub(super) fn too_far(&self, target: DVec3) -> bool {
        target.length() >= self.reach
    }

    /// Returns whether the chain is a limb, that is, whether it has two joints.
    pub(super) fn is_limb(&self) -> bool {
        self.links.len() == 2
    }

    /// Returns the position of the base in base space.
    pub(super) fn base(&self, body: &Body) -> DVec3 {
        body.root() + self.base
    }

    /// Returns the position of the end relative to the base, in base space.
    fn end(&self) -> DVec3 {
        self.end_now
    }

    /// Returns whether a target is so near to the base that the folded chain cannot reach it. `target` is relative to
    /// the base.
    pub(super) fn too_near(&self, target: DVec3) -> bool {
        target.length() < 2.0 * self.longest - self.reach
    }
}

#[cfg(test)]
pub(super) mod tests;
