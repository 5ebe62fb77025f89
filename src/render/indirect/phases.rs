//! Lists of the instances that are not hidden, which are drawn in two phases.

use super::super::compute::storage;
use super::super::layout::Layouts;
use super::super::{Gpu, RenderError};
use super::kernels::{Culling, OcclusionCulling};
use super::list::{List, ListInput};

#[cfg(test)]
mod tests;

/// Size in bytes of the state of an instance, and of the number of hidden instances.
const WORD: u64 = 4;

/// The lists of both phases.
#[derive(Debug)]
pub(super) struct Phases {
    pub(super) first: List,
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
        let states_size = u64::from(input.size.instances) * WORD;
        let states = storage(gpu, "states of instances", states_size)?;
        let hidden = storage(gpu, "hidden instances", WORD)?;
        let [first, second] = [(); 2].map(|()| input.list(gpu, layouts, culling, 0));
        Ok(Self {
            first: first?,
            second: second?,
            states: occlusion.bind_states(gpu, &states, &hidden),
            bytes: 2 * input.list_bytes() + states_size,
        })
    }
}
