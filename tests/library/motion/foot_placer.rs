//! Feet of characters on uneven ground.

use glam::{Quat, Vec3};
use sinew::asset::{self, Character, Node, Skeleton, Transform};
use sinew::motion::{FootPlacer, Retarget};
use sinew::pose::{Pose, world_matrices};
use sinew::rig;

use super::hills::{Measured, Walker};
use sinew_testkit::external_or_skip;

/// Walks over hills in four directions.
fn walk(character: Character, clip: &str, is_retargeted: bool) -> (Measured, Measured) {
    let mannequin = asset::mannequin().unwrap();
    let source = is_retargeted.then(|| {
        let retarget = Retarget::new(&mannequin, &character).unwrap();
        (asset::mannequin().unwrap(), retarget)
    });
    let owner = if is_retargeted { &mannequin } else { &character };
    let named = |c: &asset::Clip| c.name.as_deref().is_some_and(|n| n.to_lowercase().contains(clip));
    let clip = owner.clips.iter().position(named).unwrap();
    let rig = rig::detect(&character);
    Walker::new(character, rig, clip, source).unwrap().sweep(1, &[1.0, 1.5], 3.0)
}

/// Lengths are in metres at human size.
fn check(name: &str, (hills, level): (Measured, Measured), slide: f32) {
    assert!(hills.depth < 0.01, "{name}: {hills:?}");
    assert!(hills.slide < slide, "{name}: {hills:?}");
    assert!(hills.acceleration < level.acceleration + 15.0, "{name}: {hills:?} {level:?}");
    assert!(hills.steepest > 15.0 && hills.standing > 0.1, "{name}: {hills:?}");
}

#[test]
fn soles_stay_on_hills_and_hips_move_smoothly() {
    for clip in ["walk", "run"] {
        check(clip, walk(asset::mannequin().unwrap(), clip, false), 0.015);
    }
}

#[test]
fn feet_of_control_bones_stay_on_hills() {
    // The feet hang from the root, the model is scaled above its skeleton, and the feet of the retargeted walk penetrate the floor.
    let Some(path) = external_or_skip("models/quaternius/modular_men/Adventurer/Adventurer.glb") else {
        return;
    };
    check("Adventurer", walk(asset::load(&path).unwrap(), "walk", true), 0.035);
}

#[test]
fn feet_of_a_mirrored_character_in_centimetres_stay_on_hills() {
    let mut character = asset::mannequin().unwrap();
    let mut nodes = character.skeleton.nodes.clone();
    let scale = Vec3::new(-100.0, 100.0, 100.0);
    nodes[0].parent = Some(nodes.len());
    nodes.push(Node { rest: Transform { scale, ..Transform::IDENTITY }, ..Node::new("root") });
    character.skeleton = Skeleton::new(nodes).unwrap();
    check("mirrored", walk(character, "walk", false), 0.015);
}

#[test]
fn a_retargeted_walk_stays_on_hills() {
    let Some(path) = external_or_skip("models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb") else {
        return;
    };
    check("CesiumMan", walk(asset::load(&path).unwrap(), "walk", true), 0.015);
}

/// Returns the height of the lowest foot in the world, and the height of the hips.
fn heights(character: &Character, pose: &Pose, scale: f32) -> (f32, f32) {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, pose, &mut world);
    let height = |name: &str| scale * world[character.skeleton.find(name).unwrap()].translation.y;
    (height("leftFoot").min(height("rightFoot")), height("hips"))
}

#[test]
fn level_ground_does_not_change_the_pose() {
    let character = asset::mannequin().unwrap();
    let rest = Pose::rest(&character.skeleton);
    let mut pose = rest.clone();
    let mut feet = FootPlacer::new(&character, &rig::detect(&character)).unwrap();
    for _ in 0..30 {
        feet.update(1.0 / 60.0, |_| Some((0.0, Vec3::Y)), &mut pose);
    }
    for (a, b) in pose.locals.iter().zip(&rest.locals) {
        assert!(a.rotation.angle_between(b.rotation) < 2e-3 && a.translation.distance(b.translation) < 2e-4);
    }
}

#[test]
fn a_character_in_another_unit_stands_alike() {
    let character = asset::mannequin().unwrap();
    let stand = |scale: f32| {
        let mut feet = FootPlacer::new(&character, &rig::detect(&character)).unwrap();
        (feet.scale, feet.rotation) = (scale, Quat::from_rotation_y(0.3));
        let mut pose = Pose::rest(&character.skeleton);
        let normal = Vec3::new(-0.3, 1.0, 0.0);
        for _ in 0..30 {
            pose.reset(&character.skeleton);
            feet.update(1.0 / 60.0, |at| Some((0.3 * at.x, normal)), &mut pose);
        }
        assert_eq!(feet.standing().count(), 2);
        heights(&character, &pose, 1.0)
    };
    let (metres, centimetres) = (stand(1.0), stand(100.0));
    assert!((metres.0 - centimetres.0).abs() < 1e-3 && (metres.1 - centimetres.1).abs() < 1e-3);
    assert!(metres.1 < heights(&character, &Pose::rest(&character.skeleton), 1.0).1 - 0.01, "the hips sink");
}

#[test]
fn bad_ground_is_harmless() {
    let character = asset::mannequin().unwrap();
    let mut feet = FootPlacer::new(&character, &rig::detect(&character)).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    let nothing = Vec3::splat(f32::NAN);
    let grounds = [None, Some((f32::NAN, nothing)), Some((0.0, Vec3::ZERO)), Some((1e30, Vec3::NEG_Y))];
    for ground in grounds {
        for seconds in [0.0, 1.0 / 60.0, f32::NAN, -1.0, f32::INFINITY] {
            feet.update(seconds, |_| ground, &mut pose);
            assert!(pose.locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite()));
        }
    }
    // A pose of another skeleton is left unchanged.
    let mut other = Pose { locals: pose.locals[1..].to_vec(), weights: Vec::new() };
    let before = other.clone();
    feet.update(1.0, |_| None, &mut other);
    assert_eq!(other, before);
}
