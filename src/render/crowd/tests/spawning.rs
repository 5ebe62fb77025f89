//! Tests crowds in which many characters appear and disappear in each frame.

use std::collections::VecDeque;

use glam::{Affine3A, Vec3};

use super::Actor;
use crate::crowd::model::CrowdModel;
use crate::crowd::terrain::Terrain;
use crate::crowd::{CharacterId, Crowd, CrowdError, CrowdGoal, GoalFrame, PlayedClip, Spawn};
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

/// Returns the pose of a character after a few steps. With `is_cleared`, another character with a goal had its slot before, and a step
/// cleared the slot or not.
fn pose_of_new(actor: &Actor, is_cleared: Option<bool>) -> (Affine3A, Vec<Affine3A>) {
    let mut renderer = Renderer::new(Gpu::of_tests());
    let model =
        CrowdModel::new(actor.model.character.clone(), actor.model.character.default_scene, &actor.rig);
    let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default()).unwrap();
    let mut crowd = Crowd::new(&renderer, model, Some(Terrain::hills(3, 20.0))).unwrap();
    let step = |crowd: &mut Crowd, renderer: &Renderer| {
        let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
        crowd.step(&mut encoder, 1.0 / 60.0, Vec3::ZERO).unwrap();
        renderer.gpu().queue.submit([encoder.finish()]);
    };
    let spawn = Spawn {
        position: Vec3::new(1.0, 0.0, 2.0),
        heading: 0.7,
        clips: vec![PlayedClip::new(actor.clip("walk"), 0.3)],
        ..Spawn::default()
    };
    let mut reused = None;
    if let Some(is_cleared) = is_cleared {
        crowd.reserve(&mut renderer, &surface, 1).unwrap();
        let mut before: Vec<CharacterId> = Vec::new();
        while crowd.batches[0].slots.free() > 0 {
            let position = Vec3::X * before.len() as f32 * 0.1;
            let other = Spawn { position, ..spawn.clone() };
            before.push(crowd.spawn(&mut renderer, &surface, &other).unwrap());
        }
        let id = before[before.len() / 2];
        let hand = actor.body.limbs()[actor.body.parts.legs as usize].end as usize;
        let goal = CrowdGoal::reach(actor.model.nodes[hand], Vec3::new(0.4, 1.3, 0.25));
        crowd.set_goal(id, 0, Some(&goal.relative_to(GoalFrame::Character))).unwrap();
        (0..10).for_each(|_| step(&mut crowd, &renderer));
        crowd.despawn(id).unwrap();
        if is_cleared {
            step(&mut crowd, &renderer);
        }
        reused = Some(id);
    }
    let new = crowd.spawn(&mut renderer, &surface, &spawn).unwrap();
    assert!(reused.is_none_or(|id| new.slot == id.slot && new != id));
    (0..5).for_each(|_| step(&mut crowd, &renderer));
    crowd.read_pose(new).unwrap()
}

#[test]
fn reused_slots_keep_nothing_of_earlier_characters() {
    let actor = Actor::mannequin();
    let (place, joints) = pose_of_new(&actor, None);
    for is_cleared in [false, true] {
        let (other_place, others) = pose_of_new(&actor, Some(is_cleared));
        assert!(other_place.abs_diff_eq(place, 1e-5), "{other_place} {place}");
        for (a, b) in joints.iter().zip(&others) {
            assert!(a.abs_diff_eq(*b, 1e-5), "{is_cleared}: {a} {b}");
        }
    }
}
