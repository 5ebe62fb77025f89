//! Tests of saved files, of stepping through a folder, and of reloading.

use std::fs;
use std::time::Duration;

use glam::Vec2;
use sinew::asset::load;
use sinew::ik::{Limit, Method, SolverOption};
use sinew::render::{AdapterChoice, DecodedImages, Frame, Gpu, Renderer, ShadingMode};
use sinew::viewer::{Command, PoseFile, Session, neighbour};

use sinew_testkit::image;
use sinew_testkit::{asset_path, folder, mannequin};

use crate::support::{SIZE, at, detected_session, dragged_session, node, place};

#[test]
fn saved_image_equals_the_frame_and_replaces_no_file() {
    let folder = folder("save-image");
    let mut session = dragged_session();
    session.apply(Command::Resize(Vec2::new(200.0, 120.0)));
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
    let puppet = session.puppet();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    fs::write(folder.join("sinew-0001.png"), "other").unwrap();
    let saved = session.save_image(&mut renderer, &model, 1.0, &folder).unwrap();
    assert_eq!(saved, folder.join("sinew-0002.png"));
    assert_eq!(fs::read_to_string(folder.join("sinew-0001.png")).unwrap(), "other");
    let frame = Frame { ambient_occlusion: true, ..session.frame(1.0) };
    let frame = renderer.render(&[&model], &frame, (200, 120)).unwrap();
    let expected: Vec<u8> = frame.rgba.chunks_exact(4).flat_map(|p| p[..3].to_vec()).collect();
    assert_eq!(image::open(&saved).rgb(), expected);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "a temporary file was left behind");
}

#[test]
fn saved_pose_equals_the_current_pose() {
    let folder = folder("save-pose");
    let session = dragged_session();
    let json = session.save_pose(PoseFile::Json, &folder).unwrap();
    let second = session.save_pose(PoseFile::Json, &folder).unwrap();
    assert_eq!(
        (json.as_path(), second.as_path()),
        (&*folder.join("sinew-0001.json"), &*folder.join("sinew-0002.json"))
    );
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let hand = node(&session, "leftHand");
    let world = session.puppet().world_from_node()[hand].translation;
    let written = &value["nodes"][hand];
    assert_eq!(written["name"], "leftHand");
    for axis in 0..3 {
        let saved = written["world"][12 + axis].as_f64().unwrap();
        assert!((saved - f64::from(world[axis])).abs() < 1e-6, "{saved} {world}");
    }
    assert_eq!(value["reports"].as_array().unwrap().len(), session.reports().len());
    let copy = load(&session.save_pose(PoseFile::Glb, &folder).unwrap()).unwrap();
    let posed = Session::new(copy, None, SIZE);
    assert!(place(&posed, "leftHand").distance(world.into()) < 1e-5);
}

#[test]
fn failed_save_names_the_path_and_writes_nothing() {
    let folder = folder("save-nowhere");
    let missing = folder.join("missing");
    let error = detected_session().save_pose(PoseFile::Json, &missing).unwrap_err().to_string();
    assert!(error.contains("missing") && !error.contains('\n'), "{error}");
    assert!(!missing.exists());
}

#[test]
fn stepping_through_a_folder_goes_both_ways_and_wraps_around() {
    let folder = folder("neighbours");
    for name in ["b.glb", "a.GLTF", "c.vrm", "notes.txt"] {
        fs::write(folder.join(name), "").unwrap();
    }
    fs::create_dir(folder.join("d.glb")).unwrap();
    let step = |from: &str, forward| neighbour(&folder.join(from), forward).unwrap();
    let named = |name: &str| Some(folder.join(name));
    assert_eq!(
        [step("a.GLTF", true), step("b.glb", true), step("c.vrm", true)],
        [named("b.glb"), named("c.vrm"), named("a.GLTF")]
    );
    assert_eq!([step("a.GLTF", false), step("b.glb", false)], [named("c.vrm"), named("a.GLTF")]);
    assert_eq!(step("bb.glb", true), named("c.vrm"), "the current file may be missing");
    fs::remove_file(folder.join("b.glb")).unwrap();
    fs::remove_file(folder.join("c.vrm")).unwrap();
    assert_eq!(step("a.GLTF", true), None);
    assert!(neighbour(&folder.join("missing/x.glb"), true).is_err());
}

#[test]
fn reload_keeps_camera_pose_and_options() {
    let mut before = dragged_session();
    before.apply(Command::Release);
    before.apply(Command::Orbit(Vec2::new(50.0, 10.0)));
    before.apply(Command::Clip(Some(0)));
    before.apply(Command::Tick(Duration::from_millis(250)));
    let mut after = detected_session();
    assert_ne!(
        (after.camera().position, after.puppet().pose()),
        (before.camera().position, before.puppet().pose())
    );
    after.take_over(&before, true);
    assert_eq!(
        (after.camera().position, after.puppet().pose()),
        (before.camera().position, before.puppet().pose())
    );
    assert!(after.is_playing());
    // Undo the clip changes and the drag before them.
    after.apply(Command::Clip(None));
    (0..3).for_each(|_| after.apply(Command::Undo));
    assert_eq!(after.puppet().pose(), detected_session().puppet().pose(), "undo must work across the reload");
    let mut other = detected_session();
    other.take_over(&before, false);
    assert_eq!(other.puppet().pose(), detected_session().puppet().pose());
}

#[test]
fn undo_after_a_reload_keeps_the_new_rig() {
    let mut before = dragged_session();
    before.apply(Command::Release);
    let joint = node(&before, "leftLowerArm");
    let mut rig = before.rig().clone();
    rig.joints.entry(joint).or_default().limit = Limit::Locked;
    let mut after = Session::new(mannequin(), Some(rig), SIZE);
    after.take_over(&before, true);
    assert_eq!(after.rig().joint(joint).limit, Limit::Locked);
    after.apply(Command::Undo);
    assert_eq!(after.rig().joint(joint).limit, Limit::Locked, "the rig file takes precedence");
}

/// The options of a rig belong to its character. Options that the user has changed are kept for the next one.
#[test]
fn solver_options_of_a_rig_apply_to_its_character_only() {
    let rigged = |texts: &[&str]| {
        let mut rig = detected_session().rig().clone();
        for text in texts {
            let (option, value) = SolverOption::parse_assignment(text).unwrap();
            rig.options.set(option, value).unwrap();
        }
        Session::new(mannequin(), Some(rig), SIZE)
    };
    let set = |session: &mut Session, solver: &str| {
        session.apply(serde_json::from_str(&format!("{{\"solver\":{solver}}}")).unwrap());
    };
    // A drag reveals the options that a session uses.
    let options = |session: &mut Session| {
        session.apply(Command::Grab(at(session, "leftHand")));
        session.apply(Command::Drag(at(session, "leftHand") + Vec2::new(-5.0, -5.0)));
        session.apply(Command::Cancel);
        let options = session.puppet().options.solver;
        (options.method, options.iterations, options.restarts)
    };
    let mut first = rigged(&["method=ccd", "iterations=7"]);
    assert_eq!(options(&mut first), (Method::Ccd, 7, 0));
    set(&mut first, r#"{"method":"ccd","iterations":7,"restarts":3}"#);
    let mut second = rigged(&["iterations=9"]);
    second.take_over(&first, false);
    assert_eq!(options(&mut second), (Method::Auto, 9, 3));
    // Reloading keeps the user's changes, unless the file has a new value.
    set(&mut first, r#"{"method":"dls","iterations":8}"#);
    let mut same = rigged(&["method=ccd", "iterations=7"]);
    same.take_over(&first, true);
    assert_eq!(options(&mut same), (Method::Dls, 8, 8));
    let mut edited = rigged(&["method=ccd", "iterations=11"]);
    edited.take_over(&first, true);
    assert_eq!(options(&mut edited), (Method::Dls, 11, 8));
}

#[test]
fn morph_weight_drag_is_one_undo_step() {
    let mut session = Session::new(load(&asset_path("awkward.glb")).unwrap(), None, SIZE);
    let before = session.puppet().pose().weights.clone();
    assert_eq!(before.len(), 2);
    // Apply the commands that a slider sends during a drag.
    for step in 1..=5_u8 {
        session.apply(Command::Morph(0, f32::from(step) * 0.1));
    }
    session.apply(Command::Morph(1, 0.7));
    session.apply(Command::Undo);
    assert_eq!(session.puppet().pose().weights, [0.5, before[1]]);
    session.apply(Command::Undo);
    assert_eq!(session.puppet().pose().weights, before);
}
