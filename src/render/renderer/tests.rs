//! What a renderer creates for crowds whose hidden characters are left out, and what it keeps.

use std::sync::Arc;

use super::*;
use crate::depth_pyramid::DepthPyramid;
use crate::scene::{CrowdGround, CrowdLayout, CrowdScene, ViewSettings};
use crate::view::AUTO_FOV_Y;
use crate::{ShadingMode, asset, drawable_texture, rig};

const SIZE: (u32, u32) = (64, 48);
const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

fn pyramid(renderer: &Renderer) -> Option<&DepthPyramid> {
    Some(&renderer.culling.as_ref()?.occlusion.as_ref()?.pyramid)
}

#[test]
fn pyramids_are_prepared_before_they_are_drawn_and_dropped_when_they_are_unused() {
    let gpu = Gpu::of_tests();
    let mut renderer = Renderer::new(gpu.clone());
    let character = asset::mannequin().unwrap();
    let rig = rig::detect(&character);
    let layout = CrowdLayout {
        count: 4,
        ground: CrowdGround::Flat,
        seed: 1,
        looks: 0.0,
        pixel_error: 0.0,
        occlusion: true,
    };
    let cast = [(Arc::new(character), rig)];
    let scene = CrowdScene::new(&mut renderer, &cast, &layout, ShadingMode::Shaded).unwrap();
    if !(gpu.capabilities.has_compute && gpu.capabilities.loads_compared_depth) {
        assert!(pyramid(&renderer).is_none(), "this adapter draws all characters");
        return;
    }
    let camera = scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
    let view = drawable_texture(&gpu, "crowd", SIZE, FORMAT, &[]).create_view(&Default::default());
    let canvas = Canvas { view: &view, format: FORMAT, size: SIZE, area: SIZE, is_hdr: false };
    // Frames with several samples per pixel need one more pipeline.
    for (samples, pipelines) in [(1, 1), (4, 2)] {
        let settings = ViewSettings::new(camera, scene.bounds()).with_samples(samples);
        let frame = scene.frame(&settings);
        renderer.prepare(&scene.models(), &frame, &canvas).unwrap();
        assert_eq!(pyramid(&renderer).unwrap().pipelines(), pipelines, "{samples} samples");
        let mut draw = |frame: &Frame<'_>| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            renderer.draw(&scene.models(), frame, &canvas, &mut encoder).unwrap();
            gpu.queue.submit([encoder.finish()]);
            gpu.check().unwrap();
            let pyramid = pyramid(&renderer).unwrap();
            (pyramid.pipelines(), pyramid.group().is_some())
        };
        assert_eq!(draw(&frame), (pipelines, true));
        assert_eq!(draw(&Frame { crowds: Vec::new(), ..frame }), (pipelines, false));
    }
}
