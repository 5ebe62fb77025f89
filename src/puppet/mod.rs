//! A live character: a motion, targets, and the pose that follows from them.

use std::sync::Arc;

use glam::{Affine3A, Quat};

use crate::asset::{Character, Clip, NotFinite, Part};
use crate::ik::{Options, Solver};
use crate::motion::{ContactConstraint, Motion, Player};
use crate::pose::{Pose, world_matrices};
use crate::rig;
use crate::rig::Rig;
use crate::skin::{Palette, Skinning};

mod bindings;
mod bounds;
mod contacts;
mod error;
pub mod motion_file;
mod prior;
mod problem;
mod solve;
mod style_file;
mod target;
#[cfg(test)]
mod tests;

pub use error::PuppetError;
pub use prior::{CharacterPrior, LearnError, PostureBody};
use solve::Workspace;
pub use style_file::{StyleFileCause, StyleFileError, read_style};
pub use target::{GoalReport, Pin, Target};

/// A character with a motion and targets, and its pose. Clones share the character.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// The motion to play. An empty motion is rest.
    pub motion: Motion,
    /// Time on the timeline of the motion, seconds.
    pub time: f32,
    /// Whether the motion loops: [`Player::looping`].
    pub looping: bool,
    /// The pose below the motion, in place of rest: where earlier drags have left the character. A pose of another
    /// skeleton is ignored.
    pub held: Option<Pose>,
    /// Local rotations that replace those of the motion, by node.
    pub rotations: Vec<(usize, Quat)>,
    /// Goals for nodes.
    pub targets: Vec<Target>,
    /// Nodes that stay in their places, with priority over all targets.
    pub pins: Vec<Pin>,
    /// The chains and limits of the character: those that [`rig::find`] finds, unless set.
    pub rig: Rig,
    /// How targets are solved.
    pub options: Options,
    /// The style for [`Method::Style`](crate::ik::Method::Style). Its joints are the nodes of the same names.
    pub style: Option<CharacterPrior>,
    /// How joints deform the vertices.
    pub skinning: Skinning,
    character: Arc<Character>,
    parts: Arc<[Part]>,
    pose: Pose,
    world_from_node: Vec<Affine3A>,
    palette: Palette,
    player: Player,
    feet: Vec<usize>,
    contacts: Vec<ContactConstraint>,
    contact_targets: Vec<Target>,
    solver: Solver,
    /// Solves contact constraints. The other solver must remember the targets.
    contact_solver: Solver,
    workspace: Workspace,
    reports: Vec<GoalReport>,
}

impl Puppet {
    /// A character at rest, with the parts of one of its scenes.
    pub fn new(character: impl Into<Arc<Character>>, scene: usize) -> Self {
        let character = character.into();
        let rig = rig::detect(&character);
        Self::with_rig(character, scene, rig)
    }

    /// A character at rest, with a given rig and the parts of one of its scenes.
    pub fn with_rig(character: impl Into<Arc<Character>>, scene: usize, rig: Rig) -> Self {
        let character = character.into();
        let parts: Arc<[Part]> = character.parts(scene).into();
        let mut puppet = Self {
            motion: Motion::default(),
            time: 0.0,
            looping: false,
            held: None,
            rotations: Vec::new(),
            targets: Vec::new(),
            pins: Vec::new(),
            rig,
            options: Options::default(),
            style: None,
            skinning: Skinning::default(),
            pose: Pose::rest(&character.skeleton),
            world_from_node: Vec::new(),
            palette: Palette::new(&character, &parts),
            player: Player::default(),
            feet: Vec::new(),
            contacts: Vec::new(),
            contact_targets: Vec::new(),
            solver: Solver::default(),
            contact_solver: Solver::default(),
            workspace: Workspace::default(),
            reports: Vec::new(),
            parts,
            character,
        };
        world_matrices(&puppet.character.skeleton, &puppet.pose, &mut puppet.world_from_node);
        puppet.update_palette();
        puppet
    }

    /// Samples the motion, keeps its contacts in place, solves the targets, and fills the palette. Returns a report for
    /// each target, group by group.
    ///
    /// The result depends on what is set, not on how often this is called. The pose and its world matrices are finite.
    /// Allocates nothing once the buffers have grown, except for [`Method::Style`](crate::ik::Method::Style).
    ///
    /// # Errors
    /// [`PuppetError`]. The pose is then that of the groups before the one that failed, or rest if it was not finite.
    pub fn update(&mut self) -> Result<&[GoalReport], PuppetError> {
        self.reports.clear();
        self.sample();
        let posed = self.pose_sample(Self::solve);
        if posed.is_err() {
            self.reports.clear();
        }
        posed.map(|()| self.reports.as_slice())
    }

    /// Takes over a pose from elsewhere, and moves joints with contact constraints to their places. Targets and motion are
    /// ignored. Does nothing if the pose is one of another skeleton.
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not finite, with or without its contact constraints. The puppet is then at rest.
    pub fn follow(&mut self, pose: &Pose, contacts: &[ContactConstraint]) -> Result<(), NotFinite> {
        if !self.fits(pose) {
            return Ok(());
        }
        self.reports.clear();
        self.pose.clone_from(pose);
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.pose_sample(|_| Ok(()))
    }

    /// Turns the sampled pose into the final one.
    fn pose_sample<E: From<NotFinite>>(
        &mut self,
        solve: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        self.check()?;
        self.workspace.bindings.begin_frame();
        self.keep_contacts();
        let solved = solve(self);
        self.check()?;
        self.update_palette();
        solved
    }

    /// Checks that the pose and its world matrices are finite, and returns the puppet to rest if not. Finite transforms
    /// may exceed single precision when they add up in a blend or along the skeleton.
    fn check(&mut self) -> Result<(), NotFinite> {
        let (skeleton, Pose { locals, weights }) = (&self.character.skeleton, &self.pose);
        let checked =
            skeleton.check_pose(locals, weights).and_then(|()| skeleton.check_world(&self.world_from_node));
        if checked.is_err() {
            self.pose.reset(skeleton);
            self.contacts.clear();
            world_matrices(skeleton, &self.pose, &mut self.world_from_node);
            self.update_palette();
        }
        checked
    }

    /// Plays a single clip, by its index, from now on. `time`: time in the clip, seconds.
    pub fn play(&mut self, clip: usize, time: f32) {
        (self.motion, self.time) = (Motion::clip(clip), time);
    }

    /// The duration of the motion, seconds.
    pub fn seconds(&self) -> f32 {
        self.motion.seconds(&self.character.clips)
    }

    /// Whether a pose is one of this skeleton, by its numbers of nodes and morph weights.
    fn fits(&self, pose: &Pose) -> bool {
        let rest = &self.character.skeleton;
        pose.locals.len() == rest.nodes.len() && pose.weights.len() == rest.rest_weights.len()
    }

    /// Forgets the last solve: the next one does not continue from its answer.
    pub fn reset_solver(&mut self) {
        self.solver.reset();
    }

    /// Samples the motion, on top of the held pose or rest.
    fn sample(&mut self) {
        match self.held.as_ref().filter(|held| self.fits(held)) {
            Some(held) => self.pose.clone_from(held),
            None => self.pose.reset(&self.character.skeleton),
        }
        self.feet.clear();
        self.feet.extend(self.rig.feet());
        let Self { character, motion, looping, time, player, pose, feet, contacts, .. } = self;
        player.looping = *looping;
        player.pose(character, motion, feet, *time, pose, contacts);
        for &(node, rotation) in &self.rotations {
            if let Some(local) = self.pose.locals.get_mut(node) {
                local.rotation = rotation;
            }
        }
    }

    fn update_palette(&mut self) {
        self.palette.update(&self.character, &self.world_from_node, self.skinning);
    }

    /// The character.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// The character, as a shared pointer.
    pub fn shared_character(&self) -> Arc<Character> {
        Arc::clone(&self.character)
    }

    /// Adds clips to the character. Clones that were made before do not have them.
    pub fn add_clips(&mut self, clips: impl IntoIterator<Item = Clip>) {
        Arc::make_mut(&mut self.character).clips.extend(clips);
    }

    /// Shares the character of another puppet, to which clips were added. Both must have the same skeleton.
    pub fn share_clips(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.character, &other.character) {
            self.character = Arc::clone(&other.character);
            self.workspace.bindings.clear();
        }
    }

    /// The visible parts, in node order, then primitive order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The reports of the last [`Puppet::update`]: one for each target, group by group. Empty if it failed.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// The largest position error before the first iteration of the last solve and after each, world metres. Empty
    /// unless [`Options::record`] is set.
    pub fn convergence(&self) -> &[f64] {
        &self.solver.report().history
    }

    /// The local transforms after [`Puppet::update`].
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The `world_from_node` matrices after [`Puppet::update`].
    pub fn world_from_node(&self) -> &[Affine3A] {
        &self.world_from_node
    }

    /// The skin matrices after [`Puppet::update`].
    pub fn palette(&self) -> &Palette {
        &self.palette
    }
}
