//! Tests crowds in which many characters appear and disappear in each frame.

use std::collections::VecDeque;

use glam::Vec3;

use super::Actor;
use crate::crowd::model::CrowdModel;
use crate::crowd::{CharacterId, Crowd, CrowdError, PlayedClip, Spawn};
use crate::{DecodedImages, Gpu, Renderer};

const PER_FRAME: usize = 1000;
const FRAMES: usize = 10;

#[test]
fn a_thousand_characters_per_frame_need_no_new_buffers() {
    let actor = Actor::mannequin();
    let mut renderer = Renderer::new(Gpu::of_tests());
    let model =
        CrowdModel::new(actor.model.character.clone(), actor.model.character.default_scene, &actor.rig);
    let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default()).unwrap();
    let mut crowd = Crowd::new(&renderer, model, None).unwrap();
    let capacity = 3 * PER_FRAME;
    crowd.reserve(&mut renderer, &surface, capacity as u32).unwrap();
    let (batches, bytes) = (crowd.batches.len(), crowd.bytes());
    let spawn = |number: usize| Spawn {
        position: Vec3::X * number as f32,
        clips: vec![PlayedClip::new(0, 0.0)],
        ..Spawn::default()
    };
    let mut present: VecDeque<(CharacterId, usize)> = VecDeque::new();
    let mut removed = Vec::new();
    let mut staging = Vec::new();
    for frame in 0..FRAMES {
        // Characters are removed before others are added in every other frame, so that slots are also reused at once.
        let remove = |crowd: &mut Crowd, present: &mut VecDeque<(CharacterId, usize)>| {
            let count = if frame < 3 { 0 } else { PER_FRAME };
            let ids: Vec<CharacterId> = present.drain(..count).map(|(id, _)| id).collect();
            ids.iter().for_each(|id| crowd.despawn(*id).unwrap());
            ids
        };
        if frame % 2 == 1 {
            removed.extend(remove(&mut crowd, &mut present));
        }
        for number in 0..PER_FRAME {
            let number = frame * PER_FRAME + number;
            if present.len() < capacity {
                let id = crowd.spawn(&mut renderer, &surface, &spawn(number)).unwrap();
                present.push_back((id, number));
            }
        }
        if frame % 2 == 0 {
            removed.extend(remove(&mut crowd, &mut present));
        }
        let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
        crowd.step(&mut encoder, 0.0, Vec3::ZERO).unwrap();
        renderer.gpu().queue.submit([encoder.finish()]);
        renderer.gpu().device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        renderer.gpu().check().unwrap();
        assert_eq!((crowd.batches.len(), crowd.bytes()), (batches, bytes));
        assert_eq!(crowd.len(), present.len());
        staging.push(crowd.staging.kept());
    }
    // The first frames create the buffer for uploads, and later frames use it again.
    assert!(staging[5..].iter().all(|kept| kept.len() == 1 && kept == &staging[5]));
    assert!(removed.len() == (FRAMES - 3) * PER_FRAME && !present.is_empty());
    for id in removed {
        assert!(matches!(crowd.despawn(id), Err(CrowdError::Despawned)));
        assert!(matches!(crowd.walk_to(id, None), Err(CrowdError::Despawned)));
    }
    // Every character that is present is the one with this identifier.
    for &(id, number) in present.iter().step_by(97) {
        let (place, _) = crowd.read_pose(id).unwrap();
        assert_eq!(Vec3::from(place.translation), Vec3::X * number as f32);
    }
}
