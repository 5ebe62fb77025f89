//! Finding chains takes time in proportion to the nodes of a file, whatever shape they have.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use glam::Vec3;

use super::find;
use crate::asset::{Character, Node, Skeleton, Transform, humanoid};

/// A character of some nodes: of each its name and its parent, which comes before it.
fn character(count: usize, node: impl Fn(usize) -> (&'static str, Option<usize>, Vec3)) -> Character {
    let mut skeleton = Skeleton::default();
    for index in 0..count {
        let (name, parent, offset) = node(index);
        skeleton.nodes.push(Node {
            name: Some(name.to_owned()),
            parent,
            children: Vec::new(),
            rest: Transform { translation: offset, ..Transform::IDENTITY },
            mesh: None,
            skin: None,
            morph_weights: 0..0,
        });
        if let Some(parent) = parent {
            skeleton.nodes[parent].children.push(index);
        }
        skeleton.parents_first.push((index, parent));
    }
    Character { path: PathBuf::from("many"), skeleton, ..Character::default() }
}

/// All nodes but the first hang on it.
fn flat(count: usize, name: &'static str) -> Character {
    character(count, |i| if i == 0 { ("root", None, Vec3::ZERO) } else { (name, Some(0), Vec3::X) })
}

/// Each node hangs on the one before, with names in turn.
fn deep(count: usize, names: &'static [&'static str]) -> Character {
    character(count, |i| (names[i % names.len()], i.checked_sub(1), Vec3::X * 0.01))
}

/// Chains of some nodes that hang on the first, half of them on each side.
fn tufts(count: usize, names: &'static [&'static str]) -> Character {
    character(count, |i| {
        let side = if (i / names.len()).is_multiple_of(2) { Vec3::X } else { Vec3::NEG_X };
        match i.checked_sub(1) {
            None => ("root", None, Vec3::ZERO),
            Some(place) if place.is_multiple_of(names.len()) => (names[0], Some(0), side),
            Some(place) => (names[place % names.len()], Some(i - 1), side),
        }
    })
}

/// A long back with a limb on each of its joints.
fn comb(count: usize, tooth: &'static [&'static str]) -> Character {
    let length = tooth.len() + 1;
    character(count, |i| match i % length {
        0 => ("spine", i.checked_sub(length), Vec3::Y * 0.01),
        1 => (tooth[0], Some(i - 1), Vec3::X),
        place => (tooth[place - 1], Some(i - 1), Vec3::X),
    })
}

/// How long chains and bones are looked for.
fn time(character: &Character) -> Duration {
    let started = Instant::now();
    std::hint::black_box((find(character), humanoid(character)));
    started.elapsed()
}

/// Whether many nodes take less than nine times as long as a quarter of them: as long as the square of their number
/// would be sixteen times. Others use the machine too: what counts is the least time of some runs.
fn is_in_proportion(few: &Character, many: &Character) -> bool {
    let mut least = [Duration::MAX; 2];
    (0..40).any(|round| {
        least = [least[0].min(time(few)), least[1].min(time(many))];
        round > 2 && least[1] < 9 * least[0]
    })
}

#[test]
fn four_times_the_nodes_take_about_four_times_as_long() {
    const FEW: usize = 4_000;
    let shapes: [(&str, &dyn Fn(usize) -> Character); 9] = [
        ("nodes side by side", &|n| flat(n, "j")),
        ("arms side by side", &|n| flat(n, "arm")),
        ("fingers side by side", &|n| flat(n, "index")),
        ("a deep arm", &|n| deep(n, &["leftArm"])),
        ("fingers within fingers", &|n| deep(n, &["index", "x"])),
        ("limbs without names", &|n| tufts(n, &["a", "b", "c"])),
        ("fingers of two joints", &|n| tufts(n, &["index", "index"])),
        ("legs on a long back", &|n| comb(n, &["leg", "leg", "leg"])),
        ("limbs on a long back", &|n| comb(n, &["a", "b", "c"])),
    ];
    for (name, shape) in shapes {
        assert!(is_in_proportion(&shape(FEW), &shape(4 * FEW)), "{name}");
    }
}

#[test]
fn a_finger_that_continues_below_a_joint_without_a_name_is_one_chain() {
    let found = find(&deep(6, &["index", "x"]));
    let joints: Vec<_> = found.chains.iter().map(|c| c.joints.clone()).collect();
    assert_eq!(joints, [vec![0, 1, 2, 3, 4, 5]]);
}
