//! The document: the user's work in the viewer, as stored in a project. Except for the character, it is plain data.

use std::sync::Arc;

use crate::ik::{Method, OptionOverrides, SolverOption};
use crate::pose::Pose;
use crate::puppet::Puppet;
use crate::render::LightSource;

use super::session::default_options;
use super::{AddedClips, Orbit, Settings};

mod history;
pub(super) mod prop;
mod scene;
mod selection;
mod snapshot;

pub(super) use history::{EditRun, History};
#[cfg(feature = "window")]
pub(super) use scene::MAX_GOAL_WEIGHT;
pub(super) use scene::{Scene, axes_fit};
pub(super) use selection::Selection;
pub(super) use snapshot::{Restored, is_valid, set_pose_values};
pub use snapshot::{Snapshot, SolveProblem};

/// A character's scene, with its selection, view and settings.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// The part of the document that undo restores.
    pub(super) scene: Scene,
    pub(super) selection: Selection,
    /// The camera.
    pub(super) orbit: Orbit,
    pub(super) settings: Settings,
    /// The sources of the clips that were added to the character's own clips.
    pub(super) additions: Vec<AddedClips>,
}

impl Document {
    /// Creates the document of a puppet that shows its initial motion. The held pose is the rest pose.
    pub(super) fn new(puppet: &Puppet, orbit: Orbit) -> Self {
        let scene = Scene {
            held: Pose::rest(&puppet.character().skeleton),
            goals: Vec::new(),
            pins: Vec::new(),
            base: None,
            rig: Arc::new(puppet.rig.clone()),
            motion: Arc::new(puppet.motion.clone()),
            time: 0.0,
        };
        let settings = Settings { solver: Box::new(puppet.options.solver), ..Settings::default() };
        Self { scene, selection: Selection::default(), orbit, settings, additions: Vec::new() }
    }

    /// Returns the settings as stored in files. Files do not store environment images, so these are replaced by the studio light source.
    pub(super) fn stored_settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if matches!(settings.light.source, LightSource::Image(_)) {
            settings.light.source = LightSource::Studio;
        }
        settings
    }

    /// Returns the options that [`Command::StoreOptions`](super::Command::StoreOptions) stores in the rig: those that differ from the
    /// viewer's defaults, and those that the rig already sets.
    pub(super) fn storable_options(&self) -> OptionOverrides {
        let defaults = default_options(Method::Auto);
        let before = &self.scene.rig.options;
        let mut stored = OptionOverrides::default();
        for option in SolverOption::all().iter().filter(|o| o.refusal.is_none()) {
            let value = option.get(&self.settings.solver);
            if value != option.get(&defaults) || before.get(option).is_some() {
                // No error is expected, because the session has already replaced all values that an option rejects.
                let _ = stored.set(option, value);
            }
        }
        stored
    }
}
