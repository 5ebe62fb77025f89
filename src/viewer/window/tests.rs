//! Tests the window when the system destroys and recreates it, as on phones.

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
use crate::viewer::panel::{Answer, Leave, PathPurpose, Question};

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
    check_save_as(&mut suspended.app);
}

/// Checks that a project keeps the name under which it was saved, and that existing files are only replaced on request.
fn check_save_as(app: &mut App) {
    let folder = std::env::temp_dir().join(format!("sinew-save-as-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let use_path = |app: &mut App, name: &str| app.use_path(PathPurpose::SaveAs, folder.join(name), false);
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
    let Some((_server, name)) = display::display(&[]) else { return };
    let mut child = Program::new(std::env::current_exe().unwrap());
    let state = std::env::temp_dir().join(format!("sinew-state-{}", std::process::id()));
    child.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", &state);
    let output =
        child.args(["--ignored", "--exact", "viewer::window::tests::suspended_and_resumed"]).output();
    let output = output.unwrap();
    drop(std::fs::remove_dir_all(state));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
}
