//! The panel section for display options.

use egui::{RichText, Ui};

use crate::render::ShadingMode;
use crate::session::viewpoint::Viewpoint;
use crate::skin::Skinning;
use crate::text::printable;
use crate::{Command, Display, EyeTarget, Keymap, Session};

use super::{PanelState, heading, theme};

/// Shows the shading mode, the skinning method, toggles for the skeleton, names, ground and shadow, and the quality of
/// moving scenes.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    heading(ui, "Display");
    let Display { mut skeleton, mut names, mut ground, mut shadow, mut follow } =
        session.document.settings.display;
    ui.horizontal_wrapped(|ui| {
        for mode in ShadingMode::ALL.into_iter().filter(|m| *m != ShadingMode::Skeleton) {
            if ui.selectable_label(session.document.settings.shading_mode == mode, mode.name()).clicked() {
                commands.push(Command::ShadingMode(mode));
            }
        }
    });
    variants(ui, session, commands);
    ui.horizontal_wrapped(|ui| {
        ui.label("Skinning");
        for skinning in Skinning::ALL {
            if ui.selectable_label(session.puppet.options.skinning == skinning, skinning.name()).clicked() {
                commands.push(Command::Skinning(skinning));
            }
        }
    });
    egui::Grid::new("display").num_columns(2).show(ui, |ui| {
        ui.checkbox(&mut skeleton, "Skeleton");
        ui.checkbox(&mut names, "Names");
        ui.end_row();
        ui.checkbox(&mut ground, "Ground");
        ui.checkbox(&mut shadow, "Shadow");
        ui.end_row();
        ui.checkbox(&mut follow, "Follow").on_hover_text(
            "The camera moves with the character while a motion plays, also if it comes from a live source",
        );
    });
    secondary(ui, session, commands);
    let mut axes = !panel.layout.folded.axes;
    if ui
        .checkbox(&mut axes, "Axis gizmo")
        .on_hover_text("Views along the axes, in the corner of the scene")
        .changed()
    {
        panel.layout.folded.axes = !axes;
    }
    ui.checkbox(&mut panel.full_quality, "Full quality while moving").on_hover_text(
        "Without it, a scene that this machine cannot draw in time is drawn in lower quality while it moves. Images at rest and \
         saved images always have full quality.",
    );
    let display = Display { skeleton, names, ground, shadow, follow };
    if display != session.document.settings.display {
        commands.push(Command::Display(display));
    }
}

/// Shows the menu of variants, if the character has any.
fn variants(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let names = &session.puppet().character().variants.names;
    if names.is_empty() {
        return;
    }
    let shown = session.settings().variant.as_deref();
    let label = |name: Option<&str>| name.map_or("default".into(), printable::line).into_owned();
    egui::ComboBox::from_label("Materials").selected_text(label(shown)).show_ui(ui, |ui| {
        for name in std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str()))) {
            if ui.selectable_label(shown == name, label(name)).clicked() {
                commands.push(Command::Variant(name.map(str::to_owned)));
            }
        }
    });
}

/// Shows the toggle for springs, if the character has any, and the selector for its look-at target, if it can look at one.
fn secondary(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let character = session.puppet.character();
    if !character.springs.is_empty() {
        let mut springs = session.document.settings.springs;
        if ui.checkbox(&mut springs, "Springs").on_hover_text("Hair and clothes swing").changed() {
            commands.push(Command::Springs(springs));
        }
    }
    let Some(viewpoint) = Viewpoint::of(&session.puppet) else { return };
    let before_face = viewpoint.point_before(session.view.home.scene_bounds.sphere().1);
    let part = if character.look_at.is_some() { "The eyes look" } else { "The head looks" };
    let now = session.document.settings.look_at;
    let point = match now {
        EyeTarget::Point(_) => now,
        _ => EyeTarget::Point(before_face.as_dvec3()),
    };
    ui.horizontal(|ui| {
        ui.label("Look at");
        for (target, text, hint) in [
            (EyeTarget::Nothing, "Nothing", "where the motion turns it"),
            (EyeTarget::Camera, "Camera", "at the camera"),
            (point, "Point", "at a handle in the scene, which can be dragged"),
        ] {
            let choice = ui.selectable_label(now == target, text).on_hover_text(format!("{part} {hint}"));
            if choice.clicked() && now != target {
                commands.push(Command::LookAt(target));
            }
        }
    });
}

/// Shows the keymap selector, the button that resets the layout, and the adapter.
pub(super) fn about(ui: &mut Ui, panel: &mut PanelState) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Keys");
        for keymap in Keymap::ALL {
            ui.selectable_value(&mut panel.keymap, keymap, keymap.name());
        }
    });
    ui.add_space(10.0);
    if ui.button("Reset layout").on_hover_text("Put all panes back to where they were at first").clicked() {
        panel.layout.reset();
    }
    ui.add_space(10.0);
    ui.label(RichText::new(&panel.adapter).small().color(theme::quiet(ui)));
}
