//! Tests of windows whose frames follow a script.

use sinew_testkit::asset_path;
use winit::event::ElementState;

use crate::document::prop::MAX_PROPS;
use crate::files::Progress;
use crate::panel::{Answer, Leave, PathPurpose, Question};
use crate::session::props;

use super::*;

/// An app that runs a step of a script after each frame.
struct ScriptedApp<F> {
    app: App,
    /// Receives the app, the event loop and the frame count. The window closes when it returns `false`.
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
            // The scene size is known after the first frame, and full quality follows once the scene has been unchanged for a while.
            2 => std::thread::sleep(std::time::Duration::from_millis(400)),
            4 => before = draws(app),
            5..14 => {
                assert_eq!(draws(app), before, "frame {frames}");
                let position = winit::dpi::PhysicalPosition::new(1100.0, 20.0 + 40.0 * frames as f64);
                let device_id = winit::event::DeviceId::dummy();
                let moved = WindowEvent::CursorMoved { device_id, position };
                app.window_event(events, app.open.as_ref().unwrap().window.id(), moved);
                assert!(
                    app.context.egui_wants_pointer_input() || frames < 7,
                    "the pointer must be over the panel"
                );
            }
            14 => app.session.apply(Command::Orbit(Vec2::new(10.0, 0.0))),
            15 => app.session.apply(Command::Hover(Vec2::NEG_ONE)),
            16 => {
                assert_eq!(draws(app), before + 1);
                return false;
            }
            _ => {}
        }
        true
    });
}

#[test]
fn hovering_the_panel_does_not_draw_the_scene() {
    run_on_a_display("scripted::hovering_the_panel");
}

#[test]
#[ignore = "started by another test on its own display"]
fn dragging_over_a_field() {
    let (tab, field, scene) = ((1156.0, 50.0), (1100.0, 84.0), (200.0, 200.0));
    run_script(|app, events, frames| {
        let id = app.open.as_ref().unwrap().window.id();
        let device_id = winit::event::DeviceId::dummy();
        let to = |(x, y): (f64, f64)| WindowEvent::CursorMoved { device_id, position: (x, y).into() };
        let button =
            |state| WindowEvent::MouseInput { device_id, state, button: winit::event::MouseButton::Left };
        let (press, release) = (button(ElementState::Pressed), button(ElementState::Released));
        let mut send = |sent: Vec<WindowEvent>| {
            sent.into_iter().for_each(|event| app.window_event(events, id, event));
        };
        match frames {
            3 => send(vec![to(tab), press, release]),
            6 => send(vec![to(field), press, release]),
            9 => {
                send(vec![to(scene), press, release]);
                assert!(app.context.text_edit_focused(), "the field must be where the test expects it");
            }
            12 => {
                send(vec![press, to(field)]);
                assert!(!app.context.text_edit_focused());
            }
            15 => send(vec![release]),
            18 => {
                assert!(!app.context.text_edit_focused(), "the next key would be typed into the field");
                return false;
            }
            _ => {}
        }
        true
    });
}

#[test]
fn a_fast_drag_from_the_scene_does_not_enter_a_field() {
    run_on_a_display("scripted::dragging_over_a_field");
}

#[test]
#[ignore = "started by another test on its own display"]
fn recovering_without_writing() {
    let folder = std::env::temp_dir().join(format!("sinew-unwritable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Permissions do not stop root, which runs the tests in containers. Instead, the recovered project's name exceeds the file
    // system's limit, so that it cannot be created.
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
    run_on_a_display("scripted::recovering_without_writing");
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
            // Frames in which nothing has changed do not draw the scene until full quality is due.
            9.. if app.full_quality_due().is_none() => {
                assert_eq!(draws(app), before + 1);
                return false;
            }
            9.. => assert_eq!(draws(app), before),
            _ => {}
        }
        // End the test if the scene never comes to rest.
        assert!(frames < 110, "the scene must rest");
        std::thread::sleep(Duration::from_millis(5));
        true
    });
}

#[test]
fn a_moving_scene_is_coarse_until_it_rests() {
    run_on_a_display("scripted::moving_scene");
}

#[test]
#[ignore = "started by another test on its own display"]
fn attaching_props() {
    let [arm, spider, awkward] = ["arm.glb", "spider.glb", "awkward.glb"].map(asset_path);
    let ids = |app: &App| app.open.as_ref().unwrap().graphics.prop_ids();
    let held = |app: &App| app.session.settings().props.clone();
    let notice = |app: &App| app.panel.notice.clone().unwrap_or_default();
    let attach = |app: &mut App, file: &std::path::Path| {
        app.use_path(PathPurpose::AttachProp, file, false);
        assert_eq!(app.files.loader.attaching(), Some(file));
    };
    let (mut step, mut before) = (0, Vec::new());
    run_script(|app, _, frames| {
        let is_read = app.files.loader.reading().is_none();
        match step {
            0 => {
                let hand = app.session.puppet.character().skeleton.find("leftHand");
                app.session.apply(Command::Select(hand));
                attach(app, &arm);
                // Other files wait, and do not cancel the read.
                app.use_path(PathPurpose::AttachProp, &spider, false);
                assert!(notice(app).contains("arm.glb is still being read"), "{}", notice(app));
                app.panel.clear_message();
                app.open_file(&spider);
                assert!(notice(app).contains("arm.glb is still being read"), "{}", notice(app));
                assert_eq!(app.files.loader.attaching(), Some(&*arm));
                step = 1;
            }
            1 if is_read => {
                assert_eq!((held(app).len(), ids(app).len()), (1, 1), "{}", notice(app));
                attach(app, &spider);
                step = 2;
            }
            2 if is_read => {
                before = ids(app);
                assert_eq!((held(app).len(), before.len()), (2, 2), "{}", notice(app));
                // The file of the first prop has changed.
                let changed = props::load_with(&awkward, &Progress::default()).unwrap();
                props::attach(&mut app.session, &arm, "rightHand".into(), changed).unwrap();
                step = 3;
            }
            3 => {
                let now = ids(app);
                assert!(now.len() == 2 && now[0] == before[1] && !before.contains(&now[1]), "{now:?}");
                attach(app, &awkward);
                // Meanwhile, the number of props reaches its maximum.
                let full = vec![held(app)[0].clone(); MAX_PROPS];
                app.session.apply(Command::Props(full));
                step = 4;
            }
            4 if is_read => {
                assert_eq!(held(app).len(), MAX_PROPS);
                assert!(notice(app).contains("at most 16 props"), "{}", notice(app));
                step = 5;
            }
            5 => {
                assert_eq!(ids(app).len(), 1, "the model that was refused is removed");
                return false;
            }
            _ => {}
        }
        assert!(frames < 110, "step {step} does not end");
        std::thread::sleep(Duration::from_millis(50));
        true
    });
}

#[test]
fn props_are_attached_one_after_the_other() {
    run_on_a_display("scripted::attaching_props");
}
