//! Tests of the inspector.

use crate::EyeTarget;
use crate::session::viewpoint::Viewpoint;

use super::*;

#[test]
fn panel_with_a_selected_hinge_matches_its_snapshot() {
    check("joint", selected("leftLowerArm"), Theme::Dark);
}

#[test]
fn panel_with_a_selected_cone_matches_its_snapshot() {
    check("cone", selected("leftUpperArm"), Theme::Light);
}

/// Returns the positions of the inspector's numbers. The timeline's numbers are below them.
fn numbers(harness: &Harness<'_>) -> Vec<egui::Pos2> {
    let fields = harness.get_all_by_role(egui::accesskit::Role::SpinButton);
    let centers = fields.map(|field| field.rect().center());
    centers.filter(|center| center.y < 600.0).collect()
}

/// Replaces a number of the inspector.
fn type_number(harness: &mut SnapshotHarness, field: usize, text: &str) {
    let at = numbers(harness)[field];
    harness.hover_at(at);
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.event(egui::Event::Text(text.into()));
    harness.key_press(egui::Key::Enter);
    harness.run();
}

#[test]
fn numbers_of_the_inspector_turn_and_pull_the_joint() {
    let mut before = selected("leftLowerArm");
    let node = before.session.selected().unwrap();
    before.session.apply(Command::RingMode(crate::RingMode { world: true, ..Default::default() }));
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.run();
    for (field, text) in [(0, "10"), (4, "1.2")] {
        type_number(&mut harness, field, text);
        let commands = std::mem::take(&mut state.borrow_mut().commands);
        match (field, &commands[..]) {
            (0, [.., Command::Turn(turned, _), Command::Release]) => assert_eq!(*turned, node),
            (4, [Command::GrabNode(point), Command::DragTo(to), ..]) => {
                assert!(point.node == node && (to.y - 1.2).abs() < 1e-6, "{commands:?}");
            }
            _ => panic!("{field}: {commands:?}"),
        }
    }
}

/// If several joints are selected, a number turns all of them equally.
#[test]
fn a_number_of_the_inspector_turns_all_selected_joints() {
    let mut before = selected("leftLowerArm");
    let elbow = before.session.selected().unwrap();
    let head = before.session.puppet.character().skeleton.find("head").unwrap();
    before.session.apply(Command::SelectAdd(head));
    before.session.apply(Command::Turn(head, glam::Quat::from_rotation_z(0.2)));
    before.session.apply(Command::Release);
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.run();
    harness.assert_snapshot("several-joints");
    type_number(&mut harness, 0, "10");
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let [.., Command::TurnJoints(turns), Command::Release] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(turns.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [head, elbow]);
}

/// A typed angle once stored the head's look-at rotation in the pose.
#[test]
fn a_typed_angle_does_not_contain_the_look_of_the_head() {
    let typed = |looks: bool| {
        let mut before = selected("head");
        if looks {
            let viewpoint = Viewpoint::of(&before.session.puppet).unwrap();
            let beside = viewpoint.eyes + viewpoint.forward + 0.5 * glam::Vec3::X;
            before.session.apply(Command::LookAt(EyeTarget::Point(beside.as_dvec3())));
        }
        let (mut harness, state) = panel(before, Theme::Dark);
        harness.run();
        type_number(&mut harness, 0, "10");
        let commands = std::mem::take(&mut state.borrow_mut().commands);
        let [.., Command::Turn(_, rotation), Command::Release] = commands[..] else { panic!("{commands:?}") };
        rotation
    };
    assert!(typed(true).angle_between(typed(false)) < 1e-2);
}

/// Every typed digit of a limb's pull was once a separate undo step.
#[test]
fn a_typed_pull_is_one_change() {
    let (mut harness, state) = panel(selected("leftLowerArm"), Theme::Dark);
    harness.run();
    // The pull comes after three angles and three coordinates.
    let at = numbers(&harness)[6];
    harness.hover_at(at);
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    for digit in ["0", ".", "7", "5"] {
        harness.event(egui::Event::Text(digit.into()));
        harness.run();
    }
    harness.key_press(egui::Key::Enter);
    harness.run();
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let pulls: Vec<_> = commands.iter().filter(|c| matches!(c, Command::Pull(..))).collect();
    assert!(matches!(pulls[..], [Command::Pull(_, pull)] if (pull - 0.75).abs() < 1e-6), "{commands:?}");
}
