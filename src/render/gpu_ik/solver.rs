//! Batched solves on the GPU, on the CPU, or on the faster of the two.

use std::collections::HashMap;
use std::time::Duration;

use glam::DQuat;
use rayon::prelude::*;

use crate::compute::kept;
use crate::ik::{Body, Goal, Limb, LimbGoal, SolveError, Solver};
use crate::platform::Instant;
use crate::{Gpu, RenderError};

use super::batch::{ErrorReceiver, GpuBatch};
use super::block_buffers::BufferPool;
use super::body::BodyKernel;
use super::calibration::Calibration;
use super::chain::{ChainKernels, UploadedChain};
use super::group::{Group, groups};
use super::limb::{self, LimbKernel};
use super::measure::MeasureKernel;
use super::options::{Choice, CpuReason, GpuOptions, Solved};
use super::pipeline::Receiver;
use super::poses::{PoseReceiver, solve_alone};

/// Default maximum size of a buffer in bytes. Devices that an application provides may have smaller limits.
const MAX_BYTES: u64 = 128 << 20;
/// Error message for adapters that can only draw.
const NO_COMPUTE: &str = "the adapter has no compute shaders";

/// A solver of many problems at once on a GPU.
///
/// Creating a solver compiles no shaders. The first solve of each kind of problem compiles the shaders for it.
#[derive(Debug)]
pub struct GpuSolver {
    pub(super) gpu: Gpu,
    /// The pipelines for chains, by number of joints and kinds of limits.
    pub(super) chains: HashMap<(usize, u32), ChainKernels>,
    pub(super) uploaded: Vec<(Vec<u64>, UploadedChain)>,
    pub(super) body: Option<BodyKernel>,
    pub(super) measure: Option<MeasureKernel>,
    limb: Option<LimbKernel>,
    pub(super) buffers: BufferPool,
    /// Size in bytes of the largest buffer of a block.
    pub(super) most_bytes: u64,
    wait_time: Duration,
    calibration: Option<Calibration>,
}

/// The groups of a batch, and why the CPU solves the other problems.
type Plan = (Vec<Group>, HashMap<usize, CpuReason>);

impl GpuSolver {
    /// Creates a solver on a device.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            chains: HashMap::new(),
            uploaded: Vec::new(),
            body: None,
            measure: None,
            limb: None,
            buffers: BufferPool::default(),
            most_bytes: largest_buffer(gpu),
            wait_time: Duration::ZERO,
            calibration: None,
        }
    }

    /// Sets the size in bytes of the largest buffer. The default is the maximum: 128 MiB, or less if the limits of the device
    /// are smaller. Larger batches are split. The buffers of up to four blocks are kept for later batches.
    pub fn set_max_buffer_size(&mut self, bytes: u64) {
        self.most_bytes = bytes.clamp(1, largest_buffer(&self.gpu));
    }

    /// Returns how long the last solve uploaded data, submitted work and waited for the GPU. This is not the time that the GPU needed: while
    /// the GPU solves one block of a large batch, the CPU handles the answers to another.
    pub fn wait_time(&self) -> Duration {
        self.wait_time
    }

    /// Returns why [`Choice::Auto`] solves a batch on the CPU, or `None` if it uses the GPU.
    ///
    /// A software adapter is never chosen, because it competes with the CPU solver for the same cores. A hardware GPU is chosen if the
    /// product of `problems` and `joints` is at least what the CPU can solve in the time that the GPU needs for its smallest batch. Both
    /// times are measured once for each solver, on a chain of hinges. For whole bodies, whose times per joint differ, the rule is only an
    /// estimate. Because of the measurement, the first call solves a few small batches and compiles the shaders of chains. Call this
    /// function in advance if the first batch must not wait.
    pub fn choose(&mut self, problems: usize, joints: usize) -> Option<CpuReason> {
        if !self.gpu.capabilities.has_compute {
            return Some(CpuReason::Failed(NO_COMPUTE.to_owned()));
        }
        if self.gpu.capabilities.is_software {
            return Some(CpuReason::Faster("the adapter is software"));
        }
        let calibration = match self.calibration {
            Some(calibration) => calibration,
            None => {
                let wait_time = self.wait_time;
                let measured = Calibration::measure(|bodies, goals, choice| {
                    let options = GpuOptions { choice, ..GpuOptions::default() };
                    drop(self.solve_many(bodies, goals, &options));
                });
                self.wait_time = wait_time;
                *self.calibration.insert(measured)
            }
        };
        calibration.prefers_cpu(problems, joints).then_some(CpuReason::Faster("the batch is small"))
    }

    /// Solves for the goals of each body, with the same meaning as [`ik::solve_many`](crate::ik::solve_many). Surplus
    /// entries of the longer slice are ignored. Problems that the GPU does not support are solved on the CPU, as are all
    /// problems if the GPU fails.
    ///
    /// The same input gives bit-identical results on the same device.
    ///
    /// # Errors
    /// Each body has its own result, with the same errors as [`Solver::solve`].
    pub fn solve_many(
        &mut self,
        bodies: &mut [Body],
        goals: &[Vec<Goal>],
        options: &GpuOptions,
    ) -> Vec<Result<Solved, SolveError>> {
        let options = &options.within_range();
        let count = bodies.len().min(goals.len());
        let (bodies, goals) = (&mut bodies[..count], &goals[..count]);
        let (groups, mut reasons) = plan(bodies, goals, options);
        let mut receiver = PoseReceiver::new(bodies, goals, options);
        let failures = self.solve_groups(&groups, goals, options, false, &mut receiver);
        reasons.extend(failures);
        let (bodies, results) = receiver.into_parts();
        let problems = bodies.par_iter_mut().zip(goals).zip(results).enumerate();
        let finished =
            problems.map_init(Solver::default, |solver, (index, ((body, goals), solved))| match solved {
                Some(solved) => Ok(solved),
                None => solve_alone(solver, body, goals, &options.options, reason(&reasons, index)),
            });
        finished.collect()
    }

    /// Solves for the goals of each body like [`GpuSolver::solve_many`], but returns only the errors, which the GPU measures too. The bodies
    /// keep their poses, and [`GpuBatch::pose`] poses one of them on request. Problems whose outcome could be changed by rounding errors of
    /// the GPU are measured on the CPU. Problems that the GPU does not support are solved on the CPU. The outcomes are those of `solve_many`
    /// without [`GpuOptions::polish`], because a batch polishes only the bodies that it poses.
    ///
    /// ```
    /// use sinew_render::gpu_ik::{GpuOptions, GpuSolver};
    /// use sinew_character::ik::{Body, Goal, Link, LinkIndex};
    /// use sinew_character::glam::{DAffine3, DVec3};
    /// use sinew_render::{AdapterChoice, Gpu};
    ///
    /// let mut solver = GpuSolver::new(&Gpu::new(&AdapterChoice::Cpu)?);
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    /// let arms = vec![Body::new(links, DAffine3::IDENTITY)?; 100];
    /// let goals = vec![vec![Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0))]; 100];
    /// let batch = solver.solve_batch(&arms, &goals, &GpuOptions::default());
    /// let best = (0..batch.len()).find(|&index| batch.reached(index)).ok_or("no arm reaches")?;
    /// let mut arm = arms[best].clone();
    /// let solved = batch.pose(best, &mut arm).ok_or("no such problem")??;
    /// assert!(solved.report.reached());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_batch<'a>(
        &mut self,
        bodies: &'a [Body],
        goals: &'a [Vec<Goal>],
        options: &GpuOptions,
    ) -> GpuBatch<'a> {
        let options = options.within_range();
        let count = bodies.len().min(goals.len());
        let (bodies, goals) = (&bodies[..count], &goals[..count]);
        let (groups, mut reasons) = plan(bodies, goals, &options);
        let mut receiver = ErrorReceiver::new(bodies, goals, &options);
        let failures = self.solve_groups(&groups, goals, &options, true, &mut receiver);
        reasons.extend(failures);
        let answers = receiver.into_answers();
        GpuBatch::new(bodies, goals, options, groups, answers, |index| reason(&reasons, index))
    }

    /// Solves the groups, and returns the reason for each problem that the CPU must solve. If a block of a group fails, the CPU solves the
    /// block and all later ones. The answers to the blocks before it remain valid.
    pub(super) fn solve_groups(
        &mut self,
        groups: &[Group],
        goals: &[Vec<Goal>],
        options: &GpuOptions,
        is_measured: bool,
        receiver: &mut impl Receiver,
    ) -> Vec<(usize, CpuReason)> {
        self.wait_time = Duration::ZERO;
        let mut failures = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let (solved, reason) = match self.reason_for_cpu(group, options) {
                Some(reason) => (0, Some(reason)),
                None => self.solve_group((number, group), goals, options, is_measured, receiver),
            };
            let others = group.problems.get(solved..).unwrap_or_default();
            if let Some(reason) = reason {
                failures.extend(others.iter().map(|&index| (index, reason.clone())));
            }
        }
        failures
    }

    /// Returns why the CPU solves a group.
    fn reason_for_cpu(&mut self, group: &Group, options: &GpuOptions) -> Option<CpuReason> {
        if !self.gpu.capabilities.has_compute {
            return Some(CpuReason::Failed(NO_COMPUTE.to_owned()));
        }
        if options.choice != Choice::Auto {
            return None;
        }
        if options.options.root_motion && group.is_figure {
            return Some(CpuReason::Unsupported(
                "figures, whose limbs and trunk the CPU poses in closed form",
            ));
        }
        self.choose(group.problems.len(), group.structure.joints.len())
    }

    /// Returns the number of problems that were solved, and why the others were not.
    fn solve_group(
        &mut self,
        (number, group): (usize, &Group),
        goals: &[Vec<Goal>],
        options: &GpuOptions,
        is_measured: bool,
        receiver: &mut impl Receiver,
    ) -> (usize, Option<CpuReason>) {
        let mut pipeline = match self.pipeline(group, goals, options, is_measured) {
            Ok(pipeline) => pipeline,
            Err(error) => return (0, Some(CpuReason::Failed(error.to_string()))),
        };
        let mut solved = 0;
        let reason = loop {
            match pipeline.next(&mut self.buffers, receiver.bodies(), goals) {
                Ok(Some(block)) => {
                    solved = block.problems.end;
                    receiver.receive(number, group, block);
                }
                Ok(None) => break None,
                Err(error) => break Some(CpuReason::Failed(error.to_string())),
            }
        };
        self.wait_time += pipeline.wait_time();
        (solved, reason)
    }

    /// Solves many limbs in closed form, like [`ik::solve_limbs`](crate::ik::solve_limbs) in single precision. Surplus
    /// entries of the longer slices are ignored.
    ///
    /// # Errors
    /// [`RenderError`] if the adapter has no compute shaders, the driver reports an error, or the device is lost. `turns` is
    /// then unchanged.
    pub fn solve_limbs(
        &mut self,
        limbs: &[Limb],
        goals: &[LimbGoal],
        turns: &mut [[DQuat; 2]],
    ) -> Result<(), RenderError> {
        let problems: Vec<_> = limbs.iter().zip(goals).map(|(limb, goal)| limb::packed(limb, goal)).collect();
        let problems = &problems[..problems.len().min(turns.len())];
        self.gpu.check()?;
        if !self.gpu.capabilities.has_compute {
            return Err(RenderError::Driver(NO_COMPUTE.to_owned()));
        }
        let kernel = kept(&self.gpu, &mut self.limb, LimbKernel::new)?;
        let started = Instant::now();
        let found = kernel.solve(&self.gpu, &mut self.buffers, problems, self.most_bytes)?;
        self.wait_time = started.elapsed();
        for (turns, found) in turns.iter_mut().zip(found.chunks(2)) {
            *turns = limb::unpacked(found);
        }
        Ok(())
    }
}

/// Returns the size in bytes of the largest buffer of a batch. The size is at least one, even if the limits of the device are
/// zero.
fn largest_buffer(gpu: &Gpu) -> u64 {
    let limits = gpu.device.limits();
    MAX_BYTES.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size).max(1)
}

/// Groups the problems of a batch. If the CPU was requested, there are no groups.
fn plan(bodies: &[Body], goals: &[Vec<Goal>], options: &GpuOptions) -> Plan {
    if options.choice == Choice::Cpu {
        return (Vec::new(), HashMap::new());
    }
    let (groups, unsupported) = groups(bodies, goals, &options.options);
    let reasons = unsupported.into_iter().map(|(index, what)| (index, CpuReason::Unsupported(what)));
    (groups, reasons.collect())
}

/// Returns why the CPU solves a problem.
fn reason(reasons: &HashMap<usize, CpuReason>, index: usize) -> CpuReason {
    reasons.get(&index).cloned().unwrap_or(CpuReason::Requested)
}
