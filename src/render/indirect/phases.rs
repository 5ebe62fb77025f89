//! Lists of the instances that are not hidden, which are drawn in two phases.

use super::super::compute::storage;
use super::super::layout::Layouts;
use super::super::{Gpu, RenderError};
use super::kernels::{Culling, OcclusionCulling};
use super::list::{HIDDEN, List, ListInput};

#[cfg(test)]
mod tests;

/// What instances need to be drawn in two phases. The list of the camera first contains the instances of the first phase, and after the
/// second phase those of both.
#[derive(Debug)]
pub(super) struct Phases {
    /// The instances of the second phase.
    pub(super) second: List,
    /// Binds the states of the instances. At first, no instance counts as visible in the last frame.
    pub(super) states: wgpu::BindGroup,
    pub(super) bytes: u64,
}

impl Phases {
    pub(super) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        culling: &Culling,
        occlusion: &OcclusionCulling,
        input: &ListInput,
    ) -> Result<Self, RenderError> {
        let states_size = u64::from(input.size.instances) * size_of::<u32>() as u64;
        let states = storage(gpu, "states of instances", states_size)?;
        let hidden = storage(gpu, "hidden instances", HIDDEN)?;
        Ok(Self {
            second: input.new_list(gpu, layouts, culling, 0)?,
            states: occlusion.bind_states(gpu, &states, &hidden),
            bytes: input.list_bytes() + states_size,
        })
    }
}
