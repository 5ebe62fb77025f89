//! Chains found in characters, logical parents, and rig files that keep their comments.

use glam::{DQuat, DVec3};
use sinew::asset;
use sinew::asset::Character;
use sinew::ik::{Limit, Method, Outcome, Swivel};
use sinew::puppet::{Puppet, Target};
use sinew::rig::{ChainKind, JointRig, detect, file};

use sinew_testkit::external;

fn chains(character: &Character) -> Vec<String> {
    let label = |n| character.skeleton.label(n);
    let line = |c: &sinew::rig::Chain| {
        format!("{}: {} to {}, {}", c.name, label(c.base), label(c.effector), c.joints.len())
    };
    detect(character).chains.iter().map(line).collect()
}

#[test]
fn the_limbs_of_the_mannequin_are_found() {
    let found = chains(&asset::mannequin().unwrap());
    for chain in [
        "left arm: leftUpperArm to leftHand, 3",
        "right arm: rightUpperArm to rightHand, 3",
        "left leg: leftUpperLeg to leftFoot, 3",
        "right leg: rightUpperLeg to rightFoot, 3",
    ] {
        assert!(found.iter().any(|c| c == chain), "{chain} is not among {found:?}");
    }
}

#[test]
fn chains_are_found_in_many_kinds_of_characters() {
    let built_in: [(&str, &[&str]); 4] = [
        ("arm", &["limb: base to gripper, 8"]),
        (
            "awkward",
            &[
                "left arm: arm.L to hand.L, 3",
                "right arm: arm.R to hand.R, 3",
                "left leg: leg.L to foot.L, 3",
                "right leg: leg.R to foot.R, 3",
                "neck: neck to head, 2",
            ],
        ),
        (
            "spider",
            &["left leg 1: leg_l1_coxa to leg_l1_tip, 5", "right leg 4: leg_r4_coxa to leg_r4_tip, 5"],
        ),
        ("tentacle", &["limb: segment_00 to segment_39, 40"]),
    ];
    for (name, expected) in built_in {
        let path = format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        assert_chains(name, &asset::load(path.as_ref()).unwrap(), expected);
    }
    let cases: [(&str, &[&str]); 12] = [
        (
            "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
            &[
                "left arm: Skeleton_arm_joint_L__4_ to Skeleton_arm_joint_L__2_, 3",
                "right leg: leg_joint_R_1 to leg_joint_R_3, 3",
                "neck: Skeleton_neck_joint_1 to Skeleton_neck_joint_2, 2",
            ],
        ),
        (
            "quaternius/modular_men/Adventurer/Adventurer.glb",
            &[
                "left arm: UpperArm.L to Hand.L, 3",
                "right leg: UpperLeg.R to Foot.R, 3",
                "spine: Abdomen to Chest, 3",
                "neck: Neck to Head, 2",
                "left thumb: Thumb2.L to Thumb3.L_end, 3",
                "right ring finger: Ring2.R to Ring4.R_end, 4",
            ],
        ),
        (
            // The thumbs in this file are named after the wrong side.
            "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
            &[
                "left arm: UpperArm.L to Palm.L, 3",
                "left leg: UpperLeg.L to Foot.L, 3",
                "left thumb: Thumb.R to Thumb2.R_end, 3",
            ],
        ),
        (
            "derived/Arnaud-4influences/Arnaud-4influences.glb",
            &[
                "left arm: LeftArm to Lefthand, 3",
                "right leg: RightUpLeg to RightFoot, 3",
                "neck: Neck to Head, 2",
            ],
        ),
        (
            "kaykit-char/models/mannequin_v2/manny_med_mod.gltf",
            &[
                "left arm: upperarm.l to wrist.l, 3",
                "right leg: upperleg.r to foot.r, 3",
                "spine: spine to chest, 2",
            ],
        ),
        (
            "quaternius/animals_pack/Wolf/Wolf.glb",
            &[
                "left front leg: FrontUpperLeg.L to IKFrontLeg.L, 3",
                "right hind leg: BackLeg.R to IKBackLeg.R, 4",
                "tail: Tail1 to Tail8_end, 9",
                "neck: Torso3 to Head, 5",
                "spine: Torso to Torso2, 2",
            ],
        ),
        (
            "khronos-sample-models/Fox/glTF-Binary/Fox.glb",
            &[
                "left front leg: b_LeftUpperArm_09 to b_LeftHand_011, 3",
                "right hind leg: b_RightLeg01_019 to b_RightFoot02_022, 4",
                "tail: b_Tail01_012 to b_Tail03_014, 3",
            ],
        ),
        (
            "quaternius/easy_enemies_pack/Spider/Spider.glb",
            &["left leg 1: FrontLeg.L to FrontFoot.L, 4", "right leg 4: BackLeg.R to BackFoot.R, 4"],
        ),
        (
            "quaternius/easy_enemies_pack/Snake/Snake.glb",
            &["tail: Tail to Tail3_end, 5", "neck: Neck to Head, 2", "spine: Body to Chest, 2"],
        ),
        (
            "raylib/greenman/greenman.glb",
            &["left arm: body_low to hand_L, 2", "right leg: hip_R to leg_R, 2"],
        ),
        ("ozz-animation/converted/robot/robot.glb", &["arm: shoulder to wrist, 6"]),
        (
            // All its joints are siblings.
            "webxr-hands/left/generic-hand-left.glb",
            &[
                "thumb: thumb-metacarpal to thumb-tip, 4",
                "index finger: index-finger-metacarpal to index-finger-tip, 5",
            ],
        ),
    ];
    for (file, expected) in cases {
        let Some(path) = external(&format!("models/{file}")) else { continue };
        assert_chains(file, &asset::load(&path).unwrap(), expected);
    }
}

fn assert_chains(file: &str, character: &Character, expected: &[&str]) {
    let found = chains(character);
    for chain in expected {
        assert!(found.iter().any(|c| c == chain), "{file}: {chain} is not among {found:#?}");
    }
}

#[test]
fn elbows_and_knees_bend_in_the_right_direction() {
    let character = asset::mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let (hand, foot) = (node("leftHand"), node("leftFoot"));
    let middle = |effector: usize, name: &str, to: DVec3| {
        let mut puppet = Puppet::new(character.clone(), 0);
        let position =
            |puppet: &Puppet, n: usize| glam::Vec3::from(puppet.world_from_node()[n].translation).as_dvec3();
        let (start, joint) = (position(&puppet, effector), node(name));
        puppet.targets.push(Target::new(effector).with_position(start + to));
        assert_eq!(puppet.update().unwrap()[0].outcome, Outcome::Reached);
        let chain = puppet.rig.chain(effector).unwrap();
        let (base, end) = (position(&puppet, chain.base), position(&puppet, effector));
        (position(&puppet, joint) - base).reject_from(end - base)
    };
    // The knee of a lifted foot moves forward. The elbow of a raised hand stays behind.
    assert!(middle(foot, "leftLowerLeg", DVec3::new(0.0, 0.25, 0.1)).z > 0.05);
    assert!(middle(hand, "leftLowerArm", DVec3::new(0.0, 0.2, 0.15)).z < 0.02);
}

#[test]
fn a_joint_follows_its_logical_parent() {
    let character = asset::mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let (hand, head) = (node("leftHand"), node("head"));
    let mut puppet = Puppet::new(character.clone(), 0);
    puppet.rig.joints.entry(head).or_default().logical_parent = Some(hand);
    puppet.rig.chains.retain(|c| c.effector != head);
    let text = file::write(&puppet.rig, &character.skeleton, "").unwrap();
    assert_eq!(file::read(&text, &character.skeleton).unwrap().joint(head).logical_parent, Some(hand));
    let hand_from_head =
        |puppet: &Puppet| puppet.world_from_node()[hand].inverse() * puppet.world_from_node()[head];
    let before = hand_from_head(&puppet);
    let start = puppet.world_from_node()[hand].translation.as_dvec3();
    let target = start + DVec3::new(-0.1, 0.2, 0.2);
    puppet.targets.push(Target::new(hand).with_position(target));
    for method in Method::ALL {
        puppet.options.solver.method = method;
        let reports = puppet.update().unwrap();
        assert!(reports[0].position_error.unwrap() < 1e-3, "{method}: {reports:?}");
        assert!(hand_from_head(&puppet).abs_diff_eq(before, 1e-5), "{method}");
    }
    // A joint cannot be its own logical parent.
    let circle = text.replace("logical_parent = \"leftHand\"", "logical_parent = \"head\"");
    assert!(
        file::read(&circle, &character.skeleton).unwrap_err().to_string().contains("is its own ancestor")
    );
    puppet.rig.joints.entry(hand).or_default().logical_parent = Some(head);
    assert!(puppet.update().unwrap_err().to_string().contains("is its own ancestor"));
}

#[test]
fn a_rig_file_keeps_its_comments() {
    let character = asset::mannequin().unwrap();
    let rig = detect(&character);
    let text = file::write(&rig, &character.skeleton, "# my rig\n").unwrap();
    assert!(text.contains("# my rig"));
    let read = file::read(&text, &character.skeleton).unwrap();
    assert_eq!(read.chains.len(), rig.chains.len());
    assert_eq!(read.joints.keys().collect::<Vec<_>>(), rig.joints.keys().collect::<Vec<_>>());
    // Writing the rig to the file again changes nothing, and added comments are kept.
    let edited = text.replacen("kind = \"arm\"", "kind = \"arm\" # strong", 1).replacen(
        "[[joint]]",
        "# bends\n[[joint]]",
        1,
    );
    assert_eq!(file::write(&read, &character.skeleton, &edited).unwrap(), edited);
    // A removed chain is removed from the file. The other chains and their comments are kept.
    let mut fewer = read.clone();
    fewer.chains.retain(|c| c.kind == ChainKind::Arm);
    let text = file::write(&fewer, &character.skeleton, &edited).unwrap();
    assert!(text.contains("# strong") && !text.contains("\"leg\""), "{text}");
    assert_eq!(file::read(&text, &character.skeleton).unwrap(), fewer);
}

/// Regression test: after writing and reading, joints shared limits if they had the same name, or if the name of one
/// looked like the index of another.
#[test]
fn joints_with_the_same_name_are_distinguished() {
    let mut character = asset::mannequin().unwrap();
    let nodes = &mut character.skeleton.nodes;
    let (hand, other, odd) = (9, 33, 5);
    nodes[other].name = nodes[hand].name.clone();
    nodes[odd].name = Some("#3".into());
    let mut rig = detect(&character);
    rig.joints.insert(hand, JointRig { limit: Limit::Locked, ..JointRig::default() });
    rig.joints.insert(other, JointRig { stiffness: 0.25, ..JointRig::default() });
    rig.joints.insert(odd, JointRig { stiffness: 0.5, ..JointRig::default() });
    let text = file::write(&rig, &character.skeleton, "").unwrap();
    let read = file::read(&text, &character.skeleton).unwrap();
    for node in [hand, other, odd] {
        assert_eq!(read.joint(node), rig.joint(node), "{node}");
    }
    assert_eq!(file::write(&read, &character.skeleton, &text).unwrap(), text);
}

/// The founding notes' example: joints with a budget of zero do not turn, although the arm must reach farther.
#[test]
fn the_ccd_budgets_of_a_rig_limit_the_rotations_of_its_joints() {
    let character = asset::mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let (hand, upper, lower) = (node("leftHand"), node("leftUpperArm"), node("leftLowerArm"));
    let turned = |budget: Option<f64>| {
        let mut puppet = Puppet::new(character.clone(), 0);
        let before = puppet.pose().clone();
        let start = puppet.world_from_node()[hand].translation.as_dvec3();
        puppet.options.solver.method = Method::Ccd;
        if let Some(budget) = budget {
            puppet.rig.joints.entry(upper).or_default().ccd_budget = budget;
        }
        let target = start + DVec3::new(-0.15, 0.25, 0.15);
        puppet.targets.push(Target::new(hand).with_position(target));
        puppet.update().unwrap();
        let pose = puppet.pose();
        [upper, lower].map(|n| f64::from(pose.locals[n].rotation.angle_between(before.locals[n].rotation)))
    };
    let [free, limited, none] = [None, Some(0.1), Some(0.0)].map(turned);
    assert!(free[0] > 0.2, "{free:?}");
    assert!(limited[0] > 0.01 && limited[0] < 0.1 + 1e-3, "{limited:?}");
    assert!(none[0] < 1e-3 && none[1] > 0.05, "{none:?}");
}

/// Whichever way the character has turned, the elbow of a hanging arm points backwards, and the knee of a hanging leg points forwards.
#[test]
fn swivels_of_arms_and_legs_follow_the_character() {
    let character = asset::mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    for (effector, name, swivel, sign) in [
        (node("leftFoot"), "leftLowerLeg", Swivel::Leg, 1.0),
        (node("leftHand"), "leftLowerArm", Swivel::Arm, -1.0),
    ] {
        for turn in [0.0, 2.0] {
            let turn = DQuat::from_rotation_y(turn);
            let mut puppet = Puppet::new(character.clone(), 0);
            let hips = node("hips");
            let mut held = puppet.pose().clone();
            let local = &mut held.locals[hips];
            local.rotation = turn.as_quat() * local.rotation;
            puppet.held = Some(held);
            puppet.options.solver.method = Method::TwoBone;
            puppet.options.solver.limits = false;
            puppet.options.solver.limb.swivel = swivel;
            puppet.update().unwrap();
            let position = |puppet: &Puppet, n: usize| {
                glam::Vec3::from(puppet.world_from_node()[n].translation).as_dvec3()
            };
            let chain = puppet.rig.chain(effector).unwrap().clone();
            let base = position(&puppet, chain.base);
            let target = base - DVec3::Y * 0.35;
            puppet.targets.push(Target::new(effector).with_position(target));
            assert_eq!(puppet.update().unwrap()[0].outcome, Outcome::Reached);
            let bend = (position(&puppet, node(name)) - base).reject_from(DVec3::Y).normalize();
            let expected = turn * DVec3::Z * sign;
            assert!(bend.distance(expected) < 1e-3, "{name}: {bend} instead of {expected}");
        }
    }
}
