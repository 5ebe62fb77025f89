//! Tests which arrivals are returned, on the GPU and on the CPU.

use glam::{Vec3, Vec3Swizzles};

use super::Actor;
use super::destination::Stage;
use crate::Gpu;
use crate::crowd::{ArrivalReader, CharacterId, CpuCrowd, Destination, PlayedClip, Spawn};

const FRAME: f32 = 1.0 / 30.0;

/// A crowd on the GPU whose arrivals are read.
struct Walk {
    stage: Stage,
    reader: ArrivalReader,
    spawn: Spawn,
}

impl Walk {
    fn new() -> Self {
        let actor = Actor::mannequin();
        let clips = vec![PlayedClip::new(actor.clip("walk"), 0.0), PlayedClip::standing(actor.clip("idle"))];
        let spawn = Spawn { clips, ..Spawn::default() };
        let stage = Stage::new(Gpu::of_one_test(), &actor, None);
        Self { stage, reader: ArrivalReader::default(), spawn }
    }

    fn spawn(&mut self, position: Vec3) -> CharacterId {
        let Stage { renderer, surface, crowd } = &mut self.stage;
        crowd.spawn(renderer, surface, &Spawn { position, ..self.spawn.clone() }).unwrap()
    }

    fn walk_to(&mut self, id: CharacterId, point: Vec3) {
        self.stage.crowd.walk_to(id, Some(&Destination::new(point))).unwrap();
    }

    /// Copies the arrivals, after a step or without one. Returns whether they were copied.
    fn copy(&mut self, steps: usize) -> bool {
        let gpu = self.stage.renderer.gpu().clone();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for _ in 0..steps {
            self.stage.crowd.step(&mut encoder, FRAME, Vec3::ZERO).unwrap();
        }
        let is_copied = self.reader.copy(&self.stage.crowd, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        if is_copied {
            self.reader.submitted();
        }
        is_copied
    }

    fn wait(&self) {
        self.stage.renderer.gpu().device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }

    /// Waits for the GPU, and returns the arrivals.
    fn arrived(&mut self) -> Vec<CharacterId> {
        self.wait();
        self.reader.arrived(&self.stage.crowd)
    }

    /// Takes a step, and returns the arrivals.
    fn step(&mut self) -> Vec<CharacterId> {
        assert!(self.copy(1));
        self.arrived()
    }
}

#[test]
fn each_arrival_is_returned_once_on_the_gpu_and_on_the_cpu() {
    let mut walk = Walk::new();
    let mut cpu = CpuCrowd::new(walk.stage.crowd.model().clone(), None);
    // One character has no destination.
    let distances = [None, Some(1.0_f32), Some(1.6), Some(0.1), Some(2.2)];
    let mut pairs = Vec::new();
    for (x, distance) in (0..).map(|x| 3.0 * x as f32).zip(distances) {
        let position = Vec3::X * x;
        let id = walk.spawn(position);
        let other = cpu.spawn(&Spawn { position, ..walk.spawn.clone() }).unwrap();
        if let Some(distance) = distance {
            let point = position + Vec3::Z * distance;
            walk.walk_to(id, point);
            cpu.walk_to(other, Some(&Destination::new(point))).unwrap();
        }
        pairs.push((id, other));
    }
    assert!(cpu.arrived().is_empty(), "nothing was stepped yet");
    let mut frames = vec![[None; 2]; pairs.len()];
    for frame in 0..150 {
        let on_gpu = walk.step();
        cpu.step(FRAME, Vec3::ZERO);
        for id in on_gpu {
            let index = pairs.iter().position(|pair| pair.0 == id).unwrap();
            assert_eq!(frames[index][0].replace(frame), None, "{index} arrived twice");
            let (state, ..) = walk.stage.crowd.read_state(id).unwrap();
            assert!(state.position.xz().distance(state.destination) <= state.radius);
        }
        for other in cpu.arrived() {
            let index = pairs.iter().position(|pair| pair.1 == other).unwrap();
            assert_eq!(frames[index][1].replace(frame), None, "{index} arrived twice");
        }
    }
    println!("{frames:?}");
    assert_eq!(frames[0], [None; 2]);
    for (frames, distance) in frames.iter().zip(distances).skip(1) {
        let [gpu, cpu] = frames.map(Option::unwrap);
        // Both walk much farther in a frame than rounding errors, so that they arrive in the same frame or in successive ones.
        assert!(i32::abs(gpu - cpu) <= 1, "{distance:?} m: {gpu} {cpu}");
    }
    // Nearer destinations are reached earlier.
    assert!(frames[3][0] == Some(0) && frames[1][0] < frames[2][0] && frames[2][0] < frames[4][0]);
}

#[test]
fn a_character_that_was_sent_elsewhere_has_not_arrived() {
    let mut walk = Walk::new();
    let id = walk.spawn(Vec3::ZERO);
    walk.walk_to(id, Vec3::Z * 0.1);
    assert!(walk.copy(1));
    // It has arrived, but has another destination before this is read.
    walk.walk_to(id, Vec3::Z * 1.5);
    assert!(walk.arrived().is_empty());
    // The GPU does not know the new destination before the next step.
    assert!(walk.copy(0));
    assert!(walk.arrived().is_empty());
    let frame = (0..120).position(|_| walk.step() == [id]).unwrap();
    assert!(frame > 10, "it arrived in frame {frame}");
    assert!((0..10).all(|_| walk.step().is_empty()));
    // The same destination again is another arrival.
    walk.walk_to(id, Vec3::Z * 1.5);
    assert_eq!(walk.step(), [id]);
    // Without a destination, nothing arrives.
    walk.walk_to(id, Vec3::Z * 1.5);
    walk.stage.crowd.walk_to(id, None).unwrap();
    assert!(walk.step().is_empty());
}

#[test]
fn arrivals_at_a_moving_destination_are_returned() {
    let mut walk = Walk::new();
    let id = walk.spawn(Vec3::ZERO);
    let mut cpu = CpuCrowd::new(walk.stage.crowd.model().clone(), None);
    let other = cpu.spawn(&walk.spawn).unwrap();
    let [mut on_gpu, mut on_cpu] = [Vec::new(), Vec::new()];
    for frame in 0..120_u8 {
        // The destination comes slowly towards the character, so that the character does not leave it again.
        let point = Vec3::Z * (3.0 - 0.2 * FRAME * f32::from(frame));
        walk.walk_to(id, point);
        cpu.walk_to(other, Some(&Destination::new(point))).unwrap();
        // The result is older than the destination.
        if walk.arrived() == [id] {
            on_gpu.push(frame);
        }
        assert!(walk.copy(1));
        cpu.step(FRAME, Vec3::ZERO);
        if cpu.arrived() == [other] {
            on_cpu.push(frame);
        }
    }
    let (first, first_on_cpu) = (on_gpu[0], on_cpu[0]);
    assert!(first > 30 && first < 110, "it arrived in frame {first}");
    // The GPU is read a frame later, and may have arrived a frame earlier or later.
    assert!((first_on_cpu..=first_on_cpu + 2).contains(&first), "{first} {first_on_cpu}");
    assert_eq!(on_gpu, (first..120).collect::<Vec<_>>());
    assert_eq!(on_cpu, (first_on_cpu..120).collect::<Vec<_>>());
}

#[test]
fn a_character_that_was_placed_elsewhere_has_not_arrived() {
    let mut walk = Walk::new();
    let id = walk.spawn(Vec3::ZERO);
    let mut cpu = CpuCrowd::new(walk.stage.crowd.model().clone(), None);
    let other = cpu.spawn(&walk.spawn).unwrap();
    walk.walk_to(id, Vec3::Z * 0.1);
    cpu.walk_to(other, Some(&Destination::new(Vec3::Z * 0.1))).unwrap();
    assert!(walk.copy(1));
    cpu.step(FRAME, Vec3::ZERO);
    // It has arrived, but is two metres away before this is read.
    walk.stage.crowd.set_place(id, -Vec3::Z * 2.0, 0.0).unwrap();
    cpu.set_place(other, -Vec3::Z * 2.0, 0.0).unwrap();
    assert!(walk.arrived().is_empty() && cpu.arrived().is_empty());
    let mut step = || {
        cpu.step(FRAME, Vec3::ZERO);
        (walk.step() == [id], cpu.arrived() == [other])
    };
    let steps: Vec<_> = (0..120).map(|_| step()).collect();
    assert!(steps[..10].iter().all(|step| *step == (false, false)));
    assert_eq!(steps.iter().filter(|step| step.0).count(), 1);
    assert_eq!(steps.iter().filter(|step| step.1).count(), 1);
    // Placing it at its destination is another arrival.
    walk.stage.crowd.set_place(id, Vec3::ZERO, 0.0).unwrap();
    cpu.set_place(other, Vec3::ZERO, 0.0).unwrap();
    cpu.step(FRAME, Vec3::ZERO);
    assert_eq!((walk.step(), cpu.arrived()), (vec![id], vec![other]));
}

#[test]
fn a_new_character_in_a_slot_has_not_arrived() {
    let mut walk = Walk::new();
    let near = |at: Vec3| at + Vec3::Z * 0.1;
    let ids: Vec<CharacterId> = (0..64_u8).map(|x| walk.spawn(Vec3::X * f32::from(x))).collect();
    ids.iter().zip(0..64_u8).for_each(|(id, x)| walk.walk_to(*id, near(Vec3::X * f32::from(x))));
    assert!(walk.copy(1));
    // The characters are removed, and others have their slots before the arrivals are read.
    for id in &ids[..3] {
        walk.stage.crowd.despawn(*id).unwrap();
    }
    let new = walk.spawn(Vec3::ZERO);
    assert!(ids[..3].iter().any(|id| id.slot == new.slot && *id != new));
    assert_eq!(walk.arrived(), ids[3..]);
    assert!((0..3).all(|_| walk.step().is_empty()), "the new character has no destination");
    walk.walk_to(new, near(Vec3::ZERO));
    assert_eq!(walk.step(), [new]);
    assert!(walk.step().is_empty());
}

#[test]
fn reading_arrivals_does_not_wait() {
    let mut walk = Walk::new();
    let id = walk.spawn(Vec3::ZERO);
    walk.walk_to(id, Vec3::Z * 0.1);
    assert!(walk.reader.arrived(&walk.stage.crowd).is_empty(), "nothing was copied yet");
    assert!(walk.copy(1));
    assert!(!walk.copy(1), "the first result is pending");
    walk.wait();
    // A result that nobody asked for is replaced by the next one.
    assert!(walk.copy(1));
    assert_eq!(walk.arrived(), [id]);
}

#[test]
fn new_batches_are_read_too() {
    let mut walk = Walk::new();
    let ids: Vec<CharacterId> = (0..70_u8).map(|x| walk.spawn(Vec3::X * f32::from(x))).collect();
    for (id, x) in ids.iter().zip(0..70_u8) {
        walk.walk_to(*id, Vec3::X * f32::from(x));
    }
    assert!(walk.stage.crowd.batches.len() > 1);
    assert_eq!(walk.step(), ids);
}
