//! The goal rows in the dope sheet: a diamond for each key, whose size shows the goal's weight.

use egui::{Rect, RichText, Slider, Ui, Vec2};

use crate::arrange::{Grip, Item};
use crate::motion::{Easing, GoalKey, Motion};
use crate::panel::{node_name, theme};
use crate::{Command, Session};

use super::change::{push_change, push_edit};
use super::contact_rows::words;
use super::ruler::Lane;
use super::{TimelineState, draw, part};

/// Distances in points from a diamond's center to its corners, for weights 0 and 1.
const SIZES: [f32; 2] = [3.0, 5.5];

/// The keys of a node's goal.
#[derive(Debug)]
pub(super) struct GoalRow {
    pub(super) node: usize,
    pub(super) name: String,
    /// The keys with their indices in the motion.
    keys: Vec<(usize, GoalKey)>,
}

impl GoalRow {
    /// Collects the goals of the session's motion.
    pub(super) fn all(session: &Session) -> Vec<Self> {
        let motion = &session.document.scene.motion;
        let row = |node: usize| {
            let keys = motion.goals.iter().copied().enumerate().filter(|(_, key)| key.node == node);
            Self { node, name: row_name(session, node), keys: keys.collect() }
        };
        motion.goal_nodes().into_iter().map(row).collect()
    }
}

/// Returns the name of a row, such as "Left hand goal".
fn row_name(session: &Session, node: usize) -> String {
    let bone = session.puppet.rig.bones.iter().find(|(_, known)| **known == node);
    let name = bone.map_or_else(|| node_name(session, node), |(bone, _)| words(bone));
    format!("{name} goal")
}

/// Shows a row's keys. Dragging moves a key.
pub(super) fn keys(ui: &Ui, session: &Session, row: &GoalRow, lane: Lane, state: &mut TimelineState) {
    let timeline = &session.document.settings.timeline;
    for &(index, key) in &row.keys {
        let center = lane.center(key.time);
        let radius = SIZES[0] + (SIZES[1] - SIZES[0]) * key.weight;
        let rect = Rect::from_center_size(center, Vec2::splat(2.0 * SIZES[1] + 4.0));
        if !lane.rect.intersects(rect) {
            continue;
        }
        let item = Item::Goal(index);
        let name = format!("{} at {}", row.name, timeline.text(key.time));
        let motion = || Motion::clone(&session.document.scene.motion);
        let is_highlighted = part(ui, Grip::Whole(item), rect, &lane.ruler, motion, state, &name);
        draw::diamond(ui, center, radius, state.selected == Some(item), is_highlighted);
    }
}

/// Shows the properties of a goal key.
pub(super) fn details(
    ui: &mut Ui,
    session: &Session,
    index: usize,
    key: &GoalKey,
    commands: &mut Vec<Command>,
) {
    let (motion, timeline) = (&session.document.scene.motion, &session.document.settings.timeline);
    let with = |key: GoalKey| {
        let mut motion = Motion::clone(motion);
        if let Some(slot) = motion.goals.get_mut(index) {
            *slot = key;
        }
        motion
    };
    ui.label(RichText::new(row_name(session, key.node)).strong());
    ui.label(RichText::new(timeline.text(key.time)).color(theme::quiet(ui)));
    let mut weight = key.weight;
    ui.label(RichText::new("FK").color(theme::quiet(ui)));
    let slider = ui.add(Slider::new(&mut weight, 0.0..=1.0).max_decimals(2));
    slider.widget_info(|| egui::WidgetInfo::slider(true, f64::from(weight), "IK weight"));
    let hint = "From the pose of the joints (0, forward kinematics) to the goal (1, inverse kinematics)";
    let slider = slider.on_hover_text(hint);
    push_edit(commands, &slider, || with(GoalKey { weight, ..*key }));
    ui.label(RichText::new("IK").color(theme::quiet(ui)));
    for easing in Easing::ALL {
        let label = ui.selectable_label(key.easing == easing, easing.name());
        if label.on_hover_text("How the goal changes to its next key").clicked() {
            push_change(commands, with(GoalKey { easing, ..*key }));
        }
    }
}
