//! Motion capture: converting a frame of positions, a frame of orientations or a VMC packet to a pose.

use criterion::{Criterion, Throughput};
use glam::{Quat, Vec3};
use sinew::asset;
use sinew::capture::{Fit, Segments, Tracker};
use sinew::pose::{Pose, world_matrices};

pub(crate) fn bench(c: &mut Criterion) {
    let character = asset::mannequin().unwrap();
    let skeleton = &character.skeleton;
    let bones = &character.humanoid.as_ref().unwrap().bones;
    let joints: Vec<usize> = bones.values().copied().collect();
    let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
    world_matrices(skeleton, &pose, &mut world);
    let mut group = c.benchmark_group("capture");
    group.throughput(Throughput::Elements(joints.len() as u64));

    let positions: Vec<_> = joints.iter().map(|&j| Some(Vec3::from(world[j].translation))).collect();
    let mut fit = Fit::new(skeleton, &joints).unwrap();
    group.bench_function("a frame of positions", |b| b.iter(|| fit.pose(&positions, &mut pose)));
    let (mut tracker, mut time) = (Tracker::new(fit.clone()), 0.0);
    group.bench_function("a frame of positions, one in five missing", |b| {
        let mut positions = positions.clone();
        positions.iter_mut().step_by(5).for_each(|p| *p = None);
        b.iter(|| {
            time += 1.0 / 120.0;
            tracker.step(time, &positions, &mut pose).len()
        });
    });

    let sensors: Vec<_> = joints.iter().map(|&j| Some(Quat::from_mat3a(&world[j].matrix3))).collect();
    let mut segments = Segments::new(skeleton, &joints).unwrap();
    group.bench_function("a frame of orientations", |b| b.iter(|| segments.pose(&sensors, &mut pose)));

    #[cfg(feature = "vmc")]
    packet(&mut group, &character, &mut pose);
    group.finish();
}

/// Benchmarks a packet with all bones and five morphs: decoding it, applying it to a performer, and writing the pose.
#[cfg(feature = "vmc")]
fn packet(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    character: &asset::Character,
    pose: &mut Pose,
) {
    use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType};
    use sinew::capture::vmc::{Bone, LiveCharacter, Performer, decode};

    let message = |address: &str, name: String, numbers: &[f32]| {
        let args = std::iter::once(OscType::String(name)).chain(numbers.iter().map(|x| OscType::Float(*x)));
        OscPacket::Message(OscMessage { addr: address.to_owned(), args: args.collect() })
    };
    let mut content: Vec<OscPacket> = Bone::all()
        .map(|b| message("/VMC/Ext/Bone/Pos", b.unity().to_owned(), &[0.0, 1.0, 0.0, 0.1, 0.0, 0.0, 0.995]))
        .collect();
    content.extend((0..5).map(|i| message("/VMC/Ext/Blend/Val", format!("morph {i}"), &[0.5])));
    group.throughput(Throughput::Elements(content.len() as u64));
    let time = OscTime { seconds: 0, fractional: 1 };
    let bytes = rosc::encoder::encode(&OscPacket::Bundle(OscBundle { timetag: time, content })).unwrap();

    let bones = &character.humanoid.as_ref().unwrap().bones;
    let mut live = LiveCharacter::new(character, bones).unwrap();
    let (mut performer, mut events) = (Performer::default(), Vec::new());
    group.bench_function("a VMC packet of 60 messages", |b| {
        b.iter(|| {
            decode(&bytes, &mut events).unwrap();
            events.drain(..).for_each(|event| performer.update(event));
            live.pose(&performer, pose);
        });
    });
}
