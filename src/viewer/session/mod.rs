//! The state of the viewer without a window. Its inputs are commands, and its outputs are frames.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::asset::Character;
use crate::ik::Method;
use crate::puppet::{GoalReport, LengthUnit, Puppet};
use crate::render::{Frame, Model, RenderError, Renderer};
use crate::rig::Rig;
use crate::scene::compare::Comparison;
use crate::view::Camera;

use super::document::{Document, History};
use super::{AddedClips, DragScope, Orbit, Recorder, Settings};

use clock::Clock;
use drags::Drags;
use hovering::Hover;
use picking::Picture;
use saved_project::SavedProject;
use steps::Steps;
use views::View;

pub(super) mod added_clips;
mod clock;
pub(super) mod command;
pub(super) mod contacts;
pub(super) mod display;
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
mod key_edits;
mod landing;
pub(super) mod limb;
mod live;
mod onion;
pub(super) mod overlay;
mod picking;
mod place;
pub(super) mod pose_commands;
mod pose_edits;
pub(crate) mod props;
pub(super) mod recorder;
mod refusals;
mod rig_edits;
mod rig_file;
pub(super) mod saved_project;
mod scene_edits;
mod solve;
pub(super) mod solver_options;
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

#[cfg(feature = "window")]
pub(super) use clock::{MAX_TIMES, push_time};
#[cfg(feature = "window")]
pub(super) use onion::{MAX_GHOSTS, MIN_STEP};
pub(super) use solver_options::default_options;

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
    pub(super) project: Option<SavedProject>,
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
    pub(super) recorder: Option<Recorder>,
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
        let bounds = home::start(&mut puppet);
        puppet.set_springs(true);
        let view = View::new(home::Home::new(&puppet, bounds), size);
        puppet.options.solver = default_options(Method::Auto);
        puppet.rig.options.apply(&mut puppet.options.solver);
        let document = Document::new(&puppet, Orbit::framing(&bounds, view.aspect()));
        let mut session = Self {
            rig_file: rig_file::RigFile::new(Arc::clone(&document.scene.rig)),
            document,
            history: History::default(),
            drags: Drags::default(),
            steps: Steps::default(),
            hover: Hover::default(),
            onion: onion::OnionGhosts::default(),
            project: None,
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

    /// The view's width and height in whole pixels.
    pub fn pixels(&self) -> (u32, u32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is 1 to 32768")]
        let size = (self.size().x as u32, self.size().y as u32);
        size
    }

    /// Describes the scene for a renderer. `scale` is the number of pixels per point.
    pub fn frame(&self, scale: f32) -> Frame<'_> {
        display::frame(self, scale)
    }

    /// The camera.
    pub fn camera(&self) -> Camera {
        self.view.camera(&self.puppet, &self.document.orbit)
    }

    /// Returns the initial front view of the whole character at its current position.
    pub fn home_view(&self) -> Orbit {
        self.view.initial(&self.puppet, self.document.settings.framing)
    }

    /// Returns a view of the selected joints and their bones from the current direction. If nothing is selected, it shows the whole
    /// character.
    pub fn selection_view(&self) -> Orbit {
        self.view.of_selection(&self.puppet, &self.document)
    }

    /// Returns the picture in which the pointer picks parts of the character and the gizmo.
    pub(crate) fn picture(&self) -> Picture<'_> {
        Picture::new(&self.puppet, &self.document, &self.view)
    }

    /// Returns the character with the displayed materials, for upload to a renderer. If a variant is shown, this is a copy, because the
    /// original is shared with the rest of the program.
    pub fn shown_character(&self) -> Cow<'_, Character> {
        display::with_variant(self.puppet.character(), self.document.settings.variant.as_deref())
    }

    /// Returns the models of the props in their rest poses, in the order of [`Self::prop_models`].
    pub fn prop_puppets(&self) -> impl Iterator<Item = &Puppet> {
        self.props.loaded().map(|(_, puppet)| puppet)
    }

    /// Uploads the models of the props. A renderer needs them after the character's model to draw [`Self::frame`]. Frames that are drawn
    /// without them lack the props.
    ///
    /// # Errors
    /// [`RenderError`] if a model cannot be uploaded.
    pub fn prop_models(&self, renderer: &Renderer) -> Result<Vec<Model>, RenderError> {
        self.props.upload(renderer)
    }

    /// The character's file. The built-in character has none.
    pub fn file(&self) -> Option<&Path> {
        files::file_of(self.puppet.character())
    }

    /// Returns the base name for saved files.
    pub(crate) fn name(&self) -> String {
        files::base_name(self.puppet.character())
    }

    /// Returns the project file that the session was opened from or last saved to.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| project.path.as_path())
    }

    /// Returns the files and takes whose clips were added to the character, in the order in which they were added.
    pub fn additions(&self) -> &[AddedClips] {
        &self.document.additions
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

    /// Returns the unit in which errors and other lengths of this character are shown.
    pub fn length_unit(&self) -> LengthUnit {
        self.length_unit
    }

    /// Returns the other methods that solve for the same goals, with their results.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// Returns the next scope in the cycle of drag scopes, skipping a scope that makes no difference for this character.
    pub fn next_scope(&self) -> DragScope {
        self.document.settings.drag_scope.next(self.has_body())
    }

    /// Returns whether the character has a recognised body, which [`DragScope::Body`] moves as a whole.
    pub fn has_body(&self) -> bool {
        self.puppet.rig.body.is_some()
    }

    /// The rig with all edits.
    pub fn rig(&self) -> &Rig {
        &self.document.scene.rig
    }

    /// Returns whether springs are swinging. They move the character even if no motion plays.
    pub fn is_swinging(&self) -> bool {
        self.puppet.has_springs() && !self.clock.is_asleep
    }
}
