//! The bones of the recognised body with their joints, and menus to assign other joints.

use egui::{Button, CollapsingHeader, RichText, ScrollArea, Ui};

use crate::rig::bone_list;
use crate::{Command, Session};

use super::{name, node_name, theme};

/// Maximum height of the list and of the menu in points.
const MAX_HEIGHT: f32 = 260.0;
/// Width of the column of bone names in points.
const NAMES: f32 = 130.0;

/// Shows the section. Hovering a bone highlights its joint, and clicking selects it.
pub(super) fn show(ui: &mut Ui, session: &Session, hint: &mut Option<usize>, commands: &mut Vec<Command>) {
    let rig = &session.puppet.rig;
    let title = match &rig.body {
        Some(body) => format!("Body: {}, {:.0} % certain", body.kind.name(), body.certainty * 100.0),
        None => "Body: not recognised".to_owned(),
    };
    CollapsingHeader::new(title).id_salt("body").show(ui, |ui| {
        assign(ui, session, commands);
        let area = ScrollArea::vertical().id_salt("bones").max_height(MAX_HEIGHT).auto_shrink([false, true]);
        area.show(ui, |ui| {
            for (bone, &node) in &rig.bones {
                let is_given = rig.given_bones.contains_key(bone);
                let row = ui.horizontal(|ui| {
                    let label =
                        Button::selectable(session.document.selection.active == Some(node), name(bone))
                            .truncate();
                    let clicked = ui.add_sized([NAMES, ui.spacing().interact_size.y], label);
                    ui.label(RichText::new(node_name(session, node)).color(theme::quiet(ui)));
                    if is_given && ui.small_button("×").on_hover_text("Recognise this bone again").clicked()
                    {
                        commands.push(Command::Bone(bone.clone(), None));
                    }
                    clicked
                });
                if row.inner.hovered() {
                    *hint = Some(node);
                }
                if row.inner.clicked() {
                    commands.push(Command::Select(Some(node)));
                }
            }
        });
    });
}

/// Shows the menu that assigns the selected joint to a bone.
fn assign(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(node) = session.document.selection.active else {
        ui.label(RichText::new("Select a joint to say which bone it is.").small().color(theme::quiet(ui)));
        return;
    };
    ui.menu_button(format!("{} is the…", node_name(session, node)), |ui| {
        ScrollArea::vertical().max_height(MAX_HEIGHT).show(ui, |ui| {
            for bone in bone_list() {
                let is_on = session.puppet.rig.bones.get(&bone) == Some(&node);
                if ui.add(Button::selectable(is_on, &bone)).clicked() {
                    commands.push(Command::Bone(bone, Some(node)));
                    ui.close();
                }
            }
        });
    });
}
