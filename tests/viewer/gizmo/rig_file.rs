//! The rig file: edited limits are saved to it, and a reload keeps unsaved ones.

use std::f64::consts::PI;
use std::fs;

use glam::DVec3;
use sinew::asset::load;
use sinew::ik::Limit;
use sinew::rig;
use sinew::viewer::{Command, Session};
use sinew_testkit::{asset_path, folder};

use super::hinge;
use crate::support::{detected_session, mannequin_session, node, session_of};

/// Copies the arm and its rig to a folder and opens the arm. Returns the session and the path of the rig.
fn arm(folder: &std::path::Path) -> (Session, std::path::PathBuf) {
    for name in ["arm.glb", "arm.rig.toml"] {
        fs::copy(asset_path(name), folder.join(name)).unwrap();
    }
    (session_of(load(&folder.join("arm.glb")).unwrap()), folder.join("arm.rig.toml"))
}

#[test]
fn edited_rig_is_saved_with_its_comments() {
    let folder = folder("save-rig");
    let (_, path) = arm(&folder);
    let text = fs::read_to_string(&path).unwrap();
    let text =
        text.replace("[[joint]]\nnode = \"axis_3\"", "# The elbow.\n[[joint]]\nnode = \"axis_3\" # third");
    fs::write(&path, &text).unwrap();
    let mut session = session_of(load(&folder.join("arm.glb")).unwrap());
    assert!(!session.is_rig_changed());
    let limit = Limit::Hinge { axis: DVec3::X, min: -0.5 * PI, max: 0.25 * PI };
    let (elbow, gripper) = (node(&session, "axis_3"), node(&session, "gripper"));
    session.apply(Command::Limit(elbow, limit));
    session.apply(Command::Limit(gripper, Limit::Locked));
    session.apply(Command::Release);
    assert!(session.is_rig_changed());
    // Without permission, an existing file is not replaced.
    let error = session.save_rig(&folder, false).unwrap_err().to_string();
    assert!(error.ends_with("arm.rig.toml already exists"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(session.save_rig(&folder, true).unwrap(), path);
    assert!(!session.is_rig_changed());
    let saved = fs::read_to_string(&path).unwrap();
    assert!(saved.contains("# The elbow.\n") && saved.contains("\"axis_3\" # third"), "{saved}");
    // Unedited limits keep their formatting.
    assert!(saved.contains("limit = { kind = \"hinge\", axis = [0.0, 1.0, 0.0], min = -170, max = 170 }"));
    let reloaded = session_of(load(&folder.join("arm.glb")).unwrap());
    assert_eq!(reloaded.rig().joint(gripper).limit, Limit::Locked);
    let (_, min, max) = hinge(&reloaded, "axis_3");
    assert!((min + 0.5 * PI).abs() < 1e-7 && (max - 0.25 * PI).abs() < 1e-7);
    assert_eq!(
        reloaded.rig().joint(node(&reloaded, "axis_2")),
        session.rig().joint(node(&session, "axis_2"))
    );
    // The session may overwrite the file that it saved, but not if another program has changed the file since.
    session.apply(Command::Limit(gripper, Limit::Free));
    session.save_rig(&folder, false).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("locked"));
    fs::write(&path, "other = [").unwrap();
    session.apply(Command::Undo);
    let error = session.save_rig(&folder, true).unwrap_err().to_string();
    assert!(error.contains("arm.rig.toml: line 1") && !error.contains('\n'), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "other = [");
    assert!(session.is_rig_changed());
}

#[test]
fn rig_of_the_built_in_character_is_saved_under_a_free_name() {
    let folder = folder("save-own-rig");
    let mut session = mannequin_session();
    let joint = node(&session, "leftLowerArm");
    session.apply(Command::Limit(joint, Limit::Locked));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin.rig.toml"));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin-0001.rig.toml"));
    let text = fs::read_to_string(folder.join("mannequin.rig.toml")).unwrap();
    let saved = rig::file::read(&text, &session.puppet().character().skeleton).unwrap();
    assert_eq!(saved.joint(joint).limit, Limit::Locked);
    assert_eq!(saved.chains, session.rig().chains);
    assert!(text.starts_with("# Written by"), "{}", text.lines().next().unwrap_or_default());
}

#[test]
fn reload_keeps_an_unsaved_rig() {
    let (mut before, mut after) = (detected_session(), detected_session());
    after.take_over(&before, true);
    assert!(!after.is_rig_changed());
    let joint = node(&before, "leftLowerArm");
    before.apply(Command::Limit(joint, Limit::Locked));
    after.take_over(&before, true);
    assert!(after.is_rig_changed());
    assert_eq!(after.rig().joint(joint).limit, Limit::Locked);
}
