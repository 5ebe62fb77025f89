//! Help, wrong arguments, missing files.

use std::io::Read;
use std::process::Stdio;

use crate::{MANNEQUIN, command, folder, refusal, sinew, stdout};

#[test]
fn every_subcommand_shows_an_example() {
    for subcommand in ["render", "pose", "inspect"] {
        let help = stdout([subcommand, "-h"]);
        assert!(help.contains("Example") && help.contains(&format!("sinew {subcommand} ")), "{help}");
    }
    assert!(stdout(["--version"]).starts_with("sinew "));
}

#[test]
fn wrong_arguments_are_one_line() {
    assert!(refusal(["pose", "--no-such-option"]).contains("--no-such-option"));
    assert!(refusal(["pose", "--reach", "hips"]).contains("there is no '='"));
    assert!(refusal(["pose", "--reach", "hips=1,2"]).contains("2 numbers where 3 are needed"));
    assert!(refusal(["pose", "--reach", "hips=1,2,nan"]).contains("not a list of numbers"));
    assert!(refusal(["pose", "--animation-time", "nan"]).contains("not a time"));
    assert!(refusal(["render"]).contains("--output"));
}

#[test]
fn a_negative_number_is_refused_with_the_name_of_its_option() {
    for (command, option) in [
        ("pose", "--tolerance"),
        ("pose", "--iterations"),
        ("render", "--fps"),
        ("render", "--threshold"),
        ("render", "--camera-view-angle"),
        ("bake", "--key-error"),
        ("style", "--postures"),
        ("bench", "--tolerance"),
        ("bench", "--seed"),
        ("test", "--jobs"),
    ] {
        let line = refusal([command, option, "-1"]);
        assert!(line.contains("invalid value '-1' for '") && line.contains(option), "{command}: {line}");
    }
    let line = refusal(["pose", "--reach", "leftHand=0.3,1.2,0.4", "--tolerance", "-1"]);
    let wanted = "'--tolerance <M>': \"-1\" is not a positive number of metres (see --help)";
    assert!(line.ends_with(wanted), "{line}");
    stdout(["pose", "--animation", "wave", "--animation-time", "-1"]);
}

#[test]
fn numbers_of_any_size_are_taken_or_refused() {
    stdout(["pose", "--rotate", "head=1e308,0,0,1e308"]);
    stdout(["pose", "--rotate", "head=1e-200,0,0,0"]);
    assert!(refusal(["pose", "--reach", "leftHand=1e39,0,0"]).contains("single precision"));
    for place in ["--camera-position", "--camera-focal-point"] {
        assert!(refusal(["render", "-o", "-", place, "1e30,0,0"]).contains("single precision"), "{place}");
    }
    assert!(refusal(["render", "-o", "-", "--camera-view-angle", "1e-20"]).contains("single precision"));
    assert!(refusal(["render", "-o", "-", "--camera-view-up", "0,0,0"]).contains("no direction"));
}

#[test]
fn a_pose_is_written_as_what_its_name_says() {
    let path = folder("names").join("pose.gltf");
    let line = refusal(["pose", "-o", path.to_str().unwrap()]);
    assert!(line.ends_with("a pose is written as .json, a posed copy as .glb"), "{line}");
    assert!(!path.exists());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    assert!(refusal(["pose", "nowhere.glb"]).starts_with("nowhere.glb: "));
    assert!(refusal(["inspect", env!("CARGO_MANIFEST_DIR")]).ends_with("not a regular file"));
    let path = folder("broken").join("broken.glb");
    std::fs::write(&path, b"glTF\x02\0\0\0\xFF\0\0\0").unwrap();
    let line = refusal(["inspect", path.to_str().unwrap()]);
    assert!(line.ends_with("broken.glb: GLB header: the file is truncated after 12 of 255 bytes"), "{line}");
}

#[test]
fn unknown_names_offer_the_nearest() {
    let line = refusal(["pose", "--reach", "lefthand=0,1,0"]);
    assert!(line.starts_with("node \"lefthand\" does not exist; nearest: \"leftHand\""), "{line}");
    let line = refusal(["pose", "--animation", "waive"]);
    assert!(line.starts_with("animation \"waive\" does not exist; nearest: \"wave\""), "{line}");
    assert_eq!(refusal(["pose", "--animation", "9"]), "animation 9 does not exist (the file has 5)");
    assert!(refusal(["pose", "--reach", "#999=0,1,0"]).starts_with("node #999 does not exist"));
}

#[test]
fn goals_that_nothing_follows_are_refused() {
    let line = refusal(["pose", "--reach", "leftHand=0,1,0", "--base", "spine"]);
    assert_eq!(line, "--base spine: no --reach follows that it could hold for");
    assert_eq!(refusal(["pose", "--weight", "hips=2"]), "--weight hips: it has no goal");
    assert!(refusal(["pose", "--base", "leftHand", "--reach", "leftHand=0,1,0"]).contains("leftHand"));
    assert_eq!(refusal(["pose", "--pole", "leftHand=0,1,0"]), "--pole leftHand: it has no goal");
}

#[test]
fn a_reader_that_leaves_early_is_no_failure_to_report() {
    let mut child = command(["pose", MANNEQUIN, "--vertices"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let folder = folder("unwritable");
    let inside = folder.join("missing").join("pose.json");
    assert!(refusal(["pose", "-o", inside.to_str().unwrap()]).contains("pose.json: "));
    // A folder stands where the file should.
    let taken = folder.join("taken.json");
    std::fs::create_dir(&taken).unwrap();
    refusal(["pose", "-o", taken.to_str().unwrap()]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn what_is_read_is_not_replaced() {
    let folder = folder("in place");
    let model = folder.join("arm.glb");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tentacle.glb"), &model).unwrap();
    let before = std::fs::read(&model).unwrap();
    // However it is spelt.
    let spelt = folder.join("..").join("in place").join("arm.glb");
    let (model, spelt) = (model.to_str().unwrap(), spelt.to_str().unwrap());
    for said in [
        refusal(["pose", model, "-o", spelt]),
        refusal(["bake", model, "--animation", "sway", "-o", spelt]),
        refusal(["bake", "--clips", model, "-o", spelt]),
    ] {
        assert!(said.contains("this file is read; name another one"), "{said}");
    }
    assert_eq!(std::fs::read(model).unwrap(), before);
    // Nor what a model names.
    let (named, texture) = (folder.join("named.gltf"), folder.join("skin.png"));
    std::fs::write(&named, r#"{"asset":{"version":"2.0"},"images":[{"uri":"skin.png"}]}"#).unwrap();
    std::fs::write(&texture, "a texture").unwrap();
    let said = refusal(["render", "-q", named.to_str().unwrap(), "-o", texture.to_str().unwrap()]);
    assert!(said.contains("this file is read; name another one"), "{said}");
    assert_eq!(std::fs::read_to_string(texture).unwrap(), "a texture");
}

#[test]
fn quiet_silences_warnings() {
    let path = folder("warnings").join("odd.gltf");
    let odd = br#"{"asset":{"version":"2.0"},"extensionsUsed":["EXT_odd"],"nodes":[{"rotation":[0,0,0,2]}]}"#;
    std::fs::write(&path, odd).unwrap();
    let path = path.to_str().unwrap();
    let loud = String::from_utf8(sinew(["pose", path]).stderr).unwrap();
    assert_eq!(loud.lines().filter(|l| l.starts_with("warning: ")).count(), 2, "{loud}");
    assert!(sinew(["pose", path, "-q"]).stderr.is_empty());
}
