//! Names in the scene.

use egui::{Color32, Ui};

use super::super::{Session, gizmo, hand};
use super::QUIET;

/// Names in the scene: what would be grabbed, and of all handles if asked.
pub(super) fn show(ui: &Ui, session: &Session) {
    let scale = ui.ctx().pixels_per_point();
    let skeleton = &session.puppet.character().skeleton;
    let write = |point: glam::Vec3, text: &str, color: Color32| {
        let Some(at) = crate::picking::pixel(&session.camera(), point, session.size()) else { return };
        let at = egui::pos2(at.x / scale + 14.0, at.y / scale - 10.0);
        let font = egui::FontId::proportional(13.0);
        let galley = ui.painter().layout_no_wrap(text.to_owned(), font, color);
        let behind = egui::Rect::from_min_size(at, galley.size()).expand2(egui::vec2(6.0, 3.0));
        ui.painter().rect_filled(behind, 5.0, Color32::from_rgba_unmultiplied(16, 18, 24, 205));
        ui.painter().galley(at, galley, color);
    };
    if session.display.names {
        for &node in &session.handles {
            let place = session.puppet.world_from_node().get(node).map(|m| m.translation.into());
            place.into_iter().for_each(|p| write(p, &skeleton.label(node), QUIET));
        }
    }
    if let Some((place, text)) = gizmo::caption(session) {
        write(place, &text, Color32::WHITE);
    }
    if let Some(node) = session.hint {
        session.place(node).into_iter().for_each(|p| write(p, &skeleton.label(node), Color32::WHITE));
    }
    if let (None, Some(hit)) = (&session.hand, session.hover) {
        let base = hand::chain_base(session.puppet.character(), &session.puppet.rig, &hit);
        let chains = &session.puppet.rig.chains;
        let chain = chains.iter().find(|c| Some(c.base) == base && c.joints.contains(&hit.node));
        let chain = chain.map_or_else(String::new, |c| format!("   {}", c.name));
        write(hit.point, &format!("{}{chain}", skeleton.label(hit.node)), Color32::WHITE);
    }
}
