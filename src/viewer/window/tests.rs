//! Tests of real windows, each in a process of its own because an event loop can only be created once: when the system
//! destroys and recreates a window, as on phones, and which frames draw the scene.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command as Program;

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::ControlFlow;
use winit::platform::x11::EventLoopBuilderExtX11;
use winit::window::WindowId;

use crate::asset::mannequin;
use crate::motion::{Edit, Motion};
use crate::scene::picking::pixel;
use crate::viewer::panel::{Answer, Leave, LibraryRequest, PathPurpose, Question};

use super::export::ExportEnd;
use super::*;

#[path = "../../../tests/viewer/display.rs"]
mod display;

/// Number of frames before the window is destroyed.
const FRAMES_BEFORE: usize = 3;
/// Total number of frames.
const FRAMES: usize = 8;

/// An app whose window is destroyed and recreated during a drag.
struct SuspendedApp {
    app: App,
    /// The pose during the drag.
    dragged_pose: Option<crate::pose::Pose>,
}

impl SuspendedApp {
    fn drag(&mut self) {
        let session = &mut self.app.session;
        let hand = session.puppet.character().skeleton.find("leftHand").unwrap();
        let at = pixel(&session.camera(), session.position_of(hand).unwrap(), session.size()).unwrap();
        session.apply(Command::Grab(at));
        session.apply(Command::Drag(at + Vec2::new(-40.0, -40.0)));
        assert!(session.is_dragging() && session.error().is_none());
        self.dragged_pose = Some(session.puppet.pose().clone());
    }

    fn suspend_and_resume(&mut self, events: &ActiveEventLoop) {
        self.app.wake = Some(Instant::now());
        self.app.suspended(events);
        assert!(self.app.open.is_none() && !self.app.session.is_dragging());
        assert_eq!(events.control_flow(), ControlFlow::Wait);
        // Events for the destroyed window may still arrive, and some events do not need a window.
        self.app.about_to_wait(events);
        let closed = WindowId::dummy();
        self.app.window_event(events, closed, WindowEvent::RedrawRequested);
        self.app.window_event(events, closed, WindowEvent::Focused(false));
        self.app.read(std::path::Path::new("missing.glb"), false);
        self.app.resumed(events);
        assert!(self.app.open.is_some());
    }
}

impl ApplicationHandler<AppEvent> for SuspendedApp {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.app.resumed(events);
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: AppEvent) {
        self.app.user_event(events, event);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        let frames = self.app.panel.frames.len();
        self.app.window_event(events, id, event);
        if self.app.panel.frames.len() == frames {
            return;
        }
        match frames + 1 {
            FRAMES_BEFORE => {
                self.drag();
                self.suspend_and_resume(events);
            }
            FRAMES => events.exit(),
            _ => {}
        }
        self.app.request_redraw();
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        self.app.about_to_wait(events);
    }
}

#[test]
#[ignore = "started by another test on its own display"]
fn suspended_and_resumed() {
    let events = EventLoop::<AppEvent>::with_user_event().with_any_thread(true).build().unwrap();
    let session = Session::new(mannequin().unwrap(), None, Vec2::new(1280.0, 800.0));
    let app = App::new(session, AdapterChoice::Cpu, None, events.create_proxy());
    let mut suspended = SuspendedApp { app, dragged_pose: None };
    events.run_app(&mut suspended).unwrap();
    assert!(suspended.app.failure.is_none(), "{:?}", suspended.app.failure);
    assert_eq!(suspended.app.panel.frames.len(), FRAMES);
    assert_eq!(
        suspended.dragged_pose.as_ref(),
        Some(suspended.app.session.puppet.pose()),
        "the pose has changed"
    );
    // Drop the window, because its event loop has ended.
    suspended.app.open = None;
    check_leave_questions(&mut suspended.app);
    check_closing_during_export(&mut suspended.app);
    check_save_as(&mut suspended.app);
    check_library(&mut suspended.app);
    check_watching(&mut suspended.app);
}

/// Checks that poses are added to the library of the project, applied as one undo step, and copied with the project.
fn check_library(app: &mut App) {
    let folder = std::env::temp_dir().join(format!("sinew-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    app.use_path(PathPurpose::SaveAs, &folder.join("first"), false);
    app.session.apply(Command::Clip(None));
    app.session.apply(Command::RestAll);
    let rest = app.session.puppet.pose().clone();
    app.handle_library(LibraryRequest::Add("rest".into()));
    assert!(folder.join("first.poses/rest.json").is_file());
    let hand = app.session.puppet.character().skeleton.find("leftHand").unwrap();
    app.session.apply(Command::GrabNode(crate::viewer::NodePoint { node: hand, offset: glam::DVec3::ZERO }));
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

/// Checks that a recording plays until an input stops it, and that nobody is asked to save what it contains.
fn check_watching(app: &mut App) {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drag.session"));
    let recording = crate::viewer::Recording::open(path).unwrap();
    let character = mannequin().unwrap();
    let rig = crate::rig::load(&character, None).unwrap();
    let replay = crate::viewer::Replay::new(&recording, character, rig).unwrap();
    let images = crate::render::DecodedImages::default();
    app.show_watched(replay, (recording.length(), &images), path.to_path_buf());
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

/// Checks that a project keeps the name under which it was saved, and that existing files are only replaced on request.
fn check_save_as(app: &mut App) {
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
    assert!(app.panel.path.purpose().is_none() && app.settings.recent().contains(&project));
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

/// Checks that closing during an export asks, and that only a complete file appears under its name.
fn check_closing_during_export(app: &mut App) {
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
    assert!(app.quit && app.panel.question.is_none(), "the export may end before the answer");
    // Without an answer, as after a signal, the thread ends before the program does.
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
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that unsaved keys cause a question, and that a playing clip without keys causes none.
fn check_leave_questions(app: &mut App) {
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
    assert!(!app.quit && app.panel.question.is_none() && !app.session.state.motion.edits.is_empty());
    app.leave(Leave::Close);
    app.answer(Answer::No);
    assert!(app.quit);
}

#[test]
fn a_suspended_window_resumes_with_the_same_pose() {
    run_on_a_display("suspended_and_resumed");
}

/// Runs one of the ignored tests on a display of its own.
fn run_on_a_display(test: &str) {
    let Some((_server, name)) = display::display(&[]) else { return };
    let mut child = Program::new(std::env::current_exe().unwrap());
    let state = std::env::temp_dir().join(format!("sinew-state-{}-{test}", std::process::id()));
    child.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", &state);
    let output = child.args(["--ignored", "--exact", &format!("viewer::window::tests::{test}")]).output();
    let output = output.unwrap();
    drop(std::fs::remove_dir_all(state));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
}

/// An app that runs a step of a script after each frame.
struct ScriptedApp<F> {
    app: App,
    /// Gets the app, the event loop and the number of frames so far. The window closes when it returns `false`.
    script: F,
}

impl<F: FnMut(&mut App, &ActiveEventLoop, usize) -> bool> ApplicationHandler<AppEvent> for ScriptedApp<F> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.app.resumed(events);
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: AppEvent) {
        self.app.user_event(events, event);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        let frames = self.app.panel.frames.len();
        self.app.window_event(events, id, event);
        if self.app.panel.frames.len() > frames {
            if !(self.script)(&mut self.app, events, frames + 1) {
                events.exit();
            }
            self.app.request_redraw();
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        self.app.about_to_wait(events);
    }
}

/// Opens the built-in character in a window and runs a script.
fn run_script(script: impl FnMut(&mut App, &ActiveEventLoop, usize) -> bool) {
    let events = EventLoop::<AppEvent>::with_user_event().with_any_thread(true).build().unwrap();
    let session = Session::new(mannequin().unwrap(), None, Vec2::new(1280.0, 800.0));
    let app = App::new(session, AdapterChoice::Cpu, None, events.create_proxy());
    let mut scripted = ScriptedApp { app, script };
    events.run_app(&mut scripted).unwrap();
    assert!(scripted.app.failure.is_none(), "{:?}", scripted.app.failure);
    // Drop the window, because its event loop has ended.
    scripted.app.open = None;
}

#[test]
#[ignore = "started by another test on its own display"]
fn hovering_the_panel() {
    let draws = |app: &App| app.open.as_ref().unwrap().graphics.scene_draws();
    let mut before = 0;
    run_script(|app, events, frames| {
        match frames {
            // The size of the scene is known after the first frame.
            2 => before = draws(app),
            3..12 => {
                assert_eq!(draws(app), before, "frame {frames}");
                let position = winit::dpi::PhysicalPosition::new(1100.0, 100.0 + 40.0 * frames as f64);
                let device_id = winit::event::DeviceId::dummy();
                let moved = WindowEvent::CursorMoved { device_id, position };
                app.window_event(events, app.open.as_ref().unwrap().window.id(), moved);
                assert!(
                    app.context.egui_wants_pointer_input() || frames < 5,
                    "the pointer must be over the panel"
                );
            }
            12 => app.session.apply(Command::Orbit(Vec2::new(10.0, 0.0))),
            13 => app.session.apply(Command::Hover(Vec2::NEG_ONE)),
            14 => {
                assert_eq!(draws(app), before + 1);
                return false;
            }
            _ => {}
        }
        true
    });
}

#[test]
#[ignore = "started by another test on its own display"]
fn recovering_without_writing() {
    let folder = std::env::temp_dir().join(format!("sinew-unwritable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Permissions do not stop an administrator, who runs the tests in a container. But the name of the recovered project would be
    // longer than file systems allow, so that it cannot be created either.
    let file = folder.join(format!("{}.glb", "a".repeat(232)));
    std::fs::write(&file, crate::asset::MANNEQUIN).unwrap();
    let load = || Session::new(crate::asset::load(&file).unwrap(), None, Vec2::new(1280.0, 800.0));
    let mut edited = load();
    edited.apply(Command::PinNode(3));
    let copy = file.with_file_name(format!(".{}.autosave.sinew", file.file_name().unwrap().display()));
    std::fs::write(&copy, edited.project_text(&folder)).unwrap();
    let recovered = edited.work();
    run_script(|app, _, frames| {
        match frames {
            2 => {
                app.session = load();
                app.note_opened();
                assert_eq!(app.panel.question, Some(Question::Recover(copy.clone())));
                app.answer(Answer::Cancel);
                assert!(app.panel.notice.is_some() && app.panel.question.is_none() && copy.is_file());
                app.panel.question = Some(Question::Leave(Leave::Close));
                app.answer(Answer::Cancel);
                assert_eq!(app.panel.question, None, "the question must not be asked again");
                app.autosave();
                assert_eq!(std::fs::read_to_string(&copy).unwrap(), edited.project_text(&folder));
                app.note_opened();
                app.answer(Answer::Yes);
            }
            3.. if app.session.work() == recovered => {
                assert!(app.is_recovered() && app.session.project().is_none());
                assert!(copy.is_file(), "the copy stays until the work is saved");
                return false;
            }
            _ => {}
        }
        assert!(frames < 110, "the work is not recovered");
        std::thread::sleep(Duration::from_millis(50));
        true
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn work_is_recovered_where_nothing_can_be_written() {
    run_on_a_display("recovering_without_writing");
}

#[test]
fn hovering_the_panel_does_not_draw_the_scene() {
    run_on_a_display("hovering_the_panel");
}

#[test]
#[ignore = "started by another test on its own display"]
fn moving_scene() {
    let mut before = 0;
    let draws = |app: &App| app.open.as_ref().unwrap().graphics.scene_draws();
    run_script(|app, _, frames| {
        match frames {
            3..8 => app.session.apply(Command::Orbit(Vec2::new(10.0, 0.0))),
            8 => {
                assert!(app.full_quality_due().is_some(), "the scene must be drawn in a reduced quality");
                before = draws(app);
            }
            // Frames in which nothing has changed do not draw the scene until it has rested.
            9.. if app.full_quality_due().is_none() => {
                assert_eq!(draws(app), before + 1);
                return false;
            }
            9.. => assert_eq!(draws(app), before),
            _ => {}
        }
        // The number of frames is not counted beyond this one.
        assert!(frames < 110, "the scene must rest");
        std::thread::sleep(Duration::from_millis(5));
        true
    });
}

#[test]
fn a_moving_scene_is_coarse_until_it_rests() {
    run_on_a_display("moving_scene");
}
