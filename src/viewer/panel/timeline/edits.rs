//! Edits: keys as diamonds, each over the window in which it is in force.

use egui::{Rect, Ui, pos2, vec2};

use crate::motion::Edit;

use super::super::super::Session;
use super::super::super::timeline::{Grip, Item, Ruler};
use super::super::node_name;
use super::{Line, draw, part};

/// Points from a diamond's middle to its tips, and across the ends of windows that can be taken.
const DIAMOND: f32 = 6.0;
const END: f32 = 10.0;
/// Joints that are named.
const NAMED: usize = 4;

/// All edits, and what can be taken of them: diamonds before the ends of windows.
pub(super) fn show(ui: &Ui, session: &Session, (ruler, lane): (&Ruler, Rect), line: &mut Line) {
    let motion = &session.puppet.motion;
    let floor = lane.bottom() - 4.0;
    let mut lit = vec![false; motion.edits.len()];
    for (place, edit) in motion.edits.iter().enumerate() {
        let end = |time: f32| Rect::from_center_size(pos2(ruler.x(time), floor - 3.0), vec2(END, 12.0));
        let (item, at) = (Item::Edit(place), edit.time);
        let [first, last] = ["start", "end"].map(|end| format!("{end} of the window at {at:.2} s"));
        lit[place] |= part(ui, Grip::First(item), end(at - edit.before), ruler, motion, line, &first);
        lit[place] |= part(ui, Grip::Last(item), end(at + edit.after), ruler, motion, line, &last);
    }
    for (place, edit) in motion.edits.iter().enumerate() {
        let middle = pos2(ruler.x(edit.time), lane.top() + DIAMOND + 1.0);
        let rect = Rect::from_center_size(middle, egui::Vec2::splat(2.0 * DIAMOND + 4.0));
        let grip = Grip::Whole(Item::Edit(place));
        lit[place] |= part(ui, grip, rect, ruler, motion, line, &name(session, edit));
        let selected = line.selected == Some(Item::Edit(place));
        draw::bump(ui, ruler, edit, (middle.y, floor), selected || lit[place]);
        draw::diamond(ui, middle, DIAMOND, selected, lit[place]);
    }
}

/// When it is, and what it moves.
fn name(session: &Session, edit: &Edit) -> String {
    let mut nodes: Vec<usize> = edit.turns.iter().chain(&edit.shifts).map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let names: Vec<String> = nodes.iter().rev().take(NAMED).map(|&node| node_name(session, node)).collect();
    let more = if nodes.len() > NAMED { ", …" } else { "" };
    format!("key at {:.2} s\n{}{more}", edit.time, names.join(", "))
}
