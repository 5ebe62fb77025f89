//! The style source of the method `style`: postures of the character's clips, or a learned style.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ik::Learning;
use crate::puppet::{CharacterPrior, Puppet, read_style};

/// Why the method `style` cannot be used.
pub(super) const NO_CLIPS: &str =
    "it needs postures of clips, or a style; add clips in the pane Clips, or open a style";

/// The source of the method `style`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum StyleSource {
    /// The nearest postures of one clip or all clips.
    Clips(Option<String>),
    /// A style learned from one clip or all clips.
    Learned {
        /// Name of the clip.
        learned: Option<String>,
    },
    /// A learned style in a file.
    File {
        /// The file. In a recording or a project, its path is relative to the folder of the recording or project if the file is inside that
        /// folder.
        file: PathBuf,
    },
}

impl Default for StyleSource {
    fn default() -> Self {
        Self::Clips(None)
    }
}

impl StyleSource {
    /// Returns the source with its file path replaced.
    #[must_use]
    pub(crate) fn with_file(&self, path: impl FnOnce(&Path) -> PathBuf) -> Self {
        match self {
            Self::File { file } => Self::File { file: path(file) },
            other => other.clone(),
        }
    }

    /// Returns the clip's name. `None` means all clips or a file.
    fn clip(&self) -> Option<&str> {
        match self {
            Self::Clips(clip) | Self::Learned { learned: clip } => clip.as_deref(),
            Self::File { .. } => None,
        }
    }
}

/// The style prior that was last loaded: its source, the number of the character's clips at that time, and why loading failed. The prior is
/// outdated when clips have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoadedStyle {
    source: StyleSource,
    clips: usize,
    failure: Option<String>,
}

/// Loads the prior of the method `style` into a puppet.
#[derive(Debug, Default)]
pub(super) struct StyleLoader {
    pub(super) loaded: Option<LoadedStyle>,
}

impl StyleLoader {
    /// Loads the prior of a source, unless it is already loaded.
    pub(super) fn load(&mut self, puppet: &mut Puppet, source: &StyleSource) {
        let clips = puppet.character().clips.len();
        let is_loaded = |loaded: &LoadedStyle| (&loaded.source, loaded.clips) == (source, clips);
        if self.loaded.as_ref().is_some_and(is_loaded) {
            return;
        }
        let prior = prior(puppet, source);
        let failure = prior.as_ref().err().cloned();
        puppet.style = prior.ok();
        self.loaded = Some(LoadedStyle { source: source.clone(), clips, failure });
    }

    /// Returns why the method has no prior, if loading it has failed.
    pub(super) fn failure(&self) -> Option<&str> {
        self.loaded.as_ref().and_then(|loaded| loaded.failure.as_deref())
    }
}

fn prior(puppet: &Puppet, source: &StyleSource) -> Result<CharacterPrior, String> {
    let clips = clips_of(puppet, source);
    match source {
        StyleSource::File { file } => Ok(read_style(file).map_err(|e| e.to_string())?.into()),
        _ if clips.is_empty() => Err(NO_CLIPS.into()),
        StyleSource::Clips(_) => puppet.examples(&clips).map_err(|e| e.to_string()),
        StyleSource::Learned { .. } => {
            let (style, _) = puppet.learn(&clips, &Learning::default()).map_err(|e| e.to_string())?;
            Ok(style.into())
        }
    }
}

/// Returns the clips of a source: the clip that it names, or all clips.
fn clips_of(puppet: &Puppet, source: &StyleSource) -> Vec<usize> {
    let character = puppet.character();
    let one = source.clip().and_then(|name| character.find_clip(name));
    one.map_or_else(|| (0..character.clips.len()).collect(), |clip| vec![clip])
}

/// Writes the style learned from a session's clips to a file, as `sinew style` does.
///
/// # Errors
/// A one-line reason why nothing can be learned, or why the file was not written.
#[cfg(feature = "window")]
pub(crate) fn save(session: &super::Session, path: &Path) -> Result<(), String> {
    let clips = clips_of(&session.puppet, &session.document.settings.style);
    let learned = session.puppet.learn(&clips, &Learning::default());
    let (style, _) = learned.map_err(|e| format!("{}: {e}", session.name()))?;
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = crate::text::json::to_vec(&style).map_err(|e| failed(e.into()))?;
    crate::files::atomic::write(path, &text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::asset::{Character, mannequin};
    use crate::ik::Method;
    use crate::pose::Pose;
    use crate::rig::load;
    use crate::scene::picking::pixel;
    use crate::session::default_options;
    use crate::{Command, Recording, Replay, Session};

    const SIZE: Vec2 = Vec2::new(960.0, 540.0);

    fn with_style(character: Character) -> Session {
        let mut session = Session::new(character, None, SIZE);
        session.apply(Command::Solver(Box::new(default_options(Method::Style))));
        session
    }

    /// Drags the left hand, and returns the positions of the pointer and the hand in the image.
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
            session.apply(Command::Style(StyleSource::Clips(style.map(str::to_owned))));
            drag_hand(&mut session);
            session.puppet.primary_pose().clone()
        };
        assert_eq!(pose(None), pose(None));
        assert_ne!(pose(Some("walk")), pose(Some("crouch")));
        let mut session = with_style(mannequin().unwrap());
        session.apply(Command::Style(StyleSource::Clips(Some("walk".into()))));
        let commands = session.state_commands();
        let mut other = Session::new(mannequin().unwrap(), None, SIZE);
        commands.into_iter().for_each(|command| other.apply(command));
        drag_hand(&mut session);
        drag_hand(&mut other);
        assert_eq!(session.puppet.primary_pose(), other.puppet.primary_pose());
    }

    fn posed(mut session: Session, source: StyleSource) -> Pose {
        session.apply(Command::Style(source));
        drag_hand(&mut session);
        session.puppet.primary_pose().clone()
    }

    #[test]
    fn a_style_that_was_learned_saved_and_opened_gives_the_same_pose() {
        let learned = StyleSource::Learned { learned: Some("walk".into()) };
        let pose = posed(with_style(mannequin().unwrap()), learned.clone());
        assert_ne!(pose, posed(with_style(mannequin().unwrap()), StyleSource::Clips(Some("walk".into()))));

        let folder = std::env::temp_dir().join(format!("sinew-style-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, project) = (folder.join("walk.style.json"), folder.join("styled.sinew"));
        let mut session = with_style(mannequin().unwrap());
        session.apply(Command::Style(learned));
        save(&session, &file).unwrap();
        // A style file needs no clips.
        let mut character = mannequin().unwrap();
        character.clips.clear();
        let opened = StyleSource::File { file: file.clone() };
        session.apply(Command::Style(opened.clone()));
        let mut other = Session::new(character, None, SIZE);
        other.apply(Command::Style(opened.clone()));
        other.apply(Command::Solver(Box::new(default_options(Method::Style))));
        assert_eq!((other.error.clone(), other.refusal(Method::Style)), (None, None));
        assert_eq!(posed(other, opened.clone()), pose);

        // A project resolves the file relative to its folder.
        session.save_project(&project, true).unwrap();
        assert!(
            std::fs::read_to_string(&project).unwrap().contains("style = { file = \"walk.style.json\" }")
        );
        let recording = Recording::open(&project).unwrap();
        let replayed = || {
            let character = mannequin().unwrap();
            let rig = load(&character, None).unwrap();
            Replay::new(&recording, character, rig).unwrap()
        };
        let replay = replayed();
        assert_eq!(replay.session().settings().style, opened);
        std::fs::remove_file(&file).unwrap();
        let replay = replayed();
        let error = replay.session().error().unwrap_or_default().to_owned();
        assert!(error.contains("walk.style.json: "), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_character_without_clips_says_what_is_missing() {
        let mut character = mannequin().unwrap();
        character.clips.clear();
        let session = with_style(character);
        assert_eq!(session.refusal(Method::Style).as_deref(), Some(NO_CLIPS));
        assert_eq!(session.error, session.refusal(Method::Style));
    }
}
