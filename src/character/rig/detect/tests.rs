//! Finding chains takes linear time in the number of nodes for every shape of the hierarchy.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use glam::Vec3;

use crate::asset::{Character, Node, Skeleton, Transform};

use super::detect;

/// Builds a character from the name, parent and offset of each node. Parents come before their children.
fn character(count: usize, node: impl Fn(usize) -> (&'static str, Option<usize>, Vec3)) -> Character {
    let mut skeleton = Skeleton::default();
    for index in 0..count {
        let (name, parent, offset) = node(index);
        let rest = Transform::from_translation(offset);
        skeleton.nodes.push(Node { name: Some(name.to_owned()), ..Node::unnamed(parent, rest) });
        if let Some(parent) = parent {
            skeleton.nodes[parent].children.push(index);
        }
        skeleton.parents_first.push((index, parent));
    }
    Character { path: PathBuf::from("many"), skeleton, ..Character::default() }
}

/// A character in which all other nodes are children of the first.
fn flat(count: usize, name: &'static str) -> Character {
    character(count, |i| if i == 0 { ("root", None, Vec3::ZERO) } else { (name, Some(0), Vec3::X) })
}

/// A character in which each node is the child of the previous one. The names repeat.
fn deep(count: usize, names: &'static [&'static str]) -> Character {
    character(count, |i| (names[i % names.len()], i.checked_sub(1), Vec3::X * 0.01))
}

/// A character with many short chains below the first node, half of them on each side.
fn tufts(count: usize, names: &'static [&'static str]) -> Character {
    character(count, |i| {
        let side = if (i / names.len()).is_multiple_of(2) { Vec3::X } else { Vec3::NEG_X };
        match i.checked_sub(1) {
            None => ("root", None, Vec3::ZERO),
            Some(index) if index.is_multiple_of(names.len()) => (names[0], Some(0), side),
            Some(index) => (names[index % names.len()], Some(i - 1), side),
        }
    })
}

/// A character with a long back and a limb at each of its joints.
fn comb(count: usize, tooth: &'static [&'static str]) -> Character {
    let length = tooth.len() + 1;
    character(count, |i| match i % length {
        0 => ("spine", i.checked_sub(length), Vec3::Y * 0.01),
        1 => (tooth[0], Some(i - 1), Vec3::X),
        index => (tooth[index - 1], Some(i - 1), Vec3::X),
    })
}

/// Measures the time that it takes to find chains and bones.
fn time(character: &Character) -> Duration {
    let started = Instant::now();
    let _ = std::hint::black_box((detect(character), crate::rig::humanoid(character)));
    started.elapsed()
}

/// Returns whether `many` takes less than 9 times as long as `few`, which has a quarter of the nodes. Quadratic time
/// would take 16 times as long. The shortest of several runs counts, because other programs use the machine too.
fn takes_linear_time(few: &Character, many: &Character) -> bool {
    let mut least = [Duration::MAX; 2];
    (0..40).any(|round| {
        least = [least[0].min(time(few)), least[1].min(time(many))];
        round > 2 && least[1] < 9 * least[0]
    })
}

#[test]
fn four_times_the_nodes_take_less_than_nine_times_as_long() {
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
        assert!(takes_linear_time(&shape(FEW), &shape(4 * FEW)), "{name}");
    }
}

#[test]
fn a_finger_continues_below_an_unnamed_joint() {
    let found = detect(&deep(6, &["index", "x"]));
    let joints: Vec<_> = found.chains.iter().map(|c| c.joints.clone()).collect();
    assert_eq!(joints, [vec![0, 1, 2, 3, 4, 5]]);
}
