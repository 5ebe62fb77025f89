//! Bodies are recognised only by their shape: after the names are removed, every character must still have the limbs that the names
//! described.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3, Vec3A};
use sinew::asset;
use sinew::asset::Character;
use sinew::ik::{Limit, LinkIndex};
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{Binding, BodyKind, BodyPlan, LimbKind, LimbSide, Reparented, detect, recognize};

use sinew_testkit::external;

/// Characters that stand at rest and have named limbs, and the kind of each body.
const BODIES: [(&str, BodyKind); 31] = [
    ("bvh/20tab-bvh-python/test_mocapbank.bvh", BodyKind::Biped),
    ("bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh", BodyKind::Biped),
    ("bvh/pybvh/cmu_12_01_walk.bvh", BodyKind::Biped),
    ("derived/Arnaud-4influences/Arnaud-4influences.glb", BodyKind::Biped),
    ("derived/CesiumMan-quantized/CesiumMan-quantized.glb", BodyKind::Biped),
    ("derived/Fox-meshopt/Fox-meshopt.glb", BodyKind::Quadruped),
    ("derived/Wolf-8influences-JOINTS_1/Wolf-8influences-JOINTS_1.glb", BodyKind::Quadruped),
    ("kaykit-char/anim/Med_CombatMelee.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_CombatRanged.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_MovementAdvanced.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_Simulation.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_Special.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_General.glb", BodyKind::Biped),
    ("kaykit-char/anim/Med_MovementBasic.glb", BodyKind::Biped),
    ("kaykit-char/models/mannequin_v2/manny_med_mod.gltf", BodyKind::Biped),
    ("khronos-sample-models/Fox/glTF-Binary/Fox.glb", BodyKind::Quadruped),
    ("ozz-animation/converted/arnaud/arnaud.glb", BodyKind::Biped),
    ("ozz-animation/converted/locomotions/locomotions.glb", BodyKind::Biped),
    ("quaternius/animals_pack/Horse/Horse.glb", BodyKind::Quadruped),
    ("quaternius/animals_pack/Wolf/Wolf.glb", BodyKind::Quadruped),
    ("quaternius/cyberpunk_pack/Enemy_2Legs/Enemy_2Legs.glb", BodyKind::Bird),
    ("quaternius/dinosaurs_pack/Trex/Trex.glb", BodyKind::Biped),
    ("quaternius/easy_enemies_pack/Spider/Spider.glb", BodyKind::ManyLegged),
    ("quaternius/mech_pack/Leela/Leela.glb", BodyKind::Bird),
    ("quaternius/modular_men/Adventurer/Adventurer.glb", BodyKind::Biped),
    ("quaternius/modular_women/Witch/Witch.glb", BodyKind::Biped),
    ("quaternius/platformer_game_pack/Character/Character.glb", BodyKind::Biped),
    ("quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb", BodyKind::Biped),
    ("raylib/greenman/greenman.glb", BodyKind::Biped),
    ("raylib/robot/robot.glb", BodyKind::Biped),
    ("vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb", BodyKind::Biped),
];

/// Characters that have no body or do not stand at rest.
const OTHERS: [&str; 9] = [
    "bvh/AnimatedDrawings/fair1/dab.bvh",
    "bvh/pybvh/bvh_test1.bvh",
    "bvh/pybvh/standard_skeleton.bvh",
    "gltf-blender-io/03_skinned_cylinder/03_skinned_cylinder.gltf",
    "khronos-sample-models/RiggedSimple/glTF-Binary/RiggedSimple.glb",
    "ozz-animation/converted/robot/robot.glb",
    "quaternius/easy_enemies_pack/Snake/Snake.glb",
    "quaternius/fish_pack/Manta_ray/Manta_ray.glb",
    "webxr-hands/left/generic-hand-left.glb",
];

/// Returns a character without the names of its nodes and without its map of bones.
fn stripped(character: &Character) -> Character {
    let mut stripped = character.clone();
    stripped.skeleton.nodes.iter_mut().for_each(|n| n.name = None);
    stripped.humanoid = None;
    stripped
}

/// Returns the side that a name describes: `leftArm`, `Foot.L`, `leg_joint_L_1`, `leg_l1_tip` or `LHipJoint`.
fn side(name: &str) -> Option<LimbSide> {
    let lower = name.to_lowercase();
    let is = |word: &str, letter: char| {
        let parts = lower.split(['.', '_']);
        let is_letter =
            |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()) == letter.to_string();
        lower.contains(word) || parts.into_iter().any(is_letter) || lower.starts_with(&format!("{letter}hip"))
    };
    match (is("left", 'l'), is("right", 'r')) {
        (true, false) => Some(LimbSide::Left),
        (false, true) => Some(LimbSide::Right),
        _ => None,
    }
}

fn ends_of(character: &Character) -> Option<Vec<usize>> {
    let mut ends = ends(&recognize(character).ok()?.plan);
    ends.sort_unstable();
    Some(ends)
}

fn ends(plan: &BodyPlan) -> Vec<usize> {
    let mut ends: Vec<usize> = plan.limbs.iter().map(sinew::rig::BodyLimb::end).collect();
    ends.sort_unstable();
    ends
}

/// Returns whether two nodes are at the same place in the rest pose. A detached foot may be at the same position as the end of the shin.
fn same_places(character: &Character, a: &[usize], b: &[usize]) -> bool {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world);
    let near = |&n: &usize| b.iter().any(|&m| world[n].translation.distance(world[m].translation) < 1e-3);
    a.len() == b.len() && a.iter().all(near)
}

#[test]
fn limbs_and_sides_are_found_without_names() {
    let built_in = ["awkward", "mannequin", "spider"].map(|name| {
        let kind = if name == "spider" { BodyKind::ManyLegged } else { BodyKind::Biped };
        (std::path::PathBuf::from(format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"))), kind)
    });
    let others = BODIES.iter().filter_map(|(f, kind)| Some((external(&format!("models/{f}"))?, *kind)));
    let (mut wrong, mut sides) = (Vec::new(), Vec::new());
    println!("{:45} {:12} {:>4} limbs sides", "character", "kind", "sure");
    for (path, kind) in built_in.into_iter().chain(others) {
        let character = asset::load(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let plan = match recognize(&stripped(&character)) {
            Ok(found) => found.plan,
            Err(reason) => {
                println!("{file:45} unsure: {reason}");
                wrong.push(file);
                continue;
            }
        };
        let found = ends(&plan);
        let agrees = ends_of(&character).is_some_and(|named| same_places(&character, &named, &found));
        let label = |n: usize| character.skeleton.label(n);
        let mut votes = (0, 0);
        for limb in &plan.limbs {
            for named in limb.joints.iter().filter_map(|&n| side(&label(n))) {
                if named == limb.side { votes.0 += 1 } else { votes.1 += 1 }
            }
        }
        println!(
            "{file:45} {:12} {:4.2} {:5} {votes:?}",
            plan.kind.name(),
            plan.certainty,
            if agrees { "yes" } else { "no" }
        );
        if !agrees || plan.kind != kind {
            wrong.push(file.clone());
        }
        if votes.1 > 0 {
            sides.push(file);
        }
    }
    assert!(wrong.len() <= 1, "the limbs of {wrong:?} differ from the named ones");
    assert!(sides.is_empty(), "left and right of {sides:?} are exchanged");
}

#[test]
fn what_is_no_standing_body_is_not_guessed() {
    for file in OTHERS {
        let Some(path) = external(&format!("models/{file}")) else { continue };
        let character = asset::load(&path).unwrap();
        assert!(recognize(&stripped(&character)).is_err(), "{file}");
        // Names identify a body that lies at rest, but not its standing pose.
        let found = recognize(&character);
        assert!(found.as_ref().is_ok_and(|body| !body.stands()) || found.is_err(), "{file}: {found:#?}");
        assert!(detect(&character).body.is_none(), "{file}");
    }
    for name in ["arm", "tentacle"] {
        let path = format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        assert!(recognize(&stripped(&asset::load(path.as_ref()).unwrap())).is_err(), "{name}");
    }
}

/// In these files, feet, hips or thighs hang from control nodes. A body moves without them.
#[test]
fn control_nodes_stay_when_the_hips_move() {
    for file in ["raylib/robot/robot.glb", "quaternius/animals_pack/Wolf/Wolf.glb"] {
        let Some(path) = external(&format!("models/{file}")) else { continue };
        let character = asset::load(&path).unwrap();
        let rig = detect(&character);
        let plan = rig.body.clone().unwrap();
        let mut reparented = Reparented::new(&character.skeleton, &rig).unwrap().unwrap();
        let mut pose = Pose::rest(&character.skeleton);
        let mut world = Vec::new();
        world_matrices(&character.skeleton, &pose, &mut world);
        reparented.refresh(&pose, &world);
        let skeleton = reparented.skeleton().clone();
        let parts =
            plan.limbs.iter().flat_map(|l| l.collar.iter().chain(&l.joints).chain(l.digits.iter().flatten()));
        for &part in parts.chain(&plan.spine).chain(&plan.neck).chain(plan.tails.iter().flatten()) {
            assert!(skeleton.ancestors(part).any(|n| n == plan.hips), "{file}: {}", skeleton.label(part));
        }
        let feet = ends(&plan);
        let binding = Binding::new(&skeleton, &character.skins, &rig, plan.hips, &feet).unwrap();
        let mut body = binding.body(&skeleton, reparented.pose(), reparented.world_from_node()).unwrap();
        body.set_root(DVec3::new(0.0, 0.1, 0.05));
        body.set_rotation(LinkIndex(0), body.rotations()[0] * DQuat::from_rotation_y(0.3));
        binding.write_back(&body, reparented.pose_mut());
        reparented.write_back(&character.skeleton, &mut pose);
        let mut expected = Vec::new();
        world_matrices(&skeleton, reparented.pose(), &mut expected);
        world_matrices(&character.skeleton, &pose, &mut world);
        let size = world[plan.hips].translation.length();
        for node in skeleton.ancestors(plan.hips).skip(1) {
            assert_eq!(pose.locals[node], character.skeleton.nodes[node].rest, "{file}");
        }
        for (node, (a, b)) in world.iter().zip(&expected).enumerate() {
            let gap = a.translation.distance(b.translation);
            assert!(gap < 1e-4 * size, "{file}: {} is off by {gap}", skeleton.label(node));
        }
    }
}

#[test]
fn bones_have_names() {
    let Some(path) = external("models/quaternius/animals_pack/Wolf/Wolf.glb") else { return };
    let character = asset::load(&path).unwrap();
    let bones: BTreeMap<String, usize> = recognize(&character).unwrap().bones;
    let label = |bone: &str| character.skeleton.label(bones[bone]);
    assert_eq!(label("hips"), "Back");
    assert_eq!(label("head"), "Head");
    assert_eq!(label("leftFrontFoot"), "IKFrontLeg.L");
    assert_eq!(label("rightHindFoot"), "IKBackLeg.R");
    assert_eq!(label("tail"), "Tail1");
    let mannequin = asset::mannequin().unwrap();
    let bones = recognize(&stripped(&mannequin)).unwrap().bones;
    let named = mannequin.humanoid.unwrap().bones;
    assert!(bones.len() > 18, "{bones:?}");
    assert!(bones.iter().all(|(bone, node)| named.get(bone) == Some(node)), "{bones:?}");
}

/// The rest pose is within all guessed limits, and knees and elbows bend as people's do.
#[test]
fn guessed_limits_bend_the_right_way() {
    let files = BODIES.iter().filter_map(|(f, kind)| Some((external(&format!("models/{f}"))?, *kind)));
    for (path, kind) in files {
        let character = asset::load(&path).unwrap();
        let rig = detect(&stripped(&character));
        for (&node, joint) in &rig.joints {
            let violation = joint.limit.limit_violation(DQuat::IDENTITY);
            assert!(violation < 1e-6, "{}: {} {violation}", path.display(), character.skeleton.label(node));
        }
        // The knees of a dinosaur are modelled like a bird's.
        let Some(plan) = rig.body.as_ref().filter(|_| kind == BodyKind::Biped && !path.ends_with("Trex.glb"))
        else {
            continue;
        };
        let mut world = Vec::new();
        world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world);
        for limb in &plan.limbs {
            let [middle, end] = [limb.joints[limb.joints.len() - 2], limb.end()];
            let name = format!("{}: {}", path.display(), character.skeleton.label(middle));
            let Limit::Hinge { axis, min, max } = rig.joint(middle).limit else {
                panic!("{name} is no hinge")
            };
            let axis: Vec3 = (world[middle].matrix3 * Vec3A::from(axis.as_vec3())).normalize().into();
            let bone: Vec3 = (world[end].translation - world[middle].translation).into();
            let forward = axis.cross(bone).dot(plan.facing) / bone.length();
            let expected = if limb.kind == LimbKind::Leg { -1.0 } else { 1.0 };
            assert!(forward * expected > 0.1, "{name} bends by {forward} to the front");
            assert!(min < 0.0 && max > 0.0 && max - min > 2.5, "{name}: {min} to {max}");
        }
    }
}

#[test]
fn a_spider_has_no_capsules() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/spider.glb");
    assert!(recognize(&asset::load(&path).unwrap()).unwrap().plan.capsules.is_empty());
}
