//! Tests of goals in the dope sheet: adding, dragging, weighting and removing keys.

use egui::vec2;

use crate::motion::GoalKey;

use super::timeline::{drag_part, timeline_harness};
use super::*;

fn goals(state: &Rc<RefCell<TestPanel>>) -> Vec<GoalKey> {
    state.borrow().session.puppet.motion.goals.clone()
}

#[test]
fn goals_are_keyed_dragged_weighted_and_removed() {
    let mut state = state();
    let hand = state.session.puppet.rig.bones["leftHand"];
    for (time, by) in [(0.0, Vec2::new(20.0, -40.0)), (1.0, Vec2::new(20.0, 60.0))] {
        state.session.apply(Command::Seek(time));
        drag(&mut state.session, "leftHand", by);
        state.session.apply(Command::Release);
        state.session.apply(Command::KeyGoal(hand));
    }
    let (mut harness, state) = timeline_harness(state, Theme::Dark);
    let [first, last] = goals(&state)[..] else { panic!("{:?}", goals(&state)) };
    assert_eq!((first.node, first.time, last.node, last.time), (hand, 0.0, hand, 1.0));
    let apart = first.position.distance(last.position);
    assert!(apart > 0.05 && first.weight == 1.0, "{apart} m");

    harness.get_by_label("Joints").click();
    harness.run();
    drag_part(&mut harness, "Left hand goal at frame 30", vec2(-60.0, 0.0), false);
    let [_, moved] = goals(&state)[..] else { panic!("{:?}", goals(&state)) };
    assert!(moved.time < 0.95 && GoalKey { time: 1.0, ..moved } == last, "{moved:?}");
    // The dragged key is selected, and its properties are shown.
    drag_part(&mut harness, "IK weight", vec2(-20.0, 0.0), false);
    let weight = goals(&state)[1].weight;
    assert!(weight < 1.0, "{weight}");
    harness.assert_snapshot("goal-keys");
    harness.get_by_label("Remove").click();
    harness.run();
    assert_eq!(goals(&state), [first]);
    for _ in 0..3 {
        state.borrow_mut().session.apply(Command::Undo);
    }
    harness.run();
    assert_eq!(goals(&state).len(), 2);
}
