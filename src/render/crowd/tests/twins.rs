//! Compares the shaders with their CPU twins.

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, pod_collect_to_vec};
use glam::{Affine3A, Quat, Vec3, Vec4};

use super::{Actor, Posed, data};
use crate::Gpu;
use crate::body::stance::{GoalFade, Stance};
use crate::body::{
    CHARACTER, FOLLOWS_HIPS, GOALS, HAS_POLE, HAS_ROTATION, HEAD, PackedGoal, TAKES_OVER, WORLD,
};
use crate::compute::{Access, Kernel, read_back, storage, storage_with};
use crate::crowd::kernels::BODY_FILES;
use crate::crowd::terrain::Terrain;
use crate::crowd::types::{Character, Local, Rows, Step};
use crate::crowd::world::world;
use sinew_base::Random;

const COUNT: usize = 1000;
const SECONDS: f32 = 1.0 / 60.0;

/// Returns characters with random clip times, foot states, goals and positions.
fn crowd(actor: &Actor, terrain: &Terrain) -> Vec<Posed> {
    let (mut random, mut points, mut changes, mut weights) = (Random(3), Random(4), Random(5), Random(6));
    let clips = actor.model.character.clips.len();
    let positive = |random: &mut Random| random.range_f32(0.0, 1.0);
    (0..COUNT)
        .map(|_| {
            let clip = (positive(&mut random) * clips as f32) as usize % clips;
            let seconds = actor.model.clips.infos[clip].seconds;
            let mut posed = actor.play(clip, positive(&mut random) * seconds);
            posed.state.layers[1] = super::CrowdLayer {
                clip: (clip as u32 + 1) % clips as u32,
                weight: positive(&mut random),
                ..posed.state.layers[0]
            };
            posed.state.scale = 0.5 + positive(&mut random);
            posed.state.rotation = Quat::from_rotation_y(random.range_f32(-3.0, 3.0));
            posed.state.position = random.turn(15.0).as_vec3();
            let at = glam::Vec2::new(posed.state.position.x, posed.state.position.z);
            posed.state.position.y = terrain.height(at) + random.range_f32(-0.05, 0.05);
            posed.state.looks = positive(&mut random);
            posed.state.looks_at_point = u32::from(points.unit() < 0.5);
            posed.state.looked_at = posed.state.position + points.turn(4.0).as_vec3();
            // Take a few steps, so that some feet stand and others are being released.
            for _ in 0..(positive(&mut random) * 12.0) as usize {
                posed.state.layers[0].time = (posed.state.layers[0].time + 3.0 * SECONDS) % seconds.max(0.01);
                posed.state.position.x += random.range_f32(-0.01, 0.01);
                posed.sample(actor);
                posed.solve(actor, Some(terrain), 3.0 * SECONDS);
            }
            posed.sample(actor);
            let parts = &actor.body.parts;
            let targets = parts.limbs + parts.chains + 1;
            for goal in posed.goals.iter_mut().take(2) {
                let index = (positive(&mut random) * targets as f32) as u32 % targets;
                let is_head = index + 1 == targets;
                let end = match index {
                    _ if is_head => parts.neck[0],
                    index if index < parts.limbs => parts.limb[index as usize].end,
                    index => parts.chain[(index - parts.limbs) as usize].joints[1],
                };
                let mut vector = |half: f32| half * random.turn(1.0).as_vec3();
                let offset = vector(0.5 * parts.size) + Vec3::Z * if is_head { parts.size } else { 0.0 };
                let position = posed.state.rows().point(posed.models[end as usize].translation() + offset);
                let pole = position + vector(parts.size);
                // A quarter of the goals is relative to the character, and another quarter to one of its joints.
                let place = Affine3A::from(&posed.state.rows());
                let joint = (points.unit() * actor.joints().len() as f64) as u32;
                let (frame, from_world) = match points.unit() {
                    choice if choice < 0.25 => (CHARACTER, place.inverse()),
                    choice if choice < 0.5 => {
                        let model_from_joint = Affine3A::from(&posed.models[joint as usize]);
                        (joint, (place * model_from_joint).inverse())
                    }
                    _ => (WORLD, Affine3A::IDENTITY),
                };
                let [position, pole] = [position, pole].map(|at| from_world.transform_point3(at));
                let flags = if random.unit() < 0.5 { HAS_POLE } else { 0 }
                    | if random.unit() < 0.5 { HAS_ROTATION } else { 0 }
                    | if actor.model.is_below_hips(frame) { FOLLOWS_HIPS } else { 0 };
                let limb = if is_head { HEAD } else { index };
                let rotation = random.rotation().as_quat();
                *goal = PackedGoal {
                    rotation,
                    position,
                    limb,
                    pole,
                    flags,
                    weight: positive(&mut random),
                    rate: 0.0,
                    frame,
                    change: 1,
                };
            }
            // Some goals continue a fade, some replace a goal of the same part or of another one, and some are the first ones.
            for (slot, goal) in posed.goals.iter_mut().take(2).enumerate() {
                let mut vector = || 0.2 * parts.size * changes.turn(1.0).as_vec3();
                let (offset, last) = (vector(), vector());
                let (turn, last_turn) = (changes.rotation().as_quat(), changes.rotation().as_quat());
                let limb = if changes.unit() < 0.7 { goal.limb } else { 0 };
                goal.rate = changes.range_f32(-1.0, 2.0);
                // The rate may have changed since the goal was set. Goals with a weight of 0 have an effect only while they take over.
                goal.flags |= if weights.unit() < 0.7 { TAKES_OVER } else { 0 };
                goal.weight *= if weights.unit() < 0.25 { 0.0 } else { 1.0 };
                posed.stance.changes[slot] = [0, 1, 1, 7, 7][(changes.unit() * 5.0) as usize];
                let left = changes.range_f32(0.0, 1.0);
                posed.stance.fades[slot] = GoalFade { offset, left, turn, last, limb, last_turn };
            }
            posed
        })
        .collect()
}

/// Solves all characters on the GPU. `entry` is the entry point, and `lanes` is the number of characters per workgroup.
fn solve(
    gpu: &Gpu,
    actor: &Actor,
    terrain: &Terrain,
    crowd: &[Posed],
    entry: &str,
    lanes: u32,
) -> (Vec<Local>, Vec<Stance>) {
    let joints = actor.joints();
    let (columns, rows) = terrain.size();
    let step = Step {
        seconds: SECONDS,
        characters: crowd.len() as u32,
        joints: joints.len() as u32,
        eye: [1.0, 1.6, 3.0],
        clips: actor.model.clips.infos.len() as u32,
        columns,
        rows,
        cell: terrain.cell(),
        origin: terrain.origin().into(),
        ..Step::zeroed()
    };
    use Access::{Read, Uniform, Write};
    let access = [Uniform, Read, Read, Read, Read, Read, Write, Write, Read];
    let kernel = Kernel::new(gpu, "bodies", BODY_FILES, entry, &[], &access);
    let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size_of::<Step>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&uniform, 0, bytes_of(&step));
    fn upload<T: Pod>(gpu: &Gpu, values: impl Iterator<Item = T>) -> wgpu::Buffer {
        storage_with(gpu, "test", cast_slice(&values.collect::<Vec<T>>())).unwrap()
    }
    let characters = upload::<Character>(gpu, crowd.iter().map(|posed| posed.state));
    let goals = upload::<PackedGoal>(gpu, crowd.iter().flat_map(|posed| posed.goals));
    let stances = upload::<Stance>(gpu, crowd.iter().map(|posed| posed.stance));
    let locals = upload::<Local>(gpu, crowd.iter().flat_map(|posed| posed.locals.iter().copied()));
    let models = upload::<Rows>(gpu, crowd.iter().flat_map(|posed| posed.models.iter().copied()));
    let joint_buffer = upload(gpu, joints.iter().copied());
    let body = storage(gpu, "body", actor.body.bytes().len() as u64).unwrap();
    gpu.queue.write_buffer(&body, 0, &actor.body.bytes());
    let heights = upload(gpu, terrain.heights().iter().copied());
    let buffers = [&uniform, &characters, &joint_buffer, &body, &heights, &goals, &stances, &locals, &models];
    let bindings: Vec<_> = buffers.iter().map(|b| b.as_entire_buffer_binding()).collect();
    let group = kernel.bind(gpu, &bindings);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    kernel.dispatch(&mut pass, &group, (crowd.len() as u32).div_ceil(lanes));
    drop(pass);
    let size = (crowd.len() * joints.len() * size_of::<Local>()) as u64;
    let locals = read_back(gpu, encoder, &locals, 0..size, pod_collect_to_vec::<u8, Local>).unwrap();
    let encoder = gpu.device.create_command_encoder(&Default::default());
    let size = (crowd.len() * size_of::<Stance>()) as u64;
    (locals, read_back(gpu, encoder, &stances, 0..size, pod_collect_to_vec::<u8, Stance>).unwrap())
}

/// Checks that two stances have the same changes of goals. `height` is the height of the character.
fn check_fades(a: &Stance, b: &Stance, height: f32, name: &str) {
    assert_eq!(a.changes, b.changes, "{name}");
    for (a, b) in a.fades.iter().zip(&b.fades) {
        assert_eq!(a.limb, b.limb, "{name}");
        // An offset does not change, except that it becomes the last displacement. A displacement is the difference of two positions, each
        // of which may be 1e-5 of the height apart, as those of joints (see `check`).
        assert!(a.offset.distance(b.offset) <= 2e-5 * height, "{name}: {a:?} {b:?}");
        assert!(a.last.distance(b.last) <= 2e-5 * height, "{name}: {a:?} {b:?}");
        // Rotations may differ by as much as those of joints.
        for (p, q) in [(a.turn, b.turn), (a.last_turn, b.last_turn)] {
            let (p, q) = (Vec4::from(p), Vec4::from(q));
            assert!(2.0 * p.distance(q).min(p.distance(-q)) <= 1e-4, "{name}: {a:?} {b:?}");
        }
        // A number from 0 to 1 after a multiplication and a subtraction, which the GPU may round once.
        assert!((a.left - b.left).abs() <= f32::EPSILON, "{name}: {a:?} {b:?}");
    }
}

fn check(actor: &Actor, name: &str) {
    assert_eq!(GOALS, actor.play(0, 0.0).goals.len());
    let terrain = Terrain::hills(5, 25.0);
    let mut crowd = crowd(actor, &terrain);
    let height = 2.0 * actor.body.parts.size;
    let gpu = Gpu::of_tests();
    let (locals, stances) = solve(&gpu, actor, &terrain, &crowd, "bodies_by_lane", 64);
    // The entry point for workgroups runs the same functions, but compilers may round them differently.
    let (by_group, group_stances) = solve(&gpu, actor, &terrain, &crowd, "bodies_by_group", 1);
    let angle = |(a, b): (&Local, &Local)| Vec4::from(a.rotation).distance(Vec4::from(b.rotation));
    assert!(locals.iter().zip(&by_group).map(angle).fold(0.0, f32::max) < 5e-5, "{name}");
    for (a, b) in stances.iter().zip(&group_stances) {
        assert_eq!((a.held, a.spent, a.on_toes), (b.held, b.spent, b.on_toes), "{name}");
        assert!((a.hips - b.hips).abs() < 1e-5 && b.is_known == 1, "{name}");
        check_fades(a, b, height, name);
    }
    let (mut moved, mut turned, mut changed, mut held) = (0.0_f32, 0.0_f32, 0, 0);
    for (index, posed) in crowd.iter_mut().enumerate() {
        let clip = posed.locals.clone();
        posed.solve(actor, Some(&terrain), SECONDS);
        changed += usize::from(posed.locals != clip);
        held += posed.stance.held.count_ones();
        let from_gpu = &locals[index * actor.joints().len()..][..actor.joints().len()];
        let mut models = posed.models.clone();
        world(actor.joints(), from_gpu, &mut models);
        for (slot, (a, b)) in posed.locals.iter().zip(from_gpu).enumerate() {
            let (p, q) = (Vec4::from(a.rotation), Vec4::from(b.rotation));
            let angle = 2.0 * p.distance(q).min(p.distance(-q));
            let offset = models[slot].translation().distance(posed.models[slot].translation()) / height;
            if angle > 1e-4 || offset > 1e-5 {
                println!("{name} {index}: joint {slot} turned {angle:e} moved {offset:e}");
            }
            (moved, turned) = (moved.max(offset), turned.max(angle));
        }
        assert_eq!(posed.stance.held, stances[index].held, "{index}");
        assert_eq!(posed.stance.spent, stances[index].spent, "{index}");
        assert_eq!(posed.stance.on_toes, stances[index].on_toes, "{index}");
        for (a, b) in posed.stance.feet.iter().zip(&stances[index].feet) {
            assert!(a.heel.distance(b.heel) < 1e-4 * height && a.toe.distance(b.toe) < 1e-4 * height);
        }
        assert!((posed.stance.aim - stances[index].aim).length() < 1e-4);
        check_fades(&posed.stance, &stances[index], height, &format!("{name} {index}"));
    }
    println!(
        "{name}: moved {moved:e} of the size, turned {turned:e} rad; {changed} of {COUNT} changed, {held} feet stand"
    );
    assert!(moved < 1e-5 && turned < 1e-4, "{name}: {moved} {turned}");
    assert!(changed > COUNT / 2);
}

#[test]
fn shader_and_cpu_agree_on_random_states_of_a_mannequin() {
    check(&Actor::mannequin(), "mannequin");
}

#[test]
fn shader_and_cpu_agree_on_random_states_of_other_characters() {
    for file in [
        "models/khronos-sample-models/Fox/glTF-Binary/Fox.glb",
        "models/quaternius/platformer_game_pack/Character/Character.glb",
    ] {
        let Some(path) = data(file) else { return };
        check(&Actor::load(&path), file);
    }
}
