//! The motion of a robot's joints, and their values in the rest pose.

use std::collections::{BTreeMap, HashMap};

use glam::{DQuat, DVec3};
use urdf_rs::{Joint, JointType};

use super::super::error::ObjectError;
use super::super::{Character, JointKind, MechanicalJoint};
use super::pose;

/// Adds the joints with their motion. `above` maps each node to its parent joint, if any. Joint axes are in the frame of the
/// child link, which is also the joint's frame.
///
/// # Errors
/// [`ObjectError`] for the first joint with an invalid axis, range or origin.
pub(super) fn add(
    character: &mut Character,
    above: &BTreeMap<usize, &Joint>,
    order: &HashMap<&str, usize>,
) -> Result<(), ObjectError> {
    let node_of: HashMap<&str, usize> = above.iter().map(|(node, joint)| (&*joint.name, *node)).collect();
    for (&node, joint) in above {
        let at = format!("joint \"{}\"", joint.name);
        let kind = kind(joint, &at, &mut character.warnings)?;
        if let Some([min, max]) = kind.range().filter(|[min, max]| min == max) {
            // A limit without values is read as 0 to 0.
            character.warnings.push(format!("{at}: it cannot move, because its limits are {min} to {max}"));
        }
        let mimic = joint.mimic.as_ref().and_then(|mimic| {
            let leader = node_of.get(&*mimic.joint).copied();
            if leader.is_none() {
                let cause = format!("{at}: joint \"{}\" of mimic does not exist", mimic.joint);
                character.warnings.push(cause);
            }
            Some((leader?, mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0)))
        });
        let velocity = Some(joint.limit.velocity).filter(|v| v.is_finite() && *v > 0.0);
        let joint = MechanicalJoint {
            name: joint.name.clone(),
            order: order.get(&*joint.name).copied().unwrap_or_default(),
            kind,
            origin: pose(&joint.origin, &at)?,
            rest_value: 0.0,
            velocity,
            mimic,
        };
        character.joints.insert(node, joint);
    }
    // The root of a robot is fixed.
    let fixed = MechanicalJoint::fixed((DVec3::ZERO, DQuat::IDENTITY));
    for root in (0..character.skeleton.nodes.len()).filter(|node| !above.contains_key(node)) {
        character.joints.insert(root, fixed.clone());
    }
    set_rest_values(character);
    Ok(())
}

/// Returns the type of a joint. Joints of unsupported types become fixed, with a warning.
fn kind(joint: &Joint, at: &str, warnings: &mut Vec<String>) -> Result<JointKind, ObjectError> {
    let limit = [joint.limit.lower, joint.limit.upper];
    let axis = DVec3::from_array(joint.axis.xyz.0).try_normalize();
    Ok(match (&joint.joint_type, axis) {
        (JointType::Fixed, _) => JointKind::Fixed,
        (JointType::Spherical, _) => JointKind::Ball,
        (JointType::Floating | JointType::Planar, _) => {
            let kind = if joint.joint_type == JointType::Planar { "planar" } else { "floating" };
            warnings.push(format!("{at}: {kind} joints are not supported, so it is fixed"));
            JointKind::Fixed
        }
        (_, None) => return Err(ObjectError::new(at, "the axis has no direction")),
        (JointType::Continuous, Some(axis)) => JointKind::Hinge { axis, range: None },
        (_, Some(_)) if !(limit[0] <= limit[1] && limit.iter().all(|l| l.is_finite())) => {
            return Err(ObjectError::new(at, "the lower limit must be at most the upper limit"));
        }
        (JointType::Revolute, Some(axis)) => JointKind::Hinge { axis, range: Some(limit) },
        (JointType::Prismatic, Some(axis)) => JointKind::Slide { axis, range: limit },
    })
}

/// Sets the rest values. A joint whose range excludes 0 starts in the middle of the range, as in MoveIt, and a mimic joint
/// follows its leader. The transforms of the nodes are updated.
fn set_rest_values(character: &mut Character) {
    let ranges = leader_ranges(&character.joints);
    let value = |node: &usize| {
        let [min, max] = ranges.get(node).copied().unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if min <= 0.0 && max >= 0.0 { 0.0 } else { 0.5 * (min + max) }
    };
    let mut values: BTreeMap<usize, f64> = BTreeMap::new();
    for (node, joint) in &character.joints {
        let value = match joint.mimic {
            Some((leader, factor, offset)) => factor * value(&leader) + offset,
            None => value(node),
        };
        // A joint that follows a follower is refused later.
        values.insert(*node, if value.is_finite() { value } else { 0.0 });
    }
    let mut moved: Vec<(usize, String)> = Vec::new();
    for (node, joint) in &mut character.joints {
        let value = values.get(node).copied().unwrap_or_default();
        if value == 0.0 {
            continue;
        }
        joint.rest_value = value;
        let (position, rotation) = joint.origin;
        let Some(node) = character.skeleton.nodes.get_mut(*node) else { continue };
        let unit = match joint.kind {
            JointKind::Hinge { axis, .. } => {
                node.rest.rotation = (rotation * DQuat::from_axis_angle(axis, value)).as_quat().normalize();
                "rad"
            }
            JointKind::Slide { axis, .. } => {
                node.rest.translation = (position + rotation * axis * value).as_vec3();
                "m"
            }
            JointKind::Fixed | JointKind::Ball => continue,
        };
        if joint.mimic.is_none() {
            moved.push((joint.order, format!("{} at {value:.4} {unit}", joint.name)));
        }
    }
    moved.sort();
    if !moved.is_empty() {
        let names: Vec<String> = moved.into_iter().map(|(_, text)| text).collect();
        let cause = "joints start in the middle of their ranges, which exclude 0";
        character.warnings.push(format!("{cause}: {}", names.join(", ")));
    }
}

/// Returns the ranges of all joints that have a range. The ranges of leaders are narrowed to what their followers allow.
fn leader_ranges(joints: &BTreeMap<usize, MechanicalJoint>) -> BTreeMap<usize, [f64; 2]> {
    let mut ranges: BTreeMap<usize, [f64; 2]> =
        joints.iter().filter_map(|(node, joint)| Some((*node, joint.kind.range()?))).collect();
    for joint in joints.values() {
        let (Some((leader, factor, offset)), Some(range)) = (joint.mimic, joint.kind.range()) else {
            continue;
        };
        let ends = range.map(|end| (end - offset) / factor);
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        let [min, max] = ranges.get(&leader).copied().unwrap_or(all);
        let narrowed = [min.max(ends[0].min(ends[1])), max.min(ends[0].max(ends[1]))];
        if factor != 0.0 && narrowed[0] <= narrowed[1] {
            ranges.insert(leader, narrowed);
        }
    }
    ranges
}
