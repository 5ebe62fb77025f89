//! Bones assigned by the user, and bone names wherever a node can be named.

use std::fs;
use std::path::PathBuf;

use sinew::asset::{self, Character};
use sinew::puppet::motion_file;
use sinew::rig::{self, Bones, file};
use sinew_testkit::folder;

/// The mannequin with meaningless names and without its own map.
fn nameless() -> Character {
    let mut character = asset::mannequin().unwrap();
    character.humanoid = None;
    for (index, node) in character.skeleton.nodes.iter_mut().enumerate() {
        node.name = Some(format!("n{index}"));
    }
    character.path = PathBuf::from("nameless.glb");
    character
}

fn rig_file(name: &str, text: &str) -> PathBuf {
    let path = folder(&format!("given-bones-{name}")).join(format!("{name}.rig.toml"));
    fs::write(&path, text).unwrap();
    path
}

/// The shape alone finds the same limbs that the file maps.
#[test]
fn a_body_without_names_has_the_same_bones() {
    let named = rig::humanoid(&asset::mannequin().unwrap()).unwrap();
    let found = rig::humanoid(&nameless()).unwrap();
    for bone in ["hips", "head", "leftUpperArm", "leftHand", "rightLowerLeg", "rightFoot"] {
        assert_eq!(found[bone], named[bone], "{bone}");
    }
}

#[test]
fn the_rig_file_overrides_a_bone_and_its_names_are_nodes() {
    let character = nameless();
    let found = rig::humanoid(&character).unwrap();
    // Shape does not reveal eyes.
    let eye = character.skeleton.nodes[found["head"]].children[0];
    let text = format!(
        "version = 1\n[humanoid]\nleftEye = \"n{eye}\"\n[[joint]]\nnode = \"rightLowerArm\"\nstiffness = 0.5\n"
    );
    let rig = rig::load(&character, Some(&rig_file("eye", &text))).unwrap();
    assert_eq!(rig.bones["leftEye"], eye);
    assert_eq!(rig.bones["rightHand"], found["rightHand"]);
    assert_eq!(rig.bones, rig::recognize_with(&character, &rig.given_bones).unwrap().bones);
    assert!(rig.body.as_ref().unwrap().limb_ending_at(found["rightHand"]).is_some());
    assert!(rig.joint(found["rightLowerArm"]).stiffness > 0.0);
    // The bone is written to the rig file again.
    let written = file::write(&rig, &character.skeleton, "").unwrap();
    let given = Bones::from([("leftEye".to_owned(), eye)]);
    assert_eq!(file::bones(&written, &character.skeleton).unwrap(), given);
    // A motion file may also name bones.
    let motion = "version = 1\n[[edit]]\ntime = 1.0\nturn = { rightLowerArm = [0, 30, 0] }\n";
    let motion = motion_file::read(motion, "x".as_ref(), &character, &rig).unwrap();
    assert_eq!(motion.edits[0].turns[0].0, found["rightLowerArm"]);
}

#[test]
fn contradictory_bones_are_named() {
    let character = nameless();
    let found = rig::humanoid(&character).unwrap();
    let error = |bones: &[(&str, usize)]| {
        let given: Bones = bones.iter().map(|(bone, node)| ((*bone).to_owned(), *node)).collect();
        rig::load_with(&character, None, &given).unwrap_err().to_string()
    };
    let (upper, lower) = (found["leftUpperArm"], found["leftLowerArm"]);
    let swapped = error(&[("leftUpperArm", lower), ("leftLowerArm", upper)]);
    assert!(
        swapped.contains(&format!("leftUpperArm (\"n{lower}\") is below leftLowerArm (\"n{upper}\")")),
        "{swapped}"
    );
    let twice = error(&[("leftHand", found["rightHand"]), ("rightHand", found["rightHand"])]);
    assert!(twice.contains("cannot be both leftHand and rightHand"), "{twice}");
    let unknown = error(&[("leftHnad", 3)]);
    assert!(unknown.contains("\"leftHnad\" is not a bone"), "{unknown}");
    // An error in a file names the line.
    let text = "version = 1\n[humanoid]\nleftHnad = \"n3\"\n";
    let error = rig::load(&character, Some(&rig_file("typo", text))).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("leftHnad"), "{error}");
}

/// Regression test: a body with z up was not recognised by its names, because it does not stand at rest.
#[test]
fn a_body_that_lies_at_rest_has_bones_but_no_floor() {
    let mut character = asset::mannequin().unwrap();
    let hips = rig::humanoid(&character).unwrap()["hips"];
    let root = character.skeleton.ancestors(hips).last().unwrap();
    let turn = glam::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let rest = &mut character.skeleton.nodes[root].rest;
    (rest.rotation, rest.translation) = (turn * rest.rotation, turn * rest.translation);
    let body = rig::recognize(&character).unwrap();
    assert_eq!((body.up, body.stands()), (glam::Vec3::Z, false));
    assert_eq!(body.bones["hips"], hips);
    assert!(rig::detect(&character).body.is_none());
}

/// Regression test: a skeleton whose bones all lie along one axis at rest must be recognised in the poses of its clips.
#[test]
fn a_skeleton_in_one_line_is_recognised_in_its_clips() {
    let mut character = asset::mannequin().unwrap();
    let bones = rig::humanoid(&character).unwrap();
    character.skins.clear();
    character.meshes.clear();
    character.humanoid = None;
    let posed = sinew::pose::Pose::rest(&character.skeleton);
    let mut clip = sinew::asset::Clip { seconds: 1.0, timelines: vec![vec![0.0]], ..Default::default() };
    for (node, rest) in character.skeleton.nodes.iter_mut().enumerate() {
        (rest.mesh, rest.skin) = (None, None);
        // Each bone points up, and the clip turns it back.
        let along = |v: glam::Vec3| glam::Vec3::Y * v.length();
        clip.channels.push(sinew::asset::Channel {
            node,
            timeline: 0,
            interpolation: sinew::asset::Interpolation::Linear,
            values: sinew::asset::Values::Translation(vec![posed.locals[node].translation]),
        });
        rest.rest.translation = along(rest.rest.translation);
        rest.rest.rotation = glam::Quat::IDENTITY;
    }
    for (node, local) in posed.locals.iter().enumerate() {
        clip.channels.push(sinew::asset::Channel {
            node,
            timeline: 0,
            interpolation: sinew::asset::Interpolation::Linear,
            values: sinew::asset::Values::Rotation(vec![local.rotation]),
        });
    }
    character.clips = vec![clip];
    let found = rig::recognize(&character).unwrap();
    assert_eq!(found.bones["leftHand"], bones["leftHand"]);
    let reasons = &found.plan.reasons;
    assert!(reasons.iter().any(|r| r.contains("animation 0")), "{reasons:?}");
}
