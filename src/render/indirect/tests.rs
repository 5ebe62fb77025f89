//! Compares the lists of visible instances with the CPU twin.

use bytemuck::{Zeroable, bytes_of, cast_slice};
use glam::{Mat4, Vec3, Vec4, vec3};

use super::super::compute::{read_back, storage, storage_with, uniform};
use super::super::culling::{Frustum, level, pixel_width};
use super::super::gpu_types::{COARSE, CullSize, CullViews, Instance, LEVELS, Placed};
use super::kernels::Culling;
use super::list::{ARGUMENTS, HIDDEN, seen_bytes};
use crate::Gpu;
use crate::view::{Camera, Projection};

const ERRORS: [f32; COARSE] = [0.011, 0.022, 0.043, 0.07, 0.11, 0.15, 0.2, 1e30];
const PIXEL_ERROR: f32 = 1.3;

/// Returns the instances in each level, and the arguments of the draws of two parts.
fn listed(
    gpu: &Gpu,
    culling: &Culling,
    clip_from_world: &Mat4,
    pixel: Vec4,
    placed: &[Placed],
) -> (Vec<Vec<u32>>, Vec<[u32; 5]>) {
    let count = u32::try_from(placed.len()).unwrap();
    let mut views = CullViews::zeroed();
    // The light sees nothing.
    views.planes = [[0.0, 0.0, 0.0, -1.0]; 12];
    views.planes[..6].copy_from_slice(&Frustum::new(clip_from_world).planes());
    views.pixels[0] = pixel.into();
    let views = uniform(gpu, "views", bytes_of(&views));
    let size = CullSize {
        instances: count,
        bones: 1,
        stride: count,
        groups: 1,
        parts: 2,
        pixel_error: PIXEL_ERROR,
        errors: ERRORS,
        ..CullSize::zeroed()
    };
    let size = uniform(gpu, "culling", bytes_of(&size));
    let placed = storage_with(gpu, "placed", cast_slice(placed)).unwrap();
    let groups = storage_with(gpu, "groups of parts", bytes_of(&[0_u32; 2])).unwrap();
    let seen = storage(gpu, "visible instances", seen_bytes(count)).unwrap();
    let records_size = u64::from(count) * size_of::<Instance>() as u64;
    let records = storage(gpu, "instances", records_size).unwrap();
    let arguments = storage(gpu, "arguments of draws", 2 * LEVELS as u64 * ARGUMENTS + HIDDEN).unwrap();
    let bound = [&views, &size, &placed, &groups, &seen, &records, &arguments];
    let group = culling.cull.bind(gpu, &bound.map(wgpu::Buffer::as_entire_buffer_binding));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    culling.encode_list(&mut pass, &culling.cull, &group, &[], count);
    drop(pass);
    let indices = |bytes: &[u8]| -> Vec<u32> {
        cast_slice::<u8, Instance>(bytes).iter().map(|instance| instance.first_matrix / 3).collect()
    };
    let records = read_back(gpu, encoder, &records, 0..records_size, indices).unwrap();
    let encoder = gpu.device.create_command_encoder(&Default::default());
    let range = 0..2 * LEVELS as u64 * ARGUMENTS;
    let draws =
        read_back(gpu, encoder, &arguments, range, |bytes| cast_slice::<u8, [u32; 5]>(bytes).to_vec());
    let draws = draws.unwrap();
    let of_draw = |draw: &[u32; 5]| records[draw[4] as usize..][..draw[1] as usize].to_vec();
    (draws[..LEVELS].iter().map(of_draw).collect(), draws)
}

#[test]
fn visible_instances_are_listed_in_order_and_by_level() {
    let gpu = Gpu::of_tests();
    let culling = Culling::new(&gpu);
    let camera = Camera {
        position: Vec3::Z,
        target: Vec3::NEG_Z,
        up: Vec3::Y,
        projection: Projection::Perspective { fov_y: 1.0 },
        near: 0.1,
        far: 300.0,
    };
    let clip_from_world = camera.clip_from_world(1.0);
    let (pixel, frustum) = (pixel_width(&clip_from_world, (500.0, 500.0)), Frustum::new(&clip_from_world));
    // One block, two blocks, and more blocks than lanes.
    for count in [1, 256, 257, 70_000] {
        let placed: Vec<Placed> = (0..count)
            .map(|index: u32| {
                // Evenly distributed.
                let random = |factor: u32| (index.wrapping_mul(factor) >> 8) as f32 / (1 << 24) as f32;
                let [x, y, z] = [3_518_319_155, 2_882_110_345, 2_360_945_575].map(random);
                let center = vec3(20.0 * x - 10.0, 10.0 * y - 5.0, -200.0 * z);
                let radius = if index % 10 == 9 { -1.0 } else { 0.25 };
                let scale = 0.5 + random(2_654_435_769);
                Placed { sphere: center.extend(radius).into(), scale, ..Placed::NOTHING }
            })
            .collect();
        let level_of = |placed: &Placed, pixel_error: f32| level(pixel, placed, pixel_error, ERRORS);
        let mut expected = vec![Vec::new(); LEVELS];
        let (mut near, mut seen) = (0, 0);
        for (index, placed) in (0..).zip(&placed) {
            let [x, y, z, radius] = placed.sphere;
            if radius >= 0.0 && frustum.sees_sphere(vec3(x, y, z), radius) {
                expected[level_of(placed, PIXEL_ERROR)].push(index);
                // Rounding decides about instances near the border between two levels.
                near += usize::from(
                    level_of(placed, PIXEL_ERROR * 0.9999) != level_of(placed, PIXEL_ERROR * 1.0001),
                );
                seen += 1;
            }
        }
        let (listed, draws) = listed(&gpu, &culling, &clip_from_world, pixel, &placed);
        assert_eq!(draws[..LEVELS], draws[LEVELS..], "both parts have the same instances");
        let different: usize = listed
            .iter()
            .zip(&expected)
            .map(|(listed, expected)| {
                assert!(listed.is_sorted());
                listed.iter().filter(|index| expected.binary_search(index).is_err()).count()
            })
            .sum();
        assert!(different <= near + 1, "{count} instances: {different} differ, {near} are near a border");
        let total: usize = listed.iter().map(Vec::len).sum();
        assert!(total.abs_diff(seen) <= 1, "{total} of {seen}");
        if count > 1000 {
            assert!(near * 100 < count as usize && expected[..COARSE].iter().all(|level| level.len() > 10));
            assert!(listed[COARSE].is_empty());
        }
    }
}
