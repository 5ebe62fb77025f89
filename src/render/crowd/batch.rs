//! A batch of characters: as many as the buffers of an adapter can hold.

use std::ops::Range;

use bytemuck::{Zeroable, bytes_of, cast_slice};
use glam::{Vec2, Vec3};

use crate::body::stance::Stance;
use crate::compute::{storage, storage_with};
use crate::gpu_types::Placed;
use crate::staging::Staging;
use crate::{Gpu, GpuInstanceBuffers, GpuInstances, GpuPart, Model, RenderError, Renderer};

use super::clips::to_u32;
use super::kernels::{Kernels, ModelBuffers};
use super::model::CrowdModel;
use super::slots::Slots;
use super::terrain::Terrain;
use super::types::{Character, Local, Rows, Step};
use super::walk::Walk;
use crate::body::{GOALS, PackedGoal};

/// Number of characters or elements per workgroup.
pub(super) const LANES: u32 = 64;

/// The characters of a batch on the GPU.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) slots: Slots,
    /// Total size of the batch's own buffers in bytes, without the lists of instances.
    bytes: u64,
    pub(super) characters: wgpu::Buffer,
    pub(super) goals: wgpu::Buffer,
    /// For each slot, where its character has arrived. See `advance.wgsl`.
    pub(super) arrivals: wgpu::Buffer,
    /// For each slot, the walk of its character.
    pub(super) walks: Vec<Walk>,
    pub(super) stances: wgpu::Buffer,
    pub(super) models: wgpu::Buffer,
    pub(super) palettes: wgpu::Buffer,
    pub(super) weights: wgpu::Buffer,
    pub(super) placed: wgpu::Buffer,
    pub(super) step: wgpu::Buffer,
    groups: Groups,
    pub(super) instances: GpuInstances,
}

/// The bind groups of all kernels.
#[derive(Debug)]
struct Groups {
    advance: wgpu::BindGroup,
    sample: wgpu::BindGroup,
    sample_weights: wgpu::BindGroup,
    world: wgpu::BindGroup,
    bodies: wgpu::BindGroup,
    palette: wgpu::BindGroup,
}

impl Batch {
    /// Returns how many characters of a model the buffers of an adapter can hold.
    pub(super) fn largest(gpu: &Gpu, model: &CrowdModel) -> u32 {
        let limits = gpu.device.limits();
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let joints = model.joint_count().max(1) * size_of::<Local>().max(size_of::<Rows>());
        let palette = model.bones.len().max(1) * size_of::<Rows>();
        let groups = model.draws.len().max(1) * 32;
        let goals = GOALS * size_of::<PackedGoal>();
        let weights = model.rest_weights.len() * size_of::<f32>();
        let most = [joints, palette, groups, goals, weights, size_of::<Stance>(), size_of::<Character>()]
            .into_iter()
            .max()
            .unwrap_or(1);
        // The lengths of instance lists are rounded up to multiples of eight.
        let count = u32::try_from(limit / most as u64).unwrap_or(u32::MAX);
        (count / 8 * 8).max(1)
    }

    pub(super) fn new(
        renderer: &mut Renderer,
        model: &CrowdModel,
        surface: &Model,
        kernels: &Kernels,
        shared: &ModelBuffers,
        heights: &wgpu::Buffer,
        capacity: u32,
    ) -> Result<Self, RenderError> {
        let gpu = renderer.gpu().clone();
        let count = u64::from(capacity);
        let per = |elements: usize, size: usize| count * elements as u64 * size as u64;
        let characters = storage(&gpu, "characters", count * size_of::<Character>() as u64)?;
        let locals = storage(&gpu, "poses", per(model.joint_count(), size_of::<Local>()))?;
        let models = storage(&gpu, "joint matrices", per(model.joint_count(), size_of::<Rows>()))?;
        let goals = storage(&gpu, "goals", per(GOALS, size_of::<PackedGoal>()))?;
        let arrivals = storage(&gpu, "arrivals", per(1, size_of::<Vec2>()))?;
        let stances = storage(&gpu, "stances", per(1, size_of::<Stance>()))?;
        let palettes = storage(&gpu, "palettes", per(model.bones.len(), size_of::<Rows>()))?;
        let weights = storage(&gpu, "morph weights", per(model.rest_weights.len(), size_of::<f32>()))?;
        let placed = vec![Placed::NOTHING; capacity as usize];
        let placed = storage_with(&gpu, "bounds", cast_slice(&placed))?;
        let step = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("step of a crowd"),
            size: size_of::<Step>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bind = |kernel: &crate::compute::Kernel, buffers: &[&wgpu::Buffer]| {
            let buffers: Vec<_> = buffers.iter().map(|buffer| buffer.as_entire_buffer_binding()).collect();
            kernel.bind(&gpu, &buffers)
        };
        let ModelBuffers {
            joints,
            levels,
            clips,
            channels,
            weight_channels,
            rest_weights,
            tracks,
            times,
            values,
            bones,
            body,
        } = shared;
        let groups = Groups {
            advance: bind(&kernels.advance, &[&step, clips, heights, &characters, &goals, &arrivals]),
            sample: bind(
                &kernels.sample,
                &[&step, &characters, tracks, times, values, channels, joints, &locals],
            ),
            sample_weights: bind(
                &kernels.sample_weights,
                &[&step, &characters, tracks, times, values, weight_channels, rest_weights, &weights],
            ),
            world: bind(&kernels.world, &[&step, &characters, joints, levels, &locals, &models]),
            bodies: bind(
                &kernels.bodies,
                &[&step, &characters, joints, body, heights, &goals, &stances, &locals, &models],
            ),
            palette: bind(
                &kernels.palette,
                &[&step, &characters, joints, &models, bones, &palettes, &placed],
            ),
        };
        let parts: Vec<GpuPart> = model
            .draws
            .iter()
            .map(|draw| GpuPart {
                first_matrix: draw.first_matrix,
                first_weight: draw.first_weight,
                mirrored: draw.is_mirrored,
            })
            .collect();
        let buffers = GpuInstanceBuffers {
            instances: capacity,
            placed: &placed,
            palettes: &palettes,
            bones: to_u32(model.bones.len()),
            weights: &weights,
            weight_count: to_u32(model.rest_weights.len()),
        };
        let instances = renderer.gpu_instances(surface, &buffers, &parts)?;
        let own = [&characters, &goals, &arrivals, &stances, &locals, &models, &palettes, &weights, &placed];
        let bytes = own.iter().map(|buffer| buffer.size()).sum();
        Ok(Self {
            slots: Slots::new(capacity),
            bytes,
            characters,
            goals,
            arrivals,
            walks: vec![Walk::default(); capacity as usize],
            stances,
            models,
            palettes,
            weights,
            placed,
            step,
            groups,
            instances,
        })
    }

    /// Sets the largest error of levels of detail in the image, in pixels. The levels are made if they are needed for the first time. If they
    /// exceed the limits of the adapter, all characters have all triangles.
    pub(super) fn set_pixel_error(&mut self, gpu: &Gpu, model: &CrowdModel, pixels: f32) {
        let needs_levels =
            pixels > 0.0 && gpu.capabilities.has_first_instance && !self.instances.has_levels();
        let is_full = needs_levels && self.instances.set_levels(gpu, model.detail()).is_err();
        self.instances.set_pixel_error(gpu, if is_full { 0.0 } else { pixels });
    }

    /// Returns the total size of all buffers in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.instances.bytes()
    }

    /// Begins another walk of the character in a slot, so that another arrival is returned. `change` changes its other properties.
    pub(super) fn begin_walk(&mut self, slot: u32, change: impl FnOnce(&mut Walk)) {
        if let Some(walk) = self.walks.get_mut(slot as usize) {
            walk.number += 1;
            change(walk);
        }
    }

    /// Encodes clears of removed characters' state. Zeros mean that there is no character, no stance and no goal.
    pub(super) fn clear_removed(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let states = [
            (&self.characters, size_of::<Character>()),
            (&self.stances, size_of::<Stance>()),
            (&self.goals, GOALS * size_of::<PackedGoal>()),
        ];
        self.slots.clear(|slots| {
            for (buffer, size) in states {
                let bytes = range_of(slots.start, size).start..range_of(slots.end, size).start;
                encoder.clear_buffer(buffer, bytes.start, Some(bytes.end - bytes.start));
            }
        });
    }

    /// Schedules a write of the step's input.
    pub(super) fn begin(
        &self,
        model: &CrowdModel,
        terrain: Option<&Terrain>,
        seconds: f32,
        eye: Vec3,
        staging: &mut Staging,
    ) {
        let (columns, rows) = terrain.map_or((0, 0), Terrain::size);
        let step = Step {
            seconds,
            characters: self.slots.used(),
            joints: to_u32(model.joint_count()),
            bones: to_u32(model.bones.len()),
            eye: eye.into(),
            clips: to_u32(model.clips.infos.len()),
            weights: to_u32(model.rest_weights.len()),
            levels: to_u32(model.levels.len().saturating_sub(1)),
            columns,
            rows,
            cell: terrain.map_or(1.0, Terrain::cell),
            origin: terrain.map_or(Vec2::ZERO, Terrain::origin).into(),
            ..Step::zeroed()
        };
        staging.write_at(&self.step, 0, bytes_of(&step));
    }

    /// Encodes all passes of a step.
    pub(super) fn encode(&self, kernels: &Kernels, model: &CrowdModel, pass: &mut wgpu::ComputePass<'_>) {
        let lanes = |elements: usize| {
            let lanes = u64::from(self.slots.used()) * elements as u64;
            u32::try_from(lanes.div_ceil(u64::from(LANES))).unwrap_or(u32::MAX)
        };
        let Groups { advance, sample, sample_weights, world, bodies, palette } = &self.groups;
        kernels.advance.dispatch(pass, advance, lanes(1));
        kernels.sample.dispatch(pass, sample, lanes(model.joint_count()));
        kernels.sample_weights.dispatch(pass, sample_weights, lanes(model.rest_weights.len()));
        let by_character = if kernels.by_group { self.slots.used() } else { lanes(1) };
        kernels.world.dispatch(pass, world, by_character);
        kernels.bodies.dispatch(pass, bodies, by_character);
        // The inverse kinematics of the bodies has now been solved.
        kernels.world.dispatch(pass, world, by_character);
        kernels.palette.dispatch(pass, palette, lanes(model.bones.len()));
        kernels.enclose.dispatch(pass, palette, by_character);
    }
}

/// Returns the range of a slot's data in a buffer, in bytes. `size` is the size of the data of one slot.
pub(super) fn range_of(slot: u32, size: usize) -> Range<u64> {
    let size = size as u64;
    u64::from(slot) * size..(u64::from(slot) + 1) * size
}
