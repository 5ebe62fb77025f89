//! Options and results of batched solves.

use std::fmt;

use crate::api::with_methods;
use crate::ik::{Options, Report};

/// The smallest tolerance of positions, as a fraction of the chain's length.
pub const POSITION_TOLERANCE: f64 = 1e-5;
/// The smallest tolerance of orientations, radians.
pub const ANGLE_TOLERANCE: f64 = 1e-4;
/// Default for the maximum number of iterations of each start. Steps converge quadratically, so a start that needs more
/// has stalled.
const ITERATIONS: u32 = 48;
/// Restarts spend their iterations in four parts, and each part needs one. Beyond the maximum, a launch could take long
/// enough for drivers to stop it.
const ITERATION_RANGE: [u32; 2] = [4, 1000];
/// Default for the number of restarts.
const RESTARTS: u32 = 8;

/// Which processor solves a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// The faster one, by the rule of [`GpuSolver::choose`](super::GpuSolver::choose). On hardware, the first solve also measures
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
    /// The options of a solve on the CPU. The GPU follows the start, the limits, the root motion, the characteristic length
    /// and the tolerances, which it does not reduce below [`POSITION_TOLERANCE`](super::POSITION_TOLERANCE) and
    /// [`ANGLE_TOLERANCE`](super::ANGLE_TOLERANCE).
    pub options: Options,
    /// Number of restarts of a chain that does not reach its goal from its start pose, 0 to 64. It is rounded up to a power
    /// of two. Whole bodies do not restart.
    pub restarts: u32,
    /// Maximum number of iterations of each start, clamped to the range 4 to 1000.
    pub iterations: u32,
    /// Whether the CPU continues from the GPU's poses until positions are accurate to 1e-9 of the chain's length and
    /// orientations to 1e-9 radians.
    pub polish: bool,
    /// Which processor solves.
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

/// Why the CPU solved a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CpuReason {
    /// [`Choice::Cpu`].
    Requested,
    /// The CPU is expected to be faster, for this reason.
    Faster(&'static str),
    /// The GPU does not support this.
    Unsupported(&'static str),
    /// The GPU failed with this error.
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
    /// The GPU, and the CPU continued from its pose.
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
