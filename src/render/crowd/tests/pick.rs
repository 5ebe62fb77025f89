//! Tests picking, on the CPU and on the GPU.

use glam::{Vec3, Vec4};
use sinew_base::Random;

use super::Actor;
use crate::crowd::model::CrowdModel;
use crate::crowd::pick::{PickRay, nearest};
use crate::crowd::{CharacterId, CpuCrowd, Crowd, PlayedClip, Spawn};
use crate::scene::picking::Ray;
use crate::{DecodedImages, Gpu, Renderer};

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
    let model =
        CrowdModel::new(actor.model.character.clone(), actor.model.character.default_scene, &actor.rig);
    let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default()).unwrap();
    let mut crowd = Crowd::new(&renderer, model, None).unwrap();
    let mut cpu = CpuCrowd::new(crowd.model().clone(), None);
    let mut ids: Vec<CharacterId> = Vec::new();
    for spawn in spawns(&actor, &mut random) {
        ids.push(crowd.spawn(&mut renderer, &surface, &spawn).unwrap());
        cpu.spawn(&spawn).unwrap();
    }
    let first = ray(&mut random);
    assert!(crowd.pick(&first).unwrap().is_none(), "nothing was posed yet");
    let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
    crowd.step(&mut encoder, 0.1, Vec3::ZERO).unwrap();
    renderer.gpu().queue.submit([encoder.finish()]);
    cpu.step(0.1, Vec3::ZERO);
    let (mut met, mut different, mut last) = (0, 0, None);
    for _ in 0..RAYS {
        let ray = ray(&mut random);
        let packed = PickRay::new(&ray).unwrap().unwrap();
        let (on_gpu, on_cpu) = (crowd.entries(&crowd.batches[0], &packed).unwrap(), cpu.entries(&packed));
        assert_eq!((on_gpu.len(), on_cpu.len()), (COUNT, COUNT));
        // A ray that touches a sphere may miss it on one of them.
        different += on_gpu.iter().zip(&on_cpu).filter(|(a, b)| (**a - **b).abs() > 1e-3).count();
        let picked = crowd.pick(&ray).unwrap();
        let expected = cpu.pick(&ray).unwrap();
        met += usize::from(expected.is_some());
        match (picked, expected) {
            (Some((id, at)), Some((index, point))) => {
                assert!(id == ids[index] || at.distance(point) < 1e-3, "{at} {point}");
                assert!(at.distance(point) < 0.01, "{at} {point}");
            }
            (None, None) => {}
            other => panic!("{other:?}"),
        }
        last = picked.map(|(id, _)| (id, ray)).or(last);
    }
    assert!(met > RAYS / 4, "only {met} of {RAYS} rays meet a character");
    assert!(different < COUNT * RAYS / 500, "{different}");
    // A removed character is not picked, even before the next step.
    let (id, ray) = last.unwrap();
    crowd.despawn(id).unwrap();
    assert!(crowd.pick(&ray).unwrap().is_none_or(|(other, _)| other != id));
}

#[test]
fn spheres_contain_everything_that_can_be_picked() {
    let actor = Actor::mannequin();
    let mut random = Random(9);
    let model =
        CrowdModel::new(actor.model.character.clone(), actor.model.character.default_scene, &actor.rig);
    let mut crowd = CpuCrowd::new(model, None);
    for spawn in spawns(&actor, &mut random) {
        crowd.spawn(&spawn).unwrap();
    }
    crowd.step(0.1, Vec3::ZERO);
    let mut met = 0;
    for _ in 0..RAYS {
        let ray = ray(&mut random);
        let packed = PickRay::new(&ray).unwrap().unwrap();
        // With equal distances to all spheres, the skins of all characters are tested.
        let all = (0..COUNT).map(|index| (index, f32::MIN_POSITIVE)).collect();
        let expected = nearest(all, &packed, |index| Ok(crowd.meet(index, &packed))).unwrap();
        assert_eq!(crowd.pick(&ray).unwrap(), expected);
        met += usize::from(expected.is_some());
    }
    assert!(met > RAYS / 4, "only {met} of {RAYS} rays meet a character");
    let still = Ray { origin: Vec3::ZERO, direction: Vec3::ZERO };
    assert_eq!(crowd.pick(&still).unwrap(), None);
    assert!(crowd.pick(&Ray { origin: Vec3::NAN, ..still }).is_err());
}
