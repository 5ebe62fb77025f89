//! Drawing crowds: culling on the GPU, batches, and a golden of a thousand characters.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use sinew::asset::Character;
use sinew::crowd::{CpuCrowd, Crowd, CrowdError, PlayedClip, Spawn};
use sinew::regress::compare;
use sinew::render::{
    Background, DecodedImage, DrawnLevels, Frame, Gpu, Light, LightSource, Renderer, ShadingMode,
};
use sinew::rig;
use sinew::scene::{CrowdGround, CrowdLayout, CrowdScene, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Bounds};

use crate::crowd::Stage;
use crate::{goldens, renderer, typical_view};
use sinew_testkit::mannequin;

const SIZE: (u32, u32) = (320, 180);

/// Returns characters in rows. A camera at the front sees some of them.
fn rows(count: u32) -> Vec<Spawn> {
    (0..count)
        .map(|index| Spawn {
            position: Vec3::new((index % 8) as f32 * 1.5 - 5.0, 0.0, (index / 8) as f32 * -2.0),
            heading: index as f32 * 0.4,
            tint: Vec4::new(1.0, 0.5 + 0.05 * (index % 8) as f32, 0.7, 1.0),
            clips: vec![PlayedClip::new(index as usize % 5, index as f32 * 0.13)],
            ..Spawn::default()
        })
        .collect()
}

pub(crate) fn view() -> ViewSettings {
    let bounds = Bounds { lo: Vec3::new(-3.0, 0.0, -3.0), hi: Vec3::new(3.0, 1.8, 0.0) };
    typical_view(bounds, SIZE.0 as f32 / SIZE.1 as f32).with_floor(false)
}

/// Returns the number of pixels that differ by more than a few levels.
fn different(a: &DecodedImage, b: &DecodedImage) -> usize {
    let differs = |(a, b): ([u8; 4], [u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 4);
    a.pixels().zip(b.pixels()).filter(|pair| differs(*pair)).count()
}

impl Stage {
    fn image(&mut self) -> DecodedImage {
        let frame = Frame { crowds: self.crowd.instances(0).collect(), ..empty_frame() };
        self.renderer.render(&[&self.surface], &frame, SIZE).unwrap()
    }

    fn image_of(&mut self, cpu: &CpuCrowd) -> DecodedImage {
        let frame = Frame { instances: cpu.instances(0).collect(), ..empty_frame() };
        self.renderer.render(&[&self.surface], &frame, SIZE).unwrap()
    }
}

pub(crate) fn empty_frame() -> Frame<'static> {
    let view = view();
    let (center, radius) = view.bounds.sphere();
    Frame {
        instances: Vec::new(),
        crowds: Vec::new(),
        camera: view.camera,
        mode: view.mode,
        light: view.light,
        background: view.background,
        samples: view.samples,
        ground: None,
        shadow: true,
        ambient_occlusion: false,
        lights: Vec::new(),
        sphere: (center, radius * 2.0),
        ghosts: Vec::new(),
        fills: Vec::new(),
        lines: Vec::new(),
    }
}

#[test]
fn indirect_draws_give_the_same_image_as_instances() {
    let mut stage = Stage::new(mannequin());
    stage.crowd.set_pixel_error(0.0).unwrap();
    let mut cpu = CpuCrowd::new(stage.crowd.model().clone(), None);
    let spawns = rows(40);
    let ids: Vec<_> = spawns.iter().map(|spawn| stage.spawn(spawn)).collect();
    spawns.iter().for_each(|spawn| assert!(cpu.spawn(spawn).is_ok()));
    stage.step(0.3);
    cpu.step(0.3, Vec3::ZERO);
    let (gpu, expected) = (stage.image(), stage.image_of(&cpu));
    let seen = different(&expected, &stage.renderer.render(&[], &empty_frame(), SIZE).unwrap());
    assert!(seen > 3000, "{seen} pixels");
    assert!(different(&gpu, &expected) < 20, "{} pixels differ", different(&gpu, &expected));
    // The same input produces identical pixels.
    assert_eq!(gpu.rgba, stage.image().rgba);

    // A slot is empty after its character was removed, and is reused by the next one.
    stage.crowd.despawn(ids[3]).unwrap();
    assert!(matches!(stage.crowd.despawn(ids[3]), Err(CrowdError::Despawned)));
    stage.step(0.0);
    assert!(different(&stage.image(), &expected) > 100);
    let again = stage.spawn(&spawns[3]);
    assert_ne!(again, ids[3]);
    assert_eq!(stage.crowd.len(), 40);
    stage.step(0.3);
    cpu.step(0.3, Vec3::ZERO);
    let other = stage.image_of(&cpu);
    // Only the new character is at a different time of its clip.
    assert!(different(&stage.image(), &other) < 1500);
}

/// Regression: a crowd of a mirrored character showed the inside of its skin.
#[test]
fn a_mirrored_crowd_shows_its_outside() {
    let mut character = Character::clone(&mannequin());
    let roots: Vec<usize> = character
        .skeleton
        .parents_first
        .iter()
        .filter(|(_, parent)| parent.is_none())
        .map(|(n, _)| *n)
        .collect();
    for root in roots {
        let rest = &mut character.skeleton.nodes[root].rest;
        (rest.scale.x, rest.translation.x) = (-rest.scale.x, -rest.translation.x);
    }
    let mut stage = Stage::new(character);
    let mut cpu = CpuCrowd::new(stage.crowd.model().clone(), None);
    for spawn in rows(8) {
        let spawn = Spawn { clips: Vec::new(), ..spawn };
        stage.spawn(&spawn);
        cpu.spawn(&spawn).unwrap();
    }
    stage.step(0.0);
    cpu.step(0.0, Vec3::ZERO);
    let normals = || Frame {
        mode: ShadingMode::Normal,
        background: Background::Transparent,
        samples: 1,
        ..empty_frame()
    };
    let gpu_frame = Frame { crowds: stage.crowd.instances(0).collect(), ..normals() };
    let cpu_frame = Frame { instances: cpu.instances(0).collect(), ..normals() };
    for frame in [gpu_frame, cpu_frame] {
        let image = stage.renderer.render(&[&stage.surface], &frame, SIZE).unwrap();
        let figure: Vec<[u8; 4]> = image.pixels().filter(|pixel| pixel[3] > 0).collect();
        // The normals of visible surfaces point to the viewer, who is at +Z.
        let inside = figure.iter().filter(|pixel| pixel[2] < 96).count();
        assert!(figure.len() > 1000 && inside * 10 < figure.len(), "{inside} of {} pixels", figure.len());
    }
}

/// A device whose buffers hold only a few hundred characters draws the same image in several batches.
#[test]
fn a_crowd_that_exceeds_a_buffer_is_drawn_in_batches() {
    let whole = renderer();
    let info = whole.gpu().info.clone();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(info.backend.into()));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == info.name).unwrap();
    let required_limits = wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..adapter.limits() };
    let required_features = wgpu::Features::INDIRECT_FIRST_INSTANCE & adapter.features();
    let descriptor = wgpu::DeviceDescriptor { required_limits, required_features, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let small = Renderer::new(Gpu::from_device(device, queue, info));
    let images = [whole, small].map(|renderer| {
        let mut stage = Stage::with(renderer, mannequin());
        rows(900).iter().for_each(|spawn| assert_ne!(stage.spawn(spawn), stage.spawn(spawn)));
        stage.step(0.2);
        let batches = stage.crowd.instances(0).count();
        (stage.image(), batches)
    });
    let [(expected, _), (image, batches)] = images;
    assert!(batches > 2, "{batches} batches");
    assert!(different(&image, &expected) < 20);
}

/// Draws a crowd on hills, and returns what was drawn.
fn draw_on_hills(
    character: Arc<Character>,
    pixel_error: f32,
    settings: ViewSettings,
) -> (DecodedImage, DrawnLevels) {
    const SIZE: (u32, u32) = (640, 360);
    let mut renderer = renderer();
    let rig = rig::detect(&character);
    let ground = CrowdGround::Hills;
    let layout = CrowdLayout { count: 200, ground, seed: 4, looks: 1.0, pixel_error, occlusion: false };
    let cast = [(character, rig)];
    let mut scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Shaded).unwrap();
    let camera = scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
    let settings = settings.with_camera(camera).with_samples(1);
    let gpu = renderer.gpu().clone();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for _ in 0..5 {
        scene.step(&mut encoder, 0.1, camera.position).unwrap();
    }
    gpu.queue.submit([encoder.finish()]);
    let image = renderer.render(&scene.models(), &scene.frame(&settings), SIZE).unwrap();
    (image, scene.read_drawn().unwrap())
}

#[test]
fn simplified_characters_look_like_complete_ones() {
    for (shadow, source) in
        [(false, LightSource::Classic), (true, LightSource::Classic), (true, LightSource::Studio)]
    {
        let settings = view().with_shadow(shadow).with_light(Light::new(source));
        let [(complete, all), (simplified, drawn)] =
            [0.0, Crowd::PIXEL_ERROR].map(|error| draw_on_hills(mannequin(), error, settings.clone()));
        let seen: u64 = all.characters.iter().sum();
        assert_eq!(all.characters[0], seen);
        assert_eq!(drawn.characters.iter().sum::<u64>(), seen);
        let difference = compare(&complete, &simplified, 0).unwrap();
        println!("{all:?}, {drawn:?}, mean error {}", difference.mean);
        assert!(seen > 100 && drawn.triangles * 3 < all.triangles, "{drawn:?} of {all:?}");
        assert!(difference.mean > 0.0 && difference.mean <= 0.01, "{}", difference.mean);
    }
}

/// Coarse levels of double-sided surfaces have shadows that fragments compute.
#[test]
fn shadows_at_vertices_look_like_shadows_at_fragments() {
    for source in [LightSource::Classic, LightSource::Studio] {
        let settings = view().with_shadow(true).with_light(Light::new(source));
        let [vertices, fragments] = [false, true].map(|double_sided| {
            let mut character = Character::clone(&mannequin());
            character.materials.iter_mut().for_each(|material| material.double_sided = double_sided);
            draw_on_hills(character.into(), Crowd::PIXEL_ERROR, settings.clone()).0
        });
        let difference = compare(&fragments, &vertices, 0).unwrap();
        println!("mean error {}", difference.mean);
        assert!(difference.mean > 0.0 && difference.mean <= 0.01, "{}", difference.mean);
    }
}

/// The full level keeps its own pipeline when other levels have another one.
#[test]
fn levels_that_are_not_drawn_do_not_change_an_image() {
    let mut stage = Stage::new(mannequin());
    stage.crowd.set_pixel_error(0.0).unwrap();
    for spawn in rows(40) {
        stage.spawn(&spawn);
    }
    stage.step(0.3);
    let [before, coarse, after] = [0.0, 1.0, 0.0].map(|error| {
        stage.crowd.set_pixel_error(error).unwrap();
        stage.image().rgba
    });
    assert!(coarse != before, "no coarse level is drawn");
    assert!(after == before, "the images differ");
}

#[test]
fn levels_can_be_added_after_the_characters() {
    let draw = |is_late: bool| {
        let mut stage = Stage::new(mannequin());
        stage.crowd.set_pixel_error(if is_late { 0.0 } else { 1.0 }).unwrap();
        for spawn in rows(40) {
            stage.spawn(&spawn);
        }
        stage.step(0.3);
        stage.image();
        let before = stage.crowd.read_drawn().unwrap();
        assert_eq!(before.characters[1..].iter().sum::<u64>() == 0, is_late, "{before:?}");
        stage.crowd.set_pixel_error(1.0).unwrap();
        // The last frame has not changed.
        assert_eq!(stage.crowd.read_drawn().unwrap(), before);
        (stage.image().rgba, stage.crowd.read_drawn().unwrap())
    };
    let [(image, drawn), (late_image, late)] = [false, true].map(draw);
    assert!(drawn.characters[1..].iter().sum::<u64>() > 0, "{drawn:?}");
    assert_eq!(late, drawn);
    assert!(late_image == image, "the images differ");
}

#[test]
fn invalid_characters_are_refused() {
    let mut stage = Stage::new(mannequin());
    let clip = |clip: usize| vec![PlayedClip::new(clip, 0.0)];
    let refused = [
        (
            Spawn { clips: clip(5), ..Spawn::default() },
            "clip 5 does not exist; the model has 5, counted from 0",
        ),
        (
            Spawn { clips: clip(0).repeat(5), ..Spawn::default() },
            "a character of a crowd plays at most 4 clips, not 5",
        ),
        (Spawn { scale: 0.0, ..Spawn::default() }, "scale must be more than 0, not 0"),
        (Spawn { position: Vec3::NAN, ..Spawn::default() }, "position must be finite, not NaN"),
        (Spawn { turn: f32::INFINITY, ..Spawn::default() }, "heading, pace or turn must be finite, not inf"),
    ];
    for (spawn, expected) in refused {
        let error = stage.crowd.spawn(&mut stage.renderer, &stage.surface, &spawn).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(stage.crowd.is_empty());
    let id = stage.spawn(&Spawn { clips: clip(1), ..Spawn::default() });
    assert!(stage.crowd.set_clip(id, 4, None).is_err());
    assert!(stage.crowd.set_place(id, Vec3::ZERO, f32::NAN).is_err());
    assert!(stage.crowd.set_pixel_error(f32::NAN).is_err());
    stage
        .crowd
        .set_clip(id, 1, Some(&PlayedClip { weight: 0.5, mask: Some(2), ..PlayedClip::new(2, 0.1) }))
        .unwrap();
    stage.crowd.set_place(id, Vec3::X, 1.0).unwrap();
    stage.step(0.1);
    let (place, _) = stage.crowd.read_pose(id).unwrap();
    assert!(place.translation.x > 0.5);
}

#[test]
fn a_thousand_characters_on_hills_match_their_golden() {
    let mut renderer = renderer();
    let character = mannequin();
    let rig = rig::detect(&character);
    // The golden shows the poses and the culling, which levels of detail must not hide.
    let layout = CrowdLayout {
        count: 1000,
        ground: CrowdGround::Hills,
        seed: 4,
        looks: 1.0,
        pixel_error: 0.0,
        occlusion: false,
    };
    let cast = [(character, rig)];
    let mut scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Shaded).unwrap();
    let settings = view()
        .with_camera(scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32))
        .with_samples(1)
        .with_shadow(false);
    let gpu = renderer.gpu().clone();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for _ in 0..10 {
        scene.step(&mut encoder, 0.1, settings.camera.position).unwrap();
    }
    gpu.queue.submit([encoder.finish()]);
    let image = renderer.render(&scene.models(), &scene.frame(&settings), SIZE).unwrap();
    goldens::assert_matches(&image, "crowd");
}
