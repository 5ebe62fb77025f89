//! The pose that a motion gives a puppet, before targets are solved.

use std::sync::Arc;

use super::{Puppet, fits};
use crate::motion::Motion;
use crate::pose::{Mirror, Pose, world_matrices};

impl Puppet {
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

    /// Returns whether the held pose is shown, because there is no motion or because
    /// [`PuppetOptions::shows_held`](super::PuppetOptions::shows_held) applies.
    pub fn is_posed_by_hand(&self) -> bool {
        self.motion.is_rest() || (self.options.shows_held && self.motion.has_only_keys())
    }

    /// Duration of the motion in seconds.
    pub fn seconds(&self) -> f32 {
        self.motion.seconds(&self.character.clips)
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

    /// Samples the motion on top of `held`, or of the rest pose if `held` is `None`.
    pub(super) fn sample(&mut self) {
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
}
