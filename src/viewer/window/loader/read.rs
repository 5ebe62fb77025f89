//! Reads one file with all related files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use crate::asset::{Character, References};
use crate::capture::{LoadOptions, is_take, load_character};
use crate::export::bake::Source;
use crate::export::{MAX_POSE_BYTES, StoredPose};
use crate::files::{Progress, bounded};
use crate::puppet::Puppet;
use crate::render::{DecodedImages, ShadingMode};
use crate::rig::Rig;
use crate::session::props;
use crate::text::printable;
use crate::view::Framing;
use crate::{AddedClips, Command, Prop, Recording, Replay, Session, Transfer, folder};
use crate::{asset, rig};

/// What to read.
pub(super) struct ReadRequest {
    pub(super) path: PathBuf,
    /// Whether to deliver a recorded session at its start.
    pub(super) watches: bool,
    /// The clip to add to the current character. `Some(None)` adds all clips of the file.
    pub(super) adds: Option<Option<String>>,
    /// The joint that is to carry the model of the file.
    pub(super) prop_joint: Option<String>,
    pub(super) reloads: bool,
    pub(super) units: Option<f64>,
    pub(super) size: Vec2,
    pub(super) current: Option<CurrentCharacter>,
    pub(super) progress: Progress,
    /// The possible locations of the files that other files reference.
    pub(super) references: References,
}

/// The character shown while a file is read.
pub(super) struct CurrentCharacter {
    pub(super) character: Arc<Character>,
    pub(super) rig: Arc<Rig>,
    pub(super) additions: Vec<AddedClips>,
    pub(super) props: Vec<Prop>,
}

impl ReadRequest {
    /// A request for a file while a session is shown.
    pub(super) fn beside(path: &Path, session: &Session) -> Self {
        let character = session.puppet().shared_character();
        let (rig, additions) = (Arc::clone(&session.rig_file.loaded), session.additions().to_vec());
        let props = session.settings().props.clone();
        let current = Some(CurrentCharacter { character, rig, additions, props });
        Self { current, ..Self::new(path, session.size()) }
    }

    /// A request for a file that is shown in a view of `size` pixels.
    pub(super) fn new(path: &Path, size: Vec2) -> Self {
        Self {
            path: path.to_owned(),
            watches: false,
            adds: None,
            prop_joint: None,
            reloads: false,
            units: None,
            size,
            current: None,
            progress: Progress::default(),
            references: References::default(),
        }
    }
}

/// The contents of a file.
pub enum LoadedFile {
    /// A character in its rest pose, with its decoded textures.
    Character(Box<Session>, SessionImages),
    /// A project, or a recorded session at its end. Includes the decoded textures and one-line warnings.
    Project(Box<Session>, SessionImages, Vec<String>),
    /// A recorded session at its start, with its length and its decoded textures.
    Watch(Box<Replay>, Duration, SessionImages),
    /// Clips without a character, retargeted to the current character.
    Clips(Box<AddedClips>),
    /// A pose for the current character.
    Pose(Box<StoredPose>),
    /// A model in its rest pose, with its decoded textures, and the name of the joint that is to carry it.
    Prop(String, Box<Puppet>, DecodedImages),
}

/// The decoded textures of a session.
#[derive(Debug, Default)]
pub struct SessionImages {
    pub(in crate::window) character: DecodedImages,
    /// The textures of each prop, in the order of [`Session::prop_puppets`].
    pub(in crate::window) props: Vec<DecodedImages>,
}

/// Reads a file. The result is meaningless if the read was stopped.
pub(super) fn read(request: &ReadRequest) -> Result<LoadedFile, String> {
    let ReadRequest { path, reloads, units, size, current, progress, .. } = request;
    if let Some(clip) = &request.adds {
        return read_clips(request, clip.clone());
    }
    if let Some(prop_joint) = &request.prop_joint {
        return read_prop(request, prop_joint.clone());
    }
    if folder::is_own(path) {
        return read_recording(request).map_err(|e| one_line(&e));
    }
    if folder::is_pose(path) {
        return read_pose(path).map(|pose| LoadedFile::Pose(Box::new(pose)));
    }
    // A take that is shown as a character is reloaded as a character.
    let is_shown = current.as_ref().is_some_and(|c| c.character.path == *path);
    if is_take(path) && !(*reloads && is_shown) {
        return read_clips(request, None);
    }
    let loaded = if path == Path::new(asset::MANNEQUIN_PATH) {
        asset::mannequin()
    } else {
        let options = LoadOptions::default().with_units(*units).with_references(request.references.clone());
        load_character(path, &options, progress)
    };
    let character = loaded.map_err(|e| one_line(&e))?;
    let part_count = |c: &Character| c.parts(c.default_scene).len();
    let is_motion = part_count(&character) == 0 && !character.clips.is_empty();
    if let Some(current) = current.as_ref().filter(|s| is_motion && !reloads && part_count(&s.character) > 0)
    {
        progress.set_stage("Retargeting the motion");
        let source = Arc::new(Source::Character(Box::new(character.clone())));
        let addition = AddedClips::new_with(
            path,
            source,
            &current.character,
            &current.rig,
            Transfer::default(),
            progress,
        );
        // A motion that does not fit the character is shown separately.
        if let Ok(addition) = addition {
            return Ok(LoadedFile::Clips(Box::new(addition)));
        }
    }
    progress.check().map_err(|e| e.to_string())?;
    progress.set_stage("Finding the rig");
    let rig = rig::load(&character, None).map_err(|e| one_line(&e))?;
    progress.check().map_err(|e| e.to_string())?;
    let mut session = Session::new(character, Some(rig), *size);
    if let Some(current) = current.as_ref().filter(|_| *reloads) {
        // Errors are reported by `Session::take_over`.
        drop(session.reapply_with(&current.additions, progress));
        // The files of the props may have changed too.
        session.props.set_with(&current.props, progress);
    }
    let images = decode(&session, progress);
    Ok(LoadedFile::Character(Box::new(session), images))
}

/// Reads a file that has a character. The result is meaningless if the read was stopped.
#[cfg(target_arch = "wasm32")]
pub(in crate::window) fn read_session(
    path: &Path,
    size: Vec2,
    progress: &Progress,
) -> Result<Session, String> {
    let request = ReadRequest { progress: progress.clone(), ..ReadRequest::new(path, size) };
    match read(&request)? {
        LoadedFile::Character(session, _) | LoadedFile::Project(session, ..) => Ok(*session),
        LoadedFile::Watch(..) | LoadedFile::Clips(_) | LoadedFile::Pose(_) | LoadedFile::Prop(..) => {
            Err(format!("{}: not a character", path.display()))
        }
    }
}

/// Decodes the textures of a session's character and of its props.
pub(in crate::window) fn decode(session: &Session, progress: &Progress) -> SessionImages {
    progress.set_stage("Decoding textures");
    let decode = |character: &Character, puppet: &Puppet| {
        DecodedImages::decode_with(character, puppet.parts(), ShadingMode::Shaded, progress)
    };
    SessionImages {
        character: decode(&session.shown_character(), session.puppet()),
        props: session.prop_puppets().map(|prop| decode(prop.character(), prop)).collect(),
    }
}

/// Reads a project, or a recorded session up to its end.
fn read_recording(request: &ReadRequest) -> Result<LoadedFile, Box<dyn std::error::Error>> {
    let ReadRequest { path, watches, size, progress, .. } = request;
    let references = &request.references;
    let recording = Recording::open_with(path, references, progress)?;
    let character = match recording.character() {
        Some(file) => {
            let options =
                LoadOptions::default().with_units(recording.units()).with_references(references.clone());
            load_character(&file, &options, progress)?
        }
        None => asset::mannequin()?,
    };
    let rig = rig::load(&character, None)?;
    let warnings = recording.warnings(&character, &rig);
    let mut replay = Replay::new_with(&recording, character, rig, progress)?;
    if *watches && !recording.is_project() {
        replay.advance(Duration::ZERO)?;
        // The next read must not stop the replay that is being watched.
        replay.detach();
        let images = decode(replay.session(), progress);
        return Ok(LoadedFile::Watch(Box::new(replay), recording.length(), images));
    }
    progress.set_stage("Replaying the recording");
    replay.advance(recording.length())?;
    let mut session = replay.into_session();
    session.apply(Command::Release);
    session.apply(Command::Resize(*size));
    session.apply(Command::Framing(Framing::Tight));
    let images = decode(&session, progress);
    Ok(LoadedFile::Project(Box::new(session), images, warnings))
}

/// Reads a take or another character's clips, and retargets them to the current character.
fn read_clips(request: &ReadRequest, clip: Option<String>) -> Result<LoadedFile, String> {
    let ReadRequest { path, current, progress, references, .. } = request;
    let with_path = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let current =
        current.as_ref().ok_or_else(|| with_path(&"a take can only be opened while a character is shown"))?;
    progress.set_stage("Reading the file");
    let source = {
        let read = Source::load_with_references(path, references, progress);
        Arc::new(read.map_err(|e| one_line(&e))?)
    };
    progress.set_stage("Retargeting the motion");
    let transfer = Transfer { clip, ..Transfer::default() };
    let addition = AddedClips::new_with(path, source, &current.character, &current.rig, transfer, progress);
    let addition = addition.map_err(|e| with_path(&e))?;
    Ok(LoadedFile::Clips(Box::new(addition)))
}

/// Reads a model that a joint is to carry.
fn read_prop(request: &ReadRequest, prop_joint: String) -> Result<LoadedFile, String> {
    let ReadRequest { path, progress, .. } = request;
    progress.set_stage("Reading the file");
    let model = props::load_with(path, progress).map_err(|e| one_line(&e))?;
    progress.check().map_err(|e| e.to_string())?;
    progress.set_stage("Decoding textures");
    let mode = ShadingMode::Shaded;
    let images = DecodedImages::decode_with(model.character(), model.parts(), mode, progress);
    Ok(LoadedFile::Prop(prop_joint, model, images))
}

/// Reads an exported pose.
fn read_pose(path: &Path) -> Result<StoredPose, String> {
    let with_path = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let bytes = bounded::read_regular(path, MAX_POSE_BYTES as u64).map_err(|e| with_path(&e))?;
    let text = String::from_utf8(bytes).map_err(|_| with_path(&"not UTF-8 text"))?;
    StoredPose::read(&text).map_err(|e| with_path(&e))
}

fn one_line(error: &impl fmt::Display) -> String {
    printable::line(&error.to_string()).into_owned()
}
