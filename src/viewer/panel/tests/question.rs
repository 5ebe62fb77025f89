//! Tests of the questions that are asked when work could be lost, and of their keys.

use std::path::PathBuf;

use egui::{Key, Theme};
use egui_kittest::kittest::Queryable;

use super::super::{Answer, AppRequest, Leave, Question};
use super::{check, panel, state};

fn open(name: &str) -> Question {
    Question::Leave(Leave::Open(PathBuf::from(name)))
}

#[test]
fn question_before_another_file_is_opened_matches_its_snapshot() {
    let mut state = state();
    state.panel.question = Some(open("models/other.glb"));
    check("question", state, Theme::Dark);
}

#[test]
fn questions_are_answered_by_buttons_and_by_keys() {
    let request = |answer: Answer| Some(AppRequest::Answer(answer));
    for question in [open("a.glb"), Question::Leave(Leave::Close), Question::Recover("a.sinew".into())] {
        for (key, answer) in [(Key::Enter, Answer::Yes), (Key::D, Answer::No), (Key::Escape, Answer::Cancel)]
        {
            let mut asked = state();
            asked.panel.question = Some(question.clone());
            let (mut harness, shown) = panel(asked, Theme::Light);
            harness.run();
            assert_eq!(shown.borrow().panel.request, None);
            harness.key_press(key);
            harness.run();
            assert_eq!(shown.borrow_mut().panel.request.take(), request(answer));
        }
        let mut asked = state();
        asked.panel.question = Some(question.clone());
        let (mut harness, shown) = panel(asked, Theme::Light);
        harness.run();
        harness.get_by_label("Discard").click();
        harness.run();
        assert_eq!(shown.borrow_mut().panel.request.take(), request(Answer::No), "{question:?}");
    }
}
