//! Batched solves on the GPU, on the CPU, or on the faster of the two.

use std::collections::HashMap;
use std::time::Duration;

use glam::DQuat;
use rayon::prelude::*;

use crate::ik::{Body, Goal, Limb, LimbGoal, Options, SolveError, Solver, Start};
use crate::platform::Instant;
use crate::{Gpu, RenderError};

use super::body::{BodyKernel, BodyProblems};
use super::calibration::Calibration;
use super::chain::{ChainKernels, ChainProblems, UploadedChain};
use super::gpu_types::{ChainConstants, TreeConstants};
use super::group::{Group, Inputs, groups};
use super::limb::{self, LimbKernel};
use super::measured::Answer;
use super::options::{Choice, CpuReason, GpuOptions, Solved, SolvedBy};
use super::pose_table;

/// Number of structures whose joints and poses are kept on the GPU.
const MAX_UPLOADED: usize = 16;
/// Default maximum size of a buffer in bytes. Devices that an application provides may have smaller limits.
const MAX_BYTES: u64 = 128 << 20;
/// Error message for adapters that can only draw.
const NO_COMPUTE: &str = "the adapter has no compute shaders";
/// Maximum number of restarts. Each restart is a lane of a workgroup.
const MAX_RESTARTS: u32 = 64;

/// A solver of many problems at once on a GPU.
///
/// Creating a solver compiles no shaders. The first solve of each kind of problem compiles the shaders for it.
#[derive(Debug)]
pub struct GpuSolver {
    gpu: Gpu,
    /// The pipelines for chains, by number of joints and kinds of limits.
    chains: HashMap<(usize, u32), ChainKernels>,
    uploaded: Vec<(Vec<u64>, UploadedChain)>,
    body: Option<BodyKernel>,
    limb: Option<LimbKernel>,
    /// Size in bytes of the largest buffer of a batch.
    most_bytes: u64,
    device_time: Duration,
    calibration: Option<Calibration>,
}

/// The answers to the problems of a group: the numbers that the shader returned, and how many of them belong to each problem.
struct Answers {
    numbers: Vec<[f32; 4]>,
    has_root: bool,
}

impl GpuSolver {
    /// Creates a solver on a device.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            chains: HashMap::new(),
            uploaded: Vec::new(),
            body: None,
            limb: None,
            most_bytes: largest_buffer(gpu),
            device_time: Duration::ZERO,
            calibration: None,
        }
    }

    /// Sets the size in bytes of the largest buffer. The default is the maximum: 128 MiB, or less if the limits of the device
    /// are smaller. Larger batches are split.
    pub fn set_max_buffer_size(&mut self, bytes: u64) {
        self.most_bytes = bytes.clamp(1, largest_buffer(&self.gpu));
    }

    /// Returns how long the last solve waited for the GPU. This includes the uploads and downloads.
    pub fn device_time(&self) -> Duration {
        self.device_time
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
                let measured = Calibration::measure(|bodies, goals, choice| {
                    let options = GpuOptions { choice, ..GpuOptions::default() };
                    drop(self.solve_many(bodies, goals, &options));
                });
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
        self.device_time = Duration::ZERO;
        let options = &options.within_range();
        let count = bodies.len().min(goals.len());
        let (bodies, goals) = (&mut bodies[..count], &goals[..count]);
        if options.choice == Choice::Cpu {
            return solve_on_cpu(bodies, goals, &options.options, |_| CpuReason::Requested);
        }
        let (groups, unsupported) = groups(bodies, goals, &options.options);
        let mut reasons: HashMap<usize, CpuReason> =
            unsupported.into_iter().map(|(index, what)| (index, CpuReason::Unsupported(what))).collect();
        let mut places = vec![None; count];
        let mut solved: Vec<Answers> = Vec::with_capacity(groups.len());
        for (number, group) in groups.iter().enumerate() {
            let answers = match self.reason_for_cpu(group, options) {
                Some(reason) => Err(reason),
                None => self.solve_group(group, bodies, goals, options).map_err(failed),
            };
            match answers {
                Ok(answers) => {
                    for (place, &index) in group.problems.iter().enumerate() {
                        places[index] = Some((number, place));
                    }
                    solved.push(answers);
                }
                Err(reason) => {
                    reasons.extend(group.problems.iter().map(|&index| (index, reason.clone())));
                    solved.push(Answers { numbers: Vec::new(), has_root: false });
                }
            }
        }
        let finish = |solver: &mut Solver, (index, (body, goals)): (usize, (&mut Body, &Vec<Goal>))| {
            let Some((number, place)) = places[index] else {
                let reason = reasons.get(&index).cloned().unwrap_or(CpuReason::Requested);
                return solve_alone(solver, body, goals, &options.options, reason);
            };
            let (group, answers) = (&groups[number], &solved[number]);
            let answer = answers.of(group, place);
            let report = group.apply(answer, body, goals, &options.options, options.iterations);
            if options.polish {
                return Ok(group.polish(solver, body, goals, &options.options, report));
            }
            Ok(Solved { report, by: SolvedBy::Gpu })
        };
        let problems = bodies.par_iter_mut().zip(goals).enumerate();
        problems.map_init(Solver::default, finish).collect()
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

    fn solve_group(
        &mut self,
        group: &Group,
        bodies: &[Body],
        goals: &[Vec<Goal>],
        options: &GpuOptions,
    ) -> Result<Answers, RenderError> {
        self.gpu.check()?;
        let inputs = group.inputs(bodies, goals, &options.options);
        let Some(goals) = group.problems.first().and_then(|&first| goals.get(first)) else {
            return Ok(Answers { numbers: Vec::new(), has_root: false });
        };
        let started = Instant::now();
        let numbers = match (group.is_chain(&options.options), &goals[..]) {
            (true, [goal]) => self.solve_chains(group, goal, &inputs, options),
            _ => self.solve_bodies(group, goals, &inputs, options),
        }?;
        self.device_time += started.elapsed();
        Ok(Answers { numbers, has_root: !group.is_chain(&options.options) })
    }

    fn solve_chains(
        &mut self,
        group: &Group,
        goal: &Goal,
        inputs: &Inputs,
        options: &GpuOptions,
    ) -> Result<Vec<[f32; 4]>, RenderError> {
        let (joints, kinds) = (group.structure.joints.len(), group.structure.kinds());
        let kind = (joints, kinds);
        let restarts = match options.options.start {
            Start::Continue => 0,
            _ if options.options.restarts == 0 || options.restarts == 0 => 0,
            _ => options.restarts.min(MAX_RESTARTS).next_power_of_two(),
        };
        let uploaded = self.upload(group)?;
        if !self.chains.contains_key(&kind) {
            let kernels = ChainKernels::new(&self.gpu, joints, kinds);
            self.chains.extend(kernels.map(|kernels| (kind, kernels)));
            // Errors of the shader compiler are reported like driver errors.
            self.gpu.check()?;
        }
        let Some((kernels, (_, uploaded))) = self.chains.get_mut(&kind).zip(self.uploaded.get(uploaded))
        else {
            return Err(RenderError::Driver("no pipeline for a chain".to_owned()));
        };
        let chain = ChainConstants {
            restarts,
            iterations: options.iterations,
            ..group.chain(goal, &options.options)
        };
        let problems = ChainProblems {
            uploaded,
            chain,
            targets: &inputs.targets,
            starts: &inputs.starts,
            most_bytes: self.most_bytes,
        };
        kernels.solve(&self.gpu, &problems)
    }

    /// Uploads the structure of a chain unless it is already on the GPU, and returns its index.
    fn upload(&mut self, group: &Group) -> Result<usize, RenderError> {
        if let Some(place) = self.uploaded.iter().position(|(key, _)| *key == group.key) {
            return Ok(place);
        }
        let poses = group.structure.effectors.first().map(|e| pose_table::table(&group.structure, e));
        let uploaded = UploadedChain::new(&self.gpu, &group.structure.packed, &poses.unwrap_or_default())?;
        if self.uploaded.len() >= MAX_UPLOADED {
            self.uploaded.remove(0);
        }
        self.uploaded.push((group.key.clone(), uploaded));
        Ok(self.uploaded.len() - 1)
    }

    fn solve_bodies(
        &mut self,
        group: &Group,
        goals: &[Goal],
        inputs: &Inputs,
        options: &GpuOptions,
    ) -> Result<Vec<[f32; 4]>, RenderError> {
        let (tree, tree_goals, rows) = group.tree(goals, &options.options);
        let tree = TreeConstants { iterations: options.iterations, ..tree };
        let problems = BodyProblems {
            tree,
            joints: &group.structure.packed,
            goals: &tree_goals,
            rows: &rows,
            targets: &inputs.targets,
            starts: &inputs.starts,
            most_bytes: self.most_bytes,
        };
        let kernel = self.body.get_or_insert_with(|| BodyKernel::new(&self.gpu));
        self.gpu.check()?;
        kernel.solve(&self.gpu, &problems)
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
        let kernel = self.limb.get_or_insert_with(|| LimbKernel::new(&self.gpu));
        let started = Instant::now();
        let found = kernel.solve(&self.gpu, problems, self.most_bytes)?;
        self.device_time = started.elapsed();
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

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: RenderError) -> CpuReason {
    CpuReason::Failed(error.to_string())
}

impl Answers {
    fn of(&self, group: &Group, place: usize) -> Answer<'_> {
        let joints = group.structure.joints.len();
        let stride = joints + if self.has_root { 2 } else { 1 };
        let numbers = self.numbers.get(place * stride..(place + 1) * stride).unwrap_or_default();
        let last = numbers.last().copied().unwrap_or_default();
        let root = if self.has_root { numbers.get(joints).copied().unwrap_or_default() } else { [0.0; 4] };
        // The shaders store the number of iterations in different places.
        let iterations = if self.has_root { last[2] } else { last[3] };
        Answer { rotations: numbers.get(..joints).unwrap_or_default(), root, iterations }
    }
}

fn solve_alone(
    solver: &mut Solver,
    body: &mut Body,
    goals: &[Goal],
    options: &Options,
    reason: CpuReason,
) -> Result<Solved, SolveError> {
    // Only continued solves use the warm-start state.
    solver.reset();
    let report = solver.solve(body, goals, options)?.clone();
    Ok(Solved { report, by: SolvedBy::Cpu(reason) })
}

fn solve_on_cpu(
    bodies: &mut [Body],
    goals: &[Vec<Goal>],
    options: &Options,
    reason: impl Fn(usize) -> CpuReason + Sync,
) -> Vec<Result<Solved, SolveError>> {
    let solve = |solver: &mut Solver, (index, (body, goals)): (usize, (&mut Body, &Vec<Goal>))| {
        solve_alone(solver, body, goals, options, reason(index))
    };
    bodies.par_iter_mut().zip(goals).enumerate().map_init(Solver::default, solve).collect()
}
