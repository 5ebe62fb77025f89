//! `sinew test`: passing and failing suites, and the options of the command.

use std::fs;
use std::path::PathBuf;

use crate::{command, folder, refusal, sinew, stdout};
use sinew_testkit::image;

mod accept;
mod breaks;
mod explained;
mod file;
mod glb;
mod init;
mod report_page;
mod results;
mod shared_rigs;

const SUITE: &str = r#"version = 1

[defaults]
resolution = [48, 64]
compare = ["image", "joints"]

[[case]]
name = "rest"

[[case]]
name = "wave"
animation = "wave"
animation-time = 0.4

[[case]]
name = "reach"
reach = "leftHand=0.4,1.2,0.3"
compare = ["image", "joints", "report"]
outcome = "reached"
error = 1e-3

[[matrix]]
name = "walk"
animation = "walk"
animation-time = [0, 0.5]
mode = ["normal", "mask"]
"#;

/// Writes a suite and its goldens.
fn suite_with_goldens(name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let suite = folder.join("suite.toml");
    fs::write(&suite, SUITE).unwrap();
    let path = suite.to_str().unwrap().to_owned();
    stdout(["test", &path, "--update"]);
    (folder, path)
}

fn code_and_lines<const N: usize>(arguments: [&str; N]) -> (i32, Vec<String>) {
    let output = sinew(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    // Times vary from run to run.
    let line = |l: &str| {
        let timed = l.rsplit_once("  ").filter(|(_, time)| time.ends_with(" ms"));
        timed.map_or(l, |(l, _)| l).to_owned()
    };
    let is_summary =
        |l: &&str| l.starts_with("images: ") || l.starts_with("drawn by ") || l.contains("ms per case");
    (output.status.code().unwrap(), text.lines().filter(|l| !is_summary(l)).map(line).collect())
}

fn edit(suite: &str, from: &str, to: &str) {
    let text = fs::read_to_string(suite).unwrap();
    assert!(text.contains(from));
    fs::write(suite, text.replace(from, to)).unwrap();
}

#[test]
fn a_missing_golden_fails_and_writes_a_new_file() {
    let folder = folder("suite-missing");
    let suite = folder.join("suite.toml");
    fs::write(&suite, SUITE).unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap(), "--filter", "rest"]);
    assert_eq!(code, 1);
    assert!(lines[0].starts_with("missing rest"), "{lines:?}");
    assert!(folder.join("goldens/rest.new.png").exists());
    assert!(!folder.join("goldens/rest.png").exists());
    stdout(["test", suite.to_str().unwrap(), "--filter", "rest", "--update"]);
    assert!(folder.join("goldens/rest.png").exists() && folder.join("goldens/rest.json").exists());
    assert!(!folder.join("goldens/rest.new.png").exists());
}

#[test]
fn unchanged_cases_pass_with_any_number_of_jobs() {
    let (_, suite) = suite_with_goldens("suite-passes");
    // Enough cases to occupy several devices.
    let times: Vec<String> = (0..20).map(|i| format!("{}", f64::from(i) / 40.0)).collect();
    edit(&suite, "animation-time = [0, 0.5]", &format!("animation-time = [{}]", times.join(", ")));
    stdout(["test", &suite, "--update", "--jobs", "7"]);
    let one = code_and_lines(["test", &suite, "--jobs", "1"]);
    let many = code_and_lines(["test", &suite, "--jobs", "7"]);
    assert_eq!(one.0, 0, "{:?}", one.1);
    assert_eq!(one, many);
    assert_eq!(one.1.len(), 43);
    assert!(one.1.iter().all(|l| l.starts_with("passed")), "{:?}", one.1);
}

#[test]
fn a_suite_without_images_needs_no_adapter() {
    let (_, suite) = suite_with_goldens("suite-blind");
    let without = ["test", &suite, "--adapter", "vulkan:no such adapter"];
    assert!(refusal(without).contains("no such adapter"));
    edit(&suite, "\"image\", ", "");
    let (code, lines) = code_and_lines(without);
    assert_eq!(code, 0, "{lines:?}");
}

#[test]
fn changed_cases_fail_and_update_writes_only_their_goldens() {
    let (folder, suite) = suite_with_goldens("suite-changes");
    let time = |name: &str| fs::metadata(folder.join("goldens").join(name)).unwrap().modified().unwrap();
    let before = [time("rest.png"), time("wave.png")];
    edit(&suite, "animation-time = 0.4", "animation-time = 0.42");
    edit(&suite, "0.4,1.2,0.3", "0.4,1.2,5.3");
    let (code, lines) = code_and_lines(["test", &suite]);
    assert_eq!(code, 1);
    let text = lines.join("\n");
    assert!(text.contains("failed  wave") && text.contains("passed  rest"), "{text}");
    assert!(text.contains("beyond tolerance, largest differences"), "{text}");
    assert!(text.contains("report: out-of-reach instead of reached"), "{text}");
    assert!(folder.join("goldens/wave.new.png").exists());
    // `--update` cannot make the case with the wrong report pass, because reports have no goldens.
    let (code, lines) = code_and_lines(["test", &suite, "--update"]);
    assert_eq!(code, 1, "{lines:?}");
    assert_eq!(time("rest.png"), before[0]);
    assert_ne!(time("wave.png"), before[1]);
    assert!(!folder.join("goldens/wave.new.png").exists());
    assert_eq!(code_and_lines(["test", &suite, "--filter", "wave"]).0, 0);
}

#[test]
fn cases_can_be_listed_filtered_and_sharded() {
    let (_, suite) = suite_with_goldens("suite-list");
    let listed = stdout(["test", &suite, "--list"]);
    let names: Vec<&str> = listed.lines().collect();
    let walks = ["walk 0 normal", "walk 0 mask", "walk 0.5 normal", "walk 0.5 mask"];
    assert_eq!(names, [&["rest", "wave", "reach"][..], &walks[..]].concat());
    let parts = ["1/2", "2/2"].map(|shard| stdout(["test", &suite, "--list", "--shard", shard]));
    assert_eq!(parts.map(|p| p.lines().count()), [4, 3]);
    assert_eq!(stdout(["test", &suite, "--list", "--filter", "mask"]).lines().count(), 2);
    edit(&suite, "name = \"rest\"", "name = \"rest\"\nmode = \"mask\"");
    let (code, lines) = code_and_lines(["test", &suite, "--fail-fast", "--jobs", "1"]);
    assert_eq!((code, lines.iter().filter(|l| l.starts_with("passed")).count()), (1, 0), "{lines:?}");
}

#[test]
fn prune_removes_unused_goldens_only() {
    let (folder, suite) = suite_with_goldens("suite-prune");
    edit(&suite, "name = \"wave\"", "name = \"waving\"");
    let (code, _) = code_and_lines(["test", &suite]);
    assert_eq!(code, 1);
    assert!(folder.join("goldens/wave.png").exists());
    fs::write(folder.join("goldens/notes.txt"), "not ours").unwrap();
    // `--prune` also keeps images and JSON documents that no suite has written.
    let texture = image::png(4, 4, image::ColorType::Rgb, &[0; 48]);
    fs::write(folder.join("goldens/texture.png"), texture).unwrap();
    fs::write(folder.join("goldens/package.json"), "{\"format\":\"another\"}").unwrap();
    // The .new files of this run are kept.
    assert_eq!(code_and_lines(["test", &suite, "--filter", "waving", "--prune"]).0, 1);
    assert!(folder.join("goldens/waving.new.png").exists() && !folder.join("goldens/wave.png").exists());
    stdout(["test", &suite, "--update", "--prune"]);
    assert!(!folder.join("goldens/waving.new.png").exists());
    assert!(!folder.join("goldens/wave.png").exists() && !folder.join("goldens/wave.json").exists());
    assert!(folder.join("goldens/waving.png").exists() && folder.join("goldens/notes.txt").exists());
    assert!(folder.join("goldens/texture.png").exists() && folder.join("goldens/package.json").exists());
}

#[test]
fn cases_that_differ_by_a_sign_have_different_goldens() {
    let folder = folder("suite-signs");
    let suite = folder.join("suite.toml");
    fs::write(
        &suite,
        "version = 1\n[[matrix]]\nname = \"turn\"\nresolution = \"32,32\"\n\
         reach = [[\"leftHand=0.3,1.2,0.2\"], [\"leftHand=0.3,1.2,-0.2\"]]\ncompare = \"joints\"\n",
    )
    .unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap(), "--update"]);
    assert_eq!(code, 0, "{lines:?}");
    for name in ["turn-lefthand-0.3-1.2-0.2.json", "turn-lefthand-0.3-1.2-minus0.2.json"] {
        assert!(folder.join("goldens").join(name).exists(), "{name}");
    }
}

#[test]
fn an_unreadable_golden_breaks_only_its_case() {
    let (folder, suite) = suite_with_goldens("suite-broken");
    fs::write(folder.join("goldens/rest.png"), b"\x89PNG\r\n\x1a\nno").unwrap();
    fs::write(folder.join("goldens/wave.json"), b"{\"format\":\"sinew-joints-9\",\"nodes\":[]}").unwrap();
    let (code, lines) = code_and_lines(["test", &suite]);
    let text = lines.join("\n");
    assert_eq!(code, 1);
    assert!(text.contains("broken  rest") && text.contains("rest.png: "), "{text}");
    assert!(text.contains("broken  wave") && text.contains("format is \"sinew-joints-9\""), "{text}");
    assert!(text.contains("passed  reach"), "{text}");
    // `--update` replaces the unreadable goldens.
    stdout(["test", &suite, "--update"]);
    assert_eq!(code_and_lines(["test", &suite]).0, 0);
}

/// A golden with a number beyond the range of single precision could not be read again, so it is not written.
#[test]
fn a_case_outside_single_precision_writes_no_golden() {
    let folder = folder("suite-finite");
    let suite = folder.join("suite.toml");
    let case = |name: &str, motion: &str| {
        std::fs::write(folder.join(format!("{name}.motion.toml")), format!("version = 1\n{motion}")).unwrap();
        format!(
            "[[case]]\nname = \"{name}\"\nmotion = \"{name}.motion.toml\"\nanimation-time = 0.5\ncompare = [\"joints\"]\n"
        )
    };
    let turn = case("turn", "[[edit]]\ntime = 0.5\nturn = { chest = [0, 0, 1e39] }\n");
    let shift = "shift = { chest = [3e38, 0, 0], head = [3e38, 0, 0] }";
    let shift = case("shift", &format!("[[edit]]\ntime = 0.5\n{shift}\n"));
    std::fs::write(&suite, format!("version = 1\n{turn}{shift}")).unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap(), "--update"]);
    assert_eq!(code, 1);
    let assert_line = |text: &str| assert!(lines.iter().any(|l| l.contains(text)), "{text}: {lines:?}");
    assert_line("turn.motion.toml: line 4: turn: value is too large");
    assert_line("world matrix is not finite");
    assert!(!folder.join("goldens").exists());
}

#[test]
fn help_has_examples() {
    assert!(
        String::from_utf8(command(["test", "-h"]).output().unwrap().stdout).unwrap().contains("Examples:")
    );
}

#[test]
fn a_session_makes_a_case_for_each_frame_and_one_for_the_joints() {
    let folder = folder("suite-session");
    let suite = folder.join("suite.toml");
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drag.session");
    fs::copy(session, folder.join("drag.session")).unwrap();
    let case =
        "version = 1\n[[case]]\nname = \"s\"\nreplay = \"drag.session\"\nfps = 5\nresolution = \"48,30\"\n";
    fs::write(&suite, format!("{case}frames = [4, 11]\ncompare = [\"image\", \"joints\"]\n")).unwrap();
    let path = suite.to_str().unwrap();
    stdout(["test", path, "--update"]);
    let (code, lines) = code_and_lines(["test", path]);
    assert_eq!(
        (code, &lines[..]),
        (0, &["passed  s frame 4", "passed  s frame 11", "passed  s joints"].map(String::from)[..])
    );
    // Changing a drag changes the joints and the frame that shows the drag.
    let text = fs::read_to_string(folder.join("drag.session")).unwrap();
    let is_shown = |line: &&str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["do"]["drag"].is_array() && line["at"].as_f64().unwrap() <= 4.0 / 5.0
    };
    let drag = text.lines().rfind(is_shown).unwrap();
    let place = &drag[drag.find("\"drag\":").unwrap() + 7..drag.len() - 2];
    fs::write(folder.join("drag.session"), text.replacen(place, "[300.0,90.0]", 1)).unwrap();
    let (code, lines) = code_and_lines(["test", path]);
    let output = lines.join("\n");
    assert!(code == 1 && output.contains("failed  s joints") && output.contains("/left"), "{output}");
    fs::write(&suite, format!("{case}mode = \"mask\"\n")).unwrap();
    assert!(refusal(["test", path]).contains("line 7: mode cannot be set for a session or a project"));
    // A session case without frames would compare no image, so it could not fail.
    fs::write(&suite, case).unwrap();
    assert!(refusal(["test", path]).contains("line 2: frames is missing"));
    fs::write(&suite, "version = 1\n[[case]]\nname = \"s\"\nframes = [1]\n").unwrap();
    assert!(refusal(["test", path]).contains("line 4: frames and fps need a session"));
}
