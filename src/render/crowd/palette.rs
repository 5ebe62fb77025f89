//! Computes palettes and the spheres around characters: the CPU twin of `shaders/crowd/palette.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::gpu_types::Placed;

use super::types::{Character, CrowdJoint, Rows};

/// `Bone` in `shaders/crowd/palette.wgsl`: a matrix of the palette.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Bone {
    /// The inverse bind matrix, or the identity for rigid parts.
    pub joint_from_mesh: Rows,
    /// Index of the joint.
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

/// Returns the bounding sphere of a character, and the character's tint.
pub(super) fn enclose(character: &Character, joints: &[CrowdJoint], models: &[Rows]) -> Placed {
    if character.is_present == 0 {
        return Placed::NOTHING;
    }
    let (mut low, mut high) = (Vec3::splat(3.4e38), Vec3::splat(-3.4e38));
    for (joint, model) in joints.iter().zip(models).filter(|(joint, _)| joint.radius >= 0.0) {
        let reach = joint.radius * stretch(model);
        low = low.min(model.translation() - reach);
        high = high.max(model.translation() + reach);
    }
    let center = character.rows().point((low + high) * 0.5);
    let scale = character.scale.abs();
    let radius = if low.x <= high.x { 0.5 * (high - low).length() * scale } else { -1.0 };
    Placed { sphere: center.extend(radius).into(), tint: character.tint, scale, ..Placed::NOTHING }
}

/// Returns an upper bound for the largest factor by which a matrix stretches a vector. It is Gershgorin's bound (1931)
/// for the product of the matrix and its transpose.
fn stretch(m: &Rows) -> f32 {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| m.vector(axis));
    let longest = x.dot(x).max(y.dot(y)).max(z.dot(z));
    let skewed = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
    (longest + 2.0 * skewed).sqrt()
}

#[cfg(test)]
mod tests {
    use bytemuck::{Zeroable, bytes_of, cast_slice, pod_collect_to_vec};
    use glam::{Quat, Vec2, Vec3};
    use sinew_base::Random;

    use super::*;
    use crate::Gpu;
    use crate::compute::{Access, Kernel, read_back, storage, storage_with};
    use crate::crowd::kernels::PALETTE_FILES;
    use crate::crowd::types::{CrowdLayer, LAYERS, NONE, Step};

    const JOINTS: u32 = 150;
    const CHARACTERS: u32 = 70;

    /// Runs an entry point of the shader in a number of workgroups.
    fn spheres(
        gpu: &Gpu,
        characters: &[Character],
        joints: &[CrowdJoint],
        models: &[Rows],
        entry: &str,
        groups: u32,
    ) -> Vec<Placed> {
        use Access::{Read, Uniform, Write};
        let access = [Uniform, Read, Read, Read, Read, Write, Write];
        let kernel = Kernel::new(gpu, "enclose", PALETTE_FILES, entry, &[], &access);
        let step = Step { characters: CHARACTERS, joints: JOINTS, ..Step::zeroed() };
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size_of::<Step>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&uniform, 0, bytes_of(&step));
        let upload = |bytes: &[u8]| storage_with(gpu, "test", bytes).unwrap();
        let (characters, joints) = (upload(cast_slice(characters)), upload(cast_slice(joints)));
        let (models, bones) = (upload(cast_slice(models)), upload(bytes_of(&Bone::zeroed())));
        let palettes = storage(gpu, "palettes", 48).unwrap();
        let size = u64::from(CHARACTERS) * size_of::<Placed>() as u64;
        let placed = storage(gpu, "bounds", size).unwrap();
        let buffers = [&uniform, &characters, &joints, &models, &bones, &palettes, &placed];
        let bindings: Vec<_> = buffers.iter().map(|b| b.as_entire_buffer_binding()).collect();
        let group = kernel.bind(gpu, &bindings);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &group, groups);
        drop(pass);
        read_back(gpu, encoder, &placed, 0..size, pod_collect_to_vec::<u8, Placed>).unwrap()
    }

    #[test]
    fn lanes_and_workgroups_enclose_the_same_spheres_as_the_cpu() {
        let gpu = Gpu::of_tests();
        let mut random = Random(1);
        let mut number = || random.range_f32(-1.0, 1.0);
        let joints: Vec<CrowdJoint> = (0..JOINTS)
            .map(|_| CrowdJoint {
                rest_rotation: Quat::IDENTITY,
                rest_translation: Vec3::ZERO,
                parent: NONE,
                rest_scale: Vec3::ONE,
                // Some joints have no vertices.
                radius: number(),
                masks: [1.0; 4],
            })
            .collect();
        let characters: Vec<Character> = (0..CHARACTERS)
            .map(|index| Character {
                rotation: Quat::from_rotation_y(number()),
                position: Vec3::new(number(), number(), number()),
                scale: 1.5 + number(),
                tint: [number(), 1.0, 1.0, 1.0],
                pace: 1.0,
                turn: 0.0,
                is_present: u32::from(index != 3),
                looks: 0.0,
                looked_at: Vec3::ZERO,
                looks_at_point: 0,
                destination: Vec2::ZERO,
                radius: 0.0,
                steering: 0.0,
                layers: [CrowdLayer::EMPTY; LAYERS],
            })
            .collect();
        let models: Vec<Rows> = (0..JOINTS * CHARACTERS)
            .map(|_| {
                let mut row = || [number(), number(), number(), number()].into();
                Rows { x: row(), y: row(), z: row() }
            })
            .collect();
        for (entry, groups) in
            [("enclose_by_lane", CHARACTERS.div_ceil(64)), ("enclose_by_group", CHARACTERS)]
        {
            let from_gpu = spheres(&gpu, &characters, &joints, &models, entry, groups);
            for (index, (character, gpu)) in characters.iter().zip(&from_gpu).enumerate() {
                let models = &models[index * JOINTS as usize..][..JOINTS as usize];
                let cpu = enclose(character, &joints, models);
                assert_eq!((cpu.tint, cpu.scale), (gpu.tint, gpu.scale));
                let difference = cpu.sphere.iter().zip(&gpu.sphere).map(|(a, b)| (a - b).abs());
                assert!(difference.fold(0.0, f32::max) < 2e-5, "{entry} {index}: {cpu:?} {gpu:?}");
            }
        }
    }
}
