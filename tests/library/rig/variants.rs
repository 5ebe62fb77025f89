//! Bodies are recognised in seeded variants of characters. A wrong answer is worse than none.
//!
//! With `--nocapture`, the test prints the table of `docs/decisions/recognised-bodies.md`.

use std::collections::BTreeMap;

use sinew::asset::{self, Character, Node, Skeleton};
use sinew::glam::{Affine3A, Quat, Vec3};
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{BodyKind, recognize};

use sinew_base::Random;
use sinew_testkit::external;

/// Characters, and what they are.
const CHARACTERS: [(&str, Option<BodyKind>); 22] = [
    ("assets/mannequin.glb", Some(BodyKind::Biped)),
    ("assets/awkward.glb", Some(BodyKind::Biped)),
    ("assets/spider.glb", Some(BodyKind::ManyLegged)),
    ("assets/arm.glb", None),
    ("assets/tentacle.glb", None),
    ("quaternius/platformer_game_pack/Character/Character.glb", Some(BodyKind::Biped)),
    ("quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb", Some(BodyKind::Biped)),
    ("quaternius/modular_women/Witch/Witch.glb", Some(BodyKind::Biped)),
    ("quaternius/modular_men/Adventurer/Adventurer.glb", Some(BodyKind::Biped)),
    ("ozz-animation/converted/arnaud/arnaud.glb", Some(BodyKind::Biped)),
    ("vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb", Some(BodyKind::Biped)),
    ("kaykit-char/models/mannequin_v2/manny_med_mod.gltf", Some(BodyKind::Biped)),
    ("raylib/robot/robot.glb", Some(BodyKind::Biped)),
    ("raylib/greenman/greenman.glb", Some(BodyKind::Biped)),
    ("derived/RiggedFigure-normalised/RiggedFigure-normalised.glb", Some(BodyKind::Biped)),
    ("quaternius/animals_pack/Wolf/Wolf.glb", Some(BodyKind::Quadruped)),
    ("quaternius/animals_pack/Horse/Horse.glb", Some(BodyKind::Quadruped)),
    ("khronos-sample-models/Fox/glTF-Binary/Fox.glb", Some(BodyKind::Quadruped)),
    ("quaternius/easy_enemies_pack/Spider/Spider.glb", Some(BodyKind::ManyLegged)),
    ("quaternius/easy_enemies_pack/Snake/Snake.glb", None),
    ("quaternius/fish_pack/Manta_ray/Manta_ray.glb", None),
    ("webxr-hands/left/generic-hand-left.glb", None),
];

/// A change of a character. Each change is also tested without the names and the map of bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variant {
    None,
    /// The frames of all joints are turned at random.
    Turned,
    /// The skin follows other joints, which are children of the skeleton's joints.
    Controlled,
    /// Left and right are exchanged.
    Mirrored,
    /// One arm has no joints.
    OneArm,
}

const CHANGES: [Variant; 5] =
    [Variant::None, Variant::Turned, Variant::Controlled, Variant::Mirrored, Variant::OneArm];

/// The kind of a body, and the joints of its limbs by kind and side.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    kind: BodyKind,
    limbs: BTreeMap<String, Vec<usize>>,
}

fn answer(character: &Character) -> Option<Answer> {
    let plan = recognize(character).ok()?.plan;
    let mut limbs = BTreeMap::new();
    for limb in &plan.limbs {
        let pair =
            limbs.keys().filter(|key: &&String| key.starts_with(&format!("{:?} {:?}", limb.kind, limb.side)));
        let key = format!("{:?} {:?} {}", limb.kind, limb.side, pair.count());
        limbs.insert(key, limb.joints.clone());
    }
    Some(Answer { kind: plan.kind, limbs })
}

fn load(file: &str) -> Option<Character> {
    let built_in = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let path = if built_in.is_file() { built_in } else { external(&format!("models/{file}"))? };
    let mut character = asset::load(&path).unwrap();
    // The variants change the joints that clips move.
    character.clips.clear();
    Some(character)
}

fn is_joint(character: &Character, node: usize) -> bool {
    match character.skins.is_empty() {
        true => character.skeleton.nodes[node].mesh.is_none(),
        false => character.skins.iter().any(|skin| skin.joints.contains(&node)),
    }
}

/// Turns the frames of all joints. The shape stays the same.
fn turn(character: &mut Character, random: &mut Random) {
    let turns: Vec<Quat> = (0..character.skeleton.nodes.len())
        .map(|node| {
            let axis = random.turn(1.0).as_vec3().try_normalize().unwrap_or(Vec3::X);
            let angle = random.turn(1.0).x as f32 * std::f32::consts::PI;
            let turn = Quat::from_axis_angle(axis, angle);
            // Rotations before a non-uniform scale would shear.
            let scale = character.skeleton.nodes[node].rest.scale;
            let is_even = (scale - scale.x).abs().max_element() < 1e-4 * scale.x.abs();
            if is_even && is_joint(character, node) { turn } else { Quat::IDENTITY }
        })
        .collect();
    for (node, turn) in character.skeleton.nodes.iter_mut().zip(&turns) {
        let above = node.parent.map_or(Quat::IDENTITY, |parent| turns[parent]).inverse();
        node.rest.translation = above * node.rest.translation;
        node.rest.rotation = (above * node.rest.rotation * *turn).normalize();
    }
    for skin in &mut character.skins {
        for (joint, matrix) in skin.joints.iter().zip(&mut skin.joint_from_mesh) {
            *matrix = Affine3A::from_quat(turns[*joint].inverse()) * *matrix;
        }
    }
}

/// Adds a child to each joint of a skin, and makes the skin follow the child instead.
fn control(character: &mut Character) {
    let joints: Vec<usize> =
        (0..character.skeleton.nodes.len()).filter(|n| is_joint(character, *n)).collect();
    if character.skins.is_empty() {
        return;
    }
    let skeleton = &mut character.skeleton;
    let mut below = BTreeMap::new();
    for joint in joints {
        let node = skeleton.nodes.len();
        let end = skeleton.nodes[joint].morph_weights.end;
        skeleton.nodes.push(Node {
            name: skeleton.nodes[joint].name.as_ref().map(|name| format!("DEF-{name}")),
            parent: Some(joint),
            children: Vec::new(),
            mesh: None,
            skin: None,
            morph_weights: end..end,
            rest: asset::Transform::IDENTITY,
        });
        skeleton.nodes[joint].children.push(node);
        skeleton.parents_first.push((node, Some(joint)));
        below.insert(joint, node);
    }
    for joint in character.skins.iter_mut().flat_map(|skin| &mut skin.joints) {
        *joint = below[joint];
    }
}

/// Mirrors a character across the plane between left and right.
fn mirror(character: &mut Character) {
    let flip = |v: &mut Vec3| v.x = -v.x;
    for node in &mut character.skeleton.nodes {
        flip(&mut node.rest.translation);
        let q = node.rest.rotation;
        node.rest.rotation = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
    }
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    for skin in &mut character.skins {
        skin.joint_from_mesh.iter_mut().for_each(|matrix| *matrix = mirror * *matrix * mirror);
    }
    for primitive in character.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.positions.iter_mut().for_each(flip);
        primitive.normals.iter_mut().for_each(flip);
        primitive.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}

/// Removes a joint and all nodes below it. Its skin follows the joint above. Returns a map from old to new node indices.
fn remove(character: &mut Character, top: usize) -> BTreeMap<usize, usize> {
    let skeleton = &character.skeleton;
    let is_below = |node: usize| node == top || skeleton.ancestors(node).any(|above| above == top);
    let kept: Vec<usize> = (0..skeleton.nodes.len()).filter(|node| !is_below(*node)).collect();
    let new: BTreeMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let nodes = kept.iter().map(|&node| {
        let mut node = skeleton.nodes[node].clone();
        node.parent = node.parent.map(|parent| new[&parent]);
        node.morph_weights = 0..0;
        node.children = node.children.iter().filter_map(|child| new.get(child).copied()).collect();
        node
    });
    let (above, nodes) = (skeleton.nodes[top].parent.unwrap(), nodes.collect());
    let mut rest = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut rest);
    for skin in &mut character.skins {
        for (joint, matrix) in skin.joints.iter_mut().zip(&mut skin.joint_from_mesh) {
            if !new.contains_key(joint) {
                *matrix = rest[above].inverse() * rest[*joint] * *matrix;
                *joint = above;
            }
            *joint = new[joint];
        }
    }
    character.skeleton = Skeleton::new(nodes).unwrap();
    for root in character.scenes.iter_mut().flat_map(|scene| &mut scene.roots) {
        *root = new[root];
    }
    if let Some(humanoid) = &mut character.humanoid {
        humanoid.bones.retain(|_, node| new.contains_key(node));
        humanoid.bones.values_mut().for_each(|node| *node = new[node]);
    }
    new
}

/// Removes the names of all nodes and the map of bones.
fn forget_names(character: &mut Character) {
    character.humanoid = None;
    character.skeleton.nodes.iter_mut().for_each(|node| node.name = None);
}

/// Returns the variant of a character, and the correct answer for it.
fn variant(
    character: &Character,
    truth: Option<&Answer>,
    change: Variant,
    is_named: bool,
    seed: u64,
) -> Option<(Character, Option<Answer>)> {
    let (mut changed, mut expected) = (character.clone(), truth.cloned());
    let random = &mut Random(seed);
    match change {
        Variant::None => {}
        Variant::Turned => turn(&mut changed, random),
        Variant::Controlled => control(&mut changed),
        // With names, left and right of the mirrored character would be exchanged, so skip it.
        Variant::Mirrored if is_named => return None,
        Variant::Mirrored => {
            mirror(&mut changed);
            let swap = |key: &String| match key.contains("Left") {
                true => key.replace("Left", "Right"),
                false => key.replace("Right", "Left"),
            };
            let mirrored = |limbs: BTreeMap<String, Vec<usize>>| {
                limbs.iter().map(|(key, joints)| (swap(key), joints.clone())).collect()
            };
            expected = expected.map(|answer| Answer { limbs: mirrored(answer.limbs), ..answer });
        }
        Variant::OneArm => {
            let answer = expected.as_mut()?;
            let side = ["Left", "Right"][random.below(2)];
            let arm = answer.limbs.remove(&format!("Arm {side} 0"))?;
            let new = remove(&mut changed, arm[0]);
            answer.limbs.values_mut().flatten().for_each(|joint| *joint = new[joint]);
        }
    }
    if !is_named {
        forget_names(&mut changed);
    }
    Some((changed, expected))
}

/// The results for a variant: the numbers of correct answers, refusals and wrong answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcomes {
    right: u32,
    refused: u32,
    wrong: u32,
}

/// Regression test: a person with one arm was recognised as a bird, and feet that are not below their legs in the hierarchy were recognised
/// as thighs.
#[test]
fn variants_are_recognised_or_refused() {
    let mut table: BTreeMap<(Variant, bool), Outcomes> = BTreeMap::new();
    for (file, kind) in CHARACTERS {
        let Some(character) = load(file) else { continue };
        let truth = answer(&character);
        assert_eq!(truth.as_ref().map(|t| t.kind), kind, "{file}");
        let seed = file.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        for (change, is_named) in CHANGES.into_iter().flat_map(|change| [(change, true), (change, false)]) {
            let found = variant(&character, truth.as_ref(), change, is_named, seed);
            let Some((changed, expected)) = found else { continue };
            let outcomes = table.entry((change, is_named)).or_default();
            let found = answer(&changed);
            if found == expected {
                outcomes.right += 1;
            } else if let Some(found) = found {
                println!("{file}, {change:?}, names {is_named}: {found:?} instead of {expected:?}");
                outcomes.wrong += 1;
            } else {
                println!("{file}, {change:?}, names {is_named}: {}", recognize(&changed).unwrap_err());
                outcomes.refused += 1;
            }
        }
    }
    for ((change, is_named), outcomes) in table {
        println!("{change:?}, names {is_named}: {outcomes:?}");
        assert_eq!(outcomes.wrong, 0, "{change:?}, names {is_named}");
        assert!(outcomes.refused == 0 || change == Variant::OneArm, "{change:?}, names {is_named}");
    }
}
