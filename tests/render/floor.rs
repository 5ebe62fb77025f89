//! The floor, which samples the shadow map only under the character's shadow.

use glam::{Vec3, vec3};
use sinew::puppet::Puppet;
use sinew::render::{DecodedImages, Floor, Grid};
use sinew::scene;
use sinew::view::{Bounds, Projection};

use crate::{renderer, typical_view};
use sinew_testkit::mannequin;

#[test]
fn shadows_are_complete_from_any_direction() {
    let puppet = Puppet::new(mannequin(), 0);
    let bounds = puppet.bounds();
    let mut renderer = renderer();
    let model = renderer.model(puppet.character(), puppet.parts(), &DecodedImages::default()).unwrap();
    let (center, radius) = bounds.sphere();
    let default = typical_view(bounds, 1.0);
    let positions = [
        default.camera.position,
        // In this order, the shadow falls towards the camera, falls away from it, is seen from above, contains the
        // camera, and is outside the image.
        center + vec3(-1.5, 0.8, -1.7) * radius,
        center + vec3(1.5, 0.2, 1.7) * radius,
        center + vec3(0.1, 4.0, 0.0) * radius,
        center + vec3(-0.2, -0.6, -0.3) * radius,
        center + vec3(0.0, 1.0, 0.5) * radius,
    ];
    for (i, position) in positions.into_iter().enumerate() {
        let mut settings = default.clone();
        settings.camera.position = position;
        settings.camera.target = if i == 5 { center + Vec3::Z * 2.0 * radius } else { center };
        settings.camera.set_depth_range(&bounds);
        let mut frame = scene::frame(&puppet, &settings);
        let culled = renderer.render(&[&model], &frame, (96, 64)).unwrap();
        // Without bounds, the shadow map is sampled on the whole floor.
        frame
            .instances
            .iter_mut()
            .flat_map(|i| &mut i.draws)
            .for_each(|draw| draw.bounds = Bounds::default());
        let complete = renderer.render(&[&model], &frame, (96, 64)).unwrap();
        let worst = culled.rgba.iter().zip(&complete.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        // Without bounds, the whole image has several samples, which are rounded individually.
        assert!(worst <= Some(2), "from {position}: {worst:?}");
    }
}

#[test]
fn a_clear_grid_shows_tenths_units_and_axes() {
    let puppet = Puppet::new(mannequin(), 0);
    let bounds = puppet.bounds();
    let mut renderer = renderer();
    let model = renderer.model(puppet.character(), puppet.parts(), &DecodedImages::default()).unwrap();
    let mut settings = typical_view(bounds, 1.0);
    settings.samples = 1;
    // One pixel is 5 mm, and the image shows the floor from (-0.3, -0.3) to (1.3, 1.3).
    let target = vec3(0.5, bounds.lo.y, 0.5);
    settings.camera.projection = Projection::Orthographic { height: 1.6 };
    (settings.camera.position, settings.camera.target) = (target + Vec3::Y * 9.0, target);
    (settings.camera.up, settings.camera.far) = (Vec3::NEG_Z, 20.0);
    let mut frame = scene::frame(&puppet, &settings);
    frame.instances[0].draws.clear();
    let mut image = |grid: Grid| {
        frame.ground = frame.ground.map(|floor| Floor { grid, ..floor });
        renderer.render(&[&model], &frame, (320, 320)).unwrap()
    };
    let (faint, clear) = (image(Grid::Faint), image(Grid::Clear { width: 1.0 }));
    let at = |image: &sinew::render::DecodedImage, x: f32, z: f32| {
        // Of the pixels beside a line, use the one that the line covers most.
        let pixel = |v: f32| ((v + 0.3) * 200.0).round() as usize;
        let texel = |x: usize, y: usize| <[u8; 3]>::try_from(&image.rgba[(y * 320 + x) * 4..][..3]).unwrap();
        let near = (0..4).map(|i| texel(pixel(x) - i % 2, pixel(z) - i / 2));
        near.min_by_key(|[r, g, b]| u32::from(*r) + u32::from(*g) + u32::from(*b)).unwrap()
    };
    let sum = |rgb: [u8; 3]| rgb.iter().map(|v| u32::from(*v)).sum::<u32>();
    let (between, thin, thick) = (at(&clear, 0.55, 0.25), at(&clear, 0.35, 0.2), at(&clear, 1.0, 0.25));
    assert!(sum(thin) + 20 < sum(between) && sum(thick) + 40 < sum(thin), "{between:?} {thin:?} {thick:?}");
    let ([r, _, b], [r2, _, b2]) = (at(&clear, 0.45, 0.0), at(&clear, 0.0, 0.45));
    assert!(r > b + 40 && b2 > r2 + 40, "{r} {b}, {r2} {b2}");
    assert!(
        sum(at(&faint, 0.35, 0.1)) > sum(at(&clear, 0.35, 0.1)) + 15,
        "images from the command line keep their floor"
    );
}
