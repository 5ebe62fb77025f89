//! Tests of real windows. Each runs in its own process, because a process can create only one event loop. The tests cover which frames draw
//! the scene, and windows that are destroyed and recreated as on phones.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command as Program;

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::ControlFlow;
use winit::platform::x11::EventLoopBuilderExtX11;
use winit::window::WindowId;

use crate::asset::mannequin;
use crate::scene::picking::pixel;

use super::*;

mod checks;
mod scripted;

use checks::{
    check_closing_during_export, check_leave_questions, check_library, check_save_as, check_watching,
};

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

#[test]
fn a_suspended_window_resumes_with_the_same_pose() {
    run_on_a_display("suspended_and_resumed");
}

/// Runs an ignored test on its own display.
fn run_on_a_display(test: &str) {
    let Some((_server, name)) = sinew_testkit::display::display(&[]) else { return };
    let mut child = Program::new(std::env::current_exe().unwrap());
    let state =
        std::env::temp_dir().join(format!("sinew-state-{}-{}", std::process::id(), test.replace("::", "-")));
    child.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", &state);
    let output = child.args(["--ignored", "--exact", &format!("window::tests::{test}")]).output();
    let output = output.unwrap();
    drop(std::fs::remove_dir_all(state));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
}
