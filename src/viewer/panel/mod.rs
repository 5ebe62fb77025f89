//! What stands beside the scene: how is solved, what came of it, clips, shapes and what is shown.

use std::path::PathBuf;

use egui::{RichText, Ui};
use glam::Vec2;

use crate::printable;

use super::{Command, PoseFile, Session};

mod capture;
mod character;
mod clips;
mod compare;
mod curve;
mod display;
mod goals;
mod joint;
mod keys;
mod labels;
mod method;
mod open;
mod pad;
mod pill;
mod report;
mod shapes;
mod solver;
#[cfg(test)]
mod tests;
mod theme;
mod timeline;
mod tree;

pub(super) use capture::Listening;
pub(super) use theme::style;

/// Points across.
pub(super) const WIDTH: f32 = 304.0;
/// Of which so many are filled: the bar that scrolls stands beside.
const INNER: f32 = WIDTH - 2.0 * MARGIN - 12.0;
const MARGIN: f32 = 14.0;
/// Characters of the longest name that is shown.
const LONGEST_NAME: usize = 80;
const RECORDING: egui::Color32 = egui::Color32::from_rgb(235, 64, 52);

/// What only the panel remembers.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) hidden: bool,
    pub(super) keys: bool,
    pub(super) adapter: String,
    /// Milliseconds that the last pictures took, from the first look at the session to the last command of the driver.
    pub(super) frames: Vec<f32>,
    /// What went wrong outside the session: a file that could not be read.
    pub(super) notice: Option<String>,
    /// Where the last file went.
    pub(super) saved: Option<String>,
    /// The newer of both, until it has been read.
    said: Option<pill::Said>,
    /// Which file next.
    pub(super) open: open::Open,
    /// Whether anything was pulled yet.
    pub(super) pulled: bool,
    /// What is looked for among the joints.
    pub(super) search: String,
    /// The joint that the list of joints was last moved to.
    pub(super) listed: Option<usize>,
    /// A rig's file that is there already: whether it shall be replaced is asked.
    pub(super) replace: Option<PathBuf>,
    /// Whether it was said that a rig which is not saved would be lost.
    pub(super) leaving: bool,
    /// The line of time.
    pub(super) timeline: timeline::Line,
    /// The live source that the character follows.
    pub(super) listening: Option<Listening>,
    /// What was asked of the window.
    pub(super) wish: Option<Wish>,
}

impl Look {
    /// Tells what came of something: in the panel until something else comes, and for a while over the scene.
    pub(super) fn say(&mut self, came: Result<String, String>) {
        let shown = |line: String| printable::line(&line).into_owned();
        let came = came.map(shown).map_err(shown);
        self.said = Some(pill::Said::new(&came));
        (self.saved, self.notice) = (came.clone().ok(), came.err());
    }

    /// Takes an error back that no longer holds, and with it what was said over the scene.
    pub(super) fn hush(&mut self) {
        (self.notice, self.said) = (None, None);
    }
}

/// What the window does, not the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Another file, by the system's dialog.
    Open,
    /// This file.
    Read(PathBuf),
    Picture,
    Pose(PoseFile),
    /// Begins to record, or ends it.
    Record,
    /// The rig; `true`: also over a file that is there.
    Rig(bool),
    /// The next file of the folder, or the one before.
    Step(bool),
    Reload,
    /// Begins to record a take, or saves it.
    Take,
    /// The performer is as tall as the character.
    Level,
}

/// What the panel, and the line of time, leave of a window's pixels for the scene; `scale`: pixels a point.
pub(super) fn free(window: Vec2, scale: f32, look: &Look, session: &Session) -> Vec2 {
    let line = timeline::is_shown(session, &look.timeline);
    let taken = Vec2::new(WIDTH, if line { timeline::HEIGHT } else { 0.0 });
    let taken = if look.hidden { Vec2::ZERO } else { (taken * scale).round() };
    (window - taken).max(Vec2::ONE)
}

/// Lays everything out; what was asked for.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look) -> Vec<Command> {
    let mut asked = Vec::new();
    labels::show(ui, session);
    pill::show(ui, session, look);
    if look.keys {
        keys::show(ui, look);
    }
    if look.hidden {
        look.timeline.let_go();
        asked.extend(session.hint.map(|_| Command::Hint(None)));
        return asked;
    }
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(MARGIN);
    egui::Panel::right("panel").resizable(false).exact_size(WIDTH).frame(frame).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
            character::title(ui, session);
            open::show(ui, look);
            character::show(ui, session, &mut asked);
            solver::show(ui, session, &mut asked);
            report::show(ui, session, look);
            goals::show(ui, session, &mut asked);
            compare::show(ui, session, &mut asked);
            clips::show(ui, session, look, &mut asked);
            shapes::show(ui, session, &mut asked);
            capture::show(ui, look);
            joint::show(ui, session, look, &mut asked);
            tree::show(ui, session, look, &mut asked);
            character::files(ui, session, look);
            display::show(ui, session, &mut asked);
            theme::choice(ui);
            ui.add_space(10.0);
            ui.label(RichText::new(&look.adapter).small().color(theme::quiet(ui)));
            if ui.small_button("?  keys").clicked() {
                look.keys = !look.keys;
            }
        });
    });
    timeline::show(ui, session, look, &mut asked);
    asked
}

/// A name from a file, as it is shown.
fn name(text: &str) -> String {
    printable::shortened(text, LONGEST_NAME).into_owned()
}

/// A node's name or `#INDEX`, as it is shown.
fn node_name(session: &Session, node: usize) -> String {
    name(&session.puppet.character().skeleton.label(node))
}

fn heading(ui: &mut Ui, text: &str) -> egui::Response {
    ui.add_space(10.0);
    ui.label(RichText::new(text.to_uppercase()).small().strong().color(theme::accent(ui)))
}
