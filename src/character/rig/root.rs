//! The root of a skeleton, which carries a whole character when the base of a solve is one of its descendants.

use glam::{DQuat, DVec3};

use crate::asset::{Character, Skeleton, Skin, Transform};

/// Returns the topmost joint of any skin above a node. If there is no such joint, as in a file of rigid parts, returns the root of the
/// node's tree. Unlike [`default_base`](super::default_base), the joint has no other joint above it, so that it can be moved without
/// stretching a bone. Allocates nothing.
pub(crate) fn topmost_joint(character: &Character, node: usize) -> usize {
    let skeleton = &character.skeleton;
    let is_joint = |n: &usize| character.skins.iter().any(|s| s.joints.contains(n));
    let joint = skeleton.ancestors(node).filter(is_joint).last();
    joint.or_else(|| skeleton.ancestors(node).last()).unwrap_or(node)
}

/// Returns the root of the skeleton that a node belongs to: the lowest node above it that has the whole skeleton below
/// it, so that moving the root stretches no bone. Nodes above the root, such as the cameras of a scene, stay in place.
///
/// The skeleton begins at the topmost joint of any skin above the node. A skin with a joint at or below the root adds all of its joints. If
/// these joints have no common joint above them, the root is their lowest common ancestor. Joints in other trees of the scene are left out,
/// because nothing connects them. If no skin contains the node or one of its ancestors, as in a file of rigid parts, the root is the root
/// of the node's tree.
///
/// The time is proportional to the number of nodes and joints.
pub fn skeleton_root(skeleton: &Skeleton, skins: &[Skin], node: usize) -> usize {
    let count = skeleton.nodes.len();
    let path: Vec<usize> = skeleton.ancestors(node).filter(|&n| n < count).collect();
    let mut is_joint = vec![false; count];
    for &joint in skins.iter().flat_map(|s| &s.joints).filter(|&&j| j < count) {
        is_joint[joint] = true;
    }
    let Some(mut root) = path.iter().rposition(|&n| is_joint[n]) else {
        return path.last().copied().unwrap_or(node);
    };
    // For each node, the position on the path of its nearest ancestor that is on the path. The node itself counts as an ancestor.
    let mut meets: Vec<Option<usize>> = vec![None; count];
    path.iter().enumerate().for_each(|(i, &n)| meets[n] = Some(i));
    for &(n, parent) in &skeleton.parents_first {
        meets[n] = meets[n].or_else(|| meets[parent?]);
    }
    // The part of the path that the joints of each skin span.
    let span = |skin: &Skin| {
        let met = || skin.joints.iter().filter_map(|&j| meets.get(j).copied().flatten());
        Some((met().min()?, met().max()?))
    };
    let mut spans: Vec<(usize, usize)> = skins.iter().filter_map(span).collect();
    spans.sort_unstable();
    for (low, high) in spans {
        if low <= root {
            root = root.max(high);
        }
    }
    path.get(root).copied().unwrap_or(node)
}

/// Returns the nodes above the topmost node of an upward path, up to the root of the skeleton.
pub(super) fn nodes_above(skeleton: &Skeleton, skins: &[Skin], base: usize, top: usize) -> Vec<usize> {
    let root = skeleton_root(skeleton, skins, base);
    let above = || skeleton.ancestors(top).skip(1);
    // The effectors may be above the root of the base's skeleton.
    let count = above().position(|n| n == root).map_or(0, |place| place + 1);
    above().take(count).collect()
}

/// Converts a point from the frame of the first node to the frame above the last node. Also returns the orientation of the first node in
/// that frame. `way_up` leads from each node to its parent.
pub(super) fn place_of(
    way_up: impl Iterator<Item = usize>,
    locals: &[Transform],
    point: DVec3,
) -> (DVec3, DQuat) {
    way_up.fold((point, DQuat::IDENTITY), |(point, orientation), node| {
        let local = &locals[node];
        let rotation = local.rotation.as_dquat().normalize();
        let point = local.translation.as_dvec3() + rotation * (local.scale.as_dvec3() * point);
        (point, (rotation * orientation).normalize())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Node;

    /// Returns a skeleton with the given parents. Every parent comes before its children.
    fn skeleton(parents: &[Option<usize>]) -> Skeleton {
        let node = |parent: &Option<usize>| Node::unnamed(*parent, Transform::IDENTITY);
        Skeleton {
            nodes: parents.iter().map(node).collect(),
            parents_first: parents.iter().copied().enumerate().collect(),
            ..Skeleton::default()
        }
    }

    fn skin(joints: &[usize]) -> Skin {
        let (joints, joint_from_mesh) = (joints.to_vec(), Vec::new());
        Skin { name: None, joints, joint_from_mesh, has_inverse_binds: false }
    }

    /// Two figures below a scene. Each figure has an armature with a root joint and two limbs.
    ///
    /// ```text
    /// 0 scene ─┬─ 1 armature ── 2 root joint ─┬─ 3 ── 4
    ///          │                              └─ 5 ── 6 (in no skin)
    ///          └─ 7 armature ─┬─ 8 root joint ── 9
    ///                         └─ 10 second root joint
    /// ```
    fn figures() -> Skeleton {
        let below = [0, 1, 2, 3, 2, 5, 0, 7, 8, 7];
        skeleton(&std::iter::once(None).chain(below.map(Some)).collect::<Vec<_>>())
    }

    #[test]
    fn the_root_is_the_topmost_joint() {
        let skins = [skin(&[2, 3, 4, 5]), skin(&[8, 9])];
        for node in 2..=6 {
            assert_eq!(skeleton_root(&figures(), &skins, node), 2);
        }
        assert_eq!(skeleton_root(&figures(), &skins, 9), 8);
    }

    #[test]
    fn joints_of_other_skins_belong_to_the_skeleton() {
        // The skin of a glove has only joints of the hand.
        let skins = [skin(&[4]), skin(&[2, 3, 4, 5])];
        assert_eq!(skeleton_root(&figures(), &skins, 4), 2);
        // The joints of both skins are below the first root joint, which is in neither.
        assert_eq!(skeleton_root(&figures(), &[skin(&[3, 4]), skin(&[3, 5])], 4), 2);
    }

    #[test]
    fn several_root_joints_have_a_common_root() {
        let skins = [skin(&[2, 3, 4, 5]), skin(&[8, 9, 10])];
        assert_eq!(skeleton_root(&figures(), &skins, 9), 7);
        assert_eq!(skeleton_root(&figures(), &skins, 10), 7);
        assert_eq!(skeleton_root(&figures(), &skins, 4), 2);
        // Without a common ancestor, the root is the root of the node's own tree.
        let apart = skeleton(&[None, Some(0), None, Some(2)]);
        assert_eq!(skeleton_root(&apart, &[skin(&[0, 1, 2, 3])], 3), 2);
    }

    #[test]
    fn rigid_parts_have_the_root_of_their_tree() {
        assert_eq!(skeleton_root(&figures(), &[], 6), 0);
        assert_eq!(skeleton_root(&figures(), &[skin(&[8, 9])], 6), 0);
    }
}
