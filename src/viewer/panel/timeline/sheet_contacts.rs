//! The contact rows in the dope sheet: a bar for each period in which a foot or hand touches something.

use egui::{Button, Checkbox, ComboBox, Rect, RichText, StrokeKind, Ui, pos2, vec2};

use crate::arrange::{Grip, Item, with_contact_replaced};
use crate::motion::{Contact, Motion};
use crate::panel::{node_name, theme};
use crate::session::contacts::new_contact;
use crate::{Command, Session, Timeline};

use super::change::push_change;
use super::contact_rows::{Bar, ContactRow, row_name, words};
use super::ruler::{Lane, Ruler};
use super::{TimelineState, counter, part};

/// Space in points between a bar and the borders of its row.
const INSET: f32 = 4.0;
/// Width in points of the draggable area at each end of a bar.
const END: f32 = 8.0;
/// Minimum width of a bar in points.
const MIN_WIDTH: f32 = 6.0;
/// Latest time that can be entered, in seconds.
const LAST_TIME: f32 = 3600.0;
/// The bones that a hand or foot is likely to touch.
const BONES: [&str; 10] = [
    "hips",
    "spine",
    "chest",
    "head",
    "leftUpperLeg",
    "rightUpperLeg",
    "leftLowerLeg",
    "rightLowerLeg",
    "leftHand",
    "rightHand",
];

/// Shows the bars of a row. Dragging moves a bar or one of its ends. A bar implied by the keys is stored when it is first dragged. A contact
/// that reaches around the end of a loop is shown as two bars.
pub(super) fn bars(ui: &mut Ui, session: &Session, row: &ContactRow, lane: Lane, state: &mut TimelineState) {
    let seconds = session.puppet.seconds();
    let parts = row.bars.iter().enumerate().flat_map(|(index, bar)| {
        let count = bar.contact.parts(seconds).count();
        let parts = bar.contact.parts(seconds).enumerate();
        parts.map(move |(piece, contact)| (index, bar, piece, contact, [piece == 0, piece + 1 == count]))
    });
    for (index, bar, piece, contact, has_ends) in parts {
        let [from, to] = [contact.from, contact.to].map(|time| lane.ruler.x(time));
        let inside = lane.rect.shrink2(vec2(0.0, INSET));
        let rect = Rect::from_x_y_ranges(from..=to.max(from + MIN_WIDTH), inside.y_range());
        if !lane.rect.intersects(rect) {
            continue;
        }
        let is_highlighted = ui.push_id(("contact", row.node, index, piece), |ui| {
            ui.set_clip_rect(ui.clip_rect().intersect(lane.rect));
            grips(ui, session, bar, &row.name, &lane.ruler, rect, has_ends, state)
        });
        let is_selected = bar.is_stored && state.selected == Some(Item::Contact(bar.index));
        draw(ui, rect, bar.is_stored, is_selected, is_highlighted.inner);
    }
}

/// Handles the pointer on a bar and on those of its two ends that are ends of the contact. Returns whether the bar is highlighted.
fn grips(
    ui: &Ui,
    session: &Session,
    bar: &Bar,
    name: &str,
    ruler: &Ruler,
    rect: Rect,
    has_ends: [bool; 2],
    state: &mut TimelineState,
) -> bool {
    let title = title(bar, name, &session.document.settings.timeline);
    let changed = || {
        let mut motion = Motion::clone(&session.document.scene.motion);
        if !bar.is_stored {
            motion.contacts.push(bar.contact);
        }
        motion
    };
    let item = Item::Contact(bar.index);
    let mut is_highlighted = part(ui, Grip::Whole(item), rect, ruler, changed, state, &title);
    // A short bar has narrower ends, so that its middle can still be used to move it.
    let width = END.min(rect.width() / 3.0);
    let first = Rect::from_min_max(rect.min, pos2(rect.left() + width, rect.bottom()));
    let last = Rect::from_min_max(pos2(rect.right() - width, rect.top()), rect.max);
    let ends = [(Grip::First(item), first, "Start"), (Grip::Last(item), last, "End")];
    for ((grip, rect, end), _) in ends.into_iter().zip(has_ends).filter(|(_, has_end)| *has_end) {
        is_highlighted |= part(ui, grip, rect, ruler, changed, state, &format!("{end} of {title}"));
    }
    is_highlighted
}

/// Describes a bar by name and time.
fn title(bar: &Bar, name: &str, timeline: &Timeline) -> String {
    let [from, to] = [bar.contact.from, bar.contact.to].map(|time| timeline.text(time));
    let source = if bar.is_stored { "" } else { ", from the keys" };
    format!("{name} from {from} to {to}{source}")
}

/// Draws a bar. Bars implied by the keys are lighter.
fn draw(ui: &Ui, rect: Rect, is_stored: bool, is_selected: bool, is_highlighted: bool) {
    let accent = theme::accent(ui);
    let strength = if is_stored { 0.6 } else { 0.2 } + if is_highlighted { 0.15 } else { 0.0 };
    let edge =
        if is_selected { (2.0, theme::ink(ui)) } else { (1.0, accent.gamma_multiply(strength + 0.25)) };
    ui.painter().rect(rect, 4.0, accent.gamma_multiply(strength), edge, StrokeKind::Inside);
}

/// Shows a button that stores the contacts implied by the keys, and a button that adds a contact.
pub(super) fn buttons(ui: &mut Ui, session: &Session, plants: bool, commands: &mut Vec<Command>) {
    let motion = &session.document.scene.motion;
    let has_room = |node: usize| !motion.is_rest() && new_contact(&session.puppet, motion, node).is_some();
    let node = session.selected().filter(|&node| has_room(node));
    let add = ui.add_enabled(node.is_some(), Button::new("Add contact"));
    let add = add
        .on_hover_text("Keep the foot or the hand of the selected limb in place from here to the next key");
    let add =
        add.on_disabled_hover_text("Select a joint of an arm or a leg that has no contact at this time.");
    if let Some(node) = node.filter(|_| add.clicked()) {
        commands.push(Command::AddContact(node));
    }
    if ui
        .add_enabled(plants, Button::new("Plant feet"))
        .on_hover_text("Store the contacts that follow from the keys")
        .on_disabled_hover_text("No other foot is in the same place in two keys.")
        .clicked()
    {
        commands.push(Command::PlantKeys);
    }
}

/// Shows the properties of a stored contact.
pub(super) fn details(
    ui: &mut Ui,
    session: &Session,
    index: usize,
    contact: &Contact,
    commands: &mut Vec<Command>,
) {
    let (motion, timeline) = (&session.document.scene.motion, &session.document.settings.timeline);
    ui.label(RichText::new(row_name(session, contact.node)).strong());
    let mut new = *contact;
    let [starts, ends] = limits(contact, timeline.time(1.0), session.puppet.seconds());
    counter::field(ui, timeline, &mut new.from, starts, "Start of the contact");
    counter::field(ui, timeline, &mut new.to, ends, "End of the contact");
    let bone_of = |node: usize| session.puppet.rig.bones.iter().find(|(_, known)| **known == node);
    let name = |on: Option<usize>| match on {
        None => "the world".to_owned(),
        Some(node) => {
            bone_of(node).map_or_else(|| node_name(session, node), |(bone, _)| words(bone).to_lowercase())
        }
    };
    ui.label(RichText::new("on").color(theme::quiet(ui)));
    let choice = ComboBox::from_id_salt("contact on").selected_text(name(contact.on)).show_ui(ui, |ui| {
        ui.selectable_value(&mut new.on, None, name(None));
        for node in BONES.iter().filter_map(|bone| session.puppet.rig.bones.get(*bone)) {
            let skeleton = &session.puppet.character().skeleton;
            let on = Some(*node);
            if !(Contact { on, ..*contact }).is_on_own_part(skeleton) {
                ui.selectable_value(&mut new.on, on, name(on));
            }
        }
    });
    choice.response.on_hover_text("What the foot or the hand touches and goes along with");
    let slides = ui.add_enabled(contact.on.is_none(), Checkbox::new(&mut new.slides, "Slides"));
    slides.on_hover_text("Keep only the height of the point");
    new.slides &= new.on.is_none();
    if new != *contact {
        push_change(commands, with_contact_replaced(motion, index, new));
    }
}

/// Returns the earliest and the latest time that can be entered for the start and for the end of a contact, in seconds. `step` is the duration
/// of a frame, and `seconds` is the duration of the motion.
fn limits(contact: &Contact, step: f32, seconds: f32) -> [[f32; 2]; 2] {
    if !contact.wraps() {
        return [[0.0, contact.to - step], [contact.from + step, LAST_TIME]];
    }
    // A contact that wraps lasts from its start to the end of the motion, so it cannot start later.
    let earliest = contact.to + step;
    [[earliest, seconds.max(earliest)], [0.0, contact.from - step]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: the start of a contact that wraps could be after the end of the motion.
    #[test]
    fn a_contact_that_wraps_starts_before_the_end_of_the_motion() {
        let contact =
            |from, to| Contact { node: 0, point: glam::Vec3::ZERO, from, to, slides: false, on: None };
        assert_eq!(limits(&contact(1.5, 0.25), 0.25, 2.0), [[0.5, 2.0], [0.0, 1.25]]);
        assert_eq!(limits(&contact(2.5, 2.0), 0.25, 2.0), [[2.25, 2.25], [0.0, 2.25]]);
        assert_eq!(limits(&contact(0.25, 1.5), 0.25, 2.0), [[0.0, 1.25], [0.5, LAST_TIME]]);
    }
}
