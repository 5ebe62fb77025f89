//! Rigs: chains found in characters, rig files, pins, and any joint as the base.

use glam::DVec3;
use sinew::asset;
use sinew::asset::Character;
use sinew::ik::{Limit, Method, Outcome};
use sinew::puppet::{Puppet, Target};
use sinew::rig::{ChainKind, JointRig, detect, file};

use crate::support::external;
use crate::{folder, json, refusal, stdout};

/// The chains found in a character, each as `NAME: BASE to EFFECTOR, JOINTS`.
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
        let path = crate::MANNEQUIN.replace("mannequin", name);
        assert_chains(name, &asset::load(path.as_ref()).unwrap(), expected);
    }
    let cases: [(&str, &[&str]); 11] = [
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
            // Its thumbs have the names of the other side.
            "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
            &[
                "left arm: UpperArm.L to Palm.L, 3",
                "left leg: UpperLeg.L to LowerLeg.L_end, 3",
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
                "left front leg: FrontUpperLeg.L to FrontLowerLeg.L_end, 3",
                "right hind leg: BackLeg.R to BackLowerLeg.R_end, 4",
                "tail: Tail1 to Tail8_end, 9",
                "neck: Neck1 to Head, 4",
                "spine: Torso to Torso3, 3",
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
            &["left leg 1: FrontLeg.L to FrontLeg3.L_end, 4", "right leg 4: BackLeg.R to BackLeg3.R_end, 4"],
        ),
        (
            "quaternius/easy_enemies_pack/Snake/Snake.glb",
            &["tail: Tail to Tail3_end, 5", "neck: Neck to Head, 2", "spine: Body to Chest, 2"],
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
        puppet.targets.push(Target { position: Some(start + to), ..Target::new(effector) });
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
    puppet.targets.push(Target { position: Some(target), ..Target::new(hand) });
    for method in Method::ALL {
        puppet.options.method = method;
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
    // Writing it again changes nothing, and comments that were added stay.
    let edited = text.replacen("kind = \"arm\"", "kind = \"arm\" # strong", 1).replacen(
        "[[joint]]",
        "# bends\n[[joint]]",
        1,
    );
    assert_eq!(file::write(&read, &character.skeleton, &edited).unwrap(), edited);
    // A removed chain is removed from the file. The others and their comments stay.
    let mut fewer = read.clone();
    fewer.chains.retain(|c| c.kind == ChainKind::Arm);
    let text = file::write(&fewer, &character.skeleton, &edited).unwrap();
    assert!(text.contains("# strong") && !text.contains("\"leg\""), "{text}");
    assert_eq!(file::read(&text, &character.skeleton).unwrap(), fewer);
}

/// Regression test: joints with the same name, or with a name like another's index, shared their limits once written.
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

#[test]
fn a_rig_file_is_used_and_its_errors_name_the_line() {
    let path = folder("rig").join("figure.rig.toml");
    let path_text = path.to_str().unwrap();
    stdout(["inspect", "--write-rig", path_text]);
    let good = std::fs::read_to_string(&path).unwrap();
    let error = |from: &str, to: &str| {
        std::fs::write(&path, good.replacen(from, to, 1)).unwrap();
        let line = refusal(["inspect", "--rig", path_text]);
        line.split_once("rig.toml: ").unwrap().1.to_owned()
    };
    assert_eq!(
        error("version = 1\n", "version = 1\nspeed = 2\n"),
        "line 2: unknown key \"speed\"; known: version, pins, chain, joint"
    );
    assert_eq!(error("version = 1\n", "version = 2\n"), "line 1: version must be 1");
    assert!(error("kind = \"arm\"", "kind = \"wing\"").starts_with("line 5: kind must be one of arm, leg"));
    assert_eq!(
        error("base = \"leftUpperArm\"", "base = \"nobody\""),
        "line 6: node \"nobody\" does not exist"
    );
    assert_eq!(
        error("base = \"leftUpperArm\"", "base = \"rightHand\""),
        "line 6: base must be above effector"
    );
    assert!(error("[[chain]]", "[[chain").starts_with("line 3: "));
    assert!(error("axis = [", "axis = [0, ").contains("axis must be a list of 3 numbers"));
    for (text, expected) in [
        ("\n[[chain]]\n", "line 3: base is missing"),
        ("[[joint]]\nnode = \"head\"\n\n[[joint]]\n", "line 5: node is missing"),
        ("[[joint]]\nnode = \"head\"\nlimit = {}\n", "line 4: kind is missing"),
        ("[[joint]]\nnode = \"head\"\n[joint.limit]\n", "line 4: kind is missing"),
        ("[[joint]]\nnode = \"head\"\n[joint.limit]\nkind = \"hinge\"\n", "line 5: axis is missing"),
        ("pins = [\"head\",\n\"nobody\"]\n", "line 3: node \"nobody\" does not exist"),
        (
            "[[joint]]\nnode = \"head\"\n[[joint]]\nnode = \"leftHand\"\ncarrier = \"leftHand\"\n",
            "line 6: node \"leftHand\" is its own ancestor",
        ),
    ] {
        std::fs::write(&path, format!("version = 1\n{text}")).unwrap();
        let line = refusal(["inspect", "--rig", path_text]);
        assert!(line.ends_with(&format!("rig.toml: {expected}")), "{text}: {line}");
    }
    // A locked elbow does not turn, even if it is already bent, and the reported error is correct.
    let locked = "version = 1\n[[joint]]\nnode = \"leftLowerArm\"\nlimit = { kind = \"locked\" }\n";
    std::fs::write(&path, locked).unwrap();
    let solve = ["pose", "--rig", path_text, "--base", "leftUpperArm", "--reach", "leftHand=0.3,1.3,0.3"];
    let pose = json(solve);
    assert_ne!(pose["reports"][0]["outcome"], "reached");
    let bent = ["--rotate", "leftLowerArm=0,0.7071,0,0.7071"];
    let [a, b, c, d, e, f, g] = solve;
    let pose = json([a, b, c, d, e, f, g, bent[0], bent[1]]);
    let reported = pose["reports"][0]["position_error"].as_f64().unwrap();
    assert!((reported - world(&pose, "leftHand").distance(DVec3::new(0.3, 1.3, 0.3))).abs() < 1e-5);
    // A pinned foot of the rig file does not move.
    std::fs::write(&path, "version = 1\npins = [\"leftFoot\"]\n").unwrap();
    let pose = json(["pose", "--rig", path_text, "--reach", "leftHand=0.9,1.7,0.6"]);
    assert!(world(&pose, "leftFoot").distance(world(&json(["pose"]), "leftFoot")) < 1e-4);
}

fn world(pose: &serde_json::Value, name: &str) -> DVec3 {
    let nodes = pose["nodes"].as_array().unwrap();
    let world = nodes.iter().find(|n| n["name"] == name).unwrap()["world"].as_array().unwrap().clone();
    DVec3::new(world[12].as_f64().unwrap(), world[13].as_f64().unwrap(), world[14].as_f64().unwrap())
}

#[test]
fn pinned_joints_stay_under_any_goal() {
    let rest = json(["pose"]);
    // Goals out of reach, a pin with a look goal, a coarse tolerance, and another method.
    for goals in [
        ["--pin", "head", "--reach", "rightFoot=-0.2,0.3,0.2", "--reach", "leftHand=1,1,1"],
        ["--look", "leftFoot=1,0,1", "--reach", "leftHand=0.5,1.2,0.5", "--pin", "rightFoot"],
        ["--reach", "leftHand=0.9,1.6,0.6", "--tolerance", "0.05", "--method", "full-body"],
        ["--reach", "leftHand=0.9,1.6,0.6", "--method", "ccd", "--pin", "rightFoot"],
    ] {
        let [a, b, c, d, e, f] = goals;
        let pose = json(["pose", "-q", "--pin", "leftFoot", a, b, c, d, e, f]);
        let moved = world(&pose, "leftFoot").distance(world(&rest, "leftFoot"));
        assert!(moved < 1e-4, "{goals:?}: the pinned foot moved by {moved} m");
        let hand = world(&pose, "leftHand").distance(world(&rest, "leftHand"));
        assert!(hand > 0.05, "{goals:?}: the hand moved by {hand} m only");
    }
}

#[test]
fn a_hand_as_the_base_moves_the_body() {
    let before = json(["pose"]);
    let pose = json(["pose", "--base", "leftHand", "--reach", "rightFoot=-0.2,0.6,0.4", "--require-reached"]);
    assert!(world(&pose, "leftHand").distance(world(&before, "leftHand")) < 1e-5);
    assert!(world(&pose, "rightFoot").distance(DVec3::new(-0.2, 0.6, 0.4)) < 1e-3);
    assert!(world(&pose, "hips").distance(world(&before, "hips")) > 0.01);
}

#[test]
fn pinned_feet_stay_while_hands_and_head_reach() {
    let mannequin = asset::mannequin().unwrap();
    assert_feet_stay(
        &mannequin,
        ["leftFoot", "rightFoot"],
        [("leftHand", [0.35, 0.85, 0.5]), ("rightHand", [-0.3, 0.8, 0.5]), ("head", [0.05, 1.35, 0.3])],
    );
    let Some(path) = external("models/quaternius/modular_men/Adventurer/Adventurer.glb") else { return };
    assert_feet_stay(
        &asset::load(&path).unwrap(),
        ["Foot.L", "Foot.R"],
        [("Hand.L", [0.35, 0.75, 0.5]), ("Hand.R", [-0.3, 0.7, 0.5]), ("Head", [0.05, 1.25, 0.3])],
    );
}

fn assert_feet_stay(character: &Character, feet: [&str; 2], goals: [(&str, [f64; 3]); 3]) {
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let feet = feet.map(node);
    let mut puppet = Puppet::new(character.clone(), 0);
    let position = |puppet: &Puppet, n: usize| glam::Vec3::from(puppet.world_from_node()[n].translation);
    let before = feet.map(|f| position(&puppet, f));
    puppet.pins = feet.map(Into::into).to_vec();
    puppet.options.method = Method::FullBody;
    for (name, at) in goals {
        puppet.targets.push(Target { position: Some(at.into()), ..Target::new(node(name)) });
    }
    let reports = puppet.update().unwrap();
    assert!(reports.iter().all(|r| r.position_error.unwrap() < 0.02), "{reports:?}");
    for (foot, before) in feet.into_iter().zip(before) {
        let moved = position(&puppet, foot).distance(before);
        assert!(moved < 1e-4, "a pinned foot moved by {moved} m");
    }
}
