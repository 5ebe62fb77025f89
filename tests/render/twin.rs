//! The shader and the CPU skinning compute the same vertices.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use sinew::asset::Character;
use sinew::puppet::Puppet;
use sinew::render::DecodedImages;
use sinew::scene;
use sinew::skin::{Skinned, Skinning};

use crate::{load, renderer};
use sinew_testkit::{Builder, gltf_files_and, mannequin};

/// Returns the maximum differences between GPU and CPU in vertex positions (as a fraction of the diagonal) and in normals.
fn difference(puppet: &Puppet) -> (f32, f32) {
    let mut renderer = renderer();
    let model = renderer.model(puppet.character(), puppet.parts(), &DecodedImages::default()).unwrap();
    let (_, radius) = puppet.bounds().sphere();
    let (mut furthest, mut most_turned) = (0.0_f32, 0.0_f32);
    let mut cpu = Skinned::default();
    for draw in scene::draws(puppet, &[]) {
        let (positions, normals) = renderer.read_vertices(&model, &draw, &puppet.palette().matrices).unwrap();
        puppet.skin(draw.part, &mut cpu);
        assert_eq!((positions.len(), normals.len()), (cpu.positions.len(), cpu.normals.len()));
        for (a, b) in positions.iter().zip(&cpu.positions) {
            furthest = furthest.max(a.distance(*b) / (2.0 * radius));
        }
        for (a, b) in normals.iter().zip(&cpu.normals) {
            most_turned = most_turned.max(a.distance(*b));
        }
    }
    (furthest, most_turned)
}

#[test]
fn shader_and_cpu_agree_on_a_waving_mannequin() {
    let character = mannequin();
    let wave = character.clips.iter().position(|c| c.name.as_deref() == Some("wave")).unwrap();
    let mut puppet = Puppet::new(character, 0);
    puppet.play(wave, 0.7);
    for skinning in Skinning::ALL {
        puppet.options.skinning = skinning;
        puppet.update().unwrap();
        let (position, normal) = difference(&puppet);
        assert!(position <= 2e-6, "{skinning:?}: {position}");
        assert!(normal <= 1e-4, "{skinning:?}: {normal}");
    }
}

const VERTICES: usize = 60;
const JOINTS: usize = 300;
const TARGETS: usize = 3;
/// Number of values that define a cloud. The number is prime, so that repeated values form no pattern over the joints and vertices.
pub(crate) const NUMBERS: usize = 977;

/// Returns a cloud of vertices with morph targets, and the same cloud without a skin. Each skinned vertex has
/// influences of eight joints, which may be rotated, stretched or mirrored.
pub(crate) fn cloud(numbers: &[f32]) -> Character {
    let mut next = numbers.iter().copied().cycle();
    let mut take = |n: usize| -> Vec<f32> { next.by_ref().take(n).collect() };
    let mut b = Builder::default();
    let mut attributes = json!({
        "POSITION": b.floats("VEC3", 3, &take(VERTICES * 3)),
        "NORMAL": b.floats("VEC3", 3, &take(VERTICES * 3)),
    });
    for set in 0..2 {
        let joints: Vec<u8> = take(VERTICES * 4)
            .iter()
            .flat_map(|x| (((x + 1.0) * 0.5 * 299.0) as u16).to_le_bytes())
            .collect();
        let weights: Vec<f32> = take(VERTICES * 4).iter().map(|x| x.abs()).collect();
        attributes[format!("JOINTS_{set}")] = b.accessor("VEC4", 5123, VERTICES, &joints).into();
        attributes[format!("WEIGHTS_{set}")] = b.floats("VEC4", 4, &weights).into();
    }
    let targets: Vec<Value> = (0..TARGETS)
        .map(|_| {
            let (p, n) = (take(VERTICES * 3), take(VERTICES * 3));
            json!({"POSITION": b.floats("VEC3", 3, &p), "NORMAL": b.floats("VEC3", 3, &n)})
        })
        .collect();
    let joints = (0..JOINTS).map(|_| {
        let (t, r, s) = (take(3), take(4), take(3));
        json!({"translation": t, "rotation": r, "scale": s})
    });
    let mut nodes: Vec<Value> = joints.collect();
    nodes.push(json!({"mesh": 0, "skin": 0, "weights": take(TARGETS)}));
    nodes.push(json!({"mesh": 0, "weights": take(TARGETS), "translation": take(3), "scale": take(3)}));
    load(&b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "targets": targets}]}],
        "nodes": nodes,
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>()}],
    })))
}

#[test]
fn shader_and_cpu_agree_on_random_meshes_with_eight_influences_and_morph_targets() {
    let mut runner = TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
    let numbers = prop::collection::vec(-1.0_f32..1.0, NUMBERS);
    let check = |numbers: Vec<f32>| {
        let (position, _) = difference(&Puppet::new(cloud(&numbers), 0));
        prop_assert!(position <= 2e-6, "{position}");
        Ok(())
    };
    runner.run(&numbers, check).unwrap();
}

#[test]
fn shader_and_cpu_agree_on_built_in_and_external_characters() {
    for path in gltf_files_and("models/khronos-sample-models") {
        let character = sinew::asset::load(&path).unwrap();
        let plays = !character.clips.is_empty();
        let mut puppet = Puppet::new(character, 0);
        if plays {
            puppet.play(0, 0.4);
        }
        for skinning in Skinning::ALL {
            puppet.options.skinning = skinning;
            puppet.update().unwrap();
            let (position, _) = difference(&puppet);
            assert!(position <= 2e-6, "{}, {skinning:?}: {position}", path.display());
        }
    }
}
