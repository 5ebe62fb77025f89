//! The axis gizmo: six balls in a corner of the scene that turn with the camera. Clicking a ball shows the view from that
//! side, clicking the middle switches between perspective and orthographic projection, and dragging orbits the camera.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2, vec2};
use glam::Vec3;

use crate::{Action, Command, Session};

use super::{PanelState, theme};

/// Radius of the circle around the gizmo that captures the pointer, in points.
const RADIUS: f32 = 44.0;
/// Distance of the balls from the gizmo's middle, and the radii of a ball and of the middle, in points.
const REACH: f32 = 32.0;
const BALL: f32 = 9.0;
const MIDDLE: f32 = 7.0;
/// Space between the circle and the edges of the scene in points.
const MARGIN: f32 = 12.0;
/// Minimum size of a scene that shows the gizmo.
const MIN_SCENE: Vec2 = vec2(280.0, 220.0);

/// The ends of the axes: direction, label, colour index and click action.
const ENDS: [(Vec3, &str, usize, Action); 6] = [
    (Vec3::X, "X", 0, Action::Side),
    (Vec3::NEG_X, "-X", 0, Action::OtherSide),
    (Vec3::Y, "Y", 1, Action::Top),
    (Vec3::NEG_Y, "-Y", 1, Action::Bottom),
    (Vec3::Z, "Z", 2, Action::Front),
    (Vec3::NEG_Z, "-Z", 2, Action::Back),
];

/// A part of the gizmo on the screen.
#[derive(Clone, Copy, Debug)]
struct Ball {
    at: Pos2,
    /// Component of the axis direction towards the camera, from -1 to 1.
    depth: f32,
    label: &'static str,
    axis: usize,
    action: Action,
}

/// Returns the middle of the gizmo in a scene, in points.
fn center(scene: Rect) -> Pos2 {
    scene.right_top() + vec2(-MARGIN - RADIUS, MARGIN + RADIUS)
}

/// Returns whether a position in points belongs to the gizmo, not to the scene around it.
pub(crate) fn contains(panel: &PanelState, at: Pos2) -> bool {
    is_shown(panel) && center(panel.layout.scene).distance(at) <= RADIUS
}

/// Returns the square around the gizmo in points, if it is shown.
pub(super) fn area(panel: &PanelState) -> Option<Rect> {
    is_shown(panel).then(|| Rect::from_center_size(center(panel.layout.scene), Vec2::splat(2.0 * RADIUS)))
}

fn is_shown(panel: &PanelState) -> bool {
    let size = panel.layout.scene.size();
    !panel.hidden && !panel.layout.folded.axes && size.x >= MIN_SCENE.x && size.y >= MIN_SCENE.y
}

/// Returns the balls, farthest from the camera first.
fn balls(session: &Session, center: Pos2) -> Vec<Ball> {
    let orbit = &session.document.orbit;
    let (right, up, back) = (orbit.right(), orbit.up(), orbit.back());
    let ball = |(direction, label, axis, action): (Vec3, &'static str, usize, Action)| Ball {
        at: center + vec2(direction.dot(right), -direction.dot(up)) * REACH,
        depth: direction.dot(back),
        label,
        axis,
        action,
    };
    let mut balls: Vec<Ball> = ENDS.into_iter().map(ball).collect();
    balls.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    balls
}

/// Returns the action of a click at `at`. The middle has priority over the ball of an axis that points at the camera, because that view is
/// already shown.
fn action_at(balls: &[Ball], center: Pos2, at: Pos2) -> Option<Action> {
    if center.distance(at) <= MIDDLE {
        return Some(Action::Projection);
    }
    balls.iter().rev().find(|ball| ball.at.distance(at) <= BALL + 1.0).map(|ball| ball.action)
}

/// Shows the gizmo in the upper right corner of the scene, unless it is hidden or the scene is too small.
pub(super) fn show(ui: &Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let Some(rect) = area(panel) else { return };
    let center = rect.center();
    let balls = balls(session, center);
    let response = ui.interact(rect, egui::Id::unique("axis gizmo"), Sense::click_and_drag());
    // Pointer events in the corners of the rectangle, outside the circle, belong to the scene.
    let began = ui.input(|i| i.pointer.press_origin()).filter(|at| center.distance(*at) <= RADIUS);
    let pointer = response.hover_pos().filter(|at| center.distance(*at) <= RADIUS);
    let is_dragged = response.dragged() && began.is_some();
    if is_dragged {
        let by = response.drag_delta() * ui.ctx().pixels_per_point();
        if by != Vec2::ZERO {
            commands.push(Command::Orbit(glam::Vec2::new(by.x, by.y)));
        }
    }
    let is_free = !session.is_dragging() && !is_dragged;
    let hovered = pointer.filter(|_| is_free).and_then(|at| action_at(&balls, center, at));
    if let Some(action) = hovered.filter(|_| response.clicked()) {
        panel.action = Some(action);
    }
    let is_active = is_dragged || is_free && pointer.is_some();
    draw(ui, session, center, &balls, is_active, hovered);
    if pointer.is_some() && is_free {
        let text = hovered.map_or_else(
            || "Drag to orbit".to_owned(),
            |action| format!("{}   {}", action.name(), panel.keymap.text(action)).trim_end().to_owned(),
        );
        response.on_hover_text(text);
    }
}

fn draw(ui: &Ui, session: &Session, center: Pos2, balls: &[Ball], is_active: bool, hovered: Option<Action>) {
    let painter = ui.painter().with_clip_rect(ui.clip_rect());
    if is_active {
        painter.circle_filled(center, RADIUS, Color32::from_black_alpha(60));
    }
    let mut has_middle = false;
    for ball in balls {
        if ball.depth > 0.0 && !has_middle {
            draw_middle(&painter, session, center, hovered);
            has_middle = true;
        }
        draw_ball(&painter, center, ball, hovered == Some(ball.action));
    }
}

fn draw_middle(painter: &egui::Painter, session: &Session, center: Pos2, hovered: Option<Action>) {
    let is_hovered = hovered == Some(Action::Projection);
    let color = if is_hovered { Color32::WHITE } else { Color32::from_white_alpha(150) };
    let stroke = Stroke::new(1.5, color);
    // The symbol is a rectangle for an orthographic view and a trapezoid for a perspective view.
    let narrow = if session.document.orbit.is_orthographic() { MIDDLE } else { MIDDLE * 0.5 };
    let (top, bottom) = (center.y - MIDDLE * 0.6, center.y + MIDDLE * 0.6);
    let corners = [
        pos2(center.x - narrow * 0.8, top),
        pos2(center.x + narrow * 0.8, top),
        pos2(center.x + MIDDLE * 0.8, bottom),
        pos2(center.x - MIDDLE * 0.8, bottom),
    ];
    painter.add(egui::Shape::closed_line(corners.to_vec(), stroke));
}

/// Returns black or white, whichever has the higher contrast with a color. The contrast is at least 4.5:1.
fn ink_on(color: Color32) -> Color32 {
    let linear = egui::Rgba::from(color);
    let luminance = 0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b();
    if luminance > 0.179 { Color32::BLACK } else { Color32::WHITE }
}

fn draw_ball(painter: &egui::Painter, center: Pos2, ball: &Ball, is_hovered: bool) {
    let full = theme::axis(ball.axis);
    // Farther balls are darker.
    let color = full.lerp_to_gamma(Color32::from_rgb(58, 61, 68), (0.35 - 0.35 * ball.depth).clamp(0.0, 1.0));
    let is_positive = !ball.label.starts_with('-');
    // The ball of an axis that points at the camera is drawn as a ring, so that the symbol in the middle stays visible.
    let is_in_middle = ball.at.distance(center) < MIDDLE;
    if is_in_middle {
        painter.circle_stroke(center, BALL + 3.0, Stroke::new(2.0, full));
        return;
    }
    if is_positive {
        let from = center + (ball.at - center) * ((MIDDLE + 3.0) / center.distance(ball.at).max(1.0));
        painter.line_segment([from, ball.at], Stroke::new(2.0, color));
        painter.circle_filled(ball.at, BALL, color);
    } else {
        painter.circle(ball.at, BALL - 1.0, color.gamma_multiply(0.35), Stroke::new(1.5, color));
    }
    if is_hovered {
        painter.circle_stroke(ball.at, BALL + 1.0, Stroke::new(1.5, Color32::WHITE));
    }
    if is_positive || is_hovered {
        let ink = if is_positive { ink_on(color) } else { Color32::WHITE };
        painter.text(ball.at, Align2::CENTER_CENTER, ball.label, FontId::proportional(12.0), ink);
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::asset::mannequin;

    #[test]
    fn balls_lie_where_their_axes_point() {
        let session = Session::new(mannequin().unwrap(), None, Vec2::new(800.0, 600.0));
        let middle = pos2(100.0, 100.0);
        let balls = balls(&session, middle);
        assert!(balls.windows(2).all(|pair| pair[0].depth <= pair[1].depth));
        // The first view is from the front left and slightly above.
        let find = |action: Action| *balls.iter().find(|ball| ball.action == action).unwrap();
        assert!(find(Action::Top).at.y < middle.y - 25.0 && find(Action::Side).at.x > middle.x + 20.0);
        assert!(find(Action::Front).depth > 0.8 && find(Action::Back).depth < -0.8);
        for ball in balls.iter().filter(|ball| ball.depth > 0.0) {
            assert_eq!(action_at(&balls, middle, ball.at), Some(ball.action));
        }
        assert_eq!(action_at(&balls, middle, middle), Some(Action::Projection));
        assert_eq!(action_at(&balls, middle, middle + vec2(30.0, 30.0)), None);
    }

    #[test]
    fn only_the_circle_belongs_to_the_gizmo() {
        let mut panel = PanelState::default();
        panel.layout.scene = Rect::from_min_max(pos2(10.0, 36.0), pos2(800.0, 600.0));
        let middle = center(panel.layout.scene);
        assert!(contains(&panel, middle + vec2(0.0, RADIUS - 1.0)));
        assert!(!contains(&panel, middle + vec2(RADIUS - 2.0, RADIUS - 2.0)));
        panel.layout.folded.axes = true;
        assert!(!contains(&panel, middle));
        panel.layout.folded.axes = false;
        panel.layout.scene.set_width(270.0);
        assert!(!contains(&panel, center(panel.layout.scene)));
    }
}
