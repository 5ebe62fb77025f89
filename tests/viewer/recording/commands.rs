//! The text of commands in a recording: every command is read back exactly, and `docs/session.md` describes it.

use std::fs;

use glam::{DVec3, EulerRot, Quat, Vec2, Vec3};
use proptest::prelude::*;
use sinew::asset::Transform;
use sinew::ik::{AxesFrame, AxisTerm, GoalAxes, Limit, Method, Options, Swivel, Tolerance};
use sinew::motion::Easing;
use sinew::puppet::Target;
use sinew::render::ShadingMode;
use sinew::skin::Skinning;
use sinew::viewer::{
    Axis, Command, Display, DragScope, Input, NodePoint, Recorder, RingMode, StyleSource, Timeline,
};
use sinew_testkit::folder;

use super::blended;
use crate::support::{at, drag, evening, mannequin_session};

/// Returns axes in which no value is the default.
fn every_axis() -> GoalAxes {
    let infinite = DVec3::new(0.1, f64::INFINITY, 1e-300);
    let position =
        AxisTerm { weights: DVec3::new(1.0 / 3.0, 0.0, 2.0), tolerance: Some(Tolerance::Axes(infinite)) };
    let orientation = AxisTerm { weights: DVec3::Y, tolerance: Some(Tolerance::Norm(0.1)) };
    GoalAxes { frame: AxesFrame::Target, position, orientation }
}

/// Returns an example of every command.
fn every_command() -> Vec<Command> {
    let position = Vec2::new(640.25, 0.1);
    let mut options = Options::default().with_method(Method::TwoBone).with_tolerance(1.0 / 3.0);
    options.ccd.step = 0.1;
    options.limb.swivel = Swivel::Follow { at_base: 0.1, slope: DVec3::new(0.1, -0.0, 1e-300) };
    let mut posed = mannequin_session();
    let mut input = Input::default();
    posed.apply(Command::KeepGoals(true));
    let hand = at(&posed, "leftHand");
    drag(&mut posed, &mut input, hand, Vec2::new(-50.0, -40.0));
    posed.apply(Command::Release);
    posed.apply(Command::Pin);
    let path = folder("session-stand").join("a.session");
    posed.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    posed.stop_recording().unwrap().unwrap();
    let text = fs::read_to_string(path).unwrap();
    let recorded = |kind: &str| {
        let line = text.lines().find(|l| l.contains(kind)).unwrap();
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        // Parse the original text, because converting to `Value` first could change numbers.
        let start = line.find("\"do\":").unwrap() + 5;
        assert!(value["do"].is_object());
        // The file contains names, while commands contain indices.
        let mut command = line[start..line.len() - 1].to_owned();
        for (index, node) in posed.puppet().character().skeleton.nodes.iter().enumerate() {
            let name = node.name.as_deref().unwrap();
            for end in [",", "}", "]"] {
                command = command.replace(&format!("\"{name}\"{end}"), &format!("{index}{end}"));
            }
        }
        serde_json::from_str::<Command>(&command).unwrap()
    };
    vec![
        Command::Resize(position),
        Command::Hover(position),
        Command::Grab(position),
        Command::GrabSelected(position),
        Command::GrabSelection(position),
        Command::GrabNode(NodePoint { node: 12, offset: DVec3::new(0.0, 1.0 / 3.0, -1e-300) }),
        Command::Drag(position),
        Command::DragTo(DVec3::new(0.1, 1.0 / 3.0, -1e-300)),
        Command::Push(-1.5),
        Command::Constrain(Axis::Y),
        Command::Snap(true),
        Command::DragScope(DragScope::Limb),
        Command::CurrentScope(DragScope::Body),
        Command::Symmetry(true),
        Command::Release,
        Command::Cancel,
        Command::Orbit(position),
        Command::Pan(position),
        Command::Zoom(position, 0.1),
        Command::Center(position),
        Command::FrameAll,
        Command::Pin,
        Command::PinNode(12),
        Command::Base,
        Command::Rest(false),
        Command::Turn(9, Quat::from_rotation_y(0.3)),
        Command::RestAll,
        Command::ResetJoint,
        Command::ResetLimb,
        Command::MirrorPose,
        Command::MirrorLimb,
        Command::SetPose(vec![(9, Transform { translation: Vec3::Y, ..Transform::IDENTITY })], vec![0.5]),
        Command::BlendPose(vec![(2, Transform::IDENTITY)], vec![], 0.25),
        Command::Undo,
        Command::Redo,
        Command::Select(Some(3)),
        Command::SelectAdd(4),
        Command::SelectRemove(4),
        Command::Highlight(None),
        Command::Limit(8, Limit::Hinge { axis: DVec3::X, min: -0.1, max: 1.0 / 3.0 }),
        Command::Limit(8, Limit::Free),
        Command::Limit(8, Limit::Euler { order: EulerRot::YXZ, min: [-1.0; 3], max: [0.5; 3] }),
        Command::RingMode(RingMode { alone: true, world: false }),
        Command::KeyJointsMove(vec![9, 10], 0.5, 1.25),
        Command::KeyJointsCopy(vec![9], 0.5, 1.25),
        Command::KeyJointsDelete(vec![], 0.5),
        Command::TurnJoints(vec![(9, Quat::from_rotation_y(0.3)), (10, Quat::IDENTITY)]),
        Command::Bone("leftHand".into(), Some(20)),
        Command::Style(StyleSource::Clips(Some("walk".into()))),
        Command::Style(StyleSource::Learned { learned: None }),
        Command::Pull(20, 0.25),
        Command::OnionSkin(sinew::viewer::OnionSkin { shown: true, count: 3, step: 0.1 }),
        Command::Light(evening()),
        Command::Timeline(Timeline { frame_rate: 24.0, frames: false, snap: false, range: Some([0.5, 2.0]) }),
        Command::Tool(sinew::viewer::Tool::Pull),
        Command::Springs(false),
        Command::Framing(sinew::view::Framing::Tight),
        Command::LookAt(sinew::viewer::EyeTarget::Point(DVec3::new(0.1, 1.5, 2.0))),
        Command::Scale(1.25),
        Command::Solver(Box::new(options)),
        Command::StoreOptions,
        Command::Compare(vec![Method::Ccd, Method::TwoBone]),
        Command::KeepGoals(true),
        Command::Landing(false),
        Command::ShowLimits(true),
        Command::ClearGoals,
        Command::RemoveGoal(20),
        Command::GoalWeight(20, 1.0 / 3.0),
        Command::Step(Some(12)),
        Command::Step(None),
        Command::GoalAxes(20, every_axis()),
        Command::Clip(Some(1)),
        Command::Clip(None),
        Command::Motion(Box::new(blended())),
        Command::Key,
        Command::KeyMove(0.5, 1.25),
        Command::KeyCopy(0.5, 1.25),
        Command::KeyDelete(0.1),
        Command::KeyEasing(0.5, Easing::Stepped),
        Command::PlantKeys,
        Command::AddContact(9),
        Command::KeyGoal(9),
        Command::AutoKey(true),
        Command::Duration(Some(2.5)),
        Command::Duration(None),
        Command::Play(true),
        Command::Seek(0.1),
        Command::Speed(f32::MIN_POSITIVE),
        Command::Looping(false),
        Command::Morph(2, 0.3),
        Command::LivePose(vec![(9, Transform { translation: Vec3::Y, ..Transform::IDENTITY })], vec![]),
        Command::LiveGoals(vec![Target::new(9).with_position(DVec3::Y)]),
        Command::BlendPose(
            vec![(9, Transform { translation: Vec3::Y, ..Transform::IDENTITY })],
            vec![0.5],
            0.25,
        ),
        Command::ShadingMode(ShadingMode::Lambert),
        Command::Variant(Some("red".into())),
        Command::Variant(None),
        Command::Skinning(Skinning::DualQuaternion),
        Command::Props(vec![
            serde_json::from_str(r#"{"file":"a/cup.glb","node":"leftHand","part":"mug","degrees":[0,90,0]}"#)
                .unwrap(),
        ]),
        Command::Display(Display {
            skeleton: true,
            names: false,
            ground: true,
            shadow: false,
            follow: false,
        }),
        recorded("\"camera\""),
        recorded("restore"),
        serde_json::from_str(r#"{"add-clips":{"file":"a/b.csv","fingerprint":"crc32:0","name":"take 1"}}"#)
            .unwrap(),
    ]
}

/// Returns the name by which a command appears in session files.
fn name(command: &Command) -> String {
    match serde_json::to_value(command).unwrap() {
        serde_json::Value::String(name) => name,
        value => value.as_object().unwrap().keys().next().unwrap().clone(),
    }
}

#[test]
fn every_command_round_trips_and_is_documented() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/session.md")).unwrap();
    let commands = every_command();
    // The error message lists all commands.
    let error = serde_json::from_str::<Command>("\"no such command\"").unwrap_err().to_string();
    let names: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
    assert!(names.len() > 30, "{error}");
    for known in names {
        assert!(commands.iter().any(|c| name(c) == known), "`every_command` has no example of {known}");
        let row = page.lines().any(|l| {
            l.starts_with(&format!("| `\"{known}\"")) || l.starts_with(&format!("| `{{\"{known}\""))
        });
        assert!(row, "docs/session.md does not describe {known}");
    }
    for command in commands {
        let text = serde_json::to_string(&command).unwrap();
        let back: Command = serde_json::from_str(&text).unwrap();
        // Also compare the debug texts, because 0 and −0 are equal as numbers but not as texts.
        assert_eq!((format!("{command:?}"), command), (format!("{back:?}"), back), "{text}");
    }
    // Every example on the page is valid.
    let is_command = |row: &&str| row.starts_with("| `\"") || row.starts_with("| `{");
    for row in page.lines().filter(is_command) {
        let example = row.split('`').nth(1).unwrap();
        assert!(serde_json::from_str::<Command>(example).is_ok(), "{example}");
    }
}

#[test]
fn options_omit_defaults_and_reject_unknown_keys() {
    let defaults = Command::Solver(Box::default());
    assert_eq!(serde_json::to_string(&defaults).unwrap(), r#"{"solver":{}}"#);
    let mut options = Options::default().with_method(Method::Ccd);
    options.ccd.budget = 0.25;
    let text = serde_json::to_string(&Command::Solver(Box::new(options))).unwrap();
    assert_eq!(text, r#"{"solver":{"ccd":{"budget":0.25},"method":"ccd"}}"#);
    let read = |text: &str| serde_json::from_str::<Command>(text);
    let infinite = read(r#"{"solver":{"ccd":{"step":null}}}"#).unwrap();
    assert_eq!(infinite, defaults);
    // An option may be given by its dotted key, and its value may be text with a unit.
    let dotted = r#"{"solver":{"ccd.budget":0.25,"ccd.step":null,"method":"ccd"}}"#;
    assert_eq!(read(dotted).unwrap(), Command::Solver(Box::new(options)));
    options.ccd.step = 5_f64.to_radians();
    options.limb.swivel = Swivel::Follow { at_base: 0.1, slope: DVec3::new(0.0, 0.0, 0.4) };
    let units = r#"{"solver":{"ccd.step":"5deg","ccd":{"budget":0.25},"method":"ccd","limb.swivel":"follow:0.1,0,0,0.4"}}"#;
    assert_eq!(read(units).unwrap(), Command::Solver(Box::new(options)));
    for invalid in [
        r#"{"solver":{"ccd.stop":1}}"#,
        r#"{"solver":{"ccd.step":-1}}"#,
        r#"{"solver":{"ccd.step":[1]}}"#,
        r#"{"solver":{"iteration":3}}"#,
        r#"{"solver":{"ccd":{"stop":1}}}"#,
        r#"{"solver":{"stiffness":"soft"}}"#,
        r#"{"drag":[1,2,3]}"#,
        r#"{"tick":1}"#,
    ] {
        assert!(read(invalid).is_err(), "{invalid}");
    }
}

proptest! {
    #[test]
    fn floats_round_trip_exactly(x in any::<f32>(), y in any::<f32>(), z in any::<f64>()) {
        prop_assume!(x.is_finite() && y.is_finite() && z.is_finite());
        let Command::Zoom(position, steps) = serde_json::from_str(
            &serde_json::to_string(&Command::Zoom(Vec2::new(x, y), x)).unwrap()
        ).unwrap() else { panic!() };
        prop_assert_eq!([position.x, position.y, steps].map(f32::to_bits), [x, y, x].map(f32::to_bits));
        let mut options = Options::default();
        options.particle.stiffness = z;
        let text = serde_json::to_string(&Command::Solver(Box::new(options))).unwrap();
        let Command::Solver(back) = serde_json::from_str(&text).unwrap() else { panic!() };
        prop_assert_eq!(back.particle.stiffness.to_bits(), z.to_bits());
    }
}
