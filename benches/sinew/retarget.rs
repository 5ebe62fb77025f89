//! Benchmarks of retargeting a frame of a clip to another character.

use criterion::{Criterion, Throughput};
use sinew::asset;
use sinew::motion::{Playhead, Retarget};
use sinew::pose::Pose;

use super::external;

const FRAME: f32 = 1.0 / 60.0;
const OTHER: &str = "quaternius/modular_men/Adventurer/Adventurer.glb";

pub(crate) fn bench(c: &mut Criterion) {
    let source = asset::mannequin().unwrap();
    let mut targets = vec![("mannequin", source.clone())];
    if let Some(path) = external(OTHER) {
        targets.push(("Adventurer", asset::load(&path).unwrap()));
    }
    let clip = source.clips.iter().find(|c| c.name.as_deref() == Some("walk")).unwrap();
    let mut group = c.benchmark_group("retarget");
    for (name, target) in targets {
        let methods = [
            ("by bodies", Retarget::by_bodies(&source, &target)),
            ("by names", Retarget::by_names(&source, &target)),
        ];
        for (method, retarget) in methods {
            let Ok(mut retarget) = retarget else { continue };
            let (mut pose, mut out, mut contacts) =
                (Pose::rest(&source.skeleton), Pose::default(), Vec::new());
            let (mut playhead, mut time) = (Playhead::default(), 0.0);
            group.throughput(Throughput::Elements(target.skeleton.nodes.len() as u64));
            group.bench_function(format!("sample and {name}, {method}"), |b| {
                b.iter(|| {
                    time = (time + FRAME) % clip.seconds;
                    playhead.sample(clip, time, &source.skeleton, &mut pose);
                    retarget.pose(&pose, &mut out, &mut contacts);
                });
            });
        }
    }
    group.finish();
}
