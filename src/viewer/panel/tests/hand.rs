//! Tests of the poses of hands.

use crate::asset::load;
use crate::pose::Pose;
use crate::rig::Hand;

use crate::Prop;
use crate::session::hand::ActiveHands;

use super::*;

#[test]
fn panel_with_a_selected_hand_matches_its_snapshot() {
    check("hand", selected("leftHand").of_height(TALL), Theme::Dark);
}

/// Returns the curls of all fingers of the left and of the right hand.
fn curls(session: &Session) -> [Vec<f64>; 2] {
    let (skeleton, rig) = (&session.puppet.character().skeleton, &session.puppet.rig);
    let hands: Vec<Hand> =
        rig.body.as_ref().unwrap().arms().map(|arm| Hand::new(skeleton, rig, arm).unwrap()).collect();
    let pose = session.puppet.primary_pose();
    [0, 1].map(|side| {
        let hand = &hands[side];
        (0..hand.fingers().len()).map(|finger| hand.curl(skeleton, pose, finger)).collect()
    })
}

/// Applies the issued commands, as the window does.
fn apply(state: &RefCell<TestPanel>) {
    let state = &mut *state.borrow_mut();
    for command in std::mem::take(&mut state.commands) {
        state.session.apply(command);
    }
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3)
}

/// The curls of a pointing hand's fingers. The thumb is left out because its limit stops it.
const POINT: [f64; 4] = [0.0, 1.0, 1.0, 1.0];

/// A button poses only the selected arm's hand. Pressing the button twice has the same effect as pressing it once, and both presses can be
/// undone.
#[test]
fn a_button_poses_the_fingers_of_the_selected_arm() {
    let (mut harness, state) = panel(selected("leftLowerArm").of_height(TALL), Theme::Dark);
    harness.run();
    // Untouched sliders change nothing.
    assert!(state.borrow().commands.is_empty(), "{:?}", state.borrow().commands);
    let rest = curls(&state.borrow().session);
    let mut once: Option<Pose> = None;
    for _ in 0..2 {
        harness.get_by_label("Point").click();
        harness.run();
        apply(&state);
        harness.run();
        let session = &state.borrow().session;
        let now = curls(session);
        assert!(close(&now[0][1..], &POINT) && close(&now[1], &rest[1]), "{now:?}");
        let before = once.replace(session.puppet.primary_pose().clone());
        assert!(before.is_none_or(|before| before == *session.puppet.primary_pose()));
    }
    for _ in 0..2 {
        state.borrow_mut().session.apply(Command::Undo);
    }
    assert_eq!(curls(&state.borrow().session), rest);
}

#[test]
fn symmetric_edits_pose_both_hands_and_are_keyed() {
    let mut before = selected("rightUpperArm").of_height(TALL);
    before.session.apply(Command::Symmetry(true));
    before.session.apply(Command::AutoKey(true));
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.run();
    harness.get_by_label("BOTH HANDS");
    harness.get_by_label("Point").click();
    harness.run();
    apply(&state);
    let session = &state.borrow().session;
    let now = curls(session);
    assert!(close(&now[0][1..], &POINT) && close(&now[1][1..], &POINT), "{now:?}");
    assert_eq!(session.document.scene.motion.keys.len(), 1);
}

/// A slider drag is one undo step and changes only its finger.
#[test]
fn a_drag_of_a_slider_is_one_undo_step() {
    let (mut harness, state) = panel(selected("leftHand").of_height(TALL), Theme::Dark);
    harness.run();
    let rest = curls(&state.borrow().session);
    let bar = harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Middle").rect();
    let at = |share: f32| egui::pos2(bar.left() + share * bar.width().min(100.0), bar.center().y);
    harness.hover_at(at(0.2));
    harness.drag_at(at(0.2));
    for share in [0.4, 0.6, 0.9] {
        harness.hover_at(at(share));
        harness.run();
        apply(&state);
    }
    harness.drop_at(at(0.9));
    harness.run();
    apply(&state);
    let now = curls(&state.borrow().session);
    let middle = 2;
    assert!(now[0][middle] > rest[0][middle] + 0.3, "{now:?}");
    let others = |curls: &[f64]| [&curls[..middle], &curls[middle + 1..]].concat();
    assert!(close(&others(&now[0]), &others(&rest[0])) && close(&now[1], &rest[1]), "{now:?} {rest:?}");
    state.borrow_mut().session.apply(Command::Undo);
    let undone = curls(&state.borrow().session);
    assert!(close(&undone[0], &rest[0]) && !state.borrow().session.history.can_undo(), "{undone:?}");
}

/// If nothing is selected, the section shows the hand of the arm that was dragged last. The section is not shown for a leg or for a body
/// without fingers.
#[test]
fn the_section_follows_the_arm_that_was_dragged_last() {
    let shown = |session: &Session| ActiveHands::of(session).map(|hands| hands.side);
    let mut state = state();
    assert!(shown(&state.session).is_none());
    drag(&mut state.session, "rightHand", Vec2::new(20.0, -20.0));
    state.session.apply(Command::Release);
    assert_eq!(shown(&state.session), Some(crate::rig::LimbSide::Right));
    assert!(shown(&selected("leftFoot").session).is_none());
    let Some(root) = std::env::var_os("SINEW_TEST_DATA") else { return };
    let models = std::path::Path::new(&root).join("models");
    for (path, hand, has) in [
        ("quaternius/modular_men/Adventurer/Adventurer.glb", "Hand.L", true),
        ("kaykit-char/models/mannequin_v2/manny_med_mod.gltf", "handslot.l", false),
    ] {
        let mut session = Session::new(load(&models.join(path)).unwrap(), None, SIZE);
        let node = session.puppet.character().skeleton.find(hand);
        session.apply(Command::Select(node));
        assert_eq!(shown(&session).is_some(), has, "{path}");
    }
}

fn carrying() -> TestPanel {
    let mut state = selected("leftHand").of_height(TALL);
    let prop = Prop::new(sinew_testkit::asset_path("arm.glb"), "leftHand".into());
    let missing = Prop::new("../../assets/cup.glb".into(), "leftHand".into());
    state.session.apply(Command::Props(vec![prop, missing]));
    state
}

#[test]
fn panel_with_carried_models_matches_its_snapshot() {
    check("carried", carrying(), Theme::Dark);
}

#[test]
fn carried_models_are_removed_and_attached() {
    let (mut harness, state) = panel(carrying(), Theme::Dark);
    harness.run();
    assert!(state.borrow().commands.is_empty(), "{:?}", state.borrow().commands);
    harness.get_all_by_label("Remove").next().unwrap().click();
    harness.run();
    apply(&state);
    harness.run();
    let props = state.borrow().session.settings().props.clone();
    let files: Vec<String> = props.iter().map(|prop| prop.file.display().to_string()).collect();
    assert_eq!(files, ["../../assets/cup.glb"]);
    harness.get_by_label("Attach a model…").click();
    harness.run();
    assert_eq!(state.borrow_mut().panel.request.take(), Some(AppRequest::ChooseProp));
}
