//! Crowds on the GPU and on the CPU, and crowds of one character.

use std::path::PathBuf;

use glam::{Affine3A, Quat, Vec3, Vec3Swizzles};
use serde_json::json;
use sinew::asset::Character;
use sinew::crowd::{CharacterId, CpuCrowd, Crowd, CrowdGoal, CrowdModel, PlayedClip, Spawn, Terrain};
use sinew::puppet::Puppet;
use sinew::render::{DecodedImages, Model, Renderer};
use sinew::rig;

use crate::renderer;
use sinew_base::Random;
use sinew_testkit::{Builder, mannequin};
use std::sync::{Arc, LazyLock};

/// A crowd with everything that it needs.
pub(crate) struct Stage {
    pub(crate) renderer: Renderer,
    pub(crate) surface: Model,
    pub(crate) crowd: Crowd,
}

impl Stage {
    pub(crate) fn new(character: impl Into<Arc<Character>>) -> Self {
        Self::with(renderer(), character)
    }

    /// Returns a stage whose mask 1 selects the last joint that has children, and its descendants.
    fn masked(character: Arc<Character>) -> Self {
        let inner = character.skeleton.nodes.iter().rposition(|node| !node.children.is_empty());
        let rig = rig::detect(&character);
        let mut model = CrowdModel::new(character, 0, &rig);
        model.set_mask(1, &[inner.unwrap_or_default()]).unwrap();
        assert!(model.set_mask(4, &[]).is_err());
        Self::of(renderer(), model, None)
    }

    pub(crate) fn with(renderer: Renderer, character: impl Into<Arc<Character>>) -> Self {
        Self::on(renderer, character, None)
    }

    fn on(renderer: Renderer, character: impl Into<Arc<Character>>, terrain: Option<Terrain>) -> Self {
        Self::of(renderer, model(character.into()), terrain)
    }

    fn of(renderer: Renderer, model: impl Into<Arc<CrowdModel>>, terrain: Option<Terrain>) -> Self {
        let model = model.into();
        let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default()).unwrap();
        let crowd = Crowd::new(&renderer, model, terrain).unwrap();
        Self { renderer, surface, crowd }
    }

    pub(crate) fn spawn(&mut self, spawn: &Spawn) -> CharacterId {
        self.crowd.spawn(&mut self.renderer, &self.surface, spawn).unwrap()
    }

    pub(crate) fn step(&mut self, seconds: f32) {
        let gpu = self.renderer.gpu().clone();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.crowd.step(&mut encoder, seconds, Vec3::ZERO).unwrap();
        gpu.queue.submit([encoder.finish()]);
        gpu.check().unwrap();
    }
}

/// Returns a model with an estimated rig. The levels of detail of the mannequin are made once for all tests.
fn model(character: Arc<Character>) -> Arc<CrowdModel> {
    static MANNEQUIN: LazyLock<Arc<CrowdModel>> = LazyLock::new(|| new(mannequin()));
    fn new(character: Arc<Character>) -> Arc<CrowdModel> {
        let rig = rig::detect(&character);
        Arc::new(CrowdModel::new(character, 0, &rig))
    }
    if Arc::ptr_eq(&character, &mannequin()) { MANNEQUIN.clone() } else { new(character) }
}

/// Returns the mannequin, and third-party characters if there are any.
fn cast() -> Vec<(String, Arc<Character>)> {
    let mut cast = vec![("mannequin".to_owned(), mannequin())];
    let files = [
        "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        "quaternius/animals_pack/Wolf/Wolf.glb",
        "khronos-sample-models/Fox/glTF-Binary/Fox.glb",
        "khronos-sample-models/AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
    ];
    for file in files {
        let Some(data) = std::env::var_os("SINEW_TEST_DATA") else { continue };
        let path = PathBuf::from(data).join("models").join(file);
        if path.exists() {
            cast.push((file.to_owned(), Arc::new(sinew::asset::load(&path).unwrap())));
        }
    }
    cast
}

/// Returns the largest distance between two lists of matrices as a fraction of the size, and the largest angle in radians.
fn difference(a: &[Affine3A], b: &[Affine3A], size: f32) -> (f32, f32) {
    assert_eq!(a.len(), b.len());
    let (mut distance, mut angle) = (0.0_f32, 0.0_f32);
    for (a, b) in a.iter().zip(b) {
        distance = distance.max(a.translation.distance(b.translation) / size);
        for (x, y) in [(a.matrix3.x_axis, b.matrix3.x_axis), (a.matrix3.y_axis, b.matrix3.y_axis)] {
            angle = angle.max((x - y).length() / y.length().max(1e-6));
        }
    }
    (distance, angle)
}

/// Returns 250 characters in random states of all clips.
fn random_spawns(clips: usize) -> Vec<Spawn> {
    let mut random = Random(5);
    let mut next = |low: f32, high: f32| random.range_f32(low, high);
    (0..250)
        .map(|_| Spawn {
            position: Vec3::new(next(-50.0, 50.0), 0.0, next(-50.0, 50.0)),
            heading: next(-3.0, 3.0),
            scale: next(0.5, 2.0),
            turn: next(-1.0, 1.0),
            clips: (0..4)
                .filter(|_| clips > 0)
                .map(|layer| PlayedClip {
                    speed: next(-1.0, 2.0),
                    weight: if layer == 0 { 1.0 } else { next(-0.5, 1.2) },
                    rate: next(-1.0, 1.0),
                    loops: next(0.0, 1.0) > 0.2,
                    mask: (next(0.0, 1.0) > 0.7).then_some(1),
                    ..PlayedClip::new((next(0.0, 0.999) * clips as f32) as usize, next(-1.0, 5.0))
                })
                .collect(),
            ..Spawn::default()
        })
        .collect()
}

#[test]
fn every_pass_gives_the_same_poses_on_the_gpu_and_on_the_cpu() {
    for (name, character) in cast() {
        let size = Puppet::new(character.clone(), 0).bounds().sphere().1 * 2.0;
        let mut stage = Stage::masked(character);
        let mut cpu = CpuCrowd::new(stage.crowd.model().clone(), None);
        let spawns = random_spawns(stage.crowd.model().character().clips.len());
        let ids: Vec<CharacterId> = spawns.iter().map(|spawn| stage.spawn(spawn)).collect();
        let others: Vec<CharacterId> = spawns.iter().map(|spawn| cpu.spawn(spawn).unwrap()).collect();
        for _ in 0..4 {
            stage.step(0.21);
            cpu.step(0.21, Vec3::ZERO);
        }
        let (mut furthest, mut most_turned) = (0.0_f32, 0.0_f32);
        for (&id, &other) in ids.iter().zip(&others) {
            let ((_, gpu), (_, cpu)) = (stage.crowd.read_pose(id).unwrap(), cpu.pose(other).unwrap());
            let (distance, angle) = difference(&gpu, &cpu, size);
            (furthest, most_turned) = (furthest.max(distance), most_turned.max(angle));
        }
        println!("{name}: {furthest:e} of the size, {most_turned:e} rad");
        assert!(furthest < 1e-5 && most_turned < 1e-4, "{name}: {furthest}, {most_turned}");
    }
}

#[test]
fn a_crowd_of_one_equals_a_puppet() {
    for (name, character) in cast() {
        let mut puppet = Puppet::new(character.clone(), 0);
        let mut stage = Stage::new(character);
        for clip in 0..puppet.character().clips.len() {
            let id = stage.spawn(&Spawn {
                pace: 0.0,
                clips: vec![PlayedClip { loops: false, ..PlayedClip::new(clip, 0.0) }],
                ..Spawn::default()
            });
            let seconds = puppet.character().clips[clip].seconds;
            for _ in 0..5 {
                stage.step(seconds / 5.7);
                let (_, joints) = stage.crowd.read_pose(id).unwrap();
                assert_eq!(joints.len(), stage.crowd.model().joint_count());
            }
            puppet.play(clip, seconds / 5.7 * 5.0);
            puppet.update().unwrap();
            let (_, joints) = stage.crowd.read_pose(id).unwrap();
            let mut furthest = 0.0_f32;
            for (joint, &node) in joints.iter().zip(stage.crowd.model().nodes()) {
                furthest =
                    furthest.max(joint.translation.distance(puppet.world_from_node()[node].translation));
            }
            let size = puppet.bounds().sphere().1;
            println!("{name}, clip {clip}: {furthest:e} m, {:e} of the size", furthest / size);
            // A character that is tens of metres tall may deviate by proportionally more.
            assert!(furthest < 1e-4 * size.max(1.0), "{name}, clip {clip}: {furthest}");
        }
    }
}

/// On hills, a hand reaches its goal while its character stands and looks at the camera.
#[test]
fn hands_of_a_crowd_reach_their_goals_and_feet_stand_on_the_ground() {
    let character = mannequin();
    let rig = rig::detect(&character);
    let limbs = &rig.body.as_ref().unwrap().limbs;
    let hand = limbs.iter().find(|limb| !limb.stands).unwrap().end();
    let feet: Vec<usize> = limbs.iter().filter(|limb| limb.stands).map(rig::BodyLimb::end).collect();
    let terrain = Terrain::hills(9, 20.0);
    let mut stage = Stage::on(renderer(), character, Some(terrain.clone()));
    let spots = [(-4.0, 3.0, 0.3), (6.0, -5.0, 2.0), (0.0, 0.0, -1.0), (9.0, 9.0, 4.0)];
    let ids: Vec<(CharacterId, Vec3)> = spots
        .iter()
        .map(|&(x, z, heading)| {
            let position = Vec3::new(x, 0.0, z);
            let clips = vec![PlayedClip::new(0, x.abs())];
            let id = stage.spawn(&Spawn { position, heading, looks: 1.0, clips, ..Spawn::default() });
            let shoulder = Vec3::new(x, terrain.height(position.xz()) + 1.35, z);
            let goal = shoulder + Quat::from_rotation_y(heading) * Vec3::new(0.35, 0.1, 0.3);
            stage.crowd.set_goal(id, 0, Some(&CrowdGoal::reach(hand, goal))).unwrap();
            (id, goal)
        })
        .collect();
    for _ in 0..30 {
        stage.step(1.0 / 30.0);
    }
    for (id, goal) in ids {
        let (place, joints) = stage.crowd.read_pose(id).unwrap();
        let at = |node: usize| {
            let slot = stage.crowd.model().nodes().iter().position(|&n| n == node).unwrap();
            place.transform_point3(joints[slot].translation.into())
        };
        assert!(at(hand).distance(goal) < 0.002, "{} m from the goal", at(hand).distance(goal));
        for &foot in &feet {
            let height = at(foot).y - terrain.height(at(foot).xz());
            assert!((0.04..0.16).contains(&height), "an ankle is {height} m above the ground");
        }
    }
}

/// A long skeleton is posed by one workgroup for each character instead of by one lane.
#[test]
fn long_skeletons_are_posed_by_workgroups() {
    const JOINTS: usize = 120;
    let mut b = Builder::default();
    let corners = b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let times = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let turns = b.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0, 0.05, 0.0, 0.02, 0.998_55]);
    // Every joint of the chain except the last has an extra child in addition to the next joint.
    let mut nodes: Vec<serde_json::Value> = (0..JOINTS)
        .map(|i| match i {
            0 => json!({"mesh": 0, "children": [1, 2]}),
            i if i % 2 == 0 && i + 2 < JOINTS => {
                json!({"translation": [0.0, 0.1, 0.0], "children": [i + 1, i + 2]})
            }
            _ => json!({"translation": [0.1, 0.1, 0.0]}),
        })
        .collect();
    nodes[JOINTS - 1]["mesh"] = 0.into();
    let channels: Vec<serde_json::Value> =
        (0..JOINTS).map(|i| json!({"sampler": 0, "target": {"node": i, "path": "rotation"}})).collect();
    let bytes = b.file(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": corners}}]}],
        "nodes": nodes,
        "scenes": [{"nodes": [0]}],
        "animations": [{"samplers": [{"input": times, "output": turns}], "channels": channels}],
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>()}],
    }));
    let mut rig = rig::Rig::default();
    rig.chains.extend(rig::Chain::new("all", rig::ChainKind::Limb, (0..JOINTS).collect()));
    let model = CrowdModel::new(crate::load(&bytes), 0, &rig);
    assert_eq!(model.joint_count(), JOINTS);
    let mut stage = Stage::of(renderer(), model, None);
    let mut cpu = CpuCrowd::new(stage.crowd.model().clone(), None);
    for index in 0..5 {
        let spawn = Spawn { clips: vec![PlayedClip::new(0, 0.19 * index as f32)], ..Spawn::default() };
        let id = stage.spawn(&spawn);
        let other = cpu.spawn(&spawn).unwrap();
        stage.step(0.1);
        cpu.step(0.1, Vec3::ZERO);
        let ((_, gpu), (_, cpu)) = (stage.crowd.read_pose(id).unwrap(), cpu.pose(other).unwrap());
        let (distance, angle) = difference(&gpu, &cpu, 6.0);
        assert!(distance < 1e-5 && angle < 1e-4, "{distance}, {angle}");
    }
}

/// Characters that reach the border of the ground turn back, and a character that is moved elsewhere appears there at once.
#[test]
fn characters_stay_on_the_ground_and_can_be_moved() {
    let terrain = Terrain::hills(u32::MAX, 12.0);
    let mut stage = Stage::on(renderer(), mannequin(), Some(terrain.clone()));
    let walk = 2;
    let spawn = |heading: f32| Spawn { heading, clips: vec![PlayedClip::new(walk, 0.0)], ..Spawn::default() };
    let ids: Vec<CharacterId> = (0..8).map(|i| stage.spawn(&spawn(i as f32 * 0.8))).collect();
    let mut furthest = 0.0_f32;
    for _ in 0..40 {
        for _ in 0..10 {
            stage.step(0.1);
        }
        for id in &ids {
            let (place, _) = stage.crowd.read_pose(*id).unwrap();
            furthest = furthest.max(place.translation.x.abs()).max(place.translation.z.abs());
        }
    }
    assert!((8.0..12.0).contains(&furthest), "{furthest} m from the centre");
    // A step later, the feet are below the hips again.
    stage.crowd.set_place(ids[0], Vec3::new(3.0, 0.0, -4.0), 1.0).unwrap();
    stage.step(1.0 / 60.0);
    let (place, joints) = stage.crowd.read_pose(ids[0]).unwrap();
    let model = stage.crowd.model();
    let height = |joint: &Affine3A| place.transform_point3(joint.translation.into());
    let name =
        |slot: usize| model.character().skeleton.nodes[model.nodes()[slot]].name.clone().unwrap_or_default();
    for (slot, joint) in joints.iter().enumerate().filter(|(slot, _)| name(*slot).contains("Foot")) {
        let away = (height(joint) - Vec3::from(place.translation)).xz().length();
        assert!(away < 0.8, "{} is {away} m away", name(slot));
    }
}
