//! Single limbs on the GPU, in closed form.

use glam::{DQuat, DVec3};

use crate::compute::{Access, Kernel};
use crate::ik::{Limb, LimbGoal};
use crate::{Gpu, RenderError};

use super::block_buffers::{BlockBytes, BufferPool};
use super::gpu_types::LimbProblem;
use super::shaders;
use super::structure::four;
use super::submission::Submission;

const LANES: usize = 64;
/// Maximum distance of a target, in lengths of the limb. A target farther away is moved to this distance, so that the square
/// of the distance remains within the range of single precision. The limb is already straight at a distance of 1.
const FARTHEST: f64 = 2.0;

#[derive(Clone, Debug)]
pub(super) struct LimbKernel(Kernel);

impl LimbKernel {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let access = [Access::Read, Access::Write];
        Self(Kernel::new(gpu, "limb IK", shaders::LIMB, "solve_limbs", &[], &access))
    }

    /// Solves limbs in blocks whose buffers have at most `most_bytes` bytes.
    pub(super) fn solve(
        &self,
        gpu: &Gpu,
        pool: &mut BufferPool,
        problems: &[LimbProblem],
        most_bytes: u64,
    ) -> Result<Vec<[f32; 4]>, RenderError> {
        let most = BlockBytes::of_limbs(1).most_problems(most_bytes).min(problems.len().max(1));
        let mut turns: Vec<[f32; 4]> = Vec::with_capacity(2 * problems.len());
        for block in problems.chunks(most) {
            // Lanes after the last limb compute unused numbers.
            let groups = u32::try_from(block.len().div_ceil(LANES)).unwrap_or(u32::MAX);
            let sizes = (BlockBytes::of_limbs(most), BlockBytes::of_limbs(block.len()));
            let problems = bytemuck::cast_slice(block);
            let submission = Submission::new(gpu, pool, sizes, problems, &[], |pass, buffers| {
                let bound = [&buffers.targets, &buffers.answers].map(wgpu::Buffer::as_entire_buffer_binding);
                self.0.dispatch(pass, &self.0.bind(gpu, &bound), groups);
            })?;
            let read = |answers: &[u8], _: &[u8]| bytemuck::pod_collect_to_vec(answers);
            turns.append(&mut submission.read(gpu, pool, read)?);
        }
        Ok(turns)
    }
}

/// Returns a limb in the form that the shader reads, with lengths as fractions of the limb's length.
pub(super) fn packed(limb: &Limb, goal: &LimbGoal) -> LimbProblem {
    let length = limb.upper.length() + limb.lower.length();
    let inverse = if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 };
    let target = goal.target * inverse;
    let direction = |v: DVec3| four(v.normalize_or_zero(), 0.0);
    LimbProblem {
        upper: four(limb.upper * inverse, 0.0),
        lower: four(limb.lower * inverse, 0.0),
        bend: direction(limb.bend),
        goal: four(target.clamp_length_max(FARTHEST), 0.0),
        pole: direction(goal.pole),
    }
}

/// Returns the rotations of a limb in double precision.
pub(super) fn unpacked(turns: &[[f32; 4]]) -> [DQuat; 2] {
    let turn = |i: usize| turns.get(i).map_or(DQuat::IDENTITY, |q| DQuat::from_array(q.map(f64::from)));
    [turn(0), turn(1)]
        .map(|q| if q.is_finite() && q.length() > 0.0 { q.normalize() } else { DQuat::IDENTITY })
}
