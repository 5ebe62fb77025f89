//! Keys on the timeline, drawn as diamonds above their windows of effect.

use egui::{Rect, Ui, pos2, vec2};

use crate::Session;
use crate::arrange::{Grip, Item};
use crate::motion::Edit;
use crate::panel::node_name;

use super::ruler::Lane;
use super::{TimelineState, draw, part};

/// Distance in points from a diamond's center to its corners.
const DIAMOND: f32 = 6.0;
/// Width in points of the draggable area at each end of a window.
const END: f32 = 10.0;
/// Maximum number of joints named in a tooltip.
const MAX_NAMES: usize = 4;

/// Shows all keys and their grips. Diamonds take precedence over the ends of windows.
pub(super) fn show(ui: &Ui, session: &Session, lane: Lane, state: &mut TimelineState) {
    let (motion, ruler) = (&session.puppet.motion, &lane.ruler);
    let floor = lane.rect.bottom() - 4.0;
    let mut is_highlighted = vec![false; motion.edits.len()];
    for (index, edit) in motion.edits.iter().enumerate() {
        let end = |time: f32| Rect::from_center_size(pos2(ruler.x(time), floor - 3.0), vec2(END, 12.0));
        let (item, at) = (Item::Edit(index), edit.time);
        let [first, last] = ["Start", "End"].map(|end| format!("{end} of key window at {at:.2} s"));
        is_highlighted[index] |=
            part(ui, Grip::First(item), end(at - edit.before), ruler, || motion.clone(), state, &first);
        is_highlighted[index] |=
            part(ui, Grip::Last(item), end(at + edit.after), ruler, || motion.clone(), state, &last);
    }
    for (index, edit) in motion.edits.iter().enumerate() {
        let center = pos2(ruler.x(edit.time), lane.rect.top() + DIAMOND + 1.0);
        let rect = Rect::from_center_size(center, egui::Vec2::splat(2.0 * DIAMOND + 4.0));
        let grip = Grip::Whole(Item::Edit(index));
        is_highlighted[index] |= part(ui, grip, rect, ruler, || motion.clone(), state, &name(session, edit));
        let selected = state.selected == Some(Item::Edit(index));
        draw::edit_window(ui, ruler, edit, center.y, floor, selected || is_highlighted[index]);
        draw::diamond(ui, center, DIAMOND, selected, is_highlighted[index]);
    }
}

/// Describes an edit by its time and the joints that it moves.
fn name(session: &Session, edit: &Edit) -> String {
    let mut nodes: Vec<usize> = edit.turns.iter().chain(&edit.shifts).map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let names: Vec<String> =
        nodes.iter().rev().take(MAX_NAMES).map(|&node| node_name(session, node)).collect();
    let more = if nodes.len() > MAX_NAMES { ", …" } else { "" };
    format!("Key at {:.2} s\n{}{more}", edit.time, names.join(", "))
}
