//! Draws a frame into its own texture, and the texture into a rectangle of a window, as the viewer does.

use sinew::puppet::Puppet;
use sinew::render::{
    Background, Compositor, DecodedImage, DecodedImages, Frame, FrameTexture, Light, Model, Placement,
    Renderer, ShadingMode,
};
use sinew::scene;
use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};

use crate::webgl2::webgl2;
use crate::{pixel, renderer, typical_view};
use sinew_testkit::mannequin;

/// A row of 64 pixels has 256 bytes, so the copied rows need no padding.
const WINDOW: (u32, u32) = (64, 48);
const COLORS: TextureFormat = TextureFormat::Rgba8UnormSrgb;
const PLAIN: TextureFormat = TextureFormat::Rgba8Unorm;

struct Scene {
    renderer: Renderer,
    model: Model,
    puppet: Puppet,
    texture: FrameTexture,
}

impl Scene {
    fn new(renderer: Renderer) -> Self {
        let puppet = Puppet::new(mannequin(), 0);
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        Self { renderer, model, puppet, texture: FrameTexture::new([COLORS, PLAIN]) }
    }

    fn frame(puppet: &Puppet, mode: ShadingMode) -> Frame<'_> {
        let settings = typical_view(puppet.bounds(), 40.0 / 30.0)
            .with_mode(mode)
            .with_light(Light::default())
            .with_floor(true)
            .with_background(Background::Color([0x20, 0x40, 0x60]));
        scene::frame(puppet, &settings)
    }

    /// Draws a frame of `size` pixels, and returns the pixels of a black window with the frame in a rectangle.
    fn compose(&mut self, mode: ShadingMode, size: (u32, u32), placement: Placement) -> DecodedImage {
        let (device, queue) = (self.renderer.gpu().device.clone(), self.renderer.gpu().queue.clone());
        let frame = Self::frame(&self.puppet, mode);
        let mut encoder = device.create_command_encoder(&Default::default());
        self.texture.update(&mut self.renderer, (&[&self.model], &frame), size, &mut encoder).unwrap();
        let (_, texels) = self.texture.view().unwrap();
        assert_eq!(texels, size);
        let compositor = Compositor::new(self.renderer.gpu(), PLAIN);
        let composed = self.texture.compose(self.renderer.gpu(), &compositor, placement).unwrap();
        let window = device.create_texture(&TextureDescriptor {
            label: None,
            size: Extent3d { width: WINDOW.0, height: WINDOW.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: PLAIN,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = window.create_view(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        composed.draw(&mut pass, WINDOW);
        drop(pass);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(WINDOW.0 * WINDOW.1 * 4),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(WINDOW.0 * 4),
            rows_per_image: None,
        };
        let destination = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(window.as_image_copy(), destination, window.size());
        queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None }).unwrap();
        self.renderer.gpu().check().unwrap();
        let rgba = buffer.get_mapped_range(..).unwrap().to_vec();
        DecodedImage { width: WINDOW.0, height: WINDOW.1, rgba }
    }
}

#[test]
fn a_composed_frame_matches_an_image_bit_by_bit() {
    matches_an_image(renderer());
}

/// Regression: without views in a different format, colours were stored without conversion, so translucent surfaces were blended as sRGB.
/// The lines of the floor were too dark with OpenGL and WebGL2.
#[test]
fn it_does_without_views_in_other_formats() {
    matches_an_image(webgl2());
}

fn matches_an_image(renderer: Renderer) {
    let mut scene = Scene::new(renderer);
    let size = (40, 30);
    for mode in [ShadingMode::Shaded, ShadingMode::Normal] {
        let image = scene.renderer.render(&[&scene.model], &Scene::frame(&scene.puppet, mode), size).unwrap();
        // The second rectangle extends beyond the window.
        for origin in [(7, 5), (40, 30), (0, 0)] {
            let window = scene.compose(mode, size, Placement { origin, size });
            for (x, y) in (0..WINDOW.0).flat_map(|x| (0..WINDOW.1).map(move |y| (x, y))) {
                let at = x.checked_sub(origin.0).zip(y.checked_sub(origin.1));
                let inside = at.filter(|&(x, y)| x < size.0 && y < size.1);
                let expected = inside.map_or([0, 0, 0, 255], |(x, y)| pixel(&image, x, y));
                assert_eq!(pixel(&window, x, y), expected, "{mode:?} at {origin:?}: {x}, {y}");
            }
        }
    }
}

#[test]
fn a_smaller_frame_is_enlarged_smoothly() {
    let mut scene = Scene::new(renderer());
    let placement = Placement { origin: (4, 4), size: (40, 30) };
    let (large, small) = (scene.compose(ShadingMode::Shaded, (40, 30), placement), (20, 15));
    let enlarged = scene.compose(ShadingMode::Shaded, small, placement);
    let distance = large.rgba.iter().zip(&enlarged.rgba).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
    let mean = distance / large.rgba.len() as u64;
    assert!(mean < 8 && large.rgba != enlarged.rgba, "{mean}");
}

#[test]
fn an_unchanged_frame_is_not_drawn_again() {
    let mut scene = Scene::new(renderer());
    let (size, placement) = ((40, 30), Placement { origin: (0, 0), size: (40, 30) });
    let first = scene.compose(ShadingMode::Shaded, size, placement);
    let moved = Placement { origin: (9, 9), ..placement };
    scene.compose(ShadingMode::Shaded, size, moved);
    assert_eq!(scene.compose(ShadingMode::Shaded, size, placement).rgba, first.rgba);
    assert_eq!(scene.texture.draws(), 1);
    // Another size, mode, pose or model is drawn.
    scene.compose(ShadingMode::Shaded, (20, 15), placement);
    assert_eq!(scene.texture.draws(), 2);
    scene.compose(ShadingMode::Lambert, (20, 15), placement);
    assert_eq!(scene.texture.draws(), 3);
    let head = scene.puppet.character().skeleton.find("head").unwrap();
    let mut pose = scene.puppet.pose().clone();
    pose.locals[head].rotation = glam::Quat::from_rotation_y(0.3);
    scene.puppet.held = Some(pose);
    scene.puppet.update().unwrap();
    scene.compose(ShadingMode::Lambert, (20, 15), placement);
    assert_eq!(scene.texture.draws(), 4);
    let images = DecodedImages::decode(scene.puppet.character(), scene.puppet.parts(), ShadingMode::Shaded);
    scene.model = scene.renderer.model(scene.puppet.character(), scene.puppet.parts(), &images).unwrap();
    scene.compose(ShadingMode::Lambert, (20, 15), placement);
    scene.compose(ShadingMode::Lambert, (20, 15), placement);
    assert_eq!(scene.texture.draws(), 5);
}
