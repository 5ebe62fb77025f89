//! The poses of a hand, and its fingers' curl and spread.

use egui::{Response, Slider, Ui};

use crate::rig::{HandPose, LimbSide};
use crate::session::hand::ActiveHands;
use crate::{Command, Session};

use super::{finish, heading};

/// Shows the section while a joint of an arm with fingers is selected, or was dragged last.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(hands) = ActiveHands::of(session) else { return };
    heading(
        ui,
        match hands.side {
            _ if hands.other.is_some() => "Both hands",
            LimbSide::Left => "Left hand",
            LimbSide::Right => "Right hand",
            LimbSide::Middle => "Hand",
        },
    );
    ui.horizontal_wrapped(|ui| {
        for pose in HandPose::ALL {
            if ui.button(pose.name()).on_hover_text(hint(pose)).clicked() {
                commands.push(hands.turn(|hand, skeleton, of| hand.pose(skeleton, of, pose)));
                commands.push(Command::Release);
            }
        }
    });
    for (index, finger) in hands.hand.fingers().iter().enumerate() {
        let mut curl = hands.curl(index).clamp(0.0, 1.0);
        let slider = slider(ui, &mut curl, finger.name());
        let slider = slider.on_hover_text("0 is straight, 1 is closed into the fist");
        if slider.changed() {
            commands.push(hands.turn(|hand, skeleton, of| hand.with_curl(skeleton, of, index, curl)));
        }
        finish(&slider, commands);
    }
    let Some(spread) = hands.spread() else { return };
    let mut spread = spread.clamp(0.0, 1.0);
    let slider =
        slider(ui, &mut spread, "Spread").on_hover_text("0 is side by side, 1 is as far apart as possible");
    if slider.changed() {
        commands.push(hands.turn(|hand, skeleton, of| hand.with_spread(skeleton, of, spread)));
    }
    finish(&slider, commands);
}

fn hint(pose: HandPose) -> &'static str {
    match pose {
        HandPose::Fist => "Close all fingers, with the thumb over them",
        HandPose::Point => "Point with the finger beside the thumb",
        HandPose::Grip => "Close the hand around a bar",
        HandPose::Spread => "Stretch the fingers and spread them",
        _ => "Reset the fingers to their rest pose",
    }
}

fn slider(ui: &mut Ui, value: &mut f64, text: &str) -> Response {
    // A slider with fixed decimals would round the pose's value and thus change it without user input.
    ui.add(Slider::new(value, 0.0..=1.0).custom_formatter(|value, _| format!("{value:.2}")).text(text))
}
