//! Goals of the limbs and the heads of a crowd.

use glam::{Quat, Vec3};

use crate::body::{CrowdBody, HAS_POLE, HAS_ROTATION, HEAD, PackedGoal};
use crate::mathematics::single::normalize;

use super::CrowdError;

/// A target for a limb, a chain or the head of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdGoal {
    /// The part that moves.
    pub target: CrowdGoalTarget,
    /// Target position of the joint, or the position at which the head looks, in world metres.
    pub position: Vec3,
    /// World orientation of the end of a limb. `None` keeps the clip's orientation.
    pub rotation: Option<Quat>,
    /// World position in metres towards which a limb bends. `None` keeps the clip's bend.
    pub pole: Option<Vec3>,
    /// Weight from 0 (the clip) to 1 (the goal).
    pub weight: f32,
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
        Self { target, position, rotation: None, pole: None, weight: 1.0 }
    }

    /// Returns a goal that makes the head look at a position in world metres.
    pub fn look(position: Vec3) -> Self {
        Self { target: CrowdGoalTarget::Head, ..Self::reach(0, position) }
    }

    /// Returns the goal in the form that the shader reads.
    pub(super) fn compile(&self, body: &CrowdBody) -> Result<PackedGoal, CrowdError> {
        let limb = match self.target {
            CrowdGoalTarget::Head => HEAD,
            CrowdGoalTarget::End(node) => body.limb_of(node).ok_or(CrowdError::NoLimb { node })?,
        };
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let goal = PackedGoal {
            limb,
            position: self.position,
            rotation: self.rotation.map_or(Quat::IDENTITY, |rotation| normalize(rotation.into())),
            pole: self.pole.unwrap_or_default(),
            flags: flag(self.rotation.is_some(), HAS_ROTATION) | flag(self.pole.is_some(), HAS_POLE),
            weight: self.weight.clamp(0.0, 1.0),
            ..PackedGoal::NONE
        };
        match goal.not_finite() {
            None => Ok(goal),
            Some(value) => Err(CrowdError::NotFinite { what: "goal", value }),
        }
    }
}
