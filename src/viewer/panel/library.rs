//! The pose library: thumbnails of stored poses. A click applies a pose, and a slider blends it.

use std::collections::HashMap;

use egui::{Button, ColorImage, Id, Image, Key, Popup, RichText, Slider, TextEdit, TextureHandle, Ui, vec2};

use crate::asset::DecodedImage;
use crate::document::EditRun;
use crate::export::StoredPose;
use crate::project::library::PoseLibrary;
use crate::{Command, Session, blend_pose_command};

use super::{AppRequest, PanelState, name, theme};

/// Width and height of a thumbnail in points.
const SIDE: f32 = 80.0;
/// Maximum length of a displayed name in characters.
const MAX_NAME_LENGTH: usize = 12;

/// An action on the library that reads or writes files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LibraryRequest {
    /// Adds the current pose under a name, or under a free number if the name is empty.
    Add(String),
    /// Applies a pose.
    Apply(String),
    /// Renames a pose.
    Rename(String, String),
    /// Moves a pose to the trash.
    Remove(String),
}

/// State of the library's section.
#[derive(Debug, Default)]
pub(crate) struct Library {
    poses: PoseLibrary,
    /// The name of the pose to add.
    typed: String,
    /// The last applied pose, and its weight.
    applied: Option<AppliedPose>,
    /// The pose that is being renamed, and its new name.
    renamed: Option<(String, String)>,
    /// Number of changes to the library. Cached thumbnails are used only if they have the same number.
    version: u64,
}

#[derive(Debug)]
struct AppliedPose {
    name: String,
    pose: StoredPose,
    weight: f32,
}

impl Library {
    pub(crate) fn poses(&self) -> &PoseLibrary {
        &self.poses
    }

    /// Shows the poses of a reloaded folder.
    pub(crate) fn set(&mut self, poses: PoseLibrary) {
        if self.poses.folder() != poses.folder() {
            (self.applied, self.renamed) = (None, None);
        }
        self.poses = poses;
        self.version += 1;
    }

    /// Records that a pose was fully applied.
    pub(crate) fn select(&mut self, name: &str, pose: StoredPose) {
        self.applied = Some(AppliedPose { name: name.to_owned(), pose, weight: 1.0 });
    }
}

pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    add(ui, panel);
    let names = panel.library.poses.names().to_vec();
    if names.is_empty() {
        let hint = "Store a pose to apply it again, or to blend it with another one.";
        ui.label(RichText::new(hint).color(theme::quiet(ui)));
        return;
    }
    blend(ui, session, panel, commands);
    let thumbnails = thumbnails(ui, &panel.library);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for pose in &names {
            thumbnail(ui, pose, thumbnails.get(pose), panel);
        }
    });
    if ui.button("Mirror").on_hover_text("Exchange the left and the right side of the current pose").clicked()
    {
        commands.push(Command::MirrorPose);
    }
}

/// Shows the field for the name of a new pose.
fn add(ui: &mut Ui, panel: &mut PanelState) {
    let library = &mut panel.library;
    ui.horizontal(|ui| {
        let field =
            TextEdit::singleline(&mut library.typed).hint_text("Name of the pose").desired_width(150.0);
        let field = ui.add(field);
        let enters = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        let button = ui.button("Add pose").on_hover_text("Store the current pose");
        if button.clicked() || enters {
            let name = std::mem::take(&mut library.typed);
            panel.request = Some(AppRequest::Library(LibraryRequest::Add(name)));
        }
    });
}

/// Shows the slider that blends the last chosen pose. After any other change to the pose, the slider starts at zero again.
fn blend(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let Some(applied) = &mut panel.library.applied else { return };
    let mut weight = if session.history.is_in_run(EditRun::Blend) { applied.weight } else { 0.0 };
    let slider = Slider::new(&mut weight, 0.0..=1.0).max_decimals(2).text(name(&applied.name));
    let hint = "Blend the previous pose with the chosen one";
    if ui.add(slider).on_hover_text(hint).changed() {
        applied.weight = weight;
        // This does not fail, because the pose already fitted the character when it was chosen.
        commands.extend(blend_pose_command(session.puppet(), &applied.pose, weight).ok());
    }
}

/// Shows one pose. A click applies it; the secondary button shows a menu.
fn thumbnail(ui: &mut Ui, pose: &str, image: Option<&TextureHandle>, panel: &mut PanelState) {
    let is_applied = panel.library.applied.as_ref().is_some_and(|applied| applied.name == pose);
    ui.vertical(|ui| {
        ui.set_width(SIDE);
        let size = vec2(SIDE, SIDE);
        let button = match image {
            Some(image) => Button::image(Image::new(image).fit_to_exact_size(size - vec2(8.0, 4.0))),
            None => Button::new("?"),
        };
        let button = ui.add_sized(size, button.selected(is_applied));
        let label = crate::text::printable::shortened(pose, MAX_NAME_LENGTH);
        ui.label(RichText::new(label));
        let button =
            button.on_hover_text(format!("{}\nClick: apply. Right click: rename, delete", name(pose)));
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name(pose)));
        if button.clicked() {
            panel.request = Some(AppRequest::Library(LibraryRequest::Apply(pose.to_owned())));
        }
        let popup =
            Popup::context_menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        popup.show(|ui| menu(ui, pose, panel));
    });
}

fn menu(ui: &mut Ui, pose: &str, panel: &mut PanelState) {
    let library = &mut panel.library;
    if library.renamed.as_ref().is_none_or(|(renamed, _)| renamed != pose) {
        library.renamed = Some((pose.to_owned(), pose.to_owned()));
    }
    let Some((_, to)) = &mut library.renamed else { return };
    ui.horizontal(|ui| {
        let field = ui.add(TextEdit::singleline(to).desired_width(130.0));
        let enters = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        if ui.button("Rename").clicked() || enters {
            let request = LibraryRequest::Rename(pose.to_owned(), to.clone());
            panel.request = Some(AppRequest::Library(request));
            ui.close();
        }
    });
    if ui.button("Delete").on_hover_text("Move the pose to the folder .trash").clicked() {
        panel.request = Some(AppRequest::Library(LibraryRequest::Remove(pose.to_owned())));
        ui.close();
    }
}

type Thumbnails = HashMap<String, TextureHandle>;

/// Returns the textures of the thumbnails. They are stored in the egui context that owns them, because another context cannot draw them.
fn thumbnails(ui: &Ui, library: &Library) -> Thumbnails {
    let id = Id::unique("thumbnails");
    let known: Option<(u64, Thumbnails)> = ui.ctx().data(|data| data.get_temp(id));
    if let Some((_, known)) = known.filter(|(version, _)| *version == library.version) {
        return known;
    }
    let read = |name: &String| {
        let image = DecodedImage::decode(&library.poses.thumbnail(name)?).ok()?;
        let size = [image.width as usize, image.height as usize];
        let image = ColorImage::from_rgba_unmultiplied(size, &image.rgba);
        Some((name.clone(), ui.ctx().load_texture(name, image, egui::TextureOptions::LINEAR)))
    };
    let textures: Thumbnails = library.poses.names().iter().filter_map(read).collect();
    ui.ctx().data_mut(|data| data.insert_temp(id, (library.version, textures.clone())));
    textures
}
