//! The lists of the character's bones, chains and joints.

use egui::{CollapsingHeader, RichText, ScrollArea, TextEdit, Ui};

use crate::asset::Skeleton;
use crate::{Command, Session};

use super::{PanelState, body, name, node_name, theme};

/// Maximum height of a list in points.
const MAX_HEIGHT: f32 = 220.0;
/// Space between rows in points.
const SPACING: f32 = 2.0;
/// Indentation in points per level of the hierarchy.
const INDENT: f32 = 9.0;
/// Maximum number of indented levels.
const MAX_DEPTH: usize = 10;

/// Shows a search field, the chains with their joints, and all joints.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let skeleton = &session.puppet.character().skeleton;
    let chains = &session.puppet.rig.chains;
    let mut hint = None;
    let field =
        TextEdit::singleline(&mut panel.search).hint_text("Find a joint").desired_width(f32::INFINITY);
    ui.add(field);
    let query = panel.search.trim().to_lowercase();
    let matches = |name: &str| query.is_empty() || name.to_lowercase().contains(&query);
    if query.is_empty() {
        body::show(ui, session, &mut hint, commands);
        CollapsingHeader::new(count(chains.len(), "chain")).id_salt("chains").show(ui, |ui| {
            scroll_area("chains").show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = SPACING;
                for (i, chain) in chains.iter().enumerate() {
                    let has_selection =
                        session.document.selection.active.is_some_and(|n| chain.joints.contains(&n));
                    let title = RichText::new(name(&chain.name));
                    let title = if has_selection { title.color(theme::accent(ui)) } else { title };
                    let inside = |ui: &mut Ui| {
                        for &node in &chain.joints {
                            joint(ui, session, node, 0, &mut hint, commands);
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
    let rows: Vec<(usize, usize)> = if query.is_empty() {
        by_hierarchy(skeleton, &joints(session))
    } else {
        let all = joints(session);
        (0..all.len()).filter(|&n| all[n] && matches(&skeleton.label(n))).map(|n| (n, 0)).collect()
    };
    let header = CollapsingHeader::new(count(rows.len(), "joint")).id_salt("joints");
    let header = if query.is_empty() { header } else { header.open(Some(true)) };
    header.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = SPACING;
        let height = ui.spacing().interact_size.y;
        let row = rows.iter().position(|(node, _)| Some(*node) == session.document.selection.active);
        // Scroll to a joint that was selected elsewhere.
        let mut area = scroll_area("joints");
        if let Some(row) = row.filter(|_| {
            panel.scrolled_to != session.document.selection.active && session.hover.hint.is_none()
        }) {
            #[expect(clippy::cast_precision_loss, reason = "a few rows")]
            let middle = (height + SPACING) * row as f32 - MAX_HEIGHT * 0.5;
            area = area.vertical_scroll_offset(middle.max(0.0));
        }
        panel.scrolled_to = session.document.selection.active;
        area.show_rows(ui, height, rows.len(), |ui, visible| {
            for &(node, depth) in rows.get(visible).unwrap_or_default() {
                joint(ui, session, node, depth, &mut hint, commands);
            }
        });
    });
    if hint != session.hover.hint {
        commands.push(Command::Highlight(hint));
    }
}

/// Creates a scroll area as high as its rows, up to a maximum.
fn scroll_area(name: &str) -> ScrollArea {
    ScrollArea::vertical().id_salt(name).max_height(MAX_HEIGHT).auto_shrink([false, true])
}

/// Formats a count with its noun in the singular or plural.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Shows the row of a joint, with marks for a pinned joint and for the base. Hovering highlights the joint, and clicking
/// selects it.
fn joint(
    ui: &mut Ui,
    session: &Session,
    node: usize,
    depth: usize,
    hint: &mut Option<usize>,
    commands: &mut Vec<Command>,
) {
    let selected = session.document.selection.active == Some(node);
    let label = node_name(session, node);
    let row = ui.horizontal(|ui| {
        #[expect(clippy::cast_precision_loss, reason = "a few steps")]
        ui.add_space(INDENT * depth.min(MAX_DEPTH) as f32);
        let clicked = ui.selectable_label(selected, label);
        let marks = [
            (session.document.scene.pins.iter().any(|p| p.node == node), "pinned"),
            (session.document.scene.base == Some(node), "base"),
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
        commands.push(Command::Select(if selected { None } else { Some(node) }));
    }
}

/// For each node, returns whether it is a joint of a skin. If there are no skins, all nodes count as joints.
fn joints(session: &Session) -> Vec<bool> {
    let character = session.puppet.character();
    let mut is_joint = vec![character.skins.is_empty(); character.skeleton.nodes.len()];
    for &joint in character.skins.iter().flat_map(|s| &s.joints) {
        if let Some(flag) = is_joint.get_mut(joint) {
            *flag = true;
        }
    }
    is_joint
}

/// Returns the joints in hierarchical order with their depths.
fn by_hierarchy(skeleton: &Skeleton, is_joint: &[bool]) -> Vec<(usize, usize)> {
    let roots = (0..skeleton.nodes.len()).rev().filter(|&n| skeleton.nodes[n].parent.is_none());
    let mut stack: Vec<(usize, usize)> = roots.map(|n| (n, 0)).collect();
    let mut rows = Vec::new();
    while let Some((node, depth)) = stack.pop() {
        let counts = is_joint.get(node).copied().unwrap_or(false);
        if counts {
            rows.push((node, depth));
        }
        let below = skeleton.nodes.get(node).map(|n| n.children.iter().rev()).into_iter().flatten();
        stack.extend(below.map(|&child| (child, depth + usize::from(counts))));
    }
    rows
}
