//! Computes palettes and the spheres around characters: the CPU twin of `shaders/crowd/palette.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::render::gpu_types::Placed;

use super::types::{Character, Joint, Rows};

/// `Bone` in `shaders/crowd/palette.wgsl`: a matrix of the palette.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Bone {
    /// The inverse bind matrix, or the identity for rigid parts.
    pub joint_from_mesh: Rows,
    /// The joint.
    pub joint: u32,
    /// Unused.
    pub reserved: [u32; 3],
}

/// Writes `world_from_mesh` of all bones of a character.
pub(super) fn palette(character: &Character, models: &[Rows], bones: &[Bone], palette: &mut [Rows]) {
    let place = character.rows();
    for (bone, out) in bones.iter().zip(palette) {
        let model = models.get(bone.joint as usize).copied().unwrap_or(Rows::IDENTITY);
        *out = place.after(&model.after(&bone.joint_from_mesh));
    }
}

/// Returns a sphere around a character, with its tint.
pub(super) fn enclose(character: &Character, joints: &[Joint], models: &[Rows]) -> Placed {
    if character.is_present == 0 {
        return Placed { sphere: [0.0, 0.0, 0.0, -1.0], tint: [0.0; 4] };
    }
    let (mut low, mut high) = (Vec3::splat(3.4e38), Vec3::splat(-3.4e38));
    for (joint, model) in joints.iter().zip(models).filter(|(joint, _)| joint.radius >= 0.0) {
        let reach = joint.radius * stretch(model);
        low = low.min(model.translation() - reach);
        high = high.max(model.translation() + reach);
    }
    let center = character.rows().point((low + high) * 0.5);
    let radius = if low.x <= high.x { 0.5 * (high - low).length() * character.scale.abs() } else { -1.0 };
    Placed { sphere: center.extend(radius).into(), tint: character.tint }
}

/// Returns the largest factor by which a matrix stretches a vector, rounded up (Gershgorin 1931, for the matrix times its
/// transpose).
fn stretch(m: &Rows) -> f32 {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| m.vector(axis));
    let longest = x.dot(x).max(y.dot(y)).max(z.dot(z));
    let skewed = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
    (longest + 2.0 * skewed).sqrt()
}
