//! Tests of the file menu, the path field, and the display while a file is read.

use std::path::PathBuf;

use super::*;

#[test]
fn file_error_is_shown_while_another_file_is_read() {
    let mut state = state();
    state.panel.notice =
        Some("models/hero.glb: skins[0].joints[3]: node 99 is out of range (12 nodes)".into());
    state.panel.open.reading = Some(crate::panel::open::Reading {
        path: PathBuf::from("models/other.glb"),
        progress: crate::files::Progress::default(),
        began: std::time::Instant::now(),
    });
    state.panel.saved = Some("saved sinew-0001.png".into());
    check("error", state.showing(Face::Lab, Pane::Solver), Theme::Dark);
}

#[test]
fn recent_file_and_typed_path_are_opened() {
    let mut before = state();
    before.panel.open.recent = vec!["/models/a.glb".into(), "/models/b.glb".into()];
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.get_by_label("File").click();
    harness.run();
    harness.get_by_label_contains("Recent").click();
    harness.run();
    harness.get_by_label("b.glb").click();
    harness.run();
    assert_eq!(state.borrow_mut().panel.request.take(), Some(AppRequest::Read("/models/b.glb".into())));
    harness.get_by_label("File").click();
    harness.run();
    harness.get_by_label("Path…").click();
    harness.run();
    // The other text field is the joint search.
    let of_path = |field: &egui_kittest::Node<'_>| field.rect().top() < 100.0;
    let focused = |harness: &Harness<'_>| {
        use egui_kittest::kittest::NodeT;
        harness
            .get_all_by_role(egui::accesskit::Role::TextInput)
            .filter(of_path)
            .any(|f| f.accesskit_node().is_focused())
    };
    let fields: Vec<_> = harness.get_all_by_role(egui::accesskit::Role::TextInput).filter(of_path).collect();
    fields.first().unwrap().type_text(" \"/models/c d.glb\" ");
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    let typed = Some(AppRequest::Path(PathPurpose::Open, "/models/c d.glb".into()));
    assert_eq!(state.borrow_mut().panel.request.take(), typed);
    // Regression test: after a mistyped path, the field closed and the next letters became shortcuts.
    assert!(focused(&harness), "the field loses the focus");
    state.borrow_mut().panel.path.fail(PathPurpose::Open, "/models/c d.glb: No such file");
    harness.run();
    assert!(focused(&harness) && harness.query_by_label("/models/c d.glb: No such file").is_some());
    // A question takes the keyboard focus and gives it back afterwards.
    state.borrow_mut().panel.question = Some(Question::Leave(Leave::Open("c.glb".into())));
    harness.run();
    state.borrow_mut().panel.question = None;
    state.borrow_mut().panel.path.refocus();
    harness.run();
    assert!(focused(&harness), "the field loses the focus to the question");
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert_eq!(state.borrow_mut().panel.request.take(), typed, "the text is kept");
    harness.key_press(egui::Key::Escape);
    harness.run();
    assert_eq!(state.borrow().panel.path.purpose(), None);
}

#[test]
fn buttons_issue_commands_and_requests() {
    let (mut harness, state) = panel(state(), Theme::Dark);
    for (button, action) in
        [("Find", Action::Palette), ("Mirror", Action::MirrorPose), ("?", Action::Shortcuts)]
    {
        harness.get_by_label(button).click();
        harness.run();
        assert_eq!(state.borrow_mut().panel.action.take(), Some(action));
    }
    let items = [
        ("Open…", Action::Open),
        ("Save project", Action::Save),
        ("Save image", Action::SaveImage),
        ("Save posed .glb", Action::SavePosedGlb),
        ("Record session", Action::Record),
    ];
    for (button, action) in items {
        harness.get_by_label("File").click();
        harness.run();
        harness.get_by_label_contains(button).click();
        harness.run();
        assert_eq!(state.borrow_mut().panel.action.take(), Some(action));
    }
}

/// A suggested path once had to be selected before it could be replaced.
#[test]
fn typing_replaces_a_suggested_path() {
    let mut before = state();
    before.panel.path.show(PathPurpose::ExportClip, "/models/man.glb".into());
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.run();
    harness.event(egui::Event::Text("/models/s.glb".into()));
    harness.run();
    // Only the suggestion was selected, not the typed text.
    harness.event(egui::Event::Text("x".into()));
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    let typed = Some(AppRequest::Path(PathPurpose::ExportClip, "/models/s.glbx".into()));
    assert_eq!(state.borrow_mut().panel.request.take(), typed);
}
