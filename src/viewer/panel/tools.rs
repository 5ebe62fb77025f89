//! The tools over the scene: icons in its upper left corner for the gizmo's function and the behaviour of drags.

use egui::{Color32, Pos2, Rect, Sense, Shape, Stroke, Ui, Vec2, pos2, vec2};

use crate::{Action, Command, Session, Tool};

use super::{PanelState, theme};

/// Button size, space between buttons, and space around all of them, in points.
const SIDE: f32 = 30.0;
const SPACE: f32 = 4.0;
const MARGIN: f32 = 12.0;
/// Half the size of an icon in points.
const ICON: f32 = 8.5;
/// Colour behind the icons, visible on dark and light backgrounds.
const BACK: Color32 = Color32::from_rgba_premultiplied(14, 16, 21, 205);

/// A button of the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Icon {
    Pull,
    Turn,
    Pin,
    Symmetric,
    Land,
}

impl Icon {
    fn name(self) -> &'static str {
        match self {
            Self::Pull => "Pull",
            Self::Turn => "Turn",
            Self::Pin => "Pin",
            Self::Symmetric => "Symmetric",
            Self::Land => Action::Landing.name(),
        }
    }

    fn hint(self, panel: &PanelState) -> String {
        let until_click = |what: &str, action: Action| {
            format!("{what}   {}: it follows the pointer until a click", panel.keymap.text(action))
        };
        match self {
            Self::Pull => until_click("Pull: arrows pull the selected joint", Action::Move),
            Self::Turn => until_click("Turn: rings turn the selected joint", Action::Turn),
            Self::Pin => panel.hint("Pin: keep the selected joint in place", Action::Pin),
            Self::Symmetric => panel.hint(Action::Symmetry.name(), Action::Symmetry),
            Self::Land => {
                let what = "Land: a dragged hand or foot lies down on what is under the pointer";
                panel.hint(what, Action::Landing)
            }
        }
    }
}

/// Returns a session's buttons, in groups.
fn groups(session: &Session) -> Vec<&'static [Icon]> {
    let tools: &[Icon] = &[Icon::Pull, Icon::Turn];
    let joint: &[Icon] = &[Icon::Pin];
    let body: &[Icon] = &[Icon::Symmetric, Icon::Land];
    let mut groups = vec![tools, joint];
    groups.extend(session.has_body().then_some(body));
    groups
}

/// Returns the buttons with their rectangles in points, or none if the scene is too small.
fn buttons(session: &Session, panel: &PanelState) -> Vec<(Icon, Rect)> {
    let scene = panel.layout.scene;
    let mut at = scene.left_top() + Vec2::splat(MARGIN);
    let mut buttons = Vec::new();
    for group in groups(session) {
        for &icon in group {
            buttons.push((icon, Rect::from_min_size(at, Vec2::splat(SIDE))));
            at.y += SIDE;
        }
        at.y += SPACE;
    }
    let fits = at.y + MARGIN < scene.bottom() && scene.width() > 8.0 * SIDE;
    if panel.hidden || !fits { Vec::new() } else { buttons }
}

/// Returns whether a position in points belongs to a tool, not to the scene around it.
pub(crate) fn contains(session: &Session, panel: &PanelState, at: Pos2) -> bool {
    buttons(session, panel).iter().any(|(_, rect)| rect.contains(at))
}

/// Returns the rectangle around the tools in points, if they are shown.
pub(super) fn area(session: &Session, panel: &PanelState) -> Option<Rect> {
    buttons(session, panel).into_iter().map(|(_, rect)| rect).reduce(Rect::union)
}

pub(super) fn show(ui: &Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let buttons = buttons(session, panel);
    for group in groups(session) {
        let of_group = buttons.iter().filter(|(icon, _)| group.contains(icon)).map(|(_, rect)| *rect);
        if let Some(back) = of_group.reduce(Rect::union) {
            ui.painter().rect_filled(back, 6.0, BACK);
        }
    }
    let selected = session.selected();
    for (icon, rect) in buttons {
        let is_on = match icon {
            Icon::Pull => session.document.settings.tool == Tool::Pull,
            Icon::Turn => session.document.settings.tool == Tool::Turn,
            Icon::Pin => {
                selected.is_some_and(|node| session.document.scene.pins.iter().any(|pin| pin.node == node))
            }
            Icon::Symmetric => session.document.settings.symmetry,
            Icon::Land => session.document.settings.landing,
        };
        let is_enabled = icon != Icon::Pin || selected.is_some();
        let sense = if is_enabled { Sense::click() } else { Sense::hover() };
        let response = ui.interact(rect, ui.scope_id().with(("tool", icon.name())), sense);
        response.widget_info(|| {
            egui::WidgetInfo::selected(egui::accesskit::Role::Button, is_enabled, is_on, icon.name())
        });
        draw(ui, icon, rect, is_on, is_enabled, response.hovered() && is_enabled);
        // Place the tooltip beside the tools, so that it does not cover the tools below.
        let mut tip = egui::Tooltip::for_enabled(&response);
        tip.popup = tip.popup.align(egui::RectAlign::RIGHT);
        tip.show(|ui| ui.label(icon.hint(panel)));
        if response.clicked() {
            match icon {
                Icon::Pull => commands.push(Command::Tool(Tool::Pull)),
                Icon::Turn => commands.push(Command::Tool(Tool::Turn)),
                // The action would pin the joint under the pointer, but the pointer is on this button.
                Icon::Pin => commands.extend(selected.map(Command::PinNode)),
                Icon::Symmetric => panel.action = Some(Action::Symmetry),
                Icon::Land => panel.action = Some(Action::Landing),
            }
        }
    }
}

fn draw(ui: &Ui, icon: Icon, rect: Rect, is_on: bool, is_enabled: bool, is_hovered: bool) {
    let painter = ui.painter();
    if is_on {
        painter.rect_filled(rect.shrink(1.0), 5.0, theme::TOOL);
    } else if is_hovered {
        painter.rect_filled(rect.shrink(1.0), 5.0, Color32::from_white_alpha(30));
    }
    let ink = if is_enabled { Color32::WHITE } else { Color32::from_white_alpha(110) };
    for shape in shapes(icon, rect.center(), Stroke::new(1.7, ink)) {
        painter.add(shape);
    }
}

/// Returns a triangle that points in a direction.
fn arrowhead(tip: Pos2, direction: Vec2, size: f32, color: Color32) -> Shape {
    let (back, side) = (tip - direction * size, direction.rot90() * size * 0.75);
    Shape::convex_polygon(vec![tip, back + side, back - side], color, Stroke::NONE)
}

fn shapes(icon: Icon, center: Pos2, stroke: Stroke) -> Vec<Shape> {
    let at = |x: f32, y: f32| center + vec2(x, y) * ICON;
    let line = |from: Pos2, to: Pos2| Shape::line_segment([from, to], stroke);
    let color = stroke.color;
    match icon {
        Icon::Pull => {
            let arms = [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0)];
            let arm = |d: Vec2| {
                [line(center, center + d * ICON * 0.7), arrowhead(center + d * ICON * 1.1, d, 4.5, color)]
            };
            arms.into_iter().flat_map(arm).collect()
        }
        Icon::Turn => {
            // Three quarters of a circle, open on the right, with an arrowhead at its upper end.
            let on_circle = |i: u8| {
                let angle = (0.2 + 1.45 * f32::from(i) / 24.0) * std::f32::consts::PI;
                center + Vec2::angled(angle) * ICON * 0.85
            };
            let arc: Vec<Pos2> = (0..=24).map(on_circle).collect();
            let tip = on_circle(24) + vec2(0.85, 0.55) * 4.5;
            vec![Shape::line(arc, stroke), arrowhead(tip, vec2(0.85, 0.53), 6.5, color)]
        }
        Icon::Pin => vec![
            Shape::circle_filled(at(0.0, -0.45), ICON * 0.5, color),
            line(at(0.0, 0.0), at(0.0, 1.0)),
            line(at(-0.55, 1.0), at(0.55, 1.0)),
        ],
        Icon::Symmetric => {
            let dash = |i: u8| {
                let y = -1.0 + 0.8 * f32::from(i);
                line(at(0.0, y), at(0.0, y + 0.4))
            };
            let half = |side: f32| {
                let corners = vec![at(0.3 * side, -0.7), at(1.05 * side, 0.7), at(0.3 * side, 0.7)];
                Shape::closed_line(corners, Stroke::new(1.4, color))
            };
            (0..3).map(dash).chain([half(-1.0), half(1.0)]).collect()
        }
        Icon::Land => {
            let ground: Vec<Pos2> = (0..=8)
                .map(|i: u8| f32::from(i) / 4.0 - 1.0)
                .map(|x| at(1.05 * x, 0.7 + 0.35 * x * x))
                .collect();
            vec![
                line(at(0.0, -1.05), at(0.0, 0.1)),
                arrowhead(pos2(center.x, center.y + 0.55 * ICON), vec2(0.0, 1.0), 5.0, color),
                Shape::line(ground, stroke),
            ]
        }
    }
}
