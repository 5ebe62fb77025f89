//! Edits of the pose of a scene, and the limits that stop them.

use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};

use crate::Command;
use crate::asset::{Skeleton, Transform};
use crate::document::{Document, Scene, is_valid, set_pose_values};
use crate::ik::Limit;
use crate::pose::Pose;
use crate::puppet::{Pin, Puppet, Target};
use crate::scene::picking::Hit;

use super::drag_goal::chain_base;
use super::key_edits::{keyed_motion, with_key_pose};
use super::limb;
use super::place::allowed;
use super::symmetry::{mirror, mirrored_target};

const NO_BODY: &str = "mirroring needs a character whose body is recognised";
const NO_LIMB: &str = "select a joint of an arm or a leg that has a counterpart on the other side";
/// Minimum amount, in degrees, by which a limit must shorten a turn for the limit to be reported.
const MIN_NOTED: f32 = 0.5;

/// Returns the scene after a command that replaces the pose. `node` is the node that keys act on. `None` if the command changes nothing.
///
/// # Errors
/// Returns the reason why the pose cannot be mirrored.
pub(super) fn edited(
    command: &Command,
    puppet: &Puppet,
    document: &Document,
    node: Option<usize>,
) -> Result<Option<Scene>, &'static str> {
    let (character, rig, scene) = (puppet.character(), &puppet.rig, &document.scene);
    let skeleton = &character.skeleton;
    let mut edited = Scene { held: puppet.primary_pose().clone(), ..scene.clone() };
    match command {
        Command::MirrorPose => {
            let mirror = mirror(puppet).ok_or(NO_BODY)?;
            let other = |node: usize| mirror.partner(node).unwrap_or(node);
            let goal = |goal: &Target| mirrored_target(&mirror, skeleton, goal).unwrap_or(*goal);
            edited.held = mirror.pose(skeleton, puppet.primary_pose());
            edited.goals = scene.goals.iter().map(goal).collect();
            edited.pins = scene.pins.iter().map(|pin| Pin::from(other(pin.node))).collect();
            edited.base = scene.base.map(other);
        }
        Command::MirrorLimb => {
            let mirror = mirror(puppet).ok_or(NO_BODY)?;
            let limb = node.and_then(|node| limb::of_body(character, rig, node));
            let has_counterpart = |n: &usize| mirror.partner(*n).is_some_and(|other| other != *n);
            let nodes: Vec<usize> = limb.unwrap_or_default().into_iter().filter(has_counterpart).collect();
            if nodes.is_empty() {
                return Err(NO_LIMB);
            }
            mirror.copy(skeleton, puppet.primary_pose(), nodes.iter().copied(), &mut edited.held);
            let others: Vec<usize> = nodes.iter().filter_map(|&n| mirror.partner(n)).collect();
            edited.remove_goals(&others);
        }
        Command::ResetJoint | Command::ResetLimb => {
            let mut nodes = document.selection.nodes();
            if nodes.is_empty() {
                nodes.extend(node);
            }
            if matches!(command, Command::ResetLimb) {
                let limbs = nodes.iter().flat_map(|&node| limb::nodes(character, rig, node));
                nodes = limbs.chain(nodes.iter().copied()).collect();
            }
            if nodes.is_empty() {
                return Ok(None);
            }
            reset_nodes(&mut edited, skeleton, &nodes);
        }
        Command::SetPose(nodes, morphs) => {
            set_pose_values(&mut edited.held, nodes, morphs);
            edited.goals.clear();
        }
        _ => return Ok(None),
    }
    Ok(Some(edited))
}

/// Returns the nodes that [`Command::Rest`] resets: a node, or its chain if `whole_chain` is set. If the node is one of several selected
/// joints, these are all of them. `hit` is the point of the character under the pointer.
pub(super) fn nodes_to_reset(
    puppet: &Puppet,
    selection: &[usize],
    node: usize,
    hit: Option<Hit>,
    whole_chain: bool,
) -> Vec<usize> {
    let (character, rig) = (puppet.character(), &puppet.rig);
    let origin = Hit { node, point: Vec3::ZERO, offset: DVec3::ZERO, handle: true };
    let hit = hit.filter(|hit| hit.node == node).unwrap_or(origin);
    let mut nodes = vec![node];
    if let Some(base) = chain_base(character, rig, &hit).filter(|_| whole_chain) {
        nodes.extend(character.skeleton.ancestors(node).skip(1).take_while(|&n| n != base));
        nodes.push(base);
    }
    if selection.len() > 1 && selection.contains(&node) {
        let limbs = selection.iter().filter(|_| whole_chain);
        nodes.extend(limbs.flat_map(|&n| limb::nodes(character, rig, n)).chain(selection.iter().copied()));
    }
    nodes
}

/// Splits turns into valid ones, and the allowed rotations nearest to these. Unknown joints and invalid rotations are ignored.
pub(super) fn allowed_turns(
    puppet: &Puppet,
    document: &Document,
    turns: &[(usize, Quat)],
) -> [Vec<(usize, Quat)>; 2] {
    let is_valid = |(node, local): &&(usize, Quat)| {
        let length = local.length_squared();
        document.scene.has_node(*node) && length.is_finite() && length >= 1e-6
    };
    let limits = document.settings.solver.limits;
    let nearest = |&(node, local): &(usize, Quat)| {
        (node, allowed(puppet, limits, node, local.normalize().as_dquat()).as_quat().normalize())
    };
    let valid: Vec<(usize, Quat)> = turns.iter().filter(is_valid).copied().collect();
    let allowed = valid.iter().map(nearest).collect();
    [valid, allowed]
}

/// Turns joints of a scene, and removes their goals, which would turn them back. A clip would overwrite the pose, so the turns become a key
/// of the motion instead, which starts from the motion of the scene `before`.
pub(super) fn turn_joints(
    puppet: &Puppet,
    scene: &mut Scene,
    before: Option<&Scene>,
    turns: &[(usize, Quat)],
) {
    let turned: Vec<usize> = turns.iter().map(|(node, _)| *node).collect();
    scene.remove_goals(&turned);
    if puppet.is_posed_by_hand() {
        return turn(&mut scene.held, turns);
    }
    if let Some(before) = before {
        scene.motion = Arc::clone(&before.motion);
    }
    let turned = |own: &Pose| {
        let mut pose = own.clone();
        turn(&mut pose, turns);
        pose
    };
    if let Some(motion) = keyed_motion(puppet, &scene.motion, turned) {
        scene.motion = Arc::new(motion);
    }
}

/// Blends the pose of a scene with local transforms of some nodes, and with all morph weights unless `morphs` is empty. Removes all goals. If
/// a motion determines the pose, the result becomes a key. Invalid transforms and unknown nodes are ignored.
pub(super) fn blend(
    puppet: &Puppet,
    document: &mut Document,
    nodes: &[(usize, Transform)],
    morphs: &[f32],
    weight: f32,
) {
    let scene = &mut document.scene;
    let blend = |from: &Pose| blended(from, nodes, morphs, weight);
    if puppet.is_posed_by_hand() {
        scene.held = blend(&scene.held);
        if document.settings.auto_key {
            scene.motion = Arc::new(with_key_pose(puppet, &scene.motion, &scene.held));
        }
    } else if let Some(motion) = keyed_motion(puppet, &scene.motion, blend) {
        scene.motion = Arc::new(motion);
    }
    scene.goals.clear();
}

/// Resets some nodes of a scene to the rest pose, and removes their goals.
pub(super) fn reset_nodes(scene: &mut Scene, skeleton: &Skeleton, nodes: &[usize]) {
    scene.remove_goals(nodes);
    for &node in nodes {
        if let Some((local, rest)) = scene.held.locals.get_mut(node).zip(skeleton.nodes.get(node)) {
            *local = rest.rest;
        }
    }
}

/// Sets local rotations in a pose.
fn turn(pose: &mut Pose, turns: &[(usize, Quat)]) {
    for &(node, rotation) in turns {
        if let Some(joint) = pose.locals.get_mut(node) {
            joint.rotation = rotation;
        }
    }
}

/// Returns a note that names the joint whose limit stops it short of the wanted rotation, and says how to exceed that limit.
pub(super) fn limit_note(
    puppet: &Puppet,
    shows_limits: bool,
    wanted: &[(usize, Quat)],
    allowed: &[(usize, Quat)],
) -> Option<String> {
    let missing = |(wanted, allowed): (&(usize, Quat), &(usize, Quat))| {
        (wanted.0, wanted.1.normalize().angle_between(allowed.1).to_degrees())
    };
    let turned = wanted.iter().zip(allowed).map(missing);
    let (node, angle) = turned.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > MIN_NOTED)?;
    let name = puppet.character().skeleton.label(node);
    let limit = puppet.rig.joint(node).limit;
    let is_ball = limit.is_limited_ball();
    let remedy = if is_ball && !shows_limits {
        "turn on Show in the inspector and drag the end of an arc to widen the limit"
    } else if is_ball || matches!(limit, Limit::Hinge { .. }) {
        "drag the end of its arc to widen the limit"
    } else {
        "choose another limit in the inspector"
    };
    Some(format!(
        "the limit of {name} stops it {angle:.1}° before; {remedy}, or turn limits off in the pane Solver"
    ))
}

/// Returns a pose with some nodes blended. At weight 0, these nodes keep their exact transforms. At weight 1, they have exactly the given
/// transforms.
fn blended(from: &Pose, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) -> Pose {
    let mut pose = from.clone();
    for (node, wanted) in nodes.iter().filter(|(_, t)| is_valid(t)) {
        if let Some(local) = pose.locals.get_mut(*node) {
            *local = between(local, wanted, weight);
        }
    }
    if morphs.len() == pose.weights.len() && morphs.iter().all(|w| w.is_finite()) {
        for (now, wanted) in pose.weights.iter_mut().zip(morphs) {
            *now = if weight < 1.0 { *now + (wanted - *now) * weight } else { *wanted };
        }
    }
    pose
}

fn between(a: &Transform, b: &Transform, weight: f32) -> Transform {
    if weight <= 0.0 || weight >= 1.0 {
        return if weight <= 0.0 { *a } else { *b };
    }
    let is_same = a.rotation == b.rotation;
    Transform {
        translation: a.translation.lerp(b.translation, weight),
        rotation: if is_same { a.rotation } else { a.rotation.slerp(b.rotation, weight).normalize() },
        scale: a.scale.lerp(b.scale, weight),
    }
}
