//! Prismatic and mimic joints in rig files.

use std::sync::LazyLock;

use glam::DVec3;

use crate::asset::{Character, mannequin};
use crate::rig::MimicRig;

use super::*;

static CHARACTER: LazyLock<Character> = LazyLock::new(|| mannequin().unwrap());

const HINGE: &str = "limit = { kind = \"hinge\", axis = [1, 0, 0], min = 0, max = 90 }";
const SLIDE: &str = "limit = { kind = \"prismatic\", axis = [0, 2, 0], min = -0.05, max = 0.3 }";

/// Returns a rig in which the right hand mimics the left hand.
fn hands(left: &str, right: &str) -> String {
    format!("version = 1\n[[joint]]\nnode = \"rightHand\"\n{right}\n[[joint]]\nnode = \"leftHand\"\n{left}\n")
}

fn node(name: &str) -> usize {
    CHARACTER.skeleton.find(name).unwrap()
}

#[test]
fn prismatic_limits_are_in_metres_and_survive_a_round_trip() {
    let skeleton = &CHARACTER.skeleton;
    let text = format!("version = 1\n[[joint]]\nnode = \"leftHand\"\n{SLIDE} # a rail\n");
    let rig = read(&text, skeleton).unwrap();
    let limit = Limit::Prismatic { axis: DVec3::Y, min: -0.05, max: 0.3 };
    assert_eq!(rig.joint(node("leftHand")).limit, limit);
    assert_eq!(write(&rig, skeleton, &text).unwrap(), text);
    assert_eq!(read(&write(&rig, skeleton, "").unwrap(), skeleton).unwrap(), rig);
    let mut longer = rig;
    longer.joints.entry(node("leftHand")).or_default().limit =
        Limit::Prismatic { axis: DVec3::Y, min: 0.0, max: 0.5 };
    let written = write(&longer, skeleton, &text).unwrap();
    assert!(written.contains("max = 0.5 } # a rail"), "{written}");
    assert_eq!(read(&written, skeleton).unwrap(), longer);
}

#[test]
fn mimic_joints_are_read_and_written_with_their_comments() {
    let skeleton = &CHARACTER.skeleton;
    let offset = |rig: &Rig| rig.joint(node("rightHand")).mimic.unwrap().offset;
    let mimic = "mimic = { joint = \"leftHand\", ratio = 0.5, offset = 10 } # both close";
    let text = hands(HINGE, &format!("{HINGE}\n{mimic}"));
    let rig = read(&text, skeleton).unwrap();
    let expected = MimicRig { joint: node("leftHand"), ratio: 0.5, offset: 10f64.to_radians() };
    assert_eq!(rig.joint(node("rightHand")).mimic, Some(expected));
    assert_eq!(write(&rig, skeleton, &text).unwrap(), text);
    let again = read(&write(&rig, skeleton, "").unwrap(), skeleton).unwrap();
    assert!((offset(&again) - offset(&rig)).abs() < 1e-8);
    // The offset of a prismatic joint is in metres. Ratio and offset are optional.
    let text = hands(SLIDE, &format!("{SLIDE}\nmimic = {{ joint = \"leftHand\", offset = 0.01 }}"));
    let rig = read(&text, skeleton).unwrap();
    let expected = MimicRig { joint: node("leftHand"), ratio: 1.0, offset: 0.01 };
    assert_eq!(rig.joint(node("rightHand")).mimic, Some(expected));
    assert_eq!(write(&rig, skeleton, &text).unwrap(), text);
    // A changed value replaces the old one, and a mimic joint that became independent has no key.
    let mut changed = rig.clone();
    if let Some(mimic) = &mut changed.joints.entry(node("rightHand")).or_default().mimic {
        mimic.ratio = -1.0;
    }
    let written = write(&changed, skeleton, &text).unwrap();
    assert_eq!(read(&written, skeleton).unwrap(), changed, "{written}");
    changed.joints.entry(node("rightHand")).or_default().mimic = None;
    let written = write(&changed, skeleton, &text).unwrap();
    assert!(!written.contains("mimic"), "{written}");
}

#[test]
fn invalid_joints_are_refused_with_their_line() {
    let mimic = |value: &str| hands(HINGE, &format!("{HINGE}\nmimic = {value}"));
    let limit = |value: &str| hands(HINGE, &format!("limit = {value}\n"));
    let cases = [
        (mimic("\"leftHand\""), "line 5: mimic must be a table"),
        (mimic("{ ratio = 1 }"), "line 5: joint is missing"),
        (
            mimic("{ joint = \"leftHand\", factor = 1 }"),
            "line 5: unknown key \"factor\"; known: joint, ratio, offset",
        ),
        (
            mimic("{ joint = \"leftHnd\" }"),
            "line 5: node \"leftHnd\" does not exist; did you mean \"leftHand\"?",
        ),
        (mimic("{ joint = \"leftHand\", ratio = \"2\" }"), "line 5: ratio must be a number"),
        (mimic("{ joint = \"leftHand\", ratio = nan }"), "line 5: ratio: value is not finite"),
        (mimic("{ joint = \"leftHand\", offset = 1e39 }"), "line 5: offset: value is too large"),
        (mimic("{ joint = \"rightHand\" }"), "line 5: a joint must not mimic itself"),
        (
            mimic("{ joint = \"leftFoot\" }"),
            "line 5: a joint and the one that it mimics must both be hinges or both be prismatic",
        ),
        (
            mimic("{ joint = \"leftHand\", offset = 100 }"),
            "line 5: the limit of a mimic joint must allow some value of the joint that it mimics",
        ),
        (
            hands(
                &format!("{HINGE}\nmimic = {{ joint = \"rightHand\" }}"),
                &format!("{HINGE}\nmimic = {{ joint = \"leftHand\" }}"),
            ),
            "line 5: a joint must not mimic another mimic joint",
        ),
        (
            limit("{ kind = \"prismatic\", axis = [0, 0, 0], min = 0, max = 1 }"),
            "line 4: axis must not be zero",
        ),
        (
            limit("{ kind = \"prismatic\", axis = [0, 1, 0], min = 1, max = 0 }"),
            "line 4: the limit range is invalid",
        ),
        (
            limit("{ kind = \"prismatic\", axis = [0, 1, 0], min = inf, max = 0 }"),
            "line 4: min: value is not finite",
        ),
        (limit("{ kind = \"prismatic\", axis = [0, 1, 0], max = 1 }"), "line 4: min is missing"),
        (
            limit("{ kind = \"slide\" }"),
            "line 4: kind must be one of free, locked, hinge, prismatic, cone, euler",
        ),
    ];
    for (text, expected) in cases {
        let error = read(&text, &CHARACTER.skeleton).unwrap_err().to_string();
        assert_eq!(error, expected, "{text}");
    }
    // A similar name is only suggested if there is one.
    for name in ["xyz", "", &"leftHand".repeat(1000)] {
        let error = read(&mimic(&format!("{{ joint = \"{name}\" }}")), &CHARACTER.skeleton).unwrap_err();
        assert!(!error.to_string().contains("did you mean"), "{error}");
    }
}
