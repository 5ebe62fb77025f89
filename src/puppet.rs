//! A live character: what is played, what it reaches for, and the pose that follows.

use std::time::Instant;

use glam::{Affine3A, DVec3, Quat};

use crate::asset::{Character, Part};
use crate::camera::Bounds;
use crate::ik::{Goal, GoalOutcome, Method, Options, Outcome, SolveError, Solver};
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};
use crate::rig::{Lease, RigError, default_base};
use crate::skin::{Palette, Skinned, skin};

/// A node that shall reach a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The effector's node index.
    pub node: usize,
    /// The node held still; `None`: [`default_base`].
    pub base: Option<usize>,
    /// World position, metres.
    pub target: DVec3,
    /// How much it counts against other goals of the same base.
    pub weight: f64,
}

/// How a reach went.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalReport {
    /// The effector's node index.
    pub node: usize,
    /// Goals solved together share this number.
    pub solve: usize,
    /// Who solved it.
    pub method: Method,
    /// How it ended.
    pub outcome: Outcome,
    /// Passes taken.
    pub iterations: usize,
    /// World metres between the effector and its target, by forward kinematics of the pose handed back.
    pub position_error: f64,
    /// Time of the whole solve.
    pub seconds: f64,
}

/// Why a puppet could not be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PuppetError {
    /// The goals ask for a chain that is none.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The solver refused the chain or a goal.
    #[error("reaching with node \"{effector}\": {source}")]
    Solve {
        /// The first effector of the group.
        effector: String,
        /// What the solver said.
        source: SolveError,
    },
}

/// A character, how it is moved, and where that takes it.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// Clip index and time in seconds; `None`: the rest pose.
    pub clip: Option<(usize, f32)>,
    /// Local rotations that replace the clip's, by node.
    pub rotations: Vec<(usize, Quat)>,
    /// What is reached for.
    pub reaches: Vec<Reach>,
    /// How that is solved.
    pub options: Options,
    character: Character,
    parts: Vec<Part>,
    pose: Pose,
    playhead: Playhead,
    solver: Solver,
    world_from_node: Vec<Affine3A>,
    palette: Palette,
}

impl Puppet {
    /// A character at rest, showing one of its scenes.
    pub fn new(character: Character, scene: usize) -> Self {
        let parts = character.parts(scene);
        let mut puppet = Self {
            clip: None,
            rotations: Vec::new(),
            reaches: Vec::new(),
            options: Options::default(),
            pose: Pose::rest(&character.skeleton),
            playhead: Playhead::default(),
            solver: Solver::default(),
            world_from_node: Vec::new(),
            palette: Palette::new(&character, &parts),
            parts,
            character,
        };
        puppet.finish();
        puppet
    }

    /// Samples the clip, solves the goals, fills the palette. The result depends on what is set, not on how often
    /// this is called.
    ///
    /// # Errors
    /// [`PuppetError`]; the pose is then that of the groups before the one that failed.
    pub fn update(&mut self) -> Result<Vec<GoalReport>, PuppetError> {
        self.sample();
        let solved = self.solve();
        self.finish();
        solved
    }

    fn sample(&mut self) {
        self.pose.reset(&self.character.skeleton);
        if let Some((clip, time)) = self.clip.and_then(|(c, t)| Some((self.character.clips.get(c)?, t))) {
            self.playhead.sample(clip, time, &self.character.skeleton, &mut self.pose);
        }
        for &(node, rotation) in &self.rotations {
            if let Some(local) = self.pose.locals.get_mut(node) {
                local.rotation = rotation;
            }
        }
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
    }

    /// Goals of one base together, bases in the order in which they are first named, each on the pose that the
    /// former left.
    fn solve(&mut self) -> Result<Vec<GoalReport>, PuppetError> {
        let bases: Vec<usize> = self
            .reaches
            .iter()
            .map(|r| r.base.unwrap_or_else(|| default_base(&self.character, r.node)))
            .collect();
        let mut reports = Vec::with_capacity(self.reaches.len());
        for (first, &base) in bases.iter().enumerate() {
            if bases.iter().take(first).any(|b| *b == base) {
                continue;
            }
            let together: Vec<Reach> =
                self.reaches.iter().zip(&bases).filter(|(_, b)| **b == base).map(|(r, _)| *r).collect();
            let solve = reports.last().map_or(0, |r: &GoalReport| r.solve + 1);
            reports.extend(self.solve_group(base, &together, solve)?);
        }
        Ok(reports)
    }

    fn solve_group(
        &mut self,
        base: usize,
        reaches: &[Reach],
        solve: usize,
    ) -> Result<Vec<GoalReport>, PuppetError> {
        let effectors: Vec<usize> = reaches.iter().map(|r| r.node).collect();
        let lease = Lease::new(&self.character, base, &effectors)?;
        let failed = |source| PuppetError::Solve {
            effector: effectors.first().map_or_else(String::new, |&n| self.character.skeleton.label(n)),
            source,
        };
        let mut body = lease.body(&self.character, &self.pose, &self.world_from_node).map_err(failed)?;
        let goal = |r: &Reach| {
            let link = lease.link(r.node)?;
            Some(Goal { weight: r.weight, ..Goal::position(link, r.target) })
        };
        let goals: Vec<Goal> = reaches.iter().filter_map(goal).collect();
        let started = Instant::now();
        let report = self.solver.solve(&mut body, &goals, &self.options).map_err(failed)?;
        let seconds = started.elapsed().as_secs_f64();
        lease.write_back(&body, &mut self.pose);
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        let goal_report = |(reach, goal): (&Reach, &GoalOutcome)| GoalReport {
            node: reach.node,
            solve,
            method: report.method,
            outcome: goal.outcome,
            iterations: report.iterations,
            position_error: goal.position_error.unwrap_or(0.0),
            seconds,
        };
        Ok(reaches.iter().zip(&report.goals).map(goal_report).collect())
    }

    fn finish(&mut self) {
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        self.palette.update(&self.character, &self.world_from_node);
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

    /// What is shown, in node order, then primitive order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
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
