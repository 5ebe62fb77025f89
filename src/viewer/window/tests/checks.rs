//! Checks of an app without a window.

use crate::motion::{Edit, Motion};
use crate::panel::{Answer, Leave, LibraryRequest, PathPurpose, Question};
use crate::window::export::ExportEnd;

use super::*;

/// Checks that closing with unsaved keys asks for confirmation, and that closing while a clip without keys plays does not.
pub(super) fn check_leave_questions(app: &mut App) {
    app.session.apply(Command::RestAll);
    app.session.apply(Command::ClearGoals);
    let play = |app: &mut App, motion| app.session.apply(Command::Motion(Box::new(motion)));
    play(app, Motion::clip(0));
    app.leave(Leave::Close);
    assert!(std::mem::take(&mut app.quit) && app.panel.question.is_none());
    let edit =
        Edit { time: 0.1, before: 0.1, after: 0.1, turns: vec![(3, glam::Vec3::X)], shifts: Vec::new() };
    play(app, Motion { edits: vec![edit], ..Motion::clip(0) });
    app.leave(Leave::Close);
    app.leave(Leave::Close);
    assert!(!app.quit && app.panel.question.is_some());
    app.answer(Answer::Cancel);
    assert!(!app.quit && app.panel.question.is_none() && !app.session.document.scene.motion.edits.is_empty());
    app.leave(Leave::Close);
    app.answer(Answer::No);
    assert!(app.quit);
}

/// Checks that closing during an export asks for confirmation, and that only a complete file appears under its name.
pub(super) fn check_closing_during_export(app: &mut App) {
    let folder = std::env::temp_dir().join(format!("sinew-closing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("walk.glb");
    let end = |app: &mut App, result| app.end_export(ExportEnd { path: path.clone(), result });
    let ask = |app: &mut App| {
        app.export_clip(&path);
        app.quit = false;
        app.leave(Leave::Close);
        assert!(!app.quit && app.panel.question == Some(Question::Export));
    };
    app.session.apply(Command::Motion(Box::new(Motion::clip(0))));
    ask(app);
    app.answer(Answer::Cancel);
    end(app, Ok(Some("saved".into())));
    assert!(!app.quit, "the window stays open");
    ask(app);
    app.answer(Answer::Yes);
    assert!(!app.quit && app.panel.question.is_none());
    end(app, Ok(Some("saved".into())));
    assert!(app.quit, "the window closes after the export");
    ask(app);
    app.answer(Answer::Yes);
    end(app, Err("the disk is full".into()));
    assert!(!app.quit, "an export that failed keeps the window open");
    ask(app);
    app.answer(Answer::No);
    assert!(!app.quit, "the export ends first");
    end(app, Ok(None));
    assert!(app.quit);
    ask(app);
    end(app, Ok(Some("saved".into())));
    assert!(
        !app.quit && app.panel.question.is_none(),
        "an export that ends before the answer decides nothing"
    );
    // If the question is never answered, for example after a signal, the thread still ends before the program does.
    app.export_clip(&path);
    app.end_export_now();
    assert!(app.files.export.is_none());
    let hidden = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name() != "walk.glb";
    for _ in 0..100 {
        // The threads of the exports above may still write.
        if !std::fs::read_dir(&folder).unwrap().any(hidden) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(!std::fs::read_dir(&folder).unwrap().any(hidden), "a hidden file is left");
    app.quit = false;
    // A thread may write its file while the folder is removed.
    let removed = (0..100).any(|_| {
        let removed = std::fs::remove_dir_all(&folder).is_ok();
        std::thread::sleep(Duration::from_millis(if removed { 0 } else { 100 }));
        removed
    });
    assert!(removed, "the folder of the exports cannot be removed");
}

/// Checks that a project keeps the name under which it was saved, and that existing files are only replaced on request.
pub(super) fn check_save_as(app: &mut App) {
    let folder = std::env::temp_dir().join(format!("sinew-save-as-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let use_path = |app: &mut App, name: &str| app.use_path(PathPurpose::SaveAs, &folder.join(name), false);
    app.panel.path.show(PathPurpose::SaveAs, String::new());
    use_path(app, "missing/sit");
    assert!(
        app.panel.path.purpose().is_some() && app.session.project().is_none(),
        "a mistake keeps the field"
    );
    assert!(
        app.panel.notice.as_ref().is_some_and(|text| !text.contains("os error")),
        "{:?}",
        app.panel.notice
    );
    use_path(app, "sit");
    let project = folder.join("sit.sinew");
    assert!(app.session.project() == Some(&project) && app.session.is_saved());
    assert!(app.panel.path.purpose().is_none() && app.preferences.recent().contains(&project));
    use_path(app, "sit.sinew");
    assert!(app.panel.question.is_none(), "its own file is replaced without a question");
    std::fs::write(folder.join("other.sinew"), "mine").unwrap();
    for (answer, text) in [(Answer::Cancel, "mine"), (Answer::Yes, "version = 1")] {
        use_path(app, "other.sinew");
        assert!(matches!(app.panel.question, Some(Question::Replace(..))));
        app.answer(answer);
        assert!(std::fs::read_to_string(folder.join("other.sinew")).unwrap().starts_with(text));
    }
    app.session.apply(Command::PinNode(3));
    assert!(app.save_project() && app.session.project() == Some(&folder.join("other.sinew")));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that poses are added to the library of the project, applied as one undo step, and copied with the project.
pub(super) fn check_library(app: &mut App) {
    let folder = std::env::temp_dir().join(format!("sinew-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    app.use_path(PathPurpose::SaveAs, &folder.join("first"), false);
    app.session.apply(Command::Clip(None));
    app.session.apply(Command::RestAll);
    let rest = app.session.puppet.pose().clone();
    app.handle_library(LibraryRequest::Add("rest".into()));
    assert!(folder.join("first.poses/rest.json").is_file());
    let hand = app.session.puppet.character().skeleton.find("leftHand").unwrap();
    app.session.apply(Command::GrabNode(crate::NodePoint { node: hand, offset: glam::DVec3::ZERO }));
    app.session.apply(Command::DragTo(glam::DVec3::new(0.4, 1.4, 0.3)));
    app.session.apply(Command::Release);
    let dragged = app.session.puppet.pose().clone();
    assert_ne!(dragged, rest);
    app.handle_library(LibraryRequest::Apply("rest".into()));
    assert_eq!(app.session.puppet.pose(), &rest);
    app.session.apply(Command::Undo);
    assert_eq!(app.session.puppet.pose(), &dragged);
    app.use_path(PathPurpose::SaveAs, &folder.join("second"), false);
    assert_eq!(app.panel.library.poses().folder(), folder.join("second.poses"));
    assert_eq!(app.panel.library.poses().names(), ["rest"]);
    app.handle_library(LibraryRequest::Remove("rest".into()));
    assert!(
        folder.join("second.poses/.trash/rest.json").is_file()
            && folder.join("first.poses/rest.json").is_file()
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that a recording plays until an input stops it, and that closing the window afterwards does not ask whether to save.
pub(super) fn check_watching(app: &mut App) {
    let path = sinew_testkit::in_repository("docs/drag.session");
    let recording = crate::Recording::open(&path).unwrap();
    let character = mannequin().unwrap();
    let rig = crate::rig::load(&character, None).unwrap();
    let replay = crate::Replay::new(&recording, character, rig).unwrap();
    let images = crate::SessionImages::default();
    app.show_watched(replay, recording.length(), &images, path);
    std::thread::sleep(Duration::from_millis(700));
    app.advance_watched();
    let pose = app.session.puppet.pose().clone();
    assert!(app.watched.is_some() && app.session.is_dragging());
    app.stop_watching();
    app.advance_watched();
    assert!(app.watched.is_none() && !app.session.is_dragging() && app.session.puppet.pose() == &pose);
    app.quit = false;
    app.leave(Leave::Close);
    assert!(app.quit && app.panel.question.is_none(), "the recording contains the pose");
}
