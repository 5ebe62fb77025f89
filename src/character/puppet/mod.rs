//! A live character: a motion, targets, and the pose that results from them.

use std::sync::{Arc, OnceLock};

use glam::{Affine3A, DVec3, Quat};

use crate::asset::{Character, Clip, NotFinite, Part};
use crate::ik::Solver;
use crate::motion::{ContactConstraint, Motion, Player};
use crate::pose::{Mirror, Pose, world_matrices};
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
mod secondary;
mod shown_steps;
mod solve;
mod style_file;
pub(crate) mod target;
#[cfg(test)]
mod tests;
mod trace;

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

    /// Samples the motion with its contacts kept in place, and solves for the targets. Then applies constraints, eyes and springs, and
    /// computes the palette. Returns a report for each target and each pin, group by group, and then one for each contact. Pins are solved
    /// and reported only together with targets, unless [`Puppet::pins`] contains one.
    ///
    /// The result depends on the public fields, not on how often this is called. The pose and its world matrices are
    /// finite. Allocates nothing once the buffers have grown, except for [`Method::Style`](crate::ik::Method::Style).
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::puppet::{Pin, Puppet, Target};
    /// use sinew_character::{asset, ik};
    ///
    /// // The left hand reaches for a point in front of the chest. The right foot stays where it is.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let find = |name| puppet.character().skeleton.find(name).ok_or("the joint does not exist");
    /// let (hand, foot) = (find("leftHand")?, find("rightFoot")?);
    /// let before = puppet.world_from_node()[foot].translation;
    /// let goal = DVec3::new(0.2, 1.2, 0.35);
    /// puppet.targets.push(Target::new(hand).with_position(goal));
    /// puppet.pins.push(Pin { node: foot, target: None });
    /// puppet.options.solver = puppet.options.solver.with_method(ik::Method::FullBody);
    /// puppet.update()?;
    /// let positions = puppet.world_from_node();
    /// assert!(positions[hand].translation.as_dvec3().distance(goal) < 1e-3);
    /// assert!(positions[foot].translation.distance(before) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PuppetError`]. The pose then contains the solutions of the groups before the one that failed. If the pose was not finite, it is
    /// reset to the rest pose.
    pub fn update(&mut self) -> Result<&[GoalReport], PuppetError> {
        self.sample();
        self.pose_sample(Self::solve)?;
        Ok(&self.reports)
    }

    /// Adopts a pose from another source, and moves joints with contact constraints to their targets. The puppet's own targets and motion
    /// are ignored. Does nothing if the pose belongs to another skeleton. Afterwards, [`Puppet::reports`] contains a report for each
    /// contact.
    ///
    /// ```
    /// use sinew_character::glam::Quat;
    /// use sinew_character::pose::Pose;
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// // For example with a pose from motion capture.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let head = puppet.character().skeleton.find("head").ok_or("no head")?;
    /// let mut pose = Pose::rest(&puppet.character().skeleton);
    /// pose.locals[head].rotation = Quat::from_rotation_y(0.6);
    /// puppet.follow(&pose, &[])?;
    /// assert_eq!(puppet.pose(), &pose);
    ///
    /// pose.locals[head].translation.x = f32::NAN;
    /// assert_eq!(puppet.follow(&pose, &[]).unwrap_err().joint, "head");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not finite, before or after its contact constraints are solved. The puppet is then
    /// in the rest pose.
    pub fn follow(&mut self, pose: &Pose, contacts: &[ContactConstraint]) -> Result<(), NotFinite> {
        if !fits(&self.character, pose) {
            return Ok(());
        }
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
        self.reports.clear();
        self.limited.clear();
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        self.check()?;
        self.workspace.begin_frame(self.pose.locals.len());
        self.keep_contacts(true);
        let solved = solve(self);
        if let Err(error) = self.check().and_then(|()| self.apply_secondary()) {
            self.reports.clear();
            return Err(error.into());
        }
        self.update_palette();
        match &solved {
            Ok(()) => {
                self.report_contacts();
                self.limited.extend(self.workspace.limited());
            }
            Err(_) => self.reports.clear(),
        }
        solved
    }

    /// Checks that the pose and its world matrices are finite, and resets the puppet to the rest pose if they are not.
    /// Finite transforms may exceed single precision when they are combined in a blend or along the skeleton.
    fn check(&mut self) -> Result<(), NotFinite> {
        let (skeleton, Pose { locals, weights }) = (&self.character.skeleton, &self.pose);
        let checked =
            skeleton.check_pose(locals, weights).and_then(|()| skeleton.check_world(&self.world_from_node));
        if checked.is_err() {
            self.secondary.is_changed = false;
            self.pose.reset(skeleton);
            self.contacts.clear();
            world_matrices(skeleton, &self.pose, &mut self.world_from_node);
            self.update_palette();
        }
        checked
    }

    /// Replaces the motion with the clip at an index, and sets the clip time in seconds.
    ///
    /// A missing clip plays the rest pose.
    ///
    /// ```
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// puppet.play(4, 0.5);
    /// puppet.update()?;
    /// let clip = &puppet.character().clips[4];
    /// assert_eq!((clip.name.as_deref(), puppet.seconds()), (Some("crouch"), clip.seconds));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, clip: usize, time: f32) {
        (self.motion, self.time) = (Motion::clip(clip), time);
    }

    /// Returns whether the held pose is shown, because there is no motion or because [`PuppetOptions::shows_held`] applies.
    pub fn is_posed_by_hand(&self) -> bool {
        self.motion.is_rest() || (self.options.shows_held && self.motion.has_only_keys())
    }

    /// Duration of the motion in seconds.
    pub fn seconds(&self) -> f32 {
        self.motion.seconds(&self.character.clips)
    }

    /// Discards the last solve, so that the next one does not continue from its result.
    pub fn reset_solver(&mut self) {
        self.solver.reset();
    }

    /// Writes the pose of a motion at a time in seconds, with its contacts kept in place and nothing else applied. Targets, rotations and
    /// the motion of the puppet are ignored. The puppet loses its own pose until the next [`Puppet::update`]. The result is the rest pose
    /// if the motion's pose is not finite.
    ///
    /// ```
    /// use sinew_character::glam::{Quat, Vec3};
    /// use sinew_character::motion::{Motion, PoseKey};
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// // Two keys hold the feet in the same place, and the hips go down from one to the other.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let find = |name| puppet.character().skeleton.find(name).ok_or("the joint does not exist");
    /// let (hips, foot) = (find("hips")?, puppet.rig.soles().next().ok_or("no feet")?);
    /// let (rest, place) = (puppet.pose().clone(), puppet.world_from_node()[foot.node]);
    /// let middle = puppet.world_from_node()[hips].translation.as_dvec3() - 0.4 * sinew_character::glam::DVec3::Y;
    /// puppet.targets.push(sinew_character::puppet::Target::new(hips).with_position(middle));
    /// puppet.update()?;
    /// let key = |time, pose| PoseKey::new(time, pose, &puppet.character().skeleton);
    /// let motion = Motion::default().with_key(key(0.0, &rest)).with_key(key(1.0, puppet.pose()));
    ///
    /// let mut pose = rest.clone();
    /// puppet.pose_of(&motion, 0.5, &mut pose);
    /// let moved = sinew_character::pose::world_matrix(&puppet.character().skeleton, &pose, foot.node);
    /// assert!(moved.transform_point3(foot.ball).distance(place.transform_point3(foot.ball)) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose_of(&mut self, motion: &Motion, time: f32, out: &mut Pose) {
        self.start_from_held();
        self.play_motion(motion, time, false);
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        if self.check().is_ok() {
            self.workspace.begin_frame(self.pose.locals.len());
            self.keep_contacts(false);
        }
        out.clone_from(&self.pose);
    }

    /// Samples the motion on top of the `held` pose, or of the rest pose if there is none.
    fn sample(&mut self) {
        self.start_from_held();
        let motion = std::mem::take(&mut self.motion);
        self.play_motion(&motion, self.time, self.options.shows_held && motion.has_only_keys());
        self.motion = motion;
        self.replace();
    }

    /// Gives the player the mirror that a mirrored strip needs.
    fn find_mirror(&mut self, motion: &Motion) {
        if motion.strips.iter().any(|strip| strip.mirror) && self.mirrored_body != self.rig.body {
            let mirror = self.rig.body.as_ref().map(|body| Mirror::new(&self.character.skeleton, body));
            self.player.mirror = mirror.map(Arc::new);
            self.mirrored_body.clone_from(&self.rig.body);
        }
    }

    /// Starts from the held pose, or from the rest pose if no pose is held.
    fn start_from_held(&mut self) {
        match self.held.as_ref().filter(|held| fits(&self.character, held)) {
            Some(held) => self.pose.clone_from(held),
            None => self.pose.reset(&self.character.skeleton),
        }
    }

    /// Plays a motion at a time on top of the pose.
    fn play_motion(&mut self, motion: &Motion, time: f32, skips_keys: bool) {
        self.feet.clear();
        self.feet.extend(self.rig.soles());
        self.find_mirror(motion);
        let Self { character, rig, options, player, pose, feet, contacts, .. } = self;
        (player.looping, player.skips_keys) = (options.looping, skips_keys);
        player.root = rig.bones.get("hips").copied();
        player.pose(character, motion, feet, time, pose, contacts);
    }

    fn update_palette(&mut self) {
        self.palette.update(&self.character, &self.world_from_node, self.options.skinning);
        self.update_looks();
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
