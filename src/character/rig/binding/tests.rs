//! Tests of bindings for large skeletons and for disconnected skeletons.

use glam::Vec3;

use super::*;
use crate::asset::{Node, Transform};

/// Returns a skeleton with the given parents. Every parent comes before its children.
fn skeleton(parents: &[Option<usize>]) -> Skeleton {
    let node = |parent: &Option<usize>| Node::unnamed(*parent, Transform::from_translation(Vec3::Y));
    Skeleton {
        nodes: parents.iter().map(node).collect(),
        parents_first: parents.iter().copied().enumerate().collect(),
        ..Skeleton::default()
    }
}

/// Two nested chains below one root, with the base at the end of the first one.
#[test]
fn many_effectors_on_long_paths_are_bound_in_linear_time() {
    let half = 50_000;
    let parent = |n: usize| n.checked_sub(1).map(|above| if n == half { 0 } else { above });
    let skeleton = skeleton(&(0..2 * half).map(parent).collect::<Vec<_>>());
    let effectors: Vec<usize> = (0..2 * half).rev().collect();
    let binding = Binding::new(&skeleton, &[], &Rig::default(), half - 1, &effectors).unwrap();
    assert_eq!(binding.upward.len(), half);
    assert_eq!(binding.links.len(), 2 * half);
    // The second chain begins at the root, which is represented by the link of its child on the first chain.
    let first = binding.links[half];
    assert_eq!((first.parent, first.plus, first.minus), (Some(LinkIndex(half - 1)), Some(half), Some(1)));
    assert_eq!(binding.links[2 * half - 1].node, Some(2 * half - 1));
}

#[test]
fn an_effector_with_another_root_is_an_error() {
    let skeleton = skeleton(&[None, Some(0), None, Some(2)]);
    let error = Binding::new(&skeleton, &[], &Rig::default(), 1, &[0, 3, 2]).unwrap_err();
    assert_eq!(error, RigError::NoCommonAncestor { base: "#1".to_owned(), effector: "#3".to_owned() });
}
