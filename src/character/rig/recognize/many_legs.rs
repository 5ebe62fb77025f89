//! The parts of a body with six legs or more.

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};
use crate::rig::bone_names::Bones;

use super::facing::Facing;
use super::limb;
use super::parts::Parts;
use super::shape::Finder;
use super::symmetry::Pair;

impl Finder<'_, '_> {
    pub(super) fn many_legs(&self, legs: &[&Pair]) -> Result<Parts, String> {
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
            || anatomy.main_children(below, 24).into_iter().filter(|c| self.division.is_trunk[*c]);
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
            named: Bones::new(),
            certainty: 0.85,
            reasons: vec![format!("{} pairs of limbs stand on the floor", legs.len())],
            doubts: Vec::new(),
        };
        let taken = path.clone();
        self.finish(parts, &facing, &trunk, &[below, hips], &taken)
    }
}
