//! The postures that the method `style` blends: those of the character's clips.

use crate::ik::Method;

use super::Session;

/// The clips whose postures the puppet has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StyleClips {
    /// One clip, or all of them.
    one: Option<usize>,
    /// Number of clips of the character, which grows when clips are added.
    count: usize,
}

impl Session {
    /// Sets the clip whose postures the method blends, and solves again.
    pub(super) fn set_style(&mut self, clip: Option<String>) {
        self.document.settings.style = clip;
        self.set_solver(*self.document.settings.solver);
    }

    /// Takes the postures from the clips, if the method is used and has others.
    pub(super) fn refresh_style(&mut self) {
        let settings = &self.document.settings;
        let character = self.puppet.character();
        let one = settings.style.as_deref().and_then(|name| character.find_clip(name));
        let clips = StyleClips { one, count: character.clips.len() };
        let is_used = settings.solver.method == Method::Style || settings.compare.contains(&Method::Style);
        if !is_used || self.style_clips == Some(clips) || clips.count == 0 {
            return;
        }
        self.style_clips = Some(clips);
        let all: Vec<usize> = one.map_or_else(|| (0..clips.count).collect(), |clip| vec![clip]);
        match self.puppet.examples(&all) {
            Ok(examples) => self.puppet.style = Some(examples),
            Err(error) => (self.puppet.style, self.error) = (None, Some(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::asset::{Character, mannequin};
    use crate::scene::picking::pixel;
    use crate::viewer::Command;
    use crate::viewer::session::default_options;

    const SIZE: Vec2 = Vec2::new(960.0, 540.0);

    fn with_style(character: Character) -> Session {
        let mut session = Session::new(character, None, SIZE);
        session.apply(Command::Solver(Box::new(default_options(Method::Style))));
        session
    }

    /// Drags the left hand, and returns where the pointer was and where the hand is in the image.
    fn drag_hand(session: &mut Session) -> [Vec2; 2] {
        let hand = session.puppet.rig.bones["leftHand"];
        let seen = |session: &Session| {
            pixel(&session.camera(), session.position_of(hand).unwrap(), session.size()).unwrap()
        };
        let from = seen(session);
        let to = from + Vec2::new(-25.0, -60.0);
        session.apply(Command::Grab(from));
        (1..=10_u8).for_each(|i| session.apply(Command::Drag(from.lerp(to, f32::from(i) / 10.0))));
        session.apply(Command::Release);
        assert_eq!(session.error, None);
        [to, seen(session)]
    }

    #[test]
    fn a_drag_blends_the_postures_of_the_clips() {
        let mut session = with_style(mannequin().unwrap());
        assert_eq!((session.error.clone(), session.refusal(Method::Style)), (None, None));
        let [pointer, hand] = drag_hand(&mut session);
        assert!(pointer.distance(hand) < 4.0, "{pointer} {hand}");
        assert!(session.reports.iter().any(|report| report.method == Method::Style), "{:?}", session.reports);
    }

    #[test]
    fn one_clip_gives_another_pose_than_all_and_the_choice_is_kept() {
        let pose = |style: Option<&str>| {
            let mut session = with_style(mannequin().unwrap());
            session.apply(Command::Style(style.map(str::to_owned)));
            drag_hand(&mut session);
            session.puppet.primary_pose().clone()
        };
        assert_eq!(pose(None), pose(None));
        assert_ne!(pose(Some("walk")), pose(Some("crouch")));
        let mut session = with_style(mannequin().unwrap());
        session.apply(Command::Style(Some("walk".into())));
        let commands = session.state_commands();
        let mut other = Session::new(mannequin().unwrap(), None, SIZE);
        commands.into_iter().for_each(|command| other.apply(command));
        drag_hand(&mut session);
        drag_hand(&mut other);
        assert_eq!(session.puppet.primary_pose(), other.puppet.primary_pose());
    }

    #[test]
    fn a_character_without_clips_says_what_is_missing() {
        let mut character = mannequin().unwrap();
        character.clips.clear();
        let session = with_style(character);
        assert_eq!(session.refusal(Method::Style).as_deref(), Some(super::super::refusals::NO_CLIPS));
        assert_eq!(session.error, session.refusal(Method::Style));
    }
}
