//! Picks the character that a ray meets. [`entry`] is the CPU twin of `shaders/crowd/pick.wgsl`.

use bytemuck::{Pod, Zeroable, bytes_of, pod_collect_to_vec};
use glam::{Affine3A, Mat4, Vec3};

use crate::RenderError;
use crate::compute::{read_back, storage, uniform};
use crate::scene::picking::Ray;
use crate::skin::{SkinMatrices, Skinned, skin};

use super::CrowdError;
use super::batch::{Batch, LANES, range_of};
use super::crowd::Crowd;
use super::model::CrowdModel;
use super::palette::stretch;
use super::spawn::CharacterId;
use super::types::{Character, CrowdJoint, Rows};

/// Spheres are larger by this factor, so that rounding errors do not matter.
const MARGIN: f32 = 1.001;
/// The distance to a sphere that contains the origin of the ray, in metres.
const NEAREST: f32 = 1e-6;

/// `PickRay` in `shaders/crowd/pick.wgsl`: a ray in world metres. The direction is a unit vector.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PickRay {
    pub(crate) origin: Vec3,
    pub(crate) reserved: f32,
    pub(crate) direction: Vec3,
    pub(crate) reserved_2: f32,
}

impl PickRay {
    /// Returns `None` for a ray without a direction, which meets nothing.
    pub(super) fn new(ray: &Ray) -> Result<Option<Self>, CrowdError> {
        let numbers = [ray.origin.to_array(), ray.direction.to_array()];
        if let Some(&value) = numbers.as_flattened().iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "ray", value });
        }
        let of = |direction| Self { origin: ray.origin, reserved: 0.0, direction, reserved_2: 0.0 };
        Ok(ray.direction.try_normalize().map(of))
    }

    /// Returns the distance to a sphere, or 0 if the ray misses the sphere.
    fn meet_sphere(&self, center: Vec3, radius: f32) -> f32 {
        let offset = center - self.origin;
        let along = offset.dot(self.direction);
        let aside = offset - self.direction * along;
        let larger = MARGIN * radius;
        let square = larger * larger - aside.dot(aside);
        if radius.is_nan() || radius < 0.0 || square.is_nan() || square < 0.0 {
            return 0.0;
        }
        let half = square.sqrt();
        if along + half < 0.0 { 0.0 } else { (along - half).max(NEAREST) }
    }
}

/// Returns the distance along a ray to the nearest sphere around a joint, in metres, or 0 if the ray misses all of them. All vertices are
/// in the spheres of the joints that move them. `sphere` is the bounding sphere of the character.
pub(super) fn entry(
    ray: &PickRay,
    character: &Character,
    joints: &[CrowdJoint],
    models: &[Rows],
    sphere: [f32; 4],
) -> f32 {
    let [x, y, z, radius] = sphere;
    let mut nearest = 0.0;
    if ray.meet_sphere(Vec3::new(x, y, z), radius) == 0.0 {
        return nearest;
    }
    let place = character.rows();
    for (joint, model) in joints.iter().zip(models).filter(|(joint, _)| joint.radius >= 0.0) {
        let radius = joint.radius * stretch(model) * character.scale.abs();
        let distance = ray.meet_sphere(place.point(model.translation()), radius);
        if distance > 0.0 && (nearest == 0.0 || distance < nearest) {
            nearest = distance;
        }
    }
    nearest
}

/// Returns the distance along a ray to the skin of a character in metres, or `None` if the ray misses it. `palette` contains
/// `world_from_mesh` of all bones.
pub(super) fn meet_skin(ray: &PickRay, model: &CrowdModel, palette: &[Rows], weights: &[f32]) -> Option<f32> {
    let ray = Ray { origin: ray.origin, direction: ray.direction };
    let matrices: Vec<Mat4> = palette.iter().map(|rows| Mat4::from(Affine3A::from(rows))).collect();
    let (mut nearest, mut skinned) = (None, Skinned::default());
    for (part, draw) in model.parts.iter().zip(&model.draws) {
        let primitive = model.character.primitive(*part);
        let of_part = matrices.get(draw.first_matrix as usize..).unwrap_or_default();
        let of_part = match (part.skin, of_part.first()) {
            (None, Some(matrix)) => SkinMatrices::Node(matrix),
            _ => SkinMatrices::Joints(of_part),
        };
        let morphs = weights.get(draw.first_weight as usize..).unwrap_or_default();
        skin(primitive, of_part, morphs, &mut skinned);
        for triangle in &primitive.triangles {
            let [a, b, c] = triangle.map(|corner| skinned.positions.get(corner as usize).copied());
            let corners = a.zip(b).zip(c).map(|((a, b), c)| [a, b, c]);
            let Some((distance, _)) = corners.and_then(|corners| ray.meet_triangle(corners)) else {
                continue;
            };
            nearest = Some(nearest.map_or(distance, |nearest: f32| nearest.min(distance)));
        }
    }
    nearest
}

/// Returns the nearest of the characters that a ray meets, and the point where it meets the character. `entries` contains the result of
/// [`entry`] for each character, and `meet` returns the distance to the skin of a character.
pub(super) fn nearest<Id: Copy>(
    mut entries: Vec<(Id, f32)>,
    ray: &PickRay,
    meet: impl Fn(Id) -> Result<Option<f32>, CrowdError>,
) -> Result<Option<(Id, Vec3)>, CrowdError> {
    entries.retain(|(_, entry)| *entry > 0.0);
    entries.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut found: Option<(Id, f32)> = None;
    for (id, entry) in entries {
        // The skin is not nearer than the spheres around it.
        if found.is_some_and(|(_, distance)| distance <= entry) {
            break;
        }
        let distance = meet(id)?;
        let is_nearer = |distance: &f32| found.is_none_or(|(_, nearest)| *distance < nearest);
        found = distance.filter(is_nearer).map(|distance| (id, distance)).or(found);
    }
    Ok(found.map(|(id, distance)| (id, ray.origin + ray.direction * distance)))
}

impl Crowd {
    /// Waits for the GPU, and returns the nearest character that a ray meets, and the point on its skin in world metres. Both sides of
    /// triangles count. The characters are in the poses of the last step that was submitted.
    ///
    /// The GPU finds the characters near the ray, and the CPU tests the triangles of the nearest ones. This takes a few milliseconds, which
    /// is fast enough for a click, but not for thousands of rays per frame.
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] if a number of the ray is not finite, or [`CrowdError::Render`] if the driver reports an error.
    pub fn pick(&self, ray: &Ray) -> Result<Option<(CharacterId, Vec3)>, CrowdError> {
        let Some(ray) = PickRay::new(ray)? else { return Ok(None) };
        let mut entries = Vec::new();
        for (index, batch) in (0..).zip(&self.batches).filter(|(_, batch)| batch.slots.used() > 0) {
            for (slot, entry) in (0..).zip(self.entries(batch, &ray)?) {
                // A character that was removed after the last step is still on the GPU.
                let generation = batch.slots.generation(slot);
                let id = generation.map(|generation| CharacterId { batch: index, slot, generation });
                entries.extend(id.map(|id| (id, entry)));
            }
        }
        nearest(entries, &ray, |id| self.meet(&ray, id))
    }

    /// Computes [`entry`] of all characters of a batch on the GPU.
    pub(super) fn entries(&self, batch: &Batch, ray: &PickRay) -> Result<Vec<f32>, RenderError> {
        let (gpu, kernel) = (&self.gpu, self.kernels.pick(&self.gpu));
        let size = u64::from(batch.slots.used()) * size_of::<f32>() as u64;
        let entries = storage(gpu, "distances along a ray", size)?;
        let ray = uniform(gpu, "ray", bytes_of(ray));
        let Batch { step, characters, models, placed, .. } = batch;
        let buffers = [step, &ray, characters, &self.shared.joints, models, placed, &entries];
        let group = kernel.bind(gpu, &buffers.map(wgpu::Buffer::as_entire_buffer_binding));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &group, batch.slots.used().div_ceil(LANES));
        drop(pass);
        read_back(gpu, encoder, &entries, 0..size, pod_collect_to_vec::<u8, f32>)
    }

    /// Returns the distance to the skin of a character. See [`meet_skin`].
    fn meet(&self, ray: &PickRay, id: CharacterId) -> Result<Option<f32>, CrowdError> {
        let batch = self.batch(id)?;
        let read = |buffer: &wgpu::Buffer, size: usize| {
            let encoder = self.gpu.device.create_command_encoder(&Default::default());
            read_back(&self.gpu, encoder, buffer, range_of(id.slot, size), <[u8]>::to_vec)
        };
        let palette = read(&batch.palettes, self.model.bones.len() * size_of::<Rows>())?;
        let palette: Vec<Rows> = pod_collect_to_vec(&palette);
        let count = self.model.rest_weights.len();
        let weights = if count == 0 { Vec::new() } else { read(&batch.weights, count * size_of::<f32>())? };
        let weights: Vec<f32> = pod_collect_to_vec(&weights);
        Ok(meet_skin(ray, &self.model, &palette, &weights))
    }
}
