//! The parts of a body with two legs: a biped or a bird.

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};
use crate::rig::bone_names::Bones;

use super::facing::Facing;
use super::limb::{self, LimbJoints};
use super::parts::Parts;
use super::shape::{Finder, Stance};
use super::symmetry::Pair;
use super::trunk::Trunk;

/// A limb is on one side if all its joints are at least this far from the middle, as a fraction of the size of the body.
const LEAST_ASIDE: f32 = 0.03;

/// The joints from the hips to the head.
struct Back {
    /// All joints of the back, or only those up to the chest.
    path: Vec<usize>,
    spine: Vec<usize>,
    neck: Vec<usize>,
}

impl Finder<'_, '_> {
    /// Returns the pair that is most likely the arms of a body with two legs.
    fn arms(&self, legs: &Pair) -> Option<&Pair> {
        let anatomy = self.anatomy;
        let hips = self.middle(legs);
        let score = |pair: &Pair| {
            let top = self.middle(pair);
            let is_candidate = !std::ptr::eq(pair, legs)
                && pair.attach.is_some()
                && pair.length > 0.3 * legs.length.min(0.5 * anatomy.size)
                // A pair that starts at the hips is a skirt.
                && top.y > hips.y + 0.05 * legs.length;
            // Ears and hair are at the head, far from the legs.
            let trust = if pair.attach == legs.attach { 0.4 } else { 1.0 };
            is_candidate.then(|| trust * pair.length / (0.2 * anatomy.size + top.distance(hips)))
        };
        let scored = self.division.pairs.iter().filter_map(|p| Some((score(p)?, p)));
        scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, pair)| pair)
    }

    /// Returns the length of the longest limb above the legs that is on one side and has no partner, and the node that carries it.
    fn lone_limb(&self, legs: &Pair) -> Option<(f32, usize)> {
        let anatomy = self.anatomy;
        let hips = self.middle(legs);
        let mut carries_pair = vec![false; anatomy.at.len()];
        for attach in self.division.pairs.iter().filter_map(|pair| pair.attach) {
            anatomy.ancestors(attach).for_each(|node| carries_pair[node] = true);
        }
        let aside = |node: usize| self.plane.distance(anatomy.at[node]);
        let limb = |&top: &usize| {
            let parent = anatomy.parent[top]?;
            let path = anatomy.longest_path(top);
            let length = if path.len() > 1 { anatomy.reach[top] } else { anatomy.length(parent, top) };
            let is_aside = path.iter().all(|&n| aside(n) * aside(top).signum() > LEAST_ASIDE * anatomy.size);
            let is_high = anatomy.at[top].y > hips.y + 0.05 * legs.length;
            let is_long = length > 0.3 * legs.length;
            (is_aside && is_high && is_long && anatomy.skin_below(top).0 > 0.0).then_some((length, parent))
        };
        let alone = |node: &&usize| self.division.is_trunk[**node] && !carries_pair[**node];
        anatomy.order.iter().filter(alone).filter_map(limb).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    pub(super) fn two_legs(&self, legs: &Pair) -> Result<Parts, String> {
        let anatomy = self.anatomy;
        let arms = self.arms(legs);
        // The ears of a person with one arm are not arms.
        let below_arms = |node: usize| {
            arms.and_then(|a| a.attach)
                .is_none_or(|top| top != node && anatomy.ancestors(top).any(|n| n == node))
        };
        if let Some((limb, _)) = self.lone_limb(legs).filter(|(_, node)| below_arms(*node)) {
            return Err(format!("it has a limb, of {limb:.2} m, on one side only"));
        }
        let mut trunk = self.trunk();
        let below = legs.attach.ok_or("nothing carries the legs")?;
        let back = self.back(&mut trunk, legs, below, arms)?;
        let hips = back.path.first().copied().unwrap_or(below);
        let leg_parts = self.leg(legs);
        let arm_parts = arms.map(|arms| limb::arms(anatomy, &arms.joints, &self.plane));
        let facing = self.front_of_two_legs(&leg_parts, arm_parts.as_ref(), &back, [below, hips]);
        let mut reasons = vec!["one pair of limbs stands on the floor".to_owned()];
        if let Some(arms) = arms {
            reasons.push(format!("a pair of limbs, of {:.2} m, is above them", arms.length));
        }
        let (certainty, doubts) = self.doubts(legs, &back);
        // Wings are longer than legs, and the trunk of a bird is not upright.
        let chest = back.spine.last().copied().unwrap_or(hips);
        let upward = anatomy.at[chest] - anatomy.at[hips];
        let has_wings =
            arms.is_some_and(|a| a.length > 1.5 * legs.length) && upward.y < 0.7 * upward.length();
        let kind = if arms.is_some() && !has_wings { BodyKind::Biped } else { BodyKind::Bird };
        let mut limbs = vec![(LimbKind::Leg, leg_parts)];
        let front_kind = if has_wings { LimbKind::Wing } else { LimbKind::Arm };
        limbs.extend(arm_parts.map(|a| (front_kind, a)));
        let taken = [&back.path[..], &back.spine, &back.neck].concat();
        let parts = Parts {
            kind,
            hips,
            spine: back.spine,
            neck: back.neck,
            limbs,
            tails: Vec::new(),
            facing: Vec3::Z,
            logical_parents: trunk.logical_parents.clone(),
            named: Bones::new(),
            certainty,
            reasons,
            doubts,
        };
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }

    /// Returns the trunk above a pair of legs. `below` is the node that carries the legs.
    fn back(
        &self,
        trunk: &mut Trunk<'_, '_>,
        legs: &Pair,
        below: usize,
        arms: Option<&Pair>,
    ) -> Result<Back, String> {
        let anatomy = self.anatomy;
        let hip_middle = self.middle(legs);
        // The arms may hang from the node that carries the legs, or from one of its ancestors.
        let front = arms.and_then(|a| a.attach).filter(|&n| anatomy.path(n, below).is_none());
        let mut path = match front {
            Some(front) => trunk.between(below, front).ok_or("the skeleton starts above the hips")?,
            None => {
                let head = trunk.head_path(below, &[], Vec3::Y);
                std::iter::once(below).chain(head).collect()
            }
        };
        // A body that consists of a head on legs turns at the node below the head.
        let least = if front.is_none() && arms.is_none() { 2 } else { 1 };
        while path.len() > least && trunk.is_better_as_hips(path[0], path[1], hip_middle) {
            path.remove(0);
        }
        let hips = path[0];
        let (spine, neck) = match (front, arms) {
            (Some(chest), _) => (path[1..].to_vec(), trunk.head_path(chest, &[], Vec3::Y)),
            (None, Some(arms)) if hips != below => {
                let shoulders = self.middle(arms);
                let gap = |n: usize| anatomy.at[n].distance(shoulders);
                let last = path.len().saturating_sub(1).max(1);
                let chest = (0..last).min_by(|&a, &b| gap(path[a]).total_cmp(&gap(path[b]))).unwrap_or(0);
                arms.joints.iter().for_each(|joints| {
                    trunk.logical_parents.insert(joints[0], path[chest]);
                });
                (path[1..=chest].to_vec(), path[chest + 1..].to_vec())
            }
            (None, Some(_)) => (Vec::new(), path[1..].to_vec()),
            // Without arms, the last third of the trunk is the neck.
            (None, None) => {
                let chest = (path.len().saturating_sub(1)) / 2;
                (path[1..=chest].to_vec(), path[chest + 1..].to_vec())
            }
        };
        Ok(Back { path, spine, neck })
    }

    /// Collects the observations that show where the front is. `roots` are the nodes from which a tail may start.
    fn front_of_two_legs(
        &self,
        legs: &[LimbJoints; 2],
        arms: Option<&[LimbJoints; 2]>,
        back: &Back,
        roots: [usize; 2],
    ) -> Facing {
        let anatomy = self.anatomy;
        let mut facing = Facing::new(self.plane.normal);
        facing.add_feet(anatomy, &legs.iter().collect::<Vec<_>>());
        facing.add_knees(anatomy, &legs.iter().collect::<Vec<_>>());
        if let Some(arms) = arms {
            facing.add_elbows(anatomy, &arms.iter().collect::<Vec<_>>());
        }
        if let Some(&head) = back.neck.last().filter(|_| anatomy.has_skin()) {
            let face = anatomy.mass.center[head] - anatomy.at[head];
            facing.add_direction("the face points to", face.with_y(0.0), 0.05 * anatomy.size, 1.0);
            let detail = anatomy.mass.detail[head] - anatomy.mass.center[head];
            facing.add_direction("the head has more detail at", detail.with_y(0.0), 0.03 * anatomy.size, 1.0);
        }
        // A tail leads away from the front.
        let is_back = |c: &usize| [&back.path, &back.spine, &back.neck].iter().any(|nodes| nodes.contains(c));
        let trunk_children = roots.iter().flat_map(|&n| anatomy.main_children(n, 24));
        let tail = trunk_children
            .filter(|c| self.division.is_trunk[*c] && !is_back(c))
            .map(|c| {
                let end = anatomy.longest_path(c).last().copied().unwrap_or(c);
                anatomy.at[end] - anatomy.at[c]
            })
            .max_by(|a, b| a.length().total_cmp(&b.length()));
        if let Some(tail) = tail {
            facing.add_direction("the tail leads away from", -tail.with_y(0.0), 0.2 * anatomy.size, 3.0);
        }
        facing
    }

    /// Returns the certainty that a pair of limbs is a pair of legs, and the reasons for doubt.
    fn doubts(&self, legs: &Pair, back: &Back) -> (f32, Vec<String>) {
        let anatomy = self.anatomy;
        let (mut certainty, mut doubts) = (0.9, Vec::new());
        let straight = legs.joints.iter().map(|j| Stance::new(anatomy, j).descent).fold(0.0, f32::max);
        if back.spine.is_empty() && back.neck.is_empty() {
            certainty *= 0.5;
            doubts.push("it has no trunk".into());
        }
        if straight < 0.6 {
            certainty *= 0.7;
            doubts.push("the legs are spread wide".into());
        }
        if anatomy.has_skin() && anatomy.floor.abs() > 0.15 * anatomy.size {
            certainty *= 0.7;
            doubts.push("the feet are not on the ground".into());
        }
        (certainty, doubts)
    }
}
