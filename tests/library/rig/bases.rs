//! Any joint may be the base. With every method, the base then stays in place, and every bone keeps its length.

use std::collections::HashSet;
use std::path::Path;

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew::asset::{self, Skin};
use sinew::ik::Method;
use sinew::pose::Pose;
use sinew::puppet::{Pin, Puppet, PuppetError, Target};
use sinew::rig::{self, RigError, skeleton_root};

use sinew_base::Random;
use sinew_testkit::external;

/// Largest relative change of a bone's length.
const STRETCH: f64 = 1e-6;
/// Largest change of the base's orientation in radians, and of its position as a fraction of the figure's size. A pose has single
/// precision, so both limits allow a few rounding errors.
const MOTION: f64 = 1e-6;

/// A character, its joints, and the joints at the ends of its limbs.
struct Figure {
    puppet: Puppet,
    /// Joints of skins, or all nodes if there are none. Parents come first.
    joints: Vec<usize>,
    leaves: Vec<usize>,
    /// Each joint with its parent joint, according to the logical parents. Bones below a joint with non-uniform scale are left
    /// out, because their lengths depend on the rotations.
    bones: Vec<(usize, usize)>,
    /// The longest side of the bounding box of the joints, in metres.
    size: f64,
}

impl Figure {
    fn new(path: &Path) -> Self {
        let character = asset::load(path).unwrap();
        let (rig, scene) = (rig::load(&character, None).unwrap(), character.default_scene);
        let mut puppet = Puppet::with_rig(character, scene, rig);
        (puppet.options.solver.iterations, puppet.options.solver.restarts) = (12, 0);
        let skeleton = &puppet.character().skeleton;
        let skins = &puppet.character().skins;
        let skinned: HashSet<usize> = skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
        let order = skeleton.parents_first.iter().map(|(n, _)| *n);
        let joints: Vec<usize> = order.filter(|n| skinned.is_empty() || skinned.contains(n)).collect();
        let above = |n: usize| puppet.rig.above(skeleton, n);
        let bones: Vec<(usize, usize)> = joints
            .iter()
            .filter_map(|&n| Some((n, above(n)?)))
            .filter(|(_, above)| skinned.is_empty() || skinned.contains(above))
            .collect();
        let leaves = joints.iter().copied().filter(|n| !bones.iter().any(|(_, above)| above == n)).collect();
        let is_even = |n: usize| {
            let scale = skeleton.nodes[n].rest.scale;
            (scale - Vec3::splat(scale.x)).abs().max_element() <= 1e-7 * scale.x.abs()
        };
        let bones = bones.into_iter().filter(|(_, above)| skeleton.ancestors(*above).all(is_even)).collect();
        let places: Vec<DVec3> = world(&puppet, puppet.pose()).iter().map(|(m, _)| m.translation).collect();
        let (low, high) = joints
            .iter()
            .fold((DVec3::MAX, DVec3::MIN), |(low, high), &n| (low.min(places[n]), high.max(places[n])));
        Self { size: (high - low).max_element(), puppet, joints, leaves, bones }
    }

    fn is_below(&self, node: usize, base: usize) -> bool {
        let (rig, skeleton) = (&self.puppet.rig, &self.puppet.character().skeleton);
        std::iter::successors(Some(node), |&n| rig.above(skeleton, n)).any(|n| n == base)
    }

    /// Returns the lengths of all bones, in metres.
    fn lengths(&self, world: &[(DAffine3, DQuat)]) -> Vec<f64> {
        let length = |&(a, b): &(usize, usize)| world[a].0.translation.distance(world[b].0.translation);
        self.bones.iter().map(length).collect()
    }

    /// Solves with a base in a pose in which all joints are bent. Returns whether the solve has moved the effector.
    fn check(&self, method: Method, base: usize, seed: u64) -> Result<bool, TestCaseError> {
        let mut puppet = self.puppet.clone();
        let character = puppet.shared_character();
        let skeleton = &character.skeleton;
        let mut random = Random(seed);
        let mut pose = Pose::rest(skeleton);
        for &joint in &self.joints {
            let turn = Quat::from_scaled_axis(0.3 * random.turn(1.0).as_vec3());
            pose.locals[joint].rotation = (pose.locals[joint].rotation * turn).normalize();
        }
        let before = world(&puppet, &pose);
        let Some(&node) = self.leaves.get(random.below(self.leaves.len())).filter(|&&n| n != base) else {
            return Ok(false);
        };
        let position = before[node].0.translation + 0.3 * self.size * random.turn(1.0);
        let orientation = seed.is_multiple_of(3).then(|| before[node].1);
        puppet.targets =
            vec![Target::new(node).with_base(base).with_position(position).with_orientation(orientation)];
        let pin = self.joints[random.below(self.joints.len())];
        if seed.is_multiple_of(4) && pin != base && pin != node {
            puppet.pins = vec![Pin::from(pin)];
        }
        puppet.held = Some(pose);
        puppet.options.solver.method = method;
        let label = |n: usize| skeleton.label(n);
        let case = format!("{method}, base {}, effector {}, seed {seed}", label(base), label(node));
        match puppet.update().map(<[_]>::len) {
            Ok(_) => {}
            // Some bodies do not suit a method. A base below a joint with scale is rejected.
            Err(PuppetError::Solve { .. } | PuppetError::Root { .. }) => return Ok(false),
            Err(PuppetError::Rig(
                RigError::Scaled { .. } | RigError::Sheared { .. } | RigError::NoCommonAncestor { .. },
            )) => {
                return Ok(false);
            }
            Err(error) => return Err(TestCaseError::fail(format!("{case}: {error}"))),
        }
        let after = world(&puppet, puppet.pose());
        // In a flat hierarchy, the ends of a bone are rounded independently.
        let reparented = puppet.rig.joints.values().any(|j| j.logical_parent.is_some());
        let rounding = if reparented { 2.0 * f64::from(f32::EPSILON) * self.size } else { 0.0 };
        for ((bone, a), b) in self.bones.iter().zip(self.lengths(&before)).zip(self.lengths(&after)) {
            let stretch = (a - b).abs();
            prop_assert!(stretch <= STRETCH * a + rounding, "{case}: {bone:?} was {a} m, is {b} m");
        }
        let root = skeleton_root(skeleton, &character.skins, base);
        let own = |n: &usize| *n != root && !reparented;
        for node in (0..before.len()).filter(own) {
            let (a, b) = (puppet.held.as_ref().unwrap().locals[node], puppet.pose().locals[node]);
            prop_assert!(
                a.translation == b.translation && a.scale == b.scale,
                "{case}: {} has moved",
                label(node)
            );
        }
        let (place, moved) = (before[base], after[base]);
        let extent = self.size + place.0.translation.length();
        let distance = place.0.translation.distance(moved.0.translation);
        // With logical parents, transforms are converted and rounded a second time.
        let motion = if reparented { 4.0 * MOTION } else { MOTION };
        prop_assert!(distance <= motion * extent, "{case}: the base moved by {distance} m");
        // If all ends are below the base, the base is the first joint that turns.
        let ends = || puppet.pins.iter().map(|p| p.node).chain([node]);
        if ends().any(|n| !self.is_below(n, base)) {
            let angle = place.1.angle_between(moved.1);
            prop_assert!(angle <= motion, "{case}: the base turned by {angle} rad");
        }
        Ok(before[node].0.translation.distance(after[node].0.translation) > 1e-3 * self.size)
    }

    /// Checks all joints as bases with all methods. Returns the number of solves that moved the effector.
    fn check_all(&self, seed: u64) -> Result<u32, TestCaseError> {
        let mut moved = 0;
        for method in Method::all().filter(|m| *m != Method::Style) {
            for (index, &base) in self.joints.iter().enumerate() {
                moved += u32::from(self.check(method, base, seed.wrapping_add(index as u64))?);
            }
        }
        Ok(moved)
    }
}

/// Returns the world matrix and the world orientation of every node, in double precision.
fn world(puppet: &Puppet, pose: &Pose) -> Vec<(DAffine3, DQuat)> {
    let skeleton = &puppet.character().skeleton;
    let mut world = vec![(DAffine3::IDENTITY, DQuat::IDENTITY); skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let local = pose.locals[node];
        let rotation = local.rotation.as_dquat().normalize();
        let matrix = match skeleton.sheared.get(&node).filter(|_| local == skeleton.nodes[node].rest) {
            Some(matrix) => widen(*matrix),
            None => DAffine3::from_scale_rotation_translation(
                local.scale.as_dvec3(),
                rotation,
                local.translation.as_dvec3(),
            ),
        };
        let above = parent.map_or((DAffine3::IDENTITY, DQuat::IDENTITY), |p| world[p]);
        world[node] = (above.0 * matrix, above.1 * rotation);
    }
    world
}

fn widen(m: Affine3A) -> DAffine3 {
    let column = |v: glam::Vec3A| Vec3::from(v).as_dvec3();
    let linear =
        DMat3::from_cols(column(m.matrix3.x_axis), column(m.matrix3.y_axis), column(m.matrix3.z_axis));
    DAffine3 { matrix3: linear, translation: column(m.translation) }
}

fn built_in() -> impl Iterator<Item = Figure> {
    let file = |name| format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
    ["mannequin", "arm", "awkward", "spider", "tentacle"]
        .into_iter()
        .map(move |n| Figure::new(file(n).as_ref()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn every_base_stays_and_no_bone_is_stretched(seed in any::<u64>()) {
        for figure in built_in() {
            prop_assert!(figure.check_all(seed)? > 10, "{:?}", figure.puppet.character().path);
        }
    }
}

#[test]
fn every_base_of_real_characters_stays() {
    for file in [
        "models/quaternius/modular_men/Adventurer/Adventurer.glb",
        "models/quaternius/animals_pack/Wolf/Wolf.glb",
        "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        "models/webxr-hands/left/generic-hand-left.glb",
        "models/khronos-sample-models/Fox/glTF-Binary/Fox.glb",
        "models/kaykit-char/models/mannequin_v2/manny_med_mod.gltf",
        "models/ozz-animation/converted/arnaud/arnaud.glb",
        "models/quaternius/mech_pack/Leela/Leela.glb",
        "models/quaternius/dinosaurs_pack/Trex/Trex.glb",
        "models/raylib/robot/robot.glb",
        "models/bvh/20tab-bvh-python/test_mocapbank.bvh",
    ] {
        let Some(path) = external(file) else { return };
        let moved = Figure::new(&path).check_all(7).unwrap();
        assert!(moved > 10, "{file}: {moved}");
    }
}

/// The first skin of the hand belongs to a glove, which has no joint above the lower arm.
#[test]
fn root_motion_moves_the_topmost_joint_of_all_skins() {
    let mut character = asset::mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let (hips, hand, joints) = (node("hips"), node("leftHand"), vec![node("leftLowerArm"), node("leftHand")]);
    let joint_from_mesh = vec![Affine3A::IDENTITY; joints.len()];
    let skins = character.skeleton.nodes.iter_mut().filter_map(|n| n.skin.as_mut());
    skins.for_each(|skin| *skin += 1);
    character.skins.insert(0, Skin { name: None, joints, joint_from_mesh, has_inverse_binds: true });
    let mut puppet = Puppet::new(character, 0);
    // A recognised body would stand on its feet.
    puppet.rig.body = None;
    let rest = puppet.pose().clone();
    puppet.options.solver.method = Method::FullBody;
    puppet.targets = vec![Target::new(hand).with_position(DVec3::new(1.5, 1.5, 0.5))];
    let report = puppet.update().unwrap()[0].clone();
    assert!(report.position_error.unwrap() < 1e-3, "{report:?}");
    for (index, (before, after)) in rest.locals.iter().zip(&puppet.pose().locals).enumerate() {
        assert!(index == hips || before.translation == after.translation, "node {index}");
    }
}
