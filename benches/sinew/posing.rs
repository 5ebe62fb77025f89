//! Benchmarks of sampling a clip, computing matrices from a pose, and skinning vertices.

use criterion::{Criterion, Throughput};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};
use sinew::skin::{Palette, Skinned, Skinning, skin};

use super::characters;

const FRAME: f32 = 1.0 / 60.0;

pub(crate) fn bench(c: &mut Criterion) {
    for (name, character) in characters() {
        let skeleton = &character.skeleton;
        let Some(clip) = character.clips.first() else { continue };
        let parts = character.parts(character.default_scene);
        let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
        let mut playhead = Playhead::default();
        let mut palette = Palette::new(&character, &parts);

        let mut group = c.benchmark_group("sample");
        group.throughput(Throughput::Elements(clip.channels.len() as u64));
        let mut time = 0.0;
        group.bench_function(format!("{name}, forward"), |b| {
            b.iter(|| {
                time = (time + FRAME) % clip.seconds;
                playhead.sample(clip, time, skeleton, &mut pose);
            });
        });
        group.bench_function(format!("{name}, random access"), |b| {
            b.iter(|| {
                time = (time + 0.618_034 * clip.seconds) % clip.seconds;
                playhead.sample(clip, time, skeleton, &mut pose);
            });
        });
        group.finish();

        let joints = palette.matrices.len() as u64;
        let mut group = c.benchmark_group("palette");
        group.throughput(Throughput::Elements(skeleton.nodes.len() as u64));
        group.bench_function(format!("{name}, world matrices"), |b| {
            b.iter(|| world_matrices(skeleton, &pose, &mut world));
        });
        group.throughput(Throughput::Elements(joints));
        group.bench_function(format!("{name}, world matrices and palette"), |b| {
            b.iter(|| {
                world_matrices(skeleton, &pose, &mut world);
                palette.update(&character, &world, Skinning::Linear);
            });
        });
        group.bench_function(format!("{name}, forward sampling, world matrices and palette"), |b| {
            b.iter(|| {
                time = (time + FRAME) % clip.seconds;
                playhead.sample(clip, time, skeleton, &mut pose);
                world_matrices(skeleton, &pose, &mut world);
                palette.update(&character, &world, Skinning::Linear);
            });
        });
        group.finish();

        let mut group = c.benchmark_group("skin");
        let vertices: usize = parts.iter().map(|p| character.primitive(*p).vertices()).sum();
        group.throughput(Throughput::Elements(vertices as u64));
        let mut skinned = Skinned::default();
        group.bench_function(format!("{name}, with normals"), |b| {
            b.iter(|| {
                for (i, part) in parts.iter().enumerate() {
                    let matrices = palette.matrices(i).unwrap();
                    skin(character.primitive(*part), matrices, &[], &mut skinned);
                }
            });
        });
        group.finish();
    }
}
