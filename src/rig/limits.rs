//! Default limits of humanoids.

use std::f64::consts::PI;

use glam::{Affine3A, DVec3, Vec3};

use crate::asset::Skeleton;
use crate::ik::{Limit, round_cone};

use super::model::{Chain, ChainKind, JointRig, Rig};

/// Degrees that an elbow or a knee bends at most, from straight.
const BENT: f64 = 155.0;
/// Degrees to each side that a joint of the neck and of the back turns.
const NECK: f64 = 50.0;
const BACK: f64 = 35.0;
/// How stiff the back is: a hand is reached out before the body leans.
const STIFF: f64 = 0.8;

/// Elbows and knees of something with two arms and two legs become hinges that bend the right way; neck and back
/// bend within cones. `world`: world matrices at rest.
pub(super) fn humanoid(skeleton: &Skeleton, world: &[Affine3A], rig: &mut Rig) {
    let count = |kind: ChainKind| rig.chains.iter().filter(|c| c.kind == kind).count();
    if count(ChainKind::Arm) != 2 || count(ChainKind::Leg) != 2 {
        return;
    }
    let body = Rest { skeleton, world };
    let mut joints = Vec::new();
    for chain in &rig.chains {
        match chain.kind {
            ChainKind::Arm | ChainKind::Leg => joints.extend(body.middle(chain).map(|j| (j, 0.0))),
            ChainKind::Neck => joints.extend(body.cones(chain, NECK).into_iter().map(|j| (j, 0.0))),
            ChainKind::Spine => joints.extend(body.cones(chain, BACK).into_iter().map(|j| (j, STIFF))),
            _ => {}
        }
    }
    // A bone without length has no direction, so no limit can be derived from it.
    joints.retain(|((_, limit), _)| limit.fault().is_none());
    rig.joints.extend(
        joints
            .into_iter()
            .map(|((node, limit), stiffness)| (node, JointRig { limit, stiffness, ..JointRig::default() })),
    );
}

struct Rest<'a> {
    skeleton: &'a Skeleton,
    world: &'a [Affine3A],
}

impl Rest<'_> {
    /// The hinge in the middle of an arm or a leg of two bones.
    fn middle(&self, chain: &Chain) -> Option<(usize, Limit)> {
        let [base, middle, effector] = chain.joints[..] else { return None };
        let own = |vector: Vec3| self.own(middle, vector);
        let (into, out) = (own(self.way(base, middle)), own(self.way(middle, effector)));
        let normal = into.cross(out);
        let bent = normal.length() > 0.05 * into.length() * out.length();
        let axis = if bent { normal } else { own(chain.bend?).cross(own(self.way(base, effector))) };
        let angle = into.angle_between(out);
        Some((middle, Limit::Hinge { axis: axis.try_normalize()?, min: -angle, max: radians(BENT) - angle }))
    }

    /// Cones about the bones of a chain.
    fn cones(&self, chain: &Chain, degrees: f64) -> Vec<(usize, Limit)> {
        let swing = radians(degrees);
        let cone = |pair: &[usize]| {
            let [joint, next] = *pair else { return None };
            let axis = self.own(joint, self.way(joint, next)).try_normalize()?;
            Some((joint, round_cone(axis, swing, [-swing, swing])))
        };
        chain.joints.windows(2).filter_map(cone).collect()
    }

    /// World metres from one joint to another.
    fn way(&self, from: usize, to: usize) -> Vec3 {
        Vec3::from(self.world[to].translation - self.world[from].translation)
    }

    /// A vector of the world in a joint's rest frame. It goes through the whole matrix above the joint: cross products
    /// are then right in mirrored and squashed frames too.
    fn own(&self, joint: usize, vector: Vec3) -> DVec3 {
        let node = &self.skeleton.nodes[joint];
        let above = node.parent.map_or(Affine3A::IDENTITY, |p| self.world[p]);
        (node.rest.rotation.inverse() * above.inverse().transform_vector3(vector)).as_dvec3()
    }
}

fn radians(degrees: f64) -> f64 {
    degrees * PI / 180.0
}
