//! Computes the T-pose and A-pose in which sensors are calibrated.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Quat};

use crate::asset::Skeleton;
use crate::mathematics::shortest_arc;
use crate::pose::{Pose, world_matrices};

/// A direction closer to an axis than this angle, in radians, is snapped to the axis, because characters are rarely
/// exactly symmetric.
const AXIS_SNAP_ANGLE: f64 = 0.4;

/// The bones of a limb, each with the bone to which it must point.
const ARM: [(&str, &str); 3] = [("UpperArm", "LowerArm"), ("LowerArm", "Hand"), ("Hand", "MiddleProximal")];
const LEG: [(&str, &str); 2] = [("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot")];

/// Returns the rotation from the space of VRM 1.0 (+Y up, +Z to the front, +X to the character's left) to the
/// character's world. It is computed from the rest positions of the legs, arms and head.
pub fn facing(skeleton: &Skeleton, bones: &BTreeMap<String, usize>) -> Quat {
    let mut world = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let at = |bone: &str| {
        let matrix = world.get(*bones.get(bone)?)?;
        Some(glam::Vec3::from(matrix.translation).as_dvec3()).filter(|p| p.is_finite())
    };
    let across = |pair: &str| Some(at(&format!("left{pair}"))? - at(&format!("right{pair}"))?);
    let up = ["head", "neck", "chest", "spine"].iter().find_map(|b| Some(at(b)? - at("hips")?));
    let left = across("UpperLeg").or_else(|| across("UpperArm"));
    let (up, left) = (snap_to_axis(up.unwrap_or(DVec3::Y)), snap_to_axis(left.unwrap_or(DVec3::X)));
    let front = left.cross(up);
    if front.length() < 0.1 {
        return Quat::IDENTITY;
    }
    let (front, up) = (front.normalize(), up.normalize());
    let columns = glam::DMat3::from_cols(up.cross(front), up, front);
    DQuat::from_mat3(&columns).as_quat().normalize()
}

/// Returns the coordinate axis that is close to a direction, or otherwise the normalised direction.
fn snap_to_axis(v: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|a| [a, -a]);
    axes.min_by(|a, b| v.angle_between(*a).total_cmp(&v.angle_between(*b)))
        .filter(|axis| v.angle_between(*axis) < AXIS_SNAP_ANGLE)
        .unwrap_or(v.normalize_or_zero())
}

/// Returns the T-pose of a humanoid, or its A-pose if `lowered` is positive. The arms are lowered by this angle in radians. `bones` maps
/// the bone names of VRM 1.0 to nodes. Arms and legs are straightened from the rest pose by shortest arcs. Feet keep their world
/// orientation, and all other joints keep their rest rotation.
///
/// ```
/// use sinew_character::{asset, rig};
/// use sinew_character::capture::calibration_pose;
/// use sinew_character::pose::world_matrix;
///
/// let character = asset::mannequin()?;
/// let bones = rig::humanoid(&character)?;
/// let pose = calibration_pose(&character.skeleton, &bones, 0.0);
/// // In a T-pose, the arms are level.
/// let height = |bone: &str| world_matrix(&character.skeleton, &pose, bones[bone]).translation.y;
/// assert!((height("leftHand") - height("leftUpperArm")).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn calibration_pose(skeleton: &Skeleton, bones: &BTreeMap<String, usize>, lowered: f32) -> Pose {
    let mut pose = Pose::rest(skeleton);
    let character_from_vrm = facing(skeleton, bones).as_dquat();
    for (side, out) in [("left", DVec3::X), ("right", DVec3::NEG_X)] {
        let (sine, cosine) = f64::from(lowered).sin_cos();
        let arm = character_from_vrm * (out * cosine + DVec3::NEG_Y * sine);
        let leg = character_from_vrm * DVec3::NEG_Y;
        let node = |bone: &str| bones.get(&format!("{side}{bone}")).copied();
        for (bone, next) in ARM {
            straighten(skeleton, &mut pose, node(bone), node(next), arm);
        }
        let foot = node("Foot").map(|foot| (foot, orientation(skeleton, &pose, foot)));
        for (bone, next) in LEG {
            straighten(skeleton, &mut pose, node(bone), node(next), leg);
        }
        if let Some((foot, at_rest)) = foot {
            let back = at_rest * orientation(skeleton, &pose, foot).conjugate();
            rotate_in_world(skeleton, &mut pose, foot, back);
        }
    }
    pose
}

/// Rotates a joint so that the joint `next` lies in the world-space direction `to` from it.
fn straighten(skeleton: &Skeleton, pose: &mut Pose, joint: Option<usize>, next: Option<usize>, to: DVec3) {
    let (Some(joint), Some(next)) = (joint, next) else { return };
    let mut world = Vec::new();
    world_matrices(skeleton, pose, &mut world);
    let (Some(from), Some(end)) = (world.get(joint), world.get(next)) else { return };
    let along = glam::Vec3::from(end.translation - from.translation).as_dvec3();
    rotate_in_world(skeleton, pose, joint, shortest_arc(along, to, DVec3::Z));
}

/// Rotates a joint by a rotation in world space.
fn rotate_in_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, by: DQuat) {
    let now = orientation(skeleton, pose, joint);
    if let Some(local) = pose.locals.get_mut(joint) {
        // Conjugation with the joint's world orientation converts the rotation to its local space.
        let turned = local.rotation.as_dquat() * (now.conjugate() * by * now);
        local.rotation = turned.as_quat().normalize();
    }
}

/// Returns a joint's world orientation, the product of the rotations of its ancestors and its own rotation.
fn orientation(skeleton: &Skeleton, pose: &Pose, joint: usize) -> DQuat {
    let rotations = skeleton.ancestors(joint).filter_map(|n| pose.locals.get(n));
    rotations.fold(DQuat::IDENTITY, |below, local| local.rotation.as_dquat() * below).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset;
    use glam::Vec3;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn direction(skeleton: &Skeleton, pose: &Pose, from: usize, to: usize) -> Vec3 {
        let mut world = Vec::new();
        world_matrices(skeleton, pose, &mut world);
        Vec3::from(world[to].translation - world[from].translation).normalize()
    }

    #[test]
    fn arms_point_sideways_and_legs_down_for_any_facing_direction() {
        for heading in [0.0, FRAC_PI_2, PI] {
            let mut character = asset::mannequin().unwrap();
            let bones = character.humanoid.clone().unwrap().bones;
            let root = character.skeleton.ancestors(bones["hips"]).last().unwrap();
            let turned = Quat::from_rotation_y(heading);
            let rest = &mut character.skeleton.nodes[root].rest;
            (rest.rotation, rest.translation) = (turned * rest.rotation, turned * rest.translation);
            // Lower the left arm and bend the right knee in the rest pose.
            character.skeleton.nodes[bones["leftUpperArm"]].rest.rotation *= Quat::from_rotation_z(-1.0);
            character.skeleton.nodes[bones["rightLowerLeg"]].rest.rotation *= Quat::from_rotation_x(0.5);
            let skeleton = &character.skeleton;
            assert!(facing(skeleton, &bones).angle_between(turned) < 0.01);

            for lowered in [0.0, 0.8] {
                let pose = calibration_pose(skeleton, &bones, lowered);
                for (side, out) in [("left", Vec3::X), ("right", Vec3::NEG_X)] {
                    let at = |bone: &str| bones[&format!("{side}{bone}")];
                    let arm = turned * (out * lowered.cos() - Vec3::Y * lowered.sin());
                    for (bone, next) in [("UpperArm", "LowerArm"), ("LowerArm", "Hand")] {
                        assert!(direction(skeleton, &pose, at(bone), at(next)).angle_between(arm) < 0.01);
                    }
                    for (bone, next) in [("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot")] {
                        assert!(
                            direction(skeleton, &pose, at(bone), at(next)).angle_between(Vec3::NEG_Y) < 0.01
                        );
                    }
                    let rest = Pose::rest(skeleton);
                    let at_rest = orientation(skeleton, &rest, at("Foot"));
                    assert!(orientation(skeleton, &pose, at("Foot")).angle_between(at_rest) < 0.01);
                }
            }
        }
    }

    #[test]
    fn a_bone_map_without_valid_bones_gives_the_rest_pose() {
        let character = asset::mannequin().unwrap();
        let bones = BTreeMap::from([("hips".to_owned(), 9999)]);
        assert_eq!(calibration_pose(&character.skeleton, &bones, 0.0), Pose::rest(&character.skeleton));
        assert_eq!(facing(&character.skeleton, &bones), Quat::IDENTITY);
    }
}
