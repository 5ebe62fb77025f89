//! Makes the gestures of people and animals on a character, through a session without a camera, and judges the poses.
//!
//! A gesture is a drag in steps of 5 mm at 60 Hz, after which the pointer rests for half a second. Lengths are for a
//! person of 1.75 m, and are scaled to the character.

mod animals;
pub mod body;
pub mod people;
pub mod rules;
mod run;
pub mod sole;
pub mod verdict;

pub use body::Side;
pub use run::Subject;

use std::fs;
use std::path::{Path, PathBuf};

use sinew::rig::BodyKind;

use verdict::GestureResult;

/// Collects the characters in a folder and its subfolders, or a single character file.
pub fn collect(path: &Path, files: &mut Vec<Option<PathBuf>>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(&entry.path(), files));
    } else if path
        .extension()
        .is_some_and(|e| ["glb", "gltf", "vrm"].iter().any(|known| e.eq_ignore_ascii_case(known)))
    {
        files.push(Some(path.to_owned()));
    }
}

/// Makes all gestures for a character's kind of body.
pub fn run_all(subject: &Subject) -> Vec<GestureResult> {
    let gestures = match subject.body.kind {
        BodyKind::Biped => &people::GESTURES[..],
        _ => &animals::GESTURES[..],
    };
    let one = |(index, &(name, make)): (usize, &people::Gesture)| {
        let (attempt, skipped) = match make(subject) {
            Ok(attempt) => (attempt, None),
            Err(reason) => (run::Attempt::default(), Some(reason)),
        };
        let run::Attempt { failures, turn, solves } = attempt;
        GestureResult { number: index + 1, name, skipped, failures, turn, solves }
    };
    gestures.iter().enumerate().map(one).collect()
}
