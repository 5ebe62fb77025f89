//! Tests characters that walk to points and look at points, on the CPU and on the GPU.

use glam::{Vec2, Vec3, Vec3Swizzles};

use super::Actor;
use crate::crowd::advance::{advance, lead};
use crate::crowd::clips::ClipInfo;
use crate::crowd::targets::DestinationFields;
use crate::crowd::terrain::Terrain;
use crate::crowd::types::Character;
use crate::crowd::{CpuCrowd, Crowd, Destination, Look, PlayedClip, Spawn};
use crate::{Gpu, Model, Renderer};

const FRAME: f32 = 1.0 / 60.0;
const WALKERS: u8 = 12;

/// Returns a character and its destination. The headings of the characters are spread in all directions.
fn walker(actor: &Actor, index: u8) -> (Spawn, Destination) {
    let angle = 0.55 * f32::from(index);
    let clips = vec![PlayedClip::new(actor.clip("walk"), 0.0), PlayedClip::standing(actor.clip("idle"))];
    let point = Vec3::new(2.0 + 0.3 * f32::from(index), 0.0, -2.5);
    (Spawn { heading: angle, turn: 0.4, clips, ..Spawn::default() }, Destination::new(point))
}

fn start(actor: &Actor, spawn: &Spawn, destination: Option<&Destination>) -> Character {
    let mut state = spawn.character(actor.model.clips.infos.len()).unwrap();
    DestinationFields::new(destination).unwrap().apply(&mut state);
    state
}

/// Returns the horizontal distance of a character from its destination.
fn distance(state: &Character, destination: &Destination) -> f32 {
    state.position.xz().distance(destination.point.xz())
}

/// Advances a character by a second. Returns whether it has arrived then.
fn walk(state: &mut Character, infos: &[ClipInfo], terrain: Option<&Terrain>) -> bool {
    (0..60).fold(false, |_, _| advance(state, infos, FRAME, terrain))
}

/// Changes the walking clip so that its root moves by as much as the character walked.
fn add_root_motion(actor: &mut Actor) {
    let walk = actor.clip("walk");
    let info = &mut actor.model.clips.infos[walk];
    info.jump = info.stride * info.seconds;
    info.stride = Vec3::ZERO;
}

/// Returns x and z of the body of a character, which root motion carries away from its position.
fn body(state: &Character, infos: &[ClipInfo]) -> Vec2 {
    (state.position + state.rotation * (lead(state, infos) * state.scale)).xz()
}

#[test]
fn characters_walk_to_their_destinations_and_stand_there() {
    let actor = Actor::mannequin();
    let (infos, terrain) = (&actor.model.clips.infos, Terrain::hills(5, 20.0));
    let speed = infos[actor.clip("walk")].stride.length();
    for index in 0..WALKERS {
        let (mut spawn, destination) = walker(&actor, index);
        for can_stand in [true, false] {
            if !can_stand {
                spawn.clips.truncate(1);
            }
            let mut state = start(&actor, &spawn, Some(&destination));
            let mut walked = 0.0;
            for _ in 0..900 {
                let before = state.position.xz();
                advance(&mut state, infos, FRAME, Some(&terrain));
                let step = state.position.xz().distance(before);
                assert!(step < 1.01 * speed * FRAME, "{index}: {step} m in a frame");
                walked += step;
            }
            let left = distance(&state, &destination);
            assert!(left <= destination.radius, "{index}: {left} m from the destination");
            // Turning first and then walking is not much longer than the straight line.
            assert!(walked < 1.5 * destination.point.xz().length(), "{index}: {walked} m");
            assert_eq!(state.position.y, terrain.height(state.position.xz()));
            if can_stand {
                assert_eq!(state.layers[1].weight, 1.0);
            }
            let stopped = state.position;
            assert!(walk(&mut state, infos, Some(&terrain)), "{index} has not arrived");
            assert_eq!(state.position, stopped);
            // Without a destination, the character walks and turns as before.
            DestinationFields::new(None).unwrap().apply(&mut state);
            assert!(!walk(&mut state, infos, Some(&terrain)), "{index} has nowhere to arrive");
            assert_eq!((state.turn, state.pace), (spawn.turn, spawn.pace));
            assert!(state.position.distance(stopped) > 0.5 * speed, "{index}");
            assert!(!can_stand || state.layers[1].weight == 0.0);
        }
    }
}

#[test]
fn clips_with_root_motion_also_lead_to_destinations() {
    let mut actor = Actor::mannequin();
    let speed = actor.model.stride(actor.clip("walk")).length();
    add_root_motion(&mut actor);
    let infos = &actor.model.clips.infos;
    for index in 0..WALKERS {
        let (spawn, destination) = walker(&actor, index);
        let mut state = start(&actor, &spawn, Some(&destination));
        for _ in 0..900 {
            let before = body(&state, infos);
            advance(&mut state, infos, FRAME, None);
            let step = body(&state, infos).distance(before);
            assert!(step < 1.01 * speed * FRAME, "{index}: {step} m in a frame");
        }
        let left = distance(&state, &destination);
        assert!(left <= destination.radius, "{index}: {left} m from the destination");
        assert_eq!((state.layers[1].weight, lead(&state, infos)), (1.0, Vec3::ZERO));
        let stopped = state.position;
        assert!(walk(&mut state, infos, None), "{index} has not arrived");
        assert_eq!(state.position, stopped);
    }
}

#[test]
fn the_farthest_destinations_give_finite_states() {
    let actor = Actor::mannequin();
    for (position, point) in [(0.0, 3e38), (3e38, -3e38), (-3e38, 0.0), (-3e38, 3e38)] {
        let (spawn, _) = walker(&actor, 0);
        let spawn = Spawn { position: Vec3::splat(position), ..spawn };
        let mut state = start(&actor, &spawn, Some(&Destination::new(Vec3::splat(point))));
        for _ in 0..50 {
            advance(&mut state, &actor.model.clips.infos, FRAME, None);
            assert!(state.position.is_finite() && state.rotation.is_finite());
            assert!(state.layers.iter().all(|layer| (0.0..=1.0).contains(&layer.weight)));
        }
    }
}

#[test]
fn invalid_durations_do_not_move_characters() {
    let actor = Actor::mannequin();
    let pose_after = |seconds: f32| {
        let mut crowd = CpuCrowd::new(actor.model.clone(), None);
        let index = crowd.spawn(&walker(&actor, 3).0).unwrap();
        crowd.step(seconds, Vec3::ZERO);
        crowd.pose(index).unwrap()
    };
    let still = pose_after(0.0);
    for seconds in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(pose_after(seconds) == still, "{seconds}");
    }
    assert!(pose_after(1e9) == pose_after(10.0));
}

#[test]
fn long_steps_do_not_lead_beyond_a_destination() {
    let actor = Actor::mannequin();
    for seconds in [0.0, 0.5, 10.0] {
        for point in [Vec3::ZERO, Vec3::Z * 1e-6, -Vec3::Z * 3.0, Vec3::X * 1e6] {
            let (spawn, _) = walker(&actor, 0);
            let tiny = Destination { radius: 0.0, ..Destination::new(point) };
            let mut state = start(&actor, &spawn, Some(&tiny));
            for _ in 0..50 {
                let before = distance(&state, &tiny);
                advance(&mut state, &actor.model.clips.infos, seconds, None);
                assert!(state.position.is_finite() && state.rotation.is_finite());
                let after = distance(&state, &tiny);
                assert!(after <= 1.000_001 * before + 1e-3, "{seconds} s to {point}: {before} {after}");
            }
        }
    }
}

pub(super) struct Stage {
    pub(super) renderer: Renderer,
    pub(super) surface: Model,
    pub(super) crowd: Crowd,
}

impl Stage {
    pub(super) fn new(gpu: Gpu, actor: &Actor, terrain: Option<Terrain>) -> Self {
        let renderer = Renderer::new(gpu);
        let (surface, crowd) = actor.crowd(&renderer, terrain);
        Self { renderer, surface, crowd }
    }

    fn step(&mut self) {
        let mut encoder = self.renderer.gpu().device.create_command_encoder(&Default::default());
        self.crowd.step(&mut encoder, FRAME, Vec3::ZERO).unwrap();
        self.renderer.gpu().queue.submit([encoder.finish()]);
    }
}

#[test]
fn destinations_have_the_same_effect_on_the_gpu_and_on_the_cpu() {
    let mut actor = Actor::mannequin();
    compare(&actor);
    add_root_motion(&mut actor);
    compare(&actor);
}

fn compare(actor: &Actor) {
    let infos = &actor.model.clips.infos;
    let terrain = Terrain::hills(5, 20.0);
    let mut stage = Stage::new(Gpu::of_tests(), actor, Some(terrain.clone()));
    let mut states = Vec::new();
    for index in 0..WALKERS {
        let (spawn, destination) = walker(actor, index);
        let id = stage.crowd.spawn(&mut stage.renderer, &stage.surface, &spawn).unwrap();
        stage.crowd.walk_to(id, Some(&destination)).unwrap();
        states.push((id, start(actor, &spawn, Some(&destination))));
    }
    let (mut furthest, mut heaviest) = (0.0_f32, 0.0_f32);
    for frame in 1..=480 {
        if frame == 360 {
            for (id, state) in states.iter_mut().step_by(2) {
                stage.crowd.walk_to(*id, None).unwrap();
                DestinationFields::new(None).unwrap().apply(state);
            }
        }
        stage.step();
        for (id, state) in &mut states {
            advance(state, infos, FRAME, Some(&terrain));
            if frame % 60 == 0 {
                let (gpu, ..) = stage.crowd.read_state(*id).unwrap();
                // A clip may start over a frame earlier on one of them, which moves the position, but not the body.
                furthest = furthest.max(body(&gpu, infos).distance(body(state, infos)));
                heaviest = heaviest.max((gpu.layers[1].weight - state.layers[1].weight).abs());
                assert_eq!((gpu.destination, gpu.radius), (state.destination, state.radius));
            }
        }
    }
    println!("{furthest:e} m, {heaviest:e} of the weight");
    // A character may arrive a frame earlier on one of them.
    assert!(furthest < 0.02 && heaviest < 0.06, "{furthest} m, {heaviest}");
}

#[test]
fn heads_look_at_points() {
    let actor = Actor::mannequin();
    let parts = actor.body.parts;
    let head = parts.neck[parts.necks as usize - 1] as usize;
    let mut stage = Stage::new(Gpu::of_tests(), &actor, None);
    let mut cpu = CpuCrowd::new(stage.crowd.model().clone(), None);
    let spawn = Spawn { clips: vec![PlayedClip::new(actor.clip("idle"), 0.0)], ..Spawn::default() };
    let id = stage.crowd.spawn(&mut stage.renderer, &stage.surface, &spawn).unwrap();
    let index = cpu.spawn(&spawn).unwrap();
    let point = Vec3::new(1.5, 1.7, 2.5);
    // The angles between the faces and the point, on the GPU and on the CPU.
    let mut angles = |look: Look| {
        stage.crowd.set_look(id, look, 1.0).unwrap();
        cpu.set_look(index, look, 1.0).unwrap();
        for _ in 0..90 {
            stage.step();
            cpu.step(FRAME, Vec3::ZERO);
        }
        let (_, on_gpu) = stage.crowd.read_pose(id).unwrap();
        let (_, on_cpu) = cpu.pose(index).unwrap();
        [on_gpu, on_cpu].map(|models| {
            let face = models[head].transform_vector3(parts.facing);
            face.angle_between(point - Vec3::from(models[head].translation))
        })
    };
    let [before, _] = angles(Look::Nothing);
    let [gpu, cpu_angle] = angles(Look::Point(point));
    println!("{before} rad before, {gpu} and {cpu_angle} rad after");
    assert!(before > 0.3 && gpu < 0.05 && (gpu - cpu_angle).abs() < 1e-3);
    let [after, _] = angles(Look::Nothing);
    assert!((after - before).abs() < 0.1, "{after}");
}
