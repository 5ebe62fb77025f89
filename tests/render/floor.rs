//! The floor, of which only what lies below the character is searched for shadows.

use glam::{Vec3, vec3};
use sinew::asset::mannequin;
use sinew::camera::Bounds;
use sinew::puppet::Puppet;
use sinew::render::Pictures;
use sinew::stage;

use crate::{renderer, studio};

#[test]
fn a_shadow_is_found_wherever_it_falls() {
    let puppet = Puppet::new(mannequin().unwrap(), 0);
    let bounds = puppet.bounds();
    let mut renderer = renderer();
    let model = renderer.model(puppet.character(), puppet.parts(), &Pictures::default()).unwrap();
    let (center, radius) = bounds.sphere();
    let usual = studio(bounds, 1.0);
    let places = [
        usual.camera.position,
        // The shadow towards the camera, away from it, from above, from so near that the camera stands in it, and out of
        // the picture.
        center + vec3(-1.5, 0.8, -1.7) * radius,
        center + vec3(1.5, 0.2, 1.7) * radius,
        center + vec3(0.1, 4.0, 0.0) * radius,
        center + vec3(-0.2, -0.6, -0.3) * radius,
        center + vec3(0.0, 1.0, 0.5) * radius,
    ];
    for (i, position) in places.into_iter().enumerate() {
        let mut shot = usual.clone();
        shot.camera.position = position;
        shot.camera.target = if i == 5 { center + Vec3::Z * 2.0 * radius } else { center };
        shot.camera.set_depth_range(&bounds);
        let mut frame = stage::frame(&puppet, &shot);
        let quick = renderer.render(&model, &frame, (96, 64)).unwrap();
        // Where a box is not known, all of the floor is searched.
        frame.draws.iter_mut().for_each(|draw| draw.bounds = Bounds::default());
        let whole = renderer.render(&model, &frame, (96, 64)).unwrap();
        let worst = quick.rgba.iter().zip(&whole.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(1), "from {position}: {worst:?}");
    }
}
