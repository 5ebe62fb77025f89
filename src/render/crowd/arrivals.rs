//! Which characters have arrived at their destinations.

use std::collections::BTreeMap;

use crate::readback::ListReader;

use super::cpu::CpuCrowd;
use super::crowd::Crowd;
use super::spawn::CharacterId;

/// Reads which characters of a crowd have arrived at their [`Destination`](super::Destination), without waiting for the GPU. The results are
/// those of an earlier step, usually one or two frames ago. A reader belongs to one crowd.
///
/// In each frame, call [`Self::copy`] after [`Crowd::step`], submit the encoder, and call [`Self::submitted`] if something was copied.
///
/// ```
/// use sinew_render::crowd::{ArrivalReader, Crowd, CrowdModel, Destination, PlayedClip, Spawn};
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
/// let spawn = Spawn { clips: vec![PlayedClip::new(2, 0.0)], ..Spawn::default() };
/// let walker = crowd.spawn(&mut renderer, &surface, &spawn)?;
/// crowd.walk_to(walker, Some(&Destination::new(Vec3::Z)))?;
///
/// let gpu = renderer.gpu().clone();
/// let (mut reader, mut arrived) = (ArrivalReader::default(), Vec::new());
/// for _ in 0..120 {
///     let mut encoder = gpu.device.create_command_encoder(&Default::default());
///     crowd.step(&mut encoder, 1.0 / 30.0, Vec3::ZERO)?;
///     let is_copied = reader.copy(&crowd, &mut encoder);
///     gpu.queue.submit([encoder.finish()]);
///     if is_copied {
///         reader.submitted();
///     }
///     // Results arrive while the device is polled.
///     gpu.check()?;
///     arrived.extend(reader.arrived(&crowd));
/// }
/// # gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
/// # arrived.extend(reader.arrived(&crowd));
/// assert_eq!(arrived, [walker]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ArrivalReader {
    reader: ListReader,
    /// The number of steps of the crowd before the pending copy.
    pending: u64,
    /// The batches and slots of the latest result whose characters had arrived.
    slots: Vec<(u32, u32)>,
    /// The number of steps of the crowd before the latest result.
    steps: u64,
    /// For each batch and slot, the walk whose arrival was returned last. See `Batch::walks`.
    returned: BTreeMap<(u32, u32), u64>,
}

impl ArrivalReader {
    /// Encodes a copy of the arrivals after the steps that have been encoded, unless an earlier result is pending. Returns whether
    /// [`Self::submitted`] must be called.
    pub fn copy(&mut self, crowd: &Crowd, encoder: &mut wgpu::CommandEncoder) -> bool {
        self.collect();
        let is_copied = self.reader.copy(
            &crowd.gpu,
            "arrivals",
            &crowd.batches,
            |batch| batch.arrivals.size(),
            |batch, target, offset| {
                let size = batch.arrivals.size();
                encoder.copy_buffer_to_buffer(&batch.arrivals, 0, target, offset, size);
            },
        );
        if is_copied {
            self.pending = crowd.stepped;
        }
        is_copied
    }

    /// Requests the result after the commands have been submitted.
    pub fn submitted(&self) {
        self.reader.submitted();
    }

    /// Returns the characters that have arrived since the last call, each once for each call of [`Crowd::walk_to`]. A character that was
    /// removed or has another destination by now is not returned. Results arrive while the device is polled.
    pub fn arrived(&mut self, crowd: &Crowd) -> Vec<CharacterId> {
        self.collect();
        let Self { slots, steps, returned, .. } = self;
        let mut arrived = Vec::new();
        for (batch, slot) in slots.drain(..) {
            let Some((id, walk)) = crowd.walk_in(batch, slot) else { continue };
            // Results from before a character was added, or before its destination was set, belong to an earlier one.
            if walk < *steps && returned.insert((batch, slot), walk) != Some(walk) {
                arrived.push(id);
            }
        }
        arrived
    }

    /// Takes the pending result if it has arrived. It replaces a result that was not asked for.
    fn collect(&mut self) {
        let (mut slots, mut batch) = (Vec::new(), 0);
        let is_read = self.reader.take(|list| {
            let (flags, _) = list.as_chunks::<4>();
            let arrived = (0..).zip(flags).filter(|(_, flag)| **flag != [0; 4]);
            slots.extend(arrived.map(|(slot, _)| (batch, slot)));
            batch += 1;
        });
        if is_read {
            (self.slots, self.steps) = (slots, self.pending);
        }
    }
}

impl Crowd {
    /// Returns the character in a slot, and the number of steps before its destination was set.
    fn walk_in(&self, batch: u32, slot: u32) -> Option<(CharacterId, u64)> {
        let found = self.batches.get(batch as usize)?;
        let (generation, walk) = (found.slots.generation(slot)?, found.walks.get(slot as usize)?);
        Some((CharacterId { batch, slot, generation }, *walk))
    }
}

impl CpuCrowd {
    /// Returns the characters that have arrived at their [`Destination`](super::Destination) since the last call, each once for each call
    /// of [`CpuCrowd::walk_to`].
    pub fn arrived(&mut self) -> Vec<CharacterId> {
        let Self { slots, characters, .. } = self;
        let mut arrived = Vec::new();
        for (slot, posed) in (0..).zip(characters) {
            let (Some(posed), Some(generation)) = (posed, slots.generation(slot)) else { continue };
            if posed.has_arrived && !posed.is_returned {
                posed.is_returned = true;
                arrived.push(CharacterId { batch: 0, slot, generation });
            }
        }
        arrived
    }
}
