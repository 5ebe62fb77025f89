//! The data of a rig: the chains of a character, and how its joints bend.

use std::collections::BTreeMap;

use glam::{DQuat, Vec3};

use crate::asset::Skeleton;
use crate::ik::{Limit, OptionOverrides};
use crate::text::toml::single;

use super::{BodyLimb, BodyPlan, Bones, Foot};

/// The chains of a character that can be dragged, and how its joints bend. Joints are node indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rig {
    /// The chains, sorted by importance to the user.
    pub chains: Vec<Chain>,
    /// Limits and other properties of single joints.
    pub joints: BTreeMap<usize, JointRig>,
    /// Joints that are pinned at their positions in the motion.
    pub pins: Vec<usize>,
    /// Solver options of the character, which replace the defaults.
    pub options: OptionOverrides,
    /// The parts of the body. Set if the body was recognised and stands in the rest pose, and if each limb has a joint
    /// in the middle.
    pub body: Option<BodyPlan>,
    /// The bones of the body by name ([`Recognized::bones`](super::Recognized::bones)), if the body was recognised.
    pub bones: Bones,
    /// The bones that the rig file or the user has named. They replace recognised bones.
    pub given_bones: Bones,
}

/// How a joint can move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRig {
    /// The type of the joint, and the range of its rotation or displacement.
    pub limit: Limit,
    /// Resistance to rotation, from 0 (none) to 1 (never rotates).
    pub stiffness: f64,
    /// Logical parent, if it differs from the parent in the file.
    pub logical_parent: Option<usize>,
    /// The joint that this one follows.
    pub mimic: Option<MimicRig>,
    /// Maximum rotation in one solve by cyclic coordinate descent, in radians. Infinite by default.
    pub ccd_budget: f64,
}

/// How a joint of a rig follows another one: `ratio · leader + offset`. See [`ik::Mimic`](crate::ik::Mimic).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MimicRig {
    /// The node of the leader. Both joints must be hinges, or both must be prismatic, and the leader must not be a mimic
    /// joint.
    pub joint: usize,
    /// Change of the joint's value for a unit change of the leader's value.
    pub ratio: f64,
    /// Angle in radians or displacement in metres of the joint when its leader is in the rest pose.
    pub offset: f64,
}

impl Default for JointRig {
    fn default() -> Self {
        let ccd_budget = f64::INFINITY;
        Self { limit: Limit::Free, stiffness: 0.0, logical_parent: None, mimic: None, ccd_budget }
    }
}

impl JointRig {
    /// Returns the local rotation within the limit that is nearest to `local`. `rest` is the local rotation in the rest pose.
    pub fn nearest(&self, rest: DQuat, local: DQuat) -> DQuat {
        // A free joint keeps its rotation to the last bit.
        if self.limit == Limit::Free { local } else { rest * self.limit.nearest(rest.conjugate() * local) }
    }
}

/// A chain of joints that moves one effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Name for the user, such as `left arm`.
    pub name: String,
    /// The kind of chain.
    pub kind: ChainKind,
    /// The joint that is dragged.
    pub effector: usize,
    /// The joint that stays fixed.
    pub base: usize,
    /// All joints from the base to the effector, both included.
    pub joints: Vec<usize>,
    /// World-space unit direction in which the middle of the chain bends, measured in the rest pose. `None` if it can bend in any
    /// direction.
    pub bend: Option<Vec3>,
    /// World position towards which the middle of the chain bends. `None` keeps the current bend direction.
    pub pole: Option<Vec3>,
    /// Weight of the chain's goals relative to the goals of other chains.
    pub weight: f64,
    /// How strongly the limb pulls on the trunk of a recognised body, from 0 (not at all) to 1. `None` means the
    /// default of the limb, which is 1 unless the limb is short.
    pub pull: Option<f64>,
}

impl Chain {
    /// Creates a chain of joints from its base to its effector, with the default values of a rig file. Returns `None` if there are no
    /// joints.
    pub fn new(name: impl Into<String>, kind: ChainKind, joints: Vec<usize>) -> Option<Self> {
        let (&base, &effector) = (joints.first()?, joints.last()?);
        let name = name.into();
        Some(Self { name, kind, effector, base, joints, bend: None, pole: None, weight: 1.0, pull: None })
    }
}

/// The kind of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChainKind {
    /// An arm, from the shoulder to the hand.
    Arm,
    /// A leg, from the hip to the foot.
    Leg,
    /// The back, from the joint above the hips to the chest.
    Spine,
    /// The neck, from the chest to the head.
    Neck,
    /// A tail.
    Tail,
    /// A finger or a thumb.
    Finger,
    /// Any other chain that ends in a leaf.
    Limb,
}

impl ChainKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Arm, Self::Leg, Self::Spine, Self::Neck, Self::Tail, Self::Finger, Self::Limb];

    /// Name in rig files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Leg => "leg",
            Self::Spine => "spine",
            Self::Neck => "neck",
            Self::Tail => "tail",
            Self::Finger => "finger",
            Self::Limb => "limb",
        }
    }
}

impl Rig {
    /// Returns the chain that ends at a joint.
    pub fn chain(&self, effector: usize) -> Option<&Chain> {
        self.chains.iter().find(|c| c.effector == effector)
    }

    /// Returns the arms, legs and wings of the recognised body, or an empty slice if the body is not recognised.
    pub fn limbs(&self) -> &[BodyLimb] {
        self.body.as_ref().map_or(&[][..], |body| &body.limbs)
    }

    /// Returns the arms of the recognised body.
    pub fn arms(&self) -> impl Iterator<Item = &BodyLimb> {
        self.body.iter().flat_map(BodyPlan::arms)
    }

    /// Returns the legs of the recognised body.
    pub fn legs(&self) -> impl Iterator<Item = &BodyLimb> {
        self.body.iter().flat_map(BodyPlan::legs)
    }

    /// Returns the joints that stand on the ground, which are the effectors of the legs.
    pub fn feet(&self) -> impl Iterator<Item = usize> + '_ {
        self.chains.iter().filter(|c| c.kind == ChainKind::Leg).map(|c| c.effector)
    }

    /// Returns the feet that stand on the ground, with their soles if the body is recognised.
    ///
    /// ```
    /// use sinew_character::{asset, rig};
    ///
    /// let mannequin = asset::mannequin()?;
    /// for foot in rig::detect(&mannequin).soles() {
    ///     // The heel is behind the ankle, and the ball is in front of it.
    ///     assert!(foot.floor.is_some_and(|floor| floor.abs() < 0.01));
    ///     assert!(foot.heel.distance(foot.ball) > 0.1);
    /// }
    /// # Ok::<(), asset::LoadError>(())
    /// ```
    pub fn soles(&self) -> impl Iterator<Item = Foot> + '_ {
        let known = move |node| self.body.as_ref()?.limb_ending_at(node)?.foot;
        self.feet().map(move |node| known(node).unwrap_or_else(|| Foot::joint(node)))
    }

    /// Sets the pull of the chain that ends at a node and of its limb of the body, from 0 to 1.
    pub fn set_pull(&mut self, effector: usize, pull: f64) {
        for chain in self.chains.iter_mut().filter(|chain| chain.effector == effector) {
            chain.pull = Some(pull);
        }
        self.apply_pull();
    }

    /// Copies the pull of each chain to the limb of the body that ends where the chain ends.
    pub(super) fn apply_pull(&mut self) {
        let Some(body) = &mut self.body else { return };
        for limb in &mut body.limbs {
            let chain = self.chains.iter().find(|c| c.effector == limb.end() && c.pull.is_some());
            if let Some(pull) = chain.and_then(|c| c.pull) {
                limb.pull = single(pull);
            }
        }
    }

    /// Returns the logical parent of a node if it has one, otherwise its parent in the file.
    pub fn above(&self, skeleton: &Skeleton, node: usize) -> Option<usize> {
        self.joint(node).logical_parent.or_else(|| skeleton.nodes.get(node)?.parent)
    }

    /// Returns the logical parents of all joints that have one.
    pub(super) fn logical_parents(&self) -> BTreeMap<usize, usize> {
        self.joints.iter().filter_map(|(&node, joint)| Some((node, joint.logical_parent?))).collect()
    }

    /// Returns the properties of a joint, or the default if the rig has no entry for it.
    pub fn joint(&self, node: usize) -> JointRig {
        self.joints.get(&node).copied().unwrap_or_default()
    }
}

/// Returns the nodes from a base down to an effector, or `None` if the effector is not a descendant of the base.
pub(super) fn path(skeleton: &Skeleton, base: usize, effector: usize) -> Option<Vec<usize>> {
    let mut nodes: Vec<usize> = skeleton.ancestors(effector).take_while(|&n| n != base).collect();
    skeleton.ancestors(effector).find(|&n| n == base)?;
    nodes.push(base);
    nodes.reverse();
    Some(nodes)
}
