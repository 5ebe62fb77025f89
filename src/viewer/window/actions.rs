//! Performs actions: session actions through commands, application actions through requests, and window actions directly.

use winit::event::KeyEvent;
use winit::keyboard::{Key as WinitKey, KeyCode, KeyLocation, NamedKey, PhysicalKey};

use crate::panel::{AppRequest, Leave, Palette};
use crate::{Action, Event, Key, PoseFile, pose_text, set_pose_command};

use super::{App, system};

/// Converts a window-system key to the viewer's key.
pub(super) fn key(event: &KeyEvent) -> Option<Key> {
    if let Some(pad) = numpad(event) {
        return Some(Key::Numpad(pad));
    }
    Some(match &event.logical_key {
        WinitKey::Named(NamedKey::Escape) => Key::Escape,
        WinitKey::Named(NamedKey::Enter) => Key::Enter,
        WinitKey::Named(NamedKey::Backspace) => Key::Backspace,
        WinitKey::Named(NamedKey::Tab) => Key::Tab,
        WinitKey::Named(NamedKey::Home) => Key::Home,
        WinitKey::Named(NamedKey::End) => Key::End,
        WinitKey::Named(NamedKey::ArrowUp) => Key::Up,
        WinitKey::Named(NamedKey::ArrowDown) => Key::Down,
        WinitKey::Named(NamedKey::PageUp) => Key::PageUp,
        WinitKey::Named(NamedKey::PageDown) => Key::PageDown,
        WinitKey::Named(NamedKey::ArrowLeft) => Key::Left,
        WinitKey::Named(NamedKey::ArrowRight) => Key::Right,
        WinitKey::Named(NamedKey::Space) => Key::Char(' '),
        WinitKey::Named(NamedKey::F1) => Key::Function(1),
        WinitKey::Named(NamedKey::F3) => Key::Function(3),
        WinitKey::Named(NamedKey::F5) => Key::Function(5),
        WinitKey::Named(NamedKey::F12) => Key::Function(12),
        WinitKey::Character(text) => {
            let character = text.chars().next()?.to_ascii_lowercase();
            match event.location {
                KeyLocation::Numpad => Key::Numpad(character),
                _ => Key::Char(character),
            }
        }
        _ => return None,
    })
}

/// Returns the digit or point of a numeric keypad key, even if Num Lock is off.
fn numpad(event: &KeyEvent) -> Option<char> {
    let PhysicalKey::Code(code) = event.physical_key else { return None };
    Some(match code {
        KeyCode::Numpad0 => '0',
        KeyCode::Numpad1 => '1',
        KeyCode::Numpad2 => '2',
        KeyCode::Numpad3 => '3',
        KeyCode::Numpad4 => '4',
        KeyCode::Numpad5 => '5',
        KeyCode::Numpad6 => '6',
        KeyCode::Numpad7 => '7',
        KeyCode::Numpad8 => '8',
        KeyCode::Numpad9 => '9',
        KeyCode::NumpadDecimal => '.',
        _ => return None,
    })
}

impl App {
    /// Handles a pressed key. Returns the event for the scene, unless the window or the panel uses the key.
    pub(super) fn key_event(
        &mut self,
        event: &KeyEvent,
        consumed: bool,
        belongs_to_panel: bool,
    ) -> Option<Event> {
        let key = key(event)?;
        let is_typing = self.context.text_edit_focused() || self.is_typing() || self.panel.palette.is_some();
        let action = self.input.action(key);
        let is_text = matches!(action, Some(Action::CopyPose | Action::PastePose));
        // Keys typed into a text field are not shortcuts, except for Ctrl combinations that the field does not use.
        if is_typing && (is_text || !self.input.control()) {
            return None;
        }
        if event.repeat && !action.is_some_and(Action::repeats) {
            return None;
        }
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
        let action = action.filter(|_| !self.input.is_carrying());
        if action.is_some_and(|action| self.perform_in_window(action)) {
            return None;
        }
        let is_busy = self.input.is_busy();
        self.input.point_at(self.at - self.panel.scene_origin(self.context.pixels_per_point()));
        if key == Key::Escape && !is_busy && self.cancel_reading() {
            return None;
        }
        // Escape cancels a drag in the panel and must not affect the scene.
        let is_of_panel = key == Key::Escape && belongs_to_panel && self.context.egui_is_using_pointer();
        (!is_of_panel && (is_busy || !consumed)).then_some(Event::Key(key))
    }

    /// Performs an action of the window. Returns false without doing anything for actions that `Input` performs, such as turning a joint.
    pub(super) fn perform_in_window(&mut self, action: Action) -> bool {
        if let Some(request) = request(action) {
            self.flush_pointer();
            self.panel.request = Some(request);
            self.handle_app_request();
            return true;
        }
        let panel = &mut self.panel;
        match action {
            // A web page ends when the user closes it, so it ignores Quit.
            Action::Quit if system::HAS_FRAMES => self.leave(Leave::Close),
            Action::Quit => {}
            Action::CopyPose => self.copy_pose(),
            Action::PastePose => self.paste_pose(),
            Action::Face => panel.layout.face = panel.layout.face.other(),
            Action::HidePanels => panel.hidden = !panel.hidden,
            Action::FoldBeside => panel.layout.folded.beside = !panel.layout.folded.beside,
            Action::FoldBelow => panel.layout.folded.below = !panel.layout.folded.below,
            Action::ResetLayout => panel.layout.reset(),
            Action::Palette => panel.palette = Some(Palette::default()),
            Action::Shortcuts => panel.shortcuts = !panel.shortcuts,
            _ => return false,
        }
        true
    }

    /// Performs the action that was chosen in the panel.
    pub(super) fn perform_chosen(&mut self) {
        let Some(action) = self.panel.action.take() else { return };
        if !self.perform_in_window(action) {
            self.input.point_at(self.at - self.panel.scene_origin(self.context.pixels_per_point()));
            self.input.perform(action, &mut self.session);
        }
    }

    fn copy_pose(&mut self) {
        let copied = pose_text(self.session.puppet()).map_err(|error| error.to_string());
        let copied = copied.map(|text| self.context.copy_text(text));
        self.notify(copied.map(|()| "copied the pose".into()));
    }

    fn paste_pose(&mut self) {
        let text = self.open.as_mut().and_then(|open| open.egui.clipboard_text());
        let pasted = match text {
            Some(text) => set_pose_command(self.session.puppet(), &text).map_err(|error| error.to_string()),
            None => Err("the clipboard has no text".into()),
        };
        let pasted = pasted.map(|command| self.session.apply(command));
        self.notify(pasted.map(|()| "pasted the pose".into()));
    }
}

fn request(action: Action) -> Option<AppRequest> {
    Some(match action {
        Action::Open => AppRequest::Open,
        Action::AddClips => AppRequest::ChooseClips,
        Action::Save => AppRequest::Save,
        Action::SaveAs => AppRequest::SaveAs,
        Action::ExportClip => AppRequest::ExportClip,
        Action::SaveImage => AppRequest::SaveImage,
        Action::SavePose => AppRequest::Pose(PoseFile::Json),
        Action::SavePosedGlb => AppRequest::Pose(PoseFile::Glb),
        Action::ChooseFolder => AppRequest::ChooseFolder,
        Action::Record => AppRequest::Record,
        Action::Reload => AppRequest::Reload,
        Action::Previous => AppRequest::Step(false),
        Action::Next => AppRequest::Step(true),
        _ => return None,
    })
}
