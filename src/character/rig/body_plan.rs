//! The parts of a recognised body: hips, spine, neck and limbs.

use glam::Vec3;

use crate::ik::Sole;

use super::capsule::Capsule;
use super::foot::Foot;

/// The parts of a recognised body. It is recognised once for each [`Rig`](super::Rig), and everything that needs a body borrows
/// it from there. Joints are node indices. Joints between the listed ones, such as twist, helper and
/// control joints, never rotate by themselves.
///
/// Positions and directions are in world space in the rest pose, and up is +Y.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPlan {
    /// The kind of body.
    pub kind: BodyKind,
    /// The joint that carries the hind limbs and the spine. All other joints descend from it in the
    /// [reparented](super::Reparented) skeleton.
    pub hips: usize,
    /// The joints of the back from above the hips to the chest, which carries the front limbs. Empty if the hips carry
    /// the front limbs, as in a spider.
    pub spine: Vec<usize>,
    /// The joints from above the chest to the head, both included. Empty for a body without a head.
    pub neck: Vec<usize>,
    /// Arms, legs and wings, left before right.
    pub limbs: Vec<BodyLimb>,
    /// The joints of the tails.
    pub tails: Vec<Vec<usize>>,
    /// Horizontal unit direction in which the body faces.
    pub facing: Vec3,
    /// Height of the floor on which the body stands, in metres.
    pub floor: f32,
    /// Size relative to a person 1.75 m tall. For an animal, it is relative to an animal with a shoulder height of 0.6 m.
    pub size: f32,
    /// The capsules of a person: trunk and head, then the limbs in order. Empty for other bodies, and if there is no skin.
    pub capsules: Vec<Capsule>,
    /// The outermost points of a person's skin except the feet, each as a joint and a position in the joint's space.
    pub skin: Vec<(usize, Vec3)>,
    /// How certain the recognition is, from 0 to 1.
    pub certainty: f32,
    /// The observations that led to the result, one sentence each.
    pub reasons: Vec<String>,
}

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyKind {
    /// Two arms and two legs, upright.
    Biped,
    /// Four legs.
    Quadruped,
    /// Two legs, and wings or no front limbs.
    Bird,
    /// Six legs or more.
    ManyLegged,
}

impl BodyKind {
    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Biped => "biped",
            Self::Quadruped => "quadruped",
            Self::Bird => "bird",
            Self::ManyLegged => "many-legged",
        }
    }
}

/// An arm, a leg or a wing.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLimb {
    /// The kind of limb.
    pub kind: LimbKind,
    /// The side of the body, from the body's own point of view.
    pub side: LimbSide,
    /// The joints between the trunk and the first joint of the limb, such as a collarbone or a shoulder blade.
    pub collar: Vec<usize>,
    /// The joints from the shoulder or the hip to the hand or the foot, both included. There are at least three in the body of a
    /// [`Rig`](super::Rig). Simple figures may have fewer.
    pub joints: Vec<usize>,
    /// The joints of each toe or finger, and other nodes below the end that must not pass through the floor.
    pub digits: Vec<Vec<usize>>,
    /// Unit direction in which the middle of the limb bends.
    pub bend: Vec3,
    /// Whether the limb stands on the floor in the rest pose.
    pub stands: bool,
    /// How strongly the limb pulls on the trunk, from 0 (not at all) to 1.
    pub pull: f32,
    /// The sole of a leg that stands on the floor, if it has a skin.
    pub sole: Option<Sole>,
    /// The points that touch the floor, for a leg that stands on the floor.
    pub foot: Option<Foot>,
}

/// The kind of a limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimbKind {
    /// An arm.
    Arm,
    /// A leg.
    Leg,
    /// A wing.
    Wing,
}

impl LimbKind {
    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Leg => "leg",
            Self::Wing => "wing",
        }
    }
}

/// The side of a limb, from the body's own point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimbSide {
    /// The left side.
    Left,
    /// The right side.
    Right,
    /// In the plane of symmetry, or on a body without symmetry.
    Middle,
}

impl LimbSide {
    /// Returns the start of a limb's name for users, which ends with a space: `"left "`, `"right "` or `""`.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Left => "left ",
            Self::Right => "right ",
            Self::Middle => "",
        }
    }
}

impl BodyPlan {
    /// Returns the left arm.
    ///
    /// ```
    /// use sinew_character::{asset, rig};
    ///
    /// let mannequin = asset::mannequin()?;
    /// let rig = rig::detect(&mannequin);
    /// let arm = rig.body.as_ref().and_then(|body| body.left_arm()).ok_or("no arm")?;
    /// assert_eq!(arm.joints.len(), 3);
    /// assert_eq!(mannequin.skeleton.label(arm.end()), "leftHand");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn left_arm(&self) -> Option<&BodyLimb> {
        self.arms().find(|arm| arm.side == LimbSide::Left)
    }

    /// Returns the right arm.
    pub fn right_arm(&self) -> Option<&BodyLimb> {
        self.arms().find(|arm| arm.side == LimbSide::Right)
    }

    /// Returns the left leg, or the first one if there are several.
    pub fn left_leg(&self) -> Option<&BodyLimb> {
        self.legs().find(|leg| leg.side == LimbSide::Left)
    }

    /// Returns the right leg, or the first one if there are several.
    pub fn right_leg(&self) -> Option<&BodyLimb> {
        self.legs().find(|leg| leg.side == LimbSide::Right)
    }

    /// Returns the arms.
    pub fn arms(&self) -> impl Iterator<Item = &BodyLimb> {
        self.limbs.iter().filter(|limb| limb.kind == LimbKind::Arm)
    }

    /// Returns the legs.
    pub fn legs(&self) -> impl Iterator<Item = &BodyLimb> {
        self.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg)
    }

    /// Returns the first limb of which a node is a joint, from the shoulder or the hip to the hand or the foot.
    pub fn limb_of(&self, node: usize) -> Option<&BodyLimb> {
        self.limbs.iter().find(|limb| limb.joints.contains(&node))
    }

    /// Returns the first limb whose hand or foot is a node.
    pub fn limb_ending_at(&self, node: usize) -> Option<&BodyLimb> {
        self.limbs.iter().find(|limb| limb.end() == node)
    }

    /// Returns the joints of the trunk: the hips, the spine and the neck with the head.
    pub fn trunk(&self) -> impl Iterator<Item = usize> {
        std::iter::once(&self.hips).chain(&self.spine).chain(&self.neck).copied()
    }

    /// Returns the joint that carries the front limbs.
    pub fn chest(&self) -> usize {
        self.spine.last().copied().unwrap_or(self.hips)
    }

    /// Returns the head.
    pub fn head(&self) -> Option<usize> {
        self.neck.last().copied()
    }

    pub(crate) fn is_joint(&self, node: usize) -> bool {
        self.trunk().chain(self.limbs.iter().flat_map(BodyLimb::nodes)).any(|joint| joint == node)
    }

    /// Returns whether every limb has a joint between its first joint and its end.
    pub(super) fn has_middle_joints(&self) -> bool {
        self.limbs.iter().all(|l| l.joints.len() >= 3)
    }
}

impl BodyLimb {
    /// Returns the hand or the foot.
    pub fn end(&self) -> usize {
        self.joints.last().copied().unwrap_or_default()
    }

    /// Returns all nodes of the limb: its collar, its joints, and its fingers or toes.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.collar.iter().chain(&self.joints).chain(self.digits.iter().flatten()).copied()
    }
}
