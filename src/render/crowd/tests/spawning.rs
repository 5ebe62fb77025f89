//! Tests crowds in which many characters appear and disappear in each frame.

use std::collections::VecDeque;

use glam::{Affine3A, Vec3};

use super::Actor;
use crate::crowd::terrain::Terrain;
use crate::crowd::{CharacterId, CpuCrowd, Crowd, CrowdError, CrowdGoal, GoalFrame, Look, PlayedClip, Spawn};
use crate::view::Ray;
use crate::{Gpu, Renderer};

const PER_FRAME: usize = 1000;
const FRAMES: usize = 10;

#[test]
fn a_thousand_characters_per_frame_need_no_new_buffers() {
    let actor = Actor::mannequin();
    let mut renderer = Renderer::new(Gpu::of_tests());
    let (surface, mut crowd) = actor.crowd(&renderer, None);
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
    let (surface, mut crowd) = actor.crowd(&renderer, Some(Terrain::hills(3, 20.0)));
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

#[test]
fn characters_of_a_crowd_on_the_cpu_can_be_removed() {
    let actor = Actor::mannequin();
    let mut crowd = CpuCrowd::new(actor.model.clone(), None);
    let spawn = |x: f32| Spawn {
        position: Vec3::X * x,
        clips: vec![PlayedClip::new(actor.clip("idle"), 0.3)],
        ..Spawn::default()
    };
    let ids: Vec<CharacterId> = (0..5_u8).map(|x| crowd.spawn(&spawn(f32::from(x))).unwrap()).collect();
    let hand = actor.body.limbs()[actor.body.parts.legs as usize].end as usize;
    let goal = CrowdGoal::reach(actor.model.nodes[hand], Vec3::new(0.4, 1.3, 0.25));
    crowd.set_goal(ids[1], 0, Some(&goal.relative_to(GoalFrame::Character))).unwrap();
    crowd.step(1.0 / 60.0, Vec3::ZERO);
    let ray = Ray { origin: Vec3::new(1.0, 1.2, 5.0), direction: -Vec3::Z };
    assert!(crowd.pick(&ray).unwrap().is_some_and(|(id, _)| id == ids[1]));
    let mut expected = crowd.clone();

    crowd.despawn(ids[1]).unwrap();
    assert!(crowd.pick(&ray).unwrap().is_none());
    assert_eq!((crowd.len(), crowd.instances(0).count(), crowd.is_empty()), (4, 4, false));
    let refuses_old = |crowd: &mut CpuCrowd| {
        let id = ids[1];
        let results = [
            crowd.despawn(id),
            crowd.set_clip(id, 0, None),
            crowd.set_place(id, Vec3::ZERO, 0.0),
            crowd.set_pace(id, 1.0, 0.0),
            crowd.set_goal(id, 0, None),
            crowd.move_goal(id, 0, Vec3::ZERO, None),
            crowd.fade_goal(id, 0, 1.0),
            crowd.walk_to(id, None),
            crowd.set_look(id, Look::Camera, 1.0),
        ];
        assert!(results.iter().all(|result| matches!(result, Err(CrowdError::Despawned))), "{results:?}");
        assert!(crowd.pose(id).is_none() && crowd.weights(id).is_none() && crowd.sphere(id).is_none());
    };
    refuses_old(&mut crowd);
    // The others are as before.
    crowd.step(1.0 / 60.0, Vec3::ZERO);
    expected.step(1.0 / 60.0, Vec3::ZERO);
    for id in [0, 2, 3, 4].map(|index| ids[index]) {
        assert!(crowd.pose(id).unwrap() == expected.pose(id).unwrap());
    }
    // Another character has the slot, and neither the goal nor the identifier of the removed one.
    let new = crowd.spawn(&spawn(1.0)).unwrap();
    assert!(new.slot == ids[1].slot && new != ids[1]);
    refuses_old(&mut crowd);
    let alone = expected.spawn(&spawn(1.0)).unwrap();
    crowd.step(1.0 / 60.0, Vec3::ZERO);
    expected.step(1.0 / 60.0, Vec3::ZERO);
    assert!(crowd.pose(new).unwrap() == expected.pose(alone).unwrap());
    assert!(crowd.pick(&ray).unwrap().is_some_and(|(id, _)| id == new));
    for id in [ids[0], new, ids[2], ids[3], ids[4]] {
        crowd.despawn(id).unwrap();
    }
    assert!(crowd.is_empty() && crowd.instances(0).next().is_none());
    crowd.step(1.0 / 60.0, Vec3::ZERO);
}

#[test]
fn a_crowd_on_the_cpu_grows_and_uses_its_slots_again() {
    let actor = Actor::mannequin();
    let mut crowd = CpuCrowd::new(actor.model.clone(), None);
    let mut present: VecDeque<(CharacterId, u8)> = VecDeque::new();
    for number in 0..200_u8 {
        let spawn = Spawn { position: Vec3::X * f32::from(number), ..Spawn::default() };
        present.push_back((crowd.spawn(&spawn).unwrap(), number));
        // At most a hundred characters are present.
        if number >= 100 {
            let (id, _) = present.pop_front().unwrap();
            crowd.despawn(id).unwrap();
        }
        if number % 50 == 49 {
            crowd.step(0.0, Vec3::ZERO);
        }
    }
    assert!(crowd.len() == 100 && crowd.characters.len() <= 128);
    for (id, number) in present {
        let (place, _) = crowd.pose(id).unwrap();
        assert_eq!(Vec3::from(place.translation), Vec3::X * f32::from(number));
    }
}
