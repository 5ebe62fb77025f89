//! A live character: a motion, targets, and the pose that results from them.

use std::sync::{Arc, OnceLock};

use glam::{Affine3A, DVec3, Quat};

use crate::asset::{Character, Clip, Part};
use crate::ik::Solver;
use crate::motion::{ContactConstraint, Motion, Player};
use crate::pose::{Pose, world_matrices};
use crate::rig;
use crate::rig::{BodyPlan, Foot, Rig};
use crate::skin::{JointBoxes, Palette};

mod bindings;
mod bounds;
mod contacts;
mod depth;
mod error;
mod head;
mod length_unit;
mod looks;
pub mod motion_file;
mod options;
pub(crate) mod pose_values;
mod prior;
mod problem;
mod replaced;
mod reports;
mod sample;
mod secondary;
mod shown_steps;
mod solve;
mod style_file;
pub(crate) mod target;
#[cfg(test)]
mod tests;
mod trace;
mod update;

pub use error::PuppetError;
pub use length_unit::LengthUnit;
use looks::Looks;
pub use options::PuppetOptions;
pub use prior::{CharacterPrior, LearnError, PostureBody};
use secondary::Secondary;
pub use secondary::{MAX_SETTLE, SpringClock};
use solve::Workspace;
pub use style_file::{StyleFileCause, StyleFileError, read_style};
use target::PinnedNode;
pub use target::{GoalKind, GoalReport, Pin, Target};
pub use trace::{NodeStep, SolveTrace};

/// A character with a motion and targets, and its pose. Clones share the character.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// The motion to play. An empty motion keeps the character in the rest pose.
    pub motion: Motion,
    /// Time on the timeline of the motion, in seconds.
    pub time: f32,
    /// The pose on which the motion is played instead of the rest pose, for example the result of earlier drags. A pose of another skeleton
    /// is ignored.
    pub held: Option<Pose>,
    /// The pose that the whole body stays near while it follows targets, usually the pose in which a drag began. `None` means the motion's
    /// pose. A pose of another skeleton is ignored.
    pub stance: Option<Pose>,
    /// Node indices, each with the local rotation that replaces the motion's rotation.
    pub rotations: Vec<(usize, Quat)>,
    /// Node indices, each with a rotation in the frame of the node. It is applied after the motion's rotation and [`Puppet::rotations`].
    /// Logical children rotate with the node.
    pub turns: Vec<(usize, Quat)>,
    /// Indices of weights of the pose, each with the value that replaces the motion's value.
    pub weights: Vec<(usize, f32)>,
    /// Goals for nodes.
    pub targets: Vec<Target>,
    /// Nodes that must stay in place, with priority over all targets.
    pub pins: Vec<Pin>,
    /// The chains and limits of the character. [`Puppet::new`] uses the ones that [`rig::detect`] finds.
    pub rig: Rig,
    /// How the motion is played, the targets are solved and the vertices are deformed.
    pub options: PuppetOptions,
    /// The style for [`Method::Style`](crate::ik::Method::Style). The style's joints are matched with nodes by name.
    pub style: Option<CharacterPrior>,
    /// Point in the world that the character looks at. It turns its eyes if its file describes how they turn, and otherwise the head of its
    /// recognised body, within limits.
    pub look_at: Option<DVec3>,
    character: Arc<Character>,
    parts: Arc<[Part]>,
    /// The boxes of each part, computed when they are first needed.
    boxes: Arc<OnceLock<Vec<JointBoxes>>>,
    pose: Pose,
    world_from_node: Vec<Affine3A>,
    palette: Palette,
    player: Player,
    /// The body of the rig for which the player's mirror was made.
    mirrored_body: Option<BodyPlan>,
    feet: Vec<Foot>,
    contacts: Vec<ContactConstraint>,
    contact_targets: Vec<Target>,
    /// The nodes of contacts that yield to other parts of the body.
    yielding: Vec<usize>,
    /// The nodes of contacts that pull the body along.
    pulling: Vec<usize>,
    held_on: Vec<contacts::HeldOn>,
    solver: Solver,
    /// Solves contact constraints. This is a separate solver, because `solver` must remember the last solve of the targets.
    contact_solver: Solver,
    workspace: Workspace,
    reports: Vec<GoalReport>,
    contact_reports: Vec<GoalReport>,
    limited: Vec<usize>,
    secondary: Secondary,
    looks: Looks,
}

impl Puppet {
    /// Creates a puppet in the rest pose, with the parts of one of the character's scenes and a detected rig.
    ///
    /// ```
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let puppet = Puppet::new(asset::mannequin()?, 0);
    /// let bounds = puppet.bounds();
    /// assert!((1.7..1.8).contains(&(bounds.hi.y - bounds.lo.y)));
    /// assert!(puppet.rig.body.is_some() && puppet.motion.is_rest());
    /// # Ok::<(), asset::LoadError>(())
    /// ```
    pub fn new(character: impl Into<Arc<Character>>, scene: usize) -> Self {
        let character = character.into();
        let rig = rig::detect(&character);
        Self::with_rig(character, scene, rig)
    }

    /// Creates a puppet in the rest pose, with a given rig and the parts of one of the character's scenes.
    pub fn with_rig(character: impl Into<Arc<Character>>, scene: usize, rig: Rig) -> Self {
        let character = character.into();
        let parts: Arc<[Part]> = character.posable_parts(scene).into();
        let mut options = PuppetOptions::default();
        rig.options.apply(&mut options.solver);
        let mut puppet = Self {
            motion: Motion::default(),
            time: 0.0,
            held: None,
            stance: None,
            rotations: Vec::new(),
            turns: Vec::new(),
            weights: Vec::new(),
            targets: Vec::new(),
            pins: Vec::new(),
            rig,
            options,
            style: None,
            look_at: None,
            pose: Pose::rest(&character.skeleton),
            world_from_node: Vec::new(),
            palette: Palette::new(&character, &parts),
            player: Player::default(),
            mirrored_body: None,
            feet: Vec::new(),
            contacts: Vec::new(),
            contact_targets: Vec::new(),
            yielding: Vec::new(),
            pulling: Vec::new(),
            held_on: Vec::new(),
            solver: Solver::default(),
            contact_solver: Solver::default(),
            workspace: Workspace::default(),
            reports: Vec::new(),
            contact_reports: Vec::new(),
            limited: Vec::new(),
            secondary: Secondary::new(&character),
            looks: Looks::new(&character, &parts),
            parts,
            boxes: Arc::default(),
            character,
        };
        world_matrices(&puppet.character.skeleton, &puppet.pose, &mut puppet.world_from_node);
        puppet.update_palette();
        puppet
    }

    /// Discards the last solve, so that the next one does not continue from its result.
    pub fn reset_solver(&mut self) {
        self.solver.reset();
    }

    /// The character of the puppet.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// Returns the character as a shared pointer.
    pub fn shared_character(&self) -> Arc<Character> {
        Arc::clone(&self.character)
    }

    /// Adds clips to the character. Earlier clones of the puppet do not receive the clips.
    pub fn add_clips(&mut self, clips: impl IntoIterator<Item = Clip>) {
        Arc::make_mut(&mut self.character).clips.extend(clips);
    }

    /// Uses the character of another puppet after clips were added to it. Both must have the same skeleton.
    pub fn share_clips(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.character, &other.character) {
            self.character = Arc::clone(&other.character);
            self.workspace.bindings.clear();
        }
    }

    /// Returns the visible parts, sorted by node and then by primitive.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the reports of the last [`Puppet::update`]: one for each target and pin, group by group, and then one for each contact. The
    /// result is empty if the update failed.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// Returns the nodes whose joints the last [`Puppet::update`] left at their limits, sorted. Only joints that were solved are
    /// included.
    pub fn limited(&self) -> &[usize] {
        &self.limited
    }

    /// Returns the largest position error before the first iteration of the last solve and after each iteration, in metres in world space.
    /// Empty unless [`Options::record`](crate::ik::Options::record) is set.
    pub fn convergence(&self) -> &[f64] {
        &self.solver.report().history
    }

    /// Returns the contact constraints of the last pose.
    pub(crate) fn contacts(&self) -> &[ContactConstraint] {
        &self.contacts
    }

    /// Returns the local transforms after [`Puppet::update`].
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Returns the `world_from_node` matrices after [`Puppet::update`].
    pub fn world_from_node(&self) -> &[Affine3A] {
        &self.world_from_node
    }

    /// Returns the skin matrices after [`Puppet::update`].
    pub fn palette(&self) -> &Palette {
        &self.palette
    }
}

/// Returns whether a pose has as many nodes and morph weights as the skeleton of a character.
fn fits(character: &Character, pose: &Pose) -> bool {
    let rest = &character.skeleton;
    pose.locals.len() == rest.nodes.len() && pose.weights.len() == rest.rest_weights.len()
}
