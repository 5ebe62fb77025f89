//! Questions asked before work could be lost, in a window over everything else.

use std::path::{Path, PathBuf};

use egui::{Id, Key, Modal, RichText, Ui};

use crate::text::printable;

use super::{AppRequest, PanelState, PathPurpose};

/// A question for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Whether to save before leaving the character.
    Leave(Leave),
    /// Whether to recover the unsaved work in this file, which an earlier run of the program left behind.
    Recover(PathBuf),
    /// Whether to replace an existing file.
    Replace(PathPurpose, PathBuf),
    /// Whether to wait for the running export, or stop it, before the window closes.
    Export,
    /// Whether to apply the pose of this file, which has the same joints as the current character, or to open the file.
    SameJoints(PathBuf),
}

/// What to do after leaving the character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Close the window.
    Close,
    /// Open another file.
    Open(PathBuf),
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Depending on the question: save and leave, recover, replace, wait, or apply the pose.
    Yes,
    /// Depending on the question: leave without saving, delete the recoverable work, stop the export, or open the file.
    No,
    /// Stay, or keep the recoverable work for later.
    Cancel,
}

/// Shows the question, if there is one.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let Some(question) = &panel.question else { return };
    let file =
        |path: &Path| printable::line(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned();
    let (title, text, [yes, no, cancel]) = match question {
        Question::Leave(Leave::Close) => {
            ("Save before closing?", "Your changes are not saved.".to_owned(), ["Save", "Discard", "Cancel"])
        }
        Question::Leave(Leave::Open(path)) => {
            let text = format!("Your changes are not saved. They will be lost when {} opens.", file(path));
            ("Save before opening?", text, ["Save", "Discard", "Cancel"])
        }
        Question::Recover(_) => {
            let text = "The program ended before this work was saved.".to_owned();
            ("Recover unsaved work?", text, ["Recover", "Discard", "Later"])
        }
        Question::Replace(_, path) => {
            let text = format!("{} exists already.", file(path));
            ("Replace the file?", text, ["Replace", "", "Cancel"])
        }
        Question::Export => {
            let text = "The clip is still being exported.".to_owned();
            ("Wait for the export?", text, ["Wait", "Stop", "Cancel"])
        }
        Question::SameJoints(path) => {
            let text = format!("{} has the same joints as this character.", file(path));
            ("Apply its pose?", text, ["Apply pose", "Open file", "Cancel"])
        }
    };
    let no_key = match question {
        Question::SameJoints(_) => ("O", Key::O),
        Question::Export => ("S", Key::S),
        _ => ("D", Key::D),
    };
    let mut answer = None;
    Modal::new(Id::unique("question")).show(ui.ctx(), |ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(title).heading());
        ui.label(text);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            let buttons = [
                (yes, "Enter", Key::Enter, Answer::Yes),
                (no, no_key.0, no_key.1, Answer::No),
                (cancel, "Esc", Key::Escape, Answer::Cancel),
            ];
            for (text, hint, key, of_button) in buttons.into_iter().filter(|(text, ..)| !text.is_empty()) {
                if ui.button(text).on_hover_text(hint).clicked() || ui.input(|i| is_pressed(i, key)) {
                    answer.get_or_insert(of_button);
                }
            }
        });
    });
    if let Some(answer) = answer {
        panel.request = Some(AppRequest::Answer(answer));
    }
}

/// Returns whether a key was newly pressed. A held key might answer a question that nobody has read.
fn is_pressed(input: &egui::InputState, wanted: Key) -> bool {
    let is = |event: &egui::Event| matches!(event, egui::Event::Key { key, pressed: true, repeat: false, .. } if *key == wanted);
    input.events.iter().any(is)
}
