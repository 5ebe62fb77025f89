//! Strips that mirror their clip, play a part of it, or move its root motion.

use std::path::Path;

use glam::{Quat, Vec3};
use sinew::asset;
use sinew::asset::{Channel, Clip, Interpolation, Values, bvh};
use sinew::motion::{Motion, PoseKey, RootMotion, Strip, can_carry_root_motion};
use sinew::pose::Pose;
use sinew::puppet::Puppet;
use sinew::rig::Mirror;

use sinew_testkit::external_or_skip;

/// A captured walk of 4.4 s over the ground.
fn walk() -> Option<Puppet> {
    let path = external_or_skip("models/bvh/pybvh/cmu_12_01_walk.bvh")?;
    Some(Puppet::new(asset::load(&path).unwrap(), 0))
}

/// Returns the world positions of all nodes at a time.
fn positions(puppet: &mut Puppet, time: f32) -> Vec<Vec3> {
    puppet.time = time;
    puppet.update().unwrap();
    puppet.world_from_node().iter().map(|m| m.translation.into()).collect()
}

fn strip(strip: Strip) -> Motion {
    Motion { strips: vec![strip], ..Motion::default() }
}

#[test]
fn a_mirrored_walk_is_the_mirror_image_of_the_walk() {
    let Some(mut puppet) = walk() else { return };
    let body = puppet.rig.body.clone().unwrap();
    let mirror = Mirror::new(&puppet.character().skeleton, &body);
    puppet.motion = Motion::default();
    let rest = positions(&mut puppet, 0.0);
    let differences = rest.iter().enumerate().filter_map(|(node, at)| {
        Some(mirror.point(at.as_dvec3()).distance(rest[mirror.partner(node)?].as_dvec3()))
    });
    let at_rest = differences.fold(0.0, f64::max);
    for time in [0.0, 1.3, 2.9] {
        puppet.motion = Motion::clip(0);
        let walked = positions(&mut puppet, time);
        puppet.motion = strip(Strip { mirror: true, ..Strip::new(0) });
        let mirrored = positions(&mut puppet, time);
        let (mut pairs, mut worst) = (0, 0.0_f64);
        for (node, &at) in walked.iter().enumerate() {
            let Some(partner) = mirror.partner(node) else { continue };
            let gap = mirror.point(at.as_dvec3()).distance(mirrored[partner].as_dvec3());
            worst = worst.max(gap);
            pairs += usize::from(partner != node);
        }
        // The mirror image differs by about as much as the two sides differ in the rest pose.
        assert!(pairs > 20 && worst < 1.5 * at_rest + 1e-3, "{pairs} pairs, {worst} m, at rest {at_rest} m");
    }
}

#[test]
fn a_trimmed_part_of_a_walk_stays_in_place() {
    let Some(mut puppet) = walk() else { return };
    let hips = puppet.rig.body.as_ref().unwrap().hips;
    puppet.motion = Motion::clip(0);
    let whole = positions(&mut puppet, 1.75)[hips];
    let part = Strip { from: 1.0, seconds: Some(1.5), ..Strip::new(0) };
    puppet.motion = strip(part.clone());
    assert_eq!(positions(&mut puppet, 0.75)[hips], whole);
    let distance = |puppet: &mut Puppet| {
        let [from, to] = [0.0, 1.5].map(|time| positions(puppet, time)[hips].with_y(0.0));
        from.distance(to)
    };
    assert!(distance(&mut puppet) > 1.0);
    puppet.motion = strip(Strip { root_motion: RootMotion::InPlace, ..part });
    assert!(distance(&mut puppet) < 1e-4);
    // A strip that is played in place stays where its part of the clip starts.
    let start = positions(&mut puppet, 0.0)[hips];
    assert!(positions(&mut puppet, 0.7)[hips].distance(start) < 0.15);
}

/// Two joints turn and travel below a root that is at rest in the file.
const ROOTED: &str = "HIERARCHY
ROOT root { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT hips { OFFSET 0 1 0.2 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT chest { OFFSET 0 0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 0.3 0 } } } }
MOTION
Frames: 3
Frame Time: 0.5
0 0 0  0 1 0.2  0 0 0  0 0 0
0 0 0  0.4 1.1 0.9  5 10 40  10 0 0
0 0 0  1 0.9 1.6  0 -10 90  0 20 0";

#[test]
fn a_root_node_carries_the_root_motion_and_nothing_else_moves() {
    let character = bvh::read(ROOTED, Path::new("rooted.bvh"), Some(1.0)).unwrap();
    let (root, hips) = (0, 1);
    assert!(can_carry_root_motion(&character, None, root) && !can_carry_root_motion(&character, None, hips));
    let mut puppet = Puppet::new(character, 0);
    for time in [0.0, 0.25, 0.5, 1.0] {
        puppet.motion = Motion::clip(0);
        let before = positions(&mut puppet, time);
        puppet.motion.root_node = Some(root);
        let after = positions(&mut puppet, time);
        let moved = puppet.pose().locals[root];
        for node in hips..before.len() {
            assert!(before[node].distance(after[node]) < 1e-5, "{node} at {time}");
        }
        // The hips keep their height and lean. Seen from the root, they stay above their rest position.
        let seen = puppet.pose().locals[hips].translation;
        assert!((seen.x.abs() < 1e-5) && (seen.z - 0.2).abs() < 1e-5, "{seen}");
        assert!(moved.translation.y.abs() < 1e-6 && moved.rotation.x.abs() + moved.rotation.z.abs() < 1e-6);
    }
    // The root has turned with the hips, apart from a small difference caused by their lean.
    let (axis, angle) = puppet.pose().locals[root].rotation.to_axis_angle();
    assert!(axis.y > 0.99 && (angle.to_degrees() - 90.0).abs() < 5.0, "{axis} {angle}");
}

/// A clip that turns one node of the mannequin by half a radian about its z axis.
fn turned(puppet: &Puppet, node: &str) -> Clip {
    let node = puppet.character().skeleton.find(node).unwrap();
    let rest = puppet.character().skeleton.nodes[node].rest.rotation;
    Clip {
        name: Some("turn".to_owned()),
        seconds: 1.0,
        timelines: vec![vec![0.0, 1.0]],
        channels: vec![Channel {
            node,
            timeline: 0,
            interpolation: Interpolation::Linear,
            values: Values::Rotation(vec![rest * Quat::from_rotation_z(0.5); 2]),
        }],
        properties: Vec::new(),
    }
}

/// Regression test: the placement of a strip was measured over the rest pose, so the displacement of the keys counted twice if the strip
/// did not move the hips. Mirrored strips also mirrored nodes that their clip does not animate.
#[test]
fn a_strip_of_an_arm_leaves_the_hips_where_the_keys_put_them() {
    let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
    let hips = puppet.character().skeleton.find("hips").unwrap();
    let rest = Pose::rest(&puppet.character().skeleton);
    let at_rest = positions(&mut puppet, 0.0)[hips];
    let mut moved = rest.clone();
    moved.locals[hips].translation += Vec3::new(0.5, 0.0, 0.3);
    for (node, mirrored) in [("leftUpperArm", false), ("leftUpperArm", true), ("hips", false), ("hips", true)]
    {
        let clips = vec![turned(&puppet, node)];
        let mut character = puppet.character().clone();
        character.clips = clips;
        let mut puppet = Puppet::new(character, 0);
        let skeleton = &puppet.character().skeleton;
        let keys = vec![PoseKey::new(0.0, &moved, skeleton), PoseKey::new(2.0, &moved, skeleton)];
        let strips = [0.5, 1.2].map(|start| Strip { start, mirror: mirrored, ..Strip::new(0) });
        puppet.motion = Motion { keys, strips: strips.into(), ..Motion::default() };
        for time in [0.2, 0.5, 1.0, 1.3, 1.9, 2.2] {
            let found = positions(&mut puppet, time)[hips] - at_rest;
            assert!(
                found.abs_diff_eq(Vec3::new(0.5, 0.0, 0.3), 1e-4),
                "{node}, {mirrored}: {found} at {time} s"
            );
        }
    }
}
