//! Tests picking, on the CPU and on the GPU.

use glam::{Quat, Vec3, Vec4};
use sinew_base::Random;

use super::Actor;
use crate::body::GOALS;
use crate::crowd::palette::enclose;
use crate::crowd::pick::{PickRay, nearest};
use crate::crowd::types::{CrowdJoint, Rows};
use crate::crowd::{CharacterId, CpuCrowd, CrowdError, CrowdGoal, GoalFrame, PlayedClip, Spawn};
use crate::view::Ray;
use crate::{Gpu, Renderer};

const RAYS: usize = 60;
const COUNT: usize = 70;

/// Returns characters that are close to each other.
fn spawns(actor: &Actor, random: &mut Random) -> Vec<Spawn> {
    let clips = actor.model.clips.infos.len();
    (0..COUNT)
        .map(|index| Spawn {
            position: 3.0 * random.turn(1.0).as_vec3(),
            heading: random.range_f32(-3.0, 3.0),
            scale: random.range_f32(0.6, 1.4),
            tint: Vec4::ONE,
            clips: vec![PlayedClip::new(index % clips, random.range_f32(0.0, 2.0))],
            ..Spawn::default()
        })
        .collect()
}

/// Returns a ray from a distance of several metres to a point among the characters.
fn ray(random: &mut Random) -> Ray {
    let origin = 9.0 * random.direction().as_vec3();
    let at = Vec3::Y + 2.0 * random.turn(1.0).as_vec3();
    Ray { origin, direction: at - origin }
}

#[test]
fn the_gpu_and_the_cpu_pick_the_same_characters() {
    let actor = Actor::mannequin();
    let mut random = Random(8);
    let mut renderer = Renderer::new(Gpu::of_tests());
    let (surface, mut crowd) = actor.crowd(&renderer, None);
    // One batch, which is then full.
    crowd.reserve(&mut renderer, &surface, COUNT as u32).unwrap();
    let mut cpu = CpuCrowd::new(crowd.model().clone(), None);
    let (mut ids, mut others): (Vec<CharacterId>, Vec<CharacterId>) = (Vec::new(), Vec::new());
    let spawns = spawns(&actor, &mut random);
    for spawn in &spawns {
        ids.push(crowd.spawn(&mut renderer, &surface, spawn).unwrap());
        others.push(cpu.spawn(spawn).unwrap());
    }
    let first = ray(&mut random);
    assert!(crowd.pick(&first).unwrap().is_none(), "nothing was posed yet");
    let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
    crowd.step(&mut encoder, 0.1, Vec3::ZERO).unwrap();
    renderer.gpu().queue.submit([encoder.finish()]);
    cpu.step(0.1, Vec3::ZERO);
    let (mut hits, mut different, mut last) = (0, 0, None);
    for _ in 0..RAYS {
        let ray = ray(&mut random);
        let packed = PickRay::new(&ray).unwrap().unwrap();
        let (on_gpu, on_cpu) = (crowd.entries(&crowd.batches[0], &packed).unwrap(), cpu.entries(&packed));
        assert_eq!((on_gpu.len(), on_cpu.len()), (COUNT, COUNT));
        // A ray that touches a sphere may miss it on one of them.
        different += on_gpu.iter().zip(&on_cpu).filter(|(a, (_, b))| (**a - b).abs() > 1e-3).count();
        let picked = crowd.pick(&ray).unwrap();
        let expected = cpu.pick(&ray).unwrap();
        hits += usize::from(expected.is_some());
        match (picked, expected) {
            (Some((id, at)), Some((other, point))) => {
                let index = others.iter().position(|id| *id == other).unwrap();
                assert!(id == ids[index] || at.distance(point) < 1e-3, "{at} {point}");
                assert!(at.distance(point) < 0.01, "{at} {point}");
            }
            (None, None) => {}
            other => panic!("{other:?}"),
        }
        last = picked.map(|(id, _)| (id, ray)).or(last);
    }
    assert!(hits > RAYS / 4, "only {hits} of {RAYS} rays hit a character");
    assert!(different < COUNT * RAYS / 500, "{different}");
    // A removed character is not picked, even before the next step and by the identifier of the character that has its slot now.
    let (id, ray) = last.unwrap();
    crowd.despawn(id).unwrap();
    assert!(crowd.pick(&ray).unwrap().is_none_or(|(other, _)| other != id));
    let far = Vec3::X * 50.0;
    let elsewhere = Spawn { position: far, ..spawns[0].clone() };
    let new = crowd.spawn(&mut renderer, &surface, &elsewhere).unwrap();
    assert_eq!((new.batch, new.slot), (id.batch, id.slot));
    assert!(crowd.pick(&ray).unwrap().is_none_or(|(other, _)| other != new));
    assert!(matches!(crowd.read_pose(new), Err(CrowdError::NotPosed)));
    let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
    crowd.step(&mut encoder, 0.0, Vec3::ZERO).unwrap();
    renderer.gpu().queue.submit([encoder.finish()]);
    let (place, joints) = crowd.read_pose(new).unwrap();
    let hips = place.transform_point3(joints[actor.body.parts.hips as usize].translation.into());
    assert!(hips.distance(far) < 3.0, "{hips}");
    let origin = hips + Vec3::Z * 5.0;
    let picked = crowd.pick(&Ray { origin, direction: hips - origin }).unwrap();
    assert!(picked.is_some_and(|(other, _)| other == new));
}

#[test]
fn spheres_contain_everything_that_can_be_picked() {
    let actor = Actor::mannequin();
    let mut random = Random(9);
    let mut crowd = CpuCrowd::new(actor.model.clone(), None);
    let ids: Vec<CharacterId> =
        spawns(&actor, &mut random).iter().map(|spawn| crowd.spawn(spawn).unwrap()).collect();
    crowd.step(0.1, Vec3::ZERO);
    // Hands at their shoulders and feet at their hips bend the joints as far as they can.
    for &character in ids.iter().step_by(2) {
        let (_, joints) = crowd.pose(character).unwrap();
        for (index, limb) in actor.body.limbs().iter().take(GOALS).enumerate() {
            let at = joints[limb.first as usize].translation.into();
            let goal = CrowdGoal::reach(actor.model.nodes[limb.end as usize], at);
            let goal = goal.relative_to(GoalFrame::Character);
            crowd.set_goal(character, index, Some(&goal)).unwrap();
        }
    }
    crowd.step(0.1, Vec3::ZERO);
    let mut hits = 0;
    for _ in 0..RAYS {
        let ray = ray(&mut random);
        let packed = PickRay::new(&ray).unwrap().unwrap();
        // With equal distances to all spheres, the skins of all characters are tested.
        let all = ids.iter().map(|id| (*id, f32::MIN_POSITIVE)).collect();
        let expected = nearest(all, &packed, |ids| Ok(ids.to_vec()), |id| crowd.hit(id, &packed)).unwrap();
        assert_eq!(crowd.pick(&ray).unwrap(), expected);
        hits += usize::from(expected.is_some());
    }
    assert!(hits > RAYS / 4, "only {hits} of {RAYS} rays hit a character");
    let still = Ray { origin: Vec3::ZERO, direction: Vec3::ZERO };
    assert_eq!(crowd.pick(&still).unwrap(), None);
    assert!(crowd.pick(&Ray { origin: Vec3::NAN, ..still }).is_err());
}

#[test]
fn rays_between_two_joints_enter_the_bounds() {
    let actor = Actor::mannequin();
    let joint = CrowdJoint { radius: 0.1, ..actor.joints()[0] };
    let models = [-2.0_f32, 2.0].map(|x| Rows::of(Quat::IDENTITY, Vec3::X * x, Vec3::ONE));
    let sphere = enclose(&actor.play(0, 0.0).state, &[joint; 2], &models).sphere;
    // A vertex that both joints move is in the middle between their spheres.
    let ray = Ray { origin: Vec3::Z * 5.0, direction: -Vec3::Z };
    assert!(PickRay::new(&ray).unwrap().unwrap().entry(sphere) > 0.0);
}

#[test]
fn rays_from_far_away_hit_bounds() {
    let mut random = Random(3);
    for _ in 0..200 {
        let center = random.turn(1.0).as_vec3();
        let at = center + 0.5 * random.direction().as_vec3();
        let origin = 1e5 * random.direction().as_vec3();
        let ray = PickRay::new(&Ray { origin, direction: at - origin }).unwrap().unwrap();
        assert!(ray.entry(center.extend(0.5).into()) > 0.0, "{origin} {at}");
    }
}

#[test]
fn directions_have_any_length() {
    for length in [1e-30_f32, 1e-20, 1.0, 1e20, 1e38] {
        let ray = Ray { origin: Vec3::ZERO, direction: length * Vec3::new(1.0, 2.0, -2.0) };
        let direction = PickRay::new(&ray).unwrap().unwrap().direction;
        assert!(direction.distance(Vec3::new(1.0, 2.0, -2.0) / 3.0) < 1e-6, "{direction}");
    }
}
