//! Reads the state of a crowd back from the GPU.

use std::ops::Range;

use bytemuck::pod_collect_to_vec;
use glam::{Affine3A, Vec3};

use crate::body::stance::Stance;
use crate::compute::read_back;
use crate::{DrawnLevels, RenderError};

use super::CrowdError;
use super::batch::range_of;
use super::crowd::Crowd;
use super::spawn::CharacterId;
use super::types::{Character, Rows};

impl Crowd {
    /// Waits for the GPU, and returns the levels of detail of the characters that the camera saw in the last frame. This function is for
    /// tests and tools.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub fn read_drawn(&self) -> Result<DrawnLevels, RenderError> {
        let mut drawn = DrawnLevels::default();
        for batch in self.batches.iter().filter(|batch| batch.slots.used() > 0) {
            drawn += batch.instances.read_drawn(&self.gpu)?;
        }
        Ok(drawn)
    }

    /// Waits for the GPU, and returns the state of a character after the last step: its placement `world_from_model`, and
    /// `model_from_joint` of its joints in the order of [`CrowdModel::nodes`](super::CrowdModel::nodes). This function is for tests and
    /// tools. It is not needed for drawing.
    ///
    /// # Errors
    /// [`CrowdError`] if the character does not exist, if it was added after the last step, or if the driver reports an error.
    pub fn read_pose(&self, id: CharacterId) -> Result<(Affine3A, Vec<Affine3A>), CrowdError> {
        let (c, _, rows) = self.read_state(id)?;
        let place = Affine3A::from_scale_rotation_translation(Vec3::splat(c.scale), c.rotation, c.position);
        Ok((place, rows.iter().map(Affine3A::from).collect()))
    }

    /// Waits for the GPU and returns a character, its stance, and `model_from_joint` of its joints.
    pub(super) fn read_state(&self, id: CharacterId) -> Result<(Character, Stance, Vec<Rows>), CrowdError> {
        let batch = self.batch(id)?;
        if batch.slots.posed(id.slot).is_none() {
            return Err(CrowdError::NotPosed);
        }
        let read = |buffer: &wgpu::Buffer, range: Range<u64>| {
            let encoder = self.gpu.device.create_command_encoder(&Default::default());
            read_back(&self.gpu, encoder, buffer, range, <[u8]>::to_vec)
        };
        let character = read(&batch.characters, range_of(id.slot, size_of::<Character>()))?;
        let stance = read(&batch.stances, range_of(id.slot, size_of::<Stance>()))?;
        let rows = read(&batch.models, range_of(id.slot, self.model.joints.len() * size_of::<Rows>()))?;
        Ok((
            bytemuck::try_pod_read_unaligned(&character).map_err(|_| CrowdError::Despawned)?,
            bytemuck::try_pod_read_unaligned(&stance).map_err(|_| CrowdError::Despawned)?,
            pod_collect_to_vec(&rows),
        ))
    }
}
