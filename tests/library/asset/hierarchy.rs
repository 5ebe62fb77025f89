//! Skeletons and characters that a program builds without a file.

use proptest::prelude::*;
use sinew::asset::{Character, Node, NotFinite, Skeleton, SkeletonError, Transform, mannequin};
use sinew::glam::{Quat, Vec3};
use sinew::pose::{Pose, world_matrices};
use sinew::puppet::{Puppet, Target};

fn refused(nodes: Vec<Node>) -> SkeletonError {
    Skeleton::new(nodes).expect_err("the nodes are invalid")
}

#[test]
fn the_skeleton_of_a_file_can_be_built_again() {
    let file = mannequin().unwrap().skeleton;
    let nodes = file.nodes.iter().map(|n| Node { children: vec![7], ..n.clone() }).collect();
    let built = Skeleton::new(nodes).unwrap();
    assert_eq!(built.parents_first, file.parents_first);
    for (a, b) in built.nodes.iter().zip(&file.nodes) {
        assert_eq!((&a.name, a.parent, &a.children), (&b.name, b.parent, &b.children));
    }
    assert_eq!(built.instances, file.instances);
}

#[test]
fn children_may_precede_their_parents() {
    let up = Transform::from_translation(Vec3::Y);
    let nodes = vec![Node::child("tip", 2, up), Node::new("root"), Node::child("middle", 1, up)];
    let skeleton = Skeleton::new(nodes).unwrap();
    assert_eq!(skeleton.parents_first, [(1, None), (2, Some(1)), (0, Some(2))]);
    assert_eq!(skeleton.nodes[1].children, [2]);
    let mut world = Vec::new();
    world_matrices(&skeleton, &Pose::rest(&skeleton), &mut world);
    assert_eq!(Vec3::from(world[0].translation), Vec3::Y * 2.0);
}

#[test]
fn morph_weights_of_the_nodes_are_ignored() {
    let skeleton = Skeleton::new(vec![Node { morph_weights: 3..9, ..Node::new("face") }]).unwrap();
    assert!(skeleton.nodes[0].morph_weights.is_empty() && skeleton.rest_weights.is_empty());
    assert!(Skeleton::new(Vec::new()).unwrap().nodes.is_empty());
}

#[test]
fn errors_name_the_node_and_the_cause() {
    let rest = Transform::IDENTITY;
    let missing = refused(vec![Node::new("a"), Node::child("b", 4, rest)]);
    assert_eq!(missing, SkeletonError::Parent { node: "b".to_owned(), parent: 4, count: 2 });
    assert_eq!(missing.to_string(), "node \"b\": parent 4 does not exist; the skeleton has 2 nodes");

    let nameless = Node { name: None, ..Node::child("", 2, rest) };
    let cycle = refused(vec![Node::new("a"), nameless, Node::child("c", 1, rest)]);
    assert_eq!(cycle, SkeletonError::Cycle { node: "#1".to_owned() });

    let not_finite = Transform { scale: Vec3::splat(f32::NAN), ..rest };
    let error = refused(vec![Node { rest: not_finite, ..Node::new("a") }]);
    assert_eq!(error, SkeletonError::NotFinite(NotFinite { joint: "a".to_owned(), property: "scale" }));

    let zero = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..rest };
    let error = refused(vec![Node { rest: zero, ..Node::new("a") }]);
    assert_eq!(error.to_string(), "node \"a\": rotation does not have unit length");
}

/// Each transform is finite, but their product is not.
#[test]
fn a_rest_pose_that_overflows_is_refused() {
    let large = Transform { scale: Vec3::splat(1e30), ..Transform::IDENTITY };
    let error = refused(vec![Node { rest: large, ..Node::new("a") }, Node::child("b", 0, large)]);
    let expected = NotFinite { joint: "b".to_owned(), property: "world matrix" };
    assert_eq!(error, SkeletonError::NotFinite(expected));
}

#[test]
fn a_character_without_a_file_is_posed_by_goals() {
    let forearm = Transform::from_translation(Vec3::X * 0.3);
    let nodes = vec![
        Node { rest: Transform::from_translation(Vec3::Y * 1.4), ..Node::new("leftUpperArm") },
        Node::child("leftLowerArm", 0, forearm),
        Node::child("leftHand", 1, forearm),
    ];
    let character = Character::new(Skeleton::new(nodes).unwrap());
    assert_eq!(character.scenes[0].roots, [0]);
    let mut puppet = Puppet::new(character, 0);
    puppet.targets.push(Target::new(2).with_base(0).with_position(sinew::glam::DVec3::new(0.3, 1.6, 0.1)));
    let reports = puppet.update().unwrap();
    assert!(reports[0].position_error.is_some_and(|metres| metres < 1e-3), "{:?}", reports[0]);
}

/// A mesh or skin that does not exist is not drawn.
#[test]
fn a_node_with_a_missing_mesh_has_no_parts() {
    let node = Node { mesh: Some(3), skin: Some(8), ..Node::new("body") };
    let character = Character::new(Skeleton::new(vec![node]).unwrap());
    assert_eq!(character.parts(0), []);
    Puppet::new(character, 0).update().unwrap();
}

/// Parents of up to 40 nodes. Parents may be missing, form cycles or come after their children.
fn parents() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(prop::option::weighted(0.8, 0..40_usize), 0..40)
}

proptest! {
    /// A skeleton is accepted if and only if each node leads to a root, and then its fields are consistent.
    #[test]
    fn only_forests_are_accepted(parents in parents()) {
        let nodes: Vec<Node> =
            parents.iter().map(|parent| Node { parent: *parent, ..Node::new("joint") }).collect();
        let leads_to_a_root = |node: usize| {
            let mut at = Some(node);
            for _ in 0..=parents.len() {
                let Some(node) = at else { return true };
                let Some(parent) = parents.get(node) else { return false };
                at = *parent;
            }
            false
        };
        let is_forest = (0..parents.len()).all(leads_to_a_root);
        let built = Skeleton::new(nodes);
        prop_assert_eq!(built.is_ok(), is_forest);
        if let Ok(skeleton) = built {
            let mut placed = vec![false; parents.len()];
            for &(node, parent) in &skeleton.parents_first {
                prop_assert_eq!(parent, parents[node]);
                prop_assert!(!placed[node] && parent.is_none_or(|p| placed[p]));
                placed[node] = true;
            }
            prop_assert!(placed.iter().all(|p| *p));
            for (index, node) in skeleton.nodes.iter().enumerate() {
                let expected: Vec<usize> =
                    (0..parents.len()).filter(|&n| parents[n] == Some(index)).collect();
                prop_assert_eq!(&node.children, &expected);
            }
        }
    }
}
