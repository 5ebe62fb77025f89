//! Goals of the limbs and the heads of a crowd.

use glam::{Quat, Vec3};

use crate::body::{
    CHARACTER, FOLLOWS_HIPS, HAS_POLE, HAS_ROTATION, HEAD, IS_SET, PackedGoal, TAKES_OVER, WORLD,
};
use crate::mathematics::single::normalize;

use super::CrowdError;
use super::model::CrowdModel;
use super::spawn::FASTEST;

/// A target for a limb, a chain or the head of a character.
///
/// If several goals of a character move the same limb or chain, later goals are blended over earlier goals, as clips are. The head looks at
/// the last of its goals whose weight is above 0, and turns at its own pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdGoal {
    /// The part that moves.
    pub target: CrowdGoalTarget,
    /// The frame of the position, the rotation and the pole.
    pub frame: GoalFrame,
    /// Target position of the joint, or the position at which the head looks.
    pub position: Vec3,
    /// Orientation of the end of a limb. `None` keeps the clip's orientation.
    pub rotation: Option<Quat>,
    /// Position towards which a limb bends. `None` keeps the clip's bend.
    pub pole: Option<Vec3>,
    /// Weight from 0 (the clip) to 1 (the goal).
    pub weight: f32,
    /// Change of the weight per second. The weight stops at 0 and at 1, so the goal begins or ends without a jump. With a positive rate, the
    /// goal takes over from the goal that it replaces, whose effect ends at the same rate.
    pub rate: f32,
}

/// The frame in which a goal is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GoalFrame {
    /// World metres. The foot or hand stays in place while the character moves, like a hand on a handrail.
    #[default]
    World,
    /// Model space: metres at the scale of the model, relative to the character. The goal moves along with the character.
    Character,
    /// The frame of a node of the same character, such as the chest before which a box is carried. Lengths are in the unit of the node,
    /// which is a centimetre in many files. The node has the pose of the clips, and moves along with the hips, but not with other goals.
    Node(usize),
}

/// The part of a character that a goal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrowdGoalTarget {
    /// The node at the end of a limb or of a chain, such as a hand, a foot or the tip of a tail.
    End(usize),
    /// The head, which looks at the position.
    Head,
}

impl CrowdGoal {
    /// Returns a goal that moves a node at the end of a limb or chain to a position in world metres.
    ///
    /// ```
    /// use sinew_render::crowd::{CpuCrowd, CrowdGoal, CrowdModel, PlayedClip, Spawn};
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let hand = character.skeleton.find("leftHand").ok_or("no hand")?;
    /// let rig = rig::detect(&character);
    /// let model = CrowdModel::new(character, 0, &rig);
    /// let joint = model.nodes().iter().position(|node| *node == hand).ok_or("no joint")?;
    /// let mut crowd = CpuCrowd::new(model, None);
    /// let index = crowd.spawn(&Spawn { clips: vec![PlayedClip::new(0, 0.0)], ..Spawn::default() })?;
    /// let goal = Vec3::new(0.4, 1.3, 0.25);
    /// crowd.set_goal(index, 0, Some(&CrowdGoal::reach(hand, goal)))?;
    /// crowd.step(0.1, Vec3::Z);
    /// let (world_from_model, model_from_joint) = crowd.pose(index).ok_or("no character")?;
    /// let hand = world_from_model * model_from_joint[joint];
    /// assert!(Vec3::from(hand.translation).distance(goal) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reach(node: usize, position: Vec3) -> Self {
        let target = CrowdGoalTarget::End(node);
        let frame = GoalFrame::World;
        Self { target, frame, position, rotation: None, pole: None, weight: 1.0, rate: 0.0 }
    }

    /// Returns a goal that makes the head look at a position in world metres.
    pub fn look(position: Vec3) -> Self {
        Self { target: CrowdGoalTarget::Head, ..Self::reach(0, position) }
    }

    /// Sets the frame of the position, the rotation and the pole.
    #[must_use]
    pub fn relative_to(self, frame: GoalFrame) -> Self {
        Self { frame, ..self }
    }

    /// Lets the weight grow from 0 to 1 within a time in seconds.
    #[must_use]
    pub fn fade_in(self, seconds: f32) -> Self {
        if seconds > 0.0 { Self { weight: 0.0, rate: seconds.recip().min(FASTEST), ..self } } else { self }
    }

    /// Returns a goal in the form that the shader reads.
    pub(super) fn compile_or_none(goal: Option<&Self>, model: &CrowdModel) -> Result<PackedGoal, CrowdError> {
        goal.map_or(Ok(PackedGoal::NONE), |goal| goal.compile(model))
    }

    fn compile(&self, model: &CrowdModel) -> Result<PackedGoal, CrowdError> {
        let limb = match self.target {
            CrowdGoalTarget::Head => HEAD,
            CrowdGoalTarget::End(node) => model.body.limb_of(node).ok_or(CrowdError::NoLimb { node })?,
        };
        let slot_of = |node: usize| (0..).zip(&model.nodes).find(|(_, other)| **other == node);
        let (frame, follows_hips) = match self.frame {
            GoalFrame::World => (WORLD, false),
            GoalFrame::Character => (CHARACTER, false),
            GoalFrame::Node(node) => {
                let (joint, _) = slot_of(node).ok_or(CrowdError::NoJoint { node })?;
                (joint, model.is_below_hips(joint))
            }
        };
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let goal = PackedGoal {
            limb,
            position: self.position,
            rotation: self.rotation.map_or(Quat::IDENTITY, |rotation| normalize(rotation.into())),
            pole: self.pole.unwrap_or_default(),
            flags: IS_SET
                | flag(self.rotation.is_some(), HAS_ROTATION)
                | flag(self.pole.is_some(), HAS_POLE)
                | flag(follows_hips, FOLLOWS_HIPS)
                | flag(self.rate > 0.0, TAKES_OVER),
            weight: self.weight.clamp(0.0, 1.0),
            rate: limited_rate(self.rate)?,
            frame,
            ..PackedGoal::NONE
        };
        match goal.not_finite() {
            None => Ok(goal),
            Some(value) => Err(CrowdError::NotFinite { what: "goal", value }),
        }
    }
}

/// Returns the value of [`PackedGoal::change`] after another one. It is not 0, which means that a goal was never set.
pub(super) fn next_change(last_change: u32) -> u32 {
    last_change.wrapping_add(1).max(1)
}

/// Checks the numbers of a goal that moves. Returns the rotation as a unit quaternion.
pub(super) fn moved(position: Vec3, rotation: Option<Quat>) -> Result<Option<Quat>, CrowdError> {
    let mut numbers = position.to_array().into_iter().chain(rotation.unwrap_or_default().to_array());
    match numbers.find(|value| !value.is_finite()) {
        Some(value) => Err(CrowdError::NotFinite { what: "goal", value }),
        None => Ok(rotation.map(|rotation| normalize(rotation.into()))),
    }
}

/// Checks and limits the rate of a goal.
pub(super) fn limited_rate(rate: f32) -> Result<f32, CrowdError> {
    if !rate.is_finite() {
        return Err(CrowdError::NotFinite { what: "rate of a goal", value: rate });
    }
    Ok(rate.clamp(-FASTEST, FASTEST))
}
