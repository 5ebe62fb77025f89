//! The chains and the joints of a character, as lists to choose from.

use egui::{CollapsingHeader, RichText, ScrollArea, TextEdit, Ui};

use crate::asset::Skeleton;

use super::super::{Command, Session};
use super::{Look, WIDTH, name, node_name, theme};

/// Points that a list is high at most, and between its rows.
const HEIGHT: f32 = 220.0;
const TIGHT: f32 = 2.0;
/// Points that a joint stands to the right of the one that it hangs on, and how many such steps there are.
const INDENT: f32 = 9.0;
const DEEPEST: usize = 10;

/// Chains with their joints, all joints, and a field that looks for names.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look, asked: &mut Vec<Command>) {
    let skeleton = &session.puppet.character().skeleton;
    let chains = &session.puppet.rig.chains;
    let mut hint = None;
    let field = TextEdit::singleline(&mut look.search).hint_text("find a joint").desired_width(WIDTH - 52.0);
    ui.add(field);
    let sought = look.search.trim().to_lowercase();
    let found = |name: &str| sought.is_empty() || name.to_lowercase().contains(&sought);
    if sought.is_empty() {
        CollapsingHeader::new(count(chains.len(), "chain")).id_salt("chains").show(ui, |ui| {
            list("chains").show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = TIGHT;
                for (i, chain) in chains.iter().enumerate() {
                    let mine = session.selected.is_some_and(|n| chain.joints.contains(&n));
                    let title = RichText::new(name(&chain.name));
                    let title = if mine { title.color(theme::accent(ui)) } else { title };
                    let inside = |ui: &mut Ui| {
                        for &node in &chain.joints {
                            joint(ui, session, node, 0, &mut hint, asked);
                        }
                    };
                    let header = CollapsingHeader::new(title).id_salt(i).show(ui, inside).header_response;
                    if header.hovered() {
                        hint = Some(chain.effector);
                    }
                }
            });
        });
    }
    let rows: Vec<(usize, usize)> = if sought.is_empty() {
        ordered(skeleton, &joints(session))
    } else {
        let all = joints(session);
        (0..all.len()).filter(|&n| all[n] && found(&skeleton.label(n))).map(|n| (n, 0)).collect()
    };
    let header = CollapsingHeader::new(count(rows.len(), "joint")).id_salt("joints");
    let header = if sought.is_empty() { header } else { header.open(Some(true)) };
    header.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = TIGHT;
        let height = ui.spacing().interact_size.y;
        let row = rows.iter().position(|(node, _)| Some(*node) == session.selected);
        // What was selected elsewhere comes into sight.
        let mut list = list("joints");
        if let Some(row) = row.filter(|_| look.listed != session.selected && session.hint.is_none()) {
            #[expect(clippy::cast_precision_loss, reason = "a few rows")]
            let middle = (height + TIGHT) * row as f32 - HEIGHT * 0.5;
            list = list.vertical_scroll_offset(middle.max(0.0));
        }
        look.listed = session.selected;
        list.show_rows(ui, height, rows.len(), |ui, seen| {
            for &(node, depth) in rows.get(seen).unwrap_or_default() {
                joint(ui, session, node, depth, &mut hint, asked);
            }
        });
    });
    if hint != session.hint {
        asked.push(Command::Hint(hint));
    }
}

/// Of a few rows as high as they are, of many with a bar at its side.
fn list(name: &str) -> ScrollArea {
    ScrollArea::vertical().id_salt(name).max_height(HEIGHT).auto_shrink([false, true])
}

/// A number of things, in the right number.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A joint to be pointed out and selected, with what is special about it.
fn joint(
    ui: &mut Ui,
    session: &Session,
    node: usize,
    depth: usize,
    hint: &mut Option<usize>,
    asked: &mut Vec<Command>,
) {
    let selected = session.selected == Some(node);
    let label = node_name(session, node);
    let row = ui.horizontal(|ui| {
        #[expect(clippy::cast_precision_loss, reason = "a few steps")]
        ui.add_space(INDENT * depth.min(DEEPEST) as f32);
        let clicked = ui.selectable_label(selected, label);
        let marks = [
            (session.state.pins.iter().any(|p| p.node == node), "pinned"),
            (session.state.base == Some(node), "base"),
        ];
        for (_, mark) in marks.into_iter().filter(|(is, _)| *is) {
            ui.label(RichText::new(mark).small().color(theme::quiet(ui)));
        }
        clicked
    });
    if row.inner.hovered() {
        *hint = Some(node);
    }
    if row.inner.clicked() {
        asked.push(Command::Select(if selected { None } else { Some(node) }));
    }
}

/// Which nodes are joints: what skins name; without a skin, all.
fn joints(session: &Session) -> Vec<bool> {
    let character = session.puppet.character();
    let mut is_joint = vec![character.skins.is_empty(); character.skeleton.nodes.len()];
    for &joint in character.skins.iter().flat_map(|s| &s.joints) {
        if let Some(is) = is_joint.get_mut(joint) {
            *is = true;
        }
    }
    is_joint
}

/// Joints and how deep they stand, each below the one that it hangs on.
fn ordered(skeleton: &Skeleton, is_joint: &[bool]) -> Vec<(usize, usize)> {
    let roots = (0..skeleton.nodes.len()).rev().filter(|&n| skeleton.nodes[n].parent.is_none());
    let mut open: Vec<(usize, usize)> = roots.map(|n| (n, 0)).collect();
    let mut rows = Vec::new();
    while let Some((node, depth)) = open.pop() {
        let is = is_joint.get(node).copied().unwrap_or(false);
        if is {
            rows.push((node, depth));
        }
        let below = skeleton.nodes.get(node).map(|n| n.children.iter().rev()).into_iter().flatten();
        open.extend(below.map(|&child| (child, depth + usize::from(is))));
    }
    rows
}
