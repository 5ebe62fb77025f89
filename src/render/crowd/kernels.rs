//! The kernels of a crowd, and the buffers that all characters of a model share.

use std::sync::OnceLock;

use bytemuck::cast_slice;

use crate::compute::{Access, Kernel, storage_with};
use crate::{Gpu, RenderError};

use super::model::CrowdModel;

const ADVANCE_FILES: &[&str] = &[sinew_shaders::CROWD_ADVANCE];
const SAMPLE_FILES: &[&str] = &[sinew_shaders::CROWD_SAMPLE];
const WEIGHT_FILES: &[&str] = &[sinew_shaders::CROWD_SAMPLE_WEIGHTS];
const WORLD_FILES: &[&str] = &[sinew_shaders::CROWD_WORLD];
pub(super) const PALETTE_FILES: &[&str] = &[sinew_shaders::CROWD_PALETTE];
pub(super) const BODY_FILES: &[&str] = &[sinew_shaders::CROWD_BODIES];
const PICK_FILES: &[&str] = &[sinew_shaders::CROWD_PICK];

/// All shader modules, for tests without an adapter.
#[cfg(test)]
pub(crate) const SOURCES: [(&str, &[&str]); 7] = [
    ("advance", ADVANCE_FILES),
    ("sample", SAMPLE_FILES),
    ("sample_weights", WEIGHT_FILES),
    ("world", WORLD_FILES),
    ("palette", PALETTE_FILES),
    ("bodies", BODY_FILES),
    ("pick", PICK_FILES),
];

/// Skeletons with more joints than this are posed by one workgroup for each character instead of by one lane.
const LONG: usize = 96;

#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) advance: Kernel,
    pub(super) sample: Kernel,
    pub(super) sample_weights: Kernel,
    pub(super) world: Kernel,
    /// Whether `world`, `bodies` and `enclose` run with one workgroup for each character.
    pub(super) by_group: bool,
    pub(super) bodies: Kernel,
    pub(super) palette: Kernel,
    pub(super) enclose: Kernel,
    /// Created on first use.
    pick: OnceLock<Kernel>,
}

/// The data that all characters share, on the GPU.
#[derive(Debug)]
pub(super) struct ModelBuffers {
    pub(super) joints: wgpu::Buffer,
    pub(super) levels: wgpu::Buffer,
    pub(super) clips: wgpu::Buffer,
    pub(super) channels: wgpu::Buffer,
    pub(super) weight_channels: wgpu::Buffer,
    pub(super) rest_weights: wgpu::Buffer,
    pub(super) tracks: wgpu::Buffer,
    pub(super) times: wgpu::Buffer,
    pub(super) values: wgpu::Buffer,
    pub(super) bones: wgpu::Buffer,
    pub(super) body: wgpu::Buffer,
}

impl Kernels {
    pub(super) fn new(gpu: &Gpu, model: &CrowdModel) -> Self {
        use Access::{Read, Uniform, Write};
        let by_group = model.joint_count() > LONG;
        let [world, pose_bodies, enclose] = if by_group {
            ["world_by_group", "bodies_by_group", "enclose_by_group"]
        } else {
            ["world_by_lane", "bodies_by_lane", "enclose_by_lane"]
        };
        let sampling = [Uniform, Read, Read, Read, Read, Read, Read, Write];
        let palette = [Uniform, Read, Read, Read, Read, Write, Write];
        let bodies = [Uniform, Read, Read, Read, Read, Read, Write, Write, Read];
        let kernel = |label: &'static str, files: &[&str], buffers: &[Access]| {
            Kernel::new(gpu, label, files, label, &[], buffers)
        };
        Self {
            advance: kernel("advance", ADVANCE_FILES, &[Uniform, Read, Read, Write, Write, Write]),
            sample: kernel("sample", SAMPLE_FILES, &sampling),
            sample_weights: kernel("sample_weights", WEIGHT_FILES, &sampling),
            world: kernel(world, WORLD_FILES, &[Uniform, Read, Read, Read, Read, Write]),
            by_group,
            bodies: kernel(pose_bodies, BODY_FILES, &bodies),
            palette: kernel("palette", PALETTE_FILES, &palette),
            enclose: kernel(enclose, PALETTE_FILES, &palette),
            pick: OnceLock::new(),
        }
    }

    /// Returns the kernel that finds the characters near a ray.
    pub(super) fn pick(&self, gpu: &Gpu) -> &Kernel {
        use Access::{Read, Uniform, Write};
        let buffers = [Uniform, Uniform, Read, Write];
        self.pick.get_or_init(|| Kernel::new(gpu, "pick", PICK_FILES, "pick", &[], &buffers))
    }
}

impl ModelBuffers {
    pub(super) fn new(gpu: &Gpu, model: &CrowdModel) -> Result<Self, RenderError> {
        let clips = &model.clips;
        Ok(Self {
            joints: storage_with(gpu, "joints", cast_slice(&model.joints))?,
            levels: storage_with(gpu, "levels of the skeleton", cast_slice(&model.levels))?,
            clips: storage_with(gpu, "clips", cast_slice(&clips.infos))?,
            channels: storage_with(gpu, "channels of clips", cast_slice(&clips.channels))?,
            weight_channels: storage_with(gpu, "channels of clips", cast_slice(&clips.weight_channels))?,
            rest_weights: storage_with(gpu, "morph weights", cast_slice(&model.rest_weights))?,
            tracks: storage_with(gpu, "tracks of clips", cast_slice(&clips.tracks))?,
            times: storage_with(gpu, "key times", cast_slice(&clips.times))?,
            values: storage_with(gpu, "keys", cast_slice(&clips.values))?,
            bones: storage_with(gpu, "inverse bind matrices", cast_slice(&model.bones))?,
            body: storage_with(gpu, "body", &model.body.bytes())?,
        })
    }
}
