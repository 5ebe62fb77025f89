//! Crowds on the GPU.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytemuck::{bytes_of, cast_slice};
use glam::Vec3;

use crate::body::stance::Stance;
use crate::body::{GOALS, PackedGoal};
use crate::compute::storage_with;
use crate::staging::Staging;
use crate::{CrowdInstances, Gpu, Model, RenderError, Renderer};

use super::CrowdError;
use super::advance::limited_seconds;
use super::batch::{Batch, range_of};
use super::clips::to_u32;
use super::kernels::{Kernels, ModelBuffers};
use super::model::CrowdModel;
use super::spawn::{CharacterId, Spawn};
use super::terrain::Terrain;
use super::walk::Walk;

/// The smallest number of characters for which buffers are created.
const SMALLEST: u32 = 64;

/// Characters of one model that the GPU animates and draws. Nothing is read back in a frame, and the CPU time per frame
/// does not depend on the number of characters.
///
/// In each frame, encode [`Crowd::step`] and draw [`Crowd::instances`].
#[derive(Debug)]
pub struct Crowd {
    pub(super) gpu: Gpu,
    pub(super) model: Arc<CrowdModel>,
    pub(super) kernels: Kernels,
    pub(super) shared: ModelBuffers,
    terrain: Option<Terrain>,
    heights: wgpu::Buffer,
    pub(super) batches: Vec<Batch>,
    /// The indices of batches with free slots.
    open: BTreeSet<u32>,
    pixel_error: f32,
    has_occlusion: bool,
    pub(super) staging: Staging,
    /// Increases with each step, and with each change that is visible without a step.
    version: u64,
    /// The number of steps.
    pub(super) steps: u64,
    /// `change` of the goal that was set last.
    pub(super) last_change: u32,
}

impl Crowd {
    /// The initial value of [`Crowd::set_pixel_error`], with which the mean FLIP error of an image is below 0.01.
    pub const PIXEL_ERROR: f32 = 0.09;

    /// Creates an empty crowd on the device of a renderer. On a terrain, characters stand on the ground, and their feet are planted on it.
    /// Without a terrain, characters keep their initial height and the poses of their clips.
    ///
    /// # Errors
    /// [`RenderError::NoCompute`] if the device has no compute shaders (see [`CpuCrowd`](super::CpuCrowd)), or
    /// [`RenderError::Buffer`] if the clips exceed the limits of the adapter.
    pub fn new(
        renderer: &Renderer,
        model: impl Into<Arc<CrowdModel>>,
        terrain: Option<Terrain>,
    ) -> Result<Self, RenderError> {
        let (gpu, model) = (renderer.gpu().clone(), model.into());
        if !gpu.capabilities.has_compute {
            return Err(RenderError::NoCompute);
        }
        let shared = ModelBuffers::new(&gpu, &model)?;
        let heights = terrain.as_ref().map_or(&[][..], Terrain::heights);
        let heights = storage_with(&gpu, "heights of the terrain", cast_slice(heights))?;
        Ok(Self {
            kernels: Kernels::new(&gpu, &model),
            shared,
            terrain,
            heights,
            pixel_error: Self::PIXEL_ERROR,
            has_occlusion: false,
            gpu,
            model,
            batches: Vec::new(),
            open: BTreeSet::new(),
            staging: Staging::default(),
            version: 0,
            steps: 0,
            last_change: 0,
        })
    }

    /// Returns the model that all characters share.
    pub fn model(&self) -> &Arc<CrowdModel> {
        &self.model
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.batches.iter().map(|batch| batch.slots.len()).sum()
    }

    /// Returns whether there are no characters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the largest mean error of a simplified character in the image, in pixels. Characters that are small in the image have fewer
    /// triangles. The error includes distances and the differences of normals, colours and texture coordinates. With 0, all characters have
    /// all triangles. The initial value is [`Crowd::PIXEL_ERROR`].
    ///
    /// The levels of detail are made when there are buffers for characters and the number is not 0. This takes longer for models with many
    /// triangles, and is done once for each [`CrowdModel`]. If the adapter cannot hold the levels, all characters have all triangles.
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] if the number is not finite.
    pub fn set_pixel_error(&mut self, pixels: f32) -> Result<(), CrowdError> {
        if !pixels.is_finite() {
            return Err(CrowdError::NotFinite { what: "pixel error", value: pixels });
        }
        self.pixel_error = pixels.max(0.0);
        self.version += 1;
        let Self { gpu, model, batches, pixel_error, .. } = self;
        for batch in batches {
            batch.set_pixel_error(gpu, model, *pixel_error);
        }
        Ok(())
    }

    /// Sets whether characters that other surfaces hide from the camera are not drawn. Initially they are drawn. The image is the same, except
    /// where surfaces of several characters coincide. `renderer` must be the renderer that draws the crowd.
    ///
    /// The GPU first draws the characters that were visible in the last frame, and then those that nothing hides. Characters therefore hide
    /// others from the third frame of a view on. This saves time if characters stand behind each other at eye height, and takes longer if the
    /// camera looks down on all of them, or if only one image is drawn.
    ///
    /// The setting has no effect with OpenGL, on models with outlines, and in frames with surfaces that transmit light.
    /// [`DrawnLevels::hidden`](crate::DrawnLevels::hidden) is the number of characters that were not drawn.
    ///
    /// # Errors
    /// [`CrowdError::Render`] if the lists exceed the limits of the adapter.
    pub fn set_occlusion(&mut self, renderer: &mut Renderer, is_on: bool) -> Result<(), CrowdError> {
        self.has_occlusion = is_on;
        for batch in &mut self.batches {
            renderer.set_occlusion(&mut batch.instances, is_on)?;
        }
        Ok(())
    }

    /// Returns the total size of the buffers for the characters, in bytes.
    pub fn bytes(&self) -> u64 {
        self.batches.iter().map(Batch::bytes).sum()
    }

    /// Reserves buffers for a number of characters in addition to those that exist, so that spawning these characters creates no buffers.
    /// `surface` contains the parts of the model. The first call for a model also makes its levels of detail (see
    /// [`Crowd::set_pixel_error`]), which takes longer, so call this function while a program loads.
    ///
    /// # Errors
    /// [`CrowdError::Render`] if the driver has no memory for the buffers.
    pub fn reserve(
        &mut self,
        renderer: &mut Renderer,
        surface: &Model,
        count: u32,
    ) -> Result<(), CrowdError> {
        let free: usize = self.batches.iter().map(|batch| batch.slots.free()).sum();
        let largest = Batch::largest(&self.gpu, &self.model);
        let mut missing = count.saturating_sub(u32::try_from(free).unwrap_or(u32::MAX));
        while missing > 0 {
            let capacity = missing.max(SMALLEST).min(largest);
            let Self { gpu, model, kernels, shared, heights, pixel_error, has_occlusion, .. } = &*self;
            let mut batch = Batch::new(renderer, model, surface, kernels, shared, heights, capacity)?;
            batch.set_pixel_error(gpu, model, *pixel_error);
            if *has_occlusion {
                renderer.set_occlusion(&mut batch.instances, true)?;
            }
            self.open.insert(to_u32(self.batches.len()));
            self.batches.push(batch);
            missing = missing.saturating_sub(capacity);
        }
        Ok(())
    }

    /// Adds a character. If the buffers are full, creates buffers for twice as many characters. Without an earlier call of
    /// [`Crowd::reserve`], the first character of a model therefore takes longer.
    ///
    /// # Errors
    /// [`CrowdError`] if a value is invalid, or if the driver has no memory for another batch.
    pub fn spawn(
        &mut self,
        renderer: &mut Renderer,
        surface: &Model,
        spawn: &Spawn,
    ) -> Result<CharacterId, CrowdError> {
        let character = spawn.character(self.model.clips.infos.len())?;
        if self.open.is_empty() {
            self.reserve(renderer, surface, to_u32(self.len()).max(1))?;
        }
        let index = self.open.first().copied().ok_or(CrowdError::Despawned)?;
        let batch = self.batches.get_mut(index as usize).ok_or(CrowdError::Despawned)?;
        let slot = batch.slots.take().ok_or(CrowdError::Despawned)?;
        if batch.slots.free() == 0 {
            self.open.remove(&index);
        }
        let placed = Walk { placed: self.steps, ..Walk::default() };
        batch.begin_walk(slot.index, |walk| *walk = Walk { number: walk.number, ..placed });
        let mut write = |buffer: &wgpu::Buffer, bytes: &[u8]| {
            self.staging.write_at(buffer, range_of(slot.index, bytes.len()).start, bytes);
        };
        write(&batch.characters, bytes_of(&character));
        if slot.is_dirty {
            write(&batch.stances, bytes_of(&Stance::default()));
            write(&batch.goals, bytes_of(&[PackedGoal::NONE; GOALS]));
        }
        Ok(CharacterId { batch: index, slot: slot.index, generation: slot.generation })
    }

    /// Removes a character. Its identifier is invalid from now on.
    ///
    /// # Errors
    /// [`CrowdError::Despawned`] if the character was removed before.
    pub fn despawn(&mut self, id: CharacterId) -> Result<(), CrowdError> {
        let batch = self.batches.get_mut(id.batch as usize).ok_or(CrowdError::Despawned)?;
        if !batch.slots.release(id.slot, id.generation) {
            return Err(CrowdError::Despawned);
        }
        self.open.insert(id.batch);
        Ok(())
    }

    /// Encodes a step of at most ten seconds, which advances and blends the clips, poses the limbs, and computes the palettes. A negative or
    /// invalid time counts as 0. `eye` is the position of the camera, which heads can look at.
    ///
    /// ```
    /// use sinew_render::crowd::{Crowd, CrowdModel, PlayedClip, Spawn};
    /// use sinew_character::glam::Vec3;
    /// use sinew_render::{AdapterChoice, DecodedImages, Gpu, Renderer};
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let rig = rig::detect(&character);
    /// let model = CrowdModel::new(character, 0, &rig);
    /// let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu)?);
    /// let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default())?;
    /// let mut crowd = Crowd::new(&renderer, model, None)?;
    /// let spawn = Spawn { position: Vec3::X, clips: vec![PlayedClip::new(0, 0.0)], ..Spawn::default() };
    /// let id = crowd.spawn(&mut renderer, &surface, &spawn)?;
    ///
    /// let gpu = renderer.gpu().clone();
    /// let mut encoder = gpu.device.create_command_encoder(&Default::default());
    /// crowd.step(&mut encoder, 1.0 / 60.0, Vec3::Z * 5.0)?;
    /// gpu.queue.submit([encoder.finish()]);
    /// let (world_from_model, _) = crowd.read_pose(id)?;
    /// assert!(Vec3::from(world_from_model.translation).distance(Vec3::X) < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub fn step(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        seconds: f32,
        eye: Vec3,
    ) -> Result<(), RenderError> {
        let seconds = limited_seconds(seconds);
        for batch in &self.batches {
            batch.begin(&self.model, self.terrain.as_ref(), seconds, eye, &mut self.staging);
        }
        self.staging.flush(&self.gpu, encoder)?;
        // The writes above may belong to characters that were removed later.
        self.batches.iter_mut().for_each(|batch| batch.clear_removed(encoder));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for batch in &self.batches {
            batch.encode(&self.kernels, &self.model, &mut pass);
        }
        self.version += 1;
        self.steps += 1;
        Ok(())
    }

    /// Returns the instances to draw. `model` is the index of the crowd's model in the list passed to the renderer.
    pub fn instances(&self, model: usize) -> impl Iterator<Item = CrowdInstances<'_>> {
        let version = self.version;
        let used = self.batches.iter().filter(|batch| batch.slots.used() > 0);
        used.map(move |batch| CrowdInstances { model, instances: &batch.instances, version })
    }

    pub(super) fn batch(&self, id: CharacterId) -> Result<&Batch, CrowdError> {
        let batch = self.batches.get(id.batch as usize);
        let is_current = |batch: &&Batch| batch.slots.generation(id.slot) == Some(id.generation);
        batch.filter(is_current).ok_or(CrowdError::Despawned)
    }
}
