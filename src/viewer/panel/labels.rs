//! Labels in the scene.

use egui::{Color32, Ui};

use crate::Session;
use crate::session::{drag_goal, gizmo};

use super::{name, node_name};

/// Text color of secondary labels. It is readable on their dark background in both themes.
const QUIET: Color32 = Color32::from_rgb(176, 182, 196);

/// Draws the labels of the hovered part, the gizmo, the highlighted joint and, if names are shown, all handles. `scene` is the part of the
/// window that shows the scene, in points, and `size` is its size in pixels. While a recording is played back, `size` differs from the
/// session's size.
pub(super) fn show(ui: &Ui, session: &Session, scene: egui::Rect, size: glam::Vec2) {
    let (scale, painter) = (ui.ctx().pixels_per_point(), ui.painter().with_clip_rect(scene));
    let draw_label = |point: glam::Vec3, text: &str, color: Color32, left: bool| {
        let Some(at) = place(session, point, scene.min, size, scale) else { return };
        let at = at + egui::vec2(14.0, -10.0);
        let font = egui::FontId::proportional(13.0);
        let galley = painter.layout_no_wrap(text.to_owned(), font, color);
        let at = if left { at - egui::vec2(28.0 + galley.size().x, 0.0) } else { at };
        let background = egui::Rect::from_min_size(at, galley.size()).expand2(egui::vec2(6.0, 3.0));
        painter.rect_filled(background, 5.0, Color32::from_rgba_unmultiplied(16, 18, 24, 205));
        painter.galley(at, galley, color);
    };
    let draw_right = |point, text: &str, color| draw_label(point, text, color, false);
    if session.document.settings.display.names {
        for node in session.picture().handles() {
            let position = session.puppet.world_from_node().get(node).map(|m| m.translation.into());
            position.into_iter().for_each(|p| draw_right(p, &node_name(session, node), QUIET));
        }
    }
    let screen_x = |p| crate::scene::picking::pixel(&session.camera(), p, size).map(|p| p.x);
    if let Some((position, text)) = gizmo::caption(session) {
        // Draw the label on the side facing away from the joint, so that it does not cover the joint's arcs.
        let joint = session.document.selection.active.and_then(|n| session.position_of(n)).and_then(screen_x);
        draw_label(position, &text, Color32::WHITE, screen_x(position) < joint);
    }
    if let Some((position, text)) = gizmo::step_caption(session) {
        let joint = session.shown_step().and_then(|(_, step)| session.position_of(step.node));
        draw_label(position, &text, Color32::WHITE, screen_x(position) < joint.and_then(screen_x));
    }
    if let Some(node) = session.hover.hint.filter(|hint| Some(*hint) != session.document.selection.active) {
        session
            .position_of(node)
            .into_iter()
            .for_each(|p| draw_right(p, &node_name(session, node), Color32::WHITE));
    }
    if let (None, Some(hit)) = (&session.drags.joint, session.hover.hit) {
        let base = drag_goal::chain_base(session.puppet.character(), &session.puppet.rig, &hit);
        let chains = &session.puppet.rig.chains;
        let chain = chains.iter().find(|c| Some(c.base) == base && c.joints.contains(&hit.node));
        let node = node_name(session, hit.node);
        // A single-joint chain often has the same name as its joint.
        let chain = chain.map(|c| name(&c.name)).filter(|chain| *chain != node);
        let label = chain.map_or_else(|| node.to_string(), |chain| format!("{node}   {chain}"));
        draw_right(hit.point, &label, Color32::WHITE);
    }
}

/// Returns a point's position in the window, in points. `corner` is the scene's upper left corner in points, and `size` is its size in pixels.
fn place(
    session: &Session,
    point: glam::Vec3,
    corner: egui::Pos2,
    size: glam::Vec2,
    scale: f32,
) -> Option<egui::Pos2> {
    let at = crate::scene::picking::pixel(&session.camera(), point, size)?;
    Some(corner + egui::vec2(at.x, at.y) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    /// The labels of a watched recording were once misplaced if the scene and the recording had different sizes.
    #[test]
    fn labels_lie_where_the_scene_is_drawn() {
        let session = Session::new(mannequin().unwrap(), None, glam::Vec2::new(800.0, 600.0));
        let hand = session.puppet.character().skeleton.find("leftHand").unwrap();
        let (point, corner) = (session.position_of(hand).unwrap(), egui::pos2(10.0, 36.0));
        let at = |size, scale| place(&session, point, corner, size, scale).unwrap() - corner;
        let own = at(session.size(), 1.0);
        assert!((at(session.size() * 2.0, 1.0) - 2.0 * own).length() < 0.01);
        assert!((at(session.size() * 2.0, 2.0) - own).length() < 0.01);
    }
}
