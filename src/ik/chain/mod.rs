//! The quick way for the usual question: one position for the end of a chain of free, rigid joints.
//!
//! A chain is then no more than its links' vectors in base space. The joints' orientations are carried along, and become
//! rotations of their own at the end.

mod damped;
mod pose;
mod quick;

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::rotation::any_perpendicular;
use super::{Body, Goal, Limit, Link};

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
    lengths: Vec<f64>,
    pub(super) reach: f64,
    longest: f64,
    base: DVec3,
    /// The axis about which it bends at rest, in the first joint's turned frame.
    bend: DVec3,
    /// Whether orientations and stretches below are those of the answer that was written last.
    stands: bool,
    /// Orientation of each joint, base space; unit but for a factor.
    spins: Vec<DQuat>,
    /// The stretches as they are, base space, and their sum: where the end is from the base.
    vectors: Vec<DVec3>,
    end_now: DVec3,
    /// Of damped least squares: the arms from each joint to the end, all summed up to the joint; and the turns and the
    /// stretches that a step would lead to.
    passed: Vec<DVec3>,
    turns: Vec<DVec3>,
    next: Vec<DVec3>,
    /// From each joint to the end, and the arcs of a sweep.
    arms: Vec<DVec3>,
    arcs: Vec<DQuat>,
    /// Of methods that work on points.
    points: Vec<DVec3>,
    tip: DVec3,
    /// The joint that divides the chain's length most evenly.
    middle: usize,
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

    /// Notes an error, if that is asked for.
    pub(super) fn note(&mut self, error: f64) {
        if self.record {
            self.errors.push(error);
        }
    }

    /// How far the end is from a target, which is told from the base.
    pub(super) fn away(&self, target: DVec3) -> f64 {
        self.end_now.distance(target)
    }

    fn plan(&mut self, links: &[Link]) {
        self.links.clear();
        self.locals.clear();
        (self.simple, self.stands) = (false, false);
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
        let n = self.links.len();
        for vectors in [&mut self.vectors, &mut self.passed, &mut self.turns, &mut self.next, &mut self.arms]
        {
            vectors.resize(n, DVec3::ZERO);
        }
        for turns in [&mut self.spins, &mut self.arcs] {
            turns.resize(n, DQuat::IDENTITY);
        }
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
}

#[cfg(test)]
mod tests;
