//! Crowds on the GPU.

use std::mem::offset_of;
use std::sync::Arc;

use bytemuck::{bytes_of, cast_slice, pod_collect_to_vec};
use glam::{Affine3A, Quat, Vec3};

use crate::api::Missing;
use crate::body::stance::Stance;
use crate::compute::{read_back, storage_with};
use crate::staging::Staging;
use crate::{CrowdInstances, DrawnLevels, Gpu, Model, RenderError, Renderer};

use super::CrowdError;
use super::batch::Batch;
use super::goal::CrowdGoal;
use super::kernels::{Kernels, ModelBuffers};
use super::model::CrowdModel;
use super::spawn::{CharacterId, FASTEST, PlayedClip, Spawn};
use super::terrain::Terrain;
use super::types::{Character, CrowdLayer, LAYERS, Rows};
use crate::body::{GOALS, PackedGoal};

/// Maximum duration of a step in seconds.
const LONGEST_STEP: f32 = 10.0;
/// The smallest number of characters for which buffers are created.
const SMALLEST: u32 = 64;

/// Characters of one model that the GPU animates and draws. Nothing is read back in a frame, and the CPU time per frame
/// does not depend on the number of characters.
///
/// In each frame, encode [`Crowd::step`] and draw [`Crowd::instances`].
#[derive(Debug)]
pub struct Crowd {
    gpu: Gpu,
    model: Arc<CrowdModel>,
    kernels: Kernels,
    shared: ModelBuffers,
    terrain: Option<Terrain>,
    heights: wgpu::Buffer,
    batches: Vec<Batch>,
    pixel_error: f32,
    staging: Staging,
    /// The number of steps, and of changes that are visible without a step.
    steps: u64,
}

impl Crowd {
    /// The initial value of [`Crowd::set_pixel_error`], with which the mean FLIP error of an image is below 0.01.
    pub const PIXEL_ERROR: f32 = 0.2;

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
            gpu,
            model,
            batches: Vec::new(),
            staging: Staging::default(),
            steps: 0,
        })
    }

    /// Returns the model that all characters share.
    pub fn model(&self) -> &Arc<CrowdModel> {
        &self.model
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.batches.iter().map(|batch| batch.used as usize - batch.free.len()).sum()
    }

    /// Returns whether there are no characters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the largest error of simplified characters in the image, in pixels. Characters that are small in the image have fewer
    /// triangles. With 0, all characters have all triangles. The initial value is [`Crowd::PIXEL_ERROR`].
    ///
    /// The levels of detail are made when there are buffers for characters and the number is not 0. This takes longer for models with many
    /// triangles, and is done once for each [`CrowdModel`].
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] if the number is not finite, or [`CrowdError::Render`] if the adapter cannot hold the levels.
    pub fn set_pixel_error(&mut self, pixels: f32) -> Result<(), CrowdError> {
        if !pixels.is_finite() {
            return Err(CrowdError::NotFinite { what: "pixel error", value: pixels });
        }
        self.pixel_error = pixels.max(0.0);
        self.steps += 1;
        let Self { gpu, model, batches, pixel_error, .. } = self;
        for batch in batches {
            batch.set_pixel_error(gpu, model, *pixel_error)?;
        }
        Ok(())
    }

    /// Waits for the GPU, and returns the levels of detail of the characters that the camera saw in the last frame. This function is for
    /// tests and tools.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub fn read_drawn(&self) -> Result<DrawnLevels, RenderError> {
        let mut drawn = DrawnLevels::default();
        for batch in self.batches.iter().filter(|batch| batch.used > 0) {
            drawn += batch.instances.read_drawn(&self.gpu)?;
        }
        Ok(drawn)
    }

    /// Returns the total size of the buffers for the characters, in bytes.
    pub fn bytes(&self) -> u64 {
        self.batches.iter().map(|batch| batch.bytes).sum()
    }

    /// Reserves buffers for a number of characters, so that spawning these characters creates no buffers. `surface` contains the parts of
    /// the model.
    ///
    /// # Errors
    /// [`CrowdError::Render`] if the driver has no memory for the buffers.
    pub fn reserve(
        &mut self,
        renderer: &mut Renderer,
        surface: &Model,
        count: u32,
    ) -> Result<(), CrowdError> {
        let free = |batch: &Batch| batch.capacity - batch.used + batch.free.len() as u32;
        let free: u32 = self.batches.iter().map(free).fold(0, u32::saturating_add);
        let largest = Batch::largest(&self.gpu, &self.model);
        let mut missing = count.saturating_sub(free);
        while missing > 0 {
            let capacity = missing.max(SMALLEST).min(largest);
            let Self { gpu, model, kernels, shared, heights, pixel_error, .. } = &*self;
            let mut batch = Batch::new(renderer, model, surface, kernels, shared, heights, capacity)?;
            batch.set_pixel_error(gpu, model, *pixel_error)?;
            self.batches.push(batch);
            missing = missing.saturating_sub(capacity);
        }
        Ok(())
    }

    /// Adds a character. If the buffers are full, creates buffers for twice as many characters.
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
        let slot_in = |batches: &mut Vec<Batch>| {
            batches.iter_mut().enumerate().find_map(|(index, batch)| Some((index, batch.take_slot()?)))
        };
        let (index, slot) = match slot_in(&mut self.batches) {
            Some(found) => found,
            None => {
                let more = u32::try_from(self.len()).unwrap_or(u32::MAX).max(1);
                self.reserve(renderer, surface, more)?;
                slot_in(&mut self.batches).ok_or(CrowdError::Despawned)?
            }
        };
        let Some(batch) = self.batches.get_mut(index) else { return Err(CrowdError::Despawned) };
        let generation = batch.generations.get(slot as usize).copied().unwrap_or_default();
        self.staging.write_at(&batch.characters, offset_of_character(slot), bytes_of(&character));
        // New buffers contain zeros, which mean no stance and no goals.
        if generation > 0 {
            self.staging.write_at(&batch.stances, offset_of_stance(slot), bytes_of(&Stance::default()));
            self.staging.write_at(&batch.goals, offset_of_goals(slot), bytes_of(&[PackedGoal::NONE; GOALS]));
        }
        Ok(CharacterId { batch: u32::try_from(index).unwrap_or(u32::MAX), slot, generation })
    }

    /// Removes a character.
    ///
    /// # Errors
    /// [`CrowdError::Despawned`] if the character was removed before.
    pub fn despawn(&mut self, id: CharacterId) -> Result<(), CrowdError> {
        self.write(id, offset_of!(Character, is_present), bytes_of(&0_u32))?;
        let batch = self.batches.get_mut(id.batch as usize).ok_or(CrowdError::Despawned)?;
        if let Some(generation) = batch.generations.get_mut(id.slot as usize) {
            *generation = generation.wrapping_add(1);
        }
        batch.free.push(id.slot);
        Ok(())
    }

    /// Replaces one of the four clips that a character plays, or stops it.
    ///
    /// # Errors
    /// [`CrowdError`] if the character, the layer or the clip does not exist, or if a number is not finite.
    pub fn set_clip(
        &mut self,
        id: CharacterId,
        layer: usize,
        clip: Option<&PlayedClip>,
    ) -> Result<(), CrowdError> {
        if layer >= LAYERS {
            return Err(CrowdError::Layers { count: layer + 1 });
        }
        let clips = self.model.clips.infos.len();
        let played = clip.map_or(Ok(CrowdLayer::EMPTY), |clip| clip.layer(clips))?;
        let offset = offset_of!(Character, layers) + layer * size_of::<CrowdLayer>();
        self.write(id, offset, bytes_of(&played))
    }

    /// Moves a character to a position in world metres and a heading in radians about the vertical axis.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_place(&mut self, id: CharacterId, position: Vec3, heading: f32) -> Result<(), CrowdError> {
        let [x, y, z] = position.to_array();
        if let Some(value) = [x, y, z, heading].into_iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "place", value });
        }
        self.write(id, offset_of!(Character, rotation), bytes_of(&Quat::from_rotation_y(heading)))?;
        self.write(id, offset_of!(Character, position), bytes_of(&position))
    }

    /// Sets one of the four goals of a character, or removes it.
    ///
    /// # Errors
    /// [`CrowdError`] if the character or the goal does not exist, if no limb or chain ends at the goal's node, or if a number is not
    /// finite.
    pub fn set_goal(
        &mut self,
        id: CharacterId,
        index: usize,
        goal: Option<&CrowdGoal>,
    ) -> Result<(), CrowdError> {
        if index >= GOALS {
            return Err(Missing::index_in("a character", "goal", index, GOALS).into());
        }
        let goal = goal.map_or(Ok(PackedGoal::NONE), |goal| goal.compile(&self.model.body))?;
        let target = self.batch(id)?.goals.clone();
        let offset = offset_of_goals(id.slot) + (index * size_of::<PackedGoal>()) as u64;
        self.staging.write_at(&target, offset, bytes_of(&goal));
        Ok(())
    }

    /// Sets how fast a character walks, as a multiple of the speed of its clips, and how fast it turns, in radians per second.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist or if a number is not finite.
    pub fn set_pace(&mut self, id: CharacterId, pace: f32, turn: f32) -> Result<(), CrowdError> {
        if let Some(value) = [pace, turn].into_iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "pace", value });
        }
        let limited = [pace, turn].map(|value| value.clamp(-FASTEST, FASTEST));
        self.write(id, offset_of!(Character, pace), bytes_of(&limited))
    }

    /// Encodes a step of at most ten seconds, which advances and blends the clips, poses the limbs, and computes the palettes. `eye` is the
    /// position of the camera, which heads can look at.
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
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, LONGEST_STEP) } else { 0.0 };
        for batch in &self.batches {
            batch.begin(&self.model, self.terrain.as_ref(), seconds, eye, &mut self.staging);
        }
        self.staging.flush(&self.gpu, encoder)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for batch in &self.batches {
            batch.encode(&self.kernels, &self.model, &mut pass);
        }
        self.steps += 1;
        Ok(())
    }

    /// Returns the instances to draw. `model` is the index of the crowd's model in the list passed to the renderer.
    pub fn instances(&self, model: usize) -> impl Iterator<Item = CrowdInstances<'_>> {
        let version = self.steps;
        let used = self.batches.iter().filter(|batch| batch.used > 0);
        used.map(move |batch| CrowdInstances { model, instances: &batch.instances, version })
    }

    /// Waits for the GPU, and returns the state of a character after the last step: its placement `world_from_model`, and
    /// `model_from_joint` of its joints in the order of [`CrowdModel::nodes`]. This function is for tests and tools. It is not needed for
    /// drawing.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, or if the driver reports an error.
    pub fn read_pose(&self, id: CharacterId) -> Result<(Affine3A, Vec<Affine3A>), CrowdError> {
        let (c, _, rows) = self.read_state(id)?;
        let place = Affine3A::from_scale_rotation_translation(Vec3::splat(c.scale), c.rotation, c.position);
        Ok((place, rows.iter().map(Affine3A::from).collect()))
    }

    /// Waits for the GPU and returns a character, its stance, and `model_from_joint` of its joints.
    pub(super) fn read_state(&self, id: CharacterId) -> Result<(Character, Stance, Vec<Rows>), CrowdError> {
        let batch = self.batch(id)?;
        let read = |buffer: &wgpu::Buffer, range: std::ops::Range<u64>| {
            let encoder = self.gpu.device.create_command_encoder(&Default::default());
            read_back(&self.gpu, encoder, buffer, range, <[u8]>::to_vec)
        };
        let first = offset_of_character(id.slot);
        let character = read(&batch.characters, first..first + size_of::<Character>() as u64)?;
        let first = offset_of_stance(id.slot);
        let stance = read(&batch.stances, first..first + size_of::<Stance>() as u64)?;
        let rows = read(&batch.models, batch.model_range(id.slot, &self.model.joints))?;
        Ok((
            bytemuck::try_pod_read_unaligned(&character).map_err(|_| CrowdError::Despawned)?,
            bytemuck::try_pod_read_unaligned(&stance).map_err(|_| CrowdError::Despawned)?,
            pod_collect_to_vec(&rows),
        ))
    }

    fn batch(&self, id: CharacterId) -> Result<&Batch, CrowdError> {
        let batch = self.batches.get(id.batch as usize).ok_or(CrowdError::Despawned)?;
        let generation = batch.generations.get(id.slot as usize);
        if generation == Some(&id.generation) { Ok(batch) } else { Err(CrowdError::Despawned) }
    }

    /// Schedules a write of bytes to a character at an offset.
    fn write(&mut self, id: CharacterId, offset: usize, bytes: &[u8]) -> Result<(), CrowdError> {
        let target = self.batch(id)?.characters.clone();
        self.staging.write_at(&target, offset_of_character(id.slot) + offset as u64, bytes);
        Ok(())
    }
}

fn offset_of_stance(slot: u32) -> u64 {
    u64::from(slot) * size_of::<Stance>() as u64
}

fn offset_of_goals(slot: u32) -> u64 {
    u64::from(slot) * (GOALS * size_of::<PackedGoal>()) as u64
}

fn offset_of_character(slot: u32) -> u64 {
    u64::from(slot) * size_of::<Character>() as u64
}
