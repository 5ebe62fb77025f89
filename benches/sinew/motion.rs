//! Benchmarks of computing one frame of a motion. The motion plays one clip or two synchronised clips in place, with
//! and without retargeting to another character.

use criterion::{Criterion, Throughput};
use sinew::asset;
use sinew::motion::{Motion, Player, Retarget, Strip, WeightedClip};
use sinew::pose::Pose;

use super::external;

const FRAME: f32 = 1.0 / 60.0;
const OTHER: &str = "quaternius/modular_men/Adventurer/Adventurer.glb";

pub(crate) fn bench(c: &mut Criterion) {
    let source = asset::mannequin().unwrap();
    let clip = |name: &str| source.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap();
    let weighted = |name| WeightedClip { clip: clip(name), weight: 0.5 };
    let strip = Strip { clips: vec![weighted("walk"), weighted("run")], looping: true, ..Strip::new(0) };
    let blend = Motion { strips: vec![Strip { seconds: Some(60.0), ..strip }], ..Motion::default() };
    let target = external(OTHER).map_or_else(|| source.clone(), |path| asset::load(&path).unwrap());
    let mut group = c.benchmark_group("motion");
    group.throughput(Throughput::Elements(source.skeleton.nodes.len() as u64));
    for (name, motion) in [("one clip", Motion::clip(clip("walk"))), ("two clips blended", blend)] {
        let mut retarget = Retarget::by_bodies(&source, &target).unwrap();
        for is_retargeted in [false, true] {
            let (mut player, mut time) = (Player::default(), 0.0);
            let (mut pose, mut out) = (Pose::rest(&source.skeleton), Pose::default());
            let (mut contacts, mut feet) = (Vec::new(), Vec::new());
            let name = if is_retargeted { format!("{name}, retargeted") } else { name.to_owned() };
            group.bench_function(name, |b| {
                b.iter(|| {
                    time = (time + FRAME) % 59.0;
                    pose.reset(&source.skeleton);
                    player.pose(&source, &motion, &[], time, &mut pose, &mut contacts);
                    if is_retargeted {
                        retarget.pose(&pose, &mut out, &mut feet);
                    }
                });
            });
        }
    }
    group.finish();
}
