//! The clips of other files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::{Character, UpAxis};
use crate::capture::{RotationFit, TakeOptions, defines_up};
use crate::cli::failure::Failure;
use crate::export::bake;
use crate::export::bake::{RetargetedClips, Source, SourceError};
use crate::files::Progress;
use crate::ik::Outcome;
use crate::puppet::{GoalKind, GoalReport, LengthUnit, Puppet};
use crate::rig::Rig;
use crate::shared::worst_miss;
#[cfg(feature = "viewer")]
use crate::viewer::AddedClips;
use crate::viewer::Transfer;

/// The options for reading clips of other files.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Reading {
    pub(in crate::cli) transfer: Transfer,
    pub(in crate::cli) up: UpAxis,
    pub(in crate::cli) rotations: RotationFit,
}

/// Returns a character with the retargeted clips of other files added, and warnings about missed contacts and takes. A clip whose name is
/// taken gets the file's name as a prefix.
pub(super) fn extend(
    character: Arc<Character>,
    files: &[PathBuf],
    rig: &Rig,
    reading: &Reading,
) -> Result<(Arc<Character>, Vec<String>), Failure> {
    let mut warnings = Vec::new();
    if files.is_empty() {
        return Ok((character, warnings));
    }
    let mut character = Arc::unwrap_or_clone(character);
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let retargeted = load(path, "--clips", &character, rig, reading)?;
        let unit = || {
            let scene = character.default_scene;
            Puppet::with_rig(character.clone(), scene, rig.clone()).length_unit()
        };
        let missed = missed(&retargeted.contacts, &unit).into_iter().chain(retargeted.warnings);
        warnings.extend(missed.map(|text| format!("--clips {}: {text}", path.display())));
        for mut clip in retargeted.clips {
            clip.name = Some(bake::unique_clip_name(&character.clips, clip.name.as_deref(), &stem));
            character.clips.push(clip);
        }
    }
    Ok((character.into(), warnings))
}

/// Returns one warning about missed pins and one about missed contacts, if there are any.
pub(in crate::cli) fn missed(reports: &[GoalReport], unit: &dyn Fn() -> LengthUnit) -> Vec<String> {
    let warning = |(kind, name): (GoalKind, &str)| {
        let of_kind = || reports.iter().filter(move |r| r.kind == kind);
        let missed = || of_kind().filter(|r| r.outcome != Outcome::Reached);
        let (count, all) = (missed().count(), of_kind().count());
        (count > 0).then(|| {
            let worst = worst_miss(of_kind(), unit());
            format!("{count} of {all} {name} in all frames are missed, by up to {worst}")
        })
    };
    [(GoalKind::Pin, "pins"), (GoalKind::Contact, "contacts")].into_iter().filter_map(warning).collect()
}

/// Loads the clips of a file, retargeted to a character. The file is a sensor recording or another character.
/// Fails if the file has no clip. Errors name `option`.
pub(in crate::cli) fn load(
    path: &Path,
    option: &str,
    character: &Character,
    rig: &Rig,
    Reading { transfer, up, rotations }: &Reading,
) -> Result<RetargetedClips, Failure> {
    let mut source = Source::load_with_references(path, &character.references, &Progress::default())?;
    if !defines_up(path) {
        source.turn_up(*up);
    }
    if let Some(cutoff) = transfer.smooth {
        source.smooth(cutoff);
    }
    let of_take = source.clips_of_take(character, rig, &TakeOptions::default().with_rotations(*rotations));
    let clips = of_take.and_then(|clips| match clips {
        Some(clips) => Ok(clips),
        None => source.clips(character, rig, transfer.keep_hands),
    });
    clips.map_err(|e| source_failure(option, path, &e))
}

fn source_failure(option: &str, path: &Path, error: &SourceError) -> Failure {
    Failure::Usage(format!("{option} {}: {error}", path.display()))
}

/// Loads the clips of several files for the viewer, which needs to know the file of each clip.
#[cfg(feature = "viewer")]
pub(in crate::cli) fn added_clips(
    character: &Character,
    files: &[PathBuf],
    rig: &Rig,
    transfer: &Transfer,
) -> Result<Vec<AddedClips>, Failure> {
    let load = |path: &PathBuf| {
        let source = Source::load_with_references(path, &character.references, &Progress::default())?;
        let addition = AddedClips::new(path, Arc::new(source), character, rig, transfer.clone());
        addition.map_err(|e| source_failure("--clips", path, &e))
    };
    files.iter().map(load).collect()
}
