//! Help, invalid arguments and missing files.

use std::io::Read;
use std::process::Stdio;

use crate::{MANNEQUIN, command, folder, refusal, sinew, stdout};

#[test]
fn every_subcommand_shows_an_example() {
    for subcommand in ["render", "pose", "inspect", "trajectory"] {
        let help = stdout([subcommand, "-h"]);
        assert!(help.contains("Example") && help.contains(&format!("sinew {subcommand} ")), "{help}");
    }
    assert!(stdout(["--version"]).starts_with("sinew "));
}

#[test]
fn an_invalid_argument_is_a_one_line_error() {
    assert!(refusal(["pose", "--no-such-option"]).contains("--no-such-option"));
    assert!(refusal(["pose", "--reach", "hips"]).contains("'=' is missing"));
    assert!(refusal(["pose", "--reach", "hips=1,2"]).contains("expected 3 numbers, found 2"));
    assert!(refusal(["pose", "--reach", "hips=1,2,nan"]).contains("expected finite numbers"));
    assert!(refusal(["pose", "--animation-time", "nan"]).contains("must be a time"));
    assert!(refusal(["render"]).contains("--output"));
}

#[test]
fn the_error_for_a_negative_number_names_its_option() {
    for (command, option) in [
        ("pose", "--tolerance"),
        ("pose", "--iterations"),
        ("render", "--fps"),
        ("render", "--threshold"),
        ("render", "--camera-view-angle"),
        ("bake", "--key-error"),
        ("trajectory", "--speed"),
        ("style", "--postures"),
        ("bench", "--tolerance"),
        ("bench", "--seed"),
        ("test", "--jobs"),
    ] {
        let line = refusal([command, option, "-1"]);
        assert!(line.contains("invalid value '-1' for '") && line.contains(option), "{command}: {line}");
    }
    let line = refusal(["pose", "--reach", "leftHand=0.3,1.2,0.4", "--tolerance", "-1"]);
    let expected = "'--tolerance <M>': must be a positive number of metres (see --help)";
    assert!(line.ends_with(expected), "{line}");
    stdout(["pose", "--animation", "wave", "--animation-time", "-1"]);
}

#[test]
fn extreme_numbers_are_accepted_only_for_rotations() {
    stdout(["pose", "--rotate", "head=1e308,0,0,1e308"]);
    stdout(["pose", "--rotate", "head=1e-200,0,0,0"]);
    assert!(refusal(["pose", "--reach", "leftHand=1e39,0,0"]).contains("single precision"));
    for option in ["--camera-position", "--camera-focal-point"] {
        assert!(refusal(["render", "-o", "-", option, "1e30,0,0"]).contains("single precision"), "{option}");
    }
    assert!(refusal(["render", "-o", "-", "--camera-view-angle", "1e-20"]).contains("single precision"));
    assert!(refusal(["render", "-o", "-", "--camera-view-up", "0,0,0"]).contains("zero length"));
}

#[test]
fn an_unknown_output_type_is_refused() {
    let path = folder("names").join("pose.gltf");
    let line = refusal(["pose", "-o", path.to_str().unwrap()]);
    let kinds = "use .json for a pose, .glb for a posed copy or .csv for joint values";
    assert!(line.ends_with(&format!("unknown file type; {kinds}")), "{line}");
    assert!(!path.exists());
}

#[test]
fn errors_name_the_file_that_cannot_be_read() {
    assert!(refusal(["pose", "nowhere.glb"]).starts_with("nowhere.glb: "));
    assert!(refusal(["inspect", env!("CARGO_MANIFEST_DIR")]).ends_with("not a regular file"));
    let path = folder("broken").join("broken.glb");
    std::fs::write(&path, b"glTF\x02\0\0\0\xFF\0\0\0").unwrap();
    let line = refusal(["inspect", path.to_str().unwrap()]);
    assert!(line.ends_with("broken.glb: GLB header: the file is truncated after 12 of 255 bytes"), "{line}");
}

#[test]
fn errors_for_unknown_names_list_the_nearest() {
    assert_eq!(refusal(["rendr"]), "rendr: neither a file nor a command; did you mean `sinew render`?");
    let line = refusal(["pose", "--reach", "lefthand=0,1,0"]);
    assert!(line.starts_with("node \"lefthand\" does not exist; did you mean \"leftHand\"?"), "{line}");
    let line = refusal(["pose", "--animation", "waive"]);
    assert!(line.starts_with("animation \"waive\" does not exist; did you mean \"wave\"?"), "{line}");
    assert_eq!(
        refusal(["pose", "--animation", "9"]),
        "animation 9 does not exist; the file has 5, counted from 0"
    );
    let line = refusal(["pose", "assets/arm.glb", "--animation", "0"]);
    assert_eq!(line, "animation 0 does not exist; the file has no animations");
    assert!(refusal(["pose", "--reach", "#999=0,1,0"]).starts_with("node #999 does not exist"));
}

#[test]
fn options_without_a_goal_are_refused() {
    let line = refusal(["pose", "--reach", "leftHand=0,1,0", "--base", "spine"]);
    assert_eq!(line, "--base spine: no --reach, --orient or --look follows it");
    let cause = "node has no goal; add --reach, --orient or --look for it";
    assert_eq!(refusal(["pose", "--weight", "hips=2"]), format!("--weight hips: {cause}"));
    assert!(refusal(["pose", "--base", "leftHand", "--reach", "leftHand=0,1,0"]).contains("leftHand"));
    assert_eq!(refusal(["pose", "--pole", "leftHand=0,1,0"]), format!("--pole leftHand: {cause}"));
}

#[test]
fn a_closed_pipe_prints_no_error() {
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
fn a_failed_write_leaves_no_files() {
    let folder = folder("unwritable");
    let inside = folder.join("missing").join("pose.json");
    assert!(refusal(["pose", "-o", inside.to_str().unwrap()]).contains("pose.json: "));
    // A folder with the name of the output file already exists.
    let subfolder = folder.join("folder.json");
    std::fs::create_dir(&subfolder).unwrap();
    refusal(["pose", "-o", subfolder.to_str().unwrap()]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = folder("in place");
    let model = folder.join("arm.glb");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tentacle.glb"), &model).unwrap();
    let before = std::fs::read(&model).unwrap();
    // Another path to the same file is recognised.
    let same = folder.join("..").join("in place").join("arm.glb");
    let (model, same) = (model.to_str().unwrap(), same.to_str().unwrap());
    for error in [
        refusal(["pose", model, "-o", same]),
        refusal(["bake", model, "--animation", "sway", "-o", same]),
        refusal(["bake", "--clips", model, "-o", same]),
    ] {
        assert!(error.contains("output would overwrite an input"), "{error}");
    }
    assert_eq!(std::fs::read(model).unwrap(), before);
    // Files that a model references also count as inputs.
    let (named, texture) = (folder.join("named.gltf"), folder.join("skin.png"));
    std::fs::write(&named, r#"{"asset":{"version":"2.0"},"images":[{"uri":"skin.png"}]}"#).unwrap();
    std::fs::write(&texture, "a texture").unwrap();
    let error = refusal(["render", "-q", named.to_str().unwrap(), "-o", texture.to_str().unwrap()]);
    assert!(error.contains("output would overwrite an input"), "{error}");
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

#[test]
fn an_option_that_a_bench_table_ignores_is_refused() {
    for ([a, b, c, d], option) in [
        (["--table", "paper", "--methods", "ccd"], "--methods"),
        (["--table", "paper", "--tolerance", "1e-3"], "--tolerance"),
        (["--table", "paper", "--iterations", "5"], "--iterations"),
        (["--table", "paper", "--limits", "off"], "--limits"),
        (["--table", "fabrik", "--joints", "3"], "--joints"),
        (["--table", "drag", "--cases", "3"], "--cases"),
        (["--table", "drag", "--seed", "3"], "--seed"),
        (["--table", "panda", "--set", "near"], "--set"),
        (["--table", "ur5", "--tolerance", "1e-3"], "--tolerance"),
        (["--limits", "on", "--set", "near"], "--set"),
        (["--seed", "1", "--targets", "targets.json"], "--targets"),
    ] {
        let line = refusal(["bench", a, b, c, d]);
        assert!(line.contains(&format!("{option} has no effect with")), "{line}");
    }
}

#[test]
fn bench_tables_have_every_method_and_column() {
    let paper = stdout(["bench", "--table", "paper", "--cases", "5", "--json"]);
    let paper: serde_json::Value = serde_json::from_str(&paper).unwrap();
    let rows = paper["paper"].as_array().unwrap();
    // Three methods with and without limits: with a common tolerance, with the paper's tolerance, and as printed in the paper.
    assert_eq!(rows.len(), 18);
    for column in
        ["mean_us", "relative_time", "iterations", "error_mean", "error_max", "wrong", "published_seconds"]
    {
        assert!(rows.iter().all(|row| row[column].is_number()), "{column}");
    }
    let targets = folder("targets").join("ur5.json");
    let path = targets.to_str().unwrap();
    let arguments =
        ["bench", "--table", "ur5", "--methods", "dls", "--cases", "20", "--json", "--targets", path];
    let poses: serde_json::Value = serde_json::from_str(&stdout(arguments)).unwrap();
    assert_eq!(poses["poses"][0]["cases"], 20);
    assert!(poses["poses"][0]["coarse_success"].as_f64().unwrap() >= 0.9);
    let targets: serde_json::Value = serde_json::from_slice(&std::fs::read(targets).unwrap()).unwrap();
    assert_eq!(targets["joints"].as_array().unwrap().len(), 6);
    assert_eq!(targets["targets"].as_array().unwrap().len(), 20);
}
