//! What the window itself does: it opens files and saves them.

use std::path::Path;

use winit::keyboard::{Key, NamedKey};

use crate::asset::load;

use super::super::panel::Wish;
use super::super::{PoseFile, Session};
use super::{App, scale};

/// What a key asks of the window.
pub(super) fn of(key: &Key, control: bool) -> Option<Wish> {
    match key {
        Key::Named(NamedKey::F12) => Some(Wish::Picture),
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
            None => {}
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
        let Some(shown) = &mut self.shown else { return };
        let loaded = load(path).map_err(|e| e.to_string()).and_then(|character| {
            let session = Session::new(character, None, self.session.size());
            shown.graphics.show(&session.puppet).map(|()| session).map_err(|e| e.to_string())
        });
        match loaded {
            Ok(session) => (self.session, self.look.notice) = (session, None),
            Err(error) => self.look.notice = Some(error),
        }
        shown.window.request_redraw();
    }
}

fn named(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    format!("saved {}", path.display())
}
