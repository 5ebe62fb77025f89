//! The parts of a body with four legs.

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};
use crate::rig::bone_names::Bones;

use super::facing::Facing;
use super::parts::Parts;
use super::shape::Finder;
use super::symmetry::Pair;

impl Finder<'_, '_> {
    pub(super) fn four_legs(&self, a: &Pair, b: &Pair) -> Result<Parts, String> {
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
        // Either pair may be the front legs.
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
            named: Bones::new(),
            certainty: if has_head { 0.9 } else { 0.6 },
            reasons: vec!["two pairs of limbs stand on the floor".into()],
            doubts: if has_head { Vec::new() } else { vec!["it has no head".into()] },
        };
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }

    /// Returns the direction from the trunk to its heavier and higher end: the head rather than the tail.
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
}
