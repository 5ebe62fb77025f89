//! Recognizes a body by its shape and symmetry alone.

use glam::Vec3;

use super::anatomy::Anatomy;
use super::facing::{Facing, axis_name};
use super::limb::{self, LimbJoints};
use super::parts::Parts;
use super::symmetry::{self, Division, Pair, Plane};
use super::trunk::Trunk;

/// A pair stands on the floor if its lower end is no higher than this fraction of the height of its top.
const MAX_FOOT_HEIGHT: f32 = 0.12;
/// The same limit for the pair's last joint, which is above the sole.
const MAX_END_HEIGHT: f32 = 0.25;

/// Finds the parts of a body by its shape. If something is below the feet, such as the tip of a spear, the floor of the anatomy is raised
/// to the feet.
///
/// # Errors
/// Returns the reason why the shape is not a body, as a clause.
pub(super) fn find(anatomy: &mut Anatomy<'_>) -> Result<Parts, String> {
    let plane = symmetry::plane(anatomy).ok_or("it has no pair of limbs")?;
    let division = symmetry::divide(anatomy, &plane);
    let found = find_above_floor(anatomy, plane, &division);
    let long = division.pairs.iter().filter(|p| p.length > 0.2 * anatomy.size);
    let lowest = long.flat_map(|p| &p.joints).map(|joints| anatomy.lowest[joints[0]]).reduce(f32::min);
    let (Err(reason), Some(lowest)) = (&found, lowest) else { return found };
    let floor = std::mem::replace(&mut anatomy.floor, lowest);
    match find_above_floor(anatomy, plane, &division) {
        Ok(mut parts) => {
            parts.certainty *= 0.85;
            parts.doubts.push("something is below the feet".into());
            Ok(parts)
        }
        Err(_) => {
            anatomy.floor = floor;
            Err(reason.clone())
        }
    }
}

/// Finds the parts of a body that stands on the floor of the anatomy.
fn find_above_floor(anatomy: &Anatomy<'_>, plane: Plane, division: &Division) -> Result<Parts, String> {
    let mut legs: Vec<&Pair> = division.pairs.iter().filter(|p| stands(anatomy, p)).collect();
    let longest = legs.iter().map(|p| p.length).fold(0.0, f32::max);
    legs.retain(|p| p.length > 0.4 * longest);
    let finder = Finder { anatomy, plane, division };
    match legs[..] {
        [] => Err("no pair of limbs stands on the floor".into()),
        [legs] => finder.two_legs(legs),
        [a, b] => finder.four_legs(a, b),
        _ => finder.many_legs(&legs),
    }
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

/// The heights of the end of a chain, and the steepness of the chain.
pub(super) struct Stance {
    /// Height of the chain's lowest point and of its last joint above the floor, as fractions of the height of the chain's top.
    lowest: f32,
    end: f32,
    /// Steepness of the chain, from 0 (level) to 1 (vertical).
    pub(super) descent: f32,
}

impl Stance {
    pub(super) fn new(anatomy: &Anatomy<'_>, joints: &[usize]) -> Self {
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

/// Finds the parts of a body whose pairs of chains are known.
pub(super) struct Finder<'a, 'b> {
    pub(super) anatomy: &'a Anatomy<'b>,
    pub(super) plane: Plane,
    pub(super) division: &'a Division,
}

impl Finder<'_, '_> {
    pub(super) fn trunk(&self) -> Trunk<'_, '_> {
        Trunk {
            anatomy: self.anatomy,
            is_trunk: &self.division.is_trunk,
            logical_parents: std::collections::BTreeMap::new(),
        }
    }

    pub(super) fn leg(&self, pair: &Pair) -> [LimbJoints; 2] {
        limb::legs(self.anatomy, &pair.joints, &self.plane)
    }

    /// Returns the mean position of the tops of a pair.
    pub(super) fn middle(&self, pair: &Pair) -> Vec3 {
        0.5 * (self.anatomy.at[pair.joints[0][0]] + self.anatomy.at[pair.joints[1][0]])
    }

    /// Adds the sides and the tails, which follow from the facing direction.
    pub(super) fn finish(
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
