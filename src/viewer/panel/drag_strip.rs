//! Describes a drag beside the pointer: the moving part, its distance from the target, and the reason if it misses the target.

use egui::{Align2, Color32, FontId, Pos2, Rect, Ui, Vec2, vec2};

use crate::Session;
use crate::ik::Outcome;
use crate::rig::LimbKind;
use crate::text::printable;

use super::{name, node_name};

/// Text colours on the strip's dark background, which both themes share.
const INK: Color32 = Color32::WHITE;
const MISS: Color32 = Color32::from_rgb(255, 196, 120);
/// Distance from the pointer in points.
const OFFSET: Vec2 = vec2(20.0, 22.0);
/// Distances in points from the text to the borders of the strip.
const PADDING: Vec2 = vec2(8.0, 5.0);
/// Width of the text in points. Longer lines are wrapped.
const MAX_WIDTH: f32 = 300.0;

/// Shows the strip while something is dragged.
pub(super) fn show(ui: &Ui, session: &Session, scene: Rect) {
    let Some(at) = ui.input(|i| i.pointer.latest_pos()).filter(|at| scene.contains(*at)) else { return };
    let Some((moves, miss)) = texts(session) else { return };
    let painter = ui.painter().with_clip_rect(scene);
    let lines = [Some((moves, INK)), miss.map(|miss| (miss, MISS))];
    let font = || FontId::proportional(12.5);
    let widest = MAX_WIDTH.min(scene.width() - 2.0 * PADDING.x);
    let layout = |(text, color): (String, Color32)| {
        (painter.layout(printable::line(&text).into_owned(), font(), color, widest), color)
    };
    let galleys: Vec<_> = lines.into_iter().flatten().map(layout).collect();
    let width = galleys.iter().map(|(galley, _)| galley.size().x).fold(0.0, f32::max);
    let height: f32 = galleys.iter().map(|(galley, _)| galley.size().y).sum();
    let rect = place(at, vec2(width, height), scene.shrink2(PADDING));
    painter.rect_filled(rect.expand2(PADDING), 6.0, Color32::from_rgba_unmultiplied(16, 18, 24, 215));
    let mut top = rect.min;
    for (galley, color) in galleys {
        let line = galley.size().y;
        painter.galley(top, galley, color);
        top.y += line;
    }
}

/// Returns the rectangle of the text beside the pointer. Near a border, the text moves to the other side of the pointer, so that it does
/// not cover the pointer.
fn place(at: Pos2, size: Vec2, room: Rect) -> Rect {
    let mut rect = Align2::LEFT_TOP.anchor_size(at + OFFSET, size);
    if rect.right() > room.right() {
        rect = rect.translate(vec2(-size.x - 2.0 * OFFSET.x, 0.0));
    }
    if rect.bottom() > room.bottom() {
        rect = rect.translate(vec2(0.0, -size.y - 2.0 * OFFSET.y));
    }
    // The text may not fit on either side.
    rect.translate((room.min - rect.min).max(Vec2::ZERO))
}

/// Returns a line that names the part that the current drag moves. If the part misses its target, a second line shows the distance and the
/// reason. Returns `None` if there is no drag.
fn texts(session: &Session) -> Option<(String, Option<String>)> {
    let Some(drag) = &session.drags.joint else {
        let gizmo = session.drags.gizmo.as_ref()?;
        gizmo.target()?;
        return Some((String::from("the limb follows"), miss(session, session.document.selection.active?)));
    };
    let node = node_name(session, drag.hit.node);
    let moves = if drag.turns_joint {
        let joint = drag.target.base.map_or_else(|| node.clone(), |joint| node_name(session, joint));
        format!("{joint} turns")
    } else if drag.moves_body() {
        format!("{node}   the body follows")
    } else {
        match limb(session, drag.hit.node) {
            Some(limb) => format!("{node}   only the {limb} follows"),
            None => format!("{node}   its chain follows"),
        }
    };
    let place = match drag.landing.map(|landing| landing.on) {
        Some(Some(node)) => Some(format!("on {}", node_name(session, node))),
        Some(None) => Some("on the floor".to_owned()),
        None => drag
            .hanging_point(&session.puppet)
            .map(|(_, height)| format!("above the floor: {}", session.length_unit().text(f64::from(height)))),
    };
    let moves = place.map_or_else(|| moves.clone(), |place| format!("{moves}   {place}"));
    Some((moves, miss(session, drag.target.node)))
}

/// Returns the name of a joint's limb.
fn limb(session: &Session, node: usize) -> Option<String> {
    let rig = &session.puppet.rig;
    let chain = rig.chains.iter().find(|chain| chain.joints.contains(&node)).map(|chain| name(&chain.name));
    let limb = rig.body.as_ref().and_then(|body| body.limb_of(node));
    chain.or_else(|| limb.map(|limb| if limb.kind == LimbKind::Leg { "leg" } else { "arm" }.to_owned()))
}

/// Describes the distance of a node from a missed target, and the reason.
fn miss(session: &Session, node: usize) -> Option<String> {
    let report = session.reports.iter().find(|report| report.node == node)?;
    if report.outcome == Outcome::Reached {
        return None;
    }
    let distance = session.length_unit().text(report.position_error?);
    let holders = report.holders(&session.puppet.character().skeleton);
    Some(match report.outcome {
        _ if !holders.is_empty() => format!("{distance} away, held by {holders}"),
        Outcome::OutOfReach => format!("{distance} away, out of reach"),
        _ => format!("{distance} away"),
    })
}

/// Sets the cursor over the scene according to the possible or current pointer action.
pub(super) fn set_cursor(ui: &Ui, session: &Session, scene: Rect) {
    let at = ui.input(|i| i.pointer.latest_pos()).filter(|at| scene.contains(*at));
    let Some(at) = at else { return };
    // Menus and windows may cover the scene.
    if ui.ctx().layer_id_at(at).is_some_and(|layer| layer.order != egui::Order::Background) {
        return;
    }
    if session.is_dragging() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
    } else if ui.input(|i| i.pointer.any_down()) {
        ui.ctx().set_cursor_icon(egui::CursorIcon::AllScroll);
    } else if session.is_hovering() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::asset::mannequin;
    use crate::rig;
    use crate::{Command, DragScope, NodePoint};

    /// Drags the left hand to a point and returns both lines.
    fn dragged(scope: DragScope, to: DVec3) -> (String, Option<String>) {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let mut session = Session::new(character, Some(rig), glam::Vec2::new(800.0, 600.0));
        let node = session.puppet.character().skeleton.find("leftHand").unwrap();
        assert_eq!(texts(&session), None);
        session.apply(Command::DragScope(scope));
        session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        session.apply(Command::DragTo(to));
        texts(&session).unwrap()
    }

    /// A strip with a long list of causes once began beyond the left border.
    #[test]
    fn the_strip_stays_in_the_scene_and_beside_the_pointer() {
        let room = Rect::from_min_size(Pos2::new(40.0, 30.0), vec2(900.0, 500.0));
        for size in [vec2(60.0, 16.0), vec2(MAX_WIDTH, 48.0)] {
            for (x, y) in (0..=30_u8).flat_map(|x| (0..=20_u8).map(move |y| (f32::from(x), f32::from(y)))) {
                let at = room.min + vec2(x * 30.0, y * 25.0);
                let rect = place(at, size, room);
                assert!(room.expand(1e-3).contains_rect(rect), "{at} {rect}");
                assert!(!rect.contains(at), "{at} {rect}");
            }
        }
        let narrow = Rect::from_min_size(Pos2::ZERO, vec2(200.0, 100.0));
        assert_eq!(place(Pos2::new(120.0, 50.0), vec2(150.0, 20.0), narrow).left(), 0.0);
    }

    #[test]
    fn the_strip_says_what_moves_and_what_holds_it() {
        let near = DVec3::new(0.5, 1.1, 0.2);
        let high = "above the floor: 62.9 % of height";
        assert_eq!(dragged(DragScope::Body, near), (format!("leftHand   the body follows   {high}"), None));
        assert_eq!(
            dragged(DragScope::Limb, near),
            (format!("leftHand   only the left arm follows   {high}"), None)
        );
        let (moves, miss) = dragged(DragScope::Limb, DVec3::new(3.0, 1.2, 0.0));
        assert!(moves.starts_with("leftHand   only the left arm follows   "), "{moves}");
        let miss = miss.unwrap();
        assert!(miss.ends_with(" away, out of reach"), "{miss}");
        let (moves, miss) = dragged(DragScope::Joint, near);
        assert!(moves == "leftLowerArm turns" && miss.is_some(), "{moves}: {miss:?}");
    }
}
