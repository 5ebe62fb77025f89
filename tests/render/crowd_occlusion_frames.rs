//! Crowds without hidden characters in part of a view, over other drawings, beside other crowds, and in frames with glass.

use std::sync::Arc;

use glam::{Affine3A, Vec3, vec3};
use sinew::asset::{Character, Transmission};
use sinew::crowd::{Crowd, PlayedClip, Spawn};
use sinew::puppet::Puppet;
use sinew::render::{Background, Canvas, DecodedImages, Frame, Instance};
use sinew::scene;
use wgpu::TextureFormat;

use crate::crowd::Stage;
use crate::crowd_draw::empty_frame;
use crate::crowd_occlusion::{AMONG, IN_FRONT, Others, Pair, SIZE, seen_from};
use crate::embedded::{clear, read, texture_of};
use sinew_testkit::mannequin;

/// The frame covers only this part of the view.
const AREA: (u32, u32) = (191, 107);
const GREY: [u8; 3] = [0x60, 0x68, 0x70];

/// Draws both crowds of a pair from in front of the wall into part of a view with a grey drawing. Returns the bytes of both views.
fn drawn(pair: &mut Pair, background: Background, samples: u32) -> [Vec<u8>; 2] {
    let Pair { stage: Stage { renderer, surface, crowd }, complete } = pair;
    let (gpu, format) = (renderer.gpu().clone(), TextureFormat::Rgba8UnormSrgb);
    let camera = seen_from(IN_FRONT, AMONG);
    [&*crowd, &*complete].map(|crowd| {
        let texture = texture_of(&gpu, format, SIZE);
        let view = texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        clear(&mut encoder, &view, GREY);
        let crowds = crowd.instances(0).collect();
        let frame = Frame { crowds, camera, background, samples, ..empty_frame() };
        let canvas = Canvas { view: &view, format, size: SIZE, area: AREA, is_hdr: false };
        renderer.draw(&[&*surface], &frame, &canvas, &mut encoder).unwrap();
        gpu.queue.submit([encoder.finish()]);
        gpu.check().unwrap();
        read(&gpu, &texture)
    })
}

#[test]
fn parts_of_views_and_other_drawings_look_the_same() {
    let mut pair = Pair::new(mannequin());
    pair.step(0.1);
    for background in [Background::Color(GREY), Background::Keep] {
        for samples in [1, 4] {
            for index in 0..3 {
                let [image, expected] = drawn(&mut pair, background, samples);
                assert!(image == expected, "frame {index}: {background:?}, {samples} samples");
                let is_changed = |x: u32, y: u32| {
                    let at = ((y * SIZE.0 + x) * 4) as usize;
                    image[at..at + 3].iter().zip(&GREY).any(|(a, b)| a.abs_diff(*b) > 2)
                };
                assert!(is_changed(AREA.0 / 2, AREA.1 / 2), "there is no wall");
                let outside = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
                let mut outside = outside.filter(|(x, y)| *x >= AREA.0 || *y >= AREA.1);
                assert!(!outside.any(|(x, y)| is_changed(x, y)), "the frame is larger than its area");
            }
            let hidden = pair.stage.crowd.read_drawn().unwrap().hidden;
            println!("{hidden} characters are hidden, {background:?}, {samples} samples");
            pair.assert_hides(hidden, 1);
            assert_eq!(pair.complete.read_drawn().unwrap().hidden, 0);
        }
    }
}

/// The other crowd draws hidden characters. It is before the crowd in the list of the frame.
#[test]
fn crowds_with_and_without_hidden_characters_share_a_frame() {
    let mut pair = Pair::new(mannequin());
    let Stage { renderer, surface, crowd } = &mut pair.stage;
    let mut other = Crowd::new(renderer, Arc::clone(crowd.model()), None).unwrap();
    for place in [vec3(0.45, 0.0, 0.35), vec3(-1.0, 0.0, -8.0), vec3(1.0, 0.0, -8.0)] {
        let spawn = Spawn { position: place, clips: vec![PlayedClip::new(0, 0.2)], ..Spawn::default() };
        other.spawn(renderer, surface, &spawn).unwrap();
    }
    let gpu = renderer.gpu().clone();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    other.step(&mut encoder, 0.1, Vec3::ZERO).unwrap();
    gpu.queue.submit([encoder.finish()]);
    pair.step(0.1);
    let camera = seen_from(IN_FRONT, AMONG);
    let others = Others { crowds: other.instances(0).collect(), ..Others::default() };
    let [.., hidden] = pair.hidden(&others, camera);
    pair.assert_hides(hidden, 11);
    let seen = other.read_drawn().unwrap();
    assert_eq!((seen.visible(), seen.hidden), (3, 0));
    let [mixed, alone] = [others, Others::default()].map(|others| pair.image_with(&others, camera, 4).0);
    assert!(mixed.rgba != alone.rgba, "the other crowd is not visible");
}

/// What is behind glass is drawn before the depths that hide characters are known.
#[test]
fn frames_with_glass_draw_all_characters() {
    let mut pair = Pair::new(mannequin());
    pair.step(0.1);
    let camera = seen_from(IN_FRONT, AMONG);
    let [.., hidden] = pair.hidden(&Others::default(), camera);
    pair.assert_hides(hidden, 11);
    let mut character = Character::clone(&mannequin());
    character.materials[0].transmission = Some(Transmission { factor: 0.8, texture: None });
    let mut puppet = Puppet::new(character, 0);
    puppet.update().unwrap();
    let images = DecodedImages::default();
    let model = pair.stage.renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let place = Affine3A::from_translation(vec3(0.45, 0.0, 0.35));
    let figure = Instance { model: 1, place, ..scene::instance(&puppet) };
    let glass = Others { instances: vec![figure], models: vec![&model], ..Others::default() };
    for samples in [1, 4] {
        assert_eq!(pair.image_with(&glass, camera, samples).1.hidden, 0);
    }
    // The frames with glass have not changed what was visible before them.
    let [hidden, ..] = pair.hidden(&Others::default(), camera);
    pair.assert_hides(hidden, 11);
}
