//! An arrow at the border of the scene that points to a character outside it.

use egui::{CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, Vec2, vec2};
use glam::{Vec3, Vec4};

use crate::{Action, Command, Session};

use super::{PanelState, axis_gizmo, theme, tools};

/// Distance of the arrow from the border in points, and its size.
const INSET: f32 = 30.0;
const SIZE: f32 = 11.0;

/// Shows the arrow if the body is outside the scene. A click shows the body.
pub(super) fn show(ui: &Ui, session: &Session, panel: &PanelState, commands: &mut Vec<Command>) {
    let Some((at, direction)) = arrow(session, panel) else { return };
    let arrow = ui.interact(area(at), ui.scope_id().with("outside"), Sense::click());
    let name = "The character is outside the view";
    arrow.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, name));
    let side = direction.rot90();
    let tips = [direction * SIZE, (side - direction) * 0.8 * SIZE, (-side - direction) * 0.8 * SIZE];
    let tips = tips.map(|tip| at + tip).to_vec();
    let accent = theme::accent(ui);
    let fill = if arrow.hovered() { accent } else { accent.gamma_multiply(0.8) };
    ui.painter().add(Shape::convex_polygon(tips, fill, Stroke::new(1.5, egui::Color32::BLACK)));
    let hint = panel.hint(&format!("{name}. Click to see it"), Action::HomeView);
    if arrow.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(hint).clicked() {
        commands.push(Command::Camera(session.home_view()));
    }
}

/// Returns whether a position in points belongs to the arrow, not to the scene around it.
pub(crate) fn contains(session: &Session, panel: &PanelState, at: Pos2) -> bool {
    arrow(session, panel).is_some_and(|(middle, _)| area(middle).contains(at))
}

/// Returns the square that captures the pointer.
fn area(middle: Pos2) -> Rect {
    Rect::from_center_size(middle, Vec2::splat(3.0 * SIZE))
}

/// Returns the arrow's position and direction. It slides along the border so that it covers neither the axis gizmo nor the tools.
fn arrow(session: &Session, panel: &PanelState) -> Option<(Pos2, Vec2)> {
    let (mut at, direction) =
        border(session, session.view.home.body_position(&session.puppet)?, panel.layout.scene)?;
    let scene = panel.layout.scene;
    let areas = [axis_gizmo::area(panel), tools::area(session, panel)].into_iter().flatten();
    if let Some(taken) = areas.map(|rect| rect.expand(1.5 * SIZE)).find(|rect| rect.contains(at)) {
        if direction.y.abs() * scene.width() > direction.x.abs() * scene.height() {
            let is_left = taken.center().x < scene.center().x;
            at.x = if is_left { taken.right() } else { taken.left() };
        } else {
            at.y = taken.bottom();
        }
    }
    Some((at, direction))
}

/// Returns the position and direction of the arrow that points to a world position. `None` if the world position is visible in the scene, or
/// if the scene is too small.
fn border(session: &Session, position: Vec3, scene: Rect) -> Option<(Pos2, Vec2)> {
    let inner = scene.shrink(INSET);
    let aspect = scene.width() / scene.height();
    let clip: Vec4 = session.camera().clip_from_world(aspect) * position.extend(1.0);
    let ndc = vec2(clip.x, -clip.y) / clip.w.abs().max(1e-6);
    let is_inside = clip.w > 0.0 && ndc.x.abs() <= 1.0 && ndc.y.abs() <= 1.0;
    if is_inside || !inner.is_positive() || !(ndc.x.is_finite() && ndc.y.is_finite()) {
        return None;
    }
    let away = vec2(ndc.x * scene.width(), ndc.y * scene.height());
    // A position exactly behind the camera is treated as if it were below the scene.
    let direction = if away.length() > 1e-3 { away.normalized() } else { vec2(0.0, 1.0) };
    let half = inner.size() * 0.5;
    let reach = (half.x / direction.x.abs().max(1e-6)).min(half.y / direction.y.abs().max(1e-6));
    Some((inner.center() + direction * reach, direction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    #[test]
    fn the_arrow_is_at_the_border_towards_the_body() {
        let session = Session::new(mannequin().unwrap(), None, glam::Vec2::new(800.0, 600.0));
        let scene = Rect::from_min_size(egui::pos2(10.0, 20.0), vec2(800.0, 600.0));
        let body = session.view.home.body_position(&session.puppet).unwrap();
        assert_eq!(border(&session, body, scene), None);
        // The camera looks from the +Z side, so +X is on the right of the image.
        let (right, direction) = border(&session, body + Vec3::X * 50.0, scene).unwrap();
        assert!(right.x > 700.0 && direction.x > 0.9, "{right:?} {direction:?}");
        let (left, direction) = border(&session, body - Vec3::X * 50.0, scene).unwrap();
        assert!(left.x < 100.0 && direction.x < -0.9, "{left:?} {direction:?}");
        // Even if the character is behind the camera, the arrow points to the correct side.
        let (behind, _) = border(&session, body + Vec3::new(30.0, 0.0, 60.0), scene).unwrap();
        assert!(behind.x > 400.0 && scene.contains(behind), "{behind:?}");
        assert_eq!(border(&session, body + Vec3::X * 50.0, Rect::ZERO), None);
    }
}
