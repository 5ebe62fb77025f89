//! Inverse kinematics of many bodies at once on a GPU.
//!
//! A [`GpuSolver`] solves the same problems as [`ik::solve_many`](crate::ik::solve_many), with the same bodies, goals, limits
//! and reports. Chains of up to 16 hinges and ball joints with one goal are solved by one lane for each start of each problem.
//! Whole bodies of up to 96 joints with up to 8 goals are solved by one workgroup each. Single limbs are solved in closed
//! form. All other problems are solved on the CPU, and the result contains the reason.
//!
//! ```
//! use sinew_render::gpu_ik::{GpuOptions, GpuSolver};
//! use sinew_character::ik::{Body, Goal, Link, LinkIndex};
//! use sinew_render::{AdapterChoice, Gpu};
//! use sinew_character::glam::{DAffine3, DVec3};
//!
//! let mut solver = GpuSolver::new(&Gpu::new(&AdapterChoice::Cpu)?);
//! let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
//! let mut arms = vec![Body::new(links, DAffine3::IDENTITY)?; 100];
//! let goals = vec![vec![Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0))]; 100];
//! for solved in solver.solve_many(&mut arms, &goals, &GpuOptions::default()) {
//!     assert!(solved?.report.reached());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Precision
//! The GPU computes in single precision. [`GpuSolver::solve_many`] measures the errors of its poses on the CPU in double precision, so that
//! no answer is trusted blindly. [`GpuSolver::solve_batch`] measures them on the GPU, with bounds of their rounding errors. The CPU measures
//! only the answers whose outcomes these bounds leave open, so the outcomes are the same.
//!
//! The tolerances of the options decide whether a goal counts as reached, but they are at least [`POSITION_TOLERANCE`] times the chain's
//! length and [`ANGLE_TOLERANCE`] radians. With [`GpuOptions::polish`], the CPU continues from these poses to an accuracy of 1e-9.
//! `solve_many` then determines the outcomes after the polish, so more goals may be reached. The outcomes of `solve_batch` remain those
//! before the polish, because it polishes only the bodies that it poses.
//!
//! # Differences from the CPU
//! - Restarts begin from a table of 1,024 fixed random poses. Each restart uses its own part of the table, and starts from the
//!   pose whose effector is nearest to the target. If several restarts meet the goal, the result is the pose that turns the
//!   joints least. A whole body has no restarts.
//! - Pins have a hundred times the weight of other goals, instead of priority over them.
//! - Locked joints are not released within a step, and the damping has a lower bound that single precision requires. The
//!   nearest pose to a target out of reach is therefore found less accurately. A straight chain whose target is in line with it is
//!   restarted instead of bent.
//! - The only outcomes are reached, out of reach, stalled and iteration limit. A pose that is blocked by limits counts as
//!   stalled.
//! - If the GPU is requested, a body that is a figure is solved with the differential method, like other bodies. The CPU's figure solver
//!   gives better poses, so [`Choice::Auto`] uses it.

mod batch;
mod block_buffers;
mod body;
mod calibration;
mod chain;
pub(crate) mod gpu_types;
mod group;
mod judge;
mod limb;
mod limit_error;
mod measure;
mod measured;
mod options;
mod pipeline;
mod pose_table;
mod poses;
mod prepare;
mod shaders;
mod solver;
mod structure;
mod submission;
#[cfg(test)]
mod twin;

pub use batch::GpuBatch;
pub use judge::GoalErrors;
pub use options::{ANGLE_TOLERANCE, Choice, CpuReason, GpuOptions, POSITION_TOLERANCE, Solved, SolvedBy};
#[cfg(test)]
pub(crate) use shaders::{LARGEST, SOURCES};
pub use solver::GpuSolver;
