//! The state of the viewer without a window. Its inputs are commands, and its outputs are frames.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::asset::Character;
use crate::ik::Method;
use crate::puppet::{GoalReport, LengthUnit, NodeStep, Puppet, SolveTrace};
use crate::rig::Rig;
use crate::scene::compare::Comparison;
use crate::scene::picking::Hit;

use super::document::{Document, History, Scene, Selection};
use super::{Command, DragScope, Orbit, Recorder, Settings};

use clock::Clock;
use drags::Drags;
use hovering::Hover;
use save::SavedProject;
use steps::Steps;
use views::View;

mod add_clips;
pub(super) mod added_clips;
mod clock;
pub(super) mod command;
pub(super) mod contacts;
mod display;
pub(super) mod drag;
pub(super) mod drag_goal;
mod drags;
mod edit;
mod execute;
pub(super) mod files;
pub(super) mod fingerprint;
pub(super) mod gizmo;
mod gizmo_drags;
mod grab;
#[cfg(feature = "window")]
pub(super) mod hand;
mod home;
mod hovering;
mod initial_pose;
mod key;
mod key_edits;
mod landing;
pub(super) mod limb;
mod live;
mod onion;
pub(super) mod overlay;
mod picking;
mod place;
mod playback;
pub(super) mod pose_commands;
mod pose_edits;
mod posing;
pub(crate) mod props;
pub(super) mod recorder;
mod refusals;
mod rig_edits;
mod rig_file;
pub(super) mod save;
mod solve;
mod solver_options;
pub(super) mod sparse;
mod state;
mod steps;
pub(super) mod style;
mod surface;
mod symmetry;
pub(super) mod timeline;
pub(super) mod viewpoint;
mod views;

pub use onion::OnionSkin;
pub use refusals::Refusals;
pub use timeline::Timeline;
pub use viewpoint::EyeTarget;

pub(super) use add_clips::MAX_ADDITIONS;
#[cfg(feature = "window")]
pub(super) use onion::{MAX_GHOSTS, MIN_STEP};
#[cfg(feature = "window")]
pub(super) use solve::push_time;
pub(super) use solver_options::default_options;

/// Maximum number of update durations that are kept for the panel's curves.
pub(super) const MAX_TIMES: u8 = 120;

/// The state of the viewer: character, goals, camera and history.
#[derive(Debug)]
pub struct Session {
    pub(super) puppet: Puppet,
    pub(super) document: Document,
    pub(super) history: History,
    pub(super) drags: Drags,
    steps: Steps,
    pub(super) hover: Hover,
    onion: onion::OnionGhosts,
    /// The project that the session was opened from or last saved to.
    project: Option<SavedProject>,
    pub(super) rig_file: rig_file::RigFile,
    pub(super) reports: Vec<GoalReport>,
    pub(super) error: Option<String>,
    style: style::StyleLoader,
    /// A note about the limit that stopped the last turn. It is kept until the next command.
    pub(super) limit_note: Option<String>,
    /// The other methods that solve for the same goals, for comparison.
    pub(super) comparison: Comparison,
    pub(super) clock: Clock,
    /// Durations of the last updates in microseconds.
    pub(super) update_times: Vec<f32>,
    pub(super) view: View,
    length_unit: LengthUnit,
    recorder: Option<Recorder>,
    pub(super) props: props::PropModels,
    /// The cached result of [`Session::refusals`].
    refusals: refusals::RefusalCache,
}

impl Session {
    /// Creates a session that shows a character in its rest pose, in a view of `size` pixels. A file with motion but no meshes starts at
    /// the first frame of its first clip, unless its body stands on the ground plane in the rest pose.
    pub fn new(character: impl Into<Arc<Character>>, rig: Option<Rig>, size: Vec2) -> Self {
        let character: Arc<Character> = character.into();
        let scene = character.default_scene;
        let mut puppet = match rig {
            Some(rig) => Puppet::with_rig(character, scene, rig),
            None => Puppet::new(character, scene),
        };
        // Key poses are sampled by the session, so that the pose can be changed before it is keyed.
        puppet.options.shows_held = true;
        let held = puppet.pose().clone();
        let bounds = initial_pose::apply(&mut puppet);
        puppet.set_springs(true);
        let view = View::new(home::Home::new(&puppet, bounds), size);
        let rig = Arc::new(puppet.rig.clone());
        let mut options = default_options(Method::Auto);
        rig.options.apply(&mut options);
        puppet.options.solver = options;
        let mut session = Self {
            document: Document {
                scene: Scene {
                    held,
                    goals: Vec::new(),
                    pins: Vec::new(),
                    base: None,
                    rig: Arc::clone(&rig),
                    motion: Arc::new(puppet.motion.clone()),
                    time: 0.0,
                },
                selection: Selection::default(),
                orbit: Orbit::framing(&bounds, view.aspect()),
                settings: Settings { solver: Box::new(options), ..Settings::default() },
                additions: Vec::new(),
            },
            history: History::default(),
            drags: Drags::default(),
            steps: Steps::default(),
            hover: Hover::default(),
            onion: onion::OnionGhosts::default(),
            project: None,
            rig_file: rig_file::RigFile::new(rig),
            reports: Vec::new(),
            error: None,
            style: style::StyleLoader::default(),
            limit_note: None,
            comparison: Comparison::default(),
            clock: Clock::default(),
            update_times: Vec::new(),
            view,
            length_unit: LengthUnit::for_bounds(&bounds),
            recorder: None,
            props: props::PropModels::default(),
            refusals: refusals::RefusalCache::default(),
            puppet,
        };
        if session.puppet.has_springs() {
            session.settle_springs();
        }
        session
    }

    /// Executes a command, and records it if a recording is running.
    pub fn apply(&mut self, mut command: Command) {
        if self.log(&mut command) {
            self.execute(command);
        }
    }

    /// Returns the position of a node in world metres.
    pub(crate) fn position_of(&self, node: usize) -> Option<Vec3> {
        place::position(&self.puppet, node)
    }

    /// The session's settings. Commands change them.
    pub fn settings(&self) -> &Settings {
        &self.document.settings
    }

    /// The view's width and height in pixels.
    pub fn size(&self) -> Vec2 {
        self.view.size
    }

    /// Returns the character in its current pose.
    pub fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    /// How well the last solve met each goal.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// Returns why the last solve or edit was refused.
    pub fn error(&self) -> Option<&str> {
        let is_style = self.document.settings.solver.method == Method::Style;
        self.error.as_deref().or_else(|| self.style.failure().filter(|_| is_style))
    }

    /// Returns which limit stopped the last turn, and how to exceed it.
    pub fn limit_note(&self) -> Option<&str> {
        self.limit_note.as_deref()
    }

    /// Returns the unit in which errors and other lengths of this character are shown.
    pub fn length_unit(&self) -> LengthUnit {
        self.length_unit
    }

    /// Returns the other methods that solve for the same goals, with their results.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// Returns whether a drag is in progress.
    pub fn is_dragging(&self) -> bool {
        self.drags.is_active()
    }

    /// The active joint.
    pub fn selected(&self) -> Option<usize> {
        self.document.selection.active
    }

    /// Returns all selected joints, the active one first.
    pub fn selection(&self) -> Vec<usize> {
        self.document.selection.nodes()
    }

    fn has_node(&self, node: usize) -> bool {
        node < self.document.scene.held.locals.len()
    }

    /// The part of the character that a click would grab.
    pub fn hovered(&self) -> Option<Hit> {
        self.hover.hit
    }

    /// Returns whether the pointer is on something that can be dragged.
    pub fn is_hovering(&self) -> bool {
        self.hover.is_marked()
    }

    /// Returns the next scope in the cycle of drag scopes, skipping a scope that makes no difference for this character.
    pub fn next_scope(&self) -> DragScope {
        match self.document.settings.drag_scope {
            DragScope::Body if self.has_body() => DragScope::Limb,
            DragScope::Body | DragScope::Limb => DragScope::Joint,
            DragScope::Joint => DragScope::Body,
        }
    }

    /// Returns whether the character has a recognised body, which [`DragScope::Body`] moves as a whole.
    pub fn has_body(&self) -> bool {
        self.puppet.rig.body.is_some()
    }

    /// Returns whether there is a solve whose steps can be shown.
    pub fn can_step(&self) -> bool {
        self.steps.can_start()
    }

    /// Returns the number of steps in the displayed pose, and the total number of steps of the solve. `None` unless step mode is on.
    pub fn shown_steps(&self) -> Option<(usize, usize)> {
        self.steps.shown().map(|shown| (shown, self.puppet.steps().count()))
    }

    /// Returns the last step of the displayed pose. `None` before the first step, or if step mode is off.
    pub fn shown_step(&self) -> Option<(&SolveTrace, &NodeStep)> {
        self.steps.last_shown(&self.puppet)
    }

    /// The rig with all edits.
    pub fn rig(&self) -> &Rig {
        &self.document.scene.rig
    }

    /// Returns whether the rig differs from the one that was last loaded or saved.
    pub fn is_rig_changed(&self) -> bool {
        self.rig_file.differs_from(&self.document.scene.rig)
    }

    /// Returns whether a motion is playing.
    pub fn is_playing(&self) -> bool {
        self.clock.playing && !self.puppet.motion.is_rest()
    }

    /// Returns whether springs are swinging. They move the character even if no motion plays.
    pub fn is_swinging(&self) -> bool {
        self.puppet.has_springs() && !self.clock.is_asleep
    }
}
