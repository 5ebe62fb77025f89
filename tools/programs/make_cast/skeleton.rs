//! The joints of the mannequin. They have VRM 1.0 humanoid names, no rotation at rest, and positions in metres.
//!
//! Y is up. The mannequin faces +Z, its left hand is at +X, and its soles are at `y = 0`.

use crate::hands::FINGERS;
use glam::DVec3;

/// A joint in the rest pose.
pub(crate) struct CastJoint {
    /// VRM 1.0 humanoid bone name.
    pub(crate) name: String,
    /// Index of the parent joint; `None` for the hips.
    pub(crate) parent: Option<usize>,
    /// Rest position in model space.
    pub(crate) position: DVec3,
}

pub(crate) const HIPS: DVec3 = DVec3::new(0.0, 0.95, 0.0);
pub(crate) const SPINE: DVec3 = DVec3::new(0.0, 1.04, -0.004);
pub(crate) const CHEST: DVec3 = DVec3::new(0.0, 1.15, -0.01);
pub(crate) const UPPER_CHEST: DVec3 = DVec3::new(0.0, 1.27, -0.016);
pub(crate) const NECK: DVec3 = DVec3::new(0.0, 1.43, -0.022);
pub(crate) const HEAD: DVec3 = DVec3::new(0.0, 1.52, -0.008);
pub(crate) const SHOULDER: DVec3 = DVec3::new(0.035, 1.39, -0.016);
pub(crate) const UPPER_ARM: DVec3 = DVec3::new(0.17, 1.385, -0.016);
pub(crate) const LOWER_ARM: DVec3 = DVec3::new(0.368, 1.205, -0.024);
pub(crate) const HAND: DVec3 = DVec3::new(0.545, 1.035, 0.0);
/// Base of the thumb.
pub(crate) const THUMB: DVec3 = DVec3::new(0.565, 1.006, 0.026);
pub(crate) const EYE: DVec3 = DVec3::new(0.034, 1.63, 0.045);
pub(crate) const UPPER_LEG: DVec3 = DVec3::new(0.087, 0.905, 0.0);
pub(crate) const LOWER_LEG: DVec3 = DVec3::new(0.098, 0.495, 0.01);
pub(crate) const FOOT: DVec3 = DVec3::new(0.104, 0.085, -0.022);
pub(crate) const TOES: DVec3 = DVec3::new(0.112, 0.026, 0.092);

/// Name, parent and position of the joints of the torso. The order is the same as in `trunk_chain` of `weights`.
const TRUNK: [(&str, Option<usize>, DVec3); 6] = [
    ("hips", None, HIPS),
    ("spine", Some(0), SPINE),
    ("chest", Some(1), CHEST),
    ("upperChest", Some(2), UPPER_CHEST),
    ("neck", Some(3), NECK),
    ("head", Some(4), HEAD),
];

/// Joints of the limbs: name without the side, parent, and position on the left.
///
/// The parent is `Err` for an index into `TRUNK`, and `Ok` for an index into this list.
const LIMBS: [(&str, Result<usize, usize>, DVec3); EYE_INDEX + 1] = [
    ("Shoulder", Err(3), SHOULDER),
    ("UpperArm", Ok(0), UPPER_ARM),
    ("LowerArm", Ok(1), LOWER_ARM),
    ("Hand", Ok(2), HAND),
    ("UpperLeg", Err(0), UPPER_LEG),
    ("LowerLeg", Ok(4), LOWER_LEG),
    ("Foot", Ok(5), FOOT),
    ("Toes", Ok(6), TOES),
    ("Eye", Err(5), EYE),
];

/// Number of joints of the torso.
pub(crate) const TRUNK_COUNT: usize = 6;
/// Index of the eye among the joints of a side. The fingers come after it.
pub(crate) const EYE_INDEX: usize = 8;
/// Number of joints of one side: limbs, eye, and five fingers with three joints each.
pub(crate) const LIMB_COUNT: usize = EYE_INDEX + 1 + 15;
/// Number of all joints.
pub(crate) const JOINT_COUNT: usize = TRUNK_COUNT + 2 * LIMB_COUNT;

/// Returns all joints, parents before children: the torso, the left side and the right side.
pub(crate) fn joints() -> Vec<CastJoint> {
    let mut all: Vec<CastJoint> = TRUNK
        .iter()
        .map(|&(name, parent, position)| CastJoint { name: name.to_owned(), parent, position })
        .collect();
    for side in ["left", "right"] {
        let first = all.len();
        for (name, parent, position) in LIMBS {
            let parent = Some(parent.map_or_else(|trunk| trunk, |limb| first + limb));
            let position = if side == "left" { position } else { mirrored(position) };
            all.push(CastJoint { name: format!("{side}{name}"), parent, position });
        }
        for finger in &FINGERS {
            for (bone, at) in finger.joints().into_iter().take(3).enumerate() {
                let parent = Some(if bone == 0 { first + 3 } else { all.len() - 1 });
                let position = if side == "left" { at } else { mirrored(at) };
                all.push(CastJoint {
                    name: format!("{side}{}{}", finger.name, finger.bones[bone]),
                    parent,
                    position,
                });
            }
        }
    }
    all
}

/// Returns `p` mirrored across the plane `x = 0`.
pub(crate) fn mirrored(p: DVec3) -> DVec3 {
    DVec3::new(-p.x, p.y, p.z)
}
