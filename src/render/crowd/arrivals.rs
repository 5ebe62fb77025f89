//! Which characters have arrived at their destinations.

use glam::Vec2;

use crate::readback::ListReader;

use super::cpu::CpuCrowd;
use super::crowd::Crowd;
use super::spawn::CharacterId;
use super::walk::Walk;

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
    /// The characters that had arrived in the latest result: their batches and slots, and x and z of their bodies.
    found: Vec<(u32, u32, Vec2)>,
    /// The number of steps of the crowd before the latest result.
    steps: u64,
    /// For each batch and slot, the number of the walk whose arrival was returned last.
    returned: Vec<Vec<u64>>,
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
            self.pending = crowd.steps;
        }
        is_copied
    }

    /// Requests the result after the commands have been submitted.
    pub fn submitted(&self) {
        self.reader.submitted();
    }

    /// Returns the characters that have arrived since the last call, each once for each call of [`Crowd::walk_to`] and of
    /// [`Crowd::set_place`]. The destination may move in each frame: an arrival counts if it is within the radius of the present
    /// destination. A character that was removed, moved or sent elsewhere in the meantime is not returned. Results arrive while the device
    /// is polled.
    pub fn arrived(&mut self, crowd: &Crowd) -> Vec<CharacterId> {
        self.collect();
        let Self { found, steps, returned, .. } = self;
        returned.resize_with(crowd.batches.len(), Vec::new);
        for (returned, batch) in returned.iter_mut().zip(&crowd.batches) {
            returned.resize(batch.walks.len(), 0);
        }
        let mut arrived = Vec::new();
        for (batch, slot, body) in found.drain(..) {
            let Some((id, walk)) = crowd.walk_in(batch, slot) else { continue };
            let returned = returned.get_mut(batch as usize).and_then(|slots| slots.get_mut(slot as usize));
            // A result from before the character was added or moved is about another character or another place.
            let is_there = walk.placed < *steps && walk.target.is_at(body);
            if let Some(returned) = returned.filter(|returned| is_there && **returned != walk.number) {
                *returned = walk.number;
                arrived.push(id);
            }
        }
        arrived
    }

    /// Takes the pending result if it has arrived. It replaces a result that was not asked for.
    fn collect(&mut self) {
        let (mut found, mut batch) = (Vec::new(), 0);
        let is_read = self.reader.take(|list| {
            let (bodies, _) = list.as_chunks::<8>();
            let bodies = bodies.iter().map(|bytes| bytemuck::cast::<[u8; 8], Vec2>(*bytes));
            // The coordinates of characters that have not arrived are not numbers.
            let arrived = (0..).zip(bodies).filter(|(_, body)| body.is_finite());
            found.extend(arrived.map(|(slot, body)| (batch, slot, body)));
            batch += 1;
        });
        if is_read {
            (self.found, self.steps) = (found, self.pending);
        }
    }
}

impl Crowd {
    /// Returns the character in a slot, and its walk.
    fn walk_in(&self, batch: u32, slot: u32) -> Option<(CharacterId, &Walk)> {
        let found = self.batches.get(batch as usize)?;
        let (generation, walk) = (found.slots.generation(slot)?, found.walks.get(slot as usize)?);
        Some((CharacterId { batch, slot, generation }, walk))
    }
}

impl CpuCrowd {
    /// Returns the characters that have arrived at their [`Destination`](super::Destination) since the last call, each once for each call
    /// of [`CpuCrowd::walk_to`] and of [`CpuCrowd::set_place`].
    pub fn arrived(&mut self) -> Vec<CharacterId> {
        let mut arrived = Vec::new();
        for (slot, posed) in (0..).zip(&mut self.characters) {
            if let Some(posed) = posed.as_mut().filter(|posed| posed.has_arrived && !posed.is_returned) {
                posed.is_returned = true;
                arrived.push(slot);
            }
        }
        arrived.into_iter().filter_map(|slot| self.id(slot)).collect()
    }
}
