//! What a rig says of a character: its chains, and how its joints bend.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::asset::Skeleton;
use crate::ik::Limit;

use super::RigError;

/// Which joints may be dragged, and how they bend. Joints are node indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rig {
    /// Its chains, those that people look for first before the others.
    pub chains: Vec<Chain>,
    /// What is known of single joints.
    pub joints: BTreeMap<usize, JointRig>,
    /// Joints that stay where the clip puts them.
    pub pins: Vec<usize>,
}

/// A joint's freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointRig {
    /// How far it may turn.
    pub limit: Limit,
    /// How unwillingly it turns: 0 normally, 1 never.
    pub stiffness: f64,
    /// The joint that takes it along, where the file hangs it elsewhere; `None`: its parent.
    pub carrier: Option<usize>,
}

/// Joints that move one end.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// What people call it: `left arm`.
    pub name: String,
    /// What it is.
    pub kind: ChainKind,
    /// The joint that is dragged.
    pub effector: usize,
    /// The joint that is held still.
    pub base: usize,
    /// All of them from the base to the effector, both included.
    pub joints: Vec<usize>,
    /// Unit direction in world space at rest to which its middle bends; `None` for what bends any way.
    pub bend: Option<Vec3>,
    /// World position that its middle bends to; `None`: as it bends already.
    pub pole: Option<Vec3>,
    /// How much its goals count against others.
    pub weight: f64,
}

/// What a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainKind {
    /// An arm, from the shoulder to the hand.
    Arm,
    /// A leg, from the hip to the foot.
    Leg,
    /// The back, from above the hips to the chest.
    Spine,
    /// From the chest to the head.
    Neck,
    /// A tail.
    Tail,
    /// A finger or a thumb.
    Finger,
    /// Anything else that ends somewhere.
    Limb,
}

impl ChainKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Arm, Self::Leg, Self::Spine, Self::Neck, Self::Tail, Self::Finger, Self::Limb];

    /// The name that people write.
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
    /// The chain that ends at a joint.
    pub fn chain(&self, effector: usize) -> Option<&Chain> {
        self.chains.iter().find(|c| c.effector == effector)
    }

    /// The joints that stand on the ground: the ends of its legs.
    pub fn feet(&self) -> impl Iterator<Item = usize> + '_ {
        self.chains.iter().filter(|c| c.kind == ChainKind::Leg).map(|c| c.effector)
    }

    /// Checks that every number is one that a rig file may hold.
    ///
    /// # Errors
    /// [`RigError::Value`]: the first chain or joint with one that is not.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), RigError> {
        let chain = |c: &Chain| match () {
            () if c.bend.is_some_and(|bend| bend.try_normalize().is_none()) => Some("bend has no length"),
            () if c.pole.is_some_and(|pole| !pole.is_finite()) => Some("pole is not finite"),
            () if !(0.0..=f64::from(f32::MAX)).contains(&c.weight) => {
                Some("weight is negative or not finite")
            }
            () => None,
        };
        if let Some((chain, what)) = self.chains.iter().find_map(|c| Some((c, chain(c)?))) {
            return Err(RigError::Value { object: format!("chain \"{}\"", chain.name), what: what.into() });
        }
        for (&node, joint) in &self.joints {
            let stiffness = (!(0.0..=1.0).contains(&joint.stiffness)).then_some("stiffness");
            if let Some(what) = joint.limit.fault().or(stiffness) {
                let object = format!("joint \"{}\"", skeleton.label(node));
                return Err(RigError::Value { object, what: format!("{what} is not usable") });
            }
        }
        Ok(())
    }

    /// The joint that takes a node along: its carrier, else its parent.
    pub fn above(&self, skeleton: &Skeleton, node: usize) -> Option<usize> {
        self.joint(node).carrier.or_else(|| skeleton.nodes.get(node)?.parent)
    }

    /// Who takes whom along, where the file hangs it elsewhere.
    pub(super) fn carriers(&self) -> BTreeMap<usize, usize> {
        self.joints.iter().filter_map(|(&node, joint)| Some((node, joint.carrier?))).collect()
    }

    /// A joint's freedom.
    pub fn joint(&self, node: usize) -> JointRig {
        self.joints.get(&node).copied().unwrap_or_default()
    }
}

/// The nodes from a base to an effector below it; `None` if it is not below.
pub(super) fn path(skeleton: &Skeleton, base: usize, effector: usize) -> Option<Vec<usize>> {
    let mut nodes: Vec<usize> = skeleton.ancestors(effector).take_while(|&n| n != base).collect();
    skeleton.ancestors(effector).find(|&n| n == base)?;
    nodes.push(base);
    nodes.reverse();
    Some(nodes)
}
