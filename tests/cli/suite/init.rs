//! `sinew test --init`: suites that are written for characters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{MANNEQUIN, command, folder, refusal, sinew, stdout, text};

mod weights;

/// Runs the program in a folder and returns its exit code, stdout and stderr.
fn run_in<const N: usize>(folder: &Path, arguments: [&str; N]) -> (i32, String, String) {
    let output = command(arguments).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_suite_of_characters_with_any_names_passes_from_any_folder() {
    let folder = folder("init names");
    let (first, second) = (folder.join("a b"), folder.join("ä"));
    for below in [&first, &second] {
        fs::create_dir_all(below).unwrap();
        fs::copy(MANNEQUIN, below.join("Männ chen.glb")).unwrap();
    }
    let (code, out, err) =
        run_in(&first, ["test", "--init", "Männ chen.glb", "../ä/Männ chen.glb", "-o", "../neue suite.toml"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].contains("cases move 54 of 54 joints with skin weights"), "{lines:?}");
    assert!(lines[2].ends_with("sinew test '../neue suite.toml' --update"), "{lines:?}");
    let suite = folder.join("neue suite.toml");
    let written = fs::read_to_string(&suite).unwrap();
    assert!(written.contains("goldens = \"neue suite-goldens\""));
    assert!(
        written.contains("model = \"a b/Männ chen.glb\"") && written.contains("model = \"ä/Männ chen.glb\"")
    );
    assert!(written.contains("name = \"ä Männ chen left arm raised from behind\""), "{written}");
    // A few cases are enough here, because the test of weights draws all of them.
    let filter = ["test", text(&suite), "--filter", "rest", "--update"];
    stdout(filter);
    for place in [&first, &folder] {
        let (code, out, err) = run_in(place, ["test", text(&suite), "--filter", "rest"]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.contains("4 passed"), "{out}");
    }
}

#[test]
fn an_existing_suite_is_replaced_only_if_asked() {
    let folder = folder("init-force");
    let suite = folder.join("suite.toml");
    fs::write(&suite, "mine").unwrap();
    let refused = refusal(["test", "--init", MANNEQUIN, "-o", text(&suite)]);
    assert_eq!(refused, format!("{}: file exists; use --force to replace it", suite.display()));
    assert_eq!(fs::read_to_string(&suite).unwrap(), "mine");
    stdout(["test", "--init", MANNEQUIN, "-o", text(&suite), "--force"]);
    let list = stdout(["test", text(&suite), "--list"]);
    for name in ["rest", "left leg forward", "right fingers closed from behind", "back twisted", "walk 0.25"]
    {
        assert!(list.lines().any(|line| line == name), "{name} is not in {list}");
    }
    let model = folder.join("model.glb");
    fs::copy(MANNEQUIN, &model).unwrap();
    let refused = refusal(["test", "--init", text(&model), "-o", text(&model), "--force"]);
    assert!(refused.contains("would overwrite an input"), "{refused}");
    let refused = refusal(["test", "--init", "missing.glb", "-o", text(&folder.join("new.toml"))]);
    assert!(refused.starts_with("missing.glb: "), "{refused}");
    assert!(!folder.join("new.toml").exists());
    assert!(refusal(["test"]).contains("SUITE.toml"));
}

#[test]
fn a_run_names_joints_that_no_case_moves() {
    let folder = folder("init-unmoved");
    let suite = folder.join("suite.toml");
    fs::write(&suite, "version = 1\n[defaults]\nresolution = [32, 32]\n[[case]]\nname = \"turned\"\nturn = [\"leftHand=0,40,0\"]\n")
        .unwrap();
    let output = sinew(["test", text(&suite), "--update"]);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        warning.trim_end(),
        "warning: the built-in mannequin: no case moves 53 of the 54 joints with skin weights: hips, spine, chest, upperChest, \
         neck, head and 47 more"
    );
    // A filtered run cannot tell which joints the whole suite leaves unmoved, so it prints no warning.
    for arguments in [["test", text(&suite), "--filter", "turned"], ["test", text(&suite), "-q", "--update"]]
    {
        assert!(sinew(arguments).stderr.is_empty());
    }
}

/// Returns the path of a copy of a built-in character, with its rig beside it.
fn copied(name: &str, folder: &Path) -> PathBuf {
    let assets = Path::new(MANNEQUIN).parent().unwrap();
    for extension in ["glb", "rig.toml"] {
        let file = format!("{name}.{extension}");
        fs::copy(assets.join(&file), folder.join(&file)).unwrap();
    }
    folder.join(format!("{name}.glb"))
}
