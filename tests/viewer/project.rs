//! Projects: a saved session is restored completely, and a mistake in the file is reported with its line.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::{DVec3, Quat, Vec2, Vec3};
use proptest::prelude::*;
use sinew::asset;
use sinew::export::bake::Source;
use sinew::ik::{AxesFrame, AxisTerm, GoalAxes, Limit, Method, Options, Tolerance};
use sinew::motion::{
    Contact, Easing, Edit, GoalKey, Layer, Motion, PoseKey, RootMotion, Strip, WeightedClip,
};
use sinew::render::ShadingMode;
use sinew::skin::Skinning;
use sinew::viewer::{Command, Display, DragScope, Input, ReplayError, RingMode, SaveError, Session};
use sinew_testkit::{asset_path, folder, in_repository};

use crate::support::{
    drag_joint, evening, largest_distance, mannequin_session, node, place, replay, session_of,
};

fn open(path: &Path) -> Result<Session, ReplayError> {
    Ok(replay(path)?.into_session())
}

/// Saves a session twice: as it is, and after reopening it. Returns both texts and the opened session.
fn reopened(session: &mut Session, path: &Path) -> ([String; 2], Session) {
    session.save_project(path, true).unwrap();
    let first = fs::read_to_string(path).unwrap();
    let mut opened = open(path).unwrap();
    assert!(session.is_saved() && opened.is_saved() && opened.project() == Some(path));
    opened.save_project(path, true).unwrap();
    ([first, fs::read_to_string(path).unwrap()], opened)
}

fn motion() -> Motion {
    let clips = vec![WeightedClip { clip: 0, weight: 0.25 }, WeightedClip { clip: 1, weight: 0.1 }];
    let turns = vec![(3, Vec3::new(0.1, -1.0 / 3.0, 2.0)), (9, Vec3::X)];
    let edit = Edit { time: 0.5, before: 0.2, after: 0.1, turns, shifts: vec![(1, Vec3::Y / 7.0)] };
    let rotation = Quat::from_rotation_z(1.0 / 3.0);
    let local = asset::Transform { rotation, translation: Vec3::splat(0.1), scale: Vec3::splat(1.1) };
    let stepped = PoseKey {
        time: 0.1,
        easing: Easing::Stepped,
        easings: vec![(4, Easing::Linear)],
        joints: vec![(4, local)],
        morphs: vec![],
        partial: true,
    };
    let keys = vec![stepped, PoseKey { time: 1.0 / 3.0, ..PoseKey::default() }];
    let layer = Layer { clip: 1, weight: 0.3, additive: true, mask: vec![4, 9], speed: 1.5 };
    let blend = Strip { clips, looping: true, seconds: Some(3.1), speed: -0.7, ..Strip::new(0) };
    let last =
        Strip { start: 3.0, from: 0.1, root_motion: RootMotion::InPlace, mirror: true, ..Strip::new(2) };
    Motion {
        strips: vec![blend, last],
        layers: vec![layer],
        edits: vec![edit],
        plant: true,
        keys,
        contacts: vec![Contact {
            node: 4,
            point: Vec3::new(0.1, -1.0 / 3.0, 0.0),
            from: 0.1,
            to: 2.0 / 3.0,
            slides: false,
            on: Some(1),
        }],
        goals: vec![GoalKey {
            node: 7,
            time: 2.0 / 3.0,
            position: Vec3::new(0.1, -1.0 / 3.0, 0.0),
            orientation: Some(Quat::from_rotation_y(0.3)),
            weight: 1.0 / 3.0,
            easing: Easing::Linear,
            on: Some(1),
        }],
        duration: Some(4.7),
        // The mannequin has no node above its hips.
        root_node: None,
    }
}

/// Returns a session in which nothing has its default value.
fn full(input: &mut Input) -> Session {
    let mut session = mannequin_session();
    let [hand, foot, knee] = ["leftHand", "rightFoot", "leftLowerLeg"].map(|name| node(&session, name));
    let mut options = session_options().with_method(Method::FullBody);
    options.ccd.step = 1.0 / 3.0;
    session.apply(Command::Solver(Box::new(options)));
    session.apply(Command::KeepGoals(true));
    drag_joint(&mut session, input, "leftHand", Vec2::new(-50.0, -40.0));
    session.apply(Command::Release);
    let term = AxisTerm {
        weights: DVec3::new(1.0 / 3.0, 0.0, 2.0),
        tolerance: Some(Tolerance::Axes(DVec3::new(0.1, f64::INFINITY, 1.0))),
    };
    let axes = GoalAxes { frame: AxesFrame::World, position: term, ..GoalAxes::default() };
    for command in [
        Command::GoalAxes(hand, axes),
        Command::GoalWeight(hand, 1.0 / 3.0),
        Command::PinNode(foot),
        Command::Limit(knee, Limit::Hinge { axis: DVec3::X, min: 0.0, max: 0.5 }),
        Command::Limit(hand, Limit::Free),
        Command::Select(Some(knee)),
        Command::SelectAdd(foot),
        Command::Symmetry(true),
        Command::AutoKey(true),
        Command::DragScope(DragScope::Limb),
        Command::RingMode(RingMode { alone: true, world: true }),
        Command::Pull(hand, 0.25),
        Command::OnionSkin(sinew::viewer::OnionSkin { shown: true, count: 3, step: 0.1 }),
        Command::Light(evening()),
        Command::Tool(sinew::viewer::Tool::Pull),
        Command::Springs(false),
        Command::LookAt(sinew::viewer::EyeTarget::Point(DVec3::new(0.1, 1.5, 2.0))),
        Command::Compare(vec![Method::Ccd, Method::TwoBone]),
        Command::ShadingMode(ShadingMode::Lambert),
        Command::Skinning(Skinning::DualQuaternion),
        Command::Display(Display { skeleton: true, names: true, ground: false, shadow: false, follow: true }),
        Command::Camera(session.home_view().with_other_projection()),
        Command::Orbit(Vec2::new(31.0, 17.0)),
        Command::Motion(Box::new(motion())),
        Command::Looping(false),
        Command::Speed(0.5),
        Command::Seek(0.3),
    ] {
        session.apply(command);
    }
    session
}

fn session_options() -> Options {
    Options::default().with_restarts(0).with_record(true).with_start(sinew::ik::Start::Continue)
}

#[test]
fn a_project_restores_everything() {
    let path = folder("project").join("all.sinew");
    let mut input = Input::default();
    let mut session = full(&mut input);
    let ([first, second], opened) = reopened(&mut session, &path);
    assert_eq!(first, second);
    for key in [
        "[view]",
        "projection = \"orthographic\"",
        "follow = true",
        "light = \"outdoor\"",
        "light_rotation",
        "exposure",
        "tone_map = \"agx\"",
        "[solver",
        "compare",
        "joints",
        "limits",
        "[[goal]]",
        "axes",
        "[[pin]]",
        "edit.turn",
        "\"#4\"",
    ] {
        assert!(first.contains(key), "{key} is missing in\n{first}");
    }
    // The goals are solved again.
    assert!(largest_distance(&session, &opened) < 1e-3, "{}", largest_distance(&session, &opened));
    assert_eq!(session.camera(), opened.camera());
    assert_eq!(opened.settings().light, evening());
    assert_eq!(session.puppet().motion, opened.puppet().motion);
    assert_eq!(opened.selection(), session.selection());
    assert_eq!((opened.settings().symmetry, opened.settings().auto_key), (true, true));
    assert_eq!(opened.puppet().motion.keys.len(), 2);
}

#[test]
fn a_new_project_is_short_and_an_existing_file_is_kept() {
    let path = folder("project-new").join("new.sinew");
    let ([first, second], _) = reopened(&mut mannequin_session(), &path);
    assert_eq!(first, second);
    assert!(first.lines().count() < 24 && !first.contains("[pose"), "{first}");
    let refused = mannequin_session().save_project(&path, false).unwrap_err();
    assert!(matches!(refused, SaveError::Exists { .. }), "{refused}");
    let beyond = mannequin_session().save_project(&path.join("beyond.sinew"), true).unwrap_err();
    assert!(beyond.to_string().contains("beyond.sinew"), "{beyond}");
    assert_eq!(fs::read_to_string(&path).unwrap(), second);
}

/// The folders of a project and of its files can be moved together.
#[test]
fn files_are_found_relative_to_the_project() {
    let top = folder("project-files");
    let part = |name: &str| {
        let folder = top.join(name);
        fs::create_dir_all(folder.join("work")).unwrap();
        fs::create_dir_all(folder.join("models")).unwrap();
        folder
    };
    let (before, after) = (part("before"), part("after"));
    fs::copy(asset_path("awkward.glb"), before.join("models/awkward.glb")).unwrap();
    fs::copy(in_repository("tests/suite/hail.bvh"), before.join("models/hail.bvh")).unwrap();
    let mut session = session_of(asset::load(&before.join("models/awkward.glb")).unwrap());
    let file = before.join("models/hail.bvh");
    let addition = session.addition(&file, Arc::new(Source::load(&file).unwrap()), true).unwrap();
    let own = session.puppet().character().clips.len();
    session.apply(Command::AddClips(Box::new(addition)));
    session.apply(Command::Clip(Some(own)));
    session.apply(Command::Seek(0.25));
    let path = before.join("work/walk.sinew");
    let ([first, second], _) = reopened(&mut session, &path);
    assert_eq!(first, second);
    assert!(first.contains("character = \"../models/awkward.glb\""), "{first}");
    for part in ["models/awkward.glb", "models/hail.bvh", "work/walk.sinew"] {
        fs::rename(before.join(part), after.join(part)).unwrap();
    }
    let opened = open(&after.join("work/walk.sinew")).unwrap();
    assert_eq!(opened.puppet().motion, session.puppet().motion);
    assert!(largest_distance(&session, &opened) < 1e-6);
}

#[test]
fn goals_without_a_motion_are_met_and_reported() {
    let path = folder("project-goals").join("goal.sinew");
    fs::write(&path, "version = 1\n[[goal]]\nnode = \"leftHand\"\nposition = [0.3, 1.2, 0.4]\n").unwrap();
    let session = open(&path).unwrap();
    assert!(session.reports().iter().all(|r| r.position_error.unwrap() < 1e-3), "{:?}", session.reports());
    let at = place(&session, "leftHand");
    assert!(at.distance(Vec3::new(0.3, 1.2, 0.4)) < 1e-3, "{at}");
}

/// Another program, or a second window, has changed the file in the meantime.
#[test]
fn a_project_that_was_changed_by_others_is_not_replaced() {
    let folder = folder("project-changed");
    let mut session = mannequin_session();
    let first = session.save(&folder).unwrap();
    assert_eq!(first, folder.join("mannequin.sinew"));
    assert_eq!(session.save(&folder).unwrap(), first);
    let changed = format!("{}# a comment\n", fs::read_to_string(&first).unwrap());
    fs::write(&first, &changed).unwrap();
    let second = session.save(&folder).unwrap();
    assert!(second != first && session.project() == Some(&*second));
    assert_eq!(fs::read_to_string(&first).unwrap(), changed);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let path = folder("project-mistakes").join("wrong.sinew");
    let cases = [
        ("version = 2", 1, "version must be 1"),
        ("version = 1\nfoo = 3", 2, "unknown key \"foo\""),
        ("version = 1\n[pose]\nbase = \"nobody\"", 3, "node \"nobody\" does not exist"),
        ("version = 1\n[pose.joints]\nhips = { rotation = [0, 0, 0, 2] }", 3, "quaternion of length 1"),
        ("version = 1\n[pose]\nmorphs = [1, 2]", 3, "morphs must be a list of"),
        ("version = 1\n[view]\nshading = \"pink\"", 3, "shading: unknown variant `pink`"),
        ("version = 1\n[solver]\ncompare = [\"best\"]", 3, "compare: unknown variant `best`"),
        ("version = 1\n[[goal]]\nposition = [0, 1, 0]", 3, "node is missing"),
        ("version = 1\n[[motion.strip]]\nclips = \"dance\"", 3, "animation \"dance\" does not exist"),
        ("version = 1\n[[clips]]\nfile = \"none.bvh\"", 2, "none.bvh"),
        ("version = 1\n[rig.limits]\nhips = { kind = \"hinge\" }", 3, "axis is missing"),
        ("version = 1\n[view]\nyaw = 3", 3, "yaw needs distance"),
        (
            "version = 1\n[view]\ntarget = [0, 1, 0]\npitch = 91\nradius = 1\ndistance = 2",
            6,
            "the camera is invalid",
        ),
        ("version = 1\n[view", 2, ""),
    ];
    for (text, line, cause) in cases {
        fs::write(&path, text).unwrap();
        let error = open(&path).map(|_| ()).unwrap_err().to_string();
        let start = format!("{}: line {line}: ", path.display());
        assert!(
            error.starts_with(&start) && error.contains(cause) && !error.contains('\n'),
            "{text}\n{error}"
        );
    }
    fs::remove_file(&path).unwrap();
    assert!(open(&path).map(|_| ()).unwrap_err().to_string().contains("wrong.sinew"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// After any drags of hands, feet and hips, saving the reopened session produces the same text.
    #[test]
    fn a_saved_session_is_saved_the_same_again(
        moves in prop::collection::vec((0..3_usize, -0.4..0.4_f64, -0.4..0.4_f64, any::<bool>()), 1..5),
    ) {
        let has_goals = moves.iter().any(|(.., keep)| *keep);
        let path = folder("project-random").join("random.sinew");
        let mut session = mannequin_session();
        for (which, x, y, keep) in moves {
            let name = ["leftHand", "rightFoot", "hips"][which];
            let node = node(&session, name);
            let from = session.puppet().world_from_node()[node].translation.as_dvec3();
            session.apply(Command::KeepGoals(keep));
            session.apply(Command::GrabNode(sinew::viewer::NodePoint { node, offset: DVec3::ZERO }));
            session.apply(Command::DragTo(from + DVec3::new(x, y, 0.1)));
            session.apply(Command::Release);
        }
        let ([first, second], opened) = reopened(&mut session, &path);
        prop_assert_eq!(first, second);
        // Kept goals are solved again.
        prop_assert!(has_goals || largest_distance(&session, &opened) < 1e-6, "{}", largest_distance(&session, &opened));
    }
}

/// A selected joint once left an empty table in the compared text, so a click was saved automatically.
#[test]
fn a_selection_is_not_unsaved_work() {
    let mut session = mannequin_session();
    session.save_project(&folder("project-selection").join("man.sinew"), true).unwrap();
    session.apply(Command::Select(Some(4)));
    session.apply(Command::SelectAdd(7));
    assert!(session.is_saved());
    session.apply(Command::PinNode(4));
    assert!(!session.is_saved());
}
