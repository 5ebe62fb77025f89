//! Updates of a puppet: from the sampled pose to the final pose and its palette.

use super::{GoalReport, Puppet, PuppetError, fits};
use crate::asset::NotFinite;
use crate::motion::ContactConstraint;
use crate::pose::{Pose, world_matrices};

impl Puppet {
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
    pub(super) fn check(&mut self) -> Result<(), NotFinite> {
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

    pub(super) fn update_palette(&mut self) {
        self.palette.update(&self.character, &self.world_from_node, self.options.skinning);
        self.update_looks();
    }
}
