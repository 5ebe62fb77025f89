//! Compares the instances of both phases with the CPU twin.

use std::sync::Arc;

use bytemuck::{Zeroable, bytes_of, cast_slice};
use glam::{Mat4, Vec3, vec3};
use sinew_base::Random;

use super::super::kernels::Culling;
use super::super::list::{ARGUMENTS, HIDDEN, seen_bytes};
use crate::compute::{read_back, storage, storage_with, uniform};
use crate::culling::Frustum;
use crate::culling::occlusion::{DRAWN, Pyramid, VISIBLE};
use crate::gpu_types::{COARSE, CullSize, CullViews, Instance, LEVELS, Placed};
use crate::offscreen::DEPTH;
use crate::scene::{CrowdGround, CrowdLayout, CrowdScene, ViewSettings};
use crate::view::{Camera, Projection};
use crate::{Gpu, Renderer, ShadingMode, asset, rig, shaders};

const SIZE: (u32, u32) = (150, 90);
const COUNT: u32 = 3000;

/// A rectangle in which some samples of all pixels have a depth.
struct Painted {
    corner: (u32, u32),
    size: (u32, u32),
    depth: f32,
    is_masked: bool,
}

impl Painted {
    /// The samples of a masked rectangle.
    const MASK: u64 = 0b0111;

    fn is_in(&self, sample: u32) -> bool {
        !self.is_masked || Self::MASK >> sample & 1 != 0
    }
}

/// Returns rectangles that surround the axis of the camera.
fn painted(clip_from_world: &Mat4, random: &mut Random) -> Vec<Painted> {
    let mut below = |limit: u32| (random.next() % u64::from(limit)) as u32;
    let rectangle = |index: u32| {
        let size = (20 + below(60), 20 + below(40));
        let corner = (below(SIZE.0 - size.0), below(SIZE.1 - size.1));
        let depth = clip_from_world.project_point3(vec3(0.0, 0.0, -4.0 - below(60) as f32)).z;
        Painted { corner, size, depth, is_masked: index % 3 == 2 }
    };
    (0..14).map(rectangle).collect()
}

/// Returns the farthest depths of all pixels.
fn farthest(painted: &[Painted], samples: u32) -> Vec<f32> {
    let of_sample = |x: u32, y: u32, sample: u32| {
        let covers = |p: &&Painted| {
            let (columns, rows) = (p.corner.0..p.corner.0 + p.size.0, p.corner.1..p.corner.1 + p.size.1);
            columns.contains(&x) && rows.contains(&y) && p.is_in(sample)
        };
        painted.iter().rev().find(covers).map_or(1.0, |p| p.depth)
    };
    let of_pixel = |x, y| (0..samples).map(|sample| of_sample(x, y, sample)).fold(0.0, f32::max);
    (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))).map(|(x, y)| of_pixel(x, y)).collect()
}

/// Draws the rectangles into a depth buffer.
fn draw(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    painted: &[Painted],
    samples: u32,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("depth"),
        size: wgpu::Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let module = shaders::module(&gpu.device, "rectangles", shaders::COMPOSE);
    let [all, masked] = [!0, Painted::MASK].map(|mask| {
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("rectangles"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("compose_vertex"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: samples, mask, ..Default::default() },
            fragment: None,
            multiview_mask: None,
            cache: None,
        })
    });
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(crate::compose::cleared_depth(&view)),
        ..Default::default()
    });
    for &Painted { corner: (x, y), size: (width, height), depth, is_masked } in painted {
        pass.set_pipeline(if is_masked { &masked } else { &all });
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, depth, depth);
        pass.set_scissor_rect(x, y, width, height);
        pass.draw(0..3, 0..1);
    }
    drop(pass);
    view
}

/// Returns the states of instances after both phases, and for the first phase, the second phase and both the number of listed instances and
/// of hidden ones.
fn listed(
    gpu: &Gpu,
    clip_from_world: &Mat4,
    painted: &[Painted],
    samples: u32,
    placed: &[Placed],
    states: &[u32],
) -> (Vec<u32>, [(usize, u32); 3]) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let depth = draw(gpu, &mut encoder, painted, samples);
    let mut culling = Culling::new(gpu);
    culling.prepare_occlusion(gpu);
    let occlusion = culling.occlusion.as_mut().unwrap();
    occlusion.pyramid.prepare(gpu, &depth, SIZE, samples);
    occlusion.pyramid.fill(&mut encoder);

    let mut views = CullViews::zeroed();
    views.planes[..6].copy_from_slice(&Frustum::new(clip_from_world).planes());
    views.camera = [0, 1, 2, 3].map(|row| clip_from_world.row(row).into());
    views.area = [SIZE.0 as f32, SIZE.1 as f32];
    let views = uniform(gpu, "views", bytes_of(&views));
    let size = CullSize {
        instances: COUNT,
        bones: 1,
        stride: COUNT,
        groups: 1,
        parts: 1,
        errors: [1e30; COARSE],
        ..CullSize::zeroed()
    };
    let size = uniform(gpu, "culling", bytes_of(&size));
    let placed = storage_with(gpu, "placed", cast_slice(placed)).unwrap();
    let groups = storage_with(gpu, "groups of parts", bytes_of(&[0_u32; 2])).unwrap();
    let arguments_size = LEVELS as u64 * ARGUMENTS + HIDDEN;
    let lists = [(); 3].map(|()| {
        let seen = storage(gpu, "visible instances", seen_bytes(COUNT)).unwrap();
        let records = storage(gpu, "instances", u64::from(COUNT) * size_of::<Instance>() as u64).unwrap();
        let arguments = storage(gpu, "arguments of draws", arguments_size).unwrap();
        let bound = [&views, &size, &placed, &groups, &seen, &records, &arguments];
        (culling.cull.bind(gpu, &bound.map(wgpu::Buffer::as_entire_buffer_binding)), arguments)
    });
    let [(first, _), (second, _), (both, _)] = &lists;
    let states = storage_with(gpu, "states of instances", cast_slice(states)).unwrap();
    let hidden = storage(gpu, "hidden instances", HIDDEN).unwrap();
    let occlusion = culling.occlusion.as_ref().unwrap();
    let bound = occlusion.bind_states(gpu, &states, &hidden);
    let pyramid = occlusion.pyramid.group().unwrap();
    let mut pass = encoder.begin_compute_pass(&Default::default());
    culling.encode_list(&mut pass, &occlusion.first_phase, first, &[&bound], COUNT);
    // A frame may contain the same instances twice.
    for _ in 0..2 {
        culling.encode_list(&mut pass, &occlusion.second_phase, second, &[&bound, pyramid], COUNT);
        culling.encode_list(&mut pass, &occlusion.both_phases, both, &[&bound], COUNT);
    }
    drop(pass);
    let words = |bytes: &[u8]| cast_slice::<u8, u32>(bytes).to_vec();
    let states = read_back(gpu, encoder, &states, 0..u64::from(COUNT) * 4, words).unwrap();
    let counts = lists.map(|(_, arguments)| {
        let encoder = gpu.device.create_command_encoder(&Default::default());
        let numbers = read_back(gpu, encoder, &arguments, 0..arguments_size, words).unwrap();
        let instances = numbers.chunks_exact(5).map(|draw| draw[1] as usize).sum();
        (instances, numbers[numbers.len() - 1])
    });
    (states, counts)
}

/// Checks that all characters are drawn with OpenGL, whose shaders cannot read the depth buffer.
fn assert_all_are_drawn(gpu: &Gpu) {
    let [images, expected] = [true, false].map(|occlusion| {
        let mut renderer = Renderer::new(gpu.clone());
        let (count, ground) = (9, CrowdGround::Flat);
        let layout = CrowdLayout { count, ground, seed: 1, looks: 0.0, pixel_error: 0.0, occlusion };
        let character = asset::mannequin().unwrap();
        let rig = rig::detect(&character);
        let cast = [(Arc::new(character), rig)];
        let mut scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Mask).unwrap();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        scene.step(&mut encoder, 0.1, Vec3::Z).unwrap();
        gpu.queue.submit([encoder.finish()]);
        let settings = ViewSettings::new(scene.camera(1.0, 1.6), scene.bounds());
        let image = || renderer.render(&scene.models(), &scene.frame(&settings), SIZE).unwrap().rgba;
        let images: Vec<_> = std::iter::repeat_with(image).take(3).collect();
        assert_eq!(scene.read_drawn().unwrap().hidden, 0);
        images
    });
    assert!(images == expected, "the images differ");
}

#[test]
fn instances_of_both_phases_are_those_of_the_twin() {
    let gpu = Gpu::of_tests();
    if !gpu.capabilities.loads_compared_depth {
        assert_all_are_drawn(&gpu);
        return;
    }
    let mut random = Random(8);
    for projection in [Projection::Perspective { fov_y: 1.0 }, Projection::Orthographic { height: 12.0 }] {
        let (position, target) = (Vec3::Z, Vec3::NEG_Z);
        let camera = Camera { position, target, up: Vec3::Y, projection, near: 0.1, far: 300.0 };
        let clip_from_world = camera.clip_from_world(SIZE.0 as f32 / SIZE.1 as f32);
        let frustum = Frustum::new(&clip_from_world);
        for samples in [1, 4] {
            let painted = painted(&clip_from_world, &mut random);
            let pyramid = Pyramid::new(SIZE, farthest(&painted, samples));
            let placed: Vec<Placed> = (0..COUNT)
                .map(|index| {
                    let mut next = |low: f32, high: f32| random.range_f32(low, high);
                    let z = next(-80.0, -1.0);
                    let reach = match projection {
                        Projection::Perspective { .. } => 1.0 - z,
                        Projection::Orthographic { .. } => 10.0,
                    };
                    let center = vec3(next(-1.0, 1.0) * reach, next(-0.6, 0.6) * reach, z);
                    let radius = if index % 10 == 9 { -1.0 } else { next(0.1, 0.6) };
                    Placed { sphere: center.extend(radius).into(), ..Placed::NOTHING }
                })
                .collect();
            let before: Vec<u32> = (0..COUNT).map(|index| [VISIBLE, DRAWN, 0][index as usize % 3]).collect();
            let (after, counts) = listed(&gpu, &clip_from_world, &painted, samples, &placed, &before);
            let (mut unsure, mut hidden, mut visible) = (0, 0, 0);
            for ((placed, before), after) in placed.iter().zip(&before).zip(&after) {
                let [x, y, z, radius] = placed.sphere;
                let center = vec3(x, y, z);
                let expected = [0.999, 1.0, 1.001].map(|factor| {
                    let radius = factor * radius;
                    let is_in_view = radius >= 0.0 && frustum.sees_sphere(center, radius);
                    let is_drawn = is_in_view && before & VISIBLE != 0;
                    let is_hidden = is_in_view && pyramid.hides(&clip_from_world, center, radius);
                    let is_visible = is_in_view && !is_hidden;
                    (u32::from(is_visible) * VISIBLE + u32::from(is_drawn) * DRAWN, is_hidden)
                });
                let (state, is_hidden) = expected[1];
                // Rounding decides about instances that are just hidden.
                if expected.iter().any(|other| *other != expected[1]) {
                    unsure += 1;
                    continue;
                }
                assert_eq!(*after, state, "{center} {radius}, {samples} samples, {projection:?}");
                hidden += usize::from(is_hidden);
                visible += usize::from(state & VISIBLE != 0);
            }
            println!("{hidden} hidden, {visible} visible, {unsure} unsure");
            assert!(hidden > 100 && visible > 100 && unsure < 100, "{hidden}, {visible}, {unsure}");
            // The lists contain what the states say.
            let count = |is_in: fn(u32) -> bool| after.iter().filter(|state| is_in(**state)).count();
            let [(first, _), (second, _), (both, left_out)] = counts;
            assert_eq!(first, count(|state| state & DRAWN != 0));
            assert_eq!(second, count(|state| state == VISIBLE));
            assert_eq!(both, count(|state| state != 0));
            let hidden_now = after.iter().zip(&placed).filter(|(state, placed)| {
                let [x, y, z, radius] = placed.sphere;
                **state == 0 && radius >= 0.0 && frustum.sees_sphere(vec3(x, y, z), radius)
            });
            assert!(hidden_now.count().abs_diff(left_out as usize) <= 2, "{left_out}");
        }
    }
}
