//! The floor, which samples the shadow map only under the character's shadow.

use glam::{Vec3, vec3};
use sinew::asset::mannequin;
use sinew::puppet::Puppet;
use sinew::render::DecodedImages;
use sinew::scene;
use sinew::view::Bounds;

use crate::{renderer, typical_view};

#[test]
fn shadows_are_complete_from_any_direction() {
    let puppet = Puppet::new(mannequin().unwrap(), 0);
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
        let culled = renderer.render(&model, &frame, (96, 64)).unwrap();
        // Without bounds, the shadow map is sampled on the whole floor.
        frame.draws.iter_mut().for_each(|draw| draw.bounds = Bounds::default());
        let complete = renderer.render(&model, &frame, (96, 64)).unwrap();
        let worst = culled.rgba.iter().zip(&complete.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(1), "from {position}: {worst:?}");
    }
}
