//! Seeded defects in skin weights, which the suites must detect. `scripts/weight-breaks.py` does the same with other characters.

use std::fs;
use std::path::Path;

use sinew::asset::{Character, load};
use sinew::glam::{Quat, Vec3};
use sinew::puppet::Puppet;
use sinew::rig;
use sinew::skin::Skinned;

use super::super::glb::Glb;
use super::{copied, text};
use crate::{folder, sinew, stdout};
use sinew_base::Random;

/// Number of defects for each character.
const BREAKS: u64 = 6;
/// Fractions of a weight that are moved to another joint.
const PARTS: [f64; 3] = [0.2, 0.1, 0.05];
/// A defect must be found if it moves a vertex by this fraction of the figure's height.
const VISIBLE: f32 = 0.02;

#[test]
fn visible_breaks_of_weights_are_found() {
    let (mut visible, mut report) = (0, Vec::new());
    for name in ["mannequin", "spider", "tentacle", "awkward", "arm"] {
        let folder = folder(&format!("init-weights-{name}"));
        let model = copied(name, &folder);
        let suite = folder.join("suite.toml");
        stdout(["test", "--init", text(&model), "-o", text(&suite)]);
        stdout(["test", text(&suite), "--update"]);
        let unbroken = fs::read(&model).unwrap();
        let poses = poses(&model);
        for seed in 0..BREAKS {
            let part = PARTS[seed as usize % PARTS.len()];
            let Some(changed) = broken(Glb::new(&unbroken), &load(&model).unwrap(), seed, part) else {
                continue;
            };
            fs::write(&model, &changed).unwrap();
            let effect = effect(&poses, &model);
            if effect > VISIBLE {
                visible += 1;
                let found = sinew(["test", text(&suite), "-q", "--fail-fast"]).status.code() == Some(1);
                let place = format!("{name} {seed}: {part} of the weights, {:.1} %", effect * 100.0);
                assert!(found, "missed: {place}");
                report.push(place);
            }
            fs::write(&model, &unbroken).unwrap();
        }
        assert_eq!(sinew(["test", text(&suite), "-q"]).status.code(), Some(0));
    }
    println!("{}", report.join("\n"));
    assert!(visible > 5, "{}", report.join("\n"));
}

/// Returns the posed vertices of a character in all poses of its range of motion.
fn poses(model: &Path) -> Vec<Vec<Vec3>> {
    let character = load(model).unwrap();
    let rig = rig::load(&character, None).unwrap();
    let poses = rig::range_of_motion(&character, &rig);
    let mut puppet = Puppet::with_rig(character, 0, rig);
    let posed = poses.iter().map(|pose| {
        puppet.turns =
            pose.turns.iter().map(|(n, turn)| (*n, Quat::from_scaled_axis(turn.as_vec3()))).collect();
        puppet.update().unwrap();
        (0..puppet.parts().len())
            .flat_map(|part| {
                let mut skinned = Skinned::default();
                puppet.skin(part, &mut skinned);
                skinned.positions
            })
            .collect()
    });
    posed.collect()
}

/// Returns the largest distance by which a defect moves a vertex, relative to the height.
fn effect(before: &[Vec<Vec3>], model: &Path) -> f32 {
    let after = poses(model);
    let largest = before
        .iter()
        .zip(&after)
        .flat_map(|(a, b)| a.iter().zip(b))
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f32::max);
    let heights = before[0].iter().map(|p| p.y);
    largest / (heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min))
}

/// Returns the joints or the weights of a vertex of the first mesh.
fn influence(glb: &Glb, attribute: &str, vertex: usize) -> [f64; 4] {
    glb.read(glb.attribute(0, attribute), vertex).try_into().unwrap()
}

/// Moves part of a joint's weights to a neighbouring joint, for the vertices within a sphere.
fn broken(mut glb: Glb, character: &Character, seed: u64, part: f64) -> Option<Vec<u8>> {
    let mut random = Random(seed);
    let primitive = &character.meshes[0].primitives[0];
    let joints = &character.skins[0].joints;
    let centre = random.below(primitive.vertices());
    let strongest = |weights: [f64; 4]| (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap();
    let joint = influence(&glb, "JOINTS_0", centre)[strongest(influence(&glb, "WEIGHTS_0", centre))];
    let node = joints[joint as usize];
    let is_neighbour = |n: usize| {
        let nodes = &character.skeleton.nodes;
        nodes[n].parent == Some(node) || nodes[node].parent == Some(n)
    };
    let neighbours: Vec<usize> = (0..joints.len()).filter(|j| is_neighbour(joints[*j])).collect();
    let other = neighbours[random.below(neighbours.len())] as f64;
    let size =
        primitive.positions.iter().fold(0.0_f32, |size, p| size.max(p.distance(primitive.positions[0])));
    let mut changed = false;
    for vertex in 0..primitive.vertices() {
        if primitive.positions[vertex].distance(primitive.positions[centre]) > 0.06 * size {
            continue;
        }
        let (mut indices, mut weights) =
            (influence(&glb, "JOINTS_0", vertex), influence(&glb, "WEIGHTS_0", vertex));
        let from = (0..4).find(|&i| indices[i] == joint && weights[i] > 0.0);
        let to = (0..4).find(|&i| indices[i] == other && weights[i] > 0.0);
        let to = to.or_else(|| (0..4).find(|&i| weights[i] == 0.0));
        let Some((from, to)) = from.zip(to) else { continue };
        let moved = if glb.size(glb.attribute(0, "WEIGHTS_0")) == 4 {
            part * weights[from]
        } else {
            (part * weights[from]).round()
        };
        weights[from] -= moved;
        weights[to] += moved;
        indices[to] = other;
        changed |= moved > 0.0;
        glb.write(glb.attribute(0, "JOINTS_0"), vertex, &indices);
        glb.write(glb.attribute(0, "WEIGHTS_0"), vertex, &weights);
    }
    changed.then(|| glb.file())
}
