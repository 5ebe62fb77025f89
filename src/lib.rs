//! `sinew`: skinning and inverse kinematics for glTF characters.
//!
//! ```text
//! file ─▶ asset::Character ─▶ motion ─▶ ik ─▶ skin::Palette ─▶ render::Renderer ─▶ image
//!         (immutable)          writes a Pose     (matrices)        (draws matrices and meshes)
//! ```
//!
//! Start with [`puppet::Puppet`], a live character that plays clips, reaches for targets and returns skin matrices. The
//! solvers in [`ik`] do not depend on characters or files and can be used alone.
//!
//! Coordinates are right-handed with +Y up. Units are metres, radians and seconds. Matrices are named after the spaces
//! that they connect, for example `world_from_joint`.
//!
//! Without features, the library needs no GPU. The feature `capture` adds poses and clips from recorded sensors, and
//! `vmc` adds live motion over the network. `render` adds drawing with wgpu, and sessions of the viewer without a
//! window. `cli` adds the command-line program, and `viewer` adds the viewer's window.

pub mod asset;
#[cfg(feature = "capture")]
pub mod capture;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "render")]
pub mod crowd;
pub mod export;
pub mod files;
#[cfg(feature = "render")]
pub mod gpu_ik;
pub mod ik;
mod mathematics;
pub mod motion;
pub mod pose;
pub mod puppet;
#[cfg(feature = "cli")]
pub mod regress;
#[cfg(feature = "render")]
pub mod render;
pub mod rig;
pub mod scene;
pub mod secondary;
pub mod skin;
mod text;
pub mod view;
#[cfg(feature = "render")]
pub mod viewer;

/// Compiles and runs the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
