//! Constraints, eyes and springs of a puppet, which are computed from its pose.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::asset::{Character, NotFinite};
use crate::pose::{Pose, world_matrices};
use crate::secondary::{Gaze, STEPS_PER_SECOND, Springs, apply_constraints, look_at};

use super::head::turn_head;
use super::{GoalReport, Puppet, PuppetError};

/// Maximum time for which springs are simulated before a pose is shown, in seconds. After a longer gap between poses, the springs settle
/// in the new pose instead.
pub const MAX_SETTLE: f64 = 60.0;

/// Times that differ by less than this fraction of a step count as equal, because clips have times in single precision.
const TOLERANCE: f64 = 1e-3;

/// The state of everything that is computed from a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Secondary {
    /// Whether the character has constraints, eyes or springs.
    exists: bool,
    springs: Option<Springs>,
    /// Time since the last step of the springs, as a fraction of a step.
    fraction: f64,
    /// The pose before constraints, eyes and springs changed it. Only valid if `is_changed` is set.
    primary: Pose,
    pub(super) is_changed: bool,
    /// Position in the skeleton of the first node with a constraint.
    first_constrained: usize,
    gaze: Option<Gaze>,
}

impl Secondary {
    pub(super) fn new(character: &Character) -> Self {
        let constrained: BTreeSet<usize> = character.constraints.iter().map(|c| c.node).collect();
        let parents_first = &character.skeleton.parents_first;
        let first_constrained = parents_first.iter().position(|(node, _)| constrained.contains(node));
        Self {
            exists: !character.springs.is_empty()
                || !character.constraints.is_empty()
                || character.look_at.is_some(),
            first_constrained: first_constrained.unwrap_or_default(),
            ..Self::default()
        }
    }
}

impl Puppet {
    /// Turns the springs of the character on or off. They are off by default and start at rest.
    pub fn set_springs(&mut self, on: bool) {
        self.secondary.springs = if on { Springs::new(&self.character) } else { None };
        self.secondary.fraction = 0.0;
    }

    /// Returns whether springs are on and the character has any.
    pub fn has_springs(&self) -> bool {
        self.secondary.springs.is_some()
    }

    /// Returns whether a node is turned by a spring that is on.
    pub fn is_sprung(&self, node: usize) -> bool {
        self.secondary.springs.as_ref().is_some_and(|springs| springs.moves(node))
    }

    /// Sets the time since the last step of the springs, as a fraction of a step from 0 to 1. [`Puppet::update`] shows the
    /// springs at that time.
    pub fn set_spring_fraction(&mut self, fraction: f64) {
        self.secondary.fraction = fraction.clamp(0.0, 1.0);
    }

    /// Ends a step of the springs with the pose of the last [`Puppet::update`]. The spring fraction must have been 1 in that update.
    /// Returns whether a spring has moved in the step.
    pub fn end_spring_step(&mut self) -> bool {
        self.secondary.fraction = 0.0;
        self.secondary.springs.as_mut().is_some_and(Springs::end_step)
    }

    /// Applies the springs, eyes and constraints again to the pose of the last [`Puppet::update`].
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not finite. The puppet is then in the rest pose.
    pub fn refresh_secondary(&mut self) -> Result<(), NotFinite> {
        if !self.secondary.exists && !self.secondary.is_changed && self.look_at.is_none() {
            return Ok(());
        }
        if self.secondary.is_changed {
            self.pose.clone_from(&self.secondary.primary);
        }
        world_matrices(&self.character.skeleton, &self.pose, &mut self.world_from_node);
        self.apply_secondary()?;
        self.update_palette();
        Ok(())
    }

    /// Lets the springs come to rest in the pose of the last [`Puppet::update`]: they start at rest and are simulated for
    /// a number of seconds in that pose.
    ///
    /// ```
    /// use sinew_character::asset::{Character, Node, Skeleton, Spring, SpringJoint, Transform};
    /// use sinew_character::glam::{DVec3, Vec3};
    /// use sinew_character::puppet::Puppet;
    ///
    /// // A ponytail that points to the back hangs down after three seconds.
    /// let back = Transform::from_translation(Vec3::NEG_Z);
    /// let skeleton = Skeleton::new(vec![Node::new("head"), Node::child("hair", 0, back)])?;
    /// let mut character = Character::new(skeleton);
    /// let joint = SpringJoint {
    ///     node: 1,
    ///     tail: DVec3::NEG_Z * 0.3,
    ///     hit_radius: 0.0,
    ///     stiffness: 0.0,
    ///     gravity: DVec3::NEG_Y,
    ///     drag: 0.5,
    /// };
    /// let spring = Spring { name: None, center: None, colliders: Vec::new(), joints: vec![joint] };
    /// character.springs.springs.push(spring);
    ///
    /// let mut puppet = Puppet::new(character, 0);
    /// puppet.set_springs(true);
    /// puppet.update()?;
    /// puppet.settle(3.0)?;
    /// let hair = puppet.world_from_node()[1].transform_vector3(Vec3::NEG_Z);
    /// assert!(hair.angle_between(Vec3::NEG_Y) < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not finite. The puppet is then in the rest pose.
    pub fn settle(&mut self, seconds: f64) -> Result<(), NotFinite> {
        let Some(springs) = &mut self.secondary.springs else { return Ok(()) };
        springs.reset();
        // The simulation begins with the springs at rest.
        self.set_spring_fraction(0.0);
        self.refresh_secondary()?;
        self.end_spring_step();
        for _ in 0..steps(seconds.clamp(0.0, MAX_SETTLE)) {
            self.set_spring_fraction(1.0);
            self.refresh_secondary()?;
            self.end_spring_step();
        }
        self.refresh_secondary()
    }

    /// Updates the puppet at a time of its motion, in seconds, and lets its springs settle there for
    /// [`PuppetOptions::settle_seconds`](super::PuppetOptions::settle_seconds). Does nothing to a puppet without springs. Returns a clock
    /// for [`Puppet::update_at`].
    ///
    /// # Errors
    /// Same as [`Puppet::update`].
    pub fn start_springs(&mut self, time: f32) -> Result<SpringClock, PuppetError> {
        if self.has_springs() {
            self.jump(time)?;
        }
        Ok(SpringClock { start: f64::from(time), steps: 0 })
    }

    fn jump(&mut self, time: f32) -> Result<(), PuppetError> {
        self.time = time;
        self.update()?;
        Ok(self.settle(self.options.settle_seconds)?)
    }

    /// Updates the puppet at a time of its motion, in seconds, after all steps of the springs that end by that time. `clock` counts these
    /// steps. The result does not depend on the number of updates since the clock started. The only exception is a gap of more than
    /// [`MAX_SETTLE`] since the last update: the springs then settle at the new time.
    ///
    /// # Errors
    /// Same as [`Puppet::update`].
    pub fn update_at(&mut self, time: f32, clock: &mut SpringClock) -> Result<&[GoalReport], PuppetError> {
        if self.has_springs() {
            let passed = (f64::from(time) - clock.start).max(0.0);
            let end = steps(passed);
            #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
            let time_of = |step: u64| (clock.start + seconds_of(step)) as f32;
            if end.saturating_sub(clock.steps) > steps(MAX_SETTLE) {
                self.jump(time_of(end))?;
                clock.steps = end;
            }
            while clock.steps < end {
                clock.steps += 1;
                self.time = time_of(clock.steps);
                self.set_spring_fraction(1.0);
                self.update()?;
                self.end_spring_step();
            }
            let fraction = (passed - seconds_of(end)) * f64::from(STEPS_PER_SECOND);
            self.set_spring_fraction(if fraction > TOLERANCE { fraction } else { 0.0 });
        }
        self.time = time;
        self.update()
    }

    /// Returns the pose of the last [`Puppet::update`] before constraints, eyes and springs changed it.
    pub fn primary_pose(&self) -> &Pose {
        if self.secondary.is_changed { &self.secondary.primary } else { &self.pose }
    }

    /// Returns the direction in which the eyes look, if [`Puppet::look_at`] is set and the character has a head that can
    /// look.
    pub fn gaze(&self) -> Option<Gaze> {
        self.secondary.gaze
    }

    /// Applies eyes, constraints and springs to the pose, in the order of the specification.
    pub(super) fn apply_secondary(&mut self) -> Result<(), NotFinite> {
        let Self { character, rig, secondary, pose, world_from_node, look_at: target, .. } = self;
        secondary.gaze = None;
        let target = target.filter(|target: &DVec3| target.is_finite());
        if !secondary.exists && target.is_none() {
            secondary.is_changed = false;
            return Ok(());
        }
        secondary.primary.clone_from(pose);
        secondary.is_changed = true;
        let skeleton = &character.skeleton;
        match target {
            Some(target) if character.look_at.is_some() => {
                secondary.gaze = look_at(character, target, pose, world_from_node);
            }
            Some(target) => turn_head(skeleton, rig, target, pose, world_from_node),
            None => {}
        }
        let first = secondary.first_constrained;
        apply_constraints(skeleton, &character.constraints, first, pose, world_from_node);
        if let Some(springs) = &mut secondary.springs {
            springs.apply(skeleton, secondary.fraction, pose, world_from_node);
        }
        self.check()
    }
}

/// Counts the steps of a puppet's springs along its motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringClock {
    /// Time of the motion at which the springs started, in seconds.
    start: f64,
    steps: u64,
}

/// Returns the number of whole steps in a number of seconds. The last step also counts if it falls short by only a rounding error.
fn steps(seconds: f64) -> u64 {
    let steps = (seconds * f64::from(STEPS_PER_SECOND) + TOLERANCE).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped, and casts saturate"
    )]
    let steps = steps.max(0.0) as u64;
    steps
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer steps than double precision can count")]
fn seconds_of(steps: u64) -> f64 {
    steps as f64 / f64::from(STEPS_PER_SECOND)
}
