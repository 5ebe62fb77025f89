//! `sinew`: skinning and inverse kinematics for glTF characters.
//!
//! ```text
//! file ─▶ asset::Character ─▶ motion ─▶ ik ─▶ skin::Palette ─▶ render::Renderer ─▶ picture
//!         (immutable)          writes a Pose     (matrices)        (knows no joint's meaning)
//! ```
//!
//! [`puppet::Puppet`] is the way in: a live character that plays a clip, reaches for points and hands out matrices. The
//! solvers in [`ik`] know neither characters nor files and stand alone.
//!
//! Right-handed, +Y up, metres, radians, seconds; matrices are named for the spaces that they join
//! (`world_from_joint`).
//!
//! Features: none is the library without a GPU; `render` adds drawing with wgpu and sessions, without a window; `cli` the
//! program, `viewer` its window. `capture`, which is in `cli`, is live motion over the network.

pub mod asset;
pub mod atomic;
pub mod bake;
pub mod bounded;
pub mod camera;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "render")]
pub mod compare;
pub mod ik;
mod json;
mod mathematics;
pub mod motion;
pub mod picking;
pub mod pose;
pub mod posed;
mod printable;
pub mod puppet;
#[cfg(feature = "cli")]
pub mod regress;
#[cfg(feature = "render")]
pub mod render;
pub mod rig;
pub mod score;
pub mod skin;
#[cfg(feature = "render")]
pub mod stage;
mod toml;
#[cfg(feature = "render")]
pub mod viewer;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
