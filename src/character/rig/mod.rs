//! Rigs: which joints can be dragged and how they bend. A [`Rig`] is detected in a character or read from a file. A
//! [`Binding`] binds the joints of a pose to an [`ik::Body`](crate::ik::Body) for a solver and writes the result back.

mod binding;
mod body_capsules;
mod body_limits;
mod body_plan;
mod bone_names;
mod capsule;
mod detect;
mod displacement;
mod error;
mod figure;
pub mod file;
mod foot;
mod hand;
mod hinges;
mod limits;
mod load;
mod mechanical;
mod mimic;
mod mirror;
mod model;
mod range_of_motion;
mod recognize;
mod reparent;
mod rest_skin;
mod root;
mod skin_points;
pub(crate) mod soles;

pub use crate::pose::{Mirror, orientation};
pub use binding::{Binding, default_base};
pub use body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};
pub(crate) use bone_names::is_bone;
pub use bone_names::{Bones, bone_list};
pub use capsule::Capsule;
pub use detect::detect;
pub use displacement::Slide;
pub use error::RigError;
pub use figure::{body_ends, figure_parts};
pub use foot::Foot;
pub use hand::{Finger, Hand, HandPose};
pub(crate) use hinges::Hinges;
pub use load::{RigLoadCause, RigLoadError, load, load_with, updated, with_bones};
pub(crate) use mechanical::limit as joint_limit;
pub use mimic::MimicError;
pub use model::{Chain, ChainKind, JointRig, MimicRig, Rig};
pub use range_of_motion::{RangePose, range_of_motion};
pub(crate) use recognize::LIMB_BONES;
pub(crate) use recognize::bones_by_name;
#[cfg(test)]
pub(crate) use recognize::outlines;
pub use recognize::{Recognized, Unrecognized, humanoid, recognize, recognize_with};
pub use reparent::Reparented;
pub use root::skeleton_root;
pub(crate) use root::topmost_joint;
