//! Inverse kinematics of many bodies at once on a GPU.
//!
//! A [`GpuSolver`] answers the problems of [`ik::solve_many`](crate::ik::solve_many), with the same bodies, goals, limits and
//! reports. Chains of up to 16 hinges and ball joints with one goal are solved by one lane for each problem and start, and
//! whole bodies of up to 96 joints with up to 8 goals by one workgroup each. Single limbs have a closed form.
//! Everything else is solved on the CPU, and the result says why.
//!
//! ```
//! use sinew::gpu_ik::{GpuOptions, GpuSolver};
//! use sinew::ik::{Body, Goal, Link};
//! use sinew::render::{AdapterChoice, Gpu};
//! use sinew::glam::{DAffine3, DVec3};
//!
//! let mut solver = GpuSolver::new(&Gpu::new(&AdapterChoice::Cpu)?);
//! let links = vec![Link::base(), Link::child(0, DVec3::Y), Link::child(1, DVec3::Y)];
//! let mut arms = vec![Body::new(links, DAffine3::IDENTITY)?; 100];
//! let goals = vec![vec![Goal::position(2, DVec3::new(1.0, 1.0, 0.0))]; 100];
//! for solved in solver.solve_many(&mut arms, &goals, &GpuOptions::default()) {
//!     assert!(solved?.report.reached());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Precision
//! The GPU computes in single precision. Its poses are measured on the CPU in double precision, so that no answer is
//! trusted blindly. A goal counts as reached within the tolerances of the options, but not less than [`POSITION_TOLERANCE`]
//! of the chain's length and [`ANGLE_TOLERANCE`] radians. With [`GpuOptions::polish`], the CPU continues from these
//! poses to 1e-9.
//!
//! # Differences from the CPU
//! - Restarts begin in the nearest of 1,024 fixed random poses of the chain. If several meet the goal, the one that turns the
//!   joints least is the result. A whole body has no restarts.
//! - Pins have a hundred times the weight of other goals, instead of priority over them.
//! - Locked joints are not released within a step, and the damping has a floor at the precision of single numbers. The
//!   nearest pose to a target out of reach is therefore found less exactly, and a straight chain whose target is in its
//!   line begins with a restart instead of a bend.
//! - Outcomes are reached, out of reach, stalled and iteration limit. Blocking limits are not distinguished from other stalls.
//! - A body that is a figure gets a differential solution, like other bodies, if the GPU is requested. The CPU's solver of
//!   figures gives better poses, so [`Choice::Auto`] uses it.

mod body;
mod calibration;
mod chain;
// Public only for the test that compares it with the shaders.
#[doc(hidden)]
pub mod gpu_types;
mod group;
mod limb;
mod measured;
mod options;
mod pose_table;
mod shaders;
mod solver;
mod structure;
#[cfg(test)]
mod twin;

pub use options::{ANGLE_TOLERANCE, Choice, CpuReason, GpuOptions, POSITION_TOLERANCE, Solved, SolvedBy};
// Public only for the tests of the shaders.
#[doc(hidden)]
pub use shaders::SOURCES;
pub use solver::GpuSolver;
