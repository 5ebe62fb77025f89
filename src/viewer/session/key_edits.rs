//! Keys of a motion: those of a pose and of goals, and the motions that result from commands that edit keys.

use std::sync::Arc;

use crate::Command;
use crate::document::Scene;
use crate::motion::{Easing, GoalKey, Keyed, Motion, PoseKey};
use crate::pose::{Pose, orientation, world_matrix};
use crate::puppet::Puppet;
use crate::rig::Foot;

use super::contacts::new_contact;
use super::drags::Drags;
use super::place::placement;
use super::timeline::DEFAULT_DURATION;

/// Duration in seconds over which an edit fades in, and over which it fades out.
const FADE_SECONDS: f32 = 0.4;

/// Returns the motion after a command that edits its keys or contacts. `loops` is set if the motion is played as a loop from its start to its
/// end. `None` if the command changes nothing.
pub(super) fn edited(command: &Command, puppet: &Puppet, motion: &Motion, loops: bool) -> Option<Motion> {
    let skeleton = &puppet.character().skeleton;
    match *command {
        Command::KeyMove(from, to) => motion.with_key_moved(from, to, skeleton),
        Command::KeyCopy(from, to) => motion.with_key_copied(from, to),
        Command::KeyDelete(time) => motion.without_key(time),
        Command::KeyJointsMove(ref joints, from, to) => {
            motion.with_joint_keys_moved(joints, from, to, skeleton)
        }
        Command::KeyJointsCopy(ref joints, from, to) => {
            motion.with_joint_keys_copied(joints, from, to, skeleton)
        }
        Command::KeyJointsDelete(ref joints, time) => motion.without_joint_keys(joints, time, skeleton),
        Command::KeyEasing(time, easing) => motion.with_easing(time, easing),
        Command::PlantKeys => {
            let feet: Vec<Foot> = puppet.rig.soles().collect();
            Some(motion.with_contacts_of_keys(skeleton, &feet, loops))
        }
        Command::AddContact(node) => {
            let mut edited = motion.clone();
            edited.contacts.push(new_contact(puppet, motion, node)?);
            Some(edited)
        }
        Command::Duration(duration) => Some(motion.with_duration(duration)),
        _ => None,
    }
}

/// Returns whether the undo step of the last command also collects a command that edits keys or contacts.
pub(super) fn continues_step(command: &Command) -> bool {
    matches!(command, Command::KeyMove(..) | Command::KeyJointsMove(..) | Command::Duration(_))
}

/// Returns the scene with its current pose stored as a key pose at the current time, together with what drags and goals hold.
pub(super) fn with_pose(puppet: &Puppet, scene: &Scene, drags: &mut Drags) -> Scene {
    let held = puppet.primary_pose().clone();
    let motion = with_key_pose(puppet, &scene.motion, &held);
    let motion = with_dragged_goals(puppet, scene, drags, motion);
    let motion = Arc::new(drags.with_laid(puppet, motion));
    Scene { motion, held, goals: Vec::new(), ..scene.clone() }
}

/// Returns the scene with a pose stored as an edit of the motion at the current time, together with what drags and goals hold.
pub(super) fn with_edit(puppet: &Puppet, scene: &Scene, drags: &Drags, wanted: &Pose) -> Scene {
    let edited = keyed_motion(puppet, &scene.motion, |_| wanted.clone());
    let motion = edited.unwrap_or_else(|| Motion::clone(&scene.motion));
    let motion = Arc::new(with_dragged_goals(puppet, scene, drags, motion));
    Scene { motion, goals: Vec::new(), ..scene.clone() }
}

/// Returns the scene with a node's position stored as a goal key at the current time. The node's goal and pin are removed. `None` if the key
/// is invalid.
pub(super) fn with_goal(puppet: &Puppet, scene: &Scene, drags: &Drags, node: usize) -> Option<Scene> {
    let key = goal_key(puppet, scene, drags, node)?;
    // Without strips, the goal key applies on top of key poses, so at least one must exist.
    let before = &scene.motion;
    let has_pose = !before.keys.is_empty() || !before.takes_keys();
    let posed =
        if has_pose { Motion::clone(before) } else { with_key_pose(puppet, before, puppet.primary_pose()) };
    let motion = posed.with_goal_key(key);
    let duration = motion.duration.map(|duration| duration.max(key.time));
    let motion = Motion { duration, ..motion };
    if motion.validate().is_err() || !motion.fits(puppet.character()) {
        return None;
    }
    let mut keyed = Scene { motion: Arc::new(motion), ..scene.clone() };
    keyed.remove_goals(&[node]);
    keyed.pins.retain(|pin| pin.node != node);
    Some(keyed)
}

/// If the motion of a scene consists of key poses, sets the held pose to the motion's pose at the current time. Unkeyed changes are lost.
/// Returns whether the motion consists of key poses.
pub(super) fn follow(puppet: &mut Puppet, scene: &mut Scene) -> bool {
    if !scene.motion.has_only_keys() {
        return false;
    }
    scene.time = puppet.time;
    puppet.pose_of(&scene.motion, scene.time, &mut scene.held);
    puppet.reset_solver();
    true
}

/// Returns a goal key that keeps a node's current position at the current time.
fn goal_key(puppet: &Puppet, scene: &Scene, drags: &Drags, node: usize) -> Option<GoalKey> {
    let time = puppet.time;
    let (mut position, mut turn) = placement(puppet, node)?;
    let known = scene.motion.goal_at(node, time);
    if let Some(known) = known.filter(|_| !drags.held_nodes(puppet, scene).contains(&node)) {
        // The node has not moved.
        return Some(GoalKey { time, ..known });
    }
    let on = known.and_then(|goal| goal.on);
    if let Some(on) = on {
        let (skeleton, pose) = (&puppet.character().skeleton, puppet.primary_pose());
        let on_from_world = world_matrix(skeleton, pose, on).inverse();
        position = on_from_world.transform_point3(position.as_vec3()).as_dvec3();
        turn = orientation(skeleton, pose, on).conjugate() * turn;
    }
    let turns_freely = match known {
        Some(known) => known.orientation.is_none(),
        None => !scene.is_pinned(node),
    };
    Some(GoalKey {
        node,
        time,
        position: position.as_vec3(),
        orientation: (!turns_freely).then(|| turn.as_quat().normalize()),
        weight: 1.0,
        easing: known.map_or(Easing::default(), |goal| goal.easing),
        on,
    })
}

/// Returns a motion in which dragged nodes with goal keys are keyed at their current positions.
fn with_dragged_goals(puppet: &Puppet, scene: &Scene, drags: &Drags, motion: Motion) -> Motion {
    let nodes = drags.held_nodes(puppet, scene).into_iter();
    let keyed = nodes.filter(|node| scene.has_goal_key(*node, puppet.time));
    let keys = keyed.filter_map(|node| goal_key(puppet, scene, drags, node));
    keys.fold(motion, |motion, key| motion.with_goal_key(key))
}

/// Returns the motion with a key pose at the current time.
pub(super) fn with_key_pose(puppet: &Puppet, motion: &Motion, pose: &Pose) -> Motion {
    let time = puppet.time;
    let keyed = motion.with_key(PoseKey::new(time, pose, &puppet.character().skeleton));
    let begins = motion.is_rest().then_some(DEFAULT_DURATION);
    // A key after the end extends the motion.
    let duration = keyed.duration.or(begins).map(|duration| duration.max(time));
    Motion { duration, ..keyed }
}

/// Returns the motion with an edit that reaches a pose at the current time. `wanted` computes that pose from the motion's pose. `None` if the
/// motion already reaches that pose.
pub(super) fn keyed_motion(
    puppet: &Puppet,
    motion: &Motion,
    wanted: impl FnOnce(&Pose) -> Pose,
) -> Option<Motion> {
    let mut free = puppet.clone();
    (free.targets, free.pins, free.rotations) = Default::default();
    free.motion = motion.clone();
    // The update cannot fail because there are no goals.
    drop(free.update());
    let own = free.primary_pose().clone();
    free.motion.edits.clear();
    free.motion.contacts.clear();
    free.motion.goals.clear();
    free.motion.plant = false;
    drop(free.update());
    let round = puppet.options.looping.then(|| puppet.seconds());
    let poses = Keyed { bare: free.primary_pose(), own: &own, wanted: &wanted(&own), round };
    let keyed = motion.keyed(poses, puppet.time, FADE_SECONDS);
    keyed.filter(|motion| motion.validate().is_ok())
}

/// Returns whether the held pose of a scene matches a motion's key poses at the current time.
pub(super) fn follows(puppet: &Puppet, scene: &Scene, motion: &Motion) -> bool {
    let mut pose = scene.held.clone();
    puppet.clone().pose_of(motion, puppet.time, &mut pose);
    motion.has_only_keys() && pose == scene.held
}

/// Returns whether a change to the motion of a scene affects the pose that the keys give at the current time, so that the held pose must
/// follow. If only contacts or goal keys have changed, it follows only if it matched the keys before, so that no unkeyed changes are lost.
pub(super) fn must_follow(puppet: &Puppet, scene: &Scene, before: &Motion) -> bool {
    let skeleton = &puppet.character().skeleton;
    let sampled = |motion: &Motion| {
        let mut pose = Pose::rest(skeleton);
        motion.sample_keys(skeleton, puppet.time, &mut pose);
        pose
    };
    let now = &scene.motion;
    let has_new_contacts = before.contacts != now.contacts || before.goals != now.goals;
    now.has_only_keys()
        && (!before.has_only_keys()
            || sampled(before) != sampled(now)
            || (has_new_contacts && follows(puppet, scene, before)))
}
