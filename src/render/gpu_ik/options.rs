//! Options and results of batched solves.

use std::fmt;

use crate::api::with_methods;
use crate::ik::{Options, Report};

/// The smallest tolerance of positions, as a fraction of the chain's length.
pub const POSITION_TOLERANCE: f64 = 1e-5;
/// The smallest tolerance of orientations, in radians.
pub const ANGLE_TOLERANCE: f64 = 1e-4;
/// Default maximum number of iterations of each start. Steps converge quadratically, so a start that needs more has stalled.
const ITERATIONS: u32 = 48;
/// Minimum and maximum number of iterations. The iterations of a restart are divided into four parts, and each part needs at least one
/// iteration. Beyond the maximum, the driver could stop a dispatch for taking too long.
const ITERATION_RANGE: [u32; 2] = [4, 1000];
/// Default number of restarts.
const RESTARTS: u32 = 8;

/// The choice of the processor that solves a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// The faster processor, according to [`GpuSolver::choose`](super::GpuSolver::choose). On a hardware GPU, the first solve also measures
    /// both processors and compiles the shaders of the measured chain.
    #[default]
    Auto,
    /// The GPU, except for problems that it does not support.
    Gpu,
    /// The CPU.
    Cpu,
}

/// Options of a batched solve.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GpuOptions {
    /// The options of a solve on the CPU. The GPU uses only the start, the limits, the root motion, the characteristic length and
    /// the tolerances. The tolerances are at least [`POSITION_TOLERANCE`](super::POSITION_TOLERANCE) and
    /// [`ANGLE_TOLERANCE`](super::ANGLE_TOLERANCE).
    pub options: Options,
    /// Number of restarts, from 0 to 64, of a chain that does not reach its goal from its start pose. The number is rounded up to a power
    /// of two. Whole bodies do not restart.
    pub restarts: u32,
    /// Maximum number of iterations of each start, clamped to the range 4 to 1000.
    pub iterations: u32,
    /// Whether the CPU continues from the GPU's poses until positions are accurate to 1e-9 of the chain's length and
    /// orientations to 1e-9 radians.
    pub polish: bool,
    /// The processor that solves the batch.
    pub choice: Choice,
}

with_methods!(GpuOptions {
    with_options(options: Options),
    with_restarts(restarts: u32),
    with_iterations(iterations: u32),
    with_polish(polish: bool),
    with_choice(choice: Choice),
});

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            options: Options::default(),
            restarts: RESTARTS,
            iterations: ITERATIONS,
            polish: false,
            choice: Choice::Auto,
        }
    }
}

impl GpuOptions {
    /// Returns the options with a number of iterations that the shaders support.
    pub(super) fn within_range(&self) -> Self {
        let [least, most] = ITERATION_RANGE;
        Self { iterations: self.iterations.clamp(least, most), ..self.clone() }
    }
}

/// The reason why the CPU solved a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CpuReason {
    /// The CPU was requested with [`Choice::Cpu`].
    Requested,
    /// The CPU is expected to be faster. Contains the reason.
    Faster(&'static str),
    /// The GPU does not support the problem. Contains the unsupported property.
    Unsupported(&'static str),
    /// The GPU failed. Contains the error.
    Failed(String),
}

impl fmt::Display for CpuReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("the CPU was requested"),
            Self::Faster(why) => write!(f, "the CPU is faster: {why}"),
            Self::Unsupported(what) => write!(f, "the GPU solver does not support {what}"),
            Self::Failed(error) => write!(f, "the GPU failed: {error}"),
        }
    }
}

/// The processor that solved a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolvedBy {
    /// The GPU.
    Gpu,
    /// The GPU, and then the CPU, which continued from the GPU's pose.
    GpuAndCpu,
    /// Only the CPU.
    Cpu(CpuReason),
}

/// The result of one problem of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The report. Errors are measured on the CPU in double precision.
    pub report: Report,
    /// The processor that solved the problem.
    pub by: SolvedBy,
}
