//! A window that the system takes away and gives back, as phones do.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command as Program;

use winit::platform::x11::EventLoopBuilderExtX11;

use super::*;
use crate::asset::mannequin;
use crate::motion::{Edit, Motion};
use crate::picking::pixel;

#[path = "../../../tests/viewer/display.rs"]
mod display;

/// Pictures before the window is taken, and in all.
const TAKEN: usize = 3;
const ENOUGH: usize = 8;

/// An app whose window is taken in the middle of a drag.
struct Phone {
    app: App,
    held: Option<crate::pose::Pose>,
}

impl Phone {
    fn drag(&mut self) {
        let session = &mut self.app.session;
        let hand = session.puppet.character().skeleton.find("leftHand").unwrap();
        let at = pixel(&session.camera(), session.place(hand).unwrap(), session.size()).unwrap();
        session.apply(Command::Grab(at));
        session.apply(Command::Drag(at + Vec2::new(-40.0, -40.0)));
        assert!(session.is_dragging() && session.error().is_none());
        self.held = Some(session.puppet.pose().clone());
    }

    fn take_and_give_back(&mut self, events: &ActiveEventLoop) {
        self.app.wake = Some(Instant::now());
        self.app.suspended(events);
        assert!(self.app.shown.is_none() && !self.app.session.is_dragging());
        assert_eq!(events.control_flow(), ControlFlow::Wait);
        // What still comes for a window that has gone, and what needs none.
        self.app.about_to_wait(events);
        let gone = WindowId::dummy();
        self.app.window_event(events, gone, WindowEvent::RedrawRequested);
        self.app.window_event(events, gone, WindowEvent::Focused(false));
        self.app.read(std::path::Path::new("missing.glb"), false);
        self.app.resumed(events);
        assert!(self.app.shown.is_some());
    }
}

impl ApplicationHandler<News> for Phone {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.app.resumed(events);
    }

    fn user_event(&mut self, events: &ActiveEventLoop, news: News) {
        self.app.user_event(events, news);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        let drawn = self.app.look.frames.len();
        self.app.window_event(events, id, event);
        if self.app.look.frames.len() == drawn {
            return;
        }
        match drawn + 1 {
            TAKEN => {
                self.drag();
                self.take_and_give_back(events);
            }
            ENOUGH => events.exit(),
            _ => {}
        }
        self.app.show_soon();
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        self.app.about_to_wait(events);
    }
}

#[test]
#[ignore = "another test starts it on a display of its own"]
fn taken_and_given_back() {
    let events = EventLoop::<News>::with_user_event().with_any_thread(true).build().unwrap();
    let session = Session::new(mannequin().unwrap(), None, Vec2::new(1280.0, 800.0));
    let app = App::new(session, AdapterChoice::Cpu, None, events.create_proxy());
    let mut phone = Phone { app, held: None };
    events.run_app(&mut phone).unwrap();
    assert!(phone.app.failure.is_none(), "{:?}", phone.app.failure);
    assert_eq!(phone.app.look.frames.len(), ENOUGH);
    assert_eq!(phone.held.as_ref(), Some(phone.app.session.puppet.pose()), "the pose is as it was");
    // Its events have ended with their loop.
    phone.app.shown = None;
    leave(&mut phone.app);
}

/// Keys are pointed out once before they are lost; a clip that plays is not lost.
fn leave(app: &mut App) {
    let play = |app: &mut App, motion| app.session.apply(Command::Motion(Box::new(motion)));
    play(app, Motion::clip(0));
    assert!(app.may_leave());
    let edit =
        Edit { time: 0.1, before: 0.1, after: 0.1, turns: vec![(3, glam::Vec3::X)], shifts: Vec::new() };
    play(app, Motion { edits: vec![edit], ..Motion::clip(0) });
    assert!(!app.may_leave() && app.look.notice.is_some());
    assert!(app.may_leave());
}

#[test]
fn a_window_that_is_taken_and_given_back_shows_what_it_showed() {
    let Some((_server, name)) = display::display(&[]) else { return };
    let mut child = Program::new(std::env::current_exe().unwrap());
    child.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY");
    let output = child.args(["--ignored", "--exact", "viewer::window::tests::taken_and_given_back"]).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
