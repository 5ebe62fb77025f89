//! Measured positions of a performer, which become goals for the bones of a character.

use std::collections::BTreeMap;

use glam::{DAffine3, DVec3, Vec3};

use crate::capture::Bone;
use crate::capture::tracked::TrackedTree;
use crate::pose::Pose;

/// Maximum distance between a tracker and the joint of its bone, in metres before scaling.
const MAX_DISTANCE: f64 = 0.3;

/// The bones to which the nearest tracker may be assigned.
const ASSIGNABLE: [&str; 11] = [
    "hips",
    "chest",
    "head",
    "leftLowerArm",
    "rightLowerArm",
    "leftHand",
    "rightHand",
    "leftLowerLeg",
    "rightLowerLeg",
    "leftFoot",
    "rightFoot",
];

/// The position that a point of a bone should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LiveGoal {
    /// The node of the bone.
    pub node: usize,
    /// The point in the frame of the node, in the node's units. Zero means the joint.
    pub offset: Vec3,
    /// World position to reach, in metres.
    pub position: Vec3,
}

/// The bone to which a tracker is assigned: its index in the tracked tree, and the tracker's position in the bone's frame.
#[derive(Clone, Copy, Debug)]
struct AssignedBone {
    joint: usize,
    offset: DVec3,
}

/// Assigns trackers to bones.
#[derive(Clone, Debug, Default)]
pub(super) struct Trackers {
    /// Bones that the user has chosen, by tracker name.
    chosen: BTreeMap<String, Bone>,
    assigned: BTreeMap<String, AssignedBone>,
    goals: Vec<LiveGoal>,
    world: Vec<DAffine3>,
}

impl Trackers {
    pub(super) fn choose(&mut self, name: &str, bone: Bone) {
        self.chosen.insert(name.to_owned(), bone);
        self.reset();
    }

    /// Assigns all trackers again.
    pub(super) fn reset(&mut self) {
        self.assigned.clear();
    }

    /// Returns the bone whose joint a name refers to.
    pub(super) fn bone(&self, name: &str) -> Option<Bone> {
        self.chosen.get(name).copied().or_else(|| Bone::from_sensor(name))
    }

    /// Returns the goals of the last update.
    pub(super) fn goals(&self) -> &[LiveGoal] {
        &self.goals
    }

    /// Computes the goals. `positions` are world positions by name, `bones` contains the bone of each column of `tree`, and `scale` is the
    /// scale of the live character. `assigns` allows assigning trackers to the nearest bones in `pose`.
    pub(super) fn update(
        &mut self,
        positions: &[(&str, DVec3)],
        tree: &TrackedTree,
        bones: &[Bone],
        pose: &Pose,
        scale: f64,
        assigns: bool,
    ) {
        self.goals.clear();
        if positions.is_empty() {
            return;
        }
        tree.world_from_joints(&mut self.world, |joint| {
            pose.locals.get(joint.node).copied().unwrap_or(joint.rest)
        });
        let joints: Vec<(usize, Bone)> = tree
            .joints
            .iter()
            .enumerate()
            .filter_map(|(index, joint)| Some((index, *bones.get(joint.column?)?)))
            .collect();
        for &(name, position) in positions {
            self.assign_named(name, position, &joints, scale);
        }
        if assigns {
            self.assign_nearest(positions, &joints, scale);
        }
        for &(name, position) in positions {
            let Some(AssignedBone { joint, offset }) = self.assigned.get(name) else { continue };
            let Some(node) = tree.joints.get(*joint).map(|joint| joint.node) else { continue };
            if self.goals.iter().all(|goal| goal.node != node) {
                let (offset, position) = (offset.as_vec3(), position.as_vec3());
                self.goals.push(LiveGoal { node, offset, position });
            }
        }
    }

    /// Assigns a tracker to its chosen bone, or to the bone that its name refers to.
    fn assign_named(&mut self, name: &str, position: DVec3, joints: &[(usize, Bone)], scale: f64) {
        if self.assigned.contains_key(name) {
            return;
        }
        let Some(bone) = self.bone(name) else { return };
        let Some(&(joint, _)) = joints.iter().find(|(_, known)| *known == bone) else { return };
        // A position named after a bone is the position of its joint, but a device is worn beside the joint.
        let place = self.place(joint, position, scale).filter(|_| self.chosen.contains_key(name));
        let offset = place.map_or(DVec3::ZERO, |(_, offset)| offset);
        self.assigned.insert(name.to_owned(), AssignedBone { joint, offset });
    }

    /// Assigns the other trackers to the nearest bones without a tracker, the nearest pairs first.
    fn assign_nearest(&mut self, positions: &[(&str, DVec3)], joints: &[(usize, Bone)], scale: f64) {
        let is_free = |name: &str| !self.assigned.contains_key(name) && self.bone(name).is_none();
        let mut pairs = Vec::new();
        for &(name, position) in positions.iter().filter(|(name, _)| is_free(name)) {
            for &(joint, _) in joints.iter().filter(|(_, bone)| ASSIGNABLE.contains(&bone.vrm().as_str())) {
                pairs.extend(self.place(joint, position, scale).map(|(d, offset)| (d, name, joint, offset)));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, name, joint, offset) in pairs {
            let is_taken = self.assigned.values().any(|bone| bone.joint == joint);
            if !is_taken && !self.assigned.contains_key(name) {
                self.assigned.insert(name.to_owned(), AssignedBone { joint, offset });
            }
        }
    }

    /// Returns the distance between a tracker and a joint in metres before scaling, and the tracker's position in the joint's frame.
    /// Returns `None` if the tracker is too far away.
    fn place(&self, joint: usize, position: DVec3, scale: f64) -> Option<(f64, DVec3)> {
        let world = self.world.get(joint)?;
        let offset = world.inverse().transform_point3(position);
        let distance = world.translation.distance(position) / scale;
        (offset.is_finite() && distance <= MAX_DISTANCE).then_some((distance, offset))
    }
}
