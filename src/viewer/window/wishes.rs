//! What the window itself does: it opens files and saves them.

use std::path::Path;

use winit::keyboard::{Key, NamedKey};

use crate::asset::load;
use crate::rig;

use super::super::panel::Wish;
use super::super::{PoseFile, SaveError, Session, neighbour};
use super::{App, scale};

const BUILT_IN: &str = "the character inside the program has no file";

/// What a key asks of the window.
pub(super) fn of(key: &Key, control: bool) -> Option<Wish> {
    match key {
        Key::Named(NamedKey::F12) => Some(Wish::Picture),
        Key::Named(NamedKey::F5) => Some(Wish::Reload),
        Key::Named(NamedKey::ArrowLeft) => Some(Wish::Step(false)),
        Key::Named(NamedKey::ArrowRight) => Some(Wish::Step(true)),
        Key::Character(text) if control && text.eq_ignore_ascii_case("s") => Some(Wish::Pose(PoseFile::Json)),
        _ => None,
    }
}

impl App {
    /// Does what was asked for since the last picture.
    pub(super) fn fulfil(&mut self) {
        match self.look.wish.take() {
            Some(Wish::Picture) => self.save_picture(),
            Some(Wish::Pose(kind)) => {
                let saved = self.session.save_pose(kind, Path::new("."));
                self.tell(saved.map_err(|e| e.to_string()).map(|path| named(&path)));
            }
            Some(Wish::Rig(replace)) => match self.session.save_rig(Path::new("."), replace) {
                Err(SaveError::There { path }) => self.look.replace = Some(path),
                saved => self.tell(saved.map_err(|e| e.to_string()).map(|path| named(&path))),
            },
            Some(Wish::Step(forward)) => self.step(forward),
            Some(Wish::Reload) => match self.session.file().map(Path::to_path_buf) {
                Some(file) => self.read(&file, true),
                None => self.tell(Err(BUILT_IN.into())),
            },
            None => {}
        }
    }

    fn step(&mut self, forward: bool) {
        let Some(file) = self.session.file() else { return self.tell(Err(BUILT_IN.into())) };
        match neighbour(file, forward) {
            Ok(Some(next)) => self.read(&next, false),
            Ok(None) => self.tell(Err("there is no other model in the folder".into())),
            Err(error) => self.tell(Err(format!("{}: {error}", file.display()))),
        }
    }

    fn save_picture(&mut self) {
        let Some(shown) = &mut self.shown else { return };
        let saved = shown.graphics.save(&self.session, scale(&shown.window), Path::new("."));
        self.tell(saved.map_err(|e| e.to_string()).map(|path| named(&path)));
    }

    fn tell(&mut self, came: Result<String, String>) {
        (self.look.saved, self.look.notice) = match came {
            Ok(line) => (Some(line), None),
            Err(line) => (None, Some(line)),
        };
    }

    /// A file that was dropped; one that cannot be read leaves everything as it was.
    pub(super) fn load(&mut self, path: &Path) {
        self.read(path, false);
    }

    /// Another character, or the same `again`: it is then seen from where it was, in the pose that it had.
    fn read(&mut self, path: &Path, again: bool) {
        let Some(shown) = &mut self.shown else { return };
        let loaded = load(path).map_err(|e| e.to_string()).and_then(|character| {
            let rig = rig::load(&character, None).map_err(|e| e.to_string())?;
            let mut session = Session::new(character, Some(rig), self.session.size());
            session.take_over(&self.session, again);
            shown.graphics.show(&session.puppet).map(|()| session).map_err(|e| e.to_string())
        });
        match loaded {
            Ok(session) => (self.session, self.look.notice) = (session, None),
            Err(error) => self.look.notice = Some(error.replace('\n', " ")),
        }
        shown.window.request_redraw();
    }
}

fn named(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    format!("saved {}", path.display())
}
