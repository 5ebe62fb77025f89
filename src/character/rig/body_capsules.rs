//! Fits the capsules of a person to the skin.
//!
//! The trunk is wide and shallow. It has two capsules side by side at the chest, one across the belly, and one across the hips. They are
//! fitted to its front, because hands reach the front. Limbs have a capsule for each bone.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Affine3A, Vec3};

use crate::asset::Character;
use crate::ik::shared::person;
use crate::mathematics::quantile;

use super::body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind};
use super::capsule::Capsule;
use super::rest_skin::{RestSkin, for_each_part};

/// Distance between samples of the skin, in metres at human size.
const SPACING: f32 = 0.01;
/// Largest number of samples along an edge of a triangle.
const MAX_SAMPLES: f32 = 12.0;
/// Fractions of the samples of arm bones, hands and leg bones that must be inside their capsules. Thumbs, skirts and swords remain outside.
const ARM_INSIDE: f64 = 0.95;
const HAND_INSIDE: f64 = 0.92;
const LEG_INSIDE: f64 = 0.75;
/// Starts of capsules, as fractions of their bones. The top of a thigh is inside the trunk.
const START: f32 = 0.1;
const THIGH_START: f32 = 0.25;
/// The capsule of a hand begins beyond the wrist by this multiple of its radius, because the wrist is as thin as the forearm.
const WRIST: f32 = 0.7;
/// The fraction of a level's samples that are left outside each of its bounds. They include belts, capes and hair.
const OUTSIDE: f64 = 0.03;
/// Allowed range of radii and of the height of the head, relative to a person of the same size.
const RANGE: [f32; 2] = [0.6, 1.8];
/// A trunk whose depth exceeds this fraction of its width is assumed to carry something on its back.
const DEEP: f32 = 0.8;
/// Half the height of a level, and the minimum number of samples in a level.
const HALF_LEVEL: f32 = 0.05;
const MIN_SAMPLES: usize = 12;
/// The height of the top of the head above the head's joint, in metres at human size.
const HEAD_TOP: f32 = 0.22;
/// The direction from a joint to the middle of its skin is used if the cosine of its angle to the preceding bone is at least this.
const ALONG: f32 = 0.5;

/// Computes the capsules of a person from the world matrices in the rest pose. Other bodies, and people without a skin, have no capsules.
pub(super) fn measure(character: &Character, world: &[Affine3A], plan: &mut BodyPlan) {
    let is_person = plan.kind == BodyKind::Biped
        && plan.limbs.len() == 4
        && plan.arms().count() == 2
        && plan.has_middle_joints();
    if !is_person {
        return;
    }
    let skin = samples(character, world, plan);
    let fitter = Fitter { world, skin: &skin, plan, size: plan.size };
    let mut capsules = fitter.trunk();
    for limb in &plan.limbs {
        fitter.limb(limb, &mut capsules);
    }
    plan.capsules = capsules;
    plan.skin = super::skin_points::measure(character, world, plan);
}

/// For each joint of the plan, returns evenly spread points of the skin that it moves, in world space in the rest pose.
fn samples(character: &Character, world: &[Affine3A], plan: &BodyPlan) -> BTreeMap<usize, Vec<Vec3>> {
    let mut owners: Vec<Option<usize>> = vec![None; character.skeleton.nodes.len()];
    let limbs = plan.limbs.iter().flat_map(|limb| &limb.joints).copied();
    let own: BTreeSet<usize> = plan.trunk().chain(limbs).collect();
    for &(node, parent) in &character.skeleton.parents_first {
        owners[node] = if own.contains(&node) { Some(node) } else { parent.and_then(|p| owners[p]) };
    }
    let spacing = SPACING * plan.size;
    let mut cells: BTreeSet<(usize, [i32; 3])> = BTreeSet::new();
    let mut found: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    let has_skins = !character.skins.is_empty();
    for_each_part(character, character.default_scene, world, |part| {
        // Rigid parts of a skinned character are props.
        if part.is_skinned || !has_skins {
            sample(part, spacing, |node, at| {
                let Some(bone) = owners.get(node).copied().flatten() else { return };
                if cells.insert((bone, (at / spacing).floor().as_ivec3().to_array())) {
                    found.entry(bone).or_default().push(at);
                }
            });
        }
    });
    found
}

/// Calls a function with points of all triangles, and the nodes that move them.
fn sample(part: &RestSkin<'_>, spacing: f32, mut visit: impl FnMut(usize, Vec3)) {
    for triangle in part.triangles {
        let corners = triangle.map(|v| part.positions.get(v as usize).copied().unwrap_or(Vec3::NAN));
        let [a, b, c] = corners;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        if !longest.is_finite() {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
        let steps = (longest / spacing).ceil().clamp(1.0, MAX_SAMPLES) as u16;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let [x, y] = [i, j].map(|n| f32::from(n) / f32::from(steps));
                let weights = [1.0 - x - y, x, y];
                let nearest = (0..3).max_by(|&k, &l| weights[k].total_cmp(&weights[l])).unwrap_or(0);
                let node = part.nodes.get(triangle[nearest] as usize).copied().flatten();
                if let Some(node) = node {
                    visit(node, a * weights[0] + b * weights[1] + c * weights[2]);
                }
            }
        }
    }
}

/// The bounds of a horizontal slice of a part of the body, along the axes of the body.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The midpoint between left and right, and half the width.
    middle: f32,
    half_width: f32,
    front: f32,
    back: f32,
    height: f32,
}

impl Level {
    /// Measures the points near a height. The points are given along the axes of the body.
    fn new(points: &[Vec3], height: f32, half: f32) -> Option<Self> {
        let near: Vec<Vec3> = points.iter().copied().filter(|p| (p.y - height).abs() < half).collect();
        if near.len() < MIN_SAMPLES {
            return None;
        }
        let [left, right] = bounds(near.iter().map(|p| p.x));
        let (middle, half_width) = (0.5 * (left + right), 0.5 * (right - left));
        let inner = near.iter().filter(|p| (p.x - middle).abs() < 0.6 * half_width);
        let [back, front] = bounds(inner.map(|p| p.z));
        Some(Self { middle, half_width, front, back, height })
    }

    /// Returns the radius of the trunk: half its depth.
    fn radius(&self) -> f32 {
        (0.5 * (self.front - self.back)).min(DEEP * self.half_width)
    }
}

/// Returns the bounds of all values except outliers.
fn bounds(values: impl Iterator<Item = f32>) -> [f32; 2] {
    let values: Vec<f64> = values.map(f64::from).collect();
    #[expect(clippy::cast_possible_truncation, reason = "the values are single precision")]
    [OUTSIDE, 1.0 - OUTSIDE].map(|fraction| quantile(values.clone(), fraction) as f32)
}

/// Returns the 99th percentile of the values.
fn above_most(values: impl Iterator<Item = f32>) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the values are single precision")]
    let most = quantile(values.map(f64::from).collect(), 0.99) as f32;
    most
}

/// Fits capsules to the skin.
struct Fitter<'a> {
    world: &'a [Affine3A],
    /// Points of the skin of each joint, in world space.
    skin: &'a BTreeMap<usize, Vec<Vec3>>,
    plan: &'a BodyPlan,
    size: f32,
}

impl Fitter<'_> {
    fn at(&self, node: usize) -> Vec3 {
        self.world.get(node).map_or(Vec3::ZERO, |m| m.translation.into())
    }

    /// Converts a point from world space to the axes of the body (left, up and front), relative to the hips.
    fn along(&self, point: Vec3) -> Vec3 {
        let (from, left) = (point - self.at(self.plan.hips), Vec3::Y.cross(self.plan.facing));
        Vec3::new(from.dot(left), from.y, from.dot(self.plan.facing))
    }

    /// Clamps a radius to the range of a person.
    fn clamp(&self, radius: f32, person: f64) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a constant")]
        let usual = person as f32 * self.size;
        radius.clamp(RANGE[0] * usual, RANGE[1] * usual)
    }

    /// Returns a capsule of a node between two points, which are given along the axes of the body.
    fn capsule(&self, node: usize, ends: [Vec3; 2], radius: f32) -> Option<Capsule> {
        let (plan, hips) = (self.plan, self.at(self.plan.hips));
        let left = Vec3::Y.cross(plan.facing);
        let node_from_world = self.world.get(node)?.inverse();
        let place =
            |p: Vec3| node_from_world.transform_point3(hips + left * p.x + Vec3::Y * p.y + plan.facing * p.z);
        let ends = ends.map(place);
        (radius.is_finite() && radius > 0.0 && ends.iter().all(|e| e.is_finite())).then_some(Capsule {
            node,
            ends,
            radius,
        })
    }

    /// Returns the capsules of the chest, the hips, the belly and the head.
    fn trunk(&self) -> Vec<Capsule> {
        let plan = self.plan;
        let joints = std::iter::once(&plan.hips).chain(&plan.spine).chain(plan.neck.iter().rev().skip(1));
        let skin: Vec<Vec3> =
            joints.filter_map(|n| self.skin.get(n)).flatten().map(|&p| self.along(p)).collect();
        let tops = plan.arms().filter_map(|arm| arm.joints.first());
        let shoulders = tops.map(|&n| self.along(self.at(n)).y).sum::<f32>() * 0.5;
        let neck = plan
            .neck
            .first()
            .filter(|_| plan.neck.len() > 1)
            .map_or(shoulders, |&n| self.along(self.at(n)).y);
        let mut capsules = Vec::new();
        if neck > 0.0 {
            let level = |height: f32| Level::new(&skin, height, HALF_LEVEL * self.size);
            if let Some((top, bottom)) = level(0.8 * neck).zip(level(0.4 * neck)) {
                self.chest(top, bottom, &mut capsules);
            }
            // The skin beside the hips belongs to the legs.
            let legs = plan.legs().filter_map(|leg| self.skin.get(leg.joints.first()?)).flatten();
            let hips: Vec<Vec3> = skin.iter().copied().chain(legs.map(|&p| self.along(p))).collect();
            let hips = Level::new(&hips, 0.0, HALF_LEVEL * self.size);
            capsules.extend(hips.and_then(|l| self.across(plan.hips, l, person::PELVIS)));
            if let Some(&belly) = plan.spine.first() {
                let height = self.along(self.at(belly)).y + 0.1 * neck;
                let level = level(height.min(0.4 * neck));
                capsules.extend(level.and_then(|l| self.across(belly, l, person::BELLY)));
            }
        }
        self.head(&mut capsules);
        capsules
    }

    /// Adds two capsules side by side. The fronts of their ends are at the fronts of two levels.
    fn chest(&self, top: Level, bottom: Level, capsules: &mut Vec<Capsule>) {
        let radius = self.clamp(0.5 * (top.radius() + bottom.radius()), person::CHEST);
        for side in [1.0, -1.0] {
            let end = |l: Level| {
                let x = l.middle + side * (l.half_width - radius).max(0.0);
                Vec3::new(x, l.height, l.front - radius)
            };
            capsules.extend(self.capsule(self.plan.chest(), [end(top), end(bottom)], radius));
        }
    }

    /// Returns a capsule from left to right whose front is at the front of a level.
    fn across(&self, node: usize, level: Level, person: f64) -> Option<Capsule> {
        let radius = self.clamp(level.radius(), person);
        let half = (level.half_width - radius).max(0.0);
        let end = |x: f32| Vec3::new(level.middle + x, level.height, level.front - radius);
        self.capsule(node, [end(-half), end(half)], radius)
    }

    /// Adds upright capsules of the head. If the head is deeper than it is wide, there are two capsules, one behind the other.
    fn head(&self, capsules: &mut Vec<Capsule>) {
        let Some((node, skin)) = self.plan.head().and_then(|n| Some((n, self.skin.get(&n)?))) else { return };
        let joint = self.along(self.at(node));
        let above: Vec<Vec3> = skin.iter().map(|&p| self.along(p)).filter(|p| p.y > joint.y).collect();
        if above.len() < MIN_SAMPLES {
            return;
        }
        let top = above_most(above.iter().map(|p| p.y));
        let usual = HEAD_TOP * self.size;
        let height = (top - joint.y).clamp(RANGE[0] * usual, RANGE[1] * usual);
        // The medians exclude hats, which are wider and higher than most of the head.
        let levels =
            [0.2, 0.35, 0.5, 0.65, 0.8].map(|part| Level::new(&above, joint.y + part * height, 0.1 * height));
        let median = |of: fn(&Level) -> f32| {
            let values = levels.iter().flatten().map(|l| f64::from(of(l))).collect();
            #[expect(clippy::cast_possible_truncation, reason = "the values are single precision")]
            let median = quantile(values, 0.5) as f32;
            median
        };
        let (width, front, back) = (median(|l| l.half_width), median(|l| l.front), median(|l| l.back));
        let depth = 0.5 * (front - back);
        let radius = self.clamp(width.min(depth), person::HEAD).min(0.5 * height);
        let (x, top) = (median(|l| l.middle), joint.y + height - radius);
        let bottom = (joint.y + 0.6 * radius).min(top);
        let upright =
            |x: f32, z: f32| self.capsule(node, [Vec3::new(x, bottom, z), Vec3::new(x, top, z)], radius);
        let (across, along) = ((width - radius).clamp(0.0, radius), (depth - radius).clamp(0.0, radius));
        let (middle, limit) = (0.5 * (front + back), 0.1 * radius);
        if across.max(along) < limit {
            capsules.extend(upright(x, middle));
        } else if along >= across {
            capsules.extend([along, -along].into_iter().filter_map(|z| upright(x, middle + z)));
        } else {
            capsules.extend([across, -across].into_iter().filter_map(|dx| upright(x + dx, middle)));
        }
    }

    /// Adds capsules for the bones of a limb and for its hand.
    fn limb(&self, limb: &BodyLimb, capsules: &mut Vec<Capsule>) {
        let is_arm = limb.kind == LimbKind::Arm;
        let first = capsules.len();
        for (index, pair) in limb.joints.windows(2).enumerate() {
            let place = index.min(1);
            let (start, person, inside) = match (is_arm, place) {
                (true, _) => (START, person::ARM[place], ARM_INSIDE),
                (false, 0) => (THIGH_START, person::LEG[place], LEG_INSIDE),
                (false, _) => (START, person::LEG[place], LEG_INSIDE),
            };
            let [from, to] = [self.at(pair[0]), self.at(pair[1])];
            let fitted = self.bone(pair[0], [from.lerp(to, start), to], person, inside);
            // The radius is at most half of the bone's length, because short legs have thick knees.
            let longest = 0.5 * from.distance(to);
            capsules.extend(fitted.map(|c| Capsule { radius: c.radius.min(longest), ..c }));
        }
        if is_arm {
            if let [.., before, end] = limb.joints[..] {
                capsules.extend(self.hand(before, end));
            }
        } else if let [upper, lower] = &mut capsules[first..] {
            // Shorten the capsule of a thick thigh so that it ends at the knee.
            let [from, to] = upper.ends;
            let longer = upper.radius - lower.radius;
            let length = self.world.get(upper.node).map_or(0.0, |m| m.transform_vector3(to - from).length());
            if longer > 0.0 && length > 0.0 {
                upper.ends[1] = to.lerp(from, (longer / length).min(0.5));
            }
        }
    }

    /// Fits a joint's capsule to the skin around the line between two points in world space.
    fn bone(&self, node: usize, [from, to]: [Vec3; 2], person: f64, inside: f64) -> Option<Capsule> {
        let axis = (to - from).try_normalize()?;
        let length = from.distance(to);
        let beside = |p: &&Vec3| (0.0..=length).contains(&(**p - from).dot(axis));
        let skin: Vec<Vec3> = self.skin.get(&node)?.iter().filter(beside).copied().collect();
        // The bone is not always in the middle of the body part.
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no exact count")]
        let middle = skin.iter().map(|p| (*p - from).reject_from_normalized(axis)).sum::<Vec3>()
            / skin.len().max(1) as f32;
        let node_from_world = self.world.get(node)?.inverse();
        let to_node = |p: Vec3| node_from_world.transform_point3(p);
        let ends = [from + middle, to + middle].map(to_node);
        let skin: Vec<Vec3> = skin.into_iter().map(to_node).collect();
        let fitted = Capsule::fit(node, &skin, ends, self.world.get(node)?, inside)?;
        Some(Capsule { radius: self.clamp(fitted.radius, person), ..fitted })
    }

    /// Fits the capsule of a hand from the wrist through the middle of its skin. Fingers count as part of the hand.
    fn hand(&self, before: usize, node: usize) -> Option<Capsule> {
        let skin = self.skin.get(&node).filter(|skin| skin.len() >= MIN_SAMPLES)?;
        let wrist = self.at(node);
        let forearm = (wrist - self.at(before)).try_normalize()?;
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no exact count")]
        let middle = skin.iter().sum::<Vec3>() / skin.len() as f32 - wrist;
        let along = middle.try_normalize().filter(|along| along.dot(forearm) > ALONG).unwrap_or(forearm);
        let tip = above_most(skin.iter().map(|p| (*p - wrist).dot(along)));
        let ends = [wrist, wrist + along * tip];
        let fitted = self.bone(node, ends, person::ARM[2], HAND_INSIDE)?;
        // The wrist is as thin as the forearm, and the other end is at the tips of the fingers.
        let [from, to] = fitted.ends;
        let end = (1.0 - fitted.radius / tip).max(0.5);
        let start = (WRIST * fitted.radius / tip).clamp(0.1, end);
        Some(Capsule { ends: [from.lerp(to, start), from.lerp(to, end)], ..fitted })
    }
}

#[cfg(test)]
mod tests {
    use crate::asset;
    use crate::rig::recognize;

    use super::*;

    #[test]
    fn the_mannequin_has_the_capsules_of_a_person() {
        let character = asset::mannequin().unwrap();
        let plan = recognize(&character).unwrap().plan;
        let of = |node: usize| plan.capsules.iter().filter(move |c| c.node == node).collect::<Vec<_>>();
        let chest = of(plan.chest());
        // The chest has two capsules side by side with equal radii.
        assert_eq!(chest.len(), 2);
        assert!((chest[0].radius - chest[1].radius).abs() < 1e-3 && chest[0].ends[0].x > 0.03);
        assert!((chest[0].ends[0].x + chest[1].ends[0].x).abs() < 5e-3);
        let nodes = [plan.hips, plan.spine[0], plan.head().unwrap()];
        assert!(nodes.into_iter().all(|node| !of(node).is_empty()));
        for limb in &plan.limbs {
            let bones = if limb.kind == LimbKind::Arm { 3 } else { 2 };
            assert!(limb.joints[..bones].iter().all(|&joint| of(joint).len() == 1), "{limb:?}");
        }
        let range = 0.02..0.14;
        assert!(plan.capsules.iter().all(|c| range.contains(&c.radius)), "{:?}", plan.capsules);
    }
}
