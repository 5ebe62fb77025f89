//! Round trips of rig files, and errors of invalid ones.

use std::path::Path;
use std::sync::LazyLock;

use glam::{DVec3, Vec3};
use proptest::prelude::*;

use crate::asset::{Character, gltf, mannequin};
use crate::ik;
use crate::rig::detect;

use super::*;

static CHARACTER: LazyLock<Character> = LazyLock::new(|| mannequin().unwrap());

/// A number in a rig file. Some exceed single precision.
fn number() -> impl Strategy<Value = String> {
    let odd = ["0", "1e30", "-3.4e38", "1e39", "-1e308", "inf", "nan", "180", "-180"];
    prop_oneof![
        (-200.0..200.0_f64).prop_map(|x| format!("{x:?}")),
        prop::sample::select(odd.to_vec()).prop_map(str::to_owned)
    ]
}

proptest! {
    #[test]
    fn rigs_survive_a_round_trip(
        pole in prop::array::uniform3(number()), bend in prop::array::uniform3(number()), weight in number(),
        axis in prop::array::uniform3(number()), ends in prop::array::uniform2(number()),
        swing in prop::array::uniform2(number()), stiffness in number(),
    ) {
        let list = |v: &[String]| format!("[{}]", v.join(", "));
        let chain = "[[chain]]\nbase = \"leftUpperArm\"\neffector = \"leftHand\"\n";
        let texts = [
            format!("version = 1\n{chain}pole = {}\nbend = {}\n", list(&pole), list(&bend)),
            format!("version = 1\n{chain}pole = {}\nweight = {weight}\n", list(&pole)),
            format!("version = 1\n[[joint]]\nnode = \"head\"\nstiffness = {stiffness}\n"),
            format!(
                "version = 1\n[[joint]]\nnode = \"head\"\nlimit = {{ kind = \"hinge\", axis = {}, min = {}, max = {} }}\n",
                list(&axis), ends[0], ends[1]
            ),
            format!(
                "version = 1\n[[joint]]\nnode = \"head\"\nlimit = {{ kind = \"cone\", axis = {}, side = [0, 1, 0.5], swing = {}, twist = {} }}\n",
                list(&axis), list(&swing), list(&ends)
            ),
            format!(
                "version = 1\n[[joint]]\nnode = \"head\"\nlimit = {{ kind = \"euler\", order = \"xyz\", min = {}, max = {} }}\n",
                list(&axis), list(&pole)
            ),
        ];
        for text in texts {
            let Ok(rig) = read(&text, &CHARACTER.skeleton) else { continue };
            let written = write(&rig, &CHARACTER.skeleton, "");
            prop_assert!(written.is_ok(), "{}: {:?}", text, written);
            let again = read(&written.unwrap_or_default(), &CHARACTER.skeleton);
            let chains = |rig: &Rig| rig.chains.iter().map(|c| (c.pole.is_some(), c.weight)).collect::<Vec<_>>();
            prop_assert_eq!(again.as_ref().map(chains).ok(), Some(chains(&rig)), "{}", text);
        }
    }
}

#[test]
fn values_that_reading_would_refuse_are_not_written() {
    let skeleton = &CHARACTER.skeleton;
    let head = skeleton.find("head").unwrap();
    let error_after = |change: &dyn Fn(&mut Rig)| {
        let mut rig = detect(&CHARACTER);
        change(&mut rig);
        write(&rig, skeleton, "").unwrap_err().to_string()
    };
    let hinge = Limit::Hinge { axis: DVec3::X, min: f64::NAN, max: 1.0 };
    let limited = |rig: &mut Rig| rig.joints.entry(head).or_default().limit = hinge;
    assert_eq!(error_after(&limited), "joint \"head\": the limit range is invalid");
    let stiff = |rig: &mut Rig| rig.joints.entry(head).or_default().stiffness = f64::INFINITY;
    assert_eq!(error_after(&stiff), "joint \"head\": stiffness: value is not finite");
    let pole = |rig: &mut Rig| rig.chains[0].pole = Some(Vec3::NEG_INFINITY);
    assert_eq!(error_after(&pole), "chain \"left arm\": pole: value is not finite");
    let weight = |rig: &mut Rig| rig.chains[0].weight = f64::MAX;
    assert!(error_after(&weight).ends_with("weight: value is too large"));
    let weight = |rig: &mut Rig| rig.chains[0].weight = -1.0;
    assert!(error_after(&weight).ends_with("weight must be at least 0"));
    let pull = |rig: &mut Rig| rig.chains[0].pull = Some(-0.5);
    assert!(error_after(&pull).ends_with("pull must be from 0 to 1"));
    let bend = |rig: &mut Rig| rig.chains[0].bend = Some(Vec3::ZERO);
    assert!(error_after(&bend).ends_with("bend must not be zero"));
    // The existing keys of the file must be valid too.
    let rig = detect(&CHARACTER);
    let error = write(&rig, skeleton, "version = 1\nspeed = 2\n").unwrap_err().to_string();
    assert!(error.contains("unknown key \"speed\""), "{error}");
}

#[test]
fn numbers_beyond_single_precision_are_refused_with_their_line() {
    let chain = "version = 1\n[[chain]]\nbase = \"leftUpperArm\"\neffector = \"leftHand\"\n";
    for (line, cause) in [
        ("pole = [-1e308, 1.0, -2.0]", "pole: value is too large"),
        ("pole = [nan, 1.0, -2.0]", "pole: value is not finite"),
        ("bend = [0, 0, inf]", "bend: value is not finite"),
        ("weight = 1e39", "weight: value is too large"),
        ("pull = 1.5", "pull must be from 0 to 1"),
        ("pull = \"strong\"", "pull must be from 0 to 1"),
        ("pole = [1, 2]", "pole must be a list of 3 numbers"),
        ("pole = [1, 2, \"3\"]", "pole must be a list of 3 numbers"),
    ] {
        let error = read(&format!("{chain}{line}\n"), &CHARACTER.skeleton).unwrap_err().to_string();
        assert_eq!(error, format!("line 5: {cause}"));
    }
}

#[test]
fn pull_of_a_chain_is_kept_with_its_comment() {
    let skeleton = &CHARACTER.skeleton;
    let text =
        "version = 1\n[[chain]]\nbase = \"leftUpperArm\"\neffector = \"leftHand\"\npull = 0.25 # light\n";
    let mut rig = read(text, skeleton).unwrap();
    assert_eq!(rig.chains[0].pull, Some(0.25));
    assert!(write(&rig, skeleton, text).unwrap().contains("pull = 0.25 # light\n"));
    rig.chains[0].pull = Some(0.5);
    assert!(write(&rig, skeleton, text).unwrap().contains("pull = 0.5 # light\n"));
    rig.chains[0].pull = None;
    assert!(!write(&rig, skeleton, text).unwrap().contains("pull"));
}

/// Regression test: with two tables for one node, writing changed the first table, but reading used the second one.
#[test]
fn duplicate_tables_of_a_joint_are_merged() {
    let joint = |degrees: u8| {
        format!(
            "[[joint]]\nnode = \"head\"\nlimit = {{ kind = \"hinge\", axis = [1, 0, 0], min = 0, max = {degrees} }}\n"
        )
    };
    let text = format!("version = 1\n{}{}", joint(10), joint(20));
    let skeleton = &CHARACTER.skeleton;
    let head = skeleton.find("head").unwrap();
    let mut rig = read(&text, skeleton).unwrap();
    rig.joints.entry(head).or_default().limit = Limit::Locked;
    let written = write(&rig, skeleton, &text).unwrap();
    assert_eq!(read(&written, skeleton).unwrap().joint(head).limit, Limit::Locked);
    assert_eq!(written.matches("[[joint]]").count(), 1);
    // Two chains with the same effector are both kept.
    let chain = |base: &str| format!("[[chain]]\nbase = \"{base}\"\neffector = \"leftHand\"\n");
    let text = format!("version = 1\n{}{}", chain("leftUpperArm"), chain("chest"));
    let rig = read(&text, skeleton).unwrap();
    assert_eq!(rig.chains.len(), 2);
    assert_eq!(read(&write(&rig, skeleton, &text).unwrap(), skeleton).unwrap(), rig);
    assert_eq!(read(&write(&rig, skeleton, "").unwrap(), skeleton).unwrap(), rig);
}

#[test]
fn logical_parents_with_the_same_name_are_distinguished() {
    let mut character = CHARACTER.clone();
    let [left, right, hand] =
        ["leftLowerArm", "rightLowerArm", "rightHand"].map(|name| character.skeleton.find(name).unwrap());
    character.skeleton.nodes[right].name = character.skeleton.nodes[left].name.clone();
    let mut rig = Rig::default();
    rig.joints.insert(hand, JointRig { logical_parent: Some(right), ..JointRig::default() });
    let written = write(&rig, &character.skeleton, "").unwrap();
    assert_eq!(read(&written, &character.skeleton).unwrap(), rig);
}

/// The character has arms and legs, and a left forearm of zero length.
#[test]
fn a_bone_of_zero_length_gets_no_limit() {
    let node = |name: &str, x: f32, y: f32, children: &str| {
        format!("{{\"name\":\"{name}\",\"translation\":[{x},{y},0],\"children\":[{children}]}}")
    };
    let limb = |side: &str, names: [&str; 3], x: f32, (dx, dy): (f32, f32), first: usize, last: f32| {
        [
            node(&format!("{side}{}", names[0]), x, 0.0, &(first + 1).to_string()),
            node(&format!("{side}{}", names[1]), dx, dy, &(first + 2).to_string()),
            node(&format!("{side}{}", names[2]), dx * last, dy * last, &(first + 3).to_string()),
            format!(
                "{{\"name\":\"{side}{}End\",\"translation\":[{},{},0.05]}}",
                names[2],
                dx * 0.3,
                dy * 0.3
            ),
        ]
    };
    let (arm, leg) = (["UpperArm", "LowerArm", "Hand"], ["UpperLeg", "LowerLeg", "Foot"]);
    let mut nodes = vec![
        node("hips", 0.0, 1.0, "1, 12, 16"),
        node("spine", 0.0, 0.2, "2"),
        node("chest", 0.0, 0.2, "3, 4, 8"),
        "{\"name\":\"head\",\"translation\":[0,0.3,0]}".to_owned(),
    ];
    nodes.extend(limb("left", arm, 0.2, (0.25, 0.0), 4, 0.0));
    nodes.extend(limb("right", arm, -0.2, (-0.25, 0.0), 8, 1.0));
    nodes.extend(limb("left", leg, 0.1, (0.0, -0.45), 12, 1.0));
    nodes.extend(limb("right", leg, -0.1, (0.0, -0.45), 16, 1.0));
    let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}]}}", nodes.join(","));
    let character = gltf::load_bytes(Path::new("a.gltf"), text.as_bytes(), None).unwrap();
    let rig = detect(&character);
    let limit = |name: &str| rig.joint(character.skeleton.find(name).unwrap()).limit;
    assert!(matches!(limit("rightLowerArm"), Limit::Hinge { .. }), "{rig:?}");
    assert_eq!(limit("leftLowerArm"), Limit::Free);
    assert!(rig.joints.values().all(|j| j.limit.validate().is_ok()));
    let written = write(&rig, &character.skeleton, "").unwrap();
    assert!(!written.contains("nan"));
    assert_eq!(read(&written, &character.skeleton).unwrap().joints.len(), rig.joints.len());
}

/// Reads a rig with these lines in the table of options.
fn with_options(lines: &str) -> Result<Rig, String> {
    let text = format!("version = 1\n[options]\n{lines}\n");
    read(&text, &CHARACTER.skeleton).map_err(|e| e.to_string())
}

#[test]
fn solver_options_are_read_from_dotted_nested_and_inline_tables() {
    let dotted =
        with_options("ccd.step = \"5deg\"\nccd.growing = true\nrestarts = 3\nparticle.stiffness = 0.5")
            .unwrap();
    let mut options = ik::Options::default();
    dotted.options.apply(&mut options);
    let mut expected = ik::Options::default().with_restarts(3);
    expected.particle.stiffness = 0.5;
    (expected.ccd.step, expected.ccd.growing) = (5_f64.to_radians(), true);
    assert_eq!(options, expected);
    let nested = with_options(
        "restarts = 3\nparticle.stiffness = 0.5\n[options.ccd]\nstep = \"5deg\"\ngrowing = true",
    );
    assert_eq!(nested, Ok(dotted.clone()));
    let inline = "version = 1\noptions = { restarts = 3, particle.stiffness = 0.5, ccd = { step = \"5deg\", growing = true } }\n";
    assert_eq!(read(inline, &CHARACTER.skeleton), Ok(dotted));
}

#[test]
fn invalid_solver_options_are_refused_with_their_line() {
    for (lines, cause) in [
        ("restarts = 3\nccd.stp = 1", "line 4: unknown solver option \"ccd.stp\"; did you mean ccd.step?"),
        ("ccd.step = \"2mm\"", "line 3: ccd.step: unit \"mm\" of \"2mm\" does not fit; use deg or rad"),
        ("ccd.step = [1]", "line 3: ccd.step must be more than 0deg, at most 180deg, or none"),
        ("iterations = -3", "line 3: iterations: \"-3\" must be a whole number, 0 to 1000000000"),
        (
            "particle.stiffness = nan",
            "line 3: particle.stiffness: \"NaN\" is not a number; use a plain number or %",
        ),
        (
            "root_motion = true",
            "line 3: root_motion cannot be set for a character: the root of a character moves unless a base is given; use a base",
        ),
        (
            "\n[options.cdc]\nstep = 1",
            "line 4: unknown solver option \"cdc\"; did you mean ccd.step or full_body.clear?",
        ),
    ] {
        assert_eq!(with_options(lines).map(|_| ()), Err(cause.to_owned()), "{lines}");
    }
}

#[test]
fn written_solver_options_keep_comments_and_survive_a_round_trip() {
    let skeleton = &CHARACTER.skeleton;
    let set = |rig: &mut Rig, text: &str| {
        let (option, value) = ik::SolverOption::parse_assignment(text).unwrap();
        rig.options.set(option, value).unwrap();
    };
    let mut rig = Rig::default();
    for text in ["ccd.step=5deg", "limb.swivel=follow:0.1,0,0,0.4", "method=ccd", "jacobian.damping=0.1"] {
        set(&mut rig, text);
    }
    let written = write(&rig, skeleton, "").unwrap();
    assert_eq!(read(&written, skeleton).unwrap(), rig, "{written}");
    assert!(written.contains("[options]") && written.contains("ccd.step = \"5deg\""), "{written}");
    // Values with the same meaning are left alone, other values are replaced in place, and missing ones are removed.
    for existing in [
        "version = 1\n[options] # why\nccd.step = 0.08726646259971647 # five degrees\nccd.growing = true\n",
        "version = 1\n[options] # why\n[options.ccd]\nstep = 0.08726646259971647 # five degrees\ngrowing = true\n",
        "version = 1\noptions = { ccd = { step = 0.08726646259971647, growing = true } } # why, five degrees\n",
    ] {
        let written = write(&rig, skeleton, existing).unwrap();
        assert_eq!(read(&written, skeleton).unwrap(), rig, "{written}");
        for kept in ["# why", "five degrees", "step = 0.08726646259971647"] {
            assert!(written.contains(kept), "{written}");
        }
        let mut slower = rig.clone();
        set(&mut slower, "ccd.step=6deg");
        let written = write(&slower, skeleton, existing).unwrap();
        assert_eq!(read(&written, skeleton).unwrap(), slower, "{written}");
        assert!(written.contains("step = \"6deg\"") && written.contains("five degrees"), "{written}");
        let none = write(&Rig::default(), skeleton, existing).unwrap();
        assert_eq!(read(&none, skeleton).unwrap(), Rig::default(), "{none}");
    }
}

#[test]
fn the_ccd_budget_of_a_joint_is_read_in_degrees_and_written() {
    let skeleton = &CHARACTER.skeleton;
    let head = skeleton.find("head").unwrap();
    let text = |value: &str| {
        format!("version = 1\n[[joint]]\nnode = \"head\"\nccd_budget = {value} # Unreal's list\n")
    };
    let rig = read(&text("30"), skeleton).unwrap();
    assert!((rig.joint(head).ccd_budget - 30f64.to_radians()).abs() < 1e-12);
    let written = write(&rig, skeleton, &text("30")).unwrap();
    assert_eq!(written, text("30"));
    assert_eq!(read(&write(&rig, skeleton, "").unwrap(), skeleton).unwrap(), rig);
    // A joint without the key rotates without a limit, and a joint without a limit is written without the key.
    let mut rig = Rig::default();
    assert_eq!(rig.joint(head).ccd_budget, f64::INFINITY);
    rig.joints.insert(head, JointRig { stiffness: 0.5, ..JointRig::default() });
    assert!(!write(&rig, skeleton, "").unwrap().contains("ccd_budget"));
    for (value, cause) in
        [("-1", "ccd_budget must be at least 0"), ("inf", "ccd_budget: value is not finite")]
    {
        let error = read(&text(value), skeleton).unwrap_err().to_string();
        assert_eq!(error, format!("line 4: {cause}"));
    }
    for (budget, cause) in [
        (-0.1, "ccd_budget must be at least 0"),
        (f64::NAN, "ccd_budget: value is not finite"),
        (f64::MAX, "ccd_budget: value is not finite"),
        (1e39, "ccd_budget: value is too large"),
    ] {
        rig.joints.insert(head, JointRig { ccd_budget: budget, ..JointRig::default() });
        let error = write(&rig, skeleton, "").unwrap_err().to_string();
        assert_eq!(error, format!("joint \"head\": {cause}"));
    }
}
