//! Default limits of characters with two arms and two legs whose body was not recognised.

use std::f64::consts::PI;

use glam::{Affine3A, DVec3, Vec3};

use crate::asset::Skeleton;
use crate::ik::{Limit, round_cone};

use super::model::{Chain, ChainKind, JointRig, Rig};

/// Maximum bend of an elbow or a knee, in degrees from straight.
const MAX_BEND: f64 = 155.0;
/// Maximum swing and twist of the joints of the neck and of the back, in degrees.
const NECK: f64 = 50.0;
const BACK: f64 = 35.0;
/// Stiffness of the joints of the back. It makes a hand reach out before the body leans.
pub(super) const BACK_STIFFNESS: f64 = 0.8;

/// Adds limits to a rig with two arms and two legs. Elbows and knees become hinges that bend the right way, and the
/// neck and the back move within cones. `world` contains the world matrices in the rest pose.
pub(super) fn humanoid(skeleton: &Skeleton, world: &[Affine3A], rig: &mut Rig) {
    let count = |kind: ChainKind| rig.chains.iter().filter(|c| c.kind == kind).count();
    if count(ChainKind::Arm) != 2 || count(ChainKind::Leg) != 2 {
        return;
    }
    let body = RestPose { skeleton, world };
    let mut joints = Vec::new();
    for chain in &rig.chains {
        match chain.kind {
            ChainKind::Arm | ChainKind::Leg => joints.extend(body.middle(chain).map(|j| (j, 0.0))),
            ChainKind::Neck => joints.extend(body.cones(chain, NECK).into_iter().map(|j| (j, 0.0))),
            ChainKind::Spine => {
                joints.extend(body.cones(chain, BACK).into_iter().map(|j| (j, BACK_STIFFNESS)));
            }
            _ => {}
        }
    }
    // A bone of zero length has no direction, so no limit can be derived from it.
    joints.retain(|((_, limit), _)| limit.validate().is_ok());
    rig.joints.extend(
        joints
            .into_iter()
            .map(|((node, limit), stiffness)| (node, JointRig { limit, stiffness, ..JointRig::default() })),
    );
}

/// A skeleton in the rest pose, from which limits are derived.
pub(super) struct RestPose<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) world: &'a [Affine3A],
}

impl RestPose<'_> {
    /// Returns the hinge in the middle of an arm or a leg with two bones.
    fn middle(&self, chain: &Chain) -> Option<(usize, Limit)> {
        let [base, middle, effector] = chain.joints[..] else { return None };
        let to_joint_frame = |vector: Vec3| self.to_joint_frame(middle, vector);
        let (into, out) = (
            to_joint_frame(self.displacement(base, middle)),
            to_joint_frame(self.displacement(middle, effector)),
        );
        let normal = into.cross(out);
        let is_bent = normal.length() > 0.05 * into.length() * out.length();
        let axis = if is_bent {
            normal
        } else {
            to_joint_frame(chain.bend?).cross(to_joint_frame(self.displacement(base, effector)))
        };
        let angle = into.angle_between(out);
        Some((
            middle,
            Limit::Hinge { axis: axis.try_normalize()?, min: -angle, max: radians(MAX_BEND) - angle },
        ))
    }

    /// Returns a limit for each joint of a chain except the last: a cone around its bone, with `degrees` as the maximum
    /// swing and twist.
    fn cones(&self, chain: &Chain, degrees: f64) -> Vec<(usize, Limit)> {
        let swing = radians(degrees);
        let cone = |pair: &[usize]| {
            let [joint, next] = *pair else { return None };
            let axis = self.to_joint_frame(joint, self.displacement(joint, next)).try_normalize()?;
            Some((joint, round_cone(axis, swing, [-swing, swing])))
        };
        chain.joints.windows(2).filter_map(cone).collect()
    }

    /// Returns the vector from one joint to another in world space, in metres.
    pub(super) fn displacement(&self, from: usize, to: usize) -> Vec3 {
        Vec3::from(self.world[to].translation - self.world[from].translation)
    }

    /// Transforms a world vector to a joint's rest frame. Uses the whole matrix above the joint, so that cross products
    /// are also correct in mirrored and non-uniformly scaled frames.
    pub(super) fn to_joint_frame(&self, joint: usize, vector: Vec3) -> DVec3 {
        let node = &self.skeleton.nodes[joint];
        let above = node.parent.map_or(Affine3A::IDENTITY, |p| self.world[p]);
        (node.rest.rotation.inverse() * above.inverse().transform_vector3(vector)).as_dvec3()
    }
}

pub(super) fn radians(degrees: f64) -> f64 {
    degrees * PI / 180.0
}

/// Returns the angle about a unit axis from one vector to another, in radians within ±π. Vectors along the axis have no angle.
pub(super) fn angle_about(axis: DVec3, from: DVec3, to: DVec3) -> f64 {
    let [from, to] = [from, to].map(|v| v.reject_from_normalized(axis));
    axis.dot(from.cross(to)).atan2(from.dot(to))
}
