//! On software adapters, only the surroundings of surfaces are drawn with several samples. The image must look the same as with several
//! samples everywhere.

use glam::{Vec3, Vec4};
use sinew::puppet::Puppet;
use sinew::render::{Background, DecodedImage, DecodedImages, Fill, Gpu, Light, Renderer, ShadingMode};
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Camera};

use crate::renderer;
use sinew_testkit::mannequin;

/// Draws the mannequin as it is, and again with an invisible triangle that makes the whole image use several samples.
fn images(mode: ShadingMode, background: Background, size: (u32, u32)) -> [DecodedImage; 2] {
    images_of(renderer(), mode, background, size)
}

fn images_of(
    mut renderer: Renderer,
    mode: ShadingMode,
    background: Background,
    size: (u32, u32),
) -> [DecodedImage; 2] {
    let mut puppet = Puppet::new(mannequin(), 0);
    puppet.update().unwrap();
    let bounds = puppet.bounds();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), mode);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let camera = Camera::framing(&bounds, AUTO_FOV_Y, 1.8);
    let is_color = !mode.is_data();
    let settings = ViewSettings::new(camera, bounds)
        .with_mode(mode)
        .with_light(Light::default())
        .with_background(background)
        .with_floor(is_color)
        .with_shadow(is_color);
    let mut frame = scene::frame(&puppet, &settings);
    let alone = renderer.render(&[&model], &frame, size).unwrap();
    frame.fills.push(Fill { corners: [Vec3::ZERO, Vec3::X, Vec3::Y], color: Vec4::ZERO });
    [alone, renderer.render(&[&model], &frame, size).unwrap()]
}

#[test]
fn samples_around_surfaces_give_the_same_image_as_samples_everywhere() {
    let cases = [
        (ShadingMode::Shaded, Background::STUDIO, (540, 300)),
        (ShadingMode::Shaded, Background::Transparent, (531, 299)),
        (ShadingMode::Lambert, Background::BLACK, (540, 300)),
        (ShadingMode::Normal, Background::BLACK, (540, 300)),
        (ShadingMode::Mask, Background::BLACK, (540, 300)),
    ];
    for (mode, background, size) in cases {
        let [alone, everywhere] = images(mode, background, size);
        // An almost transparent colour has low precision, so its straight-alpha form has large errors.
        let visible = |pixel: &[u8]| pixel.get(3).is_some_and(|&alpha| alpha > 40);
        let pixels = alone.rgba.chunks_exact(4).zip(everywhere.rgba.chunks_exact(4));
        let differences = pixels.map(|(a, b)| {
            let levels = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            if visible(a) || visible(b) { levels } else { a[3].abs_diff(b[3]) }
        });
        let differences: Vec<u8> = differences.collect();
        let worst = differences.iter().max().copied();
        // Samples are rounded individually or together. Where pieces of the floor meet, llvmpipe draws some samples twice. Single pixels at
        // edges may have one sample more or less.
        let several = differences.iter().filter(|d| **d > 2).count();
        assert!(several <= 160, "{mode:?}: {several} pixels differ, the worst by {worst:?} levels");
    }
}

/// Mesa 22.3 reads black from the samples with OpenGL, so figures were black rectangles there.
#[test]
fn figures_are_not_black_with_opengl() {
    let opengl = Renderer::new(Gpu::new(&"gl".parse().unwrap()).unwrap());
    let [alone, everywhere] = images_of(opengl, ShadingMode::Shaded, Background::STUDIO, (540, 300));
    let black = |image: &DecodedImage| image.rgba.chunks_exact(4).filter(|p| p[..3] == [0; 3]).count();
    assert!(black(&alone) == 0 && black(&everywhere) == 0);
}
