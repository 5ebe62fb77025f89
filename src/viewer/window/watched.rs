//! Plays a recorded session in the window with its original timing. A key, a click or the wheel ends the playback, and the user continues from
//! the pose shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use winit::event::{ElementState, TouchPhase, WindowEvent};

use crate::panel::PathPurpose;
use crate::platform::Instant;
use crate::{Command, Replay};

use super::App;
use super::loader::{SessionImages, still_reading};

/// The recorded session that is being watched. The replay and the window exchange their sessions, so the replay holds the window's previous
/// session.
#[derive(Debug)]
pub(super) struct Watched {
    replay: Replay,
    began: Instant,
    length: Duration,
}

impl App {
    /// Starts reading a recorded session to watch it.
    pub(super) fn watch_session(&mut self, path: &Path) {
        if let Some(reason) = self.files.loader.attaching().map(still_reading) {
            return self.notify(Err(reason));
        }
        if let Err(error) = self.files.loader.start_watching(path, self.session.size()) {
            self.notify(Err(format!("{}: {error}", path.display())));
        }
        self.note_reading();
    }

    /// Shows a recorded session from its start.
    pub(super) fn show_watched(
        &mut self,
        mut replay: Replay,
        length: Duration,
        images: &SessionImages,
        path: PathBuf,
    ) {
        let open = self.open.as_mut();
        let updated = open.map_or(Ok(()), |o| o.graphics.show(replay.session(), images));
        if let Err(error) = updated {
            return self.notify(Err(error.to_string()));
        }
        self.session.apply(Command::Release);
        self.stop_recording();
        self.remove_autosave();
        replay.swap_session(&mut self.session);
        self.note_opened();
        self.panel.open.session = Some(path);
        self.close_path(PathPurpose::Open);
        self.retarget_source();
        self.watch_files();
        self.watched = Some(Watched { replay, began: Instant::now(), length });
        self.notify(Ok("playing the recording; any key or click continues from there".into()));
    }

    /// Moves the watched session to the current time.
    pub(super) fn advance_watched(&mut self) {
        let Some(watched) = &mut self.watched else { return };
        let time = watched.began.elapsed().min(watched.length);
        let is_end = time == watched.length;
        match watched.replay.advance_session(&mut self.session, time) {
            Ok(()) if !is_end => {}
            Ok(()) => {
                self.stop_watching();
                self.notify(Ok("the recording has ended; continue from here".into()));
            }
            Err(error) => {
                self.stop_watching();
                self.notify(Err(error.to_string()));
            }
        }
    }

    /// Continues with the session's current state.
    pub(super) fn stop_watching(&mut self) {
        if self.watched.take().is_some() {
            self.session.apply(Command::Release);
            // The event that stops the replay may be a click, so the session needs the window's size and pointer position.
            let scale = self.context.pixels_per_point();
            self.session.apply(Command::Scale(scale));
            self.session.apply(Command::Resize(self.panel.scene_size(scale)));
            self.moved = Some(self.at - self.panel.scene_origin(scale));
            self.note_watched();
            self.request_redraw();
        }
    }

    /// Handles an event while a recording plays. Returns whether the event must be ignored. Keys, clicks and the wheel stop the
    /// recording and are then handled as usual. Pointer movement does not stop it.
    pub(super) fn ignores_while_watching(&mut self, event: &WindowEvent) -> bool {
        if self.watched.is_none() {
            return false;
        }
        let stops = match event {
            WindowEvent::KeyboardInput { event, is_synthetic, .. } => {
                event.state == ElementState::Pressed && !is_synthetic
            }
            WindowEvent::MouseInput { state, .. } => *state == ElementState::Pressed,
            WindowEvent::Touch(touch) => touch.phase == TouchPhase::Started,
            WindowEvent::MouseWheel { .. } => true,
            _ => false,
        };
        if stops {
            self.stop_watching();
        }
        !stops && !matches!(event, WindowEvent::ModifiersChanged(_))
    }
}
