//! A live character: what is played, what it reaches for, and the pose that follows.

use std::sync::Arc;
use std::time::Instant;

use glam::{Affine3A, DQuat, DVec3, Quat};
use serde::{Deserialize, Serialize};

use crate::asset::{Character, Clip, NotFinite, Part};
use crate::camera::Bounds;
use crate::ik::{GoalOutcome, Method, Options, Outcome, SolveError, Solver};
use crate::motion::{Hold, Motion, Player};
use crate::pose::{Pose, world_matrices};
use crate::rig::{self, Rig, RigError};
use crate::skin::{Palette, Skinned, Skinning, skin};

mod ask;
mod keep;
mod learn;
mod style_file;
#[cfg(test)]
mod tests;

use ask::{Group, Question};
pub use learn::{Figure, LearnError, Manner};
pub use style_file::{StyleFileCause, StyleFileError, read_style};

/// What a node shall do: any of these together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The effector's node index.
    pub node: usize,
    /// The node held still; `None`: the base of the rig's chain that ends at the node; without one [`rig::default_base`],
    /// or for an orientation or a look alone the node itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// The point of the node that shall reach it, in the node's own frame; zero: its origin.
    pub offset: DVec3,
    /// World position that it shall reach, metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<DVec3>,
    /// World orientation that it shall take, by the product of rotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<DQuat>,
    /// World position that its forward axis shall point at: the model's +Z at rest (−Z in VRM 0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<DVec3>,
    /// World position towards which the limb that ends at it bends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pole: Option<DVec3>,
    /// How much it counts against other targets of the same base.
    pub weight: f64,
}

impl Target {
    /// Nothing yet, for a node.
    pub fn new(node: usize) -> Self {
        Self {
            node,
            base: None,
            offset: DVec3::ZERO,
            position: None,
            orientation: None,
            look: None,
            pole: None,
            weight: 1.0,
        }
    }
}

/// A node that stays, before all else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The node's index.
    pub node: usize,
    /// World position in metres and orientation, by the product of rotations, that it keeps; `None`: where the clip
    /// puts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(DVec3, DQuat)>,
}

impl From<usize> for Pin {
    fn from(node: usize) -> Self {
        Self { node, place: None }
    }
}

/// How a target was met.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalReport {
    /// The effector's node index.
    pub node: usize,
    /// Targets solved together share this number.
    pub solve: usize,
    /// Who solved it.
    pub method: Method,
    /// How it ended.
    pub outcome: Outcome,
    /// Passes taken.
    pub iterations: usize,
    /// World metres between the effector and its position, by forward kinematics of the pose handed back.
    pub position_error: Option<f64>,
    /// Radians between its orientation, or where it looks, and what was asked for.
    pub orientation_error: Option<f64>,
    /// Time of the whole solve.
    pub seconds: f64,
}

/// Why a puppet could not be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PuppetError {
    /// The goals ask for a chain that is none.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The motion or the solver's answer is beyond what single precision holds.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// Nothing but the root could take the effector there, and the method does not move it.
    #[error("reaching with node \"{effector}\": {method} does not move the root, full-body does")]
    Root {
        /// The effector.
        effector: String,
        /// The method.
        method: Method,
    },
    /// The solver refused the chain or a goal.
    #[error("reaching with node \"{effector}\": {source}")]
    Solve {
        /// The first effector of the group.
        effector: String,
        /// What the solver said.
        source: SolveError,
    },
}

/// A character, how it is moved, and where that takes it. A copy shares the character.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// What is played; rest, if it is empty.
    pub motion: Motion,
    /// Where on its line, seconds.
    pub time: f32,
    /// Whether it is played as a loop: [`Player::again`].
    pub again: bool,
    /// What stands in for the rest pose below the motion: where earlier drags left the character. It has a transform
    /// for every node; one that has not is not used.
    pub held: Option<Pose>,
    /// Local rotations that replace the clip's, by node.
    pub rotations: Vec<(usize, Quat)>,
    /// What is reached for.
    pub targets: Vec<Target>,
    /// Nodes that stay, before all else.
    pub pins: Vec<Pin>,
    /// Its chains and limits; those found in the character, unless others are set.
    pub rig: Rig,
    /// How that is solved.
    pub options: Options,
    /// What [`Method::Style`] poses in: joints are the character's nodes of the same names.
    pub style: Option<Manner>,
    /// How its joints move its vertices.
    pub skinning: Skinning,
    character: Arc<Character>,
    parts: Arc<[Part]>,
    pose: Pose,
    player: Player,
    holds: Vec<Hold>,
    solver: Solver,
    /// Holds are asked of another: what was asked of the first is remembered.
    keeper: Solver,
    world_from_node: Vec<Affine3A>,
    palette: Palette,
}

impl Puppet {
    /// A character at rest, showing one of its scenes.
    pub fn new(character: impl Into<Arc<Character>>, scene: usize) -> Self {
        let character = character.into();
        let rig = rig::find(&character);
        Self::with_rig(character, scene, rig)
    }

    /// The same with a rig that is known.
    pub fn with_rig(character: impl Into<Arc<Character>>, scene: usize, rig: Rig) -> Self {
        let character = character.into();
        let parts: Arc<[Part]> = character.parts(scene).into();
        let mut puppet = Self {
            motion: Motion::default(),
            time: 0.0,
            again: false,
            held: None,
            rotations: Vec::new(),
            targets: Vec::new(),
            pins: Vec::new(),
            rig,
            options: Options::default(),
            style: None,
            skinning: Skinning::default(),
            pose: Pose::rest(&character.skeleton),
            player: Player::default(),
            holds: Vec::new(),
            solver: Solver::default(),
            keeper: Solver::default(),
            world_from_node: Vec::new(),
            palette: Palette::new(&character, &parts),
            parts,
            character,
        };
        world_matrices(&puppet.character.skeleton, &puppet.pose, &mut puppet.world_from_node);
        puppet.finish();
        puppet
    }

    /// Samples the motion, keeps what it holds in its place, solves the goals, fills the palette. The result depends on what is set, not on how often
    /// this is called. The pose and its world matrices are finite.
    ///
    /// # Errors
    /// [`PuppetError`]; the pose is then that of the groups before the one that failed, or rest if it is not finite.
    pub fn update(&mut self) -> Result<Vec<GoalReport>, PuppetError> {
        self.sample();
        self.check()?;
        self.keep();
        let solved = self.solve();
        self.check()?;
        self.finish();
        solved
    }

    /// Finite transforms may add up, in a blend or along the skeleton, to what single precision does not hold: the
    /// puppet is then put to rest.
    fn check(&mut self) -> Result<(), NotFinite> {
        let (skeleton, Pose { locals, weights }) = (&self.character.skeleton, &self.pose);
        world_matrices(skeleton, &self.pose, &mut self.world_from_node);
        let checked =
            skeleton.check_pose(locals, weights).and_then(|()| skeleton.check_world(&self.world_from_node));
        if checked.is_err() {
            self.pose.reset(skeleton);
            self.holds.clear();
            world_matrices(skeleton, &self.pose, &mut self.world_from_node);
            self.finish();
        }
        checked
    }

    /// Plays one clip, by its index, from now on, and stands at a time in it, seconds.
    pub fn play(&mut self, clip: usize, time: f32) {
        (self.motion, self.time) = (Motion::clip(clip), time);
    }

    /// How long its motion lasts, seconds.
    pub fn seconds(&self) -> f32 {
        self.motion.seconds(&self.character.clips)
    }

    /// Stands in a pose that comes from elsewhere, with what it holds taken to its place; goals and motion are left out.
    /// A pose that has not a transform for every node is left where it comes from.
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not, or would not be with what it holds; the puppet is then at rest.
    pub fn follow(&mut self, pose: &Pose, holds: &[Hold]) -> Result<(), NotFinite> {
        if !self.fits(pose) {
            return Ok(());
        }
        self.pose.clone_from(pose);
        self.holds.clear();
        self.holds.extend_from_slice(holds);
        self.check()?;
        self.keep();
        self.check()?;
        self.finish();
        Ok(())
    }

    fn fits(&self, pose: &Pose) -> bool {
        let rest = &self.character.skeleton;
        pose.locals.len() == rest.nodes.len() && pose.weights.len() == rest.rest_weights.len()
    }

    /// Forgets the last question and its answer: what is asked next is answered as if it were the first.
    pub fn forget(&mut self) {
        self.solver.forget();
    }

    fn sample(&mut self) {
        match self.held.as_ref().filter(|held| self.fits(held)) {
            Some(held) => self.pose.clone_from(held),
            None => self.pose.reset(&self.character.skeleton),
        }
        let Self { character, motion, again, rig, time, player, pose, holds, .. } = self;
        let feet: Vec<usize> = rig.feet().collect();
        player.again = *again;
        player.pose(character, motion, &feet, *time, pose, holds);
        for &(node, rotation) in &self.rotations {
            if let Some(local) = self.pose.locals.get_mut(node) {
                local.rotation = rotation;
            }
        }
    }

    /// Each group on the pose that the former left.
    fn solve(&mut self) -> Result<Vec<GoalReport>, PuppetError> {
        let mut reports = Vec::with_capacity(self.targets.len());
        for (solve, group) in self.groups(&self.targets, &self.pins, self.options.method).iter().enumerate() {
            reports.extend(self.solve_group(group, solve)?);
        }
        Ok(reports)
    }

    fn solve_group(&mut self, group: &Group, solve: usize) -> Result<Vec<GoalReport>, PuppetError> {
        let Question { effectors, lease, mut carried, mut body, goals, style } =
            self.question(group, &self.pins, self.options.method)?;
        let Group { ref targets, root_motion, .. } = *group;
        let options = Options { root_motion, ..self.options };
        self.solver.set_style(style);
        let started = Instant::now();
        if let Err(source) = self.solver.solve(&mut body, &goals, &options) {
            return Err(self.refused(&effectors, source));
        }
        let report = self.solver.report();
        let seconds = started.elapsed().as_secs_f64();
        let skeleton = &self.character.skeleton;
        match &mut carried {
            Some(c) => {
                lease.write_back(&c.skeleton, &body, &c.world_from_node, &mut c.pose);
                c.write_back(skeleton, &mut self.pose);
            }
            None => lease.write_back(skeleton, &body, &self.world_from_node, &mut self.pose),
        }
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        // Measured again: single precision is what is handed back.
        let away = |t: &Target| {
            let place = self.world_from_node[t.node].transform_point3(t.offset.as_vec3()).as_dvec3();
            t.position.map(|position| position.distance(place))
        };
        let goal_report = |(target, goal): (&Target, &GoalOutcome)| GoalReport {
            node: target.node,
            solve,
            method: report.method,
            outcome: goal.outcome,
            iterations: report.iterations,
            position_error: away(target),
            orientation_error: goal.orientation_error,
            seconds,
        };
        Ok(targets.iter().zip(&report.goals).map(goal_report).collect())
    }

    fn finish(&mut self) {
        self.palette.update(&self.character, &self.world_from_node, self.skinning);
    }

    /// Skins the part of an index in [`Puppet::parts`], on the CPU.
    pub fn skin(&self, part: usize, out: &mut Skinned) {
        let Some((&p, movers)) = self.parts.get(part).zip(self.palette.movers(part)) else { return };
        skin(self.character.primitive(p), movers, self.morph_weights(p), out);
    }

    /// The morph weights of a part's node.
    pub fn morph_weights(&self, part: Part) -> &[f32] {
        let range = self.character.skeleton.nodes[part.node].morph_weights.clone();
        self.pose.weights.get(range).unwrap_or_default()
    }

    /// The box around the posed vertices of each part.
    pub fn part_bounds(&self) -> Vec<Bounds> {
        let mut skinned = Skinned::default();
        let around = |part| {
            self.skin(part, &mut skinned);
            Bounds::around(skinned.positions.iter().copied())
        };
        (0..self.parts.len()).map(around).collect()
    }

    /// The box around all posed vertices; without any, around the joints, or else all nodes.
    pub fn bounds(&self) -> Bounds {
        self.bounds_of(&self.part_bounds())
    }

    /// [`Puppet::bounds`] where [`Puppet::part_bounds`] are known.
    pub fn bounds_of(&self, parts: &[Bounds]) -> Bounds {
        let mut bounds = Bounds::around(parts.iter().flat_map(|b| [b.lo, b.hi]));
        let place = |&n: &usize| self.world_from_node[n].translation.into();
        if bounds.is_empty() {
            bounds.extend(self.character.skins.iter().flat_map(|s| &s.joints).map(place));
        }
        if bounds.is_empty() {
            bounds.extend(self.world_from_node.iter().map(|m| m.translation.into()));
        }
        bounds
    }

    /// What is being posed.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// What is being posed, to be kept by others too.
    pub fn shared_character(&self) -> Arc<Character> {
        Arc::clone(&self.character)
    }

    /// Adds clips that it can then play too. Copies of it that were made before do not have them.
    pub fn add_clips(&mut self, clips: impl IntoIterator<Item = Clip>) {
        Arc::make_mut(&mut self.character).clips.extend(clips);
    }

    /// Plays what another puppet of the same character can, after clips were added to that one.
    pub fn share_clips(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.character, &other.character) {
            self.character = Arc::clone(&other.character);
        }
    }

    /// What is shown, in node order, then primitive order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The largest position error before the first pass of the last solve and after each, world metres; empty unless
    /// [`Options::record`] asks for it.
    pub fn convergence(&self) -> &[f64] {
        &self.solver.report().history
    }

    /// Local transforms after [`Puppet::update`].
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// `world_from_node` of every node after [`Puppet::update`].
    pub fn world_from_node(&self) -> &[Affine3A] {
        &self.world_from_node
    }

    /// The matrices of the vertices after [`Puppet::update`].
    pub fn palette(&self) -> &Palette {
        &self.palette
    }
}
