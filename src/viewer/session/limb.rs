//! The joints of a limb.

use crate::asset::{Character, Skeleton};
use crate::rig::{BodyLimb, Chain, Rig};

/// Returns the nodes of a node's limb: an arm, leg or wing of the body, including fingers or toes. If the node belongs to no limb of the
/// body, returns the shortest chain that contains the node, or only the node itself.
pub(super) fn nodes(character: &Character, rig: &Rig, node: usize) -> Vec<usize> {
    let chain = || {
        let chains = rig.chains.iter().filter(|c| c.joints.contains(&node));
        // The shortest chain is the most specific one, such as a finger.
        Some(chains.min_by_key(|c| c.joints.len())?.joints.clone())
    };
    of_body(character, rig, node).or_else(chain).unwrap_or_else(|| vec![node])
}

/// Returns the nodes of the body limb that contains a node, including fingers or toes. `None` if no limb contains it.
pub(super) fn of_body(character: &Character, rig: &Rig, node: usize) -> Option<Vec<usize>> {
    find(character, rig, node).map(|(_, nodes)| nodes)
}

/// Returns the body limb that contains a node, and the nodes of that limb, including fingers or toes. `None` if no limb contains it.
pub(super) fn find<'a>(
    character: &Character,
    rig: &'a Rig,
    node: usize,
) -> Option<(&'a BodyLimb, Vec<usize>)> {
    let mut limbs = rig.limbs().iter().map(|limb| (limb, below(&character.skeleton, limb)));
    limbs.find(|(_, nodes)| nodes.binary_search(&node).is_ok())
}

/// Returns the chain of the body limb that contains a joint, and the limb's pull. The pull says how strongly the limb's goals pull the
/// body, from 0 to 1. `None` if no limb of a recognised body contains the joint.
pub(crate) fn pull(rig: &Rig, node: usize) -> Option<(&Chain, f64)> {
    let limb = rig.limbs().iter().find(|limb| limb.nodes().any(|own| own == node))?;
    Some((rig.chain(limb.end())?, f64::from(limb.pull)))
}

/// Returns the joints of a limb and all of their descendants, sorted.
fn below(skeleton: &Skeleton, limb: &BodyLimb) -> Vec<usize> {
    let mut is_inside = vec![false; skeleton.nodes.len()];
    for node in limb.nodes() {
        if let Some(inside) = is_inside.get_mut(node) {
            *inside = true;
        }
    }
    for &(node, parent) in &skeleton.parents_first {
        is_inside[node] |= parent.is_some_and(|p| is_inside[p]);
    }
    is_inside.iter().enumerate().filter(|(_, inside)| **inside).map(|(node, _)| node).collect()
}
