//! Picks the character that a ray hits. [`PickRay::entry`] is the CPU twin of `shaders/crowd/pick.wgsl`.

use bytemuck::{Pod, Zeroable, bytes_of, pod_collect_to_vec};
use glam::Vec3;

use crate::RenderError;
use crate::compute::{read_back, storage, uniform};
use crate::view::Ray;

use super::CrowdError;
use super::batch::{Batch, LANES, range_of};
use super::crowd::Crowd;
use super::model::CrowdModel;
use super::spawn::CharacterId;
use super::types::Rows;

/// Spheres are larger by this factor, and also by this fraction of their distance, so that rounding errors do not matter.
const MARGIN: f32 = 1.001;
const ROUNDING: f32 = 1e-6;
/// The distance to a sphere that contains the origin of the ray, in metres.
const NEAREST: f32 = 1e-6;
/// Number of characters whose skins are read together, so that the CPU seldom waits more than once.
const TOGETHER: usize = 16;

/// `PickRay` in `shaders/crowd/pick.wgsl`: a ray in world metres. The direction is a unit vector.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PickRay {
    pub(crate) origin: Vec3,
    pub(crate) reserved: f32,
    pub(crate) direction: Vec3,
    pub(crate) reserved_2: f32,
}

/// The data from which the skin of a character is computed.
struct Skin {
    /// `world_from_mesh` of all bones.
    palette: Vec<Rows>,
    weights: Vec<f32>,
}

impl PickRay {
    /// Returns `None` for a ray without a direction, which hits nothing.
    pub(super) fn new(ray: &Ray) -> Result<Option<Self>, CrowdError> {
        let numbers = [ray.origin.to_array(), ray.direction.to_array()];
        if let Some(&value) = numbers.as_flattened().iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "ray", value });
        }
        // In double precision, the square of the length is neither infinite nor zero.
        let direction = ray.direction.as_dvec3().try_normalize();
        Ok(direction.map(|direction| Self {
            origin: ray.origin,
            reserved: 0.0,
            direction: direction.as_vec3(),
            reserved_2: 0.0,
        }))
    }

    /// Returns the distance at which the ray enters the bounding sphere of a character, in metres, or 0 if it misses the sphere. `sphere` is
    /// the centre in world metres and the radius. A negative radius means that there is no character.
    ///
    /// A vertex is in the convex hull of the spheres of the joints that move it, but not always in one of them. The bounding sphere contains
    /// this hull.
    pub(super) fn entry(&self, [x, y, z, radius]: [f32; 4]) -> f32 {
        let offset = Vec3::new(x, y, z) - self.origin;
        let along = offset.dot(self.direction);
        let aside = offset - self.direction * along;
        let larger = MARGIN * radius + ROUNDING * along.abs();
        let square = larger * larger - aside.dot(aside);
        if radius.is_nan() || radius < 0.0 || square.is_nan() || square < 0.0 {
            return 0.0;
        }
        let half = square.sqrt();
        if along + half < 0.0 { 0.0 } else { (along - half).max(NEAREST) }
    }
}

/// Returns the distance along a ray to the skin of a character in metres, or `None` if the ray misses it. `palette` contains
/// `world_from_mesh` of all bones.
pub(super) fn hit_skin(ray: &PickRay, model: &CrowdModel, palette: &[Rows], weights: &[f32]) -> Option<f32> {
    let ray = Ray { origin: ray.origin, direction: ray.direction };
    let mut nearest: Option<f32> = None;
    model.skin(palette, weights, |primitive, skinned| {
        for triangle in &primitive.triangles {
            let [a, b, c] = triangle.map(|corner| skinned.positions.get(corner as usize).copied());
            let corners = a.zip(b).zip(c).map(|((a, b), c)| [a, b, c]);
            let Some((distance, _)) = corners.and_then(|corners| ray.hit_triangle(corners)) else {
                continue;
            };
            nearest = Some(nearest.map_or(distance, |nearest| nearest.min(distance)));
        }
    });
    nearest
}

/// Returns the nearest of the characters that a ray hits, and the point where it hits the character. `entries` contains the result of
/// [`PickRay::entry`] for each character. `read` returns the data of some characters in the same order, from which `hit`
/// computes the distance to the skin.
pub(super) fn nearest<Id: Copy, Data>(
    mut entries: Vec<(Id, f32)>,
    ray: &PickRay,
    read: impl Fn(&[Id]) -> Result<Vec<Data>, CrowdError>,
    hit: impl Fn(Data) -> Option<f32>,
) -> Result<Option<(Id, Vec3)>, CrowdError> {
    entries.retain(|(_, entry)| *entry > 0.0);
    entries.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut found: Option<(Id, f32)> = None;
    // The skin is not nearer than the sphere around it.
    let is_behind =
        |found: Option<(Id, f32)>, entry: f32| found.is_some_and(|(_, distance)| distance <= entry);
    for some in entries.chunks(TOGETHER) {
        if some.first().is_some_and(|(_, entry)| is_behind(found, *entry)) {
            break;
        }
        let ids: Vec<Id> = some.iter().map(|(id, _)| *id).collect();
        for ((id, entry), skin) in some.iter().zip(read(&ids)?) {
            if is_behind(found, *entry) {
                break;
            }
            let distance = hit(skin);
            let is_nearer = |distance: &f32| found.is_none_or(|(_, nearest)| *distance < nearest);
            found = distance.filter(is_nearer).map(|distance| (*id, distance)).or(found);
        }
    }
    Ok(found.map(|(id, distance)| (id, ray.origin + ray.direction * distance)))
}

impl Crowd {
    /// Waits for the GPU, and returns the nearest character that a ray hits, and the point on its skin in world metres. Both sides of
    /// triangles count. The characters are in the poses of the last step, which must have been submitted. Characters that were added after
    /// this step are not picked.
    ///
    /// The GPU finds the characters whose bounding spheres the ray hits, and the CPU tests the triangles of the nearest ones. This is meant
    /// for clicks, not for many rays per frame.
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] if a number of the ray is not finite, or [`CrowdError::Render`] if the driver reports an error.
    pub fn pick(&self, ray: &Ray) -> Result<Option<(CharacterId, Vec3)>, CrowdError> {
        let Some(ray) = PickRay::new(ray)? else { return Ok(None) };
        let mut entries = Vec::new();
        for (index, batch) in (0..).zip(&self.batches).filter(|(_, batch)| batch.slots.used() > 0) {
            for (slot, entry) in (0..).zip(self.entries(batch, &ray)?) {
                // A character that was removed after the last step is still on the GPU, even if another one has its slot now.
                let generation = batch.slots.posed(slot);
                let id = generation.map(|generation| CharacterId { batch: index, slot, generation });
                entries.extend(id.map(|id| (id, entry)));
            }
        }
        let hit = |skin: Skin| hit_skin(&ray, &self.model, &skin.palette, &skin.weights);
        nearest(entries, &ray, |ids| self.skins(ids), hit)
    }

    /// Computes [`PickRay::entry`] of all characters of a batch on the GPU.
    pub(super) fn entries(&self, batch: &Batch, ray: &PickRay) -> Result<Vec<f32>, RenderError> {
        let (gpu, kernel) = (&self.gpu, self.kernels.pick(&self.gpu));
        let size = u64::from(batch.slots.used()) * size_of::<f32>() as u64;
        let entries = storage(gpu, "distances along a ray", size)?;
        let ray = uniform(gpu, "ray", bytes_of(ray));
        let buffers = [&batch.step, &ray, &batch.placed, &entries];
        let group = kernel.bind(gpu, &buffers.map(wgpu::Buffer::as_entire_buffer_binding));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &group, batch.slots.used().div_ceil(LANES));
        drop(pass);
        read_back(gpu, encoder, &entries, 0..size, pod_collect_to_vec::<u8, f32>)
    }

    /// Reads the skins of some characters at once.
    fn skins(&self, ids: &[CharacterId]) -> Result<Vec<Skin>, CrowdError> {
        let palette = self.model.bones.len() * size_of::<Rows>();
        let weights = self.model.rest_weights.len() * size_of::<f32>();
        let size = ((palette + weights) * ids.len()) as u64;
        let gathered = storage(&self.gpu, "skins", size)?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut offset = 0;
        for id in ids {
            let batch = self.batch(*id)?;
            for (buffer, size) in [(&batch.palettes, palette), (&batch.weights, weights)] {
                if size > 0 {
                    let first = range_of(id.slot, size).start;
                    encoder.copy_buffer_to_buffer(buffer, first, &gathered, offset, size as u64);
                }
                offset += size as u64;
            }
        }
        let skin = |bytes: &[u8]| {
            let (palette, weights) = bytes.split_at_checked(palette).unwrap_or_default();
            Skin { palette: pod_collect_to_vec(palette), weights: pod_collect_to_vec(weights) }
        };
        let split =
            |bytes: &[u8]| bytes.chunks_exact((palette + weights).max(1)).map(skin).collect::<Vec<Skin>>();
        Ok(read_back(&self.gpu, encoder, &gathered, 0..size, split)?)
    }
}
