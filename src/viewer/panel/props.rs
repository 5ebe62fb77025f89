//! The models that the selected joint carries, such as a cup in a hand.

use egui::{ComboBox, DragValue, RichText, Ui};
use glam::DVec3;

use crate::document::prop::PROP_SCALES;
use crate::text::printable;
use crate::{Command, Prop, Session};

use super::{AppRequest, PanelState, heading, theme, transform};

/// Shows the section for the selected joint.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let skeleton = &session.puppet.character().skeleton;
    let active = session.document.selection.active.and_then(|node| skeleton.nodes.get(node));
    let Some(name) = active.and_then(|node| node.name.as_deref()) else { return };
    heading(ui, "Carries");
    let mut props = session.document.settings.props.clone();
    let mut removed = None;
    let of_node = props.iter_mut().enumerate().filter(|(_, prop)| prop.node == name);
    for (index, prop) in of_node {
        ui.push_id(index, |ui| {
            if entry(ui, session, prop) {
                removed = Some(index);
            }
        });
    }
    if let Some(index) = removed {
        props.remove(index);
    }
    if props != session.document.settings.props {
        commands.push(Command::Props(props));
    }
    if ui.button("Attach a model…").on_hover_text("Let this joint carry a model from a file").clicked() {
        panel.request = Some(AppRequest::ChooseProp);
    }
}

/// Shows a prop, whose numbers can be edited. Returns whether it is to be removed.
fn entry(ui: &mut Ui, session: &Session, prop: &mut Prop) -> bool {
    let file = prop.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let removes = ui.horizontal(|ui| {
        ui.label(printable::line(&file)).on_hover_text(printable::line(&prop.file.display().to_string()));
        ui.button("Remove").clicked()
    });
    if let Some(failure) = session.props.failure(prop, &session.puppet.character().skeleton) {
        ui.label(RichText::new(printable::line(&failure)).color(theme::accent(ui)));
        return removes.inner;
    }
    let parts = session.props.parts(prop);
    if !parts.is_empty() {
        let shown = prop.part.as_deref().map_or("All parts".into(), printable::line).into_owned();
        ComboBox::from_id_salt("part").selected_text(shown).show_ui(ui, |ui| {
            ui.selectable_value(&mut prop.part, None, "All parts");
            for part in parts {
                let name = printable::line(&part).into_owned();
                ui.selectable_value(&mut prop.part, Some(part), name);
            }
        });
    }
    let mut position = prop.position.to_array();
    transform::row(ui, "Position", &mut position, |_, number| number.speed(0.002).max_decimals(3));
    let mut degrees = prop.degrees.to_array();
    transform::row(ui, "Rotation", &mut degrees, |_, number| number.speed(0.5).max_decimals(1).suffix("°"));
    (prop.position, prop.degrees) = (DVec3::from(position), DVec3::from(degrees));
    ui.horizontal(|ui| {
        let title = ui.label(RichText::new("Scale").color(theme::quiet(ui)));
        let speed = 0.005 * prop.scale;
        let number = DragValue::new(&mut prop.scale).range(PROP_SCALES).speed(speed).max_decimals(3);
        ui.add(number.update_while_editing(false)).labelled_by(title.id);
    });
    removes.inner
}
