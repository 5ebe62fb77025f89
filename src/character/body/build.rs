//! Builds the [`CrowdBody`] of a model from its rig.

mod joints;

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton};
use crate::ik::Limit;
use crate::pose::{Pose, world_matrices};
use crate::rig::soles::Soles;
use crate::rig::{ChainKind, Rig};

use super::types::NONE;
use super::{
    BELOW_HIPS, BodyParts, CHAINS, CrowdBody, CrowdChain, CrowdLimb, DETACHED, HINGED, LIMBS, LINKS, NECK,
};

/// Cosine of 75°, the maximum angle to either side at which a head follows its look-at target.
const FIELD_COS: f32 = 0.2588;

/// Builds the parts of a body.
struct Builder<'a> {
    skeleton: &'a Skeleton,
    rig: &'a Rig,
    /// `world_from_node` in the rest pose.
    world: Vec<Affine3A>,
    slot: &'a dyn Fn(usize) -> Option<u32>,
    hips: Option<usize>,
}

/// An arm or a leg of the rig.
struct LimbNodes<'a> {
    nodes: &'a [usize],
    bend: Option<Vec3>,
    stands: bool,
}

impl CrowdBody {
    /// Builds the body of a character. `scene` is the index of the drawn scene, and `slot` returns the joint index of a
    /// node. Limbs whose joints do not form a chain are left out.
    pub fn new(character: &Character, scene: usize, rig: &Rig, slot: &dyn Fn(usize) -> Option<u32>) -> Self {
        let skeleton = &character.skeleton;
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let mut builder = Builder { skeleton, rig, world, slot, hips: None };
        let mut limbs = builder.limb_nodes();
        limbs.sort_by_key(|limb| !limb.stands);
        builder.hips = builder.hips_above(&limbs);
        let mut body = Self::default();
        body.parts.hips = builder.hips.and_then(slot).unwrap_or(NONE);
        let mut legs: Vec<usize> = Vec::new();
        for nodes in limbs {
            let (Some(limb), Some(end)) = (builder.limb(&nodes), nodes.nodes.last()) else { continue };
            let Some(entry) = body.parts.limb.get_mut(body.ends.len()) else { break };
            *entry = limb;
            body.ends.push(*end);
            if nodes.stands {
                legs.push(*end);
            }
        }
        body.parts.limbs = u32::try_from(body.ends.len()).unwrap_or(0);
        body.parts.legs = u32::try_from(legs.len()).unwrap_or(0);
        body.parts.size = builder.size(&body.parts);
        builder.add_soles(character, scene, &legs, &mut body);
        builder.add_neck(&mut body.parts);
        builder.add_chains(&mut body);
        body
    }
}

impl<'a> Builder<'a> {
    fn position(&self, node: usize) -> Vec3 {
        self.world.get(node).map_or(Vec3::ZERO, |world| world.translation.into())
    }

    fn is_below(&self, node: usize, above: usize) -> bool {
        self.skeleton.ancestors(node).any(|n| n == above)
    }

    /// Returns the arms and legs that have at least three joints.
    fn limb_nodes(&self) -> Vec<LimbNodes<'a>> {
        let mut limbs: Vec<LimbNodes<'a>> = match &self.rig.body {
            Some(plan) => plan
                .limbs
                .iter()
                .map(|l| LimbNodes { nodes: &l.joints, bend: Some(l.bend), stands: l.stands })
                .collect(),
            None => {
                let chains = self.rig.chains.iter();
                let chains = chains.filter(|c| matches!(c.kind, ChainKind::Arm | ChainKind::Leg));
                let limb = |c: &'a crate::rig::Chain| LimbNodes {
                    nodes: &c.joints,
                    bend: c.bend,
                    stands: c.kind == ChainKind::Leg,
                };
                chains.map(limb).collect()
            }
        };
        limbs.retain(|limb| limb.nodes.len() >= 3);
        limbs.truncate(LIMBS);
        limbs
    }

    /// Returns the hips of the plan if all legs descend from them, and otherwise the nearest common ancestor of all legs.
    fn hips_above(&self, limbs: &[LimbNodes<'_>]) -> Option<usize> {
        let tops: Vec<usize> =
            limbs.iter().filter(|l| l.stands).filter_map(|l| l.nodes.first().copied()).collect();
        let carries = |node: &usize| tops.iter().all(|top| self.is_below(*top, *node));
        let plan = self.rig.body.as_ref().map(|plan| plan.hips);
        let above = || self.skeleton.ancestors(*tops.first()?).skip(1).find(carries);
        plan.filter(|hips| !tops.is_empty() && carries(hips)).or_else(above)
    }

    fn limb(&self, limb: &LimbNodes<'_>) -> Option<CrowdLimb> {
        let (&first, &end) = (limb.nodes.first()?, limb.nodes.last()?);
        let inner = limb.nodes.get(1..limb.nodes.len() - 1)?;
        // Chooses the inner joint with the largest distance from the nearer end, because the limb can bend most there.
        let shorter = |node: usize| {
            let middle = self.position(node);
            middle.distance(self.position(first)).min(middle.distance(self.position(end)))
        };
        let middle = inner.iter().copied().max_by(|a, b| shorter(*a).total_cmp(&shorter(*b)))?;
        if !self.is_below(middle, first) || first == middle || middle == end {
            return None;
        }
        let is_detached = !self.is_below(end, middle);
        let (upper, lower) =
            (self.position(middle) - self.position(first), self.position(end) - self.position(middle));
        let (hinge, [least_cos, most_cos]) = self.hinge(middle, upper, lower, limb.bend)?;
        let below_hips = self.hips.is_some_and(|hips| self.is_below(end, hips));
        let is_hinged = matches!(self.valid_limit(middle), Limit::Hinge { .. });
        let flags = if is_hinged { HINGED } else { 0 }
            | if is_detached { DETACHED } else { 0 }
            | if below_hips { BELOW_HIPS } else { 0 };
        let slot = self.slot;
        Some(CrowdLimb {
            first: slot(first)?,
            middle: slot(middle)?,
            end: slot(end)?,
            hinge,
            least_cos,
            most_cos,
            flags,
            limit: self.limit(first),
            ..CrowdLimb::default()
        })
    }

    /// Returns the length of the longest leg, or of the longest limb if there are no legs.
    fn size(&self, parts: &BodyParts) -> f32 {
        let count = if parts.legs > 0 { parts.legs } else { parts.limbs } as usize;
        let nodes = self.limb_nodes();
        let length = |limb: &LimbNodes<'_>| -> f32 {
            limb.nodes.windows(2).map(|w| self.position(w[0]).distance(self.position(w[1]))).sum()
        };
        let limbs = nodes.iter().filter(|l| parts.legs == 0 || l.stands).take(count);
        let longest = limbs.map(length).fold(0.0, f32::max);
        let plan = self.rig.body.as_ref().map_or(1.0, |plan| plan.size);
        if longest.is_finite() && longest > 0.0 { longest } else { plan }
    }

    fn facing(&self) -> Vec3 {
        self.rig.body.as_ref().map_or(Vec3::Z, |plan| plan.facing)
    }

    fn add_soles(&self, character: &Character, scene: usize, legs: &[usize], body: &mut CrowdBody) {
        let soles = Soles::new(character, scene, &self.world, legs, self.slot);
        let mut floor = f32::INFINITY;
        let mut foot = 0.0_f32;
        for (index, limb) in body.parts.limb.iter_mut().take(legs.len()).enumerate() {
            let end = legs.get(index).copied().unwrap_or_default();
            let sole = soles.of_leg(index, end, self.facing(), body.parts.size);
            for (out, (point, node)) in limb.sole.iter_mut().zip(&sole.points) {
                let frame = self.world.get(*node).copied().unwrap_or_default();
                out.position = frame.inverse().transform_point3(*point);
                out.joint = (self.slot)(*node).unwrap_or(limb.end);
                if !out.position.is_finite() {
                    out.position = Vec3::ZERO;
                }
            }
            limb.soles = u32::try_from(sole.points.len()).unwrap_or(0);
            (limb.heel, limb.toe) = (sole.heel, sole.toe);
            let along = |end: u32| sole.points.get(end as usize).map_or(0.0, |(p, _)| p.dot(self.facing()));
            floor = sole.points.iter().map(|(p, _)| p.y).fold(floor, f32::min);
            foot = foot.max(0.5 * (along(sole.toe) - along(sole.heel))).max(0.02 * body.parts.size);
        }
        // A floor height close to zero is set to zero, because most clips have their floor there.
        let is_far = floor.is_finite() && floor.abs() > 0.05 * body.parts.size;
        body.parts.floor = if is_far { floor } else { 0.0 };
        body.parts.foot = foot;
    }

    fn add_neck(&self, parts: &mut BodyParts) {
        let plan = self.rig.body.as_ref().map(|plan| plan.neck.as_slice());
        let chain = || self.rig.chains.iter().find(|c| c.kind == ChainKind::Neck);
        let neck = plan.or_else(|| chain()?.joints.get(1..));
        let neck = neck.unwrap_or_default();
        let neck = neck.get(neck.len().saturating_sub(NECK)..).unwrap_or_default();
        let is_chain = neck.windows(2).all(|w| self.is_below(w[1], w[0]));
        let slots: Option<Vec<u32>> = neck.iter().map(|node| (self.slot)(*node)).collect();
        let chest = neck.first().and_then(|node| self.skeleton.nodes.get(*node)?.parent);
        let (Some(slots), Some(&head), true) = (slots, neck.last(), is_chain) else { return };
        let Some((chest, chest_slot)) = chest.and_then(|chest| Some((chest, (self.slot)(chest)?))) else {
            return;
        };
        let in_frame = |node: usize| {
            let frame = self.world.get(node).copied().unwrap_or_default();
            frame.inverse().transform_vector3(self.facing()).try_normalize()
        };
        let (Some(facing), Some(forward)) = (in_frame(head), in_frame(chest)) else { return };
        parts.necks = u32::try_from(slots.len()).unwrap_or(0);
        for ((out, limit), (slot, node)) in
            parts.neck.iter_mut().zip(&mut parts.neck_limits).zip(slots.iter().zip(neck))
        {
            (*out, *limit) = (*slot, self.limit(*node));
        }
        (parts.facing, parts.forward, parts.chest) = (facing, forward, chest_slot);
        parts.field_cos = FIELD_COS;
    }

    /// Adds tails and other chains.
    fn add_chains(&self, body: &mut CrowdBody) {
        let tails = self.rig.body.iter().flat_map(|plan| &plan.tails);
        let others = self.rig.chains.iter().filter(|c| matches!(c.kind, ChainKind::Tail | ChainKind::Limb));
        let parts = &body.parts;
        let turned = body.limbs().iter().flat_map(|limb| [limb.first, limb.middle, limb.end]);
        let necks = parts.neck.iter().take(parts.necks as usize).copied();
        let mut used: Vec<u32> = turned.chain(necks).chain([parts.hips]).collect();
        for nodes in tails.chain(others.map(|c| &c.joints)) {
            // Each joint belongs to only one part. A chain starts below the last joint that another part uses.
            let is_used = |node: &usize| (self.slot)(*node).is_some_and(|slot| used.contains(&slot));
            let inner = nodes.get(..nodes.len().saturating_sub(1)).unwrap_or_default();
            let start = inner.iter().rposition(is_used).map_or(0, |last| last + 1);
            let start = start.max(nodes.len().saturating_sub(LINKS + 1));
            let nodes = nodes.get(start..).unwrap_or_default();
            let is_chain =
                nodes.len() >= 2 && nodes.windows(2).all(|w| w[0] != w[1] && self.is_below(w[1], w[0]));
            let slots: Option<Vec<u32>> = nodes.iter().map(|node| (self.slot)(*node)).collect();
            let (Some(slots), Some(&tip), true) = (slots, nodes.last(), is_chain) else { continue };
            if body.tips.len() >= CHAINS || body.tips.contains(&tip) || body.ends.contains(&tip) {
                continue;
            }
            let mut chain =
                CrowdChain { links: u32::try_from(slots.len() - 1).unwrap_or(0), ..CrowdChain::default() };
            chain.joints.iter_mut().zip(&slots).for_each(|(out, slot)| *out = *slot);
            chain.limits.iter_mut().zip(nodes).for_each(|(out, node)| *out = self.limit(*node));
            if let Some(entry) = body.parts.chain.get_mut(body.tips.len()) {
                *entry = chain;
                body.tips.push(tip);
                used.extend(slots.iter().take(slots.len() - 1));
            }
        }
        body.parts.chains = u32::try_from(body.tips.len()).unwrap_or(0);
    }
}
