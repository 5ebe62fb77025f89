//! WebGL2, OpenGL 3.3 and other adapters without storage buffers in vertex shaders draw the same images.

use glam::{Affine3A, Vec3, Vec4};
use serde_json::json;
use sinew::asset::Character;
use sinew::crowd::{CpuCrowd, CrowdModel, PlayedClip, Spawn};
use sinew::puppet::Puppet;
use sinew::render::{
    DecodedImage, DecodedImages, Fill, Frame, Gpu, Instance, Light, LightSource, Line, RenderError, Renderer,
    ShadingMode,
};
use sinew::rig;
use sinew::scene;
use sinew::skin::Skinning;

use crate::twin::{NUMBERS, cloud};
use crate::{load, renderer, typical_view};
use sinew_testkit::Builder;
use sinew_testkit::mannequin;

const SIZE: (u32, u32) = (160, 120);

/// Opens the adapter of the tests with the limits of WebGL2, which allow no storage buffers.
pub(crate) fn webgl2() -> Renderer {
    let info = renderer().gpu().info.clone();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(info.backend.into()));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == info.name).unwrap();
    let required_limits = wgpu::Limits::downlevel_webgl2_defaults();
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    device.on_uncaptured_error(std::sync::Arc::new(|error| panic!("{error}")));
    Renderer::new(Gpu::from_device(device, queue, info))
}

/// Draws a puppet on both kinds of device, and returns the largest difference in levels.
fn difference(puppet: &Puppet, light: LightSource, change: impl Fn(&mut Frame<'_>)) -> u8 {
    let [expected, found] = [renderer(), webgl2()].map(|mut renderer| {
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        let view = typical_view(puppet.bounds(), SIZE.0 as f32 / SIZE.1 as f32)
            .with_light(Light::new(light.clone()));
        let mut frame = scene::frame(puppet, &view);
        change(&mut frame);
        let image = renderer.render(&[&model], &frame, SIZE).unwrap();
        assert!(image.pixels().any(|pixel| pixel != image.pixel(0, 0).unwrap()), "nothing is drawn");
        image
    });
    most_different(&expected, &found)
}

fn most_different(a: &DecodedImage, b: &DecodedImage) -> u8 {
    a.rgba.iter().zip(&b.rgba).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

fn waving() -> Puppet {
    let character = mannequin();
    let wave = character.clips.iter().position(|clip| clip.name.as_deref() == Some("wave")).unwrap();
    let mut puppet = Puppet::new(character, 0);
    puppet.play(wave, 0.7);
    puppet.update().unwrap();
    puppet
}

#[test]
fn a_figure_is_the_same_in_every_light_and_with_every_method_of_skinning() {
    let mut puppet = waving();
    for light in [LightSource::Classic, LightSource::Studio] {
        for skinning in Skinning::ALL {
            puppet.options.skinning = skinning;
            puppet.update().unwrap();
            let occluded = |frame: &mut Frame<'_>| frame.ambient_occlusion = true;
            assert_eq!(difference(&puppet, light.clone(), occluded), 0, "{light:?}, {skinning:?}");
        }
    }
}

#[test]
fn ghosts_lines_and_triangles_are_the_same() {
    let puppet = waving();
    let palette: Vec<_> = puppet
        .palette()
        .matrices
        .iter()
        .map(|matrix| glam::Mat4::from_translation(Vec3::X * 0.3) * *matrix)
        .collect();
    let change = |frame: &mut Frame<'_>| {
        frame.lines.push(Line { start: Vec3::ZERO, end: Vec3::Y, widths: [4.0, 2.0], color: Vec4::ONE });
        frame
            .fills
            .push(Fill { corners: [Vec3::ZERO, Vec3::X, Vec3::Y], color: Vec4::new(1.0, 0.0, 0.0, 0.5) });
    };
    assert_eq!(difference(&puppet, LightSource::Classic, change), 0);
    let [expected, found] = [renderer(), webgl2()].map(|mut renderer| {
        let images = DecodedImages::default();
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        let mut frame = scene::frame(&puppet, &typical_view(puppet.bounds(), 1.0));
        let plain = renderer.render(&[&model], &frame, SIZE).unwrap();
        let ghost =
            Instance { palette: &palette, tint: Vec4::new(0.1, 0.3, 1.0, 1.0), ..frame.instances[0].clone() };
        frame.ghosts.push(ghost);
        let image = renderer.render(&[&model], &frame, SIZE).unwrap();
        assert!(most_different(&plain, &image) > 50);
        image
    });
    assert_eq!(most_different(&expected, &found), 0);
}

/// Eight influences, morph targets, and matrices that do not fit into the uniform buffer of software drivers.
#[test]
fn second_influences_and_morph_targets_are_the_same() {
    let numbers: Vec<f32> = (0..NUMBERS).map(|i| (i as f32 * 12.9898).sin()).collect();
    let mut puppet = Puppet::new(cloud(&numbers), 0);
    for skinning in Skinning::ALL {
        puppet.options.skinning = skinning;
        puppet.update().unwrap();
        assert_eq!(difference(&puppet, LightSource::Classic, |_| ()), 0, "{skinning:?}");
    }
}

/// With compute shaders, the vertices are skinned once for all maps of ambient occlusion. These adapters have none, so the vertices are
/// skinned for each map.
#[test]
fn several_figures_hide_the_same_ambient_light() {
    let numbers: Vec<f32> = (0..NUMBERS).map(|i| (i as f32 * 78.233).sin()).collect();
    let mut cloud = Puppet::new(cloud(&numbers), 0);
    let mut figure = waving();
    for skinning in Skinning::ALL {
        for puppet in [&mut cloud, &mut figure] {
            puppet.options.skinning = skinning;
            puppet.update().unwrap();
            let four = |frame: &mut Frame<'_>| {
                frame.ambient_occlusion = true;
                let first = frame.instances[0].clone();
                frame.instances.extend([0.4, 0.8, -0.5].map(|x: f32| Instance {
                    place: Affine3A::from_translation(Vec3::new(x, 0.0, -0.3 * x)),
                    ..first.clone()
                }));
            };
            assert_eq!(difference(puppet, LightSource::Studio, four), 0, "{skinning:?}");
        }
    }
}

/// Alpha masks also cut holes in the maps of ambient occlusion.
#[test]
fn figures_with_holes_hide_the_same_ambient_light() {
    let mut b = Builder::default();
    let ground = [-1.0, -0.2, 1.0, 1.0, -0.2, 1.0, 1.0, -0.2, -1.0, -1.0, -0.2, -1.0];
    let leaf = ground.map(|x: f32| if x == -0.2 { 0.1 } else { x });
    // Half of the leaf is a hole.
    let colors = [0.0, 1.0, 1.0, 0.0].map(|alpha| [1.0, 1.0, 1.0, alpha]);
    let colors = b.floats("VEC4", 4, colors.as_flattened());
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let (ground, leaf) = (b.floats("VEC3", 3, &ground), b.floats("VEC3", 3, &leaf));
    let file = b.file(json!({
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": ground}, "indices": indices, "material": 0},
            {"attributes": {"POSITION": leaf, "COLOR_0": colors}, "indices": indices, "material": 1},
        ]}],
        "materials": [{"doubleSided": true}, {"alphaMode": "MASK", "doubleSided": true}],
        "nodes": [{"mesh": 0}],
    }));
    let puppet = Puppet::new(load(&file), 0);
    // With more samples, the edge of the hole in the image differs, because it needs sample masks.
    let occluded = |frame: &mut Frame<'_>| (frame.ambient_occlusion, frame.samples) = (true, 1);
    assert_eq!(difference(&puppet, LightSource::Studio, occluded), 0);
}

#[test]
fn a_crowd_of_the_cpu_is_the_same() {
    let character = mannequin();
    let rig = rig::detect(&character);
    let crowd_model = CrowdModel::new(std::sync::Arc::clone(&character), 0, &rig);
    let parts = crowd_model.parts().to_vec();
    let mut crowd = CpuCrowd::new(crowd_model, None);
    for index in 0..300_u16 {
        let at = Vec3::new(f32::from(index % 20) - 10.0, 0.0, f32::from(index / 20) * -1.5);
        let clips = vec![PlayedClip::new(usize::from(index % 5), f32::from(index) * 0.13)];
        crowd.spawn(&Spawn { position: at, clips, ..Spawn::default() }).unwrap();
    }
    crowd.step(0.2, Vec3::ZERO);
    let puppet = Puppet::new(character, 0);
    let [expected, found] = [renderer(), webgl2()].map(|mut renderer| {
        let images = DecodedImages::default();
        let model = renderer.model(puppet.character(), &parts, &images).unwrap();
        let mut frame = scene::frame(&puppet, &typical_view(puppet.bounds(), 1.0));
        frame.instances = crowd.instances(0).collect();
        renderer.render(&[&model], &frame, SIZE).unwrap()
    });
    assert_eq!(most_different(&expected, &found), 0);
}

#[test]
fn what_needs_compute_shaders_is_refused_in_one_line() {
    let mut renderer = webgl2();
    let puppet = waving();
    let images = DecodedImages::default();
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let draw = scene::draws(&puppet, &[]).remove(0);
    let error = renderer.read_vertices(&model, &draw, &puppet.palette().matrices).unwrap_err();
    assert!(matches!(error, RenderError::NoCompute), "{error}");
    assert_eq!(error.to_string().lines().count(), 1);
    let rig = rig::detect(puppet.character());
    let crowd = CrowdModel::new(std::sync::Arc::new(Character::clone(puppet.character())), 0, &rig);
    assert!(sinew::crowd::Crowd::new(&renderer, crowd, None).is_err());
}
