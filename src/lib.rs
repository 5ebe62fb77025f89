//! `sinew`: skinning and inverse kinematics for glTF characters.
//!
//! ```text
//! file ─▶ asset::Character ─▶ motion ─▶ ik ─▶ skin::Palette ─▶ render::Renderer ─▶ image
//!         (immutable)          writes a Pose     (matrices)        (draws matrices and meshes)
//! ```
//!
//! Start with `puppet::Puppet` (feature `character`), a live character that plays clips, reaches for targets and returns skin
//! matrices. The solvers in [`ik`] do not depend on characters or files and can be used alone.
//!
//! Coordinates are right-handed with +Y up. Units are metres, radians and seconds. Matrices are named after the spaces
//! that they connect, for example `world_from_joint`.
//!
//! # Features
//!
//! Without features, the library contains only [`ik`]. It builds in seconds and needs no C or C++ compiler.
//!
//! | feature | adds |
//! |---|---|
//! | `rayon` | [`ik::solve_many`] on all cores |
//! | `serde` | serialisation of options, limits, goal axes and styles |
//! | `mint` | conversions between the types of [`glam`] and other mathematics libraries |
//! | `character` | characters from files: clips, rigs, whole bodies, skinning on the CPU, export |
//! | `meshopt`, `fbx`, `urdf` | compressed glTF (needs a C++ compiler), FBX (needs a C compiler), robots |
//! | `capture`, `vmc` | poses and clips from recorded sensors; live motion over the network |
//! | `render` | drawing with wgpu, crowds and inverse kinematics on the GPU |
//! | `cli`, `viewer` | the `sinew` program, and its window (the default) |

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "character")]
pub use sinew_base::{files, view};
#[cfg(feature = "capture")]
pub use sinew_character::capture;
#[cfg(feature = "character")]
pub use sinew_character::{asset, check, export, motion, pose, puppet, rig, robot, secondary, skin};
pub use sinew_ik as ik;
pub use sinew_ik::{Missing, ParseError};
#[cfg(feature = "render")]
pub use sinew_regress as regress;
#[cfg(feature = "render")]
pub use sinew_regress::{assert_image, assert_pose};
#[cfg(feature = "render")]
pub use sinew_render as render;
#[cfg(feature = "render")]
pub use sinew_render::{crowd, gpu_ik, scene};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use sinew_viewer as viewer;

#[cfg(feature = "cli")]
use sinew_base::api;
#[cfg(feature = "cli")]
use sinew_base::text;
#[cfg(feature = "cli")]
use sinew_character::shared;

/// The mathematics library whose vectors, quaternions and matrices the API uses.
pub use glam;

/// Compiles and runs the README's example as a doctest.
#[cfg(all(doctest, feature = "character"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles and runs the examples of the manual as doctests.
#[cfg(all(doctest, feature = "cli"))]
mod manual {
    #[doc = include_str!("../docs/capture.md")]
    struct Capture;
    #[doc = include_str!("../docs/ci.md")]
    struct Ci;
    #[doc = include_str!("../docs/library.md")]
    struct Library;
    #[doc = include_str!("../docs/motion.md")]
    struct Motion;
}
