//! Characters that are hidden are not drawn, which does not change images.

use std::f32::consts::FRAC_PI_3;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3, Vec4, vec3};
use sinew::asset::{AlphaMode, Character};
use sinew::crowd::{CharacterId, Crowd, PlayedClip, Spawn};
use sinew::puppet::Puppet;
use sinew::render::{CrowdInstances, DecodedImage, DrawnLevels, Frame, Instance, Model};
use sinew::scene;
use sinew::view::{Camera, Projection};

use crate::crowd::Stage;
use crate::crowd_draw::empty_frame;
use sinew_testkit::mannequin;

pub(crate) const SIZE: (u32, u32) = (256, 144);
/// A point at chest height among the characters behind the wall.
pub(crate) const AMONG: Vec3 = vec3(0.0, 1.2, -20.0);
/// A point at chest height in front of the wall.
pub(crate) const IN_FRONT: Vec3 = vec3(0.0, 1.2, 1.2);

pub(crate) fn seen_from(position: Vec3, target: Vec3) -> Camera {
    let projection = Projection::Perspective { fov_y: FRAC_PI_3 };
    Camera { position, target, up: Vec3::Y, projection, near: 0.1, far: 100.0 }
}

/// Returns a camera that comes down from above, stops in front of the wall, jumps, turns away and turns back.
fn path() -> [Camera; 12] {
    let above = seen_from(vec3(0.0, 12.0, 8.0), AMONG);
    let eye_height = seen_from(IN_FRONT, AMONG);
    [
        above,
        seen_from(vec3(0.0, 5.0, 4.0), AMONG),
        eye_height,
        eye_height,
        seen_from(vec3(2.0, 1.5, -40.0), Vec3::Y),
        seen_from(vec3(10.0, 9.0, -5.0), AMONG),
        seen_from(IN_FRONT, vec3(0.0, 1.2, 20.0)),
        eye_height,
        Camera { projection: Projection::Orthographic { height: 4.0 }, ..eye_height },
        eye_height,
        eye_height,
        above,
    ]
}

/// Returns a wall of characters in two rows without gaps between them, and rows of other characters far behind it.
fn spawns() -> Vec<Spawn> {
    let spawn = |index: u32, position: Vec3| Spawn {
        position,
        tint: Vec4::new(1.0, 0.4 + 0.1 * (index % 6) as f32, 0.7, 1.0),
        clips: vec![PlayedClip::new(0, index as f32 * 0.13)],
        ..Spawn::default()
    };
    let wall = (0..26).map(|index| {
        let (column, row) = ((index / 2) as f32, (index % 2) as f32);
        spawn(index, vec3(column * 0.5 + row * 0.25 - 3.0, 0.0, row * -0.6))
    });
    let behind = (0..60).map(|index| {
        let (column, row) = ((index % 10) as f32, (index / 10) as f32);
        spawn(index, vec3(column * 1.5 - 7.0, 0.0, -15.0 - 2.5 * row))
    });
    wall.chain(behind).collect()
}

/// Two equal crowds. The one on the stage does not draw hidden characters, and the other one draws all.
pub(crate) struct Pair {
    pub(crate) stage: Stage,
    pub(crate) complete: Crowd,
}

/// What a frame contains besides the crowd.
#[derive(Default)]
pub(crate) struct Others<'a> {
    pub(crate) instances: Vec<Instance<'a>>,
    pub(crate) crowds: Vec<CrowdInstances<'a>>,
    /// The models after that of the crowd.
    pub(crate) models: Vec<&'a Model>,
}

impl Pair {
    pub(crate) fn new(character: impl Into<Arc<Character>>) -> Self {
        let mut stage = Stage::new(character);
        let complete = Crowd::new(&stage.renderer, Arc::clone(stage.crowd.model()), None).unwrap();
        stage.crowd.set_occlusion(&mut stage.renderer, true).unwrap();
        let mut pair = Self { stage, complete };
        for spawn in &spawns() {
            pair.spawn(spawn);
        }
        pair
    }

    fn spawn(&mut self, spawn: &Spawn) -> [CharacterId; 2] {
        let Self { stage: Stage { renderer, surface, crowd }, complete } = self;
        [crowd, complete].map(|crowd| crowd.spawn(renderer, surface, spawn).unwrap())
    }

    pub(crate) fn step(&mut self, seconds: f32) {
        let Self { stage: Stage { renderer, crowd, .. }, complete } = self;
        let gpu = renderer.gpu().clone();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for crowd in [crowd, complete] {
            crowd.step(&mut encoder, seconds, Vec3::ZERO).unwrap();
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// Returns whether the adapter draws hidden characters. With OpenGL, shaders cannot read the depth buffer.
    pub(crate) fn draws_all(&self) -> bool {
        self.stage.renderer.gpu().info.backend == wgpu::Backend::Gl
    }

    /// Checks that at least `least` characters are hidden, or none if the adapter draws all.
    #[track_caller]
    pub(crate) fn assert_hides(&self, hidden: u64, least: u64) {
        let expected = if self.draws_all() { 0..=0 } else { least..=u64::MAX };
        assert!(expected.contains(&hidden), "{hidden} characters are hidden instead of {expected:?}");
    }

    /// Draws both crowds, checks that the images are equal, and returns the image and what was drawn of the crowd on the stage.
    fn image(&mut self, camera: Camera, samples: u32) -> (DecodedImage, DrawnLevels) {
        self.image_with(&Others::default(), camera, samples)
    }

    pub(crate) fn image_with(
        &mut self,
        others: &Others<'_>,
        camera: Camera,
        samples: u32,
    ) -> (DecodedImage, DrawnLevels) {
        let Self { stage: Stage { renderer, surface, crowd }, complete } = self;
        let crowds = [&*crowd, &*complete];
        let models: Vec<&Model> = std::iter::once(&*surface).chain(others.models.iter().copied()).collect();
        let [image, expected] = crowds.map(|crowd| {
            let crowds = others.crowds.iter().copied().chain(crowd.instances(0)).collect();
            let instances = others.instances.clone();
            let frame = Frame { instances, crowds, camera, samples, ..empty_frame() };
            renderer.render(&models, &frame, SIZE).unwrap()
        });
        let [drawn, all] = crowds.map(|crowd| crowd.read_drawn().unwrap());
        assert!(image.rgba == expected.rgba, "the images differ: {camera:?}, {samples} samples");
        assert_eq!(all.hidden, 0);
        assert_eq!(drawn.visible() + drawn.hidden, all.visible(), "{drawn:?} of {all:?}");
        assert!(drawn.triangles <= all.triangles);
        (image, drawn)
    }

    /// Draws three frames, and returns how many characters are hidden in each.
    ///
    /// The first frame of a view draws everything that was not in the view before. The second one draws what the first one has drawn, and
    /// finds out what is hidden.
    pub(crate) fn hidden(&mut self, others: &Others<'_>, camera: Camera) -> [u64; 3] {
        [(); 3].map(|()| self.image_with(others, camera, 1).1.hidden)
    }
}

#[test]
fn images_without_hidden_characters_are_the_same() {
    let mut pair = Pair::new(mannequin());
    for samples in [1, 4] {
        let hidden = path().map(|camera| {
            pair.step(0.1);
            pair.image(camera, samples).1.hidden
        });
        println!("{hidden:?} characters are hidden, {samples} samples");
        // The first frame in front of the wall begins with all that was visible from above.
        let [from_above, _, first, second, .., third, _] = hidden;
        assert_eq!(from_above, 0);
        pair.assert_hides(second.saturating_sub(first), 1);
        pair.assert_hides(second, 11);
        pair.assert_hides(third, 11);
    }
}

#[test]
fn hidden_characters_appear_when_the_camera_passes_the_wall() {
    let mut pair = Pair::new(mannequin());
    pair.step(0.1);
    let [first, second, third] = pair.hidden(&Others::default(), seen_from(IN_FRONT, AMONG));
    assert_eq!([first, second], [0, 0]);
    pair.assert_hides(third, 11);
    let (_, drawn) = pair.image(seen_from(vec3(0.0, 1.2, -10.0), AMONG), 1);
    pair.assert_hides(third.saturating_sub(drawn.hidden), 1);
}

#[test]
fn characters_appear_in_the_frame_after_they_are_added() {
    let mut pair = Pair::new(mannequin());
    let camera = seen_from(IN_FRONT, AMONG);
    pair.step(0.1);
    let [.., hidden] = pair.hidden(&Others::default(), camera);
    pair.assert_hides(hidden, 1);
    let (before, _) = pair.image(camera, 1);
    let near = Spawn { position: vec3(0.2, 0.0, 0.4), ..Spawn::default() };
    let [id, other] = pair.spawn(&near);
    pair.step(0.0);
    let (with_near, _) = pair.image(camera, 1);
    let changed = before.pixels().zip(with_near.pixels()).filter(|(a, b)| a != b).count();
    assert!(changed > 1000, "{changed} pixels");
    // Another character takes the place of one that was visible.
    pair.stage.crowd.despawn(id).unwrap();
    pair.complete.despawn(other).unwrap();
    pair.step(0.0);
    let (without, _) = pair.image(camera, 1);
    assert!(without.rgba != with_near.rgba);
    pair.spawn(&Spawn { position: vec3(-0.4, 0.0, 0.3), ..near });
    pair.step(0.0);
    assert!(pair.image(camera, 1).0.rgba != without.rgba);
}

#[test]
fn occlusion_can_be_turned_off() {
    let mut pair = Pair::new(mannequin());
    let camera = seen_from(IN_FRONT, AMONG);
    pair.step(0.1);
    assert_eq!(pair.stage.crowd.bytes() > pair.complete.bytes(), !pair.draws_all());
    let [.., hidden] = pair.hidden(&Others::default(), camera);
    pair.assert_hides(hidden, 1);
    let Pair { stage: Stage { renderer, crowd, .. }, complete } = &mut pair;
    crowd.set_occlusion(renderer, false).unwrap();
    assert_eq!(crowd.bytes(), complete.bytes());
    assert_eq!(pair.hidden(&Others::default(), camera), [0; 3]);
}

/// Blended parts are drawn from far to near levels, after all other parts. The legs are made of glass, so that the wall still hides others at
/// chest height.
#[test]
fn blended_parts_look_the_same() {
    let mut character = Character::clone(&mannequin());
    let mut glass = character.materials[0].clone();
    (glass.alpha_mode, glass.base_color.w) = (AlphaMode::Blend, 0.5);
    character.materials.push(glass);
    let primitives = &mut character.meshes[0].primitives;
    let mut legs = primitives[0].clone();
    let is_leg = |corners: &[u32; 3]| corners.iter().all(|&vertex| legs.positions[vertex as usize].y < 0.8);
    let (glassy, opaque) = legs.triangles.iter().copied().partition(is_leg);
    (legs.triangles, legs.material, legs.index) = (glassy, Some(1), 1);
    primitives[0].triangles = opaque;
    primitives.push(legs);
    let mut pair = Pair::new(character);
    let hidden = path().map(|camera| {
        pair.step(0.1);
        pair.image(camera, 4).1.hidden
    });
    println!("{hidden:?} characters are hidden");
    pair.assert_hides(hidden.into_iter().max().unwrap(), 11);
}

/// A giant of 50 metres hides characters behind it.
#[test]
fn single_figures_hide_characters_too() {
    let mut pair = Pair::new(mannequin());
    pair.step(0.1);
    let mut puppet = Puppet::new(mannequin(), 0);
    puppet.update().unwrap();
    let place =
        Affine3A::from_scale_rotation_translation(Vec3::splat(30.0), Quat::IDENTITY, vec3(0.0, -34.8, -10.0));
    let giant = Instance { place, ..scene::instance(&puppet) };
    let giant = Others { instances: vec![giant], ..Others::default() };
    let camera = seen_from(vec3(0.0, 1.2, -1.5), AMONG);
    let [.., hidden] = pair.hidden(&Others::default(), camera);
    let [.., with_giant] = pair.hidden(&giant, camera);
    pair.assert_hides(with_giant.saturating_sub(hidden), 11);
}
