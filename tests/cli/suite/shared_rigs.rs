//! Cases of a suite share the rig of a character only if they load it in the same way.
//!
//! Rigs were once cached only by the path and the up axis of their character. If one case read a take with `asymmetric` and another without
//! it, the second one was posed with the rig of the first. That rig has its floor at a different height, so the joints were up to 8 mm off.
//! The order of the cases decided which one was wrong.

use std::fmt::Write;
use std::fs;

use super::code_and_lines;
use crate::{folder, stdout};

/// A standing person, sampled at 2 Hz, whose left arm and leg are 8 cm longer than the right ones and who raises both forearms.
fn take() -> String {
    let mut joints: Vec<(String, [f64; 3])> = vec![
        ("hips".into(), [0.0, 0.95, 0.0]),
        ("spine".into(), [0.0, 1.15, 0.0]),
        ("head".into(), [0.0, 1.6, 0.0]),
    ];
    for (side, x, longer) in [("left", 1.0, 0.08), ("right", -1.0, 0.0)] {
        for (joint, at) in [
            ("UpperLeg", [0.09 * x, 0.9, 0.0]),
            ("LowerLeg", [0.09 * x, 0.48 - 0.5 * longer, 0.01]),
            ("Foot", [0.09 * x, 0.08 - longer, 0.0]),
            ("UpperArm", [0.18 * x, 1.42, 0.0]),
            ("LowerArm", [0.45 * x, 1.42, 0.0]),
            ("Hand", [(0.7 + longer) * x, 1.42, 0.0]),
        ] {
            joints.push((format!("{side}{joint}"), at));
        }
    }
    let columns = joints.iter().flat_map(|(name, _)| ["x", "y", "z"].map(|axis| format!("{name}.{axis}")));
    let mut text = format!("time,{}\n", columns.collect::<Vec<_>>().join(","));
    for frame in 0..5_u8 {
        write!(text, "{}", 0.5 * f64::from(frame)).unwrap();
        for (name, mut at) in joints.clone() {
            if name.ends_with("Hand") && frame % 2 == 1 {
                at = [0.45 * at[0].signum(), at[1] + at[0].abs() - 0.45, at[2]];
            }
            let [x, y, z] = at;
            write!(text, ",{x:.4},{y:.4},{z:.4}").unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn cases_that_load_a_take_differently_have_rigs_of_their_own() {
    let folder = folder("suite-shared-rigs");
    fs::write(folder.join("uneven.csv"), take()).unwrap();
    let suite = folder.join("suite.toml");
    let path = suite.to_str().unwrap();
    let case = |name: &str, more: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\nmodel = \"uneven.csv\"\nreach = \"leftHand=0.3,0.5,0.4\"\n{more}"
        )
    };
    let write = |cases: &[&str]| {
        let head = "version = 1\n[defaults]\ncompare = [\"joints\"]\nresolution = [16, 16]\n";
        fs::write(&suite, format!("{head}{}", cases.concat())).unwrap();
    };
    let (mean, uneven) = (case("mean", ""), case("uneven", "asymmetric = true\n"));
    // The goldens come from cases that run alone.
    for alone in [&mean, &uneven] {
        write(&[alone]);
        stdout(["test", path, "--update"]);
    }
    for cases in [[&mean[..], &uneven], [&uneven, &mean]] {
        write(&cases);
        let (code, lines) = code_and_lines(["test", path, "--jobs", "1"]);
        assert_eq!(code, 0, "{lines:?}");
    }
    // The option has an effect: without it, the second case has a different result.
    write(&[&case("uneven", "")]);
    let (code, lines) = code_and_lines(["test", path]);
    assert_eq!(code, 1, "{lines:?}");
}
