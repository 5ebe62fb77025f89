//! Drawing into a part of the caller's view, as the viewer does.

use sinew::puppet::Puppet;
use sinew::render::{Background, Canvas, DecodedImages, Light, ShadingMode};
use sinew::scene;
use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};

use crate::{renderer, typical_view};
use sinew_testkit::mannequin;

/// A row of 64 pixels has 256 bytes, so the copied rows need no padding.
const SIZE: (u32, u32) = (64, 48);
const AREA: (u32, u32) = (40, 48);

#[test]
fn a_part_of_a_view_matches_an_image_of_its_size() {
    let (puppet, mut renderer) = (Puppet::new(mannequin(), 0), renderer());
    let bounds = puppet.bounds();
    let background = [0x20, 0x40, 0x60];
    let settings = typical_view(bounds, 40.0 / 48.0)
        .with_mode(ShadingMode::Skeleton)
        .with_light(Light::default())
        .with_background(Background::Color(background));
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let frame = scene::frame(&puppet, &settings);
    let image = renderer.render(&[&model], &frame, AREA).unwrap();

    let (device, queue) = (renderer.gpu().device.clone(), renderer.gpu().queue.clone());
    let format = TextureFormat::Rgba8UnormSrgb;
    let texture = device.create_texture(&TextureDescriptor {
        label: None,
        size: Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let mut encoder = device.create_command_encoder(&Default::default());
    let canvas = Canvas { view: &view, format, size: SIZE, area: AREA, is_hdr: false };
    renderer.draw(&[&model], &frame, &canvas, &mut encoder).unwrap();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(SIZE.0 * SIZE.1 * 4),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE.0 * 4), rows_per_image: None };
    let destination = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), destination, texture.size());
    queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None }).unwrap();
    renderer.gpu().check().unwrap();

    let pixels = buffer.get_mapped_range(..).unwrap().to_vec();
    for (y, row) in pixels.chunks_exact(SIZE.0 as usize * 4).enumerate() {
        let (inside, outside) = row.split_at(AREA.0 as usize * 4);
        let from = y * AREA.0 as usize * 4;
        assert_eq!(inside, &image.rgba[from..from + inside.len()], "row {y}");
        assert!(outside.chunks_exact(4).all(|p| p[..3] == background), "row {y}: {outside:?}");
    }
}
