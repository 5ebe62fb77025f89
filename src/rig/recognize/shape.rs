//! Recognizes a body by its shape and symmetry alone.

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};

use super::anatomy::Anatomy;
use super::facing::{Facing, axis_name};
use super::limb::{self, LimbParts};
use super::parts::Parts;
use super::symmetry::{self, Division, Pair, Plane};
use super::trunk::Trunk;

/// A pair stands on the floor if its lower end is no higher than this fraction of the height of its top.
const MAX_FOOT_HEIGHT: f32 = 0.12;
/// The same for its last joint, which is above the sole.
const MAX_END_HEIGHT: f32 = 0.25;

/// Finds the parts of a body by its shape.
///
/// # Errors
/// The reason why the shape is not that of a body, as a clause.
pub(super) fn find(anatomy: &Anatomy<'_>) -> Result<Parts, String> {
    let plane = symmetry::plane(anatomy).ok_or("it has no pair of limbs")?;
    let division = symmetry::divide(anatomy, &plane);
    let mut legs: Vec<&Pair> = division.pairs.iter().filter(|p| stands(anatomy, p)).collect();
    let longest = legs.iter().map(|p| p.length).fold(0.0, f32::max);
    legs.retain(|p| p.length > 0.4 * longest);
    let finder = Finder { anatomy, plane, division: &division };
    match legs[..] {
        [] => Err("no pair of limbs stands on the floor".into()),
        [legs] => finder.two_legs(legs),
        [a, b] => finder.four_legs(a, b),
        _ => finder.many_legs(&legs),
    }
}

/// Returns the lowest point of the long pairs of chains, which is the floor if something else is below the feet, such as
/// the tip of a spear.
pub(super) fn lowest_pair(anatomy: &Anatomy<'_>) -> Option<f32> {
    let plane = symmetry::plane(anatomy)?;
    let division = symmetry::divide(anatomy, &plane);
    let long = division.pairs.iter().filter(|p| p.length > 0.2 * anatomy.size);
    long.flat_map(|p| &p.joints).map(|joints| anatomy.lowest[joints[0]]).reduce(f32::min)
}

/// Returns whether the chains of a pair lead down to the floor.
fn stands(anatomy: &Anatomy<'_>, pair: &Pair) -> bool {
    let legs = [0, 1].map(|side| Stance::new(anatomy, &pair.joints[side]));
    let least = |value: fn(&Stance) -> f32| value(&legs[0]).min(value(&legs[1]));
    // One foot may be in the air, as in a walk.
    least(|l| l.lowest) < MAX_FOOT_HEIGHT
        && legs.iter().all(|l| l.lowest < 0.6)
        && least(|l| l.end) < MAX_END_HEIGHT
        && legs.iter().any(|l| l.descent > 0.25)
        && pair.joints[0].len() >= 2
}

/// How a chain stands.
struct Stance {
    /// Height above the floor of its lowest point and of its last joint, as fractions of the height of its top.
    lowest: f32,
    end: f32,
    /// How steeply it leads down, from 0 (level) to 1 (vertical).
    descent: f32,
}

impl Stance {
    fn new(anatomy: &Anatomy<'_>, joints: &[usize]) -> Self {
        let [first, .., last] = *joints else { return Self { lowest: 1.0, end: 1.0, descent: 0.0 } };
        let lowest = anatomy.lowest[first];
        let top = joints.iter().map(|&n| anatomy.at[n].y).fold(f32::NEG_INFINITY, f32::max);
        let height = (top - anatomy.floor).max(f32::MIN_POSITIVE);
        // The foot of a simple figure has no joint, so its skin shows where the leg ends.
        let end = if joints.len() < 3 { anatomy.at[last].with_y(lowest) } else { anatomy.at[last] };
        let start = if joints.len() < 3 { anatomy.at[last] } else { anatomy.at[first].with_y(top) };
        let along = start - end;
        Self {
            lowest: (lowest - anatomy.floor) / height,
            end: (end.y - anatomy.floor) / height,
            descent: along.y / along.length().max(f32::MIN_POSITIVE),
        }
    }
}

struct Finder<'a, 'b> {
    anatomy: &'a Anatomy<'b>,
    plane: Plane,
    division: &'a Division,
}

impl Finder<'_, '_> {
    fn trunk(&self) -> Trunk<'_, '_> {
        Trunk {
            anatomy: self.anatomy,
            is_trunk: &self.division.is_trunk,
            logical_parents: std::collections::BTreeMap::new(),
        }
    }

    fn leg(&self, pair: &Pair) -> [LimbParts; 2] {
        limb::legs(self.anatomy, &pair.joints, &self.plane)
    }

    /// Returns the mean position of the tops of a pair.
    fn middle(&self, pair: &Pair) -> Vec3 {
        0.5 * (self.anatomy.at[pair.joints[0][0]] + self.anatomy.at[pair.joints[1][0]])
    }

    /// Returns the pair that is most likely the arms of a body with two legs.
    fn arms(&self, legs: &Pair) -> Option<&Pair> {
        let anatomy = self.anatomy;
        let hips = self.middle(legs);
        let score = |pair: &Pair| {
            let top = self.middle(pair);
            let is_candidate = !std::ptr::eq(pair, legs)
                && pair.attach.is_some()
                && pair.length > 0.3 * legs.length.min(0.5 * anatomy.size)
                // What starts at the hips is a skirt.
                && top.y > hips.y + 0.05 * legs.length;
            // Ears and hair are at the head, far from the legs.
            let trust = if pair.attach == legs.attach { 0.4 } else { 1.0 };
            is_candidate.then(|| trust * pair.length / (0.2 * anatomy.size + top.distance(hips)))
        };
        let scored = self.division.pairs.iter().filter_map(|p| Some((score(p)?, p)));
        scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, pair)| pair)
    }

    fn two_legs(&self, legs: &Pair) -> Result<Parts, String> {
        let anatomy = self.anatomy;
        let arms = self.arms(legs);
        let mut trunk = self.trunk();
        let below = legs.attach.ok_or("nothing carries the legs")?;
        let hip_middle = self.middle(legs);
        // The arms may hang from the node that carries the legs, or from one above it.
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
        let leg_parts = self.leg(legs);
        let arm_parts = arms.map(|arms| limb::arms(anatomy, &arms.joints, &self.plane));
        let mut facing = Facing::new(self.plane.normal);
        facing.add_feet(anatomy, &leg_parts.iter().collect::<Vec<_>>());
        facing.add_knees(anatomy, &leg_parts.iter().collect::<Vec<_>>());
        if let Some(arms) = &arm_parts {
            facing.add_elbows(anatomy, &arms.iter().collect::<Vec<_>>());
        }
        if let Some(&head) = neck.last().filter(|_| anatomy.has_skin()) {
            let face = anatomy.mass.center[head] - anatomy.at[head];
            facing.add_direction("the face points to", face.with_y(0.0), 0.05 * anatomy.size, 1.0);
            let detail = anatomy.mass.detail[head] - anatomy.mass.center[head];
            facing.add_direction("the head has more detail at", detail.with_y(0.0), 0.03 * anatomy.size, 1.0);
        }
        // A tail leads away from the front.
        let trunk_children = anatomy.children[below].iter().chain(&anatomy.children[hips]).copied();
        let tail = trunk_children
            .filter(|c| {
                self.division.is_trunk[*c] && !path.contains(c) && !spine.contains(c) && !neck.contains(c)
            })
            .map(|c| {
                let end = anatomy.longest_path(c).last().copied().unwrap_or(c);
                anatomy.at[end] - anatomy.at[c]
            })
            .max_by(|a, b| a.length().total_cmp(&b.length()));
        if let Some(tail) = tail {
            facing.add_direction("the tail leads away from", -tail.with_y(0.0), 0.2 * anatomy.size, 3.0);
        }
        let (mut certainty, mut doubts) = (0.9, Vec::new());
        let mut reasons = vec!["one pair of limbs stands on the floor".to_owned()];
        if let Some(arms) = arms {
            reasons.push(format!("a pair of limbs, of {:.2} m, is above them", arms.length));
        }
        let straight = legs.joints.iter().map(|j| Stance::new(anatomy, j).descent).fold(0.0, f32::max);
        if spine.is_empty() && neck.is_empty() {
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
        // Wings are longer than legs, and the trunk of a bird is not upright.
        let back = anatomy.at[spine.last().copied().unwrap_or(hips)] - anatomy.at[hips];
        let has_wings = arms.is_some_and(|a| a.length > 1.5 * legs.length) && back.y < 0.7 * back.length();
        let kind = if arms.is_some() && !has_wings { BodyKind::Biped } else { BodyKind::Bird };
        let mut limbs = vec![(LimbKind::Leg, leg_parts)];
        let front_kind = if has_wings { LimbKind::Wing } else { LimbKind::Arm };
        limbs.extend(arm_parts.map(|a| (front_kind, a)));
        let taken = [&path[..], &spine, &neck].concat();
        let parts = Parts {
            kind,
            hips,
            spine,
            neck,
            limbs,
            tails: Vec::new(),
            facing: Vec3::Z,
            logical_parents: trunk.logical_parents.clone(),
            certainty,
            reasons,
            doubts,
        };
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }

    fn four_legs(&self, a: &Pair, b: &Pair) -> Result<Parts, String> {
        let anatomy = self.anatomy;
        let (from_a, from_b) = a.attach.zip(b.attach).ok_or("nothing carries the legs")?;
        let along = (self.middle(b) - self.middle(a)).with_y(0.0);
        let front_to_back = along.reject_from_normalized(self.plane.normal).length();
        if front_to_back < 0.5 * a.length.min(b.length).min(0.2 * anatomy.size) {
            return Err("its pairs of limbs are not behind each other".into());
        }
        let parts = [self.leg(a), self.leg(b)];
        let mut facing = Facing::new(self.plane.normal);
        facing.add_feet(anatomy, &parts.iter().flatten().collect::<Vec<_>>());
        // The hips carry the chest in almost every skeleton.
        if from_a != from_b {
            if anatomy.path(from_a, from_b).is_some() {
                facing.add_direction("the back leads to", along, along.length(), 3.0);
            } else if anatomy.path(from_b, from_a).is_some() {
                facing.add_direction("the back leads to", -along, along.length(), 3.0);
            }
        }
        let head = self.head_direction(a, b);
        facing.add_direction("the head is at", head, anatomy.size * 0.2, 4.0);
        let (front, _) = facing.result();
        // The front legs may be those of either pair.
        let ((hind, below, hind_parts), (chest, fore_parts)) = if along.dot(front) > 0.0 {
            ((a, from_a, &parts[0]), (from_b, &parts[1]))
        } else {
            ((b, from_b, &parts[1]), (from_a, &parts[0]))
        };
        let mut trunk = self.trunk();
        let mut path = trunk.between(below, chest).ok_or("the skeleton starts at the front legs")?;
        while path.len() > 1 && trunk.is_better_as_hips(path[0], path[1], self.middle(hind)) {
            path.remove(0);
        }
        let hips = path[0];
        let neck = trunk.head_path(*path.last().unwrap_or(&hips), &path, (front + Vec3::Y).normalize());
        let taken = [&path[..], &neck].concat();
        let has_head = !neck.is_empty();
        let parts = Parts {
            kind: BodyKind::Quadruped,
            hips,
            spine: path[1..].to_vec(),
            neck,
            limbs: vec![(LimbKind::Leg, fore_parts.clone()), (LimbKind::Leg, hind_parts.clone())],
            tails: Vec::new(),
            facing: front,
            logical_parents: trunk.logical_parents.clone(),
            certainty: if has_head { 0.9 } else { 0.6 },
            reasons: vec!["two pairs of limbs stand on the floor".into()],
            doubts: if has_head { Vec::new() } else { vec!["it has no head".into()] },
        };
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }

    /// Returns the direction from the trunk to what is heavier and higher: the head rather than the tail.
    fn head_direction(&self, a: &Pair, b: &Pair) -> Vec3 {
        let anatomy = self.anatomy;
        let middle = 0.5 * (self.middle(a) + self.middle(b));
        let along = (self.middle(b) - self.middle(a)).with_y(0.0);
        let Some(axis) = along.try_normalize() else { return Vec3::ZERO };
        let mut is_leg = vec![false; anatomy.at.len()];
        let tops: Vec<usize> = [a, b].iter().flat_map(|p| [p.joints[0][0], p.joints[1][0]]).collect();
        let (mut sum, mut total) = (0.0, 0.0);
        for &node in &anatomy.order {
            is_leg[node] = tops.contains(&node) || anatomy.parent[node].is_some_and(|p| is_leg[p]);
            let beyond = (anatomy.at[node] - middle).dot(axis);
            if is_leg[node] || beyond.abs() < 0.5 * along.length() {
                continue;
            }
            let mass = if anatomy.has_skin() { anatomy.mass.of_node[node] } else { 1.0 };
            let height = (anatomy.at[node].y - anatomy.floor).max(0.0) / anatomy.size;
            sum += mass * height * height * beyond.signum();
            total += mass * height * height;
        }
        axis * 0.2 * anatomy.size * sum / f32::max(total, f32::MIN_POSITIVE)
    }

    fn many_legs(&self, legs: &[&Pair]) -> Result<Parts, String> {
        let anatomy = self.anatomy;
        let below = legs.iter().find_map(|p| p.attach).ok_or("nothing carries the legs")?;
        let mut trunk = self.trunk();
        let count = legs.iter().filter(|p| p.attach == Some(below)).count();
        if count < legs.len() {
            return Err("its legs hang from several joints of the trunk".into());
        }
        #[expect(clippy::cast_precision_loss, reason = "bodies have few legs")]
        let middle = legs.iter().map(|p| self.middle(p)).sum::<Vec3>() / legs.len() as f32;
        let mut facing = Facing::new(self.plane.normal);
        // The abdomen is the heaviest part behind the legs.
        let trunk_children =
            || anatomy.children[below].iter().copied().filter(|c| self.division.is_trunk[*c]);
        let skin = |n: usize| anatomy.skin_below(n);
        let abdomen = trunk_children().map(skin).max_by(|a, b| {
            let weight = |(mass, at): &(f32, Vec3)| mass.sqrt() * (*at - middle).with_y(0.0).length();
            weight(a).total_cmp(&weight(b))
        });
        if let Some((_, at)) = abdomen {
            facing.add_direction(
                "the abdomen is opposite to",
                (middle - at).with_y(0.0),
                0.1 * anatomy.size,
                2.0,
            );
        }
        let (front, _) = facing.result();
        let mut path = vec![below];
        path.extend(trunk.head_path(below, &[], front));
        let mut hips = below;
        while path.len() > 1 && trunk.is_better_as_hips(path[0], path[1], middle) {
            path.remove(0);
            hips = path[0];
        }
        let neck = path[1..].to_vec();
        let mut limbs: Vec<_> =
            legs.iter().map(|p| (self.middle(p).dot(front), limb::whole_legs(anatomy, &p.joints))).collect();
        limbs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts = Parts {
            kind: BodyKind::ManyLegged,
            hips,
            spine: Vec::new(),
            neck,
            limbs: limbs.into_iter().map(|(_, l)| (LimbKind::Leg, l)).collect(),
            tails: Vec::new(),
            facing: front,
            logical_parents: std::mem::take(&mut trunk.logical_parents),
            certainty: 0.85,
            reasons: vec![format!("{} pairs of limbs stand on the floor", legs.len())],
            doubts: Vec::new(),
        };
        let taken = path.clone();
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }

    /// Adds what follows from the facing: sides and tails.
    fn finish(
        &self,
        mut parts: Parts,
        facing: &Facing,
        trunk: &Trunk<'_, '_>,
        tail_roots: &[usize],
        taken: &[usize],
    ) -> Result<Parts, String> {
        let (front, clear) = facing.result();
        parts.facing = front;
        // The first chain of a pair is on the side to which the normal points.
        if self.plane.normal.dot(Vec3::Y.cross(front)) < 0.0 {
            parts.limbs.iter_mut().for_each(|(_, pair)| pair.swap(0, 1));
        }
        parts.tails = trunk.tails(tail_roots, taken, front);
        let lengths = || self.division.pairs.iter().map(|p| p.length);
        let mirrored: f32 = self.division.pairs.iter().map(|p| p.length * (1.0 - p.residual).max(0.0)).sum();
        let symmetry = mirrored / lengths().sum::<f32>().max(f32::MIN_POSITIVE);
        parts.certainty *= 0.6 + 0.4 * symmetry;
        parts.reasons.push(format!("left and right mirror each other ({:.0} %)", 100.0 * symmetry));
        parts.certainty *= 0.5 + 0.5 * clear;
        if clear < 0.6 {
            parts.doubts.push(format!("observations contradict each other: {}", facing.reasons.join(", ")));
        }
        if symmetry < 0.6 {
            parts.doubts.push("its sides differ".into());
        }
        parts.reasons.push(format!("it faces {}", axis_name(front)));
        parts.reasons.extend(facing.reasons.iter().cloned());
        if clear < 0.2 {
            let reasons = facing.reasons.join(", ");
            return Err(format!("the direction in which it faces is unclear: {reasons}"));
        }
        Ok(parts)
    }
}
