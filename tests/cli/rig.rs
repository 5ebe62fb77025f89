//! Rig files, pins, and any joint as the base.

use glam::DVec3;
use sinew::asset;
use sinew::asset::Character;
use sinew::ik::Method;
use sinew::puppet::{Puppet, Target};

use crate::{folder, json, place, refusal, stdout};
use sinew_testkit::external;

/// The joints of this character are not named after bones. Every command accepts bone names instead, and `--bone` replaces a bone.
#[test]
fn bones_are_named_wherever_a_node_is() {
    let file = "assets/awkward.glb";
    let reach =
        ["pose", file, "--reach", "leftHand=0.4,0.9,0.3", "--weight", "leftHand=2", "--pin", "rightFoot"];
    let pose = json(reach);
    let goal = pose["reports"].as_array().unwrap().iter().find(|r| r["kind"] == "goal").unwrap();
    assert_eq!(goal["effector"], "hand.L");
    let other = ["inspect", "--json", file, "--bone", "leftHand=forearm.L", "--bone", "leftLowerArm=arm.L"];
    let cause = "the given bones do not make a body: no node is known for leftUpperArm";
    assert_eq!(refusal(other), format!("{file}: {cause}"));
    assert!(refusal(["pose", file, "--bone", "leftHand"]).contains("'=' is missing"));
    assert!(refusal(["pose", file, "--reach", "leftHnad=0,0,0"]).contains("leftHand"));
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
        "line 2: unknown key \"speed\"; known: version, humanoid, pins, options, chain, joint"
    );
    assert_eq!(error("version = 1\n", "version = 2\n"), "line 1: version must be 1");
    assert!(error("kind = \"arm\"", "kind = \"wing\"").starts_with("line 5: kind must be one of arm, leg"));
    assert_eq!(
        error("base = \"leftUpperArm\"", "base = \"nobody\""),
        "line 6: node \"nobody\" does not exist; did you mean \"body\"?"
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
        (
            "pins = [\"head\",\n\"nobody\"]\n",
            "line 3: node \"nobody\" does not exist; did you mean \"body\"?",
        ),
        (
            "[[joint]]\nnode = \"head\"\n[[joint]]\nnode = \"leftHand\"\nlogical_parent = \"leftHand\"\n",
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
    assert!((reported - place(&pose, "leftHand").distance(DVec3::new(0.3, 1.3, 0.3))).abs() < 1e-5);
    // A foot that the rig file pins does not move.
    std::fs::write(&path, "version = 1\npins = [\"leftFoot\"]\n").unwrap();
    let pose = json(["pose", "--rig", path_text, "--reach", "leftHand=0.9,1.7,0.6"]);
    assert!(place(&pose, "leftFoot").distance(place(&json(["pose"]), "leftFoot")) < 1e-4);
}

#[test]
fn pinned_joints_stay_under_any_goal() {
    let rest = json(["pose"]);
    // Test goals out of reach, a pin together with a look goal, a coarse tolerance, and the method ccd.
    for goals in [
        ["--pin", "head", "--reach", "rightFoot=-0.2,0.3,0.2", "--reach", "leftHand=1,1,1"],
        ["--look", "leftFoot=1,0,1", "--reach", "leftHand=0.5,1.2,0.5", "--pin", "rightFoot"],
        ["--reach", "leftHand=0.9,1.6,0.6", "--tolerance", "0.05", "--method", "full-body"],
        ["--reach", "leftHand=0.9,1.6,0.6", "--method", "ccd", "--pin", "rightFoot"],
    ] {
        let [a, b, c, d, e, f] = goals;
        let pose = json(["pose", "-q", "--pin", "leftFoot", a, b, c, d, e, f]);
        let moved = place(&pose, "leftFoot").distance(place(&rest, "leftFoot"));
        assert!(moved < 1e-4, "{goals:?}: the pinned foot moved by {moved} m");
        let hand = place(&pose, "leftHand").distance(place(&rest, "leftHand"));
        assert!(hand > 0.05, "{goals:?}: the hand moved by {hand} m only");
    }
}

#[test]
fn a_hand_as_the_base_moves_the_body() {
    let before = json(["pose"]);
    let pose = json(["pose", "--base", "leftHand", "--reach", "rightFoot=-0.2,0.6,0.4", "--require-reached"]);
    assert!(place(&pose, "leftHand").distance(place(&before, "leftHand")) < 1e-5);
    assert!(place(&pose, "rightFoot").distance(DVec3::new(-0.2, 0.6, 0.4)) < 1e-3);
    assert!(place(&pose, "hips").distance(place(&before, "hips")) > 0.01);
}

#[test]
fn pinned_feet_stay_while_hands_and_head_reach() {
    let mannequin = asset::mannequin().unwrap();
    assert_feet_stay(
        &mannequin,
        ["leftFoot", "rightFoot"],
        [("leftHand", [0.35, 0.85, 0.5]), ("rightHand", [-0.3, 0.8, 0.5]), ("head", [0.05, 1.35, 0.3])],
        0.001,
    );
    let Some(path) = external("models/quaternius/modular_men/Adventurer/Adventurer.glb") else { return };
    assert_feet_stay(
        &asset::load(&path).unwrap(),
        ["Foot.L", "Foot.R"],
        [("Hand.L", [0.35, 0.75, 0.5]), ("Hand.R", [-0.3, 0.7, 0.5]), ("Head", [0.05, 1.25, 0.3])],
        // The three goals together are a little too far for the character's arms.
        0.06,
    );
}

fn assert_feet_stay(character: &Character, feet: [&str; 2], goals: [(&str, [f64; 3]); 3], most: f64) {
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let feet = feet.map(node);
    let mut puppet = Puppet::new(character.clone(), 0);
    let position = |puppet: &Puppet, n: usize| glam::Vec3::from(puppet.world_from_node()[n].translation);
    let before = feet.map(|f| position(&puppet, f));
    puppet.pins = feet.map(Into::into).to_vec();
    puppet.options.solver.method = Method::FullBody;
    for (name, at) in goals {
        puppet.targets.push(Target::new(node(name)).with_position(Some(at.into())));
    }
    let reports = puppet.update().unwrap();
    assert!(reports.iter().all(|r| r.position_error.unwrap() < most), "{reports:?}");
    for (foot, before) in feet.into_iter().zip(before) {
        let moved = position(&puppet, foot).distance(before);
        assert!(moved < 1e-4, "a pinned foot moved by {moved} m");
    }
}
