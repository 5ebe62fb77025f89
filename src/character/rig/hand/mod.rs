//! Hands of recognised bodies: how their fingers curl and spread.

use glam::Quat;

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::{BodyLimb, Rig};

mod bend;
mod digits;
mod finger;
mod palm;

pub use finger::Finger;

/// Two angles, in radians, that differ by less than this count as equal. A curl between them would be undefined.
const MIN_RANGE: f64 = 1e-3;

/// A pose of the fingers of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandPose {
    /// All fingers are closed, and the thumb lies over them.
    Fist,
    /// A fist with the finger beside the thumb extended.
    Point,
    /// The hand holds a bar.
    Grip,
    /// All fingers are straight and spread apart.
    Spread,
    /// The fingers are in the rest pose.
    Relax,
}

impl HandPose {
    /// All poses.
    pub const ALL: [Self; 5] = [Self::Fist, Self::Point, Self::Grip, Self::Spread, Self::Relax];

    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fist => "Fist",
            Self::Point => "Point",
            Self::Grip => "Grip",
            Self::Spread => "Spread",
            Self::Relax => "Relax",
        }
    }

    /// Returns the curl of the thumb, of the finger beside it and of the others, and the spread, or `None` for the rest pose.
    fn shape(self) -> Option<([f64; 3], f64)> {
        match self {
            Self::Fist => Some(([1.0, 1.0, 1.0], 0.0)),
            Self::Point => Some(([1.0, 0.0, 1.0], 0.0)),
            Self::Grip => Some(([0.7, 0.6, 0.6], 0.1)),
            Self::Spread => Some(([0.0, 0.0, 0.0], 1.0)),
            Self::Relax => None,
        }
    }
}

/// A hand with fingers. The joints of its fingers bend towards the palm, regardless of the axes of their bones.
///
/// A curl is 0 for a straight finger and 1 for a finger that is closed into a fist. A spread is 0 for parallel fingers and 1 for a
/// wide-open human hand. All rotations are local, in the frames of the joints' parents, and within the limits of the rig. They do not
/// depend on the current curls and spread, unless a function states otherwise.
///
/// ```
/// use sinew_character::{asset, pose::Pose, rig};
///
/// let character = asset::mannequin()?;
/// let rig = rig::detect(&character);
/// let arm = rig.body.as_ref().and_then(|body| body.left_arm()).ok_or("no arm")?;
/// let hand = rig::Hand::new(&character.skeleton, &rig, arm).ok_or("no fingers")?;
/// let mut pose = Pose::rest(&character.skeleton);
/// for (joint, rotation) in hand.pose(&character.skeleton, &pose, rig::HandPose::Fist) {
///     pose.locals[joint].rotation = rotation;
/// }
/// let index = 1;
/// assert_eq!(hand.fingers()[index].name(), "Index");
/// assert!((hand.curl(&character.skeleton, &pose, index) - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    fingers: Vec<Finger>,
}

impl Hand {
    /// Returns the hand at the end of an arm of a body. Returns `None` for other limbs, for hands without fingers, and if the side of the
    /// arm or the directions of the palm are unknown.
    ///
    /// The palm is found from the positions of the joints in the rest pose: its plane contains the wrist and the knuckles, and the thumb
    /// and the side of the arm determine the side to which the fingers close. A finger whose joints have hinges in the rig bends about
    /// these hinges.
    pub fn new(skeleton: &Skeleton, rig: &Rig, arm: &BodyLimb) -> Option<Self> {
        Some(Self { fingers: bend::fingers(skeleton, rig, arm)? })
    }

    /// Returns the fingers: the thumb (if there is one), then the others, starting beside the thumb.
    pub fn fingers(&self) -> &[Finger] {
        &self.fingers
    }

    /// Returns the rotations of all joints of the fingers in a pose of the hand.
    pub fn pose(&self, skeleton: &Skeleton, pose: &Pose, hand_pose: HandPose) -> Vec<(usize, Quat)> {
        let Some(([thumb, index, others], spread)) = hand_pose.shape() else {
            let joints = self.fingers.iter().flat_map(|finger| &finger.joints);
            return joints.filter_map(|joint| joint.relaxed(skeleton, pose)).collect();
        };
        let first = self.fingers.iter().position(|finger| !finger.is_thumb);
        let rotations = self.fingers.iter().enumerate().flat_map(|(place, finger)| {
            let curl = match finger.is_thumb {
                true => thumb,
                // A mitten cannot point.
                false if Some(place) == first && self.fingers.len() > 2 => index,
                false => others,
            };
            finger.joints.iter().enumerate().filter_map(move |(at, joint)| {
                let fan = finger.fan.filter(|_| at == 0);
                let fan = fan.map(|fan| (fan, spread * fan.widest - fan.at_rest));
                joint.rotation(skeleton, pose, joint.angle(curl), fan)
            })
        });
        rotations.collect()
    }

    /// Returns the rotations of the joints of a finger for a new curl. The finger keeps the direction in which it is spread in the pose.
    pub fn with_curl(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        finger: usize,
        curl: f64,
    ) -> Vec<(usize, Quat)> {
        let Some(finger) = self.fingers.get(finger).filter(|_| curl.is_finite()) else { return Vec::new() };
        let joints = finger.joints.iter().enumerate().filter_map(|(at, joint)| {
            let fan = finger.fan.filter(|_| at == 0);
            let fan = fan.map(|fan| (fan, joint.angles(skeleton, pose, Some(fan)).1));
            joint.rotation(skeleton, pose, joint.angle(curl), fan)
        });
        joints.collect()
    }

    /// Returns the rotations of the knuckles for a new spread. The knuckles keep their curls in the pose. The result is empty if
    /// [`Self::spread`] is `None`.
    pub fn with_spread(&self, skeleton: &Skeleton, pose: &Pose, spread: f64) -> Vec<(usize, Quat)> {
        if self.spread(skeleton, pose).is_none() || !spread.is_finite() {
            return Vec::new();
        }
        let knuckles = self.fingers.iter().filter_map(|finger| {
            let (joint, fan) = (finger.joints.first()?, finger.fan?);
            let curl = joint.angles(skeleton, pose, Some(fan)).0;
            joint.rotation(skeleton, pose, curl, Some((fan, spread * fan.widest - fan.at_rest)))
        });
        knuckles.collect()
    }

    /// Returns the mean curl of a finger in a pose, or 0 for an unknown finger. A finger in the rest pose has a curl too. The curl of a
    /// finger that is bent backwards is negative.
    pub fn curl(&self, skeleton: &Skeleton, pose: &Pose, finger: usize) -> f64 {
        let Some(finger) = self.fingers.get(finger) else { return 0.0 };
        let joints = finger.joints.iter().enumerate();
        let parts = joints.map(|(at, joint)| {
            let angle = joint.angles(skeleton, pose, finger.fan.filter(|_| at == 0)).0;
            (angle - joint.range[0], joint.range[1] - joint.range[0])
        });
        let (bent, whole) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        if whole < MIN_RANGE { 0.0 } else { bent / whole }
    }

    /// Returns the spread of the fingers in a pose, or `None` if they cannot be spread, as with a single finger or hinged fingers.
    pub fn spread(&self, skeleton: &Skeleton, pose: &Pose) -> Option<f64> {
        let parts = self.fingers.iter().filter_map(|finger| {
            let (joint, fan) = (finger.joints.first()?, finger.fan?);
            let angle = fan.at_rest + joint.angles(skeleton, pose, Some(fan)).1;
            Some((angle * fan.widest, fan.widest * fan.widest))
        });
        let (fanned, whole) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        (whole > MIN_RANGE).then(|| fanned / whole)
    }
}
