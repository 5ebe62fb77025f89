//! `sinew check`, `sinew mend`, and `[[check]]` in suites.

use std::fs;
use std::path::Path;

use glam::Quat;
use serde_json::Value;
use sinew::asset::{self, Values};
use sinew::export::animated_copy;

use crate::{MANNEQUIN, folder, refusal, sinew, stdout};

/// Writes a copy of the mannequin whose head leaves its path in one frame of the walk.
pub(crate) fn faulty(path: &Path) {
    let character = asset::load(Path::new(MANNEQUIN)).unwrap();
    let mut clips = character.clips.clone();
    let head = character.skeleton.find("head").unwrap();
    for channel in clips[2].channels.iter_mut().filter(|c| c.node == head) {
        if let Values::Rotation(values) = &mut channel.values {
            let middle = values.len() / 2;
            values[middle] *= Quat::from_rotation_y(0.5);
        }
    }
    fs::write(path, animated_copy(&character, Some(Path::new(MANNEQUIN)), &clips).unwrap()).unwrap();
}

#[test]
fn a_fault_is_found_reported_and_repaired() {
    let folder = folder("check");
    let [model, mended, json, page] = ["faulty.glb", "mended.glb", "out.json", "out.html"]
        .map(|name| folder.join(name).display().to_string());
    faulty(Path::new(&model));
    assert!(stdout(["check", MANNEQUIN, "-q"]).contains("passed  walk"));

    let run = sinew(["check", &model, "--json", &json, "--report", &page, "--adapter", "cpu"]);
    assert_eq!(run.status.code(), Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("failed  walk") && text.contains("error jerk") && text.contains("head leaves"),
        "{text}"
    );
    let rows: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let row = rows["checks"].as_array().unwrap().iter().find(|r| r["fails"] == true).unwrap();
    assert_eq!(
        (row["status"].as_str(), row["findings"][0]["check"].as_str()),
        (Some("failed"), Some("jerk"))
    );
    assert_eq!(row["findings"][0]["subject"], "head");
    assert!(row["strip"].as_array().unwrap().len() >= 6);
    assert!(row["strip"][0]["image"].as_str().unwrap().starts_with("data:image/png;base64,"));
    let jerk = row["curves"].as_array().unwrap().iter().find(|c| c["check"] == "jerk").unwrap();
    assert_eq!(jerk["times"].as_array().unwrap().len(), jerk["values"].as_array().unwrap().len());
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("head leaves") && page.contains("data:image/png;base64,"));

    let text = stdout(["mend", &model, "-o", &mended]);
    assert!(text.contains("mended  walk  1 errors, 0 remain") && text.contains("jerk"), "{text}");
    assert!(stdout(["check", &mended, "-q"]).contains("passed  walk"));
    // The other clips do not change.
    let [before, after] = [&model, &mended].map(|path| asset::load(Path::new(path)).unwrap());
    assert_eq!(before.clips.len(), after.clips.len());
    assert_eq!(format!("{:?}", before.clips[0]), format!("{:?}", after.clips[0]));
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = folder("check-protect");
    let model = folder.join("faulty.glb").display().to_string();
    faulty(Path::new(&model));
    let bytes = fs::read(&model).unwrap();
    assert!(refusal(["mend", &model, "-o", &model]).contains("would overwrite an input"));
    assert_eq!(fs::read(&model).unwrap(), bytes);
    assert!(refusal(["check", &model, "--only", "feet"]).contains("unknown check"));
    assert!(refusal(["check", &model, "--limit", "flip=-1"]).contains("at least 0"));
    assert!(refusal(["check", &model, "--clip", "swim"]).contains("does not exist"));
}

#[test]
fn suites_check_clips() {
    let folder = folder("check-suite");
    let model = folder.join("faulty.glb");
    faulty(&model);
    let suite = folder.join("suite.toml");
    let text =
        "version = 1\n\n[[check]]\nname = \"hero\"\nmodel = \"faulty.glb\"\nclip = [\"idle\", \"walk\"]\n";
    fs::write(&suite, text).unwrap();
    let suite = suite.display().to_string();
    let run = sinew(["test", &suite]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1), "{text}");
    assert!(text.contains("passed  hero idle") && text.contains("failed  hero walk"), "{text}");
    let list = |arguments: [&str; 2]| stdout(["test", &suite, "--list", arguments[0], arguments[1]]);
    assert_eq!(
        (list(["--case", "hero"]), list(["--filter", "er"])),
        ("hero\n".to_owned(), "hero\n".to_owned())
    );
    assert!(refusal(["test", &suite, "--case", "her"]).contains("case \"her\" does not exist"));
    fs::write(Path::new(&suite), "version = 1\n\n[[check]]\nmodel = \"faulty.glb\"\nskip = [\"jerk\"]\n")
        .unwrap();
    let run = sinew(["test", &suite]);
    assert_eq!(run.status.code(), Some(0));
}
