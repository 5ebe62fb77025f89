//! Drawing into a host's own textures, with several models and frames.

use glam::{Affine3A, Quat, Vec3, Vec4};
use sinew::asset::Character;
use sinew::puppet::Puppet;
use sinew::render::{Background, Canvas, DecodedImages, Frame, Gpu, Instance, Model, Renderer, ShadingMode};
use sinew::scene::{self, ViewSettings};
use sinew::skin::{Palette, Skinning};
use sinew::view::Bounds;
use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};

use crate::{renderer, typical_view};
use sinew_testkit::mannequin;

pub(crate) const SIZE: (u32, u32) = (64, 64);
const GREY: [u8; 3] = [0x60, 0x68, 0x70];

/// A renderer on a device that the host has opened, and a model of the mannequin.
struct Host {
    renderer: Renderer,
    model: Model,
    puppet: Puppet,
}

impl Host {
    fn new() -> Self {
        let Gpu { device, queue, info, .. } = renderer().gpu().clone();
        let renderer = Renderer::new(Gpu::from_device(device, queue, info));
        let puppet = standing(mannequin(), 0.0);
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        Self { renderer, model, puppet }
    }

    fn gpu(&self) -> Gpu {
        self.renderer.gpu().clone()
    }
}

/// Returns a mannequin that stands a few metres to the right of the origin.
fn standing(character: impl Into<std::sync::Arc<Character>>, x: f32) -> Puppet {
    let mut puppet = Puppet::new(character, 0);
    let mut pose = puppet.pose().clone();
    pose.locals[0].translation.x += x;
    puppet.held = Some(pose);
    puppet.update().unwrap();
    puppet
}

fn view(samples: u32, background: Background) -> ViewSettings {
    let bounds = Bounds { lo: Vec3::new(-1.4, 0.0, -0.5), hi: Vec3::new(1.4, 1.8, 0.5) };
    typical_view(bounds, 1.0).with_samples(samples).with_background(background)
}

pub(crate) fn texture(gpu: &Gpu, format: TextureFormat) -> wgpu::Texture {
    texture_of(gpu, format, SIZE)
}

/// Returns a texture of a size in pixels.
pub(crate) fn texture_of(gpu: &Gpu, format: TextureFormat, (width, height): (u32, u32)) -> wgpu::Texture {
    gpu.device.create_texture(&TextureDescriptor {
        label: None,
        size: Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Returns the bytes of a texture after all submitted work is done. The bytes of a row must be a multiple of 256.
pub(crate) fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<u8> {
    let row = texture.width() * texture.format().block_copy_size(None).unwrap();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row * texture.height()),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let destination = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), destination, texture.size());
    gpu.queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    gpu.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None }).unwrap();
    buffer.get_mapped_range(..).unwrap().to_vec()
}

/// Clears a texture to an sRGB colour, which stands in for the scene of a host.
pub(crate) fn clear(encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView, rgb: [u8; 3]) {
    let linear = |v: u8| ((f64::from(v) / 255.0 + 0.055) / 1.055).powf(2.4);
    let [r, g, b] = rgb.map(linear);
    let ops = wgpu::Operations {
        load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
        store: wgpu::StoreOp::Store,
    };
    let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: None,
        color_attachments: &[Some(attachment)],
        ..Default::default()
    });
}

/// Draws a frame into a texture of a format and returns the bytes. `host` is the colour that the host has drawn first.
fn drawn(host: &mut Host, frame: &Frame<'_>, format: TextureFormat, is_hdr: bool, color: [u8; 3]) -> Vec<u8> {
    let gpu = host.gpu();
    let texture = texture(&gpu, format);
    let view = texture.create_view(&Default::default());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    clear(&mut encoder, &view, color);
    let canvas = Canvas { view: &view, format, size: SIZE, area: SIZE, is_hdr };
    host.renderer.draw(&[&host.model], frame, &canvas, &mut encoder).unwrap();
    gpu.queue.submit([encoder.finish()]);
    read(&gpu, &texture)
}

fn most_different(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

/// Writes through the queue happen before an encoder is submitted, so the second frame once overwrote the input of the first.
#[test]
fn two_frames_in_one_encoder_are_those_of_two_encoders() {
    let mut host = Host::new();
    let gpu = host.gpu();
    let puppets = [standing(mannequin(), -0.6), standing(mannequin(), 0.7)];
    let frames = puppets.each_ref().map(|puppet| scene::frame(puppet, &view(4, Background::Color(GREY))));
    let alone =
        frames.each_ref().map(|frame| host.renderer.render(&[&host.model], frame, SIZE).unwrap().rgba);
    assert_ne!(alone[0], alone[1]);
    let format = TextureFormat::Rgba8UnormSrgb;
    let textures = [texture(&gpu, format), texture(&gpu, format)];
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for (frame, texture) in frames.iter().zip(&textures) {
        let view = texture.create_view(&Default::default());
        let canvas = Canvas { view: &view, format, size: SIZE, area: SIZE, is_hdr: false };
        host.renderer.draw(&[&host.model], frame, &canvas, &mut encoder).unwrap();
    }
    gpu.queue.submit([encoder.finish()]);
    for (texture, alone) in textures.iter().zip(&alone) {
        assert_eq!(&read(&gpu, texture), alone);
    }
}

#[test]
fn a_frame_is_drawn_over_what_the_host_has_drawn() {
    let mut host = Host::new();
    for samples in [1, 4] {
        let puppet = host.puppet.clone();
        let kept = scene::frame(&puppet, &view(samples, Background::Keep));
        let over = drawn(&mut host, &kept, TextureFormat::Rgba8UnormSrgb, false, GREY);
        let cleared = scene::frame(&puppet, &view(samples, Background::Color(GREY)));
        let expected = host.renderer.render(&[&host.model], &cleared, SIZE).unwrap().rgba;
        // Several samples are averaged before they are blended.
        let levels = if samples == 1 { 1 } else { 3 };
        assert!(most_different(&over, &expected) <= levels, "{samples} samples");
    }
}

#[test]
fn formats_without_srgb_conversion_store_the_same_colours() {
    let mut host = Host::new();
    let puppet = host.puppet.clone();
    for mode in [ShadingMode::Skeleton, ShadingMode::Lambert] {
        let frame = scene::frame(&puppet, &view(1, Background::Color(GREY)).with_mode(mode));
        let [encoded, converted] = [TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb]
            .map(|format| drawn(&mut host, &frame, format, false, [0; 3]));
        let pixels = encoded.chunks_exact(4).zip(converted.chunks_exact(4));
        // The floor and the edges of lines differ slightly, because stored values are blended without conversion.
        let different = pixels.filter(|(a, b)| most_different(a, b) > 2).count();
        assert!(different <= encoded.len() / 4 / 8, "{mode:?}: {different} pixels");
    }
}

#[test]
fn linear_targets_store_light_without_tone_mapping() {
    let mut host = Host::new();
    let puppet = host.puppet.clone();
    let frame = scene::frame(&puppet, &view(1, Background::Color([255; 3])));
    let half = |bytes: &[u8]| -> Vec<f32> {
        let bits = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
        // This handles only positive normal numbers.
        bits.map(|h| f32::from_bits((u32::from(h & 0x7FFF) << 13) + (112 << 23))).collect()
    };
    let format = TextureFormat::Rgba16Float;
    let light = half(&drawn(&mut host, &frame, format, true, [0; 3]));
    let mapped = half(&drawn(&mut host, &frame, format, false, [0; 3]));
    let brightest = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
    assert!(brightest(&light) > 1.0, "{}", brightest(&light));
    assert!(brightest(&mapped) <= 1.0, "{}", brightest(&mapped));
    assert!((light[0] - 1.0).abs() < 1e-3 && (mapped[0] - 1.0).abs() < 1e-3, "the background is white");
}

/// Two instances of one part are one draw with two records.
#[test]
fn instances_have_their_own_poses_and_tints() {
    let mut host = Host::new();
    let puppets = [standing(mannequin(), -0.7), standing(mannequin(), 0.7)];
    let settings = view(1, Background::Transparent).with_floor(false).with_shadow(false);
    let red = Vec4::new(1.0, 0.2, 0.2, 1.0);
    let mut frames = puppets.each_ref().map(|puppet| scene::frame(puppet, &settings));
    frames[1].instances[0].tint = red;
    let [left, right] =
        frames.each_ref().map(|frame| host.renderer.render(&[&host.model], frame, SIZE).unwrap().rgba);
    let mut both = frames[0].clone();
    both.instances.extend(frames[1].instances.clone());
    let other = Character::default();
    let empty = host.renderer.model(&other, &[], &DecodedImages::default()).unwrap();
    // The second instance refers to the third model of the list.
    both.instances[1].model = 2;
    let models = [&host.model, &empty, &host.model];
    let both = host.renderer.render(&models, &both, SIZE).unwrap().rgba;
    for (pixel, bytes) in both.chunks_exact(4).enumerate() {
        let of = |image: &[u8]| image[pixel * 4..pixel * 4 + 4].to_vec();
        let (left, right) = (of(&left), of(&right));
        assert!(left[3] == 0 || right[3] == 0, "they do not overlap");
        assert_eq!(bytes, if left[3] > 0 { left } else { right }, "pixel {pixel}");
    }
    let reds = right.chunks_exact(4).filter(|p| p[3] > 0 && p[0] > p[1].saturating_add(20)).count();
    assert!(reds > 50, "{reds} pixels are tinted");
}

#[test]
fn what_is_outside_the_view_changes_nothing() {
    let mut host = Host::new();
    let (puppet, away) = (host.puppet.clone(), standing(mannequin(), 40.0));
    let mut frame = scene::frame(&puppet, &view(1, Background::Color(GREY)));
    let alone = host.renderer.render(&[&host.model], &frame, SIZE).unwrap();
    frame.instances.push(scene::instance(&away));
    assert_eq!(host.renderer.render(&[&host.model], &frame, SIZE).unwrap(), alone);
    frame.instances[1].model = 7;
    assert_eq!(host.renderer.render(&[&host.model], &frame, SIZE).unwrap(), alone, "there is no such model");
}

/// A placed instance is drawn like one whose own nodes are placed.
#[test]
fn instances_are_placed_in_the_world() {
    let mut host = Host::new();
    for skinning in Skinning::ALL {
        let turn = |puppet: &mut Puppet| {
            puppet.options.skinning = skinning;
            puppet.play(0, 0.3);
            puppet.update().unwrap();
        };
        let mut moved = standing(mannequin(), 0.0);
        turn(&mut moved);
        let place = Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.8),
            Quat::from_rotation_y(0.6),
            Vec3::new(0.4, 0.1, -0.2),
        );
        // The same pose with the palette placed by hand.
        let mut palette = moved.palette().matrices.clone();
        let settings = view(1, Background::Color(GREY)).with_floor(false);
        let mut frame = scene::frame(&moved, &settings);
        frame.instances[0].place = place;
        let placed = host.renderer.render(&[&host.model], &frame, SIZE).unwrap().rgba;
        if skinning == Skinning::Linear {
            palette.iter_mut().for_each(|matrix| *matrix = glam::Mat4::from(place) * *matrix);
        } else {
            let mut linear = moved.clone();
            linear.options.skinning = Skinning::Linear;
            linear.update().unwrap();
            let world: Vec<Affine3A> = linear.world_from_node().iter().map(|node| place * *node).collect();
            let mut by_hand = Palette::new(moved.character(), moved.parts());
            by_hand.update(moved.character(), &world, skinning);
            palette = by_hand.matrices;
        }
        let mut expected = scene::frame(&moved, &settings);
        expected.instances[0].palette = &palette;
        expected.instances[0].draws.iter_mut().for_each(|draw| draw.bounds = Bounds::default());
        let expected = host.renderer.render(&[&host.model], &expected, SIZE).unwrap().rgba;
        let pixels = placed.chunks_exact(4).zip(expected.chunks_exact(4));
        let different = pixels.filter(|(a, b)| most_different(a, b) > 2).count();
        assert!(different <= 8, "{skinning:?}: {different} pixels");
    }
}

/// The records of a frame that failed were once left behind, so that the next frame read an earlier frame's records.
#[test]
fn a_frame_after_one_that_was_too_large_is_complete() {
    let mut host = Host::new();
    let (puppet, settings) = (host.puppet.clone(), view(1, Background::Color(GREY)));
    let mut one = scene::frame(&puppet, &settings);
    let mut crowd = one.clone();
    // The matrices of this frame reserve enough space for all instances, so only the records need a new buffer later.
    let long = puppet.palette().matrices.repeat(50);
    one.instances[0].palette = &long;
    for step in 0..40_u8 {
        let place = Affine3A::from_translation(Vec3::X * (f32::from(step) * 0.05 - 1.0));
        crowd.instances.push(Instance { place, ..scene::instance(&puppet) });
    }
    let expected = host.renderer.render(&[&host.model], &crowd, SIZE).unwrap();
    let mut host = Host::new();
    host.renderer.render(&[&host.model], &one, SIZE).unwrap();
    let limit = host.gpu().device.limits().max_storage_buffer_binding_size;
    let matrices = vec![glam::Mat4::IDENTITY; usize::try_from(limit / 48 + 1).unwrap()];
    let mut too_large = crowd.clone();
    too_large.instances[0].palette = &matrices;
    assert!(host.renderer.render(&[&host.model], &too_large, SIZE).is_err());
    drop(matrices);
    assert_eq!(host.renderer.render(&[&host.model], &crowd, SIZE).unwrap(), expected);
}
