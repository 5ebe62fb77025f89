//! Characters for [`sinew_ik`]: loads them from glTF, VRM, FBX, URDF and BVH files, poses them with clips and inverse kinematics,
//! skins them on the CPU, and retargets, checks and exports their motion.
//!
//! ```text
//! file ─▶ asset::Character ─▶ motion ─▶ sinew_ik ─▶ skin::Palette
//!         (immutable)          writes a Pose        (matrices for a renderer)
//! ```
//!
//! Start with [`puppet::Puppet`], a live character that plays clips, reaches for targets and returns skin matrices.
//!
//! Coordinates are right-handed with +Y up. Units are metres, radians and seconds. Matrices are named after the spaces
//! that they connect, for example `world_from_joint`.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `meshopt` | compressed glTF (needs a C++ compiler) |
//! | `fbx` | FBX (needs a C compiler) |
//! | `urdf` | robots |
//! | `vmc` | live motion over the network |

pub mod asset;
// The other crates of sinew also use `body`, which may change in any version.
#[doc(hidden)]
pub mod body;
pub mod capture;
pub mod check;
pub mod export;
pub mod motion;
pub mod pose;
pub mod puppet;
pub mod rig;
pub mod robot;
pub mod secondary;
pub mod skin;

pub use sinew_base::{files, view};
pub use sinew_ik as ik;
pub use sinew_ik::{Missing, ParseError};

use sinew_base::{api, mathematics, platform, text};

/// Items for the other crates of sinew. They may change in any version.
#[doc(hidden)]
pub mod shared {
    pub use crate::asset::bvh::detect::has_extension as has_bvh_extension;
    pub use crate::asset::gltf::copy::clips::skeleton_only;
    pub use crate::capture::filter::describe_smoothing;
    pub use crate::motion::contact::intervals;
    pub use crate::motion::interpolate::hermite;
    pub use crate::motion::planted_keys::uncovered_parts;
    pub use crate::puppet::motion_file::table::{
        read as read_motion, transform as transform_value, write as write_motion,
    };
    pub use crate::puppet::pose_values::{morphs as read_morphs, transform as read_transform};
    pub use crate::puppet::target::worst_miss;
    pub use crate::rig::file::limit::{limit_value, read as read_limit};
    pub use crate::rig::file::node_names::{node_at, read_node, read_node_entries};
    pub use crate::rig::file::options::{read as read_options, update as update_options};
}

/// The mathematics library whose vectors, quaternions and matrices the API uses.
pub use glam;

/// Compiles and runs the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
